//! What a person did with a whole run or a whole generation, which is kept for good.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::id::Fingerprint;
use super::quote::Quotes;

/// An act: who did what with a run or a generation, when and why. Append-only, like decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    /// Its number, rising by one from 1.
    pub number: u64,
    /// What was done.
    #[serde(flatten)]
    pub deed: Deed,
    /// Who did it.
    pub by: String,
    /// When, as an RFC 3339 time.
    pub at: String,
    /// Why.
    pub reason: String,
}

/// What can be done with a whole run or a whole generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "act")]
pub enum Deed {
    /// A held run was published.
    Release {
        /// The run.
        run: String,
    },
    /// A held run was dropped.
    Discard {
        /// The run.
        run: String,
    },
    /// A run that looked wrong was published unseen.
    Force {
        /// The run.
        run: String,
    },
    /// The graph was put back to what it was in a generation.
    Rollback {
        /// The generation.
        to: u64,
    },
    /// From now on no run is published.
    Freeze,
    /// From now on runs are published again.
    Unfreeze,
    /// A document was erased, with what was made of it, in all generations.
    Purge {
        /// The hash of its id: its name is not said any more.
        document: Fingerprint,
        /// The hashes of its bytes, which are not read again.
        contents: BTreeSet<Fingerprint>,
        /// What people had taken from it into what they wrote: no ontology is kept with it again.
        #[serde(default, skip_serializing_if = "Quotes::is_empty")]
        quotes: Quotes,
        /// Its names that stood there, likewise.
        #[serde(default, skip_serializing_if = "Quotes::is_empty")]
        names: Quotes,
    },
}

impl Deed {
    /// The word for it, the same as in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Release { .. } => "release",
            Self::Discard { .. } => "discard",
            Self::Force { .. } => "force",
            Self::Rollback { .. } => "rollback",
            Self::Freeze => "freeze",
            Self::Unfreeze => "unfreeze",
            Self::Purge { .. } => "purge",
        }
    }
}

/// An input that a rollback took out of the graph and that still lies in its source. A run that would bring it
/// back as it was is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// What kind of input it is.
    pub input: Input,
    /// The source or feed.
    pub source: String,
    /// The document's id; empty for a feed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub document: String,
    /// The hash of its bytes as they were; `None` if what was undone is that it had gone.
    pub content: Option<Fingerprint>,
    /// The number of the rollback's act.
    pub act: u64,
}

/// The kinds of input that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// A document of a source.
    Document,
    /// A feed as a whole.
    Feed,
}

impl Undone {
    /// What was undone, for people: the document's id, or the feed's name.
    pub fn what(&self) -> &str {
        match self.input {
            Input::Document => &self.document,
            Input::Feed => &self.source,
        }
    }
}
