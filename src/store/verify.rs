//! Verifying: the rows against one another and against the digests, without trusting any of them.

use std::collections::BTreeSet;

use rusqlite::params;

use super::changelog::{chain, columns_of};
use super::digest::Digest;
use super::record::{ChunkRecord, DocumentRecord, Extraction, Kind, Record};
use super::tally;
use super::view::{View, unpack};
use super::write::state_line;
use super::{Error, Store};
use crate::diag::json_fault;
use crate::model::assertion::{Assertion, Origin};
use crate::model::chunk::Chunk;
use crate::model::fact::{Fact, Quarantined};

/// Something that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Fault {
    /// The stable name of the kind of fault.
    pub name: &'static str,
    /// Where.
    pub at: String,
    /// What is wrong, for people.
    pub message: String,
}

impl Fault {
    /// Makes a fault.
    pub fn new(name: &'static str, at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name, at: at.into(), message: message.into() }
    }
}

/// Checks everything that the rows alone can show. Linear in the store; holds one record at a time.
pub fn verify(store: &Store) -> Result<Vec<Fault>, Error> {
    let mut faults = Vec::new();
    // What SQLite finds wrong with its own pages and indexes; nothing below can be believed before that is mended.
    let failed = store.failed("check the database");
    let mut statement = store.connection.prepare("PRAGMA integrity_check(20)").map_err(&failed)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    while let Some(row) = rows.next().map_err(&failed)? {
        let said: String = row.get(0).map_err(&failed)?;
        if said != "ok" {
            let hint = "move `.edgewright/graph.db` away and `edgewright replay .` rebuilds it";
            faults.push(Fault::new(
                "database-damaged",
                ".edgewright/graph.db",
                format!("{}; {hint}", said.trim()),
            ));
        }
    }
    if !faults.is_empty() {
        return Ok(faults);
    }
    let published = store.published()?;
    // What a held run wrote is there on purpose.
    let written = published + u64::from(store.held()?.is_some());
    for kind in Kind::ALL {
        rows_read_back(store, kind, written, &mut faults)?;
    }
    if faults.is_empty() {
        // The checks below read typed records, which only makes sense once each reads back.
        let view = store.view(published);
        references(&view, &mut faults)?;
        tallies(store, &view, &mut faults)?;
        checkpoints(store, &view, &mut faults)?;
        store.unnoted_names(|claim, name| {
            let message = format!("`{name}` does not find it");
            faults.push(Fault::new("name-lost", claim.id(), message));
        })?;
    }
    digests(store, &mut faults)?;
    faults.sort();
    Ok(faults)
}

/// Every row reads back, its columns say what its body says, and its versions do not overlap.
fn rows_read_back(store: &Store, kind: Kind, written: u64, faults: &mut Vec<Fault>) -> Result<(), Error> {
    let table = kind.name();
    let failed = store.failed("verify the rows");
    let columns: String = kind.columns().iter().map(|column| format!(", {column}")).collect();
    let sql = format!("SELECT id, opened, closed, body{columns} FROM {table} ORDER BY id, opened");
    let mut statement = store.connection.prepare(&sql).map_err(&failed)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    let mut last: Option<(String, Option<i64>)> = None;
    while let Some(row) = rows.next().map_err(&failed)? {
        let id: String = row.get(0).map_err(&failed)?;
        let opened: i64 = row.get(1).map_err(&failed)?;
        let closed: Option<i64> = row.get(2).map_err(&failed)?;
        let body: Vec<u8> = row.get(3).map_err(&failed)?;
        let at = format!("{table} {id}");
        if opened as u64 > written || closed.is_some_and(|closed| closed as u64 > written) {
            faults.push(Fault::new(
                "unpublished-rows",
                &at,
                "belongs to a generation that was never published; the next `edgewright run` sweeps what a killed run left",
            ));
        }
        let overlaps = matches!(&last, Some((before, until)) if *before == id && until.is_none_or(|until| until > opened));
        if overlaps || closed.is_some_and(|closed| closed <= opened) {
            faults.push(Fault::new("versions-overlap", &at, "two versions stand in one generation"));
        }
        let json = unpack(kind, &body)
            .and_then(|json| String::from_utf8(json.into_owned()).map_err(|error| error.to_string()));
        let columns = json.and_then(|json| columns_of(kind, &json).map_err(|error| json_fault(&error)));
        match columns {
            Err(why) => faults.push(Fault::new("record-unreadable", &at, why)),
            Ok(columns) => {
                for (column, expected) in columns.iter().enumerate() {
                    let found: Option<String> = row.get(column + 4).map_err(&failed)?;
                    if found != *expected {
                        let name = kind.columns().get(column).copied().unwrap_or_default();
                        faults.push(Fault::new(
                            "lookup-differs",
                            &at,
                            format!("the column `{name}` differs from the body"),
                        ));
                    }
                }
            }
        }
        last = Some((id, closed));
    }
    Ok(())
}

