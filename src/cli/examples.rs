//! `test`: carried out by `run::examples`.

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::run;

/// Run the examples of the rules
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright test
  edgewright test supply.clause")]
pub(super) struct Args {
    /// Only the examples of these rules.
    rules: Vec<String>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let connections = shell.connections(&loaded);
    let report = run::examples(&workspace, loaded, &args.rules, &connections, shell.program())?;
    shell.out.value(&report, render::examples)?;
    Ok(if report.failed.is_empty() { Exit::Done } else { Exit::Unexpected })
}
