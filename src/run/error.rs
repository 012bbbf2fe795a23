//! Why a job failed, as opposed to what is wrong with its input.

use crate::diag::Diagnostic;
use crate::{index, serve, store};

/// A failed job.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The configuration is invalid: everything that is wrong with it.
    #[error("the configuration is invalid")]
    Config(Vec<Diagnostic>),
    /// What was asked for cannot be done as asked.
    #[error("{message}")]
    Usage {
        /// What is wrong, as a fragment.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// The words of the command name what there is not, or ask for what may not be: nothing was begun.
    #[error("{message}")]
    Words {
        /// What is wrong, as a fragment.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// Another run holds the lock.
    #[error("another run is writing to this graph (it holds `{path}`)")]
    Busy {
        /// The lock file.
        path: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The text index failed.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// A file of the program's own failed.
    #[error("cannot {doing} `{path}`")]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The run was told to stop here, as if it had been killed.
    #[error("stopped at `{0}` as asked")]
    Stopped(super::Step),
    /// A mistake of ours; the words say which invariant broke.
    #[error("this is a fault of edgewright: {0}")]
    Bug(String),
}

/// What a caller does about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Trying again may help. Exit code 1.
    Unexpected,
    /// Usage or configuration is invalid; trying again does not help. Exit code 2.
    Invalid,
    /// Another run holds the lock. Exit code 5.
    Busy,
}

impl Error {
    /// What went wrong, as a fragment: before all else, that the disk is full.
    pub fn told(&self) -> String {
        if self.is_disk_full() { format!("the disk is full: {self}") } else { self.to_string() }
    }

    /// True if there is no room on the disk for what was to be written.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Store(error) => error.is_disk_full(),
            Self::Index(error) => error.is_disk_full(),
            Self::File { source, .. } => crate::diag::is_disk_full(source),
            Self::Config(_)
            | Self::Usage { .. }
            | Self::Words { .. }
            | Self::Busy { .. }
            | Self::Stopped(_)
            | Self::Bug(_) => false,
        }
    }

    /// The same, as a fault of whoever wrote the command.
    pub(super) fn of_words(self) -> Self {
        match self {
            Self::Usage { message, hint } => Self::Words { message, hint },
            other => other,
        }
    }

    /// The same, with what has been done before it came to that, which would not be told otherwise.
    pub(super) fn beside(self, done: &[Diagnostic]) -> Self {
        match self {
            Self::Usage { message, hint } if !done.is_empty() => {
                let done: Vec<String> = done.iter().map(ToString::to_string).collect();
                Self::Usage { message: format!("{message}\n{}", done.join("\n")), hint }
            }
            other => other,
        }
    }

    /// What a caller does about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Config(_) | Self::Usage { .. } | Self::Words { .. } => ErrorKind::Invalid,
            Self::Store(store::Error::Absent { .. } | store::Error::Format { .. }) => ErrorKind::Invalid,
            Self::Busy { .. } => ErrorKind::Busy,
            Self::Store(_) | Self::Index(_) | Self::File { .. } | Self::Stopped(_) | Self::Bug(_) => {
                ErrorKind::Unexpected
            }
        }
    }
}

impl From<serve::Error> for Error {
    fn from(error: serve::Error) -> Self {
        match error {
            serve::Error::Store(error) => Self::Store(error),
            serve::Error::Index(error) => Self::Index(error),
            serve::Error::Asked { message, hint } => Self::Usage { message, hint },
        }
    }
}

impl From<store::LockError> for Error {
    fn from(error: store::LockError) -> Self {
        match error {
            store::LockError::Busy { path } => Self::Busy { path },
            store::LockError::Store(error) => Self::Store(error),
        }
    }
}
