//! The ontology as meant: entity types, edge types, word lists and rules, checked and compiled.
//!
//! `ontology::file` reads `ontology/*.yaml` into these types and reports every problem at once. Nothing
//! here does I/O: the text of a file comes in as a value.

pub mod cues;
pub mod dates;
pub mod file;
mod key_forms;
pub mod language;
pub mod pattern;
pub mod template;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::access::Labels;
use crate::model::assertion::Says;
use crate::model::chunk::Part;
use crate::model::group::Group;
use crate::model::id::{EntityKey, FactId, Fingerprint};
use crate::model::job::{Limits, Program};

pub use key_forms::{Forms, KeyForms};
pub use language::Language;
pub use pattern::Pattern;
pub use template::Template;

/// A checked ontology. All names that one part uses of another exist.
#[derive(Debug, Clone, PartialEq)]
pub struct Ontology {
    /// The language of its rules: the name of a table in `ontology::language`.
    pub language: String,
    /// Entity types by name.
    pub entities: BTreeMap<String, EntityType>,
    /// Edge types by name.
    pub edges: BTreeMap<String, EdgeType>,
    /// Rules in the order in which they are written.
    pub rules: Vec<Rule>,
}

/// An entity type.
#[derive(Debug, Clone, PartialEq)]
pub struct EntityType {
    /// Its name.
    pub name: String,
    /// The feed that is the system of record, if there is one.
    pub system_of_record: Option<String>,
    /// How its names are compared.
    pub style: NameStyle,
    /// True if texts name its entities by names; false if by their keys alone, so that no other run of
    /// words is taken for one.
    pub named: bool,
    /// How its keys stand in running text, if they can be told by their form.
    pub keys: Option<KeyForms>,
    /// What becomes of a slot whose text nobody knows.
    pub on_unknown: OnUnknown,
    /// The types that an entity of this type may be a part of; its key is then (owner's key, own number).
    pub part_of: Vec<String>,
    /// The names of the parts of a compound key, in order, such as `[contract, number]`.
    pub key: Vec<String>,
    /// Where entities of this type come from besides feeds.
    pub create: Create,
    /// The form in which the text names a part: `(Schedule|Exhibit) {number}`.
    pub written: Option<Template>,
    /// The forms in which the text cites an entity: `{title} dated [as of] {dated}`; slots are properties,
    /// `key` or `title`.
    pub cite: Vec<Template>,
    /// Labels that a reader needs to see entities of this type.
    pub access: Labels,
}

/// How the names of a type are compared. Two texts name the same if they are equal after these steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NameStyle {
    /// True if "Acme" is not "ACME". Keys and names of companies fold case by default.
    pub case_sensitive: bool,
    /// True if a legal form ("Inc", "GmbH") at the end is optional.
    pub legal_forms: bool,
    /// True if leading zeros of a number do not count.
    pub ignore_leading_zeros: bool,
    /// True if spaces do not count.
    pub ignore_spaces: bool,
    /// True if hyphens do not count.
    pub ignore_hyphens: bool,
}

/// What becomes of a slot whose text nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnUnknown {
    /// The assertion waits in quarantine.
    #[default]
    Quarantine,
    /// An entity is created with the text as its key.
    Create,
    /// The assertion is dropped.
    Drop,
}

/// Where entities of a type come from besides feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Create {
    /// From nowhere else.
    #[default]
    Never,
    /// From documents that stand for one.
    FromDocument,
    /// From texts that name one by its written form, and from documents.
    FromText,
}

/// A side of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The subject.
    Subject,
    /// The object.
    Object,
}

/// An edge type.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeType {
    /// Its name.
    pub name: String,
    /// The types that its subject may have. At least one.
    pub subject: Vec<String>,
    /// The types that its object may have. At least one.
    pub object: Vec<String>,
    /// `Subject`: at most one subject an object on one day. `Object`: at most one object a subject.
    pub at_most_one: Option<Side>,
    /// True for superseding types: what documents that stand for the object attest ends when this starts.
    pub ends_object: bool,
    /// The name of the inverse, derived on reading and never counted.
    pub inverse: Option<String>,
    /// True if subject and object may be exchanged; the smaller key is stored as the subject.
    pub symmetric: bool,
    /// True if a circle is a mistake.
    pub acyclic: bool,
    /// Properties by name.
    pub properties: BTreeMap<String, Property>,
    /// True if an edge lives only by approved assertions.
    pub review_always: bool,
    /// Assertions of less confidence are quarantined. 0 to 1; default 0.8.
    pub threshold: f64,
    /// Labels that a reader needs to see edges of this type.
    pub access: Labels,
}

