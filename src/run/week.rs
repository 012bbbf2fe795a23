//! The week before a run, as far as the drift report asks about it.
//!
//! In: the sources that lose a little tonight. Out: what they lost on the published nights of the week before. Reads
//! the reports of these nights, and only if there is such a source.

use std::collections::BTreeMap;

use crate::drift::{DriftReport, Ledger, untold};

use super::report::Outcome;
use super::session::Session;
use super::{Error, Workspace, past};

/// How long small losses are added up.
const WEEK: jiff::SignedDuration = jiff::SignedDuration::from_hours(7 * 24);

/// What the sources that lose a little tonight lost in the week before. A report that was taken away adds nothing.
pub(super) fn before(session: &Session<'_>, ledger: &Ledger) -> Result<BTreeMap<String, u64>, Error> {
    let sources = ledger.lost_little();
    if sources.is_empty() {
        return Ok(BTreeMap::new());
    }
    let workspace = Workspace::new(&session.options.workspace);
    let since = session
        .options
        .now
        .parse::<jiff::Timestamp>()
        .and_then(|now| now.checked_sub(WEEK))
        .map_err(|error| Error::Bug(format!("`{}` is no time: {error}", session.options.now)))?
        .to_string();
    let mut runs = Vec::new();
    past::back(&workspace, |run| {
        let is_within = run.started_at > since;
        runs.extend(is_within.then_some((run.run, run.outcome)));
        is_within
    })?;
    let mut nights: Vec<DriftReport> = Vec::new();
    for (run, outcome) in runs {
        let is_published = match outcome {
            Outcome::Published | Outcome::Partial => true,
            Outcome::Held => matches!(past::judgement(&workspace, &run)?, Some(Some(_))),
            Outcome::NothingToDo | Outcome::Failed => false,
        };
        if is_published {
            nights.extend(past::drift_report(&workspace, &run)?);
        }
    }
    let of = |source: String| {
        let lost = untold(&source, &nights);
        (source, lost)
    };
    Ok(sources.into_iter().map(of).collect())
}
