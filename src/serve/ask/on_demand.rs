//! The graph read around the nodes that a walk comes to: nothing is read that no walk came near.

use std::collections::{HashMap, HashSet};

use super::ground::{Ground, Kind, Link, Node, Step, Table};
use crate::model::fact::{Edge, Fact};
use crate::model::id::{EntityKey, FactId};
use crate::serve::{Error, Graph};

/// The graph read around the nodes that a walk comes to.
#[derive(Debug)]
pub struct OnDemand<'g> {
    graph: &'g Graph<'g>,
    table: Table,
    by_fact: HashMap<FactId, u32>,
    loaded: HashSet<Node>,
    sizes: HashMap<Node, usize>,
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
            fan,
        }
    }
}

/// The edge of a fact that the reader sees and that holds on the lens's day. There is at most one, since
/// the edges of a fact never touch.
pub(super) fn holding(graph: &Graph<'_>, fact: &Fact) -> Result<Option<Edge>, Error> {
    let day = graph.lens().day();
    Ok(graph.edges(fact)?.into_iter().find(|edge| edge.interval.contains(day)))
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
        let key = self.table.key(node).to_string();
        let mut steps = Vec::new();
        for (column, out) in [("subject", true), ("object", false)] {
            let mut taken = 0;
            graph.view().each_by(column, &key, |fact: Fact| {
                if let Some(edge) = holding(graph, &fact)? {
                    taken += 1;
                    let kind = self.table.named(&fact.edge_type);
                    let (subject, object) = (self.table.node(&fact.subject), self.table.node(&fact.object));
                    let link = *self.by_fact.entry(fact.id).or_insert_with(|| {
                        self.table.add(Link {
                            fact: fact.id,
                            kind,
                            subject,
                            object,
                            interval: edge.interval,
                            end_unknown: edge.end_unknown,
                        })
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
        let key = self.table.key(node).to_string();
        let mut size = 0;
        for column in ["subject", "object"] {
            size += self.graph.view().rows_about(crate::store::Kind::Fact, column, &key, self.fan)?;
        }
        self.sizes.insert(node, size);
        Ok(size)
    }

    fn name(&self, node: Node) -> Result<String, Error> {
        self.graph.name(self.table.key(node))
    }
}
