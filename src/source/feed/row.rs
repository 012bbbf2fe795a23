//! From table to rows: each with the key that tells it from the others, and, unless rows are changes, each key once.
//!
//! What comes in: a table and the rows that are selected. What goes out: rows in file order. It must not
//! know what a row says.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use compact_str::CompactString;

use crate::diag::{Diagnostic, Place};
use crate::model::id::EntityKey;
use crate::model::job::{Columns, Feed, OnDuplicate};
use crate::ontology::Ontology;

use super::cells::Cells;
use super::contract;
use super::fault::Faults;
use super::meaning;
use super::record::Records;
use super::table::{PARENT, Table};
use super::{Positions, Row};

/// Makes the rows.
pub(super) fn rows(
    feed: &Feed,
    ontology: &Ontology,
    records: &Records<'_>,
    table: &Table,
    selected: &[usize],
    faults: &mut Faults,
) -> Vec<Row> {
    let identity = Identity::of(feed, ontology, table.columns());
    let mapped = contract::mapped(feed);
    let columns: Vec<Arc<str>> = table.columns().iter().map(|name| Arc::from(name.as_str())).collect();
    let is_unknown: Vec<bool> =
        columns.iter().map(|name| !mapped.contains(&**name) && &**name != PARENT).collect();
    // The columns that are kept, sorted as cells are: their numbers in the table, and their names for all rows.
    let mut kept: Vec<usize> =
        (0..columns.len()).filter(|at| !(is_unknown[*at] && feed.columns == Columns::DiscardValue)).collect();
    kept.sort_by_key(|at| &columns[*at]);
    let names: Arc<[Arc<str>]> = kept.iter().map(|at| Arc::clone(&columns[*at])).collect();
    let sheet = faults.sheet();
    let mut made = Vec::with_capacity(selected.len());
    for &number in selected {
        let row: Vec<&str> = table.row(number).map(|(_, cell)| cell).collect();
        let has_unknown = row.iter().zip(&is_unknown).any(|(cell, unknown)| *unknown && !cell.is_empty());
        let cells = kept.iter().map(|at| CompactString::new(row.get(*at).copied().unwrap_or_default()));
        let cells = Cells::of_sorted(&names, cells.collect());
        let record = &records.rows[number];
        if has_unknown && feed.columns == Columns::DiscardRow {
            let at = Place::at(faults.file(), record.line, 0);
            let message = "the row has a value in a column that the mapping does not know";
            faults.push(Diagnostic::warning("feed-row-discarded", at, message));
            continue;
        }
        if let Some(column) = identity.empty_column(&cells) {
            let at = table.columns().iter().position(|name| name == column).unwrap_or_default();
            let message = format!("the key column `{column}` is empty; the row was left out");
            faults.push(Diagnostic::warning("feed-key-empty", records.place(record, at), message));
            continue;
        }
        let dates_at = dates_at(feed, records, &columns, number);
        let row = Row { key: identity.key(&cells), line: record.line, cells, dates_at, sheet: sheet.clone() };
        if meaning::says_too_much(feed, &row) {
            let at = Place::at(faults.file(), row.line, 0);
            let message = format!("the row says more than {} edges at once", meaning::MAX_PAIRS);
            faults.push(
                Diagnostic::error("feed-too-many-pairs", at, message)
                    .hint("check the separators of the many-valued columns"),
            );
            continue;
        }
        made.push(row);
    }
    made
}

/// The columns that tell rows apart, of those that there are.
pub(super) fn identity(feed: &Feed, ontology: &Ontology, columns: &[String]) -> Vec<String> {
    Identity::of(feed, ontology, columns).columns
}

/// The key that a row has by its cells.
pub(super) fn key(feed: &Feed, ontology: &Ontology, cells: &Cells) -> String {
    let columns: Vec<String> = cells.iter().map(|(column, _)| column.to_owned()).collect();
    Identity::of(feed, ontology, &columns).key(cells)
}

/// What tells rows apart.
struct Identity {
    columns: Vec<String>,
    /// Those of them that must not be empty.
    required: Vec<String>,
}

