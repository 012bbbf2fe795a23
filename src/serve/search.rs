//! Search: texts that fit a query, best first, each with what the day makes of it and the edges that it asserts.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::state::{Asserted, Judge, Judged, SupersededBy, TextState};
use super::{Error, Graph, VERSION, find};
use crate::index::{Field, Filter, Hit, Piece, Place, Query, Reader, snippet};
use crate::model::access;
use crate::model::id::{EntityKey, FactId};

/// About how many bytes of a text a snippet shows.
const SNIPPET: usize = 320;
/// How many candidates are looked at first.
const FIRST_PAGE: usize = 64;

/// What is searched for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The query as written.
    pub text: String,
    /// The query as read.
    pub query: Query,
    /// Which states are shown; empty is what counts on the day, as current or mixed.
    pub states: BTreeSet<TextState>,
    /// How many results at most.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchView {
    /// The version of this form.
    pub version: u32,
    /// The query as written.
    pub query: String,
    /// The day that tells current from expired and future.
    #[schemars(with = "String")]
    pub day: Date,
    /// The day that was asked for, if one was.
    #[schemars(with = "Option<String>")]
    pub as_of: Option<Date>,
    /// The generation of both the graph and the text.
    pub known_at: u64,
    /// The states that are shown.
    pub states: Vec<TextState>,
    /// The results, best first.
    pub results: Vec<SearchResult>,
    /// True if more texts may fit than are shown.
    pub more: bool,
    /// Texts that fit as well as those shown and are in another state, by state.
    pub others: BTreeMap<String, u64>,
}

/// A text that fits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// The document.
    pub document: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// The line on which the text begins; 0 if it is not known.
    pub line: u32,
    /// The document's title.
    pub title: String,
    /// The headings above the text, outermost first.
    pub section: Vec<String>,
    /// The chunk's id.
    pub chunk: String,
    /// How well it fits: comparable within one answer only.
    pub score: f64,
    /// What the day makes of it.
    pub state: TextState,
    /// The first day of the state, where one is known.
    #[schemars(with = "Option<String>")]
    pub since: Option<Date>,
    /// The first day of the next state, where one is known.
    #[schemars(with = "Option<String>")]
    pub until: Option<Date>,
    /// True if the text asserts nothing by itself, and the state is that of its document.
    pub by_document: bool,
    /// Why, where the state alone does not say it.
    pub note: Option<String>,
    /// What supersedes its document.
    pub superseded_by: Vec<SupersededBy>,
    /// The edges that it asserts.
    pub asserts: Vec<Asserted>,
    /// The best part of the text, in pieces.
    pub snippet: Vec<Piece>,
}

/// Searches the texts of one generation, the one of the graph, which must not be later than that of the index.
///
/// Scored candidates are taken in descending order, in growing pages, until enough of them pass: what a reader
/// may not see is dropped before the ranking is cut off, and counts nowhere.
pub fn search(graph: &Graph<'_>, reader: &Reader, asked: &Asked) -> Result<SearchView, Error> {
    let mut query = asked.query.clone();
    query.resolve_keys(&mut |field, key| meant(graph, field, key))?;
    let filter = filter(graph, reader, asked)?;
    let judge = Judge::new(graph);
    let mut known: BTreeMap<Place, Option<Judged>> = BTreeMap::new();
    let mut size = FIRST_PAGE.max(2 * asked.limit);
    loop {
        let page = reader.search(&query, &filter, size)?;
        let mut results: Vec<(&Hit, Judged)> = Vec::new();
        let mut others: BTreeMap<String, u64> = BTreeMap::new();
        let mut more = !page.complete;
        for hit in &page.hits {
            if results.len() == asked.limit {
                more = true;
                break;
            }
            if !known.contains_key(&hit.place) {
                known.insert(hit.place.clone(), judge.judge(&hit.place)?);
            }
            let Some(judged) = known.get(&hit.place).and_then(Option::as_ref) else { continue };
            if asked.shows(judged.state) {
                results.push((hit, judged.clone()));
            } else {
                *others.entry(judged.state.name().to_owned()).or_insert(0) += 1;
            }
        }
        if results.len() < asked.limit && !page.complete {
            size *= 4;
            continue;
        }
        let lens = graph.lens();
        let mut shown = Vec::with_capacity(results.len());
        for (hit, judged) in results {
            shown.push(result(graph, &judge, &query, hit, judged)?);
        }
        return Ok(SearchView {
            version: VERSION,
            query: asked.text.clone(),
            day: lens.day(),
            as_of: lens.as_of,
            known_at: lens.known_at,
            states: asked.shown_states(),
            results: shown,
            more,
            others,
        });
    }
}

