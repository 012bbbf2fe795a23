//! JSON lines: one object a line, its nested values as columns with dotted names.
//!
//! What comes in: a file's bytes. What goes out: records. Numbers stay as written, `null` is an empty cell, lists
//! of plain values are joined with what separates the values of their column. Of change events the row before or
//! after the change is taken. It must not know what a column means beyond that.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::diag::{Diagnostic, Place, json_mismatch};
use crate::model::job::Feed;

use super::fault::Faults;
use super::grid::Grid;
use super::record::{Places, Records};

/// Objects in objects in objects: more than this is no row.
const MAX_DEPTH: usize = 32;
/// What joins the values of a list whose column declares no separator.
const SEPARATOR: &str = ",";

/// Reads JSON lines. `known` are the columns of a file without lines. `None` if there is nothing to go on with.
pub(super) fn records(
    bytes: &[u8],
    feed: &Feed,
    known: Vec<String>,
    faults: &mut Faults,
) -> Option<Records<'static>> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let (line, column) = super::record::position(&before, 1);
            let at = Place::at(faults.file(), line, column);
            let message = "the bytes here are not UTF-8, and JSON is written in nothing else";
            faults.push(Diagnostic::error("feed-encoding", at, message).hint("have the file written anew"));
            return None;
        }
    };
    let separators = separators(feed);
    let mut grid = Grid::new(Vec::new());
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let cells = match row(line, feed, &separators) {
            Ok(Some(cells)) => cells,
            Ok(None) => continue,
            Err((column, why)) => {
                let at = Place::at(faults.file(), number, column);
                let hint = "each line is one whole JSON object; a last line cut short is a broken transfer";
                faults.push(Diagnostic::error("feed-line-invalid", at, why).hint(hint));
                continue;
            }
        };
        let mut placed: Vec<(usize, String)> =
            cells.into_iter().map(|(name, cell)| (grid.column(&name), cell)).collect();
        placed.sort_unstable_by_key(|(at, _)| *at);
        let mut record = csv::StringRecord::new();
        for (at, cell) in placed {
            while record.len() < at {
                record.push_field("");
            }
            record.push_field(&cell);
        }
        if let Err(why) = grid.push(number, record) {
            faults.push(Diagnostic::error("feed-unreadable", Place::at(faults.file(), number, 0), why));
            return None;
        }
    }
    if grid.len() == 0 {
        // No row names its columns; that there is none is for the guard against shrinking to judge.
        grid = Grid::new(known);
    }
    Some(grid.records(1, Places::Rows, faults.file()))
}

/// What joins the lists of each column that has many values.
fn separators(feed: &Feed) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    if let Some(entity) = &feed.entity {
        found.extend(entity.many.iter().map(|(column, separator)| (column.as_str(), separator.as_str())));
    }
    if let Some(edge) = &feed.edge {
        for end in [&edge.subject, &edge.object] {
            found.extend(end.columns.last().map(String::as_str).zip(end.many.as_deref()));
        }
    }
    found.retain(|_, separator| !separator.is_empty());
    found
}

/// Where in a line something is wrong, counted from 1 and 0 for the line as a whole, and what.
pub(super) type Wrong = (u32, String);

/// The cells of a line with their columns; `None` if the line says nothing.
fn row(
    line: &str,
    feed: &Feed,
    separators: &BTreeMap<&str, &str>,
) -> Result<Option<Vec<(String, String)>>, Wrong> {
    let mut object = match line.trim() {
        // The mark of a change log that a deleted key may be forgotten.
        "null" if feed.format.envelope => return Ok(None),
        _ => parse(line)?,
    };
    let mut cells = Cells { separators, found: BTreeMap::new(), order: Vec::new() };
    if feed.format.envelope {
        if let Some((_, payload)) = object.0.iter().find(|(key, _)| key == "payload") {
            if payload.get() == "null" {
                return Ok(None);
            }
            object = parse(payload.get())?;
        }
        let of = |name: &str| {
            let value = object.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.get());
            value.filter(|value| *value != "null")
        };
        let Some(row) = of("after").or_else(|| of("before")) else {
            return Err((0, "the change has neither `after` nor `before`".to_owned()));
        };
        cells.object("", &parse(row)?, 0)?;
        object.0.retain(|(key, _)| !matches!(key.as_str(), "after" | "before"));
    }
    cells.object("", &object, 0)?;
    Ok(Some(cells.in_order()))
}

