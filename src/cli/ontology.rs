//! `ontology`: types and rules, with what the graph holds of them.

use super::args::Access;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::diag::Severity;
use crate::run;
use crate::serve;
use crate::store;

/// List types and rules with what the graph holds of them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright ontology
  edgewright ontology --output json")]
pub(super) struct Args {
    #[command(flatten)]
    access: Access,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let loaded = shell.loaded()?;
    if loaded.diagnostics.iter().any(|one| one.severity == Severity::Error) {
        return Err(run::Error::Config(loaded.diagnostics).into());
    }
    let opened = match shell.open_now(&args.access) {
        Ok(opened) => Some(opened),
        // Types and rules can be read before the first run.
        Err(Failure::Run(run::Error::Store(store::Error::Absent { .. }))) => None,
        Err(failure) => return Err(failure),
    };
    let graph = opened.as_ref().map(super::shell::Opened::graph).transpose()?;
    let view = serve::ontology(loaded.ontologies.values(), &args.access.reader(), graph.as_ref())?;
    shell.out.value(&view, render::ontology)?;
    Ok(Exit::Done)
}
