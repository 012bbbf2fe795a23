//! `replay`: carried out by `run::replay`.

use std::path::PathBuf;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::run::{self, Workspace};

/// Rebuild a graph from a changelog, in a new or empty folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright replay copy
  edgewright replay copy --from backup/changelog
  edgewright replay .                            in a workspace whose graph is lost

The new folder holds the graph, its text index and a copy of the changelog: `-C DIR` asks it everything. For `run`, edits
and `verify`, which fold by the rules, copy `ontology/` and `jobs/` there as well.")]
pub(super) struct Args {
    /// The folder of the new graph: it must be new or empty, or a workspace without a graph (`.`).
    dir: PathBuf,
    /// The changelog's folder; default: the workspace's.
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let from = match &args.from {
        Some(from) => shell.world.folder.join(from),
        None => shell.workspace()?.changelog(),
    };
    let target = Workspace::new(shell.world.folder.join(&args.dir));
    let replayed = run::replay(&from, &target)?;
    shell.out.value(&replayed, render::replayed)?;
    Ok(Exit::Done)
}
