//! Traces: what there is of a document in the record, and what finds it in a text.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, Match};
use rusqlite::params;

use super::record::{ChunkRecord, DocumentRecord, EntityRecord};
use super::view::Versioned;
use super::{Error, Store};
use crate::model::assertion::Assertion;
use crate::model::id::{ChunkId, DocumentId, EntityKey, Fingerprint};
use crate::model::mention::Resolution;
use crate::model::quote::{FEWEST, Quotes, erased};
use crate::model::token::{Span, TokenKind, tokens};

/// What there is of a document in the record, in all generations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traces {
    /// Its ids: a document that moved had several.
    pub documents: BTreeSet<DocumentId>,
    /// Where its files lie or lay, below the folders of their sources: source and path.
    pub paths: BTreeSet<(String, String)>,
    /// What names its files elsewhere: their paths with the folders of their sources. The caller knows these.
    pub places: BTreeSet<String>,
    /// The hashes of its bytes.
    pub contents: BTreeSet<Fingerprint>,
    /// What reports may have quoted: its titles and the passages that were evidence.
    pub words: BTreeSet<String>,
    /// Other documents that have or had the same bytes at some time.
    pub copies: BTreeSet<DocumentId>,
    pub(super) chunks: BTreeSet<ChunkId>,
    /// Those of its paths with which no id of another document ends.
    own: BTreeSet<String>,
    /// Entities of which it alone says something.
    entities: BTreeSet<String>,
    /// What it calls them.
    names: BTreeSet<String>,
}

impl Store {
    /// What there is of a document with these ids, in all generations. Linear in its versions and in the ids of all
    /// documents.
    pub fn traces(&self, documents: &BTreeSet<DocumentId>) -> Result<Traces, Error> {
        let view = self.current()?;
        let (mut traces, mut entities) = (Traces::default(), BTreeMap::new());
        for id in documents {
            for Versioned { record, .. } in view.versions::<DocumentRecord>(&id.to_string())? {
                let alike = view.versions_by::<DocumentRecord>("content", &record.content.to_string())?;
                let others = alike.into_iter().map(|version| version.record.document);
                traces.copies.extend(others.filter(|other| !documents.contains(other)));
                traces.documents.insert(id.clone());
                traces.paths.insert((id.source().to_owned(), record.path));
                traces.contents.insert(record.content);
                traces.words.insert(record.title);
                traces.chunks.extend(record.chunks.iter().map(|chunk| chunk.id));
            }
            for claim in view.versions_by::<EntityRecord>("document", &id.to_string())? {
                let names: &mut BTreeSet<String> =
                    entities.entry(claim.record.entity.to_string()).or_default();
                names.insert(claim.record.entity.key().to_owned());
                names.extend(claim.record.names);
            }
            for said in view.versions_by::<Assertion>("document", &id.to_string())? {
                let sides = [&said.record.subject, &said.record.object];
                for known in sides.into_iter().filter_map(Resolution::known).map(EntityKey::to_string) {
                    entities.entry(known).or_default();
                }
                let evidence = said.record.evidence;
                traces.words.insert(evidence.quote);
                traces.words.extend(evidence.support.into_iter().map(|support| support.text));
            }
        }
        for path in traces.paths.iter().map(|(_, path)| path) {
            if !self.ends_another(documents, path)? {
                traces.own.insert(path.clone());
            }
        }
        for (entity, names) in entities {
            if !self.is_known_elsewhere(documents, &entity)? {
                traces.entities.insert(entity);
                traces.names.extend(names);
            }
        }
        Ok(traces)
    }

    /// Calls `look` with what a text may quote of the document: eight words in a row of any version of it, and
    /// sentences, titles, passages that were evidence and names of entities that it alone knows if they are shorter.
    /// `sentences` finds sentences in a text. Comes in parts that have as many runs as `at_once` or what a chunk has
    /// more, so that no text is too large.
    pub fn each_quotes_of<E: From<Error>>(
        &self,
        traces: &Traces,
        sentences: &dyn Fn(&str) -> Vec<Span>,
        at_once: usize,
        look: &mut dyn FnMut(Quotes) -> Result<(), E>,
    ) -> Result<(), E> {
        let (view, mut quotes) = (self.current()?, Quotes::default());
        for chunk in traces.chunks.iter().map(ChunkId::to_string) {
            // Whatever its version says, its id hashes.
            let Some(Versioned { record, .. }) = view.versions::<ChunkRecord>(&chunk)?.pop() else {
                continue;
            };
            let text = &record.body.text;
            quotes.add(text);
            sentences(text).iter().for_each(|sentence| quotes.add(sentence.of(text)));
            if quotes.len() >= at_once {
                look(std::mem::take(&mut quotes))?;
            }
        }
        for passage in &traces.words {
            quotes.add(passage);
            if quotes.len() >= at_once {
                look(std::mem::take(&mut quotes))?;
            }
        }
        traces.names.iter().for_each(|name| quotes.add_name(name));
        if quotes.is_empty() { Ok(()) } else { look(quotes) }
    }

