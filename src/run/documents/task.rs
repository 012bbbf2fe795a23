//! A document's task: everything that reading it needs, gathered from folder, register and store as values.

use std::collections::BTreeMap;

use super::Why;
use crate::diag::{Diagnostic, Place};
use crate::link::Lexicon;
use crate::model::assertion::{Assertion, Origin, Reading, Slot};
use crate::model::chunk::Chunk;
use crate::model::id::{ChunkId, DocumentId, EntityKey, Fingerprint};
use crate::model::job::Source;
use crate::model::mention::Resolution;
use crate::ontology::{OnUnknown, Ontology};
use crate::run::Error;
use crate::run::patterns::Patterns;
use crate::run::register::{Registers, Standing};
use crate::run::session::Session;
use crate::run::setup::Reader;
use crate::source::folder;
use crate::store::{ChunkRecord, DocumentRecord, Extraction};

/// By what a document is read: what its source and its ontology declare.
#[derive(Clone, Copy)]
pub(super) struct Means<'t> {
    pub(super) source: &'t Source,
    pub(super) patterns: &'t Patterns<'t>,
    pub(super) reader: &'t Reader,
    pub(super) lexicon: &'t Lexicon,
}

/// One document's work: everything that the pure part needs, as values.
pub(super) struct Task<'t> {
    pub(super) id: DocumentId,
    /// The path of its file below the source's folder, which is its key unless one is declared.
    pub(super) path: String,
    pub(super) source: &'t Source,
    pub(super) patterns: &'t Patterns<'t>,
    pub(super) reader: &'t Reader,
    pub(super) lexicon: &'t Lexicon,
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) stored: Vec<Chunk>,
    pub(super) before: Option<DocumentRecord>,
    /// By chunk: what its extraction depended on, and what programs of the user's were answered about.
    pub(super) inputs: BTreeMap<(ChunkId, u32), (Fingerprint, BTreeMap<String, Fingerprint>)>,
    pub(super) standing: Standing,
    /// The entity for which it stands, where no name of a file says so.
    pub(super) stands_for: Option<EntityKey>,
    pub(super) why: Why,
    /// True if its bytes and its path are those that were read before: what differs then is the parser's doing.
    pub(super) reparsed: bool,
    /// True if its bytes are those that were read before and its path is another: what differs then is the path's doing.
    pub(super) renamed: bool,
    /// False if no program of a rule is asked: what its rules would say is not known, then.
    pub(super) asks: bool,
    pub(super) moved: bool,
    /// Of a document that moved: what programs of the user's had answered about its chunks.
    pub(super) heard: BTreeMap<(ChunkId, u32), Heard>,
}

/// What programs had answered about a chunk: by rule what they were asked, and what they then said.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) answered: BTreeMap<String, Fingerprint>,
    pub(super) readings: Vec<Reading>,
}

/// Reads what a task needs. `None` if the file cannot be read tonight: it stays as it is.
pub(super) fn gather<'t>(
    session: &mut Session<'_>,
    id: &DocumentId,
    means: Means<'t>,
    registers: &Registers<'_>,
    why: Why,
    former: Option<&DocumentId>,
) -> Result<Option<Task<'t>>, Error> {
    let Means { source, patterns, reader, lexicon } = means;
    let view = session.writer.view();
    let before: Option<DocumentRecord> = view.get(&id.to_string())?;
    let path = match (&why, &before) {
        (Why::Bytes(on_disk), _) => on_disk.path(id).to_owned(),
        (_, Some(before)) => before.path.clone(),
        (Why::Edit(Some(_)), None) => id.key().to_owned(),
        (_, None) => return Ok(None),
    };
    let standing = registers.standing(source, &path)?;
    if !standing.selected && before.is_none() {
        count_not_selected(session, source);
        return Ok(None);
    }
    let bytes = match &why {
        Why::Bytes(on_disk) => match folder::read(&on_disk.file(id), source.max_bytes) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                let place = Place::file(format!("{}/{path}", source.path));
                let message = format!("it cannot be read and stays as it was: {error}");
                session.diagnostics.push(Diagnostic::error("scan-unreadable", place, message));
                count_withheld(session, source, before.is_none());
                return Ok(None);
            }
        },
        Why::Edit(text) => text.clone().map(String::into_bytes),
        Why::Name | Why::Rule | Why::Ontology | Why::Withheld | Why::Again | Why::Config => None,
    };
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
            stored.push(part.chunk(record.body));
        }
    }
    let mut extractions: Vec<Extraction> = view.by("document", &id.to_string())?;
    if session.again.contains(id) {
        extractions.clear();
    }
    let inputs = extractions
        .into_iter()
        .map(|extraction| {
            ((extraction.chunk, extraction.occurrence), (extraction.input, extraction.answered))
        })
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
        reparsed: false,
        renamed: false,
        asks: true,
        moved: former.is_some(),
        heard: former
            .map_or_else(|| Ok(BTreeMap::new()), |former| heard(session, former, &reader.ontology))?,
    }))
}

