//! Names: the lexicons of this run, and the documents whose chunks hold a name that came or went.

use std::collections::{BTreeMap, BTreeSet};

use crate::extract::{Bindings, Extractor, Setting};
use crate::index::Reader;
use crate::link::{Lexicon, index_words};
use crate::model::chunk::Chunk;
use crate::model::entity::EntityClaim;
use crate::model::id::{ChunkId, DocumentId, EntityKey};
use crate::model::mention::{Mention, Name};
use crate::reconcile::Gap;
use crate::store::{ChunkRecord, Extraction, Generation, Kind, Store, View};

use super::session::Session;
use super::setup::{self, Setup};
use super::{Error, Workspace, output};

/// The lexicons of a run.
#[derive(Default)]
pub(super) struct Lexicons {
    /// By ontology.
    pub(super) by_ontology: BTreeMap<String, Lexicon>,
    /// Those that were built in this run, and are kept for the next ones once it is published.
    built: BTreeSet<String>,
}

/// Above so many changed entities, or this share of all, a lexicon is built anew.
const FEW_CHANGES: usize = 2_000;
const SHARE_OF_CHANGES: usize = 4;

/// The lexicon of each ontology over the entities as the run has left them so far. A kept one is read back,
/// and only the entities that changed since are looked at; else it is built. Holds the names, never the texts.
pub(super) fn lexicons(setup: &Setup, view: &View<'_>, workspace: &Workspace) -> Result<Lexicons, Error> {
    let mut lexicons = Lexicons::default();
    let mut all: Option<Vec<Name>> = None;
    for (ontology, reader) in &setup.readers {
        if let Some(lexicon) = kept(setup, view, workspace, ontology, reader)? {
            lexicons.by_ontology.insert(ontology.clone(), lexicon);
            continue;
        }
        let names = match all.take() {
            Some(names) => names,
            None => all_names(setup, view)?,
        };
        let known = names.iter().filter(|name| known_to(reader, name)).cloned();
        let lexicon = Lexicon::build(&reader.ontology, reader.language, known);
        lexicons.by_ontology.insert(ontology.clone(), lexicon);
        lexicons.built.insert(ontology.clone());
        all = Some(names);
    }
    Ok(lexicons)
}

fn all_names(setup: &Setup, view: &View<'_>) -> Result<Vec<Name>, Error> {
    let mut names: Vec<Name> = Vec::new();
    view.each(|claim: EntityClaim| {
        names.extend(names_of(setup, &claim));
        Ok::<(), Error>(())
    })?;
    Ok(names)
}

fn known_to(reader: &setup::Reader, name: &Name) -> bool {
    reader.ontology.entities.contains_key(name.entity.entity_type())
}

/// The kept lexicon of an ontology, with what changed since; `None` if there is none that fits, or too much did.
fn kept(
    setup: &Setup,
    view: &View<'_>,
    workspace: &Workspace,
    ontology: &str,
    reader: &setup::Reader,
) -> Result<Option<Lexicon>, Error> {
    let Some(bytes) = output::read_derived(&workspace.names(ontology))? else { return Ok(None) };
    let Some((label, lexicon)) = Lexicon::read(&reader.ontology, reader.language, &bytes) else {
        return Ok(None);
    };
    let generations = view.store().generations()?;
    // Names of a later generation say nothing of what this one knew.
    let mut known = generations.iter().filter(|one| one.id <= view.generation());
    let Some(of) = known.find(|one| label == label_of(setup, one)) else {
        return Ok(None);
    };
    let changed = view.touched_after(Kind::Entity, of.id, "entity")?;
    if changed.len() > FEW_CHANGES.max(lexicon.built_of() / SHARE_OF_CHANGES) {
        return Ok(None);
    }
    let (mut entities, mut names) = (BTreeSet::new(), Vec::new());
    for entity in changed {
        for claim in view.by::<EntityClaim>("entity", &entity)? {
            names.extend(names_of(setup, &claim).into_iter().filter(|name| known_to(reader, name)));
        }
        entities.extend(entity.parse::<EntityKey>());
    }
    Ok(Some(if entities.is_empty() { lexicon } else { lexicon.renewed(&entities, names) }))
}

