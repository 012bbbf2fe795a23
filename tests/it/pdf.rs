//! PDF documents through the command line: what is read, where it stands, and what is said of damaged ones.

use std::fs;
use std::path::{Path, PathBuf};

use crate::paper::Paper;
use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component }
rules:
- id: supply
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component} [since {valid_from:date}]"
- id: list
  edge: supplies
  table: { subject: [Supplier], object: [Component], valid_from: [Since] }
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
//- components.csv
Id,Name
C1,Radio Module
C2,Main Board
C3,Antenna
"#;

/// A workspace with these files among its letters.
fn with(files: &[(&str, Vec<u8>)]) -> World {
    let world = World::new(FIXTURE);
    for (name, bytes) in files {
        world.write(&format!("letters/{name}"), bytes);
    }
    world
}

/// The texts that a search finds.
fn snippets(world: &World, query: &str) -> String {
    let view = world.cmd(&format!("search {query} --state all --output json")).expect_code(0).json();
    let results = view["results"].as_array().unwrap().iter();
    let pieces = results.flat_map(|result| result["snippet"].as_array().unwrap());
    pieces.map(|piece| piece["text"].as_str().unwrap()).collect()
}

/// What a run says of its inputs, a problem a line without hints, after its exit code.
fn said(world: &World) -> (i32, String) {
    let output = world.cmd("run");
    let lines = output.stdout.lines().map(str::trim).filter(|line| line.contains("[parse-"));
    (output.code, lines.collect::<Vec<_>>().join("\n"))
}

fn letter() -> Paper {
    Paper::new()
        .info("Title", "Frame contract")
        .info("Author", "A. Buyer")
        .info("CreationDate", "D:20240301120000Z")
        .page(
            "^ Frame contract 4711
             # Scope
             TechChip supplies the Radio Module since 1 March 2020. The price is agreed upon
             for each year and stands in the annex.

             This sentence goes over the end of the page, and so says that Voltanix
             _ Page 1 of 2",
        )
        .page(
            "^ Frame contract 4711
             supplies the Main Board since 17 February 2024.
             _ Page 2 of 2",
        )
}

#[test]
fn a_pdf_is_read_by_page_and_why_names_the_page() {
    let world = with(&[("frame.pdf", letter().bytes())]);
    world.run();
    world.says(
        "
        S1 supplies C1 [2020-03-01, ∞) ×1
        S2 supplies C2 [2024-02-17, ∞) ×1",
    );
    let why = world.cmd("why S1 C1").expect_code(0).stdout;
    assert!(why.contains("letters/frame.pdf, page 1"), "{why}");
    let why = world.cmd("why S2 C2").expect_code(0).stdout;
    assert!(why.contains("letters/frame.pdf, page 1"), "the sentence begins on page 1: {why}");
    assert!(!why.contains("4711"), "what runs along is no part of the sentence: {why}");
}

#[test]
fn a_table_goes_on_over_a_page_break_with_its_header() {
    let paper = Paper::new()
        .page(
            "# Price list

             | Supplier | Component | Since
             | TechChip Inc | Radio Module | 2020-03-01
             | Voltanix GmbH | Main Board | 2024-02-17",
        )
        .page(
            "| Supplier | Component | Since
             | TechChip Inc | Antenna | 2021-05-01
             | Voltanix GmbH | Antenna | 2022-06-01",
        );
    let world = with(&[("list.pdf", paper.bytes())]);
    world.run();
    world.says(
        "
        S1 supplies C1 [2020-03-01, ∞) ×1
        S1 supplies C3 [2021-05-01, ∞) ×1
        S2 supplies C2 [2024-02-17, ∞) ×1
        S2 supplies C3 [2022-06-01, ∞) ×1",
    );
    let why = world.cmd("why S2 C3").expect_code(0).stdout;
    assert!(why.contains("letters/list.pdf, page 2"), "{why}");
}

