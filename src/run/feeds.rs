//! Feeds: what changed in the master data, row by row, since the last accepted snapshot.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::diag::{Diagnostic, Place, Severity, count};
use crate::model::assertion::{Assertion, Left, Origin};
use crate::model::cause::Cause;
use crate::model::entity::EntityClaim;
use crate::model::id::Fingerprint;
use crate::model::job::{Columns, Feed, Gone, Limits};
use crate::source::feed::{self, FeedRead, Meaning, Reach, Row, Unpacking};
use crate::source::folder::{self, Seen};
use crate::store::{Kind, Record, RowRecord, ScopeRecord, View};
use crate::worker::Pool;

use super::Error;
use super::backfill;
use super::changes;
use super::report::InputReport;
use super::session::{Session, means};
use super::setup::Reader;

/// Reads every feed and writes what changed in it.
pub(super) fn read_all(session: &mut Session<'_>, root: &std::path::Path) -> Result<(), Error> {
    let setup = session.setup;
    // Its children have memory that stays when it is given back, so documents have others.
    let pool = Pool::new(means(session.options));
    let unpack = |asked: &Unpacking, bytes, limits: &Limits| pool.unpack(asked, bytes, limits);
    let reach = Reach { root, connections: &session.options.connections, unpack: &unpack };
    for (feed, reader) in setup.feeds() {
        read_one(session, reach, feed, reader)?;
    }
    drop_unconfigured(session)
}

/// A feed is read as a whole and compared row by row; the work after that follows the rows that changed.
fn read_one(session: &mut Session<'_>, reach: Reach<'_>, feed: &Feed, reader: &Reader) -> Result<(), Error> {
    let view = session.writer.view();
    let before: Option<ScopeRecord> = view.get(&feed.name)?;
    let later = backfill::read_for_later(session, &feed.name)?;
    let is_changes = feed.format.operation.is_some() || feed.format.envelope;
    if let Some(later) = later.as_deref().filter(|_| !is_changes) {
        let items = before.as_ref().map_or(0, |scope| scope.rows as u64);
        backfill::pass_over(session, (&feed.name, "feed", &feed.path), items, later);
        return Ok(());
    }
    let config = config_of(feed, reader);
    let known = before.as_ref().map(|scope| scope.columns.as_slice());
    let file = reach.root.join(&feed.path);
    if let Some(scope) = before.as_ref().filter(|scope| scope.config == config)
        && let Some(not_selected) = unread(session, feed, scope, &file)?
    {
        let (name, kind, state) = (feed.name.clone(), "feed".to_owned(), "unchanged".to_owned());
        let (items, unproven, why) = (scope.rows as u64, Vec::new(), Vec::new());
        let report = InputReport {
            name,
            kind,
            state,
            items,
            added: 0,
            changed: 0,
            gone: 0,
            not_selected,
            withheld: 0,
            unproven,
            why,
        };
        session.report.inputs.push(report);
        return backfill::note_read(session, &feed.name);
    }
    let glance = |hash| folder::glance(&file, hash, session.options.now_ns);
    let nobody = Fingerprint::of(&[]);
    let at_first = glance(nobody);
    session.report.cost.external_calls += u64::from(feed.variable().is_some());
    // Who accepts a feed as it is takes its columns as well.
    let takes_columns = feed.columns == Columns::Freeze && session.accepted_feeds.contains_key(&feed.name);
    let evolving = takes_columns.then(|| Feed { columns: Columns::Evolve, ..feed.clone() });
    let contract = evolving.as_ref().unwrap_or(feed);
    let mut read = feed::read(reach, contract, &reader.ontology, known);
    if read.missing && gone_for_good(session, feed, before.as_ref(), &read) {
        read.columns = known.map(<[String]>::to_vec).unwrap_or_default();
        read.diagnostics.clear();
        read.usable = true;
    }
    let same_content = before.as_ref().is_some_and(|scope| scope.content == Some(read.hash));
    let same_config = before.as_ref().is_some_and(|scope| scope.config == config);
    let mut passed = false;
    if !(same_content && same_config) {
        passed = backfill::keep_later_rows(session, feed, &mut read)?;
        changes::apply(session, feed, &reader.ontology, &mut read)?;
    }
    let settled = at_first.is_some() && at_first == glance(nobody);
    // Whether the rows of a database changed its file does not tell.
    let settled = settled && !feed.format.table.is_asked();
    let seen = glance(read.hash).filter(|_| settled && !passed && read.usable && read.diagnostics.is_empty());
    let is_whole = read.changes.is_none();
    let items = if is_whole { read.rows.len() } else { before.as_ref().map_or(0, |scope| scope.rows) };
    let mut report = InputReport {
        name: feed.name.clone(),
        kind: "feed".to_owned(),
        state: "unchanged".to_owned(),
        items: items as u64,
        added: 0,
        changed: 0,
        gone: 0,
        not_selected: read.not_selected as u64,
        withheld: 0,
        unproven: Vec::new(),
        why: Vec::new(),
    };
    session.diagnostics.extend(read.diagnostics.iter().cloned());
    if same_content && same_config && read.usable {
        session.report.inputs.push(report);
        backfill::note_read(session, &feed.name)?;
        return stage(session, feed, seen, read.not_selected);
    }
    if let Some(why) = withheld(session, feed, before.as_ref(), &read) {
        let errors = read.diagnostics.iter().chain(&why).filter(|one| one.severity == Severity::Error);
        report.why = errors.map(|one| format!("{}: {}", one.code, one.message)).collect();
        session.diagnostics.extend(why);
        report.state = "withheld".to_owned();
        session.report.inputs.push(report);
        return Ok(());
    }
    report.state = "read".to_owned();
    let Compared { same, gone } = compare(&view, feed, &read.rows)?;
    for (row, same) in read.rows.iter().zip(same) {
        if same && same_config {
            continue;
        }
        let record = RowRecord {
            feed: feed.name.clone(),
            key: row.key.clone(),
            line: row.line,
            cells: row.cells.to_map(),
        };
        let stood: Option<RowRecord> = session.writer.view().get(&Record::id(&record))?;
        match &stood {
            // A row that had left and is back.
            Some(stood) if stood.line == 0 => report.added += 1,
            Some(stood) if stood.cells == record.cells && same_config => continue,
            Some(stood) if stood.cells == record.cells => {}
            Some(_) => report.changed += 1,
            None => report.added += 1,
        }
        session.writer.put(&record)?;
        let cause = if same_config || stood.is_none() { Cause::FeedRow } else { Cause::Config };
        apply_row(session, feed, reader, row, cause)?;
    }
    for id in gone {
        report.gone += u64::from(remove_row(session, feed, &id)?);
    }
    let accepted = session.accepted_feeds.get(&feed.name).cloned();
    session.writer.put(&ScopeRecord {
        name: feed.name.clone(),
        config,
        // A file of which something was passed over is read again for a later day.
        content: if passed { before.as_ref().and_then(|scope| scope.content) } else { Some(read.hash) },
        rows: read.rows.len(),
        columns: read.columns,
        access: feed.access.clone(),
        changed_at: match &before {
            Some(before) if same_content => before.changed_at.clone(),
            _ => Some(session.options.now.clone()),
        },
        accepted: accepted.or_else(|| before.and_then(|scope| scope.accepted)),
    })?;
    session.report.inputs.push(report);
    backfill::note_read(session, &feed.name)?;
    stage(session, feed, seen, read.not_selected)
}