/// A property of an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// What its values look like.
    pub kind: ValueKind,
    /// True if it is part of the fact's identity.
    pub identity: bool,
    /// True if two values are a conflict instead of the later one winning.
    pub conflict: bool,
    /// Labels that a reader needs to see it.
    pub access: Labels,
}

/// What a property's values look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// Any text.
    Text,
    /// A number; digit grouping is removed.
    Number,
    /// A duration such as "45 days", stored as ISO 8601.
    Duration,
    /// A date.
    Date,
}

/// One extraction rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Its id, unique over the workspace.
    pub id: String,
    /// The hash of everything that decides what it extracts: not its confidence, not its examples.
    pub revision: Fingerprint,
    /// The edge type that it feeds; `None` for `bind`.
    pub edge: Option<String>,
    /// Whether it asserts that the fact holds or that it has ended.
    pub says: Says,
    /// What it does.
    pub kind: RuleKind,
    /// What fills the subject if no slot of that name does.
    pub subject: Option<Filler>,
    /// What fills the object if no slot of that name does.
    pub object: Option<Filler>,
    /// A document-wide interval: what fills `valid_from` if no slot does, such as `effective`; of several the first
    /// that the document has.
    pub valid_from: Vec<DateFiller>,
    /// What fills `valid_to` if no slot does, likewise.
    pub valid_to: Vec<DateFiller>,
    /// Where it applies; empty means everywhere.
    pub within: Vec<Zone>,
    /// Where it does not apply.
    pub not_within: Vec<Zone>,
    /// The classes of cues that are no reason to doubt what it reads; see `ontology::cues`.
    pub despite: BTreeSet<String>,
    /// How sure it is, 0 to 1; default 0.95. Read at the gate, so a change re-gates and extracts nothing.
    pub confidence: f64,
    /// The floor of its reviewed precision, 0 to 1, below which its assertions wait. Read at the gate too.
    pub precision: Option<f64>,
    /// Sentences that are tests.
    pub examples: Vec<Example>,
    /// The file it stands in and its line.
    pub at: (String, u32),
}

/// What fills an endpoint that no slot fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filler {
    /// The entity for which the document stands.
    Document,
    /// What a `bind` rule named.
    Binding(String),
}

/// What fills a date that no slot fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DateFiller {
    /// The document's effective date.
    Effective,
    /// A date term that the document defines, or a date that a `bind` rule named.
    Binding(String),
    /// A period after the document's effective date.
    AfterEffective(crate::model::time::Period),
}

impl DateFiller {
    /// True if it is what the document calls by a name, and not its effective date.
    pub fn is_binding(&self) -> bool {
        matches!(self, Self::Binding(_))
    }
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// A structural part.
    Part(Part),
    /// Under a heading that contains one of these texts, without regard to case.
    Heading(Vec<String>),
    /// In a document whose header field has one of these values.
    Field(String, Vec<String>),
}

/// What a rule does.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleKind {
    /// Finds a pattern within one sentence.
    Match(Pattern),
    /// Asserts for every mention of a type in the zone. The side that the mentions fill, and their types.
    Mentions {
        /// The side.
        side: Side,
        /// The types.
        types: Vec<String>,
    },
    /// Asserts for everyone for whom the document defines a term: `Acme plc (the "Buyer")`.
    Defines {
        /// The side.
        side: Side,
        /// The types.
        types: Vec<String>,
    },
    /// Reads header fields. Slot name (`subject`, `object`, `valid_from`, `valid_to`, a property) → the
    /// names that the field may have, compared without regard to case and of `_`, `-` and spaces.
    Field(BTreeMap<String, Vec<String>>),
    /// Reads tables.
    Table(TableRule),
    /// Reads links: the target is matched against the key template of the object's type, or against the
    /// paths of documents, which stand for entities.
    Link {
        /// The form of the target; slots `subject` or `object` hold a key. `None`: a document's path.
        target: Option<Template>,
    },
    /// Asserts nothing; names an entity, date or document for a scope.
    Bind {
        /// The name that other rules use: a slot of the pattern.
        name: String,
        /// The pattern.
        pattern: Pattern,
        /// For how far.
        scope: Scope,
        /// True if of several places the first counts; else places that differ leave the name open.
        first: bool,
    },
    /// Asks a program of the user's what a chunk asserts.
    External(External),
}

