//! Folders of documents: what is there, what changed, and what is proven to be gone.
//!
//! What comes in: a source, what the last scan saw, and the time. What goes out: a [`Scan`]. It must not
//! know what is in the files.
//!
//! Absence needs proof. A file counts as gone only if the folder it stood in was read without a fault;
//! whatever could not be read is named as unproven, and what is below it keeps its last state.

#![expect(clippy::disallowed_methods, reason = "reading documents from disk is what this edge is for")]

mod blocks;
mod select;
mod walk;

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use serde::{Deserialize, Serialize};

use crate::diag::{Diagnostic, Place};
use crate::model::id::Fingerprint;
use crate::model::job::Source;

pub use blocks::{Block, Cutter, Span, Sum};
use select::Selection;
use walk::Candidate;

/// A change of a file shows in its stamps only if the clock of its file system has moved on since the
/// last scan looked; two seconds is the coarsest such clock in use.
const STAMPS_SETTLE_NS: i128 = 2_000_000_000;

/// What a scan saw of one file: the checkpoint from which the next scan tells whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// The packed checkpoint of a file that was seen to be gone, and whose document stays.
pub const MISSING: &[u8] = &[];

/// The bytes of a packed checkpoint.
pub const PACKED: usize = 5 * 8 + 16;

impl Seen {
    /// What a file that no scan has looked at counts as: nothing fits it.
    pub fn never() -> Self {
        let hash = Fingerprint::of(&["never scanned"]);
        Self { size: 0, mtime_ns: 0, ctime_ns: 0, inode: 0, hash, scanned_ns: 0 }
    }

    /// The checkpoint as it is kept: there are as many as files, and all are read each night.
    pub fn pack(&self) -> Vec<u8> {
        // A file of the year 2262 or later keeps the last moment that fits, and is read each night.
        let ns = |ns: i128| i64::try_from(ns).unwrap_or(i64::MAX).to_le_bytes();
        let mut packed = Vec::with_capacity(PACKED);
        packed.extend(self.size.to_le_bytes());
        packed.extend(self.inode.to_le_bytes());
        for stamp in [self.mtime_ns, self.ctime_ns, self.scanned_ns] {
            packed.extend(ns(stamp));
        }
        packed.extend(self.hash.to_bytes());
        packed
    }

    /// The stamps that were seen.
    fn stamps(&self) -> Stamps {
        Stamps { size: self.size, mtime_ns: self.mtime_ns, ctime_ns: self.ctime_ns, inode: self.inode }
    }

    /// True if a later change of the file would show in its stamps.
    fn is_settled(&self) -> bool {
        self.scanned_ns - self.ctime_ns >= STAMPS_SETTLE_NS
    }

    /// Reads a packed checkpoint; `None` if it is none.
    pub fn unpack(packed: &[u8]) -> Option<Self> {
        let word = |at: usize| packed.get(8 * at..8 * at + 8)?.try_into().ok();
        let stamp = |at: usize| word(at).map(|bytes| i128::from(i64::from_le_bytes(bytes)));
        (packed.len() == PACKED).then_some(())?;
        Some(Self {
            size: word(0).map(u64::from_le_bytes)?,
            inode: word(1).map(u64::from_le_bytes)?,
            mtime_ns: stamp(2)?,
            ctime_ns: stamp(3)?,
            scanned_ns: stamp(4)?,
            hash: Fingerprint::from_bytes(packed.get(40..)?.try_into().ok()?),
        })
    }
}

/// A document that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The path below the source's folder, `/`-separated and NFC.
    pub path: String,
    /// Where to read it, if that is not its path below the source's folder.
    pub on_disk: Option<Box<Path>>,
    /// What this scan saw. Equal to the checkpoint if nothing needs to be saved.
    pub seen: Seen,
    /// True if it is new or its bytes differ from the checkpoint's.
    pub changed: bool,
    /// True if what was seen is not what the checkpoint holds, and must be saved.
    pub is_news: bool,
    /// The hash that the checkpoint holds.
    pub before: Option<Fingerprint>,
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

/// What a scan found. Every path of the checkpoints that were compared is in exactly one place: found, gone, out of scope,
/// or covered by an unproven scope.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
    /// The documents that are there, by path.
    pub found: Vec<Found>,
    /// How many files lie outside of the spans that were compared: they are as they were.
    pub passed: usize,
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

/// True if the stamps of a file prove that its bytes are those that the checkpoint saw.
pub fn is_unchanged(path: &Path, seen: &Seen) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && is_settled(seen, &Stamps::of(&metadata)))
}

