//! What a program's answer asserts, item by item: what is no assertion is refused with its reason.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::super::bound::{Named, Value};
use super::super::draft::{self, Desk, Draft};
use super::super::rules::Compiled;
use super::super::with_terms;
use super::{Answer, Fault, LONGEST_MESSAGE, Places, Refusal, short};
use crate::diag::{json_mismatch, nearest};
use crate::model::assertion::{Reading, Supporting};
use crate::model::id::EntityKey;
use crate::model::mention::Mention;
use crate::model::time::{Bound, DateExpr, Period};
use crate::model::token::Span;
use crate::ontology::dates::parse_date_text;
use crate::ontology::{Filler, ValueKind};

/// The longest assertion, in bytes.
const LONGEST_ITEM: usize = 64 << 10;

/// So many refusals of an answer are named; the rest is counted.
const NAMED: usize = 16;

/// An assertion as a program says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    edge: Option<String>,
    subject: Option<End>,
    object: Option<End>,
    quote: [usize; 2],
    valid_from: Option<String>,
    valid_to: Option<String>,
    #[serde(default)]
    properties: BTreeMap<String, Json>,
    confidence: Option<f64>,
}

/// An end of an assertion: a place in the text, or somebody whom the request names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    span: Option<[usize; 2]>,
    entity: Option<String>,
}

/// What a program's answer asserts; what it says and does not assert is refused.
pub(in crate::extract) fn read(
    desk: &Desk<'_, '_>,
    rule: &Compiled,
    answer: &Answer,
    refused: &mut Vec<Refusal>,
) -> Vec<Reading> {
    let asked = Asked {
        desk,
        rule,
        places: Places::of(desk.scene.text),
        mentions: with_terms(desk.scene, &desk.input.mentions),
    };
    let (mut readings, mut named, mut more) = (Vec::new(), 0, 0);
    let mut refuse = |fault, message: String, span, items| {
        let message = short(&message, LONGEST_MESSAGE);
        refused.push(Refusal { rule: rule.rule.id.clone(), fault, message, span, items });
    };
    for (number, item) in (1_usize..).zip(&answer.items) {
        match asked.one(item) {
            Ok(found) => readings.extend(found),
            Err(_) if named == NAMED => more += 1,
            Err(wrong) => {
                named += 1;
                refuse(wrong.fault, format!("assertion {number}: {}", wrong.message), wrong.span, 1);
            }
        }
    }
    if more > 0 {
        refuse(Fault::Form, format!("{more} more of its {} assertions", answer.items.len()), None, more);
    }
    readings
}

/// Why an item is refused.
struct Wrong {
    fault: Fault,
    message: String,
    span: Option<Span>,
}

fn wrong(fault: Fault, span: Option<Span>, message: impl Into<String>) -> Wrong {
    Wrong { fault, message: message.into(), span }
}

/// A chunk about which a program was asked.
struct Asked<'s, 'd, 'a> {
    desk: &'s Desk<'d, 'a>,
    rule: &'s Compiled,
    places: Places,
    mentions: Vec<Mention>,
}

