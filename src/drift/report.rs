//! The drift report as alerting pipelines read it. Its JSON form is versioned.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drift::audit::AuditReport;
use crate::drift::{Census, Observed};
use crate::model::gates::{Gate, GateBook};

/// The version of the report's form.
pub const VERSION: u32 = 3;

/// An edge type in one source. In a finding `*` stands for every edge type or for every source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Segment {
    /// The edge type.
    pub edge_type: String,
    /// The source of documents, or the feed.
    pub source: String,
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.edge_type, self.source)
    }
}

/// How many facts changed, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Facts that were not there before.
    pub added: u64,
    /// Facts that are no longer there.
    pub retracted: u64,
    /// Facts with other intervals or properties.
    pub changed: u64,
    /// Of the changed ones, those with an edge that holds longer because what had ended it is gone.
    pub revived: u64,
}

/// The counts of a segment, or of an edge type over all sources. `after` is `before + added − retracted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The segment; `*` is the source of a total.
    #[serde(flatten)]
    pub segment: Segment,
    /// Live facts before.
    pub before: u64,
    /// What changed.
    #[serde(flatten)]
    pub tally: Tally,
    /// Live facts after.
    pub after: u64,
    /// What changed, by cause.
    pub causes: BTreeMap<String, Tally>,
}

/// How the run looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing to say.
    Pass,
    /// A person should look; the run goes on.
    Warn,
    /// The run looks wrong.
    Fail,
    /// The first run: there is nothing to compare with.
    NoBaseline,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// A person should look.
    Warn,
    /// The run looks wrong.
    Fail,
}

/// An edge as an example, with its sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The fact's id.
    pub fact: String,
    /// The edge, for a person: its ends by name and key.
    pub text: String,
    /// A sentence, or the cells of a row, that says or said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// The document, or the feed's row, in which that stands or stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The rule, or the feed's mapping, that reads or read it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if let Some(sentence) = &self.sentence {
            write!(f, ": \"{sentence}\"")?;
        }
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

/// What documents say that were read again, beside what the same documents said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The segment; `*` stands for every edge type of the source.
    #[serde(flatten)]
    pub segment: Segment,
    /// How many documents say or said something.
    pub documents: u64,
    /// How many edges they said.
    pub before: u64,
    /// How many they say.
    pub after: u64,
    /// How many of these the document said that changed most.
    pub most_before: u64,
    /// How many it says.
    pub most_after: u64,
}

/// What another guard found of the same cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Also {
    /// The rule that found it.
    pub rule: String,
    /// How bad it would be alone.
    pub severity: Severity,
    /// Where.
    pub segment: Segment,
    /// Live facts before.
    pub before: u64,
    /// Live facts after.
    pub after: u64,
    /// How many facts it is about.
    pub count: u64,
}

/// One cause to look at: what the first guard that applies found of it, and what the others did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule that found it: the name of its page in `docs/codes/`.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What it does to the run if it says `fail`: `block` holds it, `report` lets it be published.
    #[serde(default)]
    pub gate: Gate,
    /// Where.
    pub segment: Segment,
    /// Live facts before; of guards that look at documents, what those yielded.
    pub before: u64,
    /// Live facts after, likewise.
    pub after: u64,
    /// How many facts it is about.
    pub count: u64,
    /// What it says beyond the counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
    /// How many of them by cause, most first in reading order of causes.
    pub causes: BTreeMap<String, u64>,
    /// The rules, and mappings of feeds, by which they had been read, with how many of them each; a fact that several
    /// had read counts for each. Empty where no edges are counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, u64>,
    /// Documents that it is about, by name; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
    /// Some of them.
    pub examples: Vec<Example>,
    /// What other guards found of the same cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Also>,
    /// The same for the same rule and segment in every run, so that it can be muted or accepted.
    pub key: String,
    /// The command by which a person accepts it, if it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<String>,
    /// Who has accepted it, when and why: it is worth a warning at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
}

/// A source or feed that has stayed as it is for longer than it should.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stale {
    /// The source or feed.
    pub source: String,
    /// How long it has stayed as it is, in hours.
    pub hours: u64,
    /// How long it may, in hours.
    pub limit: u64,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let long = |hours: u64| {
            if hours < 72 { format!("{hours} hours") } else { format!("{} days", hours / 24) }
        };
        let (source, hours, limit) = (&self.source, long(self.hours), long(self.limit));
        write!(f, "`{source}` has not changed for {hours} and should within {limit}")
    }
}

/// The report of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DriftReport {
    /// The version of this form.
    pub version: u32,
    /// The job.
    pub job: String,
    /// The run.
    pub run: String,
    /// The published generation that this is compared with; `null` for the first run.
    pub baseline: Option<u64>,
    /// How the run looks.
    pub state: State,
    /// True if a finding fails whose gate is `block`.
    #[serde(default)]
    pub holds: bool,
    /// Each segment that has or had an edge, sorted.
    pub segments: Vec<Row>,
    /// Each edge type over all sources, each fact once.
    pub edge_types: Vec<Row>,
    /// What to look at, the worst first.
    pub findings: Vec<Finding>,
    /// What of the unchanged documents was read again; `null` if nothing was.
    #[serde(default)]
    pub audit: Option<AuditReport>,
    /// What the documents say that were read again, beside what they said: of each segment, and of each source. From
    /// these the nights to come learn how far such counts are apart where nothing is wrong.
    #[serde(default)]
    pub compared: Vec<Compared>,
}

impl Finding {
    /// The rules by which its edges had been read, most edges first: `supply 24, supply.table 3`.
    pub fn read_by(&self) -> Option<String> {
        let mut rules: Vec<(&String, &u64)> = self.rules.iter().collect();
        rules.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        let rules: Vec<String> = rules.iter().map(|(name, count)| format!("{name} {count}")).collect();
        (!rules.is_empty()).then(|| rules.join(", "))
    }
}

impl DriftReport {
    /// Adds what was found elsewhere, as the first of its severity.
    pub fn add(&mut self, finding: Finding) {
        self.state = match (self.state, finding.severity) {
            (State::NoBaseline, _) => State::NoBaseline,
            (_, Severity::Fail) => State::Fail,
            (State::Pass, Severity::Warn) => State::Warn,
            (state, _) => state,
        };
        self.holds |= self.state != State::NoBaseline && finding.holds();
        let worse = self.findings.iter().take_while(|one| one.severity > finding.severity).count();
        self.findings.insert(worse, finding);
    }
}

/// What the report needs to know besides the changes.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// The job's name.
    pub job: &'a str,
    /// The run's id.
    pub run: &'a str,
    /// The published generation that the run is compared with.
    pub baseline: Option<u64>,
    /// The limits.
    pub gates: &'a GateBook,
    /// Sources and feeds of which a person has said that what they lack is really gone: what they lose is
    /// worth a warning and fails nothing.
    pub accepted: &'a BTreeSet<String>,
    /// Findings that a person has accepted, by key.
    pub consents: &'a BTreeMap<String, Consent>,
    /// What was seen of this run beside the changes of facts.
    pub observed: &'a Observed,
    /// The counts as the store has them after the run, if they were counted: the ledger must agree.
    pub counted: Option<&'a Census>,
}

/// A person's word that a finding is as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// How many facts each guard had found that failed for its cause, by the key of what it found: more of them are
    /// another matter.
    pub counts: BTreeMap<String, u64>,
    /// Who said so, when and why.
    pub word: String,
}
