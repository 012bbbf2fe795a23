//! A pool of child processes: of this program, to which documents of risky formats go to be parsed, and of programs
//! of the user's, which are asked about chunks.
//!
//! A parser of such a format reads what anybody may have written, through libraries that are known to panic, to
//! loop and to ask for all the memory there is. In a process of its own the worst that it can do is to end it.
//! In come a file's name, its format, its bytes and limits; out come the document and what is wrong with it, as
//! [`parse`](crate::parse::parse) would give them; or a table of a feed that is packed, as
//! [`unpack`](crate::source::feed::unpack) would. To a program goes a line, and the line that it answers comes back
//! for `extract` to read. Which child parses what changes nothing of that.
//!
//! A child that dies, or takes longer than it may, is replaced; its document is tried once more in a fresh child
//! that has parsed nothing before, and then the death is the document's. It is the same with programs and chunks.
//! Children are started when there is something for them, at most one for each thread that asks. Those of our own end
//! with their parent, however it ends: each has a thread that waits for the end of its standard input. An extractor
//! of the user's sees that end too, and is trusted to end then; a parser of theirs goes on to its own end. A program that
//! is killed is killed with what it has started.
#![expect(clippy::disallowed_methods, reason = "an edge: how long programs take is measured")]

mod child;
mod death;
mod external;
mod own;
mod process;
mod program;
mod wire;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::diag::{Diagnostic, Place};
use crate::model::document::Document;
use crate::model::id::Fingerprint;
use crate::model::job::{Limits, Parser, Program};
use crate::parse::{self, Format};
use crate::source::feed::{NotUnpacked, Unpacked, Unpacking};

pub use child::{become_program, serve};
pub use death::Silence;

use death::Death;
use process::Process;

/// The first argument by which the program knows that it is a child.
pub const CALLED: &str = "__parse";

/// The second argument, for tests: documents that ask for a fault of the parser get it.
pub const FAULTY: &str = "--faulty";

/// The second argument by which a child becomes another program, with a limit on its memory: the third one.
pub const UNDER: &str = "--under";

/// True if documents of a format are parsed in a process of their own. The one place that says so.
pub const fn is_risky(format: Format) -> bool {
    match format {
        Format::Pdf | Format::Docx | Format::Sheets => true,
        Format::Markdown | Format::Text | Format::Html => false,
    }
}

/// What a parser makes of a document: `None` if it is withheld.
pub type Parsed = (Option<Document>, Vec<Diagnostic>);

/// Children that wait to be asked: of our own, and of each program of the user's.
type Idle = BTreeMap<Option<Fingerprint>, Vec<Process>>;

/// Children that wait for documents, and programs that wait for chunks.
#[derive(Debug)]
pub struct Pool {
    means: Means,
    idle: Mutex<Idle>,
    /// How often a parser of the user's was called.
    parses: AtomicU64,
    calls: AtomicU64,
    microseconds: AtomicU64,
}

/// With what a pool works.
#[derive(Debug)]
pub struct Means {
    /// This program.
    pub program: PathBuf,
    /// The workspace.
    pub root: PathBuf,
    /// The folder that keeps what parsers of the user's wrote.
    pub kept: PathBuf,
    /// True if nothing may be written.
    pub plan: bool,
    /// True to let documents ask for a fault of their parser. For tests.
    pub faulty: bool,
}

impl Pool {
    /// A pool without children.
    pub fn new(means: Means) -> Self {
        Self {
            means,
            idle: Mutex::default(),
            parses: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            microseconds: AtomicU64::new(0),
        }
    }

    /// How often a program of the user's was called, as a parser or by a rule.
    pub fn calls(&self) -> u64 {
        self.parses.load(Ordering::Relaxed) + self.calls.load(Ordering::Relaxed)
    }

