//! What people took from a document into what they wrote: found before it goes, so that the record and the reports can
//! lose it, and told where it stands in files that are theirs.
//!
//! A run of words that another living document holds as well is nobody's quote. That is asked of the text index, run by
//! run, so the cost follows what people wrote and what of it is quoted. The words of a large document are looked for
//! part by part, so that memory does not follow its length.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::config::{Loaded, Written};
use crate::diag::{Diagnostic, Place};
use crate::index::{self, Filter};
use crate::model::act::Deed;
use crate::model::edit::EDITS;
use crate::model::id::DocumentId;
use crate::model::quote::{Quoted, Quotes};
use crate::model::token::Span;
use crate::run::acts::acts;
use crate::run::output::read_derived;
use crate::run::session::Session;
use crate::run::{Error, Workspace};
use crate::store::{self, ChunkRecord, DocumentRecord, Extraction, Kind, Store, Traces, View};

use super::redact;

/// How many places of a run of words are looked at first.
const FIRST: usize = 64;

/// How many runs of words of a document are looked for at once.
const AT_ONCE: usize = 1 << 20;

/// The files of a workspace in which people may have quoted a document.
pub(super) struct Files {
    /// Ontologies and jobs, as read.
    written: Vec<Written>,
    /// The golden sets that jobs declare, with their maps, relative to the workspace.
    golden: BTreeSet<String>,
}

impl Files {
    pub(super) fn of(loaded: &Loaded) -> Self {
        let declared = loaded.jobs.iter().filter_map(|job| job.golden.as_ref());
        let golden = declared.flat_map(|golden| std::iter::once(&golden.file).chain(&golden.map));
        Self { written: loaded.texts.clone(), golden: golden.cloned().collect() }
    }

    /// The same with the texts of golden sets, as far as they are there.
    fn read(&self, workspace: &Workspace) -> Result<Vec<Written>, Error> {
        let mut all = self.written.clone();
        for file in &self.golden {
            if let Some(bytes) = read_derived(&workspace.root().join(file))? {
                all.push(Written { file: file.clone(), text: String::from_utf8_lossy(&bytes).into_owned() });
            }
        }
        Ok(all)
    }
}

/// What people took from a document.
pub(super) struct Found {
    /// What the record and the reports keep of its words, or would with the ontologies as they are now.
    pub(super) quotes: Quotes,
    /// Its names in what the record keeps.
    pub(super) names: Quotes,
    /// Where either stands in files of theirs and in what the record cannot lose.
    pub(super) places: Vec<Diagnostic>,
}

/// Finds what people took from a document, while the record still has its text. `reason` is why it is purged.
///
/// Linear in what people wrote and in the reports, once for each [`AT_ONCE`] runs of the document's words.
pub(super) fn find(
    session: &Session<'_>,
    store: &Store,
    workspace: &Workspace,
    traces: &Traces,
    files: &Files,
    reason: &str,
) -> Result<Found, Error> {
    let files = files.read(workspace)?;
    let texts = Texts { store, workspace, view: session.writer.before(), files: &files, reason };
    let all_names = traces.as_named();
    let mut names = Quotes::default();
    let mut of_files: BTreeMap<String, (Quotes, Quotes)> = BTreeMap::new();
    texts.each_of_people(&mut |whose, text| {
        for name in all_names.runs_in(text) {
            if whose.is_kept() {
                names.keep(&name);
            }
            if let Whose::File(file) = whose {
                of_files.entry(file.to_owned()).or_default().1.keep(&name);
            }
        }
        Ok(())
    })?;
    let mut look = Look::new(session, traces);
    let (mut quotes, mut edits, mut bulletins) = (Quotes::default(), BTreeSet::new(), BTreeSet::new());
    let readers = || session.setup.readers.values();
    let sentences = |text: &str| readers().flat_map(|reader| reader.language.sentences(text)).collect();
    store.each_quotes_of(traces, &sentences, AT_ONCE, &mut |said| {
        look.for_what_is(said);
        texts.each(&mut |whose, text| {
            let found = look.quoted_in(text)?;
            if found.is_empty() {
                return Ok(());
            }
            match whose {
                Whose::File(file) => of_files.entry(file.to_owned()).or_default().0.extend(found.clone()),
                Whose::Edit(number) => drop(edits.insert(number.to_owned())),
                Whose::Bulletin(id) => drop(bulletins.insert(id.to_owned())),
                Whose::Record | Whose::Report => {}
            }
            if whose.is_kept() {
                quotes.extend(found);
            }
            Ok(())
        })
    })?;
    let mut places = Vec::new();
    for Written { file, text } in &files {
        if let Some((found, named)) = of_files.get(file) {
            places.extend(told(file, text, found, named, PURGED));
        }
    }
    // What edits say of the graph stays; where that quotes the document, it is told.
    let stays = |place: Place, message: String| {
        Diagnostic::warning(CODE, place, message).hint(
            "it is said by hand, and stays in the record; `edgewright edit undo` takes it out of the graph",
        )
    };
    for number in edits {
        let message = format!("what edit {number} says quotes {PURGED}");
        places.push(stays(Place::file(format!("edit/{number}")), message));
    }
    for id in bulletins {
        places.push(stays(Place::file(id), format!("the bulletin of an edit quotes {PURGED}")));
    }
    places.sort();
    places.dedup();
    Ok(Found { quotes, names, places })
}

