//! Past runs, a line each, and what became of what receivers are told.

use super::{Page, count};
use crate::cli::notify::Notified;
use crate::cli::runs::{ActLine, RunLine, RunsView};

/// The last runs, and between them what persons did with them.
pub(in crate::cli) fn runs(view: &RunsView) -> String {
    let mut page = Page::default();
    if view.runs.is_empty() {
        page.line(0, "no run has left a report yet (`edgewright run` makes the first)");
        return page.done();
    }
    // The last one first; of what began in one second, what made the later generation.
    let of_run = |run: &RunLine| (run.started_at.clone(), run.generation.unwrap_or(run.before));
    let runs = view.runs.iter().map(|run| (of_run(run), cells(run)));
    let acts = view.acts.iter().map(|act| ((act.at.clone(), act.generation), cells_of_act(act)));
    let mut rows: Vec<((String, u64), [String; 6])> = runs.chain(acts).collect();
    rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    let rows: Vec<[String; 6]> = rows.into_iter().map(|(_, cells)| cells).collect();
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

fn cells_of_act(act: &ActLine) -> [String; 6] {
    let did = match (act.act.as_str(), &act.of_run, act.to) {
        ("release" | "force", Some(run), _) => {
            format!("published generation {}: the run {run}", act.generation)
        }
        ("discard", Some(run), _) => {
            format!("generation {} holds this act: no more of the run {run}", act.generation)
        }
        (_, _, Some(to)) => format!("published generation {}: as generation {to} was", act.generation),
        ("purge", ..) => format!("published generation {}", act.generation),
        _ => format!("generation {} holds this act", act.generation),
    };
    let [none, took, drift] = ["-"; 3].map(str::to_owned);
    [act.act.clone(), act.at.clone(), took, drift, none, format!("{did}, by {}: {}", act.by, act.reason)]
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
