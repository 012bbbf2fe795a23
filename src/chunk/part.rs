//! The zones of a contract-like document.
//!
//! | part | where |
//! |---|---|
//! | recitals | a paragraph that begins with "whereas"; below a heading such as "Recitals" or "Background", up to "now, therefore" |
//! | definitions | below a heading such as "Definitions"; a paragraph whose every sentence defines the term that it begins with |
//! | schedule | below a heading that begins with "Schedule", "Exhibit", "Annex" or "Appendix", unless it is the title |
//! | signature | from "in witness whereof" up to the next heading; below a heading such as "Signatures"; a short paragraph that begins with "signed" |
//! | preamble | below a heading such as "Between" or "Parties"; what stands before the first section, numbered item or recital of an agreement |
//! | body | everything else |
//!
//! A document is an *agreement* if it has recitals, or if it has sections or numbered items and its text
//! before them defines a term in brackets (`(the "Buyer")`, `("Buyer")`) or says between whom it is made
//! while its title or this text calls it an agreement, contract or the like. Without sections, the first
//! paragraph that defines a term in brackets is the preamble alone. Numbered items below a line that ends
//! with a colon and says between whom belong to the preamble: they list the parties.

use crate::model::chunk::Part;
use crate::model::document::{Block, BlockKind, Document};
use crate::model::token::{Span, TokenKind, tokens};
use crate::ontology::language::Language;

/// A heading of more words names a subject, even if it begins with "background".
const PART_HEADING_WORDS: usize = 5;

/// "Signed by" opens a signature only in a paragraph of at most this many words.
const SIGNATURE_WORDS: usize = 24;

/// The opening of a document is looked for in its first blocks only.
const OPENING_BLOCKS: usize = 40;

/// The bytes at the start of a paragraph that are compared with the words that open a part.
const START: usize = 200;

/// Knows the part of every block.
pub(super) struct Parts<'d> {
    language: &'d Language,
    /// The index of the title, which opens no part.
    title: Option<usize>,
    /// The blocks before this index are the preamble.
    preamble_end: usize,
    /// True once "now, therefore" has ended the recitals.
    operative: bool,
    /// True after "in witness whereof".
    signing: bool,
}

impl<'d> Parts<'d> {
    pub(super) fn of(document: &Document, language: &'d Language, fields: &[Span]) -> Self {
        let is_heading = |block: &Block| matches!(block.kind, BlockKind::Heading(_));
        let first = document.blocks.iter().position(|block| !super::holds_field(fields, block.span));
        let title = first.filter(|at| is_heading(&document.blocks[*at]));
        let opening = Opening { document, language, title };
        let preamble_end = opening.end(first.unwrap_or(0));
        Self { language, title, preamble_end, operative: false, signing: false }
    }

    /// The part that a heading opens.
    pub(super) fn opened_by_heading(&mut self, at: usize, text: &str) -> Option<Part> {
        self.signing = false;
        if self.title == Some(at) {
            return None;
        }
        self.operative = false;
        heading_part(self.language, text)
    }

    /// The part of a block below a heading that opened `above`.
    pub(super) fn of_block(&mut self, at: usize, text: &str, above: Option<Part>) -> Part {
        let words = Words::of(text, self.language);
        if self.signing || words.begins_signature() {
            self.signing = self.signing || words.begins_witness();
            return Part::Signature;
        }
        if words.begin(&self.language.parts.operative) {
            self.operative = true;
        }
        let above = above.filter(|part| *part != Part::Recitals || !self.operative);
        if words.begin_one(&self.language.parts.recitals, "whereas") && above != Some(Part::Schedule) {
            return Part::Recitals;
        }
        if let Some(part) = above {
            return part;
        }
        if at < self.preamble_end && !self.operative {
            return Part::Preamble;
        }
        if only_defines(text, self.language) { Part::Definitions } else { Part::Body }
    }
}

/// The part that a heading's words open.
fn heading_part(language: &Language, text: &str) -> Option<Part> {
    let words = Words::of(text, language);
    let parts = &language.parts;
    if words.begin(&parts.schedule) {
        return Some(Part::Schedule);
    }
    if words.words.len() > PART_HEADING_WORDS {
        return None;
    }
    let table = [
        (&parts.recitals, Part::Recitals),
        (&parts.definitions, Part::Definitions),
        (&parts.signature, Part::Signature),
        (&parts.preamble, Part::Preamble),
    ];
    table.into_iter().find(|(openers, _)| words.begin(openers)).map(|(_, part)| part)
}

/// The first words of a text, folded, without a number before them.
struct Words<'l> {
    words: Vec<String>,
    language: &'l Language,
}

impl<'l> Words<'l> {
    fn of(text: &str, language: &'l Language) -> Self {
        let mut cut = START.min(text.len());
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let found = tokens(&text[..cut]);
        let words =
            found.into_iter().filter(|token| token.kind != TokenKind::Mark).map(|token| token.folded.into());
        let mut words: Vec<String> = words.collect();
        let label = words.first().is_some_and(|word| language.labels.contains(word));
        let schedule = words.first().is_some_and(|word| language.parts.schedule.contains(word));
        if label && !schedule && words.len() > 2 {
            words.drain(..2);
        }
        while words.len() > 1 && is_number(&words[0]) {
            words.remove(0);
        }
        Self { words, language }
    }

    fn begin(&self, openers: &[String]) -> bool {
        openers.iter().any(|opener| self.begin_with(opener))
    }

