//! Acts that amend a code: keys that texts write in several ways, targets in parent lines, terms that expire.

use crate::world::World;

/// Acts of a made-up town. Its code has sections such as 12-104, its acts number their own from one.
const TOWN: &str = r#"
//- ontology/town.yaml
language: en
entities:
  Act: { system_of_record: register }
  Section:
    system_of_record: sections
    names: keys
    on_unknown: create
    keys:
      form: "Town Code §{title}-{number}"
      written:
        - "Town Code [§] {title}-{number}[\\({a}\\)[\\({b}\\)]]"
        - "section {title}-{number}[\\({a}\\)[\\({b}\\)]]"
edges:
  amends:  { subject: Act, object: Section }
  repeals: { subject: Act, object: Section }
rules:
- id: expiry
  bind: expiry
  match: "this act expires after {expiry:date}"
  for: document
- id: amends.cited
  edge: amends
  subject: self
  match: "{object:Section} [\\)] [,] is amended"
  valid_from: effective
  valid_to: expiry
- id: target
  bind: target
  match: "{target:Section} [\\)] [,] is amended"
  for: items below
- id: repeals.below
  edge: repeals
  subject: self
  object: target
  match: "is repealed"
  valid_from: effective
  valid_to: expiry
- id: repeals.cited
  edge: repeals
  subject: self
  match: "{object:Section} [\\)] [,] is repealed"
  valid_from: effective
  valid_to: expiry
//- jobs/town.yaml
job: town
ontology: town
owner: records
sources:
  acts:
    path: town/acts
    documents: [ { self: Act, name: "{act}.txt" } ]
    register: { feed: register, on: file }
    effective: effective
feeds:
  register: { path: acts.csv, entity: { type: Act, key: No, names: Name } }
  sections: { path: sections.csv, entity: { type: Section, key: Section, properties: { heading: Heading } } }
//- acts.csv
No,Name,file,effective
A1,Market Act,acts/A1.txt,2025-03-01
A2,Market Stopgap Act,town/acts/A2.txt,2025-04-01
//- sections.csv
Section,Heading
Town Code §12-104,Market days
Town Code §12-105,Fees
//- town/acts/A1.txt
Sec. 2. Section 4 of the Market Act (Town Code § 12-104(b)(2)), is amended by striking the word "two".

Sec. 3. Section 12-105(a) is amended as follows:
  (1) Paragraph (3) is repealed.

Sec. 4. Section 26a-1 (Town Code § 12-220) is repealed.
//- town/acts/A2.txt
Sec. 2. The Market Act (Town Code § 12-101 et seq.) is amended.

Sec. 3. Section 12-104 is amended by adding a word.

Sec. 4. This act expires after 90 days of its having taken effect.
"#;

#[test]
fn a_key_is_known_however_a_text_writes_it() {
    let world = World::new(TOWN);
    world.run();
    // The register's paths begin at other folders than the source. "Section 26a-1 (Town Code § 12-220)"
    // means the section in the parentheses, and a key that is in no feed makes an entity.
    world.says(
        "A1 amends Town Code §12-104 [2025-03-01, ∞) ×1
         A1 amends Town Code §12-105 [2025-03-01, ∞) ×1
         A1 repeals Town Code §12-105 [2025-03-01, ∞) ×1
         A1 repeals Town Code §12-220 [2025-03-01, ∞) ×1
         A2 amends Town Code §12-104 [2025-04-01, 2025-06-30) ×1",
    );
    let status = world.cmd("status").expect_code(0).stdout;
    assert!(status.contains("3 Section"), "{status}");
}

#[test]
fn no_capitalised_words_are_taken_for_a_key_and_what_leaves_the_text_leaves_the_graph() {
    let world = World::new(TOWN);
    world.put(
        "//- town/acts/A1.txt\nThe Market Fee is amended. Town Code § 12-104 and Paragraph is amended.\n",
    );
    world.run();
    world.says("A2 amends Town Code §12-104 [2025-04-01, 2025-06-30) ×1");
    assert!(world.cmd("gaps").expect_code(0).stdout.contains("nothing"), "{}", world.cmd("gaps").stdout);
}

#[test]
fn a_form_of_keys_that_says_too_little_or_too_much_is_named() {
    let world = World::new(TOWN);
    let text = std::fs::read_to_string(world.path("ontology/town.yaml")).unwrap();
    let broken = text
        .replace("\"section {title}-{number}[", "\"section {number}[")
        .replace("form: \"Town Code §{title}", "form: \"Town [Code] §{title}");
    std::fs::write(world.path("ontology/town.yaml"), broken).unwrap();
    let stderr = world.cmd("check").expect_code(2);
    let said = format!("{}{}", stderr.stdout, stderr.stderr);
    assert!(said.contains("does not say `{title}`, which is part of the key"), "{said}");
    assert!(said.contains("can be filled in several ways, so nobody knows the key"), "{said}");
}
