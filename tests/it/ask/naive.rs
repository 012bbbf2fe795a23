//! The questions again, by brute force over lists: what they mean, without a thought for cost.

use std::collections::{BTreeMap, BTreeSet};

/// Edges as (type, subject, object) of keys, sorted, no two equal.
pub(super) struct Naive {
    pub(super) nodes: Vec<String>,
    pub(super) edges: Vec<(String, String, String)>,
}

/// A step: edge type, true from subject to object, the node that it leads to.
pub(super) type Step = (String, bool, String);

/// Nodes with how many of how many edges they lose.
pub(super) type Losses = BTreeSet<(String, usize, usize)>;

/// What may be walked: edge type (`*` is any) and `in`, `out` or `` for either.
pub(super) type Pass<'p> = (&'p str, &'p str);

impl Naive {
    /// Every step from a node, by type, outward first, other end.
    pub(super) fn steps(&self, node: &str, passes: &[Pass<'_>]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (kind, subject, object) in &self.edges {
            for (from, to, out) in [(subject, object, true), (object, subject, false)] {
                let goes = |way: &str| way.is_empty() || (way == "out") == out;
                let admits = passes.iter().any(|(name, way)| (name == kind || *name == "*") && goes(way));
                if from == node && (admits || passes.is_empty()) {
                    steps.push((kind.clone(), out, to.clone()));
                }
            }
        }
        steps.sort_by(|a, b| (&a.0, !a.1, &a.2).cmp(&(&b.0, !b.1, &b.2)));
        steps
    }

