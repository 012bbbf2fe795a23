//! A query as tantivy takes it, with what cannot be an answer left out, and scores that depend on nothing but
//! what the reader may see.

use std::ops::Bound;

use tantivy::query::{
    AllQuery, Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery,
    EmptyQuery, FuzzyTermQuery, Occur, PhrasePrefixQuery, PhraseQuery, Query as Compiled, RangeQuery,
    TermQuery,
};
use tantivy::schema::{Field as IndexField, IndexRecordOption};
use tantivy::{BitSet, DocSet, Searcher, TERMINATED, Term};

use super::query::{Clause, Field, Leaf, Node, Occurs, What};
use super::schema::{Fields, day_number};
use super::{Filter, Query};
use crate::model::access::Labels;

/// How much a word counts in a heading above the text, and in the document's title. Every chunk below a
/// heading has it, so it must not outweigh a text that says the word itself.
const SECTION_COUNTS: f32 = 0.4;
const TITLE_COUNTS: f32 = 0.3;
/// How much it counts that all words are there, beside what each of them counts.
const ALL_COUNT: f32 = 1.0;
/// The length, in words, from which on a text counts as long. A constant: the mean of what happens to be
/// indexed would let texts that a reader may not see move their scores.
const COMMON_LENGTH: u64 = 60;
/// Up to so many words are tried for an unfinished last word of a phrase.
const PREFIX_WORDS: u32 = 1000;

/// Counts for the scores: of the entries that this reader may find, exactly. So neither texts that they may not
/// see nor what the index has rewritten in between moves a score.
pub(super) struct Statistics<'s> {
    searcher: &'s Searcher,
    /// For each segment the entries that count; empty where all do.
    counting: Vec<Option<BitSet>>,
    total: u64,
    /// The labels that the reader does not hold.
    pub(super) unheld: Vec<Term>,
}

impl<'s> Statistics<'s> {
    /// Counts what readers who hold these labels may find; `None` is everything.
    pub(super) fn of(
        searcher: &'s Searcher,
        fields: &Fields,
        held: Option<&Labels>,
    ) -> tantivy::Result<Self> {
        let mut unheld = Vec::new();
        let mut counting = Vec::new();
        let mut total = 0;
        for segment in searcher.segment_readers() {
            let mut hidden: Vec<Term> = Vec::new();
            if let Some(held) = held {
                let labels = segment.inverted_index(fields.label)?;
                let mut stream = labels.terms().stream()?;
                while let Some((label, _)) = stream.next() {
                    let label = String::from_utf8_lossy(label).into_owned();
                    if !held.contains(&label) {
                        hidden.push(Term::from_field_text(fields.label, &label));
                    }
                }
            }
            if hidden.is_empty() && !segment.has_deletes() {
                counting.push(None);
                total += u64::from(segment.num_docs());
                continue;
            }
            let mut counts = BitSet::with_max_value_and_full(segment.max_doc());
            for term in &hidden {
                let postings =
                    segment.inverted_index(fields.label)?.read_postings(term, IndexRecordOption::Basic)?;
                each(postings, |at| counts.remove(at));
            }
            for at in (0..segment.max_doc()).filter(|at| segment.is_deleted(*at)) {
                counts.remove(at);
            }
            total += counts.len() as u64;
            counting.push(Some(counts));
            unheld.extend(hidden);
        }
        unheld.sort();
        unheld.dedup();
        Ok(Self { searcher, counting, total, unheld })
    }
}

fn each(postings: Option<impl DocSet>, mut found: impl FnMut(u32)) {
    let Some(mut postings) = postings else { return };
    while postings.doc() != TERMINATED {
        found(postings.doc());
        postings.advance();
    }
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, _: IndexField) -> tantivy::Result<u64> {
        Ok(self.total.max(1) * COMMON_LENGTH)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.total.max(1))
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let mut count = 0;
        for (segment, counting) in self.searcher.segment_readers().iter().zip(&self.counting) {
            let index = segment.inverted_index(term.field())?;
            match counting {
                None => count += u64::from(index.doc_freq(term)?),
                Some(counting) => {
                    let postings = index.read_postings(term, IndexRecordOption::Basic)?;
                    each(postings, |at| count += u64::from(counting.contains(at)));
                }
            }
        }
        Ok(count)
    }
}

