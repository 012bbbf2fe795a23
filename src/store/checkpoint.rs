//! Checkpoints: what the last scan saw of each file, and which content the document of that path has.
//!
//! One table answers for both in one sorted pass, so a night on which nothing changed reads no document.
//! It is no record: it says when and where, so it is part of no digest and no changelog file. The content
//! follows the documents at publication and can be made again from them.

use rusqlite::{OptionalExtension, params};
use serde::Deserialize;

use super::view::unpack;
use super::{DocumentRecord, Error, Kind, Store, Writer};
use crate::diag::json_fault;
use crate::model::id::{DocumentId, Fingerprint};

/// What is known of a path.
#[derive(Debug, Clone, Copy)]
pub struct Checkpoint<'r> {
    /// The path below the source's folder.
    pub path: &'r str,
    /// What the last scan saw, as `source` packed it; `None` if no scan has.
    pub seen: Option<&'r [u8]>,
    /// The document that has this path, if there is one.
    pub held: Option<Held<'r>>,
}

/// Which document has a path.
#[derive(Debug, Clone, Copy)]
pub struct Held<'r> {
    /// Its key in its source.
    pub key: &'r str,
    /// The hash of its bytes.
    pub content: Fingerprint,
}

impl<'r> Held<'r> {
    /// The document as it is kept: its content, and its key unless that is the path.
    fn pack(&self, path: &str) -> Vec<u8> {
        let mut packed = self.content.to_bytes().to_vec();
        if self.key != path {
            packed.extend(self.key.as_bytes());
        }
        packed
    }

    fn unpack(packed: &'r [u8], path: &'r str) -> Option<Self> {
        let (content, key) = packed.split_first_chunk()?;
        let key = if key.is_empty() { path } else { std::str::from_utf8(key).ok()? };
        Some(Self { key, content: Fingerprint::from_bytes(*content) })
    }
}

/// What publication must know of a document version.
#[derive(Deserialize)]
struct Standing {
    document: DocumentId,
    path: String,
    content: Fingerprint,
}

impl Store {
    /// Notes which document a path has.
    pub(super) fn hold(&self, document: &DocumentRecord) -> Result<(), Error> {
        let held = Held { key: document.document.key(), content: document.content }.pack(&document.path);
        self.connection
            .prepare_cached(HOLD)
            .and_then(|mut statement| {
                statement.execute(params![document.document.source(), document.path, held])
            })
            .map(drop)
            .map_err(self.failed("write a checkpoint"))
    }

    /// True if the checkpoint of a document's path says that it has this document with this content.
    pub(super) fn is_held(&self, document: &DocumentRecord) -> Result<bool, Error> {
        let failed = self.failed("read a checkpoint");
        let held: Option<Option<Vec<u8>>> = self
            .connection
            .prepare_cached("SELECT held FROM checkpoint WHERE source = ?1 AND path = ?2")
            .and_then(|mut statement| {
                let place = params![document.document.source(), document.path];
                statement.query_row(place, |row| row.get(0)).optional()
            })
            .map_err(&failed)?;
        let expected = Held { key: document.document.key(), content: document.content };
        Ok(held.flatten() == Some(expected.pack(&document.path)))
    }
}

/// Notes which document a path has, or that it has none.
const HOLD: &str = "INSERT INTO checkpoint(source, path, held) VALUES (?1, ?2, ?3)
                    ON CONFLICT DO UPDATE SET held = excluded.held";

