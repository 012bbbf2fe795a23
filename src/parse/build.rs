//! Puts a document's text together block by block, and keeps where in its file each piece of it stands.

use crate::model::document::{Block, BlockKind, Document, HeaderField, Link};
use crate::model::spot::{Spot, Steps};
use crate::model::token::Span;

/// A document in the making.
#[derive(Default)]
pub(super) struct Builder {
    document: Document,
    /// Where the open block began, if one is open.
    open: Option<usize>,
    /// Where the text so far says that it stands.
    steps: Steps,
}

impl Builder {
    /// How long the text is so far.
    pub(super) fn len(&self) -> usize {
        self.document.text.len()
    }

    /// The text so far.
    pub(super) fn text(&self) -> &str {
        &self.document.text
    }

    /// True if a block is open.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// True if a space or line end may be dropped here: at the start of a block and after another.
    pub(super) fn at_space(&self) -> bool {
        self.open.is_none_or(|start| start == self.len()) || self.document.text.ends_with([' ', '\n'])
    }

    /// True if the text ends with a line end.
    pub(super) fn ends_line(&self) -> bool {
        self.document.text.ends_with('\n')
    }

    /// Begins a block after a blank line, or in the next line if `close` is true.
    pub(super) fn begin(&mut self, close: bool) {
        if !self.document.text.is_empty() {
            self.shorten();
            self.document.text.push_str(if close { "\n" } else { "\n\n" });
        }
        self.open = Some(self.document.text.len());
    }

    /// Takes away white space at the end that belongs to no block.
    fn shorten(&mut self) {
        while self.document.text.ends_with([' ', '\n']) && self.may_shorten() {
            self.document.text.pop();
        }
    }

    /// True if the last character belongs to no block.
    fn may_shorten(&self) -> bool {
        let end = self.document.blocks.last().map_or(0, |block| block.span.end);
        let field = self.document.fields.last().and_then(|field| field.span).map_or(0, |span| span.end);
        self.document.text.len() > end.max(field)
    }

    /// Adds text that began in a line of the source; each line end in it is one in the source.
    pub(super) fn push(&mut self, text: &str, line: u32) {
        for (after, piece) in (0_u32..).zip(text.split('\n')) {
            if after > 0 {
                self.document.text.push('\n');
            }
            if !piece.trim().is_empty() {
                self.stand(&Spot::Line(line.saturating_add(after)));
            }
            self.document.text.push_str(piece);
        }
    }

    /// Adds text that stands in a spot of a file without lines.
    pub(super) fn push_at(&mut self, text: &str, spot: &Spot) {
        if !text.trim().is_empty() {
            self.stand(spot);
        }
        self.document.text.push_str(text);
    }

    /// Adds what stands between texts and in no file.
    pub(super) fn push_blank(&mut self, text: &str) {
        self.document.text.push_str(text);
    }

    /// Lets the open block begin here: what it has so far is the label before it.
    pub(super) fn begin_here(&mut self) {
        self.open = Some(self.len());
    }

    /// Notes where the text that comes next stands, if the text does not tell it already.
    fn stand(&mut self, spot: &Spot) {
        let here = self.document.text.len();
        self.steps.to(&self.document.text, here);
        if self.steps.spot() != *spot {
            self.document.marks.push((here, spot.clone()));
            self.steps.mark(here, spot);
        }
    }

    /// Ends the open block without the white space around it; an empty block leaves no trace.
    pub(super) fn end(&mut self, kind: BlockKind) {
        let Some(start) = self.open.take() else { return };
        let span = trim(&self.document.text, Span::new(start, self.document.text.len()));
        if span.start < span.end {
            self.document.blocks.push(Block { span, kind });
        }
    }

    /// Ends the open block as several, or as one that keeps the white space at its ends (a table whose
    /// last cell is empty).
    pub(super) fn end_as(&mut self, blocks: impl IntoIterator<Item = Block>) {
        self.open = None;
        self.document.blocks.extend(blocks.into_iter().filter(|block| block.span.start < block.span.end));
    }

    /// The span without the white space at its ends.
    pub(super) fn trimmed(&self, span: Span) -> Span {
        trim(&self.document.text, span)
    }

    /// Adds a link over the text since `start`.
    pub(super) fn link(&mut self, start: usize, target: &str) {
        self.link_over(Span::new(start.min(self.len()), self.len()), target);
    }

    /// Adds a link over a span.
    pub(super) fn link_over(&mut self, span: Span, target: &str) {
        let span = trim(&self.document.text, span);
        if span.start < span.end && !target.is_empty() {
            self.document.links.push(Link { span, target: target.to_owned() });
        }
    }

    /// Adds a header field whose value is the span.
    pub(super) fn field(&mut self, name: &str, span: Span) {
        let value = span.of(&self.document.text).to_owned();
        self.document.fields.push(HeaderField { name: name.to_owned(), value, span: Some(span) });
    }

    /// States the title.
    pub(super) fn title(&mut self, title: String) {
        self.document.title = title;
    }

    /// The document, its text without white space at the end.
    pub(super) fn finish(mut self) -> Document {
        self.end(BlockKind::Paragraph);
        self.shorten();
        // Nested links are closed from the inside out.
        self.document.links.sort_by_key(|link| (link.span.start, link.span.end));
        self.document
    }
}

/// The span without the white space at its ends; empty at its start if nothing is left.
pub(super) fn trim(text: &str, span: Span) -> Span {
    let inner = span.of(text);
    let start = span.start + (inner.len() - inner.trim_start().len());
    let end = start + inner.trim().len();
    if start < end { Span::new(start, end) } else { Span::new(span.start, span.start) }
}

/// A text in one line, its white space single spaces.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
