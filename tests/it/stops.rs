//! A run that is killed at any step: readers see the last published graph, and the next run reaches exactly
//! what an undisturbed run would have reached.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests copy and read workspaces")]

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::world::{World, copy};

/// Every step of a run, as `--stop-at` takes them, with whether its generation is published by then.
const STEPS: [(&str, bool); 15] = [
    ("opened", false),
    ("swept", false),
    ("requested", false),
    ("feeds-read", false),
    ("scanned", false),
    ("batch-written", false),
    ("documents-written", false),
    ("group-folded", false),
    ("folded", false),
    ("compared", false),
    ("published", true),
    ("changelog-written", true),
    ("index-written", true),
    ("indexed", true),
    ("reported", true),
];

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject }
  tests:    { subject: Supplier, object: Component }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [(from|as of|since) {valid_from:date}]"
- id: hearsay
  edge: supplies
  confidence: 0.5
  match: "{subject:Supplier} may be the source of {object:Component+} [since {valid_from:date}]"
- id: test
  edge: tests
  match: "{subject:Supplier} tests {object:Component+}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
gates: { gate: report }
sources:
  letters: { path: letters, include: ["**/*.md"] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name, Short] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name,Short
S1,TechChip Inc,
S2,Voltanix GmbH,
S3,Orion Systems,
//- letters/a.md
# Contract

TechChip supplies the Part 1 since 1 March 2020.

Voltanix may be the source of the Part 2.
//- letters/b.md
# Notice

The house of Voltanix supplies the Part 3.
//- letters/c.md
TechChip supplies the Part 4.
"#;

/// What happens before the run that is disturbed: so much that its gates, were they to block, would hold it.
const CHANGE: &str = r#"
//- suppliers.csv
Id,Name,Short
S1,TechChip Inc,TCI
S2,Voltanix GmbH,
S3,Orion Systems,
//- letters/a.md
# Contract

TechChip supplies the Part 1 since 1 March 2020.

From the second page on, TCI tests the Part 5.

Voltanix may be the source of the Part 2.
//- letters/b2.md
Voltanix supplies the Part 1 since 17 February 2024.
//- remove letters/c.md
//- rename letters/b.md letters/moved/b.md
"#;

/// How many letters there are beside those of the fixture: more than one batch.
const LETTERS: usize = 70;

/// A workspace with more than one batch of documents, before its first run.
fn workspace() -> World {
    let world = World::new(FIXTURE);
    let parts: Vec<String> = (1..=9).map(|part| format!("C{part},Part {part}")).collect();
    world.write("components.csv", format!("Id,Name\n{}\n", parts.join("\n")).as_bytes());
    letters(&world, "Voltanix tests");
    world
}

fn letters(world: &World, says: &str) {
    for number in 0..LETTERS {
        let text = format!("Letter {number}.\n\n{says} the Part {}.\n", number % 9 + 1);
        world.write(&format!("letters/many/{number:02}.md"), text.as_bytes());
    }
}

/// Everything that changes before the second run: documents, a feed, and a decision.
fn change(world: &World) {
    let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let question = sheet.lines().nth(1).unwrap().split(',').next().unwrap();
    world.write("answers.csv", format!("question,decision\n{question},approve\n").as_bytes());
    world.cmd("decide answers.csv --by Ada").expect_code(0);
    world.put(CHANGE);
    letters(world, "Orion tests");
}

fn export(world: &World) -> String {
    world.cmd("export --history").expect_code(0).stdout
}

fn digests(world: &World) -> (String, String) {
    let verified = world.cmd("verify --output json").expect_code(0).json();
    assert_eq!(verified["faults"], Value::Array(Vec::new()));
    let digest = |name: &str| verified[name].as_str().unwrap().to_owned();
    (digest("state_digest"), digest("history_digest"))
}

