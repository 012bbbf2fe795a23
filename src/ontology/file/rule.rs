//! Rules: from the checked tree of a file to what they mean, with everything that they name.

use std::collections::{BTreeMap, BTreeSet};

use super::fill::{self, Bindings, Filled};
use super::keys::ACTIONS;
use super::problems::Problems;
use super::shape::share;
use super::slots::{self, Slot};
use super::types::{SLOTS, template};
use super::yaml::{At, Node};
use super::{example, external, zone};
use crate::model::assertion::Says;
use crate::model::id::Fingerprint;
use crate::ontology::language::Language;
use crate::ontology::{EdgeType, EntityType, External, Pattern, Rule, RuleKind, Scope, Side, TableRule};

/// What rules may name.
pub(super) struct Names<'o> {
    /// The language of the rules' words.
    pub(super) language: &'o Language,
    /// The entity types.
    pub(super) entities: &'o BTreeMap<String, EntityType>,
    /// The edge types.
    pub(super) edges: &'o BTreeMap<String, EdgeType>,
    /// The word lists.
    pub(super) words: &'o BTreeMap<String, Vec<String>>,
}

/// The rules of a file, those that could be understood.
pub(super) fn rules(root: &Node, names: &Names<'_>, problems: &mut Problems<'_>) -> Vec<Rule> {
    let nodes: Vec<&Node> = root.list("rules").iter().filter(|node| !node.entries().is_empty()).collect();
    let mut bindings = Bindings::new();
    let mut built: Vec<Option<Rule>> = Vec::new();
    for node in &nodes {
        let rule = rule(node, names, problems);
        if let Some(name) = node.word("bind") {
            let takes = rule.as_ref().and_then(|rule| fill::bound(&rule.kind, names));
            fill::merge(bindings.entry(name.to_owned()).or_insert_with(|| takes.clone()), takes);
        }
        built.push(rule);
    }
    for node in &nodes {
        fill::fillers(node, names, &bindings, problems);
    }
    built.into_iter().flatten().collect()
}

fn rule(node: &Node, names: &Names<'_>, problems: &mut Problems<'_>) -> Option<Rule> {
    let at = node.get("id").map_or(node.at, |id| id.at);
    let edge = edge(node, at, names, problems);
    let kind = match node.entry("bind") {
        Some((_, bind)) => binding(node, bind, names, problems),
        None => action(node, at, edge, names, problems),
    };
    let within = zone::zones(node, "in", problems);
    let not_within = zone::zones(node, "not_in", problems);
    let examples = example::examples(node, problems);
    let mut rule = Rule {
        id: node.word("id")?.to_owned(),
        revision: Fingerprint::of(&[]),
        edge: node.word("edge").map(str::to_owned),
        says: if node.word("asserts") == Some("end") { Says::Ends } else { Says::Holds },
        kind: kind?,
        subject: fill::filler(node, "subject"),
        object: fill::filler(node, "object"),
        valid_from: fill::date_fillers(node, "valid_from", names.language, problems),
        valid_to: fill::date_fillers(node, "valid_to", names.language, problems),
        within,
        not_within,
        despite: despite(node, problems),
        confidence: node.word("confidence").and_then(share).unwrap_or(0.95),
        precision: node.word("precision").and_then(share),
        examples,
        at: (problems.sheet.file().to_owned(), at.line),
    };
    let more = match &rule.kind {
        RuleKind::External(external) => external.edges.as_slice(),
        _ => &[],
    };
    let more = more.iter().filter_map(|name| names.edges.get(name));
    rule.revision = revision(&rule, edge.into_iter().chain(more));
    Some(rule)
}

/// The doubts that a rule does not share. Only a pattern is kept from a sentence by one.
fn despite(node: &Node, problems: &mut Problems<'_>) -> BTreeSet<String> {
    let Some((key, classes)) = node.entry("despite") else { return BTreeSet::new() };
    if node.get("match").is_none() {
        let message = "`despite` has a meaning for rules with `match` only";
        problems.error("config-value", key.at, message, "leave it out");
    }
    problems.once(Some(classes), "doubt").into_iter().collect()
}

/// The edge type of a rule, if it is known; a rule without one says why it has none.
fn edge<'o>(node: &Node, at: At, names: &Names<'o>, problems: &mut Problems<'_>) -> Option<&'o EdgeType> {
    let bind = node.get("bind").is_some();
    match node.get("edge") {
        None if !bind => {
            let hint = "`edge`: the edge type that it feeds; only a `bind` rule has none";
            problems.error("config-missing-key", at, "a rule needs the key `edge`", hint);
            None
        }
        Some(edge) if !bind => {
            let name = edge.text()?;
            problems.known(edge.at, "edge type", name, names.edges.keys().map(String::as_str));
            names.edges.get(name)
        }
        _ => None,
    }
}