/// The tallies are what counting gives. Holds the keys of entities.
fn tallies(store: &Store, view: &View<'_>, faults: &mut Vec<Fault>) -> Result<(), Error> {
    let counted = tally::counted(view)?;
    let kept = store.tally()?;
    let all: BTreeSet<_> = counted.keys().chain(kept.keys()).collect();
    for what in all {
        let (counted, kept) = (counted.get(what).unwrap_or(&0), kept.get(what).unwrap_or(&0));
        if counted != kept {
            let at = format!("{} {}", what.0, what.1);
            faults.push(Fault::new(
                "tally-differs",
                at.trim(),
                format!("{kept} are noted and {counted} are there"),
            ));
        }
    }
    Ok(())
}

/// Each document stands in the checkpoint of its path: else a night would not see that its file changed.
fn checkpoints(store: &Store, view: &View<'_>, faults: &mut Vec<Fault>) -> Result<(), Error> {
    view.each(|document: DocumentRecord| {
        if !store.is_held(&document)? {
            let message = "the checkpoint of its path says otherwise";
            faults.push(Fault::new("checkpoint-differs", document.id(), message));
        }
        Ok::<(), Error>(())
    })
}

/// What one record says of another is so.
fn references(view: &View<'_>, faults: &mut Vec<Fault>) -> Result<(), Error> {
    view.each(|chunk: ChunkRecord| {
        if Chunk::id_of(&chunk.body) != chunk.id {
            faults.push(Fault::new(
                "chunk-differs",
                chunk.id.to_string(),
                "the text is not the one that its id hashes",
            ));
        }
        Ok::<(), Error>(())
    })?;
    view.each(|document: DocumentRecord| {
        let mut held = BTreeSet::new();
        for chunk in &document.chunks {
            if view.get::<ChunkRecord>(&chunk.id.to_string())?.is_none() {
                faults.push(Fault::new(
                    "chunk-missing",
                    document.id(),
                    format!("the chunk {} is missing", chunk.id),
                ));
            }
            held.insert(Extraction::id_of(&document.document, chunk.id, chunk.occurrence));
        }
        let extracted: BTreeSet<String> =
            view.ids_by(Kind::Extraction, "document", &document.id())?.into_iter().collect();
        if held != extracted {
            faults.push(Fault::new(
                "extraction-missing",
                document.id(),
                "not every chunk of it was extracted, or more",
            ));
        }
        Ok::<(), Error>(())
    })?;
    view.each(|assertion: Assertion| assertion_stands(view, &assertion, faults))?;
    view.each(|fact: Fact| {
        if fact.edges.is_empty() || fact.attestations.is_empty() {
            faults.push(Fault::new(
                "fact-unattested",
                fact.id.to_string(),
                "has no edge or nothing that attests it",
            ));
        }
        for attested in &fact.attestations {
            if view.get::<Assertion>(&attested.assertion.to_string())?.is_none() {
                let message = format!("rests on the assertion {}, which is missing", attested.assertion);
                faults.push(Fault::new("attestation-missing", fact.id.to_string(), message));
            }
        }
        for pair in fact.edges.windows(2) {
            if pair[0].interval.touches(&pair[1].interval) || pair[0].interval >= pair[1].interval {
                faults.push(Fault::new(
                    "edges-disordered",
                    fact.id.to_string(),
                    "its edges touch or are out of order",
                ));
            }
        }
        if Assertion::fact_id(&fact.subject, &fact.edge_type, &fact.object, &fact.identity) != fact.id {
            faults.push(Fault::new(
                "fact-differs",
                fact.id.to_string(),
                "says something else than its id hashes",
            ));
        }
        Ok::<(), Error>(())
    })?;
    view.each(|quarantined: Quarantined| {
        if view.get::<Assertion>(&quarantined.assertion.to_string())?.is_none() {
            let at = quarantined.assertion.to_string();
            faults.push(Fault::new("quarantine-dangling", at, "the assertion in quarantine is missing"));
        }
        Ok::<(), Error>(())
    })
}

