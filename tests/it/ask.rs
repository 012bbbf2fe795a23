//! `ask`: the eleven questions of the sample, each question against a brute-force twin on random graphs,
//! bounds that say what they cut, and what is said of words that mean nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use expect_test::expect_file;
use serde_json::{Value, json};

use crate::sample::sample;
use crate::world::{World, copy};

mod naive;

use naive::{Losses, Naive, Pass};

/// The eleven questions, as docs/questions.md has them: what is asked, and the one command that answers it,
/// with the day wherever the answer depends on it.
const QUESTIONS: [(&str, &str); 11] = [
    (
        "Q1. What does the Thailand flood strike, hop by hop?",
        "ask subgraph EVT-001 --along affects,supplies,uses --as-of 2026-06-01",
    ),
    (
        "Q2. What hangs on TechChip, down to the customers?",
        "ask subgraph TechChip --along supplies,uses,produces,delivers_to --evidence none --as-of 2026-06-01",
    ),
    (
        "Q3. How is AeroMetal connected with the NarrowBody-900?",
        "ask path AeroMetal NarrowBody-900 --as-of 2026-06-01",
    ),
    (
        "Q4. Which supplier reaches most products?",
        "ask reach Supplier --to Product --along supplies,uses,produces --evidence none --as-of 2026-06-01",
    ),
    ("Q5. What does AeroMetal supply?", "ask neighbors AeroMetal --edge supplies --as-of 2026-06-01"),
    (
        "Q6. Who supplied the Flight Control Unit around the change of source?",
        "ask edges CMP-001 --edge supplies --during 2024-02-16..2024-02-17 --evidence all",
    ),
    (
        "Q7. Who else could supply the Flight Control Unit?",
        "ask alternatives CMP-001 --edge supplies --same type --as-of 2026-06-01",
    ),
    (
        "Q8. Which components have a single supplier?",
        "ask count Component --edge supplies --exactly 1 --by criticality --evidence none --as-of 2026-06-01",
    ),
    (
        "Q9. Which customers does the Thailand flood not reach?",
        "ask complement Customer --of EVT-001 --along affects,supplies,uses,produces,delivers_to --evidence none --as-of 2026-06-01",
    ),
    (
        "Q10. How do the WideBird-X50 and the RegionalJet-150 compare upstream?",
        "ask compare WideBird-X50 RegionalJet-150 --along produces,uses,supplies --evidence none --as-of 2026-06-01",
    ),
    (
        "Q11. How much of the critical and high events comes through to each product?",
        "ask risk RiskEvent --where 'severity=critical|high' --strikes affects --along supplies,uses,produces \
         --to Product --evidence none --as-of 2026-06-01",
    ),
];

/// The keys of a list of values, without their types.
fn keys(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| bare(one["key"].as_str().unwrap())).collect()
}

fn bare(key: &str) -> &str {
    key.split_once(':').unwrap().1
}

/// The keys of a list that are so many hops away.
fn at_hop(nodes: &Value, hops: u64) -> Vec<&str> {
    let nodes = nodes.as_array().unwrap().iter().filter(|node| node["hops"] == hops);
    nodes.map(|node| bare(node["key"].as_str().unwrap())).collect()
}

/// That every path of an answer goes from edge to edge and ends where it says, and that every edge has a
/// fact, an interval and a sentence in a document or row.
fn check_paths(answer: &Value, roots: &[&str]) {
    let edges = answer["edges"].as_array().unwrap();
    for node in answer["nodes"].as_array().unwrap() {
        let mut here: BTreeSet<String> = roots.iter().map(|root| (*root).to_owned()).collect();
        for number in node["path"].as_array().unwrap() {
            let edge = &edges[usize::try_from(number.as_u64().unwrap()).unwrap() - 1];
            assert_eq!(edge["number"], *number);
            let ends =
                [&edge["subject"]["key"], &edge["object"]["key"]].map(|key| key.as_str().unwrap().to_owned());
            let next = ends.iter().filter(|end| here.iter().any(|at| at != *end && ends.contains(at)));
            here = next.cloned().collect();
        }
        assert!(here.contains(node["key"].as_str().unwrap()), "{node} of {answer:#}");
    }
    for edge in edges {
        assert_eq!(edge["fact"].as_str().unwrap().len(), 32);
        assert!(edge.get("valid_from").is_some() && edge.get("valid_to").is_some());
        let proof = &edge["evidence"][0];
        let located = proof["line"].as_u64().unwrap() > 0 && !proof["quote"].as_str().unwrap().is_empty();
        assert!(located && (proof["chunk"].is_string() || proof["row"].is_string()), "{edge:#}");
        assert!(proof["document"].is_string() || proof["feed"].is_string(), "{edge:#}");
    }
}

