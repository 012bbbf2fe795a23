//! Tables become groups of rows. Column names go with every group, since they stand above all of them.

use super::cut;
use crate::model::chunk::ChunkKind;
use crate::model::document::Table;
use crate::model::token::Span;

/// A table of fewer bytes is one group.
const LONGEST_WHOLE: usize = 2_000;

/// The groups of a table with their spans. The first holds the header row, if the table has one.
pub(super) fn groups(text: &str, block: Span, table: &Table) -> Vec<(Span, ChunkKind)> {
    let names: Vec<String> = table
        .header
        .iter()
        .map(|cell| cell.of(text).split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let rows: Vec<Span> = table.rows.iter().map(|row| extent(row)).collect::<Option<_>>().unwrap_or_default();
    if rows.is_empty() {
        let cells = Table { header: shifted(&table.header, block.start), rows: Vec::new() };
        return vec![(block, ChunkKind::Rows { header: names, cells, above: Vec::new() })];
    }
    let whole = block.end - block.start <= LONGEST_WHOLE;
    let ranges =
        if whole { std::iter::once(0..rows.len()).collect() } else { cut::groups(text, &rows, cut::ROWS) };
    let mut above = vec![String::new(); names.len()];
    let mut found = Vec::new();
    for range in ranges {
        let first = range.start == 0;
        let start = if first { block.start } else { rows[range.start].start };
        let end = rows[range.end - 1].end.max(start);
        let body = &table.rows[range];
        let cells = Table {
            header: if first { shifted(&table.header, start) } else { Vec::new() },
            rows: body.iter().map(|row| shifted(row, start)).collect(),
        };
        let needed = needed(&above, body.first());
        found.push((Span::new(start, end), ChunkKind::Rows { header: names.clone(), cells, above: needed }));
        remember(text, body, &mut above);
    }
    found
}

/// From the first cell to the last.
fn extent(row: &[Span]) -> Option<Span> {
    Some(Span::new(row.first()?.start, row.iter().map(|cell| cell.end).max()?))
}

fn shifted(cells: &[Span], start: usize) -> Vec<Span> {
    cells.iter().map(|cell| Span::new(cell.start - start, cell.end - start)).collect()
}

/// The values above for the columns that the first row leaves empty: a value that nobody fills down must
/// not change the ids of the groups below it.
fn needed(above: &[String], first: Option<&Vec<Span>>) -> Vec<String> {
    let empty =
        |column: usize| first.and_then(|row| row.get(column)).is_none_or(|cell| cell.start == cell.end);
    let columns = above.iter().enumerate();
    columns.map(|(column, value)| if empty(column) { value.clone() } else { String::new() }).collect()
}

fn remember(text: &str, rows: &[Vec<Span>], above: &mut Vec<String>) {
    for row in rows {
        if above.len() < row.len() {
            above.resize(row.len(), String::new());
        }
        for (cell, value) in row.iter().zip(above.iter_mut()).filter(|(cell, _)| cell.start < cell.end) {
            cell.of(text).clone_into(value);
        }
    }
}
