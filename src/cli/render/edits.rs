//! What edits did, or would do: each edit, what of it waits, and every change that follows.

use super::graph::waiting;
use super::runs::{by_reason, changes_of, diagnostics, gaps_of};
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
    let changes = count(report.changes.len() as u64 + report.more_changes, "change");
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
    changes_of(&mut page, &report.changes, &report.names, report.more_changes, report.dry_run);
    into_quarantine(&mut page, report);
    gaps_of(&mut page, &report.gaps);
    diagnostics(&mut page, &report.diagnostics);
    page.line(0, format!("drift: {}", report.drift));
    let exit = exit_of(report) as u8;
    page.line(0, format!("exit {exit}{}", if exit == 3 { ": the drift report says `fail`" } else { "" }));
    page.done()
}

/// What came into quarantine, and the first of it.
pub(super) fn into_quarantine(page: &mut Page, report: &EditReport) {
    if !report.quarantined.is_empty() {
        let verb = if report.dry_run { "would come" } else { "came" };
        page.line(0, format!("{verb} into quarantine: {}", by_reason(&report.quarantined)));
        report.waiting.iter().for_each(|one| waiting(page, 1, one));
    }
}

/// The log of edits.
pub(in crate::cli) fn edit_log(log: &EditLog) -> String {
    let mut page = Page::default();
    if log.edits.is_empty() {
        page.line(0, "nothing was changed by hand");
    }
    for edit in &log.edits {
        let fields: Vec<String> = edit.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let undone = edit.undone_by.as_ref().map(|by| match by.parse::<u64>() {
            Ok(number) => format!("  (taken back by edit {number})"),
            Err(_) => format!("  (taken back by {by})"),
        });
        page.line(0, format!("edit {}: {}{}", edit.number, edit.edit, undone.unwrap_or_default()));
        page.line(1, fields.join(", "));
        let ticket = if edit.ticket.is_empty() { String::new() } else { format!(" ({})", edit.ticket) };
        page.line(1, format!("by {} at {}: {}{ticket}", edit.by, edit.at, edit.reason));
    }
    page.done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::edits::Edited;
    use crate::run::report::{ChangeReport, Work};

    #[test]
    fn changes_that_a_report_leaves_out_are_counted() {
        let change = ChangeReport {
            says: "T:1 supplies T:C".to_owned(),
            subject: "T:1".to_owned(),
            object: "T:C".to_owned(),
            fact: "f".to_owned(),
            edge_type: "supplies".to_owned(),
            change: "retracted".to_owned(),
            before: vec!["[?, ∞)".to_owned()],
            after: Vec::new(),
            cause: "curator".to_owned(),
            detail: "edit 1 by ada: closed down".to_owned(),
        };
        let edit = Edited { line: 0, number: Some(1), does: "removes T:C".to_owned(), waits: Vec::new() };
        let report = EditReport {
            version: 1,
            run: "r1".to_owned(),
            started_at: "2024-06-01T02:00:00Z".to_owned(),
            dry_run: false,
            generation: Some(3),
            before: 2,
            state_digest: String::new(),
            history_digest: String::new(),
            edits: vec![edit],
            work: Work::default(),
            changes: vec![change; 10_000],
            more_changes: 21,
            names: Default::default(),
            quarantined: Default::default(),
            waiting: Vec::new(),
            gaps: Vec::new(),
            drift: "pass".to_owned(),
            diagnostics: Vec::new(),
            problems: Vec::new(),
            refused: Vec::new(),
        };
        let text = edited(&report);
        assert!(text.starts_with("published generation 3: 10021 changes of edges\n"), "{text}");
        assert!(text.contains("\n  and 10001 more\n"), "{text}");
    }
}
