//! What a run leaves: its reports, the list of runs, and the drift report in all its forms.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::world::{World, copy};

/// A vendor list of 24 suppliers with a part each; `outputs` are keys of the job.
pub(crate) fn vendors(outputs: &str) -> World {
    let world = World::new(&VENDORS.replace("{outputs}", outputs));
    parts(&world, 24);
    world
}

/// Writes the vendor list: the first so many of 24 suppliers have a part.
pub(crate) fn parts(world: &World, with_part: usize) {
    let mut table = "id,name,part,since\n".to_owned();
    for number in 1..=24 {
        let part = if number <= with_part { "C1" } else { "" };
        table.push_str(&format!("S{number:02},Vendor {number},{part},2024-01-01\n"));
    }
    world.write("v.csv", table.as_bytes());
}

const VENDORS: &str = r#"
//- ontology/o.yaml
language: en
entities:
  Supplier: { system_of_record: vendors }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component }
//- jobs/nightly.yaml
job: nightly
ontology: o
owner: data
feeds:
  components: { path: c.csv, entity: { type: Component, key: id, names: name } }
  vendors:
    path: v.csv
    expect: { fresh_within: 10d }
    entity: { type: Supplier, key: id, names: name }
    edge: { type: supplies, subject: id, object: part, valid_from: since }
{outputs}
//- c.csv
id,name
C1,Bolt
"#;

/// Every file below a folder, with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            found.insert(name, std::fs::read(path).unwrap());
        }
    }
    found
}

