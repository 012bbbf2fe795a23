//! Facts of which at most one may hold on one day. In: the pieces of rival facts. Out: who gives way to whom
//! where nobody may simply end the other, and where a newcomer ends what ran until then.

use std::collections::BTreeSet;

use super::calendar::Day;
use super::joining::Piece;
use super::world::{Fact, Inputs};

/// True if the two pieces cannot both stand and neither ends the other.
pub(crate) fn conflict(one: &Piece, other: &Piece) -> bool {
    if one.attestation.claim.fact == other.attestation.claim.fact || !one.days().meets(&other.days()) {
        return false;
    }
    match (one.from(), other.from()) {
        (Some(a), Some(b)) if a < b => outlasts(one, b),
        (Some(a), Some(b)) if b < a => outlasts(other, a),
        (Some(_), Some(_)) | (None, None) => true,
        (None, Some(start)) => outlasts(one, start) || !dated_before(one, start),
        (Some(start), None) => outlasts(other, start) || !dated_before(other, start),
    }
}

/// True if the piece is stated to end only after the newcomer's start: a newcomer does not overrule that.
fn outlasts(piece: &Piece, newcomer: Day) -> bool {
    piece.stated_end.is_some_and(|end| newcomer < end)
}

fn dated_before(piece: &Piece, newcomer: Day) -> bool {
    piece.attestation.dated.is_some_and(|dated| dated < newcomer)
}

/// Which fact stands against which.
type Standing = BTreeSet<(Fact, Fact)>;

/// A round of a fold, as far as two facts in a conflict need to know it. Between two facts one stands, in all their
/// conflicts of the round.
pub(crate) struct Field<'a> {
    pub(crate) inputs: &'a Inputs,
    pub(crate) log: &'a Standing,
    pub(crate) all: &'a [Piece<'a>],
    pub(crate) definers: &'a [Piece<'a>],
}

impl Field<'_> {
    /// True if, of two pieces in conflict, the first stands.
    pub(crate) fn stands(&self, one: &Piece, other: &Piece) -> bool {
        let (first, second) = (&one.attestation.claim.fact, &other.attestation.claim.fact);
        let approved = (self.approved(one, other), self.approved(other, one));
        if approved.0 != approved.1 {
            return approved.0 > approved.1;
        }
        if self.log.contains(&(first.clone(), second.clone())) {
            return true;
        }
        if self.log.contains(&(second.clone(), first.clone())) {
            return false;
        }
        // Whoever stood last night on the day on which the sentence starts is no newcomer.
        let last_night = |one: &Piece, other: &Piece| {
            let days = self.inputs.stood.get(&one.attestation.claim.fact);
            let pairs = self.clashes(one, other);
            days.is_some_and(|days| pairs.iter().any(|(own, _)| days.hold(own.from())))
        };
        if last_night(one, other) != last_night(other, one) {
            return last_night(one, other);
        }
        let published = |fact: &Fact| self.inputs.stood.contains_key(fact);
        if published(first) != published(second) {
            return published(first);
        }
        let dates = |one: &Piece, other: &Piece| {
            self.clashes(one, other).iter().map(|(own, rival)| weight(own, rival)).max()
        };
        if dates(one, other) != dates(other, one) {
            return dates(one, other) > dates(other, one);
        }
        let documents = |fact: &Fact| {
            let own = self.all.iter().filter(|any| any.attestation.claim.fact == *fact);
            own.map(|any| any.attestation.origin.clone()).collect::<BTreeSet<_>>().len()
        };
        if documents(first) != documents(second) {
            return documents(first) > documents(second);
        }
        first.id() < second.id()
    }

    /// The entry of the log for one that stands against another: none if it has one, or if a person decided.
    pub(crate) fn to_be_logged(&self, one: &Piece, other: &Piece) -> Option<(Fact, Fact)> {
        let pair = (one.attestation.claim.fact.clone(), other.attestation.claim.fact.clone());
        let known = self.log.contains(&pair) || self.log.contains(&(pair.1.clone(), pair.0.clone()));
        (!known && self.approved(one, other) == self.approved(other, one)).then_some(pair)
    }

    /// All pieces of the fact of the one that clash with the fact of the other, each with its rival.
    fn clashes(&self, one: &Piece, other: &Piece) -> Vec<(Piece<'_>, Piece<'_>)> {
        let of = |fact: &Fact| -> Vec<Piece> {
            self.definers.iter().filter(|any| any.attestation.claim.fact == *fact).copied().collect()
        };
        let rivals = of(&other.attestation.claim.fact);
        let own = of(&one.attestation.claim.fact).into_iter();
        own.flat_map(|own| rivals.iter().map(move |rival| (own, *rival)))
            .filter(|(own, rival)| conflict(own, rival))
            .collect()
    }

    /// The last approval of what clashes. It speaks for the interval: for what defines it and for what joins it.
    fn approved(&self, one: &Piece, other: &Piece) -> Option<u64> {
        let clashes = self.clashes(one, other);
        let speaks = |any: &Piece| {
            clashes
                .iter()
                .any(|(own, _)| any.attestation == own.attestation || speaks_for(any, own, self.all))
        };
        self.all.iter().filter(|any| speaks(any)).filter_map(|any| self.inputs.vouched(any.attestation)).max()
    }
}

/// How much the dates of a piece weigh against a rival: a stated end that the rival would overrule more than any
/// (case 36), else each stated bound.
fn weight(one: &Piece, rival: &Piece) -> usize {
    let first = one.from() < rival.from();
    if first && rival.from().is_some_and(|start| outlasts(one, start)) {
        return 3;
    }
    usize::from(one.from().is_some()) + usize::from(one.stated_end.is_some())
}

/// True if the one joins the interval that the other defines.
pub(crate) fn speaks_for(one: &Piece, other: &Piece, all: &[Piece]) -> bool {
    one.joins(all) && latest_definers(one, all).iter().any(|definer| definer.attestation == other.attestation)
}

/// The definers of the piece's fact with the latest start that it is compatible with.
pub(crate) fn latest_definers<'a>(piece: &Piece, all: &[Piece<'a>]) -> Vec<Piece<'a>> {
    let own: Vec<&Piece<'a>> = all
        .iter()
        .filter(|other| other.attestation.claim.fact == piece.attestation.claim.fact && !other.joins(all))
        .filter(|definer| definer.days().meets(&piece.days()))
        .collect();
    let latest = own.iter().map(|definer| definer.from()).max();
    own.into_iter().filter(|definer| Some(definer.from()) == latest).copied().collect()
}

/// The first day on which the piece gives way to a rival that starts later.
pub(crate) fn ended_by_newcomer(piece: &Piece, definers: &[Piece]) -> Option<Day> {
    definers
        .iter()
        .filter(|other| other.attestation.claim.fact != piece.attestation.claim.fact)
        .filter_map(Piece::from)
        .filter(|start| piece.from().is_none_or(|from| from < *start))
        .min()
}
