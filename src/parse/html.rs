//! HTML becomes its visible text and blocks.
//!
//! The tags are read as they come, without building a tree: broken nesting does no harm, depth costs
//! nothing, and the source line of every text is known (a character reference or a tag that spans lines
//! counts with its last).

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::build::{Builder, one_line};
use crate::model::document::BlockKind;

mod table;
mod words;

use table::Grid;

/// Elements whose content is not the document's text.
const SKIPPED: [&str; 17] = [
    "script", "style", "nav", "footer", "noscript", "template", "svg", "math", "iframe", "object", "select",
    "textarea", "button", "audio", "video", "canvas", "datalist",
];

/// `<meta>` names that speak of the page and not of the document.
const PAGE_META: [&str; 9] = [
    "viewport",
    "robots",
    "generator",
    "theme-color",
    "referrer",
    "color-scheme",
    "format-detection",
    "googlebot",
    "csrf-token",
];

/// The properties of pages that speak of the document, and as which fields.
const PROPERTIES: [(&str, &str); 3] = [
    ("article:author", "author"),
    ("article:published_time", "published"),
    ("article:modified_time", "modified"),
];

/// Elements that begin and end a paragraph.
const BLOCKS: [&str; 27] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "aside",
    "address",
    "figure",
    "figcaption",
    "form",
    "fieldset",
    "legend",
    "center",
    "hr",
    "body",
    "html",
    "head",
    "details",
    "summary",
    "hgroup",
    "dir",
    "menu",
    "caption",
    "option",
    "label",
    "title",
];

/// Writes an HTML source that begins in a line of the file.
pub(super) fn write(builder: &mut Builder, source: &str, first_line: u32) {
    let walker = Walker { builder: std::mem::take(builder), first_line, ..Walker::default() };
    let tokenizer = Tokenizer::new(Sink(RefCell::new(walker)), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(source));
    // The sink never asks for a script to be run, so one call reads everything.
    let _done = tokenizer.feed(&input);
    tokenizer.end();
    let mut walker = tokenizer.sink.0.into_inner();
    walker.finish();
    *builder = walker.builder;
}

