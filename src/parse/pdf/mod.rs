//! PDF: the text layer, page by page in reading order.
//!
//! A PDF says where glyphs stand and little else. `page` makes lines and tables of what stands on one page,
//! `furniture` takes away what is repeated at the head and foot of pages, `flow` makes paragraphs, headings and
//! lists of the lines that are left, `info` reads the document's properties. The library below has been seen to
//! panic and to run without end on damaged files, so this runs in a process of its own (`src/worker/`).

mod flow;
mod furniture;
mod info;
mod page;

use pdf_oxide::PdfDocument;
use pdf_oxide::error::Error;

use super::Read;
use super::build::Builder;
use super::office::Fault;
use crate::diag::{Diagnostic, Place};
use crate::model::document::Document;
use crate::model::file::{EMPTY, UNKNOWN, what_it_is};
use crate::model::job::Limits;
use crate::model::spot::Spot;

use page::Page;

/// How far into a file its head may stand, as readers of PDF have it.
const HEAD_WINDOW: usize = 1024;

/// How far before its end a file says that it ends.
const TAIL_WINDOW: usize = 4096;

/// How many pages a diagnostic names.
const NAMED: usize = 8;

/// Reads a PDF.
pub(super) fn read(file: &str, bytes: &[u8], limits: &Limits) -> Read {
    let mut diagnostics = Vec::new();
    let document = open(file, bytes, &mut diagnostics)
        .and_then(|pdf| write(file, &pdf, limits, is_cut(bytes), &mut diagnostics));
    match document {
        Ok(document) => Ok((document, diagnostics)),
        Err(fault) => {
            diagnostics.push(*fault);
            Err(diagnostics)
        }
    }
}

/// Opens the file with the empty password, which is the one of files that anybody may read.
fn open(file: &str, bytes: &[u8], diagnostics: &mut Vec<Diagnostic>) -> Result<PdfDocument, Box<Diagnostic>> {
    let head = bytes.get(..bytes.len().min(HEAD_WINDOW)).unwrap_or_default();
    if !head.windows(5).any(|window| window == b"%PDF-") {
        return Err(match what_it_is(bytes) {
            _ if bytes.is_empty() => damaged(file, "it is empty"),
            EMPTY | UNKNOWN => damaged(file, "it does not begin like a PDF"),
            what => Fault::Other(what).diagnostic(file, "a PDF"),
        });
    }
    let pdf = PdfDocument::from_bytes(bytes.to_vec()).map_err(|error| of_error(file, &error))?;
    if pdf.is_encrypted() {
        match pdf.authenticate(b"") {
            Ok(true) => {
                let message =
                    "it may be read without a password, and asks for one to be changed; it was read";
                diagnostics.push(Diagnostic::note("parse-owner-password", Place::file(file), message));
            }
            Ok(false) => return Err(locked(file)),
            Err(error) => return Err(unknown_scheme(file, &error)),
        }
    }
    Ok(pdf)
}

/// True if the file does not say that it ends: something was cut off, and the library has made up for it.
fn is_cut(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(TAIL_WINDOW)..).unwrap_or_default();
    !tail.windows(5).any(|window| window == b"%%EOF")
}

