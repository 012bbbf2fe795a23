//! Numbers: digits with grouping and decimals, and number words up to the thousands.

use super::cursor::Cursor;

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
/// More digits than any quantity has; longer runs are codes.
const MOST_DIGITS: usize = 40;

/// Reads a number and gives its canonical text and the token after it.
pub(super) fn read(start: Cursor<'_>) -> Option<(String, usize)> {
    if let Some((value, at)) = cardinal(start) {
        return Some((value.to_string(), confirmed(at, value)?.at));
    }
    let mut at = start;
    let negative = at.eat("-") && at.adjacent();
    if !at.starts_cleanly() && !negative {
        return None;
    }
    let (text, at) = decimal(at)?;
    at.ends_cleanly().then_some(())?;
    let sign = if negative && text != "0" { "-" } else { "" };
    Some((format!("{sign}{text}"), at.at))
}

/// A number word and the same number in digits: "twelve (12)". If the two differ, nobody knows which one
/// is meant, and nothing is read.
fn confirmed(at: Cursor<'_>, value: u32) -> Option<Cursor<'_>> {
    let mut ahead = at;
    if !ahead.eat("(") {
        return Some(at);
    }
    let Some(digits) = ahead.digits(1, 9) else { return Some(at) };
    if !ahead.eat(")") {
        return Some(at);
    }
    (digits == value).then_some(ahead)
}

/// "1,200.50" and "1.200,50"; a single comma before other than three digits is not read.
fn decimal(mut at: Cursor<'_>) -> Option<(String, Cursor<'_>)> {
    let mut groups = vec![at.digit_text()?];
    at.at += 1;
    let mut marks: Vec<&str> = Vec::new();
    while let Some((mark, digits)) = joined_group(at) {
        marks.push(mark);
        groups.push(digits);
        at.at += 2;
        if groups.len() > MOST_DIGITS {
            return None;
        }
    }
    let (fraction, whole) = match marks.as_slice() {
        [] => (None, &groups[..]),
        ["."] => (groups.last().copied(), &groups[..1]),
        [same @ .., last] if same.iter().all(|mark| mark != last) && !same.is_empty() => {
            (groups.last().copied(), &groups[..groups.len() - 1])
        }
        _ => (None, &groups[..]),
    };
    let grouped = &marks[..whole.len().saturating_sub(1)];
    let same_mark = grouped.windows(2).all(|pair| pair[0] == pair[1]);
    let in_threes =
        whole.len() == 1 || (whole[0].len() <= 3 && whole[1..].iter().all(|group| group.len() == 3));
    if !same_mark || !in_threes {
        return None;
    }
    let whole = whole.concat();
    if whole.len() > MOST_DIGITS || fraction.is_some_and(|digits| digits.len() > MOST_DIGITS) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let text = match fraction.map(|digits| digits.trim_end_matches('0')) {
        None | Some("") => whole.to_owned(),
        Some(fraction) => format!("{whole}.{fraction}"),
    };
    Some((text, at))
}

/// A mark and the digits after it, both without a space.
fn joined_group<'t>(mut at: Cursor<'t>) -> Option<(&'static str, &'t str)> {
    let mark = [",", "."].into_iter().find(|mark| at.eat_adjacent(mark))?;
    if !at.adjacent() {
        return None;
    }
    at.digit_text().map(|digits| (mark, digits))
}

fn cardinal(start: Cursor<'_>) -> Option<(u32, Cursor<'_>)> {
    words(start).filter(|(_, at)| at.ends_cleanly())
}

/// Reads number words: "twelve", "twenty-five", "two hundred and twenty-five", "one thousand two hundred".
/// What follows them is the caller's business: a unit may be tied to them by a hyphen.
pub(super) fn words(start: Cursor<'_>) -> Option<(u32, Cursor<'_>)> {
    if !start.starts_cleanly() {
        return None;
    }
    let (mut value, mut at) = below_hundred(start)?;
    if at.eat("thousand") {
        value *= 1000;
        if let Some((rest, after)) = hundreds(joining(at)).or_else(|| below_hundred(joining(at))) {
            value += rest;
            at = after;
        }
    } else if let Some((hundreds, after)) = hundreds(start) {
        value = hundreds;
        at = after;
        if at.eat("thousand") {
            value *= 1000;
        }
    }
    Some((value, at))
}

fn hundreds(start: Cursor<'_>) -> Option<(u32, Cursor<'_>)> {
    let (count, mut at) = below_hundred(start)?;
    if count == 0 || !at.eat("hundred") {
        return None;
    }
    let value = count * 100;
    match below_hundred(joining(at)) {
        Some((rest, after)) => Some((value + rest, after)),
        None => Some((value, at)),
    }
}

fn joining(mut at: Cursor<'_>) -> Cursor<'_> {
    at.eat("and");
    at
}

fn below_hundred(mut at: Cursor<'_>) -> Option<(u32, Cursor<'_>)> {
    let word = at.peek()?.folded.as_str();
    at.at += 1;
    if let Some(value) = UNITS.iter().position(|unit| *unit == word) {
        return Some((value as u32, at));
    }
    let tens = TENS.iter().position(|tens| *tens == word)? as u32 * 10 + 20;
    let mut ahead = at;
    let _ = ahead.eat_adjacent("-");
    let unit = ahead.peek().and_then(|token| UNITS[1..10].iter().position(|unit| *unit == token.folded));
    match unit {
        Some(unit) => {
            ahead.at += 1;
            Some((tens + unit as u32 + 1, ahead))
        }
        None => Some((tens, at)),
    }
}

/// The suffixes of ordinals as two words.
const SPLIT: [&[&str]; 4] = [&["s", "t"], &["n", "d"], &["r", "d"], &["t", "h"]];

/// Takes an ordinal: "17th", "seventeenth", "twenty-first".
pub(super) fn ordinal(at: &mut Cursor<'_>) -> Option<u32> {
    let mut ahead = *at;
    if let Some(value) = ahead.digits(1, 2) {
        // The text layer of a page may set a raised suffix apart: "17t h day".
        let whole = |at: &mut Cursor<'_>| ["st", "nd", "rd", "th"].iter().any(|suffix| at.eat(suffix));
        let apart = |at: &mut Cursor<'_>| SPLIT.iter().any(|suffix| at.eat_all(suffix));
        let suffixed = ahead.adjacent() && (whole(&mut ahead) || apart(&mut ahead));
        suffixed.then(|| *at = ahead)?;
        return Some(value);
    }
    let value = ordinal_word(&mut ahead)?;
    *at = ahead;
    Some(value)
}

fn ordinal_word(at: &mut Cursor<'_>) -> Option<u32> {
    let word = at.peek()?.folded.as_str();
    at.at += 1;
    if let Some(value) = ORDINALS.iter().position(|ordinal| *ordinal == word) {
        return Some(value as u32);
    }
    match word {
        "twentieth" => return Some(20),
        "thirtieth" => return Some(30),
        _ => {}
    }
    let tens = TENS.iter().position(|tens| *tens == word)? as u32 * 10 + 20;
    let _ = at.eat_adjacent("-");
    let unit = at.peek()?.folded.as_str();
    let unit = ORDINALS[1..10].iter().position(|ordinal| *ordinal == unit)? as u32 + 1;
    at.at += 1;
    Some(tens + unit)
}