#[test]
fn each_damage_of_a_pdf_is_one_line_and_all_else_is_in_the_graph() {
    let good = letter();
    let bytes = good.bytes();
    let scan = || Paper::new().page("picture").page("picture");
    let world = with(&[
        ("a-good.pdf", bytes.clone()),
        ("b-locked.pdf", good.locked("secret", "owner")),
        ("c-owner.pdf", good.locked("", "owner")),
        ("d-other.pdf", b"<html>An error page that a crawler kept</html>".to_vec()),
        ("f-scan.pdf", scan().bytes()),
        ("g-part.pdf", scan().page("TechChip supplies the Antenna.").bytes()),
        ("h-head.pdf", bytes.get(..400).unwrap().to_vec()),
        ("i-scheme.pdf", good.trailer("/Encrypt << /Filter /Wonder /V 9 /R 9 >> ").bytes()),
    ]);
    let (code, said) = said(&world);
    let expected = "\
letters/b-locked.pdf: error[parse-password]: it asks for a password before it shows anything: it stays as it was
letters/d-other.pdf: error[parse-format]: the file is not a PDF as its name says, but a page of the web
letters/f-scan.pdf: error[parse-no-text]: none of its 2 pages has a text layer: it stays as it was
letters/h-head.pdf: error[parse-damaged]: the file is damaged and stays as it was: it ends in the middle
letters/i-scheme.pdf: error[parse-encryption]: it is encrypted in a way that cannot be read: invalid PDF: Encrypt dictionary missing /O
letters/g-part.pdf, page 1: warning[parse-page-without-text]: each of pages 1, 2 has no text, only a picture of it
letters/c-owner.pdf: note[parse-owner-password]: it may be read without a password, and asks for one to be changed; it was read";
    assert_eq!((code, said.as_str()), (4, expected));
    world.says(
        "
        S1 supplies C1 [2020-03-01, ∞) ×2
        S1 supplies C3 [?, ∞) ×1
        S2 supplies C2 [2024-02-17, ∞) ×2",
    );
}

#[test]
fn a_pdf_that_is_damaged_tonight_keeps_what_it_said() {
    let world = with(&[("frame.pdf", letter().bytes())]);
    world.run();
    let before = world.graph();
    world.write("letters/frame.pdf", &letter().locked("secret", "owner"));
    assert_eq!(said(&world).0, 4);
    assert_eq!(world.graph(), before);
    world.write("letters/frame.pdf", &letter().bytes());
    world.run();
    assert_eq!(world.graph(), before);
}

#[test]
fn the_end_of_a_pdf_that_is_cut_off_takes_nothing_out_of_the_graph() {
    let long = |last: &str| {
        (1..=3)
            .fold(Paper::new(), |paper, at| paper.page(&format!("TechChip speaks at length of page {at}.")))
            .page("TechChip supplies the Radio Module since 1 March 2020.")
            .page(last)
    };
    let whole = long("Voltanix supplies the Main Board.").bytes();
    let end = whole.windows(9).rposition(|bytes| bytes == b"startxref").unwrap();
    let world = with(&[("frame.pdf", whole.clone())]);
    world.run();
    let before = world.graph();
    world.write("letters/frame.pdf", &whole[..end * 9 / 10]);
    let (code, text) = said(&world);
    assert!(code == 4 && text.contains("it stays as it was"), "{code} {text}");
    assert_eq!(world.graph(), before);
}

#[test]
fn numbered_headings_at_the_head_of_pages_are_text_and_numbers_that_grow_with_the_pages_are_not() {
    let paper = Paper::new()
        .page("^ Article 12\nTechChip speaks.\n_ - 7 -")
        .page("^ Article 17\nTechChip speaks again.\n_ - 8 -")
        .page("^ Article 18\nTechChip ends.\n_ - 9 -");
    let world = with(&[("a.pdf", paper.bytes())]);
    world.run();
    let found = snippets(&world, "article");
    assert!(found.contains("Article 12"), "{found}");
    assert!(!snippets(&world, "speaks").contains("- 7 -"));
}

