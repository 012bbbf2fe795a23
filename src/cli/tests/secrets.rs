//! What one may not see shows in no answer and in no file.

use expect_test::expect;

use super::{Exit, check, say, workspace};
use crate::serve::testing::{SECRETS, fact_id};

/// Every command line that reads the graph.
fn reading() -> Vec<String> {
    let mut lines = Vec::new();
    for name in ["FCU", "Door_Seal", "Radio_Module", "ShenzenChip", "TechChip", "Quillon", "Supplier:Quillon"]
    {
        for command in ["show", "show --state all", "show --state pending", "why", "history"] {
            lines.push(format!("{command} {name}"));
        }
        lines.push(format!("show {name} --as-of 2021-01-01"));
        lines.push(format!("show {name} --known-at 2 --state all"));
        lines.push(format!("why {name} FCU"));
    }
    for subject in ["Supplier:S1", "Supplier:Quillon"] {
        for object in ["Component:C1", "Component:C3"] {
            let fact = fact_id(subject, "supplies", object);
            lines.push(format!("why {fact}"));
            lines.push(format!("history {fact}"));
        }
    }
    for line in [
        "export",
        "export --history",
        "export --since 1",
        "export --as-of 2021-01-01",
        "export --known-at 2",
        "quarantine",
        "quarantine --output csv",
        "quarantine --reason endpoint-unknown",
        "feeds",
        "status",
        "ontology",
    ] {
        lines.push(line.to_owned());
    }
    lines
}

#[test]
fn nothing_secret_leaks_through_any_reading_command() {
    let folder = workspace();
    let mut leaks_to_all = 0;
    for line in reading() {
        for form in ["", " --output json"] {
            if line.contains("--output") && !form.is_empty() {
                continue;
            }
            let all = say(folder.path(), &format!("{line}{form}"));
            leaks_to_all +=
                usize::from(SECRETS.iter().any(|secret| all.data.to_lowercase().contains(secret)));
            let none = say(folder.path(), &format!("{line}{form} --access none"));
            // What the question itself names is no leak.
            let asked = line.to_lowercase().replace('_', " ");
            let answer = format!("{}{}", none.data, none.talk).to_lowercase();
            for secret in SECRETS.iter().filter(|secret| !asked.contains(**secret)) {
                // Types and jobs are configuration, not data.
                assert!(!answer.contains(secret), "`{line}{form}` tells `{secret}`:\n{answer}");
            }
            if asked.contains("quillon") {
                assert_eq!(none.exit, Exit::Invalid, "`{line}`: a name that one may not know is nobody's");
                assert!(none.data.is_empty(), "{}", none.data);
            }
        }
    }
    assert!(leaks_to_all > 20, "the same questions tell those who may know: {leaks_to_all}");
}

#[test]
fn a_file_export_to_the_public_holds_nothing_secret() {
    let folder = workspace();
    for (form, files) in [("csv", 5), ("neo4j", 5), ("jsonl", 1)] {
        let said = say(folder.path(), &format!("export --format {form} --out {form} --access none"));
        assert_eq!((said.exit, said.talk.as_str()), (Exit::Done, ""), "{form}");
        let mut found = 0;
        for entry in std::fs::read_dir(folder.path().join(form)).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap().to_lowercase();
            assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{text}");
            assert!(text.lines().count() > 1, "{text}");
            found += 1;
        }
        assert_eq!(found, files, "{form}");
    }
    let edges = std::fs::read_to_string(folder.path().join("neo4j/edges.csv")).unwrap();
    check(
        edges.lines().next().unwrap(),
        &expect![
            "id,fact,:START_ID,:TYPE,:END_ID,valid_from:date,from_precision,valid_to:date,end_unknown:boolean,identity,properties"
        ],
    );
}
