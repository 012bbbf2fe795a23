//! Evidence as a person checks it: the quote in its surroundings, what gave it meaning, and where it stands.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::at::At;
use super::{Error, Graph};
use crate::model::assertion::{Assertion, Origin};
use crate::model::edit::{EDITS, edit_of};
use crate::model::fact::Attested;
use crate::model::id::{ChunkId, DocumentId};
use crate::model::spot::Spot;
use crate::model::time::{Bound, DateBase, DateExpr, Interval, NoDate, Period, Precision};
use crate::model::token::Span;
use crate::store::{ChunkRecord, ChunkRef, DocumentRecord, RowRecord};

/// How many bytes of the surrounding text are shown on each side of a quote.
const AROUND: usize = 160;

/// One attestation with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EvidenceView {
    /// The assertion's id.
    pub assertion: String,
    /// `holds` or `ends`.
    pub claims: String,
    /// True if it defines the edge's bounds; false if it joined as evidence.
    pub defines: bool,
    /// The first day that it contributes; null if unknown.
    #[schemars(with = "Option<String>")]
    pub from: Option<Date>,
    /// The first day that it no longer contributes; null if open.
    #[schemars(with = "Option<String>")]
    pub to: Option<Date>,
    /// The quote.
    pub quote: String,
    /// The text around it in its chunk, if it was read in one.
    pub context: Option<Context>,
    /// What gave it meaning.
    pub support: Vec<Support>,
    /// The document, if it was read in one.
    pub document: Option<String>,
    /// The feed, if it was read in one.
    pub feed: Option<String>,
    /// The key of the feed's row.
    pub row: Option<String>,
    /// The file, relative to the workspace.
    pub path: String,
    /// Where in the file it stands; for a row, where it last changed.
    #[serde(flatten)]
    pub at: At,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// True if the document no longer says so: kept from an earlier version.
    pub earlier_version: bool,
    /// The cells of the row.
    pub cells: BTreeMap<String, String>,
    /// The rule, or the feed's mapping.
    pub rule: String,
    /// Its revision.
    pub revision: String,
    /// Its confidence, if the rule is in the ontology.
    pub confidence: Option<f64>,
    /// Where the start comes from.
    pub valid_from: Option<DateRead>,
    /// Where the end comes from.
    pub valid_to: Option<DateRead>,
    /// Properties as read.
    pub properties: BTreeMap<String, String>,
    /// Why and on which day it stopped holding, if its text was amended away.
    pub left: Option<String>,
    /// The edit that said so by hand, or with which the text came.
    pub edit: Option<EditView>,
}

/// A person's edit as evidence: who, when, why, and where it was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditView {
    /// Its number, by which it is taken back.
    pub number: String,
    /// Who.
    pub by: String,
    /// When, as an RFC 3339 time.
    pub at: String,
    /// Why.
    pub reason: String,
    /// Where it was decided.
    pub ticket: String,
}

/// The text around a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Context {
    /// What stands before it.
    pub before: String,
    /// The marked text.
    pub marked: String,
    /// What stands after it.
    pub after: String,
}

/// A supporting span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Support {
    /// What it does: `definition`, `parent`, `header`, `date`, `binding`, `self`, `program`.
    pub role: String,
    /// The text.
    pub text: String,
    /// The line of the chunk in which it stands, if it stands in another chunk of the document.
    pub line: Option<u32>,
    /// Where that chunk begins: `line 4`, `page 3`, `paragraph 12`, `Sheet1!B7`.
    pub place: Option<String>,
}

/// A date as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DateRead {
    /// As read, in words.
    pub text: String,
    /// The day: the first that belongs for a start, the first that no longer belongs for an end.
    #[schemars(with = "Option<String>")]
    pub day: Option<Date>,
}

/// Where something was read.
pub(super) struct Place {
    pub(super) document: Option<String>,
    pub(super) path: String,
    pub(super) at: At,
    pub(super) earlier_version: bool,
    pub(super) chunk: Option<ChunkRecord>,
    version: Option<DocumentRecord>,
    row: Option<RowRecord>,
}