impl Identity {
    fn of(feed: &Feed, ontology: &Ontology, all: &[String]) -> Self {
        if let Some(key) =
            feed.format.operation.as_ref().map(|operation| &operation.key).filter(|key| !key.is_empty())
        {
            return Self { columns: key.clone(), required: key.clone() };
        }
        if let Some(entity) = &feed.entity {
            return Self { columns: entity.key.clone(), required: entity.key.clone() };
        }
        let Some(edge) = &feed.edge else {
            return Self { columns: all.to_vec(), required: Vec::new() };
        };
        let mut columns = [edge.subject.columns.as_slice(), &edge.object.columns].concat();
        // The top rows of an indented bill of material have no parent, which is no fault.
        let has_parent = feed.levels.is_some();
        let required = columns.iter().filter(|name| !(has_parent && *name == PARENT)).cloned().collect();
        let declared = ontology.edges.get(&edge.edge_type);
        let is_identity =
            |name: &str| declared.and_then(|edge| edge.properties.get(name)).is_some_and(|at| at.identity);
        columns
            .extend(edge.properties.iter().filter(|(name, _)| is_identity(name)).map(|(_, at)| at.clone()));
        // One fact may hold in several periods, with a row for each.
        columns.extend(edge.valid_from.clone());
        Self { columns, required }
    }

    fn empty_column(&self, cells: &Cells) -> Option<&String> {
        self.required.iter().find(|column| cells.get(column).is_none_or(|cell| cell.trim().is_empty()))
    }

    fn key(&self, cells: &Cells) -> String {
        let parts: Vec<&str> =
            self.columns.iter().map(|column| cells.get(column).unwrap_or_default()).collect();
        join(&parts)
    }
}

/// One part stands for itself; several are joined so that no two lists of parts collide.
pub(super) fn join(parts: &[&str]) -> String {
    match parts {
        [single] => (*single).to_owned(),
        // The type's name is of no account: only the joined key is taken.
        several => EntityKey::compound("row", several).map(|key| key.key().to_owned()).unwrap_or_default(),
    }
}

fn dates_at(feed: &Feed, records: &Records<'_>, columns: &[Arc<str>], number: usize) -> Positions {
    let Some(edge) = &feed.edge else { return Positions::default() };
    let dates: Vec<&String> = edge.valid_from.iter().chain(&edge.valid_to).collect();
    if dates.is_empty() {
        return Positions::default();
    }
    let positions = records.positions(&records.rows[number]);
    let is_date = |name: &str| dates.iter().any(|date| *date == name);
    let named = columns.iter().zip(positions);
    named.filter(|(name, _)| is_date(name)).map(|(name, at)| (name.clone(), at)).collect()
}

/// Keeps one row a key. Rows that say the same are one; rows that differ withhold the feed, unless the
/// later counts.
pub(super) fn distinct(feed: &Feed, mut rows: Vec<Row>, faults: &mut Faults) -> Vec<Row> {
    let mut stands = vec![true; rows.len()];
    let mut by_key: HashMap<&str, usize> = HashMap::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        let mut slot = match by_key.entry(&row.key) {
            Entry::Vacant(free) => {
                free.insert(number);
                continue;
            }
            Entry::Occupied(taken) => taken,
        };
        let first = &rows[*slot.get()];
        let at = Place::at(faults.file(), row.line, 0);
        stands[number] = false;
        let Some(column) = difference(feed, first, row) else {
            let message = format!("the row says the same as line {}; it counts once", first.line);
            faults.push(Diagnostic::note("feed-row-repeated", at, message));
            continue;
        };
        let key = &row.key;
        match feed.on_duplicate {
            OnDuplicate::Error => {
                let message =
                    format!("the key `{key}` stands on line {} with another `{column}`", first.line);
                faults.push(Diagnostic::error("feed-duplicate-key", at, message).hint(
                    "correct the feed, map the column that tells the rows apart, or set `on_duplicate: last`",
                ));
            }
            OnDuplicate::Last => {
                let message =
                    format!("the key `{key}` stands on line {} too; the later row counts", first.line);
                faults.push(Diagnostic::note("feed-duplicate-key", at, message));
                stands[slot.insert(number)] = false;
                stands[number] = true;
            }
        }
    }
    let mut stands = stands.into_iter();
    rows.retain(|_| stands.next() == Some(true));
    rows
}

/// The first column in which two rows differ. Rows that only make edges are compared by what they say,
/// so that the same source in two plants is one row; an entity's row is compared whole.
fn difference<'r>(feed: &'r Feed, a: &'r Row, b: &'r Row) -> Option<&'r str> {
    if feed.entity.is_none() && feed.edge.is_some() {
        return contract::said_of_edge(feed)
            .into_iter()
            .find(|column| a.cells.get(column) != b.cells.get(column));
    }
    a.cells.iter().find(|(column, cell)| b.cells.get(column) != Some(cell)).map(|(column, _)| column)
}