/// What a scan at this time sees of a file, whose bytes have not been read yet. `None` if the system does not
/// say. Compared with what is seen after the reading, it tells whether the file changed meanwhile.
pub fn glance(path: &Path, hash: Fingerprint, now_ns: i128) -> Option<Seen> {
    let Stamps { size, mtime_ns, ctime_ns, inode } = Stamps::of(&fs::metadata(path).ok()?);
    Some(Seen { size, mtime_ns, ctime_ns, inode, hash, scanned_ns: now_ns })
}

/// Tells whether there is a regular file, without opening it.
///
/// # Errors
///
/// Why there is none.
pub fn is_there(path: &Path) -> Result<(), ReadError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(ReadError::NotAFile { path: path.to_owned() }),
        Err(error) => Err(io_error(path, error)),
    }
}

/// The names of the regular files that stand in a folder itself, sorted, hidden ones left out; `None` if it is no
/// folder.
///
/// # Errors
///
/// What the system said of a folder that cannot be listed.
pub fn files_in(path: &Path) -> Result<Option<Vec<String>>, ReadError> {
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(None);
    }
    let fail = |error| io_error(path, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(Some(names))
}

/// Reads a regular file of at most so many bytes.
pub fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    for_each_piece(path, max_bytes, |piece| bytes.extend_from_slice(piece))?;
    Ok(bytes)
}

/// How many bytes a file has; `None` if it cannot be told.
pub fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|data| data.len())
}

/// A folder of documents as it lies on disk, before it is compared with what the last scan saw.
#[derive(Debug)]
pub struct Walked(Result<walk::Walked, Unwalked>);

/// Why a folder was not walked.
#[derive(Debug)]
enum Unwalked {
    Glob(select::BadGlob),
    Folder(String),
}

/// A file of a walked folder that may be a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// The path below the folder, `/`-separated and NFC.
    pub path: String,
    /// Where to read it, if that is not its path below the folder.
    pub on_disk: Option<Box<Path>>,
    /// Its size in bytes.
    pub size: u64,
}

impl Walked {
    /// The files that may be documents, sorted, and how many files of each extension cannot be read.
    ///
    /// # Errors
    /// Why the folder was not walked.
    pub fn files(self) -> Result<(Vec<Listed>, BTreeMap<String, u64>), String> {
        let walked = self.0.map_err(|why| match why {
            Unwalked::Glob(bad) => bad.why,
            Unwalked::Folder(why) => why,
        })?;
        let foreign = walked.foreign();
        let files = walked.bags.into_iter().flatten().filter_map(|one| {
            let size = one.stamps.ok()?.size;
            Some(Listed { path: one.path.into(), on_disk: one.on_disk, size })
        });
        let mut files: Vec<Listed> = files.collect();
        files.sort();
        Ok((files, foreign))
    }
}

/// Walks the folder of a source below the workspace `root` on every core and takes every file's stamps.
/// Linear in the names below the folder; holds the path and the stamps of each file. Nothing is read, so it may go
/// on beside the reading of what the last scan saw.
pub fn walk(root: &Path, source: &Source) -> Walked {
    let selection = match Selection::of(source) {
        Ok(selection) => selection,
        Err(bad) => return Walked(Err(Unwalked::Glob(bad))),
    };
    let folder = root.join(&source.path);
    Walked(match fs::metadata(&folder) {
        Ok(metadata) if metadata.is_dir() => Ok(walk::walk(&folder, &selection)),
        Ok(_) => Err(Unwalked::Folder("it is not a folder".to_owned())),
        Err(error) => Err(Unwalked::Folder(error.to_string())),
    })
}

