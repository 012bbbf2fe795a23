//! Ends, denials, and what a sentence does not say: cases 48 to 55, from papers to answers.

use crate::world::World;

/// One sentence form, one that says that it has ended, a table with its vendor, an act that amends sections.
const PARTS: &str = r###"
//- ontology/parts.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
  Act:       { system_of_record: acts }
  Section:   { key: [number], written: "Section {number}", create: from text }
edges:
  supplies: { subject: Supplier, object: Component }
  amends:   { subject: Act, object: Section }
words:
  SUPPLY: [supply~]
  CEASE:  [cease~]
rules:
- id: supplies.clause
  edge: supplies
  match: "{subject:Supplier} [(shall|will)] SUPPLY {object:Component+} [from {valid_from:date}]"
  examples:
    - text: "ShenzenChip shall supply the Flight Control Unit."
      finds: "ShenzenChip supplies Flight Control Unit"
    - text: "ShenzenChip may supply the Flight Control Unit."
      finds: nothing
- id: supplies.end
  edge: supplies
  asserts: end
  match: "{subject:Supplier} [has] CEASE to SUPPLY {object:Component+} [on {valid_to:date}]"
  examples:
    - text: "ShenzenChip ceased to supply the Flight Control Unit on 16 February 2024."
      finds: "ShenzenChip supplies Flight Control Unit until 2024-02-16"
    - text: "ShenzenChip has not ceased to supply the Flight Control Unit."
      finds: nothing
- id: supplies.vendor
  bind: vendor
  match: "the vendor is {vendor:Supplier}"
  for: document
  examples:
    - text: "The vendor is ShenzenChip."
      finds: nothing
    - text: "The vendor is not known."
      finds: nothing
- id: supplies.table
  edge: supplies
  subject: vendor
  table: { under: { heading: [Goods] }, object: [Part], valid_from: [From] }
  examples:
    - text: |
        The vendor is ShenzenChip.

        ## Goods

        | Part | From |
        |---|---|
        | Flight Control Unit | 2024-01-01 |
      finds: "ShenzenChip supplies Flight Control Unit from 2024-01-01"
    - text: "## Goods"
      finds: nothing
- id: code.head
  bind: target
  match: "{target:Section} is amended as follows"
  for: items below
  examples:
    - text: "Section 7 is amended as follows:"
      finds: nothing
    - text: "Section 7 is amended."
      finds: nothing
- id: code.item
  edge: amends
  subject: self
  object: target
  match: "Paragraph ... is (amended|repealed|added)"
  examples:
    - text: |
        Section 7 is amended as follows:

        - Paragraph (a) is repealed.
      given: { self: A1 }
      finds: "self amends Section 7"
    - text: "Paragraph (a) is repealed."
      given: { self: A1 }
      finds: nothing
//- jobs/parts.yaml
job: parts
ontology: parts
owner: parts-data
sources:
  papers:
    path: papers
    documents: [ { self: Act, name: "{act}_act.*" } ]
feeds:
  suppliers:  { path: suppliers.csv, entity: { type: Supplier, key: No, names: Name } }
  components: { path: components.csv, entity: { type: Component, key: No, names: Name } }
  acts:       { path: acts.csv, entity: { type: Act, key: No, names: Name } }
//- suppliers.csv
No,Name
S,ShenzenChip Ltd
T,"TechChip, Inc."
//- components.csv
No,Name
FCU,Flight Control Unit
RM,Radio Module
BA,Brake Actuator
//- acts.csv
No,Name
A1,Repair Act
"###;

/// The end, on a stated day.
const DATED_END: &str = "
//- papers/end.md
ShenzenChip ceased to supply the Flight Control Unit on 16 February 2024.
";

fn parts(papers: &[&str]) -> World {
    World::new(&format!("{PARTS}{}", papers.concat()))
}

#[test]
fn case_48_a_dated_denial_ends_what_was_attested() {
    for (contract, start, shown) in [
        ("ShenzenChip shall supply the Flight Control Unit.", "?", "start unknown"),
        (
            "ShenzenChip shall supply the Flight Control Unit from 1 January 2020.",
            "2020-01-01",
            "since 2020-01-01",
        ),
    ] {
        let world = parts(&[&format!("//- papers/s.md\n{contract}\n")]);
        world.run();
        world.says(&format!("S supplies FCU [{start}, ∞) ×1"));
        world.put(DATED_END);
        world.run();
        world.says(&format!("S supplies FCU [{start}, 2024-02-17) ×1"));
        let why = world.cmd("why S").expect_code(0).stdout;
        assert!(why.contains(&format!("{shown} until 2024-02-16 (last day); ended\n")), "{why}");
        // The sentence is evidence of the end and of nothing else.
        assert!(
            why.contains(
                "ended on 2024-02-17: »ShenzenChip ceased to supply the Flight Control Unit on 16 February 2024.«\n"
            ),
            "{why}"
        );
        assert!(why.contains("papers/end.md:1 (says that it has ended)\n"), "{why}");
        // Without the sentence there is no end.
        world.put("//- remove papers/end.md");
        world.run();
        world.says(&format!("S supplies FCU [{start}, ∞) ×1"));
    }
}

