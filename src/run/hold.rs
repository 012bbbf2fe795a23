//! What becomes of a run that looks wrong: it is held, and a person releases or discards it.
//!
//! A held run is stored as a generation that nobody sees; its reports say what is wrong. A release publishes exactly
//! what was held, a discard drops it, and any other publication makes it out of date. The baseline of the
//! comparison moves with publications only, so a run after a held one is compared with what readers see.

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Loaded;
use crate::diag::{Diagnostic, Place};
use crate::drift::{DriftReport, Finding, Segment, Severity};
use crate::model::act::{Act, Deed, Input, Undone};
use crate::model::gates::Gate;
use crate::model::id::Fingerprint;
use crate::model::job::Job;
use crate::model::sabotage;
use crate::store::{
    DocumentRecord, HeldRun, Kind, Lock, Record, Request, RequestBody, ScopeRecord, Store, View, Writer,
};

use super::once::{Options, Progress, clock_behind, new_report, publish, stop};
use super::report::{DiagnosticReport, LISTED, Outcome, SourcesReport, again_of};
use super::session::Session;
use super::watch::Watch;
use super::{Error, RunReport, Step, Workspace, acts, backfill, index, output, past};

/// The rule of a finding about inputs that a rollback undid.
const UNDONE: &str = "drift-undone";
/// The rule of a finding about a frozen graph.
const FROZEN: &str = "drift-frozen";
/// The rule of the finding that holds a candidate.
const CANDIDATE: &str = "drift-candidate";

/// Who does something with a whole run or generation, and why.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// What an act came to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ActReport {
    /// The version of this form.
    pub version: u32,
    /// `release`, `discard`, `rollback`, `freeze` or `unfreeze`.
    pub act: String,
    /// Its number; null for a dry run.
    pub number: Option<u64>,
    /// Who did it.
    pub by: String,
    /// When, as an RFC 3339 time.
    pub at: String,
    /// Why.
    pub reason: String,
    /// The run that was released or discarded; null for other acts.
    pub of_run: Option<String>,
    /// The generation to which the graph was put back; null for other acts.
    pub to: Option<u64>,
    /// What the discarded run was asked to read again, and the next run reads again only if it is asked to as well;
    /// empty for other acts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<String>,
    /// What was published by it, in the form of a run.
    pub run: RunReport,
}

impl ActReport {
    /// `again` is what a discarded run was asked to read again.
    pub(super) fn of(act: &Act, run: RunReport, again: Vec<String>, plan: bool) -> Self {
        let (of_run, to) = match &act.deed {
            Deed::Release { run } | Deed::Discard { run } | Deed::Force { run } => (Some(run.clone()), None),
            Deed::Rollback { to } => (None, Some(*to)),
            Deed::Freeze | Deed::Unfreeze | Deed::Purge { .. } => (None, None),
        };
        Self {
            version: 1,
            act: act.deed.name().to_owned(),
            number: (!plan).then_some(act.number),
            by: act.by.clone(),
            at: act.at.clone(),
            reason: act.reason.clone(),
            of_run,
            to,
            again,
            run,
        }
    }
}

/// Why a run is held even if nothing is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidate {
    /// A person asked for it.
    Asked,
    /// It takes the place of a candidate that nobody has judged: else the next night would publish what a person
    /// wanted to see first.
    Unjudged,
}

/// Whether a run is a candidate. To be asked before it begins, which sweeps what was held.
pub(super) fn candidate(store: &Store, options: &Options) -> Result<Option<Candidate>, Error> {
    if options.candidate {
        return Ok(Some(Candidate::Asked));
    }
    Ok(store.last_held()?.filter(|held| held.candidate).map(|_| Candidate::Unjudged))
}

/// True if the run that is held has looked at inputs that this one does not look at: if this one finds nothing to do,
/// that says nothing about it.
pub(super) fn is_of_other_jobs(store: &Store, jobs: &[Job]) -> Result<bool, Error> {
    let is_run = |name: &String| jobs.iter().any(|job| job.name == *name);
    Ok(store.last_held()?.is_some_and(|held| !held.jobs.iter().all(is_run)))
}

