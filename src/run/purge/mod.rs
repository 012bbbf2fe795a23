//! Purging: a document is erased everywhere, and what is left says that something was.
//!
//! First a generation is published without it, by the same stages as an edit; then, in this order, the reports lose
//! what they quote, the derived files go, the record loses every version and what people quoted of it, and the
//! changelog is written anew from the first generation that differs. A note in the workspace says that this is going on: whoever next opens the graph for
//! writing goes on with it, so a purge that is killed has not happened, or is brought to its end.

mod lineage;
mod quotes;
mod redact;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Loaded;
use crate::diag::{Diagnostic, Place};
use crate::model::act::Deed;
use crate::model::assertion::Assertion;
use crate::model::cause::Cause;
use crate::model::edit::{EDITS, edit_of};
use crate::model::id::{DocumentId, Fingerprint};
use crate::model::quote::Quotes;
use crate::model::sabotage;
use crate::source::folder;
use crate::store::{Store, Traces, View};

use super::acts::{acts, next_act};
use super::at_once::locked;
use super::documents::close;
use super::edits::{EditReport, Edited};
use super::hold::Actor;
use super::once::{Options, Progress, stop};
use super::report::DiagnosticReport;
use super::{Error, Step, Workspace, index, output};

pub(super) use quotes::{kept, quoted};

/// What a purge came to, or would come to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PurgeReport {
    /// The version of this form.
    pub version: u32,
    /// The number of its act; null for a dry run.
    pub number: Option<u64>,
    /// Who asked for it.
    pub by: String,
    /// When, as an RFC 3339 time.
    pub at: String,
    /// Why.
    pub reason: String,
    /// The ids under which the document is erased: one that moved had several.
    pub documents: Vec<String>,
    /// Its files in the workspace. What lies there is not edgewright's to delete.
    pub files: Vec<String>,
    /// Other documents that have or had the same bytes at some time, and stay.
    pub copies: Vec<String>,
    /// How many records that were written or closed by then are no more, by kind; empty for a dry run.
    pub erased: BTreeMap<String, u64>,
    /// The generations out of which something was taken; empty for a dry run.
    pub generations: Vec<u64>,
    /// How many reports and messages were redacted; 0 for a dry run.
    pub reports: u64,
    /// What changes now, in the form of an edit.
    pub edit: EditReport,
}

/// The note of a purge that is going on.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    version: u32,
    act: u64,
    /// The ids of the document.
    documents: BTreeSet<DocumentId>,
    /// Its files, as diagnostics name them.
    places: BTreeSet<String>,
    /// Where people quote it in what stays: told when the purge ends, by whoever brings it to its end.
    #[serde(default)]
    quoted: Vec<quotes::Kept>,
}

