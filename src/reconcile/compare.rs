//! What became of a fact from one state to the next.
//!
//! In: a fact before and after. Out: the kind of change, or nothing. Knows no cause.

use std::collections::BTreeSet;

use crate::model::cause::Change;
use crate::model::fact::{CutBy, Fact};

/// Compares two states of one fact.
///
/// | before | after | change |
/// |---|---|---|
/// | - | - | none |
/// | - | a fact | added |
/// | a fact | - | retracted |
/// | a fact | other intervals, precision or properties | changed |
/// | a fact | the same edges, other attestations or causes of an end | support only |
/// | a fact | the same | none |
pub fn differences(before: Option<&Fact>, after: Option<&Fact>) -> Option<Change> {
    match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some(Change::Added),
        (Some(_), None) => Some(Change::Retracted),
        (Some(before), Some(after)) if before.edges != after.edges => {
            Some(Change::Changed { revived: revived(before, after) })
        }
        (Some(before), Some(after)) => (before != after).then_some(Change::SupportOnly),
    }
}

/// True if an edge holds on the day of a cut whose cause is gone. A cause that only moved to another day
/// is a correction, not a revival.
fn revived(before: &Fact, after: &Fact) -> bool {
    let causes: BTreeSet<&CutBy> = after.cuts.iter().map(|cut| &cut.by).collect();
    before
        .cuts
        .iter()
        .filter(|cut| !causes.contains(&cut.by))
        .any(|cut| after.edges.iter().any(|edge| edge.interval.contains(cut.on)))
}
