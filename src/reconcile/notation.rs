//! The tests' notation: attestations in, the whole outcome of the fold out, both as text.
//!
//! ```text
//! a: S sole C [2024-02-17, inf) dated=2024-01-01      attestation `a`, read in the document `a`
//! b: S ends sole C 2024-02-17                          an end; `?` for one without a day
//! published: S sole C [2024-02-17, inf)                the edge was published before; without days: always
//! log: S sole C > T sole C                             a logged incumbent
//! ```
//!
//! A bound is a day, `2024-02`, `2024Q1`, `2024`, `?` or `inf`; a coarse end is the last period that counts.
//! Options: `doc dated for left approved feed`; any other `name=value` is a property. In the outcome `a~`
//! joined as evidence, `a!` says that the fact has ended.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::model::access::Labels;
use crate::model::assertion::{Assertion, Left, Origin};
use crate::model::fact::{Attested, CutBy, Edge};
use crate::model::id::{ChunkId, DocumentId};
use crate::model::time::{Bound, DateBase, Interval, Precision, StatedDate};
use crate::ontology::{Property, Side, ValueKind};

/// Types: `supplies` declares nothing, `sole` at most one subject, `supersedes` ends its object, `uses` is
/// acyclic, `sits_in` is acyclic with at most one object, `rated` has a property `qty` that may conflict.
pub(super) fn ontology() -> Ontology {
    let plain = |name: &str| EdgeType {
        name: name.to_owned(),
        subject: vec!["E".to_owned()],
        object: vec!["E".to_owned()],
        at_most_one: None,
        ends_object: false,
        inverse: None,
        symmetric: false,
        acyclic: false,
        properties: BTreeMap::new(),
        review_always: false,
        threshold: 0.8,
        access: Labels::new(),
    };
    let qty = Property { kind: ValueKind::Number, identity: false, conflict: true, access: Labels::new() };
    let edges = [
        plain("supplies"),
        EdgeType { at_most_one: Some(Side::Subject), ..plain("sole") },
        EdgeType { ends_object: true, ..plain("supersedes") },
        EdgeType { acyclic: true, ..plain("uses") },
        EdgeType { acyclic: true, at_most_one: Some(Side::Object), ..plain("sits_in") },
        EdgeType { properties: BTreeMap::from([("qty".to_owned(), qty)]), ..plain("rated") },
    ];
    Ontology {
        language: "en".to_owned(),
        entities: BTreeMap::new(),
        edges: edges.into_iter().map(|edge| (edge.name.clone(), edge)).collect(),
        rules: Vec::new(),
    }
}

/// Everything that a text says.
#[derive(Clone, Default)]
pub(super) struct Given {
    pub(super) attestations: Vec<Attestation>,
    pub(super) published: BTreeMap<FactId, Vec<Interval>>,
    pub(super) log: Vec<Incumbent>,
    labels: BTreeMap<AssertionId, String>,
    names: BTreeMap<FactId, String>,
}

pub(super) fn entity(name: &str) -> EntityKey {
    EntityKey::new("E", name).unwrap()
}

