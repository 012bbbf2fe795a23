//! Verify: the store against itself, its changelog, the text index, and a fold from scratch.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Loaded;
use crate::diag::count;
use crate::drift::Ledger;
use crate::model::assertion::Assertion;
use crate::model::cause::Cause;
use crate::model::fact::Fact;
use crate::model::group::Group;
use crate::ontology::EdgeType;
use crate::store::{CensusRecord, Fault, Kind, Lock, Record, Store, View};

use super::fold::fold_all;
use super::once::{Options, new_report};
use super::session::Session;
use super::setup::Setup;
use super::{Error, Workspace, index, names, output, precision, purge};

/// What a verification came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verified {
    /// The version of this form.
    pub version: u32,
    /// The generation that was verified.
    pub generation: u64,
    /// Its state digest.
    pub state_digest: String,
    /// Its history digest.
    pub history_digest: String,
    /// What is not as it must be; empty if all is well.
    pub faults: Vec<FaultReport>,
}

/// A fault, in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FaultReport {
    /// The stable name of the kind of fault.
    pub name: String,
    /// Where.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

/// Verifies a workspace's graph. Writes nothing. Linear in the store; holds one group of facts at a time.
pub fn verify(workspace: &Workspace, loaded: Loaded, options: &Options) -> Result<Verified, Error> {
    let _lock = Lock::take(&workspace.lock())?;
    if !workspace.store().exists() {
        return Err(crate::store::Error::Absent { path: workspace.store().display().to_string() }.into());
    }
    let store = Store::open(&workspace.store())?;
    let mut faults = crate::store::verify(&store)?;
    if let Some(message) = purge::unfinished(workspace, &store)? {
        faults.push(Fault::new("purge-unfinished", workspace.purge().display().to_string(), message));
    }
    let readable = !faults.iter().any(|fault| matches!(fault.name, "record-unreadable" | "database-damaged"));
    if !faults.iter().any(|fault| fault.name == "database-damaged") {
        faults.extend(output::changelog_faults(workspace, &store)?);
    }
    if readable {
        let view = store.current()?;
        // Of a text that is lost nobody can say what the index ought to hold.
        if !faults.iter().any(|fault| fault.name == "chunk-missing") {
            faults.extend(index::faults(workspace, &store)?);
        }
        faults.extend(census_faults(&view)?);
        faults.extend(fold_faults(&store, loaded, options)?);
    }
    faults.sort();
    let last = store.generations()?.pop();
    Ok(Verified {
        version: 1,
        generation: last.as_ref().map_or(0, |last| last.id),
        state_digest: last.as_ref().map(|last| last.state_digest.clone()).unwrap_or_default(),
        history_digest: last.map(|last| last.history_digest).unwrap_or_default(),
        faults: faults
            .into_iter()
            .map(|fault| FaultReport { name: fault.name.to_owned(), at: fault.at, message: fault.message })
            .collect(),
    })
}

/// The counts that are kept are the ones that counting gives.
fn census_faults(view: &View<'_>) -> Result<Vec<Fault>, Error> {
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    view.each(|fact: Fact| {
        let mut sources = std::collections::BTreeSet::new();
        for attested in &fact.attestations {
            if let Some(assertion) = view.get::<Assertion>(&attested.assertion.to_string())? {
                sources.insert(assertion.origin.source().to_owned());
            }
        }
        for source in sources {
            *counted.entry(format!("{} {source}", fact.edge_type)).or_insert(0) += 1;
        }
        *counted.entry(format!("{} *", fact.edge_type)).or_insert(0) += 1;
        Ok::<(), Error>(())
    })?;
    let kept: BTreeMap<String, u64> =
        view.all::<CensusRecord>()?.into_iter().map(|record| (Record::id(&record), record.facts)).collect();
    let segments = counted.keys().chain(kept.keys()).collect::<std::collections::BTreeSet<_>>();
    Ok(segments
        .into_iter()
        .filter(|segment| counted.get(*segment) != kept.get(*segment))
        .map(|segment| {
            let (counted, kept) = (counted.get(segment).unwrap_or(&0), kept.get(segment).unwrap_or(&0));
            Fault::new(
                "census-differs",
                segment,
                format!("the note says {}, and {counted} is right", count(*kept, "fact")),
            )
        })
        .collect())
}

/// Folding every assertion from scratch, in a transaction that is rolled back, must change nothing.
fn fold_faults(store: &Store, loaded: Loaded, options: &Options) -> Result<Vec<Fault>, Error> {
    let (setup, _) = Setup::new(loaded, &[])?;
    let writer = store.begin(true)?;
    let options = Options { plan: true, stop_at: None, ..options.clone() };
    let silent = |_, _, _| {};
    let mut session = Session::new(&setup, &writer, &options, &silent, new_report(&options, store)?);
    session.merges = names::merges(&session)?;
    let mut ids = Vec::new();
    writer.view().each(|assertion: Assertion| {
        ids.push(assertion.id);
        Ok::<(), Error>(())
    })?;
    for id in ids {
        if let Some(assertion) = writer.view().get::<Assertion>(&id.to_string())? {
            session.touch(&assertion, Cause::Unexplained, "verify")?;
        }
    }
    touch_facts(&session)?;
    precision::settle(&mut session)?;
    let mut ledger = Ledger::new(crate::drift::Census::default());
    fold_all(&mut session, &mut ledger)?;
    let mut faults: Vec<Fault> = Vec::new();
    for kind in [Kind::Fact, Kind::Quarantine, Kind::Pending, Kind::Incumbent] {
        for (id, ..) in writer.view().touched_in(kind, writer.generation())? {
            faults.push(Fault::new(
                "fold-differs",
                format!("{} {id}", kind.name()),
                "a fold from scratch gives another",
            ));
        }
    }
    drop(session);
    writer.discard()?;
    Ok(faults)
}

/// Touches every fact that stands: one that no assertion counts for any more must not be overlooked.
fn touch_facts(session: &Session<'_>) -> Result<(), Error> {
    session.writer.view().each(|fact: Fact| touch_fact(session, &fact, Cause::Unexplained, "verify"))
}

/// Touches a fact by what it says, whatever attests it.
pub(super) fn touch_fact(
    session: &Session<'_>,
    fact: &Fact,
    cause: Cause,
    detail: &str,
) -> Result<(), Error> {
    let edge = session.setup.edge(&fact.edge_type);
    let group = edge.map_or(Group::Fact(fact.id), |edge| edge.group(&fact.subject, &fact.object, fact.id));
    let stratum = edge.map_or(2, EdgeType::stratum);
    Ok(session.writer.touch(stratum, &group.to_string(), &fact.id.to_string(), cause.name(), detail)?)
}
