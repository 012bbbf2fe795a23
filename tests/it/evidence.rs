//! Cases 19 to 30: an edge lives by its evidence, and evidence goes only where its absence is proven.

use std::fs;

use serde_json::Value;

use crate::world::World;

/// Suppliers and components, a folder of documents with a register, and acts that amend sections.
const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
  Section:   { written: "Section {number}", create: from text }
  Act:       { create: from document }
edges:
  supplies: { subject: Supplier, object: Component, properties: { quantity: number } }
  hosts:    { subject: Supplier, object: Component, properties: { slots: { type: number, conflict: true } } }
  amends:   { subject: Act, object: Section }
words:
  SUPPLY: [supply~, sell~]
rules:
- id: supplies.clause
  edge: supplies
  match: "{subject:Supplier} [(shall|will)] SUPPLY [{quantity:number} pieces of] {object:Component+} [(from|as of|since) {valid_from:date}] [(until|to) {valid_to:date}]"
- id: supplies.rumor
  edge: supplies
  match: "{subject:Supplier} is said to make {object:Component+}"
  confidence: 0.5
- id: hosts.clause
  edge: hosts
  match: "{subject:Supplier} hosts {object:Component} in {slots:number} slots [from {valid_from:date}]"
- id: amends.clause
  edge: amends
  subject: self
  match: "{object:Section} is amended"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: tests
sources:
  contracts:
    path: contracts
    include: ["**/*.md"]
    register: { feed: register, on: File }
    effective: Effective
    withdrawn: { Status: [Withdrawn] }
    edits: correct
  acts:
    path: acts
    documents: [{ self: Act, name: "{act}.*" }]
feeds:
  suppliers:  { path: suppliers.csv, entity: { type: Supplier, key: No, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: No, names: [Name] } }
  register:   { path: register.csv }
  source_list:
    path: source_list.csv
    edge: { type: supplies, subject: Supplier, object: Component, valid_from: From, properties: { quantity: Pieces } }
//- suppliers.csv
No,Name
T,"TechChip, Inc."
V,Voltanix GmbH
//- components.csv
No,Name
C,Flight Control Unit
R,Radio Module
//- register.csv
File,Status
b.md,Executed
//- source_list.csv
Supplier,Component,From,Pieces
V,C,2020-01-01,10
//- acts/readme.md
Acts of the assembly.
//- contracts/readme.md
Contracts of the house.
"#;

/// What the shared feed says, whatever the documents do.
const FEED: &str = "V supplies C [2020-01-01, ∞) ×1 quantity=10";

/// The shared workspace with these documents.
fn world(documents: &str) -> World {
    let world = World::new(FIXTURE);
    world.put(documents);
    world
}

/// Asserts what the graph says beside the shared feed.
#[track_caller]
fn says(world: &World, expected: &str) {
    world.says(&format!("{expected}\n{FEED}"));
}

/// What the graph says beside the shared feed through these arguments.
#[track_caller]
fn graph(world: &World, arguments: &str) -> String {
    let all = world.graph_with(arguments);
    all.lines().filter(|line| *line != FEED).collect::<Vec<_>>().join("\n")
}

/// `change cause: what` of each change that a run made.
fn changes(report: &Value) -> Vec<String> {
    let text = |change: &Value, name: &str| change[name].as_str().unwrap().to_owned();
    let changes = report["changes"].as_array().unwrap().iter();
    changes
        .map(|one| format!("{} {}: {}", text(one, "change"), text(one, "cause"), text(one, "says")))
        .collect()
}

/// The codes of what a run complains about.
fn codes(report: &Value) -> Vec<String> {
    let diagnostics = report["diagnostics"].as_array().unwrap().iter();
    diagnostics.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
}

/// The changes that a name has seen, as `generation change [before] -> [after]`.
#[track_caller]
fn history(world: &World, name: &str, says: &str) -> Vec<String> {
    let view = world.cmd(&format!("history '{name}' --output json")).expect_code(0).json();
    let entries = view["entries"].as_array().unwrap().iter().filter(|entry| entry["says"] == says);
    entries
        .map(|entry| {
            format!(
                "{} {} {} -> {}",
                entry["generation"],
                entry["change"].as_str().unwrap(),
                entry["before"],
                entry["after"]
            )
        })
        .collect()
}

/// Answers every waiting question with this decision.
#[track_caller]
fn decide(world: &World, decision: &str, reason: &str) {
    let csv = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let answered: Vec<String> = csv
        .lines()
        .enumerate()
        .map(|(at, line)| {
            if at == 0 { line.to_owned() } else { line.replacen(",,,", &format!(",{decision},{reason},"), 1) }
        })
        .collect();
    world.write("answers.csv", format!("{}\n", answered.join("\n")).as_bytes());
    world.cmd("decide answers.csv --by 'M. Curator'").expect_code(0);
}