/// Erases a document. What the graph loses now is published like an edit; everything else cannot be taken back.
pub fn purge(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    document: &DocumentId,
    actor: &Actor,
) -> Result<PurgeReport, Error> {
    if document.source() == EDITS {
        let undo = format!("`edgewright edit undo {} --reason …`", edit_of(document).unwrap_or("NUMBER"));
        return Err(Error::Usage {
            message: format!("`{document}` came with an edit, and edits are not purged"),
            hint: Some(format!("{undo} takes it back; the record keeps what was changed, by whom and why")),
        });
    }
    let sources = loaded.jobs.iter().flat_map(|job| job.sources.values());
    let folders: BTreeMap<String, (String, u64)> = sources
        .map(|source| (source.name.clone(), (source.path.trim_end_matches('/').to_owned(), source.max_bytes)))
        .collect();
    let files = quotes::Files::of(&loaded);
    let mut found = None;
    // Nobody comes between the publication and what is erased after it.
    let (edit, _lock) = locked(workspace, loaded, options, progress, |session, store| {
        let ids = lineage::ids(store, document)?;
        if ids.is_empty() {
            return Err(unknown(store, document)?);
        }
        let mut traces = store.traces(&ids)?;
        let in_folder = |(source, path): &(String, String)| {
            folders.get(source).map(|(folder, most)| (format!("{folder}/{path}"), *most))
        };
        let on_disk: BTreeMap<String, u64> = traces.paths.iter().filter_map(in_folder).collect();
        traces.places = on_disk.keys().cloned().collect();
        let contents = traces.contents.clone();
        let taken = quotes::find(session, store, workspace, &traces, &files, &actor.reason)?;
        let (quotes, names) = (taken.quotes, taken.names);
        let deed = Deed::Purge { document: hash_of(document), contents, quotes, names };
        let act = next_act(&store.current()?, options, actor, deed)?;
        let number = act.number;
        session.writer.put(&act)?;
        session.diagnostics.extend(newer(workspace, &on_disk, &traces));
        if !options.plan {
            let (places, quoted) = (traces.places.clone(), taken.places.iter().map(Into::into).collect());
            note(workspace, &Note { version: 1, act: number, documents: ids.clone(), places, quoted })?;
        }
        for id in &ids {
            close(session, id, None, Cause::DocumentGone, &id.to_string())?;
            // What a document said may have outlived it.
            for left in session.writer.view().by::<Assertion>("document", &id.to_string())? {
                session.remove_assertion(&left, Cause::DocumentGone, &id.to_string())?;
            }
        }
        found = Some((number, traces, taken.places));
        let does = format!("purges `{document}`");
        Ok(Ok(vec![Edited { line: 0, number: None, does, waits: Vec::new() }]))
    })?;
    let (number, traces, places) = found.ok_or_else(|| Error::Bug("a purge was not begun".to_owned()))?;
    let mut report = report_of(options, actor, &traces, edit);
    let in_folder = |(source, path): &(String, String)| {
        let folder = folders.get(source).map_or(source, |(folder, _)| folder);
        format!("{folder}/{path}")
    };
    report.files = traces.paths.iter().map(in_folder).collect();
    report.edit.diagnostics.extend(places.iter().map(DiagnosticReport::from));
    if options.plan {
        return Ok(report);
    }
    stop(options, progress, Step::Purging)?;
    let store = Store::open(&workspace.store())?;
    let ended = finish(workspace, &store, &|step| stop(options, progress, step))?;
    index::follow(workspace, &store, None, &|_| Ok(()))?;
    if ended.as_ref().is_some_and(|ended| !ended.is_whole) {
        return Err(busy(document, &places));
    }
    // What it came to is told from here on.
    output::remove_note(&workspace.purge())?;
    report.reports = ended.map_or(0, |ended| ended.reports);
    report.number = Some(number);
    for redaction in store.redactions()?.into_iter().filter(|one| one.act == number) {
        report.generations.push(redaction.generation);
        for (kind, many) in redaction.erased {
            *report.erased.entry(kind).or_insert(0) += many;
        }
    }
    if let Some(last) = store.generations()?.pop() {
        (report.edit.state_digest, report.edit.history_digest) = (last.state_digest, last.history_digest);
    }
    Ok(report)
}

/// What is said of a purge that waits for a reader, with where the document is quoted: each run tells this again until
/// the purge has come to its end.
fn busy(document: &DocumentId, places: &[Diagnostic]) -> Error {
    let mut message =
        format!("`{document}` is erased, but old pages stay in the log of the graph while it is read");
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    if !places.is_empty() {
        message = format!("{message}\n{}", places.join("\n"));
    }
    let hint = "end what reads the graph; the next `edgewright run` takes them away";
    Error::Usage { message, hint: Some(hint.to_owned()) }
}

/// What is said of its files that hold bytes which no generation has: those were not purged, and a held run may have
/// read them already.
fn newer(workspace: &Workspace, files: &BTreeMap<String, u64>, traces: &Traces) -> Vec<Diagnostic> {
    let holds_others = |(file, most): &(&String, &u64)| {
        let bytes = folder::read(&workspace.root().join(file), **most);
        // One that cannot be read is reported by the run that looks at it.
        bytes.is_ok_and(|bytes| !traces.contents.contains(&Fingerprint::of_bytes(&bytes)))
    };
    let message =
        "it holds other bytes than the graph ever had, which are not purged: the next run reads them";
    let told = |(file, _)| {
        Diagnostic::warning("purge-newer", Place::file(file), message)
            .hint("if they must go as well, take the file away before the next run")
    };
    files.iter().filter(holds_others).map(told).collect()
}

