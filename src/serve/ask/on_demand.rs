//! The graph read around the nodes that a walk comes to: nothing is read that no walk came near.

use std::collections::{HashMap, HashSet};

use super::ground::{Ground, Joint, Kind, Link, Node, Step, Table};
use crate::model::id::{EntityKey, FactId};
use crate::model::time::Interval;
use crate::serve::{Error, Graph};
use crate::store::{Joins, Linked};

/// The graph read around the nodes that a walk comes to.
#[derive(Debug)]
pub struct OnDemand<'g> {
    graph: &'g Graph<'g>,
    table: Table,
    by_fact: HashMap<FactId, u32>,
    loaded: HashSet<Node>,
    sizes: HashMap<Node, usize>,
    /// What the types of edges join, once it was asked for.
    joins: Option<Option<Vec<Joint>>>,
    fan: usize,
}

impl<'g> OnDemand<'g> {
    /// Nothing is read yet. Of a node with more than `fan` edges no more are read than show it.
    pub fn new(graph: &'g Graph<'g>, fan: usize) -> Self {
        Self {
            graph,
            table: Table::default(),
            by_fact: HashMap::new(),
            loaded: HashSet::new(),
            sizes: HashMap::new(),
            joins: None,
            fan,
        }
    }
}

impl OnDemand<'_> {
    /// On which sides of an entity facts can stand, outward first: none need be looked up where no type of edges
    /// begins or ends at its type.
    fn sides(&mut self, key: &EntityKey) -> Result<Vec<bool>, Error> {
        let joins = self.joins()?;
        let stands = |out: &bool| {
            let end = |joint: &Joint| {
                key.entity_type() == if *out { joint.subject.as_str() } else { joint.object.as_str() }
            };
            joins.as_ref().is_none_or(|joins| joins.iter().any(end))
        };
        Ok([true, false].into_iter().filter(stands).collect())
    }
}

/// When the edge holds that the reader sees and that holds on the lens's day, and whether it is over without
/// anybody saying since when. Only for a reader who does not see everything the fact is read.
pub(super) fn holding(graph: &Graph<'_>, linked: &Linked<'_>) -> Result<Option<(Interval, bool)>, Error> {
    let day = graph.lens().day();
    if graph.sees_everything() {
        return Ok(linked.on(day)?);
    }
    let Some((_, edges)) = graph.fact(&linked.fact)? else { return Ok(None) };
    Ok(edges.iter().find(|edge| edge.interval.contains(day)).map(|edge| (edge.interval, edge.end_unknown)))
}

impl Ground for OnDemand<'_> {
    fn table(&self) -> &Table {
        &self.table
    }

    fn load(&mut self, node: Node) -> Result<(), Error> {
        if !self.loaded.insert(node) {
            return Ok(());
        }
        let (graph, fan) = (self.graph, self.fan);
        let key = self.table.key(node).clone();
        let mut steps = Vec::new();
        for out in self.sides(&key)? {
            let mut taken = 0;
            graph.view().each_linked(&key, out, |linked| {
                if let Some((interval, end_unknown)) = holding(graph, linked)? {
                    taken += 1;
                    let kind = self.table.named(linked.edge_type);
                    let (subject, object) =
                        (self.table.node(&linked.subject), self.table.node(&linked.object));
                    let fact = linked.fact;
                    let link = *self.by_fact.entry(fact).or_insert_with(|| {
                        self.table.add(Link { fact, kind, subject, object, interval, end_unknown })
                    });
                    steps.push(Step { link, kind, other: if out { object } else { subject }, out });
                }
                Ok::<bool, Error>(taken <= fan)
            })?;
        }
        self.table.set_steps(node, steps);
        Ok(())
    }

    fn number(&mut self, key: &EntityKey) -> Option<Node> {
        Some(self.table.node(key))
    }

    fn kind(&mut self, name: &str) -> Option<Kind> {
        Some(self.table.named(name))
    }

    fn size(&mut self, node: Node) -> Result<usize, Error> {
        if let Some(size) = self.sizes.get(&node) {
            return Ok(*size);
        }
        let key = self.table.key(node).clone();
        let mut size = 0;
        for out in self.sides(&key)? {
            let column = if out { "subject" } else { "object" };
            let view = self.graph.view();
            size += view.rows_about(crate::store::Kind::Fact, column, &key.to_string(), self.fan)?;
        }
        self.sizes.insert(node, size);
        Ok(size)
    }

    fn joins(&mut self) -> Result<Option<Vec<Joint>>, Error> {
        if self.joins.is_none() {
            let joins = self.graph.view().joins()?.map(|joins| {
                let joint = |join: Joins| {
                    let kind = self.table.named(&join.edge_type);
                    Joint { subject: join.subject, kind, object: join.object }
                };
                joins.into_iter().map(joint).collect()
            });
            self.joins = Some(joins);
        }
        Ok(self.joins.clone().flatten())
    }

    fn name(&self, node: Node) -> Result<String, Error> {
        self.graph.name(self.table.key(node))
    }
}