    /// Parses one document within limits with a program of the user's, which is given the file's path.
    pub fn parse_with(
        &self,
        parser: &Parser,
        file: &str,
        on_disk: &Path,
        bytes: &[u8],
        limits: &Limits,
    ) -> Parsed {
        let Means { program, root, kept, plan, .. } = &self.means;
        external::parse(
            external::Where { program, root, kept, plan: *plan, calls: &self.parses },
            parser,
            file,
            on_disk,
            bytes,
            limits,
        )
    }

    /// Parses one document within limits, in a child if its format is risky.
    pub fn parse(&self, file: &str, format: Format, bytes: &[u8], limits: &Limits) -> Parsed {
        if !is_risky(format) {
            return parse::parse_within(file, format, bytes, limits);
        }
        let start = || own::start(&self.means.program, self.means.faulty);
        let ask = |child: &mut Process| own::parse(child, file, format, bytes, limits);
        self.ask_twice(None, &start, &ask)
            .unwrap_or_else(|death| (None, vec![death.of(Place::file(file), limits)]))
    }

    /// Unpacks the table of a feed within limits, in a child.
    pub fn unpack(
        &self,
        asked: &Unpacking,
        bytes: Vec<u8>,
        limits: &Limits,
    ) -> Result<Unpacked, NotUnpacked> {
        let start = || own::start(&self.means.program, self.means.faulty);
        let ask = |child: &mut Process| own::unpack(child, asked, &bytes, limits);
        self.ask_twice(None, &start, &ask).map_err(|death| death.of_table(limits))
    }

    /// Asks a program of the user's one line within limits. `read` makes of its answer what is wanted, or says what is
    /// wrong with it; a program that answered what is no answer is treated like one that died.
    pub fn ask<T>(
        &self,
        program: &Program,
        limits: &Limits,
        line: &str,
        read: &dyn Fn(&[u8]) -> Result<T, String>,
    ) -> Result<T, Silence> {
        let Means { program: this, root, .. } = &self.means;
        let start = || program::start(this, root, program, limits);
        let ask = |child: &mut Process| {
            let begun = Instant::now();
            let answer = program::ask(child, line, limits, read);
            self.calls.fetch_add(1, Ordering::Relaxed);
            self.microseconds.fetch_add(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
            answer
        };
        let who = Fingerprint::of(&[&program.fingerprint().to_string(), &limits.memory.to_string()]);
        let answer = self.ask_twice(Some(who), &start, &ask);
        answer.map_err(|death| Silence::of(death, limits))
    }

    /// How often programs of the user's were asked about chunks, and how long that took, in milliseconds and summed
    /// over all threads.
    pub fn spent(&self) -> (u64, u64) {
        (self.calls.load(Ordering::Relaxed), self.microseconds.load(Ordering::Relaxed) / 1000)
    }

    /// Asks a child that waits, else a fresh one. What the child did before may have had a part in its death, so it is
    /// tried once more, in a child that has done nothing. One that lives on waits for the next.
    fn ask_twice<T>(
        &self,
        who: Option<Fingerprint>,
        start: &dyn Fn() -> Result<Process, Death>,
        ask: &dyn Fn(&mut Process) -> Result<T, Death>,
    ) -> Result<T, Death> {
        let once = |child: Option<Process>| {
            let mut child = child.map_or_else(start, Ok)?;
            // One that failed is of no more use, whatever it is still at: it gets no time to end by itself.
            let answer = ask(&mut child).inspect_err(|_| child.kill())?;
            self.idle().entry(who).or_default().push(child);
            Ok(answer)
        };
        let used = self.idle().get_mut(&who).and_then(Vec::pop);
        match once(used) {
            answer @ (Err(Death::NeverBorn(_)) | Ok(_)) => answer,
            Err(_) => once(None),
        }
    }

    /// A panic while the list was held leaves a list of whole children.
    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pool {
    /// All children are told at once that nothing more is asked, so that the time that each has to end is the same.
    fn drop(&mut self) {
        self.idle().values_mut().flatten().for_each(Process::close);
    }
}
