//! Folders of documents: what is there, what changed, and what is proven to be gone.
//!
//! What comes in: a source, what the last scan saw, and the time. What goes out: a [`Scan`]. It must not
//! know what is in the files.
//!
//! Absence needs proof. A file counts as gone only if the folder it stood in was read without a fault;
//! whatever could not be read is named as unproven, and what is below it keeps its last state.

#![expect(clippy::disallowed_methods, reason = "reading documents from disk is what this edge is for")]

mod select;
mod walk;

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::diag::{Diagnostic, Place};
use crate::model::id::Fingerprint;
use crate::model::job::Source;

use select::Selection;

/// A change of a file shows in its stamps only if the clock of its file system has moved on since the
/// last scan looked; two seconds is the coarsest such clock in use.
const STAMPS_SETTLE_NS: i128 = 2_000_000_000;

/// What a scan saw of one file: the checkpoint from which the next scan tells whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The size in bytes.
    pub size: u64,
    /// When the content was last written, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// When the content or the name was last changed: unlike `mtime_ns` it cannot be set back. Equal to
    /// `mtime_ns` where the system has no such stamp.
    pub ctime_ns: i128,
    /// The number of the file in its file system; 0 where the system has none.
    pub inode: u64,
    /// The hash of the bytes.
    pub hash: Fingerprint,
    /// When that scan looked at it, in nanoseconds since 1970.
    pub scanned_ns: i128,
}

/// A document that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The path below the source's folder, `/`-separated and NFC.
    pub path: String,
    /// Where to read it.
    pub on_disk: PathBuf,
    /// What this scan saw. Equal to the checkpoint if nothing needs to be saved.
    pub seen: Seen,
    /// True if it is new or its bytes differ from the checkpoint's.
    pub changed: bool,
}

/// A scope in which absence is not proven.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unproven {
    /// The path of the file or folder below the source's folder; empty for the whole folder.
    pub path: String,
    /// Why, as a lower-case fragment.
    pub why: String,
}

