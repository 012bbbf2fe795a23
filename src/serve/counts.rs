//! How many of each there are, as far as a reader sees them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::edge::State;
use super::{Error, Graph};
use crate::model::entity::EntityClaim;
use crate::model::fact::{Fact, PendingEnd, Quarantined};
use crate::store::DocumentRecord;

/// How many of each there are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Documents.
    pub documents: u64,
    /// Chunks, counted as they stand in documents.
    pub chunks: u64,
    /// Entities that a source still holds, by type.
    pub entities: BTreeMap<String, u64>,
    /// Edges by type.
    pub edges: BTreeMap<String, EdgeCounts>,
    /// Assertions in quarantine, by reason; one with two reasons counts under each.
    pub quarantined: BTreeMap<String, u64>,
    /// Assertions in quarantine.
    pub quarantined_assertions: u64,
    /// Ends that wait for an attestation of their fact.
    pub pending_ends: u64,
}

/// How many edges of a type there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct EdgeCounts {
    /// Facts.
    pub facts: u64,
    /// Edges that hold on the day.
    pub current: u64,
    /// Edges that have ended by then.
    pub ended: u64,
    /// Edges that have not begun by then.
    pub future: u64,
}

/// Counts what the reader sees. Linear in the graph.
pub fn counts(graph: &Graph<'_>) -> Result<Counts, Error> {
    let mut counts = Counts::default();
    let view = graph.view();
    view.each(|document: DocumentRecord| {
        if graph.sees_document(&document.document)? {
            counts.documents += 1;
            counts.chunks += document.chunks.len() as u64;
        }
        Ok::<(), Error>(())
    })?;
    let (mut live, mut removed) = (BTreeSet::new(), BTreeSet::new());
    view.each(|claim: EntityClaim| {
        if graph.sees_origin(&claim.origin)? && graph.sees_entity(&claim.entity)? {
            if claim.removes() {
                removed.insert(claim.entity);
            } else if !claim.gone {
                live.insert(claim.entity);
            }
        }
        Ok::<(), Error>(())
    })?;
    for key in live.difference(&removed) {
        *counts.entities.entry(key.entity_type().to_owned()).or_default() += 1;
    }
    view.each(|fact: Fact| {
        let edges = graph.edges(&fact)?;
        if edges.is_empty() {
            return Ok(());
        }
        let of_type = counts.edges.entry(fact.edge_type).or_default();
        of_type.facts += 1;
        for edge in &edges {
            match State::of(&edge.interval, graph.lens().day()) {
                State::Current => of_type.current += 1,
                State::Ended => of_type.ended += 1,
                State::Future => of_type.future += 1,
            }
        }
        Ok::<(), Error>(())
    })?;
    view.each(|quarantined: Quarantined| {
        if let Some(assertion) = graph.assertion(&quarantined.assertion)?
            && graph.sees(&assertion)?
        {
            counts.quarantined_assertions += 1;
            for reason in &quarantined.reasons {
                *counts.quarantined.entry(reason.code().to_owned()).or_default() += 1;
            }
        }
        Ok::<(), Error>(())
    })?;
    view.each(|pending: PendingEnd| {
        if let Some(assertion) = graph.assertion(&pending.assertion)?
            && graph.sees(&assertion)?
        {
            counts.pending_ends += 1;
        }
        Ok::<(), Error>(())
    })?;
    Ok(counts)
}
