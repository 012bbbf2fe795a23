//! Reconcile: the fold that makes the graph of what was accepted.
//!
//! In: accepted attestations of whole groups, the log of incumbents, what was published, and what
//! superseding facts end. Out: facts with their edges, and what must wait. It does not know where either
//! came from: no store, no document, no run.
//!
//! In some sense this is the heart: an edge lives by its attestations, and everything else is derived from
//! them. Two things follow that hold for every input. The order of the attestations does not matter. And
//! nothing derived outlives its cause: ends by newcomers, superseding and inverses are computed anew.
//!
//! The steps, for each group:
//!
//! ```text
//! join      unknown and coarse bounds take finer ones of the same fact            (join.rs)
//! cut       amended away, row left, superseded, said to have ended                (piece.rs)
//! overrule  documents that contradict master data that decides                    (master.rs)
//! guard     what would end a person's edit after it was published                 (hand.rs)
//! settle    conflicts under at-most-one, by incumbency                (single.rs, contest.rs)
//! succeed   newcomers end what ran until then                                     (single.rs)
//! unite     touching pieces of a fact are one edge                                (unite.rs)
//! break     circles                                                               (circle.rs)
//! ```
//!
//! Whoever a step sends to quarantine has no influence on what stands, so the group is then folded anew
//! without it, until nobody goes. Who has lost to a fact that goes itself in a later round comes back, once.
//! Every round takes an assertion out, and each comes back at most once, so it ends.

mod circle;
mod compare;
mod contest;
mod gap;
mod hand;
mod join;
mod master;
mod piece;
mod single;
mod unite;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::assertion::Says;
use crate::model::attestation::Attestation;
use crate::model::fact::{Fact, Incumbent, PendingEnd, Quarantined, Reason};
use crate::model::group;
use crate::model::id::{AssertionId, EntityKey, FactId};
use crate::model::job::Authority;
use crate::model::time::{Date, Interval};
use crate::ontology::{EdgeType, Ontology};

pub use compare::differences;
pub use gap::Gap;
use master::Lost;
use piece::{Piece, Superseded, pieces};
use single::{Incumbency, Won};
pub use unite::visible;

/// Names the meaning of the fold; it changes when the same inputs give another graph.
pub const FINGERPRINT: &str = "reconcile/1";

/// What is folded together: one group or several, each of them whole.
#[derive(Debug, Clone, Default)]
pub struct Slice {
    /// The accepted attestations of all facts in the slice.
    pub attestations: Vec<Attestation>,
    /// The log's entries about facts in the slice.
    pub incumbents: Vec<Incumbent>,
    /// The edges of the last published generation, by fact. Empty for a rebuild.
    pub published: BTreeMap<FactId, Vec<Interval>>,
    /// From stratum 1: the entities that superseding facts end, from when, and by which fact.
    pub superseded: BTreeMap<EntityKey, Vec<(Date, FactId)>>,
}

/// What the fold makes of a slice. Everything is sorted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folded {
    /// The facts that have an edge.
    pub facts: Vec<Fact>,
    /// Accepted assertions that cannot stand, with all their reasons.
    pub quarantined: Vec<Quarantined>,
    /// Ends that wait for an attestation of their fact.
    pub pending: Vec<PendingEnd>,
    /// The log of incumbents for this slice as it must be kept.
    pub incumbents: Vec<Incumbent>,
    /// What facts of superseding types in this slice end.
    pub superseded: BTreeMap<EntityKey, Vec<(Date, FactId)>>,
    /// Days on which an at-most-one group has nobody, though it had somebody before.
    pub gaps: Vec<Gap>,
}

/// Folds a slice.
///
/// Superseding types (stratum 1) are folded first; what they end is the other strata's `superseded`. What
/// is attested of a superseding type is itself never superseded: an amendment that was replaced has still
/// replaced what it replaced.
pub fn fold(ontology: &Ontology, slice: &Slice) -> Folded {
    let mut groups: BTreeMap<group::Group, BTreeMap<AssertionId, &Attestation>> = BTreeMap::new();
    for at in slice.attestations.iter().filter(|at| at.authority != Some(Authority::Informs)) {
        // A type that has left the ontology bars and ends nothing: its facts are folded alone.
        let edge = ontology.edges.get(&at.edge_type);
        let key =
            edge.map_or(group::Group::Fact(at.fact), |edge| edge.group(&at.subject, &at.object, at.fact));
        groups.entry(key).or_default().insert(at.assertion, at);
    }
    let mut folded = Folded { incumbents: kept(slice), ..Folded::default() };
    let incumbency = Incumbency::new(folded.incumbents.iter().cloned().collect(), &slice.published);
    for attestations in groups.into_values() {
        let live: Vec<&Attestation> = attestations.into_values().collect();
        let edge = live.first().and_then(|at| ontology.edges.get(&at.edge_type));
        Group {
            edge,
            superseded: &slice.superseded,
            incumbency: &incumbency,
            all: live.clone(),
            live,
            lost: BTreeMap::new(),
            won: Won::new(),
        }
        .fold(&mut folded);
    }
    folded.facts.sort_by_key(|fact| fact.id);
    folded.quarantined.sort_by_key(|quarantined| quarantined.assertion);
    folded.pending.sort_by_key(|pending| (pending.fact, pending.assertion));
    folded.incumbents.sort();
    folded.incumbents.dedup();
    folded.superseded.values_mut().for_each(|by| by.sort());
    folded.gaps.sort();
    folded
}

