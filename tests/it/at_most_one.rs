//! At most one supplier a component at a time: cases 31 to 40, from contracts to answers.

use crate::world::World;

/// One sentence form, one edge type that takes at most one supplier, three suppliers.
const PARTS: &str = r#"
//- ontology/parts.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject }
words:
  SUPPLY: [supply~]
rules:
- id: supplies.clause
  edge: supplies
  match: "{subject:Supplier} SUPPLY {object:Component+} [from {valid_from:date}] [until {valid_to:date}]"
  examples:
    - text: "ShenzenChip supplies the Flight Control Unit from 17 February 2024."
      finds: "ShenzenChip supplies Flight Control Unit from 2024-02-17"
    - text: "ShenzenChip may supply the Flight Control Unit."
      finds: nothing
//- jobs/parts.yaml
job: parts
ontology: parts
owner: parts-data
sources:
  contracts: { path: contracts }
feeds:
  suppliers:  { path: suppliers.csv, entity: { type: Supplier, key: No, names: Name } }
  components: { path: components.csv, entity: { type: Component, key: No, names: Name } }
//- suppliers.csv
No,Name
S,ShenzenChip Ltd
T,"TechChip, Inc."
U,Ubel GmbH
//- components.csv
No,Name
FCU,Flight Control Unit
"#;

/// S, undated, in a contract of 2023.
const OLD_CONTRACT: &str = "
//- contracts/s.md
Dated: 2023-01-15

ShenzenChip supplies the Flight Control Unit.
";

/// T from 17 February 2024.
const NEWCOMER: &str = "
//- contracts/t.md
Dated: 2024-02-01

TechChip supplies the Flight Control Unit from 17 February 2024.
";

/// T and U from the same day.
const T_FROM_JANUARY: &str = "
//- contracts/t.md
TechChip supplies the Flight Control Unit from 1 January 2024.
";
const U_FROM_JANUARY: &str = "
//- contracts/u.md
Ubel supplies the Flight Control Unit from 1 January 2024.
";

fn parts(documents: &[&str]) -> World {
    World::new(&format!("{PARTS}{}", documents.concat()))
}

/// Answers every question of the quarantine about this subject.
#[track_caller]
fn approve(world: &World, subject: &str) {
    let questions = world.cmd("quarantine --output json").expect_code(0).json();
    let mut answers = String::new();
    for question in questions["questions"].as_array().unwrap() {
        for assertion in question["assertions"].as_array().unwrap() {
            if assertion["subject"] == subject {
                answers += &format!("{{\"question\":{},\"decision\":\"approve\"}}\n", assertion["question"]);
            }
        }
    }
    world.write("answers.jsonl", answers.as_bytes());
    world.cmd("decide answers.jsonl --by curator").expect_code(0);
}

/// `verify` compares the graph with a fold of the same inputs from scratch.
#[track_caller]
fn verify(world: &World) -> String {
    let verified = world.cmd("verify --output json").expect_code(0).json();
    assert_eq!(verified["faults"].to_string(), "[]");
    verified["state_digest"].as_str().unwrap().to_owned()
}

#[test]
fn case_31_a_newcomer_ends_the_incumbent_whose_text_stays() {
    let world = parts(&[OLD_CONTRACT]);
    world.run();
    world.says("S supplies FCU [?, ∞) ×1");
    world.put(NEWCOMER);
    world.run();
    world.says(
        "S supplies FCU [?, 2024-02-17) ×1
         T supplies FCU [2024-02-17, ∞) ×1",
    );
    let why = world.cmd("why S").expect_code(0).stdout;
    assert!(why.contains("start unknown until 2024-02-16 (last day); ended\n"), "{why}");
    assert!(why.contains("ended on 2024-02-17 by: TechChip, Inc. supplies Flight Control Unit\n"), "{why}");
    assert!(why.contains("»ShenzenChip supplies the Flight Control Unit.«"), "{why}");
    for (day, yes, no) in
        [("2024-02-16", "ShenzenChip", "TechChip"), ("2024-02-17", "TechChip", "ShenzenChip")]
    {
        let shown = world.cmd(&format!("show FCU --as-of {day}")).expect_code(0).stdout;
        let now: Vec<&str> = shown.lines().filter(|line| line.contains("(Supplier:")).collect();
        assert_eq!(now.len(), 1, "{shown}");
        assert!(now[0].contains(yes) && !now[0].contains(no), "{shown}");
    }
    verify(&world);
}

