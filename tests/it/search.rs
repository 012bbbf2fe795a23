//! Search: what is found, in which state, on which day, by whom; and what an edit costs the text index.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use crate::sample::sample;
use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject }
  tests:    { subject: Supplier, object: Component }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [(from|as of|since) {valid_from:date}] [until {valid_to:date}]"
- id: test
  edge: tests
  match: "{subject:Supplier} tests {object:Component+} [(from|as of|since) {valid_from:date}] [until {valid_to:date}]"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  letters: { path: letters, include: ["**/*.md"] }
  secret:  { path: secret, include: ["**/*.md"], access: [legal] }
  amended: { path: amended, include: ["**/*.md"], edits: amend, effective: Effective }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name, Alias] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- components.csv
Id,Name,Alias
C1,Radio Module,
C2,Main Board,
C3,Flight Control Unit,
//- letters/start.md
A letter of no importance.
//- secret/start.md
A secret of no importance.
//- amended/start.md
Effective: 2020-01-01

An agreement of no importance.
"#;

/// The files of the text index with their bytes' hashes and times: what a run that writes nothing leaves alone.
fn index_files(world: &World) -> BTreeMap<String, (u64, SystemTime)> {
    let files = fs::read_dir(world.path(".edgewright/index")).unwrap();
    files
        .map(|entry| {
            let entry = entry.unwrap();
            let data = entry.metadata().unwrap();
            (entry.file_name().to_string_lossy().into_owned(), (data.len(), data.modified().unwrap()))
        })
        // Readers hold a lock on a file of their own while they open the index.
        .filter(|(name, _)| !name.ends_with(".lock"))
        .collect()
}

#[test]
fn the_old_report_is_found_with_its_days_and_does_not_pass_for_current() {
    let world = sample();
    world.run();
    let query = "search flight control unit supplier";
    let current = world.cmd(&format!("{query} --limit 100")).expect_code(0).stdout;
    assert!(
        current.starts_with("1. corpus/ecm/contracts/techchip_PC-2024-006.md:22  [current]\n"),
        "{current}"
    );
    assert!(!current.contains("procurement_review") && !current.contains("[expired"), "{current}");
    assert!(
        current.contains("Seller shall sell the »Flight Control Unit« as of the Effective Date."),
        "{current}"
    );
    assert!(current.ends_with("expired (--state all)\n"), "{current}");

    let all = world.cmd(&format!("{query} --state all --limit 100")).expect_code(0).stdout;
    assert!(
        all.contains("2023-04_shenzenchip_procurement_review.md:7  [expired: until 2024-02-16 (last day)]\n"),
        "{all}"
    );
    // What asserts nothing by itself in a report whose message is over is no more current than the report.
    assert!(
        all.contains(
            "2023-04_shenzenchip_procurement_review.md:1  [expired, as all that its document asserts: until 2024-02-16 (last day)]\n"
        ),
        "{all}"
    );

    let then = world.cmd(&format!("{query} --as-of 2024-02-16 --limit 100")).expect_code(0).stdout;
    assert!(then.contains("2023-04_shenzenchip_procurement_review.md:7  [current]\n"), "{then}");
    assert!(then.contains("contracts/shenzenchip_PC-2021-014.md:14  [current]\n"), "{then}");
    assert!(!then.contains("techchip_PC-2024-006.md:22"), "it begins on the day after: {then}");
    let next = world.found("flight control unit supplier --as-of 2024-02-17 --limit 100");
    assert!(next.contains(&"contracts/techchip_PC-2024-006.md:22 current".to_owned()), "{next:#?}");
    assert!(!next.iter().any(|line| line.contains("procurement_review")), "{next:#?}");
}

#[test]
fn case_03_between_two_intervals_search_finds_neither_sentence_and_on_their_days_the_one_that_holds() {
    let world = World::new(FIXTURE);
    world.put(
        "//- letters/a.md\nTechChip tests the Main Board since 1 January 2022 until 31 December 2022.\n\
         //- letters/b.md\nTechChip tests the Main Board since 1 January 2024.\n",
    );
    world.run();
    assert_eq!(world.found("main board --as-of 2023-06-01"), [""; 0]);
    assert_eq!(
        world.found("main board --as-of 2023-06-01 --state all"),
        ["letters/b.md:1 future until 2024-01-01", "letters/a.md:1 expired since 2023-01-01"]
    );
    assert_eq!(world.found("main board --as-of 2022-12-31"), ["letters/a.md:1 current"]);
    assert_eq!(world.found("main board --as-of 2024-01-01"), ["letters/b.md:1 current"]);
    assert_eq!(world.found("main board"), ["letters/b.md:1 current"]);
}

