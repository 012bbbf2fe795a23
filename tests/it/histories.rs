//! Random histories: people edit, delete, restore, rename, decide; feeds change; runs are stopped. After every run
//! the program's graph must be what the second reading of the same inputs gives, a second run must change nothing,
//! and the record must be sound.
//!
//! A failing history is printed as its actions, one a line, with the seed that gave it.

mod action;
mod program;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use action::{Action, Dice, Draw};
use program::Program;
use table::Table;

use crate::naive::fold::fold;
use crate::naive::universe::{Document, Memory, Universe};
use crate::naive::world::{Decision, Fact, Graph, Origin};

/// The seeds of the histories; each runs alone and in any order.
const SEEDS: [u64; 4] = [13, 21, 28, 34];
/// Runs of the program a history, not counting repeated ones.
const RUNS: usize = 8;
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
    /// The number of the last decision.
    decisions: u64,
    /// Who stood against whom before the last run.
    logged: BTreeSet<(Fact, Fact)>,
    table: Table,
    /// True once a decision or an incumbent exists: a fresh workspace would not know of them.
    has_log: bool,
}

#[test]
fn random_histories_agree_with_the_second_reading() {
    // A history that fails prints itself; the others still run.
    let outcomes: Vec<Result<Table, u64>> = std::thread::scope(|scope| {
        let halves = SEEDS.chunks(SEEDS.len().div_ceil(2));
        let one =
            |seed: u64| std::panic::catch_unwind(|| history(seed, Some(Program::new()))).map_err(|_| seed);
        let threads: Vec<_> = halves
            .map(|seeds| scope.spawn(move || seeds.iter().map(|seed| one(*seed)).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let failed: Vec<u64> = outcomes.iter().filter_map(|outcome| outcome.as_ref().err().copied()).collect();
    assert!(failed.is_empty(), "these seeds failed, see above: {failed:?}");
    let tables = outcomes.into_iter().filter_map(Result::ok);
    let mut total = Table::default();
    for table in tables {
        total.add(&table);
    }
    println!("{total}");
    total.check_floors();
}

/// The second reading itself does not depend on the order in which its inputs come, over many more histories.
#[test]
fn the_second_reading_does_not_depend_on_order() {
    let mut total = Table::default();
    for seed in 100..130 {
        total.add(&history(seed, None));
    }
    println!("{total}");
}

fn history(seed: u64, program: Option<Program>) -> Table {
    let mut history = History {
        seed,
        dice: Dice::new(seed),
        universe: action::first_universe(),
        memory: Memory::default(),
        program,
        removed: BTreeMap::new(),
        told: Vec::new(),
        runs: 0,
        decisions: 0,
        logged: BTreeSet::new(),
        table: Table::default(),
        has_log: false,
    };
    history.run(None);
    while history.runs < RUNS {
        let count = 1 + history.dice.below(4);
        for _ in 0..count {
            history.act();
        }
        let stop = (history.dice.below(4) == 0).then(|| history.dice.below(1000));
        history.run(stop);
    }
    history.table
}

impl History {
    /// Draws one action and carries it out.
    fn act(&mut self) {
        let draw = Draw { universe: &self.universe, removed: &self.removed, memory: &self.memory };
        let Some(action) = draw.action(&mut self.dice) else { return };
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
            Action::Decide { pick, approve } => self.decide(pick, approve),
            Action::Undo => self.undo(),
            other => other.apply(&mut self.universe),
        }
    }

    /// Runs the program over what is on disk and compares everything.
    fn run(&mut self, stop: Option<usize>) {
        self.told.push(stop.map_or("run".to_owned(), |at| format!("stop at step {at}, run")));
        self.runs += 1;
        self.table.count("run");
        self.universe.accept(&mut self.memory);
        self.table.reach(&self.memory.withheld);
        let mut inputs = self.universe.inputs(&self.memory);
        let expected = fold(&inputs);
        self.table.reach(&expected.reached);
        self.has_log |= !expected.incumbents.is_empty();
        self.logged = inputs.incumbents.clone();
        self.memory.last = expected.clone();
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

        let generations = program.generations();
        program.run();
        self.expect(program, generations == program.generations(), "a second run made a generation");
        self.expect(program, program.found() == found, "a second run changed the graph");
        let complaint = program.verify();
        self.expect(program, complaint.is_none(), complaint.as_deref().unwrap_or_default());
        if self.runs.is_multiple_of(AFRESH_EVERY) {
            self.compare_afresh(program, &found);
        }
    }

    /// A workspace that is built in one run says the same, and one that is replayed from the changelog has the
    /// same history.
    fn compare_afresh(&mut self, program: &Program, found: &program::Found) {
        let complaint = program.replay();
        self.expect(program, complaint.is_none(), complaint.as_deref().unwrap_or_default());
        self.table.count("replayed");
        if self.has_log || !self.memory.kept.is_empty() || !self.memory.withheld.is_empty() {
            return;
        }
        let mut fresh = Program::new();
        fresh.write(&self.universe.files());
        fresh.run();
        let fresh = fresh.found();
        self.compare(program, "edges of a fresh workspace", &fresh.edges, &found.edges);
        self.compare(program, "evidence of a fresh workspace", &fresh.evidence, &found.evidence);
        self.compare(program, "quarantine of a fresh workspace", &fresh.quarantine, &found.quarantine);
        self.table.count("built afresh");
    }

    /// Answers one question out of last night's quarantine.
    fn decide(&mut self, pick: usize, approve: bool) {
        let Some((_, waiting)) = self.memory.last.waiting.get(pick).cloned() else { return };
        let Origin::Document(document) = &waiting.origin else { return };
        if let Some(program) = &self.program {
            program.decide(document, &waiting.quote, approve);
        }
        self.decisions += 1;
        let number = self.decisions;
        self.has_log = true;
        self.memory.decisions.push(Decision {
            number,
            fact: waiting.claim.fact.clone(),
            document: document.clone(),
            quote: waiting.quote.clone(),
            approve,
        });
    }

    /// Takes the last decision back.
    fn undo(&mut self) {
        // A decision has its number once a run has carried it out.
        self.run(None);
        let Some(decision) = self.memory.decisions.pop() else { return };
        self.decisions += 1;
        if let Some(program) = &self.program {
            program.undo(decision.number);
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
