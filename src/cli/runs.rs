//! `runs`: the last runs and acts, a line each.

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::model::act::{Act, Deed};
use crate::run::past::last_runs;
use crate::run::report::Outcome;
use crate::run::{self, RunReport};
use crate::store::{self, HeldRun, Store};

/// List the last runs and acts: when each began, how long it took, how it ended
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright runs
  edgewright runs --limit 100 --output json | jq '.runs[] | select(.exit_code > 0)'")]
pub(super) struct Args {
    /// How many.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// The last runs.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RunsView {
    /// The version of this form.
    pub(super) version: u32,
    /// The runs, the last one first.
    pub(super) runs: Vec<RunLine>,
    /// What persons did with whole runs and generations in that time, the last act first. Each made a generation;
    /// those of `discard`, `freeze` and `unfreeze` hold the act and change nothing in the graph.
    pub(super) acts: Vec<ActLine>,
}

/// An act of a person.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct ActLine {
    /// Its number.
    pub(super) number: u64,
    /// `release`, `discard`, `force`, `rollback`, `freeze`, `unfreeze` or `purge`.
    pub(super) act: String,
    /// The run that was released, discarded or forced; null for other acts.
    pub(super) of_run: Option<String>,
    /// The generation to which the graph was put back; null for other acts.
    pub(super) to: Option<u64>,
    /// Who did it.
    pub(super) by: String,
    /// When, as an RFC 3339 time.
    pub(super) at: String,
    /// Why.
    pub(super) reason: String,
    /// The generation that it made.
    pub(super) generation: u64,
}

impl From<(u64, Act)> for ActLine {
    fn from((generation, act): (u64, Act)) -> Self {
        let name = act.deed.name().to_owned();
        let (of_run, to) = match act.deed {
            Deed::Release { run } | Deed::Discard { run } | Deed::Force { run } => (Some(run), None),
            Deed::Rollback { to } => (None, Some(to)),
            Deed::Freeze | Deed::Unfreeze | Deed::Purge { .. } => (None, None),
        };
        let Act { number, by, at, reason, .. } = act;
        Self { number, act: name, of_run, to, by, at, reason, generation }
    }
}

/// A run, as far as it fits into a line. Its `run.json` has everything.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RunLine {
    /// Its id.
    pub(super) run: String,
    /// The jobs that ran, separated by commas.
    pub(super) job: String,
    /// The day that it stands for.
    pub(super) logical_date: String,
    /// When it began, as an RFC 3339 time.
    pub(super) started_at: String,
    /// When it ended, as an RFC 3339 time.
    pub(super) finished_at: String,
    /// How long it took, in seconds.
    pub(super) seconds: f64,
    /// How it ended.
    pub(super) outcome: Outcome,
    /// Its exit code.
    pub(super) exit_code: u8,
    /// The generation that it published; null if it published none.
    pub(super) generation: Option<u64>,
    /// The generation that stood before.
    pub(super) before: u64,
    /// How many facts it changed.
    pub(super) changes: u64,
    /// The state of its drift report; empty if it has none.
    pub(super) drift: String,
    /// Why it failed; null if it did not.
    pub(super) error: Option<String>,
    /// What has become of a run that looked wrong: `released`, `discarded` or, at once, `forced`; `replaced` if it was
    /// held until a later run or whatever else was published took its place; null while it waits, or if it was not held.
    pub(super) judged: Option<String>,
}

impl From<&RunReport> for RunLine {
    fn from(report: &RunReport) -> Self {
        Self {
            run: report.run.clone(),
            job: report.job.clone(),
            logical_date: report.logical_date.clone(),
            started_at: report.started_at.clone(),
            finished_at: report.times.finished_at.clone(),
            seconds: report.times.seconds,
            outcome: report.outcome,
            exit_code: report.exit_code,
            generation: report.generation,
            before: report.before,
            changes: report.changed(),
            drift: report.drift.clone(),
            error: report.error.as_ref().map(|error| error.message.clone()),
            judged: None,
        }
    }
}

/// What the store knows of runs and acts.
struct Known {
    acts: Vec<(u64, Act)>,
    held: Option<HeldRun>,
}

impl Known {
    fn of(store: &Store) -> Result<Self, store::Error> {
        Ok(Self { acts: run::acts(&store.current()?)?, held: store.held()? })
    }
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let workspace = shell.workspace()?;
    let known = Store::open_read(&workspace.store()).and_then(|store| {
        shell.unlocked = store.stamp();
        Known::of(&store)
    });
    let known = match known {
        Ok(known) => Some(known),
        Err(store::Error::Absent { .. }) => None,
        // The reports tell of a night in which the store came to harm.
        Err(error) => {
            shell.out.say(&format!("note: what persons did with runs is not listed: {error}"))?;
            None
        }
    };
    let became = |report: &RunReport| {
        known.as_ref().and_then(|known| run::became(report, &known.acts, known.held.as_ref()))
    };
    let mut runs = Vec::new();
    for report in last_runs(&workspace, args.limit)? {
        let judged = became(&report).map(str::to_owned);
        runs.push(RunLine { judged, ..RunLine::from(&report) });
    }
    // Of what was before the runs that are listed nothing is told.
    let first = runs.last().filter(|_| runs.len() >= args.limit).map(|run| run.started_at.clone());
    let mut acts = known.map(|known| known.acts).unwrap_or_default();
    acts.retain(|(_, act)| first.as_ref().is_none_or(|first| act.at >= *first));
    acts.reverse();
    let view = RunsView { version: 1, runs, acts: acts.into_iter().map(ActLine::from).collect() };
    shell.out.value(&view, render::runs)?;
    Ok(Exit::Done)
}
