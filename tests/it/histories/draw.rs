//! The dice, and what they choose: the next action, a sentence, the universe that a history begins with.

use std::collections::{BTreeMap, BTreeSet};

use super::action::{AMENDMENTS, Action, List};
use crate::naive::calendar::{Day, Days};
use crate::naive::universe::{
    COMPONENTS, Document, Form, Memory, NAMED, Row, SUPPLIERS, Sentence, Universe, When,
};
use crate::naive::world::{Answer, Attestation, ByHand, Claim, Decision, Fact, Origin, Says, Stated};

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
        Form::DoesNot | Form::HasCeased => When::Undated,
        Form::Stocks if dice.below(2) == 0 => When::Undated,
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
const NOTE: [Form; 28] = [
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
    Form::Named,
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
    Form::Stocks,
    Form::Audited,
    Form::Supersedes,
    Form::Supersedes,
    Form::Ceased,
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
        named: true,
        review: true,
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
        if self.universe.unmounted {
            match dice.below(5) {
                0 => return Some(Action::AcceptScope("notes".to_owned())),
                1 => {}
                _ => return Some(Action::Mount),
            }
        }
        let broken = self.universe.documents.iter().find(|(_, document)| document.broken);
        if let Some((path, _)) = broken
            && dice.below(4) == 0
        {
            return Some(Action::Mend { path: path.clone() });
        }
        if !self.memory.withheld.is_empty() && dice.below(3) == 0 {
            return self.accept(dice);
        }
        match dice.below(60) {
            0..=8 => self.insert(dice),
            9..=12 => {
                let (path, at) = self.place(dice)?;
                let sentence = self.new_sentence(dice, &path)?;
                Some(Action::Edit { path, at, sentence })
            }
            13..=15 => self.place(dice).map(|(path, at)| Action::Delete { path, at }),
            16 => {
                let (path, at) = self.place(dice).filter(|(path, _)| path.starts_with("notes/"))?;
                Some(Action::Twice { path, at })
            }
            17 => {
                let (path, from) = self.place(dice).filter(|(path, _)| path.starts_with("notes/"))?;
                let to = dice.below(self.universe.documents[&path].sentences.len());
                Some(Action::Shift { path, from, to })
            }
            18 => {
                let (from, at) = self.place(dice).filter(|(path, _)| path.starts_with("notes/"))?;
                let to = self.note(dice).filter(|to| *to != from && !self.universe.documents[to].broken)?;
                let sentence = self.universe.documents[&from].sentences[at];
                self.may_say(sentence, &to).then_some(Action::Carry { from, at, to })
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
            29..=31 => self.entity(dice),
            32 => Some(Action::Threshold(130 - self.universe.threshold)),
            33 => Some(Action::AtMostOne(!self.universe.at_most_one)),
            34 => Some(Action::Listed(150 - self.universe.listed)),
            35 => Some(Action::Named(!self.universe.named)),
            36 => Some(Action::Review(!self.universe.review)),
            37..=41 => self.decide(dice),
            42..=44 => self.correct(dice),
            45 => self.reject_what_stands(dice),
            46..=48 => self.undo(dice),
            49 | 50 => self.change_act(dice),
            51..=53 => Some(Action::EmptyList([List::Source, List::Stock][dice.below(2)])),
            54 | 55 => (!self.universe.unmounted).then_some(Action::Unmount),
            56 | 57 => self
                .note(dice)
                .filter(|path| !self.universe.documents[path].broken)
                .map(|path| Action::Break { path }),
            58 => self.accept(dice),
            _ => self.row(dice),
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
        if !self.may_say(new, path) {
            return None;
        }
        let old = self.memory.kept.iter().any(|kept| kept.attestation.quote == new.text());
        let here = self.universe.documents[path].sentences.contains(&new);
        (!act || !(old || here)).then_some(new)
    }

    /// When "it has ceased" is known from the date of the document only.
    fn may_say(&self, sentence: Sentence, path: &str) -> bool {
        sentence.form != Form::HasCeased || self.universe.documents[path].effective.is_some()
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

    /// An entity leaves the master data; who has left is more likely to come back.
    fn entity(&self, dice: &mut Dice) -> Option<Action> {
        let gone = |here: &BTreeSet<usize>| (0..4).find(|at| !here.contains(at));
        let (supplier, component) = (gone(&self.universe.suppliers), gone(&self.universe.components));
        let back = supplier.map(Action::SupplierBack).or(component.map(Action::ComponentBack));
        if back.is_some() && dice.below(3) > 0 {
            return back;
        }
        let at = dice.below(4);
        if dice.below(2) == 0 {
            supplier.is_none().then_some(Action::SupplierGone(at))
        } else {
            component.is_none().then_some(Action::ComponentGone(at))
        }
    }

    /// A person's word that what is missing is gone; now and then one that nobody needs.
    fn accept(&self, dice: &mut Dice) -> Option<Action> {
        let broken = self.universe.documents.iter().find(|(_, document)| document.broken);
        match dice.below(7) {
            0..=2 => Some(Action::AcceptFeed(["source_list", "stock_list"][dice.below(2)])),
            3 | 4 => broken.map(|(path, _)| Action::AcceptScope(path.clone())),
            5 => self.note(dice).map(Action::AcceptScope),
            _ => Some(Action::AcceptScope("notes".to_owned())),
        }
    }

    /// A question from last night's quarantine that still stands in its document tonight.
    fn decide(&self, dice: &mut Dice) -> Option<Action> {
        let waiting = &self.memory.last.waiting;
        let pick = dice.below(waiting.len());
        let (reasons, attestation) = waiting.get(pick)?;
        let liftable = ["confidence-low", "review-required", "conflict", "contradicts-master"];
        let answerable = reasons.iter().all(|reason| liftable.contains(reason));
        let answer = if answerable && dice.below(3) > 0 { Answer::Approve } else { Answer::Reject };
        self.answered(attestation, answer)
    }

    fn answered(&self, attestation: &Attestation, answer: Answer) -> Option<Action> {
        let Origin::Document(path) = &attestation.origin else { return None };
        if attestation.left.is_some() || !self.universe.documents.contains_key(path) {
            return None;
        }
        let (path, quote) = (path.clone(), attestation.quote.clone());
        Some(Action::Decide { path, quote, asked: attestation.asked.clone(), answer })
    }

    /// A sentence that was read last night, whatever came of it.
    fn read(&self, dice: &mut Dice) -> Option<Attestation> {
        let paths: Vec<&String> = self.memory.documents.keys().collect();
        let path = dice.pick(&paths)?;
        let said = Universe::said(path, &self.memory.documents[path]);
        dice.pick(&said).filter(|one| one.claim.rule != NAMED)
    }

    fn reject_what_stands(&self, dice: &mut Dice) -> Option<Action> {
        self.answered(&self.read(dice)?, Answer::Reject)
    }

    /// A person knows better: other days, another object, or both.
    fn correct(&self, dice: &mut Dice) -> Option<Action> {
        let waiting = self.memory.last.waiting.iter().map(|(_, one)| one.clone()).collect::<Vec<_>>();
        let one = if dice.below(2) == 0 { dice.pick(&waiting)? } else { self.read(dice)? };
        // What is compared with what was read must still be as it was read.
        let decided = self.memory.decisions.iter().any(|decision| decision.fact == one.asked);
        if decided {
            return None;
        }
        let (stated, ends) = (one.claim.from, one.claim.says == Says::Ends);
        let whole = stated.is_some_and(|from| from.first.next() < from.next);
        let mut from = (!ends && (whole || dice.below(2) == 0)).then(|| day(dice));
        let mut to = (ends || whole || dice.below(3) == 0).then(|| day(dice));
        // A correction that says what was read corrects nothing.
        from = from.filter(|day| stated.is_none_or(|stated| stated.first != *day));
        to = to.filter(|day| one.claim.to != Some(*day));
        if whole && (from.is_none() || to.is_none()) {
            return None;
        }
        let starts = from.or(stated.map(|stated| stated.first));
        if !ends && to.or(one.claim.to).is_some_and(|to| starts.is_some_and(|start| to <= start)) {
            return None;
        }
        let parts = one.asked.kind != "supersedes" && !ends;
        let object = (parts && dice.below(3) == 0)
            .then(|| format!("Component:{}", COMPONENTS[dice.below(4)].0))
            .filter(|object| *object != one.asked.object && self.holds(object));
        let unknown = !self.holds(&one.asked.subject) || (!self.holds(&one.asked.object) && object.is_none());
        if unknown || (from.is_none() && to.is_none() && object.is_none()) {
            return None;
        }
        self.answered(&one, Answer::Correct { from, to, object })
    }

    fn holds(&self, key: &str) -> bool {
        self.memory.entities.contains(key)
    }

    /// The last decision on its question; an earlier one no longer counts.
    fn undo(&self, dice: &mut Dice) -> Option<Action> {
        let decisions = &self.memory.decisions;
        let decision = dice.pick(decisions)?;
        let question = |one: &Decision| (one.fact.clone(), one.document.clone(), one.quote.clone());
        let last = decisions.iter().filter(|one| question(one) == question(&decision));
        last.map(|one| one.number).max().map(|number| Action::Undo { number })
    }

    /// A change by hand of what was published last, the `number`th edit; or a sentence of whom only an edit knows.
    /// Edges are changed of a type that may hold beside any other: who gives way to a person's word is tested apart.
    pub(super) fn edit(&self, dice: &mut Dice, number: u64) -> Option<Action> {
        let made = &self.memory.by_hand;
        let held = |prefix: &str| -> Vec<String> {
            self.memory.entities.iter().filter(|key| key.starts_with(prefix)).cloned().collect()
        };
        let act = |words: &[&str], leaves: ByHand| {
            let mut arguments: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            arguments.extend(["--reason", "it is so", "--ticket", "T-1"].map(str::to_owned));
            Some(Action::ByHand { arguments, leaves })
        };
        let claim = |fact: Fact, says: Says, from: Option<Day>, to: Option<Day>| {
            ByHand::Says(Claim { rule: "edit", fact, says, from: from.map(Stated::day), to })
        };
        match dice.below(10) {
            9 => {
                // A sentence about the supplier that no feed knows.
                let path = self.editable(dice).filter(|path| path.starts_with("notes/"))?;
                let (object, when) = (dice.below(3), When::From(day(dice)));
                let form = [Form::Makes, Form::Listed][dice.below(2)];
                let sentence = Sentence { form, subject: SUPPLIERS.len() - 1, object, when };
                Some(Action::Insert { path, at: 0, sentence })
            }
            0..=2 => {
                let (subject, object) = (dice.pick(&held("Supplier:"))?, dice.pick(&held("Component:"))?);
                let (one, other) = (day(dice), day(dice));
                let to = (dice.below(3) == 0).then(|| one.max(other).next());
                let (from, until) = (one.min(other).to_string(), to.map(|to| to.to_string()));
                let fact = &Fact { subject, kind: "makes", object };
                let mut words =
                    vec!["add-relationship", &fact.subject, "makes", &fact.object, "--from", &from];
                words.extend(until.iter().flat_map(|until| ["--to", until]));
                act(&words, claim(fact.clone(), Says::Holds, Some(one.min(other)), to))
            }
            3 | 4 => {
                let runs = |days: &Days, on: Day| days.hold(Some(on)) && days.hold(Some(on.next()));
                let facts: Vec<(&Fact, Day)> = (self.memory.last.stood.iter())
                    .filter(|(fact, _)| fact.kind == "makes")
                    .flat_map(|(fact, days)| {
                        let all = DAYS.iter().map(|text| Day::iso(text));
                        all.filter(|on| runs(days, *on)).map(move |on| (fact, on.next()))
                    })
                    .collect();
                let (fact, on) = dice.pick(&facts)?;
                let words =
                    ["expire-relationship", &fact.subject, "makes", &fact.object, "--on", &on.to_string()];
                act(&words, claim(fact.clone(), Says::Ends, None, Some(on)))
            }
            5 => {
                let removed = made.values().any(|edit| matches!(edit, ByHand::Removes(_)));
                let prefix = ["Supplier:", "Component:"][dice.below(2)];
                let key = dice.pick(&held(prefix)).filter(|_| !removed)?;
                act(&["remove-entity", &key], ByHand::Removes(key.clone()))
            }
            6 => {
                let (key, name) = SUPPLIERS[SUPPLIERS.len() - 1];
                let known = format!("Supplier:{key}");
                let removes = made.values().any(|edit| *edit == ByHand::Removes(known.clone()));
                let is_new = !removes && !self.memory.entities.contains(&known);
                is_new.then(|| act(&["add-entity", "Supplier", key, "--name", name], ByHand::Adds(known)))?
            }
            7 => {
                let key = format!("E{number}");
                let sentence = Sentence {
                    form: Form::Makes,
                    subject: dice.below(SUPPLIERS.len()),
                    object: dice.below(3),
                    when: When::From(day(dice)),
                };
                let entity = format!("Contract:{key}");
                let said = sentence.claim().map(|claim| Attestation {
                    origin: Origin::Document(format!("edit/{number}.md")),
                    quote: sentence.text(),
                    occurrence: 0,
                    asked: claim.fact.clone(),
                    claim,
                    dated: None,
                    stands_for: Some(entity.clone()),
                    left: None,
                });
                let title = format!("Notice {number}");
                let words = [
                    "add-risk-event",
                    &key,
                    "--type",
                    "Contract",
                    "--title",
                    &title,
                    "--text",
                    &sentence.text(),
                ];
                act(&words, ByHand::Brings(entity, said.into_iter().collect()))
            }
            _ => {
                let numbers: Vec<u64> = made.keys().copied().collect();
                dice.pick(&numbers).map(|number| Action::UndoEdit { number })
            }
        }
    }
}
