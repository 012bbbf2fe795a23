//! The scale suite: what a run costs at 1,000, 10,000 and 100,000 documents with the same feeds, beside
//! what the least for the same work costs.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::corpus::{self, Size};
use super::limits;
use super::program::{self, Ran};
use super::table::{Table, median, size, time, times, verdict};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// How often a short figure is measured; the middle counts.
const REPEATS: usize = 5;

/// What one size came to.
struct Measured {
    documents: usize,
    walk: Duration,
    nothing: Duration,
    edit: Duration,
    peak: u64,
}

/// Measures.
pub(crate) fn suite(up_to: usize) -> Result<Vec<Table>, String> {
    let mut first = Table::new(
        "First run",
        &[
            "documents",
            "text",
            "run",
            "read and hash",
            "bare index",
            "× bare index",
            "facts (truth)",
            "peak",
            "on disk",
        ],
    );
    let mut nightly = Table::new(
        "A night on which little happened",
        &[
            "documents",
            "bare walk",
            "nothing changed",
            "× walk",
            "one document",
            "one alias",
            "one row of a feed",
            "one edge by hand",
            "one search",
        ],
    );
    let mut measured = Vec::new();
    for documents in SIZES.into_iter().filter(|documents| *documents <= up_to) {
        measured.push(one_size(documents, &mut first, &mut nightly)?);
    }
    Ok(vec![first, nightly, aims(&measured)])
}

fn one_size(documents: usize, first: &mut Table, nightly: &mut Table) -> Result<Measured, String> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
    let root = folder.path();
    let said = |error: std::io::Error| error.to_string();
    let plan = Size { documents, suppliers: 20_000, components: 80_000, sources: 0 };
    let generated = corpus::write(root, plan).map_err(said)?;
    let texts = root.join("documents");

    let ran = program::run(root, &["run"])?;
    let (_, hashing) = limits::read_and_hash(&[texts.clone(), root.join("feeds")])?;
    let bare = bare_index(root)?;
    let facts = total(&ran.json, "facts");
    let truth = generated.truth.len() as u64;
    if facts != truth {
        return Err(format!("the run found {facts} facts, and the documents state {truth}"));
    }
    let on_disk =
        program::bytes_below(&root.join(".edgewright")) + program::bytes_below(&root.join("changelog"));
    first.row(&[
        documents.to_string(),
        size(generated.bytes),
        time(ran.wall),
        time(hashing),
        time(bare),
        format!("{:.1}", times(ran.wall, bare)),
        format!("{facts} ({truth})"),
        size(ran.peak),
        format!("{} ({:.1} × text)", size(on_disk), on_disk as f64 / generated.bytes as f64),
    ]);

    let (mut walks, mut nothing) = (Vec::new(), Vec::new());
    program::run(root, &["run"])?;
    for _ in 0..REPEATS {
        walks.push(limits::walk(&texts)?.1);
        nothing.push(quiet(program::run(root, &["run"])?)?);
    }
    let edits = repeat(|at| {
        edit(&texts.join(corpus::path(at * documents / REPEATS)), at)?;
        let ran = program::run(root, &["run"])?;
        expect(&ran.json, "parsed", 1)?;
        Ok(ran.wall)
    })?;
    let aliases = repeat(|at| {
        let alias = format!("Quondam {at} Trading");
        corpus::write_suppliers(root, plan.suppliers, Some((at, &alias))).map_err(said)?;
        Ok(program::run(root, &["run"])?.wall)
    })?;
    let rows = repeat(|at| {
        let file = root.join("feeds/components.csv");
        let text = fs::read_to_string(&file).map_err(said)?;
        let line = text.lines().nth(at + 1).unwrap_or_default();
        fs::write(&file, text.replacen(line, &format!("{line} grade {at}"), 1)).map_err(said)?;
        Ok(program::run(root, &["run"])?.wall)
    })?;
    let by_hand = repeat(|at| {
        let (of, what) = (corpus::supplier_key(at + 7), corpus::component_key(at + 11));
        let fact = ["edit", "add-relationship", &of, "supplies", &what, "--from", "2027-01-01"];
        let words = [&fact[..], &["--reason", "a bench", "--ticket", "B-1"]].concat();
        Ok(program::run(root, &words)?.wall)
    })?;
    let searches = repeat(|at| {
        Ok(program::run(root, &["search", &corpus::component(at * 97 + 5), "--limit", "10"])?.wall)
    })?;
    let (walk, nothing, edit) = (median(walks), median(nothing), median(edits));
    nightly.row(&[
        documents.to_string(),
        time(walk),
        time(nothing),
        format!("{:.1}", times(nothing, walk)),
        time(edit),
        time(median(aliases)),
        time(median(rows)),
        time(median(by_hand)),
        time(median(searches)),
    ]);
    Ok(Measured { documents, walk, nothing, edit, peak: ran.peak })
}

