//! Workbooks as documents: each sheet a heading with what stands on it, each cell as a person sees it.
//!
//! Cells that touch, also by their corners' rows and columns, are one table; a blank row or column parts two. A single
//! cell, or a row of one above a table, is a paragraph. Hidden sheets, rows and columns are read like others: what is
//! hidden is still said, and a note names the sheets. A formula that failed leaves its cell empty, and a note counts
//! them.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use calamine::{Data, Ods, Reader, SheetType, SheetVisible, Xls, Xlsb, Xlsx};

use super::{Fault, Package, properties, xml};
use crate::diag::{Diagnostic, Place};
use crate::model::document::{Block, BlockKind, Document};
use crate::model::file::{OLD_WORKBOOK, OLDER, OLE, PACKAGE, WORKBOOK, is_encrypted, what_it_is};
use crate::model::sheet::cell_text;
use crate::model::spot::{BETWEEN_CELLS, Spot};
use crate::model::token::Span;
use crate::parse::build::{Builder, one_line};
use crate::parse::table;

/// A workbook has so many cells with content at most, and an open document so many that it repeats.
const MOST_CELLS: u64 = 5_000_000;

/// The texts of a sheet's cells have so many bytes at most: a text that is kept once may be shown in many cells.
const MOST_TEXT: usize = 256 << 20;

/// Sheets are cut into tables by blank rows and columns in turn, so often at most.
const MOST_CUTS: usize = 8;

/// A header has so many rows at most: a cell that reaches down farther is one of the body.
const MOST_HEADS: usize = 3;

/// A sheet as read.
struct Sheet {
    name: String,
    hidden: bool,
    cells: Vec<Cell>,
    /// How many bytes of text they have.
    size: usize,
    /// Where formulas failed.
    failed: Vec<(u32, u32)>,
}

/// A cell with content. Rows and columns count from 1; the last ones are those that it is merged with.
#[derive(Debug, Clone)]
struct Cell {
    row: u32,
    column: u32,
    last_row: u32,
    last_column: u32,
    text: String,
}

/// Reads a workbook of any kind that its bytes say.
pub(in crate::parse) fn read(file: &str, bytes: &[u8]) -> Result<(Document, Vec<Diagnostic>), Fault> {
    let mut builder = Builder::default();
    let sheets = if bytes.starts_with(OLE) {
        if is_encrypted(bytes) {
            return Err(Fault::Password);
        }
        match what_it_is(bytes) {
            OLDER | OLD_WORKBOOK => guarded(|| old(bytes))?,
            what => return Err(Fault::Other(what)),
        }
    } else {
        let mut package = Package::open(bytes)?;
        let is_open = package.has("content.xml");
        let is_binary = package.has("xl/workbook.bin");
        let what = what_it_is(bytes);
        if ![WORKBOOK, PACKAGE].contains(&what) {
            return Err(Fault::Other(what));
        }
        if is_open {
            let Some(content) = package.text("content.xml")? else {
                return Err(Fault::Other(what_it_is(bytes)));
            };
            repeats(&content)?;
        } else {
            properties::write(&mut builder, &properties::read(&mut package)?);
        }
        package.inflate_all()?;
        guarded(|| {
            if is_open {
                open(bytes)
            } else if is_binary {
                binary(bytes)
            } else {
                usual(bytes)
            }
        })?
    };
    let mut diagnostics = Vec::new();
    for sheet in sheets {
        notes(file, &sheet, &mut diagnostics);
        write(&mut builder, sheet);
    }
    Ok((builder.finish(), diagnostics))
}

/// A panic of the reader is a fault of the file.
fn guarded(read: impl FnOnce() -> Result<Vec<Sheet>, Fault>) -> Result<Vec<Sheet>, Fault> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Fault::Damaged("its reader does not stand what is in it".to_owned())))
}

fn damaged(error: impl std::fmt::Display) -> Fault {
    Fault::Damaged(error.to_string())
}

