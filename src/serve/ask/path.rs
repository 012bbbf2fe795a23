//! The shortest path between two nodes, walked from both ends, so that a hub between them need not be read.
//!
//! Each side goes out level by level over nodes that are not crowded; a crowded node may be come to from
//! either side and is never gone on from. So a path may pass one crowded node, and which side goes first
//! changes what is read and not what is found. Of several shortest paths it is the one whose steps come
//! first in [`Table::order`](super::Table::order).

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::ground::{Ground, Node, NumberMap, NumberSet, Step};
use super::tell::{AskEdge, Head, Teller};
use super::trail::{Pass, Trail, compile};
use crate::serve::{Endpoint, Error, Graph};

/// How many nodes of a front are asked what they cost.
const ASKED: usize = 32;

/// A path: the steps from the first node, in order; and what was not looked at.
#[derive(Debug, Clone, Default)]
pub struct Route {
    /// The steps; `None` if there is no path.
    pub steps: Option<Vec<Step>>,
    /// Where a bound stopped the search.
    pub cut: Cut,
}

/// What one side has come to.
#[derive(Debug, Default)]
struct Side {
    /// Hops from its end.
    at: NumberMap<Node, usize>,
    /// The steps by which a node was come to on its shortest way, as steps from this side's end: from whom.
    came: NumberMap<Node, Vec<(Node, Step)>>,
    front: Vec<Node>,
    depth: usize,
    /// The least hops to a crowded node that it was not gone on from.
    crowded: Option<usize>,
}

impl Side {
    fn at(end: Node) -> Self {
        Self { at: NumberMap::from_iter([(end, 0)]), front: vec![end], ..Self::default() }
    }

    /// The hops of the next level, if there is one.
    fn next(&self) -> Option<usize> {
        (!self.front.is_empty()).then_some(self.depth + 1)
    }

    /// Goes on by one level. True if it was cut.
    fn go(
        &mut self,
        ground: &mut dyn Ground,
        admits: &dyn Fn(&Step) -> bool,
        room: usize,
        bounds: &Bounds<'_>,
        cut: &mut Cut,
    ) -> Result<bool, Error> {
        let front = std::mem::take(&mut self.front);
        let mut new = 0;
        for (done, node) in front.iter().enumerate() {
            if (bounds.late)() {
                cut.late = true;
                cut.left += front.len() - done;
                return Ok(true);
            }
            ground.load(*node)?;
            let table = ground.table();
            let steps = table.steps(*node);
            if steps.len() > bounds.fan {
                cut.crowded.insert(*node);
                self.crowded = Some(self.crowded.map_or(self.depth, |least| least.min(self.depth)));
                continue;
            }
            for step in steps.iter().filter(|step| admits(step)) {
                match self.at.get(&step.other) {
                    Some(hops) if *hops <= self.depth => continue,
                    Some(_) => {}
                    None if new >= room => {
                        cut.nodes = Some(bounds.nodes);
                        cut.left += front.len() - done;
                        return Ok(true);
                    }
                    None => {
                        new += 1;
                        self.at.insert(step.other, self.depth + 1);
                        self.front.push(step.other);
                    }
                }
                self.came.entry(step.other).or_default().push((*node, *step));
            }
        }
        self.depth += 1;
        Ok(false)
    }
}

/// The sum of two hops, if both are there.
fn sum(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    Some(a? + b?)
}

/// The shortest path between two nodes over these edges, of at most so many hops. It costs what stands
/// within half the path of either end.
pub fn route(
    ground: &mut dyn Ground,
    from: Node,
    to: Node,
    passes: &[Pass],
    hops: usize,
    bounds: &Bounds<'_>,
) -> Result<Route, Error> {
    let passes = compile(passes, ground);
    let mut cut = Cut::default();
    if from == to {
        return Ok(Route { steps: Some(Vec::new()), cut });
    }
    let (mut left, mut right) = (Side::at(from), Side::at(to));
    let mut best: Option<usize> = None;
    loop {
        // The least hops that a path not yet seen may have, by where it would be seen.
        let between = sum(left.next(), right.next()).map(|both| both - 1);
        let beyond_left = sum(left.crowded, right.next());
        let beyond_right = sum(right.crowded, left.next());
        let least = [between, beyond_left, beyond_right].into_iter().flatten().min();
        let worth = |least: usize| least <= best.unwrap_or(hops).min(hops);
        if !least.is_some_and(worth) {
            break;
        }
        let left_goes = if between.is_some_and(worth) {
            cheaper(ground, &left, &right)?
        } else {
            !beyond_left.is_some_and(worth)
        };
        let known = left.at.len() + right.at.len();
        let room = bounds.nodes.saturating_sub(known);
        let stopped = if left_goes {
            left.go(ground, &|step| passes.admits(step), room, bounds, &mut cut)?
        } else {
            right.go(ground, &|step| passes.admits_back(step), room, bounds, &mut cut)?
        };
        let (one, other) = if left_goes { (&left, &right) } else { (&right, &left) };
        for node in one.front.iter() {
            if let (Some(a), Some(b)) = (one.at.get(node), other.at.get(node)) {
                best = Some(best.map_or(a + b, |best| best.min(a + b)));
            }
        }
        if stopped {
            break;
        }
    }
    let steps = best.filter(|best| *best <= hops).map(|best| first(ground, &left, &right, from, to, best));
    // A path over two crowded nodes would be seen by neither side: it has at least this many hops.
    let unseen = left.crowded.unwrap_or(left.depth) + 1 + right.crowded.unwrap_or(right.depth);
    if steps.is_some() && cut.nodes.is_none() && !cut.late && best.is_some_and(|best| best <= unseen) {
        cut.crowded.clear();
    }
    Ok(Route { steps, cut })
}

