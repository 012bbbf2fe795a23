//! The body of a Word document: paragraphs and tables with what their properties say, tracked changes accepted.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::xml::{self, Node, Tag};
use super::super::{Fault, Package, Relation};

/// So many paragraphs, tables, rows, cells and text boxes are open at most; a text that is deeper is no text that a
/// person wrote, and is left out.
const DEEPEST: usize = 256;

/// A cell spans so many columns at most; a larger number would only cost memory.
const LARGEST_SPAN: usize = 100;

/// A piece of the body.
#[derive(Debug)]
pub(super) enum Part {
    Paragraph(Paragraph),
    Table(Grid),
}

/// A paragraph as it is written.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) style: Option<String>,
    /// The list by its number, and the level.
    pub(super) list: Option<u32>,
    pub(super) level: Option<usize>,
    /// The outline level, 0 being the highest; 9 is none.
    pub(super) outline: Option<u8>,
    /// How far it is indented, in twentieths of a point.
    pub(super) indent: Option<i32>,
    pub(super) links: Vec<(Range<usize>, String)>,
    /// Footnotes and endnotes that it refers to: true for endnotes.
    pub(super) notes: Vec<(bool, String)>,
    /// The text boxes that hang on it.
    pub(super) boxes: Vec<Part>,
    /// True if its mark was deleted: its text goes on in the next one.
    pub(super) goes_on: bool,
}

/// A table as it is written.
#[derive(Debug, Default)]
pub(super) struct Grid {
    pub(super) rows: Vec<Row>,
}

/// A row.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// True if it is repeated at the top of each page.
    pub(super) is_header: bool,
    /// True if it was deleted.
    pub(super) gone: bool,
    pub(super) cells: Vec<Cell>,
    /// How many columns stay free before the first cell.
    pub(super) before: usize,
}

/// A cell.
#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) span: usize,
    /// True if it goes on from the cell above.
    pub(super) continues: bool,
    pub(super) parts: Vec<Part>,
}

/// What is open.
enum Frame {
    /// The body, a cell's content, a text box or a note.
    Parts(Vec<Part>, Option<Paragraph>),
    Paragraph(Paragraph),
    Grid(Grid),
    Row(Row),
    Cell(Cell),
}

/// A field: its code while that is read, then where its result begins.
#[derive(Default)]
struct Field {
    code: String,
    result: Option<usize>,
}

/// Reads the body.
pub(super) fn read(
    text: &str,
    related: &[Relation],
    charts: BTreeMap<String, Vec<Part>>,
) -> Result<Vec<Part>, String> {
    let mut reader = Reader { charts, ..Reader::new(related) };
    xml::walk(text, &mut |node| {
        reader.node(&node);
        Ok(())
    })?;
    Ok(reader.finish())
}

/// Reads footnotes or endnotes, by their ids.
pub(super) fn notes(
    package: &mut Package<'_>,
    related: &[Relation],
    kind: &str,
) -> Result<BTreeMap<String, Vec<Part>>, Fault> {
    let Some(part) = related.iter().find(|relation| relation.kind == kind).map(|one| one.target.clone())
    else {
        return Ok(BTreeMap::new());
    };
    let Some(text) = package.text(&part)? else { return Ok(BTreeMap::new()) };
    let links = super::relations(package, &part)?;
    let mut found = BTreeMap::new();
    let mut open: Option<(String, Reader<'_>)> = None;
    xml::walk(&text, &mut |node| {
        match &node {
            Node::Open(tag) if matches!(tag.name.as_str(), "w:footnote" | "w:endnote") => {
                // Those with a type are the lines between text and notes.
                let is_note = tag.value("type").is_none_or(|kind| kind == "normal");
                let id = tag.value("id").filter(|_| is_note);
                open = id.map(|id| (id, Reader::new(&links)));
            }
            Node::Close("w:footnote" | "w:endnote") => {
                if let Some((id, reader)) = open.take() {
                    found.insert(id, reader.finish());
                }
            }
            node => {
                if let Some((_, reader)) = &mut open {
                    reader.node(node);
                }
            }
        }
        Ok(())
    })
    .map_err(|why| Fault::Damaged(format!("`{part}`: {why}")))?;
    Ok(found)
}

struct Reader<'r> {
    related: &'r [Relation],
    /// The charts that have not been shown yet.
    charts: BTreeMap<String, Vec<Part>>,
    frames: Vec<Frame>,
    /// How many elements are open inside a skipped one.
    skipping: usize,
    /// The element that holds properties of a paragraph, if one is open.
    in_properties: bool,
    in_text: bool,
    /// What stands before the next text of a formula: it is below a line, above or below.
    mark: &'static str,
    in_code: bool,
    in_row_properties: bool,
    /// True inside a run, and whether the run is hidden.
    run: Option<bool>,
    links: Vec<(usize, String)>,
    fields: Vec<Field>,
}

