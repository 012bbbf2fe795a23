//! What depends on what, evidence, near misses, and texts that want to do harm.

use super::kit::*;
use super::*;

const NAMES: &str = "Supplier: TechChip, Inc. = TechChip; Voltanix GmbH = Voltanix\n\
    Component: FCU = Flight Control Unit; RM = Radio Module; Drone Kit\n\
    Contract: MSA-17 = Master Agreement\nCodeSection: Section 7";

const SUPPLY: &str = r#"
- id: supply
  edge: supplies
  match: "{subject:Supplier} (shall|will) ... SUPPLY {object:Component+} [from {valid_from:date}]"
"#;

fn fingerprints(yaml: &str, text: &str) -> Vec<(String, String)> {
    let doc = document(text, Setting::default(), Part::Body);
    let inputs = doc.inputs(&extractor(yaml), &names(NAMES));
    let both = doc.chunks.iter().zip(inputs);
    both.map(|(chunk, input)| (chunk.body.text.clone(), input.fingerprint().to_string())).collect()
}

/// The texts of the chunks whose fingerprints differ between two states.
fn differing(before: &[(String, String)], after: &[(String, String)]) -> Vec<String> {
    let old: BTreeMap<_, _> = before.iter().cloned().collect();
    let changed = after.iter().filter(|(text, print)| old.get(text) != Some(print));
    changed.map(|(text, _)| text.clone()).collect()
}

#[test]
fn a_changed_definition_changes_its_users_only() {
    let text = |who: &str| {
        format!(
            "{who} (\"Supplier\") signs.\n\nTechChip, Inc. (\"Seller\") signs too.\n\nSupplier shall supply the FCU.\n\n\
             Seller shall supply the RM.\n\nThe supplier's name is not Supplierson.\n\nNothing else."
        )
    };
    let before = fingerprints(SUPPLY, &text("TechChip, Inc."));
    let after = fingerprints(SUPPLY, &text("Voltanix GmbH"));
    let expected = ["Voltanix GmbH (\"Supplier\") signs.", "Supplier shall supply the FCU."];
    assert_eq!(differing(&before, &after), expected);
    assert_eq!(differing(&before, &fingerprints(SUPPLY, &text("TechChip, Inc."))), Vec::<String>::new());
}

#[test]
fn a_changed_rule_changes_what_it_can_touch_and_its_confidence_nothing() {
    let text = "TechChip shall supply the FCU.\n\nTechChip shall pay.\n\n# Supply\nTechChip will deliver the RM.\n\n> TechChip shall supply the FCU.\n\nOther text.";
    let before = fingerprints(SUPPLY, text);
    let confident =
        fingerprints(&format!("{SUPPLY}  confidence: 0.5\n").replace("confidence", "unread"), text);
    let changed = fingerprints(&SUPPLY.replace("from {", "(from|since) {"), text);
    let touched = ["TechChip shall supply the FCU.", "TechChip will deliver the RM."];
    assert_eq!(differing(&before, &changed), touched);
    assert_eq!(differing(&before, &confident), touched, "the test's revision hashes all of a rule");
    // The revision is the loader's, and it leaves the confidence out: nothing else of it is in an input.
    let mut other = ontology(SUPPLY);
    other.rules[0].confidence = 0.1;
    let doc = document(text, Setting::default(), Part::Body);
    let one = doc.inputs(&Extractor::new(Arc::new(other), english()), &names(NAMES));
    let two = doc.inputs(&extractor(SUPPLY), &names(NAMES));
    assert_eq!(one, two);
    let sent = extractor(SUPPLY).can_touch("supply").unwrap();
    assert!(sent.contains(&vec!["shall".to_owned(), "will".to_owned()]), "{sent:?}");
    assert_eq!(extractor(SUPPLY).can_touch("other"), None);
}

