//! The text index follows the store: entries are made of records, and only those that changed are written.
//!
//! An entry is a pure function of the records that one generation knows ([`entries`]). Between two generations
//! the entries change whose document, extraction, assertions or facts changed ([`changed`]); everything else
//! is left alone. What stands in the index, and why it cannot be used, is said by `serve::standing`.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::thread::JoinHandle;

use crate::diag::{Diagnostic, Place as At};
use crate::index::{Checked, Entry, FORMAT, Place, Reader, Stamp, Writer, guarded};
use crate::link;
use crate::model::assertion::{Assertion, Origin};
use crate::model::fact::{Attested, Fact};
use crate::model::id::{AssertionId, ChunkId, DocumentId, FactId};
use crate::model::sabotage;
use crate::model::time::Date;
use crate::serve::{Standing, attested_edges, attested_fact, standing};
use crate::store::{ChunkRecord, DocumentRecord, Extraction, Fault, Kind, Record, Store, Versioned, View};

use super::{Error, Step, Workspace};

/// From so many chunks of a document on, its records are read at once and not chunk by chunk.
const MANY_CHUNKS: usize = 16;

/// Which of a document's chunks.
#[derive(Debug, Clone, Copy)]
enum Which<'w> {
    /// All that it has or had.
    All,
    /// These.
    Named(&'w BTreeSet<ChunkId>),
    /// Those that assert something: their entries tell what facts were made of it.
    Telling,
    /// All others: no fold changes what the index has of them.
    Silent,
}

/// Chunks by document.
type Places = BTreeMap<DocumentId, BTreeSet<ChunkId>>;

/// What came of following.
pub(super) struct Followed {
    /// The index at the published generation; `None` while nothing is published.
    pub(super) reader: Option<Reader>,
    /// How many entries were written.
    pub(super) written: u64,
    /// What was wrong with the index before, and what was done about it.
    pub(super) mended: String,
    /// True if it was built anew, and not for a first generation.
    pub(super) anew: bool,
}

impl Followed {
    /// What was wrong, as something to say: at the start of a run nothing should have been.
    pub(super) fn diagnostic(&self, workspace: &Workspace) -> Option<Diagnostic> {
        let place = At::file(workspace.index().display().to_string());
        (!self.mended.is_empty()).then(|| Diagnostic::warning("index-mended", place, self.mended.clone()))
    }
}

/// Brings the index to the published generation: writes what changed since the generation that it has, or
/// builds it anew if it cannot be gone on with. Opens nothing for writing if it is there already.
///
/// The caller holds the lock, and may hand over this very generation's first index, begun. Linear in
/// what changed; holds the names of changed chunks, and one document's records at a time.
pub(super) fn follow(
    workspace: &Workspace,
    store: &Store,
    begun: Option<Begun>,
    reached: &dyn Fn(Step) -> Result<(), Error>,
) -> Result<Followed, Error> {
    let folder = workspace.index();
    let generation = store.published()?;
    let (reader, written, mended, anew) = match standing(&folder, store, Some(link::FINGERPRINT))? {
        Standing::Ready(reader) => {
            return Ok(Followed { reader: Some(reader), written: 0, mended: String::new(), anew: false });
        }
        Standing::Empty => {
            return Ok(Followed { reader: None, written: 0, mended: String::new(), anew: false });
        }
        Standing::Behind(reader) if sabotage::is_off("index-follow") => {
            return Ok(Followed { reader: Some(reader), written: 0, mended: String::new(), anew: false });
        }
        Standing::Behind(reader) => {
            let had = reader.stamp().clone();
            drop(reader);
            match caught_up(workspace, store, &had, reached)? {
                Ok((reader, written)) => {
                    let mended = format!(
                        "the text index stood at generation {} and the graph at {generation}: it was brought up to date",
                        had.generation
                    );
                    (Some(reader), written, mended, false)
                }
                Err(why) => {
                    let mended = format!(
                        "the text index could not be brought from generation {} to {generation} ({why}): it was built anew",
                        had.generation
                    );
                    (None, rebuild(workspace, store, None, reached)?, mended, true)
                }
            }
        }
        Standing::Unusable { why, .. } if generation == 0 => {
            Writer::remove(&folder)?;
            let mended = format!("{why}, and nothing is published: it was taken away");
            return Ok(Followed { reader: None, written: 0, mended, anew: false });
        }
        Standing::Unusable { why, missing, .. } => {
            let written = rebuild(workspace, store, begun, reached)?;
            // A first generation has no index before it.
            let mended =
                if missing && generation == 1 { String::new() } else { format!("{why}: it was built anew") };
            let anew = !mended.is_empty();
            (None, written, mended, anew)
        }
    };
    let reader = match reader {
        Some(reader) => reader,
        None => match standing(&folder, store, Some(link::FINGERPRINT))? {
            Standing::Ready(reader) => reader,
            _ => return Err(Error::Bug("the text index is not what was just committed".to_owned())),
        },
    };
    Ok(Followed { reader: Some(reader), written, mended, anew })
}

