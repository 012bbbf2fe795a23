//! Markdown becomes text and blocks. The markup is left out of the text; code and HTML blocks are kept apart.

use comrak::nodes::{AstNode, ListDelimType, ListType, NodeList, NodeValue, Sourcepos};
use comrak::{Arena, Options, arena_tree::NodeEdge, parse_document};

use super::build::Builder;
use super::{field, html};
use crate::model::document::{Block, BlockKind, Table};
use crate::model::token::Span;

/// Writes a Markdown source.
pub(super) fn write<'b>(builder: &'b mut Builder, source: &'b str) {
    let (front, body, first_line) = split_front_matter(source);
    if let Some(front) = front {
        field::write_front_matter(builder, front, 2);
    }
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    let arena = Arena::new();
    let root = parse_document(&arena, body, &options);
    let mut walker = Walker {
        lines: body.split('\n').collect(),
        builder,
        first_line,
        quotes: 0,
        items: Vec::new(),
        links: Vec::new(),
        line: 1,
        rows: Vec::new(),
    };
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(node) => walker.enter(node),
            NodeEdge::End(node) => walker.leave(node),
        }
    }
}

/// The lines between the two `---` at the very start, the rest, and the line in which the rest begins.
fn split_front_matter(source: &str) -> (Option<&str>, &str, u32) {
    let Some(rest) =
        source.strip_prefix("---").and_then(|rest| rest.trim_start_matches([' ', '\t']).strip_prefix('\n'))
    else {
        return (None, source, 1);
    };
    let mut at = 0;
    for (number, line) in (3_u32..).zip(rest.split_inclusive('\n')) {
        if matches!(line.trim_end(), "---" | "...") {
            return (Some(&rest[..at]), &rest[at + line.len()..], number);
        }
        at += line.len();
    }
    (None, source, 1)
}

/// An open list item.
struct Item {
    label: String,
    /// True once its first paragraph is written.
    used: bool,
}

struct Walker<'b> {
    /// The lines of the Markdown.
    lines: Vec<&'b str>,
    builder: &'b mut Builder,
    /// The line of the file in which the Markdown begins.
    first_line: u32,
    quotes: usize,
    items: Vec<Item>,
    links: Vec<usize>,
    /// The source line of the text that comes next.
    line: u32,
    /// The rows of the open table; the first is the header.
    rows: Vec<Vec<Span>>,
}

