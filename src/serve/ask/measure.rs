//! Measures of the whole graph: who stands between, who ranks, and which pieces it falls into.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rustworkx_core::connectivity::connected_components;
use rustworkx_core::petgraph::graph::{NodeIndex, UnGraph};
use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::ground::Node;
use super::snapshot::Snapshot;
use super::tell::{AskEdge, Head, Teller};
use super::trail::{Pass, Passes, compile};
use crate::diag::{count, either};
use crate::serve::{Endpoint, Error, Graph};

/// How many edges of a measured node are listed.
const LISTED: usize = 3;

/// Nodes by a measure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MeasureView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// The measure: `betweenness` or `pagerank`.
    pub measure: String,
    /// True if edges were followed from subject to object only.
    pub directed: bool,
    /// How many nodes were measured.
    pub of: usize,
    /// The highest, then by key.
    pub rows: Vec<MeasureRow>,
    /// Some of the edges of each.
    pub edges: Vec<AskEdge>,
    /// Where the time was over: then the measure is that of what was looked at.
    pub cut: Option<CutView>,
}

/// A measured node.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MeasureRow {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// The measure.
    pub score: f64,
    /// How many edges it has.
    pub of: usize,
    /// The first of them: numbers of the answer's edges.
    pub edges: Vec<usize>,
}

/// The arcs between some nodes, each pair once, no loops; sorted. Those of the first nodes if the time is over.
fn arcs(
    snapshot: &Snapshot,
    nodes: &[Node],
    passes: &Passes,
    directed: bool,
    bounds: &Bounds<'_>,
    cut: &mut Cut,
) -> BTreeSet<(usize, usize)> {
    let places: BTreeMap<Node, usize> =
        nodes.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    let mut arcs = BTreeSet::new();
    for (done, (node, place)) in places.iter().enumerate() {
        if (bounds.late)() {
            cut.join(&late(nodes.len() - done));
            break;
        }
        for step in snapshot.table().steps(*node) {
            let Some(other) = places.get(&step.other).filter(|other| *other != place) else { continue };
            if directed && passes.admits_directed(step) {
                arcs.insert((*place, *other));
            } else if !directed && passes.admits(step) {
                arcs.insert((*place.min(other), *place.max(other)));
            }
        }
    }
    arcs
}

/// The time was over before so many nodes were looked at.
fn late(left: usize) -> Cut {
    Cut { late: true, left, ..Cut::default() }
}

/// An answer's sentence, which does not pass for exact where the time was over.
fn said(cut: &Cut, says: String) -> String {
    if cut.is_cut() { format!("{says}; it was cut, so it is not exact") } else { says }
}

/// How often each node stands on a shortest path between two others, by Brandes' algorithm (2001): one walk
/// from each node, and one back along the paths that it found. The walks after the time is over are left out;
/// the library's own cannot be stopped. In one thread: sums in another order would differ in their last digits.
fn between(
    number: usize,
    arcs: &BTreeSet<(usize, usize)>,
    directed: bool,
    bounds: &Bounds<'_>,
    cut: &mut Cut,
) -> Vec<f64> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); number];
    for (a, b) in arcs {
        next[*a].push(*b);
        if !directed {
            next[*b].push(*a);
        }
    }
    let mut scores = vec![0.0; number];
    let (mut hops, mut paths, mut share) = (vec![usize::MAX; number], vec![0.0; number], vec![0.0; number]);
    let mut order = Vec::with_capacity(number);
    for from in 0..number {
        if (bounds.late)() {
            cut.late = true;
            cut.left = cut.left.max(number - from);
            break;
        }
        order.push(from);
        (hops[from], paths[from]) = (0, 1.0);
        let mut at = 0;
        while let Some(node) = order.get(at).copied() {
            at += 1;
            for other in &next[node] {
                if hops[*other] == usize::MAX {
                    hops[*other] = hops[node] + 1;
                    order.push(*other);
                }
                if hops[*other] == hops[node] + 1 {
                    paths[*other] += paths[node];
                }
            }
        }
        for node in order.iter().rev() {
            for other in next[*node].iter().filter(|other| hops[**other] == hops[*node] + 1) {
                share[*node] += paths[*node] / paths[*other] * (1.0 + share[*other]);
            }
            if *node != from {
                scores[*node] += share[*node];
            }
        }
        for node in order.drain(..) {
            (hops[node], paths[node], share[node]) = (usize::MAX, 0.0, 0.0);
        }
    }
    // Of all pairs of others, in both orders.
    let pairs = (number.saturating_sub(1) * number.saturating_sub(2)).max(1) as f64;
    scores.into_iter().map(|score| round(score / pairs)).collect()
}

