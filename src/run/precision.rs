//! Which rules are below the floor that their ontology sets for their reviewed precision.
//!
//! A function of the decisions that stand and of what the rules read now: a rule that no longer reads what
//! was rejected is no longer held to it. Linear in the decision log, and only where a rule has a floor.

use std::collections::{BTreeMap, BTreeSet};

use crate::drift::Imprecise;
use crate::model::assertion::Assertion;
use crate::model::cause::Cause;
use crate::model::decision::{Answer, Decision, Question};
use crate::model::review::Reviews;
use crate::store::{Kind, View};

use super::Error;
use super::session::Session;

/// Notes which rules are imprecise now, and touches what the rules read that are so only now or no longer.
pub(super) fn settle(session: &mut Session<'_>) -> Result<(), Error> {
    let (before, _) = imprecise(session, &session.writer.before())?;
    let (now, reviews) = imprecise(session, &session.writer.view())?;
    for rule in before.symmetric_difference(&now) {
        let reviewed = reviews.of(rule);
        let is = if now.contains(rule) { "is below its floor" } else { "has reached its floor again" };
        let detail =
            format!("{} of {} reviewed readings of `{rule}` are right: it {is}", reviewed.right, reviewed.of);
        touch_readings(session, rule, &detail)?;
        if now.contains(rule)
            && let Some(edge_type) = session.setup.ontology.rule(rule).and_then(|rule| rule.edge.clone())
        {
            session.observed.imprecise.push(Imprecise { rule: rule.clone(), edge_type, says: detail });
        }
    }
    session.imprecise = now;
    Ok(())
}

fn imprecise(session: &Session<'_>, view: &View<'_>) -> Result<(BTreeSet<String>, Reviews), Error> {
    let mut reviews = Reviews::default();
    let floors = session.setup.ontology.rules.iter().filter_map(|rule| Some((&rule.id, rule.precision?)));
    let floors: BTreeMap<&String, f64> = floors.collect();
    if floors.is_empty() {
        return Ok((BTreeSet::new(), reviews));
    }
    for (question, answer) in standing(view)? {
        let quoted: Vec<Assertion> = view.by("quote", &question.quote.to_string())?;
        for assertion in quoted.iter().filter(|assertion| Question::of(assertion) == question) {
            reviews.add(&assertion.rule, &question, &answer);
        }
    }
    let below = floors.into_iter().filter(|(rule, floor)| reviews.of(rule).is_below(*floor));
    Ok((below.map(|(rule, _)| rule.clone()).collect(), reviews))
}

/// The answer that stands on each question that was answered.
fn standing(view: &View<'_>) -> Result<BTreeMap<Question, Answer>, Error> {
    let mut log: Vec<Decision> = view.all()?;
    log.sort_by_key(|decision| decision.number);
    let undone = log.iter().filter_map(|decision| match decision.answer {
        Answer::Undo { decision } => Some(decision),
        Answer::Approve | Answer::Reject { .. } | Answer::Correct { .. } => None,
    });
    let undone: BTreeSet<u64> = undone.collect();
    log.retain(|one| !undone.contains(&one.number) && !matches!(one.answer, Answer::Undo { .. }));
    Ok(log.into_iter().map(|decision| (decision.question, decision.answer)).collect())
}

/// Touches every assertion that a rule made. Linear in the assertions of its edge type.
fn touch_readings(session: &Session<'_>, rule: &str, detail: &str) -> Result<(), Error> {
    let edge = session.setup.ontology.rule(rule).and_then(|rule| rule.edge.as_ref());
    let Some(edge) = edge else { return Ok(()) };
    for id in session.writer.view().ids_by(Kind::Assertion, "edge_type", edge)? {
        if let Some(assertion) = session.writer.view().get::<Assertion>(&id)?
            && assertion.rule == rule
        {
            session.touch(&assertion, Cause::Curator, detail)?;
        }
    }
    Ok(())
}
