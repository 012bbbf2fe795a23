//! The replay suite: real publication nights, one run each, on a workspace that stays.
//!
//! The first night is laid out in full, each later one changes files and rows of the feed. After each night
//! the same inputs are read into an empty workspace, whose state digest must be the same, and after the last
//! the edges are scored against those that the publisher's editors coded. Skipped where there are no texts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::dclaw::copy;
use super::program;
use super::table::{Table, time};

/// A corpus that comes in nights.
struct Corpus {
    name: &'static str,
    /// The folder of its workspace below `examples/`.
    example: &'static str,
    /// The column of the feed that tells its rows apart.
    key: &'static str,
    /// Files beside the nights that are feeds as they are: where they lie, and what the workspace calls them.
    feeds: &'static [(&'static str, &'static str)],
}

const CORPORA: [Corpus; 1] = [Corpus {
    name: "dclaw",
    example: "dc-law",
    key: "doc_id",
    feeds: &[("feed_code_sections.csv", "sections.csv")],
}];

/// A table whose rows have a key, as it stands after some nights.
#[derive(Default)]
struct Rows {
    head: Vec<String>,
    rows: BTreeMap<String, Vec<String>>,
}

/// Replays every corpus that is there.
pub(crate) fn suite() -> Result<Vec<Table>, String> {
    let mut tables = Vec::new();
    for corpus in &CORPORA {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora").join(corpus.name);
        let folder = std::env::var_os(corpus.name.to_uppercase()).map_or(beside, PathBuf::from);
        if folder.join("nights/n00").is_dir() {
            tables.extend(replay(corpus, &folder)?);
        } else {
            println!("  skipped: there are no nights in {}", folder.display());
        }
    }
    Ok(tables)
}

fn replay(corpus: &Corpus, folder: &Path) -> Result<Vec<Table>, String> {
    let workspace = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
    let root = workspace.path();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(corpus.example);
    copy(&example, root).map_err(|error| error.to_string())?;
    fs::create_dir_all(root.join("feeds")).map_err(|error| error.to_string())?;
    for (from, to) in corpus.feeds {
        fs::copy(folder.join(from), root.join("feeds").join(to)).map_err(|error| error.to_string())?;
    }
    let heads = [
        "night",
        "files",
        "rows",
        "moved",
        "gone",
        "parsed",
        "extracted",
        "reindexed",
        "edges +",
        "−",
        "changed",
        "unexplained",
        "time",
        "equals rebuild",
    ];
    let mut table = Table::new(&format!("Every night of {}", corpus.name), &heads);
    let mut gone_for_good = Table::new("Documents that went and did not move", &["night", "document"]);
    let (mut feed, mut truth) = (Rows::default(), Rows::default());
    for (night, day) in nights(folder)? {
        let from = folder.join("nights").join(&night);
        let (files, mut removed) = change_files(&from, root)?;
        let rows = feed.change(&from.join("feed_changes.csv"), &[corpus.key], &[])?;
        feed.write(&root.join("feeds/documents.csv"))?;
        truth.change(&from.join("edge_changes.csv"), &["source", "type", "target"], &["fields"])?;
        let ran = program::run_on(root, &["run"], &day)?;
        let number = |pointer: &str| ran.json.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
        let equals = rebuilt(root, &day)? == ran.json["state_digest"];
        let [added, retracted, changed, unexplained] = drifted(root, &ran.json)?;
        let from: BTreeSet<String> = moved(&ran.json).collect();
        removed.retain(|document| !from.contains(document));
        for document in &removed {
            gone_for_good.row(&[night.clone(), document.clone()]);
        }
        table.row(&[
            night,
            files.to_string(),
            rows.to_string(),
            from.len().to_string(),
            removed.len().to_string(),
            number("/work/parsed").to_string(),
            number("/work/extracted").to_string(),
            number("/work/indexed").to_string(),
            added.to_string(),
            retracted.to_string(),
            changed.to_string(),
            unexplained.to_string(),
            time(ran.wall),
            if equals { "yes" } else { "**no**" }.to_owned(),
        ]);
    }
    truth.write(&root.join("golden/truth.csv"))?;
    Ok(vec![table, gone_for_good, scored(root)?])
}

/// The state digest of the same inputs, read into an empty workspace.
fn rebuilt(root: &Path, day: &str) -> Result<Value, String> {
    let empty = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
    for folder in ["ontology", "jobs", "feeds", "documents"] {
        copy(&root.join(folder), &empty.path().join(folder)).map_err(|error| error.to_string())?;
    }
    Ok(program::run_on(empty.path(), &["run"], day)?.json["state_digest"].take())
}

