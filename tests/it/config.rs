//! The files of a workspace: every valid one loads without a word, every invalid one with its expected text.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read their fixtures")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use edgewright::config::{self, Loaded, Written};
use edgewright::ontology::{EntityType, KeyForms, Rule, RuleKind, Template};
use expect_test::expect_file;
use serde_json::Value;

fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/config").join(folder)
}

fn workspaces(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(data(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    assert!(!found.is_empty());
    found
}

fn told(loaded: &Loaded) -> String {
    let mut told = String::new();
    for problem in &loaded.diagnostics {
        told.push_str(&format!("{problem}\n\n"));
    }
    let errors = loaded.diagnostics.iter().filter(|one| one.severity == edgewright::diag::Severity::Error);
    told.push_str(&format!("{} problems, {} errors\n", loaded.diagnostics.len(), errors.count()));
    told
}

#[test]
fn valid_workspaces_load_without_a_word() {
    for workspace in workspaces("valid") {
        let loaded = config::load(&workspace);
        assert_eq!(told(&loaded), "0 problems, 0 errors\n", "{}", workspace.display());
        assert!(loaded.ok());
    }
}

#[test]
fn a_job_that_goes_by_its_file_has_the_name_of_a_job() {
    let text = "ontology: supply\nsources:\n  letters: { path: letters, include: [\"*.md\"] }\n";
    let problem = |file: &str, text: &str| {
        let folder = tempfile::TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("jobs")).unwrap();
        std::fs::write(folder.path().join("jobs").join(file), text).unwrap();
        told(&config::load(folder.path()))
    };
    // Reports name the jobs of a run with commas between them.
    let named = problem("a, b.yaml", text);
    assert!(named.contains("the job has no name: that of its file, `a, b`, cannot be one"), "{named}");
    for (file, text) in [("nightly.yaml", text), ("a, b.yaml", &format!("job: nightly\n{text}"))] {
        assert!(!problem(file, text).contains("the job has no name"));
    }
}

#[test]
fn invalid_workspaces_tell_everything_at_once() {
    for workspace in workspaces("invalid") {
        let loaded = config::load(&workspace);
        assert!(!loaded.diagnostics.is_empty(), "{}", workspace.display());
        expect_file![workspace.join("expected.txt")].assert_eq(&told(&loaded));
        assert_eq!(config::load(&workspace), loaded);
    }
}

#[test]
fn ten_planted_faults_are_ten_problems() {
    let loaded = config::load(&data("invalid/ten-faults"));
    assert_eq!(loaded.diagnostics.len(), 10, "{}", told(&loaded));
    assert!(loaded.diagnostics.iter().all(|problem| problem.hint.is_some() && problem.at.line > 0));
    assert!(!loaded.ok());
}

#[test]
fn what_a_workspace_means() {
    for workspace in workspaces("valid") {
        let loaded = config::load(&workspace);
        let mut meant = String::new();
        for (name, ontology) in &loaded.ontologies {
            meant.push_str(&format!("ontology {name}, {}\n", ontology.language));
            meant.extend(ontology.entities.values().map(entity));
            meant.extend(ontology.edges.values().map(|edge| format!("\n{edge:#?}")));
            meant.extend(ontology.rules.iter().map(rule));
        }
        meant.push_str(&format!("\n{:#?}\n", loaded.jobs));
        expect_file![workspace.join("meant.txt")].assert_eq(&meant);
    }
}

/// Templates and patterns are shown as written: their own tests show what they mean.
fn entity(entity: &EntityType) -> String {
    let written = |template: &Template| template.source.clone();
    format!(
        "\nentity {}: record {:?}, {:?}, keys {:?}, {:?}, part of {:?}, key {:?}, create {:?}, written {:?}, cite {:?}, access {:?}\n",
        entity.name,
        entity.system_of_record,
        entity.style,
        entity.keys.as_ref().map(key_forms),
        entity.on_unknown,
        entity.part_of,
        entity.key,
        entity.create,
        entity.written.as_ref().map(written),
        entity.cite.iter().map(written).collect::<Vec<_>>(),
        entity.access,
    )
}

fn key_forms(keys: &KeyForms) -> (String, Vec<String>) {
    let written = match keys {
        KeyForms::Forms(forms) => forms.written.iter().map(|way| way.source.clone()).collect(),
        KeyForms::Durations(_) => Vec::new(),
    };
    (keys.form().to_owned(), written)
}

fn rule(rule: &Rule) -> String {
    let kind = match &rule.kind {
        RuleKind::Match(pattern) => format!("match {}", pattern.source),
        RuleKind::Bind { name, pattern, scope, first } => {
            let first = if *first { " first" } else { "" };
            format!("bind {name} for {scope:?}{first} {}", pattern.source)
        }
        RuleKind::Link { target } => format!("link {:?}", target.as_ref().map(|target| &target.source)),
        other => format!("{other:?}"),
    };
    format!(
        "\nrule {} at {:?}: {:?} {:?} {kind}\n  {:?} {:?}, {:?} to {:?}, in {:?} not in {:?}, {}\n  {:?}\n",
        rule.id,
        rule.at,
        rule.edge,
        rule.says,
        rule.subject,
        rule.object,
        rule.valid_from,
        rule.valid_to,
        rule.within,
        rule.not_within,
        rule.confidence,
        rule.examples,
    )
}

#[test]
fn schemas_are_published() {
    for name in ["ontology", "job", "golden-map"] {
        let text = format!("{:#}\n", config::schema(name).unwrap());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/schema/{name}.json"));
        expect_file![file].assert_eq(&text);
    }
    assert_eq!(config::schema("nothing"), None);
}

/// The keys that these schemas know.
fn keys(names: &[&str]) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for name in names {
        let schema = config::schema(name).unwrap();
        let objects = schema["$defs"].as_object().unwrap().values().chain([&schema]);
        for properties in objects.filter_map(|object| object["properties"].as_object()) {
            assert!(properties.values().all(|key| key["description"].is_string()));
            keys.extend(properties.keys().cloned());
        }
    }
    keys
}

