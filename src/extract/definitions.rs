//! The idioms by which a document defines its terms: `X ("Y")`, `X (the "Y")`, `X (Buyer)`, `X, referred to as "Y"`,
//! `"Y" means X`, `each a "Y"`.
//!
//! A chunk comes in; what it defines goes out. X is a known name, a name that nobody knows, a date, or
//! "this Agreement", which is the document itself.

use std::collections::BTreeSet;

use super::bound::{Named, Value};
use super::names::{Fill, Wanted, fills, has_legal_form, name_run};
use super::phrases::{before, behind};
use super::scene::Scene;
use super::when;
use crate::model::id::EntityKey;
use crate::model::token::Span;

/// The most tokens in the brackets of a definition.
const LONGEST_BRACKET: usize = 40;
/// The most tokens of a term.
const LONGEST_TERM: usize = 10;
/// How far before a term its meaning may begin.
const FARTHEST: usize = 80;
/// The most tokens of a date.
const LONGEST_DATE: usize = 8;

/// A definition: the term, what it stands for, and the sentence that says so.
pub(super) struct Definition {
    pub(super) term: String,
    pub(super) value: Value,
    pub(super) sentence: Span,
    /// From what it stands for to the end of the term, or the other way round.
    pub(super) span: Span,
    /// True if it stands for names that are known or have a legal form.
    pub(super) strong: bool,
}

/// What a term stands for, and the token with which that begins.
struct Meaning {
    value: Value,
    first: usize,
    strong: bool,
}

/// The definitions of a chunk, in order.
pub(super) fn definitions(scene: &Scene<'_>, document: Option<&EntityKey>) -> Vec<Definition> {
    if scene.quoted.is_empty() && !scene.tokens.iter().any(|token| token.folded == "(") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (span, lo, hi) in scene.sentences() {
        let idioms = Idioms { scene, document, lo, hi };
        let mut add = |terms: Vec<String>, meaning: Meaning, last: usize| {
            let Meaning { value, first, strong } = meaning;
            for term in terms {
                let value = value.clone();
                let (sentence, span) = (span, scene.span(first, last + 1));
                found.push(Definition { term, value, sentence, span, strong });
            }
        };
        // Where the last definition ended: what stands before is named already.
        let mut from = lo;
        for at in lo..hi {
            if let Some((terms, every, close)) = idioms.bracket(at) {
                if let Some(meaning) = idioms.before(from, at, every) {
                    add(terms, meaning, close);
                }
                from = close + 1;
            } else if let Some((term, begin, close)) = idioms.called(at) {
                if let Some(meaning) = idioms.before(from, begin, false) {
                    add(vec![term], meaning, close);
                }
            } else if let Some((term, meaning, last)) = idioms.means(at) {
                add(vec![term], meaning, last);
            }
        }
    }
    found
}

struct Idioms<'s, 'a> {
    scene: &'s Scene<'a>,
    document: Option<&'s EntityKey>,
    lo: usize,
    hi: usize,
}

impl Idioms<'_, '_> {
    /// `(the "Y" or "Z")` at a token: the terms, whether each of several is meant, and the closing bracket.
    fn bracket(&self, open: usize) -> Option<(Vec<String>, bool, usize)> {
        let scene = self.scene;
        if scene.word(open) != "(" {
            return None;
        }
        let most = self.hi.min(open + LONGEST_BRACKET);
        if let Some(term) = self.role(open) {
            return Some((vec![term], false, open + 2));
        }
        let (mut terms, mut every, mut at) = (Vec::new(), false, open + 1);
        while at < most && scene.word(at) != ")" {
            if let Some((term, close)) = self.term(at) {
                terms.push(term);
                at = close + 1;
            } else {
                every |= scene.reader.phrases.every.contains(scene.word(at));
                at = behind(&scene.reader.phrases.lead, scene, at, most)?;
            }
        }
        (at < most && !terms.is_empty()).then_some((terms, every, at))
    }

    /// `(Buyer)`: a role with a capital letter and without quotation marks, alone in its brackets.
    fn role(&self, open: usize) -> Option<String> {
        let scene = self.scene;
        let word = scene.tokens.get(open + 1)?;
        let capital = word.text.chars().next().is_some_and(char::is_uppercase);
        let is_role = capital && scene.reader.phrases.roles.contains(word.folded.as_str());
        (is_role && open + 2 < self.hi && scene.word(open + 2) == ")").then(|| word.text.to_string())
    }

    /// A quoted term that opens at a token: the term, and its closing mark.
    fn term(&self, open: usize) -> Option<(String, usize)> {
        let close = self.scene.closing(open)?;
        let inner = self.scene.slice(open + 1, close).trim().trim_end_matches(',');
        let short = close > open + 1 && close - open <= LONGEST_TERM && close < self.hi;
        (short && !inner.is_empty()).then(|| (inner.to_owned(), close))
    }

    /// `X, hereinafter referred to as the "Y"`: the term, where the words between begin, and the closing mark.
    fn called(&self, open: usize) -> Option<(String, usize, usize)> {
        let (term, close) = self.term(open)?;
        let scene = self.scene;
        let article = open > self.lo && matches!(scene.word(open - 1), "the" | "a" | "an");
        let end = if article { open - 1 } else { open };
        let begin = before(&scene.reader.phrases.called, scene, end, self.lo)?;
        let comma = begin > self.lo && matches!(scene.word(begin - 1), "," | "(");
        Some((term, if comma { begin - 1 } else { begin }, close))
    }

