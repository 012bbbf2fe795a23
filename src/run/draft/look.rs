//! What recurs in the documents of a draft: header fields, tables, headings, defined terms, which names occur, with
//! which words before and between them.
//!
//! Chunks with their mentions come in, counts of documents go out. It must not know how any of it is written as a rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::link::Lexicon;
use crate::model::chunk::{Chunk, ChunkBody, ChunkKind, Context, Part};
use crate::model::mention::{Known, Mention};
use crate::model::token::{Span, Token, TokenKind, fold, tokens};
use crate::ontology::dates::parse_date_text;
use crate::ontology::language::Language;
use crate::ontology::pattern::{MAX_GAP, inflections};

use super::texts::Text;

/// The most words before a name that are taken for a phrase.
const LONGEST_PHRASE: usize = 3;

/// How many rows of a table tell what its columns hold.
const ROWS: usize = 20;

/// A document with what was found in it.
pub(super) struct Read<'t> {
    pub(super) text: &'t Text,
    /// For each chunk, the mentions and the terms that stand for somebody.
    pub(super) mentions: Vec<Vec<Mention>>,
}

/// What recurs, each with the number of documents in which it does.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Header fields by their folded names.
    pub(super) fields: BTreeMap<String, Field>,
    /// Tables by their headers.
    pub(super) tables: BTreeMap<Vec<String>, Columns>,
    pub(super) headings: BTreeMap<String, u64>,
    /// Terms that documents define, as far as they stand for somebody.
    pub(super) terms: BTreeMap<String, u64>,
    /// By entity type.
    pub(super) named: BTreeMap<String, Named>,
    /// Types that are named in one sentence, in this order.
    pub(super) pairs: BTreeMap<(String, String), Pair>,
}

/// A header field.
#[derive(Debug, Default)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) documents: u64,
    /// In how many documents its value is a day.
    pub(super) days: u64,
    /// In how many its value names somebody of a type.
    pub(super) kinds: BTreeMap<String, u64>,
}

/// The tables with one header.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) documents: u64,
    /// For each column: how many cells have text, are days, and name somebody of a type.
    pub(super) columns: Vec<(u64, u64, BTreeMap<String, u64>)>,
}

/// The names of one type.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) documents: u64,
    pub(super) mentions: u64,
    /// Everyone who is named.
    pub(super) who: BTreeSet<String>,
    /// The parts of documents in which they are.
    pub(super) parts: BTreeMap<Part, u64>,
    /// Headings right above paragraphs that name one.
    pub(super) headings: BTreeMap<String, u64>,
    /// Words before a name and a colon.
    pub(super) labels: BTreeMap<String, u64>,
    /// Words right before a name.
    pub(super) before: BTreeMap<String, u64>,
}

/// Two types in one sentence.
#[derive(Debug, Default)]
pub(super) struct Pair {
    pub(super) documents: u64,
    pub(super) sentences: u64,
    /// The base forms of words between them that may be what one does to the other.
    pub(super) verbs: BTreeMap<String, u64>,
}

/// Counts what recurs. Linear in the texts; holds what differs.
pub(super) fn look(read: &[Read<'_>], lexicon: &Lexicon, language: &Language) -> Seen {
    let mut words = BTreeSet::new();
    for chunk in read.iter().flat_map(|one| &one.text.chunks) {
        words.extend(tokens(&chunk.body.text).into_iter().map(|token| String::from(token.folded)));
    }
    let mut seen = Seen::default();
    for one in read {
        let mut looker = Looker { lexicon, language, words: &words, here: Once::default() };
        looker.fields(one, &mut seen);
        for (chunk, mentions) in one.text.chunks.iter().zip(&one.mentions) {
            looker.chunk(chunk, mentions, &mut seen);
        }
        looker.here.add_to(&mut seen);
    }
    seen
}

/// What one document has, each once.
#[derive(Default)]
struct Once {
    headings: BTreeSet<String>,
    terms: BTreeSet<String>,
    tables: BTreeSet<Vec<String>>,
    kinds: BTreeSet<String>,
    parts: BTreeSet<(String, Part)>,
    below: BTreeSet<(String, String)>,
    labels: BTreeSet<(String, String)>,
    before: BTreeSet<(String, String)>,
    pairs: BTreeSet<(String, String)>,
    verbs: BTreeSet<((String, String), String)>,
}

impl Once {
    fn add_to(self, seen: &mut Seen) {
        let more = |counts: &mut BTreeMap<String, u64>, what: String| *counts.entry(what).or_default() += 1;
        self.headings.into_iter().for_each(|heading| more(&mut seen.headings, heading));
        self.terms.into_iter().for_each(|term| more(&mut seen.terms, term));
        for header in self.tables {
            seen.tables.entry(header).or_default().documents += 1;
        }
        for kind in self.kinds {
            seen.named.entry(kind).or_default().documents += 1;
        }
        for (kind, part) in self.parts {
            *seen.named.entry(kind).or_default().parts.entry(part).or_default() += 1;
        }
        for (kind, heading) in self.below {
            more(&mut seen.named.entry(kind).or_default().headings, heading);
        }
        for (kind, label) in self.labels {
            more(&mut seen.named.entry(kind).or_default().labels, label);
        }
        for (kind, phrase) in self.before {
            more(&mut seen.named.entry(kind).or_default().before, phrase);
        }
        for pair in self.pairs {
            seen.pairs.entry(pair).or_default().documents += 1;
        }
        for (pair, verb) in self.verbs {
            more(&mut seen.pairs.entry(pair).or_default().verbs, verb);
        }
    }
}

struct Looker<'l> {
    lexicon: &'l Lexicon,
    language: &'l Language,
    /// Every word of the texts, by which the base form of another one is told.
    words: &'l BTreeSet<String>,
    here: Once,
}

