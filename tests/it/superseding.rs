//! Superseding papers: cases 41 to 47, from amendments and schedules to answers.

use crate::world::World;

/// A contract with schedules and amendments. What a paper says it says of the contract, so several papers may
/// attest one fact.
const PAPERS: &str = r#"
//- ontology/papers.yaml
language: en
entities:
  Service:   { system_of_record: services }
  Contract:  { system_of_record: register, cite: ["{title} dated [as of] {dated}", "{title} No. {key}"] }
  Amendment: { part_of: Contract, key: [contract, number], written: "Amendment No. {number}", create: from document }
  Schedule:  { part_of: Contract, key: [contract, number], written: "Schedule {number}", create: from text }
edges:
  covers:     { subject: Contract, object: Service }
  supersedes: { subject: [Amendment, Schedule], object: [Amendment, Schedule], ends: object, inverse: superseded_by }
words:
  REPLACE: [replace~, supersede~]
rules:
- id: base.titled
  bind: base
  match: "(Amendment No.|Schedule) {number} to the {base:Contract}"
  for: document
  examples:
    - text: "Amendment No. 1 to the Supply Contract"
      finds: "base is Supply Contract"
    - text: "Amendment No. 1 to the minutes"
      finds: nothing
- id: covers.paper
  edge: covers
  subject: base
  match: "the services include {object:Service+} [from {valid_from:date}]"
  examples:
    - text: "Schedule 7 to the Supply Contract. The services include Towage from 1 January 2022."
      finds: "Supply Contract covers Towage from 2022-01-01"
    - text: "Schedule 7 to the Supply Contract. The services may include Towage."
      finds: nothing
- id: covers.contract
  edge: covers
  subject: self
  match: "this contract covers {object:Service+} [from {valid_from:date}]"
  examples:
    - text: "This contract covers Towage from 1 January 2022."
      given: { self: MSA }
      finds: "self covers Towage from 2022-01-01"
    - text: "This contract does not cover Towage."
      given: { self: MSA }
      finds: nothing
- id: supersedes.schedule
  edge: supersedes
  subject: self
  match: "this (Amendment|Agreement) REPLACE {object:Schedule} [from {valid_from:date}]"
  examples:
    - text: "Amendment No. 2 to the Supply Contract. This Amendment supersedes Schedule 7 from 1 January 2024."
      given: { self: MSA Amendment 2 }
      finds: "self supersedes MSA Schedule 7 from 2024-01-01"
    - text: "This Agreement supersedes all prior agreements."
      given: { self: MSA Amendment 2 }
      finds: nothing
- id: supersedes.amendment
  edge: supersedes
  subject: self
  match: "this (Amendment|Agreement) REPLACE {object:Amendment} [from {valid_from:date}]"
  examples:
    - text: "Amendment No. 3 to the Supply Contract. This Amendment supersedes Amendment No. 2 from 1 January 2025."
      given: { self: MSA Amendment 3 }
      finds: "self supersedes MSA Amendment 2 from 2025-01-01"
    - text: "This Agreement supersedes all prior agreements."
      given: { self: MSA Amendment 3 }
      finds: nothing
//- jobs/papers.yaml
job: papers
ontology: papers
owner: papers-data
sources:
  papers:
    path: papers
    documents:
      - { self: Amendment, name: "{contract}_A{number}.*" }
      - { self: Schedule,  name: "{contract}_S{number}.*" }
      - { self: Contract,  name: "{contract}.*" }
feeds:
  register: { path: register.csv, entity: { type: Contract, key: No, names: Title, properties: { dated: Dated } } }
  services: { path: services.csv, entity: { type: Service, key: Code, names: Name } }
//- register.csv
No,Title,Dated
MSA,Supply Contract,2021-11-15
//- services.csv
Code,Name
TOW,Towage
MOO,Mooring
PIL,Pilotage
//- papers/MSA.md
# Supply Contract No. MSA

This contract covers Towage from 1 January 2022.
//- papers/MSA_S7.md
# Schedule 7 to the Supply Contract

The services include Towage and Mooring from 1 January 2022.
"#;

const AMENDMENT_2: &str = "
//- papers/MSA_A2.md
# Amendment No. 2 to the Supply Contract

This Amendment supersedes Schedule 7 from 1 January 2024.

The services include Pilotage from 1 January 2024.
";

const AMENDMENT_3: &str = "
//- papers/MSA_A3.md
# Amendment No. 3 to the Supply Contract

This Amendment supersedes Amendment No. 2 from 1 January 2025.
";

/// What the contract and its schedule say as long as nothing supersedes them.
const BEFORE: &str = "MSA covers MOO [2022-01-01, ∞) ×1
                      MSA covers TOW [2022-01-01, ∞) ×2";

