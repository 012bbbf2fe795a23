//! XML as it comes: tags and text, without a tree.
//!
//! Names are said with the prefixes that everybody uses, whatever prefix a file declares for their namespace.
//! Entities that a file defines are not expanded, and nothing outside it is opened.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Elements are nested so deep at most.
const DEEPEST: usize = 1_000;

/// The prefixes that are used here, by the end of their namespace: that of the standard's two variants is the same.
const NAMESPACES: [(&str, &str); 5] = [
    ("wordprocessingml/main", "w"),
    ("wordprocessingml/2006/main", "w"),
    ("spreadsheetml/main", "x"),
    ("spreadsheetml/2006/main", "x"),
    ("markup-compatibility/2006", "mc"),
];

/// What comes next.
pub(super) enum Node<'n, 'x> {
    /// An element begins.
    Open(&'n Tag<'x>),
    /// An element ends.
    Close(&'n str),
    /// Text, its references resolved.
    Text(Cow<'n, str>),
}

/// The start of an element.
pub(super) struct Tag<'x> {
    /// Its name with a known prefix: `w:p`.
    pub(super) name: String,
    start: BytesStart<'x>,
}

impl Tag<'_> {
    /// The name without its prefix.
    pub(super) fn local(&self) -> &str {
        self.name.rsplit(':').next().unwrap_or(&self.name)
    }

    /// The value of the attribute with this name, whatever its prefix.
    pub(super) fn value(&self, local: &str) -> Option<String> {
        let found = self.start.attributes().flatten().find(|one| {
            let key: &str = one.key.as_ref();
            key.rsplit(':').next() == Some(local)
        })?;
        let raw: &str = &found.value;
        Some(unescaped(raw))
    }

    /// The attribute as a number.
    pub(super) fn number<N: std::str::FromStr>(&self, local: &str) -> Option<N> {
        self.value(local)?.trim().parse().ok()
    }

    /// What an on-off element says: on unless its value denies it.
    pub(super) fn is_on(&self) -> bool {
        self.value("val").is_none_or(|value| !matches!(value.as_str(), "0" | "false" | "off" | "none"))
    }
}

/// Gives all tags and texts to `each`; an error is what is wrong with the XML. Linear.
pub(super) fn walk(
    text: &str,
    each: &mut dyn FnMut(Node<'_, '_>) -> Result<(), String>,
) -> Result<(), String> {
    let mut reader = Reader::from_str(text);
    let mut prefixes: Vec<(String, &'static str)> = Vec::new();
    let mut depth = 0_usize;
    loop {
        let event = reader.read_event().map_err(|error| error.to_string())?;
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(format!("its elements are nested more than {DEEPEST} deep"));
                }
                let tag = tag(start, &mut prefixes);
                each(Node::Open(&tag))?;
            }
            Event::Empty(start) => {
                let tag = tag(start, &mut prefixes);
                each(Node::Open(&tag))?;
                each(Node::Close(&tag.name))?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                let name = end.name();
                let raw: &str = name.as_ref();
                each(Node::Close(&usual(raw, &prefixes)))?;
            }
            Event::Text(text) => {
                let text = text.xml10_content();
                each(Node::Text(text))?;
            }
            Event::CData(text) => {
                let text = text.xml10_content();
                each(Node::Text(text))?;
            }
            Event::GeneralRef(reference) => {
                let inner: &str = &reference;
                each(Node::Text(Cow::Owned(unescaped(&format!("&{inner};")))))?;
            }
            Event::Eof if depth > 0 => return Err("it ends in the middle".to_owned()),
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn tag<'x>(start: BytesStart<'x>, prefixes: &mut Vec<(String, &'static str)>) -> Tag<'x> {
    let declares = start.attributes_raw().contains("xmlns");
    for attribute in start.attributes().flatten().take_while(|_| declares) {
        let key: &str = attribute.key.as_ref();
        let Some(prefix) = key.strip_prefix("xmlns") else { continue };
        let uri: &str = &attribute.value;
        let known = NAMESPACES.iter().find(|(end, _)| uri.ends_with(end));
        if let Some((_, known)) = known {
            let prefix = prefix.trim_start_matches(':').to_owned();
            if !prefixes.iter().any(|(one, _)| *one == prefix) {
                prefixes.push((prefix, known));
            }
        }
    }
    let name = start.name();
    let raw: &str = name.as_ref();
    Tag { name: usual(raw, prefixes), start }
}

/// The name with the prefix that everybody uses.
fn usual(name: &str, prefixes: &[(String, &'static str)]) -> String {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    match prefixes.iter().find(|(one, _)| one == prefix) {
        Some((_, known)) => format!("{known}:{local}"),
        None => name.to_owned(),
    }
}

/// Text with its references resolved; one that cannot be is left as it is written.
fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}