#[test]
fn the_properties_of_a_pdf_are_header_fields() {
    let world = with(&[("frame.pdf", letter().bytes())]);
    world.run();
    let found = snippets(&world, "'Frame contract'");
    for property in ["title: Frame contract", "author: A. Buyer", "created: 2024-03-01"] {
        assert!(found.contains(property), "`{property}` is not in {found}");
    }
}

#[test]
fn a_word_parted_at_a_line_end_is_joined_and_one_with_a_hyphen_of_its_own_is_not() {
    let paper = Paper::new().page(
        "TechChip sup-
         plies the Radio Module since 1 March 2020. Its well-known parts are well-
         known to all.",
    );
    let world = with(&[("a.pdf", paper.bytes())]);
    world.run();
    world.says("S1 supplies C1 [2020-03-01, ∞) ×1");
    let found = snippets(&world, "known");
    assert!(found.contains("are well-known to all"), "{found}");
}

#[test]
fn more_pages_or_characters_than_allowed_are_said_and_withheld() {
    let world = with(&[("a.pdf", letter().bytes())]);
    let limit = |limits: &str| {
        let job = fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
        let line = job.lines().find(|line| line.contains("letters:")).unwrap();
        let limited = format!("  letters: {{ path: letters, limits: {{ {limits} }} }}");
        world.write("jobs/nightly.yaml", job.replace(line, &limited).as_bytes());
    };
    limit("pages: 1");
    let pages =
        "letters/a.pdf: error[parse-too-large]: it has 2 pages, and 1 are allowed: it stays as it was";
    assert_eq!(said(&world), (4, pages.to_owned()));
    limit("characters: 50");
    let characters =
        "letters/a.pdf: error[parse-too-large]: it has more than 50 characters: it stays as it was";
    assert_eq!(said(&world), (4, characters.to_owned()));
    limit("characters: 20k, pages: 2");
    assert_eq!(said(&world), (0, String::new()));
}

/// Numbers that look drawn and are always the same.
fn draws(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below.max(1)
    }
}

/// Damaged copies of a file: bytes changed, and now and then an end cut off.
fn mutants(name: &str, bytes: &[u8], count: u64) -> Vec<(String, Vec<u8>)> {
    (0..count)
        .map(|seed| {
            let mut draw = draws(seed + 7);
            let mut mutant = bytes.to_vec();
            for _ in 0..=draw(12) {
                let at = draw(mutant.len());
                mutant[at] = u8::try_from(draw(256)).unwrap();
            }
            if draw(5) == 0 {
                mutant.truncate(draw(bytes.len()));
            }
            (format!("{name}-{seed}.pdf"), mutant)
        })
        .collect()
}

/// Runs over damaged copies beside one sound letter, which must be in the graph whatever becomes of them.
fn survives(files: Vec<(String, Vec<u8>)>) {
    let world = World::new(FIXTURE);
    world.write("letters/sound.md", b"TechChip supplies the Antenna since 1 May 2021.\n");
    for (name, bytes) in &files {
        world.write(&format!("letters/{name}"), bytes);
    }
    let output = world.cmd("run");
    assert!(matches!(output.code, 0 | 4), "{} {}", output.code, output.stderr);
    assert!(world.graph().contains("S1 supplies C3 [2021-05-01, ∞)"), "{}", output.stderr);
}

#[test]
fn a_damaged_pdf_never_ends_a_run() {
    let mut files = mutants("letter", &letter().bytes(), 60);
    files.extend(mutants("locked", &letter().locked("", "owner"), 30));
    survives(files);
}

#[test]
fn damaged_pdfs_of_a_corpus_never_end_a_run() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["..", "../.."].map(|up| beside.join(up).join("shared/corpora/formats/sources/pdf"));
    let Some(entries) = places.iter().find_map(|folder| fs::read_dir(folder).ok()) else {
        println!("skipped: there is no corpus of PDFs beside this project");
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let small = paths.into_iter().filter(|path| fs::metadata(path).unwrap().len() < 100_000);
    let files = small.flat_map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        mutants(&name, &fs::read(&path).unwrap(), 4)
    });
    survives(files.collect());
}