/// Compares a walked folder with what the last scan saw, and tells what is there, what changed, what is
/// gone, and where nothing can be said. Only what lies in `spans` is compared: `before` holds what was seen there,
/// and outside of them [`Walked::spans`] has shown that nothing changed.
///
/// A file is unchanged without being read if its size, stamps and inode are those of the checkpoint and
/// its ctime was at least two seconds old when that scan looked; otherwise its bytes are hashed.
pub fn compare(
    root: &Path,
    source: &Source,
    walked: Walked,
    spans: &[Span],
    before: &BTreeMap<String, Seen>,
    now_ns: i128,
) -> Scan {
    let folder = root.join(&source.path);
    let mut scanner = Scanner { source, folder, before, now_ns, scan: Scan::default() };
    match (Selection::of(source), walked.0) {
        (Err(bad), _) | (_, Err(Unwalked::Glob(bad))) => {
            let message = format!("the glob `{}` cannot be read: {}", bad.glob, bad.why);
            let diagnostic = Diagnostic::error("scan-glob-invalid", scanner.place(""), message)
                .hint("correct it in the job; nothing is read and nothing counts as gone until then");
            scanner.unproven("", "a glob is invalid", diagnostic);
        }
        (Ok(selection), Err(Unwalked::Folder(why))) => {
            scanner.missing(&why);
            scanner.account_for_checkpoint(&selection);
        }
        (Ok(selection), Ok(walked)) => {
            scanner.look(&selection, walked, spans);
            scanner.account_for_checkpoint(&selection);
        }
    }
    let mut scan = scanner.scan;
    scan.unproven.sort();
    scan.unproven.dedup();
    scan.diagnostics.sort();
    scan
}

struct Scanner<'a> {
    source: &'a Source,
    folder: PathBuf,
    before: &'a BTreeMap<String, Seen>,
    now_ns: i128,
    scan: Scan,
}

/// Why a file is not among the found ones.
enum Faulty {
    Empty,
    Changing,
    Unreadable(ReadError),
}