impl Unproven {
    /// True if the path is this scope or lies below it.
    pub fn covers(&self, path: &str) -> bool {
        self.path.is_empty()
            || path.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// What a scan found. Every path of the checkpoint is in exactly one place: found, gone, out of scope,
/// or covered by an unproven scope.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
    /// The documents that are there, by path.
    pub found: Vec<Found>,
    /// Paths of the checkpoint that are proven to be absent, sorted.
    pub gone: Vec<String>,
    /// Scopes in which absence is not proven, sorted.
    pub unproven: Vec<Unproven>,
    /// Paths of the checkpoint that the globs no longer select, there or not, sorted.
    pub out_of_scope: Vec<String>,
    /// What a person should know, sorted.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a file's bytes could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No such file.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A folder, a pipe, a socket or a device. It was not opened: opening a pipe may wait forever.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// The file.
        path: PathBuf,
    },
    /// Larger than allowed.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// The system refused.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Reads a regular file of at most so many bytes.
pub fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    for_each_piece(path, max_bytes, |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

/// Looks at the folder of a source below the workspace `root`, compares it with what the last scan saw,
/// and tells what is there, what changed, what is gone, and where nothing can be said.
///
/// A file is unchanged without being read if its size, stamps and inode are those of the checkpoint and
/// its ctime was at least two seconds old when that scan looked; otherwise its bytes are hashed.
pub fn scan(root: &Path, source: &Source, before: &BTreeMap<String, Seen>, now_ns: i128) -> Scan {
    let mut scanner = Scanner { source, before, now_ns, scan: Scan::default() };
    match Selection::of(source) {
        Ok(selection) => {
            scanner.look(&root.join(&source.path), &selection);
            scanner.account_for_checkpoint(&selection);
        }
        Err(bad) => {
            let message = format!("the glob `{}` cannot be read: {}", bad.glob, bad.why);
            let diagnostic = Diagnostic::error("scan-glob-invalid", scanner.place(""), message)
                .hint("correct it in the job; nothing is read and nothing counts as gone until then");
            scanner.unproven("", "a glob is invalid", diagnostic);
        }
    }
    let mut scan = scanner.scan;
    scan.found.sort_by(|a, b| a.path.cmp(&b.path));
    scan.unproven.sort();
    scan.unproven.dedup();
    scan.diagnostics.sort();
    scan
}

struct Scanner<'a> {
    source: &'a Source,
    before: &'a BTreeMap<String, Seen>,
    now_ns: i128,
    scan: Scan,
}

impl Scanner<'_> {
    fn look(&mut self, folder: &Path, selection: &Selection) {
        match fs::metadata(folder) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return self.missing("it is not a folder"),
            Err(error) => return self.missing(&error.to_string()),
        }
        let candidates = self.walk(folder, selection);
        let is_explained = |path: &str| self.scan.unproven.iter().any(|scope| scope.covers(path));
        let expected =
            self.before.keys().filter(|path| selection.selects(path) && !is_explained(path)).count();
        if candidates.is_empty() && expected > 0 {
            let message = format!("no document is in the folder, and the last scan saw {expected}");
            let diagnostic = Diagnostic::error("scan-folder-empty", self.place(""), message)
                .hint("check that it is mounted; if they were all deleted, `accept scope` proves it");
            self.unproven("", "the folder is empty", diagnostic);
        }
        for (path, on_disk) in candidates {
            match on_disk.as_slice() {
                [single] => self.examine(path, single),
                several => self.collide(&path, several),
            }
        }
    }

    fn missing(&mut self, why: &str) {
        let diagnostic = Diagnostic::error(
            "scan-folder-missing",
            self.place(""),
            format!("cannot read the folder: {why}"),
        )
        .hint("check `path` in the job and that the folder is mounted");
        self.unproven("", "the folder cannot be read", diagnostic);
    }

    /// Two names that differ on disk and are one name after NFC would be one document with two texts.
    fn collide(&mut self, path: &str, several: &[PathBuf]) {
        let message = format!("{} files have this name once their letters are composed alike", several.len());
        let diagnostic = Diagnostic::error("scan-name-collision", self.place(path), message)
            .hint("rename or remove all but one; none of them was read");
        self.skip(path, "several files have this name", diagnostic);
    }

    fn examine(&mut self, path: String, on_disk: &Path) {
        let metadata = match fs::metadata(on_disk) {
            Ok(metadata) => metadata,
            Err(error) => return self.unreadable(&path, &io_error(on_disk, error)),
        };
        if metadata.len() == 0 {
            // Files are often created before they are written; an empty one says nothing yet.
            let diagnostic =
                Diagnostic::warning("scan-file-empty", self.place(&path), "the file has no content")
                    .hint("it is left out until something is written to it");
            return self.skip(&path, "the file is empty", diagnostic);
        }
        let known = self.before.get(&path);
        if let Some(seen) = known.filter(|seen| is_settled(seen, &metadata)) {
            let on_disk = on_disk.to_owned();
            return self.scan.found.push(Found { path, on_disk, seen: *seen, changed: false });
        }
        let hash = match hash(on_disk, self.source.max_bytes) {
            Ok(hash) => hash,
            Err(error) => return self.unreadable(&path, &error),
        };
        let stamps_after = fs::metadata(on_disk).map(|after| (after.len(), stamps(&after))).ok();
        if stamps_after != Some((metadata.len(), stamps(&metadata))) {
            let message = "the file changed while it was read";
            let diagnostic = Diagnostic::warning("scan-file-changing", self.place(&path), message)
                .hint("the next scan reads it again");
            return self.skip(&path, "the file changed while it was read", diagnostic);
        }
        let (mtime_ns, ctime_ns, inode) = stamps(&metadata);
        let seen = Seen { size: metadata.len(), mtime_ns, ctime_ns, inode, hash, scanned_ns: self.now_ns };
        let changed = known.is_none_or(|known| known.hash != hash);
        self.scan.found.push(Found { path, on_disk: on_disk.to_owned(), seen, changed });
    }

    fn unreadable(&mut self, path: &str, error: &ReadError) {
        let at = self.place(path);
        let (why, diagnostic) = match error {
            ReadError::Missing { .. } => (
                "the file vanished during the scan",
                Diagnostic::warning("scan-vanished", at, "the file vanished while the folder was read")
                    .hint("the next scan tells whether it is gone"),
            ),
            ReadError::NotAFile { .. } => (
                "it is not a regular file",
                Diagnostic::warning("scan-not-a-file", at, "a pipe, socket or device was not opened")
                    .hint("rename it or leave it out with `exclude`"),
            ),
            ReadError::TooLarge { limit, .. } => (
                "the file is too large",
                Diagnostic::warning("scan-too-large", at, format!("the file is larger than {limit} bytes"))
                    .hint("raise `max_bytes` of the source, or leave the file out with `exclude`"),
            ),
            ReadError::Io { source, .. } => (
                "the file cannot be read",
                Diagnostic::error("scan-unreadable", at, format!("cannot read the file: {source}"))
                    .hint("what it said the last time stays in force"),
            ),
        };
        self.skip(path, why, diagnostic);
    }

    /// Reports something that was left out. Nothing is unproven by it unless the last scan knew it.
    fn skip(&mut self, path: &str, why: &str, diagnostic: Diagnostic) {
        if self.knows(path) {
            self.unproven(path, why, diagnostic);
        } else {
            self.scan.diagnostics.push(diagnostic);
        }
    }

    fn unproven(&mut self, path: &str, why: &str, diagnostic: Diagnostic) {
        self.scan.unproven.push(Unproven { path: path.to_owned(), why: why.to_owned() });
        self.scan.diagnostics.push(diagnostic);
    }

    /// True if the checkpoint has this path or one below it.
    fn knows(&self, path: &str) -> bool {
        let below = format!("{path}/");
        self.before.contains_key(path)
            || self.before.range(below.clone()..).next().is_some_and(|(next, _)| next.starts_with(&below))
    }

    /// Puts every path of the checkpoint that was not found where it belongs.
    fn account_for_checkpoint(&mut self, selection: &Selection) {
        let found: std::collections::BTreeSet<&str> =
            self.scan.found.iter().map(|found| found.path.as_str()).collect();
        for path in self.before.keys() {
            if !selection.selects(path) {
                self.scan.out_of_scope.push(path.clone());
            } else if !found.contains(path.as_str())
                && !self.scan.unproven.iter().any(|scope| scope.covers(path))
            {
                self.scan.gone.push(path.clone());
            }
        }
    }

    fn place(&self, path: &str) -> Place {
        let folder = self.source.path.trim_end_matches('/');
        Place::file(if path.is_empty() { folder.to_owned() } else { format!("{folder}/{path}") })
    }
}

