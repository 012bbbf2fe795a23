//! Linking as text: names in, a text in, the mentions out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::*;
use crate::model::chunk::{ChunkBody, ChunkKind, Context};
use crate::ontology::language::PartWords;
use crate::ontology::{Create, EntityType, OnUnknown, Template};

fn english() -> Language {
    let forms = [
        "gmbh & co kg",
        "incorporated",
        "limited",
        "company",
        "gmbh",
        "inc",
        "ltd",
        "llc",
        "corp",
        "co",
        "as",
        "plc",
    ];
    Language {
        name: "en".to_owned(),
        months: BTreeMap::new(),
        abbreviations: BTreeSet::from(["inc", "ltd", "co", "corp"].map(str::to_owned)),
        legal_forms: forms.iter().map(|form| form.split(' ').map(str::to_owned).collect()).collect(),
        parts: PartWords::default(),
        ..Language::of("en").unwrap().clone()
    }
}

fn entity(name: &str, style: NameStyle) -> EntityType {
    EntityType {
        name: name.to_owned(),
        system_of_record: None,
        style,
        named: true,
        keys: None,
        on_unknown: OnUnknown::Quarantine,
        part_of: Vec::new(),
        key: Vec::new(),
        create: Create::Never,
        written: None,
        cite: Vec::new(),
        access: BTreeSet::new(),
    }
}

/// Companies with legal forms, components that ignore everything, exact codes, and documents with parts.
fn ontology() -> &'static Ontology {
    static ONTOLOGY: LazyLock<Ontology> = LazyLock::new(make_ontology);
    &ONTOLOGY
}

fn make_ontology() -> Ontology {
    let company = NameStyle { legal_forms: true, ..NameStyle::default() };
    let loose = NameStyle {
        ignore_leading_zeros: true,
        ignore_spaces: true,
        ignore_hyphens: true,
        ..NameStyle::default()
    };
    let exact = NameStyle { case_sensitive: true, ..NameStyle::default() };
    let template = |source: &str| Some(Template::parse(source).unwrap());
    let mut types = vec![
        entity("Supplier", company),
        entity("Component", loose),
        entity("Code", exact),
        entity("Plain", NameStyle::default()),
        entity("Contract", NameStyle::default()),
        entity("Amendment", NameStyle::default()),
        entity("Schedule", NameStyle::default()),
        entity("Section", NameStyle::default()),
    ];
    types[2].keys = template("CMP-{number}").map(|form| {
        crate::ontology::KeyForms::Forms(Box::new(crate::ontology::Forms {
            form,
            written: Vec::new(),
            listed: None,
        }))
    });
    types[5].part_of = vec!["Contract".to_owned()];
    types[5].key = vec!["contract".to_owned(), "number".to_owned()];
    types[5].written = template("Amendment [No.] {number}");
    types[6].part_of = vec!["Contract".to_owned(), "Amendment".to_owned()];
    types[6].written = template("(Schedule|Exhibit) {number}");
    types[7].written = template("Section {number}");
    Ontology {
        language: "en".to_owned(),
        entities: types.into_iter().map(|entity| (entity.name.clone(), entity)).collect(),
        edges: BTreeMap::new(),
        rules: Vec::new(),
    }
}

/// `Supplier:1 = TechChip, Inc.` is a full name, `Supplier:1 ~ TC` an alias, `Supplier:1 was = Chips` a
/// former name.
fn name(line: &str) -> Name {
    let (plain, former) = match line.split_once(" was ") {
        Some((entity, rest)) => (format!("{entity} {rest}"), true),
        None => (line.to_owned(), false),
    };
    let (entity, text, full) = plain
        .split_once(" = ")
        .map(|(entity, text)| (entity, text, true))
        .or_else(|| line.split_once(" ~ ").map(|(entity, text)| (entity, text, false)))
        .unwrap();
    Name { entity: entity.parse().unwrap(), text: text.to_owned(), full, former }
}

fn lexicon(names: &[&str]) -> Lexicon {
    Lexicon::build(ontology(), &english(), names.iter().map(|line| name(line)))
}

fn chunk(text: &str) -> Chunk {
    let body = ChunkBody {
        text: text.to_owned(),
        context: Context::default(),
        kind: ChunkKind::Prose,
        links: Vec::new(),
    };
    Chunk { id: Chunk::id_of(&body), occurrence: 0, start: 0, marks: Vec::new(), body }
}

