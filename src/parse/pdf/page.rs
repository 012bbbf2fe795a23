//! One page: lines and tables in reading order, made of the runs of glyphs that the library gives.

use pdf_oxide::PdfDocument;
use pdf_oxide::document::ReadingOrder;
use pdf_oxide::error::Error;
use pdf_oxide::geometry::Rect;
use pdf_oxide::layout::TextSpan;
use pdf_oxide::object::Object;
use pdf_oxide::structure::table_extractor::Table as Found;

use crate::parse::build::one_line;

/// A gap of this share of the letters' size parts two words.
const WORD_GAP: f32 = 0.15;

/// A gap of this many times the letters' size parts two columns, whose texts do not belong together.
const COLUMN_GAP: f32 = 1.2;

/// A stream of so many bytes draws something.
const DRAWS: usize = 200;

/// What stands on a page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) number: u32,
    pub(super) height: f32,
    pub(super) pieces: Vec<Piece>,
}

/// A piece of a page, in reading order.
#[derive(Debug)]
pub(super) enum Piece {
    Line(Line),
    Grid(Grid),
}

/// A line of text. Coordinates are points from the lower left corner of the page.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) text: String,
    /// The parts of it between which there is room for a column.
    parts: Vec<String>,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
    pub(super) top: f32,
    /// The size of its letters.
    pub(super) size: f32,
    pub(super) bold: bool,
    /// The level of the heading that the file itself says it is.
    pub(super) heading: Option<u8>,
}

/// A table.
#[derive(Debug)]
pub(super) struct Grid {
    /// The rows, each with as many cells as the table has columns.
    pub(super) rows: Vec<Vec<String>>,
    pub(super) left: f32,
    pub(super) right: f32,
    top: f32,
}

impl Page {
    /// Reads a page.
    pub(super) fn read(pdf: &PdfDocument, at: usize, number: u32) -> Result<Self, Error> {
        let spans = pdf.extract_spans_with_reading_order(at, ReadingOrder::Structure)?;
        let (_, low, _, high) = pdf.get_page_media_box(at).unwrap_or((0.0, 0.0, 612.0, 792.0));
        // A page without tables is a page all the same, so a fault in looking for them costs the tables only.
        let grids: Vec<(Rect, Grid)> =
            pdf.extract_tables(at).unwrap_or_default().into_iter().filter_map(grid).collect();
        let mut pieces = Vec::new();
        let mut grids: Vec<(Rect, Option<Grid>)> =
            grids.into_iter().map(|(place, grid)| (place, Some(grid))).collect();
        let mut run: Vec<TextSpan> = Vec::new();
        for span in spans {
            if span.artifact_type.is_some() {
                continue;
            }
            match grids.iter_mut().find(|(place, _)| within(&span.bbox, place)) {
                Some((_, waiting)) => {
                    if let Some(grid) = waiting.take() {
                        lines(std::mem::take(&mut run), &mut pieces);
                        pieces.push(Piece::Grid(grid));
                    }
                }
                None => run.push(span),
            }
        }
        lines(run, &mut pieces);
        adopt_headers(&mut pieces);
        Ok(Self { number, height: (high - low).abs().max(1.0), pieces })
    }

    /// True if there is no text.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// How many bytes of text there are.
    pub(super) fn bytes(&self) -> u64 {
        let of = |piece: &Piece| match piece {
            Piece::Line(line) => line.text.len(),
            Piece::Grid(grid) => grid.rows.iter().flatten().map(String::len).sum(),
        };
        self.pieces.iter().map(of).sum::<usize>() as u64
    }
}

/// True if a page without text is not just blank: it has a picture or draws something.
pub(super) fn shows_something(pdf: &PdfDocument, at: usize) -> bool {
    let draws = pdf.get_page_content_data(at).is_ok_and(|stream| stream.len() > DRAWS);
    let part = |of: &Object, name: &str| pdf.resolve_object(of.as_dict()?.get(name)?).ok();
    let pictures = pdf.get_page(at).ok().and_then(|page| part(&part(&page, "Resources")?, "XObject"));
    draws || pictures.is_some_and(|pictures| pictures.as_dict().is_some_and(|pictures| !pictures.is_empty()))
}

/// True if a run of glyphs stands in a table.
fn within(run: &Rect, place: &Rect) -> bool {
    let (x, y) = (run.x + run.width / 2.0, run.y + run.height / 2.0);
    x >= place.x - 1.0
        && x <= place.x + place.width + 1.0
        && y >= place.y - 1.0
        && y <= place.y + place.height + 1.0
}

