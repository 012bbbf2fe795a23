//! The command line, in process: what goes to which stream, with which exit code.
#![expect(clippy::disallowed_methods, reason = "the tests make workspaces and read what was written")]

use std::io::{self, Write};
use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::Value;

use super::{Exit, World, command, execute, render};
use crate::model::access::Reader;
use crate::serve::testing::{NEW, SECRETS, fact_id, public, tell, with_graph};
use crate::serve::{HistoryView, Wanted, Which, find, quarantine, show, why_entity};
use crate::store::Store;

/// What a command line says.
struct Said {
    exit: Exit,
    data: String,
    talk: String,
}

fn world(folder: &Path) -> World {
    World {
        folder: folder.to_owned(),
        now: "2024-06-01T12:00:00Z".parse().unwrap(),
        user: "curator".to_owned(),
        terminal: false,
        bold: false,
    }
}

/// Carries out a command line; arguments are separated by spaces, `_` stands for a space in one.
fn say(folder: &Path, line: &str) -> Said {
    let args = std::iter::once("edgewright").chain(line.split_whitespace());
    let args: Vec<_> = args.map(|arg| arg.replace('_', " ").into()).collect();
    let (mut data, mut talk) = (Vec::new(), Vec::new());
    let exit = execute(args, &world(folder), &mut data, &mut talk);
    Said { exit, data: String::from_utf8(data).unwrap(), talk: String::from_utf8(talk).unwrap() }
}

/// A workspace with the tale in it.
fn workspace() -> tempfile::TempDir {
    let folder = bare();
    std::fs::create_dir_all(folder.path().join(".edgewright")).unwrap();
    tell(&Store::open(&folder.path().join(".edgewright/graph.db")).unwrap());
    folder
}

/// A workspace that has never run.
fn bare() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put(
        "ontology/test.yaml",
        "entities:\n  Supplier: {}\n  Component: {}\nedges:\n  \
         supplies: { subject: Supplier, object: Component }\n  \
         certifies: { subject: Supplier, object: Component }\n",
    );
    put(
        "jobs/test.yaml",
        "job: test\nontology: test\nsources:\n  contracts: { path: contracts }\n  \
         letters: { path: letters, access: [secret] }\n",
    );
    folder
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(text);
}

/// `show` through the tale's own catalog.
fn shown(reader: Reader, name: &str, which: Which) -> String {
    with_graph(reader, 4, |graph| {
        let mut lens = graph.lens().clone();
        lens.pending = which == Which::All;
        let graph = graph.through(lens).unwrap();
        render::show(&show(&graph, &find(&graph, name).unwrap(), which).unwrap())
    })
}

