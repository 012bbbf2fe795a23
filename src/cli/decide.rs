//! `decide`: a curator's answers, checked as a whole and queued. The next run carries them out.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::args::Access;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::run;
use crate::run::edits::EditReport;
use crate::serve::{Answered, Problem, RowFormat, decide, rows_of, undo};
use crate::store::Request;

/// Answer questions of the quarantine from a file, or take an answer back
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright quarantine --output csv > answers.csv
  edgewright decide answers.csv --dry-run
  edgewright decide answers.csv --by \"M. Curator\"
  edgewright decide --undo 12

The file is taken as a whole or not at all. The next run carries it out.
What is published can be answered as well, by its assertion's id, which `why --output json` names: to approve
it says that its rule read it rightly, and counts for the rule's precision.
Files that end in .jsonl or .ndjson hold one JSON object a line with the same names.")]
pub(super) struct Args {
    /// The file of answers.
    #[arg(required_unless_present = "undo", conflicts_with = "undo")]
    file: Option<PathBuf>,
    /// Take the decision with this number back.
    #[arg(long, value_name = "NUMBER")]
    undo: Option<u64>,
    /// Check the file and say what it would do and change; queue nothing.
    #[arg(long)]
    dry_run: bool,
    /// Who decides; default: the user.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

/// What `decide` made of a file.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Decided {
    /// The version of this form.
    pub(super) version: u32,
    /// True if nothing was queued because nothing was to be.
    pub(super) dry_run: bool,
    /// The answers; queued unless there is a problem or it was a dry run.
    pub(super) answers: Vec<Queued>,
    /// What is wrong; then nothing was queued.
    pub(super) problems: Vec<Problem>,
    /// Of a dry run, what the answers would change in the graph as it stands.
    pub(super) would: Option<EditReport>,
}

/// One answer.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Queued {
    /// The line of the file; 0 if it was not read from one.
    pub(super) line: u64,
    /// The request's number; null if it was not queued.
    pub(super) number: Option<i64>,
    /// What it will do.
    pub(super) does: String,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let opened = shell.open_now(&Access::everything())?;
    let (answers, problems) = {
        let graph = opened.graph()?;
        match (&args.file, args.undo) {
            (Some(file), _) => read(shell, &graph, file)?,
            (None, Some(number)) => (vec![undo(&graph, number)?], Vec::new()),
            (None, None) => {
                return Err(Failure::usage("there is nothing to decide", "name a file of answers"));
            }
        }
    };
    let waiting = opened.store().requests()?;
    drop(opened);
    if answers.is_empty() && problems.is_empty() {
        return Err(Failure::usage(
            "no row has a decision",
            "fill the column `decision` with approve, reject or correct",
        ));
    }
    let mut problems = problems;
    problems.extend(twice(&waiting, &answers));
    problems.sort();
    let refused = !problems.is_empty();
    let would = if args.dry_run && !refused { Some(preview(shell, args, &answers)?) } else { None };
    let numbers = if refused || args.dry_run {
        Vec::new()
    } else {
        let bodies = answers.iter().map(|answer| answer.request.clone()).collect();
        shell.queue(args.by.as_deref(), bodies)?
    };
    let decided =
        Decided { version: 1, dry_run: args.dry_run, answers: queued(answers, &numbers), problems, would };
    if refused && !shell.out.json {
        shell.out.complain(&render::decided(&decided))?;
        return Ok(Exit::Invalid);
    }
    shell.out.value(&decided, render::decided)?;
    Ok(if refused { Exit::Invalid } else { Exit::Done })
}

/// What the answers would change, said by carrying them out and taking everything back.
fn preview(shell: &Shell<'_>, args: &Args, answers: &[Answered]) -> Result<EditReport, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let by = args.by.as_deref().unwrap_or(&shell.world.user);
    let request = |answer: &Answered| Request {
        number: 0,
        by: by.to_owned(),
        at: shell.now_text(),
        body: answer.request.clone(),
    };
    let requests: Vec<Request> = answers.iter().map(request).collect();
    let options = shell.options(&loaded);
    Ok(run::preview(&workspace, loaded, &options, &requests)?)
}

/// Answers with the numbers of their requests, if they were queued.
pub(super) fn queued(answers: Vec<Answered>, numbers: &[i64]) -> Vec<Queued> {
    let number = |at: usize| numbers.get(at).copied();
    let answers = answers.into_iter().enumerate();
    answers.map(|(at, answer)| Queued { line: answer.line, number: number(at), does: answer.does }).collect()
}

/// The answers that wait for the next run already: to queue them twice would leave one standing when the other is
/// taken back.
pub(super) fn twice(waiting: &[Request], answers: &[Answered]) -> Vec<Problem> {
    let same = |answer: &Answered| waiting.iter().find(|request| request.body == answer.request);
    let found = answers.iter().filter_map(|answer| same(answer).map(|request| (answer.line, request.number)));
    found
        .map(|(line, number)| {
            let message = format!("this waits for the next run already, as request {number}");
            Problem { line, message }
        })
        .collect()
}

/// How a file that a person filled in is written, by its name.
pub(super) fn form_of(file: &Path) -> RowFormat {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let lines = matches!(extension.to_lowercase().as_str(), "jsonl" | "ndjson" | "json");
    if lines { RowFormat::JsonLines } else { RowFormat::Csv }
}

fn read(
    shell: &Shell<'_>,
    graph: &crate::serve::Graph<'_>,
    file: &Path,
) -> Result<(Vec<Answered>, Vec<Problem>), Failure> {
    let (rows, mut problems) = rows_of(form_of(file), &shell.read_file(file)?);
    let (answers, more) = decide(graph, &rows)?;
    problems.extend(more);
    problems.sort();
    Ok((answers, problems))
}
