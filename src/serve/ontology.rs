//! The ontology with what the graph holds of it, so that what is never used can be seen.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::counts::{EdgeCounts, counts};
use super::{Error, Graph, VERSION};
use crate::model::access::Reader;
use crate::model::assertion::Assertion;
use crate::model::decision::{Answer, Question};
use crate::model::review::{Reviewed, Reviews};
use crate::ontology::{EdgeType, Ontology, Rule, RuleKind, Side};

/// The types and rules of a workspace.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OntologyView {
    /// The version of this form.
    pub version: u32,
    /// Entity types.
    pub entities: Vec<EntityTypeView>,
    /// Edge types.
    pub edges: Vec<EdgeTypeView>,
    /// Rules, as they are written.
    pub rules: Vec<RuleView>,
    /// Types and rules of which the graph holds nothing; empty before the first run.
    pub unused: Vec<String>,
}

/// An entity type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityTypeView {
    /// Its name.
    pub name: String,
    /// The feed that is its system of record.
    pub system_of_record: Option<String>,
    /// How many entities of it there are.
    pub count: u64,
}

/// An edge type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeTypeView {
    /// Its name.
    pub name: String,
    /// The types of its subject.
    pub subject: Vec<String>,
    /// The types of its object.
    pub object: Vec<String>,
    /// What it declares beside that, in words.
    pub declares: Vec<String>,
    /// How many edges of it there are.
    pub count: EdgeCounts,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuleView {
    /// Its id.
    pub id: String,
    /// What it does: `match`, `mentions`, `field`, `table`, `link`, `bind` or `external`.
    pub kind: String,
    /// The edge type that it feeds.
    pub edge: Option<String>,
    /// Its confidence.
    pub confidence: f64,
    /// What review says of it, if any of its readings is reviewed.
    pub precision: Option<PrecisionView>,
    /// The floor of its precision, if it has one.
    pub floor: Option<f64>,
    /// The file and line in which it stands.
    pub at: String,
    /// How many assertions of it there are.
    pub assertions: u64,
}

/// How many of a rule's reviewed readings were right as read.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PrecisionView {
    /// Those that were approved.
    pub right: u64,
    /// All that were reviewed.
    pub reviewed: u64,
    /// The lower bound of the 95 % interval.
    pub low: f64,
    /// Its upper bound.
    pub high: f64,
}

