//! Outlines: the labels of numbered lines (`(a)`, `2.1`, `IV.`, `Sec. 3.`) and how deep they stand.
//!
//! Depth follows indentation first; among lines of equal indentation a label of a new style opens a deeper
//! level and a label of an earlier style returns to that level.

use super::build::trim;
use crate::model::document::{Block, BlockKind, Document};
use crate::model::token::Span;

/// Words that number a section, in the languages of the documents read so far.
const SECTION_WORDS: [&str; 12] = [
    "section",
    "sec",
    "sect",
    "article",
    "art",
    "clause",
    "paragraph",
    "para",
    "§",
    "artikel",
    "ziffer",
    "step",
];

/// A label has at most this many bytes.
const LONGEST_LABEL: usize = 14;

/// Roman numerals above are more likely words.
const LARGEST_ROMAN: u32 = 60;

/// How a label is written: labels of one style are siblings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Bullet,
    Section,
    /// `1.` is 1 deep, `1.2` 2 deep.
    Dotted(usize),
    Number(Form),
    Letter {
        upper: bool,
        form: Form,
    },
    /// `(aa)`.
    Letters,
    Roman {
        upper: bool,
        form: Form,
    },
}

/// The marks around a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `(a)`
    Brackets,
    /// `a)`
    Bracket,
    /// `a.`
    Stop,
}

/// A label at the start of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    /// As written; empty for a bullet.
    pub(super) text: String,
    pub(super) style: Style,
    ordinal: u32,
    /// Bytes of the line up to the text after the label.
    pub(super) len: usize,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    indent: usize,
    style: Style,
    ordinal: u32,
}

/// The open levels of an outline, outermost first.
#[derive(Debug, Default)]
pub(super) struct Outline {
    levels: Vec<Level>,
}

impl Outline {
    /// Forgets all levels: a heading or a plain paragraph stands between.
    pub(super) fn reset(&mut self) {
        self.levels.clear();
    }

    /// The indentation of the outermost level.
    pub(super) fn base(&self) -> Option<usize> {
        self.levels.first().map(|level| level.indent)
    }

    /// The label at the start of a line without indentation, if text follows it.
    pub(super) fn read(&self, line: &str) -> Option<Label> {
        let word_end = line.find(char::is_whitespace)?;
        let (word, rest) = line.split_at(word_end);
        let gap = rest.len() - rest.trim_start().len();
        if rest.trim_start().is_empty() {
            return None;
        }
        if matches!(word, "-" | "*" | "•" | "·" | "▪" | "◦" | "–" | "‣") {
            return Some(Label {
                text: String::new(),
                style: Style::Bullet,
                ordinal: 0,
                len: word_end + gap,
            });
        }
        if is_section_word(word) {
            return section_label(line, word_end + gap);
        }
        if word.len() > LONGEST_LABEL {
            return None;
        }
        let (style, ordinal) = self.style_of(word, rest.trim_start())?;
        Some(Label { text: word.to_owned(), style, ordinal, len: word_end + gap })
    }

