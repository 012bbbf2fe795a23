//! Scans of many files: blocks let a night pass over what did not change, and say what it would say without them.

use std::fs;

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
words:
  SUPPLY: [supply~]
rules:
- id: supplies.clause
  edge: supplies
  match: "{subject:Supplier} SUPPLY {object:Component+} [from {valid_from:date}]"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: tests
sources:
  notes: { path: notes }
feeds:
  suppliers:  { path: suppliers.csv, entity: { type: Supplier, key: No, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: No, names: [Name] } }
//- suppliers.csv
No,Name
T,"TechChip, Inc."
V,Voltanix GmbH
//- components.csv
No,Name
C,Flight Control Unit
R,Radio Module
"#;

/// Six hundred notes in one folder and a hundred in another: three blocks. Their stamps are settled.
fn world() -> World {
    let mut world = World::new(FIXTURE);
    world.today = "2200-01-01".to_owned();
    for number in 0..700 {
        let folder = if number < 600 { "a" } else { "b" };
        world.write(&format!("notes/{folder}/{number:03}.md"), format!("Note {number}.\n").as_bytes());
    }
    world.run();
    assert_eq!(sums(&world), (0, 1), "nothing was there to be summed when the first run scanned");
    assert_eq!(night(&world), "nothing_to_do: 700 items, 0 new, 0 changed, 0 gone");
    assert_eq!(sums(&world), (3, 3));
    world
}

/// How many blocks have a sum, of how many.
fn sums(world: &World) -> (i64, i64) {
    let store = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    let count = "SELECT count(sum), count(*) FROM block";
    store.query_row(count, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

fn told(report: &Value) -> String {
    let inputs = report["inputs"].as_array().unwrap();
    let notes = inputs.iter().find(|input| input["name"] == "notes").unwrap();
    let number = |name: &str| notes[name].as_u64().unwrap();
    let (items, new, changed, gone) = (number("items"), number("added"), number("changed"), number("gone"));
    let outcome = report["outcome"].as_str().unwrap();
    format!("{outcome}: {items} items, {new} new, {changed} changed, {gone} gone")
}

fn night(world: &World) -> String {
    told(&world.cmd("run --output json").json())
}

/// A night after what was done, which must be planned with blocks as it is without them.
#[track_caller]
fn nights(world: &World, expected: &str) {
    let plan = || world.cmd("plan --output json").json();
    let with = plan();
    let store = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    store.execute_batch("CREATE TABLE kept AS SELECT * FROM block; DELETE FROM block;").unwrap();
    let without = plan();
    store.execute_batch("DELETE FROM block; INSERT INTO block SELECT * FROM kept; DROP TABLE kept;").unwrap();
    assert_eq!(with, without);
    assert_eq!(night(world), expected);
}

#[test]
fn one_changed_file_among_many_is_found() {
    let world = world();
    world.put("//- notes/a/300.md\nTechChip supplies the Radio Module from 1 March 2024.\n");
    nights(&world, "published: 700 items, 0 new, 1 changed, 0 gone");
    world.says("T supplies R [2024-03-01, ∞) ×1");
    assert_eq!(sums(&world), (2, 3), "the block of what was published is summed when it is read again");
    nights(&world, "nothing_to_do: 700 items, 0 new, 0 changed, 0 gone");
    assert_eq!(sums(&world), (3, 3));
    fs::remove_file(world.path("notes/a/300.md")).unwrap();
    nights(&world, "published: 699 items, 0 new, 0 changed, 1 gone");
    world.says("");
}

#[test]
fn whatever_happens_a_night_says_with_blocks_what_it_says_without() {
    let world = world();
    let nothing = "nothing_to_do: 700 items, 0 new, 0 changed, 0 gone";
    nights(&world, nothing);

    // A document is withdrawn, which no file shows; it may come back.
    world.put("//- notes/a/010.md\nTechChip supplies the Radio Module.\n");
    nights(&world, "published: 700 items, 0 new, 1 changed, 0 gone");
    nights(&world, nothing);
    world.cmd("retract notes/a/010.md --reason 'never signed'").expect_code(0);
    let stays = night(&world);
    nights(&world, &stays);
    world.cmd("retract notes/a/010.md --undo --reason 'it was'").expect_code(0);
    night(&world);
    nights(&world, nothing);

    // A run that is stopped, at any step, leaves nothing by which the next one could be misled.
    let changed = "published: 700 items, 0 new, 1 changed, 0 gone";
    let stops = [
        ("scanned", changed),
        ("documents-written", changed),
        ("folded", changed),
        ("published", nothing),
        ("indexed", nothing),
    ];
    for (at, (step, next)) in stops.into_iter().enumerate() {
        let text = format!("Voltanix supplies the Flight Control Unit from {} May 2024.\n", at + 1);
        world.write(&format!("notes/a/{at}00.md"), text.as_bytes());
        world.cmd(&format!("run --stop-at {step}")).expect_code(137);
        nights(&world, next);
        nights(&world, nothing);
    }

    // Files move and go; one is empty, which proves nothing, and so does a narrower glob.
    fs::rename(world.path("notes/a/200.md"), world.path("notes/b/200.md")).unwrap();
    nights(&world, "published: 700 items, 1 new, 0 changed, 1 gone");
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("notes/b/650.md", b"");
    world.write("jobs/nightly.yaml", job.replace("path: notes", "path: notes, exclude: [6*.md]").as_bytes());
    nights(&world, "partial: 600 items, 0 new, 0 changed, 0 gone");
    world.write("jobs/nightly.yaml", job.as_bytes());
    nights(&world, "partial: 699 items, 0 new, 0 changed, 0 gone");
    nights(&world, "partial: 699 items, 0 new, 0 changed, 0 gone");
    fs::remove_dir_all(world.path("notes/b")).unwrap();
    nights(&world, "published: 599 items, 0 new, 0 changed, 101 gone");
    fs::rename(world.path("notes/a"), world.path("elsewhere")).unwrap();
    nights(&world, "partial: 0 items, 0 new, 0 changed, 0 gone");
    fs::rename(world.path("elsewhere"), world.path("notes/a")).unwrap();
    nights(&world, "nothing_to_do: 599 items, 0 new, 0 changed, 0 gone");
    world.cmd("verify").expect_code(0);
}
