//! Edges by date: those that hold on a day or in some days, begin or end in them.

use std::collections::{BTreeMap, HashSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::bounds::{Bounds, Cut, CutView};
use super::on_demand::OnDemand;
use super::tell::{AskEdge, Head, Proofs, proofs_of};
use super::trail::{Pass, Way};
use crate::diag::count;
use crate::model::fact::{Edge, Fact};
use crate::model::id::{EntityKey, FactId};
use crate::model::time::Interval;
use crate::serve::{Error, Graph, State};

/// Which edges, by their days. Days are given as people do: the last one belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Those that hold on the lens's day.
    Day,
    /// Those that hold on one of these days.
    Hold(Option<Date>, Option<Date>),
    /// Those whose first day is one of these.
    Begin(Option<Date>, Option<Date>),
    /// Those whose last day is one of these.
    End(Option<Date>, Option<Date>),
}

impl Window {
    fn admits(self, interval: &Interval, day: Date) -> bool {
        let within = |day: Option<Date>, first: Option<Date>, last: Option<Date>| {
            day.is_some_and(|day| {
                first.is_none_or(|first| first <= day) && last.is_none_or(|last| day <= last)
            })
        };
        match self {
            Self::Day => interval.contains(day),
            // Half-open against inclusive: it begins by the last day, and ends after the first.
            Self::Hold(first, last) => {
                let begins = interval.from().is_none_or(|from| last.is_none_or(|last| from <= last));
                let ends = interval.to().is_none_or(|to| first.is_none_or(|first| first < to));
                begins && ends
            }
            Self::Begin(first, last) => within(interval.from(), first, last),
            Self::End(first, last) => within(interval.to().and_then(|to| to.yesterday().ok()), first, last),
        }
    }

    fn says(self, day: Date) -> String {
        let days = |first: Option<Date>, last: Option<Date>| match (first, last) {
            (None, None) => "on any day".to_owned(),
            (Some(first), None) => format!("on or after {first}"),
            (None, Some(last)) => format!("on or before {last}"),
            (Some(first), Some(last)) if first == last => format!("on {first}"),
            (Some(first), Some(last)) => format!("in {first} to {last}"),
        };
        match self {
            Self::Day => format!("hold on {day}"),
            Self::Hold(first, last) => format!("hold {}", days(first, last)),
            Self::Begin(first, last) => format!("begin {}", days(first, last)),
            Self::End(first, last) => format!("have their last day {}", days(first, last)),
        }
    }
}

/// Edges by date.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EdgesView {
    /// Of when it is.
    #[serde(flatten)]
    pub head: Head,
    /// The answer in a sentence.
    pub says: String,
    /// The edges, by start, type, subject and object; an unknown start first.
    pub edges: Vec<AskEdge>,
    /// How many there are; more than are listed where the list was cut.
    pub of: usize,
    /// Where a bound cut the search.
    pub cut: Option<CutView>,
}

/// The order of the answer.
type Place = (Option<Date>, String, EntityKey, EntityKey, FactId);

/// The edges of some entities (of all, if none are given) in a window. It holds `bounds.nodes` edges at most.
pub fn edges(
    graph: &Graph<'_>,
    of: Option<&[EntityKey]>,
    passes: &[Pass],
    window: Window,
    bounds: &Bounds<'_>,
    proofs: Proofs,
) -> Result<EdgesView, Error> {
    let day = graph.lens().day();
    let mut kept: BTreeMap<Place, (Fact, Edge)> = BTreeMap::new();
    let (mut number, mut late) = (0, false);
    let mut keep = |fact: &Fact, seen: Vec<Edge>| {
        for edge in seen.into_iter().filter(|edge| window.admits(&edge.interval, day)) {
            let place = (
                edge.interval.from(),
                fact.edge_type.clone(),
                fact.subject.clone(),
                fact.object.clone(),
                fact.id,
            );
            number += 1;
            kept.insert(place, (fact.clone(), edge));
            if kept.len() > bounds.nodes {
                kept.pop_last();
            }
        }
    };
    match of {
        Some(keys) => {
            // Between two of the entities an edge is found from both.
            let mut met: HashSet<FactId> = HashSet::new();
            for key in keys {
                for (fact, seen) in graph.facts_of(key)? {
                    let admitted = passes.is_empty() || passes.iter().any(|pass| from(pass, &fact, key));
                    if admitted && met.insert(fact.id) {
                        keep(&fact, seen);
                    }
                }
                late |= (bounds.late)();
                if late {
                    break;
                }
            }
        }
        None => graph.view().each_while(|fact: Fact| {
            let typed = |pass: &Pass| pass.edge_type.as_ref().is_none_or(|name| *name == fact.edge_type);
            if passes.is_empty() || passes.iter().any(typed) {
                let seen = graph.edges(&fact)?;
                keep(&fact, seen);
            }
            late = (bounds.late)();
            Ok::<bool, Error>(!late)
        })?,
    }
    let mut told = Vec::new();
    for (index, (fact, edge)) in kept.values().enumerate() {
        let (evidence, more_evidence) = proofs_of(graph, fact, &edge.interval, proofs)?;
        told.push(AskEdge {
            number: index + 1,
            fact: fact.id.to_string(),
            edge_type: fact.edge_type.clone(),
            subject: graph.endpoint(&fact.subject)?,
            object: graph.endpoint(&fact.object)?,
            valid_from: edge.interval.from(),
            valid_to: edge.interval.to(),
            end_unknown: edge.end_unknown,
            state: State::of(&edge.interval, day),
            evidence,
            more_evidence,
        });
    }
    let cut = Cut { nodes: (number > told.len()).then_some(bounds.nodes), late, ..Cut::default() };
    let what = count(number, "edge");
    let says = match number {
        0 => format!("no edges {}", window.says(day)),
        _ if number > told.len() => format!("{} of {what} that {}", told.len(), window.says(day)),
        _ => format!("{what} that {}", window.says(day)),
    };
    // Such a cut names no node, so nothing need be read for it.
    let cut = cut.view(&OnDemand::new(graph, 0), bounds.fan)?;
    Ok(EdgesView { head: Head::of(graph), says, edges: told, of: number, cut })
}

/// True if an edge may be taken from one of its ends.
fn from(pass: &Pass, fact: &Fact, end: &EntityKey) -> bool {
    let typed = pass.edge_type.as_ref().is_none_or(|name| *name == fact.edge_type);
    typed
        && match pass.way {
            Way::Out => fact.subject == *end,
            Way::In => fact.object == *end,
            Way::Either => true,
        }
}
