//! Writing: records under an unpublished generation, and the one moment in which it is published.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::record::{Kind, Record};
use super::tally::Tally;
use super::view::{Generation, View, pack, unpack};
use super::{Error, Store, changelog};
use crate::diag::json_fault;
use crate::model::decision::Question;

/// Writes the next generation. Nothing that it writes is visible to a reader before [`Writer::publish`].
///
/// In a dry run everything happens in one transaction that is rolled back, so nothing is ever on disk.
#[derive(Debug)]
#[must_use = "a generation that is not published is swept by the next run"]
pub struct Writer<'s> {
    pub(super) store: &'s Store,
    pub(super) generation: u64,
    dry: bool,
    pub(super) finished: bool,
    /// True if a batch is on disk.
    committed: Cell<bool>,
    /// True if a run that is held stays so if this one changes nothing.
    spares: Cell<bool>,
    /// The day for which the generation is made, if that was said.
    pub(super) logical_date: RefCell<Option<String>>,
    /// How this generation changes the tallies, while nothing more is written.
    pub(super) counted: RefCell<Option<Tally>>,
}

/// Something that a person asked for, which the next run carries out and logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its number in the queue, rising by one; 0 until it is queued.
    #[serde(skip)]
    pub number: i64,
    /// Who asked.
    pub by: String,
    /// When, as an RFC 3339 time.
    pub at: String,
    /// What for.
    #[serde(flatten)]
    pub body: RequestBody,
}

/// What a person may ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "request")]
pub enum RequestBody {
    /// An answer to a question of the quarantine.
    Decide {
        /// The question.
        question: Question,
        /// The answer.
        answer: crate::model::decision::Answer,
        /// The text that was judged.
        quote: String,
    },
    /// The word that a shrunken feed is really so.
    AcceptFeed {
        /// The feed.
        feed: String,
        /// Why.
        reason: String,
    },
    /// The word that what a scope no longer holds is really gone.
    AcceptScope {
        /// The source.
        source: String,
        /// The path prefix below it; empty for all of it.
        prefix: String,
        /// Why.
        reason: String,
    },
    /// The word that a finding of the drift report is as it should be.
    AcceptFinding {
        /// Its key.
        key: String,
        /// Its source or feed; `*` or what stands for several.
        #[serde(default)]
        source: String,
        /// What it says, for the audit.
        says: String,
        /// How many facts it is about: more of them are another matter.
        count: u64,
        /// The same of what other guards found that fails for the same cause, by the key of that.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        also: BTreeMap<String, u64>,
        /// Why.
        reason: String,
    },
    /// The withdrawal of a document.
    Retract {
        /// The document.
        document: String,
        /// Why.
        reason: String,
        /// True to take an earlier withdrawal back.
        undo: bool,
    },
}

impl Store {
    /// Begins the next generation. Sweeps what a killed run left, and what a held one wrote, with the first batch: a
    /// run that fails before has done away with nothing.
    pub fn begin(&self, dry: bool) -> Result<Writer<'_>, Error> {
        let writer = self.writer(dry)?;
        writer.open()?;
        self.sweep(writer.generation)?;
        Ok(writer)
    }

    /// Writes the generation after the last published one, with whatever has been written of it.
    pub(super) fn writer(&self, dry: bool) -> Result<Writer<'_>, Error> {
        let generation = self.published()? + 1;
        let (committed, spares) = (Cell::new(false), Cell::new(false));
        let (logical_date, counted) = (RefCell::new(None), RefCell::new(None));
        Ok(Writer { store: self, generation, dry, finished: false, committed, spares, logical_date, counted })
    }

    /// Queues a request for the next run, and returns its number.
    pub fn queue(&self, request: &Request) -> Result<i64, Error> {
        let body = serde_json::to_string(request).expect("a request is plain data");
        self.connection
            .execute("INSERT INTO request(body) VALUES (?1)", [body])
            .map_err(self.failed("queue a request"))?;
        Ok(self.connection.last_insert_rowid())
    }

    /// The requests that wait, in order.
    pub fn requests(&self) -> Result<Vec<Request>, Error> {
        let failed = self.failed("read the requests");
        let mut statement = self
            .connection
            .prepare_cached("SELECT number, body FROM request ORDER BY number")
            .map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            let number: i64 = row.get(0).map_err(&failed)?;
            let body: String = row.get(1).map_err(&failed)?;
            let mut request: Request = serde_json::from_str(&body).map_err(|error| Error::Corrupt {
                kind: "request",
                id: number.to_string(),
                why: json_fault(&error),
            })?;
            request.number = number;
            found.push(request);
        }
        Ok(found)
    }
}