#[test]
fn case_19_the_edge_stays_by_the_evidence_that_is_left_and_the_locator_opens_its_sentence() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- contracts/notes.md\n# Notes\n\nThe parties met in spring.\n\n## Deliveries\n\nNothing new here. As agreed,\n\
         TechChip supplies the Flight Control Unit from 1 March 2024.",
    );
    world.run();
    says(&world, "T supplies C [2024-03-01, ∞) ×2");
    world.put("//- remove contracts/a.md");
    let report = world.run();
    says(&world, "T supplies C [2024-03-01, ∞) ×1");
    // No edge changes; its history says that an evidence went.
    assert_eq!(changes(&report), Vec::<String>::new());
    assert_eq!(
        history(&world, "T", "TechChip, Inc. supplies Flight Control Unit"),
        [r#"1 added [] -> ["[2024-03-01, ∞)"]"#, r#"2 evidence ["2 attestations"] -> ["1 attestation"]"#,]
    );
    let view = world.cmd("why T C --output json").expect_code(0).json();
    let evidence = &view["facts"][0]["evidence"];
    assert_eq!(evidence.as_array().unwrap().len(), 1);
    let one = &evidence[0];
    assert_eq!(one["path"], "contracts/notes.md");
    let text = fs::read_to_string(world.path("contracts/notes.md")).unwrap();
    let from = text.lines().skip(one["line"].as_u64().unwrap() as usize - 1).collect::<Vec<_>>().join("\n");
    let quote = one["quote"].as_str().unwrap();
    assert!(from.lines().next().unwrap().contains(quote.lines().next().unwrap()), "{one}");
    assert!(from.contains(quote), "{one}");
    assert_eq!(one["headings"].to_string(), r#"["Notes","Deliveries"]"#);
    assert_eq!(one["context"]["marked"], one["quote"]);
}

#[test]
fn case_20_without_evidence_the_edge_is_retracted_and_recorded_time_still_shows_it() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- contracts/b.md\nTechChip will sell the Flight Control Unit.",
    );
    world.run();
    world.put("//- remove contracts/a.md");
    world.run();
    world.put("//- remove contracts/b.md\n//- contracts/c.md\nNothing of note.");
    let report = world.run();
    says(&world, "");
    assert_eq!(changes(&report), ["retracted document_gone: Supplier:T supplies Component:C"]);
    assert_eq!(graph(&world, "--known-at 1"), "T supplies C [2024-03-01, ∞) ×2");
    assert_eq!(graph(&world, "--known-at 2"), "T supplies C [?, ∞) ×1");
    assert!(world.cmd("show T").expect_code(0).stdout.contains("it has no edges"));
    assert!(world.cmd("show T --known-at 2").expect_code(0).stdout.contains("(Component:C)"));
    let why = world.cmd("why T C --known-at 2").expect_code(0).stdout;
    assert!(
        why.contains("contracts/b.md:1") && why.contains("TechChip will sell the Flight Control Unit."),
        "{why}"
    );
    assert_eq!(
        history(&world, "T", "TechChip, Inc. supplies Flight Control Unit"),
        [
            r#"1 added [] -> ["[2024-03-01, ∞)"]"#,
            r#"2 changed ["[2024-03-01, ∞)"] -> ["[?, ∞)"]"#,
            r#"3 retracted ["[?, ∞)"] -> []"#,
        ]
    );
}

#[test]
fn case_21_a_document_that_comes_back_byte_for_byte_gives_two_recorded_periods_of_one_fact() {
    let text = "TechChip supplies the Flight Control Unit from 1 March 2024.\n";
    let world = world(&format!("//- contracts/keep.md\nNothing of note.\n//- contracts/a.md\n{text}"));
    world.run();
    let first = world.cmd("export").expect_code(0).stdout;
    world.put("//- remove contracts/a.md");
    world.run();
    says(&world, "");
    world.write("contracts/a.md", text.as_bytes());
    world.run();
    says(&world, "T supplies C [2024-03-01, ∞) ×1");
    assert_eq!(world.cmd("export").expect_code(0).stdout, first);
    assert_eq!(
        history(&world, "T", "TechChip, Inc. supplies Flight Control Unit"),
        [
            r#"1 added [] -> ["[2024-03-01, ∞)"]"#,
            r#"2 retracted ["[2024-03-01, ∞)"] -> []"#,
            r#"3 added [] -> ["[2024-03-01, ∞)"]"#,
        ]
    );
    for (generation, expected) in [(1, "T supplies C [2024-03-01, ∞) ×1"), (2, "")] {
        assert_eq!(graph(&world, &format!("--known-at {generation}")), expected);
    }
}

