//! The language of searches: words, "phrases", `field:word`, `begin*`, `fuzzy~`, `+must`, `-not`, `( )`.
//!
//! A text comes in; a [`Query`] goes out, or the place at which it cannot be read. Words are cut as the texts
//! are, so `FCU-9` is the phrase of `fcu` and `9`, and finds `FCU 9` and `FCU9` as well.

use std::iter::Peekable;
use std::str::CharIndices;

use super::schema::words_of;
use crate::diag::nearest;
use crate::model::token::Span;

/// How deep parentheses may stand in one another.
const DEEP: usize = 16;
/// How far a word may be from a fuzzy one.
const FARTHEST: u8 = 2;

/// A search as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub(super) clauses: Vec<Clause>,
}

/// Why a query cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, as a byte of the query.
    pub at: usize,
    /// What is wrong, as a fragment.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// How many words a query may have: each is looked up in every field of every segment.
const MOST_WORDS: usize = 256;

/// Where a word is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// In the text.
    Text,
    /// In the document's title.
    Title,
    /// In the headings above the text.
    Section,
    /// In the document's id, which is its source and path.
    Document,
    /// Among the entities that the text names.
    Entity,
    /// Among the facts that the text asserts.
    Fact,
}

impl Field {
    const ALL: [(&'static str, Self); 6] = [
        ("text", Self::Text),
        ("title", Self::Title),
        ("section", Self::Section),
        ("document", Self::Document),
        ("entity", Self::Entity),
        ("fact", Self::Fact),
    ];

    /// True if its values are keys, which are compared as they are.
    fn is_key(self) -> bool {
        matches!(self, Self::Entity | Self::Fact)
    }
}

/// Says which keys a person means by a text, in a field of keys.
pub type Resolve<'r, E> = dyn FnMut(Field, &str) -> Result<Vec<String>, E> + 'r;

/// One part of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) occurs: Occurs,
    pub(super) node: Node,
}

/// Whether a part must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occurs {
    May,
    Must,
    MustNot,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Leaf(Leaf),
    Group(Vec<Clause>),
}

/// Something to look for, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) field: Option<Field>,
    pub(super) what: What,
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A word, or several in a row.
    Words(Vec<String>),
    /// Words in a row, the last of which is only begun.
    Beginning { before: Vec<String>, beginning: String },
    /// A word that is written almost so.
    Like { word: String, distance: u8 },
    /// One of these keys.
    Keys(Vec<String>),
}

impl Query {
    /// Puts in place of each key that the query names those that are meant; none, and it finds nothing.
    pub fn resolve_keys<E>(&mut self, resolve: &mut Resolve<'_, E>) -> Result<(), E> {
        resolve_in(&mut self.clauses, resolve)
    }

    /// What marks a text: the parts that are wanted in it.
    pub(super) fn wanted(&self) -> Vec<&What> {
        let mut found = Vec::new();
        wanted_in(&self.clauses, &mut found);
        found
    }
}

fn resolve_in<E>(clauses: &mut [Clause], resolve: &mut Resolve<'_, E>) -> Result<(), E> {
    for clause in clauses {
        match &mut clause.node {
            Node::Group(inner) => resolve_in(inner, resolve)?,
            Node::Leaf(Leaf { field: Some(field), what: What::Keys(keys) }) => {
                let mut meant = Vec::new();
                for key in keys.iter() {
                    meant.extend(resolve(*field, key)?);
                }
                *keys = meant;
            }
            Node::Leaf(_) => {}
        }
    }
    Ok(())
}

fn wanted_in<'q>(clauses: &'q [Clause], found: &mut Vec<&'q What>) {
    for clause in clauses.iter().filter(|clause| clause.occurs != Occurs::MustNot) {
        match &clause.node {
            Node::Group(inner) => wanted_in(inner, found),
            Node::Leaf(leaf) if matches!(leaf.field, None | Some(Field::Text)) => found.push(&leaf.what),
            Node::Leaf(_) => {}
        }
    }
}

