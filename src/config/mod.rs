//! The configuration of a workspace: `ontology/*.yaml` and `jobs/*.yaml`, read and checked as a whole.
//!
//! In comes the folder of a workspace, out come the ontologies and jobs as meant, and every problem of every
//! file at once. Only this file reads the disk; what the files mean is decided on their texts. The
//! configuration is an edge: it knows the vocabulary and no stage.

mod across;
mod feed;
mod format;
mod gates;
mod golden;
mod job;
mod keys;
mod outputs;
mod source;
mod sql;
mod starter;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use crate::diag::{Diagnostic, Place, Severity};
use crate::model::job::Job;
use crate::ontology::Ontology;
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::{self, Kind};
use crate::ontology::file::yaml::{self, At, MAX_BYTES, Node, Sheet};
use crate::ontology::file::{self, Reading};

pub use crate::ontology::file::Written;
pub use golden::golden_map;
pub use job::zone_of;
pub use starter::starter;

/// A workspace's configuration, read as far as it goes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// The ontologies by name. Where a problem is an error, a part of one may be missing.
    pub ontologies: BTreeMap<String, Ontology>,
    /// The jobs, by name.
    pub jobs: Vec<Job>,
    /// Everything that is wrong, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// The files as read, in order.
    pub texts: Vec<Written>,
}

impl Loaded {
    /// True if nothing is wrong enough to keep a run from starting.
    pub fn ok(&self) -> bool {
        self.diagnostics.iter().all(|problem| problem.severity != Severity::Error)
    }
}

/// One job file, read as far as it goes.
struct JobFile {
    sheet: Sheet,
    root: Option<Node>,
    job: Option<Job>,
}

/// Reads the configuration of the workspace in a folder.
pub fn load(root: &Path) -> Loaded {
    let mut unreadable = Vec::new();
    let ontologies = texts(root, "ontology", &mut unreadable);
    let jobs = texts(root, "jobs", &mut unreadable);
    if ontologies.is_none() && jobs.is_none() {
        let problem = Diagnostic::error(
            "config-no-workspace",
            Place::file("."),
            "there is no workspace here: neither the folder `ontology` nor the folder `jobs`",
        );
        unreadable.push(problem.hint(
            "run `edgewright init DIR` to make one, or name the folder of yours; into a folder that `replay` has filled, copy `ontology/` and `jobs/`",
        ));
        return Loaded { diagnostics: unreadable, ..Loaded::default() };
    }
    let mut loaded = read(ontologies.unwrap_or_default(), jobs.unwrap_or_default(), &unreadable);
    loaded.diagnostics.append(&mut unreadable);
    loaded.diagnostics.sort();
    loaded
}

/// What the texts mean, and everything that is wrong with them.
pub fn check(ontologies: Vec<Written>, jobs: Vec<Written>) -> Loaded {
    read(ontologies, jobs, &[])
}

/// `unreadable` are the problems of files whose text is not here; what names them is not at fault.
fn read(ontologies: Vec<Written>, jobs: Vec<Written>, unreadable: &[Diagnostic]) -> Loaded {
    let (mut readings, mut diagnostics) = file::read(&ontologies);
    let lost = |folder: &'static str| {
        unreadable.iter().map(|problem| problem.at.file.as_str()).filter(move |file| file.starts_with(folder))
    };
    let empty = |file: &str| Sheet::new(&Written { file: file.to_owned(), text: String::new() });
    // Of a folder that cannot be read it is not known which ontologies there are.
    let all_lost = lost("ontology").any(|file| file == "ontology");
    readings.extend(lost("ontology").filter(|file| *file != "ontology").map(|file| Reading {
        name: file::stem(file).to_owned(),
        sheet: empty(file),
        root: None,
        ontology: None,
    }));
    let mut job_files: Vec<JobFile> =
        jobs.iter().map(|file| job_file(file, &readings, all_lost, &mut diagnostics)).collect();
    job_files.extend(lost("jobs").map(|file| JobFile { sheet: empty(file), root: None, job: None }));
    diagnostics.extend(across::check(&readings, &job_files));
    diagnostics.sort();
    diagnostics.dedup();
    let mut texts = ontologies;
    texts.extend(jobs);
    texts.sort_by(|a, b| a.file.cmp(&b.file));
    let mut jobs: Vec<Job> = job_files.into_iter().filter_map(|file| file.job).collect();
    jobs.sort_by(|a, b| a.name.cmp(&b.name));
    let ontologies =
        readings.into_iter().filter_map(|reading| Some((reading.name, reading.ontology?))).collect();
    Loaded { ontologies, jobs, diagnostics, texts }
}

