//! Rollback: the graph as it was in an earlier generation, as a new generation.
//!
//! Every input that was accepted since is put back to what it was, and what follows from inputs is folded again:
//! facts, quarantine and counts are never copied. Decisions stay and count. What the sources and feeds hold has not
//! changed by it, so each input that was undone is marked: a run that would bring it back as it was is held
//! until a person releases it or the input changes.

use crate::config::Loaded;
use crate::model::act::{Deed, Input, Undone};
use crate::model::assertion::Assertion;
use crate::model::cause::Cause;
use crate::model::decision::Decision;
use crate::model::edit::EDITS;
use crate::model::fact::{Fact, PendingEnd};
use crate::model::id::{AssertionId, Fingerprint};
use crate::model::job::Source;
use crate::model::quote::ERASED;
use crate::store::{
    self, DocumentRecord, Kind, OntologyRecord, RowRecord, ScopeRecord, Store, Versioned, View,
};

use super::hold::{ActReport, Actor, Opened, refuse_if_candidate, refuse_if_frozen, replaced};
use super::once::{
    Options, Progress, census, clock_behind, finish, fold_and_compare, new_report, publish, ready_index, stop,
};
use super::session::Session;
use super::setup::Setup;
use super::verify::touch_fact;
use super::watch::Watch;
use super::{Error, RunReport, Step, Workspace, names, output, requests, sources, totals};

/// The kinds of record that are inputs of the fold, or say how far inputs were read.
const INPUTS: [Kind; 9] = [
    Kind::Ontology,
    Kind::Scope,
    Kind::Row,
    Kind::Entity,
    Kind::Document,
    Kind::Chunk,
    Kind::Extraction,
    Kind::Assertion,
    Kind::Incumbent,
];

/// Puts the graph back to what it was in a generation. Linear in what has changed since.
pub fn rollback(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    to: u64,
    actor: &Actor,
) -> Result<ActReport, Error> {
    let watch = Watch::start(options.clock);
    let (setup, _) = Setup::new(loaded, &[])?;
    let opened = Opened::for_acting(workspace, options, progress)?;
    let store = &opened.store;
    refuse_if_frozen(store)?;
    refuse_if_candidate(store)?;
    refuse_unless_possible(store, &setup, to)?;
    let (index, mended) = ready_index(workspace, store, options)?;
    let replaced = replaced(workspace, store, options)?;
    let writer = store.begin(options.plan)?;
    let mut session = Session::new(&setup, &writer, options, progress, new_report(options, store)?);
    session.diagnostics.extend(mended.into_iter().chain(replaced).chain(opened.resumed.clone()));
    session.diagnostics.extend(clock_behind(workspace, store, options)?);
    session.index = index;
    session.reached(Step::Swept, 0, 0)?;

    // Inputs: as they were. What was undone of them is marked, and looked at again by the next run.
    session.merges_before = names::merges(&session)?;
    let act = opened.act(options, actor, Deed::Rollback { to })?;
    session.writer.put(&act)?;
    mark_documents(&session, to, act.number)?;
    mark_feeds(&session, to, act.number)?;
    for kind in INPUTS {
        // What people changed by hand keeps its number, and says what became of it.
        let stays = |id: &str| match kind {
            Kind::Scope => Ok(id == EDITS),
            Kind::Row => is_new_edit(&session, to, id),
            _ => Ok(false),
        };
        session.writer.restore(kind, to, &stays)?;
    }
    take_edits_back(&session, to, act.number)?;
    keep_what_is_no_input(&session, to)?;
    session.merges = names::merges(&session)?;
    session.writer.batch()?;
    session.reached(Step::Requested, 1, 1)?;

    // Facts: everything that is not as it was then, and what was decided since.
    touch_all(&session, to)?;
    session.writer.batch()?;
    session.reached(Step::DocumentsWritten, 0, 0)?;
    let asked = census(&session)?.segments.into_keys().map(|segment| segment.source).collect();
    let drift = fold_and_compare(&mut session, store, &asked)?;
    session.report.findings = drift.findings.clone();

    // Publication, and what follows from it.
    let totals = totals::totals(store, &writer, options.today, &options.now)?;
    let sources = sources::report(&session)?;
    let report = RunReport { totals, ..finish(session)? };
    let mut report = publish(workspace, store, writer, report, options, progress, &[], None)?;
    report.end(&watch);
    let report = ActReport::of(&act, report, Vec::new(), options.plan);
    if !options.plan {
        output::write_reports(workspace, &report.run, &drift, &sources)?;
        output::write_act(workspace, &report.run.run, &report)?;
        stop(options, progress, Step::Reported)?;
    }
    Ok(report)
}

