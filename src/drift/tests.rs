//! The ledger's tests: changes in, the report's counts and findings out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::*;
use crate::model::cause::{Cause, Change};
use crate::model::gates::GateBook;
use crate::model::id::FactId;

mod guards;
mod histories;
mod spread;

fn census(segments: &[(&str, &str, u64)], totals: &[(&str, u64)]) -> Census {
    Census {
        segments: segments
            .iter()
            .map(|(edge_type, source, count)| (segment(edge_type, source), *count))
            .collect(),
        edge_types: totals.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
    }
}

fn segment(edge_type: &str, source: &str) -> Segment {
    Segment { edge_type: edge_type.to_owned(), source: source.to_owned() }
}

static GATES: GateBook = GateBook::none();
static OBSERVED: LazyLock<Observed> = LazyLock::new(Observed::default);

fn context() -> Context<'static> {
    Context {
        job: "job",
        run: "1",
        baseline: Some(3),
        gates: &GATES,
        accepted: const { &BTreeSet::new() },
        consents: const { &BTreeMap::new() },
        observed: &OBSERVED,
        counted: None,
    }
}

/// Books changes written as `fact before after change cause`, with sources joined by `+` and `-` for none.
fn book(ledger: &mut Ledger, edge_type: &str, line: &str, cause: Cause) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let sources = |text: &str| -> BTreeSet<String> {
        text.split('+').filter(|name| *name != "-").map(str::to_owned).collect()
    };
    let change = match words[3] {
        "added" => Change::Added,
        "retracted" => Change::Retracted,
        "changed" => Change::Changed { revived: false },
        "revived" => Change::Changed { revived: true },
        _ => Change::SupportOnly,
    };
    ledger.record(&Entry {
        fact: FactId::of(&[words[0]]),
        edge_type,
        before: &sources(words[1]),
        after: &sources(words[2]),
        change,
        cause,
        rules: &BTreeMap::new(),
        example: &|_| Example { text: words[0].to_owned(), ..Example::default() },
    });
}

fn show(report: &DriftReport) -> String {
    let row = |row: &Row| {
        let tally = row.tally;
        let causes: Vec<&str> = row.causes.keys().map(String::as_str).collect();
        format!(
            "{}: {} +{} -{} ~{} = {} {}\n",
            row.segment,
            row.before,
            tally.added,
            tally.retracted,
            tally.changed,
            row.after,
            causes.join(" ")
        )
    };
    let mut text = format!("{:?}\n", report.state);
    text.extend(report.segments.iter().chain(&report.edge_types).map(row));
    text
}

#[test]
fn counts_add_up_by_segment_and_by_type() {
    let before = census(&[("supplies", "a", 2), ("supplies", "b", 1)], &[("supplies", 2)]);
    let mut ledger = Ledger::new(before);
    book(&mut ledger, "supplies", "f1 a+b a changed", Cause::TextRemoved);
    book(&mut ledger, "supplies", "f2 a - retracted", Cause::DocumentGone);
    book(&mut ledger, "supplies", "f3 - b added", Cause::NewDocument);
    book(&mut ledger, "supplies", "f4 b b support", Cause::TextAdded);
    let counted = census(&[("supplies", "a", 1), ("supplies", "b", 1)], &[("supplies", 2)]);
    let report = ledger.finish(&Context { counted: Some(&counted), ..context() }).unwrap();
    assert_eq!(
        show(&report),
        "Pass\n\
         supplies in a: 2 +0 -1 ~1 = 1 document_gone text_removed\n\
         supplies in b: 1 +1 -1 ~0 = 1 new_document text_removed\n\
         supplies in *: 2 +1 -1 ~1 = 2 document_gone new_document text_removed\n"
    );
}

#[test]
fn what_does_not_add_up_is_an_error() {
    let mut ledger = Ledger::new(census(&[("supplies", "a", 0)], &[("supplies", 0)]));
    book(&mut ledger, "supplies", "f1 a - retracted", Cause::DocumentGone);
    let imbalance = ledger.finish(&context()).unwrap_err();
    assert_eq!(imbalance.to_string(), "the counts of supplies in a do not add up: 0 + 0 - 1 is not 0");
    let counted = census(&[("supplies", "a", 1)], &[]);
    let context = Context { counted: Some(&counted), ..context() };
    assert_eq!(Ledger::new(Census::default()).finish(&context).unwrap_err().counted, 1);
}

#[test]
fn a_first_run_has_no_baseline_and_no_findings() {
    let mut ledger = Ledger::new(Census::default());
    book(&mut ledger, "supplies", "f1 - a added", Cause::Unexplained);
    let report = ledger.finish(&Context { baseline: None, ..context() }).unwrap();
    assert_eq!((report.state, report.findings.len()), (State::NoBaseline, 0));
}

#[test]
fn the_order_of_changes_does_not_matter_and_keys_are_stable() {
    let report = |order: &[u32]| {
        let mut ledger = Ledger::new(census(&[("uses", "a", 30)], &[("uses", 30)]));
        for nth in order {
            book(&mut ledger, "uses", &format!("f{nth} a - retracted"), Cause::TextRemoved);
        }
        ledger.finish(&context()).unwrap()
    };
    let (up, down): (Vec<u32>, Vec<u32>) = ((0..20).collect(), (0..20).rev().collect());
    assert_eq!(report(&up), report(&down));
    let few = report(&up[..8]);
    assert_eq!(few.findings[0].key, report(&up).findings[0].key);
}

#[test]
fn the_first_cause_that_applies_is_primary() {
    assert_eq!(primary(&BTreeSet::new()), Cause::Unexplained);
    assert_eq!(primary(&BTreeSet::from([Cause::TextAdded, Cause::Curator])), Cause::Curator);
    assert_eq!(primary(&BTreeSet::from([Cause::Unexplained, Cause::FeedRow])), Cause::FeedRow);
}

#[test]
fn the_report_has_a_schema_and_reads_back() {
    let schema = serde_json::to_value(schemars::schema_for!(DriftReport)).unwrap();
    assert!(schema["properties"]["segments"].is_object());
    let mut ledger = Ledger::new(census(&[("uses", "a", 1)], &[("uses", 1)]));
    book(&mut ledger, "uses", "f1 a a revived", Cause::Curator);
    let report = ledger.finish(&context()).unwrap();
    let text = serde_json::to_string(&report).unwrap();
    assert!(text.contains("\"version\":3"), "{text}");
    assert_eq!(serde_json::from_str::<DriftReport>(&text).unwrap(), report);
    let rows: BTreeMap<String, serde_json::Value> =
        serde_json::from_value(serde_json::to_value(&report.segments[0]).unwrap()).unwrap();
    assert_eq!(rows["revived"], 1);
}
