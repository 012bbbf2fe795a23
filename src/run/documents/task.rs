//! A document's task: everything that reading it needs, gathered from folder, register and store as values.

use std::collections::BTreeMap;

use super::Why;
use crate::diag::{Diagnostic, Place};
use crate::link::Lexicon;
use crate::model::chunk::Chunk;
use crate::model::id::{ChunkId, DocumentId, EntityKey, Fingerprint};
use crate::model::job::Source;
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
    pub(super) moved: bool,
}

/// Reads what a task needs. `None` if the file cannot be read tonight: it stays as it is.
pub(super) fn gather<'t>(
    session: &mut Session<'_>,
    id: &DocumentId,
    means: Means<'t>,
    registers: &Registers<'_>,
    why: Why,
    moved: bool,
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
                return Ok(None);
            }
        },
        Why::Edit(text) => text.clone().map(String::into_bytes),
        Why::Name | Why::Rule | Why::Ontology | Why::Withheld | Why::Config => None,
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
    let extractions: Vec<Extraction> = view.by("document", &id.to_string())?;
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
        moved,
    }))
}

fn count_not_selected(session: &mut Session<'_>, source: &Source) {
    if let Some(report) = session.report.inputs.iter_mut().find(|input| input.name == source.name) {
        report.not_selected += 1;
        report.added = report.added.saturating_sub(1);
    }
}
