//! What a document asserts now against what it asserted before: each difference is written with its cause.

use std::collections::BTreeMap;

use super::Why;
use super::task::Task;
use crate::gate::CROWD;
use crate::model::assertion::{Assertion, Origin};
use crate::model::cause::Cause;
use crate::model::chunk::Chunk;
use crate::model::id::{ChunkId, Fingerprint};
use crate::run::Error;
use crate::run::amend::Amendment;
use crate::run::session::Session;
use crate::store::{DocumentRecord, Record};

/// What a document asserts after it was read, by the record's id, with why it would be new and its place.
pub(super) type Gained = BTreeMap<String, (Assertion, Cause, String)>;

/// Makes what a document asserts the only thing that it asserts, and says why each difference is there.
pub(super) fn settle_assertions(
    session: &Session<'_>,
    task: &Task<'_>,
    record: &DocumentRecord,
    file: &str,
    chunks: &[Chunk],
    stood: BTreeMap<String, Assertion>,
    after: Gained,
) -> Result<(), Error> {
    let places: BTreeMap<ChunkId, String> =
        chunks.iter().map(|chunk| (chunk.id, chunk.spot().in_file(file))).collect();
    let edited = task.before.as_ref().filter(|_| matches!(task.why, Why::Bytes(_)));
    let amendment = edited.and_then(|former| Amendment::of(task.source, former, record));
    for (id, before) in stood.iter().filter(|(id, _)| !after.contains_key(*id)) {
        let chunk = match &before.origin {
            Origin::Chunk { chunk, .. } => *chunk,
            Origin::Row { .. } => continue,
        };
        let still_there = places.get(&chunk);
        let has_left = still_there.is_none() && !task.reparsed;
        let cause = if has_left { Cause::TextRemoved } else { cause_of_look(task) };
        let detail = match still_there {
            Some(place) => named_with(place, cause, before, &|id| places.contains_key(id)),
            None => file.to_owned(),
        };
        if before.left.is_some() {
            // It has left already, and stays attested by the kept old text.
            continue;
        }
        match amendment {
            Some(amendment) => {
                let left = amendment.ends(before);
                session.writer.put(&left)?;
                session.touch(&left, cause, &detail)?;
            }
            None => {
                debug_assert_eq!(*id, Record::id(before));
                session.remove_assertion(before, cause, &detail)?;
            }
        }
    }
    for (id, (assertion, cause, detail)) in &after {
        let before = stood.get(id).filter(|before| before.left.is_none());
        if let Some(former) =
            amendment.zip(before).and_then(|(amendment, before)| amendment.continues(before))
        {
            session.writer.put(&former)?;
            session.touch(&former, Cause::TextAdded, file)?;
        }
        let same = before.is_some_and(|before| says_the_same(before, assertion));
        session.writer.put(assertion)?;
        if !same {
            session.touch(assertion, *cause, detail)?;
        }
    }
    settle_crowds(session, task, file, &places, &stood, &after)
}

/// A quote in a chunk of the document: what the gate counts the edges of.
type Snippet = (ChunkId, Fingerprint);

/// Touches what stayed in a snippet that is or was crowded: how many edges it carries judges each of them.
fn settle_crowds(
    session: &Session<'_>,
    task: &Task<'_>,
    file: &str,
    places: &BTreeMap<ChunkId, String>,
    stood: &BTreeMap<String, Assertion>,
    after: &Gained,
) -> Result<(), Error> {
    let gained = || after.iter().filter(|(id, _)| !stood.contains_key(*id)).map(|(_, gained)| gained);
    let moved_and_gained = after.values().map(|(assertion, ..)| assertion);
    if crowds(stood.values().chain(moved_and_gained)).values().all(|most| *most <= CROWD) {
        return Ok(());
    }
    let stands: Vec<Assertion> = session.writer.view().by("document", &task.id.to_string())?;
    let (before, now) = (crowds(stood.values()), crowds(&stands));
    for assertion in &stands {
        let Some(former) = stood.get(&Record::id(assertion)) else { continue };
        let (Some(was_in), Some(is_in)) = (snippet_of(former), snippet_of(assertion)) else { continue };
        let (was, is) = (before[&was_in], now[&is_in]);
        if was == is || was.max(is) <= CROWD {
            continue;
        }
        let of_gain = gained().find(|(gained, ..)| snippet_of(gained) == Some(is_in));
        let cause = of_gain.map_or_else(|| cause_of_look(task), |(_, cause, _)| *cause);
        let place = places.get(&is_in.0).map_or(file, String::as_str);
        session.touch(assertion, cause, &format!("{place}, a sentence with {is} edges that had {was}"))?;
    }
    Ok(())
}

