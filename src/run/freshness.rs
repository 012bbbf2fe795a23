//! Freshness: when each source and feed last changed, and which have stayed as they are for too long.

use crate::diag::{self, Diagnostic, Place, either};
use crate::drift::Stale;
use crate::store::ScopeRecord;

use super::Error;
use super::session::Session;

/// Notes that tonight's changed sources changed tonight. Feeds note it where their snapshot is accepted.
pub(super) fn note(session: &Session<'_>) -> Result<(), Error> {
    for source in &session.changed_sources {
        if let Some(scope) = session.writer.view().get::<ScopeRecord>(source)? {
            let changed_at = Some(session.options.now.clone());
            session.writer.put(&ScopeRecord { changed_at, ..scope })?;
        }
    }
    Ok(())
}

/// What is known of the documents of a source that a run found withdrawn or gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Withdrawals {
    /// How many.
    pub(super) count: u64,
    /// How many hours they may have waited at most: since a published run looked at the source before.
    pub(super) hours: Option<u64>,
}

/// What of a source was withdrawn or is gone, and how long that may have waited; `None` if nothing was.
pub(super) fn withdrawals(session: &Session<'_>, source: &str) -> Result<Option<Withdrawals>, Error> {
    let Some(count) = session.withdrawals.get(source).copied() else { return Ok(None) };
    let looked_at = session.writer.view().store().looked_at(source)?;
    let hours = looked_at.and_then(|at| hours_between(&at, &session.options.now));
    Ok(Some(Withdrawals { count, hours }))
}

/// Notes the sources of which something was withdrawn that may have waited for longer than `expect.withdrawn_within`
/// allows, each with a warning.
pub(super) fn late(session: &mut Session<'_>) -> Result<(), Error> {
    let sources = session.setup.jobs.iter().flat_map(|job| job.sources.values());
    for source in sources {
        let Some(limit) = source.withdrawn_within.map(u64::from) else { continue };
        let Some(Withdrawals { count, hours: Some(hours) }) = withdrawals(session, &source.name)? else {
            continue;
        };
        if hours <= limit {
            continue;
        }
        let message = format!(
            "of the source `{}` {} withdrawn or gone, and may have waited for {} to be out of the graph; it should take {} at most",
            source.name,
            either(count, "document is", "documents are"),
            diag::count(hours, "hour"),
            diag::count(limit, "hour"),
        );
        let hint = "run more often, or release and discard held runs sooner; if it may take longer, raise `expect.withdrawn_within`";
        session
            .diagnostics
            .push(Diagnostic::warning("withdrawal-late", Place::file(&source.path), message).hint(hint));
    }
    Ok(())
}

/// Notes the sources and feeds that have stayed as they are for longer than `expect.fresh_within` allows, each with
/// a warning. A file that is withheld or cannot be read counts as it was last accepted.
pub(super) fn stale(session: &mut Session<'_>) -> Result<(), Error> {
    let jobs = &session.setup.jobs;
    let sources = jobs.iter().flat_map(|job| job.sources.values());
    let sources = sources.map(|source| ("source", &source.name, &source.path, source.fresh_within));
    let feeds = jobs.iter().flat_map(|job| job.feeds.values());
    let feeds = feeds.map(|feed| ("feed", &feed.name, &feed.path, feed.fresh_within));
    let mut found = Vec::new();
    for (kind, name, path, limit) in sources.chain(feeds) {
        let Some(limit) = limit.map(u64::from) else { continue };
        let scope: Option<ScopeRecord> = session.writer.view().get(name)?;
        let changed_at = scope.and_then(|scope| scope.changed_at);
        let Some(hours) = changed_at.and_then(|at| hours_between(&at, &session.options.now)) else {
            continue;
        };
        if hours <= limit {
            continue;
        }
        let stale = Stale { source: name.clone(), hours, limit };
        let message = format!("the {kind} {stale}");
        let hint =
            "see whether what writes it still runs; if it may stay longer, raise `expect.fresh_within`";
        session.diagnostics.push(Diagnostic::warning("drift-stale", Place::file(path), message).hint(hint));
        found.push(stale);
    }
    found.sort();
    session.observed.stale = found;
    Ok(())
}

/// The whole hours from one RFC 3339 time to a later one, rounded up, so that a limit is kept to the second.
pub(super) fn hours_between(from: &str, to: &str) -> Option<u64> {
    let (from, to): (jiff::Timestamp, jiff::Timestamp) = (from.parse().ok()?, to.parse().ok()?);
    u64::try_from(to.as_second() - from.as_second()).ok().map(|seconds| seconds.div_ceil(3600))
}

#[cfg(test)]
mod tests {
    use super::hours_between;

    #[test]
    fn a_limit_is_kept_to_the_second() {
        let from = "2026-06-01T12:00:00Z";
        assert_eq!(hours_between(from, "2026-06-03T00:00:00Z"), Some(36));
        assert_eq!(hours_between(from, "2026-06-03T00:00:01Z"), Some(37));
        assert_eq!(hours_between(from, from), Some(0));
        assert_eq!(
            hours_between(from, "2026-06-01T11:00:00Z"),
            None,
            "a clock that went back judges nothing"
        );
    }
}
