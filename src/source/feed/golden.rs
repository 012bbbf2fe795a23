//! Golden files: tables, or JSON lines, of edges that are known to be true.
//!
//! What comes in: a file's bytes and how it is read. What goes out: rows with what each one says, or everything that
//! is wrong with the file. It must not know whom the names in it mean.

use std::collections::{BTreeMap, BTreeSet};

use super::date;
use super::fault::Faults;
use super::jsonl;
use super::record::Records;
use super::text;
use crate::diag::{Diagnostic, Place, nearest};
use crate::model::golden::{GoldenMap, GoldenRow, Told};
use crate::model::time::{Date, StatedDate};

/// The columns that may hold the edge type where nothing else is said; an export calls it `edge_type`.
const TYPES: [&str; 3] = ["type", "edge", "edge_type"];

/// What a golden file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GoldenRead {
    /// Its rows in file order.
    pub rows: Vec<GoldenRow>,
    /// The edge types that it is about, sorted: those of the map's entries, else those of the rows.
    pub types: Vec<String>,
    /// What is wrong with it; the first few of each kind.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a golden file; `edges` are the edge types that there are. Rows with an error come with diagnostics.
pub fn golden(file: &str, bytes: &[u8], map: &GoldenMap, edges: &BTreeSet<&str>) -> GoldenRead {
    let mut faults = Faults::new(file);
    let mut read = GoldenRead::default();
    if let Some(text) = text::decode(bytes, &map.format, &mut faults) {
        let lower = file.to_lowercase();
        let lines = [".jsonl", ".ndjson", ".json"].iter().any(|ending| lower.ends_with(ending));
        let table = if lines { json_lines(&text, &mut faults) } else { table(&text, map, &mut faults) };
        if let Some(table) = table {
            rows(&table, map, edges, &mut read, &mut faults);
        }
    }
    read.diagnostics = faults.finish();
    read
}

/// Rows of cells, with the line on which each begins.
struct Table {
    columns: Vec<String>,
    rows: Vec<(u32, Vec<String>)>,
}

fn table(text: &str, map: &GoldenMap, faults: &mut Faults) -> Option<Table> {
    let records = Records::of(&text::body(text, &map.format), &map.format, faults)?;
    if faults.withheld() {
        return None;
    }
    let cells = |row: usize| records.cells(row).map(str::to_owned).collect();
    let rows = records.rows.iter().enumerate().map(|(row, record)| (record.line, cells(row))).collect();
    Some(Table { columns: records.columns, rows })
}

/// One object a line, whose cells are those of a feed of such lines. Of an export of this program, the rows that are
/// edges.
fn json_lines(text: &str, faults: &mut Faults) -> Option<Table> {
    let mut lines: Vec<(u32, Vec<(String, String)>)> = Vec::new();
    let mut export = false;
    for (line, number) in text.lines().zip(1_u32..).filter(|(line, _)| !line.trim().is_empty()) {
        match jsonl::cells(line) {
            Ok(cells) => {
                let is =
                    |key: &str, value: &str| cells.iter().any(|(name, cell)| name == key && cell == value);
                export |= is("kind", "header") && is("format", "edgewright-export");
                if !export || is("kind", "edge") {
                    lines.push((number, cells));
                }
            }
            Err((column, why)) => {
                let place = Place::at(faults.file(), number, column);
                let problem = Diagnostic::error("golden-row", place, format!("not a JSON object: {why}"));
                faults.push(problem.hint("write one object a line"));
            }
        }
    }
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut columns = Vec::new();
    for (name, _) in lines.iter().flat_map(|(_, cells)| cells) {
        numbers.entry(name.clone()).or_insert_with(|| {
            columns.push(name.clone());
            columns.len() - 1
        });
    }
    let row = |cells: Vec<(String, String)>| {
        let mut row = vec![String::new(); columns.len()];
        for (name, cell) in cells {
            row[numbers[&name]] = cell;
        }
        row
    };
    let rows = lines.into_iter().map(|(line, cells)| (line, row(cells))).collect();
    Some(Table { columns, rows })
}

/// Where the columns stand that the map names, or that are meant without one.
struct Columns<'t> {
    table: &'t Table,
    missing: BTreeSet<String>,
}

impl Columns<'_> {
    fn at(&self, name: &str) -> Option<usize> {
        self.table.columns.iter().position(|column| column == name)
    }

    /// A column that must be there.
    fn must(&mut self, name: &str) -> Option<usize> {
        let at = self.at(name);
        if at.is_none() {
            self.missing.insert(name.to_owned());
        }
        at
    }

    /// A column that must be there if it is named, and may be if it is not.
    fn named(&mut self, name: Option<&String>, default: &str) -> Option<usize> {
        match name {
            Some(name) => self.must(name),
            None => self.at(default),
        }
    }

    /// The columns of a condition with the values that fit.
    fn condition<'c>(&mut self, only: &'c BTreeMap<String, Vec<String>>) -> Vec<(usize, &'c [String])> {
        only.iter().filter_map(|(name, values)| Some((self.must(name)?, values.as_slice()))).collect()
    }
}

fn fits(condition: &[(usize, &[String])], cells: &[String]) -> bool {
    condition.iter().all(|(at, values)| cells.get(*at).is_some_and(|cell| values.contains(cell)))
}

