//! What edits did, or would do: each edit, what of it waits, and every change that follows.

use super::runs::{changes_of, diagnostics, gaps_of};
use super::{Page, count, listed};
use crate::cli::edit::exit_of;
use crate::run::edits::EditReport;
use crate::serve::EditLog;

/// Edits, or a dry run of them.
pub(in crate::cli) fn edited(report: &EditReport) -> String {
    let mut page = Page::default();
    if !report.problems.is_empty() {
        page.0.push_str(&listed(&report.refused));
        page.line(0, format!("{}: nothing was changed", count(report.problems.len() as u64, "problem")));
        return page.done();
    }
    let changes = count(report.changes.len() as u64, "change");
    page.line(
        0,
        match (report.dry_run, report.generation) {
            (true, Some(generation)) => format!("would publish generation {generation}: {changes} of edges"),
            (false, Some(generation)) => format!("published generation {generation}: {changes} of edges"),
            (_, None) => format!("nothing changes: generation {} stands", report.before),
        },
    );
    for edit in &report.edits {
        let number = edit.number.map(|number| format!("edit {number}: ")).unwrap_or_default();
        page.line(1, format!("{number}{}", edit.does));
        for waits in &edit.waits {
            page.line(2, format!("waits in quarantine: {waits}"));
        }
    }
    let work = &report.work;
    page.line(
        0,
        format!(
            "work: {} extracted, {} kept, {} folded",
            count(work.extracted, "chunk"),
            work.kept,
            count(work.folded, "group")
        ),
    );
    changes_of(&mut page, &report.changes, &report.names, 0, report.dry_run);
    gaps_of(&mut page, &report.gaps);
    diagnostics(&mut page, &report.diagnostics);
    page.line(0, format!("drift: {}", report.drift));
    let exit = exit_of(report) as u8;
    page.line(0, format!("exit {exit}{}", if exit == 3 { ": the drift report says `fail`" } else { "" }));
    page.done()
}

/// The log of edits.
pub(in crate::cli) fn edit_log(log: &EditLog) -> String {
    let mut page = Page::default();
    if log.edits.is_empty() {
        page.line(0, "nothing was changed by hand");
    }
    for edit in &log.edits {
        let fields: Vec<String> = edit.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let undone = edit.undone_by.as_ref().map(|by| format!("  (taken back by edit {by})"));
        page.line(0, format!("edit {}: {}{}", edit.number, edit.edit, undone.unwrap_or_default()));
        page.line(1, fields.join(", "));
        let ticket = if edit.ticket.is_empty() { String::new() } else { format!(" ({})", edit.ticket) };
        page.line(1, format!("by {} at {}: {}{ticket}", edit.by, edit.at, edit.reason));
    }
    page.done()
}
