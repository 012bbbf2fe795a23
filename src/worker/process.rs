//! One child, seen from its parent.

use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::death::Death;
use super::wire::{self, Answer, Head};
use super::{CALLED, FAULTY, Parsed};
use crate::model::job::Limits;
use crate::parse::Format;

/// How much of what a child says on standard error is kept: its last words.
const LAST_WORDS: usize = 4096;

/// An answer may be this much longer than the text that the limits allow: spans and numbers.
const AROUND: u64 = 256 << 20;

/// A child that lives, or did when it was last asked.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    /// Its answers; `None` for something that is none.
    answers: Receiver<Option<Vec<u8>>>,
    words: Option<JoinHandle<String>>,
}

impl Process {
    /// Starts a child. It inherits nothing of the environment.
    pub(super) fn start(program: &Path, faulty: bool) -> Result<Self, Death> {
        let never = |error: std::io::Error| Death::NeverBorn(error.to_string());
        let mut command = Command::new(program);
        command.arg(CALLED).args(faulty.then_some(FAULTY)).env_clear();
        // The allocator takes memory as it is needed, so that the limit counts what the parser asked for.
        command.env("MIMALLOC_ARENA_EAGER_COMMIT", "0").env("MIMALLOC_ARENA_RESERVE", "16MiB");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(never)?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (give, answers) = mpsc::channel();
        let mut this = Self { child, input: input.map(BufWriter::new), answers, words: None };
        let (Some(mut output), Some(errors)) = (output, errors) else {
            return Err(Death::NeverBorn("it has no pipes".to_owned()));
        };
        let reader = std::thread::Builder::new().name("answers".to_owned());
        reader
            .spawn(move || {
                loop {
                    let answer = match wire::read(&mut output, AROUND + (1 << 32)) {
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
        this.words = Some(listener.spawn(move || last_words(errors)).map_err(never)?);
        Ok(this)
    }

    /// Has a document parsed. After an error the child is dead.
    pub(super) fn parse(
        &mut self,
        file: &str,
        format: Format,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Parsed, Death> {
        let head = Head { file: file.to_owned(), format, limits: *limits };
        let head = serde_json::to_vec(&head).map_err(|error| Death::Crash(error.to_string()))?;
        let asked = self.input.as_mut().is_some_and(|input| {
            let written = wire::write(input, &head).and_then(|()| wire::write(input, bytes));
            written.and_then(|()| input.flush()).is_ok()
        });
        if !asked {
            return Err(self.post_mortem());
        }
        let nonsense = || Death::Crash("its answer makes no sense".to_owned());
        let answer = match self.answers.recv_timeout(Duration::from_millis(limits.time)) {
            Ok(Some(answer)) => answer,
            Ok(None) => {
                self.kill();
                return Err(nonsense());
            }
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                return Err(Death::Time);
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.post_mortem()),
        };
        let answer: Answer = serde_json::from_slice(&answer).map_err(|_| nonsense())?;
        match answer {
            Answer::Panicked(words) => Err(Death::Crash(format!("it panicked: {words}"))),
            Answer::Parsed(document, remarks) => {
                if document.as_ref().is_some_and(|document| !document.is_sound()) {
                    return Err(nonsense());
                }
                let diagnostics = remarks.into_iter().map(|remark| remark.into_diagnostic(file));
                Ok((document, diagnostics.collect::<Option<Vec<_>>>().ok_or_else(nonsense)?))
            }
        }
    }

    /// What a child died of that has closed its output, or does not read its input any more.
    fn post_mortem(&mut self) -> Death {
        self.input = None;
        // Where it has only closed its output, the end of its input ends it.
        let status = self.child.wait().ok();
        let words = self.words.take().and_then(|words| words.join().ok()).unwrap_or_default();
        Death::told_by(status, &words)
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
        self.kill();
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
