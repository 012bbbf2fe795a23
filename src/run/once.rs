//! One run, top to bottom: the flow of `ARCHITECTURE.md`, a paragraph a stage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::config::Loaded;
use crate::diag::{Diagnostic, Severity};
use crate::drift::{self, Ledger, Segment};
use crate::index::Reader;
use crate::model::gates::GateBook;
use crate::model::id::Fingerprint;
use crate::model::job::Connections;
use crate::model::time::Date;
use crate::store::{CensusRecord, Kind, Lock, Store, Writer};

use super::documents::look_at_all;
use super::fold::fold_all;
use super::hold::Actor;
use super::planning::{again, plan};
use super::register::Registers;
use super::report::{DiagnosticReport, LISTED, Outcome};
use super::session::Session;
use super::setup::Setup;
use super::watch::{Clock, Watch};
use super::{
    Error, RunReport, Step, Workspace, acts, audit, backfill, failed, feeds, floors, freshness, hold, index,
    named, names, nights, output, precision, requests, retention, scan, sources, totals,
};

/// What a run is given beside the workspace: time, and how to go about it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Now, as an RFC 3339 time.
    pub now: String,
    /// Now, in nanoseconds since 1970, for the comparison with files' times.
    pub now_ns: i128,
    /// Today, in the workspace's zone.
    pub today: Date,
    /// The day for which a person or a scheduler lets the run be made. What was read for a later day stands; today is
    /// this day then.
    pub logical_date: Option<Date>,
    /// True to say what would be done, and to write nothing.
    pub plan: bool,
    /// True to hold the run even if nothing is wrong with it.
    pub candidate: bool,
    /// Who wants the run to be published even if it looks wrong, and why.
    pub force: Option<Actor>,
    /// The secrets that feeds need.
    pub connections: Connections,
    /// Jobs to run; empty means all.
    pub jobs: Vec<String>,
    /// How many threads extract; 0 means one a core.
    pub threads: usize,
    /// Stops here as if the process had been killed. For tests.
    pub stop_at: Option<Step>,
    /// This program, by which the processes are started that parse documents of risky formats.
    pub program: PathBuf,
    /// The workspace, in which parsers of the user's run.
    pub workspace: PathBuf,
    /// True to let documents ask for a fault of their parser. For tests.
    pub faulty_parser: bool,
    /// Rules, edge types and documents that are read again although nothing has changed.
    pub again: Vec<String>,
    /// How the run tells that time passes.
    pub clock: Clock,
}

/// The source of a census record that counts an edge type over all sources.
const TOTAL: &str = "*";

/// What a run says while it works: a step, and how far it is (done, of).
pub type Progress<'p> = &'p (dyn Fn(Step, u64, u64) + Sync);

/// Runs the jobs of a workspace once, or says what that would do. A run that fails leaves a report as well.
pub fn run(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
) -> Result<RunReport, Error> {
    let watch = Watch::start(options.clock);
    let watched = |step: Step, done: u64, of: u64| {
        watch.reached(step);
        progress(step, done, of);
    };
    let ended = stages(workspace, loaded, options, &watched, &watch);
    if let Err(error) = &ended
        && !options.plan
    {
        failed::leave_report(workspace, options, &watch, error);
    }
    ended
}

