//! How the attestations of one fact make its intervals. In: what each one states. Out: which ones define
//! bounds and which ones only join as evidence. Knows neither rivals nor denials.

use super::calendar::{Day, Days};
use super::world::Attestation;

/// An attestation that passed the gate, with what its document alone does to it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) attestation: &'a Attestation,
    /// The end that it states, or that a denial states.
    pub(crate) stated_end: Option<Day>,
    /// The day on which its document was superseded or its sentence left out.
    pub(crate) limit: Option<Day>,
}

impl<'a> Piece<'a> {
    /// The first day that it states.
    pub(crate) fn from(&self) -> Option<Day> {
        self.attestation.claim.from.map(|stated| stated.first)
    }

    /// The first day on which it no longer holds, whatever the cause.
    pub(crate) fn to(&self) -> Option<Day> {
        [self.stated_end, self.limit].into_iter().flatten().min()
    }

    /// Its days.
    pub(crate) fn days(&self) -> Days {
        Days::between(self.from(), self.to())
    }

    /// True if it only joins as evidence: another piece of the same fact states what it leaves open.
    pub(crate) fn joins(&self, all: &[Piece<'a>]) -> bool {
        all.iter().any(|other| {
            other.attestation.claim.fact == self.attestation.claim.fact
                && other.days().meets(&self.days())
                && other.says_better_than(self)
        })
    }

    /// True if it states a month or a year as a whole, and so no exact end.
    pub(crate) fn ends_coarsely(&self) -> bool {
        let claim = &self.attestation.claim;
        claim.from.is_some_and(|from| from.first.next() < from.next && claim.to == Some(from.next))
    }

    /// True if it states a start that `other` leaves open or states coarsely, or anything at all where
    /// `other` states nothing.
    fn says_better_than(&self, other: &Self) -> bool {
        let (from, to) = (self.attestation.claim.from, self.attestation.claim.to);
        match (other.attestation.claim.from, other.attestation.claim.to) {
            (None, None) => from.is_some() || to.is_some(),
            (None, Some(_)) => from.is_some(),
            (Some(coarse), _) => from.is_some_and(|from| from.refines(coarse)),
        }
    }
}
