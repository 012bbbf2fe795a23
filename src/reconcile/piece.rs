//! Pieces: the interval that each attestation contributes to its fact, and what cuts it.
//!
//! In: the attestations of a group that still count, and what supersedes their documents. Out: pieces,
//! joined with the others of their fact and cut by all but newcomers. Knows no constraint of a type.

use std::collections::BTreeMap;

use crate::model::assertion::Says;
use crate::model::attestation::Attestation;
use crate::model::fact::{Claim, Cut, CutBy, Edge};
use crate::model::id::{AssertionId, EntityKey, FactId};
use crate::model::job::Authority;
use crate::model::time::{Date, Interval, Precision};
use crate::reconcile::join::{Joined, Stated, earlier, join};

/// What one attestation contributes.
///
/// Invariant: it holds on at least one day: its start, where known, is before [`Piece::end`].
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    /// The attestation.
    pub(super) of: &'a Attestation,
    /// What it says by itself.
    pub(super) claim: Claim,
    /// The start, joined with the other statements of the fact.
    pub(super) from: Option<(Date, Precision)>,
    /// The end likewise, before cuts.
    to: Option<Date>,
    /// True if it defines bounds; false if it joined others as evidence.
    pub(super) defines: bool,
    /// True if somebody states the day on which it ends, so that no newcomer may end it earlier.
    pub(super) fixed: bool,
    /// The day on which it is cut.
    pub(super) cap: Option<Date>,
    /// What cuts it on that day.
    pub(super) cuts: Vec<CutBy>,
    /// True if it is cut because it has ended before that day, nobody says when.
    pub(super) end_unknown: bool,
}

impl<'a> Piece<'a> {
    /// The first day.
    pub(super) fn start(&self) -> Option<Date> {
        self.from.map(|(day, _)| day)
    }

    /// The first day on which it no longer holds, after cuts.
    pub(super) fn end(&self) -> Option<Date> {
        earlier(self.to, self.cap)
    }

    /// The interval after cuts.
    pub(super) fn interval(&self) -> Interval {
        Interval::new(self.start(), self.end()).expect("a piece holds on at least one day")
    }

    /// The interval that it states alone, after cuts.
    pub(super) fn alone(&self) -> Interval {
        let from = self.claim.from.map(|(day, _)| day);
        let to = self.claim.to.map(|(day, _)| day);
        Interval::new(from, earlier(to, self.cap)).unwrap_or_else(|| self.interval())
    }

    /// True if a feed that decides says so.
    pub(super) fn decides(&self) -> bool {
        self.of.authority == Some(Authority::Decides)
    }

    /// True if it was read in a document and no person vouches for it, so that master data overrules it.
    pub(super) fn may_be_overruled(&self) -> bool {
        self.of.authority.is_none() && self.of.origin.document().is_some() && self.of.approved.is_none()
    }

    /// Cuts it, if it holds on that day and the day before; returns whether it does.
    pub(super) fn cut(&mut self, on: Date, by: CutBy) -> bool {
        if self.start().is_some_and(|start| on <= start) || self.end().is_some_and(|end| end < on) {
            return false;
        }
        if self.cap == Some(on) {
            self.cuts.push(by);
            return false;
        }
        if self.to == Some(on) {
            return false;
        }
        self.cap = Some(on);
        self.cuts = vec![by];
        self.end_unknown = false;
        true
    }

    /// The cuts as they are recorded.
    pub(super) fn recorded_cuts(&self) -> impl Iterator<Item = Cut> + '_ {
        self.cap.into_iter().flat_map(|on| self.cuts.iter().cloned().map(move |by| Cut { on, by }))
    }
}

/// What supersedes entities, and from when.
pub(super) type Superseded = BTreeMap<EntityKey, Vec<(Date, FactId)>>;

/// Makes the pieces of the attestations that hold, in the order of facts and assertions.
///
/// Cuts in this order; each one that comes later can only shorten further.
/// 1. By attestation: its text was amended away, its row left, or its document is superseded. One that
///    holds on no day then contributes nothing, and nobody joins it.
/// 2. By fact: an assertion that it has ended, on a stated day. A stated end: no newcomer overrules it.
/// 3. By fact: an assertion that it has ended, nobody says when. It ends on the day of that document.
pub(super) fn pieces<'a>(live: &[&'a Attestation], superseded: &Superseded) -> Vec<Piece<'a>> {
    let mut by_fact: BTreeMap<FactId, (Vec<&'a Attestation>, Vec<&'a Attestation>)> = BTreeMap::new();
    for attestation in live {
        let (holds, ends) = by_fact.entry(attestation.fact).or_default();
        match attestation.says {
            Says::Holds => holds.push(attestation),
            Says::Ends => ends.push(attestation),
        }
    }
    by_fact.into_values().flat_map(|(holds, ends)| of_fact(holds, &ends, superseded)).collect()
}

