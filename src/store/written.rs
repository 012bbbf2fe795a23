//! What people wrote: texts of theirs that records keep, in which they may have quoted or named a document.
//!
//! A purge looks at them, and takes out of them what they took from the document. Names, keys, days and properties of
//! edits are not among them: these are what the graph says.

use super::erase::Erasure;
use super::record::{DocumentRecord, Kind, OntologyRecord, Record, RowRecord, ScopeRecord};
use super::traces::{Finder, Traces};
use super::view::read_body;
use super::write::{Request, RequestBody, state_line};
use super::{Error, Store};
use crate::model::act::Act;
use crate::model::assertion::Assertion;
use crate::model::decision::{Answer, Decision};
use crate::model::edit::EDITS;
use crate::model::quote::Quotes;

/// A kind of record in which people wrote something.
trait Written: Record {
    /// Which rows may have something of theirs: a condition.
    const WHICH: &'static str = "1";

    /// What they wrote.
    fn written(&mut self) -> Vec<&mut String>;
}

impl Written for OntologyRecord {
    fn written(&mut self) -> Vec<&mut String> {
        vec![&mut self.text]
    }
}

impl Written for ScopeRecord {
    fn written(&mut self) -> Vec<&mut String> {
        self.accepted.iter_mut().collect()
    }
}

/// Rows of edits; all others are what a feed says.
impl Written for RowRecord {
    const WHICH: &'static str = "feed = 'edit'";

    fn written(&mut self) -> Vec<&mut String> {
        let mut texts = Vec::new();
        for (name, text) in &mut self.cells {
            if is_reason(name) {
                texts.push(text);
            }
        }
        texts
    }
}

/// Assertions of edits, whose quotes are their reasons.
impl Written for Assertion {
    const WHICH: &'static str = "feed = 'edit'";

    fn written(&mut self) -> Vec<&mut String> {
        vec![&mut self.evidence.quote]
    }
}

impl Written for Decision {
    fn written(&mut self) -> Vec<&mut String> {
        reason_of(&mut self.answer).into_iter().collect()
    }
}

impl Written for Act {
    fn written(&mut self) -> Vec<&mut String> {
        vec![&mut self.reason]
    }
}

/// Documents that were retracted by command.
impl Written for DocumentRecord {
    const WHICH: &'static str = "instr(CAST(body AS TEXT), '\"retracted\":') > 0";

    fn written(&mut self) -> Vec<&mut String> {
        self.retracted.iter_mut().collect()
    }
}

/// True of the cells of an edit that say why it was made, and nothing of the graph.
fn is_reason(cell: &str) -> bool {
    matches!(cell, "reason" | "ticket")
}

/// What a person wrote in an answer.
pub(super) fn reason_of(answer: &mut Answer) -> Option<&mut String> {
    match answer {
        Answer::Reject { reason } => Some(reason),
        Answer::Approve | Answer::Correct { .. } | Answer::Undo { .. } => None,
    }
}

fn reason_of_request(request: &mut Request) -> Option<&mut String> {
    match &mut request.body {
        RequestBody::Decide { answer, .. } => reason_of(answer),
        RequestBody::AcceptFeed { reason, .. }
        | RequestBody::AcceptScope { reason, .. }
        | RequestBody::AcceptFinding { reason, .. }
        | RequestBody::Retract { reason, .. } => Some(reason),
    }
}

/// A version of a record in which people wrote something.
struct Version<R> {
    opened: u64,
    closed: Option<u64>,
    body: Vec<u8>,
    record: R,
}

impl Store {
    /// Calls `look` for every text that people wrote and that is kept, in any generation and in requests that wait.
    /// Linear in ontologies, scopes, edits, decisions and acts, and in the rows of documents, of which it reads those
    /// that were retracted.
    pub fn each_written<E: From<Error>>(&self, look: &mut dyn FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        self.look_at::<OntologyRecord, E>(look)?;
        self.look_at::<ScopeRecord, E>(look)?;
        self.look_at::<RowRecord, E>(look)?;
        self.look_at::<Assertion, E>(look)?;
        self.look_at::<Decision, E>(look)?;
        self.look_at::<Act, E>(look)?;
        self.look_at::<DocumentRecord, E>(look)?;
        for mut request in self.requests()? {
            reason_of_request(&mut request).map_or(Ok(()), |reason| look(reason))?;
        }
        Ok(())
    }

