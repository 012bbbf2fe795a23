//! What would be left without some nodes: who loses everything of a kind, who a part of it, hop by hop.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::ground::{Ground, Node};
use super::tell::{AskEdge, Head, Teller};
use super::trail::Trail;
use crate::serve::{Endpoint, Error, Graph};

/// What would be left without some nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WithoutView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// What is thought away.
    pub removed: Vec<Endpoint>,
    /// Along what it is felt.
    pub trail: String,
    /// True if a node is lost by any loss, not only when nothing is left.
    pub strict: bool,
    /// Who is lost, by hops and key.
    pub lost: Vec<LossRow>,
    /// Who loses something and keeps something, by hops and key.
    pub weakened: Vec<LossRow>,
    /// The edges that would be lost.
    pub edges: Vec<AskEdge>,
    /// Where a bound cut it: then more may be lost.
    pub cut: Option<CutView>,
}

/// A node that loses edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LossRow {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// How many hops from what is thought away.
    pub hops: usize,
    /// How many edges of the kind it loses.
    pub loses: usize,
    /// How many it has.
    pub of: usize,
    /// Which it loses: numbers of the answer's edges.
    pub edges: Vec<usize>,
    /// A path from what is thought away: numbers of the answer's edges.
    pub path: Vec<usize>,
}

/// Thinks nodes away. On each hop a node is lost when all edges by which the trail comes to it come from
/// what is lost (with `strict`: when one does); the loss goes on from lost nodes only.
pub fn without(
    ground: &mut dyn Ground,
    graph: &Graph<'_>,
    removed: &[Node],
    trail: &Trail,
    strict: bool,
    bounds: &Bounds<'_>,
    mut teller: Teller<'_>,
) -> Result<WithoutView, Error> {
    let compiled = trail.compile(ground);
    let mut cut = Cut::default();
    let mut gone: HashSet<Node> = removed.iter().copied().collect();
    let mut paths: BTreeMap<Node, Vec<u32>> = removed.iter().map(|node| (*node, Vec::new())).collect();
    let (mut lost, mut weakened): (Vec<LossRow>, BTreeMap<String, LossRow>) = (Vec::new(), BTreeMap::new());
    let mut now: Vec<Node> = removed.to_vec();
    'hops: for hop in 0..compiled.hops {
        let passes = compiled.layer(hop);
        let mut candidates: BTreeMap<String, Node> = BTreeMap::new();
        for node in &now {
            ground.load(*node)?;
            let table = ground.table();
            let steps = table.steps(*node);
            if steps.len() > bounds.fan && steps.iter().any(|step| passes.admits(step)) {
                cut.crowded.insert(*node);
                continue;
            }
            for step in steps.iter().filter(|step| passes.admits(step) && !gone.contains(&step.other)) {
                candidates.insert(table.key(step.other).to_string(), step.other);
            }
        }
        let mut next = Vec::new();
        for (key, node) in &candidates {
            if (bounds.late)() || lost.len() + weakened.len() >= bounds.nodes {
                cut.late = (bounds.late)();
                cut.nodes = (!cut.late).then_some(bounds.nodes);
                break 'hops;
            }
            ground.load(*node)?;
            let steps = ground.table().steps(*node).to_vec();
            if steps.len() > bounds.fan {
                cut.crowded.insert(*node);
                continue;
            }
            let of: Vec<_> = steps.iter().filter(|step| passes.admits_back(step)).collect();
            let loses: Vec<_> = of.iter().filter(|step| gone.contains(&step.other)).collect();
            let Some(first) = loses.first() else { continue };
            let mut path = paths.get(&first.other).cloned().unwrap_or_default();
            path.push(first.link);
            let links: Vec<u32> = loses.iter().map(|step| step.link).collect();
            let row = LossRow {
                key: key.clone(),
                name: ground.name(*node)?,
                hops: hop + 1,
                loses: loses.len(),
                of: of.len(),
                path: teller.path(&path),
                edges: teller.path(&links),
            };
            if strict || loses.len() == of.len() {
                weakened.remove(key);
                paths.insert(*node, path);
                lost.push(row);
                next.push(*node);
            } else {
                weakened.insert(key.clone(), row);
            }
        }
        gone.extend(&next);
        now = next;
    }
    let mut ends = Vec::new();
    for node in removed {
        ends.push(teller.endpoint(ground, *node)?);
    }
    let mut weakened: Vec<LossRow> = weakened.into_values().collect();
    weakened.sort_by(|a, b| (a.hops, &a.key).cmp(&(b.hops, &b.key)));
    let names: Vec<&str> = ends.iter().map(|end| end.name.as_str()).collect();
    let says = if lost.is_empty() && weakened.is_empty() {
        format!("nothing is lost without {} {}", names.join(", "), trail.says())
    } else {
        format!(
            "without {}: {} lost, {} weakened {}",
            names.join(", "),
            lost.len(),
            weakened.len(),
            trail.says()
        )
    };
    Ok(WithoutView {
        head: Head::of(graph),
        says: cut.said(says),
        removed: ends,
        trail: trail.says(),
        strict,
        lost,
        weakened,
        edges: teller.edges(ground)?,
        cut: cut.view(ground, bounds.fan)?,
    })
}
