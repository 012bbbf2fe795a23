//! Evaluation: what the graph says beside edges that are known to be true.
//!
//! Names are resolved and facts read through a [`Graph`], so a reader is told of nothing that they may not see;
//! `score` counts, and `explain` looks for why something was missed.

mod against;
mod explain;
mod report;
mod score;

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Loaded;
use crate::diag::{Diagnostic, Severity};
use crate::model::fact::Edge;
use crate::model::golden::{Floors, GoldenMap, GoldenRow, JudgedSide};
use crate::model::id::{EntityKey, FactId};
use crate::model::time::Interval;
use crate::ontology::Ontology;
use crate::serve::{Graph, Meant, Quoted, meant};
use crate::source;
use crate::store::Store;

use super::setup::Setup;
use super::{Error, Workspace};

pub use against::compare;
pub use report::{
    Against, BelowFloor, EvalReport, FalsePositive, Figures, Miss, Moved, Party, Rows, Sentence, SetReport,
    Share, VERSION, Why, WhyKind, WrongDates,
};

use score::{Known, Outcome, Pair, Question, Scored, merged, score, together};

/// A golden set as it is to be evaluated.
#[derive(Debug, Clone)]
pub struct GoldenSet {
    /// The file, as it was named.
    pub file: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The file that says how it is read, as it was named.
    pub map_file: Option<String>,
    /// How it is read.
    pub map: GoldenMap,
    /// What must be reached.
    pub floors: Floors,
    /// The job that declares it.
    pub job: Option<String>,
}

/// Evaluates the graph against golden sets. Of the misses, the first `explained` of each set are explained, which reads
/// the documents that they are about again, one at a time.
///
/// Linear in the rows and in the facts of those who are judged.
pub fn eval(
    workspace: &Workspace,
    loaded: Loaded,
    store: &Store,
    graph: &Graph<'_>,
    sets: &[GoldenSet],
    explained: usize,
) -> Result<EvalReport, Error> {
    let (setup, _) = Setup::new(loaded, &[])?;
    evaluate(workspace, &setup, store, graph, sets, explained)
}

/// [`eval`] with what a run has made of the configuration already.
pub(super) fn evaluate(
    workspace: &Workspace,
    setup: &Setup,
    store: &Store,
    graph: &Graph<'_>,
    sets: &[GoldenSet],
    explained: usize,
) -> Result<EvalReport, Error> {
    let known = setup.ontology.edges.keys().map(String::as_str);
    let edges: BTreeSet<&str> = known.filter(|name| graph.sees_type(name)).collect();
    let reads: Vec<source::feed::GoldenRead> =
        sets.iter().map(|set| source::feed::golden(&set.file, &set.bytes, &set.map, &edges)).collect();
    let wrong: Vec<Diagnostic> = reads.iter().flat_map(|read| read.diagnostics.clone()).collect();
    if wrong.iter().any(|one| one.severity == Severity::Error) {
        return Err(Error::Config(wrong));
    }
    // A map may name a type that there is, and of which this reader may not know.
    if let Some(unseen) =
        reads.iter().flat_map(|read| &read.types).find(|name| !edges.contains(name.as_str()))
    {
        return Err(Error::Usage { message: format!("there is no edge type `{unseen}`"), hint: None });
    }
    let mut reports = Vec::new();
    for (set, read) in sets.iter().zip(&reads) {
        let asking = Asking { ontology: &setup.ontology, graph, set, read, types: &read.types };
        let asked = asking.asked()?;
        reports.push(asking.report(
            asked,
            &explain::Explain { workspace, setup, store, graph },
            explained,
        )?);
    }
    let lens = graph.lens();
    Ok(EvalReport { version: VERSION, generation: lens.known_at, as_of: lens.as_of, sets: reports })
}

/// One golden set beside the graph.
struct Asking<'a, 's> {
    ontology: &'a Ontology,
    graph: &'a Graph<'s>,
    set: &'a GoldenSet,
    read: &'a source::feed::GoldenRead,
    /// The edge types that it is about.
    types: &'a [String],
}

