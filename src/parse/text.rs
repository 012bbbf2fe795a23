//! Plain text becomes blocks. The text stays as it is; blank lines, indentation, labels and capitals tell
//! headings, paragraphs, items and tables apart.

use super::build::trim;
use super::field;
use super::outline::{Outline, ends_clause, is_section_word, roman};
use crate::model::document::{Block, BlockKind, Document, Table};
use crate::model::token::Span;

/// A line of more bytes was not broken by hand, so the line after it is another paragraph.
const LONGEST_BROKEN_LINE: usize = 160;

/// So many spaces were a line end once.
const GAP: &str = "   ";

/// A heading has at most this many words and bytes.
const HEADING_WORDS: usize = 14;
const HEADING_BYTES: usize = 110;

/// Words that number the large parts of a document.
const PART_WORDS: [&str; 11] = [
    "article",
    "part",
    "title",
    "chapter",
    "schedule",
    "exhibit",
    "annex",
    "appendix",
    "annexure",
    "attachment",
    "division",
];

/// Reads a plain text.
pub(super) fn read(text: String) -> Document {
    let lines = lines(&text);
    let mut reader =
        Reader { text: &text, lines: &lines, outline: Outline::default(), blocks: Vec::new(), open: None };
    let mut at = 0;
    while at < lines.len() {
        at = reader.step(at);
    }
    reader.close();
    let blocks = reader.blocks;
    Document { blocks, text, ..Document::default() }
}

/// A line without the white space around it.
struct Line<'t> {
    start: usize,
    text: &'t str,
    /// The columns before it; a tab counts as four.
    indent: usize,
}

impl Line<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        let lead = line.len() - line.trim_start().len();
        let blank = &line[..if body.is_empty() { 0 } else { lead }];
        let indent = blank.chars().map(|character| if character == '\t' { 4 } else { 1 }).sum();
        let start = at + blank.len();
        let mut from = 0;
        for cut in run_in_labels(body) {
            found.push(Line { start: start + from, text: body[from..cut].trim_end(), indent });
            from = cut;
        }
        found.push(Line { start: start + from, text: &body[from..], indent });
        at += line.len();
    }
    found
}

/// Where labelled lines begin in a long line that lost its line ends: after a wide gap behind the end of a
/// clause, as in `… for the term.     (b) Notwithstanding …`.
fn run_in_labels(line: &str) -> Vec<usize> {
    if line.len() <= LONGEST_BROKEN_LINE {
        return Vec::new();
    }
    let gaps = line.match_indices(GAP).map(|(at, _)| at);
    let cuts = gaps.filter_map(|at| {
        let rest = line[at..].trim_start();
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        let bracketed = word.starts_with('(') && word.ends_with(')') && word.len() <= 6;
        let numbered =
            word.ends_with('.') && word.len() <= 4 && word.starts_with(|c: char| c.is_ascii_digit());
        let fits = (bracketed || numbered) && ends_clause(line[..at].trim_end());
        fits.then_some(line.len() - rest.len())
    });
    let mut cuts: Vec<usize> = cuts.collect();
    cuts.dedup();
    cuts
}

struct Reader<'t> {
    text: &'t str,
    lines: &'t [Line<'t>],
    outline: Outline,
    blocks: Vec<Block>,
    /// The open block, its indentation and its last line.
    open: Option<(Block, usize, usize)>,
}