/// Where a text stands that people wrote, or may have.
#[derive(Clone, Copy)]
enum Whose<'t> {
    /// In the record, which loses what it quotes.
    Record,
    /// In a report or message, which may repeat what a person said and nothing else keeps.
    Report,
    /// In a file of theirs.
    File(&'t str),
    /// In what an edit of this number says of the graph.
    Edit(&'t str),
    /// In a bulletin, which is a person's own writing.
    Bulletin(&'t str),
}

impl Whose<'_> {
    /// True if it leaves what is kept: the text of an ontology is kept with the graph.
    fn is_kept(self) -> bool {
        match self {
            Self::Record | Self::Report => true,
            Self::File(file) => file.starts_with("ontology/"),
            Self::Edit(_) | Self::Bulletin(_) => false,
        }
    }
}

/// All texts in which a document may be quoted. None of them is held but the files of a workspace.
struct Texts<'t> {
    store: &'t Store,
    workspace: &'t Workspace,
    view: View<'t>,
    files: &'t [Written],
    reason: &'t str,
}

type Each<'e> = dyn FnMut(Whose<'_>, &str) -> Result<(), Error> + 'e;

impl Texts<'_> {
    /// What people wrote that they may take back, or that the record can lose.
    fn each_of_people(&self, each: &mut Each<'_>) -> Result<(), Error> {
        each(Whose::Record, self.reason)?;
        self.store.each_written(&mut |text| each(Whose::Record, text))?;
        self.files.iter().try_for_each(|Written { file, text }| each(Whose::File(file), text))
    }

    /// The same, what edits say, and reports.
    fn each(&self, each: &mut Each<'_>) -> Result<(), Error> {
        self.each_of_people(each)?;
        self.store.each_said_by_hand(&mut |number, text| each(Whose::Edit(number), text))?;
        for id in self.view.ids_by(Kind::Document, "source", EDITS)? {
            let Some(bulletin) = self.view.get::<DocumentRecord>(&id)? else { continue };
            for chunk in &bulletin.chunks {
                if let Some(chunk) = self.view.get::<ChunkRecord>(&chunk.id.to_string())? {
                    each(Whose::Bulletin(&id), &chunk.body.text)?;
                }
            }
        }
        redact::each_text(self.workspace, &mut |text| each(Whose::Report, text))
    }
}

/// A look for what is quoted.
struct Look<'l> {
    session: &'l Session<'l>,
    traces: &'l Traces,
    /// None if there is none, or none that can be read.
    index: Option<&'l index::Reader>,
    /// What the document says, or a part of it.
    said: Quotes,
    /// Whether another document holds a run of words, as the index says.
    elsewhere: BTreeMap<String, bool>,
    /// Those of `said` that other documents hold, read out of the texts where the index does not say it.
    held: Option<Quotes>,
}

impl<'l> Look<'l> {
    fn new(session: &'l Session<'_>, traces: &'l Traces) -> Self {
        let index = session.index.as_ref();
        Self { session, traces, index, said: Quotes::default(), elsewhere: BTreeMap::new(), held: None }
    }

    /// Looks for this from now on.
    fn for_what_is(&mut self, said: Quotes) {
        (self.said, self.held) = (said, None);
    }

    /// What a text quotes of the document and no other living document holds.
    fn quoted_in(&mut self, text: &str) -> Result<Quotes, Error> {
        let mut found = Quotes::default();
        for quoted in self.said.runs_in(text) {
            if !self.is_elsewhere(&quoted)? {
                found.keep(&quoted);
            }
        }
        Ok(found)
    }

    fn is_elsewhere(&mut self, quoted: &Quoted) -> Result<bool, Error> {
        if let Some(known) = self.elsewhere.get(&quoted.words) {
            return Ok(*known);
        }
        if let Some(index) = self.index {
            match self.look_up(index, &quoted.words) {
                Ok(is) => {
                    self.elsewhere.insert(quoted.words.clone(), is);
                    return Ok(is);
                }
                // Damaged where nobody had looked before: it is built anew when it is followed.
                Err(Error::Index(_)) => self.index = None,
                Err(error) => return Err(error),
            }
            if !self.session.options.plan {
                index.give_up()?;
            }
        }
        if self.held.is_none() {
            self.held = Some(self.read()?);
        }
        Ok(self.held.as_ref().is_some_and(|held| held.has(quoted)))
    }