fn show(text: &str, mentions: &[Mention]) -> Vec<String> {
    mentions
        .iter()
        .map(|mention| {
            let who: Vec<String> = mention.candidates.iter().map(ToString::to_string).collect();
            let how = match mention.how {
                Known::Name => "",
                Known::EarlierFullName => " earlier",
                Known::Pattern => " pattern",
                Known::Term { .. } => " term",
            };
            format!("{} -> {}{how}", mention.span.of(text), who.join("|"))
        })
        .collect()
}

#[track_caller]
fn check(names: &[&str], text: &str, expected: &[&str]) {
    let owner = "Contract:SELF".parse().unwrap();
    let found = lexicon(names).mentions(&[chunk(text)], Some(&owner), &[]);
    assert_eq!(show(text, &found[0]), expected, "{text}");
}

#[test]
fn a_former_name_gives_way_to_a_name_of_today() {
    let was = "Supplier:1 was = TechChip, Inc.";
    check(&[was], "TechChip and TechChip Inc", &["TechChip -> Supplier:1", "TechChip Inc -> Supplier:1"]);
    check(&[was, "Supplier:2 = Techchip"], "TechChip", &["TechChip -> Supplier:2"]);
    check(&[was, "Plain:2 = TechChip"], "TechChip", &["TechChip -> Plain:2"]);
    check(&[was, "Supplier:2 was = TechChip"], "TechChip", &["TechChip -> Supplier:1|Supplier:2"]);
    // The legal form tells them apart; and an entity that has its name back has it.
    let other = "Supplier:2 = TechChip GmbH";
    check(&[was, other], "TechChip Inc", &["TechChip Inc -> Supplier:1"]);
    check(&[was, other], "TechChip", &["TechChip -> Supplier:2"]);
    check(&[was, "Supplier:1 ~ TechChip Inc"], "TechChip", &["TechChip -> Supplier:1"]);
}

#[test]
fn the_longest_name_at_the_leftmost_place() {
    let names = ["Plain:1 = Flight Control", "Plain:2 = Flight Control Unit", "Plain:3 = Control Unit Test"];
    check(&names, "Flight Control Unit Test", &["Flight Control Unit -> Plain:2"]);
    check(&names, "the FLIGHT\n  CONTROL of", &["FLIGHT\n  CONTROL -> Plain:1"]);
    check(&names, "Flight Controller", &[]);
    check(&names, "FlightControl, Flight-Control", &[]);
    check(&["Plain:1 = AB", "Plain:2 = AB12"], "AB12 AB123 xAB AB", &["AB12 -> Plain:2", "AB -> Plain:1"]);
    check(&["Plain:1 = A B", "Plain:2 = B C D"], "A B C D", &["A B -> Plain:1"]);
    check(&["Plain:1 = x"], "x", &["x -> Plain:1"]);
    check(&["Plain:1 = x"], "", &[]);
    check(
        &["Plain:1 = TechChip"],
        "TechChip's TechChip\u{2122}.",
        &["TechChip -> Plain:1", "TechChip -> Plain:1"],
    );
}

#[test]
fn names_with_marks_stand_for_themselves() {
    for text in
        ["A/B", "Smith, Jones", "a|b", "\"Quoted\" Co", "C++", "(x)", "AT&T", "P-1.2_3", "'s", "50 % Mix"]
    {
        let line = format!("Plain:1 = {text}");
        check(&[&line], &format!("the {text} here"), &[&format!("{text} -> Plain:1")]);
        check(&[&line], text, &[&format!("{text} -> Plain:1")]);
        assert_eq!(lexicon(&[&line]).mentions(&[chunk("the A B here, Smith Jones")], None, &[])[0], []);
    }
    let quotes = "the \u{201c}Quoted\u{201d} Co";
    check(&["Plain:1 = \"Quoted\" Co"], quotes, &["\u{201c}Quoted\u{201d} Co -> Plain:1"]);
}

