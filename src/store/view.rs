//! Reading: the records as they were in one generation.

use std::borrow::Cow;

use rusqlite::{OptionalExtension, Params, Row, params};

use super::logical;
use super::record::{Kind, Record};
use super::{Error, Store};
use crate::diag::json_fault;

/// A published generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// Its number, rising by one from 1.
    pub id: u64,
    /// The run that published it.
    pub run: String,
    /// When it was published, as an RFC 3339 time.
    pub recorded_at: String,
    /// The day for which it was made, as `2026-11-29`, if a person or a scheduler said that.
    pub logical_date: Option<String>,
    /// The state digest.
    pub state_digest: String,
    /// The history digest.
    pub history_digest: String,
}

/// The records as of one generation. Generation 0 is empty.
#[derive(Debug, Clone, Copy)]
pub struct View<'s> {
    store: &'s Store,
    generation: u64,
}

/// A record with the generations between which it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned<R> {
    /// The generation that opened it.
    pub opened: u64,
    /// The generation that closed it, if one has.
    pub closed: Option<u64>,
    /// The record.
    pub record: R,
}

impl Store {
    /// The number of the last published generation; 0 if there is none.
    pub fn published(&self) -> Result<u64, Error> {
        let id: Option<i64> = self
            .connection
            .query_row("SELECT max(id) FROM generation", [], |row| row.get(0))
            .map_err(self.failed("read the generations"))?;
        Ok(id.unwrap_or(0) as u64)
    }

    /// The published generations, ascending.
    pub fn generations(&self) -> Result<Vec<Generation>, Error> {
        let failed = self.failed("read the generations");
        let logical_date = if self.format < logical::SINCE { "NULL" } else { "logical_date" };
        let sql = format!(
            "SELECT id, run, recorded_at, state_digest, history_digest, {logical_date} FROM generation ORDER BY id"
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let rows = statement
            .query_map([], |row| {
                Ok(Generation {
                    id: row.get::<_, i64>(0)? as u64,
                    run: row.get(1)?,
                    recorded_at: row.get(2)?,
                    state_digest: row.get(3)?,
                    history_digest: row.get(4)?,
                    logical_date: row.get(5)?,
                })
            })
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }

    /// The records as of a generation.
    pub fn view(&self, generation: u64) -> View<'_> {
        View { store: self, generation }
    }

    /// The records as of the last published generation.
    pub fn current(&self) -> Result<View<'_>, Error> {
        Ok(self.view(self.published()?))
    }
}