/// The log's entries whose winner is still attested. Who nobody attests any more has left the field, and
/// comes back as a newcomer.
fn kept(slice: &Slice) -> Vec<Incumbent> {
    let attested: BTreeSet<FactId> =
        slice.attestations.iter().filter(|at| at.says == Says::Holds).map(|at| at.fact).collect();
    slice.incumbents.iter().filter(|entry| attested.contains(&entry.stands)).cloned().collect()
}

/// One group on its way through the fold.
struct Group<'a> {
    /// Its type; `None` if the ontology does not have it, and then it has no constraints.
    edge: Option<&'a EdgeType>,
    superseded: &'a Superseded,
    incumbency: &'a Incumbency<'a>,
    /// Its attestations, by assertion id.
    all: Vec<&'a Attestation>,
    /// Those that still stand.
    live: Vec<&'a Attestation>,
    /// Those that do not.
    lost: BTreeMap<AssertionId, BTreeSet<Reason>>,
    /// Who stood against whom in the rounds so far, besides the log.
    won: Won,
}

impl<'a> Group<'a> {
    fn fold(mut self, into: &mut Folded) {
        self.lose(self.ends_without_a_day());
        let mut back: BTreeSet<AssertionId> = BTreeSet::new();
        loop {
            match self.step() {
                Err(lost) => self.lose(lost),
                Ok(facts) => {
                    let groundless: Vec<AssertionId> =
                        self.groundless(&facts).into_iter().filter(|lost| back.insert(*lost)).collect();
                    if groundless.is_empty() {
                        return self.finish(facts, into);
                    }
                    groundless.iter().for_each(|lost| drop(self.lost.remove(lost)));
                    self.live = self.standing();
                }
            }
        }
    }

    /// Those who have lost to facts of which none stands on their days any more: nothing derived outlives
    /// its cause.
    fn groundless(&self, facts: &[Fact]) -> Vec<AssertionId> {
        let stands: BTreeMap<FactId, &Fact> = facts.iter().map(|fact| (fact.id, fact)).collect();
        let grounded = |at: &Attestation, reason: &Reason| match reason {
            Reason::Conflict { with } | Reason::Cycle { with } if *with != at.fact => {
                stands.get(with).is_some_and(|fact| fact.edges.iter().any(|edge| piece::meets(at, edge)))
            }
            _ => true,
        };
        self.all
            .iter()
            .filter_map(|at| self.lost.get(&at.assertion).map(|reasons| (at, reasons)))
            .filter(|(at, reasons)| !reasons.iter().any(|reason| grounded(at, reason)))
            .map(|(at, _)| at.assertion)
            .collect()
    }