#[test]
fn case_66_keys_are_themselves() {
    let keys = [
        "Code:007 ~ 007",
        "Code:7 ~ 7",
        "Code:1E5 ~ 1E5",
        "Code:0870 ~ 0870",
        "Code:a b ~ a b",
        "Code:ab ~ ab",
    ];
    check(
        &keys,
        "007, 7, 1E5, 0870, a b, ab and 1e5, 00007, 870",
        &[
            "007 -> Code:007",
            "7 -> Code:7",
            "1E5 -> Code:1E5",
            "0870 -> Code:0870",
            "a b -> Code:a b",
            "ab -> Code:ab",
        ],
    );
}

#[test]
fn case_67_unicode_forms_and_legal_forms() {
    let names = ["Supplier:1 = M\u{fc}ller GmbH"];
    check(
        &names,
        "Mu\u{308}ller GmbH and M\u{dc}LLER.",
        &["Mu\u{308}ller GmbH -> Supplier:1", "M\u{dc}LLER -> Supplier:1"],
    );
    let nfd: String = names[0].nfd().collect();
    check(&[&nfd], "M\u{fc}ller", &["M\u{fc}ller -> Supplier:1"]);
    check(&["Code:1 = Acme"], "ACME acme Acme", &["Acme -> Code:1"]);
    check(&["Supplier:1 = Stra\u{df}e"], "STRASSE", &["STRASSE -> Supplier:1"]);
    check(
        &["Plain:1 = Tech\u{ad}Chip"],
        "TechChip, Tech\u{ad}Chip",
        &["TechChip -> Plain:1", "Tech\u{ad}Chip -> Plain:1"],
    );
    check(
        &["Plain:1 = 飞行控制", "Plain:2 = 飞行"],
        "本飞行控制单元，飞行 控制, 飞行x",
        &["飞行控制 -> Plain:1", "飞行 控制 -> Plain:1", "飞行 -> Plain:2"],
    );
}

#[test]
fn legal_forms_are_optional() {
    let names = ["Supplier:1 = TechChip, Inc."];
    check(&names, "TechChip Inc, a company", &["TechChip Inc -> Supplier:1"]);
    check(&names, "by TechChip, Inc. (\"Supplier\")", &["TechChip, Inc. -> Supplier:1"]);
    check(
        &names,
        "TechChip Incorporated or TechChip",
        &["TechChip Incorporated -> Supplier:1", "TechChip -> Supplier:1"],
    );
    check(&["Supplier:1 = TechChip"], "TechChip GmbH. Then", &["TechChip GmbH -> Supplier:1"]);
    check(&["Supplier:1 = TechChip Inc"], "TechChip GmbH", &[]);
    check(&["Supplier:1 = TechChip AS"], "TechChip as supplier; techchip inc", &["TechChip -> Supplier:1"]);
    check(&["Supplier:1 = TechChip Inc"], "techchip inc", &["techchip inc -> Supplier:1"]);
    check(
        &["Supplier:1 = Acme Co., Ltd."],
        "Acme Co., Ltd. and Acme Co. too",
        &["Acme Co., Ltd. -> Supplier:1", "Acme Co. -> Supplier:1"],
    );
    check(&["Supplier:1 = Acme plc"], "Acme plc as seller", &["Acme plc -> Supplier:1"]);
    check(&["Supplier:1 = Acme"], "Acme as seller", &["Acme -> Supplier:1"]);
    check(&["Supplier:1 = Acme Inc"], "Acme Inc, Co-Supplier", &["Acme Inc -> Supplier:1"]);
    check(&["Plain:1 = TechChip Inc"], "TechChip", &[]);
}

#[test]
fn two_companies_that_differ_in_their_form() {
    let names = ["Supplier:1 = TechChip Inc", "Supplier:2 = TechChip GmbH"];
    check(
        &names,
        "TechChip GmbH, TechChip Inc.",
        &["TechChip GmbH -> Supplier:2", "TechChip Inc. -> Supplier:1"],
    );
    check(&names, "TechChip", &["TechChip -> Supplier:1|Supplier:2"]);
}

#[test]
fn what_a_type_ignores() {
    let names = ["Component:1 = FCU-9", "Component:2 = Radio Module", "Component:3 = 4711 0815"];
    check(
        &names,
        "FCU9, FCU 9, fcu-009, RadioModule, 47110815",
        &[
            "FCU9 -> Component:1",
            "FCU 9 -> Component:1",
            "fcu-009 -> Component:1",
            "RadioModule -> Component:2",
        ],
    );
    check(
        &["Component:3 = 4711 815"],
        "4711815 4711-0815",
        &["4711815 -> Component:3", "4711-0815 -> Component:3"],
    );
    check(&names, "FCU-91, xFCU-9, FCU-9a", &[]);
}

