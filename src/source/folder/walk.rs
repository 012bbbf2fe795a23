//! The walk: every name below a folder, in order, with its faults reported and passed by.
//!
//! What comes in: a folder and a selection. What goes out: the files that may be documents, by their NFC
//! path. It must not read files. All standard filters of the walking crate are off: an ignore file that
//! happens to lie in the folder says nothing about documents.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, Error as WalkError, WalkBuilder};
use unicode_normalization::UnicodeNormalization;

use crate::diag::Diagnostic;

use super::Scanner;
use super::select::{self, Selection};

/// A chain of folder links this long is not followed: links that fan out would otherwise multiply the
/// folders to visit at each step, without being a loop.
const MAX_LINKS: usize = 8;

/// NFC path → the files that have it; more than one is a collision.
pub(super) type Candidates = BTreeMap<String, Vec<PathBuf>>;

/// Files of one unreadable format.
#[derive(Default)]
struct Foreign {
    count: usize,
    first: String,
    asked_for: bool,
}

impl Scanner<'_> {
    /// Walks the folder and returns the files that may be documents.
    pub(super) fn walk(&mut self, folder: &Path, selection: &Selection) -> Candidates {
        let tangled = Arc::new(Mutex::new(Vec::new()));
        let mut candidates = Candidates::new();
        let mut foreign = BTreeMap::new();
        for step in walker(folder, selection, &tangled).build() {
            match step {
                Ok(entry) if entry.depth() == 0 => {}
                Ok(entry) => self.meet(folder, selection, &entry, &mut candidates, &mut foreign),
                Err(error) => self.stumble(folder, selection, &error),
            }
        }
        for path in tangled.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let message = format!("more than {MAX_LINKS} links lead here, one through the other");
            self.looping(&lossy(folder, path), &message);
        }
        self.report_foreign(foreign);
        candidates
    }

    fn meet(
        &mut self,
        folder: &Path,
        selection: &Selection,
        entry: &DirEntry,
        candidates: &mut Candidates,
        foreign: &mut BTreeMap<String, Foreign>,
    ) {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let Some(path) = relative(folder, entry.path()) else {
            return self.unspeakable(folder, selection, entry, is_folder);
        };
        if is_folder || !selection.in_scope(&path) {
            return;
        }
        if !select::is_readable_format(&path) {
            let extension = select::extension(&path).unwrap_or_default();
            let same = foreign.entry(extension).or_default();
            same.count += 1;
            same.asked_for |= selection.asks_for_format(&path);
            if same.first.is_empty() || path < same.first {
                same.first = path;
            }
            return;
        }
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            candidates.entry(path).or_default().push(entry.path().to_owned());
        } else {
            let error = super::ReadError::NotAFile { path: entry.path().to_owned() };
            self.unreadable(&path, &error);
        }
    }

    /// A name that is not UTF-8 has no path that would be the same on every machine.
    fn unspeakable(&mut self, folder: &Path, selection: &Selection, entry: &DirEntry, is_folder: bool) {
        let path = lossy(folder, entry.path());
        // What lies in such a folder is reported with the folder.
        let is_first = entry.file_name().to_str().is_none();
        if is_first && (is_folder || selection.selects(&path)) {
            let diagnostic =
                Diagnostic::warning("scan-name-not-utf8", self.place(&path), "the name is not UTF-8")
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

    fn report_foreign(&mut self, foreign: BTreeMap<String, Foreign>) {
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
    walker.standard_filters(false).follow_links(true).sort_by_file_name(|a, b| a.cmp(b));
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
