//! Contests: which facts of an at-most-one group clash, and how strong the claim of each is.
//!
//! In: the pieces of a group, the log of incumbents. Out: clashes of pieces, contests of facts. Decides nothing.
//! A group in which everybody clashes has as many clashes as pairs, so they are told one by one and never listed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::id::FactId;
use crate::model::time::Date;
use crate::reconcile::join::later;
use crate::reconcile::piece::Piece;
use crate::reconcile::single::{Incumbency, Relation, relation};

/// How strong a fact's claim in a conflict is without regard to incumbency; the greater stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Strength {
    /// The latest decision that vouches for it.
    pub(super) approved: Option<u64>,
    /// Whether master data that decides says so.
    decides: bool,
    /// The weight of its stated dates.
    dates: u8,
    /// How many documents and feeds say so, at whatever time.
    sources: usize,
    /// The smaller id stands, when all else is equal.
    id: Reverse<FactId>,
}

/// Two facts in a conflict, over all their pieces that clash; the first is the one with the smaller id.
pub(super) struct Contest {
    /// How strong each one's claim is.
    pub(super) strengths: (Strength, Strength),
    /// Whether each one stood last night where they clash.
    pub(super) stood: (bool, bool),
}

/// The pieces of a group that may clash, in the order of their starts.
pub(super) struct Field<'a, 'p> {
    pieces: &'a [Piece<'p>],
    incumbency: &'a Incumbency<'a>,
    support: Support,
    /// Positions of pieces, by start.
    order: Vec<usize>,
    /// For each place in the order, the latest end up to there; `None` is an open one.
    reach: Vec<Option<Date>>,
    /// The places of each fact in the order.
    places: BTreeMap<FactId, Vec<usize>>,
}

impl<'a, 'p> Field<'a, 'p> {
    /// The field of these members, which are positions of all pieces of one entity that may have at most one.
    pub(super) fn new(
        pieces: &'a [Piece<'p>],
        mut members: Vec<usize>,
        incumbency: &'a Incumbency<'a>,
    ) -> Self {
        let support = Support::of(members.iter().map(|at| &pieces[*at]));
        // What only joined is evidence of an interval that others define; if those go, it is folded anew.
        members.retain(|at| pieces[*at].defines);
        members.sort_by_key(|at| (pieces[*at].start(), *at));
        let mut reach: Vec<Option<Date>> = Vec::with_capacity(members.len());
        let mut places: BTreeMap<FactId, Vec<usize>> = BTreeMap::new();
        for (place, at) in members.iter().enumerate() {
            let end = pieces[*at].end();
            reach.push(reach.last().map_or(end, |before| later(*before, end)));
            places.entry(pieces[*at].of.fact).or_default().push(place);
        }
        Self { pieces, incumbency, support, order: members, reach, places }
    }

    /// The fact of a piece.
    pub(super) fn fact(&self, at: usize) -> FactId {
        self.pieces[at].of.fact
    }

    /// The pieces that start no earlier than the one at a place, and before it ends.
    fn after(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.pieces[self.order[place]].end();
        let before_end =
            move |at: &usize| end.is_none_or(|end| self.pieces[*at].start().is_none_or(|start| start < end));
        self.order[place + 1..].iter().copied().take_while(before_end)
    }

    /// The pieces that start no later than the one at a place, without those before which all have ended.
    fn before(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let start = self.pieces[self.order[place]].start();
        let goes_on =
            move |place: &usize| self.reach[*place].is_none_or(|end| start.is_none_or(|start| start < end));
        (0..place).rev().take_while(goes_on).map(|place| self.order[place])
    }

    /// Tells every two pieces that cannot stand beside one another, without those that are gone.
    pub(super) fn each_clash(&self, gone: &BTreeSet<usize>, mut each: impl FnMut(usize, usize)) {
        for (place, &one) in self.order.iter().enumerate().filter(|(_, one)| !gone.contains(one)) {
            for other in self.after(place).filter(|other| !gone.contains(other)) {
                let rivals = self.fact(one) != self.fact(other);
                let conflict =
                    matches!(relation(&self.pieces[one], &self.pieces[other]), Relation::Conflict { .. });
                if rivals && conflict {
                    each(one, other);
                }
            }
        }
    }

    /// Tells every two facts of which pieces clash, without the pieces that are gone; the smaller fact first.
    pub(super) fn each_contest(
        &self,
        gone: &BTreeSet<usize>,
        mut each: impl FnMut((FactId, FactId), &Contest),
    ) {
        for (fact, places) in &self.places {
            let mut contests: BTreeMap<FactId, Contest> = BTreeMap::new();
            for place in places.iter().filter(|place| !gone.contains(&self.order[**place])) {
                let one = &self.pieces[self.order[*place]];
                let around = self.before(*place).chain(self.after(*place));
                for other in around.filter(|at| !gone.contains(at)).map(|at| &self.pieces[at]) {
                    if *fact < other.of.fact
                        && let Relation::Conflict { first, second } = relation(one, other)
                    {
                        let own = self.support.strength(one, first);
                        let rival = self.support.strength(other, second);
                        let stood = (self.incumbency.stood(one), self.incumbency.stood(other));
                        contests
                            .entry(other.of.fact)
                            .and_modify(|contest| contest.widen(&own, &rival, stood))
                            .or_insert(Contest { strengths: (own, rival), stood });
                    }
                }
            }
            contests.iter().for_each(|(rival, contest)| each((*fact, *rival), contest));
        }
    }
}

