//! `gaps`: what the documents hold and the graph does not.

use super::args::Access;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::serve;

/// List unknown names, pairs without a rule, and documents that yield nothing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright gaps
  edgewright gaps --limit 50")]
pub(super) struct Args {
    /// How many of each to list.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    access: Access,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let loaded = shell.loaded()?;
    let opened = shell.open_now(&args.access)?;
    let graph = opened.graph()?;
    let report = serve::gaps(&graph, loaded.ontologies.values(), args.limit)?;
    shell.out.value(&report, render::gaps)?;
    Ok(Exit::Done)
}