#[test]
fn case_22_a_renamed_document_is_a_move_without_an_event_and_its_decisions_go_with_it() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\n\
         Voltanix is said to make the Radio Module.\n\
         //- contracts/b.md\nTechChip is said to make the Radio Module.",
    );
    world.run();
    says(
        &world,
        "T supplies C [2024-03-01, ∞) ×1
         ? T supplies R: confidence-low
         ? V supplies R: confidence-low",
    );
    decide(&world, "reject", "hearsay");
    world.run();
    says(&world, "T supplies C [2024-03-01, ∞) ×1");
    world.put("//- rename contracts/a.md contracts/2024/signed.md\n//- rename contracts/b.md contracts/2024/rumor.md");
    let report = world.run();
    assert_eq!(changes(&report), Vec::<String>::new());
    assert!(codes(&report).iter().all(|code| code == "document-moved"), "{:?}", codes(&report));
    says(&world, "T supplies C [2024-03-01, ∞) ×1");
    assert!(world.cmd("why T C").expect_code(0).stdout.contains("contracts/2024/signed.md:1"));
    let events = history(&world, "T", "TechChip, Inc. supplies Flight Control Unit");
    assert_eq!(events, [r#"1 added [] -> ["[2024-03-01, ∞)"]"#]);
    // An approval goes with it too.
    world.put("//- contracts/c.md\nVoltanix is said to make the Radio Module. All agree.");
    world.run();
    decide(&world, "approve", "");
    world.run();
    world.put("//- rename contracts/c.md contracts/2024/c.md");
    let report = world.run();
    assert_eq!(changes(&report), Vec::<String>::new());
    says(&world, "T supplies C [2024-03-01, ∞) ×1\nV supplies R [?, ∞) ×1");
}

/// A long text that differs in its head and its foot only.
fn act(head: &str, foot: &str) -> String {
    let body: String =
        (1..=40).map(|n| format!("Item {n} of the old order stays in force as it was agreed.\n\n")).collect();
    format!("{head}\n\nSection 7 is amended. Section 9 is amended.\n\n{body}{foot}\n")
}

#[test]
fn case_23_an_act_that_becomes_a_law_moves_and_one_with_a_rival_as_close_does_not() {
    let moved = world("");
    moved.write("acts/act-12.md", act("Act 12", "Passed by the assembly.").as_bytes());
    moved.run();
    says(&moved, "act-12 amends 7 [?, ∞) ×1\nact-12 amends 9 [?, ∞) ×1");
    moved.put("//- remove acts/act-12.md");
    moved.write("acts/law-3.md", act("Law 3", "Signed by the mayor.").as_bytes());
    let report = moved.run();
    says(&moved, "law-3 amends 7 [?, ∞) ×1\nlaw-3 amends 9 [?, ∞) ×1");
    assert_eq!(
        changes(&report),
        [
            "retracted moved: Act:act-12 amends Section:7",
            "retracted moved: Act:act-12 amends Section:9",
            "added moved: Act:law-3 amends Section:7",
            "added moved: Act:law-3 amends Section:9",
        ]
    );

    let drift = fs::read_to_string(
        moved.path(&format!(".edgewright/runs/{}/drift.json", report["run"].as_str().unwrap())),
    )
    .unwrap();
    let drift: Value = serde_json::from_str(&drift).unwrap();
    let segment =
        drift["segments"].as_array().unwrap().iter().find(|one| one["edge_type"] == "amends").unwrap();
    let causes: Vec<&String> = segment["causes"].as_object().unwrap().keys().collect();
    assert_eq!(
        (causes, &segment["added"], &segment["retracted"]),
        (vec![&"moved".to_owned()], &2.into(), &2.into()),
        "{segment}"
    );

    let rival = world("");
    rival.write("acts/act-12.md", act("Act 12", "Passed by the assembly.").as_bytes());
    rival.run();
    rival.put("//- remove acts/act-12.md");
    rival.write("acts/law-3.md", act("Law 3", "Signed by the mayor.").as_bytes());
    rival.write("acts/law-4.md", act("Law 4", "Signed by the mayor.").as_bytes());
    let report = rival.run();
    let changes = changes(&report);
    assert_eq!(
        changes
            .iter()
            .filter(|change| change.starts_with("retracted document_gone: Act:act-12 amends"))
            .count(),
        2,
        "{changes:?}"
    );
    assert_eq!(
        changes.iter().filter(|change| change.starts_with("added new_document: Act:law-")).count(),
        4,
        "{changes:?}"
    );
    assert_eq!(changes.len(), 6, "{changes:?}");
}

#[test]
fn case_24_a_sentence_twice_is_one_edge_with_two_evidences_and_two_intervals_are_two_edges() {
    let world = world(
        "//- contracts/a.md\n# One\n\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\n# Two\n\n\
         TechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- contracts/b.md\nVoltanix supplies the Radio Module from 1 May 2024. Voltanix supplies the Radio Module from 1 May 2024.\n\
         //- contracts/c.md\nTechChip supplied the Radio Module from 2020 to 2021 and again from 2023.",
    );
    world.run();
    says(
        &world,
        "T supplies C [2024-03-01, ∞) ×2
         V supplies R [2024-05-01, ∞) ×2
         T supplies R [2020-01-01, 2022-01-01) ×2
         T supplies R [2023-01-01, ∞) ×2",
    );
    let why = world.cmd("why T C").expect_code(0).stdout;
    assert!(why.contains("contracts/a.md:3") && why.contains("contracts/a.md:7"), "{why}");
    assert_eq!(graph(&world, "--as-of 2022-06-01"), "");
    // One of the two goes, the edge stays.
    world.put("//- contracts/b.md\nVoltanix supplies the Radio Module from 1 May 2024.");
    world.run();
    assert!(world.graph().contains("V supplies R [2024-05-01, ∞) ×1"), "{}", world.graph());
}

#[test]
fn a_document_that_stays_without_its_file_is_gone_once_and_no_change_after_that() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- acts/roads.md\nAn act.\n",
    );
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    // Contracts are known by their paths, acts by their keys.
    let keeps = job.replace("    edits: correct\n", "    edits: correct\n    gone: keep\n");
    let keeps = keeps.replace("    path: acts\n", "    path: acts\n    gone: keep\n");
    let keeps = keeps.replace("name: \"{act}.*\" }", "name: \"{act}.*\", document: act }");
    world.write("jobs/nightly.yaml", keeps.as_bytes());
    let night = || -> String {
        let report = world.run();
        let inputs = report["inputs"].as_array().unwrap().iter().filter(|input| input["kind"] == "source");
        let inputs = inputs.map(|input| {
            let number = |name: &str| input[name].as_u64().unwrap();
            format!("{} {}: {} new, {} gone", input["name"], input["state"], number("added"), number("gone"))
        });
        format!("{}; {}", inputs.collect::<Vec<_>>().join("; "), report["outcome"]).replace('"', "")
    };
    let nothing = "acts unchanged: 0 new, 0 gone; contracts unchanged: 0 new, 0 gone; nothing_to_do";
    let gone = "acts read: 0 new, 1 gone; contracts read: 0 new, 1 gone; nothing_to_do";
    let says = || says(&world, "T supplies C [2024-03-01, ∞) ×1");
    night();
    world.put("//- remove contracts/a.md\n//- remove acts/roads.md");
    assert_eq!(night(), gone);
    assert_eq!(night(), nothing);
    says();
    // What comes back as it was is nothing new, and may go again.
    world.put(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- acts/roads.md\nAn act.\n",
    );
    assert_eq!(night(), nothing);
    world.put("//- remove contracts/a.md\n//- remove acts/roads.md");
    assert_eq!(night(), gone);
    // A file with the document's key is the document, wherever it stands.
    world.put("//- acts/roads.txt\nAn act.\n");
    assert_eq!(night(), "acts read: 0 new, 0 gone; contracts unchanged: 0 new, 0 gone; published");
    assert_eq!(night(), nothing);
    says();
    // Once it is declared that it never held, it goes.
    world.write("jobs/nightly.yaml", keeps.replace("    gone: keep\n", "").as_bytes());
    assert_eq!(night(), "acts unchanged: 0 new, 0 gone; contracts read: 0 new, 1 gone; published");
    assert_eq!(night(), nothing);
    self::says(&world, "");
}

