//! Search × as-of × known-at × access over random histories, against a naive scan of everything that was ever
//! written: no index, no ranking, every text looked at with plain string functions.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::World;

const CONFIG: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers }
  Component: { system_of_record: components }
edges:
  tests: { subject: Supplier, object: Component }
rules:
- id: test
  edge: tests
  match: "{subject:Supplier} tests {object:Component} since {valid_from:date} until {valid_to:date}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  open:   { path: open, include: ["**/*.txt"] }
  closed: { path: closed, include: ["**/*.txt"], access: [legal] }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,Alder
S2,Birch
//- components.csv
Id,Name
C1,Valve
C2,Pump
//- open/keep.txt
This paper stays.
//- closed/keep.txt
This paper stays as well.
"#;

const SEEDS: [u64; 3] = [5, 8, 13];
const GENERATIONS: usize = 5;
const QUESTIONS: usize = 8;

/// Chance, from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.roll(of.len())]
    }
}

/// A paragraph: words, or who tests what in which years.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Paragraph {
    Words(String),
    Tests { supplier: &'static str, component: &'static str, from: u32, to: u32 },
}

impl Paragraph {
    fn of(dice: &mut Dice) -> Self {
        if dice.roll(3) == 0 {
            let words = ["harbor", "signal", "winter", "alder", "report", "pump", "quiet"];
            let some: Vec<&str> = (0..=dice.roll(4) + 1).map(|_| dice.one(&words)).collect();
            return Self::Words(format!("Note {} on {}.", dice.roll(9), some.join(" ")));
        }
        let from = 2018 + dice.roll(8) as u32;
        Self::Tests {
            supplier: dice.one(&["Alder", "Birch"]),
            component: dice.one(&["Valve", "Pump"]),
            from,
            to: from + dice.roll(4) as u32,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::Tests { supplier, component, from, to } => {
                format!("{supplier} tests {component} since 1 January {from} until 31 December {to}.")
            }
        }
    }
}

/// The paragraphs of each document.
type Papers = BTreeMap<String, Vec<Paragraph>>;

/// What was published: the papers of each generation, and the documents that are retracted in it.
#[derive(Default)]
struct History {
    generations: Vec<(Papers, BTreeSet<String>)>,
}

/// What is asked.
#[derive(Debug)]
struct Question {
    words: Vec<&'static str>,
    phrase: bool,
    year: u32,
    known_at: usize,
    access: &'static str,
    all: bool,
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

impl Question {
    fn of(dice: &mut Dice, generations: usize) -> Self {
        let known = [
            "alder", "birch", "valve", "pump", "tests", "harbor", "signal", "winter", "2020", "note", "quiet",
        ];
        let phrase = dice.roll(3) == 0;
        Self {
            words: (0..=dice.roll(2)).map(|_| dice.one(&known)).collect(),
            phrase,
            year: 2017 + dice.roll(12) as u32,
            known_at: 1 + dice.roll(generations),
            access: dice.one(&["all", "none", "legal"]),
            all: dice.roll(2) == 0,
        }
    }

    fn arguments(&self) -> String {
        let words = self.words.join(" ");
        let words = if self.phrase { format!("'\"{words}\"'") } else { words };
        let state = if self.all { "all" } else { "current" };
        format!(
            "{words} --as-of {}-07-01 --known-at {} --access {} --state {state} --limit 1000",
            self.year, self.known_at, self.access
        )
    }

    fn fits(&self, text: &str) -> bool {
        let words = words(text);
        if self.phrase {
            return words.windows(self.words.len()).any(|row| row.iter().eq(self.words.iter()));
        }
        self.words.iter().any(|wanted| words.iter().any(|word| word == wanted))
    }
}

impl History {
    /// The naive scan: document, text and state of everything that fits.
    fn answer(&self, question: &Question) -> BTreeSet<(String, String, &'static str)> {
        let known = &self.generations[..question.known_at];
        let (papers, retracted) = known.last().unwrap();
        let latest = &self.generations.last().unwrap().1;
        let everything = question.access == "all";
        let visible = |document: &String| {
            everything
                || (!latest.contains(document)
                    && (question.access == "legal" || document.starts_with("open/")))
        };
        // Everything that was ever written by then.
        let mut ever: BTreeSet<(&String, &Paragraph)> = BTreeSet::new();
        for (papers, _) in known {
            ever.extend(
                papers.iter().flat_map(|(document, text)| text.iter().map(move |one| (document, one))),
            );
        }
        // Who tests what in which years, as far as the reader sees it.
        let mut years: BTreeMap<(&str, &str), BTreeSet<u32>> = BTreeMap::new();
        for (document, text) in
            papers.iter().filter(|(document, _)| visible(document) && !retracted.contains(*document))
        {
            let _ = document;
            for paragraph in text {
                if let Paragraph::Tests { supplier, component, from, to } = paragraph {
                    years.entry((supplier, component)).or_default().extend(*from..=*to);
                }
            }
        }
        let of_text = |paragraph: &Paragraph| -> Option<&'static str> {
            let Paragraph::Tests { supplier, component, from, .. } = paragraph else { return None };
            let years = &years[&(*supplier, *component)];
            // The edge is the run of years around the first one of this sentence.
            let (mut first, mut last) = (*from, *from);
            while years.contains(&(first - 1)) {
                first -= 1;
            }
            while years.contains(&(last + 1)) {
                last += 1;
            }
            Some(match question.year {
                year if year < first => "future",
                year if year > last => "expired",
                _ => "current",
            })
        };
        let mut found = BTreeSet::new();
        for (document, paragraph) in ever {
            let text = paragraph.text();
            if !visible(document) || !question.fits(&text) {
                continue;
            }
            let stands = papers.get(document).is_some_and(|text| text.contains(paragraph));
            let state = if retracted.contains(document) {
                "retracted"
            } else if !stands {
                "superseded"
            } else {
                let own = of_text(paragraph);
                let others: Vec<&str> = papers[document].iter().filter_map(of_text).collect();
                let over = !others.is_empty() && others.iter().all(|state| *state == "expired");
                own.unwrap_or(if over { "expired" } else { "current" })
            };
            if question.all || state == "current" {
                found.insert((document.clone(), text, state));
            }
        }
        found
    }
}

