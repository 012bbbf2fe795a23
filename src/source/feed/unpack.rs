//! Tables that are packed in files: workbooks and Parquet files, which libraries unfold that may break on what
//! anybody may have written.
//!
//! What comes in: a file's bytes and all that unpacking depends on ([`Unpacking`]). What goes out: a table of text
//! with its diagnostics ([`Unpacked`]), which can be handed from one process to another; who unpacks it changes
//! nothing of it. It must not know what a column means.

use serde::{Deserialize, Serialize};

use crate::diag::Diagnostic;
use crate::model::job::{Feed, Limits, SheetRef, Table};

use super::fault::Faults;
use super::grid::Grid;
use super::packed::Packed;
use super::record::{Places, Records};
use super::{columnar, contract, sheet};

/// The codes of the diagnostics that unpacking gives.
pub const CODES: [&str; 6] = [
    "feed-cell-invalid",
    "feed-column-nested",
    "feed-empty",
    "feed-footer-row",
    "feed-row-ragged",
    "feed-unreadable",
];

/// Unpacks a file's bytes, within limits, here or in a process of its own.
pub type Unpack<'u> = dyn Fn(&Unpacking, Vec<u8>, &Limits) -> Result<Unpacked, NotUnpacked> + 'u;

/// Why nothing came of unpacking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUnpacked {
    /// What happened to the reader, as `it`.
    pub why: String,
    /// What may help.
    pub hint: &'static str,
}

/// What unpacking depends on beside the bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Unpacking {
    /// The file, for places.
    pub(super) file: String,
    table: Table,
    pub(super) sheet: Option<SheetRef>,
    pub(super) skip_lines: usize,
    pub(super) skip_footer: usize,
    /// The columns that the mapping names.
    pub(super) mapped: Vec<String>,
}

impl Unpacking {
    pub(super) fn of(feed: &Feed) -> Self {
        Self {
            file: feed.path.clone(),
            table: feed.format.table,
            sheet: feed.format.sheet.clone(),
            skip_lines: feed.format.skip_lines,
            skip_footer: feed.format.skip_footer,
            mapped: contract::mapped(feed).into_iter().map(str::to_owned).collect(),
        }
    }

    /// The file that its diagnostics are about.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The file, as a person calls it.
    pub(super) fn what(&self) -> &'static str {
        if self.table == Table::Parquet { "the Parquet file" } else { "the workbook" }
    }
}

/// A table whose cells are known.
pub(super) struct Tabled {
    /// The line of the header.
    pub(super) head: u32,
    pub(super) places: Places,
    pub(super) grid: Grid,
}

/// What came of unpacking.
pub struct Unpacked {
    table: Option<Tabled>,
    /// The sheet that was read.
    sheet: Option<String>,
    /// The first diagnostics of each code, each with how many of its code there were.
    faults: Vec<(Diagnostic, usize)>,
}

/// What goes before the cells from one process to another.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The sheet that was read.
    sheet: Option<String>,
    /// The columns of the table, the line of its header, and what its lines are.
    table: Option<(Vec<String>, u32, Places)>,
}

/// Unpacks a file's bytes, here. Linear in what they unfold to, which is bounded.
pub fn unpack(asked: &Unpacking, bytes: Vec<u8>) -> Unpacked {
    let mut faults = Faults::new(&asked.file);
    let table = match asked.table {
        Table::Parquet => columnar::table(bytes, &mut faults),
        _ => sheet::table(&bytes, asked, &mut faults),
    };
    let sheet = faults.sheet().map(|sheet| sheet.to_string());
    Unpacked { table, sheet, faults: faults.into_parts() }
}

impl Unpacked {
    /// Its diagnostics: the first ones of each code, each with how many of its code there were.
    pub fn faults(&self) -> &[(Diagnostic, usize)] {
        &self.faults
    }

    /// The rest of it as bytes, for another process.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let table = self.table.as_ref();
        let named = table.map(|table| (table.grid.columns().to_vec(), table.head, table.places));
        let mut bytes = Vec::new();
        section(&mut bytes, &serde_json::to_vec(&Head { sheet: self.sheet.clone(), table: named })?);
        if let Some(table) = table {
            let (lines, cells) = table.grid.parts();
            let (text, ends, rows) = cells.parts();
            section(&mut bytes, &numbers(lines.iter().copied()));
            section(&mut bytes, &numbers(rows));
            section(&mut bytes, &numbers(ends.iter().copied()));
            section(&mut bytes, text.as_bytes());
        }
        Ok(bytes)
    }

    /// What [`Unpacked::to_bytes`] gave, from `at` on, with its diagnostics; `None` if it makes no sense. The texts of
    /// the cells stay where they are.
    pub fn from_bytes(mut bytes: Vec<u8>, at: usize, faults: Vec<(Diagnostic, usize)>) -> Option<Self> {
        let mut rest = bytes.get(at..)?;
        let Head { sheet, table } = serde_json::from_slice(next(&mut rest)?).ok()?;
        let table = match table {
            None if rest.is_empty() => None,
            None => return None,
            Some((columns, head, places)) => {
                let lines = read_numbers(next(&mut rest)?)?;
                let rows = read_numbers(next(&mut rest)?)?;
                let ends = read_numbers(next(&mut rest)?)?;
                let length = next(&mut rest)?.len();
                if rows.len() != lines.len() || !rest.is_empty() {
                    return None;
                }
                bytes.drain(..bytes.len() - length);
                let text = String::from_utf8(std::mem::take(&mut bytes)).ok()?;
                let grid = Grid::of_parts(columns, lines, Packed::of_parts(text, ends, &rows)?);
                Some(Tabled { head, places, grid })
            }
        };
        Some(Self { table, sheet, faults })
    }

    /// The table as records; `None` if there is nothing to go on with.
    pub(super) fn records(self, faults: &mut Faults) -> Option<Records<'static>> {
        faults.take(self.faults);
        if let Some(sheet) = &self.sheet {
            faults.on_sheet(sheet);
        }
        self.table.map(|table| table.grid.records(table.head, table.places, faults.file()))
    }
}

