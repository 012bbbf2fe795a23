//! `replay`: carried out by `run::replay`.

use std::path::PathBuf;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::run::{self, Workspace};

/// Rebuild a graph from a changelog into an empty folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright replay copy
  edgewright replay copy --from backup/changelog")]
pub(super) struct Args {
    /// The folder of the new graph; it must be empty.
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
