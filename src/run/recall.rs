//! What a fold asks again and again, and asks the store once: what judges an assertion besides itself.
//!
//! Nothing of it changes while facts are folded, because documents and assertions are written before.
//! It is forgotten when it has grown large, so it never holds a corpus.

use std::cell::RefCell;
use std::collections::HashMap;

use serde::Deserialize;

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
    crowds: RefCell<HashMap<Fingerprint, u32>>,
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

    /// How many assertions have this quote.
    pub(super) fn crowd(&self, view: &View<'_>, quote: Fingerprint) -> Result<u32, Error> {
        if let Some(crowd) = self.crowds.borrow().get(&quote) {
            return Ok(*crowd);
        }
        let crowd = view.count_by(Kind::Assertion, "quote", &quote.to_string())? as u32;
        remember(&self.crowds, quote, crowd);
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
