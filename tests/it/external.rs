//! Programs of the user's that rules ask: what they are asked, what is made of what they answer, when they are not
//! asked, and what stays when they fail.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component, properties: { quantity: number } }
  rivals:   { subject: Supplier, object: Supplier }
words: { SUPPLY: [supply~, deliver~] }
rules:
- id: told
  edge: supplies
  external:
    command: [tools/reader, --fast]
    version: reader 1
    environment: { GREETING: hello }
    edges: [rivals]
    words: "(SUPPLY|rival~)"
    fields: [Region]
    limits: { time: 20s, memory: 256MiB }
  not_in: { heading: Drafts }
- id: plain
  edge: supplies
  match: "{subject:Supplier} makes {object:Component}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Elbe Castings GmbH
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
//- letters/a.md
---
region: north
---
# Parts

TechChip Inc supplies the Radio Module since 2024.

Elbe Castings GmbH delivers the Main Board — ½ of the lot.

TechChip Inc makes the Main Board.

# Drafts

TechChip Inc supplies the Main Board.
"#;

/// A program that answers every request with what stands in `answers/` under a word of the request's text.
const READER: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >> asked
    id=${line#*\"id\":\"}
    id=${id%%\"*}
    said='"assertions": []'
    for word in answers/*; do
        name=${word#answers/}
        case $line in
            *"$name"*) said=; while IFS= read -r part || [ -n "$part" ]; do said="$said$part"; done < "$word" ;;
        esac
    done
    case $said in
        DIE*) echo "no model for ${said#DIE }" >&2; exit 3 ;;
        HANG) while :; do :; done ;;
        RAW*) printf '%s\n' "${said#RAW }" ;;
        *) printf '{"id": "%s", %s}\n' "$id" "$said" ;;
    esac
done
"#;

fn workspace() -> World {
    let world = World::new(FIXTURE);
    tool(&world, READER);
    answer(
        &world,
        "Radio Module since",
        r#""assertions": [{"subject": {"entity": "Supplier:S1"}, "object": {"span": [26, 38]}, "quote": [0, 50],
            "valid_from": "2024", "properties": {"quantity": 1200}}]"#,
    );
    answer(
        &world,
        "Elbe Castings",
        r#""assertions": [{"edge": "supplies", "subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"},
            "quote": [32, 58], "valid_from": "2024-03-01", "valid_to": "2024-03-31", "confidence": 0.9}]"#,
    );
    world
}

fn tool(world: &World, script: &str) {
    world.write("tools/reader", format!("#!/bin/sh\n{script}\n").as_bytes());
    fs::set_permissions(world.path("tools/reader"), fs::Permissions::from_mode(0o755)).unwrap();
}

fn answer(world: &World, word: &str, said: &str) {
    world.write(&format!("answers/{word}"), said.as_bytes());
}

/// What the program was asked, a text a request.
fn asked(world: &World) -> Vec<String> {
    let asked = fs::read_to_string(world.path("asked")).unwrap_or_default();
    let request = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    asked.lines().map(|line| request(line)["text"].as_str().unwrap().to_owned()).collect()
}

fn forget(world: &World) {
    drop(fs::remove_file(world.path("asked")));
}

/// How a run ended, and what it said of programs, a problem a line.
fn said(world: &World) -> (i32, String) {
    let output = world.cmd("run");
    let lines = output.stdout.lines().map(str::trim).filter(|line| line.contains("[external-"));
    (output.code, lines.collect::<Vec<_>>().join("\n"))
}

fn edit(world: &World, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(world.path(file)).unwrap();
    assert!(text.contains(from), "{file} does not hold `{from}`");
    world.write(file, text.replace(from, to).as_bytes());
}

const SAYS: &str = "
    S1 supplies C1 [2024-01-01, ∞) ×1 quantity=1200
    S1 supplies C2 [?, ∞) ×1
    S2 supplies C2 [2024-03-01, 2024-04-01) ×1";

#[test]
fn a_program_is_told_what_a_chunk_says_and_its_answer_is_evidence() {
    let world = workspace();
    let report = world.run();
    world.says(SAYS);
    assert_eq!(
        (report["work"]["external_calls"].as_u64(), report["work"]["external_refused"].as_u64()),
        (Some(2), Some(0)),
        "of five chunks one lacks the words, one is a draft, and headings say nothing"
    );
    let asked = fs::read_to_string(world.path("asked")).unwrap();
    let mut first: Value =
        serde_json::from_str(asked.lines().find(|line| line.contains("½")).unwrap()).unwrap();
    assert_eq!(first["id"].as_str().unwrap().len(), 32);
    first["id"] = "…".into();
    let expected = serde_json::json!({
        "version": 1, "id": "…", "rule": "told", "language": "en",
        "text": "Elbe Castings GmbH delivers the Main Board — ½ of the lot.",
        "kind": "prose", "part": "body", "headings": ["Parts"], "parents": [],
        "document": { "self": null, "fields": { "region": ["north"] } },
        "mentions": [
            { "span": [0, 18], "text": "Elbe Castings GmbH", "entities": ["Supplier:S2"] },
            { "span": [32, 42], "text": "Main Board", "entities": ["Component:C2"] },
        ],
        "bindings": [],
        "edges": [
            { "type": "supplies", "subject": ["Supplier"], "object": ["Component"], "properties": { "quantity": "number" } },
            { "type": "rivals", "subject": ["Supplier"], "object": ["Supplier"], "properties": {} },
        ],
        "makes": {},
    });
    assert_eq!(first, expected);
    let why = world.cmd("why S2 C2").stdout;
    for line in [
        "letters/a.md:8",
        "»Main Board — ½ of the lot.«",
        "program: \"tools/reader --fast (reader 1)\"",
        "rule told, confidence 0.9",
        "to: until 2024-03-31, its last day included (first day after: 2024-04-01)",
    ] {
        assert!(why.contains(line), "{line} is not in:\n{why}");
    }
}

#[test]
fn an_unchanged_chunk_is_not_asked_about_again_whatever_else_changes() {
    let world = workspace();
    world.run();
    assert_eq!(asked(&world).len(), 2);
    world.run();
    // What another rule reads in the same chunk is read again, and the program is not asked for that.
    edit(&world, "ontology/supply.yaml", "makes {object", "(makes|supplies) the {object");
    edit(&world, "ontology/supply.yaml", "time: 20s", "time: 30s");
    let report = world.run();
    assert!(report["work"]["extracted"].as_u64() >= Some(1), "{report}");
    assert_eq!(asked(&world).len(), 2);
    world.says(
        SAYS.replace("[2024-01-01, ∞) ×1", "[2024-01-01, ∞) ×2").replace("[?, ∞) ×1", "[?, ∞) ×2").as_str(),
    );
    // Text that came is asked about, and nothing else.
    forget(&world);
    edit(&world, "letters/a.md", "# Drafts", "Elbe Castings GmbH is a rival of TechChip Inc.\n\n# Drafts");
    world.run();
    assert_eq!(asked(&world), ["Elbe Castings GmbH is a rival of TechChip Inc."]);
    // A file that moved says what it said.
    forget(&world);
    let before = world.graph();
    world.put("//- rename letters/a.md letters/b.md");
    world.run();
    assert!(asked(&world).is_empty(), "{:?}", asked(&world));
    assert_eq!(world.graph(), before);
    assert!(world.cmd("why S2 C2").stdout.contains("letters/b.md:8"));
    world.put("//- rename letters/b.md letters/a.md");
    world.run();
    // A context that changed is asked about: here the header field that the program is told.
    forget(&world);
    edit(&world, "letters/a.md", "region: north", "region: south");
    world.run();
    assert_eq!(asked(&world).len(), 3);
    // So is everything of another version of the program.
    forget(&world);
    edit(&world, "ontology/supply.yaml", "reader 1", "reader 2");
    world.run();
    assert_eq!(asked(&world).len(), 3);
    assert!(world.cmd("why S2 C2").stdout.contains("(reader 2)"));
}

#[test]
fn a_rebuild_and_a_replay_ask_nobody() {
    let world = workspace();
    world.run();
    fs::remove_file(world.path(".edgewright/graph.db")).unwrap();
    world.cmd("replay .").expect_code(0);
    world.run();
    world.says(SAYS);
    world.cmd("verify").expect_code(0);
    assert_eq!(asked(&world).len(), 2);
}

#[test]
fn what_is_no_assertion_is_refused_with_its_reason_and_the_rest_stands() {
    let world = workspace();
    answer(
        &world,
        "Elbe Castings",
        r#""assertions": [
            {"subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18]},
            {"edge": "suplies", "subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18]},
            {"subject": {"entity": "Component:C2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18]},
            {"subject": {"entity": "Supplier:S2"}, "object": {"span": [32, 420]}, "quote": [0, 18]},
            {"subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [18, 18]},
            {"subject": {"entity": "Supplier:S9"}, "object": {"entity": "Component:C2"}, "quote": [0, 18]},
            {"subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18], "confidence": 1.5},
            {"subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18], "valid_from": "soon"},
            {"subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18], "properties": {"price": 1}},
            {"subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18], "properties": {"quantity": "many"}},
            {"subject": {"entity": "Supplier:S2"}, "object": {"entity": "Component:C2"}, "quote": [0, 18], "since": "2024"},
            {"subject": {"entity": "Supplier:S2"}, "quote": [0, 18]},
            {"subject": {"entity": "Supplier:S2"}, "object": {"span": [43, 44]}, "quote": [0, 18]}
        ]"#,
    );
    let (code, said) = said(&world);
    let head = "letters/a.md:8: warning[external-";
    let from = "refused from the program of rule `told`: assertion";
    let expected = format!(
        "\
{head}domain-range]: {from} 3: the subject of `supplies` is Supplier, and `Component:C2` is none
{head}edge-type]: {from} 2: the rule may assert `supplies`, `rivals`, not `suplies`; did it mean `supplies`?
{head}entity]: {from} 6: its subject is `Supplier:S9`, and the request names nobody with this key
{head}form]: {from} 11: unknown field `since`, expected one of `edge`, `subject`, `object`, `quote`, `valid_from`, `valid_to`, `properties`, `confidence`
{head}form]: {from} 12: it has no object, and the rule fills none
{head}span]: {from} 4: its object [32, 420] is no text of the chunk, which has 58 characters
{head}span]: {from} 5: its quote [18, 18] is no text of the chunk, which has 58 characters
{head}value]: {from} 10: its property `quantity` is `many`, and that is no number
{head}value]: {from} 7: its confidence is 1.5, and it is from 0 to 1
{head}value]: {from} 8: its `valid_from` is `soon`, and that is no date
{head}value]: {from} 9: `supplies` has no property `price`"
    );
    assert_eq!((code, said.as_str()), (0, expected.as_str()));
    world.says(
        "
        ? S2 supplies —: endpoint-unknown
        S1 supplies C1 [2024-01-01, ∞) ×1 quantity=1200
        S1 supplies C2 [?, ∞) ×1
        S2 supplies C2 [?, ∞) ×1",
    );
}

/// What an answer may unfold to is bounded, and so is what is said of it.
#[test]
fn an_answer_that_is_too_much_is_refused_and_of_many_refusals_the_first_are_named() {
    let world = workspace();
    let nobody =
        r#"{"subject": {"entity": "Supplier:S9"}, "object": {"entity": "Component:C2"}, "quote": [0, 18]}"#;
    let right = nobody.replace("S9", "S2");
    let long = format!(r#"{{"edge": "{}"}}"#, "x".repeat(70_000));
    let wordy = format!(r#"{{"edge": "{}", "quote": [0, 18]}}"#, "x".repeat(60_000));
    let items = [vec![long.as_str(), &wordy], vec![nobody; 30], vec![&right]].concat();
    answer(&world, "Elbe Castings", &format!(r#""assertions": [{}]"#, items.join(", ")));
    let (code, said) = said(&world);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((code, lines.len()), (0, 17), "{said}");
    for expected in [
        "assertion 1: it has 70012 bytes, and 65536 are allowed",
        "assertion 2: the rule may assert `supplies`, `rivals`, not `xxx",
        "assertion 16: its subject is `Supplier:S9`, and the request names nobody with this key",
        "refused from the program of rule `told`: 16 more of its 33 assertions",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(lines.iter().all(|line| line.len() < 600), "{said}");
    world.says(
        "
        S1 supplies C1 [2024-01-01, ∞) ×1 quantity=1200
        S1 supplies C2 [?, ∞) ×1
        S2 supplies C2 [?, ∞) ×1",
    );
    answer(&world, "Elbe Castings", &format!(r#""assertions": [{}]"#, vec!["0"; 10_001].join(",")));
    edit(&world, "letters/a.md", "of the lot", "of a lot");
    let report = world.run_code(4);
    let said = report["diagnostics"][0]["message"].as_str().unwrap();
    assert!(said.contains("its line has 10001 assertions, and 10000 are allowed"), "{said}");
}

/// A wrapper's child keeps the wrapper's standard input open and reads nothing of a request that no pipe holds, or it
/// writes without end and without being asked. Either costs its time, and no more.
#[test]
fn a_program_that_reads_nothing_or_writes_without_end_is_given_up_in_time() {
    let world = workspace();
    edit(&world, "ontology/supply.yaml", "time: 20s", "time: 1s");
    let text = fs::read_to_string(world.path("letters/a.md")).unwrap();
    let long = format!("Elbe Castings GmbH delivers {}the Main Board —", "this and that and ".repeat(20_000));
    world.write(
        "letters/a.md",
        text.replace("Elbe Castings GmbH delivers the Main Board —", &long).as_bytes(),
    );
    for (script, why) in [
        ("/bin/sleep 20 <&0 >&1 2>&1 &\nwait", "it gave no answer within 1 s, twice"),
        ("exec /usr/bin/yes", "its line `y` is no answer"),
        (r#"while :; do printf '{"id": "x", "assertions": []}\n'; done"#, "answers the request `x`"),
    ] {
        tool(&world, script);
        let (code, said) = said(&world);
        assert_eq!((code, said.lines().count(), said.contains(why)), (4, 2, true), "{script}: {said}");
    }
    world.says("S1 supplies C2 [?, ∞) ×1");
}

#[test]
fn what_a_program_is_not_sure_of_waits() {
    let world = workspace();
    edit(&world, "answers/Elbe Castings", "\"confidence\": 0.9", "\"confidence\": 0.5");
    world.run();
    world.says(
        "
        ? S2 supplies C2: confidence-low
        S1 supplies C1 [2024-01-01, ∞) ×1 quantity=1200
        S1 supplies C2 [?, ∞) ×1",
    );
    assert!(world.cmd("quarantine").stdout.contains("its confidence 0.5 is below the type's threshold"));
}

#[test]
fn what_a_program_fails_on_stays_as_it_was_and_is_asked_again() {
    let world = workspace();
    world.run();
    let gave = "letters/a.md:8: error[external-";
    let of = "the program of rule `told` gave no answer here:";
    let stays = "what the rule said of the document stays as it was";
    for (said_instead, expected) in [
        (
            "DIE xx",
            format!(
                "failed]: {of} it broke down, twice (its process ended with code 3, saying: no model for xx); {stays}"
            ),
        ),
        ("HANG", format!("failed]: {of} it gave no answer within 1 s, twice; {stays}")),
        (
            "\"error\": \"no such language\"",
            format!("failed]: {of} it says that it cannot answer: no such language; {stays}"),
        ),
        (
            "RAW Loading…",
            format!(
                "output]: {of} its line `Loading…` is no answer: it is no JSON from column 1 on; {stays}"
            ),
        ),
        (
            "RAW {\"id\": \"x\", \"assertions\": []}",
            format!("output]: {of} its line answers the request `x`, which was not asked; {stays}"),
        ),
        (
            "\"assertion\": []",
            format!(
                "output]: {of} its line is no answer: unknown field `assertion`, expected one of `id`, `assertions`, `error`; {stays}"
            ),
        ),
    ] {
        let (patient, hasty) = ("time: 20s", "time: 1s");
        if said_instead == "HANG" {
            edit(&world, "ontology/supply.yaml", patient, hasty);
        }
        // The sentence is another one now, so what it said before would be gone if its program had answered.
        answer(&world, "Elbe Castings", said_instead);
        let text = fs::read_to_string(world.path("letters/a.md")).unwrap();
        let text = text.replace("of the lot", "of a lot").replace("a lot of a lot", "the lot");
        world.write("letters/a.md", text.replace("½ of", "½ (half) of").as_bytes());
        assert_eq!(said(&world), (4, format!("{gave}{expected}")), "{said_instead}");
        world.says(SAYS);
        // It is asked again each night, about this chunk alone, and says so each night.
        forget(&world);
        assert_eq!(said(&world).0, 4);
        assert!(asked(&world).iter().all(|text| text.starts_with("Elbe")), "{:?}", asked(&world));
        world.says(SAYS);
        if said_instead == "HANG" {
            edit(&world, "ontology/supply.yaml", hasty, patient);
        }
    }
    world.cmd("verify").expect_code(0);
    assert!(world.cmd("why S2 C2").stdout.contains("kept from an earlier version of the document"));
    // Once it answers, its answer counts, and the document is no more looked at.
    answer(&world, "Elbe Castings", "\"assertions\": []");
    let report = world.run();
    world.says(
        "
        S1 supplies C1 [2024-01-01, ∞) ×1 quantity=1200
        S1 supplies C2 [?, ∞) ×1",
    );
    assert_eq!(report["changes"][0]["cause"], "text_removed");
    forget(&world);
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    assert!(asked(&world).is_empty());
}

#[test]
fn a_program_that_is_not_there_withholds_its_rule_and_no_other() {
    let world = workspace();
    fs::remove_file(world.path("tools/reader")).unwrap();
    let (code, said) = said(&world);
    assert!(code == 4 && said.contains("it cannot be started") && said.lines().count() == 2, "{said}");
    world.says("S1 supplies C2 [?, ∞) ×1");
    tool(&world, READER);
    let report = world.run();
    world.says(SAYS);
    assert_eq!(report["changes"][0]["cause"], "extractor_changed");
}

#[test]
fn a_death_is_charged_to_its_chunk_and_the_next_one_has_a_fresh_program() {
    let world = workspace();
    answer(&world, "Radio Module since", "DIE it");
    let report = world.run_code(4);
    assert_eq!(report["work"]["external_calls"], 3, "two for the one, one for the other");
    world.says(
        "
        S1 supplies C2 [?, ∞) ×1
        S2 supplies C2 [2024-03-01, 2024-04-01) ×1",
    );
}

#[test]
fn a_text_that_comes_with_an_edit_is_asked_about_until_there_is_an_answer() {
    let world = workspace();
    edit(
        &world,
        "ontology/supply.yaml",
        "edges:\n",
        "  RiskEvent: {}\nedges:\n  disrupts: { subject: RiskEvent, object: Supplier }\n",
    );
    let rule = "rules:\n- id: struck\n  edge: disrupts\n  subject: self\n  external: { command: [tools/reader], version: reader 1, words: \"(strike~)\" }\n";
    edit(&world, "ontology/supply.yaml", "rules:\n", rule);
    world.run();
    world.write("bulletin.md", "TechChip Inc was hit by the strike.".as_bytes());
    answer(&world, "the strike", "DIE it");
    let add =
        "edit add-risk-event EVT-1 --title Strike --severity high --text bulletin.md --reason r --ticket T-1";
    let said = world.cmd(add).expect_code(4).stdout;
    assert!(said.contains("edit/1.md:1: error[external-failed]"), "{said}");
    world.says(SAYS);
    answer(&world, "the strike", "\"assertions\": [{\"object\": {\"span\": [0, 12]}, \"quote\": [0, 35]}]");
    world.run();
    world.says(&format!("{SAYS}\n EVT-1 disrupts S1 [?, ∞) ×1"));
}

#[test]
fn examples_and_trials_ask_the_program_too() {
    let world = workspace();
    edit(
        &world,
        "ontology/supply.yaml",
        "  not_in: { heading: Drafts }",
        "  examples:
    - text: TechChip Inc supplies the Radio Module since 2024.
      finds: TechChip Inc supplies Radio Module from 2024-01-01
    - text: Elbe Castings GmbH delivers the Main Board.
      finds: nothing
",
    );
    answer(&world, "Elbe Castings", "\"assertions\": [{\"quote\": [0, 4]}]");
    world.run();
    let output = world.cmd("test told --output json");
    let report = output.json();
    assert_eq!(report["passed"], 1, "{report}");
    let found = "refused: assertion 1: it has no subject, and the rule fills none";
    assert_eq!(report["failed"][0]["found"][0], found);
    let trial = world.cmd("try told").expect_code(0).stdout;
    assert!(trial.contains("S1 supplies") || trial.contains("TechChip Inc supplies"), "{trial}");
    assert!(trial.contains(found), "{trial}");
}

#[test]
fn a_plan_asks_and_writes_nothing() {
    let world = workspace();
    let plan = world.cmd("plan --output json").json();
    assert_eq!(plan["work"]["external_calls"], 2);
    assert_eq!(plan["changes"].as_array().unwrap().len(), 3);
    world.run();
    world.says(SAYS);
}

#[test]
fn what_is_wrong_with_the_rule_is_said_before_anything_runs() {
    let world = workspace();
    edit(&world, "ontology/supply.yaml", "edges: [rivals]", "edges: [rival]");
    edit(&world, "ontology/supply.yaml", "\"(SUPPLY|rival~)\"", "\"{day:date}\"");
    edit(&world, "ontology/supply.yaml", "[tools/reader, --fast]", "[../reader]");
    edit(&world, "ontology/supply.yaml", "    version: reader 1\n", "");
    let check = world.cmd("check");
    assert_eq!(check.code, 2);
    for line in
        ["`rival`", "no chunk lacks the words of this pattern", "leads out of the workspace", "`version`"]
    {
        assert!(check.stdout.contains(line), "{line} is not in:\n{}", check.stdout);
    }
}

/// A Python that has the library of the shipped example: that of `EDGEWRIGHT_PYTHON`, else the first one of the path.
fn python() -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let of_path = path.split(':').map(|folder| format!("{folder}/python3"));
    let mut all = std::env::var("EDGEWRIGHT_PYTHON").into_iter().chain(of_path);
    all.find(|python| {
        let asked = std::process::Command::new(python).args(["-c", "import stdnum.eu.vat"]).output();
        asked.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn the_shipped_example_tells_numbers_by_their_check_digits() {
    let Some(python) = python() else {
        println!("skipped: no python3 with python-stdnum (examples/external/requirements.txt) on the path");
        return;
    };
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/external");
    let world = World::new("");
    for file in [
        "tools/identifiers.py",
        "ontology/suppliers.yaml",
        "jobs/nightly.yaml",
        "feeds/suppliers.csv",
        "letters/SUP-1_form.md",
        "letters/2026-02-new-account.md",
        "letters/2026-04-invoices.md",
    ] {
        world.write(file, &fs::read(example.join(file)).unwrap());
    }
    edit(&world, "ontology/suppliers.yaml", "[python3,", &format!("[{python},"));
    assert_eq!(world.cmd("test --output json").expect_code(0).json()["passed"], 2);
    assert_eq!(world.run()["work"]["external_calls"], 5);
    world.says(
        "
        ? SUP-2 paid_to IBAN-FR1420041010050500013M02607: confidence-low
        SUP-1 paid_to IBAN-DE89370400440532013000 [2024-03-01, 2026-03-01) ×1
        SUP-1 paid_to IBAN-GB82WEST12345698765432 [2026-03-01, ∞) ×1
        SUP-1 registered_as LEI-213800KUD8LAJWSQ9D15 [?, ∞) ×1
        SUP-1 registered_as VAT-DE136695976 [?, ∞) ×1
        SUP-2 paid_to IBAN-FR1420041010050500013M02606 [?, ∞) ×1
        SUP-3 paid_to IBAN-GB82WEST12345698765432 [2026-04-15, ∞) ×1
        SUP-3 registered_as VAT-FR40303265045 [?, ∞) ×1",
    );
    assert_eq!(world.run()["work"]["external_calls"], 0);
}
