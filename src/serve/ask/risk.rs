//! How much of what strikes some nodes comes through to others: weight times decay, summed over the paths.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::ground::Node;
use super::snapshot::Snapshot;
use super::tell::{AskEdge, Head, Teller};
use super::trail::{Pass, Trail, compile};
use crate::diag::{count, either};
use crate::model::token::fold;
use crate::serve::{Endpoint, Error, Graph};

/// How many paths of one arrival are listed.
const LISTED: usize = 16;

/// What is counted of what arrives at a node from one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Every path: of a trail of equal hops every shortest one.
    Paths,
    /// The source once, by its shortest path.
    Sources,
}

/// How risk is counted.
#[derive(Debug, Clone, PartialEq)]
pub struct RiskModel {
    /// The property of a source that says how grave it is.
    pub property: String,
    /// Value of the property → weight.
    pub weights: BTreeMap<String, f64>,
    /// What is left of it after one hop, after two, and so on; nothing beyond the last.
    pub decay: Vec<f64>,
    /// The edges from a source to what it strikes, which are no hops; none if the source itself is struck.
    pub strikes: Vec<Pass>,
    /// What is counted.
    pub counting: Counting,
}

/// Scores.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RiskView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// What the walks could take.
    pub trail: String,
    /// The weights that were used.
    pub weights: BTreeMap<String, f64>,
    /// The decay that was used.
    pub decay: Vec<f64>,
    /// The scored nodes, the highest first, then by key.
    pub scores: Vec<ScoreRow>,
    /// Sources that count for nothing, since their property has no weight.
    pub unweighted: Vec<Endpoint>,
    /// The edges of the paths.
    pub edges: Vec<AskEdge>,
    /// Where a bound cut a walk: then scores may be too low.
    pub cut: Option<CutView>,
}

/// A node's score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScoreRow {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// The sum of what arrives.
    pub score: f64,
    /// What arrives, the gravest first.
    pub arrivals: Vec<Arrival>,
}

/// What arrives at a node from one source over paths of one length.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Arrival {
    /// The source.
    pub source: Endpoint,
    /// The value of its property.
    pub value: String,
    /// The weight of the value.
    pub weight: f64,
    /// How many hops from what was struck; 0 for what was struck itself.
    pub hops: usize,
    /// What is left after so many hops.
    pub decay: f64,
    /// How many paths count.
    pub paths: f64,
    /// weight × decay × paths.
    pub score: f64,
    /// The paths from the source, as numbers of the answer's edges; of very many the first.
    pub by: Vec<Vec<usize>>,
}

/// What stands on one level of a walk: how many paths lead to a node, and by which last steps.
type Level = BTreeMap<Node, Stand>;

#[derive(Debug, Default)]
struct Stand {
    paths: f64,
    /// (the node before, the link); none for the source itself.
    came: Vec<(Node, u32)>,
}

/// Scores what the sources strike and what hangs on it. A walk for each source.
#[expect(clippy::too_many_arguments, reason = "whom, whence, by what model, how far, and how to tell it")]
pub fn risk(
    graph: &Graph<'_>,
    snapshot: &Snapshot,
    sources: &[Node],
    to: Option<&str>,
    model: &RiskModel,
    trail: &Trail,
    bounds: &Bounds<'_>,
    mut teller: Teller<'_>,
) -> Result<RiskView, Error> {
    let mut ground = snapshot;
    let weights: HashMap<String, f64> =
        model.weights.iter().map(|(value, weight)| (fold(value), *weight)).collect();
    let mut cut = Cut::default();
    let mut unweighted = Vec::new();
    let mut arrived: BTreeMap<Node, Vec<Arrival>> = BTreeMap::new();
    for source in sources {
        let value = snapshot.properties(*source).get(&model.property).cloned().unwrap_or_default();
        let Some(weight) = weights.get(&fold(&value)).copied() else {
            unweighted.push(snapshot.endpoint(*source));
            continue;
        };
        let levels = levels(&mut ground, *source, model, trail, bounds, &mut cut);
        let mut counted: HashSet<Node> = HashSet::new();
        for (hops, level) in levels.iter().enumerate().skip(1) {
            let hops = hops - 1;
            let decay = if hops == 0 { 1.0 } else { model.decay.get(hops - 1).copied().unwrap_or(0.0) };
            for (node, stand) in level {
                let key = snapshot.table().key(*node);
                let wanted = node != source && to.is_none_or(|to| key.entity_type() == to);
                let again = model.counting == Counting::Sources && !counted.insert(*node);
                if !wanted || again || decay == 0.0 {
                    continue;
                }
                let paths = if model.counting == Counting::Sources { 1.0 } else { stand.paths };
                let most = if model.counting == Counting::Sources { 1 } else { LISTED };
                let by = paths_to(&levels, hops + 1, *node, most);
                arrived.entry(*node).or_default().push(Arrival {
                    source: snapshot.endpoint(*source),
                    value: value.clone(),
                    weight,
                    hops,
                    decay,
                    paths,
                    score: round(weight * decay * paths),
                    by: by.iter().map(|links| teller.path(links)).collect(),
                });
            }
        }
    }
    let mut scores = Vec::new();
    for (node, mut arrivals) in arrived {
        arrivals.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| (&a.source.key, a.hops).cmp(&(&b.source.key, b.hops)))
        });
        let score = round(arrivals.iter().map(|one| one.weight * one.decay * one.paths).sum());
        let Endpoint { key, name } = snapshot.endpoint(node);
        scores.push(ScoreRow { key, name, score, arrivals });
    }
    scores.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    let what = to.map_or_else(|| "node".to_owned(), |to| format!("{to} node"));
    let says = match scores.first() {
        None => {
            let sources = count(sources.len(), "source");
            format!("nothing of {sources} arrives at {what}s {}", trail.says())
        }
        Some(first) => format!(
            "{} struck by {}; most: {} with {}",
            either(scores.len(), &format!("{what} is"), &format!("{what}s are")),
            count(sources.len() - unweighted.len(), "source"),
            first.name,
            first.score
        ),
    };
    Ok(RiskView {
        head: Head::of(graph),
        says: cut.said(says),
        trail: trail.says(),
        weights: model.weights.clone(),
        decay: model.decay.clone(),
        scores,
        unweighted,
        edges: teller.edges(&ground)?,
        cut: cut.view(&ground, bounds.fan)?,
    })
}

