//! The whole graph of one lens in memory: built once, asked often, by anyone who may look through that lens.

use std::collections::BTreeMap;

use super::ground::{Ground, Joint, Kind, Link, Node, Step, Table};
use super::on_demand::holding;
use crate::model::entity::EntityClaim;
use crate::model::id::EntityKey;
use crate::serve::{Error, Graph};

/// What a snapshot knows of an entity beside its edges.
#[derive(Debug, Clone, Default)]
struct Entity {
    name: String,
    properties: BTreeMap<String, String>,
    /// True if it is in the graph without an edge: some source holds it, and it was not merged away.
    stands: bool,
}

/// The whole graph of one lens. Its nodes are numbered in the order of their keys.
#[derive(Debug, Clone)]
pub struct Snapshot {
    table: Table,
    entities: Vec<Entity>,
}

impl Snapshot {
    /// Reads every entity and every fact once. Linear in the graph, in time and memory.
    pub fn of(graph: &Graph<'_>) -> Result<Self, Error> {
        let mut known = claimed(graph)?;
        let mut links = Vec::new();
        graph.view().each_link(|linked| {
            if let Some(held) = holding(graph, linked)? {
                let (subject, object) = (linked.subject.clone(), linked.object.clone());
                links.push((linked.edge_type.to_owned(), subject, object, linked.fact, held));
            }
            Ok::<(), Error>(())
        })?;
        links.sort_by(|a, b| (&a.0, &a.1, &a.2, a.3).cmp(&(&b.0, &b.1, &b.2, b.3)));
        for (_, subject, object, ..) in &links {
            for key in [subject, object] {
                if !known.contains_key(key) {
                    let name = graph.name(key)?;
                    known.insert(key.clone(), Entity { name, ..Entity::default() });
                }
            }
        }
        let mut table = Table::default();
        let mut entities = Vec::with_capacity(known.len());
        for (key, entity) in known {
            table.node(&key);
            entities.push(entity);
        }
        let mut steps: Vec<Vec<Step>> = vec![Vec::new(); entities.len()];
        for (edge_type, subject, object, fact, (interval, end_unknown)) in links {
            let kind = table.named(&edge_type);
            let (subject, object) = (table.node(&subject), table.node(&object));
            let link = table.add(Link { fact, kind, subject, object, interval, end_unknown });
            steps[subject.index()].push(Step { link, kind, other: object, out: true });
            steps[object.index()].push(Step { link, kind, other: subject, out: false });
        }
        for (index, steps) in steps.into_iter().enumerate() {
            table.set_steps(Node::of(index), steps);
        }
        Ok(Self { table, entities })
    }

    /// Nodes, links and steps.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// True if a node is in the graph of the day: a source holds it, or an edge touches it.
    pub fn stands(&self, node: Node) -> bool {
        self.entities[node.index()].stands || !self.table.steps(node).is_empty()
    }

    /// The nodes of the graph of the day, by key.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.table.nodes().filter(|node| self.stands(*node))
    }

    /// The name by which a node goes.
    pub fn name(&self, node: Node) -> &str {
        &self.entities[node.index()].name
    }

    /// A node's properties.
    pub fn properties(&self, node: Node) -> &BTreeMap<String, String> {
        &self.entities[node.index()].properties
    }
}

/// The claimed entities that the reader sees.
fn claimed(graph: &Graph<'_>) -> Result<BTreeMap<EntityKey, Entity>, Error> {
    let mut claims: BTreeMap<EntityKey, Vec<EntityClaim>> = BTreeMap::new();
    graph.view().each(|claim: EntityClaim| {
        if graph.sees_entity(&claim.entity)? {
            claims.entry(claim.entity.clone()).or_default().push(claim);
        }
        Ok::<(), Error>(())
    })?;
    let mut known = BTreeMap::new();
    for (key, claims) in claims {
        let claims = graph.seen_claims(claims)?;
        if claims.is_empty() {
            continue;
        }
        let mut entity = Entity::default();
        let merged = claims.iter().any(|claim| claim.merged_into.as_ref().is_some_and(|into| *into != key));
        entity.stands = !merged && claims.iter().any(|claim| !claim.gone);
        let name = claims.iter().find_map(|claim| claim.names.first());
        entity.name = name.cloned().unwrap_or_else(|| key.key().to_owned());
        for claim in claims {
            for (name, value) in claim.properties {
                entity.properties.entry(name).or_insert(value);
            }
        }
        known.insert(key, entity);
    }
    Ok(known)
}

impl Ground for &Snapshot {
    fn table(&self) -> &Table {
        &self.table
    }

    fn load(&mut self, _: Node) -> Result<(), Error> {
        Ok(())
    }

    fn number(&mut self, key: &EntityKey) -> Option<Node> {
        self.table.number(key)
    }

    fn kind(&mut self, name: &str) -> Option<Kind> {
        self.table.kind(name)
    }

    fn size(&mut self, node: Node) -> Result<usize, Error> {
        Ok(self.table.steps(node).len())
    }

    fn joins(&mut self) -> Result<Option<Vec<Joint>>, Error> {
        // Reading a level costs nothing here.
        Ok(None)
    }

    fn name(&self, node: Node) -> Result<String, Error> {
        Ok(Snapshot::name(self, node).to_owned())
    }
}
