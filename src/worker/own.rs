//! A child of our own, seen from its parent: a document goes in, what a parser makes of it comes out.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::death::Death;
use super::process::Process;
use super::wire::{self, Answer, Head};
use super::{CALLED, FAULTY, Parsed};
use crate::model::job::Limits;
use crate::parse::Format;

/// The longest answer, in bytes: one that claims to be longer is none.
const LONGEST: u64 = (1 << 32) + (256 << 20);

/// Starts a child. It inherits nothing of the environment.
pub(super) fn start(program: &Path, faulty: bool) -> Result<Process, Death> {
    let mut command = Command::new(program);
    command.arg(CALLED).args(faulty.then_some(FAULTY)).env_clear();
    // The allocator takes memory as it is needed, so that the limit counts what the parser asked for.
    command.env("MIMALLOC_ARENA_EAGER_COMMIT", "0").env("MIMALLOC_ARENA_RESERVE", "16MiB");
    Process::start(command, |mut output| wire::read(&mut output, LONGEST), Duration::ZERO)
}

/// Has a document parsed. After an error the child is dead, or of no more use.
pub(super) fn parse(
    child: &mut Process,
    file: &str,
    format: Format,
    bytes: &[u8],
    limits: &Limits,
) -> Result<Parsed, Death> {
    let head = Head { file: file.to_owned(), format, limits: *limits };
    let head = serde_json::to_vec(&head).map_err(|error| Death::Crash(error.to_string()))?;
    let crash = |error: std::io::Error| Death::Crash(error.to_string());
    let mut request = Vec::with_capacity(head.len() + bytes.len() + 16);
    wire::write(&mut request, &head).and_then(|()| wire::write(&mut request, bytes)).map_err(crash)?;
    let answer = child.ask(request, limits.time)?;
    let nonsense = || Death::Crash("its answer makes no sense".to_owned());
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
