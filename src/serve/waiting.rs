//! An assertion in quarantine as a curator sees it: the sentence, where it stands, why it waits, and what
//! was said of the same sentence elsewhere.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::at::At;
use super::evidence::{read_date, where_read};
use super::{Error, Graph};
use crate::model::assertion::{Assertion, Origin, Says};
use crate::model::decision::{Answer, Question};
use crate::model::entity::{EntityClaim, lives};
use crate::model::fact::{Quarantined, Reason};
use crate::model::id::{AssertionId, EntityKey, FactId};
use crate::model::mention::Resolution;

/// An assertion in quarantine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WaitingView {
    /// The question's id, as `decide` takes it: the assertion's.
    pub question: String,
    /// What it says, in words.
    pub says: String,
    /// `holds` or `ends`.
    pub claims: String,
    /// The subject: a key, or the text that nobody or several are called.
    pub subject: String,
    /// The edge type.
    pub edge_type: String,
    /// The object, likewise.
    pub object: String,
    /// The start as read, if it is a day.
    #[schemars(with = "Option<String>")]
    pub valid_from: Option<Date>,
    /// The first day that no longer belongs, if it is a day.
    #[schemars(with = "Option<String>")]
    pub valid_to: Option<Date>,
    /// The quote.
    pub quote: String,
    /// The document, or the feed.
    pub document: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// Where in the file it stands.
    #[serde(flatten)]
    pub at: At,
    /// The rule.
    pub rule: String,
    /// Its confidence, if the rule is in the ontology.
    pub confidence: Option<f64>,
    /// Why it waits.
    pub reasons: Vec<ReasonView>,
    /// Answers to the same sentence in other documents, and to what this sentence was before it was edited.
    pub earlier: Vec<EarlierAnswer>,
}

/// Why an assertion waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReasonView {
    /// The stable code.
    pub code: String,
    /// What is at issue, in words.
    pub text: String,
}

/// An answer to the same sentence in another document, or to what stood in this one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EarlierAnswer {
    /// The decision's number.
    pub number: u64,
    /// What was decided, in words.
    pub answer: String,
    /// Who decided.
    pub by: String,
    /// When.
    pub at: String,
    /// In which document.
    pub document: String,
    /// The text that was judged.
    pub quote: String,
}

impl EarlierAnswer {
    /// The answer in words, for a question whose sentence is this one.
    pub fn text(&self, quote: &str) -> String {
        let Self { number, answer, by, document, quote: judged, .. } = self;
        if judged == quote {
            format!("the same sentence in {document}: {answer} by {by} (decision {number})")
        } else {
            format!("it read »{judged}« and was {answer} by {by} (decision {number})")
        }
    }
}

/// An assertion that waits, by its id, if there is one and the reader sees it.
pub fn waiting_one(graph: &Graph<'_>, id: &AssertionId) -> Result<Option<WaitingView>, Error> {
    let (Some(assertion), Some(quarantined)) = (graph.assertion(id)?, graph.view().get(&id.to_string())?)
    else {
        return Ok(None);
    };
    graph.sees(&assertion)?.then(|| waiting(graph, &assertion, &quarantined)).transpose()
}

/// A quarantined assertion as a value. The caller has asked whether the reader sees it.
pub(super) fn waiting(
    graph: &Graph<'_>,
    assertion: &Assertion,
    quarantined: &Quarantined,
) -> Result<WaitingView, Error> {
    let place = where_read(graph, &assertion.origin, assertion.evidence.span)?;
    let (subject, object) = (side(&assertion.subject), side(&assertion.object));
    let named = |resolution: &Resolution| match resolution {
        Resolution::Known(key) => graph.name(key),
        Resolution::Ambiguous { surface, .. } | Resolution::Unknown { surface, .. } => Ok(surface.clone()),
    };
    let day =
        |bound, end| read_date(graph, &assertion.origin, bound, end).map(|read| read.and_then(|r| r.day));
    let mut reasons = Vec::new();
    for reason in &quarantined.reasons {
        reasons.push(ReasonView {
            code: reason.code().to_owned(),
            text: reason_text(graph, assertion, reason)?,
        });
    }
    Ok(WaitingView {
        question: assertion.id.to_string(),
        says: format!("{} {} {}", named(&assertion.subject)?, assertion.edge_type, named(&assertion.object)?),
        claims: match assertion.says {
            Says::Holds => "holds".to_owned(),
            Says::Ends => "ends".to_owned(),
        },
        subject,
        edge_type: assertion.edge_type.clone(),
        object,
        valid_from: day(assertion.valid_from.as_ref(), false)?,
        valid_to: day(assertion.valid_to.as_ref(), true)?,
        quote: assertion.evidence.quote.clone(),
        document: place.document.clone().unwrap_or_else(|| assertion.origin.source().to_owned()),
        path: place.path,
        at: place.at,
        rule: assertion.rule.clone(),
        confidence: graph.catalog().confidence(assertion),
        reasons,
        earlier: earlier_answers(graph, assertion)?,
    })
}

