//! Chunks: pieces of a document's text with the structure around them.

use serde::{Deserialize, Serialize};

use super::document::Table;
use super::id::ChunkId;
use super::spot::{Marks, Spot, spot_at};
use super::token::Span;

/// A piece of a document: one paragraph, item, heading, quote or some rows of a table.
///
/// Invariant: `id` is [`Chunk::id_of`] of the text and the context; `text` equals the document's text at
/// `start`. Two pieces with equal text in equal context have one id; `occurrence` tells them apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The hash of text and context.
    pub id: ChunkId,
    /// 0 for the first piece with this id in its document, 1 for the second.
    pub occurrence: u32,
    /// The offset of the text in the document's text.
    pub start: usize,
    /// Where in the file it stands, by offsets from its start; it begins with a mark unless it begins in line 1.
    pub marks: Marks,
    /// The body: what the store keeps once for each id.
    pub body: ChunkBody,
}

/// What a chunk id stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkBody {
    /// The text, verbatim.
    pub text: String,
    /// The structure around it.
    pub context: Context,
    /// What kind of block it came from.
    pub kind: ChunkKind,
    /// The links in it, by span in the chunk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<(Span, String)>,
}

/// The structure around a chunk, as far as it is part of its identity.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Context {
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The parent lines of an outline item, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// The zone of the document.
    pub part: Part,
}

/// What kind of block a chunk came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChunkKind {
    /// A heading.
    Heading,
    /// Running text, or a sentence-bounded piece of a long paragraph.
    Prose,
    /// An item of a list or outline.
    Item,
    /// Rows of a table. Header names are text because the header stands in another chunk or above; the
    /// rows' cells are spans of the chunk's text (empty cells are empty spans).
    Rows {
        /// The names of the columns.
        header: Vec<String>,
        /// The cells of the rows in this chunk; `Table::header` is empty unless the header is in the chunk.
        cells: Table,
        /// For each column, the nearest non-empty value above this chunk's first row (for `fill_down`);
        /// empty where that row has a value of its own.
        above: Vec<String>,
    },
    /// Quoted text: not operative.
    Quote,
    /// Code: not prose.
    Code,
    /// The header fields of the document, as written.
    Fields,
}

/// The zone of a contract-like document in which a chunk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Before the recitals or the first numbered section.
    Preamble,
    /// "WHEREAS" paragraphs, or under a heading such as "Recitals" or "Background".
    Recitals,
    /// Under a heading such as "Definitions", or a paragraph that only defines a term.
    Definitions,
    /// The operative text.
    #[default]
    Body,
    /// Under a heading "Schedule", "Exhibit", "Annex" or "Appendix".
    Schedule,
    /// The signature block.
    Signature,
    /// A heading itself.
    Heading,
}

impl Chunk {
    /// Where in the file a byte offset of its text stands.
    pub fn spot_at(&self, offset: usize) -> Spot {
        spot_at(&self.body.text, &self.marks, offset)
    }

    /// Where in the file it begins.
    pub fn spot(&self) -> Spot {
        self.spot_at(0)
    }

    /// The id of a text in its context.
    pub fn id_of(body: &ChunkBody) -> ChunkId {
        let mut parts: Vec<&str> = vec![&body.text];
        let kind = format!("{:?}", body.kind);
        let part = format!("{:?}", body.context.part);
        let counts = format!("{} {}", body.context.headings.len(), body.context.parents.len());
        parts.extend([kind.as_str(), part.as_str(), counts.as_str()]);
        parts.extend(body.context.headings.iter().map(String::as_str));
        parts.extend(body.context.parents.iter().map(String::as_str));
        parts.extend(body.links.iter().map(|(_, target)| target.as_str()));
        ChunkId::of(&parts)
    }
}