/// What a program of the user's is asked, and by which rule.
#[derive(Debug, Clone, PartialEq)]
pub struct External {
    /// The program.
    pub program: Program,
    /// The edge types that it may assert beside the rule's own.
    pub edges: Vec<String>,
    /// It is asked only about chunks that hold a word of this pattern; `None`: about all.
    pub words: Option<Pattern>,
    /// The header fields of the document that it is told.
    pub fields: Vec<String>,
    /// What one answer may take: time, and the memory of its process.
    pub limits: Limits,
}

/// How far a binding reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The whole document.
    Document,
    /// The items of the outline under the binding line.
    ItemsBelow,
    /// The section (same heading path or below).
    Section,
    /// The next table in the section.
    Table,
}

/// How a table is read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableRule {
    /// The table stands under a heading that contains one of these; empty means any.
    pub under: Vec<String>,
    /// Slot name (`subject`, `object`, `valid_from`, `valid_to`, a property) → the names its column may
    /// have. A table without one of the endpoint columns does not match.
    pub columns: BTreeMap<String, Vec<String>>,
    /// Slots whose empty cells take the value above.
    pub fill_down: BTreeSet<String>,
    /// Rows whose first non-empty cell begins with one of these are left out.
    pub skip_rows: Vec<String>,
}

/// A sentence with what a rule must find in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The text: a small document. `…` stands for text left out.
    pub text: String,
    /// Terms that the document defines elsewhere: name → ISO date, or an entity's name.
    pub given: BTreeMap<String, String>,
    /// What must be found, as `<subject> <edge type> <object> [from DATE] [until DATE]`; empty: nothing.
    pub finds: Vec<String>,
    /// The line of the file.
    pub line: u32,
}

impl EdgeType {
    /// The facts with which a fact of this type must be folded.
    pub fn group(&self, subject: &EntityKey, object: &EntityKey, fact: FactId) -> Group {
        if self.ends_object || self.acyclic {
            return Group::Type(self.name.clone());
        }
        match self.at_most_one {
            // At most one subject an object: the facts that share the object compete.
            Some(Side::Subject) => Group::Object(self.name.clone(), object.clone()),
            Some(Side::Object) => Group::Subject(self.name.clone(), subject.clone()),
            None => Group::Fact(fact),
        }
    }

    /// When facts of this type are folded: superseding types first, since what they end is an input of the rest.
    pub fn stratum(&self) -> u8 {
        if self.ends_object { 1 } else { 2 }
    }
}

impl Ontology {
    /// True if documents make this entity by asserting something of it: its type takes what no feed knows, and
    /// its key has the form of the type's keys.
    pub fn makes(&self, key: &EntityKey) -> bool {
        let kind = self.entities.get(key.entity_type()).filter(|kind| kind.on_unknown == OnUnknown::Create);
        let form = kind.and_then(|kind| kind.keys.as_ref());
        form.is_some_and(|keys| keys.key_of(key.key()).as_deref() == Some(key.key()))
    }

    /// The rule with this id.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The fingerprint of everything but confidences, thresholds and examples.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut parts = vec![format!("{:?}", self.language), format!("{:?}", self.entities)];
        for edge in self.edges.values() {
            parts.push(format!("{:?}", EdgeType { threshold: 0.0, ..edge.clone() }));
        }
        parts.extend(self.rules.iter().map(|rule| rule.revision.to_string()));
        Fingerprint::of(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }
}
