//! Rows that are changes: what they come to, row by row.
//!
//! What comes in: the rows of a file in its order, each with a word that says what is done. What goes out: the rows
//! that are there afterwards and the keys of those that are not. The last change of a row counts, so reading a file
//! twice comes to the same as reading it once. It must not know which rows were there before.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Diagnostic, Place};
use crate::model::job::{Feed, Operation};

use super::Row;
use super::fault::Faults;

/// What the changes of a file come to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// The keys of the rows that are taken away, each with the line that says so.
    pub removed: BTreeMap<String, u32>,
    /// The keys of the rows that are there and are not selected any more.
    pub deselected: BTreeSet<String>,
}

/// The words for a row that is there afterwards, and for one that is not: those of change logs, of tools that load
/// tables, and of people.
const KEPT: [&str; 13] = [
    "insert", "i", "create", "created", "c", "add", "r", "read", "snapshot", "update", "updated", "u",
    "upsert",
];
const REMOVED: [&str; 7] = ["delete", "deleted", "d", "remove", "removed", "del", "tombstone"];

/// What the changes come to: the rows that are there afterwards, in the order of their last change, and the others.
pub(super) fn net(
    feed: &Feed,
    operation: &Operation,
    rows: Vec<Row>,
    faults: &mut Faults,
) -> (Vec<Row>, Changes) {
    let rows = in_order(operation, rows, faults);
    let mut kept: BTreeMap<String, (usize, Row)> = BTreeMap::new();
    let mut changes = Changes::default();
    for (number, row) in rows.into_iter().enumerate() {
        let word = row.cells.get(&operation.column).unwrap_or_default().trim().to_lowercase();
        let is_kept = KEPT.contains(&word.as_str());
        if !is_kept && !REMOVED.contains(&word.as_str()) {
            let message = format!("`{word}` in the column `{}` is no change that is known", operation.column);
            let diagnostic =
                Diagnostic::error("feed-operation", Place::at(faults.file(), row.line, 0), message);
            faults.push(diagnostic.hint("write insert, update, upsert or delete, or c, u, d or r"));
            continue;
        }
        changes.removed.remove(&row.key);
        changes.deselected.remove(&row.key);
        kept.remove(&row.key);
        if !is_kept {
            changes.removed.insert(row.key, row.line);
        } else if selected(feed, &row) {
            // What was done and when is no part of the row: the same values twice are the same row.
            let row = Row { cells: row.cells.without(&columns(operation)), ..row };
            kept.insert(row.key.clone(), (number, row));
        } else {
            changes.deselected.insert(row.key);
        }
    }
    let mut kept: Vec<(usize, Row)> = kept.into_values().collect();
    kept.sort_by_key(|(number, _)| *number);
    (kept.into_iter().map(|(_, row)| row).collect(), changes)
}

/// The columns that say what is done and when.
fn columns(operation: &Operation) -> Vec<&str> {
    std::iter::once(operation.column.as_str()).chain(operation.order.as_deref()).collect()
}

fn selected(feed: &Feed, row: &Row) -> bool {
    let cell = |column: &str| row.cells.get(column).unwrap_or_default();
    feed.only.iter().all(|(column, values)| values.iter().any(|value| value == cell(column)))
}

/// The rows in the order of their changes: numbers by their size, moments by their time, other texts by their
/// letters; of equal ones that of the file. A row that says nothing comparable is a complaint: the change before
/// another must not win because of its letters.
fn in_order(operation: &Operation, mut rows: Vec<Row>, faults: &mut Faults) -> Vec<Row> {
    let Some(order) = &operation.order else { return rows };
    let cell = |row: &Row| row.cells.get(order).unwrap_or_default().trim().to_owned();
    let kinds: Vec<fn(&str) -> Option<When>> = vec![When::number, When::moment, When::text];
    let all = |kind: &fn(&str) -> Option<When>| rows.iter().all(|row| kind(&cell(row)).is_some());
    let Some(kind) = kinds.into_iter().find(all) else {
        for row in rows.iter().filter(|row| cell(row).is_empty()) {
            let message = format!("the column `{order}` is empty, so nobody knows when the change was made");
            let complaint =
                Diagnostic::error("feed-operation", Place::at(faults.file(), row.line, 0), message);
            faults.push(
                complaint.hint("give every change its order, or leave `order` out: then the file's counts"),
            );
        }
        return rows;
    };
    rows.sort_by_cached_key(|row| kind(&cell(row)));
    rows
}

/// When a change was made, as its column says.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    /// The whole part, and the digits behind the point without the zeros at their end.
    Number(i128, String),
    Moment(jiff::Timestamp),
    Text(String),
}

impl When {
    fn number(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = part.bytes().all(|digit| digit.is_ascii_digit());
        // Of a negative number the digits behind the point count backwards, and no change has one.
        let sound = digits && (part.is_empty() || !whole.starts_with('-'));
        let whole = whole.parse().ok().filter(|_| sound)?;
        Some(Self::Number(whole, part.trim_end_matches('0').to_owned()))
    }

    /// A time with its zone, or without one, which is then the same for all.
    fn moment(text: &str) -> Option<Self> {
        let civil = || text.parse::<jiff::civil::DateTime>().ok();
        let at_zero = || jiff::tz::Offset::UTC.to_timestamp(civil()?).ok();
        text.parse().ok().or_else(at_zero).map(Self::Moment)
    }

    fn text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self::Text(text.to_owned()))
    }
}