/// What is said of a document that no generation holds: it may have been purged before.
fn unknown(store: &Store, document: &DocumentId) -> Result<Error, Error> {
    let hash = hash_of(document);
    let purged = acts(&store.current()?)?
        .into_iter()
        .rev()
        .find(|(_, act)| matches!(&act.deed, Deed::Purge { document, .. } if *document == hash));
    Ok(match purged {
        Some((_, act)) => Error::Usage {
            message: format!("`{document}` was purged by {} at {}: {}", act.by, act.at, act.reason),
            hint: None,
        },
        None => Error::Usage {
            message: format!("no generation has held a document `{document}`"),
            hint: Some("name it as `source/path`, or by its file".to_owned()),
        },
    })
}

fn report_of(options: &Options, actor: &Actor, traces: &Traces, edit: EditReport) -> PurgeReport {
    PurgeReport {
        version: 1,
        number: None,
        by: actor.by.clone(),
        at: options.now.clone(),
        reason: actor.reason.clone(),
        documents: traces.documents.iter().map(DocumentId::to_string).collect(),
        files: Vec::new(),
        copies: traces.copies.iter().map(DocumentId::to_string).collect(),
        erased: BTreeMap::new(),
        generations: Vec::new(),
        reports: 0,
        edit,
    }
}

/// The hash by which an act names a document.
fn hash_of(document: &DocumentId) -> Fingerprint {
    Fingerprint::of(&[&document.to_string()])
}

fn note(workspace: &Workspace, note: &Note) -> Result<(), Error> {
    let text =
        serde_json::to_vec(note).map_err(|error| Error::Bug(format!("a note is plain data: {error}")))?;
    output::write_note(&workspace.purge(), &text)
}

/// What became of a purge.
struct Ended {
    /// False if it was stopped before it was published: then it has not happened.
    happened: bool,
    /// How many reports and messages were redacted.
    reports: u64,
    /// False while a reader keeps old pages in the log of the database: then it is to be gone on with.
    is_whole: bool,
    /// Where the document is quoted in what stays.
    quoted: Vec<quotes::Kept>,
}

/// Goes on with a purge that was stopped, and says so, with what it would have told at its end.
pub(super) fn resume(workspace: &Workspace, store: &Store) -> Result<Vec<Diagnostic>, Error> {
    let Some(ended) = finish(workspace, store, &|_| Ok(()))? else { return Ok(Vec::new()) };
    if ended.is_whole {
        output::remove_note(&workspace.purge())?;
    }
    let message = match (ended.happened, ended.is_whole) {
        (false, _) => {
            "a purge was stopped before anything was erased, and has not happened: ask for it again"
        }
        (true, true) => "a purge that was stopped has been brought to its end",
        (true, false) => {
            "a purge is done but for old pages in the log of the graph, which stay while somebody reads it"
        }
    };
    let place = Place::file(workspace.store().display().to_string());
    let mut told = vec![Diagnostic::warning("purge-resumed", place, message)];
    if ended.happened {
        told.extend(ended.quoted.into_iter().map(Diagnostic::from));
    }
    Ok(told)
}

/// What `verify` says of a purge that was stopped; `None` if none was.
pub(super) fn unfinished(workspace: &Workspace, store: &Store) -> Result<Option<&'static str>, Error> {
    let Some(note) = read_note(workspace)? else { return Ok(None) };
    Ok(Some(match published(store, &note)?.is_some() {
        true => "a purge was stopped before its end; the next `edgewright run` goes on with it",
        false => "a purge was stopped before anything was erased, and has not happened; ask for it again",
    }))
}