fn binding(node: &Node, bind: &Node, names: &Names<'_>, problems: &mut Problems<'_>) -> Option<RuleKind> {
    const IDLE: [&str; 13] = [
        "edge",
        "asserts",
        "subject",
        "object",
        "valid_from",
        "valid_to",
        "mentions",
        "defines",
        "field",
        "table",
        "link",
        "external",
        "precision",
    ];
    for (key, _) in node.entries().iter().filter(|(key, _)| IDLE.contains(&key.text.as_str())) {
        let message = format!("a `bind` rule asserts nothing, so `{}` has no meaning", key.text);
        problems.error("config-value", key.at, message, "leave it out, or make it a rule of its own");
    }
    let name = bind.text()?;
    if name == "self" {
        let message = "`self` is the entity for which the document stands, and cannot be bound";
        problems.error("config-value", bind.at, message, "choose another name");
    }
    let Some(written) = node.get("match") else {
        let hint = format!("`match`: a pattern with the slot `{{{name}:…}}`");
        problems.error("config-missing-key", bind.at, "a `bind` rule needs the key `match`", hint);
        return None;
    };
    let pattern = pattern(written, names, problems)?;
    let slots = slots::slots(&pattern);
    slots::check_types(written, &slots, names.entities, problems);
    let known = slots.iter().map(|slot| slot.name.as_str());
    problems.known(bind.at, "slot {} in this pattern", name, known).then_some(())?;
    let scope = match node.word("for") {
        Some("items below") => Scope::ItemsBelow,
        Some("section") => Scope::Section,
        Some("table") => Scope::Table,
        _ => Scope::Document,
    };
    let first = node.word("take") == Some("first");
    Some(RuleKind::Bind { name: name.to_owned(), pattern, scope, first })
}

/// A pattern, if it can be read.
pub(super) fn pattern(node: &Node, names: &Names<'_>, problems: &mut Problems<'_>) -> Option<Pattern> {
    match Pattern::parse(node.text()?, names.words) {
        Ok(pattern) => Some(pattern),
        Err(all) => {
            for bad in all {
                let at = problems.sheet.inside(node.at, bad.at);
                problems.plain("config-pattern", at, bad.message, bad.hint);
            }
            None
        }
    }
}

/// What a rule with an edge does: exactly one thing.
fn action(
    node: &Node,
    at: At,
    edge: Option<&EdgeType>,
    names: &Names<'_>,
    problems: &mut Problems<'_>,
) -> Option<RuleKind> {
    for (key, _) in ["for", "take"].into_iter().filter_map(|key| node.entry(key)) {
        let message = format!("`{}` has a meaning for `bind` rules only", key.text);
        problems.error("config-value", key.at, message, "leave it out");
    }
    let mut actions = node.entries().iter().filter(|(key, _)| ACTIONS.contains(&key.text.as_str()));
    let Some((key, value)) = actions.next() else {
        let hint = format!("add one of {}", super::shape::quoted(ACTIONS.iter().copied()));
        problems.error("config-missing-key", at, "the rule does not say what it reads", hint);
        return None;
    };
    for (other, _) in actions {
        let message = format!("a rule does one thing, and this one has `{}` and `{}`", key.text, other.text);
        problems.error("config-value", other.at, message, "make two rules of it");
    }
    let filled = Filled { node, edge, key };
    match key.text.as_str() {
        "match" => matching(value, &filled, names, problems),
        "mentions" => {
            mentions(value, &filled, names, problems).map(|(side, types)| RuleKind::Mentions { side, types })
        }
        "defines" => {
            mentions(value, &filled, names, problems).map(|(side, types)| RuleKind::Defines { side, types })
        }
        "field" => Some(RuleKind::Field(columns(value, &filled, problems))),
        "table" => Some(RuleKind::Table(table(value, &filled, problems))),
        "link" => link(value, &filled, problems),
        _ => external::external(value, names, problems),
    }
}

fn matching(
    value: &Node,
    filled: &Filled<'_>,
    names: &Names<'_>,
    problems: &mut Problems<'_>,
) -> Option<RuleKind> {
    let pattern = pattern(value, names, problems)?;
    let slots = slots::slots(&pattern);
    let before = problems.found.len();
    slots::check_types(value, &slots, names.entities, problems);
    // A type that does not exist cannot fit either: one report is enough.
    if let Some(edge) = filled.edge.filter(|_| problems.found.len() == before) {
        slots::check_fit(value, &slots, edge, problems);
    }
    let sure = |side: &str| slots.iter().find(|slot: &&Slot| slot.name == side).map(|slot| slot.sure);
    filled.endpoints(&sure, problems);
    Some(RuleKind::Match(pattern))
}

