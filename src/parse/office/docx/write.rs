//! A Word document's body becomes text and blocks.

use std::collections::BTreeMap;

use super::body::{Grid, Paragraph, Part};
use super::numbering::{Numbered, Numbering};
use super::styles::Styles;
use crate::model::document::{Block, BlockKind};
use crate::model::spot::{BETWEEN_CELLS, Spot};
use crate::model::token::Span;
use crate::parse::build::{Builder, one_line};
use crate::parse::table;

/// A paragraph of more bytes is no heading, whatever its style: contracts style whole clauses as headings to have them
/// numbered.
const LONGEST_HEADING: usize = 200;

/// The footnotes and endnotes, by their ids.
pub(super) struct Notes {
    pub(super) footnotes: BTreeMap<String, Vec<Part>>,
    pub(super) endnotes: BTreeMap<String, Vec<Part>>,
}

/// Writes the body.
pub(super) fn write(
    builder: &mut Builder,
    parts: &[Part],
    styles: Styles,
    numbering: Numbering,
    notes: Notes,
) {
    let mut writer = Writer { builder, styles, numbering, notes, paragraph: 0, open: Vec::new() };
    writer.parts(parts);
}

/// An open level of a list.
struct Open {
    form: u32,
    level: usize,
    indent: i32,
}

struct Writer<'b> {
    builder: &'b mut Builder,
    styles: Styles,
    numbering: Numbering,
    notes: Notes,
    /// How many paragraphs have been written.
    paragraph: u32,
    /// The open levels of lists, outermost first.
    open: Vec<Open>,
}

