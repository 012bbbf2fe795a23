//! Past runs, a line each, and what became of what receivers are told.

use super::{Page, count};
use crate::cli::notify::Notified;
use crate::cli::runs::{ActLine, EditLine, RunLine, RunsView};

/// So many edits of a change by hand are told in its line.
const DONE: usize = 3;

/// The last runs, and between them what persons changed by hand, and did with runs and generations.
pub(in crate::cli) fn runs(view: &RunsView) -> String {
    let mut page = Page::default();
    // The last one first; of what began in one second, what made the later generation.
    let of_run = |run: &RunLine| (run.started_at.clone(), run.generation.unwrap_or(run.before));
    // What a run did because a person asked for it stands in the line of the run.
    let asked = |run: &RunLine| view.acts.iter().find(|act| is_of_run(act, run));
    let runs = view.runs.iter().map(|run| (of_run(run), cells(run, asked(run))));
    let of_edit = |edit: &EditLine| (edit.started_at.clone(), edit.generation.unwrap_or(edit.before));
    let edits = view.edits.iter().map(|edit| (of_edit(edit), cells_of_edit(edit)));
    let others = view.acts.iter().filter(|act| !view.runs.iter().any(|run| is_of_run(act, run)));
    let acts = others.map(|act| ((act.at.clone(), act.generation), cells_of_act(act)));
    let mut rows: Vec<((String, u64), [String; 7])> = runs.chain(edits).chain(acts).collect();
    if rows.is_empty() {
        page.line(0, "no run has left a report yet (`edgewright run` makes the first)");
        return page.done();
    }
    rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    let rows: Vec<[String; 7]> = rows.into_iter().map(|(_, cells)| cells).collect();
    let head = ["run", "began", "for", "took", "drift", "exit", "how it ended"].map(str::to_owned);
    let all = || std::iter::once(&head).chain(&rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..6).map(width).collect();
    for row in all() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        line.push_str(&row[6]);
        page.line(0, line.trim_end());
    }
    page.done()
}

/// True of an act that is the run itself.
fn is_of_run(act: &ActLine, run: &RunLine) -> bool {
    ["force", "rollback"].contains(&act.act.as_str()) && run.generation == Some(act.generation)
}

fn dash(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}

/// The cells of a run, and what a person wanted with it.
fn cells(run: &RunLine, asked: Option<&ActLine>) -> [String; 7] {
    let why = asked.map(|act| {
        let did = act.to.map_or("forced".to_owned(), |to| format!("put back to generation {to}"));
        format!(", {did} by {}: {}", act.by, act.reason)
    });
    [
        run.run.clone(),
        run.started_at.clone(),
        dash(&run.logical_date),
        format!("{:.1} s", run.seconds),
        dash(&run.drift),
        run.exit_code.to_string(),
        ended(run) + why.as_deref().unwrap_or_default(),
    ]
}

fn cells_of_edit(edit: &EditLine) -> [String; 7] {
    let does: Vec<&str> = edit.edits.iter().take(DONE).map(|edit| edit.does.as_str()).collect();
    let more = edit.edits.len().saturating_sub(DONE);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    let ended = match edit.generation {
        Some(generation) => format!("published generation {generation}: {}", count(edit.changes, "change")),
        None => format!("nothing changes: generation {} stands", edit.before),
    };
    let [day, took, exit] = ["-"; 3].map(str::to_owned);
    let did = format!("{ended}, by hand: {}{more}", does.join(", "));
    [edit.run.clone(), edit.started_at.clone(), day, took, dash(&edit.drift), exit, did]
}

fn cells_of_act(act: &ActLine) -> [String; 7] {
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
    let [day, took, drift, exit] = ["-"; 4].map(str::to_owned);
    [act.act.clone(), act.at.clone(), day, took, drift, exit, format!("{did}, by {}: {}", act.by, act.reason)]
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
