//! `edgewright feeds`: each feed, when it was read, what that changed, what keeps it back.

use super::{entities, suppliers};
use crate::world::World;

#[test]
fn feeds_are_listed_with_what_they_are_and_what_keeps_them_back() {
    let mut world = suppliers("path: v.csv\n    columns: freeze\n    expect: { fresh_within: 36h }");
    let said = world.cmd("feeds").expect_code(0).stdout;
    assert_eq!(
        said,
        "components  components.csv (csv)\n  no run has read it\n  no columns were accepted yet (`columns: evolve`)\n\n\
         vendors  v.csv (csv)\n  no run has read it\n  no columns were accepted yet (`columns: freeze`)\n"
    );
    world.put("//- v.csv\nid,name,city,part,since\nS1,Acme,,C1,\n");
    world.run();
    world.put("//- v.csv\nid,name,city,part,from\nS1,Acme,,C1,\n");
    world.today = "2026-06-04".to_owned();
    world.run_code(4);
    let said = world.cmd("feeds").expect_code(0).stdout;
    assert_eq!(
        said,
        "components  components.csv (csv)\n  last read 2026-06-04T12:00:00Z: unchanged\n  \
         2 rows as accepted; at the last run 0 new, 0 changed, 0 gone\n  \
         the columns are as accepted (`columns: evolve`)\n  last changed 2026-06-01T12:00:00Z\n\n\
         vendors  v.csv (csv)\n  last read 2026-06-04T12:00:00Z: withheld\n    \
         feed-column-missing: there is no column `since`\n    \
         feed-columns-changed: the columns changed; new: `from`; gone: `since`\n  \
         1 row as accepted; at the last run 0 new, 0 changed, 0 gone\n  \
         the columns are not those that were accepted (`columns: freeze`)\n  \
         last changed 2026-06-01T12:00:00Z, longer ago than the 36 h that it may stay as it is\n"
    );
    let json = world.cmd("feeds --output json").expect_code(0).json();
    let vendors = &json["feeds"][1];
    assert_eq!(
        (&json["version"], &vendors["state"], &vendors["stale"]),
        (&1.into(), &"withheld".into(), &true.into())
    );
    assert_eq!(vendors["columns"].as_array().unwrap().len(), 5);
}

