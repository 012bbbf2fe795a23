//! The draw of the audit sample: which unchanged documents a run reads again.
//!
//! In: the generation that a run begins with, how many documents and chunks there are, how many it reads. Out: an order
//! of documents, which of them fit, and a slice of hashes. It reads nothing and knows no document.
//!
//! Of a source all documents are put into the order of the night, and the first of them are read. Of all documents,
//! which nobody lists, a slice of the hashes of their content is ordered in the same way.
//!
//! Documents are drawn and do not take turns: a turn would have to be counted from run to run, and by the number of the
//! generation itself half of the slices would never come where people decide something between two nights. So after
//! as many runs as what they read goes into what there is two of three documents have been read again, and after three
//! times as many nineteen of twenty; none is left out for ever.

use crate::model::id::Fingerprint;

/// So many chunks are read again of a source, if there are as many, and less than twice as many.
///
/// What that misses: of `k` documents that read differently none is among a share `s` of all with probability
/// `(1 − s)^k`. Where a library reads a share `f` of the edges differently and there are `r` edges a chunk, `k` is
/// nearly `f · r` times the chunks and `s` this number by the chunks, so that is at most `e^(−f · r · OF_SOURCE)` for a
/// source of up to [`LISTED`] documents, whatever their size. Of one edge in three chunks 5 % are sixteen, in fourteen
/// documents as edges crowd in some: less than one night in a hundred thousand misses all of them.
const OF_SOURCE: u64 = 1_000;
/// The slice of all documents has about so many documents at least.
const LEAST_DOCUMENTS: u64 = 10;
/// No more chunks are read again of all sources together, nor of the slice of all, but for their last documents.
const MOST: u64 = 20_000;
/// Of all documents one in so many of the chunks is read again that are read of a source, or in the run itself. So of a
/// source that is not listed a fault is missed with about the fourth root of the probability above: of the same 5 % on
/// one night in thirty if there is no other source, and on more where it shares the slice.
const OF_ALL: u64 = 4;
/// Documents of a source with more of them are not listed, which would be a walk over the corpus: it has its share of
/// the slice of all.
const LISTED: u64 = 5_000;
/// No more documents are taken of a source, or of the slice of all.
pub const MOST_DOCUMENTS: usize = 2_000;

/// A part of all hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The first hash, as it is written.
    pub from: String,
    /// The first one behind it.
    pub to: String,
}

impl Slice {
    /// A slice of so many equal ones.
    fn of(slice: u64, slices: u64) -> Self {
        let at = |slice: u64| format!("{:08x}", u128::from(slice) * (1 << 32) / u128::from(slices));
        // Behind the last hash there is none.
        let to = if slice + 1 == slices { "g".to_owned() } else { at(slice + 1) };
        Self { from: at(slice), to }
    }

    /// True if it holds a hash.
    pub fn holds(&self, hash: &str) -> bool {
        self.from.as_str() <= hash && hash < self.to.as_str()
    }
}

/// What a run may draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    turn: u64,
    documents: u64,
    chunks: u64,
    of_all: u64,
}

impl Draw {
    /// The draw of a run that begins with this generation, and reads so many of all these documents and chunks.
    pub fn new(generation: u64, (documents, chunks): (u64, u64), read: u64) -> Self {
        let turn = number(&Fingerprint::of(&["audit", &generation.to_string()]));
        let of_all = (read * (chunks / documents.max(1))).clamp(OF_SOURCE, MOST) / OF_ALL;
        Self { turn, documents, chunks, of_all }
    }

    /// True if the documents of a source with so many of them are listed, so that it has a sample of its own.
    pub fn lists(documents: u64) -> bool {
        documents <= LISTED
    }

    /// How many chunks are read again of each of so many sources, whatever the size of their documents.
    pub fn budget_of_source(sources: u64) -> u64 {
        OF_SOURCE.min(MOST / sources.max(1))
    }

