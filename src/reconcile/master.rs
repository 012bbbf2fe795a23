//! What master data that decides overrules, and properties on which two evidences must not disagree.
//!
//! In: the attestations or pieces of a group. Out: who goes to quarantine, and why. Quarantines only what
//! was read in documents and what no person vouches for.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::assertion::Says;
use crate::model::attestation::Attestation;
use crate::model::fact::{CutBy, Reason};
use crate::model::id::{AssertionId, FactId};
use crate::model::job::Authority;
use crate::model::time::{Date, Interval, Precision};
use crate::ontology::{EdgeType, Side};
use crate::reconcile::piece::Piece;
use crate::reconcile::single::{Relation, by_side, relation};

/// Who goes to quarantine, and why.
pub(super) type Lost = Vec<(AssertionId, Reason)>;

/// Documents' statements about a fact that the master data states too, with other bounds.
///
/// A row and a statement about the same time agree if no day that both state differs. A statement that
/// shares no day with any row tells of another time and contradicts nobody.
pub(super) fn other_bounds(live: &[&Attestation]) -> Lost {
    let mut rows: BTreeMap<FactId, Vec<&Attestation>> = BTreeMap::new();
    for row in live.iter().filter(|at| at.authority == Some(Authority::Decides) && at.says == Says::Holds) {
        rows.entry(row.fact).or_default().push(row);
    }
    live.iter()
        .filter(|at| at.says == Says::Holds && at.origin.document().is_some() && at.approved.is_none())
        .filter_map(|at| rows.get(&at.fact).map(|rows| (at, rows)))
        .filter(|(at, rows)| {
            let mut same_time = rows.iter().filter(|row| share_a_day(row, at)).peekable();
            same_time.peek().is_some() && !same_time.any(|row| agree(row, at))
        })
        .map(|(at, _)| (at.assertion, Reason::ContradictsMaster { with: Some(at.fact) }))
        .collect()
}

fn share_a_day(one: &Attestation, other: &Attestation) -> bool {
    let interval =
        |at: &Attestation| Interval::new(at.start.map(|bound| bound.0), at.end.map(|bound| bound.0));
    matches!((interval(one), interval(other)), (Some(one), Some(other)) if one.overlaps(&other))
}

fn agree(row: &Attestation, statement: &Attestation) -> bool {
    let same = |one: Option<(Date, Precision)>, other: Option<(Date, Precision)>| match (one, other) {
        (Some((one, Precision::Day)), Some((other, Precision::Day))) => one == other,
        _ => true,
    };
    same(row.start, statement.start) && same(row.end, statement.end)
}

/// Documents' assertions that a fact has ended which the master data says goes on.
pub(super) fn denials(pieces: &[Piece<'_>], overruled: &BTreeSet<AssertionId>) -> Lost {
    let mut lost = Lost::new();
    for piece in pieces.iter().filter(|piece| piece.decides()) {
        for by in &piece.cuts {
            if let CutBy::Ended(assertion) = by
                && overruled.contains(assertion)
            {
                lost.push((*assertion, Reason::ContradictsMaster { with: Some(piece.of.fact) }));
            }
        }
    }
    lost
}

/// Documents' statements that cannot stand beside what the master data says of another fact. A statement
/// that simply ends where the master data's begins is no contradiction; one that would end the master
/// data's is.
pub(super) fn other_facts(pieces: &[Piece<'_>], side: Side) -> Lost {
    let mut lost = Lost::new();
    for members in by_side(pieces, side).into_values() {
        let (rows, statements): (Vec<&Piece<'_>>, Vec<&Piece<'_>>) =
            members.into_iter().map(|at| &pieces[at]).partition(|piece| piece.decides());
        let defining = statements.into_iter().filter(|piece| piece.defines);
        for statement in defining.filter(|piece| piece.may_be_overruled()) {
            let against = rows
                .iter()
                .filter(|row| row.of.fact != statement.of.fact)
                .filter(|row| match relation(statement, row) {
                    Relation::Apart | Relation::FirstEnds => false,
                    Relation::SecondEnds | Relation::Conflict { .. } => true,
                })
                .map(|row| row.of.fact);
            lost.extend(
                against.map(|fact| (statement.of.assertion, Reason::ContradictsMaster { with: Some(fact) })),
            );
        }
    }
    lost
}

/// Statements that disagree with a better one about a property that the ontology declares a conflict.
/// Better is: approved later, stated to start later, of more authority, then the smaller assertion id.
pub(super) fn disagreements(pieces: &[Piece<'_>], edge: &EdgeType) -> Lost {
    let strict: BTreeSet<&str> = edge
        .properties
        .iter()
        .filter(|(_, property)| property.conflict && !property.identity)
        .map(|(name, _)| name.as_str())
        .collect();
    let mut lost = Lost::new();
    if strict.is_empty() {
        return lost;
    }
    let mut ranked: Vec<&Piece<'_>> = pieces.iter().collect();
    ranked.sort_by(|one, other| rank(other).cmp(&rank(one)).then(one.of.assertion.cmp(&other.of.assertion)));
    let mut stand: BTreeMap<FactId, Vec<&Piece<'_>>> = BTreeMap::new();
    for piece in ranked {
        let others = stand.entry(piece.of.fact).or_default();
        if others.iter().any(|other| disagree(piece, other, &strict)) {
            lost.push((piece.of.assertion, Reason::Conflict { with: piece.of.fact }));
        } else {
            others.push(piece);
        }
    }
    lost
}

fn rank(piece: &Piece<'_>) -> (Option<u64>, Option<Date>, u8) {
    (piece.of.approved, piece.claim.from.map(|(day, _)| day), piece.claim.authority)
}

fn disagree(one: &Piece<'_>, other: &Piece<'_>, strict: &BTreeSet<&str>) -> bool {
    let differs = |name: &&str| {
        matches!(
            (one.claim.properties.get(*name), other.claim.properties.get(*name)),
            (Some(one), Some(other)) if one != other
        )
    };
    one.interval().overlaps(&other.interval()) && strict.iter().any(differs)
}