/// The stages of a run, in their order.
fn stages(
    workspace: &Workspace,
    loaded: Loaded,
    options: &Options,
    progress: Progress<'_>,
    watch: &Watch,
) -> Result<RunReport, Error> {
    let golden = floors::declared(workspace, &loaded, &options.jobs)?;
    let retention = retention::declared(&loaded.jobs);
    let (setup, warnings) = Setup::new(loaded, &options.jobs)?;
    if setup.jobs.is_empty() {
        return Err(Error::Usage {
            message: "there is no job in `jobs/`: nothing would be read".to_owned(),
            hint: Some(
                "look whether the folder is there; `edgewright init DIR` writes a job to begin with"
                    .to_owned(),
            ),
        });
    }

    // One run at a time, and a store that readers may go on reading.
    let _lock = Lock::take(&workspace.lock())?;
    let (store, resumed) = output::open_with_its_changelog(workspace, options.plan)?;
    stop(options, progress, Step::Opened)?;
    acts::catch_up(workspace, &store, options)?;
    let (reader, mended) = ready_index(workspace, &store, options)?;
    let replaced = hold::replaced(workspace, &store, options)?;
    let candidate = hold::candidate(&store, options)?;
    if options.force.is_some() {
        hold::refuse_if_frozen(&store).map_err(Error::of_words)?;
        hold::refuse_if_candidate(&store).map_err(Error::of_words)?;
    }
    // A run that does not look at what a held one has looked at says nothing about it, and may not take the place of a
    // candidate: what a person wanted to see first would be published by the next one that does.
    let of_others = hold::is_of_other_jobs(&store, &setup.jobs)? || options.logical_date.is_some();
    if of_others && !options.plan && !options.candidate {
        hold::refuse_if_candidate(&store)?;
    }
    let writer = store.begin(options.plan)?;
    if of_others {
        writer.spare_held();
    }
    writer.made_for(backfill::made_for(options));
    let mut session = Session::new(&setup, &writer, options, progress, new_report(options, &store)?);
    session.diagnostics.extend(warnings.into_iter().chain(mended).chain(resumed));
    session.diagnostics.extend(clock_behind(workspace, &store, options)?);
    session.index = reader;
    session.golden = golden;
    session.again = again(&session, &options.again)?;
    session.reached(Step::Swept, 0, 0)?;

    // What people asked for comes first: decisions are inputs of everything after.
    session.merges = names::merges(&session)?;
    session.merges_before = session.merges.clone();
    let requests = store.requests()?;
    let carried_out = requests::carry_out(&mut session, &requests)?;
    session.reached(Step::Requested, requests.len() as u64, requests.len() as u64)?;

    // Master data: entities, their names, and the edges that feeds state.
    feeds::read_all(&mut session, workspace.root())?;
    session.merges = names::merges(&session)?;
    session.writer.batch()?;
    session.reached(Step::FeedsRead, 0, 0)?;

    // Documents: which ones must be looked at, and what they say.
    let registers = Registers::of(&session);
    let scanned = scan::scan_all(&mut session, workspace.root(), &registers)?;
    let plan = plan(&mut session, scanned, &registers)?;
    let sample = audit::sample(&session, &plan)?;
    session.reached(Step::Scanned, 0, plan.look.len() as u64)?;
    let lexicons = match plan.look.is_empty() && sample.is_empty() {
        true => names::Lexicons::default(),
        false => names::lexicons(&setup, &session.writer.view(), workspace)?,
    };
    look_at_all(&mut session, plan, &lexicons.by_ontology, &registers)?;
    audit::read_again(&mut session, &sample, &lexicons.by_ontology, &registers)?;
    freshness::note(&session)?;
    freshness::late(&mut session)?;
    session.reached(Step::DocumentsWritten, 0, 0)?;

    // Facts: everything that was touched is gated and folded, and nothing else. Drift: computed from the
    // change set, before anything is visible. A first text index is begun meanwhile, as far as it hangs on texts.
    let accepted = accepted(&session);
    freshness::stale(&mut session)?;
    let is_first = !options.plan && store.published()? == 0 && writer.has_changes()?;
    let begun = is_first.then(|| index::Begun::at(workspace, writer.generation()));
    let mut drift = fold_and_compare(&mut session, &store, &accepted)?;
    hold::note(&session, &mut drift, candidate)?;
    session.report.drift = state_name(drift.state).to_owned();
    session.report.findings = drift.findings.clone();
    let forced = hold::force(&mut session, &drift)?;
    session.report.held = hold::must_hold(&drift) && !forced;

    if !of_others || writer.has_changes()? {
        session.diagnostics.extend(replaced);
    }

    // A run that looks wrong ends here: it is stored with its reports, and readers keep what they have.
    let totals = totals::totals(&store, &writer, options.today, &options.now)?;
    let sources = sources::report(&session)?;
    let report = RunReport { totals, ..finish(session)? };
    if hold::must_hold(&drift) && !forced && !options.plan {
        drop(begun);
        let told = hold::Told { drift: &drift, sources: &sources, watch };
        return hold::hold(workspace, &store, writer, report, told, options, &carried_out, candidate);
    }

    // Publication: one short transaction. Everything after it can be made again from what it wrote.
    let mut report = publish(workspace, &store, writer, report, options, progress, &carried_out, begun)?;
    if !options.plan {
        let pruned = retention::prune(workspace, &store, &retention, options);
        let (pruned, kept) = pruned.unwrap_or_else(|error| (0, vec![retention::failed(workspace, &error)]));
        report.pruned = pruned;
        report.diagnostics.extend(kept.iter().map(DiagnosticReport::from));
    }
    report.end(watch);
    if !options.plan {
        names::keep(&lexicons, &setup, workspace, &store)?;
        output::write_reports(workspace, &report, &drift, &sources)?;
        stop(options, progress, Step::Reported)?;
    }
    Ok(report)
}