fn papers(more: &[&str]) -> World {
    World::new(&format!("{PAPERS}{}", more.concat()))
}

/// `revived` and `retracted` of a run, with their facts.
fn changes(report: &serde_json::Value) -> Vec<String> {
    let text = |change: &serde_json::Value, name: &str| change[name].as_str().unwrap().to_owned();
    let changes = report["changes"].as_array().unwrap();
    changes.iter().map(|change| format!("{} {}", text(change, "change"), text(change, "says"))).collect()
}

#[track_caller]
fn verify(world: &World) {
    let verified = world.cmd("verify --output json").expect_code(0).json();
    assert_eq!(verified["faults"].to_string(), "[]");
}

#[test]
fn case_41_superseding_ends_what_only_the_superseded_text_attests() {
    let world = papers(&[]);
    assert_eq!(world.cmd("test").expect_code(0).stdout, "10 examples passed, 0 failed\n");
    world.run();
    world.says(BEFORE);
    world.put(AMENDMENT_2);
    world.run();
    // Towage goes on by the contract, which nothing supersedes.
    world.says(
        "MSA covers MOO [2022-01-01, 2024-01-01) ×1
         MSA covers PIL [2024-01-01, ∞) ×1
         MSA covers TOW [2022-01-01, ∞) ×2
         MSA/2 supersedes MSA/7 [2024-01-01, ∞) ×1",
    );
    let why = world.cmd("why Mooring").expect_code(0).stdout;
    assert!(why.contains("since 2022-01-01 until 2023-12-31 (last day); ended\n"), "{why}");
    assert!(why.contains("superseded on 2024-01-01 by: MSA/2 supersedes MSA/7\n"), "{why}");
    for (day, holds) in [("2023-12-31", true), ("2024-01-01", false)] {
        let shown = world.cmd(&format!("show Contract:MSA --as-of {day}")).expect_code(0).stdout;
        assert_eq!(shown.contains("Mooring"), holds, "{day}: {shown}");
        assert!(shown.contains("Towage"), "{day}: {shown}");
    }
    verify(&world);
    // The order of arrival does not matter.
    let at_once = papers(&[AMENDMENT_2]);
    at_once.run();
    assert_eq!(at_once.graph(), world.graph());
}

#[test]
fn case_42_superseding_a_superseder_revives_nothing() {
    let world = papers(&[AMENDMENT_2]);
    world.run();
    world.put(AMENDMENT_3);
    let report = world.run();
    world.says(
        "MSA covers MOO [2022-01-01, 2024-01-01) ×1
         MSA covers PIL [2024-01-01, 2025-01-01) ×1
         MSA covers TOW [2022-01-01, ∞) ×2
         MSA/2 supersedes MSA/7 [2024-01-01, ∞) ×1
         MSA/3 supersedes MSA/2 [2025-01-01, ∞) ×1",
    );
    assert_eq!(
        changes(&report),
        ["added Amendment:MSA/3 supersedes Amendment:MSA/2", "changed Contract:MSA covers Service:PIL"]
    );
    verify(&world);
}

#[test]
fn case_43_without_its_superseder_the_schedule_is_open_again() {
    let world = papers(&[AMENDMENT_2]);
    world.run();
    world.put("//- remove papers/MSA_A2.md");
    let report = world.run();
    world.says(BEFORE);
    assert_eq!(
        changes(&report),
        [
            "retracted Amendment:MSA/2 supersedes Schedule:MSA/7",
            "revived Contract:MSA covers Service:MOO",
            "retracted Contract:MSA covers Service:PIL"
        ]
    );
    assert_eq!(report["drift"], "warn");
    for change in report["changes"].as_array().unwrap() {
        assert_eq!(change["cause"], "document_gone", "{change}");
    }
    verify(&world);
}

#[test]
fn case_44_of_a_circle_the_later_one_waits() {
    let circle = |second: &str| {
        format!(
            "
//- papers/MSA_A2.md
# Amendment No. 2 to the Supply Contract

This Amendment supersedes Amendment No. 3 from 1 January 2024.
//- papers/MSA_A3.md
# Amendment No. 3 to the Supply Contract

This Amendment supersedes Amendment No. 2 from {second}.
"
        )
    };
    let world = papers(&[&circle("1 January 2025")]);
    world.run();
    world.says(&format!(
        "{BEFORE}
         MSA/2 supersedes MSA/3 [2024-01-01, ∞) ×1
         ? MSA/3 supersedes MSA/2: cycle"
    ));
    verify(&world);
    // On one day the larger fact id waits, so every workspace says the same.
    let on_one_day = papers(&[&circle("1 January 2024")]);
    on_one_day.run();
    let graph = on_one_day.graph();
    let mut both = ["MSA/2 supersedes MSA/3", "MSA/3 supersedes MSA/2"];
    if !graph.contains("? MSA/3") {
        both.reverse();
    }
    let [stands, waits] = both;
    on_one_day.says(&format!("{BEFORE}\n{stands} [2024-01-01, ∞) ×1\n? {waits}: cycle"));
    let again = papers(&[&circle("1 January 2024")]);
    again.run();
    assert_eq!(again.graph(), graph);
}

