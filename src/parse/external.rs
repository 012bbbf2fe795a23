//! What a program of the user's makes of a document: blocks of text with their places, a JSON object a line.
//!
//! The contract is `docs/external.md`. In comes the program's output; out come the document, and everything that is
//! wrong with the output at once.

use serde::Deserialize;

use super::build::Builder;
use super::{field, outline, title, too_many_characters};
use crate::diag::{Diagnostic, Place, count, json_fault, json_mismatch};
use crate::model::document::{Block, BlockKind, Document, Table};
use crate::model::job::Limits;
use crate::model::spot::{BETWEEN_CELLS, Spot};
use crate::model::token::Span;

/// How many faults of an output are named one by one.
const NAMED: usize = 20;

/// The deepest heading and list.
const DEEPEST: u8 = 6;

/// One line of the output.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Piece {
    Title {
        text: String,
    },
    Field {
        name: String,
        value: String,
        at: Option<Spot>,
    },
    Heading {
        level: u8,
        text: String,
        at: Option<Spot>,
    },
    Paragraph {
        text: String,
        at: Option<Spot>,
    },
    Item {
        text: String,
        #[serde(default)]
        depth: u8,
        #[serde(default)]
        label: String,
        at: Option<Spot>,
    },
    Table {
        #[serde(default)]
        header: Vec<String>,
        rows: Vec<Vec<String>>,
        at: Option<Spot>,
    },
    Quote {
        text: String,
        at: Option<Spot>,
    },
    Code {
        text: String,
        at: Option<Spot>,
    },
}

/// Reads the output of a program for a file. `None` if anything is wrong with it.
pub fn from_output(file: &str, output: &[u8], limits: &Limits) -> (Option<Document>, Vec<Diagnostic>) {
    let Ok(output) = std::str::from_utf8(output) else {
        return (None, vec![wrong(file, "what its parser wrote is not UTF-8".to_owned())]);
    };
    let mut faults = Vec::new();
    let mut builder = Builder::default();
    let mut writer = Writer { builder: &mut builder, spot: Spot::Line(1), body: false, fields: false };
    for (number, line) in (1_u64..).zip(output.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let mut wrong = |why: String| faults.push(format!("line {number} of what its parser wrote: {why}"));
        match serde_json::from_str::<Piece>(line) {
            Ok(piece) => {
                if let Err(why) = writer.write(piece) {
                    wrong(why);
                }
            }
            Err(error) if error.is_data() => wrong(json_mismatch(&error)),
            Err(error) => wrong(json_fault(&error)),
        }
    }
    writer.end_fields();
    let mut document = builder.finish();
    if faults.is_empty() && document.text.is_empty() {
        faults.push("its parser found no text".to_owned());
    }
    if let Some(too_large) = too_many_characters(file, &document.text, limits) {
        return (None, vec![too_large]);
    }
    let pages = document
        .marks
        .iter()
        .filter_map(|(_, spot)| if let Spot::Page(page) = spot { Some(*page) } else { None });
    if let Some(most) = pages.max().filter(|most| u64::from(*most) > limits.pages) {
        let message = format!("it has {most} pages, and {} are allowed: it stays as it was", limits.pages);
        let hint = "raise `limits: { pages: … }` of the source, or leave the file out with `exclude`";
        return (None, vec![Diagnostic::error("parse-too-large", Place::file(file), message).hint(hint)]);
    }
    if !faults.is_empty() {
        let more = faults.len().saturating_sub(NAMED);
        faults.truncate(NAMED);
        if more > 0 {
            faults.push(format!("and {more} more faults of what its parser wrote"));
        }
        return (None, faults.into_iter().map(|fault| wrong(file, fault)).collect());
    }
    field::lift(&mut document);
    outline::refine(&mut document);
    document.title = title(&document);
    "UTF-8".clone_into(&mut document.encoding);
    (Some(document), Vec::new())
}

fn wrong(file: &str, message: String) -> Diagnostic {
    let hint = "mend the program that `parser` names; `docs/external.md` has what it is to write";
    Diagnostic::error("parse-output", Place::file(file), message).hint(hint)
}

struct Writer<'b> {
    builder: &'b mut Builder,
    /// Where the last piece stood: one without a place stands there too.
    spot: Spot,
    /// True once there was a block.
    body: bool,
    /// True while the block of fields is open.
    fields: bool,
}

