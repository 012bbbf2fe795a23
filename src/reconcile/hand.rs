//! What a person has stated by an edit, and what was read later that would end it.
//!
//! In: the pieces of a group, the log of incumbents, and what was published. Out: who goes to quarantine.
//! A later start or a sentence of an end takes nothing away from a person's word unasked: once an edge by
//! hand has been published, what comes after it and would end it is a conflict, and the edge stands until a
//! person approves the other. An edit that comes after what ends it is cut like any newcomer.

use std::collections::BTreeSet;

use crate::model::fact::{CutBy, Reason};
use crate::model::id::{AssertionId, FactId};
use crate::model::sabotage;
use crate::model::time::Date;
use crate::ontology::Side;
use crate::reconcile::master::Lost;
use crate::reconcile::piece::Piece;
use crate::reconcile::single::{Incumbency, Relation, Won, by_side, pair, relation};

/// Sentences of an end that came after an edge by hand was published. `unasked` are those for which no
/// person vouches.
pub(super) fn ends(
    pieces: &[Piece<'_>],
    unasked: &BTreeSet<AssertionId>,
    incumbency: &Incumbency<'_>,
    won: &mut Won,
) -> Lost {
    let mut lost = Lost::new();
    for piece in pieces.iter().filter(|piece| stands_by_hand(piece)) {
        for by in &piece.cuts {
            if let (CutBy::Ended(end), Some(on)) = (by, piece.cap)
                && unasked.contains(end)
                && came_after(incumbency, (piece.of.fact, piece.of.fact), on, false)
            {
                won.insert(pair(piece.of.fact, piece.of.fact), piece.of.fact);
                lost.push((*end, Reason::Conflict { with: piece.of.fact }));
            }
        }
    }
    lost
}

/// Statements of another fact that start later, under at-most-one, and came after an edge by hand was
/// published. Master data that decides ends it all the same.
pub(super) fn newcomers(
    pieces: &[Piece<'_>],
    side: Side,
    incumbency: &Incumbency<'_>,
    won: &mut Won,
) -> Lost {
    let mut lost = Lost::new();
    for members in by_side(pieces, side).into_values() {
        let defining: Vec<&Piece<'_>> =
            members.into_iter().map(|at| &pieces[at]).filter(|piece| piece.defines).collect();
        let (stated, others): (Vec<&Piece<'_>>, Vec<&Piece<'_>>) =
            defining.into_iter().partition(|piece| piece.of.origin.is_by_hand());
        let unasked = |piece: &&&Piece<'_>| piece.of.approved.is_none() && !piece.decides();
        for other in others.iter().filter(unasked) {
            for hand in stated.iter().filter(|hand| stands_by_hand(hand) && hand.of.fact != other.of.fact) {
                let facts = (hand.of.fact, other.of.fact);
                if let (Relation::FirstEnds, Some(on)) = (relation(hand, other), other.start())
                    && came_after(incumbency, facts, on, incumbency.stood(other))
                {
                    won.insert(pair(facts.0, facts.1), facts.0);
                    lost.push((other.of.assertion, Reason::Conflict { with: facts.0 }));
                }
            }
        }
    }
    lost
}

fn stands_by_hand(piece: &Piece<'_>) -> bool {
    piece.of.origin.is_by_hand() && !sabotage::is_off("edit-survives")
}

/// True if the first of two facts was there on a day before the other came: by the log, else by what was
/// published.
fn came_after(incumbency: &Incumbency<'_>, facts: (FactId, FactId), on: Date, stood: bool) -> bool {
    match incumbency.stands(facts) {
        Some(stands) => stands == facts.0,
        None => incumbency.held(facts.0, on) && !stood,
    }
}