#[test]
fn show_lists_what_holds_and_counts_the_rest() {
    check(
        &shown(public(), "FCU", Which::Current),
        &expect![[r#"
        Flight Control Unit  (Component:C1)
          also called: FCU
          known from: feed components, row C1

        ← supplies
          TechChip Inc  (Supplier:S2)
            since 2024-02-17; current; 1 attestation
          1 ended: --state all
    "#]],
    );
}

#[test]
fn show_all_lists_what_ended_and_what_waits() {
    check(
        &shown(public(), "Door Seal", Which::All),
        &expect![[r#"
        Door Seal  (Component:C3)
          known from: feed components, row C3

        ← supplies
          ShenzenChip  (Supplier:S1)
            start unknown until 2023-03-02 (last day); ended; 1 attestation
            ended on 2023-03-03

        2 assertions in quarantine
          Voltanix supplies Door Seal
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"
          TechChip Inc supplies Door Seal, from 2023-03-03
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            conflict: it cannot hold beside: an edge that you may not see
    "#]],
    );
    check(
        &shown(Reader::Everything, "Radio Module", Which::All),
        &expect![[r#"
        Radio Module  (Component:C2)
          known from: feed components, row C2

        ← supplies
          ShenzenChip  (Supplier:S1)
            since 2024-01-01 until 2024-12-31 (last day); current; 1 attestation
          ShenzenChip  (Supplier:S1)
            since 2022-01-01 until 2022-12-31 (last day); ended; 1 attestation
          TechChip Inc  (Supplier:S2)
            from 2030-01-01; future; 1 attestation

        1 assertion in quarantine
          Voltanix supplies Radio Module
            docs/contracts/old.md:3: »ShenzenChip supplies the Flight Control Unit.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"
    "#]],
    );
}

#[test]
fn why_reads_like_a_note() {
    let why = |reader| {
        with_graph(reader, 4, |graph| {
            let entity = find(graph, "FCU").unwrap().entity;
            let text = render::why(&why_entity(graph, &entity, None, None).unwrap(), "FCU");
            let hide = |text: String, id: String| text.replace(&id, "<fact>");
            let subjects = ["Supplier:S1", "Supplier:S2"];
            subjects
                .iter()
                .fold(text, |text, one| hide(text, fact_id(one, "supplies", "Component:C1").to_string()))
        })
    };
    check(
        &why(public()),
        &expect![[r#"
            ShenzenChip supplies Flight Control Unit
              Supplier:S1 supplies Component:C1, fact <fact>
              start unknown until 2024-02-16 (last day); ended
                ended on 2024-02-17 by: TechChip Inc supplies Flight Control Unit
              attested by 1 source passage
                1. docs/contracts/old.md:3  § Supply (joins; its dates move nothing)
                  Signed in Berlin. »ShenzenChip supplies the Flight Control Unit.« Copies are void.
                  rule supplies.clause, confidence 0.95
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends

            TechChip Inc supplies Flight Control Unit
              Supplier:S2 supplies Component:C1, fact <fact>
              since 2024-02-17; current
              attested by 1 source passage
                1. docs/contracts/new.md:3  § Supply
                  Signed in Berlin. »TechChip supplies the Flight Control Unit from 17 February 2024.« Copies are void.
                  definition: "TechChip, Inc. ("Supplier")"
                  rule supplies.clause, confidence 0.95
                  from: 2024-02-17
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends
        "#]],
    );
    check(
        &why(Reader::Everything),
        &expect![[r#"
            ShenzenChip supplies Flight Control Unit
              Supplier:S1 supplies Component:C1, fact <fact>
              since 2020-05-01 until 2024-02-16 (last day); ended
                price: 777
                ended on 2024-02-17 by: TechChip Inc supplies Flight Control Unit
              attested by 2 source passages
                1. docs/letters/secret.md:3  § Supply
                  Signed in Berlin. »ShenzenChip supplies the Flight Control Unit from 1 May 2020 at 777, says Quillon of Zanzibar.« Copies are void.
                  rule supplies.clause, confidence 0.95
                  from: 2020-05-01
                  read: price=777
                2. docs/contracts/old.md:3  § Supply (joins; its dates move nothing)
                  Signed in Berlin. »ShenzenChip supplies the Flight Control Unit.« Copies are void.
                  rule supplies.clause, confidence 0.95
              on 2020-05-01 the answer changes: ShenzenChip begins
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends

            TechChip Inc supplies Flight Control Unit
              Supplier:S2 supplies Component:C1, fact <fact>
              since 2024-02-17; current
              attested by 1 source passage
                1. docs/contracts/new.md:3  § Supply
                  Signed in Berlin. »TechChip supplies the Flight Control Unit from 17 February 2024.« Copies are void.
                  definition: "TechChip, Inc. ("Supplier")"
                  rule supplies.clause, confidence 0.95
                  from: 2024-02-17
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends
        "#]],
    );
}

#[test]
fn history_tells_what_each_generation_changed() {
    let told = |reader| {
        with_graph(reader, 4, |graph| {
            let entity = find(graph, "FCU").unwrap().entity;
            render::history(&HistoryView::of_entity(graph, &entity).unwrap())
        })
    };
    check(
        &told(Reader::Everything),
        &expect![[r#"
        generation 1  2024-01-10T02:00:00Z  run run-1
          claimed: Component:C1
            nothing → Flight Control Unit | FCU
            feed components, row C1
          added: ShenzenChip supplies Flight Control Unit
            nothing → [?, ∞)
            new_document: contracts/old.md

        generation 2  2024-02-20T02:00:00Z  run run-2
          changed: ShenzenChip supplies Flight Control Unit
            [?, ∞) → [2020-05-01, 2024-02-17) price=777
            new_document: letters/secret.md
          added: TechChip Inc supplies Flight Control Unit
            nothing → [2024-02-17, ∞)
            new_document: contracts/new.md
    "#]],
    );
    check(
        &told(public()),
        &expect![[r#"
        generation 1  2024-01-10T02:00:00Z  run run-1
          claimed: Component:C1
            nothing → Flight Control Unit | FCU
            feed components, row C1
          added: ShenzenChip supplies Flight Control Unit
            nothing → [?, ∞)
            new_document: contracts/old.md

        generation 2  2024-02-20T02:00:00Z  run run-2
          changed: ShenzenChip supplies Flight Control Unit
            [?, ∞) → [?, 2024-02-17)
          added: TechChip Inc supplies Flight Control Unit
            nothing → [2024-02-17, ∞)
            new_document: contracts/new.md
    "#]],
    );
}

#[test]
fn the_quarantine_is_grouped_by_question() {
    let text =
        with_graph(public(), 4, |graph| render::quarantine(&quarantine(graph, &Wanted::default()).unwrap()));
    check(
        &text,
        &expect![[r#"
        3 assertions in quarantine

        who is "Voltanix"?  (settles 2)
          Voltanix supplies Door Seal
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"
          Voltanix supplies Radio Module
            docs/contracts/old.md:3: »ShenzenChip supplies the Flight Control Unit.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"

        TechChip Inc supplies Door Seal? it cannot hold beside: an edge that you may not see  (settles 1)
          TechChip Inc supplies Door Seal, from 2023-03-03
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            conflict: it cannot hold beside: an edge that you may not see
    "#]],
    );
}

/// Every command line that reads the graph.
fn reading() -> Vec<String> {
    let mut lines = Vec::new();
    for name in ["FCU", "Door_Seal", "Radio_Module", "ShenzenChip", "TechChip", "Quillon", "Supplier:Quillon"]
    {
        for command in ["show", "show --state all", "show --state pending", "why", "history"] {
            lines.push(format!("{command} {name}"));
        }
        lines.push(format!("show {name} --as-of 2021-01-01"));
        lines.push(format!("show {name} --known-at 2 --state all"));
        lines.push(format!("why {name} FCU"));
    }
    for subject in ["Supplier:S1", "Supplier:Quillon"] {
        for object in ["Component:C1", "Component:C3"] {
            let fact = fact_id(subject, "supplies", object);
            lines.push(format!("why {fact}"));
            lines.push(format!("history {fact}"));
        }
    }
    for line in [
        "export",
        "export --history",
        "export --since 1",
        "export --as-of 2021-01-01",
        "export --known-at 2",
        "quarantine",
        "quarantine --output csv",
        "quarantine --reason endpoint-unknown",
        "status",
        "ontology",
    ] {
        lines.push(line.to_owned());
    }
    lines
}

#[test]
fn nothing_secret_leaks_through_any_reading_command() {
    let folder = workspace();
    let mut leaks_to_all = 0;
    for line in reading() {
        for form in ["", " --output json"] {
            if line.contains("--output") && !form.is_empty() {
                continue;
            }
            let all = say(folder.path(), &format!("{line}{form}"));
            leaks_to_all +=
                usize::from(SECRETS.iter().any(|secret| all.data.to_lowercase().contains(secret)));
            let none = say(folder.path(), &format!("{line}{form} --access none"));
            // What the question itself names is no leak.
            let asked = line.to_lowercase().replace('_', " ");
            let answer = format!("{}{}", none.data, none.talk).to_lowercase();
            for secret in SECRETS.iter().filter(|secret| !asked.contains(**secret)) {
                // Types and jobs are configuration, not data.
                assert!(!answer.contains(secret), "`{line}{form}` tells `{secret}`:\n{answer}");
            }
            if asked.contains("quillon") {
                assert_eq!(none.exit, Exit::Invalid, "`{line}`: a name that one may not know is nobody's");
                assert!(none.data.is_empty(), "{}", none.data);
            }
        }
    }
    assert!(leaks_to_all > 20, "the same questions tell those who may know: {leaks_to_all}");
}

#[test]
fn a_file_export_to_the_public_holds_nothing_secret() {
    let folder = workspace();
    for (form, files) in [("csv", 5), ("neo4j", 5), ("jsonl", 1)] {
        let said = say(folder.path(), &format!("export --format {form} --out {form} --access none"));
        assert_eq!((said.exit, said.talk.as_str()), (Exit::Done, ""), "{form}");
        let mut found = 0;
        for entry in std::fs::read_dir(folder.path().join(form)).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap().to_lowercase();
            assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{text}");
            assert!(text.lines().count() > 1, "{text}");
            found += 1;
        }
        assert_eq!(found, files, "{form}");
    }
    let edges = std::fs::read_to_string(folder.path().join("neo4j/edges.csv")).unwrap();
    check(
        edges.lines().next().unwrap(),
        &expect![
            "id,fact,:START_ID,:TYPE,:END_ID,valid_from:date,from_precision,valid_to:date,end_unknown:boolean,identity,properties"
        ],
    );
}

#[test]
fn every_json_answer_has_a_version_and_fits_its_schema() {
    let folder = workspace();
    let schema = |name: &str| -> Value {
        let said = say(folder.path(), &format!("json-schema {name}"));
        assert_eq!(said.exit, Exit::Done, "{name}");
        serde_json::from_str(&said.data).unwrap()
    };
    for (line, name) in [
        ("show FCU --state all", "show"),
        ("why FCU", "why"),
        ("history FCU", "history"),
        ("quarantine", "quarantine"),
        ("status", "status"),
        ("ontology", "ontology-counts"),
        ("check", "check"),
        ("export --format csv --out tables", "export-files"),
    ] {
        let said = say(folder.path(), &format!("{line} --output json"));
        assert_eq!(said.exit, Exit::Done, "{line}: {}", said.talk);
        assert_eq!(said.data.lines().count(), 1, "{line}");
        let value: Value = serde_json::from_str(&said.data).unwrap();
        assert_eq!(value["version"], 1, "{line}");
        let schema = schema(name);
        fits(&value, &schema, &schema, line);
    }
    let row = schema("export");
    for line in say(folder.path(), "export --history").data.lines().skip(1) {
        fits(&serde_json::from_str(line).unwrap(), &row, &row, "export");
    }
}

/// A small part of JSON Schema: required and known properties, types, alternatives.
fn fits(value: &Value, schema: &Value, root: &Value, at: &str) {
    if let Err(why) = fit(value, schema, root, at) {
        panic!("{why}");
    }
}

fn fit(value: &Value, schema: &Value, root: &Value, at: &str) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).ok_or("a dangling reference")?;
        fit(value, target, root, at)?;
    }
    for word in ["oneOf", "anyOf"] {
        if let Some(options) = schema[word].as_array() {
            let tried: Vec<_> = options.iter().map(|option| fit(value, option, root, at)).collect();
            if tried.iter().all(Result::is_err) {
                return Err(format!("{at}: none of {word} fits {value}: {tried:?}"));
            }
        }
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Err(format!("{at}: {value} is not {}", schema["const"]));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => vec![kind],
    };
    let whole = kind == "integer" && allowed.contains(&"number");
    if !allowed.contains(&kind) && !whole {
        return Err(format!("{at}: {value} is a {kind}, not {allowed:?}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            return Err(format!("{at}: there is no `{name}` in {value}"));
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            fit(value, schema, root, &format!("{at}.{name}"))?;
        }
    }
    for item in value.as_array().into_iter().flatten().filter(|_| schema["items"].is_object()) {
        fit(item, &schema["items"], root, at)?;
    }
    Ok(())
}

#[test]
fn an_export_begins_with_a_header_and_is_the_same_twice() {
    let folder = workspace();
    let first = say(folder.path(), "export");
    assert_eq!((first.exit, first.talk.as_str()), (Exit::Done, ""));
    assert_eq!(
        first.data.lines().next(),
        Some(r#"{"kind":"header","format":"edgewright-export","version":1}"#)
    );
    assert_eq!(first.data, say(folder.path(), "export").data);
    let since = say(folder.path(), "export --since 3").data;
    check(
        since.lines().next().unwrap(),
        &expect![[r#"{"kind":"header","format":"edgewright-export","version":1,"since":3,"generation":4}"#]],
    );
    assert!(since.lines().skip(1).all(|line| line.starts_with(r#"{"op":"delete""#)), "{since}");
    for line in [
        "export --since 9",
        "export --since 0",
        "export --format csv",
        "export --format csv --out x --since 1",
    ] {
        assert_eq!(say(folder.path(), line).exit, Exit::Invalid, "{line}");
    }
}

#[test]
fn answers_are_queued_as_a_whole_or_not_at_all() {
    let folder = workspace();
    let csv = say(folder.path(), "quarantine --output csv --reason conflict");
    assert_eq!(csv.exit, Exit::Done);
    assert_eq!(
        csv.data.lines().next(),
        Some(
            "question,decision,reason,valid_from,valid_to,subject,object,edge_type,quote,document,line,reasons,confidence"
        )
    );
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("answers.csv", &csv.data);
    let none = say(folder.path(), "decide answers.csv");
    assert_eq!(none.exit, Exit::Invalid);
    assert!(none.talk.contains("no row has a decision"), "{}", none.talk);
    let id = csv.data.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    put("answers.csv", &csv.data.replace(&format!("{id},,"), &format!("{id},approve,")));
    let dry = say(folder.path(), "decide answers.csv --dry-run");
    check(
        &dry.data,
        &expect![[r#"
        line 2: Supplier:S2 supplies Component:C3: approved
        1 answer would be queued; nothing was
    "#]],
    );
    check(
        &say(folder.path(), "decide answers.csv --by M._Curator").data,
        &expect![[r#"
        line 2: request 1: Supplier:S2 supplies Component:C3: approved
        1 answer queued; the next run carries them out
    "#]],
    );
    put("answers.csv", &csv.data.replace(&format!("{id},,"), &format!("{id},reject,")));
    let refused = say(folder.path(), "decide answers.csv");
    assert_eq!((refused.exit, refused.data.as_str()), (Exit::Invalid, ""));
    check(
        &refused.talk,
        &expect![[r#"
        line 2: a rejection needs a `reason`
        1 problem: nothing was queued; mend the file and try again
    "#]],
    );
    let status: Value = serde_json::from_str(&say(folder.path(), "status --output json").data).unwrap();
    assert_eq!(status["requests"].as_array().unwrap().len(), 1, "only the good file was queued");
    assert_eq!(status["requests"][0]["by"], "M. Curator");
    for line in ["decide --undo 7", "decide", "decide nowhere.csv", "decide answers.csv --undo 1"] {
        assert_ne!(say(folder.path(), line).exit, Exit::Done, "{line}");
    }
}

#[test]
fn a_retraction_names_a_document_that_there_is() {
    let folder = workspace();
    for line in [
        "retract contracts/no.md --reason x",
        "retract nonsense --reason x",
        "retract contracts/new.md --reason _",
        "retract contracts/new.md --reason x --undo",
        "retract contracts/new.md",
    ] {
        let said = say(folder.path(), line);
        assert_eq!((said.exit, said.data.as_str()), (Exit::Invalid, ""), "{line}");
        assert!(said.talk.contains("error: "), "{}", said.talk);
    }
}

#[test]
fn an_empty_graph_is_said() {
    let folder = bare();
    let status = say(folder.path(), "status");
    assert_eq!(status.exit, Exit::Done);
    check(
        &status.data,
        &expect![[r#"
        the graph is empty: nothing has been published yet (`edgewright run` fills it)
    "#]],
    );
    for line in ["show FCU", "why FCU", "history FCU", "export", "quarantine", "retract a/b --reason x"] {
        let said = say(folder.path(), line);
        assert_eq!((said.exit, said.data.as_str()), (Exit::Invalid, ""), "{line}");
        assert!(
            said.talk.contains("there is no graph yet") && said.talk.contains("edgewright run"),
            "{}",
            said.talk
        );
    }
    assert!(!folder.path().join(".edgewright").exists(), "reading makes no store");
    std::fs::create_dir_all(folder.path().join(".edgewright")).unwrap();
    drop(Store::open(&folder.path().join(".edgewright/graph.db")).unwrap());
    let export = say(folder.path(), "export");
    assert_eq!((export.exit, export.data.lines().count()), (Exit::Done, 1));
    assert!(export.talk.contains("the graph is empty"), "{}", export.talk);
    assert!(say(folder.path(), "show FCU").talk.contains("the graph is empty"));
    assert_eq!(say(folder.path(), "quarantine").data, "nothing waits for a decision\n");
}

#[test]
fn the_status_says_what_stands() {
    let folder = workspace();
    let said = say(folder.path(), "status --access none");
    check(
        &said.data,
        &expect![[r#"
        generation 4, published 2024-04-01T02:00:00Z by run run-4
          2 documents, 4 chunks
          entities: 4 Component, 2 Supplier
          supplies  5 facts: 2 current, 3 ended, 1 future
          quarantine: 3 assertions (conflict 1, endpoint-unknown 2)
    "#]],
    );
}

#[test]
fn unknown_names_jobs_and_folders_are_said() {
    let folder = workspace();
    let said = say(folder.path(), "show Flight");
    assert_eq!((said.exit, said.data.as_str()), (Exit::Invalid, ""));
    check(
        &said.talk,
        &expect![[r#"
        error: nobody is called `Flight`
          hint: near it are:
              Component:C1  Flight Control Unit
              Component:C9  Flight Control Lever
    "#]],
    );
    let nowhere = tempfile::tempdir().unwrap();
    let said = say(nowhere.path(), "status");
    assert_eq!(said.exit, Exit::Invalid);
    check(
        &said.talk,
        &expect![[r#"
        error: this is not a workspace: neither this folder nor one above it has `ontology/` and `jobs/`
          hint: name one with `-C DIR`, or make one with `edgewright init DIR`
    "#]],
    );
    assert_eq!(say(folder.path(), "-C nowhere status").exit, Exit::Invalid);
    assert_eq!(say(&folder.path().join("jobs"), "status").exit, Exit::Done, "a folder below is fine");
    assert_eq!(
        say(folder.path(), "json-schema shwo").talk.lines().last(),
        Some("  hint: did you mean `show`?")
    );
    let missing = say(folder.path(), "edit apply absent.jsonl");
    let place = folder.path().display().to_string();
    check(
        &missing.talk.replace(&place, "FOLDER"),
        &expect![[r#"
            error: cannot read `absent.jsonl`: No such file or directory (os error 2)
              hint: it is looked for from `FOLDER`; check its name
        "#]],
    );
    assert_eq!((missing.exit, missing.data.as_str()), (Exit::Invalid, ""));
    for line in [
        "ask neighbors @absent.txt",
        "decide absent.csv",
        "edit apply jobs",
        "edit add-risk-event E1 --title t --text absent.md --reason r --ticket t",
    ] {
        assert_eq!(say(folder.path(), line).exit, Exit::Invalid, "{line}");
    }
    assert_eq!(say(folder.path(), "accept feed nobody --reason x").exit, Exit::Invalid);
    assert_eq!(say(folder.path(), "show FCU --output csv").exit, Exit::Invalid);
    assert_eq!(say(folder.path(), "show FCU --known-at 99").exit, Exit::Invalid);
    assert_eq!(say(folder.path(), "show FCU --as-of 2024-02-30").exit, Exit::Invalid);
    assert_eq!(say(folder.path(), "history FCU --as-of 2024-02-03").exit, Exit::Invalid);
}

#[test]
fn a_day_shows_one_supplier() {
    let folder = workspace();
    for (day, there, not) in
        [("2024-02-16", "ShenzenChip", "TechChip"), ("2024-02-17", "TechChip", "ShenzenChip")]
    {
        let said = say(folder.path(), &format!("show FCU --as-of {day}")).data;
        assert!(said.contains(there), "{said}");
        // Whoever ended an edge is named beside it, not as a supplier.
        let suppliers: Vec<&str> = said.lines().filter(|line| line.contains("(Supplier:")).collect();
        assert!(suppliers.len() == 1 && !suppliers[0].starts_with(&format!("  {not}")), "{said}");
    }
    assert!(say(folder.path(), "show FCU --known-at 2024-01-15").data.contains("ShenzenChip"));
    assert!(say(folder.path(), "why TechChip FCU").data.contains(&format!("»{NEW}«")));
    assert!(say(folder.path(), "why TechChip Door_Seal").data.contains("the graph holds no such edge"));
}

#[test]
fn init_writes_into_an_empty_folder_only() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(say(folder.path(), "init new").exit, Exit::Done);
    assert!(folder.path().join("new/ontology").is_dir());
    let again = say(folder.path(), "init new");
    assert_eq!(again.exit, Exit::Invalid);
    assert!(again.talk.contains("is not empty"), "{}", again.talk);
}

/// A stream whose reader has gone away.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_has_seen_enough() {
    let folder = workspace();
    for line in ["export", "status", "show FCU", "--help", "quarantine --output csv", "export --history"] {
        let args: Vec<_> = std::iter::once("edgewright").chain(line.split(' ')).map(Into::into).collect();
        let exit = execute(args, &world(folder.path()), &mut Gone, &mut Vec::new());
        assert_eq!(exit, Exit::Done, "{line}");
    }
}

#[test]
fn every_command_stands_in_a_group_and_has_examples() {
    let command = command();
    let grouped: Vec<&str> = super::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(grouped, all);
    for subcommand in command.get_subcommands() {
        let name = subcommand.get_name();
        assert!(subcommand.get_about().is_some(), "{name}");
        let after = subcommand.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(
            after.contains("Example") && after.contains(&format!("edgewright {name}")) || name == "decide",
            "{name}"
        );
    }
    let ask = command.find_subcommand("ask").unwrap();
    let grouped: Vec<&str> = super::ask::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut all: Vec<&str> = ask.get_subcommands().map(clap::Command::get_name).collect();
    assert!(ask.get_subcommands().all(|question| question.get_about().is_some()));
    assert_eq!(grouped.len(), all.len());
    all.retain(|name| !grouped.contains(name));
    assert_eq!(all, [""; 0]);
    command.debug_assert();
}

#[test]
fn hostile_arguments_are_refused_without_a_panic() {
    let folder = workspace();
    let long = "x".repeat(50_000);
    let odd = [
        "\u{0}",
        "%00",
        "'",
        "\"",
        "../..",
        "*",
        "--",
        "-",
        ":",
        "Component:",
        ":C1",
        "\u{202e}",
        "ÄÖ\u{301}",
        &long,
    ];
    for word in odd {
        for line in [
            "show",
            "why",
            "history",
            "why FCU",
            "show FCU --known-at",
            "show FCU --as-of",
            "retract --reason x",
            "accept scope --reason x",
            "accept feed --reason x",
            "export --access",
            "export --since",
            "json-schema",
            "quarantine --edge",
            "quarantine --reason",
            "decide",
            "decide --undo",
            "-C",
        ] {
            let said = say(folder.path(), &format!("{line} {word}"));
            let nothing_asked =
                line.starts_with("quarantine") || line == "export --access" || word == "--" || word == "-";
            assert!(nothing_asked || said.exit != Exit::Done, "{line} {word:.20}");
        }
    }
}

#[test]
fn help_groups_the_commands_and_lists_the_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let said = say(folder.path(), "--help");
    assert_eq!((said.exit, said.talk.as_str()), (Exit::Done, ""));
    check(
        &said.data,
        &expect![[r#"
            Keeps a knowledge graph that is extracted from documents true over time

            Usage: edgewright [OPTIONS] <COMMAND>

            Write the files:
              init         Write a small working workspace into an empty folder
              check        List everything that is wrong with ontology and jobs
              json-schema  Print the JSON Schema of a file or of a command's JSON
              ontology     List types and rules with what the graph holds of them
              test         Run the examples of the rules
              try          Show what a rule finds, and what it nearly finds
              gaps         List unknown names, pairs without a rule, and documents that yield nothing

            Keep the graph true:
              plan         Say what a run would do, and write nothing
              run          Read what changed and publish what follows from it
              accept       Give your word that a shrunken feed or an emptied folder is really so
              retract      Withdraw a document: its edges become unusable, its text hidden
              edit         Change the graph by hand: entities, edges, events; or take such a change back

            Ask the graph:
              search       Search the texts, old and new
              show         Show an entity and its edges
              why          Explain why an edge is there: sentences, dates, and what ended it
              history      Show what each generation changed in an entity or a fact
              ask          Ask questions over the graph: paths, what hangs on what, measures
              export       Write the graph for other programs
              quarantine   List what waits for a decision
              decide       Answer questions of the quarantine from a file, or take an answer back

            Look after it:
              status       Show what stands, what waits, and how the last run went
              verify       Compare the graph with its records, digests and changelog
              replay       Rebuild a graph from a changelog into an empty folder

            Options:
              -C, --workspace <DIR>  The workspace; default: this folder or the nearest above it with
                                     `ontology/` and `jobs/`
                  --output <FORM>    How to write the answer: text, json (one line, with a version), or csv
                                     where there is a table
              -q, --quiet            Say nothing but the answer and errors
              -v, --verbose...       Say more while working; twice for still more
              -h, --help             Print help
              -V, --version          Print version

            Exit codes:
              0  done (warnings included)
              1  something unexpected failed; trying again may help
              2  the command line or the configuration is invalid; trying again does not help
              3  the drift report says `fail`; do not try again, look at it
              4  finished, but some inputs failed or were withheld; the rest is published
              5  another run holds the lock
        "#]],
    );
    assert_eq!(say(folder.path(), "shwo FCU").exit, Exit::Invalid);
    assert_eq!(say(folder.path(), "").exit, Exit::Invalid);
}
