//! A chunk as the rules see it: its tokens, with mentions and defined terms laid over them.
//!
//! A text, its mentions and the bindings in force come in. Nothing here knows a rule.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::bound::Bound;
use super::phrases::Phrases;
use crate::model::job::DateOrder;
use crate::model::mention::Mention;
use crate::model::token::{Span, Token, tokens};
use crate::ontology::language::Language;

/// A longer sentence, in tokens, is a list without stops: it is read in pieces, since each of its matches
/// quotes all of it.
const LONGEST_SENTENCE: usize = 600;
/// How many quotations, single ones in double ones, may lie around a word.
const MOST_NESTED: usize = 8;

/// What the rules of a sentence may look at.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) language: &'static Language,
    pub(super) phrases: &'static Phrases,
    pub(super) order: Option<DateOrder>,
    /// Whether the document's effective date comes from declared data.
    pub(super) effective: bool,
}

/// A chunk's text, laid out.
pub(super) struct Scene<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Cow<'a, [Token]>,
    pub(super) reader: Reader,
    /// The terms and bindings in force.
    pub(super) bound: &'a [Bound],
    /// By first token: the token behind the mention, and the mention; the longest first.
    mentions: BTreeMap<usize, Vec<(usize, &'a Mention)>>,
    /// By first token: the token behind the term, and its place in `bound`; the longest first.
    terms: BTreeMap<usize, Vec<(usize, usize)>>,
    /// Quoted passages, as the tokens of their quotation marks.
    pub(super) quoted: Vec<(usize, usize)>,
    /// Where the document's own effective date stands in `bound`, if the document states it.
    pub(super) effective_term: Option<usize>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(text: &'a str, mentions: &'a [Mention], bound: &'a [Bound], reader: Reader) -> Self {
        Self::of(text, Cow::Owned(tokens(text)), mentions, bound, reader)
    }

    /// The same, of a text whose tokens are known.
    pub(super) fn of(
        text: &'a str,
        tokens: Cow<'a, [Token]>,
        mentions: &'a [Mention],
        bound: &'a [Bound],
        reader: Reader,
    ) -> Self {
        let quoted = quoted(&tokens, text);
        let mut scene = Self {
            text,
            reader,
            bound,
            mentions: BTreeMap::new(),
            terms: BTreeMap::new(),
            quoted,
            effective_term: None,
            tokens,
        };
        for mention in mentions {
            if let Some((first, behind)) = scene.tokens_of(mention.span) {
                scene.mentions.entry(first).or_default().push((behind, mention));
            }
        }
        for found in scene.mentions.values_mut() {
            found.sort_by_key(|(behind, _)| std::cmp::Reverse(*behind));
        }
        scene.lay_terms();
        scene
    }

    fn lay_terms(&mut self) {
        let mut by_first: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, bound) in self.bound.iter().enumerate() {
            if bound.name == self.reader.phrases.effective_term {
                self.effective_term = Some(place);
            }
            if let Some(first) = bound.term.first() {
                by_first.entry(first).or_default().push(place);
            }
        }
        let mut laid: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (first, token) in self.tokens.iter().enumerate() {
            for place in by_first.get(token.text.as_str()).into_iter().flatten() {
                let term = &self.bound[*place].term;
                let behind = first + term.len();
                // In its own quotation marks a term is defined or talked about, not used.
                let talked_about = first > 0 && self.quoted.binary_search(&(first - 1, behind)).is_ok();
                if spells(&self.tokens, first, term)
                    && !talked_about
                    && !self.inside_longer_mention(first, behind)
                {
                    laid.entry(first).or_default().push((behind, *place));
                }
            }
        }
        for found in laid.values_mut() {
            found.sort_by_key(|(behind, place)| (std::cmp::Reverse(*behind), *place));
        }
        self.terms = laid;
    }

    fn inside_longer_mention(&self, first: usize, behind: usize) -> bool {
        let around = self.mentions.range(..=first).rev().take(8);
        around
            .flat_map(|(at, found)| found.iter().map(move |(end, _)| (*at, *end)))
            .any(|(at, end)| at <= first && behind <= end && end - at > behind - first)
    }

    /// The mentions that begin at a token, the longest first.
    pub(super) fn mentions_at(&self, at: usize) -> &[(usize, &'a Mention)] {
        self.mentions.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The terms that begin at a token, the longest first.
    pub(super) fn terms_at(&self, at: usize) -> &[(usize, usize)] {
        self.terms.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Every place where a term stands, in order.
    pub(super) fn terms(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.terms.iter().flat_map(|(at, found)| found.iter().map(|(behind, place)| (*at, *behind, *place)))
    }

    /// The first token of a span and the token behind its last; `None` if no token stands in it.
    pub(super) fn tokens_of(&self, span: Span) -> Option<(usize, usize)> {
        let first = self.tokens.partition_point(|token| token.span.start < span.start);
        let behind = self.tokens.partition_point(|token| token.span.end <= span.end);
        (first < behind).then_some((first, behind))
    }

    /// The span from a token to the one before `behind`.
    pub(super) fn span(&self, first: usize, behind: usize) -> Span {
        let start = self.tokens.get(first).map_or(0, |token| token.span.start);
        let end =
            behind.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |last| last.span.end);
        Span::new(start, end.max(start))
    }

    /// The text of a range of tokens, verbatim.
    pub(super) fn slice(&self, first: usize, behind: usize) -> &'a str {
        let span = self.span(first, behind);
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The folded form of a token; empty beyond the end.
    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.folded.as_str())
    }

    /// True if no white space stands between a token and the one before it.
    pub(super) fn touches_previous(&self, at: usize) -> bool {
        at > 0 && self.tokens.get(at).is_some_and(|token| token.span.start == self.tokens[at - 1].span.end)
    }

    /// The sentences, as ranges of tokens. What is too long for a sentence is read in pieces.
    pub(super) fn sentences(&self) -> Vec<(Span, usize, usize)> {
        let mut found = Vec::new();
        for span in self.reader.language.sentences(self.text) {
            let Some((mut first, behind)) = self.tokens_of(span) else { continue };
            if behind - first <= LONGEST_SENTENCE {
                found.push((span, first, behind));
                continue;
            }
            while first < behind {
                let most = behind.min(first + LONGEST_SENTENCE);
                let cut = (first + 1..most).rev().find(|at| self.word(*at - 1) == ";");
                let end = if most == behind { behind } else { cut.unwrap_or(most) };
                found.push((self.span(first, end), first, end));
                first = end;
            }
        }
        found
    }

    /// The closing mark of the quotation that opens at a token.
    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let at = self.quoted.partition_point(|(mark, _)| *mark < open);
        self.quoted.get(at).filter(|(mark, _)| *mark == open).map(|(_, close)| *close)
    }

    /// True if a range lies within quotation marks without touching them.
    pub(super) fn is_quoted(&self, first: usize, behind: usize) -> bool {
        let opened = self.quoted.partition_point(|(open, _)| *open < first);
        let nearest = self.quoted[..opened].iter().rev().take(MOST_NESTED);
        nearest.into_iter().any(|(_, close)| behind <= *close)
    }
}

