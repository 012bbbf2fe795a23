//! `runs`: the last runs, a line each.

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::run::RunReport;
use crate::run::past::{judgement, last_runs};
use crate::run::report::Outcome;

/// List the last runs: when each began, how long it took, how it ended
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
    /// What a person has made of a run that looked wrong: `released`, `discarded` or, at once, `forced`; null while it
    /// waits, if it was not held, or if something else took its place.
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

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let workspace = shell.workspace()?;
    let mut runs = Vec::new();
    for report in last_runs(&workspace, args.limit)? {
        let judged = if report.held { judgement(&workspace, &report.run)? } else { None };
        let word = match judged {
            Some(Some(_)) => Some("released"),
            Some(None) => Some("discarded"),
            None => report.forced.as_ref().map(|_| "forced"),
        };
        runs.push(RunLine { judged: word.map(str::to_owned), ..RunLine::from(&report) });
    }
    let view = RunsView { version: 1, runs };
    shell.out.value(&view, render::runs)?;
    Ok(Exit::Done)
}
