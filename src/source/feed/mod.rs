//! Master-data feeds: tables whose rows make entities, edges, or both.
//!
//! What comes in: a feed's declaration and its file. What goes out: its rows as text ([`read`]) and what
//! a row says ([`meaning()`]). It must not know what the last run accepted, apart from the columns that a
//! frozen contract compares with.
//!
//! Every cell is text and stays as written: `007` is not `7`, and nothing is trimmed. A feed is used as a
//! whole or not at all: a shifted row would say something wrong, and a row left out would look like one
//! that has gone. So a fault that may touch a row's cells *withholds* the feed, and its last accepted
//! snapshot stays in force.
//!
//! ```text
//! bytes → text → records → table → rows → meaning
//!       decoding  shape     masks   keys
//! ```
//!
//! Workbooks, JSON lines, Parquet files and the answers of databases come in as records, with the line or cell on
//! which each stands, so that everything from there on is the same for all of them. Rows of any kind may be changes
//! to the rows last accepted ([`Changes`]).

mod asked;
mod cells;
mod changes;
mod columnar;
mod contract;
mod date;
mod fault;
mod golden;
mod grid;
mod guess;
mod inflate;
mod jsonl;
mod meaning;
mod packed;
mod postgres;
mod record;
mod row;
mod series;
mod sheet;
mod sqlite;
mod table;
mod text;
mod unpack;

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::folder::ReadError;
use crate::diag::{Diagnostic, Place};
use crate::model::id::Fingerprint;
use crate::model::job::{Connections, Feed, Table as Kind};
use crate::ontology::Ontology;

use fault::Faults;
use record::{Places, Records};
use table::Table;

pub use cells::Cells;
pub use changes::Changes;
pub use golden::{GoldenRead, golden};
pub use guess::{Guess, guess};
pub use meaning::{Meaning, meaning};
pub use unpack::{CODES, NotUnpacked, Unpack, Unpacked, Unpacking, unpack};

/// A feed is read into memory as a whole; a larger file is more likely a mistake than master data.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// What a feed's file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedRead {
    /// The hash of the file's bytes, of no bytes if there is no file; of a database that of the rows.
    pub hash: Fingerprint,
    /// The names of the columns, in order. A column without a name is `column 3`, the second of two equal
    /// names is `NAME (2)`.
    pub columns: Vec<String>,
    /// The rows in file order; none if the feed is withheld.
    pub rows: Vec<Row>,
    /// Of rows that are changes what they take away; `rows` are those that they bring, then.
    pub changes: Option<Changes>,
    /// How many rows `only` left out.
    pub not_selected: usize,
    /// How many rows the file has. Blank lines are no rows.
    pub total: usize,
    /// What a person should know, by line.
    pub diagnostics: Vec<Diagnostic>,
    /// True if there is no file.
    pub missing: bool,
    /// False if the feed is withheld: there is an error among the diagnostics.
    pub usable: bool,
}

/// Where cells stand: the column's name, then (line, column), 1-based.
pub type Positions = Box<[(Arc<str>, (u32, u32))]>;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its identity among the rows: the entity's key; without an entity the subject, the object, the
    /// identity properties and the start. Parts are escaped, so (a, bc) is not (ab, c).
    pub key: String,
    /// The physical line on which it begins, 1-based.
    pub line: u32,
    /// Column → cell, unmapped columns too, and `parent` for an indented bill of material.
    pub cells: Cells,
    /// Where the cells of the date columns stand: the column's name, then (line, column), 1-based. Only for
    /// messages, so it is not stored.
    #[serde(skip)]
    pub dates_at: Positions,
    /// The sheet on which it stands, for messages.
    #[serde(skip)]
    pub sheet: Option<Arc<str>>,
}

/// True if a feed has fewer than half of the rows that were last accepted: more likely a broken export
/// than the truth. Small feeds count too: 27 → 1, 1 → 0.
pub fn shrunk(before_rows: usize, now_rows: usize) -> bool {
    before_rows > now_rows.saturating_mul(2)
}

