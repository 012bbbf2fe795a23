//! `why`: the evidence for an edge.

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::model::id::FactId;
use crate::serve::{find, why_entity, why_fact};

/// Explain why an edge is there: sentences, dates, and what ended it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright why TechChip FCU
  edgewright why FCU --edge supplies --as-of 2024-02-16
  edgewright why 0123456789abcdef0123456789abcdef")]
pub(super) struct Args {
    /// A name, an alias, a key, or a fact's id.
    #[arg(value_name = "NAME|KEY|FACT-ID")]
    name: String,
    /// The other end.
    #[arg(value_name = "NAME|KEY")]
    other: Option<String>,
    /// Only edges of this type.
    #[arg(long, value_name = "TYPE")]
    edge: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    let view = match args.name.parse::<FactId>() {
        Ok(fact) if args.other.is_none() => why_fact(&graph, &fact)?,
        _ => {
            let entity = find(&graph, &args.name)?.entity;
            let other = args.other.as_deref().map(|name| find(&graph, name)).transpose()?;
            why_entity(&graph, &entity, other.as_ref().map(|found| &found.entity), args.edge.as_deref())?
        }
    };
    let asked = [Some(args.name.as_str()), args.edge.as_deref(), args.other.as_deref()];
    let asked: Vec<&str> = asked.into_iter().flatten().collect();
    shell.out.value(&view, |view| render::why(view, &asked.join(" ")))?;
    Ok(Exit::Done)
}
