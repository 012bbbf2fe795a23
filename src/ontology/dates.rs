//! The grammar of dates, durations and numbers in running text, table cells and header fields.
//!
//! Tokens come in, with the language's month names and the order that a source declares for numeric
//! dates. What goes out is a date as read; nothing here knows which slot it fills or what day it is.
//!
//! Rules of precision:
//!
//! * A day covers one day, "February 2024" the month, "Q3 2025" the quarter, "2024" the calendar year.
//! * A day that the calendar lacks ("29 February 2023") is `Invalid`. It is never moved to a day that
//!   exists: the author meant some day, and we do not know which.
//! * Slashes and hyphens between day and month have two readings. Without a declared order a date is read
//!   only if one of them is possible; with a declared order only that one counts, even if it is invalid.
//!   Dots are day first. A year in two digits is as ambiguous as an undeclared order.
//! * Blanks to be filled in by hand are `Blank`, whatever part of the date is missing.
//! * A date that is part of a longer code ("DOC-2024-02-17", "2024-02-17-001") is not a date.

mod blank;
mod cursor;
mod number;
mod period;

use crate::model::job::DateOrder;
use crate::model::time::{Date, DateExpr, Period, StatedDate};
use crate::model::token::{Token, tokens};

use super::language::Language;
use cursor::Cursor;

/// Something read from tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read<T> {
    /// What was read.
    pub value: T,
    /// From how many tokens.
    pub tokens: usize,
}

/// Years that a bare number may stand for.
const BARE_YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

/// Reads the longest date that begins at a token.
///
/// | text | reading |
/// |---|---|
/// | `17 February 2024`, `the 17th day of February, 2024`, `Feb. 17 2024` | a day |
/// | `2024-02-17`, `17.02.2024`, `25/12/2024` | a day |
/// | `03/04/2024` | ambiguous, unless the order is declared |
/// | `February 2024`, `Q3 2025`, `third quarter of 2025`, `2024` | a month, quarter, year |
/// | `September ___, 2019`, `[date]`, `the date last signed below` | a blank |
pub fn date(
    tokens: &[Token],
    at: usize,
    language: &Language,
    order: Option<DateOrder>,
) -> Option<Read<DateExpr>> {
    let start = Cursor::new(tokens, at);
    if !start.starts_cleanly() {
        return None;
    }
    let grammar = Grammar { language, order };
    let forms = [
        grammar.day_month_year(start),
        grammar.month_day_year(start),
        grammar.iso_day(start),
        grammar.numeric_day(start),
        grammar.month_year(start),
        grammar.quarter(start),
        grammar.year(start),
        grammar.blank(start),
    ];
    let mut best: Option<(Form, usize)> = None;
    for (form, end) in forms.into_iter().flatten() {
        let longer = best.is_none_or(|(_, longest)| end > longest);
        if longer && Cursor::new(tokens, end).ends_cleanly() {
            best = Some((form, end));
        }
    }
    let (form, end) = best?;
    Some(Read { value: form.into_expr(cursor::verbatim(&tokens[at..end])), tokens: end - at })
}

/// Reads a whole text as one date: a header field, a table cell, a cell of a feed.
///
/// Beside the forms of [`date`] this takes an ISO month ("2024-02") and an ISO date with a time of day,
/// of which the calendar day is taken as written: no shift between time zones moves a date.
pub fn parse_date_text(text: &str, language: &Language, order: Option<DateOrder>) -> Option<DateExpr> {
    let text = text.trim();
    let day = without_time(text);
    let found = tokens(day);
    if let Some(read) = date(&found, 0, language, order)
        && read.tokens == found.len()
    {
        return Some(read.value);
    }
    let (year, month) = day.split_once('-')?;
    if year.len() != 4 || month.len() != 2 {
        return None;
    }
    let (year, month) = (digits_of(year)?, digits_of(month)?);
    let form = Form::Month { year: i16::try_from(year).ok()?, month: i8::try_from(month).ok()? };
    Some(form.into_expr(text.to_owned()))
}

/// Reads a duration that begins at a token: "225 days", "twelve (12) months", "one-year", "P1Y".
pub fn period(tokens: &[Token], at: usize, language: &Language) -> Option<Read<Period>> {
    period::read(Cursor::new(tokens, at), language)
        .map(|(value, end)| Read { value, tokens: end.saturating_sub(at) })
}

/// Reads a whole text as one duration.
pub fn parse_period_text(text: &str, language: &Language) -> Option<Period> {
    let found = tokens(text);
    period(&found, 0, language).filter(|read| read.tokens == found.len()).map(|read| read.value)
}