/// Reads a query.
pub fn parse(text: &str) -> Result<Query, Problem> {
    if let Some(word) = words_of(text).get(MOST_WORDS) {
        let hint = "search for what is rare in it: a text is found by a few of its words";
        return Err(problem(word.span.start, format!("it has more than {MOST_WORDS} words"), hint));
    }
    let mut parser = Parser { text, rest: text.char_indices().peekable() };
    let clauses = parser.clauses(None, 0)?;
    if clauses.is_empty() {
        return Err(problem(0, "there is no word in it", "name at least one word, such as `supplier`"));
    }
    if clauses.iter().all(|clause| clause.occurs == Occurs::MustNot) {
        let hint = "name at least one word that is wanted beside what is not";
        return Err(problem(0, "it says only what not to find", hint));
    }
    Ok(Query { clauses })
}

fn problem(at: usize, message: impl Into<String>, hint: impl Into<String>) -> Problem {
    Problem { at, message: message.into(), hint: hint.into() }
}

struct Parser<'q> {
    text: &'q str,
    rest: Peekable<CharIndices<'q>>,
}

impl<'q> Parser<'q> {
    fn at(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn next_is(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        self.rest.peek().is_some_and(|(_, next)| wanted(*next))
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let is = self.next_is(wanted);
        if is {
            self.rest.next();
        }
        is
    }

    /// Clauses up to the end, or to the parenthesis that closes the one at `opened`.
    fn clauses(&mut self, opened: Option<usize>, depth: usize) -> Result<Vec<Clause>, Problem> {
        let mut clauses = Vec::new();
        loop {
            while self.take(char::is_whitespace) {}
            let at = self.at();
            if at == self.text.len() {
                return match opened {
                    Some(opened) => Err(problem(
                        opened,
                        "the parenthesis is never closed",
                        "close it with `)`, or leave it out",
                    )),
                    None => Ok(clauses),
                };
            }
            if self.take(|next| next == ')') {
                return match opened {
                    Some(opened) if clauses.is_empty() => {
                        Err(problem(opened, "there is no word between the parentheses", "leave them out"))
                    }
                    Some(_) => Ok(clauses),
                    None => Err(problem(
                        at,
                        "the parenthesis closes none",
                        "leave it out, or put the text into quotation marks",
                    )),
                };
            }
            let occurs = self.sign();
            if let Some(node) = self.node(occurs != Occurs::May, depth)? {
                clauses.push(Clause { occurs, node });
            }
        }
    }

    /// `+` or `-` right before something.
    fn sign(&mut self) -> Occurs {
        let mut ahead = self.rest.clone();
        let sign = ahead.next().map(|(_, sign)| sign);
        if ahead.peek().is_none_or(|(_, next)| next.is_whitespace() || matches!(next, '+' | '-')) {
            return Occurs::May;
        }
        let occurs = match sign {
            Some('+') => Occurs::Must,
            Some('-') => Occurs::MustNot,
            _ => return Occurs::May,
        };
        self.rest.next();
        occurs
    }

    /// A group, a phrase or a word. `None` for a mark that stands alone.
    fn node(&mut self, signed: bool, depth: usize) -> Result<Option<Node>, Problem> {
        let at = self.at();
        if self.take(|next| next == '(') {
            if depth == DEEP {
                return Err(problem(
                    at,
                    "the parentheses stand too deep in one another",
                    "ask in several steps",
                ));
            }
            return Ok(Some(Node::Group(self.clauses(Some(at), depth + 1)?)));
        }
        if let Some(phrase) = self.phrase()? {
            return self.leaf(None, phrase, true, at).map(Some);
        }
        let word = self.word(depth);
        let (field, value_at) = self.field(word)?;
        let value = Span::new(value_at, word.end);
        if let Some(field) = field
            && value.of(self.text).is_empty()
        {
            return match self.phrase()? {
                Some(phrase) => self.leaf(Some(field), phrase, true, at).map(Some),
                None => Err(problem(
                    value_at,
                    "there is nothing after the field",
                    "write the word right after the colon, such as `title:contract`",
                )),
            };
        }
        if field.is_none() && !signed && words_of(value.of(self.text)).is_empty() {
            return Ok(None);
        }
        self.leaf(field, value, false, at).map(Some)
    }

    /// What stands between two quotation marks, if one opens here.
    fn phrase(&mut self) -> Result<Option<Span>, Problem> {
        let opened = self.at();
        if !self.take(|next| matches!(next, '"' | '\u{201c}' | '\u{201e}')) {
            return Ok(None);
        }
        let start = self.at();
        while !self.next_is(|next| matches!(next, '"' | '\u{201d}')) {
            if self.rest.next().is_none() {
                let hint = "close it with another one, or leave it out";
                return Err(problem(opened, "the quotation mark is never closed", hint));
            }
        }
        let end = self.at();
        self.rest.next();
        Ok(Some(Span::new(start, end)))
    }

    /// Everything up to white space, a quotation mark, or the parenthesis that closes a group.
    fn word(&mut self, depth: usize) -> Span {
        let start = self.at();
        while self.take(|next| {
            !next.is_whitespace()
                && !matches!(next, '"' | '\u{201c}' | '\u{201e}')
                && (depth == 0 || next != ')')
        }) {}
        Span::new(start, self.at())
    }

    /// The field before a colon, and where its value begins. What is no lower-case word is no field: times,
    /// addresses and keys have colons as well.
    fn field(&self, word: Span) -> Result<(Option<Field>, usize), Problem> {
        let none = (None, word.start);
        let Some((name, value)) = word.of(self.text).split_once(':') else { return Ok(none) };
        let value_at = word.start + name.len() + 1;
        if name.is_empty()
            || !name.chars().all(|letter| letter.is_ascii_lowercase())
            || value.starts_with('/')
        {
            return Ok(none);
        }
        if let Some((_, field)) = Field::ALL.iter().find(|(known, _)| *known == name) {
            return Ok((Some(*field), value_at));
        }
        if value.is_empty() && !self.text[word.end..].starts_with('"') {
            return Ok(none);
        }
        let names = Field::ALL.map(|(known, _)| known);
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}:`?"),
            None => {
                format!("the fields are {}; a colon in a text goes into quotation marks", names.join(", "))
            }
        };
        Err(problem(word.start, format!("there is no field `{name}`"), hint))
    }

    /// Makes a leaf of a word or phrase, with what follows it.
    fn leaf(&mut self, field: Option<Field>, span: Span, phrase: bool, at: usize) -> Result<Node, Problem> {
        let mut text = span.of(self.text);
        if let Some(field) = field.filter(|field| field.is_key()) {
            let key = text.trim().to_owned();
            if key.is_empty() {
                return Err(problem(at, "there is no key in it", "write a key, such as `entity:CMP-001`"));
            }
            return Ok(Node::Leaf(Leaf { field: Some(field), what: What::Keys(vec![key]) }));
        }
        let begun = if phrase { self.take(|next| next == '*') } else { strip(&mut text, "*") };
        let mut distance = None;
        if phrase && self.next_is(|next| next == '~') {
            return Err(problem(
                self.at(),
                "only a word can be fuzzy",
                "leave out the `~`, or the quotation marks",
            ));
        }
        if !phrase && let Some((word, number)) = text.rsplit_once('~') {
            let tilde = span.start + word.len();
            distance = Some(match number {
                "" | "1" => 1,
                "2" => FARTHEST,
                _ => {
                    let hint = "`~` allows one letter to differ, `~2` two";
                    return Err(problem(tilde, "this is no distance", hint));
                }
            });
            text = word;
        }
        if let Some(star) = text.find('*').filter(|_| !phrase) {
            let hint = "write the beginning and a `*`, such as `suppl*`";
            return Err(problem(span.start + star, "`*` can only stand at the end of a word", hint));
        }
        let mut words: Vec<String> = words_of(text).into_iter().map(|word| word.folded.into()).collect();
        let what = match (words.len(), begun, distance) {
            (0, ..) => {
                return Err(problem(
                    at,
                    "there is no word in it",
                    "leave it out: marks are not searched for",
                ));
            }
            (_, true, Some(_)) => {
                return Err(problem(at, "a word cannot be both begun and fuzzy", "leave out `*` or `~`"));
            }
            (_, true, None) => {
                let beginning = words.pop().unwrap_or_default();
                What::Beginning { before: words, beginning }
            }
            (1, false, Some(distance)) => What::Like { word: words.remove(0), distance },
            (several, false, Some(_)) => {
                let message = format!("these are {several} words, and only one can be fuzzy");
                return Err(problem(at, message, "put the `~` after each word of its own"));
            }
            (_, false, None) => What::Words(words),
        };
        Ok(Node::Leaf(Leaf { field, what }))
    }
}

fn strip(text: &mut &str, suffix: &str) -> bool {
    match text.strip_suffix(suffix) {
        Some(rest) => {
            *text = rest;
            true
        }
        None => false,
    }
}
