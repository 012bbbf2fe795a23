//! The program under test, from its command line and its changelog only: a workspace in a temporary folder, and what
//! the commands say of it, in the words of the second reading.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::naive::world::Answer;

/// A workspace and the program that works on it.
pub(super) struct Program {
    folder: tempfile::TempDir,
    /// What was written, so that only what differs is touched.
    written: BTreeMap<String, String>,
    /// The names of the steps of a run, once the program was asked for them.
    steps: Vec<String>,
}

/// What the program says of the graph.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct Found {
    /// `Supplier:S1 supplies Component:C1 [2024-02-17, ∞)`, sorted.
    pub(super) edges: Vec<String>,
    /// `Supplier:S1 supplies Component:C1 <- note.txt | the sentence`, sorted.
    pub(super) evidence: Vec<String>,
    /// `conflict | note.txt | the sentence`, sorted.
    pub(super) quarantine: Vec<String>,
    /// `Supplier:S1 supplies Component:C1 | note.txt | the sentence`, sorted.
    pub(super) pending: Vec<String>,
}

/// What the program calls its state and its history.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Digests {
    pub(super) state: String,
    pub(super) history: String,
}

/// How a run ended.
pub(super) struct Ended {
    pub(super) code: i32,
    pub(super) said: String,
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

impl Program {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), written: BTreeMap::new(), steps: Vec::new() }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Makes the folder hold these files, touching only what differs.
    pub(super) fn write(&mut self, files: &BTreeMap<String, String>) {
        for folder in ["docs/notes", "docs/acts"] {
            fs::create_dir_all(self.root().join(folder)).unwrap();
        }
        for path in self.written.keys().filter(|path| !files.contains_key(*path)) {
            fs::remove_file(self.root().join(path)).unwrap();
        }
        for (path, text) in files.iter().filter(|(path, text)| self.written.get(*path) != Some(text)) {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self.written.clone_from(files);
    }

    fn call(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_edgewright"))
            .args(arguments)
            .arg("-C")
            .arg(self.root())
            .args(["--now", "2026-03-01T00:00:00Z", "--today", "2026-03-01"])
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }

    /// Calls a command that must succeed; its answer.
    #[track_caller]
    fn ask(&self, arguments: &[&str]) -> String {
        let output = self.call(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?} ended with {}: {said}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }

    /// A run.
    pub(super) fn run(&self) -> Ended {
        Self::ended(&self.call(&["run"]))
    }

    fn ended(output: &Output) -> Ended {
        let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        Ended { code: output.status.code().unwrap_or(-1), said: String::from_utf8_lossy(&said).into_owned() }
    }

    /// A run that is stopped at one of its steps, counted round and round; the step's name.
    pub(super) fn run_and_stop(&mut self, at: usize) -> (String, Ended) {
        if self.steps.is_empty() {
            let refused = Self::ended(&self.call(&["run", "--stop-at", "no such step"]));
            let steps = refused.said.split("the steps are: ").nth(1).and_then(|rest| rest.lines().next());
            self.steps = steps.unwrap_or_default().split(", ").map(|step| step.trim().to_owned()).collect();
            assert!(self.steps.len() > 1, "no steps in: {}", refused.said);
        }
        let step = self.steps[at % self.steps.len()].clone();
        let ended = Self::ended(&self.call(&["run", "--stop-at", &step]));
        (step, ended)
    }

    /// What the graph says.
    pub(super) fn found(&self) -> Found {
        let mut found = Found { pending: self.pending(), ..Found::default() };
        let mut facts: BTreeMap<String, String> = BTreeMap::new();
        let mut evidence: Vec<Value> = Vec::new();
        for line in self.ask(&["export"]).lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            match row["kind"].as_str() {
                Some("edge") => {
                    let fact = ["subject", "edge_type", "object"].map(|name| text(&row, name)).join(" ");
                    let from = row["valid_from"].as_str().unwrap_or("?");
                    let to = row["valid_to"].as_str().unwrap_or("∞");
                    found.edges.push(format!("{fact} [{from}, {to})"));
                    facts.insert(text(&row, "fact"), fact);
                }
                Some("evidence") => evidence.push(row),
                _ => {}
            }
        }
        for row in evidence {
            let fact = facts.get(&text(&row, "fact")).cloned().unwrap_or("a fact without an edge".to_owned());
            let ends = if row["claims"] == "ends" { "ends | " } else { "" };
            let place = match row["document"].as_str() {
                Some(document) => format!("{document} | {}", text(&row, "quote")),
                None => text(&row, "feed"),
            };
            found.evidence.push(format!("{fact} <- {ends}{place}"));
        }
        let quarantine: Value = serde_json::from_str(&self.ask(&["quarantine", "--output", "json"])).unwrap();
        for question in quarantine["questions"].as_array().unwrap() {
            for one in question["assertions"].as_array().unwrap() {
                let mut codes: Vec<String> =
                    one["reasons"].as_array().unwrap().iter().map(|reason| text(reason, "code")).collect();
                codes.sort();
                codes.dedup();
                let row = !text(one, "document").contains('/');
                let quote = if row { String::new() } else { format!(" | {}", text(one, "quote")) };
                found.quarantine.push(format!("{} | {}{quote}", codes.join(" "), text(one, "document")));
            }
        }
        found.edges.sort();
        found.evidence.sort();
        found.quarantine.sort();
        found
    }

    fn changelog(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.root().join("changelog")) else { return Vec::new() };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .collect();
        files.sort();
        files
    }

    /// How many generations there are.
    pub(super) fn generations(&self) -> usize {
        self.changelog().len()
    }

    /// The records that stand, by kind and id, as the changelog tells them.
    fn records(&self) -> BTreeMap<(String, String), Value> {
        let mut records: BTreeMap<(String, String), Value> = BTreeMap::new();
        for path in self.changelog() {
            for line in fs::read_to_string(path).unwrap().lines().skip(1) {
                let line: Value = serde_json::from_str(line).unwrap();
                let id = (text(&line, "kind"), text(&line, "id"));
                if line["op"] == "put" {
                    records.insert(id, line["body"].clone());
                } else {
                    records.remove(&id);
                }
            }
        }
        records
    }

    /// The ends that wait for their fact: no command lists them.
    fn pending(&self) -> Vec<String> {
        let records = self.records();
        let mut pending = Vec::new();
        for body in records.iter().filter(|((kind, _), _)| kind == "pending_end").map(|(_, body)| body) {
            let Some(assertion) = records.get(&("assertion".to_owned(), text(body, "assertion"))) else {
                pending.push(format!("an end waits by an assertion that was closed: {body}"));
                continue;
            };
            let fact = format!(
                "{} {} {}",
                text(&assertion["subject"], "known"),
                text(assertion, "edge_type"),
                text(&assertion["object"], "known")
            );
            let document = text(&assertion["origin"]["chunk"], "document");
            pending.push(match assertion["origin"]["row"]["feed"].as_str() {
                Some(feed) => format!("{fact} | {feed}"),
                None => format!("{fact} | {document} | {}", text(&assertion["evidence"], "quote")),
            });
        }
        pending.sort();
        pending
    }

    /// The digests that `verify` finds, or what it complains of.
    pub(super) fn digests(&self) -> Result<Digests, String> {
        let ended = Self::ended(&self.call(&["verify", "--output", "json"]));
        let digest = |name| digest(&ended.said, name).filter(|_| ended.code == 0);
        let both = digest("state_digest").zip(digest("history_digest"));
        both.map(|(state, history)| Digests { state, history })
            .ok_or_else(|| format!("verify ended with {}: {}", ended.code, ended.said))
    }

    /// Replays the changelog into an empty folder; what is wrong with the copy.
    pub(super) fn replay(&self) -> Option<String> {
        let copy = tempfile::tempdir().unwrap();
        let ended =
            Self::ended(&self.call(&["replay", &copy.path().display().to_string(), "--output", "json"]));
        if ended.code != 0 {
            return Some(format!("replay ended with {}: {}", ended.code, ended.said));
        }
        let own = self.digests();
        let copied = digest_of(&ended.said, "state_digest").zip(digest_of(&ended.said, "history_digest"));
        let copied = copied.map(|(state, history)| Digests { state, history });
        (own.as_ref().ok() != copied.as_ref())
            .then(|| format!("of the copy: {copied:?}, of the graph: {own:?}"))
    }

    /// A person's word that what is missing of a feed or scope is gone.
    pub(super) fn accept(&self, what: &str, name: &str) {
        self.ask(&["accept", what, name, "--reason", "it is so", "--by", "an engineer"]);
    }

    /// Answers the question about the sentence in the document, whether it waits or stands.
    pub(super) fn decide(&self, document: &str, quote: &str, answer: &Answer) {
        let records = self.records();
        let asked = records.iter().find(|((kind, _), body)| {
            kind == "assertion"
                && text(&body["origin"]["chunk"], "document") == document
                && text(&body["evidence"], "quote") == quote
        });
        let Some(((_, id), _)) = asked else { panic!("no question about {document}: {quote}") };
        let mut row = serde_json::json!({ "question": id });
        match answer {
            Answer::Approve => row["decision"] = "approve".into(),
            Answer::Reject => {
                row["decision"] = "reject".into();
                row["reason"] = "a misreading".into();
            }
            Answer::Correct { from, to, object } => {
                row["decision"] = "correct".into();
                let written = [
                    ("valid_from", from.map(|day| day.to_string())),
                    ("valid_to", to.map(|day| day.to_string())),
                    ("object", object.clone()),
                ];
                for (name, value) in written.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                    row[name] = value.into();
                }
            }
        }
        let path = self.root().join("answers.jsonl");
        fs::write(&path, row.to_string()).unwrap();
        self.ask(&["decide", &path.display().to_string(), "--by", "a curator"]);
    }

    /// Changes the graph by hand, at once. A bulletin is given as its text.
    pub(super) fn edit(&self, arguments: &[String]) {
        let mut words: Vec<&str> =
            std::iter::once("edit").chain(arguments.iter().map(String::as_str)).collect();
        let path = self.root().join("bulletin.md");
        let file = path.display().to_string();
        if let Some(at) = words.iter().position(|word| *word == "--text") {
            fs::write(&path, words[at + 1]).unwrap();
            words[at + 1] = &file;
        }
        self.ask(&words);
    }

    /// Purges a document; the ids under which it was erased.
    pub(super) fn purge(&self, document: &str) -> Vec<String> {
        let said = self.ask(&["purge", document, "--reason", "asked for", "--yes", "--output", "json"]);
        let said: Value = serde_json::from_str(&said).unwrap();
        let ids = said["documents"].as_array().unwrap().iter();
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// What the changelog, and the graph as of each generation, still tell of documents.
    pub(super) fn told_of(&self, documents: &[String]) -> Vec<String> {
        let mut texts: Vec<String> =
            self.changelog().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        for generation in 1..=texts.len() {
            texts.push(self.ask(&["export", "--known-at", &generation.to_string()]));
        }
        let is_told = |line: &&str| documents.iter().any(|id| line.contains(&format!("{id:?}")));
        texts.iter().flat_map(|text| text.lines().filter(is_told)).map(str::to_owned).collect()
    }

    /// Takes a decision back.
    pub(super) fn undo(&self, number: u64) {
        self.ask(&["decide", "--undo", &number.to_string(), "--by", "a curator"]);
    }

    /// Leaves the folder for a person to look at; where it is.
    pub(super) fn keep(&self, seed: u64) -> String {
        let kept = std::env::temp_dir().join(format!("edgewright-history-{seed}"));
        let _ = fs::remove_dir_all(&kept);
        let _ = copy(self.root(), &kept);
        kept.display().to_string()
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        } else {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn digest_of(said: &str, name: &str) -> Option<String> {
    said.lines().find_map(|line| digest(line, name))
}

fn digest(json: &str, name: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    value[name].as_str().map(str::to_owned)
}
