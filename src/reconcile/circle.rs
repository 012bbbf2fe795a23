//! Circles among facts of acyclic and superseding types.
//!
//! In: the facts of one edge type. Out: the facts that close a circle, each with the fact after it. Knows
//! no attestation and repairs nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::model::fact::Fact;
use crate::model::id::{EntityKey, FactId};
use crate::model::time::Date;

/// Finds the facts to take out so that no circle is left. Of each circle it is the one with the larger
/// (start, fact id): the facts are laid down in that order, and the one that closes a circle is found.
///
/// A fact from an entity to itself is not looked for: it has gone before. With `on_one_day` only facts that hold on a day with the closing one make a circle: a part may move
/// below its former whole. Superseding has no such days: who supersedes stays so.
pub(super) fn circles(facts: &[Fact], on_one_day: bool) -> Vec<(FactId, FactId)> {
    let mut suspects: Vec<&Fact> = core(facts);
    suspects.sort_by_key(|fact| (start(fact), fact.id));
    let mut laid: BTreeMap<&EntityKey, Vec<&Fact>> = BTreeMap::new();
    let mut closing = Vec::new();
    for fact in suspects {
        if let Some(next) = way_back(&laid, fact, on_one_day) {
            closing.push((fact.id, next));
        } else {
            laid.entry(&fact.subject).or_default().push(fact);
        }
    }
    closing
}

fn start(fact: &Fact) -> Option<Date> {
    fact.edges.first().and_then(|edge| edge.interval.from())
}

/// The facts that may lie on a circle: what is left when entities without a way in, and then those without
/// a way out, are taken away again and again. Most types have no circle, and nothing is left to search.
fn core(facts: &[Fact]) -> Vec<&Fact> {
    let with_way_in = peel(facts.iter().collect(), |fact| &fact.subject, |fact| &fact.object);
    peel(with_way_in, |fact| &fact.object, |fact| &fact.subject)
}

/// Takes away the facts whose tail no fact leads to, until there are none.
fn peel<'f>(
    facts: Vec<&'f Fact>,
    tail: fn(&'f Fact) -> &'f EntityKey,
    head: fn(&'f Fact) -> &'f EntityKey,
) -> Vec<&'f Fact> {
    let mut leading_to: BTreeMap<&EntityKey, usize> = BTreeMap::new();
    let mut by_tail: BTreeMap<&EntityKey, Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        *leading_to.entry(head(fact)).or_default() += 1;
        by_tail.entry(tail(fact)).or_default().push(fact);
    }
    let mut free: Vec<&EntityKey> =
        by_tail.keys().filter(|entity| !leading_to.contains_key(**entity)).copied().collect();
    while let Some(entity) = free.pop() {
        for fact in by_tail.remove(entity).unwrap_or_default() {
            if let Some(count) = leading_to.get_mut(head(fact)) {
                *count -= 1;
                if *count == 0 {
                    free.push(head(fact));
                }
            }
        }
    }
    by_tail.into_values().flatten().collect()
}

/// The first fact of the shortest way from a fact's object back to its subject.
fn way_back(laid: &BTreeMap<&EntityKey, Vec<&Fact>>, closing: &Fact, on_one_day: bool) -> Option<FactId> {
    let mut seen: BTreeSet<&EntityKey> = BTreeSet::from([&closing.object]);
    let mut open: VecDeque<(&EntityKey, Option<FactId>)> = VecDeque::from([(&closing.object, None)]);
    while let Some((entity, first)) = open.pop_front() {
        for fact in laid.get(entity).into_iter().flatten() {
            if on_one_day && !share_a_day(fact, closing) {
                continue;
            }
            let first = first.or(Some(fact.id));
            if fact.object == closing.subject {
                return first;
            }
            if seen.insert(&fact.object) {
                open.push_back((&fact.object, first));
            }
        }
    }
    None
}

fn share_a_day(one: &Fact, other: &Fact) -> bool {
    one.edges.iter().any(|edge| other.edges.iter().any(|with| edge.interval.overlaps(&with.interval)))
}