/// The text index as of the published generation, in which names are looked up. A plan mends none.
pub(super) fn ready_index(
    workspace: &Workspace,
    store: &Store,
    options: &Options,
) -> Result<(Option<Reader>, Option<Diagnostic>), Error> {
    if options.plan {
        return Ok((index::ready(workspace, store)?, None));
    }
    let followed = index::follow(workspace, store, None, &|_| Ok(()))?;
    Ok((followed.reader.clone(), followed.diagnostic(workspace)))
}

/// Folds what was touched, and compares what that changes with what was there.
pub(super) fn fold_and_compare(
    session: &mut Session<'_>,
    store: &Store,
    accepted: &BTreeSet<String>,
) -> Result<drift::DriftReport, Error> {
    precision::settle(session)?;
    let mut ledger = Ledger::new(census(session)?);
    fold_all(session, &mut ledger)?;
    session.reached(Step::Folded, session.report.work.folded, session.report.work.folded)?;
    session.observed.documents = documents_before(session);
    floors::judge(session, store)?;
    let gates = gates(session.setup);
    session.observed.week = nights::week(session, &ledger)?;
    session.observed.spread = nights::past_spread(session, &gates)?;
    let context = drift::Context {
        job: &session.setup.job_names(),
        run: &session.report.run,
        baseline: Some(store.published()?).filter(|before| *before > 0),
        gates: &gates,
        accepted,
        consents: &session.consents,
        observed: &session.observed,
        counted: None,
    };
    let mut drift = ledger.finish(&context).map_err(|violation| Error::Bug(violation.to_string()))?;
    named::ends(session, &mut drift)?;
    write_census(session, &drift)?;
    session.report.drift = state_name(drift.state).to_owned();
    session.reached(Step::Compared, 0, 0)?;
    Ok(drift)
}

/// Publishes what was written, and lets everything follow that is made from it. A plan is given up instead.
#[expect(clippy::too_many_arguments, reason = "what a run has gathered comes together here")]
pub(super) fn publish(
    workspace: &Workspace,
    store: &Store,
    writer: Writer<'_>,
    mut report: RunReport,
    options: &Options,
    progress: Progress<'_>,
    carried_out: &[i64],
    begun: Option<index::Begun>,
) -> Result<RunReport, Error> {
    let mut changelog = output::NewChangelog::of(workspace, writer.generation());
    if options.plan {
        report.generation = writer.has_changes()?.then_some(writer.generation());
        report.work.indexed = index::would_write(writer.view())?;
        writer.discard()?;
    } else {
        let recorded_at = recorded_at(store, options)?;
        let mut each = |line: &str| changelog.line(line);
        report.generation = writer.publish_and_tell(&report.run, &recorded_at, carried_out, &mut each)?;
    }
    stop(options, progress, Step::Published)?;
    complete(store, &mut report)?;
    if !options.plan {
        changelog.put_in_place()?;
        stop(options, progress, Step::ChangelogWritten)?;
        let reached = |step| stop(options, progress, step);
        let followed = index::follow(workspace, store, begun, &reached)?;
        report.work.indexed = followed.written;
        let anew = followed.diagnostic(workspace).filter(|_| followed.anew);
        report.diagnostics.extend(anew.iter().map(DiagnosticReport::from));
        stop(options, progress, Step::Indexed)?;
    }
    Ok(report)
}

/// When a generation is recorded: now, and never before the last one, so that what was known at a time only grows.
/// Times are compared as texts: all are written in one form, to the second and in UTC.
fn recorded_at(store: &Store, options: &Options) -> Result<String, Error> {
    let last = store.generations()?.pop().map(|last| last.recorded_at).unwrap_or_default();
    Ok(last.max(options.now.clone()))
}

/// What is said of a clock that went back.
pub(super) fn clock_behind(
    workspace: &Workspace,
    store: &Store,
    options: &Options,
) -> Result<Option<Diagnostic>, Error> {
    let recorded = recorded_at(store, options)?;
    Ok((recorded != options.now).then(|| {
        let message = format!(
            "the clock says {}, and the last generation was recorded at {recorded}: what is published now is recorded at that time",
            options.now
        );
        let place = crate::diag::Place::file(workspace.store().display().to_string());
        Diagnostic::warning("clock-behind", place, message)
            .hint("set the clock; whether a date has passed is told by it as well")
    }))
}

pub(super) fn stop(options: &Options, progress: Progress<'_>, step: Step) -> Result<(), Error> {
    progress(step, 0, 0);
    if options.stop_at == Some(step) { Err(Error::Stopped(step)) } else { Ok(()) }
}

