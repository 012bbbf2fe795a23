//! The score: questions and what the graph says in, figures out. Pure; names are resolved before, and explained after.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::golden::Told;
use crate::model::time::Date;

/// A pair of endpoints: subject and object, as keys; a name that nobody has stands for itself.
pub(super) type Pair = (String, String);

/// What is told of an interval: its start and its exclusive end.
pub(super) type ToldInterval = (Told, Told);

/// An edge that must be found: of one of these types, between these two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    /// Between whom.
    pub(super) pair: Pair,
    /// Any of these types is right; a miss counts under the first.
    pub(super) types: Vec<String>,
    /// Types that are right as well, and do not answer it: a wider row of the same pair takes them.
    pub(super) also: Vec<String>,
    /// What its rows tell of the intervals.
    pub(super) told: Vec<ToldInterval>,
    /// The lines of its rows.
    pub(super) lines: Vec<u32>,
}

/// What the graph says of a pair: all facts of a type, with their intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    /// Between whom.
    pub(super) pair: Pair,
    /// The edge type.
    pub(super) edge_type: String,
    /// Its intervals: start and exclusive end.
    pub(super) intervals: Vec<(Option<Date>, Option<Date>)>,
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is answered.
    Hit {
        /// By which of what the graph says.
        by: usize,
        /// Whether it begins as told; `None` if nothing is told.
        from: Option<bool>,
        /// Whether it ends as told.
        to: Option<bool>,
    },
    /// It is not.
    Miss,
}

/// Counts of one edge type, of a group, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    pub(super) hits: u64,
    pub(super) false_positives: u64,
    pub(super) misses: u64,
    /// Hits of which a start is told, and of these the right ones.
    pub(super) from_told: u64,
    pub(super) from_right: u64,
    /// The same of ends.
    pub(super) to_told: u64,
    pub(super) to_right: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.false_positives += other.false_positives;
        self.misses += other.misses;
        self.from_told += other.from_told;
        self.from_right += other.from_right;
        self.to_told += other.to_told;
        self.to_right += other.to_right;
    }
}

/// The score.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Scored {
    /// What became of each question, in their order.
    pub(super) outcomes: Vec<Outcome>,
    /// What the graph says and nothing asks for or excuses, by number.
    pub(super) false_positives: Vec<usize>,
    /// By edge type.
    pub(super) types: BTreeMap<String, Tally>,
    /// Over all.
    pub(super) all: Tally,
}

/// Rows of one question put together. Two rows that ask for the same types of a pair are one question; and one that
/// takes any of several types is that which takes only some of them, if there is one: what answers that answers both,
/// and what only the wider one takes is not wrong.
pub(super) fn merged(questions: impl IntoIterator<Item = Question>) -> Vec<Question> {
    let mut by_pair: BTreeMap<Pair, Vec<Question>> = BTreeMap::new();
    for question in questions {
        by_pair.entry(question.pair.clone()).or_default().push(question);
    }
    let mut merged = Vec::new();
    for mut questions in by_pair.into_values() {
        let set = |question: &Question| question.types.iter().cloned().collect::<BTreeSet<String>>();
        // The narrow ones first, each where it first stands.
        questions.sort_by_key(|question| set(question).len());
        let mut kept: Vec<Question> = Vec::new();
        for question in questions {
            let types = set(&question);
            match kept.iter_mut().find(|narrow| set(narrow).is_subset(&types)) {
                Some(narrow) => {
                    narrow.also.extend(question.types.into_iter().chain(question.also));
                    narrow.told.extend(question.told);
                    narrow.lines.extend(question.lines);
                }
                None => kept.push(question),
            }
        }
        merged.extend(kept);
    }
    for question in &mut merged {
        question.told.sort();
        question.told.dedup();
        question.lines.sort_unstable();
    }
    merged
}

/// Scores what the graph says against merged questions. `may` are pairs that may be found: what is said of them and
/// answers no question counts neither way. `known` has each pair and type once.
///
/// A hit counts under the type by which it is answered, a miss under the first type of the question.
pub(super) fn score(questions: &[Question], may: &BTreeSet<Pair>, known: &[Known]) -> Scored {
    let mut by_pair: BTreeMap<&Pair, Vec<usize>> = BTreeMap::new();
    for (at, one) in known.iter().enumerate() {
        by_pair.entry(&one.pair).or_default().push(at);
    }
    let mut scored = Scored::default();
    let mut answering: BTreeSet<usize> = BTreeSet::new();
    for question in questions {
        let of_pair = by_pair.get(&question.pair).map(Vec::as_slice).unwrap_or_default();
        let by_type = |kind: &String| of_pair.iter().copied().find(|at| known[*at].edge_type == *kind);
        let answers: Vec<usize> = question.types.iter().filter_map(by_type).collect();
        answering.extend(&answers);
        answering.extend(question.also.iter().filter_map(by_type));
        let outcome = match answers.first() {
            Some(by) => {
                let intervals: Vec<_> =
                    answers.iter().flat_map(|at| known[*at].intervals.iter().copied()).collect();
                let (from, to) = agreement(&question.told, &intervals);
                Outcome::Hit { by: *by, from, to }
            }
            None => Outcome::Miss,
        };
        let counted = match outcome {
            Outcome::Hit { by, .. } => Some(&known[by].edge_type),
            Outcome::Miss => question.types.first(),
        };
        if let Some(kind) = counted {
            scored.types.entry(kind.clone()).or_default().add(&counts(outcome));
        }
        scored.outcomes.push(outcome);
    }
    for (at, one) in known.iter().enumerate() {
        if !answering.contains(&at) && !may.contains(&one.pair) {
            scored.types.entry(one.edge_type.clone()).or_default().false_positives += 1;
            scored.false_positives.push(at);
        }
    }
    scored.types.values().for_each(|tally| scored.all.add(tally));
    scored
}

