//! From text to records: which cells each row has, and on which physical line every one of them stands.
//!
//! What comes in: the text of a table. What goes out: header and rows of cells, all of one length. It
//! must not know what a column means.
//!
//! Two readers go over the same text: the `csv` crate splits it into cells, and [`cells`] finds where
//! each cell begins and what is wrong with its quotes. Where they do not agree, nothing is guessed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::diag::{Diagnostic, Place};
use crate::model::job::Format;

use super::fault::Faults;
use super::packed::Packed;
use super::text::Body;

/// Longer lines would push the mark out of sight.
const MAX_SHOWN_LINE: usize = 160;

/// A table's header and rows.
pub(super) struct Records<'t> {
    /// The columns, each with a name of its own.
    pub(super) columns: Vec<String>,
    /// The header's names as written.
    pub(super) header: Vec<String>,
    /// The header, for its place.
    pub(super) head: Record<'t>,
    /// The rows that are not blank.
    pub(super) rows: Vec<Record<'t>>,
    /// Their cells, as the file means them, without quotes; of a sound table as many in each row as in the header.
    cells: Packed,
    file: String,
    format: Format,
    places: Places,
}

/// What a row and a column say of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Places {
    /// Lines and columns of the text that the cells were cut from.
    Text,
    /// Rows and columns of a sheet, the table's first column being the one at this number, counted from 0.
    Sheet(u32),
    /// Lines or rows, and nothing finer.
    Rows,
}

/// One row, without its cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'t> {
    /// The physical line on which it begins, 1-based.
    pub(super) line: u32,
    /// The text from its first byte to the next record's.
    raw: &'t str,
}

impl<'t> Records<'t> {
    /// Reads a table. `None` if it has no header.
    pub(super) fn of(body: &Body<'t>, format: &Format, faults: &mut Faults) -> Option<Self> {
        let file = faults.file().to_owned();
        let (mut rows, mut cells) = split(body, format, faults)?;
        if rows.is_empty() {
            let diagnostic = Diagnostic::error("feed-empty", Place::file(&file), "the file has no header");
            faults.push(diagnostic.hint("check `skip_lines` and `skip_footer`, and whether the export ran"));
            return None;
        }
        let head = rows[0];
        let header: Vec<String> = cells.row(0).map(str::to_owned).collect();
        // Spreadsheets write rows of nothing but delimiters below the last one.
        let is_row: Vec<bool> =
            (0..rows.len()).map(|at| at > 0 && !cells.row(at).all(str::is_empty)).collect();
        let mut kept = is_row.iter();
        rows.retain(|_| kept.next() == Some(&true));
        cells.retain(|at| is_row[at]);
        let columns = unique(&header);
        let (places, format) = (Places::Text, format.clone());
        let records = Self { columns, header, head, rows, cells, file, format, places };
        records.check_shape(&records.head, records.header.len(), faults);
        for (at, row) in records.rows.iter().enumerate() {
            records.check_shape(row, records.cells(at).len(), faults);
        }
        records.check_footer(&body.footer, faults);
        Some(records)
    }

    /// A table of cells that were never text of one file: the lines on which its rows stand, and their cells.
    pub(super) fn of_cells(
        head: (u32, Vec<String>),
        rows: Vec<u32>,
        cells: Packed,
        places: Places,
        file: &str,
    ) -> Self {
        let (line, header) = head;
        let bare = |line| Record { line, raw: "" };
        Self {
            columns: unique(&header),
            head: bare(line),
            header,
            rows: rows.into_iter().map(bare).collect(),
            cells,
            file: file.to_owned(),
            format: Format::default(),
            places,
        }
    }

    /// The cells of a row, by its number among the rows.
    pub(super) fn cells(&self, row: usize) -> impl ExactSizeIterator<Item = &str> {
        self.cells.row(row)
    }

    /// A cell, by the numbers of its row and column; empty if there is none.
    pub(super) fn cell(&self, row: usize, column: usize) -> &str {
        self.cells.cell(row, column)
    }

    /// Lets go of the cells; what is left says where rows and cells stand.
    pub(super) fn forget_cells(&mut self) {
        self.cells = Packed::default();
    }

