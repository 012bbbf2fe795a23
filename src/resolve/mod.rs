//! Resolve: from what may fill a slot to who it is.
//!
//! A slot with its candidates comes in; exactly one entity, an honest "several" or "nobody" goes out.
//! Knows no edge, no document and no store. Nobody guesses here: more than one candidate stays so.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::assertion::Slot;
use crate::model::id::EntityKey;
use crate::model::mention::Resolution;
use crate::ontology::{OnUnknown, Ontology};

/// What a slot came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The slot is filled, for better or worse.
    Resolved(Resolution),
    /// Nobody is known by the text, and its type says that it makes an entity of its own.
    Create(EntityKey),
    /// Nobody is known by the text, and its type says that the assertion is then worth nothing.
    Drop,
}

/// Resolves a slot.
///
/// | candidates | types' `on_unknown` | outcome |
/// |---|---|---|
/// | one | any | known |
/// | several | any | ambiguous |
/// | none | one says `quarantine` | unknown |
/// | none | all say `create` or `drop`, one type only, `create` | a new entity |
/// | none | several types, one says `create` | unknown: of which type it is nobody knows |
/// | none | all say `drop` | dropped |
pub fn resolve(slot: &Slot, ontology: &Ontology) -> Outcome {
    let candidates: BTreeSet<&EntityKey> = slot.candidates.iter().collect();
    let mut candidates: Vec<EntityKey> = candidates.into_iter().cloned().collect();
    if candidates.len() > 1 {
        return Outcome::Resolved(Resolution::Ambiguous { surface: slot.surface.clone(), candidates });
    }
    candidates.pop().map_or_else(|| unknown(slot, ontology), |key| Outcome::Resolved(Resolution::Known(key)))
}

fn unknown(slot: &Slot, ontology: &Ontology) -> Outcome {
    let types: BTreeSet<&String> = slot.types.iter().collect();
    let policies: BTreeMap<&String, OnUnknown> = types
        .iter()
        .map(|name| {
            (*name, ontology.entities.get(*name).map_or(OnUnknown::Quarantine, |entity| entity.on_unknown))
        })
        .collect();
    let waits = || {
        let types = types.iter().map(|name| (*name).clone()).collect();
        Outcome::Resolved(Resolution::Unknown { surface: slot.surface.clone(), types })
    };
    if !policies.is_empty() && policies.values().all(|policy| *policy == OnUnknown::Drop) {
        return Outcome::Drop;
    }
    match policies.iter().next() {
        Some((name, OnUnknown::Create)) if policies.len() == 1 => {
            let key = slot.surface.split_whitespace().collect::<Vec<_>>().join(" ");
            EntityKey::new(name, &key).map_or_else(waits, Outcome::Create)
        }
        _ => waits(),
    }
}

/// The key that stands for an entity now: follows `merged_into` to its end.
///
/// Two systems may say that each was merged into the other. Such a circle has no end, and the smallest key
/// in it stands for all of them, wherever one enters.
pub fn merged(key: &EntityKey, merges: &BTreeMap<EntityKey, EntityKey>) -> EntityKey {
    let mut path: Vec<&EntityKey> = Vec::new();
    let mut seen: BTreeSet<&EntityKey> = BTreeSet::new();
    let mut at = key;
    while seen.insert(at) {
        path.push(at);
        match merges.get(at) {
            Some(next) => at = next,
            None => return at.clone(),
        }
    }
    let circle = path.iter().skip_while(|passed| **passed != at);
    circle.min().map_or_else(|| at.clone(), |smallest| (*smallest).clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ontology::{Create, EntityType, NameStyle};

    fn ontology() -> Ontology {
        let types = [("Wait", OnUnknown::Quarantine), ("Make", OnUnknown::Create), ("Skip", OnUnknown::Drop)];
        let entities = types.map(|(name, on_unknown)| {
            let entity = EntityType {
                name: name.to_owned(),
                system_of_record: None,
                style: NameStyle::default(),
                named: true,
                keys: None,
                on_unknown,
                part_of: Vec::new(),
                key: Vec::new(),
                create: Create::Never,
                written: None,
                cite: Vec::new(),
                access: BTreeSet::new(),
            };
            (name.to_owned(), entity)
        });
        Ontology {
            language: "en".to_owned(),
            entities: BTreeMap::from(entities),
            edges: BTreeMap::new(),
            rules: Vec::new(),
        }
    }

    fn key(text: &str) -> EntityKey {
        text.parse().unwrap()
    }

    #[track_caller]
    fn check(candidates: &[&str], types: &[&str], expected: &str) {
        let slot = Slot {
            surface: " Acme \n Corp ".to_owned(),
            candidates: candidates.iter().map(|text| key(text)).collect(),
            types: types.iter().map(|name| (*name).to_owned()).collect(),
        };
        let shown = match resolve(&slot, &ontology()) {
            Outcome::Resolved(Resolution::Known(key)) => format!("known {key}"),
            Outcome::Resolved(Resolution::Ambiguous { candidates, .. }) => {
                format!("ambiguous {candidates:?}")
            }
            Outcome::Resolved(Resolution::Unknown { surface, types }) => {
                assert_eq!(surface, slot.surface);
                format!("unknown {}", types.join(" "))
            }
            Outcome::Create(key) => format!("create {key}"),
            Outcome::Drop => "drop".to_owned(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn slots() {
        check(&["Wait:a"], &["Wait"], "known Wait:a");
        check(&["Wait:a", "Wait:a"], &["Wait"], "known Wait:a");
        check(&["Wait:b", "Make:c", "Wait:a"], &["Wait", "Make"], "ambiguous [Make:c, Wait:a, Wait:b]");
        check(&[], &["Wait"], "unknown Wait");
        check(&[], &["Skip", "Wait", "Wait"], "unknown Skip Wait");
        check(&[], &["Nothing of the kind"], "unknown Nothing of the kind");
        check(&[], &["Make"], "create Make:Acme Corp");
        check(&[], &["Make", "Make"], "create Make:Acme Corp");
        check(&[], &["Make", "Skip"], "unknown Make Skip");
        check(&[], &["Skip"], "drop");
        check(&[], &[], "unknown ");
        let empty = Slot { surface: " ".to_owned(), candidates: Vec::new(), types: vec!["Make".to_owned()] };
        assert!(matches!(resolve(&empty, &ontology()), Outcome::Resolved(Resolution::Unknown { .. })));
    }

    #[test]
    fn merges_are_followed_to_their_end() {
        let merges = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(from, into)| (key(from), key(into))).collect::<BTreeMap<_, _>>()
        };
        let chain = merges(&[("S:1", "S:2"), ("S:2", "S:3")]);
        assert_eq!(merged(&key("S:1"), &chain), key("S:3"));
        assert_eq!(merged(&key("S:3"), &chain), key("S:3"));
        let circle =
            merges(&[("S:9", "S:7"), ("S:7", "S:8"), ("S:8", "S:7"), ("S:5", "S:5"), ("S:1", "S:9")]);
        for entry in ["S:1", "S:9", "S:7", "S:8"] {
            assert_eq!(merged(&key(entry), &circle), key("S:7"), "{entry}");
        }
        assert_eq!(merged(&key("S:5"), &circle), key("S:5"));
        let long: BTreeMap<EntityKey, EntityKey> =
            (0..50_000).map(|at| (key(&format!("S:{at}")), key(&format!("S:{}", at + 1)))).collect();
        assert_eq!(merged(&key("S:0"), &long), key("S:50000"));
    }
}
