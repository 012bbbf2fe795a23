//! Blocks: neighboring checkpoints of a source with one sum over each block, from which a scan tells where it must
//! read checkpoints at all.
//!
//! The sum of a block says something of its checkpoints and of nothing else, so it holds whatever becomes of the
//! run that wrote it. Whoever writes a checkpoint takes the sum of its block away: triggers see to that. A block
//! is no record, is part of no digest, and is made again by the next scan.

use rusqlite::{Connection, params};

use super::{Error, Writer};

/// The sum of a block as it is kept.
pub type BlockSum = [u8; 16];

/// Makes the table and the triggers, where they are missing.
pub(super) fn ready(connection: &Connection) -> rusqlite::Result<()> {
    let mut sql = String::from(
        "CREATE TABLE IF NOT EXISTS block(
             source TEXT NOT NULL, first TEXT NOT NULL, sum BLOB, PRIMARY KEY(source, first)) WITHOUT ROWID;\n",
    );
    for (event, row) in [("insert", "new"), ("update", "new"), ("delete", "old")] {
        sql.push_str(&format!(
            "CREATE TRIGGER IF NOT EXISTS checkpoint_{event} AFTER {event} ON checkpoint BEGIN
                 UPDATE block SET sum = NULL WHERE sum IS NOT NULL AND source = {row}.source AND first =
                     (SELECT max(first) FROM block WHERE source = {row}.source AND first <= {row}.path);
             END;\n"
        ));
    }
    connection.execute_batch(&sql)
}

impl Writer<'_> {
    /// The blocks of a source, each by the path with which it begins, in order; without a sum where a checkpoint
    /// was written since.
    pub fn blocks(&self, source: &str) -> Result<Vec<(String, Option<BlockSum>)>, Error> {
        let failed = self.store.failed("read the blocks");
        let mut statement = self
            .store
            .connection
            .prepare_cached("SELECT first, sum FROM block WHERE source = ?1 ORDER BY first")
            .map_err(&failed)?;
        let rows = statement.query_map([source], |row| Ok((row.get(0)?, row.get(1)?))).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }

    /// Puts blocks in the place of all that begin at `from` or later and before `until`.
    pub fn put_blocks(
        &self,
        source: &str,
        from: &str,
        until: Option<&str>,
        blocks: impl Iterator<Item = (String, Option<BlockSum>)>,
    ) -> Result<(), Error> {
        let failed = self.store.failed("write the blocks");
        let connection = &self.store.connection;
        connection
            .prepare_cached(
                "DELETE FROM block WHERE source = ?1 AND first >= ?2 AND (?3 IS NULL OR first < ?3)",
            )
            .and_then(|mut statement| statement.execute(params![source, from, until]))
            .map_err(&failed)?;
        let mut insert = connection
            .prepare_cached("INSERT INTO block(source, first, sum) VALUES (?1, ?2, ?3)")
            .map_err(&failed)?;
        for (first, sum) in blocks {
            insert.execute(params![source, first, sum]).map_err(&failed)?;
        }
        Ok(())
    }
}