/// A side as `decide` reads it back: the key, or the text that nobody or several are called.
pub(super) fn side(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Known(key) => key.to_string(),
        Resolution::Ambiguous { surface, .. } | Resolution::Unknown { surface, .. } => surface.clone(),
    }
}

fn reason_text(graph: &Graph<'_>, assertion: &Assertion, reason: &Reason) -> Result<String, Error> {
    let other = |with: &FactId| -> Result<String, Error> {
        Ok(match graph.fact(with)? {
            Some((fact, _)) => graph.says(&fact)?,
            None if graph.sees_everything() => format!("fact {with}"),
            None => "an edge that you may not see".to_owned(),
        })
    };
    Ok(match reason {
        Reason::ConfidenceLow => match graph.catalog().confidence(assertion) {
            Some(confidence) if assertion.confidence.is_some() => {
                format!("its confidence {confidence} is below the type's threshold")
            }
            Some(confidence) => format!("the rule's confidence {confidence} is below the type's threshold"),
            None => "its confidence is below the type's threshold".to_owned(),
        },
        Reason::ReviewRequired => format!("every `{}` needs an approval", assertion.edge_type),
        Reason::EndpointAmbiguous { surface } => {
            let mut candidates = Vec::new();
            for resolution in [&assertion.subject, &assertion.object] {
                if let Resolution::Ambiguous { surface: of, candidates: keys } = resolution
                    && of == surface
                {
                    for key in keys {
                        if graph.sees_entity(key)? {
                            candidates.push(format!("{} ({key})", graph.name(key)?));
                        }
                    }
                }
            }
            format!("\"{surface}\" may be {}", candidates.join(" or "))
        }
        Reason::EndpointUnknown { surface } => match gone(graph, assertion, surface)? {
            Some(gone) => gone.text(graph)?,
            None => format!("nobody is called \"{surface}\""),
        },
        Reason::DomainRange => format!("`{}` does not take these two types", assertion.edge_type),
        Reason::DateAmbiguous { text } => format!("\"{text}\" can be read in more than one way"),
        Reason::DateInvalid { text } => format!("the calendar has no \"{text}\""),
        Reason::DateMissing => "a date is needed and none is stated".to_owned(),
        Reason::IntervalEmpty => "the end is not after the start".to_owned(),
        Reason::Conflict { with } if assertion.fact == Some(*with) => disagreement(graph, assertion, with)?,
        Reason::Conflict { with } => format!("it cannot hold beside: {}", other(with)?),
        Reason::Cycle { with } => format!("it closes a circle with: {}", other(with)?),
        Reason::ContradictsMaster { with: Some(with) } => {
            format!("the master data decides otherwise: {}", other(with)?)
        }
        Reason::ContradictsMaster { with: None } => "the master data decides otherwise".to_owned(),
        Reason::SnippetCrowded { edges } => format!("one sentence carries {edges} edges"),
        Reason::RuleImprecise => format!("the reviewed precision of `{}` is below its floor", assertion.rule),
        Reason::Withdrawn => "its document was withdrawn".to_owned(),
    })
}

/// An end of an assertion that its sentence names for certain, and that nobody claims any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gone {
    /// Who it was.
    pub(super) key: EntityKey,
    /// The edit that removed it; `None` if its sources no longer hold it.
    pub(super) edit: Option<String>,
}