    fn style_of(&self, word: &str, rest: &str) -> Option<(Style, u32)> {
        if let Some(inner) = word.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            // `(a)(1)` counts as its last part.
            return self.inner_style(inner.rsplit(")(").next().unwrap_or(inner), Form::Brackets);
        }
        if let Some(inner) = word.strip_suffix(')') {
            return self.inner_style(inner, Form::Bracket);
        }
        let inner = word.strip_suffix('.').unwrap_or(word);
        if inner.chars().all(|character| character.is_ascii_digit() || character == '.') {
            return dotted_style(word, inner, rest);
        }
        if inner.len() == word.len() {
            return None;
        }
        let (style, ordinal) = self.inner_style(inner, Form::Stop)?;
        // `J. Smith signs` is no item J; a list of letters begins at A or goes on.
        (ordinal == 1 || self.continues(style, ordinal)).then_some((style, ordinal))
    }

    fn inner_style(&self, inner: &str, form: Form) -> Option<(Style, u32)> {
        // `(a-1)` and `(3a)` were put between `(a)` and `(b)`, `(3)` and `(4)`.
        let inner = inner.split('-').next().unwrap_or(inner);
        let digits = inner.trim_end_matches(|character: char| character.is_ascii_alphabetic());
        if !digits.is_empty() {
            let sound = digits.len() <= 3 && inner.len() <= digits.len() + 1 && form != Form::Stop;
            return sound.then(|| digits.parse().ok()).flatten().map(|number| (Style::Number(form), number));
        }
        if inner.is_empty() || !inner.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return None;
        }
        let upper = inner.bytes().all(|byte| byte.is_ascii_uppercase());
        if !upper && !inner.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let roman = roman(inner).map(|number| (Style::Roman { upper, form }, number));
        let mut bytes = inner.bytes();
        let (first, second) = (bytes.next()?, bytes.next());
        let position = u32::from(first.to_ascii_lowercase() - b'a') + 1;
        let Some(second) = second else {
            return Some(self.letter_or_roman((Style::Letter { upper, form }, position), roman));
        };
        let doubled = inner.len() == 2 && second == first && form == Form::Brackets;
        roman.or_else(|| doubled.then_some((Style::Letters, position)))
    }

    /// `(i)` is roman unless it follows `(h)`; `(v)` is a letter unless it follows `(iv)`.
    fn letter_or_roman(&self, letter: (Style, u32), roman: Option<(Style, u32)>) -> (Style, u32) {
        let Some(roman) = roman else { return letter };
        if self.continues(roman.0, roman.1) {
            roman
        } else if self.continues(letter.0, letter.1) || roman.1 != 1 {
            letter
        } else {
            roman
        }
    }

    fn continues(&self, style: Style, ordinal: u32) -> bool {
        self.levels.iter().any(|level| level.style == style && level.ordinal + 1 == ordinal)
    }

    /// Places a labelled line of some indentation and returns its depth.
    pub(super) fn place(&mut self, indent: usize, label: &Label) -> u8 {
        while self.levels.last().is_some_and(|level| level.indent > indent) {
            self.levels.pop();
        }
        let same = |level: &Level| level.indent == indent;
        let sibling =
            self.levels.iter().position(|level| same(level) && is_sibling(level.style, label.style));
        if let Some(sibling) = sibling {
            self.levels.truncate(sibling);
        } else if label.style == Style::Section {
            self.levels.retain(|level| !same(level));
        }
        self.levels.push(Level { indent, style: label.style, ordinal: label.ordinal });
        u8::try_from(self.levels.len() - 1).unwrap_or(u8::MAX)
    }

    /// Notes an item of a known depth, so that labelled lines after it stand below it.
    fn note(&mut self, depth: usize, label: &str) {
        self.levels.truncate(depth);
        let level = Level { indent: 0, style: Style::Bullet, ordinal: 0 };
        while self.levels.len() < depth {
            self.levels.push(level);
        }
        let read = self.read(&format!("{label} x"));
        self.levels.push(read.map_or(level, |label| Level {
            indent: 0,
            style: label.style,
            ordinal: label.ordinal,
        }));
    }
}

/// `1.` closes `1.2`; `1.2` stands below `1.`.
fn is_sibling(open: Style, new: Style) -> bool {
    match (open, new) {
        (Style::Dotted(open), Style::Dotted(new)) => open >= new,
        _ => open == new,
    }
}

fn dotted_style(word: &str, inner: &str, rest: &str) -> Option<(Style, u32)> {
    let parts: Vec<&str> = inner.split('.').collect();
    let sound = parts.iter().all(|part| !part.is_empty() && part.len() <= 3);
    // `3.5 kg` is a number; `3.5 Delivery` a label.
    let starts = rest.chars().next().is_some_and(|first| !first.is_lowercase() && !first.is_numeric());
    let dotted = word.ends_with('.') || (parts.len() > 1 && starts);
    let number = parts.last().and_then(|part| part.parse().ok())?;
    (sound && dotted).then_some((Style::Dotted(parts.len()), number))
}

/// True for a word that numbers a section, whatever its case and with its stop.
pub(super) fn is_section_word(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    word.len() <= 10 && SECTION_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// `Sec. 12.` or `Section 3a:` before text. "Section 204(a) of the Act" is no label.
fn section_label(line: &str, number_at: usize) -> Option<Label> {
    let rest = &line[number_at..];
    let number_len = rest.find(char::is_whitespace)?;
    let number = &rest[..number_len];
    let marked = number.ends_with(['.', ':']) || rest[number_len..].trim_start().starts_with(['—', '–']);
    let numbered = number.len() <= LONGEST_LABEL
        && (number.starts_with(|character: char| character.is_ascii_digit())
            || roman(number.trim_end_matches(['.', ':'])).is_some());
    if !marked || !numbered {
        return None;
    }
    let after = rest[number_len..].trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '—' | '–'));
    if after.is_empty() {
        return None;
    }
    let label = line[..number_at + number_len].to_owned();
    Some(Label { text: label, style: Style::Section, ordinal: 0, len: line.len() - after.len() })
}

/// The value of a roman numeral in its usual form.
pub(super) fn roman(text: &str) -> Option<u32> {
    const DIGITS: [(&str, u32); 9] =
        [("c", 100), ("xc", 90), ("l", 50), ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1)];
    if text.is_empty() || text.len() > 8 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let (mut rest, mut value) = (lower.as_str(), 0);
    for (digit, worth) in DIGITS {
        let most = if matches!(worth, 100 | 10 | 1) { 3 } else { 1 };
        for _ in 0..most {
            if let Some(next) = rest.strip_prefix(digit) {
                rest = next;
                value += worth;
            }
        }
    }
    (rest.is_empty() && value <= LARGEST_ROMAN).then_some(value)
}

