//! A pattern as a program: nodes that each know which node comes next.
//!
//! A pattern comes in, its program goes out. A program has no loops: it consumes at most as many parts as
//! the pattern has, so a search over it is bounded by nodes × tokens.

use std::collections::BTreeSet;

use regex::Regex;

use crate::ontology::pattern::{Part, Pattern, Takes, anchored};

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    pub(super) start: usize,
    pub(super) slots: Vec<SlotSpec>,
    /// The folded forms of the pattern's verbs: a gap does not pass over another clause's verb.
    pub(super) verbs: BTreeSet<String>,
    /// For each node, how many top-level parts stand before it; and how it reads to a person.
    pub(super) places: Vec<(usize, String)>,
    /// How many top-level parts there are.
    pub(super) parts: usize,
    /// The folded words with which every match begins; `None` if it may begin with anything.
    first: Option<Words>,
}

/// Words that the tokens of a text are held against, one after another: most fail by their first letter.
#[derive(Debug)]
pub(super) struct Words {
    /// A bit for each first letter, as far as 64 tell them apart.
    initials: u64,
    words: BTreeSet<String>,
}

impl Words {
    pub(super) fn contains(&self, word: &str) -> bool {
        self.initials & initial(word) != 0 && self.words.contains(word)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &String> {
        self.words.iter()
    }
}

impl FromIterator<String> for Words {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        let words = BTreeSet::from_iter(words);
        Self { initials: words.iter().fold(0, |all, word| all | initial(word)), words }
    }
}

/// The bit of a word's first letter; none for no word.
fn initial(word: &str) -> u64 {
    word.bytes().next().map_or(0, |first| 1 << (first % 64))
}

/// One step of a program.
#[derive(Debug)]
pub(super) enum Node {
    Accept,
    Word(String, usize),
    Forms(BTreeSet<String>, usize),
    /// `None`: the expression does not compile, which the ontology's loader has told; it matches nothing.
    Regex(Option<Regex>, usize),
    Gap(usize, usize),
    /// Ways that may be taken, the preferred one first.
    Split(Vec<usize>),
    Slot(usize, usize),
}

/// What a slot takes.
#[derive(Debug)]
pub(super) struct SlotSpec {
    pub(super) name: String,
    pub(super) takes: Takes,
    pub(super) list: bool,
    /// True if it may take a name that nobody knows.
    pub(super) guesses: bool,
}

impl SlotSpec {
    /// True if it takes entities, and none that nobody knows.
    pub(super) fn by_keys(&self) -> bool {
        self.takes_names() && !self.guesses
    }

    fn takes_names(&self) -> bool {
        matches!(self.takes, Takes::Entity(_))
    }
}

impl Program {
    pub(super) fn of(pattern: &Pattern) -> Self {
        let mut program = Self {
            nodes: vec![Node::Accept],
            start: 0,
            slots: Vec::new(),
            verbs: BTreeSet::new(),
            places: vec![(pattern.parts.len(), "the end".to_owned())],
            parts: pattern.parts.len(),
            first: None,
        };
        let mut next = 0;
        for (place, part) in pattern.parts.iter().enumerate().rev() {
            next = program.part(part, next, place);
        }
        program.start = next;
        program.first = program.first_words();
        program
    }

    /// True if a match may begin with this word: a cheap test before the real one.
    pub(super) fn may_begin(&self, word: &str) -> bool {
        self.first.as_ref().is_none_or(|first| first.contains(word))
    }

    fn first_words(&self) -> Option<Words> {
        let mut found = BTreeSet::new();
        for head in self.heads(self.start) {
            match &self.nodes[head] {
                Node::Word(word, _) => {
                    found.insert(word.clone());
                }
                Node::Forms(forms, _) => found.extend(forms.iter().cloned()),
                _ => return None,
            }
        }
        Some(found.into_iter().collect())
    }

    /// The nodes that come first from a node on: where ways part, the first of each.
    pub(super) fn heads(&self, node: usize) -> Vec<usize> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![node], BTreeSet::new());
        while let Some(node) = open.pop() {
            match &self.nodes[node] {
                _ if !seen.insert(node) => {}
                Node::Split(nexts) => open.extend(nexts.iter().rev()),
                _ => found.push(node),
            }
        }
        found
    }

    /// True if a gap stands beside a slot that may take a name that nobody knows.
    pub(super) fn leads_to_guess(&self, gap: usize) -> bool {
        let guesses = |slot: &usize| self.slots[*slot].guesses && self.slots[*slot].takes_names();
        let Some(Node::Gap(_, next)) = self.nodes.get(gap) else { return false };
        let ahead = self.heads(*next);
        let is_ahead = |node: &usize| matches!(&self.nodes[*node], Node::Slot(slot, _) if guesses(slot));
        let is_behind = |node: &Node| match node {
            Node::Slot(slot, next) => guesses(slot) && self.heads(*next).contains(&gap),
            _ => false,
        };
        ahead.iter().any(is_ahead) || self.nodes.iter().any(is_behind)
    }

    fn sequence(&mut self, parts: &[Part], mut next: usize, place: usize) -> usize {
        for part in parts.iter().rev() {
            next = self.part(part, next, place);
        }
        next
    }

    /// Adds the nodes of a part before `next`, and says which is its first.
    fn part(&mut self, part: &Part, next: usize, place: usize) -> usize {
        let node = match part {
            Part::Word(word) => Node::Word(word.clone(), next),
            Part::Inflected(forms) => {
                self.verbs.extend(forms.iter().cloned());
                Node::Forms(forms.iter().cloned().collect(), next)
            }
            Part::Regex(source) => Node::Regex(anchored(source).ok(), next),
            Part::Any(alternatives) => {
                Node::Split(alternatives.iter().map(|inner| self.sequence(inner, next, place)).collect())
            }
            Part::Optional(inner) => Node::Split(vec![self.sequence(inner, next, place), next]),
            Part::Gap(most) => Node::Gap(*most, next),
            Part::Slot { name, takes, list } => {
                let (name, takes) = (name.clone(), takes.clone());
                self.slots.push(SlotSpec { name, takes, list: *list, guesses: true });
                Node::Slot(self.slots.len() - 1, next)
            }
        };
        self.nodes.push(node);
        self.places.push((place, describe(part)));
        self.nodes.len() - 1
    }
}

/// A part as a person would write it.
fn describe(part: &Part) -> String {
    let all = |parts: &[Part]| parts.iter().map(describe).collect::<Vec<_>>().join(" ");
    match part {
        Part::Word(word) => format!("`{word}`"),
        Part::Inflected(forms) => format!("`{}~`", forms.first().map_or("", String::as_str)),
        Part::Regex(source) => format!("`/{source}/`"),
        Part::Any(alternatives) => {
            alternatives.iter().map(|inner| all(inner)).collect::<Vec<_>>().join(" or ")
        }
        Part::Optional(inner) => all(inner),
        Part::Gap(_) => "`...`".to_owned(),
        Part::Slot { name, takes, .. } => match takes {
            Takes::Entity(types) => format!("{{{name}:{}}}", types.join("|")),
            Takes::Date => format!("{{{name}:date}}"),
            Takes::Duration => format!("{{{name}:duration}}"),
            Takes::Number => format!("{{{name}:number}}"),
            Takes::Word => format!("{{{name}}}"),
        },
    }
}
