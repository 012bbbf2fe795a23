//! `diff`: what differs between two generations, or between what stands and what is held.

use super::args::{Access, Output};
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::serve::{DiffView, diff};

/// Show what differs between two generations, fact by fact, with causes
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright diff 6                         generation 6 and what stands
  edgewright diff 2024-02-01 2024-03-01     what was known at the end of two days
  edgewright diff held                      what stands and what the held run would publish
  edgewright diff 1 6 --output csv > changes.csv")]
pub(super) struct Args {
    /// The one: a generation, a time, or `held`.
    #[arg(value_name = "GENERATION|TIME|held")]
    from: String,
    /// The other; default: what stands.
    #[arg(value_name = "GENERATION|TIME|held")]
    to: Option<String>,
    /// List at most so many facts; 0 lists all.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    limit: usize,
    #[command(flatten)]
    access: Access,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let mut opened = shell.open_now(&args.access)?;
    let (from, to) = match (args.from.as_str(), args.to.as_deref()) {
        ("held", None) => (opened.lens().known_at, shell.known_at(&opened, "held")?),
        (from, None) => (shell.known_at(&opened, from)?, opened.lens().known_at),
        (from, Some(to)) => (shell.known_at(&opened, from)?, shell.known_at(&opened, to)?),
    };
    opened.know_at(from);
    let before = opened.lens().clone();
    opened.know_at(to);
    let after = opened.graph()?;
    let view = diff(&after.through(before)?, &after, args.limit)?;
    if shell.global.output == Output::Csv {
        table(shell, &view)?;
    } else {
        shell.out.value(&view, render::diff)?;
    }
    Ok(Exit::Done)
}

/// One row a fact; the causes of several changes are joined by ` | `.
fn table(shell: &mut Shell<'_>, view: &DiffView) -> Result<(), Failure> {
    let mut csv = csv::Writer::from_writer(shell.out.data());
    let written = (|| -> csv::Result<()> {
        csv.write_record(["change", "edge_type", "says", "before", "after", "cause", "detail", "fact"])?;
        for fact in &view.facts {
            let joined = |of: fn(&crate::serve::Because) -> &str| {
                fact.causes.iter().map(of).collect::<Vec<_>>().join(" | ")
            };
            csv.write_record([
                &fact.change,
                &fact.edge_type,
                &fact.says,
                &fact.before.join(" "),
                &fact.after.join(" "),
                &joined(|because| &because.cause),
                &joined(|because| &because.detail),
                &fact.fact,
            ])?;
        }
        csv.flush()?;
        Ok(())
    })();
    written.map_err(|error| Failure::Output(std::io::Error::other(error)))?;
    drop(csv);
    shell.out.data().flush()?;
    if view.more > 0 {
        shell.out.say(&format!("{} more are left out; `--limit 0` lists all", view.more))?;
    }
    Ok(())
}
