//! The walk outward from some nodes, hop by hop, that most questions are made of; and the subgraph it covers.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::ground::{Ground, Node, NumberMap, NumberSet, Step};
use super::tell::{AskEdge, Head, NodeView, Teller};
use super::trail::Trail;
use crate::serve::{Endpoint, Error, Graph};

/// A node at the end of a walk of so many hops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stand {
    node: Node,
    hops: usize,
    /// From which stand, over which link; `None` for a root.
    came: Option<(usize, u32)>,
}

/// What a walk came to.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    stands: Vec<Stand>,
    /// The first stand of each node, in the order in which they were found.
    first: Vec<usize>,
    /// The stand on which a node was first found.
    at: NumberMap<Node, usize>,
    /// The links between what was found, as they were walked.
    links: Vec<u32>,
    /// Where a bound stopped it.
    pub cut: Cut,
    /// How many nodes stand on the last hop and were not walked from.
    pub rim: usize,
}

impl Walk {
    /// The nodes in the order in which they were found, roots first, with the hops to each.
    pub fn found(&self) -> impl Iterator<Item = (Node, usize)> + '_ {
        self.first.iter().map(|stand| (self.stands[*stand].node, self.stands[*stand].hops))
    }

    /// True if a node was found.
    pub fn holds(&self, node: Node) -> bool {
        self.at.contains_key(&node)
    }

    /// The links that were walked, in the order of the walk.
    pub fn links(&self) -> &[u32] {
        &self.links
    }

    /// The links from a root to a node, as it was first found; empty for a root and for what was not found.
    pub fn path(&self, node: Node) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = self.at.get(&node).copied();
        while let Some((from, link)) = at.and_then(|stand| self.stands[stand].came) {
            path.push(link);
            at = Some(from);
        }
        path.reverse();
        path
    }
}

/// Walks outward, hop by hop, nodes and steps in order. Linear in the links of the nodes that are walked from.
pub fn walk(
    ground: &mut dyn Ground,
    roots: &[Node],
    trail: &Trail,
    bounds: &Bounds<'_>,
) -> Result<Walk, Error> {
    let trail = trail.compile(ground);
    let mut walk = Walk::default();
    let mut seen_links: NumberSet<u32> = NumberSet::default();
    let mut now = Vec::new();
    for root in roots {
        if !walk.at.contains_key(root) {
            now.push(walk.stand(*root, 0, None));
        }
    }
    for hop in 0..trail.hops {
        let passes = trail.layer(hop);
        let mut next: Vec<usize> = Vec::new();
        // Where each hop has its own edge types a node found before may be found again, once a hop.
        let mut on_this_hop: NumberSet<Node> = NumberSet::default();
        for (done, from) in now.iter().enumerate() {
            if (bounds.late)() {
                walk.cut.late = true;
                walk.cut.left += now.len() - done + next.len();
                return Ok(walk);
            }
            let node = walk.stands[*from].node;
            ground.load(node)?;
            let steps = ground.table().steps(node);
            let crowded = steps.len() > bounds.fan && steps.iter().any(|step| passes.admits(step));
            if crowded {
                walk.cut.crowded.insert(node);
                if hop > 0 {
                    continue;
                }
            }
            for step in first_by_fact(ground, node, bounds.fan).iter() {
                if !passes.admits(step) {
                    continue;
                }
                let known = walk.at.get(&step.other).copied();
                if known.is_none() && walk.first.len() >= bounds.nodes {
                    walk.cut.nodes = Some(bounds.nodes);
                    continue;
                }
                if seen_links.insert(step.link) {
                    walk.links.push(step.link);
                }
                let again = trail.along && !on_this_hop.contains(&step.other);
                if known.is_none() || again {
                    let stand = walk.stand(step.other, hop + 1, Some((*from, step.link)));
                    on_this_hop.insert(step.other);
                    next.push(stand);
                }
            }
            if walk.cut.nodes.is_some() {
                let ends = hop + 1 == trail.hops;
                walk.cut.left += now.len() - done - 1 + if ends { 0 } else { next.len() };
                return Ok(walk);
            }
        }
        now = next;
    }
    walk.rim = now.len();
    Ok(walk)
}

impl Walk {
    fn stand(&mut self, node: Node, hops: usize, came: Option<(usize, u32)>) -> usize {
        let stand = self.stands.len();
        self.stands.push(Stand { node, hops, came });
        if let std::collections::hash_map::Entry::Vacant(free) = self.at.entry(node) {
            free.insert(stand);
            self.first.push(stand);
        }
        stand
    }
}

/// The steps of a node in order; of one with more than `fan`, those of the first facts by id: whatever was
/// read of it, these are among it.
fn first_by_fact(ground: &dyn Ground, node: Node, fan: usize) -> Cow<'_, [Step]> {
    let table = ground.table();
    let all = table.steps(node);
    if all.len() <= fan {
        return Cow::Borrowed(all);
    }
    let mut steps = all.to_vec();
    steps.sort_by_key(|step| (table.link(step.link).fact, !step.out));
    steps.truncate(fan);
    steps.sort_by(|a, b| table.order(a, b));
    Cow::Owned(steps)
}

/// The part of the graph around some nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SubgraphView {
    /// Of when and of what it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// Where the walk began.
    pub roots: Vec<Endpoint>,
    /// What the walk could take.
    pub trail: String,
    /// The nodes, roots first, each with the path to it.
    pub nodes: Vec<NodeView>,
    /// The edges that were walked.
    pub edges: Vec<AskEdge>,
    /// How many nodes stand on the last hop and were not walked from.
    pub rim: usize,
    /// Where a bound cut the answer.
    pub cut: Option<CutView>,
}

/// The part of the graph around some nodes.
pub fn subgraph(
    ground: &mut dyn Ground,
    graph: &Graph<'_>,
    roots: &[Node],
    trail: &Trail,
    bounds: &Bounds<'_>,
    mut teller: Teller<'_>,
) -> Result<SubgraphView, Error> {
    let walk = walk(ground, roots, trail, bounds)?;
    let mut nodes = Vec::new();
    for (node, hops) in walk.found() {
        nodes.push(teller.node(ground, node, hops, &walk.path(node))?);
    }
    for link in walk.links() {
        teller.number(*link);
    }
    let mut ends = Vec::new();
    for root in roots {
        ends.push(teller.endpoint(ground, *root)?);
    }
    let others = walk.found().filter(|(_, hops)| *hops > 0).count();
    let head = Head::of(graph);
    let says = match others {
        0 if walk.cut.is_cut() => format!("nothing was found {}", trail.says()),
        0 => format!("nothing is reached {}: no such edge holds on {}", trail.says(), head.day),
        _ => {
            format!("{others} reached {}, by {} that hold on {}", trail.says(), teller.edge_count(), head.day)
        }
    };
    let says = walk.cut.said(says);
    Ok(SubgraphView {
        says,
        roots: ends,
        trail: trail.says(),
        nodes,
        edges: teller.edges(ground)?,
        rim: walk.rim,
        cut: walk.cut.view(ground, bounds.fan)?,
        head,
    })
}