impl Writer<'_> {
    /// Calls `each` for every checkpoint of a source as last published, by path, from `from` on and before `until`.
    pub fn checkpoints(
        &self,
        source: &str,
        from: &str,
        until: Option<&str>,
        mut each: impl FnMut(Checkpoint<'_>),
    ) -> Result<(), Error> {
        let failed = self.store.failed("read the checkpoints");
        let end = if until.is_some() { "AND path < ?3" } else { "AND ?3 IS NULL" };
        let sql = format!(
            "SELECT path, seen, held FROM checkpoint WHERE source = ?1 AND path >= ?2 {end} ORDER BY path"
        );
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query(params![source, from, until]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let text = |at: usize| row.get_ref(at);
            let path = text(0).map_err(&failed)?.as_str().map_err(|error| failed(error.into()))?;
            let seen = text(1).map_err(&failed)?.as_blob_or_null().map_err(|error| failed(error.into()))?;
            let held = text(2).map_err(&failed)?.as_blob_or_null().map_err(|error| failed(error.into()))?;
            let held = held.and_then(|packed| Held::unpack(packed, path));
            each(Checkpoint { path, seen, held });
        }
        Ok(())
    }

    /// Stages a checkpoint; `None` forgets what was seen. It moves with the publication, in the same
    /// transaction.
    pub fn stage_checkpoint(&self, source: &str, path: &str, seen: Option<&[u8]>) -> Result<(), Error> {
        self.store
            .connection
            .prepare_cached(
                "INSERT OR REPLACE INTO checkpoint_staged(source, path, seen) VALUES (?1, ?2, ?3)",
            )
            .and_then(|mut statement| statement.execute(params![source, path, seen]))
            .map(drop)
            .map_err(self.store.failed("stage a checkpoint"))
    }

    /// Moves what was staged, and lets the contents follow the documents of this generation. Linear in both.
    pub(super) fn move_checkpoints(&self) -> Result<(), Error> {
        let failed = self.store.failed("move the checkpoints");
        let connection = &self.store.connection;
        connection
            .execute_batch(
                "INSERT INTO checkpoint(source, path, seen)
                     SELECT source, path, seen FROM checkpoint_staged WHERE true
                     ON CONFLICT DO UPDATE SET seen = excluded.seen;",
            )
            .map_err(&failed)?;
        for (column, stands) in [("closed", false), ("opened", true)] {
            let sql = format!("SELECT id, body FROM document WHERE {column} = ?1");
            let mut statement = connection.prepare_cached(&sql).map_err(&failed)?;
            let mut hold = connection.prepare_cached(HOLD).map_err(&failed)?;
            let mut rows = statement.query([self.generation() as i64]).map_err(&failed)?;
            while let Some(row) = rows.next().map_err(&failed)? {
                let id: String = row.get(0).map_err(&failed)?;
                let body =
                    row.get_ref(1).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
                let corrupt = |why: String| Error::Corrupt { kind: "document", id: id.clone(), why };
                let json = unpack(Kind::Document, body).map_err(corrupt)?;
                let standing: Standing = serde_json::from_slice(&json).map_err(|error| Error::Corrupt {
                    kind: "document",
                    id: id.clone(),
                    why: json_fault(&error),
                })?;
                let (key, content) = (standing.document.key(), standing.content);
                let held = stands.then(|| Held { key, content }.pack(&standing.path));
                hold.execute(params![standing.document.source(), standing.path, held]).map_err(&failed)?;
            }
        }
        self.forget_empty()
    }

    /// Drops the checkpoints that this generation has emptied, and what was staged.
    fn forget_empty(&self) -> Result<(), Error> {
        let failed = self.store.failed("move the checkpoints");
        let connection = &self.store.connection;
        let mut closed =
            connection.prepare_cached("SELECT body FROM document WHERE closed = ?1").map_err(&failed)?;
        let mut forget = connection
            .prepare_cached(
                "DELETE FROM checkpoint WHERE source = ?1 AND path = ?2 AND seen IS NULL AND held IS NULL",
            )
            .map_err(&failed)?;
        let mut rows = closed.query([self.generation() as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let body = row.get_ref(0).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
            // One that does not read back has failed the publication before.
            if let Ok(standing) = serde_json::from_slice::<Standing>(body) {
                forget.execute(params![standing.document.source(), standing.path]).map_err(&failed)?;
            }
        }
        connection
            .execute_batch(
                "DELETE FROM checkpoint WHERE seen IS NULL AND held IS NULL AND (source, path) IN
                     (SELECT source, path FROM checkpoint_staged WHERE seen IS NULL);
                 DELETE FROM checkpoint_staged;",
            )
            .map_err(&failed)
    }
}
