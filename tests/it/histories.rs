//! Random histories: people edit, delete, restore, rename, decide, change the graph by hand; feeds change; runs are
//! stopped. After every run, and at once after every change by hand, the program's graph must be what the second
//! reading of the same inputs gives, a second run must change nothing, and the record must be sound.
//!
//! A failing history is printed as its actions, one a line, with the seed that gave it.

mod action;
mod draw;
mod program;
mod script;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use action::Action;
use draw::{Dice, Draw};
use program::Program;
use table::Table;

use crate::naive::fold::fold;
use crate::naive::universe::{Document, Memory, Universe};
use crate::naive::world::{Answer, Decision, Fact, Graph, Inputs};

/// The seed of the history that is written down.
const WRITTEN: u64 = 0;
/// The seeds of the histories; each runs alone and in any order.
const SEEDS: [u64; 15] = [WRITTEN, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
/// One seed of so many gives a history in which nothing is decided, kept or withheld: all that the graph says can
/// be read from the files.
const PLAIN: u64 = 5;
/// Runs of the program a history, not counting repeated ones.
const RUNS: usize = 9;
/// A workspace built afresh is compared every so many runs.
const AFRESH_EVERY: usize = 5;

/// One history under way.
struct History {
    seed: u64,
    dice: Dice,
    universe: Universe,
    memory: Memory,
    /// `None` folds without the program: to try the histories themselves.
    program: Option<Program>,
    /// Documents that were removed, for restoring them byte for byte.
    removed: BTreeMap<String, Document>,
    told: Vec<String>,
    runs: usize,
    /// After how many runs it ends.
    length: usize,
    /// The number of the last decision.
    decisions: u64,
    /// The number of the last edit by hand; edits have dice of their own.
    edits: u64,
    edit_dice: Dice,
    /// Who stood against whom before the last run.
    logged: BTreeSet<(Fact, Fact)>,
    table: Table,
}

#[test]
fn random_histories_agree_with_the_second_reading() {
    let (seeds, length) = asked_for();
    let table = Mutex::new(Table::default());
    let failed = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                    // A history that fails prints itself; the others still run.
                    match std::panic::catch_unwind(|| history(seed, length, Some(Program::new()))) {
                        Ok(reached) => {
                            println!("seed {seed} agrees");
                            table.lock().unwrap().add(&reached);
                        }
                        Err(_) => failed.lock().unwrap().push(seed),
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "these seeds failed, see above: {failed:?}");
    let table = table.into_inner().unwrap();
    println!("{table}");
    table.check_floors();
}

/// The seeds and the number of runs: `HISTORIES=1..41x14 cargo test histories` looks further than the test does.
fn asked_for() -> (Vec<u64>, usize) {
    let asked = std::env::var_os("HISTORIES").map(|text| text.into_string().unwrap());
    asked.map_or((SEEDS.to_vec(), RUNS), |text| {
        let (seeds, runs) = text.split_once('x').unwrap();
        let (first, end) = seeds.split_once("..").unwrap();
        ((first.parse().unwrap()..end.parse().unwrap()).collect(), runs.parse().unwrap())
    })
}

/// The second reading itself does not depend on the order in which its inputs come, over many more histories.
#[test]
fn the_second_reading_does_not_depend_on_order() {
    let (seeds, length) = asked_for();
    let mut total = Table::default();
    for seed in seeds.into_iter().flat_map(|seed| [seed, seed + 1000]) {
        total.add(&history(seed, length, None));
    }
    println!("{total}");
}

fn history(seed: u64, length: usize, program: Option<Program>) -> Table {
    let mut history = History {
        seed,
        dice: Dice::new(seed),
        universe: draw::first_universe(),
        memory: Memory::default(),
        program,
        removed: BTreeMap::new(),
        told: Vec::new(),
        runs: 0,
        length,
        decisions: 0,
        edits: 0,
        edit_dice: Dice::new(seed ^ 0xed17),
        logged: BTreeSet::new(),
        table: Table::default(),
    };
    history.universe.at_most_one = seed % PLAIN != 1;
    history.run(None);
    for actions in if seed == WRITTEN { script::nights() } else { Vec::new() } {
        actions.into_iter().for_each(|action| history.carry_out(action));
        history.run(None);
    }
    while history.runs < length {
        let count = 1 + history.dice.below(4);
        for _ in 0..count {
            history.act();
        }
        let stop = (history.dice.below(4) == 0).then(|| history.dice.below(1000));
        history.run(stop);
        history.edit();
    }
    history.purge();
    history.purge();
    history.table
}

impl History {
    /// Now and then a person changes by hand what the night has published, or writes of whom only an edit may
    /// know. An edit holds at once, and the night after makes nothing else of it.
    fn edit(&mut self) {
        if self.seed % PLAIN == 1 || self.edit_dice.below(3) == 0 {
            return;
        }
        let draw = Draw { universe: &self.universe, removed: &self.removed, memory: &self.memory };
        if let Some(action) = draw.edit(&mut self.edit_dice, self.edits + 1) {
            let at_once = !matches!(action, Action::Insert { .. });
            self.carry_out(action);
            if at_once && let Some(program) = self.program.take() {
                let (_, expected) = self.tonight();
                self.compare_graph(&program, &expected);
                self.program = Some(program);
            }
            self.runs -= 1;
            self.run(None);
        }
    }

    /// Draws one action and carries it out.
    fn act(&mut self) {
        let draw = Draw { universe: &self.universe, removed: &self.removed, memory: &self.memory };
        let plain = self.seed % PLAIN == 1;
        if let Some(action) =
            draw.action(&mut self.dice).filter(|action| !plain || action.leaves_only_files())
        {
            self.carry_out(action);
        }
    }

    fn carry_out(&mut self, action: Action) {
        self.told.push(format!("{action:?}"));
        self.table.count(action.name());
        match action {
            Action::Rename { from, to } => {
                // Only a document that changed in nothing else is known again by its bytes.
                self.run(None);
                if let Some(document) = self.universe.documents.remove(&from) {
                    self.universe.documents.insert(to.clone(), document);
                    self.memory.rename(&from, &to);
                }
                self.run(None);
            }
            Action::Remove { path } => {
                if let Some(document) = self.universe.documents.remove(&path) {
                    self.removed.insert(path, document);
                }
            }
            Action::Restore { path } => {
                if let Some(document) = self.removed.remove(&path) {
                    self.universe.documents.insert(path, document);
                }
            }
            Action::AcceptFeed(feed) => {
                if let Some(program) = &self.program {
                    program.accept("feed", feed);
                }
                self.memory.vouched_gone.insert(feed.to_owned());
            }
            Action::AcceptScope(scope) => {
                if let Some(program) = &self.program {
                    program.accept("scope", &scope);
                }
                self.memory.vouched_gone.insert(scope);
            }
            Action::Decide { path, quote, asked, answer } => self.decide(path, quote, asked, answer),
            Action::Undo { number } => self.undo(number),
            Action::ByHand { arguments, leaves } => {
                if let Some(program) = &self.program {
                    program.edit(&arguments);
                }
                self.edits += 1;
                self.memory.by_hand.insert(self.edits, leaves);
            }
            Action::UndoEdit { number } => {
                if let Some(program) = &self.program {
                    let words = ["undo", &number.to_string(), "--reason", "called off"];
                    program.edit(&words.map(str::to_owned));
                }
                self.edits += 1;
                self.memory.by_hand.remove(&number);
            }
            other => other.apply(&mut self.universe),
        }
    }

    /// In the end documents are purged, which is as if they were removed, and as if they had never been there.
    fn purge(&mut self) {
        let Some(program) = self.program.take() else { return };
        let whole = self.universe.documents.iter().filter(|(_, document)| !document.broken);
        let paths: Vec<String> = whole.map(|(path, _)| path.clone()).collect();
        let mut purged = Vec::new();
        if !paths.is_empty() && !self.universe.unmounted {
            let path = &paths[Dice::new(self.seed ^ 0x9e37).below(paths.len())];
            self.told.push(format!("purge {path}"));
            purged = program.purge(path);
            self.table.count("purge");
        }
        self.universe.documents.retain(|path, _| !purged.contains(path));
        self.program = Some(program);
        self.run(None);
        let Some(program) = &self.program else { return };
        let left = program.told_of(&purged);
        self.expect(program, left.is_empty(), &format!("of {purged:?} is left: {left:?}"));
        let complaint = program.replay();
        self.expect(program, complaint.is_none(), complaint.as_deref().unwrap_or_default());
    }

    /// Runs the program over what is on disk and compares everything.
    fn run(&mut self, stop: Option<usize>) {
        self.told.push(stop.map_or("run".to_owned(), |at| format!("stop at step {at}, run")));
        self.runs += 1;
        self.table.count("run");
        let (mut inputs, expected) = self.tonight();
        self.table.reach(&self.memory.withheld);
        self.table.reach(&self.memory.proven);
        self.table.reach(&expected.reached);
        if let Some(mut program) = self.program.take() {
            self.night(&mut program, stop, &expected);
            self.program = Some(program);
        } else {
            inputs.attestations.reverse();
            let turned = fold(&inputs);
            let same = turned.edges == expected.edges && turned.quarantine == expected.quarantine;
            let told = self.told.join("\n  ");
            assert!(
                same,
                "seed {}: {}after\n  {told}",
                self.seed,
                differences(&expected.edges, &turned.edges)
            );
        }
    }

    /// What the program takes in now, and the graph that it must make of it.
    fn tonight(&mut self) -> (Inputs, Graph) {
        self.universe.accept(&mut self.memory);
        let inputs = self.universe.inputs(&self.memory);
        let expected = fold(&inputs);
        self.logged = inputs.incumbents.clone();
        self.memory.last = expected.clone();
        (inputs, expected)
    }

    /// Lets the program run and compares everything with what is expected.
    fn night(&mut self, program: &mut Program, stop: Option<usize>, expected: &Graph) {
        program.write(&self.universe.files());
        if let Some(at) = stop {
            self.table.count("stop");
            let (step, ended) = program.run_and_stop(at);
            self.told.push(format!("  stopped at {step}: {}", ended.code));
        }
        let ended = program.run();
        // A stopped run may have published already; then this one has nothing to withhold anew.
        let code = if self.memory.withheld.is_empty() { 0 } else { 4 };
        self.expect(
            program,
            ended.code == code,
            &format!("run ended with {}, not {code}: {}", ended.code, ended.said),
        );
        let found = self.compare_graph(program, expected);

        let generations = program.generations();
        let digests = program.digests();
        self.expect(program, digests.is_ok(), digests.as_ref().err().map_or("", String::as_str));
        let again = program.run();
        self.table.count("second run");
        self.expect(program, again.code == code, &format!("a second run ended with {}", again.code));
        self.expect(program, generations == program.generations(), "a second run made a generation");
        let second = program.digests();
        self.expect(program, digests == second, &format!("a second run made {second:?} of {digests:?}"));
        if self.runs.is_multiple_of(AFRESH_EVERY) || self.runs >= self.length {
            self.compare_afresh(program, &found);
        }
    }

    /// Compares what the graph says with what it must say.
    fn compare_graph(&mut self, program: &Program, expected: &Graph) -> program::Found {
        let found = program.found();
        let edges: Vec<String> = expected
            .edges
            .iter()
            .filter_map(|edge| edge.rsplit_once(" x").map(|(edge, _)| edge.to_owned()))
            .collect();
        let all = [
            ("edges", &edges, &found.edges),
            ("evidence", &expected.evidence, &found.evidence),
            ("quarantine", &expected.quarantine, &found.quarantine),
            ("pending ends", &expected.pending, &found.pending),
        ];
        let mut differ: String = all
            .into_iter()
            .filter(|(_, expected, found)| expected != found)
            .map(|(what, expected, found)| format!("{what}\n{}", differences(expected, found)))
            .collect();
        if !differ.is_empty() {
            let logged = |(one, other): &(Fact, Fact)| format!("  {one:?} stood against {other:?}\n");
            differ.extend(self.logged.iter().map(logged));
        }
        self.expect(program, differ.is_empty(), &differ);
        found
    }

    /// A workspace that is replayed from the changelog has the same history, and one that is built in one run says
    /// the same. Only what people decided and who stood against whom cannot be read from the files.
    fn compare_afresh(&mut self, program: &Program, found: &program::Found) {
        let complaint = program.replay();
        self.expect(program, complaint.is_none(), complaint.as_deref().unwrap_or_default());
        self.table.count("replayed");
        let memory = &self.memory;
        let left = self.edits > 0 || self.universe.suppliers.len() < 4 || self.universe.components.len() < 4;
        let logged = left || !memory.decisions.is_empty() || !memory.last.incumbents.is_empty();
        if logged || !memory.kept.is_empty() || !memory.withheld.is_empty() {
            return;
        }
        let mut fresh = Program::new();
        fresh.write(&self.universe.files());
        fresh.run();
        let afresh = fresh.found();
        self.compare(program, "edges of a fresh workspace", &afresh.edges, &found.edges);
        self.compare(program, "evidence of a fresh workspace", &afresh.evidence, &found.evidence);
        self.compare(program, "quarantine of a fresh workspace", &afresh.quarantine, &found.quarantine);
        let (own, other) = (program.digests().map(|one| one.state), fresh.digests().map(|one| one.state));
        self.expect(program, own == other, &format!("the state is {own:?}, of a fresh workspace {other:?}"));
        self.table.count("built afresh");
    }

    /// Answers one question.
    fn decide(&mut self, document: String, quote: String, fact: Fact, answer: Answer) {
        if let Some(program) = &self.program {
            program.decide(&document, &quote, &answer);
        }
        self.decisions += 1;
        self.memory.decisions.push(Decision { number: self.decisions, fact, document, quote, answer });
    }

    /// Takes a decision back.
    fn undo(&mut self, number: u64) {
        // A decision has its number once a run has carried it out.
        self.run(None);
        self.memory.decisions.retain(|decision| decision.number != number);
        self.decisions += 1;
        if let Some(program) = &self.program {
            program.undo(number);
        }
    }

    #[track_caller]
    fn compare(&self, program: &Program, what: &str, expected: &[String], found: &[String]) {
        self.expect(program, expected == found, &format!("{what} differ:\n{}", differences(expected, found)));
    }

    #[track_caller]
    fn expect(&self, program: &Program, holds: bool, what: &str) {
        if !holds {
            let kept = program.keep(self.seed);
            panic!("seed {}: {what}\nafter\n  {}\nworkspace: {kept}", self.seed, self.told.join("\n  "));
        }
    }
}

/// What one list has and the other has not.
fn differences(expected: &[String], found: &[String]) -> String {
    let count = |list: &[String], line: &String| list.iter().filter(|any| *any == line).count();
    let lacks = |list: &[String], line: &String, other: &[String]| count(list, line) > count(other, line);
    let missing =
        expected.iter().filter(|line| lacks(expected, line, found)).map(|line| format!("  missing {line}\n"));
    let extra =
        found.iter().filter(|line| lacks(found, line, expected)).map(|line| format!("  extra   {line}\n"));
    missing.chain(extra).collect()
}
