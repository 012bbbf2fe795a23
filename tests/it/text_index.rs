//! The text index damaged, deleted, behind, ahead: said by `search`, named by `verify`, mended by the next run.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use tantivy::schema::{Field, Value as _};
use tantivy::tokenizer::{RawTokenizer, TextAnalyzer, WhitespaceTokenizer};
use tantivy::{Index, IndexWriter, TantivyDocument, Term};

use crate::world::{World, copy, replace};

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [since {valid_from:date}]"
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
//- letters/a.md
# Contracts

TechChip supplies the Radio Module since 1 March 2020.

TechChip supplies the Main Board since 1 May 2020.
"#;

const LATER: &str = "
//- letters/b.md
Voltanix supplies the Radio Module since 17 February 2024.
";

fn index(world: &World) -> std::path::PathBuf {
    world.path(".edgewright/index")
}

/// A workspace with two generations.
fn workspace() -> World {
    let world = World::new(FIXTURE);
    world.run();
    world.put(LATER);
    world.run();
    world
}

/// The names of the faults that `verify` finds, each once.
fn faults(world: &World) -> Vec<String> {
    let found = world.cmd("verify --output json").json();
    let mut names: Vec<String> = found["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["name"].as_str().unwrap().to_owned())
        .collect();
    names.dedup();
    names
}

const QUERY: &str = "radio module --state all --limit 100";

/// What the index says when all is well, and that it does.
fn sound(world: &World, expected: &[String]) {
    assert_eq!(world.found(QUERY), expected);
    assert_eq!(faults(world), [""; 0]);
}

/// What a run says of the index that it found.
fn mended(report: &Value) -> String {
    let diagnostics = report["diagnostics"].as_array().unwrap();
    let found: Vec<&Value> = diagnostics.iter().filter(|one| one["code"] == "index-mended").collect();
    assert_eq!(found.len(), 1, "{diagnostics:?}");
    found[0]["message"].as_str().unwrap().to_owned()
}

#[test]
fn an_index_that_is_well_is_not_mentioned() {
    let world = workspace();
    sound(&world, &world.found(QUERY));
    let report = world.run();
    assert_eq!(report["diagnostics"].to_string(), "[]");
    assert_eq!(report["outcome"], "nothing_to_do");
}

#[test]
fn a_deleted_index_is_said_and_built_anew() {
    let world = workspace();
    let expected = world.found(QUERY);
    fs::remove_dir_all(index(&world)).unwrap();
    let said = world.cmd("search radio").expect_code(2).stderr;
    assert_eq!(
        said,
        "error: there is no text index to search: the text index was missing\n  hint: `edgewright run` builds it\n"
    );
    assert_eq!(faults(&world), ["index-missing"]);
    let report = world.run();
    assert_eq!(mended(&report), "the text index was missing: it was built anew");
    assert_eq!(report["outcome"], "nothing_to_do");
    sound(&world, &expected);
}

#[test]
fn a_truncated_file_of_any_kind_is_said_and_mended() {
    let world = workspace();
    let expected = world.found(QUERY);
    let kept = world.path("kept");
    replace(&index(&world), &kept);
    let mut by_kind: BTreeMap<String, std::path::PathBuf> = BTreeMap::new();
    for entry in fs::read_dir(&kept).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.extension().map_or_else(String::new, |kind| kind.to_string_lossy().into_owned());
        if kind != "lock" && !path.ends_with(".managed.json") {
            by_kind.insert(kind, path);
        }
    }
    assert!(by_kind.len() >= 6, "{by_kind:?}");
    for (kind, path) in by_kind {
        let bytes = fs::read(&path).unwrap();
        fs::write(index(&world).join(path.file_name().unwrap()), &bytes[..bytes.len() / 2]).unwrap();
        let said = world.cmd("search radio").expect_code(2).stderr;
        assert!(
            said.contains("there is no text index to search: the text index was damaged"),
            "{kind}: {said}"
        );
        assert_eq!(faults(&world), ["index-damaged"], "{kind}");
        let report = world.run();
        assert!(mended(&report).ends_with("it was built anew"), "{kind}: {}", mended(&report));
        sound(&world, &expected);
        replace(&kept, &index(&world));
    }
}

