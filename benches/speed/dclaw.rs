//! The dclaw suite: a city's acts and laws (744 texts, 8.2 MB, feeds of 22,000 keys).
//!
//! The texts stay where they are: the suite lays copies out in a temporary folder and skips where there are
//! none. `DCLAW` names the folder if it is not beside the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::limits;
use super::program;
use super::scale::{bare_index, total};
use super::table::{Table, median, size, time, times, verdict};

const REPEATS: usize = 7;

/// Measures, or says why not.
pub(crate) fn suite() -> Result<Vec<Table>, String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora/dclaw");
    let corpus = std::env::var_os("DCLAW").map_or(beside, PathBuf::from);
    if !corpus.join("nights/n00/documents").is_dir() {
        println!("  skipped: there are no texts in {}", corpus.display());
        return Ok(Vec::new());
    }
    let mut first = Vec::new();
    let mut kept = None;
    for _ in 0..3 {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
        lay_out(&corpus, folder.path())?;
        let ran = program::run(folder.path(), &["run"])?;
        first.push(ran.wall);
        kept = Some((folder, ran));
    }
    let Some((folder, ran)) = kept else { return Ok(Vec::new()) };
    let root = folder.path();
    let bare = bare_index(root)?;
    let (bytes, hashing) = limits::read_and_hash(&[root.join("documents"), root.join("feeds")])?;
    let edges = total(&ran.json, "facts");
    let disk =
        program::bytes_below(&root.join(".edgewright")) + program::bytes_below(&root.join("changelog"));
    let mut table = Table::new("A city's acts and laws", &["what", "time", "beside", "ratio", "aim", ""]);
    let first = median(first);
    let mut row = |what: &str, took: Duration, beside: (&str, Duration), aim: Duration| {
        table.row(&[
            what.to_owned(),
            time(took),
            format!("{} {}", beside.0, time(beside.1)),
            format!("{:.1}", times(took, beside.1)),
            time(aim),
            verdict(took.as_secs_f64(), aim.as_secs_f64()).to_owned(),
        ]);
    };
    row("first run", first, ("bare index", bare), bare * 4);
    row("first run", first, ("read and hash", hashing), Duration::from_millis(1600));

    program::run(root, &["run"])?;
    let mut walks = Vec::new();
    let nothing = repeat(|_| {
        walks.push(limits::walk(&root.join("documents"))?.1);
        Ok(program::run(root, &["run"])?.wall)
    })?;
    let walk = median(walks);
    row("nothing changed", nothing, ("bare walk", walk), Duration::from_millis(50));
    let edited = root.join("documents/acts/25/25-108.txt");
    let one = repeat(|at| {
        let text = fs::read_to_string(&edited).map_err(|error| error.to_string())?;
        fs::write(&edited, format!("{text}\nThis line is new for the {at}th time.\n"))
            .map_err(|error| error.to_string())?;
        Ok(program::run(root, &["run"])?.wall)
    })?;
    row("one text edited", one, ("bare walk", walk), Duration::from_millis(100));

    let mut work = Table::new("What is done again", &["change", "chunks extracted", "aim", ""]);
    let inserted = insert_a_line(root)?;
    work.row(&[
        format!("one line inserted into a law of {}", size(inserted.0)),
        inserted.1.to_string(),
        "at most 3".to_owned(),
        verdict(inserted.1 as f64, 3.0).to_owned(),
    ]);
    let dropped = drop_a_name(root)?;
    work.row(&[
        format!("one name dropped from the feed, in {} chunks, {} edges", dropped.held, dropped.edges),
        dropped.extracted.to_string(),
        format!("at most {}, no stale edge ({} left)", dropped.held, dropped.stale),
        verdict((dropped.extracted + dropped.stale * 1000) as f64, dropped.held as f64).to_owned(),
    ]);
    let mut facts = Table::new("Size", &["text and feeds", "edges", "chunks", "peak memory", "on disk"]);
    facts.row(&[
        size(bytes),
        edges.to_string(),
        ran.json["totals"]["chunks"].to_string(),
        size(ran.peak),
        format!("{} ({:.1} × text)", size(disk), disk as f64 / bytes as f64),
    ]);
    Ok(vec![table, work, facts])
}

fn repeat(mut once: impl FnMut(usize) -> Result<Duration, String>) -> Result<Duration, String> {
    Ok(median((0..REPEATS).map(&mut once).collect::<Result<_, _>>()?))
}

/// Inserts a line near the top of the largest law: its size, and how many chunks were extracted.
fn insert_a_line(root: &Path) -> Result<(u64, u64), String> {
    let said = |error: std::io::Error| error.to_string();
    let mut files = Vec::new();
    for year in fs::read_dir(root.join("documents/laws")).map_err(said)? {
        for file in fs::read_dir(year.map_err(said)?.path()).map_err(said)? {
            let file = file.map_err(said)?;
            files.push((file.metadata().map_err(said)?.len(), file.path()));
        }
    }
    let (bytes, largest) = files.into_iter().max().ok_or("there are no laws")?;
    let text = fs::read_to_string(&largest).map_err(said)?;
    let middle = text.match_indices("\n\n").nth(3).map_or(0, |(at, _)| at + 2);
    let inserted =
        format!("{}This line stands here for the first time.\n\n{}", &text[..middle], &text[middle..]);
    fs::write(&largest, inserted).map_err(said)?;
    let ran = program::run(root, &["run"])?;
    Ok((bytes, ran.json["work"]["extracted"].as_u64().unwrap_or_default()))
}