impl Given {
    pub(super) fn read(text: &str) -> Self {
        let mut given = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (label, rest) = line.split_once(": ").expect("label: rest");
            match label {
                "published" => {
                    let (fact, days) = rest.split_once(" [").unwrap_or((rest, "?, inf)"));
                    let (from, to) = days.trim_end_matches(')').split_once(", ").expect("from, to");
                    let day = |text, is_start| bound(text, is_start).map(|(day, _)| day);
                    let edge = Interval::new(day(from, true), day(to, false)).expect("a day");
                    let fact = given.fact(fact);
                    given.published.entry(fact).or_default().push(edge);
                }
                "log" => {
                    let (stands, against) = rest.split_once(" > ").expect("stands > against");
                    let entry = Incumbent { stands: given.fact(stands), against: given.fact(against) };
                    given.log.push(entry);
                }
                _ => given.attestation(label, rest),
            }
        }
        given
    }

    fn fact(&mut self, text: &str) -> FactId {
        let words: Vec<&str> = text.split_whitespace().collect();
        let id = Assertion::fact_id(&entity(words[0]), words[1], &entity(words[2]), &BTreeMap::new());
        self.names.insert(id, words.join(" "));
        id
    }

    fn attestation(&mut self, label: &str, rest: &str) {
        let mut words: Vec<&str> = rest.split_whitespace().collect();
        let ends = words[1] == "ends";
        if ends {
            words.remove(1);
        }
        let fact = self.fact(&words[..3].join(" "));
        let (start, end, options) = if ends {
            (None, bound(words[3], false), &words[4..])
        } else {
            let from = words[3].trim_start_matches('[').trim_end_matches(',');
            (bound(from, true), bound(words[4].trim_end_matches(')'), false), &words[5..])
        };
        let assertion = AssertionId::of(&[label]);
        self.labels.insert(assertion, label.to_owned());
        let mut attestation = Attestation {
            assertion,
            fact,
            subject: entity(words[0]),
            edge_type: words[1].to_owned(),
            object: entity(words[2]),
            identity: BTreeMap::new(),
            says: if ends { Says::Ends } else { Says::Holds },
            origin: chunk_of(label),
            stands_for: None,
            document_date: None,
            authority: None,
            start,
            end,
            left: None,
            properties: BTreeMap::new(),
            approved: None,
        };
        for option in options {
            let (name, value) = option.split_once('=').expect("name=value");
            match name {
                "doc" => attestation.origin = chunk_of(value),
                "dated" => attestation.document_date = Some(value.parse().unwrap()),
                "for" => attestation.stands_for = Some(entity(value)),
                "left" => {
                    let on = value.parse().unwrap();
                    attestation.left = Some(Left { on, why: String::new(), dated: None });
                }
                "approved" => attestation.approved = Some(value.parse().unwrap()),
                "feed" => {
                    attestation.origin = Origin::Row { feed: "feed".to_owned(), row: label.to_owned() };
                    attestation.authority = Some(match value {
                        "decides" => Authority::Decides,
                        "confirms" => Authority::Confirms,
                        _ => Authority::Informs,
                    });
                }
                _ => {
                    attestation.properties.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        self.attestations.push(attestation);
    }

    /// Folds the strata one after the other, as a run does.
    pub(super) fn fold(&self) -> Folded {
        let ontology = ontology();
        let (first, second): (Vec<_>, Vec<_>) =
            self.attestations.iter().cloned().partition(|at| ontology.edges[&at.edge_type].stratum() == 1);
        let slice = |attestations, superseded| Slice {
            attestations,
            incumbents: self.log.clone(),
            published: self.published.clone(),
            superseded,
        };
        let mut folded = fold(&ontology, &slice(first, BTreeMap::new()));
        let others = fold(&ontology, &slice(second, folded.superseded.clone()));
        folded.facts.extend(others.facts);
        folded.quarantined.extend(others.quarantined);
        folded.pending.extend(others.pending);
        folded.incumbents.extend(others.incumbents);
        folded.gaps.extend(others.gaps);
        folded.facts.sort_by_key(|fact| fact.id);
        folded
    }

    fn label(&self, assertion: &AssertionId) -> &str {
        &self.labels[assertion]
    }

    fn name(&self, fact: &FactId) -> &str {
        &self.names[fact]
    }

    /// The outcome as text: facts by name, then quarantine, waiting ends, gaps and the log.
    pub(super) fn show(&self, folded: &Folded) -> String {
        let mut facts: Vec<String> = folded.facts.iter().map(|fact| self.show_fact(fact)).collect();
        facts.sort();
        let mut others: Vec<String> = Vec::new();
        for row in &folded.quarantined {
            for reason in &row.reasons {
                others.push(format!("quarantined {}: {}", self.label(&row.assertion), self.reason(reason)));
            }
        }
        for end in &folded.pending {
            others.push(format!("waits {}: {}", self.label(&end.assertion), self.name(&end.fact)));
        }
        for gap in &folded.gaps {
            let days = Interval::new(Some(gap.from), gap.to).unwrap();
            others.push(format!("nobody {} {} {days}", gap.edge_type, gap.of.key()));
        }
        for entry in &folded.incumbents {
            others.push(format!("log: {} > {}", self.name(&entry.stands), self.name(&entry.against)));
        }
        others.sort();
        facts.into_iter().chain(others).map(|line| line + "\n").collect()
    }

    fn show_fact(&self, fact: &Fact) -> String {
        let edges: Vec<String> = fact.edges.iter().map(show_edge).collect();
        let mut by: Vec<String> = fact
            .attestations
            .iter()
            .map(|attested| {
                let mark = match attested {
                    Attested { ends: true, .. } => "!",
                    Attested { defines: false, .. } => "~",
                    Attested { .. } => "",
                };
                format!("{}{mark}", self.label(&attested.assertion))
            })
            .collect();
        by.sort();
        let mut text = format!("{} {} by {}", self.name(&fact.id), edges.join(" "), by.join(" "));
        for cut in &fact.cuts {
            let by = match &cut.by {
                CutBy::Newcomer(fact) => format!("newcomer {}", self.name(fact)),
                CutBy::Superseded(fact) => format!("superseded {}", self.name(fact)),
                CutBy::Ended(assertion) => format!("ended {}", self.label(assertion)),
                CutBy::Left(assertion) => format!("left {}", self.label(assertion)),
            };
            text += &format!("; {} {by}", cut.on);
        }
        text
    }

    fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::Conflict { with }
            | Reason::Cycle { with }
            | Reason::ContradictsMaster { with: Some(with) } => {
                format!("{} {}", reason.code(), self.name(with))
            }
            _ => reason.code().to_owned(),
        }
    }

    /// The edges that a reader sees who sees the attestations of these labels.
    pub(super) fn seen(&self, labels: &str) -> String {
        let labels: BTreeSet<&str> = labels.split_whitespace().collect();
        let sees = |assertion: &AssertionId| labels.contains(self.label(assertion));
        let mut lines: Vec<String> = Vec::new();
        for fact in &self.fold().facts {
            for edge in visible(fact, &sees) {
                lines.push(format!("{} {}\n", self.name(&fact.id), show_edge(&edge)));
            }
        }
        lines.sort();
        lines.concat()
    }
}

