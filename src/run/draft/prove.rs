//! Candidates put to the test: what each rule finds in the texts, and which of them are kept.
//!
//! A compiled draft and the texts come in; counts with example sentences go out.

use std::collections::{BTreeMap, BTreeSet};

use super::look::Read;
use super::rules::Candidate;
use super::texts::Text;
use crate::diag;
use crate::extract::examples::describe;
use crate::extract::external::Answers;
use crate::extract::{Extractor, MissKind, Setting};
use crate::link::Lexicon;
use crate::model::assertion::{Reading, Slot};
use crate::model::chunk::{Chunk, ChunkKind};
use crate::model::id::EntityKey;
use crate::model::token::Span;
use crate::run::names;
use crate::run::setup::Reader;

/// How many sentences are kept of each rule to choose examples from.
const SAMPLES: usize = 12;

/// The longest text of an example, in bytes.
const LONGEST: usize = 700;

/// What a rule finds.
#[derive(Debug, Default)]
pub(super) struct Proof {
    /// How many readings name somebody known on both sides.
    pub(super) readings: u64,
    /// How many name somebody whom nobody knows.
    pub(super) unknown: u64,
    /// Who is joined, by document.
    pub(super) pairs: BTreeSet<(usize, EntityKey, EntityKey)>,
    /// How many readings have a day.
    pub(super) dated: u64,
    /// Sentences that may be examples.
    pub(super) samples: Vec<Sample>,
}

/// A sentence that may be an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) text: String,
    /// What must be found; empty: nothing.
    pub(super) finds: Vec<String>,
    /// Where it stands.
    pub(super) place: String,
}

impl Proof {
    /// The documents in which it finds somebody known.
    pub(super) fn documents(&self) -> BTreeSet<usize> {
        self.pairs.iter().map(|(document, ..)| *document).collect()
    }
}

/// What stays the same over all documents.
pub(super) struct Court<'c> {
    pub(super) reader: &'c Reader,
    /// The rules, which tell near misses too.
    pub(super) extractor: Extractor,
    pub(super) lexicon: &'c Lexicon,
    /// By what name an entity is written in an example.
    pub(super) names: &'c BTreeMap<EntityKey, String>,
    /// The folder, as it stands before paths.
    pub(super) folder: &'c str,
    pub(super) candidates: &'c [Candidate],
}

