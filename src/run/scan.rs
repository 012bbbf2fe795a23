//! Scanning: which documents changed, went, or cannot be judged tonight.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diag::{Diagnostic, Place};
use crate::model::id::{DocumentId, Fingerprint};
use crate::model::job::Source;
use crate::source::folder::{self, Seen};
use crate::store::{DocumentRecord, Kind, ScopeRecord};

use super::Error;
use super::report::InputReport;
use super::session::Session;
use super::setup::Reader;

/// What a scan of all sources came to.
#[derive(Default)]
pub(super) struct Scanned {
    /// Files whose bytes must be read, by document.
    pub(super) changed: BTreeMap<DocumentId, PathBuf>,
    /// Documents that are proven gone.
    pub(super) gone: BTreeSet<DocumentId>,
    /// Sources whose configuration changed: every document of theirs is looked at again.
    pub(super) reconfigured: BTreeSet<String>,
}

/// Scans every source.
pub(super) fn scan_all(session: &mut Session<'_>, root: &Path) -> Result<Scanned, Error> {
    let mut scanned = Scanned::default();
    for (source, reader) in session.setup.sources() {
        scan_one(session, root, source, reader, &mut scanned)?;
    }
    Ok(scanned)
}

fn scan_one(
    session: &mut Session<'_>,
    root: &Path,
    source: &Source,
    reader: &Reader,
    scanned: &mut Scanned,
) -> Result<(), Error> {
    let view = session.writer.view();
    let mut before: BTreeMap<String, Seen> = BTreeMap::new();
    for (path, seen) in session.writer.checkpoints(&source.name)? {
        // A checkpoint that does not read back is no checkpoint: the file is hashed again.
        if let Ok(seen) = serde_json::from_str(&seen) {
            before.insert(path, seen);
        }
    }
    // After a replay there are records and no checkpoints; their files are judged by their bytes.
    let stood: BTreeMap<String, Fingerprint> = documents_of(session, source)?;
    for path in stood.keys() {
        before.entry(path.clone()).or_insert_with(|| Seen {
            size: 0,
            mtime_ns: 0,
            ctime_ns: 0,
            inode: 0,
            hash: Fingerprint::of(&["never scanned"]),
            scanned_ns: 0,
        });
    }
    let scan = folder::scan(root, source, &before, session.options.now_ns);
    // What a person has accepted as gone is no complaint any more.
    let accepted: BTreeSet<String> = scan
        .unproven
        .iter()
        .filter(|unproven| is_accepted(session, source, &unproven.path))
        .map(|unproven| place_of(source, &unproven.path))
        .collect();
    let complaints = scan.diagnostics.iter().filter(|complaint| !accepted.contains(&complaint.at.file));
    session.diagnostics.extend(complaints.cloned());

    let config = config_of(source, reader);
    let scope: Option<ScopeRecord> = view.get(&source.name)?;
    let reconfigured = scope.as_ref().is_some_and(|scope| scope.config != config);
    if reconfigured {
        scanned.reconfigured.insert(source.name.clone());
    }
    let mut report = InputReport {
        name: source.name.clone(),
        kind: "source".to_owned(),
        state: "unchanged".to_owned(),
        items: scan.found.len() as u64,
        added: 0,
        changed: 0,
        gone: 0,
        not_selected: 0,
        unproven: Vec::new(),
    };
    for found in &scan.found {
        let Some(id) = DocumentId::new(&source.name, &found.path) else { continue };
        let known = stood.get(&found.path);
        if known != Some(&found.seen.hash) {
            scanned.changed.insert(id, found.on_disk.clone());
            if known.is_none() { report.added += 1 } else { report.changed += 1 }
        }
        if found.changed || before.get(&found.path) != Some(&found.seen) {
            stage(session, source, &found.path, &found.seen)?;
        }
    }
    let mut gone: Vec<String> = scan.gone.clone();
    gone.extend(accepted_losses(session, source, &scan, &stood));
    if crate::model::sabotage::is_off("absence-proof") {
        let found: BTreeSet<&String> = scan.found.iter().map(|found| &found.path).collect();
        gone = stood.keys().filter(|path| !found.contains(path)).cloned().collect();
    }
    for path in gone {
        session.writer.stage_checkpoint(&source.name, &path, None)?;
        if stood.contains_key(&path) {
            scanned.gone.extend(DocumentId::new(&source.name, &path));
            report.gone += 1;
        }
    }
    say_what_is_unproven(session, source, &scan, &stood, &mut report);
    if report.added + report.changed + report.gone > 0 {
        report.state = "read".to_owned();
    }
    if !report.unproven.is_empty() {
        report.state = "unproven".to_owned();
    }
    session.report.inputs.push(report);
    let accepted =
        session.accepted_scopes.iter().find(|(name, ..)| *name == source.name).map(|(.., word)| word.clone());
    session.writer.put(&ScopeRecord {
        name: source.name.clone(),
        config,
        content: None,
        rows: 0,
        columns: Vec::new(),
        access: source.access.clone(),
        accepted: accepted.or_else(|| scope.and_then(|scope| scope.accepted)),
    })?;
    Ok(())
}