/// The index, if it can be used as it is: for a plan, which writes nothing.
pub(super) fn ready(workspace: &Workspace, store: &Store) -> Result<Option<Reader>, Error> {
    match standing(&workspace.index(), store, Some(link::FINGERPRINT))? {
        Standing::Ready(reader) => Ok(Some(reader)),
        Standing::Empty | Standing::Behind(_) | Standing::Unusable { .. } => Ok(None),
    }
}

/// How many entries publishing a generation would write.
pub(super) fn would_write(after: View<'_>) -> Result<u64, Error> {
    let before = after.store().view(after.generation().saturating_sub(1));
    Ok(changed(before, after)?.values().map(|chunks| chunks.len() as u64).sum())
}

fn stamp(store: &Store, generation: u64, entries: u64) -> Result<Stamp, Error> {
    let history = store.generations()?.into_iter().find(|one| one.id == generation);
    Ok(Stamp {
        format: FORMAT,
        normalizer: link::FINGERPRINT.to_owned(),
        generation,
        history: history.map(|one| one.history_digest).unwrap_or_default(),
        entries,
        commit: 0,
    })
}

/// The index of a first generation, begun on a thread of its own once its documents are written: the entries that
/// no fact changes are written while facts are folded and published.
///
/// Who lets go of it waits for the thread, so that nobody writes there when the next run begins.
pub(super) struct Begun(Option<JoinHandle<Result<Writer, Error>>>);

impl Begun {
    /// Begins. The thread reads what is written of the generation through a connection of its own.
    pub(super) fn at(workspace: &Workspace, generation: u64) -> Self {
        let workspace = workspace.clone();
        Self(Some(std::thread::spawn(move || {
            let store = Store::open_read(&workspace.store())?;
            let mut writer = anew(&workspace)?;
            of_all(store.view(generation), Which::Silent, &mut |entry| Ok(writer.put(&entry, false)?))?;
            Ok(writer)
        })))
    }

    /// Waits for the thread: the index without the entries of chunks that assert something.
    fn writer(mut self) -> Result<Option<Writer>, Error> {
        let joined = self.0.take().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.transpose()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        // What went wrong on it matters to nobody any more.
        self.0.take().map(JoinHandle::join);
    }
}

fn anew(workspace: &Workspace) -> Result<Writer, Error> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Writer::create(&workspace.index(), link::index_words, threads)?)
}

fn rebuild(
    workspace: &Workspace,
    store: &Store,
    begun: Option<Begun>,
    reached: &dyn Fn(Step) -> Result<(), Error>,
) -> Result<u64, Error> {
    let view = store.current()?;
    let (mut writer, missing) = match begun.map(Begun::writer).transpose()?.flatten() {
        Some(writer) => (writer, Which::Telling),
        None => (anew(workspace)?, Which::All),
    };
    of_all(view, missing, &mut |entry| Ok(writer.put(&entry, false)?))?;
    reached(Step::IndexWritten)?;
    let written = writer.written();
    writer.commit(&stamp(store, view.generation(), written)?)?;
    Ok(written)
}

/// Catches up, and looks whether the index is what was committed. Whatever is wrong with the index itself is a
/// reason to build it anew, never one to fail: it would be as wrong the next time.
fn caught_up(
    workspace: &Workspace,
    store: &Store,
    had: &Stamp,
    reached: &dyn Fn(Step) -> Result<(), Error>,
) -> Result<Result<(Reader, u64), String>, Error> {
    let written = match guarded(&workspace.index(), || catch_up(workspace, store, had, reached)) {
        Ok(written) => written,
        // One that is built anew takes more room still.
        Err(Error::Index(error)) if !error.is_disk_full() => return Ok(Err(chain(&error))),
        Err(other) => return Err(other),
    };
    Ok(match standing(&workspace.index(), store, Some(link::FINGERPRINT))? {
        Standing::Ready(reader) => Ok((reader, written)),
        Standing::Unusable { why, .. } => Err(why),
        Standing::Empty | Standing::Behind(_) => Err("it does not hold what was committed".to_owned()),
    })
}

