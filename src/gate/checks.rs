//! The gate's checks: one function a check, each giving the reasons that it sees.
//!
//! In: an evaluated assertion and its circumstances. Out: reasons, in any order. A check knows no other
//! check; adding one is a function, a reason code, its page and a test.

use crate::gate::reading::{End, Evaluated};
use crate::gate::{CROWD, Circumstances};
use crate::model::assertion::Says;
use crate::model::fact::Reason;
use crate::model::id::EntityKey;
use crate::model::time::NoDate;
use crate::ontology::EdgeType;

/// A check.
type Check = fn(&Evaluated<'_>, &Circumstances<'_>) -> Vec<Reason>;

/// All checks. Their order does not matter: the reasons are sorted.
pub(super) const CHECKS: &[Check] = &[
    confidence,
    review,
    endpoints,
    domain_range,
    dates,
    start_of_superseding,
    interval,
    crowd,
    precision,
    withdrawn,
];

fn edge_type<'a>(evaluated: &Evaluated<'_>, circumstances: &Circumstances<'a>) -> Option<&'a EdgeType> {
    circumstances.ontology.edges.get(&evaluated.assertion.edge_type)
}

fn when(doubtful: bool, reason: Reason) -> Vec<Reason> {
    if doubtful { vec![reason] } else { Vec::new() }
}

/// The confidence of the rule, and of the program that it may name, against the edge type's threshold. A feed's row, and what a rule read that has
/// since left the ontology, is as sure as can be: whether it still counts is not a matter of confidence.
fn confidence(evaluated: &Evaluated<'_>, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    let rule = &evaluated.assertion.rule;
    let of_rule = circumstances.ontology.rule(rule).map_or(1.0, |rule| rule.confidence);
    let confidence = evaluated.assertion.confidence(of_rule);
    let threshold = edge_type(evaluated, circumstances).map_or(0.0, |edge| edge.threshold);
    when(confidence < threshold && !circumstances.confirmed, Reason::ConfidenceLow)
}

fn review(evaluated: &Evaluated<'_>, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    let under_review = edge_type(evaluated, circumstances).is_some_and(|edge| edge.review_always);
    when(under_review, Reason::ReviewRequired)
}

fn endpoints(evaluated: &Evaluated<'_>, _: &Circumstances<'_>) -> Vec<Reason> {
    [evaluated.subject, evaluated.object]
        .into_iter()
        .filter_map(|end| match end {
            End::Known(_) => None,
            End::Ambiguous(surface) => Some(Reason::EndpointAmbiguous { surface: surface.to_owned() }),
            End::Unknown(surface) => Some(Reason::EndpointUnknown { surface: surface.to_owned() }),
        })
        .collect()
}

/// The types of the endpoints that are known. An edge type that the ontology does not have takes none.
fn domain_range(evaluated: &Evaluated<'_>, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    let Some(edge) = edge_type(evaluated, circumstances) else {
        return vec![Reason::DomainRange];
    };
    let takes = |types: &[String], end: Option<&EntityKey>| {
        end.is_none_or(|key| types.iter().any(|name| name == key.entity_type()))
    };
    let (subject, object) = (evaluated.subject.known(), evaluated.object.known());
    let fits = takes(&edge.subject, subject) && takes(&edge.object, object);
    let fits_turned = edge.symmetric && takes(&edge.subject, object) && takes(&edge.object, subject);
    when(!fits && !fits_turned, Reason::DomainRange)
}

fn dates(evaluated: &Evaluated<'_>, _: &Circumstances<'_>) -> Vec<Reason> {
    [&evaluated.start, &evaluated.end]
        .into_iter()
        .filter_map(|bound| match bound {
            Ok(_) | Err(NoDate::Blank(_)) => None,
            Err(NoDate::Ambiguous(text)) => Some(Reason::DateAmbiguous { text: text.clone() }),
            Err(NoDate::Invalid(text)) => Some(Reason::DateInvalid { text: text.clone() }),
            Err(NoDate::Unanchored(_)) => Some(Reason::DateMissing),
        })
        .collect()
}

/// Without a start nobody knows from when on the object's text no longer holds.
fn start_of_superseding(evaluated: &Evaluated<'_>, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    let superseding = edge_type(evaluated, circumstances).is_some_and(|edge| edge.ends_object);
    let holds = evaluated.assertion.says == Says::Holds;
    when(superseding && holds && matches!(evaluated.start, Ok(None)), Reason::DateMissing)
}

/// An interval without a day. An assertion that the fact has ended has no interval to be empty.
fn interval(evaluated: &Evaluated<'_>, _: &Circumstances<'_>) -> Vec<Reason> {
    match (&evaluated.start, &evaluated.end) {
        (Ok(Some((start, _))), Ok(Some((end, _)))) => {
            when(evaluated.assertion.says == Says::Holds && end <= start, Reason::IntervalEmpty)
        }
        _ => Vec::new(),
    }
}

fn crowd(_: &Evaluated<'_>, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    when(circumstances.crowd > CROWD, Reason::SnippetCrowded { edges: circumstances.crowd })
}

/// A rule that review found to be wrong too often: what master data confirms is not in doubt by that.
fn precision(_: &Evaluated<'_>, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    when(circumstances.imprecise && !circumstances.confirmed, Reason::RuleImprecise)
}

fn withdrawn(_: &Evaluated<'_>, circumstances: &Circumstances<'_>) -> Vec<Reason> {
    when(circumstances.withdrawn, Reason::Withdrawn)
}
