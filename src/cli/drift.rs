//! `drift`: what a run changed and whether that looks right, as text, JSON, Markdown, JUnit or a page.

use super::args::Output;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::notify::accepts;
use crate::run::past::{drift_report, last_runs, run_ids, run_report};
use crate::run::{DriftReport, Finding, RunReport, Workspace};

/// How many runs the charts of a page go back.
const CHARTED: usize = 30;

/// Show what a run changed, by cause, and what a person should look at
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright drift
  edgewright drift 20260601 --output html > drift.html     a page for a browser
  edgewright drift --output junit > drift.xml              for CI")]
pub(super) struct Args {
    /// The run: its id or how it begins; default: the last one that has a drift report.
    run: Option<String>,
}

/// What is shown of a run.
pub(super) struct Shown {
    /// What it did.
    pub(super) run: RunReport,
    /// What of it a person should look at.
    pub(super) drift: DriftReport,
    /// The commands that accept each finding, in their order.
    pub(super) accepts: Vec<Vec<Way>>,
    /// The runs up to it, the last one last; only for pages with charts.
    pub(super) past: Vec<RunReport>,
}

/// A way to accept a finding.
pub(super) struct Way {
    /// What the command does.
    pub(super) to: &'static str,
    /// The command.
    pub(super) command: String,
}

/// How a finding is accepted: of a held run with the run as it is, or for the next one, which compares anew. A
/// candidate is judged first.
fn ways(finding: &Finding, run: &RunReport, is_candidate: bool) -> Vec<Way> {
    let now = accepts(finding, run);
    let next = finding.accept.clone().filter(|command| !is_candidate && now.as_ref() != Some(command));
    match (now, next) {
        (Some(now), Some(next)) => vec![
            Way { to: "to publish the run as it is", command: now },
            Way { to: "to accept it in the next run", command: next },
        ],
        (now, next) => now.or(next).map(|command| Way { to: "to accept it", command }).into_iter().collect(),
    }
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let workspace = shell.workspace()?;
    let run = match &args.run {
        Some(asked) => named(&workspace, asked)?,
        None => last(&workspace)?,
    };
    let Some(drift) = drift_report(&workspace, &run.run)? else {
        let why = match &run.error {
            Some(error) => format!("it failed: {}", error.message),
            None => "its `drift.json` cannot be read".to_owned(),
        };
        return Err(Failure::usage(
            format!("the run {} has no drift report: {why}", run.run),
            "`edgewright runs` lists the runs",
        ));
    };
    let form = shell.global.output;
    if form == Output::Json {
        shell.out.json_line(&drift)?;
        return Ok(Exit::Done);
    }
    let past = if form == Output::Html { charted(&workspace, &run)? } else { Vec::new() };
    let is_candidate = drift.findings.iter().any(|finding| finding.rule == "drift-candidate");
    let accepts = drift.findings.iter().map(|finding| ways(finding, &run, is_candidate)).collect();
    let shown = Shown { run, drift, accepts, past };
    let text = match form {
        Output::Markdown => render::drift::markdown(&shown),
        Output::Junit => render::drift::junit(&shown),
        Output::Html => render::drift::html(&shown),
        Output::Text | Output::Json | Output::Csv => render::drift::text(&shown),
    };
    shell.out.text(&text)?;
    Ok(Exit::Done)
}

/// The run whose id begins so.
fn named(workspace: &Workspace, asked: &str) -> Result<RunReport, Failure> {
    let ids = run_ids(workspace)?;
    let begin_so: Vec<&String> = ids.iter().filter(|id| !asked.is_empty() && id.starts_with(asked)).collect();
    match begin_so.as_slice() {
        [id] => run_report(workspace, id)?.ok_or_else(|| {
            Failure::usage(
                format!("the report of the run {id} cannot be read"),
                "`edgewright runs` lists the others",
            )
        }),
        [] => Err(Failure::usage(format!("there is no run `{asked}`"), "`edgewright runs` lists them")),
        several => {
            let several: Vec<&str> = several.iter().take(5).map(|id| id.as_str()).collect();
            let hint = format!("write more of its id: {}", several.join(", "));
            Err(Failure::usage(format!("several runs begin with `{asked}`"), hint))
        }
    }
}

/// The last run that has a drift report, else the last one.
fn last(workspace: &Workspace) -> Result<RunReport, Failure> {
    let runs = last_runs(workspace, CHARTED)?;
    let judged = runs.iter().find(|run| !run.drift.is_empty()).or(runs.first());
    judged
        .cloned()
        .ok_or_else(|| Failure::usage("no run has left a report yet", "`edgewright run` makes the first"))
}

/// The runs up to one, the last one last.
fn charted(workspace: &Workspace, run: &RunReport) -> Result<Vec<RunReport>, Failure> {
    let mut past = last_runs(workspace, 10 * CHARTED)?;
    past.retain(|one| one.run == run.run || (&one.started_at, one.before) <= (&run.started_at, run.before));
    past.truncate(CHARTED);
    past.reverse();
    Ok(past)
}