    /// Calls `look` for every cell of an edit that says something of the graph, with the number of the edit.
    pub fn each_said_by_hand<E: From<Error>>(
        &self,
        look: &mut dyn FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.versions_with(|version: Version<RowRecord>| {
            let cells = version.record.cells.iter().filter(|(name, _)| !is_reason(name));
            cells.map(|(_, text)| text).try_for_each(|text| look(&version.record.key, text))
        })
    }

    fn look_at<R: Written, E: From<Error>>(
        &self,
        look: &mut dyn FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.versions_with(|mut version: Version<R>| {
            version.record.written().into_iter().try_for_each(|text| look(text))
        })
    }

    fn versions_with<R: Written, E: From<Error>>(
        &self,
        mut each: impl FnMut(Version<R>) -> Result<(), E>,
    ) -> Result<(), E> {
        debug_assert_eq!(EDITS, "edit", "the conditions name the feed of edits");
        // An older format has no acts.
        if R::KIND == Kind::Act && !self.has_acts() {
            return Ok(());
        }
        let failed = self.failed("read what people wrote");
        let sql = format!("SELECT id, opened, closed, body FROM {} WHERE {}", R::KIND.name(), R::WHICH);
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id: String = row.get(0).map_err(&failed)?;
            let opened: i64 = row.get(1).map_err(&failed)?;
            let closed: Option<i64> = row.get(2).map_err(&failed)?;
            let body: Vec<u8> = row.get(3).map_err(&failed)?;
            let record: R = read_body(&id, &body)?;
            let (opened, closed) = (opened as u64, closed.map(|closed| closed as u64));
            each(Version { opened, closed, body, record })?;
        }
        Ok(())
    }

    /// Takes out of what people wrote what they quoted of a document, and what names it: `told` by its words, since the
    /// text of an ontology is put anew by each run, which knows names so. Decisions are left out.
    pub(super) fn mend_written(
        &self,
        traces: &Traces,
        quotes: &Quotes,
        erasure: &mut Erasure,
    ) -> Result<(), Error> {
        let names = Finder::of_names(traces)?;
        let mut told = traces.as_named();
        told.extend(quotes.clone());
        let without = |text: &str| unquoted(&names, &told, text);
        self.mend::<OntologyRecord>(&|text| told.without(text), erasure)?;
        self.mend::<ScopeRecord>(&without, erasure)?;
        self.mend::<RowRecord>(&without, erasure)?;
        self.mend::<Assertion>(&without, erasure)?;
        self.mend::<Act>(&without, erasure)?;
        self.mend::<DocumentRecord>(&without, erasure)?;
        for mut request in self.requests()? {
            let number = request.number;
            let Some(reason) = reason_of_request(&mut request) else { continue };
            let Some(left) = without(reason) else { continue };
            *reason = left;
            let body = serde_json::to_string(&request).expect("a request is plain data");
            self.connection
                .execute("UPDATE request SET body = ?2 WHERE number = ?1", rusqlite::params![number, body])
                .map_err(self.failed("mend a request"))?;
        }
        Ok(())
    }

    fn mend<R: Written>(
        &self,
        without: &dyn Fn(&str) -> Option<String>,
        erasure: &mut Erasure,
    ) -> Result<(), Error> {
        let mut mended = Vec::new();
        self.versions_with(|mut version: Version<R>| {
            let mut is_mended = false;
            for text in version.record.written() {
                if let Some(left) = without(text) {
                    *text = left;
                    is_mended = true;
                }
            }
            if is_mended {
                mended.push(version);
            }
            Ok::<(), Error>(())
        })?;
        for Version { opened, closed, body, record } in mended {
            self.rewrite(opened, &record)?;
            erasure.touch(opened, R::KIND);
            if R::KIND.is_state() {
                let is = serde_json::to_vec(&record).expect("a record is plain data");
                let line = |body: &[u8]| state_line(R::KIND, &record.id(), body);
                erasure.mended((opened, closed), line(&body), line(&is));
            }
        }
        Ok(())
    }
}

/// A text without what it quotes and names; `None` if that is nothing.
pub(super) fn unquoted(names: &Finder, quotes: &Quotes, text: &str) -> Option<String> {
    let quoted = quotes.without(text);
    let named = names.without(quoted.as_deref().unwrap_or(text));
    named.or(quoted)
}
