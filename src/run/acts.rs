//! What persons did with whole runs and generations: the log of acts, and what follows from it for a run's reports.

use crate::model::act::{Act, Deed};
use crate::store::{self, HeldRun, Kind, Store, View};

use super::once::{Options, complete};
use super::report::Outcome;
use super::{ActReport, Actor, Error, RunReport, Workspace, output, past};

/// The acts, oldest first, each with the generation that it made. Linear in them.
pub fn acts(view: &View<'_>) -> Result<Vec<(u64, Act)>, store::Error> {
    if !view.store().has_acts() {
        return Ok(Vec::new());
    }
    let acts = view.versions_from::<Act>("")?;
    Ok(acts.into_iter().map(|act| (act.opened, act.record)).collect())
}

/// What a person does, numbered as the next act of the graph.
pub(super) fn next_act(
    view: &View<'_>,
    options: &Options,
    actor: &Actor,
    deed: Deed,
) -> Result<Act, store::Error> {
    let number = view.count(Kind::Act)? + 1;
    let (by, reason) = (actor.by.clone(), actor.reason.clone());
    Ok(Act { number, deed, by, at: options.now.clone(), reason })
}

/// What has become of a run that was held: `released`, `discarded`, or `replaced` by whatever was written after it;
/// and of one that looked wrong and was published at once, `forced`. `None` while it is held, and of any other run.
pub fn became(report: &RunReport, acts: &[(u64, Act)], held: Option<&HeldRun>) -> Option<&'static str> {
    if report.outcome != Outcome::Held {
        return report.forced.as_ref().map(|_| "forced");
    }
    let judged = acts.iter().find_map(|(_, act)| match &act.deed {
        Deed::Release { run } if *run == report.run => Some("released"),
        Deed::Discard { run } if *run == report.run => Some("discarded"),
        _ => None,
    });
    judged.or_else(|| held.is_none_or(|held| held.run != report.run).then_some("replaced"))
}

/// Writes what a kill after publication kept from being written: files of the changelog, and beside the reports of a
/// run that it was released or discarded. A plan writes nothing.
pub(super) fn catch_up(workspace: &Workspace, store: &Store, options: &Options) -> Result<(), Error> {
    output::catch_up_changelog(workspace, store, options.plan)?;
    let last = store.generations()?.pop();
    let (Some(last), false) = (last, options.plan) else { return Ok(()) };
    // Whatever is written after an act begins here, so it is the last one only that may lack its report.
    let Some((_, act)) = acts(&store.current()?)?.pop().filter(|(made, _)| *made == last.id) else {
        return Ok(());
    };
    let (Deed::Release { run } | Deed::Discard { run }) = &act.deed else { return Ok(()) };
    if past::judgement(workspace, run)?.is_some() {
        return Ok(());
    }
    // Where the reports of the run were taken away, nothing is put beside them.
    let Some(held) = past::run_report(workspace, run)? else { return Ok(()) };
    let (report, again) = match act.deed {
        Deed::Release { .. } => (held.released(), Vec::new()),
        _ => {
            let begun = RunReport::begun(last.run, options, last.id - 1);
            let (outcome, drift, started_at) = (Outcome::Published, "pass".to_owned(), act.at.clone());
            (RunReport { outcome, drift, started_at, ..begun }, held.again)
        }
    };
    let mut report = RunReport { generation: Some(last.id), ..report };
    complete(store, &mut report)?;
    output::write_act(workspace, run, &ActReport::of(&act, report, again, false))
}