/// Reads a number that begins at a token, in canonical form: "1,200" → `1200`, "12.50" → `12.5`,
/// "twelve" → `12`.
///
/// "12,5" is not read: it is a decimal to some and two numbers to others.
pub fn number(tokens: &[Token], at: usize) -> Option<Read<String>> {
    number::read(Cursor::new(tokens, at)).map(|(value, end)| Read { value, tokens: end.saturating_sub(at) })
}

/// Cuts the time of day off an ISO date and time; any other text comes back as it is.
fn without_time(text: &str) -> &str {
    let (Some(day), Some(rest)) = (text.get(..10), text.get(10..)) else { return text };
    let mut time = rest.chars();
    let separated = matches!(time.next(), Some('T' | 't' | ' '));
    let hours = time.next().is_some_and(|digit| digit.is_ascii_digit())
        && time.next().is_some_and(|digit| digit.is_ascii_digit());
    let minutes = time.next() == Some(':');
    let rest_fits = time.all(|character| {
        character.is_ascii_digit() || matches!(character, ':' | '.' | ',' | '+' | '-' | 'Z' | 'z')
    });
    if separated && hours && minutes && rest_fits { day } else { text }
}

fn digits_of(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 6 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// What a form of date came to, before the calendar is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Day { year: i16, month: i8, day: i8 },
    Month { year: i16, month: i8 },
    Quarter { year: i16, quarter: i8 },
    Year { year: i16 },
    Ambiguous,
    Invalid,
    Blank,
}

impl Form {
    fn into_expr(self, text: String) -> DateExpr {
        let stated = match self {
            Self::Ambiguous => return DateExpr::Ambiguous { text },
            Self::Blank => return DateExpr::Blank { text },
            Self::Invalid => None,
            Self::Day { year, month, day } => Date::new(year, month, day).ok().and_then(StatedDate::day),
            Self::Month { year, month } => StatedDate::month(year, month),
            Self::Quarter { year, quarter } => StatedDate::quarter(year, quarter),
            Self::Year { year } => StatedDate::year(year),
        };
        stated.map_or(DateExpr::Invalid { text }, DateExpr::Stated)
    }
}

/// The grammar with what it depends on. Each form takes a cursor and gives the token after the date.
struct Grammar<'l> {
    language: &'l Language,
    order: Option<DateOrder>,
}

