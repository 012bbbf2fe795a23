//! Parsers that break: each death is charged to its document after one try more, and all else goes on.

use std::process::{Command, Stdio};

use crate::paper::Paper;
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
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters, limits: { time: 4s, memory: 256MiB } }
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
"#;

/// A document that does this to its parser.
fn fault(kind: &str) -> Vec<u8> {
    format!("%PDF-fault {kind}\n").into_bytes()
}

fn workspace() -> World {
    let world = World::new(FIXTURE);
    world.write("letters/a.pdf", &Paper::new().page("TechChip supplies the Radio Module.").bytes());
    world.write("letters/z.pdf", &Paper::new().page("TechChip supplies the Main Board.").bytes());
    world
}

const SAYS: &str = "
    S1 supplies C1 [?, ∞) ×1
    S1 supplies C2 [?, ∞) ×1";

/// What a run with faulty parsers says, a problem a line.
fn said(world: &World, more: &str) -> (i32, String) {
    let output = world.cmd(&format!("run --faulty-parser{more}"));
    let lines = output.stdout.lines().map(str::trim).filter(|line| line.contains("[parse-"));
    (output.code, lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn each_way_to_break_is_charged_to_its_document_and_all_else_goes_on() {
    let world = workspace();
    for kind in ["abort", "panic", "stack", "end", "garbage", "memory", "loop"] {
        world.write(&format!("letters/{kind}.pdf"), &fault(kind));
    }
    let expected = "\
letters/abort.pdf: error[parse-crash]: its parser broke down, twice: it stays as it was (it gave up)
letters/end.pdf: error[parse-crash]: its parser broke down, twice: it stays as it was (its process ended and gave no answer)
letters/garbage.pdf: error[parse-crash]: its parser broke down, twice: it stays as it was (its answer makes no sense)
letters/loop.pdf: error[parse-timeout]: parsing it took more than 4 s, twice: it stays as it was
letters/memory.pdf: error[parse-memory]: parsing it took more than 256 MiB of memory, twice: it stays as it was
letters/panic.pdf: error[parse-crash]: its parser broke down, twice: it stays as it was (it panicked: a parser's own words)
letters/stack.pdf: error[parse-crash]: its parser broke down, twice: it stays as it was (it nests too deeply for the stack)";
    let (code, said) = said(&world, "");
    assert_eq!((code, said.as_str()), (4, expected));
    world.says(SAYS);
}

#[test]
fn the_same_comes_out_whatever_the_number_of_threads() {
    let states = ["1", "2", "7"].map(|threads| {
        let world = workspace();
        for at in 0..12 {
            let kind = ["abort", "panic", "end"][at % 3];
            world.write(&format!("letters/m{at}.pdf"), &fault(kind));
        }
        let said = said(&world, &format!(" --threads {threads}"));
        world.says(SAYS);
        (said, world.cmd("export").expect_code(0).stdout)
    });
    assert_eq!(states[0], states[1]);
    assert_eq!(states[0], states[2]);
}

#[test]
fn a_document_that_breaks_its_parser_tonight_keeps_what_it_said() {
    let world = workspace();
    world.run();
    world.says(SAYS);
    world.write("letters/a.pdf", &fault("abort"));
    let (code, said) = said(&world, "");
    assert_eq!(code, 4);
    assert!(said.starts_with("letters/a.pdf: error[parse-crash]"), "{said}");
    world.says(SAYS);
}

#[test]
fn a_feed_that_breaks_its_reader_keeps_its_rows_and_all_else_goes_on() {
    let world = workspace();
    world.run();
    let packed = |path: &str, kind: &str, limits: &str| {
        (
            format!("path: {path},"),
            format!("path: {path}, format: {{ kind: {kind} }}, limits: {{ {limits} }},"),
        )
    };
    let packed = [
        packed("suppliers.csv", "parquet", "time: 4s, memory: 256MiB"),
        packed("components.csv", "sheet", "time: 4s"),
    ];
    world.put(&packed.iter().fold(FIXTURE.to_owned(), |text, (from, to)| text.replace(from, to)));
    let expected = |what: &str, feed: &str, why: &str| {
        format!("{feed}.csv: error[feed-unreadable]: {what} cannot be read: {why}")
    };
    let broke = |how: &str| format!("it broke down, twice ({how})");
    for (kind, why) in [
        ("abort", broke("it gave up")),
        ("end", broke("its process ended and gave no answer")),
        ("garbage", broke("its answer makes no sense")),
        ("loop", "it gave no answer within 4 s, twice".to_owned()),
        ("memory", "it took more than 256 MiB of memory, twice".to_owned()),
        ("panic", broke("it panicked: a parser's own words")),
        ("stack", broke("it nests too deeply for the stack")),
    ] {
        world.write("suppliers.csv", &fault(kind));
        world.write("components.csv", &fault("panic"));
        let output = world.cmd("run --faulty-parser").expect_code(4);
        let lines = output.stdout.lines().map(str::trim).filter(|line| line.contains("error["));
        let both = [
            expected("the workbook", "components", &broke("it panicked: a parser's own words")),
            expected("the Parquet file", "suppliers", &why),
        ];
        assert_eq!(lines.collect::<Vec<_>>(), both);
        let raise = "hint: look at the file; if it is right, raise `limits` of the feed";
        assert_eq!(output.stdout.contains(raise), ["loop", "memory"].contains(&kind), "{}", output.stdout);
        world.says(SAYS);
    }
}

#[test]
fn without_the_switch_a_document_asks_for_no_fault() {
    let world = workspace();
    world.write("letters/abort.pdf", &fault("abort"));
    let output = world.cmd("run").expect_code(4);
    assert!(output.stdout.contains("letters/abort.pdf: error[parse-damaged]"), "{}", output.stdout);
}

#[test]
fn a_child_ends_with_its_parent_whatever_it_is_doing() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_edgewright"))
        .args(["__parse", "--faulty"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let limits = r#"{"time":1000,"memory":1073741824,"pages":9,"characters":9}"#;
    let head = format!(r#"{{"what":{{"Document":["a.pdf","Pdf"]}},"limits":{limits}}}"#);
    for frame in [head.as_bytes(), &fault("loop")] {
        std::io::Write::write_all(&mut input, &(frame.len() as u64).to_le_bytes()).unwrap();
        std::io::Write::write_all(&mut input, frame).unwrap();
    }
    // What a killed parent leaves is a closed pipe.
    drop(input);
    assert!(child.wait().unwrap().success());
}
