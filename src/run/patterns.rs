//! What the names of a source's files say: for whom a document stands, its own key, and where links lead.

use std::collections::{BTreeMap, BTreeSet};

use crate::extract::link_path;
use crate::model::chunk::Chunk;
use crate::model::id::EntityKey;
use crate::model::job::{Source, StandsFor};
use crate::ontology::Template;

/// The entries of a source's `documents`, compiled; the first that fits a name counts.
pub(super) struct Patterns<'s>(Vec<(&'s StandsFor, Template)>);

impl<'s> Patterns<'s> {
    /// Compiles them. The configuration's check has seen to it that each one is a template.
    pub(super) fn of(source: &'s Source) -> Self {
        let compiled = source.documents.iter();
        Self(compiled.filter_map(|one| Some((one, Template::parse(&one.name).ok()?))).collect())
    }

    /// The entity for which a file stands.
    pub(super) fn stands_for(&self, path: &str) -> Option<EntityKey> {
        let (pattern, slots) = self.fit(path)?;
        made_of(&pattern.entity_type, &pattern.key, &slots)
    }

    /// True if the names of files may declare keys of documents.
    pub(super) fn declare_keys(&self) -> bool {
        self.0.iter().any(|(pattern, _)| !pattern.document.is_empty())
    }

    /// The key that a file's name declares for the document.
    pub(super) fn document_key(&self, path: &str) -> Option<String> {
        let (pattern, slots) = self.fit(path)?;
        made_of(&pattern.entity_type, &pattern.document, &slots).map(|key| key.key().to_owned())
    }

    /// Where the links of a document lead within its source, as far as the files there stand for somebody. By
    /// their names alone: whether there is such an entity is not decided by whether there is such a file.
    pub(super) fn targets(&self, path: &str, chunks: &[Chunk]) -> BTreeMap<String, EntityKey> {
        let links: BTreeSet<&String> =
            chunks.iter().flat_map(|chunk| &chunk.body.links).map(|(_, target)| target).collect();
        let paths = links.into_iter().filter_map(|link| link_path(path, link));
        paths.filter_map(|path| Some((path.clone(), self.stands_for(&path)?))).collect()
    }

    fn fit(&self, path: &str) -> Option<(&'s StandsFor, BTreeMap<String, String>)> {
        self.0.iter().find_map(|(pattern, template)| Some((*pattern, template.match_path(path)?)))
    }
}

/// The key that the values of these slots make; `None` if none of them has a value.
fn made_of(entity_type: &str, key: &[String], slots: &BTreeMap<String, String>) -> Option<EntityKey> {
    let parts: Vec<&str> = key.iter().filter_map(|slot| slots.get(slot).map(String::as_str)).collect();
    match parts.as_slice() {
        [] => None,
        [one] => EntityKey::new(entity_type, one),
        several => EntityKey::compound(entity_type, several),
    }
}
