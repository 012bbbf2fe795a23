//! At most one: who ends whom, who stands in a conflict, and days on which nobody holds.
//!
//! In: the pieces of a group of a type that declares `at_most_one`, the log of incumbents, and what was
//! published. Out: cuts, losers, new incumbents, gaps. Works on pieces before they are united, so that a
//! fact that is stated again later starts anew.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::fact::{CutBy, Incumbent, Reason};
use crate::model::id::{EntityKey, FactId};
use crate::model::sabotage;
use crate::model::time::{Date, Interval};
use crate::ontology::Side;
use crate::reconcile::contest::{Contest, Field, Strength};
use crate::reconcile::master::Lost;
use crate::reconcile::piece::Piece;

/// How two pieces of different facts of one at-most-one group stand to one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// They share no day.
    Apart,
    /// The first ends where the second starts.
    FirstEnds,
    /// The second ends where the first starts.
    SecondEnds,
    /// Neither may end the other. How much weight the dates of each give it.
    Conflict {
        /// Of the first.
        first: u8,
        /// Of the second.
        second: u8,
    },
}

/// The weight of a stated end that a newcomer would overrule: above any count of stated bounds.
const OVERRULED: u8 = 3;

/// The case table of `at_most_one`, for two pieces that share a day.
///
/// | the one that starts first | the other | relation |
/// |---|---|---|
/// | starts on the same day, or both starts are unknown | | conflict; more stated bounds weigh more |
/// | has a stated end | starts before that end | conflict; the stated end weighs more |
/// | has a known start and no stated end | starts later | the first ends there |
/// | has an unknown start, its document is dated before the other's start | | the first ends there |
/// | has an unknown start, its document is not dated before it, or has no date | | conflict; more stated bounds weigh more |
pub(super) fn relation(first: &Piece<'_>, second: &Piece<'_>) -> Relation {
    if !first.interval().overlaps(&second.interval()) {
        return Relation::Apart;
    }
    let (one, other) = (first.start(), second.start());
    if one == other {
        return Relation::Conflict { first: stated_bounds(first), second: stated_bounds(second) };
    }
    // An unknown start counts as holding before: `None` is the smaller one here too.
    if one < other { against_newcomer(first, second) } else { turned(against_newcomer(second, first)) }
}

fn against_newcomer(earlier: &Piece<'_>, newcomer: &Piece<'_>) -> Relation {
    if earlier.fixed {
        return Relation::Conflict { first: OVERRULED, second: stated_bounds(newcomer) };
    }
    let known_to_be_earlier =
        earlier.start().is_some() || earlier.of.document_date.is_some_and(|day| Some(day) < newcomer.start());
    if known_to_be_earlier {
        Relation::FirstEnds
    } else {
        Relation::Conflict { first: stated_bounds(earlier), second: stated_bounds(newcomer) }
    }
}

fn turned(relation: Relation) -> Relation {
    match relation {
        Relation::Apart => Relation::Apart,
        Relation::FirstEnds => Relation::SecondEnds,
        Relation::SecondEnds => Relation::FirstEnds,
        Relation::Conflict { first, second } => Relation::Conflict { first: second, second: first },
    }
}

fn stated_bounds(piece: &Piece<'_>) -> u8 {
    u8::from(piece.from.is_some()) + u8::from(piece.fixed)
}

/// The pieces, as positions, by the entity that may have at most one.
pub(super) fn by_side<'a>(pieces: &[Piece<'a>], side: Side) -> BTreeMap<&'a EntityKey, Vec<usize>> {
    let mut groups: BTreeMap<&EntityKey, Vec<usize>> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        groups.entry(holder(piece, side)).or_default().push(at);
    }
    groups
}

/// `at_most_one: subject` is one subject an object: the object is who may have at most one.
fn holder<'a>(piece: &Piece<'a>, side: Side) -> &'a EntityKey {
    match side {
        Side::Subject => &piece.of.object,
        Side::Object => &piece.of.subject,
    }
}

/// What decides conflicts besides the pieces.
pub(super) struct Incumbency<'a> {
    /// The logged incumbents, by the pair of facts, the smaller id first.
    log: BTreeMap<(FactId, FactId), FactId>,
    /// The edges of the last published generation.
    published: &'a BTreeMap<FactId, Vec<Interval>>,
}

/// Whom the rounds of one fold have seen standing against whom, besides the log; by the pair of facts. A later
/// round decides anew: who stood last night is no newcomer there because it lost in an earlier one.
pub(super) type Won = BTreeMap<(FactId, FactId), FactId>;

impl<'a> Incumbency<'a> {
    /// Reads the log. If it names both of a pair, the smaller entry counts.
    pub(super) fn new(log: BTreeSet<Incumbent>, published: &'a BTreeMap<FactId, Vec<Interval>>) -> Self {
        let mut by_pair = BTreeMap::new();
        for entry in log {
            by_pair.entry(pair(entry.stands, entry.against)).or_insert(entry.stands);
        }
        Self { log: by_pair, published }
    }

    /// Who of a pair stands by the log.
    pub(super) fn stands(&self, facts: (FactId, FactId)) -> Option<FactId> {
        self.log.get(&pair(facts.0, facts.1)).copied()
    }

    /// True if an edge of the fact stood last night on the day on which the piece starts. What is stated
    /// tonight of another time is a newcomer, though its fact is not.
    pub(super) fn stood(&self, piece: &Piece<'_>) -> bool {
        match piece.start() {
            Some(start) => self.held(piece.of.fact, start),
            None => self.edges(piece.of.fact).any(|edge| edge.from().is_none()),
        }
    }

    /// True if an edge of the fact stood last night that holds on a day.
    pub(super) fn held(&self, fact: FactId, on: Date) -> bool {
        self.edges(fact).any(|edge| edge.contains(on))
    }