    /// The line and column of a cell that was never text.
    fn beyond_text(&self, row: &Record<'_>, column: usize) -> Option<(u32, u32)> {
        match self.places {
            Places::Text => None,
            Places::Sheet(left) => Some((
                row.line,
                u32::try_from(column).unwrap_or(u32::MAX).saturating_add(left).saturating_add(1),
            )),
            Places::Rows => Some((row.line, 0)),
        }
    }

    /// The place of a cell of a row.
    pub(super) fn place(&self, row: &Record<'_>, column: usize) -> Place {
        if let Some((line, column)) = self.beyond_text(row, column) {
            return Place::at(&self.file, line, column);
        }
        let cells = cells(row.raw, &self.format);
        let start = cells.get(column).map_or(row.end(&cells), |cell| cell.start);
        self.place_in(row, start)
    }

    /// The (line, column) of each of the cells of a row.
    pub(super) fn positions(&self, row: &Record<'_>) -> Vec<(u32, u32)> {
        if self.places != Places::Text {
            return (0..self.header.len()).filter_map(|column| self.beyond_text(row, column)).collect();
        }
        let cells = cells(row.raw, &self.format);
        cells.iter().map(|cell| position(&row.raw[..cell.start], row.line)).collect()
    }

    fn place_in(&self, row: &Record<'_>, at: usize) -> Place {
        let (line, column) = position(&row.raw[..at], row.line);
        let start = row.raw[..at].rfind('\n').map_or(0, |before| before + 1);
        let source = row.raw[start..].split('\n').next().unwrap_or_default();
        let source = (source.chars().count() <= MAX_SHOWN_LINE).then(|| source.to_owned());
        Place { source, ..Place::at(&self.file, line, column) }
    }

    /// Checks a row that has so many cells.
    fn check_shape(&self, row: &Record<'_>, count: usize, faults: &mut Faults) {
        let cells = cells(row.raw, &self.format);
        if let Some((at, message)) = cells.iter().find_map(|cell| cell.fault) {
            let hint = "quotes inside a quoted cell are doubled; a cell ends with its closing quote";
            faults.push(Diagnostic::error("feed-quotes", self.place_in(row, at), message).hint(hint));
        } else if cells.len() != count {
            let message = "two ways of reading this row do not give the same cells";
            faults.push(Diagnostic::error("feed-readers-disagree", self.place_in(row, 0), message));
        } else if count != self.header.len() {
            let at = cells.get(self.header.len()).map_or(row.end(&cells), |cell| cell.start);
            let message = format!("the row has {count} cells, the header {}", self.header.len());
            let hint = "quote cells that contain the delimiter; a last row cut short is a broken transfer";
            faults.push(Diagnostic::error("feed-row-ragged", self.place_in(row, at), message).hint(hint));
        }
    }

    /// If the system stops writing its footer, `skip_footer` would cut off rows without a word. A line
    /// that has as many cells as a row, and as many of them filled, may be one.
    fn check_footer(&self, footer: &[&str], faults: &mut Faults) {
        let filled = |cells: &mut dyn Iterator<Item = &str>| cells.filter(|cell| !cell.is_empty()).count();
        let Some(least) = (0..self.rows.len()).map(|row| filled(&mut self.cells(row))).min() else { return };
        let last = self.rows.last().map_or(self.head.line, |row| row.line);
        let delimiter = char::from(self.format.delimiter);
        for line in footer {
            let is_as_long = line.split(delimiter).count() == self.header.len() && self.header.len() > 1;
            if is_as_long && filled(&mut line.split(delimiter)) >= least {
                let message = format!("`skip_footer` left out a line that looks like a row: `{line}`");
                faults.push(
                    Diagnostic::warning("feed-footer-row", Place::at(&self.file, last, 0), message)
                        .hint("set `skip_footer` to the number of lines that follow the last row"),
                );
            }
        }
    }
}

impl Record<'_> {
    /// Where the record's text ends, its line end not counted.
    fn end(&self, cells: &[CellAt]) -> usize {
        cells.last().map_or(0, |cell| cell.end)
    }
}

