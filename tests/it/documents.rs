//! What a document is, whatever its file is called: links to other documents, and declared keys.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read and write their files")]

use serde_json::Value;

use crate::world::World;

const LINKS: &str = r#"
//- ontology/papers.yaml
language: en
entities:
  Contract: { system_of_record: register, names: plain }
edges:
  cites: { subject: Contract, object: Contract }
rules:
- id: cites
  edge: cites
  subject: self
  link: document
//- jobs/papers.yaml
job: papers
ontology: papers
owner: papers-desk
sources:
  papers:
    path: papers
    documents: [{ self: Contract, name: "C-{number}_*.*", key: number }]
feeds:
  register: { path: register.csv, entity: { type: Contract, key: No, names: [Title] } }
//- register.csv
No,Title
1,Frame Agreement
2,Price Agreement
3,Service Agreement
//- papers/2024/C-1_frame.md
See [the prices](../annex/C-2_prices.md#list), [the Service Agreement](C-3_service.html) and
[the Price Agreement](https://papers.example/C-9_x.md).

The [Service Agreement](notes.md) is gone, [this one](missing.md) was never there, and
[that one](C-4_planned.md) has a number only.
//- papers/annex/C-2_prices.md
Back to [there](/2024/C-1_frame.md).
//- papers/2024/C-3_service.html
<p>As in <a href="../annex/C-2_prices.md">the annex</a>.</p>
"#;

#[test]
fn a_link_leads_to_whom_the_document_at_its_target_stands_for() {
    let world = World::new(LINKS);
    world.run();
    // By the path; by the text, where no file of that path stands for anybody; else nobody is known. A key
    // that no register has waits, and a link that leaves the source says nothing.
    let says = "1 cites 2 [?, ∞) ×1
         1 cites 3 [?, ∞) ×2
         2 cites 1 [?, ∞) ×1
         3 cites 2 [?, ∞) ×1
         ? 1 cites 2024/missing.md: endpoint-unknown
         ? 1 cites 4: endpoint-unknown";
    world.says(says);
    let why = world.cmd("why 1 2").expect_code(0).stdout;
    assert!(why.contains("../annex/C-2_prices.md#list"), "{why}");

    // What a file stands for is asked of its name, so a link is read again when the names mean something else.
    let job = std::fs::read_to_string(world.path("jobs/papers.yaml")).unwrap();
    world.write(
        "jobs/papers.yaml",
        job.replace("name: \"C-{number}_*.*\"", "name: \"C-{number}_*.md\"").as_bytes(),
    );
    world.run();
    world.says(
        "1 cites 2 [?, ∞) ×1
         1 cites 3 [?, ∞) ×2
         2 cites 1 [?, ∞) ×1
         ? 1 cites 2024/missing.md: endpoint-unknown
         ? 1 cites 4: endpoint-unknown",
    );
    world.write("jobs/papers.yaml", job.as_bytes());
    world.run();
    world.says(says);
    world.cmd("verify").expect_code(0);
}

const KEYS: &str = r#"
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
  match: "{subject:Supplier} supplies {object:Component+}"
//- jobs/supply.yaml
job: supply
ontology: supply
owner: supply-data
sources:
  contracts:
    path: contracts
    register: { feed: register, on: File Name, key: Document No }
    effective: Effective
    edits: amend
feeds:
  register:   { path: register.csv }
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- register.csv
File Name,Document No,Effective
frame.md,K-100,2024-01-01
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Brake Pad
//- contracts/frame.md
TechChip supplies the Radio Module.

TechChip supplies the Main Board.
//- contracts/other.md
Voltanix supplies the Brake Pad.
"#;

/// `state added/changed/gone` of the contracts in a report.
fn contracts(report: &Value) -> String {
    let input =
        report["inputs"].as_array().unwrap().iter().find(|input| input["name"] == "contracts").unwrap();
    format!("{} {}/{}/{}", input["state"].as_str().unwrap(), input["added"], input["changed"], input["gone"])
}

#[test]
fn a_file_with_a_declared_key_that_is_renamed_and_edited_in_one_night_is_one_document() {
    let world = World::new(KEYS);
    world.run();
    world.says("S1 supplies C1 [?, ∞) ×1\nS1 supplies C2 [?, ∞) ×1\nS2 supplies C3 [?, ∞) ×1");

    // Renamed, edited and effective later, all in one night: what only the old text said ends on that day.
    world.put(
        "//- rename contracts/frame.md contracts/signed/frame_v2.md
//- contracts/signed/frame_v2.md
TechChip supplies the Radio Module.

TechChip supplies the Brake Pad.
//- register.csv
File Name,Document No,Effective
signed/frame_v2.md,K-100,2024-06-01
",
    );
    let planned = world.cmd("plan --output json").expect_code(0).json();
    let report = world.run();
    assert_eq!(planned["changes"], report["changes"]);
    assert_eq!(contracts(&report), "read 0/1/0");
    let amended = "S1 supplies C1 [?, ∞) ×1
         S1 supplies C2 [?, 2024-06-01) ×1
         S1 supplies C3 [?, ∞) ×1
         S2 supplies C3 [?, ∞) ×1";
    world.says(amended);
    let why = world.cmd("why S1 C1").expect_code(0).stdout;
    assert!(why.contains("contracts/signed/frame_v2.md:1"), "evidence opens the file where it is now: {why}");
    let report = world.run();
    assert_eq!(
        (report["outcome"].as_str(), report["work"]["parsed"].as_u64()),
        (Some("nothing_to_do"), Some(0))
    );

    // Renamed and nothing else: a document version, no change of any edge; withdrawn by its key.
    world.put(
        "//- rename contracts/signed/frame_v2.md contracts/frame_v3.md
//- register.csv
File Name,Document No,Effective
frame_v3.md,K-100,2024-06-01
",
    );
    assert_eq!(world.run()["changes"], Value::Array(Vec::new()));
    world.says(amended);
    world.cmd("retract contracts/K-100 --reason 'never signed'").expect_code(0);
    world.run();
    assert!(!world.graph().lines().any(|line| line.starts_with("S1")), "{}", world.graph());
    world.cmd("retract contracts/K-100 --undo --reason 'it was'").expect_code(0);
    world.run();
    world.cmd("verify").expect_code(0);

    // The file is gone, and so is the document.
    world.put("//- remove contracts/frame_v3.md");
    assert_eq!(contracts(&world.run()), "read 0/0/1");
    world.says("S2 supplies C3 [?, ∞) ×1");
    world.cmd("verify").expect_code(0);
}

#[test]
fn without_a_declared_key_a_renamed_and_edited_file_is_another_document() {
    let world = World::new(&KEYS.replace(", key: Document No", ""));
    world.run();
    world.put(
        "//- rename contracts/frame.md contracts/frame_v2.md
//- contracts/frame_v2.md
TechChip supplies the Brake Pad.
//- register.csv
File Name,Document No,Effective
frame_v2.md,K-100,2024-06-01
",
    );
    assert_eq!(contracts(&world.run()), "read 1/0/1");
    world.says("S1 supplies C3 [?, ∞) ×1\nS2 supplies C3 [?, ∞) ×1");
}

#[test]
fn a_key_in_the_files_name_keeps_a_document_and_its_decisions_through_a_rename() {
    let world = World::new(KEYS);
    let job = std::fs::read_to_string(world.path("jobs/supply.yaml")).unwrap();
    let job = job.replace(", key: Document No", "").replace(
        "    edits: amend",
        "    documents: [{ self: Component, name: \"{part}-{kind}_*.md\", document: [part, kind] }]",
    );
    world.write("jobs/supply.yaml", job.as_bytes());
    world.put(
        "//- remove contracts/frame.md
//- remove contracts/other.md
//- contracts/C1-frame_draft.md
TechChip supplies the Radio Module.

TechChip supplies the Main Board.
",
    );
    world.run();
    let why = world.cmd("why S1 C2 --output json").expect_code(0).json();
    let evidence = &why["facts"][0]["evidence"][0];
    assert_eq!(evidence["document"], "contracts/C1/frame", "the document's id is its key");
    let question = evidence["assertion"].as_str().unwrap();
    world.put(&format!("//- answers.csv\nquestion,decision,reason\n{question},reject,misread\n"));
    world.cmd("decide answers.csv").expect_code(0);
    world.run();
    world.says("S1 supplies C1 [?, ∞) ×1");
    world.put(
        "//- rename contracts/C1-frame_draft.md contracts/2024/C1-frame_signed.md
//- contracts/2024/C1-frame_signed.md
Signed.

TechChip supplies the Radio Module.

TechChip supplies the Main Board.
",
    );
    assert_eq!(contracts(&world.run()), "read 0/1/0");
    world.says("S1 supplies C1 [?, ∞) ×1");
    world.cmd("verify").expect_code(0);
}

#[test]
fn two_files_with_one_key_change_nothing_until_one_of_them_has_another() {
    let world = World::new(KEYS);
    world.run();
    let before = world.graph();
    let twice = "File Name,Document No,Effective\nframe.md,K-100,2024-01-01\nother.md,K-100,2024-01-01\n";
    world.put(&format!(
        "//- register.csv\n{twice}//- contracts/frame.md\nVoltanix supplies the Main Board.\n"
    ));
    let report = world.run_code(4);
    let problem = &report["diagnostics"][0];
    assert_eq!(problem["code"], "key-collision");
    assert_eq!(
        problem["message"],
        "`frame.md` and `other.md` have the document key `K-100`; it stays as it was"
    );
    assert_eq!(report["changes"], Value::Array(Vec::new()), "the other file's document stays too");
    assert_eq!(world.graph(), before);
    world.run_code(4);
    assert_eq!(world.graph(), before);

    // The other file has a key of its own now: it is the same text under another key, so nothing changes.
    world.put(&format!("//- register.csv\n{}", twice.replace("other.md,K-100", "other.md,K-200")));
    let report = world.run();
    assert_eq!(contracts(&report), "read 1/1/1");
    world.says("S2 supplies C2 [?, ∞) ×1\nS2 supplies C3 [?, ∞) ×1");
    world.cmd("verify").expect_code(0);
}

const FILED: &str = r#"
//- ontology/law.yaml
language: en
entities:
  Section: { written: "Section {number}", create: from text }
  Act:     { create: from document }
edges:
  amends: { subject: Act, object: Section }
rules:
- id: amends
  edge: amends
  subject: self
  match: "{object:Section} is amended"
//- jobs/law.yaml
job: law
ontology: law
sources:
  acts:
    path: acts
    register: { feed: register, on: File, key: No }
    documents: [{ self: Act, name: "signed/{act}.md" }]
feeds:
  register: { path: register.csv }
"#;

/// The register of forty acts, of which so many were filed elsewhere.
fn filed(elsewhere: usize) -> String {
    let folder = |act: usize| if act < elsewhere { "old" } else { "signed" };
    (0..40)
        .map(|act| format!("{}/A{act}.md,K{act}\n", folder(act)))
        .fold("File,No\n".to_owned(), |all, row| all + &row)
}

/// What a path says is no matter of the parser: documents that fall silent by it are seen.
#[test]
fn documents_that_say_nothing_where_they_were_filed_hold_the_run_and_no_parser_is_blamed() {
    let world = World::new(FILED);
    world.write("register.csv", filed(0).as_bytes());
    for act in 0..40 {
        let text = format!("Section {} is amended.\n\nSection {} is amended.\n", 2 * act, 2 * act + 1);
        world.write(&format!("acts/signed/A{act}.md"), text.as_bytes());
    }
    world.run();
    for act in 0..6 {
        world.put(&format!("//- rename acts/signed/A{act}.md acts/old/A{act}.md"));
    }
    world.write("register.csv", filed(6).as_bytes());
    let report = world.run_code(3);
    assert!(report["work"]["log"].as_array().unwrap().iter().all(|entry| entry["why"] == "path changed"));
    let path = format!(".edgewright/runs/{}/drift.json", report["run"].as_str().unwrap());
    let drift: Value = serde_json::from_slice(&std::fs::read(world.path(&path)).unwrap()).unwrap();
    let failing = drift["findings"].as_array().unwrap().iter().filter(|one| one["severity"] == "fail");
    let failing: Vec<(&str, String)> =
        failing.map(|one| (one["rule"].as_str().unwrap(), one["causes"].to_string())).collect();
    assert_eq!(failing, [("drift-silent-documents", "{\"moved\":12}".to_owned())]);
}

const WITHDRAWALS: &str = r#"
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
  match: "{subject:Supplier} supplies {object:Component+}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters, withdrawn: { Status: Withdrawn }, expect: { withdrawn_within: 1 day } }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
metrics: { file: edgewright.prom }
//- suppliers.csv
Id,Name
S1,TechChip Inc
//- components.csv
Id,Name
C1,Flight Computer
C2,Fuel Pump
C3,Landing Gear
//- letters/a.md
Status: Valid

TechChip supplies the Flight Computer.
//- letters/b.md
TechChip supplies the Fuel Pump.
//- letters/c.md
TechChip supplies the Landing Gear.
"#;

#[test]
fn how_long_a_withdrawal_may_have_waited_is_measured_against_the_declared_time() {
    let mut world = World::new(WITHDRAWALS);
    world.run();
    let late = |report: &Value| -> Vec<String> {
        let all = report["diagnostics"].as_array().unwrap().iter();
        let late = all.filter(|one| one["code"] == "withdrawal-late");
        late.map(|one| one["message"].as_str().unwrap().to_owned()).collect()
    };
    let letters = |world: &World, report: &Value| -> (u64, Option<u64>) {
        let path = format!(".edgewright/runs/{}/sources.json", report["run"].as_str().unwrap());
        let sources: Value =
            serde_json::from_str(&std::fs::read_to_string(world.path(&path)).unwrap()).unwrap();
        let all = sources["sources"].as_array().unwrap().iter();
        let letters = all.filter(|one| one["name"] == "letters").collect::<Vec<_>>()[0];
        (letters["withdrawn"].as_u64().unwrap(), letters["withdrawn_hours"].as_u64())
    };
    // A night on which nothing changed has looked all the same.
    world.today = "2026-06-02".to_owned();
    world.run();
    world.today = "2026-06-03".to_owned();
    world.put("//- letters/a.md\nStatus: Withdrawn\n\nTechChip supplies the Flight Computer.\n");
    let report = world.run();
    assert_eq!((late(&report), letters(&world, &report)), (Vec::new(), (1, Some(24))));
    // One of two nights was left out, and one letter is gone.
    world.today = "2026-06-05".to_owned();
    world.put("//- remove letters/b.md");
    let report = world.run_code(0);
    assert_eq!(letters(&world, &report), (1, Some(48)));
    assert_eq!(
        late(&report),
        [
            "of the source `letters` 1 document is withdrawn or gone, and may have waited for 48 hours to be out of the graph; it should take 24 hours at most"
        ]
    );
    let metrics = std::fs::read_to_string(world.path("edgewright.prom")).unwrap();
    assert!(
        metrics.contains("edgewright_withdrawal_wait_seconds{job=\"nightly\",source=\"letters\"} 172800"),
        "{metrics}"
    );
    // A letter that moves is none that is gone.
    world.today = "2026-06-09".to_owned();
    world.put("//- rename letters/c.md letters/d.md");
    let report = world.run();
    assert_eq!((late(&report), letters(&world, &report)), (Vec::new(), (0, None)));
}
