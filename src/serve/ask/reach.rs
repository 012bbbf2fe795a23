//! How many nodes of a kind each of some nodes reaches: an aggregate over a type.

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::ground::{Ground, Node};
use super::tell::{AskEdge, Head, NodeView, Teller};
use super::trail::Trail;
use super::walk::walk;
use crate::diag::count;
use crate::serve::{Error, Graph};

/// What each of some nodes reaches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReachView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// What the walks could take.
    pub trail: String,
    /// The nodes, those that reach most first, then by key.
    pub rows: Vec<ReachRow>,
    /// The edges of the paths.
    pub edges: Vec<AskEdge>,
    /// Where a bound cut a walk: then something may be reached that is not counted.
    pub cut: Option<CutView>,
}

/// What one node reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReachRow {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// How many nodes of the kind it reaches.
    pub count: usize,
    /// Which, by key, each with the path to it.
    pub reached: Vec<NodeView>,
}

/// How many nodes of a type (of any, if none is given) each of some nodes reaches, itself not counted.
/// A walk for each node.
pub fn reach(
    ground: &mut dyn Ground,
    graph: &Graph<'_>,
    from: &[Node],
    to: Option<&str>,
    trail: &Trail,
    bounds: &Bounds<'_>,
    mut teller: Teller<'_>,
) -> Result<ReachView, Error> {
    let mut cut = Cut::default();
    let mut found = Vec::new();
    for node in from {
        let walk = walk(ground, &[*node], trail, bounds)?;
        cut.join(&walk.cut);
        let table = ground.table();
        let wanted = |one: &Node| *one != *node && to.is_none_or(|to| table.key(*one).entity_type() == to);
        let mut reached: Vec<(Node, usize)> = walk.found().filter(|(one, _)| wanted(one)).collect();
        reached.sort_by(|(a, _), (b, _)| table.key(*a).cmp(table.key(*b)));
        found.push((*node, walk, reached));
    }
    let table = ground.table();
    found.sort_by(|(a, _, of_a), (b, _, of_b)| {
        of_b.len().cmp(&of_a.len()).then_with(|| table.key(*a).cmp(table.key(*b)))
    });
    let mut rows = Vec::new();
    for (node, walk, reached) in &found {
        let end = teller.endpoint(ground, *node)?;
        let mut views = Vec::new();
        for (one, hops) in reached {
            views.push(teller.node(ground, *one, *hops, &walk.path(*one))?);
        }
        rows.push(ReachRow { key: end.key, name: end.name, count: views.len(), reached: views });
    }
    let most = rows.first().map_or(0, |row| row.count);
    let first = rows.iter().filter(|row| row.count == most).count();
    let what = to.map_or_else(|| "node".to_owned(), |to| format!("{to} node"));
    let says = if most == 0 {
        format!("none of {} reaches {what}s {}", count(rows.len(), "node"), trail.says())
    } else {
        let names: Vec<&str> = rows.iter().take(first.min(4)).map(|row| row.name.as_str()).collect();
        let reach = if first == 1 { "reaches" } else { "reach" };
        let others = if first > 4 { format!(" and {}", count(first - 4, "other")) } else { String::new() };
        format!(
            "{}{others} of {} {reach} most: {} {}",
            names.join(", "),
            count(rows.len(), "node"),
            count(most, &what),
            trail.says()
        )
    };
    Ok(ReachView {
        head: Head::of(graph),
        says: cut.said(says),
        trail: trail.says(),
        rows,
        edges: teller.edges(ground)?,
        cut: cut.view(ground, bounds.fan)?,
    })
}
