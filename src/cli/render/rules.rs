//! What rules find and miss, what documents hold unread, and how the graph stands up to being checked.

use super::{Page, count};
use crate::run::{ExamplesReport, Found, Replayed, TrialReport, Verified};
use crate::serve::GapsReport;

/// The rules' examples.
pub(in crate::cli) fn examples(report: &ExamplesReport) -> String {
    let mut page = Page::default();
    for failed in &report.failed {
        page.line(
            0,
            format!("{}:{}: {} does not find what its example says", failed.file, failed.line, failed.rule),
        );
        page.line(1, format!("»{}«", failed.text));
        let list = |found: &[String]| if found.is_empty() { "nothing".to_owned() } else { found.join("; ") };
        page.line(1, format!("expected: {}", list(&failed.expected)));
        page.line(1, format!("found:    {}", list(&failed.found)));
    }
    if !report.without.is_empty() {
        page.line(0, format!("rules without an example: {}", report.without.join(", ")));
    }
    page.line(0, format!("{} passed, {} failed", count(report.passed, "example"), report.failed.len()));
    page.done()
}

/// What one rule finds and nearly finds.
pub(in crate::cli) fn trial(report: &TrialReport) -> String {
    let mut page = Page::default();
    let matches =
        if report.matches == 1 { "1 match".to_owned() } else { format!("{} matches", report.matches) };
    page.line(0, format!("{}: {matches} in {}", report.rule, count(report.documents, "document")));
    for found in &report.found {
        page.line(1, &found.says);
        sentence(&mut page, found);
    }
    if report.found.len() < report.matches as usize {
        page.line(1, format!("and {} more", report.matches as usize - report.found.len()));
    }
    for group in &report.misses {
        page.gap();
        page.line(0, format!("near misses: {} ({})", group.failed, group.count));
        for found in &group.sentences {
            sentence(&mut page, found);
        }
    }
    page.done()
}

fn sentence(page: &mut Page, found: &Found) {
    page.line(2, format!("{}: »{}«", found.place, found.quote));
}

/// What the documents hold and the graph does not.
pub(in crate::cli) fn gaps(report: &GapsReport) -> String {
    let mut page = Page::default();
    if !report.unknown_names.is_empty() {
        page.line(0, "names that nobody knows");
    }
    for name in &report.unknown_names {
        let nearest = name
            .nearest
            .as_ref()
            .map(|near| format!("; the nearest known is \"{near}\""))
            .unwrap_or_default();
        let types = name.types.join(" or ");
        page.line(1, format!("\"{}\" ({types}): {}{nearest}", name.surface, count(name.count, "assertion")));
        page.line(2, name.places.join(", "));
    }
    if !report.unread.is_empty() {
        page.gap();
        page.line(0, "names that stand together where no rule reads an edge");
    }
    for pair in &report.unread {
        page.line(1, format!("{}: {}", pair.edge_type, count(pair.count, "chunk")));
        page.line(2, pair.places.join(", "));
    }
    if !report.silent.is_empty() {
        page.gap();
        page.line(0, "documents in which nothing was read");
    }
    for document in &report.silent {
        page.line(1, document);
    }
    if page.is_empty() {
        page.line(0, "no gaps: every name is known, and every document was read");
    }
    page.done()
}

/// What a verification came to.
pub(in crate::cli) fn verified(report: &Verified) -> String {
    let mut page = Page::default();
    for fault in &report.faults {
        page.line(0, format!("{}: {}: {}", fault.name, fault.at, fault.message));
    }
    match report.faults.len() as u64 {
        0 => page.line(0, format!("generation {} is sound", report.generation)),
        faults => page.line(0, format!("generation {} has {}", report.generation, count(faults, "fault"))),
    }
    page.line(0, format!("state digest   {}", report.state_digest));
    page.line(0, format!("history digest {}", report.history_digest));
    page.done()
}

/// What a replay came to.
pub(in crate::cli) fn replayed(report: &Replayed) -> String {
    let mut page = Page::default();
    page.line(0, format!("{} replayed", count(report.generations, "generation")));
    page.line(0, format!("state digest   {}", report.state_digest));
    page.line(0, format!("history digest {}", report.history_digest));
    page.line(0, "`edgewright -C DIR status` looks at it; with `ontology/`, `jobs/` and the sources beside it, `run` goes on from here");
    page.done()
}
