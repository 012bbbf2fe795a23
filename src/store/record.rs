//! The kinds of record: what is kept, under which id, and by what it is looked up.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::links;
use crate::model::access::Labels;
use crate::model::act::{Act, Input, Undone};
use crate::model::assertion::{Assertion, Origin};
use crate::model::cause::Cause;
use crate::model::chunk::{Chunk, ChunkBody};
use crate::model::decision::Decision;
use crate::model::document::HeaderField;
use crate::model::entity::EntityClaim;
use crate::model::fact::{Edge, Fact, Incumbent, PendingEnd, Quarantined};
use crate::model::id::{ChunkId, DocumentId, EntityKey, FactId, Fingerprint};
use crate::model::mention::Mention;
use crate::model::spot::{Marks, Spot, spot_at};
use crate::model::time::Date;

/// A kind of record; its name is the table's and the changelog's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The ontology as it was when the generation was published.
    Ontology,
    /// How far a source or feed was read, and what was accepted of it.
    Scope,
    /// A row of a feed.
    Row,
    /// A claim that an entity exists.
    Entity,
    /// A document version.
    Document,
    /// A chunk's text and context, kept once however many documents hold it.
    Chunk,
    /// What was read in a chunk of a document.
    Extraction,
    /// An assertion.
    Assertion,
    /// A decision.
    Decision,
    /// What a person did with a whole run or generation.
    Act,
    /// An input that a rollback took out of the graph.
    Undone,
    /// What a purge took out of a generation.
    Redaction,
    /// Who stands in a conflict.
    Incumbent,
    /// A fact with its edges.
    Fact,
    /// An assertion in quarantine.
    Quarantine,
    /// An end that waits.
    Pending,
    /// What changed in a generation, and why.
    Change,
    /// How many facts a segment (edge type × source) has.
    Census,
}

impl Kind {
    /// All kinds, in the order in which they are written to the changelog.
    pub const ALL: [Self; 18] = [
        Self::Ontology,
        Self::Scope,
        Self::Row,
        Self::Entity,
        Self::Document,
        Self::Chunk,
        Self::Extraction,
        Self::Assertion,
        Self::Decision,
        Self::Act,
        Self::Undone,
        Self::Redaction,
        Self::Incumbent,
        Self::Fact,
        Self::Quarantine,
        Self::Pending,
        Self::Change,
        Self::Census,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ontology => "ontology",
            Self::Scope => "scope",
            Self::Row => "feed_row",
            Self::Entity => "entity",
            Self::Document => "document",
            Self::Chunk => "chunk",
            Self::Extraction => "extraction",
            Self::Assertion => "assertion",
            Self::Decision => "decision",
            Self::Act => "act",
            Self::Undone => "undone",
            Self::Redaction => "redaction",
            Self::Incumbent => "incumbent",
            Self::Fact => "fact",
            Self::Quarantine => "quarantine",
            Self::Pending => "pending_end",
            Self::Change => "change",
            Self::Census => "census",
        }
    }

    /// The kind of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The columns beside the body: what records of the kind are looked up by, then what a look-up says of them
    /// without reading them.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Ontology
            | Self::Scope
            | Self::Chunk
            | Self::Act
            | Self::Undone
            | Self::Redaction
            | Self::Quarantine
            | Self::Census => &[],
            Self::Pending => &["fact"],
            Self::Row => &["feed"],
            Self::Entity => &["entity", "feed", "document", "merged_into"],
            Self::Document => &["source", "stands_for", "content", "withheld"],
            Self::Extraction => &["document", "chunk"],
            Self::Assertion => {
                &["document", "feed", "feed_row", "chunk", "fact", "edge_type", "subject", "object", "quote"]
            }
            Self::Decision => &["fact"],
            Self::Incumbent => &["stands", "against"],
            Self::Fact => &["subject", "object", "edge_type", "intervals"],
            Self::Change => &["fact"],
        }
    }

    /// The columns by which records of the kind are looked up.
    pub fn lookups(self) -> &'static [&'static str] {
        let columns = self.columns();
        if self == Self::Fact { &columns[..3] } else { columns }
    }

    /// True if the records are part of the state digest: what the graph says, not how it was read.
    pub fn is_state(self) -> bool {
        matches!(self, Self::Assertion | Self::Fact | Self::Quarantine | Self::Pending)
    }
}

