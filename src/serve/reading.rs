//! The records of one generation, as one reader may see them.
//!
//! One function decides what of a fact is visible ([`Graph::edges`]) and one what of an assertion
//! ([`Graph::sees`]). Lists, counts, neighbors, snippets, history and exports all ask them.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Catalog, Error};
use crate::model::access::{Labels, Reader};
use crate::model::assertion::{Assertion, Origin};
use crate::model::decision::{Answer, Decision};
use crate::model::entity::EntityClaim;
use crate::model::fact::{Edge, Fact};
use crate::model::id::{AssertionId, ChunkId, DocumentId, EntityKey, FactId};
use crate::model::sabotage;
use crate::model::spot::Spot;
use crate::reconcile;
use crate::store::{ChunkRecord, ChunkRef, DocumentRecord, Generation, ScopeRecord, Store, View};

/// Through what a reader looks at the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The day on which edges must hold; `None` is every day.
    pub as_of: Option<Date>,
    /// The generation that counts as known.
    pub known_at: u64,
    /// Who reads.
    pub reader: Reader,
    /// True to see what waits in quarantine beside what is published.
    pub pending: bool,
    /// The day that counts as today where no other day is asked for.
    pub today: Date,
}

impl Lens {
    /// The day that tells current from ended and future.
    pub fn day(&self) -> Date {
        self.as_of.unwrap_or(self.today)
    }
}

/// The generation that was known at a generation number, an RFC 3339 time or a date (its last moment).
pub fn known_at(text: &str, generations: &[Generation], zone: &TimeZone) -> Result<u64, Error> {
    let last = generations.last().map_or(0, |generation| generation.id);
    if sabotage::is_off("known-at") {
        return Ok(last);
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse::<u64>() {
            Ok(number) if (1..=last).contains(&number) => Ok(number),
            _ => Err(Error::asked(
                format!("there is no generation {text}"),
                if last == 0 {
                    "nothing has been published yet".to_owned()
                } else {
                    format!("the published generations are 1 to {last}")
                },
            )),
        };
    }
    let until = moment(text, zone).ok_or_else(|| {
        Error::asked(
            format!("`{text}` is neither a generation nor a time"),
            "write a generation such as 7, a date such as 2024-02-17, or a time such as 2024-02-17T06:00:00Z",
        )
    })?;
    let published = |generation: &&Generation| {
        generation.recorded_at.parse::<Timestamp>().is_ok_and(|recorded| recorded <= until)
    };
    match generations.iter().rev().find(published) {
        Some(generation) => Ok(generation.id),
        None => Err(Error::asked(
            format!("nothing was published by {text}"),
            match generations.first() {
                Some(first) => format!("the first generation was published at {}", first.recorded_at),
                None => "nothing has been published yet".to_owned(),
            },
        )),
    }
}

/// The moment that a time or the end of a date stands for.
fn moment(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    // A date may be followed by nothing; "2024-02-17T06:00" without an offset would be guessed at.
    let day: Date = (text.len() == 10).then(|| text.parse().ok())??;
    let next = day.tomorrow().ok()?.to_zoned_datetime(zone.clone()).ok()?.timestamp();
    next.checked_sub(jiff::SignedDuration::from_nanos(1)).ok()
}

/// What a reader needs to see a document or feed.
#[derive(Debug, Clone)]
struct Guard {
    /// Every one of these labels.
    labels: Labels,
    /// True if nobody but those who see everything may read it.
    closed: bool,
}

/// The records of one generation, as one reader may see them.
#[derive(Debug)]
pub struct Graph<'s> {
    view: View<'s>,
    /// Labels are those of today: what has become secret is secret in its past as well.
    latest: View<'s>,
    lens: Lens,
    catalog: &'s Catalog,
    guards: RefCell<BTreeMap<String, Guard>>,
    entities: RefCell<BTreeMap<EntityKey, bool>>,
    names: RefCell<BTreeMap<EntityKey, String>>,
    decisions: OnceCell<Vec<Decision>>,
}

