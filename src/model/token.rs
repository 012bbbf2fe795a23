//! Words as the program compares them: the one normaliser behind linking, patterns and look-ups.
//!
//! A token is a run of letters, a run of digits, one ideograph, or one other visible character; white
//! space separates and is dropped. `FCU-9` is three tokens, `FCU9` two, and the second of those is
//! *glued* to the first, so that a name is found at word boundaries only.

use std::ops::Range;

use caseless::Caseless;
use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// A byte range in a text. Invariant kept by its makers: `start < end`, both on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The range from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        debug_assert!(start <= end, "a span runs forward");
        Self { start, end }
    }

    /// The same range, counted from `offset` bytes further left.
    pub fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }

    /// The text of the range; empty if the range does not fit the text.
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// True if `other` lies within.
    pub fn covers(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// True if the two share a byte.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// Letters and combining marks.
    Word,
    /// Decimal digits.
    Number,
    /// One ideograph or syllable of a script that does not separate its words.
    Ideograph,
    /// Any other visible character.
    Mark,
}

/// One token of a text. Its strings are kept in place up to 24 bytes, so a word costs no allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Where it stands in the verbatim text.
    pub span: Span,
    /// NFKC, with its case kept.
    pub text: CompactString,
    /// NFKC and full case folding: what is compared.
    pub folded: CompactString,
    /// What it is made of.
    pub kind: TokenKind,
    /// True if no space and no mark separates it from the word or number before it.
    pub glued: bool,
}

impl Token {
    /// True for words and numbers: a boundary is needed between two of them.
    pub fn is_wordlike(&self) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Number)
    }
}

/// NFKC and full case folding ("Straße" and "STRASSE" are equal).
pub fn fold(text: &str) -> String {
    text.nfkc().default_case_fold().nfkc().collect()
}

/// The bytes of a text for which room is made for one token: a word of English and the space before it.
const BYTES_OF_A_TOKEN: usize = 5;

/// Splits a text into tokens. Linear in the length of the text.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(text.len() / BYTES_OF_A_TOKEN + 1);
    let mut at = 0;
    while let Some(first) = char_at(text, at) {
        let start = at;
        at += first.len_utf8();
        let Some(kind) = kind_of(first) else { continue };
        let wordlike = matches!(kind, TokenKind::Word | TokenKind::Number);
        // A combining mark belongs to the letter before it, however the text was composed.
        while let Some(next) = char_at(text, at)
            && ((wordlike && kind_of(next) == Some(kind)) || is_combining_mark(next))
        {
            at += next.len_utf8();
        }
        let glued = wordlike
            && found.last().is_some_and(|before: &Token| before.is_wordlike() && before.span.end == start);
        let verbatim = &text[start..at];
        let (text, folded) = if verbatim.is_ascii() {
            let text = CompactString::new(verbatim);
            let mut folded = text.clone();
            folded.make_ascii_lowercase();
            (text, folded)
        } else {
            let normal: CompactString = verbatim.nfkc().collect();
            let folded = fold(&normal).into();
            (unify(normal), unify(folded))
        };
        found.push(Token { span: Span::new(start, at), text, folded, kind, glued });
    }
    found
}

fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        // Nearly every character of most texts, told without decoding.
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => text.get(at..)?.chars().next(),
    }
}

fn is_combining_mark(character: char) -> bool {
    !character.is_ascii() && unicode_normalization::char::is_combining_mark(character)
}

/// Dashes and apostrophes come in many forms that mean the same in a name.
fn unify(text: CompactString) -> CompactString {
    match text.as_str() {
        "\u{2010}" | "\u{2011}" | "\u{2012}" | "\u{2013}" | "\u{2212}" => "-".into(),
        "\u{2018}" | "\u{2019}" | "\u{02bc}" => "'".into(),
        "\u{201c}" | "\u{201d}" | "\u{201e}" | "\u{00ab}" | "\u{00bb}" => "\"".into(),
        _ => text,
    }
}

fn kind_of(character: char) -> Option<TokenKind> {
    match character {
        'a'..='z' | 'A'..='Z' => Some(TokenKind::Word),
        '0'..='9' => Some(TokenKind::Number),
        '!'..='~' => Some(TokenKind::Mark),
        '\0'..='\u{7f}' => None,
        _ if character.is_whitespace()
            || character.is_control()
            || matches!(character, '\u{200b}' | '\u{feff}' | '\u{ad}') =>
        {
            None
        }
        _ if character.is_numeric() => Some(TokenKind::Number),
        _ if is_ideograph(character) => Some(TokenKind::Ideograph),
        _ if character.is_alphabetic() || is_combining_mark(character) => Some(TokenKind::Word),
        _ => Some(TokenKind::Mark),
    }
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}' | '\u{0e00}'..='\u{0e7f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        tokens(text)
            .iter()
            .map(|token| format!("{}{}", if token.glued { "+" } else { "" }, token.folded))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn words_numbers_and_marks() {
        assert_eq!(show("TechChip, Inc. (\u{201c}Supplier\u{201d})"), "techchip , inc . ( \" supplier \" )");
        assert_eq!(show("FCU-9 FCU9 1E5 A/B"), "fcu - 9 fcu +9 1 +e +5 a / b");
        assert_eq!(show("飞行控制"), "飞 行 控 制");
    }

    #[test]
    fn composed_and_decomposed_are_equal() {
        assert_eq!(show("Mu\u{308}ller STRASSE"), show("m\u{fc}ller Straße"));
    }

    #[test]
    fn spans_slice_the_verbatim_text() {
        let text = "  Mu\u{308}ller\u{a0}GmbH — 7";
        for token in tokens(text) {
            assert!(!token.span.of(text).trim().is_empty());
        }
        assert_eq!(tokens(text)[0].span.of(text), "Mu\u{308}ller");
    }
}