impl Looker<'_> {
    fn fields(&self, one: &Read<'_>, seen: &mut Seen) {
        let mut here: BTreeMap<String, (String, bool, BTreeSet<String>)> = BTreeMap::new();
        for field in &one.text.fields {
            let (_, is_day, kinds) =
                here.entry(fold(&field.name)).or_insert_with(|| (field.name.clone(), false, BTreeSet::new()));
            *is_day |= self.is_day(&field.value);
            kinds.extend(self.kinds_of(&field.value));
        }
        for (folded, (name, is_day, kinds)) in here {
            let field = seen.fields.entry(folded).or_default();
            field.name = name;
            field.documents += 1;
            field.days += u64::from(is_day);
            kinds.into_iter().for_each(|kind| *field.kinds.entry(kind).or_default() += 1);
        }
    }

    fn is_day(&self, text: &str) -> bool {
        text.len() >= 8 && parse_date_text(text, self.language, None).is_some()
    }

    /// Of which types a text as a whole names somebody.
    fn kinds_of(&self, text: &str) -> BTreeSet<String> {
        let body = ChunkBody {
            text: text.to_owned(),
            context: Context::default(),
            kind: ChunkKind::Prose,
            links: Vec::new(),
        };
        let chunk = Chunk { id: Chunk::id_of(&body), occurrence: 0, start: 0, marks: Vec::new(), body };
        let mentions = self.lexicon.mentions(&[chunk], None, &[]).into_iter().flatten();
        let whole = mentions.filter(|mention| mention.span.of(text).len() * 2 >= text.trim().len());
        whole.flat_map(|mention| kinds(&mention)).collect()
    }

    fn chunk(&mut self, chunk: &Chunk, mentions: &[Mention], seen: &mut Seen) {
        let heading = chunk.body.context.headings.last().filter(|heading| heading.len() <= 80);
        self.here.headings.extend(heading.cloned());
        if let ChunkKind::Rows { header, cells, .. } = &chunk.body.kind {
            self.rows(&chunk.body.text, header, &cells.rows, seen);
        }
        for mention in mentions {
            if let Known::Term { term } = &mention.how {
                self.here.terms.insert(term.clone());
            }
            for kind in kinds(mention) {
                let named = seen.named.entry(kind.clone()).or_default();
                named.mentions += 1;
                named.who.extend(mention.candidates.iter().map(|one| one.key().to_owned()));
                self.here.kinds.insert(kind.clone());
                self.here.parts.insert((kind.clone(), chunk.body.context.part));
                self.here.below.extend(heading.map(|heading| (kind, heading.clone())));
            }
        }
        if matches!(chunk.body.kind, ChunkKind::Prose | ChunkKind::Item) {
            self.sentences(&chunk.body.text, mentions, seen);
        }
    }

    fn rows(&mut self, text: &str, header: &[String], rows: &[Vec<Span>], seen: &mut Seen) {
        let header: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
        if header.iter().all(String::is_empty) {
            return;
        }
        self.here.tables.insert(header.clone());
        let table = seen.tables.entry(header.clone()).or_default();
        table.columns.resize_with(header.len(), Default::default);
        for row in rows.iter().take(ROWS) {
            for (cell, (filled, days, kinds)) in row.iter().zip(&mut table.columns) {
                let cell = cell.of(text).trim();
                *filled += u64::from(!cell.is_empty());
                *days += u64::from(self.is_day(cell));
                self.kinds_of(cell).into_iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
            }
        }
    }

    fn sentences(&mut self, text: &str, mentions: &[Mention], seen: &mut Seen) {
        if mentions.is_empty() {
            return;
        }
        let all = tokens(text);
        for sentence in self.language.sentences(text) {
            let inside: Vec<&Mention> =
                mentions.iter().filter(|mention| sentence.covers(&mention.span)).collect();
            let Some(first) = inside.first() else { continue };
            for mention in &inside {
                self.words_before(&all, sentence, mention);
            }
            let mut last = first;
            let mut pairs = BTreeSet::new();
            for mention in inside.iter().skip(1) {
                if mention.span.start >= last.span.end {
                    self.between(&all, last, mention, &mut pairs);
                    last = mention;
                }
            }
            for pair in pairs {
                seen.pairs.entry(pair.clone()).or_default().sentences += 1;
                self.here.pairs.insert(pair);
            }
        }
    }

    /// The words right before a name: those before a colon are a label.
    fn words_before(&mut self, all: &[Token], sentence: Span, mention: &Mention) {
        let end = all.partition_point(|token| token.span.start < mention.span.start);
        let start = all.partition_point(|token| token.span.start < sentence.start);
        let mut before = all.get(start..end).unwrap_or_default();
        let is_label = before.last().is_some_and(|token| token.folded == ":");
        if is_label {
            before = &before[..before.len() - 1];
        }
        for count in 1..=LONGEST_PHRASE.min(before.len()) {
            let words = &before[before.len() - count..];
            if words.iter().any(|token| token.kind != TokenKind::Word) {
                break;
            }
            if !self.says_something(&words[0].folded) {
                continue;
            }
            let phrase = words.iter().map(|token| token.folded.as_str()).collect::<Vec<_>>().join(" ");
            for kind in kinds(mention) {
                let here = if is_label { &mut self.here.labels } else { &mut self.here.before };
                here.insert((kind, phrase.clone()));
            }
            break;
        }
    }

    fn between(
        &mut self,
        all: &[Token],
        one: &Mention,
        other: &Mention,
        pairs: &mut BTreeSet<(String, String)>,
    ) {
        let start = all.partition_point(|token| token.span.start < one.span.end);
        let end = all.partition_point(|token| token.span.start < other.span.start);
        let between = all.get(start..end).unwrap_or_default();
        if between.len() > MAX_GAP {
            return;
        }
        for subject in kinds(one) {
            for object in kinds(other).into_iter().filter(|object| *object != subject) {
                let pair = (subject.clone(), object);
                pairs.insert(pair.clone());
                for at in 0..between.len() {
                    let verb = self.verb(between, at);
                    self.here.verbs.extend(verb.map(|verb| (pair.clone(), verb)));
                }
            }
        }
    }

    fn says_something(&self, word: &str) -> bool {
        word.chars().count() >= 3 && !self.language.small.contains(word)
    }

    /// The base form of a word, if it may be a verb: it is inflected, or stands behind a small word such as `shall`.
    fn verb(&self, between: &[Token], at: usize) -> Option<String> {
        let token = &between[at];
        let word = token.folded.as_str();
        let is_lower = token.text.chars().next().is_some_and(char::is_lowercase);
        if token.kind != TokenKind::Word || !is_lower || !self.says_something(word) {
            return None;
        }
        let base = base_of(word, self.words);
        let before = at.checked_sub(1).and_then(|at| between.get(at)).map(|token| token.folded.as_str());
        let helped = before.is_some_and(|before| self.language.helpers.contains(before));
        // "the approved source": behind any other small word it says what something is like.
        if before.is_some_and(|before| !helped && self.language.small.contains(before)) {
            return None;
        }
        (base != word || helped).then_some(base)
    }
}

