//! The import table, the docs' paths and the codes' pages are what they say they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

const VOCABULARY: [&str; 3] = ["model", "diag", "ontology"];
const STAGES: [&str; 8] = ["parse", "chunk", "link", "extract", "resolve", "gate", "reconcile", "drift"];

fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut table: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    table.insert("model", vec![]);
    table.insert("diag", vec!["model"]);
    table.insert("ontology", vec!["model", "diag"]);
    for stage in STAGES {
        table.insert(stage, VOCABULARY.to_vec());
    }
    table.insert("source", VOCABULARY.to_vec());
    table.insert("store", VOCABULARY.to_vec());
    table.insert("index", vec!["model", "diag"]);
    table.insert("worker", [VOCABULARY.as_slice(), &["parse", "source"]].concat());
    table.insert("config", VOCABULARY.to_vec());
    table.insert("serve", [VOCABULARY.as_slice(), &["store", "index", "reconcile"]].concat());
    table.insert(
        "run",
        [VOCABULARY.as_slice(), &STAGES, &["source", "store", "index", "config", "serve", "worker"]].concat(),
    );
    table.insert("notify", [VOCABULARY.as_slice(), &["drift", "run", "store"]].concat());
    table.insert(
        "cli",
        [VOCABULARY.as_slice(), &["config", "run", "notify", "drift", "serve", "store", "index", "worker"]]
            .concat(),
    );
    table
}

/// The first segments after `crate::`, grouped imports included, outside comments.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut word = String::new();
            let mut fresh = true;
            for character in group.chars() {
                match character {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 1 => fresh = true,
                    _ if depth == 1 && fresh && (character.is_alphanumeric() || character == '_') => {
                        word.push(character);
                    }
                    _ if !word.is_empty() => fresh = false,
                    _ => {}
                }
                if (!fresh || character == ',' || depth == 0) && !word.is_empty() {
                    found.insert(std::mem::take(&mut word));
                    fresh = character == ',';
                }
                if depth == 0 {
                    break;
                }
            }
        } else {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.insert(word);
        }
    }
    found
}

#[test]
fn imports_follow_the_table() {
    let table = allowed();
    let mut wrong = Vec::new();
    for path in sources(&root().join("src")) {
        let relative = path.strip_prefix(root().join("src")).unwrap().to_path_buf();
        let module = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        if module.ends_with(".rs") {
            continue;
        }
        let allowed =
            table.get(module.as_str()).unwrap_or_else(|| panic!("`{module}` is not in the import table"));
        let text = fs::read_to_string(&path).unwrap();
        if text.contains("super::super::super") {
            wrong.push(format!("{}: walks round the table with super::super", relative.display()));
        }
        for import in imports(&text) {
            let is_module = table.contains_key(import.as_str());
            if is_module && import != module && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{}: {module} may not import {import}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_planted_violation_would_be_found() {
    assert_eq!(
        imports("use crate::{model::{a, b}, store};\ncrate::gate::x()"),
        ["gate", "model", "store"].map(str::to_owned).into()
    );
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> = sources(&root().join("src"))
        .into_iter()
        .chain(sources(&root().join("tests/it")))
        .filter(|path| !fs::read_to_string(path).unwrap().starts_with("//!"))
        .map(|path| path.display().to_string())
        .collect();
    assert!(silent.is_empty(), "these do not begin with `//!`: {silent:?}");
}

#[test]
fn the_docs_name_what_is_there() {
    let mut missing = Vec::new();
    for page in ["ARCHITECTURE.md", "README.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for (at, name) in text.split('`').enumerate() {
            let is_path = ["src/", "tests/", "docs/", "corpus/", "ontology/", "jobs/", "examples/"]
                .iter()
                .any(|folder| name.starts_with(folder));
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            if at % 2 == 1 && is_path && plain && !root().join(name).exists() {
                missing.push(format!("{page}: `{name}`"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

/// The codes that the program can say: the first argument of a diagnostic's maker, and the reasons.
fn codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for path in sources(&root().join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        for maker in ["Diagnostic::error(", "Diagnostic::warning(", "Diagnostic::note("] {
            for (at, _) in text.match_indices(maker) {
                let rest = text[at + maker.len()..].trim_start();
                if let Some(code) = rest.strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                    codes.insert(code.to_owned());
                }
            }
        }
    }
    let fact = fs::read_to_string(root().join("src/model/fact.rs")).unwrap();
    for line in fact.lines().filter(|line| line.trim_start().starts_with("Self::") && line.contains("=> \""))
    {
        codes.insert(line.split('"').nth(1).unwrap().to_owned());
    }
    codes
}

#[test]
fn each_code_has_its_page() {
    let missing: Vec<String> = codes()
        .into_iter()
        .filter(|code| {
            let page = root().join(format!("docs/codes/{code}.md"));
            !fs::read_to_string(page).is_ok_and(|text| text.starts_with(&format!("# {code}\n")))
        })
        .collect();
    assert!(missing.is_empty(), "these have no page in docs/codes/: {missing:?}");
}

#[test]
fn no_test_file_is_forgotten() {
    let main = fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    for path in fs::read_dir(root().join("tests/it")).unwrap() {
        let name = path.unwrap().file_name().to_string_lossy().into_owned();
        let stem = name.trim_end_matches(".rs").to_owned();
        assert!(
            name == "main.rs" || main.contains(&format!("mod {stem};")),
            "tests/it/{name} is not in main.rs"
        );
    }
}
