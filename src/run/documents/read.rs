//! Reading a document: parse, chunk, link and extract, from a task's values to what there is to write.

use std::collections::{BTreeMap, BTreeSet};

use super::Why;
use super::parse::parse;
use super::task::Task;
use crate::chunk;
use crate::diag::{Diagnostic, Place, Severity};
use crate::extract::Setting;
use crate::model::assertion::Reading;
use crate::model::chunk::Chunk;
use crate::model::document::Document;
use crate::model::id::Fingerprint;
use crate::model::mention::Mention;
use crate::model::sabotage;
use crate::run::{external, names, register};
use crate::store::{ChunkRef, DocumentRecord};
use crate::worker::Pool;

/// A document that had fewer characters than this may lose half of them without being suspected.
const LOSS_FLOOR: usize = 200;

/// What was read anew in a chunk.
pub(super) struct Fresh {
    pub(super) readings: Vec<Reading>,
    pub(super) mentions: Vec<Mention>,
    /// The rules whose programs have answered → what they were asked.
    pub(super) answered: BTreeMap<String, Fingerprint>,
    /// The rules whose programs need not be asked again: what they read here stands.
    pub(super) kept: BTreeSet<String>,
    /// The rules whose programs gave no answer: what they read stands as well.
    pub(super) silent: BTreeSet<String>,
    /// How much of what programs said is no assertion.
    pub(super) refused: u64,
}

/// What the pure part made of a task.
pub(super) struct Done {
    pub(super) record: DocumentRecord,
    pub(super) chunks: Vec<Chunk>,
    /// For each chunk: its input's fingerprint, and what was read unless that is the stored one.
    pub(super) read: Vec<(Fingerprint, Option<Fresh>)>,
    pub(super) parsed: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The pure part: bytes or stored chunks in, readings out.
pub(super) fn read(task: &mut Task<'_>, workers: &Pool) -> Result<Done, Vec<Diagnostic>> {
    let file = format!("{}/{}", task.source.path, task.path);
    let mut diagnostics = Vec::new();
    let mut parsed = false;
    let (mut record, chunks) = match task.bytes.take() {
        Some(bytes) => {
            parsed = true;
            let on_disk = match &task.why {
                Why::Bytes(on_disk) => Some(on_disk.file(&task.id)),
                _ => None,
            };
            let (document, problems) = parse(workers, task.source, &task.path, on_disk.as_deref(), &bytes);
            diagnostics.extend(problems);
            let Some(document) = document else { return Err(diagnostics) };
            if is_withheld(task, &mut diagnostics) {
                return Err(diagnostics);
            }
            if let Some(lost) = parse_loss(task, &file, &document) {
                diagnostics.push(lost);
                return Err(diagnostics);
            }
            let chunks = chunk::split(&document, task.reader.language);
            let content = Fingerprint::of_bytes(&bytes);
            let same = task.before.as_ref().filter(|before| before.content == content);
            let same = same.filter(|_| matches!(task.why, Why::Bytes(_)));
            task.reparsed = same.is_some_and(|before| before.path == task.path);
            task.renamed = same.is_some_and(|before| before.path != task.path);
            (record_of(task, content, &document, &chunks), chunks)
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
    let mut withheld = BTreeSet::new();
    let (mentions, bindings) = names::link(task.lexicon, extractor, &setting, &chunks);
    let mut read = Vec::with_capacity(chunks.len());
    for (at, chunk) in chunks.iter().enumerate() {
        let input = extractor.input(&setting, &bindings, at, chunk, &mentions[at]);
        let fingerprint = input.fingerprint();
        let stored = task.inputs.get(&(chunk.id, chunk.occurrence));
        let is_stored = stored.is_some_and(|(stored, answered)| {
            *stored == fingerprint && external::is_answered(extractor, &input, answered)
        });
        if is_stored || (stored.is_some() && sabotage::is_off("context-fingerprint")) {
            read.push((fingerprint, None));
            continue;
        }
        let mut heard = task.heard.remove(&(chunk.id, chunk.occurrence)).unwrap_or_default();
        let before = stored.map_or(&heard.answered, |(_, answered)| answered);
        let mut asked = external::ask(extractor, &input, workers, before, &|_| task.asks);
        let mut extraction = extractor.extract(&input, &asked.answers);
        if stored.is_none() {
            // What it said under its former name it says under this one.
            heard.readings.retain(|reading| asked.kept.contains(&reading.rule));
            extraction.readings.append(&mut heard.readings);
            asked.kept.clear();
        }
        diagnostics.extend(external::silences(&asked, &file, chunk));
        diagnostics.extend(external::refused(&extraction.refused, &file, chunk));
        withheld.extend(asked.silent.keys().cloned());
        let fresh = Fresh {
            readings: extraction.readings,
            mentions: extraction.mentions,
            answered: asked.answered,
            kept: asked.kept,
            silent: asked.silent.into_keys().collect(),
            refused: extraction.refused.iter().map(|refusal| refusal.items).sum(),
        };
        read.push((fingerprint, Some(fresh)));
    }
    record.withheld = withheld;
    Ok(Done { record, chunks, read, parsed, diagnostics })
}

/// Of a file that is not whole, what could be read of it does not take the place of what stood: what is missing is no
/// proof that anything is gone. A document that comes for the first time is better than none.
fn is_withheld(task: &Task<'_>, diagnostics: &mut [Diagnostic]) -> bool {
    if task.before.is_none() || task.standing.loss_accepted {
        return false;
    }
    let partial = diagnostics.iter_mut().filter(|one| crate::parse::PARTIAL.contains(&one.code));
    let mut withheld = false;
    for one in partial {
        withheld = true;
        one.severity = Severity::Error;
        one.message.push_str("; it stays as it was");
        let accept = format!("edgewright accept scope {}/{} --reason …", task.source.name, task.path);
        one.hint =
            Some(format!("fetch it again from where it came from; if this is all there is: `{accept}`"));
    }
    withheld
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
        withheld: BTreeSet::new(),
        chunks: chunks.iter().map(ChunkRef::of).collect(),
    }
}

/// What the file's name, its fields and its row of the register say of the document.
fn apply_standing(task: &Task<'_>, record: &mut DocumentRecord) {
    record.access = task.source.access.clone();
    record.stands_for = task.stands_for.clone().or_else(|| task.patterns.stands_for(&task.path));
    let language = task.reader.language;
    record.effective = task.standing.effective(&record.fields, task.source, language);
    record.dated = record.effective.or_else(|| register::dated(&record.fields, task.source, language));
    record.withdrawn = task.standing.withdrawn || register::withdrawn_by_field(&record.fields, task.source);
}