/// How the rows of a feed stand to the last accepted ones.
struct Compared {
    /// For each row, whether its cells are the accepted ones as they are kept.
    same: Vec<bool>,
    /// The ids of accepted rows that the feed no longer has.
    gone: BTreeSet<String>,
}

/// How the record of a row that left its feed and is kept goes on before its cells.
const LEFT: &[u8] = b"\"line\":0,\"cells\":";

/// Compares rows with the accepted ones in one pass over these, byte by byte: of a large feed hardly anything
/// changes, and what has not changed is not read as JSON.
fn compare(view: &View<'_>, feed: &Feed, rows: &[Row]) -> Result<Compared, Error> {
    let places: HashMap<&str, usize> =
        rows.iter().enumerate().map(|(at, row)| (row.key.as_str(), at)).collect();
    let mut compared = Compared { same: vec![false; rows.len()], gone: BTreeSet::new() };
    let mut cells = Vec::new();
    view.each_json(Kind::Row, "feed", &feed.name, |id, json| {
        let key = id.get(feed.name.len() + 1..).unwrap_or_default();
        let Some(at) = places.get(key) else {
            compared.gone.insert(id.to_owned());
            return;
        };
        cells.clear();
        // The cells are the last that a row's record says.
        let written = serde_json::to_writer(&mut cells, &rows[*at].cells);
        let rest = json.strip_suffix(b"}").and_then(|rest| rest.strip_suffix(cells.as_slice()));
        let stands = |rest: &[u8]| rest.ends_with(b"\"cells\":") && !rest.ends_with(LEFT);
        compared.same[*at] = written.is_ok() && rest.is_some_and(stands);
    })?;
    Ok(compared)
}

