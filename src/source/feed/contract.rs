//! The contract: which columns a feed must have, and what becomes of the others.
//!
//! What comes in: a feed's mapping, the header, and the columns of the last accepted snapshot. What goes
//! out: faults. It must not look at rows.

use std::collections::BTreeSet;

use crate::diag::{self, Diagnostic, Place};
use crate::model::job::{Columns, Feed, Gone};

use super::fault::Faults;
use super::record::Records;
use super::table::PARENT;

/// The columns that the mapping names, without `parent` of an indented bill of material.
pub(super) fn mapped(feed: &Feed) -> BTreeSet<&str> {
    let mut columns: BTreeSet<&str> = feed.only.keys().map(String::as_str).collect();
    if let Some(entity) = &feed.entity {
        columns.extend(entity.key.iter().map(String::as_str));
        columns.extend(entity.names.iter().flatten().map(String::as_str));
        columns.extend(entity.properties.values().map(String::as_str));
        columns.extend(entity.merged_into.as_deref());
    }
    if feed.edge.is_some() {
        columns.extend(said_of_edge(feed));
    }
    if let Some(operation) = &feed.format.operation {
        columns.insert(&operation.column);
        columns.extend(operation.order.as_deref());
        columns.extend(operation.key.iter().map(String::as_str));
    }
    if let Gone::Expire { date: Some(date) } = &feed.gone {
        columns.insert(date);
    }
    if let Some(levels) = &feed.levels {
        columns.extend([levels.column.as_str(), levels.item.as_str()]);
        columns.remove(PARENT);
    }
    columns
}

/// The columns that the edge mapping names, in the order of the mapping, each once.
pub(super) fn said_of_edge(feed: &Feed) -> Vec<&str> {
    let Some(edge) = &feed.edge else { return Vec::new() };
    let mut columns: Vec<&str> = Vec::new();
    let named = edge.subject.columns.iter().chain(&edge.object.columns);
    let named = named.chain(&edge.valid_from).chain(&edge.valid_to).chain(edge.properties.values());
    for column in named {
        if !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    columns
}

/// Checks the header.
pub(super) fn check(feed: &Feed, records: &Records<'_>, known: Option<&[String]>, faults: &mut Faults) {
    let mapped = mapped(feed);
    for column in &mapped {
        match records.header.iter().filter(|name| name == column).count() {
            0 => faults.push(missing(column, &mapped, records)),
            1 => {}
            _ => faults.push(twice(column, records)),
        }
    }
    if feed.levels.is_some() && records.header.iter().any(|name| name == PARENT) {
        let message = "the file has a column `parent`, and `levels` makes one";
        faults.push(Diagnostic::error("feed-column-duplicate", records.place(&records.head, 0), message));
    }
    if let Some(known) = known {
        compare(feed, records, known, faults);
    }
}

fn missing(column: &str, mapped: &BTreeSet<&str>, records: &Records<'_>) -> Diagnostic {
    let at = records.place(&records.head, 0);
    let diagnostic = Diagnostic::error("feed-column-missing", at, format!("there is no column `{column}`"));
    if let ([_], Some(delimiter)) = (records.header.as_slice(), another_delimiter(records)) {
        return diagnostic.hint(format!("the header is one cell; is the delimiter `{delimiter}`?"));
    }
    let unmapped = records.header.iter().map(String::as_str).filter(|name| !mapped.contains(name));
    match diag::nearest(column, unmapped) {
        Some(near) => {
            diagnostic.hint(format!("`{near}` looks like it; if it was renamed, rename it in the job"))
        }
        None => diagnostic.hint(format!("the columns are {}", list(&records.columns))),
    }
}

fn another_delimiter(records: &Records<'_>) -> Option<&'static str> {
    let only = records.header.first()?;
    [(';', ";"), (',', ","), ('\t', "\\t"), ('|', "|")]
        .into_iter()
        .find(|(delimiter, _)| only.contains(*delimiter))
        .map(|(_, shown)| shown)
}

fn twice(column: &str, records: &Records<'_>) -> Diagnostic {
    let second = records.header.iter().enumerate().filter(|(_, name)| *name == column).nth(1);
    let at: Place = records.place(&records.head, second.map_or(0, |(at, _)| at));
    Diagnostic::error("feed-column-duplicate", at, format!("there are two columns `{column}`"))
        .hint("give them different names")
}

/// Compares with the columns of the last accepted snapshot. Their order does not matter.
fn compare(feed: &Feed, records: &Records<'_>, known: &[String], faults: &mut Faults) {
    let known: BTreeSet<&String> = known.iter().collect();
    let now: BTreeSet<&String> = records.columns.iter().collect();
    let came: Vec<&String> = now.difference(&known).copied().collect();
    let went: Vec<&String> = known.difference(&now).copied().collect();
    if came.is_empty() && went.is_empty() {
        return;
    }
    let mut changes = Vec::new();
    if !came.is_empty() {
        changes.push(format!("new: {}", list(&came)));
    }
    if !went.is_empty() {
        changes.push(format!("gone: {}", list(&went)));
    }
    let (at, message) =
        (records.place(&records.head, 0), format!("the columns changed; {}", changes.join("; ")));
    faults.push(match feed.columns {
        Columns::Freeze => {
            let error = Diagnostic::error("feed-columns-changed", at, message);
            let frozen = "the feed declares `columns: freeze`";
            // What the mapping needs nobody can do without.
            if mapped(feed).iter().all(|column| records.header.iter().any(|name| name == column)) {
                error.hint(format!(
                    "{frozen}; if this is right: `edgewright accept feed {} --reason …`",
                    feed.name
                ))
            } else {
                error.hint(format!("{frozen}, and a column that the job maps is gone"))
            }
        }
        Columns::Evolve | Columns::DiscardRow | Columns::DiscardValue => {
            Diagnostic::note("feed-columns-changed", at, message)
        }
    });
}

fn list(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
