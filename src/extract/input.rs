//! Everything that the extraction of one chunk depends on, and nothing else.
//!
//! A document's setting, its bindings and one chunk come in; an [`Input`] goes out, whose fingerprint is
//! equal exactly if the extraction is. So a chunk whose fingerprint is the stored one is not extracted.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::bindings::Bindings;
use super::bound::{Bound, Named, Value};
use super::places::resolved;
use super::rules::Compiled;
use super::scene::{Reader, Scene};
use super::{FINGERPRINT, Setting, phrases, tables, zones};
use crate::model::chunk::{Chunk, ChunkBody, ChunkKind};
use crate::model::id::{EntityKey, Fingerprint};
use crate::model::job::DateOrder;
use crate::model::mention::Mention;
use crate::model::token::Span;
use crate::ontology::{External, RuleKind};

/// Everything that the extraction of one chunk depends on. Made by
/// [`Extractor::input`](super::Extractor::input).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Input {
    pub(super) language: String,
    /// The chunk's text, context, kind and links.
    pub(super) body: ChunkBody,
    pub(super) mentions: Vec<Mention>,
    /// The terms that stand in the text, and the bindings that an applicable rule uses.
    pub(super) bindings: Vec<Bound>,
    /// For whom the document stands, if an applicable rule asks.
    pub(super) stands_for: Option<EntityKey>,
    /// The header fields that an applicable rule reads.
    pub(super) fields: Vec<FieldHere>,
    /// Whether declared data date the document, if that matters here.
    pub(super) effective: bool,
    #[serde(serialize_with = "order_as_text")]
    pub(super) date_order: Option<DateOrder>,
    /// The document's path, if an applicable rule follows links.
    pub(super) path: Option<String>,
    /// The paths to which its links lead → for whom the documents there stand, if an applicable rule follows
    /// links.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) targets: BTreeMap<String, EntityKey>,
    /// For columns whose first cells are empty: who stands above.
    pub(super) above: BTreeMap<usize, Vec<EntityKey>>,
    /// The header fields that programs of the user's are told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) told: Vec<(String, String)>,
    /// The rules that can touch the chunk.
    pub(super) rules: Vec<RuleHere>,
}

/// A header field, as the chunk sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct FieldHere {
    pub(super) name: String,
    pub(super) value: String,
    /// Where the value stands in the chunk, if it does.
    pub(super) span: Option<Span>,
    /// Whom the value names, if it stands anywhere in the document's text.
    pub(super) names: Vec<Named>,
}

/// A rule that can touch the chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct RuleHere {
    pub(super) id: String,
    pub(super) revision: Fingerprint,
    /// What it takes from its edge type.
    pub(super) signature: Fingerprint,
}

/// The date order needs no serializer of its own for this one use.
fn order_as_text<S: Serializer>(order: &Option<DateOrder>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{order:?}"))
}

impl Input {
    /// The fingerprint: two inputs with the same one give the same extraction.
    pub fn fingerprint(&self) -> Fingerprint {
        // A value of plain fields always serializes; the text form is only a fallback that never is.
        let canonical = serde_json::to_string(self).unwrap_or_else(|_| format!("{self:?}"));
        Fingerprint::of(&[FINGERPRINT, &canonical])
    }

    /// The ids of the rules that can touch the chunk, in order.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.id.as_str())
    }

    /// The names of the terms and bindings that the chunk uses, in order.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.bindings.iter().map(|bound| bound.name.as_str())
    }
}

/// What is known before a chunk is looked at.
pub(super) struct Around<'a> {
    pub(super) setting: &'a Setting,
    pub(super) bindings: &'a Bindings,
    pub(super) reader: Reader,
    pub(super) rules: &'a [Compiled],
}

