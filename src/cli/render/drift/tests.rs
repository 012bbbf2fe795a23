//! Each form of one report.

use serde_json::json;

use super::*;
use crate::run::RunReport;

/// A run that lost edges, whose texts try to be markup.
fn shown() -> Shown {
    let run = |day: u64, facts: u64, outcome: &str| -> RunReport {
        serde_json::from_value(json!({
            "version": 1, "run": format!("r{day}"), "started_at": format!("2026-06-0{day}T02:00:00Z"), "today": "2026-06-02",
            "plan": false, "generation": day, "before": day - 1, "outcome": outcome, "state_digest": "", "history_digest": "",
            "inputs": [{ "name": "vendors", "kind": "feed", "state": "read", "items": 24, "added": 0, "changed": 24, "gone": 0,
                "not_selected": 0, "unproven": [] }],
            "gaps": [], "work": { "parsed": 0, "extracted": 0, "kept": 0, "folded": 0, "log": [] }, "changes": [],
            "quarantined": {}, "diagnostics": [], "drift": "fail", "logical_date": format!("2026-06-0{day}"), "exit_code": 3,
            "totals": { "documents": 0, "chunks": 0, "entities": {},
                "edges": { "supplies": { "facts": facts, "current": facts, "ended": 0, "future": 0 } },
                "quarantined": {}, "quarantined_assertions": 0, "pending_ends": 0 },
            "times": { "finished_at": format!("2026-06-0{day}T02:00:02Z"), "seconds": 2.0, "stages": [] },
        }))
        .unwrap()
    };
    let lost = json!({ "edge_type": "supplies", "source": "vendors", "before": 24, "added": 1, "retracted": 24, "changed": 2, "revived": 0,
        "after": 1, "causes": { "feed_row": { "added": 1, "retracted": 24, "changed": 2, "revived": 0 } } });
    let drift = serde_json::from_value(json!({
        "version": 1, "job": "nightly", "run": "r2", "baseline": 1, "state": "fail", "segments": [lost], "edge_types": [lost],
        "findings": [{ "rule": "drift-retractions", "severity": "fail", "segment": { "edge_type": "*", "source": "vendors" },
            "before": 24, "after": 1, "count": 24, "causes": { "feed_row": 24 }, "key": "k",
            "examples": [{ "fact": "f", "text": "S1 supplies C1",
                "sentence": "<img src=x onerror=alert(1)> & *bold* | `x`\u{1b}[31m", "place": "v.csv:2" }] }],
    }))
    .unwrap();
    let past = vec![run(1, 24, "published"), run(2, 1, "published")];
    let accepts = vec![vec![
        Way {
            to: "to publish the run as it is", command: "edgewright release r2 --reason \"…\"".to_owned()
        },
        Way {
            to: "to accept it in the next run",
            command: "edgewright accept finding k --reason …".to_owned(),
        },
    ]];
    Shown { run: run(2, 1, "published"), drift, accepts, past }
}

#[test]
fn a_finding_is_read_with_its_sentences_and_the_command_that_accepts_it() {
    expect_test::expect![[r#"
        run r2 of nightly, 2026-06-02
        published generation 2: 0 changes
        drift: fail, compared with generation 1

        fail  drift-retractions: * in vendors: 24 of 24 edges, 1 after
          causes: feed_row 24
          S1 supplies C1: "<img src=x onerror=alert(1)> & *bold* | `x`�[31m" (v.csv:2)
          see docs/codes/drift-retractions.md
          to publish the run as it is: edgewright release r2 --reason "…"
          to accept it in the next run: edgewright accept finding k --reason …

        edges by type and source
          supplies in vendors  24 → 1: +1 −24 ~2 (feed_row +1 −24 ~2)
    "#]]
    .assert_eq(&text(&shown()));
}

#[test]
fn no_form_takes_foreign_text_for_markup() {
    let shown = shown();
    let (page, cases, text) = (html(&shown), junit(&shown), markdown(&shown));
    for form in [&page, &cases, &text] {
        assert!(!form.contains("<img") && form.contains("&lt;img src=x"), "{form}");
        assert!(!form.contains('\u{1b}'), "{form}");
        assert!(
            form.contains("edgewright release r2") && form.contains("edgewright accept finding k"),
            "{form}"
        );
    }
    assert!(text.contains(r"\*bold\* \| \`x\`"), "{text}");
    assert!(cases.contains("tests=\"2\" failures=\"1\"") && cases.contains("&amp; *bold*"), "{cases}");
    for elsewhere in ["http://", "https://", "<script", "url(h", "@import", "<link"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn charts_hold_their_numbers() {
    let page = html(&shown());
    assert!(page.contains("aria-label=\"supplies: 1 now, 24 at most\""), "{page}");
    assert!(page.contains("−24</text>") && page.contains("+1 ~2</text>"), "{page}");
    assert_eq!(page.matches("<circle").count(), 2);
    // Of a held run the graph that readers see is not known to have what it made.
    let mut held = shown();
    held.past[1].outcome = crate::run::report::Outcome::Held;
    assert_eq!(html(&held).matches("<circle").count(), 1);
}

#[test]
fn a_first_run_is_neither_good_nor_bad() {
    let mut first = shown();
    first.drift.state = State::NoBaseline;
    first.drift.baseline = None;
    first.drift.findings.clear();
    first.accepts.clear();
    assert!(text(&first).contains("drift: no_baseline: the first run has nothing to compare with\n"));
    assert!(junit(&first).contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
    assert!(markdown(&first).contains("There is nothing to look at."));
}
