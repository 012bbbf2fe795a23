//! The evaluated form of an accepted assertion.
//!
//! In: an assertion, its circumstances, and who says so. Out: an [`Attestation`], or nothing if the
//! assertion cannot attest: an endpoint or a date is not known, the interval has no day, the edge type is
//! gone, or the feed only informs.

use std::collections::BTreeMap;

use crate::gate::Circumstances;
use crate::gate::reading::Evaluated;
use crate::model::assertion::{Assertion, Says};
use crate::model::attestation::Attestation;
use crate::model::id::EntityKey;
use crate::model::job::Authority;
use crate::model::sabotage;
use crate::model::time::{Date, NoDate, Precision};
use crate::ontology::EdgeType;

/// What is known of the document or feed that says so, which the assertion itself does not know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Witness {
    /// The entity for which the document stands.
    pub stands_for: Option<EntityKey>,
    /// The document's date.
    pub document_date: Option<Date>,
    /// The feed's word against documents; `None` for a document.
    pub authority: Option<Authority>,
}

/// Evaluates an assertion for the fold, with a person's corrections applied: corrected endpoints make it
/// attest another fact.
pub fn attest(
    assertion: &Assertion,
    circumstances: &Circumstances<'_>,
    witness: &Witness,
) -> Option<Attestation> {
    if witness.authority == Some(Authority::Informs) {
        return None;
    }
    let edge = circumstances.ontology.edges.get(&assertion.edge_type)?;
    let evaluated = Evaluated::of(assertion, circumstances);
    let (subject, object) = canonical(edge, evaluated.subject.known()?, evaluated.object.known()?);
    let (start, end) = bounds(&evaluated)?;
    let (identity, properties) = split(edge, &assertion.properties);
    Some(Attestation {
        assertion: assertion.id,
        fact: Assertion::fact_id(subject, &assertion.edge_type, object, &identity),
        subject: subject.clone(),
        edge_type: assertion.edge_type.clone(),
        object: object.clone(),
        identity,
        says: assertion.says,
        origin: assertion.origin.clone(),
        stands_for: witness.stands_for.clone(),
        document_date: witness.document_date,
        authority: witness.authority,
        start,
        end,
        left: assertion.left.clone(),
        properties,
        approved: circumstances.vouched(),
    })
}

/// Of a symmetric type the smaller key is the subject, so that both ways of saying it are one fact.
fn canonical<'a>(
    edge: &EdgeType,
    subject: &'a EntityKey,
    object: &'a EntityKey,
) -> (&'a EntityKey, &'a EntityKey) {
    if edge.symmetric && object < subject { (object, subject) } else { (subject, object) }
}

type Bounds = (Option<(Date, Precision)>, Option<(Date, Precision)>);

/// The bounds of a fact that holds; of one that has ended, the first day on which it no longer holds
/// stands as the end, whichever way the sentence gives it ("ceased on the 16th", "not from the 17th").
fn bounds(evaluated: &Evaluated<'_>) -> Option<Bounds> {
    let start = evaluated.start.clone().ok()?.filter(|_| !sabotage::is_off("stated-starts"));
    let end = match evaluated.end.clone() {
        Ok(end) => end,
        Err(NoDate::Unanchored(_) | NoDate::Blank(_)) => None,
        Err(NoDate::Ambiguous(_) | NoDate::Invalid(_)) => return None,
    };
    match (evaluated.assertion.says, start, end) {
        (Says::Ends, start, end) => Some((None, end.or(start))),
        (Says::Holds, Some((from, _)), Some((to, _))) if to <= from => None,
        (Says::Holds, start, end) => Some((start, end)),
    }
}

type Properties = BTreeMap<String, String>;

fn split(edge: &EdgeType, properties: &Properties) -> (Properties, Properties) {
    properties
        .clone()
        .into_iter()
        .partition(|(name, _)| edge.properties.get(name).is_some_and(|property| property.identity))
}
