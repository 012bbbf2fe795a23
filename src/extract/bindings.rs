//! The terms that a document defines and the names that `bind` rules give, each with how far it reaches.
//!
//! All chunks of one document come in; for one chunk, what is in force there goes out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Setting;
use super::bound::{Bound, Named, Value, merged, term_tokens};
use super::definitions::definitions;
use super::reach::{Outline, Reach};
use super::rules::Compiled;
use super::scene::{Reader, Scene};
use super::search::{Filled, Found, Search, Taken};
use super::{block, zones};
use crate::model::assertion::Supporting;
use crate::model::chunk::{Chunk, ChunkBody, ChunkKind};
use crate::model::document::HeaderField;
use crate::model::id::{ChunkId, EntityKey};
use crate::model::mention::Mention;
use crate::model::time::DateExpr;
use crate::model::token::{Token, tokens};
use crate::ontology::{RuleKind, Scope};

/// What a document's terms stand for, and what `bind` rules named. Made by
/// [`Extractor::bind`](super::Extractor::bind).
#[derive(Debug, Clone, Default)]
pub struct Bindings {
    /// The terms, by name; they reach as far as the document.
    terms: Vec<Placed>,
    /// The bindings of rules, in the order of the document.
    named: Vec<Placed>,
    /// For each chunk: which of these reach it and not the whole document.
    near: BTreeMap<usize, Vec<usize>>,
    /// Which of these reach the whole document.
    wide: Vec<usize>,
    /// For (chunk, column) of a table whose first cells are empty: who stands in the cell above.
    above: BTreeMap<(usize, usize), Vec<EntityKey>>,
    /// For each header field of the document, whom its value names, wherever it stands in the text.
    pub(super) field_names: Vec<Vec<Named>>,
    /// The chunk in which rules for header fields read: the one that holds them, else the first.
    pub(super) fields: Option<usize>,
}

/// A binding and where it was made.
#[derive(Debug, Clone)]
struct Placed {
    bound: Bound,
    chunk: usize,
    id: ChunkId,
    /// True if it counts whatever stands further down in the document.
    first: bool,
}

impl Bindings {
    /// The terms and named bindings in force in a chunk: `named` only as far as asked for.
    pub(super) fn in_force(&self, chunk: usize, wanted: &dyn Fn(&Bound) -> bool) -> Vec<Bound> {
        let mut found: Vec<Bound> = Vec::new();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for placed in self.near(chunk).chain(self.wide()) {
            names.insert(&placed.bound.name);
        }
        for name in names {
            let bound = self.named(chunk, name);
            found.extend(bound.filter(|bound| wanted(bound)));
        }
        let terms = self.terms.iter().filter(|placed| wanted(&placed.bound));
        found.extend(terms.map(|placed| placed.seen_from(chunk)));
        found
    }

    /// The terms that may stand in a chunk's text.
    pub(super) fn terms(&self, chunk: usize) -> Vec<Bound> {
        let terms = self.terms.iter().filter(|placed| !placed.bound.term.is_empty());
        terms.map(|placed| placed.seen_from(chunk)).collect()
    }

