//! What parent and child say to each other: frames of a length and that many bytes.
//!
//! A request is a frame with a [`Head`] as JSON and a frame with the file's bytes; an answer is one frame, in which
//! a frame with an [`Answer`] as JSON stands, and behind it the bytes of a table. A length beyond what the reader
//! allows is a fault, not an allocation.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::diag::{Diagnostic, Place, Severity};
use crate::model::document::Document;
use crate::model::job::Limits;
use crate::model::spot::Spot;
use crate::parse::Format;
use crate::source::feed::Unpacking;

/// The longest head of a request: a file's name and a few numbers.
pub(super) const HEAD: u64 = 1 << 20;

/// The longest document: what a source lets in at most, and more than any does.
pub(super) const BYTES: u64 = 1 << 40;

/// What is asked beside the bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) what: What,
    pub(super) limits: Limits,
}

/// What is to be made of the bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum What {
    /// The document of a file.
    Document(String, Format),
    /// The table of a feed.
    Table(Unpacking),
}

/// What a child answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// What the parser gave.
    Parsed(Option<Document>, Vec<Remark>),
    /// What is wrong with a table, and how many remarks of its kind each stands for; the table follows as bytes.
    Unpacked(Vec<(Remark, usize)>),
    /// The parser panicked, with these words; the child ends.
    Panicked(String),
}

/// A diagnostic of the file.
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

    /// The diagnostic of a file; `None` if its code is none of these.
    pub(super) fn into_diagnostic(self, file: &str, codes: &[&'static str]) -> Option<Diagnostic> {
        let severity = match self.severity {
            0 => Severity::Error,
            1 => Severity::Warning,
            2 => Severity::Note,
            _ => return None,
        };
        let code = codes.iter().find(|code| **code == self.code)?;
        let at = Place { width: self.width, spot: self.spot, ..Place::at(file, self.line, self.column) };
        Some(Diagnostic { at, severity, code, message: self.message, hint: self.hint })
    }
}

/// Writes a frame.
pub(super) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Writes an answer, with the bytes that follow it.
pub(super) fn answer(to: &mut impl Write, answer: &Answer, bytes: &[u8]) -> io::Result<()> {
    let answer = serde_json::to_vec(answer).map_err(io::Error::from)?;
    to.write_all(&((8 + answer.len() + bytes.len()) as u64).to_le_bytes())?;
    write(to, &answer)?;
    to.write_all(bytes)
}

/// The answer in a frame, and where the bytes begin that follow it; `None` if it makes no sense.
pub(super) fn answered(frame: &[u8]) -> Option<(Answer, usize)> {
    let (length, rest) = frame.split_first_chunk()?;
    let (answer, bytes) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((serde_json::from_slice(answer).ok()?, frame.len() - bytes.len()))
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
