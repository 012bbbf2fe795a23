//! `status`: what stands, what waits, and how the last run and the last change by hand went.

use serde::{Deserialize, Serialize};

use super::args::Access;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::model::access::Reader;
use crate::run::{self, RunReport, past};
use crate::serve::{Counts, answer_text, counts};
use crate::store::{self, Request, RequestBody};

/// Show what stands, what waits, and how the last run went
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright status
  edgewright status --output json | jq .counts.edges")]
pub(super) struct Args {
    #[command(flatten)]
    access: Access,
}

/// What stands and what waits.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(super) struct StatusView {
    /// The version of this form.
    pub(super) version: u32,
    /// The published generation; null if nothing has been published.
    pub(super) generation: Option<u64>,
    /// When it was published.
    pub(super) recorded_at: Option<String>,
    /// The run that published it.
    pub(super) run: Option<String>,
    /// By which act of a person it came to be, with who and why; null if by a run or an edit, and for those who do not
    /// see everything.
    pub(super) act: Option<String>,
    /// The state digest, for those who see everything.
    pub(super) state_digest: Option<String>,
    /// The history digest, for those who see everything.
    pub(super) history_digest: Option<String>,
    /// How many of each there are.
    pub(super) counts: Counts,
    /// The run that is held, for those who see everything.
    pub(super) held: Option<HeldView>,
    /// By whom, when and why the graph is frozen, if it is.
    pub(super) frozen: Option<String>,
    /// What is to be known of a purge that has not come to its end; null if there is none.
    pub(super) purge: Option<String>,
    /// What the next run will carry out, for those who see everything.
    pub(super) requests: Vec<RequestView>,
    /// The report of the last run, for those who see everything.
    pub(super) last_run: Option<RunReport>,
    /// What has become of the last run if it was held: `released`, `discarded` or `replaced`; `forced` if it looked wrong
    /// and was published at once; null while it waits.
    pub(super) judged: Option<String>,
    /// The last change by hand, an edit or a withdrawal, for those who see everything.
    pub(super) last_change: Option<ByHand>,
}

/// A run that is held.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct HeldView {
    /// The run's id.
    pub(super) run: String,
    /// Since when.
    pub(super) since: String,
    /// The generation that it would publish.
    pub(super) generation: u64,
}

/// A change by hand, as its report tells it.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub(super) struct ByHand {
    /// The run's id.
    pub(super) run: String,
    /// When it began, as an RFC 3339 time.
    pub(super) started_at: String,
    /// The generation that it published; null if it changed nothing.
    pub(super) generation: Option<u64>,
    /// What it did, edit by edit.
    pub(super) edits: Vec<Did>,
}

/// What one edit of a change by hand did.
#[derive(Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub(super) struct Did {
    /// What it did, in words.
    pub(super) does: String,
}

/// A request that waits for the next run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct RequestView {
    /// Its number.
    pub(super) number: i64,
    /// Who asked.
    pub(super) by: String,
    /// When.
    pub(super) at: String,
    /// What for, in words.
    pub(super) what: String,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let workspace = shell.workspace()?;
    let everything = args.access.reader() == Reader::Everything;
    let mut view = StatusView { version: 1, ..StatusView::default() };
    let last = past::last_runs(&workspace, 1)?.pop();
    match shell.open_now_silently(&args.access) {
        Ok(opened) => {
            let store = opened.store();
            view.purge = shell.purging(&opened)?;
            view.counts = counts(&opened.graph()?)?;
            let acts = run::acts(&store.current()?)?;
            if let Some(generation) = store.generations()?.pop() {
                view.generation = Some(generation.id);
                view.recorded_at = Some(generation.recorded_at);
                view.run = Some(generation.run);
                let act = acts.last().filter(|(made, _)| everything && *made == generation.id);
                view.act = act.map(|(_, act)| format!("{} by {}: {}", act.deed.name(), act.by, act.reason));
                // Digests tell two secrets apart, and requests and reports name documents.
                view.state_digest = everything.then_some(generation.state_digest);
                view.history_digest = everything.then_some(generation.history_digest);
            }
            if everything {
                let held = store.held()?;
                let judged = last.as_ref().and_then(|last| run::became(last, &acts, held.as_ref()));
                view.judged = judged.map(str::to_owned);
                view.held = held.map(|held| HeldView {
                    run: held.run,
                    since: held.since,
                    generation: held.generation,
                });
                let frozen = run::frozen(&store.current()?)?;
                view.frozen = frozen.map(|act| format!("by {} at {}: {}", act.by, act.at, act.reason));
                view.requests = store.requests()?.into_iter().map(request_view).collect();
            }
        }
        Err(Failure::Run(run::Error::Store(store::Error::Absent { .. }))) => {}
        Err(failure) => return Err(failure),
    }
    if everything {
        view.last_run = last;
        view.last_change = past::last_edit(&workspace)?;
    }
    shell.out.value(&view, render::status)?;
    Ok(Exit::Done)
}

fn request_view(request: Request) -> RequestView {
    let what = match request.body {
        RequestBody::Decide { question, answer, .. } => {
            let answer = answer_text(&answer);
            match question.document {
                Some(document) => format!("{answer}, on a sentence of {document}"),
                None => format!("{answer}, on a row"),
            }
        }
        RequestBody::AcceptFeed { feed, reason } => format!("accept the feed {feed} as it is: {reason}"),
        RequestBody::AcceptScope { source, prefix, reason } if prefix.is_empty() => {
            format!("accept what {source} no longer holds as gone: {reason}")
        }
        RequestBody::AcceptScope { source, prefix, reason } => {
            format!("accept what {source}/{prefix} no longer holds as gone: {reason}")
        }
        RequestBody::AcceptFinding { says, reason, .. } => format!("accept the finding {says}: {reason}"),
        RequestBody::Retract { document, reason, undo: false } => format!("withdraw {document}: {reason}"),
        RequestBody::Retract { document, reason, undo: true } => {
            format!("take the withdrawal of {document} back: {reason}")
        }
    };
    RequestView { number: request.number, by: request.by, at: request.at, what }
}
