//! Gates: how large a change of one run may be before a person is told, and before the run is held.
//!
//! A limit belongs to a guard; a job sets it for all of its sources, and for single edge types of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What watches over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// Changes without a cause.
    Unexplained,
    /// Unchanged documents that read differently tonight.
    Audit,
    /// What a change of the ontology, of a parser or of a job's file took away.
    Planned,
    /// A segment that had edges and has none.
    Emptied,
    /// A segment that has none of the edges that it had, but others.
    Replaced,
    /// Documents that had edges and have none.
    SilentDocuments,
    /// What documents yield that were read again, beside what they yielded.
    SameDocuments,
    /// The share of a source's edges that went.
    Retractions,
    /// What new documents yield, beside the others of their source.
    NewDocuments,
    /// Edges that hold longer because what had ended them is gone.
    Revived,
    /// Figures of a golden set that are below their floors.
    Golden,
    /// Rules that fell below the floor of their reviewed precision.
    Precision,
    /// A source that has stayed as it is for too long.
    Stale,
    /// How far the total of an edge type moved.
    Totals,
}

/// In what a guard's limits are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A share; what is above it is judged.
    Share,
    /// A number; what reaches it is judged.
    Count,
}

impl Guard {
    /// All guards. Where several find the same cause, the first of them speaks for all.
    pub const ALL: [Self; 14] = [
        Self::Unexplained,
        Self::Audit,
        Self::Planned,
        Self::Emptied,
        Self::Replaced,
        Self::SilentDocuments,
        Self::SameDocuments,
        Self::Retractions,
        Self::NewDocuments,
        Self::Revived,
        Self::Golden,
        Self::Precision,
        Self::Stale,
        Self::Totals,
    ];

    /// The key in a job's file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Unexplained => "unexplained",
            Self::Audit => "audit",
            Self::Planned => "planned",
            Self::Emptied => "emptied",
            Self::Replaced => "replaced",
            Self::SilentDocuments => "silent_documents",
            Self::SameDocuments => "same_documents",
            Self::Retractions => "retractions",
            Self::NewDocuments => "new_documents",
            Self::Revived => "revived",
            Self::Golden => "golden",
            Self::Precision => "precision",
            Self::Stale => "stale",
            Self::Totals => "totals",
        }
    }

    /// The code of its findings, the name of a page in `docs/codes/`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Unexplained => "drift-unexplained",
            Self::Audit => "drift-audit",
            Self::Planned => "drift-planned",
            Self::Emptied => "drift-emptied",
            Self::Replaced => "drift-replaced",
            Self::SilentDocuments => "drift-silent-documents",
            Self::SameDocuments => "drift-same-documents",
            Self::Retractions => "drift-retractions",
            Self::NewDocuments => "drift-new-documents",
            Self::Revived => "drift-revived",
            Self::Golden => "drift-golden",
            Self::Precision => "drift-precision",
            Self::Stale => "drift-stale",
            Self::Totals => "drift-totals",
        }
    }

    /// In what its limits are given.
    pub fn unit(self) -> Unit {
        match self {
            Self::Planned
            | Self::SilentDocuments
            | Self::SameDocuments
            | Self::Retractions
            | Self::NewDocuments
            | Self::Totals => Unit::Share,
            Self::Unexplained
            | Self::Audit
            | Self::Emptied
            | Self::Replaced
            | Self::Revived
            | Self::Golden
            | Self::Precision
            | Self::Stale => Unit::Count,
        }
    }

    /// The limit where a job says nothing.
    pub fn default_limit(self) -> Limit {
        let (warn, fail) = match self {
            Self::Unexplained | Self::Audit | Self::Golden => (None, Some(1.0)),
            Self::Planned => (Some(0.0), Some(0.02)),
            Self::Emptied | Self::Replaced => (None, Some(5.0)),
            Self::SilentDocuments => (Some(0.10), Some(0.40)),
            Self::SameDocuments => (None, Some(0.25)),
            Self::Retractions => (Some(0.05), Some(0.20)),
            Self::NewDocuments => (Some(0.50), None),
            Self::Revived | Self::Precision | Self::Stale => (Some(1.0), None),
            Self::Totals => (Some(0.20), None),
        };
        Limit { warn, fail, gate: Gate::Block }
    }
}

/// What a finding that says `fail` does to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// It is said, and the run goes on.
    Report,
    /// The run is held.
    #[default]
    Block,
}

