//! Feeds whose rows are changes: what the snapshot last accepted becomes by them.
//!
//! What comes in: what a feed's file changes. What goes out: the rows as they are afterwards, as if the feed had held
//! them all. So whatever is said of a snapshot (the guard against shrinking, counts, what a changed mapping means)
//! is said of changes as well, and applying the same changes twice gives the same.

use std::collections::{BTreeMap, BTreeSet};

use compact_str::CompactString;

use crate::diag::{Diagnostic, Place};
use crate::model::job::Feed;
use crate::ontology::Ontology;
use crate::source::feed::{self, Cells, FeedRead, Row};
use crate::store::RowRecord;

use super::Error;
use super::session::Session;

/// Makes a whole snapshot of what was read, if it holds changes. Holds all rows of the feed.
pub(super) fn apply(
    session: &Session<'_>,
    feed: &Feed,
    ontology: &Ontology,
    read: &mut FeedRead,
) -> Result<(), Error> {
    let Some(changes) = read.changes.take().filter(|_| read.usable) else { return Ok(()) };
    let mut unknown = changes.removed.clone();
    let changed: BTreeSet<String> = read.rows.iter().map(|row| row.key.clone()).collect();
    let mut kept: BTreeMap<String, Row> = BTreeMap::new();
    for record in session.writer.view().by::<RowRecord>("feed", &feed.name)? {
        // A row that left and is kept is none of the snapshot.
        if record.line == 0 {
            continue;
        }
        let cells: Cells = record
            .cells
            .iter()
            .map(|(column, cell)| (column.as_str().into(), CompactString::new(cell)))
            .collect();
        // The mapping may have changed since, and with it what tells rows apart.
        let key = feed::key(feed, ontology, &cells);
        unknown.remove(&key);
        if changed.contains(&key) || changes.removed.contains_key(&key) || changes.deselected.contains(&key) {
            continue;
        }
        let row =
            Row { key: key.clone(), line: record.line, cells, dates_at: Default::default(), sheet: None };
        kept.insert(key, row);
    }
    let brought = std::mem::take(&mut read.rows);
    read.rows = kept.into_values().chain(brought).collect();
    if let Some((key, line)) = unknown.iter().min_by_key(|(_, line)| **line) {
        let more = match unknown.len() {
            1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        let message = format!("there is no row `{key}` to delete{more}");
        let note = Diagnostic::note("feed-delete-unknown", Place::at(&feed.path, *line, 0), message);
        read.diagnostics
            .push(note.hint("a second reading of the same changes says this of rows that are gone"));
    }
    Ok(())
}
