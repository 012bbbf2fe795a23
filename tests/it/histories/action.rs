//! What can happen between two runs. In: the universe. Out: a changed universe.

use std::collections::BTreeSet;

use crate::naive::calendar::Day;
use crate::naive::universe::{Row, Sentence, Universe};
use crate::naive::world::{Answer, ByHand, Fact, Says};

/// One action.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Insert {
        path: String,
        at: usize,
        sentence: Sentence,
    },
    Edit {
        path: String,
        at: usize,
        sentence: Sentence,
    },
    Delete {
        path: String,
        at: usize,
    },
    Twice {
        path: String,
        at: usize,
    },
    /// A sentence stands elsewhere in its document.
    Shift {
        path: String,
        from: usize,
        to: usize,
    },
    /// A sentence goes from one document to the end of another.
    Carry {
        from: String,
        at: usize,
        to: String,
    },
    Redate {
        path: String,
        day: Day,
    },
    Remove {
        path: String,
    },
    Restore {
        path: String,
    },
    Rename {
        from: String,
        to: String,
    },
    AddRow {
        list: List,
        row: Row,
    },
    DropRow {
        list: List,
        row: Row,
    },
    ChangeRow {
        list: List,
        row: Row,
        to: Option<Day>,
    },
    /// All rows of a list are gone: a broken export.
    EmptyList(List),
    Break {
        path: String,
    },
    Mend {
        path: String,
    },
    Unmount,
    Mount,
    SupplierGone(usize),
    SupplierBack(usize),
    ComponentGone(usize),
    ComponentBack(usize),
    Threshold(u32),
    AtMostOne(bool),
    Listed(u32),
    /// A word of a rule comes or goes.
    Named(bool),
    Review(bool),
    /// What is missing of a feed, a source or a document is really gone, says a person.
    AcceptFeed(&'static str),
    AcceptScope(String),
    Decide {
        path: String,
        quote: String,
        asked: Fact,
        answer: Answer,
    },
    /// Takes back the decision with this number.
    Undo {
        number: u64,
    },
    /// A person changes the graph by hand: the arguments of `edit`, and what it leaves.
    ByHand {
        arguments: Vec<String>,
        leaves: ByHand,
    },
    /// A person takes the edit with this number back.
    UndoEdit {
        number: u64,
    },
}

/// A feed of edges.
#[derive(Clone, Copy, Debug)]
pub(super) enum List {
    Source,
    Stock,
}

