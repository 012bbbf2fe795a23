//! A reading as the examples of a rule write it: `TechChip supplies FCU from 2024-02-17 until 2024-12-31`.

use crate::model::assertion::{Reading, Says};
use crate::model::time::{Bound, DateBase, DateExpr, Period};

/// `<subject> <edge type> <object> [from DATE] [until DATE]`, the latter with the last day that belongs.
/// A reading that says that the fact ended, but not when, closes with `ended`.
pub fn describe(reading: &Reading) -> String {
    let mut text = format!("{} {} {}", reading.subject.surface, reading.edge_type, reading.object.surface);
    if let Some(from) = &reading.valid_from {
        text.push_str(&format!(" from {}", first_day(&from.date)));
    }
    match (&reading.valid_to, reading.says) {
        (Some(to), _) => text.push_str(&format!(" until {}", last_day(to))),
        (None, Says::Ends) => text.push_str(" ended"),
        (None, Says::Holds) => {}
    }
    text
}

fn first_day(date: &DateExpr) -> String {
    match date {
        DateExpr::Stated(stated) => stated.first.to_string(),
        other => in_words(other),
    }
}

fn last_day(bound: &Bound) -> String {
    match (&bound.date, bound.inclusive) {
        (DateExpr::Stated(stated), inclusive) => {
            let behind = if inclusive { stated.next } else { stated.first };
            behind.yesterday().map_or_else(|_| behind.to_string(), |last| last.to_string())
        }
        (other, true) => in_words(other),
        (other, false) => format!("before {}", in_words(other)),
    }
}

fn in_words(date: &DateExpr) -> String {
    match date {
        DateExpr::Stated(stated) => stated.first.to_string(),
        DateExpr::Relative { base, period } => {
            let base = match base {
                DateBase::DocumentEffective => "effective".to_owned(),
                DateBase::Property { entity, property } => format!("{entity} {property}"),
            };
            if *period == Period::default() { base } else { format!("{base} + {period}") }
        }
        DateExpr::Blank { .. } => "?blank".to_owned(),
        DateExpr::Ambiguous { .. } => "?ambiguous".to_owned(),
        DateExpr::Invalid { .. } => "?invalid".to_owned(),
    }
}