/// An error with its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn catch_up(
    workspace: &Workspace,
    store: &Store,
    had: &Stamp,
    reached: &dyn Fn(Step) -> Result<(), Error>,
) -> Result<u64, Error> {
    let (before, after) = (store.view(had.generation), store.current()?);
    let places = changed(before, after)?;
    let mut writer = Writer::open(&workspace.index(), link::index_words)?;
    let mut entries = had.entries;
    for (document, chunks) in &places {
        self::entries(after, document, Which::Named(chunks), &mut |entry| {
            let known = entry.opened <= had.generation;
            entries += u64::from(!known);
            Ok(writer.put(&entry, known)?)
        })?;
    }
    reached(Step::IndexWritten)?;
    let written = writer.written();
    writer.commit(&stamp(store, after.generation(), entries)?)?;
    Ok(written)
}

/// The entries that differ between two generations. Linear in what changed between them.
fn changed(before: View<'_>, after: View<'_>) -> Result<Places, Error> {
    let mut places = Places::new();
    let from = before.generation();
    after.each_changed(Kind::Extraction, from, |id| {
        add_extraction(&mut places, id);
        Ok::<(), Error>(())
    })?;
    after.each_changed(Kind::Assertion, from, |id| {
        for version in [before.get::<Assertion>(id)?, after.last::<Assertion>(id)?].into_iter().flatten() {
            add_origin(&mut places, &version.origin);
        }
        Ok::<(), Error>(())
    })?;
    after.each_changed(Kind::Fact, from, |id| {
        for assertion in attested_otherwise(before.get(id)?.as_ref(), after.get(id)?.as_ref()) {
            if let Some(assertion) = after.last::<Assertion>(&assertion.to_string())? {
                add_origin(&mut places, &assertion.origin);
            }
        }
        Ok::<(), Error>(())
    })?;
    after.each_changed(Kind::Document, from, |id| {
        let shape = |record: DocumentRecord| (record.is_unusable(), record.title, record.access);
        let (was, is) = (before.last(id)?.map(shape), after.last(id)?.map(shape));
        if was.is_some() && was != is {
            for version in after.versions_by::<Extraction>("document", id)? {
                add_extraction(&mut places, &Record::id(&version.record));
            }
        }
        Ok::<(), Error>(())
    })?;
    Ok(places)
}

/// Adds the place of an extraction, which its id names.
fn add_extraction(places: &mut Places, id: &str) {
    // From the right: a document's name may hold the sign that separates.
    let mut parts = id.rsplitn(3, '#').skip(1);
    let (Some(chunk), Some(document)) = (parts.next(), parts.next()) else { return };
    if let (Ok(document), Ok(chunk)) = (document.parse(), chunk.parse()) {
        places.entry(document).or_default().insert(chunk);
    }
}

fn add_origin(places: &mut Places, origin: &Origin) {
    if let Origin::Chunk { document, chunk, .. } = origin {
        places.entry(document.clone()).or_default().insert(*chunk);
    }
}

/// The assertions that attest something else of a fact than before: others than those are as they were.
fn attested_otherwise(before: Option<&Fact>, after: Option<&Fact>) -> BTreeSet<AssertionId> {
    fn edges_of<'f>(fact: &'f Fact, one: &Attested) -> Vec<&'f crate::model::time::Interval> {
        attested_edges(fact, one).map(|edge| &edge.interval).collect()
    }
    let of = |fact: Option<&Fact>| -> BTreeMap<AssertionId, Vec<(bool, Vec<crate::model::time::Interval>)>> {
        let mut by: BTreeMap<AssertionId, Vec<_>> = BTreeMap::new();
        for one in fact.into_iter().flat_map(|fact| fact.attestations.iter().map(move |one| (fact, one))) {
            let edges = edges_of(one.0, one.1).into_iter().copied().collect();
            by.entry(one.1.assertion).or_default().push((one.1.ends, edges));
        }
        by
    };
    let (before, after) = (of(before), of(after));
    let all: BTreeSet<AssertionId> = before.keys().chain(after.keys()).copied().collect();
    all.into_iter().filter(|id| before.get(id) != after.get(id)).collect()
}

/// Every entry that a generation's records make, by document.
pub(super) fn all(view: View<'_>, each: &mut dyn FnMut(Entry) -> Result<(), Error>) -> Result<(), Error> {
    of_all(view, Which::All, each)
}

