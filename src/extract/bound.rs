//! What a term or a binding stands for.

use serde::Serialize;

use crate::model::assertion::Supporting;
use crate::model::id::EntityKey;
use crate::model::time::DateExpr;
use crate::model::token::{fold, tokens};

/// Somebody as a text names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Named {
    /// The name in the text.
    pub(super) surface: String,
    /// Everyone whom it may name; empty if nobody is known by it.
    pub(super) candidates: Vec<EntityKey>,
}

/// What a term stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) enum Value {
    /// One entity, or every one of several ("each a "Supplier"").
    Names(Vec<Named>),
    /// A date.
    Date(DateExpr),
}

/// A term or binding in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Bound {
    /// The term as defined, or the name of the binding.
    pub(super) name: String,
    /// The term's tokens with their case; empty for the binding of a rule, which stands in no text.
    pub(super) term: Vec<String>,
    /// What it stands for.
    pub(super) value: Value,
    /// True if it is a date that ends a period: as an end it is the first day that no longer belongs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) period: bool,
    /// Where that is said.
    pub(super) support: Supporting,
}

impl Named {
    /// The same name with the candidates of these types only; `None` if it is a known name of others.
    pub(super) fn of_types(&self, types: &[String]) -> Option<Self> {
        let fits = |key: &&EntityKey| types.is_empty() || types.iter().any(|name| name == key.entity_type());
        let candidates: Vec<EntityKey> = self.candidates.iter().filter(fits).cloned().collect();
        let other = candidates.is_empty() && !self.candidates.is_empty();
        (!other).then(|| Self { surface: self.surface.clone(), candidates })
    }

    /// True if both name the same, as far as anyone knows.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        if self.candidates.is_empty() && other.candidates.is_empty() {
            fold(&self.surface) == fold(&other.surface)
        } else {
            self.candidates == other.candidates
        }
    }
}

impl Value {
    /// True if both stand for the same.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Names(left), Self::Names(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.agrees(right))
            }
            (Self::Date(left), Self::Date(right)) => left == right,
            _ => false,
        }
    }

    /// What a term stands for that is defined twice: either one, so nobody can say which.
    pub(super) fn either(name: &str, values: &[Self]) -> Self {
        let mut names = Vec::new();
        for value in values {
            match value {
                Self::Names(found) => names.extend(found.iter().cloned()),
                Self::Date(_) => return Self::Date(DateExpr::Ambiguous { text: name.to_owned() }),
            }
        }
        Self::Names(vec![merged(name, &names)])
    }
}

/// Several as one that is ambiguous. Where all but one are unknown, the one is not taken for all: then
/// nobody is known by the name.
pub(super) fn merged(surface: &str, names: &[Named]) -> Named {
    if let [one] = names {
        return one.clone();
    }
    let mut candidates: Vec<EntityKey> =
        names.iter().flat_map(|named| named.candidates.iter().cloned()).collect();
    candidates.sort();
    candidates.dedup();
    let unknown = names.iter().any(|named| named.candidates.is_empty());
    if unknown && candidates.len() == 1 {
        candidates.clear();
    }
    Named { surface: surface.to_owned(), candidates }
}

/// The tokens of a term, with their case.
pub(super) fn term_tokens(term: &str) -> Vec<String> {
    tokens(term).into_iter().map(|token| token.text.into()).collect()
}