/// True if a run must be held, whatever its gates say of the drift report, or because they say so.
pub(super) fn must_hold(drift: &DriftReport) -> bool {
    if sabotage::is_off("hold") {
        return false;
    }
    let whatever = |finding: &Finding| [UNDONE, FROZEN, CANDIDATE].contains(&finding.rule.as_str());
    drift.holds || drift.findings.iter().any(whatever)
}

/// Lets a run that looks wrong be published if a person wants that whatever it looks like, which is kept as an act.
/// Returns true if so. What it may not override is refused before the run begins.
pub(super) fn force(session: &mut Session<'_>, drift: &DriftReport) -> Result<bool, Error> {
    let Some(actor) = session.options.force.as_ref().filter(|_| must_hold(drift)) else { return Ok(false) };
    let deed = Deed::Force { run: session.report.run.clone() };
    session.report.forced = Some(format!("{}: {}", actor.by, actor.reason));
    session.writer.put(&acts::next_act(&session.writer.view(), session.options, actor, deed)?)?;
    forget_undone(session.writer)?;
    Ok(true)
}

/// What is told of a run beside what it did.
#[derive(Clone, Copy)]
pub(super) struct Told<'t> {
    /// What of it a person should look at.
    pub(super) drift: &'t DriftReport,
    /// How its sources and feeds stand.
    pub(super) sources: &'t SourcesReport,
    /// How long it took.
    pub(super) watch: &'t Watch,
}

/// Holds a run, and leaves its reports. Nothing of it is visible, no checkpoint moves, no request leaves the queue.
#[expect(clippy::too_many_arguments, reason = "what a run has gathered comes together here")]
pub(super) fn hold(
    workspace: &Workspace,
    store: &Store,
    writer: Writer<'_>,
    report: RunReport,
    told: Told<'_>,
    options: &Options,
    carried_out: &[i64],
    candidate: Option<Candidate>,
) -> Result<RunReport, Error> {
    let Told { drift, sources, watch } = told;
    let held = HeldRun {
        candidate: candidate.is_some(),
        run: report.run.clone(),
        generation: writer.generation(),
        since: options.now.clone(),
        carried_out: carried_out.to_vec(),
        findings: drift.findings.iter().map(|finding| finding.key.clone()).collect(),
        swept: false,
        logical_date: backfill::made_for(options),
        jobs: report.jobs().map(str::to_owned).collect(),
    };
    let mut report = RunReport { outcome: Outcome::Held, generation: None, ..report };
    super::once::complete(store, &mut report)?;
    // The reports come first: a run that is held without them could not be judged.
    report.end(watch);
    output::write_reports(workspace, &report, drift, sources)?;
    writer.hold(&held)?;
    Ok(report)
}

/// Notes what of tonight's inputs a rollback had undone, whether the graph is frozen, and whether the run is a
/// candidate, or one was held that nobody has judged: each holds the run.
///
/// A mark goes with the first version of its input that is another one.
pub(super) fn note(
    session: &Session<'_>,
    drift: &mut DriftReport,
    candidate: Option<Candidate>,
) -> Result<(), Error> {
    let (now, before) = (session.writer.view(), session.writer.before());
    let (mut back, mut over): (Vec<String>, Vec<Undone>) = (Vec::new(), Vec::new());
    let mut count = 0;
    each_mark(&session.writer.view(), |mark| {
        let [is, was] = [now, before].map(|view| content_of(&view, &mark));
        let (is, was) = (is?, was?);
        let is_back = is == mark.content && !sabotage::is_off("undone-mark");
        if is != was && is_back {
            count += 1;
            if back.len() < LISTED {
                back.push(mark.what().to_owned());
            }
        } else if is != was {
            over.push(mark);
        }
        Ok(())
    })?;
    for mark in &over {
        session.writer.close(Kind::Undone, &Record::id(mark))?;
    }
    if count > 0 {
        let says = match count {
            1 => "an input that a rollback took out would come back as it was".to_owned(),
            _ => format!("{count} inputs that a rollback took out would come back as they were"),
        };
        drift.add(Finding { documents: back, ..finding(UNDONE, count, says) });
    }
    if let Some(candidate) = candidate
        && session.writer.has_changes()?
    {
        let (severity, says) = match candidate {
            Candidate::Asked => (Severity::Info, "a candidate, as asked: `edgewright release` publishes it"),
            Candidate::Unjudged => {
                (Severity::Fail, "the candidate before it is neither released nor discarded")
            }
        };
        drift.add(Finding { severity, ..finding(CANDIDATE, 0, says.to_owned()) });
    }
    if session.writer.has_changes()?
        && let Some(act) = frozen(&now)?
    {
        let says = format!("frozen by {} at {}: {}", act.by, act.at, act.reason);
        drift.add(finding(FROZEN, 0, says));
    }
    Ok(())
}