#[test]
fn case_49_a_denial_waits_for_its_fact() {
    let world = parts(&[DATED_END]);
    let report = world.run();
    world.says("");
    assert_eq!(report["totals"]["pending_ends"], 1);
    let status = world.cmd("status").expect_code(0).stdout;
    assert!(status.contains("1 waiting end for an attestation"), "{status}");
    world.put("//- papers/s.md\nShenzenChip shall supply the Flight Control Unit from 1 January 2020.\n");
    let report = world.run();
    world.says("S supplies FCU [2020-01-01, 2024-02-17) ×1");
    assert_eq!(report["totals"]["pending_ends"], 0);
    // Both at once give the same.
    let at_once = parts(&[
        DATED_END,
        "//- papers/s.md\nShenzenChip shall supply the Flight Control Unit from 1 January 2020.\n",
    ]);
    at_once.run();
    assert_eq!(at_once.graph(), world.graph());
    // The fact goes and the end waits again.
    world.put("//- remove papers/s.md");
    let report = world.run();
    world.says("");
    assert_eq!(report["totals"]["pending_ends"], 1);
}

#[test]
fn case_50_an_undated_denial_ends_on_an_unknown_day_before_its_document() {
    let world = parts(&[
        "//- papers/s.md\nShenzenChip shall supply the Flight Control Unit from 1 January 2020.\n",
        "//- papers/end.md\nDated: 2024-05-01\n\nShenzenChip has ceased to supply the Flight Control Unit.\n",
    ]);
    world.run();
    world.says("S supplies FCU [2020-01-01, 2024-05-01) ×1 (end unknown)");
    let why = world.cmd("why S").expect_code(0).stdout;
    assert!(why.contains("since 2020-01-01, ended on an unknown day before 2024-05-01; ended\n"), "{why}");
    for (day, holds) in [("2024-04-30", true), ("2024-05-01", false), ("2026-06-01", false)] {
        let shown = world.cmd(&format!("show FCU --as-of {day}")).expect_code(0).stdout;
        assert_eq!(shown.contains("(Supplier:S)"), holds, "{day}: {shown}");
    }
    // In a document without a day nobody can say from when on it does not hold: a person is asked.
    world.put("//- papers/end.md\nShenzenChip has ceased to supply the Flight Control Unit.\n");
    world.run();
    world.says(
        "S supplies FCU [2020-01-01, ∞) ×1
         ? S supplies FCU: date-missing",
    );
}

/// Each sentence, and what `try` says is in the way.
const NOT_SAID: &[(&str, &str)] = &[
    ("ShenzenChip does not supply the Flight Control Unit.", "negation: `not`"),
    ("ShenzenChip would supply the Flight Control Unit if it had a licence.", "hypothetical: `would`"),
    ("If the licence is granted, ShenzenChip shall supply the Flight Control Unit.", "hypothetical: `If`"),
    ("ShenzenChip may supply the Flight Control Unit.", "permission: `may`"),
    ("The claim that ShenzenChip supplies the Flight Control Unit is wrong.", "attribution: `The claim`"),
    ("Nobody believes that ShenzenChip supplies the Flight Control Unit.", "negation: `Nobody`"),
];

#[test]
fn case_51_what_is_denied_supposed_permitted_or_claimed_is_not_said() {
    let text: Vec<&str> = NOT_SAID.iter().map(|(sentence, _)| *sentence).collect();
    let world = parts(&[&format!("//- papers/letter.md\n{}\n", text.join("\n\n"))]);
    world.run();
    world.says("");
    let tried = world.cmd("try supplies.clause").expect_code(0).stdout;
    assert!(tried.starts_with("supplies.clause: 0 matches in 1 document\n"), "{tried}");
    for (nth, (sentence, obstacle)) in NOT_SAID.iter().enumerate() {
        let line = nth * 2 + 1;
        let group = tried.split("\n\n").find(|group| group.contains(sentence)).unwrap_or_default();
        assert!(group.starts_with(&format!("near misses: {obstacle} (")), "{sentence}\n{tried}");
        assert!(group.contains(&format!("papers/letter.md:{line}: »{sentence}«")), "{tried}");
    }
}

