//! A run that looks wrong is held: readers keep what they have, and a person releases it, discards it or goes back.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read what runs leave")]

use std::fs;

use expect_test::expect;
use serde_json::Value;

use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component }
  stocks:   { subject: Supplier, object: Component }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [since {valid_from:date}]"
- id: hearsay
  edge: supplies
  confidence: 0.5
  match: "{subject:Supplier} may be the source of {object:Component+}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  letters: { path: letters, include: ["**/*.md"] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
  stock:      { path: stock.csv, edge: { type: stocks, subject: Supplier, object: Part } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- components.csv
Id,Name
C1,Flight Computer
C2,Fuel Pump
C3,Landing Gear
C4,Rudder Trim
C5,Cabin Fan
C6,Nose Cone
//- stock.csv
Supplier,Part
S1,C1
S2,C2
//- letters/a.md
TechChip supplies the Flight Computer since 1 March 2020.

TechChip supplies the Fuel Pump since 1 March 2020.

TechChip supplies the Landing Gear since 1 March 2020.
//- letters/b.md
Voltanix supplies the Rudder Trim since 1 May 2021.

Voltanix supplies the Cabin Fan since 1 May 2021.

Voltanix may be the source of the Nose Cone.
"#;

/// Both letters lose all that they said.
const BROKEN: &str = r#"
//- letters/a.md
TechChip sells the Flight Computer since 1 March 2020.

TechChip sells the Fuel Pump since 1 March 2020.

TechChip sells the Landing Gear since 1 March 2020.
//- letters/b.md
Voltanix sells the Rudder Trim since 1 May 2021.

Voltanix sells the Cabin Fan since 1 May 2021.

Voltanix may be the source of the Nose Cone.
"#;

/// The letters as they were.
pub(crate) fn repaired() -> String {
    FIXTURE[FIXTURE.find("//- letters/a.md").unwrap()..].to_owned()
}

/// A graph of one generation whose letters have been broken, with a held run.
pub(crate) fn held() -> (World, Value) {
    let world = World::new(FIXTURE);
    world.run();
    world.put(BROKEN);
    let report = world.run_code(3);
    (world, report)
}

/// A graph of one generation, and what it says.
const GRAPH: &str = "S1 stocks C1 [?, ∞) ×1
     S1 supplies C1 [2020-03-01, ∞) ×1
     S1 supplies C2 [2020-03-01, ∞) ×1
     S1 supplies C3 [2020-03-01, ∞) ×1
     S2 stocks C2 [?, ∞) ×1
     S2 supplies C4 [2021-05-01, ∞) ×1
     S2 supplies C5 [2021-05-01, ∞) ×1
     ? S2 supplies C6: confidence-low";

fn export(world: &World, arguments: &str) -> String {
    world.cmd(&format!("export {arguments}")).expect_code(0).stdout
}

fn generation(world: &World) -> u64 {
    world.cmd("status --output json").expect_code(0).json()["generation"].as_u64().unwrap()
}

#[test]
fn a_run_that_looks_wrong_is_held_and_readers_keep_the_last_graph() {
    let world = World::new(FIXTURE);
    world.run();
    let before = export(&world, "");
    world.put(BROKEN);
    let said = world.cmd("run").expect_code(3).stdout;
    let run = world.cmd("status --output json").json()["held"]["run"].as_str().unwrap().to_owned();
    expect![[r#"
        held the run RUN: 5 changes; generation 1 stands
          fail: drift-emptied in supplies in letters: 5 before, 0 after
            because of text_removed 5
            read by supply 5
            documents: letters/a.md
            - TechChip Inc (Supplier:S1) supplies Flight Computer (Component:C1)
            - Voltanix GmbH (Supplier:S2) supplies Rudder Trim (Component:C4)
            - Voltanix GmbH (Supplier:S2) supplies Cabin Fan (Component:C5)
            - TechChip Inc (Supplier:S1) supplies Fuel Pump (Component:C2)
            - TechChip Inc (Supplier:S1) supplies Landing Gear (Component:C3)
          `edgewright diff held` says what it would change; `edgewright release` publishes it and
          `edgewright discard` drops it, each with `--reason`
        inputs
          components  feed    unchanged  6 rows
          suppliers   feed    unchanged  2 rows
          stock       feed    unchanged  2 rows
          letters     source  read       2 documents, 2 changed
        work: 2 documents parsed, 5 chunks extracted, 1 kept, 5 groups folded
        entities: 6 Component, 2 Supplier
        edges
          stocks    2 facts: 2 current, 0 ended, 0 future
          supplies  0 facts: 0 current, 0 ended, 0 future
        quarantine: 1 assertion (confidence-low 1)
        changes
          retracted TechChip Inc (Supplier:S1) supplies Flight Computer (Component:C1) [2020-03-01, ∞)
            text_removed: letters/a.md
          retracted TechChip Inc (Supplier:S1) supplies Fuel Pump (Component:C2) [2020-03-01, ∞)
            text_removed: letters/a.md
          retracted TechChip Inc (Supplier:S1) supplies Landing Gear (Component:C3) [2020-03-01, ∞)
            text_removed: letters/a.md
          retracted Voltanix GmbH (Supplier:S2) supplies Rudder Trim (Component:C4) [2021-05-01, ∞)
            text_removed: letters/b.md
          retracted Voltanix GmbH (Supplier:S2) supplies Cabin Fan (Component:C5) [2021-05-01, ∞)
            text_removed: letters/b.md
        drift: fail
        exit 3: the run is held, and readers keep the last published graph
    "#]]
    .assert_eq(&said.replace(&run, "RUN"));

    // Nobody sees anything of it.
    world.says(GRAPH);
    assert_eq!(export(&world, ""), before);
    assert_eq!(world.found("supplies").len(), 5);
    assert!(world.found("sells").is_empty());
    assert_eq!(generation(&world), 1);
    assert!(!world.path("changelog/000002.jsonl").exists());
    world.cmd("verify").expect_code(0);

    // Who asks is told.
    let status = world.cmd("status").expect_code(0).stdout;
    assert!(status.contains("is held since 2026-06-01T12:00:00Z"), "{status}");
    expect![[r#"
        generation 1 and the held run RUN: 5 facts differ
        by edge type
          supplies  +0 -5 ~0
        by cause
          text_removed  +0 -5 ~0
        facts
          - TechChip Inc supplies Flight Computer [2020-03-01, ∞)
            text_removed, generation 2: letters/a.md
          - TechChip Inc supplies Fuel Pump [2020-03-01, ∞)
            text_removed, generation 2: letters/a.md
          - TechChip Inc supplies Landing Gear [2020-03-01, ∞)
            text_removed, generation 2: letters/a.md
          - Voltanix GmbH supplies Cabin Fan [2021-05-01, ∞)
            text_removed, generation 2: letters/b.md
          - Voltanix GmbH supplies Rudder Trim [2021-05-01, ∞)
            text_removed, generation 2: letters/b.md
    "#]]
    .assert_eq(&world.cmd("diff held").expect_code(0).stdout.replace(&run, "RUN"));
}

#[test]
fn a_discarded_run_leaves_no_trace_and_a_repaired_one_passes() {
    let (world, held) = held();
    let run = held["run"].as_str().unwrap();
    assert_eq!((&held["outcome"], &held["generation"]), (&"held".into(), &Value::Null));
    let before = export(&world, "");
    let said = world.cmd("discard --by Ada --reason 'the parser was broken'").expect_code(0).stdout;
    assert!(said.contains("discarded the run"), "{said}");
    assert_eq!(export(&world, ""), before);
    assert!(world.path(&format!(".edgewright/runs/{run}/discard.json")).exists());
    assert!(world.path(&format!(".edgewright/runs/{run}/drift.json")).exists());
    world.cmd("verify").expect_code(0);

    // As long as the letters are broken, each run is held.
    assert_eq!(world.run_code(3)["before"], 2);
    world.put(&repaired());
    let report = world.run();
    assert_eq!((&report["outcome"], &report["drift"]), (&"nothing_to_do".into(), &"pass".into()));
    world.says(GRAPH);
    world.cmd("verify").expect_code(0);
    let again = world.cmd("discard --reason again").expect_code(2).stderr;
    assert!(again.contains("no run is held"), "{again}");
}

#[test]
fn a_released_run_is_published_as_it_was_held() {
    let (world, held) = held();
    let run = held["run"].as_str().unwrap();
    let other = world.cmd("release 20260101000000-deadbeef --reason right").expect_code(2).stderr;
    assert!(other.contains("is not held"), "{other}");
    // What lies in the folder by now is another matter.
    world.put("//- letters/c.md\nVoltanix supplies the Flight Computer.\n");
    let report =
        world.cmd(&format!("release {run} --by Ada --reason right --output json")).expect_code(0).json();
    assert_eq!(report["act"], "release");
    assert_eq!(report["run"]["generation"], 2);
    world.says(
        "S1 stocks C1 [?, ∞) ×1
         S2 stocks C2 [?, ∞) ×1
         ? S2 supplies C6: confidence-low",
    );
    assert!(world.path(&format!(".edgewright/runs/{run}/release.json")).exists());
    assert_eq!(world.found("sells").len(), 5);
    world.cmd("verify").expect_code(0);
    // The baseline moved: the next run is compared with what was released.
    let report = world.run();
    assert_eq!(report["changes"].as_array().unwrap().len(), 1);
    assert_eq!(report["work"]["parsed"], 1);
    // The changelog alone gives the same history.
    let replayed = world.cmd("replay twin --output json").expect_code(0).json();
    let verified = world.cmd("verify --output json").expect_code(0).json();
    assert_eq!(replayed["history_digest"], verified["history_digest"]);
    let log = fs::read_to_string(world.path("changelog/000002.jsonl")).unwrap();
    assert!(log.contains(r#""act":"release""#) && log.contains(r#""by":"Ada""#), "{log}");
}

#[test]
fn a_release_that_is_out_of_date_is_refused() {
    let (world, held) = held();
    let run = held["run"].as_str().unwrap();
    let edit = world
        .cmd("edit add-relationship S1 stocks C3 --from unknown --reason counted --ticket T-1")
        .expect_code(0)
        .stdout;
    assert!(edit.contains("held-replaced"), "{edit}");
    let refused = world.cmd(&format!("release {run} --reason right")).expect_code(2).stderr;
    assert!(refused.contains("out of date"), "{refused}");
    // The next run compares the broken letters with what stands now.
    let again = world.run_code(3);
    assert_eq!(again["before"], 2);
    world.cmd("release --reason right").expect_code(0);
    world.says(
        "S1 stocks C1 [?, ∞) ×1
         S1 stocks C3 [?, ∞) ×1
         S2 stocks C2 [?, ∞) ×1
         ? S2 supplies C6: confidence-low",
    );
    world.cmd("verify").expect_code(0);
}

#[test]
fn what_people_decide_during_a_hold_waits_for_the_next_run() {
    for verb in ["release", "discard"] {
        let (world, _) = held();
        let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
        let question = sheet.lines().nth(1).unwrap().split(',').next().unwrap();
        world.write("answers.csv", format!("question,decision\n{question},approve\n").as_bytes());
        world.cmd("decide answers.csv").expect_code(0);
        world.cmd(&format!("{verb} --reason right")).expect_code(0);
        assert!(!world.graph().contains("S2 supplies C6 ["), "{verb}");
        if verb == "discard" {
            world.put(&repaired());
        }
        world.run();
        assert!(world.graph().contains("S2 supplies C6 [?, ∞) ×1"), "{verb}");
        world.cmd("verify").expect_code(0);
    }
}

#[test]
fn requests_that_a_held_run_carried_out_leave_the_queue_with_its_release() {
    let world = World::new(FIXTURE);
    world.run();
    let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let question = sheet.lines().nth(1).unwrap().split(',').next().unwrap();
    world.write("answers.csv", format!("question,decision,reason\n{question},reject,never so\n").as_bytes());
    world.cmd("decide answers.csv").expect_code(0);
    world.put(BROKEN);
    world.run_code(3);
    let waiting = || world.cmd("status --output json").json()["requests"].as_array().unwrap().len();
    assert_eq!(waiting(), 1);
    world.cmd("release --reason right").expect_code(0);
    assert_eq!(waiting(), 0);
    assert!(!world.graph().contains("C6"), "the question is answered");
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_release_a_discard_and_a_rollback_that_are_killed_have_happened_or_not() {
    for command in ["release", "discard", "rollback 1"] {
        for step in ["opened", "published", "changelog-written", "index-written", "indexed", "reported"] {
            let (world, _) = held();
            if command == "rollback 1" {
                world.cmd("release --reason right").expect_code(0);
            }
            let before = (generation(&world), export(&world, ""));
            world.cmd(&format!("{command} --reason right --stop-at {step}")).expect_code(137);
            let done = step != "opened";
            assert_eq!(generation(&world) > before.0, done, "{command} at {step}");
            if !done {
                assert_eq!(export(&world, ""), before.1);
                world.cmd(&format!("{command} --reason right")).expect_code(0);
            }
            // Whatever it left to be written, the next run writes.
            let code = world.cmd("run --output json").code;
            let expected = if command == "release" { 0 } else { 3 };
            assert_eq!(code, expected, "{command} at {step}");
            let verified = world.cmd("verify");
            assert_eq!(verified.code, 0, "{command} at {step}: {}", verified.stdout);
        }
    }
}

/// Three generations: the letters, another supplier of one part with another feed, and a letter gone.
fn three_generations() -> World {
    let world = World::new(FIXTURE);
    world.run();
    world.put(
        "//- letters/c.md\nVoltanix supplies the Flight Computer since 1 June 2022.\n//- stock.csv\nSupplier,Part\nS1,C1\nS2,C2\nS2,C3\n",
    );
    world.run();
    world.put("//- remove letters/c.md\n//- letters/b.md\nVoltanix supplies the Rudder Trim since 1 May 2021.\n\nVoltanix supplies the Cabin Fan since 2 May 2021.\n\nVoltanix may be the source of the Nose Cone.\n");
    world.run();
    world
}

#[test]
fn a_rollback_gives_the_graph_of_then_as_a_new_generation() {
    let world = three_generations();
    let then = export(&world, "--known-at 1");
    let trial = world.cmd("rollback 1 --reason trial --dry-run").expect_code(0).stdout;
    assert_eq!(generation(&world), 3);
    let said =
        world.cmd("rollback 1 --by Ada --reason 'the stock of 2 June was wrong'").expect_code(0).stdout;
    assert_eq!(trial.lines().count(), said.lines().count(), "{trial}\n{said}");
    expect![[r#"
        put the graph back to generation 1
        published generation 4: 2 changes
        by Ada at 2026-06-01T12:00:00Z: the stock of 2 June was wrong
        changes
          retracted Voltanix GmbH (Supplier:S2) stocks Landing Gear (Component:C3) [?, ∞)
            rollback: rollback to generation 1
          changed Voltanix GmbH (Supplier:S2) supplies Cabin Fan (Component:C5) [2021-05-02, ∞) → [2021-05-01, ∞)
            rollback: rollback to generation 1
    "#]].assert_eq(&said);
    assert_eq!(generation(&world), 4);
    world.says(GRAPH);
    assert_eq!(export(&world, ""), then, "byte by byte");
    assert_eq!(world.found("'Flight Computer'").len(), 1);
    world.cmd("verify").expect_code(0);
    // What was known since stays known.
    assert!(export(&world, "--known-at 2").contains("2022-06-01"));
}

#[test]
fn what_a_rollback_takes_out_waits_no_longer() {
    let world = World::new(FIXTURE);
    world.run();
    world.put("//- letters/c.md\nTechChip may be the source of the Rudder Trim.\n");
    world.run();
    let waiting = |world: &World| world.cmd("quarantine").expect_code(0).stdout;
    assert!(waiting(&world).contains("Rudder Trim"), "{}", waiting(&world));
    world.cmd("rollback 1 --by Ada --reason 'the letter is forged'").expect_code(0);
    assert!(!waiting(&world).contains("Rudder Trim"), "{}", waiting(&world));
    world.cmd("verify").expect_code(0);
}

#[test]
fn what_a_rollback_undid_holds_the_next_run_until_it_is_released_or_changes() {
    let world = three_generations();
    let latest = export(&world, "");
    world.cmd("rollback 1 --reason wrong").expect_code(0);
    let report = world.run_code(3);
    assert_eq!(report["findings"][0]["rule"], "drift-undone");
    let undone = &report["findings"][0];
    assert_eq!(undone["says"], "2 inputs that a rollback took out would come back as they were");
    assert_eq!(undone["documents"], serde_json::json!(["letters/b.md", "stock"]));
    let key = undone["key"].as_str().unwrap();
    let refused = world.cmd(&format!("accept finding {key} --reason right")).expect_code(2).stderr;
    assert!(refused.contains("`drift-undone of * in *` cannot be accepted"), "{refused}");
    assert!(refused.contains("`edgewright release --reason …` publishes the held run"), "{refused}");
    world.says(GRAPH);
    world.cmd("release --reason 'it was right after all'").expect_code(0);
    assert_eq!(export(&world, ""), latest);
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    world.cmd("verify").expect_code(0);

    // An input that has changed since is another one.
    world.cmd("rollback 1 --reason wrong").expect_code(0);
    world.put("//- stock.csv\nSupplier,Part\nS1,C1\nS2,C4\n//- letters/b.md\nVoltanix supplies the Rudder Trim since 3 May 2021.\n\nVoltanix supplies the Cabin Fan since 3 May 2021.\n\nVoltanix may be the source of the Nose Cone.\n");
    world.run();
    world.says(
        "S1 stocks C1 [?, ∞) ×1
         S1 supplies C1 [2020-03-01, ∞) ×1
         S1 supplies C2 [2020-03-01, ∞) ×1
         S1 supplies C3 [2020-03-01, ∞) ×1
         S2 stocks C4 [?, ∞) ×1
         S2 supplies C4 [2021-05-03, ∞) ×1
         S2 supplies C5 [2021-05-03, ∞) ×1
         ? S2 supplies C6: confidence-low",
    );
    world.cmd("verify").expect_code(0);
}

#[test]
fn decisions_outlive_a_rollback() {
    let world = three_generations();
    let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let question = sheet.lines().nth(1).unwrap().split(',').next().unwrap();
    world.write("answers.csv", format!("question,decision\n{question},approve\n").as_bytes());
    world.cmd("decide answers.csv").expect_code(0);
    world.run();
    world.cmd("rollback 1 --reason wrong").expect_code(0);
    let graph = world.graph();
    assert!(graph.contains("S2 supplies C6 [?, ∞) ×1") && !graph.contains("S2 supplies C1"), "{graph}");
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_rollback_that_cannot_be_done_says_why() {
    let world = three_generations();
    for (asked, said) in [
        ("3", "generation 3 is what stands"),
        ("4", "there is no generation 4"),
        ("0", "there is no generation 0"),
    ] {
        let refused = world.cmd(&format!("rollback {asked} --reason wrong")).expect_code(2).stderr;
        assert!(refused.contains(said), "{refused}");
    }
    let ontology = fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    world.write("ontology/supply.yaml", ontology.replace("[since", "[(since|from)").as_bytes());
    let refused = world.cmd("rollback 1 --reason wrong").expect_code(2).stderr;
    assert!(refused.contains("is not the ontology with which generation 1 was read"), "{refused}");
    // The version of then is where the hint says.
    assert!(
        refused.contains("`changelog/000001.jsonl` has it as the `text` of the ontology `supply`"),
        "{refused}"
    );
    let log = fs::read_to_string(world.path("changelog/000001.jsonl")).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let then = lines.into_iter().find(|line| line["kind"] == "ontology" && line["id"] == "supply").unwrap();
    assert_eq!(then["body"]["text"], ontology);
    world.write("ontology/supply.yaml", then["body"]["text"].as_str().unwrap().as_bytes());
    world.cmd("rollback 1 --reason wrong").expect_code(0);
}

#[test]
fn a_frozen_graph_holds_every_run_that_would_change_it() {
    let world = World::new(FIXTURE);
    world.run();
    world.cmd("freeze --by Ada --reason 'audit until Friday'").expect_code(0);
    let again = world.cmd("freeze --reason more").expect_code(2).stderr;
    assert!(again.contains("frozen already, by Ada"), "{again}");
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    world.put("//- letters/c.md\nVoltanix supplies the Flight Computer.\n");
    let report = world.run_code(3);
    assert_eq!(report["findings"][0]["rule"], "drift-frozen");
    let key = report["findings"][0]["key"].as_str().unwrap();
    let refused = world.cmd(&format!("accept finding {key} --reason right")).expect_code(2).stderr;
    assert!(
        refused.contains("`drift-frozen of * in *` cannot be accepted: the graph is frozen"),
        "{refused}"
    );
    assert!(refused.contains("edgewright unfreeze --reason"), "{refused}");
    // What would be refused is not promised either.
    for refused in [
        "edit add-relationship S1 stocks C3 --from unknown --reason counted --ticket T-1",
        "retract letters/a.md --reason wrong",
        "purge letters/a.md --reason erasure",
    ] {
        let yes = if refused.starts_with("purge") { "--yes" } else { "" };
        for how in ["--dry-run", yes] {
            let said = world.cmd(&format!("{refused} {how}")).expect_code(2).stderr;
            assert!(said.contains("the graph is frozen, by Ada"), "{refused} {how}: {said}");
        }
    }
    world.cmd("release --reason right").expect_code(2);
    world.says(GRAPH);
    world.cmd("unfreeze --reason 'the audit is over'").expect_code(0);
    world.run();
    assert!(world.graph().contains("S2 supplies C1 [?, ∞) ×1"));
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_candidate_is_looked_at_beside_the_graph_and_released_in_one_step() {
    let world = World::new(FIXTURE);
    world.run();
    let before = export(&world, "");
    let ontology = fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    world.write("ontology/supply.yaml", ontology.replace("confidence: 0.5", "confidence: 0.9").as_bytes());
    let report = world.cmd("run --candidate --output json").expect_code(0).json();
    assert_eq!((&report["outcome"], &report["drift"]), (&"held".into(), &"pass".into()));
    assert_eq!(report["work"]["extracted"], 0);
    assert_eq!(export(&world, ""), before);
    // Everything that reads can look at it, but for the text index.
    assert!(export(&world, "--known-at held").contains("Component:C6"));
    assert!(world.cmd("show C6 --known-at held").expect_code(0).stdout.contains("Voltanix"));
    let why = world.cmd("why S2 C6 --known-at held").expect_code(0).stdout;
    assert!(why.contains("may be the source of the Nose Cone"), "{why}");
    world.write("golden.csv", "subject,type,object\nS2,supplies,C6\n".as_bytes());
    let hits = |arguments: &str| {
        let said = world.cmd(&format!("eval --golden golden.csv --output json {arguments}")).json();
        said["sets"][0]["all"]["hits"].clone()
    };
    assert_eq!((hits("--known-at held"), hits("")), (1.into(), 0.into()));
    let search = world.cmd("search Nose --known-at held").expect_code(2).stderr;
    assert!(search.contains("not in the text index"), "{search}");

    // Neither an edit nor the next night does away with what nobody has judged.
    let edit = "edit add-relationship S1 stocks C3 --from unknown --reason counted --ticket T-1";
    for refused in [edit, "freeze --reason audit", "rollback 1 --reason wrong"] {
        let said = world.cmd(refused).expect_code(2).stderr;
        assert!(said.contains("a candidate that nobody has judged"), "{refused}: {said}");
    }
    let again = world.run_code(3);
    assert_eq!(again["findings"][0]["rule"], "drift-candidate");
    let key = again["findings"][0]["key"].as_str().unwrap();
    let said = world.cmd(&format!("accept finding {key} --reason right")).expect_code(2).stderr;
    assert!(said.contains("`drift-candidate of * in *` cannot be accepted"), "{said}");
    world.cmd("release --reason 'one more edge, and right'").expect_code(0);
    assert!(world.graph().contains("S2 supplies C6 [?, ∞) ×1"));
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    world.cmd("verify").expect_code(0);
}

#[test]
fn what_fails_is_refused_or_looks_at_other_inputs_leaves_the_held_run_alone() {
    let world = World::new(FIXTURE);
    world.put(
        "//- jobs/other.yaml\njob: other\nontology: supply\nowner: other-data\nsources:\n  notes: { path: notes, include: [\"**/*.md\"] }\n//- notes/n.md\nNothing.\n",
    );
    world.run();
    world.put(BROKEN);
    let run = world.cmd("run nightly --output json").expect_code(3).json()["run"].clone();
    let held = || world.cmd("status --output json").json()["held"]["run"].clone();
    for (command, code) in [
        ("edit add-relationship S9 stocks C3 --from unknown --reason counted --ticket T-1", 2),
        ("edit undo 7 --reason wrong --ticket T-1", 2),
        ("run --again nonsense", 2),
        ("run --stop-at swept", 137),
        ("plan", 3),
        ("run other", 0),
    ] {
        world.cmd(command).expect_code(code);
        assert_eq!(held(), run, "{command}");
    }
    world.cmd("release --reason right").expect_code(0);
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_candidate_waits_to_be_judged_whatever_becomes_of_the_run_that_takes_its_place() {
    let world = World::new(FIXTURE);
    world.run();
    let ontology = fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    world.write("ontology/supply.yaml", ontology.replace("confidence: 0.5", "confidence: 0.9").as_bytes());
    world.cmd("run --candidate").expect_code(0);
    world.cmd("run --stop-at documents-written").expect_code(137);
    let gone = world.cmd("release --reason right").expect_code(2).stderr;
    assert!(gone.contains("can no longer be published: another run began after it"), "{gone}");
    assert_eq!(world.run_code(3)["findings"][0]["rule"], "drift-candidate");
    world.cmd("run --stop-at documents-written").expect_code(137);
    world.cmd("discard --reason wrong").expect_code(0);
    world.write("ontology/supply.yaml", ontology.as_bytes());
    world.run();
    world.says(GRAPH);
    world.cmd("verify").expect_code(0);
}

