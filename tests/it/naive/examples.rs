//! The worked cases, by number, put to the second reading itself: sentences in, graph out.

use std::collections::{BTreeMap, BTreeSet};

use super::calendar::Day;
use super::fold::fold;
use super::world::{Answer, Attestation, Claim, Decision, Fact, Graph, Inputs, Kind, Origin, Says, Stated};

/// Reads one line of an example: `document [dated DATE] [for CONTRACT] [left DATE] : SUBJECT kind OBJECT
/// [rule] [ends] [from DATE|MONTH|YEAR] [to DATE]`. An end is the first day that no longer counts.
fn read(line: &str, occurrence: usize) -> Attestation {
    let (place, said) = line.split_once(" : ").unwrap();
    let place: Vec<&str> = place.split(' ').collect();
    let words: Vec<&str> = said.split(' ').collect();
    let kind = ["supplies", "makes", "supersedes", "audited", "stocks"]
        .into_iter()
        .find(|kind| *kind == words[1])
        .unwrap();
    let after = |list: &[&str], word: &str| {
        list.iter().position(|any| *any == word).map(|at| list[at + 1].to_owned())
    };
    let fact = Fact { subject: words[0].to_owned(), kind, object: words[2].to_owned() };
    let claim = Claim {
        rule: if words.contains(&"rumour") { "rumour" } else { "plain" },
        fact,
        says: if words.contains(&"ends") { Says::Ends } else { Says::Holds },
        from: after(&words, "from").map(|text| stated(&text)),
        to: after(&words, "to").map(|text| Day::iso(&text)),
    };
    Attestation {
        origin: match place[0] {
            "@confirms" => Origin::Row("confirms"),
            "@decides" => Origin::Row("decides"),
            path => Origin::Document(path.to_owned()),
        },
        quote: said.to_owned(),
        occurrence,
        asked: claim.fact.clone(),
        claim,
        dated: after(&place, "dated").map(|text| Day::iso(&text)),
        stands_for: after(&place, "for"),
        left: after(&place, "left").map(|text| Day::iso(&text)),
    }
}

/// A day, a month or a year.
fn stated(text: &str) -> Stated {
    let parts: Vec<i32> = text.split('-').map(|part| part.parse().unwrap()).collect();
    match parts[..] {
        [year] => Stated { first: Day::new(year, 1, 1), next: Day::new(year + 1, 1, 1) },
        [year, 12] => Stated { first: Day::new(year, 12, 1), next: Day::new(year + 1, 1, 1) },
        [year, month] => Stated { first: Day::new(year, month, 1), next: Day::new(year, month + 1, 1) },
        _ => Stated::day(Day::iso(text)),
    }
}

fn inputs(lines: &[&str]) -> Inputs {
    let plain = Kind { at_most_one: false, ends_object: false, review: false, threshold: 80 };
    let attestations = lines
        .iter()
        .enumerate()
        .map(|(at, line)| read(line, lines[..at].iter().filter(|earlier| *earlier == line).count()));
    Inputs {
        attestations: attestations.collect(),
        entities: ["S", "T", "U", "C", "A1", "A2", "A3"].map(str::to_owned).into(),
        kinds: BTreeMap::from([
            ("supplies", Kind { at_most_one: true, ..plain }),
            ("stocks", Kind { at_most_one: true, ..plain }),
            ("makes", plain),
            ("audited", Kind { review: true, ..plain }),
            ("supersedes", Kind { ends_object: true, ..plain }),
        ]),
        confidence: BTreeMap::from([("plain", 95), ("rumour", 60)]),
        deciding: BTreeSet::from(["decides"]),
        ..Inputs::default()
    }
}

/// Everything that the graph says, a line each; what waits is marked `!`, a waiting end `~`.
fn told(graph: &Graph) -> Vec<String> {
    let mut lines = graph.edges.clone();
    lines.extend(graph.quarantine.iter().map(|line| format!("! {line}")));
    lines.extend(graph.pending.iter().map(|line| format!("~ {line}")));
    lines
}

#[track_caller]
fn check(lines: &[&str], expected: &[&str]) {
    assert_eq!(told(&fold(&inputs(lines))), expected);
}

/// Folds night by night, each time with what stood the night before and was logged.
#[track_caller]
fn check_nights(nights: &[&[&str]], expected: &[&str]) {
    let mut last = Graph::default();
    for lines in nights {
        let mut tonight = inputs(lines);
        (tonight.stood, tonight.incumbents) = (last.stood, last.incumbents);
        last = fold(&tonight);
    }
    assert_eq!(told(&last), expected);
}