#[test]
fn q1_to_q11_are_answered_from_the_sample_each_by_one_command() {
    let world = sample();
    world.run();
    let ask = |number: usize| {
        let command = QUESTIONS[number - 1].1.replace(" --evidence none", "");
        world.cmd(&format!("{command} --output json")).expect_code(0).json()
    };

    let q1 = ask(1);
    assert_eq!(at_hop(&q1["nodes"], 1), ["SUP-004"]);
    assert_eq!(at_hop(&q1["nodes"], 2), ["CMP-004", "CMP-011"]);
    assert_eq!(at_hop(&q1["nodes"], 3), ["FAC-005"]);
    assert_eq!(q1["nodes"].as_array().unwrap().len(), 5);
    check_paths(&q1, &["RiskEvent:EVT-001"]);

    let q2 = ask(2);
    assert_eq!(at_hop(&q2["nodes"], 1), ["CMP-001", "CMP-006", "CMP-014"]);
    assert_eq!(at_hop(&q2["nodes"], 2), ["FAC-001", "FAC-004"]);
    assert_eq!(at_hop(&q2["nodes"], 3), ["PRD-001", "PRD-002", "PRD-004", "PRD-005", "PRD-006"]);
    let customers: BTreeSet<&str> = at_hop(&q2["nodes"], 4).into_iter().collect();
    assert_eq!(customers, BTreeSet::from(["CUS-001", "CUS-002", "CUS-003", "CUS-004"]));
    check_paths(&q2, &["Supplier:SUP-001"]);

    let q3 = ask(3);
    let steps: Vec<String> = q3["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            let text = |name: &str| step[name].as_str().unwrap().to_owned();
            format!(
                "{} {} {}",
                text("direction"),
                text("edge_type"),
                bare(step["to"]["key"].as_str().unwrap())
            )
        })
        .collect();
    assert_eq!(steps, ["out supplies CMP-002", "in uses FAC-001", "out produces PRD-001"]);
    assert_eq!((&q3["from"]["key"], &q3["hops"]), (&json!("Supplier:SUP-002"), &json!(3)));

    let q4 = ask(4);
    let reach: Vec<(&str, u64)> = q4["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (bare(row["key"].as_str().unwrap()), row["count"].as_u64().unwrap()))
        .collect();
    let expected = [
        ("SUP-001", 5),
        ("SUP-008", 5),
        ("SUP-002", 4),
        ("SUP-003", 3),
        ("SUP-005", 3),
        ("SUP-006", 3),
        ("SUP-007", 3),
        ("SUP-004", 2),
        ("SUP-009", 0),
    ];
    assert_eq!(reach, expected);
    assert!(q4["says"].as_str().unwrap().starts_with("TechChip Inc, ElectraWire of 9 nodes reach most: 5"));

    assert_eq!(at_hop(&ask(5)["nodes"], 1), ["CMP-002", "CMP-009", "CMP-015"]);

    let q6 = ask(6);
    let held: Vec<Value> = q6["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| json!([edge["subject"]["name"], edge["valid_from"], edge["valid_to"]]))
        .collect();
    // Half-open: the first day that no longer belongs is the 17th, so the 16th is the last, and no day has none.
    assert_eq!(
        held,
        [json!(["ShenzenChip", "2021-03-01", "2024-02-17"]), json!(["TechChip Inc", "2024-02-17", null])]
    );
    for (day, name) in [("2024-02-16", "ShenzenChip"), ("2024-02-17", "TechChip Inc")] {
        let on = world.cmd(&format!("ask edges CMP-001 --edge supplies --as-of {day} --output json")).json();
        assert_eq!((&on["of"], &on["edges"][0]["subject"]["name"]), (&json!(1), &json!(name)));
        let near = world.cmd(&format!("ask neighbors CMP-001 --edge supplies --as-of {day}")).stdout;
        assert!(near.contains(&format!("{name} supplies Flight Control Unit")), "{near}");
    }

    let q7 = ask(7);
    assert_eq!(
        (keys(&q7["present"]), keys(&q7["others"]), keys(&q7["alike"])),
        (vec!["SUP-001"], vec![], vec![])
    );
    assert_eq!(q7["shared"], json!([{ "property": "type", "value": "Electronic Assembly" }]));
    assert!(q7["says"].as_str().unwrap().starts_with("no alternative at Flight Control Unit"));

    let q8 = ask(8);
    assert_eq!(q8["rows"].as_array().unwrap().len(), 15);
    assert_eq!(
        q8["having"],
        json!([{ "count": 1, "nodes": 15, "by": { "high": 11, "medium": 3, "low": 1 } }])
    );

    let q9 = ask(9);
    assert_eq!(keys(&q9["nodes"]), ["CUS-004"]);
    assert_eq!(q9["nodes"][0]["name"], "DefenseTech Corp");
    assert_eq!(keys(&q9["taken"]), ["CUS-001", "CUS-002", "CUS-003"]);

    let q10 = ask(10);
    let counts: Vec<Value> = q10["types"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["entity_type"], row["left"], row["right"]]))
        .collect();
    assert_eq!(counts, [json!(["Component", 12, 4]), json!(["Factory", 4, 1]), json!(["Supplier", 8, 2])]);
    let shared = q10["types"][2]["shared"].as_array().unwrap();
    assert_eq!(shared.iter().map(|one| &one["name"]).collect::<Vec<_>>(), ["TechChip Inc", "ElectraWire"]);

    let q11 = ask(11);
    let scores: Vec<Value> =
        q11["scores"].as_array().unwrap().iter().map(|row| json!([row["name"], row["score"]])).collect();
    assert_eq!(
        scores,
        [
            json!(["WideBird-X50", 1.19]),
            json!(["RegionalJet-150", 0.98]),
            json!(["ExecWing-7", 0.98]),
            json!(["SkyPatrol-UAV", 0.98]),
            json!(["CargoHawk-300", 0.7]),
            json!(["NarrowBody-900", 0.49])
        ]
    );
    assert_eq!(q11["unweighted"], json!([]));
    let sources: BTreeSet<&str> = q11["scores"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row["arrivals"].as_array().unwrap())
        .map(|one| bare(one["source"]["key"].as_str().unwrap()))
        .collect();
    assert_eq!(sources, BTreeSet::from(["EVT-001", "EVT-002", "EVT-003"]));
    // An event is active on the days on which its edge holds: before the flood nothing of it arrives.
    let before =
        world.cmd(&format!("{} --output json", QUESTIONS[10].1.replace("2026-06-01", "2024-10-06"))).json();
    assert!(!before.to_string().contains("EVT-001"), "{before:#}");

    // An edge count always says which it is.
    let count = world.cmd("ask count --output json").json();
    assert_eq!(
        count["by_type"],
        json!({ "supplies": 15, "uses": 20, "produces": 13, "delivers_to": 8, "affects": 8 })
    );
    assert_eq!(
        world.cmd("ask count --evidence none").stdout.lines().next(),
        Some("64 edges hold on 2026-06-01")
    );
}

