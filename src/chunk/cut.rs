//! Where a long block is cut: at places that its content chooses.
//!
//! A unit (a sentence, a row) opens a group if the hash of its text is the smallest among all units that
//! begin within a reach on either side. The choice looks at nothing farther away, so an inserted, deleted
//! or swapped unit moves the cuts within its reach and no others.

use std::ops::Range;

use crate::model::id::Fingerprint;
use crate::model::token::Span;

/// How far the choice looks, and the size at which a group is cut in any case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Bytes on either side. Groups are longer than this and on average less than twice as long.
    pub(super) reach: usize,
    /// Only monotonous text reaches this size: a thousand equal sentences have no smallest hash.
    pub(super) longest: usize,
}

/// For sentences of a paragraph.
pub(super) const SENTENCES: Sizes = Sizes { reach: 350, longest: 4_000 };

/// For rows of a table.
pub(super) const ROWS: Sizes = Sizes { reach: 600, longest: 4_000 };

/// Cuts ascending units into groups of neighbors.
pub(super) fn groups(text: &str, units: &[Span], sizes: Sizes) -> Vec<Range<usize>> {
    let hashes: Vec<Fingerprint> = units.iter().map(|unit| Fingerprint::of(&[unit.of(text)])).collect();
    let mut found = Vec::new();
    let mut start = 0;
    for at in 1..units.len() {
        let grown = units[at].end - units[start].start > sizes.longest;
        if grown || is_smallest(units, &hashes, at, sizes.reach) {
            found.push(start..at);
            start = at;
        }
    }
    if start < units.len() {
        found.push(start..units.len());
    }
    found
}

/// True if no unit within reach has a smaller hash, and none an equal one: equal units are no landmark.
fn is_smallest(units: &[Span], hashes: &[Fingerprint], at: usize, reach: usize) -> bool {
    let own = hashes[at];
    let place = units[at].start;
    let before = units[..at].iter().zip(&hashes[..at]).rev();
    let before = before.take_while(|(unit, _)| place - unit.start <= reach);
    let after = units[at + 1..].iter().zip(&hashes[at + 1..]);
    let after = after.take_while(|(unit, _)| unit.start - place <= reach);
    before.chain(after).all(|(_, hash)| own < *hash)
}
