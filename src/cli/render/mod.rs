//! The only place that lays out text. Values come in, text for people goes out.

mod acts;
mod answers;
pub(super) mod ask;
mod days;
mod draft;
pub(super) mod drift;
mod edits;
mod eval;
mod graph;
mod rules;
mod runs;
mod sample;
mod search;
pub(super) mod table;
mod told;
mod why;

pub(super) use acts::{act, diff, purge};
pub(super) use answers::{decided, files, history, quarantine, quarantine_csv, queued};
pub(super) use draft::init;
pub(super) use edits::{edit_log, edited};
pub(super) use eval::{evaluated, evaluated_page};
pub(super) use graph::{feeds, ontology, show, status};
pub(super) use rules::{examples, gaps, replayed, trial, verified};
pub(super) use runs::{problems, run};
pub(super) use sample::{sampled, sampled_csv, verdicts};
pub(super) use search::{pointer, search};
pub(super) use told::{notified, runs};
pub(super) use why::why;

use super::check::Checked;
use super::json_schema::Names;
use crate::diag::{Diagnostic, Severity, count};
use crate::run;
use crate::store;

/// A text that grows line by line. Texts of documents are foreign: no control character of theirs reaches
/// a terminal, and none breaks a line.
#[derive(Default)]
struct Page(String);

impl Page {
    /// Adds a line, `indent` steps in.
    fn line(&mut self, indent: usize, text: impl AsRef<str>) {
        if !text.as_ref().is_empty() {
            self.0.extend(std::iter::repeat_n("  ", indent));
            self.0.push_str(&tame(text.as_ref()));
        }
        self.0.push('\n');
    }

    /// Adds a line whose texts are tamed already, because it holds commands to the terminal of ours.
    fn tamed(&mut self, indent: usize, text: &str) {
        self.0.extend(std::iter::repeat_n("  ", indent));
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Adds an empty line, unless the page is empty.
    fn gap(&mut self) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn done(self) -> String {
        self.0
    }
}

/// One line without control characters; runs of white space become one space where a line would break.
fn tame(text: &str) -> String {
    let mut tamed = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => {
                if !tamed.ends_with(' ') {
                    tamed.push(' ');
                }
            }
            // Overrides of the writing direction can make a line read as what it does not say.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            control if control.is_control() => tamed.push('\u{fffd}'),
            other => tamed.push(other),
        }
    }
    tamed
}

/// An error with its causes and what to do about it.
pub(super) fn error(error: &run::Error) -> String {
    let mut page = Page::default();
    if let run::Error::Config(diagnostics) = error {
        page.0.push_str(&listed(diagnostics));
    }
    page.line(0, format!("error: {}", error.told()));
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        page.line(1, format!("caused by: {error}"));
        cause = error.source();
    }
    if let Some(hint) = hint(error) {
        for (at, line) in hint.lines().enumerate() {
            page.line(1, if at == 0 { format!("hint: {line}") } else { line.to_owned() });
        }
    }
    page.done()
}

fn hint(error: &run::Error) -> Option<String> {
    if error.is_disk_full() {
        return Some("make room there; nothing that was published is lost, and the next `edgewright run` sweeps or finishes what is half done".to_owned());
    }
    match error {
        run::Error::Usage { hint, .. } | run::Error::Words { hint, .. } => hint.clone(),
        run::Error::Config(_) => Some("nothing was read or written; mend the files and try again".to_owned()),
        run::Error::Busy { .. } => Some("try again when it has ended".to_owned()),
        run::Error::Store(store::Error::Absent { .. }) => Some(
            "`edgewright run` makes it; one that was lost is rebuilt from `changelog/` by `edgewright replay .`".to_owned(),
        ),
        run::Error::Store(store::Error::Format { .. }) => Some(
            "use the version that wrote it, or `edgewright replay` its changelog into a new one".to_owned(),
        ),
        run::Error::Store(error) if error.is_damage() => Some(
            "`edgewright verify` lists what is damaged, if it can be read at all; to rebuild it from `changelog/`, move `.edgewright/graph.db` away and `edgewright replay .`"
                .to_owned(),
        ),
        run::Error::Store(store::Error::File { path, .. }) | run::Error::File { path, .. }
            if is_in_changelog(path) =>
        {
            Some(
                "see to it that edgewright can read and write `changelog/` and the files in it, and run again: the graph was \
                 published with its changelog or not at all, and the next run writes a file that is missing"
                    .to_owned(),
            )
        }
        run::Error::Store(store::Error::File { source, .. }) | run::Error::File { source, .. }
            if matches!(
                source.kind(),
                std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            Some("this needs the right to write there: `plan` and `verify` take the lock as `run` does, and only questions do without".to_owned())
        }
        run::Error::Index(_) => {
            Some("remove `.edgewright/index`: the next `edgewright run` builds it anew".to_owned())
        }
        run::Error::Bug(_) => Some("please report it with this text".to_owned()),
        run::Error::Store(_) | run::Error::File { .. } | run::Error::Stopped(_) => None,
    }
}

/// True of the folder of a changelog, and of what lies in it.
fn is_in_changelog(path: &str) -> bool {
    let path = std::path::Path::new(path);
    [Some(path), path.parent()].into_iter().flatten().any(|path| path.ends_with("changelog"))
}

/// Diagnostics, errors first, with counts at the end.
fn listed(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        for line in diagnostic.to_string().lines() {
            text.push_str(&tame(line));
            text.push('\n');
        }
    }
    text
}

/// What `check` found.
pub(super) fn check(checked: &Checked, diagnostics: &[Diagnostic]) -> String {
    let mut page = Page(listed(diagnostics));
    let of = |severity| diagnostics.iter().filter(|one| one.severity == severity).count() as u64;
    let read = format!(
        "{}, {}",
        count(checked.ontologies.len() as u64, "ontology"),
        count(checked.jobs.len() as u64, "job")
    );
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    if diagnostics.is_empty() {
        page.line(0, format!("{read}: nothing is wrong"));
    } else {
        page.line(0, format!("{read}: {}, {}", count(errors, "error"), count(warnings, "warning")));
    }
    page.done()
}

/// The names of the schemas.
pub(super) fn names(names: &Names) -> String {
    names.schemas.iter().map(|name| format!("{name}\n")).collect()
}

/// A JSON value, laid out for reading.
pub(super) fn json(value: &serde_json::Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_command_a_terminal_or_break_a_line() {
        assert_eq!(tame("a\u{1b}[31m\nb\u{202e}c\r\n\td"), "a\u{fffd}[31m bc d");
    }
}
