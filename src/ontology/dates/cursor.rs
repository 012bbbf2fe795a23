//! A place in a list of tokens, with the steps that the grammar takes from it. Knows no date.

use crate::model::token::{Token, TokenKind};

/// A place before a token; copying it is the way to look ahead.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    tokens: &'t [Token],
    /// The next token.
    pub(super) at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: &'t [Token], at: usize) -> Self {
        Self { tokens, at }
    }

    pub(super) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    /// True if nothing stands between the next token and the one before it.
    pub(super) fn adjacent(&self) -> bool {
        self.at > 0 && self.joined(self.at)
    }

    fn joined(&self, at: usize) -> bool {
        at > 0
            && self
                .tokens
                .get(at)
                .zip(self.tokens.get(at - 1))
                .is_some_and(|(next, before)| before.span.end == next.span.start)
    }

    /// Takes one word or mark.
    pub(super) fn eat(&mut self, folded: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.folded == folded);
        self.at += usize::from(found);
        found
    }

    /// Takes one word or mark that follows without a space.
    pub(super) fn eat_adjacent(&mut self, folded: &str) -> bool {
        self.adjacent() && self.eat(folded)
    }

    /// Takes a hyphen that is written together with what stands before or behind it: "(4)-year", "(4) -year".
    pub(super) fn eat_hyphen(&mut self) -> bool {
        (self.adjacent() || self.joined(self.at + 1)) && self.eat("-")
    }

    /// Takes several words in a row, or none.
    pub(super) fn eat_all(&mut self, words: &[&str]) -> bool {
        let mut ahead = *self;
        let found = words.iter().all(|word| ahead.eat(word));
        if found {
            *self = ahead;
        }
        found
    }

    /// Takes the mark between the numbers of a numeric date.
    pub(super) fn eat_separator(&mut self) -> Option<&'static str> {
        ["-", "/", "."].into_iter().find(|mark| self.eat_adjacent(mark))
    }

    /// True if the token before is this one.
    pub(super) fn previous_is(&self, folded: &str) -> bool {
        self.at > 0 && self.tokens.get(self.at - 1).is_some_and(|token| token.folded == folded)
    }

    /// Takes a number of so many digits.
    pub(super) fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let text = self.digit_text().filter(|text| (least..=most).contains(&text.len()))?;
        let value = text.parse().ok()?;
        self.at += 1;
        Some(value)
    }

    /// Takes a number of so many digits that follows without a space.
    pub(super) fn adjacent_digits(&mut self, least: usize, most: usize) -> Option<u32> {
        if self.adjacent() { self.digits(least, most) } else { None }
    }

    /// The next token's text if it is made of the digits 0 to 9.
    pub(super) fn digit_text(&self) -> Option<&'t str> {
        let token = self.peek()?;
        let plain = token.kind == TokenKind::Number && token.text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then_some(token.text.as_str())
    }

    /// Takes "T00:00:00Z" after an ISO date, if it is there.
    pub(super) fn eat_time(&mut self) {
        let mut ahead = *self;
        if !ahead.eat_adjacent("t") || ahead.adjacent_digits(2, 2).is_none() || !ahead.eat_adjacent(":") {
            return;
        }
        while ahead.adjacent() && ahead.peek().is_some_and(is_time_part) {
            ahead.at += 1;
        }
        // A stop or hyphen at the end belongs to the sentence.
        while ahead.tokens.get(ahead.at - 1).is_some_and(|token| token.kind == TokenKind::Mark) {
            ahead.at -= 1;
        }
        *self = ahead;
    }

    /// True if what begins here is not the rest of a longer word, number or code.
    pub(super) fn starts_cleanly(&self) -> bool {
        let Some(first) = self.peek() else { return false };
        if first.glued {
            return false;
        }
        if first.kind != TokenKind::Number || !self.adjacent() {
            return true;
        }
        let Some(mark) = self.tokens.get(self.at - 1) else { return true };
        let tied = matches!(mark.folded.as_str(), "-" | "/" | "." | "_" | ",")
            && self.joined(self.at - 1)
            && self.at >= 2
            && self.tokens.get(self.at - 2).is_some_and(Token::is_wordlike);
        !tied && !matches!(mark.folded.as_str(), "$" | "€" | "£" | "#")
    }

    /// True if what ends before this place does not run on into a longer word, number or code.
    pub(super) fn ends_cleanly(&self) -> bool {
        let Some(next) = self.peek() else { return true };
        if next.glued {
            return false;
        }
        let tied = match next.folded.as_str() {
            "-" | "/" | "_" => self.adjacent() && self.next_joined(Token::is_wordlike),
            "." | "," => self.adjacent() && self.next_joined(|token| token.kind == TokenKind::Number),
            _ => false,
        };
        !tied
    }

    fn next_joined(&self, test: impl Fn(&Token) -> bool) -> bool {
        self.joined(self.at + 1) && self.tokens.get(self.at + 1).is_some_and(test)
    }
}

fn is_time_part(token: &Token) -> bool {
    token.kind == TokenKind::Number || matches!(token.folded.as_str(), ":" | "." | "+" | "-" | "z")
}

/// The text of tokens, with one space wherever the text had any.
pub(super) fn verbatim(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut end = tokens.first().map_or(0, |token| token.span.start);
    for token in tokens {
        if token.span.start > end {
            text.push(' ');
        }
        text.push_str(&token.text);
        end = token.span.end;
    }
    text
}