/// When a guard speaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// When a person should look; `None` is never.
    pub warn: Option<f64>,
    /// When the run looks wrong; `None` is never.
    pub fail: Option<f64>,
    /// What it does then.
    pub gate: Gate,
}

impl Limit {
    /// The stricter of two.
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        let least = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Self {
            warn: least(self.warn, other.warn),
            fail: least(self.fail, other.fail),
            gate: self.gate.max(other.gate),
        }
    }
}

/// The limits of a job. What it does not say is the guard's default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gates {
    /// For all edge types.
    pub all: BTreeMap<Guard, Limit>,
    /// For single edge types.
    pub types: BTreeMap<String, BTreeMap<Guard, Limit>>,
}

impl Gates {
    /// The limit for an edge type, or for all together (`*`).
    pub fn limit(&self, guard: Guard, edge_type: &str) -> Limit {
        let own = self.types.get(edge_type).and_then(|limits| limits.get(&guard));
        own.or_else(|| self.all.get(&guard)).copied().unwrap_or_else(|| guard.default_limit())
    }

    /// True if an edge type has a limit of its own.
    pub fn is_apart(&self, guard: Guard, edge_type: &str) -> bool {
        self.types.get(edge_type).is_some_and(|limits| limits.contains_key(&guard))
    }
}

/// The limits of every source and feed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GateBook {
    jobs: Vec<Gates>,
    sources: BTreeMap<String, usize>,
}

impl GateBook {
    /// No job: every limit is its guard's default.
    pub const fn none() -> Self {
        Self { jobs: Vec::new(), sources: BTreeMap::new() }
    }

    /// Enters the limits of a job, for its sources and feeds.
    pub fn enter(&mut self, gates: Gates, sources: impl IntoIterator<Item = String>) {
        let job = self.jobs.len();
        self.jobs.push(gates);
        self.sources.extend(sources.into_iter().map(|source| (source, job)));
    }

    fn gates(&self, source: &str) -> Option<&Gates> {
        self.sources.get(source).and_then(|job| self.jobs.get(*job))
    }

    /// The limit for a segment. What belongs to no job's source alone has the strictest limit of all jobs.
    pub fn limit(&self, guard: Guard, source: &str, edge_type: &str) -> Limit {
        if let Some(gates) = self.gates(source) {
            return gates.limit(guard, edge_type);
        }
        let all = self.jobs.iter().map(|gates| gates.limit(guard, edge_type));
        all.reduce(Limit::strictest).unwrap_or_else(|| guard.default_limit())
    }

    /// True if an edge type of a source has a limit of its own, so that it is judged apart from the rest.
    pub fn is_apart(&self, guard: Guard, source: &str, edge_type: &str) -> bool {
        self.gates(source).is_some_and(|gates| gates.is_apart(guard, edge_type))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(fail: f64, gate: Gate) -> Limit {
        Limit { warn: None, fail: Some(fail), gate }
    }

    #[test]
    fn the_nearest_limit_counts_and_what_belongs_to_no_job_has_the_strictest() {
        let guard = Guard::Retractions;
        let job = |all: f64, own: Option<f64>, gate| Gates {
            all: BTreeMap::from([(guard, limit(all, gate))]),
            types: own
                .map(|own| ("uses".to_owned(), BTreeMap::from([(guard, limit(own, gate))])))
                .into_iter()
                .collect(),
        };
        let mut book = GateBook::default();
        book.enter(job(0.5, Some(0.9), Gate::Report), ["a".to_owned()]);
        book.enter(job(0.3, None, Gate::Block), ["b".to_owned()]);
        assert_eq!(book.limit(guard, "a", "uses"), limit(0.9, Gate::Report));
        assert_eq!(book.limit(guard, "a", "supplies"), limit(0.5, Gate::Report));
        assert_eq!(book.limit(guard, "b", "uses"), limit(0.3, Gate::Block));
        assert_eq!(book.limit(guard, "small sources", "*"), limit(0.3, Gate::Block));
        assert_eq!(book.limit(Guard::Emptied, "a", "uses"), Guard::Emptied.default_limit());
        assert_eq!(GateBook::default().limit(guard, "a", "*"), guard.default_limit());
        assert!(book.is_apart(guard, "a", "uses") && !book.is_apart(guard, "b", "uses"));
    }
}
