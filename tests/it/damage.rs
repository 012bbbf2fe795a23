//! What a kill, a bad disk or a careless hand leaves: each is said with a way out, and none blocks a workspace.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::world::{World, replace};

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component, at_most_one: subject }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component+} [since {valid_from:date}]"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  letters: { path: letters, include: ["**/*.md"] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
//- letters/a.md
# Contracts

TechChip supplies the Radio Module since 1 March 2020.

TechChip supplies the Main Board since 1 May 2020.
"#;

const LATER: &str = "
//- letters/a.md
# Contracts

TechChip supplies the Radio Module since 1 March 2020.
//- letters/b.md
Voltanix supplies the Radio Module since 17 February 2024.
";

const SAYS: &str = "
    S1 supplies C1 [2020-03-01, 2024-02-17) ×1
    S2 supplies C1 [2024-02-17, ∞) ×1";

/// A workspace with two generations.
fn workspace() -> World {
    let world = World::new(FIXTURE);
    world.run();
    world.put(LATER);
    world.run();
    world.says(SAYS);
    world
}

/// Every file below a folder, with its length.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(format!("{} {}", path.display(), fs::metadata(&path).unwrap().len()));
        }
    }
    found.sort();
    found
}

#[test]
fn files_that_a_killed_run_left_in_the_index_do_not_block_the_next_one() {
    // The files of a commit that never was: listed by tantivy as its own, and not.
    for listed in [true, false] {
        let world = World::new(FIXTURE);
        // Every second paragraph changes, so that each part of the index loses some and keeps some.
        let letter = |changed: &str| {
            let line = |at: u32| {
                format!("Remark {at} of {}.\n\n", if at.is_multiple_of(2) { "old" } else { changed })
            };
            world.write("letters/many.md", (0..80).map(line).collect::<String>().as_bytes());
        };
        letter("old");
        world.run();
        let (index, kept) = (world.path(".edgewright/index"), world.path("kept"));
        replace(&index, &kept);
        letter("new");
        world.put(LATER);
        world.run();
        let deletions = |folder: &Path| {
            let names = files(folder);
            names.into_iter().find(|name| name.contains(".del "))
        };
        assert!(deletions(&index).is_some());
        for entry in fs::read_dir(&kept).unwrap() {
            let path = entry.unwrap().path();
            if !listed || !path.ends_with(".managed.json") {
                fs::copy(&path, index.join(path.file_name().unwrap())).unwrap();
            }
        }
        world.run();
        assert_eq!(world.found("voltanix"), ["letters/b.md:1 current"]);
        world.cmd("verify").expect_code(0);
    }
}

#[test]
fn whatever_stands_in_the_place_of_the_index_gives_way() {
    let world = workspace();
    let index = world.path(".edgewright/index");
    for part in ["index", "index.part"] {
        let path = world.path(".edgewright").join(part);
        drop(fs::remove_dir_all(&path));
        drop(fs::remove_dir_all(&index));
        fs::write(&path, "no folder").unwrap();
        world.run();
        assert_eq!(world.found("voltanix"), ["letters/b.md:1 current"]);
    }
}

/// Turns bytes of every file of a kind over until a search stumbles over them.
fn damage(world: &World, kind: &str) {
    for entry in fs::read_dir(world.path(".edgewright/index")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|found| found == kind) {
            let mut bytes = fs::read(&path).unwrap();
            // The last part is the footer, which is looked at whenever the file is opened.
            let end = bytes.len().saturating_sub(120);
            bytes[..end].iter_mut().for_each(|byte| *byte = !*byte);
            fs::write(&path, bytes).unwrap();
        }
    }
}

#[test]
fn a_damaged_index_is_an_answer_and_no_panic() {
    for kind in ["term", "idx", "fast", "pos"] {
        let world = workspace();
        damage(&world, kind);
        let said = world.cmd("search radio module");
        assert!([0, 1, 2].contains(&said.code), "{kind}: {said:?}");
        assert!(!said.stderr.contains("panicked") && !said.stderr.contains("src/"), "{kind}: {said:?}");
        if said.code == 1 {
            assert!(said.stderr.contains("hint: remove `.edgewright/index`"), "{kind}: {said:?}");
        }
        let verified = world.cmd("verify").expect_code(1).stdout;
        assert!(verified.contains("index-damaged"), "{kind}: {verified}");
        // A run that looks a name up in it goes on without it, and builds it anew.
        world.put("//- components.csv\nId,Name\nC1,Radio Module\nC2,Main Board\nC3,Contracts\n");
        let run = world.cmd("run").expect_code(0);
        assert!(!run.stderr.contains("panicked"), "{kind}: {run:?}");
    }
}

#[test]
fn a_word_that_no_index_takes_is_left_out_by_the_check_as_well() {
    let world = World::new(FIXTURE);
    let long = "x".repeat(70_000);
    world.put(&format!("//- letters/b.md\nThe code {long} stands before the Radio Module.\n"));
    world.run();
    world.cmd("verify").expect_code(0);
    assert_eq!(world.found("'\"code stands\"'").len(), 1);
}

#[test]
fn an_emptied_or_older_graph_beside_its_changelog_begins_no_second_history() {
    let world = workspace();
    let graph = world.path(".edgewright/graph.db");
    let first = {
        let world = World::new(FIXTURE);
        world.run();
        fs::read(world.path(".edgewright/graph.db")).unwrap()
    };
    for bytes in [Vec::new(), first] {
        fs::write(&graph, &bytes).unwrap();
        let before = fs::read_dir(world.path("changelog")).unwrap().count();
        let refused = world.cmd("run").expect_code(2).stderr;
        assert!(refused.contains("has a history") && refused.contains("edgewright replay ."), "{refused}");
        assert_eq!(fs::read_dir(world.path("changelog")).unwrap().count(), before);
    }
    fs::remove_file(&graph).unwrap();
    let asked = world.cmd("show S1").expect_code(2).stderr;
    assert!(asked.contains("edgewright replay ."), "{asked}");
    fs::write(&graph, "this is no database at all, and it is long enough to be looked at\n".repeat(9))
        .unwrap();
    let asked = world.cmd("show S1").expect_code(1).stderr;
    assert!(asked.contains("edgewright replay ."), "{asked}");
    fs::write(&graph, "").unwrap();
    world.cmd("replay .").expect_code(0);
    world.says(SAYS);
}

#[test]
fn a_gap_in_the_changelog_is_named_and_a_failed_replay_leaves_nothing() {
    let world = workspace();
    let (first, second) = (world.path("changelog/000001.jsonl"), world.path("changelog/000002.jsonl"));
    fs::rename(&second, world.path("changelog/000003.jsonl")).unwrap();
    let refused = world.cmd("replay copy").expect_code(2).stderr;
    assert!(refused.contains("lacks 000002.jsonl"), "{refused}");
    assert!(!world.path("copy").exists());
    fs::rename(world.path("changelog/000003.jsonl"), &second).unwrap();
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, text.replacen("TechChip Inc", "TechChip Ltd", 1)).unwrap();
    world.cmd("replay copy").expect_code(2);
    assert!(!world.path("copy").exists());
    let refused = world.cmd("replay copy --from nowhere").expect_code(2).stderr;
    assert!(refused.contains("there is no changelog in"), "{refused}");
    fs::write(&first, text).unwrap();
    let replayed = world.cmd("replay copy").expect_code(0).stdout;
    assert!(replayed.contains("edgewright -C DIR status"), "{replayed}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_said_and_a_closed_pipe_is_not() {
    let world = workspace();
    let run = |stdout: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_edgewright"));
        command.args(["export", "--now", "2026-06-01T12:00:00Z"]).current_dir(world.root()).env_clear();
        let done = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        (done.status.code().unwrap(), String::from_utf8(done.stderr).unwrap())
    };
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (code, said) = run(full.into());
    assert_eq!(code, 1);
    assert!(said.starts_with("error: the output cannot be written\n  caused by: No space left"), "{said}");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(run(writer.into()), (0, String::new()));
}

#[cfg(unix)]
#[test]
fn questions_are_answered_in_a_workspace_that_nobody_may_write_to() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = workspace();
    let expected = (world.graph(), world.found("voltanix"));
    let state = world.path(".edgewright");
    drop(fs::remove_file(state.join("lock")));
    let mode = |bits: u32| {
        for folder in [state.join("index"), state.clone(), world.root().to_owned()] {
            fs::set_permissions(folder, fs::Permissions::from_mode(bits)).unwrap();
        }
    };
    mode(0o555);
    let found = (world.graph(), world.found("voltanix"));
    // Whoever may do everything, as root may, writes all the same.
    let may_write = fs::write(state.join("probe"), "").is_ok();
    let refused = (!may_write).then(|| world.cmd("plan"));
    mode(0o755);
    assert_eq!(found, expected);
    if let Some(refused) = refused {
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains("only questions do without"), "{refused:?}");
    }
}

#[cfg(unix)]
#[test]
fn who_may_read_the_workspace_may_read_every_file_of_the_index() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = workspace();
    world.put(LATER);
    world.run();
    let index = world.path(".edgewright/index");
    fs::write(index.join("probe"), "").unwrap();
    let modes: BTreeMap<String, u32> = fs::read_dir(&index)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().permissions().mode())
        })
        .collect();
    // What anybody writes there has the mode that the umask gives.
    let given = modes["probe"];
    let others: Vec<_> = modes.iter().filter(|(_, mode)| **mode != given).collect();
    assert!(others.is_empty() && modes.contains_key("meta.json"), "{given:o}: {others:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_with_its_path_and_the_next_run_goes_on() {
    for (written, doing) in [
        ("changelog/000002.part", "cannot write `ROOT/changelog/000002.jsonl`"),
        (".edgewright/index/meta.part", "cannot commit the text index in `ROOT/.edgewright/index`"),
    ] {
        let world = World::new(FIXTURE);
        world.run();
        world.put(LATER);
        // A file for which there never is room.
        std::os::unix::fs::symlink("/dev/full", world.path(written)).unwrap();
        let failed = world.cmd("run").expect_code(1);
        let expected = format!(
            "error: the disk is full: {doing}\n  caused by: CAUSE\n  hint: make room there; nothing that was published is lost, and the next `edgewright run` sweeps or finishes what is half done\n"
        );
        let cause = failed.stderr.lines().nth(1).unwrap_or_default().trim().trim_start_matches("caused by: ");
        assert!(cause.contains("No space left on device"), "{written}: {}", failed.stderr);
        let root = fs::canonicalize(world.root()).unwrap().display().to_string();
        assert_eq!(failed.stderr, expected.replace("ROOT", &root).replace("CAUSE", cause));
        let report = world.cmd("runs --output json").expect_code(0).json();
        let told = report["runs"].as_array().unwrap().iter().find_map(|run| run["error"].as_str());
        assert!(told.unwrap_or_default().starts_with("the disk is full: cannot "), "{written}: {report}");
        fs::remove_file(world.path(written)).unwrap();
        world.run();
        world.says(SAYS);
        world.cmd("verify").expect_code(0);
    }
}

#[test]
fn what_a_killed_edit_leaves_is_said_with_what_mends_it() {
    let world = workspace();
    let edit = "edit add-entity Supplier S9 --name 'Arkonis AG' --reason onboarded --ticket T-1";
    world.cmd(&format!("{edit} --stop-at published")).expect_code(137);
    let said = world.cmd("verify").expect_code(1).stdout;
    let faults: Vec<&str> = said.lines().take_while(|line| !line.starts_with("state digest")).collect();
    assert_eq!(
        faults,
        [
            "changelog-missing: changelog/000003.jsonl: the file is missing; the next `edgewright run` writes it",
            "index-behind: .edgewright/index: it stands at generation 2 and the graph at 3; the next `edgewright run` brings it up to date",
            "generation 3 has 2 faults",
        ]
    );
    world.run();
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_clock_that_went_back_is_said_and_known_at_only_grows() {
    let mut world = World::new(FIXTURE);
    world.run();
    world.today = "2026-05-01".to_owned();
    world.put(LATER);
    let run = world.run();
    let said: Vec<&str> =
        run["diagnostics"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(said, ["clock-behind"]);
    let header = fs::read_to_string(world.path("changelog/000002.jsonl")).unwrap();
    assert!(header.lines().next().unwrap().contains("\"recorded_at\":\"2026-06-01T12:00:00Z\""), "{header}");
    world.today = "2026-06-02".to_owned();
    assert_eq!(world.run()["diagnostics"].to_string(), "[]");
}

#[test]
fn a_name_that_nobody_knows_is_no_empty_answer() {
    let world = workspace();
    for (asked, said) in [
        ("quarantine --reason conflickt", "there is no reason `conflickt`\n  hint: did you mean `conflict`?"),
        ("quarantine --reason nope", "there is no reason `nope`\n  hint: the reasons are confidence-low,"),
        ("quarantine --edge suplies", "there is no edge type `suplies`\n  hint: did you mean `supplies`?"),
        ("why S1 --edge nope", "there is no edge type `nope`\n  hint: the edge types are: supplies"),
        ("accept scope letters/nosuch --reason x", "the graph holds no document below `letters/nosuch`"),
        ("show S1 --as-of 20240216", "a day is written YYYY-MM-DD, such as 2024-02-16"),
        ("show S1 --as-of 0000-01-01", "the calendar has no such day"),
        ("show S1 --as-of 2024-02-30", "the calendar has no such day"),
    ] {
        let refused = world.cmd(asked).expect_code(2).stderr;
        assert!(refused.contains(said), "{asked}: {refused}");
    }
    let long = world.cmd(&format!("search {}", "word ".repeat(300))).expect_code(2).stderr;
    assert!(long.contains("it has more than 256 words"), "{long}");
}

#[test]
fn an_answer_is_queued_once() {
    let world = World::new(FIXTURE);
    world.put("//- letters/b.md\nNordwind supplies the Radio Module since 17 February 2024.\n");
    world.run();
    let sheet = world.cmd("quarantine --output csv").expect_code(0).stdout;
    let question = sheet.lines().nth(1).unwrap().split(',').next().unwrap();
    world.write(
        "answers.csv",
        format!("question,decision,reason\n{question},reject,no such firm\n").as_bytes(),
    );
    world.cmd("decide answers.csv").expect_code(0);
    let refused = world.cmd("decide answers.csv").expect_code(2);
    assert_eq!(refused.stdout, "");
    assert!(
        refused.stderr.contains("line 2: this waits for the next run already, as request 1"),
        "{refused:?}"
    );
}

#[test]
fn a_document_is_withdrawn_by_its_file_as_why_prints_it() {
    let world = World::new(
        &FIXTURE.replace("path: letters,", "path: post/in,").replace("//- letters/", "//- post/in/"),
    );
    world.run();
    let why = world.cmd("why S1").expect_code(0).stdout;
    assert!(why.contains("post/in/a.md:3"), "{why}");
    let done = world.cmd("retract post/in/a.md --reason wrong --dry-run").expect_code(0).stdout;
    assert!(done.contains("withdraws `letters/a.md`"), "{done}");
}

#[test]
fn an_ontology_folder_that_cannot_be_read_is_all_that_is_complained_of() {
    let world = World::new(FIXTURE);
    world.run();
    fs::rename(world.path("ontology"), world.path("kept")).unwrap();
    world.write("ontology", b"not a folder");
    let said = "ontology: error[config-unreadable]: cannot read it: Not a directory (os error 20)
  hint: check that the file is there and that its rights let you read it
";
    let check = world.cmd("check -C .").expect_code(2).stdout;
    assert_eq!(check, format!("{said}0 ontologies, 1 job: 1 error, 0 warnings\n"));
    for command in ["run", "plan", "try supply", "show S1 --access none"] {
        let talk = world.cmd(&format!("{command} -C .")).expect_code(2).stderr;
        assert!(talk.starts_with(said), "{command}: {talk}");
    }
    // What was published is still there to be looked at, with a word about it.
    let shown = world.cmd("show S1 -C .").expect_code(0);
    assert!(shown.stderr.contains("the configuration has errors"), "{}", shown.stderr);
}
