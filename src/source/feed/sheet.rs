//! Sheets of workbooks: `.xlsx`, `.xls`, `.xlsb` and `.ods`, told apart by their bytes.
//!
//! What comes in: a file's bytes and which sheet is meant. What goes out: a table, whose lines and columns are the
//! rows and columns of the sheet. Cells are text as a person sees it; a cell in which a formula failed is a fault if
//! the mapping names its column. It must not know what a column means beyond that.
//!
//! The files come from anywhere: what they inflate to is counted before they are read, rows are taken one by one
//! where the format allows it, and a panic of the reader is a fault of the file.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{Data, Ods, Reader, Xls, Xlsb, Xlsx};

use crate::diag::{Diagnostic, Place, nearest};
use crate::model::file::{
    EMPTY, OLD_WORKBOOK, OLDER, OLE, PACKAGE, TEXT, UNKNOWN, WORKBOOK, is_encrypted, what_it_is,
};
use crate::model::job::SheetRef;
use crate::model::sheet::{cell_name, cell_text};

use super::fault::Faults;
use super::grid::{Grid, MAX_TEXT};
use super::inflate::{inflates, repeats};
use super::record::Places;
use super::unpack::{Tabled, Unpacking};

/// How many columns a sheet has at most.
pub(super) const MAX_COLUMNS: u64 = 16_384;

/// The rows of a sheet.
pub(super) const MAX_ROWS: u32 = 1_048_576;

/// The text of one row, in bytes: a text that is kept once may be shown in many cells.
const MAX_ROW_TEXT: usize = 32 * 1024 * 1024;
/// How many cells may be at fault, and how much of what such a cell says is shown, in characters.
const MAX_FAILED: usize = 10_000;
const SHOWN: usize = 100;