/// The entries of these chunks of every document.
fn of_all(
    view: View<'_>,
    which: Which<'_>,
    each: &mut dyn FnMut(Entry) -> Result<(), Error>,
) -> Result<(), Error> {
    view.each_id(Kind::Document, |id| match id.parse() {
        Ok(document) => entries(view, &document, which, each),
        Err(_) => Err(Error::Bug(format!("`{id}` is no document"))),
    })
}

/// The entries of a document's chunks that a generation's records make.
fn entries(
    view: View<'_>,
    document: &DocumentId,
    which: Which<'_>,
    each: &mut dyn FnMut(Entry) -> Result<(), Error>,
) -> Result<(), Error> {
    let name = document.to_string();
    let Some(record) = view.last::<DocumentRecord>(&name)? else { return Ok(()) };
    let mut read: BTreeMap<ChunkId, Vec<Versioned<Extraction>>> = BTreeMap::new();
    let mut said: BTreeMap<ChunkId, Vec<Versioned<Assertion>>> = BTreeMap::new();
    match which {
        Which::Named(chunks) if chunks.len() < MANY_CHUNKS => {
            for chunk in chunks {
                let both = (("document", name.as_str()), ("chunk", chunk.to_string()));
                said.insert(*chunk, view.versions_by_both::<Assertion>(both.0, (both.1.0, &both.1.1))?);
            }
        }
        _ => {
            for version in view.versions_by::<Assertion>("document", &name)? {
                if let Origin::Chunk { chunk, .. } = version.record.origin {
                    said.entry(chunk).or_default().push(version);
                }
            }
        }
    }
    let telling: BTreeSet<ChunkId> = said.keys().copied().collect();
    let only = match which {
        Which::Named(chunks) => Some(chunks),
        Which::Telling => Some(&telling),
        Which::All | Which::Silent => None,
    };
    match only.filter(|chunks| chunks.len() < MANY_CHUNKS) {
        Some(chunks) => {
            for chunk in chunks {
                read.insert(*chunk, view.versions_from::<Extraction>(&format!("{name}#{chunk}#"))?);
            }
        }
        None => {
            for version in view.versions_by::<Extraction>("document", &name)? {
                read.entry(version.record.chunk).or_default().push(version);
            }
        }
    }
    if matches!(which, Which::Silent) {
        read.retain(|chunk, _| !telling.contains(chunk));
    }
    let mut facts: BTreeMap<FactId, Option<Fact>> = BTreeMap::new();
    let mut left_in: BTreeMap<u64, bool> = BTreeMap::new();
    for (chunk, versions) in &read {
        if versions.is_empty() || only.is_some_and(|only| !only.contains(chunk)) {
            continue;
        }
        let Some(body) = view.last::<ChunkRecord>(&chunk.to_string())?.map(|chunk| chunk.body) else {
            return Err(Error::Bug(format!(
                "the chunk {chunk} of {document} is missing: see `edgewright verify`"
            )));
        };
        let opened = versions.iter().map(|version| version.opened).min().unwrap_or_default();
        let stands = versions.iter().any(|version| version.closed.is_none());
        let left = versions.iter().filter_map(|version| version.closed).max();
        let closed = left.filter(|_| !stands);
        // What was last read in it: while it stands, what stands; else what stood when it left.
        let last = |gone: Option<u64>| gone.is_none() || gone == closed;
        let entities = versions
            .iter()
            .filter(|version| last(version.closed))
            .flat_map(|version| &version.record.mentions)
            .flat_map(|mention| mention.candidates.iter().map(ToString::to_string))
            .collect();
        let mut entry = Entry {
            place: Place { document: document.clone(), chunk: *chunk },
            title: record.title.clone(),
            section: body.context.headings,
            text: body.text,
            entities,
            facts: BTreeSet::new(),
            labels: record.access.clone(),
            closed_to_readers: record.is_unusable(),
            from: None,
            until: None,
            opened,
            closed,
        };
        let assertions = said.get(chunk).into_iter().flatten().filter(|version| last(version.closed));
        assert_facts(view, assertions.clone(), &mut facts, &mut entry)?;
        let left = |version: &Versioned<Assertion>| version.closed.is_none() && version.record.left.is_some();
        if let Some(closed) = closed
            && !assertions.clone().any(left)
            && !ends_on_a_day(view, &name, closed, &mut left_in)?
        {
            // It was wrong, and counts on no day.
            (entry.from, entry.until) = (None, Some(Date::MIN));
        }
        each(entry)?;
    }
    Ok(())
}

