//! Documents: parse, chunk, link and extract what changed, batch by batch, and write what that gives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::diag::{Diagnostic, Place};
use crate::extract::Setting;
use crate::link::Lexicon;
use crate::model::assertion::{Assertion, Left, Origin, Reading};
use crate::model::cause::Cause;
use crate::model::chunk::Chunk;
use crate::model::document::Document;
use crate::model::entity::EntityClaim;
use crate::model::id::{ChunkId, DocumentId, EntityKey, Fingerprint};
use crate::model::job::{Gone, Source};
use crate::model::mention::{Known, Mention};
use crate::model::time::Date;
use crate::ontology::{Create, Ontology};
use crate::source::folder;
use crate::store::{ChunkRecord, ChunkRef, DocumentRecord, Extraction, Kind, Record};
use crate::{chunk, parse};

use super::Error;
use super::amend::Amendment;
use super::edits::text_of;
use super::patterns::Patterns;
use super::register::{Registers, Standing};
use super::report::WorkEntry;
use super::session::Session;
use super::setup::Reader;
use super::step::Step;

/// How many documents are held in memory at once.
const BATCH: usize = 64;
/// How many extracted chunks the work log names.
const LOG_LIMIT: usize = 10_000;
/// A document that had fewer characters than this may lose half of them without being suspected.
const LOSS_FLOOR: usize = 200;

/// Why a document is looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// Its bytes changed, or it is new.
    Bytes(OnDisk),
    /// A person's edit: a name that occurs in it came or went, or the edit brought it with this text.
    Edit(Option<String>),
    /// A name that occurs in it came or went.
    Name,
    /// A rule that can touch it changed.
    Rule,
    /// The ontology's types or a stage changed: everything is read again.
    Ontology,
    /// Its source's configuration or its row of the register changed.
    Config,
}

/// Where a document's file is now.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OnDisk {
    /// Its path below the source's folder.
    pub(super) path: String,
    /// Where to read it.
    pub(super) file: PathBuf,
}

/// What a run does with its documents.
pub(super) struct Plan {
    /// Documents to look at, and why.
    pub(super) look: BTreeMap<DocumentId, Why>,
    /// Documents that are gone.
    pub(super) gone: BTreeSet<DocumentId>,
    /// Gone document → the new document that it became.
    pub(super) moves: BTreeMap<DocumentId, DocumentId>,
}

/// One document's work: everything that the pure part needs, as values.
struct Task<'t> {
    id: DocumentId,
    /// The path of its file below the source's folder, which is its key unless one is declared.
    path: String,
    source: &'t Source,
    patterns: &'t Patterns<'t>,
    reader: &'t Reader,
    lexicon: &'t Lexicon,
    bytes: Option<Vec<u8>>,
    stored: Vec<Chunk>,
    before: Option<DocumentRecord>,
    inputs: BTreeMap<(ChunkId, u32), Fingerprint>,
    standing: Standing,
    /// The entity for which it stands, where no name of a file says so.
    stands_for: Option<EntityKey>,
    why: Why,
    moved: bool,
}

/// What was read anew in a chunk.
struct Fresh {
    readings: Vec<Reading>,
    mentions: Vec<Mention>,
}

/// What the pure part made of a task.
struct Done {
    record: DocumentRecord,
    chunks: Vec<Chunk>,
    /// For each chunk: its input's fingerprint, and what was read unless that is the stored one.
    read: Vec<(Fingerprint, Option<Fresh>)>,
    parsed: bool,
    diagnostics: Vec<Diagnostic>,
}