impl Writer<'_> {
    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Paragraph(paragraph) => self.paragraph(paragraph),
                Part::Table(grid) => self.table(grid),
            }
        }
    }

    /// Where the present paragraph stands.
    fn spot(&self) -> Spot {
        Spot::Paragraph(self.paragraph)
    }

    fn paragraph(&mut self, paragraph: &Paragraph) {
        let numbered = self.numbered(paragraph);
        if !paragraph.text.trim().is_empty() {
            self.paragraph += 1;
            self.block(paragraph, numbered);
        }
        self.notes_of(paragraph);
        self.parts(&paragraph.boxes);
    }

    /// Counts the paragraph in its list, if it is in one; an empty one counts too.
    fn numbered(&mut self, paragraph: &Paragraph) -> Option<Numbered> {
        let style = paragraph.style.as_deref();
        let list = paragraph.list.or_else(|| self.styles.list(style)).filter(|list| *list != 0)?;
        let level = paragraph.level.or_else(|| self.styles.level(style)).unwrap_or(0);
        self.numbering.next(list, level)
    }

    fn block(&mut self, paragraph: &Paragraph, numbered: Option<Numbered>) {
        let style = paragraph.style.as_deref();
        let short = paragraph.text.trim().len() <= LONGEST_HEADING;
        let outline =
            paragraph.outline.or_else(|| self.styles.outline(style)).filter(|level| *level < 9 && short);
        let is_title = short && self.styles.is(style, &["title"]);
        if is_title || outline.is_some() {
            self.open.clear();
            self.builder.begin(false);
            if let Some(numbered) = numbered.filter(|numbered| !numbered.label.is_empty()) {
                let spot = self.spot();
                self.builder.push_at(&format!("{} ", numbered.label), &spot);
            }
            self.text(paragraph);
            self.builder.end(BlockKind::Heading(outline.map_or(1, |level| level + 1)));
            if is_title {
                self.builder.title(one_line(&paragraph.text));
            }
            return;
        }
        let indent = paragraph.indent.or_else(|| self.styles.indent(style));
        if let Some(numbered) = numbered {
            let indent = indent.or(numbered.indent).unwrap_or(0);
            return self.item(paragraph, numbered, indent);
        }
        let below =
            self.open.last().is_some_and(|open| open.indent > 0 && indent.unwrap_or(0) >= open.indent);
        if below {
            self.builder.begin(true);
            self.text(paragraph);
            let kind = self.continuation();
            return self.builder.end(kind);
        }
        self.open.clear();
        self.builder.begin(false);
        self.text(paragraph);
        let kind = if self.styles.is(style, &["quote", "intense quote"]) {
            BlockKind::Quote
        } else if self.styles.is(style, &["html preformatted", "source code"]) {
            BlockKind::Code
        } else {
            BlockKind::Paragraph
        };
        self.builder.end(kind);
    }

    fn item(&mut self, paragraph: &Paragraph, numbered: Numbered, indent: i32) {
        let Numbered { label, form, level, .. } = numbered;
        // The same list closes its deeper levels; another one stands below what is indented less.
        let sibling = self.open.iter().position(|open| open.form == form && open.level >= level);
        if let Some(sibling) = sibling {
            self.open.truncate(sibling);
        } else if !self.open.iter().any(|open| open.form == form) {
            while self.open.last().is_some_and(|open| open.indent >= indent) {
                self.open.pop();
            }
        }
        let depth = u8::try_from(self.open.len()).unwrap_or(u8::MAX);
        self.open.push(Open { form, level, indent });
        self.builder.begin(true);
        if !label.is_empty() {
            let spot = self.spot();
            self.builder.push_at(&format!("{label} "), &spot);
            self.builder.begin_here();
        }
        self.text(paragraph);
        self.builder.end(BlockKind::Item { depth, label });
    }

    /// What stands below the open item, or on its own.
    fn continuation(&self) -> BlockKind {
        match u8::try_from(self.open.len()).unwrap_or(u8::MAX) {
            0 => BlockKind::Paragraph,
            depth => BlockKind::Item { depth, label: String::new() },
        }
    }

    /// Writes a paragraph's text with its links.
    fn text(&mut self, paragraph: &Paragraph) {
        let start = self.builder.len();
        let spot = self.spot();
        self.builder.push_at(&paragraph.text.replace('\t', " "), &spot);
        for (at, target) in &paragraph.links {
            self.builder.link_over(Span::new(start + at.start, start + at.end), target);
        }
    }

    /// Writes the notes that a paragraph refers to. They are no part of its sentence.
    fn notes_of(&mut self, paragraph: &Paragraph) {
        for (is_end, id) in &paragraph.notes {
            let notes = if *is_end { &mut self.notes.endnotes } else { &mut self.notes.footnotes };
            let Some(parts) = notes.remove(id) else { continue };
            let mut found = Vec::new();
            flatten(&parts, &mut found);
            for paragraph in found.iter().filter(|paragraph| !paragraph.text.trim().is_empty()) {
                self.builder.begin(!self.open.is_empty());
                self.builder
                    .push_at(&paragraph.text.replace('\t', " "), &Spot::Paragraph(self.paragraph.max(1)));
                let kind = self.continuation();
                self.builder.end(kind);
            }
        }
    }

    /// Writes a table. One row or one column is layout: what stands in it is text like any other.
    fn table(&mut self, grid: &Grid) {
        let rows: Vec<_> = grid.rows.iter().filter(|row| !row.cells.is_empty()).collect();
        if rows.len() < 2 || rows.iter().all(|row| row.cells.len() == 1) {
            for cell in rows.iter().flat_map(|row| &row.cells) {
                self.parts(&cell.parts);
            }
            return;
        }
        self.open.clear();
        self.builder.begin(false);
        let start = self.builder.len();
        let heads = rows.iter().take_while(|row| row.is_header).count();
        let mut written: Vec<Vec<Span>> = Vec::new();
        let mut after: Vec<&Paragraph> = Vec::new();
        for row in rows {
            let mut cells = Vec::new();
            if !written.is_empty() {
                self.builder.push_blank("\n");
            }
            for _ in 0..row.before {
                self.cell(&mut cells, &[], &mut after);
            }
            for cell in &row.cells {
                let parts: &[Part] = if cell.continues { &[] } else { &cell.parts };
                self.cell(&mut cells, parts, &mut after);
                for _ in 1..cell.span {
                    self.cell(&mut cells, &[], &mut after);
                }
            }
            written.push(cells);
        }
        let end = self.builder.len();
        let table = table::structured(self.builder.text(), written, heads, start);
        self.builder.end_as([Block { span: Span::new(start, end), kind: BlockKind::Table(table) }]);
        for paragraph in after {
            self.notes_of(paragraph);
            self.parts(&paragraph.boxes);
        }
    }

    /// Writes a cell: its paragraphs as one line.
    fn cell<'p>(&mut self, cells: &mut Vec<Span>, parts: &'p [Part], after: &mut Vec<&'p Paragraph>) {
        if !cells.is_empty() {
            self.builder.push_blank(BETWEEN_CELLS);
        }
        let start = self.builder.len();
        let mut found = Vec::new();
        flatten(parts, &mut found);
        for paragraph in found {
            let numbered = self.numbered(paragraph);
            after.push(paragraph);
            if paragraph.text.trim().is_empty() {
                continue;
            }
            self.paragraph += 1;
            if self.builder.len() > start {
                self.builder.push_blank(" ");
            }
            if let Some(numbered) = numbered.filter(|numbered| !numbered.label.is_empty()) {
                let spot = self.spot();
                self.builder.push_at(&format!("{} ", numbered.label), &spot);
            }
            let text_at = self.builder.len();
            let spot = self.spot();
            self.builder.push_at(&paragraph.text.replace(['\t', '\n'], " "), &spot);
            for (at, target) in &paragraph.links {
                self.builder.link_over(Span::new(text_at + at.start, text_at + at.end), target);
            }
        }
        cells.push(self.builder.trimmed(Span::new(start, self.builder.len())));
    }
}

/// The paragraphs of some parts, tables in them included.
fn flatten<'p>(parts: &'p [Part], into: &mut Vec<&'p Paragraph>) {
    for part in parts {
        match part {
            Part::Paragraph(paragraph) => into.push(paragraph),
            Part::Table(grid) => {
                for cell in grid.rows.iter().flat_map(|row| &row.cells) {
                    flatten(&cell.parts, into);
                }
            }
        }
    }
}
