//! Documents, from what is to be looked at to what of it is written.
//!
//! A document passes through these files in order: `task` gathers what is known of it, `read` parses, chunks,
//! links and extracts (pure, on every core), `write` writes what was read; `claims` and `changes` say what
//! that does to entities and facts. `gone` is for documents that are no more.

mod again;
mod changes;
mod claims;
mod gone;
mod parse;
mod read;
mod task;
mod write;
mod yields;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Error;
use super::edits::text_of;
use super::patterns::Patterns;
use super::register::Registers;
use super::session::Session;
use super::setup::Reader;
use super::step::Step;
use crate::diag::Diagnostic;
use crate::link::Lexicon;
use crate::model::id::DocumentId;
use crate::model::job::Source;

pub(super) use again::{Again, read_again};
pub(super) use gone::close;
pub(super) use parse::parse;
use read::Done;
use task::{Means, Task};
pub(super) use yields::says;

/// How many documents are held in memory at once.
const BATCH: usize = 64;

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
    /// A program gave no answer about a chunk of it when it was last looked at.
    Withheld,
    /// A person wants it to be read again.
    Again,
    /// Its source's configuration or its row of the register changed.
    Config,
}

/// Where a document's file is now. In a first run there are as many as documents: what the document's key says is
/// not said again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OnDisk {
    /// The source's folder.
    pub(super) folder: Arc<Path>,
    /// Its path below that folder, if that is not the document's key.
    pub(super) path: Option<Box<str>>,
    /// Where to read it, if that is not its path below the folder.
    pub(super) file: Option<Box<Path>>,
}

impl OnDisk {
    /// The path below the source's folder of a document's file.
    pub(super) fn path<'a>(&'a self, id: &'a DocumentId) -> &'a str {
        self.path.as_deref().unwrap_or(id.key())
    }

    /// Where to read a document's file.
    pub(super) fn file(&self, id: &DocumentId) -> PathBuf {
        self.file.as_deref().map_or_else(|| self.folder.join(self.path(id)), Path::to_owned)
    }
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

/// Looks at the documents of a plan. The plan is given up: in a first run it is the largest thing in memory.
pub(super) fn look_at_all(
    session: &mut Session<'_>,
    plan: Plan,
    lexicons: &BTreeMap<String, Lexicon>,
    registers: &Registers<'_>,
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
    let formers: BTreeMap<&DocumentId, &DocumentId> =
        plan.moves.iter().map(|(from, to)| (to, from)).collect();
    let ids: Vec<&DocumentId> = plan.look.keys().collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(session.options.threads)
        .build()
        .map_err(|error| Error::Bug(format!("a thread pool: {error}")))?;
    let workers = &*session.workers.clone();
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
            let means = Means { source, patterns, reader, lexicon: &lexicons[&ontology] };
            let task = task::gather(session, id, means, registers, why, formers.get(id).copied())?;
            tasks.extend(task.map(|task| Task { stands_for: text.map(|text| text.entity), ..task }));
        }
        let before = worked_on.take();
        pool.in_place_scope(|scope| {
            scope.spawn(|_| {
                let done = tasks.into_par_iter().map(|mut task| {
                    let done = read::read(&mut task, workers);
                    (task, done)
                });
                worked_on = Some(done.collect());
            });
            before.map_or(Ok(()), |before| write_batch(session, before, &mut so_far, ids.len()))
        })?;
    }
    for id in &plan.gone {
        let declared = sources.get(id.source()).map(|(source, reader, _)| (*source, *reader));
        gone::remove(session, id, declared, registers, plan.moves.get(id))?;
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
            Ok(done) => write::write(session, &task, done)?,
            Err(diagnostics) => {
                session.diagnostics.extend(diagnostics);
                if matches!(task.why, Why::Bytes(_)) {
                    task::count_withheld(session, task.source, task.before.is_none());
                }
            }
        }
    }
    session.writer.batch()?;
    *so_far = (*so_far + BATCH).min(of);
    session.reached(Step::BatchWritten, *so_far as u64, of as u64)
}
