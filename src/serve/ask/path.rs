//! The shortest path between two nodes, walked from both ends, so that a hub between them need not be read.
//!
//! Each side goes out level by level over nodes that are not crowded; a crowded node may be come to from
//! either side and is never gone on from. So a path may pass one crowded node, and which side goes first
//! changes what is read and not what is found. Of several shortest paths it is the one whose steps come
//! first in [`Table::order`](super::Table::order).
//!
//! The left side goes on from its nodes in the order in which paths to them come, so the first of its steps
//! that closes a path of the least length that is left is on the answer, and the rest of the level is not read.
//! Where no edge type joins the types of the two fronts, that length is one more, and the left side looks
//! one hop further ahead from each node that it finds, as long as that costs less than the right side's level.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::ground::{Ground, Joint, Node, NumberMap, NumberSet, Step, Table};
use super::tell::{AskEdge, Head, Teller};
use super::trail::{Pass, Passes, Trail, compile};
use crate::serve::{Endpoint, Error, Graph};

#[cfg(test)]
mod tests;

/// How many nodes of a front are asked what they cost.
const ASKED: usize = 8;

/// How many times more the left side's level may cost for it to go first: it may end early, the right side's not.
const EARLY: usize = 2;

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

/// What would end a level early: a step that closes a path of the least length that is left.
struct Goal<'r> {
    /// The length.
    hops: usize,
    /// The hops from the other side's end.
    other: &'r NumberMap<Node, usize>,
    /// How many steps may be read in looking one hop further ahead.
    ahead: usize,
}

impl Goal<'_> {
    /// True if a node so many hops away is on a path of the length.
    fn ends(&self, node: Node, hops: usize) -> bool {
        self.other.get(&node).is_some_and(|rest| hops + rest == self.hops)
    }
}

/// How a level ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Whole.
    Whole,
    /// Where it reached the goal.
    Goal,
    /// Where a bound cut it.
    Cut,
}

impl Side {
    fn at(end: Node) -> Self {
        Self { at: NumberMap::from_iter([(end, 0)]), front: vec![end], ..Self::default() }
    }

    /// The hops of the next level, if there is one.
    fn next(&self) -> Option<usize> {
        (!self.front.is_empty()).then_some(self.depth + 1)
    }

    /// Goes on by one level, or until it reaches the goal.
    fn go(
        &mut self,
        ground: &mut dyn Ground,
        admits: &dyn Fn(&Step) -> bool,
        room: usize,
        bounds: &Bounds<'_>,
        mut goal: Option<Goal<'_>>,
        cut: &mut Cut,
    ) -> Result<Level, Error> {
        let front = std::mem::take(&mut self.front);
        let mut new = 0;
        for (done, node) in front.iter().enumerate() {
            if (bounds.late)() {
                cut.late = true;
                cut.left += front.len() - done;
                return Ok(Level::Cut);
            }
            ground.load(*node)?;
            let table = ground.table();
            let steps = table.steps(*node);
            if steps.len() > bounds.fan {
                cut.crowded.insert(*node);
                self.crowded = Some(self.crowded.map_or(self.depth, |least| least.min(self.depth)));
                // A path over it may come first, and only the other side sees it.
                goal = None;
                continue;
            }
            let (found, mut reached) = (self.front.len(), false);
            for step in steps.iter().filter(|step| admits(step)) {
                match self.at.get(&step.other) {
                    Some(hops) if *hops <= self.depth => continue,
                    Some(_) => {}
                    None if new >= room => {
                        cut.nodes = Some(bounds.nodes);
                        cut.left += front.len() - done;
                        return Ok(Level::Cut);
                    }
                    None => {
                        new += 1;
                        self.at.insert(step.other, self.depth + 1);
                        self.front.push(step.other);
                    }
                }
                self.came.entry(step.other).or_default().push((*node, *step));
                reached |= goal.as_ref().is_some_and(|goal| goal.ends(step.other, self.depth + 1));
            }
            for at in found..self.front.len() {
                reached = reached || self.look_ahead(ground, at, admits, bounds, &mut goal)?;
            }
            if reached {
                return Ok(Level::Goal);
            }
        }
        self.depth += 1;
        Ok(Level::Whole)
    }

