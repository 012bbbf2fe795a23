//! Holding: a generation that is written and not published, until a person says what becomes of it.
//!
//! A held run is an unpublished generation that the store knows of. No reader sees it, it is part of no digest and
//! of no changelog, and whatever writes the next generation sweeps it. There is at most one. Of a candidate it stays
//! known that there was one, until a person has judged it.

use serde::{Deserialize, Serialize};

use super::{Error, Store, Writer};
use crate::diag::json_fault;

/// The format with which it came.
pub(super) const SINCE: i64 = 6;

/// A run that is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldRun {
    /// The run's id.
    pub run: String,
    /// The number that its generation will have: one above the last published.
    pub generation: u64,
    /// Since when, as an RFC 3339 time.
    pub since: String,
    /// The numbers of the requests that it carried out, which leave the queue with its publication.
    pub carried_out: Vec<i64>,
    /// True if it is a candidate: a person wanted to see it first.
    #[serde(default)]
    pub candidate: bool,
    /// True if what it wrote is swept: it can no longer be published.
    #[serde(default)]
    pub swept: bool,
    /// The jobs that ran.
    #[serde(default)]
    pub jobs: Vec<String>,
    /// The day for which it was made, if that was said.
    #[serde(default)]
    pub logical_date: Option<String>,
    /// The keys of what was found wrong with it.
    pub findings: Vec<String>,
}

impl Store {
    /// True if the store's format has acts.
    pub fn has_acts(&self) -> bool {
        self.format >= SINCE
    }

    /// The run that is held, if one is, and what it wrote is still there.
    pub fn held(&self) -> Result<Option<HeldRun>, Error> {
        Ok(self.last_held()?.filter(|held| !held.swept))
    }

    /// The run that is held, or a candidate that nobody has judged and whose place another run has begun to take.
    pub fn last_held(&self) -> Result<Option<HeldRun>, Error> {
        if !self.has_acts() {
            return Ok(None);
        }
        let failed = self.failed("look for a held run");
        let mut statement = self.connection.prepare_cached("SELECT run, body FROM held").map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        let Some(row) = rows.next().map_err(&failed)? else { return Ok(None) };
        let run: String = row.get(0).map_err(&failed)?;
        let body: String = row.get(1).map_err(&failed)?;
        serde_json::from_str(&body).map(Some).map_err(|error| Error::Corrupt {
            kind: "held",
            id: run,
            why: json_fault(&error),
        })
    }

    /// Goes on with the generation of the held run: what it wrote stands, and may be published.
    pub fn resume(&self) -> Result<Option<(Writer<'_>, HeldRun)>, Error> {
        let Some(held) = self.held()? else { return Ok(None) };
        let writer = self.writer(false)?;
        writer.open()?;
        writer.logical_date.replace(held.logical_date.clone());
        Ok(Some((writer, held)))
    }
}

impl Writer<'_> {
    /// Holds the run: what was written stays as it is, unseen, until it is published, given up, or followed by
    /// another generation. One transaction with the last batch.
    pub fn hold(mut self, held: &HeldRun) -> Result<(), Error> {
        let failed = self.store.failed("hold a run");
        let body = serde_json::to_string(held).expect("a held run is plain data");
        let connection = &self.store.connection;
        connection.execute_batch("DELETE FROM held").map_err(&failed)?;
        connection
            .execute("INSERT INTO held(run, body) VALUES (?1, ?2)", [&held.run, &body])
            .map_err(&failed)?;
        connection.execute_batch("DELETE FROM touched; COMMIT").map_err(&failed)?;
        self.finished = true;
        Ok(())
    }
}