impl Reader<'_> {
    /// Reads the line `at` and perhaps more; returns the next one to read.
    fn step(&mut self, at: usize) -> usize {
        let line = &self.lines[at];
        if line.text.is_empty() {
            self.close();
            return at + 1;
        }
        if let Some((table, next)) = table(self.text, self.lines, at) {
            self.close();
            self.blocks.push(table);
            return next;
        }
        if let Some((level, count)) = self.heading(at) {
            self.close();
            self.outline.reset();
            let span = Span::new(line.start, self.lines[at + count - 1].end());
            self.blocks.push(Block { span, kind: BlockKind::Heading(level) });
            return at + count;
        }
        let label = if self.may_begin(at) { self.outline.read(line.text) } else { None };
        match label {
            Some(label) => {
                self.close();
                let depth = self.outline.place(line.indent, &label);
                let kind = BlockKind::Item { depth, label: label.text };
                let block = Block { span: Span::new(line.start + label.len, line.end()), kind };
                self.open = Some((block, line.indent, at));
            }
            None => self.continue_or_open(at),
        }
        at + 1
    }

    fn close(&mut self) {
        if let Some((block, _, _)) = self.open.take() {
            let span = trim(self.text, block.span);
            self.blocks.push(Block { span, kind: block.kind });
        }
    }

    /// True if a label may begin in this line: not in the middle of a sentence, unless indented deeper.
    fn may_begin(&self, at: usize) -> bool {
        self.open.as_ref().is_none_or(|(_, indent, last)| {
            ends_clause(self.lines[*last].text) || self.lines[at].indent != *indent
        })
    }

    fn continue_or_open(&mut self, at: usize) {
        let line = &self.lines[at];
        let lines = self.lines;
        if let Some((block, indent, last)) = &mut self.open {
            let broken = lines[*last].text.len() <= LONGEST_BROKEN_LINE;
            let item = matches!(block.kind, BlockKind::Item { .. });
            if broken && !(item && line.indent < *indent) {
                block.span.end = line.end();
                *last = at;
                return;
            }
        }
        self.close();
        // A paragraph that is indented as deep as the items stands below them and leaves the levels open.
        if self.outline.base().is_some_and(|base| line.indent <= base) {
            self.outline.reset();
        }
        let block = Block { span: Span::new(line.start, line.end()), kind: BlockKind::Paragraph };
        self.open = Some((block, line.indent, at));
    }

    /// The level of the heading that begins in this line and how many lines it has.
    fn heading(&self, at: usize) -> Option<(u8, usize)> {
        let line = &self.lines[at];
        if line.text.len() > HEADING_BYTES || line.text.ends_with([',', ';', '|']) {
            return None;
        }
        let after_heading = at > 0 && self.ends_heading(at - 1);
        let stands_apart = match &self.open {
            None => {
                !after_heading
                    || line.indent > self.lines[at - 1].indent
                    || is_bare_part(self.lines[at - 1].text)
            }
            Some((_, indent, last)) => line.indent < *indent && ends_clause(self.lines[*last].text),
        };
        if !stands_apart {
            return None;
        }
        let title = if self.open.is_none() && self.is_first() { self.title(at) } else { None };
        if title.is_some() {
            return title;
        }
        let capitals = self.capitals(at);
        let numbered = self.numbered_level(at);
        let indent = u8::try_from(line.indent / 2).unwrap_or(u8::MAX).min(3);
        match (numbered, capitals) {
            (Some(level), count) => Some((level, count.max(1))),
            (None, 0) => None,
            (None, count) => Some((2 + indent + u8::from(self.follows_bare_part()), count)),
        }
    }

    /// True if nothing but header fields stands above.
    fn is_first(&self) -> bool {
        let fields =
            |block: &Block| block.kind == BlockKind::Paragraph && field::are_fields(self.text, block.span);
        self.blocks.is_empty() || (self.blocks.len() == 1 && self.blocks.first().is_some_and(fields))
    }

    /// A first line of capitals, or one that stands alone and does not end like a sentence, is the title.
    fn title(&self, at: usize) -> Option<(u8, usize)> {
        let line = self.lines[at].text;
        if is_capitals(line) {
            return Some((1, 1));
        }
        let alone = self.lines.get(at + 1).is_none_or(|next| next.text.is_empty());
        let short = line.split_whitespace().count() <= HEADING_WORDS;
        let plain = !line.ends_with(['.', ':', '!', '?']) && !line.contains(": ");
        let labelled = self.outline.read(line).is_some();
        (alone && short && plain && !labelled).then_some((1, 1))
    }

    fn ends_heading(&self, at: usize) -> bool {
        self.blocks.last().is_some_and(|block| {
            matches!(block.kind, BlockKind::Heading(_)) && block.span.end == self.lines[at].end()
        }) && !self.lines[at].text.is_empty()
    }

    fn follows_bare_part(&self) -> bool {
        self.blocks.last().is_some_and(|block| {
            matches!(block.kind, BlockKind::Heading(_)) && is_bare_part(block.span.of(self.text))
        })
    }

    /// How many lines of capitals form a heading here: one or two; more are a paragraph in capitals.
    fn capitals(&self, at: usize) -> usize {
        let indent = self.lines[at].indent;
        let run = self.lines[at..].iter().take(3);
        let run = run.take_while(|line| line.indent == indent && is_capitals(line.text)).count();
        let words: usize =
            self.lines[at..at + run].iter().map(|line| line.text.split_whitespace().count()).sum();
        if run == 0 || run > 2 || words > HEADING_WORDS { 0 } else { run }
    }

    /// The level of a numbered line that is short, begins like a title and does not end like a sentence.
    fn numbered_level(&self, at: usize) -> Option<u8> {
        let line = self.lines[at].text;
        let alone = self.lines.get(at + 1).is_none_or(|next| next.text.is_empty());
        if line.ends_with(['.', ':', '?', '!']) && !is_bare_part(line) {
            return None;
        }
        let (level, rest) = number_of_heading(line)?;
        let title = rest.is_empty() || rest.starts_with(|first: char| !first.is_lowercase());
        let words = rest.split_whitespace().count();
        let short = words <= 8 || is_capitals(rest);
        let next = self.lines[at + 1..].iter().find(|line| !line.text.is_empty());
        let list =
            next.is_some_and(|next| number_of_heading(next.text).is_some_and(|(other, _)| other == level));
        (title && short && (is_capitals(rest) || (alone && !list))).then_some(level)
    }
}

