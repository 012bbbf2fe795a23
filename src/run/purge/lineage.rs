//! Which ids a document had: where it moved, and where it came from.
//!
//! No record says so, and none needs to: which of a night's new documents are gone ones under another name follows
//! from the two, as it did then (see [`moves`]).

use std::collections::{BTreeMap, BTreeSet};

use crate::model::id::DocumentId;
use crate::run::Error;
use crate::run::moves::{self, ByBytes};
use crate::store::{DocumentRecord, Kind, Store, Versioned, View};

/// The ids of a document, itself among them; empty if no generation knows it. Follows its moves; reads of the nights on
/// which it came or went the documents that came and went with it.
pub(super) fn ids(store: &Store, document: &DocumentId) -> Result<BTreeSet<DocumentId>, Error> {
    let (mut ids, mut next) = (BTreeSet::new(), vec![document.clone()]);
    while let Some(id) = next.pop() {
        let versions: Vec<Versioned<DocumentRecord>> = store.current()?.versions(&id.to_string())?;
        if versions.is_empty() || !ids.insert(id.clone()) {
            continue;
        }
        let opened: BTreeSet<u64> = versions.iter().map(|version| version.opened).collect();
        let closed: BTreeSet<u64> = versions.iter().filter_map(|version| version.closed).collect();
        for generation in opened.symmetric_difference(&closed) {
            next.extend(other_id(store, *generation, &id)?);
        }
    }
    Ok(ids)
}

/// Under which id a document went on that was gone in a generation, or was before if it was new there.
fn other_id(store: &Store, generation: u64, id: &DocumentId) -> Result<Option<DocumentId>, Error> {
    let (before, now) = (store.view(generation.saturating_sub(1)), store.view(generation));
    let touched = now.touched_in(Kind::Document, generation)?;
    if touched.iter().all(|(_, opened, _)| *opened) || touched.iter().all(|(.., closed)| *closed) {
        return Ok(None);
    }
    let (mut gone, mut new) = (BTreeMap::new(), BTreeMap::new());
    for (other, opened, closed) in touched {
        let (view, side) = match (opened, closed) {
            (false, true) => (&before, &mut gone),
            (true, false) => (&now, &mut new),
            _ => continue,
        };
        if let Some(record) = view.get::<DocumentRecord>(&other)? {
            side.insert(record.document.clone(), record);
        }
    }
    let is_it = |from: &DocumentId, to: &DocumentId| {
        (from == id).then(|| to.clone()).or_else(|| (to == id).then(|| from.clone()))
    };
    let mut by_bytes = ByBytes::default();
    gone.iter().for_each(|(from, record)| by_bytes.add(record.content, from.clone()));
    let ways: Vec<(DocumentId, DocumentId)> =
        new.iter().filter_map(|(to, record)| Some((by_bytes.take(record.content)?, to.clone()))).collect();
    if let Some(other) = ways.iter().find_map(|(from, to)| is_it(from, to)) {
        return Ok(Some(other));
    }
    for (from, to) in &ways {
        gone.remove(from);
        new.remove(to);
    }
    let pairs = moves::pair(&shingles(&before, &gone)?, &shingles(&now, &new)?);
    Ok(pairs.iter().find_map(|(from, to)| is_it(from, to)))
}

fn shingles(
    view: &View<'_>,
    documents: &BTreeMap<DocumentId, DocumentRecord>,
) -> Result<BTreeMap<DocumentId, moves::Shingles>, Error> {
    let of =
        |(id, record): (&DocumentId, &DocumentRecord)| Ok((id.clone(), moves::shingles_of(view, record)?));
    documents.iter().map(of).collect()
}
