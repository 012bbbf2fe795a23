//! The rules of a draft: what recurs in the texts, written as rules that may read it.
//!
//! Counts come in, candidates go out, the likeliest first. Whether one of them finds anything is not known here.

use std::collections::BTreeMap;

use super::columns::words_of;
use super::look::{Named, Seen};
use super::plan::{Edge, Plan};
use super::tables::relation;
use super::yaml::{list, name, one, quoted, word};
use crate::ontology::language::Language;
use crate::ontology::pattern::inflections;

/// How many phrases before a name, and how many verbs between two, are made rules of.
const MOST_PHRASES: usize = 3;

/// How many labels stand in one rule.
const MOST_LABELS: usize = 8;

/// A rule that may read something.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The rule's id.
    pub(super) id: String,
    /// The name of its edge type.
    pub(super) edge: String,
    /// The edge type.
    pub(super) joins: Edge,
    /// The lines that say what it reads, without margin.
    pub(super) lines: Vec<String>,
    /// What it reads, in words.
    pub(super) reads: String,
    /// The header fields that it reads.
    pub(super) fields: Vec<String>,
    /// The lines without the days, which are taken where few sentences have one.
    pub(super) undated: Option<Vec<String>>,
    /// True if it is an idiom that is likely to be met in other documents too, whatever else finds the same here.
    pub(super) is_idiom: bool,
    /// True if it is only kept where other rules find little.
    pub(super) last_resort: bool,
}

impl Candidate {
    /// The rule, as text without examples.
    pub(super) fn text(&self) -> String {
        let mut text = format!("- id: {}\n  edge: {}\n", word(&self.id), word(&self.edge));
        self.lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text
    }
}

/// In how many documents something must recur to be made a rule of, of this many.
pub(super) fn floor(documents: usize) -> u64 {
    match documents {
        0..5 => 1,
        5..40 => 2,
        _ => (documents as u64 / 20).max(3),
    }
}

/// The candidates: of each type that the texts name, by whom a document is said to stand in a relation to it.
pub(super) fn candidates(seen: &Seen, plan: &Plan, documents: usize, language: &Language) -> Vec<Candidate> {
    let floor = floor(documents);
    let (mut first, mut then, mut last) = (Vec::new(), Vec::new(), Vec::new());
    let own = &plan.stands.kind;
    let mut kinds: Vec<(&String, &Named)> = seen.named.iter().filter(|(kind, _)| *kind != own).collect();
    kinds.sort_by_key(|(kind, named)| (std::cmp::Reverse(named.documents), *kind));
    for (kind, named) in kinds.into_iter().filter(|(_, named)| named.documents >= floor) {
        let maker = Maker { kind, own, language };
        first.extend(maker.idioms(named, floor));
        first.extend(maker.fields(seen, floor));
        then.extend(maker.phrases(named, floor));
        last.push(maker.anywhere());
    }
    first.extend(tables(seen, own, floor, language));
    first.extend(pairs(seen, own, floor, language));
    first.extend(then);
    first.extend(last);
    let mut ids = std::collections::BTreeSet::new();
    first.retain(|one| ids.insert(one.id.clone()));
    first
}

struct Maker<'m> {
    kind: &'m str,
    own: &'m str,
    language: &'m Language,
}