impl Strength {
    /// Takes the better of each, over all pieces with which a fact is in a conflict.
    fn widen(&mut self, other: &Self) {
        self.approved = self.approved.max(other.approved);
        self.decides |= other.decides;
        self.dates = self.dates.max(other.dates);
    }
}

/// What stands behind pieces, those that only joined included.
struct Support {
    /// The latest decision that vouches for anything with this start.
    approved: BTreeMap<(FactId, Option<Date>), u64>,
    /// How many documents and feeds attest the fact, at whatever time.
    sources: BTreeMap<FactId, usize>,
}

impl Support {
    fn of<'a, 'p: 'a>(pieces: impl Iterator<Item = &'a Piece<'p>>) -> Self {
        let mut approved: BTreeMap<(FactId, Option<Date>), u64> = BTreeMap::new();
        let mut sources: BTreeMap<FactId, BTreeSet<String>> = BTreeMap::new();
        for piece in pieces {
            let origin = &piece.of.origin;
            let name = origin.document().map_or_else(|| origin.source().to_owned(), ToString::to_string);
            sources.entry(piece.of.fact).or_default().insert(name);
            if let Some(number) = piece.of.approved {
                let latest = approved.entry((piece.of.fact, piece.start())).or_default();
                *latest = number.max(*latest);
            }
        }
        let sources = sources.into_iter().map(|(fact, names)| (fact, names.len())).collect();
        Self { approved, sources }
    }

    fn strength(&self, piece: &Piece<'_>, dates: u8) -> Strength {
        let fact = piece.of.fact;
        Strength {
            approved: self.approved.get(&(fact, piece.start())).copied(),
            decides: piece.decides(),
            dates,
            sources: self.sources.get(&fact).copied().unwrap_or_default(),
            id: Reverse(fact),
        }
    }
}

impl Contest {
    /// Takes in another clash of the same facts.
    fn widen(&mut self, first: &Strength, second: &Strength, stood: (bool, bool)) {
        self.strengths.0.widen(first);
        self.strengths.1.widen(second);
        self.stood = (self.stood.0 | stood.0, self.stood.1 | stood.1);
    }

    /// True if a person's word decides it.
    pub(super) fn by_person(&self) -> bool {
        self.strengths.0.approved != self.strengths.1.approved
    }
}