/// The 1-based (line, column in characters) of what follows a text that begins on a line.
pub(super) fn position(before: &str, first_line: u32) -> (u32, u32) {
    let breaks = before.bytes().filter(|byte| *byte == b'\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (first_line.saturating_add(count(breaks)), count(column))
}

/// Splits a table into records and their cells; blank lines are none.
fn split<'t>(body: &Body<'t>, format: &Format, faults: &mut Faults) -> Option<(Vec<Record<'t>>, Packed)> {
    if !format.delimiter.is_ascii() || !format.quote.is_ascii() || format.delimiter == format.quote {
        let message = "delimiter and quote must be two different ASCII characters";
        faults.push(Diagnostic::error("feed-unreadable", Place::file(faults.file()), message));
        return None;
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(format.delimiter)
        .quote(format.quote)
        .terminator(csv::Terminator::Any(b'\n'))
        .has_headers(false)
        .flexible(true)
        .from_reader(body.text.as_bytes());
    let (mut starts, mut cells) = (Vec::new(), Packed::default());
    let mut record = csv::StringRecord::new();
    let why = loop {
        match reader.read_record(&mut record) {
            Ok(false) => return Some((locate(body, starts), cells)),
            Ok(true) if cells.push(&record) => {
                starts.push(record.position().map_or(0, |position| position.byte() as usize));
            }
            Ok(true) => break "its cells have more than 4 GiB of text".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    let message = format!("cannot read the table: {why}");
    faults.push(Diagnostic::error("feed-unreadable", Place::file(faults.file()), message));
    None
}

/// Gives every record its text and its line. The crate's own line numbers are those of the blank lines
/// before a record, so lines are counted here.
fn locate<'t>(body: &Body<'t>, mut starts: Vec<usize>) -> Vec<Record<'t>> {
    for start in &mut starts {
        let rest = body.text.get(*start..).unwrap_or_default();
        *start += rest.len() - rest.trim_start_matches('\n').len();
    }
    let ends = starts.iter().skip(1).copied().chain([body.text.len()]);
    let (mut line, mut counted) = (body.first_line, 0);
    let mut records = Vec::with_capacity(starts.len());
    for (start, end) in starts.iter().copied().zip(ends) {
        line = position(body.text.get(counted..start).unwrap_or_default(), line).0;
        counted = start;
        records.push(Record { line, raw: body.text.get(start..end).unwrap_or_default() });
    }
    records
}

/// Where a cell stands in the text of its record, and what is wrong with its quotes.
struct CellAt {
    start: usize,
    end: usize,
    fault: Option<(usize, &'static str)>,
}

/// Finds the cells of a record.
fn cells(raw: &str, format: &Format) -> Vec<CellAt> {
    let bytes = raw.as_bytes();
    let ends_cell = |at: usize| at >= bytes.len() || bytes[at] == format.delimiter || bytes[at] == b'\n';
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        let start = at;
        let mut fault = None;
        if bytes.get(at) == Some(&format.quote) {
            at = after_quotes(bytes, at, format.quote);
            if at > bytes.len() {
                at = bytes.len();
                fault = Some((start, "the cell that begins here has no closing quote"));
            } else if !ends_cell(at) {
                // A place inside a character is no place to point at.
                let shown = (0..=at).rev().find(|at| raw.is_char_boundary(*at)).unwrap_or(start);
                fault = Some((shown, "text follows the closing quote of the cell"));
            }
        }
        while !ends_cell(at) {
            at += 1;
        }
        found.push(CellAt { start, end: at, fault });
        if bytes.get(at) != Some(&format.delimiter) {
            return found;
        }
        at += 1;
    }
}

/// The byte after the closing quote of a cell that opens at `at`; beyond the end if none closes it.
fn after_quotes(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    loop {
        match bytes[at.min(bytes.len())..].iter().position(|byte| *byte == quote) {
            None => return bytes.len() + 1,
            Some(ahead) if bytes.get(at + ahead + 1) == Some(&quote) => at += ahead + 2,
            Some(ahead) => return at + ahead + 1,
        }
    }
}

/// Gives every column a name of its own.
fn unique(header: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    let mut taken: BTreeSet<String> = BTreeSet::new();
    // The number that was last tried for a name: a header of one name, repeated, stays linear.
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for (at, name) in header.iter().enumerate() {
        let name = if name.is_empty() { format!("column {}", at + 1) } else { name.clone() };
        let count = tried.entry(name.clone()).or_insert(0);
        let unused = loop {
            *count += 1;
            let candidate = if *count == 1 { name.clone() } else { format!("{name} ({count})") };
            if taken.insert(candidate.clone()) {
                break candidate;
            }
        };
        names.push(unused);
    }
    names
}
