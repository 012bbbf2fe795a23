//! What a fold asks again and again, and asks the store once: what judges an assertion besides itself.
//!
//! Nothing of it changes while facts are folded, because documents and assertions are written before.
//! It is forgotten when it has grown large, so it never holds a corpus.

use std::cell::RefCell;
use std::collections::HashMap;

use serde::Deserialize;

use crate::model::assertion::{Assertion, Origin};
use crate::model::id::{DocumentId, EntityKey, Fingerprint};
use crate::model::time::Date;
use crate::store::{Kind, View};

use super::Error;

/// How many answers are kept.
const MOST: usize = 20_000;

/// Of a document, what its assertions count by; its list of chunks is not read.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Head {
    /// The entity for which it stands.
    #[serde(default)]
    pub(super) stands_for: Option<EntityKey>,
    /// Its effective date.
    #[serde(default)]
    pub(super) effective: Option<Date>,
    /// The day of which it is dated.
    #[serde(default)]
    pub(super) dated: Option<Date>,
    #[serde(default)]
    withdrawn: bool,
    #[serde(default)]
    retracted: Option<String>,
}

impl Head {
    /// True if nothing that it says counts.
    pub(super) fn is_unusable(&self) -> bool {
        self.withdrawn || self.retracted.is_some()
    }
}

/// The answers.
#[derive(Debug, Default)]
pub(super) struct Recall {
    heads: RefCell<HashMap<DocumentId, Option<Head>>>,
    /// By document or row, chunk and quote.
    crowds: RefCell<HashMap<(String, String, Fingerprint), u32>>,
}

impl Recall {
    /// Forgets everything: what was written since may have changed it.
    pub(super) fn forget(&self) {
        self.heads.borrow_mut().clear();
        self.crowds.borrow_mut().clear();
    }

    /// What a document's assertions count by; `None` if there is no such document.
    pub(super) fn head(&self, view: &View<'_>, document: &DocumentId) -> Result<Option<Head>, Error> {
        if let Some(head) = self.heads.borrow().get(document) {
            return Ok(head.clone());
        }
        let head: Option<Head> = view.part(Kind::Document, &document.to_string())?;
        remember(&self.heads, document.clone(), head.clone());
        Ok(head)
    }

    /// How many assertions the snippet of this one carries: those with its quote in its chunk of its document,
    /// or in its row. The same sentence in another place is another snippet.
    pub(super) fn crowd(&self, view: &View<'_>, assertion: &Assertion) -> Result<u32, Error> {
        let (place, chunk) = match &assertion.origin {
            Origin::Chunk { document, chunk, .. } => (document.to_string(), chunk.to_string()),
            Origin::Row { feed, row } => (format!("{feed}/{row}"), String::new()),
        };
        let key = (place, chunk, assertion.quote_hash);
        if let Some(crowd) = self.crowds.borrow().get(&key) {
            return Ok(*crowd);
        }
        let quote = assertion.quote_hash.to_string();
        let quote = ("quote", quote.as_str());
        let crowd = if key.1.is_empty() {
            view.count_by(Kind::Assertion, ("feed_row", &key.0), &[quote])?
        } else {
            view.count_by(Kind::Assertion, ("chunk", &key.1), &[("document", &key.0), quote])?
        };
        let crowd = crowd as u32;
        remember(&self.crowds, key, crowd);
        Ok(crowd)
    }
}

fn remember<K: std::hash::Hash + Eq, V>(kept: &RefCell<HashMap<K, V>>, key: K, value: V) {
    let mut kept = kept.borrow_mut();
    if kept.len() >= MOST {
        kept.clear();
    }
    kept.insert(key, value);
}
