//! Folding: the touched groups of facts, gated and reconciled, one group in memory at a time.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::drift::Ledger;
use crate::gate::{self, Circumstances, Witness};
use crate::model::assertion::Assertion;
use crate::model::attestation::Attestation;
use crate::model::cause::Cause;
use crate::model::decision::{Answer, Decision, Question};
use crate::model::edit::EDITS;
use crate::model::fact::{Fact, Incumbent, PendingEnd, Quarantined, Verdict};
use crate::model::group::Group;
use crate::model::id::{AssertionId, EntityKey, FactId};
use crate::model::job::Authority;
use crate::model::time::{Date, DateBase, Interval};
use crate::reconcile::{self, Slice};
use crate::store::{Kind, Record};

use super::Error;
use super::changed;
use super::corrections;
use super::recall::Head;
use super::report::LISTED;
use super::session::Session;
use super::step::Step;

/// What touched a group: fact → (cause, detail).
pub(super) type Touches = BTreeMap<String, Vec<(Cause, String)>>;

/// Folds every touched group: loose assertions, then superseding types, then the rest.
pub(super) fn fold_all(session: &mut Session<'_>, ledger: &mut Ledger) -> Result<(), Error> {
    session.corrections = corrections::by_group(session)?;
    session.recall.forget();
    for stratum in 0..=2 {
        let mut after = String::new();
        while let Some((name, rows)) = session.writer.touched_after(stratum, &after)? {
            let group: Group = name.parse().map_err(Error::Bug)?;
            let mut touches = Touches::new();
            for (fact, cause, detail) in rows {
                let cause = cause_named(&cause)?;
                touches.entry(fact).or_default().push((cause, detail));
            }
            fold_one(session, ledger, &group, &touches)?;
            session.report.work.folded += 1;
            session.reached(Step::GroupFolded, session.report.work.folded, 0)?;
            after = name;
        }
    }
    session.writer.batch()?;
    Ok(())
}

fn cause_named(name: &str) -> Result<Cause, Error> {
    serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|_| Error::Bug(format!("`{name}` is not a cause")))
}

/// Gates and folds one group, and writes what that changes.
fn fold_one(
    session: &mut Session<'_>,
    ledger: &mut Ledger,
    group: &Group,
    touches: &Touches,
) -> Result<(), Error> {
    let assertions = assertions_of(session, group)?;
    let mut attestations: Vec<Attestation> = Vec::new();
    let mut quarantined: BTreeMap<AssertionId, Quarantined> = BTreeMap::new();
    let confirmed = confirmed_facts(session, &assertions);
    for (assertion, effective, decision) in &assertions {
        match judge(session, assertion, effective, decision.as_ref(), &confirmed)? {
            (Verdict::Accept, Some(attestation)) => attestations.push(attestation),
            (Verdict::Accept, None) | (Verdict::Reject(_), _) => {}
            (Verdict::Quarantine(reasons), _) => {
                quarantined.insert(assertion.id, Quarantined { assertion: assertion.id, reasons });
            }
        }
    }
    let before = facts_of(session, group, touches)?;
    let slice = Slice {
        incumbents: incumbents_of(session, &attestations, touches)?,
        published: before.iter().map(|(id, fact)| (*id, intervals_of(fact))).collect(),
        superseded: superseded_for(session, &attestations)?,
        attestations,
    };
    let folded = reconcile::fold(&session.setup.ontology, &slice);
    for late in folded.quarantined {
        quarantined.insert(late.assertion, late);
    }
    write_incumbents(session, &slice.incumbents, &folded.incumbents)?;
    write_quarantine(session, &assertions, &quarantined)?;
    write_pending(session, &assertions, touches, &folded.pending)?;
    session.gaps.extend(folded.gaps);
    let after: BTreeMap<FactId, Fact> = folded.facts.into_iter().map(|fact| (fact.id, fact)).collect();
    changed::write(session, ledger, touches, &before, &after)
}

