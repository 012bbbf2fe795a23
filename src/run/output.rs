//! What a run leaves beside the store: the changelog's files and the reports.
#![expect(clippy::disallowed_methods, reason = "the changelog and the reports are files")]

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use crate::diag::Diagnostic;
use crate::drift::DriftReport;
use crate::model::job::Parser;
use crate::store::{Generation, Store};

use super::edits::EditReport;
use super::report::SourcesReport;
use super::{ActReport, Error, RunReport, Workspace};

/// Writes the files of generations that have none. A file is whole or not there: it is written aside and renamed.
pub(super) fn catch_up_changelog(workspace: &Workspace, store: &Store, plan: bool) -> Result<(), Error> {
    if plan {
        return Ok(());
    }
    let mut previous = String::new();
    for generation in store.generations()? {
        if !workspace.changelog_file(generation.id).exists() {
            write_changelog_file(workspace, store, &generation, &previous)?;
        }
        previous = generation.history_digest;
    }
    Ok(())
}

/// Opens the store for writing. A changelog that goes on after the store's last generation means that the store was
/// lost, emptied or replaced by an older one: a run would begin a second history beside the first.
///
/// A purge that was stopped is gone on with, unless nothing is to be written; what became of it is said.
pub(super) fn open_with_its_changelog(
    workspace: &Workspace,
    plan: bool,
) -> Result<(Store, Vec<Diagnostic>), Error> {
    let refuse = |what: String, hint: &str| {
        let message = format!("`{}` has a history {what}", workspace.changelog().display());
        Err(Error::Usage { message, hint: Some(hint.to_owned()) })
    };
    let empty = std::fs::metadata(workspace.store()).map_or(true, |file| file.len() == 0);
    if empty && workspace.changelog_file(1).exists() {
        let hint = "rebuild the graph with `edgewright replay .`, or move the changelog away to begin anew";
        return refuse("and there is no graph".to_owned(), hint);
    }
    let store = Store::open(&workspace.store())?;
    let published = store.published()?;
    if workspace.changelog_file(published + 1).exists() {
        let hint = "put the graph back that wrote it, or move `.edgewright/graph.db` away and rebuild it with `edgewright replay .`";
        return refuse(format!("that goes on after the graph's last generation, {published}"), hint);
    }
    if plan {
        return Ok((store, Vec::new()));
    }
    // What a killed run has left half written of what programs wrote.
    remove_folder(&workspace.parsed().join(Parser::HALVES))?;
    let resumed = super::purge::resume(workspace, &store)?;
    Ok((store, resumed))
}

/// Removes a folder of derived files, if there is one.
fn remove_folder(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(failed("remove", folder)(error).into())
        }
        _ => Ok(()),
    }
}

/// Writes `run.json`, `drift.json` and `sources.json` of a run, which are never overwritten. The run's own report
/// comes last: where it stands, the others do.
pub(super) fn write_reports(
    workspace: &Workspace,
    report: &RunReport,
    drift: &DriftReport,
    sources: &SourcesReport,
) -> Result<(), Error> {
    let documents = [
        ("drift.json", serde_json::to_string_pretty(drift)),
        ("sources.json", serde_json::to_string_pretty(sources)),
        ("run.json", serde_json::to_string_pretty(report)),
    ];
    write_documents(&workspace.run_folder(&report.run), documents)
}

/// Writes the `run.json` of a run that failed.
pub(super) fn write_failure(workspace: &Workspace, report: &RunReport) -> Result<(), Error> {
    write_documents(&workspace.run_folder(&report.run), [("run.json", serde_json::to_string_pretty(report))])
}

/// Writes `edit.json` and `drift.json` of an edit, which are never overwritten.
pub(super) fn write_edit_reports(
    workspace: &Workspace,
    report: &EditReport,
    drift: &DriftReport,
) -> Result<(), Error> {
    let documents = [
        ("edit.json", serde_json::to_string_pretty(report)),
        ("drift.json", serde_json::to_string_pretty(drift)),
    ];
    write_documents(&workspace.run_folder(&report.run), documents)
}

/// Writes what a person did with a run or a generation beside the reports of the run, as `release.json` and so on.
pub(super) fn write_act(workspace: &Workspace, run: &str, report: &ActReport) -> Result<(), Error> {
    let name = match report.act.as_str() {
        "release" => "release.json",
        "discard" => "discard.json",
        _ => "rollback.json",
    };
    write_documents(&workspace.run_folder(run), [(name, serde_json::to_string_pretty(report))])
}

