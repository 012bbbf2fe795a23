//! What a run did, or would do, so that an engineer knows in ten seconds whether to worry.

use std::collections::BTreeMap;

use super::acts::findings_of;
use super::{Page, count};
use crate::cli::exit::Exit;
use crate::cli::plan::exit_of;
use crate::run::report::{ChangeReport, DiagnosticReport, InputReport, LISTED, Outcome, again_of};
use crate::run::{Finding, FindingSeverity, RunReport};

/// So many inputs that were not read are listed, each with why.
const MOST_ERRORS: usize = 200;

/// A run, or a plan.
pub(in crate::cli) fn run(report: &RunReport) -> String {
    let mut page = Page::default();
    page.line(0, headline(report));
    // Of a run that is held, why comes first.
    let held = report.outcome == Outcome::Held;
    if held {
        findings_of(&mut page, &report.findings);
        page.line(
            1,
            "`edgewright diff held` says what it would change; `edgewright release` publishes it and",
        );
        page.line(1, "`edgewright discard` drops it, each with `--reason`");
        if !report.again.is_empty() {
            page.line(
                1,
                format!(
                    "what it was asked to read again counts with its release only; after a discard or a later run, ask anew: `{}`",
                    again_of(&report.again)
                ),
            );
        }
    }
    if let Some(forced) = &report.forced {
        findings_of(&mut page, &report.findings);
        page.line(1, format!("published all the same, forced by {forced}"));
    }
    inputs(&mut page, &report.inputs);
    let work = &report.work;
    let verb = if report.plan { "would be " } else { "" };
    page.line(
        0,
        format!(
            "work: {} {verb}parsed, {} {verb}extracted, {} kept, {} {verb}folded",
            count(work.parsed, "document"),
            count(work.extracted, "chunk"),
            work.kept,
            count(work.folded, "group"),
        ),
    );
    if work.external_calls > 0 {
        let refused = match work.external_refused {
            0 => String::new(),
            refused => format!(", {refused} of what they said refused"),
        };
        let calls = count(work.external_calls, "call");
        page.line(
            0,
            format!("programs of rules: {calls}, {:.1} s{refused}", work.external_ms as f64 / 1000.0),
        );
    }
    totals(&mut page, report);
    changes_of(&mut page, &report.changes, &report.names, report.more_changes, report.plan);
    gaps_of(&mut page, &report.gaps);
    diagnostics(&mut page, &report.diagnostics);
    page.line(0, format!("drift: {}", report.drift));
    if !held {
        findings_of(&mut page, &report.findings);
    }
    let exit = exit_of(report);
    let reason = match exit as u8 {
        3 if report.plan => ": the run would be held",
        3 => ": the run is held, and readers keep the last published graph",
        _ if held => ": the candidate is held, and readers keep the last published graph",
        4 => ": some inputs failed or were withheld; the rest is published",
        _ => "",
    };
    page.line(0, format!("exit {}{reason}", exit as u8));
    page.done()
}

/// What is wrong with a run, for who asked for quiet: nothing of one that went as it should.
pub(in crate::cli) fn problems(report: &RunReport) -> String {
    let mut page = Page::default();
    let held = report.outcome == Outcome::Held;
    let wrong: Vec<DiagnosticReport> =
        report.diagnostics.iter().filter(|one| one.severity != "note").cloned().collect();
    let findings: Vec<Finding> =
        report.findings.iter().filter(|one| held || one.severity != FindingSeverity::Info).cloned().collect();
    let exit = exit_of(report);
    if exit == Exit::Done && !held && wrong.is_empty() && findings.is_empty() {
        return page.done();
    }
    page.line(0, headline(report));
    findings_of(&mut page, &findings);
    let kept: Vec<InputReport> = report
        .inputs
        .iter()
        .filter(|input| input.state == "withheld" || !input.unproven.is_empty())
        .cloned()
        .collect();
    inputs(&mut page, &kept);
    diagnostics(&mut page, &wrong);
    page.line(0, format!("exit {}", exit as u8));
    page.done()
}

/// How a run ended, in one line.
pub(super) fn headline(report: &RunReport) -> String {
    let changes = count(report.changed(), "change");
    match (report.plan, report.outcome, report.generation) {
        (_, Outcome::Held, _) => {
            format!("held the run {}: {changes}; generation {} stands", report.run, report.before)
        }
        (true, _, None) => "nothing to do: a run would change nothing".to_owned(),
        (true, _, Some(generation)) => format!("a run would publish generation {generation}: {changes}"),
        (false, Outcome::NothingToDo, _) => format!("nothing to do: generation {} stands", report.before),
        (false, Outcome::Published, Some(generation)) => {
            format!("published generation {generation}: {changes}")
        }
        (false, Outcome::Published, None) => format!("finished; generation {} stands", report.before),
        (false, Outcome::Partial, Some(generation)) => {
            format!("published generation {generation} of what could be read: {changes}")
        }
        (false, Outcome::Partial, None) => {
            format!("some inputs failed or were withheld; generation {} stands", report.before)
        }
        (false, Outcome::Failed, _) => match &report.error {
            Some(error) => format!("failed: {}", error.message),
            None => "failed".to_owned(),
        },
    }
}