fn report(world: &World, run: &Value, name: &str) -> Value {
    let path = world.path(".edgewright/runs").join(run["run"].as_str().unwrap()).join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_run_leaves_three_reports_that_are_never_overwritten() {
    let mut world = vendors("");
    let first = world.run();
    let run = report(&world, &first, "run.json");
    assert_eq!(run, first, "what is said is what is kept");
    let told = |name: &str| run[name].clone();
    assert_eq!(told("job"), "nightly");
    assert_eq!(
        (told("outcome"), told("exit_code"), told("held")),
        ("published".into(), 0.into(), false.into())
    );
    assert_eq!(
        (told("logical_date"), told("before"), told("generation")),
        ("2026-06-01".into(), 0.into(), 1.into())
    );
    assert_eq!(run["times"]["finished_at"], "2026-06-01T12:00:00Z");
    assert_eq!(run["published_at"], "2026-06-01T12:00:00Z");
    let stages: Vec<&str> =
        run["times"]["stages"].as_array().unwrap().iter().map(|one| one["stage"].as_str().unwrap()).collect();
    assert_eq!(
        stages,
        [
            "prepare",
            "requests",
            "feeds",
            "scan",
            "documents",
            "fold",
            "drift",
            "publish",
            "changelog",
            "index"
        ]
    );
    assert_eq!((&run["cost"]["cpu_seconds"], &run["cost"]["external_calls"]), (&0.0.into(), &0.into()));
    let sources = report(&world, &first, "sources.json");
    assert_eq!((&sources["version"], &sources["run"]), (&1.into(), &first["run"]));
    let vendors = &sources["sources"][1];
    assert_eq!(
        vendors.to_string(),
        "{\"added\":24,\"changed\":0,\"contract\":\"accepted\",\"fresh_within\":240,\"gone\":0,\"items\":24,\"job\":\"nightly\",\
         \"kind\":\"feed\",\"last_change\":\"2026-06-01T12:00:00Z\",\"last_read\":\"2026-06-01T12:00:00Z\",\"name\":\"vendors\",\
         \"not_selected\":0,\"path\":\"v.csv\",\"stale\":false,\"state\":\"read\",\"unproven\":[],\"why\":[],\
         \"withdrawn\":0,\"withdrawn_hours\":null,\"withheld\":0}"
    );

    // In the same second nothing is overwritten, and a second day changes nothing of the first.
    let before = files(&world.path(".edgewright/runs"));
    assert_eq!(before.len(), 3);
    let again = world.run();
    let third = world.run();
    assert_ne!(again["run"], third["run"]);
    world.today = "2026-06-12".to_owned();
    let stale = world.run();
    let sources = report(&world, &stale, "sources.json");
    assert_eq!(
        (&sources["sources"][1]["stale"], &sources["sources"][1]["state"]),
        (&true.into(), &"unchanged".into())
    );
    assert_eq!(sources["sources"][1]["last_change"], "2026-06-01T12:00:00Z");
    let after = files(&world.path(".edgewright/runs"));
    assert_eq!(after.len(), 12);
    assert!(before.iter().all(|(name, bytes)| after.get(name) == Some(bytes)));
}

#[test]
fn a_run_that_withholds_looks_wrong_or_fails_leaves_its_report_as_well() {
    let mut world = vendors("");
    world.run();
    let line = |world: &World| {
        let view = world.cmd("runs --limit 1 --output json").expect_code(0).json();
        let run = &view["runs"][0];
        format!("{} {} {} {}", run["exit_code"], run["outcome"], run["drift"], run["error"])
    };
    // A feed that is withheld.
    world.put("//- remove v.csv");
    world.today = "2026-06-02".to_owned();
    let run = world.run_code(4);
    assert_eq!((&run["exit_code"], &run["outcome"]), (&4.into(), &"partial".into()));
    assert_eq!(line(&world), "4 \"partial\" \"pass\" null");
    // A job that cannot be read.
    world.put("//- jobs/broken.yaml\nontology: nowhere");
    world.today = "2026-06-03".to_owned();
    world.cmd("run").expect_code(2);
    world.put("//- remove jobs/broken.yaml");
    assert_eq!(line(&world), "2 \"failed\" \"\" \"the configuration is invalid\"");
    // Who mistypes a command has run nothing.
    world.today = "2026-06-04".to_owned();
    for mistyped in ["run weekly", "run --again suplies"] {
        assert!(world.cmd(mistyped).expect_code(2).stderr.contains("there is no "));
        assert_eq!(line(&world), "2 \"failed\" \"\" \"the configuration is invalid\"");
    }
    // A store that cannot be read.
    world.today = "2026-06-05".to_owned();
    let store = std::fs::read(world.path(".edgewright/graph.db")).unwrap();
    world.write(".edgewright/graph.db", &[b"no database".as_slice(), &store[11..]].concat());
    let failed = world.cmd("run").expect_code(1);
    world.write(".edgewright/graph.db", &store);
    assert!(line(&world).starts_with("1 \"failed\" \"\" "), "{} {}", line(&world), failed.stderr);
    // A run that is killed leaves none.
    world.today = "2026-06-06".to_owned();
    world.cmd("run --stop-at folded").expect_code(137);
    assert!(line(&world).starts_with("1 \"failed\""));
    // Nor does a plan.
    world.cmd("plan").expect_code(4);
    assert!(line(&world).starts_with("1 \"failed\""));

    world.cmd("runs --limit 0").expect_code(2);
    let list = world.cmd("runs").expect_code(0).stdout;
    let ends: Vec<&str> = list.lines().map(|line| line.split("  ").last().unwrap().trim()).collect();
    assert_eq!(ends.len(), 5, "{list}");
    assert_eq!(ends[0], "how it ended");
    assert!(ends[1].starts_with("failed: "), "{list}");
    assert_eq!(&ends[3..], ["partial: generation 1 stands", "published generation 1: 24 changes"]);
}

#[test]
fn without_a_fixed_time_a_run_says_how_long_it_took() {
    let world = vendors("");
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_edgewright"))
        .args(["run", "--output", "json"])
        .current_dir(world.root())
        .output()
        .unwrap();
    let run: Value = serde_json::from_slice(&done.stdout).unwrap();
    let stages = run["times"]["stages"].as_array().unwrap();
    let sum: f64 = stages.iter().map(|stage| stage["seconds"].as_f64().unwrap()).sum();
    let all = run["times"]["seconds"].as_f64().unwrap();
    assert!(sum > 0.0 && sum <= all + 0.01, "{run}");
    assert_eq!(run["cost"]["cpu_seconds"].is_null(), !Path::new("/proc/self/stat").exists());
}

#[test]
fn a_drift_report_is_told_in_every_form_and_fits_its_readers() {
    let mut world = vendors("");
    assert!(world.cmd("drift").expect_code(2).stderr.contains("no run has left a report yet"));
    world.run();
    world.today = "2026-06-02".to_owned();
    parts(&world, 0);
    let bad = world.run_code(3);
    let id = bad["run"].as_str().unwrap();
    let text = world.cmd("drift").expect_code(0).stdout;
    for said in [
        "drift: fail, compared with generation 1\n",
        "fail  drift-emptied: supplies in vendors: 24 of 24 edges, 0 after\n",
        "  also drift-retractions: * in vendors: 24 of 24 edges, 0 after\n",
        "  causes: feed_row 24\n",
        "  see docs/codes/drift-emptied.md\n",
        "  supplies in vendors  24 → 0: −24 (feed_row −24)\n",
    ] {
        assert!(text.contains(said), "{said} in:\n{text}");
    }
    assert!(
        text.matches("; part=C1; since=2024-01-01\" (vendors row S").count() == 5,
        "five sentences:\n{text}"
    );
    let key = bad["findings"][0]["key"].as_str().unwrap();
    for said in [
        format!("  to publish the run as it is: edgewright release {id} --reason \"…\"\n"),
        format!("  to accept it in the next run: edgewright accept finding {} --reason …\n", &key[..12]),
    ] {
        assert!(text.contains(&said), "{said} in:\n{text}");
    }
    let json = world.cmd("drift --output json").expect_code(0).json();
    assert_eq!(json, report(&world, &bad, "drift.json"));
    let markdown = world.cmd("drift --output markdown").expect_code(0).stdout;
    assert!(
        markdown.contains("## fail: drift-emptied: supplies in vendors")
            && markdown.contains("| feed\\_row | 0 | 24 | 0 |")
    );
    let junit = world.cmd("drift --output junit").expect_code(0).stdout;
    assert!(junit.contains("tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{junit}");
    let html = world.cmd(&format!("drift {} --output html", &id[..10])).expect_code(0).stdout;
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    assert!(html.contains("Edges by type over 2 runs"), "{html}");

    // The first run, by its beginning; and runs that there are not.
    let first = world.cmd("drift 20260601").expect_code(0).stdout;
    assert!(first.contains("drift: no_baseline"), "{first}");
    assert!(world.cmd("drift 2026").expect_code(2).stderr.contains("several runs begin with `2026`"));
    assert!(world.cmd("drift 1999").expect_code(2).stderr.contains("there is no run `1999`"));
    assert!(world.cmd("status --output html").expect_code(2).stderr.contains("only `drift` writes"));
    // A run that failed has none, and the last one that has is shown.
    world.today = "2026-06-03".to_owned();
    world.put("//- jobs/broken.yaml\nontology: nowhere");
    world.cmd("run").expect_code(2);
    world.put("//- remove jobs/broken.yaml");
    assert!(
        world.cmd("drift 20260603").expect_code(2).stderr.contains("it failed: the configuration is invalid")
    );
    assert!(world.cmd("drift").expect_code(0).stdout.contains(&format!("run {id} ")));
}

#[test]
fn reports_go_when_the_time_is_over_that_their_jobs_declare() {
    let mut world = vendors("retention: { reports: 30 days }");
    let first = world.run()["run"].as_str().unwrap().to_owned();
    let runs = world.path(".edgewright/runs");
    // A hundred runs of a night each, an old one of two jobs, an old edit, and what is none of ours.
    for night in 0..100 {
        copy(&runs.join(&first), &runs.join(format!("20260501{night:06}-00000000")));
    }
    let of_jobs = |id: &str, jobs: &str| {
        copy(&runs.join(&first), &runs.join(id));
        let path = runs.join(id).join("run.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("\"job\": \"nightly\"", &format!("\"job\": \"{jobs}\""))).unwrap();
    };
    of_jobs("20260401000000-00000001", "nightly");
    of_jobs("20260401000000-00000002", "nightly, weekly");
    std::fs::create_dir_all(runs.join("20260401000000-00000003")).unwrap();
    std::fs::write(runs.join("20260401000000-00000003/edit.json"), "{}").unwrap();
    std::fs::create_dir_all(runs.join("notes")).unwrap();
    world.today = "2026-06-02".to_owned();
    let before = files(&runs).len();
    assert_eq!(world.cmd("plan --output json").expect_code(0).json()["pruned"], 0);
    assert_eq!(files(&runs).len(), before, "a plan removes nothing");
    let night = world.run();
    let gone = |id: &str| !runs.join(id).exists();
    // The job `weekly` is not known, so nobody has said that its reports may go. The last hundred stay.
    assert_eq!(night["pruned"], 4);
    assert!(gone("20260401000000-00000001") && gone("20260401000000-00000003"));
    assert!(!gone("20260401000000-00000002") && !gone("notes") && !gone(&first));
    assert_eq!(world.run()["pruned"], 1);
}
