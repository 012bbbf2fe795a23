//! The faults of one feed: collected as they are met, capped so that a broken file does not drown a report.
//!
//! What comes in: diagnostics. What goes out: the first few of each code, how many more there were, and
//! whether one of them withholds the feed.

use std::collections::BTreeMap;

use std::sync::Arc;

use crate::diag::{Diagnostic, Place, Severity};
use crate::model::sheet::cell_name;

/// More of the same code than this tell a person nothing new.
const SHOWN_PER_CODE: usize = 10;

pub(super) struct Faults {
    file: String,
    sheet: Option<Arc<str>>,
    shown: Vec<Diagnostic>,
    counts: BTreeMap<(Severity, &'static str), usize>,
}

impl Faults {
    pub(super) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), sheet: None, shown: Vec::new(), counts: BTreeMap::new() }
    }

    /// The feed's file, for places.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// The sheet of a workbook to which lines and columns belong.
    pub(super) fn sheet(&self) -> Option<Arc<str>> {
        self.sheet.clone()
    }

    /// From here on lines and columns are those of a sheet, and messages name its cells.
    pub(super) fn on_sheet(&mut self, name: &str) {
        self.sheet = Some(Arc::from(name));
    }

    /// Takes a diagnostic; an error withholds the feed.
    pub(super) fn push(&mut self, mut diagnostic: Diagnostic) {
        if let Some(sheet) = &self.sheet {
            diagnostic.message.push_str(&in_cell(sheet, diagnostic.at.line, diagnostic.at.column));
        }
        let count = self.counts.entry((diagnostic.severity, diagnostic.code)).or_default();
        *count += 1;
        if *count <= SHOWN_PER_CODE {
            self.shown.push(diagnostic);
        }
    }

    /// The first diagnostics of each code, each with how many of its code there were: for another process.
    pub(super) fn into_parts(self) -> Vec<(Diagnostic, usize)> {
        let count =
            |one: &Diagnostic| self.counts.get(&(one.severity, one.code)).copied().unwrap_or_default();
        self.shown.iter().map(|one| (one.clone(), count(one))).collect()
    }

    /// Takes what [`Faults::into_parts`] gave, in which messages name their cells.
    pub(super) fn take(&mut self, parts: Vec<(Diagnostic, usize)>) {
        for (diagnostic, count) in parts {
            self.counts.insert((diagnostic.severity, diagnostic.code), count);
            self.shown.push(diagnostic);
        }
    }

    /// True if the feed must not be used.
    pub(super) fn withheld(&self) -> bool {
        self.counts.keys().any(|(severity, _)| *severity == Severity::Error)
    }

    /// The diagnostics by line, then what was left out.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.shown.sort();
        for ((severity, code), count) in self.counts {
            if count > SHOWN_PER_CODE {
                let (at, more) = (Place::file(&self.file), count - SHOWN_PER_CODE);
                let message = format!("{more} more of the same");
                self.shown.push(Diagnostic { at, severity, code, message, hint: None });
            }
        }
        self.shown
    }
}

/// The end of a message about a cell of a sheet; nothing for a whole row.
pub(super) fn in_cell(sheet: &str, line: u32, column: u32) -> String {
    if line == 0 || column == 0 { String::new() } else { format!(" (`{sheet}!{}`)", cell_name(line, column)) }
}
