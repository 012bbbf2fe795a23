//! The faults of one feed: collected as they are met, capped so that a broken file does not drown a report.
//!
//! What comes in: diagnostics. What goes out: the first few of each code, how many more there were, and
//! whether one of them withholds the feed.

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, Place, Severity};

/// More of the same code than this tell a person nothing new.
const SHOWN_PER_CODE: usize = 10;

pub(super) struct Faults {
    file: String,
    shown: Vec<Diagnostic>,
    counts: BTreeMap<(Severity, &'static str), usize>,
}

impl Faults {
    pub(super) fn new(file: &str) -> Self {
        Self { file: file.to_owned(), shown: Vec::new(), counts: BTreeMap::new() }
    }

    /// The feed's file, for places.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// Takes a diagnostic; an error withholds the feed.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        let count = self.counts.entry((diagnostic.severity, diagnostic.code)).or_default();
        *count += 1;
        if *count <= SHOWN_PER_CODE {
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
