//! From an assertion to the edges that it attests: the way back from evidence.

use std::collections::BTreeSet;

use crate::model::assertion::Assertion;
use crate::model::decision::{Answer, Decision, Question};
use crate::model::entity::EntityClaim;
use crate::model::fact::{Attested, Edge, Fact, Quarantined};
use crate::model::id::EntityKey;
use crate::store::{self, View};

/// How many merges are followed; a circle is a mistake of the master data and must not hang us.
const MERGES: usize = 32;

/// The edges of a fact to which an attestation of it contributes.
pub fn attested_edges<'f>(fact: &'f Fact, attested: &Attested) -> impl Iterator<Item = &'f Edge> + use<'f> {
    let interval = attested.interval;
    fact.edges.iter().filter(move |edge| edge.interval.overlaps(&interval))
}

/// The fact that an assertion attests, if it attests one. Most often it is the one that it read; one whose key
/// was merged or whose endpoint a person corrected counts for another.
pub fn attested_fact(view: &View<'_>, assertion: &Assertion) -> Result<Option<Fact>, store::Error> {
    let attests = |fact: &Fact| fact.attestations.iter().any(|one| one.assertion == assertion.id);
    if let Some(id) = assertion.fact
        && let Some(fact) = view.get::<Fact>(&id.to_string())?.filter(attests)
    {
        return Ok(Some(fact));
    }
    let id = assertion.id.to_string();
    if view.get::<Quarantined>(&id)?.is_some() {
        return Ok(None);
    }
    for key in counted_keys(view, assertion)? {
        for fact in view.by::<Fact>("subject", &key.to_string())? {
            if attests(&fact) {
                return Ok(Some(fact));
            }
        }
    }
    Ok(None)
}

/// The keys that may count for an endpoint of an assertion: as read or corrected, with merges followed.
fn counted_keys(view: &View<'_>, assertion: &Assertion) -> Result<BTreeSet<EntityKey>, store::Error> {
    let question = Question::of(assertion);
    let mut keys: BTreeSet<EntityKey> =
        [assertion.subject.known(), assertion.object.known()].into_iter().flatten().cloned().collect();
    for decision in view.by::<Decision>("fact", &question.fact.to_string())? {
        if let (true, Answer::Correct { subject, object, .. }) =
            (decision.question == question, decision.answer)
        {
            keys.extend(subject.into_iter().chain(object));
        }
    }
    let mut followed = keys.clone();
    for mut key in keys {
        for _ in 0..MERGES {
            let claims: Vec<EntityClaim> = view.by("entity", &key.to_string())?;
            let Some(next) = claims.into_iter().find_map(|claim| claim.merged_into) else { break };
            followed.insert(next.clone());
            key = next;
        }
    }
    Ok(followed)
}
