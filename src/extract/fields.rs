//! `field` rules: the header fields of a document, read once, in the chunk that holds them.

use std::collections::BTreeMap;

use super::bound::Named;
use super::draft::{Desk, Draft, date, is_blank, property};
use super::input::FieldHere;
use super::rules::Compiled;
use super::zones::same_name;
use super::{Miss, MissKind, Notes};
use crate::model::assertion::Reading;
use crate::model::time::Bound;
use crate::model::token::Span;

/// Reads the header fields by a rule. Slot name → the names that its field may have.
pub(super) fn read(
    desk: &Desk<'_, '_>,
    rule: &Compiled,
    slots: &BTreeMap<String, Vec<String>>,
    notes: &mut Notes,
) -> Vec<Reading> {
    let fields = |slot: &str| -> Vec<&FieldHere> {
        let names = slots.get(slot).map(Vec::as_slice).unwrap_or_default();
        let first =
            names.iter().find(|name| desk.input.fields.iter().any(|field| same_name(&field.name, name)));
        let named = |field: &&FieldHere| first.is_some_and(|name| same_name(&field.name, name));
        desk.input.fields.iter().filter(named).filter(|field| !is_blank(&field.value)).collect()
    };
    let mut draft = Draft::default();
    let mut interval = (None, None);
    let mut used: Vec<&FieldHere> = Vec::new();
    for slot in slots.keys() {
        let read = fields(slot);
        let Some(first) = read.first() else {
            if matches!(slot.as_str(), "subject" | "object") {
                // A header without the field says nothing.
                return Vec::new();
            }
            continue;
        };
        let bound = || {
            let date = date(&first.value, desk.input, desk.scene.reader.language);
            date.map(|date| Bound { date, inclusive: true })
        };
        match slot.as_str() {
            "subject" => draft.subject = Some(named(&read, &rule.subject_types)),
            "object" => draft.object = Some(named(&read, &rule.object_types)),
            "valid_from" => interval.0 = bound(),
            "valid_to" => interval.1 = bound(),
            "during" | "valid" => interval = (bound(), bound()),
            name => {
                let kind = rule.properties.get(name);
                let language = desk.scene.reader.language;
                let text = kind.and_then(|kind| property(*kind, &first.value, desk.input, language));
                draft.properties.extend(text.map(|text| (name.to_owned(), text)));
            }
        }
        used.extend(read);
    }
    if used.is_empty() || [&draft.subject, &draft.object].into_iter().flatten().any(Vec::is_empty) {
        return Vec::new();
    }
    draft.intervals.push(interval);
    quote(desk, &mut draft, &used);
    for named in
        draft.subject.iter().chain(&draft.object).flatten().filter(|named| named.candidates.is_empty())
    {
        notes.add(|| {
            let kind = MissKind::UnknownName { surface: named.surface.clone() };
            Some(Miss { rule: rule.rule.id.clone(), kind, quote: draft.quote.clone(), span: draft.span })
        });
    }
    match desk.readings(rule, draft) {
        Ok(readings) => readings,
        Err(miss) => {
            notes.add(|| Some(miss));
            Vec::new()
        }
    }
}

/// Everyone named in the fields' values; a value's whole text, if nobody is.
fn named(fields: &[&FieldHere], types: &[String]) -> Vec<Named> {
    let mut found = Vec::new();
    for field in fields {
        let text = || vec![Named { surface: field.value.trim().to_owned(), candidates: Vec::new() }];
        let known = if field.names.is_empty() { text() } else { field.names.clone() };
        found.extend(known.iter().filter_map(|named| named.of_types(types)));
    }
    found
}

/// The raw value, or the text from the first value that was used to the last.
fn quote(desk: &Desk<'_, '_>, draft: &mut Draft, used: &[&FieldHere]) {
    let spans: Vec<Span> = used.iter().filter_map(|field| field.span).collect();
    let ends = spans.iter().map(|span| span.start).min().zip(spans.iter().map(|span| span.end).max());
    match ends
        .map(|(start, end)| Span::new(start, end))
        .filter(|span| !span.of(&desk.input.body.text).is_empty())
    {
        Some(span) => {
            draft.quote = span.of(&desk.input.body.text).to_owned();
            draft.span = Some(span);
        }
        // Fields that are no part of the text, such as those of an HTML head.
        None => {
            let values = used.iter().map(|field| field.value.as_str());
            draft.quote = values.collect::<Vec<_>>().join(" | ");
        }
    }
}