#[test]
fn the_page_of_the_eleven_questions_shows_what_the_commands_print() {
    // On whatever day somebody follows the page.
    let mut world = sample();
    world.today = "2035-01-01".to_owned();
    world.run();
    let mut page = String::from(
        "# Questions\n\n\
         `edgewright ask` answers questions over the extracted graph: one subcommand a question, listed by `edgewright ask --help`.\n\
         An answer names its edges by number, gives the path to each node as such numbers, and for each edge the fact, its days and the sentence that says so.\n\
         `--evidence none` leaves the sentences out, `--evidence all` gives every one; `--output json` has the same and more, in the form that `edgewright json-schema ask-…` prints.\n\
         Every question takes `--as-of`, `--known-at` and `--access`, goes over the edges that the reader sees and that hold on the day, and says what its bounds (`--hops`, `--nodes`, `--fan`, `--time-limit`) cut.\n\n\
         A trail is `--along affects,supplies,uses`: one hop after another, each over its own edge types; or `--edge supplies,uses --hops 3`: any of them, up to three hops.\n\
         Edges are walked whichever way leads on; `out:supplies` goes from subject to object only, `in:supplies` the other way.\n\
         Sets compose: `--keys` writes keys, one a line, and `-` or `@FILE` reads them where nodes are asked for.\n\n\
         ```sh\n\
         edgewright ask subgraph EVT-001 --along affects,supplies --keys --as-of 2026-06-01 > struck.txt\n\
         edgewright ask complement Component --of @struck.txt --keys --as-of 2026-06-01\n\
         ```\n\n\
         The eleven questions below are asked of the shipped sample on 2026-06-01; without `--as-of` the day is today.\n\
         Nothing in the program knows its types: types, properties, weights and decay are words of the commands.\n",
    );
    for (question, command) in QUESTIONS {
        let answer = world.cmd(command).expect_code(0).stdout;
        page.push_str(&format!(
            "\n## {question}\n\n```sh\nedgewright {command}\n```\n\n```text\n{answer}```\n"
        ));
    }
    expect_file!["../../docs/questions.md"].assert_eq(&page);
    // The commands before the questions do what they are there for.
    let mut said = Vec::new();
    for line in page.lines().take_while(|line| !line.starts_with("## ")) {
        let Some(command) = line.strip_prefix("edgewright ") else { continue };
        let (command, file) = command.split_once(" > ").unwrap_or((command, "said.txt"));
        let answer = world.cmd(command).expect_code(0).stdout;
        world.write(file, answer.as_bytes());
        said.push(answer.lines().count());
    }
    assert_eq!(said, [4, 13]);
}

#[test]
fn the_second_workspace_is_asked_with_the_same_commands() {
    let world = World::new("");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tariffs");
    for folder in ["ontology", "jobs", "corpus"] {
        copy(&root.join(folder), &world.path(folder));
    }
    world.run();
    let reach =
        world.cmd("ask reach Schedule --to Service --along lists --output json").expect_code(0).json();
    let rows: Vec<Value> =
        reach["rows"].as_array().unwrap().iter().map(|row| json!([row["key"], row["count"]])).collect();
    let expected = [("HB-101/2", 2), ("HB-101/3", 2), ("HB-204/1", 1), ("HB-101/1", 0), ("HB-204/2", 0)];
    assert_eq!(rows, expected.map(|(key, count)| json!([format!("Schedule:{key}"), count])));
    // Amendments amend amendments: here the direction matters.
    let nodes = |command: &str| {
        let answer = world.cmd(&format!("{command} --output json")).expect_code(0).json();
        keys(&answer["nodes"]).iter().map(|key| (*key).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        nodes("ask neighbors Amendment:HB-101/1 --edge out:amends"),
        ["HB-101/1", "HB-101", "HB-101/2"]
    );
    assert_eq!(
        nodes("ask neighbors Amendment:HB-101/1 --edge in:amends --as-of 2024-06-01"),
        ["HB-101/1", "HB-101/2"]
    );
    assert_eq!(nodes("ask neighbors Amendment:HB-101/1 --edge in:amends --as-of 2024-01-31"), ["HB-101/1"]);
    let path = world.cmd("ask path SVC-40 Contract:HB-101 --evidence none").expect_code(0).stdout;
    assert!(path.contains("Waste reception ←lists– "), "{path}");
    let ambiguous = world.cmd("ask node HB-101/1").expect_code(2).stderr;
    assert!(
        ambiguous.contains("Amendment:HB-101/1") && ambiguous.contains("Schedule:HB-101/1"),
        "{ambiguous}"
    );
    // Weights, decay and the property are words of the command.
    let risk =
        "ask risk Service --weigh unit --weights 'per call=2' --decay 1,0.5 --along in:lists --to Schedule";
    let risk = world.cmd(&format!("{risk} --as-of 2023-01-01 --output json")).expect_code(0).json();
    assert_eq!(
        (&risk["scores"][0]["key"], &risk["scores"][0]["score"]),
        (&json!("Schedule:HB-101/1"), &json!(2.0))
    );
    assert_eq!(risk["unweighted"].as_array().unwrap().len(), 5);
}

// --- random graphs -------------------------------------------------------------------------------------

/// Chance that a test can repeat.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % most
    }
}

/// A row of a feed of edges.
#[derive(Clone)]
struct Row {
    kind: &'static str,
    subject: String,
    object: String,
    from: String,
    to: String,
    secret: bool,
    generation: u64,
}

