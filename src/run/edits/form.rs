//! The form of an edit: which operations there are, what each takes, and an edit as it was written.
//!
//! One table serves the command line, the files of JSON lines and the published schema. Nothing is looked
//! up here: whether an entity exists is another question than whether a line names one.

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, Place, nearest};

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// An entity comes to be.
    AddEntity,
    /// An entity is no more; its edges are retracted and its names stay linked.
    RemoveEntity,
    /// A fact holds.
    AddRelationship,
    /// A fact has ended.
    ExpireRelationship,
    /// An event comes to be, and what its bulletin says follows from the ontology's rules.
    AddRiskEvent,
    /// An earlier edit is taken back.
    Undo,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text that says something.
    Text,
    /// A day such as `2024-02-17`.
    Day,
    /// The number of an edit.
    Number,
    /// Texts.
    Texts,
    /// Names with their values.
    Pairs,
}

/// A field that an operation takes.
#[derive(Debug, Clone, Copy)]
pub struct Takes {
    /// Its name, in a line and as an option of the command.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// True if the edit cannot do without it.
    pub required: bool,
    /// What it is, for people.
    pub what: &'static str,
}

const fn needs(name: &'static str, kind: Kind, what: &'static str) -> Takes {
    Takes { name, kind, required: true, what }
}

const fn may(name: &'static str, kind: Kind, what: &'static str) -> Takes {
    Takes { name, kind, required: false, what }
}

const REASON: Takes = needs("reason", Kind::Text, "Why, for the audit.");
const TICKET: Takes = needs("ticket", Kind::Text, "Where it was decided: a ticket, a mail, minutes.");
const SUBJECT: Takes = needs("subject", Kind::Text, "The subject: `Type:key`, a key or a name.");
const EDGE_TYPE: Takes = needs("type", Kind::Text, "The edge type.");
const OBJECT: Takes = needs("object", Kind::Text, "The object: `Type:key`, a key or a name.");
const NAMES: Takes = may("names", Kind::Texts, "The names by which texts call it, the full one first.");

const ADD_ENTITY: &[Takes] = &[
    needs("type", Kind::Text, "The entity type."),
    needs("key", Kind::Text, "The key in its system of record."),
    NAMES,
    may("properties", Kind::Pairs, "Properties of the entity."),
    REASON,
    TICKET,
];
const REMOVE_ENTITY: &[Takes] =
    &[needs("entity", Kind::Text, "The entity: `Type:key`, a key or a name."), REASON, TICKET];
const ADD_RELATIONSHIP: &[Takes] = &[
    SUBJECT,
    EDGE_TYPE,
    OBJECT,
    needs("from", Kind::Day, "The first day on which it holds, or `unknown`."),
    may("to", Kind::Day, "The first day on which it no longer holds; open without one."),
    may("properties", Kind::Pairs, "Properties of the edge that its type declares."),
    REASON,
    TICKET,
];
const EXPIRE_RELATIONSHIP: &[Takes] = &[
    SUBJECT,
    EDGE_TYPE,
    OBJECT,
    needs("on", Kind::Day, "The first day on which it no longer holds."),
    may("properties", Kind::Pairs, "Identity properties, where they tell facts apart."),
    REASON,
    TICKET,
];
const ADD_RISK_EVENT: &[Takes] = &[
    may("type", Kind::Text, "The entity type of the event; default `RiskEvent`."),
    needs("key", Kind::Text, "The key of the event."),
    needs("title", Kind::Text, "What the event is called."),
    NAMES,
    may("severity", Kind::Text, "How severe it is: a property of the event."),
    may("date", Kind::Day, "The day of the event: a property of it."),
    may("properties", Kind::Pairs, "More properties of the event."),
    needs("text", Kind::Text, "The bulletin, as Markdown: the ontology's rules read it."),
    REASON,
    TICKET,
];
const UNDO: &[Takes] = &[
    needs("number", Kind::Number, "The number of the edit that is taken back."),
    REASON,
    may("ticket", Kind::Text, TICKET.what),
];

impl Operation {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::AddEntity,
        Self::RemoveEntity,
        Self::AddRelationship,
        Self::ExpireRelationship,
        Self::AddRiskEvent,
        Self::Undo,
    ];

    /// The name, in the field `edit` of a line and as a command.
    pub fn name(self) -> &'static str {
        match self {
            Self::AddEntity => "add-entity",
            Self::RemoveEntity => "remove-entity",
            Self::AddRelationship => "add-relationship",
            Self::ExpireRelationship => "expire-relationship",
            Self::AddRiskEvent => "add-risk-event",
            Self::Undo => "undo",
        }
    }

    /// The operation of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// What it takes.
    pub fn takes(self) -> &'static [Takes] {
        match self {
            Self::AddEntity => ADD_ENTITY,
            Self::RemoveEntity => REMOVE_ENTITY,
            Self::AddRelationship => ADD_RELATIONSHIP,
            Self::ExpireRelationship => EXPIRE_RELATIONSHIP,
            Self::AddRiskEvent => ADD_RISK_EVENT,
            Self::Undo => UNDO,
        }
    }
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, a day or a number, as written.
    Text(String),
    /// Texts.
    Texts(Vec<String>),
    /// Names with their values.
    Pairs(BTreeMap<String, String>),
    /// What no field holds.
    Other,
}

/// A field as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its value.
    pub value: Value,
    /// Where its value stands.
    pub at: Place,
}

