//! What is wrong with a run, one cause at a time: the reports in, causes out.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::count;
use crate::drift::{Finding, Segment, Severity, State};
use crate::model::gates::Gate;
use crate::model::id::Fingerprint;
use crate::model::job::Job;
use crate::run::report::{DiagnosticReport, InputReport, Outcome};
use crate::run::{DriftReport, RunReport};

/// How many places of an error a cause names.
const PLACES: usize = 5;

/// How bad a cause is, in the words of those who are alerted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// A person should look.
    Warning,
    /// Something does not work.
    Critical,
}

impl Level {
    /// The word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    /// The name of its page in `docs/codes/`.
    pub(super) code: String,
    /// The same for the same thing in every run.
    pub(super) key: String,
    /// How bad it is.
    pub(super) level: Level,
    /// The source or feed, if it is about one.
    pub(super) source: Option<String>,
    /// The edge type, if it is about one.
    pub(super) edge_type: Option<String>,
    /// What is wrong, in a line.
    pub(super) summary: String,
    /// What is known of it.
    pub(super) description: String,
    /// How many facts, rows or places it is about.
    pub(super) count: u64,
    /// The command by which a person accepts it.
    pub(super) accepts: Option<String>,
}

/// What a run has looked at, so that what it did not find there is over.
#[derive(Debug, Clone, Default)]
pub(super) struct Looked {
    /// The run came to its end.
    pub(super) ended: bool,
    /// Drift was judged.
    pub(super) drift: bool,
    /// The sources and feeds that it looked at.
    pub(super) inputs: BTreeSet<String>,
}

/// The kinds of causes, which differ in what it takes to say that one is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The run itself failed or is held.
    Run,
    /// A finding of the drift report.
    Drift,
    /// A source or feed.
    Input,
    /// Errors of one code.
    Errors,
}

/// The code of a run that failed.
const FAILED: &str = "run-failed";
/// The code of a run that is held.
pub(super) const HELD: &str = "run-held";

/// The kind of a cause with this code and source.
pub(super) fn kind(code: &str, source: Option<&str>) -> Kind {
    match code {
        FAILED | HELD => Kind::Run,
        _ if code.starts_with("drift-") => Kind::Drift,
        _ if source.is_some() => Kind::Input,
        _ => Kind::Errors,
    }
}

impl Looked {
    /// What a run looked at.
    pub(super) fn of(run: &RunReport, drift: Option<&DriftReport>) -> Self {
        let ended = run.outcome != Outcome::Failed;
        Self {
            ended,
            drift: ended && drift.is_some_and(|drift| drift.state != State::NoBaseline),
            inputs: run.inputs.iter().map(|input| input.name.clone()).collect(),
        }
    }

    /// True if a cause that the run did not find is over: no data is not good news.
    pub(super) fn is_over(&self, code: &str, source: Option<&str>) -> bool {
        match kind(code, source) {
            Kind::Run | Kind::Errors => self.ended,
            Kind::Drift => self.drift,
            Kind::Input => self.ended && source.is_some_and(|source| self.inputs.contains(source)),
        }
    }
}

/// What is wrong with a run and concerns a job, sorted. `may_quote` says whether the sentences of a segment may leave
/// the workspace.
pub(super) fn causes(
    job: &Job,
    run: &RunReport,
    drift: Option<&DriftReport>,
    may_quote: &dyn Fn(&Segment) -> bool,
) -> Vec<Cause> {
    let mut found = Vec::new();
    let is_ours = |name: &str| job.sources.contains_key(name) || job.feeds.contains_key(name);
    let is_others = |name: &str| !is_ours(name) && run.inputs.iter().any(|input| input.name == name);
    let guards = Guards { job, may_quote };
    found.extend(of_run(run, &guards));
    for finding in drift.iter().flat_map(|drift| &drift.findings) {
        if finding.severity >= Severity::Warn && !is_others(&finding.segment.source) {
            found.push(of_finding(finding, run, may_quote(&finding.segment)));
        }
    }
    let inputs = run.inputs.iter().filter(|input| is_ours(&input.name));
    found.extend(inputs.filter_map(|input| of_input(input, run, guards.may_tell(&input.name))));
    found.extend(of_errors(run, &guards));
    found.sort_by(|one, other| (&one.code, &one.key).cmp(&(&other.code, &other.key)));
    found
}

/// What may be told of what is wrong with inputs: their names and what stands in them are guarded like sentences.
struct Guards<'g> {
    job: &'g Job,
    may_quote: &'g dyn Fn(&Segment) -> bool,
}