/// Looks at the documents of a plan.
pub(super) fn look_at_all(
    session: &mut Session<'_>,
    plan: &Plan,
    lexicons: &BTreeMap<String, Lexicon>,
    registers: &Registers,
) -> Result<(), Error> {
    let sources: BTreeMap<String, (&Source, &Reader, String)> = session
        .setup
        .jobs
        .iter()
        .flat_map(|job| job.sources.values().map(move |source| (source, job)))
        .map(|(source, job)| {
            (source.name.clone(), (source, &session.setup.readers[&job.ontology], job.ontology.clone()))
        })
        .collect();
    let patterns: BTreeMap<&String, Patterns<'_>> =
        sources.iter().map(|(name, (source, ..))| (name, Patterns::of(source))).collect();
    let no_patterns = Patterns::of(&session.setup.edits);
    let targets: BTreeSet<&DocumentId> = plan.moves.values().collect();
    let ids: Vec<&DocumentId> = plan.look.keys().collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(session.options.threads)
        .build()
        .map_err(|error| Error::Bug(format!("a thread pool: {error}")))?;
    // While one batch is written, the next one is worked on: the store has one writer, the rest has all cores.
    let (mut batches, mut worked_on, mut so_far) = (ids.chunks(BATCH), Worked::None, 0);
    while so_far < ids.len() {
        let mut tasks = Vec::with_capacity(BATCH);
        for id in batches.next().unwrap_or_default() {
            // A text that came with an edit stands in no folder: its edit says how it is read.
            let text = text_of(session, id)?;
            let of_edit = text.as_ref().and_then(|text| {
                let reader = session.setup.readers.get(&text.ontology)?;
                Some((&session.setup.edits, reader, text.ontology.clone()))
            });
            let Some((source, reader, ontology)) = of_edit.or_else(|| sources.get(id.source()).cloned())
            else {
                continue;
            };
            let patterns = patterns.get(&source.name).unwrap_or(&no_patterns);
            let why = plan.look[*id].clone();
            let moved = targets.contains(id);
            let lexicon = &lexicons[&ontology];
            let task = task(session, id, source, patterns, reader, lexicon, registers, why, moved)?;
            tasks.extend(task.map(|task| Task { stands_for: text.map(|text| text.entity), ..task }));
        }
        let before = worked_on.take();
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                let done = tasks.into_par_iter().map(|mut task| {
                    let done = work(&mut task);
                    (task, done)
                });
                worked_on = Some(done.collect());
            });
            before.map_or(Ok(()), |before| write_batch(session, before, &mut so_far, ids.len()))
        })?;
    }
    for id in &plan.gone {
        let moved_to = plan.moves.get(id);
        let record: Option<DocumentRecord> = session.writer.view().get(&id.to_string())?;
        let gone = match (sources.get(id.source()), record) {
            (Some((source, reader, _)), Some(record)) => {
                what_gone_means(session, &record, source, reader, registers)
            }
            (..) => Ends::Never,
        };
        remove(session, id, gone, moved_to)?;
    }
    Ok(())
}

/// A batch that was worked on and is to be written; `None` before the first.
type Worked<'t> = Option<Vec<(Task<'t>, Result<Done, Vec<Diagnostic>>)>>;

