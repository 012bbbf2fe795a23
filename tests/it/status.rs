//! `docs/status.md`: what is done, in part, or not, each line with the test that shows it.
//!
//! A case is done if a test named after its number drives it from files through the command line. An item is
//! what its line here says, and the tests that it names must exist. `UPDATE_EXPECT=1` writes the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use expect_test::expect_file;

/// The items of the first milestone: number, what it is, state, the tests that show it, what is missing.
const ITEMS: &[(&str, &str, &str, &[&str], &str)] = include!("status/items.in");

/// The cases: number and what they are about.
const CASES: &[(u32, &str)] = include!("status/cases.in");

/// Cases that are done in part, and what is missing.
const PARTS: &[(u32, &str)] = include!("status/parts.in");

/// Every integration test, by name: those drive the program from files through the command line.
fn tests() -> BTreeSet<String> {
    fn read(folder: PathBuf, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read(path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(path).unwrap();
                for (at, _) in text.match_indices("#[test]") {
                    if let Some(name) = text[at..].split("fn ").nth(1).and_then(|rest| rest.split('(').next())
                    {
                        found.insert(name.trim().to_owned());
                    }
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    read(root.join("tests"), &mut found);
    found
}

#[test]
fn the_status_page_says_what_the_tests_show() {
    let tests = tests();
    let mut page = String::from(
        "# Status\n\nWritten by `tests/it/status.rs`; `done` needs a test that drives it from files through the command line.\n\n\
         ## Items\n\n| item | what | state | shown by | missing |\n|---|---|---|---|---|\n",
    );
    for (number, what, state, shown_by, missing) in ITEMS {
        assert!(["done", "part", "not"].contains(state), "item {number}: `{state}` is no state");
        assert_eq!(
            *state == "done",
            missing.is_empty(),
            "item {number}: what is missing is said, or it is done"
        );
        assert!(*state == "not" || !shown_by.is_empty(), "item {number}: nothing shows it");
        for test in *shown_by {
            assert!(tests.contains(*test), "item {number}: there is no test `{test}`");
        }
        let shown_by = shown_by.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ");
        page.push_str(&format!("| {number} | {what} | {state} | {shown_by} | {missing} |\n"));
    }
    page.push_str("\n## Cases\n\n| case | what | state | shown by | missing |\n|---|---|---|---|---|\n");
    let parts: BTreeMap<u32, &str> = PARTS.iter().copied().collect();
    for (number, what) in CASES {
        let prefix = format!("case_{number:02}_");
        let shown_by: Vec<&String> = tests.iter().filter(|test| test.starts_with(&prefix)).collect();
        let state = match (shown_by.is_empty(), parts.get(number)) {
            (true, _) => "not",
            (false, Some(_)) => "part",
            (false, None) => "done",
        };
        let missing = parts.get(number).copied().unwrap_or_default();
        let shown_by = shown_by.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ");
        page.push_str(&format!("| {number} | {what} | {state} | {shown_by} | {missing} |\n"));
    }
    expect_file!["../../docs/status.md"].assert_eq(&page);
}
