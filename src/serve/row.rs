//! The rows of an export: what each says, and under which id.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::at::At;
use super::edge::End;
use super::history::HistoryEntry;
use crate::model::chunk::Part;
use crate::model::time::Precision;

/// The version of the export's form.
pub const FORMAT: u32 = 1;

/// One row of an export. Each has an id, unique in its kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ExportRow {
    /// An entity.
    Entity {
        /// The key, as `Type:key`.
        id: String,
        /// The type.
        entity_type: String,
        /// The key inside its type.
        key: String,
        /// The name by which it goes, then its aliases.
        names: Vec<String>,
        /// Its properties.
        properties: BTreeMap<String, String>,
        /// True if no text names it.
        orphan: bool,
        /// True if no source holds it any more.
        tombstoned: bool,
        /// The key into which it was merged.
        merged_into: Option<String>,
    },
    /// An edge: one interval of a fact.
    Edge {
        /// The fact and the start: `fact@start`.
        id: String,
        /// The fact.
        fact: String,
        /// The subject's key.
        subject: String,
        /// The edge type.
        edge_type: String,
        /// The object's key.
        object: String,
        /// The first day; null if unknown.
        #[schemars(with = "Option<String>")]
        valid_from: Option<Date>,
        /// How finely the start was stated.
        #[schemars(with = "Option<String>")]
        from_precision: Option<Precision>,
        /// The first day that no longer belongs; null if open.
        #[schemars(with = "Option<String>")]
        valid_to: Option<Date>,
        /// True if it is over and nobody says since when.
        end_unknown: bool,
        /// The identity properties.
        identity: BTreeMap<String, String>,
        /// The properties that stand.
        properties: BTreeMap<String, String>,
        /// What ended it beside its own stated end.
        ended_by: Vec<End>,
    },
    /// An attestation of a fact.
    Evidence {
        /// The assertion.
        id: String,
        /// The fact.
        fact: String,
        /// `holds` or `ends`.
        claims: String,
        /// The document, if it was read in one.
        document: Option<String>,
        /// The chunk, as in a chunk's id.
        chunk: Option<String>,
        /// Where the quote begins in the chunk, in bytes.
        start: Option<usize>,
        /// Where it ends.
        end: Option<usize>,
        /// The feed, if it was read in one.
        feed: Option<String>,
        /// The key of the feed's row.
        row: Option<String>,
        /// The rule.
        rule: String,
        /// Its revision.
        revision: String,
        /// The quote.
        quote: String,
        /// What gave it meaning: role and text.
        support: Vec<(String, String)>,
        /// Properties as read.
        properties: BTreeMap<String, String>,
    },
    /// A chunk of a document.
    Chunk {
        /// `document#chunk#occurrence`.
        id: String,
        /// The document.
        document: String,
        /// Its place in the document, from 0.
        position: usize,
        /// Where in the file it begins.
        #[serde(flatten)]
        at: At,
        /// The zone of the document.
        #[schemars(with = "String")]
        part: Part,
        /// What kind of block it came from.
        block: String,
        /// The headings above it, outermost first.
        headings: Vec<String>,
        /// The parent lines of an outline item.
        parents: Vec<String>,
        /// The text.
        text: String,
        /// True if its document was withdrawn.
        withdrawn: bool,
    },
    /// A place in a chunk that names an entity.
    Mention {
        /// `document#chunk#occurrence@start-end`.
        id: String,
        /// The chunk, as in a chunk's id.
        chunk: String,
        /// Where it begins in the chunk, in bytes.
        start: usize,
        /// Where it ends.
        end: usize,
        /// The text there.
        surface: String,
        /// Whom it names; more than one means ambiguous.
        entities: Vec<String>,
        /// How the name was known.
        how: String,
    },
    /// What a generation changed in a fact: recorded time.
    History {
        /// `generation/fact`.
        id: String,
        /// The change.
        #[serde(flatten)]
        entry: HistoryEntry,
    },
}

impl ExportRow {
    /// The kind, as in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Entity { .. } => "entity",
            Self::Edge { .. } => "edge",
            Self::Evidence { .. } => "evidence",
            Self::Chunk { .. } => "chunk",
            Self::Mention { .. } => "mention",
            Self::History { .. } => "history",
        }
    }

    /// The id, unique in its kind.
    pub fn id(&self) -> &str {
        match self {
            Self::Entity { id, .. }
            | Self::Edge { id, .. }
            | Self::Evidence { id, .. }
            | Self::Chunk { id, .. }
            | Self::Mention { id, .. }
            | Self::History { id, .. } => id,
        }
    }
}