#[test]
fn cases_1_to_6_stated_dates() {
    check(&["n : T makes C from 2024-02-17"], &["T makes C [2024-02-17, ∞) x1"]);
    check(&["n : S makes C to 2024-02-17"], &["S makes C [?, 2024-02-17) x1"]);
    check(
        &["n : S makes C from 2022-01-01 to 2023-01-01", "m : S makes C from 2024-01-01"],
        &["S makes C [2022-01-01, 2023-01-01) x1", "S makes C [2024-01-01, ∞) x1"],
    );
    check(
        &["n : S makes C from 2024-01-01 to 2024-02-01", "m : S makes C from 2024-02-01"],
        &["S makes C [2024-01-01, ∞) x2"],
    );
    check(
        &["n : S makes C from 2022-01-01 to 2024-01-01", "m : S makes C from 2023-01-01 to 2025-01-01"],
        &["S makes C [2022-01-01, 2025-01-01) x2"],
    );
    check(
        &["n : S makes C from 2024-02-01 to 2024-02-01"],
        &["! interval-empty | n | S makes C from 2024-02-01 to 2024-02-01"],
    );
}

#[test]
fn cases_15_and_16_missing_and_coarse_bounds_join() {
    check(&["n : T makes C", "m : T makes C from 2024-02-17"], &["T makes C [2024-02-17, ∞) x2"]);
    check(&["n : T makes C"], &["T makes C [?, ∞) x1"]);
    check(
        &["n : T makes C from 2024 to 2025-01-01", "m : T makes C from 2024-03-05"],
        &["T makes C [2024-03-05, ∞) x2"],
    );
    check(&["n : T makes C from 2024 to 2025-01-01"], &["T makes C [2024-01-01, 2025-01-01) x1"]);
}

#[test]
fn case_24_one_sentence_twice() {
    check(&["n : S makes C", "n : S makes C"], &["S makes C [?, ∞) x2"]);
}

#[test]
fn cases_31_to_34_newcomers() {
    let contract = "k dated 2023-01-01 : S supplies C";
    let newcomer = "n : T supplies C from 2024-02-17";
    check(&[contract, newcomer], &["S supplies C [?, 2024-02-17) x1", "T supplies C [2024-02-17, ∞) x1"]);
    check(&[contract], &["S supplies C [?, ∞) x1"]);
    check(
        &[contract, newcomer, "m : U supplies C from 2023-06-01"],
        &[
            "S supplies C [?, 2023-06-01) x1",
            "T supplies C [2024-02-17, ∞) x1",
            "U supplies C [2023-06-01, 2024-02-17) x1",
        ],
    );
    check(
        &[
            "a : S supplies C from 2020-01-01",
            "b : T supplies C from 2022-01-01",
            "c : S supplies C from 2024-01-01",
        ],
        &[
            "S supplies C [2020-01-01, 2022-01-01) x1",
            "S supplies C [2024-01-01, ∞) x1",
            "T supplies C [2022-01-01, 2024-01-01) x1",
        ],
    );
}

#[test]
fn cases_35_to_40_conflicts() {
    let (t, u) = ("a : T supplies C from 2024-01-01", "b : U supplies C from 2024-01-01");
    let t_stands = ["T supplies C [2024-01-01, ∞) x1", "! conflict | b | U supplies C from 2024-01-01"];
    check_nights(&[&[t], &[t, u]], &t_stands);
    check_nights(&[&[t], &[t, u], &[t, u, "c : U supplies C"]], &t_stands_with_undated());
    check_nights(
        &[&[u], &[t, u]],
        &["U supplies C [2024-01-01, ∞) x1", "! conflict | a | T supplies C from 2024-01-01"],
    );
    check_nights(
        &[
            &["a : S supplies C to 2025-01-01"],
            &["a : S supplies C to 2025-01-01", "b : T supplies C from 2024-02-17"],
        ],
        &["S supplies C [?, 2025-01-01) x1", "! conflict | b | T supplies C from 2024-02-17"],
    );
    check_nights(
        &[&["a : S supplies C from 2020-01-01"], &["a : S supplies C from 2020-01-01", "b : T supplies C"]],
        &["S supplies C [2020-01-01, ∞) x1", "! conflict | b | T supplies C"],
    );
    check(
        &["a dated 2023-01-01 : S supplies C", "b : T supplies C from 2024-02-17 to 2024-06-01"],
        &["S supplies C [?, 2024-02-17) x1", "T supplies C [2024-02-17, 2024-06-01) x1"],
    );
    check(
        &["a : S makes C from 2020-01-01", "b : T makes C from 2024-02-17"],
        &["S makes C [2020-01-01, ∞) x1", "T makes C [2024-02-17, ∞) x1"],
    );
}

