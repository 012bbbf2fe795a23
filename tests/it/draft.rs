//! `init --scan`: from a folder of documents and some tables to an ontology and a job that compile, pass their own
//! examples and read the documents.

use expect_test::{Expect, expect};

use crate::world::World;

/// Contracts with a preamble, and a list of parties in another encoding, with a title above and a total below.
fn contracts() -> World {
    let world = World::new(
        r#"
//- contracts/C-1.md
# Supply Agreement

This Agreement is made by and between Acme plc ("Buyer") and TechChip, Inc., a Delaware corporation ("Supplier").

## 1. Supply

Supplier shall supply the Radio Module.
//- contracts/C-2.md
# Supply Agreement

This Agreement is made by and between Voltanix GmbH ("Seller") and Acme plc ("Buyer").

## 1. Supply

Seller may supply the Main Board.
//- contracts/C-3.md
# Services Agreement

This Agreement is made between Bosch AG and Acme plc.

## 1. Services

Nothing is defined here.
//- contracts/notes.djvu
not text
"#,
    );
    let parties = "Parties as of May\nNo;Name;Also Known As\nP1;Acme plc;\nP2;TechChip, Inc.;TC|Tech Chip\nP3;Voltanix \
                   GmbH;\nP4;M\u{fc}ller KG;\nP5;Bosch AG;\n5 parties\n";
    let windows: Vec<u8> = parties.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    world.write("feeds/parties.csv", &windows);
    world
}

#[track_caller]
fn check(world: &World, file: &str, expected: Expect) {
    expected.assert_eq(&std::fs::read_to_string(world.path(file)).unwrap());
}

