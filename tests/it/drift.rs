//! The drift report through the command line: faults that are planted between two nights, and what is said of them.

use std::fs;

use serde_json::Value;

use crate::world::{Output, World};

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
  letters: { path: letters }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
"#;

/// How many letters there are; each says two edges of its own. Of components there are twice as many.
const LETTERS: usize = 12;

fn letter(nth: usize, verb: &str) -> String {
    format!(
        "# Letter {nth}\n\nTechChip {verb} the Radio Module {nth}.\n\nVoltanix {verb} the Radio Module {nth}.\n"
    )
}

fn components(key: &str) -> String {
    let row = |nth: usize| format!("{key}{nth},Radio Module {nth}\n");
    format!("Id,Name\n{}", (0..2 * LETTERS).map(row).collect::<String>())
}

/// A workspace after its first night.
fn world() -> World {
    let world = World::new(FIXTURE);
    world.write("components.csv", components("C").as_bytes());
    for nth in 0..LETTERS {
        world.write(&format!("letters/{nth:02}.md"), letter(nth, "supplies").as_bytes());
    }
    world.run();
    world
}

/// A night: what the run says, and its drift report.
fn night(world: &World) -> (Value, Value) {
    let report = world.cmd("run --output json").json();
    let drift = drift_of(world, &report);
    (report, drift)
}

