//! Assertions: what one rule read in one place, with its evidence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::id::{AssertionId, ChunkId, DocumentId, EntityKey, FactId, Fingerprint};
use super::mention::Resolution;
use super::time::{Bound, Date};
use super::token::Span;

/// What an assertion says of its fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// The fact holds.
    Holds,
    /// The fact has ended ("ceased to supply").
    Ends,
}

/// Where an assertion was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// In a chunk of a document.
    Chunk {
        /// The document.
        document: DocumentId,
        /// The chunk.
        chunk: ChunkId,
        /// Which of the equal chunks of the document.
        occurrence: u32,
    },
    /// In a row of a feed.
    Row {
        /// The feed.
        feed: String,
        /// The row's key: its identity among the rows of the feed.
        row: String,
    },
}

impl Origin {
    /// The source or feed that it belongs to.
    pub fn source(&self) -> &str {
        match self {
            Self::Chunk { document, .. } => document.source(),
            Self::Row { feed, .. } => feed,
        }
    }

    /// The document, if it was read in one.
    pub fn document(&self) -> Option<&DocumentId> {
        match self {
            Self::Chunk { document, .. } => Some(document),
            Self::Row { .. } => None,
        }
    }
}

/// One operative quote plus the spans that gave it meaning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Evidence {
    /// The quote: the sentence for `match`, the mapped cells for `table` and feeds, the raw value for
    /// `field`, the mention with its heading path for `mentions`.
    pub quote: String,
    /// Where the quote stands in its chunk; `None` for a feed row.
    pub span: Option<Span>,
    /// What else it rests on: a definition, a parent line, a table header, the source of a date.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub support: Vec<Supporting>,
}

/// A supporting span.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Supporting {
    /// What it does: `definition`, `parent`, `header`, `date`, `binding`, `self`, `program`.
    pub role: String,
    /// The text, verbatim.
    pub text: String,
    /// The chunk in which it stands, if it stands in another.
    pub chunk: Option<ChunkId>,
}

/// What an extractor hands over: an assertion whose endpoints are not yet resolved.
///
/// Public fields only: any combination is a legal reading, and the gate judges it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The rule's id.
    pub rule: String,
    /// The edge type.
    pub edge_type: String,
    /// Whether it says that the fact holds or has ended.
    pub says: Says,
    /// The subject.
    pub subject: Slot,
    /// The object.
    pub object: Slot,
    /// The start as read.
    pub valid_from: Option<Bound>,
    /// The end as read.
    pub valid_to: Option<Bound>,
    /// Properties as read.
    pub properties: BTreeMap<String, String>,
    /// How sure the program is that read it, in thousandths; `None` where the rule's confidence says all.
    pub confidence: Option<u16>,
    /// The evidence.
    pub evidence: Evidence,
    /// 0 for the first time that this rule reads this in the chunk, and so on.
    pub occurrence: u32,
}

/// The filler of a slot, before it is resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The text.
    pub surface: String,
    /// Everyone whom it may name, restricted to the slot's types; empty if nobody is known by it.
    pub candidates: Vec<EntityKey>,
    /// The types that the slot takes.
    pub types: Vec<String>,
}

/// An assertion as the store keeps it: an input of the fold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// (origin without the chunk, rule, fact, interval as read, quote, occurrence), hashed.
    pub id: AssertionId,
    /// Where it was read.
    pub origin: Origin,
    /// The edge type.
    pub edge_type: String,
    /// Whether it says that the fact holds or has ended.
    pub says: Says,
    /// The subject.
    pub subject: Resolution,
    /// The object.
    pub object: Resolution,
    /// The fact, if both endpoints are known.
    pub fact: Option<FactId>,
    /// The start as read.
    pub valid_from: Option<Bound>,
    /// The end as read.
    pub valid_to: Option<Bound>,
    /// Properties as read, identity properties among them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// How sure the program is that read it, in thousandths; the rule's confidence counts where it is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u16>,
    /// The evidence.
    pub evidence: Evidence,
    /// The hash of the quoted text: part of a decision's key.
    pub quote_hash: Fingerprint,
    /// The rule or feed mapping that read it.
    pub rule: String,
    /// That rule's revision: a hash of its text.
    pub revision: Fingerprint,
    /// Set when the text has left a source that declares `edits: amend` or `gone: expire`: the fact ends
    /// on this day as far as this assertion goes, and stays attested by the kept old text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
}

/// The day on which an assertion stopped holding because its text was amended away.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Left {
    /// The first day on which it no longer holds.
    pub on: Date,
    /// Why, in words for a person: "amended by the version effective 2024-06-01".
    pub why: String,
    /// The date of the document as it was when it still said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated: Option<Date>,
}

impl Assertion {
    /// How sure it is, 0 to 1: what the program said that read it, and no more than its rule's confidence.
    pub fn confidence(&self, of_rule: f64) -> f64 {
        self.confidence.map_or(of_rule, |said| of_rule.min(f64::from(said) / 1000.0))
    }

    /// The identity properties' (name, value) pairs, joined for the fact id.
    pub fn fact_id(
        subject: &EntityKey,
        edge_type: &str,
        object: &EntityKey,
        identity: &BTreeMap<String, String>,
    ) -> FactId {
        let (subject, object) = (subject.to_string(), object.to_string());
        let mut parts = vec![subject.as_str(), edge_type, object.as_str()];
        for (name, value) in identity {
            parts.push(name);
            parts.push(value);
        }
        FactId::of(&parts)
    }
}
