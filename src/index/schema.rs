//! The fields of an entry, and how their texts are cut into words.

use compact_str::CompactString;
use tantivy::schema::{FAST, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token as IndexToken, TokenStream, Tokenizer};
use tantivy::{Index, TantivyDocument, Term};

use super::{Entry, Normalizer, Place};
use crate::model::id::Fingerprint;
use crate::model::time::Date;
use crate::model::token::{Span, tokens};

/// The name of the tokenizer of texts that people read.
const WORDS: &str = "words";
/// The name of the tokenizer of the look-up field.
const LINK: &str = "link";
/// The label of a withdrawn document: no reader can hold it, because a label has no control character.
pub(super) const WITHDRAWN: &str = "\u{1}withdrawn";
/// The longest word that is indexed, in bytes: tantivy leaves longer ones out without a word.
pub(super) const LONGEST_WORD: usize = 65_530;
/// A day before every day of the calendar, and one after it.
pub(super) const NEVER: i64 = -5_000_000;
pub(super) const ALWAYS: i64 = 5_000_000;

/// The fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// The hash of document and chunk: by it an entry is rewritten.
    pub(super) id: tantivy::schema::Field,
    /// The document's id, as words and as it is.
    pub(super) document: tantivy::schema::Field,
    /// The two halves of the chunk's id.
    pub(super) chunk: [tantivy::schema::Field; 2],
    pub(super) title: tantivy::schema::Field,
    pub(super) section: tantivy::schema::Field,
    pub(super) text: tantivy::schema::Field,
    /// The words of the text as the linker looks names up.
    pub(super) link: tantivy::schema::Field,
    pub(super) entity: tantivy::schema::Field,
    pub(super) fact: tantivy::schema::Field,
    pub(super) label: tantivy::schema::Field,
    pub(super) from: tantivy::schema::Field,
    pub(super) until: tantivy::schema::Field,
    pub(super) opened: tantivy::schema::Field,
    /// 0 while it stands.
    pub(super) closed: tantivy::schema::Field,
}

/// The schema with its fields. Nothing is stored: texts come from the store, and the rest is columns.
pub(super) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = |positions: IndexRecordOption| {
        let indexing = TextFieldIndexing::default().set_tokenizer(WORDS).set_index_option(positions);
        TextOptions::default().set_indexing_options(indexing)
    };
    let keys = |tokenizer: &str| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        TextOptions::default().set_indexing_options(indexing)
    };
    let positions = IndexRecordOption::WithFreqsAndPositions;
    let fields = Fields {
        id: schema.add_bytes_field("id", INDEXED),
        document: schema.add_text_field("document", words(positions).set_fast("raw")),
        chunk: [schema.add_u64_field("chunk_high", FAST), schema.add_u64_field("chunk_low", FAST)],
        title: schema.add_text_field("title", words(positions)),
        section: schema.add_text_field("section", words(positions)),
        text: schema.add_text_field("text", words(positions)),
        link: schema.add_text_field("link", keys(LINK)),
        entity: schema.add_text_field("entity", keys("raw")),
        fact: schema.add_text_field("fact", keys("raw")),
        label: schema.add_text_field("label", keys("raw")),
        from: schema.add_i64_field("from", FAST),
        until: schema.add_i64_field("until", FAST),
        opened: schema.add_u64_field("opened", FAST),
        closed: schema.add_u64_field("closed", FAST),
    };
    (schema.build(), fields)
}

/// Lets an index cut texts into words.
pub(super) fn register(index: &Index, normalizer: Normalizer) {
    index.tokenizers().register(WORDS, Words::default());
    index.tokenizers().register(LINK, Link { normalizer, made: Vec::new() });
}

/// The key under which an entry is rewritten.
pub(super) fn key_of(place: &Place) -> [u8; 16] {
    u128::from_be_bytes(Fingerprint::of(&[&place.document.to_string(), &place.chunk.to_string()]).to_bytes())
        .to_be_bytes()
}

/// The term of that key.
pub(super) fn key_term(fields: &Fields, place: &Place) -> Term {
    Term::from_field_bytes(fields.id, &key_of(place))
}

/// A day as the number that a column holds.
pub(super) fn day_number(day: Date) -> i64 {
    i64::from(jiff::civil::date(1970, 1, 1).until(day).map_or(0, |span| span.get_days()))
}

/// The values of the columns, in the order `from`, `until`.
pub(super) fn days_of(entry: &Entry) -> (i64, i64) {
    (entry.from.map_or(NEVER, day_number), entry.until.map_or(ALWAYS, day_number))
}

