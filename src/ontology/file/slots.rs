//! What a pattern's slots hold, and whether that fits the edge that they feed.

use std::collections::BTreeMap;

use super::problems::Problems;
use super::types::SLOTS;
use super::yaml::{At, Node};
use crate::diag::nearest;
use crate::ontology::pattern::{Part, Takes};
use crate::ontology::{EdgeType, EntityType, Pattern, ValueKind};

/// A slot of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// Its name.
    pub(super) name: String,
    /// What it takes.
    pub(super) takes: Takes,
    /// True if every match fills it: it stands in no optional part, and in every branch of a choice.
    pub(super) sure: bool,
}

/// The slots of a pattern, each name once, in the order in which they are written.
pub(super) fn slots(pattern: &Pattern) -> Vec<Slot> {
    let mut found: Vec<Slot> = Vec::new();
    walk(&pattern.parts, &mut found);
    for slot in &mut found {
        slot.sure = surely(&pattern.parts, &slot.name);
    }
    found
}

fn walk(parts: &[Part], found: &mut Vec<Slot>) {
    for part in parts {
        match part {
            Part::Slot { name, takes, .. } => match found.iter_mut().find(|slot| slot.name == *name) {
                // The same name in two branches of a choice holds what either takes.
                Some(Slot { takes: Takes::Entity(known), .. }) => {
                    if let Takes::Entity(types) = takes {
                        known.extend(
                            types.iter().filter(|one| !known.contains(one)).cloned().collect::<Vec<_>>(),
                        );
                    }
                }
                Some(_) => {}
                None => found.push(Slot { name: name.clone(), takes: takes.clone(), sure: false }),
            },
            Part::Any(branches) => branches.iter().for_each(|branch| walk(branch, found)),
            Part::Optional(parts) => walk(parts, found),
            _ => {}
        }
    }
}

fn surely(parts: &[Part], name: &str) -> bool {
    parts.iter().any(|part| match part {
        Part::Slot { name: known, .. } => known == name,
        Part::Any(branches) => !branches.is_empty() && branches.iter().all(|branch| surely(branch, name)),
        _ => false,
    })
}

/// The place of a slot in a pattern as written.
pub(super) fn place(node: &Node, name: &str, problems: &Problems<'_>) -> At {
    let text = node.text().unwrap_or_default();
    let wanted: Vec<char> = name.chars().collect();
    let letters: Vec<char> = text.chars().collect();
    let found = (0..letters.len()).find(|&start| {
        letters[start] == '{'
            && letters[start + 1..].starts_with(&wanted)
            && letters.get(start + 1 + wanted.len()).is_some_and(|next| matches!(next, ':' | '}' | '+'))
    });
    match found {
        Some(start) => {
            let at = problems.sheet.inside(node.at, start);
            let end = letters[start..].iter().position(|letter| *letter == '}').unwrap_or_default();
            let width = if at == node.at { at.width } else { u32::try_from(end + 1).unwrap_or(1) };
            At { width, ..at }
        }
        None => node.at,
    }
}

/// Reports entity types that do not exist.
pub(super) fn check_types(
    node: &Node,
    slots: &[Slot],
    entities: &BTreeMap<String, EntityType>,
    problems: &mut Problems<'_>,
) {
    for slot in slots {
        let Takes::Entity(types) = &slot.takes else { continue };
        for name in types {
            let at = place(node, &slot.name, problems);
            problems.known(at, "entity type", name, entities.keys().map(String::as_str));
        }
    }
}

/// Reports slots that the edge cannot take.
pub(super) fn check_fit(node: &Node, slots: &[Slot], edge: &EdgeType, problems: &mut Problems<'_>) {
    for slot in slots {
        let wrong = match (slot.name.as_str(), &slot.takes) {
            ("subject", takes) => endpoint(takes, &edge.subject, "subject", &edge.name),
            ("object", takes) => endpoint(takes, &edge.object, "object", &edge.name),
            ("valid_from" | "valid_to" | "valid" | "during", Takes::Date | Takes::Duration) => None,
            (name @ ("valid_from" | "valid_to" | "valid" | "during"), _) => {
                Some((format!("`{name}` is a date"), format!("write `{{{name}:date}}`")))
            }
            (name, takes) => match edge.properties.get(name) {
                Some(property) => value(name, takes, property.kind),
                // A word of any other name stands for itself: `No. {number}`.
                None if *takes == Takes::Word && nearest(name, names(edge)).is_none() => None,
                None => {
                    unknown(node, name, edge, problems);
                    None
                }
            },
        };
        if let Some((message, hint)) = wrong {
            problems.error("config-value", place(node, &slot.name, problems), message, hint);
        }
    }
}

fn endpoint(takes: &Takes, types: &[String], side: &str, edge: &str) -> Option<(String, String)> {
    let hint = format!("write `{{{side}:{}}}`", types.join("|"));
    match takes {
        // An edge whose own types are wrong says so itself.
        _ if types.is_empty() => None,
        // A word is whomever of these types it names.
        Takes::Word => None,
        Takes::Entity(found) => found.iter().find(|one| !types.contains(one)).map(|one| {
            (
                format!(
                    "the {side} of `{edge}` is {}, not `{one}`",
                    super::shape::quoted(types.iter().map(String::as_str))
                ),
                hint,
            )
        }),
        _ => Some((format!("the {side} of `{edge}` is an entity"), hint)),
    }
}

fn value(name: &str, takes: &Takes, kind: ValueKind) -> Option<(String, String)> {
    let (what, word) = match kind {
        ValueKind::Text => return None,
        ValueKind::Number if matches!(takes, Takes::Number | Takes::Word) => return None,
        ValueKind::Duration if *takes == Takes::Duration => return None,
        ValueKind::Date if *takes == Takes::Date => return None,
        ValueKind::Number => ("a number", "number"),
        ValueKind::Duration => ("a duration", "duration"),
        ValueKind::Date => ("a date", "date"),
    };
    Some((format!("the property `{name}` is {what}"), format!("write `{{{name}:{word}}}`")))
}

fn unknown(node: &Node, name: &str, edge: &EdgeType, problems: &mut Problems<'_>) {
    let at = place(node, name, problems);
    let what = format!("slot or property {{}} of `{}`", edge.name);
    problems.known(at, &what, name, names(edge));
}

/// The names that slots of an edge may have.
fn names(edge: &EdgeType) -> impl Iterator<Item = &str> {
    SLOTS.into_iter().chain(edge.properties.keys().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_sure_if_every_match_fills_it() {
        let cases = [
            ("{a:T} x", "a!"),
            ("x [{a:T}]", "a?"),
            ("({a:T}|{a:U} {b:date})", "a! b?"),
            ("(x|{a:T}) [y [{b:number}]] {c:date}", "a? b? c!"),
            ("[{a:T}] x {a:T}", "a!"),
        ];
        for (source, expected) in cases {
            let pattern = Pattern::parse(source, &BTreeMap::new()).unwrap();
            let shown: Vec<String> = slots(&pattern)
                .iter()
                .map(|slot| format!("{}{}", slot.name, if slot.sure { "!" } else { "?" }))
                .collect();
            assert_eq!(shown.join(" "), expected, "{source}");
        }
    }
}