/// How many rows of a feed are not selected, if its stamps prove that it is as it was last accepted, when there
/// was nothing to say about it.
fn unread(
    session: &Session<'_>,
    feed: &Feed,
    scope: &ScopeRecord,
    file: &std::path::Path,
) -> Result<Option<u64>, Error> {
    let mut known = None;
    session.writer.checkpoints(&feed.name, "", None, |checkpoint| {
        known = checkpoint.seen.and_then(|kept| {
            let (seen, not_selected) = kept.split_at_checked(folder::PACKED)?;
            Some((Seen::unpack(seen)?, u64::from_le_bytes(not_selected.try_into().ok()?)))
        });
    })?;
    Ok(known
        .filter(|(seen, _)| scope.content == Some(seen.hash) && folder::is_unchanged(file, seen))
        .map(|(_, not_selected)| not_selected))
}

/// Stages what was seen of a feed's file. A feed about which there is something to say is read each night.
fn stage(session: &Session<'_>, feed: &Feed, seen: Option<Seen>, not_selected: usize) -> Result<(), Error> {
    let kept = seen.map(|seen| {
        let mut kept = seen.pack();
        kept.extend((not_selected as u64).to_le_bytes());
        kept
    });
    // One row a feed, whatever its path is: another path has another configuration of the file, not of the feed.
    Ok(session.writer.stage_checkpoint(&feed.name, "", kept.as_deref())?)
}

/// True if a person has said that a feed whose file is missing has no rows any more: for this run, or before.
fn gone_for_good(session: &Session<'_>, feed: &Feed, before: Option<&ScopeRecord>, read: &FeedRead) -> bool {
    let said_before =
        before.is_some_and(|scope| scope.content == Some(read.hash) && scope.accepted.is_some());
    said_before || (before.is_some() && session.accepted_feeds.contains_key(&feed.name))
}

/// Why a feed is withheld: its last accepted snapshot stays in force, and the rest of the run goes on.
fn withheld(
    session: &Session<'_>,
    feed: &Feed,
    before: Option<&ScopeRecord>,
    read: &FeedRead,
) -> Option<Vec<Diagnostic>> {
    if !read.usable {
        return Some(Vec::new());
    }
    let had = before.map_or(0, |scope| scope.rows);
    let accepted = session.accepted_feeds.contains_key(&feed.name);
    if accepted || crate::model::sabotage::is_off("absence-proof") || !feed::shrunk(had, read.rows.len()) {
        return None;
    }
    let rows = count(read.rows.len(), "row");
    let message = format!("the feed `{}` has {rows} and had {had}: it is withheld", feed.name);
    let hint = format!("if this is right: `edgewright accept feed {} --reason …`", feed.name);
    Some(vec![Diagnostic::error("feed-shrunk", Place::file(&feed.path), message).hint(hint)])
}

/// Makes what a row says the only thing that it says.
fn apply_row(
    session: &mut Session<'_>,
    feed: &Feed,
    reader: &Reader,
    row: &Row,
    cause: Cause,
) -> Result<(), Error> {
    let Meaning { entities: claims, readings, diagnostics } = feed::meaning(feed, row);
    session.diagnostics.extend(diagnostics);
    let origin = Origin::Row { feed: feed.name.clone(), row: row.key.clone() };
    let lookup = format!("{}/{}", feed.name, row.key);
    let detail = format!("{}:{} ({})", feed.path, row.line, feed.name);
    session.changed_rows.entry(feed.name.clone()).or_default().insert(row.key.clone());

    let stood: Vec<EntityClaim> = session.writer.view().by("feed", &lookup)?;
    let kept: BTreeSet<String> = claims.iter().map(Record::id).collect();
    for claim in stood.iter().filter(|claim| !kept.contains(&Record::id(*claim))) {
        session.put_claim(&EntityClaim { gone: true, ..claim.clone() })?;
    }
    for claim in claims {
        let before = stood.iter().find(|before| Record::id(*before) == Record::id(&claim));
        let claim = match before {
            Some(before) => claim.after(before, cause != Cause::Config),
            None => claim,
        };
        session.put_claim(&claim)?;
    }

    let mut stood: BTreeMap<String, Assertion> = session
        .writer
        .view()
        .by("feed_row", &lookup)?
        .into_iter()
        .map(|assertion: Assertion| (Record::id(&assertion), assertion))
        .collect();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for reading in readings {
        let occurrence = seen.entry(format!("{reading:?}")).or_insert(0);
        let made = session.assertion(&reader.ontology, reading, &origin, *occurrence)?;
        *occurrence += 1;
        let Some((assertion, created)) = made else { continue };
        for claim in created {
            session.put_claim(&claim)?;
        }
        let same = stood.remove(&Record::id(&assertion)).is_some_and(|before| before == assertion);
        if !same || cause == Cause::Config {
            session.writer.put(&assertion)?;
            session.touch(&assertion, cause, &detail)?;
        }
    }
    for assertion in stood.values() {
        session.remove_assertion(assertion, cause, &detail)?;
    }
    Ok(())
}

