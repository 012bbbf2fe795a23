//! What a question says, read: which nodes it is about and which edges it may take.

use std::collections::{BTreeMap, BTreeSet};

use super::ground::Node;
use super::snapshot::Snapshot;
use super::trail::{Pass, Way};
use crate::diag::nearest;
use crate::model::id::EntityKey;
use crate::model::token::fold;
use crate::serve::{Error, Graph, find};
use crate::store::Kind;

/// A condition on a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The property.
    pub property: String,
    /// How it is compared.
    pub test: Test,
    /// With what; for equality any of them.
    pub values: Vec<String>,
}

/// How a property is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// It is one of the values, without regard to case.
    Is,
    /// It is none of the values; a node without the property passes.
    IsNot,
    /// It contains one of the values, without regard to case.
    Has,
    /// It is at least the value: as a number where both are, else as a text.
    AtLeast,
    /// It is at most the value.
    AtMost,
}

impl Condition {
    /// Reads `property=value|value`, `!=`, `~`, `>=` or `<=`.
    pub fn read(text: &str) -> Result<Self, String> {
        const TESTS: [(&str, Test); 5] = [
            ("!=", Test::IsNot),
            (">=", Test::AtLeast),
            ("<=", Test::AtMost),
            ("=", Test::Is),
            ("~", Test::Has),
        ];
        let place = |(sign, test): &(&'static str, Test)| text.find(sign).map(|at| (at, *sign, *test));
        // The earliest sign, and of two at one place the longer.
        let found = TESTS.iter().filter_map(place).min_by_key(|(at, sign, _)| (*at, 9 - sign.len()));
        let Some((at, sign, test)) = found.filter(|(at, ..)| *at > 0) else {
            return Err(
                "write property=value, property!=value, property~part, property>=value or property<=value"
                    .to_owned(),
            );
        };
        let values = text[at + sign.len()..].split('|').map(|value| value.trim().to_owned()).collect();
        Ok(Self { property: text[..at].trim().to_owned(), test, values })
    }

    /// True if a value passes.
    fn passes(&self, value: Option<&String>) -> bool {
        let Some(value) = value else { return self.test == Test::IsNot };
        let is = |wanted: &String| fold(wanted) == fold(value);
        match self.test {
            Test::Is => self.values.iter().any(is),
            Test::IsNot => !self.values.iter().any(is),
            Test::Has => self.values.iter().any(|wanted| fold(value).contains(&fold(wanted))),
            Test::AtLeast => self.values.iter().any(|wanted| compared(value, wanted).is_ge()),
            Test::AtMost => self.values.iter().any(|wanted| compared(value, wanted).is_le()),
        }
    }
}

/// As numbers where both are, else as texts.
fn compared(a: &str, b: &str) -> std::cmp::Ordering {
    match (a.trim().parse::<f64>(), b.trim().parse::<f64>()) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    }
}

/// Nodes that a question is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// The entities, in the order in which they were named; those of a type by key.
    pub keys: Vec<EntityKey>,
}

impl Chosen {
    /// The nodes of these entities on a ground.
    pub fn on(&self, ground: &mut dyn super::Ground) -> Vec<Node> {
        self.keys.iter().filter_map(|key| ground.number(key)).collect()
    }
}

/// The entity types that the reader may see.
fn entity_types<'g>(graph: &'g Graph<'_>) -> Vec<&'g str> {
    let open = |labels| graph.sees_everything() || graph.lens().reader.sees(labels);
    let types = graph.catalog().entity_access.iter();
    types.filter(|(_, labels)| open(labels)).map(|(name, _)| name.as_str()).collect()
}

/// True if a word is an entity type that the reader may see.
pub fn entity_type(graph: &Graph<'_>, word: &str) -> bool {
    entity_types(graph).contains(&word)
}

/// That there is no such entity type, with the nearest that there is.
pub fn no_entity_type(graph: &Graph<'_>, word: &str) -> Error {
    let types = entity_types(graph);
    let hint = match nearest(word, types.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the entity types are: {}", types.join(", ")),
    };
    Error::asked(format!("there is no entity type `{word}`"), hint)
}