/// A score as it is told: what differs only by the order of its terms is equal.
fn round(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

/// How often a node stands on a shortest path between two others, from 0 to 1 (normalized). It costs nodes ×
/// edges, so more nodes than the bounds allow are refused.
#[expect(clippy::too_many_arguments, reason = "of whom, over what, how many, and how to tell it")]
pub fn betweenness(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    nodes: &[Node],
    passes: &[Pass],
    directed: bool,
    top: usize,
    bounds: &Bounds<'_>,
    teller: Teller<'_>,
) -> Result<MeasureView, Error> {
    let most = bounds.nodes;
    if nodes.len() > most {
        return Err(Error::asked(
            format!("there are {} nodes, and betweenness is counted for {most} at most", nodes.len()),
            "choose fewer by type or `--where`, or raise `--nodes` and wait",
        ));
    }
    let passes = compile(passes, &mut { snapshot });
    let mut cut = Cut::default();
    let arcs = arcs(snapshot, nodes, &passes, directed, bounds, &mut cut);
    let scores = between(nodes.len(), &arcs, directed, bounds, &mut cut);
    told(graph, snapshot, nodes, &passes, &scores, ("betweenness", directed), top, &cut, teller)
}

/// Where one ends up who walks along edges and starts anew now and then; the ranks sum to 1. Computed until
/// nothing moves by more than 1e-12. (The library's own is quadratic in the nodes.)
#[expect(clippy::too_many_arguments, reason = "of whom, over what, how many, and how to tell it")]
pub fn page_rank(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    nodes: &[Node],
    passes: &[Pass],
    directed: bool,
    damping: f64,
    top: usize,
    bounds: &Bounds<'_>,
    teller: Teller<'_>,
) -> Result<MeasureView, Error> {
    let passes = compile(passes, &mut { snapshot });
    let mut cut = Cut::default();
    let mut arcs = arcs(snapshot, nodes, &passes, directed, bounds, &mut cut);
    if !directed {
        let back: Vec<(usize, usize)> = arcs.iter().map(|(a, b)| (*b, *a)).collect();
        arcs.extend(back);
    }
    let number = nodes.len();
    let mut leave = vec![0.0; number];
    arcs.iter().for_each(|(from, _)| leave[*from] += 1.0);
    let even = 1.0 / number.max(1) as f64;
    let mut ranks = vec![even; number];
    for _ in 0..1000 {
        if (bounds.late)() {
            cut.late = true;
            break;
        }
        let stuck: f64 =
            ranks.iter().zip(&leave).filter(|(_, leave)| **leave == 0.0).map(|(rank, _)| rank).sum();
        let mut next = vec![(1.0 - damping + damping * stuck) * even; number];
        for (from, to) in &arcs {
            next[*to] += damping * ranks[*from] / leave[*from];
        }
        let moved = ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).fold(0.0, f64::max);
        ranks = next;
        if moved < 1e-12 {
            break;
        }
    }
    let scores: Vec<f64> = ranks.into_iter().map(round).collect();
    told(graph, snapshot, nodes, &passes, &scores, ("pagerank", directed), top, &cut, teller)
}

#[expect(clippy::too_many_arguments, reason = "the common end of two questions")]
fn told(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    nodes: &[Node],
    passes: &Passes,
    scores: &[f64],
    (measure, directed): (&str, bool),
    top: usize,
    cut: &Cut,
    mut teller: Teller<'_>,
) -> Result<MeasureView, Error> {
    let mut ranked: Vec<(f64, Node)> = scores.iter().copied().zip(nodes.iter().copied()).collect();
    ranked.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
    let mut rows = Vec::new();
    for (score, node) in ranked.into_iter().take(top) {
        let Endpoint { key, name } = snapshot.endpoint(node);
        let links: Vec<u32> = snapshot
            .table()
            .steps(node)
            .iter()
            .filter(|step| passes.admits(step) || passes.admits_back(step))
            .map(|step| step.link)
            .collect();
        let edges = teller.path(&links[..links.len().min(LISTED)]);
        rows.push(MeasureRow { key, name, score, of: links.len(), edges });
    }
    let says = match rows.first() {
        None => "there is no node to measure".to_owned(),
        Some(first) => {
            let of = count(nodes.len(), "node");
            format!("{measure} of {of}; highest: {} with {}", first.name, first.score)
        }
    };
    Ok(MeasureView {
        head: Head::of(graph),
        says: said(cut, says),
        measure: measure.to_owned(),
        directed,
        of: nodes.len(),
        rows,
        edges: teller.edges(&snapshot)?,
        cut: cut.view(&snapshot, usize::MAX)?,
    })
}

