//! The report of a run that failed: what can be said of it, where it can be written.

use crate::store::Store;

use super::once::{Options, run_id};
use super::report::{DiagnosticReport, FailureReport, Outcome};
use super::watch::Watch;
use super::{Error, ErrorKind, RunReport, Workspace, output};

/// Leaves the report of a failed run. A run that found another one at work, was mistyped, or was stopped as if killed,
/// leaves none; and where no report can be written, the error itself is all that is said.
pub(super) fn leave_report(workspace: &Workspace, options: &Options, watch: &Watch, error: &Error) {
    let exit_code = match (error, error.kind()) {
        (Error::Stopped(_) | Error::Words { .. }, _) | (_, ErrorKind::Busy) => return,
        (_, ErrorKind::Unexpected) => 1,
        (_, ErrorKind::Invalid) => 2,
    };
    let before = Store::open_read(&workspace.store()).and_then(|store| store.published()).unwrap_or(0);
    let mut report = RunReport::begun(run_id(options, before), options, before);
    report.outcome = Outcome::Failed;
    report.exit_code = exit_code;
    report.job = options.jobs.join(", ");
    if let Error::Config(diagnostics) = error {
        report.diagnostics = diagnostics.iter().map(DiagnosticReport::from).collect();
    }
    report.error = Some(FailureReport { message: error.told(), causes: causes(error) });
    report.end(watch);
    // A workspace in which nothing can be written is a reason of failure, and said by the error.
    drop(output::write_failure(workspace, &report));
}

fn causes(error: &Error) -> Vec<String> {
    let first = std::error::Error::source(error);
    std::iter::successors(first, |error| error.source()).map(ToString::to_string).collect()
}
