//! Nights through the command line: a small corpus lives through weeks of edits, growth, withdrawals and weekends,
//! and each fault that is planted in a copy of its last night holds the run.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::drift::nights::Dice;
use crate::drift::{drift_of, findings};
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
  match: "{subject:Supplier} supplies {object:Component}"
//- jobs/nightly.yaml
job: nightly
ontology: supply
sources:
  letters: { path: letters }
  scans: { path: scans, parser: { command: [tools/ocr], for: ["*.scan"], version: one } }
feeds:
  suppliers:  { path: suppliers.csv,  entity: { type: Supplier,  key: Id, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: Id, names: [Name] } }
//- suppliers.csv
Id,Name
S1,TechChip Inc
S2,Voltanix GmbH
"#;

/// What the program `tools/ocr` does with the file that it is given: it holds what a parser writes.
const READS: &str = "/bin/cat \"$1\"";
/// How many edges a document says at first.
const EDGES: usize = 8;

/// A document: each edge is about a component of its own.
struct Document {
    path: String,
    says: Vec<usize>,
    remarks: usize,
}

impl Document {
    fn is_scan(&self) -> bool {
        self.path.ends_with(".scan")
    }

    fn text(&self) -> String {
        let who = |component: usize| if component.is_multiple_of(2) { "TechChip" } else { "Voltanix" };
        let said = self.says.iter().map(|one| format!("{} supplies the Radio Module {one}.", who(*one)));
        let remarks = (0..self.remarks).map(|nth| format!("Remark {nth} of a reader, who is content."));
        let passages = said.chain(remarks);
        if self.is_scan() {
            passages.map(|one| format!("{{\"kind\": \"paragraph\", \"text\": \"{one}\"}}\n")).collect()
        } else {
            passages.map(|one| format!("{one}\n\n")).collect()
        }
    }
}

/// A workspace and what stands in its files.
struct Corpus {
    world: World,
    documents: Vec<Document>,
    /// How many components there are, and how many documents there were.
    components: usize,
    numbered: usize,
    night: u32,
}

impl Corpus {
    /// So many letters and scans, before their first night.
    fn new(letters: usize, scans: usize) -> Self {
        let mut corpus =
            Self { world: World::new(FIXTURE), documents: Vec::new(), components: 0, numbered: 0, night: 0 };
        tool(&corpus.world, READS);
        for nth in 0..letters + scans {
            corpus.comes(if nth < letters { "letters" } else { "scans" });
        }
        corpus
    }

    fn comes(&mut self, source: &str) {
        let end = if source == "scans" { "scan" } else { "md" };
        let path = format!("{source}/{:03}.{end}", self.numbered);
        self.numbered += 1;
        let says = (0..EDGES).map(|_| self.component()).collect();
        self.documents.push(Document { path, says, remarks: 0 });
        self.write(self.documents.len() - 1);
    }

    fn component(&mut self) -> usize {
        self.components += 1;
        self.components - 1
    }

    fn write(&self, at: usize) {
        let document = &self.documents[at];
        self.world.write(&document.path, document.text().as_bytes());
    }

    /// What people do on a day on which nothing is wrong; the first is a Monday.
    fn day(&mut self, dice: &mut Dice) {
        for _ in 0..1 + dice.below(4) {
            let at = dice.below(self.documents.len() as u64) as usize;
            match dice.below(6) {
                // Another fact instead of one, one more, one less; mostly only words.
                0 => self.documents[at].says[0] = self.component(),
                1 => {
                    let more = self.component();
                    self.documents[at].says.push(more);
                }
                2 if self.documents[at].says.len() > 1 => drop(self.documents[at].says.pop()),
                _ => self.documents[at].remarks += 1,
            }
            self.write(at);
        }
        // Some documents a month come and go, and once there is a folder of new ones.
        let come = if self.night == 9 { 6 } else { u64::from(dice.below(4) == 0) };
        for nth in 0..come {
            self.comes(if nth % 3 == 2 { "scans" } else { "letters" });
        }
        if dice.below(5) == 0 {
            let at = dice.below(self.documents.len() as u64) as usize;
            fs::remove_file(self.world.path(&self.documents.remove(at).path)).unwrap();
        }
    }

    /// The days until the next night, and the feed of components as it stands then.
    fn sleep(&mut self) {
        self.night += 1;
        self.world.today = format!("2026-06-{:02}", self.night);
        self.world.write("components.csv", components("C", self.components).as_bytes());
    }

    fn edges(&self, source: &str) -> usize {
        let of = self.documents.iter().filter(|one| one.path.starts_with(source));
        of.map(|one| one.says.len()).sum()
    }