#[test]
fn a_feed_that_one_may_not_see_is_not_listed() {
    let world = suppliers("path: v.csv\n    access: [secret]");
    world.put("//- v.csv\nid,name,city,part,since\nS1,Acme,,C1,\n");
    world.run();
    let names = |access: &str| {
        let json = world.cmd(&format!("feeds --output json --access {access}")).expect_code(0).json();
        json["feeds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|feed| feed["feed"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("none"), ["components"]);
    assert_eq!(names("secret"), ["components", "vendors"]);
}

/// Reports of years pile up. One that lies before the last ones is not opened, whatever it says.
#[test]
fn of_the_reports_of_runs_the_last_ones_alone_are_read() {
    let world = suppliers("path: v.csv");
    world.put("//- v.csv\nid,name,city,part,since\nS1,Acme,,C1,\n");
    let mut report = world.run();
    let last = report["run"].clone();
    report["started_at"] = "2099-01-01T00:00:00Z".into();
    report["run"] = "20000101000000-00000000".into();
    let old = world.root().join(".edgewright/runs/20000101000000-00000000");
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("run.json"), report.to_string()).unwrap();
    let listed = world.cmd("feeds --output json").expect_code(0).json();
    let read: Vec<&serde_json::Value> =
        listed["feeds"].as_array().unwrap().iter().map(|feed| &feed["last_read"]).collect();
    assert_eq!(read, ["2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z"]);
    assert_eq!(world.cmd("status --output json").expect_code(0).json()["last_run"]["run"], last);
}

/// The workspace of docs/feeds.md. Its workbook, Parquet file and database are made here.
#[test]
fn every_kind_of_feed_stands_in_the_example() {
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/feeds");
    if std::env::var("UPDATE_EXPECT").is_ok() {
        make(&example);
    }
    let world = World::new("");
    for folder in ["", "ontology", "jobs"] {
        for entry in std::fs::read_dir(example.join(folder)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
                world.write(name.trim_start_matches('/'), &std::fs::read(entry.path()).unwrap());
            }
        }
    }
    world.run();
    world.says(
        "P1 made_in A [?, ∞) ×1
         P1 made_in B [?, ∞) ×1
         P2 made_in B [?, ∞) ×1
         S1 delivers_to A [2024-04-01, ∞) ×1
         S1 supplies P1 [2024-02-17, ∞) ×1
         S2 delivers_to B [2024-03-01, ∞) ×1
         S2 supplies P2 [?, ∞) ×1",
    );
    assert_eq!(
        entities(&world, "Supplier"),
        ["S1 Acme Ltd since=2019-05-01", "S2 Castings AB since=2021-11-30"]
    );
    assert_eq!(entities(&world, "Machine"), ["M1 Press", "M3 Lathe"]);
    let listed = world.cmd("feeds --output json").expect_code(0).json();
    let kinds: Vec<&str> =
        listed["feeds"].as_array().unwrap().iter().map(|feed| feed["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["csv", "sqlite", "jsonl", "csv", "parquet", "sheet"]);
    assert_eq!(world.run()["outcome"], "nothing_to_do");
}

fn make(example: &std::path::Path) {
    let rows: [&[&str]; 6] = [
        &["Vendors, as of June"],
        &[],
        &["id", "name", "since"],
        &["S1", "Acme Ltd", "#43586"],
        &["S2", "Castings AB", "#44530"],
        &["2 vendors"],
    ];
    // Only what differs is written: a file that stands in version control is not to look changed.
    let (path, made) = (example.join("vendors.xlsx"), super::books::xlsx(&rows, false));
    if std::fs::read(&path).ok().as_ref() != Some(&made) {
        std::fs::write(path, made).unwrap();
    }
    std::fs::write(example.join("supplies.parquet"), super::columns::supplies()).unwrap();
    let path = example.join("erp.db");
    drop(std::fs::remove_file(&path));
    let sql = "create table machines (id text primary key, name text, scrapped int);
        insert into machines values ('M1', 'Press', 0), ('M2', 'Saw', 1), ('M3', 'Lathe', 0);";
    rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn accept_is_offered_where_it_helps_and_there_it_does() {
    const FEED: &str = "path: v.csv\n    columns: freeze";
    let world = suppliers(FEED);
    let offered = |code: i32| {
        let report = world.run_code(code);
        let hints = report["diagnostics"].as_array().unwrap().iter();
        let accept = |one: &serde_json::Value| {
            let hint = one["hint"].as_str().unwrap_or_default();
            let command = hint.split('`').find(|part| part.starts_with("edgewright accept "));
            (one["code"].as_str().unwrap().to_owned(), command.map(str::to_owned))
        };
        hints.map(accept).collect::<Vec<_>>()
    };
    let not = |code: &str| (code.to_owned(), None);
    let said = |code: &str| (code.to_owned(), Some("edgewright accept feed vendors --reason …".to_owned()));
    // Of what was never read nothing can be gone.
    assert_eq!(offered(4), [not("feed-unreadable")]);
    world.put("//- v.csv\nid,name,city,part,since\nS1,Acme,,C1,\n");
    world.run();
    // A column that the mapping needs has to be mapped; which of two rows is right nobody can accept.
    world.put("//- v.csv\nid,name,city,part,from\nS1,Acme,,C1,\n");
    assert_eq!(offered(4), [not("feed-column-missing"), not("feed-columns-changed")]);
    let said_of_it = world.cmd("run").expect_code(4).stdout;
    assert!(said_of_it.contains("`columns: freeze`, and a column that the job maps is gone"), "{said_of_it}");
    world.put("//- v.csv\nid,name,city,part,since\nS1,Acme,,C1,\nS1,Apex,,C1,\n");
    assert_eq!(offered(4), [not("feed-duplicate-key")]);
    // Other columns can be accepted, and then they are the ones that count.
    world.put("//- v.csv\nid,name,city,part,since,fax\nS1,Acme,,C2,,7\n");
    assert_eq!(offered(4), [said("feed-columns-changed")]);
    world.cmd("accept feed vendors --reason meant").expect_code(0);
    assert_eq!(offered(0), [not("feed-columns-changed")]);
    world.says("S1 supplies C2 [?, ∞) ×1");
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    // A feed that no job has any more.
    for (file, from, to) in
        [("ontology/o.yaml", "system_of_record: vendors", "names: company"), ("jobs/j.yaml", "", "")]
    {
        let text = std::fs::read_to_string(world.path(file)).unwrap();
        let text = match from {
            "" => text.split_once("  vendors:").unwrap().0.to_owned(),
            from => text.replace(from, to),
        };
        world.write(file, text.as_bytes());
    }
    assert_eq!(offered(0), [said("feed-unconfigured")]);
    world.cmd("accept feed vendors --reason 'it was shut down'").expect_code(0);
    assert_eq!(offered(0), []);
    world.says("");
}