    /// True if a feed or another document says something of an entity. Reads no further than to the first that does.
    fn is_known_elsewhere(&self, documents: &BTreeSet<DocumentId>, entity: &str) -> Result<bool, Error> {
        let failed = self.failed("look for an entity");
        let sql = "SELECT document FROM entity WHERE entity = ?1
                   UNION ALL SELECT document FROM assertion WHERE subject = ?1
                   UNION ALL SELECT document FROM assertion WHERE object = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(&failed)?;
        let sayers = statement.query_map([entity], |row| row.get(0)).map_err(&failed)?;
        for sayer in sayers {
            let sayer: Option<String> = sayer.map_err(&failed)?;
            let is_it = |sayer: &String| documents.iter().any(|document| document.to_string() == *sayer);
            if !sayer.as_ref().is_some_and(is_it) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if the id of another document ends with this path.
    fn ends_another(&self, documents: &BTreeSet<DocumentId>, path: &str) -> Result<bool, Error> {
        let failed = self.failed("look for a document");
        let sql = "SELECT DISTINCT id FROM document WHERE substr(id, -length(?1)) = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(&failed)?;
        let ids = statement.query_map(params![format!("/{path}")], |row| row.get(0)).map_err(&failed)?;
        for id in ids {
            let id: String = id.map_err(&failed)?;
            if !documents.iter().any(|document| document.to_string() == id) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Traces {
    /// What names the document and its files in a text whose words are compared, each as far as it has two words.
    pub fn as_named(&self) -> Quotes {
        let mut names = Quotes::default();
        self.documents.iter().for_each(|id| names.add_name(&id.to_string()));
        self.own.iter().chain(&self.places).chain(&self.entities).for_each(|name| names.add_name(name));
        names
    }
}

/// What finds a document in a text: its ids, its files, the entities that it alone knows and, if asked for, what it says.
pub struct Finder {
    texts: AhoCorasick,
    /// So many of the texts are ids, places and entities, then come so many paths, then words.
    names: usize,
    paths: usize,
    /// The paths that name the document behind whatever folder they stand.
    own: BTreeSet<usize>,
}

impl Finder {
    /// Finds what names the document.
    pub fn of_names(traces: &Traces) -> Result<Self, Error> {
        Self::new(traces, &BTreeSet::new())
    }

    /// Finds what names the document, and what it says.
    pub fn of_all(traces: &Traces) -> Result<Self, Error> {
        // An ideograph is a word.
        let words = |text: &str| tokens(text).iter().filter(|token| token.kind != TokenKind::Mark).count();
        let is_telling = |word: &&String| words(word) >= FEWEST;
        Self::new(traces, &traces.words.iter().filter(is_telling).collect())
    }

    fn new(traces: &Traces, words: &BTreeSet<&String>) -> Result<Self, Error> {
        let mut texts: Vec<String> = traces.documents.iter().map(DocumentId::to_string).collect();
        texts.extend(traces.places.iter().chain(&traces.entities).cloned());
        let names = texts.len();
        let paths: BTreeSet<&String> = traces.paths.iter().map(|(_, path)| path).collect();
        let own = (names..).zip(&paths).filter(|(_, path)| traces.own.contains(**path)).map(|(at, _)| at);
        let own = own.collect();
        texts.extend(paths.iter().map(|path| (*path).clone()));
        texts.extend(words.iter().map(|word| (*word).clone()));
        Ok(Self { texts: automaton(&texts)?, names, paths: names + paths.len(), own })
    }

    /// True if a text has something of the document. A name counts where it stands alone: `a.md` is not in `data.md`.
    pub fn is_in(&self, text: &str) -> bool {
        self.texts.find_overlapping_iter(text).any(|found| self.is_it(text, found))
    }

    /// A text without what it has of the document; `None` if it has nothing.
    pub fn without(&self, text: &str) -> Option<String> {
        let all = self.texts.find_overlapping_iter(text).filter(|found| self.is_it(text, *found));
        let mut spans: Vec<Span> = all.map(|found| Span::new(found.start(), found.end())).collect();
        // Overlapping ones are one: a path ends an id.
        spans.sort();
        let mut apart: Vec<Span> = Vec::new();
        for span in spans {
            match apart.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => apart.push(span),
            }
        }
        (!apart.is_empty()).then(|| erased(text, &apart))
    }

    fn is_it(&self, text: &str, found: Match) -> bool {
        let at = found.pattern().as_usize();
        if at >= self.paths {
            return true;
        }
        let goes_on = |neighbor: char| neighbor.is_alphanumeric() || matches!(neighbor, '_' | '-');
        let before = text[..found.start()].chars().next_back();
        let mut after = text[found.end()..].chars();
        let next = after.next();
        // A dot may end a sentence.
        let is_longer = next.is_some_and(goes_on) || next == Some('.') && after.next().is_some_and(goes_on);
        let is_whole = !is_longer && !before.is_some_and(|before| goes_on(before) || before == '.');
        // A path behind another folder may be the one of another document.
        is_whole && (at < self.names || before != Some('/') || self.own.contains(&at))
    }
}

/// What finds any of these texts.
pub(super) fn automaton(texts: &[String]) -> Result<AhoCorasick, Error> {
    AhoCorasick::new(texts).map_err(|error| Error::Corrupt {
        kind: "document",
        id: String::new(),
        why: format!("what names it cannot be looked for: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::chunk::{Chunk, ChunkBody, ChunkKind, Context};

    #[test]
    fn what_is_quoted_comes_in_parts_that_together_are_all_of_it() {
        let store = Store::in_memory().unwrap();
        let writer = store.begin(false).unwrap();
        let mut traces = Traces {
            words: ["Ada supplies the rudder.".to_owned()].into(),
            names: ["Ada Quince".to_owned()].into(),
            ..Traces::default()
        };
        for nth in 0..5 {
            let text = format!("Letter {nth} says one two three four five six seven eight.");
            let (context, kind) = (Context::default(), ChunkKind::Prose);
            let body = ChunkBody { text, context, kind, links: Vec::new() };
            let chunk = ChunkRecord { id: Chunk::id_of(&body), body };
            traces.chunks.insert(chunk.id);
            writer.put(&chunk).unwrap();
        }
        writer.publish("run-1", "t", &[]).unwrap();
        let parts = |at_once: usize| {
            let mut parts = Vec::new();
            let mut look = |part| {
                parts.push(part);
                Ok::<(), Error>(())
            };
            store.each_quotes_of(&traces, &|_| Vec::new(), at_once, &mut look).unwrap();
            parts
        };
        let [whole] = &parts(1000)[..] else { panic!("it is more than one part") };
        assert_eq!(whole.runs_in("Letter 3 says one two three four five six seven eight").len(), 4);
        assert_eq!(whole.runs_in("ADA supplies the rudder, says Ada Quince").len(), 2);
        let cut = parts(5);
        assert!(cut.len() > 2 && cut.iter().all(|part| part.len() < 5 + 4), "{cut:?}");
        let mut all = Quotes::default();
        cut.into_iter().for_each(|part| all.extend(part));
        assert_eq!(all, *whole);
    }

    #[test]
    fn a_name_counts_where_it_stands_alone() {
        let id = |text: &str| text.parse::<DocumentId>().unwrap();
        let mut traces = Traces {
            documents: [id("letters/a.md")].into(),
            paths: [("letters".to_owned(), "a.md".to_owned())].into(),
            places: ["post/in/a.md".to_owned()].into(),
            words: ["supplies".to_owned(), "Ada supplies the rudder.".to_owned()].into(),
            ..Traces::default()
        };
        let names = Finder::of_names(&traces).unwrap();
        for text in ["letters/a.md", "a.md:3", "see `post/in/a.md`.", "/data/letters/a.md, line 2", "(a.md)"]
        {
            assert!(names.is_in(text), "{text}");
        }
        let told = names.without("it was a.md, or post/in/a.md; letters/a.md.");
        assert_eq!(told.unwrap(), "it was (purged), or (purged); (purged).");
        for text in [
            "data.md",
            "letters/a.md5",
            "a.md.old",
            "letters/a.md-old",
            "bills/a.md",
            "supplies",
            "Ada supplies the rudder.",
        ] {
            assert!(!names.is_in(text), "{text}");
        }
        let all = Finder::of_all(&traces).unwrap();
        assert!(all.is_in("it says: Ada supplies the rudder. And so on") && !all.is_in("Bob supplies it"));
        // A path that no other document has names it wherever its folder once was.
        traces.own.insert("a.md".to_owned());
        assert!(Finder::of_names(&traces).unwrap().is_in("bills/a.md"));
    }
}
