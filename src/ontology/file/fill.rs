//! What fills a rule's endpoints and dates where no slot does.

use std::collections::BTreeMap;

use super::problems::Problems;
use super::rule::Names;
use super::slots;
use super::yaml::{Key, Node};
use crate::ontology::language::Language;
use crate::ontology::pattern::Takes;
use crate::ontology::{DateFiller, EdgeType, Filler, RuleKind, dates};

/// What the `bind` rules name, with the types that it may have; `None` where the pattern is wrong.
pub(super) type Bindings = BTreeMap<String, Option<Takes>>;

/// What a `bind` rule binds; `None` if it binds a type that does not exist, which was reported.
pub(super) fn bound(kind: &RuleKind, names: &Names<'_>) -> Option<Takes> {
    let RuleKind::Bind { name, pattern, .. } = kind else { return None };
    let takes = slots::slots(pattern).into_iter().find(|slot| slot.name == *name)?.takes;
    match &takes {
        Takes::Entity(types) if !types.iter().all(|one| names.entities.contains_key(one)) => None,
        _ => Some(takes),
    }
}

/// Two rules may bind one name; it may then hold what either binds.
pub(super) fn merge(known: &mut Option<Takes>, more: Option<Takes>) {
    match (known.as_mut(), more) {
        (Some(Takes::Entity(known)), Some(Takes::Entity(types))) => known.extend(types),
        (Some(known), Some(more)) if *known == more => {}
        _ => *known = None,
    }
}

/// A rule on the way: what its endpoints are checked against.
pub(super) struct Filled<'n> {
    pub(super) node: &'n Node,
    pub(super) edge: Option<&'n EdgeType>,
    pub(super) key: &'n Key,
}

impl Filled<'_> {
    /// Checks that each endpoint comes from a slot or from a filler, and not from both.
    pub(super) fn endpoints(&self, sure: &dyn Fn(&str) -> Option<bool>, problems: &mut Problems<'_>) {
        for side in ["subject", "object"] {
            match (sure(side), self.node.entry(side)) {
                (None, None) => {
                    let message = format!("nothing fills the {side} of this rule");
                    let hint =
                        format!("give it a slot `{side}`, or write `{side}: self` or the name of a binding");
                    problems.error("config-missing-key", self.key.at, message, hint);
                }
                (Some(false), None) => {
                    let message =
                        format!("the {side} stands in an optional part, so some matches would have none");
                    let hint =
                        format!("take it out of the brackets, or add `{side}:` with what fills it else");
                    problems.error("config-value", self.key.at, message, hint);
                }
                (Some(true), Some((key, _))) => {
                    let message = format!("`{side}` is never used: a slot of the rule fills it always");
                    problems.warning("config-unused", key.at, message, "leave one of the two out");
                }
                _ => {}
            }
        }
    }
}

pub(super) fn filler(node: &Node, side: &str) -> Option<Filler> {
    node.word(side).map(|name| match name {
        "self" => Filler::Document,
        name => Filler::Binding(name.to_owned()),
    })
}

/// Checks that the bindings exist that a rule names, and that they fit the edge.
pub(super) fn fillers(node: &Node, names: &Names<'_>, bindings: &Bindings, problems: &mut Problems<'_>) {
    if node.get("bind").is_some() {
        return;
    }
    let edge = node.word("edge").and_then(|edge| names.edges.get(edge));
    for side in ["subject", "object"] {
        let Some((value, name)) = node.get(side).and_then(|value| Some((value, value.text()?))) else {
            continue;
        };
        let known = bindings.keys().map(String::as_str).chain(["self"]);
        if !problems.known(value.at, "binding", name, known) {
            continue;
        }
        let types = edge.map(|edge| if side == "subject" { &edge.subject } else { &edge.object });
        let fits = match (bindings.get(name), types) {
            (Some(Some(Takes::Entity(bound))), Some(types)) => {
                types.is_empty() || bound.iter().any(|one| types.contains(one))
            }
            (Some(Some(_)), _) => false,
            _ => true,
        };
        if !fits {
            let types = super::shape::quoted(types.into_iter().flatten().map(String::as_str));
            let message = format!("the binding `{name}` never holds the {side} of this edge");
            problems.error("config-value", value.at, message, format!("bind {types}"));
        }
    }
}

/// What fills a date, in the order in which it is tried.
pub(super) fn date_fillers(
    node: &Node,
    key: &str,
    language: &Language,
    problems: &mut Problems<'_>,
) -> Vec<DateFiller> {
    let values = node.get(key).map(Node::items).unwrap_or_default();
    values.iter().filter_map(|value| date_filler(value, language, problems)).collect()
}

fn date_filler(value: &Node, language: &Language, problems: &mut Problems<'_>) -> Option<DateFiller> {
    let text = value.text()?.trim();
    let Some(rest) = text.strip_prefix("effective") else {
        return Some(DateFiller::Binding(text.to_owned()));
    };
    if rest.is_empty() {
        return Some(DateFiller::Effective);
    }
    let Some(period) = rest.trim_start().strip_prefix('+') else {
        return Some(DateFiller::Binding(text.to_owned()));
    };
    match dates::parse_period_text(period.trim(), language) {
        Some(period) => Some(DateFiller::AfterEffective(period)),
        None => {
            let message = format!("`{}` is not a period", period.trim());
            problems.error("config-value", value.at, message, "write `effective + 225 days`");
            None
        }
    }
}
