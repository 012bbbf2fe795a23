//! The log of edits: what people changed by hand, who, when, why, and what was taken back.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Graph, VERSION};
use crate::model::edit::EDITS;
use crate::store::RowRecord;

/// The log of edits, in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditLog {
    /// The version of this form.
    pub version: u32,
    /// The edits.
    pub edits: Vec<EditEntry>,
}

/// One edit of the log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct EditEntry {
    /// Its number.
    pub number: u64,
    /// The operation.
    pub edit: String,
    /// Who.
    pub by: String,
    /// When, as an RFC 3339 time.
    pub at: String,
    /// Why.
    pub reason: String,
    /// Where it was decided; empty for an undo without one.
    pub ticket: String,
    /// The number of the edit that took it back, if one has.
    pub undone_by: Option<String>,
    /// What it names.
    pub fields: BTreeMap<String, String>,
}

/// The log of edits. Linear in the edits; for those who see everything, since it names what it changes.
pub fn edit_log(graph: &Graph<'_>) -> Result<EditLog, Error> {
    let rows: Vec<RowRecord> = graph.view().by("feed", EDITS)?;
    let entry = |mut row: RowRecord| {
        let undone_by = row.cells.remove("undone_by");
        let mut cell = |name: &str| row.cells.remove(name).unwrap_or_default();
        EditEntry {
            number: row.key.parse().unwrap_or_default(),
            edit: cell("edit"),
            by: cell("by"),
            at: cell("at"),
            reason: cell("reason"),
            ticket: cell("ticket"),
            undone_by,
            fields: row.cells,
        }
    };
    let mut edits: Vec<EditEntry> = rows.into_iter().map(entry).collect();
    edits.sort();
    Ok(EditLog { version: VERSION, edits })
}
