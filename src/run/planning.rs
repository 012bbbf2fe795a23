//! Planning: which documents must be looked at tonight, and why. Everything else is left alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::{Diagnostic, Place};
use crate::model::assertion::Assertion;
use crate::model::cause::Cause;
use crate::model::edit::EDITS;
use crate::model::id::{DocumentId, EntityKey, Fingerprint};
use crate::model::job::Source;
use crate::resolve::merged;
use crate::source::folder;
use crate::store::{DocumentRecord, Kind, OntologyRecord, View};

use super::Error;
use super::documents::{Plan, Why, parse};
use super::edits::text_of;
use super::moves::{self, ByBytes, Shingles};
use super::names::{documents_with_changed_names, documents_with_words};
use super::purge;
use super::register::Registers;
use super::scan::Scanned;
use super::session::Session;
use super::setup::{Reader, STAGES};

/// Puts together why each document must be looked at. The strongest reason counts: bytes before the rest.
pub(super) fn plan(
    session: &mut Session<'_>,
    scanned: Scanned,
    registers: &Registers<'_>,
) -> Result<Plan, Error> {
    let mut look: BTreeMap<DocumentId, Why> = BTreeMap::new();
    let mut add = |documents: BTreeSet<DocumentId>, why: &Why| {
        for document in documents {
            look.entry(document).or_insert_with(|| why.clone());
        }
    };
    for why in [Why::Ontology, Why::Rule] {
        let documents = ontology_changes(session, &why)?;
        session.planned |= !documents.is_empty();
        add(documents, &why);
    }
    for source in &scanned.reconfigured {
        add(documents_of(&session.writer.view(), source)?, &Why::Config);
    }
    add(register_changes(session, registers)?, &Why::Config);
    add(withheld(&session.writer.view())?, &Why::Withheld);
    add(session.again.clone(), &Why::Again);
    // In the first generation every document is new, and every assertion has touched what it says as read.
    let is_first = session.writer.before().generation() == 0;
    if !is_first {
        add(documents_with_changed_names(session)?, &Why::Name);
    }
    if !is_first || !session.merges.is_empty() {
        touch_endpoints(session)?;
    }
    write_ontologies(session)?;

    let moves = moves(session, &scanned)?;
    for (document, on_disk) in scanned.changed {
        look.insert(document, Why::Bytes(on_disk));
    }
    look.retain(|document, _| !scanned.gone.contains(document));
    Ok(Plan { look, gone: scanned.gone, moves })
}

/// The documents that a change of the ontology can touch: all of its sources' if types or stages changed
/// (`Why::Ontology`), else those that hold a word without which a changed rule cannot match (`Why::Rule`).
fn ontology_changes(session: &mut Session<'_>, why: &Why) -> Result<BTreeSet<DocumentId>, Error> {
    let mut documents = BTreeSet::new();
    for (name, reader) in &session.setup.readers {
        let Some(before) = session.writer.before().get::<OntologyRecord>(name)? else { continue };
        let everything = before.types != reader.types_fingerprint() || before.stages != STAGES;
        if *why == Why::Ontology {
            if everything {
                documents.extend(documents_of_ontology(session, name)?);
            }
            continue;
        }
        if everything {
            continue;
        }
        for rule in changed_rules(&before, reader) {
            documents.extend(documents_of_rule(session, name, reader, &rule)?);
        }
    }
    Ok(documents)
}

/// The documents that a rule can touch: those that hold a word without which it cannot match, and those in which it
/// has read something.
fn documents_of_rule(
    session: &Session<'_>,
    ontology: &str,
    reader: &Reader,
    rule: &str,
) -> Result<BTreeSet<DocumentId>, Error> {
    let mut documents = match reader.extractor.can_touch(rule) {
        Some(anchors) if !anchors.is_empty() => {
            // Any one anchor must occur; the one with the fewest alternatives is looked up.
            let anchor = anchors.iter().min_by_key(|words| words.len());
            let words = anchor.into_iter().flatten().cloned().collect();
            documents_with_words(session, &words)?
        }
        _ => documents_of_ontology(session, ontology)?,
    };
    documents.extend(documents_read_by(session, rule)?);
    Ok(documents)
}