/// A kind of record as a type.
pub trait Record: Serialize + DeserializeOwned {
    /// Its kind.
    const KIND: Kind;

    /// Its id, unique among the live records of its kind.
    fn id(&self) -> String;

    /// The values of the columns that stand beside the body, in the order of [`Kind::lookups`].
    fn columns(&self) -> Vec<Option<String>>;
}

/// How far a source or feed was read, and what was accepted of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeRecord {
    /// The source or feed.
    pub name: String,
    /// The hash of its configuration: a change re-reads it.
    pub config: Fingerprint,
    /// For a feed: the hash of the bytes last accepted. For a source: what its `parser` was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Fingerprint>,
    /// For a feed: how many rows were last accepted.
    #[serde(default)]
    pub rows: usize,
    /// For a feed: its columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Labels that a reader needs for everything in it.
    #[serde(default)]
    pub access: Labels,
    /// When a run last found that it had changed, as an RFC 3339 time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<String>,
    /// Who last accepted a loss in it, when and why; words that one run carried out together are joined by `; `.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
}

impl ScopeRecord {
    /// True of a feed of which rows were accepted. Of a source the content is that of its parser.
    pub fn is_feed(&self) -> bool {
        self.content.is_some() && !self.columns.is_empty()
    }
}

impl Record for ScopeRecord {
    const KIND: Kind = Kind::Scope;
    fn id(&self) -> String {
        self.name.clone()
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

/// The ontology as it was when a generation was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OntologyRecord {
    /// Its name.
    pub name: String,
    /// The fingerprint of everything but rules, confidences, thresholds and examples.
    pub types: Fingerprint,
    /// The fingerprint of confidences, thresholds and review: a change re-gates and extracts nothing.
    pub policy: Fingerprint,
    /// Rule id → revision.
    pub rules: BTreeMap<String, Fingerprint>,
    /// The fingerprints of the stages' code.
    pub stages: Vec<String>,
    /// The file as written, so that the store holds every input of a rebuild.
    pub text: String,
}

impl Record for OntologyRecord {
    const KIND: Kind = Kind::Ontology;
    fn id(&self) -> String {
        self.name.clone()
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

/// A row of a feed as last accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowRecord {
    /// The feed.
    pub feed: String,
    /// The row's key.
    pub key: String,
    /// The physical line on which it was last changed; 0 if it left its feed and is kept all the same.
    pub line: u32,
    /// The cells.
    pub cells: BTreeMap<String, String>,
}

impl Record for RowRecord {
    const KIND: Kind = Kind::Row;
    fn id(&self) -> String {
        format!("{}/{}", self.feed, self.key)
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![Some(self.feed.clone())]
    }
}

/// A claim that an entity exists.
pub type EntityRecord = EntityClaim;

impl Record for EntityClaim {
    const KIND: Kind = Kind::Entity;
    fn id(&self) -> String {
        match &self.origin {
            Origin::Row { feed, row } => format!("{} row {feed}/{row}", self.entity),
            Origin::Chunk { document, .. } => format!("{} in {document}", self.entity),
        }
    }
    fn columns(&self) -> Vec<Option<String>> {
        let (feed, document) = match &self.origin {
            Origin::Row { feed, row } => (Some(format!("{feed}/{row}")), None),
            Origin::Chunk { document, .. } => (None, Some(document.to_string())),
        };
        let merged = self.merged_into.as_ref().map(EntityKey::to_string);
        vec![Some(self.entity.to_string()), feed, document, merged]
    }
}

/// A document version: what is true of the document as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRecord {
    /// The document.
    pub document: DocumentId,
    /// Its path below the source's folder.
    pub path: String,
    /// The hash of its bytes.
    pub content: Fingerprint,
    /// How many bytes its parsed text has.
    pub text_len: usize,
    /// Its title.
    pub title: String,
    /// The entity for which it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<EntityKey>,
    /// Its effective date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective: Option<Date>,
    /// The day of which it is dated: its effective date, else a header field that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dated: Option<Date>,
    /// Labels that a reader needs.
    #[serde(default)]
    pub access: Labels,
    /// True if its source says that it was withdrawn: its edges are unusable and its text hidden from search.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// Who retracted it by command, when and why; the same effect as `withdrawn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retracted: Option<String>,
    /// Its header fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<HeaderField>,
    /// The rules whose programs gave no answer on some chunk of it: what they said stays, and they are asked again.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub withheld: BTreeSet<String>,
    /// Its chunks in order.
    pub chunks: Vec<ChunkRef>,
}

/// Where a chunk stands in a document version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkRef {
    /// The chunk.
    pub id: ChunkId,
    /// Which of the equal chunks.
    pub occurrence: u32,
    /// Its offset in the document's text.
    pub start: usize,
    /// The line of the file in which it begins; 0 if the file has no lines.
    pub line: u32,
    /// Where the lines of the file do not go on one by one with those of its text: the offset in the text, and how
    /// many lines below `line` it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<(usize, u32)>,
    /// Where it stands in a file without lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spots: Marks,
}