/// The assertions of a group as they count now, with their standing decisions.
fn assertions_of(
    session: &Session<'_>,
    group: &Group,
) -> Result<Vec<(Assertion, Assertion, Option<Decision>)>, Error> {
    let view = session.writer.view();
    let keyed = |column: &str, edge_type: &str, key: &EntityKey| -> Result<Vec<Assertion>, Error> {
        let mut found: Vec<Assertion> = Vec::new();
        for key in same_after_merging(session, key) {
            found.extend(view.by::<Assertion>(column, &key.to_string())?);
        }
        found.retain(|assertion| assertion.edge_type == edge_type);
        Ok(found)
    };
    let mut found: Vec<Assertion> = match group {
        Group::Loose(id) => view.get(&id.to_string())?.into_iter().collect(),
        Group::Type(edge_type) => view.by("edge_type", edge_type)?,
        Group::Subject(edge_type, key) => keyed("subject", edge_type, key)?,
        Group::Object(edge_type, key) => keyed("object", edge_type, key)?,
        Group::Fact(fact) => {
            let mut found: Vec<Assertion> = view.by("fact", &fact.to_string())?;
            if !session.merges.is_empty() {
                found.extend(merged_into_fact(session, *fact)?);
            }
            found
        }
    };
    for decision in session.corrections.get(&group.to_string()).into_iter().flatten() {
        let quoted: Vec<Assertion> = view.by("quote", &decision.question.quote.to_string())?;
        found.extend(quoted.into_iter().filter(|assertion| Question::of(assertion) == decision.question));
    }
    found.sort_by_key(|assertion| assertion.id);
    found.dedup_by_key(|assertion| assertion.id);
    let mut counted = Vec::with_capacity(found.len());
    for assertion in found {
        let decision = session.standing(&Question::of(&assertion))?;
        let effective = session.effective(&assertion, decision.as_ref())?;
        if belongs(session, group, &assertion, &effective) {
            counted.push((assertion, effective, decision));
        }
    }
    Ok(counted)
}

/// True if an assertion counts in this group now.
fn belongs(session: &Session<'_>, group: &Group, assertion: &Assertion, effective: &Assertion) -> bool {
    let Some(edge) = session.setup.edge(&assertion.edge_type) else { return false };
    match (effective.subject.known(), effective.object.known(), effective.fact) {
        (Some(subject), Some(object), Some(fact)) => edge.group(subject, object, fact) == *group,
        _ => *group == Group::Loose(assertion.id),
    }
}

/// A key and every key that was merged into it.
fn same_after_merging(session: &Session<'_>, key: &EntityKey) -> Vec<EntityKey> {
    let mut keys = vec![key.clone()];
    let old = session.merges.keys().filter(|old| crate::resolve::merged(old, &session.merges) == *key);
    keys.extend(old.cloned());
    keys
}

/// Assertions of merged keys that now count for this fact.
fn merged_into_fact(session: &Session<'_>, fact: FactId) -> Result<Vec<Assertion>, Error> {
    let mut found = Vec::new();
    for old in session.merges.keys() {
        for column in ["subject", "object"] {
            for assertion in session.writer.view().by::<Assertion>(column, &old.to_string())? {
                if session.effective(&assertion, None)?.fact == Some(fact) {
                    found.push(assertion);
                }
            }
        }
    }
    Ok(found)
}

/// The facts that a feed which confirms attests.
fn confirmed_facts(
    session: &Session<'_>,
    assertions: &[(Assertion, Assertion, Option<Decision>)],
) -> BTreeSet<FactId> {
    assertions
        .iter()
        .filter(|(assertion, ..)| {
            let authority = authority_of(session, assertion);
            assertion.left.is_none() && matches!(authority, Some(Authority::Confirms | Authority::Decides))
        })
        .filter_map(|(_, effective, _)| effective.fact)
        .collect()
}