    /// How many chunks are read again of the slice of all documents.
    pub fn budget_of_all(&self) -> u64 {
        self.of_all
    }

    /// The slice of all documents, by the hashes of their content.
    pub fn of_all(&self) -> Slice {
        let slices = slices(self.documents, self.chunks, self.budget_of_all());
        Slice::of(self.turn % slices, slices)
    }

    /// Where a document stands in the order of this run: in each run elsewhere, so that what a budget leaves out is not
    /// always the same.
    pub fn place(&self, document: &str) -> Fingerprint {
        Fingerprint::of(&[document, &self.turn.to_string()])
    }

    /// Takes documents in their order until a budget of chunks is full, and asks for no more of them. One that is larger
    /// than the budget comes up as often as its size allows, and is then the last; else where there is no other.
    ///
    /// # Errors
    ///
    /// The first of the documents' own.
    pub fn fit<D, E>(
        &self,
        budget: u64,
        documents: impl IntoIterator<Item = Result<(Fingerprint, u64, D), E>>,
    ) -> Result<Vec<D>, E> {
        let (mut taken, mut chunks) = (Vec::new(), 0);
        let mut smallest: Option<(u64, D)> = None;
        for document in documents {
            let (place, size, document) = document?;
            if size <= budget || number(&place).is_multiple_of(size / budget.max(1) + 1) {
                taken.push(document);
                chunks += size;
            } else if smallest.as_ref().is_none_or(|(least, _)| size < *least) {
                smallest = Some((size, document));
            }
            if chunks >= budget || taken.len() >= MOST_DOCUMENTS {
                break;
            }
        }
        let alone = if taken.is_empty() { smallest } else { None };
        taken.extend(alone.map(|(_, document)| document));
        Ok(taken)
    }
}

/// The first letters of a hash as a number.
fn number(hash: &Fingerprint) -> u64 {
    let hash = hash.to_string();
    hash.bytes().take(8).fold(0, |number, letter| {
        number * 16 + u64::from(char::from(letter).to_digit(16).unwrap_or_default())
    })
}

