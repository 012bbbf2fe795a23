//! The text index: every text that a document holds or held, ready to be searched.
//!
//! One [`Entry`] is one chunk in one document, for good: text that was amended, superseded or retracted stays,
//! and what a day makes of it is decided when it is read. An entry is a pure function of the store's records;
//! a commit carries the generation whose records it was made of ([`Stamp`]), so an index that is missing,
//! behind, ahead or damaged is told from one that is not, and is mended by whoever writes.
//!
//! This folder is the only user of tantivy. It knows no stage and no store: entries and the normaliser of the
//! linker come in as values, and what goes out is where something stands, never whether a reader may see it.
//! `docs/format.md` describes the fields.

mod check;
mod compile;
mod guard;
mod query;
mod reader;
mod schema;
mod shared;
mod snippet;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeSet;
use std::path::Path;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use tantivy::directory::error::{LockError, OpenWriteError as OpenFailed};

use crate::model::access::Labels;
use crate::model::id::{ChunkId, DocumentId};
use crate::model::time::Date;

pub use check::Checked;
pub use guard::guarded;
pub use query::{Field, Problem, Query, Resolve, parse};
pub use reader::{Filter, Hit, Page, Reader, Trouble};
pub use snippet::{Piece, snippet};
pub use writer::Writer;

/// The format of the index: its fields and how texts are cut into words.
///
/// 1: the first.
pub const FORMAT: u32 = 1;

/// Cuts a text into the words by which the linker looks up where a name may occur.
pub type Normalizer = fn(&str) -> Vec<CompactString>;

/// A chunk in a document: what is found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The document.
    pub document: DocumentId,
    /// The chunk.
    pub chunk: ChunkId,
}

/// What the index holds of a chunk in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands.
    pub place: Place,
    /// The document's title.
    pub title: String,
    /// The headings above it, outermost first.
    pub section: Vec<String>,
    /// The text.
    pub text: String,
    /// The keys of the entities that it names, as `Type:key`.
    pub entities: BTreeSet<String>,
    /// The ids of the facts that it asserts.
    pub facts: BTreeSet<String>,
    /// The labels that a reader needs for the document.
    pub labels: Labels,
    /// True if the document was withdrawn: only those who see everything may find it.
    pub closed_to_readers: bool,
    /// The first day on which an edge that it asserts holds; `None` if it asserts none, or the start is unknown.
    pub from: Option<Date>,
    /// The first day on which no edge that it asserts holds any more; `None` if it asserts none, or one is open.
    pub until: Option<Date>,
    /// The generation in which it first stood in the document.
    pub opened: u64,
    /// The generation in which it left the document, if it has.
    pub closed: Option<u64>,
}

/// What a commit says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The format.
    pub format: u32,
    /// The version of the linker's normaliser.
    pub normalizer: String,
    /// The generation whose records the entries were made of.
    pub generation: u64,
    /// The history digest of that generation: which history it is a generation of.
    pub history: String,
    /// How many entries there are.
    pub entries: u64,
    /// The number of the commit; one that anybody else made has another.
    #[serde(default)]
    pub commit: u64,
}

/// What the index could not do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Tantivy said no.
    #[error("cannot {doing} in `{path}`")]
    Tantivy {
        /// What was being done.
        doing: &'static str,
        /// The index's folder.
        path: String,
        /// What tantivy said.
        #[source]
        source: Box<tantivy::TantivyError>,
    },
    /// A file of the index.
    #[error("cannot {doing} `{path}`")]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// An entry that does not read back.
    #[error("the text index in `{path}` is damaged: {why}")]
    Damaged {
        /// The index's folder.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// True if there is no room on the disk for what was to be written.
    pub fn is_disk_full(&self) -> bool {
        use tantivy::TantivyError::{InternalError, IoError, LockFailure, OpenWriteError};
        let full = |error: &std::io::Error| crate::diag::is_disk_full(error);
        match self {
            Self::File { source, .. } => full(source),
            Self::Tantivy { source, .. } => match &**source {
                IoError(error) | LockFailure(LockError::IoError(error), _) => full(error),
                OpenWriteError(OpenFailed::IoError { io_error, .. }) => full(io_error),
                // Of what a thread of it met there is a text alone.
                InternalError(words) => crate::diag::says_disk_full(words),
                _ => false,
            },
            Self::Damaged { .. } => false,
        }
    }
}

/// Turns an error of tantivy into ours, saying what was being done.
fn failed<E: Into<tantivy::TantivyError>>(doing: &'static str, path: &Path) -> impl Fn(E) -> Error + use<E> {
    let path = path.display().to_string();
    move |error| Error::Tantivy { doing, path: path.clone(), source: Box::new(error.into()) }
}