/// The labels under which an entry is found.
pub(super) fn labels_of(entry: &Entry) -> impl Iterator<Item = &str> {
    entry.labels.iter().map(String::as_str).chain(entry.closed_to_readers.then_some(WITHDRAWN))
}

/// The entry as tantivy takes it.
pub(super) fn document_of(fields: &Fields, entry: &Entry) -> TantivyDocument {
    let mut document = TantivyDocument::with_capacity(2 * entry.text.len() + 256);
    document.add_bytes(fields.id, &key_of(&entry.place));
    document.add_text(fields.document, entry.place.document.to_string());
    let halves = halves_of(&entry.place);
    document.add_u64(fields.chunk[0], halves[0]);
    document.add_u64(fields.chunk[1], halves[1]);
    document.add_text(fields.title, &entry.title);
    document.add_text(fields.section, section_of(entry));
    document.add_text(fields.text, &entry.text);
    document.add_text(fields.link, &entry.text);
    for key in &entry.entities {
        document.add_text(fields.entity, key);
    }
    for fact in &entry.facts {
        document.add_text(fields.fact, fact);
    }
    for label in labels_of(entry) {
        document.add_text(fields.label, label);
    }
    let (from, until) = days_of(entry);
    document.add_i64(fields.from, from);
    document.add_i64(fields.until, until);
    document.add_u64(fields.opened, entry.opened);
    document.add_u64(fields.closed, entry.closed.unwrap_or(0));
    document
}

/// The headings as one text.
pub(super) fn section_of(entry: &Entry) -> String {
    entry.section.join(" > ")
}

/// The chunk's id as two numbers.
pub(super) fn halves_of(place: &Place) -> [u64; 2] {
    let id = u128::from_be_bytes(place.chunk.to_bytes());
    [(id >> 64) as u64, id as u64]
}

/// Words as the whole program compares them: NFKC, folded, one ideograph a word; marks only separate.
///
/// The words of the last text are kept, because the chunks of a document have its title and most of their
/// headings in common.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    text: String,
    made: Vec<IndexToken>,
}

/// The words by which the linker finds the chunks that may hold a name.
#[derive(Clone)]
struct Link {
    normalizer: Normalizer,
    made: Vec<IndexToken>,
}

/// Tokens that were all made at once.
pub(super) struct Made<'a> {
    made: &'a mut [IndexToken],
    /// How many were handed out; 0 before the first.
    at: usize,
}

impl TokenStream for Made<'_> {
    fn advance(&mut self) -> bool {
        let any = self.at < self.made.len();
        self.at += usize::from(any);
        any
    }
    fn token(&self) -> &IndexToken {
        &self.made[self.at.saturating_sub(1)]
    }
    fn token_mut(&mut self) -> &mut IndexToken {
        &mut self.made[self.at.saturating_sub(1)]
    }
}

impl Tokenizer for Words {
    type TokenStream<'a> = Made<'a>;
    fn token_stream<'a>(&'a mut self, text: &'a str) -> Made<'a> {
        if self.text != text {
            text.clone_into(&mut self.text);
            fill(&mut self.made, words_of(text).into_iter().map(|word| (word.span, word.folded)), true);
        }
        Made { made: &mut self.made, at: 0 }
    }
}

impl Tokenizer for Link {
    type TokenStream<'a> = Made<'a>;
    fn token_stream<'a>(&'a mut self, text: &'a str) -> Made<'a> {
        let nowhere = Span::new(0, 0);
        fill(&mut self.made, (self.normalizer)(text).into_iter().map(|word| (nowhere, word)), false);
        Made { made: &mut self.made, at: 0 }
    }
}

/// Makes tokens of words, in the memory of the tokens before them; at positions of their own if they are placed.
fn fill(made: &mut Vec<IndexToken>, words: impl Iterator<Item = (Span, CompactString)>, placed: bool) {
    let mut count = 0;
    for (span, word) in words {
        if count == made.len() {
            made.push(IndexToken::default());
        }
        let token = &mut made[count];
        word.as_str().clone_into(&mut token.text);
        (token.offset_from, token.offset_to, token.position_length) = (span.start, span.end, 1);
        token.position = if placed { count } else { 0 };
        count += 1;
    }
    made.truncate(count);
}

/// The words of a text: its tokens without marks.
pub(super) fn words_of(text: &str) -> Vec<crate::model::token::Token> {
    let mut found = tokens(text);
    // A mark that is a letter in disguise ("²", "№") counts; punctuation only separates.
    found.retain(|token| {
        let counts = token.is_wordlike() || token.folded.chars().any(char::is_alphanumeric);
        counts && token.folded.len() <= LONGEST_WORD
    });
    found
}
