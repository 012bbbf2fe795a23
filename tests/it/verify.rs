//! `verify` finds what is not as it must be: one planted corruption a test, found by name.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests damage what they made")]

use std::fs;

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::world::World;

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
- id: stop
  edge: supplies
  asserts: end
  match: "{subject:Supplier} ceased to supply {object:Component+} on {valid_to:date}"
- id: test
  edge: tests
  match: "{subject:Supplier} tests {object:Component+} [(from|as of|since) {valid_from:date}] [until {valid_to:date}]"
- id: hearsay
  edge: tests
  confidence: 0.5
  match: "{subject:Supplier} looked at {object:Component+}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
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
C1,Radio Module
C2,Main Board
C3,Brake Pad
//- letters/a.md
# Contracts

TechChip supplies the Radio Module since 1 March 2020.

TechChip tests the Main Board since 1 May 2020 until 1 May 2021.

Voltanix looked at the Brake Pad.
//- letters/b.md
Voltanix ceased to supply the Brake Pad on 16 February 2024.
"#;

const LATER: &str = r#"
//- letters/c.md
Voltanix supplies the Radio Module since 17 February 2024.
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Brake Pad
C4,Door Seal
"#;

/// A workspace with two generations, an edge that a newcomer ended, a question, a decision and a waiting end.
fn workspace() -> World {
    let world = World::new(FIXTURE);
    world.run();
    world.put(LATER);
    let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let question = sheet.lines().nth(1).unwrap().split(',').next().unwrap();
    world.write("answers.csv", format!("question,decision\n{question},approve\n").as_bytes());
    world.cmd("decide answers.csv").expect_code(0);
    world.put("//- letters/d.md\nTechChip looked at the Brake Pad.\n");
    world.run();
    world
}

