//! Entity types and edge types: from the checked tree of a file to what they mean.

use std::collections::BTreeMap;

use super::problems::Problems;
use super::shape::{flag, share};
use super::yaml::{At, Node};
use crate::model::access::Labels;
use crate::ontology::{
    Create, EdgeType, EntityType, Forms, KeyForms, NameStyle, OnUnknown, Property, Side, Template, ValueKind,
};

/// A file with more entity types is warned about.
const MANY_ENTITIES: usize = 8;
/// A file with more edge types is warned about.
const MANY_EDGES: usize = 6;
/// The slots that are no properties.
pub(super) const SLOTS: [&str; 6] = ["subject", "object", "valid_from", "valid_to", "valid", "during"];

/// The entity types of a file.
pub fn entities(root: &Node, language: &str, problems: &mut Problems<'_>) -> BTreeMap<String, EntityType> {
    let Some((key, node)) = root.entry("entities") else { return BTreeMap::new() };
    let types: BTreeMap<String, EntityType> = node
        .entries()
        .iter()
        .map(|(name, node)| (name.text.clone(), entity(&name.text, name.at, node, language, problems)))
        .collect();
    for (_, node) in node.entries() {
        for owner in node.get("part_of").map(Node::items).unwrap_or_default() {
            let Some(name) = owner.text() else { continue };
            problems.known(owner.at, "entity type", name, types.keys().map(String::as_str));
        }
    }
    for (name, _) in node.entries().iter().filter(|(name, _)| part_of_itself(&types, &name.text)) {
        let message = format!("an entity of type `{}` would be a part of itself", name.text);
        problems.error("config-value", name.at, message, "leave one `part_of` of the circle out");
    }
    many(problems, key.at, types.len(), MANY_ENTITIES, "entity types");
    types
}

fn many(problems: &mut Problems<'_>, at: At, count: usize, most: usize, what: &str) {
    if count > most {
        let message = format!("{count} {what} are many: rules and curators do better with up to {most}");
        problems.warning(
            "config-many-types",
            at,
            message,
            "unite types that no rule tells apart, or split the ontology",
        );
    }
}

fn part_of_itself(types: &BTreeMap<String, EntityType>, name: &str) -> bool {
    let mut reached: Vec<&str> = Vec::new();
    let mut next: Vec<&str> = owners(types, name).collect();
    while let Some(owner) = next.pop() {
        if !reached.contains(&owner) {
            reached.push(owner);
            next.extend(owners(types, owner));
        }
    }
    reached.contains(&name)
}

fn owners<'t>(types: &'t BTreeMap<String, EntityType>, name: &str) -> impl Iterator<Item = &'t str> {
    types.get(name).into_iter().flat_map(|entity| entity.part_of.iter().map(String::as_str))
}

fn entity(name: &str, at: At, node: &Node, language: &str, problems: &mut Problems<'_>) -> EntityType {
    if node.word("names") == Some("keys") && node.get("keys").is_none() {
        let message = format!("texts name `{name}` by its keys, and nothing says how these look");
        problems.error("config-missing-key", at, message, "add `keys`, such as `keys: \"CMP-{number}\"`");
    }
    let durations = node.word("names") == Some("durations");
    if let Some((key, _)) = node.entry("keys").filter(|_| durations) {
        let message = format!("the keys of `{name}` are lengths of time, and have no form beside it");
        problems.error("config-value", key.at, message, "leave `keys` out");
    }
    let written = node.get("written");
    let form = written.filter(|written| written.text().is_some()).or_else(|| written?.get("form"));
    let create = match node.word("create") {
        Some("from document") => Create::FromDocument,
        Some("from text") => Create::FromText,
        _ => Create::Never,
    };
    if create == Create::FromText && form.is_none() {
        let message = format!("texts create `{name}`, and nothing says in which form they name one");
        problems.error(
            "config-missing-key",
            at,
            message,
            "add `written`, such as `written: \"Schedule {number}\"`",
        );
    }
    EntityType {
        name: name.to_owned(),
        system_of_record: node.word("system_of_record").map(str::to_owned),
        style: style(node),
        named: !matches!(node.word("names"), Some("keys" | "durations")),
        keys: match node.get("keys") {
            _ if durations => Some(KeyForms::Durations(language.to_owned())),
            keys => keys.and_then(|keys| key_forms(keys, problems)),
        },
        on_unknown: match node.word("on_unknown") {
            Some("create") => OnUnknown::Create,
            Some("drop") => OnUnknown::Drop,
            _ => OnUnknown::Quarantine,
        },
        part_of: problems.once(node.get("part_of"), "type"),
        key: problems.once(node.get("key"), "part of the key"),
        create,
        written: form.and_then(|form| template(form, problems)),
        cite: node.list("cite").iter().filter_map(|form| template(form, problems)).collect(),
        access: labels(node),
    }
}

