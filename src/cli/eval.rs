//! `eval`: carried out by `run::eval`.

use std::path::{Path, PathBuf};

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::config::{Loaded, Written, golden_map};
use crate::diag::{Diagnostic, Severity};
use crate::model::golden::Floors;
use crate::run;
use crate::run::eval::{EvalReport, GoldenSet, VERSION, compare, eval};

/// Measure the graph against edges that are known to be true
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright eval --golden truth.csv
  edgewright eval --golden truth.csv --map truth.yaml --limit 50
  edgewright eval --golden truth.csv --output json > before.json
  edgewright eval --golden truth.csv --against before.json
  edgewright eval                            the golden sets that jobs declare; code 3 below a floor

A golden file is a table (or JSON lines, such as an `export`) with the columns subject, type, object, valid_from
and valid_to; `valid_to` is the first day that no longer belongs. Another table needs a map: docs/workspace.md.
Intervals are Wilson's, 95 %. A start that the file leaves empty is not compared; an empty end says that there
is none.")]
pub(super) struct Args {
    /// The file of edges that are known to be true.
    #[arg(long, value_name = "FILE")]
    golden: Option<PathBuf>,
    /// The file that says how it is read.
    #[arg(long, value_name = "FILE", requires = "golden")]
    map: Option<PathBuf>,
    /// An earlier answer as JSON, to say what moved.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Write a page of Markdown.
    #[arg(long)]
    markdown: bool,
    /// How many to list of each kind; JSON lists all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let opened = shell.open(&args.read)?;
    let sets = match &args.golden {
        Some(golden) => vec![Wanted {
            file: named(golden),
            map: args.map.as_deref().map(named),
            floors: Floors::default(),
            job: None,
        }],
        None => declared(&loaded, workspace.root())?,
    };
    let sets = read(shell, &loaded, sets)?;
    let earlier = args.against.as_deref().map(|file| earlier(shell, file)).transpose()?;
    let explained = if shell.out.json { usize::MAX } else { args.limit };
    let mut report = eval(&workspace, loaded, opened.store(), &opened.graph()?, &sets, explained)?;
    if let Some(earlier) = &earlier {
        compare(&mut report, earlier);
    }
    if args.markdown && !shell.out.json {
        shell.out.text(&render::evaluated_page(&report, args.limit))?;
    } else {
        shell.out.value(&report, |report| render::evaluated(report, args.limit))?;
    }
    Ok(if report.is_below() { Exit::Held } else { Exit::Done })
}

/// A file as a person names it, and where it is.
type File = (String, PathBuf);

/// A golden set that is to be read.
struct Wanted {
    file: File,
    map: Option<File>,
    floors: Floors,
    job: Option<String>,
}

fn named(path: &Path) -> File {
    (path.display().to_string(), path.to_owned())
}

/// The golden sets that the jobs declare.
fn declared(loaded: &Loaded, root: &Path) -> Result<Vec<Wanted>, Failure> {
    let in_root = |path: &String| (path.clone(), root.join(path));
    let sets: Vec<Wanted> = loaded
        .jobs
        .iter()
        .filter_map(|job| {
            let golden = job.golden.as_ref()?;
            Some(Wanted {
                file: in_root(&golden.file),
                map: golden.map.as_ref().map(in_root),
                floors: golden.floors.clone(),
                job: Some(job.name.clone()),
            })
        })
        .collect();
    if sets.is_empty() {
        return Err(Failure::usage(
            "no job declares a golden set",
            "name a file with `--golden FILE`, or write `golden: { file: … }` in a job",
        ));
    }
    Ok(sets)
}

/// Reads the files of golden sets; everything that is wrong with their maps, if something is.
fn read(shell: &Shell<'_>, loaded: &Loaded, sets: Vec<Wanted>) -> Result<Vec<GoldenSet>, Failure> {
    let mut problems: Vec<Diagnostic> = Vec::new();
    let mut read = Vec::new();
    for Wanted { file: (file, path), map, floors, job } in sets {
        let written = match &map {
            Some((name, path)) => Some(Written { file: name.clone(), text: shell.read_file(path)? }),
            None => None,
        };
        let (how, mut found) = golden_map(written.as_ref(), &file, loaded);
        problems.append(&mut found);
        let bytes = shell.read_bytes(&path)?;
        read.push(GoldenSet { file, bytes, map_file: map.map(|(name, _)| name), map: how, floors, job });
    }
    if problems.iter().any(|one| one.severity == Severity::Error) {
        return Err(run::Error::Config(problems).into());
    }
    Ok(read)
}

/// An earlier evaluation.
fn earlier(shell: &Shell<'_>, file: &Path) -> Result<EvalReport, Failure> {
    let text = shell.read_file(file)?;
    let hint = "write one with `edgewright eval --golden FILE --output json`";
    let named = file.display();
    let report: EvalReport = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("`{named}` is no earlier evaluation: {error}"), hint))?;
    if report.version != VERSION {
        let is = report.version;
        return Err(Failure::usage(format!("`{named}` has version {is}, and this program {VERSION}"), hint));
    }
    Ok(report)
}
