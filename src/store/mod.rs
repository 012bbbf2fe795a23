//! The record: SQLite behind one door.
//!
//! Everything that the graph rests on is a *record*: a row with an id, a JSON body and two generation
//! numbers. A record is visible in generation `g` if `opened ≤ g` and it is not closed by then. A run
//! writes its records under an unpublished generation that no reader sees; publishing flips one row. So a
//! killed run leaves rows that the next run sweeps, and no change set is ever held in memory.
//!
//! This folder knows no stage, no file of the user's and no clock. It is the only user of rusqlite.
//! `docs/format.md` describes the tables and the changelog, version by version.

mod blocks;
mod changelog;
mod checkpoint;
mod digest;
mod erase;
mod held;
mod links;
mod lock;
mod logical;
mod names;
mod record;
mod schema;
mod sweep;
mod tally;
#[cfg(test)]
mod tests;
mod traces;
mod verify;
mod view;
mod write;
mod written;

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

pub use blocks::BlockSum;
pub use changelog::{Header, Line, Op, header_of, line_of};
pub use checkpoint::{Checkpoint, Held};
pub use digest::Digest;
pub use erase::Redaction;
pub use held::HeldRun;
pub use links::{Joins, Linked};
pub use lock::{Lock, LockError};
pub use names::first_word;
pub use record::{
    CensusRecord, Change, ChangeKind, ChunkRecord, ChunkRef, DocumentRecord, EntityRecord, Extraction, Kind,
    OntologyRecord, Record, RowRecord, ScopeRecord,
};
pub use schema::FORMAT;
pub use tally::{Counts, EdgeCount};
pub use traces::{Finder, Traces};
pub use verify::{Fault, verify};
pub use view::{Generation, Versioned, View};
pub use write::{Request, RequestBody, Writer};

/// What the store could not do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite said no.
    #[error("cannot {doing} in `{path}`")]
    Sqlite {
        /// What was being done.
        doing: &'static str,
        /// The database file.
        path: String,
        /// What SQLite said.
        #[source]
        source: rusqlite::Error,
    },
    /// It was written to while it was read without a lock.
    #[error(
        "`{path}` was written to while it was read, and what was read may be of two generations: ask again"
    )]
    Disturbed {
        /// The database file.
        path: String,
    },
    /// A row that does not read back as what it is said to be.
    #[error("the {kind} record `{id}` cannot be read back: {why}")]
    Corrupt {
        /// The kind of record.
        kind: &'static str,
        /// Its id.
        id: String,
        /// What is wrong with it.
        why: String,
    },
    /// A store of another version.
    #[error("the store `{path}` has format {found}, and this program reads format {supported}")]
    Format {
        /// The database file.
        path: String,
        /// Its version.
        found: i64,
        /// Ours.
        supported: i64,
    },
    /// There is no store yet.
    #[error("there is no graph yet in `{path}`")]
    Absent {
        /// Where it would be.
        path: String,
    },
    /// A file beside the database.
    #[error("cannot {doing} `{path}`")]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl Error {
    /// True if SQLite could not open or make a file.
    fn is_forbidden(&self) -> bool {
        let Self::Sqlite { source, .. } = self else { return false };
        use rusqlite::ErrorCode::{CannotOpen, PermissionDenied, ReadOnly};
        matches!(source.sqlite_error_code(), Some(CannotOpen | ReadOnly | PermissionDenied))
    }

    /// True if there is no room on the disk for what was to be written.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Sqlite { source, .. } => source.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull),
            Self::File { source, .. } => crate::diag::is_disk_full(source),
            Self::Corrupt { .. } | Self::Format { .. } | Self::Absent { .. } | Self::Disturbed { .. } => {
                false
            }
        }
    }

    /// True if the database file is damaged, or is none.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Sqlite { source, .. } => {
                matches!(source.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
            }
            Self::Corrupt { .. } => true,
            Self::Format { .. } | Self::Absent { .. } | Self::Disturbed { .. } | Self::File { .. } => false,
        }
    }
}

/// A file beside a database.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The name by which SQLite opens a file that nobody writes to.
fn immutable(path: &Path) -> String {
    let name = path.display().to_string();
    let escaped = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

/// How much of the file a writer keeps in memory, in KiB.
const CACHE_KIB: i64 = 64 * 1024;
/// How many pages the log may have before they are copied into the file.
const LOG_PAGES: i64 = 16 * 1024;

/// How many compiled statements are kept: more than there are kinds of record times ways of asking for one.
const STATEMENTS: usize = 1_024;

/// An open store.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Of a file that is read without a lock, how it was when it was opened.
    alone: Option<Stamp>,
    /// The format that it had when it was opened; a writer brings it to [`FORMAT`].
    format: i64,
}

/// A database file that is read without a lock, because its folder can be written to by others only: what was
/// read of it counts if nobody has written to it in the meantime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    path: PathBuf,
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl Stamp {
    #[expect(clippy::disallowed_methods, reason = "how the file is is asked of the disk")]
    fn of(path: &Path) -> Self {
        let data = std::fs::metadata(path).ok();
        Self {
            path: path.to_owned(),
            len: data.as_ref().map_or(0, std::fs::Metadata::len),
            modified: data.and_then(|data| data.modified().ok()),
        }
    }

    /// Refuses what was read if the file was written to since. A writer writes beside the file first, into its
    /// log, and every move of pages from there into the file changes its time.
    pub fn stands(&self) -> Result<(), Error> {
        if Self::of(&self.path) == *self {
            return Ok(());
        }
        Err(Error::Disturbed { path: self.path.display().to_string() })
    }
}

