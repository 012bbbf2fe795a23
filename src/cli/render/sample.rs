//! Samples: the table that a person fills in, what it can support, and what the verdicts say.

use std::io::Write;

use super::table::neutralize;
use super::{Page, count};
use crate::cli::sample::Judged;
use crate::serve::{Claim, Estimate, SampleView, Supports, VerdictsView};

/// The columns of the table. Stable: people keep such files.
const COLUMNS: [&str; 15] = [
    "question",
    "verdict",
    "reason",
    "edge_type",
    "rule",
    "stratum",
    "subject",
    "subject_name",
    "object",
    "object_name",
    "valid_from",
    "valid_to",
    "sentence",
    "document",
    "line",
];

/// A sample as the table that is read back.
pub(in crate::cli) fn sampled_csv(view: &SampleView, out: &mut dyn Write) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    };
    let day = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string()).unwrap_or_default();
    writer.write_record(COLUMNS).map_err(failed)?;
    for one in &view.sample {
        let mut cells = [
            one.question.clone(),
            String::new(),
            String::new(),
            one.edge_type.clone(),
            one.rule.clone(),
            one.stratum.to_string(),
            one.subject.key.clone(),
            one.subject.name.clone(),
            one.object.key.clone(),
            one.object.name.clone(),
            day(one.valid_from),
            day(one.valid_to),
            one.sentence.clone(),
            one.path.clone(),
            one.at.cell(),
        ];
        cells.iter_mut().for_each(neutralize);
        writer.write_record(&cells).map_err(failed)?;
    }
    writer.flush()
}

/// What was drawn, and what it can support.
pub(in crate::cli) fn sampled(view: &SampleView) -> String {
    let mut page = Page::default();
    let edges = count(view.edges, "edge");
    page.line(
        0,
        format!("{} of {edges}, generation {}, seed {}", view.sample.len(), view.generation, view.seed),
    );
    for one in &view.strata {
        page.line(1, format!("{} by {}: {} of {}", one.edge_type, one.rule, one.sampled, one.edges));
    }
    if view.without_sentence > 0 {
        let edges = count(view.without_sentence, "edge");
        page.line(1, format!("not sampled: {edges} that no document says"));
    }
    for line in supports(&view.supports) {
        page.line(0, line);
    }
    page.line(
        0,
        "fill `verdict` with right, wrong (with a reason) or unsure; `sample --verdicts FILE` reads it",
    );
    page.done()
}

/// What a sample can support, a line a claim.
fn supports(supports: &[Supports]) -> Vec<String> {
    let line = |one: &Supports| {
        let claim = format!("at most {} % wrong, 95 % sure", percent(one.share));
        match one.wrong_allowed {
            Some(allowed) => format!("{claim}: if no more than {allowed} of these are"),
            None => format!("{claim}: these are too few to say so"),
        }
    };
    supports.iter().map(line).collect()
}

fn percent(share: f64) -> f64 {
    (share * 10_000.0).round() / 100.0
}

/// What verdicts came to.
pub(in crate::cli) fn verdicts(judged: &Judged) -> String {
    let mut page = Page::default();
    for problem in &judged.problems {
        page.line(0, format!("line {}: {}", problem.line, problem.message));
    }
    if let Some(view) = &judged.verdicts {
        estimates(&mut page, view);
    }
    let of = |number: usize| count(number as u64, "decision");
    match (judged.problems.len(), judged.decide, judged.answers.len()) {
        (0, true, number) => {
            page.line(0, format!("{} queued; the next run carries them out", of(number)));
        }
        (0, false, 0) => {}
        (0, false, number) => page.line(0, format!("`--decide` would make {} of them", of(number))),
        (problems, ..) => {
            page.line(0, format!("{}: nothing was taken", count(problems as u64, "problem")));
        }
    }
    page.done()
}

fn estimates(page: &mut Page, view: &VerdictsView) {
    let line = |name: &str, one: &Estimate| {
        let share = one.share.map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"));
        let unsure = if one.unsure > 0 { format!(", {} unsure", one.unsure) } else { String::new() };
        format!(
            "{name}: {share} right ({:.3}–{:.3}); {} right, {} wrong{unsure}",
            one.low, one.high, one.right, one.wrong
        )
    };
    page.line(0, line("all", &view.all));
    for one in &view.strata {
        page.line(1, line(&format!("{} by {}", one.edge_type, one.rule), one));
    }
    if view.open > 0 {
        page.line(1, format!("{} without a verdict", count(view.open, "row")));
    }
    for Claim { share, wrong_allowed, holds } in &view.claims {
        let claim = format!("at most {} % wrong, 95 % sure", percent(*share));
        let wrong = view.all.wrong + view.all.unsure;
        page.line(
            0,
            match (wrong_allowed, holds) {
                _ if view.open > 0 => format!("{claim}: cannot be said before every row has a verdict"),
                (None, _) => format!("{claim}: too few were judged"),
                (Some(allowed), true) => {
                    format!("{claim}: holds ({wrong} wrong or unsure, {allowed} may be)")
                }
                (Some(allowed), false) => {
                    format!("{claim}: does not hold ({wrong} wrong or unsure, {allowed} may be)")
                }
            },
        );
    }
    if !view.wrong.is_empty() {
        page.gap();
        page.line(0, "wrong");
    }
    for one in &view.wrong {
        page.line(1, format!("line {}: {}: {}", one.line, one.says, one.reason));
        page.line(2, format!("{}: »{}«", one.rule, one.sentence));
    }
}