/// Calls `each` for every mark whose input this generation has changed. Linear in what it has changed.
fn each_mark(now: &View<'_>, mut each: impl FnMut(Undone) -> Result<(), Error>) -> Result<(), Error> {
    if now.count(Kind::Undone)? == 0 {
        return Ok(());
    }
    for (kind, input) in [(Kind::Document, "document"), (Kind::Scope, "feed")] {
        for (id, ..) in now.touched_in(kind, now.generation())? {
            if let Some(mark) = now.get::<Undone>(&format!("{input} {id}"))? {
                each(mark)?;
            }
        }
    }
    Ok(())
}

fn content_of(view: &View<'_>, mark: &Undone) -> Result<Option<Fingerprint>, Error> {
    Ok(match mark.input {
        Input::Document => view.get::<DocumentRecord>(&mark.document)?.map(|document| document.content),
        Input::Feed => view.get::<ScopeRecord>(&mark.source)?.and_then(|scope| scope.content),
    })
}

fn finding(rule: &str, count: u64, says: String) -> Finding {
    Finding {
        rule: rule.to_owned(),
        severity: Severity::Fail,
        segment: Segment { edge_type: "*".to_owned(), source: "*".to_owned() },
        before: 0,
        after: 0,
        count,
        says: Some(says),
        gate: Gate::Block,
        causes: Default::default(),
        rules: Default::default(),
        documents: Vec::new(),
        examples: Vec::new(),
        also: Vec::new(),
        key: Fingerprint::of(&[rule]).to_string(),
        accept: None,
        accepted: None,
    }
}

/// What is said of a held run that the next generation takes the place of.
pub(super) fn replaced(
    workspace: &Workspace,
    store: &Store,
    options: &Options,
) -> Result<Option<Diagnostic>, Error> {
    let held = if options.plan { None } else { store.held()? };
    let report = held.as_ref().map(|held| past::run_report(workspace, &held.run)).transpose()?.flatten();
    let again = report.map(|report| report.again).unwrap_or_default();
    let mut hint = "what it would have changed is compared anew by the next run; its reports stay".to_owned();
    if !again.is_empty() {
        hint.push_str(&format!(
            "; what it was asked to read again is asked for anew by `{}`",
            again_of(&again)
        ));
    }
    Ok(held.map(|held| {
        let message = format!("the run `{}`, held since {}, is out of date", held.run, held.since);
        Diagnostic::note(
            "held-replaced",
            Place::file(workspace.run_folder(&held.run).display().to_string()),
            message,
        )
        .hint(hint)
    }))
}

/// The act by which the graph is frozen, if it is.
pub fn frozen(view: &View<'_>) -> Result<Option<Act>, Error> {
    if !view.store().has_acts() {
        return Ok(None);
    }
    let acts: Vec<Act> = view.all()?;
    let last = acts.into_iter().rev().find(|act| matches!(act.deed, Deed::Freeze | Deed::Unfreeze));
    Ok(last.filter(|act| act.deed == Deed::Freeze))
}

/// Refuses to publish into a frozen graph.
pub(super) fn refuse_if_frozen(store: &Store) -> Result<(), Error> {
    match frozen(&store.current()?)? {
        None => Ok(()),
        Some(act) => Err(Error::Usage {
            message: format!("the graph is frozen, by {} at {}: {}", act.by, act.at, act.reason),
            hint: Some("`edgewright unfreeze --reason …` lets it change again".to_owned()),
        }),
    }
}