impl Walker<'_> {
    fn enter<'a>(&mut self, node: &'a AstNode<'a>) {
        let node = node.data.borrow();
        match &node.value {
            NodeValue::BlockQuote => self.quotes += 1,
            NodeValue::Item(list) => self.items.push(Item { label: label(list), used: false }),
            NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::Table(_) => {
                self.line = self.line_of(node.sourcepos) + self.references(node.sourcepos);
                let inner = matches!(node.value, NodeValue::Paragraph) && !self.items.is_empty();
                self.builder.begin(inner);
            }
            NodeValue::TableRow(_) => self.enter_row(node.sourcepos),
            NodeValue::TableCell => self.enter_cell(),
            NodeValue::CodeBlock(code) => {
                let line = self.line_of(node.sourcepos) + u32::from(code.fenced);
                self.builder.begin(false);
                self.builder.push(&code.literal, line);
                self.builder.end(BlockKind::Code);
            }
            NodeValue::HtmlBlock(block) => {
                html::write(self.builder, &block.literal, self.line_of(node.sourcepos));
            }
            NodeValue::Text(text) => self.builder.push(text, self.line),
            NodeValue::Code(code) => self.code(&code.literal, node.sourcepos),
            NodeValue::SoftBreak | NodeValue::LineBreak => self.break_line(),
            NodeValue::HtmlInline(tag) => {
                if tag.to_ascii_lowercase().starts_with("<br") {
                    self.builder.push("\n", self.line);
                }
                self.line += tag.matches('\n').count() as u32;
            }
            NodeValue::Link(_) => self.links.push(self.builder.len()),
            _ => {}
        }
    }

    fn leave<'a>(&mut self, node: &'a AstNode<'a>) {
        let node = node.data.borrow();
        match &node.value {
            NodeValue::BlockQuote => self.quotes = self.quotes.saturating_sub(1),
            NodeValue::Item(_) => {
                self.items.pop();
            }
            NodeValue::Heading(heading) => {
                let kind = if self.quotes > 0 { BlockKind::Quote } else { BlockKind::Heading(heading.level) };
                self.builder.end(kind);
            }
            NodeValue::Paragraph => {
                let kind = self.paragraph_kind();
                self.builder.end(kind);
            }
            NodeValue::TableCell => self.leave_cell(),
            NodeValue::Table(_) => self.leave_table(),
            NodeValue::Link(link) => {
                if let Some(start) = self.links.pop() {
                    self.builder.link(start, &link.url);
                }
            }
            _ => {}
        }
    }

    fn line_of(&self, position: Sourcepos) -> u32 {
        let line = u32::try_from(position.start.line).unwrap_or(u32::MAX);
        (self.first_line - 1).saturating_add(line.max(1))
    }

    /// How many lines of link references stand before a paragraph's text: they are no text and count as its lines.
    fn references(&self, position: Sourcepos) -> u32 {
        let lines =
            self.lines.get(position.start.line.saturating_sub(1)..position.end.line).unwrap_or_default();
        let reference = |line: &&&str| {
            let bare = line.trim_start_matches([' ', '\t', '>']);
            bare.strip_prefix('[')
                .and_then(|rest| rest.split_once("]:"))
                .is_some_and(|(label, _)| !label.contains(']'))
        };
        let count = lines.iter().take_while(reference).count();
        // A paragraph in which nothing is left ends as no paragraph.
        if count < lines.len() { u32::try_from(count).unwrap_or_default() } else { 0 }
    }

    /// A code span in which line ends have become spaces: each of its lines begins with the source's next word.
    fn code(&mut self, literal: &str, position: Sourcepos) {
        let mut rest = literal;
        for line in self.lines.get(position.start.line..position.end.line).unwrap_or_default() {
            let word = line.trim_start_matches([' ', '\t', '>']).split([' ', '\t', '`']).next();
            let at = word.filter(|word| !word.is_empty()).and_then(|word| rest.find(word)).unwrap_or(0);
            let (before, after) = rest.split_at(at);
            self.builder.push(before, self.line);
            rest = after;
            self.line += 1;
        }
        self.builder.push(rest, self.line);
    }

    fn break_line(&mut self) {
        self.builder.push("\n", self.line);
        self.line += 1;
    }

    /// A second paragraph of an item stands below the item's first.
    fn paragraph_kind(&mut self) -> BlockKind {
        if self.quotes > 0 {
            return BlockKind::Quote;
        }
        let depth = self.items.len();
        let Some(item) = self.items.last_mut() else { return BlockKind::Paragraph };
        let below = usize::from(item.used);
        item.used = true;
        let depth = u8::try_from(depth - 1 + below).unwrap_or(u8::MAX);
        BlockKind::Item { depth, label: if below > 0 { String::new() } else { item.label.clone() } }
    }

    fn enter_row(&mut self, position: Sourcepos) {
        if !self.rows.is_empty() {
            self.builder.push("\n", self.line);
        }
        self.line = self.line_of(position);
        self.rows.push(Vec::new());
    }

    fn enter_cell(&mut self) {
        if self.rows.last().is_some_and(|row| !row.is_empty()) {
            self.builder.push(" | ", self.line);
        }
        let at = self.builder.len();
        if let Some(row) = self.rows.last_mut() {
            row.push(Span::new(at, at));
        }
    }

    fn leave_cell(&mut self) {
        let end = self.builder.len();
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            *cell = self.builder.trimmed(Span::new(cell.start, end));
        }
    }

    fn leave_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let cells = || rows.iter().flatten();
        let (start, end) = (cells().map(|cell| cell.start).min(), cells().map(|cell| cell.end).max());
        let (Some(start), Some(end)) = (start, end) else { return self.builder.end(BlockKind::Paragraph) };
        let header = rows.remove(0);
        let table = BlockKind::Table(Table { header, rows });
        let kind = if self.quotes > 0 { BlockKind::Quote } else { table };
        self.builder.end_as([Block { span: Span::new(start, end), kind }]);
    }
}

fn label(list: &NodeList) -> String {
    match (list.list_type, list.delimiter) {
        (ListType::Bullet, _) => String::new(),
        (ListType::Ordered, ListDelimType::Period) => format!("{}.", list.start),
        (ListType::Ordered, ListDelimType::Paren) => format!("{})", list.start),
    }
}
