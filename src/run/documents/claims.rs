//! Entities that a document claims: the one for which it stands, and the parts that its text names.

use std::collections::BTreeMap;

use crate::model::assertion::Origin;
use crate::model::chunk::Chunk;
use crate::model::entity::EntityClaim;
use crate::model::id::DocumentId;
use crate::model::mention::{Known, Mention};
use crate::ontology::{Create, Ontology};
use crate::run::Error;
use crate::run::session::Session;
use crate::store::{DocumentRecord, Record};

/// What a document claims, by the record's id.
pub(super) type Claims = BTreeMap<String, EntityClaim>;

/// A document that stands for an entity claims it, if its type may come from documents.
pub(super) fn own_claim(
    ontology: &Ontology,
    record: &DocumentRecord,
    chunks: &[Chunk],
) -> Option<EntityClaim> {
    let entity = record.stands_for.clone()?;
    let kind = ontology.entities.get(entity.entity_type())?;
    let first = chunks.first()?;
    (kind.create != Create::Never).then(|| {
        let (document, chunk, occurrence) = (record.document.clone(), first.id, first.occurrence);
        let claim = EntityClaim::of_text(entity, Origin::Chunk { document, chunk, occurrence });
        let properties = BTreeMap::from([("title".to_owned(), record.title.clone())]);
        EntityClaim { properties, ..claim }
    })
}

/// Parts that a text names by their written form ("Schedule 7") exist by being named, if their type says so.
pub(super) fn parts_named(ontology: &Ontology, origin: &Origin, mentions: &[Mention]) -> Vec<EntityClaim> {
    mentions
        .iter()
        .filter(|mention| mention.how == Known::Pattern)
        .filter_map(|mention| match mention.candidates.as_slice() {
            [one] => Some(one),
            _ => None,
        })
        .filter(|entity| {
            ontology.entities.get(entity.entity_type()).is_some_and(|kind| kind.create == Create::FromText)
        })
        .map(|entity| EntityClaim::of_text(entity.clone(), origin.clone()))
        .collect()
}

/// Makes what a document claims the only thing that it claims.
pub(super) fn settle_claims(
    session: &mut Session<'_>,
    document: &DocumentId,
    claims: Claims,
) -> Result<(), Error> {
    let stood: Vec<EntityClaim> = session.writer.view().by("document", &document.to_string())?;
    for claim in stood.iter().filter(|claim| !claims.contains_key(&Record::id(*claim))) {
        session.close_claim(claim)?;
    }
    claims.values().try_for_each(|claim| session.put_claim(claim))
}