struct Sink(RefCell<Walker>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let mut walker = self.0.borrow_mut();
        let line = u32::try_from(line).unwrap_or(u32::MAX).max(1) - 1;
        walker.line = walker.first_line.saturating_add(line);
        match token {
            Token::CharacterTokens(text) => {
                // The tokenizer names the line in which a run of text ends.
                let ends = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
                walker.line = walker.line.saturating_sub(ends).max(walker.first_line);
                walker.text(&text);
            }
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                walker.start(&tag);
                return raw_content(&tag);
            }
            Token::TagToken(tag) => walker.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// Some elements contain text in which tags are not tags.
fn raw_content(tag: &Tag) -> TokenSinkResult<()> {
    match &*tag.name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}

/// An open list and its open item.
#[derive(Default)]
struct List {
    ordered: bool,
    next: i64,
    label: String,
    /// True once the open item's first paragraph is written.
    used: bool,
}

#[derive(Default)]
struct Walker {
    builder: Builder,
    first_line: u32,
    line: u32,
    /// The skipped element that is open, and how often it is open.
    skipping: Option<(String, usize)>,
    /// The text of `<title>`, while it is open.
    title: Option<String>,
    /// The `<meta>` elements that wait for the first text.
    metas: Vec<(String, String, u32)>,
    heading: Option<u8>,
    lists: Vec<List>,
    quotes: usize,
    pre: usize,
    code: bool,
    /// True between `<dt>` and `<dd>`.
    term: bool,
    links: Vec<(usize, String)>,
    grid: Option<Grid>,
}

impl Walker {
    fn start(&mut self, tag: &Tag) {
        let name = &*tag.name;
        if let Some((skipped, depth)) = &mut self.skipping {
            if skipped == name && !tag.self_closing {
                *depth += 1;
            }
            return;
        }
        let hidden = attribute(tag, "hidden").is_some() && !matches!(name, "input" | "br" | "img" | "hr");
        if (SKIPPED.contains(&name) || hidden) && !tag.self_closing {
            self.skipping = Some((name.to_owned(), 1));
            return;
        }
        match name {
            "title" => self.title = Some(String::new()),
            "meta" => self.meta(tag),
            "br" => self.newline(),
            "a" => {
                self.close_link();
                if let Some(target) = attribute(tag, "href") {
                    self.links.push((self.builder.len(), target));
                }
            }
            "code" => self.code = true,
            "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" => self.start_table_part(name, tag),
            _ if self.grid.as_ref().is_some_and(Grid::in_cell) => self.space_in_cell(name),
            _ => {
                self.leave_broken_table();
                self.start_block(name, tag);
            }
        }
    }

    fn start_block(&mut self, name: &str, tag: &Tag) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                self.heading = name.as_bytes().get(1).map(|digit| digit - b'0');
            }
            "ul" | "ol" => {
                self.flush();
                let next = attribute(tag, "start").and_then(|start| start.parse().ok()).unwrap_or(1);
                self.lists.push(List { ordered: name == "ol", next, ..List::default() });
            }
            "li" => {
                self.flush();
                if let Some(list) = self.lists.last_mut() {
                    list.label = if list.ordered { format!("{}.", list.next) } else { String::new() };
                    list.next = list.next.saturating_add(1);
                    list.used = false;
                }
            }
            "blockquote" => {
                self.flush();
                self.quotes += 1;
            }
            "pre" => {
                self.flush();
                self.pre += 1;
                self.code = false;
            }
            "dl" => self.flush(),
            "dt" => {
                self.newline();
                self.term = true;
            }
            "dd" => self.start_description(),
            _ if BLOCKS.contains(&name) => self.flush(),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if let Some((skipped, depth)) = &mut self.skipping {
            if skipped == name {
                *depth -= 1;
                if *depth == 0 {
                    self.skipping = None;
                }
            }
            return;
        }
        match name {
            "title" => self.end_title(),
            "a" => self.close_link(),
            "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" => self.end_table_part(name),
            _ if self.grid.as_ref().is_some_and(Grid::in_cell) => self.space_in_cell(name),
            _ if self.grid.as_ref().is_some_and(Grid::has_cells) => {}
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                self.heading = None;
            }
            "ul" | "ol" => {
                self.flush();
                self.lists.pop();
            }
            "blockquote" => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            "pre" => {
                self.flush();
                self.pre = self.pre.saturating_sub(1);
                self.code = false;
            }
            "li" | "dl" => self.flush(),
            _ if BLOCKS.contains(&name) => self.flush(),
            _ => {}
        }
    }

    fn end_title(&mut self) {
        if let Some(title) = self.title.take() {
            self.builder.title(one_line(&title));
        }
    }

    /// The term and its description are one line, as header fields are.
    fn start_description(&mut self) {
        if std::mem::take(&mut self.term) && self.builder.is_open() {
            self.builder.push(": ", self.line);
        }
    }

    fn flush(&mut self) {
        self.close_links();
        if !self.builder.is_open() {
            return;
        }
        let kind = self.kind();
        self.builder.end(kind);
    }

    fn kind(&mut self) -> BlockKind {
        if self.quotes > 0 {
            return BlockKind::Quote;
        }
        if let Some(level) = self.heading {
            return BlockKind::Heading(level);
        }
        if self.pre > 0 && self.code {
            return BlockKind::Code;
        }
        let depth = self.lists.len();
        let Some(list) = self.lists.last_mut() else { return BlockKind::Paragraph };
        let below = usize::from(std::mem::replace(&mut list.used, true));
        let depth = u8::try_from(depth - 1 + below).unwrap_or(u8::MAX);
        BlockKind::Item { depth, label: if below > 0 { String::new() } else { list.label.clone() } }
    }

    fn meta(&mut self, tag: &Tag) {
        let property = || {
            let property = attribute(tag, "property")?;
            PROPERTIES.iter().find(|(name, _)| *name == property).map(|(_, field)| (*field).to_owned())
        };
        let name = attribute(tag, "name").or_else(property);
        let (Some(name), Some(content)) = (name, attribute(tag, "content")) else { return };
        let (name, content) = (one_line(&name), one_line(&content));
        let of_page = PAGE_META.contains(&name.to_ascii_lowercase().as_str()) || name.contains(':');
        if !of_page && !name.is_empty() && !content.is_empty() {
            self.metas.push((name, content, self.line));
        }
    }

    /// The fields stand at the top of the text, one a line, so that they can be quoted.
    fn write_metas(&mut self) {
        let metas = std::mem::take(&mut self.metas);
        if metas.is_empty() || self.builder.len() > 0 {
            return;
        }
        self.builder.begin(false);
        for (name, content, line) in metas {
            self.builder.push(&format!("{name}: "), line);
            let start = self.builder.len();
            self.builder.push(&content, line);
            self.builder.field(&name, (start..self.builder.len()).into());
            self.builder.push("\n", line);
        }
        self.builder.end(BlockKind::Paragraph);
    }

    fn close_link(&mut self) {
        if let Some((start, target)) = self.links.pop() {
            self.builder.link(start, &target);
        }
    }

    fn close_links(&mut self) {
        while !self.links.is_empty() {
            self.close_link();
        }
    }

    fn finish(&mut self) {
        self.end_grid();
        self.flush();
        self.write_metas();
    }
}

fn attribute(tag: &Tag, name: &str) -> Option<String> {
    tag.attrs
        .iter()
        .find(|attribute| &*attribute.name.local == name)
        .map(|attribute| attribute.value.to_string())
}