impl<'r> Reader<'r> {
    fn new(related: &'r [Relation]) -> Self {
        Self {
            related,
            charts: BTreeMap::new(),
            frames: vec![Frame::Parts(Vec::new(), None)],
            skipping: 0,
            in_properties: false,
            in_text: false,
            mark: "",
            in_code: false,
            in_row_properties: false,
            run: None,
            links: Vec::new(),
            fields: Vec::new(),
        }
    }

    fn node(&mut self, node: &Node<'_, '_>) {
        match node {
            Node::Open(_) if self.skipping > 0 => self.skipping += 1,
            Node::Open(tag) => self.open(tag),
            Node::Close(_) if self.skipping > 0 => self.skipping -= 1,
            Node::Close(name) => self.close(name),
            Node::Text(text) => {
                if self.skipping == 0 && self.in_code {
                    if let Some(field) = self.fields.last_mut() {
                        field.code.push_str(text);
                    }
                } else if self.skipping == 0 && self.in_text {
                    self.push(text);
                }
            }
        }
    }

    fn finish(mut self) -> Vec<Part> {
        while self.frames.len() > 1 {
            self.end_frame();
        }
        match self.frames.pop() {
            Some(Frame::Parts(mut parts, pending)) => {
                parts.extend(pending.map(Part::Paragraph));
                parts
            }
            _ => Vec::new(),
        }
    }

    fn paragraph(&mut self) -> Option<&mut Paragraph> {
        match self.frames.last_mut() {
            Some(Frame::Paragraph(paragraph)) => Some(paragraph),
            _ => None,
        }
    }

    fn push(&mut self, text: &str) {
        if self.run == Some(true) {
            return;
        }
        if let Some(paragraph) = self.paragraph() {
            paragraph.text.push_str(text);
        }
    }

    fn length(&mut self) -> usize {
        self.paragraph().map_or(0, |paragraph| paragraph.text.len())
    }

    fn open(&mut self, tag: &Tag<'_>) {
        if self.in_properties {
            return self.property(tag);
        }
        match tag.name.as_str() {
            // Deleted text, the other form of what stands beside it, former properties, and no text at all.
            "w:moveFrom" | "mc:Fallback" | "w:sectPr" | "w:sdtPr" | "w:rt" | "w:tblPrEx" | "w:tblGrid"
            | "w:tblPr" => {
                self.skipping = 1;
            }
            "w:del" if self.in_row_properties => {
                if let Some(Frame::Row(row)) = self.frames.last_mut() {
                    row.gone = true;
                }
            }
            "w:del" => self.skipping = 1,
            name if name.starts_with("w:") && name.ends_with("Change") => self.skipping = 1,
            "w:p" if self.frames.len() < DEEPEST => self.frames.push(Frame::Paragraph(Paragraph::default())),
            "w:pPr" => self.in_properties = true,
            "w:tbl" if self.frames.len() < DEEPEST => self.frames.push(Frame::Grid(Grid::default())),
            "w:tr" if matches!(self.frames.last(), Some(Frame::Grid(_))) => {
                self.frames.push(Frame::Row(Row::default()));
            }
            "w:tc" if matches!(self.frames.last(), Some(Frame::Row(_))) => {
                self.frames.push(Frame::Cell(Cell { span: 1, ..Cell::default() }));
                self.frames.push(Frame::Parts(Vec::new(), None));
            }
            "w:trPr" => self.in_row_properties = true,
            "w:txbxContent" if self.frames.len() < DEEPEST => {
                self.frames.push(Frame::Parts(Vec::new(), None));
                self.run = None;
            }
            name => self.open_in_run(name, tag),
        }
    }

