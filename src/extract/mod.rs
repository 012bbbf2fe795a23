//! From a chunk to readings: what the rules of the ontology find in it, with the evidence.
//!
//! A chunk with its mentions, the document's bindings, the compiled ontology and what programs of the user's
//! answered come in; readings, whose endpoints are not yet resolved, go out. Nothing here knows the store, another document, or what
//! becomes of a reading. Extraction is deterministic, and a function of the [`Input`] alone: equal
//! fingerprints of inputs mean equal extractions.
//!
//! Start reading at [`Extractor::extract`]. `program` is a pattern compiled, `scene` a chunk laid out for
//! it, `search` the one that finds it; `block` holds back what is no plain statement; `definitions` and
//! `bindings` know what a document's own terms stand for.

pub mod examples;

mod bindings;
mod block;
mod bound;
mod definitions;
mod draft;
pub mod external;
mod fields;
mod input;
mod names;
mod phrases;
mod places;
mod program;
mod reach;
mod rules;
mod scene;
mod search;
mod sentences;
mod tables;
mod when;
mod zones;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use bindings::Bindings;
pub use input::Input;
pub use places::resolved as link_path;

use bound::Value;
use draft::Desk;
use external::{Answers, Call, Refusal};
use phrases::Phrases;
use rules::Compiled;
use scene::{Reader, Scene};

use crate::model::assertion::Reading;
use crate::model::chunk::Chunk;
use crate::model::document::HeaderField;
use crate::model::id::EntityKey;
use crate::model::job::DateOrder;
use crate::model::mention::{Known, Mention};
use crate::model::sabotage;
use crate::model::token::Span;
use crate::ontology::language::Language;
use crate::ontology::{Ontology, RuleKind};

/// The extractor's fingerprint. It changes with every change of this code or of the language's cues that
/// may change a reading.
pub const FINGERPRINT: &str = "extract/4";

/// What holds for a document as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setting {
    /// The entity for which the document stands.
    pub stands_for: Option<EntityKey>,
    /// Its header fields.
    pub fields: Vec<HeaderField>,
    /// True if a source of its effective date is declared.
    pub effective: bool,
    /// How `03/04/2024` is read in it.
    pub date_order: Option<DateOrder>,
    /// Its path inside its source.
    pub path: String,
    /// Paths inside its source to which its links lead (see [`link_path`]) → for whom the document there
    /// stands.
    pub targets: BTreeMap<String, EntityKey>,
}

/// What was found in a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction {
    /// The readings, in the order of the text, then of the rules' ids.
    pub readings: Vec<Reading>,
    /// The mentions, the document's own terms among them, in the order of the text.
    pub mentions: Vec<Mention>,
    /// What programs of the user's said that is no assertion, in the order in which they said it.
    pub refused: Vec<Refusal>,
    /// Near misses; empty unless asked for.
    pub misses: Vec<Miss>,
}

/// A place that a rule almost matched, or matched and may not use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Miss {
    /// The rule's id.
    pub rule: String,
    /// What was in the way.
    pub kind: MissKind,
    /// The text, verbatim.
    pub quote: String,
    /// Where it stands in the chunk.
    pub span: Option<Span>,
}

/// What was in the way of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissKind {
    /// A name that nobody knows fills a slot; the reading is made and will wait.
    UnknownName {
        /// The name.
        surface: String,
    },
    /// What the pattern needs next stands further away than its gap reaches.
    GapTooLong,
    /// The sentence is no plain statement.
    Cue {
        /// The words that say so.
        cue: String,
        /// What they make of it: `negation`, `hypothetical`, `permission`, and so on.
        class: String,
    },
    /// A capitalized word stands where a name or date is needed, and the document does not define it.
    UndefinedTerm {
        /// The word.
        term: String,
    },
    /// No date stands where one is needed.
    NoDate {
        /// What stands there.
        text: String,
    },
    /// No slot fills an endpoint, and what should fill it is not there.
    NoEndpoint {
        /// What is missing: `self`, the name of a binding, or the side.
        name: String,
    },
    /// One place would give so many readings that it is no statement.
    TooMany {
        /// How many.
        count: usize,
    },
    /// The first parts of the pattern match, and then no more.
    Partial {
        /// How many parts match.
        got: usize,
        /// How many there are.
        of: usize,
        /// What is expected next.
        expected: String,
    },
}

/// Collects near misses if they are asked for, and costs nothing if not.
pub(crate) struct Notes {
    wanted: bool,
    misses: Vec<Miss>,
}

impl Notes {
    fn add(&mut self, miss: impl FnOnce() -> Option<Miss>) {
        if self.wanted {
            self.misses.extend(miss());
        }
    }
}

/// The rules of an ontology at work. Made once, shared by all threads.
#[derive(Debug)]
pub struct Extractor {
    rules: Vec<Compiled>,
    language: &'static Language,
    misses: bool,
}

impl Extractor {
    /// Compiles the rules of an ontology.
    pub fn new(ontology: Arc<Ontology>, language: &'static Language) -> Self {
        Self { rules: rules::compile(&ontology), language, misses: false }
    }

    /// The same extractor, which also tells near misses or does not.
    #[must_use]
    pub fn with_misses(mut self, wanted: bool) -> Self {
        self.misses = wanted;
        self
    }

    fn reader(&self, order: Option<DateOrder>, effective: bool) -> Reader {
        Reader { language: self.language, phrases: Phrases::of(&self.language.name), order, effective }
    }

