//! Groups: the facts that must be folded together, because one may end, bar or close a circle with another.

use std::fmt;
use std::str::FromStr;

use super::id::{AssertionId, EntityKey, FactId};

/// A group of facts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// An assertion without a fact: it can only wait in quarantine.
    Loose(AssertionId),
    /// All facts of an edge type: superseding and acyclic types.
    Type(String),
    /// All facts of an edge type with this subject: at most one object a subject.
    Subject(String, EntityKey),
    /// All facts of an edge type with this object: at most one subject an object.
    Object(String, EntityKey),
    /// One fact alone.
    Fact(FactId),
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loose(assertion) => write!(f, "loose {assertion}"),
            Self::Type(edge_type) => write!(f, "type {edge_type}"),
            Self::Subject(edge_type, key) => write!(f, "subject {edge_type} {key}"),
            Self::Object(edge_type, key) => write!(f, "object {edge_type} {key}"),
            Self::Fact(fact) => write!(f, "fact {fact}"),
        }
    }
}

impl FromStr for Group {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a group");
        let (kind, rest) = text.split_once(' ').ok_or_else(bad)?;
        let pair = || {
            let (edge_type, key) = rest.split_once(' ').ok_or_else(bad)?;
            Ok::<_, String>((edge_type.to_owned(), key.parse().map_err(|_| bad())?))
        };
        match kind {
            "loose" => rest.parse().map(Self::Loose).map_err(|_| bad()),
            "type" => Ok(Self::Type(rest.to_owned())),
            "subject" => pair().map(|(edge_type, key)| Self::Subject(edge_type, key)),
            "object" => pair().map(|(edge_type, key)| Self::Object(edge_type, key)),
            "fact" => rest.parse().map(Self::Fact).map_err(|_| bad()),
            _ => Err(bad()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_read_back() {
        let key = EntityKey::new("Component", "A B/1").unwrap();
        for group in [
            Group::Loose(AssertionId::of(&["a"])),
            Group::Type("supersedes".to_owned()),
            Group::Subject("supplied_by".to_owned(), key.clone()),
            Group::Object("supplies".to_owned(), key),
            Group::Fact(FactId::of(&["a"])),
        ] {
            assert_eq!(group.to_string().parse(), Ok(group));
        }
    }
}
