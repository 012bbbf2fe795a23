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
        - "Town Code [§|§§] {title}-{number}[\\({a}\\)[\\({b}\\)]]"
        - "section {title}-{number}[\\({a}\\)[\\({b}\\)]]"
      listed: "[§] {title}-{number}[\\({a}\\)]"
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
  match: "{object:Section+} [\\)] [,] (is|are) repealed"
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
    world.run();
    assert!(world.cmd("status").expect_code(0).stdout.contains("3 Section"));
    world.put(
        "//- town/acts/A1.txt
The Market Fee is amended. Town Code § 12-104 and Paragraph is amended.

The rest of this act stays as it was and says nothing of a section, so that half of its text is left.
",
    );
    world.run();
    world.says("A2 amends Town Code §12-104 [2025-04-01, 2025-06-30) ×1");
    // The text made one section, and it went with the text.
    assert!(world.cmd("status").expect_code(0).stdout.contains("2 Section"));
    assert!(world.cmd("gaps").expect_code(0).stdout.contains("nothing"), "{}", world.cmd("gaps").stdout);
}

#[test]
fn a_key_in_capitals_or_over_two_lines_is_the_same_key() {
    let world = World::new(TOWN);
    world.put(
        "//- town/acts/A1.txt
Sec. 2. Town Code §12-301 is amended.

Sec. 3. Town
Code §12-301 is amended.

Sec. 4. TOWN CODE §12-301 is amended.

Sec. 5. Town  Code §12-301 is amended.
",
    );
    world.run();
    world.says(
        "A1 amends Town Code §12-301 [2025-03-01, ∞) ×4
         A2 amends Town Code §12-104 [2025-04-01, 2025-06-30) ×1",
    );
}

#[test]
fn a_list_of_keys_goes_on_with_bare_numbers() {
    let world = World::new(TOWN);
    world.put(
        "//- town/acts/A1.txt
Sec. 2. Sections 4, 5a and 6 of the Market Act (Town Code §§ 12-301, 12-302(b), and § 12-303) are repealed.

Sec. 3. Town Code § 12-304 or 12-305 is repealed.

Sec. 4. Town Code § 12-306, as read with 12-307, and 12-308 are repealed.

Sec. 5. Town Code § 12-309, and 12-month permits are repealed.
",
    );
    world.run();
    // Of a choice nothing is said; what stands apart from the list, or is no number, belongs to none.
    world.says(
        "A1 repeals Town Code §12-301 [2025-03-01, ∞) ×1
         A1 repeals Town Code §12-302 [2025-03-01, ∞) ×1
         A1 repeals Town Code §12-303 [2025-03-01, ∞) ×1
         A2 amends Town Code §12-104 [2025-04-01, 2025-06-30) ×1",
    );
}

/// A type whose entities a feed names, that stand in each other's rows, and of which texts make new ones.
const PARTS: &str = r#"
//- ontology/parts.yaml
language: en
entities:
  Memo: { key: [memo], create: from document, on_unknown: create, keys: "MEM-{memo}" }
  Component: { system_of_record: parts, on_unknown: create, keys: "CMP-{number}" }
edges:
  cites: { subject: Memo, object: Component }
  part_of: { subject: Component, object: Component }
rules:
- id: cites
  edge: cites
  subject: self
  match: "cites {object:Component}"
//- jobs/parts.yaml
job: parts
ontology: parts
owner: parts-data
sources:
  memos: { path: memos, documents: [ { self: Memo, name: "{memo}.md" } ] }
feeds:
  parts:
    path: parts.csv
    entity: { type: Component, key: No, names: [Name] }
    edge: { type: part_of, subject: No, object: Parent }
//- parts.csv
No,Name,Parent
CMP-001,Bolt,CMP-002
CMP-002,Frame,
CMP-003,Nut,CMP-002
//- memos/MEM-1.md
# On bolts

This memo cites CMP-001.

Another paragraph cites Bolt.
"#;

#[test]
fn a_row_keeps_the_names_of_its_entity_whatever_its_edge_makes() {
    let world = World::new(PARTS);
    world.run();
    assert!(world.cmd("show Bolt").expect_code(0).stdout.contains("CMP-001"));
    assert!(world.cmd("show Nut").expect_code(0).stdout.contains("CMP-003"));
}

#[test]
fn what_texts_make_stands_with_them_in_whatever_order_they_are_edited() {
    let edited = PARTS.replace("This memo cites CMP-001.", "This memo cites nothing.");
    let fresh = World::new(&edited);
    fresh.run();
    let world = World::new(PARTS);
    world.run();
    world
        .put("//- memos/MEM-1.md\n# On bolts\n\nThis memo cites nothing.\n\nAnother paragraph cites Bolt.\n");
    world.run();
    let exported = |world: &World| world.cmd("export").expect_code(0).stdout;
    assert_eq!(exported(&world), exported(&fresh));
    // The part leaves the master data; both graphs still agree.
    for world in [&world, &fresh] {
        world.put("//- parts.csv\nNo,Name,Parent\nCMP-002,Frame,\nCMP-003,Nut,CMP-002\n");
        world.run();
    }
    assert_eq!(exported(&world), exported(&fresh));
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
