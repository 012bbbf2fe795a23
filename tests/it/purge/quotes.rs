//! What people took from a purged document into what they wrote leaves the record, and is told where it stands in
//! files that are theirs.

use std::fs;

use serde_json::Value;

use super::{FIXTURE, digests, history, holding, reports};
use crate::world::World;

/// What only the letter of Abelard says, as far as people quote it here.
pub(super) const HIS: [&str; 5] = [
    "fuel pump since 1 march 2020",
    "as abelard was told",
    "letter of abelard",
    "painted twice in orkney",
    "letters/abe.md",
];

/// What he says that people quote, beside what rules read.
pub(super) const REMARK: &str =
    "It was painted twice in Orkney, on a Sunday, by a man whom nobody has seen since.";

pub(super) const PURGE: &str =
    "purge letters/abe.md --by Eve --yes --reason 'request 17: it was painted twice in Orkney, on a Sunday'";

/// A sentence of Abelard and one that Bob writes as well are examples; people quote him wherever they may.
pub(super) fn world() -> World {
    let fixture = FIXTURE
        .replace(
            "- id: hearsay\n",
            "  # As Abelard has it: Voltanix may be the source of the
  # Cabin Fan, as Abelard was told.
  examples:
  - text: \"TechChip supplies the Fuel Pump since 1 March 2020.\"
    finds: \"TechChip Inc supplies Fuel Pump from 2020-03-01\"
  - text: \"TechChip supplies the Flight Computer since 1 March 2020.\"
    finds: \"TechChip Inc supplies Flight Computer from 2020-03-01\"
- id: hearsay
",
        )
        .replace("feeds:\n", "golden: { file: truth.csv }\nfeeds:\n")
        .replace("All parts are painted gray.\n//- letters/bob.md", &format!("{REMARK}\n//- letters/bob.md"));
    let world = World::new(&fixture);
    world.put(
        "//- truth.csv
subject,type,object,note
S1,supplies,C1,\"TechChip supplies the Flight Computer since 1 March 2020.\"
S1,supplies,C2,\"TechChip supplies the Fuel Pump since 1 March 2020.\"
S2,supplies,C4,
S2,supplies,C5,see letters/abe.md
//- letters/cid.md
Voltanix supplies the Landing Gear since 1 May 2021.
",
    );
    world
}

/// A night, and what people do by day.
pub(super) fn quoted() -> World {
    let world = world();
    world.run();
    let because = "it was painted twice in Orkney, on a Sunday, by a man";
    let edit =
        format!("edit add-relationship S2 supplies C1 --from 2025-01-01 --reason '{because}' --ticket T-1");
    world.cmd(&format!("{edit} --by Ada")).expect_code(0);
    world.cmd(&format!(
        "retract letters/cid.md --by Ada --reason 'says otherwise than letters/abe.md: {because}'"
    ));
    super::decide(&world, "reject", &format!("no, for {because}"));
    world.run();
    world.cmd(&format!("freeze --by Ada --reason '{because}'")).expect_code(0);
    world.cmd("unfreeze --by Ada --reason done").expect_code(0);
    // A word that waits for the next run.
    world.cmd(&format!("accept feed suppliers --by Ada --reason '{because}'")).expect_code(0);
    world.write(
        "ontology/supply.yaml",
        &[&fs::read(world.path("ontology/supply.yaml")).unwrap()[..], b"# x\n"].concat(),
    );
    world
}

pub(super) fn left_of_him(world: &World) -> Vec<String> {
    let mut left = holding(&world.path(".edgewright"), &HIS);
    left.extend(holding(&world.path("changelog"), &HIS));
    left
}

