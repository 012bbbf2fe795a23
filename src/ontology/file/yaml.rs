//! YAML text in, a tree of texts with their places out.
//!
//! The one module that knows how YAML is parsed. Scalars stay the texts that they are (`007`, `no`,
//! `2024-02-17`); what they mean is decided by who reads them. A file that is too large to be written by a
//! person is refused before it costs anything.

use std::collections::BTreeMap;

use serde_yaml::granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span};

use super::Written;
use crate::diag::{Diagnostic, Place};

/// The most bytes that a file may have.
pub const MAX_BYTES: usize = 1 << 20;
/// The most nodes that a file may have, those that aliases repeat included.
pub const MAX_NODES: usize = 20_000;
/// The most levels that may stand inside each other.
pub const MAX_LEVELS: usize = 64;
/// A longer line is not quoted beside a problem: nobody could read it, and there may be many problems.
const MAX_QUOTED: usize = 2000;

/// A marked piece of a file: where it begins and how much of its line it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The 1-based line; 0 means the file as a whole.
    pub line: u32,
    /// The 1-based column in characters.
    pub column: u32,
    /// How many characters of the line.
    pub width: u32,
}

impl At {
    /// The file as a whole.
    pub const FILE: Self = Self { line: 0, column: 0, width: 0 };
}

/// A key of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Where it stands.
    pub at: At,
    /// The key.
    pub text: String,
}

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Where it stands.
    pub at: At,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing was written.
    Empty,
    /// A scalar of any kind.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order in which it is written, each key once.
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// The value of a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|(_, value)| value)
    }

    /// A key with its value, if this is a map that has it.
    pub fn entry(&self, key: &str) -> Option<&(Key, Self)> {
        self.entries().iter().find(|(known, _)| known.text == key)
    }

    /// The text of a key, if it has one.
    pub fn word(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Self::text)
    }

    /// The items of a key: those of a list, or the one value.
    pub fn list(&self, key: &str) -> &[Self] {
        self.get(key).map(Self::items).unwrap_or_default()
    }

    /// The entries, if this is a map; else none.
    pub fn entries(&self) -> &[(Key, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list, or the node itself where one stands for a list of one.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Empty => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// The text, if this is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    fn size(&self) -> usize {
        1 + match &self.value {
            Value::Empty | Value::Text(_) => 0,
            Value::List(items) => items.iter().map(Self::size).sum(),
            Value::Map(entries) => entries.iter().map(|(_, value)| 1 + value.size()).sum(),
        }
    }

    fn levels(&self) -> usize {
        match &self.value {
            Value::Empty | Value::Text(_) => 0,
            Value::List(items) => 1 + items.iter().map(Self::levels).max().unwrap_or(0),
            Value::Map(entries) => 1 + entries.iter().map(|(_, value)| value.levels()).max().unwrap_or(0),
        }
    }
}

/// A file's lines, to quote them beside a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    file: String,
    lines: Vec<String>,
}

impl Sheet {
    /// The lines of a file.
    pub fn new(written: &Written) -> Self {
        // To YAML a carriage return alone ends a line, so it does here: places are counted in the parser's lines.
        let text = body(written).replace("\r\n", "\n").replace('\r', "\n");
        Self { file: written.file.clone(), lines: text.lines().map(str::to_owned).collect() }
    }

    /// The file's name, relative to the workspace.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The place of a mark, with the text of its line.
    pub fn place(&self, at: At) -> Place {
        let source = self.line(at).filter(|line| line.len() <= MAX_QUOTED).map(str::to_owned);
        Place {
            file: self.file.clone(),
            line: at.line,
            column: at.column,
            source,
            width: at.width,
            spot: None,
        }
    }

