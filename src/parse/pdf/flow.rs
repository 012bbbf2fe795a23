//! Paragraphs, headings, lists and tables, from the lines and tables of all pages.

use std::collections::{BTreeMap, BTreeSet};

use super::page::{Grid, Line, Page, Piece};
use crate::model::document::{Block, BlockKind, Table};
use crate::model::spot::{BETWEEN_CELLS, Spot};
use crate::model::token::Span;
use crate::parse::build::Builder;

/// Marks that begin an item of a list.
const BULLETS: [char; 12] = ['•', '◦', '▪', '‣', '·', '●', '○', '■', '–', '—', '*', '\u{f0b7}'];

/// Letters this much larger than those of the text make a heading.
const LARGER: f32 = 1.12;

/// Lines this many times as far apart as usual begin a paragraph.
const APART: f32 = 1.35;

/// A heading has at most this many characters.
const LONGEST_HEADING: usize = 200;

/// What the document's letters usually look like.
struct Usual {
    /// From one line to the next, in multiples of the letters' size.
    pitch: f32,
    /// The sizes of headings, largest first.
    larger: Vec<u32>,
    /// Words that are written with a hyphen within a line.
    hyphenated: BTreeSet<String>,
}

/// A block in the making: lines with their pages.
#[derive(Default)]
struct Open {
    lines: Vec<(u32, Line)>,
    kind: Option<BlockKind>,
}

/// Writes all pages.
pub(super) fn write(builder: &mut Builder, pages: Vec<Page>) {
    let usual = Usual::of(&pages);
    let mut open = Open::default();
    let mut grid: Option<(Grid, Vec<(u32, usize)>)> = None;
    for page in pages {
        for piece in page.pieces {
            match piece {
                Piece::Line(line) => {
                    if let Some((done, pages)) = grid.take() {
                        write_grid(builder, &done, &pages);
                    }
                    if !open.takes(&usual, page.number, &line) {
                        write_open(builder, &usual, std::mem::take(&mut open));
                    }
                    open.add(&usual, page.number, line);
                }
                Piece::Grid(found) => {
                    write_open(builder, &usual, std::mem::take(&mut open));
                    match &mut grid {
                        Some((above, pages)) if above.goes_on_in(&found, pages, page.number) => {
                            pages.push((page.number, above.rows.len()));
                            above.append(found);
                        }
                        _ => {
                            if let Some((done, pages)) = grid.take() {
                                write_grid(builder, &done, &pages);
                            }
                            grid = Some((found, vec![(page.number, 0)]));
                        }
                    }
                }
            }
        }
    }
    if let Some((done, pages)) = grid {
        write_grid(builder, &done, &pages);
    }
    write_open(builder, &usual, open);
}

impl Usual {
    fn of(pages: &[Page]) -> Self {
        let lines = || {
            pages.iter().flat_map(|page| &page.pieces).filter_map(|piece| match piece {
                Piece::Line(line) => Some(line),
                Piece::Grid(_) => None,
            })
        };
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for line in lines() {
            *sizes.entry(tenths(line.size)).or_insert(0) += line.text.len();
        }
        let size = sizes.iter().max_by_key(|(size, count)| (**count, **size)).map_or(100, |(size, _)| *size);
        let mut pitches: BTreeMap<u32, usize> = BTreeMap::new();
        let pairs = lines().zip(lines().skip(1));
        for (above, below) in
            pairs.filter(|(above, below)| tenths(above.size) == size && tenths(below.size) == size)
        {
            let pitch = (above.bottom - below.bottom) / below.size;
            if (0.8..3.0).contains(&pitch) {
                *pitches.entry(tenths(pitch * 2.0)).or_insert(0) += 1;
            }
        }
        let pitch = pitches.iter().max_by_key(|(pitch, count)| (**count, std::cmp::Reverse(**pitch)));
        let is_larger = |line: &&Line| f32_of(tenths(line.size)) > f32_of(size) * LARGER;
        let larger: BTreeSet<u32> = lines().filter(is_larger).map(|line| tenths(line.size)).collect();
        let hyphenated = lines().flat_map(|line| line.text.split_whitespace());
        let hyphenated = hyphenated.map(bare).filter(|word| word.trim_matches('-').contains('-'));
        Self {
            pitch: pitch.map_or(1.2, |(pitch, _)| f32_of(*pitch) / 20.0),
            larger: larger.into_iter().rev().collect(),
            hyphenated: hyphenated.collect(),
        }
    }

