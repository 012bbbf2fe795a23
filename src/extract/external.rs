//! Rules that ask programs of the user's: what a program is asked about a chunk, and what is made of its answer.
//!
//! The contract is `docs/external.md`. Nothing here calls a program: a [`Call`] goes out as a value, and the
//! [`Answer`] that somebody fetched for it comes in as one. What is no assertion is refused with its reason, item
//! by item; the rest of the answer, and of the chunk, stands.

mod answer;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::bound::{Bound as Binding, Value};
use super::draft::{self, takes};
use super::input::Input;
use super::rules::Compiled;
use super::scene::{Reader, Scene};
use super::with_terms;
use crate::diag::{json_fault, json_mismatch};
use crate::model::chunk::{ChunkKind, Part};
use crate::model::id::{EntityKey, Fingerprint};
use crate::model::mention::Mention;
use crate::model::time::DateExpr;
use crate::model::token::Span;
use crate::ontology::{External, ValueKind};

pub(super) use answer::read;

/// The version of the contract: of the form of a request and of an answer.
pub const VERSION: u32 = 1;

/// So many assertions are more than any chunk says.
const MOST_ITEMS: usize = 10_000;

/// So many characters of a message are shown: what a program wrote may be of any length.
const LONGEST_MESSAGE: usize = 400;

/// What a program is asked about a chunk.
#[derive(Debug)]
pub struct Call<'e> {
    /// The rule that asks.
    pub rule: &'e str,
    /// Whom it asks.
    pub external: &'e External,
    /// The request, a line without its end.
    pub line: String,
    /// Names everything that the answer may depend on: what is asked, and who.
    pub fingerprint: Fingerprint,
}

/// What a program said of a chunk: assertions that nobody has looked at yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The items, as they are written: what one unfolds to is known, and gone again, when it is read.
    items: Vec<Box<str>>,
}

/// What programs said, by the id of the rule that asked.
pub type Answers = BTreeMap<String, Answer>;

/// A line of a program that could be read.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// What it says of the chunk.
    Answer(Answer),
    /// That it cannot say anything, and why.
    Error(String),
}

/// Something that a program said and that is no assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that asked.
    pub rule: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// The same in words: what it says, and what it would have to.
    pub message: String,
    /// Where in the chunk it speaks of, if that can be told.
    pub span: Option<Span>,
    /// How many assertions are refused by it: one, or all that are not named.
    pub items: u64,
}

/// What is wrong with what a program said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// It has not the form of an assertion.
    Form,
    /// The rule may not assert this edge type.
    EdgeType,
    /// An end is of a type that the edge type does not take.
    Types,
    /// A span is no part of the chunk.
    Span,
    /// The request names nobody with this key.
    Entity,
    /// A date, property or confidence is none.
    Value,
}

/// The request. Its first keys, `version` and `id`, are put before it when it is written.
#[derive(Serialize)]
struct Request<'a> {
    rule: &'a str,
    language: &'a str,
    text: &'a str,
    kind: &'static str,
    part: Part,
    headings: &'a [String],
    parents: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<TableHere<'a>>,
    document: DocumentHere<'a>,
    mentions: Vec<MentionHere<'a>>,
    bindings: Vec<BindingHere<'a>>,
    edges: Vec<EdgeHere<'a>>,
    makes: BTreeMap<&'a str, &'a str>,
}

/// The rows of a table: where its cells stand.
#[derive(Serialize)]
struct TableHere<'a> {
    header: &'a [String],
    rows: Vec<Vec<[usize; 2]>>,
}

/// What is said of the document.
#[derive(Serialize)]
struct DocumentHere<'a> {
    #[serde(rename = "self")]
    stands_for: Option<String>,
    fields: BTreeMap<&'a str, Vec<&'a str>>,
}

/// Somebody who is named in the text.
#[derive(Serialize)]
struct MentionHere<'a> {
    span: [usize; 2],
    text: &'a str,
    entities: Vec<String>,
}

