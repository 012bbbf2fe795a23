//! `verify`: the graph against its records, digests, changelog and a fold from scratch.

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::run;

/// Compare the graph with its records, digests and changelog
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright verify")]
pub(super) struct Args {}

pub(super) fn run(shell: &mut Shell<'_>, _: &Args) -> Result<Exit, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let options = shell.options(&loaded);
    let verified = run::verify(&workspace, loaded, &options)?;
    shell.out.value(&verified, render::verified)?;
    Ok(if verified.faults.is_empty() { Exit::Done } else { Exit::Unexpected })
}
