//! A workspace in a temporary folder, written as text with days in it, and driven through the command line.
//!
//! A fixture is several files in one text: a line `//- path` begins a file, `//- remove path` removes one,
//! `//- rename from to` renames one. [`World::graph`] shows what the graph says as sorted lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// A workspace under test.
pub(crate) struct World {
    folder: TempDir,
    /// The day that counts as today; the clock is fixed to its noon.
    pub(crate) today: String,
    /// What stands in the environment beside what every command is given.
    pub(crate) env: Vec<(String, String)>,
    /// The behavior that is broken on purpose, for the tests of the tests.
    sabotage: Option<String>,
}

/// What a command printed and how it ended.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Output {
    /// The output, if the command ended with this code.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// The last line of the output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let last = self.stdout.trim_end().lines().last().unwrap_or_default();
        serde_json::from_str(last)
            .or_else(|_| serde_json::from_str(&self.stdout))
            .unwrap_or_else(|error| panic!("{error} in:\n{}\nstderr:\n{}", self.stdout, self.stderr))
    }
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { fs::copy(&path, target).map(drop).unwrap() }
    }
}

/// Puts a copy of a folder in the place of another one.
pub(crate) fn replace(from: &Path, to: &Path) {
    drop(fs::remove_dir_all(to));
    copy(from, to);
}

impl World {
    /// The same workspace once more, graph and all.
    pub(crate) fn twin(&self) -> Self {
        let twin = Self { today: self.today.clone(), env: self.env.clone(), ..Self::new("") };
        copy(self.root(), twin.root());
        twin
    }

    /// A workspace with these files.
    pub(crate) fn new(fixture: &str) -> Self {
        let world = Self {
            folder: TempDir::new().unwrap(),
            today: "2026-06-01".to_owned(),
            env: Vec::new(),
            sabotage: std::env::var("EDGEWRIGHT_TEST_SABOTAGE").ok(),
        };
        world.put(fixture);
        world
    }

    /// The workspace's folder.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes, removes and renames files.
    #[track_caller]
    pub(crate) fn put(&self, fixture: &str) {
        let mut file: Option<(String, String)> = None;
        let flush = |file: &mut Option<(String, String)>| {
            if let Some((name, text)) = file.take() {
                self.write(&name, text.trim_start_matches('\n').as_bytes());
            }
        };
        for line in fixture.lines() {
            let line_text = line.trim_start();
            if let Some(command) = line_text.strip_prefix("//- ") {
                flush(&mut file);
                let words: Vec<&str> = command.split_whitespace().collect();
                match words.as_slice() {
                    ["remove", name] => fs::remove_file(self.path(name)).unwrap(),
                    ["rename", from, to] => {
                        fs::create_dir_all(self.path(to).parent().unwrap()).unwrap();
                        fs::rename(self.path(from), self.path(to)).unwrap();
                    }
                    [name] => file = Some(((*name).to_owned(), String::new())),
                    _ => panic!("no fixture command: {line}"),
                }
            } else if let Some((_, text)) = &mut file {
                text.push_str(line);
                text.push('\n');
            }
        }
        flush(&mut file);
    }

    /// Writes a file's bytes.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Runs a command; words are separated by spaces, and `'…'` keeps spaces.
    pub(crate) fn cmd(&self, line: &str) -> Output {
        let mut words: Vec<String> = Vec::new();
        let (mut word, mut quoted, mut any) = (String::new(), false, false);
        for character in line.chars() {
            match character {
                '\'' => {
                    quoted = !quoted;
                    any = true;
                }
                ' ' if !quoted => {
                    if any || !word.is_empty() {
                        words.push(std::mem::take(&mut word));
                    }
                    any = false;
                }
                _ => word.push(character),
            }
        }
        if any || !word.is_empty() {
            words.push(word);
        }
        self.args(&words)
    }

    /// Runs a command with these arguments.
    pub(crate) fn args<S: AsRef<str>>(&self, words: &[S]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_edgewright"));
        command.args(words.iter().map(AsRef::as_ref)).current_dir(self.folder.path());
        command.env_clear().env("NO_COLOR", "1");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(behavior) = &self.sabotage {
            command.env("EDGEWRIGHT_SABOTAGE", behavior);
        }
        command.arg("--now").arg(format!("{}T12:00:00Z", self.today));
        let done = command.output().unwrap();
        Output {
            stdout: String::from_utf8(done.stdout).unwrap(),
            stderr: String::from_utf8(done.stderr).unwrap(),
            code: done.status.code().unwrap_or(-1),
        }
    }

    /// Runs the jobs; the run must publish, or have nothing to do.
    #[track_caller]
    pub(crate) fn run(&self) -> Value {
        self.cmd("run --output json").expect_code(0).json()
    }

