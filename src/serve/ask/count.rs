//! Counting edges: per type, and at each of some nodes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::ground::Node;
use super::snapshot::Snapshot;
use super::tell::{AskEdge, Head, Teller};
use super::trail::{Pass, compile, says};
use crate::diag::{self, either, nearest};
use crate::serve::{Error, Graph};

/// How many edges there are.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CountView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence: what was counted, exactly.
    pub says: String,
    /// How many different edges were counted.
    pub of: usize,
    /// How many of each type.
    pub by_type: BTreeMap<String, usize>,
    /// The nodes with their number of edges, most first, then by key; empty if no nodes were asked about.
    pub rows: Vec<CountRow>,
    /// How many nodes have how many edges.
    pub having: Vec<Having>,
    /// The edges that were counted at the listed nodes.
    pub edges: Vec<AskEdge>,
}

/// A node with its number of edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CountRow {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// How many edges it has.
    pub count: usize,
    /// The edges: numbers of the answer's edges.
    pub edges: Vec<usize>,
}

/// How many nodes have so many edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Having {
    /// So many edges.
    pub count: usize,
    /// How many nodes have them.
    pub nodes: usize,
    /// How many of these have which value of the property that was asked for; without a value: `-`.
    pub by: BTreeMap<String, usize>,
}

/// Counts edges that hold: all of them, or those at each of some nodes.
pub fn count(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    nodes: Option<&[Node]>,
    passes: &[Pass],
    exactly: Option<usize>,
    by: Option<&str>,
    mut teller: Teller<'_>,
) -> Result<CountView, Error> {
    let mut ground = snapshot;
    let compiled = compile(passes, &mut ground);
    let table = snapshot.table();
    let mut links: BTreeSet<u32> = BTreeSet::new();
    let mut counted: Vec<(Node, Vec<u32>)> = Vec::new();
    match nodes {
        None => {
            let admitted = |node: Node| table.steps(node).iter().filter(|step| compiled.admits(step));
            links.extend(table.nodes().flat_map(admitted).map(|step| step.link));
        }
        Some(nodes) => {
            for node in nodes {
                let at: BTreeSet<u32> = table
                    .steps(*node)
                    .iter()
                    .filter(|step| compiled.admits(step))
                    .map(|step| step.link)
                    .collect();
                links.extend(&at);
                counted.push((*node, at.into_iter().collect()));
            }
        }
    }
    if let (Some(by), Some(nodes)) = (by, nodes) {
        known_property(snapshot, nodes, by)?;
    }
    let mut having: BTreeMap<usize, Having> = BTreeMap::new();
    for (node, at) in &counted {
        let one = having.entry(at.len()).or_insert_with(|| Having {
            count: at.len(),
            nodes: 0,
            by: BTreeMap::new(),
        });
        one.nodes += 1;
        if let Some(by) = by {
            let value = snapshot.properties(*node).get(by).cloned().unwrap_or_else(|| "-".to_owned());
            *one.by.entry(value).or_default() += 1;
        }
    }
    let asked = counted.len();
    counted.retain(|(_, at)| exactly.is_none_or(|exactly| exactly == at.len()));
    counted.sort_by(|(a, of_a), (b, of_b)| of_b.len().cmp(&of_a.len()).then_with(|| a.cmp(b)));
    let mut rows = Vec::new();
    for (node, at) in &counted {
        let end = snapshot.endpoint(*node);
        rows.push(CountRow { key: end.key, name: end.name, count: at.len(), edges: teller.path(at) });
    }
    let mut by_type: BTreeMap<String, usize> = BTreeMap::new();
    for link in &links {
        *by_type.entry(table.kind_name(table.link(*link).kind).to_owned()).or_default() += 1;
    }
    let head = Head::of(graph);
    let what = match passes {
        [] => "edge".to_owned(),
        passes => format!("{} edge", passes.iter().map(says).collect::<Vec<_>>().join(", ")),
    };
    let hold = either(links.len(), &format!("{what} holds"), &format!("{what}s hold"));
    let says = match (nodes, exactly) {
        (None, _) => format!("{hold} on {}", head.day),
        (Some(_), None) => format!("{hold} at {} on {}", diag::count(asked, "node"), head.day),
        (Some(_), Some(exactly)) => {
            let of = diag::count(asked, "node");
            let have = if rows.len() == 1 { "has" } else { "have" };
            let exactly = diag::count(exactly, &what);
            format!("{} of {of} {have} exactly {exactly} on {}", rows.len(), head.day)
        }
    };
    Ok(CountView {
        says,
        of: links.len(),
        by_type,
        rows,
        having: having.into_values().rev().collect(),
        edges: teller.edges(&ground)?,
        head,
    })
}

/// That one of the nodes has a property, so that a misspelled one does not read as "without a value".
pub(super) fn known_property(snapshot: &Snapshot, nodes: &[Node], property: &str) -> Result<(), Error> {
    let known: BTreeSet<&str> =
        nodes.iter().flat_map(|node| snapshot.properties(*node).keys().map(String::as_str)).collect();
    if nodes.is_empty() || known.contains(property) {
        return Ok(());
    }
    let hint = match nearest(property, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "they have no properties".to_owned(),
        None => format!("their properties are: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
    };
    Err(Error::asked(format!("none of these nodes has a property `{property}`"), hint))
}