fn snippet_of(assertion: &Assertion) -> Option<Snippet> {
    match &assertion.origin {
        Origin::Chunk { chunk, .. } => Some((*chunk, assertion.quote_hash)),
        Origin::Row { .. } => None,
    }
}

fn crowds<'a>(assertions: impl IntoIterator<Item = &'a Assertion>) -> BTreeMap<Snippet, u32> {
    let mut crowds = BTreeMap::new();
    for snippet in assertions.into_iter().filter_map(snippet_of) {
        *crowds.entry(snippet).or_insert(0) += 1;
    }
    crowds
}

/// True if two versions of an assertion differ in their place at most: no fact changes by it.
fn says_the_same(before: &Assertion, after: &Assertion) -> bool {
    let placeless = |assertion: &Assertion| Assertion {
        origin: after.origin.clone(),
        evidence: after.evidence.clone(),
        revision: after.revision,
        ..assertion.clone()
    };
    placeless(before) == placeless(after)
}

/// What changed of the document as a whole touches everything that it asserts.
pub(super) fn whole_document_changes(
    session: &Session<'_>,
    task: &Task<'_>,
    record: &DocumentRecord,
    file: &str,
) -> Result<(), Error> {
    let Some(before) = &task.before else { return Ok(()) };
    let shape = |record: &DocumentRecord| {
        (record.stands_for.clone(), record.effective, record.dated, record.is_unusable())
    };
    if shape(before) == shape(record) {
        return Ok(());
    }
    let cause = match task.why {
        Why::Config => Cause::Config,
        Why::Bytes(_) if task.reparsed => Cause::ExtractorChanged,
        Why::Bytes(_) if task.renamed => Cause::Moved,
        Why::Bytes(_) => Cause::TextAdded,
        Why::Edit(_) => Cause::Curator,
        Why::Name | Why::Rule | Why::Ontology | Why::Withheld | Why::Again => Cause::FeedRow,
    };
    let cause = if task.standing.from_register { Cause::FeedRow } else { cause };
    let detail = match (before.withdrawn, record.withdrawn) {
        (false, true) => format!("{file} was withdrawn"),
        (true, false) => format!("the withdrawal of {file} was taken back"),
        (false, false) | (true, true) => file.to_owned(),
    };
    session.touch_document(&task.id, cause, &detail)
}

/// Why an assertion is there that was not there before.
pub(super) fn cause_of_gain(task: &Task<'_>, is_new_chunk: bool) -> Cause {
    if task.moved {
        return Cause::Moved;
    }
    if let Why::Edit(_) = task.why {
        return Cause::Curator;
    }
    if task.before.is_none() {
        return Cause::NewDocument;
    }
    if is_new_chunk && !task.reparsed { Cause::TextAdded } else { cause_of_look(task) }
}

/// Why a chunk that is still there reads differently, or a document of the same bytes.
fn cause_of_look(task: &Task<'_>) -> Cause {
    match task.why {
        Why::Bytes(_) if task.reparsed => Cause::ExtractorChanged,
        Why::Bytes(_) if task.renamed => Cause::Moved,
        Why::Bytes(_) => Cause::DefinitionChanged,
        Why::Edit(_) => Cause::Curator,
        Why::Name => Cause::FeedRow,
        Why::Rule | Why::Ontology => Cause::OntologyChanged,
        Why::Withheld | Why::Again => Cause::ExtractorChanged,
        Why::Config => Cause::Config,
    }
}

/// The place of a change, with the definition or binding that changed: the one that an assertion rests on and
/// that stands in no chunk of the document's other version.
pub(super) fn named_with(
    place: &str,
    cause: Cause,
    assertion: &Assertion,
    other: &dyn Fn(&ChunkId) -> bool,
) -> String {
    let mut support = assertion.evidence.support.iter().filter(|_| cause == Cause::DefinitionChanged);
    match support.find(|support| support.chunk.is_some_and(|chunk| !other(&chunk))) {
        Some(changed) => format!("{place}, {}: {}", changed.role, changed.text),
        None => place.to_owned(),
    }
}