/// An attestation as a value. The caller has asked whether the reader sees it.
pub(super) fn evidence_view(
    graph: &Graph<'_>,
    assertion: &Assertion,
    attested: &Attested,
    whole: bool,
) -> Result<EvidenceView, Error> {
    let place = where_read(graph, &assertion.origin, assertion.evidence.span)?;
    // For a reader who sees less than all, an interval that others shaped would say what they know.
    let interval: Interval = if whole { attested.interval } else { attested.alone };
    let mut properties = assertion.properties.clone();
    properties.retain(|name, _| graph.sees_property(&assertion.edge_type, name));
    let context = match (&place.chunk, assertion.evidence.span) {
        (Some(chunk), Some(span)) => Some(around(&chunk.body.text, span)),
        _ => None,
    };
    let (feed, row) = match &assertion.origin {
        Origin::Row { feed, row } => (Some(feed.clone()), Some(row.clone())),
        Origin::Chunk { .. } => (None, None),
    };
    Ok(EvidenceView {
        assertion: assertion.id.to_string(),
        claims: if attested.ends { "ends" } else { "holds" }.to_owned(),
        defines: attested.defines,
        from: interval.from(),
        to: interval.to(),
        quote: assertion.evidence.quote.clone(),
        context,
        support: support(assertion, &place),
        document: place.document,
        feed,
        row,
        path: place.path,
        at: place.at,
        headings: place.chunk.map(|chunk| chunk.body.context.headings).unwrap_or_default(),
        earlier_version: place.earlier_version,
        cells: place.row.map(|row| row.cells).unwrap_or_default(),
        rule: assertion.rule.clone(),
        revision: assertion.revision.to_string(),
        confidence: graph.catalog().confidence(assertion),
        valid_from: read_date(graph, &assertion.origin, assertion.valid_from.as_ref(), false)?,
        valid_to: read_date(graph, &assertion.origin, assertion.valid_to.as_ref(), true)?,
        properties,
        left: assertion.left.as_ref().map(|left| format!("{} (from {})", left.why, left.on)),
        edit: edit_view(graph, &assertion.origin)?,
    })
}

/// The edit behind an origin, if there is one.
fn edit_view(graph: &Graph<'_>, origin: &Origin) -> Result<Option<EditView>, Error> {
    let number = match origin {
        Origin::Row { row, .. } => origin.is_by_hand().then_some(row.as_str()),
        Origin::Chunk { document, .. } => edit_of(document),
    };
    let Some(number) = number else { return Ok(None) };
    let versions = graph.view().versions::<RowRecord>(&format!("{EDITS}/{number}"))?;
    Ok(versions.into_iter().next_back().map(|version| {
        let mut cells = version.record.cells;
        let mut cell = |name: &str| cells.remove(name).unwrap_or_default();
        EditView {
            number: number.to_owned(),
            by: cell("by"),
            at: cell("at"),
            reason: cell("reason"),
            ticket: cell("ticket"),
        }
    }))
}

fn support(assertion: &Assertion, place: &Place) -> Vec<Support> {
    let spot_of = |chunk: &ChunkId| {
        let version = place.version.as_ref()?;
        version.chunks.iter().find(|one| one.id == *chunk).map(ChunkRef::spot)
    };
    let view = |support: &crate::model::assertion::Supporting| {
        let spot = support.chunk.as_ref().and_then(spot_of);
        Support {
            role: support.role.clone(),
            text: support.text.clone(),
            line: spot.as_ref().map(Spot::line).filter(|line| *line > 0),
            place: spot.map(|spot| spot.to_string()),
        }
    };
    assertion.evidence.support.iter().map(view).collect()
}

/// Where an origin is to be found: the file and the place of the quote.
pub(super) fn where_read(graph: &Graph<'_>, origin: &Origin, span: Option<Span>) -> Result<Place, Error> {
    match origin {
        Origin::Chunk { document, chunk, occurrence } => {
            in_document(graph, document, chunk, *occurrence, span)
        }
        Origin::Row { feed, row } => {
            let versions = graph.view().versions::<RowRecord>(&format!("{feed}/{row}"))?;
            let row = versions.into_iter().next_back().map(|version| version.record);
            Ok(Place {
                document: None,
                path: graph.catalog().path_of(feed, ""),
                at: At(row.as_ref().filter(|row| row.line > 0).map(|row| Spot::Line(row.line))),
                earlier_version: false,
                chunk: None,
                version: None,
                row,
            })
        }
    }
}

fn in_document(
    graph: &Graph<'_>,
    document: &DocumentId,
    chunk: &ChunkId,
    occurrence: u32,
    span: Option<Span>,
) -> Result<Place, Error> {
    let body = graph.chunk(chunk)?;
    let (text, start) =
        (body.as_ref().map_or("", |chunk| &chunk.body.text), span.map_or(0, |span| span.start));
    let here = |version: &DocumentRecord| {
        let part = version.chunks.iter().find(|one| one.id == *chunk && one.occurrence == occurrence);
        part.map(|part| part.spot_at(text, start))
    };
    let mut version = graph.view().get::<DocumentRecord>(&document.to_string())?;
    let mut spot = version.as_ref().and_then(here);
    let mut earlier_version = false;
    if spot.is_none() {
        // The text is kept from an earlier version, or the document is gone and its text is kept.
        let mut versions = graph.view().versions::<DocumentRecord>(&document.to_string())?;
        versions.reverse();
        if let Some(holding) = versions.into_iter().find(|one| here(&one.record).is_some()) {
            spot = here(&holding.record);
            version = Some(holding.record);
            earlier_version = true;
        }
    }
    let below = version.as_ref().map_or(document.key(), |version| version.path.as_str());
    Ok(Place {
        document: Some(document.to_string()),
        path: graph.catalog().path_of(document.source(), below),
        at: At(spot),
        earlier_version,
        chunk: body,
        version,
        row: None,
    })
}