/// The level that the number of a heading gives it, and the text after the number.
fn number_of_heading(line: &str) -> Option<(u8, &str)> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let is_part = PART_WORDS.iter().any(|part| word.eq_ignore_ascii_case(part));
    if is_part || is_section_word(word) {
        let (number, rest) = rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '—' | '–' | '-' | ':'));
        let inner = number.trim_end_matches(['.', ':']);
        let letter = inner.len() == 1 && inner.bytes().all(|byte| byte.is_ascii_uppercase());
        let numbered = inner.starts_with(|c: char| c.is_ascii_digit()) || roman(inner).is_some() || letter;
        let deeper = u8::try_from(inner.matches('.').count()).unwrap_or(0).min(3);
        return (numbered && inner.len() <= 10).then_some((if is_part { 2 } else { 3 } + deeper, rest));
    }
    let inner = word.trim_end_matches('.');
    let digits = inner.split('.').all(|part| part.len() <= 3 && !part.is_empty())
        && inner.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let deeper = u8::try_from(inner.matches('.').count()).unwrap_or(0).min(3);
    let romans =
        word.ends_with('.') && inner.bytes().all(|byte| byte.is_ascii_uppercase()) && roman(inner).is_some();
    let plain = (digits && (word.ends_with('.') || deeper > 0)) || romans;
    (plain && !rest.trim().is_empty()).then(|| (3 + deeper, rest.trim()))
}

/// True for a heading that is only a number: `ARTICLE II`, `Schedule 7.`
fn is_bare_part(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let two = words.next().is_some() && words.next().is_some() && words.next().is_none();
    two && number_of_heading(line).is_some_and(|(_, rest)| rest.is_empty())
}

/// True for a line of capitals with a word of some length; digits and marks do not count.
fn is_capitals(line: &str) -> bool {
    let letters = line.chars().filter(|character| character.is_alphabetic());
    let (mut upper, mut lower) = (0_usize, 0_usize);
    for letter in letters {
        if letter.is_lowercase() {
            lower += 1;
        } else if letter.is_uppercase() {
            upper += 1;
        }
    }
    let word = line.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() >= 3);
    lower == 0 && upper >= 4 && word && !line.ends_with([',', ';', '.', ':', '_'])
}

/// Lines of cells parted by `|` or tabs, at least two, with equally many cells.
fn table(text: &str, lines: &[Line<'_>], at: usize) -> Option<(Block, usize)> {
    let mark = ['|', '\t'].into_iter().find(|mark| lines[at].text.contains(*mark))?;
    let mut rows: Vec<Vec<Span>> = Vec::new();
    let mut next = at;
    while let Some(line) = lines.get(next) {
        if is_rule(line.text) && next > at {
            next += 1;
            continue;
        }
        let cells = cells(text, line, mark);
        if cells.len() < 2 || rows.first().is_some_and(|first| first.len() != cells.len()) {
            break;
        }
        rows.push(cells);
        next += 1;
    }
    if rows.len() < 2 {
        return None;
    }
    let (start, end) = (rows[0][0].start, rows.iter().flatten().map(|cell| cell.end).max()?);
    let header = rows.remove(0);
    Some((Block { span: Span::new(start, end), kind: BlockKind::Table(Table { header, rows }) }, next))
}

fn cells(text: &str, line: &Line<'_>, mark: char) -> Vec<Span> {
    let outer = mark == '|' && line.text.starts_with('|');
    let inner = if outer { &line.text[1..] } else { line.text };
    let mut at = line.start + (line.text.len() - inner.len());
    let inner = if outer { inner.strip_suffix('|').unwrap_or(inner) } else { inner };
    let mut found = Vec::new();
    for cell in inner.split(mark) {
        found.push(trim(text, Span::new(at, at + cell.len())));
        at += cell.len() + 1;
    }
    found
}

/// `|---|:--:|`, `-----+-----`
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|c| matches!(c, '-' | '|' | '+' | ':' | '=' | ' ' | '\t'))
}
