//! `eval`: the graph beside edges that are known to be true, from files through the command line.

#![expect(clippy::unwrap_used, reason = "the tests read JSON that must be there")]

use expect_test::{Expect, expect};
use serde_json::Value;

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
  match: "{subject:Supplier} (supplies|supplied) {object:Component+} [(from|as of|since) {valid_from:date}] [until {valid_to:date}]"
- id: hearsay
  edge: supplies
  confidence: 0.5
  match: "{subject:Supplier} may be the source of {object:Component+} [since {valid_from:date}]"
- id: test
  edge: tests
  match: "{subject:Supplier} tests {object:Component+}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters, include: ["**/*.md"] }
  memos: { path: memos, include: ["**/*.md"], access: [legal] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name,Coded
S1,TechChip Inc,yes
S2,Voltanix GmbH,yes
S3,Helvetic AG,no
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Brake Pad
C4,Tail Cone
C5,Zinc Plate
C6,Door Seal
C7,Gasket
//- letters/a.md
# Letter

TechChip supplies the Radio Module since 1 March 2024.

TechChip supplies the Main Board since 1 May 2024 until 31 December 2024.

Voltanix may be the source of the Brake Pad since 1 April 2024.

Voltanix never supplied the Tail Cone.

The Zinc Plate stands in the hall of TechChip.

TechChip tests the Door Seal.

Voltanix supplies the Radio Module since 1 June 2023.

Helvetic supplies the Door Seal.

Ms Gaskell stays in Basel.
//- memos/m.md
# Memo

Voltanix supplies the Door Seal since 1 July 2024.
"#;

fn world() -> World {
    let world = World::new(FIXTURE);
    world.run();
    world
}

#[track_caller]
fn says(world: &World, command: &str, expected: &Expect) {
    let said = world.cmd(command);
    expected.assert_eq(&format!("{}{}code {}\n", said.stdout, said.stderr, said.code));
}

/// The figures of a JSON answer: `name hits/false/missed`, and the shares of dates where any is told.
fn figures(answer: &Value) -> String {
    let set = &answer["sets"][0];
    let lists = [&set["types"], &set["groups"]].into_iter().flat_map(|list| list.as_array().unwrap());
    let line = |one: &Value| {
        let dates = ["valid_from", "valid_to"].map(|bound| {
            let of = |what: &str| one[bound][what].as_u64().unwrap();
            format!(" {bound} {}/{}", of("right"), of("of"))
        });
        format!(
            "{} {}/{}/{}{}\n",
            one["name"].as_str().unwrap(),
            one["hits"],
            one["false_positives"],
            one["misses"],
            dates.concat()
        )
    };
    lists.chain([&set["all"]]).map(line).collect()
}

#[track_caller]
fn counts(world: &World, arguments: &str, expected: &Expect) {
    let answer = world.cmd(&format!("eval {arguments} --output json")).expect_code(0).json();
    expected.assert_eq(&figures(&answer));
}

const TRUTH: &str = "
//- truth.csv
subject,type,object,valid_from,valid_to
TechChip,supplies,Radio Module,2024-03-01,
S1,supplies,Main Board,2024-05-01,2025-02-01
Voltanix GmbH,supplies,C3,,
Voltanix,supplies,Supplier:S2,,
Voltanix,supplies,Tail Cone,,
TechChip,supplies,Zinc Plate,,
TechChip,supplies,Door Seal,,
Orion Systems,supplies,Radio Module,,
TechChip,supplies,Gasket,,
";