impl<'s> View<'s> {
    /// The generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The store.
    pub fn store(&self) -> &'s Store {
        self.store
    }

    /// The record with this id. Logarithmic.
    pub fn get<R: Record>(&self, id: &str) -> Result<Option<R>, Error> {
        let sql = format!(
            "SELECT id, body FROM {} WHERE id = ?1 AND opened <= ?2 AND (closed IS NULL OR closed > ?2)",
            R::KIND.name()
        );
        let failed = self.store.failed("read a record");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let found = statement
            .query_row(params![id, self.generation as i64], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(&failed)?;
        found.map(|(id, body): (String, Vec<u8>)| read_body(&id, &body)).transpose()
    }

    /// A part of the record with this id: of a large record only what is asked for is kept.
    pub fn part<T: serde::de::DeserializeOwned>(&self, kind: Kind, id: &str) -> Result<Option<T>, Error> {
        let sql = format!(
            "SELECT body FROM {} WHERE id = ?1 AND opened <= ?2 AND (closed IS NULL OR closed > ?2)",
            kind.name()
        );
        let failed = self.store.failed("read a record");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let found: Option<Vec<u8>> = statement
            .query_row(params![id, self.generation as i64], |row| row.get(0))
            .optional()
            .map_err(&failed)?;
        let corrupt = |why: String| Error::Corrupt { kind: kind.name(), id: id.to_owned(), why };
        found
            .map(|body| {
                let json = unpack(kind, &body).map_err(corrupt)?;
                serde_json::from_slice(&json).map_err(|error| corrupt(json_fault(&error)))
            })
            .transpose()
    }

    /// How many records of a kind have a value in one look-up column and these in others. Linear in the
    /// records that have the first.
    pub fn count_by(&self, kind: Kind, first: (&str, &str), others: &[(&str, &str)]) -> Result<usize, Error> {
        let mut sql = format!(
            "SELECT count(*) FROM {} WHERE opened <= ?1 AND (closed IS NULL OR closed > ?1) AND {} = ?2",
            kind.name(),
            first.0
        );
        // The plus keeps the other columns out of the choice of an index.
        for (at, (column, _)) in others.iter().enumerate() {
            sql.push_str(&format!(" AND +{column} = ?{}", at + 3));
        }
        let failed = self.store.failed("count records");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let generation = self.generation as i64;
        let mut given: Vec<&dyn rusqlite::ToSql> = vec![&generation, &first.1];
        given.extend(others.iter().map(|(_, value)| value as &dyn rusqlite::ToSql));
        let count: i64 = statement.query_row(given.as_slice(), |row| row.get(0)).map_err(&failed)?;
        Ok(count as usize)
    }

    /// The records with this value in a look-up column, by id. Logarithmic in the table, linear in the answer.
    pub fn by<R: Record>(&self, column: &str, value: &str) -> Result<Vec<R>, Error> {
        let mut found = Vec::new();
        self.each_by(column, value, |record| {
            found.push(record);
            Ok::<bool, Error>(true)
        })?;
        Ok(found)
    }

    /// True if a record has this value in a look-up column.
    pub fn any(&self, kind: Kind, column: &str, value: &str) -> Result<bool, Error> {
        let sql = format!(
            "SELECT 1 FROM {} WHERE {column} = ?1 AND opened <= ?2 AND (closed IS NULL OR closed > ?2) LIMIT 1",
            kind.name()
        );
        let failed = self.store.failed("look records up");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        statement.exists(params![value, self.generation as i64]).map_err(&failed)
    }

    /// How many records of a kind there are. Linear in the table.
    pub fn count(&self, kind: Kind) -> Result<u64, Error> {
        let sql = format!(
            "SELECT count(*) FROM {} WHERE opened <= ?1 AND (closed IS NULL OR closed > ?1)",
            kind.name()
        );
        let count: i64 = self
            .store
            .connection
            .query_row(&sql, [self.generation as i64], |row| row.get(0))
            .map_err(self.store.failed("count records"))?;
        Ok(count as u64)
    }

    /// The generation of the oldest record of a kind that stands as it was written then. Linear in the records that
    /// were closed before.
    pub fn oldest(&self, kind: Kind) -> Result<Option<u64>, Error> {
        let sql = format!(
            "SELECT opened FROM {} WHERE opened <= ?1 AND (closed IS NULL OR closed > ?1) ORDER BY opened LIMIT 1",
            kind.name()
        );
        let failed = self.store.failed("find the oldest record");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query([self.generation as i64]).map_err(&failed)?;
        let Some(row) = rows.next().map_err(&failed)? else { return Ok(None) };
        Ok(Some(row.get::<_, i64>(0).map_err(&failed)? as u64))
    }

    /// Calls `each` for every record of a kind, by id, without holding more than one.
    pub fn each<R: Record, E: From<Error>>(&self, mut each: impl FnMut(R) -> Result<(), E>) -> Result<(), E> {
        self.each_while(|record| each(record).map(|()| true))
    }

    /// Calls `each` for every record of a kind, by id, until it says `false`.
    pub fn each_while<R: Record, E: From<Error>>(
        &self,
        mut each: impl FnMut(R) -> Result<bool, E>,
    ) -> Result<(), E> {
        let sql = format!(
            "SELECT id, body FROM {} WHERE opened <= ?1 AND (closed IS NULL OR closed > ?1) ORDER BY id",
            R::KIND.name()
        );
        let failed = self.store.failed("read records");
        let mut statement = self.store.connection.prepare(&sql).map_err(&failed)?;
        let mut rows = statement.query([self.generation as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            if !each(read_row(row).map_err(&failed)??)? {
                break;
            }
        }
        Ok(())
    }

    /// Calls `each` for the records with this value in a look-up column, by id, until it says `false`.
    pub fn each_by<R: Record, E: From<Error>>(
        &self,
        column: &str,
        value: &str,
        mut each: impl FnMut(R) -> Result<bool, E>,
    ) -> Result<(), E> {
        debug_assert!(R::KIND.lookups().contains(&column), "{column} is a look-up of {}", R::KIND.name());
        let sql = format!(
            "SELECT id, body FROM {} WHERE {column} = ?1 AND opened <= ?2 AND (closed IS NULL OR closed > ?2) \
             ORDER BY id",
            R::KIND.name()
        );
        let failed = self.store.failed("look records up");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query(params![value, self.generation as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            if !each(read_row(row).map_err(&failed)??)? {
                break;
            }
        }
        Ok(())
    }

    /// How many rows, of any generation, have this value in a look-up column; it counts no further than one
    /// beyond `most`. It reads the column's index and no record, so it says what a look-up may cost.
    pub fn rows_about(&self, kind: Kind, column: &str, value: &str, most: usize) -> Result<usize, Error> {
        debug_assert!(kind.lookups().contains(&column), "{column} is a look-up of {}", kind.name());
        let sql =
            format!("SELECT count(*) FROM (SELECT 1 FROM {} WHERE {column} = ?1 LIMIT ?2)", kind.name());
        let failed = self.store.failed("count rows");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
        let count: i64 = statement.query_row(params![value, most], |row| row.get(0)).map_err(&failed)?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Every record of a kind that has a value in a look-up column, by id. Linear in these records.
    pub fn with<R: Record>(&self, column: &str) -> Result<Vec<R>, Error> {
        debug_assert!(R::KIND.lookups().contains(&column), "{column} is a look-up of {}", R::KIND.name());
        // Few have one: SQLite would rather walk all records in the order of the answer.
        let sql = format!(
            "SELECT id, body FROM {0} INDEXED BY {0}_{column} WHERE {column} IS NOT NULL AND opened <= ?1 \
             AND (closed IS NULL OR closed > ?1) ORDER BY id",
            R::KIND.name()
        );
        let failed = self.store.failed("look records up");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query([self.generation as i64]).map_err(&failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            found.push(read_row(row).map_err(&failed)??);
        }
        Ok(found)
    }

    /// The ids of every record of a kind that has a value in a look-up column. Linear in these records.
    pub fn ids_with(&self, kind: Kind, column: &str) -> Result<Vec<String>, Error> {
        debug_assert!(kind.lookups().contains(&column), "{column} is a look-up of {}", kind.name());
        let sql = format!(
            "SELECT id FROM {0} INDEXED BY {0}_{column} WHERE {column} IS NOT NULL AND opened <= ?1 \
             AND (closed IS NULL OR closed > ?1) ORDER BY id",
            kind.name()
        );
        let failed = self.store.failed("look records up");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let rows = statement.query_map([self.generation as i64], |row| row.get(0)).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }

    /// Every record of a kind, by id. For kinds that are small by nature (rules, scopes, decisions, entities).
    pub fn all<R: Record>(&self) -> Result<Vec<R>, Error> {
        let mut found = Vec::new();
        self.each(|record| {
            found.push(record);
            Ok::<(), Error>(())
        })?;
        Ok(found)
    }

    /// The ids of every record of a kind with this value in a look-up column.
    pub fn ids_by(&self, kind: Kind, column: &str, value: &str) -> Result<Vec<String>, Error> {
        let sql = format!(
            "SELECT id FROM {} WHERE {column} = ?1 AND opened <= ?2 AND (closed IS NULL OR closed > ?2) ORDER BY id",
            kind.name()
        );
        let failed = self.store.failed("look records up");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let rows =
            statement.query_map(params![value, self.generation as i64], |row| row.get(0)).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }

    /// The ids of the first `most` records of a kind whose value in a look-up column is `from` or behind it and
    /// before `to`, in the order of the values.
    pub fn ids_between(
        &self,
        kind: Kind,
        column: &str,
        (from, to): (&str, &str),
        most: usize,
    ) -> Result<Vec<String>, Error> {
        let sql = format!(
            "SELECT id FROM {} WHERE {column} >= ?1 AND {column} < ?2 AND opened <= ?3 AND (closed IS NULL OR closed > ?3)
             ORDER BY {column}, id LIMIT ?4",
            kind.name()
        );
        let failed = self.store.failed("look records up");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let rows = statement
            .query_map(params![from, to, self.generation as i64, most as i64], |row| row.get(0))
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }

    /// Calls `each` with the id and the JSON of every record of a kind.
    pub(super) fn each_live(
        &self,
        kind: Kind,
        each: impl FnMut(&str, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let sql = format!(
            "SELECT id, body FROM {} WHERE opened <= ?1 AND (closed IS NULL OR closed > ?1)",
            kind.name()
        );
        self.each_raw(kind, &sql, params![self.generation as i64], each)
    }

    /// Calls `each` with the id and the JSON of every record with this value in a look-up column, without
    /// reading what the JSON says.
    pub fn each_json(
        &self,
        kind: Kind,
        column: &str,
        value: &str,
        mut each: impl FnMut(&str, &[u8]),
    ) -> Result<(), Error> {
        let sql = format!(
            "SELECT id, body FROM {} WHERE {column} = ?1 AND opened <= ?2 AND (closed IS NULL OR closed > ?2)",
            kind.name()
        );
        self.each_raw(kind, &sql, params![value, self.generation as i64], |id, json| {
            each(id, json);
            Ok(())
        })
    }

    /// Calls `each` with the id and the JSON of every row that a statement gives.
    fn each_raw(
        &self,
        kind: Kind,
        sql: &str,
        with: impl Params,
        mut each: impl FnMut(&str, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = self.store.failed("read records");
        let mut statement = self.store.connection.prepare_cached(sql).map_err(&failed)?;
        let mut rows = statement.query(with).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id = row.get_ref(0).map_err(&failed)?.as_str().map_err(|error| failed(error.into()))?;
            let body = row.get_ref(1).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
            let json = unpack(kind, body).map_err(|why| Error::Corrupt {
                kind: kind.name(),
                id: id.to_owned(),
                why,
            })?;
            each(id, &json)?;
        }
        Ok(())
    }

    /// Every version of the record with this id that this generation knows, oldest first.
    pub fn versions<R: Record>(&self, id: &str) -> Result<Vec<Versioned<R>>, Error> {
        self.versions_where("id", id)
    }

    /// Every version of the records with this value in a look-up column, by id and age.
    pub fn versions_by<R: Record>(&self, column: &str, value: &str) -> Result<Vec<Versioned<R>>, Error> {
        self.versions_where(column, value)
    }

    /// Every version of the records with these values in two look-up columns, by id and age. The first one is
    /// looked up, so it should be the rarer.
    pub fn versions_by_both<R: Record>(
        &self,
        (column, value): (&str, &str),
        (other, also): (&str, &str),
    ) -> Result<Vec<Versioned<R>>, Error> {
        // The sign keeps SQLite from looking the second one up.
        self.versions_of(
            &format!("{column} = ?1 AND +{other} = ?3"),
            params![value, self.generation as i64, also],
        )
    }

    /// Every version of the records whose ids begin so, by id and age. Linear in the answer.
    pub fn versions_from<R: Record>(&self, beginning: &str) -> Result<Vec<Versioned<R>>, Error> {
        let after = format!("{beginning}\u{10ffff}");
        self.versions_of("id >= ?1 AND id < ?3", params![beginning, self.generation as i64, after])
    }

    /// The record with this id as it is, or as it last was.
    pub fn last<R: Record>(&self, id: &str) -> Result<Option<R>, Error> {
        let sql = format!(
            "SELECT id, body FROM {} WHERE id = ?1 AND opened <= ?2 ORDER BY opened DESC LIMIT 1",
            R::KIND.name()
        );
        let failed = self.store.failed("read a record");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let found = statement
            .query_row(params![id, self.generation as i64], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(&failed)?;
        found.map(|(id, body): (String, Vec<u8>)| read_body(&id, &body)).transpose()
    }

    /// Calls `each` for the id of every record of a kind that there is or was, sorted.
    pub fn each_id<E: From<Error>>(
        &self,
        kind: Kind,
        mut each: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!("SELECT DISTINCT id FROM {} WHERE opened <= ?1 ORDER BY id", kind.name());
        let failed = self.store.failed("read the ids of records");
        let mut statement = self.store.connection.prepare(&sql).map_err(&failed)?;
        let mut rows = statement.query([self.generation as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id: String = row.get(0).map_err(&failed)?;
            each(&id)?;
        }
        Ok(())
    }

    /// Calls `each` for the id of every record of a kind that was opened or closed after `from` and by now,
    /// sorted. Linear in what changed.
    pub fn each_changed<E: From<Error>>(
        &self,
        kind: Kind,
        from: u64,
        mut each: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let table = kind.name();
        let sql = format!(
            "SELECT id FROM {table} WHERE opened > ?1 AND opened <= ?2
             UNION SELECT id FROM {table} WHERE closed > ?1 AND closed <= ?2 ORDER BY id"
        );
        let failed = self.store.failed("read what changed");
        let mut statement = self.store.connection.prepare(&sql).map_err(&failed)?;
        let mut rows = statement.query(params![from as i64, self.generation as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id: String = row.get(0).map_err(&failed)?;
            each(&id)?;
        }
        Ok(())
    }

    fn versions_where<R: Record>(&self, column: &str, value: &str) -> Result<Vec<Versioned<R>>, Error> {
        self.versions_of(&format!("{column} = ?1"), params![value, self.generation as i64])
    }

    fn versions_of<R: Record>(&self, which: &str, with: impl Params) -> Result<Vec<Versioned<R>>, Error> {
        let sql = format!(
            "SELECT id, body, opened, closed FROM {} WHERE {which} AND opened <= ?2 ORDER BY id, opened",
            R::KIND.name()
        );
        let failed = self.store.failed("read a record's versions");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query(with).map_err(&failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            let closed: Option<i64> = row.get(3).map_err(&failed)?;
            found.push(Versioned {
                opened: row.get::<_, i64>(2).map_err(&failed)? as u64,
                closed: closed.map(|closed| closed as u64).filter(|closed| *closed <= self.generation),
                record: read_row(row).map_err(&failed)??,
            });
        }
        Ok(found)
    }

    /// The values of a look-up column of the records of a kind that were opened or closed after a generation,
    /// up to this one. Linear in these records.
    pub fn touched_after(&self, kind: Kind, generation: u64, column: &str) -> Result<Vec<String>, Error> {
        let (table, failed) = (kind.name(), self.store.failed("read what changed"));
        let sql = format!(
            "SELECT {column} FROM {table} WHERE opened > ?1 AND opened <= ?2 AND {column} IS NOT NULL
             UNION SELECT {column} FROM {table} WHERE closed > ?1 AND closed <= ?2 AND {column} IS NOT NULL"
        );
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let rows = statement
            .query_map(params![generation as i64, self.generation as i64], |row| row.get(0))
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }

    /// What was opened or closed in a generation, by id: (id, opened there, closed there).
    pub fn touched_in(&self, kind: Kind, generation: u64) -> Result<Vec<(String, bool, bool)>, Error> {
        let table = kind.name();
        let sql = format!(
            "SELECT id, max(opened), max(closed) FROM (
                 SELECT id, opened = ?1 AS opened, 0 AS closed FROM {table} WHERE opened = ?1
                 UNION ALL SELECT id, 0, 1 FROM {table} WHERE closed = ?1) GROUP BY id ORDER BY id"
        );
        let failed = self.store.failed("read a generation's changes");
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let rows = statement
            .query_map([generation as i64], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }
}

fn read_row<R: Record>(row: &Row<'_>) -> rusqlite::Result<Result<R, Error>> {
    let id = row.get_ref(0)?.as_str()?;
    let body = row.get_ref(1)?.as_blob()?;
    Ok(read_body(id, body))
}

/// Reads a body. Chunks are compressed: text is most of what a store holds.
pub(super) fn read_body<R: Record>(id: &str, body: &[u8]) -> Result<R, Error> {
    let corrupt = |why: String| Error::Corrupt { kind: R::KIND.name(), id: id.to_owned(), why };
    let json = unpack(R::KIND, body).map_err(&corrupt)?;
    serde_json::from_slice(&json).map_err(|error| corrupt(json_fault(&error)))
}

/// The JSON of a stored body.
pub(super) fn unpack(kind: Kind, body: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if kind != Kind::Chunk {
        return Ok(Cow::Borrowed(body));
    }
    lz4_flex::decompress_size_prepended(body).map(Cow::Owned).map_err(|error| error.to_string())
}

/// The stored body of a JSON text.
pub(super) fn pack(kind: Kind, json: &[u8]) -> Vec<u8> {
    if kind == Kind::Chunk { lz4_flex::compress_prepend_size(json) } else { json.to_vec() }
}
