//! What a row says: entities, and readings of edges.
//!
//! What comes in: a feed's mapping and one row. What goes out: claims and readings, as if the row were a
//! sentence. It must not know which entities exist: an endpoint of several types has a candidate of each,
//! and the run keeps those that exist.

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, Place};
use crate::model::assertion::{Evidence, Origin, Reading, Says, Slot};
use crate::model::entity::EntityClaim;
use crate::model::id::EntityKey;
use crate::model::job::{EdgeMapping, Endpoint, EntityMapping, Feed};
use crate::model::time::{Bound, DateExpr};

use super::date;
use super::fault::in_cell;
use super::row;
use super::{Row, contract};

/// Two many-valued cells make a reading of each pair; more pairs than this in one row are a mistake.
pub(super) const MAX_PAIRS: usize = 10_000;

/// What one row says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meaning {
    /// The entities that it makes.
    pub entities: Vec<EntityClaim>,
    /// The edges that it reads; identity properties stand among the properties.
    pub readings: Vec<Reading>,
    /// What is wrong with its cells.
    pub diagnostics: Vec<Diagnostic>,
}

/// Tells what a row says. The rule of its readings is `feed:` and the feed's name.
pub fn meaning(feed: &Feed, row: &Row) -> Meaning {
    let mut said = Meaning::default();
    if let Some(entity) = &feed.entity {
        said.entities.extend(claim(feed, entity, row));
    }
    if let Some(edge) = &feed.edge {
        read_edges(feed, edge, row, &mut said);
    }
    said
}

fn cell<'r>(row: &'r Row, column: &str) -> &'r str {
    row.cells.get(column).unwrap_or_default()
}

fn claim(feed: &Feed, mapping: &EntityMapping, row: &Row) -> Option<EntityClaim> {
    let parts: Vec<&str> = mapping.key.iter().map(|column| cell(row, column)).collect();
    if parts.iter().any(|part| part.trim().is_empty()) {
        return None;
    }
    let entity = EntityKey::new(&mapping.entity_type, &row::join(&parts))?;
    let merged_into = mapping.merged_into.as_ref().map(|column| cell(row, column));
    let merged_into = merged_into
        .filter(|key| !key.trim().is_empty())
        .and_then(|key| EntityKey::new(&mapping.entity_type, key))
        .filter(|other| *other != entity);
    Some(EntityClaim {
        entity,
        origin: Origin::Row { feed: feed.name.clone(), row: row.key.clone() },
        names: names(mapping, row),
        former: BTreeMap::new(),
        properties: properties(&mapping.properties, row),
        merged_into,
        gone: false,
    })
}

