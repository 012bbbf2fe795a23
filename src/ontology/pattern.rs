//! The pattern language of `match` and `bind` rules, compiled to a tree.
//!
//! The text of a pattern and the word lists of its ontology come in; a tree goes out, or every problem of
//! the text at once. What a pattern finds in a sentence is not known here: `extract` knows that.
//!
//! `{slot:Type}`, `{slot:Type+}` (a list "A, B and C"), `{slot:date}`, `{slot:duration}`, `{slot:number}`,
//! `{slot}` (one word or number), `(a|b c)`, `[optional]`, `...` (a gap of at most [`MAX_GAP`] tokens),
//! `UPPER` (a word list), `word~` (any inflection), `/regex/` (one token, anchored), and literal words.

mod anchors;
mod inflect;
mod parse;

use std::collections::BTreeMap;

pub use inflect::inflections;
pub(crate) use parse::anchored;

/// The most tokens that `...` stands for.
pub const MAX_GAP: usize = 12;

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// The pattern as written.
    pub source: String,
    /// The parts, in order.
    pub parts: Vec<Part>,
}

/// One part of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// One literal word or mark, folded.
    Word(String),
    /// Any inflection of a word; the folded forms, the base form first.
    Inflected(Vec<String>),
    /// One token that matches a regular expression as a whole. The source of the expression.
    Regex(String),
    /// One of several sequences.
    Any(Vec<Vec<Part>>),
    /// A sequence that may be absent.
    Optional(Vec<Part>),
    /// At most this many tokens of anything within the sentence.
    Gap(usize),
    /// A slot.
    Slot {
        /// Its name.
        name: String,
        /// What it takes.
        takes: Takes,
        /// True for a list ("A, B and C").
        list: bool,
    },
}

/// What a slot takes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Takes {
    /// A mention of one of these entity types (or an unknown name in its place).
    Entity(Vec<String>),
    /// A date, or a term that stands for one.
    Date,
    /// A duration.
    Duration,
    /// A number.
    Number,
    /// One word or number.
    Word,
}

/// A problem of a pattern's text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BadPattern {
    /// Where it begins: the number of characters before it.
    pub at: usize,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// What to do about it, likewise.
    pub hint: Option<String>,
}

impl Pattern {
    /// Compiles the text of a pattern. `words` are the word lists of the ontology, such as
    /// `SUPPLY: [supply~, sell~]`.
    ///
    /// # Errors
    /// All problems of the text, in the order in which they stand.
    pub fn parse(source: &str, words: &BTreeMap<String, Vec<String>>) -> Result<Self, Vec<BadPattern>> {
        parse::pattern(source, words)
    }

    /// The slots, in the order in which they stand: each name with what it takes, and whether it is a list.
    pub fn slots(&self) -> Vec<(&str, &Takes, bool)> {
        let mut found = Vec::new();
        collect_slots(&self.parts, &mut found);
        found
    }

    /// What any text must contain to match: of each inner list of folded words, at least one.
    ///
    /// Empty if the pattern can match without any word of its own.
    pub fn anchors(&self) -> Vec<Vec<String>> {
        anchors::of(&self.parts)
    }
}

fn collect_slots<'p>(parts: &'p [Part], found: &mut Vec<(&'p str, &'p Takes, bool)>) {
    for part in parts {
        match part {
            Part::Slot { name, takes, list } => found.push((name, takes, *list)),
            Part::Any(alternatives) => alternatives.iter().for_each(|inner| collect_slots(inner, found)),
            Part::Optional(inner) => collect_slots(inner, found),
            Part::Word(_) | Part::Inflected(_) | Part::Regex(_) | Part::Gap(_) => {}
        }
    }
}