fn assertion_stands(view: &View<'_>, assertion: &Assertion, faults: &mut Vec<Fault>) -> Result<(), Error> {
    let at = assertion.id.to_string();
    let Origin::Chunk { document, chunk, .. } = &assertion.origin else { return Ok(()) };
    // An assertion that has left its document stays attested by the kept old text.
    let current = view.get::<DocumentRecord>(&document.to_string())?;
    if current.is_none() && assertion.left.is_none() {
        faults.push(Fault::new("document-missing", &at, format!("its document {document} is missing")));
    }
    let Some(text) = view.get::<ChunkRecord>(&chunk.to_string())? else {
        faults.push(Fault::new("chunk-missing", &at, format!("its chunk {chunk} is missing")));
        return Ok(());
    };
    if assertion
        .evidence
        .span
        .is_some_and(|span| !quotes(span.of(&text.body.text), &assertion.evidence.quote))
    {
        faults.push(Fault::new("quote-differs", &at, "the span does not slice to the quote"));
    }
    Ok(())
}

/// True if a span's text is the quote, or, for the mapped cells of a table row, holds each of them in it.
fn quotes(text: &str, quote: &str) -> bool {
    text == quote || (quote.contains(" | ") && quote.split(" | ").all(|cell| text.contains(cell)))
}

/// The digests that are written down are the ones that the rows give.
fn digests(store: &Store, faults: &mut Vec<Fault>) -> Result<(), Error> {
    let failed = store.failed("verify the digests");
    let mut previous = String::new();
    let generations = store.generations()?;
    for (at, generation) in generations.iter().enumerate() {
        if generation.id != at as u64 + 1 {
            faults.push(Fault::new(
                "generation-missing",
                generation.id.to_string(),
                "generations do not rise by one",
            ));
        }
        match chain(store, generation, &previous, &mut |_| Ok(())) {
            Ok(history) if history == generation.history_digest => {}
            Ok(_) | Err(Error::Corrupt { .. }) => {
                let at = format!("generation {}", generation.id);
                faults.push(Fault::new("history-digest", at, "the rows do not give its history digest"));
            }
            Err(error) => return Err(error),
        }
        previous.clone_from(&generation.history_digest);
    }
    let Some(last) = generations.last() else { return Ok(()) };
    let mut digest = Digest::default();
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_state()) {
        let sql = format!(
            "SELECT id, body FROM {} WHERE opened <= ?1 AND (closed IS NULL OR closed > ?1)",
            kind.name()
        );
        let mut statement = store.connection.prepare(&sql).map_err(&failed)?;
        let mut rows = statement.query(params![last.id as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let id: String = row.get(0).map_err(&failed)?;
            let body: Vec<u8> = row.get(1).map_err(&failed)?;
            digest.add(&state_line(kind, &id, &body));
        }
    }
    if digest.to_string() != last.state_digest {
        let at = format!("generation {}", last.id);
        faults.push(Fault::new("state-digest", at, "the rows do not give its state digest"));
    }
    Ok(())
}
