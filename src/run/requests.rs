//! What people asked for since the last run: decisions, acceptances, retractions.

use crate::diag::{Diagnostic, Place};
use crate::drift::Consent;
use crate::model::assertion::Assertion;
use crate::model::cause::Cause;
use crate::model::decision::{Decision, Question};
use crate::store::{DocumentRecord, Kind, Request, RequestBody};

use super::Error;
use super::backfill;
use super::session::Session;

/// Logs every request and notes what it touches. Returns the numbers of those that were carried out: what is accepted
/// of an input waits for a run that looks at it.
pub(super) fn carry_out(session: &mut Session<'_>, requests: &[Request]) -> Result<Vec<i64>, Error> {
    let mut number = session.writer.view().count(Kind::Decision)?;
    let mut carried_out = Vec::new();
    for request in requests {
        if !concerns(session, &request.body)? {
            continue;
        }
        carried_out.push(request.number);
        match &request.body {
            RequestBody::Decide { question, answer, quote } => {
                number += 1;
                let decision = Decision {
                    number,
                    question: question.clone(),
                    answer: answer.clone(),
                    by: request.by.clone(),
                    at: request.at.clone(),
                    quote: quote.clone(),
                };
                decide(session, &decision)?;
            }
            RequestBody::AcceptFeed { feed, reason } => {
                let word = format!("{} at {}: {reason}", request.by, request.at);
                session.accepted_feeds.insert(feed.clone(), word);
            }
            RequestBody::AcceptScope { source, prefix, reason } => {
                let word = format!("{} at {}: {reason}", request.by, request.at);
                session.accepted_scopes.push((source.clone(), prefix.clone(), word));
            }
            RequestBody::AcceptFinding { key, count, also, reason, .. } => {
                let word = format!("{} at {}: {reason}", request.by, request.at);
                let mut counts = also.clone();
                counts.insert(key.clone(), *count);
                session.consents.insert(key.clone(), Consent { counts, word });
            }
            RequestBody::Retract { document, reason, undo } => {
                let word = format!("{} at {}: {reason}", request.by, request.at);
                retract(session, document, (!undo).then_some(word))?;
            }
        }
    }
    Ok(carried_out)
}

/// True unless a request accepts something of a source or feed that this run does not look at: it is one of another
/// job, or was read for a later day.
fn concerns(session: &Session<'_>, request: &RequestBody) -> Result<bool, Error> {
    let name = match request {
        RequestBody::AcceptFeed { feed: name, .. }
        | RequestBody::AcceptScope { source: name, .. }
        | RequestBody::AcceptFinding { source: name, .. } => name,
        RequestBody::Decide { .. } | RequestBody::Retract { .. } => return Ok(true),
    };
    Ok(!session.setup.others.contains(name) && backfill::read_for_later(session, name)?.is_none())
}

fn decide(session: &mut Session<'_>, decision: &Decision) -> Result<(), Error> {
    // The facts as they counted before are touched as well as the ones that count after.
    touch_question(session, &decision.question, decision)?;
    session.writer.put(decision)?;
    touch_question(session, &decision.question, decision)
}

pub(super) fn touch_question(
    session: &Session<'_>,
    question: &Question,
    decision: &Decision,
) -> Result<(), Error> {
    let detail = format!("decision {} by {}", decision.number, decision.by);
    for assertion in asked_by(session, question)? {
        session.touch(&assertion, Cause::Curator, &detail)?;
    }
    Ok(())
}

/// The assertions that pose a question now.
pub(super) fn asked_by(session: &Session<'_>, question: &Question) -> Result<Vec<Assertion>, Error> {
    let quoted: Vec<Assertion> = session.writer.view().by("quote", &question.quote.to_string())?;
    Ok(quoted.into_iter().filter(|assertion| Question::of(assertion) == *question).collect())
}

fn retract(session: &mut Session<'_>, document: &str, word: Option<String>) -> Result<(), Error> {
    let Some(record) = session.writer.view().get::<DocumentRecord>(document)? else {
        let message = format!("there is no document `{document}` to retract");
        session.diagnostics.push(Diagnostic::warning("retract-unknown", Place::file(document), message));
        return Ok(());
    };
    let detail = match &word {
        Some(word) => format!("{document} retracted by {word}"),
        None => format!("the retraction of {document} was taken back"),
    };
    session.writer.put(&DocumentRecord { retracted: word, ..record.clone() })?;
    session.touch_document(&record.document, Cause::Curator, &detail)
}
