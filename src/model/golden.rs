//! Golden sets: edges that are known to be true, and how a file of them is read. `config` makes these from what a
//! user writes; `source` reads the file by them.

use std::collections::BTreeMap;

use super::job::{FeedDates, Format};
use super::time::Date;

/// A golden set that a job declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Golden {
    /// The file, relative to the workspace.
    pub file: String,
    /// The file that says how it is read, relative to the workspace; `None`: its columns are those of an edge.
    pub map: Option<String>,
    /// What must be reached.
    pub floors: Floors,
}

/// What must be reached.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Floors {
    /// Over all.
    pub all: Floor,
    /// By edge type or group.
    pub each: BTreeMap<String, Floor>,
}

/// The least that each figure must be; `None`: anything.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Floor {
    /// Precision.
    pub precision: Option<f64>,
    /// Recall.
    pub recall: Option<f64>,
    /// F1.
    pub f1: Option<f64>,
    /// The share of hits that begin on the right day.
    pub valid_from: Option<f64>,
    /// The share of hits that end on the right day.
    pub valid_to: Option<f64>,
}

/// How a golden file is read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoldenMap {
    /// How the file is written.
    pub format: Format,
    /// The column of the subject; default `subject`.
    pub subject: Option<String>,
    /// The column of the object; default `object`.
    pub object: Option<String>,
    /// The column of the edge type, where `edges` says nothing; default `type`, `edge` or `edge_type`.
    pub edge_type: Option<String>,
    /// The column of the start; default `valid_from`, if there is one.
    pub valid_from: Option<String>,
    /// The column of the end; default `valid_to`, if there is one.
    pub valid_to: Option<String>,
    /// How its dates are written.
    pub dates: FeedDates,
    /// True if the file does not say whether an end is the last day: both are right.
    pub either_end: bool,
    /// What a row is in the graph: the first entry that fits. Empty: the column of the edge type says it.
    pub edges: Vec<MappedEdge>,
    /// The columns and values of the rows that must be found; the others may be found, and count neither way.
    pub asked: BTreeMap<String, Vec<String>>,
    /// Whose edges are judged.
    pub judged: Judged,
    /// Edge types that are counted as one, by the name of the group.
    pub together: BTreeMap<String, Vec<String>>,
}

/// What some rows are in the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedEdge {
    /// The edge types: any of them is right.
    pub types: Vec<String>,
    /// The columns and values of the rows.
    pub only: BTreeMap<String, Vec<String>>,
}

/// Whose edges are judged: what these have and the file does not is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// The side of an edge on which they stand.
    pub side: JudgedSide,
    /// The feed whose rows make them; `None`: those that the file names on that side.
    pub feed: Option<String>,
    /// The columns and values of the feed's rows that count.
    pub only: BTreeMap<String, Vec<String>>,
}

/// A side of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgedSide {
    /// The subject.
    #[default]
    Subject,
    /// The object.
    Object,
}

impl JudgedSide {
    /// The name, as in a map.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subject => "subject",
            Self::Object => "object",
        }
    }
}

/// What a row says of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Told {
    /// Nothing.
    #[default]
    Silent,
    /// That there is none.
    Open,
    /// A day of these: the first, and the first that no longer is one of them. A month, quarter or year as a start is
    /// right with each of its days.
    Within(Date, Date),
}

impl Told {
    /// In words; nothing if nothing is told.
    pub fn words(self) -> Option<String> {
        match self {
            Self::Silent => None,
            Self::Open => Some("∞".to_owned()),
            Self::Within(first, behind) if first.tomorrow().is_ok_and(|next| next == behind) => {
                Some(first.to_string())
            }
            Self::Within(first, behind) => Some(format!("{first} up to {behind}")),
        }
    }

    /// Whether a bound of the graph is what is told; `None` if nothing is told.
    pub fn agrees(self, bound: Option<Date>) -> Option<bool> {
        match self {
            Self::Silent => None,
            Self::Open => Some(bound.is_none()),
            Self::Within(first, behind) => Some(bound.is_some_and(|day| first <= day && day < behind)),
        }
    }
}

/// A row of a golden file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldenRow {
    /// The line on which it begins, 1-based.
    pub line: u32,
    /// The subject as written.
    pub subject: String,
    /// The object as written.
    pub object: String,
    /// The edge types of which any is right; none: it is no edge of the graph, and only known to be true.
    pub types: Vec<String>,
    /// True if it must be found.
    pub asked: bool,
    /// What it says of the start.
    pub from: Told,
    /// What it says of the exclusive end.
    pub to: Told,
}

impl GoldenRow {
    /// False if what it says of its bounds leaves the day out.
    pub fn may_hold_on(&self, day: Date) -> bool {
        let begun = !matches!(self.from, Told::Within(first, _) if day < first);
        let ended =
            matches!(self.to, Told::Within(_, behind) if behind.yesterday().is_ok_and(|last| day >= last));
        begun && !ended
    }
}
