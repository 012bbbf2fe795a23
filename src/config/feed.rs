//! Feeds: from the checked tree of a job file to what they mean.

use std::collections::BTreeMap;

use super::job::{Scope, path};
use super::source::{fresh_within, gone, values};
use crate::model::job::{
    Authority, Columns, EdgeMapping, Endpoint, EntityMapping, Feed, FeedDates, Format, Levels, OnDuplicate,
};
use crate::ontology::EdgeType;
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::{count, quoted};
use crate::ontology::file::types::labels;
use crate::ontology::file::yaml::{Key, Node};

/// A feed.
pub(super) fn feed(name: &Key, node: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Feed {
    let path = path(node, problems);
    let edge = edge(node, scope, problems);
    let entity = entity(node, scope, problems);
    let levels = levels(node, problems);
    if entity.is_none() && edge.is_none() && node.get("entity").or_else(|| node.get("edge")).is_none() {
        idle(name, scope, problems);
    }
    if let Some((key, _)) = node.entry("only").filter(|_| node.get("where").is_some()) {
        problems.error(
            "config-value",
            key.at,
            "`only` and `where` say the same",
            "write all columns under `where`",
        );
    }
    Feed {
        name: name.text.clone(),
        format: format(node, &path, problems),
        path,
        only: values(node.get("where").or_else(|| node.get("only"))),
        access: labels(node),
        entity,
        edge,
        dates: dates(node, problems),
        authority: match node.word("authority") {
            Some("decides") => Authority::Decides,
            Some("informs") => Authority::Informs,
            _ => Authority::Confirms,
        },
        columns: match node.word("columns") {
            Some("freeze") => Columns::Freeze,
            Some("discard_row") => Columns::DiscardRow,
            Some("discard_value") => Columns::DiscardValue,
            _ => Columns::Evolve,
        },
        on_duplicate: if node.word("on_duplicate") == Some("last") {
            OnDuplicate::Last
        } else {
            OnDuplicate::Error
        },
        gone: gone(node),
        levels,
        fresh_within: fresh_within(node),
    }
}

fn idle(name: &Key, scope: &Scope<'_>, problems: &mut Problems<'_>) {
    if !scope.registers.contains(&name.text) {
        let message = format!("the feed `{}` makes nothing, and no source has it as its register", name.text);
        problems.warning("config-unused", name.at, message, "add `entity` or `edge`, or leave it out");
    }
}

/// How a table is written; `.tsv` and `.tab` say their delimiter.
pub(super) fn format(node: &Node, path: &str, problems: &mut Problems<'_>) -> Format {
    let tabs = path.ends_with(".tsv") || path.ends_with(".tab");
    let default = Format { delimiter: if tabs { b'\t' } else { b',' }, ..Format::default() };
    let Some(format) = node.get("format") else { return default };
    let lines = |key| format.word(key).and_then(count).and_then(|count| usize::try_from(count).ok());
    let encoding = format.get("encoding").and_then(|encoding| encoding_name(encoding, problems));
    Format {
        delimiter: character(format, "delimiter", problems).unwrap_or(default.delimiter),
        encoding,
        skip_lines: lines("skip_lines").unwrap_or(default.skip_lines),
        skip_footer: lines("skip_footer").unwrap_or(default.skip_footer),
        quote: character(format, "quote", problems).unwrap_or(default.quote),
    }
}

fn character(format: &Node, key: &str, problems: &mut Problems<'_>) -> Option<u8> {
    let node = format.get(key)?;
    let text = node.text()?;
    match text.as_bytes() {
        [one] if one.is_ascii() && !matches!(one, b'\n' | b'\r' | 0) => Some(*one),
        b"tab" | b"\\t" => Some(b'\t'),
        _ => {
            let message = format!("`{key}` is one ASCII character, not `{text}`");
            problems.error("config-value", node.at, message, "write it in quotes, or `tab`");
            None
        }
    }
}

fn encoding_name(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let text = node.text()?;
    match encoding_rs::Encoding::for_label(text.as_bytes()) {
        Some(encoding) => Some(encoding.name().to_lowercase()),
        None => {
            const USUAL: [&str; 5] = ["utf-8", "windows-1252", "iso-8859-15", "utf-16le", "shift_jis"];
            let hint = match crate::diag::nearest(text, USUAL) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write a WHATWG encoding name such as {}", quoted(USUAL)),
            };
            problems.error("config-value", node.at, format!("there is no encoding `{text}`"), hint);
            None
        }
    }
}

/// How the dates of a table are written.
pub(super) fn dates(node: &Node, problems: &mut Problems<'_>) -> FeedDates {
    let Some(dates) = node.get("dates") else { return FeedDates::default() };
    if let Some((format, why)) =
        dates.get("format").and_then(|format| Some((format, wrong_format(format.text()?)?)))
    {
        problems.error("config-value", format.at, why, "write it like `%Y%m%d`, `%d.%m.%Y` or `%Y-%m-%d`");
    }
    FeedDates {
        format: dates.word("format").map(str::to_owned),
        ends_inclusive: dates.word("ends") == Some("inclusive"),
        open: match dates.get("open") {
            Some(_) => problems.once(dates.get("open"), "value"),
            None => FeedDates::default().open,
        },
    }
}