/// Refuses a generation that there is not, and one that was read with another ontology than the one on disk: what
/// would be folded then is neither what stood nor what the ontology says now.
fn refuse_unless_possible(store: &Store, setup: &Setup, to: u64) -> Result<(), Error> {
    let last = store.published()?;
    let refuse = |message: String, hint: String| Err(Error::Usage { message, hint: Some(hint) });
    if to == last {
        return refuse(format!("generation {to} is what stands"), "there is nothing to put back".to_owned());
    }
    if to == 0 || to > last {
        return refuse(
            format!("there is no generation {to}"),
            format!("the published generations are 1 to {last}"),
        );
    }
    let then = store.view(to);
    for record in then.all::<OntologyRecord>()? {
        let same = setup.readers.get(&record.name).is_some_and(|reader| {
            let revisions = reader.ontology.rules.iter().map(|rule| (rule.id.clone(), rule.revision));
            record.types == reader.types_fingerprint()
                && record.policy == reader.policy_fingerprint()
                && record.rules == revisions.collect()
        });
        if !same {
            let file = format!("ontology/{}.yaml", record.name);
            let versions: Vec<Versioned<OntologyRecord>> = then.versions(&record.name)?;
            let kept = format!("changelog/{:06}.jsonl", versions.last().map_or(to, |version| version.opened));
            let purged = match record.text.contains(ERASED) {
                true => format!(
                    "; a purge took words out of it and left `{ERASED}`: take out the comments and examples in which it stands, and of a rule in which it does put a copy of your own back"
                ),
                false => String::new(),
            };
            return refuse(
                format!("`{file}` is not the ontology with which generation {to} was read"),
                format!(
                    "put the version of then back (`{kept}` has it as the `text` of the ontology `{}`), roll back, and then bring the new one in by a run{purged}",
                    record.name
                ),
            );
        }
    }
    Ok(())
}

/// True if an earlier rollback has marked what still lies in the source: what this one undoes was only put back by it.
fn stays_marked(session: &Session<'_>, mark: &str, restored: Option<Fingerprint>) -> Result<bool, Error> {
    let marked: Option<Undone> = session.writer.view().get(mark)?;
    Ok(marked.is_some_and(|mark| mark.content != restored))
}

/// Marks the documents that are not as they were, and forgets what was seen of their files.
fn mark_documents(session: &Session<'_>, to: u64, act: u64) -> Result<(), Error> {
    let (now, then) = (session.writer.before(), then(session, to));
    now.each_changed(Kind::Document, to, |id| {
        let [is, was] = [now, then].map(|view| view.get::<DocumentRecord>(id));
        let (is, was) = (is?, was?);
        for record in is.iter().chain(&was).filter(|record| record.document.source() != EDITS) {
            session.writer.stage_checkpoint(record.document.source(), &record.path, None)?;
        }
        let content = |record: &Option<DocumentRecord>| record.as_ref().map(|record| record.content);
        let Some(any) = is.as_ref().or(was.as_ref()) else { return Ok(()) };
        let differs = content(&is) != content(&was) && any.document.source() != EDITS;
        if differs && !stays_marked(session, &format!("document {id}"), content(&was))? {
            session.writer.put(&Undone {
                input: Input::Document,
                source: any.document.source().to_owned(),
                document: id.to_owned(),
                content: content(&is),
                act,
            })?;
        }
        Ok::<(), Error>(())
    })
}

/// Marks the feeds that are not as they were, and forgets what was seen of their files.
fn mark_feeds(session: &Session<'_>, to: u64, act: u64) -> Result<(), Error> {
    let (now, then) = (session.writer.before(), then(session, to));
    now.each_changed(Kind::Scope, to, |id| {
        let [is, was] = [now, then].map(|view| view.get::<ScopeRecord>(id));
        let (is, was) = (is?, was?);
        let content = |scope: &Option<ScopeRecord>| scope.as_ref().and_then(|scope| scope.content);
        let is_feed = id != EDITS && session.setup.sources().iter().all(|(source, _)| source.name != id);
        if is_feed && content(&is) != content(&was) {
            session.writer.stage_checkpoint(id, "", None)?;
        }
        if is_feed
            && content(&is) != content(&was)
            && !stays_marked(session, &format!("feed {id}"), content(&was))?
        {
            session.writer.put(&Undone {
                input: Input::Feed,
                source: id.to_owned(),
                document: String::new(),
                content: content(&is),
                act,
            })?;
        }
        Ok::<(), Error>(())
    })
}