/// Changes some papers, in the files and in the history. True if a word was given instead, which takes effect
/// at once and is a generation of its own.
fn change(world: &World, dice: &mut Dice, history: &mut History) -> bool {
    let (mut papers, mut retracted) = history.generations.last().cloned().unwrap_or_default();
    let mut at_once = false;
    for turn in 0..=dice.roll(3) {
        let document = format!("{}/{}.txt", dice.one(&["open", "closed"]), dice.one(&["a", "b", "c"]));
        match (dice.roll(6), papers.contains_key(&document)) {
            (0, true) if !retracted.contains(&document) => {
                papers.remove(&document);
                std::fs::remove_file(world.path(&document)).unwrap();
            }
            (1, true) if turn == 0 => {
                let undo = if retracted.remove(&document) { " --undo" } else { "" };
                if undo.is_empty() {
                    retracted.insert(document.clone());
                }
                world.cmd(&format!("retract {document} --reason chance{undo}")).expect_code(0);
                at_once = true;
                break;
            }
            _ => {
                let text = papers.entry(document.clone()).or_default();
                match dice.roll(3) {
                    0 if text.len() > 1 => drop(text.remove(dice.roll(text.len()))),
                    1 if !text.is_empty() => {
                        let at = dice.roll(text.len());
                        text[at] = Paragraph::of(dice);
                    }
                    _ => text.push(Paragraph::of(dice)),
                }
                let paragraphs: Vec<String> = text.iter().map(Paragraph::text).collect();
                world.write(&document, format!("{}\n", paragraphs.join("\n\n")).as_bytes());
            }
        }
    }
    history.generations.push((papers, retracted));
    at_once
}

#[test]
fn searches_over_random_histories_find_what_a_naive_scan_finds() {
    let (mut asked, mut found_any, mut states) = (0, 0, BTreeSet::new());
    for seed in SEEDS {
        let world = World::new(CONFIG);
        let mut dice = Dice(seed);
        let mut history = History::default();
        while history.generations.len() < GENERATIONS {
            let before = history.generations.len();
            let at_once = change(&world, &mut dice, &mut history);
            let report = world.run();
            if at_once {
                assert!(report["generation"].is_null(), "seed {seed}: a word took effect at once");
                assert_eq!(report["before"], history.generations.len(), "seed {seed}");
                continue;
            }
            if report["generation"].is_null() {
                // What changed nothing is no generation.
                let same = history.generations.pop().unwrap();
                assert!(before == 0 || same == history.generations[before - 1], "seed {seed}");
                continue;
            }
            assert_eq!(report["generation"], history.generations.len(), "seed {seed}");
        }
        world.cmd("verify").expect_code(0);
        for _ in 0..QUESTIONS {
            let question = Question::of(&mut dice, GENERATIONS);
            let view =
                world.cmd(&format!("search {} --output json", question.arguments())).expect_code(0).json();
            assert_eq!(view["known_at"], question.known_at);
            let mut found = BTreeSet::new();
            for result in view["results"].as_array().unwrap() {
                let pieces = result["snippet"].as_array().unwrap();
                let text: String = pieces.iter().map(|piece| piece["text"].as_str().unwrap()).collect();
                let state = ["current", "future", "expired", "superseded", "retracted", "mixed"]
                    .into_iter()
                    .find(|state| result["state"] == *state)
                    .unwrap();
                found.insert((result["document"].as_str().unwrap().to_owned(), text, state));
                states.insert(state);
            }
            assert_eq!(found, history.answer(&question), "seed {seed}: {question:?}");
            asked += 1;
            found_any += usize::from(!found.is_empty());
        }
    }
    assert!(found_any * 3 > asked, "most questions find something: {found_any} of {asked}");
    assert!(states.len() >= 4, "every state is met: {states:?}");
}
