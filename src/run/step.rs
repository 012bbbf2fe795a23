//! The steps of a run: the one list behind progress, spans and planned stops.

use std::fmt;

/// A step of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The lock is held and the store is open.
    Opened,
    /// What a stopped run left is swept.
    Swept,
    /// What people asked for is logged.
    Requested,
    /// The feeds are read and what changed in them is written.
    FeedsRead,
    /// The sources are scanned.
    Scanned,
    /// A batch of documents is written.
    BatchWritten,
    /// All documents are written.
    DocumentsWritten,
    /// A group of facts is folded.
    GroupFolded,
    /// All facts are folded.
    Folded,
    /// The drift report is made.
    Compared,
    /// The generation is published; its changelog file and reports are not written yet.
    Published,
    /// The changelog is written.
    ChangelogWritten,
    /// What changed is written to the text index, and not committed.
    IndexWritten,
    /// The text index is that of the published generation.
    Indexed,
    /// The reports are written.
    Reported,
    /// A document that is being purged stands no more; nothing else of it is gone yet.
    Purging,
    /// Reports and derived files say nothing of it any more.
    Redacted,
    /// The record says nothing of it any more; the changelog's files still do.
    Erased,
    /// Nothing on the disk says anything of it any more.
    Compacted,
}

impl Step {
    /// Every step of a run, in order.
    pub const ALL: [Self; 15] = [
        Self::Opened,
        Self::Swept,
        Self::Requested,
        Self::FeedsRead,
        Self::Scanned,
        Self::BatchWritten,
        Self::DocumentsWritten,
        Self::GroupFolded,
        Self::Folded,
        Self::Compared,
        Self::Published,
        Self::ChangelogWritten,
        Self::IndexWritten,
        Self::Indexed,
        Self::Reported,
    ];

    /// The steps with which a purge goes on once it is published.
    pub const OF_PURGE: [Self; 4] = [Self::Purging, Self::Redacted, Self::Erased, Self::Compacted];

    /// The stage that ends with the step, as reports and metrics name it.
    pub fn stage(self) -> &'static str {
        match self {
            Self::Opened | Self::Swept => "prepare",
            Self::Requested => "requests",
            Self::FeedsRead => "feeds",
            Self::Scanned => "scan",
            Self::BatchWritten | Self::DocumentsWritten => "documents",
            Self::GroupFolded | Self::Folded => "fold",
            Self::Compared => "drift",
            Self::Published => "publish",
            Self::ChangelogWritten => "changelog",
            Self::IndexWritten | Self::Indexed => "index",
            Self::Reported => "report",
            Self::Purging | Self::Redacted | Self::Erased | Self::Compacted => "purge",
        }
    }

    /// The name, as `--stop-at` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Swept => "swept",
            Self::Requested => "requested",
            Self::FeedsRead => "feeds-read",
            Self::Scanned => "scanned",
            Self::BatchWritten => "batch-written",
            Self::DocumentsWritten => "documents-written",
            Self::GroupFolded => "group-folded",
            Self::Folded => "folded",
            Self::Compared => "compared",
            Self::Published => "published",
            Self::ChangelogWritten => "changelog-written",
            Self::IndexWritten => "index-written",
            Self::Indexed => "indexed",
            Self::Reported => "reported",
            Self::Purging => "purging",
            Self::Redacted => "redacted",
            Self::Erased => "erased",
            Self::Compacted => "compacted",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