/// The nodes that words and conditions choose: an entity type stands for all of its nodes, any other word
/// for the entity of that name or key; no word stands for every node. A snapshot is needed for types, for
/// conditions, and where there is no word.
pub fn choose(
    graph: &Graph<'_>,
    snapshot: Option<&Snapshot>,
    words: &[String],
    conditions: &[Condition],
) -> Result<Chosen, Error> {
    let mut keys: Vec<EntityKey> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |key: &EntityKey| {
        if seen.insert(key.clone()) {
            keys.push(key.clone());
        }
    };
    let standing = |wanted: Option<&str>, add: &mut dyn FnMut(&EntityKey)| {
        for (snapshot, node) in snapshot.iter().flat_map(|one| one.nodes().map(move |node| (one, node))) {
            let key = snapshot.table().key(node);
            if wanted.is_none_or(|wanted| key.entity_type() == wanted) {
                add(key);
            }
        }
    };
    if words.is_empty() {
        standing(None, &mut add);
    }
    for word in words {
        if entity_type(graph, word) {
            standing(Some(word), &mut add);
        } else {
            add(&found(graph, word)?);
        }
    }
    if let Some(snapshot) = snapshot
        && !conditions.is_empty()
    {
        keys = filtered(snapshot, keys, conditions)?;
    }
    Ok(Chosen { keys })
}

/// The entity of a word that is no entity type.
fn found(graph: &Graph<'_>, word: &str) -> Result<EntityKey, Error> {
    match find(graph, word) {
        Ok(found) => Ok(found.entity),
        Err(Error::Asked { message, hint }) => {
            let near = nearest(word, entity_types(graph));
            let hint = match (near, hint) {
                (Some(near), Some(hint)) => Some(format!("did you mean the type `{near}`? Else, {hint}")),
                (Some(near), None) => Some(format!("did you mean the type `{near}`?")),
                (None, hint) => hint,
            };
            Err(Error::Asked { message, hint })
        }
        Err(error) => Err(error),
    }
}

fn filtered(
    snapshot: &Snapshot,
    keys: Vec<EntityKey>,
    conditions: &[Condition],
) -> Result<Vec<EntityKey>, Error> {
    let none = BTreeMap::new();
    let properties =
        |key: &EntityKey| snapshot.table().number(key).map_or(&none, |node| snapshot.properties(node));
    // A misspelled property must not read as "nothing is so".
    let known: BTreeSet<&str> =
        keys.iter().flat_map(|key| properties(key).keys().map(String::as_str)).collect();
    for condition in conditions {
        if !keys.is_empty() && !known.contains(condition.property.as_str()) {
            let hint = match nearest(&condition.property, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "they have no properties".to_owned(),
                None => format!("their properties are: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
            };
            return Err(Error::asked(
                format!("none of these nodes has a property `{}`", condition.property),
                hint,
            ));
        }
    }
    let passes = |key: &EntityKey| {
        conditions.iter().all(|condition| condition.passes(properties(key).get(&condition.property)))
    };
    Ok(keys.iter().filter(|key| passes(key)).cloned().collect())
}

/// Reads which edges may be taken: `type`, `in:type`, `out:type`, the name of an inverse, `*`; several
/// joined by `|`.
pub fn edge_passes(graph: &Graph<'_>, text: &str) -> Result<Vec<Pass>, Error> {
    text.split('|').map(|word| edge_pass(graph, word.trim())).collect()
}

fn edge_pass(graph: &Graph<'_>, word: &str) -> Result<Pass, Error> {
    let (way, name) = match word.split_once(':') {
        Some(("in", name)) => (Way::In, name),
        Some(("out", name)) => (Way::Out, name),
        _ => (Way::Either, word),
    };
    if name == "*" {
        return Ok(Pass { edge_type: None, way });
    }
    let catalog = graph.catalog();
    let known = |name: &str| catalog.endpoints.contains_key(name) && graph.sees_type(name);
    // A configuration that does not load names none.
    if known(name) || catalog.endpoints.is_empty() {
        return Ok(Pass { edge_type: Some(name.to_owned()), way });
    }
    let inverse = catalog.inverses.iter().find(|(of, inverse)| *inverse == name && graph.sees_type(of));
    if let Some((of, _)) = inverse {
        let way = match way {
            Way::Either | Way::Out => Way::In,
            Way::In => Way::Out,
        };
        return Ok(Pass { edge_type: Some(of.clone()), way });
    }
    // A type that the ontology no longer has may still stand in an earlier generation.
    if graph.sees_type(name)
        && !catalog.endpoints.contains_key(name)
        && graph.view().any(Kind::Fact, "edge_type", name)?
    {
        return Ok(Pass { edge_type: Some(name.to_owned()), way });
    }
    let types: Vec<&str> =
        catalog.endpoints.keys().map(String::as_str).filter(|name| graph.sees_type(name)).collect();
    let hint = match nearest(name, types.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "the edge types are: {}; `in:` or `out:` before one gives its direction",
            types.join(", ")
        ),
    };
    Err(Error::asked(format!("there is no edge type `{name}`"), hint))
}
