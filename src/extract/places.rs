//! `mentions` and `link` rules: everything of a type in a zone, and where links lead.

use regex::Regex;

use super::bound::{Named, Value};
use super::definitions::definitions;
use super::draft::{Desk, Draft};
use super::rules::Compiled;
use super::{Miss, MissKind, Notes};
use crate::model::assertion::{Reading, Supporting};
use crate::model::id::EntityKey;
use crate::model::token::Span;
use crate::ontology::{Side, Template};

/// Asserts for everyone of the types who is named in the chunk, at the first place that names them.
pub(super) fn mentions(
    desk: &Desk<'_, '_>,
    rule: &Compiled,
    side: Side,
    types: &[String],
    notes: &mut Notes,
) -> Vec<Reading> {
    let mut places: Vec<(Span, Named, Option<Supporting>)> = Vec::new();
    for mention in &desk.input.mentions {
        let surface = mention.span.of(desk.scene.text).to_owned();
        let named = Named { surface, candidates: mention.candidates.clone() }.of_types(types);
        places.extend(named.map(|named| (mention.span, named, None)));
    }
    for (first, behind, place) in desk.scene.terms() {
        let bound = &desk.scene.bound[place];
        let Value::Names(names) = &bound.value else { continue };
        for named in names.iter().filter_map(|named| named.of_types(types)) {
            places.push((desk.scene.span(first, behind), named, Some(bound.support.clone())));
        }
    }
    places.retain(|(span, named, _)| !named.candidates.is_empty() && !span.of(desk.scene.text).is_empty());
    places.sort_by_key(|(span, ..)| *span);
    let mut seen: Vec<Vec<EntityKey>> = Vec::new();
    let mut readings = Vec::new();
    for (span, named, support) in places {
        if seen.contains(&named.candidates) {
            continue;
        }
        seen.push(named.candidates.clone());
        let mut draft = quoted(desk, span);
        draft.support.extend(support);
        match side {
            Side::Subject => draft.subject = Some(vec![named]),
            Side::Object => draft.object = Some(vec![named]),
        }
        finish(desk, rule, draft, &mut readings, notes);
    }
    readings
}

/// Reads everyone for whom the chunk defines a term: known names, and those with a legal form.
pub(super) fn defined(
    desk: &Desk<'_, '_>,
    rule: &Compiled,
    side: Side,
    types: &[String],
    notes: &mut Notes,
) -> Vec<Reading> {
    let mut seen: Vec<Named> = Vec::new();
    let mut readings = Vec::new();
    for definition in definitions(desk.scene, desk.input.stands_for.as_ref()) {
        let Value::Names(names) = &definition.value else { continue };
        for named in names.iter().filter_map(|named| named.of_types(types)) {
            let known = !named.candidates.is_empty();
            if !(known || definition.strong) || seen.iter().any(|before| before.agrees(&named)) {
                continue;
            }
            seen.push(named.clone());
            let mut draft = quoted(desk, definition.span);
            match side {
                Side::Subject => draft.subject = Some(vec![named]),
                Side::Object => draft.object = Some(vec![named]),
            }
            finish(desk, rule, draft, &mut readings, notes);
        }
    }
    readings
}

/// A place as quote, with the headings above it.
fn quoted(desk: &Desk<'_, '_>, span: Span) -> Draft {
    let headings = desk.input.body.context.headings.join(" > ");
    let header = Supporting { role: "header".to_owned(), text: headings, chunk: None };
    Draft {
        quote: span.of(desk.scene.text).to_owned(),
        span: Some(span),
        support: Some(header).filter(|header| !header.text.is_empty()).into_iter().collect(),
        ..Draft::default()
    }
}

fn finish(
    desk: &Desk<'_, '_>,
    rule: &Compiled,
    draft: Draft,
    readings: &mut Vec<Reading>,
    notes: &mut Notes,
) {
    match desk.readings(rule, draft) {
        Ok(found) => readings.extend(found),
        Err(miss) => notes.add(|| Some(miss)),
    }
}

/// Asserts for every link whose target has the form of the template, or that leads to a document.
pub(super) fn links(
    desk: &Desk<'_, '_>,
    rule: &Compiled,
    target: Option<&Template>,
    notes: &mut Notes,
) -> Vec<Reading> {
    let form = target.map(|template| target_form(&template.source));
    let mut readings = Vec::new();
    for (span, link) in &desk.input.body.links {
        if span.of(desk.scene.text).is_empty() {
            continue;
        }
        let mut draft = quoted(desk, *span);
        match &form {
            Some(Some(form)) => {
                let Some(found) = form.captures(link) else {
                    notes.add(|| {
                        let kind =
                            MissKind::Partial { got: 0, of: 1, expected: "the link's target".to_owned() };
                        Some(Miss {
                            rule: rule.rule.id.clone(),
                            kind,
                            quote: link.clone(),
                            span: Some(*span),
                        })
                    });
                    continue;
                };
                let side = |name: &str, types: &[String]| {
                    found.name(name).map(|key| vec![keyed(desk, *span, key.as_str(), types)])
                };
                draft.subject = side("subject", &rule.subject_types);
                draft.object = side("object", &rule.object_types);
            }
            Some(None) => continue,
            None => {
                let Some(path) = resolved(desk.input.path.as_deref().unwrap_or_default(), link) else {
                    continue;
                };
                let subject_open = rule.rule.subject.is_none();
                let types = if subject_open { &rule.subject_types } else { &rule.object_types };
                let named = vec![linked(desk, *span, &path, types)];
                *(if subject_open { &mut draft.subject } else { &mut draft.object }) = Some(named);
            }
        }
        draft.support.push(Supporting { role: "link".to_owned(), text: link.clone(), chunk: None });
        finish(desk, rule, draft, &mut readings, notes);
    }
    readings
}

