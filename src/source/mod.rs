//! Sources: the edge that reads folders of documents and master-data feeds from disk.
//!
//! What comes in: a job's [`Source`](crate::model::job::Source) or [`Feed`](crate::model::job::Feed) and
//! what the last run saw. What goes out: values and diagnostics; a bad input never stops a scan. It must
//! not know what documents mean, what the graph says, or the store.
//!
//! Reading is all that happens here: nothing is written, and no clock is read.

pub mod feed;
pub mod folder;
