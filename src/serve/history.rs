//! Recorded time: what each generation changed in a fact or an entity, and why.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Graph, VERSION};
use crate::model::decision::Decision;
use crate::model::entity::EntityClaim;
use crate::model::fact::{Edge, Fact};
use crate::model::id::{EntityKey, FactId};
use crate::store::{Change, ChangeKind, Generation, Record, Versioned};

/// Recorded time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryView {
    /// The version of this form.
    pub version: u32,
    /// What the history is of.
    pub of: String,
    /// What changed, oldest first.
    pub entries: Vec<HistoryEntry>,
}

/// What one generation changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct HistoryEntry {
    /// The generation.
    pub generation: u64,
    /// When it was published.
    pub recorded_at: String,
    /// The run that published it.
    pub run: String,
    /// What the fact or entity is, in words.
    pub says: String,
    /// The fact, if it is one.
    pub fact: Option<String>,
    /// `added`, `retracted`, `changed`, `revived`, `evidence`, `claimed`, `claim changed` or `claim gone`.
    pub change: String,
    /// The edges, as intervals with what else tells two apart, or the claims before.
    pub before: Vec<String>,
    /// The edges or claims after.
    pub after: Vec<String>,
    /// The primary cause; null if the reader may not see it.
    pub cause: Option<String>,
    /// Which document, row, rule or decision; null likewise.
    pub detail: Option<String>,
}

/// The history of a fact, by its id.
pub fn history(graph: &Graph<'_>, id: &FactId) -> Result<HistoryView, Error> {
    let generations = generations(graph)?;
    let versions = graph.view().versions::<Fact>(&id.to_string())?;
    let entries = fact_entries(graph, &versions, &generations)?;
    if entries.is_empty() {
        return Err(Error::asked(
            format!("no generation has known a fact `{id}`"),
            "`edgewright show NAME` lists facts, `--output json` with their ids",
        ));
    }
    Ok(HistoryView { version: VERSION, of: id.to_string(), entries })
}

impl HistoryView {
    /// The history of an entity: its claims, and every fact that has had it as an endpoint.
    pub fn of_entity(graph: &Graph<'_>, entity: &EntityKey) -> Result<Self, Error> {
        let generations = generations(graph)?;
        let key = entity.to_string();
        let mut facts: BTreeMap<FactId, Vec<Versioned<Fact>>> = BTreeMap::new();
        for side in ["subject", "object"] {
            for version in graph.view().versions_by::<Fact>(side, &key)? {
                let versions = facts.entry(version.record.id).or_default();
                // A fact from an entity to itself comes in through both sides.
                if !versions.contains(&version) {
                    versions.push(version);
                }
            }
        }
        let mut entries = claim_entries(graph, entity, &generations)?;
        for versions in facts.values() {
            entries.extend(fact_entries(graph, versions, &generations)?);
        }
        entries.sort();
        Ok(Self { version: VERSION, of: key, entries })
    }
}

fn generations(graph: &Graph<'_>) -> Result<BTreeMap<u64, Generation>, Error> {
    let all = graph.view().store().generations()?;
    Ok(all.into_iter().map(|generation| (generation.id, generation)).collect())
}

/// What one state of a fact shows to the reader.
pub(super) struct Shown {
    pub(super) edges: Vec<Edge>,
    seen: usize,
    pub(super) whole: bool,
    /// The documents and feeds of what the reader sees, by their ids and paths; empty for those who see all.
    pub(super) places: BTreeSet<String>,
}

impl Shown {
    fn nothing() -> Self {
        Self { edges: Vec::new(), seen: 0, whole: true, places: BTreeSet::new() }
    }
}

/// The visible state of a fact's version, read with the assertions of its own generation.
fn shown(graph: &Graph<'_>, version: &Versioned<Fact>) -> Result<Shown, Error> {
    let mut lens = graph.lens().clone();
    lens.known_at = version.opened;
    shown_at(&graph.through(lens)?, Some(&version.record))
}