#[test]
fn a_register_is_read_when_a_document_is_looked_at_and_on_no_other_night() {
    let world = world("//- contracts/b.md\nTechChip supplies the Radio Module from 1 March 2024.\n");
    world.run();
    // Whoever reads the register from here on, fails.
    let store = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    let rows = store.execute("UPDATE feed_row SET body = CAST('{' AS BLOB) WHERE feed = 'register'", []);
    assert_eq!(rows, Ok(1));
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    world.put("//- contracts/b.md\nTechChip supplies the Radio Module from 1 April 2024.\n");
    let failed = world.cmd("run").expect_code(1).stderr;
    assert!(failed.contains("the feed_row record `register/b.md/Executed` cannot be read back"), "{failed}");
}

#[test]
fn one_sentence_in_many_documents_is_no_crowded_snippet() {
    let letters: String = (1..=14)
        .map(|number| {
            format!(
                "//- contracts/l{number}.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n"
            )
        })
        .collect();
    let world = world(&letters);
    let report = world.run();
    says(&world, "T supplies C [2024-03-01, ∞) ×14");
    assert_eq!(report["quarantined"], serde_json::json!({}));
}

#[test]
fn a_sentence_that_becomes_crowded_or_ceases_to_be_is_judged_anew_as_a_whole() {
    let parts = |count: u32| -> String {
        let rows = (1..=count).map(|number| format!("P{number},bolt {number:02}\n"));
        format!("//- components.csv\nNo,Name\nC,Flight Control Unit\n{}", rows.collect::<String>())
    };
    let list: Vec<String> = (1..=13).map(|number| format!("bolt {number:02}")).collect();
    let letter = format!("//- contracts/a.md\nTechChip supplies {} and bolt 14.\n", list.join(", "));
    let rules = fs::read_to_string(world("").path("ontology/supply.yaml")).unwrap();
    let another = "- id: supplies.first\n  edge: supplies\n  match: \"{subject:Supplier} supplies {object:Component}\"\n";
    let night = |world: &World, count: u32, more_rules: &str| -> Value {
        let now = format!("{}//- ontology/supply.yaml\n{rules}{more_rules}", parts(count));
        world.put(&now);
        // A run that takes twelve of thirteen edges away because of one sentence is held, and released here.
        let report = world.cmd("run --output json").json();
        if report["outcome"] == "held" {
            world.cmd("release --reason 'the sentence is crowded'").expect_code(0);
        }
        let anew = self::world(&format!("{letter}{now}"));
        anew.run();
        assert_eq!(world.graph(), anew.graph());
        // Each reason says how many edges there are.
        let waiting = |world: &World| {
            let view = world.cmd("quarantine --output json").expect_code(0).json();
            let questions = view["questions"].as_array().unwrap().iter();
            questions.map(|one| one["assertions"][0]["reasons"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(waiting(world), waiting(&anew));
        world.cmd("verify").expect_code(0);
        report
    };
    let edges = |line: &str, count: u32| -> String {
        (1..=count).map(|number| line.replace("P#", &format!("P{number}")) + "\n").collect()
    };
    let (stands, waits) = ("T supplies P# [?, ∞) ×1", "? T supplies P#: snippet-crowded");
    let world = world(&letter);
    night(&world, 12, "");
    says(&world, &edges(stands, 12));

    // Another rule reads one more edge in it: none of them passes without a person any more.
    let report = night(&world, 12, another);
    says(&world, &format!("{}\n? T supplies P1: snippet-crowded", edges(waits, 12)));
    assert_eq!(changes(&report)[0], "retracted ontology_changed: Supplier:T supplies Component:P1");
    let detail = |report: &Value, at: usize| report["changes"][at]["detail"].as_str().unwrap().to_owned();
    assert_eq!(detail(&report, 1), "contracts/a.md:1, a sentence with 13 edges that had 12");
    let report = night(&world, 12, "");
    says(&world, &edges(stands, 12));
    assert_eq!(detail(&report, 1), "contracts/a.md:1, a sentence with 12 edges that had 13");

    // A thirteenth name has the same effect, and a fourteenth is counted by all.
    let report = night(&world, 13, "");
    says(&world, &edges(waits, 13));
    assert_eq!(changes(&report)[0], "retracted feed_row: Supplier:T supplies Component:P1");
    night(&world, 14, "");
    says(&world, &edges(waits, 14));
}

#[test]
fn case_25_a_withdrawn_document_counts_for_nothing_and_is_kept_for_those_who_may_see_it() {
    let world = world(
        "//- contracts/a.md\nStatus: Signed\n\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- contracts/b.md\nTechChip supplies the Radio Module from 1 March 2024.\n\
         //- contracts/c.md\nVoltanix supplies the Radio Module from 1 March 2024.",
    );
    world.run();
    let all =
        "T supplies C [2024-03-01, ∞) ×1\nT supplies R [2024-03-01, ∞) ×1\nV supplies R [2024-03-01, ∞) ×1";
    says(&world, all);
    // By a header field, by a column of the register, by command.
    world.put(
        "//- contracts/a.md\nStatus: Withdrawn\n\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- register.csv\nFile,Status\nb.md,Withdrawn\n",
    );
    // The command takes effect at once; its dry run says what it does.
    let retract = "retract contracts/c.md --reason 'never signed' --by counsel --output json";
    let dry = world.cmd(&format!("{retract} --dry-run")).expect_code(0).json();
    says(&world, all);
    let command = world.cmd(retract).expect_code(0).json();
    assert_eq!(dry["changes"], command["changes"]);
    says(
        &world,
        "T supplies C [2024-03-01, ∞) ×1\nT supplies R [2024-03-01, ∞) ×1\n? V supplies R: withdrawn",
    );
    let detail = command["changes"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("contracts/c.md retracted by counsel at "), "{detail}");
    assert_eq!(changes(&command), ["retracted curator: Supplier:V supplies Component:R"]);
    let report = world.run();
    assert_eq!(
        report["work"]["extracted"], 1,
        "only the text with the new header is read: {}",
        report["work"]
    );
    let detail = |at: usize| report["changes"][at]["detail"].as_str().unwrap();
    assert_eq!(detail(0), "contracts/a.md was withdrawn");
    assert_eq!(detail(1), "contracts/b.md was withdrawn");
    assert_eq!(
        changes(&report),
        [
            "retracted text_added: Supplier:T supplies Component:C",
            "retracted feed_row: Supplier:T supplies Component:R",
        ]
    );
    says(&world, "? T supplies C: withdrawn\n? T supplies R: withdrawn\n? V supplies R: withdrawn");
    assert_eq!(graph(&world, "--as-of 2024-04-01"), "");
    assert_eq!(graph(&world, "--known-at 1"), all);
    let export = world.cmd("export").expect_code(0).stdout;
    let kept = export
        .lines()
        .filter(|line| line.contains(r#""kind":"chunk""#) && line.contains(r#""withdrawn":true"#));
    assert_eq!(kept.count(), 4, "their text is kept, labelled: {export}");
    // A word takes back what a word withdrew, and the sources what they withdrew.
    world.cmd("retract contracts/c.md --undo --reason 'the signed copy was found'").expect_code(0);
    says(&world, "? T supplies C: withdrawn\n? T supplies R: withdrawn\nV supplies R [2024-03-01, ∞) ×1");
    world.put(
        "//- contracts/a.md\nStatus: Signed\n\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- register.csv\nFile,Status\nb.md,Executed\n",
    );
    world.run();
    says(&world, all);
}

#[test]
fn case_26_an_unproven_absence_retracts_nothing_until_a_person_gives_their_word() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- contracts/old/b.md\nTechChip supplies the Radio Module from 1 March 2024.",
    );
    world.run();
    let both = "T supplies C [2024-03-01, ∞) ×1\nT supplies R [2024-03-01, ∞) ×1";
    says(&world, both);
    // The folder is not there: an unmounted disk looks like this.
    fs::rename(world.path("contracts"), world.path("elsewhere")).unwrap();
    let report = world.run_code(4);
    assert_eq!(changes(&report), Vec::<String>::new());
    let input =
        report["inputs"].as_array().unwrap().iter().find(|input| input["name"] == "contracts").unwrap();
    assert_eq!(input["state"], "unproven");
    assert!(input["unproven"][0].as_str().unwrap().starts_with("contracts: "), "{input}");
    says(&world, both);
    // Or it is there and empty.
    fs::create_dir(world.path("contracts")).unwrap();
    assert_eq!(changes(&world.run_code(4)), Vec::<String>::new());
    fs::remove_dir(world.path("contracts")).unwrap();
    fs::rename(world.path("elsewhere"), world.path("contracts")).unwrap();
    // A narrowed glob selects less; that is not a deletion either.
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", job.replace("include:", "exclude: old/\n    include:").as_bytes());
    let report = world.run_code(4);
    assert_eq!(codes(&report), ["scan-narrowed"]);
    says(&world, both);
    world.cmd("accept scope contracts --reason 'old contracts are archived'").expect_code(0);
    let report = world.run();
    assert_eq!(changes(&report), ["retracted document_gone: Supplier:T supplies Component:R"]);
    says(&world, "T supplies C [2024-03-01, ∞) ×1");
    // An empty folder that a person has accepted is no failure of the run.
    fs::remove_dir_all(world.path("contracts")).unwrap();
    fs::create_dir(world.path("contracts")).unwrap();
    world.cmd("accept scope contracts --reason 'all are archived'").expect_code(0);
    let report = world.run();
    assert_eq!(codes(&report), Vec::<String>::new());
    says(&world, "");
}

/// A contract, and what it says after the edit that takes effect on 1 June 2024.
const BEFORE: &str = "//- contracts/a.md\nEffective: 2023-01-01\n\n# Goods\n\nTechChip supplies the Flight Control Unit from 1 January 2023.\n\n# More goods\n\nTechChip shall supply the Radio Module.\n";
const AFTER: &str = "//- contracts/a.md\nEffective: 2024-06-01\n\n# Goods\n\nTechChip supplies the Flight Control Unit from 1 January 2023. Voltanix supplies the Radio Module from 1 June 2024.\n\n# More goods\n\nThere are none.\n";

#[test]
fn case_27_what_an_amended_contract_no_longer_says_ends_on_the_amendments_day() {
    let world = world(BEFORE);
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", job.replace("edits: correct", "edits: amend").as_bytes());
    world.run();
    says(&world, "T supplies C [2023-01-01, ∞) ×1\nT supplies R [?, ∞) ×1");
    world.put(AFTER);
    let report = world.run();
    says(
        &world,
        "T supplies C [2023-01-01, ∞) ×1
         T supplies R [?, 2024-06-01) ×1
         V supplies R [2024-06-01, ∞) ×1",
    );
    assert_eq!(
        changes(&report),
        [
            "changed text_removed: Supplier:T supplies Component:R",
            "added text_added: Supplier:V supplies Component:R",
        ]
    );
    assert_eq!(
        graph(&world, "--as-of 2024-03-01"),
        "T supplies C [2023-01-01, ∞) ×1\nT supplies R [?, 2024-06-01) ×1"
    );
    let why = world.cmd("why T R --as-of 2024-03-01").expect_code(0).stdout;
    assert!(
        why.contains("contracts/a.md:9") && why.contains("»TechChip shall supply the Radio Module.«"),
        "{why}"
    );
    assert!(why.contains("kept from an earlier version of the document"), "{why}");
    // The kept text stays through later edits, and through a rebuild.
    world.put(&AFTER.replace("There are none.", "There are none at all."));
    let report = world.run();
    assert_eq!(changes(&report), Vec::<String>::new());
    world.cmd("verify").expect_code(0);
}

#[test]
fn an_amended_contract_keeps_the_former_days_of_what_counts_from_its_effective_date() {
    let world = world("//- suppliers.csv\nNo,Name\nT,\"TechChip, Inc.\"\nV,Voltanix GmbH\nW,Wexford Ltd");
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", job.replace("edits: correct", "edits: amend").as_bytes());
    let goods = |day: &str, more: &str| {
        let stays = "TechChip supplies the Flight Control Unit from the effective date.";
        world.put(&format!("//- contracts/a.md\nEffective: {day}\n\n{stays}\n\n{more}\n"));
    };
    let terms = |day: &str, seller: &str| {
        let text = format!("{seller} (\"Seller\") signs.\n\nSeller shall supply the Radio Module.");
        world.put(&format!("//- contracts/b.md\nEffective: {day}\n\n{text}\n"));
    };
    goods("2023-01-01", "TechChip supplies the Radio Module from the effective date.");
    terms("2023-01-01", "Wexford Ltd");
    world.run();
    goods("2024-06-01", "There are no more goods.");
    terms("2024-06-01", "Voltanix GmbH");
    world.run();
    // The sentence that stays goes on from the first day; the one that went keeps its days; and whom the old
    // text meant by a term, it meant until the amendment.
    assert_eq!(
        graph(&world, "--as-of 2024-03-01 --known-at 2"),
        "T supplies C [2023-01-01, ∞) ×2
T supplies R [2023-01-01, 2024-06-01) ×1
V supplies R [?, ∞) ×1
W supplies R [?, 2024-06-01) ×1"
    );
    goods("2025-01-01", "There are none at all.");
    world.run();
    says(
        &world,
        "T supplies C [2023-01-01, ∞) ×3
         T supplies R [2023-01-01, 2024-06-01) ×1
         V supplies R [?, ∞) ×1
         W supplies R [?, 2024-06-01) ×1",
    );
    let why = world.cmd("why T C").expect_code(0).stdout;
    assert!(why.contains("its text left: the text was amended in the version effective 2024-06-01"), "{why}");
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_28_what_a_corrected_contract_no_longer_says_never_held() {
    let world = world(BEFORE);
    world.run();
    world.put(AFTER);
    let report = world.run();
    says(&world, "T supplies C [2023-01-01, ∞) ×1\nV supplies R [2024-06-01, ∞) ×1");
    assert_eq!(
        changes(&report),
        [
            "retracted text_removed: Supplier:T supplies Component:R",
            "added text_added: Supplier:V supplies Component:R",
        ]
    );
    assert_eq!(graph(&world, "--as-of 2024-03-01"), "T supplies C [2023-01-01, ∞) ×1");
    assert_eq!(
        graph(&world, "--as-of 2024-03-01 --known-at 1"),
        "T supplies C [2023-01-01, ∞) ×1\nT supplies R [?, ∞) ×1"
    );
}

#[test]
fn a_document_that_goes_may_end_on_the_day_that_its_register_names() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2024.\n\
         //- contracts/b.md\nTechChip supplies the Radio Module from 1 March 2024.\n\
         //- register.csv\nFile,Status,Ended\na.md,Executed,2025-07-01\nb.md,Executed,\n",
    );
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let expires = job.replace("edits: correct", "edits: correct\n    gone: { expire: Ended }");
    world.write("jobs/nightly.yaml", expires.as_bytes());
    world.run();
    world.put("//- remove contracts/a.md\n//- remove contracts/b.md");
    world.run();
    // Where it names none, on the day on which the document was seen to be gone.
    says(&world, "T supplies C [2024-03-01, 2025-07-01) ×1\nT supplies R [2024-03-01, 2026-06-01) ×1");
    let why = world.cmd("why T C").expect_code(0).stdout;
    assert!(why.contains("contracts/a.md is gone, and the register ends it on 2025-07-01"), "{why}");
}

#[test]
fn case_29_the_later_start_then_authority_gives_a_property_its_value_and_why_lists_the_other() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies 500 pieces of the Flight Control Unit from 1 January 2023.\n\
         //- contracts/b.md\nTechChip supplies 700 pieces of the Flight Control Unit from 1 March 2024.\n\
         //- contracts/c.md\nVoltanix supplies 900 pieces of the Flight Control Unit from 1 January 2020.\n\
         //- contracts/d.md\nTechChip hosts the Radio Module in 500 slots from 1 January 2023.",
    );
    world.run();
    world.put("//- contracts/e.md\nTechChip hosts the Radio Module in 700 slots from 1 March 2024.");
    world.run();
    world.says(
        "T supplies C [2023-01-01, ∞) ×2 quantity=700
         V supplies C [2020-01-01, ∞) ×2 quantity=10
         T hosts R [2024-03-01, ∞) ×1 slots=700
         ? T hosts R: conflict",
    );
    let why = world.cmd("why T C").expect_code(0).stdout;
    assert!(why.contains("quantity: 500 (contracts/a.md:1), 700 stands"), "{why}");
    let why = world.cmd("why V C").expect_code(0).stdout;
    assert!(why.contains("quantity: 900 (contracts/c.md:1), 10 stands"), "{why}");
    let waiting = world.cmd("quarantine").expect_code(0).stdout;
    assert!(
        waiting.contains("another statement of the same fact disagrees: slots is 500 here, and 700 stands"),
        "{waiting}"
    );
    // Without the one that stood, the other stands.
    world.put("//- remove contracts/b.md\n//- remove contracts/e.md");
    world.run();
    world.says(
        "T supplies C [2023-01-01, ∞) ×1 quantity=500
         V supplies C [2020-01-01, ∞) ×2 quantity=10
         T hosts R [2023-01-01, ∞) ×1 slots=500",
    );
}

