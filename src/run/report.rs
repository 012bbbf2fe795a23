//! What a run did, as a value: `runs/<id>/run.json`, and what the command line says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::once::Options;
use super::watch::Watch;

/// How many changes a person is shown, with the names of their entities.
pub const LISTED: usize = 20;

/// What a run did, or what `plan` says that it would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunReport {
    /// The version of this form.
    pub version: u32,
    /// The run's id; empty for a plan.
    pub run: String,
    /// When it began, as an RFC 3339 time.
    pub started_at: String,
    /// The day that counted as today.
    pub today: String,
    /// True for a plan: nothing was written.
    pub plan: bool,
    /// The generation that it published, or would publish; null if nothing changed.
    pub generation: Option<u64>,
    /// The generation that stood before.
    pub before: u64,
    /// Its status, how it ended: `published`, `nothing_to_do`, `partial` (some inputs failed or were withheld), `held`
    /// or `failed`.
    pub outcome: Outcome,
    /// The state digest of the generation that now stands; empty if there is none.
    pub state_digest: String,
    /// The history digest of the generation that now stands; empty if there is none.
    pub history_digest: String,
    /// What each source and feed gave.
    pub inputs: Vec<InputReport>,
    /// What was done, counted.
    pub work: Work,
    /// The changes of facts, by what they say; of more than 10,000 the first that were made.
    pub changes: Vec<ChangeReport>,
    /// The names by which the entities of the first changes go, by key.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// How many more changes there are; the changelog has them all.
    #[serde(default)]
    pub more_changes: u64,
    /// Assertions that came into quarantine in this run, by reason.
    pub quarantined: BTreeMap<String, u64>,
    /// Days on which nobody holds an edge that somebody held before and after.
    pub gaps: Vec<String>,
    /// How many of each there are now.
    pub totals: Totals,
    /// What is wrong with inputs.
    pub diagnostics: Vec<DiagnosticReport>,
    /// The state of the drift report: `pass`, `warn`, `fail` or `no_baseline`; empty if there is none.
    pub drift: String,
    /// What the drift report found, the worst first.
    #[serde(default)]
    pub findings: Vec<crate::drift::Finding>,
    /// The jobs that ran, separated by commas.
    #[serde(default)]
    pub job: String,
    /// The day that the run stands for: today, unless another was named.
    #[serde(default)]
    pub logical_date: String,
    /// The exit code of the program.
    #[serde(default)]
    pub exit_code: u8,
    /// True if what the run made waits for a person, and readers see what stood before; of a plan, if it would.
    #[serde(default)]
    pub held: bool,
    /// Of how many earlier runs and edits the reports were removed, as the jobs declare.
    #[serde(default)]
    pub pruned: u64,
    /// Who had it published although it looks wrong, and why; null if nobody had to.
    #[serde(default)]
    pub forced: Option<String>,
    /// When the generation that readers now see was published, as an RFC 3339 time; null if there is none.
    #[serde(default)]
    pub published_at: Option<String>,
    /// How long it took.
    #[serde(default)]
    pub times: Times,
    /// What it cost.
    #[serde(default)]
    pub cost: Cost,
    /// Why it failed; null if it did not.
    #[serde(default)]
    pub error: Option<FailureReport>,
    /// Rules, edge types and documents that a person asked to read again although nothing has changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<String>,
}

/// The command by which a run reads again what another one was asked to.
pub fn again_of(again: &[String]) -> String {
    let words: String = again.iter().map(|what| format!(" --again '{what}'")).collect();
    format!("edgewright run{words}")
}

/// How long a run took.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// When it ended, as an RFC 3339 time.
    pub finished_at: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How long each stage took, in the order of the stages.
    pub stages: Vec<StageTime>,
}

/// How long a stage took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageTime {
    /// `prepare`, `requests`, `feeds`, `scan`, `documents`, `fold`, `drift`, `publish`, `changelog` or `index`.
    pub stage: String,
    /// In seconds.
    pub seconds: f64,
}

/// What a run cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Seconds of processor time, of this process and of those that parsed for it; null where the system does not say.
    pub cpu_seconds: Option<f64>,
    /// How often a program or server of somebody else's was asked: a parser of the user's, a database.
    pub external_calls: u64,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureReport {
    /// What failed.
    pub message: String,
    /// Why, from the outside in.
    pub causes: Vec<String>,
}

/// What each source and feed of a run's jobs gave: `runs/<id>/sources.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourcesReport {
    /// The version of this form.
    pub version: u32,
    /// The run.
    pub run: String,
    /// The sources and feeds, by name.
    pub sources: Vec<SourceReport>,
}

