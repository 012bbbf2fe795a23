//! The changelog: what each generation changed, one JSON line a record, from which everything is rebuilt.
//!
//! A generation's lines are a pure function of the rows, so the files can always be caught up, compared and
//! made again. The history digest is a chain: each generation's digest hashes the one before and its lines.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::erase::Redaction;
use super::record::{
    CensusRecord, Change, ChunkRecord, DocumentRecord, EntityRecord, Extraction, Kind, OntologyRecord,
    Record, RowRecord, ScopeRecord,
};
use super::schema::CHANGELOG;
use super::view::{Generation, unpack};
use super::write::Writer;
use super::{Error, Store};
use crate::diag::json_fault;
use crate::model::act::{Act, Undone};
use crate::model::assertion::Assertion;
use crate::model::decision::Decision;
use crate::model::fact::{Fact, Incumbent, PendingEnd, Quarantined};

/// What a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// The record is now this.
    Put,
    /// The record is no more.
    Close,
}

/// A line of the changelog.
#[derive(Debug, Serialize, Deserialize)]
pub struct Line {
    /// What it does.
    pub op: Op,
    /// The kind of record.
    pub kind: String,
    /// The record's id.
    pub id: String,
    /// The record, for `put`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Box<RawValue>>,
}

/// The first line of a generation's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The format's version.
    pub edgewright_changelog: i64,
    /// The generation.
    pub generation: u64,
    /// The run that published it.
    pub run: String,
    /// When, as an RFC 3339 time.
    pub recorded_at: String,
    /// The history digest of the generation before; empty for the first.
    pub previous: String,
    /// The day for which it was made, if that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_date: Option<String>,
}

/// Reads the first line of a file; `None` if it is not one, or of another version.
pub fn header_of(line: &str) -> Option<Header> {
    serde_json::from_str(line).ok().filter(|header: &Header| header.edgewright_changelog == CHANGELOG)
}

/// Reads a line; `None` if it is not one.
pub fn line_of(text: &str) -> Option<Line> {
    serde_json::from_str(text).ok()
}

impl Store {
    /// Calls `each` for every line of a generation's file, header first, without its line end.
    pub fn changelog(
        &self,
        generation: &Generation,
        previous: &str,
        mut each: impl FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let header = Header {
            edgewright_changelog: CHANGELOG,
            generation: generation.id,
            run: generation.run.clone(),
            recorded_at: generation.recorded_at.clone(),
            previous: previous.to_owned(),
            logical_date: generation.logical_date.clone(),
        };
        each(&serde_json::to_string(&header).expect("a header is plain data"))?;
        for kind in Kind::ALL {
            self.lines_of_kind(kind, generation.id, &mut each)?;
        }
        Ok(())
    }

    /// The lines of one kind, by id. What was opened and what was closed are two sorted passes over their
    /// indexes, merged: a generation's texts are never held, however large it is.
    fn lines_of_kind(
        &self,
        kind: Kind,
        generation: u64,
        each: &mut impl FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let table = kind.name();
        let failed = self.failed("read a generation's changes");
        let sorted = |column: &str, body: &str| {
            format!("SELECT id{body} FROM {table} WHERE {column} = ?1 ORDER BY {column}, id")
        };
        let mut opened = self.connection.prepare_cached(&sorted("opened", ", body")).map_err(&failed)?;
        let mut closed = self.connection.prepare_cached(&sorted("closed", "")).map_err(&failed)?;
        let mut puts = opened.query([generation as i64]).map_err(&failed)?;
        let mut closes = closed.query([generation as i64]).map_err(&failed)?;
        let mut closing: Option<String> = next_id(&mut closes).map_err(&failed)?;
        loop {
            let put = puts.next().map_err(&failed)?;
            let id: Option<String> = put.map(|row| row.get(0)).transpose().map_err(&failed)?;
            // Closed and not opened again: a record that is put needs no line that closes the one before.
            while let Some(ended) = closing.take_if(|ended| id.as_ref().is_none_or(|id| *ended <= *id)) {
                if id.as_ref() != Some(&ended) {
                    each(&line_text(Op::Close, table, &ended, None))?;
                }
                closing = next_id(&mut closes).map_err(&failed)?;
            }
            let (Some(id), Some(row)) = (id, put) else { return Ok(()) };
            let corrupt = |why: String| Error::Corrupt { kind: table, id: id.clone(), why };
            let body = row.get_ref(1).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
            let json = unpack(kind, body).map_err(corrupt)?;
            let text = std::str::from_utf8(&json).map_err(|error| corrupt(error.to_string()))?;
            let body: &RawValue = serde_json::from_str(text).map_err(|error| corrupt(json_fault(&error)))?;
            each(&line_text(Op::Put, table, &id, Some(body)))?;
        }
    }
}

