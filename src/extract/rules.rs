//! The rules of an ontology, compiled: what each needs of a chunk, and what it can touch.

use std::collections::BTreeMap;

use super::program::{Program, Words};
use crate::model::id::Fingerprint;
use crate::model::token::Token;
use crate::ontology::pattern::Takes;
use crate::ontology::{
    DateFiller, EdgeType, External, Filler, KeyForms, OnUnknown, Ontology, Rule, RuleKind, ValueKind,
};

/// A rule with what the extractor needs of its ontology.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) rule: Rule,
    /// The edge type's name; empty for `bind`.
    pub(super) edge: String,
    pub(super) subject_types: Vec<String>,
    pub(super) object_types: Vec<String>,
    pub(super) properties: BTreeMap<String, ValueKind>,
    /// The pattern, of rules that have one.
    pub(super) program: Option<Program>,
    pub(super) anchors: Vec<Words>,
    /// The hash of what the rule takes from its edge types.
    pub(super) signature: Fingerprint,
    /// The same rule for each further edge type that its program may assert.
    pub(super) others: Vec<Self>,
    /// Of a rule that asks a program: the types of its ends of which texts make entities, with the form of their keys.
    pub(super) makes: BTreeMap<String, KeyForms>,
}

/// Compiles every rule, in the order of their ids.
pub(super) fn compile(ontology: &Ontology) -> Vec<Compiled> {
    let mut rules: Vec<Compiled> =
        ontology.rules.iter().map(|rule| Compiled::of(rule, rule.edge.as_deref(), ontology)).collect();
    rules.sort_by(|left, right| left.rule.id.cmp(&right.rule.id));
    rules
}

impl Compiled {
    fn of(rule: &Rule, edge_type: Option<&str>, ontology: &Ontology) -> Self {
        let edge = edge_type.and_then(|name| ontology.edges.get(name));
        let pattern = match &rule.kind {
            RuleKind::Match(pattern) | RuleKind::Bind { pattern, .. } => Some(pattern),
            _ => None,
        };
        let (words, others) = match &rule.kind {
            RuleKind::External(external) if rule.edge.as_deref() == edge_type => {
                let others = external.edges.iter().filter(|other| Some(other.as_str()) != edge_type);
                let others = others.map(|other| Self::of(rule, Some(other), ontology)).collect();
                (external.words.as_ref(), others)
            }
            _ => (pattern, Vec::new()),
        };
        let anchors = words.map(|pattern| pattern.anchors()).unwrap_or_default();
        let types =
            |side: fn(&EdgeType) -> &Vec<String>| edge.map(|edge| side(edge).clone()).unwrap_or_default();
        let properties = edge.map(|edge| &edge.properties).into_iter().flatten();
        let properties: BTreeMap<String, ValueKind> =
            properties.map(|(name, property)| (name.clone(), property.kind)).collect();
        let slots = match &rule.kind {
            RuleKind::Match(pattern) => pattern.slots(),
            _ => Vec::new(),
        };
        // What a slot takes is narrower than what its edge type takes, and decides what an unknown name may be.
        let narrowed = |side: &str, wide: Vec<String>| {
            let taken = slots.iter().find_map(|(name, takes, _)| match takes {
                Takes::Entity(types) if *name == side && !types.is_empty() => Some(types.clone()),
                _ => None,
            });
            taken.unwrap_or(wide)
        };
        let subject_types = narrowed("subject", types(|edge| &edge.subject));
        let object_types = narrowed("object", types(|edge| &edge.object));
        let program = pattern.map(|pattern| {
            let mut program = Program::of(pattern);
            for slot in &mut program.slots {
                slot.guesses = named(&slot.takes, ontology);
            }
            program
        });
        let mut signature = format!("{subject_types:?} {object_types:?} {properties:?}");
        let by_keys = |program: &Program| program.slots.iter().any(|slot| slot.by_keys());
        if program.as_ref().is_some_and(by_keys) {
            signature.push_str(" by keys alone");
        }
        let ends = || subject_types.iter().chain(&object_types);
        let asks = matches!(rule.kind, RuleKind::External(_));
        let kinds = ends().filter(|_| asks).filter_map(|name| ontology.entities.get(name));
        let made = kinds.filter(|kind| kind.on_unknown == OnUnknown::Create);
        let makes: BTreeMap<String, KeyForms> =
            made.filter_map(|kind| Some((kind.name.clone(), kind.keys.clone()?))).collect();
        for (name, forms) in &makes {
            signature.push_str(&format!(" makes {name} {}", forms.form()));
        }
        for other in &others {
            signature.push_str(&format!(" {} {}", other.edge, other.signature));
        }
        Self {
            edge: edge_type.unwrap_or_default().to_owned(),
            subject_types,
            object_types,
            properties,
            program,
            anchors: anchors.into_iter().map(Words::from_iter).collect(),
            signature: Fingerprint::of(&[&signature]),
            others,
            makes,
            rule: rule.clone(),
        }
    }

    /// What the program is asked, of a rule that asks one.
    pub(super) fn external(&self) -> Option<&External> {
        match &self.rule.kind {
            RuleKind::External(external) => Some(external),
            _ => None,
        }
    }

    /// The rule for each edge type that it may assert.
    pub(super) fn by_edge(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// True if of each list of anchors one word occurs.
    pub(super) fn anchored_in(&self, tokens: &[Token]) -> bool {
        self.anchors.iter().all(|list| tokens.iter().any(|token| list.contains(token.folded.as_str())))
    }

    fn fillers(&self) -> impl Iterator<Item = &Filler> {
        self.rule.subject.iter().chain(&self.rule.object)
    }

    fn dates(&self) -> impl Iterator<Item = &DateFiller> {
        self.rule.valid_from.iter().chain(&self.rule.valid_to)
    }

    /// True if an endpoint is the entity for which the document stands.
    pub(super) fn uses_document(&self) -> bool {
        self.fillers().any(|filler| *filler == Filler::Document)
    }

    /// True if a bound may hang on the document's effective date: a binding may be a period after it.
    pub(super) fn uses_effective(&self) -> bool {
        self.dates().next().is_some()
    }

    /// True if an endpoint or a bound is what this binding or term stands for.
    pub(super) fn uses_binding(&self, name: &str) -> bool {
        self.fillers().any(|filler| matches!(filler, Filler::Binding(wanted) if wanted == name))
            || self.dates().any(|filler| matches!(filler, DateFiller::Binding(wanted) if wanted == name))
    }

    /// True if an unknown name may fill a slot of the pattern.
    pub(super) fn takes_names(&self) -> bool {
        let slots = self.program.iter().flat_map(|program| &program.slots);
        slots.into_iter().any(|slot| slot.guesses)
    }
}

/// True if a slot takes entities of which texts name some by names, not by their keys alone.
fn named(takes: &Takes, ontology: &Ontology) -> bool {
    let by_names = |name: &String| ontology.entities.get(name).is_none_or(|kind| kind.named);
    matches!(takes, Takes::Entity(types) if types.is_empty() || types.iter().any(by_names))
}
