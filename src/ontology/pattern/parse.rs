//! Reads the text of a pattern. Every problem is collected; the tree counts only if there is none.

use std::collections::BTreeMap;

use super::{BadPattern, MAX_GAP, Part, Pattern, Takes, inflections};
use crate::diag::nearest;
use crate::model::token::tokens;

/// Brackets nested deeper than this are a mistake, and reading them must not exhaust the stack.
const MAX_DEPTH: usize = 24;
/// A pattern is one line that a person wrote.
const MAX_CHARS: usize = 4_000;
/// The most that a regular expression may grow to, in bytes.
const REGEX_SIZE: usize = 1 << 18;

pub(super) fn pattern(
    source: &str,
    words: &BTreeMap<String, Vec<String>>,
) -> Result<Pattern, Vec<BadPattern>> {
    let mut reader = Reader::new(source, Some(words));
    if reader.text.len() > MAX_CHARS {
        reader.problem(MAX_CHARS, format!("the pattern is longer than {MAX_CHARS} characters"), None);
        return Err(reader.problems);
    }
    let parts = reader.sequence(0);
    while reader.at < reader.text.len() {
        // Only a bracket or a bar that nothing opened stops a sequence at the top.
        reader.stray();
        let _ = reader.sequence(0);
    }
    if reader.problems.is_empty() && parts.is_empty() {
        reader.problem(0, "the pattern is empty", None);
    }
    if reader.problems.is_empty() && !parts.iter().any(can_be_found) {
        reader.problem(0, "the pattern matches anything", Some("add a word or a slot that must be there"));
    }
    if reader.problems.is_empty() {
        Ok(Pattern { source: source.to_owned(), parts })
    } else {
        reader.problems.sort();
        reader.problems.dedup();
        Err(reader.problems)
    }
}

/// True if the part matches at least one token.
fn can_be_found(part: &Part) -> bool {
    match part {
        Part::Optional(_) | Part::Gap(_) => false,
        Part::Any(alternatives) => alternatives.iter().all(|inner| inner.iter().any(can_be_found)),
        Part::Word(_) | Part::Inflected(_) | Part::Regex(_) | Part::Slot { .. } => true,
    }
}

struct Reader<'w> {
    text: Vec<char>,
    at: usize,
    /// `None` inside a word list, whose entries name no other list.
    words: Option<&'w BTreeMap<String, Vec<String>>>,
    problems: Vec<BadPattern>,
    /// True once a bracket was told to be wrong in a way after which it is not known what any other belongs to.
    lost: bool,
}

impl<'w> Reader<'w> {
    fn new(source: &str, words: Option<&'w BTreeMap<String, Vec<String>>>) -> Self {
        Self { text: source.chars().collect(), at: 0, words, problems: Vec::new(), lost: false }
    }

