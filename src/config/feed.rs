//! Feeds: from the checked tree of a job file to what they mean.

use std::collections::BTreeMap;

use super::format;
use super::job::Scope;
use super::source::{fresh_within, gone, values};
use crate::model::job::{
    Authority, Columns, DAYS, EdgeMapping, Endpoint, EntityMapping, Feed, FeedDates, Levels, OnDuplicate,
};
use crate::ontology::EdgeType;
use crate::ontology::file::problems::Problems;
use crate::ontology::file::types::labels;
use crate::ontology::file::yaml::{Key, Node};

/// A feed.
pub(super) fn feed(name: &Key, node: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Feed {
    let (path, format) = format::of(name, node, problems);
    let query = format::query(node, &path, &format, problems);
    let limits = format::limits(node, &format, problems);
    let edge = edge(node, scope, problems);
    let entity = entity(node, scope, problems);
    let levels = levels(node, problems);
    format::fits_levels(node, &format, query.as_ref(), problems);
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
        format,
        query,
        limits,
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
    if format == DAYS {
        return None;
    }
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
