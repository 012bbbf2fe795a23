//! Cases 1 to 18: dates as texts and feeds state them, and the intervals that come of them.

use std::process::Command;

use crate::world::World;

/// Suppliers, components, contracts with a register, and the ways to say since when and until when.
const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
  Contract:  { system_of_record: register }
edges:
  supplies: { subject: Supplier, object: Component, properties: { renews: duration } }
words:
  SUPPLY: [supply~, sell~]
rules:
- id: supplies.clause
  edge: supplies
  match: "{subject:Supplier} [(shall|will)] SUPPLY {object:Component+} [(from|as of|since|effective) {valid_from:date}] [[and|, and this] (until|to|through|before|shall expire [after]) {valid_to:date}]"
- id: supplies.in
  edge: supplies
  match: "{subject:Supplier} is the source of {object:Component+} (in|from|until) {valid:date}"
- id: supplies.renews
  edge: supplies
  match: "{subject:Supplier} [shall] deliver {object:Component+} [from {valid_from:date}] [, and this ... renews ... {renews:duration}] [in perpetuity]"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: tests
sources:
  contracts:
    path: contracts
    documents: [{ self: Contract, name: "{contract}.*" }]
    register: { feed: register, on: File }
    effective: Effective
feeds:
  suppliers:  { path: suppliers.csv, entity: { type: Supplier, key: No, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: No, names: [Name] } }
  register:   { path: register.csv, entity: { type: Contract, key: No, names: [Title], properties: { effective: Effective } } }
//- suppliers.csv
No,Name
T,"TechChip, Inc."
V,Voltanix GmbH
//- components.csv
No,Name
C,Flight Control Unit
R,Radio Module
//- register.csv
No,Title,File,Effective
K1,Supply Contract One,k1.md,2024-01-01
"#;

/// The shared workspace with these documents.
fn world(documents: &str) -> World {
    let world = World::new(FIXTURE);
    world.put(documents);
    world
}

/// True if `show` lists the component under the supplier on this day.
#[track_caller]
fn holds(world: &World, arguments: &str) -> bool {
    world.cmd(&format!("show T {arguments}")).expect_code(0).stdout.contains("(Component:C)")
}

#[test]
fn case_01_a_stated_start_gives_an_open_interval() {
    let world = world("//- contracts/a.md\nTechChip supplies the Flight Control Unit from 17 February 2024.");
    world.run();
    world.says("T supplies C [2024-02-17, ∞) ×1");
    assert!(!holds(&world, "--as-of 2024-02-16"));
    assert!(holds(&world, "--as-of 2024-02-17"));
    let shown = world.cmd("show 'Flight Control Unit'").expect_code(0).stdout;
    assert!(shown.contains("since 2024-02-17; current; 1 attestation"), "{shown}");
}

#[test]
fn case_02_a_stated_last_day_belongs_and_the_next_day_does_not() {
    let world =
        world("//- contracts/a.md\nTechChip supplied the Flight Control Unit until 16 February 2024.");
    world.run();
    world.says("T supplies C [?, 2024-02-17) ×1");
    assert!(holds(&world, "--as-of 2024-02-16"));
    assert!(!holds(&world, "--as-of 2024-02-17"));
    assert_eq!(world.graph_with("--as-of 2024-02-16"), "T supplies C [?, 2024-02-17) ×1");
    assert_eq!(world.graph_with("--as-of 2024-02-17"), "");
    let shown = world.cmd("show T --state all").expect_code(0).stdout;
    assert!(shown.contains("until 2024-02-16 (last day); ended"), "{shown}");
}

