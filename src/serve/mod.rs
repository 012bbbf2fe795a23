//! The read side: questions in, values out.
//!
//! Everything here reads through a [`Graph`]: the records of one generation as one reader may see them.
//! What comes out are plain values with a published JSON Schema; no text is laid out here. This folder
//! reads no file of the user's and no clock, writes nothing, and knows no stage but the one function of `reconcile`
//! that says what is left of a fact for a reader who sees only some of its attestations.

pub mod ask;
mod at;
mod attested;
mod catalog;
mod counts;
mod decide;
mod delta;
mod diff;
mod edge;
mod edits;
mod evidence;
mod export;
mod find;
mod gaps;
mod history;
mod judged;
mod ontology;
mod quarantine;
mod reading;
mod row;
mod sample;
mod search;
mod show;
mod standing;
mod state;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod waiting;
mod why;

pub use at::At;
pub use attested::{attested_edges, attested_fact};
pub use catalog::Catalog;
pub use counts::{Counts, EdgeCounts, counts};
pub use decide::{Answered, Problem, Row, RowFormat, decide, rows_of, undo};
pub use delta::{Op, Upsert, delta};
pub use diff::{Because, Counted, DiffView, Differing, diff};
pub use edge::{EdgeView, End, Endpoint, State};
pub use edits::{EditEntry, EditLog, edit_log};
pub use evidence::{Context, DateRead, EditView, EvidenceView, Support};
pub use export::{export, export_history};
pub use find::{Candidate, Found, Meant, find, meant};
pub use gaps::{GapsReport, UnknownName, Unread, gaps};
pub use history::{HistoryEntry, HistoryView, history};
pub use judged::{Named, Quoted};
pub use ontology::{EdgeTypeView, EntityTypeView, OntologyView, PrecisionView, RuleView, ontology};
pub use quarantine::{QuarantineView, Question, Wanted, quarantine};
pub use reading::{Graph, Lens, known_at};
pub use row::{ExportRow, FORMAT};
pub use sample::{
    Claim, Estimate, SampleView, SampledEdge, Stratum, Supports, VerdictsView, WrongEdge, sample,
    verdict_rows, verdicts,
};
pub use search::{Asked, SearchResult, SearchView, search};
pub use show::{EntityView, Group, Others, ShowView, Which, show};
pub use standing::{Standing, standing};
pub use state::{Asserted, SupersededBy, TextState};
pub use waiting::{EarlierAnswer, ReasonView, WaitingView, answer_text, waiting_one};
pub use why::{DecisionView, Flip, LostProperty, WhyFact, WhyView, why_entity, why_fact};

use crate::{index, store};

/// The version of every JSON document that comes out of here.
pub const VERSION: u32 = 1;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The text index failed.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// The question cannot be answered as asked.
    #[error("{message}")]
    Asked {
        /// What is wrong, as a fragment.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl Error {
    /// A question that cannot be answered as asked.
    pub fn asked(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Asked { message: message.into(), hint: Some(hint.into()) }
    }
}
