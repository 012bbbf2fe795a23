//! Entities as they are claimed by feeds and documents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assertion::Origin;
use super::id::EntityKey;

/// One source's claim that an entity exists. An entity lives while one claim lives and no person has removed
/// it ([`lives`]); what is shown of it is the union of its claims, feeds before documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityClaim {
    /// The entity.
    pub entity: EntityKey,
    /// Who claims it.
    pub origin: Origin,
    /// The name by which it goes, first, then aliases; as written. Empty if the source knows keys only.
    pub names: Vec<String>,
    /// Names that it had before its source renamed it, each with whether it was the full one. They stay
    /// linked to it unless another entity has them now.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub former: BTreeMap<String, bool>,
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

impl EntityClaim {
    /// The claim of a text that names an entity and says nothing else of it.
    pub fn of_text(entity: EntityKey, origin: Origin) -> Self {
        Self {
            entity,
            origin,
            names: Vec::new(),
            former: BTreeMap::new(),
            properties: BTreeMap::new(),
            merged_into: None,
            gone: false,
        }
    }

    /// The claim as it follows the one that its source made before. A source that gives another full name
    /// renames: the names that left stay as former ones. An alias that left while the full name stayed was
    /// taken back, and so was everything that left with `renames` false, where another column is read.
    #[must_use]
    pub fn after(mut self, before: &Self, renames: bool) -> Self {
        self.former.clone_from(&before.former);
        let full = before.names.first();
        if renames && !self.names.is_empty() && full != self.names.first() {
            for name in &before.names {
                *self.former.entry(name.clone()).or_default() |= Some(name) == full;
            }
        }
        self.former.retain(|name, _| !self.names.contains(name));
        self
    }

    /// True if a person has removed the entity by an edit: then it is gone whatever its sources say.
    pub fn removes(&self) -> bool {
        self.gone && self.origin.is_by_hand()
    }
}

/// True if an entity with these claims lives: one source holds it, and no person has removed it.
pub fn lives<'c>(claims: impl IntoIterator<Item = &'c EntityClaim>) -> bool {
    let mut held = false;
    for claim in claims {
        if claim.removes() {
            return false;
        }
        held |= !claim.gone;
    }
    held
}
