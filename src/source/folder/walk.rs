//! The walk: every name below a folder, on every core, with its faults reported and passed by.
//!
//! What comes in: a folder and a selection. What goes out: the files that may be documents, sorted by their
//! NFC path, with their stamps. It must not read files, and it knows nothing of the checkpoint: what the
//! last scan saw may be read at the same time. All standard filters of the walking crate are off: an ignore file that
//! happens to lie in the folder says nothing about documents.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, Error as WalkError, WalkBuilder, WalkState};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::diag::Diagnostic;

use super::select::{self, Selection};
use super::{Scanner, Stamps};

/// A chain of folder links this long is not followed: links that fan out would otherwise multiply the
/// folders to visit at each step, without being a loop.
const MAX_LINKS: usize = 8;

/// A file that may be a document.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its NFC path; two files may have the same.
    pub(super) path: String,
    /// Where it is.
    pub(super) on_disk: PathBuf,
    /// What the system says of it.
    pub(super) stamps: io::Result<Stamps>,
}

/// What a walk met.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The files that may be documents, by path.
    pub(super) candidates: Vec<Candidate>,
    /// Everything else that must be spoken of.
    oddities: Vec<Oddity>,
    /// Folders that too many links lead to.
    tangled: Vec<PathBuf>,
}

/// Something that is no document.
#[derive(Debug)]
enum Oddity {
    /// A pipe, socket or device.
    Special { path: String, on_disk: PathBuf },
    /// A name that is not UTF-8; whether a folder above it has one too.
    Unspeakable { path: String, is_first: bool, is_folder: bool },
    /// A file of a format that cannot be read.
    Foreign { extension: String, path: String },
    /// A step that failed.
    Fault(WalkError),
}

/// Files of one unreadable format.
#[derive(Default)]
struct Foreign {
    count: usize,
    first: String,
    asked_for: bool,
}

/// What one thread met; handed over when the thread has nothing left to do.
struct Bag<'w> {
    walked: Walked,
    all: &'w Mutex<Walked>,
}

impl Drop for Bag<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.candidates.append(&mut self.walked.candidates);
        all.oddities.append(&mut self.walked.oddities);
    }
}

/// Walks a folder. The order in which threads met things leaves no trace.
pub(super) fn walk(folder: &Path, selection: &Selection) -> Walked {
    let tangled = Arc::new(Mutex::new(Vec::new()));
    let all = Mutex::new(Walked::default());
    walker(folder, selection, &tangled).build_parallel().run(|| {
        let mut bag = Bag { walked: Walked::default(), all: &all };
        Box::new(move |step| {
            match step {
                Ok(entry) if entry.depth() == 0 => {}
                Ok(entry) => meet(folder, selection, entry, &mut bag.walked),
                Err(error) => bag.walked.oddities.push(Oddity::Fault(error)),
            }
            WalkState::Continue
        })
    });
    let mut walked = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    walked.candidates.sort_unstable_by(|a, b| (&a.path, &a.on_disk).cmp(&(&b.path, &b.on_disk)));
    walked.tangled = std::mem::take(&mut *tangled.lock().unwrap_or_else(PoisonError::into_inner));
    walked
}

fn meet(folder: &Path, selection: &Selection, entry: DirEntry, walked: &mut Walked) {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let Some(path) = relative(folder, entry.path()) else {
        // What lies in such a folder is reported with the folder.
        let is_first = entry.file_name().to_str().is_none();
        walked.oddities.push(Oddity::Unspeakable { path: lossy(folder, entry.path()), is_first, is_folder });
        return;
    };
    if is_folder || !selection.in_scope(&path) {
        return;
    }
    if !select::is_readable_format(&path) {
        let extension = select::extension(&path).unwrap_or_default();
        walked.oddities.push(Oddity::Foreign { extension, path });
    } else if entry.file_type().is_some_and(|kind| kind.is_file()) {
        let stamps = fs::metadata(entry.path()).map(|metadata| Stamps::of(&metadata));
        walked.candidates.push(Candidate { path, on_disk: entry.into_path(), stamps });
    } else {
        walked.oddities.push(Oddity::Special { path, on_disk: entry.into_path() });
    }
}

