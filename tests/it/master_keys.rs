//! Cases 61 to 69: what becomes of edges when names, keys and columns of the master data change.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read and write their files")]

use serde_json::Value;

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
  match: "{subject:Supplier} supplies {object:Component+} [(from|as of|since) {valid_from:date}]"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  letters: { path: letters, include: ["**/*.md"] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name, Short], merged_into: Into } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
  approved:   { path: approved.csv,   edge: { type: supplies, subject: Supplier, object: Component, valid_from: From } }
//- suppliers.csv
Id,Name,Short,Into
S1,TechChip Inc,,
S2,Voltanix GmbH,,
S3,Orion Systems,,
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Brake Pad
//- approved.csv
Supplier,Component,From
S1,C1,2024-01-01
//- letters/a.md
# Contracts

TechChip supplies the Radio Module.

TechChip supplies the Main Board since 1 March 2024.

Voltanix supplies the Brake Pad.
//- letters/b.md
Nexus Chips supplies the Brake Pad.
"#;

/// What a change says, whom it is about and why: `retracted S1 supplies C1: feed_row`.
fn changes(report: &Value) -> Vec<String> {
    let changes = report["changes"].as_array().unwrap();
    let mut lines: Vec<String> = changes
        .iter()
        .map(|change| {
            let text = |name: &str| change[name].as_str().unwrap();
            let says = text("says").replace("Supplier:", "").replace("Component:", "");
            format!("{} {says}: {}", text("change"), text("cause"))
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn case_61_an_entity_that_leaves_is_tombstoned_and_its_name_stays_linked() {
    let world = World::new(FIXTURE);
    world.run();
    world.says(
        "S1 supplies C1 [2024-01-01, ∞) ×2
         S1 supplies C2 [2024-03-01, ∞) ×1
         S2 supplies C3 [?, ∞) ×1
         ? Nexus Chips supplies C3: endpoint-unknown",
    );
    let before = world.graph();

    world.put("//- suppliers.csv\nId,Name,Short,Into\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n");
    let report = world.run();
    assert_eq!(
        changes(&report),
        ["retracted S1 supplies C1: feed_row", "retracted S1 supplies C2: feed_row"]
    );
    assert_eq!(report["work"]["extracted"], 0, "the name is linked as before: {}", report["work"]);
    world.says(
        "S2 supplies C3 [?, ∞) ×1
         ? Nexus Chips supplies C3: endpoint-unknown
         ? S1 supplies C1: endpoint-unknown
         ? S1 supplies C1: endpoint-unknown
         ? S1 supplies C2: endpoint-unknown",
    );
    let export = world.cmd("export").stdout;
    let tombstone = export.lines().find(|line| line.contains(r#""id":"Supplier:S1""#)).unwrap();
    assert!(tombstone.contains(r#""tombstoned":true"#), "{tombstone}");
    assert!(export.contains(r#""surface":"TechChip","entities":["Supplier:S1"]"#), "{export}");
    let edges =
        |graph: &str| graph.lines().filter(|line| !line.starts_with('?')).collect::<Vec<_>>().join("\n");
    assert_eq!(world.graph_with("--known-at 1"), edges(&before));
    world.cmd("verify").expect_code(0);

    world.put(
        "//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n",
    );
    world.run();
    assert_eq!(world.graph(), before, "back in the master data: two recorded periods of each fact");
}

#[test]
fn case_62_an_unknown_supplier_waits_is_listed_by_gaps_and_published_when_the_feed_brings_it() {
    let world = World::new(FIXTURE);
    world.put("//- letters/c.md\n# More\n\nVoltanix supplies the Main Board.\n\nNexus Chips supplies the Radio Module since 2024.\n");
    world.run();
    world.says(
        "S1 supplies C1 [2024-01-01, ∞) ×2
         S1 supplies C2 [2024-03-01, ∞) ×1
         S2 supplies C2 [?, ∞) ×1
         S2 supplies C3 [?, ∞) ×1
         ? Nexus Chips supplies C1: endpoint-unknown
         ? Nexus Chips supplies C3: endpoint-unknown",
    );
    let gaps = world.cmd("gaps --output json").expect_code(0).json();
    let name = &gaps["unknown_names"][0];
    assert_eq!((name["surface"].as_str(), name["count"].as_u64()), (Some("Nexus Chips"), Some(2)));
    assert_eq!(name["places"].to_string(), r#"["letters/b.md:1","letters/c.md:5"]"#);
    assert_eq!(name["types"].to_string(), r#"["Supplier"]"#);

    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\nS4,Nexus Chips Ltd,,\n");
    let report = world.run();
    assert_eq!(World::work(&report), ["letters/b.md:1 name changed", "letters/c.md:5 name changed"]);
    assert_eq!(changes(&report), ["added S4 supplies C1: feed_row", "added S4 supplies C3: feed_row"]);
    world.says(
        "S1 supplies C1 [2024-01-01, ∞) ×2
         S1 supplies C2 [2024-03-01, ∞) ×1
         S2 supplies C2 [?, ∞) ×1
         S2 supplies C3 [?, ∞) ×1
         S4 supplies C1 [2024-01-01, ∞) ×1
         S4 supplies C3 [?, ∞) ×1",
    );
}

#[test]
fn case_62_on_unknown_create_makes_the_supplier_and_drop_makes_nothing() {
    for (policy, says) in [
        ("create", "Nexus Chips supplies C3 [?, ∞) ×1\nS1 supplies C1 [2024-01-01, ∞) ×1"),
        ("drop", "S1 supplies C1 [2024-01-01, ∞) ×1"),
    ] {
        let world = World::new(FIXTURE);
        world.put("//- remove letters/a.md");
        let ontology = std::fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
        let ontology =
            ontology.replace("names: company }", &format!("names: company, on_unknown: {policy} }}"));
        world.write("ontology/supply.yaml", ontology.as_bytes());
        world.run();
        world.says(says);
        world.cmd("verify").expect_code(0);
    }
}

#[test]
fn case_63_a_new_name_leaves_every_edge_and_adds_what_texts_say_under_the_new_name() {
    let world = World::new(FIXTURE);
    world.run();
    let before = world.graph();
    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,Nexus Chips Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n");
    let told = world.cmd("plan").expect_code(0).stdout;
    let named = "would add Nexus Chips Inc (Supplier:S1) supplies Brake Pad (Component:C3) [?, ∞)";
    assert!(told.contains(named), "{told}");
    let report = world.run();
    // The chunks with the old name are linked again and mean the same; one names S1 only now.
    assert_eq!(World::work(&report), ["letters/b.md:1 name changed"]);
    assert_eq!(changes(&report), ["added S1 supplies C3: feed_row"]);
    let renamed = "S1 supplies C1 [2024-01-01, ∞) ×2
         S1 supplies C2 [2024-03-01, ∞) ×1
         S1 supplies C3 [?, ∞) ×1
         S2 supplies C3 [?, ∞) ×1";
    world.says(renamed);
    world.cmd("verify").expect_code(0);
    for asked in ["show 'TechChip Inc'", "show 'Nexus Chips Inc'"] {
        let shown = world.cmd(asked).expect_code(0).stdout;
        assert!(shown.starts_with("Nexus Chips Inc  (Supplier:S1)\n  formerly: TechChip Inc\n"), "{shown}");
    }

    // A former name is an input that is kept: later texts mean the same, also in the store that is rebuilt.
    std::fs::remove_dir_all(world.path(".edgewright")).unwrap();
    world.cmd("replay copy").expect_code(0);
    std::fs::rename(world.path("copy/.edgewright"), world.path(".edgewright")).unwrap();
    world.put("//- letters/c.md\nTechChip Inc supplies the Brake Pad since 2 May 2024.\n");
    world.run();
    world.says(&renamed.replace("S1 supplies C3 [?, ∞) ×1", "S1 supplies C3 [2024-05-02, ∞) ×2"));
    world.cmd("verify").expect_code(0);

    // Named as before: every name is what it was, and the one that it had meanwhile is the former one.
    world.put("//- remove letters/c.md\n//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n");
    world.run();
    world.says(renamed);
    let shown = world.cmd("show S1").expect_code(0).stdout;
    assert!(shown.starts_with("TechChip Inc  (Supplier:S1)\n  formerly: Nexus Chips Inc\n"), "{shown}");
    assert!(before.contains("? Nexus Chips supplies C3: endpoint-unknown"), "{before}");
}

#[test]
fn case_63_a_former_name_gives_way_to_whoever_has_it_now() {
    let world = World::new(FIXTURE);
    world.run();
    let renamed = "//- suppliers.csv\nId,Name,Short,Into\nS1,Nexus Chips Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n";
    world.put(renamed);
    world.run();
    // Another company takes the name: it is meant from now on, and nobody is ambiguous.
    world.put(&format!("{renamed}S4,TECHCHIP,,\n"));
    let report = world.run();
    assert_eq!(World::work(&report), ["letters/a.md:3 name changed", "letters/a.md:5 name changed"]);
    world.says(
        "S1 supplies C1 [2024-01-01, ∞) ×1
         S1 supplies C3 [?, ∞) ×1
         S2 supplies C3 [?, ∞) ×1
         S4 supplies C1 [?, ∞) ×1
         S4 supplies C2 [2024-03-01, ∞) ×1",
    );
    assert!(world.cmd("show techchip").expect_code(0).stdout.starts_with("TECHCHIP  (Supplier:S4)"));
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_63_an_alias_that_is_taken_back_or_a_column_that_was_the_wrong_one_is_no_former_name() {
    let world = World::new(FIXTURE);
    let with_alias = "//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,Nexus Chips,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n";
    world.put(with_alias);
    world.run();
    assert!(world.graph().contains("S1 supplies C3 [?, ∞) ×1"), "{}", world.graph());
    // The full name stayed: the alias was a mistake, and what relied on it waits again.
    world.put(&with_alias.replace("Nexus Chips,", ","));
    world.run();
    assert!(world.graph().contains("? Nexus Chips supplies C3: endpoint-unknown"), "{}", world.graph());

    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.put(with_alias);
    world.write("jobs/nightly.yaml", job.replace("names: [Name, Short]", "names: [Short]").as_bytes());
    world.run();
    assert!(world.graph().contains("? TechChip supplies C1: endpoint-unknown"), "{}", world.graph());
    assert!(!world.cmd("show S1").stdout.contains("formerly"));
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_63_a_new_name_beside_the_old_one_leaves_every_edge_as_it_was() {
    let world = World::new(FIXTURE);
    world.put("//- remove letters/b.md");
    world.run();
    let before = world.graph();
    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,Nexus Chips Inc,TechChip,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n");
    let report = world.run();
    assert_eq!(changes(&report), [""; 0]);
    assert_eq!(world.graph(), before);
    let shown = world.cmd("show TechChip").expect_code(0).stdout;
    assert!(shown.starts_with("Nexus Chips Inc  (Supplier:S1)"), "{shown}");
}

#[test]
fn case_64_merged_into_another_key_moves_the_edges_and_the_old_key_still_resolves() {
    let world = World::new(FIXTURE);
    world.run();
    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,S3\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n");
    let report = world.run();
    assert_eq!(
        changes(&report),
        [
            "added S3 supplies C1: merged",
            "added S3 supplies C2: merged",
            "retracted S1 supplies C1: merged",
            "retracted S1 supplies C2: merged"
        ]
    );
    assert_eq!(report["work"]["extracted"], 0, "{}", report["work"]);
    world.says(
        "S3 supplies C1 [2024-01-01, ∞) ×2
         S3 supplies C2 [2024-03-01, ∞) ×1
         S2 supplies C3 [?, ∞) ×1
         ? Nexus Chips supplies C3: endpoint-unknown",
    );
    let shown = world.cmd("show S1").expect_code(0).stdout;
    assert!(shown.starts_with("Orion Systems  (Supplier:S3)"), "{shown}");
    assert!(shown.contains("Supplier:S1"), "it is said that S1 was merged: {shown}");
    assert!(
        world
            .cmd("why 'TechChip Inc' 'Radio Module'")
            .expect_code(0)
            .stdout
            .contains("Orion Systems supplies Radio Module")
    );
    world.cmd("verify").expect_code(0);

    // The merge is taken back.
    world.put(
        "//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n",
    );
    world.run();
    world.says(
        "S1 supplies C1 [2024-01-01, ∞) ×2
         S1 supplies C2 [2024-03-01, ∞) ×1
         S2 supplies C3 [?, ∞) ×1
         ? Nexus Chips supplies C3: endpoint-unknown",
    );
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_65_an_alias_of_two_sends_the_edges_that_rely_on_it_to_quarantine() {
    let world = World::new(FIXTURE);
    world.run();
    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,TechChip,\n");
    let report = world.run();
    assert_eq!(changes(&report), ["retracted S1 supplies C2: feed_row"]);
    let detail = report["changes"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("letters/a.md:5"), "{detail}");
    assert_eq!(World::work(&report), ["letters/a.md:3 name changed", "letters/a.md:5 name changed"]);
    // The edge of the feed has other evidence and stays.
    world.says(
        "S1 supplies C1 [2024-01-01, ∞) ×1
         S2 supplies C3 [?, ∞) ×1
         ? Nexus Chips supplies C3: endpoint-unknown
         ? TechChip supplies C1: endpoint-ambiguous
         ? TechChip supplies C2: endpoint-ambiguous",
    );
    let asked = world.cmd("quarantine --reason endpoint-ambiguous").stdout;
    assert!(
        asked.contains("\"TechChip\" may be TechChip Inc (Supplier:S1) or Orion Systems (Supplier:S3)"),
        "{asked}"
    );
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_65_guards_apply_when_an_alias_takes_a_whole_segment_away() {
    let world = World::new(FIXTURE);
    let components: Vec<String> = (1..=5).map(|part| format!("C{part},Part Number {part}")).collect();
    world.write("components.csv", format!("Id,Name\n{}\n", components.join("\n")).as_bytes());
    let text: Vec<String> =
        (1..=5).map(|part| format!("TechChip supplies the Part Number {part}.\n")).collect();
    world.put("//- remove letters/b.md");
    world.write("letters/a.md", text.join("\n").as_bytes());
    world.run();
    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,TechChip,\n");
    let report = world.run_code(3);
    assert_eq!(report["drift"], "fail");
    let run = report["run"].as_str().unwrap();
    let drift = std::fs::read_to_string(world.path(&format!(".edgewright/runs/{run}/drift.json"))).unwrap();
    assert!(drift.contains("drift-emptied"), "{drift}");
}

/// Keys that are awkward somewhere: in a number, a shell, a path, a pattern, a table.
const AWKWARD: [&str; 14] =
    ["007", "7", "1E5", "0870", "A B", "A(B", "A/B", "A,B", "A|B", "A\"B", "A'B", "A:B", "-A", "=A+B"];

fn csv_of(header: &str, rows: &[Vec<&str>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    writer.write_record(header.split(',')).unwrap();
    for row in rows {
        writer.write_record(row).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

#[test]
fn case_66_awkward_keys_are_each_themselves_in_show_why_export_and_the_curators_table() {
    let world = World::new(FIXTURE);
    world.put("//- remove letters/a.md\n//- remove letters/b.md");
    let names: Vec<String> = (0..AWKWARD.len())
        .map(|at| format!("Part {}", char::from(b'A' + at as u8).to_string().repeat(4)))
        .collect();
    let rows: Vec<Vec<&str>> =
        AWKWARD.iter().zip(&names).map(|(key, name)| vec![*key, name.as_str()]).collect();
    world.write("components.csv", csv_of("Id,Name", &rows).as_bytes());
    let days: Vec<String> = (1..=AWKWARD.len()).map(|day| format!("2024-01-{day:02}")).collect();
    let rows: Vec<Vec<&str>> =
        AWKWARD.iter().zip(&days).map(|(key, day)| vec!["S1", *key, day.as_str()]).collect();
    world.write("approved.csv", csv_of("Supplier,Component,From", &rows).as_bytes());
    let text: Vec<String> = names.iter().map(|name| format!("Acme Labs supplies the {name}.\n")).collect();
    world.write("letters/a.md", text.join("\n").as_bytes());
    world.run();

    let export = world.cmd("export").expect_code(0).stdout;
    let edges: Vec<Value> = export
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|row: &Value| row["kind"] == "edge")
        .collect();
    assert_eq!(edges.len(), AWKWARD.len());
    for ((key, name), day) in AWKWARD.iter().zip(&names).zip(&days) {
        let full = format!("Component:{key}");
        let edge =
            edges.iter().find(|edge| edge["object"] == full.as_str()).unwrap_or_else(|| panic!("{key}"));
        assert_eq!(edge["valid_from"], day.as_str(), "{key}");
        if ["007", "A/B", "A\"B", "A'B", "A:B", "=A+B"].contains(key) {
            let shown = world.args(&["show", key, "--output", "json"]).expect_code(0).json();
            assert!(shown.to_string().contains(&serde_json::to_string(&full).unwrap()), "{key}: {shown}");
            let why = world.args(&["why", &full, "--output", "json"]).expect_code(0).json();
            assert_eq!(why["facts"].as_array().unwrap().len(), 1, "{key}: {why}");
            assert!(why.to_string().contains(name.as_str()), "{key}: {why}");
        }
    }

    // The table goes out and comes back: what was not changed is not read as a change.
    let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let mut reader = csv::Reader::from_reader(sheet.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |column: &str| header.iter().position(|name| name == column).unwrap();
    let mut answers = csv::Writer::from_path(world.path("answers.csv")).unwrap();
    answers.write_record(&header).unwrap();
    for record in reader.records() {
        let mut cells: Vec<String> = record.unwrap().iter().map(str::to_owned).collect();
        cells[place("decision")] = "correct".to_owned();
        cells[place("subject")] = "Supplier:S2".to_owned();
        answers.write_record(&cells).unwrap();
    }
    answers.flush().unwrap();
    world.cmd("decide answers.csv").expect_code(0);
    world.run();
    let export = world.cmd("export").stdout;
    for key in AWKWARD {
        let object = serde_json::to_string(&format!("Component:{key}")).unwrap();
        let found = export.lines().filter(|line| {
            line.contains(r#""kind":"edge""#) && line.contains(&format!(r#""object":{object}"#))
        });
        assert_eq!(found.count(), 2, "{key}");
    }
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_66_compound_keys_do_not_run_into_one_another() {
    let world = World::new(FIXTURE);
    world.put("//- remove letters/a.md\n//- remove letters/b.md");
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let job = job
        .replace("type: Component, key: Id", "type: Component, key: [Plant, Part]")
        .replace("object: Component, valid_from", "object: [Plant, Part], valid_from");
    world.write("jobs/nightly.yaml", job.as_bytes());
    world.put(
        "//- components.csv\nPlant,Part,Name\na,bc,First\nab,c,Second\na/b,c,Third\na,b/c,Fourth\n\
         //- approved.csv\nSupplier,Plant,Part,From\nS1,a,bc,2024-01-01\nS1,ab,c,2024-01-02\nS2,a/b,c,2024-01-03\nS2,a,b/c,2024-01-04\n",
    );
    world.run();
    world.says(
        r"S1 supplies a/bc [2024-01-01, ∞) ×1
          S1 supplies ab/c [2024-01-02, ∞) ×1
          S2 supplies a\/b/c [2024-01-03, ∞) ×1
          S2 supplies a/b\/c [2024-01-04, ∞) ×1",
    );
    for (key, name) in [("a/bc", "First"), ("ab/c", "Second"), (r"a\/b/c", "Third"), (r"a/b\/c", "Fourth")] {
        let shown = world.args(&["show", key]).expect_code(0).stdout;
        assert!(shown.starts_with(name), "{key}: {shown}");
    }
}

#[test]
fn case_67_unicode_forms_and_legal_forms_do_not_hide_a_name_and_both_spellings_stay() {
    let world = World::new(FIXTURE);
    // Composed in the feed; decomposed, and in capitals, in the text.
    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,M\u{fc}ller GmbH,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n//- remove letters/b.md");
    world.put("//- approved.csv\nSupplier,Component,From\nS2,C1,2024-01-01\n");
    world.put("//- letters/a.md\nMu\u{308}ller GmbH supplies the Radio Module.\n\nMÜLLER supplies the Main Board.\n\nmüller supplies the Brake Pad.\n");
    world.run();
    world.says(
        "S1 supplies C1 [?, ∞) ×1
         S1 supplies C2 [?, ∞) ×1
         S1 supplies C3 [?, ∞) ×1
         S2 supplies C1 [2024-01-01, ∞) ×1",
    );
    let export = world.cmd("export").stdout;
    for surface in ["Mu\u{308}ller GmbH", "MÜLLER", "müller"] {
        assert!(
            export.contains(&format!(r#""surface":"{surface}","entities":["Supplier:S1"]"#)),
            "{surface}: {export}"
        );
    }
    assert!(export.contains("\"names\":[\"M\u{fc}ller GmbH\"]"), "{export}");
    for asked in ["M\u{fc}ller GmbH", "Mu\u{308}ller GmbH", "MÜLLER GMBH"] {
        let shown = world.args(&["show", asked]).expect_code(0).stdout;
        assert!(shown.starts_with("M\u{fc}ller GmbH  (Supplier:S1)"), "{asked}: {shown}");
    }

    // A legal form is optional for those who ask, as it is in texts; and it is not exchangeable.
    for asked in ["müller", "Müller G.m.b.H.", "voltanix", "Orion Systems Ltd"] {
        world.args(&["show", asked]).expect_code(0);
    }
    let asked = world.cmd("show 'Voltanix Inc'").expect_code(2).stderr;
    assert!(asked.contains("nobody is called `Voltanix Inc`"), "{asked}");
    world.put(&format!(
        "//- suppliers.csv\n{}",
        "Id,Name,Short,Into\nS1,M\u{fc}ller GmbH,,\nS2,Voltanix GmbH,,\nS3,Voltanix Ltd,,\n"
    ));
    world.run();
    let asked = world.cmd("show Voltanix").expect_code(2).stderr;
    assert!(
        asked.contains("Supplier:S2  Voltanix GmbH") && asked.contains("Supplier:S3  Voltanix Ltd"),
        "{asked}"
    );

    // A type may keep case; then only the name as written is meant.
    let ontology = std::fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    world.write("ontology/supply.yaml", ontology.replace("names: company", "names: exact").as_bytes());
    world.run();
    world.says(
        "S1 supplies C1 [?, ∞) ×1
         S2 supplies C1 [2024-01-01, ∞) ×1
         ? MÜLLER supplies C2: endpoint-unknown",
    );
}

#[test]
fn case_68_a_key_twice_with_different_values_withholds_the_feed_and_names_both_lines() {
    let world = World::new(FIXTURE);
    world.run();
    let before = world.graph();
    world.put("//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS1,Other Chips,,\nS3,Orion Systems,,\n");
    let report = world.run_code(4);
    assert_eq!(report["outcome"], "partial");
    let problem = &report["diagnostics"][0];
    assert_eq!((problem["code"].as_str(), problem["line"].as_u64()), (Some("feed-duplicate-key"), Some(4)));
    assert!(problem["message"].as_str().unwrap().contains("line 2"), "{problem}");
    let states: Vec<(&str, &str)> = report["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| (input["name"].as_str().unwrap(), input["state"].as_str().unwrap()))
        .collect();
    assert!(states.contains(&("suppliers", "withheld")), "{states:?}");
    assert_eq!(world.graph(), before);

    // The rest of the run goes on.
    world.put("//- letters/b.md\nVoltanix supplies the Radio Module.\n");
    world.run_code(4);
    assert!(world.graph().contains("S2 supplies C1 [?, ∞) ×1"));

    world.put(
        "//- suppliers.csv\nId,Name,Short,Into\nS1,TechChip Inc,,\nS2,Voltanix GmbH,,\nS3,Orion Systems,,\n",
    );
    world.run();
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_69_a_renamed_column_is_a_contract_error_and_nothing_ends() {
    let world = World::new(FIXTURE);
    world.run();
    let before = world.graph();
    world.put("//- approved.csv\nVendor,Component,From\nS1,C1,2024-01-01\n//- components.csv\nNo,Name\nC1,Radio Module\nC2,Main Board\nC3,Brake Pad\n");
    let report = world.run_code(4);
    let problems: Vec<String> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|problem| problem["severity"] == "error")
        .map(|problem| {
            format!("{} {}", problem["code"].as_str().unwrap(), problem["message"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        problems,
        ["feed-column-missing there is no column `Supplier`", "feed-column-missing there is no column `Id`"]
    );
    assert_eq!(report["changes"], Value::Array(Vec::new()));
    assert_eq!(world.graph(), before);

    // The job follows the new names: nothing changes, since keys and edges are the same.
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let job = job
        .replace("type: Component, key: Id", "type: Component, key: No")
        .replace("subject: Supplier, object", "subject: Vendor, object");
    world.write("jobs/nightly.yaml", job.as_bytes());
    let report = world.run();
    assert_eq!(report["changes"], Value::Array(Vec::new()));
    assert_eq!(world.graph(), before);
    world.cmd("verify").expect_code(0);
}
