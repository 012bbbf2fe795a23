//! A document becomes chunks: pieces of its text with the structure around them.
//!
//! In come a [`Document`] and a [`Language`]; out come chunks in the order of the text that do not overlap
//! and together cover every block. Nothing here knows an ontology or an index.
//!
//! A chunk's id hashes its text and context and nothing that lies elsewhere, and long blocks are cut where
//! their content says so (`cut.rs`), so an edit changes the ids of the chunk it touches and at most of its
//! neighbors.

mod context;
mod cut;
mod part;
mod table;

use std::collections::BTreeMap;

use crate::model::chunk::{Chunk, ChunkBody, ChunkKind, Context};
use crate::model::document::{Block, BlockKind, Document};
use crate::model::id::ChunkId;
use crate::model::spot::{Marks, Steps};
use crate::model::token::Span;
use crate::ontology::language::Language;

/// Names what this stage makes of a given document. To be raised whenever its output changes for any
/// input; a test over fixed documents fails if that is forgotten.
pub const FINGERPRINT: &str = "chunk/1";

/// A block of more bytes is cut at sentence ends.
const LONGEST_WHOLE: usize = 1_200;

/// Splits a document into chunks.
pub fn split(document: &Document, language: &Language) -> Vec<Chunk> {
    let fields: Vec<Span> = document.fields.iter().filter_map(|field| field.span).collect();
    let mut around = context::Around::new(document, language, &fields);
    let mut maker =
        Maker { document, spots: Spots::default(), link: 0, seen: BTreeMap::new(), chunks: Vec::new() };
    for (at, block) in document.blocks.iter().enumerate() {
        let is_fields = holds_field(&fields, block.span);
        let context = around.of(at, block, is_fields);
        maker.block(block, &context, language, is_fields);
    }
    maker.chunks
}

/// True if a header field stands in the span.
fn holds_field(fields: &[Span], span: Span) -> bool {
    let at = fields.partition_point(|field| field.start < span.start);
    fields.get(at).is_some_and(|field| span.covers(field))
}

struct Maker<'d> {
    document: &'d Document,
    spots: Spots,
    /// The first link that does not lie before the chunks made so far.
    link: usize,
    seen: BTreeMap<ChunkId, u32>,
    chunks: Vec<Chunk>,
}

impl Maker<'_> {
    fn block(&mut self, block: &Block, context: &Context, language: &Language, is_fields: bool) {
        let text = &self.document.text;
        match &block.kind {
            _ if is_fields => self.add(block.span, ChunkKind::Fields, context),
            BlockKind::Heading(_) => self.add(block.span, ChunkKind::Heading, context),
            BlockKind::Paragraph | BlockKind::Item { .. } => {
                let item = matches!(block.kind, BlockKind::Item { .. });
                for span in pieces(text, block.span, language) {
                    self.add(span, if item { ChunkKind::Item } else { ChunkKind::Prose }, context);
                }
            }
            BlockKind::Table(table) => {
                for (span, kind) in table::groups(text, block.span, table) {
                    self.add(span, kind, context);
                }
            }
            BlockKind::Quote => self.add(block.span, ChunkKind::Quote, context),
            BlockKind::Code => self.add(block.span, ChunkKind::Code, context),
        }
    }

    fn add(&mut self, span: Span, kind: ChunkKind, context: &Context) {
        let text = span.of(&self.document.text).to_owned();
        let body = ChunkBody { text, context: context.clone(), kind, links: self.links(span) };
        let id = Chunk::id_of(&body);
        let seen = self.seen.entry(id).or_insert(0);
        let occurrence = *seen;
        *seen += 1;
        let marks = self.spots.of(self.document, span);
        self.chunks.push(Chunk { id, occurrence, start: span.start, marks, body });
    }

    /// The links in a span, counted from its start.
    fn links(&mut self, span: Span) -> Vec<(Span, String)> {
        let links = &self.document.links;
        while links.get(self.link).is_some_and(|link| link.span.start < span.start) {
            self.link += 1;
        }
        let inside = links[self.link..].iter().take_while(|link| link.span.start < span.end);
        inside
            .filter(|link| span.covers(&link.span))
            .map(|link| {
                let at = Span::new(link.span.start - span.start, link.span.end - span.start);
                (at, link.target.clone())
            })
            .collect()
    }
}

/// Where in the file ascending spans stand, counted once over the text.
#[derive(Default)]
struct Spots {
    steps: Steps,
    /// The first of the document's marks that lies after the last offset.
    next: usize,
}

impl Spots {
    /// The marks of a span, by offsets from its start; the first one at its start.
    fn of(&mut self, document: &Document, span: Span) -> Marks {
        while let Some((at, spot)) = document.marks.get(self.next).filter(|(at, _)| *at <= span.start) {
            self.steps.mark(*at, spot);
            self.next += 1;
        }
        self.steps.to(&document.text, span.start);
        let inside = document.marks[self.next..].iter().take_while(|(at, _)| *at < span.end);
        let inside = inside.map(|(at, spot)| (at - span.start, spot.clone()));
        std::iter::once((0, self.steps.spot())).chain(inside).collect()
    }
}

/// The block as one piece, or cut after sentences.
fn pieces(text: &str, block: Span, language: &Language) -> Vec<Span> {
    if block.end - block.start <= LONGEST_WHOLE {
        return vec![block];
    }
    let inner = block.of(text);
    let sentences: Vec<Span> =
        language.sentences(inner).into_iter().map(|sentence| sentence.shifted(block.start)).collect();
    let groups = cut::groups(text, &sentences, cut::SENTENCES);
    groups
        .into_iter()
        .map(|group| Span::new(sentences[group.start].start, sentences[group.end - 1].end))
        .collect()
}

#[cfg(test)]
mod tests;
