//! The difference of two exports, as upserts and deletes that may be applied any number of times.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::export::export;
use super::row::ExportRow;
use super::{Error, Graph};
use crate::model::id::Fingerprint;
use crate::store;

/// What to do with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Put it in the place of the row with its kind and id.
    Upsert,
    /// Take the row with its kind and id away.
    Delete,
}

/// A change of one row of an export.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Upsert {
    /// The row is now this.
    Put {
        /// `upsert`.
        op: Op,
        /// The row.
        #[serde(flatten)]
        row: Box<ExportRow>,
    },
    /// The row is no more.
    Gone {
        /// `delete`.
        op: Op,
        /// Its kind.
        kind: String,
        /// Its id.
        id: String,
    },
}

/// Calls `each` for every change that turns the export of `before` into that of `after`: deletes, then
/// upserts, each in the order of the export. Holds two hashes a row, never the rows.
pub fn delta<E: From<Error> + From<store::Error>>(
    before: &Graph<'_>,
    after: &Graph<'_>,
    each: &mut impl FnMut(Upsert) -> Result<(), E>,
) -> Result<(), E> {
    let mut changed: BTreeMap<Fingerprint, Fingerprint> = BTreeMap::new();
    export(after, &mut |row| {
        changed.insert(name(&row), content(&row));
        Ok::<(), E>(())
    })?;
    let mut unchanged: BTreeSet<Fingerprint> = BTreeSet::new();
    export(before, &mut |row| {
        match changed.get(&name(&row)) {
            None => {
                each(Upsert::Gone { op: Op::Delete, kind: row.kind().to_owned(), id: row.id().to_owned() })?;
            }
            Some(now) if *now == content(&row) => {
                unchanged.insert(name(&row));
            }
            Some(_) => {}
        }
        Ok::<(), E>(())
    })?;
    export(after, &mut |row| {
        if unchanged.contains(&name(&row)) {
            Ok(())
        } else {
            each(Upsert::Put { op: Op::Upsert, row: Box::new(row) })
        }
    })
}

fn name(row: &ExportRow) -> Fingerprint {
    Fingerprint::of(&[row.kind(), row.id()])
}

fn content(row: &ExportRow) -> Fingerprint {
    Fingerprint::of(&[&serde_json::to_string(row).expect("a row is plain data")])
}