/// What came of dropping a name.
struct Dropped {
    /// In how many chunks it stood.
    held: u64,
    /// How many chunks were extracted again.
    extracted: u64,
    /// How many edges it had.
    edges: u64,
    /// How many of them are still current.
    stale: u64,
}

/// Takes the row of the section that most texts cite out of the feed.
fn drop_a_name(root: &Path) -> Result<Dropped, String> {
    let said = |error: std::io::Error| error.to_string();
    const SECTION: &str = "1-301.47a";
    let feed = root.join("feeds/sections.csv");
    let key = format!("D.C. Code §{SECTION}");
    let edges = edges_of(root, &key)?;
    let store =
        edgewright::store::Store::open_read(&root.join(".edgewright/graph.db")).map_err(|e| e.to_string())?;
    let view = store.current().map_err(|error| error.to_string())?;
    let mut held = 0;
    view.each(|extraction: edgewright::store::Extraction| {
        let names = |mention: &edgewright::model::mention::Mention| {
            mention.candidates.iter().any(|candidate| candidate.key() == key)
        };
        held += u64::from(extraction.mentions.iter().any(names));
        Ok::<(), edgewright::store::Error>(())
    })
    .map_err(|error| error.to_string())?;
    drop(store);
    let rows = fs::read_to_string(&feed).map_err(said)?;
    let kept: Vec<&str> = rows.lines().filter(|line| !line.starts_with(&key)).collect();
    fs::write(&feed, kept.join("\n") + "\n").map_err(said)?;
    let ran = program::run(root, &["run"])?;
    Ok(Dropped {
        held,
        extracted: ran.json["work"]["extracted"].as_u64().unwrap_or_default(),
        edges,
        stale: edges_of(root, &key)?,
    })
}

/// How many current edges an entity has.
fn edges_of(root: &Path, key: &str) -> Result<u64, String> {
    let store =
        edgewright::store::Store::open_read(&root.join(".edgewright/graph.db")).map_err(|e| e.to_string())?;
    let view = store.current().map_err(|error| error.to_string())?;
    let entity = format!("CodeSection:{key}");
    let facts: Vec<edgewright::model::fact::Fact> =
        view.by("object", &entity).map_err(|error| error.to_string())?;
    Ok(facts.len() as u64)
}

/// Lays the texts and feeds of the base night out in a workspace.
fn lay_out(corpus: &Path, root: &Path) -> Result<(), String> {
    let said = |error: std::io::Error| error.to_string();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/dclaw");
    for (folder, file) in [("ontology", "dclaw.yaml"), ("jobs", "dclaw.yaml")] {
        fs::create_dir_all(root.join(folder)).map_err(said)?;
        fs::copy(here.join(folder).join(file), root.join(folder).join(file)).map_err(said)?;
    }
    copy(&corpus.join("nights/n00/documents"), &root.join("documents")).map_err(said)?;
    fs::create_dir_all(root.join("feeds")).map_err(said)?;
    let read = |path: PathBuf| -> Result<Vec<BTreeMap<String, String>>, String> {
        let mut reader =
            csv::Reader::from_path(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        reader.deserialize().collect::<Result<_, _>>().map_err(|error| error.to_string())
    };
    let documents = read(corpus.join("nights/n00/feed_changes.csv"))?;
    let mut bills = BTreeMap::new();
    for (kind, title) in [("act", "D.C. Act "), ("law", "D.C. Law ")] {
        let mut rows = BTreeMap::new();
        for row in &documents {
            let file = row["file"].strip_prefix(&format!("documents/{kind}s/")).unwrap_or_default();
            let number = file.rsplit('/').next().unwrap_or_default().trim_end_matches(".txt").to_owned();
            if !number.is_empty() {
                let id = format!("{title}{number}");
                rows.insert(
                    number.clone(),
                    [number, id, row["short_title"].clone(), row["effective"].clone(), file.to_owned()],
                );
            }
            let bill = &row["bill_no"];
            if !bill.is_empty() {
                bills.insert(bill.clone(), [bill.clone(), format!("Bill {bill}")]);
            }
        }
        write_csv(root, &format!("{kind}s"), &["number", "id", "title", "effective", "file"], rows.values())?;
    }
    write_csv(root, "bills", &["bill", "name"], bills.values())?;
    let sections = read(corpus.join("feed_code_sections.csv"))?;
    let rows: Vec<[String; 4]> = sections
        .iter()
        .map(|row| {
            let number = row["section_id"].trim_start_matches("D.C. Code §");
            [
                row["section_id"].clone(),
                format!("D.C. Official Code § {number}"),
                format!("§ {number}"),
                row["heading"].clone(),
            ]
        })
        .collect();
    write_csv(root, "sections", &["section", "name", "short", "heading"], rows.iter())
}

fn write_csv<'r, const N: usize>(
    root: &Path,
    name: &str,
    head: &[&str; N],
    rows: impl Iterator<Item = &'r [String; N]>,
) -> Result<(), String> {
    let mut writer =
        csv::Writer::from_path(root.join(format!("feeds/{name}.csv"))).map_err(|error| error.to_string())?;
    writer.write_record(head).map_err(|error| error.to_string())?;
    for row in rows {
        writer.write_record(row).map_err(|error| error.to_string())?;
    }
    writer.flush().map_err(|error| error.to_string())
}

pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            // Only the bytes: the copies must be writable, whatever the rights of the originals.
            fs::write(&target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}
