//! What can happen between two runs, and the dice that choose it. In: the universe. Out: a changed universe.

use std::collections::{BTreeMap, BTreeSet};

use crate::naive::calendar::Day;
use crate::naive::universe::{Document, Form, Memory, Row, Sentence, Universe, When};
use crate::naive::world::Origin;

/// A small deterministic generator (splitmix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        // Not a multiple of the step below, so that no history is another one shifted.
        Self(seed.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(17))
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    /// One of the list.
    pub(super) fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        let at = self.below(list.len());
        list.get(at).cloned()
    }
}

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
    Decide {
        pick: usize,
        approve: bool,
    },
    Undo,
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
            Self::Decide { approve: true, .. } => "approve",
            Self::Decide { approve: false, .. } => "reject",
            Self::Undo => "undo",
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
            Self::Remove { .. }
            | Self::Restore { .. }
            | Self::Rename { .. }
            | Self::Decide { .. }
            | Self::Undo => {}
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
const AMENDMENTS: [&str; 6] =
    ["2024-01-01", "2024-06-01", "2024-09-01", "2025-01-01", "2025-06-01", "2025-09-01"];

fn rows(universe: &mut Universe, list: List) -> &mut BTreeSet<Row> {
    match list {
        List::Source => &mut universe.source_list,
        List::Stock => &mut universe.stock_list,
    }
}

/// The days that sentences state; few, so that they meet.
const DAYS: [&str; 8] = [
    "2023-01-01",
    "2023-06-15",
    "2024-01-01",
    "2024-02-17",
    "2024-06-01",
    "2025-01-01",
    "2025-03-15",
    "2026-01-01",
];

fn day(dice: &mut Dice) -> Day {
    Day::iso(DAYS[dice.below(DAYS.len())])
}

/// A random sentence. Few subjects and objects, so that they meet.
pub(super) fn sentence(dice: &mut Dice, forms: &[Form]) -> Sentence {
    let form = forms[dice.below(forms.len())];
    let (subject, mut object) = (dice.below(4), dice.below(3));
    if form == Form::Supersedes && subject % 3 == object % 3 {
        object += 1;
    }
    let when = match form {
        Form::Stocks | Form::DoesNot | Form::HasCeased => When::Undated,
        Form::Ceased => When::Until(day(dice)),
        Form::Audited | Form::Supersedes if dice.below(4) == 0 => When::Undated,
        Form::Audited | Form::Supersedes => When::From(day(dice)),
        _ => match dice.below(if form == Form::Makes { 10 } else { 8 }) {
            0 | 1 => When::Undated,
            2..=4 => When::From(day(dice)),
            5 => When::Until(day(dice)),
            6 | 7 => {
                let (one, other) = (day(dice), day(dice));
                // Now and then the end stands before the start, as in life.
                if dice.below(6) == 0 {
                    When::Between(one, other)
                } else {
                    When::Between(one.min(other), one.max(other))
                }
            }
            8 => When::FromMonth(2024, 1 + dice.below(6) as i32),
            _ => When::InYear(2023 + dice.below(3) as i32),
        },
    };
    Sentence { form, subject, object, when }
}

/// How often each form is drawn in a note.
const NOTE: [Form; 22] = [
    Form::Supplies,
    Form::Supplies,
    Form::Supplies,
    Form::Supplies,
    Form::Supplies,
    Form::Supplies,
    Form::Makes,
    Form::Makes,
    Form::Makes,
    Form::Listed,
    Form::Listed,
    Form::Ceased,
    Form::Audited,
    Form::Stocks,
    Form::DoesNot,
    Form::Supersedes,
    Form::Supersedes,
    Form::Supersedes,
    Form::Makes,
    Form::Ceased,
    Form::HasCeased,
    Form::Supplies,
];
/// Amended documents say only what nobody else can end.
const ACT: [Form; 2] = [Form::Makes, Form::Supplies];

/// Six notes, of which three stand for contracts, one amended document, and full feeds.
pub(super) fn first_universe() -> Universe {
    let mut dice = Dice::new(77);
    let mut documents = BTreeMap::new();
    let paths = [
        "notes/K1_frame.txt",
        "notes/K2_frame.txt",
        "notes/K3_frame.txt",
        "notes/n1.txt",
        "notes/n2.txt",
        "notes/n3.txt",
        "acts/a1.txt",
    ];
    for (at, path) in paths.into_iter().enumerate() {
        let forms: &[Form] = if path.starts_with("acts/") { &ACT } else { &NOTE[..9] };
        let effective = if path.starts_with("acts/") { "2023-06-01" } else { DAYS[at] };
        documents.insert(
            path.to_owned(),
            Document {
                effective: (at != 3).then(|| Day::iso(effective)),
                sentences: (0..2).map(|_| sentence(&mut dice, forms)).collect(),
                reference: at as u32 + 1,
                broken: false,
            },
        );
    }
    let row =
        |supplier, component, from: &str| Row { supplier, component, from: Some(Day::iso(from)), to: None };
    Universe {
        documents,
        suppliers: (0..4).collect(),
        components: (0..4).collect(),
        source_list: [row(0, 3, "2023-01-01"), row(1, 3, "2024-01-01"), row(2, 3, "2025-01-01")].into(),
        stock_list: [row(0, 0, "2023-01-01"), row(1, 1, "2023-01-01"), row(2, 2, "2023-01-01")].into(),
        unmounted: false,
        threshold: 80,
        at_most_one: true,
        listed: 60,
    }
}