impl ChunkRef {
    /// Where a chunk stands.
    pub fn of(chunk: &Chunk) -> Self {
        let line = chunk.spot().line();
        let breaks = chunk.marks.iter().filter(|(at, _)| *at > 0 && line > 0);
        Self {
            id: chunk.id,
            occurrence: chunk.occurrence,
            start: chunk.start,
            line,
            breaks: breaks.map(|(at, spot)| (*at, spot.line().saturating_sub(line))).collect(),
            spots: if line == 0 { chunk.marks.clone() } else { Vec::new() },
        }
    }

    /// The chunk that stands there.
    pub fn chunk(&self, body: ChunkBody) -> Chunk {
        Chunk { id: self.id, occurrence: self.occurrence, start: self.start, marks: self.marks(), body }
    }

    fn marks(&self) -> Marks {
        let breaks =
            self.breaks.iter().map(|(at, below)| (*at, Spot::Line(self.line.saturating_add(*below))));
        let first = std::iter::once((0, Spot::Line(self.line))).filter(|_| self.line > 0);
        first.chain(breaks).chain(self.spots.iter().cloned()).collect()
    }

    /// Where in the file a byte offset of the chunk's text stands.
    pub fn spot_at(&self, text: &str, offset: usize) -> Spot {
        spot_at(text, &self.marks(), offset)
    }

    /// Where in the file the chunk begins.
    pub fn spot(&self) -> Spot {
        self.spots.first().map_or(Spot::Line(self.line), |(_, spot)| spot.clone())
    }
}

impl DocumentRecord {
    /// True if nothing that it says counts.
    pub fn is_unusable(&self) -> bool {
        self.withdrawn || self.retracted.is_some()
    }
}

impl Record for DocumentRecord {
    const KIND: Kind = Kind::Document;
    fn id(&self) -> String {
        self.document.to_string()
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![
            Some(self.document.source().to_owned()),
            self.stands_for.as_ref().map(EntityKey::to_string),
            Some(self.content.to_string()),
            self.withheld.first().cloned(),
        ]
    }
}

/// A chunk's text and context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkRecord {
    /// The hash of the body.
    pub id: ChunkId,
    /// Text, context and kind.
    #[serde(flatten)]
    pub body: ChunkBody,
}

