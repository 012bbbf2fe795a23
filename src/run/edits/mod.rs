//! Edits: what a person changes in the graph by hand, in one go or not at all.
//!
//! An edit is an input like any other: a row of the feed [`EDITS`], which no file holds and no run reads
//! again. What it says of the graph (a claim of an entity, an assertion, a text) has that row as its origin
//! and is folded with everything else, so a run, a rebuild and a replay know it, and taking it back is
//! taking its word away.

mod apply;
mod form;
mod lines;
mod look;

use schemars::JsonSchema;
use serde::Serialize;

use super::at_once::at_once;
use super::once::{Options, Progress};
use super::report::{ChangeReport, DiagnosticReport, RunReport, Work};
use super::session::Session;
use super::{Error, Workspace, requests};
use crate::config::Loaded;
use crate::diag::Diagnostic;
use crate::model::assertion::Assertion;
use crate::model::edit::{EDITS, document_of, edit_of};
use crate::model::fact::Fact;
use crate::model::fact::Reason;
use crate::model::id::{DocumentId, EntityKey, FactId};
use crate::serve::{Catalog, WaitingView};
use crate::store::RowRecord;
use apply::Desk;

pub(super) use look::lens_of;

pub use form::{Field, Kind, Operation, Takes, Value, Written, schema};
pub use lines::lines_of;

/// What edits did, or what a dry run says that they would do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EditReport {
    /// The version of this form.
    pub version: u32,
    /// The run's id; empty for a dry run, or where something is wrong.
    pub run: String,
    /// When it began, as an RFC 3339 time.
    pub started_at: String,
    /// True for a dry run: nothing was written.
    pub dry_run: bool,
    /// The generation that was published, or would be; null if nothing changed.
    pub generation: Option<u64>,
    /// The generation that stood before.
    pub before: u64,
    /// The state digest of the generation that now stands.
    pub state_digest: String,
    /// The history digest of the generation that now stands.
    pub history_digest: String,
    /// Each edit, and what became of it.
    pub edits: Vec<Edited>,
    /// What was done, counted.
    pub work: Work,
    /// The changes of facts, by what they say; of more than 10,000 the first that were made.
    pub changes: Vec<ChangeReport>,
    /// How many more changes there are; the changelog has them all.
    pub more_changes: u64,
    /// The names by which the entities of the first changes go, by key.
    pub names: std::collections::BTreeMap<String, String>,
    /// Assertions that came into quarantine, by reason.
    pub quarantined: std::collections::BTreeMap<String, u64>,
    /// The first of them that stand in documents and feeds, and why each waits.
    pub waiting: Vec<WaitingView>,
    /// Days on which nobody holds an edge that somebody held before and after.
    pub gaps: Vec<String>,
    /// The state of the drift report.
    pub drift: String,
    /// What was noticed on the way, such as a text index that was mended.
    pub diagnostics: Vec<DiagnosticReport>,
    /// What is wrong with the edits; then nothing was changed.
    pub problems: Vec<DiagnosticReport>,
    /// The same with the lines in which it stands, for people.
    #[serde(skip)]
    #[schemars(skip)]
    pub refused: Vec<Diagnostic>,
}

/// One edit that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Edited {
    /// The line of the file; 0 if it was not read from one.
    pub line: u32,
    /// Its number, by which it is taken back; null for what is no edit.
    pub number: Option<u64>,
    /// What it does.
    pub does: String,
    /// What of it is not accepted as it stands and waits in quarantine, with the reason.
    pub waits: Vec<String>,
}