/// The names of the faults that `verify` finds, each once; its exit code says whether there are any.
fn faults(world: &World) -> Vec<String> {
    let output = world.cmd("verify --output json");
    let found = output.json();
    let mut names: Vec<String> = found["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["name"].as_str().unwrap().to_owned())
        .collect();
    names.dedup();
    assert_eq!(output.code, i32::from(!names.is_empty()), "{found}");
    names
}

fn store(world: &World) -> Connection {
    Connection::open(world.path(".edgewright/graph.db")).unwrap()
}

/// Damages the database with a statement that must change exactly one row.
fn damage(world: &World, sql: &str) {
    assert_eq!(store(world).execute(sql, []).unwrap(), 1, "{sql}");
}

/// Damages the body of the first live record of a kind whose body holds a text.
fn edit_body(world: &World, kind: &str, from: &str, to: &str) {
    let store = store(world);
    let sql = format!(
        "SELECT id, opened, CAST(body AS TEXT) FROM {kind} WHERE closed IS NULL AND instr(CAST(body AS TEXT), ?1) > 0 ORDER BY id"
    );
    let (id, opened, body): (String, i64, String) =
        store.query_row(&sql, [from], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let sql = format!("UPDATE {kind} SET body = ?1 WHERE id = ?2 AND opened = ?3");
    let body = body.replacen(from, to, 1).into_bytes();
    assert_eq!(store.execute(&sql, params![body, id, opened]).unwrap(), 1);
}

macro_rules! found {
    ($($test:ident: $fault:literal, $plant:expr;)+) => {
        $(
            #[test]
            fn $test() {
                let world = workspace();
                let plant: fn(&World) = $plant;
                plant(&world);
                let found = faults(&world);
                assert!(found.contains(&$fault.to_owned()), "{found:?}");
                let text = world.cmd("verify").expect_code(1).stdout;
                assert!(text.contains($fault), "{text}");
            }
        )+
    };
}

#[test]
fn a_sound_store_has_no_fault_and_says_so() {
    let world = workspace();
    world.says(
        "S1 supplies C1 [2020-03-01, 2024-02-17) ×1
         S2 supplies C1 [2024-02-17, ∞) ×1
         S1 tests C2 [2020-05-01, 2021-05-02) ×1
         S2 tests C3 [?, ∞) ×1
         ? S1 tests C3: confidence-low",
    );
    assert_eq!(faults(&world), [""; 0]);
    assert!(world.cmd("verify").expect_code(0).stdout.starts_with("generation 2 is sound\n"));
}

found! {
    a_chunk_with_another_text: "chunk-differs", |world| {
        let store = store(world);
        let (id, body): (String, Vec<u8>) = store
            .query_row("SELECT id, body FROM chunk ORDER BY id LIMIT 1", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let text = String::from_utf8(lz4_flex::decompress_size_prepended(&body).unwrap()).unwrap();
        let changed = text.replacen("\"text\":\"", "\"text\":\"Not so: ", 1);
        assert_ne!(text, changed);
        let body = lz4_flex::compress_prepend_size(changed.as_bytes());
        assert_eq!(store.execute("UPDATE chunk SET body = ?1 WHERE id = ?2", params![body, id]).unwrap(), 1);
    };
    a_chunk_that_is_lost: "chunk-missing", |world| {
        damage(world, "DELETE FROM chunk WHERE id = (SELECT min(id) FROM chunk)");
    };
    an_assertion_that_is_lost: "attestation-missing", |world| {
        damage(world, "DELETE FROM assertion WHERE subject = 'Supplier:S2' AND object = 'Component:C1'");
    };
    an_extraction_that_is_lost: "extraction-missing", |world| {
        damage(world, "DELETE FROM extraction WHERE id = (SELECT min(id) FROM extraction WHERE document = 'letters/a.md')");
    };
    a_document_that_is_lost: "document-missing", |world| {
        damage(world, "DELETE FROM document WHERE id = 'letters/a.md'");
    };
    a_count_that_is_off_by_one: "census-differs", |world| {
        edit_body(world, "census", "\"facts\":2", "\"facts\":3");
    };
    a_name_that_finds_nobody: "name-lost", |world| {
        damage(world, "DELETE FROM name WHERE whole = 'techchip inc'");
    };
    a_tally_that_is_off_by_one: "tally-differs", |world| {
        damage(world, "UPDATE tally SET number = number + 1 WHERE what = 'document'");
    };
    a_checkpoint_that_forgot_its_document: "checkpoint-differs", |world| {
        damage(world, "UPDATE checkpoint SET held = NULL WHERE path = 'a.md'");
    };
    a_state_digest_that_is_another: "state-digest", |world| {
        damage(world, "UPDATE generation SET state_digest = replace(state_digest, substr(state_digest, 1, 8), '00000000') WHERE id = 2");
    };
    a_history_digest_that_is_another: "history-digest", |world| {
        damage(world, "UPDATE generation SET history_digest = substr(history_digest, 2) || '0' WHERE id = 1");
    };
    a_generation_that_is_lost: "generation-missing", |world| {
        damage(world, "DELETE FROM generation WHERE id = 1");
    };
    a_lookup_column_that_is_another: "lookup-differs", |world| {
        damage(world, "UPDATE fact SET object = 'Component:C2' WHERE object = 'Component:C3'");
    };
    an_interval_beside_a_fact_that_is_another: "lookup-differs", |world| {
        damage(world, "UPDATE fact SET intervals = '2019-01-01/' WHERE object = 'Component:C3'");
    };
    a_pair_of_types_that_nothing_joins: "tally-differs", |world| {
        damage(world, "DELETE FROM tally WHERE which = 'Supplier:tests:Component'");
    };
    a_fact_that_says_something_else: "fact-differs", |world| {
        let store = store(world);
        let changed = store.execute("UPDATE fact SET body = CAST(replace(CAST(body AS TEXT), 'Component:C3', 'Component:C1') AS BLOB), object = 'Component:C1' WHERE object = 'Component:C3'", []).unwrap();
        assert_eq!(changed, 1);
    };
    a_fact_whose_interval_is_another: "fold-differs", |world| {
        edit_body(world, "fact", "2021-05-02", "2031-05-02");
    };
    a_fact_that_is_lost: "fold-differs", |world| {
        damage(world, "DELETE FROM fact WHERE object = 'Component:C2'");
    };
    a_decision_that_is_lost: "fold-differs", |world| {
        damage(world, "DELETE FROM decision");
    };
    an_end_that_waits_no_more: "fold-differs", |world| {
        damage(world, "DELETE FROM pending_end");
    };
    a_question_about_nothing: "quarantine-dangling", |world| {
        damage(world, "DELETE FROM assertion WHERE id IN (SELECT id FROM quarantine WHERE closed IS NULL)");
    };
    a_question_that_is_lost: "fold-differs", |world| {
        damage(world, "DELETE FROM quarantine WHERE closed IS NULL");
    };
    a_quote_that_the_text_does_not_hold: "quote-differs", |world| {
        edit_body(world, "assertion", "\"quote\":\"TechChip supplies", "\"quote\":\"TechChip never supplies");
    };
    two_versions_in_one_generation: "versions-overlap", |world| {
        damage(world, "UPDATE fact SET closed = NULL WHERE closed = 2");
    };
    a_lookup_index_that_lost_a_row: "database-damaged", |world| {
        // SQLite keeps an index for as long as it knows of it: it is made to forget it while a row moves.
        let hide = "PRAGMA writable_schema = on; CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'fact_object'; DELETE FROM sqlite_schema WHERE name = 'fact_object'";
        store(world).execute_batch(hide).unwrap();
        damage(world, "UPDATE fact SET rowid = rowid + 1000 WHERE object = 'Component:C3'");
        let show = "PRAGMA writable_schema = on; INSERT INTO sqlite_schema SELECT * FROM kept; DROP TABLE kept";
        store(world).execute_batch(show).unwrap();
    };
    a_row_of_no_generation: "unpublished-rows", |world| {
        damage(world, "UPDATE fact SET opened = 3 WHERE object = 'Component:C2'");
    };
    a_body_that_is_no_record: "record-unreadable", |world| {
        damage(world, "UPDATE assertion SET body = CAST('{' AS BLOB) WHERE subject = 'Supplier:S2' AND object = 'Component:C1'");
    };
    a_feed_row_that_is_another: "history-digest", |world| {
        edit_body(world, "feed_row", "Main Board", "Main Bored");
    };
    a_changelog_line_that_is_another: "changelog-differs", |world| {
        let path = world.path("changelog/000001.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("TechChip Inc", "TechChip Ltd", 1)).unwrap();
    };
    a_changelog_line_too_many: "changelog-differs", |world| {
        let path = world.path("changelog/000002.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let last = text.lines().last().unwrap();
        fs::write(&path, format!("{text}{last}\n")).unwrap();
    };
    a_changelog_file_that_is_lost: "changelog-missing", |world| {
        fs::remove_file(world.path("changelog/000001.jsonl")).unwrap();
    };
    a_changelog_file_of_the_future: "changelog-ahead", |world| {
        fs::copy(world.path("changelog/000002.jsonl"), world.path("changelog/000003.jsonl")).unwrap();
    };
}

#[test]
fn replay_stops_at_a_changelog_that_was_changed_and_names_the_file() {
    let world = workspace();
    let path = world.path("changelog/000001.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("TechChip Inc", "TechChip Ltd", 1)).unwrap();
    let refused = world.cmd("replay copy").expect_code(2).stderr;
    assert!(
        refused.contains("000002.jsonl"),
        "the digest of the first is wrong, so the second does not follow: {refused}"
    );
}

#[test]
fn verify_writes_nothing() {
    let world = workspace();
    let bytes = || {
        let export = world.cmd("export --history").expect_code(0).stdout;
        let rows: i64 =
            store(&world).query_row("SELECT count(*) FROM touched", [], |row| row.get(0)).unwrap();
        (export, rows, Value::from(fs::read_dir(world.path("changelog")).unwrap().count()))
    };
    let before = bytes();
    assert_eq!(faults(&world), [""; 0]);
    assert_eq!(bytes(), before);
}
