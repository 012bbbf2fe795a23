//! Reports and messages that quote a purged document lose what they say of it.
#![expect(clippy::disallowed_methods, reason = "reports are files")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::model::quote::{ERASED, Quotes};
use crate::run::{Error, Workspace, output};
use crate::store::{Finder, Lock, LockError, Traces};

/// What is told of the document.
struct Told<'t> {
    finder: Finder,
    /// What people took from it, and how they named it.
    quotes: &'t Quotes,
}

impl Told<'_> {
    fn is_in(&self, text: &str) -> bool {
        self.finder.is_in(text)
    }
}

/// How long another process may take to tell what it is telling.
const PATIENCE: Duration = Duration::from_secs(60);
const STEP: Duration = Duration::from_millis(100);

/// Redacts every report of a run and every message that waits. Returns how many files were changed.
///
/// Nobody else writes reports, since the graph is locked; who tells of runs has a lock of their own for each job, for
/// which this waits.
pub(super) fn reports(workspace: &Workspace, traces: &Traces, quotes: &Quotes) -> Result<u64, Error> {
    let finder = Told { finder: Finder::of_all(traces)?, quotes };
    let mut changed = below(&workspace.runs(), &finder)?;
    for told in entries(&workspace.told_all())?.into_iter().filter(|path| path.is_dir()) {
        let _lock = wait_for(&told.join("lock"))?;
        changed += below(&told, &finder)?;
    }
    Ok(changed)
}

fn wait_for(path: &Path) -> Result<Lock, Error> {
    let mut waited = Duration::ZERO;
    loop {
        match Lock::take(path) {
            Err(LockError::Busy { .. }) if waited < PATIENCE => {
                std::thread::sleep(STEP);
                waited += STEP;
            }
            taken => return Ok(taken?),
        }
    }
}