    fn edges(&self, fact: FactId) -> impl Iterator<Item = &Interval> {
        self.published.get(&fact).into_iter().flatten()
    }
}

pub(super) fn pair(one: FactId, other: FactId) -> (FactId, FactId) {
    if one < other { (one, other) } else { (other, one) }
}

/// Finds the conflicts and decides them. Returns the losers' assertions, each with everyone it clashes with
/// who stands. Notes in `won` who stands without a person's word and is not in the log yet: it is the
/// incumbent from now on, so that a fold of the same inputs with this log gives the same.
///
/// Time grows with the pairs of pieces that share a day, memory with the pieces and with who loses to whom.
pub(super) fn conflicts(
    pieces: &[Piece<'_>],
    side: Side,
    incumbency: &Incumbency<'_>,
    won: &mut Won,
) -> Lost {
    let mut lost = Lost::new();
    if sabotage::is_off("conflict") {
        return lost;
    }
    for members in by_side(pieces, side).into_values() {
        let field = Field::new(pieces, members, incumbency);
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        while settle(&field, incumbency, &mut gone) {}
        let mut decided: Vec<(usize, usize)> = Vec::new();
        field.each_clash(&BTreeSet::new(), |one, other| {
            for (stays, goes) in [(one, other), (other, one)] {
                if gone.contains(&goes) && !gone.contains(&stays) {
                    decided.push((stays, goes));
                }
            }
        });
        decided.sort_by_key(|(stays, goes)| (*stays.min(goes), *stays.max(goes)));
        let mut stands: BTreeMap<(FactId, FactId), FactId> = BTreeMap::new();
        for (stays, goes) in decided {
            let (standing, going) = (pieces[stays].of.fact, pieces[goes].of.fact);
            lost.push((pieces[goes].of.assertion, Reason::Conflict { with: standing }));
            stands.insert(pair(standing, going), standing);
        }
        field.each_contest(&BTreeSet::new(), |facts, contest| {
            if let Some(standing) = stands.get(&facts)
                && !contest.by_person()
                && incumbency.stands(facts).is_none()
            {
                won.insert(facts, *standing);
            }
        });
    }
    lost
}

/// Settles the conflicts of those whom nobody beats: they stand, and who clashes with them goes. Who was
/// beaten only by one that goes stands after all, which is why this is repeated until it returns false. If
/// each is beaten by somebody (a log of old conflicts may run in a circle), the one with the strongest claim
/// stands.
fn settle(field: &Field<'_, '_>, incumbency: &Incumbency<'_>, gone: &mut BTreeSet<usize>) -> bool {
    let mut beaten: BTreeSet<FactId> = BTreeSet::new();
    let mut strongest: BTreeMap<FactId, Strength> = BTreeMap::new();
    field.each_contest(gone, |facts, contest| {
        let first_stands = incumbency.decide(facts, contest);
        beaten.insert(if first_stands { facts.1 } else { facts.0 });
        for (fact, strength) in [(facts.0, &contest.strengths.0), (facts.1, &contest.strengths.1)] {
            let best = strongest.entry(fact).or_insert_with(|| strength.clone());
            *best = best.clone().max(strength.clone());
        }
    });
    let mut stand: BTreeSet<FactId> =
        strongest.keys().filter(|fact| !beaten.contains(*fact)).copied().collect();
    if stand.is_empty() {
        let best = strongest.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
        stand.extend(best.map(|(fact, _)| *fact));
    }
    let mut going: BTreeSet<usize> = BTreeSet::new();
    field.each_clash(gone, |one, other| {
        for (stays, goes) in [(one, other), (other, one)] {
            if stand.contains(&field.fact(stays)) && !stand.contains(&field.fact(goes)) {
                going.insert(goes);
            }
        }
    });
    gone.append(&mut going);
    !stand.is_empty()
}

impl Incumbency<'_> {
    /// True if the first of two stands, which is: the one approved last; else the logged incumbent; else the
    /// one that stood last night where they clash, if only one did; else the one whose fact was published, if
    /// only one was; else the stronger one.
    fn decide(&self, facts: (FactId, FactId), contest: &Contest) -> bool {
        let strengths = &contest.strengths;
        if contest.by_person() {
            return strengths.0.approved > strengths.1.approved;
        }
        if let Some(stands) = self.stands(facts) {
            return stands == facts.0;
        }
        if contest.stood.0 != contest.stood.1 {
            return contest.stood.0;
        }
        let published = (self.published.contains_key(&facts.0), self.published.contains_key(&facts.1));
        if published.0 != published.1 {
            return published.0;
        }
        strengths.0 > strengths.1
    }
}

/// Ends each piece where the first piece of another fact starts after it. Takes pieces without conflicts.
pub(super) fn succeed(pieces: &mut [Piece<'_>], side: Side) {
    if sabotage::is_off("ending") {
        return;
    }
    for members in by_side(pieces, side).into_values() {
        let mut starts: BTreeMap<Date, BTreeSet<FactId>> = BTreeMap::new();
        for &at in &members {
            if let Some(start) = pieces[at].start() {
                starts.entry(start).or_default().insert(pieces[at].of.fact);
            }
        }
        for at in members {
            let piece = &mut pieces[at];
            let own = piece.of.fact;
            let others = |(day, facts): (&Date, &BTreeSet<FactId>)| {
                facts.iter().find(|fact| **fact != own).map(|fact| (*day, *fact))
            };
            let newcomer = match piece.start() {
                Some(start) => starts.range(start..).filter(|(day, _)| **day > start).find_map(others),
                None => starts.iter().find_map(others),
            };
            if let Some((day, fact)) = newcomer {
                piece.cut(day, CutBy::Newcomer(fact));
            }
        }
    }
}
