//! What documents yield tonight beside what they yielded, for the comparison of the same documents.

use std::collections::BTreeMap;

use super::Why;
use super::changes::Gained;
use super::task::Task;
use crate::drift::{Example, Look, Looked, Yield};
use crate::model::assertion::Assertion;
use crate::model::id::{DocumentId, FactId};
use crate::run::changed::example_of;
use crate::run::session::Session;

/// Notes a document that was read. What a person's edit does to it is no matter of the comparison.
pub(super) fn note(
    session: &mut Session<'_>,
    task: &Task<'_>,
    stood: &BTreeMap<String, Assertion>,
    after: &Gained,
) {
    let look = match (&task.why, &task.before) {
        (Why::Edit(_), _) => return,
        _ if task.moved => return,
        (_, None) => Look::New,
        _ if session.planned => Look::Planned,
        (Why::Ontology | Why::Rule | Why::Config, _) => Look::Planned,
        (Why::Bytes(_) | Why::Name, Some(_)) => Look::Again,
    };
    let now = of(after.values().map(|(assertion, ..)| assertion));
    noted(session, &task.id, look, stood.values(), &now);
}

/// Notes a document that is gone.
pub(super) fn note_gone(session: &mut Session<'_>, id: &DocumentId, stood: &[Assertion]) {
    noted(session, id, Look::Gone, stood.iter(), &Yield::new());
}

fn noted<'a>(
    session: &mut Session<'_>,
    id: &DocumentId,
    look: Look,
    stood: impl Iterator<Item = &'a Assertion> + Clone,
    after: &Yield,
) {
    let before = of(stood.clone().filter(|assertion| assertion.left.is_none()));
    session.observed.cohort.note(&Looked {
        source: id.source(),
        document: &id.to_string(),
        look,
        before: &before,
        after,
        example: &|fact| example(fact, stood.clone()),
    });
}

/// A fact as an example, with the sentence of the document that said it.
fn example<'a>(fact: FactId, mut said: impl Iterator<Item = &'a Assertion>) -> Example {
    let assertion = said.find(|assertion| assertion.fact == Some(fact));
    let says = assertion.map(says).unwrap_or_default();
    example_of(fact, &says, assertion)
}

/// What an assertion says, in words.
pub(in crate::run) fn says(assertion: &Assertion) -> String {
    let side = |resolution: &crate::model::mention::Resolution| {
        resolution.known().map_or_else(|| "?".to_owned(), ToString::to_string)
    };
    format!("{} {} {}", side(&assertion.subject), assertion.edge_type, side(&assertion.object))
}

fn of<'a>(assertions: impl Iterator<Item = &'a Assertion>) -> Yield {
    assertions.filter_map(|one| Some((one.edge_type.clone(), one.fact?))).collect()
}
