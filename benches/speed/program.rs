//! Runs the program as a user does, in a process of its own, and measures it: wall time, the highest
//! resident memory that the system noted, and bytes on disk.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What one call came to.
#[derive(Debug)]
pub(crate) struct Ran {
    /// From its start to its end.
    pub(crate) wall: Duration,
    /// The most memory that was resident, in bytes; 0 where the system does not say.
    pub(crate) peak: u64,
    /// What it printed, as JSON.
    pub(crate) json: Value,
}

/// How often the memory of a running child is read. The system keeps the highest value, so only what is
/// taken in the last moment of a process can be missed.
const LOOK: Duration = Duration::from_millis(4);

/// Runs the program in a workspace. The files were written just now, and a scan trusts the stamps of a
/// file only if they are two seconds old, so the program is told that a minute has passed.
pub(crate) fn run(workspace: &Path, words: &[&str]) -> Result<Ran, String> {
    run_on(workspace, words, "2026-06-01")
}

/// The same on a day.
pub(crate) fn run_on(workspace: &Path, words: &[&str], today: &str) -> Result<Ran, String> {
    let now = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(60);
    let mut command = Command::new(env!("CARGO_BIN_EXE_edgewright"));
    command.args(words).args(["--quiet", "--output", "json", "--today", today, "--now"]);
    command.arg(now.to_string()).arg("-C").arg(workspace).env("NO_COLOR", "1");
    measure(&mut command)
}

/// Runs this program again, in a process of its own, for a measure that must not share its memory.
pub(crate) fn again(words: &[&str]) -> Result<Ran, String> {
    let this = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    measure(Command::new(this).args(words))
}

fn measure(command: &mut Command) -> Result<Ran, String> {
    let shown = format!("{command:?}");
    let failed = |what: &str| format!("{shown}: {what}");
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error.to_string()))?;
    let (Some(mut out), Some(mut talk)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(failed("it has no output"));
    };
    let (ended, answer, complaint, peak) = std::thread::scope(|scope| {
        let answer = scope.spawn(move || {
            let mut text = String::new();
            out.read_to_string(&mut text).map(|_| text)
        });
        let complaint = scope.spawn(move || {
            let mut text = String::new();
            talk.read_to_string(&mut text).map(|_| text)
        });
        let peak = watch(&mut child);
        let ended = (child.wait(), started.elapsed());
        (ended, answer.join(), complaint.join(), peak)
    });
    let (Ok(Ok(answer)), Ok(Ok(complaint))) = (answer, complaint) else {
        return Err(failed("its output cannot be read"));
    };
    let (status, wall) = ended;
    let status = status.map_err(|error| failed(&error.to_string()))?;
    if !status.success() {
        return Err(failed(&format!("{status}\n{complaint}{answer}")));
    }
    let last = answer.trim_end().lines().last().unwrap_or("null");
    let json = serde_json::from_str(last).map_err(|error| failed(&format!("{error} in {last}")))?;
    Ok(Ran { wall, peak, json })
}

/// Waits for a child to end, and returns the highest resident memory that was seen.
fn watch(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    // The first looks are short, so that the end of a short run is not waited for.
    let mut pause = Duration::from_micros(250);
    while let Ok(None) = child.try_wait() {
        if let Some(seen) = fs::read_to_string(&status).ok().as_deref().and_then(high_water) {
            peak = peak.max(seen);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
    peak
}

/// The line `VmHWM:   1234 kB`.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The bytes of all files below a folder.
pub(crate) fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
