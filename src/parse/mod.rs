//! Bytes become a document: text, structure and header fields.
//!
//! In come a file's name, its format and its bytes; out come a [`Document`] and what is wrong with the
//! bytes. Nothing here knows an ontology or opens a file. Whatever the bytes are, nothing here panics, and
//! the work is linear in their number. Every header field is part of the text, so it can be quoted.

mod build;
mod decode;
mod field;
mod html;
mod markdown;
mod office;
mod outline;
mod table;
mod text;

use crate::diag::Diagnostic;
use crate::model::document::{BlockKind, Document};

use build::Builder;

/// Names what this stage makes of given bytes. To be raised whenever its output changes for any input;
/// a test over fixed documents fails if that is forgotten.
pub const FINGERPRINT: &str = "parse/3";

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
            _ => None,
        }
    }
}

/// Reads one document. `None` if nothing can be read: not a text, not the format of its name, encrypted, damaged, or
/// larger than a document is.
pub fn parse(file: &str, format: Format, bytes: &[u8]) -> (Option<Document>, Vec<Diagnostic>) {
    let read = match format {
        Format::Docx => office::docx::read(bytes)
            .map(|document| (document, Vec::new()))
            .map_err(|fault| fault.diagnostic(file, "a Word document")),
        Format::Sheets => {
            office::sheets::read(file, bytes).map_err(|fault| fault.diagnostic(file, "a workbook"))
        }
        Format::Markdown | Format::Text | Format::Html => return text_file(file, format, bytes),
    };
    match read {
        Ok((document, diagnostics)) => (Some(finished(document, format)), diagnostics),
        Err(diagnostic) => (None, vec![*diagnostic]),
    }
}

/// Reads a file that is text.
fn text_file(file: &str, format: Format, bytes: &[u8]) -> (Option<Document>, Vec<Diagnostic>) {
    let decoded = match decode::decode(file, format, bytes) {
        Ok(decoded) => decoded,
        Err(diagnostic) => return (None, vec![*diagnostic]),
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
        Format::Text | Format::Docx | Format::Sheets => text::read(decoded.text),
    };
    document.encoding = decoded.encoding.to_owned();
    (Some(finished(document, format)), decoded.diagnostics)
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
