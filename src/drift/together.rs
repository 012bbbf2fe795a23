//! One finding for each cause: what several guards found of one source and one cause is told once.
//!
//! In: what the guards found. Out: for each source and leading cause one finding, that of the first guard in the
//! order of [`Guard::ALL`] among the worst; what the others found stands beside it.

use std::collections::BTreeMap;

use crate::drift::EXAMPLES;
use crate::drift::report::{Also, Finding, Segment};
use crate::model::gates::{Gate, Guard};

/// Makes one finding of those with one cause.
pub(super) fn together(found: Vec<Finding>) -> Vec<Finding> {
    let mut causes: BTreeMap<(String, String), Vec<Finding>> = BTreeMap::new();
    let (mut alone, mut totals) = (Vec::new(), Vec::new());
    for finding in found {
        match (of(&finding.rule), leading(&finding)) {
            (Some(Guard::Totals), _) => totals.push(finding),
            (Some(guard), cause) if takes_part(guard) => {
                let place = (finding.segment.source.clone(), cause.unwrap_or_default());
                causes.entry(place).or_default().push(finding);
            }
            _ => alone.push(finding),
        }
    }
    let mut one_each: Vec<Finding> = causes.into_values().filter_map(one).collect();
    // A total that fell for a reason that is told needs no telling.
    totals.retain(|total| {
        let explains = |finding: &Finding| {
            finding.severity >= total.severity
                && (finding.segment.edge_type == total.segment.edge_type || finding.segment.edge_type == "*")
                && leading(finding) == leading(total)
        };
        !one_each.iter().any(explains)
    });
    one_each.append(&mut alone);
    one_each.append(&mut totals);
    one_each
}

/// True of guards that may find the same loss.
fn takes_part(guard: Guard) -> bool {
    matches!(
        guard,
        Guard::Unexplained
            | Guard::Audit
            | Guard::Planned
            | Guard::Emptied
            | Guard::Replaced
            | Guard::SilentDocuments
            | Guard::SameDocuments
            | Guard::Retractions
    )
}

fn of(rule: &str) -> Option<Guard> {
    Guard::ALL.into_iter().find(|guard| guard.code() == rule)
}

/// The cause of most of what a finding is about; what a person planned is one cause.
fn leading(finding: &Finding) -> Option<String> {
    let most = finding.causes.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)))?;
    Some(most.0.clone())
}

/// One finding of several with one cause.
fn one(mut found: Vec<Finding>) -> Option<Finding> {
    let rank = |finding: &Finding| (std::cmp::Reverse(finding.severity), of(&finding.rule));
    let place = |finding: &Finding| (finding.segment.edge_type == "*", std::cmp::Reverse(finding.count));
    found.sort_by(|one, other| {
        rank(one)
            .cmp(&rank(other))
            .then_with(|| place(one).cmp(&place(other)))
            .then_with(|| one.segment.cmp(&other.segment))
    });
    let mut rest = found.into_iter();
    let mut head = rest.next()?;
    for other in rest {
        if other.severity == head.severity && other.gate == Gate::Block {
            head.gate = Gate::Block;
        }
        // What may be told of one edge type may be guarded by labels in another.
        if ["*", &other.segment.edge_type].contains(&head.segment.edge_type.as_str()) {
            head.examples.extend(other.examples);
        }
        head.documents.extend(other.documents);
        let also = Also {
            rule: other.rule,
            severity: other.severity,
            segment: other.segment,
            before: other.before,
            after: other.after,
            count: other.count,
        };
        // A source with one edge type says the same of both.
        let counts = |also: &Also| (also.rule.clone(), also.before, also.after, also.count);
        let is_same = |segment: &Segment, of: (String, u64, u64, u64)| {
            let in_all = segment.edge_type == "*" || also.segment.edge_type == "*";
            in_all && of == counts(&also)
        };
        let is_head = is_same(&head.segment, (head.rule.clone(), head.before, head.after, head.count));
        if !is_head && !head.also.iter().any(|known| is_same(&known.segment, counts(known))) {
            head.also.push(also);
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    head.examples.retain(|example| seen.insert(example.fact.clone()));
    head.examples.truncate(EXAMPLES);
    head.documents.sort();
    head.documents.dedup();
    Some(head)
}