/// The visible state of a fact as the graph's own generation has it.
pub(super) fn shown_at(then: &Graph<'_>, fact: Option<&Fact>) -> Result<Shown, Error> {
    let Some(fact) = fact else { return Ok(Shown::nothing()) };
    let edges = then.edges(fact)?;
    let seen = if edges.is_empty() { BTreeSet::new() } else { then.seen_of(fact)? };
    let mut places = BTreeSet::new();
    for id in seen.iter().filter(|_| !then.sees_everything()) {
        let Some(assertion) = then.assertion(id)? else { continue };
        let source = assertion.origin.source();
        if let Some(document) = assertion.origin.document() {
            let record = then.document(document)?;
            let path = record.as_ref().map_or(document.key(), |record| record.path.as_str());
            places.extend([document.to_string(), then.catalog().path_of(source, path)]);
        } else {
            places.insert(then.catalog().path_of(source, ""));
        }
    }
    let whole = seen.len() == fact.attestations.len();
    Ok(Shown { edges, seen: seen.len(), whole, places })
}

/// True if the reader may be told why a fact changed. What changed it need not attest it: a newcomer that
/// ended it, a decision on another sentence. So the detail must name what the reader sees.
pub(super) fn is_open(
    graph: &Graph<'_>,
    fact: &Fact,
    places: [&BTreeSet<String>; 2],
    detail: &str,
) -> Result<bool, Error> {
    if graph.sees_everything() {
        return Ok(true);
    }
    let number = detail.strip_prefix("decision ").and_then(|rest| rest.split(' ').next());
    if let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) {
        let decision: Option<Decision> = graph.view().get(&format!("{number:08}"))?;
        return match decision.and_then(|decision| decision.question.document) {
            Some(document) => graph.sees_document(&document),
            None => Ok(false),
        };
    }
    if let Some(entity) = detail.strip_prefix("the entity ") {
        return Ok(entity == fact.subject.to_string() || entity == fact.object.to_string());
    }
    let is_of = |place: &String| {
        detail
            .strip_prefix(place.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' ']))
    };
    Ok(detail.starts_with("ontology/") || places.into_iter().flatten().any(is_of))
}

fn fact_entries(
    graph: &Graph<'_>,
    versions: &[Versioned<Fact>],
    generations: &BTreeMap<u64, Generation>,
) -> Result<Vec<HistoryEntry>, Error> {
    let mut entries = Vec::new();
    let mut before = Shown::nothing();
    for (at, version) in versions.iter().enumerate() {
        let after = shown(graph, version)?;
        entries.extend(fact_entry(graph, &version.record, version.opened, &before, &after, generations)?);
        before = after;
        let next = versions.get(at + 1).map(|next| next.opened);
        if let Some(closed) = version.closed.filter(|closed| next != Some(*closed)) {
            let after = Shown::nothing();
            entries.extend(fact_entry(graph, &version.record, closed, &before, &after, generations)?);
            before = after;
        }
    }
    Ok(entries)
}

