//! Edits stay local, hostile input stays harmless, and golden texts hold the shape of chunks.

use std::collections::BTreeSet;

use super::*;
use crate::model::chunk::Part;
use crate::model::document::Table;

fn english() -> &'static Language {
    Language::of("en").unwrap()
}

/// A document from lines: `# heading`, `- item`, `* item below`, `> quote`, `| cells |`, else a paragraph.
/// Blocks stand apart by a blank line; rows of a table by a line end.
fn document(source: &str) -> Document {
    let mut document = Document::default();
    for block in source.split("\n\n").filter(|block| !block.trim().is_empty()) {
        let block = block.trim();
        if !document.text.is_empty() {
            document.text.push_str("\n\n");
        }
        let (kind, body) = if block.starts_with("# ") || block.starts_with("## ") {
            let (marks, body) = block.split_once(' ').unwrap();
            (BlockKind::Heading(marks.len() as u8), body)
        } else if let Some(body) = block.strip_prefix("- ") {
            (BlockKind::Item { depth: 0, label: "1.".to_owned() }, body)
        } else if let Some(body) = block.strip_prefix("* ") {
            (BlockKind::Item { depth: 1, label: String::new() }, body)
        } else if let Some(body) = block.strip_prefix("> ") {
            (BlockKind::Quote, body)
        } else {
            (BlockKind::Paragraph, block)
        };
        let start = document.text.len();
        document.text.push_str(body);
        let span = Span::new(start, document.text.len());
        let kind = if block.starts_with('|') { table(&document.text, span) } else { kind };
        let span = match &kind {
            BlockKind::Table(table) => {
                let cells = || table.header.iter().chain(table.rows.iter().flatten());
                Span::new(cells().next().unwrap().start, cells().map(|cell| cell.end).max().unwrap())
            }
            _ => span,
        };
        document.blocks.push(Block { span, kind });
    }
    document
}

fn table(text: &str, span: Span) -> BlockKind {
    let mut at = span.start;
    let mut rows = Vec::new();
    for line in span.of(text).split('\n') {
        let mut cell_at = at + 1;
        let mut row = Vec::new();
        for cell in line.trim_matches('|').split('|') {
            let lead = cell.len() - cell.trim_start().len();
            let end = cell_at + lead + cell.trim().len();
            row.push(Span::new(cell_at + lead, end));
            cell_at += cell.len() + 1;
        }
        rows.push(row);
        at += line.len() + 1;
    }
    let header = rows.remove(0);
    BlockKind::Table(Table { header, rows })
}

/// The invariants: chunks ascend, do not overlap, slice the text and cover every block.
fn chunks(document: &Document) -> Vec<Chunk> {
    let chunks = split(document, english());
    let mut end = 0;
    for chunk in &chunks {
        assert!(chunk.start >= end);
        end = chunk.start + chunk.body.text.len();
        assert_eq!(&document.text[chunk.start..end], chunk.body.text);
        assert!(!chunk.body.text.is_empty());
        assert_eq!(chunk.id, Chunk::id_of(&chunk.body));
        if let ChunkKind::Rows { cells, .. } = &chunk.body.kind {
            for cell in cells.header.iter().chain(cells.rows.iter().flatten()) {
                assert!(chunk.body.text.get(cell.start..cell.end).is_some());
            }
        }
    }
    let keys: BTreeSet<(ChunkId, u32)> = chunks.iter().map(|chunk| (chunk.id, chunk.occurrence)).collect();
    assert_eq!(keys.len(), chunks.len());
    for block in &document.blocks {
        let covered: String = chunks
            .iter()
            .filter(|chunk| block.span.start <= chunk.start && chunk.start < block.span.end)
            .map(|chunk| chunk.body.text.as_str())
            .collect();
        let visible =
            |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '|').collect::<String>();
        assert_eq!(visible(&covered), visible(block.span.of(&document.text)));
    }
    chunks
}

