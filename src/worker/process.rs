//! One child, seen from its parent: what it is asked goes into its standard input, what it answers comes out.
//!
//! What an answer is, is for the caller to say: a frame of a child of our own, a line of a program of the user's.
#![expect(clippy::disallowed_methods, reason = "an edge: a child that takes too long is not waited for")]

use std::io::{BufRead, BufReader, ErrorKind, Read, Result as Io, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use super::death::Death;

/// How much of what a child says on standard error is kept: its last words.
const LAST_WORDS: usize = 4096;

/// How often a child that is to end is asked whether it has.
const STEP: Duration = Duration::from_millis(10);

/// How long the last words of a child that has ended are waited for: what it started may hold that end open.
pub(super) const LISTEN: Duration = Duration::from_millis(500);

/// Reads an answer; `None` where no more comes. An answer that cannot be one is [`ErrorKind::InvalidData`].
pub(super) type ReadAnswer = fn(&mut dyn BufRead) -> Io<Option<Vec<u8>>>;

/// A child that lives, or did when it was last asked.
#[derive(Debug)]
pub(super) struct Process {
    /// None once it has ended.
    child: Option<Child>,
    /// None once nothing more is asked.
    pipes: Option<Pipes>,
    words: Receiver<String>,
    /// The last words of a child that has ended by itself.
    said: String,
    /// How long it has to end by itself when its input has ended. One of our own has no time, and has started nobody.
    grace: Duration,
    /// Until when it has, once nothing more is asked.
    until: Instant,
}

/// The two ends of a child, each held by a thread of its own. Nobody waits for these threads: what the child has
/// started may hold its ends open for as long as it likes. Without a `Pipes` the input ends once what is being written
/// is, and no more than one answer is read, into nothing.
#[derive(Debug)]
struct Pipes {
    requests: SyncSender<Vec<u8>>,
    /// Says of each request when nothing more of it is to be written.
    written: Receiver<()>,
    /// Its answers; `None` for something that is none. There is never more than one that nobody has asked for.
    answers: Receiver<Option<Vec<u8>>>,
}

impl Process {
    /// Starts a child that reads requests and answers each.
    pub(super) fn start(mut command: Command, read: ReadAnswer, grace: Duration) -> Result<Self, Death> {
        let never = |error: std::io::Error| Death::NeverBorn(error.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(never)?;
        let until = Instant::now();
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (requests, asked) = mpsc::sync_channel::<Vec<u8>>(1);
        let (tell_written, written) = mpsc::sync_channel(1);
        let (give, answers) = mpsc::sync_channel(0);
        let (tell, words) = mpsc::channel();
        let pipes = Some(Pipes { requests, written, answers });
        let this = Self { child: Some(child), pipes, words, said: String::new(), grace, until };
        let (Some(mut input), Some(output), Some(errors)) = (input, output, errors) else {
            return Err(Death::NeverBorn("it has no pipes".to_owned()));
        };
        let writer = std::thread::Builder::new().name("requests".to_owned());
        writer
            .spawn(move || {
                for request in asked {
                    // A child that does not take it all has ended, which shows in what it answers.
                    drop(input.write_all(&request).and_then(|()| input.flush()));
                    if tell_written.send(()).is_err() {
                        break;
                    }
                }
            })
            .map_err(never)?;
        let reader = std::thread::Builder::new().name("answers".to_owned());
        reader
            .spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let answer = match read(&mut output) {
                        Ok(Some(answer)) => Some(answer),
                        Err(error) if error.kind() == ErrorKind::InvalidData => None,
                        // It has ended; of what, its status tells.
                        Ok(None) | Err(_) => break,
                    };
                    let is_last = answer.is_none();
                    if give.send(answer).is_err() || is_last {
                        break;
                    }
                }
            })
            .map_err(never)?;
        let listener = std::thread::Builder::new().name("last words".to_owned());
        // Nobody listens any more where the child has ended well.
        listener.spawn(move || drop(tell.send(last_words(errors)))).map_err(never)?;
        Ok(this)
    }

    /// Asks for one answer within a time, in milliseconds. After an error the child is dead.
    pub(super) fn ask(&mut self, request: Vec<u8>, time: u64) -> Result<Vec<u8>, Death> {
        let deadline = Instant::now() + Duration::from_millis(time);
        let left = || deadline.saturating_duration_since(Instant::now());
        let Some(Pipes { requests, written, answers }) = &self.pipes else {
            return Err(Death::Crash("it was not there any more".to_owned()));
        };
        // The one before was written as a whole, so there is room for this one; and the thread only ends with `pipes`.
        drop(requests.send(request));
        let death = match answers.recv_timeout(left()) {
            // The next request must not be written behind half of this one. An answer that came in time is one, so the
            // thread that writes has a moment to say that it is done.
            Ok(Some(answer)) if written.recv_timeout(left().max(LISTEN)).is_ok() => return Ok(answer),
            Ok(None) => Death::Crash("its answer makes no sense".to_owned()),
            Err(RecvTimeoutError::Disconnected) => match self.wait(deadline) {
                Some(status) => return Err(self.post_mortem(status)),
                None => Death::Time,
            },
            Ok(Some(_)) | Err(RecvTimeoutError::Timeout) => Death::Time,
        };
        self.kill();
        Err(death)
    }

    /// What a child died of that has ended by itself.
    fn post_mortem(&mut self, status: ExitStatus) -> Death {
        self.pipes = None;
        self.said = self.words.recv_timeout(LISTEN).unwrap_or_default();
        Death::told_by(status, &self.said)
    }

    /// What a child last said that has ended by itself.
    pub(super) fn last_words(&self) -> &str {
        &self.said
    }

    /// Says that nothing more is asked: the child's input ends, and from now on it has its time to end by itself.
    /// One that is still writing is told so by the end of its output.
    pub(super) fn close(&mut self) {
        if self.pipes.take().is_some() {
            self.until = Instant::now() + self.grace;
        }
    }

    /// Ends a child that is of no more use, at once.
    pub(super) fn kill(&mut self) {
        self.pipes = None;
        if let Some(child) = self.child.take() {
            kill(child, !self.grace.is_zero());
        }
    }

    /// Waits for the child to end by itself; `None` if it has not when the time is over.
    fn wait(&mut self, until: Instant) -> Option<ExitStatus> {
        let status = ended(self.child.as_mut()?, until)?;
        self.child = None;
        Some(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.close();
        if self.wait(self.until).is_none() {
            self.kill();
        }
    }
}

/// Ends a child at once, and with the leader of a group what it has started, as far as that is still of the group. It
/// must be one for which nobody has waited: its number is its own until somebody does.
pub(super) fn kill(mut child: Child, leads: bool) {
    if leads {
        kill_group(child.id());
    }
    // It may have ended by itself at this very moment; then there is nothing to kill.
    drop(child.kill());
    drop(child.wait());
}

/// Kills every process of a group. The standard library has no word for that, but every shell has; where there is none,
/// the child alone is killed.
#[cfg(unix)]
fn kill_group(leader: u32) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill -KILL \"-$0\"", &leader.to_string()]).env_clear();
    drop(shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status());
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}

/// Waits for a child to end; `None` if it has not when the time is over.
pub(super) fn ended(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(STEP),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Reads to the end and keeps the last of it.
pub(super) fn last_words(mut from: impl Read) -> String {
    let (mut kept, mut piece) = (Vec::new(), [0_u8; 1024]);
    while let Ok(more @ 1..) = from.read(&mut piece) {
        kept.extend_from_slice(piece.get(..more).unwrap_or_default());
        let over = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..over);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