/// The quote with some text on both sides, cut at spaces.
fn around(text: &str, span: Span) -> Context {
    let marked = span.of(text);
    if marked.is_empty() {
        return Context { before: String::new(), marked: String::new(), after: String::new() };
    }
    let before = &text[..span.start];
    let after = &text[span.end..];
    Context { before: tail(before), marked: marked.to_owned(), after: head(after) }
}

fn tail(text: &str) -> String {
    if text.len() <= AROUND {
        return text.to_owned();
    }
    let mut at = text.len() - AROUND;
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let at = text[at..].find(char::is_whitespace).map_or(at, |space| at + space);
    format!("…{}", &text[at..])
}

fn head(text: &str) -> String {
    if text.len() <= AROUND {
        return text.to_owned();
    }
    let mut at = AROUND;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let at = text[..at].rfind(char::is_whitespace).unwrap_or(at);
    format!("{}…", &text[..at])
}

/// A bound as read, with the day on which it falls if that is known.
pub(super) fn read_date(
    graph: &Graph<'_>,
    origin: &Origin,
    bound: Option<&Bound>,
    is_end: bool,
) -> Result<Option<DateRead>, Error> {
    let Some(bound) = bound else { return Ok(None) };
    let base_day = match &bound.date {
        DateExpr::Relative { base, .. } => day_of(graph, origin, base)?,
        DateExpr::Blank { .. } => day_of(graph, origin, &DateBase::DocumentEffective)?,
        DateExpr::Stated(_) | DateExpr::Ambiguous { .. } | DateExpr::Invalid { .. } => None,
    };
    let days = |_: &DateBase| base_day;
    let day = if is_end { bound.as_end(&days) } else { bound.as_start(&days) };
    let day: Result<Date, NoDate> = day.map(|(day, _)| day);
    let text = match &bound.date {
        DateExpr::Stated(stated) => {
            let first = stated.first;
            let said = match stated.precision {
                Precision::Day => first.to_string(),
                Precision::Month => format!("the month {:04}-{:02}", first.year(), first.month()),
                Precision::Quarter => format!("quarter {} of {}", (first.month() + 2) / 3, first.year()),
                Precision::Year => format!("the year {}", first.year()),
            };
            match (is_end, bound.inclusive) {
                (true, true) => format!("until {said}, its last day included"),
                (true, false) => format!("before {said}"),
                (false, _) => said,
            }
        }
        DateExpr::Relative { base, period } => {
            let from = match base {
                DateBase::DocumentEffective => "the document's effective date".to_owned(),
                DateBase::Property { entity, property } => format!("`{property}` of {}", graph.name(entity)?),
            };
            match (base_day, *period == Period::default()) {
                (Some(_), true) => from,
                (Some(day), false) => format!("{period} after {from}, {day}"),
                (None, true) => format!("{from}, which is not known"),
                (None, false) => format!("{period} after {from}, which is not known"),
            }
        }
        DateExpr::Blank { text } => match base_day {
            Some(_) if !is_end => {
                format!("left blank (date-blank): \"{text}\"; the document's effective date stands for it")
            }
            _ => format!("left blank (date-blank): \"{text}\""),
        },
        DateExpr::Ambiguous { text } => format!("can be read in more than one way: \"{text}\""),
        DateExpr::Invalid { text } => format!("no such day: \"{text}\""),
    };
    Ok(Some(DateRead { text, day: day.ok() }))
}

/// The day of a base that other data supplies.
fn day_of(graph: &Graph<'_>, origin: &Origin, base: &DateBase) -> Result<Option<Date>, Error> {
    match base {
        DateBase::DocumentEffective => match origin.document() {
            Some(document) => Ok(graph.document(document)?.and_then(|document| document.effective)),
            None => Ok(None),
        },
        DateBase::Property { entity, property } => {
            let claims = graph.claims(entity)?;
            Ok(claims.iter().find_map(|claim| claim.properties.get(property)?.trim().parse().ok()))
        }
    }
}
