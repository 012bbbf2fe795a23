//! Templates: the same `{slot}` language for file names, keys, written forms and citations.
//!
//! A template comes in as text; what goes out is whether a path or a run of tokens has its form, and what
//! stands in its slots. Nothing here knows an entity.
//!
//! | written | in a file name | in running text |
//! |---|---|---|
//! | `{slot}` | the shortest text without `/` that lets the rest match | one run of words and numbers that are glued or joined by `-`, `.`, `:` or `/` |
//! | `*` | anything but `/`, or nothing | the mark itself |
//! | `(a\|b)` | one of them | one of them |
//! | `[x]` | may be absent | may be absent |
//! | `\(` | the mark itself | the mark itself |
//! | a space | a space | any white space |
//! | anything else | itself, A and a alike | the same words and marks, folded |

mod text;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use crate::model::token::Token;
use text::TextForm;

/// A longer template is a mistake, not a form.
const MOST_CHARS: usize = 2000;
/// How deep choices and optional parts may be nested.
const MOST_DEPTH: usize = 16;
/// How many forms of a template are looked for in running text; real ones have fewer than ten.
const MOST_TEXT_FORMS: usize = 256;
/// How many texts [`Template::fill`] makes of one template.
const MOST_FILLED: usize = 32;
/// The most memory, in bytes, that the compiled form of a file-name template may take.
const PATH_SIZE_LIMIT: usize = 1 << 20;

/// A parsed template. Two templates are equal if they are written alike.
#[derive(Clone)]
pub struct Template {
    /// The template as written.
    pub source: String,
    parts: Vec<Part>,
    path: Regex,
    forms: Vec<TextForm>,
}

/// Why a text is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadTemplate {
    /// Where in the text, in characters from its beginning.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What may help.
    pub hint: Option<String>,
}

/// One part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Slot(String),
    /// `*`.
    Anything,
    Choice(Vec<Vec<Part>>),
    Optional(Vec<Part>),
}

/// One way through a template: its choices made. Literals are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Slot(String),
    Anything,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it, and where.
    pub fn parse(source: &str) -> Result<Self, BadTemplate> {
        let mut parser = Parser::new(source)?;
        let parts = parser.sequence(0)?;
        if let Some(closer) = parser.peek() {
            return Err(parser.bad(
                parser.at,
                format!("`{closer}` closes nothing"),
                Some(format!("write `\\{closer}` for the mark itself")),
            ));
        }
        if parts.is_empty() {
            return Err(parser.bad(0, "the template is empty".to_owned(), None));
        }
        let expression = format!("(?s)^{}$", path_expression(&parts));
        let path =
            regex::RegexBuilder::new(&expression).size_limit(PATH_SIZE_LIMIT).build().map_err(|_| {
                parser.bad(
                    0,
                    "the template is too large".to_owned(),
                    Some("split it into several".to_owned()),
                )
            })?;
        let forms = ways(&parts, MOST_TEXT_FORMS).iter().filter_map(|way| TextForm::of(way)).collect();
        Ok(Self { source: source.to_owned(), parts, path, forms })
    }

    /// The names of its slots, in order.
    pub fn slots(&self) -> Vec<String> {
        let mut found = Vec::new();
        slot_names(&self.parts, &mut found);
        found
    }

    /// Matches a whole path and gives the slots' texts. A template without `/` is matched against the last
    /// segment of the path.
    ///
    /// Letters A to Z match in either case, and both sides are compared in NFC, because file systems differ
    /// in what they keep.
    pub fn match_path(&self, path: &str) -> Option<BTreeMap<String, String>> {
        let path: String = path.nfc().collect();
        let whole = self.source.contains('/');
        let subject = if whole { path.as_str() } else { path.rsplit('/').next().unwrap_or_default() };
        let found = self.path.captures(subject)?;
        let texts = self.slots().into_iter().zip(found.iter().skip(1));
        Some(texts.filter_map(|(slot, text)| text.map(|text| (slot, text.as_str().to_owned()))).collect())
    }

    /// Matches the text form at a token, the longest way, and gives the number of tokens and the slots'
    /// texts as written.
    pub fn match_text(&self, tokens: &[Token], at: usize) -> Option<(usize, BTreeMap<String, String>)> {
        let mut best: Option<(usize, BTreeMap<String, String>)> = None;
        for form in &self.forms {
            if let Some((consumed, slots)) = form.matched(tokens, at)
                && best.as_ref().is_none_or(|(longest, _)| consumed > *longest)
            {
                best = Some((consumed, slots));
            }
        }
        best
    }

    /// All texts that the template makes of these values: one for each way through its choices and optional
    /// parts, at most 32. Ways with a slot that has no value are left out; `None` if none is left.
    pub fn fill(&self, slots: &BTreeMap<String, String>) -> Option<Vec<String>> {
        let mut filled: Vec<String> = Vec::new();
        for way in ways(&self.parts, MOST_TEXT_FORMS) {
            let Some(text) = fill_way(&way, slots) else { continue };
            if filled.len() < MOST_FILLED && !text.is_empty() && !filled.contains(&text) {
                filled.push(text);
            }
        }
        (!filled.is_empty()).then_some(filled)
    }
}