/// The documents that a person wants to be read again although nothing about them has changed, by a rule, an edge
/// type or a document.
pub(super) fn again(session: &Session<'_>, asked: &[String]) -> Result<BTreeSet<DocumentId>, Error> {
    let mut documents = BTreeSet::new();
    for what in asked {
        let mut known = false;
        for (name, reader) in &session.setup.readers {
            let rules = reader
                .ontology
                .rules
                .iter()
                .filter(|rule| rule.id == *what || rule.edge.as_ref() == Some(what));
            for rule in rules {
                known = true;
                documents.extend(documents_of_rule(session, name, reader, &rule.id)?);
            }
        }
        let document = what.parse::<DocumentId>().ok();
        if let Some(document) = document
            && session.writer.view().get::<DocumentRecord>(what)?.is_some()
        {
            known = true;
            documents.insert(document);
        }
        if !known {
            let rules = session.setup.ontology.rules.iter().map(|rule| rule.id.as_str());
            let names = rules.chain(session.setup.ontology.edges.keys().map(String::as_str));
            let near = crate::diag::nearest(what, names).map(|near| format!("did you mean `{near}`?"));
            return Err(Error::Words {
                message: format!("there is no rule, edge type or document `{what}` to read again"),
                hint: near.or_else(|| Some("a document is named as `source/path`".to_owned())),
            });
        }
    }
    Ok(documents)
}

fn changed_rules(before: &OntologyRecord, reader: &Reader) -> BTreeSet<String> {
    let now: BTreeMap<String, Fingerprint> =
        reader.ontology.rules.iter().map(|rule| (rule.id.clone(), rule.revision)).collect();
    before
        .rules
        .keys()
        .chain(now.keys())
        .filter(|id| before.rules.get(*id) != now.get(*id))
        .cloned()
        .collect()
}

/// The documents in which a rule read something: a rule that left takes its readings with it.
fn documents_read_by(session: &Session<'_>, rule: &str) -> Result<BTreeSet<DocumentId>, Error> {
    let mut documents = BTreeSet::new();
    session.writer.view().each(|assertion: Assertion| {
        if assertion.rule == rule {
            documents.extend(assertion.origin.document().cloned());
        }
        Ok::<(), Error>(())
    })?;
    Ok(documents)
}

fn documents_of_ontology(session: &Session<'_>, ontology: &str) -> Result<BTreeSet<DocumentId>, Error> {
    let mut documents = BTreeSet::new();
    for job in session.setup.jobs.iter().filter(|job| job.ontology == ontology) {
        for source in job.sources.keys() {
            documents.extend(documents_of(&session.writer.view(), source)?);
        }
    }
    // Texts that came with edits are read with the ontology of the entity that they are about.
    for id in documents_of(&session.writer.view(), EDITS)? {
        if text_of(session, &id)?.is_some_and(|text| text.ontology == ontology) {
            documents.insert(id);
        }
    }
    Ok(documents)
}