    /// Runs the jobs; the run must end with this code.
    #[track_caller]
    pub(crate) fn run_code(&self, code: i32) -> Value {
        self.cmd("run --output json").expect_code(code).json()
    }

    /// What the graph says, as sorted lines: `S1 supplies C1 [2024-02-17, ∞) ×2` and, for what waits,
    /// `? S1 supplies C1: conflict`. The arguments go to `export`, such as `--known-at 1`.
    #[track_caller]
    pub(crate) fn graph_with(&self, arguments: &str) -> String {
        let export = self.cmd(&format!("export {arguments}")).expect_code(0).stdout;
        let rows: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut lines = edges_of(&rows);
        lines.extend(self.waiting(arguments));
        lines.sort();
        lines.join("\n")
    }

    /// What waits in quarantine: `? S1 supplies C1: conflict`.
    fn waiting(&self, arguments: &str) -> Vec<String> {
        // The quarantine is asked about tonight only.
        if arguments.contains("--as-of") || arguments.contains("--known-at") {
            return Vec::new();
        }
        let quarantine = self.cmd(&format!("quarantine --output json {arguments}")).expect_code(0).json();
        let mut lines = Vec::new();
        for question in quarantine["questions"].as_array().unwrap() {
            for assertion in question["assertions"].as_array().unwrap() {
                let codes: Vec<&str> = assertion["reasons"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|reason| reason["code"].as_str().unwrap())
                    .collect();
                let side = |name: &str| key_of(assertion[name].as_str().unwrap()).to_owned();
                lines.push(format!(
                    "? {} {} {}: {}",
                    side("subject"),
                    assertion["edge_type"].as_str().unwrap(),
                    side("object"),
                    codes.join(", ")
                ));
            }
        }
        lines
    }

    /// What the graph says now.
    #[track_caller]
    pub(crate) fn graph(&self) -> String {
        self.graph_with("")
    }

    /// Asserts what the graph says, without regard to indentation.
    #[track_caller]
    pub(crate) fn says(&self, expected: &str) {
        let mut expected: Vec<&str> =
            expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        expected.sort();
        assert_eq!(self.graph(), expected.join("\n"));
    }

    /// What a search finds, best first: `document:line state`, with the days and the note of the state.
    #[track_caller]
    pub(crate) fn found(&self, query: &str) -> Vec<String> {
        let view = self.cmd(&format!("search {query} --output json")).expect_code(0).json();
        let results = view["results"].as_array().unwrap();
        results
            .iter()
            .map(|result| {
                let text = |name: &str| result[name].as_str();
                let mut line =
                    format!("{}:{} {}", text("document").unwrap(), result["line"], text("state").unwrap());
                for name in ["since", "until"] {
                    if let Some(day) = text(name) {
                        line.push_str(&format!(" {name} {day}"));
                    }
                }
                if let Some(note) = text("note") {
                    line.push_str(&format!(", {note}"));
                }
                line
            })
            .collect()
    }

    /// `document:line why` of each chunk that the last run extracted.
    pub(crate) fn work(report: &Value) -> Vec<String> {
        let log = report["work"]["log"].as_array().unwrap();
        log.iter()
            .map(|entry| {
                let text = |name: &str| entry[name].as_str().unwrap().to_owned();
                format!("{}:{} {}", text("document"), entry["line"], text("why"))
            })
            .collect()
    }
}

/// `Type:key` without the type; a text that is no key as it is.
fn key_of(entity: &str) -> &str {
    match entity.split_once(':') {
        Some((kind, key)) if kind.chars().all(char::is_alphanumeric) && !key.is_empty() => key,
        _ => entity,
    }
}

/// The edges of an export: `S1 supplies C1 [2024-02-17, ∞) ×2 {property=value}`; the number is how many
/// passages and rows say that the fact holds.
fn edges_of(rows: &[Value]) -> Vec<String> {
    let evidence = |fact: &str| {
        rows.iter()
            .filter(|row| row["kind"] == "evidence" && row["fact"] == fact && row["claims"] == "holds")
            .count()
    };
    rows.iter()
        .filter(|row| row["kind"] == "edge")
        .map(|row| {
            let text = |name: &str| row[name].as_str();
            let mut line = format!(
                "{} {} {} [{}, {}) ×{}",
                key_of(text("subject").unwrap()),
                text("edge_type").unwrap(),
                key_of(text("object").unwrap()),
                text("valid_from").unwrap_or("?"),
                text("valid_to").unwrap_or("∞"),
                evidence(text("fact").unwrap()),
            );
            if row["end_unknown"] == true {
                line.push_str(" (end unknown)");
            }
            for kind in ["identity", "properties"] {
                for (name, value) in row[kind].as_object().unwrap() {
                    line.push_str(&format!(" {name}={}", value.as_str().unwrap()));
                }
            }
            line
        })
        .collect()
}
