//! The spread's tests: past nights in, how wide their counts spread and what tonight looks like out.

use super::guards::Night;
use super::segment;
use crate::drift::*;
use crate::model::gates::GateBook;

/// Documents of ten edges each that say so many of so many edges, spread over them evenly.
fn read_again(source: &str, before: u64, after: u64) -> String {
    let documents = before.div_ceil(10);
    let (mut rest, mut now, mut text) = (before, after, String::new());
    for nth in 0..documents {
        let (had, has) = (rest.div_ceil(documents - nth), now.div_ceil(documents - nth));
        text += &format!("doc {source} d{nth}.md uses {had} {has} {}\n", had.min(has));
        (rest, now) = (rest - had, now - has);
    }
    text
}

fn night(before: u64, after: u64) -> Night {
    Night::of(&format!("had uses@a 9000\n{}", read_again("a", before, after)))
}

fn past(before: u64, after: u64, nights: usize) -> Vec<DriftReport> {
    vec![night(before, after).report(&GateBook::none()); nights]
}

/// The report of tonight, with what past nights teach.
fn judged(mut night: Night, past: &[DriftReport]) -> DriftReport {
    let of = |segment: Segment| {
        let spread = spread(&segment, past);
        (segment, spread)
    };
    let far = far_apart(&night.observed.cohort, &GateBook::none());
    night.observed.spread = far.into_iter().map(of).collect();
    night.report(&GateBook::none())
}