fn usual(bytes: &[u8]) -> Result<Vec<Sheet>, Fault> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut sheets = Vec::new();
    for mut sheet in named(&book) {
        let mut reader = book.worksheet_cells_reader(&sheet.name).map_err(damaged)?;
        let percent: Vec<bool> = reader
            .styles()
            .iter()
            .map(|style| style.number_format.as_ref().is_some_and(|format| format.format_code.contains('%')))
            .collect();
        while let Some((cell, style)) = reader.next_cell_with_style_id().map_err(damaged)? {
            let value: Data = cell.get_value().clone().into();
            sheet.add(cell.get_position(), &value, percent.get(style).copied().unwrap_or(false))?;
        }
        drop(reader);
        let merged = book.merge_cells_by_sheet_name(&sheet.name).map_err(damaged)?;
        sheet.merge(merged.iter().map(|one| (one.start, one.end)));
        sheets.push(sheet);
    }
    Ok(sheets)
}

fn binary(bytes: &[u8]) -> Result<Vec<Sheet>, Fault> {
    let mut book: Xlsb<_> = Xlsb::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut sheets = Vec::new();
    for mut sheet in named(&book) {
        let mut reader = book.worksheet_cells_reader(&sheet.name).map_err(damaged)?;
        while let Some(cell) = reader.next_cell().map_err(damaged)? {
            let value: Data = cell.get_value().clone().into();
            sheet.add(cell.get_position(), &value, false)?;
        }
        sheets.push(sheet);
    }
    Ok(sheets)
}

fn old(bytes: &[u8]) -> Result<Vec<Sheet>, Fault> {
    let book: Xls<_> = Xls::new(Cursor::new(bytes)).map_err(damaged)?;
    whole(book)
}

fn open(bytes: &[u8]) -> Result<Vec<Sheet>, Fault> {
    let book: Ods<_> = Ods::new(Cursor::new(bytes)).map_err(damaged)?;
    whole(book)
}

/// Takes the cells of a workbook whose reader holds a sheet as a whole.
fn whole<'b, B: Reader<Cursor<&'b [u8]>>>(mut book: B) -> Result<Vec<Sheet>, Fault>
where
    B::Error: std::fmt::Display,
{
    let mut sheets = Vec::new();
    for mut sheet in named(&book) {
        let range = book.worksheet_range(&sheet.name).map_err(damaged)?;
        let (top, left) = range.start().unwrap_or_default();
        for (row, cells) in (top..).zip(range.rows()) {
            for (column, cell) in (left..).zip(cells) {
                sheet.add((row, column), cell, false)?;
            }
        }
        sheets.push(sheet);
    }
    Ok(sheets)
}

/// The sheets of a workbook, as yet without cells.
fn named<'b, B: Reader<Cursor<&'b [u8]>>>(book: &B) -> Vec<Sheet> {
    let sheet = |one: &calamine::Sheet| Sheet {
        name: one.name.clone(),
        hidden: one.visible != SheetVisible::Visible,
        cells: Vec::new(),
        size: 0,
        failed: Vec::new(),
    };
    // A chart alone on a sheet has no cells.
    let sheets = book.sheets_metadata().iter().filter(|one| one.typ == SheetType::WorkSheet);
    sheets.map(sheet).collect()
}

impl Sheet {
    fn add(&mut self, (row, column): (u32, u32), value: &Data, is_percent: bool) -> Result<(), Fault> {
        let (row, column) = (row.saturating_add(1), column.saturating_add(1));
        let text = match value {
            Data::Float(number) if is_percent => {
                cell_text(&Data::Float(number * 100.0)).map(|text| text + "%")
            }
            value => cell_text(value),
        };
        let Ok(text) = text else {
            self.failed.push((row, column));
            return Ok(());
        };
        let text = one_line(&text);
        if text.is_empty() {
            return Ok(());
        }
        self.size += text.len();
        if self.cells.len() as u64 >= MOST_CELLS || self.size > MOST_TEXT {
            let message =
                format!("the sheet `{}` has more than {MOST_CELLS} cells or {MOST_TEXT} bytes", self.name);
            return Err(Fault::Bomb(message));
        }
        self.cells.push(Cell { row, column, last_row: row, last_column: column, text });
        Ok(())
    }

    /// Makes cells as large as what they are merged with. Rows and columns count from 0.
    fn merge(&mut self, merged: impl Iterator<Item = ((u32, u32), (u32, u32))>) {
        let merged: std::collections::BTreeMap<_, _> = merged.collect();
        for cell in &mut self.cells {
            if let Some((row, column)) = merged.get(&(cell.row - 1, cell.column - 1)) {
                cell.last_row = cell.last_row.max(row.saturating_add(1));
                cell.last_column = cell.last_column.max(column.saturating_add(1));
            }
        }
    }
}

