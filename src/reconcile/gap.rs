//! Days on which an at-most-one group has nobody, though it had somebody before.
//!
//! In: the facts of a group. Out: gaps. Fills none: what nobody states is reported, not guessed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::model::fact::{CutBy, Fact};
use crate::model::id::{EntityKey, FactId};
use crate::model::time::{Date, Interval};
use crate::ontology::Side;
use crate::reconcile::join::later;

/// Days on which nobody holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The edge type.
    pub edge_type: String,
    /// The entity that has nobody.
    pub of: EntityKey,
    /// The first such day.
    pub from: Date,
    /// The day on which somebody holds again, if anybody does.
    pub to: Option<Date>,
    /// The fact that held last before the gap.
    pub after: FactId,
}

impl Gap {
    /// The gap in words, with the entity called as a person calls it.
    pub fn told(&self, of: &str) -> String {
        let to = self.to.map(|to| format!(" to {to}")).unwrap_or_default();
        format!("{}: nobody for {of} from {}{to}", self.edge_type, self.from)
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(&self.of.to_string()))
    }
}

/// Finds the gaps between two edges, and after a bounded last one that had ended another.
pub(super) fn gaps(facts: &[Fact], side: Side) -> Vec<Gap> {
    let newcomers: BTreeSet<FactId> = facts
        .iter()
        .flat_map(|fact| &fact.cuts)
        .filter_map(|cut| match cut.by {
            CutBy::Newcomer(fact) => Some(fact),
            CutBy::Superseded(_) | CutBy::Ended(_) | CutBy::Left(_) => None,
        })
        .collect();
    let mut held: BTreeMap<&EntityKey, Vec<(Interval, &Fact)>> = BTreeMap::new();
    for fact in facts {
        let of = match side {
            Side::Subject => &fact.object,
            Side::Object => &fact.subject,
        };
        held.entry(of).or_default().extend(fact.edges.iter().map(|edge| (edge.interval, fact)));
    }
    held.into_iter().flat_map(|(of, held)| gaps_of(of, held, &newcomers)).collect()
}

fn gaps_of(of: &EntityKey, mut held: Vec<(Interval, &Fact)>, newcomers: &BTreeSet<FactId>) -> Vec<Gap> {
    held.sort_by_key(|(interval, fact)| (*interval, fact.id));
    let mut gaps = Vec::new();
    let mut last: Option<(Option<Date>, &Fact)> = None;
    for (interval, fact) in held {
        if let Some((Some(end), before)) = last
            && let Some(start) = interval.from().filter(|start| *start > end)
        {
            gaps.push(gap(of, before, end, Some(start)));
        }
        last = match last {
            Some((end, before)) if later(end, interval.to()) == end => Some((end, before)),
            _ => Some((interval.to(), fact)),
        };
    }
    if let Some((Some(end), fact)) = last
        && newcomers.contains(&fact.id)
    {
        gaps.push(gap(of, fact, end, None));
    }
    gaps
}

fn gap(of: &EntityKey, after: &Fact, from: Date, to: Option<Date>) -> Gap {
    Gap { edge_type: after.edge_type.clone(), of: of.clone(), from, to, after: after.id }
}