/// True if the stamps prove that the file is as the checkpoint saw it.
fn is_settled(seen: &Seen, now: &Metadata) -> bool {
    seen.size == now.len()
        && (seen.mtime_ns, seen.ctime_ns, seen.inode) == stamps(now)
        && seen.scanned_ns - seen.ctime_ns >= STAMPS_SETTLE_NS
}

/// (mtime, ctime, inode).
#[cfg(unix)]
fn stamps(metadata: &Metadata) -> (i128, i128, u64) {
    use std::os::unix::fs::MetadataExt;
    let ns = |seconds: i64, nanoseconds: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
    (ns(metadata.mtime(), metadata.mtime_nsec()), ns(metadata.ctime(), metadata.ctime_nsec()), metadata.ino())
}

/// (mtime, ctime, inode).
#[cfg(not(unix))]
fn stamps(metadata: &Metadata) -> (i128, i128, u64) {
    let since = |time: std::time::SystemTime| match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
        Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
    };
    let mtime = metadata.modified().map(since).unwrap_or_default();
    (mtime, mtime, 0)
}

fn hash(path: &Path, max_bytes: u64) -> Result<Fingerprint, ReadError> {
    let mut hasher = blake3::Hasher::new();
    for_each_piece(path, max_bytes, |piece| {
        hasher.update(piece);
    })?;
    let digits = hasher.finalize().to_hex();
    Ok(digits[..32].parse().expect("32 hexadecimal digits are a fingerprint"))
}

/// Reads a regular file piece by piece.
fn for_each_piece(path: &Path, max_bytes: u64, mut take: impl FnMut(&[u8])) -> Result<(), ReadError> {
    let fail = |error| io_error(path, error);
    // Asked before opening, because opening a pipe waits for a writer.
    let metadata = fs::metadata(path).map_err(fail)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile { path: path.to_owned() });
    }
    let too_large = || ReadError::TooLarge { path: path.to_owned(), limit: max_bytes };
    if metadata.len() > max_bytes {
        return Err(too_large());
    }
    let mut file = File::open(path).map_err(fail)?;
    let mut buffer = vec![0; 64 * 1024];
    let mut total = 0;
    loop {
        let count = match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(fail(error)),
        };
        // The file may grow while it is read.
        total += count as u64;
        if total > max_bytes {
            return Err(too_large());
        }
        take(&buffer[..count]);
    }
}

fn io_error(path: &Path, error: io::Error) -> ReadError {
    let path = path.to_owned();
    if error.kind() == io::ErrorKind::NotFound {
        ReadError::Missing { path }
    } else {
        ReadError::Io { path, source: error }
    }
}

#[cfg(test)]
mod tests;
