//! How a purge ends for what people repeated of a document elsewhere: in reasons that only reports keep, in bulletins, in
//! names; and what is told where it was stopped, or had no index.

use std::fs;

use serde_json::Value;

use super::quotes::{HIS, PLACES, PURGE, REMARK, changelog, left_of_him, places, quoted, world};
use super::{digests, reports};
use crate::world::World;

/// What he says of the painting, as people repeat it.
const SAID: &str = "it was painted twice in Orkney, on a Sunday, by a man";

/// The lines of the changelog that put or close a record of a kind.
fn lines(world: &World, kind: &str) -> Vec<String> {
    let of_kind = format!("\"kind\":\"{kind}\"");
    changelog(world).lines().filter(|line| line.contains(&of_kind)).map(str::to_owned).collect()
}

#[test]
fn why_a_finding_was_accepted_loses_what_it_quotes() {
    let world = world();
    for nth in 0..24 {
        let letter = format!("# Letter {nth}\n\nVoltanix supplies the Rudder Trim since 1 May 2021.\n");
        world.write(&format!("letters/many/{nth}.md"), letter.as_bytes());
    }
    world.run();
    for nth in 0..24 {
        world.write(&format!("letters/many/{nth}.md"), format!("# Letter {nth}\n\nNothing.\n").as_bytes());
    }
    let held = world.run_code(3);
    let drift = fs::read_to_string(
        world.path(&format!(".edgewright/runs/{}/drift.json", held["run"].as_str().unwrap())),
    );
    let drift: Value = serde_json::from_str(&drift.unwrap()).unwrap();
    for finding in drift["findings"].as_array().unwrap() {
        if let Some(key) = finding["accept"].as_str().and_then(|command| command.split_whitespace().nth(3)) {
            world.cmd(&format!("accept finding {key} --by Ada --reason '{SAID}'")).expect_code(0);
        }
    }
    assert_eq!(world.run()["outcome"], "published");
    // The request is gone, and only reports know of it.
    assert!(
        lines(&world, "decision").is_empty()
            && lines(&world, "scope").iter().all(|line| !line.contains(SAID))
    );
    let holds = |world: &World| reports(world).matches(SAID).count();
    assert!(holds(&world) > 0);
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd("purge letters/abe.md --by Eve --yes --reason x").expect_code(0);
    assert_eq!((holds(&world), left_of_him(&world)), (0, vec![]));
    assert!(reports(&world).contains(": (purged)\""), "who accepted it stays");
    digests(&world);
}

#[test]
fn each_word_by_which_losses_of_a_source_were_accepted_is_kept_until_it_quotes() {
    let world = world();
    world.write("letters/lost/one.md", b"Voltanix supplies the Landing Gear since 1 May 2021.\n");
    world.run();
    world.cmd("accept scope letters/lost --by Ada --reason archived").expect_code(0);
    world.cmd(&format!("accept scope letters/cid.md --by Bea --reason '{SAID}'")).expect_code(0);
    world.run();
    let words = |world: &World| {
        let scopes = lines(world, "scope");
        let last = scopes.iter().rev().find(|line| line.contains("\"id\":\"letters\"")).unwrap();
        serde_json::from_str::<Value>(last).unwrap()["body"]["accepted"].as_str().unwrap().to_owned()
    };
    let said = words(&world);
    assert!(said.starts_with("Ada at ") && said.contains(": archived; Bea at "), "{said}");
    assert!(said.ends_with(SAID), "{said}");
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd("purge letters/abe.md --by Eve --yes --reason x").expect_code(0);
    assert!(words(&world).ends_with(": (purged)"), "{}", words(&world));
    digests(&world);
}

#[test]
fn a_bulletin_that_repeats_a_document_makes_its_words_nobody_elses() {
    let world = quoted();
    world.write("bulletin.txt", format!("Office closed.\n\n{REMARK}\n").as_bytes());
    world
        .cmd("edit add-risk-event R1 --type Person --title Strike --text bulletin.txt --reason r --ticket t --by Ada")
        .expect_code(0);
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    let done = world.cmd(&format!("{PURGE} --output json")).expect_code(0).json();
    for kind in ["decision", "act", "scope", "ontology"] {
        let held: Vec<String> =
            lines(&world, kind).into_iter().filter(|line| line.to_lowercase().contains(HIS[3])).collect();
        assert_eq!(held, [""; 0]);
    }
    assert!(changelog(&world).contains("no, for (purged)"));
    assert!(
        places(&done["edit"])
            .contains(&"edit/2.md:0 the bulletin of an edit quotes a document that is purged".to_owned())
    );
    digests(&world);
}

