//! The audit sample: some of the documents that did not change are read again, and nothing of it is published.
//!
//! An extraction is kept for as long as the fingerprint of its inputs is the same, so a stage whose output changed
//! while its fingerprint did not would go unnoticed until a document is edited. Each run that reads documents reads
//! some others again, from their bytes on, and reports every difference.
//!
//! Documents are taken by hash: each run takes the next of so many slices, so that all come round. Each source that is
//! read tonight has a slice of about [`LEAST`] chunks, unless it is so large that looking for it would be a walk over the
//! corpus, and all documents together have one of a quarter of that. Together they are no more than the run reads
//! itself, or than one slice, so that a night costs what its changes cost. Its work is counted in the work log.

use std::collections::{BTreeMap, BTreeSet};

use crate::drift::{Audited, Example};
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
use super::report::InputReport;
use super::session::{Session, means};

/// A slice has about so many chunks at least, if there are as many.
const LEAST: u64 = 500;
/// A slice has about so many documents at least.
const LEAST_DOCUMENTS: u64 = 10;
/// No slice has more chunks, but for the last document.
const MOST: u64 = 20_000;
/// The slice of all documents has one in so many of the chunks that a slice of a source has.
const OF_ALL: u64 = 4;
/// A source of more documents has no slice of its own: it has its share of the slice of all.
const LISTED: u64 = 5_000;
/// No slice has more documents.
const MOST_DOCUMENTS: usize = 2_000;
/// So many bytes are parsed again; of the other documents the stored text is read.
const MOST_BYTES: u64 = 2 << 20;
/// So many documents are given to programs outside again.
const MOST_OUTSIDE: usize = 5;

/// The documents that this run reads again: none if it reads no other, and none that it looks at anyway.
pub(super) fn sample(session: &Session<'_>, plan: &Plan) -> Result<Vec<(DocumentId, bool)>, Error> {
    if sabotage::is_off("audit") || plan.look.is_empty() || session.writer.before().generation() == 0 {
        return Ok(Vec::new());
    }
    let turn = session.writer.before().generation();
    let view = session.writer.view();
    let all = session.writer.counts(session.options.today)?;
    let each = all.chunks / all.documents.max(1);
    let budget = (plan.look.len() as u64 * each).clamp(LEAST, MOST);

    // Of each source that is read tonight a slice.
    let inputs = session.report.inputs.iter().filter(|input| input.kind == "source");
    let read: BTreeSet<&str> = plan.look.keys().map(DocumentId::source).collect();
    let is_listed = |input: &&InputReport| read.contains(input.name.as_str()) && input.items <= LISTED;
    let mut of_sources = Vec::new();
    for input in inputs.filter(is_listed) {
        let slices = slices(input.items, input.items * each, LEAST);
        let (from, to) = bounds(turn % slices, slices);
        let within = |id: &String| {
            let hash = Fingerprint::of(&[id]).to_string();
            from <= hash && hash < to
        };
        let ids = view.ids_by(Kind::Document, "source", &input.name)?;
        of_sources.extend(ids.into_iter().filter(within));
    }
    // Of all documents a smaller one, by the hash of their content.
    let slices = slices(all.documents, all.chunks, budget / OF_ALL);
    let (from, to) = bounds(turn % slices, slices);
    let of_all = view.ids_between(Kind::Document, "content", (&from, &to), MOST_DOCUMENTS)?;

    let mut taken = BTreeSet::new();
    let mut sample = bounded(session, budget, in_order(of_sources, turn, plan, &mut taken))?;
    sample.extend(bounded(session, budget / OF_ALL, in_order(of_all, turn, plan, &mut taken))?);
    Ok(sample)
}

/// Documents that nobody looks at tonight and that are not taken yet, each time round in another order, so that what a
/// bound leaves out is not always the same.
fn in_order(
    ids: Vec<String>,
    turn: u64,
    plan: &Plan,
    taken: &mut BTreeSet<DocumentId>,
) -> BTreeSet<(Fingerprint, DocumentId)> {
    let turn = turn.to_string();
    let mut ordered = BTreeSet::new();
    for id in ids {
        let Ok(document) = id.parse::<DocumentId>() else { continue };
        let is_free = !plan.look.contains_key(&document) && !plan.gone.contains(&document);
        if is_free && taken.insert(document.clone()) {
            ordered.insert((Fingerprint::of(&[&id, &turn]), document));
        }
    }
    ordered
}

/// As many of these documents as the bounds let through, with whether they are parsed again.
fn bounded(
    session: &Session<'_>,
    budget: u64,
    documents: BTreeSet<(Fingerprint, DocumentId)>,
) -> Result<Vec<(DocumentId, bool)>, Error> {
    let sources = session.setup.sources();
    let (mut chunks, mut bytes, mut outside) = (0, 0, 0);
    let mut sample = Vec::new();
    let mut large: Vec<(u64, DocumentId)> = Vec::new();
    let mut records = Vec::new();
    for (_, id) in documents {
        let Some(record) = session.writer.view().get::<DocumentRecord>(&id.to_string())? else { continue };
        let its = record.chunks.len() as u64;
        // A document that is larger than a slice does not stand for many others.
        if its > budget {
            large.push((its, id));
            continue;
        }
        records.push((id, record.path));
        chunks += its;
        if chunks >= budget || records.len() >= MOST_DOCUMENTS {
            break;
        }
    }
    if let (true, Some((_, id))) = (records.is_empty(), large.into_iter().min()) {
        let record = session.writer.view().get::<DocumentRecord>(&id.to_string())?;
        records.extend(record.map(|record| (id, record.path)));
    }
    for (id, path) in records {
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
    Ok(sample)
}

/// Into how many slices documents with so many chunks are cut, each of about so many of these: the next smaller power
/// of two, so that slices stay the same while documents come and go.
fn slices(documents: u64, chunks: u64, budget: u64) -> u64 {
    let wanted = (chunks / budget).min(documents / LEAST_DOCUMENTS);
    1 << wanted.max(1).ilog2()
}

/// The bounds of a slice among hashes as they are written, in hexadecimal.
fn bounds(slice: u64, slices: u64) -> (String, String) {
    let at = |slice: u64| format!("{:08x}", u128::from(slice) * (1 << 32) / u128::from(slices));
    // Behind the last hash there is none.
    let to = if slice + 1 == slices { "g".to_owned() } else { at(slice + 1) };
    (at(slice), to)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_has_as_much_as_a_night_reads_and_never_too_little() {
        let of = |documents: u64, each: u64| slices(documents, documents * each, LEAST);
        assert_eq!([0, 10, 199, 400, 799].map(|documents| of(documents, 5)), [1, 1, 1, 4, 4]);
        assert_eq!([20_000, 100_000].map(|documents| of(documents, 5)), [128, 512]);
        assert_eq!(slices(100_000, 500_000, 5_000), 64, "a night of a thousand documents");
        assert_eq!(of(744, 63), 64, "documents of many chunks");
        assert_eq!(of(50, 2_000), 4, "few documents");
    }

    #[test]
    fn every_hash_is_in_exactly_one_slice() {
        for count in [1, 2, 64, 100, 1_000] {
            let all: Vec<_> = (0..count).map(|slice| bounds(slice, count)).collect();
            for number in 0..500_u32 {
                let hash = Fingerprint::of(&[&number.to_string()]).to_string();
                let within = all.iter().filter(|(from, to)| *from <= hash && hash < *to).count();
                assert_eq!(within, 1, "{hash} of {count}");
            }
        }
    }
}