/// Writes a batch.
fn write_batch(
    session: &mut Session<'_>,
    batch: Vec<(Task<'_>, Result<Done, Vec<Diagnostic>>)>,
    so_far: &mut usize,
    of: usize,
) -> Result<(), Error> {
    for (task, done) in batch {
        match done {
            Ok(done) => write(session, &task, done)?,
            Err(diagnostics) => session.diagnostics.extend(diagnostics),
        }
    }
    session.writer.batch()?;
    *so_far = (*so_far + BATCH).min(of);
    session.reached(Step::BatchWritten, *so_far as u64, of as u64)
}

/// Reads what a task needs. `None` if the file cannot be read tonight: it stays as it is.
#[expect(clippy::too_many_arguments, reason = "a task is made in one place, of what that place has")]
fn task<'t>(
    session: &mut Session<'_>,
    id: &DocumentId,
    source: &'t Source,
    patterns: &'t Patterns<'t>,
    reader: &'t Reader,
    lexicon: &'t Lexicon,
    registers: &Registers,
    why: Why,
    moved: bool,
) -> Result<Option<Task<'t>>, Error> {
    let view = session.writer.view();
    let before: Option<DocumentRecord> = view.get(&id.to_string())?;
    let path = match (&why, &before) {
        (Why::Bytes(on_disk), _) => on_disk.path.clone(),
        (_, Some(before)) => before.path.clone(),
        (Why::Edit(Some(_)), None) => id.key().to_owned(),
        (_, None) => return Ok(None),
    };
    let bytes = match &why {
        Why::Bytes(on_disk) => match folder::read(&on_disk.file, source.max_bytes) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let place = Place::file(format!("{}/{path}", source.path));
                let message = format!("it cannot be read and stays as it was: {error}");
                session.diagnostics.push(Diagnostic::error("scan-unreadable", place, message));
                return Ok(None);
            }
        },
        Why::Edit(text) => text.clone().map(String::into_bytes),
        Why::Name | Why::Rule | Why::Ontology | Why::Config => None,
    };
    let standing = registers.standing(source, &path);
    if !standing.selected && before.is_none() {
        count_not_selected(session, source);
        return Ok(None);
    }
    let mut stored = Vec::new();
    if bytes.is_none() {
        let Some(before) = &before else { return Ok(None) };
        for part in &before.chunks {
            let Some(record) = view.get::<ChunkRecord>(&part.id.to_string())? else {
                return Err(Error::Bug(format!(
                    "the chunk {} of {id} is missing: see `edgewright verify`",
                    part.id
                )));
            };
            stored.push(Chunk {
                id: part.id,
                occurrence: part.occurrence,
                start: part.start,
                line: part.line,
                body: record.body,
            });
        }
    }
    let extractions: Vec<Extraction> = view.by("document", &id.to_string())?;
    let inputs = extractions
        .into_iter()
        .map(|extraction| ((extraction.chunk, extraction.occurrence), extraction.input))
        .collect();
    Ok(Some(Task {
        id: id.clone(),
        path,
        source,
        patterns,
        reader,
        lexicon,
        bytes,
        stored,
        before,
        inputs,
        standing,
        stands_for: None,
        why,
        moved,
    }))
}

fn count_not_selected(session: &mut Session<'_>, source: &Source) {
    if let Some(report) = session.report.inputs.iter_mut().find(|input| input.name == source.name) {
        report.not_selected += 1;
        report.added = report.added.saturating_sub(1);
    }
}

/// The pure part: bytes or stored chunks in, readings out.
fn work(task: &mut Task<'_>) -> Result<Done, Vec<Diagnostic>> {
    let file = format!("{}/{}", task.source.path, task.path);
    let mut diagnostics = Vec::new();
    let mut parsed = false;
    let (mut record, chunks) = match task.bytes.take() {
        Some(bytes) => {
            parsed = true;
            let format = parse::Format::of(&task.path).unwrap_or(parse::Format::Text);
            let (document, problems) = parse::parse(&file, format, &bytes);
            diagnostics.extend(problems);
            let Some(document) = document else { return Err(diagnostics) };
            if let Some(lost) = parse_loss(task, &file, &document) {
                diagnostics.push(lost);
                return Err(diagnostics);
            }
            let chunks = chunk::split(&document, task.reader.language);
            (record_of(task, Fingerprint::of_bytes(&bytes), &document, &chunks), chunks)
        }
        None => {
            let Some(before) = task.before.clone() else { return Err(diagnostics) };
            (before, std::mem::take(&mut task.stored))
        }
    };
    apply_standing(task, &mut record);
    let setting = Setting {
        stands_for: record.stands_for.clone(),
        fields: record.fields.clone(),
        effective: record.effective.is_some(),
        date_order: task.source.date_order,
        path: task.path.clone(),
        targets: task.patterns.targets(&task.path, &chunks),
    };
    let extractor = &task.reader.extractor;
    let (mentions, bindings) = super::names::link(task.lexicon, extractor, &setting, &chunks);
    let mut read = Vec::with_capacity(chunks.len());
    for (at, chunk) in chunks.iter().enumerate() {
        let input = extractor.input(&setting, &bindings, at, chunk, &mentions[at]);
        let fingerprint = input.fingerprint();
        let stored = task.inputs.get(&(chunk.id, chunk.occurrence));
        let kept = stored == Some(&fingerprint)
            || (stored.is_some() && crate::model::sabotage::is_off("context-fingerprint"));
        read.push(if kept {
            (fingerprint, None)
        } else {
            let extraction = extractor.extract(&input);
            let fresh = Fresh { readings: extraction.readings, mentions: extraction.mentions };
            (fingerprint, Some(fresh))
        });
    }
    Ok(Done { record, chunks, read, parsed, diagnostics })
}

