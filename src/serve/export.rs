//! The whole of what a reader sees, as sorted rows: equal state gives equal rows, whoever made it and when.

use std::collections::{BTreeMap, BTreeSet};

use super::at::At;
use super::history::history;
use super::row::ExportRow;
use super::{Error, Graph};
use crate::model::assertion::{Assertion, Origin};
use crate::model::chunk::ChunkKind;
use crate::model::entity::{EntityClaim, lives};
use crate::model::fact::{Edge, Fact};
use crate::model::id::{ChunkId, EntityKey, FactId};
use crate::model::mention::Known;
use crate::store::{self, Change, ChunkRecord, DocumentRecord, Extraction};

/// Calls `each` for every row that the reader sees: entities, edges, evidence, chunks, mentions. Holds the
/// keys of the entities, and of everything else one record at a time.
pub fn export<E: From<Error> + From<store::Error>>(
    graph: &Graph<'_>,
    each: &mut impl FnMut(ExportRow) -> Result<(), E>,
) -> Result<(), E> {
    entities(graph, each)?;
    let subjects = subjects(graph)?;
    for subject in &subjects {
        for (fact, edges) in facts_from(graph, subject)? {
            for edge in &edges {
                each(edge_row(graph, &fact, edge)?)?;
            }
        }
    }
    for subject in &subjects {
        for (fact, _) in facts_from(graph, subject)? {
            for row in evidence_rows(graph, &fact)? {
                each(row)?;
            }
        }
    }
    chunks(graph, each)?;
    mentions(graph, each)
}