fn stage(session: &Session<'_>, source: &Source, path: &str, seen: &Seen) -> Result<(), Error> {
    let seen = serde_json::to_string(seen)
        .map_err(|error| Error::Bug(format!("a checkpoint is plain data: {error}")))?;
    Ok(session.writer.stage_checkpoint(&source.name, path, Some(&seen))?)
}

/// Path → content of the documents that a source has.
fn documents_of(session: &Session<'_>, source: &Source) -> Result<BTreeMap<String, Fingerprint>, Error> {
    let mut found = BTreeMap::new();
    for id in session.writer.view().ids_by(Kind::Document, "source", &source.name)? {
        if let Some(record) = session.writer.view().get::<DocumentRecord>(&id)? {
            found.insert(record.path, record.content);
        }
    }
    Ok(found)
}

/// Losses whose absence the scan cannot prove, and a person has.
fn accepted_losses(
    session: &Session<'_>,
    source: &Source,
    scan: &folder::Scan,
    stood: &BTreeMap<String, Fingerprint>,
) -> Vec<String> {
    let found: BTreeSet<&String> = scan.found.iter().map(|found| &found.path).collect();
    let lost = |path: &&String| !found.contains(path) && is_accepted(session, source, path);
    stood.keys().filter(lost).cloned().collect()
}

/// True if a person has said that what a path of a source no longer holds is gone.
fn is_accepted(session: &Session<'_>, source: &Source, path: &str) -> bool {
    session.accepted_scopes.iter().any(|(name, prefix, _)| *name == source.name && within(path, prefix))
}

/// A path of a source as diagnostics name it.
fn place_of(source: &Source, path: &str) -> String {
    let folder = source.path.trim_end_matches('/');
    if path.is_empty() { folder.to_owned() } else { format!("{folder}/{path}") }
}

fn within(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_matches('/');
    prefix.is_empty() || path == prefix || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

fn say_what_is_unproven(
    session: &mut Session<'_>,
    source: &Source,
    scan: &folder::Scan,
    stood: &BTreeMap<String, Fingerprint>,
    report: &mut InputReport,
) {
    for unproven in &scan.unproven {
        if is_accepted(session, source, &unproven.path) {
            continue;
        }
        let place = place_of(source, &unproven.path);
        let scope = format!("{}/{}", source.name, unproven.path);
        report.unproven.push(format!("{place}: {}", unproven.why));
        let message = format!("nothing under it counts as gone: {}", unproven.why);
        let hint = format!(
            "if it is really gone: `edgewright accept scope {} --reason …`",
            scope.trim_end_matches('/')
        );
        session.diagnostics.push(Diagnostic::error("scan-unproven", Place::file(place), message).hint(hint));
    }
    let narrowed: Vec<&String> = scan
        .out_of_scope
        .iter()
        .filter(|path| stood.contains_key(*path) && !is_accepted(session, source, path))
        .collect();
    if let Some(first) = narrowed.first() {
        let message = format!(
            "{} documents are no longer selected, such as `{first}`; they stay until that is accepted",
            narrowed.len()
        );
        report.unproven.push(format!("{}: {} no longer selected", source.path, narrowed.len()));
        let hint = format!("if they are to go: `edgewright accept scope {} --reason …`", source.name);
        session
            .diagnostics
            .push(Diagnostic::error("scan-narrowed", Place::file(&source.path), message).hint(hint));
    }
}

/// The fingerprint of everything about a source that decides what its documents say and who may see it.
fn config_of(source: &Source, reader: &Reader) -> Fingerprint {
    let meaning = Source {
        path: String::new(),
        include: Vec::new(),
        exclude: Vec::new(),
        max_bytes: 0,
        ..source.clone()
    };
    Fingerprint::of(&[&format!("{meaning:?}"), &reader.types_fingerprint().to_string()])
}