    /// The level of the heading that a line is by its letters.
    fn heading(&self, line: &Line) -> Option<u8> {
        if line.text.len() > LONGEST_HEADING || !line.text.chars().any(char::is_alphabetic) {
            return None;
        }
        if let Some(level) = line.heading {
            return Some(level.clamp(1, 6));
        }
        if let Some(rank) = self.larger.iter().position(|size| *size == tenths(line.size)) {
            return Some(u8::try_from(rank + 1).unwrap_or(6).min(5));
        }
        let ends = line.text.ends_with(['.', ',', ';', ':']);
        (line.bold && !ends && line.text.len() <= 100)
            .then(|| u8::try_from(self.larger.len() + 1).unwrap_or(6).min(6))
    }
}

/// A number in tenths, so that numbers that are nearly the same are.
fn tenths(number: f32) -> u32 {
    (number * 10.0).round() as u32
}

fn f32_of(tenths: u32) -> f32 {
    tenths as f32
}

/// A word without the marks around it, in small letters.
fn bare(word: &str) -> String {
    word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '-').to_lowercase()
}

/// The text of an item after its bullet.
fn after_bullet(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(BULLETS)?;
    rest.starts_with(' ').then(|| rest.trim_start()).filter(|rest| !rest.is_empty())
}

impl Open {
    /// True if a line goes on with the block.
    fn takes(&self, usual: &Usual, page: u32, line: &Line) -> bool {
        let Some((last_page, last)) = self.lines.last() else { return true };
        if after_bullet(&line.text).is_some() {
            return false;
        }
        let heading = usual.heading(line);
        match (&self.kind, heading) {
            (Some(BlockKind::Heading(level)), Some(now)) => {
                let same = *level == now && tenths(last.size) == tenths(line.size);
                return same && *last_page == page && close_below(usual, last, line) && self.lines.len() < 3;
            }
            (Some(BlockKind::Heading(_)), None) | (_, Some(_)) => return false,
            _ => {}
        }
        let ended = last.text.ends_with(['.', ':', ';', '!', '?', '”', '"', ')']);
        let goes_on = line.text.starts_with(|letter: char| letter.is_lowercase()) || !ended;
        if *last_page != page || line.bottom > last.bottom + last.size {
            // The next page or column: only what reads on is the same paragraph.
            return !ended
                && line.text.starts_with(|letter: char| letter.is_lowercase() || letter.is_numeric());
        }
        if tenths(last.size).abs_diff(tenths(line.size)) > 10 && !goes_on {
            return false;
        }
        let right = self.lines.iter().map(|(_, line)| line.right).fold(0.0_f32, f32::max);
        let left = self.lines.iter().map(|(_, line)| line.left).fold(f32::MAX, f32::min);
        let short = last.right < right - (right - left) * 0.25;
        let indented = line.left > left + line.size && line.left < right;
        close_below(usual, last, line) && !(ended && (short || indented) && self.lines.len() > 1)
    }

    fn add(&mut self, usual: &Usual, page: u32, mut line: Line) {
        if self.lines.is_empty() {
            self.kind = Some(match (after_bullet(&line.text), usual.heading(&line)) {
                (Some(_), _) => BlockKind::Item { depth: 0, label: String::new() },
                (None, Some(level)) => BlockKind::Heading(level),
                (None, None) => BlockKind::Paragraph,
            });
            if let Some(rest) = after_bullet(&line.text) {
                line.text = rest.to_owned();
            }
        }
        self.lines.push((page, line));
    }
}

