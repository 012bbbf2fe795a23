//! Bytes become a document: text, structure and header fields.
//!
//! In come a file's name, its format and its bytes; out come a [`Document`] and what is wrong with the
//! bytes. Nothing here knows an ontology or opens a file. Whatever the bytes are, nothing here panics, and
//! the work is linear in their number. Every header field is part of the text, so it can be quoted.

mod build;
mod decode;
pub mod external;
mod field;
mod html;
mod markdown;
mod office;
mod outline;
mod pdf;
mod table;
mod text;

use serde::{Deserialize, Serialize};

use crate::diag::{Diagnostic, Place};
use crate::model::document::{BlockKind, Document};
use crate::model::job::Limits;

use build::Builder;

/// Names what this stage makes of given bytes. To be raised whenever its output changes for any input;
/// a test over fixed documents fails if that is forgotten.
pub const FINGERPRINT: &str = "parse/5";

/// Those of [`CODES`] that say that a document is not whole, although something of it was read.
pub const PARTIAL: [&str; 2] = ["parse-cut", "parse-page-damaged"];

/// The codes of everything that is said here. A child process says them by name.
pub const CODES: [&str; 16] = [
    "parse-binary",
    "parse-encoding",
    "parse-damaged",
    "parse-password",
    "parse-owner-password",
    "parse-encryption",
    "parse-no-text",
    "parse-page-without-text",
    "parse-page-damaged",
    "parse-too-large",
    "parse-output",
    "parse-cut",
    "parse-format",
    "parse-bomb",
    "parse-cell",
    "parse-hidden-sheet",
];

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Format {
    /// Markdown. The text is the source without its markup: emphasis, code marks, link targets, heading
    /// and list marks are left out, escapes and entities resolved.
    Markdown,
    /// Plain text. The text is the source.
    Text,
    /// HTML. The text is what a browser shows, without navigation and page footers.
    Html,
    /// A Word document. The text is that of its body with every tracked change accepted.
    Docx,
    /// A workbook. The text is its sheets' cells as a person sees them.
    Sheets,
    /// PDF. The text is the text layer, page by page in reading order, without what is repeated at the head and
    /// foot of pages.
    Pdf,
}

impl Format {
    /// The format of a file by its extension.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "txt" | "text" => Some(Self::Text),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "docx" | "docm" | "dotx" | "dotm" => Some(Self::Docx),
            "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Some(Self::Sheets),
            "pdf" => Some(Self::Pdf),
            _ => None,
        }
    }
}

/// Reads one document, however large it is. For texts of our own.
pub fn parse(file: &str, format: Format, bytes: &[u8]) -> (Option<Document>, Vec<Diagnostic>) {
    let unlimited = Limits { time: u64::MAX, memory: u64::MAX, pages: u64::MAX, characters: u64::MAX };
    parse_within(file, format, bytes, &unlimited)
}

/// Reads one document within limits on its pages and characters. `None` if it is to be withheld: the bytes are
/// none of that format, cannot be read, or give more than the limits allow.
pub fn parse_within(
    file: &str,
    format: Format,
    bytes: &[u8],
    limits: &Limits,
) -> (Option<Document>, Vec<Diagnostic>) {
    let read = match format {
        Format::Pdf => pdf::read(file, bytes, limits),
        Format::Docx => office::docx::read(bytes)
            .map(|document| (document, Vec::new()))
            .map_err(|fault| vec![*fault.diagnostic(file, "a Word document")]),
        Format::Sheets => {
            office::sheets::read(file, bytes).map_err(|fault| vec![*fault.diagnostic(file, "a workbook")])
        }
        Format::Markdown | Format::Text | Format::Html => text_file(file, format, bytes),
    };
    let (document, mut diagnostics) = match read {
        Ok((document, diagnostics)) => (finished(document, format), diagnostics),
        Err(diagnostics) => return (None, diagnostics),
    };
    if let Some(too_large) = too_many_characters(file, &document.text, limits) {
        diagnostics.push(too_large);
        return (None, diagnostics);
    }
    (Some(document), diagnostics)
}

/// What is wrong with a text that is longer than the limits allow.
fn too_many_characters(file: &str, text: &str, limits: &Limits) -> Option<Diagnostic> {
    // A text has at least as many bytes as characters, so most are not counted.
    if text.len() as u64 <= limits.characters || text.chars().count() as u64 <= limits.characters {
        return None;
    }
    let message = format!("it has more than {} characters: it stays as it was", limits.characters);
    let hint = "raise `limits: { characters: … }` of the source, or leave the file out with `exclude`";
    Some(Diagnostic::error("parse-too-large", Place::file(file), message).hint(hint))
}

/// A document, or why there is none; what else is wrong with it stands beside it.
type Read = Result<(Document, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Reads a file that is text.
fn text_file(file: &str, format: Format, bytes: &[u8]) -> Read {
    let decoded = match decode::decode(file, format, bytes) {
        Ok(decoded) => decoded,
        Err(diagnostic) => return Err(vec![*diagnostic]),
    };
    let mut document = match format {
        Format::Markdown => {
            let mut builder = Builder::default();
            markdown::write(&mut builder, &decoded.text);
            builder.finish()
        }
        Format::Html => {
            let mut builder = Builder::default();
            html::write(&mut builder, &decoded.text, 1);
            builder.finish()
        }
        Format::Text | Format::Docx | Format::Sheets | Format::Pdf => text::read(decoded.text),
    };
    document.encoding = decoded.encoding.to_owned();
    Ok((document, decoded.diagnostics))
}

/// What is done to the documents of all formats.
fn finished(mut document: Document, format: Format) -> Document {
    field::lift(&mut document);
    if format != Format::Text {
        outline::refine(&mut document);
    }
    table::drop_repeated_headers(&mut document);
    document.title = title(&document);
    document
}

/// The header field `title`, else the title that the format states, else the first of the highest headings.
fn title(document: &Document) -> String {
    let field = document.fields.iter().find(|field| field.name.eq_ignore_ascii_case("title"));
    if let Some(field) = field {
        return field.value.clone();
    }
    if !document.title.is_empty() {
        return document.title.clone();
    }
    let headings = document.blocks.iter().filter_map(|block| match block.kind {
        BlockKind::Heading(level) => Some((level, block.span)),
        _ => None,
    });
    let highest = headings.min_by_key(|(level, _)| *level);
    highest.map(|(_, span)| build::one_line(span.of(&document.text))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
