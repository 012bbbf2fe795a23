//! Writing what a task gave: the document, its chunks, what was read in them, and which facts that touches.

use std::collections::{BTreeMap, BTreeSet};

use super::Why;
use super::changes::{Gained, cause_of_gain, named_with, settle_assertions, whole_document_changes};
use super::claims::{Claims, own_claim, parts_named, settle_claims};
use super::read::{Done, Fresh};
use super::task::Task;
use super::yields;
use crate::model::assertion::{Assertion, Origin, Reading, Slot};
use crate::model::cause::Cause;
use crate::model::chunk::Chunk;
use crate::model::entity::EntityClaim;
use crate::model::id::{ChunkId, EntityKey, Fingerprint};
use crate::model::mention::{Mention, Resolution};
use crate::ontology::{OnUnknown, Ontology};
use crate::run::Error;
use crate::run::report::WorkEntry;
use crate::run::session::Session;
use crate::store::{ChunkRecord, DocumentRecord, Extraction, Kind, Record};

/// How many extracted chunks the work log names.
const LOG_LIMIT: usize = 10_000;

/// What a document comes to while its chunks are gone through, in order.
#[derive(Default)]
struct Found {
    claims: Claims,
    after: Gained,
    /// How often each reading was met: the same one of the same words, further down, is another attestation.
    counts: BTreeMap<String, u32>,
}

/// A chunk, and where it stands.
struct Here<'h> {
    chunk: &'h Chunk,
    origin: Origin,
    /// Its file and line.
    place: String,
}

/// Writes what a task gave: the document, its chunks, what was read, and which facts that touches.
pub(super) fn write(session: &mut Session<'_>, task: &Task<'_>, done: Done) -> Result<(), Error> {
    let Done { record, chunks, read, parsed, diagnostics } = done;
    session.diagnostics.extend(diagnostics);
    session.report.work.parsed += u64::from(parsed);
    let file = format!("{}/{}", task.source.path, task.path);
    let had: BTreeSet<(ChunkId, u32)> = task
        .before
        .iter()
        .flat_map(|before| before.chunks.iter().map(|part| (part.id, part.occurrence)))
        .collect();
    let stood: Vec<Assertion> = session.writer.view().by("document", &task.id.to_string())?;
    let stood: BTreeMap<String, Assertion> =
        stood.into_iter().map(|assertion| (Record::id(&assertion), assertion)).collect();

    session.writer.put(&record)?;
    if task.before.as_ref().is_none_or(|before| before.content != record.content) {
        session.changed_sources.insert(task.source.name.clone());
    }
    let mut found = Found::default();
    if let Some(claim) = own_claim(&task.reader.ontology, &record, &chunks) {
        found.claims.insert(Record::id(&claim), claim);
    }
    for (chunk, (input, fresh)) in chunks.iter().zip(read) {
        let origin =
            Origin::Chunk { document: task.id.clone(), chunk: chunk.id, occurrence: chunk.occurrence };
        let here = Here { chunk, origin, place: chunk.spot().in_file(&file) };
        match fresh {
            Some(fresh) => write_chunk(session, task, (&had, &stood), &here, input, fresh, &mut found)?,
            None => keep_chunk(session, task, &stood, &here, &mut found)?,
        }
    }
    let now: BTreeSet<(ChunkId, u32)> = chunks.iter().map(|chunk| (chunk.id, chunk.occurrence)).collect();
    keep_withheld(session, task, &record, &stood, &now, &mut found)?;
    settle_claims(session, &task.id, found.claims)?;
    yields::note(session, task, &chunks, &stood, &found.after);
    settle_assertions(session, task, &record, &file, &chunks, stood, found.after)?;
    for (chunk, occurrence) in had.difference(&now) {
        session.writer.close(Kind::Extraction, &Extraction::id_of(&task.id, *chunk, *occurrence))?;
    }
    if task.before.as_ref().is_some_and(|before| !before.withdrawn && record.withdrawn) {
        *session.withdrawals.entry(task.source.name.clone()).or_insert(0) += 1;
    }
    whole_document_changes(session, task, &record, &file)
}