pub(super) fn new_report(options: &Options, store: &Store) -> Result<RunReport, Error> {
    let before = store.published()?;
    let run = if options.plan { String::new() } else { run_id(options, before) };
    Ok(RunReport::begun(run, options, before))
}

/// The id of a run that begins now, over this generation. An earlier run's reports are never overwritten.
pub(super) fn run_id(options: &Options, before: u64) -> String {
    let workspace = Workspace::new(&options.workspace);
    let digits: String = options.now.chars().filter(char::is_ascii_digit).take(14).collect();
    let (now_ns, before) = (options.now_ns.to_string(), before.to_string());
    let mut attempt = 0_u64;
    loop {
        let tried = attempt.to_string();
        let parts = [options.now.as_str(), &now_ns, &before, &tried];
        let hash = Fingerprint::of(if attempt == 0 { &parts[..3] } else { &parts }).to_string();
        let id = format!("{digits}-{}", &hash[..8]);
        if !workspace.run_folder(&id).exists() {
            return id;
        }
        attempt += 1;
    }
}

/// The sources and feeds of which a person has said that what they lack is gone.
fn accepted(session: &Session<'_>) -> BTreeSet<String> {
    let scopes = session.accepted_scopes.iter().map(|(source, ..)| source);
    session.accepted_feeds.keys().chain(scopes).cloned().collect()
}

/// How many documents each source had, as far as it was scanned.
fn documents_before(session: &Session<'_>) -> BTreeMap<String, u64> {
    let sources = session.report.inputs.iter().filter(|input| input.kind == "source");
    sources.map(|input| (input.name.clone(), input.items.saturating_sub(input.added) + input.gone)).collect()
}

/// How many facts each segment had.
pub(super) fn census(session: &Session<'_>) -> Result<drift::Census, Error> {
    let records: Vec<CensusRecord> = session.writer.before().all()?;
    let mut census = drift::Census::default();
    for record in records {
        if record.source == TOTAL {
            census.edge_types.insert(record.edge_type, record.facts);
        } else {
            census
                .segments
                .insert(Segment { edge_type: record.edge_type, source: record.source }, record.facts);
        }
    }
    Ok(census)
}

fn write_census(session: &Session<'_>, drift: &drift::DriftReport) -> Result<(), Error> {
    for row in drift.segments.iter().chain(&drift.edge_types) {
        let record = CensusRecord {
            edge_type: row.segment.edge_type.clone(),
            source: row.segment.source.clone(),
            facts: row.after,
        };
        if row.after == 0 {
            session.writer.close(Kind::Census, &crate::store::Record::id(&record))?;
        } else {
            session.writer.put(&record)?;
        }
    }
    Ok(())
}

fn state_name(state: drift::State) -> &'static str {
    match state {
        drift::State::Pass => "pass",
        drift::State::Warn => "warn",
        drift::State::Fail => "fail",
        drift::State::NoBaseline => "no_baseline",
    }
}

/// The gates of every source and feed.
fn gates(setup: &Setup) -> GateBook {
    let mut book = GateBook::default();
    for job in &setup.jobs {
        book.enter(job.gates.clone(), job.sources.keys().chain(job.feeds.keys()).cloned());
    }
    book
}

/// Sorts what a reader sees, and says how it ended.
pub(super) fn finish(session: Session<'_>) -> Result<RunReport, Error> {
    let Session { mut report, mut diagnostics, gaps, writer, workers, setup, .. } = session;
    report.job = setup.job_names();
    (report.work.external_calls, report.work.external_ms) = workers.spent();
    report.cost.external_calls += workers.calls();
    report.changes.sort();
    report.work.log.sort();
    report.gaps = names::told(&writer.view(), &gaps)?;
    diagnostics.sort();
    diagnostics.dedup();
    let shown: BTreeSet<&String> =
        report.changes.iter().take(LISTED).flat_map(|one| [&one.subject, &one.object]).collect();
    report.names = names::shown(&writer.view(), shown)?;
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    report.outcome = match (failed, writer.has_changes()?) {
        (true, _) => Outcome::Partial,
        (false, true) => Outcome::Published,
        (false, false) => Outcome::NothingToDo,
    };
    report.diagnostics =
        diagnostics.iter().map(|diagnostic: &Diagnostic| DiagnosticReport::from(diagnostic)).collect();
    Ok(report)
}

/// Says what stands now.
pub(super) fn complete(store: &Store, report: &mut RunReport) -> Result<(), Error> {
    if let Some(last) = store.generations()?.pop() {
        report.state_digest = last.state_digest;
        report.history_digest = last.history_digest;
        report.published_at = Some(last.recorded_at);
    }
    Ok(())
}
