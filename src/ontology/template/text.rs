//! One way through a template as words and slots, and how it is matched against tokens.

use std::collections::BTreeMap;

use crate::model::token::{Token, TokenKind, tokens};

use super::Piece;

/// How many tokens one slot takes at most. Part numbers and codes have fewer.
const MOST_SLOT_TOKENS: usize = 24;
/// How many steps one match may take. Several slots in a row may divide a run in many ways.
const MOST_STEPS: usize = 2000;

/// A template's words and slots with all choices made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextForm {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    wants: Wants,
    /// True if nothing may stand between this and what is before it.
    tight: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Wants {
    /// A word, number or mark, folded.
    Token(String),
    Slot(String),
}

impl TextForm {
    /// The form; `None` if it has no items.
    pub(super) fn of(way: &[Piece]) -> Option<Self> {
        let mut items: Vec<Item> = Vec::new();
        let mut tight = false;
        for piece in way {
            let literal = match piece {
                Piece::Slot(name) => {
                    items.push(Item { wants: Wants::Slot(name.clone()), tight });
                    tight = true;
                    continue;
                }
                Piece::Literal(literal) => literal.as_str(),
                Piece::Anything => "*",
            };
            let mut end = 0;
            for token in tokens(literal) {
                let adjacent = token.span.start == end && (end > 0 || tight);
                end = token.span.end;
                items.push(Item { wants: Wants::Token(token.folded.into()), tight: adjacent });
            }
            // White space at the end loosens what follows; an empty literal changes nothing.
            tight = if literal.is_empty() { tight } else { end == literal.len() };
        }
        if let Some(first) = items.first_mut() {
            first.tight = false;
        }
        (!items.is_empty()).then_some(Self { items })
    }

    /// Matches at a token and gives the number of tokens and the slots' texts.
    pub(super) fn matched(&self, tokens: &[Token], at: usize) -> Option<(usize, BTreeMap<String, String>)> {
        let first = tokens.get(at)?;
        match &self.items.first()?.wants {
            Wants::Token(word) if *word != first.folded => return None,
            _ => {}
        }
        if first.glued {
            return None;
        }
        let mut matcher = Matcher { tokens, slots: Vec::new(), steps: 0 };
        let end = matcher.rest(&self.items, at)?;
        let slots =
            matcher.slots.iter().map(|(name, from, to)| ((*name).to_owned(), joined(&tokens[*from..*to])));
        Some((end - at, slots.collect()))
    }
}

struct Matcher<'t> {
    tokens: &'t [Token],
    slots: Vec<(&'t str, usize, usize)>,
    steps: usize,
}

impl<'t> Matcher<'t> {
    /// Matches the remaining items and gives the token after them.
    fn rest(&mut self, items: &'t [Item], at: usize) -> Option<usize> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        let Some((item, rest)) = items.split_first() else {
            return (!self.tokens.get(at).is_some_and(|token| token.glued)).then_some(at);
        };
        let token = self.tokens.get(at)?;
        let fits = if item.tight { adjacent(self.tokens, at) } else { !token.glued };
        if !fits {
            return None;
        }
        match &item.wants {
            Wants::Token(word) => {
                if token.folded == *word {
                    self.rest(rest, at + 1)
                } else {
                    None
                }
            }
            Wants::Slot(name) => {
                // The longest run first, shorter ones if the rest does not match then.
                for end in runs(self.tokens, at).into_iter().rev() {
                    self.slots.push((name, at, end));
                    if let Some(end) = self.rest(rest, end) {
                        return Some(end);
                    }
                    self.slots.pop();
                }
                None
            }
        }
    }
}

/// Where a slot that begins at a token may end.
fn runs(tokens: &[Token], at: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut end = at;
    while let Some(token) = tokens.get(end)
        && end - at < MOST_SLOT_TOKENS
    {
        let joined = end == at || adjacent(tokens, end);
        if joined && (token.is_wordlike() || is_numeral(token)) {
            end += 1;
            ends.push(end);
        } else if joined && end > at && is_joint(token) && adjacent(tokens, end + 1) {
            end += 1;
        } else {
            break;
        }
    }
    ends
}

/// True if nothing stands between a token and the one before it.
fn adjacent(tokens: &[Token], at: usize) -> bool {
    at > 0
        && tokens
            .get(at)
            .zip(tokens.get(at - 1))
            .is_some_and(|(token, before)| before.span.end == token.span.start)
}

fn is_joint(token: &Token) -> bool {
    matches!(token.folded.as_str(), "-" | "." | "/" | ":")
}

/// Chinese numerals number parts as digits do; other ideographs run on into the sentence.
fn is_numeral(token: &Token) -> bool {
    token.kind == TokenKind::Ideograph
        && token.text.chars().all(|character| "〇零一二三四五六七八九十百千".contains(character))
}

/// The text of adjacent tokens.
fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect()
}
