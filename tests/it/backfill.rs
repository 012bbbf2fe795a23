//! A run for an earlier day overrules nothing that was read for a later one.

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
  match: "{subject:Supplier} supplies {object:Component+}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters, include: ["**/*.md"], gone: expire }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
  stock:
    path: stock.csv
    format: { operation: Op }
    edge: { type: stocks, subject: Supplier, object: Part }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- components.csv
Id,Name
C1,Flight Computer
C2,Fuel Pump
C3,Landing Gear
//- stock.csv
Op,Supplier,Part
c,S1,C1
//- letters/a.md
TechChip supplies the Flight Computer.
"#;

/// What a run said of each input: its state.
fn states(report: &Value) -> String {
    let inputs = report["inputs"].as_array().unwrap().iter();
    inputs
        .map(|one| format!("{} {}", one["name"].as_str().unwrap(), one["state"].as_str().unwrap()))
        .collect::<Vec<_>>()
        .join(", ")
}

fn run_for(world: &World, day: &str) -> Value {
    world.cmd(&format!("run --output json --logical-date {day}")).expect_code(0).json()
}

#[test]
fn a_backfill_overrules_nothing_that_was_read_for_a_later_day() {
    let world = World::new(FIXTURE);
    run_for(&world, "2026-05-29");
    world.put(
        "//- letters/a.md\nTechChip supplies the Fuel Pump.\n//- stock.csv\nOp,Supplier,Part\nc,S1,C2\n",
    );
    let report = run_for(&world, "2026-05-31");
    assert_eq!(report["logical_date"], "2026-05-31");
    let newest = "S1 stocks C1 [?, ∞) ×1
                  S1 stocks C2 [?, ∞) ×1
                  S1 supplies C2 [?, ∞) ×1";
    world.says(newest);
    // What lay there on the day before is put back and read for that day: of the changes those of other rows count.
    world.put(
        "
        //- letters/a.md
        TechChip supplies the Flight Computer.
        //- letters/b.md
        Voltanix supplies the Landing Gear.
        //- suppliers.csv
        Id,Name
        S1,TechChip Inc
        //- stock.csv
        Op,Supplier,Part
        d,S1,C2
        c,S2,C3
        "
        .replace("        ", "")
        .as_str(),
    );
    let report = run_for(&world, "2026-05-30");
    assert_eq!(states(&report), "components later, suppliers later, stock read, letters later");
    world.says(&format!("{newest}\nS2 stocks C3 [?, ∞) ×1"));
    let text = world.cmd("run --logical-date 2026-05-30").expect_code(0).stdout;
    assert!(
        text.contains("letters: note[logical-date-passed]: it was read for 2026-05-31, and this run is made for 2026-05-30: it stays as it is"),
        "{text}"
    );
    // The same day may be run again, and a run for no day reads what is there.
    let report = run_for(&world, "2026-05-31");
    assert_eq!(states(&report), "components unchanged, suppliers read, stock read, letters read");
    world.put("//- letters/b.md\nVoltanix supplies the Fuel Pump.\n");
    let report = world.run_code(0);
    assert_eq!(states(&report), "components unchanged, suppliers unchanged, stock unchanged, letters read");
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_night_on_which_nothing_changed_counts_and_a_replay_knows_the_days_of_generations() {
    let world = World::new(FIXTURE);
    run_for(&world, "2026-05-28");
    assert_eq!(run_for(&world, "2026-05-31")["outcome"], "nothing_to_do");
    world.put("//- letters/a.md\nTechChip supplies the Fuel Pump.\n");
    assert_eq!(run_for(&world, "2026-05-30")["outcome"], "nothing_to_do");
    world.says("S1 stocks C1 [?, ∞) ×1\nS1 supplies C1 [?, ∞) ×1");
    let header = std::fs::read_to_string(world.path("changelog/000001.jsonl")).unwrap();
    assert!(header.lines().next().unwrap().ends_with(r#""logical_date":"2026-05-28"}"#), "{header}");
    let digest = || world.cmd("verify --output json").expect_code(0).json()["history_digest"].clone();
    let before = digest();
    std::fs::remove_dir_all(world.path(".edgewright")).unwrap();
    world.cmd("replay .").expect_code(0);
    assert_eq!(digest(), before);
    // Which nights saw nothing new a replay cannot know; rows that were changed for a later day stay all the same.
    world.put("//- stock.csv\nOp,Supplier,Part\nd,S1,C1\nc,S2,C2\n");
    run_for(&world, "2026-05-27");
    world.says(
        "S1 stocks C1 [?, ∞) ×1
         S1 supplies C2 [?, ∞) ×1
         S2 stocks C2 [?, ∞) ×1",
    );
}

#[test]
fn changes_that_a_backfill_passes_over_are_read_by_the_next_run() {
    let world = World::new(FIXTURE);
    world.put("//- stock.csv\nOp,Supplier,Part\nc,S1,C1\nc,S1,C2\nc,S1,C3\n");
    run_for(&world, "2026-05-28");
    world.put("//- stock.csv\nOp,Supplier,Part\nd,S1,C1\n");
    run_for(&world, "2026-05-29");
    // Tonight's changes lie there while an earlier day is run again.
    world.put("//- stock.csv\nOp,Supplier,Part\nc,S1,C1\nc,S2,C2\n");
    run_for(&world, "2026-05-28");
    let others =
        "S1 stocks C2 [?, ∞) ×1\nS1 stocks C3 [?, ∞) ×1\nS1 supplies C1 [?, ∞) ×1\nS2 stocks C2 [?, ∞) ×1";
    world.says(others);
    world.run();
    world.says(&format!("{others}\nS1 stocks C1 [?, ∞) ×1"));
    assert_eq!(world.run()["outcome"], "nothing_to_do");
}

#[test]
fn the_day_of_a_run_is_today_and_not_in_the_future() {
    let world = World::new(FIXTURE);
    world.run();
    let refused = world.cmd("run --logical-date 2026-06-02").expect_code(2).stderr;
    assert!(refused.contains("the logical date 2026-06-02 is later than today, 2026-06-01"), "{refused}");
    std::fs::remove_file(world.path("letters/a.md")).unwrap();
    world.put("//- letters/b.md\nVoltanix supplies the Landing Gear.\n");
    let mut later = world;
    later.today = "2026-06-05".to_owned();
    run_for(&later, "2026-06-03");
    later.says(
        "S1 stocks C1 [?, ∞) ×1
         S1 supplies C1 [?, 2026-06-03) ×1
         S2 supplies C3 [?, ∞) ×1",
    );
}

#[test]
fn a_held_run_for_a_day_counts_once_it_is_released() {
    let world = World::new(FIXTURE);
    run_for(&world, "2026-05-28");
    world.put("//- letters/a.md\nTechChip supplies the Fuel Pump.\n");
    world.cmd("run --candidate --logical-date 2026-05-31").expect_code(0);
    world.cmd("release --reason right").expect_code(0);
    world.put("//- letters/a.md\nTechChip supplies the Landing Gear.\n");
    assert_eq!(run_for(&world, "2026-05-30")["outcome"], "nothing_to_do");
    world.says("S1 stocks C1 [?, ∞) ×1\nS1 supplies C2 [?, ∞) ×1");
    let header = std::fs::read_to_string(world.path("changelog/000002.jsonl")).unwrap();
    assert!(header.lines().next().unwrap().contains(r#""logical_date":"2026-05-31""#), "{header}");
}
