//! The benches, one command each: `cargo bench --bench speed -- SUITE …`.
//!
//! | suite | what it measures |
//! |---|---|
//! | `scale` | a generated corpus of 1,000, 10,000 and 100,000 documents (`--up-to N` leaves the larger ones out) |
//! | `dclaw` | a city's acts and laws, with the ontology in `benches/dclaw` (skipped where the texts are not there) |
//! | `replay` | a city's 33 publication nights after the first, one run each (skipped where they are not there) |
//! | `formats` | the words of documents whose text is known, by format (skipped where they are not there) |
//! | `drift` | a thousand quiet nights and planted faults, in numbers (`--seed N` for other nights) |
//! | `feed` | a feed of a million rows (`--rows N` for another number), and questions over the graph of its edges |
//!
//! No suite means all. `--write` keeps the tables in `docs/performance.md`, those of `formats` in `docs/formats.md`,
//! those of `drift` in `docs/drift.md`. Each figure stands beside its
//! limit, measured in the same run: compare the ratios, not the times.
#![expect(clippy::disallowed_methods, reason = "benches write workspaces and read the clock")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "benches print what they measure")]

mod corpus;
mod dclaw;
mod drift;
mod feed;
mod formats;
mod graph;
mod limits;
mod nights;
mod program;
mod replay;
mod scale;
mod table;

use std::path::Path;
use std::process::ExitCode;

/// The program's allocator, so that the bare index stands beside it on the same ground.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What was asked for.
#[derive(Debug)]
struct Asked {
    suites: Vec<String>,
    write: bool,
    up_to: usize,
    rows: usize,
    seed: u64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // A child of this program, which measures one limit alone in its process.
    if let [how, workspace, out] = words.as_slice()
        && how == "--bare-index"
    {
        return ended(limits::bare_index(Path::new(workspace), Path::new(out)).map(|time| {
            println!("{}", time.as_nanos());
        }));
    }
    ended(asked(&words).and_then(|asked| all(&asked)))
}

fn ended(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn asked(words: &[String]) -> Result<Asked, String> {
    let mut asked =
        Asked { suites: Vec::new(), write: false, up_to: 100_000, rows: 1_000_000, seed: drift::SEED };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let next = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            next.parse().map_err(|_| format!("`{next}` is not a number"))
        };
        match word.as_str() {
            // Cargo says this to every bench.
            "--bench" => {}
            "--write" => asked.write = true,
            "--up-to" => asked.up_to = number()?,
            "--rows" => asked.rows = number()?,
            "--seed" => asked.seed = number()? as u64,
            "scale" | "dclaw" | "replay" | "feed" | "formats" | "drift" => asked.suites.push(word.clone()),
            _ => {
                return Err(format!(
                    "`{word}` is no suite: there are scale, dclaw, replay, formats, feed and drift"
                ));
            }
        }
    }
    if asked.suites.is_empty() {
        asked.suites = ["dclaw", "replay", "scale", "formats", "feed", "drift"].map(str::to_owned).to_vec();
    }
    Ok(asked)
}

fn all(asked: &Asked) -> Result<(), String> {
    println!("{}", machine());
    for suite in &asked.suites {
        println!("\n{suite}");
        let tables = match suite.as_str() {
            "scale" => scale::suite(asked.up_to)?,
            "dclaw" => dclaw::suite()?,
            "replay" => replay::suite()?,
            "formats" => formats::suite()?,
            "drift" => drift::suite(asked.seed)?,
            _ => feed::suite(asked.rows)?,
        };
        let text = tables.iter().map(table::Table::text).collect::<Vec<_>>().join("\n");
        println!("\n{text}");
        if asked.write && !tables.is_empty() {
            let page = match suite.as_str() {
                "formats" => "docs/formats.md",
                "drift" => "docs/drift.md",
                _ => "docs/performance.md",
            };
            table::keep(&Path::new(env!("CARGO_MANIFEST_DIR")).join(page), suite, &text)?;
        }
    }
    Ok(())
}

/// The machine in plain terms.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
    let gigabytes =
        kilobytes.and_then(|text| text.parse::<u64>().ok()).map_or(0, |number| number / 1_000_000);
    format!("{cores} cores, {gigabytes} GB of memory, {}, release build, warm cache", std::env::consts::OS)
}