#[test]
fn an_input_holds_nothing_that_is_not_used() {
    let run = |setting: Setting| {
        let text = "TechChip shall supply the FCU.\n\nTechChip shall supply the FCU from the Effective Date.";
        let doc = document(text, setting, Part::Body);
        let inputs = doc.inputs(&extractor(SUPPLY), &names(NAMES));
        inputs.iter().map(|input| input.fingerprint()).collect::<Vec<_>>()
    };
    let plain = run(Setting::default());
    let key = EntityKey::new("Contract", "MSA-17");
    let elsewhere = Setting { stands_for: key, path: "a/b.md".to_owned(), ..Setting::default() };
    assert_eq!(run(elsewhere), plain);
    let dated = run(Setting { effective: true, ..Setting::default() });
    assert_eq!((dated[0] == plain[0], dated[1] == plain[1]), (true, false));
    let first = document("TechChip shall supply the FCU.", Setting::default(), Part::Body);
    let later = document("Other.\n\nTechChip shall supply the FCU.", Setting::default(), Part::Body);
    let (extractor, names) = (extractor(SUPPLY), names(NAMES));
    let first = first.inputs(&extractor, &names)[0].fingerprint();
    assert_eq!(first, later.inputs(&extractor, &names)[1].fingerprint(), "text that moves is not extracted");
}

#[test]
fn a_binding_is_in_force_where_a_rule_uses_it() {
    let rules = r#"
- { id: head, bind: target, match: "{target:CodeSection} is amended as follows", for: items below }
- { id: item, edge: amends, subject: self, object: target, match: "Paragraph ... is (repealed|added)" }
"#;
    let text = "Section 7 is amended as follows:\n- Paragraph (a) is repealed.\n- The rest stays.\n\nOther.";
    let setting = Setting { stands_for: EntityKey::new("Contract", "MSA-17"), ..Setting::default() };
    let doc = document(text, setting, Part::Body);
    let (extractor, names) = (extractor(rules), names(NAMES));
    let inputs = doc.inputs(&extractor, &names);
    let uses: Vec<Vec<&str>> = inputs.iter().map(|input| input.uses().collect()).collect();
    assert_eq!(uses, [vec![], vec!["target"], vec![], vec![]]);
    let reading = &extractor.extract(&inputs[1], &BTreeMap::new()).readings[0];
    assert_eq!(show(reading, &names), "self amends Section 7");
    let support = &reading.evidence.support[0];
    assert_eq!(
        (support.role.as_str(), support.text.as_str()),
        ("parent", "Section 7 is amended as follows:")
    );
    assert_eq!(support.chunk, Some(doc.chunks[0].id));
}

#[test]
fn the_term_is_a_mention_and_its_definition_supports() {
    let text = "TechChip, Inc. (\"Supplier\") signs on 17 February 2024 (the \"Effective Date\").\n\n\
                Supplier shall supply the FCU from the Effective Date.";
    let doc = document(text, Setting::default(), Part::Body);
    let (extractor, names) = (extractor(SUPPLY), names(NAMES));
    let found = doc.run(&extractor, &names);
    let reading = &found[1].readings[0];
    assert_eq!(show(reading, &names), "TechChip, Inc. supplies FCU from 2024-02-17");
    assert_eq!(reading.evidence.quote, "Supplier shall supply the FCU from the Effective Date.");
    assert_eq!(reading.subject.surface, "TechChip, Inc.");
    let roles: Vec<&str> = reading.evidence.support.iter().map(|support| support.role.as_str()).collect();
    assert_eq!(roles, ["date", "definition"]);
    let terms: Vec<(&str, &Known)> = found[1]
        .mentions
        .iter()
        .map(|mention| (mention.span.of(&doc.chunks[1].body.text), &mention.how))
        .collect();
    assert_eq!(terms[0], ("Supplier", &Known::Term { term: "Supplier".to_owned() }));
    assert_eq!(terms[1], ("FCU", &Known::Name));
    assert_eq!(found[0].mentions.len(), 1, "a term in its definition is no mention");
}

