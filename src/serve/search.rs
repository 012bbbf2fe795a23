//! Search: texts that fit a query, best first, each with what the day makes of it and the edges that it asserts.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::at::At;
use super::find::{Candidate, named};
use super::state::{Asserted, Judge, Judged, SupersededBy, TextState};
use super::{Error, Graph, VERSION, find};
use crate::index::{Field, Filter, Hit, Piece, Place, Query, Reader, snippet};
use crate::model::access;
use crate::model::id::{EntityKey, FactId};
use crate::model::sabotage;

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
    /// Those who have the query as a name: the field `entity` finds the texts that mean them.
    pub named: Vec<Candidate>,
    /// The results, best first.
    pub results: Vec<SearchResult>,
    /// True if more texts may fit than are shown.
    pub more: bool,
    /// Texts that fit as well as those shown and are in another state, by state.
    pub others: BTreeMap<String, u64>,
    /// True if `others` counts all of them; false if it counts those among the best.
    pub others_counted: bool,
}

/// A text that fits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SearchResult {
    /// The document.
    pub document: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// Where in the file the text begins.
    #[serde(flatten)]
    pub at: At,
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
    let mut filter = filter(graph, reader);
    let judge = Judge::new(graph);
    let mut known: BTreeMap<Place, Option<Judged>> = BTreeMap::new();
    let mut size = FIRST_PAGE.max(2 * asked.limit);
    let mut counted = BTreeMap::new();
    loop {
        let page = reader.search(&query, &filter, size)?;
        let mut looked = Looked { results: Vec::new(), others: BTreeMap::new(), more: !page.complete };
        for hit in page.hits {
            if looked.results.len() == asked.limit {
                looked.more = true;
                break;
            }
            if !known.contains_key(&hit.place) {
                known.insert(hit.place.clone(), judge.judge(&hit.place)?);
            }
            let Some(judged) = known.get(&hit.place).and_then(Option::as_ref) else { continue };
            if asked.shows(judged.state) {
                looked.results.push((hit, judged.clone()));
            } else {
                *looked.others.entry(judged.state.name().to_owned()).or_insert(0) += 1;
            }
        }
        if filter.on.is_none() {
            counted.clone_from(&looked.others);
        }
        if looked.results.len() < asked.limit && !page.complete {
            // From here on the index leaves out what is in another state, as far as it knows; how many those
            // are was counted among the best.
            filter.on = narrowed(graph, reader, asked);
            size *= 4;
            continue;
        }
        let mut results = Vec::with_capacity(looked.results.len());
        for (hit, judged) in looked.results {
            results.push(result(graph, &judge, &query, &hit, judged)?);
        }
        let lens = graph.lens();
        return Ok(SearchView {
            version: VERSION,
            query: asked.text.clone(),
            day: lens.day(),
            as_of: lens.as_of,
            known_at: lens.known_at,
            states: asked.shown_states(),
            named: named(graph, &asked.text)?,
            results,
            more: looked.more,
            others: counted,
            others_counted: filter.on.is_none() && !looked.more,
        });
    }
}

/// What a page of candidates came to.
struct Looked {
    results: Vec<(Hit, Judged)>,
    others: BTreeMap<String, u64>,
    more: bool,
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

/// What the index may leave out from the start: what was not yet written, and what labels close to the reader,
/// if its labels are those of today.
fn filter(graph: &Graph<'_>, reader: &Reader) -> Filter {
    let lens = graph.lens();
    let own = reader.stamp().generation;
    let held = match &lens.reader {
        access::Reader::Holding(held) if own == graph.latest_generation() && !graph.sees_everything() => {
            Some(held.clone())
        }
        access::Reader::Holding(_) | access::Reader::Everything => None,
    };
    Filter { known_at: (lens.known_at < own).then_some(lens.known_at), on: None, held }
}

/// The day on which something that a text asserts must hold: its dates in the index are those of its own
/// generation, as a reader sees them who sees everything.
fn narrowed(graph: &Graph<'_>, reader: &Reader, asked: &Asked) -> Option<Date> {
    let lens = graph.lens();
    let dated = asked.states.is_empty()
        && lens.known_at == reader.stamp().generation
        && graph.sees_everything()
        && !sabotage::is_off("text-state");
    dated.then(|| lens.day())
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
        at: At(graph.spot_of(document, chunk)?),
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