/// A golden file as questions.
#[derive(Default)]
struct Asked {
    rows: Rows,
    questions: Vec<Question>,
    may: BTreeSet<Pair>,
    judged: BTreeSet<EntityKey>,
    names: Names,
}

/// Whom the names of a file mean.
#[derive(Default)]
struct Names {
    meant: BTreeMap<(String, Vec<String>), Meant>,
    /// How a pair is written where it first stands.
    written: BTreeMap<Pair, (String, String)>,
    /// Names that mean nobody in particular, as sides of a pair, with who may be meant.
    unclear: BTreeMap<String, Vec<EntityKey>>,
}

/// What stands before a name that is no key, so that no key is taken for it.
const UNCLEAR: char = '?';

/// The entity on a side of a pair.
fn entity(side: &str) -> Option<EntityKey> {
    if side.starts_with(UNCLEAR) { None } else { side.parse().ok() }
}

impl Asking<'_, '_> {
    /// The types that one of some edge types may have on a side, sorted.
    fn endpoint_types(&self, edges: &[String], side: JudgedSide) -> Vec<String> {
        let of = |edge: &String| self.ontology.edges.get(edge);
        let types = edges.iter().filter_map(of).flat_map(|edge| match side {
            JudgedSide::Subject => &edge.subject,
            JudgedSide::Object => &edge.object,
        });
        types.cloned().collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// A side of a row as a side of a pair.
    fn side(&self, row: &GoldenRow, side: JudgedSide, names: &mut Names) -> Result<String, Error> {
        let edges = if row.types.is_empty() { self.types } else { &row.types };
        // An edge that may be read both ways takes the types of both sides.
        let mut types = self.endpoint_types(edges, side);
        if edges.iter().any(|edge| self.is_symmetric(edge)) {
            types.extend(self.endpoint_types(edges, JudgedSide::Subject));
            types.extend(self.endpoint_types(edges, JudgedSide::Object));
        }
        let written = match side {
            JudgedSide::Subject => &row.subject,
            JudgedSide::Object => &row.object,
        };
        let key = (written.clone(), types);
        if !names.meant.contains_key(&key) {
            let found = meant(self.graph, written, &key.1.iter().cloned().collect())?;
            names.meant.insert(key.clone(), found);
        }
        Ok(match &names.meant[&key] {
            Meant::One(entity) => entity.to_string(),
            unclear => {
                let side = format!("{UNCLEAR}{written}");
                let several = if let Meant::Several(keys) = unclear { keys.clone() } else { Vec::new() };
                names.unclear.insert(side.clone(), several);
                side
            }
        })
    }

    fn is_symmetric(&self, edge: &str) -> bool {
        self.ontology.edges.get(edge).is_some_and(|edge| edge.symmetric)
    }

    /// A pair in the one order that it has, if it may be read both ways.
    fn ordered(&self, (subject, object): Pair, edges: &[String]) -> Pair {
        let turned =
            object < subject && !edges.is_empty() && edges.iter().all(|edge| self.is_symmetric(edge));
        if turned { (object, subject) } else { (subject, object) }
    }

    /// What the rows ask.
    fn asked(&self) -> Result<Asked, Error> {
        let mut asked = Asked::default();
        let judged = &self.set.map.judged;
        if let Some(feed) = &judged.feed {
            asked.judged = self.graph.made_by_feed(feed, &judged.only)?;
        }
        let mut questions = Vec::new();
        for row in &self.read.rows {
            asked.rows.all += 1;
            let subject = self.side(row, JudgedSide::Subject, &mut asked.names)?;
            let object = self.side(row, JudgedSide::Object, &mut asked.names)?;
            let own = entity(if judged.side == JudgedSide::Subject { &subject } else { &object });
            match (own, &judged.feed) {
                (Some(own), None) => drop(asked.judged.insert(own)),
                (Some(own), Some(_)) if asked.judged.contains(&own) => {}
                (None, None) => {}
                (own, Some(_)) => {
                    asked.rows.not_judged += 1;
                    asked.rows.not_judged_unknown += u64::from(own.is_none());
                    continue;
                }
            }
            let pair = self.ordered((subject.clone(), object.clone()), &row.types);
            let written = (row.subject.clone(), row.object.clone());
            asked.names.written.entry(pair.clone()).or_insert(written);
            // Of another day than the one that is looked at nothing is asked.
            let in_time = self.graph.lens().as_of.is_none_or(|day| row.may_hold_on(day));
            if row.asked && in_time {
                asked.rows.asked += 1;
                questions.push(Question {
                    pair,
                    types: row.types.clone(),
                    also: Vec::new(),
                    told: vec![(row.from, row.to)],
                    lines: vec![row.line],
                });
            } else {
                asked.rows.may += 1;
                if self.types.iter().any(|edge| self.is_symmetric(edge)) {
                    asked.may.insert((object.clone(), subject.clone()));
                }
                asked.may.insert((subject, object));
            }
        }
        asked.questions = merged(questions);
        asked.rows.questions = asked.questions.len() as u64;
        Ok(asked)
    }

    /// What the graph says of those who are judged, each pair and type once, with the facts behind it.
    fn known(&self, judged: &BTreeSet<EntityKey>) -> Result<(Vec<Known>, Vec<BTreeSet<FactId>>), Error> {
        let side = self.set.map.judged.side;
        let mut known: BTreeMap<(Pair, String), (Known, BTreeSet<FactId>)> = BTreeMap::new();
        for entity in judged {
            let mut said = self.graph.said_of(entity, side)?;
            if self.types.iter().any(|edge| self.is_symmetric(edge)) {
                let other = match side {
                    JudgedSide::Subject => JudgedSide::Object,
                    JudgedSide::Object => JudgedSide::Subject,
                };
                let turned = self.graph.said_of(entity, other)?;
                said.extend(turned.into_iter().filter(|(fact, _)| self.is_symmetric(&fact.edge_type)));
            }
            for (fact, edges) in said.into_iter().filter(|(fact, _)| self.types.contains(&fact.edge_type)) {
                let pair = (fact.subject.to_string(), fact.object.to_string());
                let pair = self.ordered(pair, std::slice::from_ref(&fact.edge_type));
                let (one, facts) = known.entry((pair.clone(), fact.edge_type.clone())).or_insert_with(|| {
                    let edge_type = fact.edge_type.clone();
                    (Known { pair, edge_type, intervals: Vec::new() }, BTreeSet::new())
                });
                if facts.insert(fact.id) {
                    one.intervals.extend(edges.iter().map(bounds));
                }
            }
        }
        Ok(known.into_values().unzip())
    }

    fn report(
        &self,
        asked: Asked,
        explain: &explain::Explain<'_, '_>,
        explained: usize,
    ) -> Result<SetReport, Error> {
        let (known, facts) = self.known(&asked.judged)?;
        let scored = score(&asked.questions, &asked.may, &known);
        let tally = |name: &String| scored.types.get(name).copied().unwrap_or_default();
        let groups = self.set.map.together.iter().map(|(name, group)| {
            Figures::of(name, &together(name, group, &asked.questions, &asked.may, &known))
        });
        let mut report = SetReport {
            golden: self.set.file.clone(),
            map: self.set.map_file.clone(),
            job: self.set.job.clone(),
            notes: self.read.diagnostics.iter().map(ToString::to_string).collect(),
            rows: asked.rows,
            judged: asked.judged.len() as u64,
            all: Figures::of("all", &scored.all),
            types: self.types.iter().map(|name| Figures::of(name, &tally(name))).collect(),
            groups: groups.collect(),
            false_positives: Vec::new(),
            misses: Vec::new(),
            wrong_dates: Vec::new(),
            below: Vec::new(),
            against: None,
        };
        for at in &scored.false_positives {
            report.false_positives.push(self.false_positive(&known[*at], &facts[*at])?);
        }
        self.questions(&asked, &known, &facts, &scored, &mut report)?;
        let wanted = explained.min(report.misses.len());
        explain.explain(&mut report.misses[..wanted], &asked.names.unclear, &asked.names.written)?;
        let (below, unknown) = against::below(&report, &self.set.floors);
        report.below = below;
        if unknown.is_empty() {
            return Ok(report);
        }
        let known: Vec<&str> =
            report.types.iter().chain(&report.groups).map(|figures| figures.name.as_str()).collect();
        let unknown: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
        Err(Error::Usage {
            message: format!("there is a floor for {}, and no figure", unknown.join(", ")),
            hint: Some(format!("`{}` has figures for {}", self.set.file, known.join(", "))),
        })
    }

    /// The misses and the hits with wrong dates.
    fn questions(
        &self,
        asked: &Asked,
        known: &[Known],
        facts: &[BTreeSet<FactId>],
        scored: &Scored,
        report: &mut SetReport,
    ) -> Result<(), Error> {
        for (question, outcome) in asked.questions.iter().zip(&scored.outcomes) {
            match *outcome {
                Outcome::Miss => report.misses.push(Miss {
                    subject: self.party(&question.pair.0)?,
                    types: question.types.clone(),
                    object: self.party(&question.pair.1)?,
                    lines: question.lines.clone(),
                    why: None,
                }),
                Outcome::Hit { by, from, to } if from == Some(false) || to == Some(false) => {
                    let bounds = [("valid_from", from), ("valid_to", to)].into_iter();
                    let words = |told: &score::ToldInterval| {
                        let from = told.0.words().unwrap_or_else(|| "…".to_owned());
                        format!("[{from}, {})", told.1.words().unwrap_or_else(|| "…".to_owned()))
                    };
                    report.wrong_dates.push(WrongDates {
                        subject: self.party(&question.pair.0)?,
                        edge_type: known[by].edge_type.clone(),
                        object: self.party(&question.pair.1)?,
                        bounds: bounds
                            .filter(|(_, right)| *right == Some(false))
                            .map(|(name, _)| name.to_owned())
                            .collect(),
                        told: question.told.iter().map(words).collect(),
                        has: intervals(&known[by]),
                        lines: question.lines.clone(),
                        sentence: self.sentence(&facts[by])?,
                    });
                }
                Outcome::Hit { .. } => {}
            }
        }
        Ok(())
    }

    fn false_positive(&self, known: &Known, facts: &BTreeSet<FactId>) -> Result<FalsePositive, Error> {
        Ok(FalsePositive {
            subject: self.party(&known.pair.0)?,
            edge_type: known.edge_type.clone(),
            object: self.party(&known.pair.1)?,
            intervals: intervals(known),
            sentence: self.sentence(facts)?,
        })
    }

    fn party(&self, side: &str) -> Result<Party, Error> {
        Ok(match entity(side) {
            Some(entity) => Party { key: Some(side.to_owned()), name: self.graph.name(&entity)? },
            None => Party { key: None, name: side.trim_start_matches(UNCLEAR).to_owned() },
        })
    }

    /// The sentence that says the first of some facts.
    fn sentence(&self, facts: &BTreeSet<FactId>) -> Result<Option<Sentence>, Error> {
        for id in facts {
            if let Some((fact, _)) = self.graph.fact(id)?
                && let Some(quoted) = self.graph.said_by(&fact, None)?
            {
                return Ok(Some(told_by(quoted)));
            }
        }
        Ok(None)
    }
}

fn told_by(quoted: Quoted) -> Sentence {
    Sentence { place: quoted.at.in_file(&quoted.path), quote: quoted.quote, rule: Some(quoted.rule) }
}

/// The start of an edge and its exclusive end.
fn bounds(edge: &Edge) -> (Option<jiff::civil::Date>, Option<jiff::civil::Date>) {
    (edge.interval.from(), edge.interval.to())
}

/// The intervals in which something holds, in words.
fn intervals(known: &Known) -> Vec<String> {
    let words = |(from, to): &(_, _)| match Interval::new(*from, *to) {
        Some(interval) => interval.to_string(),
        None => "empty".to_owned(),
    };
    known.intervals.iter().map(words).collect()
}