#[test]
fn one_sentence_twice_is_two_occurrences_and_two_intervals_are_two_readings() {
    let doc = document("TechChip will supply FCU. TechChip will supply FCU.", Setting::default(), Part::Body);
    let found = doc.run(&extractor(SUPPLY), &names(NAMES));
    let occurrences: Vec<u32> = found[0].readings.iter().map(|reading| reading.occurrence).collect();
    assert_eq!(occurrences, [0, 1]);
    let again = "TechChip will supply FCU from 2020 and again from 2022 to 2023, and again from 2025.";
    let doc = document(again, Setting::default(), Part::Body);
    let found = doc.run(&extractor(SUPPLY), &names(NAMES));
    let shown: Vec<String> = found[0].readings.iter().map(|reading| show(reading, &names(NAMES))).collect();
    let base = "TechChip, Inc. supplies FCU from";
    assert_eq!(
        shown,
        [
            format!("{base} 2020-01-01"),
            format!("{base} 2022-01-01 until 2023-12-31"),
            format!("{base} 2025-01-01"),
        ]
    );
}

#[test]
fn near_misses_say_what_was_in_the_way() {
    let cases = [
        ("Orion Systems GmbH shall supply the FCU.", "UnknownName { surface: \"Orion Systems GmbH\" }"),
        (
            "TechChip shall one two three four five six seven eight nine ten eleven twelve thirteen supply FCU.",
            "GapTooLong",
        ),
        ("TechChip shall never supply the FCU.", "Cue { cue: \"never\", class: \"negation\" }"),
        ("TechChip shall supply the goods.", "Partial { got: 4, of: 6, expected: \"{object:Component}\" }"),
        ("Nobody shall supply the FCU.", ""),
    ];
    for (text, expected) in cases {
        let doc = document(text, Setting::default(), Part::Body);
        let found = doc.run(&extractor(SUPPLY), &names(NAMES));
        let misses: Vec<String> = found[0].misses.iter().map(|miss| format!("{:?}", miss.kind)).collect();
        assert_eq!(misses.join(" "), expected, "{text}");
        let silent = doc.run(&extractor(SUPPLY).with_misses(false), &names(NAMES));
        assert!(silent[0].misses.is_empty());
        assert_eq!(silent[0].readings, found[0].readings);
    }
    let dated = SUPPLY.replace("[from {valid_from:date}]", "from {valid_from:date}");
    for (text, expected) in [
        ("TechChip shall supply FCU from the Start Date.", "UndefinedTerm { term: \"Start Date\" }"),
        ("TechChip shall supply FCU from some day.", "NoDate { text: \"some day.\" }"),
    ] {
        let doc = document(text, Setting::default(), Part::Body);
        let found = doc.run(&extractor(&dated), &names(NAMES));
        assert_eq!(format!("{:?}", found[0].misses[0].kind), expected, "{text}");
    }
}

#[test]
fn cells_that_are_empty_take_the_value_above_across_chunks() {
    let rules = r#"
- id: rows
  edge: supplies
  table: { subject: [Supplier], object: [Part], valid_from: [From], fill_down: [subject, valid_from] }
"#;
    let mut doc = document(
        "| Part | Supplier | From |\n| --- | --- | --- |\n| FCU | TechChip | 2024-01-01 |\n\n\
         | Part | Supplier | From |\n| --- | --- | --- |\n| RM | | |",
        Setting::default(),
        Part::Body,
    );
    // The chunker cuts a long table: the second chunk knows what stands above it.
    let ChunkKind::Rows { above, .. } = &mut doc.chunks[1].body.kind else {
        unreachable!("the chunk is a table")
    };
    *above = ["FCU", "TechChip", "2024-01-01"].map(str::to_owned).to_vec();
    let found = doc.run(&extractor(rules), &names(NAMES));
    let reading = &found[1].readings[0];
    assert_eq!(show(reading, &names(NAMES)), "TechChip, Inc. supplies RM from 2024-01-01");
    assert_eq!(reading.evidence.quote, "RM | TechChip | 2024-01-01");
    assert_eq!(reading.evidence.support[0].text, "Part | Supplier | From");
    assert_eq!(reading.evidence.span.unwrap().of(&doc.chunks[1].body.text), "RM");
}