/// What joins a fact that waits cannot stand by itself either.
fn t_stands_with_undated() -> [&'static str; 3] {
    [
        "T supplies C [2024-01-01, ∞) x1",
        "! conflict | b | U supplies C from 2024-01-01",
        "! conflict | c | U supplies C",
    ]
}

#[test]
fn case_39_the_approved_loser_stands() {
    let (t, u) = ("a : T supplies C from 2024-01-01", "b : U supplies C from 2024-01-01");
    let before = fold(&inputs(&[t]));
    let mut tonight = inputs(&[t, u]);
    (tonight.stood, tonight.incumbents) = (before.stood, before.incumbents);
    tonight.decisions.push(Decision {
        number: 1,
        fact: Fact { subject: "U".to_owned(), kind: "supplies", object: "C".to_owned() },
        document: "b".to_owned(),
        quote: "U supplies C from 2024-01-01".to_owned(),
        answer: Answer::Approve,
    });
    let expected = ["U supplies C [2024-01-01, ∞) x1", "! conflict | a | T supplies C from 2024-01-01"];
    assert_eq!(told(&fold(&tonight)), expected);
}

#[test]
fn cases_41_to_46_superseding() {
    let old = "k for A1 : S makes C";
    check(
        &[old, "x for A2 : A2 supersedes A1 from 2024-01-01"],
        &["A2 supersedes A1 [2024-01-01, ∞) x1", "S makes C [?, 2024-01-01) x1"],
    );
    check(
        &[old, "n : S makes C from 2023-01-01", "x for A2 : A2 supersedes A1 from 2024-01-01"],
        &["A2 supersedes A1 [2024-01-01, ∞) x1", "S makes C [2023-01-01, ∞) x2"],
    );
    check(
        &[
            old,
            "x for A2 : A2 supersedes A1 from 2024-01-01",
            "x for A2 : T makes C",
            "y for A3 : A3 supersedes A2 from 2025-01-01",
        ],
        &[
            "A2 supersedes A1 [2024-01-01, ∞) x1",
            "A3 supersedes A2 [2025-01-01, ∞) x1",
            "S makes C [?, 2024-01-01) x1",
            "T makes C [?, 2025-01-01) x1",
        ],
    );
    check(
        &["x : A1 supersedes A2 from 2024-01-01", "y : A2 supersedes A1 from 2025-01-01"],
        &["A1 supersedes A2 [2024-01-01, ∞) x1", "! cycle | y | A2 supersedes A1 from 2025-01-01"],
    );
    check(&[old, "x : A2 supersedes A1"], &["S makes C [?, ∞) x1", "! date-missing | x | A2 supersedes A1"]);
}

#[test]
fn cases_48_and_49_denials() {
    let end = "e : S makes C ends to 2024-02-17";
    check(&["n : S makes C", end], &["S makes C [?, 2024-02-17) x1"]);
    check(&["n : S makes C from 2020-01-01", end], &["S makes C [2020-01-01, 2024-02-17) x1"]);
    check(&[end], &["~ S makes C | e | S makes C ends to 2024-02-17"]);
}

#[test]
fn case_27_amended_text_ends() {
    check(&["n left 2024-06-01 : S makes C from 2020-01-01"], &["S makes C [2020-01-01, 2024-06-01) x1"]);
}

#[test]
fn cases_59_and_60_master_data() {
    check(
        &["@decides : S stocks C from 2023-01-01", "n : T stocks C"],
        &["S stocks C [2023-01-01, ∞) x1", "! contradicts-master | n | T stocks C"],
    );
    check(
        &["@confirms : S makes C from 2023-01-01", "n : S makes C rumour"],
        &["S makes C [2023-01-01, ∞) x2"],
    );
    check(&["n : S makes C rumour"], &["! confidence-low | n | S makes C rumour"]);
    check(&["n : S audited C"], &["! review-required | n | S audited C"]);
    check(&["n : X makes C"], &["! endpoint-unknown | n | X makes C"]);
}
