//! An entity with its edges in both directions.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::edge::{EdgeView, State};
use super::find::Found;
use super::waiting::{WaitingView, waiting};
use super::{Error, Graph, VERSION};
use crate::model::assertion::{Assertion, Origin};
use crate::model::entity::lives;
use crate::model::fact::{PendingEnd, Quarantined};
use crate::model::id::EntityKey;
use crate::model::mention::Resolution;
use crate::model::token::fold;
use crate::store::Extraction;

/// Which edges to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that hold on the day; the others are counted.
    Current,
    /// All of them.
    All,
}

/// An entity with its edges.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ShowView {
    /// The version of this form.
    pub version: u32,
    /// The day that tells current from ended and future.
    #[schemars(with = "String")]
    pub day: Date,
    /// The day that was asked for, if one was.
    #[schemars(with = "Option<String>")]
    pub as_of: Option<Date>,
    /// The generation that counts as known.
    pub known_at: u64,
    /// The entity.
    pub entity: EntityView,
    /// Its edges by type and direction.
    pub groups: Vec<Group>,
    /// Assertions that touch it and wait in quarantine, if they were asked for.
    pub waiting: Vec<WaitingView>,
    /// Ends that wait for an attestation of their fact, if they were asked for: the sentences.
    pub pending_ends: Vec<String>,
}

/// An entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityView {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes, then its aliases.
    pub names: Vec<String>,
    /// Names that it had before its source renamed it; texts that use them still mean it.
    pub former_names: Vec<String>,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
    /// The feeds and documents that claim it.
    pub sources: Vec<String>,
    /// True if no text names it: master data alone is no evidence for an answer.
    pub orphan: bool,
    /// True if no source holds it any more.
    pub tombstoned: bool,
    /// The key that was asked for, if it was merged into this one.
    pub merged_from: Option<String>,
}

/// The edges of one type in one direction.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Group {
    /// The edge type.
    pub edge_type: String,
    /// `out` where the entity is the subject, `in` where it is the object.
    pub direction: String,
    /// The name of the inverse, for `in`, if the ontology has one.
    pub inverse: Option<String>,
    /// The edges, current ones first.
    pub edges: Vec<EdgeView>,
    /// How many there are that are not listed.
    pub others: Others,
}

/// How many edges are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Others {
    /// That have ended.
    pub ended: usize,
    /// That have not begun.
    pub future: usize,
}

/// Shows an entity.
pub fn show(graph: &Graph<'_>, found: &Found, which: Which) -> Result<ShowView, Error> {
    let entity = &found.entity;
    let lens = graph.lens();
    Ok(ShowView {
        version: VERSION,
        day: lens.day(),
        as_of: lens.as_of,
        known_at: lens.known_at,
        entity: entity_view(graph, found)?,
        groups: groups(graph, entity, which)?,
        waiting: if lens.pending { waiting_of(graph, entity)? } else { Vec::new() },
        pending_ends: if lens.pending { pending_ends(graph, entity)? } else { Vec::new() },
    })
}

