//! Programs of the user's that parse documents: what they are given, what is made of what they write, and what is
//! said when they do wrong.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component}"
- id: list
  edge: supplies
  table: { subject: [Supplier], object: [Component], valid_from: [Since] }
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  archive:
    path: archive
    limits: { time: 4s, memory: 256MiB, pages: 99 }
    parser: { command: [tools/ocr, --fast], for: ["*.djvu"], version: ocr 1, environment: { GREETING: hello } }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
//- archive/a.djvu
{"kind": "heading", "level": 1, "text": "Parts", "at": "page 1"}
{"kind": "paragraph", "text": "TechChip supplies the Radio Module.", "at": "page 7"}
{"kind": "table", "header": ["Supplier", "Component", "Since"], "rows": [["TechChip Inc", "Main Board", "2021-05-01"]], "at": "Sheet1!B7"}
//- archive/b.md
Nothing of note.
"#;

/// A workspace whose parser shows the file as it is, and counts how often it was called.
fn workspace() -> World {
    let world = World::new(FIXTURE);
    tool(&world, "echo \"$@ $GREETING$HOME\" >> calls\n/bin/cat \"$2\"");
    world
}

fn tool(world: &World, script: &str) {
    world.write("tools/ocr", format!("#!/bin/sh\n{script}\n").as_bytes());
    fs::set_permissions(world.path("tools/ocr"), fs::Permissions::from_mode(0o755)).unwrap();
}

fn calls(world: &World) -> usize {
    fs::read_to_string(world.path("calls")).map_or(0, |calls| calls.lines().count())
}

const SAYS: &str = "
    S1 supplies C1 [?, ∞) ×1
    S1 supplies C2 [2021-05-01, ∞) ×1";

