//! The audit sample: some of the documents that did not change are read again, and nothing of it is published.
//!
//! An extraction is kept for as long as the fingerprint of its inputs is the same, so a stage whose output changed
//! while its fingerprint did not would go unnoticed until a document is edited. Each run with such work reads some
//! others again, from their bytes on, and reports every difference.
//!
//! `drift::Draw` says which: of each source that is touched tonight about a thousand chunks, and of all documents some
//! hundreds, or a quarter of what the run reads itself. So a night costs what its changes cost; a larger document comes
//! seldom, and as the last. Its work is counted in the work log.

use std::collections::{BTreeMap, BTreeSet};

use crate::drift::{Audited, Draw, Example, MOST_DOCUMENTS, Slice};
use crate::link::Lexicon;
use crate::model::assertion::Assertion;
use crate::model::id::{DocumentId, FactId, Fingerprint};
use crate::model::sabotage;
use crate::source::folder;
use crate::store::{DocumentRecord, Kind};
use crate::worker::{Means, Pool};

use super::Error;
use super::changed::example_of;
use super::documents::{Again, Plan, read_again as read_documents, says};
use super::register::Registers;
use super::session::{Session, means};

/// So many bytes are parsed again; of the other documents the stored text is read.
const MOST_BYTES: u64 = 2 << 20;
/// So many documents are given to programs outside again.
const MOST_OUTSIDE: usize = 5;

/// The documents that this run reads again: none if no other came, changed or went, and none that it looks at anyway.
pub(super) fn sample(session: &Session<'_>, plan: &Plan) -> Result<Vec<(DocumentId, bool)>, Error> {
    if sabotage::is_off("audit")
        || (plan.look.is_empty() && plan.gone.is_empty())
        || session.writer.before().generation() == 0
    {
        return Ok(Vec::new());
    }
    let view = session.writer.view();
    let all = session.writer.counts(session.options.today)?;
    let draw =
        Draw::new(session.writer.before().generation(), (all.documents, all.chunks), plan.look.len() as u64);

    // Of each source of which something is read, or gone, tonight.
    let inputs = session.report.inputs.iter().filter(|input| input.kind == "source");
    let touched: BTreeSet<&str> = plan.look.keys().chain(&plan.gone).map(DocumentId::source).collect();
    let budget = Draw::budget_of_source(touched.len() as u64);
    let mut of_sources = BTreeSet::new();
    for input in inputs.filter(|input| touched.contains(input.name.as_str()) && Draw::lists(input.items)) {
        let ids = view.ids_by(Kind::Document, "source", &input.name)?;
        of_sources.extend(fitting(session, &draw, budget, in_order(ids, &draw, plan))?);
    }
    // Of all documents a slice, by the hash of their content.
    let Slice { from, to } = draw.of_all();
    let of_all = view.ids_between(Kind::Document, "content", (&from, &to), 2 * MOST_DOCUMENTS)?;
    let mut of_all = in_order(of_all, &draw, plan);
    for (place, id, _) in &of_sources {
        of_all.remove(&(*place, id.clone()));
    }
    let of_all = fitting(session, &draw, draw.budget_of_all(), of_all)?;
    Ok(bounded(session, of_sources.into_iter().chain(of_all)))
}

/// A document by its place in the draw, with its path.
type Placed = (Fingerprint, DocumentId, String);

/// Documents that nobody looks at tonight, in the order of the draw.
fn in_order(ids: Vec<String>, draw: &Draw, plan: &Plan) -> BTreeSet<(Fingerprint, DocumentId)> {
    let placed = ids.into_iter().filter_map(|id| Some((draw.place(&id), id.parse::<DocumentId>().ok()?)));
    placed.filter(|(_, id)| !plan.look.contains_key(id) && !plan.gone.contains(id)).collect()
}

/// As many of these documents as fill a budget of chunks. No more of their records are read.
fn fitting(
    session: &Session<'_>,
    draw: &Draw,
    budget: u64,
    documents: BTreeSet<(Fingerprint, DocumentId)>,
) -> Result<BTreeSet<Placed>, Error> {
    let sized = documents.into_iter().filter_map(|(place, id)| {
        let record = session.writer.view().get::<DocumentRecord>(&id.to_string()).transpose()?;
        Some(record.map(|record| (place, record.chunks.len() as u64, (place, id, record.path))))
    });
    Ok(draw.fit(budget, sized)?.into_iter().collect())
}

/// The documents in their order, with whether they are parsed again: the bounds are those of the whole sample.
fn bounded(session: &Session<'_>, documents: impl Iterator<Item = Placed>) -> Vec<(DocumentId, bool)> {
    let sources = session.setup.sources();
    let (mut bytes, mut outside) = (0, 0);
    let mut sample = Vec::new();
    for (_, id, path) in documents {
        let Some((source, _)) = sources.iter().find(|(source, _)| source.name == id.source()) else {
            continue;
        };
        let file = session.options.workspace.join(&source.path).join(&path);
        let size = folder::size(&file).unwrap_or(u64::MAX);
        let is_outside = folder::is_parsed_by_program(source, &path);
        let parse = size <= MOST_BYTES - bytes && !(is_outside && outside >= MOST_OUTSIDE);
        if parse {
            bytes += size;
            outside += usize::from(is_outside);
        }
        sample.push((id, parse));
    }
    sample
}

/// Reads the sample again, and notes what reads differently.
pub(super) fn read_again(
    session: &mut Session<'_>,
    sample: &[(DocumentId, bool)],
    lexicons: &BTreeMap<String, Lexicon>,
    registers: &Registers<'_>,
) -> Result<(), Error> {
    if sample.is_empty() {
        return Ok(());
    }
    // What a program outside wrote before is not asked: it is the program that is audited.
    let fresh = Means { kept: std::path::PathBuf::new(), plan: true, ..means(session.options) };
    read_documents(session, sample, lexicons, registers, &Pool::new(fresh), &mut note)
}

fn note(session: &mut Session<'_>, again: Again) {
    let Again { id, outside, chunks, said, says } = again;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for assertion in said.values() {
        *counts.entry(assertion.edge_type.clone()).or_insert(0) += 1;
    }
    session.report.work.audited += chunks;
    session.observed.audit.note(&Audited {
        source: id.source(),
        outside,
        chunks,
        said: &counts,
        lost: &only(&said, &says),
        gained: &only(&says, &said),
    });
}

/// What is in one and not in the other, as examples.
fn only(
    one: &BTreeMap<String, Assertion>,
    other: &BTreeMap<String, Assertion>,
) -> Vec<(String, FactId, Example)> {
    let only = one.iter().filter(|(id, _)| !other.contains_key(*id));
    only.map(|(id, assertion)| {
        let fact = assertion.fact.unwrap_or_else(|| FactId::of(&[id]));
        (assertion.edge_type.clone(), fact, example_of(fact, &says(assertion), Some(assertion)))
    })
    .collect()
}
