//! Names in a drift report: the ends of an edge go by their names and keys.
//!
//! In: a report whose examples know their facts. Out: the same, in words for a person. A name is told only if whoever
//! may read the source that a finding is about may read where the name stands: else it would leave what guards it.

use std::collections::BTreeMap;

use crate::drift::DriftReport;
use crate::model::access::Labels;
use crate::model::assertion::Origin;
use crate::model::entity::EntityClaim;
use crate::model::fact::Fact;
use crate::model::id::EntityKey;

use super::Error;
use super::session::Session;

/// Names the ends of the edges that a report shows. Looks up some facts and entities a finding, and nothing else.
pub(super) fn ends(session: &Session<'_>, drift: &mut DriftReport) -> Result<(), Error> {
    let nobody = Labels::new();
    for finding in &mut drift.findings {
        let labels = of_input(session, &finding.segment.source).unwrap_or(&nobody);
        let mut known: BTreeMap<EntityKey, String> = BTreeMap::new();
        for example in &mut finding.examples {
            let Some(fact) = fact(session, &example.fact)? else { continue };
            let mut end = |key: &EntityKey| -> Result<String, Error> {
                if let Some(end) = known.get(key) {
                    return Ok(end.clone());
                }
                let end = match name(session, key, labels)? {
                    Some(name) => format!("{name} ({key})"),
                    None => key.to_string(),
                };
                known.insert(key.clone(), end.clone());
                Ok(end)
            };
            example.text = format!("{} {} {}", end(&fact.subject)?, fact.edge_type, end(&fact.object)?);
        }
    }
    Ok(())
}

/// A fact as it is now, else as it was.
fn fact(session: &Session<'_>, id: &str) -> Result<Option<Fact>, Error> {
    match session.writer.view().get(id)? {
        Some(fact) => Ok(Some(fact)),
        None => Ok(session.writer.before().get(id)?),
    }
}

/// The name by which an entity goes for readers with these labels, as it is now, else as it was.
fn name(session: &Session<'_>, key: &EntityKey, labels: &Labels) -> Result<Option<String>, Error> {
    for view in [session.writer.view(), session.writer.before()] {
        let mut claims: Vec<EntityClaim> = view.by("entity", &key.to_string())?;
        claims.retain(|claim| {
            let guard = of_input(session, claim.origin.source());
            guard.is_some_and(|guard| guard.is_subset(labels))
        });
        // As everywhere, feeds before documents.
        claims.sort_by_key(|claim| (claim.gone, matches!(claim.origin, Origin::Chunk { .. })));
        if let Some(name) = claims.into_iter().find_map(|claim| claim.names.into_iter().next()) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// What a reader of a source or feed must hold; `None` if no job has it.
fn of_input<'s>(session: &'s Session<'_>, name: &str) -> Option<&'s Labels> {
    let source = session.setup.jobs.iter().find_map(|job| job.sources.get(name));
    source.map(|source| &source.access).or_else(|| session.setup.feed(name).map(|feed| &feed.access))
}