/// The ontologies as far as the reader sees their types, with what the graph holds of them; without a graph
/// all counts are zero.
pub fn ontology<'o>(
    ontologies: impl IntoIterator<Item = &'o Ontology>,
    reader: &Reader,
    graph: Option<&Graph<'_>>,
) -> Result<OntologyView, Error> {
    let held = graph.map(counts).transpose()?.unwrap_or_default();
    let mut by_rule: BTreeMap<String, u64> = BTreeMap::new();
    let mut reviews = Reviews::default();
    if let Some(graph) = graph {
        let stand = graph.standing_decisions()?.iter();
        let stand: BTreeMap<&Question, &Answer> =
            stand.map(|decision| (&decision.question, &decision.answer)).collect();
        graph.view().each(|assertion: Assertion| {
            if graph.sees(&assertion)? {
                let question = Question::of(&assertion);
                if let Some(answer) = stand.get(&question) {
                    reviews.add(&assertion.rule, &question, answer);
                }
                *by_rule.entry(assertion.rule).or_default() += 1;
            }
            Ok::<(), Error>(())
        })?;
    }
    let mut view = OntologyView {
        version: VERSION,
        entities: Vec::new(),
        edges: Vec::new(),
        rules: Vec::new(),
        unused: Vec::new(),
    };
    for ontology in ontologies {
        let open =
            |name: &String| ontology.entities.get(name).is_none_or(|entity| reader.sees(&entity.access));
        let side = |types: &[String]| types.iter().filter(|name| open(name)).cloned().collect::<Vec<_>>();
        // An edge whose every subject or object is hidden says nothing to this reader.
        let seen = |edge: &EdgeType| {
            reader.sees(&edge.access) && edge.subject.iter().any(open) && edge.object.iter().any(open)
        };
        for entity in ontology.entities.values().filter(|entity| reader.sees(&entity.access)) {
            view.entities.push(EntityTypeView {
                name: entity.name.clone(),
                system_of_record: match &entity.system_of_record {
                    Some(feed) if sees_feed(feed, reader, graph)? => Some(feed.clone()),
                    _ => None,
                },
                count: held.entities.get(&entity.name).copied().unwrap_or(0),
            });
        }
        for edge in ontology.edges.values().filter(|edge| seen(edge)) {
            view.edges.push(EdgeTypeView {
                name: edge.name.clone(),
                subject: side(&edge.subject),
                object: side(&edge.object),
                declares: declares(edge),
                count: held.edges.get(&edge.name).copied().unwrap_or_default(),
            });
        }
        let feeds_seen =
            |rule: &&Rule| rule.edge.as_ref().and_then(|name| ontology.edges.get(name)).is_none_or(seen);
        for rule in ontology.rules.iter().filter(feeds_seen) {
            view.rules.push(RuleView {
                id: rule.id.clone(),
                kind: kind(&rule.kind).to_owned(),
                edge: rule.edge.clone(),
                confidence: rule.confidence,
                precision: precision(reviews.of(&rule.id)),
                floor: rule.precision,
                at: format!("{}:{}", rule.at.0, rule.at.1),
                assertions: by_rule.get(&rule.id).copied().unwrap_or(0),
            });
        }
    }
    if graph.is_some_and(|graph| !graph.is_empty()) {
        view.unused = unused(&view);
    }
    Ok(view)
}

/// True if the reader may know of a feed. Before the first run nobody has said who may.
fn sees_feed(feed: &str, reader: &Reader, graph: Option<&Graph<'_>>) -> Result<bool, Error> {
    match graph {
        Some(graph) => graph.sees_feed(feed),
        None => Ok(*reader == Reader::Everything),
    }
}

fn declares(edge: &EdgeType) -> Vec<String> {
    let at_most_one = edge.at_most_one.map(|side| match side {
        Side::Subject => "at most one subject".to_owned(),
        Side::Object => "at most one object".to_owned(),
    });
    [
        at_most_one,
        edge.ends_object.then(|| "ends its object".to_owned()),
        edge.inverse.as_ref().map(|inverse| format!("inverse `{inverse}`")),
        edge.symmetric.then(|| "symmetric".to_owned()),
        edge.acyclic.then(|| "acyclic".to_owned()),
        edge.review_always.then(|| "always reviewed".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn precision(reviewed: Reviewed) -> Option<PrecisionView> {
    let (low, high) = reviewed.interval();
    (reviewed.of > 0).then_some(PrecisionView { right: reviewed.right, reviewed: reviewed.of, low, high })
}

fn kind(kind: &RuleKind) -> &'static str {
    match kind {
        RuleKind::Match(_) => "match",
        RuleKind::Mentions { .. } => "mentions",
        RuleKind::Defines { .. } => "defines",
        RuleKind::Field(_) => "field",
        RuleKind::Table(_) => "table",
        RuleKind::Link { .. } => "link",
        RuleKind::Bind { .. } => "bind",
        RuleKind::External(_) => "external",
    }
}

fn unused(view: &OntologyView) -> Vec<String> {
    let entities =
        view.entities.iter().filter(|one| one.count == 0).map(|one| format!("entity type {}", one.name));
    let edges =
        view.edges.iter().filter(|one| one.count.facts == 0).map(|one| format!("edge type {}", one.name));
    // A `bind` rule asserts nothing by nature.
    let idle = |rule: &&RuleView| rule.assertions == 0 && rule.edge.is_some();
    let rules = view.rules.iter().filter(idle).map(|rule| format!("rule {}", rule.id));
    entities.chain(edges).chain(rules).collect()
}