/// The forms of keys, if they can be read. Each way of writing a key must say the whole key.
fn key_forms(node: &Node, problems: &mut Problems<'_>) -> Option<KeyForms> {
    let at = node.get("form").unwrap_or(node);
    let form = template(at, problems)?;
    let slots = form.slots();
    let way = |node: &Node, problems: &mut Problems<'_>| {
        let way = template(node, problems)?;
        for slot in slots.iter().filter(|slot| !way.slots().contains(slot)) {
            let message = format!("`{}` does not say `{{{slot}}}`, which is part of the key", way.source);
            let hint = format!("add `{{{slot}}}`, or leave it out of the form `{}`", form.source);
            problems.error("config-value", node.at, message, hint);
        }
        Some(way)
    };
    let written: Vec<Template> = node.list("written").iter().filter_map(|node| way(node, problems)).collect();
    let listed = node.get("listed").and_then(|node| way(node, problems));
    let filled = form.fill(&slots.iter().map(|slot| (slot.clone(), slot.clone())).collect());
    if (!written.is_empty() || listed.is_some()) && filled.is_none_or(|ways| ways.len() != 1) {
        let message = format!("`{}` can be filled in several ways, so nobody knows the key", form.source);
        problems.error("config-value", at.at, message, "write the key without `[…]`, `(…|…)` and `*`");
    }
    Some(KeyForms::Forms(Box::new(Forms { form, written, listed })))
}

fn style(node: &Node) -> NameStyle {
    let names = node.word("names");
    let ignored: Vec<&str> = node
        .get("written")
        .map(|written| written.list("ignore").iter().filter_map(Node::text).collect())
        .unwrap_or_default();
    NameStyle {
        case_sensitive: names == Some("exact"),
        legal_forms: names == Some("company"),
        ignore_leading_zeros: ignored.contains(&"leading zeros"),
        ignore_spaces: ignored.contains(&"spaces"),
        ignore_hyphens: ignored.contains(&"hyphens"),
    }
}

/// A template, if it can be read.
pub fn template(node: &Node, problems: &mut Problems<'_>) -> Option<Template> {
    match Template::parse(node.text()?) {
        Ok(template) => Some(template),
        Err(bad) => {
            problems.plain("config-pattern", problems.sheet.inside(node.at, bad.at), bad.message, bad.hint);
            None
        }
    }
}

/// The labels under `access`.
pub fn labels(node: &Node) -> Labels {
    node.list("access").iter().filter_map(Node::text).map(str::to_owned).collect()
}

/// The edge types of a file.
pub fn edges(
    root: &Node,
    entities: &BTreeMap<String, EntityType>,
    problems: &mut Problems<'_>,
) -> BTreeMap<String, EdgeType> {
    let Some((key, node)) = root.entry("edges") else { return BTreeMap::new() };
    let types: BTreeMap<String, EdgeType> = node
        .entries()
        .iter()
        .map(|(name, node)| (name.text.clone(), edge(&name.text, node, entities, problems)))
        .collect();
    inverses(node, problems);
    many(problems, key.at, types.len(), MANY_EDGES, "edge types");
    types
}