/// A chunk that was read anew.
fn write_chunk(
    session: &mut Session<'_>,
    task: &Task<'_>,
    (had, stood): (&BTreeSet<(ChunkId, u32)>, &BTreeMap<String, Assertion>),
    here: &Here<'_>,
    input: Fingerprint,
    fresh: Fresh,
    found: &mut Found,
) -> Result<(), Error> {
    let Here { chunk, origin, place } = here;
    let ontology = &task.reader.ontology;
    let is_new = !had.contains(&(chunk.id, chunk.occurrence));
    session.report.work.extracted += 1;
    session.report.work.external_refused += fresh.refused;
    let stays = |assertion: &Assertion| {
        assertion.origin == *origin
            && (fresh.kept.contains(&assertion.rule) || fresh.silent.contains(&assertion.rule))
    };
    for (id, assertion) in stood.iter().filter(|(_, assertion)| assertion.left.is_none() && stays(assertion))
    {
        found.stands(id, assertion, place);
        found.claim_kept(session, task, assertion)?;
    }
    log_work(session, task, chunk, is_new);
    if is_new {
        session.writer.put(&ChunkRecord { id: chunk.id, body: chunk.body.clone() })?;
    }
    for reading in fresh.readings {
        let occurrence = found.count(sameness(&reading));
        let Some((assertion, created)) = session.assertion(ontology, reading, origin, occurrence)? else {
            continue;
        };
        for claim in created {
            found.claims.entry(Record::id(&claim)).or_insert(claim);
        }
        found.claim_made(task, origin, &assertion);
        let cause = cause_of_gain(task, is_new);
        let detail = named_with(place, cause, &assertion, &|id| had.iter().any(|(had, _)| had == id));
        found.after.insert(Record::id(&assertion), (assertion, cause, detail));
    }
    found.claim_parts(ontology, origin, &fresh.mentions);
    session.writer.put(&Extraction {
        document: task.id.clone(),
        chunk: chunk.id,
        occurrence: chunk.occurrence,
        input,
        mentions: fresh.mentions,
        answered: fresh.answered,
    })?;
    Ok(())
}

/// What a rule said stays where its program gave no answer about some chunk of the document: in that chunk, as
/// `write_chunk` has seen to, and in those that are there no more, since what they said may stand in the one that nobody read.
fn keep_withheld(
    session: &Session<'_>,
    task: &Task<'_>,
    record: &DocumentRecord,
    stood: &BTreeMap<String, Assertion>,
    now: &BTreeSet<(ChunkId, u32)>,
    found: &mut Found,
) -> Result<(), Error> {
    for (id, assertion) in stood {
        let Origin::Chunk { chunk, occurrence, .. } = assertion.origin else { continue };
        let is_there = now.contains(&(chunk, occurrence));
        let withheld = record.withheld.contains(&assertion.rule) && assertion.left.is_none() && !is_there;
        if withheld && !found.after.contains_key(id) {
            found.stands(id, assertion, &task.path);
            found.claim_kept(session, task, assertion)?;
        }
    }
    Ok(())
}

/// A chunk whose inputs are the ones that were extracted: what was read in it stands, however far it moved.
fn keep_chunk(
    session: &mut Session<'_>,
    task: &Task<'_>,
    stood: &BTreeMap<String, Assertion>,
    here: &Here<'_>,
    found: &mut Found,
) -> Result<(), Error> {
    let Here { chunk, origin, place } = here;
    session.report.work.kept += 1;
    let read_here =
        || stood.iter().filter(|(_, assertion)| assertion.origin == *origin && assertion.left.is_none());
    for (id, assertion) in read_here() {
        found.stands(id, assertion, place);
    }
    let extraction = Extraction::id_of(&task.id, chunk.id, chunk.occurrence);
    if let Some(extraction) = session.writer.view().get::<Extraction>(&extraction)? {
        found.claim_parts(&task.reader.ontology, origin, &extraction.mentions);
    }
    for (_, assertion) in read_here() {
        found.claim_kept(session, task, assertion)?;
    }
    Ok(())
}

impl Found {
    /// Counts a reading: how many like it came before.
    fn count(&mut self, sameness: String) -> u32 {
        let count = self.counts.entry(sameness).or_insert(0);
        *count += 1;
        *count - 1
    }