fn documents_of(view: &View<'_>, source: &str) -> Result<BTreeSet<DocumentId>, Error> {
    let ids = view.ids_by(Kind::Document, "source", source)?;
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

/// Documents about which a program gave no answer: it is asked again.
fn withheld(view: &View<'_>) -> Result<BTreeSet<DocumentId>, Error> {
    let ids = view.ids_with(Kind::Document, "withheld")?;
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

/// Documents whose row of the register changed.
fn register_changes(session: &Session<'_>, registers: &Registers<'_>) -> Result<BTreeSet<DocumentId>, Error> {
    let mut documents = BTreeSet::new();
    for (source, _) in session.setup.sources() {
        let Some(register) = &source.register else { continue };
        if !session.changed_rows.contains_key(&register.feed) {
            continue;
        }
        for id in documents_of(&session.writer.view(), &source.name)? {
            let Some(record) = session.writer.view().get::<DocumentRecord>(&id.to_string())? else {
                continue;
            };
            if row_says_otherwise(source, &record, registers, session)? {
                documents.insert(id);
            }
        }
    }
    Ok(documents)
}

fn row_says_otherwise(
    source: &Source,
    record: &DocumentRecord,
    registers: &Registers<'_>,
    session: &Session<'_>,
) -> Result<bool, Error> {
    let Some((_, reader)) = session.setup.sources().into_iter().find(|(known, _)| known.name == source.name)
    else {
        return Ok(false);
    };
    let standing = registers.standing(source, &record.path)?;
    let withdrawn = standing.withdrawn || super::register::withdrawn_by_field(&record.fields, source);
    let effective = standing.effective(&record.fields, source, reader.language);
    Ok(withdrawn != record.withdrawn || effective != record.effective)
}

/// An entity that came, went, merged or changed a date touches every assertion that has it as an endpoint, or
/// counts from its date.
pub(super) fn touch_endpoints(session: &Session<'_>) -> Result<(), Error> {
    let merges = |entity: &EntityKey| {
        session.merges.contains_key(entity) || session.merges_before.contains_key(entity)
    };
    let changed = changed_or_merged(session);
    let why = |entity: &EntityKey| match session.by_hand.get(entity) {
        _ if merges(entity) => (Cause::Merged, format!("the entity {entity}")),
        Some(edit) => (Cause::Curator, edit.clone()),
        None => (Cause::FeedRow, format!("the entity {entity}")),
    };
    for (entity, assertion) in super::corrections::naming(session, &changed)? {
        let (cause, detail) = why(&entity);
        session.touch(&assertion, cause, &detail)?;
    }
    for entity in &changed {
        let key = entity.to_string();
        let (cause, detail) = why(entity);
        for column in ["subject", "object"] {
            let assertions: Vec<Assertion> = session.writer.view().by(column, &key)?;
            for assertion in assertions {
                session.touch(&assertion, cause, &detail)?;
            }
        }
        for document in documents_standing_for(&session.writer.view(), &key)? {
            session.touch_document(&document, cause, &detail)?;
        }
    }
    Ok(())
}

/// The entities that changed, and those that count for another one than before, or for one that changed.
fn changed_or_merged(session: &Session<'_>) -> BTreeSet<EntityKey> {
    let mut entities = session.changed_entities.clone();
    for key in session.merges.keys().chain(session.merges_before.keys()) {
        let (before, now) = (merged(key, &session.merges_before), merged(key, &session.merges));
        let changed = [&before, &now].into_iter().any(|key| session.changed_entities.contains(key));
        if changed || before != now {
            entities.insert(key.clone());
        }
    }
    entities
}

fn documents_standing_for(view: &View<'_>, entity: &str) -> Result<Vec<DocumentId>, Error> {
    let ids = view.ids_by(Kind::Document, "stands_for", entity)?;
    Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
}

/// Writes the ontologies as they are now; a changed policy touches every fact, and extracts nothing.
///
/// What people took from a document that was purged is not kept with them again.
fn write_ontologies(session: &mut Session<'_>) -> Result<(), Error> {
    let purged = purge::quoted(&session.writer.before())?;
    for (name, reader) in &session.setup.readers {
        let detail = format!("ontology/{name}.yaml");
        let (text, quoting) = purge::kept(&purged, &detail, &reader.text);
        session.diagnostics.extend(quoting);
        let before: Option<OntologyRecord> = session.writer.before().get(name)?;
        let record = OntologyRecord {
            name: name.clone(),
            types: reader.types_fingerprint(),
            policy: reader.policy_fingerprint(),
            rules: reader.ontology.rules.iter().map(|rule| (rule.id.clone(), rule.revision)).collect(),
            stages: STAGES.map(str::to_owned).to_vec(),
            text,
        };
        let regate = before.as_ref().is_some_and(|before| {
            before.policy != record.policy || before.types != record.types || before.stages != record.stages
        });
        session.writer.put(&record)?;
        if regate {
            let mut touched = Vec::new();
            for edge_type in reader.ontology.edges.keys() {
                touched.extend(session.writer.view().ids_by(Kind::Assertion, "edge_type", edge_type)?);
            }
            for id in touched {
                if let Some(assertion) = session.writer.view().get::<Assertion>(&id)? {
                    session.touch(&assertion, Cause::OntologyChanged, &detail)?;
                }
            }
        }
    }
    Ok(())
}

/// Which of tonight's new documents are gone ones under another name. Reads only those two sets.
fn moves(session: &mut Session<'_>, scanned: &Scanned) -> Result<BTreeMap<DocumentId, DocumentId>, Error> {
    if scanned.gone.is_empty() {
        return Ok(BTreeMap::new());
    }
    let view = session.writer.view();
    let mut gone: BTreeMap<DocumentId, Shingles> = BTreeMap::new();
    let mut by_bytes = ByBytes::default();
    for id in &scanned.gone {
        let Some(record) = view.get::<DocumentRecord>(&id.to_string())? else { continue };
        gone.insert(id.clone(), moves::shingles_of(&view, &record)?);
        by_bytes.add(record.content, id.clone());
    }
    let mut moved = BTreeMap::new();
    let mut new: BTreeMap<DocumentId, Shingles> = BTreeMap::new();
    for (id, on_disk) in &scanned.changed {
        if view.get::<DocumentRecord>(&id.to_string())?.is_some() {
            continue;
        }
        let Some((source, reader)) =
            session.setup.sources().into_iter().find(|(source, _)| source.name == id.source())
        else {
            continue;
        };
        // A file that cannot be read is reported where it is read for good.
        let Ok(bytes) = folder::read(&on_disk.file(id), source.max_bytes) else { continue };
        if let Some(from) = by_bytes.take(Fingerprint::of_bytes(&bytes)) {
            gone.remove(&from);
            moved.insert(from, id.clone());
            continue;
        }
        let parsed = parse(&session.workers, source, on_disk.path(id), Some(&on_disk.file(id)), &bytes);
        if let (Some(document), _) = parsed {
            let chunks = crate::chunk::split(&document, reader.language);
            new.insert(id.clone(), moves::shingles(chunks.iter().map(|chunk| chunk.body.text.as_str())));
        }
    }
    moved.extend(moves::pair(&gone, &new));
    for (from, to) in &moved {
        let message = format!("it was {from}: the same text under another name");
        session.diagnostics.push(Diagnostic::note("document-moved", Place::file(to.to_string()), message));
    }
    Ok(moved)
}