/// Calls `each` for every change of every fact: recorded time.
pub fn export_history<E: From<Error> + From<store::Error>>(
    graph: &Graph<'_>,
    each: &mut impl FnMut(ExportRow) -> Result<(), E>,
) -> Result<(), E> {
    let mut facts: BTreeSet<FactId> = BTreeSet::new();
    graph.view().each(|change: Change| {
        facts.insert(change.fact);
        Ok::<(), store::Error>(())
    })?;
    graph.view().each(|fact: Fact| {
        facts.insert(fact.id);
        Ok::<(), store::Error>(())
    })?;
    for fact in facts {
        match history(graph, &fact) {
            Ok(view) => {
                for entry in view.entries {
                    each(ExportRow::History { id: format!("{:08}/{fact}", entry.generation), entry })?;
                }
            }
            // A fact of which the reader sees nothing has no history for them.
            Err(Error::Asked { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Every entity that a text names, as far as the reader sees the text.
fn named_in_text(graph: &Graph<'_>) -> Result<BTreeSet<EntityKey>, Error> {
    let mut named = BTreeSet::new();
    graph.view().each(|extraction: Extraction| {
        if graph.sees_document(&extraction.document)? {
            for mention in &extraction.mentions {
                if let [one] = mention.candidates.as_slice() {
                    named.insert(one.clone());
                }
            }
        }
        Ok::<(), Error>(())
    })?;
    graph.view().each(|assertion: Assertion| {
        if assertion.origin.document().is_some() && graph.sees_origin(&assertion.origin)? {
            named.extend(
                [&assertion.subject, &assertion.object].into_iter().filter_map(|s| s.known().cloned()),
            );
        }
        Ok::<(), Error>(())
    })?;
    Ok(named)
}

fn entities<E: From<Error> + From<store::Error>>(
    graph: &Graph<'_>,
    each: &mut impl FnMut(ExportRow) -> Result<(), E>,
) -> Result<(), E> {
    let named = named_in_text(graph)?;
    let mut keys: BTreeSet<EntityKey> = BTreeSet::new();
    graph.view().each(|claim: EntityClaim| {
        keys.insert(claim.entity);
        Ok::<(), store::Error>(())
    })?;
    for key in keys {
        if !graph.sees_entity(&key)? {
            continue;
        }
        let claims = graph.claims(&key)?;
        let mut names: Vec<String> = Vec::new();
        let mut properties = BTreeMap::new();
        for claim in &claims {
            for name in &claim.names {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            for (name, value) in &claim.properties {
                properties.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let in_text = claims.iter().any(|claim| claim.origin.document().is_some()) || named.contains(&key);
        each(ExportRow::Entity {
            id: key.to_string(),
            entity_type: key.entity_type().to_owned(),
            key: key.key().to_owned(),
            names,
            properties,
            orphan: !in_text,
            tombstoned: !lives(&claims),
            merged_into: claims.iter().find_map(|claim| claim.merged_into.as_ref()).map(ToString::to_string),
        })?;
    }
    Ok(())
}

fn subjects(graph: &Graph<'_>) -> Result<BTreeSet<EntityKey>, Error> {
    let mut subjects = BTreeSet::new();
    graph.view().each(|fact: Fact| {
        subjects.insert(fact.subject);
        Ok::<(), Error>(())
    })?;
    Ok(subjects)
}

/// The visible facts of a subject with those of their edges that hold on the day asked for, in order.
fn facts_from(graph: &Graph<'_>, subject: &EntityKey) -> Result<Vec<(Fact, Vec<Edge>)>, Error> {
    let facts: Vec<Fact> = graph.view().by("subject", &subject.to_string())?;
    let mut found = Vec::new();
    for fact in facts {
        let mut edges = graph.edges(&fact)?;
        edges.retain(|edge| graph.lens().as_of.is_none_or(|day| edge.interval.contains(day)));
        if !edges.is_empty() {
            found.push((fact, edges));
        }
    }
    found.sort_by(|(a, _), (b, _)| (&a.edge_type, &a.object, a.id).cmp(&(&b.edge_type, &b.object, b.id)));
    Ok(found)
}

fn edge_row(graph: &Graph<'_>, fact: &Fact, edge: &Edge) -> Result<ExportRow, Error> {
    let start = edge.interval.from().map_or_else(|| "?".to_owned(), |from| from.to_string());
    let mut identity = fact.identity.clone();
    identity.retain(|name, _| graph.sees_property(&fact.edge_type, name));
    Ok(ExportRow::Edge {
        id: format!("{}@{start}", fact.id),
        fact: fact.id.to_string(),
        subject: fact.subject.to_string(),
        edge_type: fact.edge_type.clone(),
        object: fact.object.to_string(),
        valid_from: edge.interval.from(),
        from_precision: edge.from_precision,
        valid_to: edge.interval.to(),
        end_unknown: edge.end_unknown,
        identity,
        properties: edge.properties.clone(),
        ended_by: graph.ends(fact, edge)?,
    })
}

fn evidence_rows(graph: &Graph<'_>, fact: &Fact) -> Result<Vec<ExportRow>, Error> {
    let seen = graph.seen_of(fact)?;
    let mut rows = Vec::new();
    for attested in fact.attestations.iter().filter(|one| seen.contains(&one.assertion)) {
        let Some(assertion) = graph.assertion(&attested.assertion)? else { continue };
        let (document, chunk, feed, row) = match &assertion.origin {
            Origin::Chunk { document, chunk, occurrence } => {
                let chunk = Extraction::id_of(document, *chunk, *occurrence);
                (Some(document.to_string()), Some(chunk), None, None)
            }
            Origin::Row { feed, row } => (None, None, Some(feed.clone()), Some(row.clone())),
        };
        let mut properties = assertion.properties;
        properties.retain(|name, _| graph.sees_property(&fact.edge_type, name));
        rows.push(ExportRow::Evidence {
            id: assertion.id.to_string(),
            fact: fact.id.to_string(),
            claims: if attested.ends { "ends" } else { "holds" }.to_owned(),
            document,
            chunk,
            start: assertion.evidence.span.map(|span| span.start),
            end: assertion.evidence.span.map(|span| span.end),
            feed,
            row,
            rule: assertion.rule,
            revision: assertion.revision.to_string(),
            quote: assertion.evidence.quote,
            support: assertion.evidence.support.into_iter().map(|one| (one.role, one.text)).collect(),
            properties,
        });
    }
    Ok(rows)
}

fn chunks<E: From<Error> + From<store::Error>>(
    graph: &Graph<'_>,
    each: &mut impl FnMut(ExportRow) -> Result<(), E>,
) -> Result<(), E> {
    graph.view().each(|document: DocumentRecord| {
        if !graph.sees_document(&document.document)? {
            return Ok(());
        }
        for (position, place) in document.chunks.iter().enumerate() {
            let Some(chunk) = graph.chunk(&place.id)? else { continue };
            each(ExportRow::Chunk {
                id: Extraction::id_of(&document.document, place.id, place.occurrence),
                document: document.document.to_string(),
                position,
                at: At(Some(place.spot())),
                part: chunk.body.context.part,
                block: block(&chunk.body.kind).to_owned(),
                headings: chunk.body.context.headings,
                parents: chunk.body.context.parents,
                text: chunk.body.text,
                withdrawn: document.is_unusable(),
            })?;
        }
        Ok(())
    })
}

fn block(kind: &ChunkKind) -> &'static str {
    match kind {
        ChunkKind::Heading => "heading",
        ChunkKind::Prose => "prose",
        ChunkKind::Item => "item",
        ChunkKind::Rows { .. } => "rows",
        ChunkKind::Quote => "quote",
        ChunkKind::Code => "code",
        ChunkKind::Fields => "fields",
    }
}

fn mentions<E: From<Error> + From<store::Error>>(
    graph: &Graph<'_>,
    each: &mut impl FnMut(ExportRow) -> Result<(), E>,
) -> Result<(), E> {
    // Most chunks follow one another in few documents; the last one is kept.
    let mut last: Option<(ChunkId, Option<ChunkRecord>)> = None;
    graph.view().each(|extraction: Extraction| {
        if extraction.mentions.is_empty() || !graph.sees_document(&extraction.document)? {
            return Ok(());
        }
        if last.as_ref().is_none_or(|(id, _)| *id != extraction.chunk) {
            last = Some((extraction.chunk, graph.chunk(&extraction.chunk)?));
        }
        let text = last.as_ref().and_then(|(_, chunk)| chunk.as_ref()).map(|chunk| chunk.body.text.as_str());
        let place = Extraction::id_of(&extraction.document, extraction.chunk, extraction.occurrence);
        for mention in &extraction.mentions {
            let mut entities = Vec::new();
            for key in &mention.candidates {
                if graph.sees_entity(key)? {
                    entities.push(key.to_string());
                }
            }
            if entities.is_empty() {
                continue;
            }
            each(ExportRow::Mention {
                id: format!("{place}@{}-{}", mention.span.start, mention.span.end),
                chunk: place.clone(),
                start: mention.span.start,
                end: mention.span.end,
                surface: mention.span.of(text.unwrap_or_default()).to_owned(),
                entities,
                how: how(&mention.how),
            })?;
        }
        Ok(())
    })
}

fn how(known: &Known) -> String {
    match known {
        Known::Name => "name".to_owned(),
        Known::EarlierFullName => "earlier full name".to_owned(),
        Known::Pattern => "pattern".to_owned(),
        Known::Term { term } => format!("term \"{term}\""),
    }
}
