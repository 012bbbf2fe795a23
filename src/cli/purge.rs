//! `purge`: erase a document everywhere, for good.

use super::accept::reasoned;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::retract::as_document;
use super::shell::Shell;
use super::tell::Teller;
use crate::model::id::DocumentId;
use crate::run::once::Options;
use crate::run::{self, Actor, Step};

/// Erase a document everywhere, for good
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright purge hr/2024/jane-doe.md --reason \"erasure request 17\" --dry-run
  edgewright purge hr/2024/jane-doe.md --reason \"erasure request 17\" --yes

Its text, what was read in it, and what reports, reasons and kept ontologies quote of it leave every generation, the
text index and the changelog; edges and words that others state as well stay. What is left is who asked for it, when and
why, and hashes of its name and of what was quoted.
Its file, copies of the changelog, backups and what ontologies, jobs and golden sets quote of it are not edgewright's to
delete: each such place is told (`purge-quoted`); take the file away, its bytes are not read again. `retract` hides a
document and can be taken back.")]
pub(super) struct Args {
    /// The document, as `source/path` or by its file.
    document: String,
    /// Why, for the audit.
    #[arg(long)]
    reason: String,
    /// Yes, for good: it cannot be taken back.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Say what would be erased and what would change, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Who asks for it; default: the user.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Stop at a step as if killed.
    #[arg(long, hide = true, value_name = "STEP", value_parser = super::plan::step)]
    stop_at: Option<Step>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let reason = reasoned(&args.reason)?;
    if !args.yes && !args.dry_run {
        return Err(Failure::usage(
            "a purge cannot be taken back",
            "`--dry-run` says what it would erase, `--yes` erases it",
        ));
    }
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let document: DocumentId = as_document(&loaded, &args.document)
        .parse()
        .map_err(|error| Failure::usage(format!("{error}"), "name it as `why` prints it: `source/path`"))?;
    let by = args.by.as_ref().unwrap_or(&shell.world.user).clone();
    let options = Options { plan: args.dry_run, stop_at: args.stop_at, ..shell.options(&loaded) };
    let actor = Actor { by, reason };
    let report = run::purge(&workspace, loaded, &options, &|_, _, _| {}, &document, &actor)?;
    shell.out.value(&report, render::purge)?;
    if report.number.is_some() {
        let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
        Teller::of(&workspace, &loaded, &[]).tell(shell)?;
    }
    Ok(super::edit::exit_of(&report.edit))
}
