//! What stands around a block: headings, parent lines of the outline, the part of the document.

use crate::model::chunk::{Context, Part};
use crate::model::document::{Block, BlockKind, Document};
use crate::model::token::Span;
use crate::ontology::language::Language;

use super::part::Parts;

/// A parent line of more bytes is known by its last sentence, which is the one that leads to the items.
const LONGEST_PARENT: usize = 300;

/// Follows the blocks of a document and knows what stands around the present one.
pub(super) struct Around<'d> {
    text: &'d str,
    language: &'d Language,
    parts: Parts<'d>,
    headings: Vec<Above>,
    /// The open items by depth.
    items: Vec<(u8, String)>,
    /// The paragraph before the items, if it leads to them ("as follows:").
    lead: Option<String>,
}

/// A heading above.
struct Above {
    level: u8,
    text: String,
    /// The part that it opens.
    part: Option<Part>,
}

impl<'d> Around<'d> {
    pub(super) fn new(document: &'d Document, language: &'d Language, fields: &[Span]) -> Self {
        let parts = Parts::of(document, language, fields);
        Self { text: &document.text, language, parts, headings: Vec::new(), items: Vec::new(), lead: None }
    }

    /// The context of the block with this index; blocks come in order.
    pub(super) fn of(&mut self, at: usize, block: &Block, is_fields: bool) -> Context {
        if is_fields {
            return self.context(Vec::new(), Part::Body);
        }
        let text = block.span.of(self.text);
        match &block.kind {
            BlockKind::Heading(level) => self.heading(at, *level, text),
            BlockKind::Item { depth, .. } => self.item(at, *depth, text),
            BlockKind::Paragraph => self.paragraph(at, text),
            BlockKind::Table(_) | BlockKind::Quote | BlockKind::Code => {
                let part = self.part(at, "");
                self.context(Vec::new(), part)
            }
        }
    }

    fn context(&self, parents: Vec<String>, part: Part) -> Context {
        let headings = self.headings.iter().map(|above| above.text.clone()).collect();
        Context { headings, parents, part }
    }

    fn heading(&mut self, at: usize, level: u8, text: &str) -> Context {
        while self.headings.last().is_some_and(|above| above.level >= level) {
            self.headings.pop();
        }
        self.items.clear();
        self.lead = None;
        let context = self.context(Vec::new(), Part::Heading);
        let part = self.parts.opened_by_heading(at, text);
        self.headings.push(Above { level, text: without_number(text), part });
        context
    }

    fn item(&mut self, at: usize, depth: u8, text: &str) -> Context {
        while self.items.last().is_some_and(|(open, _)| *open >= depth) {
            self.items.pop();
        }
        let parents = self.lead.iter().chain(self.items.iter().map(|(_, text)| text)).cloned().collect();
        let part = self.part(at, text);
        let context = self.context(parents, part);
        self.items.push((depth, self.parent_line(text)));
        context
    }

    fn paragraph(&mut self, at: usize, text: &str) -> Context {
        self.items.clear();
        self.lead = text.ends_with([':', '—', '–']).then(|| self.parent_line(text));
        let part = self.part(at, text);
        self.context(Vec::new(), part)
    }

    fn part(&mut self, at: usize, text: &str) -> Part {
        let above = self.headings.iter().rev().find_map(|above| above.part);
        self.parts.of_block(at, text, above)
    }

    fn parent_line(&self, text: &str) -> String {
        let line = if text.len() <= LONGEST_PARENT {
            text
        } else {
            self.language.sentences(text).last().map_or(text, |sentence| sentence.of(text))
        };
        one_line(line)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heading without its number: a section that moves down by one is not another section. The name of a
/// part keeps its number, since "Schedule 7" is not "Schedule 8".
fn without_number(text: &str) -> String {
    let line = one_line(text);
    let rest = line.split_once(' ').filter(|(word, rest)| is_number(word) && !rest.is_empty());
    rest.map_or_else(|| line.clone(), |(_, rest)| rest.trim_start_matches(['—', '–', '-', ' ']).to_owned())
}

/// `4`, `4.`, `4.2`, `IV.`, `(4)`.
fn is_number(word: &str) -> bool {
    let inner = word.trim_matches(['(', ')', '.']);
    let digits = !inner.is_empty()
        && inner.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && inner.split('.').all(|part| part.len() <= 3);
    let roman =
        inner.len() < word.len() && !inner.is_empty() && inner.bytes().all(|byte| b"IVXLC".contains(&byte));
    // A bare "747" may be a thing's name; a bare "4" is a number.
    digits && (inner.len() < word.len() || inner.contains('.') || inner.len() <= 2) || roman
}
