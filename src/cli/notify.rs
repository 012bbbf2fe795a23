//! `notify`: tells receivers of alerts what they have not heard, or that this is a test.

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use super::tell::Teller;
use crate::diag::nearest;
use crate::notify::Delivered;
use crate::run;

/// Send alerts that did not come through, or a test
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright notify --test        does each receiver of the jobs take an alert?
  edgewright notify nightly       try again what waits")]
pub(super) struct Args {
    /// The jobs whose receivers are meant; default: all.
    jobs: Vec<String>,
    /// Send each receiver an alert that says that it is a test.
    #[arg(long)]
    test: bool,
}

/// What became of alerts.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Notified {
    /// The version of this form.
    pub(super) version: u32,
    /// True if they were a test.
    pub(super) test: bool,
    /// The receivers of the jobs.
    pub(super) receivers: Vec<Delivered>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    if !loaded.ok() {
        return Err(run::Error::Config(loaded.diagnostics).into());
    }
    let known = || loaded.jobs.iter().map(|job| job.name.as_str());
    if let Some(unknown) = args.jobs.iter().find(|name| known().all(|known| known != name.as_str())) {
        let hint = match nearest(unknown, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the jobs are: {}", known().collect::<Vec<_>>().join(", ")),
        };
        return Err(Failure::usage(format!("there is no job `{unknown}`"), hint));
    }
    let wanted = |name: &String| args.jobs.is_empty() || args.jobs.contains(name);
    let mut jobs = loaded.jobs.iter().filter(|job| wanted(&job.name));
    if jobs.all(|job| job.outputs.alerts.is_none()) {
        let hint = "declare some in a job: `alerts: { receivers: { chat: { url: https://… } } }`";
        return Err(Failure::usage("these jobs have no receivers of alerts", hint));
    }
    let teller = Teller::of(&workspace, &loaded, &args.jobs);
    let receivers = if args.test { teller.test(shell) } else { teller.deliver(shell)? };
    let all = receivers.iter().all(|one| one.error.is_none() && one.refused.is_empty());
    shell.out.value(&Notified { version: 1, test: args.test, receivers }, render::notified)?;
    Ok(if all { Exit::Done } else { Exit::Unexpected })
}
