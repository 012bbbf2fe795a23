//! From bytes to text: encoding, byte order mark, line ends, and the lines above and below the table.
//!
//! What comes in: a file's bytes and how it is declared to be written. What goes out: its text with `\n`
//! as line end, and which part of it is the table. It must not know about cells.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use crate::diag::{Diagnostic, Place};
use crate::model::job::Format;

use super::fault::Faults;

/// The table within a file's text.
pub(super) struct Body<'t> {
    /// The text of the table, header first.
    pub(super) text: &'t str,
    /// The physical line on which it begins, 1-based.
    pub(super) first_line: u32,
    /// The lines that `skip_footer` left out.
    pub(super) footer: Vec<&'t str>,
}

/// Decodes a file. A byte order mark decides, then the declaration; undeclared text is UTF-8 if it can
/// be, and is guessed otherwise. `None` if there is nothing to go on with.
pub(super) fn decode(bytes: &[u8], format: &Format, faults: &mut Faults) -> Option<String> {
    let encoding = encoding_of(bytes, format, faults)?;
    let (text, _, had_errors) = encoding.decode(bytes);
    if had_errors {
        let (line, column) = position_of_replacement(&text);
        let message = format!("the bytes here are not {}", encoding.name());
        let at = Place::at(faults.file(), line, column);
        faults.push(
            Diagnostic::error("feed-encoding", at, message)
                .hint("declare the right `encoding`, or have the file written anew"),
        );
        return None;
    }
    Some(unify_line_ends(text.trim_start_matches('\u{feff}')))
}

pub(super) fn encoding_of(bytes: &[u8], format: &Format, faults: &mut Faults) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Some(encoding);
    }
    if let Some(name) = &format.encoding {
        let encoding = Encoding::for_label(name.as_bytes());
        if encoding.is_none() {
            let message = format!("`{name}` is not the name of an encoding");
            faults.push(
                Diagnostic::error("feed-encoding", Place::file(faults.file()), message)
                    .hint("names are those of the WHATWG list, such as `utf-8` and `windows-1252`"),
            );
        }
        return encoding;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Some(UTF_8);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let message = format!("read as {}, which was guessed", encoding.name());
    faults.push(
        Diagnostic::note("feed-encoding-guessed", Place::file(faults.file()), message)
            .hint("declare `encoding`, so that another guess cannot change the names"),
    );
    Some(encoding)
}

fn position_of_replacement(text: &str) -> (u32, u32) {
    let before = text.split('\u{fffd}').next().unwrap_or_default();
    super::record::position(before, 1)
}

/// Writes every line end as `\n`, so that one table written on two systems is one table, quoted cells
/// included. A `\r` alone stays, unless it is the only line end that the file knows.
fn unify_line_ends(text: &str) -> String {
    if !text.contains('\n') {
        return text.replace('\r', "\n");
    }
    let mut unified = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_some() {
            unified.push_str(line.trim_end_matches('\r'));
            unified.push('\n');
        } else {
            unified.push_str(line);
        }
    }
    unified
}

/// Cuts off the physical lines above the header and below the last row.
pub(super) fn body<'t>(text: &'t str, format: &Format) -> Body<'t> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let from = format.skip_lines.min(lines.len());
    let to = lines.len().saturating_sub(format.skip_footer).max(from);
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let start = length(&lines[..from]);
    Body {
        text: &text[start..start + length(&lines[from..to])],
        first_line: u32::try_from(from).unwrap_or(u32::MAX).saturating_add(1),
        footer: lines[to..].iter().map(|line| line.trim_end_matches('\n')).collect(),
    }
}