impl Asked<'_, '_, '_> {
    /// The readings of one item: none if what should fill an end is not there, as for every rule.
    fn one(&self, item: &str) -> Result<Vec<Reading>, Wrong> {
        if item.len() > LONGEST_ITEM {
            let message = format!("it has {} bytes, and {LONGEST_ITEM} are allowed", item.len());
            return Err(wrong(Fault::Form, None, message));
        }
        let item: Item =
            serde_json::from_str(item).map_err(|error| wrong(Fault::Form, None, json_mismatch(&error)))?;
        let [start, end] = item.quote;
        let quote = self.span(item.quote).filter(|span| !span.of(self.desk.scene.text).trim().is_empty());
        let span = quote.ok_or_else(|| {
            let message =
                format!("its quote [{start}, {end}] is no text of the chunk, {}", self.places.size());
            wrong(Fault::Span, None, message)
        })?;
        let name = item.edge.as_deref().unwrap_or(&self.rule.edge);
        let edge =
            self.rule.by_edge().find(|rule| rule.edge == name).ok_or_else(|| self.no_edge(name, span))?;
        let support = Supporting {
            role: "program".to_owned(),
            text: edge.external().map(|external| external.program.told()).unwrap_or_default(),
            chunk: None,
        };
        let mut draft = Draft {
            quote: span.of(self.desk.scene.text).to_owned(),
            span: Some(span),
            support: vec![support],
            ..Draft::default()
        };
        draft.subject = self.side(edge, "subject", item.subject.as_ref(), &mut draft)?;
        draft.object = self.side(edge, "object", item.object.as_ref(), &mut draft)?;
        let from = self.date("valid_from", item.valid_from.as_deref(), span)?;
        let to = self.date("valid_to", item.valid_to.as_deref(), span)?;
        draft.intervals.push((from, to));
        draft.properties = self.properties(edge, &item.properties, span)?;
        draft.confidence = item.confidence.map(|sure| thousandths(sure, span)).transpose()?;
        // What the rule fills and this document has not is nobody's fault.
        Ok(self.desk.readings(edge, draft).unwrap_or_default())
    }

    fn no_edge(&self, name: &str, span: Span) -> Wrong {
        let known: Vec<&str> = self.rule.by_edge().map(|rule| rule.edge.as_str()).collect();
        let near = nearest(name, known.iter().copied());
        let near = near.map(|near| format!("; did it mean `{near}`?")).unwrap_or_default();
        let message = format!("the rule may assert `{}`, not `{name}`{near}", known.join("`, `"));
        wrong(Fault::EdgeType, Some(span), message)
    }

    fn span(&self, at: [usize; 2]) -> Option<Span> {
        self.places.span(at)
    }

    /// Who an end is; `None` where the rule says who.
    fn side(
        &self,
        edge: &Compiled,
        side: &str,
        end: Option<&End>,
        draft: &mut Draft,
    ) -> Result<Option<Vec<Named>>, Wrong> {
        let (types, filler): (_, &Option<Filler>) = match side {
            "subject" => (&edge.subject_types, &edge.rule.subject),
            _ => (&edge.object_types, &edge.rule.object),
        };
        let at = draft.span;
        let named = match end {
            None if filler.is_some() => return Ok(None),
            None => {
                let message = format!("it has no {side}, and the rule fills none");
                return Err(wrong(Fault::Form, at, message));
            }
            Some(End { span: Some(span), entity: None }) => self.placed(side, *span, at)?,
            Some(End { span: None, entity: Some(key) }) => self.keyed(edge, side, key, draft)?,
            Some(_) => {
                let message = format!("its {side} has not exactly one of `span` and `entity`");
                return Err(wrong(Fault::Form, at, message));
            }
        };
        match named.of_types(types) {
            Some(named) => Ok(Some(vec![named])),
            None => {
                let who = named.candidates.iter().map(EntityKey::to_string).collect::<Vec<_>>().join(" or ");
                let message =
                    format!("the {side} of `{}` is {}, and `{who}` is none", edge.edge, types.join(" or "));
                Err(wrong(Fault::Types, at, message))
            }
        }
    }

    /// Whom a place names: those whose name it is exactly; a name that nobody knows is a name all the same.
    fn placed(&self, side: &str, at: [usize; 2], quote: Option<Span>) -> Result<Named, Wrong> {
        let text = self.desk.scene.text;
        let span = self.span(at).filter(|span| !span.of(text).trim().is_empty()).ok_or_else(|| {
            let message =
                format!("its {side} [{}, {}] is no text of the chunk, {}", at[0], at[1], self.places.size());
            wrong(Fault::Span, quote, message)
        })?;
        let mut candidates: Vec<EntityKey> = self
            .mentions
            .iter()
            .filter(|mention| mention.span == span)
            .flat_map(|mention| mention.candidates.iter().cloned())
            .collect();
        candidates.sort();
        candidates.dedup();
        Ok(Named { surface: span.of(text).to_owned(), candidates })
    }

    /// Somebody whom the request names, in the text, by a binding, or as the one for whom the document stands; or
    /// somebody whom texts make, by a key of the form that such keys have.
    fn keyed(&self, edge: &Compiled, side: &str, key: &str, draft: &mut Draft) -> Result<Named, Wrong> {
        let at = draft.span;
        let input = self.desk.input;
        let unknown = || {
            let message = format!("its {side} is `{key}`, and the request names nobody with this key");
            wrong(Fault::Entity, at, message)
        };
        let key: EntityKey = key.parse().map_err(|_| unknown())?;
        let is_here = |named: &Mention| named.candidates.contains(&key);
        if let Some(mention) = self.mentions.iter().find(|mention| is_here(mention)) {
            let surface = mention.span.of(self.desk.scene.text).to_owned();
            return Ok(Named { surface, candidates: vec![key] });
        }
        if input.stands_for.as_ref() == Some(&key) {
            return Ok(Named { surface: draft::DOCUMENT.to_owned(), candidates: vec![key] });
        }
        for binding in &input.bindings {
            let Value::Names(names) = &binding.value else { continue };
            if let Some(named) = names.iter().find(|named| named.candidates.contains(&key)) {
                draft.support.push(binding.support.clone());
                return Ok(Named { surface: named.surface.clone(), candidates: vec![key] });
            }
        }
        let forms = edge.makes.get(key.entity_type());
        if forms.is_some_and(|forms| forms.key_of(key.key()).as_deref() == Some(key.key())) {
            return Ok(Named { surface: key.key().to_owned(), candidates: vec![key] });
        }
        Err(unknown())
    }

    /// A bound; an end is the last day that belongs.
    fn date(&self, name: &str, text: Option<&str>, at: Span) -> Result<Option<Bound>, Wrong> {
        let Some(text) = text else { return Ok(None) };
        let input = self.desk.input;
        match parse_date_text(text, self.desk.scene.reader.language, input.date_order) {
            Some(date @ DateExpr::Stated(_)) => Ok(Some(Bound { date, inclusive: true })),
            _ => Err(wrong(Fault::Value, Some(at), format!("its `{name}` is `{text}`, and that is no date"))),
        }
    }

    fn properties(
        &self,
        edge: &Compiled,
        given: &BTreeMap<String, Json>,
        at: Span,
    ) -> Result<BTreeMap<String, String>, Wrong> {
        let mut properties = BTreeMap::new();
        let no = |message: String| wrong(Fault::Value, Some(at), message);
        for (name, value) in given {
            let Some(kind) = edge.properties.get(name) else {
                return Err(no(format!("`{}` has no property `{name}`", edge.edge)));
            };
            let text = match value {
                Json::String(text) => text.clone(),
                Json::Number(number) => number.to_string(),
                Json::Null => continue,
                _ => return Err(no(format!("its property `{name}` is neither a text nor a number"))),
            };
            let (input, language) = (self.desk.input, self.desk.scene.reader.language);
            let Some(value) = draft::property(*kind, &text, input, language) else { continue };
            let fits = match kind {
                ValueKind::Text => true,
                ValueKind::Number => value.parse::<f64>().is_ok(),
                ValueKind::Duration => value.parse::<Period>().is_ok(),
                ValueKind::Date => {
                    matches!(parse_date_text(&value, language, input.date_order), Some(DateExpr::Stated(_)))
                }
            };
            if !fits {
                let kind = format!("{kind:?}").to_lowercase();
                return Err(no(format!("its property `{name}` is `{text}`, and that is no {kind}")));
            }
            properties.insert(name.clone(), value);
        }
        Ok(properties)
    }
}

/// A confidence as it is kept.
fn thousandths(sure: f64, at: Span) -> Result<u16, Wrong> {
    if !(0.0..=1.0).contains(&sure) {
        let message = format!("its confidence is {sure}, and it is from 0 to 1");
        return Err(wrong(Fault::Value, Some(at), message));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
    let thousandths = (sure * 1000.0).round() as u16;
    Ok(thousandths)
}
