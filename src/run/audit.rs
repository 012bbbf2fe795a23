//! The audit sample: some of the documents that did not change are read again, and nothing of it is published.
//!
//! An extraction is kept for as long as the fingerprint of its inputs is the same, so a stage whose output changed
//! while its fingerprint did not would go unnoticed until a document is edited. Each run that reads documents reads
//! some others again, from their bytes on, and reports every difference.
//!
//! Documents are taken by hash: each run takes the next of so many slices, so that all come round. A slice is 1 % of
//! the documents, and has about [`LEAST`] chunks at least: of all together, and of each source that is read tonight.
//! Its work is counted in the work log.

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
use super::session::{Session, means};

/// A slice has about so many chunks at least, if there are as many.
const LEAST: u64 = 1_000;
/// A slice has about so many documents at least.
const LEAST_DOCUMENTS: u64 = 10;
/// A slice of a large corpus is 1 %.
const SLICES: u64 = 100;
/// No slice has more chunks, but for the last document.
const MOST: u64 = 20_000;
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
    let mut found: BTreeSet<(Fingerprint, DocumentId)> = BTreeSet::new();
    let mut add = |id: String| {
        // Each time round in another order, so that what a bound leaves out is not always the same.
        let order = Fingerprint::of(&[&id, &turn.to_string()]);
        if let Ok(document) = id.parse::<DocumentId>()
            && !plan.look.contains_key(&document)
            && !plan.gone.contains(&document)
        {
            found.insert((order, document));
        }
    };
    // Of all documents a slice, by the hash of their content.
    let all = session.writer.counts(session.options.today)?;
    let of_all = slices(all.documents, all.chunks);
    let (from, to) = bounds(turn % of_all, of_all);
    let most = MOST_DOCUMENTS * 2;
    view.ids_between(Kind::Document, "content", (&from, &to), most)?.into_iter().for_each(&mut add);
    // Of each source that is read tonight a slice of its own, if one of all has too little of it.
    let inputs = session.report.inputs.iter().filter(|input| input.kind == "source");
    let read: BTreeSet<&str> = plan.look.keys().map(DocumentId::source).collect();
    for input in inputs.filter(|input| read.contains(input.name.as_str())) {
        let slices = slices(input.items, input.items * all.chunks / all.documents.max(1));
        if slices >= of_all {
            continue;
        }
        let (from, to) = bounds(turn % slices, slices);
        let within = |id: &String| {
            let hash = Fingerprint::of(&[id]).to_string();
            from <= hash && hash < to
        };
        let ids = view.ids_by(Kind::Document, "source", &input.name)?;
        ids.into_iter().filter(within).for_each(&mut add);
    }
    bounded(session, found.into_iter().map(|(_, document)| document))
}

/// As many of these documents as the bounds let through, with whether they are parsed again.
fn bounded(
    session: &Session<'_>,
    documents: impl Iterator<Item = DocumentId>,
) -> Result<Vec<(DocumentId, bool)>, Error> {
    let sources = session.setup.sources();
    let (mut chunks, mut bytes, mut outside) = (0, 0, 0);
    let mut sample = Vec::new();
    for id in documents {
        let Some((source, _)) = sources.iter().find(|(source, _)| source.name == id.source()) else {
            continue;
        };
        let Some(record) = session.writer.view().get::<DocumentRecord>(&id.to_string())? else { continue };
        if chunks >= MOST || sample.len() >= MOST_DOCUMENTS {
            break;
        }
        chunks += record.chunks.len() as u64;
        let file = session.options.workspace.join(&source.path).join(&record.path);
        let size = folder::size(&file).unwrap_or(u64::MAX);
        let is_outside = folder::is_parsed_by_program(source, &record.path);
        let parse = size <= MOST_BYTES - bytes && !(is_outside && outside >= MOST_OUTSIDE);
        if parse {
            bytes += size;
            outside += usize::from(is_outside);
        }
        sample.push((id, parse));
    }
    Ok(sample)
}

/// Into how many slices documents with so many chunks are cut: the next smaller power of two, so that slices stay the
/// same while documents come and go, until a slice is 1 %.
fn slices(documents: u64, chunks: u64) -> u64 {
    let wanted = (chunks / LEAST).min(documents / LEAST_DOCUMENTS);
    if wanted >= SLICES { SLICES.max(chunks / MOST) } else { 1 << wanted.max(1).ilog2() }
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
    fn slices_are_one_percent_and_never_too_few_or_too_many_chunks() {
        let of = |documents: u64, each: u64| slices(documents, documents * each);
        assert_eq!([0, 10, 199, 400, 799].map(|documents| of(documents, 5)), [1, 1, 1, 2, 2]);
        assert_eq!([20_000, 100_000, 1_000_000].map(|documents| of(documents, 5)), [100, 100, 250]);
        assert_eq!(of(744, 63), 32, "documents of many chunks");
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
