//! Master data that states edges: cases 56 to 60, from snapshots of a feed to answers.

#![expect(clippy::disallowed_methods, reason = "the tests read and write their files")]

use crate::world::World;

/// What a run says of a feed.
fn input(report: &serde_json::Value, name: &str) -> String {
    let inputs = report["inputs"].as_array().unwrap();
    let input = inputs.iter().find(|input| input["name"] == name).unwrap();
    format!("{} {} new {} gone", input["state"].as_str().unwrap(), input["added"], input["gone"])
}

#[test]
fn a_row_that_is_kept_after_it_left_counts_as_gone_once() {
    let world = World::new(&LISTS.replace("gone: retract", "gone: keep"));
    let list = |rows: &str| world.put(&format!("//- source_list.csv\nSupplier,Component,From,To\n{rows}"));
    list("S,FCU,2021-01-01,\nT,RM,2022-01-01,\n");
    world.run();
    let all = "S supplies FCU [2021-01-01, ∞) ×1\nT supplies RM [2022-01-01, ∞) ×1";
    world.says(all);
    list("T,RM,2022-01-01,\n");
    assert_eq!(input(&world.run(), "source_list"), "read 0 new 1 gone");
    list("T,RM,2022-01-01,\nT,BA,2023-01-01,\n");
    assert_eq!(input(&world.run(), "source_list"), "read 1 new 0 gone");
    world.says(&format!("{all}\nT supplies BA [2023-01-01, ∞) ×1"));
    // It comes back, and leaves once more.
    list("S,FCU,2021-01-01,\nT,RM,2022-01-01,\nT,BA,2023-01-01,\n");
    assert_eq!(input(&world.run(), "source_list"), "read 1 new 0 gone");
    list("T,RM,2022-01-01,\nT,BA,2023-01-01,\n");
    assert_eq!(input(&world.run(), "source_list"), "read 0 new 1 gone");
    world.says(&format!("{all}\nT supplies BA [2023-01-01, ∞) ×1"));
    world.cmd("verify").expect_code(0);
}

#[test]
fn a_feed_whose_file_is_missing_says_how_it_is_accepted_as_gone() {
    let world = World::new(LISTS);
    world.put("//- source_list.csv\nSupplier,Component,From,To\nS,FCU,2021-01-01,\n");
    world.run();
    world.put("//- remove source_list.csv");
    let said = world.cmd("run").expect_code(4).stdout;
    let hint = "hint: its last accepted rows stay in force; if it is gone for good: `edgewright accept feed source_list --reason …`";
    assert!(said.contains(hint), "{said}");
    world.says("S supplies FCU [2021-01-01, ∞) ×1");
    world.cmd("accept feed source_list --reason 'nobody keeps it any more'").expect_code(0);
    assert_eq!(input(&world.run(), "source_list"), "read 0 new 1 gone");
    world.says("");
    // It stays accepted until there is a file again.
    assert_eq!(world.run()["outcome"], "nothing_to_do");
    world.put("//- source_list.csv\nSupplier,Component,From,To\nS,FCU,2021-01-01,\n");
    world.run();
    world.says("S supplies FCU [2021-01-01, ∞) ×1");
    world.put("//- remove source_list.csv");
    world.cmd("run").expect_code(4);
    world.cmd("verify").expect_code(0);
}

/// A source list beside the suppliers and components, and letters that say something of the same.
const LISTS: &str = r#"
//- ontology/parts.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component }
words:
  SUPPLY: [supply~]
rules:
- id: supplies.clause
  edge: supplies
  match: "{subject:Supplier} SUPPLY {object:Component+} [from {valid_from:date}] [until {valid_to:date}]"
  examples:
    - text: "ShenzenChip supplies the Flight Control Unit from 17 February 2024."
      finds: "ShenzenChip supplies Flight Control Unit from 2024-02-17"
    - text: "ShenzenChip may supply the Flight Control Unit."
      finds: nothing
- id: supplies.hearsay
  edge: supplies
  confidence: 0.6
  match: "{subject:Supplier} is listed as source for {object:Component+}"
  examples:
    - text: "ShenzenChip is listed as source for the Flight Control Unit."
      finds: "ShenzenChip supplies Flight Control Unit"
    - text: "ShenzenChip is not listed as source for the Flight Control Unit."
      finds: nothing
//- jobs/parts.yaml
job: parts
ontology: parts
owner: parts-data
sources:
  letters: { path: letters }
