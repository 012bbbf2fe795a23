//! A drift report as one page for a browser that needs nothing else: no script, no font, no picture from elsewhere.

use super::{
    Shown, Way, account, capital, causes, compared, count, further, headline, ledger, severity, state, svg,
    tame,
};
use crate::drift::{Finding, Severity, State};
use crate::run::RunReport;
use crate::run::report::Outcome;

/// What the page looks like, on a screen and on paper.
const STYLE: &str = include_str!("page.css");

/// A drift report as a page.
pub(in crate::cli) fn html(shown: &Shown) -> String {
    let Shown { run, drift, accepts, .. } = shown;
    let title = format!("Drift of {}, {}", drift.job, run.logical_date);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}: {1}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n<p class=\"state\"><strong class=\"badge\">{1}</strong> {2}</p>\n",
        escaped(&title),
        state(drift.state),
        escaped(verdict(shown)),
    );
    let told = super::super::runs::headline(run);
    page.push_str(&format!(
        "<p>Run <code>{}</code>{}. {}. It began {}, took {:.1} s and ended with code {}.</p>\n</header>\n",
        escaped(&run.run),
        escaped(&compared(shown)),
        escaped(&capital(&told)),
        escaped(&run.started_at),
        run.times.seconds,
        run.exit_code,
    ));
    page.push_str("<main>\n<section>\n<h2>What to look at</h2>\n");
    if drift.findings.is_empty() {
        page.push_str("<p>Nothing.</p>\n");
    }
    for (finding, accepts) in drift.findings.iter().zip(accepts) {
        page.push_str(&finding_of(finding, accepts));
    }
    page.push_str("</section>\n");
    page.push_str(&inputs(run));
    page.push_str(&by_cause(shown));
    page.push_str(&over_runs(shown));
    page.push_str(&segments(shown));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// What the state means for whoever reads the page.
fn verdict(shown: &Shown) -> &'static str {
    match (shown.drift.state, shown.run.outcome) {
        (_, Outcome::Held) => {
            "This run is held: readers see what stood before until a person releases or discards it."
        }
        (State::Pass, _) => "Nothing looks wrong.",
        (State::Warn, _) => "A person should look at what stands below; the run was published.",
        (State::Fail, _) => "This run looks wrong.",
        (State::NoBaseline, _) => "This is the first run: there is nothing to compare with.",
    }
}

fn finding_of(finding: &Finding, accepts: &[Way]) -> String {
    let class = if finding.severity == Severity::Fail { "finding fail" } else { "finding" };
    let mut text = format!(
        "<article class=\"{class}\">\n<h3><span class=\"badge\">{}</span> {}</h3>\n<p>{} → {}",
        severity(finding.severity),
        escaped(&headline(finding)),
        count(finding.before, "edge"),
        finding.after,
    );
    if let Some(causes) = causes(finding) {
        text.push_str(&format!("; causes: {}", escaped(&causes)));
    }
    text.push_str(".</p>\n");
    for told in further(finding) {
        text.push_str(&format!("<p>{}</p>\n", escaped(&capital(&told))));
    }
    if !finding.examples.is_empty() {
        text.push_str("<ul>\n");
        for example in &finding.examples {
            text.push_str(&format!("<li>{}</li>\n", escaped(&example.to_string())));
        }
        text.push_str("</ul>\n");
    }
    text.push_str(&format!("<p>What to do: <code>docs/codes/{}.md</code>.", escaped(&finding.rule)));
    for Way { to, command } in accepts {
        text.push_str(&format!(" {}: <code class=\"command\">{}</code>", capital(to), escaped(command)));
    }
    text.push_str("</p>\n</article>\n");
    text
}

/// The sources and feeds that gave something, or kept it back.
fn inputs(run: &RunReport) -> String {
    let news = |input: &&crate::run::report::InputReport| input.state != "unchanged";
    let mut rows = String::new();
    for input in run.inputs.iter().filter(news) {
        let why: Vec<String> = input.why.iter().chain(&input.unproven).map(|why| escaped(why)).collect();
        rows.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
            escaped(&input.name),
            escaped(&input.kind),
            escaped(&input.state),
            input.items,
            input.added,
            input.changed,
            input.gone,
            why.join("<br>"),
        ));
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<section>\n<h2>What came in</h2>\n<table>\n<thead><tr><th>name</th><th>kind</th><th>state</th><th class=\"n\">items</th><th class=\"n\">new</th><th class=\"n\">changed</th><th class=\"n\">gone</th><th>why it is kept back</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</section>\n"
    )
}

fn by_cause(shown: &Shown) -> String {
    let ledger = ledger(shown);
    if ledger.is_empty() {
        return "<section>\n<h2>Changes by cause</h2>\n<p>No edge changed.</p>\n</section>\n".to_owned();
    }
    format!("<section>\n<h2>Changes by cause</h2>\n{}\n</section>\n", svg::ledger(&ledger))
}

/// How many edges of each type there were after each run; of runs that failed or are held nothing is known.
fn over_runs(shown: &Shown) -> String {
    let known = |run: &RunReport| !matches!(run.outcome, Outcome::Failed | Outcome::Held);
    let mut types: Vec<&String> = shown.past.iter().flat_map(|run| run.totals.edges.keys()).collect();
    types.sort();
    types.dedup();
    let (Some(first), Some(last)) = (shown.past.first(), shown.past.last()) else { return String::new() };
    let charts = types.iter().map(|edge_type| {
        let points: Vec<Option<u64>> = shown
            .past
            .iter()
            .map(|run| known(run).then(|| run.totals.edges.get(*edge_type).map_or(0, |edges| edges.facts)))
            .collect();
        svg::counts(edge_type, &points, &first.logical_date, &last.logical_date)
    });
    format!(
        "<section>\n<h2>Edges by type over {}</h2>\n<div class=\"charts\">\n{}\n</div>\n</section>\n",
        count(shown.past.len() as u64, "run"),
        charts.collect::<Vec<_>>().join("\n"),
    )
}

fn segments(shown: &Shown) -> String {
    let rows = shown.drift.segments.iter().map(|row| {
        format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            escaped(&row.segment.edge_type),
            escaped(&row.segment.source),
            escaped(&account(row))
        )
    });
    format!(
        "<section>\n<h2>Edges by type and source</h2>\n<table>\n<thead><tr><th>edge type</th><th>source</th><th>before → after: added, retracted, changed (by cause)</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</section>\n",
        rows.collect::<String>(),
    )
}

/// Foreign text in which nothing is markup.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in tame(text).chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