fn authority_of(session: &Session<'_>, assertion: &Assertion) -> Option<Authority> {
    match &assertion.origin {
        // A person's word vouches for the fact as a row of master data does.
        origin if origin.is_by_hand() => Some(Authority::Confirms),
        crate::model::assertion::Origin::Row { feed, .. } => {
            session.setup.feed(feed).map(|feed| feed.authority)
        }
        crate::model::assertion::Origin::Chunk { .. } => None,
    }
}

/// Judges one assertion, and evaluates it if it is accepted.
fn judge(
    session: &Session<'_>,
    assertion: &Assertion,
    effective: &Assertion,
    decision: Option<&Decision>,
    confirmed: &BTreeSet<FactId>,
) -> Result<(Verdict, Option<Attestation>), Error> {
    let document = match assertion.origin.document() {
        Some(document) => session.recall.head(&session.writer.view(), document)?,
        None => None,
    };
    // A date that cannot be looked up fails the run, not the assertion; the closure hands the fault out.
    let fault: RefCell<Option<Error>> = RefCell::new(None);
    let days = |base: &DateBase| -> Option<Date> {
        session.base_day(&assertion.origin, base).unwrap_or_else(|error| {
            fault.borrow_mut().replace(error);
            None
        })
    };
    let crowd = session.recall.crowd(&session.writer.view(), assertion)?;
    let decision = decision.map(with_endpoints_in_place);
    let circumstances = Circumstances {
        ontology: &session.setup.ontology,
        decision: decision.as_ref(),
        confirmed: effective.fact.is_some_and(|fact| confirmed.contains(&fact)),
        withdrawn: document.as_ref().is_some_and(Head::is_unusable),
        crowd,
        imprecise: session.imprecise.contains(&assertion.rule),
        days: &days,
    };
    let verdict = gate::judge(effective, &circumstances);
    let attestation = (verdict == Verdict::Accept)
        .then(|| {
            let witness = Witness {
                stands_for: document.as_ref().and_then(|document| document.stands_for.clone()),
                // What an amended or expired document no longer says is as old as the version that said it.
                document_date: match &assertion.left {
                    Some(left) => left.dated,
                    None => document.as_ref().and_then(|document| document.dated),
                },
                authority: authority_of(session, assertion),
            };
            gate::attest(effective, &circumstances, &witness)
        })
        .flatten();
    match fault.into_inner() {
        Some(error) => Err(error),
        None => Ok((verdict, attestation)),
    }
}

/// A decision on an assertion whose corrected endpoints are in place already: followed through merges, and unknown
/// once they have left the master data.
fn with_endpoints_in_place(decision: &Decision) -> Decision {
    let mut decision = decision.clone();
    if let Answer::Correct { subject, object, .. } = &mut decision.answer {
        (*subject, *object) = (None, None);
    }
    decision
}

/// The facts of a group as they were last published.
fn facts_of(
    session: &Session<'_>,
    group: &Group,
    touches: &Touches,
) -> Result<BTreeMap<FactId, Fact>, Error> {
    let view = session.writer.before();
    let mut found: Vec<Fact> = match group {
        Group::Loose(_) | Group::Fact(_) => Vec::new(),
        Group::Type(edge_type) => view.by("edge_type", edge_type)?,
        Group::Subject(edge_type, key) => {
            let mut found: Vec<Fact> = view.by("subject", &key.to_string())?;
            found.retain(|fact| fact.edge_type == *edge_type);
            found
        }
        Group::Object(edge_type, key) => {
            let mut found: Vec<Fact> = view.by("object", &key.to_string())?;
            found.retain(|fact| fact.edge_type == *edge_type);
            found
        }
    };
    for fact in touches.keys() {
        found.extend(view.get::<Fact>(fact)?);
    }
    Ok(found.into_iter().map(|fact| (fact.id, fact)).collect())
}

fn intervals_of(fact: &Fact) -> Vec<Interval> {
    fact.edges.iter().map(|edge| edge.interval).collect()
}

