//! Case 81, and that no command that reads says anything of what its reader may not see.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read what was exported")]

use std::fs;

use serde_json::Value;

use crate::world::World;

/// Everything secret bears this mark: names of files, feeds, types, rules, properties, keys and words.
const MARK: &str = "zanzibar";

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
  ZanzibarAgent: { system_of_record: zanzibar_agents, access: [legal] }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject, properties: { lead_time: duration, zanzibar_price: { type: text, access: [legal] } } }
  tests: { subject: Supplier, object: Component, review: always }
  zanzibar_pays: { subject: ZanzibarAgent, object: Supplier, access: [legal] }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [(from|as of|since) {valid_from:date}] [until {valid_to:date}] [at {zanzibar_price}]"
- id: test
  edge: tests
  match: "{subject:Supplier} tests {object:Component+}"
- id: zanzibar.pay
  edge: zanzibar_pays
  match: "{subject:ZanzibarAgent} pays {object:Supplier}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  letters: { path: letters, include: ["**/*.md"] }
  zanzibar: { path: zanzibar, include: ["**/*.md"], access: [legal] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
  zanzibar_agents: { path: agents.csv, entity: { type: ZanzibarAgent, key: Id, names: [Name] } }
  zanzibar_partners: { path: partners.csv, access: [legal], entity: { type: Supplier, key: Id, names: [Name] } }
  zanzibar_deals: { path: deals.csv, access: [legal], edge: { type: supplies, subject: Supplier, object: Component, valid_from: From } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Brake Pad
C4,Door Seal
C5,Zinc Plate
C6,Tail Cone
//- agents.csv
Id,Name
zanzibar-1,Zanzibar Envoy
//- partners.csv
Id,Name
zanzibar-9,Bluebird Trading
//- deals.csv
Supplier,Component,From
S2,C4,2021-01-01
zanzibar-9,C5,2022-01-01
//- truth.csv
subject,type,object
S1,supplies,C1
S2,supplies,C2
S2,supplies,C4
S2,supplies,C5
S1,tests,C3
S2,tests,C4
Bluebird Trading,supplies,C3
//- seen.yaml
edges: [{ edge: [supplies, tests] }]
judged: { feed: suppliers }
//- letters/a.md
# Contract

TechChip supplies the Radio Module since 1 March 2020 until 31 December 2020.

TechChip supplies the Main Board since 1 May 2020.

Bluebird Trading supplies the Brake Pad since 1 May 2020.

TechChip tests the Brake Pad.

TechChip supplies the Tail Cone since 1 March 2019.
//- zanzibar/zanzibar-memo.md
# Zanzibar memorandum

TechChip supplies the Radio Module since 1 June 2022 at zanzibar-price.

By the Zanzibar accord, Voltanix supplies the Main Board since 17 February 2024.

The Zanzibar Envoy pays TechChip.

Zanzibar Holdings supplies the Brake Pad.

TechChip tests the Brake Pad.

In Zanzibar, Voltanix tests the Door Seal.
"#;

fn ids_of(world: &World, holding: &str) -> Vec<String> {
    let export = world.cmd("export").expect_code(0).stdout;
    export
        .lines()
        .filter(|line| line.contains(r#""kind":"edge""#) && line.contains(holding))
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["fact"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn case_81_a_public_reader_sees_the_public_period_and_of_a_secret_end_its_date_only() {
    let world = World::new(FIXTURE);
    world.run();
    let lines = |graph: String, part: &str| -> Vec<String> {
        graph
            .lines()
            .filter(|line| !line.starts_with('?') && line.contains(part))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        lines(world.graph(), "C1"),
        [
            "S1 supplies C1 [2020-03-01, 2021-01-01) ×1",
            "S1 supplies C1 [2022-06-01, ∞) ×1 zanzibar_price=zanzibar-price"
        ]
        .map(|line| line.replace("×1", "×2"))
    );
    let public = world.graph_with("--access none");
    assert_eq!(lines(public.clone(), "C1"), ["S1 supplies C1 [2020-03-01, 2021-01-01) ×1"]);
    // The secret newcomer ended it: the day shows, and nothing of who.
    assert_eq!(lines(public, "C2"), ["S1 supplies C2 [2020-05-01, 2024-02-17) ×1"]);
    let why = world.cmd("why S1 C2 --access none").expect_code(0).stdout;
    assert!(
        why.contains("2024-02-17") && !why.contains("Voltanix") && !why.to_lowercase().contains(MARK),
        "{why}"
    );
    let why = world.cmd("why S1 C2 --access legal").expect_code(0).stdout;
    assert!(why.contains("Voltanix"), "{why}");

    let as_of =
        |day: &str, access: &str| lines(world.graph_with(&format!("--as-of {day} --access {access}")), "C1");
    assert_eq!(as_of("2023-01-01", "none"), [""; 0]);
    assert_eq!(as_of("2023-01-01", "legal").len(), 1);
    assert_eq!(as_of("2020-06-01", "none").len(), 1);
}

/// Every command that reads, as words; `{…}` stands for a secret fact's id.
const READING: [&str; 58] = [
    "search supplies",
    "search 'radio module' --state all",
    "search memorandum accord price --state all",
    "search bluebird tests --as-of 2024-03-01 --known-at 1",
    "search entity:S2 --state all",
    "show S1",
    "show S2 --as-of 2024-03-01",
    "show C1 --known-at 1",
    "show C4",
    "show C5",
    "why S1",
    "why S1 C1 --as-of 2023-01-01",
    "why C2 --known-at 1",
    "why {S2 supplies C4}",
    "history S1",
    "history C2 --known-at 1",
    "history C3",
    "history C6",
    "history {S2 supplies C4}",
    "export",
    "export --history",
    "export --as-of 2024-03-01",
    "export --known-at 1",
    "export --since 1",
    "quarantine",
    "eval --golden truth.csv --limit 99",
    "eval --golden truth.csv --map seen.yaml --markdown",
    "sample 99",
    "sample 99 --out drawn.csv",
    "gaps",
    "feeds",
    "status",
    "ontology",
    "ask nodes",
    "ask nodes Supplier Component",
    "ask node S1",
    "ask node C4",
    "ask edges",
    "ask edges C1 C4 C5 --during .. --evidence all",
    "ask edges --end .. --known-at 1",
    "ask count",
    "ask count Component",
    "ask neighbors S1 --evidence all",
    "ask neighbors C4",
    "ask neighbors C5",
    "ask path C2 S2",
    "ask path C5 C1",
    "ask subgraph S1 --hops 4 --as-of 2024-03-01",
    "ask subgraph C1 --hops 3 --whole",
    "ask reach Supplier",
    "ask compare C1 C2",
    "ask complement Component --of S2 --hops 2",
    "ask without S2",
    "ask alternatives C1 --edge supplies",
    "ask risk Supplier --along supplies",
    "ask central",
    "ask rank",
    "ask components",
];

#[test]
fn no_command_that_reads_says_anything_of_a_secret_document_feed_or_type() {
    let world = World::new(FIXTURE);
    world.run();
    let rows = world.cmd("quarantine --output csv").stdout;
    let rejected: Vec<&str> =
        rows.lines().filter(|row| row.contains("TechChip tests") || row.contains("Voltanix tests")).collect();
    assert_eq!(rejected.len(), 3, "{rows}");
    let (secret, public): (Vec<&str>, Vec<&str>) = rejected.iter().partition(|row| row.contains("zanzibar/"));
    let question = |row: &&str| row.split(',').next().unwrap().to_owned();
    let answers: Vec<String> =
        secret.iter().map(|row| format!("{},reject,of zanzibar", question(row))).collect();
    world.write("answers.csv", format!("question,decision,reason\n{}\n", answers.join("\n")).as_bytes());
    world.cmd("decide answers.csv --by Zanzibari").expect_code(0);
    world.write("public.csv", format!("question,decision\n{},approve\n", question(&public[0])).as_bytes());
    world.cmd("decide public.csv --by Ada").expect_code(0);
    // A second generation, so that there is recorded time in which secrets came and went.
    world.put("//- zanzibar/zanzibar-more.md\nVoltanix supplies the Tail Cone since 1 March 2024.\n");
    world.run();
    let secret = ids_of(&world, r#""subject":"Supplier:S2","edge_type":"supplies","object":"Component:C4""#);
    assert_eq!(secret.len(), 1);

    // Every question of `ask` is among them.
    let help = world.cmd("ask --help").stdout;
    let listed = help.split("Options:").next().unwrap().lines().filter_map(|line| line.strip_prefix("  "));
    for name in listed.filter_map(|line| line.split_whitespace().next()) {
        let asked = format!("ask {name}");
        let is_asked = |command: &&str| **command == asked || command.starts_with(&format!("{asked} "));
        assert!(READING.iter().any(is_asked), "{asked}");
    }

    let mut heard = 0;
    for command in READING {
        let command = command.replace("{S2 supplies C4}", &secret[0]);
        for form in ["text", "json"] {
            if form == "json" && command.starts_with("export") {
                continue;
            }
            for access in ["none", "sales"] {
                let said = world.cmd(&format!("{command} --access {access} --output {form}"));
                let all = format!("{}{}", said.stdout, said.stderr).to_lowercase();
                assert!(!all.contains(MARK), "{command} --access {access}: {all}");
                // A fact that is seen by nobody else is as if it were not there.
                assert!(
                    !said.stdout.contains(&secret[0]) || said.code != 0,
                    "{command} --access {access}: {all}"
                );
            }
        }
        let said = world.cmd(&format!("{command} --access legal"));
        heard += usize::from(said.stdout.to_lowercase().contains(MARK));
    }
    assert!(heard > 8, "those who hold the label see it: {heard}");
}

#[test]
fn tables_for_other_programs_and_for_curators_hold_no_secret() {
    let world = World::new(FIXTURE);
    world.run();
    for format in ["csv", "neo4j"] {
        world.cmd(&format!("export --format {format} --out {format} --access none")).expect_code(0);
        let mut files = 0;
        for entry in fs::read_dir(world.path(format)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap().to_lowercase();
            assert!(!text.contains(MARK), "{}: {text}", path.display());
            files += 1;
        }
        assert!(files > 2);
    }
    let table = world.cmd("quarantine --output csv --access none").expect_code(0).stdout;
    assert!(
        table.contains("TechChip tests the Brake Pad.") && !table.to_lowercase().contains(MARK),
        "{table}"
    );
}

#[test]
fn an_unseen_fact_is_answered_like_one_that_does_not_exist() {
    let world = World::new(FIXTURE);
    world.run();
    let secret = ids_of(&world, r#""object":"Component:C4""#).remove(0);
    let nowhere = "0123456789abcdef0123456789abcdef";
    for command in ["why", "history"] {
        let unseen = world.cmd(&format!("{command} {secret} --access none"));
        let absent = world.cmd(&format!("{command} {nowhere} --access none"));
        assert_eq!(unseen.code, absent.code);
        assert_eq!(unseen.stderr.replace(&secret, nowhere), absent.stderr);
        assert_eq!(unseen.stdout, absent.stdout);
    }
    for (command, secret, nowhere) in
        [("show", "zanzibar-9", "quagga-9"), ("why", "Supplier:zanzibar-9", "Supplier:quagga-9")]
    {
        let unseen = world.cmd(&format!("{command} {secret} --access none"));
        let absent = world.cmd(&format!("{command} {nowhere} --access none"));
        assert_eq!(unseen.code, absent.code);
        assert_eq!(unseen.stderr.replace(secret, nowhere), absent.stderr);
    }
}
