//! `show`: an entity with its edges.

use clap::ValueEnum;

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::serve::{Which, find, show};

/// Show an entity and its edges
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright show FCU
  edgewright show Component:CMP-001 --as-of 2024-02-16
  edgewright show FCU --known-at 3 --state all
  edgewright show FCU --state pending")]
pub(super) struct Args {
    /// A name, an alias, a key, or `Type:key`.
    #[arg(value_name = "NAME|KEY")]
    name: String,
    /// Which edges: those that hold, all, or what waits in quarantine beside them.
    #[arg(long, value_enum, default_value_t = States::Current)]
    state: States,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum States {
    /// Edges that hold on the day; the others are counted.
    Current,
    /// Edges that hold, and assertions that wait in quarantine.
    Pending,
    /// All edges, and assertions that wait in quarantine.
    All,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let opened = shell.open(&args.read)?;
    let mut lens = opened.lens().clone();
    lens.pending = args.state != States::Current;
    let graph = opened.graph()?.through(lens)?;
    let found = find(&graph, &args.name)?;
    let which = if args.state == States::All { Which::All } else { Which::Current };
    let view = show(&graph, &found, which)?;
    shell.out.value(&view, render::show)?;
    Ok(Exit::Done)
}
