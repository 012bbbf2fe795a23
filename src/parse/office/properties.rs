//! The properties of an Office file: `docProps/core.xml` as header fields.

use super::{Fault, Package, relations, xml};
use crate::model::spot::Spot;
use crate::parse::build::{Builder, one_line};

/// Which properties are read, and as which fields.
const NAMES: [(&str, &str); 6] = [
    ("title", "title"),
    ("subject", "subject"),
    ("creator", "author"),
    ("keywords", "keywords"),
    ("created", "created"),
    ("modified", "modified"),
];

/// The properties in a fixed order: name and value. A part that is no XML says nothing.
pub(super) fn read(package: &mut Package<'_>) -> Result<Vec<(&'static str, String)>, Fault> {
    let related = relations(package, "")?.into_iter().find(|relation| relation.kind == "core-properties");
    let part = related.map_or_else(|| "docProps/core.xml".to_owned(), |relation| relation.target);
    let Some(text) = package.text(&part)? else { return Ok(Vec::new()) };
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut open: Option<(&str, String)> = None;
    let walked = xml::walk(&text, &mut |node| {
        match node {
            xml::Node::Open(tag) => {
                let known = NAMES.iter().find(|(name, _)| *name == tag.local());
                open = known.map(|(_, field)| (*field, String::new()));
            }
            xml::Node::Text(text) => {
                if let Some((_, value)) = &mut open {
                    value.push_str(&text);
                }
            }
            xml::Node::Close(_) => found.extend(open.take()),
        }
        Ok(())
    });
    if walked.is_err() {
        return Ok(Vec::new());
    }
    let order = |name: &str| NAMES.iter().position(|(_, field)| *field == name);
    found.sort_by_key(|(name, _)| order(name));
    let values = found.into_iter().map(|(name, value)| (name, tidy(name, &value)));
    Ok(values.filter(|(_, value)| !value.is_empty()).collect())
}

/// The value in one line; of a time its day.
fn tidy(name: &str, value: &str) -> String {
    let value = one_line(value);
    match value.split_once('T') {
        Some((day, _)) if matches!(name, "created" | "modified") => day.to_owned(),
        _ => value,
    }
}

/// Writes the properties at the top of the text, one a line, so that they can be quoted.
pub(super) fn write(builder: &mut Builder, properties: &[(&'static str, String)]) {
    if properties.is_empty() {
        return;
    }
    builder.begin(false);
    for (name, value) in properties {
        builder.push_at(&format!("{name}: "), &Spot::Properties);
        let start = builder.len();
        builder.push_at(value, &Spot::Properties);
        builder.field(name, (start..builder.len()).into());
        builder.push_at("\n", &Spot::Properties);
    }
    builder.end(crate::model::document::BlockKind::Paragraph);
}
