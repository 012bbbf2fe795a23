//! The nights before a run, as far as the drift report asks about them.
//!
//! In: the sources that lose a little tonight, and the segments that look wrong if they spread as chance does it. Out:
//! what the ones lost in the week before, and how wide the others spread on past nights. Reads the reports of these
//! nights, and only if there is such a source or segment. A report that was taken away adds nothing.

use std::collections::BTreeMap;

use crate::drift::{DriftReport, Ledger, Segment, far_apart, spread, untold};
use crate::model::gates::GateBook;

use super::report::Outcome;
use super::session::Session;
use super::{Error, Workspace, past};

/// How long small losses are added up.
const WEEK: jiff::SignedDuration = jiff::SignedDuration::from_hours(7 * 24);
/// It is looked up how wide counts spread on so many published runs before this one: some of them read nothing of a
/// source, or are left out.
const LEARNED: usize = 60;
/// No more runs are gone back through, most of which found nothing to do if they come every quarter of an hour.
const MOST_SEEN: usize = 1_000;

/// What the sources that lose a little tonight lost in the week before.
pub(super) fn week(session: &Session<'_>, ledger: &Ledger) -> Result<BTreeMap<String, u64>, Error> {
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
            Outcome::Held => matches!(past::judgement(&workspace, &run)?, Some(Some(_))),
            outcome => went_out(outcome),
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

/// How wide the segments that look wrong tonight spread on past nights. A run that was held teaches nothing, even if it
/// was released: a person had to look at it.
pub(super) fn past_spread(session: &Session<'_>, gates: &GateBook) -> Result<BTreeMap<Segment, f64>, Error> {
    let segments = far_apart(&session.observed.cohort, gates);
    if segments.is_empty() {
        return Ok(BTreeMap::new());
    }
    let workspace = Workspace::new(&session.options.workspace);
    let (mut runs, mut seen) = (Vec::new(), 0);
    past::back(&workspace, |run| {
        seen += 1;
        runs.extend(went_out(run.outcome).then_some(run.run));
        seen < MOST_SEEN && runs.len() < LEARNED
    })?;
    let mut nights: Vec<DriftReport> = Vec::new();
    for run in runs {
        nights.extend(past::drift_report(&workspace, &run)?);
    }
    let of = |segment: Segment| {
        let spread = spread(&segment, &nights);
        (segment, spread)
    };
    Ok(segments.into_iter().map(of).collect())
}

/// True of a run that published by itself.
fn went_out(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Published | Outcome::Partial)
}
