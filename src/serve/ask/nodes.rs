//! Finding nodes by type and property, and one node with what is known of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::ground::{Ground, Node};
use super::snapshot::Snapshot;
use super::tell::Head;
use super::words::Chosen;
use crate::diag::count;
use crate::model::assertion::Origin;
use crate::serve::{Endpoint, Error, Found, Graph};

/// Nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodesView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// The nodes, by key.
    pub nodes: Vec<NodeRow>,
    /// How many there are; more than are listed where the list was cut.
    pub of: usize,
}

/// A node with its properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeRow {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
}

/// The chosen nodes, at most so many.
pub fn nodes(graph: &Graph<'_>, snapshot: &Snapshot, chosen: &Chosen, most: usize) -> NodesView {
    let found = chosen.keys.iter().filter_map(|key| snapshot.table().number(key));
    let rows: Vec<NodeRow> = found
        .take(most)
        .map(|node| NodeRow {
            key: snapshot.table().key(node).to_string(),
            name: snapshot.name(node).to_owned(),
            properties: snapshot.properties(node).clone(),
        })
        .collect();
    let of = chosen.keys.len();
    let says = match of {
        0 => "no node is so".to_owned(),
        of if of > rows.len() => format!("{} of {} (`--nodes` lists more)", rows.len(), count(of, "node")),
        of => count(of, "node"),
    };
    NodesView { head: Head::of(graph), says, nodes: rows, of }
}

/// One node.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeCard {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes, then its aliases.
    pub names: Vec<String>,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
    /// The feeds and documents that claim it: the evidence that it is there.
    pub sources: Vec<String>,
    /// True if no source holds it any more.
    pub tombstoned: bool,
    /// The key that was asked for, if it was merged into this one.
    pub merged_from: Option<String>,
    /// How many edges it has on the day, by type and direction.
    pub degrees: Vec<Degree>,
}

/// How many edges of a type a node has in one direction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Degree {
    /// The edge type.
    pub edge_type: String,
    /// `out` where the node is the subject, `in` where it is the object.
    pub direction: String,
    /// How many hold on the day.
    pub edges: usize,
}

/// One node with what is known of it. Linear in its edges.
pub fn node(ground: &mut dyn Ground, graph: &Graph<'_>, found: &Found) -> Result<NodeCard, Error> {
    let claims = graph.claims(&found.entity)?;
    let mut names: Vec<String> = Vec::new();
    let mut properties = BTreeMap::new();
    let mut sources = Vec::new();
    for claim in &claims {
        for name in claim.names.iter().filter(|name| !name.is_empty()) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        for (name, value) in &claim.properties {
            properties.entry(name.clone()).or_insert_with(|| value.clone());
        }
        sources.push(match &claim.origin {
            Origin::Row { feed, row } => format!("feed {feed}, row {row}"),
            Origin::Chunk { document, .. } => document.to_string(),
        });
    }
    Ok(NodeCard {
        head: Head::of(graph),
        key: found.entity.to_string(),
        names,
        properties,
        sources,
        tombstoned: !claims.is_empty() && claims.iter().all(|claim| claim.gone),
        merged_from: found.via.as_ref().map(ToString::to_string),
        degrees: match ground.number(&found.entity) {
            Some(node) => degrees(ground, node)?,
            None => Vec::new(),
        },
    })
}

fn degrees(ground: &mut dyn Ground, node: Node) -> Result<Vec<Degree>, Error> {
    ground.load(node)?;
    let table = ground.table();
    let mut counted: BTreeMap<(String, bool), usize> = BTreeMap::new();
    for step in table.steps(node) {
        *counted.entry((table.kind_name(step.kind).to_owned(), !step.out)).or_default() += 1;
    }
    let degree = |((edge_type, incoming), edges)| Degree {
        edge_type,
        direction: if incoming { "in" } else { "out" }.to_owned(),
        edges,
    };
    Ok(counted.into_iter().map(degree).collect())
}

impl Snapshot {
    /// A node as an endpoint.
    pub(super) fn endpoint(&self, node: Node) -> Endpoint {
        Endpoint { key: self.table().key(node).to_string(), name: self.name(node).to_owned() }
    }
}
