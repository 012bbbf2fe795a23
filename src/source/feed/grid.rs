//! Tables whose cells come one by one, typed or nested, and never were the text of one file.
//!
//! What comes in: columns as they are first met, and rows of cells. What goes out: records, each as long as the
//! header. It must not know from what the cells were made.

use std::collections::HashMap;

use super::packed::Packed;
use super::record::{Places, Records};

/// How large a table may be, in columns, rows and cells.
const MAX_COLUMNS: usize = 4_096;
const MAX_ROWS: usize = 10_000_000;
const MAX_CELLS: usize = 50_000_000;
/// The text of all cells of a feed, in bytes: what a file of text may hold, however its cells were packed.
pub(super) const MAX_TEXT: usize = 512 * 1024 * 1024;

/// A table that grows row by row.
pub(super) struct Grid {
    columns: Vec<String>,
    numbers: HashMap<String, usize>,
    /// The lines on which the rows stand.
    lines: Vec<u32>,
    cells: Packed,
    text: usize,
}

impl Grid {
    /// A table with these columns, and no others unless [`Grid::column`] adds them.
    pub(super) fn new(columns: Vec<String>) -> Self {
        let numbers = columns.iter().enumerate().map(|(at, name)| (name.clone(), at)).collect();
        Self { columns, numbers, lines: Vec::new(), cells: Packed::default(), text: 0 }
    }

    /// The number of a column, which is added if there is none of that name.
    pub(super) fn column(&mut self, name: &str) -> usize {
        if let Some(at) = self.numbers.get(name) {
            return *at;
        }
        self.columns.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.columns.len() - 1);
        self.columns.len() - 1
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The columns.
    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = impl ExactSizeIterator<Item = &str>> {
        (0..self.cells.len()).map(|row| self.cells.row(row))
    }

    /// Cuts off the rows behind a line.
    pub(super) fn cut(&mut self, last: u32) -> Vec<(u32, Vec<String>)> {
        let kept = self.lines.partition_point(|line| *line <= last);
        let row = |at: usize| self.cells.row(at).map(str::to_owned).collect();
        let cut = (kept..).zip(&self.lines[kept..]).map(|(at, line)| (*line, row(at))).collect();
        self.lines.truncate(kept);
        self.cells.retain(|at| at < kept);
        cut
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// Why the table holds no more rows.
    pub(super) fn push(&mut self, line: u32, cells: csv::StringRecord) -> Result<(), String> {
        // A few bytes of a packed file may stand for any number of rows, and a key of each row for a column.
        let (rows, width) = (self.lines.len() + 1, self.columns.len());
        if width > MAX_COLUMNS {
            let last = self.columns.last().map_or("", String::as_str);
            return Err(format!("there are more than {MAX_COLUMNS} columns, the last of them `{last}`"));
        }
        if rows > MAX_ROWS || rows.saturating_mul(width) > MAX_CELLS {
            return Err(format!("there are more than {MAX_ROWS} rows or {MAX_CELLS} cells"));
        }
        // An empty cell costs its place.
        self.text += cells.as_slice().len() + cells.len();
        if self.text > MAX_TEXT || !self.cells.push(&cells) {
            return Err(format!("the rows hold more than {MAX_TEXT} bytes of text"));
        }
        self.lines.push(line);
        Ok(())
    }

    /// The lines of the rows and the parts of their cells, for another process.
    pub(super) fn parts(&self) -> (&[u32], &Packed) {
        (&self.lines, &self.cells)
    }

    /// A table of what [`Grid::parts`] gave, which takes no more rows.
    pub(super) fn of_parts(columns: Vec<String>, lines: Vec<u32>, cells: Packed) -> Self {
        Self { lines, cells, text: MAX_TEXT, ..Self::new(columns) }
    }

    /// Puts the rows in the order of these columns, then of all cells, and numbers them.
    pub(super) fn sort(&mut self, by: &[String]) {
        let by: Vec<usize> = by.iter().filter_map(|name| self.numbers.get(name).copied()).collect();
        self.cells.sort(&by);
        for (line, number) in self.lines.iter_mut().zip(1..) {
            *line = number;
        }
    }

    /// A hash of columns and rows in their order; equal tables give equal hashes.
    pub(super) fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        add(&self.columns.len().to_string());
        self.columns.iter().for_each(|name| add(name));
        for cells in self.rows() {
            cells.for_each(&mut add);
        }
        *hasher.finalize().as_bytes()
    }

    /// The table as records; rows that came before a column was known have it empty.
    pub(super) fn records(self, head_line: u32, places: Places, file: &str) -> Records<'static> {
        Records::of_cells((head_line, self.columns), self.lines, self.cells, places, file)
    }
}
