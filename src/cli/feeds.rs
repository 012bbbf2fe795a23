//! `feeds`: each feed with what it is, when it was last read, what that changed, and what keeps it back.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::args::Access;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::model::access::Labels;
use crate::model::job::{Columns, Feed};
use crate::ontology::Ontology;
use crate::run::report::{InputReport, contract};
use crate::run::{self, Workspace, past};
use crate::store::{self, ScopeRecord};

/// List the feeds: when each was last read, what changed, what is withheld and why
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright feeds
  edgewright feeds --output json | jq '.feeds[] | select(.state == \"withheld\")'")]
pub(super) struct Args {
    #[command(flatten)]
    access: Access,
}

/// The feeds of all jobs.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct FeedsView {
    /// The version of this form.
    pub(super) version: u32,
    /// The feeds, by name.
    pub(super) feeds: Vec<FeedView>,
}

/// A feed.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct FeedView {
    /// Its name.
    pub(super) feed: String,
    /// The job in which it stands.
    pub(super) job: String,
    /// `csv`, `sheet`, `jsonl`, `parquet`, `sqlite` or `postgresql`.
    pub(super) kind: &'static str,
    /// Its file, relative to the workspace; of a connection `env:` and the name of its variable.
    pub(super) path: String,
    /// True if its rows are changes to those last accepted.
    pub(super) changes: bool,
    /// When a run last looked at it, as an RFC 3339 time; null if none has.
    pub(super) last_read: Option<String>,
    /// What that run found: `unchanged`, `read` or `withheld`; null if none has looked.
    pub(super) state: Option<String>,
    /// Why it is withheld: codes with what they say.
    pub(super) why: Vec<String>,
    /// How many rows were last accepted; null if none ever were.
    pub(super) rows: Option<u64>,
    /// The rows that came, changed and went in the run that last looked at it.
    pub(super) last_run: Changed,
    /// When it was last accepted with other content, as an RFC 3339 time.
    pub(super) changed_at: Option<String>,
    /// The columns last accepted.
    pub(super) columns: Vec<String>,
    /// `accepted`, `changed` (the columns are why it is withheld), or `none` if nothing was accepted yet.
    pub(super) contract: &'static str,
    /// What the job says of other columns: `evolve`, `freeze`, `discard_row` or `discard_value`.
    pub(super) declared: &'static str,
    /// How many hours it may stay as it is; null if the job does not say.
    pub(super) fresh_within: Option<u32>,
    /// True if it has stayed as it is for longer.
    pub(super) stale: bool,
    /// Who last accepted a loss in it, when and why.
    pub(super) accepted: Option<String>,
}

/// Rows that changed.
#[derive(Debug, Default, Serialize, schemars::JsonSchema)]
pub(super) struct Changed {
    /// New rows.
    pub(super) added: u64,
    /// Changed rows.
    pub(super) changed: u64,
    /// Rows that have gone.
    pub(super) gone: u64,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    if !loaded.ok() {
        return Err(run::Error::Config(loaded.diagnostics).into());
    }
    let (reader, now) = (args.access.reader(), shell.now());
    let opened = match shell.open_now(&args.access) {
        Ok(opened) => Some(opened),
        Err(Failure::Run(run::Error::Store(store::Error::Absent { .. }))) => None,
        Err(failure) => return Err(failure),
    };
    let known = opened.as_ref().map(|opened| opened.store().view(opened.lens().known_at));
    let mut looks = last_looks(&workspace, loaded.jobs.iter().flat_map(|job| job.feeds.keys()))?;
    let mut view = FeedsView { version: 1, feeds: Vec::new() };
    for job in &loaded.jobs {
        let ontology = loaded.ontologies.get(&job.ontology);
        for feed in job.feeds.values().filter(|feed| reader.sees(&labels(feed, ontology))) {
            let scope: Option<ScopeRecord> = match &known {
                Some(known) => known.get(&feed.name)?,
                None => None,
            };
            let scope = scope.filter(|scope| reader.sees(&scope.access));
            view.feeds.push(of(&job.name, feed, scope, looks.remove(&feed.name), now));
        }
    }
    view.feeds.sort_by(|one, other| one.feed.cmp(&other.feed));
    shell.out.value(&view, render::feeds)?;
    Ok(Exit::Done)
}

