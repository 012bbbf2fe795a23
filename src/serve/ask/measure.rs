//! Measures of the whole graph: who stands between, who ranks, and which pieces it falls into.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rustworkx_core::centrality::betweenness_centrality;
use rustworkx_core::connectivity::connected_components;
use rustworkx_core::petgraph::EdgeType;
use rustworkx_core::petgraph::graph::{DiGraph, Graph as Network, NodeIndex, UnGraph};
use schemars::JsonSchema;
use serde::Serialize;

use super::ground::Node;
use super::snapshot::Snapshot;
use super::tell::{AskEdge, Head, Teller};
use super::trail::{Pass, Passes, compile};
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

/// The arcs between some nodes, each pair once, no loops; sorted.
fn arcs(snapshot: &Snapshot, nodes: &[Node], passes: &Passes, directed: bool) -> BTreeSet<(usize, usize)> {
    let places: BTreeMap<Node, usize> =
        nodes.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    let mut arcs = BTreeSet::new();
    for (node, place) in &places {
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

fn network<D: EdgeType>(
    mut network: Network<(), (), D>,
    nodes: usize,
    arcs: &BTreeSet<(usize, usize)>,
) -> Network<(), (), D> {
    (0..nodes).for_each(|_| {
        network.add_node(());
    });
    for (a, b) in arcs {
        network.add_edge(NodeIndex::new(*a), NodeIndex::new(*b), ());
    }
    network
}

/// A score as it is told: what differs only by the order of its terms is equal.
fn round(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

/// How often a node stands on a shortest path between two others, from 0 to 1 (normalized). It costs nodes ×
/// edges, so more than `most` nodes are refused.
#[expect(clippy::too_many_arguments, reason = "of whom, over what, how many, and how to tell it")]
pub fn betweenness(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    nodes: &[Node],
    passes: &[Pass],
    directed: bool,
    top: usize,
    most: usize,
    teller: Teller<'_>,
) -> Result<MeasureView, Error> {
    if nodes.len() > most {
        return Err(Error::asked(
            format!("there are {} nodes, and betweenness is counted for {most} at most", nodes.len()),
            "choose fewer by type or `--where`, or raise `--nodes` and wait",
        ));
    }
    let passes = compile(passes, &mut { snapshot });
    let arcs = arcs(snapshot, nodes, &passes, directed);
    // In one thread: sums in another order would differ in their last digits.
    let scores = if directed {
        betweenness_centrality(&network(DiGraph::new(), nodes.len(), &arcs), false, true, usize::MAX)
    } else {
        betweenness_centrality(
            &network(UnGraph::new_undirected(), nodes.len(), &arcs),
            false,
            true,
            usize::MAX,
        )
    };
    let scores: Vec<f64> = scores.into_iter().map(|score| round(score.unwrap_or(0.0))).collect();
    told(graph, snapshot, nodes, &passes, &scores, ("betweenness", directed), top, teller)
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
    teller: Teller<'_>,
) -> Result<MeasureView, Error> {
    let passes = compile(passes, &mut { snapshot });
    let mut arcs = arcs(snapshot, nodes, &passes, directed);
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
    told(graph, snapshot, nodes, &passes, &scores, ("pagerank", directed), top, teller)
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
            format!("{measure} of {} nodes; highest: {} with {}", nodes.len(), first.name, first.score)
        }
    };
    Ok(MeasureView {
        head: Head::of(graph),
        says,
        measure: measure.to_owned(),
        directed,
        of: nodes.len(),
        rows,
        edges: teller.edges(&snapshot)?,
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

/// The pieces into which the graph of some nodes falls, without others; at most `most` nodes are listed.
pub fn components(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    nodes: &[Node],
    without: &[Node],
    passes: &[Pass],
    most: usize,
) -> ComponentsView {
    let passes = compile(passes, &mut { snapshot });
    let gone: HashSet<Node> = without.iter().copied().collect();
    let nodes: Vec<Node> = nodes.iter().copied().filter(|node| !gone.contains(node)).collect();
    let arcs = arcs(snapshot, &nodes, &passes, false);
    let found = connected_components(&network(UnGraph::new_undirected(), nodes.len(), &arcs));
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
    let mut room = most;
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
            "{} nodes in {} pieces; the largest has {}, and {alone} stand alone",
            nodes.len(),
            components.len(),
            first.size
        ),
    };
    ComponentsView {
        head: Head::of(graph),
        says,
        without: without.iter().map(|node| snapshot.endpoint(*node)).collect(),
        of: components.len(),
        components,
    }
}