#[test]
fn where_a_document_is_quoted_is_told_by_whoever_brings_its_purge_to_its_end() {
    let world = quoted();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    for step in edgewright::run::Step::OF_PURGE {
        let twin = world.twin();
        twin.cmd(&format!("{PURGE} --stop-at {}", step.name())).expect_code(137);
        // The ontology that still quotes is told in words of its own beside.
        let told = places(&twin.run());
        assert!(PLACES.iter().all(|place| told.iter().any(|one| one == place)), "{}: {told:?}", step.name());
        assert!(!places(&twin.run()).iter().any(|one| one.starts_with("truth.csv")));
    }
    // One that has not happened is asked for again, and tells then.
    let twin = world.twin();
    twin.cmd(&format!("{PURGE} --stop-at requested")).expect_code(137);
    assert_eq!(places(&twin.run()), [""; 0]);
    // A reader keeps old pages: at once, and by each run until it is done.
    let reader = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM scope;").unwrap();
    let busy = world.cmd(PURGE).expect_code(2).stderr;
    assert!(busy.contains("is erased, but old pages stay"), "{busy}");
    assert!(busy.contains("truth.csv:3: warning[purge-quoted]: it quotes or names a document"), "{busy}");
    for _ in 0..2 {
        assert!(places(&world.run()).iter().any(|one| one == PLACES[2]));
    }
    drop(reader);
    assert!(places(&world.run()).iter().any(|one| one == PLACES[2]));
    assert!(!places(&world.run()).iter().any(|one| one == PLACES[2]));
    assert_eq!(left_of_him(&world), [""; 0]);
}

#[test]
fn a_purge_goes_on_without_a_text_index_that_cannot_be_read() {
    let world = quoted();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    for kind in ["term", "idx", "pos", "fast"] {
        let twin = world.twin();
        for entry in fs::read_dir(twin.path(".edgewright/index")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|found| found == kind) {
                let mut bytes = fs::read(&path).unwrap();
                // The last part is the footer, which is looked at whenever the file is opened.
                let end = bytes.len().saturating_sub(120);
                bytes[..end].iter_mut().for_each(|byte| *byte = !*byte);
                fs::write(&path, bytes).unwrap();
            }
        }
        // What Bob says as well stays, as his letter shows.
        let dry =
            twin.cmd(&format!("{} --output json", PURGE.replace("--yes", "--dry-run"))).expect_code(0).json();
        let done = twin.cmd(&format!("{PURGE} --output json")).expect_code(0).json();
        assert_eq!(
            (places(&dry["edit"]), places(&done["edit"])),
            (PLACES.map(str::to_owned).into(), PLACES.map(str::to_owned).into()),
            "{kind}"
        );
        assert_eq!(left_of_him(&twin), [""; 0], "{kind}");
        assert!(changelog(&twin).contains("Flight Computer since 1 March 2020"), "{kind}");
        digests(&twin);
    }
}

#[test]
fn names_that_people_wrote_leave_reports_however_they_are_written() {
    let world = world();
    world.run();
    let edit = "edit add-relationship S2 supplies C1 --from 2025-01-01 --ticket T-1 --by Ada";
    world.cmd(&format!("{edit} --reason 'see LETTERS / Abe.md, page 2'")).expect_code(0);
    assert!(reports(&world).contains("LETTERS / Abe.md"));
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd("purge letters/abe.md --by Eve --yes --reason x").expect_code(0);
    assert!(!reports(&world).contains("Abe.md") && reports(&world).contains("see (purged), page 2"));
    assert!(!changelog(&world).contains("Abe.md") && changelog(&world).contains("see (purged), page 2"));
    digests(&world);
}

#[test]
fn a_rollback_says_that_the_ontology_of_then_lost_words_to_a_purge() {
    let world = quoted();
    world.run();
    fs::remove_file(world.path("letters/abe.md")).unwrap();
    world.cmd(PURGE).expect_code(0);
    let ontology = fs::read_to_string(world.path("ontology/supply.yaml")).unwrap();
    world.write("ontology/supply.yaml", ontology.replace("[since", "[(since|from)").as_bytes());
    let refused = world.cmd("rollback 1 --reason wrong").expect_code(2).stderr;
    assert!(refused.contains("a purge took words out of it and left `(purged)`"), "{refused}");
    // As it says: the kept text without the comments and examples in which it stands is the version of then.
    let kept = lines(&world, "ontology").into_iter().find(|line| line.contains("(purged)")).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    let mut left: Vec<&str> = kept["body"]["text"].as_str().unwrap().lines().collect();
    left.retain(|line| !line.contains("(purged)") && !line.contains("supplies Fuel Pump"));
    world.write("ontology/supply.yaml", format!("{}\n", left.join("\n")).as_bytes());
    world.cmd("rollback 1 --reason wrong").expect_code(0);
    digests(&world);
}