fn of_fact<'a>(
    mut holds: Vec<&'a Attestation>,
    ends: &[&'a Attestation],
    superseded: &Superseded,
) -> Vec<Piece<'a>> {
    holds.sort_by_key(|attestation| attestation.assertion);
    let counted: Vec<(&Attestation, Vec<Cut>)> = holds
        .into_iter()
        .map(|attestation| (attestation, own_cuts(attestation, superseded)))
        .filter(|(attestation, cuts)| holds_before(attestation, cuts.first()))
        .collect();
    let stated: Vec<Stated> = counted
        .iter()
        .map(|(of, cuts)| Stated { from: of.start, to: of.end, cap: cuts.first().map(|cut| cut.on) })
        .collect();
    let mut pieces: Vec<Piece<'a>> =
        counted.into_iter().zip(join(&stated)).map(|((of, cuts), joined)| piece(of, cuts, joined)).collect();
    for piece in &mut pieces {
        end(piece, ends);
    }
    pieces
}

/// True if an edge holds on a day on which the attestation, as it is stated, holds too.
pub(super) fn meets(attestation: &Attestation, edge: &Edge) -> bool {
    let (from, to) = (attestation.start.map(|bound| bound.0), attestation.end.map(|bound| bound.0));
    Interval::new(from, to).is_some_and(|stated| stated.overlaps(&edge.interval))
}

/// The cuts that hit one attestation only; all on the earliest of their days.
fn own_cuts(attestation: &Attestation, superseded: &Superseded) -> Vec<Cut> {
    let left =
        attestation.left.iter().map(|left| Cut { on: left.on, by: CutBy::Left(attestation.assertion) });
    let by_others = attestation
        .stands_for
        .iter()
        .filter_map(|entity| superseded.get(entity))
        .flatten()
        .map(|(on, fact)| Cut { on: *on, by: CutBy::Superseded(*fact) });
    let mut cuts: Vec<Cut> = left.chain(by_others).collect();
    cuts.sort();
    cuts.dedup();
    let earliest = cuts.first().map(|cut| cut.on);
    cuts.retain(|cut| Some(cut.on) == earliest);
    cuts
}

/// True if the attestation holds on a day before the cut. An interval without a day, which the gate does
/// not let through, holds on none.
fn holds_before(attestation: &Attestation, cut: Option<&Cut>) -> bool {
    let from = attestation.start.map(|(day, _)| day);
    let to = earlier(attestation.end.map(|(day, _)| day), cut.map(|cut| cut.on));
    Interval::new(from, to).is_some()
}

fn piece<'a>(of: &'a Attestation, cuts: Vec<Cut>, joined: Joined) -> Piece<'a> {
    let authority = match of.authority {
        Some(Authority::Decides) => 2,
        Some(Authority::Confirms) => 1,
        Some(Authority::Informs) | None => 0,
    };
    let claim = Claim {
        from: of.start,
        to: of.end,
        properties: of.properties.clone(),
        authority,
        joined: joined.from.filter(|_| !joined.defines).map(|(day, _)| day),
        cut: None,
    };
    let mut piece = Piece {
        of,
        claim,
        from: joined.from,
        to: joined.to,
        defines: joined.defines,
        fixed: joined.to.is_some(),
        cap: None,
        cuts: Vec::new(),
        end_unknown: false,
    };
    for Cut { on, by } in cuts {
        if piece.cut(on, by) {
            piece.fixed = false;
        }
    }
    piece
}

fn end(piece: &mut Piece<'_>, ends: &[&Attestation]) {
    for (on, by) in stated_ends(ends) {
        let cut = piece.cut(on, CutBy::Ended(by));
        piece.fixed |= cut || piece.cap == Some(on);
    }
    for (on, by) in unstated_ends(ends) {
        if piece.cut(on, CutBy::Ended(by)) {
            piece.fixed = false;
            piece.end_unknown = true;
        }
    }
}

/// Assertions that the fact has ended, with the first day on which it no longer holds; the earliest first.
fn stated_ends(ends: &[&Attestation]) -> Vec<(Date, AssertionId)> {
    sorted(ends.iter().filter_map(|end| end.end.map(|(day, _)| (day, end.assertion))))
}

/// Assertions that the fact has ended without saying when, with the day of their document.
fn unstated_ends(ends: &[&Attestation]) -> Vec<(Date, AssertionId)> {
    let undated = ends.iter().filter(|end| end.end.is_none());
    sorted(undated.filter_map(|end| end.document_date.map(|day| (day, end.assertion))))
}

fn sorted(ends: impl Iterator<Item = (Date, AssertionId)>) -> Vec<(Date, AssertionId)> {
    let mut ends: Vec<_> = ends.collect();
    ends.sort();
    ends
}
