//! The cohort: what documents yield that were read tonight, beside what the same documents yielded.
//!
//! In: one document at a time, with its edges before and now. Out: sums by segment and source. The same documents
//! are compared, so no history and no season is needed. Memory is bounded by segments, [`NAMED`] and examples.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::drift::findings::{SHARE_MIN, SMALL_SOURCES, all_of};
use crate::drift::ledger::keep;
use crate::drift::report::{Compared, Example, Segment};
use crate::model::id::FactId;

/// What stands for all edge types of a source.
pub(super) const ALL_TYPES: &str = "*";

/// How many documents are named.
pub const NAMED: usize = 20;

/// What became of a document tonight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// It was read again.
    Again,
    /// It is new.
    New,
    /// It is gone.
    Gone,
    /// It was read again because of a change that a person planned: that is another guard's matter.
    Planned,
}

/// What a document says: edges between known ends, by type.
pub type Yield = BTreeSet<(String, FactId)>;

/// One document of tonight.
#[derive(Clone, Copy)]
pub struct Looked<'a> {
    /// Its source.
    pub source: &'a str,
    /// Its name.
    pub document: &'a str,
    /// What became of it.
    pub look: Look,
    /// What it said.
    pub before: &'a Yield,
    /// What it says.
    pub after: &'a Yield,
    /// Of what it says no more, that of which the sentence still stands in it, and of which nothing is read.
    pub unread: &'a Yield,
    /// A fact that it said as an example, made only if it is kept.
    pub example: &'a dyn Fn(FactId) -> Example,
}

/// Edges before and after, by identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pair {
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) lost: u64,
    /// Of the lost ones, those of which the sentence still stands.
    pub(super) unread: u64,
}

impl Pair {
    fn add(&mut self, other: Self) {
        self.before += other.before;
        self.after += other.after;
        self.lost += other.lost;
        self.unread += other.unread;
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self {
            before: self.before - other.before,
            after: self.after - other.after,
            lost: self.lost - other.lost,
            unread: self.unread - other.unread,
        }
    }

    pub(super) fn gained(self) -> u64 {
        self.after + self.lost - self.before
    }

    fn moved(self) -> u64 {
        self.lost + self.gained()
    }

    /// How far the counts are apart, in standard deviations if edges come and go one by one.
    pub(super) fn z(self) -> f64 {
        apart(self.before, self.after)
    }

    /// How far the counts are apart, as a share of those before.
    pub(super) fn share(self) -> f64 {
        self.before.abs_diff(self.after) as f64 / self.before.max(1) as f64
    }

    /// The share that went, whatever came instead.
    pub(super) fn lost_share(self) -> f64 {
        self.lost as f64 / self.before.max(1) as f64
    }
}

/// How far two counts of the same documents are apart, in standard deviations if edges come and go one by one.
pub(super) fn apart(before: u64, after: u64) -> f64 {
    let all = (before + after) as f64;
    if all == 0.0 { 0.0 } else { before.abs_diff(after) as f64 / all.sqrt() }
}

/// The documents of a segment that were read again.
#[derive(Debug, Clone, Default)]
pub(super) struct Paired {
    /// How many of them say or said something.
    pub(super) documents: u64,
    pub(super) sum: Pair,
    /// The document that changed most.
    pub(super) most: Pair,
    pub(super) examples: BTreeMap<FactId, Example>,
}

impl Paired {
    fn add(&mut self, pair: Pair) {
        self.documents += u64::from(pair.before + pair.after > 0);
        self.sum.add(pair);
        if pair.moved() > self.most.moved() {
            self.most = pair;
        }
    }

    /// Adds other documents.
    pub(super) fn merge(&mut self, other: &Self) {
        self.documents += other.documents;
        self.sum.add(other.sum);
        if other.most.moved() > self.most.moved() {
            self.most = other.most;
        }
        for (fact, example) in &other.examples {
            keep(&mut self.examples, *fact, &|| example.clone());
        }
    }
}

