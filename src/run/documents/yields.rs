//! What documents yield tonight beside what they yielded, for the comparison of the same documents.

use std::collections::{BTreeMap, BTreeSet};

use super::Why;
use super::changes::Gained;
use super::task::Task;
use crate::drift::{Example, Look, Looked, Yield};
use crate::model::assertion::Assertion;
use crate::model::chunk::Chunk;
use crate::model::id::{DocumentId, FactId, Fingerprint};
use crate::run::changed::example_of;
use crate::run::session::Session;

/// Notes a document that was read. What a person's edit does to it is no matter of the comparison.
pub(super) fn note(
    session: &mut Session<'_>,
    task: &Task<'_>,
    chunks: &[Chunk],
    stood: &BTreeMap<String, Assertion>,
    after: &Gained,
) {
    let look = match (&task.why, &task.before) {
        (Why::Edit(_), _) => return,
        _ if task.moved => return,
        (_, None) => Look::New,
        _ if session.planned || task.reparsed => Look::Planned,
        (Why::Ontology | Why::Rule | Why::Config, _) => Look::Planned,
        (Why::Bytes(_) | Why::Name | Why::Withheld | Why::Again, Some(_)) => Look::Again,
    };
    let now = of(after.values().map(|(assertion, ..)| assertion));
    let unread = match task.why {
        Why::Bytes(_) => unread(chunks, stood, after, &now),
        _ => Yield::new(),
    };
    noted(session, &task.id, look, stood.values(), (&now, &unread));
}

/// Notes a document that is gone.
pub(super) fn note_gone(session: &mut Session<'_>, id: &DocumentId, stood: &[Assertion]) {
    noted(session, id, Look::Gone, stood.iter(), (&Yield::new(), &Yield::new()));
}

/// What was said by sentences that still stand, and of which nothing is read now. Linear in the text for each.
fn unread(chunks: &[Chunk], stood: &BTreeMap<String, Assertion>, after: &Gained, now: &Yield) -> Yield {
    let read: BTreeSet<Fingerprint> = after.values().map(|(assertion, ..)| assertion.quote_hash).collect();
    let lost = stood.values().filter(|before| before.left.is_none() && !read.contains(&before.quote_hash));
    let stands = lost
        .filter(|before| chunks.iter().any(|chunk| chunk.body.text.contains(before.evidence.quote.as_str())));
    of(stands).difference(now).cloned().collect()
}

fn noted<'a>(
    session: &mut Session<'_>,
    id: &DocumentId,
    look: Look,
    stood: impl Iterator<Item = &'a Assertion> + Clone,
    (after, unread): (&Yield, &Yield),
) {
    let before = of(stood.clone().filter(|assertion| assertion.left.is_none()));
    session.observed.cohort.note(&Looked {
        source: id.source(),
        document: &id.to_string(),
        look,
        before: &before,
        after,
        unread,
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