/// What tonight's guard of the same documents finds, with what past nights teach: `Fail 200->120 …`.
fn tonight(night: Night, past: &[DriftReport]) -> String {
    let report = judged(night, past);
    let found = report.findings.iter().filter(|finding| finding.rule == "drift-same-documents");
    let line = |finding: &Finding| {
        let says = finding.says.clone().unwrap_or_default();
        let spread = says.split_once("stands").map_or(String::new(), |(_, spread)| spread.to_owned());
        format!("{:?} {}->{}{spread}", finding.severity, finding.before, finding.after)
    };
    found.map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_spread_is_that_of_the_last_twenty_nights_and_one_until_there_are_five() {
    let uses = segment("uses", "a");
    // Without the document that changed most: 18² / 162, and 27² / 153.
    let of = |nights: &[DriftReport]| format!("{:.2}", spread(&uses, nights));
    assert_eq!(of(&[]), "1.00");
    assert_eq!(of(&past(100, 80, 4)), "1.00");
    assert_eq!(of(&past(100, 80, 5)), "2.00");
    assert_eq!(of(&[past(100, 100, 5), past(100, 70, 5)].concat()), "2.38");
    assert_eq!(of(&[past(100, 80, 20), past(100, 100, 30)].concat()), "2.00", "older nights are past");
    assert_eq!(of(&[past(100, 70, 10), past(100, 100, 30)].concat()), "2.38");
    assert_eq!(of(&[past(19, 10, 30), past(100, 80, 4)].concat()), "1.00", "too few edges to learn from");
    assert_eq!(of(&past(100, 98, 20)), "1.00", "no night is narrower than chance");
    assert_eq!(of(&past(100, 68, 20)), "4.00", "and none counts as wider than four");
    assert_eq!(spread(&segment("*", "a"), &past(100, 80, 5)), spread(&uses, &past(100, 80, 5)));
    assert_eq!(spread(&segment("uses", "b"), &past(100, 80, 5)), 1.0, "each segment has its own");
}

#[test]
fn small_sources_spread_together() {
    let small = || -> String { ["a", "b", "c"].map(|source| read_again(source, 15, 10)).concat() };
    let nights = vec![Night::of(&small()).report(&GateBook::none()); 5];
    let together = format!("{:.2}", spread(&segment("*", "small sources"), &nights));
    assert_eq!(together, "2.32", "15² / 75 were 3, and 12² / 62 are without a document that changed most");
    assert_eq!(spread(&segment("*", "a"), &nights), 1.0);
}

#[test]
fn nights_that_were_held_or_told_of_teach_nothing() {
    let uses = segment("uses", "a");
    let held = past(200, 120, 20);
    assert!(held[0].holds);
    assert_eq!(spread(&uses, &held), 1.0);
    let grown = past(100, 180, 20);
    assert_eq!(grown[0].state, State::Warn);
    assert_eq!(spread(&uses, &grown), 1.0);
    // What was told of another source, or edge type, is another matter.
    let other = |told: &str| -> f64 {
        let text = format!("had {told} 100\n lost {told} 9 text_removed\n{}", read_again("a", 100, 80));
        let night = Night::of(&text).report(&GateBook::none());
        assert_eq!(night.state, State::Warn);
        spread(&uses, &vec![night; 5])
    };
    assert_eq!((other("uses@a"), other("makes@a"), other("makes@b") > 1.9), (1.0, 1.0, true));
    // What only past nights allowed is no ordinary night either.
    let noted = judged(night(200, 120), &past(100, 80, 5));
    assert_eq!((noted.state, noted.holds), (State::Pass, false));
    assert_eq!(noted.findings[0].rule, "drift-same-documents");
    assert_eq!(spread(&uses, &vec![noted; 20]), 1.0);
}

#[test]
fn one_document_teaches_nothing() {
    let uses = segment("uses", "a");
    let others = read_again("a", 200, 200);
    let table = Night::of(&format!("had uses@a 9000\n doc a table.md uses 400 0 0\n{others}"));
    let report = table.report(&GateBook::none());
    let row = report.compared.iter().find(|row| row.segment == uses).unwrap();
    assert_eq!((row.before, row.after, row.most_before, row.most_after), (600, 200, 400, 0));
    assert_eq!((report.state, spread(&uses, &vec![report; 20])), (State::Pass, 1.0));
    // Nor does one that makes up for what the others lost.
    let lost = read_again("a", 200, 160);
    let table = Night::of(&format!("had uses@a 9000\n doc a table.md uses 0 40 0\n{lost}"));
    let report = table.report(&GateBook::none());
    assert_eq!((report.state, spread(&uses, &vec![report; 20])), (State::Pass, 1.0));
}

#[test]
fn a_corpus_that_moves_more_than_by_chance_each_night_is_not_held_for_it_once_that_is_known() {
    let of = |before: u64, after: u64, past: &[DriftReport]| tonight(night(before, after), past);
    assert_eq!(of(200, 120, &[]), "Fail 200->120", "4.5 standard deviations of chance");
    assert_eq!(of(200, 120, &past(100, 80, 4)), "Fail 200->120");
    let says = "; past nights spread 2.0 times as wide as chance, which is allowed for";
    assert_eq!(of(200, 120, &past(100, 80, 5)), format!("Info 200->120{says}"));
    assert_eq!(of(100, 180, &past(100, 80, 5)), format!("Info 100->180{says}"), "nor warned of");
    assert_eq!(
        of(200, 120, &past(200, 120, 20)),
        "Fail 200->120",
        "incidents do not make the next one ordinary"
    );
    // However wide past nights spread, what is gone is gone.
    let wild = past(100, 68, 20);
    let says = "; past nights spread 4.0 times as wide as chance, which is allowed for";
    assert_eq!(of(200, 120, &wild), format!("Info 200->120{says}"));
    assert_eq!(of(40, 4, &wild), format!("Fail 40->4{says}"));
    assert!([20, 40, 400].iter().all(|before| judged(night(*before, 0), &wild).holds), "all is gone");
    assert_eq!(of(2_000, 1_200, &wild), format!("Fail 2000->1200{says}"));
    assert_eq!(of(200, 90, &wild), format!("Fail 200->90{says}"), "more than half is gone");
}

#[test]
fn past_nights_are_asked_only_about_what_looks_wrong() {
    let of = |before: u64, after: u64, gates: &GateBook| -> Vec<String> {
        let far = far_apart(&night(before, after).observed.cohort, gates);
        far.iter().map(ToString::to_string).collect()
    };
    let none = GateBook::none();
    assert_eq!(of(200, 120, &none), ["* in a", "uses in a"]);
    assert_eq!(of(200, 160, &none), [] as [&str; 0]);
    assert_eq!(of(2_000, 1_600, &none), [] as [&str; 0], "a fifth is within the limit");
}