/// A document that parses to less than half of its former text is withheld like an unreadable one.
fn parse_loss(task: &Task<'_>, file: &str, document: &Document) -> Option<Diagnostic> {
    let before = task.before.as_ref()?;
    let suspicious = before.text_len >= LOSS_FLOOR && document.text.len() * 2 < before.text_len;
    if !suspicious || task.standing.loss_accepted {
        return None;
    }
    let message = format!(
        "it has {} bytes of text and had {}: it stays as it was",
        document.text.len(),
        before.text_len
    );
    let hint =
        format!("if this is right: `edgewright accept scope {}/{} --reason …`", task.source.name, task.path);
    Some(Diagnostic::error("parse-loss", Place::file(file), message).hint(hint))
}

fn record_of(task: &Task<'_>, content: Fingerprint, document: &Document, chunks: &[Chunk]) -> DocumentRecord {
    DocumentRecord {
        document: task.id.clone(),
        path: task.path.clone(),
        content,
        text_len: document.text.len(),
        title: document.title.clone(),
        stands_for: None,
        effective: None,
        dated: None,
        access: task.source.access.clone(),
        withdrawn: false,
        retracted: task.before.as_ref().and_then(|before| before.retracted.clone()),
        fields: document.fields.clone(),
        chunks: chunks
            .iter()
            .map(|chunk| ChunkRef {
                id: chunk.id,
                occurrence: chunk.occurrence,
                start: chunk.start,
                line: chunk.line,
            })
            .collect(),
    }
}

/// What the file's name, its fields and its row of the register say of the document.
fn apply_standing(task: &Task<'_>, record: &mut DocumentRecord) {
    record.access = task.source.access.clone();
    record.stands_for = task.stands_for.clone().or_else(|| task.patterns.stands_for(&task.path));
    let language = task.reader.language;
    record.effective = task.standing.effective(&record.fields, task.source, language);
    record.dated = record.effective.or_else(|| super::register::dated(&record.fields, task.source, language));
    record.withdrawn =
        task.standing.withdrawn || super::register::withdrawn_by_field(&record.fields, task.source);
}