impl<'s> Graph<'s> {
    /// The graph through a lens.
    pub fn new(store: &'s Store, lens: Lens, catalog: &'s Catalog) -> Result<Self, Error> {
        Ok(Self {
            view: store.view(lens.known_at),
            latest: store.current()?,
            lens,
            catalog,
            guards: RefCell::default(),
            entities: RefCell::default(),
            names: RefCell::default(),
            decisions: OnceCell::new(),
        })
    }

    /// The lens.
    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    /// The same graph through another lens.
    pub fn through(&self, lens: Lens) -> Result<Self, Error> {
        Self::new(self.view.store(), lens, self.catalog)
    }

    /// The records, unfiltered: for this folder only.
    pub(super) fn view(&self) -> &View<'s> {
        &self.view
    }

    /// What the configuration says.
    pub(super) fn catalog(&self) -> &Catalog {
        self.catalog
    }

    /// True if the reader sees everything, so that nothing need be looked up.
    pub(super) fn sees_everything(&self) -> bool {
        self.lens.reader == Reader::Everything || sabotage::is_off("access")
    }

    /// The last published generation.
    pub(super) fn latest_generation(&self) -> u64 {
        self.latest.generation()
    }

    /// True if nothing has been published.
    pub fn is_empty(&self) -> bool {
        self.view.generation() == 0
    }

    /// What is visible of a fact: its edges as far as the reader sees what attests them.
    ///
    /// Needs one seen attestation, both endpoints and the type; of the interval the union of what is seen.
    /// A property that the reader may not see is left out.
    pub fn edges(&self, fact: &Fact) -> Result<Vec<Edge>, Error> {
        if self.sees_everything() {
            return Ok(fact.edges.clone());
        }
        if !self.sees_type(&fact.edge_type)
            || !self.sees_entity(&fact.subject)?
            || !self.sees_entity(&fact.object)?
        {
            return Ok(Vec::new());
        }
        let seen = self.seen_of(fact)?;
        let holds = |id: &AssertionId| fact.attestations.iter().any(|one| one.assertion == *id && !one.ends);
        if !seen.iter().any(holds) {
            return Ok(Vec::new());
        }
        let mut edges = if seen.len() == fact.attestations.len() {
            fact.edges.clone()
        } else {
            reconcile::visible(fact, &|id| seen.contains(id))
        };
        for edge in &mut edges {
            edge.properties.retain(|name, _| self.sees_property(&fact.edge_type, name));
        }
        Ok(edges)
    }

    /// The attestations of a fact that the reader sees.
    pub(super) fn seen_of(&self, fact: &Fact) -> Result<BTreeSet<AssertionId>, Error> {
        let mut seen = BTreeSet::new();
        for attested in &fact.attestations {
            if self.sees_id(&attested.assertion)? {
                seen.insert(attested.assertion);
            }
        }
        Ok(seen)
    }

    /// The fact with this id, if anything of it is visible, with what is.
    pub fn fact(&self, id: &FactId) -> Result<Option<(Fact, Vec<Edge>)>, Error> {
        let Some(fact) = self.view.get::<Fact>(&id.to_string())? else { return Ok(None) };
        let edges = self.edges(&fact)?;
        Ok(if edges.is_empty() { None } else { Some((fact, edges)) })
    }

    /// The visible facts of which an entity is an endpoint, sorted for people: by type, names, id.
    pub fn facts_of(&self, entity: &EntityKey) -> Result<Vec<(Fact, Vec<Edge>)>, Error> {
        let key = entity.to_string();
        let mut facts: Vec<Fact> = self.view.by("subject", &key)?;
        let also: Vec<Fact> = self.view.by("object", &key)?;
        facts.extend(also.into_iter().filter(|fact| fact.subject != *entity));
        let mut visible = Vec::new();
        for fact in facts {
            let edges = self.edges(&fact)?;
            if !edges.is_empty() {
                visible.push((fact, edges));
            }
        }
        visible.sort_by(|(a, _), (b, _)| {
            (&a.edge_type, &a.subject, &a.object, a.id).cmp(&(&b.edge_type, &b.subject, &b.object, b.id))
        });
        Ok(visible)
    }

    /// True if the reader sees an assertion: its document or feed, its type, and the endpoints that it knows.
    pub fn sees(&self, assertion: &Assertion) -> Result<bool, Error> {
        if self.sees_everything() {
            return Ok(true);
        }
        if !self.sees_type(&assertion.edge_type) || !self.sees_origin(&assertion.origin)? {
            return Ok(false);
        }
        for side in [&assertion.subject, &assertion.object] {
            if let Some(key) = side.known()
                && !self.sees_entity(key)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True if the reader sees the assertion with this id. What cannot be found is not seen.
    pub(super) fn sees_id(&self, id: &AssertionId) -> Result<bool, Error> {
        if self.sees_everything() {
            return Ok(true);
        }
        match self.assertion(id)? {
            Some(assertion) => self.sees_origin(&assertion.origin),
            None => Ok(false),
        }
    }

    /// The assertion with this id, whether the reader sees it or not.
    pub(super) fn assertion(&self, id: &AssertionId) -> Result<Option<Assertion>, Error> {
        Ok(self.view.get(&id.to_string())?)
    }

    /// True if the reader sees where something was read.
    pub(super) fn sees_origin(&self, origin: &Origin) -> Result<bool, Error> {
        match origin {
            Origin::Chunk { document, .. } => self.sees_document(document),
            Origin::Row { feed, .. } => self.sees_feed(feed),
        }
    }

    /// True if the reader sees a document. A withdrawn document is for those who see everything.
    pub fn sees_document(&self, document: &DocumentId) -> Result<bool, Error> {
        self.passes(&format!("document {document}"), || {
            let versions = self.latest.versions::<DocumentRecord>(&document.to_string())?;
            let last = versions.into_iter().next_back().map(|version| version.record);
            Ok(last.map(|record| Guard { closed: record.is_unusable(), labels: record.access }))
        })
    }

    /// True if the reader sees a feed.
    pub(super) fn sees_feed(&self, feed: &str) -> Result<bool, Error> {
        self.passes(&format!("feed {feed}"), || {
            let versions = self.latest.versions::<ScopeRecord>(feed)?;
            let last = versions.into_iter().next_back();
            Ok(last.map(|version| Guard { labels: version.record.access, closed: false }))
        })
    }

    /// Asks a guard, which is looked up once. What no record guards is closed, not open.
    fn passes(
        &self,
        key: &str,
        look_up: impl FnOnce() -> Result<Option<Guard>, Error>,
    ) -> Result<bool, Error> {
        if self.sees_everything() {
            return Ok(true);
        }
        if !self.guards.borrow().contains_key(key) {
            let guard = look_up()?.unwrap_or(Guard { labels: Labels::new(), closed: true });
            self.guards.borrow_mut().insert(key.to_owned(), guard);
        }
        let guards = self.guards.borrow();
        Ok(guards.get(key).is_some_and(|guard| !guard.closed && self.lens.reader.sees(&guard.labels)))
    }

    /// True if the reader sees an entity: its type, and one who claims it. An entity that nobody claims is
    /// guarded by its type alone: whoever names it is guarded already.
    pub fn sees_entity(&self, key: &EntityKey) -> Result<bool, Error> {
        if self.sees_everything() {
            return Ok(true);
        }
        if let Some(seen) = self.entities.borrow().get(key) {
            return Ok(*seen);
        }
        let open = self.catalog.entity_access.get(key.entity_type());
        let mut seen = open.is_none_or(|labels| self.lens.reader.sees(labels));
        if seen {
            let claims: Vec<EntityClaim> = self.view.by("entity", &key.to_string())?;
            seen = claims.is_empty() || !self.seen_claims(claims)?.is_empty();
        }
        self.entities.borrow_mut().insert(key.clone(), seen);
        Ok(seen)
    }

    /// The claims of an entity that the reader sees, feeds before documents.
    pub(super) fn claims(&self, key: &EntityKey) -> Result<Vec<EntityClaim>, Error> {
        let claims = self.view.by("entity", &key.to_string())?;
        self.seen_claims(claims)
    }

    /// Those of the claims that the reader sees, feeds before documents.
    pub(super) fn seen_claims(&self, claims: Vec<EntityClaim>) -> Result<Vec<EntityClaim>, Error> {
        let mut seen = Vec::new();
        for claim in claims {
            if self.sees_origin(&claim.origin)? {
                seen.push(claim);
            }
        }
        seen.sort_by_key(|claim| (claim.gone, claim.origin.document().is_some()));
        Ok(seen)
    }

    /// True if the reader sees edges of a type.
    pub fn sees_type(&self, edge_type: &str) -> bool {
        let labels = self.catalog.edge_access.get(edge_type);
        self.sees_everything() || labels.is_none_or(|labels| self.lens.reader.sees(labels))
    }

    /// True if the reader sees a property of a type of edges.
    pub(super) fn sees_property(&self, edge_type: &str, name: &str) -> bool {
        let labels = self.catalog.property_access.get(&(edge_type.to_owned(), name.to_owned()));
        self.sees_everything() || labels.is_none_or(|labels| self.lens.reader.sees(labels))
    }

    /// The name by which an entity goes for this reader; its key where it has no name.
    pub fn name(&self, key: &EntityKey) -> Result<String, Error> {
        if let Some(name) = self.names.borrow().get(key) {
            return Ok(name.clone());
        }
        let claims = self.claims(key)?;
        let first = claims.into_iter().find_map(|claim| claim.names.into_iter().next());
        let name = first.unwrap_or_else(|| key.key().to_owned());
        self.names.borrow_mut().insert(key.clone(), name.clone());
        Ok(name)
    }

    /// A fact as a sentence.
    pub fn says(&self, fact: &Fact) -> Result<String, Error> {
        Ok(format!("{} {} {}", self.name(&fact.subject)?, fact.edge_type, self.name(&fact.object)?))
    }

    /// A document as this generation knows it, or as it last was.
    pub(super) fn document(&self, id: &DocumentId) -> Result<Option<DocumentRecord>, Error> {
        if let Some(document) = self.view.get::<DocumentRecord>(&id.to_string())? {
            return Ok(Some(document));
        }
        let versions = self.view.versions::<DocumentRecord>(&id.to_string())?;
        Ok(versions.into_iter().next_back().map(|version| version.record))
    }

    /// Where in its file a chunk of a document begins, in the last version that holds it.
    pub(super) fn spot_of(&self, document: &DocumentId, chunk: &ChunkId) -> Result<Option<Spot>, Error> {
        let name = document.to_string();
        let spot = |version: &DocumentRecord| {
            version.chunks.iter().find(|part| part.id == *chunk).map(ChunkRef::spot)
        };
        if let Some(spot) = self.view.get::<DocumentRecord>(&name)?.as_ref().and_then(spot) {
            return Ok(Some(spot));
        }
        let versions = self.view.versions::<DocumentRecord>(&name)?;
        Ok(versions.iter().rev().find_map(|version| spot(&version.record)))
    }

    /// A chunk, also one that no document holds any more.
    pub(super) fn chunk(&self, id: &ChunkId) -> Result<Option<ChunkRecord>, Error> {
        let versions = self.view.versions::<ChunkRecord>(&id.to_string())?;
        Ok(versions.into_iter().next_back().map(|version| version.record))
    }

    /// The decisions that no later one took back, in the order of the log, whoever may see them.
    pub(super) fn standing_decisions(&self) -> Result<&[Decision], Error> {
        if let Some(decisions) = self.decisions.get() {
            return Ok(decisions);
        }
        let mut log: Vec<Decision> = self.view.all()?;
        let undone: BTreeSet<u64> = log
            .iter()
            .filter_map(|decision| match decision.answer {
                Answer::Undo { decision } => Some(decision),
                Answer::Approve | Answer::Reject { .. } | Answer::Correct { .. } => None,
            })
            .collect();
        log.retain(|one| !matches!(one.answer, Answer::Undo { .. }) && !undone.contains(&one.number));
        Ok(self.decisions.get_or_init(|| log))
    }
}
