//! The golden sets that the jobs declare, as a run judges them: what is below a floor is told to the drift report.

use std::collections::BTreeSet;
use std::path::Path;

use crate::config::{Loaded, Written, golden_map};
use crate::diag::{Diagnostic, Place};
use crate::drift::BelowFloor;
use crate::model::golden::{Floors, GoldenMap};
use crate::serve::{Catalog, Graph};
use crate::store::Store;

use super::edits::lens_of;
use super::eval::{GoldenSet, evaluate};
use super::output::read_derived;
use super::session::Session;
use super::{Error, Workspace};

/// A golden set that a job declares, with how its table is read.
pub(super) struct Declared {
    file: String,
    map_file: Option<String>,
    map: GoldenMap,
    floors: Floors,
    job: String,
    problems: Vec<Diagnostic>,
}

/// The golden sets with floors that the jobs to run declare. Their tables are read when they are judged.
pub(super) fn declared(
    workspace: &Workspace,
    loaded: &Loaded,
    jobs: &[String],
) -> Result<Vec<Declared>, Error> {
    let mut declared = Vec::new();
    for job in loaded.jobs.iter().filter(|job| jobs.is_empty() || jobs.contains(&job.name)) {
        let Some(golden) = job.golden.as_ref().filter(|golden| golden.floors != Floors::default()) else {
            continue;
        };
        let mut problems = Vec::new();
        let written = match &golden.map {
            Some(map) => match read_derived(&workspace.root().join(map))? {
                Some(bytes) => {
                    Some(Written { file: map.clone(), text: String::from_utf8_lossy(&bytes).into_owned() })
                }
                None => {
                    problems.push(unreadable(map));
                    None
                }
            },
            None => None,
        };
        let (map, found) = golden_map(written.as_ref(), &golden.file, loaded);
        problems.extend(found);
        declared.push(Declared {
            file: golden.file.clone(),
            map_file: golden.map.clone(),
            map,
            floors: golden.floors.clone(),
            job: job.name.clone(),
            problems,
        });
    }
    Ok(declared)
}

fn unreadable(file: &str) -> Diagnostic {
    Diagnostic::error("drift-golden", Place::file(file), "it is not there, so no floor of it can be judged")
        .hint("name the file that it is, bring it back, or take `golden` out of the job")
}

/// What jobs declare of golden sets and is not there.
pub fn missing(workspace: &Workspace, loaded: &Loaded) -> Result<Vec<Diagnostic>, Error> {
    let golden = loaded.jobs.iter().filter_map(|job| job.golden.as_ref());
    let files: BTreeSet<&String> =
        golden.flat_map(|golden| std::iter::once(&golden.file).chain(&golden.map)).collect();
    let mut missing = Vec::new();
    for file in files {
        if read_derived(&workspace.root().join(file))?.is_none() {
            missing.push(unreadable(file));
        }
    }
    Ok(missing)
}

/// Judges the declared sets by the graph as this run leaves it. A run that changes nothing judges nothing; of one that
/// does, a set that cannot be judged is below its floors: nobody can say that it is not.
pub(super) fn judge(session: &mut Session<'_>, store: &Store) -> Result<(), Error> {
    let golden = std::mem::take(&mut session.golden);
    if golden.is_empty() || session.writer.before().generation() == 0 || !session.writer.has_changes()? {
        return Ok(());
    }
    let root = session.options.workspace.clone();
    let mut sets = Vec::new();
    for Declared { file, map_file, map, floors, job, problems } in golden {
        if !problems.is_empty() {
            not_judged(session, &file, problems);
            continue;
        }
        match read_derived(&Path::new(&root).join(&file))? {
            Some(bytes) => sets.push(GoldenSet { file, bytes, map_file, map, floors, job: Some(job) }),
            None => not_judged(session, &file, vec![unreadable(&file)]),
        }
    }
    let workspace = Workspace::new(&root);
    let setup = session.setup;
    let catalog = Catalog::new(setup.readers.values().map(|reader| &*reader.ontology), &setup.jobs);
    for set in sets {
        let graph = Graph::new(store, lens_of(session), &catalog)?;
        match evaluate(&workspace, setup, store, &graph, std::slice::from_ref(&set), 0) {
            Ok(report) => note(session, report),
            Err(Error::Config(problems)) => not_judged(session, &set.file, problems),
            Err(Error::Usage { message, hint }) => {
                let problem = Diagnostic::error("drift-golden", Place::file(&set.file), message);
                let problem = match hint {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                };
                not_judged(session, &set.file, vec![problem]);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Says why a set cannot be judged, to the run and to its drift report.
fn not_judged(session: &mut Session<'_>, golden: &str, problems: Vec<Diagnostic>) {
    let why = problems.first().map(|one| format!(": {}: {}", one.at.file, one.message)).unwrap_or_default();
    let says = format!("it cannot be judged{why}");
    session.observed.golden.push(BelowFloor { golden: golden.to_owned(), name: String::new(), says });
    session.observed.golden.sort();
    session.diagnostics.extend(problems);
}

fn note(session: &mut Session<'_>, report: super::eval::EvalReport) {
    for set in report.sets {
        for below in set.below {
            let is = below.is.map_or_else(|| "unknown".to_owned(), |is| format!("{is:.3}"));
            let says = format!("{} of {} is {is}, and its floor {}", below.figure, below.name, below.floor);
            session.observed.golden.push(BelowFloor { golden: set.golden.clone(), name: below.name, says });
        }
    }
    session.observed.golden.sort();
}
