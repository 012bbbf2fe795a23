//! Scanning: which documents changed, went, or cannot be judged tonight.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::diag::{Diagnostic, Place};
use crate::model::id::{DocumentId, Fingerprint};
use crate::model::job::Source;
use crate::source::folder::{self, Seen};
use crate::store::{DocumentRecord, Kind, ScopeRecord};

use super::Error;
use super::documents::OnDisk;
use super::patterns::Patterns;
use super::register::Registers;
use super::report::InputReport;
use super::session::Session;
use super::setup::Reader;

/// What a scan of all sources came to.
#[derive(Default)]
pub(super) struct Scanned {
    /// Files whose bytes must be read, by document.
    pub(super) changed: BTreeMap<DocumentId, OnDisk>,
    /// Documents that are proven gone.
    pub(super) gone: BTreeSet<DocumentId>,
    /// Sources whose configuration changed: every document of theirs is looked at again.
    pub(super) reconfigured: BTreeSet<String>,
}

/// Scans every source.
pub(super) fn scan_all(
    session: &mut Session<'_>,
    root: &Path,
    registers: &Registers,
) -> Result<Scanned, Error> {
    let mut scanned = Scanned::default();
    for (source, reader) in session.setup.sources() {
        scan_one(session, root, source, reader, registers, &mut scanned)?;
    }
    Ok(scanned)
}

fn scan_one(
    session: &mut Session<'_>,
    root: &Path,
    source: &Source,
    reader: &Reader,
    registers: &Registers,
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
    let documents: BTreeMap<DocumentId, (String, Fingerprint)> = documents_of(session, source)?;
    let stood: BTreeSet<String> = documents.values().map(|(path, _)| path.clone()).collect();
    for path in &stood {
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
    let claimed = claims(source, registers, &scan);
    let mut kept: BTreeSet<&String> = BTreeSet::new();
    for (id, files) in &claimed {
        let [found] = files.as_slice() else {
            // Two files with one key: nobody knows which of them the document is, so nothing changes.
            kept.extend(files.iter().map(|found| &found.path));
            report_collision(session, source, id, files);
            continue;
        };
        let known = documents.get(id);
        if known.is_none_or(|(path, hash)| *path != found.path || *hash != found.seen.hash) {
            let on_disk = OnDisk { path: found.path.clone(), file: found.on_disk.clone() };
            scanned.changed.insert(id.clone(), on_disk);
            if known.is_none() { report.added += 1 } else { report.changed += 1 }
        }
    }
    for found in &scan.found {
        if found.changed || before.get(&found.path) != Some(&found.seen) {
            stage(session, source, &found.path, &found.seen)?;
        }
    }
    let mut gone: Vec<String> = scan.gone.clone();
    gone.extend(accepted_losses(session, source, &scan, &stood));
    if crate::model::sabotage::is_off("absence-proof") {
        let found: BTreeSet<&String> = scan.found.iter().map(|found| &found.path).collect();
        gone = stood.iter().filter(|path| !found.contains(path)).cloned().collect();
    }
    for path in &gone {
        session.writer.stage_checkpoint(&source.name, path, None)?;
    }
    // A document whose file is gone, or has another key now, is gone itself unless another file has its key.
    let files: BTreeSet<&String> = gone.iter().chain(scan.found.iter().map(|found| &found.path)).collect();
    for (id, (path, _)) in &documents {
        if files.contains(path) && !kept.contains(path) && !claimed.contains_key(id) {
            scanned.gone.insert(id.clone());
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
        changed_at: scope.as_ref().and_then(|scope| scope.changed_at.clone()),
        accepted: accepted.or_else(|| scope.and_then(|scope| scope.accepted)),
    })?;
    Ok(())
}

fn stage(session: &Session<'_>, source: &Source, path: &str, seen: &Seen) -> Result<(), Error> {
    let seen = serde_json::to_string(seen)
        .map_err(|error| Error::Bug(format!("a checkpoint is plain data: {error}")))?;
    Ok(session.writer.stage_checkpoint(&source.name, path, Some(&seen))?)
}

/// The files that were found, by the document that each one is: by the key that the register declares, else
/// the one in its name, else its path.
fn claims<'s>(
    source: &Source,
    registers: &Registers,
    scan: &'s folder::Scan,
) -> BTreeMap<DocumentId, Vec<&'s folder::Found>> {
    let patterns = Patterns::of(source);
    let mut claimed: BTreeMap<DocumentId, Vec<&folder::Found>> = BTreeMap::new();
    for found in &scan.found {
        let declared = registers.document_key(source, &found.path).map(str::to_owned);
        let key = declared.or_else(|| patterns.document_key(&found.path));
        let id = DocumentId::new(&source.name, key.as_deref().unwrap_or(&found.path));
        if let Some(id) = id {
            claimed.entry(id).or_default().push(found);
        }
    }
    claimed
}

fn report_collision(session: &mut Session<'_>, source: &Source, id: &DocumentId, files: &[&folder::Found]) {
    let names: Vec<String> = files.iter().map(|found| format!("`{}`", found.path)).collect();
    let message = format!("{} have the document key `{}`; it stays as it was", names.join(" and "), id.key());
    let place = Place::file(format!("{}/{}", source.path, files.first().map_or("", |found| &found.path)));
    let hint = "give each file a key of its own, or take away the one that does not count";
    session.diagnostics.push(Diagnostic::error("key-collision", place, message).hint(hint));
}

/// The documents that a source has, with their path and content.
fn documents_of(
    session: &Session<'_>,
    source: &Source,
) -> Result<BTreeMap<DocumentId, (String, Fingerprint)>, Error> {
    let mut found = BTreeMap::new();
    for id in session.writer.view().ids_by(Kind::Document, "source", &source.name)? {
        if let Some(record) = session.writer.view().get::<DocumentRecord>(&id)? {
            found.insert(record.document, (record.path, record.content));
        }
    }
    Ok(found)
}

/// Losses whose absence the scan cannot prove, and a person has.
fn accepted_losses(
    session: &Session<'_>,
    source: &Source,
    scan: &folder::Scan,
    stood: &BTreeSet<String>,
) -> Vec<String> {
    let found: BTreeSet<&String> = scan.found.iter().map(|found| &found.path).collect();
    let lost = |path: &&String| !found.contains(path) && is_accepted(session, source, path);
    stood.iter().filter(lost).cloned().collect()
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
    stood: &BTreeSet<String>,
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
        .filter(|path| stood.contains(*path) && !is_accepted(session, source, path))
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
        fresh_within: None,
        ..source.clone()
    };
    Fingerprint::of(&[&format!("{meaning:?}"), &reader.types_fingerprint().to_string()])
}