fn write_documents(
    folder: &Path,
    documents: impl IntoIterator<Item = (&'static str, Result<String, serde_json::Error>)>,
) -> Result<(), Error> {
    for (name, text) in documents {
        let text = text.map_err(|error| Error::Bug(format!("a report is plain data: {error}")))?;
        let path = folder.join(name);
        write_aside(&path, Last::InSystem, |out| {
            writeln!(out, "{text}").map_err(|source| crate::store::Error::File {
                doing: "write",
                path: path.display().to_string(),
                source,
            })
        })?;
    }
    Ok(())
}

/// How long a file must last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Through a loss of power: everything can be rebuilt from it.
    OnDisk,
    /// As long as the system runs: nothing reads it but people.
    InSystem,
}

fn write_aside(
    path: &Path,
    last: Last,
    fill: impl FnOnce(&mut BufWriter<std::fs::File>) -> Result<(), crate::store::Error>,
) -> Result<(), Error> {
    let mut aside = Aside::create(path)?;
    fill(&mut aside.out)?;
    aside.put_in_place(last)
}

/// A file that is written beside its place, so that what stands there is whole.
struct Aside {
    path: PathBuf,
    out: BufWriter<std::fs::File>,
}

impl Aside {
    fn create(path: &Path) -> Result<Self, crate::store::Error> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed("make the folder of", path))?;
        }
        let file = std::fs::File::create(path.with_extension("part")).map_err(failed("write", path))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::new(file) })
    }

    fn put_in_place(self, last: Last) -> Result<(), Error> {
        let Self { path, out } = self;
        let file = out.into_inner().map_err(|error| failed("write", &path)(error.into_error()))?;
        if last == Last::OnDisk {
            file.sync_all().map_err(failed("write", &path))?;
        }
        Ok(std::fs::rename(path.with_extension("part"), &path).map_err(failed("put in place", &path))?)
    }
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(std::io::Error) -> crate::store::Error {
    move |source| crate::store::Error::File { doing, path: path.display().to_string(), source }
}

/// The changelog's file of a generation that is being published. It is filled before the generation is visible,
/// and stands in its place only afterwards; if it does not come to that, the next run writes it anew.
pub(super) struct NewChangelog {
    path: PathBuf,
    /// None before the first line: a generation of which there is none leaves no file.
    aside: Option<Aside>,
}

impl NewChangelog {
    pub(super) fn of(workspace: &Workspace, generation: u64) -> Self {
        Self { path: workspace.changelog_file(generation), aside: None }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: &str) -> Result<(), crate::store::Error> {
        let aside = match &mut self.aside {
            Some(aside) => aside,
            none => none.insert(Aside::create(&self.path)?),
        };
        write_line(&mut aside.out, line, &self.path)
    }

    /// Puts the file in its place, if there is one.
    pub(super) fn put_in_place(self) -> Result<(), Error> {
        self.aside.map_or(Ok(()), |aside| aside.put_in_place(Last::OnDisk))
    }
}

fn write_line(
    out: &mut BufWriter<std::fs::File>,
    line: &str,
    path: &Path,
) -> Result<(), crate::store::Error> {
    out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).map_err(failed("write", path))
}

/// Reads a derived file; `None` if there is none.
pub(super) fn read_derived(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::File { doing: "read", path: path.display().to_string(), source }),
    }
}

/// Writes a derived file. It is not waited for: whoever reads it sees by its hash whether it is whole.
pub(super) fn write_derived(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source| Error::File { doing: "write", path: path.display().to_string(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let aside = path.with_extension("part");
    std::fs::write(&aside, bytes).map_err(failed)?;
    std::fs::rename(&aside, path).map_err(failed)
}

/// Writes a report anew that has lost what it said of a purged document.
pub(super) fn write_report(path: &Path, value: &serde_json::Value) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Error::Bug(format!("a report is plain data: {error}")))?;
    // Who may read it stays as it was.
    let may = std::fs::metadata(path).map_err(failed("read", path))?.permissions();
    write_aside(path, Last::OnDisk, |out| {
        out.get_ref().set_permissions(may).map_err(failed("write", path))?;
        write_line(out, &text, path)
    })
}

