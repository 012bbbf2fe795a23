//! `sample`: a table for a person to judge, and what their verdicts say and decide.

#![expect(clippy::unwrap_used, reason = "the tests read JSON that must be there")]

use expect_test::{Expect, expect};

use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component }
  tests:    { subject: Supplier, object: Component }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component} [since {valid_from:date}]"
- id: sold
  edge: supplies
  match: "{subject:Supplier} sells {object:Component}"
- id: test
  edge: tests
  match: "{subject:Supplier} tests {object:Component}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters, include: ["**/*.md"] }
  memos: { path: memos, include: ["**/*.md"], access: [legal] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
  deals: { path: deals.csv, edge: { type: supplies, subject: S, object: C } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- deals.csv
S,C
S2,C9
"#;

/// A workspace with seven edges by `supply`, two by `sold`, one secret one by `test`, and one of a feed.
fn world() -> World {
    let world = World::new(FIXTURE);
    let components: String = (1..=9).map(|number| format!("C{number},Part {number}X\n")).collect();
    world.write("components.csv", format!("Id,Name\n{components}").as_bytes());
    let supplies: String = (1..=7)
        .map(|number| format!("TechChip supplies Part {number}X since {number} May 2024.\n\n"))
        .collect();
    let text = format!("# Letter\n\n{supplies}Voltanix sells Part 1X.\n\nVoltanix sells Part 2X.\n");
    world.write("letters/a.md", text.as_bytes());
    world.write("memos/m.md", b"# Memo\n\nVoltanix tests Part 3X.\n");
    world.run();
    world
}

#[track_caller]
fn says(world: &World, command: &str, expected: &Expect) {
    let said = world.cmd(command);
    expected.assert_eq(&format!("{}{}code {}\n", said.stdout, said.stderr, said.code));
}

/// A sample with a verdict in each row, by what the row says.
fn judged(world: &World, size: usize, verdict: impl Fn(&str) -> &'static str) -> String {
    let table = world.cmd(&format!("sample {size} --quiet")).expect_code(0).stdout;
    let mut lines = table.lines();
    let header = lines.next().unwrap();
    let rows = lines.map(|line| line.replacen(",,,", &format!(",{},", verdict(line)), 1) + "\n");
    format!("{header}\n{}", rows.collect::<String>())
}

#[test]
fn a_sample_has_edges_of_each_type_and_rule_and_says_what_it_supports() {
    let world = world();
    let said = world.cmd("sample 5").expect_code(0);
    expect![[r#"
        5 of 10 edges, generation 1, seed 1
          supplies by sold: 1 of 2
          supplies by supply: 3 of 7
          tests by test: 1 of 1
          not sampled: 1 edge that no document says
        at most 10 % wrong, 95 % sure: these are too few to say so
        at most 5 % wrong, 95 % sure: these are too few to say so
        at most 2 % wrong, 95 % sure: these are too few to say so
        fill `verdict` with right, wrong (with a reason) or unsure; `sample --verdicts FILE` reads it
    "#]]
    .assert_eq(&said.stderr);
    let columns: Vec<String> =
        said.stdout.lines().map(|line| line.split(',').skip(3).collect::<Vec<_>>().join(",")).collect();
    expect![[r#"
        edge_type,rule,stratum,subject,subject_name,object,object_name,valid_from,valid_to,sentence,document,line
        supplies,sold,2,Supplier:S2,Voltanix GmbH,Component:C2,Part 2X,,,Voltanix sells Part 2X.,letters/a.md,19
        supplies,supply,7,Supplier:S1,TechChip Inc,Component:C3,Part 3X,2024-05-03,,TechChip supplies Part 3X since 3 May 2024.,letters/a.md,7
        supplies,supply,7,Supplier:S1,TechChip Inc,Component:C4,Part 4X,2024-05-04,,TechChip supplies Part 4X since 4 May 2024.,letters/a.md,9
        supplies,supply,7,Supplier:S1,TechChip Inc,Component:C7,Part 7X,2024-05-07,,TechChip supplies Part 7X since 7 May 2024.,letters/a.md,15
        tests,test,1,Supplier:S2,Voltanix GmbH,Component:C3,Part 3X,,,Voltanix tests Part 3X.,memos/m.md,3"#]].assert_eq(&columns.join("\n"));
    // The same seed gives the same bytes, another one another sample, and who may not see the memo never hears of it.
    assert_eq!(world.cmd("sample 5").stdout, said.stdout);
    assert_ne!(world.cmd("sample 5 --seed 2").stdout, said.stdout);
    assert!(!world.cmd("sample 5 --access none").expect_code(0).stdout.contains("tests"));
    says(
        &world,
        "sample 5 --out table.csv --edge tests",
        &expect![[r#"
        1 of 1 edge, generation 1, seed 1
          tests by test: 1 of 1
        at most 10 % wrong, 95 % sure: these are too few to say so
        at most 5 % wrong, 95 % sure: these are too few to say so
        at most 2 % wrong, 95 % sure: these are too few to say so
        fill `verdict` with right, wrong (with a reason) or unsure; `sample --verdicts FILE` reads it
        code 0
    "#]],
    );
    says(
        &world,
        "sample 2",
        &expect![[r#"
        error: a sample of 2 has no edge of some of the 3 strata
          hint: each edge type and rule is a stratum and gives one edge at least; sample more, or one `--edge TYPE`
        code 2
    "#]],
    );
    says(
        &world,
        "sample 2 --edge suplies",
        &expect![[r#"
        error: there is no edge type `suplies`
          hint: did you mean `supplies`?
        code 2
    "#]],
    );
    says(
        &world,
        "sample",
        &expect![[r#"
        error: the following required arguments were not provided:
          <N>

        Usage: edgewright sample <N>

        For more information, try '--help'.
        code 2
    "#]],
    );
    let all = world.cmd("sample 100 --output json").expect_code(0).json();
    assert_eq!(all["sample"].as_array().unwrap().len(), 10);
    assert_eq!((all["edges"].as_u64(), all["without_sentence"].as_u64()), (Some(10), Some(1)));
}

#[test]
fn verdicts_come_back_as_estimates_and_on_demand_as_decisions() {
    let world = world();
    let table = judged(&world, 10, |line| match () {
        () if line.contains("Part 3X") => "wrong,nobody says so",
        () if line.contains("Part 4X") => "unsure,",
        () if line.contains("Part 5X") => ",",
        () => "right,",
    });
    world.write("table.csv", table.as_bytes());
    says(
        &world,
        "sample --verdicts table.csv",
        &expect![[r#"
            all: 0.750 right (0.409–0.929); 6 right, 2 wrong, 1 unsure
              supplies by sold: 1.000 right (0.342–1.000); 2 right, 0 wrong
              supplies by supply: 0.800 right (0.376–0.964); 4 right, 1 wrong, 1 unsure
              tests by test: 0.000 right (0.000–0.793); 0 right, 1 wrong
              1 row without a verdict
            at most 10 % wrong, 95 % sure: cannot be said before every row has a verdict
            at most 5 % wrong, 95 % sure: cannot be said before every row has a verdict
            at most 2 % wrong, 95 % sure: cannot be said before every row has a verdict

            wrong
              line 4: TechChip Inc supplies Part 3X: nobody says so
                supply: »TechChip supplies Part 3X since 3 May 2024.«
              line 11: Voltanix GmbH tests Part 3X: nobody says so
                test: »Voltanix tests Part 3X.«
            `--decide` would make 8 decisions of them
            code 0
        "#]],
    );
    // Nothing was decided so far.
    assert_eq!(world.run()["totals"]["edges"]["supplies"]["facts"], 10);
    says(
        &world,
        "sample --verdicts table.csv --decide --by Ada",
        &expect![[r#"
            all: 0.750 right (0.409–0.929); 6 right, 2 wrong, 1 unsure
              supplies by sold: 1.000 right (0.342–1.000); 2 right, 0 wrong
              supplies by supply: 0.800 right (0.376–0.964); 4 right, 1 wrong, 1 unsure
              tests by test: 0.000 right (0.000–0.793); 0 right, 1 wrong
              1 row without a verdict
            at most 10 % wrong, 95 % sure: cannot be said before every row has a verdict
            at most 5 % wrong, 95 % sure: cannot be said before every row has a verdict
            at most 2 % wrong, 95 % sure: cannot be said before every row has a verdict

            wrong
              line 4: TechChip Inc supplies Part 3X: nobody says so
                supply: »TechChip supplies Part 3X since 3 May 2024.«
              line 11: Voltanix GmbH tests Part 3X: nobody says so
                test: »Voltanix tests Part 3X.«
            8 decisions queued; the next run carries them out
            code 0
        "#]],
    );
    says(
        &world,
        "sample --verdicts table.csv --decide --by Ada",
        &expect![[r#"
        line 2: this waits for the next run already, as request 1
        line 3: this waits for the next run already, as request 2
        line 4: this waits for the next run already, as request 3
        line 6: this waits for the next run already, as request 4
        line 8: this waits for the next run already, as request 5
        line 9: this waits for the next run already, as request 6
        line 10: this waits for the next run already, as request 7
        line 11: this waits for the next run already, as request 8
        8 problems: nothing was taken
        code 2
    "#]],
    );
    world.run();
    assert!(!world.graph().contains("S1 supplies C3"), "{}", world.graph());
    let rules = world.cmd("ontology --output json").expect_code(0).json().to_string();
    assert!(rules.contains(r#""reviewed":5,"right":4}"#), "{rules}");
    // What stands is not decided twice, and what was rejected still stands as a question.
    says(
        &world,
        "sample --verdicts table.csv --decide",
        &expect![[r#"
            all: 0.750 right (0.409–0.929); 6 right, 2 wrong, 1 unsure
              supplies by sold: 1.000 right (0.342–1.000); 2 right, 0 wrong
              supplies by supply: 0.800 right (0.376–0.964); 4 right, 1 wrong, 1 unsure
              tests by test: 0.000 right (0.000–0.793); 0 right, 1 wrong
              1 row without a verdict
            at most 10 % wrong, 95 % sure: cannot be said before every row has a verdict
            at most 5 % wrong, 95 % sure: cannot be said before every row has a verdict
            at most 2 % wrong, 95 % sure: cannot be said before every row has a verdict

            wrong
              line 4: TechChip Inc supplies Part 3X: nobody says so
                supply: »TechChip supplies Part 3X since 3 May 2024.«
              line 11: Voltanix GmbH tests Part 3X: nobody says so
                test: »Voltanix tests Part 3X.«
            0 decisions queued; the next run carries them out
            code 0
        "#]],
    );
}

#[test]
fn enough_right_ones_make_a_claim_hold() {
    let world = World::new(FIXTURE);
    let components: String = (1..=60).map(|number| format!("C{number},Part {number}X\n")).collect();
    world.write("components.csv", format!("Id,Name\n{components}").as_bytes());
    let supplies: String = (1..=60).map(|number| format!("TechChip supplies Part {number}X.\n\n")).collect();
    world.write("letters/a.md", format!("# Letter\n\n{supplies}").as_bytes());
    world.write("memos/m.md", b"# Memo\n\nNothing.\n");
    world.run();
    world.write("table.csv", judged(&world, 59, |_| "right,").as_bytes());
    says(
        &world,
        "sample --verdicts table.csv",
        &expect![[r#"
            all: 1.000 right (0.939–1.000); 59 right, 0 wrong
              supplies by supply: 1.000 right (0.939–1.000); 59 right, 0 wrong
            at most 10 % wrong, 95 % sure: holds (0 wrong or unsure, 1 may be)
            at most 5 % wrong, 95 % sure: holds (0 wrong or unsure, 0 may be)
            at most 2 % wrong, 95 % sure: too few were judged
            `--decide` would make 59 decisions of them
            code 0
        "#]],
    );
    let first = std::cell::Cell::new(true);
    let one = judged(&world, 59, |_| if first.replace(false) { "wrong,it is not said" } else { "right," });
    world.write("table.csv", one.as_bytes());
    let said = world.cmd("sample --verdicts table.csv --output json").expect_code(0).json();
    let claims: Vec<(u64, bool)> = said["verdicts"]["claims"]
        .as_array()
        .unwrap()
        .iter()
        .map(|claim| (claim["wrong_allowed"].as_u64().unwrap_or(99), claim["holds"].as_bool().unwrap()))
        .collect();
    assert_eq!(claims, [(1, true), (0, false), (99, false)]);
}

#[test]
fn everything_that_is_wrong_with_verdicts_is_told_at_once() {
    let world = world();
    let table = judged(&world, 10, |_| "right,");
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    lines[1] = lines[1].replace(",right,", ",wrong,");
    lines[2] = lines[2].replace(",right,", ",maybe,");
    lines[3] = lines[4].clone();
    lines.push(format!("{},right{}", "0".repeat(32), ",".repeat(13)));
    lines.push("short,right".to_owned());
    world.write("table.csv", (lines.join("\n") + "\n").as_bytes());
    says(
        &world,
        "sample --verdicts table.csv --decide",
        &expect![[r#"
            line 2: `wrong` needs a `reason`
            line 3: `maybe` is not a verdict: write right, wrong or unsure
            line 5: the same question stands on line 4
            line 12: there is no question `00000000000000000000000000000000` any more: its sentence has changed or gone
            line 13: 2 cells where the header has 15
            5 problems: nothing was taken
            code 2
        "#]],
    );
    world.write("empty.csv", b"question,verdict,stratum\n");
    says(
        &world,
        "sample --verdicts empty.csv",
        &expect![[r#"
            error: no row has a verdict
              hint: fill the column `verdict` with right, wrong or unsure
            code 2
        "#]],
    );
    world.write("other.csv", b"question,stratum,decision\nx,1,approve\n");
    says(
        &world,
        "sample --verdicts other.csv",
        &expect![[r#"
            line 1: there is no column `verdict`
            1 problem: nothing was taken
            code 2
        "#]],
    );
    assert_eq!(world.run()["generation"], world.run()["generation"]);
}
