//! Why the graph says what it says: per fact its edges, the evidence, what cut it, and when the answer flips.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::ask::edge_passes;
use super::edge::{EdgeView, Endpoint};
use super::evidence::{EvidenceView, evidence_view};
use super::waiting::answer_text;
use super::{Error, Graph, VERSION};
use crate::model::fact::{Edge, Fact};
use crate::model::id::{EntityKey, FactId};
use crate::ontology::Side;

/// Why the graph says what it says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyView {
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
    /// The facts.
    pub facts: Vec<WhyFact>,
}

/// Why one fact.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhyFact {
    /// The fact's id.
    pub fact: String,
    /// What it says.
    pub says: String,
    /// The subject.
    pub subject: Endpoint,
    /// The edge type.
    pub edge_type: String,
    /// The object.
    pub object: Endpoint,
    /// Its edges.
    pub edges: Vec<EdgeView>,
    /// What attests it, defining evidence first.
    pub evidence: Vec<EvidenceView>,
    /// Values of properties that did not win.
    pub lost: Vec<LostProperty>,
    /// Decisions of people that stand.
    pub decisions: Vec<DecisionView>,
    /// The days on which the answer changes.
    pub flips: Vec<Flip>,
}

/// A value of a property that another value won over.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct LostProperty {
    /// The property.
    pub name: String,
    /// The value that lost.
    pub value: String,
    /// The value that stands.
    pub instead: String,
    /// Where the losing value was read.
    pub at: String,
}

/// A decision that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionView {
    /// Its number.
    pub number: u64,
    /// What was decided, in words.
    pub answer: String,
    /// Who decided.
    pub by: String,
    /// When.
    pub at: String,
    /// On which document's sentence.
    pub document: Option<String>,
}

/// A day on which the answer changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flip {
    /// The day.
    #[schemars(with = "String")]
    pub on: Date,
    /// What holds from this day on: names where there is at most one, else whole facts.
    pub begins: Vec<String>,
    /// What no longer holds on this day, likewise.
    pub ends: Vec<String>,
}

/// Why one fact, by its id.
pub fn why_fact(graph: &Graph<'_>, id: &FactId) -> Result<WhyView, Error> {
    let Some((fact, edges)) = graph.fact(id)? else {
        return Err(Error::asked(
            format!("there is no fact `{id}` in generation {}", graph.lens().known_at),
            format!("`edgewright history {id}` says whether there was one"),
        ));
    };
    Ok(view(graph, vec![explain(graph, &fact, &edges)?]))
}

/// Why the edges of an entity, or those between two; `edge_type` says which edges, as questions do.
pub fn why_entity(
    graph: &Graph<'_>,
    entity: &EntityKey,
    other: Option<&EntityKey>,
    edge_type: Option<&str>,
) -> Result<WhyView, Error> {
    let passes = edge_type.map(|name| edge_passes(graph, name)).transpose()?;
    let mut facts = Vec::new();
    for (fact, edges) in graph.facts_of(entity)? {
        let between = other.is_none_or(|other| fact.subject == *other || fact.object == *other);
        let typed = passes.as_ref().is_none_or(|passes| passes.iter().any(|pass| pass.takes(&fact, entity)));
        let holds = |edge: &Edge| graph.lens().as_of.is_none_or(|day| edge.interval.contains(day));
        if between && typed && edges.iter().any(holds) {
            facts.push(explain(graph, &fact, &edges)?);
        }
    }
    Ok(view(graph, facts))
}

fn view(graph: &Graph<'_>, facts: Vec<WhyFact>) -> WhyView {
    let lens = graph.lens();
    WhyView { version: VERSION, day: lens.day(), as_of: lens.as_of, known_at: lens.known_at, facts }
}

