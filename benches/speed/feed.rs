//! The feed suite: a feed of a million rows, each an edge, of which a thousand change; then questions over
//! the graph that they make.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::corpus::{self, Size};
use super::graph;
use super::program;
use super::table::{Table, median, size, time, times, verdict};

const CHANGED: usize = 1_000;

/// Measures.
pub(crate) fn suite(rows: usize) -> Result<Vec<Table>, String> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
    let root = folder.path();
    let said = |error: std::io::Error| error.to_string();
    let plan = Size { documents: 100, suppliers: 2_000, components: 20_000, sources: rows };
    corpus::write(root, plan).map_err(said)?;
    let file = root.join("feeds/sources.csv");
    let bytes = fs::metadata(&file).map_err(said)?.len();
    let mut table = Table::new(
        &format!("A feed of {rows} rows ({})", size(bytes)),
        &["what", "time", "bare reading", "× bare reading", "peak memory"],
    );
    let mut row = |what: &str, ran: &program::Ran, reading: Duration| {
        table.row(&[
            what.to_owned(),
            time(ran.wall),
            time(reading),
            format!("{:.1}", times(ran.wall, reading)),
            size(ran.peak),
        ]);
    };
    let ran = program::run(root, &["run"])?;
    row("first run", &ran, read(&file)?);
    let disk =
        program::bytes_below(&root.join(".edgewright")) + program::bytes_below(&root.join("changelog"));
    let nothing = program::run(root, &["run"])?;
    row("nothing changed", &nothing, read(&file)?);
    corpus::write_sources(root, plan, 1).map_err(said)?;
    let one = program::run(root, &["run"])?;
    row("one row changed", &one, read(&file)?);
    corpus::write_sources(root, plan, CHANGED).map_err(said)?;
    let many = program::run(root, &["run"])?;
    row("a thousand rows changed", &many, read(&file)?);

    let mut aims = Table::new("Aims of the feed", &["aim", "measured", "limit", ""]);
    let thousand = many.wall.saturating_sub(one.wall);
    aims.row(&[
        "a thousand changed rows, beyond one".to_owned(),
        time(thousand),
        "1.00 s".to_owned(),
        verdict(thousand.as_secs_f64(), 1.0).to_owned(),
    ]);
    aims.row(&["on disk".to_owned(), size(disk), "—".to_owned(), String::new()]);
    let questions = graph::suite(root, plan)?;
    Ok(vec![table, aims, questions, graph::small()?])
}

/// Reads, hashes and splits the file, and does nothing with it.
fn read(file: &Path) -> Result<Duration, String> {
    let once = || -> Result<Duration, String> {
        let started = Instant::now();
        let bytes = fs::read(file).map_err(|error| error.to_string())?;
        let hash = blake3::hash(&bytes);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
        let mut record = csv::StringRecord::new();
        let mut cells = usize::from(hash.as_bytes()[0]);
        while reader.read_record(&mut record).map_err(|error| error.to_string())? {
            cells += record.len();
        }
        // What is computed must be used, or it may be left out.
        if cells == 0 { Err("an empty feed".to_owned()) } else { Ok(started.elapsed()) }
    };
    Ok(median((0..3).map(|_| once()).collect::<Result<_, _>>()?))
}
