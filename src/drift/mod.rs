//! Drift: what changed, where, and why; counted before anything becomes visible.
//!
//! In: how many edges there were, and every change with its cause, one at a time. Out: a report whose
//! counts add up exactly, with findings. It does not know where a threshold comes from, holds no run and
//! judges no single edge.
//!
//! A *segment* is an edge type in one source: a fact that two sources attest counts in both, and once in
//! the total of its type. Memory is bounded by segments, causes and [`EXAMPLES`], never by changes.

mod findings;
mod ledger;
mod report;

use std::collections::BTreeSet;

use crate::model::cause::Cause;

pub use ledger::{Census, Entry, Imbalance, Ledger};
pub use report::{Context, DriftReport, Example, Finding, Row, Segment, Severity, Stale, State, Tally};

/// How many examples a finding shows: enough to recognize a pattern, few enough to read.
pub const EXAMPLES: usize = 5;

/// The primary cause of a change: the first that applies. A change without any is unexplained.
pub fn primary(causes: &BTreeSet<Cause>) -> Cause {
    causes.first().copied().unwrap_or(Cause::Unexplained)
}

#[cfg(test)]
mod tests;