    fn begin_one(&self, openers: &[String], opener: &str) -> bool {
        openers.iter().any(|known| known == opener) && self.begin_with(opener)
    }

    fn begin_with(&self, opener: &str) -> bool {
        let mut count = 0;
        let same = opener.split(' ').enumerate().all(|(at, word)| {
            count += 1;
            self.words.get(at).is_some_and(|own| own == word)
        });
        same && count > 0
    }

    fn begins_witness(&self) -> bool {
        self.language
            .parts
            .signature
            .iter()
            .any(|opener| opener.split(' ').count() > 2 && self.begin_with(opener))
    }

    fn begins_signature(&self) -> bool {
        self.begins_witness()
            || (self.words.len() <= SIGNATURE_WORDS && self.begin(&self.language.parts.signature))
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        || (word.len() <= 4 && word.bytes().all(|b| b"ivxl".contains(&b)))
}

/// True if every sentence, perhaps after a short title with a stop, begins with a quoted term and a word
/// that defines it.
fn only_defines(text: &str, language: &Language) -> bool {
    if !text.contains(['"', '\u{201c}', '\u{201d}']) {
        return false;
    }
    let sentences = language.sentences(text);
    let mut rest = sentences.iter().map(|sentence| sentence.of(text)).peekable();
    if rest.len() > 1 {
        rest.next_if(|first| first.split_whitespace().count() <= 4 && !first.starts_with(['"', '\u{201c}']));
    }
    rest.all(|sentence| defines(sentence, language))
}

fn defines(sentence: &str, language: &Language) -> bool {
    let Some(rest) = sentence.strip_prefix(['"', '\u{201c}']) else { return false };
    let Some((_, rest)) = rest.split_once(['"', '\u{201d}']) else { return false };
    let words = Words::of(rest, language);
    words.begin(&language.parts.defining)
}

/// The start of a document, up to its first section.
struct Opening<'d> {
    document: &'d Document,
    language: &'d Language,
    title: Option<usize>,
}

impl Opening<'_> {
    /// The index of the first block that is no longer the preamble.
    fn end(&self, first: usize) -> usize {
        let blocks = &self.document.blocks;
        let mut start = self.title.map_or(first, |title| title + 1);
        // The name of the agreement below a title such as "Exhibit 10.18" is part of the title.
        while blocks.get(start).is_some_and(|block| matches!(block.kind, BlockKind::Heading(_)))
            && self.says(self.text(start), &self.language.parts.agreement)
        {
            start += 1;
        }
        let section = (start..blocks.len().min(start + OPENING_BLOCKS)).find(|at| self.is_section(*at));
        match section {
            Some(end) if self.is_recital(end) || self.is_agreement(start, end) => end,
            Some(_) => 0,
            None => self.lone_paragraph(start),
        }
    }

    fn text(&self, at: usize) -> &str {
        self.document.blocks[at].span.of(&self.document.text)
    }

    /// True for what ends the opening: a heading, a numbered item, a recital.
    fn is_section(&self, at: usize) -> bool {
        match &self.document.blocks[at].kind {
            BlockKind::Heading(_) => true,
            BlockKind::Item { label, .. } => !label.is_empty() && !self.lists_parties(at),
            BlockKind::Paragraph => self.is_recital(at),
            _ => false,
        }
    }

    fn is_recital(&self, at: usize) -> bool {
        let words = Words::of(self.text(at), self.language);
        let parts = &self.language.parts;
        let heading = matches!(self.document.blocks[at].kind, BlockKind::Heading(_));
        words.begin_one(&parts.recitals, "whereas") || (heading && words.begin(&parts.recitals))
    }

    /// True for an item below "… between:".
    fn lists_parties(&self, at: usize) -> bool {
        let before = self.document.blocks[..at].iter().rev();
        let lead = before.take(OPENING_BLOCKS).find(|block| !matches!(block.kind, BlockKind::Item { .. }));
        lead.is_some_and(|block| {
            let text = block.span.of(&self.document.text);
            text.ends_with(':') && self.says(text, &self.language.parts.between)
        })
    }

    fn is_agreement(&self, start: usize, end: usize) -> bool {
        let title = self.title.map_or(&*self.document.title, |title| self.text(title));
        let named = self.says(title, &self.language.parts.agreement);
        (start..end).any(|at| {
            let text = self.text(at);
            let agreement = named || self.says(text, &self.language.parts.agreement);
            defines_in_brackets(text) || (agreement && self.says(text, &self.language.parts.between))
        })
    }

    /// In a document without sections: the first paragraph, if it defines a term.
    fn lone_paragraph(&self, start: usize) -> usize {
        let blocks = &self.document.blocks;
        let first = (start..blocks.len()).find(|at| blocks[*at].kind == BlockKind::Paragraph);
        first.filter(|at| defines_in_brackets(self.text(*at))).map_or(0, |at| at + 1)
    }

    fn says(&self, text: &str, words: &[String]) -> bool {
        tokens(text).iter().any(|token| words.iter().any(|word| token.folded == *word))
    }
}

/// `(the "Buyer")`, `("Buyer")`, `(hereinafter referred to as "Buyer")`.
fn defines_in_brackets(text: &str) -> bool {
    text.match_indices('(').any(|(at, _)| {
        let inner = text[at + 1..].split(')').next().unwrap_or_default();
        inner.len() <= 120 && inner.contains(['"', '\u{201c}'])
    })
}
