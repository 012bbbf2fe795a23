//! Finds a program in a sentence: leftmost, with the longest lists and the shortest gaps.
//!
//! The search remembers for each (node, token) what came of it, so it costs at most nodes × tokens × the
//! width of a choice; a budget of steps bounds even that, so no pattern and no text makes it hang.

use std::collections::HashMap;

use super::names::{Fill, Wanted, fills, word_end};
use super::program::{Node, Program, SlotSpec};
use super::scene::Scene;
use super::when::{self, When};
use crate::model::token::TokenKind;
use crate::ontology::dates;
use crate::ontology::pattern::Takes;

/// The most steps for one pattern in one sentence.
const BUDGET: usize = 400_000;
/// The most tokens that one regular expression is held against.
const LONGEST_RUN: usize = 16;

/// A match: the tokens from `first` to `behind`, and how each was taken.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) first: usize,
    pub(super) behind: usize,
    pub(super) taken: Vec<Taken>,
}

/// How a piece of a match was taken.
#[derive(Debug)]
pub(super) enum Taken {
    /// By a word of the pattern.
    Literal(usize, usize),
    /// By the slot of this number.
    Slot(usize, usize, usize, Filled),
}

/// What a slot took.
#[derive(Debug, Clone)]
pub(super) enum Filled {
    Names(Fill),
    When(When),
    /// A duration, number or word as the graph keeps it.
    Text(String),
}

/// How far a search came that found nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reached {
    /// How many top-level parts were matched.
    pub(super) parts: usize,
    /// Where it went no further.
    pub(super) at: usize,
    /// The node that did not match.
    pub(super) node: usize,
    /// Where the search began.
    pub(super) first: usize,
}

/// A search in one sentence.
pub(super) struct Search<'s, 'a> {
    scene: &'s Scene<'a>,
    program: &'s Program,
    lo: usize,
    hi: usize,
    /// True if names that nobody knows may fill a slot.
    unknown: bool,
    /// (node, token) → the token behind the match and which way leads there.
    memo: HashMap<(usize, usize), Option<(usize, usize)>>,
    steps: usize,
    started: usize,
    pub(super) reached: Option<Reached>,
}

impl<'s, 'a> Search<'s, 'a> {
    pub(super) fn new(
        scene: &'s Scene<'a>,
        program: &'s Program,
        lo: usize,
        hi: usize,
        unknown: bool,
    ) -> Self {
        Self { scene, program, lo, hi, unknown, memo: HashMap::new(), steps: 0, started: lo, reached: None }
    }

