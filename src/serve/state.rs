//! What a day makes of a text: is it current, or what else is it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::edge::{EdgeView, State};
use super::{Error, Graph, attested_fact};
use crate::index::Place;
use crate::model::assertion::{Assertion, Origin, Says};
use crate::model::fact::{Edge, Fact, Quarantined, Reason};
use crate::model::id::{ChunkId, DocumentId};
use crate::model::sabotage;
use crate::store::{DocumentRecord, Extraction, Versioned};

/// What a day makes of a text. The first that applies, from the bottom up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextState {
    /// It stands, and nothing that it asserts has ended.
    Current,
    /// Something that it asserts holds on the day, and something has ended.
    Mixed,
    /// It asserts edges, and none of them holds on the day, but one will.
    Future,
    /// It asserts edges, and none of them holds on the day or later. A text that asserts nothing shares this
    /// with its document.
    Expired,
    /// It is no longer its document's text, its document is gone, or another document supersedes it.
    Superseded,
    /// Its document was withdrawn.
    Retracted,
}

impl TextState {
    /// The name, the same as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Mixed => "mixed",
            Self::Future => "future",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
            Self::Retracted => "retracted",
        }
    }

    /// True if it is shown where nothing else is asked for: something in it counts on the day.
    pub fn counts(self) -> bool {
        matches!(self, Self::Current | Self::Mixed)
    }
}

/// An edge that a text asserts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Asserted {
    /// `holds` or `ends`.
    pub claims: String,
    /// The edge.
    #[serde(flatten)]
    pub edge: EdgeView,
}

/// What supersedes a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct SupersededBy {
    /// From this day on; null if nobody says.
    #[schemars(with = "Option<String>")]
    pub on: Option<Date>,
    /// The fact or sentence that says so; null if the reader may not see it.
    pub says: Option<String>,
    /// The fact.
    pub fact: Option<String>,
    /// True if it waits in quarantine, because it states no date.
    pub waits: bool,
}

/// What is known of a text on the day.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    pub(super) state: TextState,
    /// The first day of the state, where one is known.
    pub(super) since: Option<Date>,
    /// The day on which the state ends, where one is known.
    pub(super) until: Option<Date>,
    /// True if the document as a whole is meant, because the text itself asserts nothing.
    pub(super) by_document: bool,
    /// Why, where the state alone does not say it.
    pub(super) note: Option<String>,
    pub(super) superseded_by: Vec<SupersededBy>,
}

/// The visible edges that an assertion attests, with what it claims of them.
type Seen = (Says, Fact, Vec<Edge>);

/// Judges texts, and remembers what it has learned of their documents.
pub(super) struct Judge<'g, 's> {
    graph: &'g Graph<'s>,
    documents: RefCell<BTreeMap<DocumentId, Rc<Whole>>>,
}

/// What is known of a document as a whole.
struct Whole {
    /// As this generation knows it.
    standing: Option<DocumentRecord>,
    /// As it last was.
    last: Option<DocumentRecord>,
    superseded_by: Vec<SupersededBy>,
    /// The last day of what it asserts, if that has expired; looked up when a text asks.
    expired: RefCell<Option<Option<Date>>>,
}

impl<'g, 's> Judge<'g, 's> {
    pub(super) fn new(graph: &'g Graph<'s>) -> Self {
        Self { graph, documents: RefCell::default() }
    }

    /// The document of a text, as this generation knows it or as it last was.
    pub(super) fn document(&self, document: &DocumentId) -> Result<Option<DocumentRecord>, Error> {
        let whole = self.whole(document)?;
        Ok(whole.standing.clone().or_else(|| whole.last.clone()))
    }

    /// What the day makes of a text; `None` if the reader may not see it, or this generation knows no such text.
    pub(super) fn judge(&self, place: &Place) -> Result<Option<Judged>, Error> {
        if !self.graph.sees_document(&place.document)? {
            return Ok(None);
        }
        let read = self.read(place)?;
        let whole = self.whole(&place.document)?;
        let (false, Some(last)) = (read.is_empty(), &whole.last) else { return Ok(None) };
        let mut judged = Judged {
            state: TextState::Current,
            since: None,
            until: None,
            by_document: false,
            note: None,
            superseded_by: Vec::new(),
        };
        if sabotage::is_off("text-state") {
            return Ok(Some(judged));
        }
        if last.is_unusable() {
            judged.state = TextState::Retracted;
            judged.note.clone_from(&last.retracted);
            return Ok(Some(judged));
        }
        let day = self.graph.lens().day();
        let stands = read.iter().any(|version| version.closed.is_none());
        if !stands {
            let since = self.left_on(place, &read)?;
            if since.is_none_or(|since| since <= day) {
                judged.state = TextState::Superseded;
                judged.since = since;
                let gone = whole.standing.is_none();
                let note = if gone { "its document is gone" } else { "its document says something else now" };
                judged.note = Some(note.to_owned());
                return Ok(Some(judged));
            }
        }
        judged.superseded_by.clone_from(&whole.superseded_by);
        if let Some(first) = whole.superseded_by.iter().find(|one| one.on.is_none_or(|on| on <= day)) {
            judged.state = TextState::Superseded;
            judged.since = first.on;
            judged.note = first.on.is_none().then(|| "date unknown".to_owned());
            return Ok(Some(judged));
        }
        let said = self.said_in(place)?;
        let edges: Vec<&Edge> = held(&said).collect();
        match of_edges(&edges, day) {
            Some((state, since, until)) => {
                (judged.state, judged.since, judged.until) = (state, since, until);
            }
            None => {
                if let Some(since) = self.document_expired(place, &whole, day)? {
                    judged.state = TextState::Expired;
                    judged.since = Some(since);
                    judged.by_document = true;
                }
            }
        }
        Ok(Some(judged))
    }