#[test]
fn a_query_that_is_somebodys_name_tells_how_to_find_the_texts_that_mean_it() {
    let world = sample();
    world.run();
    let said = world.cmd("search fcu").expect_code(0).stdout;
    let hint = "`fcu` is a name of Flight Control Unit (Component:CMP-001): entity:CMP-001 finds the texts that mean it\n";
    assert!(said.ends_with(hint), "{said}");
    assert!(!world.found("entity:CMP-001").is_empty());
    assert_eq!(world.cmd("search fcu --output json").json()["named"][0]["key"], "Component:CMP-001");
    for query in ["'fcu unit'", "entity:CMP-001", "nobody"] {
        let said = world.cmd(&format!("search {query}")).expect_code(0).stdout;
        assert!(!said.contains("is a name of"), "{said}");
    }
}

#[test]
fn a_sentence_of_which_part_has_ended_is_found_and_says_which_day_that_was() {
    let world = World::new(FIXTURE);
    world.put(
        "//- letters/a.md\nTechChip supplies the Radio Module and the Main Board since 1 March 2020.\n\n\
         //- letters/b.md\nVoltanix supplies the Radio Module since 1 July 2023.\n",
    );
    world.run();
    assert_eq!(world.found("techchip --as-of 2023-06-30"), ["letters/a.md:1 current"]);
    assert_eq!(world.found("techchip"), ["letters/a.md:1 mixed since 2023-07-01"]);
    let said = world.cmd("search techchip").expect_code(0).stdout;
    let head = "1. letters/a.md:1  [mixed: current, and in part until 2023-06-30 (last day)]\n";
    assert!(said.starts_with(head), "{said}");
}

#[test]
fn case_25_a_retracted_documents_text_is_hidden_from_search_and_kept_for_those_who_see_everything() {
    let world = World::new(FIXTURE);
    world.put("//- letters/a.md\nTechChip supplies the Main Board since 1 March 2020.\n");
    world.run();
    assert_eq!(world.found("main board --access none"), ["letters/a.md:1 current"]);
    let retract = "retract letters/a.md --reason 'never signed' --by counsel --output json";
    let report = world.cmd(retract).expect_code(0).json();
    assert_eq!(report["work"]["indexed"], 1, "{}", report["work"]);
    assert_eq!(world.found("main board"), [""; 0]);
    let all = world.found("main board --state all");
    assert_eq!(all.len(), 1);
    assert!(all[0].starts_with("letters/a.md:1 retracted, counsel at "), "{all:?}");
    // What is withdrawn is withdrawn in its past as well, for all others.
    for access in ["none", "legal"] {
        assert_eq!(world.found(&format!("main board --state all --access {access}")), [""; 0]);
        assert_eq!(world.found(&format!("main board --known-at 1 --access {access}")), [""; 0]);
    }
    assert_eq!(world.found("main board --known-at 1"), ["letters/a.md:1 current"]);
    world.cmd("retract letters/a.md --undo --reason 'it was signed after all' --by counsel").expect_code(0);
    assert_eq!(world.found("main board --access none"), ["letters/a.md:1 current"]);
}

/// Forty paragraphs, one of which says who tests the Main Board since when.
fn forty(says: &str) -> String {
    let paragraphs: Vec<String> = (1..=40)
        .map(|number| match number {
            20 => says.to_owned(),
            _ => format!("Paragraph number {number} is about nothing in particular."),
        })
        .collect();
    paragraphs.join("\n\n")
}