#[test]
fn case_30_a_document_that_loses_most_of_its_text_is_withheld_until_a_person_gives_their_word() {
    let long: String = (1..=20).map(|n| format!("Clause {n} stays in force as it was agreed.\n\n")).collect();
    let world = world("//- contracts/b.md\nTechChip supplies the Radio Module from 1 March 2024.");
    world.write(
        "contracts/a.md",
        format!("TechChip supplies the Flight Control Unit from 1 March 2024.\n\n{long}").as_bytes(),
    );
    world.run();
    let both = "T supplies C [2024-03-01, ∞) ×1\nT supplies R [2024-03-01, ∞) ×1";
    says(&world, both);
    world.put(
        "//- contracts/a.md\nPage left blank.\n\
         //- contracts/b.md\nTechChip supplies the Radio Module from 1 April 2024.",
    );
    let report = world.run_code(4);
    assert_eq!(codes(&report), ["parse-loss"]);
    // The rest of the run goes on.
    let rest = "T supplies C [2024-03-01, ∞) ×1\nT supplies R [2024-04-01, ∞) ×1";
    says(&world, rest);
    assert_eq!(codes(&world.run_code(4)), ["parse-loss"], "it is said every night");
    says(&world, rest);
    world.cmd("accept scope contracts/a.md --reason 'the clause was struck'").expect_code(0);
    let report = world.run();
    assert_eq!(changes(&report), ["retracted text_removed: Supplier:T supplies Component:C"]);
    says(&world, "T supplies R [2024-04-01, ∞) ×1");
}
