//! Erasing: a document is taken out of every generation, with everything that was made of it.
//!
//! Elsewhere in this folder a record is never overwritten once its generation is published. This is the one exception,
//! and it leaves a record of itself: a [`Redaction`] in each generation out of which something was taken, with how
//! much it was and the history digest that the generation had. Digests are computed anew, so that the changelog that
//! follows from the rows replays to them.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value;
use rusqlite::{ToSql, params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::changelog::chain;
use super::digest::Digest;
use super::record::{Change, ChangeKind, EntityRecord, Kind, Record};
use super::traces::{Finder, Traces, automaton};
use super::view::{Versioned, read_body};
use super::write::{RequestBody, state_line};
use super::written::{reason_of, unquoted};
use super::{Error, Store, names};
use crate::model::assertion::Assertion;
use crate::model::cause::Cause;
use crate::model::decision::Decision;
use crate::model::fact::{Attested, CutBy, Edge, Fact};
use crate::model::id::{AssertionId, ChunkId, DocumentId, Fingerprint};
use crate::model::quote::{ERASED, Quotes};
use crate::model::time::Date;

/// The format with which redactions came.
pub(super) const SINCE: i64 = 8;

/// What a purge took out of a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redaction {
    /// The number of the purge's act.
    pub act: u64,
    /// The generation.
    pub generation: u64,
    /// How many records that were written or closed in it are no more, by kind.
    pub erased: BTreeMap<String, u64>,
    /// The history digest that the generation had before.
    pub history: String,
}

impl Record for Redaction {
    const KIND: Kind = Kind::Redaction;
    fn id(&self) -> String {
        format!("{:08}/{:08}", self.act, self.generation)
    }
    fn columns(&self) -> Vec<Option<String>> {
        Vec::new()
    }
}

/// A row that is taken out.
struct Row {
    id: String,
    opened: u64,
    closed: Option<u64>,
    body: Vec<u8>,
}

/// What was taken out so far.
#[derive(Default)]
pub(super) struct Erasure {
    /// By generation and kind, how many rows were written or closed there.
    touched: BTreeMap<u64, BTreeMap<String, u64>>,
    missing: Missing,
    assertions: BTreeSet<String>,
    facts: BTreeSet<String>,
    /// First words and names by which claims were looked up, with the claims.
    names: BTreeSet<(String, String, String)>,
}

/// By generation, the sums of the lines of rows that are no more, and of those that took their place.
#[derive(Default)]
struct Missing(BTreeMap<u64, (Digest, Digest)>);

impl Missing {
    /// A row is no more: its line counts no more from one generation to another.
    fn went(&mut self, opened: u64, closed: Option<u64>, line: Vec<u8>) {
        self.0.entry(opened).or_default().0.add(&line);
        if let Some(closed) = closed {
            self.0.entry(closed).or_default().1.add(&line);
        }
    }

    /// A row took its place.
    fn came(&mut self, opened: u64, closed: Option<u64>, line: Vec<u8>) {
        self.0.entry(opened).or_default().1.add(&line);
        if let Some(closed) = closed {
            self.0.entry(closed).or_default().0.add(&line);
        }
    }
}

impl Erasure {
    pub(super) fn touch(&mut self, generation: u64, kind: Kind) {
        *self.touched.entry(generation).or_default().entry(kind.name().to_owned()).or_insert(0) += 1;
    }

    /// Notes that a version of a record that says what the graph says has another body.
    pub(super) fn mended(&mut self, (opened, closed): (u64, Option<u64>), was: Vec<u8>, is: Vec<u8>) {
        self.missing.went(opened, closed, was);
        self.missing.came(opened, closed, is);
    }