#[test]
fn case_76_one_changed_sentence_rewrites_one_entry_and_the_old_one_is_found_as_what_it_was() {
    let world = World::new(FIXTURE);
    let write = |says: &str| world.write("letters/long.md", forty(says).as_bytes());
    write("TechChip tests the Main Board since 1 March 2020.");
    let first = world.run();
    assert_eq!(first["work"]["indexed"], 44, "{}", first["work"]);
    write("Voltanix tests the Main Board since 1 March 2020.");
    let changed = world.run();
    assert_eq!((&changed["work"]["extracted"], &changed["work"]["indexed"]), (&1.into(), &2.into()));
    assert_eq!(world.found("main board"), ["letters/long.md:39 current"]);
    assert_eq!(world.found("techchip"), [""; 0]);
    assert_eq!(
        world.found("techchip --state all"),
        ["letters/long.md:39 superseded, its document says something else now"]
    );
    assert_eq!(world.found("techchip --known-at 1"), ["letters/long.md:39 current"]);
    assert_eq!(world.found("voltanix --known-at 1 --state all"), [""; 0]);
    // Inserted, swapped, deleted: an entry is where a text is, and where in the document is not part of it.
    write("Voltanix tests the Main Board since 1 March 2020.\n\nTechChip looked on.");
    assert_eq!(world.run()["work"]["indexed"], 1);
    write("TechChip looked on.\n\nVoltanix tests the Main Board since 1 March 2020.");
    assert_eq!(world.run()["work"]["indexed"], 0);
    write("Voltanix tests the Main Board since 1 March 2020.");
    assert_eq!(world.run()["work"]["indexed"], 1);
    // A text that comes back is the one that it was.
    write("TechChip tests the Main Board since 1 March 2020.");
    world.run();
    assert_eq!(world.found("techchip"), ["letters/long.md:39 current"]);
    world.cmd("verify").expect_code(0);
}

#[test]
fn case_76_a_sentence_that_was_amended_is_found_as_of_its_days() {
    let world = World::new(FIXTURE);
    let write = |from: &str, says: &str| {
        world.write("amended/long.md", format!("Effective: {from}\n\n{}", forty(says)).as_bytes());
    };
    write("2020-03-01", "TechChip tests the Main Board since 1 March 2020.\n\nThe old annex is blue.");
    world.run();
    write("2024-06-01", "Voltanix tests the Main Board since 1 June 2024.\n\nThe new annex is green.");
    world.run();
    assert_eq!(world.found("main board"), ["amended/long.md:41 current"]);
    assert_eq!(world.found("annex"), ["amended/long.md:43 current"]);
    for (day, main, annex) in [("2024-05-31", "techchip", "blue"), ("2024-06-01", "voltanix", "green")] {
        let found =
            world.cmd(&format!("search main board --as-of {day}")).expect_code(0).stdout.to_lowercase();
        assert_eq!(found.matches(". amended/long.md").count(), 1, "{day}: {found}");
        assert!(found.contains(main), "{day}: {found}");
        // A text that asserts nothing leaves on the day on which the version with it does.
        let found = world.found(&format!("{annex} --as-of {day}"));
        assert_eq!(found.len(), 1, "{day}: {found:?}");
    }
    assert_eq!(world.found("blue --as-of 2024-06-01"), [""; 0]);
    assert_eq!(
        world.found("blue --state all"),
        ["amended/long.md:43 superseded since 2024-06-01, its document says something else now"]
    );
}

#[test]
fn case_77_the_passing_of_a_day_rewrites_nothing_and_search_labels_the_text_from_that_day_on() {
    let mut world = World::new(FIXTURE);
    world.today = "2024-12-31".to_owned();
    world.put(
        "//- letters/a.md\nTechChip supplies the Main Board since 1 March 2020 until 31 December 2024.\n",
    );
    world.run();
    assert_eq!(world.found("main board"), ["letters/a.md:1 current"]);
    let before = index_files(&world);
    world.today = "2025-01-01".to_owned();
    let report = world.run();
    assert_eq!(report["outcome"], "nothing_to_do");
    assert_eq!(report["generation"], serde_json::Value::Null);
    assert_eq!(report["work"]["indexed"], 0);
    assert_eq!(index_files(&world), before, "the index is not opened for writing");
    assert_eq!(world.found("main board"), [""; 0]);
    assert_eq!(world.found("main board --state all"), ["letters/a.md:1 expired since 2025-01-01"]);
    assert_eq!(world.found("main board --as-of 2024-12-31"), ["letters/a.md:1 current"]);
}

#[test]
fn case_78_whatever_the_alias_only_chunks_that_hold_it_are_read_and_written_again() {
    for (alias, text) in [
        ("FCU", "The FCU is late."),
        ("FC-9", "The FC-9 is late."),
        ("A/B", "The A/B is late."),
        ("Zürcher", "The ZU\u{308}RCHER is late."),
        ("飞行控制", "新的飞行控制单元。"),
    ] {
        let world = World::new(FIXTURE);
        world.write("letters/long.md", forty(text).as_bytes());
        world.run();
        world.put(&format!(
            "//- components.csv\nId,Name,Alias\nC1,Radio Module,\nC2,Main Board,\nC3,Flight Control Unit,{alias}\n"
        ));
        let report = world.run();
        assert_eq!(World::work(&report), ["letters/long.md:39 name changed"], "{alias}");
        assert_eq!(report["work"]["indexed"], 1, "{alias}");
        assert_eq!(world.found("entity:C3"), ["letters/long.md:39 current"], "{alias}");
        assert_eq!(world.found(&format!("'{alias}'")), ["letters/long.md:39 current"], "{alias}");
        let anew = World::new(FIXTURE);
        for name in ["letters/long.md", "components.csv"] {
            anew.write(name, &fs::read(world.path(name)).unwrap());
        }
        anew.run();
        assert_eq!(anew.graph(), world.graph(), "{alias}");
        assert_eq!(anew.found("entity:C3"), world.found("entity:C3"), "{alias}");
    }
}