fn rows(table: &Table, map: &GoldenMap, edges: &BTreeSet<&str>, read: &mut GoldenRead, faults: &mut Faults) {
    let mut columns = Columns { table, missing: BTreeSet::new() };
    let subject = columns.must(map.subject.as_deref().unwrap_or("subject"));
    let object = columns.must(map.object.as_deref().unwrap_or("object"));
    let from = columns.named(map.valid_from.as_ref(), "valid_from");
    let to = columns.named(map.valid_to.as_ref(), "valid_to");
    let asked = columns.condition(&map.asked);
    let entries: Vec<_> =
        map.edges.iter().map(|entry| (&entry.types, columns.condition(&entry.only))).collect();
    let kind = match (&map.edge_type, entries.is_empty()) {
        (_, false) => None,
        (Some(name), true) => columns.must(name),
        (None, true) => TYPES.iter().find_map(|name| columns.at(name)).or_else(|| columns.must(TYPES[0])),
    };
    let Columns { missing, .. } = columns;
    for column in missing {
        let problem = Diagnostic::error(
            "feed-column-missing",
            Place::file(faults.file()),
            format!("there is no column `{column}`"),
        );
        let in_one =
            |delimiter: &&char| matches!(table.columns.as_slice(), [one] if one.contains(**delimiter));
        faults.push(match nearest(&column, table.columns.iter().map(String::as_str)) {
            _ if [';', '\t', '|'].iter().any(|delimiter| in_one(&delimiter)) => problem
                .hint("the header is one cell; a map says the delimiter: `format: { delimiter: \";\" }`"),
            Some(near) => problem.hint(format!("`{near}` looks like it")),
            None => {
                let all: Vec<String> = table.columns.iter().map(|name| format!("`{name}`")).collect();
                problem.hint(format!("the columns are {}; a map says which is which", all.join(", ")))
            }
        });
    }
    let (Some(subject), Some(object)) = (subject, object) else { return };
    let mut types: BTreeSet<String> = map.edges.iter().flat_map(|entry| entry.types.clone()).collect();
    for (line, cells) in &table.rows {
        let at = |column: usize| cells.get(column).map_or("", String::as_str);
        for (column, side) in [(subject, "subject"), (object, "object")] {
            if at(column).trim().is_empty() {
                let message = format!("the {side} in the column `{}` is empty", table.columns[column]);
                faults.push(wrong(faults.file(), *line, message).hint("write a key, a name or an alias"));
            }
        }
        let of_row = match kind {
            None => entries.iter().find(|(_, condition)| fits(condition, cells)).map(|(types, _)| *types),
            Some(_) => None,
        };
        let mut of_row = of_row.cloned().unwrap_or_default();
        if let Some(kind) = kind {
            let name = at(kind).trim();
            if edges.contains(name) {
                types.insert(name.to_owned());
                of_row.push(name.to_owned());
            } else {
                let hint = match nearest(name, edges.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "a map with `edges` says what each kind of row is in the graph".to_owned(),
                };
                let problem = wrong(faults.file(), *line, format!("there is no edge type `{name}`"));
                faults.push(problem.hint(hint));
            }
        }
        let mut day = |column: Option<usize>, is_end: bool| {
            let text = column.map(at);
            told(text, map, is_end).unwrap_or_else(|(why, hint)| {
                let name = column.map_or("", |column| table.columns[column].as_str());
                let problem = wrong(faults.file(), *line, format!("{why}, in the column `{name}`"));
                faults.push(problem.hint(hint));
                Told::Silent
            })
        };
        let (from, to) = (day(from, false), day(to, true));
        read.rows.push(GoldenRow {
            line: *line,
            subject: at(subject).trim().to_owned(),
            object: at(object).trim().to_owned(),
            asked: !of_row.is_empty() && fits(&asked, cells),
            types: of_row,
            from,
            to,
        });
    }
    read.types = types.into_iter().collect();
}

fn wrong(file: &str, line: u32, message: String) -> Diagnostic {
    Diagnostic::error("golden-row", Place::at(file, line, 0), message)
}

/// What a cell says of a bound. A start that is not there says nothing, since nobody can find what is unknown; an
/// end that is a value of `dates.open` says that there is none.
fn told(text: Option<&str>, map: &GoldenMap, is_end: bool) -> Result<Told, (String, &'static str)> {
    let Some(text) = text else { return Ok(Told::Silent) };
    let open = || map.dates.open.iter().any(|open| open == text);
    match date::stated(text, &map.dates)? {
        None if is_end && open() => Ok(Told::Open),
        None => Ok(Told::Silent),
        Some(stated) if is_end && map.either_end => Ok(match within(&stated, true) {
            Told::Within(_, behind) => Told::Within(stated.first, behind),
            other => other,
        }),
        Some(stated) => Ok(within(&stated, is_end && map.dates.ends_inclusive)),
    }
}

/// The days that a stated bound may be. An end that is the last day ends on the day after it.
fn within(stated: &StatedDate, last: bool) -> Told {
    let after = |day: Date| day.tomorrow().unwrap_or(day);
    match last {
        true => Told::Within(after(stated.first), after(stated.next)),
        false => Told::Within(stated.first, stated.next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_json_lines_keep_all_their_digits() {
        let lines = "{\"kind\":\"header\",\"format\":\"edgewright-export\"}\n\
                     {\"kind\":\"entity\",\"key\":\"S1\",\"nested\":{\"a\":1}}\n\
                     {\"kind\":\"edge\",\"type\":\"supplies\",\"subject\":900719925474099312345678901,\"object\":1.10}\n";
        let read = golden("g.jsonl", lines.as_bytes(), &GoldenMap::default(), &BTreeSet::from(["supplies"]));
        assert_eq!(read.diagnostics, []);
        let rows: Vec<_> =
            read.rows.iter().map(|row| (row.line, row.subject.as_str(), row.object.as_str())).collect();
        assert_eq!(rows, [(3, "900719925474099312345678901", "1.10")]);
    }
}
