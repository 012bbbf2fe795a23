//! Exit codes: what a scheduler does next, as numbers.

use std::process::ExitCode;

use crate::run::{self, ErrorKind};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; warnings are included.
    Done = 0,
    /// Something unexpected failed; trying again may help.
    Unexpected = 1,
    /// The command line or the configuration is invalid, or there is nobody by that name.
    Invalid = 2,
    /// The run is held, or a figure of `eval` is below its floor; do not try again.
    Held = 3,
    /// Finished, but some inputs failed or were withheld; the rest is published.
    Partial = 4,
    /// Another run holds the lock.
    Busy = 5,
    /// Stopped on purpose as if killed, for tests.
    Killed = 137,
}

/// The codes as `--help` lists them.
pub(super) const HELP: &str = "\
Exit codes:
  0  done (warnings included)
  1  something unexpected failed; trying again may help
  2  the command line or the configuration is invalid; trying again does not help
  3  the run looks wrong and is held, or `eval` is below a floor; do not try again, look at it
  4  finished, but some inputs failed or were withheld; the rest is published
  5  another run holds the lock";

impl From<&run::Error> for Exit {
    fn from(error: &run::Error) -> Self {
        if matches!(error, run::Error::Stopped(_)) {
            return Self::Killed;
        }
        match error.kind() {
            ErrorKind::Unexpected => Self::Unexpected,
            ErrorKind::Invalid => Self::Invalid,
            ErrorKind::Busy => Self::Busy,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