#[test]
fn queries_say_what_they_find() {
    let world = World::new(FIXTURE);
    world.put(
        "//- letters/a.md\n# Spring review\n\nTechChip supplies the Flight Control Unit.\n\nThe supply of boards is slow.\n\
         //- letters/b.md\n# Autumn review\n\nUnit tests of the flight are under control.\n\n新的飞行控制单元 is FCU-9 in Müller's list.\n",
    );
    world.run();
    for (query, found) in [
        ("flight", "a.md:3 b.md:3"),
        ("FLIGHT control", "a.md:3 b.md:3"),
        ("'\"flight control\"'", "a.md:3"),
        ("'\"control flight\"'", ""),
        ("suppl*", "a.md:3 a.md:5"),
        ("supplies", "a.md:3"),
        ("suplies~", "a.md:3"),
        ("suplis~2", "a.md:3"),
        ("'flight -unit'", ""),
        ("'+flight +tests'", "b.md:3"),
        ("'flight -(techchip boards)'", "b.md:3"),
        ("title:spring", "a.md:1 a.md:3 a.md:5"),
        ("'+title:spring +text:slow'", "a.md:5"),
        ("'+section:autumn +unit'", "b.md:3"),
        ("'+document:b.md +flight'", "b.md:3"),
        ("entity:C3", "a.md:3"),
        ("'entity:\"Flight Control Unit\"'", "a.md:3"),
        ("entity:Component:C3", "a.md:3"),
        ("fcu9", "b.md:5"),
        ("'FCU 9'", "b.md:5"),
        ("fcu-9", "b.md:5"),
        ("飞行控制", "b.md:5"),
        ("控制飞行", ""),
        ("mu\u{308}ller", "b.md:5"),
        ("MÜLLER", "b.md:5"),
        ("'\"飞行控制\" -fcu*'", ""),
        ("nothing-like-this", ""),
    ] {
        let mut places: Vec<String> = world
            .found(query)
            .iter()
            .map(|line| line.split(' ').next().unwrap().trim_start_matches("letters/").to_owned())
            .collect();
        places.sort();
        assert_eq!(places.join(" "), found, "{query}");
    }
    let fact = world.cmd("search supplies --output json").json()["results"][0]["asserts"][0]["fact"].clone();
    assert_eq!(world.found(&format!("fact:{}", fact.as_str().unwrap())), ["letters/a.md:3 current"]);
    // All words first, whatever else says one of them.
    assert_eq!(world.found("unit flight control supplies")[0], "letters/a.md:3 current");
    assert_eq!(world.found("unit flight control supplies --limit 1").len(), 1);
}

#[test]
fn a_query_that_cannot_be_read_says_where() {
    let world = World::new(FIXTURE);
    world.run();
    for (query, message, mark) in [
        ("'flight \"control'", "the quotation mark is never closed", "    flight \"control\n           ^\n"),
        ("'titel:review'", "there is no field `titel`", "    titel:review\n    ^\n"),
        ("'a (b c'", "the parenthesis is never closed", "    a (b c\n      ^\n"),
        ("'a ) b'", "the parenthesis closes none", "    a ) b\n      ^\n"),
        ("'su*ly'", "`*` can only stand at the end of a word", "    su*ly\n      ^\n"),
        ("'supply~7'", "this is no distance", "    supply~7\n          ^\n"),
        ("'FCU-9~'", "these are 2 words, and only one can be fuzzy", "    FCU-9~\n    ^\n"),
        ("'飞行 +!'", "there is no word in it", "    飞行 +!\n          ^\n"),
        ("'&'", "there is no word in it", "    &\n    ^\n"),
        ("'( )'", "there is no word between the parentheses", "    ( )\n    ^\n"),
        ("title:", "there is nothing after the field", "    title:\n          ^\n"),
    ] {
        let said = world.cmd(&format!("search {query}")).expect_code(2);
        assert_eq!(said.stdout, "");
        assert!(
            said.stderr.starts_with(&format!("error: the query cannot be read: {message}")),
            "{}",
            said.stderr
        );
        assert!(said.stderr.contains("hint: ") && said.stderr.contains(mark), "{query}:\n{}", said.stderr);
    }
    let unknown = world.cmd("search entity:C9").expect_code(2).stderr;
    assert!(unknown.starts_with("error: nobody is called `C9`"), "{unknown}");
    let unknown = world.cmd("search fact:123").expect_code(2).stderr;
    assert!(unknown.starts_with("error: there is no fact `123`"), "{unknown}");
}