    /// Whom rules have named for the whole document.
    pub fn entities(&self) -> Vec<EntityKey> {
        let mut found: Vec<EntityKey> = self
            .wide()
            .flat_map(|placed| match &placed.bound.value {
                Value::Names(names) => names.as_slice(),
                Value::Date(_) => &[],
            })
            .flat_map(|named| named.candidates.iter().cloned())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What rules have given this name anywhere in the document, as the text says it.
    pub fn given(&self, name: &str) -> Vec<String> {
        let given = self.named.iter().filter(|placed| placed.bound.name == name);
        let mut found: Vec<String> = given
            .flat_map(|placed| match &placed.bound.value {
                Value::Names(names) => names.iter().map(|named| named.surface.clone()).collect(),
                Value::Date(DateExpr::Stated(stated)) => vec![super::draft::iso(stated)],
                Value::Date(_) => Vec::new(),
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What a rule named in the chunk's scope. A narrow scope wins over a wide one, then the later line;
    /// two for the whole document that differ leave it open.
    fn named(&self, chunk: usize, name: &str) -> Option<Bound> {
        let narrow = self.near(chunk).filter(|placed| placed.bound.name == name && placed.chunk <= chunk);
        if let Some(placed) = narrow.max_by_key(|placed| placed.chunk) {
            return Some(placed.seen_from(chunk));
        }
        let wide: Vec<&Placed> = self.wide().filter(|placed| placed.bound.name == name).collect();
        let first = wide.first()?;
        let mut bound = first.seen_from(chunk);
        if first.first {
            // A blank to be filled in by hand says nothing yet.
            let blank = |value: &Value| matches!(value, Value::Date(DateExpr::Blank { .. }));
            return wide
                .iter()
                .find(|placed| !blank(&placed.bound.value))
                .map(|placed| placed.seen_from(chunk));
        }
        let values = different(wide.iter().map(|placed| &placed.bound.value));
        if values.len() > 1 {
            bound.value = Value::either(name, &values);
        }
        Some(bound)
    }

    /// The bindings that reach a chunk and not the whole document, in the order of the document.
    fn near(&self, chunk: usize) -> impl Iterator<Item = &Placed> {
        self.near.get(&chunk).into_iter().flatten().filter_map(|at| self.named.get(*at))
    }

    /// The bindings that reach the whole document, in its order.
    fn wide(&self) -> impl Iterator<Item = &Placed> {
        self.wide.iter().filter_map(|at| self.named.get(*at))
    }

    /// Takes in what a rule named.
    fn place(&mut self, placed: Placed, reach: Reach) {
        let at = self.named.len();
        match reach {
            Reach::Document => self.wide.push(at),
            Reach::Chunks(chunks) => {
                chunks.into_iter().for_each(|chunk| self.near.entry(chunk).or_default().push(at));
            }
        }
        self.named.push(placed);
    }

    /// Who stands above the first cell of a column.
    pub(super) fn above(&self, chunk: usize) -> BTreeMap<usize, Vec<EntityKey>> {
        let columns = self.above.range((chunk, 0)..(chunk + 1, 0));
        columns.map(|((_, column), keys)| (*column, keys.clone())).collect()
    }
}

impl Placed {
    /// The binding, with its support as the chunk sees it: in itself, or in another.
    fn seen_from(&self, chunk: usize) -> Bound {
        let mut bound = self.bound.clone();
        bound.support.chunk = (self.chunk != chunk).then_some(self.id);
        bound
    }
}

/// Reads the bindings of a document.
pub(super) fn bind(
    rules: &[Compiled],
    setting: &Setting,
    reader: Reader,
    chunks: &[Chunk],
    mentions: &[Vec<Mention>],
) -> Bindings {
    let mut bindings = Bindings {
        fields: chunks
            .iter()
            .position(|chunk| chunk.body.kind == ChunkKind::Fields)
            .or((!chunks.is_empty()).then_some(0)),
        above: above(chunks, mentions),
        field_names: setting.fields.iter().map(|field| names_in(field, chunks, mentions)).collect(),
        ..Bindings::default()
    };
    let none: &[Mention] = &[];
    let of = |at: usize| mentions.get(at).map_or(none, Vec::as_slice);
    let mut defined = Vec::new();
    let mut worded: Vec<Vec<Token>> = vec![Vec::new(); chunks.len()];
    for (at, chunk) in chunks.iter().enumerate().filter(|(_, chunk)| is_running_text(&chunk.body)) {
        worded[at] = tokens(&chunk.body.text);
        let scene = Scene::of(&chunk.body.text, Cow::Borrowed(&worded[at]), of(at), &[], reader);
        for definition in definitions(&scene, setting.stands_for.as_ref()) {
            let role = if matches!(definition.value, Value::Date(_)) { "date" } else { "definition" };
            let text = definition.sentence.of(&chunk.body.text);
            defined.push(Placed {
                bound: Bound {
                    term: term_tokens(&definition.term),
                    name: definition.term,
                    value: definition.value,
                    period: false,
                    support: Supporting { role: role.to_owned(), text: text.to_owned(), chunk: None },
                },
                chunk: at,
                id: chunk.id,
                first: false,
            });
        }
    }
    bindings.terms = settled(defined);
    let terms: Vec<Bound> = bindings.terms.iter().map(|placed| placed.bound.clone()).collect();
    let outline = Outline::default();
    for (at, chunk) in chunks.iter().enumerate().filter(|(_, chunk)| is_running_text(&chunk.body)) {
        let mut rules = rules
            .iter()
            .filter(|rule| matches!(rule.rule.kind, RuleKind::Bind { .. }) && rule.anchored_in(&worded[at]))
            .filter(|rule| zones::fits(&rule.rule, setting, &chunk.body))
            .peekable();
        if rules.peek().is_none() {
            continue;
        }
        let scene = Scene::of(&chunk.body.text, Cow::Borrowed(&worded[at]), of(at), &terms, reader);
        for rule in rules {
            let RuleKind::Bind { scope, .. } = rule.rule.kind else { continue };
            for placed in bound_by(rule, &scene, chunks, at) {
                bindings.place(placed, outline.reach(scope, chunks, at));
            }
        }
    }
    bindings
}

/// Whom the value of a header field names.
fn names_in(field: &HeaderField, chunks: &[Chunk], mentions: &[Vec<Mention>]) -> Vec<Named> {
    let Some(span) = field.span else { return Vec::new() };
    // Chunks ascend and do not overlap.
    let behind = chunks.partition_point(|chunk| chunk.start <= span.start);
    let at = behind.saturating_sub(1);
    let Some(chunk) = chunks.get(at) else { return Vec::new() };
    let named = mentions.get(at).into_iter().flatten().filter_map(|mention| {
        let inside = span.covers(&mention.span.shifted(chunk.start));
        let surface = mention.span.of(&chunk.body.text).to_owned();
        inside.then(|| Named { surface, candidates: mention.candidates.clone() })
    });
    named.collect()
}

/// One placement a term: the first, with what all of them together mean.
fn settled(defined: Vec<Placed>) -> Vec<Placed> {
    let mut by_term: BTreeMap<String, Vec<Placed>> = BTreeMap::new();
    for placed in defined {
        by_term.entry(placed.bound.name.clone()).or_default().push(placed);
    }
    let mut found = Vec::new();
    for (term, mut all) in by_term {
        let values = different(all.iter().map(|placed| &placed.bound.value));
        let mut first = all.swap_remove(0);
        if values.len() > 1 {
            first.bound.value = Value::either(&term, &values);
        }
        found.push(first);
    }
    found
}

fn different<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for value in values {
        if !found.iter().any(|known| known.agrees(value)) {
            found.push(value.clone());
        }
    }
    found
}

/// Quoted text and code bind nothing, tables are read cell by cell.
fn is_running_text(body: &ChunkBody) -> bool {
    matches!(body.kind, ChunkKind::Prose | ChunkKind::Item | ChunkKind::Heading)
}

/// What a `bind` rule names in a chunk.
fn bound_by(rule: &Compiled, scene: &Scene<'_>, chunks: &[Chunk], at: usize) -> Vec<Placed> {
    let (RuleKind::Bind { name, scope, first, .. }, Some(program)) = (&rule.rule.kind, &rule.program) else {
        return Vec::new();
    };
    let chunk = &chunks[at];
    let mut placed = Vec::new();
    for (sentence, lo, hi) in scene.sentences() {
        for unknown in [false, true] {
            let mut search = Search::new(scene, program, lo, hi, unknown);
            let found = search.all(lo, hi);
            for found in
                found.iter().filter(|found| block::blocked(scene, found, &rule.rule, lo, hi).is_none())
            {
                let Some(value) = value_of(found, program, name) else { continue };
                let role = if *scope == Scope::ItemsBelow { "parent" } else { "binding" };
                let support = Supporting {
                    role: role.to_owned(),
                    text: sentence.of(&chunk.body.text).to_owned(),
                    chunk: None,
                };
                let period = ends_period(found, program, name);
                let bound = Bound { name: name.clone(), term: Vec::new(), value, period, support };
                placed.push(Placed { bound, chunk: at, id: chunk.id, first: *first });
            }
            if !found.is_empty() {
                break;
            }
        }
    }
    placed
}

fn value_of(found: &Found, program: &super::program::Program, name: &str) -> Option<Value> {
    found.taken.iter().find_map(|taken| match taken {
        Taken::Slot(slot, _, _, filled) if program.slots[*slot].name == name => Some(match filled {
            Filled::Names(fill) if program.slots[*slot].list => Value::Names(fill.names.clone()),
            Filled::Names(fill) => Value::Names(vec![merged(&fill.names.first()?.surface, &fill.names)]),
            Filled::When(when) => Value::Date(when.date.clone()),
            Filled::Text(text) => Value::Names(vec![Named { surface: text.clone(), candidates: Vec::new() }]),
        }),
        _ => None,
    })
}

/// True if the slot of this name took a date that a period leads to.
fn ends_period(found: &Found, program: &super::program::Program, name: &str) -> bool {
    found.taken.iter().any(|taken| {
        matches!(taken, Taken::Slot(slot, _, _, Filled::When(when))
            if program.slots[*slot].name == name && when.period)
    })
}

/// The text of the last non-empty cell of a column, and who is named in it.
type LastCell = (String, Vec<EntityKey>);

/// Who stands in the cells above a table's chunks: their rows are in an earlier chunk.
fn above(chunks: &[Chunk], mentions: &[Vec<Mention>]) -> BTreeMap<(usize, usize), Vec<EntityKey>> {
    let mut found = BTreeMap::new();
    let mut last: BTreeMap<(&[String], usize), LastCell> = BTreeMap::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let ChunkKind::Rows { header, cells, above } = &chunk.body.kind else { continue };
        for (column, text) in above.iter().enumerate() {
            let known =
                last.get(&(header.as_slice(), column)).filter(|(earlier, _)| earlier.trim() == text.trim());
            if let Some((_, keys)) = known.filter(|(_, keys)| !keys.is_empty()) {
                found.insert((at, column), keys.clone());
            }
        }
        for row in &cells.rows {
            for (column, cell) in row.iter().enumerate() {
                let text = cell.of(&chunk.body.text);
                if text.trim().is_empty() {
                    continue;
                }
                let here =
                    mentions.get(at).into_iter().flatten().filter(|mention| cell.covers(&mention.span));
                let keys = here.flat_map(|mention| mention.candidates.iter().cloned()).collect();
                last.insert((header.as_slice(), column), (text.to_owned(), keys));
            }
        }
    }
    found
}
