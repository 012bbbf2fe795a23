//! The cells of a row. All rows of a feed are held at once, so a cell costs its text and little more.

use std::collections::BTreeMap;
use std::sync::Arc;

use compact_str::CompactString;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Column → cell, sorted by column; the names of columns are shared by all rows. Its serialized form is a map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cells(Box<[(Arc<str>, CompactString)]>);

impl Cells {
    /// The cell of a column. Logarithmic in the number of columns.
    pub fn get(&self, column: &str) -> Option<&str> {
        let at = self.0.binary_search_by(|(name, _)| (**name).cmp(column)).ok()?;
        Some(self.0[at].1.as_str())
    }

    /// The columns with their cells, sorted by column.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(column, cell)| (&**column, cell.as_str()))
    }

    /// The cells without those of some columns.
    pub fn without(self, columns: &[&str]) -> Self {
        Self(self.0.into_iter().filter(|(name, _)| !columns.contains(&&**name)).collect())
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
        Self(cells.into_boxed_slice())
    }
}

impl Serialize for Cells {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
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