fn notes(file: &str, sheet: &Sheet, diagnostics: &mut Vec<Diagnostic>) {
    let at = |row, column| {
        let spot = Spot::Cell { sheet: sheet.name.as_str().into(), row, column };
        Place::in_file(file, spot)
    };
    if sheet.hidden && !sheet.cells.is_empty() {
        let message = format!("the sheet `{}` is hidden and was read like the others", sheet.name);
        let note = Diagnostic::note("parse-hidden-sheet", at(1, 1), message);
        diagnostics.push(note.hint("take the sheet out of the workbook if nobody is to rely on it"));
    }
    if let Some((row, column)) = sheet.failed.first() {
        let message = match sheet.failed.len() {
            1 => "the cell holds an error and no value; it counts as empty".to_owned(),
            count => format!("{count} cells of the sheet hold an error and no value; they count as empty"),
        };
        let note = Diagnostic::note("parse-cell", at(*row, *column), message);
        diagnostics.push(note.hint("mend the formula, or empty the cell"));
    }
}

/// Writes a sheet: its name as a heading, then its tables from top to bottom and left to right.
fn write(builder: &mut Builder, sheet: Sheet) {
    if sheet.cells.is_empty() {
        return;
    }
    let name: Arc<str> = sheet.name.as_str().into();
    let first = sheet.cells.iter().map(|cell| (cell.row, cell.column)).min().unwrap_or((1, 1));
    builder.begin(false);
    builder.push_at(&one_line(&sheet.name), &spot(&name, first));
    builder.end(BlockKind::Heading(1));
    let mut regions = Vec::new();
    cut(sheet.cells, MOST_CUTS, true, false, &mut regions);
    for region in regions {
        write_region(builder, &name, region);
    }
}

fn spot(sheet: &Arc<str>, (row, column): (u32, u32)) -> Spot {
    Spot::Cell { sheet: sheet.clone(), row, column }
}

/// Cuts cells at blank rows or columns, in turn, until neither parts them.
fn cut(mut cells: Vec<Cell>, left: usize, by_rows: bool, was_whole: bool, regions: &mut Vec<Vec<Cell>>) {
    let first = |cell: &Cell| if by_rows { cell.row } else { cell.column };
    let last = |cell: &Cell| if by_rows { cell.last_row } else { cell.last_column };
    cells.sort_by_key(|cell| (first(cell), cell.row, cell.column));
    let mut groups: Vec<Vec<Cell>> = Vec::new();
    let mut reach = 0_u32;
    for cell in cells {
        let end = last(&cell);
        match groups.last_mut() {
            Some(group) if first(&cell) <= reach + 1 => {
                reach = reach.max(end);
                group.push(cell);
            }
            _ => {
                reach = end;
                groups.push(vec![cell]);
            }
        }
    }
    if !by_rows {
        groups = with_labels(groups);
    }
    let is_whole = groups.len() == 1;
    for group in groups {
        if left == 0 || (is_whole && was_whole) {
            regions.push(group);
        } else {
            cut(group, left - 1, !by_rows, is_whole, regions);
        }
    }
}

/// Joins a single column to the columns behind it, or else before it, if it stands in the same rows: numbers or labels
/// of lines with a blank column between are no table of their own.
fn with_labels(groups: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
    let is_column =
        |group: &[Cell]| group.iter().all(|cell| Some(cell.column) == group.first().map(|one| one.column));
    let rows = |group: &[Cell]| -> BTreeSet<u32> { group.iter().map(|cell| cell.row).collect() };
    let mut joined: Vec<Vec<Cell>> = Vec::new();
    for group in groups {
        match joined.last_mut() {
            Some(before) if is_column(before) || is_column(&group) => {
                let (one, other) = (rows(before), rows(&group));
                if one.intersection(&other).count() * 2 >= one.len().min(other.len()) {
                    before.extend(group);
                } else {
                    joined.push(group);
                }
            }
            _ => joined.push(group),
        }
    }
    joined
}