#[test]
fn hits_misses_and_what_is_wrong_are_told_with_their_sentences() {
    let world = world();
    world.put(TRUTH);
    says(
        &world,
        "eval --golden truth.csv",
        &expect![[r#"
        truth.csv: generation 1
          9 rows: 9 must be found (9 questions); 2 entities are judged

                   hits  false missed  precision            recall               F1                   valid_from           valid_to
        supplies      2      2      7  0.500 (0.150–0.850)  0.222 (0.063–0.547)  0.308 (0.098–0.646)  1.000 (0.342–1.000)  0.500 (0.095–0.905)
        all           2      2      7  0.500 (0.150–0.850)  0.222 (0.063–0.547)  0.308 (0.098–0.646)  1.000 (0.342–1.000)  0.500 (0.095–0.905)

        found, and not in the file (2)
          Voltanix GmbH (Supplier:S2) supplies Radio Module (Component:C1) [2023-06-01, ∞)
            letters/a.md:15: »Voltanix supplies the Radio Module since 1 June 2023.«
          Voltanix GmbH (Supplier:S2) supplies Door Seal (Component:C6) [2024-07-01, ∞)
            memos/m.md:3: »Voltanix supplies the Door Seal since 1 July 2024.«

        in the file, and not found: 1 waiting in quarantine, 2 of a name that nobody has, 1 said otherwise, 1 nearly read, 1 named and not read, 1 not named (7)
          "Orion Systems" supplies Radio Module (Component:C1) (line 9)
            nobody is called "Orion Systems"
          TechChip Inc (Supplier:S1) supplies Zinc Plate (Component:C5) (line 7)
            a sentence names it, and no rule comes near
            letters/a.md:11: »The Zinc Plate stands in the hall of TechChip.«
          TechChip Inc (Supplier:S1) supplies Door Seal (Component:C6) (line 8)
            the graph has: TechChip Inc tests Door Seal [?, ∞)
            letters/a.md:13: »TechChip tests the Door Seal.«
          TechChip Inc (Supplier:S1) supplies Gasket (Component:C7) (line 10)
            the text does not name it
          Voltanix GmbH (Supplier:S2) supplies "Supplier:S2" (line 5)
            nobody is called "Supplier:S2"
          Voltanix GmbH (Supplier:S2) supplies Brake Pad (Component:C3) (line 4)
            waits in quarantine: the rule's confidence 0.5 is below the type's threshold (confidence-low)
            letters/a.md:7: »Voltanix may be the source of the Brake Pad since 1 April 2024.«
          Voltanix GmbH (Supplier:S2) supplies Tail Cone (Component:C4) (line 6)
            a near miss of `supply`: negation: `never`
            letters/a.md:9: »Voltanix never supplied the Tail Cone.«

        found with other dates (1)
          TechChip Inc (Supplier:S1) supplies Main Board (Component:C2): [2024-05-01, 2025-02-01) in the file (line 3), [2024-05-01, 2025-01-01) in the graph
            letters/a.md:5: »TechChip supplies the Main Board since 1 May 2024 until 31 December 2024.«
        code 0
    "#]],
    );
    says(
        &world,
        "eval --golden truth.csv --limit 1",
        &expect![[r#"
        truth.csv: generation 1
          9 rows: 9 must be found (9 questions); 2 entities are judged

                   hits  false missed  precision            recall               F1                   valid_from           valid_to
        supplies      2      2      7  0.500 (0.150–0.850)  0.222 (0.063–0.547)  0.308 (0.098–0.646)  1.000 (0.342–1.000)  0.500 (0.095–0.905)
        all           2      2      7  0.500 (0.150–0.850)  0.222 (0.063–0.547)  0.308 (0.098–0.646)  1.000 (0.342–1.000)  0.500 (0.095–0.905)

        found, and not in the file (2)
          Voltanix GmbH (Supplier:S2) supplies Radio Module (Component:C1) [2023-06-01, ∞)
            letters/a.md:15: »Voltanix supplies the Radio Module since 1 June 2023.«
          and 1 more

        in the file, and not found (7)
          "Orion Systems" supplies Radio Module (Component:C1) (line 9)
            nobody is called "Orion Systems"
          and 6 more

        found with other dates (1)
          TechChip Inc (Supplier:S1) supplies Main Board (Component:C2): [2024-05-01, 2025-02-01) in the file (line 3), [2024-05-01, 2025-01-01) in the graph
            letters/a.md:5: »TechChip supplies the Main Board since 1 May 2024 until 31 December 2024.«
        code 0
    "#]],
    );
    says(
        &world,
        "eval --golden truth.csv --markdown --limit 2",
        &expect![[r###"
        ## truth.csv: generation 1

        9 rows: 9 must be found (9 questions); 2 entities are judged

        | | hits | false | missed | precision | recall | F1 | valid_from | valid_to |
        |---|---|---|---|---|---|---|---|---|
        | supplies | 2 | 2 | 7 | 0.500 (0.150–0.850) | 0.222 (0.063–0.547) | 0.308 (0.098–0.646) | 1.000 (0.342–1.000) | 0.500 (0.095–0.905) |
        | all | 2 | 2 | 7 | 0.500 (0.150–0.850) | 0.222 (0.063–0.547) | 0.308 (0.098–0.646) | 1.000 (0.342–1.000) | 0.500 (0.095–0.905) |

        ### found, and not in the file (2)

        - Voltanix GmbH (Supplier:S2) supplies Radio Module (Component:C1) \[2023-06-01, ∞)
          - letters/a.md:15: »Voltanix supplies the Radio Module since 1 June 2023.«
        - Voltanix GmbH (Supplier:S2) supplies Door Seal (Component:C6) \[2024-07-01, ∞)
          - memos/m.md:3: »Voltanix supplies the Door Seal since 1 July 2024.«

        ### in the file, and not found (7)

        - "Orion Systems" supplies Radio Module (Component:C1) (line 9)
          - nobody is called "Orion Systems"
        - TechChip Inc (Supplier:S1) supplies Zinc Plate (Component:C5) (line 7)
          - a sentence names it, and no rule comes near
          - letters/a.md:11: »The Zinc Plate stands in the hall of TechChip.«
        - and 5 more

        ### found with other dates (1)

        - TechChip Inc (Supplier:S1) supplies Main Board (Component:C2): \[2024-05-01, 2025-02-01) in the file (line 3), \[2024-05-01, 2025-01-01) in the graph
          - letters/a.md:5: »TechChip supplies the Main Board since 1 May 2024 until 31 December 2024.«
        code 0
    "###]],
    );
}

#[test]
fn a_map_says_which_rows_must_be_found_and_what_they_are() {
    let world = world();
    world.put(
        r#"
//- known.csv
who;what;part;stated;start
TechChip;DELIVERS;Radio Module;yes;01.03.2024
TechChip;DELIVERS;Main Board;no;
Voltanix;EITHER;Radio Module;yes;02.06.2023
TechChip;EITHER;Door Seal;yes;
TechChip;VISITS;Zinc Plate;yes;
Helvetic;DELIVERS;Gasket;yes;
Nobody;DELIVERS;Gasket;yes;
//- known.yaml
format: { delimiter: ";" }
subject: who
object: part
valid_from: start
dates: { format: "%d.%m.%Y" }
edges:
  - { edge: supplies, where: { what: DELIVERS } }
  - { edge: [supplies, tests], where: { what: [EITHER] } }
asked: { stated: "yes" }
judged: { feed: suppliers, where: { Coded: "yes" } }
together: { "has to do with": [supplies, tests] }
"#,
    );
    // What may be found counts neither way, VISITS among it; of those who are not coded nothing is judged. The secret
    // memo's edge is wrong for those who see it, and there for nobody else.
    counts(
        &world,
        "--golden known.csv --map known.yaml",
        &expect![[r#"
        supplies 2/1/0 valid_from 1/2 valid_to 0/0
        tests 1/0/0 valid_from 0/0 valid_to 0/0
        has to do with 3/1/0 valid_from 1/2 valid_to 0/0
        all 3/1/0 valid_from 1/2 valid_to 0/0
    "#]],
    );
    counts(
        &world,
        "--golden known.csv --map known.yaml --access none",
        &expect![[r#"
        supplies 2/0/0 valid_from 1/2 valid_to 0/0
        tests 1/0/0 valid_from 0/0 valid_to 0/0
        has to do with 3/0/0 valid_from 1/2 valid_to 0/0
        all 3/0/0 valid_from 1/2 valid_to 0/0
    "#]],
    );
    let rows = world.cmd("eval --golden known.csv --map known.yaml --output json").json();
    expect![[r#"{"all":7,"asked":3,"may":2,"not_judged":2,"not_judged_unknown":1,"questions":3} 2"#]]
        .assert_eq(&format!("{} {}", rows["sets"][0]["rows"], rows["sets"][0]["judged"]));
    world.put("//- objects.yaml\nformat: { delimiter: \";\" }\nsubject: who\nobject: part\nedges: [{ edge: supplies, where: { what: DELIVERS } }]\njudged: { side: object }\n");
    counts(
        &world,
        "--golden known.csv --map objects.yaml",
        &expect![[r#"
        supplies 2/2/2 valid_from 0/0 valid_to 0/0
        all 2/2/2 valid_from 0/0 valid_to 0/0
    "#]],
    );
}

#[test]
fn dates_are_compared_as_they_are_told() {
    let world = world();
    world.put(
        r#"
//- days.csv
subject,type,object,valid_from,valid_to
TechChip,supplies,Radio Module,2024-03,
TechChip,supplies,Main Board,2024,2024-12-31
//- days.yaml
dates: { ends: inclusive, open: ["-"] }
//- year.csv
subject,type,object,valid_from,valid_to
TechChip,supplies,Radio Module,2023,-
TechChip,supplies,Main Board,,2024
"#,
    );
    // An end is the last day, and an empty cell says nothing of it.
    counts(
        &world,
        "--golden days.csv --map days.yaml",
        &expect![[r#"
        supplies 2/0/0 valid_from 2/2 valid_to 1/1
        all 2/0/0 valid_from 2/2 valid_to 1/1
    "#]],
    );
    counts(
        &world,
        "--golden year.csv --map days.yaml",
        &expect![[r#"
        supplies 2/0/0 valid_from 0/1 valid_to 2/2
        all 2/0/0 valid_from 0/1 valid_to 2/2
    "#]],
    );
    // Without a map an empty cell is an open end, and a day is the first that no longer belongs.
    counts(
        &world,
        "--golden days.csv",
        &expect![[r#"
        supplies 2/0/0 valid_from 2/2 valid_to 1/2
        all 2/0/0 valid_from 2/2 valid_to 1/2
    "#]],
    );
    // A table that does not say whether an end is the last day is right with both.
    world.put(
        r#"
//- either.yaml
dates: { ends: either }
//- behind.csv
subject,type,object,valid_from,valid_to
TechChip,supplies,Main Board,,2025-01-01
//- last.csv
subject,type,object,valid_from,valid_to
TechChip,supplies,Main Board,,2024-12-31
//- before.csv
subject,type,object,valid_from,valid_to
TechChip,supplies,Main Board,,2024-12-30
"#,
    );
    for (golden, right) in [("behind", 1), ("last", 1), ("before", 0)] {
        let command = format!("eval --golden {golden}.csv --map either.yaml --output json");
        let answer: Value = serde_json::from_str(&world.cmd(&command).stdout).unwrap();
        let expected = format!("valid_from 0/0 valid_to {right}/1\n");
        assert!(figures(&answer).ends_with(&expected), "{golden}: {}", figures(&answer));
    }
    // What the file itself says of other days is not asked on this one.
    counts(
        &world,
        "--golden days.csv --as-of 2025-06-01",
        &expect![[r#"
        supplies 1/0/0 valid_from 1/1 valid_to 1/1
        all 1/0/0 valid_from 1/1 valid_to 1/1
    "#]],
    );
    counts(
        &world,
        "--golden days.csv --as-of 2023-06-01",
        &expect![[r#"
        supplies 0/0/0 valid_from 0/0 valid_to 0/0
        all 0/0/0 valid_from 0/0 valid_to 0/0
    "#]],
    );
}

#[test]
fn an_export_is_a_golden_set_of_itself_and_what_moves_is_told() {
    let world = world();
    let export = world.cmd("export").expect_code(0).stdout;
    world.write("before.jsonl", export.as_bytes());
    let before = world.cmd("eval --golden before.jsonl --output json").expect_code(0).stdout;
    expect![[r#"
        supplies 5/0/0 valid_from 4/4 valid_to 5/5
        tests 1/0/0 valid_from 0/0 valid_to 1/1
        all 6/0/0 valid_from 4/4 valid_to 6/6
    "#]]
    .assert_eq(&figures(&serde_json::from_str(&before).unwrap()));
    world.write("before.json", before.as_bytes());
    says(
        &world,
        "eval --golden before.jsonl --against before.json",
        &expect![[r#"
        before.jsonl: generation 1
          6 rows: 6 must be found (6 questions); 3 entities are judged

                   hits  false missed  precision            recall               F1                   valid_from           valid_to
        supplies      5      0      0  1.000 (0.566–1.000)  1.000 (0.566–1.000)  1.000 (0.722–1.000)  1.000 (0.510–1.000)  1.000 (0.566–1.000)
        tests         1      0      0  1.000 (0.207–1.000)  1.000 (0.207–1.000)  1.000 (0.342–1.000)  –                    1.000 (0.207–1.000)
        all           6      0      0  1.000 (0.610–1.000)  1.000 (0.610–1.000)  1.000 (0.758–1.000)  1.000 (0.510–1.000)  1.000 (0.610–1.000)

        nothing moved since generation 1
        code 0
    "#]],
    );
    world.put(
        "//- letters/b.md\n# More\n\nTechChip supplies the Gasket.\n//- remove memos/m.md\n//- memos/n.md\n# Other\n\nNothing.\n",
    );
    world.run();
    says(
        &world,
        "eval --golden before.jsonl --against before.json",
        &expect![[r#"
            before.jsonl: generation 2
              6 rows: 6 must be found (6 questions); 3 entities are judged

                       hits  false missed  precision            recall               F1                   valid_from           valid_to
            supplies      4      1      1  0.800 (0.376–0.964)  0.800 (0.376–0.964)  0.800 (0.462–0.949)  1.000 (0.439–1.000)  1.000 (0.510–1.000)
            tests         1      0      0  1.000 (0.207–1.000)  1.000 (0.207–1.000)  1.000 (0.342–1.000)  –                    1.000 (0.207–1.000)
            all           5      1      1  0.833 (0.436–0.970)  0.833 (0.436–0.970)  0.833 (0.528–0.957)  1.000 (0.439–1.000)  1.000 (0.566–1.000)

            found, and not in the file (1)
              TechChip Inc (Supplier:S1) supplies Gasket (Component:C7) [?, ∞)
                letters/b.md:3: »TechChip supplies the Gasket.«

            in the file, and not found: 1 named and not read (1)
              Voltanix GmbH (Supplier:S2) supplies Door Seal (Component:C6) (line 16)
                a sentence names it, and no rule comes near
                letters/a.md:13: »TechChip tests the Door Seal.«

            moved since generation 1 (6)
              precision of all: 1.000 → 0.833
              recall of all: 1.000 → 0.833
              f1 of all: 1.000 → 0.833
              precision of supplies: 1.000 → 0.800
              recall of supplies: 1.000 → 0.800
              f1 of supplies: 1.000 → 0.800

            newly missed (1)
              Voltanix GmbH supplies Door Seal

            newly found, and not in the file (1)
              TechChip Inc supplies Gasket
            code 0
        "#]],
    );
    world.write("other.json", b"{}");
    says(
        &world,
        "eval --golden before.jsonl --against other.json",
        &expect![[r#"
        error: `other.json` is no earlier evaluation: missing field `version` at line 1 column 2
          hint: write one with `edgewright eval --golden FILE --output json`
        code 2
    "#]],
    );
    let newer = before.replacen("\"version\":1", "\"version\":9", 1);
    world.write("newer.json", newer.as_bytes());
    says(
        &world,
        "eval --golden before.jsonl --against newer.json",
        &expect![[r#"
        error: `newer.json` has version 9, and this program 1
          hint: write one with `edgewright eval --golden FILE --output json`
        code 2
    "#]],
    );
}

#[test]
fn the_golden_set_of_a_job_has_floors() {
    let world = world();
    world.put(TRUTH);
    says(
        &world,
        "eval",
        &expect![[r#"
        error: no job declares a golden set
          hint: name a file with `--golden FILE`, or write `golden: { file: … }` in a job
        code 2
    "#]],
    );
    let job = world.path("jobs/nightly.yaml");
    let declare = |floors: &str| {
        let text = format!(
            "{}golden: {{ file: truth.csv, floors: {{ {floors} }} }}\n",
            FIXTURE.split("//- jobs/nightly.yaml\n").nth(1).unwrap().split("//- ").next().unwrap()
        );
        world.write("jobs/nightly.yaml", text.as_bytes());
    };
    assert!(job.exists());
    declare("recall: 20%, types: { supplies: { precision: 0.3 } }");
    assert!(
        world.cmd("eval").expect_code(0).stdout.starts_with("truth.csv of the job nightly: generation 1")
    );
    declare("precision: 0.9, valid_from: 1, types: { supplies: { recall: 0.5, valid_to: 0.9 } }");
    let said = world.cmd("eval --limit 0").expect_code(3);
    let below = said.stdout.split("\n\n").nth(2).unwrap();
    expect![[r#"
        below their floor (3)
          precision of all: 0.500, below 0.9
          recall of supplies: 0.222, below 0.5
          valid_to of supplies: 0.500, below 0.9"#]]
    .assert_eq(below);
    declare("types: { suplies: { precision: 0.9 } }");
    says(
        &world,
        "eval",
        &expect![[r#"
        error: there is a floor for `suplies`, and no figure
          hint: `truth.csv` has figures for supplies
        code 2
    "#]],
    );
    declare("precision: 120%, recal: 0.9");
    says(
        &world,
        "eval",
        &expect![[r#"
        note: the configuration has errors (`edgewright check` lists them)
        jobs/nightly.yaml:9:49: error[config-value]: `precision` cannot be `120%`
         9 | golden: { file: truth.csv, floors: { precision: 120%, recal: 0.9 } }
           |                                                 ^^^^
          hint: write a share from 0 to 1 such as `0.8` or `80%`
        jobs/nightly.yaml:9:55: error[config-unknown-key]: `floors` has no key `recal`
         9 | golden: { file: truth.csv, floors: { precision: 120%, recal: 0.9 } }
           |                                                       ^^^^^
          hint: did you mean `recall`?
        error: the configuration is invalid
          hint: nothing was read or written; mend the files and try again
        code 2
    "#]],
    );
}

#[test]
fn everything_that_is_wrong_with_a_map_is_told_at_once() {
    let world = world();
    world.put(TRUTH);
    world.put(
        r#"
//- wrong.yaml
format: { delimiter: ";;" }
subjet: subject
type: type
dates: { ends: sometimes }
edges:
  - { edge: suplies, where: { type: x } }
  - { where: { type: y } }
  - { edge: [] }
judged: { side: both, feed: suplliers, where: { Coded: "yes" } }
together: { tests: [tests, tests] }
//- half.yaml
judged: { where: { Coded: "yes" } }
"#,
    );
    says(
        &world,
        "eval --golden truth.csv --map wrong.yaml",
        &expect![[r#"
        wrong.yaml:1:22: error[config-value]: `delimiter` is one ASCII character, not `;;`
         1 | format: { delimiter: ";;" }
           |                      ^^^^
          hint: write it in quotes, or `tab`
        wrong.yaml:2:1: error[config-unknown-key]: a golden map has no key `subjet`
         2 | subjet: subject
           | ^^^^^^
          hint: did you mean `subject`?
        wrong.yaml:3:1: error[config-value]: `type` and `edges` both say what a row is
         3 | type: type
           | ^^^^
          hint: leave one of the two out
        wrong.yaml:4:16: error[config-value]: `ends` cannot be `sometimes`
         4 | dates: { ends: sometimes }
           |                ^^^^^^^^^
          hint: write one of `exclusive`, `inclusive`, `either`
        wrong.yaml:6:13: error[config-unknown-name]: there is no edge type `suplies`
         6 |   - { edge: suplies, where: { type: x } }
           |             ^^^^^^^
          hint: did you mean `supplies`?
        wrong.yaml:7:5: error[config-missing-key]: an entry of `edges` needs the key `edge`
         7 |   - { where: { type: y } }
           |     ^
          hint: `edge`: the edge type, or several of which any is right
        wrong.yaml:8:13: error[config-value]: no edge type is named
         8 |   - { edge: [] }
           |             ^
          hint: name at least one
        wrong.yaml:9:17: error[config-value]: `side` cannot be `both`
         9 | judged: { side: both, feed: suplliers, where: { Coded: "yes" } }
           |                 ^^^^
          hint: write one of `subject`, `object`
        wrong.yaml:9:29: error[config-unknown-name]: there is no feed `suplliers`
         9 | judged: { side: both, feed: suplliers, where: { Coded: "yes" } }
           |                             ^^^^^^^^^
          hint: did you mean `suppliers`?
        wrong.yaml:10:13: error[config-duplicate-name]: the group `tests` is called like an edge type
         10 | together: { tests: [tests, tests] }
            |             ^^^^^
          hint: give it a name of its own
        wrong.yaml:10:28: error[config-duplicate-name]: the edge type `tests` is named twice
         10 | together: { tests: [tests, tests] }
            |                            ^^^^^
          hint: keep one of the two
        error: the configuration is invalid
          hint: nothing was read or written; mend the files and try again
        code 2
    "#]],
    );
    says(
        &world,
        "eval --golden truth.csv --map half.yaml",
        &expect![[r#"
        half.yaml:1:11: error[config-missing-key]: `where` selects rows of a feed, and no feed is named
         1 | judged: { where: { Coded: "yes" } }
           |           ^^^^^
          hint: add `feed: …`
        error: the configuration is invalid
          hint: nothing was read or written; mend the files and try again
        code 2
    "#]],
    );
}

#[test]
fn everything_that_is_wrong_with_a_golden_file_is_told_at_once() {
    let world = world();
    world.put(
        "
//- bad.csv
subject,type,object,valid_from
TechChip,suplies,Radio Module,
,supplies,Main Board,soon
Voltanix,supplies,,2024-02-30
//- one.csv
subject;type;object
S1;supplies;C1
//- other.csv
source,edge,target
S1,supplies,C1
//- lines.jsonl
{\"subject\":\"S1\",\"type\":\"supplies\",\"object\":\"C1\",\"valid_to\":null}
[1]
{\"subject\":\"S1\"
",
    );
    says(
        &world,
        "eval --golden bad.csv",
        &expect![[r#"
        bad.csv:2: error[golden-row]: there is no edge type `suplies`
          hint: did you mean `supplies`?
        bad.csv:3: error[golden-row]: `soon` is not an ISO date, in the column `valid_from`
          hint: write dates as 2024-02-17, 2024-02 or 2024, or declare `dates.format`
        bad.csv:3: error[golden-row]: the subject in the column `subject` is empty
          hint: write a key, a name or an alias
        bad.csv:4: error[golden-row]: the object in the column `object` is empty
          hint: write a key, a name or an alias
        bad.csv:4: error[golden-row]: there is no such day as `2024-02-30`, in the column `valid_from`
          hint: correct the feed, or list the value under `dates.open`
        error: the configuration is invalid
          hint: nothing was read or written; mend the files and try again
        code 2
    "#]],
    );
    says(
        &world,
        "eval --golden one.csv",
        &expect![[r#"
        one.csv: error[feed-column-missing]: there is no column `object`
          hint: the header is one cell; a map says the delimiter: `format: { delimiter: ";" }`
        one.csv: error[feed-column-missing]: there is no column `subject`
          hint: the header is one cell; a map says the delimiter: `format: { delimiter: ";" }`
        one.csv: error[feed-column-missing]: there is no column `type`
          hint: the header is one cell; a map says the delimiter: `format: { delimiter: ";" }`
        error: the configuration is invalid
          hint: nothing was read or written; mend the files and try again
        code 2
    "#]],
    );
    says(
        &world,
        "eval --golden other.csv",
        &expect![[r#"
        other.csv: error[feed-column-missing]: there is no column `object`
          hint: the columns are `source`, `edge`, `target`; a map says which is which
        other.csv: error[feed-column-missing]: there is no column `subject`
          hint: the columns are `source`, `edge`, `target`; a map says which is which
        error: the configuration is invalid
          hint: nothing was read or written; mend the files and try again
        code 2
    "#]],
    );
    says(
        &world,
        "eval --golden lines.jsonl",
        &expect![[r#"
            lines.jsonl:2: error[golden-row]: not a JSON object: invalid type: sequence, expected an object
              hint: write one object a line
            lines.jsonl:3:15: error[golden-row]: not a JSON object: EOF while parsing an object
              hint: write one object a line
            error: the configuration is invalid
              hint: nothing was read or written; mend the files and try again
            code 2
        "#]],
    );
    let said = world.cmd("eval --golden nowhere.csv").expect_code(2).stderr;
    assert!(said.starts_with("error: cannot read `nowhere.csv`: "), "{said}");
    // What is only to be known stands above the figures.
    world.write("latin.csv", b"subject,type,object\nS1,supplies,C1\nCaf\xe9,supplies,C1\n");
    let said = world.cmd("eval --golden latin.csv").expect_code(0).stdout;
    expect![[r#"
        latin.csv: generation 1
          2 rows: 2 must be found (2 questions); 1 entity is judged
          latin.csv: note[feed-encoding-guessed]: read as windows-1252, which was guessed
            hint: declare `encoding`, so that another guess cannot change the names"#]]
    .assert_eq(&said.lines().take(4).collect::<Vec<_>>().join("\n"));
}

#[test]
fn names_that_several_have_and_edges_of_no_document_are_told() {
    let world = world();
    world.put(
        "
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Brake Pad
C4,Tail Cone
C5,Zinc Plate
C6,Door Seal
C7,Main Board
//- truth.csv
subject,type,object
TechChip,supplies,Main Board
Helvetic,supplies,C1
",
    );
    world.run();
    let answer = world.cmd("eval --golden truth.csv --output json").expect_code(0).json();
    let why: Vec<String> = answer["sets"][0]["misses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|miss| format!("{}: {}\n", miss["why"]["kind"], miss["why"]["text"]))
        .collect();
    expect![[r#"
        "waits": "waits in quarantine: \"Main Board\" may be Main Board (Component:C2) or Main Board (Component:C7) (endpoint-ambiguous)"
        "unread": "a sentence names it, and no rule comes near"
    "#]].assert_eq(&why.concat());
}