/// Writes what a task gave: the document, its chunks, what was read, and which facts that touches.
fn write(session: &mut Session<'_>, task: &Task<'_>, done: Done) -> Result<(), Error> {
    let Done { record, chunks, read, parsed, diagnostics } = done;
    session.diagnostics.extend(diagnostics);
    session.report.work.parsed += u64::from(parsed);
    let file = format!("{}/{}", task.source.path, task.path);
    let had: BTreeSet<(ChunkId, u32)> = task
        .before
        .iter()
        .flat_map(|before| before.chunks.iter().map(|part| (part.id, part.occurrence)))
        .collect();
    let before_assertions: Vec<Assertion> = session.writer.view().by("document", &task.id.to_string())?;
    let mut stood: BTreeMap<String, Assertion> =
        before_assertions.into_iter().map(|assertion| (Record::id(&assertion), assertion)).collect();

    session.writer.put(&record)?;
    if task.before.as_ref().is_none_or(|before| before.content != record.content) {
        session.changed_sources.insert(task.source.name.clone());
    }
    let ontology = &task.reader.ontology;
    let mut claims: BTreeMap<String, EntityClaim> = BTreeMap::new();
    if let Some(claim) = own_claim(ontology, &record, &chunks) {
        claims.insert(Record::id(&claim), claim);
    }
    let mut after: BTreeMap<String, (Assertion, Cause, String)> = BTreeMap::new();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (chunk, (input, reading)) in chunks.iter().zip(read) {
        let origin =
            Origin::Chunk { document: task.id.clone(), chunk: chunk.id, occurrence: chunk.occurrence };
        let detail = format!("{file}:{}", chunk.line);
        let is_new = !had.contains(&(chunk.id, chunk.occurrence));
        if let Some(Fresh { readings, mentions }) = reading {
            session.report.work.extracted += 1;
            log_work(session, task, chunk, is_new);
            if is_new {
                session.writer.put(&ChunkRecord { id: chunk.id, body: chunk.body.clone() })?;
            }
            for reading in readings {
                // The same reading of the same words, further down in the document, is another attestation.
                let count = counts.entry(sameness(&reading)).or_insert(0);
                let occurrence = *count;
                *count += 1;
                let Some((assertion, created)) = session.assertion(ontology, reading, &origin, occurrence)?
                else {
                    continue;
                };
                for claim in created {
                    claims.insert(Record::id(&claim), claim);
                }
                let cause = cause_of_gain(task, is_new);
                let detail =
                    named_with(&detail, cause, &assertion, &|id| had.iter().any(|(had, _)| had == id));
                after.insert(Record::id(&assertion), (assertion, cause, detail));
            }
            for claim in parts_named(ontology, &origin, &mentions) {
                claims.entry(Record::id(&claim)).or_insert(claim);
            }
            session.writer.put(&Extraction {
                document: task.id.clone(),
                chunk: chunk.id,
                occurrence: chunk.occurrence,
                input,
                mentions,
            })?;
        } else {
            session.report.work.kept += 1;
            keep(
                session,
                chunk,
                &origin,
                &mut stood,
                &mut counts,
                &mut after,
                &detail,
                ontology,
                &mut claims,
            )?;
        }
    }
    settle_claims(session, &task.id, claims)?;
    settle_assertions(session, task, &record, &file, &chunks, stood, after)?;
    let now: BTreeSet<(ChunkId, u32)> = chunks.iter().map(|chunk| (chunk.id, chunk.occurrence)).collect();
    for (chunk, occurrence) in had.difference(&now) {
        session.writer.close(Kind::Extraction, &Extraction::id_of(&task.id, *chunk, *occurrence))?;
    }
    whole_document_changes(session, task, &record, &file)
}

/// A chunk whose inputs are the ones that were extracted: what was read in it stands, however far it moved.
#[expect(clippy::too_many_arguments, reason = "the other half of `write`, apart for its length")]
fn keep(
    session: &Session<'_>,
    chunk: &Chunk,
    origin: &Origin,
    stood: &mut BTreeMap<String, Assertion>,
    counts: &mut BTreeMap<String, u32>,
    after: &mut BTreeMap<String, (Assertion, Cause, String)>,
    detail: &str,
    ontology: &Ontology,
    claims: &mut BTreeMap<String, EntityClaim>,
) -> Result<(), Error> {
    let here: Vec<String> = stood
        .iter()
        .filter(|(_, assertion)| assertion.origin == *origin && assertion.left.is_none())
        .map(|(id, _)| id.clone())
        .collect();
    for id in here {
        let Some(assertion) = stood.get(&id) else { continue };
        let reading = sameness_of(assertion);
        *counts.entry(reading).or_insert(0) += 1;
        after.insert(id.clone(), (assertion.clone(), Cause::Unexplained, detail.to_owned()));
    }
    if let Origin::Chunk { document, .. } = origin {
        let id = Extraction::id_of(document, chunk.id, chunk.occurrence);
        if let Some(extraction) = session.writer.view().get::<Extraction>(&id)? {
            for claim in parts_named(ontology, origin, &extraction.mentions) {
                claims.entry(Record::id(&claim)).or_insert(claim);
            }
        }
    }
    for (_, (assertion, ..)) in after.iter().filter(|(_, (assertion, ..))| assertion.origin == *origin) {
        for key in [assertion.subject.known(), assertion.object.known()].into_iter().flatten() {
            let creates = ontology
                .entities
                .get(key.entity_type())
                .is_some_and(|entity| entity.on_unknown == crate::ontology::OnUnknown::Create);
            let claimed: Option<EntityClaim> =
                session.writer.view().get(&format!("{key} in {}", origin_document(origin)))?;
            if let (true, Some(claim)) = (creates, claimed) {
                claims.entry(Record::id(&claim)).or_insert(claim);
            }
        }
    }
    Ok(())
}