/// Redacts the files below a folder, each folder in the order of its names.
fn below(folder: &Path, finder: &Told<'_>) -> Result<u64, Error> {
    let mut changed = 0;
    // What was left half written is of no use to anybody, and stands in the way of what is written now.
    let (half, whole): (Vec<PathBuf>, Vec<PathBuf>) = entries(folder)?
        .into_iter()
        .partition(|path| path.extension().is_some_and(|extension| extension == "part") && !path.is_dir());
    half.iter().try_for_each(|path| output::remove_note(path))?;
    for path in whole {
        if path.is_dir() {
            changed += below(&path, finder)?;
            continue;
        }
        let failed = |source| Error::File { doing: "read", path: path.display().to_string(), source };
        // A file that is no JSON is none of ours.
        let Ok(mut value) = serde_json::from_slice::<Value>(&std::fs::read(&path).map_err(failed)?) else {
            continue;
        };
        if redact(&mut value, finder) {
            output::write_report(&path, &value)?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// Calls `look` for every text in reports and messages that says something in words, one file at a time. Reads on where
/// a message has gone since, and takes no lock: nothing is changed.
pub(super) fn each_text(
    workspace: &Workspace,
    look: &mut dyn FnMut(&str) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut folders = vec![workspace.runs(), workspace.told_all()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if let Some(bytes) = output::read_derived(&path)?
                && let Ok(value) = serde_json::from_slice::<Value>(&bytes)
            {
                texts_of(&value, look)?;
            }
        }
    }
    Ok(())
}

fn texts_of(value: &Value, look: &mut dyn FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
    match value {
        Value::String(text) if is_words(text) => look(text),
        Value::Array(items) => items.iter().try_for_each(|item| texts_of(item, look)),
        Value::Object(fields) => fields.values().try_for_each(|field| texts_of(field, look)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// What stands in a folder, sorted; nothing if there is no such folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::File { doing: "read", path: folder.display().to_string(), source };
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    Ok(entries)
}

/// Takes out of a value what says something of the document: each text that names or quotes it, and beside such a
/// text whatever else its object says in words, in lists as well. Returns true if there was something.
fn redact(value: &mut Value, finder: &Told<'_>) -> bool {
    match value {
        Value::String(text) => {
            if finder.is_in(text) {
                ERASED.clone_into(text);
                return true;
            }
            // What a person quoted of it says nothing of what stands beside it; a path of another document, which has
            // the words of a path of this one, is no quote.
            let left = if is_words(text) { finder.quotes.without(text) } else { None };
            left.map(|left| *text = left).is_some()
        }
        Value::Array(items) => {
            let mut found = false;
            for item in items {
                found = redact(item, finder) || found;
            }
            found
        }
        Value::Object(fields) => {
            let told =
                fields.values().any(|field| matches!(field, Value::String(text) if finder.is_in(text)));
            let mut found = told;
            for field in fields.values_mut() {
                match field {
                    Value::String(text) if told && is_words(text) => ERASED.clone_into(text),
                    Value::Array(items) if told => {
                        items.iter_mut().for_each(|item| match item {
                            Value::String(text) if is_words(text) => ERASED.clone_into(text),
                            item => drop(redact(item, finder)),
                        });
                    }
                    _ => found = redact(field, finder) || found,
                }
            }
            // A name may be that of a document.
            let named: Vec<String> = fields.keys().filter(|name| finder.is_in(name)).cloned().collect();
            for name in named {
                if let Some(field) = fields.remove(&name) {
                    fields.insert(free_name(fields), field);
                    found = true;
                }
            }
            found
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A name for what goes by an erased one: several may, and each stays visible.
fn free_name(fields: &Map<String, Value>) -> String {
    let numbered = (2..).map(|number| format!("({} {number})", ERASED.trim_matches(['(', ')'])));
    let mut names = std::iter::once(ERASED.to_owned()).chain(numbered);
    names.find(|name| !fields.contains_key(name)).unwrap_or_default()
}

/// True of what people say or are called; false of a code, an id, a path, a day or a time.
fn is_words(text: &str) -> bool {
    let is_code = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_./:".contains(&byte);
    let is_day = text.starts_with(|first: char| first.is_ascii_digit()) && !text.contains(' ');
    !is_day && !text.bytes().all(is_code)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_something_of_the_document_goes_and_all_else_stays() {
        let mut traces = Traces::default();
        traces.documents.insert("letters/ada.md".parse().unwrap());
        traces.words.insert("Ada supplies the rudder.".to_owned());
        let mut quotes = Quotes::default();
        quotes.add("It was painted in Orkney");
        let finder = Told { finder: Finder::of_all(&traces).unwrap(), quotes: &quotes };
        let mut report = json!({
            "run": "20260301-ab",
            "why": ["letters/ada.md changed", "letters/bob.md changed"],
            "diagnostics": [
                { "code": "parse-cut", "file": "letters/ada.md", "line": 3, "message": "Ada's text ends here" },
                { "code": "parse-cut", "file": "letters/bob.md", "line": 3, "message": "Bob's text ends here" },
            ],
            "finding": { "rule": "drift-totals", "says": "2 before", "examples": [
                { "text": "Ada supplies the rudder.", "place": "a:1" }, { "text": "Bob does.", "place": "b:1" },
            ] },
            "changes": [{ "detail": "letters/ada.md:3", "change": "added", "at": "2026-03-01T02:00:00Z",
                "subject": "Person:Ada", "after": ["[2021-05-01, ∞)"] }],
            "by": { "letters/ada.md": 3, "of letters/ada.md": 4, "letters/bob.md": 5 },
            "reason": { "by": "Bob", "says": "no: it was painted in Orkney, she says" },
        });
        assert!(redact(&mut report, &finder));
        assert_eq!(
            report,
            json!({
                "run": "20260301-ab",
                "why": [ERASED, "letters/bob.md changed"],
                "diagnostics": [
                    { "code": "parse-cut", "file": ERASED, "line": 3, "message": ERASED },
                    { "code": "parse-cut", "file": "letters/bob.md", "line": 3, "message": "Bob's text ends here" },
                ],
                "finding": { "rule": "drift-totals", "says": "2 before", "examples": [
                    { "text": ERASED, "place": "a:1" }, { "text": "Bob does.", "place": "b:1" },
                ] },
                "changes": [{ "detail": ERASED, "change": "added", "at": "2026-03-01T02:00:00Z",
                    "subject": ERASED, "after": [ERASED] }],
                "by": { ERASED: 3, "(purged 2)": 4, "letters/bob.md": 5 },
                "reason": { "by": "Bob", "says": "no: (purged), she says" },
            })
        );
        assert!(!redact(&mut report, &finder));
    }
}
