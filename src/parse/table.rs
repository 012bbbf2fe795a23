//! Tables of any format: which row is the header, and rows that only repeat it.

use crate::model::document::{BlockKind, Document, Table};
use crate::model::token::Span;

/// A table of rows of cells. Its header is the last of the rows that the format marks as such, with what reaches down
/// into it from those above; if it marks none, the first row, if that looks like one. `start` is where the table
/// begins.
pub(super) fn structured(text: &str, mut rows: Vec<Vec<Span>>, heads: usize, start: usize) -> Table {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let header = if heads > 0 && heads < rows.len() {
        marked(rows.drain(..heads))
    } else if rows.len() > 1 && looks_like_header(text, &rows) {
        rows.remove(0)
    } else {
        vec![Span::new(start, start); columns]
    };
    Table { header, rows }
}

/// The last of the marked rows; a column that is empty there has the name above it.
pub(super) fn marked(rows: impl Iterator<Item = Vec<Span>>) -> Vec<Span> {
    rows.reduce(|above, row| {
        let named = |(column, cell): (usize, &Span)| match above.get(column) {
            Some(name) if cell.start == cell.end => *name,
            _ => *cell,
        };
        row.iter().enumerate().map(named).collect()
    })
    .unwrap_or_default()
}

/// True if most cells of the first row are names: text, and not the first of two columns of labels and values.
fn looks_like_header(text: &str, rows: &[Vec<Span>]) -> bool {
    let Some(first) = rows.first() else { return false };
    let cells: Vec<&str> = first.iter().map(|cell| cell.of(text)).filter(|cell| !cell.is_empty()).collect();
    let names = cells.iter().filter(|cell| is_name(cell)).count();
    let labels = first.len() == 2 && cells.first().is_some_and(|cell| cell.ends_with(':'));
    names * 2 > first.len() && names + 1 >= cells.len() && !labels
}

/// True for a text that can name a column: with a letter, or a year.
fn is_name(cell: &str) -> bool {
    let is_year = cell.len() == 4 && (cell.starts_with("19") || cell.starts_with("20"));
    let letters = cell.chars().filter(|one| one.is_alphabetic()).count();
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    (letters > 0 && digits <= letters) || is_year
}

/// Takes away the rows of tables that only repeat the header, as printed tables do after a page break.
pub(super) fn drop_repeated_headers(document: &mut Document) {
    let text = &document.text;
    for block in &mut document.blocks {
        let BlockKind::Table(table) = &mut block.kind else { continue };
        let header: Vec<&str> = table.header.iter().map(|cell| cell.of(text)).collect();
        if header.iter().all(|name| name.is_empty()) {
            continue;
        }
        table.rows.retain(|row| {
            row.len() != header.len() || row.iter().zip(&header).any(|(cell, name)| cell.of(text) != *name)
        });
    }
}
