//! `runs`: the last runs, changes by hand and acts, a line each.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use super::status::Did;
use crate::model::act::{Act, Deed};
use crate::run::past::{back_through_edits, last_runs};
use crate::run::report::Outcome;
use crate::run::{self, RunReport};
use crate::store::{self, HeldRun, Store};

/// List the last runs, edits and acts: when each began, how long it took, how it ended
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright runs
  edgewright runs --limit 100 --output json | jq '.runs[] | select(.exit_code > 0)'

Listed are the last runs, and what came between them: changes by hand (edits and withdrawals), and acts (release, discard,
rollback, freeze, unfreeze, purge). A run that was forced or put the graph back says so in its own line. Plans, dry runs
and commands that were mistyped leave nothing to list.")]
pub(super) struct Args {
    /// How many runs, and of the changes by hand since the first of them as many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

/// The last runs.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RunsView {
    /// The version of this form.
    pub(super) version: u32,
    /// The runs, the last one first.
    pub(super) runs: Vec<RunLine>,
    /// The changes by hand in that time, edits and withdrawals, the last one first, and no more than runs were asked for.
    /// What a purge took away is an act.
    pub(super) edits: Vec<EditLine>,
    /// What persons did with whole runs and generations in that time, the last act first. Each made a generation;
    /// those of `discard`, `freeze` and `unfreeze` hold the act and change nothing in the graph.
    pub(super) acts: Vec<ActLine>,
}

/// A change by hand, as far as it fits into a line. Its `edit.json` has everything.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct EditLine {
    /// The run's id.
    pub(super) run: String,
    /// When it began, as an RFC 3339 time.
    pub(super) started_at: String,
    /// The generation that it published; null if it changed nothing.
    pub(super) generation: Option<u64>,
    /// The generation that stood before.
    pub(super) before: u64,
    /// How many facts it changed.
    pub(super) changes: u64,
    /// The state of its drift report.
    pub(super) drift: String,
    /// What it did, edit by edit.
    pub(super) edits: Vec<Did>,
}

/// The report of a change by hand, as far as it is asked for.
#[derive(Deserialize)]
struct EditFile {
    run: String,
    started_at: String,
    generation: Option<u64>,
    before: u64,
    changes: Vec<IgnoredAny>,
    more_changes: u64,
    drift: String,
    edits: Vec<Did>,
}

impl From<EditFile> for EditLine {
    fn from(file: EditFile) -> Self {
        let EditFile { run, started_at, generation, before, changes, more_changes, drift, edits } = file;
        let changes = changes.len() as u64 + more_changes;
        Self { run, started_at, generation, before, changes, drift, edits }
    }
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
    let limit = args.limit as usize;
    for report in last_runs(&workspace, limit)? {
        let judged = became(&report).map(str::to_owned);
        runs.push(RunLine { judged, ..RunLine::from(&report) });
    }
    // Of what was before the runs that are listed nothing is told.
    let first = runs.last().filter(|_| runs.len() >= limit).map(|run| run.started_at.clone());
    let mut acts = known.map(|known| known.acts).unwrap_or_default();
    acts.retain(|(_, act)| first.as_ref().is_none_or(|first| act.at >= *first));
    acts.reverse();
    let is_act = |generation: Option<u64>| acts.iter().any(|(made, _)| Some(*made) == generation);
    let mut edits = Vec::new();
    back_through_edits(&workspace, |file: EditFile| {
        let listed = first.as_ref().is_none_or(|first| file.started_at >= *first);
        // A purge publishes as an edit does, and is listed as the act that it is.
        if listed && !is_act(file.generation) {
            edits.push(EditLine::from(file));
        }
        listed && edits.len() < limit
    })?;
    let view = RunsView { version: 1, runs, edits, acts: acts.into_iter().map(ActLine::from).collect() };
    shell.out.value(&view, render::runs)?;
    Ok(Exit::Done)
}
