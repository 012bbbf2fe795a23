//! A drift report as text, and in the forms that other programs show: Markdown, JUnit and a page for a browser.

mod html;
mod junit;
mod markdown;
mod svg;

use std::collections::BTreeMap;

use super::{Page, count, tame};
use crate::cli::drift::{Shown, Way};
use crate::drift::{Finding, Row, Severity, State, Tally};

pub(in crate::cli) use html::html;
pub(in crate::cli) use junit::junit;
pub(in crate::cli) use markdown::markdown;

/// A drift report for a person at a terminal.
pub(in crate::cli) fn text(shown: &Shown) -> String {
    let Shown { run, drift, accepts, .. } = shown;
    let mut page = Page::default();
    page.line(0, format!("run {} of {}, {}", run.run, drift.job, run.logical_date));
    page.line(0, super::runs::headline(run));
    page.line(0, format!("drift: {}{}", state(drift.state), compared(shown)));
    for (finding, accepts) in drift.findings.iter().zip(accepts) {
        page.gap();
        page.line(0, format!("{}  {}", severity(finding.severity), headline(finding)));
        if let Some(causes) = causes(finding) {
            page.line(1, format!("causes: {causes}"));
        }
        further(finding).iter().for_each(|told| page.line(1, told));
        finding.examples.iter().for_each(|example| page.line(1, example.to_string()));
        page.line(1, format!("see docs/codes/{}.md", finding.rule));
        accepts.iter().for_each(|way| page.line(1, format!("{}: {}", way.to, way.command)));
    }
    if !drift.segments.is_empty() {
        page.gap();
        page.line(0, "edges by type and source");
        let names: Vec<String> = drift.segments.iter().map(|row| row.segment.to_string()).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        for (row, name) in drift.segments.iter().zip(names) {
            page.line(1, format!("{name:<width$}  {}", account(row)));
        }
    }
    page.done()
}

/// With what it is compared.
fn compared(shown: &Shown) -> String {
    match shown.drift.baseline {
        Some(baseline) => format!(", compared with generation {baseline}"),
        None => ": the first run has nothing to compare with".to_owned(),
    }
}

fn state(state: State) -> &'static str {
    match state {
        State::Pass => "pass",
        State::Warn => "warn",
        State::Fail => "fail",
        State::NoBaseline => "no_baseline",
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warn => "warn",
        Severity::Fail => "fail",
    }
}

/// What a finding says, in a line.
fn headline(finding: &Finding) -> String {
    let Finding { rule, segment, before, after, .. } = finding;
    let told = match &finding.says {
        Some(says) => says.clone(),
        None => format!("{} of {}, {after} after", finding.count, count(*before, "edge")),
    };
    format!("{rule}: {segment}: {told}")
}

/// The causes of a finding, most first.
fn causes(finding: &Finding) -> Option<String> {
    let mut causes: Vec<(&String, &u64)> = finding.causes.iter().collect();
    causes.sort_by_key(|(name, number)| (std::cmp::Reverse(**number), (*name).clone()));
    let causes: Vec<String> = causes.iter().map(|(name, number)| format!("{name} {number}")).collect();
    (!causes.is_empty()).then(|| causes.join(", "))
}

/// What else is known of a finding: the rules, its documents, what other guards found, who has accepted it.
fn further(finding: &Finding) -> Vec<String> {
    let mut told: Vec<String> =
        finding.read_by().map(|rules| format!("read by: {rules}")).into_iter().collect();
    if !finding.documents.is_empty() {
        told.push(format!("documents: {}", finding.documents.join(", ")));
    }
    for also in &finding.also {
        let (rule, segment, before, after) = (&also.rule, &also.segment, also.before, also.after);
        let before = count(before, "edge");
        told.push(format!("also {rule}: {segment}: {} of {before}, {after} after", also.count));
    }
    told.extend(finding.accepted.iter().map(|word| format!("accepted: {word}")));
    told
}

/// The account of a segment: `24 → 0: −24 (feed_row −24)`.
fn account(row: &Row) -> String {
    let causes: Vec<String> =
        row.causes.iter().map(|(cause, tally)| format!("{cause} {}", signed(tally))).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join("; ")) };
    format!("{} → {}: {}{causes}", row.before, row.after, signed(&row.tally))
}

/// The text with a capital at its beginning.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// What changed: `+3 −1 ~2`.
fn signed(tally: &Tally) -> String {
    let parts = [("+", tally.added), ("−", tally.retracted), ("~", tally.changed)];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, number)| *number > 0)
        .map(|(sign, number)| format!("{sign}{number}"))
        .collect();
    if parts.is_empty() { "no change".to_owned() } else { parts.join(" ") }
}

/// What each cause changed, over all edge types: each fact counts once.
fn ledger(shown: &Shown) -> BTreeMap<&str, Tally> {
    let mut ledger: BTreeMap<&str, Tally> = BTreeMap::new();
    for (cause, tally) in shown.drift.edge_types.iter().flat_map(|row| &row.causes) {
        let sum = ledger.entry(cause).or_default();
        sum.added += tally.added;
        sum.retracted += tally.retracted;
        sum.changed += tally.changed;
        sum.revived += tally.revived;
    }
    ledger
}

#[cfg(test)]
mod tests;
