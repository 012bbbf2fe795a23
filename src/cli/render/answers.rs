//! History, quarantine, and what was queued or written, as text and as the curators' table.

use std::io::Write;

use super::edits::into_quarantine;
use super::graph::waiting;
use super::runs::{changes_of, gaps_of};
use super::table::neutralize;
use super::{Page, count};
use crate::cli::accept::Queued;
use crate::cli::decide::Decided;
use crate::cli::export::Files;
use crate::run::edits::EditReport;
use crate::serve::{HistoryView, QuarantineView};

/// Recorded time.
pub(in crate::cli) fn history(view: &HistoryView) -> String {
    let mut page = Page::default();
    if view.entries.is_empty() {
        page.line(0, format!("nothing is recorded of {}", view.of));
    }
    let mut last = 0;
    for entry in &view.entries {
        if entry.generation != last {
            page.gap();
            page.line(
                0,
                format!("generation {}  {}  run {}", entry.generation, entry.recorded_at, entry.run),
            );
            last = entry.generation;
        }
        let states =
            |states: &[String]| if states.is_empty() { "nothing".to_owned() } else { states.join(" ") };
        let (before, after) = (states(&entry.before), states(&entry.after));
        page.line(1, format!("{}: {}", entry.change, entry.says));
        page.line(2, format!("{before} → {after}"));
        match (&entry.cause, &entry.detail) {
            (Some(cause), Some(detail)) => page.line(2, format!("{cause}: {detail}")),
            (Some(cause), None) => page.line(2, cause),
            (None, Some(detail)) => page.line(2, detail),
            (None, None) => {}
        }
    }
    page.done()
}

/// The quarantine, a question a paragraph.
pub(in crate::cli) fn quarantine(view: &QuarantineView) -> String {
    let mut page = Page::default();
    if view.questions.is_empty() {
        page.line(0, "nothing waits for a decision");
        return page.done();
    }
    let listed: usize = view.questions.iter().map(|question| question.assertions.len()).sum();
    page.line(0, format!("{} in quarantine", count(view.assertions as u64, "assertion")));
    for question in &view.questions {
        page.gap();
        let verb = if question.about == "gone" { "waiting" } else { "settles" };
        page.line(0, format!("{}  ({verb} {})", question.text, question.settles));
        for one in &question.assertions {
            waiting(&mut page, 1, one);
        }
    }
    if listed < view.assertions {
        page.gap();
        page.line(0, format!("and {} more", view.assertions - listed));
    }
    page.done()
}

/// The columns of the curators' table. Stable: people keep such files.
const COLUMNS: [&str; 13] = [
    "question",
    "decision",
    "reason",
    "valid_from",
    "valid_to",
    "subject",
    "object",
    "edge_type",
    "quote",
    "document",
    "line",
    "reasons",
    "confidence",
];

/// The quarantine as the table that `decide` reads back.
pub(in crate::cli) fn quarantine_csv(view: &QuarantineView, out: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        _ => std::io::Error::other("a row of the table could not be written"),
    };
    writer.write_record(COLUMNS).map_err(failed)?;
    for one in view.questions.iter().flat_map(|question| &question.assertions) {
        let day = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string()).unwrap_or_default();
        let reasons = one.reasons.iter().map(|reason| reason.text.clone());
        let reasons: Vec<String> =
            reasons.chain(one.earlier.iter().map(|earlier| earlier.text(&one.quote))).collect();
        let mut cells = [
            one.question.clone(),
            String::new(),
            String::new(),
            day(one.valid_from),
            day(one.valid_to),
            one.subject.clone(),
            one.object.clone(),
            one.edge_type.clone(),
            one.quote.clone(),
            one.document.clone(),
            one.at.cell(),
            reasons.join("; "),
            one.confidence.map(|number| number.to_string()).unwrap_or_default(),
        ];
        cells.iter_mut().for_each(neutralize);
        writer.write_record(&cells).map_err(failed)?;
    }
    writer.flush()
}

/// One queued request.
pub(in crate::cli) fn queued(queued: &Queued) -> String {
    let mut page = Page::default();
    page.line(0, format!("queued as request {}: {}", queued.number, queued.does));
    page.line(0, "the next run carries it out");
    page.done()
}

/// What became of a file of answers.
pub(in crate::cli) fn decided(decided: &Decided) -> String {
    let mut page = Page::default();
    for problem in &decided.problems {
        page.line(0, format!("line {}: {}", problem.line, problem.message));
    }
    if !decided.problems.is_empty() {
        let problems = count(decided.problems.len() as u64, "problem");
        page.line(0, format!("{problems}: nothing was queued; mend the file and try again"));
        return page.done();
    }
    for answer in &decided.answers {
        let line = if answer.line > 0 { format!("line {}: ", answer.line) } else { String::new() };
        match answer.number {
            Some(number) => page.line(0, format!("{line}request {number}: {}", answer.does)),
            None => page.line(0, format!("{line}{}", answer.does)),
        }
    }
    let answers = count(decided.answers.len() as u64, "answer");
    page.line(
        0,
        if decided.dry_run {
            format!("{answers} would be queued; nothing was")
        } else {
            format!("{answers} queued; the next run carries them out")
        },
    );
    if let Some(would) = &decided.would {
        consequences(&mut page, would);
    }
    page.done()
}

/// What a dry run says that would come of answers.
fn consequences(page: &mut Page, would: &EditReport) {
    let changes = would.changes.len() as u64 + would.more_changes;
    page.line(
        0,
        match changes {
            0 => "no edge would change".to_owned(),
            changes => format!("the next run would make {} of edges by them", count(changes, "change")),
        },
    );
    changes_of(page, &would.changes, &would.names, would.more_changes, true);
    into_quarantine(page, would);
    gaps_of(page, &would.gaps);
}

/// The files that were written.
pub(in crate::cli) fn files(files: &Files) -> String {
    let mut page = Page::default();
    for (file, rows) in &files.files {
        page.line(0, format!("{}/{file}  {}", files.folder, count(*rows, "row")));
    }
    page.done()
}
