//! How a child ended that did not answer, as a diagnostic of the document that it had.

use std::process::ExitStatus;

use crate::diag::{Diagnostic, Place};
use crate::model::job::Limits;
use crate::source::feed::NotUnpacked;

/// Why a child gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Death {
    /// It could not be started.
    NeverBorn(String),
    /// It took longer than it may, and was killed.
    Time,
    /// It asked for more memory than it may have.
    Memory,
    /// It wrote more than a document may have: bytes.
    Large(u64),
    /// It ended by itself: what is known of it.
    Crash(String),
    /// It answered what is no answer: what is wrong with it.
    Nonsense(String),
}

impl Death {
    /// What the end of a process and its last words say.
    pub(super) fn told_by(status: ExitStatus, words: &str) -> Self {
        // The standard library's own words when there is no memory left to do anything but say so.
        if words.contains("memory allocation of ") {
            return Self::Memory;
        }
        match signal(status) {
            // Nobody here has killed it, so the system did: that is what it does when memory runs out.
            Some(9) => return Self::Memory,
            Some(number) => return Self::Crash(signal_name(number, words)),
            None => {}
        }
        match status.code() {
            Some(0) => Self::Crash("its process ended and gave no answer".to_owned()),
            Some(code) => Self::Crash(format!("its process ended with code {code}")),
            None => Self::Crash("its process ended".to_owned()),
        }
    }

    /// The same of a program of the user's: the last of what it said may be the best of what is known.
    pub(super) fn with_last_word(self, words: &str) -> Self {
        match self {
            Self::Crash(how) => {
                let last = words.lines().rev().find(|line| !line.trim().is_empty());
                Self::Crash(last.map_or(how.clone(), |last| format!("{how}, saying: {}", last.trim())))
            }
            death => death,
        }
    }

    /// The diagnostic of the document that was being parsed.
    pub(super) fn of(self, at: Place, limits: &Limits) -> Diagnostic {
        let raise = |key: &str| {
            format!("look at the file; if it is right, raise `limits: {{ {key}: … }}` of the source")
        };
        match self {
            Self::Time => {
                let message =
                    format!("parsing it took more than {}, twice: it stays as it was", time(limits.time));
                Diagnostic::error("parse-timeout", at, message).hint(raise("time"))
            }
            Self::Memory => {
                let message = format!(
                    "parsing it took more than {} of memory, twice: it stays as it was",
                    memory(limits.memory)
                );
                Diagnostic::error("parse-memory", at, message).hint(raise("memory"))
            }
            Self::Large(bytes) => {
                let message = format!("its parser wrote more than {bytes} bytes: it stays as it was");
                Diagnostic::error("parse-too-large", at, message).hint(raise("characters"))
            }
            Self::Crash(how) | Self::Nonsense(how) => {
                let message = format!("its parser broke down, twice: it stays as it was ({how})");
                let hint =
                    "open the file and save it anew, or leave it out with `exclude`; please report the fault";
                Diagnostic::error("parse-crash", at, message).hint(hint)
            }
            Self::NeverBorn(why) => {
                let message =
                    format!("no process could be started to parse it, so it stays as it was: {why}");
                let hint =
                    "formats such as PDF are parsed in processes of their own; the next run tries again";
                Diagnostic::error("parse-no-process", at, message).hint(hint)
            }
        }
    }
}

impl Death {
    /// The same of the file of a feed that was being unpacked.
    pub(super) fn of_table(self, limits: &Limits) -> NotUnpacked {
        let hint = match self {
            Self::Time | Self::Memory | Self::Large(_) => {
                "look at the file; if it is right, raise `limits` of the feed"
            }
            Self::NeverBorn(_) => {
                "workbooks and Parquet files are unpacked in processes of their own; the next run tries again"
            }
            Self::Crash(_) | Self::Nonsense(_) => {
                "open the file and save it anew, or export it as CSV; please report the fault"
            }
        };
        NotUnpacked { why: Silence::of(self, limits).why, hint }
    }
}

/// Why a program of the user's gave no answer about a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    /// True if it wrote something, and that was no answer.
    pub nonsense: bool,
    /// What happened.
    pub why: String,
}

impl Silence {
    pub(super) fn of(death: Death, limits: &Limits) -> Self {
        let why = match death {
            Death::Time => format!("it gave no answer within {}, twice", time(limits.time)),
            Death::Memory => format!("it took more than {} of memory, twice", memory(limits.memory)),
            Death::Large(bytes) => format!("it wrote more than {bytes} bytes"),
            Death::Crash(how) => format!("it broke down, twice ({how})"),
            Death::NeverBorn(why) => format!("it could not be started ({why})"),
            Death::Nonsense(why) => return Self { nonsense: true, why },
        };
        Self { nonsense: false, why }
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

fn signal_name(number: i32, words: &str) -> String {
    if words.contains("overflowed its stack") {
        return "it nests too deeply for the stack".to_owned();
    }
    match number {
        4 => "illegal instruction".to_owned(),
        6 => "it gave up".to_owned(),
        7 | 10 => "bus error".to_owned(),
        8 => "arithmetic error".to_owned(),
        11 => "access to memory that is not its own".to_owned(),
        number => format!("signal {number}"),
    }
}

/// Milliseconds as a person writes them.
fn time(milliseconds: u64) -> String {
    match milliseconds {
        whole if whole.is_multiple_of(1000) => format!("{} s", whole / 1000),
        part => format!("{part} ms"),
    }
}

/// Bytes as a person writes them.
fn memory(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bytes} bytes"), |(unit, name)| format!("{} {name}", bytes / unit))
}