/// What one source or feed gave, and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceReport {
    /// What the run found.
    #[serde(flatten)]
    pub found: InputReport,
    /// The job in which it stands.
    pub job: String,
    /// Its folder or file, relative to the workspace; of a connection `env:` and the name of its variable.
    pub path: String,
    /// When the run looked at it, as an RFC 3339 time.
    pub last_read: String,
    /// When it was last accepted with other content, as an RFC 3339 time; null if it never was.
    pub last_change: Option<String>,
    /// Of a feed: its columns are the `accepted` ones, have `changed`, or `none` were accepted yet; null for a source.
    pub contract: Option<String>,
    /// How many hours it may stay as it is; null if the job does not say.
    pub fresh_within: Option<u32>,
    /// True if it has stayed as it is for longer.
    pub stale: bool,
    /// How many of its documents were withdrawn, or are gone.
    #[serde(default)]
    pub withdrawn: u64,
    /// How many hours these may have waited to be out of the graph, at most: since a published run looked at the source
    /// before; null if none were.
    #[serde(default)]
    pub withdrawn_hours: Option<u64>,
}

/// How the columns of a feed stand to those last accepted, by why it is withheld.
pub fn contract(why: &[String], accepted: bool) -> &'static str {
    let columns = ["feed-column", "feed-columns"];
    if why.iter().any(|why| columns.iter().any(|code| why.starts_with(code))) {
        return "changed";
    }
    if accepted { "accepted" } else { "none" }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A generation was published, and every input was read.
    Published,
    /// Nothing changed.
    NothingToDo,
    /// Some inputs failed or were withheld; the rest was published. Exit code 4.
    Partial,
    /// The run looks wrong: it is stored and nobody sees it until a person releases it. Exit code 3.
    Held,
    /// It failed, and changed nothing that readers see. Exit code 1 or 2.
    Failed,
}

impl Outcome {
    /// The word, as the JSON form has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::NothingToDo => "nothing_to_do",
            Self::Partial => "partial",
            Self::Held => "held",
            Self::Failed => "failed",
        }
    }
}

/// What one source or feed gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputReport {
    /// Its name.
    pub name: String,
    /// `source` or `feed`.
    pub kind: String,
    /// `unchanged`, `read`, `withheld`, `unproven`, or `later`: read for a later day already.
    pub state: String,
    /// Documents or rows that it has.
    pub items: u64,
    /// New ones.
    pub added: u64,
    /// Changed ones.
    pub changed: u64,
    /// Gone ones.
    pub gone: u64,
    /// Ones that the configuration does not select.
    pub not_selected: u64,
    /// New and changed documents that could not be read: they stay as they were, count as neither, and are looked at
    /// again in each run. A new one is none that the source has.
    #[serde(default)]
    pub withheld: u64,
    /// Scopes whose absence is not proven, and why.
    pub unproven: Vec<String>,
    /// Why a feed is withheld: codes with what they say.
    #[serde(default)]
    pub why: Vec<String>,
}

/// What was done: counted inside the stages, so that a reader can see what did *not* run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Documents whose bytes were parsed.
    pub parsed: u64,
    /// Chunks that were extracted.
    pub extracted: u64,
    /// Chunks whose extraction was kept.
    pub kept: u64,
    /// Chunks of unchanged documents that were extracted again, to see whether they read the same.
    #[serde(default)]
    pub audited: u64,
    /// Groups of facts that were folded.
    pub folded: u64,
    /// Entries of the text index that were written: chunks that came, left, or read or assert something else.
    #[serde(default)]
    pub indexed: u64,
    /// How often programs of `external` rules were asked about chunks, second tries included.
    #[serde(default)]
    pub external_calls: u64,
    /// How long they took to answer, in milliseconds, summed over all threads; a program's start is part of its first.
    #[serde(default)]
    pub external_ms: u64,
    /// How much of what they said was refused, since it is no assertion.
    #[serde(default)]
    pub external_refused: u64,
    /// Which chunk of which document was extracted, and why, at most 10,000 of them.
    pub log: Vec<WorkEntry>,
}

/// One extracted chunk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct WorkEntry {
    /// The document.
    pub document: String,
    /// The line of its file; 0 if the file has no lines.
    pub line: u32,
    /// Where in its file it begins: `line 4`, `page 3`, `paragraph 12`, `Sheet1!B7`.
    #[serde(default)]
    pub place: String,
    /// The chunk's id.
    pub chunk: String,
    /// Why: `new document`, `text changed`, `name changed`, `definition changed`, `rule changed`, ….
    pub why: String,
}

/// How many changes a report holds: a first run makes as many as there are facts.
const CHANGES: usize = 10_000;

impl RunReport {
    /// Notes a change.
    pub(super) fn note(&mut self, change: ChangeReport) {
        if self.changes.len() < CHANGES {
            self.changes.push(change);
        } else {
            self.more_changes += 1;
        }
    }

