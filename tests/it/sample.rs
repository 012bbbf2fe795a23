//! The shipped sample: what a newcomer sees first.

use std::fs;
use std::path::Path;

use crate::world::{World, copy};

/// The sample in a workspace of its own.
pub(crate) fn sample() -> World {
    let world = World::new("");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["ontology", "jobs", "corpus"] {
        copy(&root.join(folder), &world.path(folder));
    }
    world.write("changelog/README.md", &fs::read(root.join("changelog/README.md")).unwrap());
    world
}

#[test]
fn the_changelogs_readme_lies_beside_its_files_and_is_none_of_them() {
    let world = sample();
    let readme = || fs::read_to_string(world.path("changelog/README.md")).unwrap();
    let before = readme();
    assert!(before.contains("(../docs/format.md)"), "{before}");
    world.run();
    world.cmd("verify").expect_code(0);
    world.cmd("replay copy").expect_code(0);
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(world.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("changelog"), ["000001.jsonl", "README.md"]);
    assert_eq!(names("copy/changelog"), ["000001.jsonl"]);
    assert_eq!(readme(), before);
    // A changelog that was moved away leaves its README, and a run begins anew.
    fs::remove_dir_all(world.path(".edgewright")).unwrap();
    fs::remove_file(world.path("changelog/000001.jsonl")).unwrap();
    world.run();
    assert_eq!(names("changelog"), ["000001.jsonl", "README.md"]);
}

#[test]
fn the_sample_gives_the_graph_of_its_readme_and_a_second_run_does_nothing() {
    let world = sample();
    assert_eq!(world.cmd("check").expect_code(0).stdout, "1 ontology, 1 job: nothing is wrong\n");
    let first = world.run();
    assert_eq!(first["totals"]["documents"], 66);
    assert_eq!(
        first["totals"]["entities"].to_string(),
        r#"{"Component":15,"Customer":4,"Factory":5,"Product":6,"RiskEvent":8,"Supplier":9}"#
    );
    let edges = |name: &str| {
        let counts = &first["totals"]["edges"][name];
        format!("{} current, {} ended, {} future", counts["current"], counts["ended"], counts["future"])
    };
    assert_eq!(edges("supplies"), "15 current, 2 ended, 1 future");
    assert_eq!(edges("uses"), "20 current, 0 ended, 0 future");
    assert_eq!(edges("produces"), "13 current, 0 ended, 0 future");
    assert_eq!(edges("delivers_to"), "8 current, 0 ended, 0 future");
    assert_eq!(edges("affects"), "8 current, 0 ended, 0 future");
    assert_eq!(
        first["totals"]["quarantined"].to_string(),
        r#"{"confidence-low":1,"conflict":1,"endpoint-ambiguous":1,"endpoint-unknown":1}"#
    );
    assert_eq!(first["drift"], "no_baseline");
    assert_eq!(first["generation"], 1);

    let second = world.run();
    assert_eq!(second["work"]["parsed"], 0);
    assert_eq!(second["work"]["extracted"], 0);
    assert_eq!(second["generation"], serde_json::Value::Null);
    assert_eq!(second["outcome"], "nothing_to_do");
}

#[test]
fn on_no_day_does_the_flight_control_unit_have_two_suppliers_or_none() {
    let world = sample();
    world.run();
    for (day, yes, no) in
        [("2024-02-16", "ShenzenChip", "TechChip"), ("2024-02-17", "TechChip", "ShenzenChip")]
    {
        let shown = world.cmd(&format!("show CMP-001 --as-of {day} --output json")).expect_code(0).stdout;
        assert!(shown.contains(yes), "{day}: {shown}");
        let text = world.cmd(&format!("show CMP-001 --as-of {day}")).expect_code(0).stdout;
        let names: Vec<&str> = text.lines().filter(|line| line.contains("(Supplier:")).collect();
        assert_eq!(names.len(), 1, "{text}");
        assert!(names[0].contains(yes) && !names[0].contains(no), "{text}");
    }
}

