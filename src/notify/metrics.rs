//! The file of metrics: the reports of past runs in, Prometheus' text format out.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::drift::Severity;
use crate::run::report::{Outcome, SourcesReport};
use crate::run::{DriftReport, RunReport};

/// What is known of a job's runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'k> {
    /// The job.
    pub(super) job: &'k str,
    /// Its last run; of no run nothing is told.
    pub(super) last: Option<&'k RunReport>,
    /// Its last run that came to its end.
    pub(super) completed: Option<&'k RunReport>,
    /// Its last run that succeeded.
    pub(super) succeeded: Option<&'k RunReport>,
    /// The last run, of whichever job, that describes the graph.
    pub(super) described: Option<&'k RunReport>,
    /// The drift report of its last run that has one.
    pub(super) drift: Option<&'k DriftReport>,
    /// How the sources and feeds stood at the last run that looked at its own.
    pub(super) sources: Option<&'k SourcesReport>,
}

/// True if a run did all that it was to do.
pub(super) fn succeeded(run: &RunReport) -> bool {
    run.exit_code == 0 && run.outcome != Outcome::Failed
}

/// True if a run describes the graph that readers see.
pub(super) fn describes(run: &RunReport) -> bool {
    !matches!(run.outcome, Outcome::Failed | Outcome::Held)
}

/// The text of the file. Times are told as times, never as ages; what is none is told as 0.
pub(super) fn metrics(known: Known<'_>) -> String {
    let mut page = Page { job: known.job.to_owned(), text: String::new() };
    let Some(last) = known.last else { return page.text };
    let ended = |run: &RunReport| seconds(&run.times.finished_at).or_else(|| seconds(&run.started_at));
    page.time(
        "edgewright_last_completion_timestamp_seconds",
        "When a run last came to its end, whatever it found.",
        known.completed.and_then(ended),
    );
    page.time(
        "edgewright_last_success_timestamp_seconds",
        "When a run last ended with exit code 0.",
        known.succeeded.and_then(ended),
    );
    page.gauge("edgewright_run_exit_code", "The exit code of the last run.", f64::from(last.exit_code));
    let held = known.completed.is_some_and(|run| run.held);
    page.gauge(
        "edgewright_run_held",
        "1 if what the last run made waits for a person.",
        f64::from(u8::from(held)),
    );
    page.gauge("edgewright_run_duration_seconds", "How long the last run took.", last.times.seconds);
    let stages = last.times.stages.iter().map(|one| (one.stage.clone(), one.seconds));
    page.gauges(
        "edgewright_stage_duration_seconds",
        "How long each stage of the last run took.",
        "stage",
        stages,
    );
    if let Some(cpu) = last.cost.cpu_seconds {
        page.gauge("edgewright_run_cpu_seconds", "The processor time that the last run took.", cpu);
    }
    page.gauge(
        "edgewright_run_external_calls",
        "How often the last run asked a program or server of somebody else's.",
        last.cost.external_calls as f64,
    );
    graph(&mut page, known.described);
    let sources = || known.sources.iter().flat_map(|known| &known.sources);
    let is_others = |name: &str| {
        let jobs = || sources().filter(|source| source.found.name == name).map(|source| &source.job);
        jobs().next().is_some() && jobs().all(|job| job != known.job)
    };
    let mut findings: BTreeMap<String, f64> =
        ["info", "warn", "fail"].map(|name| (name.to_owned(), 0.0)).into();
    let found = known.drift.iter().flat_map(|drift| &drift.findings);
    for finding in found.filter(|finding| !is_others(&finding.segment.source)) {
        let name = match finding.severity {
            Severity::Info => "info",
            Severity::Warn => "warn",
            Severity::Fail => "fail",
        };
        *findings.entry(name.to_owned()).or_default() += 1.0;
    }
    page.gauges(
        "edgewright_drift_findings",
        "What the drift report of the last run found, by severity.",
        "severity",
        findings,
    );
    let sources: Vec<_> = sources().filter(|source| source.job == page.job).collect();
    let changed = sources
        .iter()
        .filter_map(|one| Some((one.found.name.clone(), seconds(one.last_change.as_deref()?)?)));
    page.gauges(
        "edgewright_source_last_change_timestamp_seconds",
        "When each source and feed was last accepted with other content.",
        "source",
        changed.collect::<Vec<_>>(),
    );
    let waited =
        sources.iter().filter_map(|one| Some((one.found.name.clone(), one.withdrawn_hours? as f64 * 3600.0)));
    page.gauges(
        "edgewright_withdrawal_wait_seconds",
        "For how long, at most, what was withdrawn last waited to be out of the graph.",
        "source",
        waited.collect::<Vec<_>>(),
    );
    let kept_back = sources.iter().map(|one| {
        let kept_back = matches!(one.found.state.as_str(), "withheld" | "unproven");
        (one.found.name.clone(), f64::from(u8::from(kept_back)))
    });
    page.gauges(
        "edgewright_source_withheld",
        "1 if a source or feed could not be accepted as it stands.",
        "source",
        kept_back.collect::<Vec<_>>(),
    );
    page.text
}

/// What is told of the graph that readers see.
fn graph(page: &mut Page, run: Option<&RunReport>) {
    let Some(run) = run else { return };
    page.time(
        "edgewright_published_timestamp_seconds",
        "When the generation that readers see was published.",
        run.published_at.as_deref().and_then(seconds),
    );
    let totals = &run.totals;
    let edges = totals.edges.iter().map(|(edge_type, edges)| (edge_type.clone(), edges.facts as f64));
    page.gauges("edgewright_edges", "Facts with an edge in recorded time, by type.", "edge_type", edges);
    page.gauge("edgewright_documents", "Documents.", totals.documents as f64);
    page.gauge("edgewright_chunks", "Chunks, as they stand in documents.", totals.chunks as f64);
    page.gauge(
        "edgewright_quarantined_assertions",
        "Assertions that wait for a person.",
        totals.quarantined_assertions as f64,
    );
    let reasons = totals.quarantined.iter().map(|(reason, number)| (reason.clone(), *number as f64));
    page.gauges(
        "edgewright_quarantined_edges",
        "Assertions that wait for a person, by reason; one with two reasons counts under each.",
        "reason",
        reasons,
    );
    page.time(
        "edgewright_quarantine_oldest_timestamp_seconds",
        "When what has waited for a person for longest came; absent if nothing waits.",
        totals.quarantine_oldest.as_deref().and_then(seconds),
    );
}

/// Seconds since 1970.
fn seconds(time: &str) -> Option<f64> {
    time.parse::<Timestamp>().ok().map(|time| time.as_second() as f64)
}

struct Page {
    job: String,
    text: String,
}

impl Page {
    fn head(&mut self, name: &str, help: &str) {
        self.text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n"));
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.head(name, help);
        self.text.push_str(&format!("{name}{{job=\"{}\"}} {value}\n", escaped(&self.job)));
    }

    /// A time; one that is not known is left out, since no number stands for it.
    fn time(&mut self, name: &str, help: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.gauge(name, help, value);
        }
    }

    fn gauges(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (String, f64)>,
    ) {
        let job = escaped(&self.job);
        let lines = values.into_iter().map(|(which, value)| {
            format!("{name}{{job=\"{job}\",{label}=\"{}\"}} {value}\n", escaped(&which))
        });
        let lines: String = lines.collect();
        if !lines.is_empty() {
            self.head(name, help);
            self.text.push_str(&lines);
        }
    }
}

/// A label's value.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
