//! `accept`: a person's word that what is missing is really gone. The next run carries it out.

use std::collections::BTreeSet;

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::diag::{count, nearest};
use crate::run::past::drift_reports;
use crate::run::{DriftReport, Finding, FindingSeverity as Severity, Workspace};
use crate::store::{self, DocumentRecord, RequestBody, ScopeRecord, Store};

/// Give your word that a shrunken feed, an emptied folder or a finding of the drift report is as it should be
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright accept feed suppliers --reason \"old vendors were archived\"
  edgewright accept scope contracts/2019 --reason \"the folder moved to the archive\"
  edgewright accept finding 3f9c2a7d10be --reason \"the new rule reads fewer, and rightly so\"

The next run carries it out.")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// A feed that shrank to less than half or to nothing, has other columns, or is in no job any more
    Feed {
        /// The feed.
        name: String,
        /// Why, for the audit.
        #[arg(long)]
        reason: String,
        /// Who says so; default: the user.
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
    /// A source, or the part of it under a path, that could not be proven to be complete
    Scope {
        /// The source, or `source/path`.
        #[arg(value_name = "SOURCE[/PREFIX]")]
        name: String,
        /// Why, for the audit.
        #[arg(long)]
        reason: String,
        /// Who says so; default: the user.
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
    /// A finding of a drift report: it warns in the next run, for as many facts as it was about
    Finding {
        /// Its key, or the beginning of it.
        #[arg(value_name = "KEY")]
        key: String,
        /// Why, for the audit.
        #[arg(long)]
        reason: String,
        /// Who says so; default: the user.
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
}

/// In how many of the last reports a finding is looked for.
const REPORTS: usize = 20;
/// A key is told by so many of its letters.
const KEY_LEAST: usize = 6;
/// How many findings a hint names.
const LISTED: usize = 5;

/// What was queued.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Queued {
    /// The version of this form.
    pub(super) version: u32,
    /// The request's number.
    pub(super) number: i64,
    /// What it will do.
    pub(super) does: String,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let loaded = shell.loaded()?;
    let (body, by, does) = match &args.what {
        What::Feed { name, reason, by } => {
            let feeds: Vec<&str> =
                loaded.jobs.iter().flat_map(|job| job.feeds.keys().map(String::as_str)).collect();
            let is_source = loaded.jobs.iter().any(|job| job.sources.contains_key(name));
            if is_source || !is_left(shell, name)? {
                known(name, &feeds, "feed")?;
            }
            let body = RequestBody::AcceptFeed { feed: name.clone(), reason: reasoned(reason)? };
            (body, by, format!("accepts the feed `{name}` as it is"))
        }
        What::Scope { name, reason, by } => {
            let (source, prefix) = name.split_once('/').unwrap_or((name, ""));
            let sources: Vec<&str> =
                loaded.jobs.iter().flat_map(|job| job.sources.keys().map(String::as_str)).collect();
            known(source, &sources, "source")?;
            held_below(shell, name, source, prefix.trim_end_matches('/'))?;
            let body = RequestBody::AcceptScope {
                source: source.to_owned(),
                prefix: prefix.trim_end_matches('/').to_owned(),
                reason: reasoned(reason)?,
            };
            (body, by, format!("accepts that what `{name}` no longer holds is gone"))
        }
        What::Finding { key, reason, by } => {
            let finding = told(shell, key)?;
            let says = format!("{} of {}", finding.rule, finding.segment);
            let mut does = format!("accepts the finding {says}, for up to {}", count(finding.count, "fact"));
            let also = finding.failing().into_iter().skip(1);
            for one in also.clone() {
                does.push_str(&format!("; {} of {}, up to {}", one.rule, one.segment, one.count));
            }
            let also = also.map(|one| (one.key(), one.count)).collect();
            let body = RequestBody::AcceptFinding {
                count: finding.count,
                also,
                says,
                reason: reasoned(reason)?,
                key: finding.key,
                source: finding.segment.source,
            };
            (body, by, does)
        }
    };
    let number = one(&shell.queue(by.as_deref(), vec![body])?);
    shell.out.value(&Queued { version: 1, number, does }, render::queued)?;
    Ok(Exit::Done)
}

/// The finding of the last reports whose key begins so, if a person's word helps it.
fn told(shell: &Shell<'_>, key: &str) -> Result<Finding, Failure> {
    let workspace = shell.workspace()?;
    let reports = drift_reports(&workspace, REPORTS)?;
    let failing = |report: &DriftReport| {
        let of = report.findings.iter().filter(|finding| no_help(finding).is_none());
        of.cloned().collect::<Vec<_>>()
    };
    let (run, found): (&str, Vec<Finding>) = reports
        .iter()
        .map(|report| {
            let found = report.findings.iter().filter(|one| one.key.starts_with(key)).cloned().collect();
            (report.run.as_str(), found)
        })
        .find(|(_, found): &(&str, Vec<Finding>)| !found.is_empty())
        .unwrap_or_default();
    if let ([one], true) = (found.as_slice(), key.len() >= KEY_LEAST) {
        let refused = no_help(one);
        let refused = if refused.is_some() { refused } else { candidate(&workspace, run)? };
        return match refused {
            None => Ok(one.clone()),
            Some((why, hint)) => {
                let what = format!("{} of {}", one.rule, one.segment);
                Err(Failure::usage(format!("`{what}` cannot be accepted: {why}"), hint))
            }
        };
    }
    let message = match found.len() {
        0 => format!("no finding of the last runs has the key `{key}`"),
        1 => format!("`{key}` is too short for a key"),
        many => format!("{many} findings have a key that begins with `{key}`"),
    };
    // One key stands in each report of a run that was held for it: the last one counts.
    let mut keys = BTreeSet::new();
    let known: Vec<String> =
        if found.is_empty() { reports.iter().flat_map(failing).collect() } else { found }
            .iter()
            .filter(|finding| keys.insert(finding.key.clone()))
            .take(LISTED)
            .map(|finding| format!("{} ({} of {})", finding.key, finding.rule, finding.segment))
            .collect();
    let hint = match known.as_slice() {
        [] => {
            "`drift.json` of a run has its findings with their keys; none of the last ones failed".to_owned()
        }
        known => format!("there are: {}", known.join(", ")),
    };
    Err(Failure::usage(message, hint))
}

/// Publishes a run as it is, or does not.
const RELEASE: &str = "`edgewright release --reason …` publishes the held run as it is, and `edgewright discard --reason …` drops it";

/// Why a person's word would change nothing about a finding, and what does.
fn no_help(finding: &Finding) -> Option<(String, &'static str)> {
    if finding.rule == "drift-frozen" {
        let hint = "`edgewright unfreeze --reason …` lets the graph change again";
        return Some(("the graph is frozen, and each run is held".to_owned(), hint));
    }
    if !finding.is_of_a_guard() {
        return Some(("it is about the run as a whole".to_owned(), RELEASE));
    }
    if let Some(word) = &finding.accepted {
        return Some((format!("it was accepted by {word}"), "nothing is left to do"));
    }
    (finding.severity != Severity::Fail)
        .then(|| ("it does not fail, and holds no run".to_owned(), "nothing has to be accepted"))
}

/// Why a person's word would not help a finding of a candidate that nobody has judged: the next run is held as well.
fn candidate(workspace: &Workspace, run: &str) -> Result<Option<(String, &'static str)>, Failure> {
    let held = Store::open_read(&workspace.store())?.last_held()?;
    let is_candidate = held.is_some_and(|held| held.candidate && held.run == run);
    Ok(is_candidate.then(|| (format!("the run `{run}` is a candidate that nobody has judged"), RELEASE)))
}

/// The number of the one request that was queued.
pub(super) fn one(numbers: &[i64]) -> i64 {
    numbers.first().copied().unwrap_or_default()
}

/// A reason that says something.
pub(super) fn reasoned(reason: &str) -> Result<String, Failure> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Failure::usage("the reason is empty", "say why; it goes into the audit"));
    }
    Ok(reason.to_owned())
}