    /// The edges that a text asserts, as the reader sees them, sorted for people.
    pub(super) fn asserted(&self, place: &Place) -> Result<Vec<Asserted>, Error> {
        let mut found = Vec::new();
        for (says, fact, edges) in self.said_in(place)? {
            for edge in &edges {
                let claims = if says == Says::Ends { "ends" } else { "holds" };
                let one = Asserted { claims: claims.to_owned(), edge: self.graph.edge_view(&fact, edge)? };
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        let key = |one: &Asserted| {
            let edge = &one.edge;
            (
                edge.edge_type.clone(),
                edge.subject.clone(),
                edge.object.clone(),
                edge.valid_from,
                one.claims.clone(),
            )
        };
        found.sort_by_key(key);
        Ok(found)
    }

    /// The extractions of a text: by them it is known since when it stood in its document, and until when.
    fn read(&self, place: &Place) -> Result<Vec<Versioned<Extraction>>, Error> {
        let beginning = format!("{}#{}#", place.document, place.chunk);
        Ok(self.graph.view().versions_from(&beginning)?)
    }

    fn whole(&self, document: &DocumentId) -> Result<Rc<Whole>, Error> {
        if let Some(whole) = self.documents.borrow().get(document) {
            return Ok(whole.clone());
        }
        let view = self.graph.view();
        let standing = view.get::<DocumentRecord>(&document.to_string())?;
        let last = match &standing {
            Some(standing) => Some(standing.clone()),
            None => view.last(&document.to_string())?,
        };
        let superseded_by = match &standing {
            Some(record) => self.superseding(record)?,
            None => Vec::new(),
        };
        let whole = Rc::new(Whole { standing, last, superseded_by, expired: RefCell::new(None) });
        self.documents.borrow_mut().insert(document.clone(), whole.clone());
        Ok(whole)
    }

    /// What supersedes the entity for which a document stands, dated ones first. An end applies to all; of one
    /// that the reader may not see, the day alone shows. One that waits for a date is no end, and is told to
    /// those who may see it.
    fn superseding(&self, record: &DocumentRecord) -> Result<Vec<SupersededBy>, Error> {
        let Some(entity) = record.stands_for.as_ref().map(ToString::to_string) else { return Ok(Vec::new()) };
        let (graph, view) = (self.graph, self.graph.view());
        let ends = |edge_type: &str| graph.catalog().ending.contains(edge_type);
        let mut found = Vec::new();
        for fact in view.by::<Fact>("object", &entity)? {
            if !ends(&fact.edge_type) {
                continue;
            }
            let on = fact.edges.first().and_then(|edge| edge.interval.from());
            let seen = !graph.edges(&fact)?.is_empty();
            found.push(SupersededBy {
                on,
                says: if seen { Some(graph.says(&fact)?) } else { None },
                fact: seen.then(|| fact.id.to_string()),
                waits: false,
            });
        }
        for assertion in view.by::<Assertion>("object", &entity)? {
            let waits = view.get::<Quarantined>(&assertion.id.to_string())?;
            let undated = waits.is_some_and(|waits| waits.reasons.contains(&Reason::DateMissing));
            if undated
                && assertion.says == Says::Holds
                && ends(&assertion.edge_type)
                && graph.sees(&assertion)?
            {
                let says = Some(assertion.evidence.quote.clone());
                found.push(SupersededBy { on: None, says, fact: None, waits: true });
            }
        }
        found.sort_by(|a, b| (a.on.is_none(), a).cmp(&(b.on.is_none(), b)));
        found.dedup();
        Ok(found)
    }

    /// The day on which a text left its document; `None` if it counts as never having been right.
    fn left_on(&self, place: &Place, read: &[Versioned<Extraction>]) -> Result<Option<Date>, Error> {
        let view = self.graph.view();
        let name = place.document.to_string();
        let assertions: Vec<Assertion> = view.by("document", &name)?;
        let left = |of: &dyn Fn(&Assertion) -> bool| {
            assertions.iter().filter(|one| of(one)).filter_map(|one| Some(one.left.as_ref()?.on)).max()
        };
        let own = left(&|one| matches!(&one.origin, Origin::Chunk { chunk, .. } if *chunk == place.chunk));
        let Some(closed) = read.iter().filter_map(|version| version.closed).max() else { return Ok(own) };
        let before: Option<DocumentRecord> = view.store().view(closed - 1).get(&name)?;
        let after: Option<DocumentRecord> = view.store().view(closed).get(&name)?;
        Ok(match (own, before, after) {
            (Some(own), ..) => Some(own),
            // A document that is gone took all of its text on the same day.
            (None, _, None) => left(&|_| true),
            (None, Some(before), Some(after)) if self.amends(place, &before, &after) => after.effective,
            (None, _, Some(_)) => None,
        })
    }

    fn amends(&self, place: &Place, before: &DocumentRecord, after: &DocumentRecord) -> bool {
        self.graph.catalog().amending.contains(place.document.source())
            && after.effective.is_some_and(|after| before.effective.is_none_or(|before| before < after))
    }

    /// What the assertions read in a text attest, as far as the reader sees it.
    fn said_in(&self, place: &Place) -> Result<Vec<Seen>, Error> {
        let (document, chunk) = (place.document.to_string(), place.chunk.to_string());
        let assertions =
            self.graph.view().versions_by_both::<Assertion>(("document", &document), ("chunk", &chunk))?;
        let mut said = Vec::new();
        for version in assertions.into_iter().filter(|version| version.closed.is_none()) {
            said.extend(self.said_by(&version.record)?);
        }
        Ok(said)
    }

    fn said_by(&self, assertion: &Assertion) -> Result<Option<Seen>, Error> {
        let graph = self.graph;
        if !graph.sees(assertion)? {
            return Ok(None);
        }
        let Some(fact) = attested_fact(graph.view(), assertion)? else { return Ok(None) };
        let mut edges = graph.edges(&fact)?;
        let whole = graph.sees_everything() || graph.seen_of(&fact)?.len() == fact.attestations.len();
        let mine = fact.attestations.iter().filter(|one| one.assertion == assertion.id);
        // For a reader who sees less than all, an interval that others shaped would say what they know.
        let days: Vec<_> = mine.map(|one| if whole { one.interval } else { one.alone }).collect();
        edges.retain(|edge| days.iter().any(|days| days.overlaps(&edge.interval)));
        Ok((!edges.is_empty()).then_some((assertion.says, fact, edges)))
    }

    /// The day since which nothing that a document asserts holds any more, if that is so. A text of a document
    /// whose whole message is over does not pass for current because it asserts nothing by itself.
    fn document_expired(&self, place: &Place, whole: &Whole, day: Date) -> Result<Option<Date>, Error> {
        if let Some(known) = *whole.expired.borrow() {
            return Ok(known);
        }
        let mut last: Option<Date> = None;
        let mut expired = false;
        let mut chunks: Vec<ChunkId> =
            whole.standing.iter().flat_map(|record| &record.chunks).map(|part| part.id).collect();
        chunks.dedup();
        let assertions: Vec<Assertion> = self.graph.view().by("document", &place.document.to_string())?;
        for assertion in assertions.iter().filter(|one| one.says == Says::Holds && stands_in(one, &chunks)) {
            let Some((_, _, edges)) = self.said_by(assertion)? else { continue };
            let edges: Vec<&Edge> = edges.iter().collect();
            match of_edges(&edges, day) {
                Some((TextState::Expired, since, _)) => {
                    expired = true;
                    last = last.max(since);
                }
                Some(_) => {
                    (expired, last) = (false, None);
                    break;
                }
                None => {}
            }
        }
        let known = last.filter(|_| expired);
        *whole.expired.borrow_mut() = Some(known);
        Ok(known)
    }
}

fn stands_in(assertion: &Assertion, chunks: &[ChunkId]) -> bool {
    matches!(&assertion.origin, Origin::Chunk { chunk, .. } if chunks.contains(chunk))
}

/// The edges that a text says hold.
fn held(said: &[Seen]) -> impl Iterator<Item = &Edge> {
    said.iter().filter(|(says, ..)| *says == Says::Holds).flat_map(|(_, _, edges)| edges)
}

/// What a day makes of edges, with the first day of that state and of the next, where there are such days.
///
/// | on the day | before it | after it | state |
/// |---|---|---|---|
/// | one holds | none has ended | | current |
/// | one holds | one has ended | | mixed |
/// | none holds | | one will | future |
/// | none holds | one has ended | none will | expired |
fn of_edges(edges: &[&Edge], day: Date) -> Option<(TextState, Option<Date>, Option<Date>)> {
    if edges.is_empty() {
        return None;
    }
    let of = |state: State| edges.iter().filter(move |edge| State::of(&edge.interval, day) == state);
    let ended = of(State::Ended).filter_map(|edge| edge.interval.to()).max();
    let begins = of(State::Future).filter_map(|edge| edge.interval.from()).min();
    let holds = of(State::Current).next().is_some();
    Some(match (holds, ended, begins) {
        (true, None, _) => (TextState::Current, None, None),
        (true, Some(_), _) => (TextState::Mixed, ended, None),
        (false, _, Some(_)) => (TextState::Future, None, begins),
        (false, _, None) => (TextState::Expired, ended, None),
    })
}