    /// `"Y" means X`: the term, what it means, and the last token of that.
    fn means(&self, open: usize) -> Option<(String, Meaning, usize)> {
        let (term, close) = self.term(open)?;
        let scene = self.scene;
        let at = behind(&scene.reader.phrases.means, scene, close + 1, self.hi)?;
        let start = at + usize::from(scene.word(at) == ":");
        let meaning = |value, strong| Meaning { value, first: open, strong };
        if let Some(when) = when::read(scene, start, self.hi) {
            return Some((term, meaning(Value::Date(when.date), false), when.behind - 1));
        }
        let fill = self.names_at(start, true).into_iter().next()?;
        Some((term, meaning(Value::Names(fill.names), false), fill.behind - 1))
    }

    fn names_at(&self, at: usize, list: bool) -> Vec<Fill> {
        let verbs = BTreeSet::new();
        let (lo, hi) = (self.lo, self.hi);
        let wanted = Wanted { types: &[], list, guesses: true, unknown: true, verbs: &verbs, lo, hi };
        fills(self.scene, &wanted, at)
    }

    /// What the words from `from` up to a term name.
    fn before(&self, from: usize, until: usize, every: bool) -> Option<Meaning> {
        let from = from.max(until.saturating_sub(FARTHEST));
        if let Some((value, first)) = self.date_before(from, until) {
            return Some(Meaning { value, first, strong: false });
        }
        let candidates = self.candidates(from, until);
        if every {
            let strong = || candidates.iter().filter(|name| name.strong);
            let first = strong().next()?.first;
            let value = Value::Names(strong().map(|name| name.named.clone()).collect());
            return Some(Meaning { value, first, strong: true });
        }
        if self.is_this(&candidates, from, until) {
            let key = self.document?;
            let named = Named { surface: key.key().to_owned(), candidates: vec![key.clone()] };
            let value = Value::Names(vec![named]);
            return Some(Meaning { value, first: until.saturating_sub(2).max(from), strong: false });
        }
        let leading = || candidates.iter().rev().filter(|name| name.strong && self.leads_to(name, until));
        // A place at the end of an address says where somebody is, and a company before it who that is.
        let is_place = |name: &&Candidate| !name.company && self.is_placed(name);
        let strong = leading().next().filter(is_place).and_then(|_| leading().find(|name| name.company));
        let strong = strong.or_else(|| leading().next());
        let near = || candidates.last().filter(|name| self.is_beside(name, until));
        let name = strong.or_else(near)?;
        let value = Value::Names(vec![name.named.clone()]);
        Some(Meaning { value, first: name.first, strong: name.strong })
    }

    /// A date that ends where a term begins, and its first token.
    fn date_before(&self, from: usize, until: usize) -> Option<(Value, usize)> {
        let comma = until > from && self.scene.word(until - 1) == ",";
        let end = if comma { until - 1 } else { until };
        (from.max(end.saturating_sub(LONGEST_DATE))..end)
            .filter_map(|at| when::read(self.scene, at, self.hi))
            .find(|when| when.behind == end)
            .map(|when| (Value::Date(when.date), when.first))
    }

    /// The names that may be meant, in order. A *strong* one is known, or has a legal form.
    fn candidates(&self, from: usize, until: usize) -> Vec<Candidate> {
        let scene = self.scene;
        let (mut found, mut at) = (Vec::new(), from);
        while at < until {
            let known = scene.mentions_at(at).first().filter(|(behind, _)| *behind <= until);
            if let Some((behind, mention)) = known {
                let surface = scene.slice(at, *behind).to_owned();
                let named = Named { surface, candidates: mention.candidates.clone() };
                let company = has_legal_form(scene, at, *behind);
                found.push(Candidate { named, strong: true, company, first: at, behind: *behind });
                at = *behind;
            } else if let Some(behind) = name_run(scene, at, self.lo, until).filter(|behind| *behind > at) {
                let surface = scene.slice(at, behind).to_owned();
                let named = Named { surface, candidates: Vec::new() };
                let company = has_legal_form(scene, at, behind);
                found.push(Candidate { named, strong: company, company, first: at, behind });
                at = behind;
            } else {
                at += 1;
            }
        }
        found
    }

    /// "This Agreement (the "Agreement")": the document speaks of itself.
    fn is_this(&self, candidates: &[Candidate], from: usize, until: usize) -> bool {
        let this = |at: usize| at > self.lo && self.scene.word(at - 1) == "this";
        match candidates.last() {
            Some(last) if self.is_beside(last, until) => !last.strong && this(last.first),
            _ => until > from + 1 && self.scene.word(until - 2) == "this",
        }
    }

    fn is_beside(&self, name: &Candidate, until: usize) -> bool {
        name.behind == until || (name.behind + 1 == until && self.scene.word(name.behind) == ",")
    }

    /// True if the name stands behind a comma or a word that says where something is.
    fn is_placed(&self, name: &Candidate) -> bool {
        name.first > self.lo && self.scene.reader.phrases.places.contains(self.scene.word(name.first - 1))
    }

    /// True if the name stands beside the term, or an apposition leads from it to the term.
    fn leads_to(&self, name: &Candidate, until: usize) -> bool {
        let phrases = self.scene.reader.phrases;
        self.is_beside(name, until) || behind(&phrases.apposition, self.scene, name.behind, until).is_some()
    }
}

/// A name before a term.
struct Candidate {
    named: Named,
    strong: bool,
    /// True if it has a legal form.
    company: bool,
    first: usize,
    behind: usize,
}
