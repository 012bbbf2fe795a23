//! What an evaluation came to, as values: written as JSON, and read back to compare a later one with it.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::score::Tally;
use crate::model::stats::{f1, wilson};

/// The version of this form.
pub const VERSION: u32 = 1;

/// The names of the figures, in the order in which they are shown.
pub(super) const FIGURES: [&str; 5] = ["precision", "recall", "f1", "valid_from", "valid_to"];

/// What an evaluation came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvalReport {
    /// The version of this form.
    pub version: u32,
    /// The generation that was evaluated.
    pub generation: u64,
    /// The day on which edges must hold, if one was asked for.
    #[schemars(with = "Option<String>")]
    pub as_of: Option<Date>,
    /// The golden sets, each with what came of it.
    pub sets: Vec<SetReport>,
}

impl EvalReport {
    /// True if a figure is below its floor.
    pub fn is_below(&self) -> bool {
        self.sets.iter().any(|set| !set.below.is_empty())
    }
}

/// What came of one golden set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetReport {
    /// The golden file, as it was named.
    pub golden: String,
    /// The file that says how it is read.
    pub map: Option<String>,
    /// The job that declares it.
    pub job: Option<String>,
    /// What a person should know of the file, such as that its encoding was guessed.
    pub notes: Vec<String>,
    /// What its rows are.
    pub rows: Rows,
    /// How many entities are judged.
    pub judged: u64,
    /// The figures over all edge types.
    pub all: Figures,
    /// The figures of each edge type, by name.
    pub types: Vec<Figures>,
    /// The figures of each group of types that are counted as one.
    pub groups: Vec<Figures>,
    /// What the graph says and the file does not.
    pub false_positives: Vec<FalsePositive>,
    /// What the file asks for and the graph does not say.
    pub misses: Vec<Miss>,
    /// Hits that begin or end on another day.
    pub wrong_dates: Vec<WrongDates>,
    /// Figures below their floor.
    pub below: Vec<BelowFloor>,
    /// What was otherwise in an earlier evaluation.
    pub against: Option<Against>,
}

/// What the rows of a golden file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Rows {
    /// All of them.
    pub all: u64,
    /// Those that must be found.
    pub asked: u64,
    /// The questions that they come to: rows that ask the same are one.
    pub questions: u64,
    /// Those that may be found, and count neither way.
    pub may: u64,
    /// Those of entities that are not judged, which are left out.
    pub not_judged: u64,
    /// How many of these name nobody, or somebody whom several are called.
    pub not_judged_unknown: u64,
}

/// The figures of an edge type, of a group, or of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// The edge type or group; `all`.
    pub name: String,
    /// Questions that are answered.
    pub hits: u64,
    /// What the graph says and nothing asks for or excuses.
    pub false_positives: u64,
    /// Questions that are not answered.
    pub misses: u64,
    /// Of what was found, the share that is right.
    pub precision: Share,
    /// Of what must be found, the share that was.
    pub recall: Share,
    /// The harmonic mean of both.
    pub f1: Share,
    /// Of the hits of which a start is told, the share that begins then.
    pub valid_from: Share,
    /// Of the hits of which an end is told, the share that ends then.
    pub valid_to: Share,
}

impl Figures {
    /// The figures of some counts.
    pub(super) fn of(name: &str, tally: &Tally) -> Self {
        let Tally { hits, false_positives, misses, .. } = *tally;
        Self {
            name: name.to_owned(),
            hits,
            false_positives,
            misses,
            precision: Share::of(hits, hits + false_positives),
            recall: Share::of(hits, hits + misses),
            f1: Share::of(hits, hits + false_positives + misses).bent(f1),
            valid_from: Share::of(tally.from_right, tally.from_told),
            valid_to: Share::of(tally.to_right, tally.to_told),
        }
    }

    /// The shares, in the order precision, recall, F1, start, end.
    pub fn shares(&self) -> [Share; 5] {
        [self.precision, self.recall, self.f1, self.valid_from, self.valid_to]
    }
}

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// How many are so.
    pub right: u64,
    /// Of how many.
    pub of: u64,
    /// The share; null if there are none. That of `f1` is F1 itself, and not that of its counts.
    pub share: Option<f64>,
    /// The lower bound of its Wilson 95 % interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Share {
    /// The share of some counts.
    pub fn of(right: u64, of: u64) -> Self {
        let (low, high) = wilson(right, of);
        Self { right, of, share: (of > 0).then(|| right as f64 / of as f64), low, high }
    }

    /// The same by a function that grows with it.
    fn bent(self, by: impl Fn(f64) -> f64) -> Self {
        Self { share: self.share.map(&by), low: by(self.low), high: by(self.high), ..self }
    }
}

