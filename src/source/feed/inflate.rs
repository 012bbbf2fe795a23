//! Workbooks that are archives: what they unfold to is counted before a reader makes anything of it.
//!
//! What comes in: a file's bytes. What goes out: the names of its parts, or why it is too much. Nothing is held but
//! the part that is being counted. It must not know what a cell means.

use std::io::{BufReader, Cursor, Read, Take};

use quick_xml::events::Event;

use crate::model::file::archive_fault;

use super::grid::MAX_TEXT;
use super::sheet::{MAX_COLUMNS, MAX_ROWS, Refused, damaged};

/// What all parts of a workbook may inflate to.
const MAX_INFLATED: u64 = 1024 * 1024 * 1024;

/// How many cells an open document may make of those that it repeats.
const MAX_REPEATED: u64 = 20_000_000;

/// How many texts the cells of a workbook may share: its reader holds them all, and makes room beforehand for as many
/// as the workbook claims to have.
const MAX_SHARED: u64 = 20_000_000;

/// What the texts that the cells of a binary workbook share may inflate to: a text takes a few bytes there, and many
/// times that in memory.
const MAX_SHARED_BINARY: u64 = 128 * 1024 * 1024;

fn archive(bytes: &[u8]) -> Result<zip::ZipArchive<Cursor<&[u8]>>, Refused> {
    zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(archive_fault(&error)))
}

/// The names of the parts of an archive, all of which were inflated and counted.
pub(super) fn inflates(bytes: &[u8]) -> Result<Vec<String>, Refused> {
    let mut archive = archive(bytes)?;
    let (mut names, mut left) = (Vec::new(), MAX_INFLATED);
    for at in 0..archive.len() {
        let part = archive.by_index(at).map_err(damaged)?;
        let name = part.name().map_err(damaged)?.into_owned();
        let lower = name.to_ascii_lowercase();
        let is_shared = lower.ends_with("sharedstrings.xml");
        let is_shared_binary = lower.ends_with("sharedstrings.bin");
        names.push(name);
        let mut part = part.take(left + 1);
        if is_shared {
            part = shared(part)?;
        }
        let inflated = std::io::copy(&mut part, &mut std::io::sink()).map_err(damaged)?;
        if is_shared_binary && inflated > MAX_SHARED_BINARY {
            let message = format!("its cells share texts of more than {MAX_SHARED_BINARY} bytes");
            return Err((message, "split the workbook, or export the sheet as CSV"));
        }
        // One byte more than is left was let through.
        left = part.limit().checked_sub(1).ok_or_else(|| {
            (
                format!("the workbook inflates to more than {MAX_INFLATED} bytes"),
                "split it, or export it as CSV",
            )
        })?;
    }
    Ok(names)
}

/// Counts the texts that the cells of a workbook share, and their bytes. Gives the part back, read to where that is
/// known.
fn shared<R: Read>(part: Take<R>) -> Result<Take<R>, Refused> {
    let mut reader = quick_xml::Reader::from_reader(BufReader::new(part));
    let (mut texts, mut bytes, mut buffer) = (0_u64, 0_usize, Vec::new());
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(damaged)? {
            Event::Eof => return Ok(reader.into_inner().into_inner()),
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "sst" => {
                    let claimed = tag.attributes().flatten().find(|one| one.key.as_ref() == "uniqueCount");
                    let claimed = claimed.and_then(|claimed| claimed.value.parse().ok());
                    texts = texts.max(claimed.filter(|claimed| *claimed > MAX_SHARED).unwrap_or_default());
                }
                "si" => texts = texts.saturating_add(1),
                _ => {}
            },
            Event::Text(text) => bytes = bytes.saturating_add(text.len()),
            Event::CData(text) => bytes = bytes.saturating_add(text.len()),
            _ => {}
        }
        if texts > MAX_SHARED || bytes > MAX_TEXT {
            let message = format!(
                "its cells share more than {MAX_SHARED} texts, or texts of more than {MAX_TEXT} bytes"
            );
            return Err((message, "split the workbook, or export the sheet as CSV"));
        }
    }
}