impl Scanner<'_> {
    /// Reports what a walk met beside documents.
    pub(super) fn report(&mut self, folder: &Path, selection: &Selection, walked: &Walked) {
        let mut foreign: BTreeMap<&str, Foreign> = BTreeMap::new();
        for oddity in &walked.oddities {
            match oddity {
                Oddity::Special { path, on_disk } => {
                    let error = super::ReadError::NotAFile { path: on_disk.clone() };
                    self.unreadable(path, &error);
                }
                Oddity::Unspeakable { path, is_first, is_folder } => {
                    self.unspeakable(selection, path, *is_first, *is_folder);
                }
                Oddity::Foreign { extension, path } => {
                    let same = foreign.entry(extension).or_default();
                    same.count += 1;
                    same.asked_for |= selection.asks_for_format(path);
                    if same.first.is_empty() || *path < same.first {
                        same.first.clone_from(path);
                    }
                }
                Oddity::Fault(error) => self.stumble(folder, selection, error),
            }
        }
        for path in &walked.tangled {
            let message = format!("more than {MAX_LINKS} links lead here, one through the other");
            self.looping(&lossy(folder, path), &message);
        }
        self.report_foreign(foreign);
    }

    /// A name that is not UTF-8 has no path that would be the same on every machine.
    fn unspeakable(&mut self, selection: &Selection, path: &str, is_first: bool, is_folder: bool) {
        if is_first && (is_folder || selection.selects(path)) {
            let diagnostic =
                Diagnostic::warning("scan-name-not-utf8", self.place(path), "the name is not UTF-8")
                    .hint("rename it; it was not read");
            self.scan.diagnostics.push(diagnostic);
        }
    }

    /// Reports a step of the walk that failed.
    fn stumble(&mut self, folder: &Path, selection: &Selection, error: &WalkError) {
        let fault = Fault::of(error);
        let path = fault.path.map(|path| lossy(folder, path)).unwrap_or_default();
        if !path.is_empty() && (selection.prunes(&path) || self.is_hidden_and_unasked(selection, &path)) {
            return;
        }
        if fault.is_loop {
            return self.looping(&path, "the link leads to a folder above it");
        }
        let is_missing = fault.io.is_some_and(|io| io.kind() == io::ErrorKind::NotFound);
        let is_link = fault.path.is_some_and(|path| fs::symlink_metadata(path).is_ok());
        let at = self.place(&path);
        match (is_missing, is_link) {
            (true, false) => {
                let message = "it vanished while the folder was read";
                let diagnostic = Diagnostic::warning("scan-vanished", at, message)
                    .hint("the next scan tells whether it is gone");
                self.skip(&path, "it vanished during the scan", diagnostic);
            }
            (true, true) => {
                let diagnostic = Diagnostic::warning("scan-unreadable", at, "the link leads nowhere")
                    .hint("what it led to the last time stays in force");
                self.skip(&path, "the link leads nowhere", diagnostic);
            }
            (false, _) => {
                let why = fault.io.map_or_else(|| error.to_string(), ToString::to_string);
                let message = format!("cannot read it: {why}");
                let diagnostic = Diagnostic::error("scan-unreadable", at, message)
                    .hint("what was below it the last time stays in force");
                self.unproven(&path, "it cannot be read", diagnostic);
            }
        }
    }

    /// A broken link whose name is hidden and that no glob asks for is none of our business: editors
    /// leave such links as locks.
    fn is_hidden_and_unasked(&self, selection: &Selection, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.starts_with('.') && !selection.in_scope(path)
    }

    fn looping(&mut self, path: &str, message: &str) {
        let diagnostic = Diagnostic::warning("scan-symlink-loop", self.place(path), message)
            .hint("remove the link or leave it out with `exclude`");
        self.skip(path, "a loop of links", diagnostic);
    }

    fn report_foreign(&mut self, foreign: BTreeMap<&str, Foreign>) {
        for (extension, Foreign { count, first, asked_for }) in foreign {
            let format =
                if extension.is_empty() { "no extension".to_owned() } else { format!("`.{extension}`") };
            let message = format!("files with {format} cannot be read and were left out: {count}");
            let at = self.place(&first);
            let diagnostic = if asked_for {
                Diagnostic::warning("scan-format-unreadable", at, message)
                    .hint("convert them to Markdown, text or HTML; `include` asks for them")
            } else {
                Diagnostic::note("scan-format-unreadable", at, message)
            };
            self.scan.diagnostics.push(diagnostic);
        }
    }
}

fn walker(folder: &Path, selection: &Selection, tangled: &Arc<Mutex<Vec<PathBuf>>>) -> WalkBuilder {
    let mut walker = WalkBuilder::new(folder);
    walker.standard_filters(false).follow_links(true).threads(threads());
    let (root, selection, tangled) = (folder.to_owned(), selection.clone(), Arc::clone(tangled));
    walker.filter_entry(move |entry| {
        if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return true;
        }
        if selection.prunes(&lossy(&root, entry.path())) {
            return false;
        }
        if entry.path_is_symlink() && links_on(&root, entry.path()) > MAX_LINKS {
            tangled.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
            return false;
        }
        true
    });
    walker
}

/// Asking for stamps is what a walk waits for: one thread a core, and never none.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How many of the folders from the root down to the path are links.
fn links_on(root: &Path, path: &Path) -> usize {
    path.ancestors()
        .take_while(|at| *at != root)
        .filter(|at| fs::symlink_metadata(at).is_ok_and(|metadata| metadata.is_symlink()))
        .count()
}

/// The path below the folder, `/`-separated and NFC; `None` if a name is not UTF-8.
fn relative(folder: &Path, path: &Path) -> Option<String> {
    let below = path.strip_prefix(folder).unwrap_or(path);
    if let Some(text) = below.to_str()
        && !cfg!(windows)
        && is_nfc_quick(text.chars()) == IsNormalized::Yes
    {
        return Some(text.to_owned());
    }
    let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
    Some(names?.join("/").nfc().collect())
}

/// The same for people: what is not UTF-8 is replaced.
fn lossy(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    names.join("/").nfc().collect()
}

/// What is of use in an error of the walking crate.
#[derive(Default)]
struct Fault<'e> {
    path: Option<&'e Path>,
    io: Option<&'e io::Error>,
    is_loop: bool,
}

impl<'e> Fault<'e> {
    fn of(error: &'e WalkError) -> Self {
        match error {
            WalkError::WithPath { path, err } => Self { path: Some(path), ..Self::of(err) },
            WalkError::WithDepth { err, .. } | WalkError::WithLineNumber { err, .. } => Self::of(err),
            WalkError::Partial(errors) => errors.first().map(Self::of).unwrap_or_default(),
            WalkError::Loop { child, .. } => Self { path: Some(child), is_loop: true, io: None },
            WalkError::Io(error) => Self { io: Some(error), ..Self::default() },
            WalkError::Glob { .. } | WalkError::UnrecognizedFileType(_) | WalkError::InvalidDefinition => {
                Self::default()
            }
        }
    }
}