fn explain(graph: &Graph<'_>, fact: &Fact, edges: &[Edge]) -> Result<WhyFact, Error> {
    let seen = graph.seen_of(fact)?;
    let whole = seen.len() == fact.attestations.len();
    let mut evidence = Vec::new();
    let mut lost = BTreeSet::new();
    for attested in fact.attestations.iter().filter(|one| seen.contains(&one.assertion)) {
        let Some(assertion) = graph.assertion(&attested.assertion)? else { continue };
        let one = evidence_view(graph, &assertion, attested, whole)?;
        let at = one.at.in_file(&one.path);
        for edge in edges.iter().filter(|edge| !attested.ends && edge.interval.overlaps(&attested.interval)) {
            lost.extend(losers(&one.properties, &edge.properties, &at));
        }
        evidence.push(one);
    }
    evidence.sort_by(|a, b| {
        let rank = |one: &EvidenceView| (one.claims == "ends", !one.defines, one.from);
        (rank(a), &a.path, &a.at, &a.assertion).cmp(&(rank(b), &b.path, &b.at, &b.assertion))
    });
    let mut views = Vec::new();
    for edge in edges {
        views.push(graph.edge_view(fact, edge)?);
    }
    Ok(WhyFact {
        fact: fact.id.to_string(),
        says: graph.says(fact)?,
        subject: graph.endpoint(&fact.subject)?,
        edge_type: fact.edge_type.clone(),
        object: graph.endpoint(&fact.object)?,
        edges: views,
        evidence,
        lost: lost.into_iter().collect(),
        decisions: decisions(graph, fact)?,
        flips: flips(graph, fact, edges)?,
    })
}

fn losers(
    read: &BTreeMap<String, String>,
    standing: &BTreeMap<String, String>,
    at: &str,
) -> Vec<LostProperty> {
    let lost = |(name, value): (&String, &String)| {
        let instead = standing.get(name).filter(|stands| *stands != value)?;
        Some(LostProperty {
            name: name.clone(),
            value: value.clone(),
            instead: instead.clone(),
            at: at.to_owned(),
        })
    };
    read.iter().filter_map(lost).collect()
}

fn decisions(graph: &Graph<'_>, fact: &Fact) -> Result<Vec<DecisionView>, Error> {
    let mut found = Vec::new();
    for decision in graph.standing_decisions()?.iter().filter(|one| one.question.fact == fact.id) {
        let document = decision.question.document.as_ref();
        let seen = match document {
            Some(document) => graph.sees_document(document)?,
            None => graph.sees_everything(),
        };
        if seen {
            found.push(DecisionView {
                number: decision.number,
                answer: answer_text(&decision.answer),
                by: decision.by.clone(),
                at: decision.at.clone(),
                document: document.map(ToString::to_string),
            });
        }
    }
    Ok(found)
}

/// The days on which a fact begins or ends, with what begins and ends then on the side of which there is
/// at most one.
fn flips(graph: &Graph<'_>, fact: &Fact, edges: &[Edge]) -> Result<Vec<Flip>, Error> {
    let bounds = |edge: &Edge| [edge.interval.from(), edge.interval.to()];
    let days: BTreeSet<Date> = edges.iter().flat_map(bounds).flatten().collect();
    let side = graph.catalog().at_most_one.get(&fact.edge_type);
    // Among rivals for one place the name says all; a fact that has none is told in full.
    let label = |fact: &Fact| match side {
        Some(Side::Subject) => graph.name(&fact.subject),
        Some(Side::Object) => graph.name(&fact.object),
        None => graph.says(fact),
    };
    let mut rivals = vec![(label(fact)?, edges.to_vec())];
    if let Some(side) = side {
        // At most one subject: the rivals are the facts of the same object.
        let shared = if *side == Side::Subject { &fact.object } else { &fact.subject };
        for (rival, edges) in graph.facts_of(shared)? {
            let same_side = if *side == Side::Subject { &rival.object } else { &rival.subject };
            if rival.id != fact.id && rival.edge_type == fact.edge_type && same_side == shared {
                rivals.push((label(&rival)?, edges));
            }
        }
    }
    let on = |day: Date| {
        let at = |bound: fn(&Edge) -> Option<Date>| -> Vec<String> {
            rivals
                .iter()
                .filter(|(_, edges)| edges.iter().any(|edge| bound(edge) == Some(day)))
                .map(|(says, _)| says.clone())
                .collect()
        };
        Flip { on: day, begins: at(|edge| edge.interval.from()), ends: at(|edge| edge.interval.to()) }
    };
    Ok(days.into_iter().map(on).collect())
}