/// True if what left a document in a generation may have counted until a day: the document itself went, or a
/// version came that takes effect later. Whether such a version amends is for the reader to say.
fn ends_on_a_day(
    view: View<'_>,
    document: &str,
    closed: u64,
    known: &mut BTreeMap<u64, bool>,
) -> Result<bool, Error> {
    if let Some(known) = known.get(&closed) {
        return Ok(*known);
    }
    let at = |generation| view.store().view(generation).get::<DocumentRecord>(document);
    let (before, after) = (at(closed - 1)?, at(closed)?);
    let ends = match (before, after) {
        (Some(before), Some(after)) => {
            after.effective.is_some_and(|after| before.effective.is_none_or(|before| before < after))
        }
        (None, _) | (_, None) => true,
    };
    known.insert(closed, ends);
    Ok(ends)
}

/// Fills in the facts that assertions state, and the days on which one of their edges holds.
fn assert_facts<'v>(
    view: View<'_>,
    assertions: impl Iterator<Item = &'v Versioned<Assertion>>,
    known: &mut BTreeMap<FactId, Option<Fact>>,
    entry: &mut Entry,
) -> Result<(), Error> {
    let mut days: Option<(Option<Date>, Option<Date>)> = None;
    let mut bounded = true;
    for version in assertions {
        let assertion = &version.record;
        if version.closed.is_some() {
            // Nobody attests it any more: what it once stated is found, and bounds nothing.
            entry.facts.extend(assertion.fact.map(|fact| fact.to_string()));
            bounded = false;
            continue;
        }
        let fact = match assertion.fact {
            Some(id) => {
                if let std::collections::btree_map::Entry::Vacant(vacant) = known.entry(id) {
                    vacant.insert(view.get(&id.to_string())?);
                }
                known.get(&id).and_then(Option::as_ref)
            }
            None => None,
        };
        let attests = |fact: &&Fact| fact.attestations.iter().any(|one| one.assertion == assertion.id);
        // An assertion that was corrected, or whose key was merged, counts for another fact than it read.
        let elsewhere = match fact.filter(attests) {
            Some(_) => None,
            None => attested_fact(&view, assertion)?,
        };
        let Some(fact) = fact.filter(attests).or(elsewhere.as_ref()) else { continue };
        entry.facts.insert(fact.id.to_string());
        for one in fact.attestations.iter().filter(|one| one.assertion == assertion.id && !one.ends) {
            for edge in attested_edges(fact, one) {
                let (from, to) = (edge.interval.from(), edge.interval.to());
                days = Some(match days {
                    None => (from, to),
                    // An unknown start is before every day, an open end after it.
                    Some((first, last)) => (first.min(from), last.zip(to).map(|(a, b)| a.max(b))),
                });
            }
        }
    }
    if let (true, Some((from, until))) = (bounded, days) {
        (entry.from, entry.until) = (from, until);
    }
    Ok(())
}

/// How the index differs from what the store says that it ought to hold. Linear in both; holds one document's
/// records and a number an entry.
pub(super) fn faults(workspace: &Workspace, store: &Store) -> Result<Vec<Fault>, Error> {
    let folder = workspace.index();
    let at = ".edgewright/index";
    let reader = match standing(&folder, store, Some(link::FINGERPRINT))? {
        Standing::Empty => return Ok(Vec::new()),
        Standing::Unusable { fault, why, .. } => {
            let message = format!("{why}; the next `edgewright run` builds it anew");
            return Ok(vec![Fault::new(fault, at, message)]);
        }
        Standing::Behind(reader) => {
            let message = format!(
                "it stands at generation {} and the graph at {}; the next `edgewright run` brings it up to date",
                reader.stamp().generation,
                store.published()?
            );
            return Ok(vec![Fault::new("index-behind", at, message)]);
        }
        Standing::Ready(reader) => reader,
    };
    let mut check = reader.check(link::index_words)?;
    all(store.current()?, &mut |entry| Ok(check.expect(&entry)?))?;
    let anew = "without `.edgewright/index` the next run builds it anew";
    let fault = |found| {
        let (name, place, what) = match found {
            Checked::File(file) => ("index-damaged", file, "the file is not as it was written"),
            Checked::Missing(place) => ("index-entry-missing", place, "its text is not in the index"),
            Checked::Differs(place) => ("index-entry-differs", place, "the index says something else of it"),
            Checked::Extra(place) => ("index-entry-extra", place, "the index has it and the store does not"),
        };
        Fault::new(name, place, format!("{what}; {anew}"))
    };
    Ok(check.done().into_iter().map(fault).collect())
}
