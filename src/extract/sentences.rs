//! `match` rules: a pattern within one sentence.

use std::collections::BTreeMap;

use super::block::blocked;
use super::bound::Named;
use super::draft::{Desk, Draft};
use super::program::{Node, Program};
use super::rules::Compiled;
use super::search::{Filled, Found, Reached, Search, Taken};
use super::{Miss, MissKind, Notes, phrases, when};
use crate::model::assertion::Reading;
use crate::model::time::{Bound, DateExpr};
use crate::model::token::Span;
use crate::ontology::pattern::Takes;

/// The most further intervals of one match ("and again from …").
const MOST_INTERVALS: usize = 32;

/// How many words a cue may take where a pattern breaks off: "does not".
const CUE_REACH: usize = 2;

/// One sentence of a chunk.
#[derive(Clone, Copy)]
struct Sentence {
    span: Span,
    lo: usize,
    hi: usize,
}

/// Reads every sentence of the chunk by a rule.
pub(super) fn read(desk: &Desk<'_, '_>, rule: &Compiled, notes: &mut Notes) -> Vec<Reading> {
    let mut readings = Vec::new();
    for (span, lo, hi) in desk.scene.sentences() {
        if rule.anchored_in(&desk.scene.tokens[lo..hi]) {
            readings.extend(Work { desk, rule, sentence: Sentence { span, lo, hi } }.read(notes));
        }
    }
    readings
}

/// A rule at work on a sentence.
struct Work<'w, 'd, 'a> {
    desk: &'w Desk<'d, 'a>,
    rule: &'w Compiled,
    sentence: Sentence,
}