#[test]
fn case_65_an_alias_of_two_is_ambiguous() {
    let names = [
        "Component:1 = Flight Control Unit",
        "Component:1 ~ FCU",
        "Component:2 = Fuel Cell",
        "Component:2 ~ FCU",
    ];
    check(&names, "the FCU", &["FCU -> Component:1|Component:2"]);
    check(
        &names,
        "the Flight Control Unit (FCU)",
        &["Flight Control Unit -> Component:1", "FCU -> Component:1 earlier"],
    );
    check(
        &names,
        "Flight Control Unit, Fuel Cell, FCU",
        &["Flight Control Unit -> Component:1", "Fuel Cell -> Component:2", "FCU -> Component:1|Component:2"],
    );
    check(&names, "FCU, Fuel Cell", &["FCU -> Component:1|Component:2", "Fuel Cell -> Component:2"]);
    let lexicon = lexicon(&names);
    let found = lexicon.mentions(&[chunk("Fuel Cell"), chunk("the FCU")], None, &[]);
    assert_eq!(show("the FCU", &found[1]), ["FCU -> Component:2 earlier"]);
}

#[test]
fn candidates_of_several_types_stay() {
    check(
        &["Plain:1 = Apollo", "Component:7 = APOLLO", "Plain:1 ~ Apollo"],
        "Apollo",
        &["Apollo -> Component:7|Plain:1"],
    );
    // The longest counts over all styles.
    check(&["Plain:1 = Apollo 7", "Component:7 = Apollo-7-B"], "Apollo 7 B", &["Apollo 7 B -> Component:7"]);
}

#[test]
fn keys_told_by_their_form() {
    check(
        &[],
        "CMP-001 and cmp-2, CMP-related, XCMP-3",
        &["CMP-001 -> Code:CMP-001 pattern", "cmp-2 -> Code:CMP-2 pattern"],
    );
    check(
        &["Code:1 ~ CMP-001"],
        "CMP-001, CMP-0012",
        &["CMP-001 -> Code:1", "CMP-0012 -> Code:CMP-0012 pattern"],
    );
    check(&["Plain:1 = CMP"], "CMP-7 of CMP", &["CMP-7 -> Code:CMP-7 pattern", "CMP -> Plain:1"]);
}

#[test]
fn parts_belong_to_the_document_named_after_them() {
    let names =
        ["Contract:C1 = Supply Agreement", "Contract:C2 = Frame Contract", "Contract:C3 = Frame Contract"];
    check(
        &names,
        "Schedule 7 to the Supply Agreement",
        &["Schedule 7 -> Schedule:C1/7 pattern", "Supply Agreement -> Contract:C1"],
    );
    check(&names, "EXHIBIT A-3.", &["EXHIBIT A-3 -> Schedule:SELF/A-3 pattern"]);
    check(
        &names,
        "Schedule 7 of Amendment No. 2 to the Supply Agreement",
        &[
            "Schedule 7 -> Schedule:C1\\/2/7 pattern",
            "Amendment No. 2 -> Amendment:C1/2 pattern",
            "Supply Agreement -> Contract:C1",
        ],
    );
    check(
        &names,
        "Schedule 1 of the Frame Contract",
        &["Schedule 1 -> Schedule:C2/1|Schedule:C3/1 pattern", "Frame Contract -> Contract:C2|Contract:C3"],
    );
    check(
        &names,
        "Schedule 7 and the Supply Agreement",
        &["Schedule 7 -> Schedule:SELF/7 pattern", "Supply Agreement -> Contract:C1"],
    );
    check(&[], "the Schedule of Products; Section 7.1", &["Section 7.1 -> Section:7.1 pattern"]);
    assert_eq!(lexicon(&[]).mentions(&[chunk("Schedule 7")], None, &[]), [vec![]]);
    let other = "Plain:x".parse().unwrap();
    assert_eq!(lexicon(&[]).mentions(&[chunk("Schedule 7")], Some(&other), &[]), [vec![]]);
}

