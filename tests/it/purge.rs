//! A purged document is erased everywhere, and what is left says that something was.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read what is on the disk")]

mod ends;
mod quotes;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
  Person:    { on_unknown: create }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [since {valid_from:date}] [until {valid_to:date}]"
- id: hearsay
  edge: supplies
  confidence: 0.5
  match: "{subject:Supplier} may be the source of {object:Component+}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters, include: ["**/*.md"] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
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
//- letters/abe.md
# Letter of Abelard Quince

TechChip supplies the Flight Computer since 1 March 2020.

TechChip supplies the Fuel Pump since 1 March 2020.

Voltanix may be the source of the Cabin Fan, as Abelard was told.

All parts are painted gray.
//- letters/bob.md
# Letter of Bob

TechChip supplies the Flight Computer since 1 March 2020.

Voltanix supplies the Rudder Trim since 1 May 2021.

All parts are painted gray.
"#;

/// What only the letters of Abelard say, in any of their versions, and what they are called.
const HIS: [&str; 5] = ["Abelard", "Quince", "abe.md", "quince.md", "Orkney"];

/// Three nights and a decision: his letter changes, and moves.
fn world() -> World {
    let world = World::new(FIXTURE);
    world.run();
    world.put(
        "//- letters/abe.md
# Letter of Abelard Quince

TechChip supplies the Flight Computer since 1 March 2020.

TechChip supplies the Rudder Trim since 1 June 2023, says the office in Orkney.

Voltanix may be the source of the Cabin Fan, as Abelard was told.

All parts are painted gray.
",
    );
    world.run();
    world.put("//- rename letters/abe.md letters/old/quince.md");
    world.run();
    decide(&world, "reject", "hearsay");
    world.run();
    world
}

/// Answers what waits, all of it.
fn decide(world: &World, decision: &str, reason: &str) {
    let text = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let mut writer = csv::Writer::from_path(world.path("answers.csv")).unwrap();
    writer.write_record(&header).unwrap();
    for record in reader.records() {
        let record = record.unwrap();
        let cells = header.iter().zip(&record).map(|(column, cell)| match column {
            "decision" => decision,
            "reason" => reason,
            _ => cell,
        });
        writer.write_record(cells).unwrap();
    }
    writer.flush().unwrap();
    drop(writer);
    world.cmd("decide answers.csv --by Ada").expect_code(0);
    fs::remove_file(world.path("answers.csv")).unwrap();
}

/// Every file below a folder that has one of these words in its bytes.
fn holding(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, words));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let said = words.iter().filter(|word| text.contains(&word.to_lowercase()));
        found.extend(said.map(|word| format!("{}: {word}", path.display())));
    }
    found.sort();
    found
}

fn left_of_him(world: &World) -> Vec<String> {
    let mut left = holding(&world.path(".edgewright"), &HIS);
    left.extend(holding(&world.path("changelog"), &HIS));
    left
}

fn digests(world: &World) -> (String, String) {
    let verified = world.cmd("verify --output json").expect_code(0).json();
    assert_eq!(verified["faults"], Value::Array(Vec::new()));
    let digest = |name: &str| verified[name].as_str().unwrap().to_owned();
    (digest("state_digest"), digest("history_digest"))
}

const PURGE: &str = "purge letters/abe.md --reason 'erasure request 17' --by Eve";

#[test]
fn a_purged_document_is_nowhere_and_what_others_say_stays() {
    let world = world();
    assert!(!left_of_him(&world).is_empty());
    fs::remove_file(world.path("letters/old/quince.md")).unwrap();
    let done = world.cmd(&format!("{PURGE} --yes --output json")).expect_code(0).json();
    assert_eq!(done["documents"], serde_json::json!(["letters/abe.md", "letters/old/quince.md"]));
    assert_eq!(left_of_him(&world), [""; 0]);
    world.says(
        "S1 supplies C1 [2020-03-01, ∞) ×1
         S2 supplies C4 [2021-05-01, ∞) ×1",
    );
    // In the generations before as well: what rests on others is what it would have been.
    for generation in 1..=4 {
        assert_eq!(world.graph_with(&format!("--known-at {generation}")), world.graph(), "{generation}");
    }
    assert_eq!(world.found("'painted gray'"), ["letters/bob.md:7 current"]);
    assert_eq!(world.found("Abelard --state all"), [""; 0]);
    digests(&world);
    assert_eq!(world.run()["outcome"], "nothing_to_do");
}

#[test]
fn the_changelog_of_a_purged_graph_replays_to_it() {
    let world = world();
    fs::remove_file(world.path("letters/old/quince.md")).unwrap();
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    let first = fs::read_to_string(world.path("changelog/000001.jsonl")).unwrap();
    assert!(first.contains(r#""kind":"redaction","id":"00000001/00000001""#), "{first}");
    let again = world.twin();
    fs::remove_dir_all(again.path(".edgewright")).unwrap();
    again.cmd("replay .").expect_code(0);
    assert_eq!(digests(&again), digests(&world));
    let export = |world: &World| world.cmd("export --history").expect_code(0).stdout;
    assert_eq!(export(&again), export(&world));
}

#[test]
fn the_bytes_of_a_purged_document_are_not_read_again_and_others_under_its_name_are() {
    let world = world();
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    let night = world.cmd("run").expect_code(0).stdout;
    assert!(night.contains("letters/old/quince.md: warning[purged]: its bytes were purged"), "{night}");
    let graph = world.graph();
    // Wherever it lies, and every night.
    world.put("//- rename letters/old/quince.md letters/new.md");
    let night = world.cmd("run").expect_code(0).stdout;
    assert!(night.contains("letters/new.md: warning[purged]"), "{night}");
    assert_eq!(world.graph(), graph);
    world.put("//- letters/new.md\nTechChip supplies the Landing Gear since 1 March 2022.\n");
    world.run();
    world.says(&format!("{graph}\nS1 supplies C3 [2022-03-01, ∞) ×1"));
}

#[test]
fn decisions_keep_their_numbers_and_lose_what_they_quote() {
    let world = world();
    fs::remove_file(world.path("letters/old/quince.md")).unwrap();
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    let log = world.cmd("export --history").expect_code(0).stdout;
    assert!(!log.contains("Abelard"), "{log}");
    world.put("//- letters/bob.md\nVoltanix may be the source of the Cabin Fan.\n");
    world.cmd("run").expect_code(0);
    decide(&world, "approve", "");
    world.run();
    let undone = world.cmd("decide --undo 2 --by Ada").expect_code(0).stdout;
    assert!(undone.contains('2'), "{undone}");
}

#[test]
fn a_purge_that_is_killed_has_not_happened_or_is_brought_to_its_end() {
    let undisturbed = world();
    fs::remove_file(undisturbed.path("letters/old/quince.md")).unwrap();
    let before = undisturbed.graph_with("--known-at 1");
    let twins: Vec<World> = edgewright::run::Step::ALL
        .into_iter()
        .chain(edgewright::run::Step::OF_PURGE)
        // No feed is read for it, and no document looked at.
        .filter(|step| !["feeds-read", "batch-written"].contains(&step.name()))
        .map(|step| {
            let twin = undisturbed.twin();
            twin.cmd(&format!("{PURGE} --yes --stop-at {}", step.name())).expect_code(137);
            if step < edgewright::run::Step::Published {
                assert_eq!(twin.graph_with("--known-at 1"), before, "stopped at {}", step.name());
                twin.cmd(&format!("{PURGE} --yes")).expect_code(0);
            }
            twin
        })
        .collect();
    undisturbed.cmd(&format!("{PURGE} --yes")).expect_code(0);
    undisturbed.run();
    for twin in twins {
        twin.run();
        assert_eq!(left_of_him(&twin), [""; 0]);
        assert_eq!(twin.graph_with("--known-at 1"), undisturbed.graph_with("--known-at 1"));
        digests(&twin);
        assert_eq!(twin.run()["outcome"], "nothing_to_do");
    }
}

#[test]
fn who_asks_again_for_a_purge_that_was_killed_is_told_that_it_is_done_now() {
    for again in [format!("{PURGE} --yes"), "discard --reason x".to_owned(), "unfreeze --reason x".to_owned()]
    {
        let world = world();
        fs::remove_file(world.path("letters/old/quince.md")).unwrap();
        world.cmd(&format!("{PURGE} --yes --stop-at redacted")).expect_code(137);
        let said = world.cmd(&again).expect_code(2).stderr;
        assert!(
            said.contains("warning[purge-resumed]: a purge that was stopped has been brought to its end"),
            "{said}"
        );
        world.run();
        world.cmd("verify").expect_code(0);
    }
}

#[test]
fn what_a_purge_needs_and_would_do_is_said() {
    let world = world();
    let refused = world.cmd(PURGE).expect_code(2).stderr;
    assert!(refused.contains("cannot be taken back"), "{refused}");
    let unknown = world.cmd("purge letters/no.md --reason x --yes").expect_code(2).stderr;
    assert!(unknown.contains("no generation has held a document `letters/no.md`"), "{unknown}");
    let digests_before = digests(&world);
    let dry = world.cmd(&format!("{PURGE} --dry-run")).expect_code(0).stdout;
    assert!(dry.starts_with("would purge\n  letters/abe.md\n  letters/old/quince.md\n"), "{dry}");
    assert_eq!(digests(&world), digests_before);
    // A copy has the same bytes, and is another document.
    world.write("letters/copy.md", &fs::read(world.path("letters/old/quince.md")).unwrap());
    world.run();
    let copies = world.cmd(&format!("{PURGE} --yes --output json")).expect_code(0).json()["copies"].clone();
    assert_eq!(copies, serde_json::json!(["letters/copy.md"]));
    let night = world.cmd("run").expect_code(0).stdout;
    assert!(!night.contains("letters/copy.md: warning[purged]"), "{night}");
}

#[test]
fn a_version_that_was_never_published_is_not_purged_and_that_is_said() {
    let world = world();
    assert!(!world.cmd(&format!("{PURGE} --dry-run")).expect_code(0).stdout.contains("purge-newer"));
    world.put("//- letters/old/quince.md\nTechChip supplies the Landing Gear since 2 March 2022.\n");
    let warns = "letters/old/quince.md: warning[purge-newer]: it holds other bytes than the graph ever had";
    for how in ["--dry-run", "--yes"] {
        let said = world.cmd(&format!("{PURGE} {how}")).expect_code(0).stdout;
        assert!(said.contains(warns) && said.contains("take the file away before the next run"), "{said}");
    }
    assert_eq!(left_of_him(&world), [""; 0]);
    world.cmd("run").expect_code(0);
    assert!(world.graph().contains("S1 supplies C3 [2022-03-02, ∞) ×1"));
    digests(&world);
}

#[test]
fn an_edit_is_taken_back_and_not_purged() {
    let world = world();
    world.write("flood.md", b"A flood.\n");
    let said = world.cmd("purge edit/3.md --reason x --yes").expect_code(2).stderr;
    assert!(
        said.contains("`edit/3.md` came with an edit")
            && said.contains("`edgewright edit undo 3 --reason …`"),
        "{said}"
    );
}

/// A night's report as it was written, with all others.
fn reports(world: &World) -> String {
    let mut text = String::new();
    for run in fs::read_dir(world.path(".edgewright/runs")).unwrap() {
        for file in fs::read_dir(run.unwrap().path()).unwrap() {
            text.push_str(&fs::read_to_string(file.unwrap().path()).unwrap());
        }
    }
    text
}

#[test]
fn a_document_that_took_the_bytes_or_the_name_of_another_one_stays() {
    // Two letters change places.
    let world = World::new(FIXTURE);
    world.run();
    world.put(
        "//- rename letters/abe.md letters/third.md
         //- rename letters/bob.md letters/abe.md
         //- rename letters/third.md letters/bob.md",
    );
    world.run();
    let done = world.cmd(&format!("{PURGE} --dry-run --output json")).expect_code(0).json();
    assert_eq!(done["documents"], serde_json::json!(["letters/abe.md"]));
    assert_eq!(done["copies"], serde_json::json!(["letters/bob.md"]));
    // A copy of the old version comes on the night on which a new one does.
    let world = World::new(FIXTURE);
    world.run();
    let old = fs::read(world.path("letters/abe.md")).unwrap();
    world.write("letters/copy.md", &old);
    let text = String::from_utf8(old).unwrap();
    world.write("letters/abe.md", text.replace("Fuel Pump", "Rudder Trim").as_bytes());
    world.run();
    let done = world.cmd(&format!("{PURGE} --dry-run --output json")).expect_code(0).json();
    assert_eq!(done["documents"], serde_json::json!(["letters/abe.md"]));
    assert_eq!(done["copies"], serde_json::json!(["letters/copy.md"]));
}

#[test]
fn a_document_that_moved_and_changed_on_the_way_is_erased_under_both_names() {
    let world = World::new(FIXTURE);
    let lines: Vec<String> =
        (0..60).map(|n| format!("Abelard has painted part {n} in the hall {}.\n\n", n * 7)).collect();
    let letter = format!(
        "# Letter of Quince\n\nTechChip supplies the Fuel Pump since 1 March 2020.\n\n{}",
        lines.concat()
    );
    world.write("letters/abe.md", letter.as_bytes());
    world.run();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.write("letters/quince.md", format!("{letter}Painted again in Orkney.\n").as_bytes());
    let night = world.cmd("run").expect_code(0).stdout;
    assert!(night.contains("it was letters/abe.md"), "{night}");
    fs::remove_file(world.path("letters/quince.md")).unwrap();
    for name in ["abe", "quince"] {
        let twin = world.twin();
        let purged = format!("purge letters/{name}.md --reason x --yes --output json");
        let done = twin.cmd(&purged).expect_code(0).json();
        assert_eq!(done["documents"], serde_json::json!(["letters/abe.md", "letters/quince.md"]));
        assert_eq!(left_of_him(&twin), [""; 0]);
        digests(&twin);
        assert_eq!(twin.run()["outcome"], "nothing_to_do");
    }
}

#[test]
fn what_is_said_of_documents_with_like_names_stays() {
    let world = World::new(FIXTURE);
    let letter = fs::read_to_string(world.path("letters/bob.md")).unwrap();
    for name in ["babe.md", "abe.md.md", "new/abe.md"] {
        let text = letter.replace("Rudder Trim", "Landing Gear").replace("Bob", name);
        world.write(&format!("letters/{name}"), text.as_bytes());
    }
    world.run();
    fs::write(world.path("letters/babe.md"), "Gone.\n").unwrap();
    world.run();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    let told = |name: &str| (reports(&world).matches(name).count(), history(&world).matches(name).count());
    let before = ["babe.md", "abe.md.md", "new/abe.md"].map(told);
    assert!(before[0].0 > 0 && before[2].0 > 0, "{before:?}");
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    let after = ["babe.md", "abe.md.md", "new/abe.md"].map(told);
    assert_eq!(after, before);
}

#[test]
fn what_others_stated_too_stays_in_the_generations_in_which_they_did() {
    let world = World::new(FIXTURE);
    world.put("//- letters/cid.md\nTechChip supplies the Flight Computer since 1 March 2020.\n");
    world.run();
    world.put("//- remove letters/cid.md");
    world.run();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    let rest = "S2 supplies C4 [2021-05-01, ∞) ×1";
    for (generation, many) in [(1, 2), (2, 1), (3, 1)] {
        let graph = world.graph_with(&format!("--known-at {generation}"));
        assert_eq!(graph, format!("S1 supplies C1 [2020-03-01, ∞) ×{many}\n{rest}"), "{generation}");
    }
    digests(&world);
}

#[test]
fn whom_only_a_purged_document_names_no_report_names() {
    let world = World::new(&FIXTURE.replace(
        "rules:",
        "  writes:   { subject: Person, object: Supplier }
rules:
- id: writes
  edge: writes
  match: \"{subject:Person} writes to {object:Supplier}\"",
    ));
    world.put(
        "//- letters/abe.md
# Letter

Quince writes to TechChip.

Bea writes to TechChip.
//- letters/bob.md
Bea writes to Voltanix.",
    );
    world.run();
    assert!(reports(&world).contains("Person:Quince"));
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    assert_eq!(left_of_him(&world), [""; 0]);
    assert!(reports(&world).contains("Person:Bea"));
    world.says("Bea writes S2 [?, ∞) ×1");
}

fn history(world: &World) -> String {
    world.cmd("export --history").expect_code(0).stdout
}

#[test]
fn an_end_that_followed_from_a_purged_date_is_not_told_by_what_it_ended() {
    let world = World::new(FIXTURE);
    world.put(
        "//- letters/bob.md
Voltanix supplies the Landing Gear since 1 May 2021.
         //- letters/cid.md
TechChip supplies the Landing Gear since 1 June 2024.
         //- letters/abe.md
TechChip supplies the Landing Gear since 7 July 2023.",
    );
    world.run();
    world.says(
        "S1 supplies C3 [2023-07-07, ∞) ×2
         S2 supplies C3 [2021-05-01, 2023-07-07) ×1",
    );
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    assert_eq!(holding(&world.path("changelog"), &["2023-07-07"]), [""; 0]);
    assert_eq!(world.graph_with("--known-at 1"), world.graph());
    digests(&world);
}

#[test]
fn what_became_of_a_purge_that_was_killed_is_said() {
    let world = world();
    world.cmd(&format!("{PURGE} --yes --stop-at requested")).expect_code(137);
    let faults = world.cmd("verify").expect_code(1).stdout;
    assert!(faults.contains("has not happened; ask for it again"), "{faults}");
    let status = world.cmd("status").expect_code(0);
    assert!(status.stdout.contains("\na purge was asked for, and has not happened; "), "{}", status.stdout);
    assert_eq!(status.stderr, "", "it is said once");
    let night = world.cmd("run").expect_code(0).stdout;
    assert!(
        night.contains("warning[purge-resumed]: a purge was stopped before anything was erased"),
        "{night}"
    );
    fs::remove_file(world.path("letters/old/quince.md")).unwrap();
    world.cmd(&format!("{PURGE} --yes --stop-at purging")).expect_code(137);
    assert!(world.cmd("verify").stdout.contains("the next `edgewright run` goes on with it"));
    let goes_on = "a purge has not come to its end: the document stands no more";
    for asked in ["search rudder", "show S1", "export"] {
        let said = world.cmd(asked).expect_code(0).stderr;
        assert!(said.contains(&format!("note: {goes_on}")), "{asked}: {said}");
    }
    let status = world.cmd("status --output json").expect_code(0).json();
    assert!(status["purge"].as_str().unwrap().starts_with(goes_on), "{status}");
    // A plan writes nothing.
    world.cmd("plan").expect_code(0);
    assert!(!left_of_him(&world).is_empty());
    let night = world.cmd("run").expect_code(0).stdout;
    assert!(night.contains("a purge that was stopped has been brought to its end"), "{night}");
    assert_eq!(left_of_him(&world), [""; 0]);
    assert_eq!(world.cmd("status --output json").json()["purge"], Value::Null);
    let again = world.cmd(&format!("{PURGE} --yes")).expect_code(2).stderr;
    assert!(again.contains("`letters/abe.md` was purged by Eve at"), "{again}");
}

#[test]
fn what_comes_under_the_name_of_a_purged_document_before_its_end_is_another_one() {
    let world = world();
    fs::remove_file(world.path("letters/old/quince.md")).unwrap();
    let reader = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM scope;").unwrap();
    let busy = world.cmd(&format!("{PURGE} --yes")).expect_code(2).stderr;
    assert!(busy.contains("is erased, but old pages stay"), "{busy}");
    world.put("//- letters/old/quince.md\nTechChip supplies the Landing Gear since 1 March 2022.\n");
    world.cmd("run").expect_code(0);
    let says = world.graph();
    assert!(says.contains("S1 supplies C3 [2022-03-01, ∞) ×1"), "{says}");
    drop(reader);
    world.cmd("run").expect_code(0);
    assert_eq!(world.graph(), says);
    digests(&world);
}

#[test]
fn reports_that_were_left_half_written_stand_in_the_way_of_no_purge() {
    let world = world();
    for run in fs::read_dir(world.path(".edgewright/runs")).unwrap() {
        let folder = run.unwrap().path();
        fs::copy(folder.join("run.json"), folder.join("run.part")).unwrap();
    }
    fs::remove_file(world.path("letters/old/quince.md")).unwrap();
    world.cmd(&format!("{PURGE} --yes")).expect_code(0);
    assert_eq!(left_of_him(&world), [""; 0]);
}
