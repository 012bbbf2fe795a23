//! A pool of child processes of this program, to which documents of risky formats go to be parsed.
//!
//! A parser of such a format reads what anybody may have written, through libraries that are known to panic, to
//! loop and to ask for all the memory there is. In a process of its own the worst that it can do is to end it.
//! In come a file's name, its format, its bytes and limits; out come the document and what is wrong with it, as
//! [`parse`](crate::parse::parse) would give them. Which child parses what changes nothing of that.
//!
//! A child that dies, or takes longer than it may, is replaced; its document is tried once more in a fresh child
//! that has parsed nothing before, and then the death is the document's. Children are started when there is
//! something for them, at most one for each thread that asks. They end with their parent, however it ends: each
//! one has a thread that waits for the end of its standard input.

mod child;
mod death;
mod external;
mod process;
mod wire;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::diag::{Diagnostic, Place};
use crate::model::document::Document;
use crate::model::job::{Limits, Parser};
use crate::parse::{self, Format};

pub use child::{become_program, serve};

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

/// Children that wait for documents.
#[derive(Debug)]
pub struct Pool {
    means: Means,
    idle: Mutex<Vec<Process>>,
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
        Self { means, idle: Mutex::new(Vec::new()) }
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
            external::Where { program, root, kept, plan: *plan },
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
        let used = self.idle().pop();
        let first = match used {
            Some(used) => self.ask(used, file, format, bytes, limits),
            None => self.ask_fresh(file, format, bytes, limits),
        };
        // What the child did before may have had a part in its death, so the document is tried once more, in a
        // child that has parsed nothing.
        let last = match first {
            Err(Death::NeverBorn(_)) | Ok(_) => first,
            Err(_) => self.ask_fresh(file, format, bytes, limits),
        };
        last.unwrap_or_else(|death| (None, vec![death.of(Place::file(file), limits)]))
    }

    fn ask_fresh(&self, file: &str, format: Format, bytes: &[u8], limits: &Limits) -> Result<Parsed, Death> {
        let fresh = Process::start(&self.means.program, self.means.faulty)?;
        self.ask(fresh, file, format, bytes, limits)
    }

    /// Asks a child; one that lives on waits for the next document.
    fn ask(
        &self,
        mut child: Process,
        file: &str,
        format: Format,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Parsed, Death> {
        let parsed = child.parse(file, format, bytes, limits)?;
        self.idle().push(child);
        Ok(parsed)
    }

    /// A panic while the list was held leaves a list of whole children.
    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