fn said(world: &World) -> (i32, String) {
    let output = world.cmd("run");
    let lines = output.stdout.lines().map(str::trim).filter(|line| line.contains("[parse-"));
    (output.code, lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_program_parses_what_it_is_declared_for_and_why_names_its_places() {
    let world = workspace();
    world.run();
    world.says(SAYS);
    let called = fs::read_to_string(world.path("calls")).unwrap();
    let file = fs::canonicalize(world.path("archive/a.djvu")).unwrap();
    assert_eq!(called.trim(), format!("--fast {} hello", file.display()), "its own environment and no other");
    assert!(world.cmd("why S1 C1").stdout.contains("archive/a.djvu, page 7"));
    assert!(world.cmd("why S1 C2").stdout.contains("archive/a.djvu, Sheet1!"));
}

#[test]
fn unchanged_bytes_are_not_parsed_again_whatever_happens_to_the_file_or_the_store() {
    let world = workspace();
    world.run();
    world.run();
    world.put("//- rename archive/a.djvu archive/z.djvu");
    world.run();
    world.says(SAYS);
    fs::remove_file(world.path(".edgewright/graph.db")).unwrap();
    world.cmd("replay .").expect_code(0);
    world.run();
    world.says(SAYS);
    assert_eq!(calls(&world), 1);
}

#[test]
fn a_source_with_a_parser_is_no_feed_that_is_gone() {
    let world = workspace();
    world.run();
    world.write("letters/more.md", b"A remark.\n");
    assert_eq!(world.run()["diagnostics"], serde_json::json!([]));
}

#[test]
fn what_a_killed_run_left_half_written_is_taken_away_by_the_next_that_writes() {
    let world = workspace();
    world.run();
    world.write(".edgewright/parsed/new/0a-1-0", b"{");
    world.cmd("plan").expect_code(0);
    assert!(world.path(".edgewright/parsed/new").exists(), "a plan writes nothing");
    world.run();
    assert!(!world.path(".edgewright/parsed/new").exists());
    assert_eq!(calls(&world), 1);
}

#[test]
fn another_version_parses_its_files_anew() {
    let world = workspace();
    world.run();
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", job.replace("ocr 1", "ocr 2").as_bytes());
    let report = world.run();
    assert_eq!(
        (calls(&world), report["work"]["parsed"].as_u64()),
        (2, Some(1)),
        "and the other file is left alone"
    );
    world.says(SAYS);
}

#[test]
fn everything_wrong_with_an_output_is_named_at_once() {
    let world = workspace();
    world.write(
        "archive/c.djvu",
        br#"{"kind": "heading", "level": 9, "text": "Parts"}
{"kind": "verse", "text": "a"}
{"kind": "paragraph", "text": " "}
{"kind": "paragraph", "text": "a", "page": 3}
{"kind": "table", "header": ["a", "b"], "rows": [["c", "d"], ["e"]]}
{"kind": "paragraph", "text": "a", "at": "somewhere"}
Page 1
"#,
    );
    let head = "archive/c.djvu: error[parse-output]: line";
    let of = "of what its parser wrote:";
    let (code, said) = said(&world);
    let expected = format!(
        "\
{head} 1 {of} a heading has a level from 1 to 6, not 9
{head} 2 {of} unknown variant `verse`, expected one of `title`, `field`, `heading`, `paragraph`, `item`, `table`, `quote`, `code`
{head} 3 {of} its text is empty
{head} 4 {of} unknown field `page`, expected `text` or `at`
{head} 5 {of} row 2 of the table has 1 cell, not 2
{head} 6 {of} `somewhere` is no place in a file
{head} 7 {of} it is no JSON from column 1 on"
    );
    assert_eq!((code, said.as_str()), (4, expected.as_str()));
    world.says(SAYS);
}

#[test]
fn a_program_that_fails_never_ends_or_is_missing_is_charged_to_its_document() {
    let world = workspace();
    world.run();
    let changed = |at: u32| world.write("archive/a.djvu", format!("changed {at}").as_bytes());
    let head = "archive/a.djvu: error[parse-";
    for (at, (script, expected)) in (0..).zip([
        ("echo 'no such language: xx' >&2; exit 3", "crash]: its parser broke down, twice: it stays as it was (its process ended with code 3, saying: no such language: xx)"),
        ("while :; do :; done", "timeout]: parsing it took more than 4 s, twice: it stays as it was"),
        ("echo '{\"kind\": \"paragraph\", \"text\": \"a\", \"at\": \"page 100\"}'", "too-large]: it has 100 pages, and 99 are allowed: it stays as it was"),
        ("exec >&-; while :; do :; done", "timeout]: parsing it took more than 4 s, twice: it stays as it was"),
        ("", "output]: its parser found no text"),
    ]) {
        tool(&world, script);
        changed(at);
        assert_eq!(said(&world), (4, format!("{head}{expected}")), "{script}");
        world.says(SAYS);
    }
    fs::remove_file(world.path("tools/ocr")).unwrap();
    let (code, said) = said(&world);
    assert!(code == 4 && said.contains("it cannot be started"), "{said}");
    world.says(SAYS);
}

/// What a program has started is killed with it, whether or not that holds the program's ends open.
#[test]
fn what_a_program_has_started_ends_with_it() {
    let world = workspace();
    let held = world.path("held");
    assert!(std::process::Command::new("mkfifo").arg(&held).status().unwrap().success());
    // It is read to its end: until nobody is there any more who might write.
    let reader = std::thread::spawn(move || fs::read_to_string(held).unwrap());
    tool(
        &world,
        "[ -e started ] || { exec 9>held; }; : > started; (/bin/sleep 30; echo 'it lives on' >&9) &\nwait",
    );
    let head =
        "archive/a.djvu: error[parse-timeout]: parsing it took more than 4 s, twice: it stays as it was";
    assert_eq!(said(&world), (4, head.to_owned()));
    assert_eq!(reader.join().unwrap(), "");
}

/// A program that has written all may take a moment to end, though its time is over by then.
#[test]
fn a_program_that_has_written_all_has_a_moment_to_end() {
    let world = workspace();
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", job.replace("time: 4s", "time: 1s").as_bytes());
    tool(&world, "/bin/cat \"$2\"; exec >&-; /bin/sleep 1.2");
    world.run();
    world.says(SAYS);
}