impl<'s> Writer<'s> {
    /// The number that the generation will have.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The records as this run has left them so far.
    pub fn view(&self) -> View<'s> {
        self.store.view(self.generation)
    }

    /// The records as last published.
    pub fn before(&self) -> View<'s> {
        self.store.view(self.generation - 1)
    }

    /// Puts a record. A record that is already there as it is stays untouched; one that comes back to what
    /// was published is as if nothing had been written. Returns true if something changed.
    pub fn put<R: Record>(&self, record: &R) -> Result<bool, Error> {
        let json = serde_json::to_vec(record).expect("a record is plain data");
        self.put_json(R::KIND, &record.id(), &record.columns(), &json)
    }

    pub(super) fn put_json(
        &self,
        kind: Kind,
        id: &str,
        values: &[Option<String>],
        json: &[u8],
    ) -> Result<bool, Error> {
        self.counted.take();
        let failed = self.store.failed("write a record");
        let connection = &self.store.connection;
        let table = kind.name();
        let body = pack(kind, json);
        let generation = self.generation as i64;
        // What stands before this generation does not overlap, so the last version tells nearly always enough.
        let sql = format!(
            "SELECT opened, closed, body FROM {table} WHERE id = ?1 AND opened <= ?2 ORDER BY opened DESC LIMIT 2"
        );
        let versions: Vec<(i64, Option<i64>, Vec<u8>)> = connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                let rows = statement
                    .query_map(params![id, generation], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
                rows.collect()
            })
            .map_err(&failed)?;
        let (ours, standing) = match versions.as_slice() {
            [ours, rest @ ..] if ours.0 == generation => (Some(ours), rest.first()),
            [last, ..] => (None, Some(last)),
            [] => (None, None),
        };
        if ours.is_some_and(|(.., before)| *before == body) {
            return Ok(false);
        }
        let stands = |closed: Option<i64>| closed.is_none_or(|closed| closed == generation);
        let standing = standing.filter(|(_, closed, _)| stands(*closed));
        if ours.is_some() {
            let sql = format!("DELETE FROM {table} WHERE id = ?1 AND opened = ?2");
            connection
                .prepare_cached(&sql)
                .and_then(|mut statement| statement.execute(params![id, generation]))
                .map_err(&failed)?;
        }
        if let Some((opened, closed, before)) = standing {
            let same = *before == body;
            if same && closed.is_none() {
                return Ok(ours.is_some());
            }
            let sql = format!("UPDATE {table} SET closed = ?3 WHERE id = ?1 AND opened = ?2");
            let close = if same { None } else { Some(generation) };
            connection
                .prepare_cached(&sql)
                .and_then(|mut statement| statement.execute(params![id, opened, close]))
                .map_err(&failed)?;
            if same {
                return Ok(true);
            }
        }
        let columns: String = kind.columns().iter().map(|column| format!("{column}, ")).collect();
        let marks: String = (0..values.len()).map(|at| format!("?{}, ", at + 4)).collect();
        let sql = format!("INSERT INTO {table}(id, opened, {columns}body) VALUES (?1, ?2, {marks}?3)");
        let mut row: Vec<rusqlite::types::Value> = vec![id.to_owned().into(), generation.into(), body.into()];
        row.extend(values.iter().map(|value| match value {
            Some(text) => text.clone().into(),
            None => rusqlite::types::Value::Null,
        }));
        connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.execute(params_from_iter(row)))
            .map_err(&failed)?;
        Ok(true)
    }

    /// Closes the record with this id. Returns true if there was one.
    pub fn close(&self, kind: Kind, id: &str) -> Result<bool, Error> {
        self.counted.take();
        let failed = self.store.failed("close a record");
        let table = kind.name();
        let generation = self.generation as i64;
        let mut changed = 0;
        for sql in [
            format!("DELETE FROM {table} WHERE id = ?1 AND opened = ?2"),
            format!("UPDATE {table} SET closed = ?2 WHERE id = ?1 AND opened < ?2 AND closed IS NULL"),
        ] {
            changed += self
                .store
                .connection
                .prepare_cached(&sql)
                .and_then(|mut statement| statement.execute(params![id, generation]))
                .map_err(&failed)?;
        }
        Ok(changed > 0)
    }

    /// Makes the records of a kind what they were in an earlier generation, but for those of which `keeps` is true.
    /// Linear in what has changed since.
    pub fn restore(
        &self,
        kind: Kind,
        to: u64,
        keeps: &dyn Fn(&str) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let failed = self.store.failed("put a record back");
        let sql = format!(
            "SELECT body FROM {} WHERE id = ?1 AND opened <= ?2 AND (closed IS NULL OR closed > ?2)",
            kind.name()
        );
        let mut then = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        self.before().each_changed(kind, to, |id| {
            if keeps(id)? {
                return Ok(());
            }
            let was: Option<Vec<u8>> =
                then.query_row(params![id, to as i64], |row| row.get(0)).optional().map_err(&failed)?;
            let Some(body) = was else { return self.close(kind, id).map(drop) };
            let corrupt = |why: String| Error::Corrupt { kind: kind.name(), id: id.to_owned(), why };
            let json = unpack(kind, &body).map_err(corrupt)?;
            let text = std::str::from_utf8(&json).map_err(|error| corrupt(error.to_string()))?;
            let values = changelog::columns_of(kind, text).map_err(|error| corrupt(json_fault(&error)))?;
            self.put_json(kind, id, &values, &json).map(drop)
        })
    }

    /// Notes that a fact must be folded again, and why. Facts of a group are folded together.
    pub fn touch(
        &self,
        stratum: u8,
        group: &str,
        fact: &str,
        cause: &str,
        detail: &str,
    ) -> Result<(), Error> {
        self.store
            .connection
            .prepare_cached(
                "INSERT INTO touched(stratum, grp, fact, cause, detail) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET detail = min(detail, excluded.detail)",
            )
            .and_then(|mut statement| statement.execute(params![stratum, group, fact, cause, detail]))
            .map(drop)
            .map_err(self.store.failed("note a touched fact"))
    }

    /// The next touched group of a stratum after `after`, with what touched it: (fact, cause, detail).
    #[expect(clippy::type_complexity, reason = "the one caller takes it apart at once")]
    pub fn touched_after(
        &self,
        stratum: u8,
        after: &str,
    ) -> Result<Option<(String, Vec<(String, String, String)>)>, Error> {
        let failed = self.store.failed("read the touched facts");
        let connection = &self.store.connection;
        let group: Option<String> = connection
            .prepare_cached("SELECT grp FROM touched WHERE stratum = ?1 AND grp > ?2 ORDER BY grp LIMIT 1")
            .and_then(|mut statement| {
                statement.query_row(params![stratum, after], |row| row.get(0)).optional()
            })
            .map_err(&failed)?;
        let Some(group) = group else { return Ok(None) };
        let mut statement = connection
            .prepare_cached(
                "SELECT fact, cause, detail FROM touched WHERE stratum = ?1 AND grp = ?2 ORDER BY fact, cause",
            )
            .map_err(&failed)?;
        let rows = statement
            .query_map(params![stratum, group], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .map_err(&failed)?;
        let causes = rows.collect::<Result<_, _>>().map_err(&failed)?;
        Ok(Some((group, causes)))
    }

    /// Ends a batch: what was written so far is on disk (and still invisible), and the next batch begins.
    pub fn batch(&self) -> Result<(), Error> {
        if self.dry {
            return Ok(());
        }
        // As long as nothing has changed, nothing that is held is done away with.
        if self.spares.get() && !self.committed.get() && !self.has_changes()? {
            return Ok(());
        }
        self.store.connection.execute_batch("COMMIT").map_err(self.store.failed("write a batch"))?;
        self.committed.set(true);
        self.open()
    }

    /// Begins a batch.
    pub(super) fn open(&self) -> Result<(), Error> {
        self.store.connection.execute_batch("BEGIN IMMEDIATE").map_err(self.store.failed("begin a batch"))
    }

    /// Lets a run that is held stay so if this one changes nothing, as it has looked at other inputs.
    pub fn spare_held(&self) {
        self.spares.set(true);
    }

    /// True if this run has changed a record.
    pub fn has_changes(&self) -> Result<bool, Error> {
        let failed = self.store.failed("look for changes");
        for kind in Kind::ALL {
            let sql = format!(
                "SELECT EXISTS(SELECT 1 FROM {0} WHERE opened = ?1) OR EXISTS(SELECT 1 FROM {0} WHERE closed = ?1)",
                kind.name()
            );
            let changed: bool = self
                .store
                .connection
                .query_row(&sql, [self.generation as i64], |row| row.get(0))
                .map_err(&failed)?;
            if changed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The state digest as this run leaves it. Linear in what changed.
    pub fn state_digest(&self) -> Result<Digest, Error> {
        let failed = self.store.failed("compute the state digest");
        let before: Option<String> = self
            .store
            .connection
            .query_row(
                "SELECT state_digest FROM generation WHERE id = ?1",
                [self.generation as i64 - 1],
                |row| row.get(0),
            )
            .optional()
            .map_err(&failed)?;
        let mut digest: Digest = before
            .map(|text| text.parse())
            .transpose()
            .map_err(|why| Error::Corrupt { kind: "generation", id: (self.generation - 1).to_string(), why })?
            .unwrap_or_default();
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_state()) {
            for (column, adds) in [("opened", true), ("closed", false)] {
                let sql = format!("SELECT id, body FROM {} WHERE {column} = ?1", kind.name());
                let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
                let mut rows = statement.query([self.generation as i64]).map_err(&failed)?;
                while let Some(row) = rows.next().map_err(&failed)? {
                    let id: String = row.get(0).map_err(&failed)?;
                    let body: Vec<u8> = row.get(1).map_err(&failed)?;
                    let line = state_line(kind, &id, &body);
                    if adds { digest.add(&line) } else { digest.subtract(&line) }
                }
            }
        }
        Ok(digest)
    }

    /// Publishes: the generation, the checkpoints and the requests that it carried out flip in one short
    /// transaction. Where nothing changed, only the checkpoints move and no generation comes to be.
    /// Returns the number of the generation, if there is one.
    pub fn publish(self, run: &str, recorded_at: &str, carried_out: &[i64]) -> Result<Option<u64>, Error> {
        self.publish_and_tell(run, recorded_at, carried_out, &mut |_| Ok(()))
    }

    /// [`Writer::publish`], which calls `each` for every line of the generation's changelog file as it hashes them:
    /// before anything is published.
    pub fn publish_and_tell(
        mut self,
        run: &str,
        recorded_at: &str,
        carried_out: &[i64],
        each: &mut dyn FnMut(&str) -> Result<(), Error>,
    ) -> Result<Option<u64>, Error> {
        let failed = self.store.failed("publish");
        let connection = &self.store.connection;
        let changes = self.has_changes()?;
        if !changes && self.spares.get() && !self.committed.get() && !self.dry {
            return self.publish_beside(carried_out);
        }
        if changes {
            let state = self.state_digest()?;
            let before =
                self.store.generations()?.last().map(|last| last.history_digest.clone()).unwrap_or_default();
            let generation = Generation {
                id: self.generation,
                run: run.to_owned(),
                recorded_at: recorded_at.to_owned(),
                logical_date: self.logical_date.borrow().clone(),
                state_digest: state.to_string(),
                history_digest: String::new(),
            };
            let history = changelog::chain(self.store, &generation, &before, each)?;
            let Generation { id, logical_date, state_digest, .. } = generation;
            connection
                .execute(
                    "INSERT INTO generation(id, run, recorded_at, state_digest, history_digest, logical_date)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![id as i64, run, recorded_at, state_digest, history, logical_date],
                )
                .map_err(&failed)?;
        }
        self.move_checkpoints()?;
        self.move_days()?;
        if changes {
            self.move_tally()?;
            self.move_names()?;
        }
        connection.execute_batch("DELETE FROM touched; DELETE FROM held;").map_err(&failed)?;
        for number in carried_out {
            connection.execute("DELETE FROM request WHERE number = ?1", [number]).map_err(&failed)?;
        }
        self.finished = true;
        connection.execute_batch(if self.dry { "ROLLBACK" } else { "COMMIT" }).map_err(&failed)?;
        Ok(changes.then_some(self.generation))
    }

    /// Publishes that nothing has changed, beside a run that is held and stays so: what was seen of the inputs moves, and
    /// requests leave the queue.
    fn publish_beside(mut self, carried_out: &[i64]) -> Result<Option<u64>, Error> {
        let failed = self.store.failed("publish");
        let connection = &self.store.connection;
        type Seen = (String, String, Option<Vec<u8>>);
        let seen: Vec<Seen> = connection
            .prepare("SELECT source, path, seen FROM checkpoint_staged")
            .and_then(|mut statement| {
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
            })
            .map_err(&failed)?;
        let days: Vec<(String, String, String)> = connection
            .prepare("SELECT input, staged, staged_at FROM read_for WHERE staged IS NOT NULL")
            .and_then(|mut statement| {
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
            })
            .map_err(&failed)?;
        self.finished = true;
        // What the held run wrote is there again.
        connection.execute_batch("ROLLBACK; BEGIN IMMEDIATE").map_err(&failed)?;
        let moved = || -> rusqlite::Result<()> {
            for (source, path, seen) in &seen {
                connection.execute(
                    "INSERT INTO checkpoint(source, path, seen) VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET seen = excluded.seen",
                    params![source, path, seen],
                )?;
                connection.execute(
                    "DELETE FROM checkpoint WHERE source = ?1 AND path = ?2 AND seen IS NULL AND held IS NULL",
                    [source, path],
                )?;
            }
            for (input, day, at) in &days {
                connection.execute(
                    "INSERT INTO read_for(input, day, at) VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET day = max(coalesce(day, ''), excluded.day), at = excluded.at",
                    [input, day, at],
                )?;
            }
            for number in carried_out {
                connection.execute("DELETE FROM request WHERE number = ?1", [number])?;
            }
            connection.execute_batch("COMMIT")
        };
        let moved = moved();
        if moved.is_err() {
            // What went wrong is said; that nothing is left open is all that is to be done about it.
            drop(connection.execute_batch("ROLLBACK"));
        }
        moved.map(|()| None).map_err(failed)
    }

    /// Gives the generation up: what was written is rolled back, and swept if a batch of it is on disk.
    pub fn discard(mut self) -> Result<(), Error> {
        self.finished = true;
        let failed = self.store.failed("give a generation up");
        self.store.connection.execute_batch("ROLLBACK").map_err(failed)?;
        if self.committed.get() { self.store.sweep(self.generation) } else { Ok(()) }
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.finished && !self.store.connection.is_autocommit() {
            // The next run sweeps what earlier batches left; a failure here changes nothing about that.
            drop(self.store.connection.execute_batch("ROLLBACK"));
        }
    }
}

/// The line of the state digest that a record contributes.
pub(super) fn state_line(kind: Kind, id: &str, body: &[u8]) -> Vec<u8> {
    let mut line = format!("{} {id} ", kind.name()).into_bytes();
    // An assertion's id says all of it that is state; its spans and chunk only say where it stands.
    if kind != Kind::Assertion {
        line.extend_from_slice(&unpack(kind, body).unwrap_or_default());
    }
    line
}