/// Into how many slices documents with so many chunks are cut, each of about so many of these: the next smaller power
/// of two, so that slices stay the same while documents come and go. No slice has many more than [`MOST_DOCUMENTS`].
fn slices(documents: u64, chunks: u64, budget: u64) -> u64 {
    let wanted = (chunks / budget.max(1)).min(documents / LEAST_DOCUMENTS);
    let enough = (documents / MOST_DOCUMENTS as u64).next_power_of_two();
    enough.max(1 << wanted.max(1).ilog2())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_slice_has_as_much_as_a_night_reads_and_never_too_little() {
        let of = |documents: u64, each: u64| slices(documents, documents * each, 250);
        assert_eq!([0, 10, 99, 100, 199, 200].map(|documents| of(documents, 5)), [1, 1, 1, 2, 2, 4]);
        assert_eq!([20_000, 100_000].map(|documents| of(documents, 5)), [256, 1_024]);
        assert_eq!(slices(100_000, 500_000, 5_000), 64, "a night of a thousand documents");
        assert_eq!(of(744, 63), 64, "documents of many chunks");
        assert_eq!(of(50, 2_000), 4, "few documents");
        assert_eq!(slices(100_000, 100_000, 5_000), 64, "none has so many documents that some never come");
    }

    #[test]
    fn every_hash_is_in_exactly_one_slice() {
        for count in [1, 2, 64, 100, 1_000] {
            let all: Vec<_> = (0..count).map(|slice| Slice::of(slice, count)).collect();
            for number in 0..500_u32 {
                let hash = Fingerprint::of(&[&number.to_string()]).to_string();
                assert_eq!(all.iter().filter(|slice| slice.holds(&hash)).count(), 1, "{hash} of {count}");
            }
        }
    }

    /// How many of so many documents of these sizes, one source, were read again after so many runs, and how many
    /// chunks that took at most on average.
    fn read(sizes: &[u64], runs: u64, step: u64) -> (usize, u64) {
        let all = (sizes.len() as u64, sizes.iter().sum::<u64>());
        let (mut seen, mut chunks) = (BTreeSet::new(), 0);
        for run in 1..=runs {
            let draw = Draw::new(run * step, all, 1);
            let placed =
                sizes.iter().enumerate().map(|(nth, size)| (draw.place(&nth.to_string()), *size, nth));
            let ordered: BTreeSet<(Fingerprint, u64, usize)> = placed.collect();
            let ordered = ordered.into_iter().map(Ok::<_, std::convert::Infallible>);
            let taken = draw.fit(Draw::budget_of_source(1), ordered).unwrap();
            chunks += taken.iter().map(|nth| sizes[*nth]).sum::<u64>();
            seen.extend(taken);
        }
        (seen.len(), chunks / runs)
    }

    #[test]
    fn each_document_gets_its_turn_however_many_generations_a_day_has() {
        let small = vec![10; 1_600];
        for step in [1, 2, 3, 4, 8] {
            let share = |runs: u64| 100 * read(&small, runs, step).0 / small.len();
            assert!((40..90).contains(&share(16)), "a sixteenth each: {} %", share(16));
            assert!(share(48) > 80, "three times as many: {} %", share(48));
            assert_eq!(share(300), 100, "every {step} generations");
        }
    }

    /// What `OF_SOURCE` promises, by calculation: the probability that a fault of 5 % strikes no document of the sample,
    /// in a source whose documents have ten chunks and three edges each, of which one in seven stands beside another.
    #[test]
    fn a_fault_of_one_edge_in_twenty_is_missed_in_no_night_of_a_hundred_thousand() {
        for documents in (100..LISTED).step_by(10) {
            let share = OF_SOURCE as f64 / (documents * 10) as f64;
            let struck = documents as f64 * 3.3 * 0.05 * 6.0 / 7.0;
            let missed = (1.0 - share).powf(struck);
            assert!(missed < 1e-5, "{documents} documents: {missed}");
        }
    }

    #[test]
    fn a_source_of_small_documents_is_read_as_much_as_one_of_large_ones() {
        assert_eq!(read(&[1; 2_000], 3, 1).1, 1_000);
        assert_eq!(read(&[10; 2_000], 3, 1).1, 1_000);
        assert_eq!(read(&[200; 500], 3, 1).1, 1_000);
        assert_eq!(read(&[300; 500], 3, 1).1, 1_200, "the last one is read whole");
        assert_eq!(read(&[1; 999], 3, 1).1, 999, "all there is");
    }

    #[test]
    fn a_night_reads_of_each_source_and_never_too_much() {
        let draw = Draw::new(1, (1_000, 10_000), 1);
        assert_eq!([0, 1, 20, 40, 1_000].map(Draw::budget_of_source), [1_000, 1_000, 1_000, 500, 20]);
        assert_eq!([5_000, 5_001].map(Draw::lists), [true, false]);
        assert_eq!(draw.budget_of_all(), 250);
        assert_eq!(Draw::new(1, (1_000, 10_000), 500).budget_of_all(), 1_250, "a night that reads much");
    }

    #[test]
    fn large_documents_get_their_turn_as_well_and_the_mean_night_stays_as_it_is() {
        let mut mixed = vec![10; 60];
        mixed.extend([2_000, 5_000, 12_000]);
        let (seen, mean) = read(&mixed, 3_000, 1);
        assert_eq!(seen, mixed.len());
        assert!(mean < 3 * OF_SOURCE, "{mean} chunks a night");
        // Nor do small ones wait for ever where every other document is large.
        let halves: Vec<u64> = (0..200).map(|nth| if nth % 2 == 0 { 10 } else { 2_000 }).collect();
        assert_eq!(read(&halves, 1_500, 1).0, halves.len());
    }
}
