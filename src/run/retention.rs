//! Retention: reports that are older than their jobs declare go. What goes is decided as a value, then removed.
//!
//! Nothing is deletable that was not declared so. A report stays, however old it is,
//! 1. while one of the jobs that ran declares no retention, or a longer one;
//! 2. if it is one of the last [`LAST`] reports, from which runs are listed, told and compared;
//! 3. if its run is held, or published the generation that readers see.

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, Place};
use crate::model::job::Job;
use crate::store::Store;

use super::freshness::hours_between;
use super::once::Options;
use super::past::{self, second_of};
use super::{Error, RunReport, Workspace};

/// So many reports stay whatever is declared.
const LAST: usize = 100;

/// So many old reports that stay are looked at in a run, others the next day: what may go behind them goes some days
/// later, and a night does not read all that was ever left.
const LOOKED_AT: usize = 200;

/// For how many hours the reports of each job stay; `None` for good.
pub(super) type Declared = BTreeMap<String, Option<u32>>;

/// What the jobs of a workspace declare.
pub(super) fn declared(jobs: &[Job]) -> Declared {
    jobs.iter().map(|job| (job.name.clone(), job.retention.reports)).collect()
}

/// How long what several jobs had a part in stays: as long as the one that wants it longest, and for good if one wants
/// that or is not known any more.
fn longest<'j>(declared: &Declared, jobs: impl IntoIterator<Item = &'j str>) -> Option<u32> {
    let each = jobs.into_iter().map(|job| declared.get(job).copied().flatten());
    each.collect::<Option<Vec<u32>>>()?.into_iter().max()
}

/// When the run or edit with this id began, as an RFC 3339 time; `None` if it is no such id.
fn began(id: &str) -> Option<String> {
    let digits = second_of(id);
    if digits.len() != 14 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    let (date, time) = ((part(0, 4), part(4, 6), part(6, 8)), (part(8, 10), part(10, 12), part(12, 14)));
    Some(format!("{}-{}-{}T{}:{}:{}Z", date.0, date.1, date.2, time.0, time.1, time.2))
}

/// The ids, in their order, whose age is above a number of hours, without the last ones.
fn older<'i>(ids: &'i [String], hours: u32, now: &str) -> impl Iterator<Item = &'i String> {
    let deletable = ids.len().saturating_sub(LAST);
    let now = now.to_owned();
    let is_old = move |id: &&String| {
        let age = began(id).and_then(|began| hours_between(&began, &now));
        age.is_some_and(|age| age > u64::from(hours))
    };
    ids.iter().take(deletable).filter(is_old)
}

/// The ids from where a day begins, around to there: each day begins behind what the day before it may have looked at.
fn from_today<'i>(ids: &[&'i String], now: &str) -> Vec<&'i String> {
    let days = hours_between("1970-01-01T00:00:00Z", now).unwrap_or_default() / 24;
    let first = (days as usize).wrapping_mul(LOOKED_AT).checked_rem(ids.len()).unwrap_or_default();
    ids.iter().cycle().skip(first).take(ids.len()).copied().collect()
}

/// Removes the reports whose time is over, and returns how many folders that were. Of an old report it is read which
/// jobs ran, until [`LOOKED_AT`] have to stay; beyond that the names of the folders are listed once.
pub(super) fn prune(
    workspace: &Workspace,
    store: &Store,
    declared: &Declared,
    options: &Options,
) -> Result<(u64, Vec<Diagnostic>), Error> {
    let Some(shortest) = declared.values().flatten().min().copied() else { return Ok((0, Vec::new())) };
    let stays: Vec<String> =
        [store.last_held()?.map(|held| held.run), store.generations()?.pop().map(|last| last.run)]
            .into_iter()
            .flatten()
            .collect();
    let (mut removed, mut kept, mut problems) = (0, 0, Vec::new());
    let ids = past::all_ids(workspace)?;
    let old: Vec<&String> = older(&ids, shortest, &options.now).collect();
    for id in from_today(&old, &options.now) {
        if kept >= LOOKED_AT {
            break;
        }
        kept += 1;
        // One that cannot be read says nothing of whose it is.
        let Ok(report) = past::run_report(workspace, id) else { continue };
        // An edit is nobody's: it stays as long as what stays longest.
        let ran: Vec<&str> = report.iter().flat_map(RunReport::jobs).collect();
        let hours = if ran.is_empty() {
            longest(declared, declared.keys().map(String::as_str))
        } else {
            longest(declared, ran)
        };
        let age = began(id).and_then(|began| hours_between(&began, &options.now));
        let is_over = hours.is_some_and(|hours| age.is_some_and(|age| age > u64::from(hours)));
        if !is_over || stays.contains(id) {
            continue;
        }
        let folder = workspace.run_folder(id);
        match std::fs::remove_dir_all(&folder) {
            Ok(()) => (removed, kept) = (removed + 1, kept - 1),
            Err(error) => {
                let message = format!("its time is over, and it cannot be removed: {error}");
                let place = Place::file(folder.display().to_string());
                problems.push(Diagnostic::warning("retention-failed", place, message));
            }
        }
    }
    Ok((removed, problems))
}

/// What is said if nothing could be looked through: the run itself has been published.
pub(super) fn failed(workspace: &Workspace, error: &Error) -> Diagnostic {
    let place = Place::file(workspace.runs().display().to_string());
    Diagnostic::warning("retention-failed", place, format!("old reports cannot be looked for: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_stays_as_long_as_the_job_that_wants_it_longest() {
        let declared = [("a", Some(24)), ("b", Some(48)), ("c", None)];
        let declared = declared.into_iter().map(|(job, hours)| (job.to_owned(), hours)).collect();
        assert_eq!(longest(&declared, ["a"]), Some(24));
        assert_eq!(longest(&declared, ["a", "b"]), Some(48));
        assert_eq!(longest(&declared, ["a", "c"]), None);
        assert_eq!(longest(&declared, ["a", "gone"]), None);
    }

    #[test]
    fn day_by_day_each_old_report_is_looked_at() {
        let ids: Vec<String> = (0..3 * LOOKED_AT + 7).map(|at| at.to_string()).collect();
        let ids: Vec<&String> = ids.iter().collect();
        let mut seen = std::collections::BTreeSet::new();
        for day in 1..=5 {
            let today = from_today(&ids, &format!("2026-06-{day:02}T02:00:00Z"));
            assert_eq!(today.len(), ids.len(), "what may go goes, however much it is");
            seen.extend(today.into_iter().take(LOOKED_AT));
        }
        assert_eq!(seen.len(), ids.len());
        assert!(from_today(&[], "2026-06-01T02:00:00Z").is_empty());
    }

    #[test]
    fn the_last_reports_stay_however_old_they_are_and_names_that_are_none_are_left_alone() {
        let mut ids: Vec<String> = (0..LAST).map(|at| format!("20260101000000-{at:08}")).collect();
        ids.insert(0, "20251231120000-00000000".to_owned());
        ids.insert(0, "20251231115959-00000000".to_owned());
        ids.insert(0, "notes".to_owned());
        let found: Vec<&String> = older(&ids, 24, "2026-01-01T12:00:00Z").collect();
        assert_eq!(found, ["20251231115959-00000000"]);
        assert!(
            older(&ids, 24, "2020-01-01T12:00:00Z").next().is_none(),
            "a clock that went back removes nothing"
        );
    }
}
