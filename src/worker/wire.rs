//! What parent and child say to each other: frames of a length and that many bytes.
//!
//! A request is a frame with a [`Head`] as JSON and a frame with the document's bytes; an answer is one frame
//! with an [`Answer`] as JSON. A length beyond what the reader allows is a fault, not an allocation.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::diag::{Diagnostic, Place, Severity};
use crate::model::document::Document;
use crate::model::job::Limits;
use crate::model::spot::Spot;
use crate::parse::{self, Format};

/// The longest head of a request: a file's name and a few numbers.
pub(super) const HEAD: u64 = 1 << 20;

/// The longest document: what a source lets in at most, and more than any does.
pub(super) const BYTES: u64 = 1 << 40;

/// What is asked beside the bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) file: String,
    pub(super) format: Format,
    pub(super) limits: Limits,
}

/// What a child answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// What the parser gave.
    Parsed(Option<Document>, Vec<Remark>),
    /// The parser panicked, with these words; the child ends.
    Panicked(String),
}

/// A diagnostic of the document.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Remark {
    severity: u8,
    code: String,
    line: u32,
    column: u32,
    width: u32,
    spot: Option<Spot>,
    message: String,
    hint: Option<String>,
}

impl Remark {
    pub(super) fn of(diagnostic: &Diagnostic) -> Self {
        Self {
            severity: match diagnostic.severity {
                Severity::Error => 0,
                Severity::Warning => 1,
                Severity::Note => 2,
            },
            code: diagnostic.code.to_owned(),
            line: diagnostic.at.line,
            column: diagnostic.at.column,
            width: diagnostic.at.width,
            spot: diagnostic.at.spot.clone(),
            message: diagnostic.message.clone(),
            hint: diagnostic.hint.clone(),
        }
    }

    /// The diagnostic of a file; `None` if its code is none of a parser's.
    pub(super) fn into_diagnostic(self, file: &str) -> Option<Diagnostic> {
        let severity = match self.severity {
            0 => Severity::Error,
            1 => Severity::Warning,
            2 => Severity::Note,
            _ => return None,
        };
        let code = parse::CODES.into_iter().find(|code| *code == self.code)?;
        let at = Place { width: self.width, spot: self.spot, ..Place::at(file, self.line, self.column) };
        Some(Diagnostic { at, severity, code, message: self.message, hint: self.hint })
    }
}

/// Writes a frame.
pub(super) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Reads a frame of at most so many bytes; `None` if nothing more comes.
pub(super) fn read(from: &mut impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0_u8; 8];
    let mut have = 0;
    while have < length.len() {
        match from.read(length.get_mut(have..).unwrap_or_default())? {
            0 if have == 0 => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => have += more,
        }
    }
    let length = u64::from_le_bytes(length);
    if length > most {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame of {length} bytes")));
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(bytes))
}