    /// A run that has done nothing yet.
    pub(super) fn begun(run: String, options: &Options, before: u64) -> Self {
        Self {
            version: 1,
            run,
            started_at: options.now.clone(),
            today: options.today.to_string(),
            plan: options.plan,
            generation: None,
            before,
            outcome: Outcome::NothingToDo,
            state_digest: String::new(),
            history_digest: String::new(),
            inputs: Vec::new(),
            work: Work::default(),
            changes: Vec::new(),
            names: BTreeMap::new(),
            more_changes: 0,
            quarantined: BTreeMap::new(),
            gaps: Vec::new(),
            totals: Totals::default(),
            diagnostics: Vec::new(),
            drift: String::new(),
            findings: Vec::new(),
            job: String::new(),
            logical_date: options.today.to_string(),
            exit_code: 0,
            held: false,
            pruned: 0,
            forced: None,
            published_at: None,
            times: Times::default(),
            cost: Cost::default(),
            error: None,
            again: options.again.clone(),
        }
    }

    /// The report of a held run as of its release.
    pub(super) fn released(self) -> Self {
        Self { outcome: Outcome::Published, held: false, exit_code: 0, ..self }
    }

    /// Notes that the run ends: what is written after this belongs to no stage.
    pub(super) fn end(&mut self, watch: &Watch) {
        self.exit_code = self.code();
        self.times = watch.times(&self.started_at);
        self.cost = watch.cost(self.cost.external_calls);
    }

    /// The exit code that follows from how it ended; of a failed run it is the error's.
    pub fn code(&self) -> u8 {
        match self.outcome {
            Outcome::Failed => self.exit_code,
            // A plan says how a run would end; what only reports a failure holds nothing.
            _ if self.drift == "fail" && (self.held || self.outcome == Outcome::Held) => 3,
            Outcome::Partial => 4,
            // A candidate is held because a person asked for it.
            Outcome::Held | Outcome::Published | Outcome::NothingToDo => 0,
        }
    }

    /// The jobs that ran, which have names without a comma; none of a run that failed before it knew them, and of what
    /// is no run.
    pub fn jobs(&self) -> impl Iterator<Item = &str> {
        self.job.split(", ").filter(|job| !job.is_empty())
    }

    /// How many changes there are, listed or not.
    pub fn changed(&self) -> u64 {
        self.changes.len() as u64 + self.more_changes
    }
}

/// One change of a fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ChangeReport {
    /// Subject, edge type and object.
    pub says: String,
    /// The subject, as `Type:key`.
    #[serde(default)]
    pub subject: String,
    /// The object, as `Type:key`.
    #[serde(default)]
    pub object: String,
    /// The fact's id.
    pub fact: String,
    /// The edge type.
    pub edge_type: String,
    /// `added`, `retracted`, `changed` or `revived`.
    pub change: String,
    /// The edges before: intervals with their properties.
    pub before: Vec<String>,
    /// The edges after.
    pub after: Vec<String>,
    /// The primary cause.
    pub cause: String,
    /// Which document, row, rule or decision.
    pub detail: String,
}

/// How many of each there are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Documents.
    pub documents: u64,
    /// Chunks, counted as they stand in documents.
    pub chunks: u64,
    /// Entities by type.
    pub entities: BTreeMap<String, u64>,
    /// Edges by type.
    pub edges: BTreeMap<String, EdgeTotals>,
    /// Assertions in quarantine, by reason; one with two reasons counts under each.
    pub quarantined: BTreeMap<String, u64>,
    /// Assertions in quarantine.
    pub quarantined_assertions: u64,
    /// Ends that wait for an attestation of their fact.
    pub pending_ends: u64,
    /// When what has waited in quarantine for longest came there, as an RFC 3339 time; null if nothing waits.
    #[serde(default)]
    pub quarantine_oldest: Option<String>,
}

/// How many edges of a type there are, by what today makes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EdgeTotals {
    /// Facts with an edge in recorded time, whatever its dates.
    pub facts: u64,
    /// Edges that hold today.
    pub current: u64,
    /// Edges that have ended.
    pub ended: u64,
    /// Edges that have not begun.
    pub future: u64,
}

/// A diagnostic in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticReport {
    /// The file.
    pub file: String,
    /// The line; 0 for the file as a whole.
    pub line: u32,
    /// The column; 0 for the line as a whole.
    pub column: u32,
    /// Where in a file without lines: `page 3`, `paragraph 12`, `Sheet1!B7`; else empty.
    #[serde(default)]
    pub place: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl From<&crate::diag::Diagnostic> for DiagnosticReport {
    fn from(diagnostic: &crate::diag::Diagnostic) -> Self {
        Self {
            file: diagnostic.at.file.clone(),
            line: diagnostic.at.line,
            column: diagnostic.at.column,
            place: diagnostic.at.spot.as_ref().map(ToString::to_string).unwrap_or_default(),
            severity: diagnostic.severity.to_string(),
            code: diagnostic.code.to_owned(),
            message: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
        }
    }
}
