//! Corrected endpoints: a person's answer that lets an assertion count for another fact than the one that was read.
//!
//! The look-up columns of an assertion hold what was read, so whatever looks for assertions by an endpoint or a
//! group asks here as well. Reads the whole log of decisions, which people have written one by one.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::assertion::Assertion;
use crate::model::decision::{Answer, Decision};
use crate::model::id::EntityKey;

use super::Error;
use super::requests::asked_by;
use super::session::Session;

/// The corrections of endpoints by the group into which they move an assertion now: of the documents and the merges
/// of tonight.
pub(super) fn by_group(session: &Session<'_>) -> Result<BTreeMap<String, Vec<Decision>>, Error> {
    let mut found: BTreeMap<String, Vec<Decision>> = BTreeMap::new();
    for (decision, _) in of_endpoints(session)? {
        for assertion in asked_by(session, &decision.question)? {
            let Some(edge) = session.setup.edge(&assertion.edge_type) else { continue };
            let counts = session.effective(&assertion, Some(&decision))?;
            if let (Some(from), Some(to), Some(fact)) =
                (counts.subject.known(), counts.object.known(), counts.fact)
            {
                let group = edge.group(from, to, fact).to_string();
                found.entry(group).or_default().push(decision.clone());
            }
        }
    }
    Ok(found)
}

/// The assertions that a correction names one of these entities for, each with the entity.
pub(super) fn naming(
    session: &Session<'_>,
    entities: &BTreeSet<EntityKey>,
) -> Result<Vec<(EntityKey, Assertion)>, Error> {
    let mut found = Vec::new();
    if entities.is_empty() {
        return Ok(found);
    }
    for (decision, named) in of_endpoints(session)? {
        for entity in named.into_iter().filter(|entity| entities.contains(entity)) {
            let asked = asked_by(session, &decision.question)?;
            found.extend(asked.into_iter().map(|assertion| (entity.clone(), assertion)));
        }
    }
    Ok(found)
}

/// The decisions that correct an endpoint, each with the entities that it names.
fn of_endpoints(session: &Session<'_>) -> Result<Vec<(Decision, Vec<EntityKey>)>, Error> {
    let log: Vec<Decision> = session.writer.view().all()?;
    let named = |decision: Decision| {
        let Answer::Correct { subject, object, .. } = &decision.answer else { return None };
        let named: Vec<EntityKey> = [subject, object].into_iter().flatten().cloned().collect();
        (!named.is_empty()).then_some((decision, named))
    };
    Ok(log.into_iter().filter_map(named).collect())
}
