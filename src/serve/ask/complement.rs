//! What is left of a set of nodes when another set is taken away.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, CutView};
use super::ground::{Ground, Node};
use super::tell::{AskEdge, Head, NodeView, Teller};
use super::trail::Trail;
use super::walk::walk;
use crate::serve::{Endpoint, Error, Graph};

/// What is left of a set.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ComplementView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// How many nodes the whole set has.
    pub of: usize,
    /// What is left, by key.
    pub nodes: Vec<Endpoint>,
    /// What was taken away, each with the path on which it was reached.
    pub taken: Vec<NodeView>,
    /// The edges of the paths.
    pub edges: Vec<AskEdge>,
    /// Where a bound cut the walk: then something may be left that should not be.
    pub cut: Option<CutView>,
}

/// The nodes of `whole` that are not among what is reached from `others`, these included; without a trail
/// those that are not among `others` themselves.
pub fn complement(
    ground: &mut dyn Ground,
    graph: &Graph<'_>,
    whole: &[Node],
    others: &[Node],
    trail: Option<&Trail>,
    bounds: &Bounds<'_>,
    mut teller: Teller<'_>,
) -> Result<ComplementView, Error> {
    let none = Trail::within(Vec::new(), 0);
    let walk = walk(ground, others, trail.unwrap_or(&none), bounds)?;
    let whole: BTreeSet<Node> = whole.iter().copied().collect();
    let mut nodes = Vec::new();
    for node in whole.iter().filter(|node| !walk.holds(**node)) {
        nodes.push(teller.endpoint(ground, *node)?);
    }
    nodes.sort();
    let mut taken = Vec::new();
    for (node, hops) in walk.found().filter(|(node, _)| whole.contains(node)) {
        taken.push(teller.node(ground, node, hops, &walk.path(node))?);
    }
    taken.sort_by(|a, b| a.key.cmp(&b.key));
    let by = match trail {
        Some(trail) => format!("reached {}", trail.says()),
        None => "named".to_owned(),
    };
    let says = format!("{} of {} are left: {} {by}", nodes.len(), whole.len(), taken.len());
    Ok(ComplementView {
        head: Head::of(graph),
        says: if walk.cut.is_cut() {
            format!("{says}; it was cut, so some may be reached after all")
        } else {
            says
        },
        of: whole.len(),
        nodes,
        taken,
        edges: teller.edges(ground)?,
        cut: walk.cut.view(ground, bounds.fan)?,
    })
}