/// Refuses what would sweep a candidate: the next night would publish what a person wanted to see first.
pub(super) fn refuse_if_candidate(store: &Store) -> Result<(), Error> {
    match store.last_held()?.filter(|held| held.candidate) {
        None => Ok(()),
        Some(held) => Err(Error::Usage {
            message: format!("the run `{}` is a candidate that nobody has judged", held.run),
            hint: Some("`edgewright release` or `edgewright discard` it first, with `--reason`".to_owned()),
        }),
    }
}

/// Publishes the run that is held, exactly as it was held. What a person asked for in the meantime waits for the
/// next run.
pub fn release(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    run: Option<&str>,
    actor: &Actor,
) -> Result<ActReport, Error> {
    valid(loaded)?;
    let opened = Opened::for_acting(workspace, options, progress)?;
    refuse_if_frozen(&opened.store)?;
    let held = opened.held(run).map_err(|error| error.beside(&opened.resumed))?;
    let mended = index::follow(workspace, &opened.store, None, &|_| Ok(()))?.diagnostic(workspace);
    let Some((writer, _)) = opened.store.resume()? else {
        return Err(Error::Usage {
            message: format!(
                "the candidate `{}` can no longer be published: another run began after it",
                held.run
            ),
            hint: Some(
                "`edgewright run --candidate` makes it anew, `edgewright discard` gives it up".to_owned(),
            ),
        });
    };
    let act = opened.act(options, actor, Deed::Release { run: held.run.clone() })?;
    writer.put(&act)?;
    forget_undone(&writer)?;
    let mut report = match past::run_report(workspace, &held.run)? {
        Some(report) => report,
        // The reports were taken away: what is published is told by the changelog all the same.
        None => RunReport { run: held.run.clone(), ..new_report(options, &opened.store)? },
    }
    .released();
    report.diagnostics.extend(mended.iter().chain(&opened.resumed).map(DiagnosticReport::from));
    let done = carried_out(&opened.store, &held)?;
    let report = publish(workspace, &opened.store, writer, report, options, progress, &done, None)?;
    let report = ActReport::of(&act, report, Vec::new(), false);
    output::write_act(workspace, &held.run, &report)?;
    stop(options, progress, Step::Reported)?;
    Ok(report)
}

/// The requests that are over with a release: what the run carried out, and what accepts a finding of it, which would
/// otherwise accept the next one of its kind unseen.
fn carried_out(store: &Store, held: &HeldRun) -> Result<Vec<i64>, Error> {
    let accepts = |request: &Request| match &request.body {
        RequestBody::AcceptFinding { key, .. } => held.findings.contains(key),
        _ => false,
    };
    let mut done = held.carried_out.clone();
    done.extend(store.requests()?.iter().filter(|request| accepts(request)).map(|request| request.number));
    Ok(done)
}

/// What was undone and is in the graph again was released with it.
fn forget_undone(writer: &Writer<'_>) -> Result<(), Error> {
    let (now, before) = (writer.view(), writer.before());
    let mut over = Vec::new();
    each_mark(&now, |mark| {
        if content_of(&now, &mark)? != content_of(&before, &mark)? {
            over.push(Record::id(&mark));
        }
        Ok(())
    })?;
    for id in over {
        writer.close(Kind::Undone, &id)?;
    }
    Ok(())
}

/// Drops the run that is held. Its reports stay; its inputs are read again by the next run.
pub fn discard(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    run: Option<&str>,
    actor: &Actor,
) -> Result<ActReport, Error> {
    valid(loaded)?;
    let opened = Opened::for_acting(workspace, options, progress)?;
    let held = opened.held(run).map_err(|error| error.beside(&opened.resumed))?;
    let report = opened.note(workspace, options, progress, actor, Deed::Discard { run: held.run.clone() })?;
    output::write_act(workspace, &held.run, &report)?;
    stop(options, progress, Step::Reported)?;
    Ok(report)
}

