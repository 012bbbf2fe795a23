//! `history`: what each generation changed.

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::model::id::FactId;
use crate::serve::{HistoryView, find, history};

/// Show what each generation changed in an entity or a fact
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright history FCU
  edgewright history 0123456789abcdef0123456789abcdef --known-at 2024-03-01")]
pub(super) struct Args {
    /// A name, an alias, a key, or a fact's id.
    #[arg(value_name = "NAME|KEY|FACT-ID")]
    name: String,
    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    if args.read.as_of.is_some() {
        return Err(Failure::usage(
            "`history` is of recorded time and takes no `--as-of`",
            "`--known-at` ends it at a generation or time",
        ));
    }
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    let view = match args.name.parse::<FactId>() {
        Ok(fact) => history(&graph, &fact)?,
        Err(_) => HistoryView::of_entity(&graph, &find(&graph, &args.name)?.entity)?,
    };
    shell.out.value(&view, render::history)?;
    Ok(Exit::Done)
}
