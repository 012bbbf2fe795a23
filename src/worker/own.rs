//! A child of our own, seen from its parent: a file goes in, the document or table that is made of it comes out.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::death::Death;
use super::process::Process;
use super::wire::{self, Answer, Head, Remark, What};
use super::{CALLED, FAULTY, Parsed};
use crate::model::job::Limits;
use crate::parse::{self, Format};
use crate::source::feed::{self, Unpacked, Unpacking};

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
    let answer = ask(child, What::Document(file.to_owned(), format), bytes, limits)?;
    match wire::answered(&answer).ok_or_else(nonsense)? {
        (Answer::Parsed(document, remarks), _) => {
            if document.as_ref().is_some_and(|document| !document.is_sound()) {
                return Err(nonsense());
            }
            let diagnostics = remarks.into_iter().map(|remark| remark.into_diagnostic(file, &parse::CODES));
            Ok((document, diagnostics.collect::<Option<Vec<_>>>().ok_or_else(nonsense)?))
        }
        (other, _) => Err(instead(other)),
    }
}

/// Has a table unpacked. After an error the child is dead, or of no more use.
pub(super) fn unpack(
    child: &mut Process,
    asked: &Unpacking,
    bytes: &[u8],
    limits: &Limits,
) -> Result<Unpacked, Death> {
    let answer = ask(child, What::Table(asked.clone()), bytes, limits)?;
    match wire::answered(&answer).ok_or_else(nonsense)? {
        (Answer::Unpacked(remarks), at) => {
            let fault = |(remark, count): (Remark, usize)| {
                Some((remark.into_diagnostic(asked.file(), &feed::CODES)?, count))
            };
            let faults: Option<Vec<_>> = remarks.into_iter().map(fault).collect();
            faults.and_then(|faults| Unpacked::from_bytes(answer, at, faults)).ok_or_else(nonsense)
        }
        (other, _) => Err(instead(other)),
    }
}

fn ask(child: &mut Process, what: What, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, Death> {
    let head = Head { what, limits: *limits };
    let head = serde_json::to_vec(&head).map_err(|error| Death::Crash(error.to_string()))?;
    let crash = |error: std::io::Error| Death::Crash(error.to_string());
    let mut request = Vec::with_capacity(head.len() + bytes.len() + 16);
    wire::write(&mut request, &head).and_then(|()| wire::write(&mut request, bytes)).map_err(crash)?;
    child.ask(request, limits.time)
}

/// What another answer than the one that was asked for says of the child.
fn instead(answer: Answer) -> Death {
    match answer {
        Answer::Panicked(words) => Death::Crash(format!("it panicked: {words}")),
        Answer::Parsed(..) | Answer::Unpacked(_) => nonsense(),
    }
}

fn nonsense() -> Death {
    Death::Crash("its answer makes no sense".to_owned())
}
