//! Random histories: whatever comes and goes, the ledger's sums are those of a plain set of facts.

use std::collections::{BTreeMap, BTreeSet};

use super::{Census, Context, Entry, Example, Ledger, Segment, context};
use crate::model::cause::{Cause, Change};
use crate::model::id::FactId;

/// Pseudo-random numbers of a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % most
    }
}

const TYPES: [&str; 3] = ["uses", "makes", "supplies"];
const SOURCES: [&str; 3] = ["letters", "bom", "vendors"];
const CAUSES: [Cause; 4] = [Cause::TextRemoved, Cause::NewDocument, Cause::FeedRow, Cause::Curator];

/// Fact → the sources that attest it; its number tells its type.
type Facts = BTreeMap<u64, BTreeSet<String>>;

fn type_of(fact: u64) -> &'static str {
    TYPES[(fact % 3) as usize]
}

fn census_of(facts: &Facts) -> Census {
    let mut census = Census::default();
    for (fact, sources) in facts {
        *census.edge_types.entry(type_of(*fact).to_owned()).or_default() += 1;
        for source in sources {
            let segment = Segment { edge_type: type_of(*fact).to_owned(), source: source.clone() };
            *census.segments.entry(segment).or_default() += 1;
        }
    }
    census
}

#[test]
fn sums_hold_under_random_histories() {
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let mut facts = Facts::new();
        for night in 0..6 {
            let before = facts.clone();
            let mut ledger = Ledger::new(census_of(&before));
            for fact in 0..30 {
                let sources = |dice: &mut Dice| -> BTreeSet<String> {
                    SOURCES.iter().filter(|_| dice.below(3) == 0).map(|name| (*name).to_owned()).collect()
                };
                if dice.below(2) == 0 {
                    continue;
                }
                let (was, is) = (before.get(&fact).cloned().unwrap_or_default(), sources(&mut dice));
                let change = match (was.is_empty(), is.is_empty()) {
                    (true, true) => continue,
                    (true, false) => Change::Added,
                    (false, true) => Change::Retracted,
                    (false, false) if dice.below(2) == 0 => Change::SupportOnly,
                    (false, false) => Change::Changed { revived: dice.below(2) == 0 },
                };
                ledger.record(&Entry {
                    fact: FactId::of(&[&fact.to_string()]),
                    edge_type: type_of(fact),
                    before: &was,
                    after: &is,
                    change,
                    cause: CAUSES[dice.below(4) as usize],
                    rules: &BTreeMap::new(),
                    example: &|_| Example::default(),
                });
                match is.is_empty() {
                    true => drop(facts.remove(&fact)),
                    false => drop(facts.insert(fact, is)),
                }
            }
            let counted = census_of(&facts);
            let report = ledger.finish(&Context { counted: Some(&counted), ..context() });
            let report = report.unwrap_or_else(|wrong| panic!("seed {seed}, night {night}: {wrong}"));
            for row in report.segments.iter().chain(&report.edge_types) {
                assert_eq!(row.before + row.tally.added, row.after + row.tally.retracted, "seed {seed}");
                let by_cause: u64 = row.causes.values().map(|tally| tally.retracted).sum();
                assert_eq!(by_cause, row.tally.retracted, "each change has one cause");
            }
        }
    }
}