/// A term or binding in force.
#[derive(Serialize)]
struct BindingHere<'a> {
    name: &'a str,
    text: &'a str,
    entities: Vec<String>,
    date: Option<String>,
}

/// An edge type that may be asserted.
#[derive(Serialize)]
struct EdgeHere<'a> {
    #[serde(rename = "type")]
    name: &'a str,
    subject: &'a [String],
    object: &'a [String],
    properties: BTreeMap<&'a str, &'static str>,
}

/// A line of an answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    assertions: Option<Items>,
    error: Option<String>,
}

/// The items of an answer; those beyond what is allowed are counted and not held.
struct Items {
    held: Vec<Box<str>>,
    count: usize,
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ItemsVisitor)
    }
}

struct ItemsVisitor;

impl<'de> Visitor<'de> for ItemsVisitor {
    type Value = Items;

    fn expecting(&self, what: &mut fmt::Formatter<'_>) -> fmt::Result {
        what.write_str("a list of assertions")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Items, S::Error> {
        let mut held = Vec::new();
        while held.len() < MOST_ITEMS
            && let Some(item) = items.next_element::<Box<RawValue>>()?
        {
            held.push(Box::from(item));
        }
        let mut count = held.len();
        while items.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(Items { held, count })
    }
}

/// Puts together what a rule asks about a chunk; `None` for a rule that asks nobody.
pub(super) fn call<'e>(rule: &'e Compiled, input: &'e Input, reader: Reader) -> Option<Call<'e>> {
    let external = rule.external()?;
    let places = Places::of(&input.body.text);
    let scene = Scene::new(&input.body.text, &input.mentions, &input.bindings, reader);
    let fields = input
        .told
        .iter()
        .filter(|(name, _)| external.fields.iter().any(|field| super::zones::same_name(field, name)));
    let mut told: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in fields {
        told.entry(name).or_default().push(value);
    }
    let mentions = with_terms(&scene, &input.mentions);
    let table = match &input.body.kind {
        ChunkKind::Rows { header, cells, .. } => {
            let rows = cells.rows.iter().map(|row| row.iter().map(|cell| places.of_span(*cell)).collect());
            Some(TableHere { header, rows: rows.collect() })
        }
        _ => None,
    };
    let request = Request {
        rule: &rule.rule.id,
        language: &input.language,
        text: &input.body.text,
        kind: kind_name(&input.body.kind),
        part: input.body.context.part,
        headings: &input.body.context.headings,
        parents: &input.body.context.parents,
        table,
        document: DocumentHere {
            stands_for: input.stands_for.as_ref().map(EntityKey::to_string),
            fields: told,
        },
        mentions: mentions.iter().filter_map(|mention| mention_here(rule, mention, input, &places)).collect(),
        bindings: input.bindings.iter().map(binding_here).collect(),
        edges: rule.by_edge().map(edge_here).collect(),
        makes: rule
            .by_edge()
            .flat_map(|rule| &rule.makes)
            .map(|(name, forms)| (name.as_str(), forms.form()))
            .collect(),
    };
    // A value of plain fields always serializes.
    let body = serde_json::to_string(&request).ok()?;
    let order = format!("{:?}", input.date_order);
    let fingerprint = Fingerprint::of(&[
        &VERSION.to_string(),
        &rule.rule.revision.to_string(),
        &rule.signature.to_string(),
        &order,
        &body,
    ]);
    let line = format!("{{\"version\":{VERSION},\"id\":\"{fingerprint}\",{}", body.get(1..)?);
    Some(Call { rule: &rule.rule.id, external, line, fingerprint })
}

fn kind_name(kind: &ChunkKind) -> &'static str {
    match kind {
        ChunkKind::Heading => "heading",
        ChunkKind::Prose => "prose",
        ChunkKind::Item => "item",
        ChunkKind::Rows { .. } => "rows",
        ChunkKind::Quote => "quote",
        ChunkKind::Code => "code",
        ChunkKind::Fields => "fields",
    }
}