fn next_id(rows: &mut rusqlite::Rows<'_>) -> rusqlite::Result<Option<String>> {
    rows.next()?.map(|row| row.get(0)).transpose()
}

/// A line, without its line end.
fn line_text(op: Op, kind: &str, id: &str, body: Option<&RawValue>) -> String {
    /// [`Line`], borrowed.
    #[derive(Serialize)]
    struct Written<'w> {
        op: Op,
        kind: &'w str,
        id: &'w str,
        #[serde(skip_serializing_if = "Option::is_none")]
        body: Option<&'w RawValue>,
    }
    serde_json::to_string(&Written { op, kind, id, body }).expect("a line is plain data")
}

/// The history digest of a generation whose rows are written. Calls `each` for every line that it hashes.
pub(super) fn chain(
    store: &Store,
    generation: &Generation,
    previous: &str,
    each: &mut dyn FnMut(&str) -> Result<(), Error>,
) -> Result<String, Error> {
    let mut hasher = blake3::Hasher::new();
    store.changelog(generation, previous, |line| {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
        each(line)
    })?;
    Ok(hasher.finalize().to_hex().to_string())
}

impl Writer<'_> {
    /// Applies a line to the generation that is being written, as `replay` does.
    pub fn apply(&self, line: &Line) -> Result<(), Error> {
        let corrupt =
            |why: &str| Error::Corrupt { kind: "changelog", id: line.id.clone(), why: why.to_owned() };
        let kind = Kind::of(&line.kind).ok_or_else(|| corrupt("no such kind of record"))?;
        match (line.op, &line.body) {
            (Op::Close, _) => self.close(kind, &line.id).map(drop),
            (Op::Put, None) => Err(corrupt("a `put` without a body")),
            (Op::Put, Some(body)) => {
                let json = body.get();
                let values = columns_of(kind, json).map_err(|error| corrupt(&json_fault(&error)))?;
                self.put_json(kind, &line.id, &values, json.as_bytes()).map(drop)
            }
        }
    }
}

/// The values of a record's columns, from its JSON form.
pub(super) fn columns_of(kind: Kind, json: &str) -> Result<Vec<Option<String>>, serde_json::Error> {
    fn read<R: Record>(json: &str) -> Result<Vec<Option<String>>, serde_json::Error> {
        serde_json::from_str::<R>(json).map(|record| record.columns())
    }
    match kind {
        Kind::Ontology => read::<OntologyRecord>(json),
        Kind::Scope => read::<ScopeRecord>(json),
        Kind::Row => read::<RowRecord>(json),
        Kind::Entity => read::<EntityRecord>(json),
        Kind::Document => read::<DocumentRecord>(json),
        Kind::Chunk => read::<ChunkRecord>(json),
        Kind::Extraction => read::<Extraction>(json),
        Kind::Assertion => read::<Assertion>(json),
        Kind::Decision => read::<Decision>(json),
        Kind::Act => read::<Act>(json),
        Kind::Undone => read::<Undone>(json),
        Kind::Redaction => read::<Redaction>(json),
        Kind::Incumbent => read::<Incumbent>(json),
        Kind::Fact => read::<Fact>(json),
        Kind::Quarantine => read::<Quarantined>(json),
        Kind::Pending => read::<PendingEnd>(json),
        Kind::Change => read::<Change>(json),
        Kind::Census => read::<CensusRecord>(json),
    }
}
