//! A person's decisions, which are inputs of every rebuild.

use serde::{Deserialize, Serialize};

use super::assertion::Assertion;
use super::id::{DocumentId, FactId, Fingerprint};
use super::mention::Resolution;
use super::time::Date;

/// What a decision is about: one fact, in one document's lineage, by the sentence that was quoted. No rule
/// and no offset, so it survives re-extraction, moves and renamed rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Question {
    /// The fact. For an endpoint that nobody knew: the fact's would-be id is not known, and the
    /// hash of its surfaces stands here.
    pub fact: FactId,
    /// The document as it is called now; a move re-points it. `None` for a feed's rows.
    pub document: Option<DocumentId>,
    /// The hash of the quoted text.
    pub quote: Fingerprint,
}

impl Question {
    /// The question that an assertion poses.
    pub fn of(assertion: &Assertion) -> Self {
        let side = |resolution: &Resolution| match resolution {
            Resolution::Known(key) => key.to_string(),
            Resolution::Ambiguous { surface, .. } | Resolution::Unknown { surface, .. } => surface.clone(),
        };
        let unresolved = || {
            let (subject, object) = (side(&assertion.subject), side(&assertion.object));
            FactId::of(&["unresolved", &subject, &assertion.edge_type, &object])
        };
        Self {
            fact: assertion.fact.unwrap_or_else(unresolved),
            document: assertion.origin.document().cloned(),
            quote: assertion.quote_hash,
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Answer {
    /// It holds as read.
    Approve,
    /// It does not hold; a reason is required.
    Reject {
        /// One of the reason codes, or free words.
        reason: String,
    },
    /// It holds, with these corrections; the quote stays. Dates in machine form: an exclusive end.
    Correct {
        /// The start, if corrected.
        valid_from: Option<Date>,
        /// The exclusive end, if corrected.
        valid_to: Option<Date>,
        /// The subject's key, if corrected.
        subject: Option<super::id::EntityKey>,
        /// The object's key, if corrected.
        object: Option<super::id::EntityKey>,
    },
    /// Takes the earlier decision with this number back.
    Undo {
        /// The decision's number.
        decision: u64,
    },
}

/// A logged decision. Append-only; a later one on the same question stands above an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Its number, rising by one.
    pub number: u64,
    /// What it is about.
    pub question: Question,
    /// What was decided.
    #[serde(flatten)]
    pub answer: Answer,
    /// Who decided.
    pub by: String,
    /// When, as an RFC 3339 time.
    pub at: String,
    /// The text that was judged, for the audit and for asking again when it changes.
    pub quote: String,
}