#[test]
fn a_document_stands_for_this_agreement() {
    let rules = r#"
- { id: covers, edge: covers, match: "{subject:Contract} covers {object:Component}" }
"#;
    let text =
        "This Master Supply Agreement (the \"Agreement\") is made today.\n\nThe Agreement covers the FCU.";
    let setting = Setting { stands_for: EntityKey::new("Contract", "MSA-17"), ..Setting::default() };
    let doc = document(text, setting, Part::Body);
    let found = doc.run(&extractor(rules), &names(NAMES));
    assert_eq!(show(&found[1].readings[0], &names(NAMES)), "MSA-17 covers FCU");
}

#[test]
fn boilerplate_is_no_fact() {
    let rules = r#"
- { id: super, edge: cites, match: "{subject:Contract} supersede~ {object:Contract+}" }
- { id: super.self, edge: cites, subject: self, match: "this Agreement supersede~ {object:Contract+}" }
"#;
    let setting = Setting { stands_for: EntityKey::new("Contract", "MSA-17"), ..Setting::default() };
    let doc =
        document("This Agreement supersedes all prior agreements between the parties.", setting, Part::Body);
    assert!(doc.run(&extractor(rules), &names(NAMES))[0].readings.is_empty());
}

/// Texts made of what patterns, names, dates and quotations are made of, in any order.
fn soup(seed: u64, length: usize) -> String {
    let bits = [
        "TechChip",
        "Voltanix",
        "Orion",
        "FCU",
        "Radio Module",
        "Supplier",
        "shall",
        "will",
        "supply",
        "sold",
        "the",
        "and",
        "or",
        ",",
        ";",
        ".",
        "(",
        ")",
        "\"",
        "\u{201c}",
        "\u{201d}",
        "'s",
        "from",
        "until",
        "2024",
        "17 February 2024",
        "Q3 2025",
        "225 days",
        "after",
        "Effective Date",
        "not",
        "if",
        "means",
        "each a",
        "|",
        "Inc.",
        "GmbH",
        "\u{301}",
        "\u{200b}",
        "飞",
        "é",
        "-",
        "/",
        "_",
        "9",
        "\u{ad}",
        "again",
        "May",
        "Section 7",
        "is amended as follows",
        "\n",
        "\n\n",
        "[x](parts/FCU)",
        "?",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    for _ in 0..length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(bits[(state >> 33) as usize % bits.len()]);
        if state >> 62 != 0 {
            text.push(' ');
        }
    }
    text
}

const EVERYTHING: &str = r#"
- { id: a, edge: supplies, match: "{subject:Supplier+} ... [not|never] ... SUPPLY ... {object:Component+} ... [from {valid_from:date}] ... [until {valid_to:date}]" }
- { id: b, edge: supplies, match: "[a] [b] [the] ({subject:Supplier}|{object:Component}|{valid_from:date}) ... ... ... {object:Component} ... {valid_to:date}", subject: target }
- { id: c, edge: supplies, match: "(... TechChip|[[[the]]] {x}|/.*/) ... (supply~|... sold) {object:Component+}", subject: target }
- { id: d, edge: party_to, mentions: { subject: Supplier }, object: self }
- { id: e, bind: target, match: "{target:Supplier} ... {x}", for: section }
- { id: f, edge: covers, link: { target: "parts/{object}" }, subject: self, valid_from: effective }
- { id: g, edge: supplies, table: { subject: [a], object: [b] } }
- { id: h, edge: supplies, field: { subject: [a], object: [b] } }
"#;