impl Work<'_, '_, '_> {
    fn read(&self, notes: &mut Notes) -> Vec<Reading> {
        let (matches, reached) = self.matches();
        if matches.is_empty() {
            notes.add(|| self.near_miss(reached));
        }
        let mut readings = Vec::new();
        for found in &matches {
            let Sentence { lo, hi, .. } = self.sentence;
            if let Some(cue) = blocked(self.desk.scene, found, &self.rule.rule, lo, hi) {
                notes.add(|| Some(self.miss(MissKind::Cue { cue: cue.cue, class: cue.class })));
                continue;
            }
            self.unknown_names(found, notes);
            match self.desk.readings(self.rule, self.draft(found)) {
                Ok(found) => readings.extend(found),
                Err(miss) => notes.add(|| Some(miss)),
            }
        }
        readings
    }

    /// The matches of the sentence: first those of known names, then, where none of them stands, those
    /// with names that nobody knows, which are only guesses.
    fn matches(&self) -> (Vec<Found>, Option<Reached>) {
        let Some(program) = &self.rule.program else { return (Vec::new(), None) };
        let Sentence { lo, hi, .. } = self.sentence;
        let mut known = Search::new(self.desk.scene, program, lo, hi, false);
        let mut found = known.all(lo, hi);
        let mut reached = known.reached;
        if self.rule.takes_names() {
            let mut guess = Search::new(self.desk.scene, program, lo, hi, true);
            let mut free = lo;
            let mut guessed = Vec::new();
            for (first, behind) in found.iter().map(|hit| (hit.first, hit.behind)).chain([(hi, hi)]) {
                guessed.extend(guess.all(free, first));
                free = behind;
            }
            found.extend(guessed);
            found.sort_by_key(|hit| hit.first);
            reached = reached.max(guess.reached);
        }
        (found, reached)
    }

    fn draft(&self, found: &Found) -> Draft {
        let scene = self.desk.scene;
        let Sentence { span, lo, .. } = self.sentence;
        let mut draft = Draft { quote: span.of(scene.text).to_owned(), span: Some(span), ..Draft::default() };
        let mut interval = (None, None);
        for taken in &found.taken {
            let Taken::Slot(slot, first, behind, filled) = taken else { continue };
            let name = self.slot_name(*slot);
            draft.support.extend(uses(filled).iter().map(|place| scene.bound[*place].support.clone()));
            match (name, filled) {
                ("subject", filled) => draft.subject = Some(self.names(filled, *first, *behind)),
                ("object", filled) => draft.object = Some(self.names(filled, *first, *behind)),
                (name, Filled::When(when)) => {
                    let bounds = match name {
                        "valid_from" => (Some(when::start(when)), None),
                        "valid_to" => (None, Some(when::end(scene, when, lo))),
                        "valid" => when::either(scene, when, lo),
                        "during" => when::throughout(when),
                        _ => (None, None),
                    };
                    interval = (bounds.0.or(interval.0), bounds.1.or(interval.1));
                    self.property(&mut draft.properties, name, filled);
                }
                (name, filled) => self.property(&mut draft.properties, name, filled),
            }
        }
        draft.intervals.push(interval);
        if matches!(found.taken.last(), Some(Taken::Slot(_, _, _, Filled::When(_)))) {
            self.again(found.behind, &mut draft);
        }
        draft
    }

    fn slot_name(&self, slot: usize) -> &str {
        let program = self.rule.program.as_ref();
        program.and_then(|program| program.slots.get(slot)).map_or("", |slot| slot.name.as_str())
    }

    /// "… and again from 2023": further intervals behind a match that ends in a date.
    fn again(&self, mut at: usize, draft: &mut Draft) {
        let scene = self.desk.scene;
        let program = &scene.reader.phrases.again;
        let Sentence { lo, hi, .. } = self.sentence;
        let mut search = Search::new(scene, program, lo, hi, false);
        while let Some(found) = search.at(at).filter(|_| draft.intervals.len() < MOST_INTERVALS) {
            let mut interval: (Option<Bound>, Option<Bound>) = (None, None);
            for taken in &found.taken {
                let Taken::Slot(slot, _, _, Filled::When(when)) = taken else { continue };
                match program.slots[*slot].name.as_str() {
                    "valid_from" => interval.0 = Some(when::start(when)),
                    _ => interval.1 = Some(when::end(scene, when, lo)),
                }
                draft.support.extend(when.uses.iter().map(|place| scene.bound[*place].support.clone()));
            }
            draft.intervals.push(interval);
            at = found.behind;
        }
    }

    /// The names of an endpoint; a word or number in its place is whom a mention there names.
    fn names(&self, filled: &Filled, first: usize, behind: usize) -> Vec<Named> {
        let scene = self.desk.scene;
        match filled {
            Filled::Names(fill) => fill.names.clone(),
            Filled::Text(_) | Filled::When(_) => {
                let mention = scene.mentions_at(first).iter().find(|(end, _)| *end == behind);
                let candidates = mention.map(|(_, mention)| mention.candidates.clone()).unwrap_or_default();
                vec![Named { surface: scene.slice(first, behind).to_owned(), candidates }]
            }
        }
    }

    /// Keeps a slot that the edge type declares as a property; others are there for the pattern's sake.
    fn property(&self, properties: &mut BTreeMap<String, String>, name: &str, filled: &Filled) {
        if !self.rule.properties.contains_key(name) {
            return;
        }
        let text = match filled {
            Filled::Text(text) => Some(text.clone()),
            Filled::When(when) => match &when.date {
                DateExpr::Stated(stated) => Some(super::draft::iso(stated)),
                _ => None,
            },
            Filled::Names(fill) => fill.names.first().map(|named| named.surface.clone()),
        };
        properties.extend(text.map(|text| (name.to_owned(), text)));
    }

    fn unknown_names(&self, found: &Found, notes: &mut Notes) {
        for taken in &found.taken {
            let Taken::Slot(_, _, _, Filled::Names(fill)) = taken else { continue };
            for named in fill.names.iter().filter(|named| named.candidates.is_empty()) {
                notes.add(|| Some(self.miss(MissKind::UnknownName { surface: named.surface.clone() })));
            }
        }
    }

    fn miss(&self, kind: MissKind) -> Miss {
        let quote = self.sentence.span.of(self.desk.scene.text).to_owned();
        Miss { rule: self.rule.rule.id.clone(), kind, quote, span: Some(self.sentence.span) }
    }

    /// Why the sentence has the rule's words and yet no match.
    fn near_miss(&self, reached: Option<Reached>) -> Option<Miss> {
        let program = self.rule.program.as_ref()?;
        let scene = self.desk.scene;
        let Sentence { lo, hi, .. } = self.sentence;
        let reached = reached.filter(|reached| reached.parts > 0)?;
        if let Some(cue) = self.cue_in_the_way(reached) {
            return Some(cue);
        }
        let expected = program.places[reached.node].1.clone();
        if self.stands_later(program, reached, hi) {
            return Some(self.miss(MissKind::GapTooLong));
        }
        if let Node::Slot(slot, _) = &program.nodes[reached.node] {
            match &program.slots[*slot].takes {
                Takes::Date => return Some(self.miss(self.no_date(reached.at, hi))),
                Takes::Entity(_) => {
                    let start = phrases::behind(&scene.reader.phrases.determiners, scene, reached.at, hi);
                    let start = start.unwrap_or(reached.at);
                    if let Some(end) = super::names::name_run(scene, start, lo, hi)
                        && end == start + 1
                    {
                        let term = scene.slice(start, end).to_owned();
                        return Some(self.miss(MissKind::UndefinedTerm { term }));
                    }
                }
                _ => {}
            }
        }
        Some(self.miss(MissKind::Partial { got: reached.parts, of: program.parts, expected }))
    }

    /// A cue where the pattern would have gone on, or one that covers what it had: "does not", "would".
    fn cue_in_the_way(&self, reached: Reached) -> Option<Miss> {
        let Sentence { lo, hi, .. } = self.sentence;
        let behind = (reached.at + CUE_REACH).min(hi);
        let had = Found { first: reached.first, behind, taken: Vec::new() };
        let cue = blocked(self.desk.scene, &had, &self.rule.rule, lo, hi)?;
        Some(self.miss(MissKind::Cue { cue: cue.cue, class: cue.class }))
    }

    /// True if what a gap did not reach stands further on in the sentence.
    fn stands_later(&self, program: &Program, reached: Reached, hi: usize) -> bool {
        let gaps = program.nodes.iter().filter_map(|node| match node {
            Node::Gap(_, next) => Some(program.heads(*next)),
            _ => None,
        });
        let mut heads = gaps.filter(|heads| heads.contains(&reached.node)).flatten();
        heads.any(|head| (reached.at..hi).any(|at| self.may_stand(program, head, at, hi)))
    }

    fn may_stand(&self, program: &Program, node: usize, at: usize, hi: usize) -> bool {
        let scene = self.desk.scene;
        match &program.nodes[node] {
            Node::Word(word, _) => scene.word(at) == word,
            Node::Forms(forms, _) => forms.contains(scene.word(at)),
            Node::Slot(slot, _) => match &program.slots[*slot].takes {
                Takes::Entity(types) => scene.mentions_at(at).iter().any(|(_, mention)| {
                    mention.candidates.iter().any(|key| types.iter().any(|name| name == key.entity_type()))
                }),
                Takes::Date => when::read(scene, at, hi).is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    fn no_date(&self, at: usize, hi: usize) -> MissKind {
        let scene = self.desk.scene;
        let start = at + usize::from(scene.word(at) == "the");
        match super::names::name_run(scene, start, self.sentence.lo, hi) {
            Some(end) => MissKind::UndefinedTerm { term: scene.slice(start, end).to_owned() },
            None => MissKind::NoDate { text: scene.slice(at, hi.min(at + 6)).to_owned() },
        }
    }
}

fn uses(filled: &Filled) -> &[usize] {
    match filled {
        Filled::Names(fill) => &fill.uses,
        Filled::When(when) => &when.uses,
        Filled::Text(_) => &[],
    }
}
