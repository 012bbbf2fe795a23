//! From records to a table: all columns as text in a data frame, the parents of an indented bill of
//! material as one more column, and the rows that a feed selects as a mask.
//!
//! What comes in: records. What goes out: cells by column and row. It is the only file that knows polars.

use std::collections::BTreeMap;

use polars::prelude::{
    BooleanChunked, ChunkCompareEq, ChunkFull, Column, DataFrame, IntoColumn, NewChunkedArray, PolarsError,
    StringChunked,
};

use crate::diag::{Diagnostic, Place};
use crate::model::job::Levels;

use super::fault::Faults;
use super::record::Records;

/// The column that `levels` adds.
pub(super) const PARENT: &str = "parent";

pub(super) struct Table {
    /// The columns by name, `parent` among them.
    columns: Vec<String>,
    /// The same columns, by number.
    frame: DataFrame,
}

impl Table {
    /// Loads the records, every cell as the text that it is.
    pub(super) fn load(records: &Records<'_>, faults: &mut Faults) -> Option<Self> {
        match frame(records) {
            Ok(frame) => Some(Self { columns: records.columns.clone(), frame }),
            Err(error) => {
                let message = format!("cannot read the table: {error}");
                faults.push(Diagnostic::error("feed-unreadable", Place::file(faults.file()), message));
                None
            }
        }
    }

    /// The columns by name.
    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The cells of a column; `None` if there is no such column.
    pub(super) fn column(&self, name: &str) -> Option<&StringChunked> {
        let at = self.columns.iter().position(|column| column == name)?;
        self.frame.columns().get(at)?.str().ok()
    }

    /// The cells of a row with the names of their columns.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = (&str, &str)> {
        let cells = self.frame.columns().iter().map(move |column| column.str().ok()?.get(row));
        self.columns.iter().zip(cells).map(|(name, cell)| (name.as_str(), cell.unwrap_or_default()))
    }

    /// A cell; empty if there is no such column or row.
    pub(super) fn cell(&self, name: &str, row: usize) -> &str {
        self.column(name).and_then(|cells| cells.get(row)).unwrap_or_default()
    }

    /// The numbers of the rows whose cells are among the listed values, in every one of the columns.
    pub(super) fn selected(&self, only: &BTreeMap<String, Vec<String>>) -> Vec<usize> {
        let full = |value| BooleanChunked::full("mask".into(), value, self.frame.height());
        let mut mask = full(true);
        for (column, values) in only {
            let Some(cells) = self.column(column) else { continue };
            let any = values.iter().fold(full(false), |any, value| any | cells.equal(value.as_str()));
            mask = mask & any;
        }
        mask.iter().enumerate().filter(|(_, selected)| *selected == Some(true)).map(|(row, _)| row).collect()
    }

    /// Adds the column `parent`: the item of the nearest row above with a smaller level, else empty.
    /// All rows count, those that the feed does not select too: they carry the structure.
    pub(super) fn add_parents(&mut self, levels: &Levels, records: &Records<'_>, faults: &mut Faults) {
        let at = self.columns.iter().position(|column| *column == levels.column).unwrap_or_default();
        let mut above: Vec<(u32, &str)> = Vec::new();
        let mut parents = Vec::with_capacity(records.rows.len());
        for (row, record) in records.rows.iter().enumerate() {
            let text = self.cell(&levels.column, row);
            let Some(level) = level(text) else {
                let message = format!("`{text}` is not a level; it and the rows below it have no parent");
                faults.push(
                    Diagnostic::error("feed-level-invalid", records.place(record, at), message)
                        .hint("a level is a number, or a number after dots or spaces"),
                );
                return;
            };
            while above.last().is_some_and(|(over, _)| *over >= level) {
                above.pop();
            }
            parents.push(above.last().map_or("", |(_, item)| item));
            above.push((level, self.cell(&levels.item, row)));
        }
        let parents = Column::new(PARENT.into(), parents);
        if self.frame.with_column(parents).is_ok() {
            self.columns.push(PARENT.to_owned());
        }
    }
}

/// `2`, `..2`, `  2`, `. . 2`; dots alone count themselves.
fn level(text: &str) -> Option<u32> {
    let text = text.trim_end();
    let number = text.trim_start_matches(['.', ' ', '\t', '\u{a0}']);
    match (number.is_empty(), text.is_empty()) {
        (true, true) => None,
        (true, false) => u32::try_from(text.chars().filter(|letter| *letter == '.').count()).ok(),
        (false, _) => number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())?,
    }
}

fn frame(records: &Records<'_>) -> Result<DataFrame, PolarsError> {
    // Columns are numbered here: the names in a feed may be anything.
    let columns = (0..records.columns.len()).map(|at| {
        let cells = (0..records.rows.len()).map(|row| records.cell(row, at));
        StringChunked::from_iter_values(at.to_string().into(), cells).into_column()
    });
    DataFrame::new(records.rows.len(), columns.collect())
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn levels_are_numbers_after_dots_or_spaces() {
        let cases = [
            ("2", Some(2)),
            ("..2", Some(2)),
            ("  2", Some(2)),
            ("2 ", Some(2)),
            (". . 3", Some(3)),
            ("0", Some(0)),
            ("..", Some(2)),
            ("", None),
            (" ", None),
            ("two", None),
            ("1.2", None),
            ("-1", None),
            ("99999999999", None),
        ];
        for (text, expected) in cases {
            assert_eq!(level(text), expected, "{text:?}");
        }
    }
}