fn entity_view(graph: &Graph<'_>, found: &Found) -> Result<EntityView, Error> {
    let entity = &found.entity;
    let claims = graph.claims(entity)?;
    let mut names: Vec<String> = Vec::new();
    let mut former: BTreeSet<String> = BTreeSet::new();
    let mut properties = BTreeMap::new();
    let mut sources = Vec::new();
    for claim in &claims {
        for name in &claim.names {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        former.extend(claim.former.keys().cloned());
        for (name, value) in &claim.properties {
            properties.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let source = match &claim.origin {
            Origin::Row { feed, row } if claim.origin.is_by_hand() => format!("{feed} {row}"),
            Origin::Row { feed, row } => format!("feed {feed}, row {row}"),
            Origin::Chunk { document, .. } => document.to_string(),
        };
        sources.push(match claim.gone {
            true if claim.removes() => format!("{source} (removed by hand)"),
            true => format!("{source} (gone)"),
            false => source,
        });
    }
    Ok(EntityView {
        key: entity.to_string(),
        former_names: former.into_iter().filter(|name| !names.contains(name)).collect(),
        names,
        properties,
        sources,
        orphan: is_orphan(graph, entity)?,
        tombstoned: !claims.is_empty() && !lives(&claims),
        merged_from: found.via.as_ref().map(EntityKey::to_string),
    })
}

/// True if no text that the reader sees names the entity. Linear in the extractions where it is one.
fn is_orphan(graph: &Graph<'_>, entity: &EntityKey) -> Result<bool, Error> {
    let in_text = |origin: &Origin| -> Result<bool, Error> {
        Ok(origin.document().is_some() && graph.sees_origin(origin)?)
    };
    for claim in graph.claims(entity)? {
        if in_text(&claim.origin)? {
            return Ok(false);
        }
    }
    for side in ["subject", "object"] {
        for assertion in graph.view().by::<Assertion>(side, &entity.to_string())? {
            if in_text(&assertion.origin)? {
                return Ok(false);
            }
        }
    }
    // Leaving the walk early is an error value, the only way out of `each`.
    enum Leave {
        Named,
        Failed(Error),
    }
    impl From<crate::store::Error> for Leave {
        fn from(error: crate::store::Error) -> Self {
            Self::Failed(error.into())
        }
    }
    let walked = graph.view().each(|extraction: Extraction| {
        let named = extraction.mentions.iter().any(|mention| mention.candidates == [entity.clone()]);
        if named && graph.sees_document(&extraction.document).map_err(Leave::Failed)? {
            return Err(Leave::Named);
        }
        Ok(())
    });
    match walked {
        Ok(()) => Ok(true),
        Err(Leave::Named) => Ok(false),
        Err(Leave::Failed(error)) => Err(error),
    }
}

fn groups(graph: &Graph<'_>, entity: &EntityKey, which: Which) -> Result<Vec<Group>, Error> {
    let mut grouped: BTreeMap<(bool, String), Group> = BTreeMap::new();
    for (fact, edges) in graph.facts_of(entity)? {
        let incoming = fact.subject != *entity;
        let group = grouped.entry((incoming, fact.edge_type.clone())).or_insert_with(|| Group {
            edge_type: fact.edge_type.clone(),
            direction: if incoming { "in" } else { "out" }.to_owned(),
            inverse: graph.catalog().inverses.get(&fact.edge_type).filter(|_| incoming).cloned(),
            edges: Vec::new(),
            others: Others::default(),
        });
        for edge in &edges {
            match (which, State::of(&edge.interval, graph.lens().day())) {
                (Which::Current, State::Ended) => group.others.ended += 1,
                (Which::Current, State::Future) => group.others.future += 1,
                _ => group.edges.push(graph.edge_view(&fact, edge)?),
            }
        }
    }
    let mut groups: Vec<Group> = grouped.into_values().collect();
    for group in &mut groups {
        group.edges.sort_by(|a, b| {
            (a.state, a.valid_from, &a.subject, &a.object, &a.fact).cmp(&(
                b.state,
                b.valid_from,
                &b.subject,
                &b.object,
                &b.fact,
            ))
        });
    }
    Ok(groups)
}

/// The quarantined assertions that touch an entity: as a known endpoint, a candidate, or by one of its names.
fn waiting_of(graph: &Graph<'_>, entity: &EntityKey) -> Result<Vec<WaitingView>, Error> {
    let names: BTreeSet<String> = graph
        .claims(entity)?
        .iter()
        .flat_map(|claim| claim.names.iter().chain(claim.former.keys()))
        .map(|name| fold(name))
        .chain([fold(entity.key())])
        .collect();
    let touches = |side: &Resolution| match side {
        Resolution::Known(key) => key == entity,
        Resolution::Ambiguous { candidates, .. } => candidates.contains(entity),
        Resolution::Unknown { surface, types } => {
            types.iter().any(|name| name == entity.entity_type()) && names.contains(&fold(surface))
        }
    };
    let mut found = Vec::new();
    for quarantined in graph.view().all::<Quarantined>()? {
        let Some(assertion) = graph.assertion(&quarantined.assertion)? else { continue };
        if (touches(&assertion.subject) || touches(&assertion.object)) && graph.sees(&assertion)? {
            found.push(waiting(graph, &assertion, &quarantined)?);
        }
    }
    found.sort_by(|a, b| (&a.path, &a.at, &a.question).cmp(&(&b.path, &b.at, &b.question)));
    Ok(found)
}

fn pending_ends(graph: &Graph<'_>, entity: &EntityKey) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for pending in graph.view().all::<PendingEnd>()? {
        let Some(assertion) = graph.assertion(&pending.assertion)? else { continue };
        let touches = [&assertion.subject, &assertion.object].iter().any(|side| side.known() == Some(entity));
        if touches && graph.sees(&assertion)? {
            found.push(assertion.evidence.quote);
        }
    }
    found.sort();
    Ok(found)
}
