//! The tables, and the version that they carry.

use rusqlite::Connection;

use super::record::Kind;
use super::{held, links, logical};

/// The format of the store.
///
/// 1: the first.
/// 2: the words of chunks are looked up in the text index; the table `word` is gone.
/// 3: counts are kept as tallies, checkpoints are packed and name their documents, merged entities are looked up.
/// 4: names are looked up.
/// 5: the look-ups of facts by their ends say who is linked to whom and when, without the facts.
/// 6: a run may be held, and what a person does with a run or a generation is kept.
/// 7: documents for which a rule's program gave no answer are looked up.
/// 8: what a purge took out of a generation is kept, and for which day inputs were read and generations made.
pub const FORMAT: i64 = 8;

/// The oldest format that is read as it is, and brought to [`FORMAT`] when it is written to.
pub(super) const OLDEST: i64 = 1;

/// The format of the changelog's files.
///
/// 1: the first.
pub(super) const CHANGELOG: i64 = 1;

/// The format that a database carries; 0 for an empty one.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings the tables of an older format to this one, within a transaction of the caller's.
pub(super) fn upgrade(connection: &Connection, found: i64) -> rusqlite::Result<()> {
    let mut sql = String::new();
    if found < 2 {
        sql.push_str("DROP TABLE word;\n");
    }
    if found < 3 {
        // What was seen of the files is seen anew: they are hashed once.
        sql.push_str("DROP TABLE checkpoint; DROP TABLE checkpoint_staged; DROP TABLE IF EXISTS block;\n");
        sql.push_str(FOLLOWING);
        sql.push_str(
            "ALTER TABLE entity ADD COLUMN merged_into TEXT;
             UPDATE entity SET merged_into = json_extract(CAST(body AS TEXT), '$.merged_into');
             CREATE INDEX entity_merged_into ON entity(merged_into) WHERE merged_into IS NOT NULL;\n",
        );
    }
    if found < 4 {
        sql.push_str(NAMES);
    }
    if found < links::SINCE {
        sql.push_str(links::UPGRADE);
        for column in ["subject", "object"] {
            sql.push_str(&format!("DROP INDEX fact_{column};\n{}", index(Kind::Fact, column)));
        }
    }
    if found < held::SINCE {
        sql.push_str(HELD);
        sql.extend([Kind::Act, Kind::Undone].map(table));
    }
    if found < 7 {
        sql.push_str("ALTER TABLE document ADD COLUMN withheld TEXT;\n");
        sql.push_str(&index(Kind::Document, "withheld"));
    }
    if found < 8 {
        sql.push_str(&table(Kind::Redaction));
        sql.push_str("ALTER TABLE generation ADD COLUMN logical_date TEXT;\n");
        sql.push_str(logical::TABLE);
    }
    // What is counted has changed more than once; it is counted anew.
    sql.push_str(&format!("DELETE FROM tally; PRAGMA user_version = {FORMAT};"));
    connection.execute_batch(&sql)
}

/// The table of the run that is held, if one is.
const HELD: &str = "
         CREATE TABLE held(run TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;\n";

/// The tables that follow the records: what was seen of files, and counts.
const FOLLOWING: &str = "
         CREATE TABLE checkpoint(
             source TEXT NOT NULL, path TEXT NOT NULL, seen BLOB, held BLOB, PRIMARY KEY(source, path)) WITHOUT ROWID;
         CREATE TABLE checkpoint_staged(
             source TEXT NOT NULL, path TEXT NOT NULL, seen BLOB, PRIMARY KEY(source, path)) WITHOUT ROWID;
         CREATE TABLE tally(
             what TEXT NOT NULL, which TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY(what, which)) WITHOUT ROWID;\n";

/// The table by which names are looked up; it follows the records as well.
const NAMES: &str = "
         CREATE TABLE name(
             first TEXT NOT NULL, whole TEXT NOT NULL, claim TEXT NOT NULL, PRIMARY KEY(first, whole, claim)) WITHOUT ROWID;\n";

/// The index by which records of a kind are looked up in a column. A fact's ends say what a step over it must know,
/// by id, so that one look-up reads one run of pages and nothing else.
fn index(kind: Kind, column: &str) -> String {
    let table = kind.name();
    let beside = match (kind, column) {
        (Kind::Fact, "subject") => ", id, opened, closed, edge_type, object, intervals",
        (Kind::Fact, "object") => ", id, opened, closed, edge_type, subject, intervals",
        _ => "",
    };
    format!("CREATE INDEX {table}_{column} ON {table}({column}{beside}) WHERE {column} IS NOT NULL;\n")
}

/// Makes the tables of an empty database in one transaction.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    let mut sql = String::from(
        "BEGIN IMMEDIATE;
         CREATE TABLE generation(
             id INTEGER PRIMARY KEY, run TEXT NOT NULL, recorded_at TEXT NOT NULL,
             state_digest TEXT NOT NULL, history_digest TEXT NOT NULL, logical_date TEXT);
         CREATE TABLE request(
             number INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL);
         CREATE TABLE touched(
             stratum INTEGER NOT NULL, grp TEXT NOT NULL, fact TEXT NOT NULL, cause TEXT NOT NULL,
             detail TEXT NOT NULL, PRIMARY KEY(stratum, grp, fact, cause)) WITHOUT ROWID;\n",
    );
    sql.push_str(FOLLOWING);
    sql.push_str(NAMES);
    sql.push_str(HELD);
    sql.push_str(logical::TABLE);
    sql.extend(Kind::ALL.map(table));
    sql.push_str(&format!("PRAGMA user_version = {FORMAT}; COMMIT;"));
    connection.execute_batch(&sql)
}

/// The table of a kind of record, with what it is looked up by.
fn table(kind: Kind) -> String {
    let table = kind.name();
    let columns: String = kind.columns().iter().map(|column| format!("{column} TEXT, ")).collect();
    let mut sql = format!(
        "CREATE TABLE {table}(id TEXT NOT NULL, opened INTEGER NOT NULL, closed INTEGER, {columns}\
         body BLOB NOT NULL, PRIMARY KEY(id, opened));
         CREATE INDEX {table}_opened ON {table}(opened, id);
         CREATE INDEX {table}_closed ON {table}(closed, id) WHERE closed IS NOT NULL;\n"
    );
    sql.extend(kind.lookups().iter().map(|column| index(kind, column)));
    sql
}