#[test]
fn the_valid_workspace_and_the_page_have_every_key() {
    let loaded = config::load(&data("valid/every-key"));
    let texts: String = loaded.texts.iter().map(|written| written.text.as_str()).collect();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/workspace.md");
    let page = std::fs::read_to_string(page).unwrap();
    let of_workspace = keys(&["ontology", "job"]);
    for key in &of_workspace {
        assert!(texts.contains(&format!("{key}:")), "`{key}` is in no file of valid/every-key");
    }
    for key in of_workspace.into_iter().chain(keys(&["golden-map"])) {
        assert!(page.contains(&format!("`{key}`")), "`{key}` is not in docs/workspace.md");
    }
}

#[test]
fn the_page_has_examples_that_load() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/workspace.md");
    let page = std::fs::read_to_string(page).unwrap();
    let examples: Vec<&str> =
        page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let written = |file: &str, begin: &str| Written {
        file: file.to_owned(),
        text: (*examples.iter().find(|example| example.starts_with(begin)).unwrap()).to_owned(),
    };
    let ontology = written("ontology/procurement.yaml", "# ontology/procurement.yaml");
    let job = written("jobs/procurement.yaml", "# jobs/procurement.yaml");
    let loaded = config::check(vec![ontology], vec![job]);
    assert_eq!(told(&loaded), "0 problems, 0 errors\n");
    let map = written("truth.yaml", "# truth.yaml");
    let (map, problems) = config::golden_map(Some(&map), "truth.csv", &loaded);
    assert_eq!(problems, []);
    assert_eq!((map.edges.len(), map.together.len(), map.judged.feed.as_deref()), (2, 1, Some("vendors")));
}

#[test]
fn every_shipped_example_is_a_workspace_without_problems() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for example in std::fs::read_dir(examples).unwrap() {
        let folder = example.unwrap().path();
        assert_eq!(told(&config::load(&folder)), "0 problems, 0 errors\n", "{}", folder.display());
    }
}

#[test]
fn the_starter_is_a_workspace_without_problems() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in config::starter() {
        let file = folder.path().join(&path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let loaded = config::load(folder.path());
    assert_eq!(told(&loaded), "0 problems, 0 errors\n");
    let job = &loaded.jobs[0];
    for path in job.sources.values().map(|one| &one.path).chain(job.feeds.values().map(|one| &one.path)) {
        assert!(folder.path().join(path).exists(), "{path}");
    }
}

#[test]
fn every_code_has_a_page() {
    let codes: BTreeSet<&str> = workspaces("invalid")
        .iter()
        .flat_map(|workspace| config::load(workspace).diagnostics)
        .map(|problem| problem.code)
        .chain(["config-unreadable"])
        .collect();
    for code in codes {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/codes/{code}.md"));
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        assert!(text.starts_with(&format!("# {code}\n")), "{}", page.display());
    }
}

#[test]
fn files_that_cannot_be_read_are_told_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("ontology/broken.yaml")).unwrap();
    std::fs::create_dir_all(folder.path().join("jobs")).unwrap();
    std::fs::write(folder.path().join("ontology/latin.yaml"), b"# caf\n# caf\xe9\n").unwrap();
    std::fs::write(folder.path().join("jobs/a.yaml"), "job: a\nontology: broken\n").unwrap();
    std::fs::write(folder.path().join("jobs/b.yaml"), "job: b\nontology: latin\n").unwrap();
    let loaded = config::load(folder.path());
    let codes: Vec<(&str, &str, u32)> =
        loaded.diagnostics.iter().map(|one| (one.at.file.as_str(), one.code, one.at.line)).collect();
    let expected =
        [("ontology/broken.yaml", "config-unreadable", 0), ("ontology/latin.yaml", "config-syntax", 2)];
    assert_eq!(codes, expected, "{}", told(&loaded));
}

