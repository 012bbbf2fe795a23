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
    let rows = in_order(operation, rows);
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

/// The rows in the order of their changes: numbers by their size, other texts by their letters; of equal ones that
/// of the file.
fn in_order(operation: &Operation, mut rows: Vec<Row>) -> Vec<Row> {
    let Some(order) = &operation.order else { return rows };
    rows.sort_by_cached_key(|row| {
        let text = row.cells.get(order).unwrap_or_default().trim();
        (text.parse::<i128>().ok(), text.to_owned())
    });
    rows
}
