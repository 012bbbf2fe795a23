//! Where things are in a workspace.

use std::path::{Path, PathBuf};

/// A workspace's folder. One workspace, one graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace in a folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder that holds `ontology/` and `jobs/`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the program's own state.
    pub fn state(&self) -> PathBuf {
        self.root.join(".edgewright")
    }

    /// The database.
    pub fn store(&self) -> PathBuf {
        self.state().join("graph.db")
    }

    /// The text index.
    pub fn index(&self) -> PathBuf {
        self.state().join("index")
    }

    /// The lock.
    pub fn lock(&self) -> PathBuf {
        self.state().join("lock")
    }

    /// The kept lexicon of an ontology: derived, and made again where it is missing.
    pub fn names(&self, ontology: &str) -> PathBuf {
        self.names_all().join(format!("{ontology}.names"))
    }

    /// The folder of what parsers of the user's wrote: derived, and made again where it is missing.
    pub fn parsed(&self) -> PathBuf {
        self.state().join("parsed")
    }

    /// The changelog's folder.
    pub fn changelog(&self) -> PathBuf {
        self.root.join("changelog")
    }

    /// The changelog's file of a generation.
    pub fn changelog_file(&self, generation: u64) -> PathBuf {
        self.changelog().join(format!("{generation:06}.jsonl"))
    }

    /// The folder of the reports of runs.
    pub fn runs(&self) -> PathBuf {
        self.state().join("runs")
    }

    /// The reports of a run.
    pub fn run_folder(&self, run: &str) -> PathBuf {
        self.runs().join(run)
    }

    /// What was told to the receivers of all jobs.
    pub fn told_all(&self) -> PathBuf {
        self.state().join("told")
    }

    /// The note of a purge that is going on.
    pub fn purge(&self) -> PathBuf {
        self.state().join("purge.json")
    }

    /// The automata of the names of all ontologies.
    pub fn names_all(&self) -> PathBuf {
        self.state().join("names")
    }

    /// What was told to the receivers of a job's alerts, and what still has to be.
    pub fn told(&self, job: &str) -> PathBuf {
        self.told_all().join(job)
    }
}
