//! The lock that guards a store: one run at a time, whatever happens to the process that held it.
#![expect(clippy::disallowed_methods, reason = "the lock is a file beside the store")]

use std::fs::{File, TryLockError};
use std::path::Path;

use super::Error;

/// Held while a run writes. The system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why the lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another run holds it.
    #[error("another run is writing to this graph (it holds `{path}`)")]
    Busy {
        /// The lock file.
        path: String,
    },
    /// The lock file cannot be made.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Lock {
    /// Takes the lock at a path or says at once that another holds it.
    pub fn take(path: &Path) -> Result<Self, LockError> {
        let failed = |source| {
            LockError::Store(Error::File {
                doing: "make the lock file",
                path: path.display().to_string(),
                source,
            })
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let file = File::create(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Busy { path: path.display().to_string() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}