impl Gone {
    /// What became of it, in words.
    pub(super) fn text(&self, graph: &Graph<'_>) -> Result<String, Error> {
        let name = graph.name(&self.key)?;
        Ok(match &self.edit {
            Some(edit) => format!("{name} ({}) was removed by edit {edit}", self.key),
            None => format!("no source holds {name} ({}) any more", self.key),
        })
    }
}

/// The end that waits under a text because it is gone, and not because nobody is called so; `None` as well if the
/// reader may not know of it.
pub(super) fn gone(graph: &Graph<'_>, assertion: &Assertion, surface: &str) -> Result<Option<Gone>, Error> {
    for known in [&assertion.subject, &assertion.object].into_iter().filter_map(Resolution::known) {
        // The text is the end's key; where keys were merged it is that of another of its type.
        let Some(key) = EntityKey::new(known.entity_type(), surface) else { continue };
        let claims = graph.claims(&key)?;
        if !claims.is_empty() && !lives(&claims) {
            let removed = claims.into_iter().find(EntityClaim::removes).map(|claim| claim.origin);
            let edit = removed.and_then(|origin| match origin {
                Origin::Row { row, .. } => Some(row),
                Origin::Chunk { .. } => None,
            });
            return Ok(Some(Gone { key, edit }));
        }
    }
    Ok(None)
}

/// A conflict within a fact: which values stand instead of those that the assertion gives.
fn disagreement(graph: &Graph<'_>, assertion: &Assertion, fact: &FactId) -> Result<String, Error> {
    let edges = graph.fact(fact)?.map(|(_, edges)| edges).unwrap_or_default();
    let differs = |(name, value): (&String, &String)| {
        let stands = edges.iter().rev().find_map(|edge| edge.properties.get(name))?;
        (stands != value).then(|| format!("{name} is {value} here, and {stands} stands"))
    };
    let values: Vec<String> = assertion.properties.iter().filter_map(differs).collect();
    Ok(format!("another statement of the same fact disagrees: {}", values.join("; ")))
}

/// The decisions that stand on the same sentence in other documents, and those on the same fact in this one
/// whose sentence is no longer there: it was edited, and is asked again with both texts.
fn earlier_answers(graph: &Graph<'_>, assertion: &Assertion) -> Result<Vec<EarlierAnswer>, Error> {
    let question = Question::of(assertion);
    let mut found = Vec::new();
    for decision in graph.standing_decisions()? {
        let Some(document) = &decision.question.document else { continue };
        let here = question.document.as_ref() == Some(document);
        let same = decision.question.quote == question.quote;
        let earlier = if here {
            !same && decision.question.fact == question.fact && !is_posed(graph, &decision.question)?
        } else {
            same
        };
        if earlier && graph.sees_document(document)? {
            found.push(EarlierAnswer {
                number: decision.number,
                answer: answer_text(&decision.answer),
                by: decision.by.clone(),
                at: decision.at.clone(),
                document: document.to_string(),
                quote: decision.quote.clone(),
            });
        }
    }
    Ok(found)
}

/// True if an assertion poses this question now.
fn is_posed(graph: &Graph<'_>, question: &Question) -> Result<bool, Error> {
    let quoted: Vec<Assertion> = graph.view().by("quote", &question.quote.to_string())?;
    Ok(quoted.iter().any(|assertion| Question::of(assertion) == *question))
}

/// An answer in words.
pub fn answer_text(answer: &Answer) -> String {
    match answer {
        Answer::Approve => "approved".to_owned(),
        Answer::Reject { reason } => format!("rejected: {reason}"),
        Answer::Correct { valid_from, valid_to, subject, object } => {
            let parts: Vec<String> = [
                valid_from.map(|day| format!("valid_from {day}")),
                valid_to.map(|day| format!("valid_to {day} (exclusive)")),
                subject.as_ref().map(|key| format!("subject {key}")),
                object.as_ref().map(|key| format!("object {key}")),
            ]
            .into_iter()
            .flatten()
            .collect();
            format!("corrected: {}", parts.join(", "))
        }
        Answer::Undo { decision } => format!("took decision {decision} back"),
    }
}