/// Adds a part of a message, behind its length.
fn section(to: &mut Vec<u8>, part: &[u8]) {
    to.extend_from_slice(&(part.len() as u64).to_le_bytes());
    to.extend_from_slice(part);
}

/// Takes the next part of a message.
fn next<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    *bytes = rest;
    Some(part)
}

fn numbers(numbers: impl Iterator<Item = u32>) -> Vec<u8> {
    numbers.flat_map(u32::to_le_bytes).collect()
}

fn read_numbers(bytes: &[u8]) -> Option<Vec<u32>> {
    let (numbers, []) = bytes.as_chunks() else { return None };
    Some(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Unpacking {
        Unpacking {
            file: "v.xlsx".to_owned(),
            table: Table::Sheet,
            sheet: None,
            skip_lines: 0,
            skip_footer: 0,
            mapped: Vec::new(),
        }
    }

    fn unpacked() -> Unpacked {
        let mut grid = Grid::new(vec!["id".to_owned(), "naïve".to_owned()]);
        for (line, cells) in [(3, &["S1", "Ünal"][..]), (5, &["S2"]), (9, &["", "x"])] {
            grid.push(line, cells.to_vec().into()).unwrap();
        }
        let mut faults = Faults::new("v.xlsx");
        for line in 1..=12 {
            let at = crate::diag::Place::at("v.xlsx", line, 1);
            faults.push(Diagnostic::warning("feed-footer-row", at, "`skip_footer` left out a row"));
        }
        let table = Some(Tabled { head: 2, places: Places::Sheet(4), grid });
        Unpacked { table, sheet: Some("Vendors".to_owned()), faults: faults.into_parts() }
    }

    /// The cells with their places, then what is said.
    fn told(unpacked: Unpacked) -> String {
        let mut faults = Faults::new("v.xlsx");
        let records = unpacked.records(&mut faults);
        let sheet = faults.sheet();
        let rows = records.iter().flat_map(|records| {
            let row = |(at, row)| {
                let cells: Vec<_> = records.cells(at).collect();
                let place = records.place(row, 1);
                format!("{}:{} {}", place.line, place.column, cells.join("|"))
            };
            records.rows.iter().enumerate().map(row).collect::<Vec<_>>()
        });
        let columns = records.as_ref().map(|records| records.columns.join("|"));
        let mut told = vec![format!("{columns:?} of {sheet:?}")];
        told.extend(rows);
        told.extend(faults.finish().iter().skip(9).map(ToString::to_string));
        told.join("\n")
    }

    #[test]
    fn what_one_process_unpacks_another_reads() {
        let here = unpacked();
        let bytes = here.to_bytes().unwrap();
        let there = Unpacked::from_bytes(bytes, 0, here.faults().to_vec()).unwrap();
        let expected = told(here);
        assert_eq!(told(there), expected);
        assert_eq!(
            expected,
            "Some(\"id|naïve\") of Some(\"Vendors\")\n3:6 S1|Ünal\n5:6 S2\n9:6 |x\n\
             v.xlsx:10:1: warning[feed-footer-row]: `skip_footer` left out a row\n\
             v.xlsx: warning[feed-footer-row]: 2 more of the same"
        );
        let none = unpack(&asked(), b"no workbook".to_vec());
        let same = Unpacked::from_bytes(none.to_bytes().unwrap(), 0, none.faults().to_vec()).unwrap();
        assert_eq!(told(same), told(none));
    }

    /// What a process that broke down may have written is refused, or read as other cells; it breaks nobody.
    #[test]
    fn bytes_that_make_no_sense_do_no_harm() {
        let whole = unpacked().to_bytes().unwrap();
        for at in 0..whole.len() {
            assert!(Unpacked::from_bytes(whole[..at].to_vec(), 0, Vec::new()).is_none(), "cut at {at}");
            for change in [0x01, 0x55, 0xff] {
                let mut changed = whole.clone();
                changed[at] ^= change;
                if let Some(read) = Unpacked::from_bytes(changed, 0, Vec::new()) {
                    told(read);
                }
            }
        }
        assert!(Unpacked::from_bytes([whole, vec![0]].concat(), 0, Vec::new()).is_none());
    }
}
