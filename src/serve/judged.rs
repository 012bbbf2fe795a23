//! What an evaluation asks the graph: whom a name means, whose edges are judged, what is said of them and where, and
//! what waits.

use std::collections::{BTreeMap, BTreeSet};

use super::at::At;
use super::evidence::where_read;
use super::waiting::{WaitingView, side, waiting};
use super::{Error, Graph};
use crate::model::assertion::Assertion;
use crate::model::entity::EntityClaim;
use crate::model::fact::{Edge, Fact, Quarantined};
use crate::model::golden::JudgedSide;
use crate::model::id::{DocumentId, EntityKey};
use crate::model::mention::Resolution;
use crate::model::token::fold;
use crate::store::{DocumentRecord, RowRecord};

/// Where a sentence stands that says a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// The sentence.
    pub quote: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// Where in the file it stands.
    pub at: At,
    /// The rule, or the feed's mapping.
    pub rule: String,
}

/// A side of a question: the entity that is meant, if anybody is, and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct Named<'n> {
    /// The entity.
    pub entity: Option<&'n EntityKey>,
    /// How it is written.
    pub written: &'n str,
}

impl Graph<'_> {
    /// The entities that rows of a feed make, of those rows that have one of these values in each of the columns.
    /// Linear in the feed's rows.
    pub fn made_by_feed(
        &self,
        feed: &str,
        only: &BTreeMap<String, Vec<String>>,
    ) -> Result<BTreeSet<EntityKey>, Error> {
        let mut made = BTreeSet::new();
        if !self.sees_feed(feed)? {
            return Ok(made);
        }
        self.view().each_by("feed", feed, |row: RowRecord| {
            let fits = |(column, values): (&String, &Vec<String>)| {
                row.cells.get(column).is_some_and(|cell| values.contains(cell))
            };
            if only.iter().all(fits) {
                let id = format!("{}/{}", row.feed, row.key);
                for claim in self.view().by::<EntityClaim>("feed", &id)? {
                    if self.sees_entity(&claim.entity)? {
                        made.insert(claim.entity);
                    }
                }
            }
            Ok::<bool, Error>(true)
        })?;
        Ok(made)
    }

    /// The facts that the reader sees with an entity on a side, with those of their edges that hold on the day asked
    /// for. Linear in the facts.
    pub fn said_of(&self, entity: &EntityKey, side: JudgedSide) -> Result<Vec<(Fact, Vec<Edge>)>, Error> {
        let day = self.lens().as_of;
        let mut said = Vec::new();
        for fact in self.view().by::<Fact>(side.name(), &entity.to_string())? {
            let mut edges = self.edges(&fact)?;
            edges.retain(|edge| day.is_none_or(|day| edge.interval.contains(day)));
            if !edges.is_empty() {
                said.push((fact, edges));
            }
        }
        Ok(said)
    }

    /// The sentence that says a fact, of those that the reader sees: one that defines its bounds, one of a document
    /// before one of a feed, then the first by rule. With an edge, only what contributes to it.
    pub fn said_by(&self, fact: &Fact, edge: Option<&Edge>) -> Result<Option<Quoted>, Error> {
        let Some(assertion) = self.saying(fact, edge)? else { return Ok(None) };
        let place = where_read(self, &assertion.origin, assertion.evidence.span)?;
        Ok(Some(Quoted {
            quote: assertion.evidence.quote,
            path: place.path,
            at: place.at,
            rule: assertion.rule,
        }))
    }

    /// The assertion behind [`Graph::said_by`].
    pub(super) fn saying(&self, fact: &Fact, edge: Option<&Edge>) -> Result<Option<Assertion>, Error> {
        let seen = self.seen_of(fact)?;
        let contributes = |interval| edge.is_none_or(|edge| edge.interval.overlaps(interval));
        let mut found: Vec<((bool, bool), Assertion)> = Vec::new();
        for attested in fact.attestations.iter().filter(|one| !one.ends && contributes(&one.interval)) {
            if seen.contains(&attested.assertion)
                && let Some(assertion) = self.assertion(&attested.assertion)?
            {
                found.push(((assertion.origin.document().is_none(), !attested.defines), assertion));
            }
        }
        let first = found.into_iter().min_by(|(rank, one), (other_rank, other)| {
            (rank, &one.rule, one.id).cmp(&(other_rank, &other.rule, other.id))
        });
        Ok(first.map(|(_, assertion)| assertion))
    }

    /// What waits and would say that one of these types joins these two, the first by place. A side that nobody or
    /// several are called fits if it is written so or may be meant.
    pub fn waits_for(
        &self,
        subject: Named<'_>,
        object: Named<'_>,
        types: &[String],
    ) -> Result<Option<WaitingView>, Error> {
        for (column, named) in [("subject", subject), ("object", object)] {
            let Some(entity) = named.entity else { continue };
            let mut found: Vec<WaitingView> = Vec::new();
            for assertion in self.view().by::<Assertion>(column, &entity.to_string())? {
                let fits = types.contains(&assertion.edge_type)
                    && means(&assertion.subject, subject)
                    && means(&assertion.object, object);
                if fits
                    && self.sees(&assertion)?
                    && let Some(waits) = self.view().get::<Quarantined>(&assertion.id.to_string())?
                {
                    found.push(waiting(self, &assertion, &waits)?);
                }
            }
            found.sort_by(|a, b| (&a.path, &a.at, &a.question).cmp(&(&b.path, &b.at, &b.question)));
            if let Some(first) = found.into_iter().next() {
                return Ok(Some(first));
            }
        }
        Ok(None)
    }

    /// The names of an entity that the reader sees, its key among them.
    pub fn names_of(&self, entity: &EntityKey) -> Result<BTreeSet<String>, Error> {
        let claims = self.claims(entity)?;
        let names =
            claims.into_iter().flat_map(|claim| claim.names.into_iter().chain(claim.former.into_keys()));
        Ok(names.chain([entity.key().to_owned()]).collect())
    }

    /// The documents that stand for an entity, as far as the reader sees them and they count.
    pub fn documents_for(&self, entity: &EntityKey) -> Result<Vec<DocumentRecord>, Error> {
        let mut seen = Vec::new();
        for document in self.view().by::<DocumentRecord>("stands_for", &entity.to_string())? {
            if !document.is_unusable() && self.sees_document(&document.document)? {
                seen.push(document);
            }
        }
        Ok(seen)
    }

    /// A document, if the reader sees it and it counts.
    pub fn document_seen(&self, id: &DocumentId) -> Result<Option<DocumentRecord>, Error> {
        if !self.sees_document(id)? {
            return Ok(None);
        }
        let document: Option<DocumentRecord> = self.view().get(&id.to_string())?;
        Ok(document.filter(|document| !document.is_unusable()))
    }

    /// Where a person finds the file of a document.
    pub fn path_of(&self, document: &DocumentRecord) -> String {
        self.catalog().path_of(document.document.source(), &document.path)
    }
}

/// True if a side of an assertion may be the one that is named.
fn means(read: &Resolution, named: Named<'_>) -> bool {
    match (read, named.entity) {
        (Resolution::Known(key), Some(entity)) => key == entity,
        (Resolution::Ambiguous { candidates, .. }, Some(entity)) => candidates.contains(entity),
        (Resolution::Known(_), None) => false,
        (Resolution::Ambiguous { .. }, None) | (Resolution::Unknown { .. }, _) => {
            fold(&side(read)) == fold(named.written)
        }
    }
}