fn edge(
    name: &str,
    node: &Node,
    entities: &BTreeMap<String, EntityType>,
    problems: &mut Problems<'_>,
) -> EdgeType {
    let side = |key: &str, problems: &mut Problems<'_>| {
        let mut known = true;
        for item in node.list(key) {
            let Some(name) = item.text() else { continue };
            known &= problems.known(item.at, "entity type", name, entities.keys().map(String::as_str));
        }
        if let Some(types) = node.get(key).filter(|types| types.items().is_empty()) {
            let message = format!("`{key}` names no entity type");
            problems.error("config-value", types.at, message, "name at least one");
        }
        // Without its types nothing is held against the edge that follows from this one mistake.
        let types = problems.once(node.get(key), "type");
        if known { types } else { vec![] }
    };
    let (subject, object) = (side("subject", problems), side("object", problems));
    let symmetric = node.word("symmetric").and_then(flag).unwrap_or_default();
    if let Some((key, _)) = node.entry("symmetric").filter(|_| symmetric && subject != object) {
        let message = format!("`{name}` is symmetric, and its subject and object have different types");
        problems.error("config-value", key.at, message, "give both the same types, or leave `symmetric` out");
    }
    EdgeType {
        name: name.to_owned(),
        subject,
        object,
        at_most_one: node.word("at_most_one").and_then(|word| match word {
            "subject" => Some(Side::Subject),
            "object" => Some(Side::Object),
            _ => None,
        }),
        ends_object: node.word("ends") == Some("object"),
        inverse: node.word("inverse").map(str::to_owned),
        symmetric,
        acyclic: node.word("acyclic").and_then(flag).unwrap_or_default(),
        properties: properties(node, problems),
        review_always: node.word("review") == Some("always"),
        threshold: node.word("threshold").and_then(share).unwrap_or(0.8),
        access: labels(node),
    }
}

fn properties(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, Property> {
    let mut properties = BTreeMap::new();
    for (name, node) in node.get("properties").map(Node::entries).unwrap_or_default() {
        if SLOTS.contains(&name.text.as_str()) {
            let message = format!("`{}` is a slot of every edge, not a property", name.text);
            problems.error("config-value", name.at, message, "give the property another name");
        }
        let set = |key| node.word(key).and_then(flag).unwrap_or_default();
        properties.insert(
            name.text.clone(),
            Property {
                kind: value_kind(node.text().or_else(|| node.word("type")).unwrap_or_default()),
                identity: set("identity"),
                conflict: set("conflict"),
                access: labels(node),
            },
        );
    }
    properties
}

fn value_kind(word: &str) -> ValueKind {
    match word {
        "number" => ValueKind::Number,
        "duration" => ValueKind::Duration,
        "date" => ValueKind::Date,
        _ => ValueKind::Text,
    }
}

/// An inverse has a name of its own, and a symmetric type has none.
fn inverses(edges: &Node, problems: &mut Problems<'_>) {
    let mut taken: BTreeMap<&str, At> =
        edges.entries().iter().map(|(name, _)| (name.text.as_str(), name.at)).collect();
    for (name, node) in edges.entries() {
        let Some(inverse) = node.get("inverse") else { continue };
        let Some(text) = inverse.text() else { continue };
        if node.word("symmetric") == Some("true") {
            let message = format!("`{}` is symmetric, so it is its own inverse", name.text);
            problems.error("config-value", inverse.at, message, "leave `inverse` out");
        } else if let Some(first) = taken.get(text) {
            let hint = format!("it stands in line {} already", first.line);
            problems.error("config-duplicate-name", inverse.at, format!("the name `{text}` is taken"), hint);
        } else {
            taken.insert(text, inverse.at);
        }
    }
}
