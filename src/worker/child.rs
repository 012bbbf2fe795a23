//! The child: it reads requests from standard input and answers on standard output until the input ends.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

use super::wire::{self, Answer, BYTES, HEAD, Head, Remark, What};
use crate::model::job::Limits;
use crate::parse;
use crate::source::feed;

/// A request with its bytes.
type Request = (Head, Vec<u8>);

/// Serves until the input ends. The thread that reads the input also sees its end while a document is being
/// parsed, and ends the process then: a child never outlives its parent, whatever a parser does.
pub fn serve(faulty: bool) -> io::Result<()> {
    // A parent asks again when it has its answer, so one request waits at most.
    let (give, take) = mpsc::sync_channel::<Request>(1);
    std::thread::Builder::new().name("requests".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(request)) = next(&mut input) {
            if give.send(request).is_err() {
                break;
            }
        }
        end();
    })?;
    let mut output = io::BufWriter::new(io::stdout().lock());
    for (head, bytes) in take {
        let made = catch_unwind(AssertUnwindSafe(|| {
            if faulty {
                fault(&bytes);
            }
            made(&head, bytes)
        }));
        let (answer, table) = match made {
            Ok(answer) => answer?,
            Err(panic) => (Answer::Panicked(words_of(&*panic)), Vec::new()),
        };
        wire::answer(&mut output, &answer, &table)?;
        output.flush()?;
        if let Answer::Panicked(_) = answer {
            // What a panic leaves behind is not to be trusted with the next file.
            return Ok(());
        }
    }
    Ok(())
}

/// What comes of a request: the answer, and the bytes of a table.
fn made(head: &Head, bytes: Vec<u8>) -> io::Result<(Answer, Vec<u8>)> {
    match &head.what {
        What::Document(file, format) => {
            let (document, diagnostics) = parse::parse_within(file, *format, &bytes, &head.limits);
            let remarks = diagnostics.iter().map(Remark::of).collect();
            Ok((Answer::Parsed(document, remarks), Vec::new()))
        }
        What::Table(asked) => {
            let unpacked = feed::unpack(asked, bytes);
            let remarks = unpacked.faults().iter().map(|(one, count)| (Remark::of(one), *count)).collect();
            Ok((Answer::Unpacked(remarks), unpacked.to_bytes()?))
        }
    }
}

/// Becomes another program with a limit on its memory. The words are the limit, the program and its arguments;
/// what comes back is why it could not be started.
#[cfg(unix)]
pub fn become_program(mut words: impl Iterator<Item = OsString>) -> io::Error {
    use std::os::unix::process::CommandExt;
    let wrong = || io::Error::from(io::ErrorKind::InvalidInput);
    let memory = words.next().and_then(|word| word.to_str()?.parse().ok());
    let (Some(memory), Some(program)) = (memory, words.next()) else { return wrong() };
    let limits = Limits { memory, ..Limits::default() };
    match limit_memory(&limits) {
        Ok(()) => std::process::Command::new(program).args(words).exec(),
        Err(error) => error,
    }
}

/// Runs another program, where a process cannot become one.
#[cfg(not(unix))]
pub fn become_program(mut words: impl Iterator<Item = OsString>) -> io::Error {
    let wrong = || io::Error::from(io::ErrorKind::InvalidInput);
    let Some(program) = words.nth(1) else { return wrong() };
    match std::process::Command::new(program).args(words).status() {
        Ok(status) if status.success() => end(),
        Ok(_) => wrong(),
        Err(error) => error,
    }
}

/// The next request, with its limit on memory in force before its bytes are read.
fn next(input: &mut impl Read) -> io::Result<Option<Request>> {
    let Some(head) = wire::read(input, HEAD)? else { return Ok(None) };
    let head: Head = serde_json::from_slice(&head).map_err(io::Error::from)?;
    limit_memory(&head.limits)?;
    let bytes = wire::read(input, BYTES)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(Some((head, bytes)))
}

/// Ends the process at once.
#[expect(clippy::exit, reason = "the parser that may be running on the other thread cannot be asked to stop")]
fn end() -> ! {
    std::process::exit(0)
}

/// Lets the system refuse more memory than a document may take. What it counts is memory that can be written,
/// which stays when it is given back: so what was parsed before counts, and a death by it is tried again afresh.
#[cfg(unix)]
fn limit_memory(limits: &Limits) -> io::Result<()> {
    let (_, most) = rlimit::getrlimit(rlimit::Resource::DATA)?;
    rlimit::setrlimit(rlimit::Resource::DATA, limits.memory.saturating_add(BASE).min(most), most)
}

/// What a process has before it has parsed anything: the program's own data and the stacks of its threads.
#[cfg(unix)]
const BASE: u64 = 32 << 20;

/// Where the system has no such limit, memory is not limited; time is, everywhere.
#[cfg(not(unix))]
fn limit_memory(_: &Limits) -> io::Result<()> {
    Ok(())
}

/// What a panic said.
fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default().chars().take(200).collect()
}

/// Does to this process what a broken parser might, if the bytes ask for it. For tests.
fn fault(bytes: &[u8]) {
    match bytes.strip_prefix(b"%PDF-fault ").map(|word| word.trim_ascii()) {
        Some(b"loop") => loop {
            std::hint::spin_loop();
        },
        Some(b"abort") => std::process::abort(),
        Some(b"panic") => panic!("a parser's own words"),
        Some(b"memory") => {
            let mut heap: Vec<Vec<u8>> = Vec::new();
            loop {
                heap.push(vec![1; 1 << 20]);
            }
        }
        Some(b"stack") => drop(deep(&mut [0; 512], 0)),
        Some(b"end") => end(),
        Some(b"garbage") => {
            let mut output = io::stdout();
            drop(output.write_all(&[0xff; 64]).and_then(|()| output.flush()));
        }
        _ => {}
    }
}

/// Goes down until the stack ends.
fn deep(page: &mut [u64; 512], depth: u64) -> u64 {
    page[(depth % 512) as usize] = depth;
    let mut next = *page;
    std::hint::black_box(&mut next);
    if depth == u64::MAX { 0 } else { deep(&mut next, depth + 1) + next[0] }
}