impl Court<'_> {
    /// Reads every text with every candidate. Linear in the texts and the candidates.
    pub(super) fn prove(&self, read: &[(Setting, Read<'_>)]) -> BTreeMap<String, Proof> {
        let extractor = &self.extractor;
        let mut proofs: BTreeMap<String, Proof> = BTreeMap::new();
        for (document, (setting, Read { text, .. })) in read.iter().enumerate() {
            let (mentions, bindings) = names::link(self.lexicon, extractor, setting, &text.chunks);
            for (at, chunk) in text.chunks.iter().enumerate() {
                let input = extractor.input(setting, &bindings, at, chunk, &mentions[at]);
                let found = extractor.extract(&input, &Answers::new());
                for reading in &found.readings {
                    count(document, reading, proofs.entry(reading.rule.clone()).or_default());
                }
                self.sample(setting, text, chunk, &found.readings, &mut proofs);
                for miss in found.misses.iter().filter(|miss| matches!(miss.kind, MissKind::Cue { .. })) {
                    let Some(span) = miss.span else { continue };
                    let sentence = self.sentence(chunk, span);
                    let whole = !found.readings.iter().any(|reading| reading.rule == miss.rule);
                    if sentence.len() <= LONGEST && whole {
                        let place = chunk.spot_at(span.start).in_file(&self.path(text));
                        let sample = Sample { text: sentence, finds: Vec::new(), place };
                        keep(&mut proofs.entry(miss.rule.clone()).or_default().samples, sample);
                    }
                }
            }
        }
        proofs
    }

    fn path(&self, text: &Text) -> String {
        format!("{}/{}", self.folder, text.path)
    }

    /// Keeps the sentences in which a rule finds only who is known.
    fn sample(
        &self,
        setting: &Setting,
        text: &Text,
        chunk: &Chunk,
        readings: &[Reading],
        proofs: &mut BTreeMap<String, Proof>,
    ) {
        let mut by_sentence: BTreeMap<(String, String), (usize, Vec<String>)> = BTreeMap::new();
        let mut spoiled = BTreeSet::new();
        for reading in readings {
            let Some(span) = reading.evidence.span else { continue };
            let Some(example) = self.example(text, chunk, reading, span) else { continue };
            let key = (reading.rule.clone(), example);
            match self.finds(setting, reading) {
                Some(finds) => by_sentence.entry(key).or_insert((span.start, Vec::new())).1.push(finds),
                None => spoiled.extend([key]),
            }
        }
        for ((rule, example), (start, finds)) in by_sentence {
            if spoiled.contains(&(rule.clone(), example.clone())) || example.len() > LONGEST {
                continue;
            }
            let place = chunk.spot_at(start).in_file(&self.path(text));
            keep(&mut proofs.entry(rule).or_default().samples, Sample { text: example, finds, place });
        }
    }

    /// The text of an example: the sentence, the row below its header, or the fields.
    fn example(&self, text: &Text, chunk: &Chunk, reading: &Reading, span: Span) -> Option<String> {
        let candidate = self.candidates.iter().find(|one| one.id == reading.rule)?;
        if !candidate.fields.is_empty() {
            let fields = text.fields.iter().filter(|field| candidate.fields.contains(&field.name));
            let lines: Vec<String> = fields.map(|field| format!("{}: {}", field.name, field.value)).collect();
            return Some(format!("{}\n\nText.", lines.join("\n")));
        }
        let ChunkKind::Rows { header, cells, .. } = &chunk.body.kind else {
            return Some(self.sentence(chunk, span));
        };
        let row = cells.rows.iter().find(|row| row.iter().any(|cell| cell.overlaps(&span)))?;
        let line = |cells: Vec<&str>| {
            format!("| {} |", cells.iter().map(|cell| one_line(cell)).collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("|{}", "---|".repeat(header.len()));
        let row = row.iter().map(|cell| cell.of(&chunk.body.text)).collect();
        Some([line(header.iter().map(String::as_str).collect()), rule, line(row)].join("\n"))
    }

    fn sentence(&self, chunk: &Chunk, span: Span) -> String {
        let text = &chunk.body.text;
        let mut sentences = self.reader.language.sentences(text).into_iter();
        let sentence = sentences.find(|sentence| sentence.covers(&span)).unwrap_or(Span::new(0, text.len()));
        one_line(sentence.of(text))
    }

    /// What a reading says, as an example writes it; none if it could not be told from the sentence alone.
    fn finds(&self, setting: &Setting, reading: &Reading) -> Option<String> {
        let said = describe(reading);
        let plain = format!("{} {} {}", reading.subject.surface, reading.edge_type, reading.object.surface);
        let days = said.strip_prefix(&plain)?;
        if days.contains('?') || days.contains("effective") || days.contains("ended") {
            return None;
        }
        let side = |slot: &Slot| {
            let key = known(slot)?;
            let own = setting.stands_for.as_ref() == Some(key);
            if own { Some("self".to_owned()) } else { self.names.get(key).cloned() }
        };
        Some(format!("{} {} {}{days}", side(&reading.subject)?, reading.edge_type, side(&reading.object)?))
    }
}

fn count(document: usize, reading: &Reading, proof: &mut Proof) {
    match (known(&reading.subject), known(&reading.object)) {
        (Some(subject), Some(object)) => {
            proof.readings += 1;
            proof.dated += u64::from(reading.valid_from.is_some());
            proof.pairs.insert((document, subject.clone(), object.clone()));
        }
        _ => proof.unknown += 1,
    }
}

fn known(slot: &Slot) -> Option<&EntityKey> {
    match slot.candidates.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Keeps the samples that read best: whole sentences that are not long, the first ones of equal ones.
fn keep(samples: &mut Vec<Sample>, sample: Sample) {
    if samples.iter().any(|one| one.text == sample.text) {
        return;
    }
    let order = |one: &Sample| (one.text.len() > 300, one.text.len() < 40, one.text.len());
    let at = samples.partition_point(|one| order(one) <= order(&sample));
    samples.insert(at, sample);
    // Of those that find nothing two are enough, however short they are.
    let is_none = |one: &Sample| one.finds.is_empty();
    while samples.iter().filter(|one| is_none(one)).count() > 2 {
        if let Some(last) = samples.iter().rposition(is_none) {
            samples.remove(last);
        }
    }
    samples.truncate(SAMPLES);
}

/// Why a candidate is not kept.
pub(super) type LeftOut = (String, String);

/// Chooses rules: those that find somebody in enough documents whom the ones before them do not find. Candidates come
/// the likeliest first; at most `most_edges` types of edges are made.
pub(super) fn choose(
    candidates: &[Candidate],
    proofs: &BTreeMap<String, Proof>,
    named: &BTreeMap<String, u64>,
    floor: u64,
    most_edges: usize,
) -> (Vec<Candidate>, Vec<LeftOut>) {
    let (mut kept, mut left_out): (Vec<Candidate>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    let mut found: BTreeMap<&str, BTreeSet<&(usize, EntityKey, EntityKey)>> = BTreeMap::new();
    let mut covered: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut edges: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for candidate in candidates {
        let Some(proof) = proofs.get(&candidate.id).filter(|proof| proof.readings > 0) else { continue };
        let ours = found.entry(candidate.edge.as_str()).or_default();
        let new: BTreeSet<usize> =
            proof.pairs.iter().filter(|pair| !ours.contains(pair)).map(|(document, ..)| *document).collect();
        let joins = (candidate.joins.subject.as_str(), candidate.joins.object.as_str());
        let all = covered.get(joins.0).map_or(0, BTreeSet::len) as u64;
        let why = if (proof.documents().len() as u64) < floor {
            Some(format!("it finds somebody in {} only", diag::count(proof.documents().len(), "document")))
        } else if !candidate.is_idiom && (new.len() as u64) < floor {
            let more = match new.len() {
                0 => "nobody".to_owned(),
                some => format!("somebody in {} only", diag::count(some, "document")),
            };
            Some(format!("beyond the rules above it finds {more}"))
        } else if candidate.last_resort && all * 2 >= named.get(joins.0).copied().unwrap_or_default() {
            Some("other rules say more of most of these names".to_owned())
        } else if edges.get(candidate.edge.as_str()).is_some_and(|one| *one != joins) {
            Some(format!("`{}` joins other types already", candidate.edge))
        } else if !edges.contains_key(candidate.edge.as_str()) && edges.len() >= most_edges {
            Some("there are as many types of edges as one looks through".to_owned())
        } else {
            None
        };
        if let Some(why) = why {
            left_out.push((format!("rule {} ({})", candidate.id, candidate.reads), why));
            continue;
        }
        ours.extend(&proof.pairs);
        covered.entry(joins.0).or_default().extend(proof.documents());
        edges.insert(&candidate.edge, joins);
        let mut chosen = candidate.clone();
        if let Some(undated) = chosen.undated.take().filter(|_| proof.dated < floor) {
            chosen.lines = undated;
        }
        kept.push(chosen);
    }
    (kept, left_out)
}