fn wrong_format(format: &str) -> Option<String> {
    if !format.contains('%') {
        return Some(format!("the date format `{format}` has no `%`"));
    }
    let day = jiff::civil::date(2024, 2, 17);
    let written = jiff::fmt::strtime::format(format, day).map_err(|error| error.to_string());
    match written
        .and_then(|text| jiff::civil::Date::strptime(format, &text).map_err(|error| error.to_string()))
    {
        Ok(read) if read == day => None,
        Ok(_) => Some(format!("the date format `{format}` does not tell one day from another")),
        Err(error) => Some(format!("the date format `{format}` does not read dates: {error}")),
    }
}

fn entity(feed: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Option<EntityMapping> {
    let node = feed.get("entity")?;
    let kind = node.get("type").and_then(|kind| Some((kind, kind.text()?)));
    if let Some((kind, name)) = kind {
        scope.entity(kind.at, name, problems);
    }
    let names: Vec<Vec<String>> =
        node.list("names").iter().map(|name| problems.once(Some(name), "column")).collect();
    for (column, _) in node.get("many").map(Node::entries).unwrap_or_default() {
        let known = names.iter().flatten().map(String::as_str);
        problems.known(column.at, "column {} among the names", &column.text, known);
    }
    Some(EntityMapping {
        entity_type: kind?.1.to_owned(),
        key: columns(node.get("key"), problems),
        names,
        many: texts(node, "many"),
        properties: texts(node, "properties"),
        merged_into: node.word("merged_into").map(str::to_owned),
    })
}

/// The columns of a key: one at least, each once.
fn columns(node: Option<&Node>, problems: &mut Problems<'_>) -> Vec<String> {
    let columns = problems.once(node, "column");
    if let Some(node) = node.filter(|node| node.items().is_empty()) {
        problems.error("config-value", node.at, "the key has no column", "name at least one");
    }
    columns
}

fn texts(node: &Node, key: &str) -> BTreeMap<String, String> {
    let entries = node.get(key).map(Node::entries).unwrap_or_default();
    entries.iter().filter_map(|(name, value)| Some((name.text.clone(), value.text()?.to_owned()))).collect()
}

fn edge(feed: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Option<EdgeMapping> {
    let node = feed.get("edge")?;
    let kind = node.get("type").and_then(|kind| Some((kind, kind.text()?)));
    let known = kind.and_then(|(kind, name)| scope.edge(kind.at, name, problems));
    if let Some(edge) = known {
        for (name, _) in node.get("properties").map(Node::entries).unwrap_or_default() {
            let what = format!("property {{}} of `{}`", edge.name);
            problems.known(name.at, &what, &name.text, edge.properties.keys().map(String::as_str));
        }
    }
    let subject = endpoint(node.get("subject"), known, |edge| &edge.subject, problems);
    let object = endpoint(node.get("object"), known, |edge| &edge.object, problems);
    Some(EdgeMapping {
        edge_type: kind?.1.to_owned(),
        subject: subject?,
        object: object?,
        valid_from: node.word("valid_from").map(str::to_owned),
        valid_to: node.word("valid_to").map(str::to_owned),
        properties: texts(node, "properties"),
    })
}

fn endpoint(
    node: Option<&Node>,
    edge: Option<&EdgeType>,
    side: impl Fn(&EdgeType) -> &Vec<String>,
    problems: &mut Problems<'_>,
) -> Option<Endpoint> {
    let node = node?;
    let allowed = edge.map(side);
    let long = !node.entries().is_empty();
    for item in node.list("type") {
        let Some((name, allowed)) = item.text().zip(allowed) else { continue };
        problems.known(item.at, "type {} on this side of the edge", name, allowed.iter().map(String::as_str));
    }
    let types = problems.once(node.get("type"), "type");
    Some(Endpoint {
        types: if types.is_empty() { allowed.cloned().unwrap_or_default() } else { types },
        columns: columns(if long { node.get("column") } else { Some(node) }, problems),
        many: node.word("many").map(str::to_owned),
    })
}

fn levels(feed: &Node, problems: &mut Problems<'_>) -> Option<Levels> {
    let (key, node) = feed.entry("levels").filter(|(_, node)| !node.entries().is_empty())?;
    let edge = feed.get("edge");
    let uses_parent = |side: &str| {
        let endpoint = edge.and_then(|edge| edge.get(side));
        let columns = endpoint.map(|node| node.get("column").unwrap_or(node));
        columns.map(Node::items).unwrap_or_default().iter().any(|column| column.text() == Some("parent"))
    };
    if !uses_parent("subject") && !uses_parent("object") {
        let message = "`levels` makes the column `parent`, and the edge does not use it";
        problems.warning("config-unused", key.at, message, "write `subject: parent` in the edge");
    }
    Some(Levels { column: node.word("column")?.to_owned(), item: node.word("item")?.to_owned() })
}