/// A sum as it is told: what differs only by the order of its terms is equal.
fn round(score: f64) -> f64 {
    (score * 1e9).round() / 1e9
}

/// The levels of a walk from a source: itself, what it strikes, and one for each hop from there.
fn levels(
    ground: &mut &Snapshot,
    source: Node,
    model: &RiskModel,
    trail: &Trail,
    bounds: &Bounds<'_>,
    cut: &mut Cut,
) -> Vec<Level> {
    let table = ground.table();
    let mut itself = *ground;
    let trail = trail.compile(&mut itself);
    let strikes = compile(&model.strikes, &mut itself);
    let mut levels = vec![Level::from([(source, Stand { paths: 1.0, came: Vec::new() })])];
    let mut struck = Level::new();
    if model.strikes.is_empty() {
        struck.insert(source, Stand { paths: 1.0, came: Vec::new() });
    } else {
        for step in table.steps(source).iter().filter(|step| strikes.admits(step)) {
            // However often it is said, what is struck is struck once.
            let stand = struck.entry(step.other).or_default();
            if stand.came.is_empty() {
                *stand = Stand { paths: 1.0, came: vec![(source, step.link)] };
            }
        }
    }
    let mut seen: HashSet<Node> = struck.keys().copied().collect();
    levels.push(struck);
    for hop in 0..trail.hops.min(model.decay.len()) {
        let passes = trail.layer(hop);
        let mut next = Level::new();
        for (node, stand) in &levels[levels.len() - 1] {
            if (bounds.late)() {
                cut.late = true;
                return levels;
            }
            let steps = table.steps(*node);
            if steps.len() > bounds.fan && steps.iter().any(|step| passes.admits(step)) {
                cut.crowded.insert(*node);
                continue;
            }
            for step in steps.iter().filter(|step| passes.admits(step)) {
                let known = seen.contains(&step.other);
                if !trail.along && known {
                    continue;
                }
                if !known && !next.contains_key(&step.other) && seen.len() + next.len() >= bounds.nodes {
                    cut.nodes = Some(bounds.nodes);
                    continue;
                }
                let there = next.entry(step.other).or_default();
                there.paths += stand.paths;
                there.came.push((*node, step.link));
            }
        }
        seen.extend(next.keys());
        if next.is_empty() {
            break;
        }
        levels.push(next);
    }
    levels
}

/// The first paths to a node on a level, as links from the source.
fn paths_to(levels: &[Level], level: usize, node: Node, most: usize) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut todo = vec![(level, node, Vec::new())];
    while let Some((level, node, links)) = todo.pop() {
        let came = levels.get(level).and_then(|level| level.get(&node)).map(|stand| stand.came.as_slice());
        match came {
            Some([]) | None => {
                let mut path: Vec<u32> = links;
                path.reverse();
                found.push(path);
                if found.len() == most {
                    break;
                }
            }
            Some(came) => {
                for (before, link) in came.iter().rev() {
                    let mut links = links.clone();
                    links.push(*link);
                    todo.push((level - 1, *before, links));
                }
            }
        }
    }
    found
}