fn job_file(
    written: &Written,
    ontologies: &[Reading],
    all_lost: bool,
    found: &mut Vec<Diagnostic>,
) -> JobFile {
    let sheet = Sheet::new(written);
    let (root, mut problems) = yaml::read(written, &sheet);
    found.append(&mut problems);
    let mut names: Vec<&str> = ontologies.iter().map(|reading| reading.name.as_str()).collect();
    names.extend(root.as_ref().and_then(|root| root.word("ontology")).filter(|_| all_lost));
    let find = |name: &str| ontologies.iter().find(|reading| reading.name == name)?.ontology.as_ref();
    let mut problems = Problems::new(&sheet);
    let job = root.as_ref().map(|root| {
        problems.found = shape::check(&sheet, root, Kind::Object(&keys::JOB), "the file", At::FILE);
        job::job(root, &names, find, &mut problems)
    });
    found.append(&mut problems.found);
    JobFile { sheet, root, job }
}

/// The JSON Schema of a file: `ontology`, `job` or `golden-map`.
pub fn schema(name: &str) -> Option<serde_json::Value> {
    match name {
        "ontology" => Some(file::keys::ONTOLOGY.document("edgewright ontology")),
        "job" => Some(keys::JOB.document("edgewright job")),
        "golden-map" => Some(keys::GOLDEN_MAP.document("edgewright golden map")),
        _ => None,
    }
}

/// The YAML files of a folder of the workspace, sorted by name; `None` if there is no such folder.
#[expect(clippy::disallowed_methods, reason = "the configuration is read here and nowhere else")]
fn texts(root: &Path, folder: &str, problems: &mut Vec<Diagnostic>) -> Option<Vec<Written>> {
    let entries = match std::fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => {
            problems.push(unreadable(folder, &error.to_string()));
            return Some(vec![]);
        }
    };
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => names.push(entry.file_name().to_string_lossy().into_owned()),
            Err(error) => problems.push(unreadable(folder, &error.to_string())),
        }
    }
    names.sort();
    let yaml = |name: &String| !name.starts_with('.') && (name.ends_with(".yaml") || name.ends_with(".yml"));
    Some(
        names
            .iter()
            .filter(|name| yaml(name))
            .filter_map(|name| text(root, folder, name, problems))
            .collect(),
    )
}

#[expect(clippy::disallowed_methods, reason = "the configuration is read here and nowhere else")]
fn text(root: &Path, folder: &str, name: &str, problems: &mut Vec<Diagnostic>) -> Option<Written> {
    let file = format!("{folder}/{name}");
    let mut bytes = Vec::new();
    // One byte more than is allowed shows that a file is too large, without reading all of it.
    let most = MAX_BYTES as u64 + 1;
    let read = std::fs::File::open(root.join(folder).join(name))
        .and_then(|opened| opened.take(most).read_to_end(&mut bytes));
    if let Err(error) = read {
        problems.push(unreadable(&file, &error.to_string()));
        return None;
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some(Written { file, text }),
        Err(error) if error.as_bytes().len() > MAX_BYTES => {
            // Cutting a large file may have split a character; what is wrong with it is its size.
            Some(Written { file, text: String::from_utf8_lossy(error.as_bytes()).into_owned() })
        }
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let place = Place::at(&file, u32::try_from(line).unwrap_or(u32::MAX), 0);
            let problem = Diagnostic::error("config-syntax", place, "the file is not UTF-8");
            problems.push(problem.hint("save it as UTF-8"));
            None
        }
    }
}

fn unreadable(file: &str, why: &str) -> Diagnostic {
    Diagnostic::error("config-unreadable", Place::file(file), format!("cannot read it: {why}"))
        .hint("check that the file is there and that its rights let you read it")
}