#[test]
fn case_03_two_intervals_with_a_gap_are_two_edges_and_the_gap_shows_none() {
    let world = world(
        "//- contracts/a.md\nTechChip supplied the Flight Control Unit from 1 January 2022 until 31 December 2022.\n\
         //- contracts/b.md\nTechChip supplies the Flight Control Unit from 1 January 2024.",
    );
    world.run();
    let export = world.cmd("export").expect_code(0).stdout;
    let edges: Vec<&str> = export.lines().filter(|line| line.contains(r#""kind":"edge""#)).collect();
    assert_eq!(edges.len(), 2, "{export}");
    world.says(
        "T supplies C [2022-01-01, 2023-01-01) ×2
         T supplies C [2024-01-01, ∞) ×2",
    );
    for (day, yes) in
        [("2022-12-31", true), ("2023-01-01", false), ("2023-06-01", false), ("2024-01-01", true)]
    {
        assert_eq!(holds(&world, &format!("--as-of {day}")), yes, "{day}");
    }
    assert_eq!(world.graph_with("--as-of 2023-06-01"), "");
}

#[test]
fn case_04_two_intervals_that_touch_are_one_edge_with_both_evidences() {
    let world = world(
        "//- contracts/a.md\nTechChip supplied the Flight Control Unit from 1 January 2024 until 31 January 2024.\n\
         //- contracts/b.md\nTechChip supplies the Flight Control Unit from 1 February 2024.",
    );
    world.run();
    world.says("T supplies C [2024-01-01, ∞) ×2");
    assert_eq!(world.graph_with("--as-of 2024-02-01"), "T supplies C [2024-01-01, ∞) ×2");
    let shown = world.cmd("show T --as-of 2024-02-01").expect_code(0).stdout;
    assert_eq!(shown.matches("(Component:C)").count(), 1, "{shown}");
}

#[test]
fn case_05_overlapping_intervals_unite_and_one_document_less_leaves_the_other_ones() {
    let world = world(
        "//- contracts/a.md\nTechChip supplied the Flight Control Unit from 1 January 2023 until 30 June 2024.\n\
         //- contracts/b.md\nTechChip supplied the Flight Control Unit from 1 March 2024 until 31 December 2024.",
    );
    world.run();
    world.says("T supplies C [2023-01-01, 2025-01-01) ×2");
    world.put("//- remove contracts/a.md");
    world.run();
    world.says("T supplies C [2024-03-01, 2025-01-01) ×1");
    world.put("//- contracts/a.md\nTechChip supplied the Flight Control Unit from 1 January 2023 until 30 June 2024.");
    world.put("//- remove contracts/b.md");
    world.run();
    world.says("T supplies C [2023-01-01, 2024-07-01) ×1");
}

#[test]
fn case_06_an_end_on_or_before_the_start_waits_as_interval_empty() {
    let world = world(
        "//- contracts/a.md\nTechChip supplied the Flight Control Unit from 1 March 2024 until 1 February 2024.\n\
         //- contracts/b.md\nVoltanix supplied the Radio Module from 1 March 2024 and before 1 March 2024.\n\
         //- contracts/c.md\nVoltanix supplied the Flight Control Unit from 1 March 2024 until 1 March 2024.",
    );
    world.run();
    // The last one holds for one day: a last day belongs.
    world.says(
        "? T supplies C: interval-empty
         ? V supplies R: interval-empty
         V supplies C [2024-03-01, 2024-03-02) ×1",
    );
}

#[test]
fn case_07_months_years_and_quarters_cover_all_their_days() {
    let world = world(
        "//- contracts/a.md\nTechChip supplies the Flight Control Unit from February 2024.\n\
         //- contracts/b.md\nTechChip supplied the Radio Module until February 2024.\n\
         //- contracts/c.md\nVoltanix is the source of the Flight Control Unit in 2024.\n\
         //- contracts/d.md\nVoltanix is the source of the Radio Module in Q3 2025.",
    );
    world.run();
    world.says(
        "T supplies C [2024-02-01, ∞) ×1
         T supplies R [?, 2024-03-01) ×1
         V supplies C [2024-01-01, 2025-01-01) ×1
         V supplies R [2025-07-01, 2025-10-01) ×1",
    );
    let shown = world.cmd("show T --state all").expect_code(0).stdout;
    assert!(shown.contains("since 2024-02 (month)"), "{shown}");
    let why = world.cmd("why V R").expect_code(0).stdout;
    assert!(why.contains("since 2025 Q3 (quarter) until 2025-09-30 (last day)"), "{why}");
}

#[test]
fn case_08_dates_that_count_from_a_feeds_date_move_with_it_and_nothing_is_extracted() {
    let world = world(
        "//- contracts/k1.md\nTechChip shall supply the Flight Control Unit from the effective date, and this \
         shall expire after 225 days of its having taken effect.",
    );
    world.run();
    // Day 225 after 1 January 2024 is the first day that no longer belongs.
    world.says("T supplies C [2024-01-01, 2024-08-13) ×1");
    world.put("//- register.csv\nNo,Title,File,Effective\nK1,Supply Contract One,k1.md,2024-02-01\n");
    let report = world.run();
    assert_eq!(report["work"]["extracted"], 0);
    assert_eq!(report["work"]["parsed"], 0);
    world.says("T supplies C [2024-02-01, 2024-09-13) ×1");
    assert_eq!(world.graph_with("--known-at 1"), "T supplies C [2024-01-01, 2024-08-13) ×1");
    assert!(holds(&world, "--as-of 2024-01-15 --known-at 1"));
    assert!(!holds(&world, "--as-of 2024-01-15"));
    let why = world.cmd("why T C").expect_code(0).stdout;
    assert!(why.contains("from: the document's effective date (2024-02-01)"), "{why}");
    assert!(
        why.contains(
            "to: P225D after the document's effective date, 2024-02-01 (first day after: 2024-09-13)"
        ),
        "{why}"
    );
    let history = world.cmd("history T").expect_code(0).stdout;
    assert!(
        history.contains("[2024-01-01, 2024-08-13)") && history.contains("[2024-02-01, 2024-09-13)"),
        "{history}"
    );
}

#[test]
fn case_09_a_day_that_a_month_lacks_is_its_last_and_a_day_that_never_was_waits() {
    let world = world(
        "//- contracts/k1.md\nTechChip shall supply the Flight Control Unit from the effective date, and this \
         shall expire 1 year after the effective date.\n\
         //- contracts/b.md\nVoltanix shall supply the Flight Control Unit from 29 February 2024, and this \
         shall expire 1 year after 29 February 2024.\n\
         //- contracts/c.md\nTechChip supplies the Radio Module from 29 February 2023.\n\
         //- contracts/d.md\nVoltanix supplied the Radio Module until 31 April 2023.",
    );
    world.put("//- register.csv\nNo,Title,File,Effective\nK1,Supply Contract One,k1.md,2024-02-29\n");
    world.run();
    world.says(
        "T supplies C [2024-02-29, 2025-02-28) ×1
         V supplies C [2024-02-29, 2025-02-28) ×1
         ? T supplies R: date-invalid
         ? V supplies R: date-invalid",
    );
}

#[test]
fn case_10_a_day_is_the_same_day_in_los_angeles_and_in_tokyo() {
    let graphs = ["America/Los_Angeles", "Asia/Tokyo", "UTC"].map(|zone| {
        let world = world(
            "//- contracts/k1.md\nTechChip supplies the Flight Control Unit from 2024-03-10 until 2024-11-03.\n\
             //- contracts/b.md\nVoltanix shall supply the Radio Module from the effective date.\n",
        );
        world.put("//- register.csv\nNo,Title,File,Effective\nK1,One,k1.md,2024-03-10\nB,Two,b.md,2024-03-10\n");
        let run = Command::new(env!("CARGO_BIN_EXE_edgewright"))
            .args(["run", "--now", "2024-03-10T23:30:00Z"])
            .current_dir(world.root())
            .env("TZ", zone)
            .output()
            .unwrap();
        assert!(run.status.success(), "{zone}: {}", String::from_utf8_lossy(&run.stderr));
        world.says(
            "T supplies C [2024-03-10, 2024-11-04) ×1
             V supplies R [2024-03-10, ∞) ×1",
        );
        world.cmd("export").expect_code(0).stdout
    });
    assert_eq!(graphs[0], graphs[1]);
    assert_eq!(graphs[0], graphs[2]);
}

#[test]
fn case_11_a_date_of_two_readings_waits_until_the_source_declares_its_order() {
    let world = world("//- contracts/a.md\nTechChip supplies the Flight Control Unit from 03/04/2024.");
    world.run();
    world.says("? T supplies C: date-ambiguous");
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    for (order, start) in [("day first", "2024-04-03"), ("month first", "2024-03-04")] {
        let declared = job
            .replace("effective: Effective\n", &format!("effective: Effective\n    date_order: {order}\n"));
        world.write("jobs/nightly.yaml", declared.as_bytes());
        world.run();
        world.says(&format!("T supplies C [{start}, ∞) ×1"));
    }
    world.write("jobs/nightly.yaml", job.as_bytes());
    world.run();
    world.says("? T supplies C: date-ambiguous");
}

#[test]
fn case_12_a_start_to_come_is_not_current_and_is_on_its_day_without_a_run() {
    let mut world = world("//- contracts/a.md\nTechChip supplies the Flight Control Unit from 1 March 2030.");
    let report = world.run();
    assert_eq!(report["totals"]["edges"]["supplies"]["current"], 0);
    assert_eq!(report["totals"]["edges"]["supplies"]["future"], 1);
    world.says("T supplies C [2030-03-01, ∞) ×1");
    assert!(!holds(&world, ""));
    assert!(world.cmd("show T").expect_code(0).stdout.contains("1 future"));
    assert!(holds(&world, "--as-of 2030-03-01"));
    world.today = "2030-02-28".to_owned();
    assert!(!holds(&world, ""));
    world.today = "2030-03-01".to_owned();
    assert!(holds(&world, ""));
}

#[test]
fn case_13_an_actual_date_replaces_a_projected_one_and_the_earlier_generation_still_knows_the_projection() {
    let world =
        world("//- contracts/k1.md\nTechChip shall supply the Flight Control Unit from the effective date.");
    let register = |day: &str| {
        world
            .put(&format!("//- register.csv\nNo,Title,File,Effective\nK1,Supply Contract One,k1.md,{day}\n"));
    };
    register("2026-01-13");
    world.run();
    world.says("T supplies C [2026-01-13, ∞) ×1");
    register("2025-12-18");
    world.run();
    world.says("T supplies C [2025-12-18, ∞) ×1");
    assert!(holds(&world, "--as-of 2026-01-01"));
    assert!(!holds(&world, "--as-of 2026-01-01 --known-at 1"));
    assert_eq!(world.graph_with("--as-of 2026-01-01"), "T supplies C [2025-12-18, ∞) ×1");
    assert_eq!(world.graph_with("--as-of 2026-01-01 --known-at 1"), "");
}

#[test]
fn case_14_a_publication_date_is_no_effective_date() {
    let world = world(
        "//- contracts/a.md\nDate: 2024-05-01\nPublished: 2024-05-01\n\nTechChip supplies the Flight Control Unit effective 1 January 2024.\n\
         //- contracts/b.md\nDate: 2024-05-01\nPublished: 2024-05-01\n\nTechChip supplies the Radio Module.\n\
         //- contracts/c.md\nPublished on 2024-05-01: Voltanix supplies the Radio Module from 1 January 2024.",
    );
    world.run();
    world.says(
        "T supplies C [2024-01-01, ∞) ×1
         T supplies R [?, ∞) ×1
         V supplies R [2024-01-01, ∞) ×1",
    );
}

#[test]
fn case_15_an_undated_contract_joins_the_dated_notice_and_is_undated_again_without_it() {
    let world = world(
        "//- contracts/contract.md\nTechChip shall supply the Flight Control Unit.\n\
         //- contracts/notice.md\nTechChip supplies the Flight Control Unit from 17 February 2024.",
    );
    world.run();
    world.says("T supplies C [2024-02-17, ∞) ×2");
    let why = world.cmd("why T C").expect_code(0).stdout;
    assert!(why.contains("contracts/contract.md:1 (joins; its dates move nothing)"), "{why}");
    world.put("//- remove contracts/notice.md");
    world.run();
    world.says("T supplies C [?, ∞) ×1");
    assert!(holds(&world, "--as-of 1990-01-01"));
    let shown = world.cmd("show T --as-of 1990-01-01").expect_code(0).stdout;
    assert!(shown.contains("start unknown"), "{shown}");
}

#[test]
fn case_16_a_year_that_contains_a_finer_date_joins_it_and_stands_alone_without_it() {
    let world = world(
        "//- contracts/year.md\nTechChip is the source of the Flight Control Unit in 2024.\n\
         //- contracts/day.md\nTechChip supplies the Flight Control Unit from 5 March 2024.",
    );
    world.run();
    world.says("T supplies C [2024-03-05, ∞) ×2");
    assert!(!holds(&world, "--as-of 2024-03-04"));
    assert!(holds(&world, "--as-of 2024-03-05"));
    world.put("//- remove contracts/day.md");
    world.run();
    world.says("T supplies C [2024-01-01, 2025-01-01) ×1");
}

#[test]
fn case_17_terms_that_renew_and_perpetual_ones_leave_the_end_open() {
    let world = world(
        "//- contracts/a.md\nTechChip shall deliver the Flight Control Unit from 1 July 2023, and this contract \
         automatically renews for successive one-year terms.\n\
         //- contracts/b.md\nVoltanix shall deliver the Radio Module in perpetuity.",
    );
    world.run();
    world.says(
        "T supplies C [2023-07-01, ∞) ×1 renews=P1Y
         V supplies R [?, ∞) ×1",
    );
    assert!(holds(&world, "--as-of 2025-01-01"));
}

#[test]
fn case_18_a_blank_date_is_an_unknown_start_or_the_registers_column() {
    let world = world(
        "//- contracts/a.md\nTechChip shall supply the Flight Control Unit as of September ___, 2019.\n\
         //- contracts/b.md\nTechChip shall supply the Radio Module as of the date last signed below.\n\
         //- contracts/k1.md\nVoltanix shall supply the Radio Module as of September ___, 2019.\n\
         //- contracts/k2.md\nVoltanix shall supply the Flight Control Unit as of the date last signed below.",
    );
    world.put(
        "//- register.csv\nNo,Title,File,Effective\nK1,Supply Contract One,k1.md,2019-09-12\nK2,Supply Contract Two,k2.md,2019-10-01\n",
    );
    world.run();
    world.says(
        "T supplies C [?, ∞) ×1
         T supplies R [?, ∞) ×1
         V supplies R [2019-09-12, ∞) ×1
         V supplies C [2019-10-01, ∞) ×1",
    );
    let why = world.cmd("why T C").expect_code(0).stdout;
    assert!(why.contains("left blank (date-blank): \"September ___, 2019\""), "{why}");
    let why = world.cmd("why V R").expect_code(0).stdout;
    assert!(why.contains("left blank (date-blank): \"September ___, 2019\""), "{why}");
    assert!(why.contains("2019-09-12"), "{why}");
    // The register fills the blank in, and moves it.
    world.put(
        "//- register.csv\nNo,Title,File,Effective\nK1,Supply Contract One,k1.md,2019-09-20\nK2,Supply Contract Two,k2.md,\n",
    );
    let report = world.run();
    assert_eq!(report["work"]["extracted"], 0);
    world.says(
        "T supplies C [?, ∞) ×1
         T supplies R [?, ∞) ×1
         V supplies R [2019-09-20, ∞) ×1
         V supplies C [?, ∞) ×1",
    );
}