fn fill_way(way: &[Piece], slots: &BTreeMap<String, String>) -> Option<String> {
    let mut text = String::new();
    for piece in way {
        match piece {
            Piece::Literal(literal) => text.push_str(literal),
            Piece::Slot(slot) => text.push_str(slots.get(slot).filter(|value| !value.trim().is_empty())?),
            Piece::Anything => return None,
        }
    }
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn slot_names(parts: &[Part], found: &mut Vec<String>) {
    for part in parts {
        match part {
            Part::Slot(name) => found.push(name.clone()),
            Part::Choice(ways) => ways.iter().for_each(|way| slot_names(way, found)),
            Part::Optional(inner) => slot_names(inner, found),
            Part::Literal(_) | Part::Anything => {}
        }
    }
}

/// The regular expression of a template. Slots are its groups, in the order of [`Template::slots`].
fn path_expression(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Literal(literal) => literal.nfc().map(either_case).collect(),
            Part::Slot(_) => "([^/]+?)".to_owned(),
            Part::Anything => "[^/]*".to_owned(),
            Part::Choice(ways) => {
                let ways: Vec<String> = ways.iter().map(|way| path_expression(way)).collect();
                format!("(?:{})", ways.join("|"))
            }
            Part::Optional(inner) => format!("(?:{})?", path_expression(inner)),
        })
        .collect()
}

fn either_case(character: char) -> String {
    if character.is_ascii_alphabetic() {
        format!("[{}{}]", character.to_ascii_lowercase(), character.to_ascii_uppercase())
    } else {
        regex::escape(character.encode_utf8(&mut [0; 4]))
    }
}

/// The ways through a template, optional parts present first, at most `most`.
fn ways(parts: &[Part], most: usize) -> Vec<Vec<Piece>> {
    let mut found: Vec<Vec<Piece>> = vec![Vec::new()];
    for part in parts {
        let steps: Vec<Vec<Piece>> = match part {
            Part::Literal(literal) => vec![vec![Piece::Literal(literal.clone())]],
            Part::Slot(slot) => vec![vec![Piece::Slot(slot.clone())]],
            Part::Anything => vec![vec![Piece::Anything]],
            Part::Choice(choices) => choices.iter().flat_map(|way| ways(way, most)).take(most).collect(),
            Part::Optional(inner) => ways(inner, most).into_iter().chain([Vec::new()]).collect(),
        };
        found = found.iter().flat_map(|way| steps.iter().map(|step| joined(way, step))).take(most).collect();
    }
    found
}

fn joined(way: &[Piece], step: &[Piece]) -> Vec<Piece> {
    let mut whole = way.to_vec();
    for piece in step {
        match (whole.last_mut(), piece) {
            (Some(Piece::Literal(before)), Piece::Literal(literal)) => before.push_str(literal),
            _ => whole.push(piece.clone()),
        }
    }
    whole
}

impl fmt::Debug for Template {
    /// Prints the source only: the fingerprint of an ontology is made of this text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template").field("source", &self.source).finish()
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Template {}

impl PartialOrd for Template {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Template {
    fn cmp(&self, other: &Self) -> Ordering {
        self.source.cmp(&other.source)
    }
}

impl Hash for Template {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source.hash(state);
    }
}

/// Reads a template character by character.
struct Parser {
    characters: Vec<char>,
    at: usize,
    slots: Vec<String>,
}

impl Parser {
    fn new(source: &str) -> Result<Self, BadTemplate> {
        let characters: Vec<char> = source.chars().take(MOST_CHARS + 1).collect();
        let parser = Self { characters, at: 0, slots: Vec::new() };
        if parser.characters.len() > MOST_CHARS {
            return Err(parser.bad(
                MOST_CHARS,
                format!("the template is longer than {MOST_CHARS} characters"),
                None,
            ));
        }
        Ok(parser)
    }