/// What programs had answered about the chunks of a document that moved: under its new name it says the same, and
/// nobody is asked again.
fn heard(
    session: &Session<'_>,
    former: &DocumentId,
    ontology: &Ontology,
) -> Result<BTreeMap<(ChunkId, u32), Heard>, Error> {
    let view = session.writer.view();
    let extractions: Vec<Extraction> = view.by("document", &former.to_string())?;
    let answered = extractions.into_iter().filter(|extraction| !extraction.answered.is_empty());
    let mut heard: BTreeMap<(ChunkId, u32), Heard> = answered
        .map(|one| ((one.chunk, one.occurrence), Heard { answered: one.answered, readings: Vec::new() }))
        .collect();
    if heard.is_empty() {
        return Ok(heard);
    }
    let said: Vec<Assertion> = view.by("document", &former.to_string())?;
    for assertion in said.into_iter().filter(|assertion| assertion.left.is_none()) {
        let Origin::Chunk { chunk, occurrence, .. } = assertion.origin else { continue };
        let Some(heard) = heard.get_mut(&(chunk, occurrence)) else { continue };
        if heard.answered.contains_key(&assertion.rule) {
            heard.readings.push(reading(assertion, ontology));
        }
    }
    Ok(heard)
}

/// What was read, before it was resolved.
fn reading(assertion: Assertion, ontology: &Ontology) -> Reading {
    let made = |key: &EntityKey| {
        let kind = ontology.entities.get(key.entity_type());
        kind.is_some_and(|kind| kind.on_unknown == OnUnknown::Create) && !ontology.makes(key)
    };
    let slot = |side: Resolution| match side {
        // Whom the text has made it makes again.
        Resolution::Known(key) => Slot {
            surface: key.key().to_owned(),
            types: vec![key.entity_type().to_owned()],
            candidates: if made(&key) { Vec::new() } else { vec![key] },
        },
        Resolution::Ambiguous { surface, candidates } => Slot { surface, candidates, types: Vec::new() },
        Resolution::Unknown { surface, types } => Slot { surface, candidates: Vec::new(), types },
    };
    Reading {
        rule: assertion.rule,
        edge_type: assertion.edge_type,
        says: assertion.says,
        subject: slot(assertion.subject),
        object: slot(assertion.object),
        valid_from: assertion.valid_from,
        valid_to: assertion.valid_to,
        properties: assertion.properties,
        confidence: assertion.confidence,
        evidence: assertion.evidence,
        occurrence: 0,
    }
}

/// A document that could not be read is neither new nor changed, however often it is tried.
pub(super) fn count_withheld(session: &mut Session<'_>, source: &Source, is_new: bool) {
    if let Some(report) = session.report.inputs.iter_mut().find(|input| input.name == source.name) {
        report.withheld += 1;
        let counted = if is_new { &mut report.added } else { &mut report.changed };
        *counted = counted.saturating_sub(1);
        report.items = report.items.saturating_sub(u64::from(is_new));
    }
}

fn count_not_selected(session: &mut Session<'_>, source: &Source) {
    if let Some(report) = session.report.inputs.iter_mut().find(|input| input.name == source.name) {
        report.not_selected += 1;
        report.added = report.added.saturating_sub(1);
    }
}
