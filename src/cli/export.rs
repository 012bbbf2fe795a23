//! `export`: the whole of what a reader sees, for other programs.
#![expect(clippy::disallowed_methods, reason = "writes the files that were asked for")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::parquet::Parquet as ParquetFile;
use super::render;
use super::render::table::{Form, Table, tables};
use super::shell::{Opened, Shell};
use crate::serve::{ExportRow, FORMAT, delta, export, export_history};

/// Write the graph for other programs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright export > graph.jsonl
  edgewright export --format csv --out tables
  edgewright export --format neo4j --out import
  edgewright export --format parquet --out tables
  edgewright export --since 12 > changes.jsonl

Equal states give equal bytes. `--since G` writes idempotent upserts and deletes that turn the export of
generation G into that of now. In all forms `valid_to` is the first day that no longer belongs.")]
pub(super) struct Args {
    /// How to write it.
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// The folder for the files; JSON lines go to stdout without it.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Add recorded time: what each generation changed.
    #[arg(long, conflicts_with = "since")]
    history: bool,
    /// Only what changed since this generation (JSON lines).
    #[arg(long, value_name = "GENERATION")]
    since: Option<u64>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated tables.
    Csv,
    /// The tables that `neo4j-admin database import` reads.
    Neo4j,
    /// The tables of `csv`, with typed days, numbers and flags.
    Parquet,
}

/// The first line of JSON lines.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Header {
    /// `header`.
    #[schemars(extend("const" = "header"))]
    kind: &'static str,
    /// `edgewright-export`.
    format: &'static str,
    /// The version of the form.
    version: u32,
    /// The day that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    as_of: Option<jiff::civil::Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The generation since which changes are given.
    since: Option<u64>,
    /// The generation up to which they are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<u64>,
}

/// A line of an export: its header, or one of the rows that follow. For the published schema.
#[derive(schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "lines are written as what they are; this says which there are")]
pub(super) enum Line<R> {
    /// The first line.
    Header(Header),
    /// Every other line.
    Row(R),
}

/// What files were written.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Files {
    /// The version of this form.
    pub(super) version: u32,
    /// The folder.
    pub(super) folder: String,
    /// The files with how many rows each has.
    pub(super) files: Vec<(String, u64)>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    if args.format == Format::Jsonl && args.out.is_none() {
        let opened = shell.open(&args.read)?;
        say_if_empty(shell, &opened)?;
        jsonl(&opened, args, shell.out.data())?;
        return Ok(Exit::Done);
    }
    let Some(out) = &args.out else {
        return Err(Failure::usage("several tables need a folder", "name it with `--out DIR`"));
    };
    if args.format != Format::Jsonl && (args.since.is_some() || args.history) {
        return Err(Failure::usage(
            "`--since` and `--history` are written as JSON lines only",
            "leave `--format` out",
        ));
    }
    let opened = shell.open(&args.read)?;
    say_if_empty(shell, &opened)?;
    let folder = shell.world.folder.join(out);
    std::fs::create_dir_all(&folder).map_err(Failure::file("make the folder", &folder))?;
    let files = match args.format {
        Format::Jsonl => {
            let path = folder.join("graph.jsonl");
            let mut file = create(&path)?;
            let rows = jsonl(&opened, args, &mut file)?;
            file.flush().map_err(Failure::file("write", &path))?;
            vec![("graph.jsonl".to_owned(), rows)]
        }
        Format::Csv => write_tables(&opened, &folder, Form::Csv)?,
        Format::Neo4j => write_tables(&opened, &folder, Form::Neo4j)?,
        Format::Parquet => write_tables(&opened, &folder, Form::Parquet)?,
    };
    let files = Files { version: 1, folder: out.display().to_string(), files };
    shell.out.value(&files, render::files)?;
    Ok(Exit::Done)
}

fn say_if_empty(shell: &mut Shell<'_>, opened: &Opened) -> Result<(), Failure> {
    if opened.lens().known_at == 0 {
        shell.out.say("note: the graph is empty: nothing has been published yet")?;
    }
    Ok(())
}

/// Writes JSON lines, and returns how many rows follow the header.
fn jsonl(opened: &Opened, args: &Args, out: &mut dyn Write) -> Result<u64, Failure> {
    let graph = opened.graph()?;
    let mut rows = 0;
    let line = |out: &mut dyn Write, value: &dyn Fn(&mut dyn Write) -> serde_json::Result<()>| {
        value(out).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        Ok::<(), Failure>(())
    };
    let mut header = Header {
        kind: "header",
        format: "edgewright-export",
        version: FORMAT,
        as_of: opened.lens().as_of,
        since: None,
        generation: None,
    };
    let Some(since) = args.since else {
        line(out, &|out| serde_json::to_writer(out, &header))?;
        let mut each = |row: ExportRow| {
            rows += 1;
            line(out, &|out| serde_json::to_writer(out, &row))
        };
        export::<Failure>(&graph, &mut each)?;
        if args.history {
            export_history::<Failure>(&graph, &mut each)?;
        }
        return Ok(rows);
    };
    let now = opened.lens().known_at;
    if since == 0 || since > now {
        return Err(Failure::usage(
            format!("there is no generation {since} to begin from"),
            format!("the published generations are 1 to {now}"),
        ));
    }
    header.since = Some(since);
    header.generation = Some(now);
    line(out, &|out| serde_json::to_writer(out, &header))?;
    let mut lens = opened.lens().clone();
    lens.known_at = since;
    let before = graph.through(lens)?;
    delta::<Failure>(&before, &graph, &mut |change| {
        rows += 1;
        line(out, &|out| serde_json::to_writer(out, &change))
    })?;
    Ok(rows)
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    Ok(BufWriter::new(File::create(path).map_err(Failure::file("write", path))?))
}

/// A table as it is written.
enum Written {
    Csv(Box<csv::Writer<BufWriter<File>>>),
    Parquet(Box<ParquetFile>),
}

/// Writes one table a kind of row.
fn write_tables(opened: &Opened, folder: &Path, form: Form) -> Result<Vec<(String, u64)>, Failure> {
    let tables: [Table; 5] = tables(form);
    let mut files = Vec::new();
    for table in &tables {
        let path = folder.join(table.file());
        let file = create(&path)?;
        let failed = |error: std::io::Error| Failure::file("write", &path)(error);
        let writer = if form == Form::Parquet {
            Written::Parquet(Box::new(ParquetFile::new(file, table).map_err(failed)?))
        } else {
            let mut writer = csv::Writer::from_writer(file);
            writer.write_record(table.header()).map_err(std::io::Error::other).map_err(failed)?;
            Written::Csv(Box::new(writer))
        };
        files.push((table, path, writer, 0));
    }
    let graph = opened.graph()?;
    export::<Failure>(&graph, &mut |row| {
        for (table, path, writer, rows) in &mut files {
            for cells in table.records(&row) {
                let written = match writer {
                    Written::Csv(writer) => writer.write_record(&cells).map_err(std::io::Error::other),
                    Written::Parquet(writer) => writer.push(cells),
                };
                written.map_err(Failure::file("write", path))?;
                *rows += 1;
            }
        }
        Ok(())
    })?;
    let mut written = Vec::new();
    for (table, path, writer, rows) in files {
        let ended = match writer {
            Written::Csv(mut writer) => writer.flush(),
            Written::Parquet(writer) => writer.finish(),
        };
        ended.map_err(Failure::file("write", &path))?;
        written.push((table.file(), rows));
    }
    Ok(written)
}
