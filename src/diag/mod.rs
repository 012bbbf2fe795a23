//! Diagnostics: what is wrong with an input, where, and what to do about it.
//!
//! A diagnostic is a value. Bad input never fails a run; a failed job is an error, which is another type.
//! Codes are stable and each has a page in `docs/codes/`.

use std::fmt;

use serde::Serialize;

use crate::model::spot::Spot;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The input was not used; what it fed stays as it was.
    Error,
    /// The input was used, and a person should look.
    Warning,
    /// Good to know.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// A place in a file that a person can open.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The file, relative to the workspace.
    pub file: String,
    /// The 1-based line; 0 means the file as a whole.
    pub line: u32,
    /// The 1-based column in characters; 0 means the line as a whole.
    pub column: u32,
    /// The line's text, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How many characters to mark; 0 marks one.
    pub width: u32,
    /// Where in a file without lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spot: Option<Spot>,
}

impl Place {
    /// A file as a whole.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, source: None, width: 0, spot: None }
    }

    /// A line and column of a file.
    pub fn at(file: impl Into<String>, line: u32, column: u32) -> Self {
        Self { file: file.into(), line, column, source: None, width: 0, spot: None }
    }

    /// A spot of a file.
    pub fn in_file(file: impl Into<String>, spot: Spot) -> Self {
        let at = Self::at(file, spot.line(), 0);
        Self { spot: (at.line == 0).then_some(spot), ..at }
    }
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Diagnostic {
    /// Where.
    pub at: Place,
    /// How bad.
    pub severity: Severity,
    /// The stable code: the name of its page in `docs/codes/`.
    pub code: &'static str,
    /// What is wrong, as a lower-case fragment without a full stop.
    pub message: String,
    /// What to do about it, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, at: Place, message: impl Into<String>) -> Self {
        Self { at, severity: Severity::Error, code, message: message.into(), hint: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, at: Place, message: impl Into<String>) -> Self {
        Self { at, severity: Severity::Warning, code, message: message.into(), hint: None }
    }

    /// A note.
    pub fn note(code: &'static str, at: Place, message: impl Into<String>) -> Self {
        Self { at, severity: Severity::Note, code, message: message.into(), hint: None }
    }

    /// With a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// `file:line:column: severity[code]: message`, the source line with the place marked, then the hint.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.at.file)?;
        if self.at.line > 0 {
            write!(f, ":{}", self.at.line)?;
            if self.at.column > 0 {
                write!(f, ":{}", self.at.column)?;
            }
        }
        if let Some(spot) = &self.at.spot {
            write!(f, ", {spot}")?;
        }
        write!(f, ": {}[{}]: {}", self.severity, self.code, self.message)?;
        if let Some(source) = &self.at.source {
            let gutter = self.at.line.to_string();
            write!(f, "\n {gutter} | {}", source.replace('\t', " "))?;
            if self.at.column > 0 {
                let space = " ".repeat(gutter.len());
                let before = " ".repeat(self.at.column as usize - 1);
                write!(f, "\n {space} | {before}{}", "^".repeat(self.at.width.max(1) as usize))?;
            }
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

/// What is wrong with a JSON text, for a person: where it ceases to be one, or that it is of another form.
pub fn json_fault(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Eof => "it ends in the middle".to_owned(),
        serde_json::error::Category::Syntax => format!("it is no JSON from column {} on", error.column()),
        serde_json::error::Category::Data => "it is JSON of another form".to_owned(),
        serde_json::error::Category::Io => "it cannot be read to its end".to_owned(),
    }
}

/// What is wrong with a JSON text that is of another form, in the words of its reader, without the place.
pub fn json_mismatch(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// A count with its noun: `1 edge`, `2 edges`.
pub fn count<N: fmt::Display + PartialEq + From<u8>>(number: N, one: &str) -> String {
    let many = match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{one}s"),
    };
    either(number, one, &many)
}

/// A count with the words that agree with it: `1 node was`, `2 nodes were`.
pub fn either<N: fmt::Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let words = if number == N::from(1) { one } else { many };
    format!("{number} {words}")
}

/// The nearest of the known words, if one is near enough to be a typing error.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|(a, x), (b, y)| a.total_cmp(b).then_with(|| y.cmp(x)))
        .map(|(_, candidate)| candidate)
}

/// The number by which Linux and its kin say that there is no room on a disk.
const NO_ROOM: i32 = 28;

/// True if a file could not be written because there is no room for it, or none for this user.
pub fn is_disk_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded) || says_disk_full(&error.to_string())
}

/// True if these words of a library say so: it may hand the system's error on inside one of its own, of which only the
/// words are left.
pub fn says_disk_full(words: &str) -> bool {
    let system = std::io::Error::from_raw_os_error(NO_ROOM);
    system.kind() == std::io::ErrorKind::StorageFull && words.contains(&system.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::*;

    #[test]
    fn counts_agree_with_their_noun() {
        let all = [(1_u64, "edge"), (2, "edge"), (2, "entity"), (0, "day")];
        let all: Vec<String> = all.into_iter().map(|(number, one)| count(number, one)).collect();
        assert_eq!(all.join(", "), "1 edge, 2 edges, 2 entities, 0 days");
        assert_eq!(either(1.0, "node was", "nodes were"), "1 node was");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_known_by_whatever_hands_it_on() {
        let system = || Error::from_raw_os_error(NO_ROOM);
        assert!(is_disk_full(&system()));
        assert!(is_disk_full(&Error::other(system())));
        assert!(is_disk_full(&Error::other(format!("cannot write a dictionary: {}", system()))));
        assert!(!is_disk_full(&Error::from_raw_os_error(13)));
        assert!(!is_disk_full(&Error::other("there is no room for doubt")));
    }
}
