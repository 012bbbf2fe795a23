//! Reading documents again whose bytes are the ones that were read: what they say now, and what they were found to
//! say. Nothing is written.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::read::{self, Done};
use super::task::{self, Means, Task};
use super::write::sameness;
use super::{BATCH, OnDisk, Why};
use crate::diag::Diagnostic;
use crate::link::Lexicon;
use crate::model::assertion::{Assertion, Origin};
use crate::model::id::{DocumentId, Fingerprint};
use crate::model::job::Source;
use crate::ontology::RuleKind;
use crate::run::Error;
use crate::run::patterns::Patterns;
use crate::run::register::Registers;
use crate::run::session::Session;
use crate::run::setup::Reader;
use crate::source::folder;
use crate::store::{DocumentRecord, Record};
use crate::worker::Pool;

/// A document that was read again.
pub(in crate::run) struct Again {
    /// The document.
    pub(in crate::run) id: DocumentId,
    /// True if a program outside parsed it.
    pub(in crate::run) outside: bool,
    /// Its chunks.
    pub(in crate::run) chunks: u64,
    /// What it was found to say, by the record's id.
    pub(in crate::run) said: BTreeMap<String, Assertion>,
    /// What it says now, likewise.
    pub(in crate::run) says: BTreeMap<String, Assertion>,
}

/// Codes under which a parser says that it was not given what it needs: that says nothing of what it reads.
const STARVED: [&str; 4] = ["parse-timeout", "parse-memory", "parse-crash", "parse-no-process"];

/// Reads documents again, and hands each to `each`. Those with `true` are parsed from their files, if these are as
/// they were; of the others the stored text is linked and extracted. One batch is in memory at a time.
pub(in crate::run) fn read_again(
    session: &mut Session<'_>,
    ids: &[(DocumentId, bool)],
    lexicons: &BTreeMap<String, Lexicon>,
    registers: &Registers<'_>,
    workers: &Pool,
    each: &mut dyn FnMut(&mut Session<'_>, Again),
) -> Result<(), Error> {
    let setup = session.setup;
    let sources: BTreeMap<&str, (&Source, &Reader, &str)> = setup
        .jobs
        .iter()
        .flat_map(|job| job.sources.values().map(move |source| (source, job)))
        .map(|(source, job)| {
            (source.name.as_str(), (source, &setup.readers[&job.ontology], job.ontology.as_str()))
        })
        .collect();
    let patterns: BTreeMap<&str, Patterns<'_>> =
        sources.iter().map(|(name, (source, ..))| (*name, Patterns::of(source))).collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(session.options.threads)
        .build()
        .map_err(|error| Error::Bug(format!("a thread pool: {error}")))?;
    for batch in ids.chunks(BATCH) {
        let mut tasks = Vec::with_capacity(batch.len());
        for (id, parse) in batch {
            let Some((source, reader, ontology)) = sources.get(id.source()).copied() else { continue };
            let Some(lexicon) = lexicons.get(ontology) else { continue };
            let means = Means { source, patterns: &patterns[id.source()], reader, lexicon };
            tasks.extend(gather(session, id, means, registers, *parse)?);
        }
        let done: Vec<(Task<'_>, Result<Done, Vec<Diagnostic>>)> = pool.install(|| {
            let tasks = tasks.into_par_iter().map(|mut task| {
                let done = read::read(&mut task, workers);
                (task, done)
            });
            tasks.collect()
        });
        for (task, done) in done {
            if let Some(again) = again(session, &task, done)? {
                each(session, again);
            }
        }
    }
    Ok(())
}

/// What reading a document again needs: nothing that was extracted is kept.
fn gather<'t>(
    session: &mut Session<'_>,
    id: &DocumentId,
    means: Means<'t>,
    registers: &Registers<'_>,
    parse: bool,
) -> Result<Option<Task<'t>>, Error> {
    let view = session.writer.view();
    let Some(record) = view.get::<DocumentRecord>(&id.to_string())? else { return Ok(None) };
    let folder: Arc<Path> = session.options.workspace.join(&means.source.path).into();
    let on_disk = OnDisk { folder, path: Some(record.path.as_str().into()), file: None };
    let same = parse
        && folder::read(&on_disk.file(id), means.source.max_bytes)
            .is_ok_and(|bytes| Fingerprint::of_bytes(&bytes) == record.content);
    let why = if same { Why::Bytes(on_disk) } else { Why::Ontology };
    let task = task::gather(session, id, means, registers, why, None)?;
    Ok(task.map(|mut task| {
        task.inputs.clear();
        // A program is asked about what is new to it. It costs time without a bound that this run could keep.
        task.asks = false;
        task.standing.loss_accepted = true;
        task
    }))
}

/// What a document says now beside what it was found to say; `None` if its parser was not given what it needs.
fn again(
    session: &Session<'_>,
    task: &Task<'_>,
    done: Result<Done, Vec<Diagnostic>>,
) -> Result<Option<Again>, Error> {
    let (chunks, read) = match done {
        Ok(done) => (done.chunks, done.read),
        Err(why) if why.iter().any(|one| STARVED.contains(&one.code)) => return Ok(None),
        Err(_) => (Vec::new(), Vec::new()),
    };
    let stood: Vec<Assertion> = session.writer.view().by("document", &task.id.to_string())?;
    let said = stood.into_iter().filter(|assertion| assertion.left.is_none());
    // What no program was asked says nothing about what it would have said.
    let is_asked = |assertion: &Assertion| {
        let rule = task.reader.ontology.rule(&assertion.rule);
        rule.is_some_and(|rule| matches!(rule.kind, RuleKind::External(_)))
    };
    let said = said.filter(|assertion| !is_asked(assertion));
    let mut says = BTreeMap::new();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (chunk, (_, fresh)) in chunks.iter().zip(read) {
        let origin =
            Origin::Chunk { document: task.id.clone(), chunk: chunk.id, occurrence: chunk.occurrence };
        for reading in fresh.map(|fresh| fresh.readings).unwrap_or_default() {
            let count = counts.entry(sameness(&reading)).or_insert(0);
            *count += 1;
            let occurrence = *count - 1;
            let made = session.assertion(&task.reader.ontology, reading, &origin, occurrence)?;
            let made = made.filter(|(assertion, _)| !is_asked(assertion));
            says.extend(made.map(|(assertion, _)| (Record::id(&assertion), assertion)));
        }
    }
    Ok(Some(Again {
        id: task.id.clone(),
        outside: matches!(task.why, Why::Bytes(_)) && folder::is_parsed_by_program(task.source, &task.path),
        chunks: chunks.len() as u64,
        said: said.map(|assertion| (Record::id(&assertion), assertion)).collect(),
        says,
    }))
}
