//! Gaps: what the documents hold and the graph does not, in the order in which closing it pays.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::diag::nearest;
use crate::model::assertion::{Assertion, Origin};
use crate::model::entity::EntityClaim;
use crate::model::fact::{Quarantined, Reason};
use crate::model::id::DocumentId;
use crate::ontology::{EdgeType, Ontology};
use crate::store::{ChunkRef, DocumentRecord, Extraction, Kind};

use super::at::At;
use super::waiting::gone;
use super::{Error, Graph};

/// How many places stand for all.
const PLACES: usize = 3;

/// What the documents hold and the graph does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GapsReport {
    /// The version of this form.
    pub version: u32,
    /// Names that nobody knows, most frequent first.
    pub unknown_names: Vec<UnknownName>,
    /// Pairs of names that stand together where no rule reads an edge between them, most frequent first.
    pub unread: Vec<Unread>,
    /// Documents in which nothing was read, by their paths relative to the workspace.
    pub silent: Vec<String>,
}

/// A name that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnknownName {
    /// The text.
    pub surface: String,
    /// The types that its slots take.
    pub types: Vec<String>,
    /// How many assertions wait for it.
    pub count: u64,
    /// The nearest name that is known.
    pub nearest: Option<String>,
    /// Some places, as `path:4` or `path, page 3`, the path relative to the workspace.
    pub places: Vec<String>,
}

/// Two types that stand together without an edge being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unread {
    /// The edge type that could join them.
    pub edge_type: String,
    /// How many chunks name both and give no edge of the type.
    pub count: u64,
    /// Some places, as `path:4` or `path, page 3`, the path relative to the workspace.
    pub places: Vec<String>,
}

/// Looks for gaps in what the reader sees, at most `limit` of each kind. Linear in the store; holds counts
/// and three places for each.
pub fn gaps<'o>(
    graph: &Graph<'_>,
    ontologies: impl IntoIterator<Item = &'o Ontology>,
    limit: usize,
) -> Result<GapsReport, Error> {
    let view = graph.view();
    let edges: Vec<&EdgeType> = ontologies.into_iter().flat_map(|ontology| ontology.edges.values()).collect();
    let places = |document: &DocumentId, chunk: &str| -> Result<String, Error> {
        let record: Option<DocumentRecord> = view.get(&document.to_string())?;
        let chunks = record.as_ref().map(|record| record.chunks.as_slice()).unwrap_or_default();
        let at = At(chunks.iter().find(|part| part.id.to_string() == chunk).map(ChunkRef::spot));
        let below = record.as_ref().map_or(document.key(), |record| &record.path);
        Ok(at.in_file(&graph.catalog().path_of(document.source(), below)))
    };
    let mut report = GapsReport {
        version: 1,
        unknown_names: unknown_names(graph, &places)?,
        unread: unread(graph, &edges, &places)?,
        silent: silent(graph)?,
    };
    report.unknown_names.truncate(limit);
    report.unread.truncate(limit);
    report.silent.truncate(limit);
    Ok(report)
}

type Places<'l> = &'l dyn Fn(&DocumentId, &str) -> Result<String, Error>;

fn unknown_names(graph: &Graph<'_>, places: Places<'_>) -> Result<Vec<UnknownName>, Error> {
    let view = graph.view();
    let mut found: BTreeMap<String, UnknownName> = BTreeMap::new();
    view.each(|waiting: Quarantined| {
        for reason in &waiting.reasons {
            let Reason::EndpointUnknown { surface } = reason else { continue };
            let Some(assertion) = view.get::<Assertion>(&waiting.assertion.to_string())? else { continue };
            // Who is gone is no name that nobody knows.
            if !graph.sees(&assertion)? || gone(graph, &assertion, surface)?.is_some() {
                continue;
            }
            let entry = found.entry(surface.clone()).or_insert_with(|| UnknownName {
                surface: surface.clone(),
                types: Vec::new(),
                count: 0,
                nearest: None,
                places: Vec::new(),
            });
            entry.count += 1;
            for side in [&assertion.subject, &assertion.object] {
                if let crate::model::mention::Resolution::Unknown { surface: unknown, types } = side
                    && unknown == surface
                {
                    entry.types.extend(types.iter().cloned());
                }
            }
            if let (Origin::Chunk { document, chunk, .. }, true) =
                (&assertion.origin, entry.places.len() < PLACES)
            {
                entry.places.push(places(document, &chunk.to_string())?);
            }
        }
        Ok::<(), Error>(())
    })?;
    let mut names = BTreeSet::new();
    view.each(|claim: EntityClaim| {
        names.extend(graph.seen_claims(vec![claim])?.into_iter().flat_map(|claim| claim.names));
        Ok::<(), Error>(())
    })?;
    let mut found: Vec<UnknownName> = found.into_values().collect();
    for entry in &mut found {
        entry.types.sort();
        entry.types.dedup();
        entry.nearest = nearest(&entry.surface, names.iter().map(String::as_str)).map(str::to_owned);
    }
    found.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.surface.cmp(&other.surface)));
    Ok(found)
}

fn unread(graph: &Graph<'_>, edges: &[&EdgeType], places: Places<'_>) -> Result<Vec<Unread>, Error> {
    let view = graph.view();
    let mut found: BTreeMap<String, Unread> = BTreeMap::new();
    view.each(|extraction: Extraction| {
        let types: BTreeSet<&str> = extraction
            .mentions
            .iter()
            .flat_map(|mention| mention.candidates.iter().map(|candidate| candidate.entity_type()))
            .collect();
        if types.len() < 2 || !graph.sees_document(&extraction.document)? {
            return Ok(());
        }
        let read: Vec<Assertion> = view.by("chunk", &extraction.chunk.to_string())?;
        for edge in edges.iter().filter(|edge| graph.sees_type(&edge.name)) {
            let named = |side: &[String]| side.iter().any(|wanted| types.contains(wanted.as_str()));
            let silent = !read.iter().any(|assertion| assertion.edge_type == edge.name);
            if !(silent && named(&edge.subject) && named(&edge.object)) {
                continue;
            }
            let entry = found.entry(edge.name.clone()).or_insert_with(|| Unread {
                edge_type: edge.name.clone(),
                count: 0,
                places: Vec::new(),
            });
            entry.count += 1;
            if entry.places.len() < PLACES {
                entry.places.push(places(&extraction.document, &extraction.chunk.to_string())?);
            }
        }
        Ok::<(), Error>(())
    })?;
    let mut found: Vec<Unread> = found.into_values().collect();
    found.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.edge_type.cmp(&other.edge_type)));
    Ok(found)
}

fn silent(graph: &Graph<'_>) -> Result<Vec<String>, Error> {
    let view = graph.view();
    let mut silent = Vec::new();
    view.each(|document: DocumentRecord| {
        let id = document.document.to_string();
        if graph.sees_document(&document.document)? && !view.any(Kind::Assertion, "document", &id)? {
            silent.push(graph.catalog().path_of(document.document.source(), &document.path));
        }
        Ok::<(), Error>(())
    })?;
    Ok(silent)
}