/// True if a line stands as near below another as lines of a paragraph do.
fn close_below(usual: &Usual, above: &Line, below: &Line) -> bool {
    let pitch = (above.bottom - below.bottom) / above.size.max(below.size);
    pitch < usual.pitch * APART
}

/// Writes a block, its lines as they stood, with the words joined that a line end had parted.
fn write_open(builder: &mut Builder, usual: &Usual, open: Open) {
    let Some(kind) = open.kind else { return };
    builder.begin(false);
    let mut lines = open.lines.iter().peekable();
    while let Some((page, line)) = lines.next() {
        let spot = Spot::Page(*page);
        let Some((_, next)) = lines.peek() else {
            builder.push_at(&line.text, &spot);
            break;
        };
        match parted(usual, &line.text, &next.text) {
            Some(first) => builder.push_at(first, &spot),
            None => {
                builder.push_at(&line.text, &spot);
                let end = if matches!(kind, BlockKind::Heading(_)) { " " } else { "\n" };
                builder.push_at(end, &spot);
            }
        }
    }
    builder.end(kind);
}

/// What is to be written of a line whose last word goes on in the next one: without its hyphen, unless the word is
/// written with it elsewhere.
fn parted<'l>(usual: &Usual, line: &'l str, next: &str) -> Option<&'l str> {
    if let Some(soft) = line.strip_suffix('\u{ad}') {
        return Some(soft);
    }
    let body = line.strip_suffix(['-', '\u{2010}'])?;
    let first = body.rsplit(' ').next().filter(|word| word.ends_with(char::is_alphabetic))?;
    let rest = next.split(' ').next().filter(|word| word.starts_with(char::is_lowercase))?;
    let with = bare(&format!("{first}-{rest}"));
    Some(if usual.hyphenated.contains(&with) { line } else { body })
}

impl Grid {
    /// True if a table on the next page goes on with this one: the same columns at the same place.
    fn goes_on_in(&self, next: &Self, pages: &[(u32, usize)], page: u32) -> bool {
        let columns = |grid: &Self| grid.rows.first().map_or(0, Vec::len);
        let beside = (self.left - next.left).abs() < 6.0 && (self.right - next.right).abs() < 6.0;
        let after = pages.last().is_some_and(|(last, _)| last + 1 == page);
        after && columns(self) == columns(next) && (beside || self.rows.first() == next.rows.first())
    }

    /// Appends the rows of a table that goes on, without the header that stands there again.
    fn append(&mut self, next: Self) {
        let again = usize::from(self.rows.first() == next.rows.first());
        self.rows.extend(next.rows.into_iter().skip(again));
    }
}

/// Writes a table. `pages` says from which row on it stands on which page.
fn write_grid(builder: &mut Builder, grid: &Grid, pages: &[(u32, usize)]) {
    builder.begin(false);
    let mut rows: Vec<Vec<Span>> = Vec::with_capacity(grid.rows.len());
    for (at, row) in grid.rows.iter().enumerate() {
        let page = pages.iter().rev().find(|(_, from)| *from <= at).map_or(1, |(page, _)| *page);
        let spot = Spot::Page(page);
        if at > 0 {
            builder.push_at("\n", &spot);
        }
        let mut cells = Vec::with_capacity(row.len());
        for (column, cell) in row.iter().enumerate() {
            if column > 0 {
                builder.push_at(BETWEEN_CELLS, &spot);
            }
            let start = builder.len();
            builder.push_at(cell, &spot);
            cells.push(Span::new(start, builder.len()));
        }
        rows.push(cells);
    }
    let cells = || rows.iter().flatten();
    let (Some(start), Some(end)) = (cells().map(|cell| cell.start).min(), cells().map(|cell| cell.end).max())
    else {
        return;
    };
    let header = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
    builder.end_as([Block { span: Span::new(start, end), kind: BlockKind::Table(Table { header, rows }) }]);
}