/// The key that a row of a feed has by its cells.
pub fn key(feed: &Feed, ontology: &Ontology, cells: &Cells) -> String {
    row::key(feed, ontology, cells)
}

/// The first day that a cell states, in the form that the feed declares; `None` if it states none.
pub fn day(feed: &Feed, cell: &str) -> Option<jiff::civil::Date> {
    date::stated(cell, &feed.dates).ok().flatten().map(|stated| stated.first)
}

/// By what feeds are reached.
#[derive(Clone, Copy)]
pub struct Reach<'r> {
    /// The workspace, below which files are.
    pub root: &'r Path,
    /// What leads to databases.
    pub connections: &'r Connections,
    /// Unpacks workbooks and Parquet files.
    pub unpack: &'r Unpack<'r>,
}

/// Reads a feed: its file, or what its database answers. `known_columns` are those of the last accepted snapshot, if
/// there is one.
pub fn read(
    reach: Reach<'_>,
    feed: &Feed,
    ontology: &Ontology,
    known_columns: Option<&[String]>,
) -> FeedRead {
    // A folder that cannot be listed cannot be read as a file either, which says why.
    if feed.format.operation.is_some()
        && !feed.format.table.is_asked()
        && let Ok(Some(names)) = super::folder::files_in(&reach.root.join(&feed.path))
    {
        let one = |file: &Feed| read_one(reach, file, ontology, known_columns);
        return series::read(feed, &names, known_columns.unwrap_or_default(), one);
    }
    read_one(reach, feed, ontology, known_columns)
}

/// Reads a feed that is one file or one database.
fn read_one(
    reach: Reach<'_>,
    feed: &Feed,
    ontology: &Ontology,
    known_columns: Option<&[String]>,
) -> FeedRead {
    let Reach { root, connections, unpack } = reach;
    let mut faults = Faults::new(&feed.path);
    let (mut read, bytes) = bytes(root, feed, known_columns.is_some(), &mut faults);
    if !faults.withheld() && feed.format.table.is_asked() {
        match asked::ask(root, feed, connections, |columns| row::identity(feed, ontology, columns)) {
            Ok(grid) => {
                read.hash = Fingerprint::of_bytes(&grid.hash());
                let records = grid.records(0, Places::Rows, faults.file());
                fill(&mut read, records, feed, ontology, known_columns, &mut faults);
            }
            Err(refused) => {
                let at = Place::file(faults.file());
                faults.push(Diagnostic::error("feed-unreadable", at, refused.message).hint(refused.hint));
            }
        }
    } else if !faults.withheld() {
        match feed.format.table.is_packed() {
            true => {
                if let Some(records) = unpacked(bytes, feed, unpack, &mut faults) {
                    fill(&mut read, records, feed, ontology, known_columns, &mut faults);
                }
            }
            false => from_bytes(&mut read, bytes, feed, ontology, known_columns, &mut faults),
        }
    }
    read.usable = !faults.withheld();
    if !read.usable {
        read.rows.clear();
        read.changes = None;
    }
    read.diagnostics = faults.finish();
    read
}