    fn problem(&mut self, at: usize, message: impl Into<String>, hint: Option<&str>) {
        self.problems.push(BadPattern { at, message: message.into(), hint: hint.map(str::to_owned) });
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Says what is wrong with brackets, unless that is but what follows from another one.
    fn bracket(&mut self, at: usize, message: impl Into<String>, hint: Option<&str>) {
        if !self.lost {
            self.problem(at, message, hint);
        }
    }

    fn stray(&mut self) {
        let (message, hint) = match self.peek() {
            Some('|') => ("`|` outside parentheses", Some("write the alternatives as `(a|b)`")),
            Some(')') => ("`)` without `(`", Some("write `\\)` for the mark itself")),
            Some(']') => ("`]` without `[`", Some("write `\\]` for the mark itself")),
            Some('}') => ("`}` without `{`", Some("write `\\}` for the mark itself")),
            _ => ("the brackets are nested too deeply", None),
        };
        self.bracket(self.at, message, hint);
        self.at += 1;
    }

    /// Reads parts up to the end or to a `|`, `)`, `]` or `}`, which is left standing.
    fn sequence(&mut self, depth: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            match next {
                '|' | ')' | ']' | '}' => break,
                '(' | '[' if depth >= MAX_DEPTH => {
                    let hint = Some("write the parts as rules of their own");
                    self.bracket(self.at, "the brackets are nested too deeply", hint);
                    self.lost = true;
                    self.at = self.text.len();
                }
                '(' => parts.extend(self.alternatives(depth)),
                '[' => parts.extend(self.optional(depth)),
                '{' => parts.extend(self.slot()),
                '/' => parts.extend(self.regex()),
                '…' => {
                    self.at += 1;
                    parts.push(Part::Gap(MAX_GAP));
                }
                _ if next.is_whitespace() => self.at += 1,
                _ if self.looking_at("...") => {
                    self.at += 3;
                    parts.push(Part::Gap(MAX_GAP));
                }
                _ => self.literal(&mut parts),
            }
        }
        parts
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, expected)| self.text.get(self.at + i) == Some(&expected))
    }

    fn alternatives(&mut self, depth: usize) -> Option<Part> {
        let open = self.at;
        let mut alternatives = Vec::new();
        loop {
            self.at += 1;
            let begin = self.at;
            let inner = self.sequence(depth + 1);
            if inner.is_empty() && self.problems.is_empty() {
                let hint = Some("write `[a]` for what may be absent");
                self.problem(begin, "an alternative is empty", hint);
            }
            alternatives.push(inner);
            match self.peek() {
                Some('|') => {}
                Some(')') => {
                    self.at += 1;
                    return Some(Part::Any(alternatives));
                }
                Some(_) => return self.mismatch(open, '(', ')'),
                None => return self.unclosed(open, '(', ')'),
            }
        }
    }

    fn optional(&mut self, depth: usize) -> Option<Part> {
        let open = self.at;
        let mut alternatives = Vec::new();
        loop {
            self.at += 1;
            let begin = self.at;
            let inner = self.sequence(depth + 1);
            if inner.is_empty() && self.problems.is_empty() {
                self.problem(begin, "the brackets are empty", None);
            }
            alternatives.push(inner);
            match self.peek() {
                // `[a|b]` says what `[(a|b)]` says.
                Some('|') => {}
                Some(']') => {
                    self.at += 1;
                    return Some(Part::Optional(match alternatives.len() {
                        1 => alternatives.remove(0),
                        _ => vec![Part::Any(alternatives)],
                    }));
                }
                Some(_) => return self.mismatch(open, '[', ']'),
                None => return self.unclosed(open, '[', ']'),
            }
        }
    }

    fn unclosed(&mut self, open: usize, left: char, right: char) -> Option<Part> {
        let hint = format!("add `{right}`, or write `\\{left}` for the mark itself");
        self.bracket(open, format!("`{left}` is never closed"), Some(&hint));
        None
    }

    /// Another bracket closes: the mark is consumed so that reading goes on behind it.
    fn mismatch(&mut self, open: usize, left: char, right: char) -> Option<Part> {
        let found = self.peek().unwrap_or(right);
        let hint = format!("the `{left}` stands at character {}", open + 1);
        self.bracket(self.at, format!("`{found}` where `{right}` is due"), Some(&hint));
        self.lost = true;
        self.at += 1;
        None
    }

    /// `{name}`, `{name:date}`, `{name:Type}`, `{name:Type|Other+}`.
    fn slot(&mut self) -> Option<Part> {
        let open = self.at;
        let Some(length) = self.text[open..].iter().position(|next| *next == '}') else {
            self.problem(open, "`{` is never closed", Some("a slot is written `{subject:Type}`"));
            self.at = self.text.len();
            return None;
        };
        self.at = open + length + 1;
        let within = &self.text[open + 1..open + length];
        if let Some(nested) = within.iter().position(|next| *next == '{') {
            let hint =
                format!("close the `{{` at character {} before it: no slot stands in another", open + 1);
            self.bracket(open + 1 + nested, "`{` inside a slot", Some(&hint));
            self.lost = true;
            return None;
        }
        let inner: String = within.iter().collect();
        match read_slot(&inner) {
            Ok(part) => Some(part),
            Err((message, hint)) => {
                self.problem(open, message, Some(hint));
                None
            }
        }
    }

    /// `/regex/`; a slash within the expression is written `\/`.
    fn regex(&mut self) -> Option<Part> {
        let open = self.at;
        let mut source = String::new();
        loop {
            self.at += 1;
            match self.peek() {
                None => {
                    self.problem(open, "`/` is never closed", Some("write `\\/` for the mark itself"));
                    return None;
                }
                Some('/') => break,
                Some('\\') if self.text.get(self.at + 1) == Some(&'/') => {
                    self.at += 1;
                    source.push('/');
                }
                Some(other) => source.push(other),
            }
        }
        self.at += 1;
        match anchored(&source) {
            Ok(_) => Some(Part::Regex(source)),
            Err(error) => {
                let why = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
                let why = why.trim_start_matches("error: ");
                self.problem(open, format!("the regular expression does not compile: {why}"), None);
                None
            }
        }
    }

    /// A run of characters up to white space or a bracket: a word list's name, or words and marks.
    fn literal(&mut self, parts: &mut Vec<Part>) {
        let begin = self.at;
        let mut run = String::new();
        let mut escaped = false;
        while let Some(next) = self.peek() {
            if next.is_whitespace() || "()[]{}|…".contains(next) || self.looking_at("...") {
                break;
            }
            self.at += 1;
            if next == '\\' {
                escaped = true;
                run.extend(self.peek());
                self.at += 1;
                continue;
            }
            run.push(next);
            if next == '~' {
                break;
            }
        }
        self.at = self.at.min(self.text.len());
        if !escaped && is_list_name(&run) && self.words.is_some() {
            parts.extend(self.word_list(&run, begin));
        } else {
            self.words_and_marks(&run, begin, parts);
        }
    }

    fn words_and_marks(&mut self, run: &str, begin: usize, parts: &mut Vec<Part>) {
        let inflected = run.strip_suffix('~');
        let found = tokens(inflected.unwrap_or(run));
        let count = found.len();
        if inflected.is_some() && !found.last().is_some_and(crate::model::token::Token::is_wordlike) {
            self.problem(
                begin,
                "`~` without a word before it",
                Some("write `supply~` for any form of a word"),
            );
            return;
        }
        for (i, token) in found.into_iter().enumerate() {
            parts.push(match token.folded.as_str() {
                word if inflected.is_some() && i + 1 == count => Part::Inflected(inflections(word)),
                // "No. 3" and "No 3" are one; so a stop in a pattern need not stand in the text.
                "." => Part::Optional(vec![Part::Word(".".to_owned())]),
                word => Part::Word(word.to_owned()),
            });
        }
    }

    fn word_list(&mut self, name: &str, begin: usize) -> Option<Part> {
        let words = self.words?;
        let Some(entries) = words.get(name) else {
            let hint = match nearest(name, words.keys().map(String::as_str)) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "declare it under `words:`, or write the word itself in lower case".to_owned(),
            };
            self.problem(begin, format!("there is no word list `{name}`"), Some(&hint));
            return None;
        };
        let mut alternatives = Vec::new();
        for entry in entries {
            let mut inner = Reader::new(entry, None);
            let parts = inner.sequence(MAX_DEPTH);
            if parts.is_empty() || !inner.problems.is_empty() || inner.at < inner.text.len() {
                let message = format!("the entry `{entry}` of the word list `{name}` is not a list of words");
                self.problem(begin, message, Some("an entry holds words, and `~` after a word"));
            }
            alternatives.push(parts);
        }
        if alternatives.is_empty() {
            self.problem(begin, format!("the word list `{name}` is empty"), None);
        }
        Some(Part::Any(alternatives))
    }
}

