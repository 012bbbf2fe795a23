//! `retract`: withdraw a document. The next run carries it out.

use super::accept::{Queued, one, reasoned};
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::model::id::DocumentId;
use crate::store::{DocumentRecord, RequestBody, Store};

/// Withdraw a document: its edges become unusable, its text hidden
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright retract contracts/2023/letter.md --reason \"never signed\"
  edgewright retract contracts/2023/letter.md --undo --reason \"the signed copy was found\"

The next run carries it out. The document is named as `source/path`, as `why` and `status` print it.")]
pub(super) struct Args {
    /// The document, as `source/path`.
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
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let reason = reasoned(&args.reason)?;
    let id: DocumentId = args
        .document
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
    let number = one(&shell.queue(args.by.as_deref(), vec![body])?);
    shell.out.value(&Queued { version: 1, number, does }, render::queued)?;
    Ok(Exit::Done)
}