    /// Notes that a row is no more.
    fn note(&mut self, kind: Kind, row: &Row) -> Result<(), Error> {
        self.touch(row.opened, kind);
        if let Some(closed) = row.closed {
            self.touch(closed, kind);
        }
        if kind.is_state() {
            self.missing.went(row.opened, row.closed, state_line(kind, &row.id, &row.body));
        }
        match kind {
            Kind::Assertion => {
                let assertion: Assertion = read_body(&row.id, &row.body)?;
                self.facts.extend(assertion.fact.map(|fact| fact.to_string()));
                self.assertions.insert(row.id.clone());
            }
            Kind::Entity => {
                let claim: EntityRecord = read_body(&row.id, &row.body)?;
                let rows = names::rows_of(&claim).into_iter();
                self.names.extend(rows.map(|(first, whole)| (first, whole, row.id.clone())));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Store {
    /// Takes a document out of all generations, in one transaction. It must stand no more: what counts now has been
    /// published without it by the act of this number. What people wrote loses what it quotes and names of it. Nothing
    /// happens if it is out already.
    ///
    /// Linear in what was ever closed of facts and of what waits, in what people wrote, in the changes since the document
    /// first came, and in the generations from there on; holds what there is of the document, and no more.
    pub fn erase(&self, act: u64, traces: &Traces, quotes: &Quotes) -> Result<(), Error> {
        let failed = self.failed("erase a document");
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(&failed)?;
        let erased = self.erase_within(act, traces, quotes);
        let end = if erased.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = self.connection.execute_batch(end).map_err(&failed);
        erased.and(ended)
    }

    fn erase_within(&self, act: u64, traces: &Traces, quotes: &Quotes) -> Result<(), Error> {
        let mut erasure = Erasure::default();
        for document in traces.documents.iter().map(DocumentId::to_string) {
            for (kind, column) in [
                (Kind::Document, "id"),
                (Kind::Extraction, "document"),
                (Kind::Assertion, "document"),
                (Kind::Entity, "document"),
            ] {
                self.take(kind, &format!("{column} = ?1"), &[&document], &mut erasure)?;
            }
            self.take(Kind::Undone, "id = ?1", &[&format!("document {document}")], &mut erasure)?;
        }
        // A text that another document has as well stays with it.
        for chunk in traces.chunks.iter().map(ChunkId::to_string) {
            let elsewhere = "NOT EXISTS (SELECT 1 FROM extraction WHERE chunk = ?1)";
            self.take(Kind::Chunk, &format!("id = ?1 AND {elsewhere}"), &[&chunk], &mut erasure)?;
        }
        let said = erasure.assertions.clone();
        self.take_what_mentions(&said, &mut erasure)?;
        erasure.facts.extend(self.mentioning(Kind::Fact, &said)?.into_iter().map(|(fact, _)| fact));
        let touched = erasure.facts.clone();
        let mut gone = BTreeSet::new();
        for fact in &touched {
            self.mend_fact(fact, &touched, &mut erasure)?;
            // One that others state as well may wait in quarantine, and has no row of its own.
            let is_left = self.exists("SELECT 1 FROM fact WHERE id = ?1", fact)?
                || self.exists("SELECT 1 FROM assertion WHERE fact = ?1", fact)?;
            if !is_left {
                gone.insert(fact.clone());
            }
        }
        // What they ended for others, and what stood against those of which nothing is left.
        self.take_what_mentions(&gone, &mut erasure)?;
        erasure.facts.extend(self.mentioning(Kind::Fact, &touched)?.into_iter().map(|(fact, _)| fact));
        for fact in erasure.facts.clone() {
            self.mend_fact(&fact, &touched, &mut erasure)?;
        }
        for fact in &gone {
            // Who stands now, the publication without the document has said.
            let which = "closed IS NOT NULL AND (stands = ?1 OR against = ?1)";
            self.take(Kind::Incumbent, which, &[fact], &mut erasure)?;
        }
        self.mend_written(traces, quotes, &mut erasure)?;
        self.mend_changes(traces, quotes, &mut erasure)?;
        self.mend_decisions(traces, quotes, &mut erasure)?;
        self.forget(traces, &erasure)?;
        self.redact(act, &erasure)
    }

    /// Takes out the rows for which a condition holds, whose `?1` and `?2` are these values.
    fn take(
        &self,
        kind: Kind,
        which: &str,
        values: &[&dyn ToSql],
        erasure: &mut Erasure,
    ) -> Result<(), Error> {
        let failed = self.failed("erase a record");
        let table = kind.name();
        let sql = format!("SELECT id, opened, closed, body FROM {table} WHERE {which}");
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query(values).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let closed: Option<i64> = row.get(2).map_err(&failed)?;
            let row = Row {
                id: row.get(0).map_err(&failed)?,
                opened: row.get::<_, i64>(1).map_err(&failed)? as u64,
                closed: closed.map(|closed| closed as u64),
                body: row.get(3).map_err(&failed)?,
            };
            erasure.note(kind, &row)?;
        }
        let sql = format!("DELETE FROM {table} WHERE {which}");
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        statement.execute(values).map(drop).map_err(failed)
    }

    /// Takes out a version of a record.
    fn take_version(&self, kind: Kind, id: &str, opened: u64, erasure: &mut Erasure) -> Result<(), Error> {
        self.take(kind, "id = ?1 AND opened = ?2", &[&id, &(opened as i64)], erasure)
    }

    /// Takes out the closed versions of what waits, as far as they mention one of these ids.
    fn take_what_mentions(&self, ids: &BTreeSet<String>, erasure: &mut Erasure) -> Result<(), Error> {
        for kind in [Kind::Quarantine, Kind::Pending] {
            for (id, opened) in self.mentioning(kind, ids)? {
                self.take_version(kind, &id, opened, erasure)?;
            }
        }
        Ok(())
    }

    /// The closed versions of records of a kind that mention one of these ids: id and where they were opened.
    fn mentioning(&self, kind: Kind, ids: &BTreeSet<String>) -> Result<Vec<(String, u64)>, Error> {
        let mut found = Vec::new();
        if ids.is_empty() {
            return Ok(found);
        }
        let finder = automaton(&ids.iter().cloned().collect::<Vec<_>>())?;
        let failed = self.failed("look for what mentions a document");
        let sql = format!("SELECT id, opened, body FROM {} WHERE closed IS NOT NULL", kind.name());
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id = row.get_ref(0).map_err(&failed)?.as_str().map_err(|error| failed(error.into()))?;
            let body = row.get_ref(2).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
            if finder.is_match(id) || finder.is_match(body) {
                found.push((id.to_owned(), row.get::<_, i64>(1).map_err(&failed)? as u64));
            }
        }
        Ok(found)
    }

    /// What a fact was in each generation without the assertions that are erased. `touched` are the facts that these
    /// attested; some are gone.
    ///
    /// A version that rests on others as well stays without these where its edges do not rest on them, or becomes the
    /// one that is known to follow from the others alone; where none is known, nobody can say what it would have been,
    /// and it goes.
    fn mend_fact(&self, fact: &str, touched: &BTreeSet<String>, erasure: &mut Erasure) -> Result<(), Error> {
        let versions: Vec<Versioned<Fact>> = self.current()?.versions(fact)?;
        let is_said = |assertion: &AssertionId| !erasure.assertions.contains(&assertion.to_string());
        let rests_on = |record: &Fact| -> BTreeSet<AssertionId> {
            record.attestations.iter().map(|attested| attested.assertion).filter(|id| is_said(id)).collect()
        };
        let mut stands = Vec::new();
        for Versioned { record, .. } in &versions {
            let is_cut = self.is_cut_by_others(record, touched, &is_said)?;
            stands.push(if is_cut { without(record, &is_said) } else { None });
        }
        let mut mended: Vec<Versioned<Fact>> = Vec::new();
        for (version, own) in versions.iter().zip(&stands) {
            // What stands was published without the document.
            let mut known = if version.closed.is_none() { Some(&version.record) } else { own.as_ref() };
            let others = rests_on(&version.record);
            if known.is_none() && !others.is_empty() {
                for alike in stands.iter().flatten().filter(|record| rests_on(record) == others) {
                    if self.is_of_then(alike, version.opened)? {
                        known = Some(alike);
                        break;
                    }
                }
            }
            let Some(record) = known else { continue };
            match mended.last_mut() {
                Some(last) if last.closed == Some(version.opened) && last.record == *record => {
                    last.closed = version.closed;
                }
                _ => mended.push(Versioned { record: record.clone(), ..*version }),
            }
        }
        for version in versions.iter().filter(|version| !mended.contains(version)) {
            self.take_version(Kind::Fact, fact, version.opened, erasure)?;
        }
        for Versioned { opened, closed, record } in mended.iter().filter(|one| !versions.contains(one)) {
            self.insert(*opened, *closed, record)?;
            let body = serde_json::to_vec(record).expect("a record is plain data");
            erasure.missing.came(*opened, *closed, state_line(Kind::Fact, fact, &body));
        }
        Ok(())
    }

    /// True if what cut a fact short is not erased, and neither is the day on which it did.
    fn is_cut_by_others(
        &self,
        fact: &Fact,
        touched: &BTreeSet<String>,
        is_said: &dyn Fn(&AssertionId) -> bool,
    ) -> Result<bool, Error> {
        for cut in &fact.cuts {
            let is = match &cut.by {
                CutBy::Newcomer(by) | CutBy::Superseded(by) => {
                    let by = by.to_string();
                    !touched.contains(&by) || self.is_begun(&by, cut.on, is_said)?
                }
                CutBy::Ended(by) | CutBy::Left(by) => is_said(by),
            };
            if !is {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True if an assertion that is not erased says of a fact that it begins on a day.
    fn is_begun(&self, fact: &str, on: Date, is_said: &dyn Fn(&AssertionId) -> bool) -> Result<bool, Error> {
        let versions: Vec<Versioned<Fact>> = self.current()?.versions(fact)?;
        let mut attested = versions.iter().flat_map(|version| &version.record.attestations);
        Ok(attested.any(|one| is_said(&one.assertion) && one.claim.from.is_some_and(|(from, _)| from == on)))
    }

    /// True if what cuts a fact short did so in a generation already.
    fn is_of_then(&self, fact: &Fact, generation: u64) -> Result<bool, Error> {
        let view = self.view(generation);
        for cut in &fact.cuts {
            let is = match &cut.by {
                CutBy::Newcomer(by) | CutBy::Superseded(by) => view.get::<Fact>(&by.to_string())?.is_some(),
                CutBy::Ended(by) => view.get::<Assertion>(&by.to_string())?.is_some(),
                CutBy::Left(by) => {
                    let said: Option<Assertion> = view.get(&by.to_string())?;
                    said.is_some_and(|said| said.left.is_some())
                }
            };
            if !is {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Inserts a version of a record.
    fn insert<R: Record>(&self, opened: u64, closed: Option<u64>, record: &R) -> Result<(), Error> {
        let failed = self.failed("mend a record");
        let body = serde_json::to_vec(record).expect("a record is plain data");
        let columns: String = R::KIND.columns().iter().map(|column| format!(", {column}")).collect();
        let values = record.columns();
        let marks: String = (0..values.len()).map(|at| format!(", ?{}", at + 5)).collect();
        let sql = format!(
            "INSERT INTO {}(id, opened, closed, body{columns}) VALUES (?1, ?2, ?3, ?4{marks})",
            R::KIND.name()
        );
        let mut row: Vec<Value> = vec![
            record.id().into(),
            (opened as i64).into(),
            closed.map(|closed| closed as i64).into(),
            body.into(),
        ];
        row.extend(values.into_iter().map(Value::from));
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        statement.execute(params_from_iter(row)).map(drop).map_err(failed)
    }

    /// Says of each change of a fact that was touched what it is without the document, and names it in none.
    fn mend_changes(&self, traces: &Traces, quotes: &Quotes, erasure: &mut Erasure) -> Result<(), Error> {
        let failed = self.failed("mend what changed");
        let mut mended: BTreeMap<(String, u64), Change> = BTreeMap::new();
        let view = self.current()?;
        for fact in &erasure.facts {
            for Versioned { opened, record, .. } in view.versions_by::<Change>("fact", fact)? {
                mended.insert((record.id(), opened), record);
            }
        }
        let names = Finder::of_names(traces)?;
        let mut told = traces.as_named();
        told.extend(quotes.clone());
        // What a person did is told with why, in words of theirs; all else with paths, which may be another document's.
        let without = |change: &Change| match change.cause {
            Cause::Curator => told.without(&change.detail),
            _ => quotes.without(&change.detail),
        };
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, opened, body FROM change WHERE opened >= ?1")
            .map_err(&failed)?;
        // Before it came nothing was because of it.
        let first = erasure.touched.keys().next().copied().unwrap_or_default();
        let mut rows = statement.query([first as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id: String = row.get(0).map_err(&failed)?;
            let body = row.get_ref(2).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
            let change: Change = read_body(&id, body)?;
            if names.is_in(&change.detail) || without(&change).is_some() {
                mended.insert((id, row.get::<_, i64>(1).map_err(&failed)? as u64), change);
            }
        }
        drop(rows);
        for ((id, opened), change) in mended {
            let mut now = change.clone();
            if names.is_in(&now.detail) {
                ERASED.clone_into(&mut now.detail);
            } else if let Some(left) = without(&now) {
                now.detail = left;
            }
            if erasure.facts.contains(&change.fact.to_string()) {
                let edges = |generation: u64| -> Result<Vec<Edge>, Error> {
                    let fact: Option<Fact> = self.view(generation).get(&change.fact.to_string())?;
                    Ok(fact.map(|fact| fact.edges).unwrap_or_default())
                };
                (now.before, now.after) =
                    (edges(change.generation.saturating_sub(1))?, edges(change.generation)?);
                now.change = match (now.before.is_empty(), now.after.is_empty()) {
                    (true, false) => ChangeKind::Added,
                    (false, true) => ChangeKind::Retracted,
                    _ if now.change == ChangeKind::Revived => ChangeKind::Revived,
                    _ => ChangeKind::Changed,
                };
            }
            let unchanged = now.before == now.after;
            if unchanged && change.before != change.after {
                self.take_version(Kind::Change, &id, opened, erasure)?;
            } else if now != change {
                self.rewrite(opened, &now)?;
                erasure.touch(opened, Kind::Change);
            }
        }
        Ok(())
    }

    /// Decisions keep their numbers, and what a person said; what they were about is no more, and neither is what their
    /// reasons quote or name of it.
    fn mend_decisions(&self, traces: &Traces, quotes: &Quotes, erasure: &mut Erasure) -> Result<(), Error> {
        let (view, names) = (self.current()?, Finder::of_names(traces)?);
        let mut told = traces.as_named();
        told.extend(quotes.clone());
        let is_about = |decision: &Decision| {
            decision.question.document.as_ref().is_some_and(|id| traces.documents.contains(id))
        };
        let left_of = |decision: &mut Decision| -> Option<String> {
            unquoted(&names, &told, reason_of(&mut decision.answer)?)
        };
        let mut about = Vec::new();
        view.each(|mut decision: Decision| {
            if is_about(&decision) || left_of(&mut decision).is_some() {
                about.push(decision.id());
            }
            Ok::<(), Error>(())
        })?;
        for id in about {
            for Versioned { opened, mut record, .. } in view.versions::<Decision>(&id)? {
                if let (Some(left), Some(reason)) = (left_of(&mut record), reason_of(&mut record.answer)) {
                    *reason = left;
                }
                if is_about(&record) {
                    if let Some(document) = record.question.document.take() {
                        let hash = Fingerprint::of(&[&document.to_string()]).to_string();
                        let key = format!("purged-{}", &hash[..8]);
                        record.question.document = DocumentId::new(document.source(), &key);
                    }
                    ERASED.clone_into(&mut record.quote);
                }
                self.rewrite(opened, &record)?;
                erasure.touch(opened, Kind::Decision);
            }
        }
        Ok(())
    }

    /// Gives a version of a record another body. Its columns stay.
    pub(super) fn rewrite<R: Record>(&self, opened: u64, record: &R) -> Result<(), Error> {
        let failed = self.failed("mend a record");
        let body = serde_json::to_vec(record).expect("a record is plain data");
        let sql = format!("UPDATE {} SET body = ?3 WHERE id = ?1 AND opened = ?2", R::KIND.name());
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        statement.execute(params![record.id(), opened as i64, body]).map(drop).map_err(failed)
    }

    /// Forgets what is no record: where the files lie, who was called how, and what was asked for since.
    fn forget(&self, traces: &Traces, erasure: &Erasure) -> Result<(), Error> {
        let failed = self.failed("forget a document");
        let sql = "DELETE FROM checkpoint WHERE source = ?1 AND path = ?2";
        let mut statement = self.connection.prepare_cached(sql).map_err(&failed)?;
        for (source, path) in &traces.paths {
            statement.execute([source, path]).map_err(&failed)?;
        }
        // Blocks begin with the path of a file; the next scan makes them again.
        for source in traces.documents.iter().map(DocumentId::source).collect::<BTreeSet<_>>() {
            self.connection.execute("DELETE FROM block WHERE source = ?1", [source]).map_err(&failed)?;
        }
        let sql = "DELETE FROM name WHERE first = ?1 AND whole = ?2 AND claim = ?3";
        let mut statement = self.connection.prepare_cached(sql).map_err(&failed)?;
        for row in &erasure.names {
            statement.execute(params![row.0, row.1, row.2]).map_err(&failed)?;
        }
        for request in self.requests()? {
            // Who accepts or judges something else may give it as the reason.
            let about = match &request.body {
                RequestBody::Decide { question, .. } => question.document.as_ref().map(DocumentId::to_string),
                RequestBody::Retract { document, .. } => Some(document.clone()),
                RequestBody::AcceptScope { source, prefix, .. } => Some(format!("{source}/{prefix}")),
                RequestBody::AcceptFeed { .. } | RequestBody::AcceptFinding { .. } => None,
            };
            if about.is_some_and(|about| traces.documents.iter().any(|id| id.to_string() == about)) {
                self.connection
                    .execute("DELETE FROM request WHERE number = ?1", [request.number])
                    .map_err(&failed)?;
            }
        }
        Ok(())
    }

    /// Leaves a redaction in each generation that was touched, and computes the digests from the first of them on.
    fn redact(&self, act: u64, erasure: &Erasure) -> Result<(), Error> {
        let failed = self.failed("redact a generation");
        let Some(first) = erasure.touched.keys().next().copied() else { return Ok(()) };
        let (mut previous, mut missing) = (String::new(), Digest::default());
        let sql = "UPDATE generation SET state_digest = ?2, history_digest = ?3 WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(&failed)?;
        for generation in self.generations()? {
            if generation.id < first {
                previous = generation.history_digest;
                continue;
            }
            if let Some(erased) = erasure.touched.get(&generation.id) {
                let (erased, history) = (erased.clone(), generation.history_digest.clone());
                let redaction = Redaction { act, generation: generation.id, erased, history };
                self.insert(generation.id, None, &redaction)?;
            }
            if let Some((went, came)) = erasure.missing.0.get(&generation.id) {
                missing = missing.with(*went).without(*came);
            }
            let corrupt = |why| Error::Corrupt { kind: "generation", id: generation.id.to_string(), why };
            let state: Digest = generation.state_digest.parse().map_err(corrupt)?;
            previous = chain(self, &generation, &previous, &mut |_| Ok(()))?;
            statement
                .execute(params![generation.id as i64, state.without(missing).to_string(), previous])
                .map_err(&failed)?;
        }
        Ok(())
    }

    fn exists(&self, sql: &str, value: &str) -> Result<bool, Error> {
        let failed = self.failed("look for a record");
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.exists([value]))
            .map_err(failed)
    }

    /// What purges took out, by act and generation; nothing in a store of an older format.
    pub fn redactions(&self) -> Result<Vec<Redaction>, Error> {
        if self.format < SINCE { Ok(Vec::new()) } else { self.current()?.all() }
    }

    /// Writes the database anew, so that nothing of what was erased is left in its free pages or in its log. Returns
    /// false if a reader still needs the log: then it is to be done again.
    pub fn compact(&self) -> Result<bool, Error> {
        let failed = self.failed("write the store anew");
        self.connection.execute_batch("VACUUM").map_err(&failed)?;
        let busy: i64 = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(&failed)?;
        Ok(busy == 0)
    }
}

/// A version of a fact without what is erased, if its edges do not rest on that: another assertion that stays says the
/// same, or it only joined what others define.
fn without(fact: &Fact, is_said: &dyn Fn(&AssertionId) -> bool) -> Option<Fact> {
    let (stay, go): (Vec<Attested>, Vec<Attested>) =
        fact.attestations.iter().cloned().partition(|one| is_said(&one.assertion));
    let is_idle = |gone: &Attested| {
        let says_the_same = |one: &Attested| Attested { assertion: gone.assertion, ..one.clone() } == *gone;
        let only_joined = !gone.defines && !gone.ends && gone.claim.properties.is_empty();
        stay.iter().any(says_the_same) || only_joined && stay.iter().any(|one| one.defines)
    };
    go.iter().all(is_idle).then(|| Fact { attestations: stay, ..fact.clone() })
}