/// True if the left side's next level costs no more than the right's.
fn cheaper(ground: &mut dyn Ground, left: &Side, right: &Side) -> Result<bool, Error> {
    let mut cost = |side: &Side| -> Result<usize, Error> {
        let mut cost = side.front.len();
        for node in side.front.iter().take(ASKED) {
            cost += ground.size(*node)?;
        }
        Ok(cost)
    };
    Ok(cost(left)? <= cost(right)?)
}

/// Of all shortest paths that were seen, the one whose steps come first.
fn first(ground: &dyn Ground, left: &Side, right: &Side, from: Node, to: Node, hops: usize) -> Vec<Step> {
    let met: NumberSet<Node> = left
        .at
        .iter()
        .filter(|(node, a)| right.at.get(node).is_some_and(|b| **a + b == hops))
        .map(|(node, _)| *node)
        .collect();
    // From where the sides met back to the first node: which steps of the left side lead there.
    let mut onward: NumberMap<Node, Vec<Step>> = NumberMap::default();
    let mut todo: Vec<Node> = met.iter().copied().collect();
    let mut done: NumberSet<Node> = met.clone();
    while let Some(node) = todo.pop() {
        for (before, step) in left.came.get(&node).into_iter().flatten() {
            onward.entry(*before).or_default().push(*step);
            if done.insert(*before) {
                todo.push(*before);
            }
        }
    }
    let table = ground.table();
    let mut path = Vec::with_capacity(hops);
    // A place on a path may be on the left part, on the right part, or on both where they meet.
    let mut here = (from, true, met.contains(&from));
    while here.0 != to && path.len() < hops {
        let (node, on_left, on_right) = here;
        let mut options: Vec<Step> = Vec::new();
        if on_left {
            options.extend(onward.get(&node).into_iter().flatten());
        }
        let back = right.came.get(&node);
        if on_right {
            options.extend(back.into_iter().flatten().map(|(next, step)| Step {
                other: *next,
                out: !step.out,
                ..*step
            }));
        }
        let Some(step) = options.into_iter().min_by(|a, b| table.order(a, b)) else { break };
        let next = step.other;
        let still_left = on_left
            && onward
                .get(&node)
                .is_some_and(|steps| steps.iter().any(|one| one.link == step.link && one.other == next));
        let on_right_now = on_right
            && back
                .is_some_and(|back| back.iter().any(|(other, one)| one.link == step.link && *other == next));
        here = (next, still_left, on_right_now || (still_left && met.contains(&next)));
        path.push(step);
    }
    path
}

/// The shortest path between two nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PathView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// Where it begins.
    pub from: Endpoint,
    /// Where it ends.
    pub to: Endpoint,
    /// What it could take.
    pub trail: String,
    /// True if there is one.
    pub found: bool,
    /// How many hops it has; null if there is none.
    pub hops: Option<usize>,
    /// The steps after the first node.
    pub steps: Vec<PathStep>,
    /// Its edges.
    pub edges: Vec<AskEdge>,
    /// Where a bound cut the search.
    pub cut: Option<CutView>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathStep {
    /// The edge type.
    pub edge_type: String,
    /// `out` from the subject to the object, `in` against it.
    pub direction: String,
    /// The edge: its number in the answer.
    pub edge: usize,
    /// Where it leads.
    pub to: Endpoint,
}

/// The shortest path between two nodes, as a value.
#[expect(clippy::too_many_arguments, reason = "two ends, what may be walked, how far, and how to tell it")]
pub fn path(
    ground: &mut dyn Ground,
    graph: &Graph<'_>,
    from: Node,
    to: Node,
    passes: &[Pass],
    hops: usize,
    bounds: &Bounds<'_>,
    mut teller: Teller<'_>,
) -> Result<PathView, Error> {
    let route = route(ground, from, to, passes, hops, bounds)?;
    let (begin, end) = (teller.endpoint(ground, from)?, teller.endpoint(ground, to)?);
    let trail = Trail::within(passes.to_vec(), hops).says();
    let mut steps = Vec::new();
    for step in route.steps.iter().flatten() {
        steps.push(PathStep {
            edge_type: ground.table().kind_name(step.kind).to_owned(),
            direction: if step.out { "out" } else { "in" }.to_owned(),
            edge: teller.number(step.link),
            to: teller.endpoint(ground, step.other)?,
        });
    }
    let head = Head::of(graph);
    let says = match &route.steps {
        None => format!("no path from {} to {} {trail} on {}", begin.name, end.name, head.day),
        Some(steps) if steps.is_empty() => format!("{} is where it begins and ends", begin.name),
        Some(_) => {
            let mut line = begin.name.clone();
            for step in &steps {
                let arrow = if step.direction == "out" {
                    format!(" –{}→ ", step.edge_type)
                } else {
                    format!(" ←{}– ", step.edge_type)
                };
                line.push_str(&arrow);
                line.push_str(&step.to.name);
            }
            line
        }
    };
    Ok(PathView {
        says: route.cut.said(says),
        from: begin,
        to: end,
        trail,
        found: route.steps.is_some(),
        hops: route.steps.as_ref().map(Vec::len),
        steps,
        edges: teller.edges(ground)?,
        cut: route.cut.view(ground, bounds.fan)?,
        head,
    })
}
