//! Entities as they are claimed by feeds and documents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assertion::Origin;
use super::id::EntityKey;

/// One source's claim that an entity exists. An entity lives while one claim lives; what is shown of it
/// is the union of its claims, feeds before documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityClaim {
    /// The entity.
    pub entity: EntityKey,
    /// Who claims it.
    pub origin: Origin,
    /// The name by which it goes, first, then aliases; as written. Empty if the source knows keys only.
    pub names: Vec<String>,
    /// Properties as written.
    pub properties: BTreeMap<String, String>,
    /// The key into which the system of record merged this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<EntityKey>,
    /// True once the source no longer holds it: the entity is tombstoned, and its names stay linked so that
    /// what documents say of it waits instead of being forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}
