//! The walk: every name below a folder, on every core, with its faults reported and passed by.
//!
//! What comes in: a folder and a selection. What goes out: the files that may be documents, by their NFC path,
//! with their stamps, in no order. It must not read files, and it knows nothing of the checkpoints. An ignore file
//! that happens to lie in the folder says nothing about documents.
//!
//! Each folder is a task of its own, and so are each thousand files of a large one. The stamps of a file are asked
//! for by its name in the open folder, so no path is looked up from the root again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::diag::Diagnostic;

use super::select::{self, Selection};
use super::{Scanner, Stamps};

/// A chain of folder links this long is not followed: links that fan out would otherwise multiply the
/// folders to visit at each step, without being a loop.
const MAX_LINKS: usize = 8;

/// How many files of one folder are a task.
const BATCH: usize = 1000;

/// A file that may be a document.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Its NFC path; two files may have the same.
    pub(super) path: Box<str>,
    /// Where it is, if that is not its path below the folder.
    pub(super) on_disk: Option<Box<Path>>,
    /// What the system says of it.
    pub(super) stamps: io::Result<Stamps>,
}

/// What a walk met.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The files that may be documents, a bag for each task.
    pub(super) bags: Vec<Vec<Candidate>>,
    /// Everything else that must be spoken of.
    oddities: Vec<Oddity>,
}

impl Walked {
    /// The paths at which something other than a document was met: what is said of it depends on whether a
    /// checkpoint lies there or below. Empty for the folder itself.
    pub(super) fn doubtful(&self) -> impl Iterator<Item = &str> {
        self.oddities.iter().filter_map(|oddity| match oddity {
            Oddity::Special { path, .. }
            | Oddity::Fault { path, .. }
            | Oddity::Loop { path }
            | Oddity::Tangled { path } => Some(path.as_str()),
            Oddity::Unspeakable { .. } | Oddity::Foreign { .. } => None,
        })
    }
}

impl Walked {
    /// How many files there are of each extension that cannot be read.
    pub(super) fn foreign(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for oddity in &self.oddities {
            if let Oddity::Foreign { extension, .. } = oddity {
                *counts.entry(extension.clone()).or_default() += 1;
            }
        }
        counts
    }
}

/// Something that is no document.
#[derive(Debug)]
enum Oddity {
    /// A pipe, socket or device.
    Special { path: String, on_disk: PathBuf },
    /// A name that is not UTF-8.
    Unspeakable { path: String, is_folder: bool },
    /// A file of a format that cannot be read.
    Foreign { extension: String, path: String },
    /// A step that failed.
    Fault { path: String, on_disk: PathBuf, error: io::Error },
    /// A link to a folder above it.
    Loop { path: String },
    /// A folder that too many links lead to.
    Tangled { path: String },
}

/// Files of one unreadable format.
#[derive(Default)]
struct Foreign {
    count: usize,
    first: String,
    asked_for: bool,
}

/// A folder on the way.
struct Folder {
    on_disk: PathBuf,
    /// Its NFC path; what is not UTF-8 is replaced.
    path: String,
    /// True if every name of the path is UTF-8.
    is_speakable: bool,
    /// True if it lies on disk where its path says.
    is_plain: bool,
    /// How many of the names of the path are links.
    links: usize,
    above: Option<Arc<Folder>>,
}

impl Folder {
    /// The NFC path of a name in it, and whether that name is UTF-8 and the one on disk.
    fn path_of(&self, name: &OsStr) -> (String, bool, bool) {
        let text = name.to_string_lossy();
        let is_utf8 = name.to_str().is_some();
        let composed = match text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
            true => text.clone(),
            false => Cow::Owned(text.nfc().collect()),
        };
        let is_plain = is_utf8 && composed == text;
        let path = if self.path.is_empty() {
            composed.into_owned()
        } else {
            let mut path = String::with_capacity(self.path.len() + 1 + composed.len());
            path.extend([&*self.path, "/", &*composed]);
            path
        };
        (path, is_utf8, is_plain)
    }

    /// True if a link leads to this folder or to one above it.
    fn is_below(&self, link: &Path) -> io::Result<bool> {
        let target = identity(link)?;
        let mut at = Some(self);
        while let Some(folder) = at {
            if identity(&folder.on_disk)? == target {
                return Ok(true);
            }
            at = folder.above.as_deref();
        }
        Ok(false)
    }
}

