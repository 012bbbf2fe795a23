//! The reports of past runs, as their folders keep them.
#![expect(clippy::disallowed_methods, reason = "reads the reports of runs")]

use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use serde::de::DeserializeOwned;

use super::report::SourcesReport;
use super::{DriftReport, Error, RunReport, Workspace};

/// The ids of the runs that left a report, by the second in which they began. Linear in the folders.
pub fn run_ids(workspace: &Workspace) -> Result<Vec<String>, Error> {
    // A folder without a report belongs to a run that was stopped, or to an edit.
    folders(workspace, "run.json")
}

/// The folders of runs and edits in which there is a report of this name, by the second in which they began; with no
/// name, all of them.
fn folders(workspace: &Workspace, report: &str) -> Result<Vec<String>, Error> {
    let folder = workspace.runs();
    let failed = |source| Error::File { doing: "look into", path: folder.display().to_string(), source };
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut ids = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if (report.is_empty() && entry.path().is_dir()) || entry.path().join(report).is_file() {
            ids.push(name);
        }
    }
    ids.sort();
    Ok(ids)
}

/// The ids of all runs and edits that left something, by the second in which they began. Linear in the folders.
pub(super) fn all_ids(workspace: &Workspace) -> Result<Vec<String>, Error> {
    folders(workspace, "")
}

/// The reports of the runs that began last, the last one first; of runs that began in one second the one that wrote
/// last. A report that cannot be read is passed over: it says nothing that could be told.
pub fn last_runs(workspace: &Workspace, most: usize) -> Result<Vec<RunReport>, Error> {
    let mut reports = Vec::new();
    if most > 0 {
        back(workspace, |report| {
            reports.push(report);
            reports.len() < most
        })?;
    }
    Ok(reports)
}

/// Goes back through the reports of runs in the order of [`last_runs`], as long as `each` wants another one. Of the
/// reports before these nothing is read.
pub fn back(workspace: &Workspace, each: impl FnMut(RunReport) -> bool) -> Result<(), Error> {
    let order = |report: &RunReport| (report.started_at.clone(), report.before);
    back_through(workspace, "run.json", order, each)
}

/// The report of the edit or withdrawal that began last, as far as it is asked for.
pub fn last_edit<R: DeserializeOwned>(workspace: &Workspace) -> Result<Option<R>, Error> {
    let mut last = None;
    back_through_edits(workspace, |report| {
        last = Some(report);
        false
    })?;
    Ok(last)
}

/// Goes back through the reports of edits and withdrawals, as far as they are asked for, as long as `each` wants
/// another one.
pub fn back_through_edits<R: DeserializeOwned>(
    workspace: &Workspace,
    each: impl FnMut(R) -> bool,
) -> Result<(), Error> {
    back_through(workspace, "edit.json", |_: &R| (), each)
}

/// Goes back through the reports of one name, second by second.
fn back_through<R: DeserializeOwned, K: Ord>(
    workspace: &Workspace,
    name: &str,
    order: impl Fn(&R) -> K,
    mut each: impl FnMut(R) -> bool,
) -> Result<(), Error> {
    let ids = folders(workspace, name)?;
    // A second that has begun is read to its end: which of its runs was the last, their reports say.
    for second in ids.chunk_by(|one, other| second_of(one) == second_of(other)).rev() {
        let mut reports: Vec<(R, (SystemTime, &String))> = Vec::new();
        for id in second {
            let path = workspace.run_folder(id).join(name);
            let written =
                std::fs::metadata(&path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            reports.extend(read(&path)?.map(|report| (report, (written, id))));
        }
        reports.sort_by_cached_key(|(report, written)| (order(report), *written));
        for (report, _) in reports.into_iter().rev() {
            if !each(report) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The second in which a run began, as its id has it.
pub fn second_of(id: &str) -> &str {
    id.split('-').next().unwrap_or_default()
}

/// The report of a run; `None` if there is none that can be read.
pub fn run_report(workspace: &Workspace, id: &str) -> Result<Option<RunReport>, Error> {
    read(&workspace.run_folder(id).join("run.json"))
}

/// The drift report of a run; `None` if there is none that can be read.
pub fn drift_report(workspace: &Workspace, id: &str) -> Result<Option<DriftReport>, Error> {
    read(&workspace.run_folder(id).join("drift.json"))
}

/// The drift reports of the last runs and edits, the newest first, at most so many. A report that cannot be read
/// back, because another version wrote it, is left out.
pub fn drift_reports(workspace: &Workspace, most: usize) -> Result<Vec<DriftReport>, Error> {
    // A run's name begins with its time.
    let mut reports = Vec::new();
    for id in folders(workspace, "drift.json")?.iter().rev().take(most) {
        reports.extend(drift_report(workspace, id)?);
    }
    Ok(reports)
}

/// The report of sources of a run; `None` if there is none that can be read.
pub fn sources_report(workspace: &Workspace, id: &str) -> Result<Option<SourcesReport>, Error> {
    read(&workspace.run_folder(id).join("sources.json"))
}

/// What a person has made of a held run: released it was published at a time, discarded it was not; `None` while it waits.
pub fn judgement(workspace: &Workspace, id: &str) -> Result<Option<Option<String>>, Error> {
    /// Of a released run, what is asked here.
    #[derive(serde::Deserialize)]
    struct Released {
        run: Published,
    }
    #[derive(serde::Deserialize)]
    struct Published {
        published_at: Option<String>,
    }
    let folder = workspace.run_folder(id);
    if let Some(released) = read::<Released>(&folder.join("release.json"))? {
        return Ok(Some(released.run.published_at));
    }
    Ok(folder.join("discard.json").is_file().then_some(None))
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::File { doing: "read", path: path.display().to_string(), source }),
    }
}
