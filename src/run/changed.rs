//! What a fold changed: the facts are written, each change gets its cause, and what it ends is folded after it.
//!
//! In: the facts of a group before and after. Out: records, entries of the ledger and the report, touched groups.

use std::collections::{BTreeMap, BTreeSet};

use crate::drift::{Entry, Example, Ledger};
use crate::model::assertion::{Assertion, Origin};
use crate::model::cause::{Cause, Change as FactChange};
use crate::model::fact::Fact;
use crate::model::id::FactId;
use crate::reconcile;
use crate::store::{Change, ChangeKind, Kind};

use super::Error;
use super::fold::Touches;
use super::report::ChangeReport;
use super::session::Session;

/// Writes the facts that changed, says why, and lets what they supersede be folded after them.
pub(super) fn write(
    session: &mut Session<'_>,
    ledger: &mut Ledger,
    touches: &Touches,
    before: &BTreeMap<FactId, Fact>,
    after: &BTreeMap<FactId, Fact>,
) -> Result<(), Error> {
    let all: BTreeSet<FactId> = before.keys().chain(after.keys()).copied().collect();
    for id in all {
        let (old, new) = (before.get(&id), after.get(&id));
        match new {
            Some(new) => session.writer.put(new)?,
            None => session.writer.close(Kind::Fact, &id.to_string())?,
        };
        let Some(change) = reconcile::differences(old, new) else { continue };
        let (cause, detail) = primary(touches, id);
        record(session, ledger, (old, new), change, cause, &detail)?;
        cascade(session, old, new, cause, &detail)?;
    }
    Ok(())
}

/// The primary cause of a fact's change: its own, else the one of the group that it inherits.
fn primary(touches: &Touches, fact: FactId) -> (Cause, String) {
    let own = touches.get(&fact.to_string());
    let candidates: Vec<&(Cause, String)> = match own {
        Some(own) => own.iter().collect(),
        None => touches.values().flatten().collect(),
    };
    candidates.into_iter().min().cloned().unwrap_or_else(|| (Cause::Unexplained, String::new()))
}

/// Notes a change in the ledger, the store and the report.
fn record(
    session: &mut Session<'_>,
    ledger: &mut Ledger,
    (old, new): (Option<&Fact>, Option<&Fact>),
    change: FactChange,
    cause: Cause,
    detail: &str,
) -> Result<(), Error> {
    let Some(fact) = new.or(old) else { return Ok(()) };
    let says = format!("{} {} {}", fact.subject, fact.edge_type, fact.object);
    let (said, say) = (by_source(old, session.writer.before())?, by_source(new, session.writer.view())?);
    let sources = |said: &BySource| said.keys().cloned().collect::<BTreeSet<_>>();
    let rules = if said.is_empty() { &say } else { &said };
    let rules = rules.iter().map(|(source, all)| (source.clone(), rules_of(all))).collect();
    // A finding about a source quotes that source alone: another one may be guarded by labels, or say it still.
    let quoted = |source: Option<&str>| {
        match source {
            Some(source) => said.get(source).or_else(|| say.get(source)),
            None => said.values().chain(say.values()).next(),
        }
        .and_then(|all| all.first())
    };
    ledger.record(&Entry {
        fact: fact.id,
        edge_type: &fact.edge_type,
        before: &sources(&said),
        after: &sources(&say),
        change,
        cause,
        rules: &rules,
        example: &|source| example_of(fact.id, &says, quoted(source)),
    });
    let kind = match change {
        FactChange::Added => ChangeKind::Added,
        FactChange::Retracted => ChangeKind::Retracted,
        FactChange::Changed { revived: true } => ChangeKind::Revived,
        FactChange::Changed { revived: false } => ChangeKind::Changed,
        FactChange::SupportOnly => return Ok(()),
    };
    let edges = |fact: Option<&Fact>| fact.map(|fact| fact.edges.clone()).unwrap_or_default();
    session.writer.put(&Change {
        generation: session.writer.generation(),
        fact: fact.id,
        says: says.clone(),
        change: kind,
        before: edges(old),
        after: edges(new),
        cause,
        detail: detail.to_owned(),
    })?;
    let texts = |fact: Option<&Fact>| -> Vec<String> {
        fact.into_iter().flat_map(|fact| &fact.edges).map(ToString::to_string).collect()
    };
    session.report.note(ChangeReport {
        says,
        subject: fact.subject.to_string(),
        object: fact.object.to_string(),
        fact: fact.id.to_string(),
        edge_type: fact.edge_type.clone(),
        change: match kind {
            ChangeKind::Added => "added",
            ChangeKind::Retracted => "retracted",
            ChangeKind::Changed => "changed",
            ChangeKind::Revived => "revived",
        }
        .to_owned(),
        before: texts(old),
        after: texts(new),
        cause: cause.name().to_owned(),
        detail: detail.to_owned(),
    });
    Ok(())
}

/// What each source says of a fact.
type BySource = BTreeMap<String, Vec<Assertion>>;

fn rules_of(assertions: &[Assertion]) -> BTreeSet<String> {
    assertions.iter().map(|assertion| assertion.rule.clone()).collect()
}

/// What attests a fact, by source, as it stands in this view.
fn by_source(fact: Option<&Fact>, view: crate::store::View<'_>) -> Result<BySource, Error> {
    let mut said = BySource::new();
    for attested in fact.into_iter().flat_map(|fact| &fact.attestations) {
        if let Some(assertion) = view.get::<Assertion>(&attested.assertion.to_string())? {
            said.entry(assertion.origin.source().to_owned()).or_default().push(assertion);
        }
    }
    Ok(said)
}

/// A fact as an example, with a sentence that says or said it.
pub(super) fn example_of(fact: FactId, says: &str, said: Option<&Assertion>) -> Example {
    let place = |assertion: &Assertion| match &assertion.origin {
        Origin::Chunk { document, .. } => document.to_string(),
        Origin::Row { feed, row } => format!("{feed} row {row}"),
    };
    Example {
        fact: fact.to_string(),
        text: says.to_owned(),
        sentence: said.map(|assertion| assertion.evidence.quote.clone()),
        place: said.map(place),
        rule: said.map(|assertion| assertion.rule.clone()),
    }
}

/// A change of a superseding fact touches what the documents that stand for its object attest.
fn cascade(
    session: &Session<'_>,
    old: Option<&Fact>,
    new: Option<&Fact>,
    cause: Cause,
    detail: &str,
) -> Result<(), Error> {
    let Some(fact) = new.or(old) else { return Ok(()) };
    if !session.setup.edge(&fact.edge_type).is_some_and(|edge| edge.ends_object) {
        return Ok(());
    }
    let view = session.writer.view();
    for document in view.ids_by(Kind::Document, "stands_for", &fact.object.to_string())? {
        for assertion in view.by::<Assertion>("document", &document)? {
            let superseding = session.setup.edge(&assertion.edge_type).is_none_or(|edge| edge.ends_object);
            if !superseding {
                session.touch(&assertion, cause, detail)?;
            }
        }
    }
    Ok(())
}