/// Entities and edges that feeds state in two generations, some to those who hold a label only.
struct Universe {
    /// key → (secret, its property).
    entities: BTreeMap<String, (bool, &'static str)>,
    rows: Vec<Row>,
}

const KINDS: [(&str, char, char); 4] =
    [("ab", 'A', 'B'), ("bb", 'B', 'B'), ("bc", 'B', 'C'), ("ca", 'C', 'A')];
const COLORS: [&str; 3] = ["red", "green", "blue"];

impl Universe {
    fn new(dice: &mut Dice) -> Self {
        let mut entities = BTreeMap::new();
        for kind in ['A', 'B', 'C'] {
            for number in 0..4 + dice.below(2) {
                let secret = kind == 'A' && number == 0;
                entities.insert(
                    format!("{kind}:{}{number}", kind.to_lowercase()),
                    (secret, COLORS[dice.below(3)]),
                );
            }
        }
        let mut rows: BTreeMap<(usize, String, String), Row> = BTreeMap::new();
        let keys: Vec<String> = entities.keys().cloned().collect();
        for _ in 0..60 {
            let number = dice.below(KINDS.len());
            let (kind, subject, object) = KINDS[number];
            let of = |dice: &mut Dice, letter: char| {
                let keys: Vec<&String> = keys.iter().filter(|key| key.starts_with(letter)).collect();
                keys[dice.below(keys.len())].clone()
            };
            let (subject, object) = (of(dice, subject), of(dice, object));
            if subject == object {
                continue;
            }
            let from = 2018 + dice.below(4);
            let to = if dice.below(2) == 0 {
                String::new()
            } else {
                format!("{}-07-01", from + 1 + dice.below(4))
            };
            let row = Row {
                kind,
                subject: subject.clone(),
                object: object.clone(),
                from: format!("{from}-01-01"),
                to,
                secret: dice.below(5) == 0,
                generation: 1 + dice.below(2) as u64,
            };
            rows.insert((number, subject, object), row);
        }
        Self { entities, rows: rows.into_values().collect() }
    }

    /// The workspace as it is in a generation.
    fn files(&self, generation: u64) -> String {
        let mut text = String::from("//- ontology/o.yaml\nlanguage: en\nentities:\n");
        for kind in ["A", "B", "C"] {
            text.push_str(&format!("  {kind}: {{ system_of_record: {} }}\n", kind.to_lowercase()));
        }
        text.push_str("edges:\n");
        for (kind, subject, object) in KINDS {
            text.push_str(&format!("  {kind}: {{ subject: {subject}, object: {object} }}\n"));
        }
        text.push_str("rules: []\n//- jobs/j.yaml\njob: j\nontology: o\nowner: me\nsources:\n  d: { path: d }\nfeeds:\n");
        let entity = |name: &str, kind: &str, access: &str| {
            format!(
                "  {name}: {{ path: {name}.csv,{access} entity: {{ type: {kind}, key: Id, names: [Name], \
                 properties: {{ color: Color }} }} }}\n"
            )
        };
        for kind in ["A", "B", "C"] {
            text.push_str(&entity(&kind.to_lowercase(), kind, ""));
        }
        text.push_str(&entity("hidden", "A", " access: [legal],"));
        for (kind, ..) in KINDS {
            for (suffix, access) in [("open", ""), ("secret", " access: [legal],")] {
                text.push_str(&format!(
                    "  {kind}_{suffix}: {{ path: {kind}_{suffix}.csv,{access} edge: {{ type: {kind}, subject: S, \
                     object: O, valid_from: From, valid_to: To }} }}\n"
                ));
            }
        }
        text.push_str("//- d/note.md\nNothing is said here.\n");
        for (feed, kind, secret) in
            [("a", 'A', false), ("b", 'B', false), ("c", 'C', false), ("hidden", 'A', true)]
        {
            text.push_str(&format!("//- {feed}.csv\nId,Name,Color\n"));
            for (key, (hidden, color)) in &self.entities {
                if key.starts_with(kind) && *hidden == secret {
                    text.push_str(&format!("{},Name of {},{color}\n", bare(key), bare(key)));
                }
            }
        }
        for (kind, ..) in KINDS {
            for (suffix, secret) in [("open", false), ("secret", true)] {
                text.push_str(&format!("//- {kind}_{suffix}.csv\nS,O,From,To\n"));
                for row in self.rows.iter().filter(|row| row.kind == kind && row.secret == secret) {
                    if row.generation <= generation {
                        text.push_str(&format!(
                            "{},{},{},{}\n",
                            bare(&row.subject),
                            bare(&row.object),
                            row.from,
                            row.to
                        ));
                    }
                }
            }
        }
        text
    }

    /// What a reader sees on a day of a generation.
    fn naive(&self, day: &str, generation: u64, all: bool) -> Naive {
        let sees = |key: &String| all || !self.entities[key].0;
        let holds = |row: &&Row| {
            row.generation <= generation
                && (all || !row.secret)
                && sees(&row.subject)
                && sees(&row.object)
                && row.from.as_str() <= day
                && (row.to.is_empty() || day < row.to.as_str())
        };
        let edge = |row: &Row| (row.kind.to_owned(), row.subject.clone(), row.object.clone());
        let mut edges: Vec<_> = self.rows.iter().filter(holds).map(edge).collect();
        edges.sort();
        Naive { nodes: self.entities.keys().filter(|key| sees(key)).cloned().collect(), edges }
    }
}

/// Asks, with the graph read around the question and with the whole of it: both must say the same.
fn ask(world: &World, lens: &str, question: &str) -> Value {
    let command = format!("ask {question} {lens} --output json");
    let said = world.cmd(&command).expect_code(0);
    let near = ["subgraph", "neighbors", "path", "compare", "without"];
    if near.iter().any(|word| question.starts_with(word)) {
        let whole = world.cmd(&format!("{command} --whole")).expect_code(0);
        assert_eq!(said.stdout, whole.stdout, "{command}");
    }
    said.json()
}

/// Key → a field of each row of a list.
fn by_key(list: &Value, field: &str) -> BTreeMap<String, Value> {
    let rows = list.as_array().unwrap().iter();
    rows.map(|row| (row["key"].as_str().unwrap().to_owned(), row[field].clone())).collect()
}

fn hops(list: &Value) -> BTreeMap<String, usize> {
    let rows = by_key(list, "hops").into_iter();
    rows.map(|(key, hops)| (key, usize::try_from(hops.as_u64().unwrap()).unwrap())).collect()
}

fn set(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap().to_owned()).collect()
}

fn near(a: f64, b: &Value) -> bool {
    (a - b.as_f64().unwrap()).abs() < 1e-7
}

