//! What questions walk on: nodes, links and steps as numbers, however they come to be known.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::model::id::{EntityKey, FactId};
use crate::model::time::Interval;
use crate::serve::Error;

/// A node's number in a [`Table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

impl Node {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node of an index; a table numbers no more than four thousand million.
    pub(super) fn of(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// An edge type's number in a [`Table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u32);

impl Kind {
    pub(super) fn of(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// Hashes the numbers of a table. They are given here, so nobody can choose them to collide.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// A map from numbers of a table.
pub(super) type NumberMap<N, V> = HashMap<N, V, BuildHasherDefault<Mix>>;

/// A set of numbers of a table.
pub(super) type NumberSet<N> = HashSet<N, BuildHasherDefault<Mix>>;

/// An edge that holds on the day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The fact.
    pub fact: FactId,
    /// The edge type.
    pub kind: Kind,
    /// The subject.
    pub subject: Node,
    /// The object.
    pub object: Node,
    /// When it holds.
    pub interval: Interval,
    /// True if it is over and nobody says since when.
    pub end_unknown: bool,
}

/// A link as seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The link's number.
    pub link: u32,
    /// The edge type.
    pub kind: Kind,
    /// The other end.
    pub other: Node,
    /// True from the subject to the object.
    pub out: bool,
}

/// Nodes, links and steps as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct Table {
    keys: Vec<EntityKey>,
    numbers: HashMap<EntityKey, Node>,
    kinds: Vec<String>,
    links: Vec<Link>,
    steps: Vec<Vec<Step>>,
}

impl Table {
    /// How many nodes are known.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True if no node is known.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Every node that is known.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..self.keys.len()).map(Node::of)
    }

    /// A node's key.
    pub fn key(&self, node: Node) -> &EntityKey {
        &self.keys[node.index()]
    }

    /// The node of a key, if it is known.
    pub fn number(&self, key: &EntityKey) -> Option<Node> {
        self.numbers.get(key).copied()
    }

    /// The name of an edge type.
    pub fn kind_name(&self, kind: Kind) -> &str {
        &self.kinds[kind.0 as usize]
    }

    /// The number of an edge type, if an edge of it is known.
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.kinds.iter().position(|known| known == name).map(Kind::of)
    }

    /// The links that are known.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// A link by its number.
    pub fn link(&self, number: u32) -> &Link {
        &self.links[number as usize]
    }

    /// The steps from a node, in [`Table::order`]; a link from a node to itself is two steps.
    pub fn steps(&self, node: Node) -> &[Step] {
        &self.steps[node.index()]
    }

    /// The order of steps from one node: by edge type, outward before inward, by the other end, by fact.
    /// It is by names, not by numbers, so that it does not depend on what was read first.
    pub fn order(&self, a: &Step, b: &Step) -> Ordering {
        let by_kind = || {
            if a.kind == b.kind {
                Ordering::Equal
            } else {
                self.kind_name(a.kind).cmp(self.kind_name(b.kind))
            }
        };
        let by_other =
            || if a.other == b.other { Ordering::Equal } else { self.key(a.other).cmp(self.key(b.other)) };
        by_kind()
            .then_with(|| b.out.cmp(&a.out))
            .then_with(by_other)
            .then_with(|| self.link(a.link).fact.cmp(&self.link(b.link).fact))
    }

    /// The number of a node, new if need be.
    pub(super) fn node(&mut self, key: &EntityKey) -> Node {
        if let Some(known) = self.numbers.get(key) {
            return *known;
        }
        let node = Node::of(self.keys.len());
        self.keys.push(key.clone());
        self.numbers.insert(key.clone(), node);
        self.steps.push(Vec::new());
        node
    }

    /// The number of an edge type, new if need be.
    pub(super) fn named(&mut self, name: &str) -> Kind {
        self.kind(name).unwrap_or_else(|| {
            self.kinds.push(name.to_owned());
            Kind::of(self.kinds.len() - 1)
        })
    }

    /// Adds a link without its steps.
    pub(super) fn add(&mut self, link: Link) -> u32 {
        self.links.push(link);
        u32::try_from(self.links.len() - 1).unwrap_or(u32::MAX)
    }

    /// Sets the steps of a node, in order.
    pub(super) fn set_steps(&mut self, node: Node, mut steps: Vec<Step>) {
        steps.sort_by(|a, b| self.order(a, b));
        self.steps[node.index()] = steps;
    }
}

/// Two types of nodes that edges of a type join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joint {
    /// The type of the subjects.
    pub subject: String,
    /// The edge type.
    pub kind: Kind,
    /// The type of the objects.
    pub object: String,
}

/// What questions walk on.
pub trait Ground {
    /// What is known by now.
    fn table(&self) -> &Table;

    /// Sees to it that the steps of a node are known. Of a node with more steps than the ground was made
    /// for, enough are known to show it.
    fn load(&mut self, node: Node) -> Result<(), Error>;

    /// The node of an entity that the reader sees.
    fn number(&mut self, key: &EntityKey) -> Option<Node>;

    /// The number of an edge type; `None` if no edge can be of it.
    fn kind(&mut self, name: &str) -> Option<Kind>;

    /// About how many steps a node has: what it costs to load it. It may be too high, and it may stop
    /// counting where it is too high to be walked through.
    fn size(&mut self, node: Node) -> Result<usize, Error>;

    /// Which types of nodes the edges of each type join; `None` if any may join any.
    fn joins(&mut self) -> Result<Option<Vec<Joint>>, Error>;

    /// The name by which a node goes.
    fn name(&self, node: Node) -> Result<String, Error>;
}