/// The changelog, all of it.
pub(super) fn changelog(world: &World) -> String {
    let mut files: Vec<_> =
        fs::read_dir(world.path("changelog")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

/// The places that a purge tells of, as `file:line message`.
pub(super) fn places(edit: &Value) -> Vec<String> {
    let all = edit["diagnostics"].as_array().unwrap().iter();
    let quoted = all.filter(|one| one["code"] == "purge-quoted");
    quoted
        .map(|one| {
            format!("{}:{} {}", one["file"].as_str().unwrap(), one["line"], one["message"].as_str().unwrap())
        })
        .collect()
}

pub(super) const PLACES: [&str; 4] = [
    "ontology/supply.yaml:12 up to line 13 it quotes or names a document that is purged",
    "ontology/supply.yaml:15 it quotes or names a document that is purged",
    "truth.csv:3 it quotes or names a document that is purged",
    "truth.csv:5 it quotes or names a document that is purged",
];

#[test]
fn what_people_quoted_of_a_purged_document_is_nowhere_in_the_record() {
    let world = quoted();
    let before = left_of_him(&world);
    for place in ["graph.db: painted twice", "000002.jsonl: painted twice", "edit.json: painted twice"] {
        assert!(before.iter().any(|held| held.contains(place)), "{place} {before:#?}");
    }
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    let done = world.cmd(&format!("{PURGE} --output json")).expect_code(0).json();
    assert_eq!(left_of_him(&world), [""; 0]);
    // What Bob says as well stays an example, and what was decided, with its words beside the quote.
    let log = changelog(&world);
    for kept in [
        "Flight Computer since 1 March 2020",
        "request 17: (purged)",
        "no, for (purged)",
        "says otherwise than (purged): (purged)",
        "text: \\\"(purged).\\\"",
        "# As Abelard has it: (purged)\\n  # (purged).\\n",
    ] {
        assert!(log.contains(kept), "{kept}\n{log}");
    }
    assert!(reports(&world).contains("(purged)"));
    assert_eq!(places(&done["edit"]), PLACES);
    digests(&world);
    let again = world.twin();
    fs::remove_dir_all(again.path(".edgewright")).unwrap();
    again.cmd("replay .").expect_code(0);
    assert_eq!(digests(&again), digests(&world));
    assert_eq!(history(&again), history(&world));
}

#[test]
fn an_ontology_that_still_quotes_is_no_change_and_is_kept_without_the_quote() {
    let world = quoted();
    world.run();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd(PURGE).expect_code(0);
    let before = digests(&world);
    let night = world.run();
    assert_eq!(night["outcome"], "nothing_to_do");
    let what = "it quotes or names a document that was purged; the record keeps the file without";
    let says = [("12", "up to line 13 "), ("15", "")];
    assert_eq!(
        places(&night),
        says.map(|(line, until)| format!("ontology/supply.yaml:{line} {until}{what}"))
    );
    assert_eq!(digests(&world), before);
    // The file changes, and still quotes him.
    let file = fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    world.write("ontology/supply.yaml", format!("{file}# another word\n").as_bytes());
    let night = world.run();
    assert_eq!((&night["outcome"], &night["work"]["extracted"]), (&"published".into(), &0.into()), "{night}");
    assert!(changelog(&world).contains("# another word"));
    assert_eq!(left_of_him(&world), [""; 0]);
    // A person has taken it out.
    let mended: String = file
        .lines()
        .filter(|line| !line.contains("Fuel Pump") && !line.contains("Abelard"))
        .map(|line| format!("{line}\n"))
        .collect();
    world.write("ontology/supply.yaml", mended.as_bytes());
    let night = world.run();
    assert_eq!(places(&night), [""; 0]);
    digests(&world);
}

#[test]
fn quotes_go_as_well_if_a_purge_is_killed_on_its_way() {
    let world = quoted();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    for step in edgewright::run::Step::OF_PURGE {
        let twin = world.twin();
        twin.cmd(&format!("{PURGE} --stop-at {}", step.name())).expect_code(137);
        twin.run();
        assert_eq!(left_of_him(&twin), [""; 0], "stopped at {}", step.name());
        digests(&twin);
    }
}

#[test]
fn a_dry_run_says_where_a_document_is_quoted_and_changes_nothing() {
    let world = quoted();
    let before = (digests(&world), left_of_him(&world));
    let dry = PURGE.replace("--yes", "--dry-run");
    let said = world.cmd(&dry).expect_code(0).stdout;
    let place = "ontology/supply.yaml:12: warning[purge-quoted]: up to line 13 it quotes or names a document that is purged";
    assert!(said.contains(place), "{said}");
    assert_eq!(places(&world.cmd(&format!("{dry} --output json")).expect_code(0).json()["edit"]), PLACES);
    assert_eq!((digests(&world), left_of_him(&world)), before);
}

#[test]
fn what_is_said_by_hand_stays_and_is_told() {
    let world = world();
    world.run();
    world.write("bulletin.txt", format!("Office closed.\n\n{REMARK}\n").as_bytes());
    let word = "--reason r --ticket t --by Ada";
    world
        .cmd(&format!(
            "edit add-entity Component C9 --name 'may be the source of the Cabin Fan, as Abelard' {word}"
        ))
        .expect_code(0);
    world
        .cmd(&format!("edit add-risk-event R1 --type Person --title Strike --text bulletin.txt {word}"))
        .expect_code(0);
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    let done = world.cmd("purge letters/abe.md --reason x --yes --output json").expect_code(0).json();
    assert_eq!(
        places(&done["edit"])[..2],
        [
            "edit/1:0 what edit 1 says quotes a document that is purged",
            "edit/2.md:0 the bulletin of an edit quotes a document that is purged"
        ]
    );
    digests(&world);
}

#[test]
fn what_a_draft_took_from_a_purged_document_is_nowhere_in_the_record() {
    let world = World::new("");
    let names = ["Flight Computer", "Fuel Pump", "Landing Gear", "Rudder Trim", "Cabin Fan"];
    let mut components = "Id,Name\n".to_owned();
    for (at, name) in names.iter().enumerate() {
        components.push_str(&format!("C{at},{name}\n"));
        let firm = ["TechChip Inc", "Voltanix GmbH"][at % 2];
        let letter = format!("# Letter {at}\n\n{firm} supplies the {name} since {} March 2020.\n", at + 1);
        world.write(&format!("letters/{at}.md"), letter.as_bytes());
    }
    world.write("components.csv", components.as_bytes());
    world.write("suppliers.csv", b"Id,Name\nS1,TechChip Inc\nS2,Voltanix GmbH\n");
    world
        .cmd("init . --name supply --scan letters --feed suppliers.csv --feed components.csv")
        .expect_code(0);
    let drafted = fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    let sentence = |at: usize| {
        let firm = ["TechChip Inc", "Voltanix GmbH"][at % 2];
        format!("{firm} supplies the {} since {} March 2020", names[at], at + 1)
    };
    let taken = (0..names.len()).find(|at| drafted.contains(&sentence(*at)));
    let taken = taken.unwrap_or_else(|| panic!("it quotes no letter:\n{drafted}"));
    world.run();
    let held = |world: &World| {
        let words = [sentence(taken), format!("letters/{taken}.md")];
        let words = words.each_ref().map(String::as_str);
        let mut held = holding(&world.path(".edgewright"), &words);
        held.extend(holding(&world.path("changelog"), &words));
        held
    };
    assert!(held(&world).iter().any(|place| place.contains("000001.jsonl")));
    assert!(drafted.contains(&format!("letters/{taken}.md")));
    fs::remove_file(world.path(&format!("letters/{taken}.md"))).unwrap();
    let purged =
        world.cmd(&format!("purge letters/{taken}.md --reason x --yes --output json")).expect_code(0).json();
    assert_eq!(held(&world), [""; 0]);
    let told = places(&purged["edit"]);
    // The line above an example names its document.
    let line = drafted.lines().position(|line| line.contains(&sentence(taken))).unwrap();
    let says = format!(
        "ontology/supply.yaml:{line} up to line {} it quotes or names a document that is purged",
        line + 1
    );
    assert_eq!(told[0], says);
    digests(&world);
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    assert_eq!(fs::read_to_string(world.path("ontology/supply.yaml")).unwrap(), drafted);
}