#[test]
fn case_78_a_name_is_looked_up_where_it_stands() {
    for (line, text) in [
        ("Component:1 ~ FCU", "the FCU-9"),
        ("Component:1 ~ FCU-9", "the fcu 09"),
        ("Plain:1 ~ A/B", "an A/B test"),
        ("Supplier:1 = Soci\u{e9}t\u{e9} X Ltd", "SOCIE\u{301}TE\u{301} X"),
        ("Plain:1 = 飞行控制", "本飞行 控制"),
        ("Plain:1 = FooTM", "Foo\u{2122}, FooTM"),
    ] {
        let lexicon = lexicon(&[line]);
        assert!(!lexicon.mentions(&[chunk(text)], None, &[])[0].is_empty(), "{line} in {text}");
        let words: Vec<String> = index_words(text).into_iter().map(Into::into).collect();
        assert!(words.contains(&lookup_word(&name(line).text).unwrap()), "{line} in {text}: {words:?}");
        assert!(lexicon.words(&name(line)).iter().all(|word| words.contains(word)), "{line} in {text}");
    }
}

/// A generator with a fixed seed: the tests see the same texts everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn text(&mut self, pieces: &[&str], length: usize) -> String {
        (0..length).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

const PIECES: [&str; 42] = [
    "a",
    "b",
    "AB",
    "Fcu",
    "Tech",
    "chip",
    "0",
    "07",
    "7",
    "00",
    "70",
    " ",
    " ",
    " ",
    "-",
    "\u{2011}",
    "/",
    ".",
    ",",
    "&",
    "(",
    "\"",
    "|",
    "Inc",
    "Inc.",
    "GmbH",
    "as",
    "Co",
    "\u{ad}",
    "\u{200b}",
    "\n",
    "\u{301}",
    "u\u{308}",
    "\u{fc}",
    "ß",
    "飞",
    "行",
    "\u{2122}",
    "½",
    "㈱",
    "\u{fb01}",
    "Schedule ",
];

/// Everything that the linker finds by name can be looked up, and its mentions are sound.
#[test]
fn whatever_is_found_can_be_looked_up() {
    let mut random = Random(11);
    let types = ["Supplier", "Component", "Code", "Plain", "Contract"];
    let mut found = 0;
    for _ in 0..400 {
        let names: Vec<Name> = (0..12)
            .filter_map(|at| {
                let length = 1 + random.below(5);
                let text = random.text(&PIECES, length);
                let entity = EntityKey::new(types[random.below(types.len())], &at.to_string())?;
                Some(Name { entity, text, full: random.below(2) == 0, former: false })
            })
            .collect();
        let lexicon = Lexicon::build(ontology(), &english(), names.clone());
        let text = random.text(&PIECES, 40);
        let words: Vec<String> = index_words(&text).into_iter().map(Into::into).collect();
        let owner = "Contract:o".parse().unwrap();
        let mentions = lexicon.mentions(&[chunk(&text)], Some(&owner), &[]).remove(0);
        let mut end = 0;
        for mention in &mentions {
            assert!(mention.span.start >= end && mention.span.start < mention.span.end, "{text:?}");
            assert!(text.get(mention.span.start..mention.span.end).is_some(), "{text:?}");
            assert!(!mention.candidates.is_empty() && mention.candidates.is_sorted());
            end = mention.span.end;
        }
        // Each name alone: its mentions do not depend on which longer names hide it.
        for name in &names {
            let alone = Lexicon::build(ontology(), &english(), [name.clone()]);
            let mentions = alone.mentions(&[chunk(&text)], None, &[]).remove(0);
            if mentions.iter().any(|mention| mention.how == Known::Name) {
                found += 1;
                assert!(alone.is_named_in(&text), "{name:?} in {text:?}");
                let looked_up = lookup_word(&name.text);
                assert!(looked_up.is_none_or(|word| words.contains(&word)), "{name:?} in {text:?}");
                assert!(alone.words(name).iter().all(|word| words.contains(word)), "{name:?} in {text:?}");
            }
        }
    }
    assert!(found > 300, "the texts contain names: {found}");
}

