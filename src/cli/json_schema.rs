//! `json-schema`: the published forms of every file that is read and every document that is written.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::shell::Shell;
use super::{accept, check, decide, export, feeds, init, notify, render, runs, sample, status};
use crate::config;
use crate::diag::nearest;
use crate::run::edits::{self, EditReport};
use crate::run::report::SourcesReport;
use crate::run::{self, DriftReport, RunReport};
use crate::serve::ask;
use crate::serve::{
    DiffView, EditLog, ExportRow, GapsReport, HistoryView, OntologyView, QuarantineView, SampleView,
    SearchView, ShowView, Upsert, WhyView,
};

/// Print the JSON Schema of a file or of a command's JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright json-schema                    list the names
  edgewright json-schema job > job.json     for an editor")]
pub(super) struct Args {
    /// Which one; without a name they are listed.
    name: Option<String>,
}

/// The names of all schemas.
#[derive(Debug, Serialize)]
pub(super) struct Names {
    /// The version of this form.
    pub(super) version: u32,
    /// The names.
    pub(super) schemas: Vec<&'static str>,
}

/// A name and the schema of the program's own type.
type Entry = (&'static str, fn() -> serde_json::Value);

/// What the program writes; `run` is `plan`'s form as well.
const WRITTEN: [Entry; 48] = [
    ("accept", of::<accept::Queued>),
    ("act", of::<run::ActReport>),
    ("ask-alternatives", of::<ask::AlternativesView>),
    ("ask-compare", of::<ask::CompareView>),
    ("ask-complement", of::<ask::ComplementView>),
    ("ask-components", of::<ask::ComponentsView>),
    ("ask-count", of::<ask::CountView>),
    ("ask-edges", of::<ask::EdgesView>),
    ("ask-measure", of::<ask::MeasureView>),
    ("ask-node", of::<ask::NodeCard>),
    ("ask-nodes", of::<ask::NodesView>),
    ("ask-path", of::<ask::PathView>),
    ("ask-reach", of::<ask::ReachView>),
    ("ask-risk", of::<ask::RiskView>),
    ("ask-subgraph", of::<ask::SubgraphView>),
    ("ask-without", of::<ask::WithoutView>),
    ("check", of::<check::Checked>),
    ("decide", of::<decide::Decided>),
    ("diff", of::<DiffView>),
    ("drift", of::<DriftReport>),
    ("edit", of::<EditReport>),
    ("edit-line", edits::schema),
    ("edit-list", of::<EditLog>),
    ("eval", of::<run::eval::EvalReport>),
    ("export", of::<export::Line<ExportRow>>),
    ("export-files", of::<export::Files>),
    ("export-since", of::<export::Line<Upsert>>),
    ("feeds", of::<feeds::FeedsView>),
    ("gaps", of::<GapsReport>),
    ("history", of::<HistoryView>),
    ("init", of::<init::Written>),
    ("notify", of::<notify::Notified>),
    ("ontology-counts", of::<OntologyView>),
    ("purge", of::<run::PurgeReport>),
    ("quarantine", of::<QuarantineView>),
    ("replay", of::<run::Replayed>),
    ("run", of::<RunReport>),
    ("runs", of::<runs::RunsView>),
    ("sample", of::<SampleView>),
    ("sample-verdicts", of::<sample::Judged>),
    ("search", of::<SearchView>),
    ("show", of::<ShowView>),
    ("sources", of::<SourcesReport>),
    ("status", of::<status::StatusView>),
    ("test", of::<run::ExamplesReport>),
    ("try", of::<run::TrialReport>),
    ("verify", of::<run::Verified>),
    ("why", of::<WhyView>),
];

/// What the program reads, and forms that other parts own.
const CONFIGURED: [&str; 3] = ["ontology", "job", "golden-map"];

fn of<T: JsonSchema>() -> serde_json::Value {
    schema_for!(T).to_value()
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let names = names();
    let Some(name) = &args.name else {
        shell.out.value(&Names { version: 1, schemas: names }, render::names)?;
        return Ok(Exit::Done);
    };
    let written = WRITTEN.iter().find(|(known, _)| known == name).map(|(_, schema)| schema());
    let Some(schema) = written.or_else(|| config::schema(name)) else {
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the names are: {}", names.join(", ")),
        };
        return Err(Failure::usage(format!("there is no schema `{name}`"), hint));
    };
    shell.out.value(&schema, render::json)?;
    Ok(Exit::Done)
}

fn names() -> Vec<&'static str> {
    let configured = CONFIGURED.into_iter().filter(|name| config::schema(name).is_some());
    let mut names: Vec<&str> = WRITTEN.iter().map(|(name, _)| *name).chain(configured).collect();
    names.sort_unstable();
    names
}