#[test]
fn the_second_workspace_has_another_ontology_and_its_own_traps() {
    let world = World::new("");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tariffs");
    for folder in ["ontology", "jobs", "corpus"] {
        copy(&root.join(folder), &world.path(folder));
    }
    world.run();
    // An amendment of an amendment; a schedule that replaces another from a day on, and ends what it listed;
    // one that names no day and cuts nothing.
    world.says(
        "HB-101/1 amends HB-101 [2023-06-01, ∞) ×1
         HB-101/1 amends HB-101/2 [2023-06-01, ∞) ×1
         HB-101/2 amends HB-101/1 [2024-02-01, 2025-07-01) ×1
         HB-101/3 supersedes HB-101/2 [2025-07-01, ∞) ×1
         HB-204/1 amends HB-204 [2025-03-01, ∞) ×1
         HB-101/1 lists SVC-10 [2022-01-01, 2024-01-01) ×1 rate=4.1
         HB-101/1 lists SVC-20 [2022-01-01, 2024-01-01) ×1 rate=2150
         HB-101/1 lists SVC-30 [2022-01-01, 2024-01-01) ×1 rate=380
         HB-101/2 lists SVC-40 [2022-01-01, ∞) ×1 rate=61
         HB-101/2 lists SVC-60 [2022-10-01, ∞) ×1 rate=228
         HB-101/3 lists SVC-10 [2024-01-01, ∞) ×1 rate=4.45
         HB-101/3 lists SVC-20 [2024-01-01, ∞) ×1 rate=2390
         HB-101/3 supersedes HB-101/1 [2024-01-01, ∞) ×1
         HB-204/1 lists SVC-50 [2022-06-01, ∞) ×1 rate=95
         ? HB-204/2 supersedes HB-204/1: date-missing",
    );
    assert_eq!(world.cmd("test").expect_code(0).stdout, "13 examples passed, 0 failed\n");
}

#[test]
fn a_changed_sentence_changes_its_edges_and_nothing_else() {
    let world = sample();
    world.run();
    let name = "corpus/ecm/notices/2022-08-30_navpro_award.md";
    let text = fs::read_to_string(world.path(name)).unwrap();
    let edited = text.replace("From 1 September 2022 TechChip", "From 1 October 2022 TechChip");
    assert_ne!(text, edited, "the sentence is there");
    fs::write(world.path(name), edited).unwrap();
    let plan = world.cmd("plan --output json").expect_code(0).json();
    let run = world.run();
    assert_eq!(plan["changes"], run["changes"]);
    assert_eq!(plan["work"], run["work"]);
    assert_eq!(run["work"]["parsed"], 1);
    assert_eq!(run["work"]["extracted"], 1);
    // The contract says since September, the notice now since October: the union stands, no edge changes.
    assert_eq!(run["changes"].as_array().unwrap().len(), 0, "{:#}", run["changes"]);
    assert_eq!(World::work(&run), ["notices/2022-08-30_navpro_award.md:7 text changed"]);
}

#[test]
fn a_changed_lead_time_is_told_with_its_old_and_new_value() {
    let world = sample();
    world.run();
    let name = "corpus/ecm/contracts/electrawire_PC-2021-033_A2.md";
    let text = fs::read_to_string(world.path(name)).unwrap();
    let edited = text.replace("8 weeks", "9 weeks");
    assert_ne!(text, edited, "the sentence is there");
    fs::write(world.path(name), edited).unwrap();
    let edge = "ElectraWire (Supplier:SUP-008) supplies Power Distribution Cable (Component:CMP-013)";
    let change = format!("change {edge} [2024-01-01, ∞) lead_time=P8W → [2024-01-01, ∞) lead_time=P9W");
    let plan = world.cmd("plan").expect_code(0).stdout;
    assert!(plan.contains(&format!("would {change}\n")), "{plan}");
    let run = world.cmd("run").expect_code(0).stdout;
    assert!(run.contains(&change.replacen("change", "changed", 1)), "{run}");
}

/// Every command that the README shows for the sample, as it stands there, in its order.
#[cfg(unix)]
#[test]
fn the_readmes_commands_do_what_it_says_of_them() {
    let world = sample();
    let readme = include_str!("../../README.md");
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut done = 0;
    for line in blocks.flat_map(str::lines).filter(|line| !line.starts_with("cargo test")) {
        // `cargo run -- …` is the program here: it is built already.
        let script = format!("cargo() {{ shift 2; \"$PROGRAM\" \"$@\"; }}\nset -e\n{line}\n");
        let script = script.replace("cargo run\n", "cargo run --\n");
        let ran = std::process::Command::new("sh")
            .args(["-c", &script])
            .env("PROGRAM", env!("CARGO_BIN_EXE_edgewright"))
            .current_dir(world.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{line}\n{said}\n{}", String::from_utf8_lossy(&ran.stderr));
        for (of, expected) in [
            ("add-risk-event", "added Port strike (RiskEvent:EVT-009) affects AeroMetal Corp"),
            ("expire-relationship FAC-001", "changed Assembly Plant Alpha"),
            ("remove-entity", "retracted ThaiRubber Co"),
            ("edit undo", "added ThaiRubber Co"),
            ("edit apply", "would change Assembly Plant Alpha"),
            ("ask path", "NarrowBody-900"),
            ("--state all", "until 2024-02-16"),
        ] {
            assert!(!line.contains(of) || said.contains(expected), "{line}\n{said}");
        }
        done += 1;
    }
    assert!(done > 15, "the README shows {done} commands");
    world.cmd("verify").expect_code(0);
}
