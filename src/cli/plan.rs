//! `plan` and `run`: what a run would do, and a run.

use indicatif::{ProgressBar, ProgressStyle};

use super::accept::reasoned;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::retract::as_document;
use super::shell::Shell;
use super::tell::Teller;
use crate::model::time::Date;
use crate::run::once::{self, Options};
use crate::run::{Actor, RunReport, Step};

/// Say what a run would do, and write nothing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright plan
  edgewright plan nightly --output json | jq .changes")]
pub(super) struct PlanArgs {
    #[command(flatten)]
    how: How,
}

/// Read what changed and publish what follows from it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright run
  edgewright run nightly --output json
  edgewright run --quiet                     say something only if something is wrong
  edgewright run --candidate                 hold it, and look at it with `diff held`
  edgewright run --again supplies.clause     read again what this rule can touch
  edgewright run --force --reason \"the merger of 1 March, ticket 812\"")]
pub(super) struct RunArgs {
    #[command(flatten)]
    how: How,
    /// Hold the run even if nothing is wrong with it: look at it with `diff held`, `eval --known-at held` and the
    /// like, then release or discard it.
    #[arg(long)]
    candidate: bool,
    /// Publish the run even if it looks wrong. What it looks like is reported all the same, and who wanted it and why
    /// is kept. A frozen graph stays frozen, and a candidate is judged first.
    #[arg(long, requires = "reason", conflicts_with = "candidate")]
    force: bool,
    /// Why it is forced, for the audit.
    #[arg(long, requires = "force")]
    reason: Option<String>,
    /// Who forces it; default: the user.
    #[arg(long, value_name = "NAME", requires = "force")]
    by: Option<String>,
    /// Read again what a rule, the rules of an edge type, or a document says, although nothing has changed. If the run
    /// is held and not released, ask anew.
    #[arg(long, value_name = "RULE|TYPE|DOCUMENT")]
    again: Vec<String>,
    /// Stop at a step as if killed.
    #[arg(long, hide = true, value_name = "STEP", value_parser = step)]
    stop_at: Option<Step>,
    /// Let documents ask for a fault of their parser.
    #[arg(long, hide = true)]
    faulty_parser: bool,
}

#[derive(Debug, clap::Args)]
struct How {
    /// The jobs to run; default: all.
    jobs: Vec<String>,
    /// The day for which the run is made, such as the one of a scheduler's backfill: that day counts as today, and what
    /// was read or changed for a later day stays as it is.
    #[arg(long, value_name = "DAY")]
    logical_date: Option<Date>,
    /// How many threads extract; 0 means one a core.
    #[arg(long, hide = true, value_name = "N", default_value_t = 0)]
    threads: usize,
}

pub(super) fn step(text: &str) -> Result<Step, String> {
    let steps = || Step::ALL.into_iter().chain(Step::OF_PURGE);
    let names = || steps().map(Step::name).collect::<Vec<_>>().join(", ");
    steps().find(|step| step.name() == text).ok_or_else(|| format!("the steps are: {}", names()))
}

pub(super) fn plan(shell: &mut Shell<'_>, args: &PlanArgs) -> Result<Exit, Failure> {
    let options = Options { plan: true, ..shell.options(&shell.loaded()?) };
    once(shell, &args.how, options)
}

pub(super) fn run(shell: &mut Shell<'_>, args: &RunArgs) -> Result<Exit, Failure> {
    let loaded = shell.loaded()?;
    let again = args.again.iter().map(|named| as_document(&loaded, named)).collect();
    let force = match &args.reason {
        Some(reason) => {
            let by = args.by.as_ref().unwrap_or(&shell.world.user).clone();
            Some(Actor { by, reason: reasoned(reason)? })
        }
        None => None,
    };
    let options = Options {
        candidate: args.candidate,
        force,
        again,
        stop_at: args.stop_at,
        faulty_parser: args.faulty_parser,
        ..shell.options(&loaded)
    };
    once(shell, &args.how, options)
}

fn once(shell: &mut Shell<'_>, how: &How, options: Options) -> Result<Exit, Failure> {
    let workspace = shell.workspace()?;
    let loaded = shell.loaded()?;
    let today = options.today;
    if let Some(day) = how.logical_date.filter(|day| *day > today) {
        return Err(Failure::usage(
            format!("the logical date {day} is later than today, {today}"),
            "what is read for a day stands against all earlier ones, so it may not lie in the future",
        ));
    }
    let options = Options {
        jobs: how.jobs.clone(),
        threads: how.threads,
        today: how.logical_date.unwrap_or(today),
        logical_date: how.logical_date,
        ..options
    };
    let bar = bar(shell.world.terminal && !shell.out.quiet);
    let progress = |step: Step, done: u64, of: u64| {
        bar.set_length(of);
        bar.set_position(done);
        bar.set_message(step.name());
    };
    let teller = (!options.plan).then(|| Teller::of(&workspace, &loaded, &how.jobs));
    if let Some(teller) = &teller {
        teller.started(shell)?;
    }
    let ended = once::run(&workspace, loaded, &options, &progress);
    bar.finish_and_clear();
    if let Some(teller) = &teller {
        teller.ended(shell, &ended)?;
    }
    let report = ended?;
    // What a plan says is what it was asked for; of a run one may want to hear only if something is wrong.
    let text = if shell.out.quiet && !report.plan { render::problems } else { render::run };
    shell.out.value(&report, text)?;
    Ok(exit_of(&report))
}

/// A bar on a terminal, nothing anywhere else.
fn bar(visible: bool) -> ProgressBar {
    if !visible {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    match ProgressStyle::with_template("{msg:18} {wide_bar} {pos}/{len} {elapsed}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The exit code of a report.
pub(super) fn exit_of(report: &RunReport) -> Exit {
    match report.code() {
        0 => Exit::Done,
        2 => Exit::Invalid,
        3 => Exit::Held,
        4 => Exit::Partial,
        _ => Exit::Unexpected,
    }
}