/// The bytes of a feed's file, if its rows are not asked of a database, and what has been read so far: nothing.
fn bytes(root: &Path, feed: &Feed, was_read: bool, faults: &mut Faults) -> (FeedRead, Vec<u8>) {
    let mut missing = false;
    let path = root.join(&feed.path);
    let bytes = match feed.format.table {
        Kind::Postgres => Ok(Vec::new()),
        // That there is a file to ask; its bytes are for SQLite to read.
        Kind::Sqlite => super::folder::is_there(&path).map(|()| Vec::new()),
        _ => super::folder::read(&path, MAX_BYTES),
    };
    let bytes = bytes.unwrap_or_else(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        // The path as the job writes it stands in front; the absolute one is of this machine only.
        let why = error.to_string().replace(&path.display().to_string(), &feed.path);
        let at = Place::file(&feed.path);
        missing = matches!(error, ReadError::Missing { .. });
        let mut hint = "its last accepted rows stay in force".to_owned();
        // Of a feed that was never read there is nothing that could be gone.
        if missing && was_read {
            let accept = format!("`edgewright accept feed {} --reason …`", feed.name);
            hint.push_str(&format!("; if it is gone for good: {accept}"));
        }
        faults.push(Diagnostic::error("feed-unreadable", at, format!("{why}{cause}")).hint(hint));
        Vec::new()
    });
    let read = FeedRead {
        hash: Fingerprint::of_bytes(&bytes),
        columns: Vec::new(),
        rows: Vec::new(),
        changes: None,
        not_selected: 0,
        total: 0,
        diagnostics: Vec::new(),
        missing,
        usable: false,
    };
    (read, bytes)
}

/// Makes records of what is packed in a file.
fn unpacked(
    bytes: Vec<u8>,
    feed: &Feed,
    unpack: &Unpack<'_>,
    faults: &mut Faults,
) -> Option<Records<'static>> {
    let asked = Unpacking::of(feed);
    match unpack(&asked, bytes, &feed.limits) {
        Ok(unpacked) => unpacked.records(faults),
        Err(NotUnpacked { why, hint }) => {
            let message = format!("{} cannot be read: {why}", asked.what());
            faults.push(Diagnostic::error("feed-unreadable", Place::file(faults.file()), message).hint(hint));
            None
        }
    }
}

/// Makes records of the text of a file, as far as it makes sense.
fn from_bytes(
    read: &mut FeedRead,
    bytes: Vec<u8>,
    feed: &Feed,
    ontology: &Ontology,
    known_columns: Option<&[String]>,
    faults: &mut Faults,
) {
    let records = match feed.format.table {
        Kind::JsonLines => {
            let mapped = || contract::mapped(feed).into_iter().map(str::to_owned).collect();
            jsonl::records(&bytes, feed, known_columns.map_or_else(mapped, <[String]>::to_vec), faults)
        }
        _ => {
            let Some(text) = text::decode(&bytes, &feed.format, faults) else { return };
            drop(bytes);
            let body = text::body(&text, &feed.format);
            let Some(records) = Records::of(&body, &feed.format, faults) else { return };
            return fill(read, records, feed, ontology, known_columns, faults);
        }
    };
    let Some(records) = records else { return };
    fill(read, records, feed, ontology, known_columns, faults);
}

/// Goes on as far as the feed makes sense, so that as many problems as possible are reported at once.
fn fill(
    read: &mut FeedRead,
    mut records: Records<'_>,
    feed: &Feed,
    ontology: &Ontology,
    known_columns: Option<&[String]>,
    faults: &mut Faults,
) {
    read.columns.clone_from(&records.columns);
    read.total = records.rows.len();
    contract::check(feed, &records, known_columns, faults);
    if faults.withheld() {
        return;
    }
    let Some(mut table) = Table::load(&records, faults) else { return };
    // Of a large feed the cells are most of what is held, so they are let go of as soon as they stand elsewhere.
    records.forget_cells();
    if let Some(levels) = &feed.levels {
        table.add_parents(levels, &records, faults);
    }
    let mut selected = table.selected(&feed.only);
    read.not_selected = read.total - selected.len();
    let Some(operation) = &feed.format.operation else {
        let rows = row::rows(feed, ontology, &records, &table, &selected, faults);
        drop((table, records, selected));
        read.rows = row::distinct(feed, rows, faults);
        return;
    };
    // A change after which a row is not selected takes it away.
    selected = (0..read.total).collect();
    let rows = row::rows(feed, ontology, &records, &table, &selected, faults);
    drop((table, records, selected));
    let (rows, changes) = changes::net(feed, operation, rows, faults);
    read.rows = rows;
    read.changes = Some(changes);
}

#[cfg(test)]
mod tests;