/// The table that the library has found, if it is one: prose in columns and forms look like tables to it.
fn grid(found: Found) -> Option<(Rect, Grid)> {
    let place = found.bbox?;
    if !found.is_real_grid() {
        return None;
    }
    let columns = found.rows.iter().map(|row| row.cells.len()).max()?;
    let rows = found.rows.iter().map(|row| {
        let mut cells = Vec::with_capacity(columns);
        for cell in &row.cells {
            cells.push(one_line(&cell.text));
            let spanned = usize::try_from(cell.colspan).unwrap_or(1).saturating_sub(1);
            cells.extend(std::iter::repeat_n(String::new(), spanned.min(columns)));
        }
        cells
    });
    let mut rows: Vec<Vec<String>> = rows.filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
    let columns = rows.iter().map(Vec::len).max()?;
    rows.iter_mut().for_each(|row| row.resize(columns, String::new()));
    let filled = rows.iter().flatten().filter(|cell| !cell.is_empty()).count();
    let words: usize = rows.iter().flatten().map(|cell| cell.split(' ').count()).sum();
    let is_prose = words > filled * 20;
    (rows.len() >= 2 && columns >= 2 && !is_prose).then_some((
        place,
        Grid { rows, left: place.x, right: place.x + place.width, top: place.y + place.height },
    ))
}

/// Puts the line right above a table into it that has as many parts as the table has columns: its header, which the
/// library leaves out where it is set in other letters or has no line above it.
fn adopt_headers(pieces: &mut Vec<Piece>) {
    for at in (1..pieces.len()).rev() {
        let (before, after) = pieces.split_at_mut(at);
        if let (Some(Piece::Line(line)), Some(Piece::Grid(grid))) = (before.last(), after.first_mut())
            && grid.rows.first().is_some_and(|row| row.len() == line.parts.len())
            && (-line.size..line.size * 1.5).contains(&(line.bottom - grid.top))
        {
            grid.rows.insert(0, line.parts.iter().map(|part| one_line(part)).collect());
            grid.top = line.top;
            pieces.remove(at - 1);
        }
    }
}

/// Makes lines of runs of glyphs in reading order.
fn lines(runs: Vec<TextSpan>, pieces: &mut Vec<Piece>) {
    let mut open: Option<Line> = None;
    for run in runs {
        if run.text.trim().is_empty() {
            // A run of white space is a gap, which the places of its neighbors show as well.
            if let Some(line) = &mut open
                && continues(line, &run)
                && !line.text.ends_with(' ')
            {
                line.text.push(' ');
                line.add(" ");
            }
            continue;
        }
        match &mut open {
            Some(line) if continues(line, &run) => append(line, &run),
            _ => {
                close(open.take(), pieces);
                open = Some(Line {
                    text: run.text.clone(),
                    parts: vec![run.text.clone()],
                    left: run.bbox.x,
                    right: run.bbox.x + run.bbox.width,
                    bottom: run.bbox.y,
                    top: run.bbox.y + run.bbox.height,
                    size: run.font_size.max(1.0),
                    bold: run.font_weight.is_bold(),
                    heading: run.heading_level,
                });
            }
        }
    }
    close(open, pieces);
}

impl Line {
    /// Adds to the last part.
    fn add(&mut self, text: &str) {
        if let Some(part) = self.parts.last_mut() {
            part.push_str(text);
        }
    }
}

fn close(line: Option<Line>, pieces: &mut Vec<Piece>) {
    let Some(mut line) = line else { return };
    line.text = one_line(&line.text);
    if !line.text.is_empty() {
        pieces.push(Piece::Line(line));
    }
}

/// True if a run stands in the same line, beside what the line has so far.
fn continues(line: &Line, run: &TextSpan) -> bool {
    let (bottom, top) = (run.bbox.y, run.bbox.y + run.bbox.height);
    let shared = line.top.min(top) - line.bottom.max(bottom);
    let smaller = (line.top - line.bottom).min(top - bottom).max(1.0);
    let size = line.size.max(run.font_size);
    let ahead = run.bbox.x - line.right;
    let behind = line.left - (run.bbox.x + run.bbox.width);
    let beside = ahead > -size || (behind > -size && is_right_to_left(&run.text));
    shared > smaller * 0.5 && beside
}

fn is_right_to_left(text: &str) -> bool {
    text.chars().any(
        |letter| matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'),
    )
}

fn append(line: &mut Line, run: &TextSpan) {
    let size = line.size.max(run.font_size);
    let gap = (run.bbox.x - line.right).max(line.left - (run.bbox.x + run.bbox.width));
    let parted = gap > size * WORD_GAP || run.split_boundary_before;
    let parted = parted && !line.text.ends_with(' ') && !run.text.starts_with(' ');
    let between = if parted { " " } else { "" };
    line.text.push_str(between);
    line.text.push_str(&run.text);
    if gap > size * COLUMN_GAP {
        line.parts.push(run.text.clone());
    } else {
        line.add(between);
        line.add(&run.text);
    }
    line.left = line.left.min(run.bbox.x);
    line.right = line.right.max(run.bbox.x + run.bbox.width);
    line.bottom = line.bottom.min(run.bbox.y);
    line.top = line.top.max(run.bbox.y + run.bbox.height);
    line.size = size;
    line.bold &= run.font_weight.is_bold();
    line.heading = line.heading.filter(|_| run.heading_level == line.heading);
}
