//! Which edges a walk may take: any of some types for so many hops, or one type after another.

use super::ground::{Ground, Kind, Step};
use crate::model::fact::Fact;
use crate::model::id::EntityKey;

/// In which direction an edge may be walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the subject to the object.
    Out,
    /// From the object to the subject.
    In,
    /// Whichever leads on.
    Either,
}

/// Edges that may be walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The edge type; `None` is any.
    pub edge_type: Option<String>,
    /// The direction.
    pub way: Way,
}

impl Pass {
    /// True if it leads over a fact, from the one of its ends that is given.
    pub(in crate::serve) fn takes(&self, fact: &Fact, from: &EntityKey) -> bool {
        let goes = match self.way {
            Way::Out => fact.subject == *from,
            Way::In => fact.object == *from,
            Way::Either => true,
        };
        goes && self.edge_type.as_ref().is_none_or(|name| *name == fact.edge_type)
    }
}

/// Which edges a walk may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trail {
    /// One list of passes a hop; for a trail of equal hops one for all.
    layers: Vec<Vec<Pass>>,
    hops: usize,
    along: bool,
}

impl Trail {
    /// Up to so many hops, each over any of these; none stands for all. No node is walked from twice.
    pub fn within(passes: Vec<Pass>, hops: usize) -> Self {
        Self { layers: vec![passes], hops, along: false }
    }

    /// One hop after another, each over its own passes; a node may be found on several hops.
    pub fn along(layers: Vec<Vec<Pass>>) -> Self {
        Self { hops: layers.len(), layers, along: true }
    }

    /// How many hops it has.
    pub fn hops(&self) -> usize {
        self.hops
    }

    /// The trail in words.
    pub fn says(&self) -> String {
        let list = |passes: &[Pass], with: &str| passes.iter().map(says).collect::<Vec<_>>().join(with);
        if self.along {
            let layers: Vec<String> = self.layers.iter().map(|passes| list(passes, "|")).collect();
            return format!("along {}", layers.join(", "));
        }
        let over = match self.layers.first() {
            Some(passes) if !passes.is_empty() => format!(" over {}", list(passes, ", ")),
            _ => String::new(),
        };
        format!("within {} {}{over}", self.hops, if self.hops == 1 { "hop" } else { "hops" })
    }

    /// The trail in the numbers of a ground.
    pub(super) fn compile(&self, ground: &mut dyn Ground) -> Compiled {
        let mut layers = Vec::new();
        for passes in &self.layers {
            layers.push(compile(passes, ground));
        }
        Compiled { layers, hops: self.hops, along: self.along }
    }
}

/// A pass as it is written.
pub(super) fn says(pass: &Pass) -> String {
    let name = pass.edge_type.as_deref().unwrap_or("*");
    match pass.way {
        Way::Out => format!("out:{name}"),
        Way::In => format!("in:{name}"),
        Way::Either => name.to_owned(),
    }
}

/// Passes in the numbers of a ground.
#[derive(Debug, Clone)]
pub(super) struct Passes {
    all: bool,
    these: Vec<(Option<Kind>, Way)>,
}

impl Passes {
    /// True if a step may be taken.
    pub(super) fn admits(&self, step: &Step) -> bool {
        self.admits_kind(step.kind, step.out)
    }

    /// True if a step over edges of a type may be taken, outward or inward.
    pub(super) fn admits_kind(&self, of: Kind, out: bool) -> bool {
        let goes = |way: Way| match way {
            Way::Out => out,
            Way::In => !out,
            Way::Either => true,
        };
        self.all || self.these.iter().any(|(kind, way)| kind.is_none_or(|kind| kind == of) && goes(*way))
    }

    /// True if a step leads on where every edge has one direction: what names none goes outward.
    pub(super) fn admits_directed(&self, step: &Step) -> bool {
        let goes = |way: Way| (way == Way::In) != step.out;
        let one = |(kind, way): &(Option<Kind>, Way)| kind.is_none_or(|kind| kind == step.kind) && goes(*way);
        if self.all { step.out } else { self.these.iter().any(one) }
    }

    /// True if a step may be taken from its other end.
    pub(super) fn admits_back(&self, step: &Step) -> bool {
        self.admits(&Step { out: !step.out, ..*step })
    }
}

/// Passes in the numbers of a ground. None stands for all; a type of which there is no edge admits nothing.
pub(super) fn compile(passes: &[Pass], ground: &mut dyn Ground) -> Passes {
    let mut these = Vec::new();
    for pass in passes {
        match &pass.edge_type {
            None => these.push((None, pass.way)),
            Some(name) => {
                if let Some(kind) = ground.kind(name) {
                    these.push((Some(kind), pass.way));
                }
            }
        }
    }
    Passes { all: passes.is_empty(), these }
}

/// A trail in the numbers of a ground.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    layers: Vec<Passes>,
    pub(super) hops: usize,
    pub(super) along: bool,
}

impl Compiled {
    /// What a hop may take, the first being 0.
    pub(super) fn layer(&self, hop: usize) -> &Passes {
        &self.layers[if self.along { hop } else { 0 }]
    }
}