    fn line(&self, at: At) -> Option<&str> {
        self.lines.get((at.line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// The mark of one character of a text that stands at `at`, if it can be told; else the mark of the text.
    pub fn inside(&self, at: At, character: usize) -> At {
        let line = self.line(at).unwrap_or_default();
        let mut rest = line.chars().skip(at.column.saturating_sub(1) as usize).peekable();
        let quote = rest.next_if(|first| matches!(first, '"' | '\''));
        if rest.peek().is_some_and(|first| matches!(first, '|' | '>')) {
            return at;
        }
        let mut column = at.column + u32::from(quote.is_some());
        for _ in 0..character {
            let step = match (quote, rest.next()) {
                (_, None) => return at,
                (Some('\''), Some('\'')) => 1 + u32::from(rest.next_if_eq(&'\'').is_some()),
                (Some('"'), Some('\\')) => 1 + u32::from(rest.next().is_some()),
                _ => 1,
            };
            column += step;
        }
        let last = at.column + at.width.saturating_sub(1);
        At { column: column.min(last.max(at.column)), width: 1, ..at }
    }
}

fn body(written: &Written) -> &str {
    written.text.strip_prefix('\u{feff}').unwrap_or(&written.text)
}

/// Reads a file. `None` comes with at least one error; duplicate keys are errors beside a tree.
pub fn read(written: &Written, sheet: &Sheet) -> (Option<Node>, Vec<Diagnostic>) {
    let mut reading = Reading::new(sheet);
    if written.text.len() > MAX_BYTES {
        reading.too_large(At::FILE, format!("the file has more than {MAX_BYTES} bytes"));
        return (None, reading.problems);
    }
    for event in Parser::new_from_str(body(written)) {
        match event {
            Ok((event, span)) => {
                if !reading.take(event, span) {
                    return (None, reading.problems);
                }
            }
            Err(error) => {
                let at = mark(sheet, error.marker().line(), error.marker().col());
                match error.kind() {
                    ErrorKind::RecursionLimitExceeded => reading.too_deep(at),
                    _ => reading.syntax(at, &error.info()),
                }
                return (None, reading.problems);
            }
        }
    }
    let root = reading.root.take().unwrap_or(Node { at: At::FILE, value: Value::Empty });
    (Some(root), reading.problems)
}

/// The mark from a place to the end of its line; an error behind the last line is marked on that line.
fn mark(sheet: &Sheet, line: usize, column: usize) -> At {
    let line = line.clamp(1, sheet.lines.len().max(1));
    let length = sheet.lines.get(line - 1).map_or(0, |text| text.chars().count());
    let column = column.min(length);
    At { line: number(line), column: number(column + 1), width: 1 }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A list or map that is not yet closed.
enum Open {
    List(Vec<Node>),
    Map { entries: Vec<(Key, Node)>, key: Option<Key>, twice: bool },
}

struct Reading<'s> {
    sheet: &'s Sheet,
    open: Vec<(At, usize, Open)>,
    anchors: BTreeMap<usize, Node>,
    nodes: usize,
    root: Option<Node>,
    problems: Vec<Diagnostic>,
}

impl<'s> Reading<'s> {
    fn new(sheet: &'s Sheet) -> Self {
        Self { sheet, open: vec![], anchors: BTreeMap::new(), nodes: 0, root: None, problems: vec![] }
    }

    /// Takes one event; false stops the reading.
    fn take(&mut self, event: Event<'_>, span: Span) -> bool {
        let at = self.at(span);
        let tag = span.tag_span().map_or(at, |tag| self.at(tag));
        match event {
            Event::Scalar(text, style, anchor, tagged) => {
                let empty = style == ScalarStyle::Plain && matches!(text.as_ref(), "" | "~" | "null");
                let value = if empty { Value::Empty } else { Value::Text(text.into_owned()) };
                self.no_tag(tagged.is_some(), tag)
                    && self.count(1, at)
                    && self.put(Node { at, value }, anchor)
            }
            Event::SequenceStart(_, anchor, tagged) => {
                self.open.push((at, anchor, Open::List(vec![])));
                self.no_tag(tagged.is_some(), tag) && self.count(1, at) && self.not_too_deep(0, at)
            }
            Event::MappingStart(_, anchor, tagged) => {
                self.open.push((at, anchor, Open::Map { entries: vec![], key: None, twice: false }));
                self.no_tag(tagged.is_some(), tag) && self.count(1, at) && self.not_too_deep(0, at)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, at),
            Event::DocumentStart(..) if self.root.is_some() => {
                self.syntax(at, "a second document begins here, and a file holds one");
                false
            }
            _ => true,
        }
    }

    fn at(&self, span: Span) -> At {
        let line = span.start.line().max(1);
        let text = self.sheet.lines.get(line - 1).map_or("", |text| text.trim_end());
        let end = if span.end.line() == line { span.end.col() } else { text.chars().count() };
        let width = end.saturating_sub(span.start.col()).max(1);
        At { line: number(line), column: number(span.start.col() + 1), width: number(width) }
    }

    fn close(&mut self) -> bool {
        match self.open.pop() {
            Some((at, anchor, Open::List(items))) => self.put(Node { at, value: Value::List(items) }, anchor),
            Some((at, anchor, Open::Map { entries, .. })) => {
                self.put(Node { at, value: Value::Map(entries) }, anchor)
            }
            None => true,
        }
    }

    fn alias(&mut self, anchor: usize, at: At) -> bool {
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            self.syntax(at, "the alias stands inside what it names");
            return false;
        };
        self.count(node.size(), at) && self.not_too_deep(node.levels(), at) && self.put(node, 0)
    }

    /// Hangs a finished node where it belongs: as a key, a value, an item or the root.
    fn put(&mut self, node: Node, anchor: usize) -> bool {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some((_, _, Open::List(items))) => items.push(node),
            Some((_, _, Open::Map { entries, key, twice })) => match key.take() {
                // A key that came before keeps its first value; the second is only reported.
                Some(_) if std::mem::take(twice) => {}
                Some(key) => entries.push((key, node)),
                None => {
                    let text = match node.value {
                        Value::Text(text) => text,
                        Value::Empty => self.sheet.text(node.at),
                        _ => {
                            let message = "a key is a text, not a list or a map";
                            self.problems.push(
                                Diagnostic::error("config-type", self.sheet.place(node.at), message)
                                    .hint("put a text that begins with `{` or `[` in quotes"),
                            );
                            return false;
                        }
                    };
                    if let Some((first, _)) = entries.iter().find(|(known, _)| known.text == text) {
                        *twice = true;
                        let message = format!("the key `{text}` is written twice");
                        self.problems.push(
                            Diagnostic::error("config-duplicate-key", self.sheet.place(node.at), message)
                                .hint(format!(
                                    "it stands in line {} already; keep one of the two",
                                    first.at.line
                                )),
                        );
                    }
                    *key = Some(Key { at: node.at, text });
                }
            },
        }
        true
    }

    fn no_tag(&mut self, tagged: bool, at: At) -> bool {
        if tagged {
            self.syntax(at, "tags such as `!name` have no meaning here");
        }
        !tagged
    }

    fn count(&mut self, nodes: usize, at: At) -> bool {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            self.too_large(at, format!("the file has more than {MAX_NODES} values"));
        }
        self.nodes <= MAX_NODES
    }