/// An edit as written: of the right form, and nothing looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What it does.
    pub operation: Operation,
    /// Its fields.
    pub fields: BTreeMap<&'static str, Field>,
    /// Where it stands.
    pub at: Place,
}

impl Written {
    /// Makes an edit of named fields, or says everything that is wrong with its form.
    pub fn new(
        operation: Operation,
        at: Place,
        named: Vec<(String, Place, Field)>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut fields: BTreeMap<&'static str, Field> = BTreeMap::new();
        for (name, name_at, field) in named {
            let Some(takes) = operation.takes().iter().find(|takes| takes.name == name) else {
                problems.push(unknown_field(operation, &name, name_at));
                continue;
            };
            if fields.contains_key(takes.name) {
                let message = format!("`{name}` is given twice");
                problems.push(Diagnostic::error("edit-form", name_at, message).hint("keep one of them"));
                continue;
            }
            problems.extend(takes.wrong(&field));
            fields.insert(takes.name, field);
        }
        for takes in operation.takes().iter().filter(|takes| takes.required) {
            if !fields.contains_key(takes.name) {
                let code = if takes.kind == Kind::Day { "date-missing" } else { "edit-form" };
                let message = format!("`{}` needs `{}`", operation.name(), takes.name);
                problems.push(Diagnostic::error(code, at.clone(), message).hint(lower(takes.what)));
            }
        }
        if problems.is_empty() { Ok(Self { operation, fields, at }) } else { Err(problems) }
    }

    /// A text field, trimmed, with its place; `None` if it is not given.
    pub fn text(&self, name: &str) -> Option<(&str, &Place)> {
        let field = self.fields.get(name)?;
        match &field.value {
            Value::Text(text) => Some((text.trim(), &field.at)),
            Value::Texts(_) | Value::Pairs(_) | Value::Other => None,
        }
    }

    /// Texts; none if they are not given.
    pub fn texts(&self, name: &str) -> &[String] {
        match self.fields.get(name).map(|field| &field.value) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// Where a field stands; where the edit does if it is not given.
    pub fn at(&self, name: &str) -> &Place {
        self.fields.get(name).map_or(&self.at, |field| &field.at)
    }

    /// Names with their values, and where they stand.
    pub fn pairs(&self, name: &str) -> Option<(&BTreeMap<String, String>, &Place)> {
        let field = self.fields.get(name)?;
        match &field.value {
            Value::Pairs(pairs) => Some((pairs, &field.at)),
            Value::Text(_) | Value::Texts(_) | Value::Other => None,
        }
    }
}

impl Takes {
    /// What is wrong with a value for this field, if anything is.
    fn wrong(&self, field: &Field) -> Option<Diagnostic> {
        let wants = match (self.kind, &field.value) {
            (Kind::Text | Kind::Day, Value::Text(text)) if text.trim().is_empty() => {
                "a text that says something"
            }
            (Kind::Texts, Value::Texts(texts)) if texts.iter().any(|text| text.trim().is_empty()) => {
                "texts that say something"
            }
            (Kind::Number, Value::Text(text)) if text.parse::<u64>().is_err() => "a number such as 3",
            (Kind::Text | Kind::Day | Kind::Number, Value::Text(_))
            | (Kind::Texts, Value::Texts(_))
            | (Kind::Pairs, Value::Pairs(_)) => return None,
            (Kind::Text, _) => "a text",
            (Kind::Day, _) => "a day such as 2024-02-17",
            (Kind::Number, _) => "a number such as 3",
            (Kind::Texts, _) => "a list of texts",
            (Kind::Pairs, _) => "names with texts as their values",
        };
        let message = format!("`{}` must be {wants}", self.name);
        Some(Diagnostic::error("edit-form", field.at.clone(), message).hint(lower(self.what)))
    }
}

fn unknown_field(operation: Operation, name: &str, at: Place) -> Diagnostic {
    let known: Vec<&str> = operation.takes().iter().map(|takes| takes.name).collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it takes {}", known.join(", ")),
    };
    Diagnostic::error("edit-form", at, format!("`{}` takes no `{name}`", operation.name())).hint(hint)
}

/// A help text as the fragment that a hint is.
fn lower(what: &str) -> String {
    let what = what.trim_end_matches('.');
    let mut characters = what.chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}

/// The JSON Schema of a line of a file of edits.
pub fn schema() -> serde_json::Value {
    use serde_json::{Map, Value, json};
    let variants: Vec<Value> = Operation::ALL
        .into_iter()
        .map(|operation| {
            let mut properties = Map::new();
            properties.insert("edit".to_owned(), json!({ "const": operation.name() }));
            for takes in operation.takes() {
                let mut form = match takes.kind {
                    Kind::Text | Kind::Day => json!({ "type": "string", "minLength": 1 }),
                    Kind::Number => json!({ "type": "integer", "minimum": 1 }),
                    Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
                    Kind::Pairs => {
                        json!({ "type": "object", "additionalProperties": { "type": ["string", "number"] } })
                    }
                };
                form["description"] = json!(takes.what);
                properties.insert(takes.name.to_owned(), form);
            }
            let required: Vec<&str> = std::iter::once("edit")
                .chain(operation.takes().iter().filter(|takes| takes.required).map(|takes| takes.name))
                .collect();
            json!({
                "title": operation.name(), "type": "object", "properties": properties,
                "required": required, "additionalProperties": false,
            })
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a file of edits",
        "oneOf": variants,
    })
}