fn origin_document(origin: &Origin) -> String {
    origin.document().map(DocumentId::to_string).unwrap_or_default()
}

/// What makes two readings of a document the same but for their place.
fn sameness(reading: &Reading) -> String {
    let surfaces = |slot: &crate::model::assertion::Slot| {
        let candidates: Vec<String> = slot.candidates.iter().map(EntityKey::to_string).collect();
        if candidates.is_empty() { slot.surface.clone() } else { candidates.join("|") }
    };
    format!(
        "{} {} {} {:?} {:?} {:?} {:?} {}",
        reading.rule,
        surfaces(&reading.subject),
        surfaces(&reading.object),
        reading.says,
        reading.valid_from,
        reading.valid_to,
        reading.properties,
        reading.evidence.quote
    )
}

fn sameness_of(assertion: &Assertion) -> String {
    let side = |resolution: &crate::model::mention::Resolution| match resolution {
        crate::model::mention::Resolution::Known(key) => key.to_string(),
        crate::model::mention::Resolution::Ambiguous { candidates, .. } => {
            candidates.iter().map(EntityKey::to_string).collect::<Vec<_>>().join("|")
        }
        crate::model::mention::Resolution::Unknown { surface, .. } => surface.clone(),
    };
    format!(
        "{} {} {} {:?} {:?} {:?} {:?} {}",
        assertion.rule,
        side(&assertion.subject),
        side(&assertion.object),
        assertion.says,
        assertion.valid_from,
        assertion.valid_to,
        assertion.properties,
        assertion.evidence.quote
    )
}

/// Why an assertion is there that was not there before.
fn cause_of_gain(task: &Task<'_>, is_new_chunk: bool) -> Cause {
    if task.moved {
        return Cause::Moved;
    }
    if let Why::Edit(_) = task.why {
        return Cause::Curator;
    }
    if task.before.is_none() {
        return Cause::NewDocument;
    }
    if is_new_chunk { Cause::TextAdded } else { cause_of_look(&task.why) }
}

/// Why a chunk that is still there reads differently.
fn cause_of_look(why: &Why) -> Cause {
    match why {
        Why::Bytes(_) => Cause::DefinitionChanged,
        Why::Edit(_) => Cause::Curator,
        Why::Name => Cause::FeedRow,
        Why::Rule | Why::Ontology => Cause::OntologyChanged,
        Why::Config => Cause::Config,
    }
}

/// The place of a change, with the definition or binding that changed: the one that an assertion rests on and
/// that stands in no chunk of the document's other version.
fn named_with(place: &str, cause: Cause, assertion: &Assertion, other: &dyn Fn(&ChunkId) -> bool) -> String {
    let mut support = assertion.evidence.support.iter().filter(|_| cause == Cause::DefinitionChanged);
    match support.find(|support| support.chunk.is_some_and(|chunk| !other(&chunk))) {
        Some(changed) => format!("{place}, {}: {}", changed.role, changed.text),
        None => place.to_owned(),
    }
}

fn log_work(session: &mut Session<'_>, task: &Task<'_>, chunk: &Chunk, is_new: bool) {
    let why = match (&task.why, is_new) {
        _ if task.before.is_none() => "new document",
        (_, true) => "text changed",
        (Why::Bytes(_), false) => "definition or other context changed",
        (Why::Name | Why::Edit(_), false) => "name changed",
        (Why::Rule, false) => "rule changed",
        (Why::Ontology, false) => "ontology changed",
        (Why::Config, false) => "configuration changed",
    };
    let log = &mut session.report.work.log;
    if log.len() < LOG_LIMIT {
        log.push(WorkEntry {
            document: task.id.to_string(),
            line: chunk.line,
            chunk: chunk.id.to_string(),
            why: why.to_owned(),
        });
    }
}

