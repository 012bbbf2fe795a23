//! `sample`: edges for a person to judge, and their verdicts back.
#![expect(clippy::disallowed_methods, reason = "writes the file that was asked for")]

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::args::{Output, ReadArgs};
use super::decide::{Queued, form_of, queued, twice};
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::serve::{Problem, VerdictsView, sample, verdict_rows, verdicts};

/// Draw edges for a person to judge, and read their verdicts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright sample 59 --out judge.csv       none of 59 wrong: at most 5 % of those drawn from are, 95 % sure
  edgewright sample 29 --edge supplies > judge.csv
  edgewright sample --verdicts judge.csv
  edgewright sample --verdicts judge.csv --decide --by \"M. Curator\"

Fill `verdict` with right, wrong or unsure; `wrong` needs a `reason`. With `--decide` right edges are approved and
wrong ones rejected as by `decide`, so they count for the precision of their rules; the next run carries it out.
The sample has edges of each edge type and rule in proportion, and at least one of each; edges that no document says
are left out. The same seed gives the same sample of the same graph.")]
pub(super) struct Args {
    /// How many edges.
    #[arg(value_name = "N", required_unless_present = "verdicts", conflicts_with = "verdicts")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    size: Option<u32>,
    /// Only edges of this type.
    #[arg(long, value_name = "TYPE", conflicts_with = "verdicts")]
    edge: Option<String>,
    /// Another seed gives another sample.
    #[arg(long, value_name = "SEED", default_value = "1", conflicts_with = "verdicts")]
    seed: String,
    /// The file for the table; it goes to stdout without it.
    #[arg(long, value_name = "FILE", conflicts_with = "verdicts")]
    out: Option<PathBuf>,
    /// The table with its verdicts.
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,
    /// Decide by the verdicts.
    #[arg(long, requires = "verdicts")]
    decide: bool,
    /// Who judged; default: the user.
    #[arg(long, value_name = "NAME", requires = "decide")]
    by: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
}

/// What verdicts came to.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Judged {
    /// The version of this form.
    pub(super) version: u32,
    /// What they say; null if something is wrong with the file.
    pub(super) verdicts: Option<VerdictsView>,
    /// True if decisions were asked for.
    pub(super) decide: bool,
    /// The decisions that follow; queued if they were asked for.
    pub(super) answers: Vec<Queued>,
    /// What is wrong; then nothing was queued.
    pub(super) problems: Vec<Problem>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    match (&args.verdicts, args.size) {
        (Some(file), _) => judge(shell, args, file),
        (None, Some(size)) => draw(shell, args, size),
        (None, None) => {
            Err(Failure::usage("nothing is asked for", "say how many, or name `--verdicts FILE`"))
        }
    }
}

fn draw(shell: &mut Shell<'_>, args: &Args, size: u32) -> Result<Exit, Failure> {
    let opened = shell.open(&args.read)?;
    let view = sample(&opened.graph()?, size as usize, args.edge.as_deref(), &args.seed)?;
    if let Some(path) = &args.out {
        let path = shell.world.folder.join(path);
        let mut file = File::create(&path).map_err(Failure::file("write", &path))?;
        render::sampled_csv(&view, &mut file).map_err(Failure::file("write", &path))?;
        shell.out.value(&view, render::sampled)?;
    } else if shell.global.output == Output::Json {
        shell.out.json_line(&view)?;
    } else {
        render::sampled_csv(&view, shell.out.data())?;
        shell.out.say(&render::sampled(&view))?;
    }
    Ok(Exit::Done)
}

fn judge(shell: &mut Shell<'_>, args: &Args, file: &Path) -> Result<Exit, Failure> {
    if args.read.as_of.is_some() || args.read.known_at.is_some() {
        let hint = "leave `--as-of` and `--known-at` out";
        return Err(Failure::usage("verdicts are on the graph as it is now", hint));
    }
    let opened = shell.open(&args.read)?;
    let (rows, mut problems) = verdict_rows(form_of(file), &shell.read_file(file)?);
    let (view, answers, more) = verdicts(&opened.graph()?, &rows)?;
    problems.extend(more);
    if args.decide {
        problems.extend(twice(&opened.store().requests()?, &answers));
    }
    problems.sort();
    drop(opened);
    if view.open == rows.len() as u64 && problems.is_empty() {
        return Err(Failure::usage(
            "no row has a verdict",
            "fill the column `verdict` with right, wrong or unsure",
        ));
    }
    let refused = !problems.is_empty();
    let numbers = if refused || !args.decide || answers.is_empty() {
        Vec::new()
    } else {
        let bodies = answers.iter().map(|answer| answer.request.clone()).collect();
        shell.queue(args.by.as_deref(), bodies)?
    };
    let judged = Judged {
        version: 1,
        verdicts: (!refused).then_some(view),
        decide: args.decide,
        answers: queued(answers, &numbers),
        problems,
    };
    if refused && !shell.out.json {
        shell.out.complain(&render::verdicts(&judged))?;
        return Ok(Exit::Invalid);
    }
    shell.out.value(&judged, render::verdicts)?;
    Ok(if refused { Exit::Invalid } else { Exit::Done })
}