impl EditReport {
    /// What was carried out.
    pub(super) fn of(report: RunReport, edits: Vec<Edited>) -> Self {
        Self {
            version: 1,
            run: report.run,
            started_at: report.started_at,
            dry_run: report.plan,
            generation: report.generation,
            before: report.before,
            state_digest: report.state_digest,
            history_digest: report.history_digest,
            edits,
            work: report.work,
            changes: report.changes,
            more_changes: report.more_changes,
            names: report.names,
            quarantined: report.quarantined,
            waiting: Vec::new(),
            gaps: report.gaps,
            drift: report.drift,
            diagnostics: report.diagnostics,
            problems: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// What was refused as a whole.
    fn refused(report: &RunReport, mut problems: Vec<Diagnostic>) -> Self {
        problems.sort();
        problems.dedup();
        let empty = RunReport { run: String::new(), work: Work::default(), ..report.clone() };
        Self {
            problems: problems.iter().map(DiagnosticReport::from).collect(),
            refused: problems,
            ..Self::of(empty, Vec::new())
        }
    }
}

/// Carries edits out, all of them or none. `problems` is what was wrong with the form of others.
///
/// The edits are looked at in their order, so a later one may name what an earlier one adds. Everything that
/// is wrong with any of them is said at once, in the report.
pub fn edit(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    by: &str,
    edits: &[Written],
    mut problems: Vec<Diagnostic>,
) -> Result<EditReport, Error> {
    let catalog = Catalog::new(loaded.ontologies.values(), &loaded.jobs);
    at_once(workspace, loaded, options, progress, |session, store| {
        requests::carry_out(session, &[])?;
        let mut desk = Desk::new(session, store, &catalog, by)?;
        let mut done = Vec::new();
        for edit in edits {
            match desk.carry_out(edit)? {
                Ok(edited) => done.push(edited),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() {
            desk.finish()?;
            return Ok(Ok(done));
        }
        Ok(Err(EditReport::refused(&session.report, problems)))
    })
}

/// What is known of a text that came with an edit.
pub(super) struct Text {
    /// The ontology whose rules read it.
    pub(super) ontology: String,
    /// The entity for which it stands.
    pub(super) entity: EntityKey,
}

/// What is known of a document, if it came with an edit.
pub(super) fn text_of(session: &Session<'_>, document: &DocumentId) -> Result<Option<Text>, Error> {
    let Some(number) = edit_of(document) else { return Ok(None) };
    let row: Option<RowRecord> = session.writer.view().get(&format!("{EDITS}/{number}"))?;
    Ok(row.and_then(|mut row| {
        let entity = row.cells.get("entity")?.parse().ok()?;
        Some(Text { ontology: row.cells.remove("ontology")?, entity })
    }))
}

/// Says what of an edit waits in quarantine after the fold.
pub(super) fn say_what_waits(session: &Session<'_>, edited: &mut Edited) -> Result<(), Error> {
    let Some(number) = edited.number else { return Ok(()) };
    let view = session.writer.view();
    let mut assertions: Vec<Assertion> = view.by("feed_row", &format!("{EDITS}/{number}"))?;
    if let Some(document) = document_of(&number.to_string()) {
        assertions.extend(view.by::<Assertion>("document", &document.to_string())?);
    }
    for assertion in assertions {
        for reason in session.quarantined(&assertion)?.map(|waits| waits.reasons).unwrap_or_default() {
            let with = match &reason {
                Reason::Conflict { with } | Reason::Cycle { with } => Some(*with),
                Reason::ContradictsMaster { with } => *with,
                _ => None,
            };
            let with = with.map(|fact| says(session, fact)).transpose()?.flatten();
            let with = with.map(|says| format!(" with {says}")).unwrap_or_default();
            edited.waits.push(format!("\"{}\": {}{with}", assertion.evidence.quote, reason.code()));
        }
    }
    edited.waits.sort();
    edited.waits.dedup();
    Ok(())
}

/// A fact in words, with its edges.
fn says(session: &Session<'_>, fact: FactId) -> Result<Option<String>, Error> {
    let fact: Option<Fact> = session.writer.view().get(&fact.to_string())?;
    Ok(fact.map(|fact| {
        let edges: Vec<String> = fact.edges.iter().map(|edge| edge.interval.to_string()).collect();
        format!("{} {} {} {}", fact.subject, fact.edge_type, fact.object, edges.join(" "))
    }))
}
