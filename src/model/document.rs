//! A parsed document: its text verbatim, its structure as spans of that text, and where in the file it stands.

use serde::{Deserialize, Serialize};

use super::spot::{Marks, Spot, spot_at};
use super::token::Span;

/// What a parser makes of one document's bytes. Knows no ontology.
///
/// Invariants: `text` is the decoded text with line ends as `\n` and without a byte order mark, in the
/// Unicode form in which it was written; every span lies on character boundaries of `text`; `blocks`
/// ascend and do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Document {
    /// The text that every span slices. For HTML it is the visible text.
    pub text: String,
    /// The title: a header field `title`, else the first heading of the lowest level, else empty.
    pub title: String,
    /// Header fields in order: front matter, `Name: value` lines at the top, HTML `<meta>` elements.
    pub fields: Vec<HeaderField>,
    /// The blocks in order.
    pub blocks: Vec<Block>,
    /// The links in order.
    pub links: Vec<Link>,
    /// Where in its file the text stands, as far as the text does not tell it. Empty for formats whose text is the
    /// source.
    pub marks: Marks,
    /// The encoding that the bytes were read in, as its WHATWG name.
    pub encoding: String,
}

/// A header field of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderField {
    /// The name as written.
    pub name: String,
    /// The value as written; many-valued fields give one entry a value.
    pub value: String,
    /// Where the value stands in the text, if it is part of the text.
    pub span: Option<Span>,
}

/// One block of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The block's text. For a table: from the header's first cell to the last cell.
    pub span: Span,
    /// What it is.
    pub kind: BlockKind,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// A heading of a level, 1 being the highest. In plain text: a numbered or all-capitals line alone.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// An item of a list or outline. Depth 0 is the outermost; its parent is the nearest earlier item or
    /// paragraph of a smaller depth in the same section.
    Item {
        /// How deep it is nested.
        depth: u8,
        /// The label as written, such as `(a)` or `2.1`; empty for a bullet.
        label: String,
    },
    /// A table.
    Table(Table),
    /// Quoted text (`>` in Markdown, `<blockquote>` in HTML): not operative.
    Quote,
    /// Code: not prose.
    Code,
}

/// A table. Cells are spans of the document's text; an empty cell is an empty span.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Table {
    /// The header's cells.
    pub header: Vec<Span>,
    /// The body's rows.
    pub rows: Vec<Vec<Span>>,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The text of the link.
    pub span: Span,
    /// Where it leads, as written.
    pub target: String,
}

impl Document {
    /// True if the invariants hold: what comes out of another process is looked at before it is believed. Linear in
    /// the number of spans.
    pub fn is_sound(&self) -> bool {
        let lies = |span: &Span| span.start <= span.end && self.text.get(span.start..span.end).is_some();
        let spans = self.fields.iter().filter_map(|field| field.span.as_ref());
        let spans = spans.chain(self.links.iter().map(|link| &link.span));
        let cells = self.blocks.iter().filter_map(|block| match &block.kind {
            BlockKind::Table(table) => Some(table.header.iter().chain(table.rows.iter().flatten())),
            _ => None,
        });
        let blocks = self.blocks.iter().map(|block| &block.span);
        let ascend = self.blocks.windows(2).all(|pair| matches!(pair, [a, b] if a.span.end <= b.span.start));
        ascend && spans.chain(blocks).chain(cells.flatten()).all(lies)
    }

    /// Where in the file a byte offset of `text` stands. Linear in the text since the last of `marks`.
    pub fn spot_at(&self, offset: usize) -> Spot {
        spot_at(&self.text, &self.marks, offset)
    }
}