/// The logged pairs in which one of these facts stands, or a touched one, which nobody may attest any more.
/// An entry belongs to the group of who stands, and only a fold of that group may drop it.
fn incumbents_of(
    session: &Session<'_>,
    attestations: &[Attestation],
    touches: &Touches,
) -> Result<Vec<Incumbent>, Error> {
    let attested = attestations.iter().map(|attestation| attestation.fact.to_string());
    let facts: BTreeSet<String> = attested.chain(touches.keys().cloned()).collect();
    let mut logged = BTreeSet::new();
    for fact in facts {
        logged.extend(session.writer.view().by::<Incumbent>("stands", &fact)?);
    }
    Ok(logged.into_iter().collect())
}

fn write_incumbents(session: &Session<'_>, before: &[Incumbent], after: &[Incumbent]) -> Result<(), Error> {
    for incumbent in before.iter().filter(|incumbent| !after.contains(incumbent)) {
        session.writer.close(Kind::Incumbent, &Record::id(incumbent))?;
    }
    for incumbent in after {
        session.writer.put(incumbent)?;
    }
    Ok(())
}

/// What superseding facts end: for each entity that an attesting document stands for, since when.
fn superseded_for(
    session: &Session<'_>,
    attestations: &[Attestation],
) -> Result<BTreeMap<EntityKey, Vec<(Date, FactId)>>, Error> {
    let mut superseded: BTreeMap<EntityKey, Vec<(Date, FactId)>> = BTreeMap::new();
    if !session.setup.ontology.edges.values().any(|edge| edge.ends_object) {
        return Ok(superseded);
    }
    let entities: BTreeSet<&EntityKey> =
        attestations.iter().filter_map(|one| one.stands_for.as_ref()).collect();
    for entity in entities {
        for fact in session.writer.view().by::<Fact>("object", &entity.to_string())? {
            let ends = session.setup.edge(&fact.edge_type).is_some_and(|edge| edge.ends_object);
            if let (true, Some(from)) = (ends, fact.edges.first().and_then(|edge| edge.interval.from())) {
                superseded.entry(entity.clone()).or_default().push((from, fact.id));
            }
        }
    }
    superseded.values_mut().for_each(|ends| ends.sort());
    Ok(superseded)
}

fn write_quarantine(
    session: &mut Session<'_>,
    assertions: &[(Assertion, Assertion, Option<Decision>)],
    quarantined: &BTreeMap<AssertionId, Quarantined>,
) -> Result<(), Error> {
    for (assertion, ..) in assertions {
        match quarantined.get(&assertion.id) {
            Some(entry) => {
                let known = session.quarantined(assertion)?;
                if session.writer.put(entry)? && known.as_ref() != Some(entry) {
                    for reason in &entry.reasons {
                        *session.report.quarantined.entry(reason.code().to_owned()).or_insert(0) += 1;
                    }
                    // An edit says itself what of it waits.
                    if session.newly_waiting.len() < LISTED && assertion.origin.source() != EDITS {
                        session.newly_waiting.push(assertion.id);
                    }
                }
            }
            None => {
                session.writer.close(Kind::Quarantine, &assertion.id.to_string())?;
            }
        }
    }
    Ok(())
}

fn write_pending(
    session: &Session<'_>,
    assertions: &[(Assertion, Assertion, Option<Decision>)],
    touches: &Touches,
    pending: &[PendingEnd],
) -> Result<(), Error> {
    // A touched fact may have lost the last sentence that spoke of it.
    let spoken_of =
        assertions.iter().filter_map(|(_, effective, _)| effective.fact).map(|fact| fact.to_string());
    let facts: BTreeSet<String> = spoken_of.chain(touches.keys().cloned()).collect();
    for fact in facts {
        for before in session.writer.view().by::<PendingEnd>("fact", &fact)? {
            if !pending.contains(&before) {
                session.writer.close(Kind::Pending, &Record::id(&before))?;
            }
        }
    }
    for end in pending {
        session.writer.put(end)?;
    }
    Ok(())
}