pub(crate) fn drift_of(world: &World, report: &Value) -> Value {
    let run = report["run"].as_str().unwrap();
    let text = fs::read_to_string(world.path(&format!(".edgewright/runs/{run}/drift.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// `fail drift-planned supplies in letters 24->0 (24)` of each finding.
pub(crate) fn findings(drift: &Value) -> Vec<String> {
    let line = |finding: &Value| {
        let text = |name: &str| finding[name].as_str().unwrap().to_owned();
        format!(
            "{} {} {} in {} {}->{} ({})",
            text("severity"),
            text("rule"),
            finding["segment"]["edge_type"].as_str().unwrap(),
            finding["segment"]["source"].as_str().unwrap(),
            finding["before"],
            finding["after"],
            finding["count"],
        )
    };
    drift["findings"].as_array().unwrap().iter().map(line).collect()
}

const LOST_RULE: &str = "//- ontology/supply.yaml\nlanguage: en\nentities:\n  Supplier:  { system_of_record: suppliers, names: company }\n  Component: { system_of_record: components }\nedges:\n  supplies: { subject: Supplier, object: Component }\nrules:\n- id: supply\n  edge: supplies\n  match: \"{subject:Supplier} delivers {object:Component}\"\n";

#[test]
fn a_rule_that_is_lost_is_one_finding_with_its_sentences_and_a_person_may_accept_it() {
    let faulty = world();
    faulty.put(LOST_RULE);
    let (report, drift) = night(&faulty);
    assert_eq!((report["drift"].as_str(), drift["holds"].as_bool()), (Some("fail"), Some(true)));
    assert_eq!(findings(&drift), ["fail drift-planned supplies in letters 24->0 (24)"]);
    let finding = &drift["findings"][0];
    let also: Vec<&str> =
        finding["also"].as_array().unwrap().iter().map(|also| also["rule"].as_str().unwrap()).collect();
    assert_eq!(also, ["drift-emptied", "drift-retractions"]);
    assert_eq!(finding["rules"], serde_json::json!({ "supply": 24 }));
    let examples = finding["examples"].as_array().unwrap();
    assert_eq!(examples.len(), 5);
    let text = examples[0]["text"].as_str().unwrap();
    let named = [
        "TechChip Inc (Supplier:S1) supplies Radio Module ",
        "Voltanix GmbH (Supplier:S2) supplies Radio Module ",
    ];
    assert!(named.iter().any(|name| text.starts_with(name)) && text.ends_with(')'), "{text}");
    let shown = faulty.cmd("drift").expect_code(0).stdout;
    assert!(shown.contains("read by: supply 24") && shown.contains(text), "{shown}");
    for example in examples {
        let sentence = example["sentence"].as_str().unwrap();
        assert!(sentence.contains("supplies the Radio Module"), "{sentence}");
        assert!(example["place"].as_str().unwrap().starts_with("letters/"), "{example}");
    }

    // The same on another workspace, in which a person has said that it is meant.
    let accepted = world();
    accepted.put(LOST_RULE);
    accepted.write(".edgewright/runs/20260101120000-aaaaaaaa/drift.json", drift.to_string().as_bytes());
    let command = finding["accept"].as_str().unwrap();
    let key = command.split_whitespace().nth(3).unwrap();
    let wrong = accepted.cmd(&format!("accept finding {} --reason meant", &key[..3])).expect_code(2);
    assert!(wrong.stderr.contains("too short"), "{}", wrong.stderr);
    let wrong = accepted.cmd("accept finding ffffffff --reason meant").expect_code(2);
    assert!(wrong.stderr.contains("drift-planned of supplies in letters"), "{}", wrong.stderr);
    let said: Output =
        accepted.cmd(&format!("accept finding {key} --reason 'meant' --by Ana")).expect_code(0);
    assert!(
        said.stdout.contains(
            "accepts the finding drift-planned of supplies in letters, for up to 24 facts; \
             drift-emptied of supplies in letters, up to 24; drift-retractions of * in letters, up to 24"
        ),
        "{}",
        said.stdout
    );
    let report = accepted.run();
    let drift = drift_of(&accepted, &report);
    assert_eq!(findings(&drift), ["warn drift-planned supplies in letters 24->0 (24)"]);
    let word = drift["findings"][0]["accepted"].as_str().unwrap();
    assert!(word.starts_with("Ana at ") && word.ends_with(": meant"), "{word}");
    // What warns holds no run, so there is nothing to accept.
    let again = accepted.cmd(&format!("accept finding {key} --reason again")).expect_code(2).stderr;
    assert!(again.contains("cannot be accepted: it was accepted by Ana"), "{again}");
}

#[test]
fn documents_in_which_nothing_is_found_any_more_are_named() {
    let world = world();
    for nth in 0..5 {
        world.write(&format!("letters/{nth:02}.md"), letter(nth, "sup plies").as_bytes());
    }
    let (report, drift) = night(&world);
    assert_eq!(report["drift"], "fail");
    assert_eq!(findings(&drift), ["fail drift-silent-documents * in letters 10->0 (10)"]);
    let names: Vec<String> = (0..5).map(|nth| format!("letters/{nth:02}.md")).collect();
    assert_eq!(drift["findings"][0]["documents"], serde_json::json!(names));
    // Two of them, and nobody is woken.
    let world = self::world();
    for nth in 0..2 {
        world.write(&format!("letters/{nth:02}.md"), letter(nth, "sup plies").as_bytes());
    }
    let drift = drift_of(&world, &world.run());
    assert_eq!(findings(&drift), ["info drift-silent-documents * in letters 4->0 (4)"]);
}

#[test]
fn a_letter_a_night_is_nothing_and_a_week_of_them_is_a_warning() {
    let lose = |world: &mut World, nth: usize, day: u32| {
        world.write(&format!("letters/{nth:02}.md"), letter(nth, "sup plies").as_bytes());
        world.today = format!("2026-06-{day:02}");
        let drift = drift_of(world, &world.run());
        let said = drift["findings"][0]["says"].as_str().unwrap().to_owned();
        (findings(&drift).remove(0), said)
    };
    let quiet = |of: u64| format!("info drift-silent-documents * in letters {of}->0 ({of})");
    let mut world = world();
    assert_eq!(lose(&mut world, 0, 2).0, quiet(2));
    assert_eq!(lose(&mut world, 1, 4).0, quiet(2));
    let (finding, said) = lose(&mut world, 2, 8);
    assert_eq!(finding, "warn drift-retractions * in letters 20->18 (6)");
    assert_eq!(said, "6 of 24 edges went within a week, a few at a time; 2 of them tonight");
    assert_eq!(lose(&mut world, 3, 8).0, quiet(2), "what was told is over");
    // The same within a longer time.
    let mut world = self::world();
    for (nth, day) in [(0, 2), (1, 5), (2, 10), (3, 14)] {
        assert_eq!(lose(&mut world, nth, day).0, quiet(2));
    }
}

#[test]
fn as_many_edges_as_before_and_none_of_them_is_no_calm() {
    let world = world();
    for nth in 0..LETTERS {
        world.write(&format!("letters/{nth:02}.md"), letter(nth + LETTERS, "supplies").as_bytes());
    }
    let (report, drift) = night(&world);
    let row = &drift["segments"][0];
    assert_eq!((row["before"].as_u64(), row["after"].as_u64()), (Some(24), Some(24)));
    assert_eq!(report["drift"], "fail");
    assert_eq!(findings(&drift), ["fail drift-replaced supplies in letters 24->24 (24)"]);
}

#[test]
fn another_scheme_of_keys_in_a_feed_is_seen_on_its_night() {
    let world = world();
    world.write("components.csv", components("P-").as_bytes());
    let (report, drift) = night(&world);
    assert_eq!(report["drift"], "fail");
    assert_eq!(findings(&drift), ["fail drift-emptied supplies in letters 24->0 (24)"]);
    assert_eq!(drift["findings"][0]["causes"]["feed_row"], 24);
}

#[test]
fn each_run_with_work_reads_unchanged_documents_again_and_finds_no_difference() {
    let world = world();
    let (report, drift) = night(&world);
    assert_eq!((report["work"]["audited"].as_u64(), &drift["audit"]), (Some(0), &Value::Null));
    world.write("letters/00.md", format!("{}\nA remark.\n", letter(0, "supplies")).as_bytes());
    let planned = world.cmd("plan --output json").expect_code(0).json();
    let report = world.run();
    assert_eq!(planned["work"], report["work"]);
    let audit = &drift_of(&world, &report)["audit"];
    assert_eq!(audit["documents"], LETTERS - 1);
    assert_eq!(audit["edges"], 2 * (LETTERS - 1));
    assert_eq!(audit["differences"], 0);
    assert_eq!(report["work"]["audited"], audit["chunks"]);
    // A night on which a document only goes is no other.
    fs::remove_file(world.path("letters/01.md")).unwrap();
    let audit = &drift_of(&world, &world.run())["audit"];
    assert_eq!(
        (audit["documents"].as_u64(), audit["differences"].as_u64()),
        (Some(LETTERS as u64 - 1), Some(0))
    );
}

/// A parser of the user's whose output changes while its version stays: what it is given is unchanged.
#[cfg(unix)]
#[test]
fn a_program_that_reads_unchanged_documents_differently_is_caught_by_the_audit_sample() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new(FIXTURE);
    let tool = |script: &str| {
        world.write("tools/ocr", format!("#!/bin/sh\n{script}\n").as_bytes());
        fs::set_permissions(world.path("tools/ocr"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    world.put(
        "//- jobs/nightly.yaml
         job: nightly
         ontology: supply
         sources:
           letters: { path: letters, parser: { command: [tools/ocr], for: [\"*.scan\"], version: one } }
           more:    { path: more,    parser: { command: [tools/ocr], for: [\"*.scan\"], version: one } }
         feeds:
           suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
           components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }",
    );
    world.write("components.csv", components("C").as_bytes());
    tool("/bin/cat \"$1\"");
    for nth in 0..4 {
        let text =
            format!("{{\"kind\": \"paragraph\", \"text\": \"TechChip supplies the Radio Module {nth}.\"}}\n");
        world.write(&format!("letters/{nth}.scan"), text.as_bytes());
        world.write(&format!("more/{nth}.scan"), text.as_bytes());
    }
    world.write("letters/a.md", letter(9, "supplies").as_bytes());
    world.run();
    let edit =
        |text: &str| world.write("letters/a.md", format!("{}\n{text}\n", letter(9, "supplies")).as_bytes());
    edit("A remark.");
    assert_eq!(findings(&drift_of(&world, &world.run())), [] as [&str; 0]);
    tool("/bin/sed 's/supplies/sells/' \"$1\"");
    edit("Another remark.");
    let (report, drift) = night(&world);
    assert_eq!(report["drift"], "fail");
    assert_eq!(findings(&drift), ["fail drift-audit supplies in letters 4->0 (4)"]);
    // The sample has eight documents, and of all sources together five are given to programs again.
    let audit = ["documents", "differences"].map(|name| drift["audit"][name].as_u64());
    assert_eq!(audit, [Some(8), Some(5)]);
    let graph = world.cmd("export").expect_code(0).stdout;
    assert!(graph.contains("Radio Module 3"), "nothing of the sample is published");
}

/// How much of a source is read again does not depend on how large the documents of others are.
#[test]
fn all_of_a_source_of_small_documents_is_read_again_beside_one_of_large_ones() {
    let world = World::new(&FIXTURE.replace("feeds:", "  books: { path: books }\nfeeds:"));
    world.write("components.csv", components("C").as_bytes());
    for nth in 0..24 {
        world.write(&format!("letters/{nth:02}.md"), letter(nth, "supplies").as_bytes());
    }
    for nth in 0..4 {
        let book: String = (0..500).map(|line| format!("Remark {line} of book {nth}.\n\n")).collect();
        world.write(&format!("books/{nth}.md"), book.as_bytes());
    }
    world.run();
    world.write("letters/00.md", format!("{}\nA remark.\n", letter(0, "supplies")).as_bytes());
    let audit = &drift_of(&world, &world.run())["audit"];
    assert_eq!(audit["edges"], 2 * 23, "{audit}");
}

/// A stage of our own whose output changes while its fingerprint stays.
#[cfg(feature = "sabotage")]
#[test]
fn a_silent_change_of_a_stage_is_caught_by_the_audit_sample() {
    let mut world = world();
    world.write("letters/00.md", format!("{}\nA remark.\n", letter(0, "supplies")).as_bytes());
    world.env.push(("EDGEWRIGHT_SABOTAGE".to_owned(), "silent-change".to_owned()));
    let (report, drift) = night(&world);
    assert_eq!(report["drift"], "fail");
    let found = findings(&drift);
    assert!(found[0].starts_with("fail drift-audit supplies in letters 22->"), "{found:?}");
    let sentence = drift["findings"][0]["examples"][0]["sentence"].as_str().unwrap();
    assert!(sentence.contains("supplies the Radio Module"), "{sentence}");
}

#[test]
fn a_gate_that_only_reports_says_so() {
    let world = world();
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", format!("{job}gates: {{ gate: report }}\n").as_bytes());
    world.put(LOST_RULE);
    let (report, drift) = night(&world);
    assert_eq!((report["drift"].as_str(), drift["holds"].as_bool()), (Some("fail"), Some(false)));
    assert_eq!(drift["findings"][0]["gate"], "report");
    // A limit of one edge type.
    let world = self::world();
    let gates = "gates: { types: { supplies: { planned: { fail: off }, emptied: { fail: off }, retractions: { warn: off, fail: off } } } }";
    world.write("jobs/nightly.yaml", format!("{job}{gates}\n").as_bytes());
    world.put(LOST_RULE);
    let drift = drift_of(&world, &world.run());
    assert_eq!(findings(&drift), ["warn drift-planned supplies in letters 24->0 (24)"]);
}

#[test]
fn a_golden_set_with_floors_is_judged_each_night_that_changes_something() {
    let world = world();
    let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let golden = "golden: { file: truth.csv, floors: { recall: 100% } }\n";
    world.write("jobs/nightly.yaml", format!("{job}{golden}").as_bytes());
    world.write("truth.csv", b"subject,type,object\nS1,supplies,C0\nS2,supplies,C0\n");
    world.write("letters/01.md", letter(1, "sup plies").as_bytes());
    assert_eq!(
        findings(&drift_of(&world, &world.run())),
        ["info drift-silent-documents * in letters 2->0 (2)"]
    );
    world.write(
        "letters/00.md",
        letter(0, "supplies").replace("Voltanix supplies", "Voltanix has").as_bytes(),
    );
    let (report, drift) = night(&world);
    assert_eq!(report["drift"], "fail");
    assert_eq!(findings(&drift), ["fail drift-golden * in truth.csv 0->0 (1)"]);
    assert_eq!(drift["findings"][0]["says"], "recall of all is 0.500, and its floor 1");
    // A set that is not there, or no set any more, lets nothing through.
    world.write("letters/02.md", format!("{}\nA remark.\n", letter(2, "supplies")).as_bytes());
    for (broken, why) in [
        (None, "it cannot be judged: truth.csv: it is not there, so no floor of it can be judged"),
        (Some("\0 garbage"), "it cannot be judged: truth.csv: "),
    ] {
        match broken {
            Some(text) => world.write("truth.csv", text.as_bytes()),
            None => fs::remove_file(world.path("truth.csv")).unwrap(),
        }
        assert_eq!(world.cmd("check").code, if broken.is_none() { 2 } else { 0 });
        let (report, drift) = night(&world);
        assert_eq!((&report["outcome"], &report["generation"]), (&"held".into(), &Value::Null));
        assert_eq!(findings(&drift), ["fail drift-golden * in truth.csv 0->0 (1)"]);
        let says = drift["findings"][0]["says"].as_str().unwrap();
        assert!(says.starts_with(why), "{says}");
    }
}

/// The generator of the benches.
#[path = "../../benches/speed/nights.rs"]
pub(crate) mod nights;

#[test]
fn quiet_nights_hold_nothing_and_planted_faults_of_twenty_edges_are_caught() {
    use nights::{Corpus, Dice, Fault};
    let mut dice = Dice(1);
    let mut corpus = Corpus::new(&mut dice, 2_000);
    let mut reached = std::collections::BTreeMap::new();
    for number in 0..100 {
        let tonight = corpus.benign(&mut dice, number);
        let quiet = corpus.judge(&tonight);
        assert!(!quiet.holds, "night {number}: {:#?}", quiet.findings);
        let sources = corpus.sources.len();
        let planted = Fault::ALL.into_iter().filter(|_| number % 30 == 0 && !tonight.is_quiet());
        for (fault, at) in planted.flat_map(|fault| (0..sources).map(move |at| (fault, at))) {
            if !fault.strikes(&corpus.sources[at]) || corpus.sources[at].len() < 100 {
                continue;
            }
            let (struck, expected) = corpus.with_fault(&mut dice, &tonight, fault, at);
            if expected >= 20 {
                *reached.entry(fault).or_insert(0) += 1;
                let report = corpus.judge(&struck);
                assert!(report.holds, "night {number}, {}: {expected} edges", fault.name());
            }
        }
        let totals = corpus.totals(&tonight);
        corpus.publish(&tonight);
        assert_eq!(
            totals,
            corpus.totals(&nights::Tonight::default()),
            "what is published is what was judged"
        );
    }
    assert_eq!(reached.len(), Fault::ALL.len(), "each fault struck 20 edges: {reached:?}");
}