/// What tells a folder from every other one.
#[cfg(unix)]
fn identity(folder: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(folder).map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(folder: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(folder)
}

/// Walks a folder. The order in which threads met things leaves no trace in what is told.
pub(super) fn walk(folder: &Path, selection: &Selection) -> Walked {
    let way = Way { selection, all: Mutex::default() };
    let root = Folder {
        on_disk: folder.to_owned(),
        path: String::new(),
        is_speakable: true,
        is_plain: true,
        links: 0,
        above: None,
    };
    rayon::scope(|scope| way.enter(&Arc::new(root), scope));
    way.all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A walk that goes on.
struct Way<'w> {
    selection: &'w Selection,
    all: Mutex<Walked>,
}

/// What is known of a name before its stamps are asked for.
enum Step {
    /// A folder to enter.
    Folder(Folder),
    /// Anything else, and what it is if that is known because a link led to it.
    File(Option<Metadata>),
    /// Nothing that is of use; said if there is something to say.
    Not(Option<Oddity>),
}

impl<'w> Way<'w> {
    fn enter<'s>(&'s self, folder: &Arc<Folder>, scope: &rayon::Scope<'s>)
    where
        'w: 's,
    {
        let mut oddities = Vec::new();
        let fault =
            |error| Oddity::Fault { path: folder.path.clone(), on_disk: folder.on_disk.clone(), error };
        let entries = match fs::read_dir(&folder.on_disk) {
            Ok(entries) => entries,
            Err(error) => return self.hand_over(Vec::new(), vec![fault(error)]),
        };
        let mut files: Vec<(DirEntry, Option<Metadata>)> = Vec::new();
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    oddities.push(fault(error));
                    continue;
                }
            };
            match self.step(folder, &entry) {
                Step::Folder(next) => {
                    if entry.file_name().to_str().is_none() {
                        oddities.push(Oddity::Unspeakable { path: next.path.clone(), is_folder: true });
                    }
                    let next = Arc::new(next);
                    scope.spawn(move |scope| self.enter(&next, scope));
                }
                Step::File(followed) => files.push((entry, followed)),
                Step::Not(oddity) => oddities.extend(oddity),
            }
            if files.len() == BATCH {
                let (files, folder) = (std::mem::take(&mut files), Arc::clone(folder));
                scope.spawn(move |_| self.meet_all(&folder, files, Vec::new()));
            }
        }
        self.meet_all(folder, files, oddities);
    }

    /// Tells folders from files, and follows links.
    fn step(&self, folder: &Arc<Folder>, entry: &DirEntry) -> Step {
        let fault = |error| {
            let (path, ..) = folder.path_of(&entry.file_name());
            Step::Not(Some(Oddity::Fault { path, on_disk: entry.path(), error }))
        };
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => return fault(error),
        };
        let is_link = kind.is_symlink();
        if is_link {
            match fs::metadata(entry.path()) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(metadata) => return Step::File(Some(metadata)),
                Err(error) => return fault(error),
            }
        } else if !kind.is_dir() {
            return Step::File(None);
        }
        let (path, is_utf8, is_plain) = folder.path_of(&entry.file_name());
        if self.selection.prunes(&path) {
            return Step::Not(None);
        }
        let on_disk = entry.path();
        let links = folder.links + usize::from(is_link);
        if is_link {
            match folder.is_below(&on_disk) {
                Ok(false) if links > MAX_LINKS => return Step::Not(Some(Oddity::Tangled { path })),
                Ok(false) => {}
                Ok(true) => return Step::Not(Some(Oddity::Loop { path })),
                Err(error) => return fault(error),
            }
        }
        Step::Folder(Folder {
            on_disk,
            path,
            is_speakable: folder.is_speakable && is_utf8,
            is_plain: folder.is_plain && is_plain,
            links,
            above: Some(Arc::clone(folder)),
        })
    }

    /// Meets the files of a folder, or some of them, and hands over what was met.
    fn meet_all(&self, folder: &Folder, files: Vec<(DirEntry, Option<Metadata>)>, mut oddities: Vec<Oddity>) {
        let mut bag = Vec::with_capacity(files.len());
        for (entry, followed) in files {
            self.meet(folder, &entry, followed, &mut bag, &mut oddities);
        }
        self.hand_over(bag, oddities);
    }

    fn meet(
        &self,
        folder: &Folder,
        entry: &DirEntry,
        followed: Option<Metadata>,
        bag: &mut Vec<Candidate>,
        oddities: &mut Vec<Oddity>,
    ) {
        let (path, is_utf8, is_plain) = folder.path_of(&entry.file_name());
        if !is_utf8 {
            return oddities.push(Oddity::Unspeakable { path, is_folder: false });
        }
        if !folder.is_speakable || !self.selection.in_scope(&path) {
            // What lies in such a folder is reported with the folder.
            return;
        }
        if !select::is_readable_format(&path) && !self.selection.is_parsed(&path) {
            let extension = select::extension(&path).unwrap_or_default();
            return oddities.push(Oddity::Foreign { extension, path });
        }
        let is_file = match &followed {
            Some(metadata) => metadata.is_file(),
            None => entry.file_type().is_ok_and(|kind| kind.is_file()),
        };
        if !is_file {
            return oddities.push(Oddity::Special { path, on_disk: entry.path() });
        }
        let metadata = followed.map_or_else(|| entry.metadata(), Ok).and_then(|metadata| {
            // A link took the place of the file since the folder was read.
            if metadata.is_symlink() { fs::metadata(entry.path()) } else { Ok(metadata) }
        });
        let on_disk = (!(folder.is_plain && is_plain)).then(|| entry.path().into());
        let stamps = metadata.map(|metadata| Stamps::of(&metadata));
        bag.push(Candidate { path: path.into(), on_disk, stamps });
    }

    fn hand_over(&self, bag: Vec<Candidate>, mut oddities: Vec<Oddity>) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if !bag.is_empty() {
            all.bags.push(bag);
        }
        all.oddities.append(&mut oddities);
    }
}