pub(super) fn show_edge(edge: &Edge) -> String {
    let mut text = edge.interval.to_string();
    if let Some(precision) = edge.from_precision.filter(|precision| *precision != Precision::Day) {
        text = text.replacen(',', &format!(" {precision:?},"), 1).to_lowercase();
    }
    if edge.end_unknown {
        text = text.replace(')', " or before)");
    }
    for (name, value) in &edge.properties {
        text += &format!(" {name}={value}");
    }
    text
}

fn chunk_of(document: &str) -> Origin {
    let document = DocumentId::new("docs", document).unwrap();
    Origin::Chunk { document, chunk: ChunkId::of(&["text"]), occurrence: 0 }
}

fn bound(text: &str, is_start: bool) -> Option<(Date, Precision)> {
    let day = |text: &str| text.parse().ok();
    let none = |_: &DateBase| None;
    let number = |text: &str| text.parse().unwrap();
    let stated = match text {
        "?" | "inf" => return None,
        _ if text.contains('Q') => {
            let (year, quarter) = text.split_once('Q').unwrap();
            StatedDate::quarter(number(year), number(quarter) as i8).unwrap()
        }
        _ if text.len() == 4 => StatedDate::year(number(text)).unwrap(),
        _ if text.len() == 7 => StatedDate::month(number(&text[..4]), number(&text[5..]) as i8).unwrap(),
        // In this notation a day as an end is the exclusive one.
        _ => return day(text).map(|day| (day, Precision::Day)),
    };
    if is_start { Bound::start(stated).as_start(&none).ok() } else { Bound::last(stated).as_end(&none).ok() }
}

/// Folds a text and compares the whole outcome.
#[track_caller]
pub(super) fn check(input: &str, expected: &str) {
    let given = Given::read(input);
    let trimmed: String = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    let shown = given.show(&given.fold());
    assert!(shown == trimmed, "\n--- expected\n{trimmed}--- found\n{shown}");
}