impl Grammar<'_> {
    /// "17 February 2024", "the 17th day of February, 2024", "17-Feb-2024", "17. Februar 2024".
    fn day_month_year(&self, mut at: Cursor<'_>) -> Option<(Form, usize)> {
        weekday(&mut at);
        at.eat("the");
        let day = day_of_month(&mut at)?;
        if at.eat("day") {
            at.eat("of").then_some(())?;
        } else {
            let _ = at.eat("of") || at.eat_adjacent("-") || at.eat_adjacent("/") || at.eat_adjacent(".");
        }
        let month = self.month(&mut at)?;
        let _ = at.eat(",") || at.eat("of") || at.eat("in") || at.eat_adjacent("-") || at.eat_adjacent("/");
        self.with_year(at, month, day)
    }

    /// "February 17, 2024", "Feb. 17 2024", "Feb-17-2024".
    fn month_day_year(&self, mut at: Cursor<'_>) -> Option<(Form, usize)> {
        weekday(&mut at);
        let month = self.month(&mut at)?;
        at.eat_adjacent("-");
        at.eat("the");
        let day = day_of_month(&mut at)?;
        let _ = at.eat(",") || at.eat("of") || at.eat_adjacent("-");
        self.with_year(at, month, day)
    }

    fn with_year(&self, mut at: Cursor<'_>, month: i8, day: i8) -> Option<(Form, usize)> {
        if let Some(year) = four_digit_year(&mut at) {
            return Some((Form::Day { year, month, day }, at.at));
        }
        // "17-Feb-24": the century is anybody's guess. Only where a hyphen or slash ties it to the date.
        let tied = at.previous_is("-") || at.previous_is("/");
        at.digits(2, 2).filter(|_| tied).map(|_| (Form::Ambiguous, at.at))
    }

    /// "2024-02-17", "2024/02/17", "2024.02.17", each with or without "T00:00:00Z".
    fn iso_day(&self, mut at: Cursor<'_>) -> Option<(Form, usize)> {
        let year = four_digit_year(&mut at)?;
        let mark = at.eat_separator()?;
        let month = at.adjacent_digits(1, 2)?;
        at.eat_adjacent(mark).then_some(())?;
        let day = at.adjacent_digits(1, 2)?;
        at.eat_time();
        Some((Form::Day { year, month: narrow(month), day: narrow(day) }, at.at))
    }

    /// "17.02.2024", "03/04/2024", "17-02-2024".
    fn numeric_day(&self, mut at: Cursor<'_>) -> Option<(Form, usize)> {
        let first = narrow(at.digits(1, 2)?);
        let mark = at.eat_separator()?;
        let second = narrow(at.adjacent_digits(1, 2)?);
        at.eat_adjacent(mark).then_some(())?;
        let Some(year) = at.adjacent_digits(4, 4) else {
            at.adjacent_digits(2, 2)?;
            return Some((Form::Ambiguous, at.at));
        };
        let year = i16::try_from(year).ok()?;
        let order = if mark == "." { Some(DateOrder::DayFirst) } else { self.order };
        Some((in_order(year, first, second, order), at.at))
    }

    /// "February 2024", "Feb. 2024", "February of 2024".
    fn month_year(&self, mut at: Cursor<'_>) -> Option<(Form, usize)> {
        let month = self.month(&mut at)?;
        let _ = at.eat(",") || at.eat("of") || at.eat_adjacent("-") || at.eat_adjacent("/");
        let year = four_digit_year(&mut at)?;
        Some((Form::Month { year, month }, at.at))
    }

    /// "Q3 2025", "Q3/2025", "2025-Q3", "the third quarter of 2025".
    fn quarter(&self, mut at: Cursor<'_>) -> Option<(Form, usize)> {
        if let Some(year) = four_digit_year(&mut at.clone()) {
            at.at += 1;
            let _ = at.eat("-") || at.eat("/");
            let quarter = short_quarter(&mut at)?;
            return Some((Form::Quarter { year, quarter }, at.at));
        }
        at.eat("the");
        let quarter = short_quarter(&mut at).or_else(|| {
            let quarter = number::ordinal(&mut at)?;
            at.eat("quarter").then_some(narrow(quarter))
        })?;
        let _ = at.eat("of") || at.eat("in") || at.eat(",") || at.eat("/") || at.eat("-");
        at.eat("the");
        let _ = at.eat("calendar") && at.eat("year");
        let year = four_digit_year(&mut at)?;
        Some((Form::Quarter { year, quarter }, at.at))
    }

    /// "2024", for the caller to decide whether a year fits.
    fn year(&self, mut at: Cursor<'_>) -> Option<(Form, usize)> {
        let year = four_digit_year(&mut at).filter(|year| BARE_YEARS.contains(year))?;
        Some((Form::Year { year }, at.at))
    }

    fn blank(&self, at: Cursor<'_>) -> Option<(Form, usize)> {
        blank::read(at, &|at| self.month(at)).map(|end| (Form::Blank, end))
    }

    /// A month's name or abbreviation, with the abbreviation's stop.
    fn month(&self, at: &mut Cursor<'_>) -> Option<i8> {
        let name = at.peek()?;
        let month = *self.language.months.get(name.folded.as_str())?;
        at.at += 1;
        // "May. 17" is odd but harmless; after a full name a stop would be the end of a sentence, and no
        // day or year follows there that could be mistaken for part of the date.
        at.eat_adjacent(".");
        Some(month)
    }
}

/// The day and month of a numeric date.
fn in_order(year: i16, first: i8, second: i8, order: Option<DateOrder>) -> Form {
    let day_first = Form::Day { year, month: second, day: first };
    let month_first = Form::Day { year, month: first, day: second };
    let exists = |day: i8, month: i8| Date::new(year, month, day).is_ok();
    match order {
        Some(DateOrder::DayFirst) => day_first,
        Some(DateOrder::MonthFirst) => month_first,
        None => match (exists(first, second), exists(second, first)) {
            (true, true) if first == second => day_first,
            (true, true) => Form::Ambiguous,
            (true, false) => day_first,
            (false, true) => month_first,
            (false, false) => Form::Invalid,
        },
    }
}

/// A day of the month: "17", "17th", "seventeenth".
fn day_of_month(at: &mut Cursor<'_>) -> Option<i8> {
    if let Some(ordinal) = number::ordinal(at) {
        return Some(narrow(ordinal));
    }
    at.digits(1, 2).map(narrow)
}

fn four_digit_year(at: &mut Cursor<'_>) -> Option<i16> {
    let mut ahead = *at;
    let year = ahead.digits(4, 4).filter(|year| *year >= 1000)?;
    *at = ahead;
    i16::try_from(year).ok()
}

/// "Q3".
fn short_quarter(at: &mut Cursor<'_>) -> Option<i8> {
    let mut ahead = *at;
    ahead.eat("q").then_some(())?;
    let quarter = ahead.adjacent_digits(1, 1)?;
    *at = ahead;
    Some(narrow(quarter))
}

/// Skips "Monday," before a date.
fn weekday(at: &mut Cursor<'_>) {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    if DAYS.iter().any(|day| at.eat(day)) {
        at.eat(",");
    }
}

/// Two digits always fit; anything larger becomes a day or month that does not exist.
fn narrow(value: u32) -> i8 {
    i8::try_from(value).unwrap_or(i8::MAX)
}

#[cfg(test)]
mod tests;
