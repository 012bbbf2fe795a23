//! Tables in Markdown, and the file that keeps them.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// A table with a title.
#[derive(Debug)]
pub(crate) struct Table {
    title: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(title: &str, head: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            head: head.iter().map(|cell| (*cell).to_owned()).collect(),
            rows: vec![],
        }
    }

    /// Adds a row, and says it, so that a long suite shows how far it is.
    pub(crate) fn row(&mut self, cells: &[String]) {
        println!("  {}", cells.join(" | "));
        self.rows.push(cells.to_vec());
    }

    /// The table as text.
    pub(crate) fn text(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("### {}\n\n{}", self.title, line(&self.head));
        text.push_str(&format!("|{}\n", "---|".repeat(self.head.len())));
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        text
    }
}

/// Whether a figure keeps its limit.
pub(crate) fn verdict(value: f64, limit: f64) -> &'static str {
    if value <= limit { "met" } else { "**missed**" }
}

/// A time as people write it.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 0.000_995 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 0.0995 {
        format!("{:.1} ms", seconds * 1000.0)
    } else if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else {
        format!("{seconds:.2} s")
    }
}

/// Bytes as people write them.
pub(crate) fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// One thing as a multiple of another.
pub(crate) fn times(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(1e-9)
}

/// The middle of several times.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Puts a suite's text between its marks in the file that keeps the tables.
pub(crate) fn keep(file: &Path, suite: &str, text: &str) -> Result<(), String> {
    let (open, close) = (format!("<!-- {suite} -->\n"), format!("<!-- end of {suite} -->"));
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let page = fs::read_to_string(file).map_err(failed)?;
    let (Some(from), Some(to)) = (page.find(&open), page.find(&close)) else {
        return Err(format!("{} has no place for `{suite}`", file.display()));
    };
    let page = format!("{}{open}\n{}\n{}", &page[..from], text.trim(), &page[to..]);
    fs::write(
        file,
        page.replace(&format!("{}\n{close}", text.trim()), &format!("{}\n\n{close}", text.trim())),
    )
    .map_err(failed)
}