impl Guards<'_> {
    /// True if what stands in a source or feed may leave the workspace; `*` is any of them.
    fn may_tell(&self, input: &str) -> bool {
        (self.may_quote)(&Segment { edge_type: "*".to_owned(), source: input.to_owned() })
    }

    /// The source or feed of the job in which a file lies; `*` if it is in none of them.
    fn input_of(&self, file: &str) -> &str {
        let below = |path: &str| {
            let rest = file.strip_prefix(path.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let sources = self.job.sources.values().map(|source| (&source.name, &source.path));
        let feeds = self.job.feeds.values().map(|feed| (&feed.name, &feed.path));
        let found = sources.chain(feeds).filter(|(_, path)| below(path)).max_by_key(|(_, path)| path.len());
        found.map_or("*", |(name, _)| name)
    }

    /// The first places of what is wrong, as far as they may be told, and how many more there are.
    fn places(&self, all: &[&DiagnosticReport], run: &RunReport) -> Vec<String> {
        let (open, guarded): (Vec<&DiagnosticReport>, Vec<&DiagnosticReport>) = all
            .iter()
            .partition(|one| is_configuration(&one.file) || self.may_tell(self.input_of(&one.file)));
        let mut told: Vec<String> = open.iter().take(PLACES).map(|one| place(one)).collect();
        if open.len() > PLACES {
            told.push(format!("and {} more", open.len() - PLACES));
        }
        if !guarded.is_empty() {
            told.push(format!("{} in places that labels guard: {}", guarded.len(), in_report(run)));
        }
        told
    }
}

/// True of the files that people write: they hold no data.
fn is_configuration(file: &str) -> bool {
    ["jobs/", "ontology/"].iter().any(|folder| file.starts_with(folder))
}

/// Where a person finds what is not told to everybody.
fn in_report(run: &RunReport) -> String {
    format!("the report of the run {} has them", run.run)
}

fn of_run(run: &RunReport, guards: &Guards<'_>) -> Option<Cause> {
    let (code, summary, description) = match run.outcome {
        Outcome::Failed => {
            let error = run.error.as_ref()?;
            let causes: Vec<&str> = std::iter::once(error.message.as_str())
                .chain(error.causes.iter().map(String::as_str))
                .collect();
            let mut told = causes.join(": ");
            let all: Vec<&DiagnosticReport> = run.diagnostics.iter().collect();
            for line in guards.places(&all, run) {
                told.push_str(&format!("\n{line}"));
            }
            let again =
                if run.exit_code == 1 { "trying again may help" } else { "trying again does not help" };
            (FAILED, format!("the run {} failed with code {}: {again}", run.run, run.exit_code), told)
        }
        // A candidate is held because a person wants to see it first.
        Outcome::Held if run.exit_code == 0 => return None,
        Outcome::Held => {
            let told = format!("readers still see generation {}", run.before);
            (HELD, format!("the run {} is held: its drift report says `fail`", run.run), told)
        }
        Outcome::Published | Outcome::NothingToDo | Outcome::Partial => return None,
    };
    Some(Cause {
        code: code.to_owned(),
        key: code.to_owned(),
        level: Level::Critical,
        source: None,
        edge_type: None,
        summary,
        description,
        count: 1,
        accepts: (code == HELD).then(|| release(run)),
    })
}

fn of_finding(finding: &Finding, run: &RunReport, may_quote: bool) -> Cause {
    let named = |name: &str| (name != "*").then(|| name.to_owned());
    let mut told = vec![format!("{} before, {} after", count(finding.before, "edge"), finding.after)];
    if !finding.documents.is_empty() && may_quote {
        told.push(format!("documents: {}", finding.documents.join(", ")));
    }
    if !finding.causes.is_empty() {
        let causes = finding.causes.iter().map(|(cause, number)| format!("{cause} {number}"));
        told.push(format!("causes: {}", causes.collect::<Vec<_>>().join(", ")));
    }
    told.extend(finding.read_by().map(|rules| format!("read by: {rules}")));
    if may_quote {
        told.extend(finding.examples.iter().map(ToString::to_string));
    } else if !finding.examples.is_empty() {
        told.push(format!("its sentences are guarded by labels: `edgewright drift {}` shows them", run.run));
    }
    let summary = match &finding.says {
        Some(says) => says.clone(),
        None => {
            let of = count(finding.before, "edge");
            format!("{}: {} of {of} of {}", finding.rule, finding.count, finding.segment)
        }
    };
    Cause {
        code: finding.rule.clone(),
        key: finding.key.clone(),
        level: if finding.severity == Severity::Fail { Level::Critical } else { Level::Warning },
        source: named(&finding.segment.source),
        edge_type: named(&finding.segment.edge_type),
        summary,
        description: told.join("\n"),
        count: finding.count,
        accepts: accepts(finding, run),
    }
}

/// A source or feed that could not be read as a whole.
fn of_input(input: &InputReport, run: &RunReport, may_tell: bool) -> Option<Cause> {
    let code = match input.state.as_str() {
        "withheld" => input.why.first().and_then(|why| why.split(':').next()).unwrap_or("feed-unreadable"),
        "unproven" => "scan-unproven",
        _ => return None,
    };
    let (kind, name) = (&input.kind, &input.name);
    let told: Vec<&str> = input.why.iter().chain(&input.unproven).map(String::as_str).collect();
    let command = if kind == "feed" {
        format!("edgewright accept feed {name} --reason ")
    } else {
        format!("edgewright accept scope {name} --reason ")
    };
    // Most of what keeps a feed back has to be mended; where a person's word helps, the report's hint has the command.
    let helps = |why: &String| {
        let of_it = |one: &&DiagnosticReport| format!("{}: {}", one.code, one.message) == *why;
        let hints = run.diagnostics.iter().filter(of_it).filter_map(|one| one.hint.as_ref());
        hints.into_iter().any(|hint| hint.contains(&command))
    };
    let can_accept = code == "scan-unproven" || (!input.why.is_empty() && input.why.iter().all(helps));
    Some(Cause {
        code: code.to_owned(),
        key: Fingerprint::of(&["input", name]).to_string(),
        level: Level::Critical,
        source: Some(name.clone()),
        edge_type: None,
        summary: format!("the {kind} {name} is {}: what it said before stands", input.state),
        description: if may_tell {
            told.join("\n")
        } else {
            format!("why is guarded by labels: {}", in_report(run))
        },
        count: told.len() as u64,
        accepts: can_accept.then(|| format!("{command}\"…\"")),
    })
}

/// Errors of documents, one cause a code. What withholds a feed or leaves a scope unproven is told with it.
fn of_errors(run: &RunReport, guards: &Guards<'_>) -> Vec<Cause> {
    if run.outcome == Outcome::Failed {
        return Vec::new();
    }
    let of_an_input = |one: &DiagnosticReport| {
        let (why, place) = (format!("{}: {}", one.code, one.message), format!("{}: ", one.file));
        let mut inputs = run.inputs.iter();
        inputs.any(|input| input.why.contains(&why) || input.unproven.iter().any(|it| it.starts_with(&place)))
    };
    let mut by_code: BTreeMap<&str, Vec<&DiagnosticReport>> = BTreeMap::new();
    for one in run.diagnostics.iter().filter(|one| one.severity == "error" && !of_an_input(one)) {
        by_code.entry(&one.code).or_default().push(one);
    }
    let cause = |(code, all): (&str, Vec<&DiagnosticReport>)| {
        let told = guards.places(&all, run);
        Cause {
            code: code.to_owned(),
            key: Fingerprint::of(&["errors", code]).to_string(),
            level: Level::Warning,
            source: None,
            edge_type: None,
            summary: format!("{code} in {}: what stood there before stands", count(all.len(), "place")),
            description: told.join("\n"),
            count: all.len() as u64,
            accepts: None,
        }
    };
    by_code.into_iter().map(cause).collect()
}

fn place(one: &DiagnosticReport) -> String {
    let line = if one.line > 0 { format!(":{}", one.line) } else { String::new() };
    format!("{}{line}: {}[{}]: {}", one.file, one.severity, one.code, one.message)
}

fn release(run: &RunReport) -> String {
    format!("edgewright release {} --reason \"…\"", run.run)
}

/// The command by which a person accepts a finding: a held run as it is, or the finding for the next one. `None` where
/// nothing can be accepted, because something has to be mended.
pub fn accepts(finding: &Finding, run: &RunReport) -> Option<String> {
    if finding.rule == "drift-frozen" {
        return Some("edgewright unfreeze --reason \"…\"".to_owned());
    }
    let holds = finding.severity == Severity::Fail && finding.gate == Gate::Block;
    if run.outcome == Outcome::Held && (holds || finding.rule == "drift-candidate") {
        return Some(release(run));
    }
    finding.accept.clone()
}
