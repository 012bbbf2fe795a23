//! `try`: carried out by `run::trial`.

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::run;

/// Show what a rule finds, and what it nearly finds
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright try supply.clause
  edgewright try supply.clause --limit 50")]
pub(super) struct Args {
    /// The rule's id.
    rule: String,
    /// Try it on this text instead of the documents.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// How many matches and near misses to list of each kind.
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let report =
        run::trial(&workspace, loaded, &args.rule, args.text.as_deref(), args.limit, shell.program())?;
    shell.out.value(&report, render::trial)?;
    Ok(Exit::Done)
}
