//! The cells of a row. All rows of a feed are held at once, so a cell costs its text and little more.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Column → cell, sorted by column. Its serialized form is a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells {
    /// The columns, sorted; the rows of a feed share them.
    columns: Arc<[Arc<str>]>,
    /// As many cells.
    cells: Box<[CompactString]>,
}

impl Cells {
    /// Cells of columns that are sorted and shared with other rows.
    pub(super) fn of_sorted(columns: &Arc<[Arc<str>]>, cells: Box<[CompactString]>) -> Self {
        debug_assert!(
            columns.is_sorted() && columns.len() == cells.len(),
            "cells are found by their columns"
        );
        Self { columns: Arc::clone(columns), cells }
    }

    /// The cell of a column. Logarithmic in the number of columns.
    pub fn get(&self, column: &str) -> Option<&str> {
        let at = self.columns.binary_search_by(|name| (**name).cmp(column)).ok()?;
        self.cells.get(at).map(CompactString::as_str)
    }

    /// The columns with their cells, sorted by column.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().zip(&self.cells).map(|(column, cell)| (&**column, cell.as_str()))
    }

    /// The cells without those of some columns.
    pub fn without(self, columns: &[&str]) -> Self {
        let cells = self.columns.iter().cloned().zip(self.cells);
        cells.filter(|(name, _)| !columns.contains(&&**name)).collect()
    }

    /// The cells as a record keeps them.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.iter().map(|(column, cell)| (column.to_owned(), cell.to_owned())).collect()
    }
}

impl FromIterator<(Arc<str>, CompactString)> for Cells {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, CompactString)>>(cells: I) -> Self {
        let mut cells: Vec<_> = cells.into_iter().collect();
        cells.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let (columns, cells): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        Self { columns: columns.into(), cells: cells.into() }
    }
}

impl Serialize for Cells {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.cells.len()))?;
        for (column, cell) in self.iter() {
            map.serialize_entry(column, cell)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map: BTreeMap<String, String> = BTreeMap::deserialize(deserializer)?;
        Ok(map.into_iter().map(|(column, cell)| (Arc::from(column), CompactString::from(cell))).collect())
    }
}
