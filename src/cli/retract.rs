//! `retract`: withdraw a document, at once.

use super::accept::reasoned;
use super::edit::exit_of;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::config::Loaded;
use crate::model::id::DocumentId;
use crate::model::job::Source;
use crate::run;
use crate::run::Step;
use crate::run::once::Options;
use crate::store::{DocumentRecord, Request, RequestBody, Store};

/// Withdraw a document: its edges become unusable, its text hidden
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright retract contracts/2023/letter.md --reason \"never signed\"
  edgewright retract contracts/2023/letter.md --undo --reason \"the signed copy was found\"

It takes effect at once. The document is named as `source/path`, or by its file as `why` and `search` print it.")]
pub(super) struct Args {
    /// The document, as `source/path` or by its file.
    document: String,
    /// Why, for the audit.
    #[arg(long)]
    reason: String,
    /// Take an earlier withdrawal back.
    #[arg(long)]
    undo: bool,
    /// Who says so; default: the user.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Say exactly what would change, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Stop at a step as if killed.
    #[arg(long, hide = true, value_name = "STEP", value_parser = super::plan::step)]
    stop_at: Option<Step>,
}

/// A document as it is named, or as `why` and `search` print its file: below the folder of its source.
pub(super) fn as_document(loaded: &Loaded, named: &str) -> String {
    let sources = loaded.jobs.iter().flat_map(|job| &job.sources);
    let below = |(name, source): (&String, &Source)| {
        let rest = named.strip_prefix(source.path.trim_end_matches('/'))?.strip_prefix('/')?;
        Some(format!("{name}/{rest}"))
    };
    let is_source = |name: &str| loaded.jobs.iter().any(|job| job.sources.contains_key(name));
    if named.split_once('/').is_some_and(|(source, _)| is_source(source)) {
        return named.to_owned();
    }
    sources.map(below).find_map(|found| found).unwrap_or_else(|| named.to_owned())
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let reason = reasoned(&args.reason)?;
    let id: DocumentId = as_document(&shell.loaded()?, &args.document)
        .parse()
        .map_err(|error| Failure::usage(format!("{error}"), "name it as `why` prints it: `source/path`"))?;
    let store = Store::open_read(&shell.workspace()?.store())?;
    let document: Option<DocumentRecord> = store.current()?.get(&id.to_string())?;
    let Some(document) = document else {
        return Err(Failure::usage(
            format!("the graph holds no document `{id}`"),
            "name it as `why` prints it: `source/path`",
        ));
    };
    match (args.undo, document.is_unusable(), document.retracted.is_some()) {
        (false, true, _) => {
            return Err(Failure::usage(
                format!("`{id}` is withdrawn already"),
                "`--undo` takes a withdrawal by command back",
            ));
        }
        (true, true, false) => {
            return Err(Failure::usage(
                format!("`{id}` was withdrawn by its source"),
                "only the source can take that back",
            ));
        }
        (true, false, _) => {
            return Err(Failure::usage(format!("`{id}` is not withdrawn"), "nothing is to be taken back"));
        }
        (false, false, _) | (true, true, true) => {}
    }
    let body = RequestBody::Retract { document: id.to_string(), reason, undo: args.undo };
    let does = if args.undo {
        format!("takes the withdrawal of `{id}` back")
    } else {
        format!("withdraws `{id}`: its edges become unusable, its text hidden")
    };
    let by = args.by.as_ref().unwrap_or(&shell.world.user).clone();
    let request = Request { number: 0, by, at: shell.now_text(), body };
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let options = Options { plan: args.dry_run, stop_at: args.stop_at, ..shell.options(&loaded) };
    let report = run::retract(&workspace, loaded, &options, &|_, _, _| {}, &request, &does)?;
    shell.out.value(&report, render::edited)?;
    Ok(exit_of(&report))
}