    fn not_too_deep(&mut self, below: usize, at: At) -> bool {
        let fits = self.open.len() + below <= MAX_LEVELS;
        if !fits {
            self.too_deep(at);
        }
        fits
    }

    fn too_deep(&mut self, at: At) {
        self.too_large(at, format!("more than {MAX_LEVELS} levels stand inside each other"));
    }

    fn too_large(&mut self, at: At, message: String) {
        self.problems.push(
            Diagnostic::error("config-too-large", self.sheet.place(at), message)
                .hint("split it into several files"),
        );
    }

    fn syntax(&mut self, at: At, message: &str) {
        let problem = Diagnostic::error("config-syntax", self.sheet.place(at), message);
        self.problems.push(match advice(message) {
            Some(hint) => problem.hint(hint),
            None => problem,
        });
    }
}

impl Sheet {
    /// The text of a mark, as written.
    fn text(&self, at: At) -> String {
        let line = self.line(at).unwrap_or_default();
        line.chars().skip(at.column.saturating_sub(1) as usize).take(at.width as usize).collect()
    }
}

/// What to do about the mistakes that are made most.
fn advice(message: &str) -> Option<&'static str> {
    let says = |word: &str| message.contains(word);
    if says("tab") {
        Some("indent with spaces")
    } else if says("mapping values are not allowed") {
        Some("put a text that contains `: ` in quotes, and let the keys of one map begin in one column")
    } else if says("unclosed quote") {
        Some("close the quotes; inside single quotes a quote is written twice")
    } else if says("bracket") || says("flow") {
        Some("close the bracket; put a text that begins with `{` or `[` in quotes")
    } else if says("did not find expected key") || says("simple key") {
        Some("let the keys of one map begin in one column, each followed by `: `")
    } else if says("tags such as") {
        Some("put a text that begins with `!` in quotes")
    } else if says("second document") {
        Some("make it a file of its own")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Written {
        Written { file: "f.yaml".to_owned(), text: text.to_owned() }
    }

    /// The texts of a tree with the place of each, in order.
    fn show(node: &Node) -> String {
        let At { line, column, width } = node.at;
        match &node.value {
            Value::Empty => format!("~@{line}:{column}"),
            Value::Text(text) => format!("{text}@{line}:{column}+{width}"),
            Value::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(" ")),
            Value::Map(entries) => {
                let one = |(key, value): &(Key, Node)| format!("{}={}", key.text, show(value));
                format!("{{{}}}", entries.iter().map(one).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn read_text(text: &str) -> (String, Vec<String>) {
        let written = file(text);
        let (root, problems) = read(&written, &Sheet::new(&written));
        let codes = problems.iter().map(|one| format!("{}:{} {}", one.at.line, one.at.column, one.code));
        (root.as_ref().map(show).unwrap_or_default(), codes.collect())
    }

    #[test]
    fn scalars_stay_texts_and_know_their_places() {
        let cases = [
            ("a: 007\nb: no\n", "{a=007@1:4+3 b=no@2:4+2}"),
            ("a: 'it''s'\n", "{a=it's@1:4+7}"),
            ("a: [é, \"ü\"]\nb:\n", "{a=[é@1:5+1 ü@1:8+3] b=~@2:2}"),
            ("\u{feff}a: ~\r\nb: 2024-02-17\r\n", "{a=~@1:4 b=2024-02-17@2:4+10}"),
            ("- x: &a 1\n- *a\n", "[{x=1@1:9+1} 1@1:9+1]"),
            ("", "~@0:0"),
        ];
        for (text, expected) in cases {
            assert_eq!(read_text(text), (expected.to_owned(), vec![]), "{text:?}");
        }
    }

    #[test]
    fn the_first_of_two_keys_counts() {
        let (tree, problems) = read_text("a: 1\na: 2\nb: { c: 1, c: [2], d: 3 }\n");
        assert_eq!(tree, "{a=1@1:4+1 b={c=1@3:9+1 d=3@3:23+1}}");
        assert_eq!(problems, ["2:1 config-duplicate-key", "3:12 config-duplicate-key"]);
    }

    #[test]
    fn what_no_person_writes_is_refused() {
        let large = format!("a: {}\n", "x".repeat(MAX_BYTES));
        let many = format!("[{}]", "1,".repeat(MAX_NODES + 1));
        let deep = format!("{}1{}", "[".repeat(MAX_LEVELS + 1), "]".repeat(MAX_LEVELS + 1));
        let indented: String = (0..200).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
        for text in [large, many, deep, indented, "[".repeat(100_000)] {
            let (tree, problems) = read_text(&text);
            assert_eq!(tree, "");
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(problems[0].ends_with("config-too-large"), "{problems:?}");
        }
        assert_eq!(read_text(&format!("{}1{}", "[".repeat(64), "]".repeat(64))).1, [""; 0]);
    }

    #[test]
    fn keys_are_texts() {
        assert_eq!(read_text("? [a]\n: b\n").1, ["1:3 config-type"]);
        assert_eq!(read_text("~: b\n"), ("{~=b@1:4+1}".to_owned(), vec![]));
    }

    #[test]
    fn a_character_inside_a_text_has_its_place() {
        let cases = [
            ("a: one two\n", 4, 8),
            ("a: \"one\\ttwo\"\n", 4, 10),
            ("a: 'it''s it'\n", 5, 11),
            ("a: \"one\"\n", 99, 4),
            ("a: |\n  one\n", 1, 4),
            ("a: 'é x'\n", 2, 7),
        ];
        for (text, character, column) in cases {
            let written = file(text);
            let sheet = Sheet::new(&written);
            let (root, _) = read(&written, &sheet);
            let node = root.as_ref().and_then(|root| root.get("a")).unwrap();
            let at = At { line: 1, column: 4, ..node.at };
            assert_eq!(sheet.inside(at, character).column, column, "{text:?}");
        }
    }
}