/// Everything that an action is drawn from.
pub(super) struct Draw<'a> {
    pub(super) universe: &'a Universe,
    pub(super) removed: &'a BTreeMap<String, Document>,
    pub(super) memory: &'a Memory,
}

impl Draw<'_> {
    /// Draws one action; `None` if the one that the dice chose cannot happen now.
    pub(super) fn action(&self, dice: &mut Dice) -> Option<Action> {
        if self.universe.unmounted && dice.below(3) > 0 {
            return Some(Action::Mount);
        }
        let broken = self.universe.documents.iter().find(|(_, document)| document.broken);
        if let Some((path, _)) = broken
            && dice.below(4) == 0
        {
            return Some(Action::Mend { path: path.clone() });
        }
        match dice.below(48) {
            44 => Some(Action::EmptyList([List::Source, List::Stock][dice.below(2)])),
            45 => (self.removed.is_empty() && !self.universe.unmounted).then_some(Action::Unmount),
            46 => self
                .note(dice)
                .filter(|path| !self.universe.documents[path].broken)
                .map(|path| Action::Break { path }),
            47 => self.entity(dice),
            40 | 41 => self.change_act(dice),
            42 => self.row(dice),
            43 => (!self.memory.decisions.is_empty()).then_some(Action::Undo),
            0..=8 => self.insert(dice),
            9..=12 => {
                let (path, at) = self.place(dice)?;
                let sentence = self.new_sentence(dice, &path)?;
                Some(Action::Edit { path, at, sentence })
            }
            13..=16 => self.place(dice).map(|(path, at)| Action::Delete { path, at }),
            17 | 18 => {
                let (path, at) = self.place(dice).filter(|(path, _)| path.starts_with("notes/"))?;
                Some(Action::Twice { path, at })
            }
            19 => {
                let path = self.note(dice)?;
                Some(Action::Redate { path, day: day(dice) })
            }
            20 | 21 => {
                let path = self.note(dice).filter(|_| self.universe.documents.len() > 4)?;
                Some(Action::Remove { path })
            }
            22 | 23 => {
                let paths: Vec<String> = self.removed.keys().cloned().collect();
                dice.pick(&paths).map(|path| Action::Restore { path })
            }
            24 => self.rename(dice),
            25..=28 => self.row(dice),
            29 | 30 => self.entity(dice),
            31 => Some(Action::Threshold([80, 50][dice.below(2)])),
            32 => Some(Action::AtMostOne(!self.universe.at_most_one)),
            33 => Some(Action::Listed([60, 90][dice.below(2)])),
            34..=38 => self.decide(dice),
            _ => (!self.memory.decisions.is_empty()).then_some(Action::Undo),
        }
    }

    fn note(&self, dice: &mut Dice) -> Option<String> {
        let notes: Vec<String> =
            self.universe.documents.keys().filter(|path| path.starts_with("notes/")).cloned().collect();
        dice.pick(&notes)
    }

    /// A document that may be edited: an amended one only once between two runs, and not past its last date.
    fn editable(&self, dice: &mut Dice) -> Option<String> {
        let paths: Vec<String> = self.universe.documents.keys().cloned().collect();
        dice.pick(&paths).filter(|path| !self.universe.documents[path].broken).filter(|path| {
            let untouched = self.memory.documents.get(path) == self.universe.documents.get(path);
            let last =
                self.universe.documents[path].effective == Some(Day::iso(AMENDMENTS[AMENDMENTS.len() - 1]));
            path.starts_with("notes/") || (untouched && !last)
        })
    }

    fn place(&self, dice: &mut Dice) -> Option<(String, usize)> {
        let path = self.editable(dice)?;
        let count = self.universe.documents[&path].sentences.len();
        (count > 1).then(|| (path, dice.below(count)))
    }

    /// An amended document says something else, from a later day on.
    fn change_act(&self, dice: &mut Dice) -> Option<Action> {
        let path = self
            .editable(dice)
            .into_iter()
            .chain(self.universe.documents.keys().cloned())
            .find(|path| path.starts_with("acts/"))?;
        let untouched = self.memory.documents.get(&path) == self.universe.documents.get(&path);
        let document = &self.universe.documents[&path];
        if !untouched || document.effective >= Some(Day::iso(AMENDMENTS[5])) {
            return None;
        }
        let at = dice.below(document.sentences.len());
        let sentence = self.new_sentence(dice, &path)?;
        Some(Action::Edit { path, at, sentence })
    }

    /// A sentence that an amended document never said before.
    fn new_sentence(&self, dice: &mut Dice, path: &str) -> Option<Sentence> {
        let act = path.starts_with("acts/");
        let new = sentence(dice, if act { &ACT } else { &NOTE });
        // When it ended is then known from the date of the document only.
        if new.form == Form::HasCeased && self.universe.documents[path].effective.is_none() {
            return None;
        }
        let old = self.memory.kept.iter().any(|kept| kept.attestation.quote == new.text());
        let here = self.universe.documents[path].sentences.contains(&new);
        (!act || !(old || here)).then_some(new)
    }

    fn insert(&self, dice: &mut Dice) -> Option<Action> {
        let path = self.editable(dice).filter(|path| self.universe.documents[path].sentences.len() < 6)?;
        let at = dice.below(self.universe.documents[&path].sentences.len() + 1);
        let sentence = self.new_sentence(dice, &path)?;
        Some(Action::Insert { path, at, sentence })
    }

    fn rename(&self, dice: &mut Dice) -> Option<Action> {
        let from = self.note(dice).filter(|path| path.starts_with("notes/n") && !self.universe.unmounted)?;
        if self.universe.documents[&from].broken {
            return None;
        }
        let to = format!("notes/n{}.txt", 4 + dice.below(900));
        let free = !self.universe.documents.contains_key(&to) && !self.removed.contains_key(&to);
        free.then_some(Action::Rename { from, to })
    }

    fn row(&self, dice: &mut Dice) -> Option<Action> {
        let list = [List::Source, List::Stock][dice.below(2)];
        let rows = match list {
            List::Source => &self.universe.source_list,
            List::Stock => &self.universe.stock_list,
        };
        let all: Vec<Row> = rows.iter().copied().collect();
        match dice.below(3) {
            0 => {
                let from = day(dice);
                let row =
                    Row { supplier: dice.below(4), component: dice.below(4), from: Some(from), to: None };
                // A master list does not contradict itself, and holds a pair once.
                let clash = all.iter().any(|other| {
                    other.component == row.component
                        && (other.from == row.from || other.supplier == row.supplier || other.to.is_some())
                });
                (!clash).then_some(Action::AddRow { list, row })
            }
            1 => dice.pick(&all).filter(|_| all.len() > 1).map(|row| Action::DropRow { list, row }),
            _ => {
                let row = dice.pick(&all)?;
                let alone = all.iter().filter(|other| other.component == row.component).count() == 1;
                let to = if row.to.is_some() { None } else { Some(Day::iso("2026-06-15")) };
                alone.then_some(Action::ChangeRow { list, row, to })
            }
        }
    }

    fn entity(&self, dice: &mut Dice) -> Option<Action> {
        let gone = |here: &BTreeSet<usize>| (0..4).find(|at| !here.contains(at)).filter(|_| here.len() < 4);
        let first = gone(&self.universe.suppliers).or(gone(&self.universe.components));
        let at = first.filter(|_| dice.below(2) == 0).unwrap_or_else(|| dice.below(4));
        if dice.below(2) == 0 {
            let here = self.universe.suppliers.contains(&at);
            (!here || self.universe.suppliers.len() > 3).then_some(if here {
                Action::SupplierGone(at)
            } else {
                Action::SupplierBack(at)
            })
        } else {
            let here = self.universe.components.contains(&at);
            (!here || self.universe.components.len() > 3).then_some(if here {
                Action::ComponentGone(at)
            } else {
                Action::ComponentBack(at)
            })
        }
    }

    /// A question from last night's quarantine that still stands in its document tonight.
    fn decide(&self, dice: &mut Dice) -> Option<Action> {
        let waiting = &self.memory.last.waiting;
        let pick = dice.below(waiting.len());
        let (reasons, attestation) = waiting.get(pick)?;
        let Origin::Document(path) = &attestation.origin else { return None };
        if attestation.left.is_some() || !self.universe.documents.contains_key(path) {
            return None;
        }
        let answerable =
            reasons.iter().all(|reason| ["confidence-low", "review-required", "conflict"].contains(reason));
        Some(Action::Decide { pick, approve: answerable && dice.below(3) > 0 })
    }
}