fn counts(outcome: Outcome) -> Tally {
    match outcome {
        Outcome::Hit { from, to, .. } => Tally {
            hits: 1,
            from_told: u64::from(from.is_some()),
            from_right: u64::from(from == Some(true)),
            to_told: u64::from(to.is_some()),
            to_right: u64::from(to == Some(true)),
            ..Tally::default()
        },
        Outcome::Miss => Tally { misses: 1, ..Tally::default() },
    }
}

/// Whether starts and ends are as told: each interval that is told is compared with the one that agrees best.
fn agreement(told: &[ToldInterval], known: &[(Option<Date>, Option<Date>)]) -> (Option<bool>, Option<bool>) {
    let (mut from, mut to) = (None, None);
    let both = |so_far: Option<bool>, one: Option<bool>| match (so_far, one) {
        (None, one) => one,
        (so_far, None) => so_far,
        (Some(a), Some(b)) => Some(a && b),
    };
    for one in told {
        if let Some(best) = best(one, known) {
            from = both(from, one.0.agrees(best.0));
            to = both(to, one.1.agrees(best.1));
        }
    }
    (from, to)
}

/// Of some intervals the one that agrees best with what is told: in both bounds, else in the start, else in the end.
pub(super) fn best(
    told: &ToldInterval,
    known: &[(Option<Date>, Option<Date>)],
) -> Option<(Option<Date>, Option<Date>)> {
    let rank = |one: &(Option<Date>, Option<Date>)| {
        let (from, to) = (told.0.agrees(one.0) == Some(true), told.1.agrees(one.1) == Some(true));
        2 * u8::from(from) + u8::from(to)
    };
    // The first of equals, so that the answer does not depend on how many there are.
    known.iter().copied().rev().max_by_key(rank)
}