#[test]
fn a_flipped_byte_is_named_by_verify() {
    let world = workspace();
    let mut flipped = 0;
    for entry in fs::read_dir(index(&world)).unwrap() {
        let path = entry.unwrap().path();
        if !path.extension().is_some_and(|kind| kind == "pos" || kind == "idx") {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        changed[0] ^= 1;
        fs::write(&path, &changed).unwrap();
        assert_eq!(faults(&world), ["index-damaged"], "{}", path.display());
        fs::write(&path, &bytes).unwrap();
        flipped += 1;
    }
    assert!(flipped >= 2);
    assert_eq!(faults(&world), [""; 0]);
}

#[test]
fn a_generation_behind_is_said_by_search_and_mended_by_the_next_run() {
    let world = World::new(FIXTURE);
    world.run();
    let before = world.found(QUERY);
    let kept = world.path("kept");
    replace(&index(&world), &kept);
    world.put(LATER);
    world.run();
    let expected = world.found(QUERY);
    assert_ne!(before, expected);
    replace(&kept, &index(&world));

    // It is true of its own generation, and so is the graph beside it.
    let said = world.cmd("search radio module").expect_code(0);
    assert!(said.stderr.contains("the text index stands at generation 1"), "{}", said.stderr);
    assert!(!said.stdout.contains("Voltanix"), "{}", said.stdout);
    assert_eq!(world.found(QUERY), before);
    let refused = world.cmd("search radio --known-at 2").expect_code(2).stderr;
    assert!(refused.contains("stands at generation 1, and 2 was asked for"), "{refused}");
    assert_eq!(faults(&world), ["index-behind"]);
    let report = world.run();
    assert_eq!(
        mended(&report),
        "the text index stood at generation 1 and the graph at 2: it was brought up to date"
    );
    assert_eq!(report["outcome"], "nothing_to_do");
    sound(&world, &expected);
}

#[test]
fn an_index_that_is_ahead_is_said_and_built_anew() {
    let world = World::new(FIXTURE);
    world.run();
    let before = world.found(QUERY);
    // A backup of the graph, which is put back later without its index.
    fs::copy(world.path(".edgewright/graph.db"), world.path("backup.db")).unwrap();
    world.put(LATER);
    world.run();
    for file in ["graph.db-wal", "graph.db-shm"] {
        drop(fs::remove_file(world.path(".edgewright").join(file)));
    }
    fs::copy(world.path("backup.db"), world.path(".edgewright/graph.db")).unwrap();
    fs::remove_file(world.path("changelog/000002.jsonl")).unwrap();
    let said = world.cmd("search radio").expect_code(2).stderr;
    assert!(said.contains("the text index was ahead of the graph (generation 2 and 1)"), "{said}");
    assert_eq!(faults(&world), ["index-ahead"]);
    fs::remove_file(world.path("letters/b.md")).unwrap();
    let report = world.run();
    assert!(mended(&report).starts_with("the text index was ahead of the graph"), "{}", mended(&report));
    sound(&world, &before);
}

#[test]
fn the_index_of_another_history_is_not_taken_for_its_own() {
    let (world, other) = (workspace(), World::new(FIXTURE));
    let expected = world.found(QUERY);
    other.put("//- letters/a.md\nVoltanix supplies the Main Board.\n");
    other.run();
    other.put(LATER);
    other.run();
    replace(&index(&other), &index(&world));
    assert_eq!(faults(&world), ["index-other"]);
    assert!(world.cmd("search radio").expect_code(2).stderr.contains("another history"));
    assert_eq!(mended(&world.run()), "the text index was that of another history: it was built anew");
    sound(&world, &expected);
}

/// Writes to the index behind the program's back. `honest` keeps what the commit says of itself true.
fn tamper(world: &World, honest: bool, change: impl Fn(&IndexWriter, &dyn Fn(&str) -> Field)) {
    let index = Index::open_in_dir(index(world)).unwrap();
    index.tokenizers().register("words", TextAnalyzer::from(WhitespaceTokenizer::default()));
    index.tokenizers().register("link", TextAnalyzer::from(RawTokenizer::default()));
    let payload = index.load_metas().unwrap().payload.unwrap();
    let mut stamp: Value = serde_json::from_str(&payload).unwrap();
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 20_000_000).unwrap();
    let schema = index.schema();
    change(&writer, &|name| schema.get_field(name).unwrap());
    let mut prepared = writer.prepare_commit().unwrap();
    if honest {
        stamp["commit"] = prepared.opstamp().into();
    }
    prepared.set_payload(&stamp.to_string());
    prepared.commit().unwrap();
    drop(writer);
    if honest {
        // The number of entries is part of what it says.
        let entries = index.reader().unwrap().searcher().num_docs();
        let path = self::index(world).join("meta.json");
        let meta = fs::read_to_string(&path).unwrap();
        let payload = meta.find("\"payload\"").unwrap();
        let (head, tail) = meta.split_at(payload);
        let was = format!("\\\"entries\\\":{}", stamp["entries"]);
        assert!(tail.contains(&was), "{tail}");
        fs::write(&path, format!("{head}{}", tail.replace(&was, &format!("\\\"entries\\\":{entries}"))))
            .unwrap();
    }
}

