//! One child, seen from its parent: what it is asked goes into its standard input, what it answers comes out.
//!
//! What an answer is, is for the caller to say: a frame of a child of our own, a line of a program of the user's.
#![expect(clippy::disallowed_methods, reason = "an edge: a child that takes too long is not waited for")]

use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Result as Io, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
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
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    /// Its answers; `None` for something that is none.
    answers: Receiver<Option<Vec<u8>>>,
    words: Receiver<String>,
    /// The last words of a child that has ended by itself.
    said: String,
    /// How long it has to end by itself when its input has ended.
    grace: Duration,
}

impl Process {
    /// Starts a child that reads requests and answers each.
    pub(super) fn start(mut command: Command, read: ReadAnswer, grace: Duration) -> Result<Self, Death> {
        let never = |error: std::io::Error| Death::NeverBorn(error.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(never)?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (give, answers) = mpsc::channel();
        let (tell, words) = mpsc::channel();
        let this =
            Self { child, input: input.map(BufWriter::new), answers, words, said: String::new(), grace };
        let (Some(output), Some(errors)) = (output, errors) else {
            return Err(Death::NeverBorn("it has no pipes".to_owned()));
        };
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
    pub(super) fn ask(
        &mut self,
        write: &(dyn Fn(&mut dyn Write) -> Io<()> + Sync),
        time: u64,
    ) -> Result<Vec<u8>, Death> {
        let deadline = Instant::now() + Duration::from_millis(time);
        let left = || deadline.saturating_duration_since(Instant::now());
        let Self { child, input, answers, .. } = self;
        let Some(input) = input else { return Err(Death::Crash("it was not there any more".to_owned())) };
        // A child that does not read must not keep its parent from telling the time, so another thread writes.
        let (answer, well) = std::thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            scope.spawn(move || {
                // A child that does not take it all has ended, which shows in what it answers.
                let written = write(input).and_then(|()| input.flush());
                let _ = tell.send(written.is_ok());
            });
            let answer = answers.recv_timeout(left());
            let well = match &answer {
                // The next request must not be written behind half of this one.
                Ok(Some(_)) => told.recv_timeout(left()).is_ok(),
                Ok(None) | Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => ended(child, deadline).is_some(),
            };
            if !well {
                // It may have ended by itself at this very moment; then there is nothing to kill.
                drop(child.kill());
            }
            (answer, well)
        });
        match (answer, well) {
            (Ok(Some(answer)), true) => Ok(answer),
            (Err(RecvTimeoutError::Disconnected), true) => Err(self.post_mortem()),
            (Ok(None), _) => {
                self.kill();
                Err(Death::Crash("its answer makes no sense".to_owned()))
            }
            (Ok(Some(_)) | Err(_), _) => {
                self.kill();
                Err(Death::Time)
            }
        }
    }

    /// What a child died of that has ended by itself.
    fn post_mortem(&mut self) -> Death {
        self.input = None;
        let status = self.child.wait().ok();
        self.said = self.words.recv_timeout(LISTEN).unwrap_or_default();
        Death::told_by(status, &self.said)
    }

    /// What a child last said that has ended by itself.
    pub(super) fn last_words(&self) -> &str {
        &self.said
    }

    fn kill(&mut self) {
        self.input = None;
        // It may have ended by itself at this very moment; then there is nothing to kill.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        if !self.grace.is_zero() {
            ended(&mut self.child, Instant::now() + self.grace);
        }
        self.kill();
    }
}

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