fn fact_entry(
    graph: &Graph<'_>,
    fact: &Fact,
    generation: u64,
    before: &Shown,
    after: &Shown,
    generations: &BTreeMap<u64, Generation>,
) -> Result<Option<HistoryEntry>, Error> {
    if before.edges == after.edges && before.seen == after.seen {
        return Ok(None);
    }
    let Some(published) = generations.get(&generation) else { return Ok(None) };
    let record: Option<Change> = graph.view().get(&format!("{generation:08}/{}", fact.id))?;
    let whole = before.whole && after.whole;
    let change = match (&record, before.edges.is_empty(), after.edges.is_empty()) {
        (_, true, _) => "added",
        (_, _, true) => "retracted",
        (_, false, false) if before.edges == after.edges => "evidence",
        (Some(Change { change: ChangeKind::Revived, .. }), ..) => "revived",
        _ => "changed",
    };
    // What the reader may not see in full is not explained: its cause might name what is hidden.
    let explained = match record {
        Some(record) if whole && is_open(graph, fact, [&before.places, &after.places], &record.detail)? => {
            Some(record)
        }
        _ => None,
    };
    let (before, after) = if change == "evidence" {
        (vec![attested(before.seen)], vec![attested(after.seen)])
    } else {
        (intervals(&before.edges), intervals(&after.edges))
    };
    Ok(Some(HistoryEntry {
        generation,
        recorded_at: published.recorded_at.clone(),
        run: published.run.clone(),
        says: graph.says(fact)?,
        fact: Some(fact.id.to_string()),
        change: change.to_owned(),
        before,
        after,
        cause: explained.as_ref().map(|change| change.cause.name().to_owned()),
        detail: explained.map(|change| change.detail),
    }))
}

fn attested(count: usize) -> String {
    format!("{count} attestation{}", if count == 1 { "" } else { "s" })
}

pub(super) fn intervals(edges: &[Edge]) -> Vec<String> {
    edges.iter().map(ToString::to_string).collect()
}

/// What was claimed of an entity, by whom, and when that changed.
fn claim_entries(
    graph: &Graph<'_>,
    entity: &EntityKey,
    generations: &BTreeMap<u64, Generation>,
) -> Result<Vec<HistoryEntry>, Error> {
    let mut by_claim: BTreeMap<String, Vec<Versioned<EntityClaim>>> = BTreeMap::new();
    for version in graph.view().versions_by::<EntityClaim>("entity", &entity.to_string())? {
        if graph.sees_origin(&version.record.origin)? {
            by_claim.entry(Record::id(&version.record)).or_default().push(version);
        }
    }
    let mut entries = Vec::new();
    for versions in by_claim.values() {
        let mut before: Vec<String> = Vec::new();
        for (at, version) in versions.iter().enumerate() {
            let after = vec![claim_text(&version.record)];
            let change = if before.is_empty() { "claimed" } else { "claim changed" };
            entries.extend(claim_entry(version, version.opened, change, before, after.clone(), generations));
            before = after;
            let next = versions.get(at + 1).map(|next| next.opened);
            if let Some(closed) = version.closed.filter(|closed| next != Some(*closed)) {
                entries.extend(claim_entry(version, closed, "claim gone", before, Vec::new(), generations));
                before = Vec::new();
            }
        }
    }
    Ok(entries)
}

fn claim_entry(
    version: &Versioned<EntityClaim>,
    generation: u64,
    change: &str,
    before: Vec<String>,
    after: Vec<String>,
    generations: &BTreeMap<u64, Generation>,
) -> Option<HistoryEntry> {
    let published = generations.get(&generation)?;
    let detail = match &version.record.origin {
        crate::model::assertion::Origin::Row { feed, row } if version.record.origin.is_by_hand() => {
            format!("{feed} {row}")
        }
        crate::model::assertion::Origin::Row { feed, row } => format!("feed {feed}, row {row}"),
        crate::model::assertion::Origin::Chunk { document, .. } => document.to_string(),
    };
    Some(HistoryEntry {
        generation,
        recorded_at: published.recorded_at.clone(),
        run: published.run.clone(),
        says: version.record.entity.to_string(),
        fact: None,
        change: change.to_owned(),
        before,
        after,
        cause: None,
        detail: Some(detail),
    })
}

fn claim_text(claim: &EntityClaim) -> String {
    let mut text = if claim.names.is_empty() { "(no name)".to_owned() } else { claim.names.join(" | ") };
    for (name, value) in &claim.properties {
        text.push_str(&format!(" {name}={value}"));
    }
    if let Some(into) = &claim.merged_into {
        text.push_str(&format!(" merged into {into}"));
    }
    if claim.gone {
        text.push_str(" (tombstoned)");
    }
    text
}
