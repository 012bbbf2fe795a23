//! Reports and messages that quote a purged document lose what they say of it.
#![expect(clippy::disallowed_methods, reason = "reports are files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use serde_json::Value;

use crate::run::{Error, Workspace, output};
use crate::store::{ERASED, Traces};

/// A shorter text says too little to be looked for: a title such as "Memo" stands in other documents as well.
const SHORTEST: usize = 8;

/// Redacts every report of a run and every message that waits. Returns how many files were changed.
pub(super) fn reports(workspace: &Workspace, traces: &Traces) -> Result<u64, Error> {
    let words = traces.words.iter().filter(|word| word.chars().count() >= SHORTEST).cloned();
    let texts: BTreeSet<String> = traces.names().into_iter().chain(words).collect();
    let finder = AhoCorasick::new(&texts)
        .map_err(|error| Error::Bug(format!("what names a document cannot be looked for: {error}")))?;
    let mut files = Vec::new();
    for folder in [workspace.runs(), workspace.told_all()] {
        files_below(&folder, &mut files)?;
    }
    let mut changed = 0;
    for path in files {
        let failed = |source| Error::File { doing: "read", path: path.display().to_string(), source };
        let bytes = std::fs::read(&path).map_err(failed)?;
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
/// text whatever else its object says in words. Returns true if there was something.
fn redact(value: &mut Value, finder: &AhoCorasick) -> bool {
    match value {
        Value::String(text) => {
            let found = finder.is_match(&*text);
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
                fields.values().any(|field| matches!(field, Value::String(text) if finder.is_match(text)));
            let mut found = told;
            for field in fields.values_mut() {
                match field {
                    Value::String(text) if told && text.contains(' ') => ERASED.clone_into(text),
                    _ => found = redact(field, finder) || found,
                }
            }
            // A name may be that of a document.
            let named: Vec<String> = fields.keys().filter(|name| finder.is_match(*name)).cloned().collect();
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_something_of_the_document_goes_and_all_else_stays() {
        let finder = AhoCorasick::new(["letters/ada.md", "Ada supplies the rudder."]).unwrap();
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
                "by": { ERASED: 3 },
            })
        );
        assert!(!redact(&mut report, &finder));
    }
}
