//! The audit: documents that did not change, read again to see whether they read the same.
//!
//! In: one document at a time, with what was lost and gained. Out: sums by segment. An extractor gives the same
//! answer to the same text, so one difference is one too many; of a program outside, whose answers may vary, the
//! differences are counted against how often they may.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drift::ledger::keep;
use crate::drift::report::{Example, Segment};
use crate::model::id::FactId;
use crate::model::stats::at_most;

/// How often a program outside may read an edge differently.
pub const OUTSIDE_SHARE: f64 = 0.02;
/// Below this probability differences are no chance.
const CHANCE: f64 = 0.001;
/// Fewer differences of a program outside say nothing.
const OUTSIDE_LEAST: u64 = 3;

/// What an audit did, for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AuditReport {
    /// Unchanged documents that were read again.
    pub documents: u64,
    /// Their chunks.
    pub chunks: u64,
    /// What they were found to say before.
    pub edges: u64,
    /// How much of it, or beside it, reads differently.
    pub differences: u64,
}

/// What one unchanged document says beside what it was found to say.
#[derive(Clone, Copy)]
pub struct Audited<'a> {
    /// Its source.
    pub source: &'a str,
    /// True if a program outside parsed it.
    pub outside: bool,
    /// Its chunks.
    pub chunks: u64,
    /// What it was found to say, by edge type.
    pub said: &'a BTreeMap<String, u64>,
    /// What it says no more, by edge type and fact.
    pub lost: &'a [(String, FactId, Example)],
    /// What it says now.
    pub gained: &'a [(String, FactId, Example)],
}

/// The differences of a segment.
#[derive(Debug, Clone, Default)]
pub(super) struct Differences {
    /// What was said in the audited documents.
    pub(super) said: u64,
    pub(super) lost: u64,
    pub(super) gained: u64,
    /// Of these, those of programs outside, and what was said there.
    outside: u64,
    outside_said: u64,
    /// The rules by which they were read, or are now.
    pub(super) rules: BTreeMap<String, u64>,
    pub(super) examples: BTreeMap<FactId, Example>,
}

impl Differences {
    /// How many differences are too many. Those of programs outside count all together, or not at all.
    pub(super) fn count(&self) -> u64 {
        let all = self.lost + self.gained;
        let by_chance = self.outside < OUTSIDE_LEAST
            || 1.0 - at_most(self.outside - 1, self.outside_said.max(self.outside), OUTSIDE_SHARE) >= CHANCE;
        if by_chance { all - self.outside } else { all }
    }
}

/// What was seen of unchanged documents.
#[derive(Debug, Clone, Default)]
pub struct Audit {
    documents: u64,
    chunks: u64,
    pub(super) segments: BTreeMap<Segment, Differences>,
}

impl Audit {
    /// Notes a document.
    pub fn note(&mut self, audited: &Audited<'_>) {
        self.documents += 1;
        self.chunks += audited.chunks;
        let segment =
            |edge_type: &String| Segment { edge_type: edge_type.clone(), source: audited.source.to_owned() };
        for (edge_type, said) in audited.said {
            let sums = self.segments.entry(segment(edge_type)).or_default();
            sums.said += said;
            sums.outside_said += if audited.outside { *said } else { 0 };
        }
        for (differences, is_lost) in [(audited.lost, true), (audited.gained, false)] {
            for (edge_type, fact, example) in differences {
                let sums = self.segments.entry(segment(edge_type)).or_default();
                *(if is_lost { &mut sums.lost } else { &mut sums.gained }) += 1;
                sums.outside += u64::from(audited.outside);
                example.rule.iter().for_each(|rule| *sums.rules.entry(rule.clone()).or_insert(0) += 1);
                keep(&mut sums.examples, *fact, &|| example.clone());
            }
        }
    }

    /// The documents that were read again, and what that says; `None` if there were none.
    pub fn report(&self) -> Option<AuditReport> {
        (self.documents > 0).then(|| AuditReport {
            documents: self.documents,
            chunks: self.chunks,
            edges: self.segments.values().map(|one| one.said).sum(),
            differences: self.segments.values().map(|one| one.lost + one.gained).sum(),
        })
    }
}