/// By what a kept lexicon is known: the state of the names, which the history up to a generation tells, and
/// everything that decides how they are read.
fn label_of(setup: &Setup, generation: &Generation) -> String {
    let types: Vec<String> =
        setup.readers.values().map(|reader| reader.types_fingerprint().to_string()).collect();
    format!("{} {} {}", generation.id, generation.history_digest, types.join(" "))
}

/// Keeps what this run built, now that its names are published.
pub(super) fn keep(
    lexicons: &Lexicons,
    setup: &Setup,
    workspace: &Workspace,
    store: &Store,
) -> Result<(), Error> {
    let Some(last) = store.generations()?.pop() else { return Ok(()) };
    for ontology in &lexicons.built {
        if let Some(lexicon) = lexicons.by_ontology.get(ontology) {
            output::write_derived(&workspace.names(ontology), &lexicon.keep(&label_of(setup, &last)))?;
        }
    }
    Ok(())
}

/// Links a document and reads its bindings. What it binds for all of its text decides to whom the parts
/// belong that it names ("Schedule 7"), so a document that binds somebody is linked once more.
pub(super) fn link(
    lexicon: &Lexicon,
    extractor: &Extractor,
    setting: &Setting,
    chunks: &[Chunk],
) -> (Vec<Vec<Mention>>, Bindings) {
    let stands_for = setting.stands_for.as_ref();
    let mentions = lexicon.mentions(chunks, stands_for, &[]);
    let bindings = extractor.bind(setting, chunks, &mentions);
    let bound = bindings.entities();
    if bound.is_empty() || !lexicon.knows_parts() {
        return (mentions, bindings);
    }
    let mentions = lexicon.mentions(chunks, stands_for, &bound);
    let bindings = extractor.bind(setting, chunks, &mentions);
    (mentions, bindings)
}

/// The names by which a claim lets an entity be found: its key, its names, and the ways in which it is cited.
/// Entities that a document claims are found by their written form instead, so that no document's text
/// decides what another one reads.
pub(super) fn names_of(setup: &Setup, claim: &EntityClaim) -> Vec<Name> {
    if claim.origin.document().is_some() {
        return Vec::new();
    }
    let name = |text: &str, full: bool, former: bool| Name {
        entity: claim.entity.clone(),
        text: text.to_owned(),
        full,
        former,
    };
    let mut names: Vec<Name> =
        claim.names.iter().enumerate().map(|(at, text)| name(text, at == 0, false)).collect();
    names.extend(claim.former.iter().map(|(text, full)| name(text, *full, true)));
    names.push(name(claim.entity.key(), false, false));
    if let Some(kind) = setup.ontology.entities.get(claim.entity.entity_type()) {
        let mut slots = claim.properties.clone();
        slots.insert("key".to_owned(), claim.entity.key().to_owned());
        let today = [(claim.names.first(), false)].into_iter();
        for (title, former) in today.chain(claim.former.keys().map(|title| (Some(title), true))) {
            slots.insert("title".to_owned(), title.cloned().unwrap_or_default());
            for citation in &kind.cite {
                let cited = citation.fill(&slots).into_iter().flatten();
                names.extend(cited.map(|text| name(&text, true, former)));
            }
        }
    }
    // What has no letter and no digit names nobody: "-" and "???" stand in many texts and tables.
    names.retain(|name| name.text.chars().any(char::is_alphanumeric));
    names
}

/// The names by which these entities go, as far as they have any: feeds before documents, as for readers.
pub(super) fn shown(view: &View<'_>, keys: BTreeSet<&String>) -> Result<BTreeMap<String, String>, Error> {
    let mut names = BTreeMap::new();
    for key in keys {
        let mut claims: Vec<EntityClaim> = view.by("entity", key)?;
        claims.sort_by_key(|claim| (claim.gone, claim.origin.document().is_some()));
        if let Some(name) = claims.into_iter().find_map(|claim| claim.names.into_iter().next()) {
            names.insert(key.clone(), name);
        }
    }
    Ok(names)
}

