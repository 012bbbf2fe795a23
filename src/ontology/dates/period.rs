//! Durations: "225 days", "twelve (12) months", "one year and six months", "P1Y".

use crate::model::time::Period;
use crate::model::token::Token;
use crate::ontology::language::Language;

use super::cursor::Cursor;
use super::number;

/// More of any unit than this is no duration of a contract, and the calendar does not reach so far.
const MOST: i32 = 999_999;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Year,
    Month,
    Week,
    Day,
}

const ENGLISH: &[(&str, Unit)] = &[
    ("year", Unit::Year),
    ("years", Unit::Year),
    ("month", Unit::Month),
    ("months", Unit::Month),
    ("week", Unit::Week),
    ("weeks", Unit::Week),
    ("day", Unit::Day),
    ("days", Unit::Day),
];

/// What may stand between a count and its unit, and changes nothing: "an additional year".
const WHICH: &[&str] = &["calendar", "consecutive", "full", "successive", "additional", "further", "more"];

const GERMAN: &[(&str, Unit)] = &[
    ("jahr", Unit::Year),
    ("jahre", Unit::Year),
    ("jahren", Unit::Year),
    ("monat", Unit::Month),
    ("monate", Unit::Month),
    ("monaten", Unit::Month),
    ("woche", Unit::Week),
    ("wochen", Unit::Week),
    ("tag", Unit::Day),
    ("tage", Unit::Day),
    ("tagen", Unit::Day),
];

/// Reads a duration and gives the token after it.
pub(super) fn read(start: Cursor<'_>, language: &Language) -> Option<(Period, usize)> {
    if !start.starts_cleanly() {
        return None;
    }
    iso(start).or_else(|| in_words(start, language))
}

/// Parts in falling units: "one year, six months and two days".
fn in_words(start: Cursor<'_>, language: &Language) -> Option<(Period, usize)> {
    let mut period = Period::default();
    let (count, mut smallest, mut at) = part(start, language)?;
    add(&mut period, smallest, count);
    loop {
        let mut ahead = at;
        ahead.eat(",");
        ahead.eat("and");
        match part(ahead, language) {
            Some((count, unit, after)) if unit > smallest => {
                add(&mut period, unit, count);
                (smallest, at) = (unit, after);
            }
            _ => return at.ends_cleanly().then_some((period, at.at)),
        }
    }
}

/// A count and a unit. Business days are none: which days count is not in the text.
fn part<'t>(start: Cursor<'t>, language: &Language) -> Option<(i32, Unit, Cursor<'t>)> {
    let (count, mut at) = count(start)?;
    while WHICH.iter().any(|word| at.eat(word)) {}
    at.eat_hyphen();
    let units = if language.name == "de" { GERMAN } else { ENGLISH };
    let word = at.peek()?.folded.as_str();
    let (_, unit) = units.iter().find(|(name, _)| *name == word)?;
    at.at += 1;
    // "six months' notice": the apostrophe ends the word and belongs to no other.
    Some((count, *unit, at))
}

fn count(start: Cursor<'_>) -> Option<(i32, Cursor<'_>)> {
    let mut article = start;
    if article.eat("a") || article.eat("an") {
        return Some((1, article));
    }
    // A hyphen after the number leads to the unit ("24-month"), so the number's own check for codes does
    // not apply here.
    if let Some(text) = start.digit_text() {
        let mut at = start;
        at.at += 1;
        let grouped = number::read(start).filter(|(_, end)| *end > at.at);
        let (text, end) = grouped.unwrap_or_else(|| (text.to_owned(), at.at));
        at.at = end;
        return small(&text).map(|count| (count, at));
    }
    let (text, end) = number::read(start).or_else(|| hyphenated(start))?;
    let mut at = start;
    at.at = end;
    small(&text).map(|count| (count, at))
}

/// "one-year": the number word runs on into the unit.
fn hyphenated(start: Cursor<'_>) -> Option<(String, usize)> {
    number::words(start).map(|(value, at)| (value.to_string(), at.at))
}

fn small(text: &str) -> Option<i32> {
    text.parse().ok().filter(|count| (0..=MOST).contains(count))
}

fn add(period: &mut Period, unit: Unit, count: i32) {
    let field = match unit {
        Unit::Year => &mut period.years,
        Unit::Month => &mut period.months,
        Unit::Week => &mut period.weeks,
        Unit::Day => &mut period.days,
    };
    *field = field.saturating_add(count);
}

/// "P1Y2M10D": one glued run that begins with a P.
fn iso(start: Cursor<'_>) -> Option<(Period, usize)> {
    let mut at = start;
    at.eat("p").then_some(())?;
    let mut period = Period::default();
    let mut smallest = None;
    while at.peek().is_some_and(|token: &Token| token.glued) {
        let count = small(at.digit_text()?)?;
        at.at += 1;
        let unit = match at.peek().filter(|token| token.glued)?.folded.as_str() {
            "y" => Unit::Year,
            "m" => Unit::Month,
            "w" => Unit::Week,
            "d" => Unit::Day,
            _ => return None,
        };
        if smallest.is_some_and(|smallest| unit <= smallest) {
            return None;
        }
        add(&mut period, unit, count);
        smallest = Some(unit);
        at.at += 1;
    }
    smallest.filter(|_| at.ends_cleanly()).map(|_| (period, at.at))
}