impl Asked {
    fn shows(&self, state: TextState) -> bool {
        if self.states.is_empty() { state.counts() } else { self.states.contains(&state) }
    }

    fn shown_states(&self) -> Vec<TextState> {
        if self.states.is_empty() {
            return vec![TextState::Current, TextState::Mixed];
        }
        self.states.iter().copied().collect()
    }
}

/// The keys that a person means: a fact that the reader sees, an entity by key or name, under every key that
/// it has been called by.
fn meant(graph: &Graph<'_>, field: Field, text: &str) -> Result<Vec<String>, Error> {
    match field {
        Field::Fact => {
            let id: Option<FactId> = text.parse().ok();
            let seen = match &id {
                Some(id) => graph.fact(id)?.is_some(),
                None => false,
            };
            if !seen {
                let hint = "`edgewright show NAME --output json` lists facts with their ids";
                return Err(Error::asked(format!("there is no fact `{text}`"), hint));
            }
            Ok(vec![text.to_owned()])
        }
        Field::Entity => {
            let found = find(graph, text)?;
            let keys: BTreeSet<EntityKey> = [Some(found.entity), found.via].into_iter().flatten().collect();
            Ok(keys.iter().map(ToString::to_string).collect())
        }
        Field::Text | Field::Title | Field::Section | Field::Document => Ok(vec![text.to_owned()]),
    }
}

/// What the index may leave out. Its dates and labels are those of its own generation, and its dates are those
/// of a reader who sees everything; where anything else is asked for, every candidate is looked at.
fn filter(graph: &Graph<'_>, reader: &Reader, asked: &Asked) -> Result<Filter, Error> {
    let lens = graph.lens();
    let (own, latest) = (reader.stamp().generation, graph.latest_generation());
    let dated = asked.states.is_empty() && lens.known_at == own && graph.sees_everything();
    let held = match &lens.reader {
        access::Reader::Holding(held) if own == latest && !graph.sees_everything() => Some(held.clone()),
        access::Reader::Holding(_) | access::Reader::Everything => None,
    };
    Ok(Filter {
        known_at: (lens.known_at < own).then_some(lens.known_at),
        on: dated.then(|| lens.day()),
        held,
    })
}

fn result(
    graph: &Graph<'_>,
    judge: &Judge<'_, '_>,
    query: &Query,
    hit: &Hit,
    judged: Judged,
) -> Result<SearchResult, Error> {
    let Place { document, chunk } = &hit.place;
    let record = judge.document(document)?;
    let body = graph.chunk(chunk)?.map(|chunk| chunk.body);
    let below = record.as_ref().map_or(document.key(), |record| record.path.as_str());
    Ok(SearchResult {
        document: document.to_string(),
        path: graph.catalog().path_of(document.source(), below),
        line: graph.line_of(document, chunk)?,
        title: record.as_ref().map(|record| record.title.clone()).unwrap_or_default(),
        section: body.as_ref().map(|body| body.context.headings.clone()).unwrap_or_default(),
        chunk: chunk.to_string(),
        score: hit.score as f64 / 1000.0,
        state: judged.state,
        since: judged.since,
        until: judged.until,
        by_document: judged.by_document,
        note: judged.note,
        superseded_by: judged.superseded_by,
        asserts: judge.asserted(&hit.place)?,
        snippet: body.map(|body| snippet(query, &body.text, SNIPPET)).unwrap_or_default(),
    })
}