fn extra(writer: &IndexWriter, field: &dyn Fn(&str) -> Field) {
    let mut document = TantivyDocument::new();
    document.add_bytes(field("id"), &[7; 16]);
    document.add_text(field("document"), "letters/ghost.md");
    for name in ["chunk_high", "chunk_low", "opened", "closed"] {
        document.add_u64(field(name), 1);
    }
    for name in ["from", "until"] {
        document.add_i64(field(name), 1);
    }
    document.add_text(field("text"), "radio");
    writer.add_document(document).unwrap();
}

fn missing(writer: &IndexWriter, field: &dyn Fn(&str) -> Field) {
    writer.delete_term(Term::from_field_text(field("text"), "board"));
}

#[test]
fn entries_that_are_missing_or_too_many_are_named_by_verify() {
    for (fault, change) in [
        ("index-entry-extra", extra as fn(&IndexWriter, &dyn Fn(&str) -> Field)),
        ("index-entry-missing", missing),
    ] {
        let world = workspace();
        let expected = world.found(QUERY);
        tamper(&world, true, change);
        assert_eq!(faults(&world), [fault]);
        fs::remove_dir_all(index(&world)).unwrap();
        world.run();
        sound(&world, &expected);
    }
}

#[test]
fn an_entry_that_says_something_else_is_named_by_verify() {
    let world = workspace();
    // The entry of "Main Board" again, with one word less in its text.
    tamper(&world, true, |writer, field| {
        let searcher = writer.index().reader().unwrap().searcher();
        let term = Term::from_field_text(field("text"), "board");
        let query = tantivy::query::TermQuery::new(term, tantivy::schema::IndexRecordOption::Basic);
        let found = searcher.search(&query, &tantivy::collector::DocSetCollector).unwrap();
        let address = found.into_iter().next().unwrap();
        let columns = searcher.segment_reader(address.segment_ord).fast_fields();
        let number = |name: &str| columns.u64(name).unwrap().first(address.doc_id).unwrap();
        let mut name = String::new();
        let document = columns.str("document").unwrap().unwrap();
        document.ord_to_str(document.ords().first(address.doc_id).unwrap(), &mut name).unwrap();
        let mut changed = TantivyDocument::new();
        changed.add_bytes(field("id"), &key(&name, number("chunk_high"), number("chunk_low")));
        changed.add_text(field("document"), &name);
        for column in ["chunk_high", "chunk_low", "opened", "closed"] {
            changed.add_u64(field(column), number(column));
        }
        for column in ["from", "until"] {
            changed.add_i64(field(column), columns.i64(column).unwrap().first(address.doc_id).unwrap());
        }
        changed.add_text(field("text"), "techchip supplies the main");
        assert!(changed.get_first(field("text")).and_then(|text| text.as_str()).is_some());
        missing(writer, field);
        writer.add_document(changed).unwrap();
    });
    assert_eq!(faults(&world), ["index-entry-differs"]);
}

/// The key of an entry, as `docs/format.md` says that it is made.
fn key(document: &str, high: u64, low: u64) -> [u8; 16] {
    let chunk = format!("{high:016x}{low:016x}");
    edgewright::model::id::Fingerprint::of(&[document, &chunk]).to_bytes()
}

#[test]
fn whoever_else_has_written_to_the_index_is_noticed_by_search_and_run() {
    for change in [extra as fn(&IndexWriter, &dyn Fn(&str) -> Field), missing] {
        let world = workspace();
        let expected = world.found(QUERY);
        tamper(&world, false, change);
        assert!(world.cmd("search radio").expect_code(2).stderr.contains("something else has written to it"));
        assert_eq!(faults(&world), ["index-damaged"]);
        assert!(mended(&world.run()).ends_with("it was built anew"));
        sound(&world, &expected);
    }
}