/// Writes cells that belong together.
fn write_region(builder: &mut Builder, sheet: &Arc<str>, mut cells: Vec<Cell>) {
    cells.sort_by_key(|cell| (cell.row, cell.column));
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for cell in cells {
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|first| first.row == cell.row) => row.push(cell),
            _ => rows.push(vec![cell]),
        }
    }
    // A row of one cell above wider ones is the table's title.
    let titles = rows.iter().take_while(|row| row.len() == 1).count();
    let is_list = titles == rows.len() || rows.len() - titles == 1;
    let body = rows.split_off(if is_list { rows.len() } else { titles });
    for row in rows {
        builder.begin(false);
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                builder.push_blank(BETWEEN_CELLS);
            }
            builder.push_at(&cell.text, &spot(sheet, (cell.row, cell.column)));
        }
        builder.end(BlockKind::Paragraph);
    }
    if !body.is_empty() {
        write_table(builder, sheet, &body);
    }
}

fn write_table(builder: &mut Builder, sheet: &Arc<str>, rows: &[Vec<Cell>]) {
    let mut columns: Vec<u32> = rows.iter().flatten().map(|cell| cell.column).collect();
    columns.sort_unstable();
    columns.dedup();
    builder.begin(false);
    let start = builder.len();
    let mut written: Vec<Vec<Span>> = Vec::new();
    for row in rows {
        if !written.is_empty() {
            builder.push_blank("\n");
        }
        let mut cells = row.iter().peekable();
        let mut spans = Vec::with_capacity(columns.len());
        for column in &columns {
            if !spans.is_empty() {
                builder.push_blank(BETWEEN_CELLS);
            }
            let at = builder.len();
            if let Some(cell) = cells.next_if(|cell| cell.column == *column) {
                builder.push_at(&cell.text, &spot(sheet, (cell.row, cell.column)));
            }
            spans.push(Span::new(at, builder.len()));
        }
        written.push(spans);
    }
    let end = builder.len();
    // Cells that reach down from the first row say how many rows the header has.
    let first = rows.first().map_or(&[][..], Vec::as_slice);
    let reach = first.iter().map(|cell| cell.last_row).max().unwrap_or(0);
    let heads = rows.iter().take_while(|row| row.first().is_some_and(|cell| cell.row <= reach)).count();
    let heads = if (2..=MOST_HEADS).contains(&heads) { heads } else { 0 };
    let table = table::structured(builder.text(), written, heads, start);
    builder.end_as([Block { span: Span::new(start, end), kind: BlockKind::Table(table) }]);
}

/// Refuses an open document whose cells, repeated as it says, are more than a sheet holds: its reader makes them all.
fn repeats(content: &str) -> Result<(), Fault> {
    let (mut rows, mut columns, mut widest, mut height, mut area) = (1_u64, 0_u64, 0_u64, 0_u64, 0_u64);
    let mut has_content = false;
    let mut repeated = 1_u64;
    let walked = xml::walk(content, &mut |node| {
        match node {
            xml::Node::Open(tag) => match tag.local() {
                "table" => (widest, height) = (0, 0),
                "table-row" => {
                    rows = tag.number("number-rows-repeated").unwrap_or(1);
                    (columns, has_content) = (0, false);
                }
                "table-cell" | "covered-table-cell" => {
                    repeated = tag.number("number-columns-repeated").unwrap_or(1);
                    columns = columns.saturating_add(repeated);
                    if tag.value("value-type").is_some() {
                        has_content = true;
                        widest = widest.max(columns);
                    }
                }
                "p" => {
                    has_content = true;
                    widest = widest.max(columns);
                }
                _ => {}
            },
            xml::Node::Close(name) => match name.rsplit(':').next() {
                Some("table-row") => {
                    // Blank rows below the last one with content are not made.
                    height = if has_content {
                        height.saturating_add(rows)
                    } else {
                        height.saturating_add(rows.min(65_536))
                    };
                }
                Some("table") => area = area.saturating_add(widest.saturating_mul(height)),
                _ => {}
            },
            xml::Node::Text(_) => {}
        }
        Ok(())
    });
    walked.map_err(|why| Fault::Damaged(format!("`content.xml`: {why}")))?;
    if area > 8 * MOST_CELLS {
        return Err(Fault::Bomb(format!("its sheets have {area} cells, repeated ones counted")));
    }
    Ok(())
}
