//! Edits by hand: each one takes effect at once, lives by its evidence, and leaves no trace when it is undone.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests copy and read workspaces")]

use std::fs;

use serde_json::Value;

use crate::world::{Output, World};

/// One supplier a component at a time; parts of parts without circles; events that affect suppliers.
const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
  RiskEvent: { system_of_record: events, on_unknown: drop }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject, properties: { lead_time: duration } }
  holds:    { subject: Component, object: Component, acyclic: true }
  affects:  { subject: RiskEvent, object: Supplier }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [(from|since) {valid_from:date}] [until {valid_to:date}]"
- id: supply.end
  edge: supplies
  asserts: end
  match: "{subject:Supplier} ceased to supply {object:Component+} on {valid_to:date}"
- id: affected
  edge: affects
  match: "{subject:RiskEvent} hits {object:Supplier+} [since {valid_from:date}]"
- id: bulletin
  edge: affects
  subject: self
  mentions: { object: Supplier }
  in: { heading: [Affected suppliers] }
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  letters: { path: letters, include: ["**/*.md"] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
  events:     { path: events.csv,     entity: { type: RiskEvent, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
S3,Rubberworks Ltd
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Brake Pad
C4,Door Seal
//- events.csv
Id,Name
E1,Harbor strike
//- letters/a.md
# Letter

TechChip supplies the Radio Module since 1 March 2024.

Voltanix supplies the Main Board since 1 March 2024.
//- letters/b.md
Orion Systems supplies the Brake Pad since 1 May 2024.
//- letters/c.md
Rubberworks supplies the Door Seal since 1 May 2024 until 31 December 2026.
"#;

/// What the graph of the fixture says.
const BEFORE: &str = "
    S1 supplies C1 [2024-03-01, ∞) ×1
    S2 supplies C2 [2024-03-01, ∞) ×1
    S3 supplies C4 [2024-05-01, 2027-01-01) ×1
    ? Orion Systems supplies C3: endpoint-unknown";

/// Who, why and where it was decided.
const WORD: &str = "--reason 'the board wants it' --ticket CHG-7 --by Ada";

fn world() -> World {
    let world = World::new(FIXTURE);
    world.run();
    world.says(BEFORE);
    world
}

#[test]
fn an_edit_that_makes_a_name_ambiguous_says_so_and_what_it_sends_to_quarantine() {
    let world = world();
    let line = format!("edit add-entity Supplier S9 --name 'Voltanix GmbH' {WORD}");
    let warned =
        "edit add-entity: names: warning[edit-name-shared]: `Voltanix GmbH` is a name of Supplier:S2 already";
    let waits = "came into quarantine: endpoint-ambiguous 1
  Voltanix supplies Main Board, from 2024-03-01
    letters/a.md:5: »Voltanix supplies the Main Board since 1 March 2024.«
    rule supply, confidence 0.95
    endpoint-ambiguous: \"Voltanix\" may be Voltanix GmbH (Supplier:S2) or Voltanix GmbH (Supplier:S9)
";
    let dry = world.cmd(&format!("{line} --dry-run")).expect_code(0).stdout;
    assert!(dry.contains(warned) && dry.contains(&waits.replace("came", "would come")), "{dry}");
    world.says(BEFORE);
    let done = world.cmd(&line).expect_code(0).stdout;
    assert!(done.contains(warned) && done.contains(waits), "{done}");
    // Another type is told apart by the slot: it is said all the same, and nothing waits.
    let done = world.cmd(&format!("edit add-entity Component C9 --name 'techchip inc' {WORD}")).stdout;
    assert!(done.contains("`techchip inc` is a name of Supplier:S1 already"), "{done}");
    assert!(!done.contains("came into quarantine"), "{done}");
    // In one file of edits the second is told of the first; a name that is nobody's any more is free.
    world.put(
        "//- changes.jsonl
        {\"edit\":\"add-entity\",\"type\":\"Supplier\",\"key\":\"S11\",\"names\":[\"Newco\"],\"reason\":\"r\",\"ticket\":\"t\"}
        {\"edit\":\"add-entity\",\"type\":\"Supplier\",\"key\":\"S12\",\"names\":[\"NEWCO\"],\"reason\":\"r\",\"ticket\":\"t\"}
        {\"edit\":\"remove-entity\",\"entity\":\"S3\",\"reason\":\"r\",\"ticket\":\"t\"}
        {\"edit\":\"add-entity\",\"type\":\"Supplier\",\"key\":\"S13\",\"names\":[\"Rubberworks Ltd\"],\"reason\":\"r\",\"ticket\":\"t\"}",
    );
    let report = world.cmd("edit apply changes.jsonl --output json").expect_code(0).json();
    let warned: Vec<&str> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["code"] == "edit-name-shared")
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(warned, ["`NEWCO` is a name of Supplier:S11 already"]);
    world.cmd("verify").expect_code(0);
}

#[test]
fn the_status_tells_the_last_change_by_hand_until_a_run_follows_it() {
    let mut world = world();
    assert!(!world.cmd("status").stdout.contains("by hand"));
    world.today = "2026-06-02".to_owned();
    world.cmd(&format!("edit remove-entity S3 {WORD}")).expect_code(0);
    let status = world.cmd("status").expect_code(0).stdout;
    let (_, told) = status.split_once("\nchanged by hand since, ").unwrap();
    let (_, told) = told.split_once(", ").unwrap();
    assert_eq!(
        told,
        "began 2026-06-02T12:00:00Z
  published generation 2
  removes Supplier:S3: its edges are retracted, its names stay linked
"
    );
    assert!(!world.cmd("status --access none").stdout.contains("S3"));
    world.today = "2026-06-03".to_owned();
    world.put("//- letters/c.md\nNothing is said here.");
    world.run();
    assert!(!world.cmd("status").stdout.contains("by hand"));
    let change = world.cmd("status --output json").json()["last_change"].clone();
    assert_eq!(change["started_at"], "2026-06-02T12:00:00Z");
}

/// Carries an edit out, and says what it did.
#[track_caller]
fn edit(world: &World, what: &str) -> Value {
    world.cmd(&format!("edit {what} {WORD} --output json")).expect_code(0).json()
}

/// The graph with this line in place of that one, or beside the others.
fn with(instead_of: &str, line: &str) -> String {
    assert!(BEFORE.contains(instead_of));
    format!(
        "{}\n{line}",
        if instead_of.is_empty() { BEFORE.to_owned() } else { BEFORE.replace(instead_of, "") }
    )
}

/// The store is sound, a replay gives the same digests, and a run has nothing to do.
#[track_caller]
fn holds_good(world: &World) -> (String, String) {
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    let verified = world.cmd("verify --output json").expect_code(0).json();
    assert_eq!(verified["faults"], Value::Array(Vec::new()));
    let copy = World::new("");
    let line = format!("replay '{}' --output json", copy.path("copy").display());
    let replayed = world.cmd(&line).expect_code(0).json();
    let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
    let digests = (text(&verified, "state_digest"), text(&verified, "history_digest"));
    assert_eq!(digests, (text(&replayed, "state_digest"), text(&replayed, "history_digest")));
    digests
}

fn state(world: &World) -> String {
    holds_good(world).0
}

/// `added S1 supplies C1: curator edit 1 by Ada (CHG-7): …` of each change of a report.
fn changes(report: &Value) -> Vec<String> {
    let plain =
        |text: &str| text.replace("Supplier:", "").replace("Component:", "").replace("RiskEvent:", "");
    let text = |change: &Value, name: &str| change[name].as_str().unwrap().to_owned();
    let changes = report["changes"].as_array().unwrap().iter();
    changes
        .map(|one| {
            let (change, says) = (text(one, "change"), plain(&text(one, "says")));
            format!("{change} {says}: {} {}", text(one, "cause"), text(one, "detail"))
        })
        .collect()
}

#[test]
fn an_entity_added_by_hand_is_found_in_the_texts_that_name_it_at_once() {
    let world = world();
    let report = edit(&world, "add-entity Supplier S9 --name 'Orion Systems' --property city=Lund");
    world.says(&with("? Orion Systems supplies C3: endpoint-unknown", "S9 supplies C3 [2024-05-01, ∞) ×1"));
    assert_eq!(World::work(&report), ["letters/b.md:1 name changed"]);
    assert_eq!(report["edits"][0]["does"], "adds Supplier:S9 (\"Orion Systems\")");
    assert_eq!(changes(&report), ["added S9 supplies C3: curator letters/b.md:1"]);
    let shown = world.cmd("show 'Orion Systems'").expect_code(0).stdout;
    assert!(shown.contains("city: Lund") && shown.contains("edit 1"), "{shown}");
    holds_good(&world);
    // A new text that names it is linked like any other.
    world.put("//- letters/d.md\nOrion Systems supplies the Main Board until 1 January 2020.");
    world.run();
    assert!(world.graph().contains("S9 supplies C2 [?, 2020-01-02) ×1"), "{}", world.graph());
}

#[test]
fn an_entity_removed_by_hand_takes_its_edges_along_and_its_names_stay_linked() {
    let world = world();
    let before = state(&world);
    let report = edit(&world, "remove-entity 'TechChip Inc'");
    world.says(&with("S1 supplies C1 [2024-03-01, ∞) ×1", "? S1 supplies C1: endpoint-unknown"));
    assert_eq!(report["work"]["extracted"], 0, "its names stay linked");
    assert_eq!(
        changes(&report),
        ["retracted S1 supplies C1: curator edit 1 by Ada (CHG-7): the board wants it"]
    );
    assert!(world.cmd("show S1 --state all").expect_code(0).stdout.contains("removed by hand"));
    holds_good(&world);
    // Its source goes on holding it, and that does not bring it back; undoing the edit does.
    world.put("//- suppliers.csv\nId,Name\nS1,TechChip AG\nS2,Voltanix GmbH\nS3,Rubberworks Ltd\n");
    world.run();
    assert!(world.graph().contains("? S1 supplies C1: endpoint-unknown"), "{}", world.graph());
    world.put("//- suppliers.csv\nId,Name\nS1,TechChip Inc\nS2,Voltanix GmbH\nS3,Rubberworks Ltd\n");
    world.run();
    edit(&world, "undo 1");
    world.says(BEFORE);
    assert_eq!(state(&world), before);
}

#[test]
fn what_is_still_said_of_who_is_gone_is_one_group_and_no_unknown_name() {
    let world = world();
    edit(&world, "remove-entity 'TechChip Inc'");
    world.put("//- suppliers.csv\nId,Name\nS1,TechChip Inc\nS2,Voltanix GmbH\n");
    world.run();
    let said = world.cmd("quarantine").expect_code(0).stdout;
    let questions: Vec<&str> =
        said.lines().filter(|line| line.ends_with(')') && !line.starts_with(' ')).collect();
    assert_eq!(
        questions,
        [
            "who is \"Orion Systems\"?  (settles 1)",
            "TechChip Inc (Supplier:S1) was removed by edit 1; what is still said of it waits  (waiting 1)",
            "no source holds Rubberworks Ltd (Supplier:S3) any more; what is still said of it waits  (waiting 1)",
        ],
        "{said}"
    );
    assert!(
        said.contains("    endpoint-unknown: TechChip Inc (Supplier:S1) was removed by edit 1\n"),
        "{said}"
    );
    let gaps = world.cmd("gaps --output json").expect_code(0).json();
    let unknown: Vec<&str> = gaps["unknown_names"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["surface"].as_str().unwrap())
        .collect();
    assert_eq!(unknown, ["Orion Systems"]);
}

#[test]
fn an_edge_added_by_hand_ends_the_incumbent_and_says_who_why_where_and_when() {
    let world = world();
    let report = edit(
        &world,
        "add-relationship 'Voltanix GmbH' supplies C1 --from 2025-01-01 --property 'lead_time=18 weeks'",
    );
    world.says(&with(
        "S1 supplies C1 [2024-03-01, ∞) ×1",
        "S1 supplies C1 [2024-03-01, 2025-01-01) ×1\nS2 supplies C1 [2025-01-01, ∞) ×1 lead_time=P18W",
    ));
    assert_eq!(report["work"]["folded"], 1, "only the suppliers of the one component: {}", report["work"]);
    assert_eq!((&report["work"]["extracted"], &report["work"]["kept"]), (&Value::from(0), &Value::from(0)));
    let detail = "curator edit 1 by Ada (CHG-7): the board wants it";
    assert_eq!(
        changes(&report),
        [format!("changed S1 supplies C1: {detail}"), format!("added S2 supplies C1: {detail}")]
    );
    let why = world.cmd("why S2 C1").expect_code(0).stdout;
    for part in [
        "1. by hand",
        "edit 1 by Ada at 2026-06-01T12:00:00Z: the board wants it (CHG-7)",
        "»Supplier:S2 supplies Component:C1 lead_time=P18W from 2025-01-01: the board wants it (CHG-7)«",
    ] {
        assert!(why.contains(part), "{why}");
    }
    let history = world.cmd("history S2").expect_code(0).stdout;
    assert!(history.contains("edit 1 by Ada (CHG-7): the board wants it"), "{history}");
    let changelog = fs::read_to_string(world.path("changelog/000002.jsonl")).unwrap();
    for part in [r#""by":"Ada""#, r#""reason":"the board wants it""#, r#""ticket":"CHG-7""#] {
        assert!(changelog.contains(part), "{changelog}");
    }
    holds_good(&world);
}

#[test]
fn an_edge_that_expires_by_hand_ends_and_is_not_revived_by_the_next_run() {
    let world = world();
    let report = edit(&world, "expire-relationship S1 supplies 'Radio Module' --on 2025-07-01");
    world.says(&with("S1 supplies C1 [2024-03-01, ∞) ×1", "S1 supplies C1 [2024-03-01, 2025-07-01) ×1"));
    assert_eq!(report["work"]["folded"], 1);
    let why = world.cmd("why S1 C1").expect_code(0).stdout;
    assert!(why.contains("by hand (says that it has ended)"), "{why}");
    holds_good(&world);
    // A text that is read again says what it said, and the end stands.
    world.put("//- letters/a.md\n# Letter of 2024\n\nTechChip supplies the Radio Module since 1 March 2024.\n\nVoltanix supplies the Main Board since 1 March 2024.\n");
    world.run();
    world.says(&with("S1 supplies C1 [2024-03-01, ∞) ×1", "S1 supplies C1 [2024-03-01, 2025-07-01) ×1"));
}

#[test]
fn an_event_added_by_hand_affects_whom_its_bulletin_names() {
    let world = world();
    let before = state(&world);
    world.put("//- bulletin.md\n# Fire in the fab\n\nThe Fab fire hits TechChip since 3 May 2026.\n\n## Affected suppliers\n\nVoltanix waits for Wafer Works.\n\n## Outlook\n\nRubberworks expects no delay.\n");
    let report = edit(
        &world,
        "add-risk-event E9 --title 'Fab fire' --severity high --date 2026-05-03 --text bulletin.md",
    );
    let after = with("", "E9 affects S1 [2026-05-03, ∞) ×1\nE9 affects S2 [?, ∞) ×1");
    world.says(&after);
    assert_eq!(report["work"]["folded"], 2, "one group an edge: {}", report["work"]);
    let shown = world.cmd("show E9").expect_code(0).stdout;
    assert!(shown.contains("severity: high") && shown.contains("date: 2026-05-03"), "{shown}");
    let why = world.cmd("why E9 S1").expect_code(0).stdout;
    assert!(why.contains("edit/1.md:3") && why.contains("edit 1 by Ada"), "{why}");
    let found = world.cmd("search 'fab fire'").expect_code(0).stdout;
    assert!(found.contains("edit/1.md"), "its text is found at once: {found}");
    // It stands in no folder, and no scan misses it.
    world.put("//- remove bulletin.md");
    holds_good(&world);
    // Its text is linked again with a new name, and read again with a changed rule, like any document's.
    let named = edit(&world, "add-entity Supplier S9 --name 'Wafer Works'");
    assert!(world.graph().contains("E9 affects S9 [?, ∞) ×1"), "{named}");
    edit(&world, "undo 2");
    world.says(&after);
    let ontology = fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    world.write("ontology/supply.yaml", ontology.replace("[Affected suppliers]", "[Outlook]").as_bytes());
    world.run();
    world.says(&with("", "E9 affects S1 [2026-05-03, ∞) ×1\nE9 affects S3 [?, ∞) ×1"));
    world.write("ontology/supply.yaml", ontology.as_bytes());
    world.run();
    world.says(&after);
    edit(&world, "undo 1");
    world.says(BEFORE);
    assert_eq!(state(&world), before);
}

/// An edge by hand, then a letter that would end it, from a later day or from the same.
fn contradicted(letter: &str) -> World {
    let world = world();
    edit(&world, "add-relationship S2 supplies C3 --from 2025-01-01");
    world.put(&format!("//- letters/d.md\n{letter}\n"));
    world.run();
    world
}

const BY_HAND: &str = "S2 supplies C3 [2025-01-01, ∞) ×1";

#[test]
fn an_edge_by_hand_is_not_ended_by_a_letter_that_comes_later_which_is_a_conflict() {
    for letter in [
        "TechChip supplies the Brake Pad since 1 June 2025.",
        "TechChip supplies the Brake Pad since 1 January 2025.",
        "TechChip supplies the Brake Pad.",
    ] {
        let world = contradicted(letter);
        world.says(&with("", &format!("{BY_HAND}\n? S1 supplies C3: conflict")));
        holds_good(&world);
    }
    // What held before it is no contradiction.
    let world = contradicted("TechChip supplies the Brake Pad since 1 June 2022.");
    world.says(&with("", &format!("{BY_HAND}\nS1 supplies C3 [2022-06-01, 2025-01-01) ×1")));
    // A sentence that it has ended is a conflict with the edge itself.
    let world = contradicted("Voltanix ceased to supply the Brake Pad on 31 August 2025.");
    world.says(&with("", &format!("{BY_HAND}\n? S2 supplies C3: conflict")));
    holds_good(&world);
}

#[test]
fn a_person_who_approves_the_letter_lets_it_end_the_edge_by_hand() {
    let world = contradicted("TechChip supplies the Brake Pad since 1 June 2025.");
    let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let row = sheet.lines().find(|line| line.contains("TechChip supplies the Brake Pad")).unwrap();
    world.write(
        "answers.csv",
        format!("question,decision\n{},approve\n", row.split(',').next().unwrap()).as_bytes(),
    );
    world.cmd("decide answers.csv --by Bob").expect_code(0);
    world.run();
    world.says(&with("", "S2 supplies C3 [2025-01-01, 2025-06-01) ×1\nS1 supplies C3 [2025-06-01, ∞) ×1"));
    holds_good(&world);
}

#[test]
fn an_edit_that_comes_after_what_would_end_it_is_cut_like_any_newcomer() {
    let world = world();
    edit(&world, "add-relationship S2 supplies C1 --from 2022-01-01");
    world.says(&with("", "S2 supplies C1 [2022-01-01, 2024-03-01) ×1"));
    holds_good(&world);
}

#[test]
fn an_edit_that_contradicts_what_stands_waits_and_says_so() {
    let world = world();
    let report = edit(&world, "add-relationship S1 supplies C4 --from 2025-01-01");
    world.says(&with("", "? S1 supplies C4: conflict"));
    let waits = report["edits"][0]["waits"][0].as_str().unwrap();
    let with_whom = "conflict with Supplier:S3 supplies Component:C4 [2024-05-01, 2027-01-01)";
    assert!(waits.ends_with(with_whom), "{waits}");
    edit(&world, "add-relationship C1 holds C2 --from 2025-01-01");
    let circle = edit(&world, "add-relationship C2 holds C1 --from 2025-02-01");
    assert!(circle["edits"][0]["waits"][0].as_str().unwrap().contains(": cycle with "), "{circle}");
    holds_good(&world);
}

/// Three edits that hang together.
const BULK: &str = r#"
{"edit": "add-entity", "type": "Supplier", "key": "S9", "names": ["Orion Systems"], "reason": "onboarded", "ticket": "CHG-1"}
{"edit": "add-relationship", "subject": "S9", "type": "supplies", "object": "C1", "from": "2026-01-01", "reason": "second source", "ticket": "CHG-2"}

{"edit": "expire-relationship", "subject": "S9", "type": "supplies", "object": "C1", "on": "2026-09-01", "reason": "a trial", "ticket": "CHG-2"}
"#;

const AFTER_BULK: &str = "
    S1 supplies C1 [2024-03-01, 2026-01-01) ×1
    S2 supplies C2 [2024-03-01, ∞) ×1
    S3 supplies C4 [2024-05-01, 2027-01-01) ×1
    S9 supplies C1 [2026-01-01, 2026-09-01) ×1
    S9 supplies C3 [2024-05-01, ∞) ×1";

#[test]
fn a_file_of_edits_is_taken_as_a_whole_in_one_generation() {
    let world = world();
    world.write("edits.jsonl", BULK.as_bytes());
    let report = world.cmd("edit apply edits.jsonl --by Ada --output json").expect_code(0).json();
    assert_eq!(report["generation"], 2);
    let lines: Vec<String> = report["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| format!("{} {} {}", edit["line"], edit["number"], edit["does"].as_str().unwrap()))
        .collect();
    assert_eq!(
        lines,
        [
            "2 1 adds Supplier:S9 (\"Orion Systems\")",
            "3 2 Supplier:S9 supplies Component:C1 from 2026-01-01",
            "5 3 Supplier:S9 supplies Component:C1 ends on 2026-09-01",
        ]
    );
    world.says(AFTER_BULK);
    holds_good(&world);
}

#[test]
fn a_file_of_edits_with_anything_wrong_changes_nothing_and_says_everything_at_once() {
    let world = world();
    let before = holds_good(&world);
    world.write(
        "edits.jsonl",
        [
            r#"{"edit": "add-entity", "type": "Supplier", "key": "S9", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "add-entity", "type": "Suplier", "key": "S8", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "add-entity", "type": "Supplier", "key": "S1", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "remove-entity", "entity": "TechChap", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "add-relationship", "subject": "C1", "type": "supplies", "object": "C2", "from": "2025-02-30", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "add-relationship", "subject": "S8", "type": "supplies", "object": "C2", "from": "2025-02-01", "to": "2025-02-01", "properties": {"lead": "2"}, "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "add-relationship", "subject": "S1", "type": "supplys", "object": "C2", "from": "2025-02-01", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "expire-relationship", "subject": "S1", "type": "supplies", "object": "C2", "on": "2025-02-01", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "expire-relationship", "subject": "S1", "type": "supplies", "object": "C1", "on": "2024-03-01", "reason": "r", "ticket": "t"}"#,
            r#"{"edit": "add-relationship", "subject": "S1", "type": "supplies", "object": "C2", "reason": "r"}"#,
            r#"{"edit": "undo", "number": 12, "reason": "r"}"#,
            r#"{"edit": "undo", "#,
        ]
        .join("\n")
        .as_bytes(),
    );
    let refused = world.cmd("edit apply edits.jsonl --output json").expect_code(2).json();
    let problems: Vec<String> = refused["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let text = |name: &str| one[name].as_str().unwrap();
            assert!(!text("hint").is_empty(), "{one}");
            format!("{}:{} {}: {}", one["line"], one["column"], text("code"), text("message"))
        })
        .collect();
    assert_eq!(
        problems,
        [
            "2:32 edit-unknown: there is no entity type `Suplier`",
            "3:51 edit-exists: there is a Supplier:S1 already (\"TechChip Inc\")",
            "4:37 edit-unknown: nobody is called `TechChap`",
            "5:41 domain-range: `subject` cannot be a Component: it is Component:C1",
            "5:91 date-invalid: `from`: there is no day `2025-02-30`",
            "6:111 interval-empty: `to` 2025-02-01 is not after `from` 2025-02-01",
            "6:139 edit-unknown: there is no property of `supplies` `lead`",
            "7:55 edit-unknown: there is no edge type `supplys`",
            "8:92 edit-unknown: there is no edge Supplier:S1 supplies Component:C2",
            "9:92 edit-exists: Supplier:S1 supplies Component:C1 does not run over 2024-03-01: it holds [2024-03-01, ∞)",
            "10:1 date-missing: `add-relationship` needs `from`",
            "10:1 edit-form: `add-relationship` needs `ticket`",
            "11:28 edit-unknown: there is no edit `12`",
            "12:17 edit-form: not a JSON object: it ends in the middle",
        ]
    );
    assert_eq!(refused["generation"], Value::Null);
    assert_eq!(holds_good(&world), before);
    world.says(BEFORE);
    // For a person, the line with the place under it.
    let text = world.cmd("edit apply edits.jsonl").expect_code(2).stderr;
    assert!(
        text.contains("edits.jsonl:2:32: error[edit-unknown]: there is no entity type `Suplier`"),
        "{text}"
    );
    assert!(text.contains("  hint: did you mean `Supplier`?") && text.contains("^^^^^^^^^"), "{text}");
    assert!(text.ends_with("14 problems: nothing was changed\n"), "{text}");
}

#[test]
fn a_dry_run_says_exactly_what_then_happens_and_writes_nothing() {
    let world = world();
    let before = holds_good(&world);
    world.write("edits.jsonl", BULK.as_bytes());
    let dry = world.cmd("edit apply edits.jsonl --by Ada --dry-run --output json").expect_code(0).json();
    assert_eq!(dry["dry_run"], true);
    assert_eq!(holds_good(&world), before);
    let text = world.cmd("edit apply edits.jsonl --by Ada --dry-run").expect_code(0).stdout;
    assert!(
        text.contains(
            "would add Orion Systems (Supplier:S9) supplies Brake Pad (Component:C3) [2024-05-01, ∞)"
        ),
        "{text}"
    );
    let done = world.cmd("edit apply edits.jsonl --by Ada --output json").expect_code(0).json();
    for what in ["generation", "edits", "work", "changes", "quarantined", "gaps", "drift"] {
        assert_eq!(dry[what], done[what], "{what}");
    }
}

#[test]
fn undoing_edits_in_any_order_gives_the_exact_state_before() {
    let world = world();
    let before = state(&world);
    world.write("edits.jsonl", BULK.as_bytes());
    world.cmd("edit apply edits.jsonl --by Ada").expect_code(0);
    edit(&world, "add-relationship S2 supplies C4 --from 2020-01-01 --to 2021-01-01");
    for number in [2, 4, 1, 3] {
        edit(&world, &format!("undo {number}"));
        holds_good(&world);
    }
    world.says(BEFORE);
    assert_eq!(state(&world), before);
    // Nothing is taken back twice, and the log keeps both words.
    let refused = |number: &str, says: &str| {
        let text = world.cmd(&format!("edit undo {number} --reason again")).expect_code(2).stderr;
        assert!(text.contains(says), "{text}");
    };
    let log = world.cmd("edit list").expect_code(0).stdout;
    assert!(
        log.contains(
            "edit 2: add-relationship  (taken back by edit 5)\n  from=2026-01-01, object=Component:C1, \
             subject=Supplier:S9, type=supplies\n  by Ada at 2026-06-01T12:00:00Z: second source (CHG-2)\n"
        ),
        "{log}"
    );
    refused("2", "edit 2 was taken back by edit 5");
    refused("5", "edit 5 has taken another one back");
    refused("99", "there is no edit `99`");
}

#[test]
fn killed_at_any_step_an_edit_has_happened_or_not() {
    let world = world();
    world.write("edits.jsonl", BULK.as_bytes());
    let before = world.graph();
    for step in edgewright::run::Step::ALL {
        let name = step.name();
        let twin = world.twin();
        let killed: Output = twin.cmd(&format!("edit apply edits.jsonl --by Ada --stop-at {name}"));
        if name == "feeds-read" {
            // The one step of a run that an edit does not take.
            killed.expect_code(0);
            continue;
        }
        killed.expect_code(137);
        let published = step >= edgewright::run::Step::Published;
        if published {
            twin.says(AFTER_BULK);
        } else {
            assert_eq!(twin.graph(), before, "stopped at {name}");
            twin.cmd("edit apply edits.jsonl --by Ada").expect_code(0);
            twin.says(AFTER_BULK);
        }
        holds_good(&twin);
        assert!(twin.path("changelog/000002.jsonl").exists(), "stopped at {name}");
    }
}

#[test]
fn what_waits_for_the_next_run_waits_on_and_nothing_is_made_of_nothing() {
    let world = World::new(FIXTURE);
    let line = format!("edit remove-entity S1 {WORD}");
    assert!(world.cmd(&line).expect_code(2).stderr.contains("there is no graph yet"));
    assert!(!world.path(".edgewright/graph.db").exists());
    world.run();
    world.cmd("accept scope letters --reason 'the folder moved'").expect_code(0);
    edit(&world, "remove-entity S1");
    let status = world.cmd("status").expect_code(0).stdout;
    assert!(status.contains("accept what letters no longer holds as gone"), "{status}");
    // No job may call a feed or a source as the edits are called.
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", job.replace("letters: {", "edit: {").as_bytes());
    let refused = world.cmd("check").expect_code(2).stdout;
    assert!(refused.contains("the name `edit` of this source is taken"), "{refused}");
}

#[test]
fn the_form_of_a_line_is_published() {
    let world = World::new("");
    let schema = world.cmd("json-schema edit-line").expect_code(0).json();
    let names: Vec<&str> =
        schema["oneOf"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["add-entity", "remove-entity", "add-relationship", "expire-relationship", "add-risk-event", "undo"]
    );
    assert_eq!(
        schema["oneOf"][2]["required"],
        serde_json::json!(["edit", "subject", "type", "object", "from", "reason", "ticket"])
    );
}

#[test]
fn the_five_mutations_on_the_sample() {
    let world = crate::sample::sample();
    world.run();
    let before = state(&world);
    world.put("//- bulletin.md\n# Risk bulletin 26-22\n\nThe Port of Leixoes strike has disrupted Castellane Forge since 20 May 2026.\n\n## Affected suppliers\n\nCastellane Forge SA, Valence.\n");
    edit(&world, "add-entity Supplier SUP-010 --name 'Nordhaven Castings AB' --property city=Nordhaven");
    let newcomer = edit(&world, "add-relationship SUP-010 supplies CMP-004 --from 2026-07-01");
    assert_eq!(newcomer["work"]["folded"], 1);
    assert_eq!(changes(&newcomer).len(), 2, "the newcomer comes and the incumbent ends: {newcomer}");
    let event = edit(
        &world,
        "add-risk-event EVT-009 --title 'Port of Leixoes strike' --severity high --date 2026-05-20 --text bulletin.md",
    );
    assert_eq!(changes(&event).len(), 1, "{event}");
    let graph = world.graph();
    for line in ["SUP-010 supplies CMP-004 [2026-07-01, ∞) ×1", "EVT-009 affects SUP-007 [2026-05-20, ∞) ×2"]
    {
        assert!(graph.contains(line), "{graph}");
    }
    edit(&world, "expire-relationship FAC-001 uses CMP-002 --on 2026-08-01");
    assert!(world.graph().contains(", 2026-08-01)"), "{}", world.graph());
    let removed = edit(&world, "remove-entity 'ThaiRubber Co'");
    assert_eq!(removed["work"]["extracted"], 0);
    assert!(
        changes(&removed).iter().all(|change| change.starts_with("retracted SUP-004 ")
            || change.contains(" SUP-004: ")
            || change.starts_with("changed")),
        "{removed}"
    );
    holds_good(&world);
    for number in (1..=5).rev() {
        edit(&world, &format!("undo {number}"));
    }
    assert_eq!(state(&world), before);
}