impl Scanner<'_> {
    fn look(&mut self, selection: &Selection, walked: walk::Walked, spans: &[Span]) {
        self.report(selection, &walked);
        let is_explained = |path: &str| self.scan.unproven.iter().any(|scope| scope.covers(path));
        let all: usize = walked.bags.iter().map(Vec::len).sum();
        if all == 0 {
            let expected =
                self.before.keys().filter(|path| selection.selects(path) && !is_explained(path)).count();
            if expected > 0 {
                let message = format!("no document is in the folder, and the last scan saw {expected}");
                let diagnostic = Diagnostic::error("scan-folder-empty", self.place(""), message)
                    .hint("check that it is mounted; if they were all deleted, `accept scope` proves it");
                self.unproven("", "the folder is empty", diagnostic);
            }
        }
        let bags = walked.bags.into_par_iter().flatten_iter();
        let mut candidates: Vec<Candidate> = bags.filter(|one| blocks::hold(spans, &one.path)).collect();
        candidates.par_sort_unstable_by(|a, b| (&a.path, &a.on_disk).cmp(&(&b.path, &b.on_disk)));
        self.scan.passed = all - candidates.len();
        self.scan.found.reserve_exact(candidates.len());
        // Files that must be read are read on every core, a batch at a time: most nights there are few.
        let mut known = self.before.iter().peekable();
        let mut unsettled: Vec<(Candidate, Option<Seen>)> = Vec::new();
        let mut candidates = candidates.into_iter().peekable();
        while let Some(candidate) = candidates.next() {
            let mut several = 1;
            while candidates.next_if(|next| next.path == candidate.path).is_some() {
                several += 1;
            }
            if several > 1 {
                self.collide(&candidate.path, several);
                continue;
            }
            while known.next_if(|(path, _)| path.as_str() < &*candidate.path).is_some() {}
            let seen = known.next_if(|(path, _)| path.as_str() == &*candidate.path).map(|(_, seen)| *seen);
            match (&candidate.stamps, seen) {
                (Ok(stamps), Some(seen)) if stamps.size > 0 && is_settled(&seen, stamps) => {
                    let Candidate { path, on_disk, .. } = candidate;
                    self.scan.found.push(Found {
                        path: path.into(),
                        on_disk,
                        seen,
                        changed: false,
                        is_news: false,
                        before: Some(seen.hash),
                    });
                }
                _ => unsettled.push((candidate, seen)),
            }
        }
        self.read_unsettled(unsettled);
    }

    /// Hashes the files whose stamps prove nothing, and puts them among the found ones, in order.
    fn read_unsettled(&mut self, unsettled: Vec<(Candidate, Option<Seen>)>) {
        let (folder, max_bytes, now_ns) = (&self.folder, self.source.max_bytes, self.now_ns);
        let examined: Vec<Result<Found, (String, Faulty)>> = unsettled
            .into_par_iter()
            .map(|(candidate, known)| examine(folder, candidate, known, max_bytes, now_ns))
            .collect();
        if examined.is_empty() {
            return;
        }
        for examined in examined {
            match examined {
                Ok(found) => self.scan.found.push(found),
                Err((path, Faulty::Empty)) => {
                    // Files are often created before they are written; an empty one says nothing yet.
                    let diagnostic =
                        Diagnostic::warning("scan-file-empty", self.place(&path), "the file has no content")
                            .hint("it is left out until something is written to it");
                    self.skip(&path, "the file is empty", diagnostic);
                }
                Err((path, Faulty::Changing)) => {
                    let message = "the file changed while it was read";
                    let diagnostic = Diagnostic::warning("scan-file-changing", self.place(&path), message)
                        .hint("the next scan reads it again");
                    self.skip(&path, "the file changed while it was read", diagnostic);
                }
                Err((path, Faulty::Unreadable(error))) => self.unreadable(&path, &error),
            }
        }
        self.scan.found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
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
    fn collide(&mut self, path: &str, several: usize) {
        let message = format!("{several} files have this name once their letters are composed alike");
        let diagnostic = Diagnostic::error("scan-name-collision", self.place(path), message)
            .hint("rename or remove all but one; none of them was read");
        self.skip(path, "several files have this name", diagnostic);
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

    /// Puts every path of the checkpoint that was not found where it belongs. Both are sorted, and what was found
    /// is selected, so the globs are asked about the rest only.
    fn account_for_checkpoint(&mut self, selection: &Selection) {
        let mut found = self.scan.found.iter().map(|found| found.path.as_str()).peekable();
        for path in self.before.keys() {
            while found.next_if(|found| *found < path.as_str()).is_some() {}
            if found.next_if(|found| *found == path.as_str()).is_some() {
                continue;
            }
            if !selection.selects(path) {
                self.scan.out_of_scope.push(path.clone());
            } else if !self.scan.unproven.iter().any(|scope| scope.covers(path)) {
                self.scan.gone.push(path.clone());
            }
        }
    }

    fn place(&self, path: &str) -> Place {
        let folder = self.source.path.trim_end_matches('/');
        Place::file(if path.is_empty() { folder.to_owned() } else { format!("{folder}/{path}") })
    }
}

/// True if a program of the user's parses the file with this path below the source's folder.
pub fn is_parsed_by_program(source: &Source, path: &str) -> bool {
    // Globs that do not compile have been said when the configuration was read.
    source.parser.is_some() && Selection::of(source).is_ok_and(|selection| selection.is_parsed(path))
}

/// Reads a file to tell whether it changed.
fn examine(
    folder: &Path,
    candidate: Candidate,
    known: Option<Seen>,
    max_bytes: u64,
    now_ns: i128,
) -> Result<Found, (String, Faulty)> {
    let file = candidate.file(folder);
    let Candidate { path, on_disk, stamps } = candidate;
    let path = String::from(path);
    match stamps.map_err(|error| Faulty::Unreadable(io_error(&file, error))).and_then(|stamps| {
        if stamps.size == 0 {
            return Err(Faulty::Empty);
        }
        let hash = hash(&file, max_bytes).map_err(Faulty::Unreadable)?;
        if fs::metadata(&file).ok().map(|after| Stamps::of(&after)) != Some(stamps) {
            return Err(Faulty::Changing);
        }
        let Stamps { size, mtime_ns, ctime_ns, inode } = stamps;
        Ok(Seen { size, mtime_ns, ctime_ns, inode, hash, scanned_ns: now_ns })
    }) {
        Ok(seen) => {
            let before = known.map(|known| known.hash);
            let (changed, is_news) = (before != Some(seen.hash), known != Some(seen));
            Ok(Found { path, on_disk, seen, changed, is_news, before })
        }
        Err(faulty) => Err((path, faulty)),
    }
}

/// True if the stamps prove that the file is as the checkpoint saw it.
fn is_settled(seen: &Seen, now: &Stamps) -> bool {
    seen.stamps() == *now && seen.is_settled()
}

/// What the system says of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamps {
    size: u64,
    mtime_ns: i128,
    ctime_ns: i128,
    inode: u64,
}

impl Stamps {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let ns =
            |seconds: i64, nanoseconds: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        Self {
            size: metadata.len(),
            mtime_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let since = |time: std::time::SystemTime| match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
        };
        let mtime_ns = metadata.modified().map(since).unwrap_or_default();
        Self { size: metadata.len(), mtime_ns, ctime_ns: mtime_ns, inode: 0 }
    }
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
    // One byte more than the file has shows its end without a second piece.
    let room = usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_add(1);
    let mut buffer = vec![0; room.min(64 * 1024)];
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
mod history;
#[cfg(test)]
mod tests;
