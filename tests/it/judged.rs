//! What a person sees of held runs and of acts, also of those that were killed: in `runs`, in `status`, in the reports.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read what runs leave")]

use std::fs;

use expect_test::expect;
use serde_json::Value;

use crate::held::{held, repaired};
use crate::world::World;

/// What `runs` says, with the ids of the runs of these reports as R1, R2 and so on.
fn runs(world: &World, reports: &[&Value]) -> String {
    named(world.cmd("runs").expect_code(0).stdout, reports)
}

fn named(text: String, reports: &[&Value]) -> String {
    let named = reports.iter().enumerate().fold(text, |text, (at, report)| {
        text.replace(report["run"].as_str().unwrap(), &format!("R{}", at + 1))
    });
    // How long it took is another number each time, and how wide that is.
    let lines = named.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.iter().position(|word| *word == "s") {
            Some(at) if at > 0 => [&words[..at - 1], &["T"], &words[at..]].concat().join(" "),
            _ => words.join(" "),
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// What `status` says of runs.
fn last(world: &World, reports: &[&Value]) -> String {
    let said = world.cmd("status").expect_code(0).stdout;
    let lines = said.lines().filter(|line| line.starts_with("generation "));
    let head: String = lines.map(|line| format!("{line}\n")).collect();
    let (_, tail) = said.split_once("history digest").unwrap();
    named(head + tail.split_once('\n').unwrap().1, reports)
}

#[test]
fn a_held_run_whose_place_was_taken_is_told_of_as_over() {
    let (mut world, first) = held();
    expect![[r#"
        generation 1, published 2026-06-01T12:00:00Z by run RUN

        the run R1 is held since 2026-06-01T12:00:00Z
        `edgewright diff held` says what it would change; then `release` or `discard`

        the last run, R1, began 2026-06-01T12:00:00Z
        held the run R1: 5 changes; generation 1 stands
    "#]]
    .assert_eq(&last(&world, &[&first]).replace(&published(&world), "RUN"));
    // A later run takes its place, and is held as well.
    world.today = "2026-06-02".to_owned();
    let second = world.run_code(3);
    let said = last(&world, &[&first, &second]);
    assert!(!said.contains("R1") && said.contains("the run R2 is held since 2026-06-02T12:00:00Z"), "{said}");
    // What is published by hand takes its place, and nobody holds it any more.
    world.cmd("edit add-entity Supplier S9 --name Arkonis --reason onboarded --ticket T-1").expect_code(0);
    let said = last(&world, &[&first, &second]);
    let over = "held the run R2: 5 changes; generation 1 stands\nsomething else was published or run since: it is held no more\n";
    assert!(said.contains(over) && !said.contains("is held since"), "{said}");
    assert_eq!(world.cmd("status --output json").json()["judged"], "replaced");
    // A run that passes is told of alone.
    world.put(&repaired());
    world.today = "2026-06-03".to_owned();
    let third = world.run();
    let said = last(&world, &[&first, &second, &third]);
    assert!(
        said.ends_with("the last run, R3, began 2026-06-03T12:00:00Z\nnothing to do: generation 2 stands\n"),
        "{said}"
    );
    let edit: Value = world.cmd("runs --output json").json()["edits"][0].clone();
    let told = runs(&world, &[&first, &second, &third, &edit]);
    expect![[r#"
        run began for took drift exit how it ended
        R3 2026-06-03T12:00:00Z 2026-06-03 T s pass 0 nothing to do: generation 2 stands
        R4 2026-06-02T12:00:00Z - - pass - published generation 2: 0 changes, by hand: adds Supplier:S9 ("Arkonis")
        R2 2026-06-02T12:00:00Z 2026-06-02 T s fail 3 held, then replaced
        R1 2026-06-01T12:00:00Z 2026-06-01 T s fail 3 held, then replaced
        RUN 2026-06-01T12:00:00Z 2026-06-01 T s no_baseline 0 published generation 1: 7 changes
    "#]]
    .assert_eq(&told.replace(&first_run(&world), "RUN"));
}

/// The run that published the last generation.
fn published(world: &World) -> String {
    world.cmd("status --output json").json()["run"].as_str().unwrap().to_owned()
}

/// The run that began first.
fn first_run(world: &World) -> String {
    let listed = world.cmd("runs --output json").json();
    listed["runs"].as_array().unwrap().last().unwrap()["run"].as_str().unwrap().to_owned()
}

#[test]
fn acts_stand_between_the_runs_with_the_generation_that_holds_them() {
    let (mut world, first) = held();
    world.today = "2026-06-02".to_owned();
    let said = world.cmd("discard --by Ada --reason 'the export was cut off'").expect_code(0).stdout;
    assert!(
        said.contains("\npublished generation 2, which holds this act and changes nothing in the graph\n"),
        "{said}"
    );
    let status = world.cmd("status").expect_code(0).stdout;
    assert!(
        status.starts_with(
            "generation 2, published 2026-06-02T12:00:00Z: discard by Ada: the export was cut off\n"
        ),
        "{status}"
    );
    assert!(status.ends_with("\n  discarded since\n"), "{status}");
    world.today = "2026-06-03".to_owned();
    let second = world.run_code(3);
    world.today = "2026-06-04".to_owned();
    world.cmd("release --by Ben --reason 'it is right'").expect_code(0);
    world.cmd("freeze --by Ben --reason audit").expect_code(0);
    world.today = "2026-06-05".to_owned();
    world.cmd("unfreeze --by Ben --reason over").expect_code(0);
    world.cmd("rollback 1 --by Ada --reason 'it was wrong'").expect_code(0);
    let told = runs(&world, &[&first, &second]);
    let told = told.replace(&first_run(&world), "RUN").replace(&published(&world), "BACK");
    expect![[r#"
        run began for took drift exit how it ended
        BACK 2026-06-05T12:00:00Z 2026-06-05 T s pass 0 published generation 6: 5 changes, put back to generation 1 by Ada: it was wrong
        unfreeze 2026-06-05T12:00:00Z - - - - generation 5 holds this act, by Ben: over
        freeze 2026-06-04T12:00:00Z - - - - generation 4 holds this act, by Ben: audit
        release 2026-06-04T12:00:00Z - - - - published generation 3: the run R2, by Ben: it is right
        R2 2026-06-03T12:00:00Z 2026-06-03 T s fail 3 held, then released
        discard 2026-06-02T12:00:00Z - - - - generation 2 holds this act: no more of the run R1, by Ada: the export was cut off
        R1 2026-06-01T12:00:00Z 2026-06-01 T s fail 3 held, then discarded
        RUN 2026-06-01T12:00:00Z 2026-06-01 T s no_baseline 0 published generation 1: 7 changes
    "#]]
    .assert_eq(&told);
    let acts = world.cmd("runs --output json --limit 2").expect_code(0).json()["acts"].clone();
    let acts: Vec<&str> = acts.as_array().unwrap().iter().map(|act| act["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["rollback", "unfreeze", "freeze", "release"]);
}

#[test]
fn a_release_or_discard_that_was_killed_is_told_by_whatever_writes_next() {
    for (command, judged) in [("release", "released"), ("discard", "discarded")] {
        let report = |world: &World, run: &Value| {
            let path = format!(".edgewright/runs/{}/{command}.json", run["run"].as_str().unwrap());
            let text = fs::read_to_string(world.path(&path)).ok()?;
            let mut report: Value = serde_json::from_str(&text).unwrap();
            // What the index was brought up to date with is told by whoever does it.
            report["run"]["work"]["indexed"].take();
            Some(report)
        };
        let (world, run) = held();
        world.cmd(&format!("{command} --reason right")).expect_code(0);
        let undisturbed = report(&world, &run).unwrap();
        for next in
            ["run", "edit add-entity Supplier S9 --name Arkonis --reason r --ticket T-1", "freeze --reason r"]
        {
            let (world, run) = held();
            world.cmd(&format!("{command} --reason right --stop-at published")).expect_code(137);
            assert_eq!(report(&world, &run), None);
            let told = world.cmd("runs --output json").expect_code(0).json();
            assert_eq!(told["runs"][0]["judged"], judged, "the record of the act says it");
            world.cmd(next);
            assert_eq!(report(&world, &run), Some(undisturbed.clone()), "{command}, then {next}");
        }
        // Where a person took the reports away, nothing is put beside them.
        let (world, run) = held();
        world.cmd(&format!("{command} --reason right --stop-at published")).expect_code(137);
        fs::remove_dir_all(world.path(".edgewright/runs")).unwrap();
        world.cmd("run");
        assert_eq!(report(&world, &run), None);
    }
}

#[test]
fn what_a_held_run_was_asked_to_read_again_is_asked_for_anew_after_a_discard() {
    let (mut world, _) = held();
    world.today = "2026-06-02".to_owned();
    let said = world.cmd("run --again letters/b.md --again hearsay").expect_code(3).stdout;
    let anew = "`edgewright run --again 'letters/b.md' --again 'hearsay'`";
    assert!(said.contains(&format!("after a discard or a later run, ask anew: {anew}\n")), "{said}");
    let discarded = world.cmd("discard --reason r").expect_code(0).stdout;
    assert!(
        discarded.lines().next().unwrap().ends_with(&format!("what it was asked to read again by {anew}")),
        "{discarded}"
    );
    let plain = world.cmd("run").expect_code(3).stdout;
    assert!(!plain.contains("--again"), "{plain}");
    // Whatever takes the place of such a run says so as well.
    world.cmd("run --again hearsay").expect_code(3);
    let replaced = world.cmd("freeze --reason r").expect_code(0).stdout;
    assert!(
        replaced.contains(
            "; what it was asked to read again is asked for anew by `edgewright run --again 'hearsay'`"
        ),
        "{replaced}"
    );
}

#[test]
fn a_quiet_run_says_only_what_is_wrong() {
    let (world, _) = held();
    let said = world.cmd("run --quiet").expect_code(3).stdout;
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("    ")).collect();
    assert_eq!(
        lines[1..],
        ["  fail: drift-emptied in supplies in letters: 5 before, 0 after", "exit 3"],
        "{said}"
    );
    assert!(lines[0].starts_with("held the run "), "{said}");
    world.put(&repaired());
    world.put("//- letters/c.md\nVoltanix supplies the Flight Computer.\n");
    let said = world.cmd("run -q").expect_code(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));
    world.put("//- remove stock.csv");
    let said = world.cmd("run -q").expect_code(4).stdout;
    expect![[r#"
        some inputs failed or were withheld; generation 2 stands
        inputs
          stock  feed    withheld   0 rows
        what is wrong with inputs
          stock.csv: error[feed-unreadable]: `stock.csv` does not exist
            hint: its last accepted rows stay in force; if it is gone for good: `edgewright accept feed stock --reason …`
        exit 4
    "#]]
    .assert_eq(&said);
    // An answer is an answer: JSON is written as ever, and so is what a plan says.
    assert_eq!(world.cmd("run -q --output json").expect_code(4).json()["exit_code"], 4);
    assert!(world.cmd("plan -q").expect_code(4).stdout.contains("\nwork: "));
}
