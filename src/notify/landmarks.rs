//! The runs that a job's metrics are about, found by going back through reports and kept, so that the next time only
//! what came since is read.
#![expect(clippy::disallowed_methods, reason = "an edge: what was found is a file")]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::rc::Rc;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::metrics::{Known, describes, metrics, succeeded};
use super::spool::{moment_of, write_aside};
use crate::run::past::{back, drift_report, judgement, run_report, second_of, sources_report};
use crate::run::report::{Outcome, SourcesReport};
use crate::run::{DriftReport, Error, RunReport, Workspace};

/// The version of the file.
const VERSION: u32 = 1;

/// How long a run may take and be found, though one that began after it has left its report before it: one that fails
/// before it takes the lock does.
const LONGEST: SignedDuration = SignedDuration::from_hours(48);

/// True if a run was one of this job. One that failed before it knew its jobs concerns all of them.
pub(super) fn concerns(run: &RunReport, job: &str) -> bool {
    run.job.is_empty() || run.jobs().any(|name| name == job)
}

/// The ids of the runs that were found.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// No run that began before this second, and ended before it was kept, is missing below.
    second: String,
    last: Option<String>,
    completed: Option<String>,
    succeeded: Option<String>,
    described: Option<String>,
    drift: Option<String>,
    sources: Option<String>,
}

/// What was found of them.
#[derive(Debug, Default)]
struct Found {
    last: Option<Rc<RunReport>>,
    completed: Option<Rc<RunReport>>,
    succeeded: Option<Rc<RunReport>>,
    described: Option<Rc<RunReport>>,
    drift: Option<DriftReport>,
    sources: Option<SourcesReport>,
    /// The second of the first run that was looked at.
    newest: Option<String>,
    /// The second of the last one that waits for a person, who may make it describe the graph yet.
    waits: Option<String>,
}

impl Found {
    /// Takes of a run what no later one has. True if nothing is missing then.
    fn look(&mut self, workspace: &Workspace, job: &str, mut run: RunReport) -> Result<bool, Error> {
        judge(workspace, &mut run)?;
        let run = Rc::new(run);
        let second = || Some(second_of(&run.run).to_owned());
        self.newest = self.newest.take().or_else(second);
        // One that a later one has taken the place of is judged by nobody any more.
        if self.described.is_none() && run.held {
            self.waits = self.waits.take().or_else(second);
        }
        let keep = |place: &mut Option<Rc<RunReport>>, is_one: bool| {
            if is_one && place.is_none() {
                *place = Some(Rc::clone(&run));
            }
        };
        keep(&mut self.described, describes(&run));
        if concerns(&run, job) {
            keep(&mut self.last, true);
            keep(&mut self.completed, run.outcome != Outcome::Failed);
            keep(&mut self.succeeded, succeeded(&run));
            if self.drift.is_none() {
                self.drift = drift_report(workspace, &run.run)?;
            }
            if self.sources.is_none() {
                // A rollback reads no source.
                let looked = sources_report(workspace, &run.run)?;
                self.sources = looked.filter(|looked| looked.sources.iter().any(|one| one.job == job));
            }
        }
        let runs = [&self.last, &self.completed, &self.succeeded, &self.described];
        Ok(runs.iter().all(|run| run.is_some()) && self.drift.is_some() && self.sources.is_some())
    }

    /// What is missing is as it was found before.
    fn fill(&mut self, workspace: &Workspace, kept: &Kept) -> Result<(), Error> {
        let report = |place: &mut Option<Rc<RunReport>>, id: &Option<String>| {
            if let (None, Some(id)) = (&place, id)
                && let Some(mut run) = run_report(workspace, id)?
            {
                judge(workspace, &mut run)?;
                *place = Some(Rc::new(run));
            }
            Ok::<(), Error>(())
        };
        report(&mut self.last, &kept.last)?;
        report(&mut self.completed, &kept.completed)?;
        report(&mut self.succeeded, &kept.succeeded)?;
        report(&mut self.described, &kept.described)?;
        if let (None, Some(id)) = (&self.drift, &kept.drift) {
            self.drift = drift_report(workspace, id)?;
        }
        if let (None, Some(id)) = (&self.sources, &kept.sources) {
            self.sources = sources_report(workspace, id)?;
        }
        Ok(())
    }

    fn kept(&self, now: &str) -> Kept {
        let id = |run: &Option<Rc<RunReport>>| run.as_ref().map(|run| run.run.clone());
        let seconds = [self.newest.as_deref(), self.waits.as_deref()];
        Kept {
            version: VERSION,
            second: seconds.into_iter().flatten().fold(now, std::cmp::min).to_owned(),
            last: id(&self.last),
            completed: id(&self.completed),
            succeeded: id(&self.succeeded),
            described: id(&self.described),
            drift: self.drift.as_ref().map(|drift| drift.run.clone()),
            sources: self.sources.as_ref().map(|sources| sources.run.clone()),
        }
    }
}

/// The text of a job's metrics. What was found is kept at a path; `now` is a second as the ids of runs have it. Linear in
/// the folders of runs; of reports it reads those that came since, and on the first time back to what is looked for.
pub(super) fn metrics_of(workspace: &Workspace, job: &str, path: &Path, now: &str) -> Result<String, String> {
    let kept = match fs::read(path) {
        // What another version kept is found anew.
        Ok(bytes) => serde_json::from_slice::<Kept>(&bytes).ok().filter(|kept| kept.version == VERSION),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(format!("`{}`: {error}", path.display())),
    };
    let kept = kept.unwrap_or_default();
    let since = since(&kept.second, now);
    let found = find(workspace, job, &since, &kept).map_err(super::desk::told_error)?;
    let (drift, sources) = (found.drift.as_ref(), found.sources.as_ref());
    let text = metrics(Known {
        job,
        last: found.last.as_deref(),
        completed: found.completed.as_deref(),
        succeeded: found.succeeded.as_deref(),
        described: found.described.as_deref(),
        drift,
        sources,
    });
    let bytes = serde_json::to_vec(&found.kept(now)).map_err(|error| error.to_string())?;
    write_aside(path, &bytes, None).map_err(|error| format!("`{}`: {error}", path.display()))?;
    Ok(text)
}

/// From which second on runs are looked at. A clock that has gone back bounds nothing.
fn since(kept: &str, now: &str) -> String {
    let then = if kept > now { None } else { moment_of(kept) };
    let since = then.and_then(|then| then.checked_sub(LONGEST).ok());
    since.map_or_else(String::new, |since| since.strftime("%Y%m%d%H%M%S").to_string())
}

fn find(workspace: &Workspace, job: &str, since: &str, kept: &Kept) -> Result<Found, Error> {
    let (mut found, mut failed) = (Found::default(), None);
    back(workspace, |run| {
        if second_of(&run.run) < since {
            return false;
        }
        match found.look(workspace, job, run) {
            Ok(is_all) => !is_all,
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    found.fill(workspace, kept)?;
    Ok(found)
}

/// Takes a held run for what a person has made of it: released it describes what readers see, discarded it is history.
fn judge(workspace: &Workspace, run: &mut RunReport) -> Result<(), Error> {
    let Some(judgement) = (if run.held { judgement(workspace, &run.run)? } else { None }) else {
        return Ok(());
    };
    run.held = false;
    if let Some(published_at) = judgement {
        run.outcome = Outcome::Published;
        run.published_at = Some(published_at);
    }
    Ok(())
}