/// Compiles a query with its filters.
pub(super) fn compile(
    query: &Query,
    filter: &Filter,
    fields: &Fields,
    statistics: &Statistics<'_>,
) -> tantivy::Result<BooleanQuery> {
    let mut parts: Vec<(Occur, Box<dyn Compiled>)> = vec![(Occur::Must, group(&query.clauses, fields)?)];
    let range = |low: Bound<Term>, high: Bound<Term>| -> (Occur, Box<dyn Compiled>) {
        (Occur::Must, Box::new(ConstScoreQuery::new(Box::new(RangeQuery::new(low, high)), 0.0)))
    };
    if let Some(known_at) = filter.known_at {
        let last = Term::from_field_u64(fields.opened, known_at);
        parts.push(range(Bound::Unbounded, Bound::Included(last)));
    }
    if let Some(day) = filter.on.map(day_number) {
        parts.push(range(Bound::Unbounded, Bound::Included(Term::from_field_i64(fields.from, day))));
        parts.push(range(Bound::Excluded(Term::from_field_i64(fields.until, day)), Bound::Unbounded));
    }
    for label in &statistics.unheld {
        parts.push((Occur::MustNot, Box::new(TermQuery::new(label.clone(), IndexRecordOption::Basic))));
    }
    Ok(BooleanQuery::new(parts))
}

/// The clauses of a group. Beside what each optional one counts, it counts that all of them are there.
fn group(clauses: &[Clause], fields: &Fields) -> tantivy::Result<Box<dyn Compiled>> {
    let mut parts: Vec<(Occur, Box<dyn Compiled>)> = Vec::new();
    let mut optional: Vec<(Occur, Box<dyn Compiled>)> = Vec::new();
    for clause in clauses {
        let compiled = match &clause.node {
            Node::Leaf(one) => leaf(one, fields)?,
            Node::Group(inner) => group(inner, fields)?,
        };
        match clause.occurs {
            Occurs::May => {
                optional.push((Occur::Must, compiled.box_clone()));
                parts.push((Occur::Should, compiled));
            }
            Occurs::Must => parts.push((Occur::Must, compiled)),
            Occurs::MustNot => parts.push((Occur::MustNot, compiled)),
        }
    }
    if parts.iter().all(|(occur, _)| *occur == Occur::MustNot) {
        parts.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0))));
    }
    if optional.len() > 1 {
        let all = BoostQuery::new(Box::new(BooleanQuery::new(optional)), ALL_COUNT);
        parts.push((Occur::Should, Box::new(all)));
    }
    Ok(Box::new(BooleanQuery::new(parts)))
}

fn leaf(leaf: &Leaf, fields: &Fields) -> tantivy::Result<Box<dyn Compiled>> {
    let in_field = |field: IndexField| -> tantivy::Result<Box<dyn Compiled>> { words(&leaf.what, field) };
    match leaf.field {
        None => {
            let disjuncts = vec![
                in_field(fields.text)?,
                boosted(in_field(fields.section)?, SECTION_COUNTS),
                boosted(in_field(fields.title)?, TITLE_COUNTS),
            ];
            Ok(Box::new(DisjunctionMaxQuery::new(disjuncts)))
        }
        Some(Field::Text) => in_field(fields.text),
        Some(Field::Title) => in_field(fields.title),
        Some(Field::Section) => in_field(fields.section),
        Some(Field::Document) => in_field(fields.document),
        Some(Field::Entity) => Ok(keys(&leaf.what, fields.entity)),
        Some(Field::Fact) => Ok(keys(&leaf.what, fields.fact)),
    }
}

fn boosted(query: Box<dyn Compiled>, counts: f32) -> Box<dyn Compiled> {
    Box::new(BoostQuery::new(query, counts))
}

/// Words, a phrase, the beginning of a word, or a word that looks like this one.
fn words(what: &What, field: IndexField) -> tantivy::Result<Box<dyn Compiled>> {
    let term = |word: &String| Term::from_field_text(field, word);
    Ok(match what {
        What::Words(words) => match words.as_slice() {
            [] => Box::new(EmptyQuery),
            [one] => Box::new(TermQuery::new(term(one), IndexRecordOption::WithFreqs)),
            several => Box::new(PhraseQuery::new(several.iter().map(term).collect())),
        },
        What::Beginning { before, beginning } if before.is_empty() => {
            Box::new(FuzzyTermQuery::new_prefix(term(beginning), 0, true))
        }
        What::Beginning { before, beginning } => {
            let terms = before.iter().chain([beginning]).map(term).collect();
            let mut query = PhrasePrefixQuery::new(terms);
            query.set_max_expansions(PREFIX_WORDS);
            Box::new(query)
        }
        What::Like { word, distance } => Box::new(FuzzyTermQuery::new(term(word), *distance, true)),
        What::Keys(keys) => words(&What::Words(keys.clone()), field)?,
    })
}

/// One of several keys, as they are. A key says where to look, not how well it fits.
fn keys(what: &What, field: IndexField) -> Box<dyn Compiled> {
    let keys = match what {
        What::Keys(keys) => keys.as_slice(),
        What::Words(_) | What::Beginning { .. } | What::Like { .. } => &[],
    };
    let terms: Vec<(Occur, Box<dyn Compiled>)> = keys
        .iter()
        .map(|key| -> (Occur, Box<dyn Compiled>) {
            let term = Term::from_field_text(field, key);
            (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::Basic)))
        })
        .collect();
    Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(terms)), 1.0))
}