/// True if the graph still has the rows of a feed of this name, which no job may have any more.
fn is_left(shell: &Shell<'_>, name: &str) -> Result<bool, Failure> {
    match Store::open_read(&shell.workspace()?.store()) {
        Ok(store) => {
            let scope = store.current()?.get::<ScopeRecord>(name)?;
            Ok(scope.is_some_and(|scope| scope.is_feed()))
        }
        Err(store::Error::Absent { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Refuses a folder below which the graph holds no document: nothing could be gone from it.
fn held_below(shell: &Shell<'_>, name: &str, source: &str, prefix: &str) -> Result<(), Failure> {
    if prefix.is_empty() {
        return Ok(());
    }
    let store = Store::open_read(&shell.workspace()?.store())?;
    let mut folders: BTreeSet<String> = BTreeSet::new();
    let mut held = false;
    store.current()?.each(|document: DocumentRecord| {
        if document.document.source() == source {
            let below = document.path.strip_prefix(prefix);
            held |= below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            folders.extend(document.path.rsplit_once('/').map(|(folder, _)| format!("{source}/{folder}")));
        }
        Ok::<(), store::Error>(())
    })?;
    if held {
        return Ok(());
    }
    let hint = match nearest(name, folders.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`{source}` stands for the whole source"),
    };
    Err(Failure::usage(format!("the graph holds no document below `{name}`"), hint))
}

fn known(name: &str, names: &[&str], what: &str) -> Result<(), Failure> {
    if names.contains(&name) {
        return Ok(());
    }
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => format!("no job has a {what}"),
        None => format!("there are: {}", names.join(", ")),
    };
    Err(Failure::usage(format!("there is no {what} `{name}`"), hint))
}