#[test]
fn a_draft_compiles_passes_its_examples_and_reads_the_documents() {
    let world = contracts();
    let said = world.cmd("init . --name mine --scan contracts --feed feeds/parties.csv").expect_code(0);
    expect![[r#"
        contracts: 3 documents (.md (3))
          of formats that cannot be read, by extension: djvu (1)
          Each document stands for a Contract that is called after its file.
          headings: Supply (2), Supply Agreement (2), Services (1), Services Agreement (1)
          defined terms: Seller (1), Supplier (1)
        feeds/parties.csv: 5 rows; each row is one Party; key No, names Name
          No: texts, all 5 different
          Name: texts, all 5 different
          Also Known As: texts, 1 different, 4 empty

        named in the texts
          Party: 4 of them, 8 times in 3 documents; by part: preamble (3), body (2)

        proposed: 2 rules
          party_of.between: lists of names behind (between|among|amongst); 6 times in 3 documents
            contracts/C-3.md:3: »This Agreement is made between Bosch AG and Acme plc.«
              Bosch AG party_of self
              Acme plc party_of self
          party_of.defined: names for which the document defines a term: `Acme plc (the "Buyer")`; 4 times in 2 documents
            contracts/C-2.md:3: »This Agreement is made by and between Voltanix GmbH ("Seller") and Acme plc ("Buyer").«
              Voltanix GmbH party_of self
              Acme plc party_of self

        left out
          rule party_of.preamble (names in what stands before the first section): beyond the rules above it finds nobody
          rule party_of.after_bosch_ag_and (names behind `bosch ag and`): beyond the rules above it finds nobody
          rule party_of.after_made_between (names behind `made between`): beyond the rules above it finds nobody
          rule party_named_in.anywhere (names anywhere in the text): other rules say more of most of these names

        wrote 2 files into .:
          ontology/mine.yaml
          jobs/mine.yaml
        next: edgewright test
              edgewright run
              edgewright gaps
              edgewright eval --golden FILE
    "#]].assert_eq(&said.stdout);
    check(
        &world,
        "ontology/mine.yaml",
        expect![[r##"
            # Drafted by `edgewright init --scan` from what recurs in 3 documents. Everything here is a proposal: read it,
            # rename and correct it, and keep what is true. Nothing is inferred again at run time.
            language: en

            entities:
              # A name that nobody knows waits for you where a rule needs one; `on_unknown: drop` forgets it.
              # 4 of 5 are named in 3 of 3 documents. Legal forms such as Inc may be left out.
              Party: { system_of_record: parties, names: company }
              # Each document stands for a Contract that is called after its file. No feed knows them, so documents make them.
              Contract: { create: from document }

            edges:
              # TODO: call it what it means. Seen as: a Party in a text, and the Contract for which the text stands.
              party_of: { subject: Party, object: Contract }

            rules:
            # Reads lists of names behind (between|among|amongst): 6 times in 3 of 3 documents.
            - id: party_of.between
              edge: party_of
              object: self
              match: "(between|among|amongst) [:] {subject:Party+}"
              examples:
                # contracts/C-3.md:3
                - text: "This Agreement is made between Bosch AG and Acme plc."
                  finds:
                    - "Bosch AG party_of self"
                    - "Acme plc party_of self"
                # contracts/C-2.md:3
                - text: "This Agreement is made by and between Voltanix GmbH (\"Seller\") and Acme plc (\"Buyer\")."
                  finds:
                    - "Voltanix GmbH party_of self"
                    - "Acme plc party_of self"

            # Reads names for which the document defines a term: `Acme plc (the "Buyer")`: 4 times in 2 of 3 documents.
            - id: party_of.defined
              edge: party_of
              object: self
              defines: { subject: Party }
              examples:
                # contracts/C-2.md:3
                - text: "This Agreement is made by and between Voltanix GmbH (\"Seller\") and Acme plc (\"Buyer\")."
                  finds:
                    - "Voltanix GmbH party_of self"
                    - "Acme plc party_of self"
                # contracts/C-1.md:3
                - text: "This Agreement is made by and between Acme plc (\"Buyer\") and TechChip, Inc., a Delaware corporation (\"Supplier\")."
                  finds:
                    - "Acme plc party_of self"
                    - "TechChip, Inc. party_of self"
        "##]],
    );
    check(
        &world,
        "jobs/mine.yaml",
        expect![[r##"
        # Drafted by `edgewright init --scan` from what recurs in 3 documents. Everything here is a proposal: read it,
        # rename and correct it, and keep what is true. Nothing is inferred again at run time.
        job: mine
        ontology: mine
        # TODO: who answers for it; the name goes into every alert.
        # owner: data-team

        sources:
          contracts:
            path: contracts
            # Each document stands for a Contract that is called after its file.
            documents: [{ self: Contract, name: "{contract}.*" }]
            # TODO: the header field or column of the register with the document's date:
            # effective: Date
            # What an edit means: `correct` (what left was wrong, the default) or `amend` (it ends).
            # edits: correct

        feeds:
          parties:
            # 5 rows; No (texts, all 5 different), Name (texts, all 5 different), Also Known As (texts, 1 different, 4
            # empty)
            path: feeds/parties.csv
            format: { delimiter: ";", encoding: windows-1252, skip_lines: 1, skip_footer: 1 }
            entity: { type: Party, key: "No", names: [Name] }
    "##]],
    );
    let checked = world.cmd("check").expect_code(0);
    assert!(checked.stdout.contains("nothing is wrong"), "{}", checked.stdout);
    let tested = world.cmd("test").expect_code(0);
    assert!(tested.stdout.contains("0 failed"), "{}", tested.stdout);
    world.run();
    world.says(
        "
        P1 party_of C-1 [?, ∞) ×2
        P1 party_of C-2 [?, ∞) ×2
        P1 party_of C-3 [?, ∞) ×1
        P2 party_of C-1 [?, ∞) ×2
        P3 party_of C-2 [?, ∞) ×2
        P5 party_of C-3 [?, ∞) ×1
        ",
    );
}

/// Two lists, a table that joins them, and texts in which they stand together: in sentences, fields and tables.
const SUPPLY: &str = r#"
//- erp/vendors.csv
Vendor No,Name,Short Name
SUP-1,TechChip Inc,TechChip
SUP-2,Voltanix GmbH,Voltanix
SUP-3,Orion Ltd,
//- erp/parts.tsv
Part	Description	Vendor No
CMP-1	Radio Module	SUP-1
CMP-2	Main Board	SUP-2
CMP-3	Brake Pad	SUP-3
//- erp/source_list.csv
MATNR;LIFNR;VDATU;BDATU
CMP-1;SUP-1;20240101;99991231
CMP-2;SUP-2;20230101;20231231
CMP-2;SUP-3;20240101;99991231
//- letters/a.md
Vendor: TechChip
Effective: 2024-03-01

TechChip supplies the Radio Module since 1 March 2024.
//- letters/b.md
Vendor: Voltanix GmbH
Effective: 2024-04-01

Voltanix has supplied the Main Board since 1 April 2024.

| Item | Valid from |
|---|---|
| Radio Module | 2024-05-01 |
| Brake Pad | 2024-06-01 |
//- letters/c.md
Vendor: Orion
Effective: 2024-05-01

Orion does not supply the Brake Pad.

| Item | Valid from |
|---|---|
| Main Board | 2024-05-01 |
//- letters/d.md
Vendor: TechChip
Effective: 2024-06-01

Our vendor will supply the Brake Pad.
//- letters/e.md
Vendor: Orion
Effective: 2024-06-01

Orion shall supply the Main Board and the Brake Pad from 1 June 2024.
"#;

const DRAFT: &str = "init . --name supply --scan letters --feed erp/vendors.csv --feed erp/parts.tsv --feed erp/source_list.csv";

#[test]
fn verbs_fields_tables_and_keys_of_other_feeds_are_proposed() {
    let world = World::new(SUPPLY);
    world.cmd(DRAFT).expect_code(0);
    check(
        &world,
        "ontology/supply.yaml",
        expect![[r##"
            # Drafted by `edgewright init --scan` from what recurs in 5 documents. Everything here is a proposal: read it,
            # rename and correct it, and keep what is true. Nothing is inferred again at run time.
            language: en

            entities:
              # A name that nobody knows waits for you where a rule needs one; `on_unknown: drop` forgets it.
              # 3 of 3 are named in 5 of 5 documents. Legal forms such as Inc may be left out.
              Vendor: { system_of_record: vendors, names: company }
              # 3 of 3 are named in 5 of 5 documents.
              Part: { system_of_record: parts }
              # Each document stands for a Letter that is called after its file. No feed knows them, so documents make them.
              Letter: { create: from document }

            edges:
              # TODO: call it what it means. Seen as: column Vendor No of erp/parts.tsv holds keys of Vendor.
              has_vendor: { subject: Part, object: Vendor }
              # TODO: call it what it means. Seen as: columns of tables in texts.
              item_of: { subject: Part, object: Letter }
              # TODO: call it what it means. Seen as: a Part in a text, and the Letter for which the text stands.
              part_of: { subject: Part, object: Letter }
              # TODO: call it what it means. Seen as: column LIFNR of erp/source_list.csv holds keys of Vendor.
              part_vendor: { subject: Part, object: Vendor }
              # TODO: call it what it means. Seen as: `supply` between a Vendor and a Part.
              supplies: { subject: Vendor, object: Part }
              # TODO: call it what it means. Seen as: a Vendor in a text, and the Letter for which the text stands.
              vendor_of: { subject: Vendor, object: Letter }

            rules:
            # Reads the header field `Vendor`: 5 times in 5 of 5 documents.
            - id: vendor_of.field
              edge: vendor_of
              object: self
              field: { subject: [Vendor] }
              examples:
                # letters/c.md:1
                - text: "Vendor: Orion\n\nText."
                  finds: "Orion Ltd vendor_of self"
                # letters/a.md:1
                - text: "Vendor: TechChip\n\nText."
                  finds: "TechChip Inc vendor_of self"

            # Reads tables with the columns Item, Valid from: 3 times in 2 of 5 documents.
            - id: item_of.table
              edge: item_of
              object: self
              table: { subject: [Item], valid_from: [Valid from] }
              # TODO: is that the day from which a row holds?
              examples:
                # letters/b.md:9
                - text: "| Item | Valid from |\n|---|---|\n| Brake Pad | 2024-06-01 |"
                  finds: "Brake Pad item_of self from 2024-06-01"
                # letters/c.md:8
                - text: "| Item | Valid from |\n|---|---|\n| Main Board | 2024-05-01 |"
                  finds: "Main Board item_of self from 2024-05-01"

            # Reads sentences with `supply` between a Vendor and a Part: 4 times in 3 of 5 documents.
            - id: supplies.verb
              edge: supplies
              match: "{subject:Vendor} ... supply~ ... {object:Part+} [... (from|as of|since|effective) {valid_from:date}]"
              examples:
                # letters/a.md:4
                - text: "TechChip supplies the Radio Module since 1 March 2024."
                  finds: "TechChip Inc supplies Radio Module from 2024-03-01"
                # letters/b.md:4
                - text: "Voltanix has supplied the Main Board since 1 April 2024."
                  finds: "Voltanix GmbH supplies Main Board from 2024-04-01"
                # letters/c.md:4
                - text: "Orion does not supply the Brake Pad."
                  finds: nothing

            # Reads names behind `supply the`: 3 times in 2 of 5 documents.
            - id: part_of.after_supply_the
              edge: part_of
              object: self
              match: "supply the {subject:Part+}"
              examples:
                # letters/e.md:4
                - text: "Orion shall supply the Main Board and the Brake Pad from 1 June 2024."
                  finds:
                    - "Main Board part_of self"
                    - "Brake Pad part_of self"
                # letters/d.md:4
                - text: "Our vendor will supply the Brake Pad."
                  finds: "Brake Pad part_of self"
                # letters/c.md:4
                - text: "Orion does not supply the Brake Pad."
                  finds: nothing
        "##]],
    );
    check(
        &world,
        "jobs/supply.yaml",
        expect![[r##"
            # Drafted by `edgewright init --scan` from what recurs in 5 documents. Everything here is a proposal: read it,
            # rename and correct it, and keep what is true. Nothing is inferred again at run time.
            job: supply
            ontology: supply
            # TODO: who answers for it; the name goes into every alert.
            # owner: data-team

            sources:
              letters:
                path: letters
                # Each document stands for a Letter that is called after its file.
                documents: [{ self: Letter, name: "{letter}.*" }]
                effective: Effective
                # What an edit means: `correct` (what left was wrong, the default) or `amend` (it ends).
                # edits: correct

            feeds:
              vendors:
                # 3 rows; Vendor No (texts, all 3 different), Name (texts, all 3 different), Short Name (texts, 2 different, 1
                # empty)
                path: erp/vendors.csv
                entity: { type: Vendor, key: Vendor No, names: [Name, Short Name] }
              parts:
                # 3 rows; Part (texts, all 3 different), Description (texts, all 3 different), Vendor No (texts, all 3
                # different)
                path: erp/parts.tsv
                format: { delimiter: tab }
                entity: { type: Part, key: Part, names: [Description] }
                edge: { type: has_vendor, subject: Part, object: Vendor No }
              source_list:
                # 3 rows; MATNR (texts, 2 different), LIFNR (texts, all 3 different), VDATU (days of another form, 2 different),
                # BDATU (days of another form, 2 different)
                path: erp/source_list.csv
                format: { delimiter: ";" }
                edge: { type: part_vendor, subject: MATNR, object: LIFNR, valid_from: VDATU, valid_to: BDATU }
                # TODO: ends are mostly last days of a month, so they are taken for days that still count.
                dates: { format: "%Y%m%d", ends: inclusive, open: ["", "99991231"] }
        "##]],
    );
    assert!(world.cmd("check").expect_code(0).stdout.contains("nothing is wrong"));
    assert!(world.cmd("test").expect_code(0).stdout.contains("0 failed"));
    world.run();
    world.says(
        "
        CMP-1 has_vendor SUP-1 [?, ∞) ×1
        CMP-1 item_of b [2024-05-01, ∞) ×1
        CMP-1 part_vendor SUP-1 [2024-01-01, ∞) ×1
        CMP-2 has_vendor SUP-2 [?, ∞) ×1
        CMP-2 item_of c [2024-05-01, ∞) ×1
        CMP-2 part_of e [?, ∞) ×1
        CMP-2 part_vendor SUP-2 [2023-01-01, 2024-01-01) ×1
        CMP-2 part_vendor SUP-3 [2024-01-01, ∞) ×1
        CMP-3 has_vendor SUP-3 [?, ∞) ×1
        CMP-3 item_of b [2024-06-01, ∞) ×1
        CMP-3 part_of d [?, ∞) ×1
        CMP-3 part_of e [?, ∞) ×1
        SUP-1 supplies CMP-1 [2024-03-01, ∞) ×1
        SUP-1 vendor_of a [?, ∞) ×1
        SUP-1 vendor_of d [?, ∞) ×1
        SUP-2 supplies CMP-2 [2024-04-01, ∞) ×1
        SUP-2 vendor_of b [?, ∞) ×1
        SUP-3 supplies CMP-2 [2024-06-01, ∞) ×1
        SUP-3 supplies CMP-3 [2024-06-01, ∞) ×1
        SUP-3 vendor_of c [?, ∞) ×1
        SUP-3 vendor_of e [?, ∞) ×1
        ",
    );
}

/// Folders, files and columns of other scripts, with marks that YAML and shells read something into.
#[test]
fn what_is_called_in_any_way_is_drafted_so_that_it_compiles_and_reads() {
    let world = World::new("//- notes.md\nNothing of note.\n");
    for (file, who, what) in [
        ("№ 1.md", "Größe & Söhne GmbH", "may deliver the Brake Pad"),
        ("№ 2.md", "Voltanix GmbH", "delivers the Main Board"),
        ("№ 3.md", "Voltanix GmbH", "delivers the Brake Pad"),
    ] {
        world.write(&format!("契約: 2024/{file}"), format!("Lieferant: {who}\n\n{who} {what}.\n").as_bytes());
    }
    let suppliers = "№,\"Firma:\nname\u{7}\",Stück - ✓\n007,Größe & Söhne GmbH,no\n008,Voltanix GmbH,yes\n";
    world.write("stamm/供应商.csv", suppliers.as_bytes());
    let parts = "1e5,\"#, name\",№\nA:1,Brake Pad,007\nA:2,Main Board,008\nA:3,Radio Module,008\n";
    world.write("stamm/Teile: alt & neu.csv", parts.as_bytes());
    let words = [
        "init",
        "neue mappe",
        "--scan",
        "契約: 2024",
        "--feed",
        "stamm/供应商.csv",
        "--feed",
        "stamm/Teile: alt & neu.csv",
    ];
    let said = world.args(&words).expect_code(0).stdout;
    assert!(said.contains("next: edgewright -C 'neue mappe' test\n"), "{said}");
    check(
        &world,
        "neue mappe/ontology/neue_mappe.yaml",
        expect![[r##"
            # Drafted by `edgewright init --scan` from what recurs in 3 documents. Everything here is a proposal: read it,
            # rename and correct it, and keep what is true. Nothing is inferred again at run time.
            language: en

            entities:
              # A name that nobody knows waits for you where a rule needs one; `on_unknown: drop` forgets it.
              # 2 of 2 are named in 3 of 3 documents. Legal forms such as Inc may be left out.
              Entry_供应商: { system_of_record: 供应商, names: company }
              # 2 of 3 are named in 3 of 3 documents.
              TeileAltNeu: { system_of_record: teile_alt_neu }
              # Each document stands for an Entry_契約 that is called after its file. No feed knows them, so documents make them.
              Entry_契約: { create: from document }

            edges:
              # TODO: call it what it means. Seen as: `deliver` between an Entry_供应商 and a TeileAltNeu.
              delivers: { subject: Entry_供应商, object: TeileAltNeu }
              # TODO: call it what it means. Seen as: column № of feeds/Teile: alt & neu.csv holds keys of Entry_供应商.
              has_entry: { subject: TeileAltNeu, object: Entry_供应商 }
              # TODO: call it what it means. Seen as: an Entry_供应商 in a text, and the Entry_契約 for which the text stands.
              lieferant_of: { subject: Entry_供应商, object: Entry_契約 }
              # TODO: call it what it means. Seen as: a TeileAltNeu in a text, and the Entry_契約 for which the text stands.
              teile_alt_neu_of: { subject: TeileAltNeu, object: Entry_契約 }

            rules:
            # Reads the header field `Lieferant`: 3 times in 3 of 3 documents.
            - id: lieferant_of.field
              edge: lieferant_of
              object: self
              field: { subject: [Lieferant] }
              examples:
                # 契約: 2024/№ 2.md:1
                - text: "Lieferant: Voltanix GmbH\n\nText."
                  finds: "Voltanix GmbH lieferant_of self"
                # 契約: 2024/№ 1.md:1
                - text: "Lieferant: Größe & Söhne GmbH\n\nText."
                  finds: "Größe & Söhne GmbH lieferant_of self"

            # Reads sentences with `deliver` between an Entry_供应商 and a TeileAltNeu: 2 times in 2 of 3 documents.
            - id: delivers.verb
              edge: delivers
              match: "{subject:Entry_供应商} ... deliver~ ... {object:TeileAltNeu+}"
              examples:
                # 契約: 2024/№ 3.md:3
                - text: "Voltanix GmbH delivers the Brake Pad."
                  finds: "Voltanix GmbH delivers Brake Pad"
                # 契約: 2024/№ 2.md:3
                - text: "Voltanix GmbH delivers the Main Board."
                  finds: "Voltanix GmbH delivers Main Board"
                # 契約: 2024/№ 1.md:3
                - text: "Größe & Söhne GmbH may deliver the Brake Pad."
                  finds: nothing

            # Reads names behind `delivers the`: 2 times in 2 of 3 documents.
            - id: teile_alt_neu_of.after_delivers_the
              edge: teile_alt_neu_of
              object: self
              match: "delivers the {subject:TeileAltNeu+}"
              examples:
                # 契約: 2024/№ 3.md:3
                - text: "Voltanix GmbH delivers the Brake Pad."
                  finds: "Brake Pad teile_alt_neu_of self"
                # 契約: 2024/№ 2.md:3
                - text: "Voltanix GmbH delivers the Main Board."
                  finds: "Main Board teile_alt_neu_of self"
        "##]],
    );
    check(
        &world,
        "neue mappe/jobs/neue_mappe.yaml",
        expect![[r##"
            # Drafted by `edgewright init --scan` from what recurs in 3 documents. Everything here is a proposal: read it,
            # rename and correct it, and keep what is true. Nothing is inferred again at run time.
            job: neue_mappe
            ontology: neue_mappe
            # TODO: who answers for it; the name goes into every alert.
            # owner: data-team

            sources:
              契約_2024:
                path: "契約: 2024"
                # Each document stands for an Entry_契約 that is called after its file.
                documents: [{ self: Entry_契約, name: "{entry_契約}.*" }]
                # TODO: the header field or column of the register with the document's date:
                # effective: Date
                # What an edit means: `correct` (what left was wrong, the default) or `amend` (it ends).
                # edits: correct

            feeds:
              供应商:
                # 2 rows; № (numbers, all 2 different), Firma: name (texts, all 2 different), Stück - ✓ (texts, all 2 different)
                path: feeds/供应商.csv
                entity: { type: Entry_供应商, key: "№", names: ["Firma:\nname\U00000007"] }
              teile_alt_neu:
                # 3 rows; 1e5 (texts, all 3 different), #, name (texts, all 3 different), № (numbers, 2 different)
                path: "feeds/Teile: alt & neu.csv"
                entity: { type: TeileAltNeu, key: "1e5", names: ["#, name"] }
                edge: { type: has_entry, subject: "1e5", object: "№" }
        "##]],
    );
    for (command, expected) in [("check", "nothing is wrong"), ("test", "0 failed")] {
        let said = world.args(&["-C", "neue mappe", command]).expect_code(0).stdout;
        assert!(said.contains(expected), "{said}");
    }
    world.args(&["-C", "neue mappe", "run"]).expect_code(0);
    let shown = world.args(&["-C", "neue mappe", "export"]).expect_code(0).stdout;
    let said = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let part = |key: &str| line[key].as_str().unwrap().to_owned();
        (line["kind"] == "edge").then(|| ["subject", "edge_type", "object"].map(part).join(" "))
    };
    let mut edges: Vec<String> = shown.lines().filter_map(said).collect();
    edges.sort();
    expect![[r#"
        Entry_供应商:007 lieferant_of Entry_契約:№ 1
        Entry_供应商:008 delivers TeileAltNeu:A:1
        Entry_供应商:008 delivers TeileAltNeu:A:2
        Entry_供应商:008 lieferant_of Entry_契約:№ 2
        Entry_供应商:008 lieferant_of Entry_契約:№ 3
        TeileAltNeu:A:1 has_entry Entry_供应商:007
        TeileAltNeu:A:1 teile_alt_neu_of Entry_契約:№ 3
        TeileAltNeu:A:2 has_entry Entry_供应商:008
        TeileAltNeu:A:2 teile_alt_neu_of Entry_契約:№ 2
        TeileAltNeu:A:3 has_entry Entry_供应商:008"#]]
    .assert_eq(&edges.join("\n"));
    let said = world.args(&["init", "leere mappe"]).expect_code(0).stdout;
    assert!(said.ends_with("next: edgewright -C 'leere mappe' run\n"), "{said}");
}

#[test]
fn the_same_files_give_the_same_draft_and_a_sample_is_said_to_be_one() {
    let worlds = [World::new(SUPPLY), World::new(SUPPLY)];
    let drafts = worlds
        .each_ref()
        .map(|world| world.cmd(&format!("{DRAFT} --most 3 --output json")).expect_code(0).stdout);
    assert_eq!(drafts[0], drafts[1]);
    let texts = worlds.each_ref().map(|world| std::fs::read(world.path("ontology/supply.yaml")).unwrap());
    assert_eq!(texts[0], texts[1]);
    assert!(String::from_utf8_lossy(&texts[0]).contains("a sample of 3 of 5 documents"));
    let said: serde_json::Value = serde_json::from_str(&drafts[0]).unwrap();
    assert_eq!(said["draft"]["documents"]["looked_at"], 3);
    assert_eq!(said["draft"]["documents"]["files"], 5);
    let world = World::new(SUPPLY);
    let text = world.cmd(&format!("{DRAFT} --most 3")).expect_code(0).stdout;
    assert!(text.contains("a sample of 3 was looked at; `--most N` takes more"), "{text}");
}

#[test]
fn a_workspace_is_never_overwritten_and_files_outside_are_linked() {
    let world = contracts();
    world.cmd("init new --scan contracts --feed feeds/parties.csv").expect_code(0);
    let before = std::fs::read(world.path("new/ontology/new.yaml")).unwrap();
    let again = world.cmd("init new --scan contracts").expect_code(2);
    assert!(again.stderr.contains("is a workspace already: `ontology` holds `new.yaml`"), "{}", again.stderr);
    assert_eq!(before, std::fs::read(world.path("new/ontology/new.yaml")).unwrap());
    assert!(std::fs::symlink_metadata(world.path("new/contracts")).unwrap().is_symlink());
    assert!(std::fs::symlink_metadata(world.path("new/feeds/parties.csv")).unwrap().is_symlink());
    world.cmd("-C new run").expect_code(0);
    let shown = world.cmd("-C new show Acme").expect_code(0).stdout;
    assert!(shown.contains("party_of"), "{shown}");
}

/// What stands in a folder and in those below it.
fn listed(folder: &std::path::Path) -> Vec<String> {
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    found
}

#[test]
fn nothing_is_written_into_a_scanned_folder_whatever_it_is_called() {
    let world = contracts();
    for name in ["ontology", "Jobs", "feeds", "changelog", ".git"] {
        let mine = format!("mine/{name}");
        std::fs::create_dir_all(world.path(&mine)).unwrap();
        for file in ["C-1.md", "C-2.md", "C-3.md"] {
            std::fs::copy(world.path(&format!("contracts/{file}")), world.path(&format!("{mine}/{file}")))
                .unwrap();
        }
        let new = format!("new {name}");
        let words = ["init", &new, "--name", "n", "--scan", &mine, "--feed", "feeds/parties.csv"];
        let said = world.args(&words).expect_code(0).stdout;
        assert!(
            said.contains("documents -> ") && said.contains(&format!("edgewright -C '{new}' run")),
            "{said}"
        );
        assert_eq!(listed(&world.path(&mine)), ["C-1.md", "C-2.md", "C-3.md"]);
        assert_eq!(listed(&world.path(&new)), ["documents", "feeds", "jobs", "ontology"]);
        world.args(&["-C", &new, "check"]).expect_code(0);
    }
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_takes_back_what_was_made() {
    let world = contracts();
    // The folder `jobs` cannot be made: a link that leads nowhere has its place.
    std::fs::create_dir_all(world.path("half")).unwrap();
    std::os::unix::fs::symlink("nowhere", world.path("half/jobs")).unwrap();
    let said = world.cmd("init half --scan contracts --feed feeds/parties.csv");
    assert!(said.code != 0 && said.stderr.contains("cannot make the folder"), "{}", said.stderr);
    assert_eq!(listed(&world.path("half")), ["jobs"]);
}

#[test]
fn what_cannot_be_drafted_from_is_said_and_leaves_nothing_behind() {
    let world = contracts();
    world.put(
        "//- odd/a.xyz\nx\n//- empty/.keep\n\n//- damaged/a.pdf\nno pdf\n//- damaged/b.md\nAcme plc signs.\n",
    );
    for (line, expected) in [
        ("init new --scan nowhere", "`--scan` names `nowhere`, and there is no such folder"),
        ("init new --scan contracts/C-1.md", "there is no such folder"),
        (
            "init new --scan contracts --feed nothing.csv",
            "`--feed` names `nothing.csv`, and there is no such file",
        ),
        ("init new/deep --scan contracts --name 'not a name!'", "config-value"),
        ("init new --scan odd", "no document in `odd` can be read: there are 1 with `.xyz`"),
        ("init new --scan empty", "there is no document in `empty`"),
        ("init . --scan .", "the documents are the workspace itself"),
        ("init new --feed feeds/parties.csv", "--scan <FOLDER>"),
        ("init . --scan contracts --name 'not a name!'", "config-value"),
    ] {
        let said = world.cmd(line);
        assert!(said.code == 2 && said.stderr.contains(expected), "{line}: {} {}", said.code, said.stderr);
        for left in ["new", "ontology", "jobs"] {
            assert!(std::fs::symlink_metadata(world.path(left)).is_err(), "{line} leaves {left}");
        }
    }
    let said = world.cmd("init . --name mine --scan damaged").expect_code(0).stdout;
    assert!(said.contains("1 of them could not be read") && said.contains("damaged/a.pdf"), "{said}");
    assert!(said.contains("nobody: no name of the feeds occurs"), "{said}");
    assert!(world.cmd("check").expect_code(0).stdout.contains("nothing is wrong"));
}