fn show(source: &str) -> String {
    let line = |chunk: &Chunk| {
        let context = &chunk.body.context;
        let parents = if context.parents.is_empty() {
            String::new()
        } else {
            format!(" < {}", context.parents.join(" < "))
        };
        format!(
            "{:?} [{}]{parents}: {}",
            context.part,
            context.headings.join(" / "),
            chunk.body.text.replace('\n', "⏎")
        )
    };
    chunks(&document(source)).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn parts_of_an_agreement() {
    let source = r#"
# Supply Agreement

This Agreement is made between:

- Acme plc ("Buyer"); and

- TechChip, Inc. ("Supplier").

WHEREAS, the Buyer wants parts;

NOW, THEREFORE, the parties agree:

## 1. Definitions

"Goods" means parts.

## 2. Background check policy for all staff

Text.

## 3.1 Supply

Section 7 is amended as follows:

- Paragraph (a) is amended:

* New text.

- Paragraph (b) is repealed.

IN WITNESS WHEREOF the parties have signed.

By: J. Doe

## Schedule 7 Products

| Part | From |
| FCU | 2024 |
"#;
    expect_test::expect![[r#"
        Heading []: Supply Agreement
        Preamble [Supply Agreement]: This Agreement is made between:
        Preamble [Supply Agreement] < This Agreement is made between:: Acme plc ("Buyer"); and
        Preamble [Supply Agreement] < This Agreement is made between:: TechChip, Inc. ("Supplier").
        Recitals [Supply Agreement]: WHEREAS, the Buyer wants parts;
        Body [Supply Agreement]: NOW, THEREFORE, the parties agree:
        Heading [Supply Agreement]: 1. Definitions
        Definitions [Supply Agreement / Definitions]: "Goods" means parts.
        Heading [Supply Agreement]: 2. Background check policy for all staff
        Body [Supply Agreement / Background check policy for all staff]: Text.
        Heading [Supply Agreement]: 3.1 Supply
        Body [Supply Agreement / Supply]: Section 7 is amended as follows:
        Body [Supply Agreement / Supply] < Section 7 is amended as follows:: Paragraph (a) is amended:
        Body [Supply Agreement / Supply] < Section 7 is amended as follows: < Paragraph (a) is amended:: New text.
        Body [Supply Agreement / Supply] < Section 7 is amended as follows:: Paragraph (b) is repealed.
        Signature [Supply Agreement / Supply]: IN WITNESS WHEREOF the parties have signed.
        Signature [Supply Agreement / Supply]: By: J. Doe
        Heading [Supply Agreement]: Schedule 7 Products
        Schedule [Supply Agreement / Schedule 7 Products]: Part | From |⏎| FCU | 2024"#]]
    .assert_eq(&show(source));
}

#[test]
fn a_report_has_no_preamble() {
    let source = "# Lead times\n\nWe asked between May and June.\n\n## Findings\n\nNone.\n\n## Annex: interviews\n\nText.";
    let parts: Vec<Part> = chunks(&document(source)).iter().map(|chunk| chunk.body.context.part).collect();
    assert_eq!(parts, [Part::Heading, Part::Body, Part::Heading, Part::Body, Part::Heading, Part::Schedule]);
}

#[test]
fn a_title_may_have_two_lines() {
    let source = "# Exhibit 10.18\n\n## MASTER SUPPLY AGREEMENT\n\nDated 1 May between A (\"Buyer\") and B.\n\n## Term\n\nText.";
    let parts: Vec<Part> = chunks(&document(source)).iter().map(|chunk| chunk.body.context.part).collect();
    assert_eq!(parts, [Part::Heading, Part::Heading, Part::Preamble, Part::Heading, Part::Body]);
}

#[test]
fn equal_pieces_are_told_apart_and_fields_are_kept() {
    let mut document = document("Name: value\n\nSame text.\n\nSame text.\n\nOther.");
    document.fields.push(crate::model::document::HeaderField {
        name: "Name".to_owned(),
        value: "value".to_owned(),
        span: Some(Span::new(6, 11)),
    });
    document.links.push(crate::model::document::Link { span: Span::new(18, 22), target: "x".to_owned() });
    let chunks = chunks(&document);
    assert_eq!(chunks[0].body.kind, ChunkKind::Fields);
    assert_eq!(chunks[1].body.links, [(Span::new(5, 9), "x".to_owned())]);
    assert_ne!(chunks[1].id, chunks[2].id);
    document.links.clear();
    let chunks = split(&document, english());
    assert_eq!((chunks[1].id, chunks[1].occurrence, chunks[2].occurrence), (chunks[2].id, 0, 1));
    assert_eq!(chunks.iter().map(|chunk| chunk.spot().line()).collect::<Vec<_>>(), [1, 3, 5, 7]);
}

#[test]
fn rows_know_their_header_and_the_values_above() {
    let rows: String = (0..200)
        .map(|row| {
            let day = if row % 50 == 0 { format!("2024-01-{:02}", row / 50 + 1) } else { String::new() };
            format!("| CMP-{row:03} | Wing Spar Extrusion number {row} | {day} |\n")
        })
        .collect();
    let source = format!("| Part | Name | From |\n{rows}");
    let chunks = chunks(&document(source.trim_end()));
    assert!(chunks.len() > 4, "{}", chunks.len());
    let mut seen = 0;
    for chunk in &chunks {
        let ChunkKind::Rows { header, cells, above } = &chunk.body.kind else { panic!("rows") };
        assert_eq!(header, &["Part", "Name", "From"]);
        assert_eq!(cells.header.is_empty(), seen > 0);
        assert!(chunk.body.text.len() < 4_000);
        if seen > 0 {
            let expected =
                if seen % 50 == 0 { String::new() } else { format!("2024-01-{:02}", seen / 50 + 1) };
            assert_eq!(above[2], expected);
        }
        assert_eq!(cells.rows[0][0].of(&chunk.body.text), format!("CMP-{seen:03}"));
        seen += cells.rows.len();
    }
    assert_eq!(seen, 200);
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn sentence(&mut self) -> String {
        let words =
            ["supplier", "delivers", "wing", "spar", "units", "each", "month", "without", "delay", "here"];
        let length = 6 + self.roll(20);
        let body: Vec<&str> = (0..length).map(|_| words[self.roll(words.len())]).collect();
        format!("The {} {}.", body.join(" "), self.roll(100_000))
    }
}

/// How many ids of the old version the new one lacks, and the other way round.
fn differences(old: &str, new: &str) -> (usize, usize) {
    let ids = |source: &str| -> BTreeSet<(ChunkId, u32)> {
        chunks(&document(source)).iter().map(|chunk| (chunk.id, chunk.occurrence)).collect()
    };
    let (old, new) = (ids(old), ids(new));
    (old.difference(&new).count(), new.difference(&old).count())
}

/// Inserts, deletes or swaps one unit.
fn edit(dice: &mut Dice, units: &mut Vec<String>, new: String) {
    let at = dice.roll(units.len() - 1);
    match dice.roll(3) {
        0 => units.insert(at, new),
        1 => drop(units.remove(at)),
        _ => units.swap(at, at + 1),
    }
}

#[test]
fn an_edit_stays_local() {
    let mut dice = Dice(3);
    for _ in 0..60 {
        // Forty paragraphs; one of them changes, comes, goes or changes its place.
        let mut paragraphs: Vec<String> =
            (0..40).map(|_| format!("{} {}", dice.sentence(), dice.sentence())).collect();
        let old = paragraphs.join("\n\n");
        let new = dice.sentence();
        edit(&mut dice, &mut paragraphs, new);
        let (gone, come) = differences(&old, &paragraphs.join("\n\n"));
        assert!(gone <= 1 && come <= 1, "paragraphs: {gone} {come}");

        // One long paragraph of some forty chunks; one sentence changes.
        let mut sentences: Vec<String> = (0..250).map(|_| dice.sentence()).collect();
        let old = sentences.join(" ");
        let new = dice.sentence();
        edit(&mut dice, &mut sentences, new);
        let (gone, come) = differences(&old, &sentences.join(" "));
        assert!(gone <= 3 && come <= 3, "sentences: {gone} {come}");

        // One table; one row changes.
        let row = |dice: &mut Dice| format!("| CMP-{} | {} |", dice.roll(10_000), dice.sentence());
        let mut rows: Vec<String> = (0..300).map(|_| row(&mut dice)).collect();
        let old = format!("| Part | Text |\n{}", rows.join("\n"));
        let new = row(&mut dice);
        edit(&mut dice, &mut rows, new);
        let (gone, come) = differences(&old, &format!("| Part | Text |\n{}", rows.join("\n")));
        assert!(gone <= 3 && come <= 3, "rows: {gone} {come}");
    }
}

#[test]
fn pieces_have_a_sensible_size() {
    let mut dice = Dice(9);
    let text = (0..2_000).map(|_| dice.sentence()).collect::<Vec<_>>().join(" ");
    let chunks = chunks(&document(&text));
    let mean = text.len() / chunks.len();
    assert!((500..1_200).contains(&mean), "{mean}");
    assert!(chunks.iter().all(|chunk| chunk.body.text.len() <= 4_000));
    let equal = "The same sentence. ".repeat(3_000);
    assert!(split(&document(&equal), english()).iter().all(|chunk| chunk.body.text.len() <= 4_000));
}

#[test]
fn long_documents_take_linear_time() {
    let many: String = (0..5_000).map(|at| format!("- item {at} is here:\n\n* below.\n\n")).collect();
    assert_eq!(chunks_without_check(&many), 10_000);
    let quotes = "(\"a\" ".repeat(50_000);
    assert_eq!(chunks_without_check(&quotes), 1);
}

fn chunks_without_check(source: &str) -> usize {
    split(&document(source), english()).len()
}

/// The promise behind [`FINGERPRINT`]: whoever changes what comes out raises the constant.
#[test]
fn fingerprint_holds() {
    let source = "# Supply Agreement\n\nMade between A (\"B\") and C.\n\n## 1. Goods\n\nText as follows:\n\n- one\n\n* two\n\n> said\n\n| a | b |\n| c | d |";
    let mut dice = Dice(5);
    let long = (0..60).map(|_| dice.sentence()).collect::<Vec<_>>().join(" ");
    let ids: Vec<String> =
        chunks(&document(&format!("{source}\n\n{long}"))).iter().map(|chunk| chunk.id.to_string()).collect();
    let hash = crate::model::id::Fingerprint::of(&[&ids.concat()]).to_string();
    expect_test::expect!["chunk/1 7e4f6bbe1393909badf1e0ef479628ea"]
        .assert_eq(&format!("{FINGERPRINT} {hash}"));
}
