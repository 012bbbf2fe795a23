//! `release`, `discard`, `rollback`, `freeze`, `unfreeze`: what a person does with a whole run or generation.

use super::accept::reasoned;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use super::tell::Teller;
use crate::run::once::Options;
use crate::run::{self, ActReport, Actor, Step};

/// Who does it and why.
#[derive(Debug, clap::Args)]
struct Who {
    /// Why, for the audit.
    #[arg(long)]
    reason: String,
    /// Who says so; default: the user.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Stop at a step as if killed.
    #[arg(long, hide = true, value_name = "STEP", value_parser = super::plan::step)]
    stop_at: Option<Step>,
}

/// Publish the held run as it is
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright diff held                              what it would change
  edgewright release --reason \"the vendor list was cleaned up on purpose\"

Exactly what was held is published. What people asked for in the meantime waits for the next run.")]
pub(super) struct ReleaseArgs {
    /// The run; default: the one that is held.
    run: Option<String>,
    #[command(flatten)]
    who: Who,
}

/// Drop the held run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright discard --reason \"the parser was broken\"

Its reports stay. Its inputs are read again by the next run: mend them first, or it is held again.")]
pub(super) struct DiscardArgs {
    /// The run; default: the one that is held.
    run: Option<String>,
    #[command(flatten)]
    who: Who,
}

/// Put the graph back to what it was in a generation, as a new generation
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright diff 6                                 what has changed since
  edgewright rollback 6 --dry-run --reason \"trial\"
  edgewright rollback 6 --reason \"the feed of 3 March was wrong\"

Decisions stay and count. What was undone still lies in its source: a run that would bring it back as it was is
held until it is released or the input changes.")]
pub(super) struct RollbackArgs {
    /// The generation.
    generation: u64,
    /// Say exactly what would change, and write nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    who: Who,
}

/// Hold every run that would change something, until `unfreeze`
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright freeze --reason \"audit until Friday\"")]
pub(super) struct FreezeArgs {
    #[command(flatten)]
    who: Who,
}

/// Let the graph change again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright unfreeze --reason \"the audit is over\"")]
pub(super) struct UnfreezeArgs {
    #[command(flatten)]
    who: Who,
}

pub(super) fn release(shell: &mut Shell<'_>, args: &ReleaseArgs) -> Result<Exit, Failure> {
    let (options, actor) = asked(shell, &args.who, false)?;
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let run = args.run.as_deref();
    told(shell, &run::release(&workspace, loaded, &options, &|_, _, _| {}, run, &actor)?)
}

pub(super) fn discard(shell: &mut Shell<'_>, args: &DiscardArgs) -> Result<Exit, Failure> {
    let (options, actor) = asked(shell, &args.who, false)?;
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let run = args.run.as_deref();
    told(shell, &run::discard(&workspace, loaded, &options, &|_, _, _| {}, run, &actor)?)
}

pub(super) fn rollback(shell: &mut Shell<'_>, args: &RollbackArgs) -> Result<Exit, Failure> {
    let (options, actor) = asked(shell, &args.who, args.dry_run)?;
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    told(shell, &run::rollback(&workspace, loaded, &options, &|_, _, _| {}, args.generation, &actor)?)
}

pub(super) fn freeze(shell: &mut Shell<'_>, args: &FreezeArgs) -> Result<Exit, Failure> {
    set_frozen(shell, &args.who, true)
}

pub(super) fn unfreeze(shell: &mut Shell<'_>, args: &UnfreezeArgs) -> Result<Exit, Failure> {
    set_frozen(shell, &args.who, false)
}

fn set_frozen(shell: &mut Shell<'_>, who: &Who, on: bool) -> Result<Exit, Failure> {
    let (options, actor) = asked(shell, who, false)?;
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    told(shell, &run::freeze(&workspace, loaded, &options, &|_, _, _| {}, &actor, on)?)
}

fn asked(shell: &Shell<'_>, who: &Who, plan: bool) -> Result<(Options, Actor), Failure> {
    let reason = reasoned(&who.reason)?;
    let by = who.by.as_ref().unwrap_or(&shell.world.user).clone();
    let loaded = shell.loaded()?;
    let options = Options { plan, stop_at: who.stop_at, ..shell.options(&loaded) };
    Ok((options, Actor { by, reason }))
}

fn told(shell: &mut Shell<'_>, report: &ActReport) -> Result<Exit, Failure> {
    shell.out.value(report, render::act)?;
    // What waits for a person may be over, and what readers see may be another generation.
    if report.number.is_some() {
        let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
        let teller = Teller::of(&workspace, &loaded, &[]);
        if report.act == "release" {
            teller.released(shell, &report.run)?;
        } else {
            teller.tell(shell)?;
        }
    }
    Ok(Exit::Done)
}
