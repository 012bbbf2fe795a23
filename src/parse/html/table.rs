//! Tables in HTML: cells become spans, spanned cells empty ones.

use std::collections::BTreeMap;

use html5ever::tokenizer::Tag;

use super::{Walker, attribute};
use crate::model::document::{Block, BlockKind, Table};
use crate::model::token::Span;
use crate::parse::table::marked;

/// No table that a person wrote spans more columns or rows; a larger number would only cost memory.
const LARGEST_SPAN: usize = 100;

/// Spanned cells are filled in up to this column only, for the same reason.
const MOST_COLUMNS: usize = 200;

/// The table being read.
#[derive(Default)]
pub(super) struct Grid {
    rows: Vec<Row>,
    /// True while a cell is open.
    cell: bool,
    /// True once a cell has begun.
    begun: bool,
    /// How many tables are open inside: their text belongs to the cell around them.
    nested: usize,
    in_head: bool,
    /// How many columns the open cell spans beyond its own.
    spanned: usize,
    /// For a column, how many rows a cell from above still reaches down.
    reach: BTreeMap<usize, usize>,
}

#[derive(Default)]
struct Row {
    head: bool,
    names: usize,
    cells: Vec<Span>,
}

impl Grid {
    pub(super) fn in_cell(&self) -> bool {
        self.cell
    }

    /// True once a cell has begun: the block that is open is the table.
    pub(super) fn has_cells(&self) -> bool {
        self.begun
    }
}

impl Walker {
    pub(super) fn start_table_part(&mut self, name: &str, tag: &Tag) {
        let Some(grid) = &mut self.grid else {
            if matches!(name, "table" | "tr") {
                self.flush();
                self.grid = Some(Grid::default());
            }
            if name == "tr" {
                self.start_row();
            }
            return;
        };
        if grid.nested > 0 || (name == "table" && grid.cell) {
            grid.nested += usize::from(name == "table");
            return self.space_in_cell(name);
        }
        match name {
            "table" => {
                self.end_grid();
                self.grid = Some(Grid::default());
            }
            "thead" => grid.in_head = true,
            "tbody" | "tfoot" => grid.in_head = false,
            "tr" => self.start_row(),
            _ => self.start_cell(name == "th", tag),
        }
    }

    pub(super) fn end_table_part(&mut self, name: &str) {
        let Some(grid) = &mut self.grid else { return };
        if grid.nested > 0 {
            grid.nested -= usize::from(name == "table");
            return self.space_in_cell(name);
        }
        match name {
            "table" => self.end_grid(),
            "thead" => grid.in_head = false,
            "td" | "th" => self.end_cell(),
            "tr" => self.end_row(),
            _ => {}
        }
    }

    fn start_row(&mut self) {
        self.end_row();
        let Some(grid) = &mut self.grid else { return };
        if grid.rows.last().is_some_and(|row| row.cells.is_empty()) {
            grid.rows.pop();
        }
        grid.rows.push(Row { head: grid.in_head, ..Row::default() });
    }

    fn start_cell(&mut self, is_name: bool, tag: &Tag) {
        self.end_cell();
        if self.grid.as_ref().is_some_and(|grid| grid.rows.is_empty()) {
            self.start_row();
        }
        if self.grid.as_ref().is_some_and(|grid| !grid.has_cells()) {
            // A caption is a paragraph of its own.
            self.flush();
            self.write_metas();
            self.builder.begin(false);
        }
        self.fill_reached();
        self.open_cell();
        let span = |name: &str| attribute(tag, name).and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
        let (columns, rows) =
            (span("colspan").clamp(1, LARGEST_SPAN), span("rowspan").clamp(1, LARGEST_SPAN));
        let Some(grid) = &mut self.grid else { return };
        grid.cell = true;
        let Some(row) = grid.rows.last_mut() else { return };
        row.names += usize::from(is_name);
        let column = row.cells.len() - 1;
        let columns = columns.min(MOST_COLUMNS.saturating_sub(column).max(1));
        if rows > 1 && column < MOST_COLUMNS {
            grid.reach.extend((column..column + columns).map(|at| (at, rows - 1)));
        }
        grid.spanned = columns - 1;
    }