    fn open_in_run(&mut self, name: &str, tag: &Tag<'_>) {
        match name {
            "w:r" => self.run = Some(false),
            "w:vanish" if self.run.is_some() && tag.is_on() => self.run = Some(true),
            "w:t" => self.in_text = true,
            "m:t" => {
                let mark = std::mem::take(&mut self.mark);
                self.push(mark);
                self.in_text = true;
            }
            // A formula in one line: "a/b", "x^2", "x_1". What has no text of its own gets no mark.
            "m:den" => self.mark = "/",
            "m:sup" => self.mark = "^",
            "m:sub" => self.mark = "_",
            "w:instrText" => self.in_code = true,
            "w:tab" | "w:ptab" if self.run.is_some() => self.push("\t"),
            "w:br" if tag.value("type").is_none_or(|kind| kind == "textWrapping") => self.push("\n"),
            "w:br" if self.run.is_some() => self.push(" "),
            "w:cr" => self.push("\n"),
            "w:noBreakHyphen" => self.push("-"),
            "w:sym" => {
                let code = tag.value("char").and_then(|code| u32::from_str_radix(&code, 16).ok());
                let known = code.filter(|code| !(0xe000..0xf900).contains(code)).and_then(char::from_u32);
                if let Some(known) = known {
                    self.push(known.encode_utf8(&mut [0; 4]));
                }
            }
            "w:footnoteReference" | "w:endnoteReference" => {
                let (is_end, id) = (name == "w:endnoteReference", tag.value("id"));
                if let (Some(id), Some(paragraph)) = (id, self.paragraph()) {
                    paragraph.notes.push((is_end, id));
                }
            }
            "w:hyperlink" => {
                let by_id = tag.value("id").and_then(|id| self.related.iter().find(|one| one.id == id));
                let anchor = tag.value("anchor").map(|anchor| format!("#{anchor}")).unwrap_or_default();
                let target = by_id.map(|one| one.target.clone()).unwrap_or_default() + &anchor;
                let at = self.length();
                self.links.push((at, target));
            }
            "c:chart" => {
                let shown = tag.value("id").and_then(|id| self.charts.remove(&id));
                if let (Some(parts), Some(paragraph)) = (shown, self.paragraph()) {
                    paragraph.boxes.extend(parts);
                }
            }
            "w:fldChar" => self.field(&tag.value("fldCharType").unwrap_or_default()),
            "w:gridBefore" => {
                if let (Some(Frame::Row(row)), Some(before)) = (self.frames.last_mut(), tag.number("val")) {
                    row.before = LARGEST_SPAN.min(before);
                }
            }
            "w:tblHeader" if tag.is_on() => {
                if let Some(Frame::Row(row)) = self.frames.last_mut() {
                    row.is_header = true;
                }
            }
            "w:gridSpan" | "w:vMerge" => self.cell_property(name, tag),
            _ => {}
        }
    }

    /// A field ends: the result of a link is a link.
    fn field(&mut self, kind: &str) {
        let at = self.length();
        match kind {
            "begin" if self.fields.len() < DEEPEST => self.fields.push(Field::default()),
            "separate" => {
                if let Some(field) = self.fields.last_mut() {
                    field.result = Some(at);
                }
            }
            "end" => {
                let Some(Field { code, result: Some(start) }) = self.fields.pop() else { return };
                let Some(rest) = code.trim().strip_prefix("HYPERLINK") else { return };
                let local = if rest.contains("\\l ") { "#" } else { "" };
                let target = rest.split('"').nth(1).unwrap_or_default();
                if let Some(paragraph) =
                    self.paragraph().filter(|one| start < at && one.text.is_char_boundary(start))
                {
                    paragraph.links.push((start..at, format!("{local}{target}")));
                }
            }
            _ => {}
        }
    }