fn inputs(page: &mut Page, inputs: &[InputReport]) {
    if inputs.is_empty() {
        return;
    }
    page.line(0, "inputs");
    let width = inputs.iter().map(|input| input.name.chars().count()).max().unwrap_or_default();
    for input in inputs {
        let unit = if input.kind == "feed" { "row" } else { "document" };
        let mut parts = vec![count(input.items, unit)];
        let counted = [
            (input.added, "new"),
            (input.changed, "changed"),
            (input.gone, "gone"),
            (input.not_selected, "not selected"),
            (input.withheld, "withheld"),
        ];
        parts.extend(
            counted.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")),
        );
        page.line(
            1,
            format!("{:<width$}  {:<6}  {:<9}  {}", input.name, input.kind, input.state, parts.join(", ")),
        );
        input.unproven.iter().for_each(|scope| page.line(2, format!("not proven to be complete: {scope}")));
    }
}

fn totals(page: &mut Page, report: &RunReport) {
    let totals = &report.totals;
    let entities: Vec<String> =
        totals.entities.iter().map(|(name, number)| format!("{number} {name}")).collect();
    if !entities.is_empty() {
        page.line(0, format!("entities: {}", entities.join(", ")));
    }
    if !totals.edges.is_empty() {
        page.line(0, "edges");
        let width = totals.edges.keys().map(String::len).max().unwrap_or_default();
        for (name, edges) in &totals.edges {
            let facts = count(edges.facts, "fact");
            let states = format!("{} current, {} ended, {} future", edges.current, edges.ended, edges.future);
            page.line(1, format!("{name:<width$}  {facts}: {states}"));
        }
    }
    if totals.quarantined_assertions > 0 {
        let now = count(totals.quarantined_assertions, "assertion");
        page.line(0, format!("quarantine: {now} ({})", by_reason(&totals.quarantined)));
    }
    if !report.quarantined.is_empty() {
        page.line(1, format!("new in this run: {}", by_reason(&report.quarantined)));
    }
    if totals.pending_ends > 0 {
        page.line(0, format!("{} for an attestation", count(totals.pending_ends, "waiting end")));
    }
}

pub(super) fn by_reason(reasons: &BTreeMap<String, u64>) -> String {
    let reasons: Vec<String> = reasons.iter().map(|(reason, number)| format!("{reason} {number}")).collect();
    reasons.join(", ")
}

/// Changes of facts with the names of their entities, and how many more the report leaves out; `plan` if they are not made.
pub(super) fn changes_of(
    page: &mut Page,
    changes: &[ChangeReport],
    names: &BTreeMap<String, String>,
    left_out: u64,
    plan: bool,
) {
    if changes.is_empty() {
        return;
    }
    page.line(0, "changes");
    for change in changes.iter().take(LISTED) {
        page.line(1, sentence(change, names, plan));
        page.line(2, format!("{}: {}", change.cause, change.detail));
    }
    more(page, changes.len() + left_out as usize);
}

/// Days on which nobody holds an edge.
pub(super) fn gaps_of(page: &mut Page, gaps: &[String]) {
    if !gaps.is_empty() {
        page.line(0, "gaps: nobody holds");
        gaps.iter().take(LISTED).for_each(|gap| page.line(1, gap));
        more(page, gaps.len());
    }
}

/// What became of a fact, with the names of its entities and their keys.
fn sentence(change: &ChangeReport, names: &BTreeMap<String, String>, plan: bool) -> String {
    let (before, after) = (change.before.join(" "), change.after.join(" "));
    let named = |key: &String| match names.get(key) {
        Some(name) => format!("{name} ({key})"),
        None => key.clone(),
    };
    let says = format!("{} {} {}", named(&change.subject), change.edge_type, named(&change.object));
    let (did, would) = match change.change.as_str() {
        "added" => ("added", "would add"),
        "retracted" => ("retracted", "would retract"),
        "revived" => ("revived", "would revive"),
        _ => ("changed", "would change"),
    };
    let verb = if plan { would } else { did };
    match change.change.as_str() {
        "added" => format!("{verb} {says} {after}"),
        "retracted" => format!("{verb} {says} {before}"),
        _ => format!("{verb} {says} {before} → {after}"),
    }
}