/// True if the words of a term stand at a token, with their case and at word boundaries.
pub(super) fn spells(tokens: &[Token], at: usize, words: &[String]) -> bool {
    let Some(found) = tokens.get(at..at + words.len()) else { return false };
    found.iter().zip(words).all(|(token, word)| token.text == *word)
        && !found.first().is_some_and(|token| token.glued)
        && !tokens.get(at + words.len()).is_some_and(|next| next.glued)
}

/// Pairs of quotation marks. Straight double marks alternate, curly ones say which way they face; single
/// marks count only where they cannot be apostrophes.
pub(super) fn quoted(tokens: &[Token], text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut double, mut single) = (None, None);
    for (at, token) in tokens.iter().enumerate() {
        let mark = token.span.of(text);
        let before = text.get(..token.span.start).and_then(|text| text.chars().next_back());
        let behind = text.get(token.span.end..).and_then(|text| text.chars().next());
        let opens = before.is_none_or(|before| before.is_whitespace() || "([{".contains(before));
        let closes = !opens && !behind.is_some_and(char::is_alphanumeric);
        match mark {
            "\u{201e}" | "\u{ab}" => double = Some(at),
            // In German a left mark closes, in English it opens.
            "\u{201c}" if double.is_none() || opens => double = Some(at),
            "\"" if double.is_none() => double = Some(at),
            "\"" | "\u{201c}" | "\u{201d}" | "\u{bb}" => found.extend(double.take().map(|open| (open, at))),
            "\u{2018}" | "'" if opens => single = Some(at),
            "\u{2019}" | "'" if closes => found.extend(single.take().map(|open| (open, at))),
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_come_in_pairs() {
        let cases = [
            ("a \"b c\" d", "b c"),
            ("a \u{201c}b\u{201d} (\u{201c}c\u{201d})", "b,c"),
            ("\u{201e}b\u{201c} c", "b"),
            ("the \u{ab}b\u{bb} and 'c d' isn't 'e'", "b,c d,e"),
            ("the suppliers' and 5\" pipe", ""),
        ];
        for (text, expected) in cases {
            let tokens = tokens(text);
            let found: Vec<&str> = quoted(&tokens, text)
                .into_iter()
                .map(|(open, close)| &text[tokens[open].span.end..tokens[close].span.start])
                .collect();
            assert_eq!(found.join(","), expected, "{text}");
        }
    }
}
