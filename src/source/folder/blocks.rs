//! Blocks: neighbors among the files of a source, and one sum over each block, so that a night compares files
//! one by one only where a sum differs.
//!
//! What comes in: blocks as the last scan left them, and what a walk met. What goes out: the spans of paths that
//! must be compared. It must not know where blocks are kept.
//!
//! The paths of a source, in order, are cut into blocks of some 256, wherever the folders begin and end: a folder
//! of a hundred thousand files costs no more than a thousand folders of a hundred. The sum of a block says that
//! each of its checkpoints is in order, and what the stamps were: a walk that comes to the same sum has met the
//! same files with the same stamps. A sum guards against mistakes, not against an adversary.

use std::path::Path;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::model::sabotage;

use super::walk::Candidate;
use super::{Seen, Stamps, Walked};

/// How many files a block begins with; few in unit tests, so that small folders have several blocks.
const FILES: usize = if cfg!(test) { 4 } else { 256 };

/// A sum over files, which does not depend on their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum(u128);

impl Sum {
    /// What one file adds.
    fn of(path: &str, stamps: &Stamps) -> Self {
        // The low half of a time differs wherever the whole does, within 584 years; so a short path leaves one block
        // of the hash to be computed.
        let ns = |ns: i128| ns.to_le_bytes().first_chunk().copied().unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        let stamps =
            [stamps.size.to_le_bytes(), stamps.inode.to_le_bytes(), ns(stamps.mtime_ns), ns(stamps.ctime_ns)];
        hasher.update(stamps.as_flattened()).update(path.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self::from_bytes(bytes)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The bytes of the sum, as it is kept.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The sum with these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }
}

impl Seen {
    /// What the file adds to the sum of its block if nothing happens to it; `None` if a scan must look at it
    /// whatever its stamps are.
    pub fn sum(&self, path: &str) -> Option<Sum> {
        (self.size > 0 && self.is_settled()).then(|| Sum::of(path, &self.stamps()))
    }
}

/// Neighbors among the paths of a source: those from `first` on, up to the next block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The path with which it begins; empty for the first one.
    pub first: String,
    /// The sum over its files; `None` if some of them must be looked at.
    pub sum: Option<Sum>,
}

/// A part of the paths of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The path with which it begins.
    pub from: String,
    /// The path before which it ends, if any path lies behind it.
    pub until: Option<String>,
}

impl Span {
    /// All paths.
    pub fn whole() -> Self {
        Self { from: String::new(), until: None }
    }

    /// True if a path lies in it.
    pub fn holds(&self, path: &str) -> bool {
        *self.from <= *path && self.until.as_deref().is_none_or(|until| path < until)
    }
}

/// True if a path lies in one of these spans, which are in order.
pub(super) fn hold(spans: &[Span], path: &str) -> bool {
    let at = spans.partition_point(|span| *span.from <= *path);
    spans[..at].last().is_some_and(|span| span.holds(path))
}

/// Cuts the checkpoints of a span into blocks, as they come by path.
#[derive(Debug)]
pub struct Cutter {
    blocks: Vec<(Block, usize)>,
}

impl Cutter {
    /// Begins with a span.
    pub fn new(span: &Span) -> Self {
        Self { blocks: vec![(Block { first: span.from.clone(), sum: Some(Sum::default()) }, 0)] }
    }

    /// Takes the next checkpoint, and what it adds to a sum if it is in order.
    pub fn add(&mut self, path: &str, adds: Option<Sum>) {
        if self.blocks.last().is_none_or(|(_, files)| *files == FILES) {
            self.blocks.push((Block { first: path.to_owned(), sum: Some(Sum::default()) }, 0));
        }
        if let Some((block, files)) = self.blocks.last_mut() {
            block.sum = block.sum.zip(adds).map(|(sum, adds)| sum.plus(adds));
            *files += 1;
        }
    }

    /// The blocks of the span. A small rest is part of the block before it, and so is a span without any file.
    pub fn blocks(mut self) -> Vec<Block> {
        if let [.., (before, _), (rest, files)] = self.blocks.as_mut_slice()
            && *files < FILES / 2
        {
            before.sum = before.sum.zip(rest.sum).map(|(sum, adds)| sum.plus(adds));
            self.blocks.pop();
        }
        let is_needed = |(block, files): &(Block, usize)| *files > 0 || block.first.is_empty();
        self.blocks.into_iter().filter(is_needed).map(|(block, _)| block).collect()
    }
}

impl Walked {
    /// The spans of paths in which something may have changed since the last scan left these blocks, in order.
    /// Outside of them each file is as its checkpoint says, and each checkpoint has its file. Linear in the files.
    pub fn spans(&self, blocks: &[Block]) -> Vec<Span> {
        let (Ok(walked), Some("")) = (&self.0, blocks.first().map(|block| block.first.as_str())) else {
            return vec![Span::whole()];
        };
        let at = |path: &str| blocks.partition_point(|block| *block.first <= *path).saturating_sub(1);
        let nothing = || vec![Some(Sum::default()); blocks.len()];
        let add = |mut sums: Vec<Option<Sum>>, bag: &Vec<Candidate>| {
            let mut last = 0;
            for Candidate { path, stamps, .. } in bag {
                // Neighbors in a folder are often neighbors in a block.
                let is_here = *blocks[last].first <= **path
                    && blocks.get(last + 1).is_none_or(|next| **path < *next.first);
                if !is_here {
                    last = at(path);
                }
                let sum = &mut sums[last];
                *sum = sum.zip(stamps.as_ref().ok()).map(|(sum, stamps)| sum.plus(Sum::of(path, stamps)));
            }
            sums
        };
        let merge = |left: Vec<Option<Sum>>, right: Vec<Option<Sum>>| {
            let both = left.into_iter().zip(right);
            both.map(|(left, right)| left.zip(right).map(|(left, right)| left.plus(right))).collect()
        };
        let mut sums = walked.bags.par_iter().fold(nothing, add).reduce(nothing, merge);
        // What is said of something that is no document depends on whether a checkpoint lies there or below.
        for path in walked.doubtful() {
            let last = if path.is_empty() { blocks.len() - 1 } else { at(&format!("{path}0")) };
            sums[at(path)..=last].fill(None);
        }
        let mut spans: Vec<Span> = Vec::new();
        for (number, (block, sum)) in blocks.iter().zip(sums).enumerate() {
            let is_same = block.sum == sum || sabotage::is_off("block-sum");
            if is_same && block.sum.is_some() {
                continue;
            }
            let until = blocks.get(number + 1).map(|next| next.first.clone());
            match spans.last_mut().filter(|span| span.until.as_ref() == Some(&block.first)) {
                Some(span) => span.until = until,
                None => spans.push(Span { from: block.first.clone(), until }),
            }
        }
        spans
    }
}

impl Candidate {
    /// Where the file is, in a source's folder.
    pub(super) fn file(&self, folder: &Path) -> std::path::PathBuf {
        self.on_disk.as_deref().map_or_else(|| folder.join(&*self.path), Path::to_owned)
    }
}
