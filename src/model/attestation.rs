//! Attestations: accepted assertions in the evaluated form that the fold takes.
//!
//! The gate makes them (dates evaluated, a person's corrections applied, endpoints in canonical order);
//! reconcile folds them into facts. They are values of one run and are never stored.

use std::collections::BTreeMap;

use super::assertion::{Left, Origin, Says};
use super::id::{AssertionId, EntityKey, FactId};
use super::job::Authority;
use super::time::{Date, Precision};

/// One accepted assertion as the fold takes it.
///
/// Invariants kept by the gate: `fact` is the hash of the endpoints, the edge type and `identity` as they
/// stand here; of a `Holds` attestation with both bounds, `start < end`; `properties` holds no identity
/// property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attestation {
    /// The assertion that it comes from.
    pub assertion: AssertionId,
    /// The fact that it attests, with a person's corrections applied.
    pub fact: FactId,
    /// The subject; of a symmetric type the smaller key.
    pub subject: EntityKey,
    /// The edge type.
    pub edge_type: String,
    /// The object.
    pub object: EntityKey,
    /// The identity properties.
    pub identity: BTreeMap<String, String>,
    /// Whether it says that the fact holds or has ended. An end's date stands in `end`.
    pub says: Says,
    /// Where it was read.
    pub origin: Origin,
    /// The entity for which its document stands.
    pub stands_for: Option<EntityKey>,
    /// The date of its document, which is no effective date.
    pub document_date: Option<Date>,
    /// The word of its feed against documents; `None` for a document.
    pub authority: Option<Authority>,
    /// The stated start, at the first day of the statement.
    pub start: Option<(Date, Precision)>,
    /// The stated exclusive end; a coarse one is the day after the last day of the statement.
    pub end: Option<(Date, Precision)>,
    /// The day on which its text was amended away or its row left.
    pub left: Option<Left>,
    /// The other properties as read.
    pub properties: BTreeMap<String, String>,
    /// The number of the decision that approved or corrected it.
    pub approved: Option<u64>,
}