#[test]
fn case_32_without_the_newcomer_the_incumbent_is_revived_with_a_warning() {
    let world = parts(&[OLD_CONTRACT, NEWCOMER]);
    world.run();
    world.put("//- remove contracts/t.md");
    let report = world.run();
    world.says("S supplies FCU [?, ∞) ×1");
    let changes: Vec<String> = report["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            let text = |name: &str| change[name].as_str().unwrap().to_owned();
            format!("{} {}: {} {}", text("change"), text("says"), text("cause"), text("detail"))
        })
        .collect();
    assert_eq!(
        changes,
        [
            "revived Supplier:S supplies Component:FCU: document_gone contracts/t.md",
            "retracted Supplier:T supplies Component:FCU: document_gone contracts/t.md"
        ]
    );
    assert_eq!(report["drift"], "warn");
    let findings = world.path(&format!(".edgewright/runs/{}/drift.json", report["run"].as_str().unwrap()));
    let findings = std::fs::read_to_string(findings).unwrap();
    assert!(findings.contains("\"rule\": \"drift-revived\",\n      \"severity\": \"warn\""), "{findings}");
    let history = world.cmd("history S").expect_code(0).stdout;
    assert!(history.contains("revived: ShenzenChip Ltd supplies Flight Control Unit\n"), "{history}");
    // What was known before still says what it said.
    assert_eq!(
        world.graph_with("--known-at 1"),
        "S supplies FCU [?, 2024-02-17) ×1\nT supplies FCU [2024-02-17, ∞) ×1"
    );
    verify(&world);
}

#[test]
fn case_33_the_order_of_arrival_does_not_matter() {
    let later_learned = "
//- contracts/u.md
Ubel supplies the Flight Control Unit from 1 June 2023.
";
    let three = "S supplies FCU [?, 2023-06-01) ×1
                 T supplies FCU [2024-02-17, ∞) ×1
                 U supplies FCU [2023-06-01, 2024-02-17) ×1";
    let mut digests = Vec::new();
    for order in [[OLD_CONTRACT, NEWCOMER, later_learned], [later_learned, NEWCOMER, OLD_CONTRACT]] {
        let world = parts(&[order[0]]);
        world.run();
        for document in &order[1..] {
            world.put(document);
            world.run();
        }
        world.says(three);
        digests.push(verify(&world));
    }
    let at_once = parts(&[OLD_CONTRACT, NEWCOMER, later_learned]);
    at_once.run();
    at_once.says(three);
    digests.push(verify(&at_once));
    digests.dedup();
    assert_eq!(digests.len(), 1, "{digests:?}");
}