/// What a question is told of a purge that has not come to its end: one that was stopped, or is going on now.
pub fn purging(workspace: &Workspace, store: &Store) -> Result<Option<&'static str>, Error> {
    let Some(note) = read_note(workspace)? else { return Ok(None) };
    Ok(Some(match published(store, &note)?.is_some() {
        true => {
            "a purge has not come to its end: the document stands no more, and earlier generations, reports and the changelog may still tell of it; if nobody is at it, the next `edgewright run` goes on with it"
        }
        false => "a purge was asked for, and has not happened; if nobody is at it, ask for it again",
    }))
}

fn read_note(workspace: &Workspace) -> Result<Option<Note>, Error> {
    let Some(text) = output::read_derived(&workspace.purge())? else { return Ok(None) };
    let note = serde_json::from_slice(&text).map_err(|error| Error::Usage {
        message: format!(
            "`{}` does not say which document is being purged: {error}",
            workspace.purge().display()
        ),
        hint: Some("remove the file, and purge the document again".to_owned()),
    })?;
    Ok(Some(note))
}

/// What people had taken from the document and how they had named it, by the act of a purge; `None` if it was not
/// published.
fn published(store: &Store, note: &Note) -> Result<Option<(Quotes, Quotes)>, Error> {
    Ok(acts(&store.current()?)?.into_iter().find_map(|(_, act)| match act.deed {
        Deed::Purge { quotes, names, .. } if act.number == note.act => Some((quotes, names)),
        _ => None,
    }))
}

/// Brings a purge to its end that was begun; `None` if none was. The note stays, for the caller to remove once it is
/// whole and told.
///
/// To be called by whoever opens the graph for writing; what is erased is erased once, whatever came under the name of
/// the document since, and every other part of it may be done twice. Linear in the reports, in what was ever closed, and
/// in the changelog from the first generation that differs on.
fn finish(
    workspace: &Workspace,
    store: &Store,
    reached: &dyn Fn(Step) -> Result<(), Error>,
) -> Result<Option<Ended>, Error> {
    let Some(note) = read_note(workspace)? else { return Ok(None) };
    let published = published(store, &note)?;
    let Note { act, documents, places, quoted, .. } = note;
    let mut ended = Ended { happened: published.is_some(), reports: 0, is_whole: true, quoted };
    if let Some((quotes, mut told)) = published {
        let of_act = || -> Result<Option<u64>, Error> {
            let all = store.redactions()?.into_iter().filter(|one| one.act == act);
            Ok(all.map(|one| one.generation).min())
        };
        if of_act()?.is_none() {
            let mut traces = store.traces(&documents)?;
            traces.places = places;
            told.extend(quotes.clone());
            ended.reports = redact::reports(workspace, &traces, &told)?;
            output::remove_derived(workspace)?;
            reached(Step::Redacted)?;
            store.erase(act, &traces, &quotes)?;
        }
        reached(Step::Erased)?;
        if let Some(first) = of_act()?
            && !sabotage::is_off("purged-changelog")
        {
            output::write_changelog_from(workspace, store, first)?;
        }
        ended.is_whole = store.compact()?;
        if !ended.is_whole {
            // Whoever writes next goes on with it.
            return Ok(Some(ended));
        }
        reached(Step::Compacted)?;
    }
    Ok(Some(ended))
}

/// The hashes of bytes that were purged, which no run reads again.
pub(super) fn barred(view: &View<'_>) -> Result<BTreeSet<Fingerprint>, Error> {
    let purged = acts(view)?.into_iter().filter_map(|(_, act)| match act.deed {
        Deed::Purge { contents, .. } => Some(contents),
        _ => None,
    });
    Ok(purged.flatten().collect())
}

/// What is said of a file whose bytes were purged.
pub(super) fn is_barred(file: &str) -> Diagnostic {
    let message = "its bytes were purged, and it is not read";
    Diagnostic::warning("purged", Place::file(file), message)
        .hint("take the file away; a purge leaves the files of a source alone")
}