/// A name alone is found exactly where its normal form stands between two boundaries.
#[test]
fn agrees_with_a_plain_search() {
    let mut random = Random(5);
    let letters = ["a", "b", "ab", " ", "-", "0", "07", "7", "\u{ad}", "飞"];
    let mut found = 0;
    for _ in 0..1500 {
        let length = 1 + random.below(3);
        let line = Name {
            entity: EntityKey::new(["Component", "Plain"][random.below(2)], "1").unwrap(),
            text: random.text(&letters, length),
            full: true,
            former: false,
        };
        let text = random.text(&letters, 14);
        let lexicon = Lexicon::build(ontology(), &english(), [line.clone()]);
        let mentions = lexicon.mentions(&[chunk(&text)], None, &[]).remove(0);
        let spans: Vec<Span> = mentions.iter().map(|mention| mention.span).collect();
        assert_eq!(spans, plain_search(&line, &text), "{line:?} in {text:?}");
        found += spans.len();
    }
    assert!(found > 300);
}

fn plain_search(name: &Name, text: &str) -> Vec<Span> {
    let style = ontology().entities[name.entity.entity_type()].style;
    let of_name = tokens(&name.text);
    let wanted = normal::normal(&pieces(&name.text, &of_name), style);
    let of_text = tokens(text);
    let pieces = pieces(text, &of_text);
    let mut spans: Vec<Span> = Vec::new();
    let mut from = 0;
    while from < pieces.len() {
        let ends = (from + 1..=pieces.len()).rev().find(|end| {
            !wanted.is_empty()
                && !pieces[from].joined
                && pieces.get(*end).is_none_or(|next| !next.joined)
                && !pieces[from].normal(style).is_empty()
                && !pieces[end - 1].normal(style).is_empty()
                && normal::normal(&pieces[from..*end], style) == wanted
        });
        match ends {
            Some(end) => {
                spans.push(Span::new(pieces[from].span.start, pieces[end - 1].span.end));
                from = end;
            }
            None => from += 1,
        }
    }
    spans
}

/// Of many names, the leftmost and longest is found, as a machine says that was made for nothing else.
#[test]
fn agrees_with_aho_corasick() {
    let mut random = Random(23);
    let letters = ["a", "b", "ab", " ", "-", "/", "(", "飞", "行", "a b", " a-", "b/a"];
    let style = ontology().entities["Plain"].style;
    // Each piece in brackets, so that what the machine finds begins and ends at boundaries.
    let written = |text: &str| {
        let found = tokens(text);
        let mut ends = vec![(0, 0, 0)];
        let mut form = String::new();
        for (at, piece) in pieces(text, &found).iter().enumerate() {
            assert!(!piece.joined);
            let space = if at > 0 && piece.space(style) { "_" } else { "" };
            form.push_str(space);
            let start = form.len();
            form.push_str(&format!("<{}>", piece.normal(style)));
            ends.push((start, form.len(), at));
        }
        (form, ends)
    };
    let mut hits = 0;
    for _ in 0..600 {
        let mut names: BTreeMap<String, Name> = BTreeMap::new();
        for at in 0..1 + random.below(25) {
            let length = 1 + random.below(5);
            let text = random.text(&letters, length);
            let form = written(&text).0;
            if !form.is_empty() {
                let entity = EntityKey::new("Plain", &at.to_string()).unwrap();
                names.entry(form).or_insert(Name { entity, text, full: false, former: false });
            }
        }
        let text = random.text(&letters, 40);
        let (form, ends) = written(&text);
        let machine = aho_corasick::AhoCorasick::builder()
            .match_kind(aho_corasick::MatchKind::LeftmostLongest)
            .build(names.keys())
            .unwrap();
        let found = tokens(&text);
        let pieces = pieces(&text, &found);
        let by_machine: Vec<(Span, EntityKey)> = machine
            .find_iter(&form)
            .map(|hit| {
                let from = ends.iter().rfind(|(start, _, _)| *start == hit.start()).unwrap().2;
                let to = ends.iter().find(|(_, end, _)| *end == hit.end()).unwrap().2;
                let entity = names.values().nth(hit.pattern().as_usize()).unwrap().entity.clone();
                (Span::new(pieces[from].span.start, pieces[to].span.end), entity)
            })
            .collect();
        let lexicon = Lexicon::build(ontology(), &english(), names.values().cloned());
        let mentions = lexicon.mentions(&[chunk(&text)], None, &[]).remove(0);
        let by_us: Vec<(Span, EntityKey)> =
            mentions.iter().map(|mention| (mention.span, mention.candidates[0].clone())).collect();
        assert_eq!(
            by_us,
            by_machine,
            "{:?} in {text:?}",
            names.values().map(|n| &n.text).collect::<Vec<_>>()
        );
        hits += by_us.len();
    }
    assert!(hits > 1000, "the texts contain names: {hits}");
}

