//! How often each action happened and each case was reached, with the floor below which the test is worthless.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Counts by name.
#[derive(Clone, Default, Debug)]
pub(super) struct Table {
    actions: BTreeMap<&'static str, usize>,
    cases: BTreeMap<&'static str, usize>,
}

/// What the fold calls it, the numbers of the cases, and how often it must be reached in all.
const CASES: [(&str, &str, usize); 24] = [
    ("two edges", "3, 34", 3),
    ("united", "4, 5, 24", 40),
    ("joins", "15, 16", 40),
    ("interval-empty", "6", 40),
    ("ended by a newcomer", "31, 33, 34, 38", 40),
    ("conflict", "35, 36, 37", 40),
    ("superseded", "41, 42, 43", 10),
    ("supersedes", "41", 10),
    ("date-missing", "46", 5),
    ("denied", "48", 5),
    ("end waits", "49", 10),
    ("amended", "27", 5),
    ("contradicts-master", "59", 5),
    ("endpoint-unknown", "61, 62", 10),
    ("confidence-low", "60", 5),
    ("review-required", "71", 3),
    ("rejected", "70", 10),
    ("cycle", "44", 5),
    ("parse-loss", "30", 2),
    ("unproven", "26", 2),
    ("feed", "57", 5),
    ("loss accepted", "30", 1),
    ("scope accepted", "26", 1),
    ("feed accepted", "57", 2),
];

/// Actions and how often each must happen.
const ACTIONS: [(&str, usize); 43] = [
    ("insert", 20),
    ("edit", 10),
    ("delete", 5),
    ("twice", 1),
    ("shift", 2),
    ("carry", 2),
    ("redate", 1),
    ("remove", 2),
    ("restore", 1),
    ("rename", 1),
    ("add row", 2),
    ("drop row", 1),
    ("change row", 1),
    ("empty list", 3),
    ("entity gone", 5),
    ("entity back", 2),
    ("break", 2),
    ("mend", 2),
    ("unmount", 2),
    ("mount", 2),
    ("threshold", 2),
    ("at most one", 2),
    ("confidence", 1),
    ("rule", 2),
    ("review", 1),
    ("accept feed", 5),
    ("accept scope", 5),
    ("approve", 2),
    ("reject", 5),
    ("correct a date", 1),
    ("correct an endpoint", 1),
    ("undo", 2),
    ("add entity by hand", 1),
    ("remove entity by hand", 2),
    ("add edge by hand", 5),
    ("end edge by hand", 2),
    ("add event by hand", 1),
    ("undo edit", 2),
    ("run", 100),
    ("stop", 10),
    ("replayed", 10),
    ("built afresh", 1),
    ("second run", 100),
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
