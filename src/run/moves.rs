//! Moves: which of tonight's new documents are gone ones under another name.
//!
//! Equal bytes are a move. Else two documents are one that moved if they share at least 0.9 of their
//! 5-word shingles (Jaccard) and that is at least 0.05 above every rival on either side; one to one.
//! Candidates come from min-hash bands, so no two documents are compared that share nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::id::{DocumentId, Fingerprint};
use crate::model::token::tokens;
use crate::store::{ChunkRecord, DocumentRecord, Error, View};

/// The share of shingles above which two documents are the same text.
const ALIKE: f64 = 0.9;
/// How far the best must be above every rival.
const MARGIN: f64 = 0.05;
/// Bands and rows of the signature: two documents that share 0.8 meet in a band with probability 0.9997.
const BANDS: usize = 16;
const ROWS: usize = 4;

/// A document's shingles, hashed.
pub(super) type Shingles = BTreeSet<u64>;

/// The 5-word shingles of a text. A shorter text is one shingle.
pub(super) fn shingles<'t>(texts: impl Iterator<Item = &'t str>) -> Shingles {
    let words: Vec<String> =
        texts.flat_map(tokens).filter(|token| token.is_wordlike()).map(|token| token.folded.into()).collect();
    let hash = |window: &[String]| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&blake3::hash(window.join(" ").as_bytes()).as_bytes()[..8]);
        u64::from_le_bytes(bytes)
    };
    if words.len() < 5 {
        return if words.is_empty() { Shingles::new() } else { [hash(&words)].into() };
    }
    words.windows(5).map(hash).collect()
}

/// The shingles of a document as a view knows it.
pub(super) fn shingles_of(view: &View<'_>, record: &DocumentRecord) -> Result<Shingles, Error> {
    let mut texts = Vec::new();
    for part in &record.chunks {
        let chunk: Option<ChunkRecord> = view.get(&part.id.to_string())?;
        texts.extend(chunk.map(|chunk| chunk.body.text));
    }
    Ok(shingles(texts.iter().map(String::as_str)))
}

/// Gone documents by their bytes.
#[derive(Default)]
pub(super) struct ByBytes(BTreeMap<Fingerprint, Vec<DocumentId>>);

impl ByBytes {
    /// Adds a gone document.
    pub(super) fn add(&mut self, content: Fingerprint, gone: DocumentId) {
        self.0.entry(content).or_default().push(gone);
    }

    /// Of which gone document a new one with these bytes is the next name, once: where several have the same bytes, of
    /// none.
    pub(super) fn take(&mut self, content: Fingerprint) -> Option<DocumentId> {
        let gone = self.0.remove(&content)?;
        <[DocumentId; 1]>::try_from(gone).ok().map(|[from]| from)
    }
}

/// A band of a signature: its number and its minima.
type Band = (usize, Vec<u64>);

/// The documents whose signatures have one band in common.
#[derive(Default)]
struct Meeting<'d> {
    gone: Vec<&'d DocumentId>,
    new: Vec<&'d DocumentId>,
}

/// Gone document → new document.
pub(super) fn pair(
    gone: &BTreeMap<DocumentId, Shingles>,
    new: &BTreeMap<DocumentId, Shingles>,
) -> BTreeMap<DocumentId, DocumentId> {
    let mut bands: BTreeMap<Band, Meeting<'_>> = BTreeMap::new();
    for (id, shingles) in gone {
        signature(shingles).for_each(|band| bands.entry(band).or_default().gone.push(id));
    }
    for (id, shingles) in new {
        signature(shingles).for_each(|band| bands.entry(band).or_default().new.push(id));
    }
    let candidates: BTreeSet<(&DocumentId, &DocumentId)> = bands
        .values()
        .flat_map(|meeting| {
            meeting.gone.iter().flat_map(move |from| meeting.new.iter().map(move |to| (*from, *to)))
        })
        .collect();
    let scores: Vec<(f64, &DocumentId, &DocumentId)> =
        candidates.into_iter().map(|(from, to)| (jaccard(&gone[from], &new[to]), from, to)).collect();
    scores
        .iter()
        .filter(|(score, from, to)| {
            let rival = scores
                .iter()
                .filter(|(_, left, right)| (left == from) != (right == to))
                .map(|(score, ..)| *score)
                .fold(0.0, f64::max);
            *score >= ALIKE && *score >= rival + MARGIN
        })
        .map(|(_, from, to)| ((*from).clone(), (*to).clone()))
        .collect()
}

fn jaccard(left: &Shingles, right: &Shingles) -> f64 {
    let shared = left.intersection(right).count();
    let all = left.len() + right.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// The bands of a min-hash signature.
fn signature(shingles: &Shingles) -> impl Iterator<Item = Band> + '_ {
    (0..BANDS).filter(|_| !shingles.is_empty()).map(move |band| {
        let minima = (0..ROWS).map(|row| {
            let seed = ((band * ROWS + row) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            shingles.iter().map(|shingle| mix(shingle ^ seed)).min().unwrap_or(u64::MAX)
        });
        (band, minima.collect())
    })
}

/// A bijective mixer (the finalizer of SplitMix64, Steele et al. 2014): cheap independent orders of the shingles.
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: std::ops::Range<u32>) -> String {
        words.map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
    }

    fn of(documents: &[(&str, String)]) -> BTreeMap<DocumentId, Shingles> {
        documents
            .iter()
            .map(|(name, text)| {
                (DocumentId::new("s", name).unwrap(), shingles(std::iter::once(text.as_str())))
            })
            .collect()
    }

    #[test]
    fn an_act_that_becomes_a_law_is_a_move() {
        let gone = of(&[("act.txt", text(0..400)), ("other.txt", text(5000..5400))]);
        let new = of(&[("law.txt", text(3..400) + " and its number"), ("third.txt", text(9000..9100))]);
        let moves = pair(&gone, &new);
        assert_eq!(format!("{moves:?}"), "{s/act.txt: s/law.txt}");
    }

    #[test]
    fn a_rival_as_close_makes_it_a_loss_and_a_gain() {
        let gone = of(&[("act.txt", text(0..400))]);
        let new = of(&[("law.txt", text(0..399)), ("copy.txt", text(1..400))]);
        assert_eq!(pair(&gone, &new), BTreeMap::new());
    }
}