/// A document that stands for an entity claims it, if its type may come from documents.
fn own_claim(ontology: &Ontology, record: &DocumentRecord, chunks: &[Chunk]) -> Option<EntityClaim> {
    let entity = record.stands_for.clone()?;
    let kind = ontology.entities.get(entity.entity_type())?;
    let first = chunks.first()?;
    (kind.create != Create::Never).then(|| EntityClaim {
        entity,
        origin: Origin::Chunk {
            document: record.document.clone(),
            chunk: first.id,
            occurrence: first.occurrence,
        },
        names: Vec::new(),
        former: BTreeMap::new(),
        properties: BTreeMap::from([("title".to_owned(), record.title.clone())]),
        merged_into: None,
        gone: false,
    })
}

/// Parts that a text names by their written form ("Schedule 7") exist by being named, if their type says so.
fn parts_named(ontology: &Ontology, origin: &Origin, mentions: &[Mention]) -> Vec<EntityClaim> {
    mentions
        .iter()
        .filter(|mention| mention.how == Known::Pattern)
        .filter_map(|mention| match mention.candidates.as_slice() {
            [one] => Some(one),
            _ => None,
        })
        .filter(|entity| {
            ontology.entities.get(entity.entity_type()).is_some_and(|kind| kind.create == Create::FromText)
        })
        .map(|entity| EntityClaim {
            entity: entity.clone(),
            origin: origin.clone(),
            names: Vec::new(),
            former: BTreeMap::new(),
            properties: BTreeMap::new(),
            merged_into: None,
            gone: false,
        })
        .collect()
}

/// Makes what a document claims the only thing that it claims.
fn settle_claims(
    session: &mut Session<'_>,
    document: &DocumentId,
    claims: BTreeMap<String, EntityClaim>,
) -> Result<(), Error> {
    let stood: Vec<EntityClaim> = session.writer.view().by("document", &document.to_string())?;
    for claim in stood.iter().filter(|claim| !claims.contains_key(&Record::id(*claim))) {
        session.close_claim(claim)?;
    }
    claims.values().try_for_each(|claim| session.put_claim(claim))
}

