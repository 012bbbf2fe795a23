//! Why a command ends early.

use std::io;

use crate::{run, serve, store};

/// Why a command ends early.
#[derive(Debug)]
pub(super) enum Failure {
    /// The job failed.
    Run(run::Error),
    /// The reader of the output went away, or the output cannot be written.
    Output(io::Error),
}

impl Failure {
    /// What was asked for cannot be done as asked.
    pub(super) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Run(run::Error::Usage { message: message.into(), hint: Some(hint.into()) })
    }

    /// A file that the command line works on failed.
    pub(super) fn file(doing: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self::Run(run::Error::File { doing, path, source })
    }
}

impl From<run::Error> for Failure {
    fn from(error: run::Error) -> Self {
        Self::Run(error)
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        Self::Run(error.into())
    }
}

impl From<store::LockError> for Failure {
    fn from(error: store::LockError) -> Self {
        Self::Run(error.into())
    }
}

impl From<serve::Error> for Failure {
    fn from(error: serve::Error) -> Self {
        Self::Run(error.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