    fn standing(&self) -> Vec<&'a Attestation> {
        self.all.iter().copied().filter(|at| !self.lost.contains_key(&at.assertion)).collect()
    }

    /// Folds what still stands: the facts, or those who must go first.
    fn step(&mut self) -> Result<Vec<Fact>, Lost> {
        stop_at(self.circles_of_one())?;
        stop_at(master::other_bounds(&self.live))?;
        let nothing = Superseded::new();
        let superseding = self.edge.is_some_and(|edge| edge.ends_object);
        let superseded = if superseding { &nothing } else { self.superseded };
        let mut pieces = pieces(&self.live, superseded);
        stop_at(master::denials(&pieces, &self.overruled_ends()))?;
        stop_at(hand::ends(&pieces, &self.overruled_ends(), self.incumbency, &mut self.won))?;
        let Some(edge) = self.edge else {
            return Ok(self.unite(&pieces));
        };
        stop_at(master::disagreements(&pieces, edge))?;
        if let Some(side) = edge.at_most_one {
            stop_at(master::other_facts(&pieces, side))?;
            stop_at(hand::newcomers(&pieces, side, self.incumbency, &mut self.won))?;
            stop_at(single::conflicts(&pieces, side, self.incumbency, &mut self.won))?;
            single::succeed(&mut pieces, side);
        }
        let facts = self.unite(&pieces);
        if edge.acyclic || edge.ends_object {
            stop_at(closing(&pieces, &circle::circles(&facts, !edge.ends_object)))?;
        }
        Ok(facts)
    }

    fn unite(&self, pieces: &[Piece<'_>]) -> Vec<Fact> {
        unite::unite(pieces, &self.ends().collect::<Vec<_>>())
    }

    fn ends(&self) -> impl Iterator<Item = &'a Attestation> + '_ {
        self.live.iter().copied().filter(|at| at.says == Says::Ends)
    }

    /// An end with neither a day of its own nor a document's day ends nothing and must not vanish
    /// silently: a person can give it a day.
    fn ends_without_a_day(&self) -> Lost {
        self.ends()
            .filter(|end| end.end.is_none() && end.document_date.is_none())
            .map(|end| (end.assertion, Reason::DateMissing))
            .collect()
    }

    /// A fact from an entity to itself can never stand where circles are mistakes, so it wins no conflict.
    fn circles_of_one(&self) -> Lost {
        let forbidden = self.edge.is_some_and(|edge| edge.acyclic || edge.ends_object);
        self.live
            .iter()
            .filter(|at| forbidden && at.says == Says::Holds && at.subject == at.object)
            .map(|at| (at.assertion, Reason::Cycle { with: at.fact }))
            .collect()
    }

    fn overruled_ends(&self) -> BTreeSet<AssertionId> {
        self.ends()
            .filter(|end| end.origin.document().is_some() && end.approved.is_none())
            .map(|end| end.assertion)
            .collect()
    }

    fn lose(&mut self, lost: Lost) {
        for (assertion, reason) in lost {
            self.lost.entry(assertion).or_default().insert(reason);
        }
        self.live = self.standing();
    }

    /// The new entries of the log: who stands in the end, against each fact that waits for it in the end.
    fn incumbents(&self, held: &BTreeSet<FactId>) -> BTreeSet<Incumbent> {
        let mut waits: BTreeSet<Incumbent> = BTreeSet::new();
        for at in &self.all {
            for reason in self.lost.get(&at.assertion).into_iter().flatten() {
                if let Reason::Conflict { with } = reason {
                    waits.insert(Incumbent { stands: *with, against: at.fact });
                }
            }
        }
        let new = |(pair, stands): (&(FactId, FactId), &FactId)| Incumbent {
            stands: *stands,
            against: if pair.0 == *stands { pair.1 } else { pair.0 },
        };
        let won = self.won.iter().map(new);
        won.filter(|entry| held.contains(&entry.stands) && waits.contains(entry)).collect()
    }

    fn finish(self, facts: Vec<Fact>, into: &mut Folded) {
        let held: BTreeSet<FactId> = facts.iter().map(|fact| fact.id).collect();
        into.pending.extend(
            self.ends()
                .filter(|end| !held.contains(&end.fact))
                .map(|end| PendingEnd { fact: end.fact, assertion: end.assertion }),
        );
        into.incumbents.extend(self.incumbents(&held));
        if let Some(edge) = self.edge {
            if let Some(side) = edge.at_most_one {
                into.gaps.extend(gap::gaps(&facts, side));
            }
            if edge.ends_object {
                supersede(&facts, &mut into.superseded);
            }
        }
        into.quarantined.extend(
            self.lost.into_iter().map(|(assertion, reasons)| Quarantined {
                assertion,
                reasons: reasons.into_iter().collect(),
            }),
        );
        into.facts.extend(facts);
    }
}

/// Stops the step if somebody must go, so that nothing later rests on them.
fn stop_at(lost: Lost) -> Result<(), Lost> {
    if lost.is_empty() { Ok(()) } else { Err(lost) }
}

/// Everything that attests the facts which close a circle.
fn closing(pieces: &[Piece<'_>], circles: &[(FactId, FactId)]) -> Lost {
    let closing: BTreeMap<FactId, FactId> = circles.iter().copied().collect();
    pieces
        .iter()
        .filter_map(|piece| closing.get(&piece.of.fact).map(|with| (piece.of.assertion, *with)))
        .map(|(assertion, with)| (assertion, Reason::Cycle { with }))
        .collect()
}

/// What superseding facts end: their object, from their first known start on.
fn supersede(facts: &[Fact], superseded: &mut BTreeMap<EntityKey, Vec<(Date, FactId)>>) {
    for fact in facts {
        if let Some(start) = fact.edges.iter().find_map(|edge| edge.interval.from()) {
            superseded.entry(fact.object.clone()).or_default().push((start, fact.id));
        }
    }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod notation;
