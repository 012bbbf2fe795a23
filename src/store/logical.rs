//! Logical days: for which day an input was read last, and for which day a generation was made.
//!
//! A night on which nothing changed leaves no record, and yet it has seen what there was: so the day for which an input
//! was read stands beside the checkpoints. Like them it is no record, in no digest and no changelog, and moves with a
//! publication. The day for which a generation was made is part of its file, where it was said.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension as _, params};

use super::record::Kind;
use super::{Error, Store, Writer};

/// The format with which logical days came.
pub(super) const SINCE: i64 = 8;

pub(super) const TABLE: &str = "CREATE TABLE read_for(
         input TEXT PRIMARY KEY, day TEXT, at TEXT, staged TEXT, staged_at TEXT) WITHOUT ROWID;\n";

impl Store {
    /// The latest day for which a source or feed was read; `None` if that is not known.
    pub fn read_for(&self, input: &str) -> Result<Option<String>, Error> {
        self.of_input("day", input)
    }

    /// When a published run last looked at a source or feed, as an RFC 3339 time; `None` if that is not known.
    pub fn looked_at(&self, input: &str) -> Result<Option<String>, Error> {
        self.of_input("at", input)
    }

    fn of_input(&self, column: &str, input: &str) -> Result<Option<String>, Error> {
        if self.format < SINCE {
            return Ok(None);
        }
        self.connection
            .prepare_cached(&format!("SELECT {column} FROM read_for WHERE input = ?1"))
            .and_then(|mut statement| statement.query_row([input], |row| row.get(0)).optional())
            .map(Option::flatten)
            .map_err(self.failed("read when an input was read"))
    }

    /// The day for which each generation was made: the one that was said, else the one on which it was recorded.
    pub fn days(&self) -> Result<BTreeMap<u64, String>, Error> {
        let day = |recorded_at: &str| recorded_at.split('T').next().unwrap_or_default().to_owned();
        let generations = self.generations()?.into_iter();
        Ok(generations
            .map(|one| (one.id, one.logical_date.unwrap_or_else(|| day(&one.recorded_at))))
            .collect())
    }

    /// The generation that wrote or closed a record last; `None` if there was none of this id. What is not published
    /// yet does not count.
    pub fn last_touched(&self, kind: Kind, id: &str) -> Result<Option<u64>, Error> {
        let sql = format!(
            "SELECT max(opened, coalesce(CASE WHEN closed <= ?2 THEN closed END, 0)) FROM {}
             WHERE id = ?1 AND opened <= ?2 ORDER BY opened DESC LIMIT 1",
            kind.name()
        );
        let published = self.published()? as i64;
        let last: Option<i64> = self
            .connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement.query_row(params![id, published], |row| row.get(0)).optional()
            })
            .map_err(self.failed("look for a record"))?;
        Ok(last.map(|last| last as u64))
    }
}

impl Writer<'_> {
    /// Says for which day the generation is made.
    pub fn made_for(&self, day: Option<String>) {
        self.logical_date.replace(day);
    }

    /// Notes for which day an input was read, and when, which counts from the publication on.
    pub fn stage_day(&self, input: &str, day: &str, at: &str) -> Result<(), Error> {
        let sql = "INSERT INTO read_for(input, staged, staged_at) VALUES (?1, ?2, ?3)
                   ON CONFLICT DO UPDATE SET staged = excluded.staged, staged_at = excluded.staged_at";
        self.store
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute([input, day, at]))
            .map(drop)
            .map_err(self.store.failed("note for which day an input was read"))
    }

    /// Moves the days that were staged. A day never goes back.
    pub(super) fn move_days(&self) -> Result<(), Error> {
        self.store
            .connection
            .execute_batch(
                "UPDATE read_for SET day = max(coalesce(day, ''), staged), at = staged_at, staged = NULL, staged_at = NULL
                 WHERE staged IS NOT NULL",
            )
            .map_err(self.store.failed("note for which day inputs were read"))
    }
}
