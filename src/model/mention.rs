//! Mentions: where a text names something, and who that may be.

use serde::{Deserialize, Serialize};

use super::id::EntityKey;
use super::token::Span;

/// A place in a chunk that names one entity or one of several.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mention {
    /// Where it stands in the chunk; the text there is its surface.
    pub span: Span,
    /// Everyone whose name this is, sorted; more than one means ambiguous until something settles it.
    pub candidates: Vec<EntityKey>,
    /// How the name was known.
    pub how: Known,
}

/// How a mention's name was known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// A name, alias or key of the master data.
    Name,
    /// The full name of exactly one candidate stands earlier in the document and settled an ambiguity.
    EarlierFullName,
    /// A text in the form of a key pattern or of a part of a document ("Schedule 7"); the entity need not
    /// exist yet.
    Pattern,
    /// A term that the document defines; the definition stands elsewhere in it.
    Term {
        /// The term as defined.
        term: String,
    },
}

/// One name of an entity, as the linker takes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Name {
    /// Whose name.
    pub entity: EntityKey,
    /// The name as written.
    pub text: String,
    /// True for the name by which the entity goes, or went; false for aliases and keys.
    pub full: bool,
    /// True for a name that the entity had before it was renamed: it gives way to a name of today.
    pub former: bool,
}

/// What a slot of a rule came to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// Exactly one entity.
    Known(EntityKey),
    /// Two or more; nobody guesses.
    Ambiguous {
        /// The text.
        surface: String,
        /// Who it may be, sorted.
        candidates: Vec<EntityKey>,
    },
    /// A name that nobody knows.
    Unknown {
        /// The text.
        surface: String,
        /// The types that the slot takes.
        types: Vec<String>,
    },
}

impl Resolution {
    /// The entity, if it is known.
    pub fn known(&self) -> Option<&EntityKey> {
        match self {
            Self::Known(key) => Some(key),
            Self::Ambiguous { .. } | Self::Unknown { .. } => None,
        }
    }
}