fn mentions(
    value: &Node,
    filled: &Filled<'_>,
    names: &Names<'_>,
    problems: &mut Problems<'_>,
) -> Option<(Side, Vec<String>)> {
    let mut sides =
        value.entries().iter().filter(|(key, _)| matches!(key.text.as_str(), "subject" | "object"));
    let (Some((side, types)), None) = (sides.next(), sides.next()) else {
        let message = format!("`{}` fills one side of the edge", filled.key.text);
        problems.error("config-value", filled.key.at, message, "name either `subject` or `object` in it");
        return None;
    };
    let allowed = filled.edge.map(|edge| if side.text == "subject" { &edge.subject } else { &edge.object });
    for item in types.items() {
        let Some(name) = item.text() else { continue };
        let known = problems.known(item.at, "entity type", name, names.entities.keys().map(String::as_str));
        if let Some(types) =
            allowed.filter(|types| known && !types.is_empty() && !types.iter().any(|one| one == name))
        {
            let types = super::shape::quoted(types.iter().map(String::as_str));
            let message = format!("the {} of `{}` cannot be `{name}`", side.text, edge_name(filled));
            problems.error("config-value", item.at, message, format!("it is {types}"));
        }
    }
    filled.endpoints(&|name| (name == side.text).then_some(true), problems);
    let types = problems.once(Some(types), "type");
    let side = if side.text == "subject" { Side::Subject } else { Side::Object };
    Some((side, types))
}

fn edge_name<'n>(filled: &Filled<'n>) -> &'n str {
    filled.edge.map_or("", |edge| edge.name.as_str())
}

/// The names of the fields or columns of each slot. Properties stand under `properties` or beside the slots.
fn columns(value: &Node, filled: &Filled<'_>, problems: &mut Problems<'_>) -> BTreeMap<String, Vec<String>> {
    const OTHERS: [&str; 4] = ["properties", "under", "fill_down", "skip_rows"];
    let mut columns = BTreeMap::new();
    let nested = value.get("properties").map(Node::entries).unwrap_or_default();
    let beside = value.entries().iter().filter(|(key, _)| !OTHERS.contains(&key.text.as_str()));
    let keys =
        beside.map(|entry| (entry, OTHERS.as_slice())).chain(nested.iter().map(|entry| (entry, &[][..])));
    for ((name, names), others) in keys {
        if let Some(edge) = filled.edge {
            let what = format!("slot or property {{}} of `{}`", edge.name);
            let properties = edge.properties.keys().map(String::as_str);
            let known = SLOTS.into_iter().chain(properties).chain(others.iter().copied());
            problems.known(name.at, &what, &name.text, known);
        }
        columns.insert(name.text.clone(), problems.once(Some(names), "name"));
    }
    filled.endpoints(&|side| value.get(side).map(|_| true), problems);
    columns
}

fn table(value: &Node, filled: &Filled<'_>, problems: &mut Problems<'_>) -> TableRule {
    let under = value.get("under");
    let headings = under.map(|under| under.get("heading").unwrap_or(under));
    let columns = columns(value, filled, problems);
    for slot in value.list("fill_down") {
        let Some(name) = slot.text() else { continue };
        problems.known(slot.at, "column {} in this table", name, columns.keys().map(String::as_str));
    }
    TableRule {
        under: problems.once(headings, "heading"),
        fill_down: problems.once(value.get("fill_down"), "slot").into_iter().collect(),
        skip_rows: problems.once(value.get("skip_rows"), "text"),
        columns,
    }
}

fn link(value: &Node, filled: &Filled<'_>, problems: &mut Problems<'_>) -> Option<RuleKind> {
    let Some(target) = value.get("target") else {
        let free = ["subject", "object"].into_iter().rfind(|side| filled.node.get(side).is_none());
        filled.endpoints(&|side| (Some(side) == free).then_some(true), problems);
        return Some(RuleKind::Link { target: None });
    };
    let template = template(target, problems)?;
    let slots = template.slots();
    for name in &slots {
        let at = slots::place(target, name, problems);
        problems.known(at, "endpoint", name, ["subject", "object"]);
    }
    filled.endpoints(&|side| slots.iter().any(|slot| slot == side).then_some(true), problems);
    Some(RuleKind::Link { target: Some(template) })
}

/// The hash of everything that decides what a rule extracts; not its confidence, not its examples. `edges` are those
/// that it may assert.
fn revision<'o>(rule: &Rule, edges: impl Iterator<Item = &'o EdgeType>) -> Fingerprint {
    let kind = match &rule.kind {
        RuleKind::Match(pattern) => format!("match {:?}", pattern.parts),
        RuleKind::Bind { name, pattern, scope, first } => {
            format!("bind {name} {scope:?} {first} {:?}", pattern.parts)
        }
        // How long a program may take decides whether it answers, and not what.
        RuleKind::External(External { program, words, fields, edges: _, limits: _ }) => {
            let words = words.as_ref().map(|pattern| &pattern.parts);
            format!("external {} {words:?} {fields:?}", program.fingerprint())
        }
        other => format!("{other:?}"),
    };
    let edges: Vec<String> = edges
        .map(|edge| {
            let kinds: Vec<_> =
                edge.properties.iter().map(|(name, property)| (name, property.kind)).collect();
            format!("{} {:?} {:?} {kinds:?}", edge.name, edge.subject, edge.object)
        })
        .collect();
    Fingerprint::of(&[
        &kind,
        &edges.join("\n"),
        &format!("{:?}", rule.says),
        &format!("{:?} {:?}", rule.subject, rule.object),
        &format!("{:?} {:?}", rule.valid_from, rule.valid_to),
        &format!("{:?}", rule.within),
        &format!("{:?}", rule.not_within),
        &format!("{:?}", rule.despite),
    ])
}