impl Writer<'_> {
    /// Writes a piece, or says what is wrong with it.
    fn write(&mut self, piece: Piece) -> Result<(), String> {
        match piece {
            Piece::Title { text } => {
                self.builder.title(super::build::one_line(&text));
                Ok(())
            }
            Piece::Field { name, value, at } => self.field(&name, &value, at),
            Piece::Heading { level, .. } if !(1..=DEEPEST).contains(&level) => {
                Err(format!("a heading has a level from 1 to {DEEPEST}, not {level}"))
            }
            Piece::Heading { level, text, at } => self.block(&text, at, BlockKind::Heading(level)),
            Piece::Paragraph { text, at } => self.block(&text, at, BlockKind::Paragraph),
            Piece::Item { depth, .. } if depth > DEEPEST => {
                Err(format!("an item has a depth from 0 to {DEEPEST}, not {depth}"))
            }
            Piece::Item { text, depth, label, at } => self.block(&text, at, BlockKind::Item { depth, label }),
            Piece::Quote { text, at } => self.block(&text, at, BlockKind::Quote),
            Piece::Code { text, at } => self.block(&text, at, BlockKind::Code),
            Piece::Table { header, rows, at } => self.table(&header, &rows, at),
        }
    }

    fn go_to(&mut self, at: Option<Spot>) {
        if let Some(at) = at {
            self.spot = at;
        }
    }

    fn field(&mut self, name: &str, value: &str, at: Option<Spot>) -> Result<(), String> {
        if self.body {
            return Err("a field stands before all text".to_owned());
        }
        let (name, value) = (super::build::one_line(name), super::build::one_line(value));
        if name.is_empty() || value.is_empty() {
            return Err("a field has a name and a value".to_owned());
        }
        self.go_to(at);
        if !std::mem::replace(&mut self.fields, true) {
            self.builder.begin(false);
        }
        self.builder.push_at(&format!("{name}: "), &self.spot);
        let start = self.builder.len();
        self.builder.push_at(&value, &self.spot);
        self.builder.field(&name, (start..self.builder.len()).into());
        self.builder.push_at("\n", &self.spot);
        Ok(())
    }

    fn end_fields(&mut self) {
        if std::mem::take(&mut self.fields) {
            self.builder.end(BlockKind::Paragraph);
        }
    }

    fn block(&mut self, text: &str, at: Option<Spot>, kind: BlockKind) -> Result<(), String> {
        if text.trim().is_empty() {
            return Err("its text is empty".to_owned());
        }
        self.end_fields();
        self.body = true;
        self.go_to(at);
        self.builder.begin(false);
        self.builder.push_at(text.trim(), &self.spot);
        self.builder.end(kind);
        Ok(())
    }

    fn table(&mut self, header: &[String], rows: &[Vec<String>], at: Option<Spot>) -> Result<(), String> {
        let columns = if header.is_empty() { rows.first().map_or(0, Vec::len) } else { header.len() };
        if columns == 0 || rows.is_empty() {
            return Err("a table has a row and a column at least".to_owned());
        }
        if let Some(row) = rows.iter().position(|row| row.len() != columns) {
            let cells = count(rows[row].len(), "cell");
            return Err(format!("row {} of the table has {cells}, not {columns}", row + 1));
        }
        self.end_fields();
        self.body = true;
        self.go_to(at);
        self.builder.begin(false);
        let start = self.builder.len();
        let mut table = Table { header: vec![Span::new(start, start); columns], rows: Vec::new() };
        if !header.is_empty() {
            table.header = self.row(header);
        }
        for (at, row) in rows.iter().enumerate() {
            if at > 0 || !header.is_empty() {
                self.builder.push_at("\n", &self.spot);
            }
            let cells = self.row(row);
            table.rows.push(cells);
        }
        let span = Span::new(start, self.builder.len());
        self.builder.end_as([Block { span, kind: BlockKind::Table(table) }]);
        Ok(())
    }

    fn row(&mut self, cells: &[String]) -> Vec<Span> {
        let mut spans = Vec::with_capacity(cells.len());
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                self.builder.push_at(BETWEEN_CELLS, &self.spot);
            }
            let start = self.builder.len();
            self.builder.push_at(&super::build::one_line(cell), &self.spot);
            spans.push(Span::new(start, self.builder.len()));
        }
        spans
    }
}