/// Counts the cells of an open document and their text, repeated ones included: its reader makes all of a sheet, from
/// the first to the last that says something. Blank cells and rows behind these make none.
pub(super) fn repeats(bytes: &[u8]) -> Result<(), Refused> {
    let mut archive = archive(bytes)?;
    let mut text = Vec::new();
    archive
        .by_name("content.xml")
        .map_err(damaged)?
        .take(MAX_INFLATED)
        .read_to_end(&mut text)
        .map_err(damaged)?;
    let mut reader = quick_xml::Reader::from_reader(text.as_slice());
    let (mut made, mut area, mut bytes) = (0_u64, Area::default(), 0_u64);
    loop {
        let event = reader.read_event().map_err(damaged)?;
        let (tag, closed) = match &event {
            Event::Eof => return Ok(()),
            Event::Start(tag) => (Some(tag), false),
            Event::Empty(tag) => (Some(tag), true),
            Event::Text(text) => {
                bytes = bytes.saturating_add(area.made_of(text.len()));
                (None, true)
            }
            Event::GeneralRef(name) => {
                bytes = bytes.saturating_add(area.made_of(name.len()));
                (None, true)
            }
            Event::End(tag) if tag.name().as_ref() == "table:table" => {
                made = made.saturating_add(std::mem::take(&mut area).cells());
                continue;
            }
            Event::End(tag) if CELLS.contains(&tag.name().as_ref()) => {
                area.times = 0;
                continue;
            }
            _ => continue,
        };
        if let Some(tag) = tag {
            let attribute = |name: &str| tag.attributes().flatten().find(|one| one.key.as_ref() == name);
            let repeated = |name: &str, most: u64| {
                attribute(name).map_or(1, |number| number.value.parse().unwrap_or(most)).min(most)
            };
            match tag.name().as_ref() {
                "table:table-row" => area.row(repeated("table:number-rows-repeated", u64::from(MAX_ROWS))),
                cell if CELLS.contains(&cell) => {
                    let is_said = |name: &str| VALUES.iter().any(|value| name.starts_with(value));
                    let said = tag.attributes().flatten().filter(|one| is_said(one.key.as_ref()));
                    let said: Vec<usize> = said.map(|one| one.value.len()).collect();
                    area.cell(
                        repeated("table:number-columns-repeated", MAX_COLUMNS),
                        !closed || !said.is_empty(),
                    );
                    bytes = bytes.saturating_add(area.made_of(said.into_iter().sum()));
                    area.times = if closed { 0 } else { area.times };
                }
                // So many spaces stand there, whatever the number is.
                "text:s" => {
                    let spaces = repeated("text:c", MAX_TEXT as u64);
                    bytes = bytes.saturating_add(area.times.saturating_mul(spaces));
                }
                _ => {}
            }
        }
        let what = match made.saturating_add(area.cells()) {
            cells if cells > MAX_REPEATED => format!("{MAX_REPEATED} cells"),
            _ if bytes > MAX_TEXT as u64 => format!("{MAX_TEXT} bytes of text"),
            _ => continue,
        };
        let message = format!("the sheets make more than {what} by repeating some cells");
        return Err((message, "delete the cells below and beside the table, or export it as CSV"));
    }
}

/// How the names of a cell's attributes begin that say what stands in it.
const VALUES: [&str; 3] = ["office:", "calcext:", "table:formula"];

/// The tags of cells.
const CELLS: [&str; 2] = ["table:table-cell", "table:covered-table-cell"];

/// How far the cells of an open sheet reach.
#[derive(Default)]
struct Area {
    /// The columns up to the last that says something in any row.
    width: u64,
    /// The rows up to the last in which a cell says something.
    height: u64,
    /// All rows so far, and the columns of the last one.
    rows: u64,
    columns: u64,
    /// How often the row is there, and how often the cell that is open.
    row_times: u64,
    times: u64,
}

impl Area {
    fn row(&mut self, repeated: u64) {
        self.rows = self.rows.saturating_add(repeated);
        self.columns = 0;
        (self.row_times, self.times) = (repeated, 0);
    }

    fn cell(&mut self, repeated: u64, says: bool) {
        self.columns = self.columns.saturating_add(repeated);
        self.times = self.row_times.saturating_mul(repeated);
        if says {
            self.width = self.width.max(self.columns);
            self.height = self.rows;
        }
    }

    /// The bytes that come of so many in the cell that is open.
    fn made_of(&self, bytes: usize) -> u64 {
        self.times.saturating_mul(bytes as u64)
    }

    fn cells(&self) -> u64 {
        self.width.saturating_mul(self.height)
    }
}
