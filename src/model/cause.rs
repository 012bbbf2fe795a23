//! Why something changed: exactly one primary cause a change.

use serde::{Deserialize, Serialize};

/// The primary cause of a change, in the order in which the first that applies is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A rollback to an earlier generation.
    Rollback,
    /// A decision of a curator, or an `accept`, `retract` or `edit` of a person.
    Curator,
    /// Access labels changed.
    Access,
    /// The configuration of a job changed.
    Config,
    /// Two entities became one, an entity was split, or a name moved to another entity.
    Merged,
    /// A document moved, or became another with almost the same text.
    Moved,
    /// A row of a feed came, changed or went.
    FeedRow,
    /// A document is gone.
    DocumentGone,
    /// A document lost more than half of its parsed text.
    ParseLoss,
    /// Text left a document.
    TextRemoved,
    /// A document is new.
    NewDocument,
    /// Text came into a document.
    TextAdded,
    /// A definition in the document changed, and with it what its terms stand for.
    DefinitionChanged,
    /// The ontology changed.
    OntologyChanged,
    /// A parser's or extractor's fingerprint changed, or a program answered that had not before.
    ExtractorChanged,
    /// None of these: a fault of ours or of a non-deterministic extractor.
    Unexplained,
}

impl Cause {
    /// True if a text that was read again can be the reason.
    pub fn is_of_text(self) -> bool {
        matches!(
            self,
            Self::Moved
                | Self::FeedRow
                | Self::ParseLoss
                | Self::TextRemoved
                | Self::TextAdded
                | Self::DefinitionChanged
                | Self::Unexplained
        )
    }

    /// The name in reports, the same as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rollback => "rollback",
            Self::Curator => "curator",
            Self::Access => "access",
            Self::Config => "config",
            Self::Merged => "merged",
            Self::Moved => "moved",
            Self::FeedRow => "feed_row",
            Self::DocumentGone => "document_gone",
            Self::ParseLoss => "parse_loss",
            Self::TextRemoved => "text_removed",
            Self::NewDocument => "new_document",
            Self::TextAdded => "text_added",
            Self::DefinitionChanged => "definition_changed",
            Self::OntologyChanged => "ontology_changed",
            Self::ExtractorChanged => "extractor_changed",
            Self::Unexplained => "unexplained",
        }
    }
}

/// What became of one fact from one published state to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// It was not there before.
    Added,
    /// It is no longer there.
    Retracted,
    /// It has other intervals or properties.
    Changed {
        /// True if an edge holds longer than before because what had cut it short is gone.
        revived: bool,
    },
    /// The same edges, attested or ended by other assertions.
    SupportOnly,
}