    /// Looks one hop further, from a node of the next front. True if a step from there reaches the goal.
    fn look_ahead(
        &mut self,
        ground: &mut dyn Ground,
        at: usize,
        admits: &dyn Fn(&Step) -> bool,
        bounds: &Bounds<'_>,
        goal: &mut Option<Goal<'_>>,
    ) -> Result<bool, Error> {
        let Some(sought) = goal.as_mut().filter(|goal| goal.ahead > 0) else { return Ok(false) };
        let (node, depth) = (self.front[at], self.depth + 2);
        if (bounds.late)() {
            return Ok(false);
        }
        ground.load(node)?;
        let steps = ground.table().steps(node);
        sought.ahead = sought.ahead.saturating_sub(steps.len().max(1));
        if steps.len() > bounds.fan {
            // As where the level comes to it: a path over it may come first.
            *goal = None;
            return Ok(false);
        }
        let mut reached = false;
        for step in steps.iter().filter(|step| admits(step) && sought.ends(step.other, depth)) {
            self.at.insert(step.other, depth);
            self.came.entry(step.other).or_default().push((node, *step));
            reached = true;
        }
        Ok(reached)
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
    let joins = ground.joins()?;
    let mut cut = Cut::default();
    if from == to {
        return Ok(Route { steps: Some(Vec::new()), cut });
    }
    let (mut left, mut right) = (Side::at(from), Side::at(to));
    let mut best: Option<usize> = None;
    loop {
        // The least hops that a path not yet seen may have, by where it would be seen.
        let apart =
            joins.as_ref().is_some_and(|joins| are_apart(ground.table(), joins, &passes, &left, &right));
        let between = sum(left.next(), right.next()).map(|both| both - 1 + usize::from(apart));
        let beyond_left = sum(left.crowded, right.next());
        let beyond_right = sum(right.crowded, left.next());
        let least = [between, beyond_left, beyond_right].into_iter().flatten().min();
        let worth = |least: usize| least <= best.unwrap_or(hops).min(hops);
        let Some(least) = least.filter(|least| worth(*least)) else { break };
        let costs = (cost(ground, &left)?, cost(ground, &right)?);
        let left_goes = if between.is_some_and(worth) {
            costs.0 <= costs.1.saturating_mul(EARLY)
        } else {
            !beyond_left.is_some_and(worth)
        };
        let known = left.at.len() + right.at.len();
        let room = bounds.nodes.saturating_sub(known);
        let went = if left_goes {
            let simple = best.is_none() && left.crowded.is_none() && right.crowded.is_none();
            let ahead = if apart { costs.1 } else { 0 };
            let goal = simple.then_some(Goal { hops: least, other: &right.at, ahead });
            left.go(ground, &|step| passes.admits(step), room, bounds, goal, &mut cut)?
        } else {
            right.go(ground, &|step| passes.admits_back(step), room, bounds, None, &mut cut)?
        };
        let (one, other) = if left_goes { (&left, &right) } else { (&right, &left) };
        for node in one.front.iter() {
            if let (Some(a), Some(b)) = (one.at.get(node), other.at.get(node)) {
                best = Some(best.map_or(a + b, |best| best.min(a + b)));
            }
        }
        if went == Level::Goal {
            best = Some(least);
        }
        if went != Level::Whole {
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

/// About how many steps a side's next level reads.
fn cost(ground: &mut dyn Ground, side: &Side) -> Result<usize, Error> {
    let asked = side.front.len().min(ASKED);
    let mut cost = 0;
    for node in &side.front[..asked] {
        cost += ground.size(*node)?;
    }
    Ok(side.front.len() + cost * side.front.len() / asked.max(1))
}

/// True if no edge that may be walked joins a node of the left side's front with one of the right side's.
fn are_apart(table: &Table, joins: &[Joint], passes: &Passes, left: &Side, right: &Side) -> bool {
    let types = |side: &Side| -> BTreeSet<&str> {
        side.front.iter().map(|node| table.key(*node).entity_type()).collect()
    };
    let (left, right) = (types(left), types(right));
    !joins.iter().any(|joint| {
        let (subject, object) = (joint.subject.as_str(), joint.object.as_str());
        let out = left.contains(subject) && right.contains(object);
        let back = left.contains(object) && right.contains(subject);
        (out && passes.admits_kind(joint.kind, true)) || (back && passes.admits_kind(joint.kind, false))
    })
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