/// Puts the input of one chunk together.
pub(super) fn input(around: &Around<'_>, at: usize, chunk: &Chunk, mentions: &[Mention]) -> Input {
    let terms = around.bindings.terms(at);
    let scene = Scene::new(&chunk.body.text, mentions, &terms, around.reader);
    let occurring: Vec<usize> = {
        let mut places: Vec<usize> = scene.terms().map(|(_, _, place)| place).collect();
        places.sort_unstable();
        places.dedup();
        places
    };
    let in_text: Vec<Bound> = occurring.iter().map(|place| terms[*place].clone()).collect();
    let fields = fields_here(around, at, chunk);
    let touching: Vec<&Compiled> = around
        .rules
        .iter()
        .filter(|rule| zones::fits(&rule.rule, around.setting, &chunk.body))
        .filter(|rule| touches(rule, &scene, chunk, mentions, &in_text, &fields))
        .collect();
    let effective = touching.iter().any(|rule| rule.uses_effective()) || speaks_of_effect(&scene, &touching);
    let term = around.reader.phrases.effective_term;
    let externals: Vec<&External> = touching.iter().filter_map(|rule| rule.external()).collect();
    let wanted = |bound: &Bound| {
        in_text.iter().any(|term| term.name == bound.name && !bound.term.is_empty())
            || touching.iter().any(|rule| rule.uses_binding(&bound.name))
            || (!externals.is_empty() && bound.term.is_empty())
            || (effective && bound.name == term)
    };
    let bindings = around.bindings.in_force(at, &wanted);
    let reads = |kind: fn(&RuleKind) -> bool| touching.iter().any(|rule| kind(&rule.rule.kind));
    let reads_fields = reads(|kind| matches!(kind, RuleKind::Field(_)));
    let reads_tables = reads(|kind| matches!(kind, RuleKind::Table(_)));
    let reads_links = reads(|kind| matches!(kind, RuleKind::Link { target: None }));
    Input {
        language: around.reader.language.name.clone(),
        body: chunk.body.clone(),
        mentions: mentions.to_vec(),
        stands_for: around
            .setting
            .stands_for
            .clone()
            .filter(|_| touching.iter().any(|rule| rule.uses_document() || rule.external().is_some())),
        fields: if reads_fields { named_by(fields, &touching) } else { Vec::new() },
        effective: effective && around.setting.effective,
        date_order: around.setting.date_order.filter(|_| !touching.is_empty()),
        path: reads_links.then(|| around.setting.path.clone()),
        targets: if reads_links { targets_here(around.setting, chunk) } else { BTreeMap::new() },
        told: told(around.setting, &externals),
        above: if reads_tables { around.bindings.above(at) } else { BTreeMap::new() },
        rules: touching
            .iter()
            .map(|rule| RuleHere {
                id: rule.rule.id.clone(),
                revision: rule.rule.revision,
                signature: rule.signature,
            })
            .collect(),
        bindings,
    }
}

/// The header fields of the document that programs ask for, as written.
fn told(setting: &Setting, externals: &[&External]) -> Vec<(String, String)> {
    let wanted = |name: &str| {
        externals.iter().flat_map(|external| &external.fields).any(|field| zones::same_name(field, name))
    };
    let fields = setting.fields.iter().filter(|field| wanted(&field.name));
    fields.map(|field| (field.name.clone(), field.value.clone())).collect()
}

/// Where the chunk's links lead, as far as the documents there stand for somebody.
fn targets_here(setting: &Setting, chunk: &Chunk) -> BTreeMap<String, EntityKey> {
    let paths = chunk.body.links.iter().filter_map(|(_, link)| resolved(&setting.path, link));
    paths.filter_map(|path| setting.targets.get(&path).map(|key| (path, key.clone()))).collect()
}

/// True if the text names the document's effective date without the term for it.
fn speaks_of_effect(scene: &Scene<'_>, touching: &[&Compiled]) -> bool {
    let sentences = touching.iter().any(|rule| rule.program.is_some());
    let hi = scene.tokens.len();
    sentences && (0..hi).any(|at| phrases::behind(&scene.reader.phrases.effective, scene, at, hi).is_some())
}