/// The cells of one line that is an object, in the order of their keys, with their columns; lists are joined with a
/// comma.
///
/// # Errors
///
/// Where in the line something is wrong, and what.
pub(super) fn cells(line: &str) -> Result<Vec<(String, String)>, Wrong> {
    let separators = BTreeMap::new();
    let mut cells = Cells { separators: &separators, found: BTreeMap::new(), order: Vec::new() };
    cells.object("", &parse(line)?, 0)?;
    Ok(cells.in_order())
}

/// An object with its keys in order, its values as written.
struct Object<'l>(Vec<(String, &'l RawValue)>);

impl<'de: 'l, 'l> Deserialize<'de> for Object<'l> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Object<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry::<String, &RawValue>()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

fn parse(text: &str) -> Result<Object<'_>, Wrong> {
    serde_json::from_str(text)
        .map_err(|error| (u32::try_from(error.column()).unwrap_or(u32::MAX), json_mismatch(&error)))
}

/// The cells of one line.
struct Cells<'f> {
    separators: &'f BTreeMap<&'f str, &'f str>,
    found: BTreeMap<String, String>,
    order: Vec<String>,
}

impl Cells<'_> {
    /// The cells in the order of their keys.
    fn in_order(self) -> Vec<(String, String)> {
        let Self { mut found, order, .. } = self;
        order.into_iter().filter_map(|name| found.remove(&name).map(|cell| (name, cell))).collect()
    }

    fn object(&mut self, above: &str, object: &Object<'_>, depth: usize) -> Result<(), Wrong> {
        if depth > MAX_DEPTH {
            return Err((0, format!("objects stand in objects more than {MAX_DEPTH} deep")));
        }
        for (key, value) in &object.0 {
            let name = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
            let text = value.get();
            if text.starts_with('{') {
                self.object(&name, &parse(text)?, depth + 1)?;
                continue;
            }
            let cell = if text.starts_with('[') { self.list(&name, text)? } else { plain(text)? };
            if self.found.insert(name.clone(), cell).is_some() {
                return Err((0, format!("the column `{name}` has two values")));
            }
            self.order.push(name);
        }
        Ok(())
    }

    /// The values of a list in one cell; a list of lists or objects stays as it is written.
    fn list(&self, name: &str, text: &str) -> Result<String, Wrong> {
        let values: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| (0, error.to_string()))?;
        if values.iter().any(|value| value.get().starts_with(['{', '['])) {
            return Ok(text.to_owned());
        }
        let declared = self.separators.get(name);
        let separator = declared.copied().unwrap_or(SEPARATOR);
        let mut cell = String::new();
        for value in values.iter().filter(|value| value.get() != "null") {
            let value = plain(value.get())?;
            if declared.is_some() && value.contains(separator) {
                return Err((
                    0,
                    format!("`{value}` in the list `{name}` contains the separator `{separator}`"),
                ));
            }
            if !cell.is_empty() {
                cell.push_str(separator);
            }
            cell.push_str(&value);
        }
        Ok(cell)
    }
}

/// A text, number or flag as a cell.
fn plain(text: &str) -> Result<String, Wrong> {
    match text {
        "null" => Ok(String::new()),
        _ if text.starts_with('"') => serde_json::from_str(text).map_err(|error| (0, error.to_string())),
        _ => Ok(text.to_owned()),
    }
}