/// Cuts and swaps characters by a fixed sequence: whatever the text, there is an answer with sound places.
#[test]
fn no_text_is_too_broken() {
    let loaded = config::load(&data("valid/every-key"));
    let [job, ontology] = loaded.texts.as_slice() else { panic!("two files") };
    let hostile = ["\u{feff}", "\r", "{", "[", "\"", "&a ", "*a", "!", "\t", "…", "\u{0}", "- ", ": ", "\n"];
    let mut seed: u64 = 7;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % most
    };
    for round in 0..400 {
        let mut broken = |written: &Written| {
            let mut letters: Vec<char> = written.text.chars().collect();
            match round % 4 {
                0 => letters.truncate(next(letters.len())),
                1 => drop(letters.remove(next(letters.len()))),
                2 => {
                    let (a, b) = (next(letters.len()), next(letters.len()));
                    letters.swap(a, b);
                }
                _ => {
                    let at = next(letters.len());
                    letters.splice(at..at, hostile[next(hostile.len())].chars());
                }
            }
            Written { file: written.file.clone(), text: letters.into_iter().collect() }
        };
        let texts = (broken(ontology), broken(job));
        let loaded = config::check(vec![texts.0.clone()], vec![texts.1.clone()]);
        for problem in &loaded.diagnostics {
            let lines = if problem.at.file == texts.0.file { &texts.0.text } else { &texts.1.text };
            let lines = lines.replace("\r\n", "\n").replace('\r', "\n");
            let line = lines.lines().nth((problem.at.line as usize).saturating_sub(1)).unwrap_or_default();
            let width = line.chars().count() as u32 + 1;
            assert!(problem.at.column <= width, "{problem}");
            assert!(!problem.to_string().is_empty());
        }
    }
}

#[test]
fn a_schema_names_only_what_it_defines() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                map.values().for_each(|value| references(value, found));
            }
            Value::Array(list) => list.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    for name in ["ontology", "job", "golden-map"] {
        let schema = config::schema(name).unwrap();
        let mut found = Vec::new();
        references(&schema, &mut found);
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            assert!(schema.pointer(pointer).is_some_and(Value::is_object), "{reference}");
        }
    }
}

#[test]
fn a_revision_is_what_a_rule_extracts() {
    let of = |rule: &str, words: &str| {
        let text = format!(
            "entities: {{ A: , B: }}\nedges: {{ e: {{ subject: A, object: B }} }}\n\
             words: {{ GO: {words} }}\nrules:\n- {{ id: r, edge: e, {rule} }}\n"
        );
        let file = Written { file: "ontology/o.yaml".to_owned(), text };
        let (ontologies, problems) = edgewright::ontology::file::load(&[file]);
        let ontologies = ontologies.unwrap_or_else(|| panic!("{problems:?}"));
        ontologies["o"].rule("r").unwrap().revision
    };
    let first = of(r#"match: "{subject:A} GO {object:B}""#, "[go~]");
    let same = [
        (r#"match: "{subject:A}   GO {object:B}""#, "go~"),
        (r#"confidence: 0.5, match: "{subject:A} GO {object:B}""#, "[go~]"),
        (r#"examples: [{ text: a goes b, finds: a e b }], match: "{subject:A} GO {object:B}""#, "[go~]"),
    ];
    for (rule, words) in same {
        assert_eq!(of(rule, words), first, "{rule}");
    }
    let other = [
        (r#"match: "{subject:A} GO {object:B}""#, "[go~, walk~]"),
        (r#"match: "{subject:A} GO to {object:B}""#, "[go~]"),
        (r#"asserts: end, match: "{subject:A} GO {object:B}""#, "[go~]"),
        (r#"in: { part: body }, match: "{subject:A} GO {object:B}""#, "[go~]"),
        (r#"not_in: { part: body }, match: "{subject:A} GO {object:B}""#, "[go~]"),
        (r#"valid_from: effective, match: "{subject:A} GO {object:B}""#, "[go~]"),
    ];
    let mut seen = BTreeSet::from([first]);
    for (rule, words) in other {
        assert!(seen.insert(of(rule, words)), "{rule}");
    }
}
