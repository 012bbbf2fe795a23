//! A program of the user's that parses documents: a file's path in, blocks of text out.
#![expect(clippy::disallowed_methods, reason = "an edge: what programs wrote is kept in files")]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::Parsed;
use super::death::Death;
use super::process::{LISTEN, ended, kill, last_words};
use super::program::{GRACE, command};
use crate::diag::Place;
use crate::model::id::Fingerprint;
use crate::model::job::{Limits, Parser};
use crate::parse::external::from_output;

/// An output may have so many bytes for each character that a document may have: JSON around words.
const AROUND: u64 = 16;

/// Where things are that a program is called with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Where<'w> {
    /// This program, under which another one runs with a limit on its memory.
    pub(super) program: &'w Path,
    /// The workspace: the folder in which a program runs.
    pub(super) root: &'w Path,
    /// The folder of what programs wrote.
    pub(super) kept: &'w Path,
    /// True if nothing may be written.
    pub(super) plan: bool,
    /// Counts how often a program is called.
    pub(super) calls: &'w AtomicU64,
}

/// Parses a document with a program, unless what it wrote for the same bytes is still there.
pub(super) fn parse(
    place: Where<'_>,
    parser: &Parser,
    file: &str,
    on_disk: &Path,
    bytes: &[u8],
    limits: &Limits,
) -> Parsed {
    let key = Fingerprint::of(&[
        &Fingerprint::of_bytes(bytes).to_string(),
        &parser.program.fingerprint().to_string(),
    ]);
    let kept = place.kept.join(format!("{key}.jsonl"));
    if let Ok(output) = fs::read(&kept)
        && let (Some(document), diagnostics) = from_output(file, &output, limits)
    {
        return (Some(document), diagnostics);
    }
    // A second try, as for the parsers of our own: what else was going on may have had a part in it.
    let output = match ask(place, parser, on_disk, limits) {
        Err(death @ (Death::NeverBorn(_) | Death::Large(_))) => Err(death),
        Err(_) => ask(place, parser, on_disk, limits),
        Ok(output) => Ok(output),
    };
    let output = match output {
        Ok(output) => output,
        Err(death) => return (None, vec![death.of(Place::file(file), limits)]),
    };
    let parsed = from_output(file, &output, limits);
    if parsed.0.is_some() && !place.plan {
        keep(&kept, &output);
    }
    parsed
}

/// Keeps what a program wrote. That is a convenience: without it the program is asked again.
fn keep(kept: &Path, output: &[u8]) {
    // Equal bytes of two documents may be kept at once, by two threads or processes.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let (Some(folder), Some(name)) = (kept.parent(), kept.file_name()) else { return };
    // A folder of their own, so that whoever writes next finds what a killed process has left half written.
    let halves = folder.join(Parser::HALVES);
    let half: PathBuf = halves.join(format!("{}-{}-{number}", name.display(), std::process::id()));
    let folder = fs::create_dir_all(&halves);
    let written = folder.and_then(|()| fs::write(&half, output)).and_then(|()| fs::rename(&half, kept));
    if written.is_err() {
        drop(fs::remove_file(&half));
    }
}

/// Calls the program once.
fn ask(place: Where<'_>, parser: &Parser, on_disk: &Path, limits: &Limits) -> Result<Vec<u8>, Death> {
    let never = |error: std::io::Error| Death::NeverBorn(error.to_string());
    let mut command = command(place.program, place.root, &parser.program, limits);
    command.arg(on_disk).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    place.calls.fetch_add(1, Ordering::Relaxed);
    let mut child = command.spawn().map_err(never)?;
    let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(Death::NeverBorn("it has no pipes".to_owned()));
    };
    let (give, take) = mpsc::channel();
    let most = limits.characters.saturating_mul(AROUND).saturating_add(1 << 20);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.take(most).read_to_end(&mut bytes);
        // Nobody listens any more if it took too long.
        drop(give.send(read.map(|_| bytes)));
    });
    let (tell, told) = mpsc::channel();
    // What the program started itself may hold this end open for as long as it likes.
    std::thread::spawn(move || drop(tell.send(last_words(errors))));
    let deadline = Instant::now() + Duration::from_millis(limits.time);
    let left = || deadline.saturating_duration_since(Instant::now());
    let output = match take.recv_timeout(left()) {
        Ok(Ok(output)) if (output.len() as u64) < most => Ok(output),
        Ok(Ok(_)) => Err(Death::Large(most)),
        Ok(Err(error)) => Err(Death::Crash(error.to_string())),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(Death::Time),
    };
    let done = output.and_then(|output| {
        // A program that has closed its output may go on; its time is the same, and a moment to end in any case.
        let until = deadline.max(Instant::now() + GRACE);
        Ok((output, ended(&mut child, until).ok_or(Death::Time)?))
    });
    match done {
        Ok((output, status)) if status.success() => Ok(output),
        Ok((_, status)) => {
            let words = told.recv_timeout(left().max(LISTEN)).unwrap_or_default();
            Err(Death::told_by(status, &words).with_last_word(&words))
        }
        Err(death) => {
            kill(child, true);
            Err(death)
        }
    }
}
