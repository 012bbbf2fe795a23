//! What people took from a document into what they wrote: found before it goes, so that the record can lose it, and
//! told where it stands in files that are theirs.
//!
//! A run of words that another living document holds as well is nobody's quote. That is asked of the text index, run by
//! run, so the cost follows what people wrote and what of it is quoted.

use std::collections::{BTreeMap, BTreeSet};

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
use crate::store::{self, ChunkRecord, DocumentRecord, Kind, Store, Traces, View};

/// How many places of a run of words are looked at first.
const FIRST: usize = 64;

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
}

/// What people took from a document.
pub(super) struct Found {
    /// What the record keeps of its words, or would with the ontologies as they are now.
    pub(super) quotes: Quotes,
    /// Its names there.
    pub(super) names: Quotes,
    /// Where either stands in files of theirs and in what the record cannot lose.
    pub(super) places: Vec<Diagnostic>,
}

/// Finds what people took from a document, while the record still has its text. `reason` is why it is purged.
pub(super) fn find(
    session: &Session<'_>,
    store: &Store,
    workspace: &Workspace,
    traces: &Traces,
    files: &Files,
    reason: &str,
) -> Result<Found, Error> {
    let readers = || session.setup.readers.values();
    let sentences = |text: &str| readers().flat_map(|reader| reader.language.sentences(text)).collect();
    let said = store.quotes_of(traces, &sentences)?;
    let view = session.writer.before();
    let mut look = Look { said, view, index: session.index.as_ref(), traces, elsewhere: BTreeMap::new() };
    let all_names = traces.as_named();
    let named_in = |text: &str| {
        let mut found = Quotes::default();
        all_names.runs_in(text).iter().for_each(|name| found.keep(name));
        found
    };
    let (mut quotes, mut names) = (look.quoted_in(reason, true)?, Quotes::default());
    store.each_written(&mut |text| {
        quotes.extend(look.quoted_in(text, true)?);
        names.extend(named_in(text));
        Ok::<(), Error>(())
    })?;
    let mut places = Vec::new();
    for Written { file, text } in &files.written {
        let (found, named) = (look.quoted_in(text, true)?, named_in(text));
        places.extend(told(file, text, &found, &named, PURGED));
        // The text of an ontology is kept with the graph.
        if file.starts_with("ontology/") {
            quotes.extend(found);
            names.extend(named);
        }
    }
    for file in &files.golden {
        let Some(bytes) = read_derived(&workspace.root().join(file))? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        places.extend(told(file, &text, &look.quoted_in(&text, true)?, &named_in(&text), PURGED));
    }
    look.by_hand(store, &mut places)?;
    places.sort();
    places.dedup();
    Ok(Found { quotes, names, places })
}

/// A look for what is quoted.
struct Look<'l> {
    /// What the document says.
    said: Quotes,
    view: View<'l>,
    index: Option<&'l index::Reader>,
    traces: &'l Traces,
    /// Whether another document holds a run of words, with bulletins of edits and without.
    elsewhere: BTreeMap<(String, bool), bool>,
}

impl Look<'_> {
    /// What a text quotes of the document and no other living document holds. `bulletins` of edits count as documents.
    fn quoted_in(&mut self, text: &str, bulletins: bool) -> Result<Quotes, Error> {
        let mut found = Quotes::default();
        for quoted in self.said.runs_in(text) {
            if !self.is_elsewhere(&quoted, bulletins)? {
                found.keep(&quoted);
            }
        }
        Ok(found)
    }

    fn is_elsewhere(&mut self, quoted: &Quoted, bulletins: bool) -> Result<bool, Error> {
        let key = (quoted.words.clone(), bulletins);
        if let Some(known) = self.elsewhere.get(&key) {
            return Ok(*known);
        }
        let is = self.look_up(&quoted.words, bulletins)?;
        self.elsewhere.insert(key, is);
        Ok(is)
    }

    /// True if a document that stands, and is not the one that is purged, holds these words in a row.
    fn look_up(&self, words: &str, bulletins: bool) -> Result<bool, Error> {
        let Some(index) = self.index else { return Ok(false) };
        let Ok(query) = index::parse(&format!("\"{words}\"")) else { return Ok(false) };
        let is_other =
            |id: &DocumentId| !self.traces.documents.contains(id) && (bulletins || id.source() != EDITS);
        let mut most = FIRST;
        loop {
            let page = index.search(&query, &Filter::default(), most)?;
            for place in page.hits.iter().map(|hit| &hit.place).filter(|place| is_other(&place.document)) {
                let record: Option<DocumentRecord> = self.view.get(&place.document.to_string())?;
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

    /// What edits say of the graph stays; where that quotes the document, it is told.
    fn by_hand(&mut self, store: &Store, places: &mut Vec<Diagnostic>) -> Result<(), Error> {
        let mut edits = BTreeSet::new();
        store.each_said_by_hand(&mut |number, text| {
            if !self.quoted_in(text, true)?.is_empty() {
                edits.insert(number.to_owned());
            }
            Ok::<(), Error>(())
        })?;
        let stays =
            "it is said by hand, and stays in the record; `edgewright edit undo` takes it out of the graph";
        for number in edits {
            let message = format!("what edit {number} says quotes {PURGED}");
            places
                .push(Diagnostic::warning(CODE, Place::file(format!("edit/{number}")), message).hint(stays));
        }
        for id in self.view.ids_by(Kind::Document, "source", EDITS)? {
            let Some(bulletin) = self.view.get::<DocumentRecord>(&id)? else { continue };
            for chunk in &bulletin.chunks {
                let record: Option<ChunkRecord> = self.view.get(&chunk.id.to_string())?;
                let Some(ChunkRecord { body, .. }) = record else { continue };
                if !self.quoted_in(&body.text, false)?.is_empty() {
                    let message = format!("the bulletin of an edit quotes {PURGED}");
                    places.push(Diagnostic::warning(CODE, Place::file(&id), message).hint(stays));
                    break;
                }
            }
        }
        Ok(())
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
