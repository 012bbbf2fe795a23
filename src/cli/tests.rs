//! The command line, in process: what goes to which stream, with which exit code.
#![expect(clippy::disallowed_methods, reason = "the tests make workspaces and read what was written")]

mod help;
mod json;
mod secrets;
mod text;

use std::io::{self, Write};
use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::Value;

use super::{Exit, World, execute};
use crate::serve::testing::{NEW, tell};
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
        program: Default::default(),
        bold: false,
        variable: |_| None,
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
            the next run would make 1 change of edges by them
            changes
              would add TechChip Inc (Supplier:S2) supplies Door Seal (Component:C3) [2023-03-03, ∞)
                curator: decision 1 by curator
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
