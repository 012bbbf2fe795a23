//! Dates that a hand was to fill in: "September ___, 2019", a bracketed "date", "the date last signed below".

use crate::model::token::TokenKind;

use super::cursor::Cursor;

/// Phrases that name a date which the text does not have. The article before them is optional.
///
/// "The date first written above" is not among them: it points at a date that the text has.
const PHRASES: [&[&str]; 12] = [
    &["date", "last", "signed", "below"],
    &["date", "last", "signed"],
    &["date", "signed", "below"],
    &["last", "date", "signed", "below"],
    &["last", "date", "of", "signature", "below"],
    &["last", "date", "of", "signature"],
    &["date", "of", "the", "last", "signature", "below"],
    &["date", "of", "the", "last", "signature"],
    &["date", "of", "last", "signature", "below"],
    &["date", "of", "last", "signature"],
    &["date", "of", "signature", "below"],
    &["date", "of", "signature"],
];

/// Reads a blank and gives the token after it. `month` takes a month's name.
pub(super) fn read(start: Cursor<'_>, month: &dyn Fn(&mut Cursor<'_>) -> Option<i8>) -> Option<usize> {
    phrase(start).or_else(|| parts(start, month))
}

fn phrase(mut at: Cursor<'_>) -> Option<usize> {
    at.eat("the");
    PHRASES.iter().any(|words| at.eat_all(words)).then_some(at.at)
}

/// Day, month and year in any order, of which at least one is a blank.
fn parts(mut at: Cursor<'_>, month: &dyn Fn(&mut Cursor<'_>) -> Option<i8>) -> Option<usize> {
    const MOST_PARTS: usize = 3;
    at.eat("the");
    let mut blanks = 0;
    let mut end = None;
    for _ in 0..MOST_PARTS {
        if open_year(&mut at) || gap(&mut at) {
            blanks += 1;
            let _ = ["st", "nd", "rd", "th"].iter().any(|suffix| at.eat(suffix));
        } else if month(&mut at).is_none() && day_or_year(&mut at).is_none() {
            break;
        }
        end = Some(at.at);
        // What joins the parts counts only if a part follows it.
        if at.eat_all(&["day", "of"]) {
            continue;
        }
        let _ = at.eat(",") || at.eat("of");
    }
    end.filter(|_| blanks > 0)
}

fn day_or_year(at: &mut Cursor<'_>) -> Option<()> {
    if super::number::ordinal(at).is_some() {
        return Some(());
    }
    let text = at.digit_text().filter(|text| matches!(text.len(), 1 | 2 | 4))?;
    let _ = text;
    at.at += 1;
    Some(())
}

/// "20__": a year whose end is open.
fn open_year(at: &mut Cursor<'_>) -> bool {
    let mut ahead = *at;
    let found = ahead.digits(2, 3).is_some() && ahead.adjacent() && underscores(&mut ahead) > 0;
    if found {
        *at = ahead;
    }
    found
}

/// A run of underscores, or a placeholder in brackets.
fn gap(at: &mut Cursor<'_>) -> bool {
    let mut ahead = *at;
    let found = underscores(&mut ahead) >= 2 || placeholder(&mut ahead);
    if found {
        *at = ahead;
    }
    found
}

fn underscores(at: &mut Cursor<'_>) -> usize {
    let start = at.at;
    while at.eat("_") {}
    at.at - start
}

/// Brackets around "date", "insert date", a bullet, a space or underscores: short, and without a number in it.
fn placeholder(at: &mut Cursor<'_>) -> bool {
    const MOST_WORDS: usize = 5;
    if !at.eat("[") {
        return false;
    }
    let mut dated = false;
    let mut words = 0;
    while !at.eat("]") {
        let Some(token) = at.peek() else { return false };
        match token.kind {
            TokenKind::Number | TokenKind::Ideograph => return false,
            TokenKind::Word => {
                words += 1;
                dated |= matches!(token.folded.as_str(), "date" | "day" | "month" | "year");
            }
            // Underscores and bullets fill the brackets; long rows of them are still one blank.
            TokenKind::Mark => {}
        }
        if words > MOST_WORDS || matches!(token.folded.as_str(), "[" | "(") {
            return false;
        }
        at.at += 1;
    }
    dated || words == 0
}