#[test]
fn case_34_a_fact_that_is_stated_again_starts_anew() {
    let world = parts(&["
//- contracts/s1.md
ShenzenChip supplies the Flight Control Unit from 1 January 2020.
//- contracts/t.md
TechChip supplies the Flight Control Unit from 1 January 2022.
//- contracts/s2.md
ShenzenChip supplies the Flight Control Unit from 1 January 2024.
"]);
    world.run();
    world.says(
        "S supplies FCU [2020-01-01, 2022-01-01) ×2
         S supplies FCU [2024-01-01, ∞) ×2
         T supplies FCU [2022-01-01, 2024-01-01) ×1",
    );
    let shown = world.cmd("show FCU").expect_code(0).stdout;
    assert!(shown.contains("ShenzenChip Ltd  (Supplier:S)\n    since 2024-01-01; current"), "{shown}");
    assert!(!shown.contains("TechChip"), "{shown}");
    // Each edge rests on its own sentence, not on the fact's other one.
    let shown = world.cmd("show FCU --as-of 2021-06-01").expect_code(0).stdout;
    assert!(shown.contains("since 2020-01-01 until 2021-12-31 (last day)"), "{shown}");
    assert!(shown.contains("ended on 2022-01-01 by: TechChip, Inc. supplies Flight Control Unit"), "{shown}");
    verify(&world);
}

#[test]
fn case_35_the_incumbent_stays_and_a_rebuild_says_the_same() {
    for (first, second, stands, waits) in
        [(T_FROM_JANUARY, U_FROM_JANUARY, "T", "U"), (U_FROM_JANUARY, T_FROM_JANUARY, "U", "T")]
    {
        let world = parts(&[first]);
        world.run();
        world.put(second);
        let report = world.run();
        assert_eq!(report["changes"].to_string(), "[]");
        let settled = format!("{stands} supplies FCU [2024-01-01, ∞) ×1\n? {waits} supplies FCU: conflict");
        world.says(&settled);
        // Both are named.
        let name = |key: &str| if key == "T" { "TechChip, Inc." } else { "Ubel GmbH" };
        let questions = world.cmd("quarantine").expect_code(0).stdout;
        let beside = format!(
            "{} supplies Flight Control Unit? it cannot hold beside: {} supplies Flight Control Unit",
            name(waits),
            name(stands)
        );
        assert!(questions.contains(&beside), "{questions}");
        // A fold from scratch and a store rebuilt from the changelog say the same; so does the next night.
        let digest = verify(&world);
        let rebuilt = world.cmd("replay rebuilt --output json").expect_code(0).json();
        assert_eq!(rebuilt["state_digest"], *digest);
        world.put("//- contracts/none.md\nNothing is said here.\n");
        world.run();
        world.says(&settled);
    }
}

#[test]
fn case_35_the_incumbent_is_remembered_while_the_type_declares_nothing() {
    for (first, second, stands, waits) in
        [(T_FROM_JANUARY, U_FROM_JANUARY, "T", "U"), (U_FROM_JANUARY, T_FROM_JANUARY, "U", "T")]
    {
        let world = parts(&[first]);
        world.run();
        world.put(second);
        world.run();
        world.put(&PARTS.replace(", at_most_one: subject", ""));
        world.run();
        world.says("T supplies FCU [2024-01-01, ∞) ×1\nU supplies FCU [2024-01-01, ∞) ×1");
        verify(&world);
        world.put(PARTS);
        world.run();
        world.says(&format!("{stands} supplies FCU [2024-01-01, ∞) ×1\n? {waits} supplies FCU: conflict"));
        verify(&world);
    }
}

#[test]
fn case_35_without_an_incumbent_every_workspace_decides_alike() {
    let mut digests = Vec::new();
    for order in [[T_FROM_JANUARY, U_FROM_JANUARY], [U_FROM_JANUARY, T_FROM_JANUARY]] {
        let world = parts(&order);
        world.run();
        assert_eq!(world.graph().lines().count(), 2, "{}", world.graph());
        digests.push(verify(&world));
    }
    assert_eq!(digests[0], digests[1]);
    // More distinct documents weigh more.
    for (more, stands, waits) in [("TechChip", "T", "U"), ("Ubel", "U", "T")] {
        let world = parts(&[T_FROM_JANUARY, U_FROM_JANUARY]);
        world.put(&format!(
            "//- contracts/more.md\n{more} supplies the Flight Control Unit from 1 January 2024.\n"
        ));
        world.run();
        world.says(&format!("{stands} supplies FCU [2024-01-01, ∞) ×2\n? {waits} supplies FCU: conflict"));
        // Who stands tonight is the incumbent from now on: when the extra document goes, nothing flips.
        world.put("//- remove contracts/more.md");
        world.run();
        world.says(&format!("{stands} supplies FCU [2024-01-01, ∞) ×1\n? {waits} supplies FCU: conflict"));
        verify(&world);
    }
}

#[test]
fn case_36_a_stated_end_is_not_overruled() {
    let stated = "
//- contracts/s.md
ShenzenChip supplies the Flight Control Unit until 31 December 2024.
";
    for first in [stated, NEWCOMER] {
        let world = parts(&[first]);
        // Who was there first does not matter if both arrive together; else the incumbent stays.
        world.put(stated);
        world.put(NEWCOMER);
        world.run();
        world.says(
            "S supplies FCU [?, 2025-01-01) ×1
             ? T supplies FCU: conflict",
        );
        verify(&world);
    }
    let world = parts(&[stated]);
    world.run();
    world.put(NEWCOMER);
    world.run();
    world.says(
        "S supplies FCU [?, 2025-01-01) ×1
         ? T supplies FCU: conflict",
    );
    // A newcomer after the stated end is none: it shares no day.
    world.put("//- contracts/t.md\nTechChip supplies the Flight Control Unit from 1 January 2025.\n");
    world.run();
    world.says(
        "S supplies FCU [?, 2025-01-01) ×1
         T supplies FCU [2025-01-01, ∞) ×1",
    );
    verify(&world);
}

#[test]
fn case_37_an_undated_newcomer_ends_nobody_silently() {
    let world = parts(&["
//- contracts/s.md
ShenzenChip supplies the Flight Control Unit from 1 January 2020.
"]);
    world.run();
    world.put(
        "
//- contracts/t.md
Dated: 2024-05-01

TechChip supplies the Flight Control Unit.
",
    );
    let report = world.run();
    assert_eq!(report["changes"].to_string(), "[]");
    world.says(
        "S supplies FCU [2020-01-01, ∞) ×1
         ? T supplies FCU: conflict",
    );
    verify(&world);
}

#[test]
fn case_37_a_fact_that_stood_is_not_displaced_by_restating_another() {
    // S, undated, and T from 2025 stand side by side: S's contract is older than T's start.
    let world = parts(&["
//- contracts/s.md
Dated: 2024-06-01

ShenzenChip supplies the Flight Control Unit.
//- contracts/t.md
TechChip supplies the Flight Control Unit from 1 January 2025.
"]);
    world.run();
    let standing = "S supplies FCU [?, 2025-01-01) ×1
                    T supplies FCU [2025-01-01, ∞) ×1";
    world.says(standing);
    // Another document moves T's start before S's contract: a conflict, and S stood last night.
    world.put("//- contracts/t2.md\nTechChip supplies the Flight Control Unit from 1 January 2024.\n");
    world.run();
    world.says(&format!("{standing}\n? T supplies FCU: conflict"));
    verify(&world);
    // The next night nothing has changed, so nothing changes.
    world.put("//- contracts/none.md\nNothing is said here.\n");
    world.run();
    world.says(&format!("{standing}\n? T supplies FCU: conflict"));
}

#[test]
fn case_38_a_bounded_newcomer_leaves_a_gap_that_is_reported() {
    let world = parts(&[OLD_CONTRACT]);
    world.run();
    world.put(
        "
//- contracts/t.md
TechChip supplies the Flight Control Unit from 17 February 2024 until 31 May 2024.
",
    );
    let report = world.run();
    world.says(
        "S supplies FCU [?, 2024-02-17) ×1
         T supplies FCU [2024-02-17, 2024-06-01) ×1",
    );
    assert_eq!(
        report["gaps"].to_string(),
        r#"["supplies: nobody for Flight Control Unit (Component:FCU) from 2024-06-01"]"#
    );
    let text = world.cmd("show FCU").expect_code(0).stdout;
    assert!(!text.contains("(Supplier:"), "{text}");
    verify(&world);
}

#[test]
fn case_39_the_approved_loser_becomes_the_incumbent() {
    let world = parts(&[T_FROM_JANUARY]);
    world.run();
    world.put(U_FROM_JANUARY);
    world.run();
    let before = verify(&world);
    approve(&world, "Supplier:U");
    let report = world.run();
    let flipped = "U supplies FCU [2024-01-01, ∞) ×1
                   ? T supplies FCU: conflict";
    world.says(flipped);
    for change in report["changes"].as_array().unwrap() {
        assert_eq!(change["cause"], "curator", "{change}");
    }
    verify(&world);
    // It stays so on the nights that follow.
    world.put("//- contracts/none.md\nNothing is said here.\n");
    world.run();
    world.says(flipped);
    world.put("//- remove contracts/none.md");
    // Taking the answer back gives the state before.
    world.cmd("decide --undo 1 --by curator").expect_code(0);
    world.run();
    world.says(
        "T supplies FCU [2024-01-01, ∞) ×1
         ? U supplies FCU: conflict",
    );
    assert_eq!(verify(&world), before);
}

#[test]
fn case_40_a_type_that_declares_nothing_ends_nothing() {
    let world = World::new(&format!(
        "{}{OLD_CONTRACT}{NEWCOMER}{U_FROM_JANUARY}",
        PARTS.replace(", at_most_one: subject", "")
    ));
    let report = world.run();
    world.says(
        "S supplies FCU [?, ∞) ×1
         T supplies FCU [2024-02-17, ∞) ×1
         U supplies FCU [2024-01-01, ∞) ×1",
    );
    assert_eq!(report["gaps"].to_string(), "[]");
    verify(&world);
}

#[test]
fn what_an_amended_contract_no_longer_says_is_as_old_as_the_version_that_said_it() {
    let amended =
        PARTS.replace("{ path: contracts }", "{ path: contracts, effective: Effective, edits: amend }");
    let world = World::new(&format!(
        "{amended}
//- contracts/s.md
Effective: 2024-01-01

ShenzenChip supplies the Flight Control Unit.
"
    ));
    world.run();
    world.says("S supplies FCU [?, ∞) ×1");
    world.put(
        "//- contracts/s.md
Effective: 2024-06-01

ShenzenChip rests.
//- contracts/t.md
TechChip supplies the Flight Control Unit from 17 February 2024.
",
    );
    world.run();
    world.says("S supplies FCU [?, 2024-02-17) ×1\nT supplies FCU [2024-02-17, ∞) ×1");
    world.cmd("verify").expect_code(0);
}