/// The counts of a group: its types are taken for one.
pub(super) fn together(
    name: &str,
    group: &[String],
    questions: &[Question],
    may: &BTreeSet<Pair>,
    known: &[Known],
) -> Tally {
    let renamed = |kind: &String| if group.contains(kind) { name.to_owned() } else { kind.clone() };
    let asked = questions.iter().map(|question| {
        let mut types: Vec<String> = Vec::new();
        for kind in question.types.iter().map(renamed) {
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
        let also = question.also.iter().map(renamed).collect();
        Question { types, also, ..question.clone() }
    });
    let mut of_group: BTreeMap<(Pair, String), Known> = BTreeMap::new();
    for one in known {
        let edge_type = renamed(&one.edge_type);
        let entry = of_group.entry((one.pair.clone(), edge_type.clone())).or_insert_with(|| Known {
            pair: one.pair.clone(),
            edge_type,
            intervals: Vec::new(),
        });
        entry.intervals.extend(&one.intervals);
    }
    let known: Vec<Known> = of_group.into_values().collect();
    score(&merged(asked), may, &known).types.get(name).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [&str; 3] = ["a", "b", "c"];

    fn day(number: u64) -> Date {
        Date::new(2024, 1, i8::try_from(number % 5 + 1).unwrap()).unwrap()
    }

    /// Numbers that look like chance and are the same each time.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % most
        }

        fn pair(&mut self) -> Pair {
            (format!("S{}", self.below(3)), format!("O{}", self.below(3)))
        }

        fn told(&mut self) -> Told {
            match self.below(4) {
                0 => Told::Silent,
                1 => Told::Open,
                _ => {
                    let first = day(self.below(5));
                    Told::Within(first, first.tomorrow().unwrap())
                }
            }
        }

        fn question(&mut self) -> Question {
            let mut types: Vec<String> = Vec::new();
            for _ in 0..=self.below(3) {
                let kind = TYPES[self.below(3) as usize].to_owned();
                if !types.contains(&kind) {
                    types.push(kind);
                }
            }
            let told = vec![(self.told(), self.told())];
            Question { pair: self.pair(), types, also: Vec::new(), told, lines: vec![self.below(100) as u32] }
        }

        fn known(&mut self) -> Vec<Known> {
            let mut known: BTreeMap<(Pair, String), Known> = BTreeMap::new();
            for _ in 0..self.below(12) {
                let (pair, edge_type) = (self.pair(), TYPES[self.below(3) as usize].to_owned());
                let mut bound = || (self.below(4) > 0).then(|| day(self.below(5)));
                let intervals = vec![(bound(), bound())];
                known.insert((pair.clone(), edge_type.clone()), Known { pair, edge_type, intervals });
            }
            known.into_values().collect()
        }
    }

    /// (hits, false ones, misses) of all, and hits of which each bound is wrong, by walking over everything.
    fn naive(questions: &[Question], may: &BTreeSet<Pair>, known: &[Known]) -> (u64, u64, u64) {
        let has = |set: &[String], kind: &str| set.iter().any(|one| one == kind);
        // A question that takes more types than another of its pair says nothing beside it.
        let counts = |at: usize| {
            let one = &questions[at];
            !questions.iter().enumerate().any(|(other_at, other)| {
                let subset = other.types.iter().all(|kind| has(&one.types, kind));
                let smaller = other.types.len() < one.types.len()
                    || (other.types.len() == one.types.len() && other_at < at);
                other_at != at && other.pair == one.pair && subset && smaller
            })
        };
        let answers = |question: &Question, one: &Known| {
            one.pair == question.pair && has(&question.types, &one.edge_type)
        };
        let (mut hits, mut misses) = (0, 0);
        for at in (0..questions.len()).filter(|at| counts(*at)) {
            if known.iter().any(|one| answers(&questions[at], one)) {
                hits += 1;
            } else {
                misses += 1;
            }
        }
        let wrong = known.iter().filter(|one| {
            !may.contains(&one.pair) && !questions.iter().any(|question| answers(question, one))
        });
        (hits, wrong.count() as u64, misses)
    }

    #[test]
    fn scores_agree_with_a_naive_twin() {
        let mut draw = Draw(7);
        let mut seen = [0_u64; 3];
        for _ in 0..3000 {
            let questions: Vec<Question> = (0..draw.below(10)).map(|_| draw.question()).collect();
            let may: BTreeSet<Pair> = (0..draw.below(3)).map(|_| draw.pair()).collect();
            let known = draw.known();
            let merged = merged(questions.clone());
            let scored = score(&merged, &may, &known);
            let all = (scored.all.hits, scored.all.false_positives, scored.all.misses);
            assert_eq!(all, naive(&questions, &may, &known), "{questions:?}\n{known:?}");
            assert_eq!(scored.false_positives.len() as u64, all.1);
            assert_eq!(scored.outcomes.len(), merged.len());
            assert!(scored.all.from_right <= scored.all.from_told && scored.all.to_told <= scored.all.hits);
            // Taken as one, three types are one type.
            let group: Vec<String> = TYPES.map(str::to_owned).to_vec();
            let one = together("any", &group, &merged, &may, &known);
            let pairs = |found: &mut dyn Iterator<Item = &Pair>| found.cloned().collect::<BTreeSet<Pair>>();
            let asked = pairs(&mut questions.iter().map(|question| &question.pair));
            let said = pairs(&mut known.iter().map(|one| &one.pair));
            let wrong = said.iter().filter(|pair| !asked.contains(*pair) && !may.contains(*pair)).count();
            assert_eq!(
                (one.hits, one.false_positives, one.misses),
                (
                    asked.intersection(&said).count() as u64,
                    wrong as u64,
                    asked.difference(&said).count() as u64
                )
            );
            for (sum, one) in seen.iter_mut().zip([all.0, all.1, all.2]) {
                *sum += one;
            }
        }
        assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
    }

    #[test]
    fn a_bound_is_right_if_every_told_interval_has_its_edge() {
        let (one, two, three) = (day(0), day(1), day(2));
        let within = |day: Date| Told::Within(day, day.tomorrow().unwrap());
        let edges = [(Some(one), Some(two)), (Some(three), None)];
        let agree = |told: &[ToldInterval]| agreement(told, &edges);
        assert_eq!(agree(&[(within(one), within(two))]), (Some(true), Some(true)));
        assert_eq!(
            agree(&[(within(one), within(two)), (within(three), Told::Open)]),
            (Some(true), Some(true))
        );
        assert_eq!(
            agree(&[(within(one), Told::Open)]),
            (Some(true), Some(false)),
            "the start tells which one"
        );
        assert_eq!(agree(&[(Told::Silent, Told::Open)]), (None, Some(true)));
        assert_eq!(agree(&[(within(two), Told::Silent)]), (Some(false), None));
        assert_eq!(agree(&[(Told::Within(one, three), within(two))]), (Some(true), Some(true)));
    }
}
