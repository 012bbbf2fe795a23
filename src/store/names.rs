//! Names: which claims call an entity so, in any generation, so that a person's word finds it without reading others.
//!
//! A row is written when a claim that has the name is published, and stays: whoever looks a name up reads the
//! claims of their generation and sees whether they still have it. It is derived from the records, and part of
//! no digest.

use std::collections::BTreeSet;

use rusqlite::params;

use super::view::{View, read_body};
use super::{EntityRecord, Error, Record, Store, Writer};
use crate::model::token::{TokenKind, fold, tokens};

/// The format with which the table came.
pub(super) const SINCE: i64 = 4;

/// The first word of a text without marks, folded; empty if there is none.
pub fn first_word(text: &str) -> String {
    let mut words = tokens(text).into_iter().filter(|token| token.kind != TokenKind::Mark);
    words.next().map(|token| token.folded.into()).unwrap_or_default()
}

/// The rows of a claim: first word and folded text of its key and of all its names.
pub(super) fn rows_of(claim: &EntityRecord) -> BTreeSet<(String, String)> {
    let names = claim.names.iter().chain(claim.former.keys()).map(String::as_str);
    let mut rows = BTreeSet::new();
    for name in names.chain([claim.entity.key()]) {
        let whole = fold(name);
        // Folding may move the bounds of words: looked up as written and as folded, it is found.
        rows.insert((first_word(&whole), whole.clone()));
        rows.insert((first_word(name), whole));
    }
    rows
}

impl Store {
    /// Notes the names of every version of every claim. Linear in these.
    pub(super) fn note_all_names(&self) -> Result<(), Error> {
        self.each_claim("1", |claim| self.note_names(&claim))
    }

    fn note_names(&self, claim: &EntityRecord) -> Result<(), Error> {
        let failed = self.failed("note a name");
        let mut insert = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO name(first, whole, claim) VALUES (?1, ?2, ?3)")
            .map_err(&failed)?;
        for (first, whole) in rows_of(claim) {
            insert.execute(params![first, whole, claim.id()]).map_err(&failed)?;
        }
        Ok(())
    }

    fn each_claim(
        &self,
        which: &str,
        mut each: impl FnMut(EntityRecord) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = self.failed("read the names");
        let sql = format!("SELECT id, body FROM entity WHERE {which}");
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id = row.get_ref(0).map_err(&failed)?.as_str().map_err(|error| failed(error.into()))?;
            let body = row.get_ref(1).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
            each(read_body(id, body)?)?;
        }
        Ok(())
    }

    /// Calls `each` for every name of a claim that is not noted.
    pub(super) fn unnoted_names(&self, mut each: impl FnMut(&EntityRecord, &str)) -> Result<(), Error> {
        let failed = self.failed("look a name up");
        let sql = "SELECT 1 FROM name WHERE first = ?1 AND whole = ?2 AND claim = ?3";
        let mut noted = self.connection.prepare_cached(sql).map_err(&failed)?;
        let published = format!("opened <= {}", self.published()?);
        self.each_claim(&published, |claim| {
            for (first, whole) in rows_of(&claim) {
                if !noted.exists(params![first, whole, claim.id()]).map_err(&failed)? {
                    each(&claim, &whole);
                }
            }
            Ok(())
        })
    }
}

impl Writer<'_> {
    /// Notes the names of the claims that this generation brings.
    pub(super) fn move_names(&self) -> Result<(), Error> {
        let which = format!("opened = {}", self.generation());
        self.store.each_claim(&which, |claim| self.store.note_names(&claim))
    }
}

impl View<'_> {
    /// The claims that may call an entity by a text with this first word, or by exactly this folded text with it.
    /// Logarithmic in the names, linear in the answer. `None` if the store's format does not note names.
    pub fn called(&self, first: &str, whole: Option<&str>) -> Result<Option<Vec<EntityRecord>>, Error> {
        let failed = self.store().failed("look a name up");
        if self.store().format < SINCE {
            return Ok(None);
        }
        let sql = match whole {
            Some(_) => "SELECT DISTINCT claim FROM name WHERE first = ?1 AND whole = ?2",
            None => "SELECT DISTINCT claim FROM name WHERE first = ?1 AND ?2 IS NULL",
        };
        let mut statement = self.store().connection.prepare_cached(sql).map_err(&failed)?;
        let ids = statement.query_map(params![first, whole], |row| row.get(0)).map_err(&failed)?;
        let ids: BTreeSet<String> = ids.collect::<Result<_, _>>().map_err(&failed)?;
        let mut claims = Vec::new();
        for id in ids {
            claims.extend(self.get::<EntityRecord>(&id)?);
        }
        Ok(Some(claims))
    }
}