/// The edges of the last night beside the editors' codings.
fn scored(root: &Path) -> Result<Table, String> {
    let heads = ["type", "hits", "false", "missed", "precision", "recall", "right start", "right end"];
    let mut table = Table::new("The last night beside what the editors coded", &heads);
    let (truth, map) = (root.join("golden/truth.csv"), root.join("golden/laws.yaml"));
    let shown = |path: &Path| path.display().to_string();
    let words = ["eval", "--golden", &shown(&truth), "--map", &shown(&map), "--limit", "1"];
    let said = program::run(root, &words)?.json;
    let set = said["sets"][0].clone();
    let lists = ["types", "groups"].map(|name| set[name].as_array().cloned().unwrap_or_default());
    for line in lists.concat() {
        let number = |name: &str| line[name].as_u64().unwrap_or_default().to_string();
        let share = |name: &str| {
            line[name]["share"].as_f64().map_or_else(|| "–".to_owned(), |one| format!("{one:.3}"))
        };
        table.row(&[
            line["name"].as_str().unwrap_or_default().to_owned(),
            number("hits"),
            number("false_positives"),
            number("misses"),
            share("precision"),
            share("recall"),
            share("valid_from"),
            share("valid_to"),
        ]);
    }
    Ok(table)
}

/// The nights in order, each with its day.
fn nights(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let table = read(&folder.join("nights.csv"))?;
    Ok(table.into_iter().map(|mut row| (take(&mut row, "night"), take(&mut row, "date"))).collect())
}

/// Lays out what a night changed: how many files, and which of them it removed.
fn change_files(night: &Path, root: &Path) -> Result<(usize, Vec<String>), String> {
    let changes = read(&night.join("changes.csv"))?;
    let mut removed = Vec::new();
    for row in &changes {
        let file = &row["file"];
        let target = root.join(file);
        if row["change"] == "removed" {
            fs::remove_file(&target).map_err(|error| format!("{file}: {error}"))?;
            removed.push(file.clone());
            continue;
        }
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        let bytes = fs::read(night.join(file)).map_err(|error| format!("{file}: {error}"))?;
        fs::write(&target, bytes).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok((changes.len(), removed))
}

impl Rows {
    /// Applies a file of changes: how many rows. `but` are columns that speak of the change alone.
    fn change(&mut self, file: &Path, key: &[&str], but: &[&str]) -> Result<usize, String> {
        let mut reader =
            csv::Reader::from_path(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let head: Vec<String> =
            reader.headers().map_err(|e| e.to_string())?.iter().map(str::to_owned).collect();
        let kept: Vec<usize> = (0..head.len())
            .filter(|at| head[*at] != "change" && !but.contains(&head[*at].as_str()))
            .collect();
        self.head = kept.iter().map(|at| head[*at].clone()).collect();
        let place = |name: &str| head.iter().position(|column| column == name).unwrap_or_default();
        let mut count = 0;
        for record in reader.records() {
            let record = record.map_err(|error| format!("{}: {error}", file.display()))?;
            let cell = |at: usize| record.get(at).unwrap_or_default().to_owned();
            let id: Vec<String> = key.iter().map(|name| cell(place(name))).collect();
            let id = id.join("\t");
            if matches!(cell(place("change")).as_str(), "delete" | "removed") {
                self.rows.remove(&id);
            } else {
                self.rows.insert(id, kept.iter().map(|at| cell(*at)).collect());
            }
            count += 1;
        }
        Ok(count)
    }

    fn write(&self, file: &Path) -> Result<(), String> {
        let failed = |error: csv::Error| format!("{}: {error}", file.display());
        let mut writer = csv::Writer::from_path(file).map_err(failed)?;
        writer.write_record(&self.head).map_err(failed)?;
        self.rows.values().try_for_each(|row| writer.write_record(row)).map_err(failed)?;
        writer.flush().map_err(|error| error.to_string())
    }
}

/// How many facts came, went and changed in a run, and how many of these changes nothing explains, as its drift
/// report counts them.
fn drifted(root: &Path, ran: &Value) -> Result<[u64; 4], String> {
    let Some(run) = ran["run"].as_str() else { return Ok([0; 4]) };
    let report = root.join(".edgewright/runs").join(run).join("drift.json");
    let text = fs::read_to_string(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let totals = report["edge_types"].as_array().map(Vec::as_slice).unwrap_or_default();
    let sum = |key: &str| totals.iter().filter_map(|line| line.get(key)?.as_u64()).sum();
    let tallies = totals.iter().filter_map(|line| line["causes"]["unexplained"].as_object());
    let unexplained = tallies.flat_map(|tally| tally.values().filter_map(Value::as_u64)).sum();
    Ok([sum("added"), sum("retracted"), sum("changed"), unexplained])
}

/// The files of the documents that a run found to have moved, as they were called before. The sources of the examples
/// have the names of their folders.
fn moved(ran: &Value) -> impl Iterator<Item = String> {
    let said = ran["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
    let moves = said.iter().filter(|one| one["code"] == "document-moved");
    let from =
        moves.filter_map(|one| Some(one["message"].as_str()?.strip_prefix("it was ")?.split_once(": ")?.0));
    from.map(|document| format!("documents/{document}"))
}

fn take(row: &mut BTreeMap<String, String>, column: &str) -> String {
    row.remove(column).unwrap_or_default()
}

fn read(file: &Path) -> Result<Vec<BTreeMap<String, String>>, String> {
    let mut reader = csv::Reader::from_path(file).map_err(|error| format!("{}: {error}", file.display()))?;
    reader.deserialize().collect::<Result<_, _>>().map_err(|error| format!("{}: {error}", file.display()))
}