#[test]
fn nothing_to_search_is_said() {
    let world = World::new(FIXTURE);
    let said = world.cmd("search anything").expect_code(2).stderr;
    assert!(said.contains("there is no graph yet") && said.contains("edgewright run"), "{said}");
    for file in ["letters", "secret", "amended"] {
        fs::remove_file(world.path(&format!("{file}/start.md"))).unwrap();
    }
    world.run();
    let said = world.cmd("search anything").expect_code(0);
    assert_eq!(said.stdout, "nothing current or mixed fits: anything\n");
    assert!(said.stderr.contains("no document has any text"), "{}", said.stderr);
}

#[test]
fn what_a_reader_may_not_see_moves_neither_results_nor_scores() {
    let public = "//- letters/a.md\nTechChip tests the Main Board since 1 March 2020.\n\
                  //- letters/b.md\nThe board of TechChip met.\n\
                  //- letters/c.md\nThe radio is on.\n";
    // The secret twin has the same text in the same context, so it is the same chunk in another document.
    let secret = "//- secret/a.md\nTechChip tests the Main Board since 1 March 2020.\n\
                  //- secret/b.md\nBoard board board. The radio of the board is a board.\n\
                  //- secret/c.md\nTechChip and the board, and the board, and TechChip.\n";
    let (without, with) = (World::new(FIXTURE), World::new(FIXTURE));
    without.put(public);
    with.put(&format!("{public}{secret}"));
    without.run();
    with.run();
    for query in
        ["board techchip", "radio", "\"main board\"", "bord~ tech*", "entity:S1", "board --state all"]
    {
        let answer = |world: &World| world.cmd(&format!("search {query} --access none --output json")).stdout;
        let (expected, found) = (answer(&without), answer(&with));
        assert!(expected.contains("letters/"), "{query}: {expected}");
        assert_eq!(found, expected, "{query}");
    }
    // Those who hold the label find both placements of the one text.
    assert_eq!(
        with.found("'\"main board\"' --access legal"),
        ["letters/a.md:1 current", "secret/a.md:1 current"]
    );
    // The same holds when the secret was public once, and when the index has rewritten what it hides.
    let job = fs::read_to_string(with.path("jobs/nightly.yaml")).unwrap();
    with.write("jobs/nightly.yaml", job.replace("access: [legal]", "access: []").as_bytes());
    with.run();
    assert_eq!(with.found("'\"main board\"' --access none").len(), 2);
    with.write("jobs/nightly.yaml", job.as_bytes());
    with.run();
    let scores = |world: &World| -> Vec<String> {
        let found = world.cmd("search board techchip --access none --output json").json();
        let results = found["results"].as_array().unwrap();
        results.iter().map(|result| format!("{} {}", result["document"], result["score"])).collect()
    };
    assert_eq!(scores(&with), scores(&without));
    assert_eq!(with.found("'\"main board\"' --known-at 2 --access none"), ["letters/a.md:1 current"]);
}

#[test]
fn an_index_that_was_followed_answers_like_one_that_was_built_anew() {
    let world = World::new(FIXTURE);
    for round in 0..6 {
        world.put(&format!(
            "//- letters/a.md\nTechChip tests the Main Board since 1 March 202{round}.\n\nRound {round} of the board.\n\
             //- letters/b{round}.md\nThe board of TechChip met in round {round}.\n"
        ));
        world.run();
    }
    let answers = || -> Vec<String> {
        [
            "board",
            "techchip board round",
            "roun* --state all",
            "board --known-at 3 --state all",
            "board --access none",
        ]
        .map(|query| world.cmd(&format!("search {query} --output json --limit 50")).expect_code(0).stdout)
        .to_vec()
    };
    let followed = answers();
    world.cmd("verify").expect_code(0);
    fs::remove_dir_all(world.path(".edgewright/index")).unwrap();
    world.run();
    assert_eq!(answers(), followed);
}
