//! The normal form of names and texts: what two of them must share to name the same.
//!
//! Text comes in; its pieces go out, each with what it contributes under a style. The normal form of a
//! text is the pieces' texts in a row, with one space where white space counts. Names and chunks pass
//! through the same code, so they cannot disagree.

use std::borrow::Cow;

use crate::model::token::{Span, Token, TokenKind};
use crate::ontology::NameStyle;

/// One token, or several that only invisible characters separate ("Tech\u{ad}Chip").
#[derive(Debug, Clone)]
pub(super) struct Piece<'t> {
    pub(super) span: Span,
    exact: Cow<'t, str>,
    pub(super) folded: Cow<'t, str>,
    kind: TokenKind,
    /// True if no boundary separates it from the piece before: both are words or numbers, and nothing
    /// visible stands between them. No name begins here or ends before it.
    pub(super) joined: bool,
    /// True if white space stands before it.
    pub(super) apart: bool,
    /// True if that white space counts. Beside an ideograph it does not: there it is layout.
    spaced: bool,
    /// The first of its tokens.
    pub(super) token: usize,
}

impl Piece<'_> {
    pub(super) fn is_mark(&self) -> bool {
        self.kind == TokenKind::Mark
    }

    pub(super) fn is_ideograph(&self) -> bool {
        self.kind == TokenKind::Ideograph
    }

    /// True for words and numbers.
    pub(super) fn is_wordlike(&self) -> bool {
        matches!(self.kind, TokenKind::Word | TokenKind::Number)
    }

    /// True if it has a letter or digit.
    pub(super) fn has_letters(&self) -> bool {
        self.folded.chars().any(char::is_alphanumeric)
    }

    pub(super) fn is_number(&self) -> bool {
        self.kind == TokenKind::Number
    }

    /// The text in NFKC, with its case.
    pub(super) fn exact(&self) -> &str {
        &self.exact
    }

    /// What it contributes to the normal form; empty if it does not count.
    pub(super) fn normal(&self, style: NameStyle) -> &str {
        if style.ignore_hyphens && self.folded == "-" {
            return "";
        }
        let text: &str = if style.case_sensitive { &self.exact } else { &self.folded };
        if style.ignore_leading_zeros && self.is_number() { without_zeros(text) } else { text }
    }

    /// True if a space belongs before it in the normal form.
    pub(super) fn space(&self, style: NameStyle) -> bool {
        self.spaced && !style.ignore_spaces
    }
}

/// A number without leading zeros; "000" is "0".
pub(super) fn without_zeros(text: &str) -> &str {
    let stripped = text.trim_start_matches('0');
    if stripped.is_empty() { text.get(text.len().saturating_sub(1)..).unwrap_or(text) } else { stripped }
}

/// The pieces of a text, given its tokens.
pub(super) fn pieces<'t>(text: &str, tokens: &'t [Token]) -> Vec<Piece<'t>> {
    let mut found: Vec<Piece<'t>> = Vec::with_capacity(tokens.len());
    let mut white = false;
    let mut end = 0;
    for (at, token) in tokens.iter().enumerate() {
        let gap = text.get(end..token.span.start).unwrap_or_default();
        white |= gap.chars().any(|character| character.is_whitespace() || character.is_control());
        end = token.span.end;
        if is_trade_mark(token) {
            continue;
        }
        let wordlike = token.is_wordlike();
        let before = found.last_mut();
        let touches = before.as_ref().is_some_and(|before| before.is_wordlike()) && wordlike && !white;
        if let Some(before) = before
            && touches
            && before.kind == token.kind
        {
            before.span.end = token.span.end;
            before.exact.to_mut().push_str(&token.text);
            before.folded.to_mut().push_str(&token.folded);
            continue;
        }
        let beside_ideograph =
            token.kind == TokenKind::Ideograph || found.last().is_some_and(Piece::is_ideograph);
        let apart = white && !found.is_empty();
        found.push(Piece {
            span: token.span,
            exact: Cow::Borrowed(&token.text),
            folded: Cow::Borrowed(&token.folded),
            kind: token.kind,
            joined: touches,
            apart,
            spaced: apart && !beside_ideograph,
            token: at,
        });
        white = false;
    }
    found
}

/// "TechChip™" is "TechChip": the mark claims a right and is no part of a name.
fn is_trade_mark(token: &Token) -> bool {
    token.kind == TokenKind::Mark && matches!(token.text.as_str(), "TM" | "SM" | "®")
}

/// The normal form of pieces under a style.
pub(super) fn normal(pieces: &[Piece<'_>], style: NameStyle) -> String {
    let mut form = String::new();
    let mut space = false;
    for piece in pieces {
        space |= piece.space(style) && !form.is_empty();
        let text = piece.normal(style);
        if text.is_empty() {
            continue;
        }
        if std::mem::take(&mut space) {
            form.push(' ');
        }
        form.push_str(text);
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::token::tokens;

    fn show(text: &str, style: NameStyle) -> String {
        normal(&pieces(text, &tokens(text)), style)
    }

    #[test]
    fn white_space_is_one_space_or_nothing() {
        let plain = NameStyle::default();
        assert_eq!(show(" Flight\n  Control\u{a0}Unit ", plain), "flight control unit");
        assert_eq!(show("Tech\u{ad}Chip\u{2122} , Inc", plain), "techchip , inc");
        assert_eq!(show("飞行 控制 A 7", plain), "飞行控制a 7");
    }

    #[test]
    fn what_a_style_ignores() {
        let style = NameStyle {
            ignore_spaces: true,
            ignore_hyphens: true,
            ignore_leading_zeros: true,
            ..NameStyle::default()
        };
        for text in ["FCU-009", "fcu9", "FCU 9", "FCU\u{2011} 09", "Fcu--9"] {
            assert_eq!(show(text, style), "fcu9", "{text}");
        }
        let hyphens = NameStyle { ignore_hyphens: true, ..NameStyle::default() };
        assert_eq!(show("FCU - 9", hyphens), "fcu 9");
        assert_eq!(show("000", NameStyle { ignore_leading_zeros: true, ..NameStyle::default() }), "0");
        assert_eq!(show("Acme", NameStyle { case_sensitive: true, ..NameStyle::default() }), "Acme");
    }
}