#[test]
fn every_question_agrees_with_its_naive_twin_on_random_graphs() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut met = BTreeMap::from([("edges", 0), ("paths", 0), ("lost", 0), ("risk", 0), ("hidden", 0)]);
    for _ in 0..2 {
        let universe = Universe::new(&mut dice);
        let world = World::new(&universe.files(1));
        world.run();
        world.put(&universe.files(2));
        world.run();
        for (day, generation, all) in [
            ("2026-06-01", 2, true),
            ("2021-03-01", 1, true),
            ("2022-08-01", 2, false),
            ("2020-07-01", 2, false),
        ] {
            let access = if all { "all" } else { "none" };
            let lens = format!("--as-of {day} --known-at {generation} --access {access} --evidence none");
            let short = lens.replace(" --evidence none", "");
            let twin = universe.naive(day, generation, all);
            *met.get_mut("edges").unwrap() += twin.edges.len();
            *met.get_mut("hidden").unwrap() +=
                universe.naive(day, generation, true).edges.len() - twin.edges.len();
            let pick = |dice: &mut Dice| twin.nodes[dice.below(twin.nodes.len())].clone();

            let color = COLORS[dice.below(3)];
            let found = ask(&world, &short, &format!("nodes --where color={color}"));
            let wanted: BTreeSet<String> =
                twin.nodes.iter().filter(|node| universe.entities[*node].1 == color).cloned().collect();
            assert_eq!(set(&found["nodes"]), wanted);

            let count = ask(&world, &lens, "count --edge ab,in:bb A B C");
            for (key, counted) in by_key(&count["rows"], "count") {
                assert_eq!(
                    twin.steps(&key, &[("ab", ""), ("bb", "in")]).len(),
                    counted.as_u64().unwrap() as usize
                );
            }
            assert_eq!(ask(&world, &lens, "count")["of"], twin.edges.len());
            let listed = ask(&world, &lens, "edges");
            assert_eq!(listed["of"], twin.edges.len());

            for _ in 0..2 {
                let (root, other) = (pick(&mut dice), pick(&mut dice));
                let near_root = ask(&world, &lens, &format!("neighbors {root}"));
                assert_eq!(hops(&near_root["nodes"]), twin.within(&root, &[], 1));
                let most = 1 + dice.below(3);
                let passes: [Pass<'_>; 3] = [("ab", ""), ("bb", "out"), ("bc", "")];
                let answer =
                    ask(&world, &lens, &format!("subgraph {root} --edge ab,out:bb,bc --hops {most}"));
                assert_eq!(hops(&answer["nodes"]), twin.within(&root, &passes, most), "{root} {most}");
                let trail: [Pass<'_>; 4] = [("ab", ""), ("bb", ""), ("bb", ""), ("*", "")];
                let answer = ask(&world, &lens, &format!("subgraph {root} --along ab,bb,bb,*"));
                assert_eq!(hops(&answer["nodes"]), twin.along(&root, &trail), "{root}");

                for (edge, passes) in [("", &[][..]), (" --edge ab,out:bb,bc", &passes[..])] {
                    let answer = ask(&world, &lens, &format!("path {root} {other}{edge} --hops 6"));
                    let expected = twin.path(&root, &other, passes, 6);
                    assert_eq!(answer["found"], expected.is_some(), "{root} {other}{edge}");
                    let steps: Vec<Value> = answer["steps"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|step| json!([step["edge_type"], step["direction"] == "out", step["to"]["key"]]))
                        .collect();
                    let expected: Vec<Value> =
                        expected.iter().flatten().map(|(kind, out, to)| json!([kind, out, to])).collect();
                    assert_eq!(steps, expected, "{root} {other}{edge}");
                    *met.get_mut("paths").unwrap() += usize::from(steps.len() > 2);
                }

                let left = ask(
                    &world,
                    &lens,
                    &format!("complement B C --of {root} --edge ab,out:bb,bc --hops {most}"),
                );
                let reached = twin.within(&root, &passes, most);
                let is_left = |key: &&String| !key.starts_with('A') && !reached.contains_key(*key);
                assert_eq!(set(&left["nodes"]), twin.nodes.iter().filter(is_left).cloned().collect());

                let compared = ask(&world, &lens, &format!("compare {root} {other} --hops 2"));
                let (one, two) = (twin.within(&root, &[], 2), twin.within(&other, &[], 2));
                for row in compared["types"].as_array().unwrap() {
                    let of = |reached: &BTreeMap<String, usize>, root: &String| -> BTreeSet<String> {
                        let kind = row["entity_type"].as_str().unwrap();
                        reached.keys().filter(|key| key.starts_with(kind) && *key != root).cloned().collect()
                    };
                    let (one, two) = (of(&one, &root), of(&two, &other));
                    assert_eq!(set(&row["shared"]), one.intersection(&two).cloned().collect());
                    assert_eq!(set(&row["only_left"]), one.difference(&two).cloned().collect());
                    assert_eq!(set(&row["only_right"]), two.difference(&one).cloned().collect());
                }

                for strict in [false, true] {
                    let trail: [Pass<'_>; 3] = [("ab", "out"), ("bb", "out"), ("bc", "out")];
                    let word = if strict { " --strict" } else { "" };
                    let answer =
                        ask(&world, &lens, &format!("without {root} --along out:ab,out:bb,out:bc{word}"));
                    let rows = |list: &Value| -> Losses {
                        let number = |value: &Value| value.as_u64().unwrap() as usize;
                        let rows = list.as_array().unwrap().iter();
                        rows.map(|row| {
                            (
                                row["key"].as_str().unwrap().to_owned(),
                                number(&row["loses"]),
                                number(&row["of"]),
                            )
                        })
                        .collect()
                    };
                    let (lost, weak) = twin.without(&root, &trail, strict);
                    *met.get_mut("lost").unwrap() += lost.len();
                    assert_eq!(
                        (rows(&answer["lost"]), rows(&answer["weakened"])),
                        (lost, weak),
                        "{root}{word}"
                    );
                }

                let answer = ask(&world, &short, &format!("node {root}"));
                let edges: u64 = answer["degrees"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| one["edges"].as_u64().unwrap())
                    .sum();
                assert_eq!(edges as usize, twin.steps(&root, &[]).len());

                let b = twin.nodes.iter().find(|node| node.starts_with('B')).unwrap();
                let answer = ask(&world, &lens, &format!("alternatives {b} --edge ab --same color"));
                let at = |node: &String| -> BTreeSet<String> {
                    twin.steps(node, &[("ab", "")]).into_iter().map(|step| step.2).collect()
                };
                let color = universe.entities[b].1;
                let alike = twin.nodes.iter().filter(|node| {
                    node.starts_with('B') && *node != b && universe.entities[*node].1 == color
                });
                let others: BTreeSet<String> = alike.flat_map(at).collect();
                assert_eq!(set(&answer["present"]), at(b));
                assert_eq!(set(&answer["others"]), others.difference(&at(b)).cloned().collect());
            }

            let reach = ask(&world, &lens, "reach A --to C --along ab,bb|bc,bc");
            for (key, count) in by_key(&reach["rows"], "count") {
                // The second hop takes either; a walk is along one of two trails.
                let mut found = BTreeSet::new();
                for second in ["bb", "bc"] {
                    let trail: [Pass<'_>; 3] = [("ab", ""), (second, ""), ("bc", "")];
                    found.extend(twin.along(&key, &trail).into_keys().filter(|key| key.starts_with('C')));
                }
                assert_eq!(count, found.len(), "{key}");
            }

            let risk = "risk A --strikes ab --along bb,bc --to C --weigh color --weights red=1,green=0.5 --decay 1,0.5";
            let risk = ask(&world, &lens, risk);
            let mut expected: BTreeMap<String, f64> = BTreeMap::new();
            for source in twin.nodes.iter().filter(|node| node.starts_with('A')) {
                let weight = match universe.entities[source].1 {
                    "red" => 1.0,
                    "green" => 0.5,
                    _ => continue,
                };
                for walk in twin.walks(source, &[("ab", ""), ("bb", ""), ("bc", "")]) {
                    let (end, decay) = (&walk[walk.len() - 1].2, [1.0, 1.0, 0.5][walk.len() - 1]);
                    if end.starts_with('C') {
                        *expected.entry(end.clone()).or_default() += weight * decay;
                    }
                }
            }
            *met.get_mut("risk").unwrap() += expected.len();
            let scores = by_key(&risk["scores"], "score");
            assert_eq!(scores.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
            assert!(
                expected.iter().all(|(key, score)| near(*score, &scores[key])),
                "{expected:?} {scores:?}"
            );

            let central = by_key(&ask(&world, &lens, "central --top 99")["rows"], "score");
            let expected = twin.betweenness();
            assert!(
                expected.iter().all(|(key, score)| near(*score, &central[key])),
                "{expected:?} {central:?}"
            );
            let rank = by_key(&ask(&world, &lens, "rank --top 99")["rows"], "score");
            let expected = twin.page_rank(0.85);
            assert!(expected.iter().all(|(key, score)| near(*score, &rank[key])), "{expected:?} {rank:?}");
            let pieces = ask(&world, &short, "components");
            let found: BTreeSet<BTreeSet<String>> =
                pieces["components"].as_array().unwrap().iter().map(|piece| set(&piece["nodes"])).collect();
            assert_eq!(found, twin.pieces());
        }
    }
    println!("reached: {met:?}");
    assert!(met.values().all(|number| *number > 5), "{met:?}");
}

// --- bounds --------------------------------------------------------------------------------------------

/// A hub with six spokes; from the first spoke a chain.
fn hub() -> World {
    let mut edges = String::new();
    for number in 1..=6 {
        edges.push_str(&format!("hub,s{number},2020-01-01\n"));
    }
    let world = World::new(&format!(
        "//- ontology/o.yaml\nlanguage: en\nentities:\n  Hub: {{ system_of_record: hubs }}\n  Spoke: {{ system_of_record: spokes }}\n\
         edges:\n  holds: {{ subject: Hub, object: Spoke }}\n  next: {{ subject: Spoke, object: Spoke }}\nrules: []\n\
         //- jobs/j.yaml\njob: j\nontology: o\nowner: me\nsources:\n  d: {{ path: d }}\nfeeds:\n\
         \x20 hubs: {{ path: hubs.csv, entity: {{ type: Hub, key: Id }} }}\n\
         \x20 spokes: {{ path: spokes.csv, entity: {{ type: Spoke, key: Id }} }}\n\
         \x20 holds: {{ path: holds.csv, edge: {{ type: holds, subject: H, object: S, valid_from: From }} }}\n\
         \x20 next: {{ path: next.csv, edge: {{ type: next, subject: A, object: B, valid_from: From }} }}\n\
         //- d/note.md\nNothing.\n//- hubs.csv\nId\nhub\nlone\n//- spokes.csv\nId\ns1\ns2\ns3\ns4\ns5\ns6\nt1\nt2\n\
         //- holds.csv\nH,S,From\n{edges}//- next.csv\nA,B,From\ns1,t1,2020-01-01\nt1,t2,2020-01-01\n"
    ));
    world.run();
    world
}

#[test]
fn a_cut_answer_says_so_and_what_was_cut() {
    let world = hub();
    let ask = |question: &str| {
        let evidence = if question.starts_with("components") { "" } else { "--evidence none" };
        ask(&world, evidence, question)
    };
    let whole = ask("subgraph hub --hops 3");
    assert_eq!((whole["nodes"].as_array().unwrap().len(), &whole["cut"]), (9, &Value::Null));

    let nodes = ask("subgraph t2 --hops 4 --nodes 4");
    assert_eq!(keys(&nodes["nodes"]), ["t2", "t1", "s1", "hub"]);
    assert_eq!((&nodes["cut"]["by"], &nodes["cut"]["left"]), (&json!(["nodes"]), &json!(0)));
    let text = world.cmd("ask subgraph t2 --hops 4 --nodes 4 --evidence none").stdout;
    assert!(text.contains("cut: more than 4 nodes are there (`--nodes` allows more)"), "{text}");

    let time = ask("subgraph hub --time-limit 0");
    assert_eq!((&time["cut"]["by"], &time["cut"]["left"]), (&json!(["time"]), &json!(1)));
    assert!(time["says"].as_str().unwrap().ends_with("it was cut, so there may be more"), "{time:#}");
    assert!(!time["says"].as_str().unwrap().contains("no such edge holds"), "{time:#}");

    // A crowded node is not walked through, and asked about itself it is followed as far as allowed.
    let fan = ask("subgraph t2 --hops 4 --fan 3");
    assert_eq!(keys(&fan["nodes"]), ["t2", "t1", "s1", "hub"]);
    assert_eq!((&fan["cut"]["by"], &fan["cut"]["crowded"][0]["key"]), (&json!(["fan"]), &json!("Hub:hub")));
    let fan = ask("neighbors hub --fan 3");
    assert_eq!((fan["nodes"].as_array().unwrap().len(), &fan["cut"]["by"]), (4, &json!(["fan"])));

    // Walked from both ends, a hub between is not read, and the path over it is found all the same.
    let path = ask("path s2 t2 --fan 3");
    assert_eq!((&path["hops"], &path["cut"]), (&json!(4), &Value::Null));
    let path = ask("path s2 t2 --hops 3");
    assert_eq!((&path["found"], &path["cut"]), (&json!(false), &Value::Null));
    let path = ask("path s2 t2 --nodes 3");
    assert_eq!((&path["found"], &path["cut"]["by"]), (&json!(false), &json!(["nodes"])));
    let path = ask("path s2 lone --fan 3");
    assert_eq!((&path["found"], &path["cut"]), (&json!(false), &Value::Null));
    let path = ask("path hub t2 --fan 1");
    assert_eq!((&path["found"], &path["cut"]["by"]), (&json!(false), &json!(["fan"])));

    let left = world.cmd("ask complement Spoke --of t2 --edge next --hops 2 --nodes 2").expect_code(0).stdout;
    assert!(
        left.contains("some may be reached after all") && left.contains("cut: more than 2 nodes"),
        "{left}"
    );
    let few = ask("edges --nodes 2");
    assert_eq!(
        (few["edges"].as_array().unwrap().len(), &few["of"], &few["cut"]["by"]),
        (2, &json!(8), &json!(["nodes"]))
    );
    for question in
        ["reach Hub --to Spoke --time-limit 0", "compare hub t1 --time-limit 0", "without hub --nodes 1"]
    {
        let said = world.cmd(&format!("ask {question}")).expect_code(0).stdout;
        assert!(said.contains("\ncut: "), "{question}: {said}");
    }
    for question in ["central", "rank", "components"] {
        let view = ask(&format!("{question} --time-limit 0"));
        assert_eq!((&view["cut"]["by"], &view["cut"]["left"]), (&json!(["time"]), &json!(10)), "{view:#}");
        let said = world.cmd(&format!("ask {question} --time-limit 0")).expect_code(0).stdout;
        assert!(said.lines().next().unwrap().ends_with("it was cut, so it is not exact"), "{said}");
        let cut = "\ncut: the time was over (`--time-limit` allows more); 10 nodes were found and not walked from\n";
        assert!(said.contains(cut), "{said}");
        assert_eq!(ask(&format!("{question} --time-limit 3600"))["cut"], Value::Null);
    }
    let refused = world.cmd("ask central --nodes 3").expect_code(2).stderr;
    assert!(refused.contains("there are 10 nodes, and betweenness is counted for 3 at most"), "{refused}");
}

#[test]
fn sets_compose_through_lists_of_keys() {
    let world = hub();
    let keys = world.cmd("ask neighbors hub --edge holds --keys").expect_code(0).stdout;
    assert_eq!(keys, "Hub:hub\nSpoke:s1\nSpoke:s2\nSpoke:s3\nSpoke:s4\nSpoke:s5\nSpoke:s6\n");
    world.write("held.txt", keys.as_bytes());
    let left = world.cmd("ask complement Spoke --of @held.txt --keys").expect_code(0).stdout;
    assert_eq!(left, "Spoke:t1\nSpoke:t2\n");
    world.write("left.txt", left.as_bytes());
    let around = world.cmd("ask neighbors @left.txt --edge next --keys").expect_code(0).stdout;
    assert_eq!(around, "Spoke:t1\nSpoke:t2\nSpoke:s1\n");
    // An empty list is nobody, not everybody.
    assert_eq!(world.cmd("ask nodes - --keys").expect_code(0).stdout, "");
    assert_eq!(world.cmd("ask complement Hub --of - --keys").expect_code(0).stdout, "Hub:hub\nHub:lone\n");
    let cut = world.cmd("ask subgraph t2 --hops 4 --nodes 2 --keys").expect_code(0);
    assert_eq!(cut.stdout, "Spoke:t2\nSpoke:t1\n");
    assert!(cut.stderr.starts_with("note: cut: more than 2 nodes"), "{}", cut.stderr);
}

#[test]
fn words_that_mean_nothing_are_told_with_the_nearest_that_do() {
    let world = sample();
    let empty = world.cmd("ask count").expect_code(2).stderr;
    assert!(empty.contains("there is no graph yet"), "{empty}");
    world.run();
    let told = |command: &str, parts: &[&str]| {
        let said = world.cmd(command).expect_code(2);
        assert!(parts.iter().all(|part| said.stderr.contains(part)), "{command}: {}", said.stderr);
        assert_eq!(said.stdout, "", "{command}");
    };
    told("ask nodes Suplier", &["nobody is called `Suplier`", "did you mean the type `Supplier`?"]);
    told("ask neighbors TechChi", &["nobody is called `TechChi`", "Supplier:SUP-001  TechChip Inc"]);
    told(
        "ask neighbors TechChip --edge suplies",
        &["there is no edge type `suplies`", "did you mean `supplies`?"],
    );
    told(
        "ask count --edge sideways:supplies",
        &["there is no edge type", "the edge types are: affects, delivers_to"],
    );
    told(
        "ask nodes Component --where critcality=high",
        &["property `critcality`", "did you mean `criticality`?"],
    );
    told("ask reach Supplier --to Prodct", &["there is no entity type `Prodct`", "did you mean `Product`?"]);
    told("ask count Component --by criticalty", &["did you mean `criticality`?"]);
    told("ask count --exactly 1", &["none are asked about"]);
    told(
        "ask path TechChip 'Hydraulic Actuation Unit'",
        &["may be any of 2", "Component:CMP-005", "Component:CMP-012"],
    );
    told("ask edges --during 2024-02-30", &["`2024-02-30` is no day"]);
    told("ask edges --during 2024-03-01..2024-02-01", &["2024-02-01 is before 2024-03-01"]);
    told("ask risk RiskEvent --weights high=much", &["`much` is no weight"]);
    told("ask subgraph TechChip --along supplies --hops 2", &["cannot be used with"]);

    // What is not there is said, too.
    let nothing = world.cmd("ask neighbors SUP-009").expect_code(0).stdout;
    assert!(
        nothing.starts_with("nothing is reached within 1 hop: no such edge holds on 2026-06-01"),
        "{nothing}"
    );
    let nothing = world.cmd("ask nodes Supplier --where city=Atlantis").expect_code(0).stdout;
    assert_eq!(nothing, "no node is so\n");
    let nothing = world.cmd("ask edges --begin 2200-01-01..").expect_code(0).stdout;
    assert_eq!(nothing, "no edges begin on or after 2200-01-01\n");
    let path = world.cmd("ask path TechChip SUP-009").expect_code(0).stdout;
    assert!(path.starts_with("no path from TechChip Inc to ShenzenChip within 8 hops"), "{path}");
}

#[test]
fn edges_are_listed_by_the_days_on_which_they_hold_begin_and_end() {
    let world = sample();
    world.run();
    let facts = |arguments: &str| -> Vec<String> {
        let answer = world.cmd(&format!("ask edges {arguments} --output json")).expect_code(0).json();
        let edges = answer["edges"].as_array().unwrap().iter();
        edges
            .map(|edge| {
                let key = |side: &str| bare(edge[side]["key"].as_str().unwrap()).to_owned();
                format!("{} {} {}", key("subject"), key("object"), edge["state"].as_str().unwrap())
            })
            .collect()
    };
    assert_eq!(
        facts("CMP-015 --edge supplies --during .."),
        ["SUP-002 CMP-015 current", "SUP-003 CMP-015 future"]
    );
    assert_eq!(
        facts("--edge supplies --end ..2024-02-16"),
        ["SUP-009 CMP-001 ended", "SUP-009 CMP-006 ended"]
    );
    // The last day belongs; the day after is none of its days.
    assert_eq!(facts("--end 2024-02-16 --edge supplies"), ["SUP-009 CMP-001 ended"]);
    assert_eq!(facts("--end 2024-02-17"), [""; 0]);
    assert_eq!(facts("--begin 2024-02-17"), ["SUP-001 CMP-001 current"]);
    assert_eq!(facts("CMP-001 --edge supplies --during 2024-02-16"), ["SUP-009 CMP-001 ended"]);
    assert_eq!(facts("CMP-001 --edge in:supplies"), ["SUP-001 CMP-001 current"]);
    assert_eq!(facts("CMP-001 --edge out:supplies"), [""; 0]);
    assert_eq!(facts("CMP-001 SUP-001 --edge supplies --during 2024-02-17").len(), 3);
}

#[test]
fn a_name_is_looked_up_and_nobody_else_is_read() {
    let world = World::new(
        "//- ontology/o.yaml\nlanguage: en\nentities:\n  Supplier: { system_of_record: suppliers, names: company }\n\
         edges:\n  knows: { subject: Supplier, object: Supplier }\nrules: []\n\
         //- jobs/j.yaml\njob: j\nontology: o\nowner: me\nsources:\n  d: { path: d }\nfeeds:\n\
         \x20 suppliers: { path: suppliers.csv, entity: { type: Supplier, key: Id, names: [Name] } }\n\
         //- d/note.md\nNothing.\n\
         //- suppliers.csv\nId,Name\nS-A,Northwind Castings AB\nS-B,\"TechChip, Inc.\"\nS-C,TechChip Nordic Oy\n",
    );
    world.run();
    world.put(
        "//- suppliers.csv\nId,Name\nS-A,Northwind Castings AB\nS-B,Chipworks Ltd\nS-C,TechChip Nordic Oy\n",
    );
    world.run();
    // Whoever reads this one from here on, fails.
    let store = rusqlite::Connection::open(world.path(".edgewright/graph.db")).unwrap();
    store.execute("UPDATE entity SET body = CAST('{' AS BLOB) WHERE entity = 'Supplier:S-A'", []).unwrap();
    let who = |name: &str| {
        world.cmd(&format!("show {name} --output json")).expect_code(0).json()["entity"]["key"].clone()
    };
    // By name, without its legal form, by a former name, in another case, by its key.
    for name in ["'Chipworks Ltd'", "chipworks", "'TechChip, Inc.'", "techchip", "'TechChip  Inc'", "s-b"] {
        assert_eq!(who(name), "Supplier:S-B", "{name}");
    }
    assert_eq!(who("'techchip nordic'"), "Supplier:S-C");
    // As it was called then, and not as it was called later.
    assert_eq!(who("techchip --known-at 1"), "Supplier:S-B");
    world.cmd("show Northwind").expect_code(1);
    world.cmd("show Chipworks --known-at 1").expect_code(1);
    let one_hop = world.cmd("ask neighbors chipworks --output json").expect_code(0).json();
    assert_eq!(keys(&one_hop["nodes"]), ["S-B"]);
    // Only to say whose name is near, all are read.
    let nobody = world.cmd("show nobody").expect_code(1).stderr;
    assert!(nobody.contains("cannot be read back"), "{nobody}");
}