/// Removes what is made from the record and the documents: the text index, the automata of names, and what programs
/// made of documents.
pub(super) fn remove_derived(workspace: &Workspace) -> Result<(), Error> {
    let index = workspace.index();
    let folders = [index.with_extension("part"), index, workspace.names_all(), workspace.parsed()];
    folders.iter().try_for_each(|folder| remove_folder(folder))
}

/// Writes a file that says that something is going on, before it does.
pub(super) fn write_note(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write_aside(path, Last::OnDisk, |out| out.write_all(bytes).map_err(failed("write", path)))?;
    // That it is there must last as well.
    let folder = path.parent().map(std::fs::File::open).transpose();
    let synced = folder.and_then(|folder| folder.map_or(Ok(()), |folder| folder.sync_all()));
    Ok(synced.map_err(failed("write", path))?)
}

/// Removes a file that says that something is going on.
pub(super) fn remove_note(path: &Path) -> Result<(), Error> {
    Ok(std::fs::remove_file(path).map_err(failed("remove", path))?)
}

/// Writes the changelog's files from a generation on, whether they are there or not.
pub(super) fn write_changelog_from(workspace: &Workspace, store: &Store, first: u64) -> Result<(), Error> {
    let mut previous = String::new();
    for generation in store.generations()? {
        if generation.id >= first {
            write_changelog_file(workspace, store, &generation, &previous)?;
        }
        previous = generation.history_digest;
    }
    Ok(())
}

fn write_changelog_file(
    workspace: &Workspace,
    store: &Store,
    generation: &Generation,
    previous: &str,
) -> Result<(), Error> {
    let path = workspace.changelog_file(generation.id);
    write_aside(&path, Last::OnDisk, |out| {
        store.changelog(generation, previous, |line| write_line(out, line, &path))
    })
}

/// Copies the files of a changelog beside the store that was rebuilt from them.
pub(super) fn copy_changelog(from: &Path, target: &Workspace, generations: u64) -> Result<(), Error> {
    if from == target.changelog() {
        return Ok(());
    }
    for generation in 1..=generations {
        let source = from.join(format!("{generation:06}.jsonl"));
        let bytes = std::fs::read(&source).map_err(|error| Error::File {
            doing: "read",
            path: source.display().to_string(),
            source: error,
        })?;
        let path = target.changelog_file(generation);
        write_aside(&path, Last::OnDisk, |out| {
            out.write_all(&bytes).map_err(|source| crate::store::Error::File {
                doing: "write",
                path: path.display().to_string(),
                source,
            })
        })?;
    }
    Ok(())
}

/// How a changelog file differs from the lines that the store gives, if it does.
pub(super) fn changelog_faults(
    workspace: &Workspace,
    store: &Store,
) -> Result<Vec<crate::store::Fault>, Error> {
    use std::io::{BufRead as _, BufReader};
    let mut faults = Vec::new();
    let mut previous = String::new();
    let generations = store.generations()?;
    for generation in &generations {
        let path = workspace.changelog_file(generation.id);
        let at = format!("changelog/{:06}.jsonl", generation.id);
        let Ok(file) = std::fs::File::open(&path) else {
            let message = "the file is missing; the next `edgewright run` writes it";
            faults.push(crate::store::Fault::new("changelog-missing", at, message));
            previous.clone_from(&generation.history_digest);
            continue;
        };
        let mut lines = BufReader::new(file).lines();
        let mut number = 0u64;
        let mut differs: Option<u64> = None;
        let read = store.changelog(generation, &previous, |line| {
            number += 1;
            let same = lines.next().is_some_and(|found| found.is_ok_and(|found| found == line));
            if !same && differs.is_none() {
                differs = Some(number);
            }
            Ok(())
        });
        match read {
            // A record that does not read back is named by the check of the rows.
            Ok(()) | Err(crate::store::Error::Corrupt { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        if differs.is_none() && lines.next().is_some() {
            differs = Some(number + 1);
        }
        if let Some(line) = differs {
            let message = format!(
                "line {line} is not the one that the store gives; a file that was taken away is written anew by the next `edgewright run`"
            );
            faults.push(crate::store::Fault::new("changelog-differs", at, message));
        }
        previous.clone_from(&generation.history_digest);
    }
    let next = workspace.changelog_file(generations.len() as u64 + 1);
    if next.exists() {
        let at = format!("changelog/{:06}.jsonl", generations.len() + 1);
        faults.push(crate::store::Fault::new("changelog-ahead", at, "the store knows no such generation"));
    }
    Ok(faults)
}
