//! Documents that are gone, or are another one now: what is declared of them ends, stays or never was.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::settle_claims;
use super::yields;
use crate::model::assertion::{Assertion, Left};
use crate::model::cause::Cause;
use crate::model::decision::{Decision, Question};
use crate::model::id::DocumentId;
use crate::model::job::{Gone, Source};
use crate::model::time::Date;
use crate::run::Error;
use crate::run::register::Registers;
use crate::run::session::Session;
use crate::run::setup::Reader;
use crate::store::{DocumentRecord, Extraction, Kind};

/// What becomes of what a document said that is gone.
enum Ends {
    /// It never held.
    Never,
    /// It stays.
    Stays,
    /// It ends on a day, for this reason.
    On(Date, String),
}

/// A document is gone: what that means is declared. It ends on the day that its row of the register names, else
/// on the day on which it was seen to be gone.
fn what_gone_means(
    session: &Session<'_>,
    record: &DocumentRecord,
    source: &Source,
    reader: &Reader,
    registers: &Registers<'_>,
) -> Result<Ends, Error> {
    let id = &record.document;
    let column = match &source.gone {
        Gone::Retract => return Ok(Ends::Never),
        Gone::Keep => return Ok(Ends::Stays),
        Gone::Expire { date } => date.as_ref(),
    };
    let on = match column {
        Some(column) => registers.day(source, &record.path, column, reader.language)?,
        None => None,
    };
    Ok(match on {
        Some(on) => Ends::On(on, format!("{id} is gone, and the register ends it on {on}")),
        None => {
            Ends::On(session.options.today, format!("{id} was seen to be gone on {}", session.options.today))
        }
    })
}

/// A document is gone, or is another one now. What is gone of a source that is declared no more never held.
pub(super) fn remove(
    session: &mut Session<'_>,
    id: &DocumentId,
    declared: Option<(&Source, &Reader)>,
    registers: &Registers<'_>,
    moved_to: Option<&DocumentId>,
) -> Result<(), Error> {
    let record: Option<DocumentRecord> = session.writer.view().get(&id.to_string())?;
    let gone = match (declared, record) {
        (Some((source, reader)), Some(record)) => {
            what_gone_means(session, &record, source, reader, registers)?
        }
        (..) => Ends::Never,
    };
    match (gone, moved_to) {
        (_, Some(to)) => {
            repoint_decisions(session, id, to)?;
            close(session, id, None, Cause::Moved, &format!("{id} is now {to}"))
        }
        (Ends::Stays, None) => Ok(()),
        (ends, None) => {
            *session.withdrawals.entry(id.source().to_owned()).or_insert(0) += 1;
            let on = if let Ends::On(on, why) = ends { Some((on, why)) } else { None };
            close(session, id, on, Cause::DocumentGone, &id.to_string())
        }
    }
}

/// Closes a document with all that was read in it; with an end, what it said ends then and stays attested.
pub(in crate::run) fn close(
    session: &mut Session<'_>,
    id: &DocumentId,
    ends: Option<(Date, String)>,
    cause: Cause,
    detail: &str,
) -> Result<(), Error> {
    let Some(record) = session.writer.view().get::<DocumentRecord>(&id.to_string())? else { return Ok(()) };
    let ends = ends.map(|(on, why)| Left { on, why, dated: record.dated });
    let assertions: Vec<Assertion> = session.writer.view().by("document", &id.to_string())?;
    if cause != Cause::Moved {
        yields::note_gone(session, id, &assertions);
    }
    for assertion in &assertions {
        match &ends {
            None => session.remove_assertion(assertion, cause, detail)?,
            Some(ends) => {
                let left = Some(assertion.left.clone().unwrap_or_else(|| ends.clone()));
                let left = Assertion { left, ..assertion.clone() };
                session.writer.put(&left)?;
                session.touch(&left, cause, detail)?;
            }
        }
    }
    session.changed_sources.insert(id.source().to_owned());
    settle_claims(session, id, BTreeMap::new())?;
    for part in &record.chunks {
        session.writer.close(Kind::Extraction, &Extraction::id_of(id, part.id, part.occurrence))?;
    }
    session.writer.close(Kind::Document, &id.to_string())?;
    Ok(())
}

/// Decisions follow a document to its new name.
fn repoint_decisions(session: &Session<'_>, from: &DocumentId, to: &DocumentId) -> Result<(), Error> {
    let assertions: Vec<Assertion> = session.writer.view().by("document", &from.to_string())?;
    let mut facts: BTreeSet<String> =
        assertions.iter().map(|assertion| Question::of(assertion).fact.to_string()).collect();
    // A rejected assertion may be gone for other reasons; its decision follows all the same.
    facts.extend(
        session
            .writer
            .view()
            .all::<Decision>()?
            .into_iter()
            .filter(|decision| decision.question.document.as_ref() == Some(from))
            .map(|decision| decision.question.fact.to_string()),
    );
    for fact in facts {
        let log: Vec<Decision> = session.writer.view().by("fact", &fact)?;
        for mut decision in
            log.into_iter().filter(|decision| decision.question.document.as_ref() == Some(from))
        {
            decision.question.document = Some(to.clone());
            session.writer.put(&decision)?;
        }
    }
    Ok(())
}
