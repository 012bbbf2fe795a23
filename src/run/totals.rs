//! Totals: how many of each there are, for the summary of a run.

use std::collections::BTreeSet;

use crate::model::entity::EntityClaim;
use crate::model::fact::{Fact, PendingEnd, Quarantined};
use crate::model::time::Date;
use crate::store::{DocumentRecord, View};

use super::Error;
use super::report::Totals;

/// Counts what a view holds. Linear in the view; holds the keys of entities.
pub(super) fn totals(view: &View<'_>, today: Date) -> Result<Totals, Error> {
    let mut totals = Totals::default();
    view.each(|document: DocumentRecord| {
        totals.documents += 1;
        totals.chunks += document.chunks.len() as u64;
        Ok::<(), Error>(())
    })?;
    let (mut entities, mut removed) = (BTreeSet::new(), BTreeSet::new());
    view.each(|claim: EntityClaim| {
        if claim.removes() {
            removed.insert(claim.entity);
        } else if !claim.gone && claim.merged_into.is_none() {
            entities.insert(claim.entity);
        }
        Ok::<(), Error>(())
    })?;
    for entity in entities.difference(&removed) {
        *totals.entities.entry(entity.entity_type().to_owned()).or_insert(0) += 1;
    }
    view.each(|fact: Fact| {
        let counts = totals.edges.entry(fact.edge_type).or_default();
        counts.facts += 1;
        for edge in &fact.edges {
            let interval = edge.interval;
            if interval.contains(today) {
                counts.current += 1;
            } else if interval.to().is_some_and(|to| to <= today) {
                counts.ended += 1;
            } else {
                counts.future += 1;
            }
        }
        Ok::<(), Error>(())
    })?;
    view.each(|waiting: Quarantined| {
        totals.quarantined_assertions += 1;
        for reason in &waiting.reasons {
            *totals.quarantined.entry(reason.code().to_owned()).or_insert(0) += 1;
        }
        Ok::<(), Error>(())
    })?;
    view.each(|_: PendingEnd| {
        totals.pending_ends += 1;
        Ok::<(), Error>(())
    })?;
    Ok(totals)
}
