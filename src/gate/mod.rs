//! The gate: what one assertion shows by itself, and what a person has said of it.
//!
//! In: an assertion and its circumstances (the ontology, the standing decision, whether a feed confirms
//! it). Out: a [`Verdict`], and for the fold the evaluated `Attestation`. The gate knows no store, no
//! other assertion and no edge; conflicts and circles are found by the fold.
//!
//! Invariant: every assertion gets exactly one verdict, and an accepted assertion always evaluates.

mod attest;
mod checks;
mod reading;

use crate::model::assertion::Assertion;
use crate::model::decision::{Answer, Decision};
use crate::model::fact::{Reason, Verdict};
use crate::model::time::{Date, DateBase};
use crate::ontology::Ontology;

pub use attest::{Witness, attest};
use checks::CHECKS;
use reading::Evaluated;

/// The most edges that one quote carries without a question. A list in one sentence is legitimate and
/// rarely longer; far more is a sign that a table was read as a sentence.
pub const CROWD: u32 = 12;

/// What the gate knows besides the assertion itself.
#[derive(Clone, Copy)]
pub struct Circumstances<'a> {
    /// The ontology.
    pub ontology: &'a Ontology,
    /// The standing answer on this assertion's question, if somebody has answered.
    pub decision: Option<&'a Decision>,
    /// True if a feed that confirms attests the same fact.
    pub confirmed: bool,
    /// True if the document was withdrawn.
    pub withdrawn: bool,
    /// How many edges the same quote carries in the same place.
    pub crowd: u32,
    /// True if the reviewed precision of the rule is below its floor.
    pub imprecise: bool,
    /// The days that relative dates count from.
    pub days: &'a dyn Fn(&DateBase) -> Option<Date>,
}

impl Circumstances<'_> {
    /// The number of the decision by which a person vouches for the assertion, as read or as corrected.
    fn vouched(&self) -> Option<u64> {
        self.decision.and_then(|decision| match decision.answer {
            Answer::Approve | Answer::Correct { .. } => Some(decision.number),
            Answer::Reject { .. } | Answer::Undo { .. } => None,
        })
    }
}

/// Judges one assertion.
///
/// | standing answer | verdict |
/// |---|---|
/// | reject | `Reject`, whatever the checks say |
/// | approve | quarantined only for what nobody can vouch for: an endpoint that is not known, types that do not fit, a date without a day, an empty interval, a withdrawn document |
/// | correct | the same, judged with the corrected values |
/// | none | quarantined for every check that fails |
pub fn judge(assertion: &Assertion, circumstances: &Circumstances<'_>) -> Verdict {
    if let Some(Decision { answer: Answer::Reject { reason }, .. }) = circumstances.decision {
        return Verdict::Reject(reason.clone());
    }
    let evaluated = Evaluated::of(assertion, circumstances);
    let vouched = circumstances.vouched().is_some();
    let mut reasons: Vec<Reason> = CHECKS
        .iter()
        .flat_map(|check| check(&evaluated, circumstances))
        .filter(|reason| !(vouched && a_person_can_lift(reason)))
        .collect();
    reasons.sort();
    reasons.dedup();
    if reasons.is_empty() { Verdict::Accept } else { Verdict::Quarantine(reasons) }
}

/// True for doubts that a person's word settles. The others need another value, not a word.
fn a_person_can_lift(reason: &Reason) -> bool {
    match reason {
        Reason::ConfidenceLow
        | Reason::ReviewRequired
        | Reason::DateMissing
        | Reason::SnippetCrowded { .. }
        | Reason::RuleImprecise
        | Reason::Conflict { .. }
        | Reason::ContradictsMaster { .. } => true,
        Reason::EndpointAmbiguous { .. }
        | Reason::EndpointUnknown { .. }
        | Reason::DomainRange
        | Reason::DateAmbiguous { .. }
        | Reason::DateInvalid { .. }
        | Reason::IntervalEmpty
        | Reason::Cycle { .. }
        | Reason::Withdrawn => false,
    }
}

#[cfg(test)]
mod tests;
