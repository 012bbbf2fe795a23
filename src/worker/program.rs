//! Programs of the user's that are asked about chunks: a line in, a line out, and they stay for the next one.

use std::io::{BufRead, Error, ErrorKind, Read, Result as Io};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::death::Death;
use super::process::Process;
use super::{CALLED, UNDER};
use crate::model::job::{Limits, Program};

/// How long a program has to end when nothing more is asked, or when it has written all.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// The longest answer, in bytes: a program that writes more has lost its way.
const LONGEST: u64 = 8 << 20;

/// A program of the user's, with a limit on its memory, in the workspace's folder. It leads a process group of its own,
/// so that what it starts can be ended with it.
pub(super) fn command(this: &Path, root: &Path, program: &Program, limits: &Limits) -> Command {
    let mut command = Command::new(this);
    command.arg(CALLED).arg(UNDER).arg(limits.memory.to_string()).args(&program.command);
    command.env_clear().envs(&program.environment).current_dir(root);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Starts a program.
pub(super) fn start(this: &Path, root: &Path, program: &Program, limits: &Limits) -> Result<Process, Death> {
    Process::start(command(this, root, program, limits), line, GRACE)
}

/// Asks a program about a chunk. After an error it is dead, or of no more use: what it wrote may be half of something
/// else.
pub(super) fn ask<T>(
    program: &mut Process,
    line: &str,
    limits: &Limits,
    read: &dyn Fn(&[u8]) -> Result<T, String>,
) -> Result<T, Death> {
    let request = format!("{line}\n").into_bytes();
    let answer = program.ask(request, limits.time).map_err(|death| match death {
        Death::Crash(_) => death.with_last_word(program.last_words()),
        death => death,
    })?;
    read(&answer).map_err(Death::Nonsense)
}

/// The next line that is not blank. A line without an end is none: its program died over it.
fn line(output: &mut dyn BufRead) -> Io<Option<Vec<u8>>> {
    loop {
        let mut line = Vec::new();
        output.take(LONGEST).read_until(b'\n', &mut line)?;
        if line.pop_if(|last| *last == b'\n').is_none() {
            return if line.len() as u64 >= LONGEST {
                Err(Error::from(ErrorKind::InvalidData))
            } else {
                Ok(None)
            };
        }
        if !line.iter().all(u8::is_ascii_whitespace) {
            return Ok(Some(line));
        }
    }
}