impl Maker<'_> {
    fn make(&self, edge: String, of: &str, lines: Vec<String>, reads: String) -> Candidate {
        let id = format!("{edge}.{of}");
        let why = format!("{} in a text, and the {} for which the text stands", one(self.kind), self.own);
        let joins = Edge { subject: self.kind.to_owned(), object: self.own.to_owned(), why };
        Candidate {
            id,
            edge,
            joins,
            lines,
            reads,
            fields: Vec::new(),
            undated: None,
            is_idiom: false,
            last_resort: false,
        }
    }

    fn edge(&self) -> String {
        format!("{}_of", snake(self.kind))
    }

    /// What idioms, labels and the preamble say of the document itself.
    fn idioms(&self, named: &Named, floor: u64) -> Vec<Candidate> {
        let kind = self.kind;
        let itself = || "object: self".to_owned();
        let between = self.language.parts.between.join("|");
        let mut made = vec![
            self.make(
                self.edge(),
                "between",
                vec![itself(), format!("match: \"({between}) [:] {{subject:{kind}+}}\"")],
                format!("lists of names behind ({between})"),
            ),
            self.make(
                self.edge(),
                "defined",
                vec![itself(), format!("defines: {{ subject: {} }}", word(kind))],
                "names for which the document defines a term: `Acme plc (the \"Buyer\")`".to_owned(),
            ),
            self.make(
                self.edge(),
                "preamble",
                vec![
                    itself(),
                    format!("mentions: {{ subject: {} }}", word(kind)),
                    "in: { part: preamble }".to_owned(),
                ],
                "names in what stands before the first section".to_owned(),
            ),
        ];
        made.iter_mut().take(2).for_each(|made| made.is_idiom = true);
        let labels: Vec<&str> = frequent(&named.labels, floor, MOST_LABELS);
        if !labels.is_empty() {
            let lines = vec![
                itself(),
                format!("match: {}", quoted(&format!("({}) : {{subject:{kind}}}", labels.join("|")))),
            ];
            made.push(self.make(
                self.edge(),
                "label",
                lines,
                format!("names behind the labels {}", labels.join(", ")),
            ));
        }
        made
    }

    /// What stands right before names, and the signature block.
    fn phrases(&self, named: &Named, floor: u64) -> Vec<Candidate> {
        let (kind, mut made) = (self.kind, Vec::new());
        let itself = || "object: self".to_owned();
        for phrase in frequent(&named.before, floor, MOST_PHRASES) {
            let lines =
                vec![itself(), format!("match: {}", quoted(&format!("{phrase} {{subject:{kind}+}}")))];
            let of = format!("after_{}", name(phrase));
            made.push(self.make(self.edge(), &of, lines, format!("names behind `{phrase}`")));
        }
        made.push(self.make(
            self.edge(),
            "signature",
            vec![
                itself(),
                format!("mentions: {{ subject: {} }}", word(kind)),
                "in: { part: signature }".to_owned(),
            ],
            "names in the signature block".to_owned(),
        ));
        made
    }

    /// Header fields whose values are names.
    fn fields(&self, seen: &Seen, floor: u64) -> Vec<Candidate> {
        let named = seen.fields.values().filter(|field| {
            let of = field.kinds.get(self.kind).copied().unwrap_or_default();
            of >= floor && of * 2 >= field.documents
        });
        let made = named.map(|field| {
            let lines = vec![
                "object: self".to_owned(),
                format!("field: {{ subject: {} }}", list([field.name.as_str()])),
            ];
            let edge = format!("{}_of", relation(&field.name, self.language));
            let made = self.make(edge, "field", lines, format!("the header field `{}`", field.name));
            Candidate { fields: vec![field.name.clone()], ..made }
        });
        made.collect()
    }

    /// Everyone of the type, anywhere: what is left where nothing says more.
    fn anywhere(&self) -> Candidate {
        let lines = vec!["object: self".to_owned(), format!("mentions: {{ subject: {} }}", word(self.kind))];
        let edge = format!("{}_named_in", snake(self.kind));
        let made = self.make(edge, "anywhere", lines, "names anywhere in the text".to_owned());
        Candidate { last_resort: true, ..made }
    }
}