impl Record for ChunkRecord {
    const KIND: Kind = Kind::Chunk;
    fn id(&self) -> String {
        self.id.to_string()
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

/// What was read in a chunk of a document: the key under which extraction is skipped, and the mentions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extraction {
    /// The document.
    pub document: DocumentId,
    /// The chunk.
    pub chunk: ChunkId,
    /// Which of the equal chunks.
    pub occurrence: u32,
    /// The fingerprint of everything that the extraction depended on.
    pub input: Fingerprint,
    /// The mentions in it.
    pub mentions: Vec<Mention>,
    /// Of the rules that ask programs of the user's, those that were answered → the fingerprint of what they asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answered: BTreeMap<String, Fingerprint>,
}

impl Extraction {
    /// The id of the extraction of a chunk of a document.
    pub fn id_of(document: &DocumentId, chunk: ChunkId, occurrence: u32) -> String {
        format!("{document}#{chunk}#{occurrence}")
    }
}

impl Record for Extraction {
    const KIND: Kind = Kind::Extraction;
    fn id(&self) -> String {
        Self::id_of(&self.document, self.chunk, self.occurrence)
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![Some(self.document.to_string()), Some(self.chunk.to_string())]
    }
}

impl Record for Assertion {
    const KIND: Kind = Kind::Assertion;
    fn id(&self) -> String {
        self.id.to_string()
    }
    fn columns(&self) -> Vec<Option<String>> {
        let (document, feed, row, chunk) = match &self.origin {
            Origin::Chunk { document, chunk, .. } => {
                (Some(document.to_string()), None, None, Some(chunk.to_string()))
            }
            Origin::Row { feed, row } => (None, Some(feed.clone()), Some(format!("{feed}/{row}")), None),
        };
        vec![
            document,
            feed,
            row,
            chunk,
            self.fact.map(|fact| fact.to_string()),
            Some(self.edge_type.clone()),
            self.subject.known().map(EntityKey::to_string),
            self.object.known().map(EntityKey::to_string),
            Some(self.quote_hash.to_string()),
        ]
    }
}

impl Record for Decision {
    const KIND: Kind = Kind::Decision;
    fn id(&self) -> String {
        // Padded, so that the order of the ids is the order of the log.
        format!("{:08}", self.number)
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![Some(self.question.fact.to_string())]
    }
}

impl Record for Act {
    const KIND: Kind = Kind::Act;
    fn id(&self) -> String {
        // Padded, so that the order of the ids is the order of the log.
        format!("{:08}", self.number)
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

impl Record for Undone {
    const KIND: Kind = Kind::Undone;
    fn id(&self) -> String {
        match self.input {
            Input::Document => format!("document {}", self.document),
            Input::Feed => format!("feed {}", self.source),
        }
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

impl Record for Incumbent {
    const KIND: Kind = Kind::Incumbent;
    fn id(&self) -> String {
        format!("{} over {}", self.stands, self.against)
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![Some(self.stands.to_string()), Some(self.against.to_string())]
    }
}

impl Record for Fact {
    const KIND: Kind = Kind::Fact;
    fn id(&self) -> String {
        self.id.to_string()
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![
            Some(self.subject.to_string()),
            Some(self.object.to_string()),
            Some(self.edge_type.clone()),
            Some(links::intervals_of(self)),
        ]
    }
}

impl Record for Quarantined {
    const KIND: Kind = Kind::Quarantine;
    fn id(&self) -> String {
        self.assertion.to_string()
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

impl Record for PendingEnd {
    const KIND: Kind = Kind::Pending;
    fn id(&self) -> String {
        format!("{} by {}", self.fact, self.assertion)
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![Some(self.fact.to_string())]
    }
}

/// What changed in a fact in one generation, and why: the line that `history` and the drift report read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The generation.
    pub generation: u64,
    /// The fact.
    pub fact: FactId,
    /// Subject, edge type and object, for people.
    pub says: String,
    /// What kind of change.
    pub change: ChangeKind,
    /// The edges before.
    pub before: Vec<Edge>,
    /// The edges after.
    pub after: Vec<Edge>,
    /// The primary cause.
    pub cause: Cause,
    /// Which document, row, rule or decision, for people.
    pub detail: String,
}

/// What kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The fact is new, or back.
    Added,
    /// Its last attestation went.
    Retracted,
    /// Another interval or property.
    Changed,
    /// An end went away, and the edge holds longer again.
    Revived,
}

impl Record for Change {
    const KIND: Kind = Kind::Change;
    fn id(&self) -> String {
        format!("{:08}/{}", self.generation, self.fact)
    }
    fn columns(&self) -> Vec<Option<String>> {
        vec![Some(self.fact.to_string())]
    }
}

/// How many facts a segment has: the numbers of the drift report, kept so that no run has to count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CensusRecord {
    /// The edge type.
    pub edge_type: String,
    /// The source or feed that attests them.
    pub source: String,
    /// How many.
    pub facts: u64,
}

impl Record for CensusRecord {
    const KIND: Kind = Kind::Census;
    fn id(&self) -> String {
        format!("{} {}", self.edge_type, self.source)
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}