    /// Writes what separates the next cell from the text before it, and opens it.
    fn open_cell(&mut self) {
        let Some(grid) = &self.grid else { return };
        let in_row = grid.rows.last().is_some_and(|row| !row.cells.is_empty());
        if in_row {
            self.builder.push(" | ", self.line);
        } else if grid.begun {
            self.builder.push("\n", self.line);
        }
        let at = self.builder.len();
        let Some(grid) = &mut self.grid else { return };
        grid.begun = true;
        if let Some(row) = grid.rows.last_mut() {
            row.cells.push(Span::new(at, at));
        }
    }

    /// Adds empty cells where one from above reaches into this row.
    fn fill_reached(&mut self) {
        loop {
            let Some(grid) = &mut self.grid else { return };
            let column = grid.rows.last().map_or(0, |row| row.cells.len());
            let Some(left) = grid.reach.get_mut(&column) else { return };
            *left -= 1;
            if *left == 0 {
                grid.reach.remove(&column);
            }
            self.open_cell();
        }
    }

    fn end_cell(&mut self) {
        self.close_links();
        let Some(grid) = &mut self.grid else { return };
        if !std::mem::take(&mut grid.cell) {
            return;
        }
        let spanned = std::mem::take(&mut grid.spanned);
        let end = self.builder.len();
        if let Some(cell) = grid.rows.last_mut().and_then(|row| row.cells.last_mut()) {
            *cell = self.builder.trimmed(Span::new(cell.start, end));
        }
        for _ in 0..spanned {
            self.open_cell();
        }
    }

    fn end_row(&mut self) {
        self.end_cell();
        if self.grid.as_ref().is_some_and(|grid| grid.rows.last().is_some_and(|row| !row.cells.is_empty())) {
            self.fill_reached();
        }
    }

    /// Ends the table. One row or one column is layout: its cells are paragraphs.
    pub(super) fn end_grid(&mut self) {
        self.end_row();
        let Some(grid) = self.grid.take() else { return };
        let rows: Vec<Row> = grid.rows.into_iter().filter(|row| !row.cells.is_empty()).collect();
        let cells = || rows.iter().flat_map(|row| &row.cells);
        let (start, end) = (cells().map(|cell| cell.start).min(), cells().map(|cell| cell.end).max());
        let (Some(start), Some(end)) = (start, end) else { return };
        if self.quotes > 0 {
            return self.builder.end_as([Block { span: Span::new(start, end), kind: BlockKind::Quote }]);
        }
        if rows.len() == 1 || rows.iter().all(|row| row.cells.len() == 1) {
            let paragraphs: Vec<Block> =
                cells().map(|cell| Block { span: *cell, kind: BlockKind::Paragraph }).collect();
            return self.builder.end_as(paragraphs);
        }
        let table = structured(rows, start);
        self.builder.end_as([Block { span: Span::new(start, end), kind: BlockKind::Table(table) }]);
    }
}

/// Finds the header: the last row of `<thead>`, else a first row of names only, else, where no row names
/// itself, the first row. A table whose rows each begin with a name has none.
fn structured(mut rows: Vec<Row>, start: usize) -> Table {
    let heads = rows.iter().take_while(|row| row.head).count();
    let first_names = rows.first().is_some_and(|row| row.names > 0 && row.names + 1 >= row.cells.len());
    let row_names = rows.iter().all(|row| row.names == 1 && row.cells.len() > 1);
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let header = if heads > 0 && heads < rows.len() {
        Some(marked(rows.drain(..heads).map(|row| row.cells)))
    } else if row_names {
        None
    } else if first_names || rows.iter().all(|row| row.names == 0) {
        Some(rows.remove(0).cells)
    } else {
        None
    };
    let header = header.unwrap_or_else(|| vec![Span::new(start, start); columns]);
    Table { header, rows: rows.into_iter().map(|row| row.cells).collect() }
}