impl Action {
    /// The name in the table.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Insert { .. } => "insert",
            Self::Edit { .. } => "edit",
            Self::Delete { .. } => "delete",
            Self::Twice { .. } => "twice",
            Self::Shift { .. } => "shift",
            Self::Carry { .. } => "carry",
            Self::Redate { .. } => "redate",
            Self::Remove { .. } => "remove",
            Self::Restore { .. } => "restore",
            Self::Rename { .. } => "rename",
            Self::AddRow { .. } => "add row",
            Self::DropRow { .. } => "drop row",
            Self::ChangeRow { .. } => "change row",
            Self::EmptyList(_) => "empty list",
            Self::Break { .. } => "break",
            Self::Mend { .. } => "mend",
            Self::Unmount => "unmount",
            Self::Mount => "mount",
            Self::SupplierGone(_) | Self::ComponentGone(_) => "entity gone",
            Self::SupplierBack(_) | Self::ComponentBack(_) => "entity back",
            Self::Threshold(_) => "threshold",
            Self::AtMostOne(_) => "at most one",
            Self::Listed(_) => "confidence",
            Self::Named(_) => "rule",
            Self::Review(_) => "review",
            Self::AcceptFeed(_) => "accept feed",
            Self::AcceptScope(_) => "accept scope",
            Self::Decide { answer: Answer::Approve, .. } => "approve",
            Self::Decide { answer: Answer::Reject, .. } => "reject",
            Self::Decide { answer: Answer::Correct { object: None, .. }, .. } => "correct a date",
            Self::Decide { answer: Answer::Correct { .. }, .. } => "correct an endpoint",
            Self::Undo { .. } => "undo",
            Self::ByHand { leaves: ByHand::Adds(_), .. } => "add entity by hand",
            Self::ByHand { leaves: ByHand::Removes(_), .. } => "remove entity by hand",
            Self::ByHand { leaves: ByHand::Says(claim), .. } if claim.says == Says::Ends => {
                "end edge by hand"
            }
            Self::ByHand { leaves: ByHand::Says(_), .. } => "add edge by hand",
            Self::ByHand { leaves: ByHand::Brings(..), .. } => "add event by hand",
            Self::UndoEdit { .. } => "undo edit",
        }
    }

    /// True if what the graph says afterwards can still be read from the files alone.
    pub(super) fn leaves_only_files(&self) -> bool {
        match self {
            Self::AtMostOne(_) | Self::EmptyList(_) | Self::Break { .. } | Self::Unmount => false,
            Self::Decide { .. } | Self::Undo { .. } => false,
            Self::ByHand { .. } | Self::UndoEdit { .. } => false,
            // Who has left is remembered by name; a workspace that never knew them has nobody to remember.
            Self::SupplierGone(_) | Self::ComponentGone(_) => false,
            Self::Insert { path, .. } | Self::Edit { path, .. } | Self::Delete { path, .. } => {
                path.starts_with("notes/")
            }
            _ => true,
        }
    }

    /// Changes the universe, where the action is a change of it alone.
    pub(super) fn apply(self, universe: &mut Universe) {
        match self {
            Self::Insert { path, at, sentence } => edit(universe, &path, |list| list.insert(at, sentence)),
            Self::Edit { path, at, sentence } => edit(universe, &path, |list| list[at] = sentence),
            Self::Delete { path, at } => edit(universe, &path, |list| {
                list.remove(at);
            }),
            Self::Twice { path, at } => edit(universe, &path, |list| list.push(list[at])),
            Self::Shift { path, from, to } => edit(universe, &path, |list| {
                let sentence = list.remove(from);
                list.insert(to, sentence);
            }),
            Self::Carry { from, at, to } => {
                let sentence = universe.documents[&from].sentences[at];
                edit(universe, &from, |list| {
                    list.remove(at);
                });
                edit(universe, &to, |list| list.push(sentence));
            }
            Self::Redate { path, day } => {
                if let Some(document) = universe.documents.get_mut(&path) {
                    document.effective = Some(day);
                }
            }
            Self::AddRow { list, row } => {
                rows(universe, list).insert(row);
            }
            Self::DropRow { list, row } => {
                rows(universe, list).remove(&row);
            }
            Self::ChangeRow { list, row, to } => {
                rows(universe, list).remove(&row);
                rows(universe, list).insert(Row { to, ..row });
            }
            Self::EmptyList(list) => rows(universe, list).clear(),
            Self::Break { path } | Self::Mend { path } => {
                if let Some(document) = universe.documents.get_mut(&path) {
                    document.broken = !document.broken;
                }
            }
            Self::Unmount | Self::Mount => universe.unmounted = !universe.unmounted,
            Self::SupplierGone(at) => {
                universe.suppliers.remove(&at);
            }
            Self::SupplierBack(at) => {
                universe.suppliers.insert(at);
            }
            Self::ComponentGone(at) => {
                universe.components.remove(&at);
            }
            Self::ComponentBack(at) => {
                universe.components.insert(at);
            }
            Self::Threshold(percent) => universe.threshold = percent,
            Self::AtMostOne(on) => universe.at_most_one = on,
            Self::Listed(percent) => universe.listed = percent,
            Self::Named(on) => universe.named = on,
            Self::Review(on) => universe.review = on,
            Self::Remove { .. }
            | Self::Restore { .. }
            | Self::Rename { .. }
            | Self::AcceptFeed(_)
            | Self::AcceptScope(_)
            | Self::Decide { .. }
            | Self::Undo { .. }
            | Self::ByHand { .. }
            | Self::UndoEdit { .. } => {}
        }
    }
}

/// Changes the sentences of a document. An amended document gets a later date with each edit.
fn edit(universe: &mut Universe, path: &str, change: impl FnOnce(&mut Vec<Sentence>)) {
    let Some(document) = universe.documents.get_mut(path) else { return };
    change(&mut document.sentences);
    if path.starts_with("acts/") {
        document.effective = document
            .effective
            .and_then(|now| AMENDMENTS.iter().map(|text| Day::iso(text)).find(|day| now < *day));
    }
}

/// The days on which versions of amended documents take effect.
pub(super) const AMENDMENTS: [&str; 6] =
    ["2024-01-01", "2024-06-01", "2024-09-01", "2025-01-01", "2025-06-01", "2025-09-01"];

fn rows(universe: &mut Universe, list: List) -> &mut BTreeSet<Row> {
    match list {
        List::Source => &mut universe.source_list,
        List::Stock => &mut universe.stock_list,
    }
}