/// A mention, if it may be an end of an edge that the rule asserts: others do not concern the program.
fn mention_here<'a>(
    rule: &Compiled,
    mention: &Mention,
    input: &'a Input,
    places: &Places,
) -> Option<MentionHere<'a>> {
    let fits = |key: &&EntityKey| {
        rule.by_edge().any(|edge| takes(&edge.subject_types, key) || takes(&edge.object_types, key))
    };
    let entities: Vec<String> = mention.candidates.iter().filter(fits).map(EntityKey::to_string).collect();
    let text = mention.span.of(&input.body.text);
    (!entities.is_empty()).then(|| MentionHere { span: places.of_span(mention.span), text, entities })
}

fn binding_here(binding: &Binding) -> BindingHere<'_> {
    let (entities, date) = match &binding.value {
        Value::Names(names) => {
            let keys = names.iter().flat_map(|named| &named.candidates);
            (keys.map(EntityKey::to_string).collect(), None)
        }
        Value::Date(DateExpr::Stated(stated)) => (Vec::new(), Some(draft::iso(stated))),
        Value::Date(_) => (Vec::new(), None),
    };
    BindingHere { name: &binding.name, text: &binding.support.text, entities, date }
}

fn edge_here(rule: &Compiled) -> EdgeHere<'_> {
    let kind = |kind: &ValueKind| match kind {
        ValueKind::Text => "text",
        ValueKind::Number => "number",
        ValueKind::Duration => "duration",
        ValueKind::Date => "date",
    };
    EdgeHere {
        name: &rule.edge,
        subject: &rule.subject_types,
        object: &rule.object_types,
        properties: rule.properties.iter().map(|(name, value)| (name.as_str(), kind(value))).collect(),
    }
}

impl Call<'_> {
    /// Reads the line that a program answered with; what is wrong with it if it is no answer to this call.
    pub fn hear(&self, line: &[u8]) -> Result<Heard, String> {
        let text = std::str::from_utf8(line).map_err(|_| "its line is not UTF-8".to_owned())?;
        let said = || {
            let start: String = text.trim().chars().take(60).collect();
            format!("`{start}`")
        };
        let line: Line = serde_json::from_str(text).map_err(|error| match error.is_data() {
            true => format!("its line is no answer: {}", short(&json_mismatch(&error), LONGEST_MESSAGE)),
            false => format!("its line {} is no answer: {}", said(), json_fault(&error)),
        })?;
        if line.id != self.fingerprint.to_string() {
            let id = short(&line.id, 60);
            return Err(format!("its line answers the request `{id}`, which was not asked"));
        }
        match (line.assertions, line.error) {
            (Some(Items { count, .. }), None) if count > MOST_ITEMS => {
                Err(format!("its line has {count} assertions, and {MOST_ITEMS} are allowed"))
            }
            (Some(Items { held, .. }), None) => Ok(Heard::Answer(Answer { items: held })),
            (None, Some(error)) => Ok(Heard::Error(error.chars().take(200).collect())),
            _ => Err("its line has not exactly one of `assertions` and `error`".to_owned()),
        }
    }
}

/// The start of a text that may be of any length.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Where the characters of a text begin: programs count characters, and the rest counts bytes.
struct Places {
    starts: Vec<usize>,
}

impl Places {
    fn of(text: &str) -> Self {
        Self { starts: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() }
    }

    /// The bytes of a range of characters; `None` if the text has no such range.
    fn span(&self, [start, end]: [usize; 2]) -> Option<Span> {
        let (first, behind) = (*self.starts.get(start)?, *self.starts.get(end)?);
        (start < end).then(|| Span::new(first, behind))
    }

    /// The characters of a range of bytes.
    fn of_span(&self, span: Span) -> [usize; 2] {
        let place = |byte: usize| self.starts.partition_point(|start| *start < byte);
        [place(span.start), place(span.end)]
    }

    fn size(&self) -> String {
        format!("which has {} characters", self.starts.len() - 1)
    }
}