/// A side of an edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Party {
    /// The key, as `Type:key`; null if nobody, or nobody in particular, is called so.
    pub key: Option<String>,
    /// The name by which it goes; as it is written in the file, if it has no key.
    pub name: String,
}

impl Party {
    /// By what it is told from others.
    pub(super) fn id(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.name)
    }
}

/// A sentence where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sentence {
    /// The text.
    pub quote: String,
    /// `path:line`.
    pub place: String,
    /// The rule that read it, or nearly did.
    pub rule: Option<String>,
}

/// What the graph says and the file does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FalsePositive {
    /// The subject.
    pub subject: Party,
    /// The edge type.
    pub edge_type: String,
    /// The object.
    pub object: Party,
    /// The intervals in which it holds.
    pub intervals: Vec<String>,
    /// The sentence that says it.
    pub sentence: Option<Sentence>,
}

/// What the file asks for and the graph does not say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Miss {
    /// The subject.
    pub subject: Party,
    /// The edge types of which any would have been right.
    pub types: Vec<String>,
    /// The object.
    pub object: Party,
    /// The lines of the file that ask for it.
    pub lines: Vec<u32>,
    /// Why, as far as it was looked for; null if it was not.
    pub why: Option<Why>,
}

/// Why something was missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// What kind of reason.
    pub kind: WhyKind,
    /// In words.
    pub text: String,
    /// The sentence, where there is one.
    pub sentence: Option<Sentence>,
}

/// Kinds of reasons why something was missed, in the order in which they are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhyKind {
    /// It waits in quarantine.
    Waits,
    /// Nobody is called as the file says.
    UnknownName,
    /// Several are called as the file says.
    AmbiguousName,
    /// The graph has another type or interval of the same pair.
    Otherwise,
    /// A rule almost reads it.
    NearMiss,
    /// A sentence names it, and no rule comes near.
    Unread,
    /// The documents do not name it.
    NotNamed,
    /// There is no document to look at.
    NoDocument,
}

impl WhyKind {
    /// In words, for a count.
    pub fn words(self) -> &'static str {
        match self {
            Self::Waits => "waiting in quarantine",
            Self::UnknownName => "of a name that nobody has",
            Self::AmbiguousName => "of a name that several have",
            Self::Otherwise => "said otherwise",
            Self::NearMiss => "nearly read",
            Self::Unread => "named and not read",
            Self::NotNamed => "not named",
            Self::NoDocument => "without a document",
        }
    }
}

/// A hit that begins or ends on another day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrongDates {
    /// The subject.
    pub subject: Party,
    /// The edge type.
    pub edge_type: String,
    /// The object.
    pub object: Party,
    /// The bounds that differ: `valid_from`, `valid_to`.
    pub bounds: Vec<String>,
    /// The intervals as the file tells them.
    pub told: Vec<String>,
    /// The intervals as the graph has them.
    pub has: Vec<String>,
    /// The lines of the file.
    pub lines: Vec<u32>,
    /// The sentence that says it.
    pub sentence: Option<Sentence>,
}

/// A figure below its floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BelowFloor {
    /// The edge type or group; `all`.
    pub name: String,
    /// The figure.
    pub figure: String,
    /// What it is; null if there is nothing to take it of.
    pub is: Option<f64>,
    /// What it must be.
    pub floor: f64,
}

/// What was otherwise in an earlier evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Against {
    /// The generation of the earlier one.
    pub generation: u64,
    /// The figures that moved.
    pub moved: Vec<Moved>,
    /// Misses that are new.
    pub new_misses: Vec<String>,
    /// Misses that are gone.
    pub gone_misses: Vec<String>,
    /// False positives that are new.
    pub new_false_positives: Vec<String>,
    /// False positives that are gone.
    pub gone_false_positives: Vec<String>,
}

/// A figure that moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The edge type or group; `all`.
    pub name: String,
    /// The figure.
    pub figure: String,
    /// What it was; null if it was not taken.
    pub was: Option<f64>,
    /// What it is.
    pub is: Option<f64>,
}