/// Gaps in words, sorted, with the names of those for whom there is nobody.
pub(super) fn told(view: &View<'_>, gaps: &BTreeSet<Gap>) -> Result<Vec<String>, Error> {
    let keys: BTreeSet<String> = gaps.iter().map(|gap| gap.of.to_string()).collect();
    let names = shown(view, keys.iter().collect())?;
    let told = gaps.iter().map(|gap| {
        let key = gap.of.to_string();
        gap.told(&names.get(&key).map_or_else(|| key.clone(), |name| format!("{name} ({key})")))
    });
    let told: BTreeSet<String> = told.collect();
    Ok(told.into_iter().collect())
}

/// Follows the merges of the systems of record.
pub(super) fn merges(session: &Session<'_>) -> Result<BTreeMap<EntityKey, EntityKey>, Error> {
    let claims: Vec<EntityClaim> = session.writer.view().with("merged_into")?;
    let live = claims.into_iter().filter(|claim| !claim.gone);
    Ok(live.filter_map(|claim| Some((claim.entity, claim.merged_into?))).collect())
}

/// The documents in which a changed name stands, as they were last published: looked up by the words that every text
/// with the name has, and confirmed in the text. A document in which nothing changed keeps every extraction.
pub(super) fn documents_with_changed_names(session: &Session<'_>) -> Result<BTreeSet<DocumentId>, Error> {
    let mut found = BTreeSet::new();
    for reader in session.setup.readers.values() {
        let changed = session.changed_names.iter().filter(|name| known_to(reader, name));
        let lexicon = Lexicon::build(&reader.ontology, reader.language, changed.clone().cloned());
        let words = changed.flat_map(|name| lexicon.words(name)).collect();
        found.extend(documents_with(session, &words, Some(&|text| lexicon.is_named_in(text)))?);
    }
    Ok(found)
}

/// The documents in which one of these words occurs, as they were last published.
pub(super) fn documents_with_words(
    session: &Session<'_>,
    words: &BTreeSet<String>,
) -> Result<BTreeSet<DocumentId>, Error> {
    documents_with(session, words, None)
}

/// The documents with a chunk in which one of these words occurs and whose text holds what is looked for. No more texts
/// are read than there are chunks: where many words are frequent, documents are taken without a look at the rest.
fn documents_with(
    session: &Session<'_>,
    words: &BTreeSet<String>,
    holds: Option<&dyn Fn(&str) -> bool>,
) -> Result<BTreeSet<DocumentId>, Error> {
    if words.is_empty() {
        return Ok(BTreeSet::new());
    }
    if let Some(index) = &session.index {
        match documents_of_index(session, index, words, holds) {
            // Damaged where nobody had looked before: it is built anew when it is followed.
            Err(Error::Index(_)) if !session.options.plan => index.give_up()?,
            Err(Error::Index(_)) => {}
            documents => return documents,
        }
    }
    // Without an index that can be read, what it would say is read out of the texts: a plan mends none.
    let view = session.writer.before();
    let mut found = BTreeSet::new();
    view.each(|chunk: ChunkRecord| {
        let text = &chunk.body.text;
        if index_words(text).iter().any(|word| words.contains(word.as_str()))
            && holds.is_none_or(|holds| holds(text))
        {
            let held: Vec<Extraction> = view.by("chunk", &chunk.id.to_string())?;
            found.extend(held.into_iter().map(|extraction| extraction.document));
        }
        Ok::<(), Error>(())
    })?;
    Ok(found)
}

/// The same, as the text index says.
fn documents_of_index(
    session: &Session<'_>,
    index: &Reader,
    words: &BTreeSet<String>,
    holds: Option<&dyn Fn(&str) -> bool>,
) -> Result<BTreeSet<DocumentId>, Error> {
    let view = session.writer.before();
    let mut left = session.writer.counts(session.options.today)?.chunks;
    let mut is_held = |chunks: &[ChunkId]| -> Result<bool, Error> {
        let Some(holds) = holds else { return Ok(true) };
        for chunk in chunks {
            if left == 0 {
                return Ok(true);
            }
            left -= 1;
            let record: Option<ChunkRecord> = view.get(&chunk.to_string())?;
            if record.is_none_or(|chunk| holds(&chunk.body.text)) {
                return Ok(true);
            }
        }
        Ok(false)
    };
    let mut found = BTreeSet::new();
    for word in words {
        for (document, chunks) in index.chunks_with(word)? {
            if !found.contains(&document) && is_held(&chunks)? {
                found.insert(document);
            }
        }
    }
    Ok(found)
}