/// A regular expression that must match a text as a whole.
pub(crate) fn anchored(source: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(&format!("^(?:{source})$")).size_limit(REGEX_SIZE).build()
}

fn is_list_name(run: &str) -> bool {
    run.chars().count() > 1
        && run.starts_with(|first: char| first.is_ascii_uppercase())
        && run.chars().all(|next| next.is_ascii_uppercase() || next.is_ascii_digit() || next == '_')
}

fn read_slot(inner: &str) -> Result<Part, (String, &'static str)> {
    let (name, takes) = match inner.split_once(':') {
        Some((name, takes)) => (name.trim(), Some(takes.trim())),
        None => (inner.trim(), None),
    };
    let sound = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '_');
    if !sound {
        let hint =
            "a slot is named in lower case: `subject`, `object`, `valid_from`, `valid_to` or a property";
        return Err((format!("`{name}` does not name a slot"), hint));
    }
    let (takes, list) = match takes.map(|takes| (takes.trim_end_matches('+'), takes.ends_with('+'))) {
        None => (Takes::Word, false),
        Some(("", _)) => {
            return Err(("the slot does not say what it takes".to_owned(), "write `{name:Type}`"));
        }
        Some((takes, list)) => (read_takes(takes)?, list),
    };
    if list && !matches!(takes, Takes::Entity(_)) {
        return Err(("only a slot for entities may be a list".to_owned(), "leave out the `+`"));
    }
    Ok(Part::Slot { name: name.to_owned(), takes, list })
}