#[test]
fn case_45_the_inverse_is_derived_on_reading_and_never_counted() {
    let world = papers(&[AMENDMENT_2]);
    let report = world.run();
    assert_eq!(report["totals"]["edges"]["supersedes"]["facts"], 1);
    assert!(report["totals"]["edges"].get("superseded_by").is_none(), "{}", report["totals"]);
    assert!(!world.cmd("export").expect_code(0).stdout.contains("superseded_by"));
    let shown = world.cmd("show Schedule:MSA/7").expect_code(0).stdout;
    assert!(shown.contains("superseded_by"), "{shown}");
    assert!(shown.contains("(Amendment:MSA/2)"), "{shown}");
    // The schedule's own document says nothing of it.
    let why = world.cmd("why Schedule:MSA/7").expect_code(0).stdout;
    assert!(why.contains("papers/MSA_A2.md:3"), "{why}");
    // Asked for by the inverse's name it is the same edge, from its object's end only.
    assert_eq!(world.cmd("why Schedule:MSA/7 --edge superseded_by").expect_code(0).stdout, why);
    let none = world.cmd("why Amendment:MSA/2 --edge superseded_by").expect_code(0).stdout;
    assert!(none.starts_with("the graph holds no such edge: Amendment:MSA/2 superseded_by\n"), "{none}");
    world.cmd("quarantine --edge superseded_by").expect_code(0);
}

#[test]
fn case_46_without_a_date_nothing_is_cut() {
    let world = papers(&["
//- papers/MSA_A2.md
# Amendment No. 2 to the Supply Contract

This Amendment supersedes Schedule 7.
"]);
    world.run();
    world.says(&format!(
        "{BEFORE}
         ? MSA/2 supersedes MSA/7: date-missing"
    ));
    verify(&world);
}

#[test]
fn case_41_the_superseded_papers_text_is_labelled_from_that_day_on() {
    let world = papers(&[AMENDMENT_2]);
    world.run();
    let schedule = |arguments: &str| world.found(&format!("'+mooring +document:S7' {arguments}"));
    assert_eq!(schedule(""), [""; 0]);
    assert_eq!(schedule("--state all"), ["papers/MSA_S7.md:3 superseded since 2024-01-01"]);
    assert_eq!(schedule("--as-of 2023-12-31"), ["papers/MSA_S7.md:3 current"]);
    assert_eq!(schedule("--as-of 2024-01-01"), [""; 0]);
    let said = world.cmd("search mooring --state all").expect_code(0).stdout;
    assert!(said.contains("superseded from 2024-01-01 on by: "), "{said}");
    // The other papers stand, and the amendment that supersedes does too.
    assert_eq!(world.found("'+towage +document:MSA.md'").len(), 1);
    assert_eq!(world.found("pilotage --as-of 2024-01-01").len(), 1);
    // Take the cause away, and the label goes too.
    world.put("//- remove papers/MSA_A2.md");
    world.run();
    assert_eq!(schedule(""), ["papers/MSA_S7.md:3 current"]);
}

#[test]
fn case_46_without_a_date_the_text_is_labelled_superseded_date_unknown() {
    let world = papers(&["
//- papers/MSA_A2.md
# Amendment No. 2 to the Supply Contract

This Amendment supersedes Schedule 7.
"]);
    world.run();
    assert_eq!(world.found("'+mooring +document:S7'"), [""; 0]);
    assert_eq!(
        world.found("'+mooring +document:S7' --state all"),
        ["papers/MSA_S7.md:3 superseded, date unknown"]
    );
    let said = world.cmd("search mooring --state superseded").expect_code(0).stdout;
    assert!(said.contains("[superseded, date unknown]") && said.contains("which waits for a date"), "{said}");
}

#[test]
fn case_47_boilerplate_supersedes_nothing() {
    let world = papers(&["
//- papers/MSA_A2.md
# Amendment No. 2 to the Supply Contract

This Agreement supersedes all prior agreements.

This Agreement supersedes all prior agreements, schedules and understandings from 1 January 2024.
"]);
    world.run();
    world.says(BEFORE);
}