feeds:
  suppliers:  { path: suppliers.csv, entity: { type: Supplier, key: No, names: Name } }
  components: { path: components.csv, entity: { type: Component, key: No, names: Name } }
  source_list:
    path: source_list.csv
    edge: { type: supplies, subject: Supplier, object: Component, valid_from: From, valid_to: To }
    dates: { ends: inclusive }
    authority: confirms
    gone: retract
//- suppliers.csv
No,Name
S,ShenzenChip Ltd
T,"TechChip, Inc."
//- components.csv
No,Name
FCU,Flight Control Unit
RM,Radio Module
BA,Brake Actuator
//- letters/none.md
Nothing is said here.
"#;

/// Three rows, each with the day on which it is to run out.
const SNAPSHOT: &str = "
//- source_list.csv
Supplier,Component,From,To,Review
S,FCU,2020-01-01,,2025-03-31
S,RM,2020-01-01,,2025-03-31
T,BA,2021-01-01,2030-12-31,
";

/// The same without the second row.
const WITHOUT_RM: &str = "
//- source_list.csv
Supplier,Component,From,To,Review
S,FCU,2020-01-01,,2025-03-31
T,BA,2021-01-01,2030-12-31,
";

fn lists(replaced: &[(&str, &str)], more: &[&str]) -> World {
    let text = replaced.iter().fold(LISTS.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    World::new(&format!("{text}{}", more.concat()))
}

#[track_caller]
fn verify(world: &World) {
    let verified = world.cmd("verify --output json").expect_code(0).json();
    assert_eq!(verified["faults"].to_string(), "[]");
}

#[test]
fn case_56_a_row_that_leaves_is_retracted() {
    let world = lists(&[], &[SNAPSHOT]);
    world.run();
    let all = "S supplies FCU [2020-01-01, ∞) ×1
               S supplies RM [2020-01-01, ∞) ×1
               T supplies BA [2021-01-01, 2031-01-01) ×1";
    world.says(all);
    world.put(WITHOUT_RM);
    let report = world.run();
    world.says(
        "S supplies FCU [2020-01-01, ∞) ×1
         T supplies BA [2021-01-01, 2031-01-01) ×1",
    );
    let changes = report["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0]["change"], "retracted");
    assert_eq!(changes[0]["cause"], "feed_row");
    let told = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    assert_eq!(world.graph_with("--known-at 1"), told(all));
    verify(&world);
}

#[test]
fn case_56_a_row_that_leaves_ends_on_its_date() {
    let world = lists(&[("gone: retract", "gone: { expire: Review }")], &[SNAPSHOT]);
    world.run();
    world.put(WITHOUT_RM);
    let report = world.run();
    // The feed's ends are inclusive, so the day after the last one is the first without it.
    world.says(
        "S supplies FCU [2020-01-01, ∞) ×1
         S supplies RM [2020-01-01, 2025-04-01) ×1
         T supplies BA [2021-01-01, 2031-01-01) ×1",
    );
    assert_eq!(report["changes"][0]["change"], "changed");
    let why = world.cmd("why S RM").expect_code(0).stdout;
    assert!(why.contains("since 2020-01-01 until 2025-03-31 (last day); ended\n"), "{why}");
    assert!(why.contains("ended on 2025-04-01: the row left source_list.csv"), "{why}");
    verify(&world);
    // The row comes back: nothing has ended.
    world.put(SNAPSHOT);
    world.run();
    world.says(
        "S supplies FCU [2020-01-01, ∞) ×1
         S supplies RM [2020-01-01, ∞) ×1
         T supplies BA [2021-01-01, 2031-01-01) ×1",
    );
    verify(&world);
}

#[test]
fn case_57_a_feed_that_shrank_is_withheld_until_a_person_accepts_it() {
    let rows = |count: usize| {
        let mut text = "//- source_list.csv\nSupplier,Component,From,To,Review\n".to_owned();
        (0..count).for_each(|nth| text += &format!("S,C{nth},2020-01-01,,\n"));
        text
    };
    let mut components = "//- components.csv\nNo,Name\n".to_owned();
    (0..27).for_each(|nth| components += &format!("C{nth},Part number {nth}\n"));
    let world = lists(&[], &[&components, &rows(27)]);
    let first = world.run();
    assert_eq!(first["totals"]["edges"]["supplies"]["current"], 27);
    for count in [1, 0] {
        world.put(&rows(count));
        let report = world.run_code(4);
        assert_eq!(report["changes"].to_string(), "[]");
        assert_eq!(report["totals"]["edges"]["supplies"]["current"], 27);
        let held =
            report["inputs"].as_array().unwrap().iter().find(|input| input["name"] == "source_list").unwrap();
        assert_eq!(held["state"], "withheld", "{held}");
        let told = report["diagnostics"].as_array().unwrap();
        assert!(told.iter().any(|one| one["code"] == "feed-shrunk"), "{told:?}");
    }
    // The rest of the run goes on.
    world.put("//- letters/s.md\nTechChip supplies Part number 3.\n");
    let report = world.run_code(4);
    assert_eq!(report["totals"]["edges"]["supplies"]["current"], 28);
    world.cmd("accept feed source_list --reason 'the list was moved'").expect_code(0);
    world.run();
    world.says("T supplies C3 [?, ∞) ×1");
    verify(&world);
}

#[test]
fn case_58_present_absent_present_are_two_recorded_periods() {
    let world = lists(&[], &[SNAPSHOT]);
    world.run();
    world.put(WITHOUT_RM);
    world.run();
    world.put(SNAPSHOT);
    let report = world.run();
    assert_eq!(report["changes"][0]["change"], "added");
    let history = world.cmd("history RM").expect_code(0).stdout;
    let told: Vec<&str> = history
        .lines()
        .map(str::trim)
        .filter(|line| line.ends_with("ShenzenChip Ltd supplies Radio Module"))
        .collect();
    assert_eq!(
        told,
        [
            "added: ShenzenChip Ltd supplies Radio Module",
            "retracted: ShenzenChip Ltd supplies Radio Module",
            "added: ShenzenChip Ltd supplies Radio Module",
        ]
    );
    for (generation, holds) in [(1, true), (2, false), (3, true)] {
        let shown = world.cmd(&format!("show RM --known-at {generation}")).expect_code(0).stdout;
        assert_eq!(shown.contains("(Supplier:S)"), holds, "{generation}: {shown}");
    }
    // The same as if it had never been away.
    let never = lists(&[], &[SNAPSHOT]);
    never.run();
    assert_eq!(never.graph(), world.graph());
}

#[test]
fn case_59_a_document_that_contradicts_master_data_waits() {
    let decides = ("authority: confirms", "authority: decides");
    let world = lists(
        &[decides],
        &[
            SNAPSHOT,
            "//- letters/dates.md\nShenzenChip supplies the Flight Control Unit from 1 January 2019.\n",
            "//- letters/agrees.md\nShenzenChip supplies the Radio Module from 1 January 2020.\n",
        ],
    );
    world.run();
    world.says(
        "S supplies FCU [2020-01-01, ∞) ×1
         S supplies RM [2020-01-01, ∞) ×2
         T supplies BA [2021-01-01, 2031-01-01) ×1
         ? S supplies FCU: contradicts-master",
    );
    verify(&world);
    // Where at most one may supply, a document cannot put another in its place.
    let sole = lists(
        &[decides, ("object: Component }\nwords", "object: Component, at_most_one: subject }\nwords")],
        &[
            SNAPSHOT,
            "//- letters/other.md\nTechChip supplies the Flight Control Unit from 17 February 2024.\n",
        ],
    );
    sole.run();
    sole.says(
        "S supplies FCU [2020-01-01, ∞) ×1
         S supplies RM [2020-01-01, ∞) ×1
         T supplies BA [2021-01-01, 2031-01-01) ×1
         ? T supplies FCU: contradicts-master",
    );
    let asked = sole.cmd("quarantine").expect_code(0).stdout;
    assert!(asked.contains("ShenzenChip Ltd supplies Flight Control Unit"), "{asked}");
    // Without the row that decides, the document stands.
    sole.put(&SNAPSHOT.replace("S,FCU,2020-01-01,,2025-03-31\n", ""));
    sole.run();
    sole.says(
        "S supplies RM [2020-01-01, ∞) ×1
         T supplies BA [2021-01-01, 2031-01-01) ×1
         T supplies FCU [2024-02-17, ∞) ×1",
    );
    verify(&sole);
}

#[test]
fn case_60_a_feed_confirms_what_a_document_says_too_faintly() {
    let world = lists(
        &[],
        &[
            SNAPSHOT,
            "
//- letters/listed.md
ShenzenChip is listed as source for the Flight Control Unit.

TechChip is listed as source for the Flight Control Unit.
",
        ],
    );
    world.run();
    world.says(
        "S supplies FCU [2020-01-01, ∞) ×2
         S supplies RM [2020-01-01, ∞) ×1
         T supplies BA [2021-01-01, 2031-01-01) ×1
         ? T supplies FCU: confidence-low",
    );
    let why = world.cmd("why S FCU").expect_code(0).stdout;
    assert!(why.contains("»ShenzenChip is listed as source for the Flight Control Unit.«"), "{why}");
    assert!(why.contains("source_list"), "{why}");
    // Without the row nothing confirms it.
    world.put(&SNAPSHOT.replace("S,FCU,2020-01-01,,2025-03-31\n", ""));
    world.run();
    world.says(
        "S supplies RM [2020-01-01, ∞) ×1
         T supplies BA [2021-01-01, 2031-01-01) ×1
         ? S supplies FCU: confidence-low
         ? T supplies FCU: confidence-low",
    );
    verify(&world);
}

#[test]
fn a_feed_or_source_that_stays_as_it_is_for_too_long_is_named_until_it_changes() {
    let mut world = World::new(LISTS);
    let job = std::fs::read_to_string(world.path("jobs/parts.yaml")).unwrap();
    let job = job
        .replace("{ path: letters }", "{ path: letters, expect: { fresh_within: 1 week } }")
        .replace("{ path: suppliers.csv, ", "{ path: suppliers.csv, expect: { fresh_within: 36h }, ");
    world.write("jobs/parts.yaml", job.as_bytes());
    world.put("//- source_list.csv\nSupplier,Component,From,To\nS,FCU,2024-01-01,\n");
    let stale = |report: &serde_json::Value| -> String {
        let lines = report["diagnostics"].as_array().unwrap().iter();
        let of = lines
            .filter(|one| one["code"] == "drift-stale")
            .map(|one| format!("{}: {}", one["file"].as_str().unwrap(), one["message"].as_str().unwrap()));
        of.collect::<Vec<_>>().join("\n")
    };
    let day = |world: &mut World, day: &str| -> serde_json::Value {
        world.today = day.to_owned();
        let planned = world.cmd("plan --output json").expect_code(0).json();
        let report = world.run();
        assert_eq!(stale(&planned), stale(&report), "a plan judges as the run does");
        assert_eq!(planned["drift"], report["drift"]);
        report
    };
    let report = day(&mut world, "2026-06-01");
    assert_eq!((stale(&report).as_str(), report["drift"].as_str()), ("", Some("no_baseline")));
    let report = day(&mut world, "2026-06-02");
    assert_eq!((stale(&report).as_str(), report["drift"].as_str()), ("", Some("pass")));

    // Two days: the feed should have changed, the letters need not yet, the other feeds promise nothing.
    let report = day(&mut world, "2026-06-03");
    assert_eq!(
        stale(&report),
        "suppliers.csv: the feed `suppliers` has not changed for 48 hours and should within 36 hours"
    );
    assert_eq!((report["drift"].as_str(), report["outcome"].as_str()), (Some("warn"), Some("nothing_to_do")));
    let run = report["run"].as_str().unwrap();
    let drift = std::fs::read_to_string(world.path(&format!(".edgewright/runs/{run}/drift.json"))).unwrap();
    let drift: serde_json::Value = serde_json::from_str(&drift).unwrap();
    assert_eq!(drift["findings"][0]["rule"], "drift-stale");
    assert_eq!(
        drift["findings"][0]["says"],
        "`suppliers` has not changed for 48 hours and should within 36 hours"
    );
    let text = world.cmd("plan").stdout;
    assert!(text.contains("hint: see whether what writes it still runs"), "{text}");

    // A change of the job is no change of the feed; one of its bytes is, even if no row says anything new.
    world.write("jobs/parts.yaml", job.replace("36h }, ", "36h }, gone: keep, ").as_bytes());
    assert_ne!(stale(&day(&mut world, "2026-06-04")), "");
    world.put("//- suppliers.csv\nNo,Name\nT,\"TechChip, Inc.\"\nS,ShenzenChip Ltd\n");
    let report = day(&mut world, "2026-06-05");
    assert_eq!((stale(&report).as_str(), report["drift"].as_str()), ("", Some("pass")));

    // The letters are silent for a week and a day; the store that is rebuilt says the same; then one comes.
    world.put("//- suppliers.csv\nNo,Name\nS,ShenzenChip Ltd\nT,\"TechChip, Inc.\"\n");
    let silent = "letters: the source `letters` has not changed for 8 days and should within 7 days";
    assert_eq!(stale(&day(&mut world, "2026-06-09")), silent);
    std::fs::remove_dir_all(world.path(".edgewright")).unwrap();
    world.cmd("replay copy").expect_code(0);
    std::fs::rename(world.path("copy/.edgewright"), world.path(".edgewright")).unwrap();
    assert_eq!(stale(&world.run()), silent);
    world.put("//- letters/new.md\nShenzenChip supplies the Radio Module.\n");
    assert_eq!(stale(&day(&mut world, "2026-06-10")), "");
}