/// Tables with a column of names: of two types, else of one, and the document.
fn tables(seen: &Seen, own: &str, floor: u64, language: &Language) -> Vec<Candidate> {
    let mut made = Vec::new();
    let mut frequent: Vec<_> = seen.tables.iter().filter(|(_, table)| table.documents >= floor).collect();
    frequent.sort_by_key(|(header, table)| (std::cmp::Reverse(table.documents), *header));
    for (header, table) in frequent {
        let mut sides: Vec<(&String, &String)> = Vec::new();
        let mut since = None;
        for (column, (filled, days, kinds)) in header.iter().zip(&table.columns) {
            let likely = kinds.iter().max_by_key(|(kind, count)| (**count, std::cmp::Reverse(*kind)));
            if column.is_empty() {
            } else if let Some((kind, _)) = likely.filter(|(_, count)| **count * 2 >= *filled) {
                if sides.iter().all(|(_, other)| *other != kind) {
                    sides.push((column, kind));
                }
            } else if since.is_none() && *days > 0 && *days * 2 >= *filled {
                since = Some(column);
            }
        }
        let dated =
            since.map(|column| format!(", valid_from: {}", list([column.as_str()]))).unwrap_or_default();
        let reads = format!("tables with the columns {}", header.join(", "));
        let why = "columns of tables in texts".to_owned();
        let (edge, object, mut lines) = match sides.as_slice() {
            [(one, kind), (other, object), ..] => {
                let line = format!(
                    "table: {{ subject: {}, object: {}{dated} }}",
                    list([one.as_str()]),
                    list([other.as_str()])
                );
                (format!("{}_{}", snake(kind), snake(object)), (*object).clone(), vec![line])
            }
            [(column, kind)] if kind.as_str() != own => {
                let line = format!("table: {{ subject: {}{dated} }}", list([column.as_str()]));
                (
                    format!("{}_of", relation(column, language)),
                    own.to_owned(),
                    vec!["object: self".to_owned(), line],
                )
            }
            _ => continue,
        };
        let subject = sides[0].1.clone();
        if since.is_some() {
            lines.push("# TODO: is that the day from which a row holds?".to_owned());
        }
        let joins = Edge { subject, object, why };
        let count = made.iter().filter(|one: &&Candidate| one.edge == edge).count();
        let id = if count == 0 { format!("{edge}.table") } else { format!("{edge}.table_{}", count + 1) };
        made.push(Candidate {
            id,
            edge,
            joins,
            lines,
            reads,
            fields: Vec::new(),
            undated: None,
            is_idiom: false,
            last_resort: false,
        });
    }
    made
}

/// Verbs between names of two types.
fn pairs(seen: &Seen, own: &str, floor: u64, language: &Language) -> Vec<Candidate> {
    let mut made = Vec::new();
    let mut pairs: Vec<_> = seen.pairs.iter().filter(|(_, pair)| pair.documents >= floor).collect();
    pairs.sort_by_key(|(kinds, pair)| (std::cmp::Reverse(pair.documents), *kinds));
    pairs.retain(|((subject, object), _)| subject != own && object != own);
    // The first verb of each pair comes before the second one of any.
    for place in 0..MOST_PHRASES {
        for ((subject, object), pair) in &pairs {
            let verbs = frequent(&pair.verbs, floor, MOST_PHRASES);
            let Some(&verb) = verbs.get(place) else { continue };
            // The form behind he, she or it is what an edge is called.
            let third = inflections(verb).into_iter().find(|form| form.ends_with('s') && form != verb);
            let mut edge = name(&third.unwrap_or_else(|| verb.to_owned()));
            let joins = Edge {
                subject: subject.clone(),
                object: object.clone(),
                why: format!("`{verb}` between {} and {}", one(subject), one(object)),
            };
            let others = |one: &Candidate| {
                one.edge == edge && (one.joins.subject != joins.subject || one.joins.object != joins.object)
            };
            if made.iter().any(others) {
                edge = format!("{edge}_{}", snake(object));
            }
            let pattern = format!("{{subject:{subject}}} ... {verb}~ ... {{object:{object}+}}");
            let dated = format!("{pattern} [... ({}) {{valid_from:date}}]", language.since.join("|"));
            made.push(Candidate {
                id: format!("{edge}.verb"),
                edge,
                joins,
                lines: vec![format!("match: {}", quoted(&dated))],
                reads: format!("sentences with `{verb}` between {} and {}", one(subject), one(object)),
                fields: Vec::new(),
                undated: Some(vec![format!("match: {}", quoted(&pattern))]),
                is_idiom: false,
                last_resort: false,
            });
        }
    }
    made
}

/// What recurs often enough, the most frequent first.
fn frequent(counts: &BTreeMap<String, u64>, floor: u64, most: usize) -> Vec<&str> {
    let mut found: Vec<(&String, u64)> =
        counts.iter().filter(|(_, count)| **count >= floor).map(|(what, count)| (what, *count)).collect();
    found.sort_by_key(|(what, count)| (std::cmp::Reverse(*count), *what));
    found.into_iter().take(most).map(|(what, _)| what.as_str()).collect()
}

fn snake(kind: &str) -> String {
    name(&words_of(kind).join("_"))
}
