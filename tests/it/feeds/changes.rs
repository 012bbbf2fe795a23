//! Feeds whose rows are changes: applied to what was last accepted, in order, as often as they are read.

use super::{complaints, entities, input, suppliers};
use crate::world::World;

fn changes(more: &str) -> World {
    suppliers(&format!("path: v.csv\n    format: {{ operation: op{more}, key: id }}"))
}

fn put(world: &World, rows: &str) {
    world.put(&format!("//- v.csv\nop,ts,id,name,city,part,since\n{rows}"));
}

#[test]
fn changes_are_applied_to_the_rows_last_accepted_in_the_order_of_the_file() {
    let world = changes("");
    put(
        &world,
        "insert,1,S1,Acme,Berlin,C1,2024-01-01\nc,1,S2,Beta,,C2,2024-01-01\nr,1,S3,Gamma,,,\nI,1,S4,Delta,,,\n",
    );
    assert_eq!(input(&world.run()), "read +4 ~0 -0");
    put(&world, "update,2,S1,Acme,Paris,C2,2024-05-01\nd,3,S2,,,,\nU,1,S3,Gamma,,,\n");
    let report = world.run();
    assert_eq!((input(&report), complaints(&report)), ("read +0 ~1 -1".to_owned(), vec![]));
    let after = ["S1 Acme city=Paris", "S3 Gamma", "S4 Delta"];
    assert_eq!(entities(&world, "Supplier"), after);
    // A changed start is a change of the row, not a second row.
    world.says("S1 supplies C2 [2024-05-01, ∞) ×1");
    // The same file read again, as it is and with other bytes, changes nothing.
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    put(&world, "\nupdate,2,S1,Acme,Paris,C2,2024-05-01\nd,3,S2,,,,\nU,1,S3,Gamma,,,\n");
    let report = world.run();
    assert_eq!(input(&report), "read +0 ~0 -0");
    assert_eq!(complaints(&report), ["v.csv:4:0 feed-delete-unknown there is no row `S2` to delete"]);
    assert_eq!(entities(&world, "Supplier"), after);
    // In one file the last change counts.
    put(&world, "d,1,S4,,,,\nupsert,1,S4,Delta,Rome,,\nc,7,S5,Epsilon,,,\ndelete,8,S5,,,,\n");
    assert_eq!(input(&world.run()), "read +0 ~1 -0");
    assert_eq!(entities(&world, "Supplier"), ["S1 Acme city=Paris", "S3 Gamma", "S4 Delta city=Rome"]);
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_column_may_put_changes_in_order_and_a_row_that_is_no_more_selected_goes() {
    let world = changes(", order: ts");
    put(&world, "d,10,S1,,,,\nc,9,S1,Acme,,,\nc,8,S2,Beta,,,\nu,11,S2,Beta,Rome,,\n");
    assert_eq!(input(&world.run()), "read +1 ~0 -0");
    assert_eq!(entities(&world, "Supplier"), ["S2 Beta city=Rome"]);

    let world =
        suppliers("path: v.csv\n    format: { operation: op, key: id }\n    where: { city: [Rome, Paris] }");
    put(&world, "c,1,S1,Acme,Rome,,\nc,1,S2,Beta,Paris,,\nc,1,S3,Gamma,Berlin,,\n");
    assert_eq!(input(&world.run()), "read +2 ~0 -0");
    put(&world, "u,1,S1,Acme,Berlin,,\n");
    assert_eq!(input(&world.run()), "read +0 ~0 -1");
    assert_eq!(entities(&world, "Supplier"), ["S2 Beta city=Paris"]);
}

#[test]
fn changes_are_ordered_as_numbers_and_moments_and_not_by_their_letters() {
    for [before, after] in [["9.5", "10.5"], ["08:30:00Z", "08:30:00.5Z"], ["08:30:00", "08:30:00.5"]] {
        let day = if before.contains(':') { "2024-02-17T" } else { "" };
        let world = changes(", order: ts");
        put(&world, &format!("u,{day}{after},S1,New,,,\nc,{day}{before},S1,Old,,,\n"));
        world.run();
        assert_eq!(entities(&world, "Supplier"), ["S1 New"], "{before} {after}");
    }
    let world = changes(", order: ts");
    put(&world, "c,1,S1,Old,,,\nu,,S1,New,,,\n");
    let said = world.cmd("run").expect_code(4).stdout;
    assert!(said.contains("nobody knows when the change was made"), "{said}");
}

#[test]
fn the_guard_against_shrinking_counts_what_is_left_and_odd_words_withhold() {
    let world = changes("");
    put(&world, "c,1,S1,A,,,\nc,1,S2,B,,,\nc,1,S3,C,,,\n");
    world.run();
    put(&world, "d,1,S1,,,,\nd,1,S2,,,,\n");
    let report = world.run_code(4);
    assert_eq!(input(&report), "withheld +0 ~0 -0");
    assert_eq!(
        complaints(&report),
        ["v.csv:0:0 feed-shrunk the feed `vendors` has 1 row and had 3: it is withheld"]
    );
    world.cmd("accept feed vendors --reason 'they closed'").expect_code(0);
    assert_eq!(input(&world.run()), "read +0 ~0 -2");
    put(&world, "x,1,S3,C,,,\n,1,S4,D,,,\n");
    assert_eq!(
        complaints(&world.run_code(4)),
        [
            "v.csv:2:0 feed-operation `x` in the column `op` is no change that is known",
            "v.csv:3:0 feed-operation `` in the column `op` is no change that is known",
        ]
    );
    assert_eq!(entities(&world, "Supplier"), ["S3 C"]);
}

/// A changed mapping is applied to all rows, also to those that the file does not name.
#[test]
fn a_changed_mapping_counts_for_rows_that_no_change_names() {
    let world = changes("");
    put(&world, "c,1,S1,Acme,Berlin,,\nc,1,S2,Beta,Rome,,\n");
    world.run();
    put(&world, "u,1,S2,Beta,Paris,,\n");
    world.run();
    let job = std::fs::read_to_string(world.path("jobs/j.yaml")).unwrap();
    world.write("jobs/j.yaml", job.replace("{ city: city }", "{ town: city }").as_bytes());
    world.run();
    assert_eq!(entities(&world, "Supplier"), ["S1 Acme town=Berlin", "S2 Beta town=Paris"]);
}

/// Change events as log readers write them: envelope, schema beside it, tombstones, days counted from 1970.
#[test]
fn change_events_bring_the_row_after_or_take_the_row_before() {
    let world = suppliers(
        "path: v.jsonl\n    format: { envelope: debezium, order: source.lsn, key: id }\n    dates: { format: days }",
    );
    world.put(
        r#"
//- v.jsonl
{"before": null, "after": {"id": "S1", "name": "Acme", "city": "x", "part": "C1", "since": 19782}, "op": "r", "ts_ms": 5, "source": {"lsn": 1}}
{"schema": {"type": "struct"}, "payload": {"before": null, "after": {"id": "S2", "name": "Beta", "part": "C2", "since": 19000}, "op": "c", "source": {"lsn": 2}}}
{"before": {"id": "S2", "name": "Beta"}, "after": null, "op": "d", "source": {"lsn": 10}}
null
{"before": {"id": "S1"}, "after": {"id": "S1", "name": "Acme", "city": "y", "part": "C1", "since": 19782}, "op": "u", "source": {"lsn": 9}}
"#,
    );
    assert_eq!(input(&world.run()), "read +1 ~0 -0");
    assert_eq!(entities(&world, "Supplier"), ["S1 Acme city=y"]);
    world.says("S1 supplies C1 [2024-02-29, ∞) ×1");
}

#[test]
fn a_folder_of_changes_is_read_file_by_file_and_what_was_read_may_go() {
    let world = suppliers("path: changes\n    format: { operation: op, key: id }");
    let file = |name: &str, rows: &str| {
        world.put(&format!("//- changes/{name}.csv\nop,id,name,city,part,since\n{rows}"));
    };
    file("1", "c,S1,Acme,,,\nc,S2,Beta,,,\nc,S3,Gamma,,,\n");
    file("2", "d,S2,,,,\nu,S1,Acme,Rome,,\n");
    assert_eq!(input(&world.run()), "read +2 ~0 -0");
    assert_eq!(entities(&world, "Supplier"), ["S1 Acme city=Rome", "S3 Gamma"]);
    // A file that is withheld is not lost when the next one comes.
    file("3", "c,S4,Delta\n");
    let report = world.run_code(4);
    assert_eq!(
        complaints(&report)[0],
        "changes/3.csv:2:11 feed-row-ragged the row has 3 cells, the header 6"
    );
    file("4", "c,S5,Epsilon,,,\n");
    world.run_code(4);
    file("3", "c,S4,Delta,,,\n");
    assert_eq!(input(&world.run()), "read +2 ~0 -0");
    world.put("//- remove changes/1.csv\n//- remove changes/2.csv\n//- remove changes/3.csv\n//- remove changes/4.csv");
    assert_eq!(input(&world.run()), "read +0 ~0 -0");
    assert_eq!(entities(&world, "Supplier"), ["S1 Acme city=Rome", "S3 Gamma", "S4 Delta", "S5 Epsilon"]);
    assert_eq!(input(&world.run()), "unchanged +0 ~0 -0");
}
