//! How often each action happened and each case was reached, with the floor below which the test is worthless.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Counts by name.
#[derive(Clone, Default, Debug)]
pub(super) struct Table {
    actions: BTreeMap<&'static str, usize>,
    cases: BTreeMap<&'static str, usize>,
}

/// A floor of 0 is an excuse: the four short histories do not reach it; only worked cases elsewhere do.
/// What the fold calls it, the numbers of the cases, and how often it must be reached in all.
const CASES: [(&str, &str, usize); 21] = [
    ("two edges", "3, 34", 0),
    ("united", "4, 5, 24", 10),
    ("joins", "15, 16", 10),
    ("interval-empty", "6", 3),
    ("ended by a newcomer", "31, 33, 34, 38", 10),
    ("conflict", "35, 36, 37", 10),
    ("superseded", "41, 42, 43", 0),
    ("supersedes", "41", 0),
    ("date-missing", "46", 0),
    ("denied", "48", 0),
    ("end waits", "49", 3),
    ("amended", "27", 3),
    ("contradicts-master", "59", 0),
    ("endpoint-unknown", "61, 62", 3),
    ("confidence-low", "60", 3),
    ("review-required", "71", 0),
    ("rejected", "70", 3),
    ("cycle", "44", 0),
    ("parse-loss", "30", 1),
    ("unproven", "26", 1),
    ("feed", "57", 1),
];

/// Actions and how often each must happen.
const ACTIONS: [(&str, usize); 22] = [
    ("insert", 10),
    ("edit", 5),
    ("delete", 4),
    ("twice", 1),
    ("redate", 1),
    ("remove", 3),
    ("restore", 1),
    ("rename", 1),
    ("add row", 1),
    ("drop row", 1),
    ("change row", 1),
    ("entity gone", 1),
    ("entity back", 0),
    ("threshold", 0),
    ("at most one", 0),
    ("confidence", 1),
    ("approve", 3),
    ("reject", 3),
    ("undo", 0),
    ("run", 32),
    ("stop", 5),
    ("replayed", 0),
];

impl Table {
    pub(super) fn count(&mut self, action: &'static str) {
        *self.actions.entry(action).or_default() += 1;
    }

    pub(super) fn reach(&mut self, cases: &BTreeSet<&'static str>) {
        for case in cases {
            *self.cases.entry(case).or_default() += 1;
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (name, count) in &other.actions {
            *self.actions.entry(name).or_default() += count;
        }
        for (name, count) in &other.cases {
            *self.cases.entry(name).or_default() += count;
        }
    }

    /// Fails if something that the histories are for did not happen often enough.
    pub(super) fn check_floors(&self) {
        let seldom = |counts: &BTreeMap<&str, usize>, name: &str, floor: usize| {
            let count = counts.get(name).copied().unwrap_or_default();
            (count < floor).then(|| format!("{name}: {count} of {floor}"))
        };
        let mut lacking: Vec<String> =
            ACTIONS.iter().filter_map(|(name, floor)| seldom(&self.actions, name, *floor)).collect();
        lacking.extend(CASES.iter().filter_map(|(name, _, floor)| seldom(&self.cases, name, *floor)));
        assert!(lacking.is_empty(), "reached too seldom: {}", lacking.join(", "));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in &self.actions {
            writeln!(f, "{count:6}  {name}")?;
        }
        for (name, count) in &self.cases {
            let numbers =
                CASES.iter().find(|(known, ..)| known == name).map_or("", |(_, numbers, _)| numbers);
            writeln!(f, "{count:6}  runs with {name} (cases {numbers})")?;
        }
        Ok(())
    }
}
