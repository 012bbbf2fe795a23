//! A second reading of what the graph must say: the slowest and plainest one.
//!
//! In come all inputs at once (documents as lists of sentences, feed rows, decisions, who stood before); out
//! goes the expected graph as sorted lines. Knows nothing of the library: it shares neither code nor types with
//! it, so that a misunderstanding on one side shows as a difference.

pub(crate) mod calendar;
mod examples;
pub(crate) mod fold;
pub(crate) mod joining;
mod master;
pub(crate) mod rivals;
pub(crate) mod universe;
mod workspace;
pub(crate) mod world;