/// The pieces of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ComponentsView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// What is thought away.
    pub without: Vec<Endpoint>,
    /// How many pieces there are.
    pub of: usize,
    /// The pieces, the largest first, then by key.
    pub components: Vec<ComponentView>,
    /// Where the time was over: then pieces that hang together may stand apart.
    pub cut: Option<CutView>,
}

/// A piece: nodes between which there are paths, whatever the direction of their edges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComponentView {
    /// How many nodes it has.
    pub size: usize,
    /// How many edges, a pair counted once.
    pub edges: usize,
    /// How many nodes of each type.
    pub types: BTreeMap<String, usize>,
    /// Its nodes, by key; of a large one the first.
    pub nodes: Vec<Endpoint>,
}

/// The pieces into which the graph of some nodes falls, without others; at most as many nodes as the bounds
/// allow are listed.
pub fn components(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    nodes: &[Node],
    without: &[Node],
    passes: &[Pass],
    bounds: &Bounds<'_>,
) -> Result<ComponentsView, Error> {
    let passes = compile(passes, &mut { snapshot });
    let gone: HashSet<Node> = without.iter().copied().collect();
    let nodes: Vec<Node> = nodes.iter().copied().filter(|node| !gone.contains(node)).collect();
    let mut cut = Cut::default();
    let arcs = arcs(snapshot, &nodes, &passes, false, bounds, &mut cut);
    let mut network = UnGraph::<(), ()>::new_undirected();
    nodes.iter().for_each(|_| {
        network.add_node(());
    });
    for (a, b) in &arcs {
        network.add_edge(NodeIndex::new(*a), NodeIndex::new(*b), ());
    }
    let found = connected_components(&network);
    let mut pieces: Vec<Vec<Node>> = Vec::new();
    let mut piece_of = vec![0; nodes.len()];
    for (number, piece) in found.iter().enumerate() {
        let mut places: Vec<usize> = piece.iter().map(|index| index.index()).collect();
        places.sort_unstable();
        places.iter().for_each(|place| piece_of[*place] = number);
        pieces.push(places.into_iter().map(|place| nodes[place]).collect());
    }
    let mut edges = vec![0; pieces.len()];
    arcs.iter().for_each(|(a, _)| edges[piece_of[*a]] += 1);
    let mut ordered: Vec<(Vec<Node>, usize)> = pieces.into_iter().zip(edges).collect();
    ordered.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut room = bounds.nodes;
    let view = |(piece, edges): &(Vec<Node>, usize)| {
        let mut types: BTreeMap<String, usize> = BTreeMap::new();
        for node in piece {
            *types.entry(snapshot.table().key(*node).entity_type().to_owned()).or_default() += 1;
        }
        let listed: Vec<Endpoint> = piece.iter().take(room).map(|node| snapshot.endpoint(*node)).collect();
        room -= listed.len();
        ComponentView { size: piece.len(), edges: *edges, types, nodes: listed }
    };
    let components: Vec<ComponentView> = ordered.iter().map(view).collect();
    let alone = components.iter().filter(|piece| piece.size == 1).count();
    let says = match components.first() {
        None => "there is no node".to_owned(),
        Some(first) => format!(
            "{} in {}; the largest has {}, and {}",
            count(nodes.len(), "node"),
            count(components.len(), "piece"),
            first.size,
            either(alone, "stands alone", "stand alone"),
        ),
    };
    Ok(ComponentsView {
        head: Head::of(graph),
        says: said(&cut, says),
        without: without.iter().map(|node| snapshot.endpoint(*node)).collect(),
        of: components.len(),
        components,
        cut: cut.view(&snapshot, usize::MAX)?,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_measure_that_was_stopped_counts_the_walks_that_were_made() {
        // 0 - 1 - 2 - 3: two nodes stand between others.
        let arcs = BTreeSet::from([(0, 1), (1, 2), (2, 3)]);
        let scores = |walks: u32| {
            let made = Cell::new(0);
            let late = || made.replace(made.get() + 1) >= walks;
            let mut cut = Cut::default();
            let bounds = Bounds { late: &late, ..Bounds::NONE };
            let scores = between(4, &arcs, false, &bounds, &mut cut);
            let sixths: Vec<f64> = scores.iter().map(|score| (score * 6.0).round()).collect();
            (sixths, cut.late, cut.left)
        };
        assert_eq!(scores(4), (vec![0.0, 4.0, 4.0, 0.0], false, 0));
        assert_eq!(scores(2), (vec![0.0, 2.0, 2.0, 0.0], true, 2));
        assert_eq!(scores(0), (vec![0.0; 4], true, 4));
    }
}