    /// Reads what a document's terms stand for, and what its `bind` rules name. `mentions` are those of
    /// each chunk.
    pub fn bind(&self, setting: &Setting, chunks: &[Chunk], mentions: &[Vec<Mention>]) -> Bindings {
        let reader = self.reader(setting.date_order, setting.effective);
        bindings::bind(&self.rules, setting, reader, chunks, mentions)
    }

    /// Puts together what the extraction of one chunk depends on.
    pub fn input(
        &self,
        setting: &Setting,
        bindings: &Bindings,
        chunk_index: usize,
        chunk: &Chunk,
        mentions: &[Mention],
    ) -> Input {
        let reader = self.reader(setting.date_order, setting.effective);
        let around = input::Around { setting, bindings, reader, rules: &self.rules };
        input::input(&around, chunk_index, chunk, mentions)
    }

    /// The rules that ask a program of the user's about a chunk, in order.
    pub fn asking<'e>(&'e self, input: &'e Input) -> impl Iterator<Item = &'e str> {
        let asking = self.rules_of(input).filter(|rule| rule.external().is_some());
        asking.map(|rule| rule.rule.id.as_str())
    }

    /// What programs of the user's are to be asked about a chunk, in the order of the rules.
    pub fn calls<'e>(&'e self, input: &'e Input) -> impl Iterator<Item = Call<'e>> {
        let asking = self.rules_of(input).filter(|rule| rule.external().is_some());
        asking.filter_map(|rule| external::call(rule, input, self.reader(input.date_order, input.effective)))
    }

    /// Extracts one chunk. `answers` are those of programs, by rule: a rule whose program gave none reads nothing.
    pub fn extract(&self, input: &Input, answers: &Answers) -> Extraction {
        // Most chunks hold nothing that a rule or a term begins with.
        if input.rules.is_empty() && input.bindings.is_empty() && !self.misses {
            return Extraction { mentions: input.mentions.clone(), ..Extraction::default() };
        }
        let reader = self.reader(input.date_order, input.effective);
        let scene = Scene::new(&input.body.text, &input.mentions, &input.bindings, reader);
        let desk = Desk { input, scene: &scene };
        let mut notes = Notes { wanted: self.misses, misses: Vec::new() };
        let (mut readings, mut refused) = (Vec::new(), Vec::new());
        for rule in self.rules_of(input) {
            readings.extend(match &rule.rule.kind {
                RuleKind::Match(_) => sentences::read(&desk, rule, &mut notes),
                RuleKind::Mentions { side, types } => places::mentions(&desk, rule, *side, types, &mut notes),
                RuleKind::Defines { side, types } => places::defined(&desk, rule, *side, types, &mut notes),
                RuleKind::Field(slots) => fields::read(&desk, rule, slots, &mut notes),
                RuleKind::Table(table) => tables::read(&desk, rule, table, &mut notes),
                RuleKind::Link { target } => places::links(&desk, rule, target.as_ref(), &mut notes),
                RuleKind::External(_) => match answers.get(&rule.rule.id) {
                    Some(answer) => external::read(&desk, rule, answer, &mut refused),
                    None => Vec::new(),
                },
                RuleKind::Bind { .. } => Vec::new(),
            });
        }
        readings.sort_by_key(|reading: &Reading| reading.evidence.span);
        if sabotage::is_off("silent-change") {
            readings.pop();
        }
        number(&mut readings);
        Extraction { readings, mentions: with_terms(&scene, &input.mentions), refused, misses: notes.misses }
    }

    /// The rules that the input names, in the order of their ids.
    fn rules_of<'s>(&'s self, input: &'s Input) -> impl Iterator<Item = &'s Compiled> {
        input.rules.iter().filter_map(|wanted| {
            let at = self.rules.binary_search_by(|rule| rule.rule.id.as_str().cmp(&wanted.id));
            at.ok().map(|at| &self.rules[at])
        })
    }

    /// What a text must contain for a rule to find something in it: of each inner list of folded words, at
    /// least one. Empty lists nothing, so the rule may touch any chunk; `None`: there is no such rule here.
    pub fn can_touch(&self, rule_id: &str) -> Option<Vec<Vec<String>>> {
        let rule = self.rules.iter().find(|rule| rule.rule.id == rule_id)?;
        Some(rule.anchors.iter().map(|words| words.iter().cloned().collect()).collect())
    }
}

/// Numbers equal readings of one rule in the order in which they stand.
fn number(readings: &mut [Reading]) {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for reading in readings {
        let what = format!(
            "{:?}",
            (
                &reading.rule,
                &reading.subject,
                &reading.object,
                &reading.valid_from,
                &reading.valid_to,
                &reading.properties,
                &reading.evidence.quote,
            )
        );
        let count = counts.entry(what).or_default();
        reading.occurrence = *count;
        *count += 1;
    }
}

/// The mentions with the document's terms that stand for somebody known.
fn with_terms(scene: &Scene<'_>, mentions: &[Mention]) -> Vec<Mention> {
    let mut all = mentions.to_vec();
    for (first, behind, place) in scene.terms() {
        let bound = &scene.bound[place];
        let Value::Names(names) = &bound.value else { continue };
        let mut candidates: Vec<EntityKey> =
            names.iter().flat_map(|named| named.candidates.iter().cloned()).collect();
        candidates.sort();
        candidates.dedup();
        if !candidates.is_empty() {
            let how = Known::Term { term: bound.name.clone() };
            all.push(Mention { span: scene.span(first, behind), candidates, how });
        }
    }
    all.sort();
    all.dedup();
    all
}
