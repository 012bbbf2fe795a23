//! How each source and feed of a run's jobs stands, as a value: `runs/<id>/sources.json`.

use crate::store::ScopeRecord;

use super::Error;
use super::freshness::{hours_between, withdrawals};
use super::report::{SourceReport, SourcesReport, contract};
use super::session::Session;

/// How the sources and feeds stand that this run looked at, by name.
pub(super) fn report(session: &Session<'_>) -> Result<SourcesReport, Error> {
    let mut sources = Vec::new();
    for found in &session.report.inputs {
        let Some((job, path, fresh_within)) = declared(session, &found.kind, &found.name) else { continue };
        let scope: Option<ScopeRecord> = session.writer.view().get(&found.name)?;
        let accepted = scope.as_ref().is_some_and(|scope| scope.content.is_some());
        let of_feed = || contract(&found.why, accepted).to_owned();
        let last_change = scope.and_then(|scope| scope.changed_at);
        let age = last_change.as_ref().and_then(|at| hours_between(at, &session.options.now));
        let withdrawn = withdrawals(session, &found.name)?;
        sources.push(SourceReport {
            withdrawn: withdrawn.map_or(0, |withdrawn| withdrawn.count),
            withdrawn_hours: withdrawn.and_then(|withdrawn| withdrawn.hours),
            job,
            path,
            last_read: session.options.now.clone(),
            last_change,
            contract: (found.kind == "feed").then(of_feed),
            fresh_within,
            stale: age.zip(fresh_within).is_some_and(|(age, limit)| age > u64::from(limit)),
            found: found.clone(),
        });
    }
    sources.sort_by(|one, other| one.found.name.cmp(&other.found.name));
    Ok(SourcesReport { version: 1, run: session.report.run.clone(), sources })
}

/// The job in which a source or feed stands, its path, and how long it may stay as it is.
fn declared(session: &Session<'_>, kind: &str, name: &str) -> Option<(String, String, Option<u32>)> {
    session.setup.jobs.iter().find_map(|job| {
        let (path, fresh_within) = if kind == "feed" {
            let feed = job.feeds.get(name)?;
            (&feed.path, feed.fresh_within)
        } else {
            let source = job.sources.get(name)?;
            (&source.path, source.fresh_within)
        };
        Some((job.name.clone(), path.clone(), fresh_within))
    })
}