#[test]
fn hostile_texts_neither_panic_nor_differ() {
    let (extractor, names) = (extractor(EVERYTHING), names(NAMES));
    for seed in 0..120 {
        let text = soup(seed, 60);
        let setting = Setting { stands_for: EntityKey::new("Contract", "MSA-17"), ..Setting::default() };
        let doc = document(&text, setting, Part::Body);
        let once = doc.run(&extractor, &names);
        for (chunk, extraction) in doc.chunks.iter().zip(&once) {
            for reading in &extraction.readings {
                let span = reading.evidence.span.unwrap();
                assert_eq!(span.of(&chunk.body.text), reading.evidence.quote, "{text}");
            }
            for mention in &extraction.mentions {
                assert!(!mention.span.of(&chunk.body.text).is_empty());
            }
        }
        assert_eq!(doc.run(&extractor, &names), once);
    }
}

#[test]
fn the_cost_of_a_long_sentence_is_bounded() {
    let (extractor, names) = (extractor(EVERYTHING), names(NAMES));
    let list = "TechChip shall supply ".to_owned() + &"FCU, Radio Module, Gimbal, ".repeat(400) + "FCU.";
    let quotes = "\"A\" means \"B\" (\"C\") ".repeat(400);
    let names_only = "Alpha Beta ".repeat(1_500);
    let brackets = "(".repeat(2_000) + &")".repeat(2_000);
    for text in [soup(1, 1_500).replace(['.', '\n'], " "), list, quotes, names_only, brackets] {
        let mentions = link(&text, &names);
        let body = ChunkBody {
            text,
            context: Context::default(),
            kind: ChunkKind::Prose,
            links: vec![
                (Span::new(0, 1), "parts/FCU".to_owned()),
                (Span::new(9_999_999, 99_999_999), String::new()),
            ],
        };
        let chunk = Chunk { id: Chunk::id_of(&body), occurrence: 0, start: 0, marks: Vec::new(), body };
        let setting = Setting::default();
        let bindings =
            extractor.bind(&setting, std::slice::from_ref(&chunk), std::slice::from_ref(&mentions));
        let input = extractor.input(&setting, &bindings, 0, &chunk, &mentions);
        let _ = extractor.extract(&input, &BTreeMap::new());
    }
}

#[test]
fn spans_that_do_not_fit_are_no_reason_to_panic() {
    let body = ChunkBody {
        text: "TechChip shall supply é the FCU".to_owned(),
        context: Context::default(),
        kind: ChunkKind::Rows {
            header: vec!["a".to_owned(), "b".to_owned()],
            cells: Table {
                header: Vec::new(),
                rows: vec![vec![Span::new(23, 400), Span::new(0, 8)], vec![]],
            },
            above: vec!["x".to_owned(); 9],
        },
        links: Vec::new(),
    };
    let chunk = Chunk { id: Chunk::id_of(&body), occurrence: 0, start: 0, marks: Vec::new(), body };
    let candidates = vec![EntityKey::new("Supplier", "T").unwrap()];
    let mention = |start, end| Mention {
        span: Span::new(start, end),
        candidates: candidates.clone(),
        how: Known::Name,
    };
    let mentions = vec![mention(0, 8), mention(23, 24), mention(5, 999), mention(999, 1_000), mention(2, 2)];
    let extractor = extractor(EVERYTHING);
    for kind in
        [chunk.body.kind.clone(), ChunkKind::Prose, ChunkKind::Item, ChunkKind::Heading, ChunkKind::Fields]
    {
        let mut chunk = chunk.clone();
        chunk.body.kind = kind;
        let field =
            HeaderField { name: "a".to_owned(), value: "b".to_owned(), span: Some(Span::new(3, 700)) };
        let setting = Setting { fields: vec![field], ..Setting::default() };
        let bindings = extractor.bind(&setting, std::slice::from_ref(&chunk), &[]);
        let _ =
            extractor.extract(&extractor.input(&setting, &bindings, 0, &chunk, &mentions), &BTreeMap::new());
    }
}
