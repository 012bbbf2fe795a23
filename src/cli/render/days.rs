//! Intervals in words: for people an end is the last day that belongs.

use jiff::civil::Date;

use crate::model::time::Precision;
use crate::serve::{EdgeView, State};

/// The days of an edge in words.
pub(super) fn days(edge: &EdgeView) -> String {
    let begins = match edge.valid_from {
        None => "start unknown".to_owned(),
        Some(from) => {
            let word = if edge.state == State::Future { "from" } else { "since" };
            format!("{word} {}", coarse(from, edge.from_precision))
        }
    };
    let Some(to) = edge.valid_to else { return begins };
    if edge.end_unknown {
        return format!("{begins}, ended on an unknown day before {to}");
    }
    format!("{begins} {}", until(to))
}

/// An exclusive end as the last day that belongs.
pub(super) fn until(to: Date) -> String {
    match to.yesterday() {
        Ok(last) => format!("until {last} (last day)"),
        Err(_) => format!("before {to}"),
    }
}

/// A start as finely as it was stated.
fn coarse(from: Date, precision: Option<Precision>) -> String {
    match precision {
        None | Some(Precision::Day) => from.to_string(),
        Some(Precision::Month) => format!("{:04}-{:02} (month)", from.year(), from.month()),
        Some(Precision::Quarter) => format!("{:04} Q{} (quarter)", from.year(), (from.month() + 2) / 3),
        Some(Precision::Year) => format!("{:04} (year)", from.year()),
    }
}