/// Freezes the graph, or lets it change again: while it is frozen a run that would change something is held.
pub fn freeze(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    actor: &Actor,
    on: bool,
) -> Result<ActReport, Error> {
    valid(loaded)?;
    let opened = Opened::for_acting(workspace, options, progress)?;
    refuse_if_candidate(&opened.store)?;
    let act = frozen(&opened.store.current()?)?;
    let done = match (on, act) {
        (true, Some(act)) => Err(Error::Usage {
            message: format!("the graph is frozen already, by {} at {}: {}", act.by, act.at, act.reason),
            hint: None,
        }),
        (false, None) => Err(Error::Usage {
            message: "the graph is not frozen".to_owned(),
            hint: Some("`edgewright freeze --reason …` freezes it".to_owned()),
        }),
        (true, None) => opened.note(workspace, options, progress, actor, Deed::Freeze),
        (false, Some(_)) => opened.note(workspace, options, progress, actor, Deed::Unfreeze),
    };
    done.map_err(|error| error.beside(&opened.resumed))
}

fn valid(loaded: Loaded) -> Result<(), Error> {
    if loaded.ok() { Ok(()) } else { Err(Error::Config(loaded.diagnostics)) }
}

/// A graph that a person is about to do something with as a whole.
pub(super) struct Opened {
    pub(super) store: Store,
    /// What became of a purge that was stopped.
    pub(super) resumed: Vec<Diagnostic>,
    _lock: Lock,
}

impl Opened {
    pub(super) fn for_acting(
        workspace: &Workspace,
        options: &Options,
        progress: Progress<'_>,
    ) -> Result<Self, Error> {
        // A graph must not come to be by an act.
        let there = Store::open_read(&workspace.store())?;
        let lock = Lock::take(&workspace.lock())?;
        let (store, resumed) = output::open_with_its_changelog(workspace, options.plan)?;
        drop(there);
        stop(options, progress, Step::Opened)?;
        acts::catch_up(workspace, &store, options)?;
        Ok(Self { store, resumed, _lock: lock })
    }

    /// The run that is held, if it is the one that is meant.
    fn held(&self, run: Option<&str>) -> Result<HeldRun, Error> {
        let refuse = |message: String, hint: &str| Error::Usage { message, hint: Some(hint.to_owned()) };
        match (self.store.last_held()?, run) {
            (Some(held), None) => Ok(held),
            (Some(held), Some(run)) if held.run == run => Ok(held),
            (Some(held), Some(run)) => Err(refuse(
                format!("the run `{run}` is not held"),
                &format!("the held run is `{}`", held.run),
            )),
            (None, Some(run)) => Err(refuse(
                format!(
                    "the run `{run}` is not held: another publication, a later run or a discard has made it out of date"
                ),
                "`edgewright run` compares the inputs with what stands now",
            )),
            (None, None) => Err(refuse(
                "no run is held: none was, or another publication, a later run or a discard has made it out of date"
                    .to_owned(),
                "`edgewright run` compares the inputs with what stands now; `edgewright runs` lists what was",
            )),
        }
    }

    pub(super) fn act(&self, options: &Options, actor: &Actor, deed: Deed) -> Result<Act, Error> {
        Ok(acts::next_act(&self.store.current()?, options, actor, deed)?)
    }

    /// Publishes a generation that holds an act and nothing else. What was held is swept by it.
    fn note(
        &self,
        workspace: &Workspace,
        options: &Options,
        progress: Progress<'_>,
        actor: &Actor,
        deed: Deed,
    ) -> Result<ActReport, Error> {
        let act = self.act(options, actor, deed)?;
        let mended = index::follow(workspace, &self.store, None, &|_| Ok(()))?.diagnostic(workspace);
        let is_meant = matches!(act.deed, Deed::Discard { .. });
        let replaced = if is_meant { None } else { replaced(workspace, &self.store, options)? };
        let writer = self.store.begin(false)?;
        writer.put(&act)?;
        let mut report = new_report(options, &self.store)?;
        let behind = clock_behind(workspace, &self.store, options)?;
        report.diagnostics.extend(
            mended.iter().chain(&behind).chain(&replaced).chain(&self.resumed).map(DiagnosticReport::from),
        );
        report.outcome = Outcome::Published;
        report.drift = "pass".to_owned();
        let report = publish(workspace, &self.store, writer, report, options, progress, &[], None)?;
        let of = match &act.deed {
            Deed::Discard { run } => past::run_report(workspace, run)?,
            _ => None,
        };
        Ok(ActReport::of(&act, report, of.map(|of| of.again).unwrap_or_default(), false))
    }
}
