//! Lineage: which data a run reads and writes, as events of OpenLineage 2-0-2; values in, JSON out.

use serde_json::{Value, json};

use crate::model::id::Fingerprint;
use crate::model::job::Job;
use crate::run::RunReport;

/// The form of the events, pinned.
const SCHEMA: &str = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent";

/// Who makes them.
const PRODUCER: &str = concat!("urn:edgewright:", env!("CARGO_PKG_VERSION"));

/// What has become of a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stage<'r> {
    /// It begins.
    Start,
    /// It came to its end, whatever it found.
    Complete(&'r RunReport),
    /// It failed, and why.
    Fail(&'r str),
    /// It did not begin, because another one is at work.
    Abort,
    /// It came to its end and is held: readers see what they saw before.
    Held(&'r RunReport),
    /// A person has released one that was held: readers see what it made.
    Released(&'r RunReport),
}

/// The UUID of a job's run that begins at a moment, by what is made of it (RFC 9562, version 8).
pub(super) fn uuid(job: &str, moment: i128) -> String {
    let hash = Fingerprint::of(&["lineage", job, &moment.to_string()]).to_string();
    // The variant is one of the digits 8 to b.
    let variant = ['8', '9', 'a', 'b'][usize::from(hash.as_bytes()[16] & 3)];
    format!("{}-{}-8{}-{variant}{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}

/// The event of a stage. Inputs and outputs stand in each event: some readers look at one kind only.
pub(super) fn event(job: &Job, namespace: &str, run: &str, at: &str, today: &str, stage: Stage<'_>) -> Value {
    let facet = |name: &str, mut facet: Value| {
        facet["_producer"] = json!(PRODUCER);
        facet["_schemaURL"] = json!(format!("https://openlineage.io/spec/facets/{name}.json"));
        facet
    };
    let mut run_facets = json!({
        "nominalTime":
            facet("1-0-1/NominalTimeRunFacet", json!({ "nominalStartTime": format!("{today}T00:00:00Z") })),
    });
    let kind = match stage {
        Stage::Start => "START",
        Stage::Complete(_) | Stage::Released(_) => "COMPLETE",
        Stage::Fail(_) => "FAIL",
        Stage::Abort | Stage::Held(_) => "ABORT",
    };
    if let Stage::Fail(message) = stage {
        let said = json!({ "message": message, "programmingLanguage": "Rust" });
        run_facets["errorMessage"] = facet("1-0-1/ErrorMessageRunFacet", said);
    }
    let sources = job.sources.values().map(|source| (&source.name, &source.path));
    let feeds = job.feeds.values().map(|feed| (&feed.name, &feed.path));
    let mut inputs: Vec<(&String, &String)> = sources.chain(feeds).collect();
    inputs.sort();
    let inputs = inputs.into_iter().map(|(name, path)| {
        json!({ "namespace": namespace, "name": path, "facets": {
            "documentation": facet("1-0-1/DocumentationDatasetFacet", json!({ "description": name })),
        } })
    });
    let mut output = json!({ "namespace": namespace, "name": "graph" });
    if let Stage::Complete(report) | Stage::Released(report) = stage {
        let edges: u64 = report.totals.edges.values().map(|edges| edges.facts).sum();
        output["outputFacets"] = json!({
            "outputStatistics":
                facet("1-0-2/OutputStatisticsOutputDatasetFacet", json!({ "rowCount": edges })),
        });
    }
    json!({
        "eventType": kind,
        "eventTime": at,
        "producer": PRODUCER,
        "schemaURL": SCHEMA,
        "run": { "runId": run, "facets": run_facets },
        "job": { "namespace": namespace, "name": job.name },
        "inputs": inputs.collect::<Vec<_>>(),
        "outputs": [output],
    })
}