impl Scanner<'_> {
    /// Reports what a walk met beside documents.
    pub(super) fn report(&mut self, selection: &Selection, walked: &Walked) {
        let mut foreign: BTreeMap<&str, Foreign> = BTreeMap::new();
        for oddity in &walked.oddities {
            match oddity {
                Oddity::Special { path, on_disk } => {
                    let error = super::ReadError::NotAFile { path: on_disk.clone() };
                    self.unreadable(path, &error);
                }
                Oddity::Unspeakable { path, is_folder } => self.unspeakable(selection, path, *is_folder),
                Oddity::Foreign { extension, path } => {
                    let same = foreign.entry(extension).or_default();
                    same.count += 1;
                    same.asked_for |= selection.asks_for_format(path);
                    if same.first.is_empty() || *path < same.first {
                        same.first.clone_from(path);
                    }
                }
                Oddity::Fault { path, on_disk, error } => self.stumble(selection, path, on_disk, error),
                Oddity::Loop { path } if self.is_hidden_and_unasked(selection, path) => {}
                Oddity::Loop { path } => self.looping(path, "the link leads to a folder above it"),
                Oddity::Tangled { path } => {
                    let message = format!("more than {MAX_LINKS} links lead here, one through the other");
                    self.looping(path, &message);
                }
            }
        }
        self.report_foreign(foreign);
    }

    /// A name that is not UTF-8 has no path that would be the same on every machine.
    fn unspeakable(&mut self, selection: &Selection, path: &str, is_folder: bool) {
        if is_folder || selection.selects(path) {
            let diagnostic =
                Diagnostic::warning("scan-name-not-utf8", self.place(path), "the name is not UTF-8")
                    .hint("rename it; it was not read");
            self.scan.diagnostics.push(diagnostic);
        }
    }

    /// Reports a step of the walk that failed.
    fn stumble(&mut self, selection: &Selection, path: &str, on_disk: &Path, error: &io::Error) {
        if !path.is_empty() && (selection.prunes(path) || self.is_hidden_and_unasked(selection, path)) {
            return;
        }
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let is_link = fs::symlink_metadata(on_disk).is_ok();
        let at = self.place(path);
        match (is_missing, is_link) {
            (true, false) => {
                let message = "it vanished while the folder was read";
                let diagnostic = Diagnostic::warning("scan-vanished", at, message)
                    .hint("the next scan tells whether it is gone");
                self.skip(path, "it vanished during the scan", diagnostic);
            }
            (true, true) => {
                let diagnostic = Diagnostic::warning("scan-unreadable", at, "the link leads nowhere")
                    .hint("what it led to the last time stays in force");
                self.skip(path, "the link leads nowhere", diagnostic);
            }
            (false, _) => {
                let message = format!("cannot read it: {error}");
                let diagnostic = Diagnostic::error("scan-unreadable", at, message)
                    .hint("what was below it the last time stays in force");
                self.unproven(path, "it cannot be read", diagnostic);
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
