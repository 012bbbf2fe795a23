//! The formats suite: what the parsers make of a collection of documents whose text is known, word for word.
//!
//! The documents stay where they are; `FORMATS` names the folder if it is not beside the repository. A word counts
//! as often as it occurs: precision is the share of our words that the truth has too, recall that of the truth's
//! words that we have, F1 their harmonic mean. Beside it stands what `pdftotext` makes of a PDF, and what pypdf
//! does, where they are installed.

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;

use edgewright::model::job::Limits;
use edgewright::parse::{Format, parse_within};

use super::table::Table;

/// What is aimed at where there is text.
const AIM: f64 = 0.90;

/// Extractors of PDF that other people use, with how they are called; the file's path goes last.
const BESIDE: [(&str, &[&str]); 2] = [
    ("pdftotext", &["pdftotext", "-layout", "-enc", "UTF-8"]),
    (
        "pypdf",
        &[
            "python3",
            "-c",
            "import sys, pypdf\nprint('\\n'.join(p.extract_text() for p in pypdf.PdfReader(sys.argv[1]).pages))",
        ],
    ),
];

/// Measures, or says why not.
pub(crate) fn suite() -> Result<Vec<Table>, String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora/formats");
    let corpus = std::env::var_os("FORMATS").map_or(beside, PathBuf::from);
    let Ok(manifest) = fs::read_to_string(corpus.join("manifest.csv")) else {
        println!("  skipped: there is no manifest.csv in {}", corpus.display());
        return Ok(Vec::new());
    };
    let mut files = Table::new("Each document", &["format", "document", "words", "F1", "beside"]);
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(manifest.as_bytes());
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let (Some(kind), Some(file), Some(truth)) = (row.get(0), row.get(1), row.get(5)) else { continue };
        // What says where the documents come from is none of them.
        let Some(format) = Format::of(file).filter(|_| !file.ends_with("README.md")) else { continue };
        let path = corpus.join(file);
        let bytes = fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
        let ours = ours(file, format, &bytes);
        let sum = sums.entry(kind.to_owned()).or_default();
        let name = file.rsplit('/').next().unwrap_or(file);
        let mut cells = vec![kind.to_owned(), name.to_owned()];
        if truth.is_empty() {
            sum.untold += 1;
            let made = match &ours {
                Ok(text) => format!("no truth; {} words", words(text).values().sum::<usize>()),
                Err(why) => format!("no truth; {why}"),
            };
            cells.extend([String::new(), made, String::new()]);
            files.row(&cells);
            continue;
        }
        let truth = fs::read_to_string(corpus.join(truth)).map_err(|error| format!("{truth}: {error}"))?;
        let truth = words(&without_marks(&truth));
        let score = ours.as_deref().map_or(0.0, |text| f1(&truth, &words(text)));
        sum.scores.push(score);
        let said = ours.as_ref().err().map_or_else(|| mark(score), |why| format!("**0**: {why}"));
        let mut others = Vec::new();
        for (at, (extractor, call)) in BESIDE.iter().enumerate() {
            if format != Format::Pdf {
                continue;
            }
            if let Some(text) = by_another(call, &path) {
                let score = f1(&truth, &words(&text));
                sum.beside[at].push(score);
                others.push(format!("{extractor} {score:.3}"));
            }
        }
        cells.extend([truth.values().sum::<usize>().to_string(), said, others.join(", ")]);
        files.row(&cells);
    }
    let head = ["format", "documents", "mean F1", "at least 0.90", "beside", "without truth"];
    let mut formats = Table::new("Each format", &head);
    for (kind, sum) in &sums {
        let beside = BESIDE.iter().zip(&sum.beside).filter(|(_, scores)| !scores.is_empty());
        let beside: Vec<String> =
            beside.map(|((name, _), scores)| format!("{name} {:.3}", mean(scores))).collect();
        formats.row(&[
            kind.clone(),
            sum.scores.len().to_string(),
            if sum.scores.is_empty() { String::new() } else { mark(mean(&sum.scores)) },
            sum.scores.iter().filter(|score| **score >= AIM).count().to_string(),
            beside.join(", "),
            sum.untold.to_string(),
        ]);
    }
    Ok(vec![formats, files])
}

/// What a format came to.
#[derive(Default)]
struct Sum {
    scores: Vec<f64>,
    beside: [Vec<f64>; BESIDE.len()],
    untold: usize,
}

/// Our text of a document, or why there is none.
fn ours(file: &str, format: Format, bytes: &[u8]) -> Result<String, String> {
    let parsed = catch_unwind(|| parse_within(file, format, bytes, &Limits::default()));
    let Ok((document, diagnostics)) = parsed else { return Err("its parser broke down".to_owned()) };
    let why = || diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>().join(", ");
    document.map(|document| document.text).ok_or_else(why)
}

/// The text that another program makes of a file; `None` if it is not installed or fails.
fn by_another(call: &[&str], path: &Path) -> Option<String> {
    let (program, words) = call.split_first()?;
    let mut command = Command::new(program);
    command.args(words).arg(path);
    if *program == "pdftotext" {
        command.arg("-");
    }
    let done = command.output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The words of a text, each with how often it occurs.
fn words(text: &str) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    words
}

/// A Markdown text without what a conversion wrote that no reader sees: comments, targets of links, entities.
fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        plain.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    let mut out = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace('\\', "")
}

fn f1(truth: &BTreeMap<String, usize>, ours: &BTreeMap<String, usize>) -> f64 {
    let both: usize = truth.iter().map(|(word, count)| *count.min(ours.get(word).unwrap_or(&0))).sum();
    let (all, had): (usize, usize) = (truth.values().sum(), ours.values().sum());
    if all + had == 0 { 1.0 } else { 2.0 * both as f64 / (all + had) as f64 }
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// A score, in bold type where it misses the aim.
fn mark(score: f64) -> String {
    if score >= AIM { format!("{score:.3}") } else { format!("**{score:.3}**") }
}
