//! What a run reads again is enough: after every random change of names, definitions, texts, rules, words and
//! thresholds, the graph is the one that comes of extracting all chunks, in a workspace built afresh.

use crate::world::World;

const SEEDS: [u64; 3] = [3, 17, 40];
const CHANGES: usize = 12;

/// Chance with a seed.
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

/// Everything that the files say.
struct Files {
    /// Names and aliases of the suppliers and of the components, by place.
    suppliers: Vec<(&'static str, &'static str)>,
    components: Vec<(&'static str, &'static str)>,
    /// Letters: who "the Vendor" is, and the sentences.
    letters: Vec<(&'static str, Vec<String>)>,
    /// The words of the rule of supply, its gap, the faint rule's confidence and the type's threshold.
    verbs: &'static str,
    optional: bool,
    confidence: &'static str,
    threshold: &'static str,
}

const SUPPLIERS: [&str; 4] = ["TechChip Inc", "Voltanix GmbH", "Orion Systems", "Kestrel Avionics Ltd"];
const COMPONENTS: [&str; 4] = ["Flight Control Unit", "Main Board", "Brake Pad", "Radio Module"];
const ALIASES: [&str; 6] = ["", "FCU", "Kestrel", "Pad", "MB-9", "Board"];

impl Files {
    fn new(dice: &mut Dice) -> Self {
        let mut files = Self {
            suppliers: SUPPLIERS.iter().take(3).map(|name| (*name, "")).collect(),
            components: COMPONENTS.iter().take(3).map(|name| (*name, "")).collect(),
            letters: Vec::new(),
            verbs: "supply~",
            optional: true,
            confidence: "0.9",
            threshold: "0.6",
        };
        for _ in 0..4 {
            let vendor = dice.one(&SUPPLIERS);
            let sentences = (0..6).map(|_| sentence(dice)).collect();
            files.letters.push((vendor, sentences));
        }
        files
    }

    /// Changes one thing, and says which.
    fn change(&mut self, dice: &mut Dice) -> &'static str {
        match dice.roll(9) {
            0 => {
                let at = dice.roll(self.suppliers.len());
                self.suppliers[at].1 = dice.one(&ALIASES);
                "a supplier's alias"
            }
            1 => {
                let at = dice.roll(self.components.len());
                self.components[at].1 = dice.one(&ALIASES);
                "a component's alias"
            }
            2 if self.suppliers.len() < SUPPLIERS.len() => {
                self.suppliers.push((SUPPLIERS[self.suppliers.len()], ""));
                "another supplier"
            }
            3 => {
                let at = dice.roll(self.letters.len());
                self.letters[at].0 = dice.one(&SUPPLIERS);
                "a definition"
            }
            4 => {
                self.verbs = dice.one(&["supply~", "supply~, deliver~", "deliver~", "sell~, supply~"]);
                "a rule's words"
            }
            5 => {
                self.optional = !self.optional;
                "a rule's pattern"
            }
            6 => {
                self.confidence = dice.one(&["0.5", "0.7", "0.9"]);
                "a rule's confidence"
            }
            7 => {
                self.threshold = dice.one(&["0.4", "0.6", "0.8"]);
                "a type's threshold"
            }
            _ => {
                let at = dice.roll(self.letters.len());
                let sentences = &mut self.letters[at].1;
                let place = dice.roll(sentences.len());
                sentences[place] = sentence(dice);
                "a sentence"
            }
        }
    }

    fn write(&self, world: &World) {
        let gap = if self.optional { "[directly] " } else { "" };
        let (verbs, confidence, threshold) = (self.verbs, self.confidence, self.threshold);
        let mut fixture = format!(
            r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  {{ system_of_record: suppliers, names: company }}
  Component: {{ system_of_record: components }}
edges:
  supplies: {{ subject: Supplier, object: Component }}
  tests:    {{ subject: Supplier, object: Component, threshold: {threshold} }}
words:
  SUPPLY: [{verbs}]
rules:
- id: supply
  edge: supplies
  match: "{{subject:Supplier}} {gap}SUPPLY {{object:Component+}} [(from|since) {{valid_from:date}}]"
- id: test
  edge: tests
  confidence: {confidence}
  match: "{{subject:Supplier}} tests {{object:Component+}}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: supply-data
sources:
  letters: {{ path: letters }}
feeds:
  suppliers:  {{ path: suppliers.csv,  entity: {{ type: Supplier,  key: Id, names: [Name, Alias] }} }}
  components: {{ path: components.csv, entity: {{ type: Component, key: Id, names: [Name, Alias] }} }}
//- suppliers.csv
Id,Name,Alias
"#
        );
        let rows = |letter: char, names: &[(&str, &str)]| -> String {
            let row = |(at, (name, alias)): (usize, &(&str, &str))| format!("{letter}{at},{name},{alias}\n");
            names.iter().enumerate().map(row).collect()
        };
        fixture.push_str(&rows('S', &self.suppliers));
        fixture.push_str("//- components.csv\nId,Name,Alias\n");
        fixture.push_str(&rows('C', &self.components));
        for (at, (vendor, sentences)) in self.letters.iter().enumerate() {
            fixture.push_str(&format!("//- letters/{at}.md\n# Letter {at}\n\n"));
            fixture.push_str(&format!("This letter is about {vendor} (\"Vendor\").\n\n"));
            fixture.push_str(&sentences.join("\n\n"));
            fixture.push('\n');
        }
        world.put(&fixture);
    }
}

/// Who supplies or tests what, by name, alias or defined term.
fn sentence(dice: &mut Dice) -> String {
    let who = dice.one(&["TechChip", "Voltanix GmbH", "Orion Systems", "Kestrel", "Vendor", "Nobody Ltd"]);
    let verb = dice.one(&["supplies", "directly supplies", "delivers", "sells", "tests", "admires"]);
    let what = dice.one(&["FCU", "Flight Control Unit", "Main Board", "Pad", "Radio Module", "MB-9"]);
    let when = dice.one(&["", " since 1 March 2020", " from 17 February 2024"]);
    format!("{who} {verb} the {what}{when}.")
}

/// The digest of the state, and how many chunks were extracted for it.
fn run(world: &World) -> (String, u64) {
    let report = world.run();
    (report["state_digest"].as_str().unwrap().to_owned(), report["work"]["extracted"].as_u64().unwrap())
}

#[test]
fn after_every_random_change_the_graph_is_the_one_that_comes_of_extracting_everything() {
    let (mut again, mut all) = (0, 0);
    for seed in SEEDS {
        let mut dice = Dice(seed);
        let mut files = Files::new(&mut dice);
        let world = World::new("");
        files.write(&world);
        run(&world);
        for number in 0..CHANGES {
            let what = files.change(&mut dice);
            files.write(&world);
            let (state, some) = run(&world);
            let afresh = World::new("");
            files.write(&afresh);
            let (expected, every) = run(&afresh);
            assert_eq!(
                world.graph(),
                afresh.graph(),
                "seed {seed}, change {number}: {what}; on the left what was kept true"
            );
            assert_eq!(state, expected, "seed {seed}, change {number}: {what}");
            if what == "a rule's confidence" || what == "a type's threshold" {
                assert_eq!(some, 0, "seed {seed}, change {number}: {what}");
            }
            again += some;
            all += every;
        }
        world.cmd("verify").expect_code(0);
    }
    assert!(again * 3 < all, "{again} chunks were read again, of {all}: it should be a small part");
}