    /// Node → hops, within so many hops.
    pub(super) fn within(&self, root: &str, passes: &[Pass<'_>], hops: usize) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::from([(root.to_owned(), 0)]);
        for hop in 1..=hops {
            for node in found.clone().keys() {
                for (.., other) in self.steps(node, passes) {
                    found.entry(other).or_insert(hop);
                }
            }
        }
        found
    }

    /// Node → the first hop on which it is found, one pass a hop.
    pub(super) fn along(&self, root: &str, passes: &[Pass<'_>]) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::from([(root.to_owned(), 0)]);
        for walk in self.walks(root, passes) {
            for (hop, (.., node)) in walk.iter().enumerate() {
                let least = found.entry(node.clone()).or_insert(hop + 1);
                *least = (*least).min(hop + 1);
            }
        }
        found
    }

    /// Every walk of one step or more that takes the passes in turn, as far as it goes or shorter.
    pub(super) fn walks(&self, root: &str, passes: &[Pass<'_>]) -> Vec<Vec<Step>> {
        let Some((first, rest)) = passes.split_first() else { return Vec::new() };
        let mut walks = Vec::new();
        for step in self.steps(root, std::slice::from_ref(first)) {
            walks.push(vec![step.clone()]);
            for mut walk in self.walks(&step.2, rest) {
                walk.insert(0, step.clone());
                walks.push(walk);
            }
        }
        walks
    }

    /// Every shortest path between two nodes of at most so many hops; empty if there is none.
    pub(super) fn shortest(&self, from: &str, to: &str, passes: &[Pass<'_>], most: usize) -> Vec<Vec<Step>> {
        if !self.within(from, passes, most).contains_key(to) {
            return Vec::new();
        }
        let mut paths: Vec<Vec<Step>> = vec![Vec::new()];
        for _ in 0..=most {
            let end = |path: &Vec<Step>| path.last().map_or(from.to_owned(), |step| step.2.clone());
            let there: Vec<Vec<Step>> = paths.iter().filter(|path| end(path) == to).cloned().collect();
            if !there.is_empty() {
                return there;
            }
            let mut longer = Vec::new();
            for path in &paths {
                for step in self.steps(&end(path), passes) {
                    if step.2 != from && !path.iter().any(|before| before.2 == step.2) {
                        let mut path = path.clone();
                        path.push(step);
                        longer.push(path);
                    }
                }
            }
            paths = longer;
        }
        Vec::new()
    }

    /// Of the shortest paths the first, by its steps in turn.
    pub(super) fn path(&self, from: &str, to: &str, passes: &[Pass<'_>], most: usize) -> Option<Vec<Step>> {
        let order = |path: &Vec<Step>| -> Vec<(String, bool, String)> {
            path.iter().map(|(kind, out, to)| (kind.clone(), !out, to.clone())).collect()
        };
        self.shortest(from, to, passes, most).into_iter().min_by_key(order)
    }

    /// Who is lost and who is weakened without a node: (lost, weakened), each with what it loses of how many.
    pub(super) fn without(&self, gone: &str, passes: &[Pass<'_>], strict: bool) -> (Losses, Losses) {
        let mut lost = BTreeSet::from([gone.to_owned()]);
        let mut front = lost.clone();
        let (mut gone_rows, mut weak) = (BTreeSet::new(), BTreeMap::new());
        for (kind, way) in passes {
            let back = match *way {
                "in" => "out",
                "out" => "in",
                way => way,
            };
            let mut next = BTreeSet::new();
            for node in self.nodes.iter().filter(|node| !lost.contains(*node)) {
                let all = self.steps(node, &[(kind, back)]);
                let loses = all.iter().filter(|step| lost.contains(&step.2)).count();
                if !all.iter().any(|step| front.contains(&step.2)) {
                    continue;
                }
                let row = (node.clone(), loses, all.len());
                if strict || loses == all.len() {
                    weak.remove(node);
                    gone_rows.insert(row);
                    next.insert(node.clone());
                } else {
                    weak.insert(node.clone(), row);
                }
            }
            lost.extend(next.clone());
            front = next;
        }
        (gone_rows, weak.into_values().collect())
    }

    /// How often each node stands on shortest paths between two others, both directions alike, normalized.
    pub(super) fn betweenness(&self) -> BTreeMap<String, f64> {
        let simple = self.simple();
        let mut scores: BTreeMap<String, f64> = self.nodes.iter().map(|node| (node.clone(), 0.0)).collect();
        let number = self.nodes.len() as f64;
        for (at, from) in self.nodes.iter().enumerate() {
            for to in &self.nodes[at + 1..] {
                let paths = simple.shortest(from, to, &[], self.nodes.len());
                for path in &paths {
                    for (.., inner) in &path[..path.len().saturating_sub(1)] {
                        *scores.get_mut(inner).unwrap() += 1.0 / paths.len() as f64;
                    }
                }
            }
        }
        let pairs = (number - 1.0) * (number - 2.0) / 2.0;
        scores.values_mut().for_each(|score| *score /= pairs);
        scores
    }

    /// The same graph with one edge between two nodes at most and no loops.
    fn simple(&self) -> Self {
        let pair = |(_, a, b): &(String, String, String)| {
            ("e".to_owned(), a.clone().min(b.clone()), a.clone().max(b.clone()))
        };
        let edges: BTreeSet<_> = self.edges.iter().filter(|(_, a, b)| a != b).map(pair).collect();
        Self { nodes: self.nodes.clone(), edges: edges.into_iter().collect() }
    }

    /// PageRank by the whole matrix.
    pub(super) fn page_rank(&self, damping: f64) -> BTreeMap<String, f64> {
        let number = self.nodes.len();
        let place = |key: &String| self.nodes.iter().position(|node| node == key).unwrap();
        let arcs: BTreeSet<(usize, usize)> =
            self.edges.iter().map(|(_, a, b)| (place(a), place(b))).filter(|(a, b)| a != b).collect();
        let mut ranks = vec![1.0 / number as f64; number];
        for _ in 0..400 {
            let mut next = vec![0.0; number];
            for (from, rank) in ranks.iter().enumerate() {
                let out: Vec<usize> = arcs.iter().filter(|(a, _)| *a == from).map(|(_, b)| *b).collect();
                for (to, sum) in next.iter_mut().enumerate() {
                    let goes = match out.len() {
                        0 => 1.0 / number as f64,
                        _ if out.contains(&to) => 1.0 / out.len() as f64,
                        _ => 0.0,
                    };
                    *sum += rank * (damping * goes + (1.0 - damping) / number as f64);
                }
            }
            ranks = next;
        }
        self.nodes.iter().cloned().zip(ranks).collect()
    }

    /// The pieces, each sorted; all sorted.
    pub(super) fn pieces(&self) -> BTreeSet<BTreeSet<String>> {
        self.nodes.iter().map(|node| self.within(node, &[], self.nodes.len()).into_keys().collect()).collect()
    }
}