/// What a reader must hold to know of a feed: its own labels, and those of the types and properties that it makes,
/// which its name and its columns would tell.
fn labels(feed: &Feed, ontology: Option<&Ontology>) -> Labels {
    let mut labels = feed.access.clone();
    let entity = feed.entity.as_ref().zip(ontology);
    let entity = entity.and_then(|(entity, ontology)| ontology.entities.get(&entity.entity_type));
    labels.extend(entity.into_iter().flat_map(|entity| entity.access.iter().cloned()));
    let Some((edge, ontology)) = feed.edge.as_ref().zip(ontology) else { return labels };
    let Some(declared) = ontology.edges.get(&edge.edge_type) else { return labels };
    labels.extend(declared.access.iter().cloned());
    let properties = edge.properties.keys().filter_map(|name| declared.properties.get(name));
    labels.extend(properties.flat_map(|property| property.access.iter().cloned()));
    let ends = [&edge.subject, &edge.object].into_iter().flat_map(|end| &end.types);
    let ends = ends.filter_map(|name| ontology.entities.get(name));
    labels.extend(ends.flat_map(|entity| entity.access.iter().cloned()));
    labels
}

fn of(
    job: &str,
    feed: &Feed,
    scope: Option<ScopeRecord>,
    look: Option<Look>,
    now: jiff::Timestamp,
) -> FeedView {
    let (last_read, input) = look.map(|look| (look.at, look.input)).unzip();
    let why = input.as_ref().map(|input| input.why.clone()).unwrap_or_default();
    let scope = scope.filter(|scope| scope.content.is_some());
    let changed_at = scope.as_ref().and_then(|scope| scope.changed_at.clone());
    let hours = changed_at.as_ref().and_then(|at| at.parse::<jiff::Timestamp>().ok());
    let seconds = hours.map(|at| now.as_second() - at.as_second());
    let stale =
        feed.fresh_within.zip(seconds).is_some_and(|(limit, seconds)| seconds > i64::from(limit) * 3600);
    FeedView {
        feed: feed.name.clone(),
        job: job.to_owned(),
        kind: feed.format.table.word(),
        path: feed.path.clone(),
        changes: feed.format.operation.is_some(),
        last_read,
        state: input.as_ref().map(|input| input.state.clone()),
        rows: scope.as_ref().map(|scope| scope.rows as u64),
        last_run: input.map_or_else(Changed::default, |input| Changed {
            added: input.added,
            changed: input.changed,
            gone: input.gone,
        }),
        changed_at,
        contract: contract(&why, scope.is_some()),
        columns: scope.as_ref().map(|scope| scope.columns.clone()).unwrap_or_default(),
        declared: match feed.columns {
            Columns::Evolve => "evolve",
            Columns::Freeze => "freeze",
            Columns::DiscardRow => "discard_row",
            Columns::DiscardValue => "discard_value",
        },
        fresh_within: feed.fresh_within,
        stale,
        accepted: scope.and_then(|scope| scope.accepted),
        why,
    }
}

/// What the run that last looked at a feed found.
struct Look {
    at: String,
    input: InputReport,
}

/// The last look at each feed of these names. Reads the reports of runs, the last one first, until each feed is found.
fn last_looks<'n>(
    workspace: &Workspace,
    names: impl Iterator<Item = &'n String>,
) -> Result<BTreeMap<String, Look>, Failure> {
    let mut wanted: BTreeSet<&String> = names.collect();
    let mut looks = BTreeMap::new();
    if wanted.is_empty() {
        return Ok(looks);
    }
    past::back(workspace, |report| {
        for input in report.inputs.into_iter().filter(|input| input.kind == "feed" && !report.plan) {
            if wanted.remove(&input.name) {
                looks.insert(input.name.clone(), Look { at: report.started_at.clone(), input });
            }
        }
        !wanted.is_empty()
    })?;
    Ok(looks)
}