/// What is wrong with inputs.
pub(super) fn diagnostics(page: &mut Page, diagnostics: &[DiagnosticReport]) {
    if diagnostics.is_empty() {
        return;
    }
    page.line(0, "what is wrong with inputs");
    // Whatever was not read is told before what was only noticed.
    let rank = |one: &DiagnosticReport| match one.severity.as_str() {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    };
    let mut ranked: Vec<&DiagnosticReport> = diagnostics.iter().collect();
    ranked.sort_by_key(|one| rank(one));
    let errors = ranked.iter().filter(|one| rank(one) == 0).count();
    let listed = errors.clamp(LISTED, MOST_ERRORS);
    for one in ranked.iter().take(listed) {
        let place = match (one.line, one.column) {
            (0, _) if !one.place.is_empty() => format!("{}, {}", one.file, one.place),
            (0, _) => one.file.clone(),
            (line, 0) => format!("{}:{line}", one.file),
            (line, column) => format!("{}:{line}:{column}", one.file),
        };
        page.line(1, format!("{place}: {}[{}]: {}", one.severity, one.code, one.message));
        if let Some(hint) = &one.hint {
            page.line(2, format!("hint: {hint}"));
        }
    }
    if ranked.len() > listed {
        page.line(1, format!("and {} more; `--output json` has them all", ranked.len() - listed));
    }
}

fn more(page: &mut Page, all: usize) {
    if all > LISTED {
        page.line(1, format!("and {} more", all - LISTED));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use super::*;

    /// A report with these changes, made from its JSON form so that a new field needs no new test.
    fn report(plan: bool, outcome: &str, changes: usize) -> RunReport {
        let change = |number: usize| {
            json!({ "says": format!("T:{number} supplies T:C"), "subject": format!("T:{number}"), "object": "T:C", "fact": "f", "edge_type": "supplies", "change": "changed",
                "before": ["[?, ∞)"], "after": ["[?, 2024-02-17)"], "cause": "new_document", "detail": "contracts/a.md" })
        };
        let kept = json!({ "name": "vendors", "kind": "feed", "state": "withheld", "items": 1, "added": 0, "changed": 0,
            "gone": 26, "not_selected": 0, "unproven": ["1 of 27 rows"] });
        serde_json::from_value(json!({
            "version": 1, "run": "r1", "started_at": "2024-06-01T02:00:00Z", "today": "2024-06-01", "plan": plan,
            "generation": (outcome != "nothing_to_do").then_some(3), "before": 2, "outcome": outcome,
            "state_digest": "", "history_digest": "", "inputs": [kept], "gaps": [],
            "work": { "parsed": 1, "extracted": 2, "kept": 40, "folded": 1, "log": [] },
            "changes": (0..changes).map(change).collect::<Vec<_>>(),
            "names": { "T:0": "TechChip Inc" }, "quarantined": { "conflict": 1 },
            "totals": { "documents": 2, "chunks": 42, "entities": { "Supplier": 3 },
                "edges": { "supplies": { "facts": 2, "current": 1, "ended": 1, "future": 0 } },
                "quarantined": { "conflict": 1 }, "quarantined_assertions": 1, "pending_ends": 0 },
            "diagnostics": [], "drift": "pass",
        }))
        .unwrap()
    }

    #[test]
    fn a_run_is_read_in_ten_seconds() {
        expect![[r#"
            published generation 3 of what could be read: 1 change
            inputs
              vendors  feed    withheld   1 row, 26 gone
                not proven to be complete: 1 of 27 rows
            work: 1 document parsed, 2 chunks extracted, 40 kept, 1 group folded
            entities: 3 Supplier
            edges
              supplies  2 facts: 1 current, 1 ended, 0 future
            quarantine: 1 assertion (conflict 1)
              new in this run: conflict 1
            changes
              changed TechChip Inc (T:0) supplies T:C [?, ∞) → [?, 2024-02-17)
                new_document: contracts/a.md
            drift: pass
            exit 4: some inputs failed or were withheld; the rest is published
        "#]]
        .assert_eq(&run(&report(false, "partial", 1)));
    }

    #[test]
    fn a_plan_says_would_and_long_lists_are_cut() {
        let text = run(&report(true, "published", 25));
        assert!(text.starts_with("a run would publish generation 3: 25 changes\n"), "{text}");
        assert!(
            text.contains("would change TechChip Inc (T:0) supplies T:C [?, ∞) → [?, 2024-02-17)"),
            "{text}"
        );
        assert!(text.contains("  and 5 more\n") && !text.contains("T:20 supplies"), "{text}");
        let nothing = run(&report(true, "nothing_to_do", 0));
        assert!(nothing.starts_with("nothing to do: a run would change nothing\n"), "{nothing}");
    }
}
