//! From pieces to facts: touching pieces become one edge, and each attestation keeps what it contributed.
//!
//! In: the cut pieces of a group and the assertions that something has ended. Out: facts. Also what a
//! reader sees who sees only some attestations of a fact. Knows no constraint of a type.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::attestation::Attestation;
use crate::model::fact::{Attested, Claim, Cut, Edge, Fact};
use crate::model::id::{AssertionId, FactId};
use crate::model::sabotage;
use crate::model::time::{Date, Interval, Precision};
use crate::reconcile::join::{Stated, earlier, join, later};
use crate::reconcile::piece::Piece;

/// A piece as far as uniting needs to know it.
struct Part<'a> {
    from: Option<(Date, Precision)>,
    to: Option<Date>,
    end_unknown: bool,
    claim: &'a Claim,
}

impl Part<'_> {
    fn start(&self) -> Option<Date> {
        self.from.map(|(day, _)| day)
    }

    fn interval(&self) -> Option<Interval> {
        Interval::new(self.start(), self.to)
    }
}

/// Makes the facts of the pieces, sorted by id.
pub(super) fn unite(pieces: &[Piece<'_>], ends: &[&Attestation]) -> Vec<Fact> {
    let mut by_fact: BTreeMap<FactId, Vec<&Piece<'_>>> = BTreeMap::new();
    for piece in pieces {
        by_fact.entry(piece.of.fact).or_default().push(piece);
    }
    let mut ends_of: BTreeMap<FactId, Vec<&Attestation>> = BTreeMap::new();
    for end in ends {
        ends_of.entry(end.fact).or_default().push(end);
    }
    by_fact
        .into_iter()
        .map(|(id, pieces)| fact(id, &pieces, ends_of.get(&id).map_or(&[], Vec::as_slice)))
        .collect()
}

fn fact(id: FactId, pieces: &[&Piece<'_>], ends: &[&Attestation]) -> Fact {
    let first = pieces[0].of;
    let edges = edges(pieces.iter().map(|piece| part(piece)).collect());
    let mut attestations: Vec<Attested> = pieces.iter().map(|piece| attested(piece, &edges)).collect();
    attestations.extend(ends.iter().map(|end| ended(end)));
    attestations.sort();
    let cuts: BTreeSet<Cut> = pieces
        .iter()
        .flat_map(|piece| piece.recorded_cuts())
        .filter(|cut| edges.iter().any(|edge| edge.interval.to() == Some(cut.on)))
        .collect();
    Fact {
        id,
        subject: first.subject.clone(),
        edge_type: first.edge_type.clone(),
        object: first.object.clone(),
        identity: first.identity.clone(),
        edges,
        attestations,
        cuts: cuts.into_iter().collect(),
    }
}

fn part<'a>(piece: &'a Piece<'_>) -> Part<'a> {
    Part { from: piece.from, to: piece.end(), end_unknown: piece.end_unknown, claim: &piece.claim }
}

/// Unites parts that share a day or touch. The edges ascend and never touch one another.
fn edges(mut parts: Vec<Part<'_>>) -> Vec<Edge> {
    parts.retain(|part| part.interval().is_some());
    parts.sort_by_key(|part| (part.start(), part.to));
    let mut runs: Vec<(Interval, Vec<Part<'_>>)> = Vec::new();
    for part in parts {
        let Some(interval) = part.interval() else { continue };
        match runs.last_mut() {
            Some((run, members)) if run.touches(&interval) && !sabotage::is_off("union") => {
                let to = later(run.to(), interval.to());
                *run = Interval::new(run.from(), to).unwrap_or(*run);
                members.push(part);
            }
            _ => runs.push((interval, vec![part])),
        }
    }
    runs.into_iter().map(|(interval, members)| edge(interval, &members)).collect()
}

fn edge(interval: Interval, members: &[Part<'_>]) -> Edge {
    let at_start = members.iter().filter(|part| part.start() == interval.from());
    let mut at_end = members.iter().filter(|part| part.to == interval.to());
    Edge {
        interval,
        from_precision: at_start.filter_map(|part| part.from).map(|(_, precision)| precision).min(),
        end_unknown: interval.to().is_some() && at_end.all(|part| part.end_unknown),
        properties: properties(members),
    }
}

/// The value of the latest stated start, then of the highest authority, then the smaller text.
fn properties(members: &[Part<'_>]) -> BTreeMap<String, String> {
    let mut best: BTreeMap<&String, (Option<Date>, u8, Reverse<&String>)> = BTreeMap::new();
    for claim in members.iter().map(|part| part.claim) {
        for (name, value) in &claim.properties {
            let rank = (claim.from.map(|(day, _)| day), claim.authority, Reverse(value));
            best.entry(name).and_modify(|best| *best = rank.max(*best)).or_insert(rank);
        }
    }
    best.into_iter().map(|(name, (_, _, Reverse(value)))| (name.clone(), value.clone())).collect()
}

fn attested(piece: &Piece<'_>, edges: &[Edge]) -> Attested {
    let own = piece.interval();
    let edge = edges.iter().find(|edge| edge.interval.touches(&own)).map_or(own, |edge| edge.interval);
    let undated = piece.claim.from.is_none() && piece.claim.to.is_none();
    let interval = if undated { Interval::new(edge.from(), own.to()).unwrap_or(own) } else { own };
    Attested {
        assertion: piece.of.assertion,
        interval,
        alone: piece.alone(),
        defines: piece.defines,
        ends: false,
        claim: Claim { cut: piece.cap, ..piece.claim.clone() },
    }
}

/// An assertion that the fact has ended contributes no day. Its interval is what it says of the past.
fn ended(end: &Attestation) -> Attested {
    let to = end.end.map(|(day, _)| day).or(end.document_date);
    let past = Interval::new(None, to).expect("an interval with an unknown start is never empty");
    let claim = Claim { to: end.end, ..Claim::default() };
    Attested { assertion: end.assertion, interval: past, alone: past, defines: false, ends: true, claim }
}

/// The edges that a reader sees who sees only some attestations: those are joined with one another as if
/// the others were not there. Ends apply to everyone, and an invisible cause shows its date only.
pub fn visible(fact: &Fact, sees: &dyn Fn(&AssertionId) -> bool) -> Vec<Edge> {
    let seen: Vec<&Attested> =
        fact.attestations.iter().filter(|attested| !attested.ends && sees(&attested.assertion)).collect();
    let stated: Vec<Stated> = seen
        .iter()
        .map(|attested| Stated { from: attested.claim.from, to: attested.claim.to, cap: attested.claim.cut })
        .collect();
    let parts = seen.iter().zip(join(&stated)).filter_map(|(Attested { claim, .. }, joined)| {
        // Who joins here what it did not join among all others is evidence of it and nothing more: its own
        // cut belongs to another interval.
        let elsewhere = !joined.defines && joined.from.map(|(day, _)| day) != claim.joined;
        let to = earlier(joined.to, claim.cut);
        (!elsewhere).then(|| Part { from: joined.from, to, end_unknown: end_unknown(fact, to), claim })
    });
    edges(parts.collect())
}

fn end_unknown(fact: &Fact, to: Option<Date>) -> bool {
    to.is_some() && fact.edges.iter().any(|edge| edge.end_unknown && edge.interval.to() == to)
}