/// True of the row of an edit that had not been made then.
fn is_new_edit(session: &Session<'_>, to: u64, id: &str) -> Result<bool, store::Error> {
    let of_edits = id.strip_prefix(EDITS).is_some_and(|rest| rest.starts_with('/'));
    Ok(of_edits && then(session, to).get::<RowRecord>(id)?.is_none())
}

/// Says of every edit that was made since that the rollback has taken it back.
fn take_edits_back(session: &Session<'_>, to: u64, act: u64) -> Result<(), Error> {
    session.writer.before().each_changed(Kind::Row, to, |id| {
        if is_new_edit(session, to, id)?
            && let Some(mut row) = session.writer.view().get::<RowRecord>(id)?
        {
            row.cells.entry("undone_by".to_owned()).or_insert_with(|| format!("rollback {act}"));
            session.writer.put(&row)?;
        }
        Ok::<(), Error>(())
    })
}

/// Who may read an input, and who has withdrawn it, are no matter of its content: what holds now goes on to hold. So
/// does when it last changed: it has not since.
fn keep_what_is_no_input(session: &Session<'_>, to: u64) -> Result<(), Error> {
    let (now, before) = (session.writer.view(), session.writer.before());
    let access = |name: &str| {
        let of_source = |(source, _): &(&Source, _)| (source.name == name).then(|| source.access.clone());
        let source = session.setup.sources().iter().find_map(of_source);
        source.or_else(|| session.setup.feed(name).map(|feed| feed.access.clone()))
    };
    before.each_changed(Kind::Document, to, |id| {
        if let Some(restored) = now.get::<DocumentRecord>(id)? {
            let last: Option<DocumentRecord> = before.last(id)?;
            let access = access(restored.document.source()).unwrap_or_else(|| restored.access.clone());
            let retracted = last.map_or_else(|| restored.retracted.clone(), |last| last.retracted);
            session.writer.put(&DocumentRecord { access, retracted, ..restored })?;
        }
        Ok::<(), Error>(())
    })?;
    before.each_changed(Kind::Scope, to, |id| {
        if let (Some(restored), Some(last)) = (now.get::<ScopeRecord>(id)?, before.last::<ScopeRecord>(id)?) {
            let access = access(id).unwrap_or_else(|| restored.access.clone());
            let (changed_at, accepted) = (last.changed_at, last.accepted);
            session.writer.put(&ScopeRecord { access, changed_at, accepted, ..restored })?;
        }
        Ok::<(), Error>(())
    })
}

fn then<'s>(session: &Session<'s>, to: u64) -> View<'s> {
    session.writer.view().store().view(to)
}

/// Touches everything of which the fold may give something else than stands.
fn touch_all(session: &Session<'_>, to: u64) -> Result<(), Error> {
    let (now, then) = (session.writer.before(), then(session, to));
    let detail = format!("rollback to generation {to}");
    let touch_assertion = |id: &str| -> Result<(), Error> {
        for view in [now, then] {
            if let Some(assertion) = view.get::<Assertion>(id)? {
                session.touch(&assertion, Cause::Rollback, &detail)?;
            }
        }
        if session.writer.view().get::<Assertion>(id)?.is_none() {
            // What nothing says any more waits no longer: the fold looks at what is said.
            session.writer.close(Kind::Quarantine, id)?;
        }
        Ok(())
    };
    now.each_changed(Kind::Assertion, to, touch_assertion)?;
    now.each_changed(Kind::Quarantine, to, touch_assertion)?;
    now.each_changed(Kind::Fact, to, |id| {
        for view in [now, then] {
            if let Some(fact) = view.get::<Fact>(id)? {
                touch_fact(session, &fact, Cause::Rollback, &detail)?;
            }
        }
        Ok::<(), Error>(())
    })?;
    now.each_changed(Kind::Pending, to, |id| {
        let assertions: Vec<AssertionId> = [now, then]
            .into_iter()
            .filter_map(|view| view.get::<PendingEnd>(id).transpose())
            .map(|end| end.map(|end| end.assertion))
            .collect::<Result<_, _>>()?;
        assertions.iter().try_for_each(|assertion| touch_assertion(&assertion.to_string()))
    })?;
    now.each_changed(Kind::Decision, to, |id| match now.get::<Decision>(id)? {
        Some(decision) => requests::touch_question(session, &decision.question, &decision),
        None => Ok(()),
    })
}
