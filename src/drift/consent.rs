//! What a person accepts of a finding: everything that fails for its cause, as far as they saw it, and no more.
//!
//! In: a finding with what other guards found of the same cause, and the words of people. Out: the finding as one that
//! warns, or with the command that accepts it and what the word does not cover.

use crate::drift::report::{Consent, Context, Finding, Segment, Severity};
use crate::model::gates::{Gate, Guard};
use crate::model::id::Fingerprint;

/// How much of a key the command has by which a finding is accepted.
const KEY_SHOWN: usize = 12;

/// Says how a finding is accepted, or that it was.
pub(super) fn settle(finding: &mut Finding, context: &Context<'_>) {
    if finding.severity != Severity::Fail {
        return;
    }
    match context.consents.get(&finding.key) {
        Some(consent) if beyond(finding, consent).is_none() => {
            finding.severity = Severity::Warn;
            finding.accepted = Some(consent.word.clone());
        }
        consent => {
            let key = finding.key.get(..KEY_SHOWN).unwrap_or(&finding.key);
            finding.accept = Some(format!("edgewright accept finding {key} --reason …"));
            if let Some(more) = consent.and_then(|consent| beyond(finding, consent)) {
                finding.says =
                    Some(finding.says.take().map_or(more.clone(), |says| format!("{says}; {more}")));
            }
        }
    }
}

/// What of a finding a person's word does not cover.
fn beyond(finding: &Finding, consent: &Consent) -> Option<String> {
    let at_most = |failing: &Failing<'_>| consent.counts.get(&failing.key()).copied().unwrap_or(0);
    let more = finding.failing().into_iter().find(|failing| failing.count > at_most(failing))?;
    let Failing { rule, segment, .. } = more;
    Some(match at_most(&more) {
        0 => format!("{rule} of {segment} was not accepted with it by {}", consent.word),
        most => format!("{rule} of {segment} was accepted for up to {most} facts by {}", consent.word),
    })
}

/// What one guard found that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing<'f> {
    /// The guard's rule.
    pub rule: &'f str,
    /// Where.
    pub segment: &'f Segment,
    /// How many facts it is about.
    pub count: u64,
}

impl Failing<'_> {
    /// The same for the same rule and segment in every run.
    pub fn key(&self) -> String {
        key(self.rule, self.segment)
    }
}

/// The key of what a rule finds in a segment.
pub(super) fn key(rule: &str, segment: &Segment) -> String {
    Fingerprint::of(&[rule, &segment.edge_type, &segment.source]).to_string()
}

impl Finding {
    /// True if it holds the run.
    pub fn holds(&self) -> bool {
        self.severity == Severity::Fail && self.gate == Gate::Block
    }

    /// What a person accepts with it: what its own guard found, and what every other one did that fails for the same
    /// cause.
    pub fn failing(&self) -> Vec<Failing<'_>> {
        let also = self.also.iter().filter(|also| also.severity == Severity::Fail);
        let also = also.map(|also| Failing { rule: &also.rule, segment: &also.segment, count: also.count });
        std::iter::once(Failing { rule: &self.rule, segment: &self.segment, count: self.count })
            .chain(also)
            .collect()
    }

    /// True if a person can accept it: what a guard found. What else holds a run is undone, not accepted.
    pub fn is_of_a_guard(&self) -> bool {
        Guard::ALL.iter().any(|guard| guard.code() == self.rule)
    }
}