#[test]
fn case_52_quoted_text_is_not_operative() {
    let world = parts(&["
//- papers/letter.md
The letter is amended by striking the phrase \"ShenzenChip supplies the Flight Control Unit\".
"]);
    world.run();
    world.says("");
    let tried = world.cmd("try supplies.clause").expect_code(0).stdout;
    assert!(tried.contains("near misses: quotation: `\"` (1)\n"), "{tried}");
}

#[test]
fn case_53_lists_table_rows_and_outline_items() {
    let world = parts(&["
//- papers/list.md
ShenzenChip supplies the Flight Control Unit, the Radio Module and the Brake Actuator.
//- papers/table.md
The vendor is TechChip.

## Goods

| Part         | From       |
|--------------|------------|
| Radio Module | 2024-03-01 |
| FCU          | 2024-04-01 |

## Samples

| Part           | From       |
|----------------|------------|
| Brake Actuator | 2024-03-01 |
//- papers/A1_act.md
Section 7 is amended as follows:

- Paragraph (a) is repealed.

Section 8 is kept.
"]);
    world.run();
    world.says(
        "A1 amends 7 [?, ∞) ×1
         S supplies BA [?, ∞) ×1
         S supplies FCU [?, ∞) ×1
         S supplies RM [?, ∞) ×1
         T supplies FCU [2024-04-01, ∞) ×1
         T supplies RM [2024-03-01, ∞) ×1",
    );
    let why = world.cmd("why A1").expect_code(0).stdout;
    assert!(why.contains("papers/A1_act.md:3"), "{why}");
    assert!(why.contains("»Paragraph (a) is repealed.«\n"), "{why}");
    assert!(why.contains("parent (line 1): \"Section 7 is amended as follows:\"\n"), "{why}");
    let why = world.cmd("why T RM").expect_code(0).stdout;
    assert!(why.contains("Part | From »Radio Module | 2024-03-01«"), "{why}");
    assert!(why.contains("header: \"Part | From\"\n"), "{why}");
    assert!(why.contains("binding (line 1): \"The vendor is TechChip.\"\n"), "{why}");
}

#[test]
fn case_54_a_defined_term_stands_for_whom_the_document_says() {
    let world = parts(&["
//- papers/defined.md
This agreement is made by TechChip, Inc. (\"Supplier\").

Supplier shall supply the Flight Control Unit.
//- papers/elsewhere.md
Supplier shall supply the Radio Module.
//- papers/twice.md
This agreement is made by TechChip, Inc. (\"Supplier\").

It is joined by ShenzenChip Ltd (\"Supplier\").

Supplier shall supply the Brake Actuator.
"]);
    world.run();
    world.says(
        "T supplies FCU [?, ∞) ×1
         ? Supplier supplies BA: endpoint-ambiguous
         ? Supplier supplies RM: endpoint-unknown",
    );
    let why = world.cmd("why T").expect_code(0).stdout;
    assert!(why.contains("»Supplier shall supply the Flight Control Unit.«\n"), "{why}");
    assert!(
        why.contains("definition (line 1): \"This agreement is made by TechChip, Inc. (\"Supplier\").\"\n"),
        "{why}"
    );
    let questions = world.cmd("quarantine").expect_code(0).stdout;
    assert!(
        questions.contains("\"Supplier\" may be ShenzenChip Ltd (Supplier:S) or TechChip, Inc. (Supplier:T)"),
        "{questions}"
    );
}

#[test]
fn case_55_a_changed_definition_extracts_exactly_its_users() {
    let agreement = |party: &str| {
        format!(
            "
//- papers/agreement.md
This agreement is made by {party} (\"Supplier\").

Supplier shall supply the Flight Control Unit.

ShenzenChip shall supply the Brake Actuator.

Supplier shall supply the Radio Module.

Prices are kept.
"
        )
    };
    let world = parts(&[
        &agreement("TechChip, Inc."),
        "//- papers/other.md\nSupplier shall supply the Radio Module.\n",
    ]);
    world.run();
    world.says(
        "S supplies BA [?, ∞) ×1
         T supplies FCU [?, ∞) ×1
         T supplies RM [?, ∞) ×1
         ? Supplier supplies RM: endpoint-unknown",
    );
    world.put(&agreement("ShenzenChip Ltd"));
    let report = world.run();
    world.says(
        "S supplies BA [?, ∞) ×1
         S supplies FCU [?, ∞) ×1
         S supplies RM [?, ∞) ×1
         ? Supplier supplies RM: endpoint-unknown",
    );
    assert_eq!(
        World::work(&report),
        [
            "papers/agreement.md:1 text changed",
            "papers/agreement.md:3 definition or other context changed",
            "papers/agreement.md:7 definition or other context changed",
        ]
    );
    assert_eq!(report["work"]["extracted"], 3);
    assert_eq!(report["work"]["kept"], 2);
    let changes: Vec<String> = report["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            let text = |name: &str| change[name].as_str().unwrap().to_owned();
            format!("{} {} ({}): {}", text("change"), text("says"), text("cause"), text("detail"))
        })
        .collect();
    let changed = |change: &str, who: &str, part: &str, line: u32, party: &str| {
        format!(
            "{change} Supplier:{who} supplies Component:{part} (definition_changed): papers/agreement.md:{line}, \
             definition: This agreement is made by {party} (\"Supplier\")."
        )
    };
    assert_eq!(
        changes,
        [
            changed("added", "S", "FCU", 3, "ShenzenChip Ltd"),
            changed("added", "S", "RM", 7, "ShenzenChip Ltd"),
            changed("retracted", "T", "FCU", 3, "TechChip, Inc."),
            changed("retracted", "T", "RM", 7, "TechChip, Inc."),
        ]
    );
}