    /// True if a document that stands, and is not the one that is purged, holds these words in a row.
    fn look_up(&self, index: &index::Reader, words: &str) -> Result<bool, Error> {
        let view = self.session.writer.before();
        let Ok(query) = index::parse(&format!("\"{words}\"")) else { return Ok(false) };
        let mut most = FIRST;
        loop {
            let page = index.search(&query, &Filter::default(), most)?;
            for place in page.hits.iter().map(|hit| &hit.place).filter(|place| self.is_other(&place.document))
            {
                let record: Option<DocumentRecord> = view.get(&place.document.to_string())?;
                if record.is_some_and(|record| record.chunks.iter().any(|chunk| chunk.id == place.chunk)) {
                    return Ok(true);
                }
            }
            if page.complete {
                return Ok(false);
            }
            most = most.saturating_mul(4);
        }
    }

    /// What other documents that stand hold of what is looked for, as their texts say: read once, and not kept.
    fn read(&self) -> Result<Quotes, Error> {
        let (view, mut held) = (self.session.writer.before(), Quotes::default());
        view.each(|chunk: ChunkRecord| {
            let mut runs = self.said.runs_in(&chunk.body.text);
            runs.retain(|run| !held.has(run));
            if runs.is_empty() {
                return Ok(());
            }
            let held_by: Vec<Extraction> = view.by("chunk", &chunk.id.to_string())?;
            if held_by.iter().any(|extraction| self.is_other(&extraction.document)) {
                runs.iter().for_each(|run| held.keep(run));
            }
            Ok::<(), Error>(())
        })?;
        Ok(held)
    }

    /// True of a document that says by itself what it says. A bulletin is what a person wrote, and may be a quote.
    fn is_other(&self, id: &DocumentId) -> bool {
        !self.traces.documents.contains(id) && id.source() != EDITS
    }
}

/// A place that quotes, as the note of a purge keeps it until it has been told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    file: String,
    line: u32,
    message: String,
    hint: Option<String>,
}

impl From<&Diagnostic> for Kept {
    fn from(place: &Diagnostic) -> Self {
        let (message, hint) = (place.message.clone(), place.hint.clone());
        Self { file: place.at.file.clone(), line: place.at.line, message, hint }
    }
}

impl From<Kept> for Diagnostic {
    fn from(Kept { file, line, message, hint }: Kept) -> Self {
        Self { hint, ..Diagnostic::warning(CODE, Place::at(file, line, 0), message) }
    }
}

const CODE: &str = "purge-quoted";

/// What is quoted, while it is being purged.
const PURGED: &str = "a document that is purged";

/// The places of a file that quote or name a document, one for all lines that follow one another.
fn told(file: &str, text: &str, quotes: &Quotes, names: &Quotes, what: &str) -> Vec<Diagnostic> {
    let mut spans = quotes.spans(text);
    spans.extend(names.spans(text));
    spans.sort();
    let mut spans = spans.into_iter().peekable();
    let (mut places, mut at): (Vec<(u32, u32)>, usize) = (Vec::new(), 0);
    for (line, number) in text.split_inclusive('\n').zip(1u32..) {
        at += line.len();
        let mut is_told = false;
        while spans.next_if(|span: &Span| span.start < at).is_some() {
            is_told = true;
        }
        match places.last_mut() {
            _ if !is_told => {}
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => places.push((number, number)),
        }
    }
    let place = |(first, last): (u32, u32)| {
        let until = if last > first { format!("up to line {last} ") } else { String::new() };
        Diagnostic::warning(CODE, Place::at(file, first, 0), format!("{until}it quotes or names {what}"))
            .hint("take it out by hand: the files of a workspace are not edgewright's to change")
    };
    places.into_iter().map(place).collect()
}

/// What people took from documents that were purged: the record keeps no ontology with it.
pub(in crate::run) fn quoted(view: &View<'_>) -> Result<Quotes, store::Error> {
    let mut all = Quotes::default();
    for (_, act) in acts(view)? {
        if let Deed::Purge { quotes, names, .. } = act.deed {
            all.extend(quotes);
            all.extend(names);
        }
    }
    Ok(all)
}

/// The text of an ontology as the record keeps it, and where the file quotes what was purged.
pub(in crate::run) fn kept(quotes: &Quotes, file: &str, text: &str) -> (String, Vec<Diagnostic>) {
    match quotes.without(text).filter(|_| !crate::model::sabotage::is_off("purged-quotes")) {
        Some(left) => {
            let what = "a document that was purged; the record keeps the file without";
            (left, told(file, text, quotes, &Quotes::default(), what))
        }
        None => (text.to_owned(), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_follow_one_another_are_one_place() {
        let mut quotes = Quotes::default();
        quotes.add("Ada supplies the rudder.");
        quotes.add("Bob supplies the fan.");
        let mut names = Quotes::default();
        names.add_name("letters/ada.md");
        let file = "a\n- Ada supplies the rudder.\n- Bob supplies\n  the fan.\n\n# letters/ada.md:3\n\nBob supplies the fan";
        let said: Vec<String> = told("x.yaml", file, &quotes, &names, "it")
            .iter()
            .map(|place| format!("{} {}", place.at.line, place.message))
            .collect();
        assert_eq!(
            said,
            ["2 up to line 4 it quotes or names it", "6 it quotes or names it", "8 it quotes or names it"]
        );
    }
}