    fn bad(&self, at: usize, message: String, hint: Option<String>) -> BadTemplate {
        BadTemplate { at, message, hint }
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    /// Reads parts up to a `|`, a closing mark or the end.
    fn sequence(&mut self, depth: usize) -> Result<Vec<Part>, BadTemplate> {
        let mut parts = Vec::new();
        while let Some(character) = self.peek() {
            match character {
                ')' | ']' => break,
                '|' if depth > 0 => break,
                _ => {
                    let part = self.part(character, depth)?;
                    match (parts.last_mut(), part) {
                        (Some(Part::Literal(before)), Part::Literal(literal)) => before.push_str(&literal),
                        (_, part) => parts.push(part),
                    }
                }
            }
        }
        Ok(parts)
    }

    fn part(&mut self, character: char, depth: usize) -> Result<Part, BadTemplate> {
        let start = self.at;
        self.at += 1;
        match character {
            '{' => self.slot(start),
            '(' => self.choice(start, depth),
            '[' => self.optional(start, depth),
            '*' => Ok(Part::Anything),
            '}' => Err(self.bad(
                start,
                "`}` closes nothing".to_owned(),
                Some("write `\\}` for the mark itself".to_owned()),
            )),
            '\\' => {
                let escaped = self
                    .peek()
                    .ok_or_else(|| self.bad(start, "nothing follows the last `\\`".to_owned(), None))?;
                self.at += 1;
                Ok(Part::Literal(escaped.to_string()))
            }
            _ => Ok(Part::Literal(character.to_string())),
        }
    }

    fn slot(&mut self, start: usize) -> Result<Part, BadTemplate> {
        let mut name = String::new();
        loop {
            let Some(character) = self.peek() else { return Err(self.unclosed(start, '{', '}')) };
            self.at += 1;
            match character {
                '}' => break,
                '{' | '(' | ')' | '[' | ']' | '|' | '*' | '/' | ':' | '\\' => {
                    let hint = match character {
                        ':' => Some("a slot of a template has a name only; types belong to rules".to_owned()),
                        '{' => Some(format!(
                            "close the `{{` at character {} before it: no slot stands in another",
                            start + 1
                        )),
                        _ => None,
                    };
                    let message = format!("`{character}` cannot be part of a slot's name");
                    return Err(self.bad(self.at - 1, message, hint));
                }
                _ => name.push(character),
            }
        }
        let name = name.trim().to_owned();
        if name.is_empty() {
            let hint = Some("write its name, as in `{number}`".to_owned());
            return Err(self.bad(start, "the slot has no name".to_owned(), hint));
        }
        if self.slots.contains(&name) {
            let hint = Some("give the second one another name".to_owned());
            return Err(self.bad(start, format!("the slot `{name}` stands twice"), hint));
        }
        self.slots.push(name.clone());
        Ok(Part::Slot(name))
    }

    fn choice(&mut self, start: usize, depth: usize) -> Result<Part, BadTemplate> {
        self.check_depth(start, depth)?;
        let mut ways = Vec::new();
        loop {
            ways.push(self.sequence(depth + 1)?);
            match self.peek() {
                Some('|') => self.at += 1,
                Some(')') => break,
                Some(other) => return Err(self.mismatch(start, other, '(', ')')),
                None => return Err(self.unclosed(start, '(', ')')),
            }
        }
        self.at += 1;
        Ok(Part::Choice(ways))
    }

    fn optional(&mut self, start: usize, depth: usize) -> Result<Part, BadTemplate> {
        self.check_depth(start, depth)?;
        let mut ways = Vec::new();
        loop {
            ways.push(self.sequence(depth + 1)?);
            match self.peek() {
                Some('|') => self.at += 1,
                Some(']') => break,
                Some(other) => return Err(self.mismatch(start, other, '[', ']')),
                None => return Err(self.unclosed(start, '[', ']')),
            }
        }
        self.at += 1;
        // `[a|b]` is read as `[(a|b)]`: nothing else can be meant.
        let only = if ways.len() == 1 { ways.pop().unwrap_or_default() } else { vec![Part::Choice(ways)] };
        Ok(Part::Optional(only))
    }

    fn check_depth(&self, start: usize, depth: usize) -> Result<(), BadTemplate> {
        if depth < MOST_DEPTH {
            return Ok(());
        }
        Err(self.bad(start, format!("more than {MOST_DEPTH} brackets stand in one another"), None))
    }

    /// Another bracket closes than the one that is open.
    fn mismatch(&self, start: usize, found: char, opener: char, closer: char) -> BadTemplate {
        let hint = format!("the `{opener}` stands at character {}", start + 1);
        self.bad(self.at, format!("`{found}` where `{closer}` is due"), Some(hint))
    }

    fn unclosed(&self, start: usize, opener: char, closer: char) -> BadTemplate {
        self.bad(
            start,
            format!("`{opener}` is not closed by `{closer}`"),
            Some(format!("write `\\{opener}` for the mark itself")),
        )
    }
}

#[cfg(test)]
mod tests;