    fn cell_property(&mut self, name: &str, tag: &Tag<'_>) {
        let cell = self.frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::Cell(cell) => Some(cell),
            _ => None,
        });
        let Some(cell) = cell else { return };
        match name {
            "w:gridSpan" => cell.span = tag.number("val").unwrap_or(1_usize).clamp(1, LARGEST_SPAN),
            _ => cell.continues = tag.value("val").is_none_or(|value| value != "restart"),
        }
    }

    /// A property of the open paragraph.
    fn property(&mut self, tag: &Tag<'_>) {
        if tag.name.ends_with("Change") || matches!(tag.name.as_str(), "w:sectPr" | "w:tabs") {
            self.skipping = 1;
            return;
        }
        let Some(paragraph) = self.paragraph() else { return };
        match tag.name.as_str() {
            "w:pStyle" => paragraph.style = tag.value("val"),
            "w:numId" => paragraph.list = tag.number("val"),
            "w:ilvl" => paragraph.level = tag.number("val"),
            "w:outlineLvl" => paragraph.outline = tag.number("val"),
            "w:ind" => paragraph.indent = indent(tag),
            "w:del" | "w:moveFrom" => paragraph.goes_on = true,
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "w:pPr" => self.in_properties = false,
            "w:trPr" => self.in_row_properties = false,
            "w:t" | "m:t" => self.in_text = false,
            "m:den" | "m:sup" | "m:sub" => self.mark = "",
            "w:instrText" => self.in_code = false,
            "w:r" => self.run = None,
            "w:hyperlink" => {
                let end = self.length();
                let link = self.links.pop();
                if let (Some((start, target)), Some(paragraph)) = (link, self.paragraph())
                    && start < end
                    && !target.is_empty()
                {
                    paragraph.links.push((start..end, target));
                }
            }
            "w:p" if matches!(self.frames.last(), Some(Frame::Paragraph(_))) => self.end_frame(),
            "w:tbl" if matches!(self.frames.last(), Some(Frame::Grid(_))) => self.end_frame(),
            "w:tr" if matches!(self.frames.last(), Some(Frame::Row(_))) => self.end_frame(),
            "w:tc" if self.frames.len() > 2 && matches!(self.frames.last(), Some(Frame::Parts(..))) => {
                self.end_frame();
                if matches!(self.frames.last(), Some(Frame::Cell(_))) {
                    self.end_frame();
                }
            }
            "w:txbxContent"
                if self.frames.len() > 1 && matches!(self.frames.last(), Some(Frame::Parts(..))) =>
            {
                self.end_frame();
                self.run = Some(false);
            }
            _ => {}
        }
    }

    /// Ends the innermost frame and gives it to the one around it.
    fn end_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        match (frame, self.frames.last_mut()) {
            (Frame::Paragraph(paragraph), Some(Frame::Parts(parts, pending))) => {
                let whole = joined(pending.take(), paragraph);
                if whole.goes_on {
                    *pending = Some(whole);
                } else {
                    parts.push(Part::Paragraph(whole));
                }
            }
            (Frame::Grid(grid), Some(Frame::Parts(parts, pending))) => {
                parts.extend(pending.take().map(Part::Paragraph));
                parts.push(Part::Table(grid));
            }
            (Frame::Row(row), Some(Frame::Grid(grid))) if !row.gone => grid.rows.push(row),
            (Frame::Cell(cell), Some(Frame::Row(row))) => row.cells.push(cell),
            (Frame::Parts(parts, pending), around) => {
                let parts = parts.into_iter().chain(pending.map(Part::Paragraph));
                match around {
                    Some(Frame::Cell(cell)) => cell.parts.extend(parts),
                    Some(Frame::Paragraph(paragraph)) => paragraph.boxes.extend(parts),
                    Some(Frame::Parts(around, _)) => around.extend(parts),
                    _ => {}
                }
            }
            // A paragraph straight in a paragraph or a row is nobody's form.
            (Frame::Paragraph(inner), Some(Frame::Paragraph(outer))) => {
                outer.boxes.push(Part::Paragraph(inner));
            }
            (Frame::Grid(inner), Some(Frame::Paragraph(outer))) => outer.boxes.push(Part::Table(inner)),
            _ => {}
        }
    }
}

/// A paragraph whose mark was deleted and the one in which it goes on, as one with the second's properties.
fn joined(first: Option<Paragraph>, mut second: Paragraph) -> Paragraph {
    let Some(first) = first else { return second };
    let by = first.text.len();
    second.text.insert_str(0, &first.text);
    let moved = second.links.into_iter().map(|(at, target)| (at.start + by..at.end + by, target));
    second.links = first.links.into_iter().chain(moved).collect();
    second.notes.splice(0..0, first.notes);
    second.boxes.splice(0..0, first.boxes);
    second
}

/// How far a paragraph or level is indented.
pub(super) fn indent(tag: &Tag<'_>) -> Option<i32> {
    tag.number("left").or_else(|| tag.number("start"))
}
