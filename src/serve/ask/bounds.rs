//! How far a question may go, and what an answer says where it went no further.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::ground::{Ground, Node};
use crate::diag::{count, either};
use crate::model::sabotage;
use crate::serve::{Endpoint, Error};

/// How far a question may go. Hops belong to the [`Trail`](super::Trail).
#[derive(Clone, Copy)]
pub struct Bounds<'c> {
    /// How many nodes may be found.
    pub nodes: usize,
    /// How many edges a node may have to be walked through.
    pub fan: usize,
    /// True once the time for the question is over. The caller has the clock.
    pub late: &'c dyn Fn() -> bool,
}

impl Bounds<'static> {
    /// No bounds at all.
    pub const NONE: Self = Self { nodes: usize::MAX, fan: usize::MAX, late: &|| false };
}

/// Where a bound stopped a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cut {
    /// The number of nodes that may be found, if more were there.
    pub nodes: Option<usize>,
    /// True if the time was over.
    pub late: bool,
    /// Nodes with more edges than may be followed: not walked through, or as far as allowed from a root.
    pub crowded: BTreeSet<Node>,
    /// How many nodes were found and not walked from, though the trail went on.
    pub left: usize,
}

/// Where a bound cut an answer: it may be incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CutView {
    /// Which bounds cut it: `nodes`, `fan`, `time`.
    pub by: Vec<String>,
    /// What was cut, in words.
    pub says: String,
    /// Nodes with more edges than may be followed.
    pub crowded: Vec<Endpoint>,
    /// How many nodes were found and not walked from, though the trail went on.
    pub left: usize,
}

impl Cut {
    /// True if a bound stopped the walk.
    pub fn is_cut(&self) -> bool {
        let cut = self.nodes.is_some() || self.late || !self.crowded.is_empty();
        cut && !sabotage::is_off("cut-said")
    }

    /// An answer's sentence, which does not pass for the whole answer where a bound cut it.
    pub(super) fn said(&self, says: String) -> String {
        if self.is_cut() { format!("{says}; it was cut, so there may be more") } else { says }
    }

    /// Adds what stopped another walk for the same answer.
    pub(super) fn join(&mut self, other: &Self) {
        self.nodes = self.nodes.or(other.nodes);
        self.late |= other.late;
        self.crowded.extend(&other.crowded);
        self.left += other.left;
    }

    /// The cut as a value, if there is one.
    pub(super) fn view(&self, ground: &dyn Ground, fan: usize) -> Result<Option<CutView>, Error> {
        if !self.is_cut() {
            return Ok(None);
        }
        let (mut by, mut says) = (Vec::new(), Vec::new());
        if let Some(nodes) = self.nodes {
            by.push("nodes".to_owned());
            says.push(format!(
                "more than {} there (`--nodes` allows more)",
                either(nodes, "node is", "nodes are")
            ));
        }
        if self.late {
            by.push("time".to_owned());
            says.push("the time was over (`--time-limit` allows more)".to_owned());
        }
        let mut crowded = Vec::new();
        for node in &self.crowded {
            crowded.push(Endpoint { key: ground.table().key(*node).to_string(), name: ground.name(*node)? });
        }
        crowded.sort();
        if !crowded.is_empty() {
            by.push("fan".to_owned());
            let names: Vec<&str> = crowded.iter().take(3).map(|one| one.key.as_str()).collect();
            let (have, were) = if crowded.len() == 1 { ("has", "was") } else { ("have", "were") };
            let more = if crowded.len() > 3 { " and others" } else { "" };
            says.push(format!(
                "{}{more} {have} more than {} and {were} not followed further (`--fan` allows more)",
                names.join(", "),
                count(fan, "edge"),
            ));
        }
        if self.left > 0 {
            let nodes = either(self.left, "node was", "nodes were");
            says.push(format!("{nodes} found and not walked from"));
        }
        Ok(Some(CutView { by, says: says.join("; "), crowded, left: self.left }))
    }
}