impl Store {
    /// Opens the store at a path for writing, making it if it is not there. The caller holds the [`Lock`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let connection = Connection::open(path).map_err(|source| Error::Sqlite {
            doing: "open the store",
            path: path.display().to_string(),
            source,
        })?;
        let mut store = Self { connection, path: path.to_owned(), alone: None, format: 0 };
        store.format = store.prepare()?;
        Ok(store)
    }

    /// Opens the store for reading; [`Error::Absent`] if there is none.
    #[expect(
        clippy::disallowed_methods,
        reason = "whether there is a log beside the database is asked of the disk"
    )]
    pub fn open_read(path: &Path) -> Result<Self, Error> {
        if !path.exists() {
            return Err(Error::Absent { path: path.display().to_string() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|source| Error::Sqlite {
            doing: "open the store",
            path: path.display().to_string(),
            source,
        })?;
        let mut store = Self { connection, path: path.to_owned(), alone: None, format: 0 };
        if let Err(error) = store.check_format() {
            // In a folder that cannot be written to, SQLite cannot make the files by which readers and a writer
            // agree. Without a log there is no writer, and the file itself is all there is. One that begins later
            // is noticed when everything is read: see `Stamp`.
            let stamp = Stamp::of(path);
            let alone = std::fs::metadata(beside(path, "-wal")).map_or(true, |log| log.len() == 0);
            if !(alone && error.is_forbidden()) {
                return Err(error);
            }
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            store.alone = Some(stamp);
            store.connection = Connection::open_with_flags(immutable(path), flags)
                .map_err(store.failed("open the store"))?;
        }
        store.format = store.check_format()?;
        store.keep_plans()?;
        store.connection.pragma_update(None, "query_only", "on").map_err(store.failed("prepare to read"))?;
        Ok(store)
    }

    /// An empty store in memory.
    pub fn in_memory() -> Result<Self, Error> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory().map_err(|source| Error::Sqlite {
            doing: "open the store",
            path: ":memory:".to_owned(),
            source,
        })?;
        let mut store = Self { connection, path, alone: None, format: 0 };
        store.format = store.prepare()?;
        Ok(store)
    }

    /// What tells whether what was read stands; `None` where a lock sees to it.
    pub fn stamp(&self) -> Option<Stamp> {
        self.alone.clone()
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Turns an SQLite error into ours, saying what was being done.
    pub(crate) fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> Error + '_ {
        move |source| Error::Sqlite { doing, path: self.path.display().to_string(), source }
    }

    fn prepare(&self) -> Result<i64, Error> {
        let failed = self.failed("prepare the store");
        self.connection.busy_timeout(std::time::Duration::from_secs(10)).map_err(&failed)?;
        self.connection.pragma_update(None, "journal_mode", "wal").map_err(&failed)?;
        self.connection.pragma_update(None, "synchronous", "normal").map_err(&failed)?;
        self.connection.pragma_update(None, "temp_store", "memory").map_err(&failed)?;
        // Ids are hashes, so each row that is written touches pages all over the file: those of a batch fit
        // in this cache, and are copied into the file a few times a run instead of once a batch.
        self.connection.pragma_update(None, "cache_size", -CACHE_KIB).map_err(&failed)?;
        self.connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES).map_err(&failed)?;
        self.keep_plans()?;
        match schema::version(&self.connection).map_err(&failed)? {
            0 => schema::create(&self.connection).map_err(&failed)?,
            older @ schema::OLDEST..FORMAT => {
                self.connection.execute_batch("BEGIN IMMEDIATE").map_err(&failed)?;
                schema::upgrade(&self.connection, older).map_err(&failed)?;
                self.derive(older)?;
                self.connection.execute_batch("COMMIT").map_err(&failed)?;
            }
            _ => {}
        }
        let found = self.check_format()?;
        blocks::ready(&self.connection).map_err(&failed)?;
        Ok(found)
    }

    /// Compiles each statement once. Without the guarantee SQLite may compile a statement again for every value
    /// that it is given, to see whether the value fits a partial index or its statistics: each of ours is meant for
    /// one index, whatever the value.
    fn keep_plans(&self) -> Result<(), Error> {
        self.connection.set_prepared_statement_cache_capacity(STATEMENTS);
        self.connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map(drop)
            .map_err(self.failed("keep statements compiled"))
    }

    /// Fills the tables that follow the records and came after an older format. Linear in the store.
    fn derive(&self, older: i64) -> Result<(), Error> {
        let view = self.current()?;
        if older < 3 {
            view.each(|document: DocumentRecord| self.hold(&document))?;
        }
        if older < names::SINCE {
            self.note_all_names()?;
        }
        self.count_anew(&view)
    }

    /// The format, if it is one that is read.
    fn check_format(&self) -> Result<i64, Error> {
        let found = schema::version(&self.connection).map_err(self.failed("read the format"))?;
        if (schema::OLDEST..=FORMAT).contains(&found) {
            return Ok(found);
        }
        Err(Error::Format { path: self.path.display().to_string(), found, supported: FORMAT })
    }
}