    /// A copy of the workspace, in which people have read so many documents of a source and remarked upon them.
    fn struck(&self, source: &str, edited: usize) -> World {
        let world = self.world.twin();
        let of = self.documents.iter().filter(|one| one.path.starts_with(source));
        for one in of.take(edited) {
            let Document { path, says, remarks } = one;
            let one = Document { path: path.clone(), says: says.clone(), remarks: remarks + 1 };
            world.write(path, one.text().as_bytes());
        }
        world
    }
}

fn components(key: &str, count: usize) -> String {
    let row = |nth: usize| format!("{key}{nth},Radio Module {nth}\n");
    format!("Id,Name\n{}", (0..count).map(row).collect::<String>())
}

/// Puts another program in the place of the parser.
fn tool(world: &World, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    world.write("tools/ocr", format!("#!/bin/sh\n{script}\n").as_bytes());
    fs::set_permissions(world.path("tools/ocr"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Puts a text in the place of another one in a file.
fn edit(world: &World, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(world.path(file)).unwrap();
    assert!(text.contains(from), "{from} in {file}");
    world.write(file, text.replace(from, to).as_bytes());
}

/// The edges of a source after a run, as its drift report has them.
fn after(drift: &Value, source: &str) -> u64 {
    let rows = drift["segments"].as_array().unwrap().iter();
    rows.filter(|row| row["source"] == source).map(|row| row["after"].as_u64().unwrap()).sum()
}

/// The findings for which a night's run is held: `drift-planned * in scans`, those of other guards beside them.
fn held(world: &World) -> BTreeSet<String> {
    let output = world.cmd("run --output json");
    let drift = drift_of(world, &output.json());
    let is_held = (output.code, drift["holds"].as_bool());
    assert_eq!(is_held, (3, Some(true)), "{:?}, {}", findings(&drift), drift["segments"]);
    let of = |found: &Value| {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        format!("{} in {}", text(&found["rule"]), text(&found["segment"]["source"]))
    };
    let found = drift["findings"].as_array().unwrap().iter();
    let failing = found.filter(|finding| finding["severity"] == "fail").flat_map(|finding| {
        assert!(!finding["examples"].as_array().unwrap().is_empty(), "{finding}");
        let also = finding["also"].as_array().into_iter().flatten();
        also.filter(|also| also["severity"] == "fail").map(of).chain([of(finding)]).collect::<Vec<_>>()
    });
    failing.collect()
}

#[cfg(unix)]
#[test]
fn weeks_of_ordinary_nights_are_published_and_each_fault_in_the_last_one_is_held() {
    let mut corpus = Corpus::new(12, 16);
    let mut dice = Dice(11);
    let mut worked = 0;
    for night in 0..17 {
        if night > 0 && night % 7 < 5 {
            corpus.day(&mut dice);
        }
        corpus.sleep();
        let report = corpus.world.run();
        if report["outcome"] == "nothing_to_do" {
            assert!(night % 7 >= 5, "night {night}");
            continue;
        }
        worked += 1;
        let drift = drift_of(&corpus.world, &report);
        assert!(!drift["holds"].as_bool().unwrap(), "night {night}: {:?}", findings(&drift));
        for source in ["letters", "scans"] {
            assert_eq!(after(&drift, source), corpus.edges(source) as u64, "night {night}, {source}");
        }
        for row in drift["segments"].as_array().unwrap() {
            let of = |name: &str| row[name].as_u64().unwrap();
            assert_eq!(of("before") + of("added"), of("after") + of("retracted"), "night {night}: {row}");
        }
    }
    assert_eq!(worked, 13, "17 nights, and two weekends");
    corpus.sleep();

    // A parser whose documents of tonight are illegible.
    let world = corpus.struck("scans", 6);
    tool(&world, "/bin/sed 's/supplies/5upp1ies/' \"$1\"");
    assert!(held(&world).contains("drift-silent-documents in scans"));
    // One that writes next to nothing: its documents are withheld, and others that it read before say so.
    let world = corpus.struck("scans", 6);
    tool(&world, "/bin/sed -n 1p \"$1\"");
    assert_eq!(held(&world), BTreeSet::from(["drift-audit in scans".to_owned()]));

    // A rule that is lost.
    let world = corpus.struck("letters", 1);
    edit(&world, "ontology/supply.yaml", "} supplies {", "} delivers {");
    let found = held(&world);
    assert!(
        found.contains("drift-planned in letters") && found.contains("drift-planned in scans"),
        "{found:?}"
    );

    // A feed that comes with seven of ten rows, and one in which everybody has another key.
    let world = corpus.struck("letters", 1);
    world.write("components.csv", components("C", corpus.components * 7 / 10).as_bytes());
    assert!(held(&world).iter().any(|found| found.starts_with("drift-retractions in ")));
    let world = corpus.struck("letters", 1);
    world.write("components.csv", components("P", corpus.components).as_bytes());
    let found = held(&world);
    assert!(
        found.contains("drift-emptied in letters") && found.contains("drift-emptied in scans"),
        "{found:?}"
    );

    // A new version of the parser loses one sentence in twenty.
    let world = corpus.struck("scans", 0);
    tool(&world, "/bin/sed '/[02468]7\\./d' \"$1\"");
    edit(&world, "jobs/nightly.yaml", "version: one", "version: two");
    assert_eq!(held(&world), BTreeSet::from(["drift-planned in scans".to_owned()]));

    // A library of the parser reads one sentence in three differently, and its version is the same.
    let world = corpus.struck("scans", 1);
    tool(&world, "/bin/sed 's/\\([147]\\)\\./\\1 or so./; /[258]\\./d' \"$1\"");
    assert!(held(&world).contains("drift-audit in scans"));
    // So does a stage of our own.
    if cfg!(feature = "sabotage") {
        let mut world = corpus.struck("letters", 1);
        world.env.push(("EDGEWRIGHT_SABOTAGE".to_owned(), "silent-change".to_owned()));
        assert!(held(&world).contains("drift-audit in letters"));
    }

    // And the night without a fault is published.
    for source in ["letters", "scans"] {
        let world = corpus.struck(source, 6);
        let drift = drift_of(&world, &world.run());
        assert!(!drift["holds"].as_bool().unwrap(), "{:?}", findings(&drift));
    }
}

/// Twenty letters of which a part comes and goes at once, among others that stay as they are.
struct Clumps {
    corpus: Corpus,
}

impl Clumps {
    fn new() -> Self {
        let mut corpus = Corpus::new(45, 1);
        edit(&corpus.world, "jobs/nightly.yaml", "feeds:", "gates: { retractions: { warn: off } }\nfeeds:");
        for document in &mut corpus.documents {
            document.says.extend(corpus.components..corpus.components + 2);
            corpus.components += 2;
        }
        (0..corpus.documents.len()).for_each(|at| corpus.write(at));
        corpus.sleep();
        corpus.world.run();
        Self { corpus }
    }

    /// A night after which each of the twenty says the first so many of its ten edges; if none, its text is as long.
    fn night(&mut self, says: usize) -> (i32, Vec<String>) {
        for document in &self.corpus.documents[..20] {
            let kept = if says == 0 { document.says.len() } else { says };
            let Document { path, says: all, .. } = document;
            let remarks = self.corpus.night as usize;
            let text = Document { path: path.clone(), says: all[..kept].to_vec(), remarks }.text();
            let text = if says == 0 { text.replace("supplies", "sup plies") } else { text };
            self.corpus.world.write(path, text.as_bytes());
        }
        self.corpus.sleep();
        tell(&self.corpus.world)
    }

    /// The same in a copy, with or without the reports of the nights before.
    fn would(&mut self, says: usize, remembers: bool) -> (i32, Vec<String>) {
        let twin = self.corpus.world.twin();
        let world = std::mem::replace(&mut self.corpus.world, twin);
        if !remembers {
            fs::remove_dir_all(self.corpus.world.path(".edgewright/runs")).unwrap();
        }
        let told = self.night(says);
        self.corpus.world = world;
        self.corpus.night -= 1;
        told
    }
}

fn tell(world: &World) -> (i32, Vec<String>) {
    let output = world.cmd("run --output json");
    let drift = drift_of(world, &output.json());
    let says = |finding: &Value| {
        let says = finding["says"].as_str().unwrap_or_default();
        let spread = says.split_once("; past nights").map_or("", |(_, spread)| spread);
        format!("{} {}{spread}", finding["severity"].as_str().unwrap(), finding["rule"].as_str().unwrap())
    };
    (output.code, drift["findings"].as_array().unwrap().iter().map(says).collect())
}

#[test]
fn nights_that_move_by_themselves_teach_how_far_and_no_held_one_does() {
    let mut letters = Clumps::new();
    let held = (3, vec!["fail drift-same-documents".to_owned()]);
    for says in [8, 10, 8, 10] {
        assert_eq!(letters.night(says), (0, Vec::new()));
    }
    assert_eq!(letters.would(6, true), held, "four nights teach nothing");
    assert_eq!(letters.night(6), held);
    assert_eq!(letters.night(6), held, "and held ones do not either");
    for says in [8, 10] {
        assert_eq!(letters.night(says), (0, Vec::new()));
    }
    let noted = "info drift-same-documents spread 4.0 times as wide as chance, which is allowed for";
    assert_eq!(letters.would(6, true), (0, vec![noted.to_owned()]));
    assert_eq!(letters.would(6, false), held, "without the reports nothing is known");
    let (code, found) = letters.would(0, true);
    assert_eq!(code, 3, "whatever past nights did, what is gone is gone: {found:?}");
}
