//! What became of a whole run or generation, and what differs between two.

use super::runs::{changes_of, diagnostics, gaps_of};
use super::{Page, count};
use crate::run::report::{LISTED, again_of};
use crate::run::{ActReport, PurgeReport};
use crate::run::{Finding, FindingSeverity as Severity};
use crate::serve::{Counted, DiffView};

/// A release, discard, rollback, freeze or unfreeze.
pub(in crate::cli) fn act(report: &ActReport) -> String {
    let mut page = Page::default();
    let run = &report.run;
    let changes = count(run.changed(), "change");
    let what = match (report.act.as_str(), &report.of_run, report.to) {
        ("release", Some(held), _) => format!("released the run {held}"),
        ("discard", Some(held), _) if !report.again.is_empty() => format!(
            "discarded the run {held}: its inputs are read again by the next run, what it was asked to read again by `{}`",
            again_of(&report.again)
        ),
        ("discard", Some(held), _) => {
            format!("discarded the run {held}: its inputs are read again by the next run")
        }
        ("rollback", _, Some(to)) if run.plan => format!("would put the graph back to generation {to}"),
        ("rollback", _, Some(to)) => format!("put the graph back to generation {to}"),
        ("freeze", ..) => "the graph is frozen: a run that would change something is held".to_owned(),
        _ => "the graph may change again".to_owned(),
    };
    page.line(0, what);
    let verb = if run.plan { "would publish" } else { "published" };
    page.line(
        0,
        match run.generation {
            // Such an act is kept with the graph, so it has a generation of its own.
            Some(generation) if ["discard", "freeze", "unfreeze"].contains(&report.act.as_str()) => {
                format!(
                    "{verb} generation {generation}, which holds this act and changes nothing in the graph"
                )
            }
            Some(generation) => format!("{verb} generation {generation}: {changes}"),
            None => format!("nothing changes: generation {} stands", run.before),
        },
    );
    page.line(0, format!("by {} at {}: {}", report.by, report.at, report.reason));
    changes_of(&mut page, &run.changes, &run.names, run.more_changes, run.plan);
    gaps_of(&mut page, &run.gaps);
    diagnostics(&mut page, &run.diagnostics);
    page.done()
}

/// A purge, done or looked at.
pub(in crate::cli) fn purge(report: &PurgeReport) -> String {
    let mut page = Page::default();
    let done = report.number.is_some();
    page.line(0, if done { "purged" } else { "would purge" });
    report.documents.iter().for_each(|document| page.line(1, document));
    if done {
        let erased: Vec<String> = report.erased.iter().map(|(kind, many)| format!("{kind} {many}")).collect();
        let generations: Vec<String> = report.generations.iter().map(u64::to_string).collect();
        page.line(
            0,
            format!(
                "versions of records that were written or closed, and are no more: {}",
                erased.join(", ")
            ),
        );
        page.line(0, format!("out of the generations {}", generations.join(", ")));
        page.line(0, format!("{} lost what they said of it", count(report.reports, "report")));
        page.line(0, format!("by {} at {}: {}", report.by, report.at, report.reason));
    }
    page.line(0, "not edgewright's to delete: copies of the changelog, backups, what files of the workspace quote of it, and its files");
    report.files.iter().for_each(|file| page.line(1, file));
    if !report.copies.is_empty() {
        page.line(0, "with the same bytes at some time, and still there: purge them as well if they must go");
        report.copies.iter().for_each(|copy| page.line(1, copy));
    }
    page.0.push_str(&super::edited(&report.edit));
    page.done()
}

/// What the drift report found, with what a person can do about a held run.
pub(super) fn findings_of(page: &mut Page, findings: &[Finding]) {
    for finding in findings.iter().take(LISTED) {
        let severity = match finding.severity {
            Severity::Fail => "fail",
            Severity::Warn => "warn",
            Severity::Info => "info",
        };
        let place = if finding.segment.source == "*" && finding.segment.edge_type == "*" {
            String::new()
        } else {
            format!(" in {}: {} before, {} after", finding.segment, finding.before, finding.after)
        };
        page.line(1, format!("{severity}: {}{place}", finding.rule));
        finding.says.iter().for_each(|says| page.line(2, says));
        let causes: Vec<String> =
            finding.causes.iter().map(|(cause, number)| format!("{cause} {number}")).collect();
        if !causes.is_empty() {
            page.line(2, format!("because of {}", causes.join(", ")));
        }
        finding.read_by().iter().for_each(|rules| page.line(2, format!("read by {rules}")));
        if !finding.documents.is_empty() {
            page.line(2, format!("documents: {}", finding.documents.join(", ")));
        }
        finding.examples.iter().for_each(|example| page.line(2, format!("- {}", example.text)));
    }
}

/// Two generations beside each other.
pub(in crate::cli) fn diff(view: &DiffView) -> String {
    let mut page = Page::default();
    let to = match &view.held {
        Some(run) => format!("the held run {run}"),
        None => format!("generation {}", view.to),
    };
    let all = view.facts.len() as u64 + view.more;
    page.line(
        0,
        format!(
            "generation {} and {to}: {} differ{}",
            view.from,
            count(all, "fact"),
            if all == 1 { "s" } else { "" }
        ),
    );
    counted(&mut page, "by edge type", &view.by_type);
    counted(&mut page, "by cause", &view.by_cause);
    if !view.facts.is_empty() {
        page.line(0, "facts");
    }
    for fact in view.facts.iter().take(LISTED) {
        let (before, after) = (fact.before.join(" "), fact.after.join(" "));
        page.line(
            1,
            match fact.change.as_str() {
                "added" => format!("+ {} {after}", fact.says),
                "retracted" => format!("- {} {before}", fact.says),
                _ => format!("~ {} {before} → {after}", fact.says),
            },
        );
        for because in &fact.causes {
            page.line(2, format!("{}, generation {}: {}", because.cause, because.generation, because.detail));
        }
    }
    if all > LISTED as u64 {
        page.line(1, format!("and {} more; `--output csv` lists them", all - LISTED as u64));
    }
    page.done()
}

fn counted(page: &mut Page, title: &str, counts: &std::collections::BTreeMap<String, Counted>) {
    if counts.is_empty() {
        return;
    }
    page.line(0, title);
    let width = counts.keys().map(String::len).max().unwrap_or_default();
    for (name, Counted { added, retracted, changed }) in counts {
        page.line(1, format!("{name:<width$}  +{added} -{retracted} ~{changed}"));
    }
}
