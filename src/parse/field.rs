//! Header fields: front matter, and `Name: value` lines at the top of a document.
//!
//! A field's lines are one block; that block holds the spans of the fields, by which chunking tells it from
//! prose.

use super::build::{Builder, one_line, trim};
use crate::model::document::{Block, BlockKind, Document, HeaderField, Table};
use crate::model::token::Span;

/// A name has at most this many words; more is the start of a sentence.
const NAME_WORDS: usize = 4;

/// A value of this many words that ends like a sentence is one.
const SENTENCE_WORDS: usize = 7;

/// The names of a column that holds names of fields.
const NAME_COLUMNS: [&str; 5] = ["field", "name", "key", "attribute", "property"];

/// Writes the lines between two `---` as a block, with a field for each `key: value`, each entry of
/// `[a, b]` and each `- item` below a key. A key below a key is named `outer.inner`.
pub(super) fn write_front_matter(builder: &mut Builder, lines: &str, first_line: u32) {
    builder.begin(false);
    let (mut outer, mut count) = (String::new(), 0_usize);
    for (number, line) in (first_line..).zip(lines.lines()) {
        let start = builder.len();
        builder.push(line, number);
        count += write_front_line(builder, line, start, &mut outer);
        builder.push("\n", number);
    }
    builder.end(if count > 0 { BlockKind::Paragraph } else { BlockKind::Code });
}

/// Adds the fields of one line, which stands at `start`; returns how many.
fn write_front_line(builder: &mut Builder, line: &str, start: usize, outer: &mut String) -> usize {
    let body = line.trim_start();
    let indented = body.len() < line.len();
    if body.starts_with('#') {
        return 0;
    }
    let at = start + line.len() - body.len();
    if let Some(item) = body.strip_prefix("- ") {
        return add_value(builder, outer, item, at + 2);
    }
    let Some((key, value)) = body.split_once(':') else { return 0 };
    if !(value.is_empty() || value.starts_with([' ', '\t'])) || key.trim().is_empty() {
        return 0;
    }
    let key = unquoted(key.trim());
    let name = if indented && !outer.is_empty() { format!("{outer}.{key}") } else { key.to_owned() };
    if !indented {
        key.clone_into(outer);
    }
    let value_at = at + body.len() - value.len();
    let inner = value.trim();
    match inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(list) => {
            let mut at = value_at + (value.len() - value.trim_start().len()) + 1;
            let mut added = 0;
            for entry in list.split(',') {
                added += add_value(builder, &name, entry, at);
                at += entry.len() + 1;
            }
            added
        }
        None => add_value(builder, &name, value, value_at),
    }
}

fn add_value(builder: &mut Builder, name: &str, value: &str, at: usize) -> usize {
    let trimmed = value.trim();
    let inner = unquoted(trimmed);
    let quote = usize::from(inner.len() < trimmed.len());
    let start = at + (value.len() - value.trim_start().len()) + quote;
    if name.is_empty() || inner.is_empty() || matches!(inner, "|" | ">" | "|-" | ">-") {
        return 0;
    }
    builder.field(name, Span::new(start, start + inner.len()));
    1
}

fn unquoted(text: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|mark| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)))
        .unwrap_or(text)
}

/// Finds the fields at the top: the `Name: value` lines before the first paragraph of prose, possibly
/// after a title, and the rows of a two-column table without column names in the same place.
pub(super) fn lift(document: &mut Document) {
    let known = document.fields.iter().filter_map(|field| field.span).map(|span| span.end).max();
    let mut at =
        document.blocks.iter().take_while(|block| known.is_some_and(|end| block.span.start < end)).count();
    if document.blocks.get(at).is_some_and(|block| matches!(block.kind, BlockKind::Heading(_))) {
        at += 1;
    }
    while let Some(block) = document.blocks.get(at) {
        let found = match &block.kind {
            BlockKind::Paragraph => from_lines(&document.text, block.span),
            BlockKind::Table(table) => from_rows(&document.text, block.span, table),
            _ => None,
        };
        let Some((fields, end)) = found else { return };
        let rest = trim(&document.text, Span::new(end, block.span.end));
        let start = block.span.start;
        document.fields.extend(fields);
        document.blocks[at] =
            Block { span: trim(&document.text, Span::new(start, end)), kind: BlockKind::Paragraph };
        at += 1;
        if rest.start < rest.end {
            document.blocks.insert(at, Block { span: rest, kind: BlockKind::Paragraph });
            return;
        }
    }
}

