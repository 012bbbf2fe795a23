//! Spots: where in its file a text stands, as a person finds it there.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What stands between two cells of a row in a document's text.
pub const BETWEEN_CELLS: &str = " | ";

/// Where in its file a text stands. Written as `line 4`, `page 3`, `paragraph 12` or `Sheet1!B7`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Spot {
    /// A line, counted from 1.
    Line(u32),
    /// A page, counted from 1.
    Page(u32),
    /// A paragraph of a text without lines and pages, counted from 1.
    Paragraph(u32),
    /// The properties that a file states of itself beside its text.
    Properties,
    /// A cell of a sheet.
    Cell {
        /// The sheet's name.
        sheet: Arc<str>,
        /// The row, counted from 1.
        row: u32,
        /// The column, counted from 1.
        column: u32,
    },
}

/// Where the spots of a text are not what the text before them says: each from an offset on, ascending.
///
/// From a mark on the text itself counts: a line end begins the next line, or the next row in the mark's column;
/// [`BETWEEN_CELLS`] begins the next column; pages and paragraphs last until the next mark. Before the first mark
/// stands line 1.
pub type Marks = Vec<(usize, Spot)>;

impl Spot {
    /// The line; 0 for what is no line.
    pub fn line(&self) -> u32 {
        if let Self::Line(line) = self { *line } else { 0 }
    }

    /// The place in a file, for a person: `path:4`, or `path, page 3`.
    pub fn in_file(&self, path: &str) -> String {
        match self {
            Self::Line(line) => format!("{path}:{line}"),
            other => format!("{path}, {other}"),
        }
    }

    /// The spot so many line ends and then so many columns on.
    fn moved(&self, lines: u32, columns: u32) -> Self {
        match self {
            Self::Line(line) => Self::Line(line.saturating_add(lines)),
            Self::Page(_) | Self::Paragraph(_) | Self::Properties => self.clone(),
            Self::Cell { sheet, row, column } => Self::Cell {
                sheet: sheet.clone(),
                row: row.saturating_add(lines),
                column: column.saturating_add(columns),
            },
        }
    }
}

/// The spot of a byte offset in a text. Linear in the text since the last mark.
pub fn spot_at(text: &str, marks: &[(usize, Spot)], offset: usize) -> Spot {
    let next = marks.partition_point(|(at, _)| *at <= offset);
    let mut steps = Steps::default();
    let last = next.checked_sub(1).and_then(|last| marks.get(last));
    if let Some((at, spot)) = last {
        steps.mark(*at, spot);
    }
    steps.to(text, offset);
    steps.spot()
}

/// Follows a text from mark to mark, and knows the spot of the present offset.
#[derive(Debug, Clone)]
pub struct Steps {
    offset: usize,
    mark: Spot,
    lines: u32,
    columns: u32,
}

impl Default for Steps {
    fn default() -> Self {
        Self { offset: 0, mark: Spot::Line(1), lines: 0, columns: 0 }
    }
}

impl Steps {
    /// Begins anew at a mark.
    pub fn mark(&mut self, offset: usize, spot: &Spot) {
        *self = Self { offset, mark: spot.clone(), lines: 0, columns: 0 };
    }

    /// Goes on to an offset; one that lies behind changes nothing.
    pub fn to(&mut self, text: &str, offset: usize) {
        let Some(between) = text.get(self.offset..offset) else { return };
        let ends = between.bytes().filter(|byte| *byte == b'\n').count();
        let row = between.rsplit('\n').next().unwrap_or_default();
        if let Spot::Cell { .. } = self.mark {
            let columns = u32::try_from(row.matches(BETWEEN_CELLS).count()).unwrap_or(u32::MAX);
            self.columns = if ends > 0 { columns } else { self.columns.saturating_add(columns) };
        }
        self.lines = self.lines.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
        self.offset = offset;
    }

    /// The spot here.
    pub fn spot(&self) -> Spot {
        self.mark.moved(self.lines, self.columns)
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Page(page) => write!(f, "page {page}"),
            Self::Paragraph(paragraph) => write!(f, "paragraph {paragraph}"),
            Self::Properties => f.write_str("properties"),
            Self::Cell { sheet, row, column } => {
                let plain = sheet.chars().all(|one| one.is_alphanumeric() || one == '_');
                if plain {
                    write!(f, "{sheet}!{}{row}", letters(*column))
                } else {
                    write!(f, "'{}'!{}{row}", sheet.replace('\'', "''"), letters(*column))
                }
            }
        }
    }
}

impl From<Spot> for String {
    fn from(spot: Spot) -> Self {
        spot.to_string()
    }
}

impl TryFrom<String> for Spot {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Spot {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        read(text).ok_or_else(|| format!("`{text}` is no place in a file"))
    }
}

fn read(text: &str) -> Option<Spot> {
    if let Some((sheet, cell)) = text.rsplit_once('!') {
        let quoted = sheet.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        let sheet = quoted.map_or_else(|| sheet.to_owned(), |inner| inner.replace("''", "'"));
        let digits = cell.find(|one: char| one.is_ascii_digit())?;
        let column = column(cell.get(..digits)?)?;
        return Some(Spot::Cell { sheet: sheet.into(), row: cell.get(digits..)?.parse().ok()?, column });
    }
    if text == "properties" {
        return Some(Spot::Properties);
    }
    let (unit, number) = text.split_once(' ')?;
    let number = number.parse().ok()?;
    match unit {
        "line" => Some(Spot::Line(number)),
        "page" => Some(Spot::Page(number)),
        "paragraph" => Some(Spot::Paragraph(number)),
        _ => None,
    }
}

/// The letters of a column: 1 is `A`, 27 is `AA`.
pub fn letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = column;
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).unwrap_or(0);
        letters.push(char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// The column that letters name; none for what is not at most four capital letters.
pub fn column(letters: &str) -> Option<u32> {
    if letters.is_empty() || letters.len() > 4 {
        return None;
    }
    letters.bytes().try_fold(0_u32, |sum, letter| {
        letter.is_ascii_uppercase().then(|| sum * 26 + u32::from(letter - b'A') + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_is_written_and_read_back() {
        for text in [
            "line 4",
            "page 3",
            "paragraph 12",
            "Sheet1!B7",
            "'Price list'!AA10",
            "'It''s'!ZZ1048576",
            "Übersicht!XFD2",
        ] {
            let spot: Spot = text.parse().unwrap();
            assert_eq!(spot.to_string(), text);
        }
        for text in ["", "4", "line", "line x", "verse 2", "Sheet1!7", "Sheet1!b7", "Sheet1!ABCDE7", "!"] {
            assert!(text.parse::<Spot>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_text_counts_on_from_a_mark() {
        let marks = |text: &str| -> Marks { vec![(3, text.parse().unwrap())] };
        let text = "xy\na | b\nc | d | e";
        let at = |marks: &Marks, word: &str| spot_at(text, marks, text.find(word).unwrap()).to_string();
        assert_eq!(
            ["xy", "a", "b", "e"].map(|word| at(&Vec::new(), word)),
            ["line 1", "line 2", "line 2", "line 3"]
        );
        assert_eq!(["a", "c"].map(|word| at(&marks("line 9"), word)), ["line 9", "line 10"]);
        let cells = ["xy", "a", "b", "c", "e"].map(|word| at(&marks("S!C7"), word));
        assert_eq!(cells, ["line 1", "S!C7", "S!D7", "S!C8", "S!E8"]);
        assert_eq!(["a", "e"].map(|word| at(&marks("page 2"), word)), ["page 2", "page 2"]);
    }
}