#[test]
fn a_reader_during_a_run_sees_one_generation_in_graph_and_text() {
    let world = World::new(FIXTURE);
    world.run();
    let answer = |world: &World| world.cmd("search radio module --output json").expect_code(0).stdout;
    let before = answer(&world);
    world.put(LATER);
    // Up to the commit of the index both are what they were; from it on both are new.
    world.cmd("run --stop-at documents-written").expect_code(137);
    assert_eq!(answer(&world), before);
    world.cmd("run --stop-at index-written").expect_code(137);
    let graph = world.cmd("show C1").expect_code(0).stdout;
    assert!(graph.contains("Voltanix"), "the graph is published: {graph}");
    assert_eq!(answer(&world), before);
    world.run();
    let after = answer(&world);
    assert!(after.contains("\"known_at\":2") && after.contains("Voltanix"), "{after}");
    assert!(before.contains("\"known_at\":1") && !before.contains("Voltanix"), "{before}");
}

#[test]
fn a_plan_without_an_index_reads_the_texts_instead_and_writes_nothing() {
    let world = workspace();
    world.put("//- components.csv\nId,Name\nC1,Radio Module\nC2,Main Board\nC3,TechChip\n");
    let expected = world.cmd("plan --output json").expect_code(0).json();
    fs::remove_dir_all(index(&world)).unwrap();
    let plan = world.cmd("plan --output json").expect_code(0).json();
    for what in ["changes", "work", "quarantined"] {
        assert_eq!(plan[what], expected[what], "{what}");
    }
    assert!(!index(&world).exists());
    let run = world.run();
    assert_eq!(run["work"], expected["work"]);
}

#[test]
fn replay_builds_the_index_as_well() {
    let world = workspace();
    world.cmd("replay copy").expect_code(0);
    for folder in ["ontology", "jobs"] {
        copy(&world.path(folder), &world.path("copy").join(folder));
    }
    let found = world.cmd(&format!("-C copy search {QUERY} --output json")).expect_code(0).json();
    let here = world.cmd(&format!("search {QUERY} --output json")).json();
    assert_eq!(found["results"], here["results"]);
}

#[test]
fn a_store_of_the_last_format_is_brought_to_this_one() {
    let world = workspace();
    let store = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    let older = "DROP TABLE redaction; DROP TABLE read_for; ALTER TABLE generation DROP COLUMN logical_date; PRAGMA user_version = 7;";
    store.execute_batch(older).unwrap();
    let graph = world.graph();
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    assert_eq!((world.graph(), faults(&world)), (graph, Vec::new()));
}

#[test]
fn a_store_of_the_first_format_is_read_and_brought_to_this_one() {
    let world = workspace();
    let store = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    store
        .execute_batch(
            "DROP TABLE held; DROP TABLE act; DROP TABLE undone; DROP TABLE redaction; DROP TABLE read_for;
             ALTER TABLE generation DROP COLUMN logical_date;
             DROP TABLE name; DROP TABLE tally; DROP TABLE checkpoint; DROP TABLE checkpoint_staged; DROP INDEX entity_merged_into;
             ALTER TABLE entity DROP COLUMN merged_into;
             DROP INDEX document_withheld; ALTER TABLE document DROP COLUMN withheld;
             DROP INDEX fact_subject; DROP INDEX fact_object; ALTER TABLE fact DROP COLUMN intervals;
             CREATE INDEX fact_subject ON fact(subject) WHERE subject IS NOT NULL;
             CREATE INDEX fact_object ON fact(object) WHERE object IS NOT NULL;
             CREATE TABLE checkpoint(
                 source TEXT NOT NULL, path TEXT NOT NULL, seen TEXT NOT NULL, PRIMARY KEY(source, path)) WITHOUT ROWID;
             CREATE TABLE checkpoint_staged(
                 source TEXT NOT NULL, path TEXT NOT NULL, seen TEXT, PRIMARY KEY(source, path)) WITHOUT ROWID;
             CREATE TABLE word(word TEXT NOT NULL, chunk TEXT NOT NULL, PRIMARY KEY(word, chunk)) WITHOUT ROWID;
             INSERT INTO word VALUES ('radio', 'x'); PRAGMA user_version = 1;",
        )
        .unwrap();
    fs::remove_dir_all(index(&world)).unwrap();
    let graph = world.graph();
    let by_name = || world.cmd("show TechChip --output json").expect_code(0).json()["entity"]["key"].clone();
    let near = || world.cmd("ask neighbors TechChip --output json").expect_code(0).json();
    let neighbors = near();
    assert_eq!(by_name(), "Supplier:S1");
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    assert_eq!((world.graph(), by_name(), near()), (graph, "Supplier:S1".into(), neighbors));
    let version: i64 = store.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let words: i64 = store
        .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'word'", [], |row| row.get(0))
        .unwrap();
    assert_eq!((version, words), (8, 0));
    assert_eq!(faults(&world), [""; 0]);
}
