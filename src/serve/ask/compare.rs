//! Two nodes side by side: what hangs on one, on the other, on both.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, CutView};
use super::ground::{Ground, Node};
use super::tell::{AskEdge, Head, NodeView, Teller};
use super::trail::Trail;
use super::walk::{Walk, walk};
use crate::serve::{Endpoint, Error, Graph};

/// Two nodes side by side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CompareView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// The one.
    pub left: Endpoint,
    /// The other.
    pub right: Endpoint,
    /// What the walks could take.
    pub trail: String,
    /// What each reaches, by entity type.
    pub types: Vec<TypeRow>,
    /// What the one reaches, each with its path.
    pub left_nodes: Vec<NodeView>,
    /// What the other reaches, each with its path.
    pub right_nodes: Vec<NodeView>,
    /// The edges of the paths.
    pub edges: Vec<AskEdge>,
    /// Where a bound cut the walk from the one.
    pub left_cut: Option<CutView>,
    /// Where a bound cut the walk from the other.
    pub right_cut: Option<CutView>,
}

/// What two nodes reach of one entity type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TypeRow {
    /// The entity type.
    pub entity_type: String,
    /// How many the one reaches.
    pub left: usize,
    /// How many the other reaches.
    pub right: usize,
    /// Which both reach, by key.
    pub shared: Vec<Endpoint>,
    /// Which only the one reaches.
    pub only_left: Vec<Endpoint>,
    /// Which only the other reaches.
    pub only_right: Vec<Endpoint>,
}

/// Compares what two nodes reach; neither counts for itself.
pub fn compare(
    ground: &mut dyn Ground,
    graph: &Graph<'_>,
    left: Node,
    right: Node,
    trail: &Trail,
    bounds: &Bounds<'_>,
    mut teller: Teller<'_>,
) -> Result<CompareView, Error> {
    let (one, other) = (walk(ground, &[left], trail, bounds)?, walk(ground, &[right], trail, bounds)?);
    let reached = |walk: &Walk, root: Node| -> BTreeSet<Node> {
        walk.found().map(|(node, _)| node).filter(|node| *node != root).collect()
    };
    let (of_left, of_right) = (reached(&one, left), reached(&other, right));
    let mut types: BTreeMap<String, TypeRow> = BTreeMap::new();
    for node in of_left.union(&of_right) {
        let end = teller.endpoint(ground, *node)?;
        let name = ground.table().key(*node).entity_type().to_owned();
        let row = types.entry(name.clone()).or_insert_with(|| TypeRow {
            entity_type: name,
            left: 0,
            right: 0,
            shared: Vec::new(),
            only_left: Vec::new(),
            only_right: Vec::new(),
        });
        let (in_left, in_right) = (of_left.contains(node), of_right.contains(node));
        row.left += usize::from(in_left);
        row.right += usize::from(in_right);
        let list = match (in_left, in_right) {
            (true, true) => &mut row.shared,
            (true, false) => &mut row.only_left,
            _ => &mut row.only_right,
        };
        list.push(end);
    }
    for row in types.values_mut() {
        row.shared.sort();
        row.only_left.sort();
        row.only_right.sort();
    }
    let mut views = Vec::new();
    for (walk, root) in [(&one, left), (&other, right)] {
        let mut nodes = Vec::new();
        for (node, hops) in walk.found().filter(|(node, _)| *node != root) {
            nodes.push(teller.node(ground, node, hops, &walk.path(node))?);
        }
        views.push(nodes);
    }
    let right_nodes = views.pop().unwrap_or_default();
    let left_nodes = views.pop().unwrap_or_default();
    let (a, b) = (teller.endpoint(ground, left)?, teller.endpoint(ground, right)?);
    let counts = |of: fn(&TypeRow) -> usize| {
        let counts: Vec<String> =
            types.values().map(|row| format!("{} {}", of(row), row.entity_type)).collect();
        if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") }
    };
    let shared: usize = types.values().map(|row| row.shared.len()).sum();
    let says = format!(
        "{} reaches {}; {} reaches {}; {shared} shared, {}",
        a.name,
        counts(|row| row.left),
        b.name,
        counts(|row| row.right),
        trail.says()
    );
    Ok(CompareView {
        head: Head::of(graph),
        says: if one.cut.is_cut() { one.cut.said(says) } else { other.cut.said(says) },
        left: a,
        right: b,
        trail: trail.says(),
        types: types.into_values().collect(),
        left_nodes,
        right_nodes,
        edges: teller.edges(ground)?,
        left_cut: one.cut.view(ground, bounds.fan)?,
        right_cut: other.cut.view(ground, bounds.fan)?,
    })
}
