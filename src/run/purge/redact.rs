//! Reports and messages that quote a purged document lose what they say of it.
#![expect(clippy::disallowed_methods, reason = "reports are files")]

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::run::{Error, Workspace, output};
use crate::store::{ERASED, Finder, Traces};

/// Redacts every report of a run and every message that waits. Returns how many files were changed.
pub(super) fn reports(workspace: &Workspace, traces: &Traces) -> Result<u64, Error> {
    let finder = Finder::of_all(traces)?;
    let mut files = Vec::new();
    for folder in [workspace.runs(), workspace.told_all()] {
        files_below(&folder, &mut files)?;
    }
    let mut changed = 0;
    for path in files {
        let failed = |source| Error::File { doing: "read", path: path.display().to_string(), source };
        let bytes = std::fs::read(&path).map_err(failed)?;
        // What was left half written is of no use to anybody.
        if path.extension().is_some_and(|extension| extension == "part") {
            output::remove_note(&path)?;
            continue;
        }
        // A file that is no JSON is none of ours.
        let Ok(mut value) = serde_json::from_slice::<Value>(&bytes) else { continue };
        if redact(&mut value, &finder) {
            output::write_report(&path, &value)?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// The files below a folder, sorted.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |source| Error::File { doing: "read", path: folder.display().to_string(), source };
    if !folder.is_dir() {
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Takes out of a value what says something of the document: each text that names or quotes it, and beside such a
/// text whatever else its object says in words, in lists as well. Returns true if there was something.
fn redact(value: &mut Value, finder: &Finder) -> bool {
    match value {
        Value::String(text) => {
            let found = finder.is_in(text);
            if found {
                ERASED.clone_into(text);
            }
            found
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
                    fields.insert(ERASED.to_owned(), field);
                    found = true;
                }
            }
            found
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
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
        let finder = Finder::of_all(&traces).unwrap();
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
            "by": { "letters/ada.md": 3 },
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
                "by": { ERASED: 3 },
            })
        );
        assert!(!redact(&mut report, &finder));
    }
}