/// The entity of a key in a target: the one that the link's text names, else one for each type.
fn keyed(desk: &Desk<'_, '_>, span: Span, key: &str, types: &[String]) -> Named {
    let key = decoded(key);
    let mentioned = desk.input.mentions.iter().filter(|mention| span.covers(&mention.span));
    let mut named = mentioned.flat_map(|mention| &mention.candidates);
    let same = named.find(|known| known.key() == key && types.iter().any(|name| name == known.entity_type()));
    let candidates = match same {
        Some(known) => vec![known.clone()],
        None => types.iter().filter_map(|name| EntityKey::new(name, &key)).collect(),
    };
    Named { surface: key, candidates }
}

/// For whom the document at a path stands; else the entity that the link's text names; else the document's
/// path, which nobody here knows.
fn linked(desk: &Desk<'_, '_>, span: Span, path: &str, types: &[String]) -> Named {
    if let Some(key) = desk.input.targets.get(path)
        && types.iter().any(|name| name == key.entity_type())
    {
        return Named { surface: span.of(desk.scene.text).to_owned(), candidates: vec![key.clone()] };
    }
    let mentioned = desk.input.mentions.iter().filter(|mention| span.covers(&mention.span));
    let named = mentioned.filter_map(|mention| {
        let surface = mention.span.of(desk.scene.text).to_owned();
        Named { surface, candidates: mention.candidates.clone() }.of_types(types)
    });
    let mut known = named.filter(|named| !named.candidates.is_empty());
    known.next().unwrap_or_else(|| Named { surface: path.to_owned(), candidates: Vec::new() })
}

/// A target template as an expression: a slot takes what is no `/`, `?` or `#`, `*` what is no `/`. A
/// template that begins within the target begins at one of its parts.
fn target_form(source: &str) -> Option<Regex> {
    let mut form = String::from("(?:^|/)");
    let mut rest = source.trim_start_matches('/').chars();
    while let Some(next) = rest.next() {
        match next {
            '{' => {
                let slot: String = rest.by_ref().take_while(|next| *next != '}').collect();
                let name = slot.split(':').next().unwrap_or_default();
                let sound =
                    !name.is_empty() && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_');
                let name = if sound { name } else { return None };
                form.push_str(&format!("(?P<{name}>[^/?#]+?)"));
            }
            '\\' => form.extend(rest.next().map(|mark| regex::escape(&mark.to_string()))),
            '*' => form.push_str("[^/]*"),
            '[' => form.push_str("(?:"),
            ']' => form.push_str(")?"),
            '(' => form.push_str("(?:"),
            ')' | '|' => form.push(next),
            _ => form.push_str(&regex::escape(&next.to_string())),
        }
    }
    form.push_str("/?(?:[?#].*)?$");
    Regex::new(&form).ok()
}

/// `%2F` and the like in a key of a target.
fn decoded(key: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = key.bytes();
    while let Some(next) = rest.next() {
        let escaped = (next == b'%').then(|| rest.as_slice_of(2)).flatten();
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                let _ = (rest.next(), rest.next());
            }
            None => bytes.push(next),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| key.to_owned())
}

/// Looks at hexadecimal digits ahead without consuming them.
trait Ahead {
    fn as_slice_of(&self, digits: usize) -> Option<u8>;
}

impl Ahead for std::str::Bytes<'_> {
    fn as_slice_of(&self, digits: usize) -> Option<u8> {
        let ahead: Vec<u8> = self.clone().take(digits).collect();
        let text = std::str::from_utf8(&ahead).ok().filter(|text| text.len() == digits)?;
        u8::from_str_radix(text, 16).ok()
    }
}

/// The path of the document to which a link leads, seen from the document at `path`; `None` for a link
/// that leaves the source.
pub fn resolved(path: &str, link: &str) -> Option<String> {
    let link = link.split(['#', '?']).next().unwrap_or_default();
    if link.is_empty() || link.contains(':') || link.starts_with("//") {
        return None;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let base = if link.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| decoded(&parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_paths() {
        let form = target_form("parts/{object}[.html]").unwrap();
        for (target, key) in [
            ("https://erp.example/parts/FCU-9", Some("FCU-9")),
            ("../parts/FCU-9.html?x=1", Some("FCU-9")),
            ("spareparts/FCU-9", None),
            ("parts/a/b", None),
        ] {
            let found = form.captures(target).map(|found| found["object"].to_owned());
            assert_eq!(found.as_deref(), key, "{target}");
        }
        assert!(target_form("{object").is_none() || target_form("{").is_none());
        for (link, path) in [
            ("../b.md#x", Some("b.md")),
            ("./c%20d.md", Some("a/c d.md")),
            ("/x/y.md", Some("x/y.md")),
            ("https://e.example/x", None),
            ("../../../x", None),
            ("#x", None),
        ] {
            assert_eq!(resolved("a/doc.md", link).as_deref(), path, "{link}");
        }
        assert_eq!(decoded("a%2Fb%zz%"), "a/b%zz%");
    }
}
