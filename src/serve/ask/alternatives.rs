//! Who else could stand in a place: who does the same for another node of the same kind.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::ground::Node;
use super::snapshot::Snapshot;
use super::tell::{AskEdge, Head, Teller};
use super::trail::{Pass, compile, says};
use crate::diag::count;
use crate::model::token::fold;
use crate::serve::{Endpoint, Error, Graph};

/// Who else could stand in a place.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AlternativesView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// The node whose edges are asked about.
    pub of: Endpoint,
    /// What a node must share with it to be alike.
    pub shared: Vec<Shared>,
    /// Who stands there now.
    pub present: Vec<Instead>,
    /// The nodes that are alike, by key.
    pub alike: Vec<Endpoint>,
    /// Who stands at one that is alike and not at this one, by key.
    pub others: Vec<Instead>,
    /// The edges.
    pub edges: Vec<AskEdge>,
}

/// A property that makes nodes alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shared {
    /// The property.
    pub property: String,
    /// Its value.
    pub value: String,
}

/// Who stands in a place, by which edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Instead {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// The edges: numbers of the answer's edges.
    pub edges: Vec<usize>,
}

/// Who stands at a node of the same type and the same values of some properties, and not at this one.
pub fn alternatives(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    node: Node,
    passes: &[Pass],
    same: &[String],
    mut teller: Teller<'_>,
) -> Result<AlternativesView, Error> {
    let mut ground = snapshot;
    let compiled = compile(passes, &mut ground);
    let table = snapshot.table();
    let mut shared = Vec::new();
    for property in same {
        super::count::known_property(snapshot, &[node], property)?;
        let value = snapshot.properties(node).get(property).cloned().unwrap_or_default();
        shared.push(Shared { property: property.clone(), value });
    }
    let is_alike = |other: &Node| {
        *other != node
            && table.key(*other).entity_type() == table.key(node).entity_type()
            && shared.iter().all(|one| {
                snapshot
                    .properties(*other)
                    .get(&one.property)
                    .is_some_and(|value| fold(value) == fold(&one.value))
            })
    };
    let at = |node: Node| table.steps(node).iter().filter(|step| compiled.admits(step));
    let alike: Vec<Node> = snapshot.nodes().filter(is_alike).collect();
    let mut present: BTreeMap<Node, Vec<u32>> = BTreeMap::new();
    for step in at(node) {
        present.entry(step.other).or_default().push(step.link);
    }
    let mut others: BTreeMap<Node, Vec<u32>> = BTreeMap::new();
    for step in alike.iter().flat_map(|node| at(*node)) {
        if !present.contains_key(&step.other) {
            others.entry(step.other).or_default().push(step.link);
        }
    }
    let mut told = |found: &BTreeMap<Node, Vec<u32>>| -> Vec<Instead> {
        let one = |(node, links): (&Node, &Vec<u32>)| {
            let Endpoint { key, name } = snapshot.endpoint(*node);
            Instead { key, name, edges: teller.path(links) }
        };
        found.iter().map(one).collect()
    };
    let (present, others) = (told(&present), told(&others));
    let of = snapshot.endpoint(node);
    let kind = table.key(node).entity_type();
    let over = match passes {
        [] => "any edge".to_owned(),
        passes => passes.iter().map(says).collect::<Vec<_>>().join(", "),
    };
    let with: Vec<String> = shared.iter().map(|one| format!("{} `{}`", one.property, one.value)).collect();
    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(" and ")) };
    let names = |list: &[Instead]| {
        let names: BTreeSet<&str> = list.iter().map(|one| one.name.as_str()).collect();
        if names.is_empty() { "nobody".to_owned() } else { names.into_iter().collect::<Vec<_>>().join(", ") }
    };
    let says = if others.is_empty() {
        format!(
            "no alternative at {} over {over}: {} stands there alone, and {}",
            of.name,
            names(&present),
            if alike.is_empty() {
                format!("there is no other {kind}{with}")
            } else {
                let others = count(alike.len(), &format!("other {kind} node"));
                format!("nobody else stands at the {others}{with}")
            }
        )
    } else {
        let others = count(others.len(), "alternative");
        format!("{others} at {} over {over}{with}, beside {}", of.name, names(&present))
    };
    Ok(AlternativesView {
        head: Head::of(graph),
        says,
        of,
        shared,
        present,
        alike: alike.iter().map(|node| snapshot.endpoint(*node)).collect(),
        others,
        edges: teller.edges(&ground)?,
    })
}
