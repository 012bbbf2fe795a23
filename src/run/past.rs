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

/// The folders of runs and edits in which there is a report of this name, by the second in which they began.
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
        if entry.path().join(report).is_file() {
            ids.push(name);
        }
    }
    ids.sort();
    Ok(ids)
}

/// The reports of the runs that began last, the last one first; of runs that began in one second the one that wrote
/// last. A report that cannot be read is passed over: it says nothing that could be told.
pub fn last_runs(workspace: &Workspace, most: usize) -> Result<Vec<RunReport>, Error> {
    let ids = run_ids(workspace)?;
    let mut reports: Vec<(RunReport, SystemTime)> = Vec::new();
    for id in ids.iter().rev() {
        // A second that has begun is read to its end.
        let same_second = reports.last().is_some_and(|(last, _)| second_of(&last.run) == second_of(id));
        if reports.len() >= most && !same_second {
            break;
        }
        let path = workspace.run_folder(id).join("run.json");
        let written =
            std::fs::metadata(&path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Some(report) = read(&path)? {
            reports.push((report, written));
        }
    }
    let order = |(report, written): &(RunReport, SystemTime)| {
        (report.started_at.clone(), report.before, *written, report.run.clone())
    };
    reports.sort_by_key(order);
    Ok(reports.into_iter().rev().take(most).map(|(report, _)| report).collect())
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
