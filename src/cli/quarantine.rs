//! `quarantine`: what waits for a person, those questions first that settle most.

use super::args::{Access, Output};
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::diag::nearest;
use crate::model::fact::Reason;
use crate::serve::{Wanted, quarantine};

/// List what waits for a decision
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright quarantine
  edgewright quarantine --reason endpoint-unknown --limit 20
  edgewright quarantine --output csv > answers.csv

In the CSV fill `decision` with approve, reject or correct; a rejection needs a `reason`; to correct, change
valid_from, valid_to, subject or object. `valid_to` is the first day that no longer belongs.
Then `edgewright decide answers.csv`.")]
pub(super) struct Args {
    /// Only assertions with this reason.
    #[arg(long, value_name = "CODE")]
    reason: Option<String>,
    /// Only assertions of this edge type.
    #[arg(long, value_name = "TYPE")]
    edge: Option<String>,
    /// At most so many assertions.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    access: Access,
}

/// Refuses a reason for which nothing ever waits.
fn reason_known(code: &str) -> Result<(), Failure> {
    if Reason::CODES.contains(&code) {
        return Ok(());
    }
    let hint = match nearest(code, Reason::CODES) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the reasons are {}", Reason::CODES.join(", ")),
    };
    Err(Failure::usage(format!("there is no reason `{code}`"), hint))
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let opened = shell.open_now(&args.access)?;
    let graph = opened.graph()?;
    args.reason.iter().try_for_each(|code| reason_known(code))?;
    let wanted = Wanted { reason: args.reason.clone(), edge_type: args.edge.clone(), limit: args.limit };
    let view = quarantine(&graph, &wanted)?;
    if shell.global.output == Output::Csv {
        render::quarantine_csv(&view, shell.out.data())?;
        shell.out.say("fill `decision` with approve, reject or correct; `valid_to` is the first day that no longer belongs")?;
    } else {
        shell.out.value(&view, render::quarantine)?;
    }
    Ok(Exit::Done)
}