/// Makes items of labelled lines that the format does not know as such: `(a)` in a Markdown paragraph.
pub(super) fn refine(document: &mut Document) {
    let fields: Vec<Span> = document.fields.iter().filter_map(|field| field.span).collect();
    let last_field = fields.iter().map(|span| span.start).max();
    let mut outline = Outline::default();
    let mut blocks = Vec::with_capacity(document.blocks.len());
    for block in std::mem::take(&mut document.blocks) {
        let is_fields = last_field.is_some_and(|start| block.span.start <= start);
        match block.kind {
            BlockKind::Paragraph if is_fields => blocks.push(block),
            BlockKind::Paragraph => split(&document.text, block, &mut outline, &mut blocks),
            BlockKind::Item { depth, ref label } => {
                outline.note(usize::from(depth), label);
                split(&document.text, block, &mut outline, &mut blocks);
            }
            BlockKind::Heading(_) => {
                outline.reset();
                blocks.push(block);
            }
            _ => blocks.push(block),
        }
    }
    document.blocks = blocks;
}

/// Splits a block before its labelled lines.
fn split(text: &str, block: Block, outline: &mut Outline, blocks: &mut Vec<Block>) {
    let mut open = Block { span: Span::new(block.span.start, block.span.start), kind: block.kind };
    let mut at = block.span.start;
    let mut before: Option<&str> = None;
    for line in block.span.of(text).split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        let may_begin = match before {
            None => open.kind == BlockKind::Paragraph,
            Some(before) => ends_clause(before),
        };
        let label = may_begin.then(|| outline.read(line.trim())).flatten();
        if let Some(label) = label {
            close(text, &mut open, start, blocks);
            let depth = outline.place(0, &label);
            open.span = Span::new(start + label.len, start + label.len);
            open.kind = BlockKind::Item { depth, label: label.text };
        } else if before.is_none() && open.kind == BlockKind::Paragraph {
            outline.reset();
        }
        before = Some(line.trim());
    }
    close(text, &mut open, block.span.end, blocks);
}

fn close(text: &str, open: &mut Block, end: usize, blocks: &mut Vec<Block>) {
    let span = trim(text, Span::new(open.span.start.min(end), end));
    if span.start < span.end {
        blocks.push(Block { span, kind: open.kind.clone() });
    }
}

/// True if a line ends so that a label may begin the next: elsewhere "(a)" is a reference in running text.
pub(super) fn ends_clause(line: &str) -> bool {
    line.ends_with(['.', ';', ':', ',', '!', '?', '—', '–'])
        || line.ends_with(" and")
        || line.ends_with(" or")
        || line.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depths(lines: &[&str]) -> Vec<String> {
        let mut outline = Outline::default();
        let mut found = Vec::new();
        for line in lines {
            let body = line.trim_start();
            match outline.read(body) {
                Some(label) => {
                    let depth = outline.place(line.len() - body.len(), &label);
                    found.push(format!("{depth} {}", label.text));
                }
                None => found.push("-".to_owned()),
            }
        }
        found
    }

    #[test]
    fn depth_follows_labels_and_indentation() {
        let lines = ["1. A", "1.1 B", "(a) c", "(i) d", "(ii) e", "(b) f", "1.2 G", "2. H"];
        assert_eq!(depths(&lines), ["0 1.", "1 1.1", "2 (a)", "3 (i)", "3 (ii)", "2 (b)", "1 1.2", "0 2."]);
        let lines = ["Sec. 2. A", "  (a) b", "    (4) c", "    (a-1) d", "  (b) e", "Sec. 3. F"];
        assert_eq!(depths(&lines), ["0 Sec. 2.", "1 (a)", "2 (4)", "3 (a-1)", "1 (b)", "0 Sec. 3."]);
        assert_eq!(depths(&["(g) a", "(h) b", "(i) c", "(j) d"]), ["0 (g)", "0 (h)", "0 (i)", "0 (j)"]);
        assert_eq!(depths(&["A. Acme", "B. Bar", "J. Smith"]), ["0 A.", "0 B.", "-"]);
        let none = ["3.5 kg of it", "Section 204(a) of the Act", "(Supplier) shall", "(mild) x", "2024. The"];
        assert_eq!(depths(&none), ["-"; 5]);
    }

    #[test]
    fn roman_numerals_are_read() {
        assert_eq!(["iv", "XII", "xlix", "iiii", "vx"].map(roman), [Some(4), Some(12), Some(49), None, None]);
    }
}