fn changelog(world: &World) -> BTreeMap<String, String> {
    fs::read_dir(world.path("changelog"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// The rows of an export or of a delta, by kind and id.
fn rows(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|row: &Value| row["kind"] != "header")
        .collect()
}

fn by_id(rows: Vec<Value>) -> BTreeMap<(String, String), Value> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    rows.into_iter().map(|row| ((text(&row, "kind"), text(&row, "id")), row)).collect()
}

#[test]
fn the_steps_that_are_tested_are_all_steps() {
    let names: Vec<&str> = edgewright::run::Step::ALL.into_iter().map(edgewright::run::Step::name).collect();
    assert_eq!(names, STEPS.map(|(name, _)| name));
}

/// Kills the second run at a step and compares with a run that was not disturbed.
fn killed_at(step: &str, published: bool) {
    let world = workspace();
    world.run();
    let before = export(&world);
    change(&world);
    let undisturbed = world.twin();
    undisturbed.run();
    let after = export(&undisturbed);
    assert_ne!(before, after);

    world.cmd(&format!("run --stop-at {step}")).expect_code(137);
    assert_eq!(&export(&world), if published { &after } else { &before });

    world.run();
    assert_eq!(export(&world), after, "after a stop at {step}");
    let found = |world: &World| world.found("tests --state all --limit 1000");
    assert_eq!(found(&world), found(&undisturbed), "after a stop at {step}");
    assert_eq!(digests(&world), digests(&undisturbed), "after a stop at {step}");
    assert_eq!(changelog(&world), changelog(&undisturbed), "after a stop at {step}");
}

macro_rules! killed {
    ($($test:ident $step:literal $published:literal),+ $(,)?) => {
        $(
            #[test]
            fn $test() {
                assert!(STEPS.contains(&($step, $published)));
                killed_at($step, $published);
            }
        )+
    };
}

killed! {
    killed_when_opened "opened" false,
    killed_when_swept "swept" false,
    killed_when_requested "requested" false,
    killed_when_feeds_are_read "feeds-read" false,
    killed_when_scanned "scanned" false,
    killed_when_a_batch_is_written "batch-written" false,
    killed_when_documents_are_written "documents-written" false,
    killed_when_a_group_is_folded "group-folded" false,
    killed_when_folded "folded" false,
    killed_when_compared "compared" false,
    killed_when_published "published" true,
    killed_when_the_changelog_is_written "changelog-written" true,
    killed_before_the_index_is_committed "index-written" true,
    killed_when_the_index_is_committed "indexed" true,
    killed_when_reported "reported" true,
}

#[test]
fn killed_at_every_step_one_after_another_from_an_empty_folder_on() {
    let world = workspace();
    for (step, published) in STEPS {
        if published {
            break;
        }
        world.cmd(&format!("run --stop-at {step}")).expect_code(137);
    }
    world.cmd("run --stop-at published").expect_code(137);
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    let undisturbed = workspace();
    undisturbed.run();
    assert_eq!(export(&world), export(&undisturbed));
    assert_eq!(digests(&world), digests(&undisturbed));
    assert_eq!(changelog(&world), changelog(&undisturbed));
}

#[test]
fn a_plan_after_a_killed_run_says_what_the_run_then_does() {
    let world = workspace();
    world.run();
    change(&world);
    world.cmd("run --stop-at documents-written").expect_code(137);
    let plan = world.cmd("plan --output json").expect_code(0).json();
    let run = world.run();
    for what in ["changes", "work", "inputs", "quarantined", "totals", "generation"] {
        assert_eq!(plan[what], run[what], "{what}");
    }
}

#[test]
fn one_run_at_a_time_and_a_dead_one_holds_nothing() {
    let world = workspace();
    world.cmd("run --stop-at scanned").expect_code(137);
    let lock = fs::read_dir(world.path(".edgewright"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().ends_with("lock"))
        .unwrap();
    let held = fs::File::open(&lock).unwrap();
    held.try_lock().unwrap();
    let busy = world.cmd("run").expect_code(5).stderr;
    assert!(busy.contains("another run is writing to this graph"), "{busy}");
    drop(held);
    world.run();
}

#[test]
fn a_changelog_that_cannot_be_written_is_said_with_what_to_do_about_it() {
    let world = workspace();
    world.write("changelog", b"no folder");
    let said = world.cmd("run").expect_code(1).stderr;
    assert!(said.contains("see to it that edgewright can read and write `changelog/`"), "{said}");
    assert_eq!(world.cmd("status --output json").json()["generation"], Value::Null);
    fs::remove_file(world.path("changelog")).unwrap();
    world.run();
    digests(&world);
}

#[test]
fn replay_gives_the_history_digest_that_verify_prints_and_the_same_export() {
    let world = workspace();
    world.run();
    change(&world);
    world.run();
    let (state, history) = digests(&world);
    let replayed = world.cmd("replay copy --output json").expect_code(0).json();
    assert_eq!(replayed["generations"], 2);
    assert_eq!(replayed["state_digest"], state.as_str());
    assert_eq!(replayed["history_digest"], history.as_str());

    // The folder of the copy is asked like the workspace; what folds by the rules needs them there.
    assert_eq!(world.cmd("-C copy export --history").expect_code(0).stdout, export(&world));
    let refused = world.cmd("-C copy verify").expect_code(2).stderr;
    assert!(
        refused.contains("into a folder that `replay` has filled, copy `ontology/` and `jobs/`"),
        "{refused}"
    );
    for folder in ["ontology", "jobs"] {
        copy(&world.path(folder), &world.path("copy").join(folder));
    }
    world.cmd("-C copy verify").expect_code(0);

    // The copy stands in the place of a lost store, and the next run has nothing to do.
    let lost = World::new("");
    for folder in ["ontology", "jobs", "letters", "changelog"] {
        copy(&world.path(folder), &lost.path(folder));
    }
    for feed in ["suppliers.csv", "components.csv"] {
        fs::copy(world.path(feed), lost.path(feed)).unwrap();
    }
    let refused = lost.cmd("run").expect_code(2).stderr;
    assert!(refused.contains("edgewright replay"), "{refused}");
    lost.cmd("replay .").expect_code(0);
    assert_eq!(export(&lost), export(&world));
    assert_eq!(digests(&lost), digests(&world));
    let run = lost.run();
    assert_eq!(run["outcome"], "nothing_to_do", "{run}");
}

#[test]
fn the_changes_since_a_generation_turn_its_export_into_that_of_now() {
    let world = workspace();
    world.run();
    change(&world);
    world.run();
    world.put("//- remove letters/b2.md\n//- letters/c.md\nVoltanix supplies the Part 4 since 1 May 2024.\n");
    world.run();
    let now = by_id(rows(&world.cmd("export").expect_code(0).stdout));
    for since in [1, 2, 3] {
        let mut copy = by_id(rows(&world.cmd(&format!("export --known-at {since}")).expect_code(0).stdout));
        let delta = world.cmd(&format!("export --since {since}")).expect_code(0).stdout;
        // Twice: applying it again must do nothing.
        for _ in 0..2 {
            for mut change in rows(&delta) {
                let name =
                    (change["kind"].as_str().unwrap().to_owned(), change["id"].as_str().unwrap().to_owned());
                match change.as_object_mut().unwrap().remove("op").unwrap().as_str().unwrap() {
                    "delete" => drop(copy.remove(&name)),
                    "upsert" => drop(copy.insert(name, change)),
                    other => panic!("no such operation: {other}"),
                }
            }
        }
        assert_eq!(copy, now, "since generation {since}");
        assert_eq!(delta.lines().count() == 1, since == 3);
    }
}
