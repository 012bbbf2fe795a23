//! Dates in cells: a declared strptime format, days counted from 1970, or ISO days, months and years.
//!
//! What comes in: a cell and how the feed writes dates. What goes out: a stated date, no bound, or why it
//! is neither. It must not know which side of an interval it is.

use jiff::SignedDuration;
use jiff::fmt::strtime;

use crate::model::job::{DAYS, FeedDates};
use crate::model::time::{Date, StatedDate};

/// Reads a cell. `Ok(None)`: no bound. `Err`: why it is no date, and what may help.
pub(super) fn stated(text: &str, dates: &FeedDates) -> Result<Option<StatedDate>, (String, &'static str)> {
    if text.trim().is_empty() || dates.open.iter().any(|open| open == text) {
        return Ok(None);
    }
    let read = match &dates.format {
        Some(format) => formatted(text, format),
        None => iso(text),
    };
    read.map(Some)
}

fn formatted(text: &str, format: &str) -> Result<StatedDate, (String, &'static str)> {
    let hint = "check `dates.format` of the feed, and `dates.open` for values that mean \"no date\"";
    if format == DAYS {
        let days =
            text.trim().parse::<i32>().map_err(|_| (format!("`{text}` is no number of days"), hint))?;
        let day = Date::constant(1970, 1, 1).checked_add(SignedDuration::from_hours(i64::from(days) * 24));
        return one_day(text, day.map_err(|_| no_such_day(text))?);
    }
    let parsed = strtime::parse(format, text)
        .map_err(|_| (format!("`{text}` is not a date of the form `{format}`"), hint))?;
    match (parsed.to_date(), parsed.year(), parsed.month(), parsed.day()) {
        (Ok(day), ..) => one_day(text, day),
        (Err(_), Some(year), Some(month), None) => {
            StatedDate::month(year, month).ok_or_else(|| no_such_day(text))
        }
        (Err(_), Some(year), None, None) => StatedDate::year(year).ok_or_else(|| no_such_day(text)),
        (Err(_), ..) => Err(no_such_day(text)),
    }
}

fn iso(text: &str) -> Result<StatedDate, (String, &'static str)> {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_iso = matches!(lengths.as_slice(), [4] | [4, 2] | [4, 2, 2])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let number = |at: usize| parts.get(at).and_then(|part| part.parse::<i16>().ok());
    let small = |at: usize| number(at).and_then(|number| i8::try_from(number).ok());
    if !is_iso {
        let hint = "write dates as 2024-02-17, 2024-02 or 2024, or declare `dates.format`";
        return Err((format!("`{text}` is not an ISO date"), hint));
    }
    match (number(0), small(1), small(2)) {
        (Some(year), None, None) => StatedDate::year(year).ok_or_else(|| no_such_day(text)),
        (Some(year), Some(month), None) => StatedDate::month(year, month).ok_or_else(|| no_such_day(text)),
        (Some(year), Some(month), Some(day)) => match Date::new(year, month, day) {
            Ok(day) => one_day(text, day),
            Err(_) => Err(no_such_day(text)),
        },
        _ => Err(no_such_day(text)),
    }
}

/// 9999-12-31 has no day after it.
fn one_day(text: &str, day: Date) -> Result<StatedDate, (String, &'static str)> {
    StatedDate::day(day).ok_or_else(|| {
        (
            format!("`{text}` is the last day that there is"),
            "list it under `dates.open` if it means \"no end\"",
        )
    })
}

fn no_such_day(text: &str) -> (String, &'static str) {
    (format!("there is no such day as `{text}`"), "correct the feed, or list the value under `dates.open`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(format: Option<&str>, text: &str) -> String {
        let dates = FeedDates {
            format: format.map(str::to_owned),
            ends_inclusive: true,
            open: vec!["99991231".to_owned(), "00000000".to_owned()],
        };
        match stated(text, &dates) {
            Ok(Some(date)) => format!("{}..{}", date.first, date.next),
            Ok(None) => "open".to_owned(),
            Err((why, _)) => why,
        }
    }

    #[test]
    fn iso_dates() {
        assert_eq!(show(None, "2024-02-17"), "2024-02-17..2024-02-18");
        assert_eq!(show(None, "2024-02"), "2024-02-01..2024-03-01");
        assert_eq!(show(None, "2024"), "2024-01-01..2025-01-01");
        assert_eq!(show(None, ""), "open");
        assert_eq!(show(None, " "), "open");
        assert_eq!(show(None, "2023-02-29"), "there is no such day as `2023-02-29`");
        assert_eq!(show(None, "2023-13"), "there is no such day as `2023-13`");
        assert_eq!(show(None, "9999-12-31"), "`9999-12-31` is the last day that there is");
        for text in
            ["17.02.2024", "03/04/2024", "2024-2-7", "+2024", "2024-02-17T00:00", "²⁰²⁴", "-", "2024-"]
        {
            assert_eq!(show(None, text), format!("`{text}` is not an ISO date"));
        }
    }

    #[test]
    fn declared_formats() {
        let sap = Some("%Y%m%d");
        assert_eq!(show(sap, "20240217"), "2024-02-17..2024-02-18");
        assert_eq!(show(sap, "99991231"), "open");
        assert_eq!(show(sap, "00000000"), "open");
        assert_eq!(show(sap, "20240231"), "there is no such day as `20240231`");
        assert_eq!(show(sap, "soon"), "`soon` is not a date of the form `%Y%m%d`");
        assert_eq!(show(Some("%d.%m.%Y"), "17.02.2024"), "2024-02-17..2024-02-18");
        assert_eq!(show(Some("%m/%Y"), "02/2024"), "2024-02-01..2024-03-01");
        assert_eq!(show(Some("%Y"), "2024"), "2024-01-01..2025-01-01");
        assert_eq!(show(Some("%Y-%m-%d %H:%M:%S"), "2024-02-17 23:59:59"), "2024-02-17..2024-02-18");
        assert_eq!(show(Some("days"), "19782"), "2024-02-29..2024-03-01");
        assert_eq!(show(Some("days"), "-1"), "1969-12-31..1970-01-01");
        assert_eq!(show(Some("days"), "2147483647"), "there is no such day as `2147483647`");
        assert_eq!(show(Some("days"), "2024-02-29"), "`2024-02-29` is no number of days");
        assert_eq!(show(Some("%"), "2024"), "`2024` is not a date of the form `%`");
    }
}