    /// Whom the document makes by asserting something of them. A fresh reading and a kept one claim alike, since
    /// only the assertion is asked; for whom the document stands is for `own_claim` to say.
    fn claim_made(&mut self, task: &Task<'_>, origin: &Origin, assertion: &Assertion) {
        let stands_for = task.stands_for.clone().or_else(|| task.patterns.stands_for(&task.path));
        for key in [assertion.subject.known(), assertion.object.known()].into_iter().flatten() {
            if stands_for.as_ref() != Some(key) && task.reader.ontology.makes(key) {
                let claim = EntityClaim::of_text(key.clone(), origin.clone());
                self.claims.entry(Record::id(&claim)).or_insert(claim);
            }
        }
    }

    /// An assertion that stands as it was read.
    fn stands(&mut self, id: &str, assertion: &Assertion, place: &str) {
        self.count(sameness_of(assertion));
        self.after.insert(id.to_owned(), (assertion.clone(), Cause::Unexplained, place.to_owned()));
    }

    /// Whom an assertion that stands has made: what has the form of a key as a fresh reading claims it, all else as
    /// it was claimed.
    fn claim_kept(
        &mut self,
        session: &Session<'_>,
        task: &Task<'_>,
        assertion: &Assertion,
    ) -> Result<(), Error> {
        let ontology = &task.reader.ontology;
        self.claim_made(task, &assertion.origin, assertion);
        for key in [assertion.subject.known(), assertion.object.known()].into_iter().flatten() {
            let kind = ontology.entities.get(key.entity_type());
            if kind.is_none_or(|kind| kind.on_unknown != OnUnknown::Create) || ontology.makes(key) {
                continue;
            }
            if let Some(claim) = session.writer.view().get::<EntityClaim>(&format!("{key} in {}", task.id))? {
                self.claims.entry(Record::id(&claim)).or_insert(claim);
            }
        }
        Ok(())
    }

    fn claim_parts(&mut self, ontology: &Ontology, origin: &Origin, mentions: &[Mention]) {
        for claim in parts_named(ontology, origin, mentions) {
            self.claims.entry(Record::id(&claim)).or_insert(claim);
        }
    }
}

/// What makes two readings of a document the same but for their place.
pub(super) fn sameness(reading: &Reading) -> String {
    let side = |slot: &Slot| match slot.candidates.as_slice() {
        [] => slot.surface.clone(),
        candidates => joined(candidates),
    };
    let Reading { rule, subject, object, says, valid_from, valid_to, properties, evidence, .. } = reading;
    let (subject, object, quote) = (side(subject), side(object), &evidence.quote);
    format!("{rule} {subject} {object} {says:?} {valid_from:?} {valid_to:?} {properties:?} {quote}")
}

/// The same of a reading that was kept as an assertion.
fn sameness_of(assertion: &Assertion) -> String {
    let side = |resolution: &Resolution| match resolution {
        Resolution::Known(key) => key.to_string(),
        Resolution::Ambiguous { candidates, .. } => joined(candidates),
        Resolution::Unknown { surface, .. } => surface.clone(),
    };
    let Assertion { rule, subject, object, says, valid_from, valid_to, properties, evidence, .. } = assertion;
    let (subject, object, quote) = (side(subject), side(object), &evidence.quote);
    format!("{rule} {subject} {object} {says:?} {valid_from:?} {valid_to:?} {properties:?} {quote}")
}

fn joined(candidates: &[EntityKey]) -> String {
    candidates.iter().map(EntityKey::to_string).collect::<Vec<_>>().join("|")
}

fn log_work(session: &mut Session<'_>, task: &Task<'_>, chunk: &Chunk, is_new: bool) {
    let why = match (&task.why, is_new) {
        _ if task.before.is_none() => "new document",
        _ if task.reparsed => "parser changed",
        _ if task.renamed => "path changed",
        (_, true) => "text changed",
        (Why::Bytes(_), false) => "definition or other context changed",
        (Why::Name | Why::Edit(_), false) => "name changed",
        (Why::Rule, false) => "rule changed",
        (Why::Ontology, false) => "ontology changed",
        (Why::Withheld, false) => "program asked again",
        (Why::Again, false) => "asked for",
        (Why::Config, false) => "configuration changed",
    };
    let log = &mut session.report.work.log;
    if log.len() < LOG_LIMIT {
        log.push(WorkEntry {
            document: task.id.to_string(),
            line: chunk.spot().line(),
            place: chunk.spot().to_string(),
            chunk: chunk.id.to_string(),
            why: why.to_owned(),
        });
    }
}