/// True if the rule may find something in the chunk.
fn touches(
    rule: &Compiled,
    scene: &Scene<'_>,
    chunk: &Chunk,
    mentions: &[Mention],
    terms: &[Bound],
    fields: &[FieldHere],
) -> bool {
    let kind = &chunk.body.kind;
    match &rule.rule.kind {
        RuleKind::Match(_) => is_sentences(kind) && rule.anchored_in(&scene.tokens),
        RuleKind::Mentions { types, .. } => {
            let wanted = |key: &EntityKey| types.iter().any(|name| name == key.entity_type());
            let named = mentions.iter().flat_map(|mention| &mention.candidates).any(wanted);
            let termed = terms.iter().any(|bound| match &bound.value {
                Value::Names(names) => names.iter().flat_map(|named| &named.candidates).any(wanted),
                Value::Date(_) => false,
            });
            !matches!(kind, ChunkKind::Quote | ChunkKind::Code | ChunkKind::Fields) && (named || termed)
        }
        RuleKind::Defines { .. } => {
            let brackets = || scene.tokens.iter().any(|token| token.folded == "(");
            is_sentences(kind) && (!scene.quoted.is_empty() || brackets())
        }
        RuleKind::Field(slots) => {
            let read =
                |field: &FieldHere| slots.values().flatten().any(|name| zones::same_name(name, &field.name));
            fields.iter().any(read)
        }
        RuleKind::Table(table) => tables::applies(rule, table, &chunk.body),
        RuleKind::Link { .. } => !chunk.body.links.is_empty(),
        RuleKind::External(_) => {
            let says = !matches!(kind, ChunkKind::Quote | ChunkKind::Code | ChunkKind::Fields);
            says && rule.anchored_in(&scene.tokens)
        }
        RuleKind::Bind { .. } => false,
    }
}

/// Kinds of chunks that hold sentences. A heading comes this far only if the rule's zone allows it.
pub(super) fn is_sentences(kind: &ChunkKind) -> bool {
    matches!(kind, ChunkKind::Prose | ChunkKind::Item | ChunkKind::Heading)
}

/// The document's header fields, in the one chunk that reads them.
fn fields_here(around: &Around<'_>, at: usize, chunk: &Chunk) -> Vec<FieldHere> {
    if around.bindings.fields != Some(at) {
        return Vec::new();
    }
    let text = &chunk.body.text;
    let holds_fields = chunk.body.kind == ChunkKind::Fields;
    let fields = around.setting.fields.iter().enumerate().map(|(place, field)| {
        let shifted = field.span.and_then(|span| {
            let inside = chunk.start <= span.start && span.end <= chunk.start + text.len();
            inside.then(|| Span::new(span.start - chunk.start, span.end - chunk.start))
        });
        let exact =
            shifted.filter(|span| span.of(text).trim() == field.value.trim() && !span.of(text).is_empty());
        let searched = || {
            let start =
                text.find(field.value.as_str()).filter(|_| holds_fields && !field.value.is_empty())?;
            Some(Span::new(start, start + field.value.len()))
        };
        let names = around.bindings.field_names.get(place).cloned().unwrap_or_default();
        let span = exact.or_else(searched);
        FieldHere { name: field.name.clone(), value: field.value.clone(), span, names }
    });
    fields.collect()
}

/// Only the fields that an applicable rule reads.
fn named_by(fields: Vec<FieldHere>, touching: &[&Compiled]) -> Vec<FieldHere> {
    let read = |field: &FieldHere| {
        touching.iter().any(|rule| match &rule.rule.kind {
            RuleKind::Field(slots) => {
                slots.values().flatten().any(|name| zones::same_name(name, &field.name))
            }
            _ => false,
        })
    };
    fields.into_iter().filter(read).collect()
}