fn read_takes(takes: &str) -> Result<Takes, (String, &'static str)> {
    let hint = "`date`, `duration`, `number`, `word`, or an entity type such as `Supplier`";
    match takes {
        "date" => Ok(Takes::Date),
        "duration" => Ok(Takes::Duration),
        "number" => Ok(Takes::Number),
        "word" => Ok(Takes::Word),
        types => {
            let types: Vec<String> = types.split('|').map(|name| name.trim().to_owned()).collect();
            let sound = |name: &String| {
                name.starts_with(char::is_uppercase)
                    && name.chars().all(|next| next.is_alphanumeric() || "_-".contains(next))
            };
            match types.iter().find(|name| !sound(name)) {
                None => Ok(Takes::Entity(types)),
                Some(bad) => Err((format!("`{bad}` is nothing that a slot takes"), hint)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> BTreeMap<String, Vec<String>> {
        BTreeMap::from([
            ("SUPPLY".to_owned(), vec!["supply~".to_owned(), "amend~ and restate~".to_owned()]),
            ("BROKEN".to_owned(), vec!["(a".to_owned()]),
        ])
    }

    fn show(parts: &[Part]) -> String {
        let one = |part: &Part| match part {
            Part::Word(word) => word.clone(),
            Part::Inflected(forms) => format!("{}~", forms[0]),
            Part::Regex(source) => format!("/{source}/"),
            Part::Any(inner) => {
                format!("({})", inner.iter().map(|parts| show(parts)).collect::<Vec<_>>().join("|"))
            }
            Part::Optional(inner) => format!("[{}]", show(inner)),
            Part::Gap(most) => format!("<{most}>"),
            Part::Slot { name, takes, list } => {
                format!("{{{name}:{takes:?}{}}}", if *list { "+" } else { "" })
            }
        };
        parts.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn patterns_become_trees() {
        let cases = [
            (
                "{object:Supplier} shall SUPPLY",
                r#"{object:Entity(["Supplier"])} shall (supply~|amend~ and restate~)"#,
            ),
            ("(a|b c) [d] ... e", "(a|b c) [d] <12> e"),
            ("[a|b]", "[(a|b)] x"),
            ("No. {n}", "no [.] {n:Word}"),
            ("{c:A|B+} {d:date}", r#"{c:Entity(["A", "B"])+} {d:Date}"#),
            ("/[A-Z]+\\/x/ and/or", "/[A-Z]+/x/ and / or"),
            ("\\(a\\) re-supply~ A", "( a ) re - supply~ a"),
            ("Straße … «x»", "strasse <12> \" x \""),
        ];
        for (source, tree) in cases {
            let source = if source == "[a|b]" { "[a|b] x" } else { source };
            assert_eq!(show(&Pattern::parse(source, &words()).unwrap().parts), tree, "{source}");
        }
    }

    #[test]
    fn every_problem_is_told_at_once() {
        let cases: &[(&str, &[&str])] = &[
            (
                "{Subject:T} SUPLY {x:}",
                &[
                    "0 `Subject` does not name a slot",
                    "12 there is no word list `SUPLY` (did you mean `SUPPLY`?)",
                    "18 the slot does not say what it takes",
                ],
            ),
            ("(a|b", &["0 `(` is never closed"]),
            ("a) b] c", &["1 `)` without `(`", "4 `]` without `[`"]),
            ("(a] b", &["2 `]` where `)` is due"]),
            ("(a [b) c] d", &["5 `)` where `]` is due (the `[` stands at character 4)"]),
            ("([a) b", &["3 `)` where `]` is due (the `[` stands at character 2)"]),
            ("(a [b", &["0 `(` is never closed", "3 `[` is never closed"]),
            (
                "{x:{y}} b",
                &["3 `{` inside a slot (close the `{` at character 1 before it: no slot stands in another)"],
            ),
            ("{x:T {y:T} b", &["5 `{` inside a slot"]),
            (
                &"(".repeat(30),
                &["24 the brackets are nested too deeply (write the parts as rules of their own)"],
            ),
            ("a | b", &["2 `|` outside parentheses"]),
            ("(a|)", &["3 an alternative is empty"]),
            ("[]", &["1 the brackets are empty"]),
            ("{x:date+}", &["0 only a slot for entities may be a list"]),
            ("{x:supplier}", &["0 `supplier` is nothing that a slot takes"]),
            ("{x", &["0 `{` is never closed"]),
            ("/(/", &["0 the regular expression does not compile"]),
            ("/a", &["0 `/` is never closed"]),
            ("", &["0 the pattern is empty"]),
            ("[a] ...", &["0 the pattern matches anything"]),
            ("BROKEN", &["0 the entry `(a` of the word list `BROKEN`"]),
            ("a ~", &["2 `~` without a word before it"]),
        ];
        for (source, expected) in cases {
            let problems = Pattern::parse(source, &words()).unwrap_err();
            let told: Vec<String> = problems
                .iter()
                .map(|bad| {
                    format!("{} {} ({})", bad.at, bad.message, bad.hint.as_deref().unwrap_or_default())
                })
                .collect();
            assert_eq!(told.len(), expected.len(), "{source}: {told:?}");
            for (told, expected) in told.iter().zip(*expected) {
                let bare = expected.split(" (").next().unwrap();
                assert!(
                    told.starts_with(bare) && told.contains(expected.trim_start_matches(bare)),
                    "{source}: {told}"
                );
            }
        }
    }

    #[test]
    fn hostile_patterns_neither_panic_nor_hang() {
        let marks = [
            "(", ")", "[", "]", "{", "}", "|", "/", "~", "\\", ".", "...", "a", "SUPPLY", "é", ":", "+", " ",
        ];
        let mut state: u64 = 7;
        for _ in 0..4_000 {
            let mut source = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                source.push_str(marks[(state >> 33) as usize % marks.len()]);
            }
            let _ = Pattern::parse(&source, &words());
        }
        for source in ["(".repeat(3_000), "[(".repeat(1_500), "a".repeat(1 << 20)] {
            assert!(Pattern::parse(&source, &words()).is_err());
        }
    }
}
