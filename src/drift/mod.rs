//! Drift: what changed, where, and why; counted before anything becomes visible.
//!
//! In: how many edges there were, and every change with its cause, one at a time; what was seen of tonight's
//! documents. Out: a report whose counts add up exactly, with one finding for each cause. It does not know where
//! a limit comes from, holds no run and judges no single edge.
//!
//! A *segment* is an edge type in one source: a fact that two sources attest counts in both, and once in
//! the total of its type. Memory is bounded by segments, causes and [`EXAMPLES`], never by changes.
//!
//! `ledger` counts; `cohort` compares documents with themselves; `draw` says which unchanged ones are read again, and
//! `audit` what that shows; `findings` are the guards, those that look at documents in
//! `documents` and at the nights before in `week`, `spread` is what past nights teach, `together` makes one finding of what
//! has one cause, and `consent` knows what a person has accepted of it.

mod audit;
mod cohort;
mod consent;
mod documents;
mod draw;
mod findings;
mod ledger;
mod report;
mod spread;
mod together;
mod week;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::cause::Cause;

pub use audit::{Audit, AuditReport, Audited, OUTSIDE_SHARE};
pub use cohort::{Cohort, Look, Looked, NAMED, Yield};
pub use consent::Failing;
pub use draw::{Draw, MOST_DOCUMENTS, Slice};
pub use ledger::{Census, Entry, Imbalance, Ledger};
pub use report::{
    Also, Compared, Consent, Context, DriftReport, Example, Finding, Row, Segment, Severity, Stale, State,
    Tally, VERSION,
};
pub use spread::{far_apart, spread};
pub use week::untold;

/// How many examples a finding shows: enough to recognize a pattern, few enough to read.
pub const EXAMPLES: usize = 5;

/// What was seen of a run beside the changes of facts.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// Tonight's documents.
    pub cohort: Cohort,
    /// Unchanged documents that were read again.
    pub audit: Audit,
    /// How many documents each source had before.
    pub documents: BTreeMap<String, u64>,
    /// What sources that lose a little tonight lost in the week before.
    pub week: BTreeMap<String, u64>,
    /// How far the counts of the same documents were apart on past nights, where that is more than chance does; 1
    /// where nothing is said.
    pub spread: BTreeMap<Segment, f64>,
    /// Sources and feeds that have stayed as they are for longer than they should.
    pub stale: Vec<Stale>,
    /// Figures of golden sets that are below their floors.
    pub golden: Vec<BelowFloor>,
    /// Rules that fell below the floor of their precision.
    pub imprecise: Vec<Imprecise>,
}

/// A figure of a golden set that is below its floor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BelowFloor {
    /// The file.
    pub golden: String,
    /// The edge type, the group, or `all`.
    pub name: String,
    /// Which figure, in words with its value and floor.
    pub says: String,
}

/// A rule that fell below the floor of its precision.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Imprecise {
    /// The rule.
    pub rule: String,
    /// Its edge type.
    pub edge_type: String,
    /// Its reviewed readings, in words with the floor.
    pub says: String,
}

/// The primary cause of a change: the first that applies. A change without any is unexplained.
pub fn primary(causes: &BTreeSet<Cause>) -> Cause {
    causes.first().copied().unwrap_or(Cause::Unexplained)
}

#[cfg(test)]
mod tests;