/// A second job beside the first one, with a feed of its own.
const OTHER: &str = "
//- jobs/weekly.yaml
job: weekly
ontology: supply
feeds:
  contracts: { path: contracts.csv, edge: { type: stocks, subject: Supplier, object: Part } }
//- contracts.csv
Supplier,Part
S1,C5
";

#[test]
fn a_run_that_looks_at_other_inputs_takes_no_place_of_a_candidate_and_none_unless_it_changes_something() {
    let world = World::new(FIXTURE);
    world.put(OTHER);
    world.run();
    world.put(BROKEN);
    world.cmd("run nightly --candidate").expect_code(3);
    for other in ["run weekly", "run nightly --logical-date 2026-05-30"] {
        let refused = world.cmd(other).expect_code(2).stderr;
        assert!(refused.contains("is a candidate that nobody has judged"), "{other}: {refused}");
    }
    world.cmd("discard --reason again").expect_code(0);
    let held = world.cmd("run nightly --output json").expect_code(3).json()["run"].clone();
    let is_held = || world.cmd("status --output json").json()["held"]["run"].clone();
    // Nothing to do elsewhere: the held run stays, what was seen counts, and so does what was asked for.
    for quiet in ["run weekly", "run nightly --logical-date 2026-05-30"] {
        let night = world.cmd(quiet).expect_code(0).stdout;
        assert!(night.starts_with("nothing to do") && !night.contains("held-replaced"), "{night}");
        assert_eq!(is_held(), held, "{quiet}");
    }
    world.put("//- contracts.csv\nSupplier,Part\n");
    world.cmd("run weekly").expect_code(4);
    world.cmd("accept feed contracts --reason 'it is over'").expect_code(0);
    world.put("//- contracts.csv\nSupplier,Part\nS1,C5\n");
    world.cmd("run weekly").expect_code(0);
    assert_eq!(
        (is_held(), world.cmd("status --output json").json()["requests"].clone()),
        (held, Value::Array(Vec::new()))
    );
    world.cmd("release --reason right").expect_code(0);
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_word_of_a_person_waits_for_a_run_that_looks_at_what_it_is_about() {
    let world = World::new(FIXTURE);
    world.put(OTHER);
    world.run();
    world.put(BROKEN);
    let held = world.cmd("run nightly --output json").expect_code(3).json();
    let key = held["findings"][0]["key"].as_str().unwrap();
    world.cmd(&format!("accept finding {} --reason right", &key[..12])).expect_code(0);
    world.cmd("accept scope letters --reason gone").expect_code(0);
    let waiting = || world.cmd("status --output json").json()["requests"].as_array().unwrap().len();
    world.cmd("run weekly").expect_code(0);
    assert_eq!(waiting(), 2);
    // The letters were read for today.
    world.cmd("discard --reason again").expect_code(0);
    world.cmd("run nightly --logical-date 2026-05-30").expect_code(0);
    assert_eq!(waiting(), 2);
    world.cmd("run nightly").expect_code(0);
    assert_eq!(waiting(), 0);
}

#[test]
fn what_a_guard_finds_in_a_candidate_is_released_with_it_and_not_accepted() {
    let (world, _) = held();
    world.cmd("discard --reason again").expect_code(0);
    let candidate = world.cmd("run --candidate --output json").json();
    let finding = candidate["findings"].as_array().unwrap().iter().find(|one| one["severity"] == "fail");
    let key = finding.unwrap()["key"].as_str().unwrap();
    let refused = world.cmd(&format!("accept finding {key} --reason right")).expect_code(2).stderr;
    let run = candidate["run"].as_str().unwrap();
    assert!(refused.contains(&format!("the run `{run}` is a candidate that nobody has judged")), "{refused}");
    assert!(refused.contains("`edgewright release --reason …`"), "{refused}");
    let drift = world.cmd(&format!("drift {run}")).stdout;
    assert!(
        drift.contains("to accept it: edgewright release") && !drift.contains("accept finding"),
        "{drift}"
    );
}

#[test]
fn the_hint_for_an_unknown_key_names_each_finding_once() {
    let (world, run) = held();
    world.run_code(3);
    world.run_code(3);
    let hint = world.cmd("accept finding abcdef012345 --reason right").expect_code(2).stderr;
    let key = run["findings"][0]["key"].as_str().unwrap();
    assert_eq!(hint.matches(key).count(), 1, "{hint}");
}

#[test]
fn a_word_that_accepts_a_finding_is_over_with_the_release_of_its_run() {
    let (world, held) = held();
    let key = held["findings"][0]["key"].as_str().unwrap();
    world.cmd(&format!("accept finding {} --reason right", &key[..12])).expect_code(0);
    world.cmd("release --reason right").expect_code(0);
    let status = world.cmd("status --output json").json();
    assert_eq!(status["requests"], Value::Array(Vec::new()));
}

#[test]
fn a_rollback_moves_no_label_no_withdrawal_and_forgets_no_edit() {
    let world = World::new(FIXTURE);
    world.run();
    let edit = "edit add-relationship S1 stocks C3 --from unknown --reason counted --ticket T-1";
    world.cmd(edit).expect_code(0);
    world.cmd("retract letters/a.md --reason leaked").expect_code(0);
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let secret = job.replace("include: [\"**/*.md\"]", "include: [\"**/*.md\"], access: [secret]");
    world.write("jobs/nightly.yaml", secret.as_bytes());
    world.run();
    world.cmd("rollback 1 --reason wrong").expect_code(0);
    world.says(
        "S1 stocks C1 [?, ∞) ×1
         S2 stocks C2 [?, ∞) ×1
         S2 supplies C4 [2021-05-01, ∞) ×1
         S2 supplies C5 [2021-05-01, ∞) ×1
         ? S1 supplies C1: withdrawn
         ? S1 supplies C2: withdrawn
         ? S1 supplies C3: withdrawn
         ? S2 supplies C6: confidence-low",
    );
    let seen = world.cmd("export --access none").expect_code(0).stdout;
    assert!(!seen.contains("Rudder Trim since"), "{seen}");
    let log = world.cmd("edit list").expect_code(0).stdout;
    assert!(log.contains("edit 1: add-relationship  (taken back by rollback 1)"), "{log}");
    let undone = world.cmd("edit undo 1 --reason wrong --ticket T-1").expect_code(2).stderr;
    assert!(undone.contains("edit 1 was taken back by rollback 1"), "{undone}");
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_forced_run_is_published_with_what_is_wrong_with_it_and_who_wanted_it() {
    let world = World::new(FIXTURE);
    world.run();
    world.put(BROKEN);
    world.cmd("run --force").expect_code(2);
    world.cmd("freeze --reason audit").expect_code(0);
    let frozen = world.cmd("run --force --reason merger --by Ada").expect_code(2).stderr;
    assert!(frozen.contains("the graph is frozen"), "{frozen}");
    world.cmd("unfreeze --reason over").expect_code(0);
    let said = world.cmd("run --force --reason merger --by Ada").expect_code(0).stdout;
    assert!(said.starts_with("published generation 4: 5 changes\n  fail: drift-emptied"), "{said}");
    assert!(said.contains("\n  published all the same, forced by Ada: merger\n"), "{said}");
    world.says(
        "S1 stocks C1 [?, ∞) ×1
         S2 stocks C2 [?, ∞) ×1
         ? S2 supplies C6: confidence-low",
    );
    let runs = world.cmd("runs --output json").expect_code(0).json();
    assert_eq!(runs["runs"][0]["judged"], "forced");
    let listed = world.cmd("runs").expect_code(0).stdout;
    assert!(listed.contains("published generation 4: 5 changes, forced by Ada: merger\n"), "{listed}");
    assert_eq!(listed.matches("generation 4").count(), 1, "{listed}");
    let line = fs::read_to_string(world.path("changelog/000004.jsonl")).unwrap();
    assert!(line.contains(r#""act":"force""#), "{line}");
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    world.cmd("verify").expect_code(0);
    // A run that looks right needs no force, and says nothing of it.
    world.put(&repaired());
    let report = world.cmd("run --force --reason merger --output json").expect_code(0).json();
    assert_eq!(report["forced"], Value::Null);
    world.says(GRAPH);
}

#[test]
fn a_second_rollback_keeps_what_the_first_has_marked() {
    let world = World::new(FIXTURE);
    world.run();
    for parts in ["S1,C1\nS2,C3", "S1,C1\nS2,C4"] {
        world.put(&format!("//- stock.csv\nSupplier,Part\n{parts}\n"));
        world.run();
    }
    world.cmd("rollback 2 --reason wrong").expect_code(0);
    world.cmd("rollback 1 --reason 'wrong as well'").expect_code(0);
    assert_eq!(world.run_code(3)["findings"][0]["rule"], "drift-undone");
    world.says(GRAPH);
}

#[test]
fn what_is_asked_for_is_read_again_although_nothing_has_changed() {
    let world = World::new(FIXTURE);
    world.run();
    let again = |what: &str| {
        World::work(&world.cmd(&format!("run --output json --again {what}")).expect_code(0).json())
    };
    assert_eq!(
        again("letters/b.md"),
        ["letters/b.md:1 asked for", "letters/b.md:3 asked for", "letters/b.md:5 asked for"]
    );
    assert_eq!(again("hearsay"), again("letters/b.md"));
    assert_eq!(again("letters/b.md").len(), 3);
    assert_eq!(again("supplies").len(), 6);
    assert_eq!(generation(&world), 1, "it reads the same");
    let unknown = world.cmd("run --again hearsy").expect_code(2).stderr;
    assert!(
        unknown.contains("no rule, edge type or document `hearsy`") && unknown.contains("`hearsay`"),
        "{unknown}"
    );
}

#[test]
fn two_generations_are_compared_fact_by_fact_with_causes() {
    let world = three_generations();
    expect![[r#"
        generation 1 and generation 3: 2 facts differ
        by edge type
          stocks    +1 -0 ~0
          supplies  +0 -0 ~1
        by cause
          feed_row      +1 -0 ~0
          text_removed  +0 -0 ~1
        facts
          + Voltanix GmbH stocks Landing Gear [?, ∞)
            feed_row, generation 2: stock.csv:4 (stock)
          ~ Voltanix GmbH supplies Cabin Fan [2021-05-01, ∞) → [2021-05-02, ∞)
            text_removed, generation 3: letters/b.md
    "#]]
    .assert_eq(&world.cmd("diff 1").expect_code(0).stdout);
    expect![[r#"
        change,edge_type,says,before,after,cause,detail,…
        changed,supplies,Voltanix GmbH supplies Cabin Fan,"[2021-05-01, ∞)","[2021-05-02, ∞)",text_removed,letters/b.md,…
        retracted,supplies,Voltanix GmbH supplies Flight Computer,"[2022-06-01, ∞)",,document_gone,letters/c.md,…
    "#]].assert_eq(&blank(&world.cmd("diff 2 3 --output csv").expect_code(0).stdout));
    // The other way round, and nothing at all.
    let back = world.cmd("diff 3 1 --output json").expect_code(0).json();
    assert_eq!(back["by_type"]["stocks"]["retracted"], 1);
    let same = world.cmd("diff 2 2 --output json").expect_code(0).json();
    assert_eq!(same["facts"], Value::Array(Vec::new()));
    let none = world.cmd("diff held").expect_code(2).stderr;
    assert!(none.contains("no run is held"), "{none}");
}

/// The last cell of each row is a fact's id.
fn blank(table: &str) -> String {
    let cut = |line: &str| line.rsplit_once(',').map_or(String::new(), |(row, _)| format!("{row},…\n"));
    table.lines().map(cut).collect()
}