fn aims(measured: &[Measured]) -> Table {
    let mut table = Table::new("Aims", &["aim", "measured", "limit", ""]);
    let (Some(least), Some(most)) = (measured.first(), measured.last()) else { return table };
    let at = format!("at {} documents", most.documents);
    let mut row = |aim: String, shown: String, limit: String, value: f64, most: f64| {
        table.row(&[aim, shown, limit, verdict(value, most).to_owned()]);
    };
    let ratio = times(most.nothing, most.walk);
    row(format!("nothing changed {at}, × bare walk"), format!("{ratio:.1}"), "3".to_owned(), ratio, 3.0);
    let beyond = |one: &Measured| one.edit.saturating_sub(one.walk);
    let (here, there) = (beyond(most), beyond(least));
    row(
        format!("one document changed {at}, beyond one walk"),
        time(here),
        "300 ms".to_owned(),
        here.as_secs_f64(),
        0.3,
    );
    let ratio = times(here, there);
    row(
        format!("the same, × its cost at {}", least.documents),
        format!("{ratio:.2}"),
        "1.5".to_owned(),
        ratio,
        1.5,
    );
    row(format!("peak of the first run {at}"), size(most.peak), "600 MB".to_owned(), most.peak as f64, 600e6);
    if let Some(tenth) = measured.iter().find(|one| one.documents * 10 == most.documents) {
        let ratio = most.peak as f64 / tenth.peak.max(1) as f64;
        row(
            format!("the same, × that at {}", tenth.documents),
            format!("{ratio:.2}"),
            "1.2".to_owned(),
            ratio,
            1.2,
        );
    }
    table
}

fn repeat(mut once: impl FnMut(usize) -> Result<Duration, String>) -> Result<Vec<Duration>, String> {
    (0..REPEATS).map(&mut once).collect()
}

/// Adds a sentence to a document.
fn edit(file: &Path, at: usize) -> Result<(), String> {
    let said = |error: std::io::Error| error.to_string();
    let text = fs::read_to_string(file).map_err(said)?;
    fs::write(file, format!("{text}\nThe file was read once more, for the {at}th time.\n")).map_err(said)
}

/// The time of a run that had nothing to do.
fn quiet(ran: Ran) -> Result<Duration, String> {
    match ran.json["outcome"].as_str() {
        Some("nothing_to_do") => Ok(ran.wall),
        _ => Err(format!("a run had something to do: {}", ran.json)),
    }
}

/// A figure of a run's work.
pub(crate) fn expect(json: &Value, what: &str, least: u64) -> Result<u64, String> {
    let done = json["work"][what].as_u64().unwrap_or_default();
    if done == least { Ok(done) } else { Err(format!("{what}: {done} instead of {least}")) }
}

/// The sum of a figure over all edge types.
pub(crate) fn total(json: &Value, figure: &str) -> u64 {
    let edges = json["totals"]["edges"].as_object();
    edges.map_or(0, |edges| edges.values().filter_map(|counts| counts[figure].as_u64()).sum())
}

/// The time that a bare index takes over the chunks of a workspace, in a process of its own.
pub(crate) fn bare_index(root: &Path) -> Result<Duration, String> {
    let out = root.join("bare-index");
    let started = Instant::now();
    let words = ["--bare-index", &root.display().to_string(), &out.display().to_string()].map(str::to_owned);
    let ran = program::again(&words.each_ref().map(String::as_str))?;
    fs::remove_dir_all(&out).map_err(|error| error.to_string())?;
    let took = ran.json.as_u64().map(Duration::from_nanos).unwrap_or_default();
    debug_assert!(took <= started.elapsed(), "a part is not longer than the whole");
    Ok(took)
}