    /// The matches that do not overlap, from the left, beginning at or behind `from` and ending by `until`.
    pub(super) fn all(&mut self, from: usize, until: usize) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = from.max(self.lo);
        while at < until.min(self.hi) {
            match self.at(at).filter(|hit| hit.behind <= until) {
                Some(hit) => {
                    at = hit.behind.max(at + 1);
                    found.push(hit);
                }
                None => at += 1,
            }
        }
        found
    }

    /// The match that begins at a token.
    pub(super) fn at(&mut self, first: usize) -> Option<Found> {
        self.started = first;
        let start = self.program.start;
        let (behind, _) = self.best(start, first)?;
        Some(Found { first, behind, taken: self.walk(start, first) })
    }

    /// The best way from a node at a token: where it ends, and the number of the choice that leads there.
    fn best(&mut self, node: usize, at: usize) -> Option<(usize, usize)> {
        if let Some(known) = self.memo.get(&(node, at)) {
            return *known;
        }
        self.steps += 1;
        if self.steps > BUDGET {
            return None;
        }
        let program = self.program;
        let best = match &program.nodes[node] {
            Node::Accept => Some((at, 0)),
            // Of several ways the longest, of equally long ones the first.
            Node::Split(nexts) => {
                let mut best: Option<(usize, usize)> = None;
                for (choice, next) in nexts.iter().enumerate() {
                    if let Some((end, _)) = self.best(*next, at)
                        && best.is_none_or(|(longest, _)| end > longest)
                    {
                        best = Some((end, choice));
                    }
                }
                best
            }
            Node::Gap(most, next) => {
                let guess = self.unknown && program.leads_to_guess(node);
                self.best_gap(*most, *next, at, guess)
            }
            _ => {
                let mut best = None;
                for (choice, (behind, next)) in self.ways(node, at).into_iter().enumerate() {
                    if let Some((end, _)) = self.best(next, behind) {
                        best = Some((end, choice));
                        break;
                    }
                }
                best
            }
        };
        if best.is_none() {
            self.note(node, at);
        }
        self.memo.insert((node, at), best);
        best
    }

    /// The shortest gap behind which the rest matches. `guess`: a name beside it may be one that nobody knows.
    fn best_gap(&mut self, most: usize, next: usize, at: usize, guess: bool) -> Option<(usize, usize)> {
        for length in 0..=most {
            if length > 0 && !self.passable(at, at + length - 1, guess) {
                return None;
            }
            if let Some((end, _)) = self.best(next, at + length) {
                return Some((end, length));
            }
        }
        None
    }

    /// A gap stays within its clause: it passes no semicolon and no other subject's verb, and does not
    /// begin with a possessive, which would make another of the name before it.
    fn passable(&self, from: usize, at: usize, guess: bool) -> bool {
        if at >= self.hi {
            return false;
        }
        let word = self.scene.word(at);
        let joined = at > self.lo && self.scene.reader.phrases.joins.contains(self.scene.word(at - 1));
        let verb = self.program.verbs.contains(word) && !joined;
        let possessive = at == from && word == "'";
        // An unknown name is a guess; one that is a guess across a comma or a known name is a bad one. A name
        // before which the pattern has words of its own is where these say that it is.
        let far = guess && (word == "," || !self.scene.mentions_at(at).is_empty());
        word != ";" && !verb && !possessive && !far
    }

    /// The ways past a node that consumes tokens: the token behind each, and the node that comes next.
    fn ways(&self, node: usize, at: usize) -> Vec<(usize, usize)> {
        let here = (at < self.hi).then(|| self.scene.tokens.get(at)).flatten();
        let Some(token) = here else { return Vec::new() };
        match &self.program.nodes[node] {
            Node::Word(word, next) if token.folded == *word => vec![(at + 1, *next)],
            Node::Forms(forms, next) if forms.contains(token.folded.as_str()) => vec![(at + 1, *next)],
            Node::Regex(Some(regex), next) => self.runs(regex, at).map(|end| (end, *next)).collect(),
            Node::Slot(slot, next) => {
                let filled = self.fill(&self.program.slots[*slot], at);
                filled.into_iter().map(|(behind, _)| (behind, *next)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The ends of the runs without white space that match an expression as a whole, the longest first.
    fn runs<'r>(&'r self, regex: &'r regex::Regex, at: usize) -> impl Iterator<Item = usize> + 'r {
        let mut end = at + 1;
        while end < self.hi && end - at < LONGEST_RUN && self.scene.touches_previous(end) {
            end += 1;
        }
        let cuts = |end: usize| !self.scene.tokens.get(end).is_some_and(|next| next.glued);
        let whole = !self.scene.tokens[at].glued;
        (at + 1..=end)
            .rev()
            .filter(move |end| whole && cuts(*end) && regex.is_match(self.scene.slice(at, *end)))
    }

    /// What a slot may take at a token, the preferred first, each with the token behind it.
    fn fill(&self, slot: &SlotSpec, at: usize) -> Vec<(usize, Filled)> {
        match &slot.takes {
            Takes::Entity(types) => {
                let wanted = Wanted {
                    types,
                    list: slot.list,
                    guesses: slot.guesses,
                    unknown: self.unknown,
                    verbs: &self.program.verbs,
                    lo: self.lo,
                    hi: self.hi,
                };
                let found = fills(self.scene, &wanted, at);
                found.into_iter().map(|fill| (fill.behind, Filled::Names(fill))).collect()
            }
            Takes::Date => when::read(self.scene, at, self.hi)
                .map(|when| (when.behind, Filled::When(when)))
                .into_iter()
                .collect(),
            Takes::Duration => {
                let tokens = &self.scene.tokens[..self.hi];
                let read = dates::period(tokens, at, self.scene.reader.language);
                self.text(at, read.map(|read| (read.tokens, read.value.to_string())))
            }
            Takes::Number => {
                let read = dates::number(&self.scene.tokens[..self.hi], at);
                self.text(at, read.map(|read| (read.tokens, read.value)))
            }
            Takes::Word => {
                let token = &self.scene.tokens[at];
                let wordlike = token.kind != TokenKind::Mark && !token.glued;
                let end = word_end(self.scene, at, self.hi);
                self.text(at, wordlike.then(|| (end - at, self.scene.slice(at, end).to_owned())))
            }
        }
    }

    fn text(&self, at: usize, read: Option<(usize, String)>) -> Vec<(usize, Filled)> {
        let read = read.map(|(count, text)| ((at + count.max(1)).min(self.hi), Filled::Text(text)));
        read.into_iter().collect()
    }

    /// Follows the remembered choices of a match.
    fn walk(&self, mut node: usize, mut at: usize) -> Vec<Taken> {
        let mut taken = Vec::new();
        while let Some(Some((_, choice))) = self.memo.get(&(node, at)) {
            match &self.program.nodes[node] {
                Node::Accept => break,
                Node::Split(nexts) => node = nexts[*choice],
                Node::Gap(_, next) => {
                    (node, at) = (*next, at + choice);
                }
                Node::Slot(slot, next) => {
                    let mut filled = self.fill(&self.program.slots[*slot], at);
                    if *choice >= filled.len() {
                        break;
                    }
                    let (behind, filled) = filled.swap_remove(*choice);
                    taken.push(Taken::Slot(*slot, at, behind, filled));
                    (node, at) = (*next, behind);
                }
                Node::Word(..) | Node::Forms(..) | Node::Regex(..) => {
                    let ways = self.ways(node, at);
                    let Some((behind, next)) = ways.get(*choice) else { break };
                    taken.push(Taken::Literal(at, *behind));
                    (node, at) = (*next, *behind);
                }
            }
        }
        taken
    }

    fn note(&mut self, node: usize, at: usize) {
        if matches!(self.program.nodes[node], Node::Split(_) | Node::Gap(..)) {
            return;
        }
        let reached = Reached { parts: self.program.places[node].0, at, node, first: self.started };
        let further = |best: Reached| (reached.parts, reached.at) > (best.parts, best.at);
        if at > self.started && self.reached.is_none_or(further) {
            self.reached = Some(reached);
        }
    }
}