/// Why there are no rows: a message and a hint.
pub(super) type Refused = (String, &'static str);

const DAMAGED: &str = "open it with a spreadsheet program; a file cut short is a broken transfer";

/// Reads a sheet. `None` if there is nothing to go on with.
pub(super) fn table(bytes: &[u8], asked: &Unpacking, faults: &mut Faults) -> Option<Tabled> {
    let read = catch_unwind(AssertUnwindSafe(|| read(bytes, asked, faults)));
    let refused = match read {
        Ok(Ok(table)) => return table,
        Ok(Err(refused)) => refused,
        Err(_) => ("the workbook is damaged in a way that its reader does not stand".to_owned(), DAMAGED),
    };
    let diagnostic = Diagnostic::error("feed-unreadable", Place::file(faults.file()), refused.0);
    faults.push(diagnostic.hint(refused.1));
    None
}

fn read(bytes: &[u8], asked: &Unpacking, faults: &mut Faults) -> Result<Option<Tabled>, Refused> {
    let source = Cursor::new(bytes);
    let mut sheet = Sheet::new(asked);
    let what = what_it_is(bytes);
    let is_read = [WORKBOOK, OLD_WORKBOOK, PACKAGE, OLDER].contains(&what);
    if !is_read && !bytes.starts_with(OLE) {
        return Err(no_workbook(what));
    }
    if bytes.starts_with(b"PK") {
        let parts = inflates(bytes)?;
        if parts.iter().any(|part| part == "xl/workbook.bin") {
            let mut book: Xlsb<_> = Xlsb::new(source).map_err(damaged)?;
            let name = chosen(&book.sheet_names(), asked)?;
            let mut cells = book.worksheet_cells_reader(&name).map_err(damaged)?;
            while let Some(cell) = cells.next_cell().map_err(damaged)? {
                let (row, column) = cell.get_position();
                sheet.cell(row, column, &cell.get_value().clone().into())?;
            }
            faults.on_sheet(&name);
        } else if parts.iter().any(|part| part == "content.xml") {
            repeats(bytes)?;
            let book: Ods<_> = Ods::new(source).map_err(damaged)?;
            whole(book, asked, &mut sheet, faults)?;
        } else {
            let mut book: Xlsx<_> = Xlsx::new(source).map_err(damaged)?;
            let name = chosen(&book.sheet_names(), asked)?;
            let mut cells = book.worksheet_cells_reader(&name).map_err(damaged)?;
            while let Some(cell) = cells.next_cell().map_err(damaged)? {
                let (row, column) = cell.get_position();
                sheet.cell(row, column, &cell.get_value().clone().into())?;
            }
            faults.on_sheet(&name);
        }
    } else {
        if is_encrypted(bytes) {
            let hint = "save it without a password, or export the sheet as CSV";
            return Err(("the workbook is encrypted with a password".to_owned(), hint));
        }
        if !is_read {
            return Err(no_workbook(what));
        }
        let book: Xls<_> = Xls::new(source).map_err(damaged)?;
        whole(book, asked, &mut sheet, faults)?;
    }
    sheet.finish(faults)
}

/// What is said of a file that is something else.
fn no_workbook(what: &str) -> Refused {
    match what {
        EMPTY => ("the file is empty".to_owned(), "check whether the export ran"),
        TEXT | UNKNOWN => (
            "the file is no workbook of any kind that is known".to_owned(),
            "if it is text, say `format: { kind: csv }`",
        ),
        what => (
            format!("the file is no workbook, but {what}"),
            "name the file that holds the table in `path`, or save the table as a workbook or as CSV",
        ),
    }
}

pub(super) fn damaged(error: impl std::fmt::Display) -> Refused {
    (format!("the workbook cannot be read: {error}"), DAMAGED)
}

/// The sheet that is meant.
fn chosen(names: &[String], asked: &Unpacking) -> Result<String, Refused> {
    let hint = "name one as `format: { sheet: … }`";
    let found = match &asked.sheet {
        None => names.first(),
        Some(SheetRef::At(at)) => names.get(at.saturating_sub(1)),
        Some(SheetRef::Named(name)) => names.iter().find(|known| *known == name),
    };
    let known = || names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    found.cloned().ok_or_else(|| match &asked.sheet {
        Some(SheetRef::Named(name)) => {
            let near = nearest(name, names.iter().map(String::as_str));
            let more = near
                .map_or_else(|| format!("there are {}", known()), |near| format!("did you mean `{near}`?"));
            (format!("there is no sheet `{name}`; {more}"), hint)
        }
        Some(SheetRef::At(at)) => (format!("there is no sheet {at}; there are {}", known()), hint),
        None => ("the workbook has no sheets".to_owned(), hint),
    })
}

/// Takes the cells of a workbook whose reader holds a sheet as a whole.
fn whole<'b, B: Reader<Cursor<&'b [u8]>>>(
    mut book: B,
    asked: &Unpacking,
    sheet: &mut Sheet,
    faults: &mut Faults,
) -> Result<(), Refused>
where
    B::Error: std::fmt::Display,
{
    let name = chosen(&book.sheet_names(), asked)?;
    let range = book.worksheet_range(&name).map_err(damaged)?;
    let (top, left) = range.start().unwrap_or_default();
    for (row, cells) in (top..).zip(range.rows()) {
        for (column, cell) in (left..).zip(cells) {
            sheet.cell(row, column, cell)?;
        }
    }
    faults.on_sheet(&name);
    Ok(())
}

/// A fault of a cell, said once it is known that its row is none of the footer's.
struct Failed {
    row: u32,
    column: u32,
    code: Code,
}

enum Code {
    /// What a formula left there, or why the value cannot be said.
    Cell(String),
    /// A cell beside the table.
    Beside(String),
}

/// A sheet as its cells come, row by row.
struct Sheet {
    /// The rows above the header.
    skip: u32,
    footer: u32,
    mapped: Vec<String>,
    /// The row of which cells are coming.
    row: u32,
    cells: Vec<(u32, Result<String, String>)>,
    /// The bytes of text of this row, and of all so far.
    row_text: usize,
    text: usize,
    /// The header's row and first column.
    header: Option<(u32, u32)>,
    grid: Grid,
    failed: Vec<Failed>,
    last: u32,
}

impl Sheet {
    fn new(asked: &Unpacking) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            skip: count(asked.skip_lines),
            footer: count(asked.skip_footer),
            mapped: asked.mapped.clone(),
            row: 0,
            cells: Vec::new(),
            row_text: 0,
            text: 0,
            header: None,
            grid: Grid::new(Vec::new()),
            failed: Vec::new(),
            last: 0,
        }
    }

    /// Takes a cell; rows and columns are counted from 0.
    fn cell(&mut self, row: u32, column: u32, cell: &Data) -> Result<(), Refused> {
        if u64::from(column) >= MAX_COLUMNS || row >= MAX_ROWS {
            return Err(("a cell stands where no sheet has one".to_owned(), DAMAGED));
        }
        if row < self.skip {
            return Ok(());
        }
        if row != self.row {
            self.end_row()?;
            if row < self.row {
                return Err(("the rows of the sheet are not in order".to_owned(), DAMAGED));
            }
            self.row = row;
        }
        let text = cell_text(cell);
        if text.as_ref().is_ok_and(String::is_empty) {
            return Ok(());
        }
        if self.cells.last().is_some_and(|(before, _)| *before >= column) {
            return Err(("the cells of a row are not in order".to_owned(), DAMAGED));
        }
        let bytes = text.as_ref().unwrap_or_else(|error| error).len();
        self.row_text += bytes;
        self.text += bytes;
        if self.row_text > MAX_ROW_TEXT || self.text > MAX_TEXT {
            let message = format!(
                "row {} holds more than {MAX_ROW_TEXT} bytes of text, or the rows up to it more than {MAX_TEXT}",
                row.saturating_add(1)
            );
            return Err((message, "split the sheet, or clear the cells beside the table"));
        }
        self.cells.push((column, text));
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), Refused> {
        let cells = std::mem::take(&mut self.cells);
        self.row_text = 0;
        let (Some((first, _)), Some((end, _))) = (cells.first(), cells.last()) else { return Ok(()) };
        let (row, first, end) = (self.row, *first, *end);
        self.last = row;
        let text = |cell: Result<String, String>| cell.unwrap_or_else(|error| error);
        let Some((_, left)) = self.header else {
            let mut names = vec![String::new(); (end - first + 1) as usize];
            for (column, cell) in cells {
                names[(column - first) as usize] = text(cell);
            }
            self.grid = Grid::new(names);
            self.header = Some((row, first));
            return Ok(());
        };
        let width = u32::try_from(self.grid.width()).unwrap_or(u32::MAX);
        let mut record = csv::StringRecord::new();
        for (column, cell) in cells {
            let Some(at) = column.checked_sub(left).filter(|at| *at < width) else {
                self.fail(row, column, Code::Beside(shown(&text(cell))))?;
                continue;
            };
            let name = &self.grid.columns()[at as usize];
            if let (Err(error), true) = (&cell, self.mapped.contains(name)) {
                self.fail(row, column, Code::Cell(shown(error)))?;
            }
            while record.len() < at as usize {
                record.push_field("");
            }
            record.push_field(&text(cell));
        }
        let pushed = self.grid.push(row.saturating_add(1), record);
        pushed.map_err(|why| (why, "split it, or export it as CSV"))
    }

    /// Remembers a cell that is at fault.
    fn fail(&mut self, row: u32, column: u32, code: Code) -> Result<(), Refused> {
        self.failed.push(Failed { row, column, code });
        if self.failed.len() <= MAX_FAILED {
            return Ok(());
        }
        let first =
            self.failed.first().map(|one| cell_name(one.row.saturating_add(1), one.column.saturating_add(1)));
        let message = format!(
            "more than {MAX_FAILED} cells stand under no header or hold no value, the first of them {}",
            first.unwrap_or_default()
        );
        Err((message, "clear the cells beside the table and correct its formulas, or export it as CSV"))
    }

    fn finish(mut self, faults: &mut Faults) -> Result<Option<Tabled>, Refused> {
        self.end_row()?;
        let Some((head, left)) = self.header else {
            let at = Place::file(faults.file());
            let diagnostic = Diagnostic::error("feed-empty", at, "the sheet has no header");
            faults.push(diagnostic.hint("check `sheet` and `skip_lines`, and whether the export ran"));
            return Ok(None);
        };
        // Rows are counted from 1 from here on.
        let end = self.last.saturating_sub(self.footer).max(head).saturating_add(1);
        for Failed { row, column, code } in self.failed {
            let at = Place::at(faults.file(), row.saturating_add(1), column.saturating_add(1));
            if at.line > end {
                continue;
            }
            faults.push(match code {
                Code::Cell(error) => {
                    Diagnostic::error("feed-cell-invalid", at, format!("the cell holds no value: {error}"))
                        .hint("correct the formula or the value in the workbook")
                }
                Code::Beside(text) => Diagnostic::error(
                    "feed-row-ragged",
                    at,
                    format!("`{text}` stands beside the table, under no header"),
                )
                .hint("give its column a header, or clear the cell"),
            });
        }
        let cut = self.grid.cut(end);
        check_footer(&cut, &self.grid, end, faults);
        let head = head.saturating_add(1);
        Ok(Some(Tabled { head, places: Places::Sheet(left), grid: self.grid }))
    }
}

/// The start of what a cell says.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// If a footer is written no more, `skip_footer` would cut off rows without a word. A row that has as many cells
/// filled as any other may be one.
fn check_footer(cut: &[(u32, Vec<String>)], grid: &Grid, last: u32, faults: &mut Faults) {
    let filled = |row: &[String]| row.iter().filter(|cell| !cell.is_empty()).count();
    let Some(least) = grid.rows().map(|row| row.filter(|cell| !cell.is_empty()).count()).min() else {
        return;
    };
    for (line, row) in cut.iter().filter(|(_, row)| filled(row) >= least && filled(row) > 1) {
        let shown = row.join(", ");
        let message = format!("`skip_footer` left out row {line}, which looks like a row: `{shown}`");
        let diagnostic = Diagnostic::warning("feed-footer-row", Place::at(faults.file(), last, 0), message);
        faults.push(diagnostic.hint("set `skip_footer` to the number of rows that follow the last one"));
    }
}