/// A row is no longer in a complete snapshot: what that means is declared. False if it left before and is kept.
fn remove_row(session: &mut Session<'_>, feed: &Feed, id: &str) -> Result<bool, Error> {
    let Some(row) = session.writer.view().get::<RowRecord>(id)? else { return Ok(false) };
    if row.line == 0 && feed.gone == Gone::Keep {
        return Ok(false);
    }
    let detail = format!("{} (the row `{}` is gone)", feed.path, row.key);
    session.changed_rows.entry(feed.name.clone()).or_default().insert(row.key.clone());
    let ends = match &feed.gone {
        Gone::Keep => {
            session.writer.put(&RowRecord { line: 0, ..row })?;
            return Ok(true);
        }
        Gone::Retract => None,
        Gone::Expire { date } => {
            let stated = date
                .as_ref()
                .and_then(|column| row.cells.get(column))
                .and_then(|cell| day_of(session, feed, cell));
            Some(stated.unwrap_or(session.options.today))
        }
    };
    session.writer.close(Kind::Row, id)?;
    let assertions: Vec<Assertion> = session.writer.view().by("feed_row", id)?;
    for assertion in &assertions {
        match ends {
            None => session.remove_assertion(assertion, Cause::FeedRow, &detail)?,
            Some(on) => {
                let why = format!("the row left {}", feed.path);
                let left = Assertion { left: Some(Left { on, why, dated: None }), ..assertion.clone() };
                session.writer.put(&left)?;
                session.touch(&left, Cause::FeedRow, &detail)?;
            }
        }
    }
    let claims: Vec<EntityClaim> = session.writer.view().by("feed", id)?;
    for claim in claims {
        session.put_claim(&EntityClaim { gone: true, ..claim })?;
    }
    Ok(true)
}

/// The day on which a row that left says that it ended: an exclusive end.
fn day_of(session: &Session<'_>, feed: &Feed, cell: &str) -> Option<jiff::civil::Date> {
    let day = match &feed.dates.format {
        Some(_) => feed::day(feed, cell.trim())?,
        None => session.plain_day(cell)?,
    };
    if feed.dates.ends_inclusive { day.tomorrow().ok() } else { Some(day) }
}

/// Feeds that are no longer configured stay as they are and say so: absence needs proof.
fn drop_unconfigured(session: &mut Session<'_>) -> Result<(), Error> {
    let scopes: Vec<ScopeRecord> = session.writer.view().all()?;
    if !session.options.jobs.is_empty() {
        return Ok(());
    }
    for scope in scopes.iter().filter(|scope| scope.is_feed() && session.setup.feed(&scope.name).is_none()) {
        let message = format!("the feed `{}` is no longer configured; what it said stays", scope.name);
        let hint = format!("to take it away: `edgewright accept feed {} --reason …`", scope.name);
        if !session.accepted_feeds.contains_key(&scope.name) {
            session
                .diagnostics
                .push(Diagnostic::warning("feed-unconfigured", Place::file("jobs"), message).hint(hint));
            continue;
        }
        remove_feed(session, scope)?;
    }
    Ok(())
}

fn remove_feed(session: &mut Session<'_>, scope: &ScopeRecord) -> Result<(), Error> {
    let detail = format!("the feed `{}` was taken away", scope.name);
    for id in session.writer.view().ids_by(Kind::Row, "feed", &scope.name)? {
        let assertions: Vec<Assertion> = session.writer.view().by("feed_row", &id)?;
        for assertion in &assertions {
            session.remove_assertion(assertion, Cause::Config, &detail)?;
        }
        let claims: Vec<EntityClaim> = session.writer.view().by("feed", &id)?;
        for claim in claims {
            session.put_claim(&EntityClaim { gone: true, ..claim })?;
        }
        session.writer.close(Kind::Row, &id)?;
    }
    session.writer.close(Kind::Scope, &scope.name)?;
    Ok(())
}

/// The fingerprint of everything about a feed that decides what its rows say.
fn config_of(feed: &Feed, reader: &Reader) -> Fingerprint {
    let meaning = Feed { path: String::new(), fresh_within: None, limits: Limits::default(), ..feed.clone() };
    Fingerprint::of(&[&format!("{meaning:?}"), &reader.types_fingerprint().to_string()])
}
