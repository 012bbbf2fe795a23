//! Past runs, a line each, and what became of what receivers are told.

use super::{Page, count};
use crate::cli::notify::Notified;
use crate::cli::runs::{RunLine, RunsView};

/// The last runs.
pub(in crate::cli) fn runs(view: &RunsView) -> String {
    let mut page = Page::default();
    if view.runs.is_empty() {
        page.line(0, "no run has left a report yet (`edgewright run` makes the first)");
        return page.done();
    }
    let rows: Vec<[String; 6]> = view.runs.iter().map(cells).collect();
    let head = ["run", "began", "took", "drift", "exit", "how it ended"].map(str::to_owned);
    let all = || std::iter::once(&head).chain(&rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..5).map(width).collect();
    for row in all() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        line.push_str(&row[5]);
        page.line(0, line.trim_end());
    }
    page.done()
}

fn cells(run: &RunLine) -> [String; 6] {
    let dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
    [
        run.run.clone(),
        run.started_at.clone(),
        format!("{:.1} s", run.seconds),
        dash(&run.drift),
        run.exit_code.to_string(),
        ended(run),
    ]
}

fn ended(run: &RunLine) -> String {
    let changes = count(run.changes, "change");
    match (run.generation, &run.error) {
        (_, Some(error)) => format!("failed: {error}"),
        (Some(generation), None) => {
            format!("{} generation {generation}: {changes}", run.outcome.word().replace('_', " "))
        }
        (None, None) if run.judged.is_some() => {
            let judged = run.judged.as_deref().unwrap_or_default();
            format!("{}, then {judged}", run.outcome.word())
        }
        (None, None) => {
            format!("{}: generation {} stands", run.outcome.word().replace('_', " "), run.before)
        }
    }
}

/// What became of what receivers are told.
pub(in crate::cli) fn notified(view: &Notified) -> String {
    let mut page = Page::default();
    if view.receivers.is_empty() {
        page.line(0, "another process is telling; what it leaves the next run tells");
    }
    let sent = if view.test { "test" } else { "message" };
    for one in &view.receivers {
        let mut said = format!("{} of {}: {} sent", one.receiver, one.job, count(one.sent, sent));
        if one.waiting > 0 {
            said.push_str(&format!(", {} waiting", one.waiting));
        }
        if one.dropped > 0 {
            said.push_str(&format!(", {} given up", one.dropped));
        }
        if let Some(error) = &one.error {
            said.push_str(&format!("; {error}"));
        }
        page.line(0, said);
        for refused in &one.refused {
            page.line(1, format!("refused and put aside as {refused}"));
        }
    }
    page.done()
}