/// Makes what a document asserts the only thing that it asserts, and says why each difference is there.
fn settle_assertions(
    session: &Session<'_>,
    task: &Task<'_>,
    record: &DocumentRecord,
    file: &str,
    chunks: &[Chunk],
    stood: BTreeMap<String, Assertion>,
    after: BTreeMap<String, (Assertion, Cause, String)>,
) -> Result<(), Error> {
    let lines: BTreeMap<ChunkId, u32> = chunks.iter().map(|chunk| (chunk.id, chunk.line)).collect();
    let edited = task.before.as_ref().filter(|_| matches!(task.why, Why::Bytes(_)));
    let amendment = edited.and_then(|former| Amendment::of(task.source, former, record));
    for (id, before) in stood.iter().filter(|(id, _)| !after.contains_key(*id)) {
        let chunk = match &before.origin {
            Origin::Chunk { chunk, .. } => *chunk,
            Origin::Row { .. } => continue,
        };
        let still_there = lines.get(&chunk);
        let cause = if still_there.is_some() { cause_of_look(&task.why) } else { Cause::TextRemoved };
        let detail = match still_there {
            Some(line) => {
                let place = format!("{file}:{line}");
                named_with(&place, cause, before, &|id| lines.contains_key(id))
            }
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
    Ok(())
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
fn whole_document_changes(
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
        Why::Bytes(_) => Cause::TextAdded,
        Why::Edit(_) => Cause::Curator,
        Why::Name | Why::Rule | Why::Ontology => Cause::FeedRow,
    };
    let cause = if task.standing.from_register { Cause::FeedRow } else { cause };
    let detail = match (before.withdrawn, record.withdrawn) {
        (false, true) => format!("{file} was withdrawn"),
        (true, false) => format!("the withdrawal of {file} was taken back"),
        (false, false) | (true, true) => file.to_owned(),
    };
    session.touch_document(&task.id, cause, &detail)
}

/// What becomes of what a document said that is gone.
enum Ends {
    /// It never held.
    Never,
    /// It stays.
    Stays,
    /// It ends on a day, for this reason.
    On(Date, String),
}

/// A document is gone: what that means is declared. It ends on the day that its row of the register names, else
/// on the day on which it was seen to be gone.
fn what_gone_means(
    session: &Session<'_>,
    record: &DocumentRecord,
    source: &Source,
    reader: &Reader,
    registers: &Registers,
) -> Ends {
    let id = &record.document;
    let column = match &source.gone {
        Gone::Retract => return Ends::Never,
        Gone::Keep => return Ends::Stays,
        Gone::Expire { date } => date.as_ref(),
    };
    match column.and_then(|column| registers.day(source, &record.path, column, reader.language)) {
        Some(on) => Ends::On(on, format!("{id} is gone, and the register ends it on {on}")),
        None => {
            Ends::On(session.options.today, format!("{id} was seen to be gone on {}", session.options.today))
        }
    }
}

/// A document is gone, or is another one now.
fn remove(
    session: &mut Session<'_>,
    id: &DocumentId,
    gone: Ends,
    moved_to: Option<&DocumentId>,
) -> Result<(), Error> {
    match (gone, moved_to) {
        (_, Some(to)) => {
            repoint_decisions(session, id, to)?;
            close(session, id, None, Cause::Moved, &format!("{id} is now {to}"))
        }
        (Ends::Stays, None) => Ok(()),
        (Ends::Never, None) => close(session, id, None, Cause::DocumentGone, &id.to_string()),
        (Ends::On(on, why), None) => {
            close(session, id, Some((on, why)), Cause::DocumentGone, &id.to_string())
        }
    }
}

/// Closes a document with all that was read in it; with an end, what it said ends then and stays attested.
pub(super) fn close(
    session: &mut Session<'_>,
    id: &DocumentId,
    ends: Option<(Date, String)>,
    cause: Cause,
    detail: &str,
) -> Result<(), Error> {
    let Some(record) = session.writer.view().get::<DocumentRecord>(&id.to_string())? else { return Ok(()) };
    let ends = ends.map(|(on, why)| Left { on, why, dated: record.dated });
    let assertions: Vec<Assertion> = session.writer.view().by("document", &id.to_string())?;
    for assertion in &assertions {
        match &ends {
            None => session.remove_assertion(assertion, cause, detail)?,
            Some(ends) => {
                let left = Some(assertion.left.clone().unwrap_or_else(|| ends.clone()));
                let left = Assertion { left, ..assertion.clone() };
                session.writer.put(&left)?;
                session.touch(&left, cause, detail)?;
            }
        }
    }
    session.changed_sources.insert(id.source().to_owned());
    settle_claims(session, id, BTreeMap::new())?;
    for part in &record.chunks {
        session.writer.close(Kind::Extraction, &Extraction::id_of(id, part.id, part.occurrence))?;
    }
    session.writer.close(Kind::Document, &id.to_string())?;
    Ok(())
}

/// Decisions follow a document to its new name.
fn repoint_decisions(session: &Session<'_>, from: &DocumentId, to: &DocumentId) -> Result<(), Error> {
    let assertions: Vec<Assertion> = session.writer.view().by("document", &from.to_string())?;
    let mut facts: BTreeSet<String> = assertions
        .iter()
        .map(|assertion| crate::model::decision::Question::of(assertion).fact.to_string())
        .collect();
    // A rejected assertion may be gone for other reasons; its decision follows all the same.
    facts.extend(
        session
            .writer
            .view()
            .all::<crate::model::decision::Decision>()?
            .into_iter()
            .filter(|decision| decision.question.document.as_ref() == Some(from))
            .map(|decision| decision.question.fact.to_string()),
    );
    for fact in facts {
        let log: Vec<crate::model::decision::Decision> = session.writer.view().by("fact", &fact)?;
        for mut decision in
            log.into_iter().filter(|decision| decision.question.document.as_ref() == Some(from))
        {
            decision.question.document = Some(to.clone());
            session.writer.put(&decision)?;
        }
    }
    Ok(())
}