/// The names in the order of the mapping, each once.
fn names(mapping: &EntityMapping, row: &Row) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for columns in &mapping.names {
        let found = match columns.as_slice() {
            [single] => match mapping.many.get(single) {
                Some(separator) => split(cell(row, single), separator),
                None => vec![cell(row, single).to_owned()],
            },
            several => {
                let parts =
                    several.iter().map(|column| cell(row, column)).filter(|part| !part.trim().is_empty());
                vec![parts.collect::<Vec<_>>().join(" ")]
            }
        };
        for name in found {
            if !name.trim().is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// An empty cell states no value.
fn properties(mapping: &BTreeMap<String, String>, row: &Row) -> BTreeMap<String, String> {
    let stated = mapping.iter().map(|(name, column)| (name.clone(), cell(row, column).to_owned()));
    stated.filter(|(_, value)| !value.trim().is_empty()).collect()
}

/// The values of a many-valued cell, each once, without the spaces around them.
fn split(text: &str, separator: &str) -> Vec<String> {
    let pieces: Vec<&str> =
        if separator.is_empty() { vec![text] } else { text.split(separator).map(str::trim).collect() };
    let mut values: Vec<String> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for piece in pieces {
        if !piece.is_empty() && seen.insert(piece) {
            values.push(piece.to_owned());
        }
    }
    values
}

fn read_edges(feed: &Feed, edge: &EdgeMapping, row: &Row, said: &mut Meaning) {
    if says_too_much(feed, row) {
        return;
    }
    // An empty endpoint says nothing: an optional column, or the top of a bill of material.
    let (subjects, objects) = (slots(&edge.subject, row), slots(&edge.object, row));
    if subjects.is_empty() || objects.is_empty() {
        return;
    }
    let valid_from = bound(feed, edge.valid_from.as_deref(), true, row, said);
    let valid_to = bound(feed, edge.valid_to.as_deref(), feed.dates.ends_inclusive, row, said);
    let quote = quote(feed, row);
    for subject in &subjects {
        for object in &objects {
            said.readings.push(Reading {
                rule: format!("feed:{}", feed.name),
                edge_type: edge.edge_type.clone(),
                says: Says::Holds,
                subject: subject.clone(),
                object: object.clone(),
                valid_from: valid_from.clone(),
                valid_to: valid_to.clone(),
                properties: properties(&edge.properties, row),
                confidence: None,
                evidence: Evidence { quote: quote.clone(), span: None, support: Vec::new() },
                occurrence: 0,
            });
        }
    }
}

/// True if the row says more edges than a row can mean: reading the feed refuses such a row.
pub(super) fn says_too_much(feed: &Feed, row: &Row) -> bool {
    let Some(edge) = &feed.edge else { return false };
    let count = |endpoint: &Endpoint| match (&endpoint.many, endpoint.columns.last()) {
        (Some(separator), Some(column)) => split(cell(row, column), separator).len(),
        _ => 1,
    };
    count(&edge.subject).saturating_mul(count(&edge.object)) > MAX_PAIRS
}

/// One slot a key; of a compound key the last column may be many-valued.
fn slots(endpoint: &Endpoint, row: &Row) -> Vec<Slot> {
    let Some((last, first)) = endpoint.columns.split_last() else { return Vec::new() };
    let first: Vec<&str> = first.iter().map(|column| cell(row, column)).collect();
    let last = match &endpoint.many {
        Some(separator) => split(cell(row, last), separator),
        None => vec![cell(row, last).to_owned()],
    };
    let keys = last.iter().map(|last| [first.as_slice(), &[last.as_str()]].concat());
    keys.filter(|parts| parts.iter().all(|part| !part.trim().is_empty()))
        .map(|parts| slot(endpoint, row::join(&parts)))
        .collect()
}

fn slot(endpoint: &Endpoint, key: String) -> Slot {
    let candidates = endpoint.types.iter().filter_map(|name| EntityKey::new(name, &key)).collect();
    Slot { surface: key, candidates, types: endpoint.types.clone() }
}

/// A date that is none goes on as such, so that the gate quarantines what hangs on it.
fn bound(feed: &Feed, column: Option<&str>, inclusive: bool, row: &Row, said: &mut Meaning) -> Option<Bound> {
    let column = column?;
    let text = cell(row, column);
    let date = match date::stated(text, &feed.dates) {
        Ok(stated) => DateExpr::Stated(stated?),
        Err((why, hint)) => {
            let known = row.dates_at.iter().find(|(name, _)| **name == *column);
            let (line, at) = known.map_or((row.line, 0), |(_, at)| *at);
            let cell = row.sheet.as_ref().map(|sheet| in_cell(sheet, line, at)).unwrap_or_default();
            let at = Place::at(&feed.path, line, at);
            let message = format!("{why}, in the column `{column}`{cell}");
            said.diagnostics.push(Diagnostic::warning("feed-date-invalid", at, message).hint(hint));
            DateExpr::Invalid { text: text.to_owned() }
        }
    };
    Some(Bound { date, inclusive })
}

/// The mapped cells: `COL=value; COL=value`.
fn quote(feed: &Feed, row: &Row) -> String {
    let columns = contract::said_of_edge(feed).into_iter();
    columns.map(|column| format!("{column}={}", cell(row, column))).collect::<Vec<_>>().join("; ")
}