/// The fields found in a block, and where the lines with fields end.
type Lifted = Option<(Vec<HeaderField>, usize)>;

/// The fields in the leading lines of a paragraph and where these lines end. One line alone followed by
/// prose is the start of the prose.
fn from_lines(text: &str, span: Span) -> Lifted {
    let mut fields = Vec::new();
    let mut at = span.start;
    let mut lines = span.of(text).split_inclusive('\n').peekable();
    if let Some(caption) = lines.next_if(|line| is_caption(line)) {
        at += caption.len();
    }
    for line in lines {
        let Some(field) = of_line(line, at) else { break };
        fields.push(field);
        at += line.len();
    }
    (!fields.is_empty() && (at == span.end || fields.len() > 1)).then_some((fields, at))
}

/// True if the span is a block of header fields.
pub(super) fn are_fields(text: &str, span: Span) -> bool {
    from_lines(text, span).is_some_and(|(_, end)| end == span.end)
}

/// A line in capitals over the fields: `NOTICE OF CHANGE`.
fn is_caption(line: &str) -> bool {
    let letters = || line.chars().filter(|character| character.is_alphabetic());
    line.len() <= 80 && !line.contains(':') && letters().count() >= 4 && !letters().any(char::is_lowercase)
}

fn of_line(line: &str, at: usize) -> Option<HeaderField> {
    let colon = line.match_indices(':').map(|(colon, _)| colon).find(|colon| {
        let rest = &line[colon + 1..];
        rest.starts_with(char::is_whitespace)
    })?;
    let (name, value) = (line[..colon].trim(), line[colon + 1..].trim());
    let named = name.starts_with(char::is_alphabetic) && name.split_whitespace().count() <= NAME_WORDS;
    if !named || value.is_empty() || is_prose(value) || name.contains(['"', '\u{201c}', ',', ';']) {
        return None;
    }
    let span = trim(line, Span::new(colon + 1, line.len())).shifted(at);
    Some(HeaderField { name: name.to_owned(), value: value.to_owned(), span: Some(span) })
}

/// True for a value that is a sentence: `Parties: Acme plc and Foo Ltd (the "Supplier").` is prose.
fn is_prose(value: &str) -> bool {
    let defines = value.contains("(\"") || value.contains("(the \"") || value.contains("(\u{201c}");
    let stops = value.ends_with(['.', ';', ':']);
    defines || value.ends_with(':') || (stops && value.split_whitespace().count() >= SENTENCE_WORDS)
}

fn from_rows(text: &str, span: Span, table: &Table) -> Lifted {
    let unnamed = table.header.iter().all(|cell| cell.start == cell.end);
    let first = table.header.first().map(|cell| cell.of(text)).unwrap_or_default();
    let of_fields = NAME_COLUMNS.iter().any(|name| first.eq_ignore_ascii_case(name));
    if !(unnamed || of_fields) || table.rows.is_empty() {
        return None;
    }
    let fields: Option<Vec<HeaderField>> = table.rows.iter().map(|row| of_row(text, row)).collect();
    fields.map(|fields| (fields, span.end))
}

fn of_row(text: &str, row: &[Span]) -> Option<HeaderField> {
    let [name, value] = row else { return None };
    let label = one_line(name.of(text).trim_end_matches(':'));
    let named = !label.is_empty() && label.split_whitespace().count() <= NAME_WORDS;
    (named && value.start < value.end).then(|| HeaderField {
        name: label,
        value: value.of(text).to_owned(),
        span: Some(*value),
    })
}