/// Writes all pages.
fn write(
    file: &str,
    pdf: &PdfDocument,
    limits: &Limits,
    is_cut: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Document, Box<Diagnostic>> {
    let count = pdf.page_count().map_err(|error| of_error(file, &error))?;
    if count == 0 {
        return Err(damaged(file, "it has no pages"));
    }
    if count as u64 > limits.pages {
        let message = format!("it has {count} pages, and {} are allowed: it stays as it was", limits.pages);
        let hint = "raise `limits: { pages: … }` of the source, or leave the file out with `exclude`";
        return Err(Box::new(Diagnostic::error("parse-too-large", Place::file(file), message).hint(hint)));
    }
    let (mut pages, mut broken, mut silent) = (Vec::new(), Vec::new(), Vec::new());
    let mut bytes = 0_u64;
    for at in 0..count {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let page = match Page::read(pdf, at, number) {
            Ok(page) => page,
            Err(error) => {
                broken.push((number, error));
                continue;
            }
        };
        bytes = bytes.saturating_add(page.bytes());
        // Four bytes are the longest character, so nothing is given up here that the limit would let pass.
        if bytes / 4 > limits.characters {
            let message = format!("it has more than {} characters: it stays as it was", limits.characters);
            let hint =
                "raise `limits: { characters: … }` of the source, or leave the file out with `exclude`";
            return Err(Box::new(
                Diagnostic::error("parse-too-large", Place::file(file), message).hint(hint),
            ));
        }
        if page.is_empty() && page::shows_something(pdf, at) {
            silent.push(number);
        }
        pages.push(page);
    }
    if pages.iter().all(Page::is_empty) {
        return Err(match broken.first() {
            _ if is_cut => damaged(file, "it ends in the middle"),
            Some((number, error)) => {
                damaged(file, &format!("page {number} cannot be read: {}", words(error)))
            }
            None => no_text(file, count),
        });
    }
    if is_cut {
        let message = "it ends in the middle; what could be found of it was read";
        let hint = "fetch it again from where it came from: what was cut off is not in the graph";
        diagnostics.push(Diagnostic::warning("parse-cut", Place::file(file), message).hint(hint));
    }
    if let Some((number, error)) = broken.first() {
        let pages: Vec<u32> = broken.iter().map(|(number, _)| *number).collect();
        let message = format!("{} cannot be read and was left out: {}", named(&pages), words(error));
        let place = Place::in_file(file, Spot::Page(*number));
        let hint = "what stood there is not in the graph; save the file anew from its source";
        diagnostics.push(Diagnostic::warning("parse-page-damaged", place, message).hint(hint));
    }
    if let Some(first) = silent.first() {
        let message = format!("{} has no text, only a picture of it", named(&silent));
        let place = Place::in_file(file, Spot::Page(*first));
        let hint = "have the scanned pages recognized (OCR), or declare a `parser` for such files";
        diagnostics.push(Diagnostic::warning("parse-page-without-text", place, message).hint(hint));
    }
    furniture::remove(&mut pages);
    let mut builder = Builder::default();
    info::write(&mut builder, pdf);
    flow::write(&mut builder, pages);
    let mut document = builder.finish();
    "UTF-8".clone_into(&mut document.encoding);
    Ok(document)
}

/// Pages in words: `page 3`, or `pages 3, 5 and 2 more`.
fn named(pages: &[u32]) -> String {
    match pages {
        [one] => format!("page {one}"),
        _ => {
            let shown: Vec<String> = pages.iter().take(NAMED).map(u32::to_string).collect();
            let more = pages.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("each of pages {}{more}", shown.join(", "))
        }
    }
}

fn of_error(file: &str, error: &Error) -> Box<Diagnostic> {
    match error {
        Error::EncryptedPdf => locked(file),
        error => damaged(file, &words(error)),
    }
}

fn locked(file: &str) -> Box<Diagnostic> {
    let message = "it asks for a password before it shows anything: it stays as it was";
    let hint = "save the file without the password, or leave it out with `exclude`";
    Box::new(Diagnostic::error("parse-password", Place::file(file), message).hint(hint))
}

fn unknown_scheme(file: &str, error: &Error) -> Box<Diagnostic> {
    let message = format!("it is encrypted in a way that cannot be read: {}", words(error));
    let hint = "save the file without encryption, or leave it out with `exclude`";
    Box::new(Diagnostic::error("parse-encryption", Place::file(file), message).hint(hint))
}

fn damaged(file: &str, why: &str) -> Box<Diagnostic> {
    let message = format!("the file is damaged and stays as it was: {why}");
    let hint = "open it in a viewer and save it anew, or fetch it again from where it came from";
    Box::new(Diagnostic::error("parse-damaged", Place::file(file), message).hint(hint))
}

fn no_text(file: &str, count: usize) -> Box<Diagnostic> {
    let pages = if count == 1 { "its page has".to_owned() } else { format!("none of its {count} pages has") };
    let message = format!("{pages} a text layer: it stays as it was")
        .replace("its page has a text layer", "its page has no text layer");
    let hint = "have the scan recognized (OCR), or declare a `parser` for such files";
    Box::new(Diagnostic::error("parse-no-text", Place::file(file), message).hint(hint))
}

/// What the library says of a fault, in one short line that begins small.
fn words(error: &Error) -> String {
    match error {
        Error::InvalidHeader(_) => "it does not begin like a PDF".to_owned(),
        Error::InvalidXref => "its table of contents cannot be read".to_owned(),
        Error::UnexpectedEof => "it ends in the middle".to_owned(),
        Error::ParseError { offset, .. } => format!("it cannot be read at byte {offset}"),
        Error::ObjectNotFound(number, _) => format!("its part {number} is missing"),
        Error::CircularReference(_) => "its parts lead round in a circle".to_owned(),
        Error::RecursionLimitExceeded(_) => "its parts are nested too deeply".to_owned(),
        other => {
            let line = super::build::one_line(&other.to_string());
            let mut letters = line.chars();
            let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
            first + &letters.take(160).collect::<String>()
        }
    }
}