/// The types of those whom a mention names.
fn kinds(mention: &Mention) -> BTreeSet<String> {
    mention.candidates.iter().map(|candidate| candidate.entity_type().to_owned()).collect()
}

/// The word of which this one is a form: one that the texts have, else the likeliest.
fn base_of(word: &str, words: &BTreeSet<String>) -> String {
    let mut stems: Vec<String> = Vec::new();
    for (ending, instead) in [
        ("ies", "y"),
        ("ied", "y"),
        ("ing", "e"),
        ("ing", ""),
        ("es", "e"),
        ("ed", "e"),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= 2) {
            stems.push(format!("{stem}{instead}"));
            let mut letters = stem.chars().rev();
            if instead.is_empty() && letters.next().is_some_and(|last| letters.next() == Some(last)) {
                stems.push(stem.chars().take(stem.chars().count() - 1).collect());
            }
        }
    }
    stems.retain(|stem| stem.chars().count() >= 3 && inflections(stem).iter().any(|form| form == word));
    let known = stems.iter().find(|stem| words.contains(*stem));
    // Few words end like "approv" and "locat".
    let whole =
        |stem: &&String| !["v", "u", "c", "z", "dg", "rg", "at", "ut"].iter().any(|end| stem.ends_with(end));
    known.or(stems.iter().rev().find(whole)).cloned().unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_base_that_the_texts_know() {
        let words: BTreeSet<String> = ["supply", "deliver", "use", "ship"].map(str::to_owned).into();
        for (word, base) in [
            ("supplies", "supply"),
            ("supplied", "supply"),
            ("delivered", "deliver"),
            ("uses", "use"),
            ("using", "use"),
            ("shipped", "ship"),
            ("supply", "supply"),
            ("sells", "sell"),
            ("approved", "approve"),
            ("located", "locate"),
        ] {
            assert_eq!(base_of(word, &words), base);
        }
    }
}