/// What the documents of a source did.
#[derive(Debug, Clone, Default)]
pub(super) struct Documents {
    /// Those that were read again and had edges.
    pub(super) had: u64,
    /// Of these, those that have none.
    pub(super) silent: u64,
    /// How many edges the silent ones had, and the one of them with most.
    pub(super) silenced: u64,
    pub(super) most_silenced: u64,
    pub(super) names: BTreeSet<String>,
    pub(super) examples: BTreeMap<FactId, Example>,
    /// New ones, and what they say.
    pub(super) new: u64,
    pub(super) new_edges: u64,
    /// The most edges that one document lost, read again or gone.
    pub(super) most_lost: u64,
}

/// What was seen of tonight's documents.
#[derive(Debug, Clone, Default)]
pub struct Cohort {
    pub(super) segments: BTreeMap<Segment, Paired>,
    pub(super) sources: BTreeMap<String, Documents>,
}

impl Cohort {
    /// Notes a document. Linear in its edges.
    pub fn note(&mut self, looked: &Looked<'_>) {
        let Looked { source, document, look, before, after, example, .. } = *looked;
        let lost = before.difference(after).count() as u64;
        let sums = self.sources.entry(source.to_owned()).or_default();
        sums.most_lost = sums.most_lost.max(lost);
        match look {
            Look::Gone | Look::Planned => return,
            Look::New => {
                sums.new += 1;
                sums.new_edges += after.len() as u64;
                return;
            }
            Look::Again => {}
        }
        if !before.is_empty() {
            sums.had += 1;
            if after.is_empty() {
                sums.silent += 1;
                sums.silenced += before.len() as u64;
                sums.most_silenced = sums.most_silenced.max(before.len() as u64);
                sums.names.insert(document.to_owned());
                if sums.names.len() > NAMED {
                    sums.names.pop_last();
                }
                for (_, fact) in before {
                    keep(&mut sums.examples, *fact, &|| example(*fact));
                }
            }
        }
        let types: BTreeSet<&String> = before.iter().chain(after).map(|(edge_type, _)| edge_type).collect();
        for edge_type in types {
            let own = |edges: &Yield| -> Yield {
                edges.iter().filter(|(name, _)| name == edge_type).cloned().collect()
            };
            self.pair(edge_type, looked, [&own(before), &own(after), &own(looked.unread)]);
        }
        self.pair(ALL_TYPES, looked, [before, after, looked.unread]);
    }

    /// What is judged: the segments of which enough edges were read again, and all others together.
    pub(super) fn judged(&self) -> Vec<(Segment, Cow<'_, Paired>)> {
        let mut pool = Paired::default();
        let mut judged = Vec::new();
        for (segment, paired) in &self.segments {
            if paired.sum.before >= SHARE_MIN {
                judged.push((segment.clone(), Cow::Borrowed(paired)));
            } else if segment.edge_type == ALL_TYPES {
                pool.merge(paired);
            }
        }
        if pool.sum.before >= SHARE_MIN {
            judged.push((all_of(SMALL_SOURCES), Cow::Owned(pool)));
        }
        judged
    }

    /// What the nights to come learn from: the counts of each segment.
    pub(super) fn compared(&self) -> Vec<Compared> {
        let said = self.segments.iter().filter(|(_, paired)| paired.documents > 0);
        let row = |(segment, paired): (&Segment, &Paired)| Compared {
            segment: segment.clone(),
            documents: paired.documents,
            before: paired.sum.before,
            after: paired.sum.after,
            most_before: paired.most.before,
            most_after: paired.most.after,
        };
        said.map(row).collect()
    }

    fn pair(&mut self, edge_type: &str, looked: &Looked<'_>, [before, after, unread]: [&Yield; 3]) {
        let segment = Segment { edge_type: edge_type.to_owned(), source: looked.source.to_owned() };
        let paired = self.segments.entry(segment).or_default();
        let mut lost = 0;
        for (_, fact) in before.difference(after) {
            lost += 1;
            keep(&mut paired.examples, *fact, &|| (looked.example)(*fact));
        }
        let [before, after, unread] = [before, after, unread].map(|edges| edges.len() as u64);
        paired.add(Pair { before, after, lost, unread });
    }
}
