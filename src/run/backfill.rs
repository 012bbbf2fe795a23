//! Backfills: a run for an earlier day overrules nothing that was read for a later one.
//!
//! An input that is read as a whole (a folder, a snapshot of a feed) says everything about its day, so one that was
//! read for a later day is passed over. Changes of a feed say something about single rows: those whose last change is
//! of a later day stay as they are, the others are taken. Without a logical date nothing of this applies.

use crate::diag::{Diagnostic, Place, either};
use crate::model::job::Feed;
use crate::source::feed::FeedRead;
use crate::store::{Kind, Record, RowRecord};

use super::Error;
use super::once::Options;
use super::report::InputReport;
use super::session::Session;

/// The day for which a run's generation is made, if its recorded time does not say it: the day of a workspace's zone may
/// be another than that of the clock.
pub(super) fn made_for(options: &Options) -> Option<String> {
    let today = options.today.to_string();
    (options.logical_date.is_some() || !options.now.starts_with(&today)).then_some(today)
}

/// The later day for which an input was read already, if this run is made for an earlier one.
pub(super) fn read_for_later(session: &Session<'_>, input: &str) -> Result<Option<String>, Error> {
    let Some(day) = session.options.logical_date.filter(|_| !crate::model::sabotage::is_off("backfill"))
    else {
        return Ok(None);
    };
    let read = session.writer.view().store().read_for(input)?;
    Ok(read.filter(|read| *read > day.to_string()))
}

/// Notes that an input was read for the day of this run.
pub(super) fn note_read(session: &Session<'_>, input: &str) -> Result<(), Error> {
    Ok(session.writer.stage_day(input, &session.options.today.to_string(), &session.options.now)?)
}

/// What is reported of an input that is passed over.
pub(super) fn pass_over(
    session: &mut Session<'_>,
    (name, kind, path): (&str, &str, &str),
    items: u64,
    later: &str,
) {
    let day = session.options.today;
    let message = format!("it was read for {later}, and this run is made for {day}: it stays as it is");
    session.diagnostics.push(
        Diagnostic::note("logical-date-passed", Place::file(path), message)
            .hint("a run without `--logical-date` reads what is there now"),
    );
    session.report.inputs.push(InputReport {
        name: name.to_owned(),
        kind: kind.to_owned(),
        state: "later".to_owned(),
        items,
        added: 0,
        changed: 0,
        gone: 0,
        not_selected: 0,
        withheld: 0,
        unproven: Vec::new(),
        why: Vec::new(),
    });
}

/// Takes those changes out of what was read of a feed that are about rows which were changed for a later day than the
/// one for which this run is made, if it is for one, and returns true if there were such changes: for a later day the file
/// has not been read then. Looks up the last version of each of these rows.
pub(super) fn keep_later_rows(
    session: &mut Session<'_>,
    feed: &Feed,
    read: &mut FeedRead,
) -> Result<bool, Error> {
    if read.changes.is_none() || session.options.logical_date.is_none() {
        return Ok(false);
    }
    let store = session.writer.view().store();
    let days = store.days()?;
    let day = session.options.today.to_string();
    let is_later = |key: &str| -> Result<bool, Error> {
        let id =
            RowRecord { feed: feed.name.clone(), key: key.to_owned(), line: 0, cells: Default::default() }
                .id();
        let last = store.last_touched(Kind::Row, &id)?;
        Ok(last.and_then(|last| days.get(&last)).is_some_and(|last| *last > day))
    };
    let mut kept = 0;
    for row in std::mem::take(&mut read.rows) {
        if is_later(&row.key)? {
            kept += 1;
        } else {
            read.rows.push(row);
        }
    }
    if let Some(changes) = &mut read.changes {
        for (key, line) in std::mem::take(&mut changes.removed) {
            if is_later(&key)? {
                kept += 1;
            } else {
                changes.removed.insert(key, line);
            }
        }
        for key in std::mem::take(&mut changes.deselected) {
            if is_later(&key)? {
                kept += 1;
            } else {
                changes.deselected.insert(key);
            }
        }
    }
    if kept > 0 {
        let were = either(kept, "row was", "rows were");
        let stay = if kept == 1 { "stays as it is" } else { "stay as they are" };
        let message = format!("{were} changed for a later day than {day}, and {stay}");
        session.diagnostics.push(Diagnostic::note("logical-date-passed", Place::file(&feed.path), message));
    }
    Ok(kept > 0)
}