/// A lexicon that was kept and renewed finds what one that is built anew finds, whatever came, went or changed.
#[test]
fn a_kept_lexicon_is_as_good_as_a_new_one() {
    let mut random = Random(31);
    let types = ["Supplier", "Component", "Code", "Plain", "Contract"];
    let mut differ = 0;
    for _ in 0..300 {
        let made = |random: &mut Random, count: usize| -> Vec<Name> {
            (0..count)
                .filter_map(|_| {
                    let length = 1 + random.below(4);
                    let text = random.text(&PIECES, length);
                    let entity =
                        EntityKey::new(types[random.below(types.len())], &random.below(8).to_string())?;
                    let (full, former) = (random.below(2) == 0, random.below(4) == 0);
                    Some(Name { entity, text, full, former })
                })
                .collect()
        };
        let before = made(&mut random, 14);
        let changed: BTreeSet<EntityKey> = made(&mut random, 4).into_iter().map(|name| name.entity).collect();
        let came: Vec<Name> =
            made(&mut random, 10).into_iter().filter(|name| changed.contains(&name.entity)).collect();
        let stay = before.iter().filter(|name| !changed.contains(&name.entity)).cloned();
        let anew = Lexicon::build(ontology(), &english(), stay.chain(came.iter().cloned()));
        let old = Lexicon::build(ontology(), &english(), before.clone());
        let (label, kept) = Lexicon::read(ontology(), &english(), &old.keep("label")).unwrap();
        assert_eq!(label, "label");
        let text = random.text(&PIECES, 40);
        let mentions = |lexicon: &Lexicon| lexicon.mentions(&[chunk(&text)], None, &[]).remove(0);
        assert_eq!(mentions(&kept), mentions(&old), "{text:?}");
        let renewed = kept.renewed(&changed, came);
        assert_eq!(mentions(&renewed), mentions(&anew), "{before:?} and {changed:?} in {text:?}");
        differ += usize::from(mentions(&renewed) != mentions(&old));
    }
    assert!(differ > 30, "the changes change what is found: {differ}");
}

#[test]
fn a_damaged_lexicon_is_none() {
    let kept = lexicon(&["Supplier:1 = TechChip, Inc.", "Plain:2 ~ x"]).keep("label");
    for at in 0..kept.len() {
        let mut damaged = kept.clone();
        damaged[at] ^= 1;
        assert!(Lexicon::read(ontology(), &english(), &damaged).is_none(), "{at}");
        assert!(Lexicon::read(ontology(), &english(), &kept[..at]).is_none(), "{at}");
    }
    assert!(Lexicon::read(ontology(), &english(), &kept).is_some());
}

#[test]
fn large_and_hostile_inputs_are_linear() {
    let names: Vec<Name> = (0..5000)
        .flat_map(|at| {
            let entity = EntityKey::new("Supplier", &at.to_string()).unwrap();
            [("Vendor", "Ltd"), ("Acme", "Inc")].map(|(word, form)| Name {
                entity: entity.clone(),
                text: format!("{word} {at} Trading {form}"),
                full: true,
                former: false,
            })
        })
        .chain([Name {
            entity: "Plain:x".parse().unwrap(),
            text: "x".repeat(1_000_000),
            full: true,
            former: false,
        }])
        .collect();
    let lexicon = Lexicon::build(ontology(), &english(), names);
    for text in [
        "-".repeat(50_000),
        "a-".repeat(50_000),
        "0 ".repeat(50_000),
        "Vendor 7 Trading ".repeat(10_000),
        "Inc. ".repeat(30_000),
        "x".repeat(500_000),
        "a\u{301}\u{ad}".repeat(30_000),
        "Schedule ".repeat(20_000),
        "1.".repeat(30_000),
    ] {
        let _ = lexicon.mentions(&[chunk(&text)], None, &[]);
        let _ = index_words(&text);
    }
    let found = lexicon.mentions(&[chunk("by Acme 4711 Trading, Inc. and")], None, &[]);
    assert_eq!(found[0][0].candidates, ["Supplier:4711".parse().unwrap()]);
}

#[test]
fn the_lexicon_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Lexicon>();
}
