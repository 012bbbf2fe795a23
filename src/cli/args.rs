//! The command line as clap reads it: what all commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::model::access::{Labels, Reader};

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub(super) struct Global {
    /// The workspace; default: this folder or the nearest above it with `ontology/` and `jobs/`.
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(super) workspace: Option<PathBuf>,
    /// How to write the answer: text, or json (one line, with a version).
    #[arg(long, global = true, value_enum, default_value_t = Output::Text, value_name = "FORM")]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub(super) output: Output,
    /// Say nothing but the answer and errors; of `run`, only what is wrong.
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
    /// Say more while working; twice for still more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(super) verbose: u8,
    /// The time that counts as now.
    #[arg(long, global = true, hide = true, value_name = "RFC3339")]
    pub(super) now: Option<Timestamp>,
    /// The day that counts as today.
    #[arg(long, global = true, hide = true, value_name = "DATE")]
    pub(super) today: Option<Date>,
}

/// `--output` of a command that has a table.
pub(super) fn output_with_table() -> clap::Arg {
    output("text, json (one line, with a version), or csv, which `decide` reads back")
}

/// `--output` of a command that has pages.
pub(super) fn output_with_pages() -> clap::Arg {
    output("text, json (one line, with a version), markdown, junit, or html (a page that needs nothing else)")
}

fn output(forms: &str) -> clap::Arg {
    clap::Arg::new("output")
        .long("output")
        .value_name("FORM")
        .value_parser(clap::value_parser!(Output))
        .default_value("text")
        .hide_possible_values(true)
        .hide_default_value(true)
        .help(format!("How to write the answer: {forms}"))
}

/// How to write an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// For people.
    Text,
    /// One line of JSON, with a version.
    Json,
    /// A table, where the command has one.
    Csv,
    /// Markdown, of a drift report.
    Markdown,
    /// JUnit's XML, of a drift report.
    Junit,
    /// A page for a browser, of a drift report.
    Html,
}

/// Through what to look at the graph.
#[derive(Debug, Clone, Args)]
pub(super) struct ReadArgs {
    /// What held on this day.
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub(super) as_of: Option<Date>,
    /// What was known in this generation, or at this time or date; `held`: what the held run would publish.
    #[arg(long, value_name = "GENERATION|TIME|held")]
    pub(super) known_at: Option<String>,
    #[command(flatten)]
    pub(super) access: Access,
}

/// A day as it is asked for. One form, so that nobody takes a number for a day.
pub(super) fn day(text: &str) -> Result<Date, String> {
    let form = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    match text.parse::<Date>() {
        Ok(day) if form && day.year() > 0 => Ok(day),
        _ if form => Err("the calendar has no such day".to_owned()),
        _ => Err("a day is written YYYY-MM-DD, such as 2024-02-16".to_owned()),
    }
}

/// Who reads.
#[derive(Debug, Clone, Args)]
pub(super) struct Access {
    /// See only what a reader with these labels sees: `a,b`, `none` or `all`.
    #[arg(long, value_name = "LABELS", default_value = "all")]
    access: String,
}

impl Access {
    /// Every label.
    pub(super) fn everything() -> Self {
        Self { access: "all".to_owned() }
    }

    /// The reader.
    pub(super) fn reader(&self) -> Reader {
        match self.access.trim() {
            "all" => Reader::Everything,
            "none" => Reader::Holding(Labels::new()),
            labels => {
                let labels = labels.split(',').map(str::trim).filter(|label| !label.is_empty());
                Reader::Holding(labels.map(str::to_owned).collect())
            }
        }
    }
}
