//! `check`: everything that is wrong with the files a person writes, at once.

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::diag::Severity;
use crate::run;
use crate::run::report::DiagnosticReport;

/// List everything that is wrong with ontology and jobs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright check
  edgewright check --output json

Exits with 2 if anything is an error.")]
pub(super) struct Args {}

/// What `check` found.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Checked {
    /// The version of this form.
    pub(super) version: u32,
    /// True if nothing is an error.
    pub(super) ok: bool,
    /// The ontologies that were read.
    pub(super) ontologies: Vec<String>,
    /// The jobs that were read.
    pub(super) jobs: Vec<String>,
    /// What is wrong.
    pub(super) diagnostics: Vec<DiagnosticReport>,
}

pub(super) fn run(shell: &mut Shell<'_>, _: &Args) -> Result<Exit, Failure> {
    let mut loaded = shell.loaded()?;
    loaded.diagnostics.extend(run::missing_golden(&shell.workspace()?, &loaded)?);
    let ok = loaded.diagnostics.iter().all(|one| one.severity != Severity::Error);
    let checked = Checked {
        version: 1,
        ok,
        ontologies: loaded.ontologies.keys().cloned().collect(),
        jobs: loaded.jobs.iter().map(|job| job.name.clone()).collect(),
        diagnostics: loaded.diagnostics.iter().map(DiagnosticReport::from).collect(),
    };
    shell.out.value(&checked, |checked| render::check(checked, &loaded.diagnostics))?;
    Ok(if ok { Exit::Done } else { Exit::Invalid })
}
