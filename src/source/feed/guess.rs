//! How a text table is written, guessed from its bytes for a job that is being drafted. A run guesses nothing but an
//! encoding that nobody declared.
//!
//! What comes in: the bytes. What goes out: what stands between cells, the lines above the header, and the encoding
//! if it is not UTF-8. It must not know what the columns mean.

use encoding_rs::UTF_8;

use crate::model::job::Format;

use super::fault::Faults;
use super::text;

/// How many lines are looked at.
const LINES: usize = 50;

/// How many lines below the last row are taken for a footer.
const FOOTER: usize = 3;

/// Over how many lines a cell may go on.
const LONGEST_CELL: usize = 5;

/// What may stand between cells, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How a text table seems to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// What stands between cells.
    pub delimiter: u8,
    /// The lines above the header.
    pub skip_lines: usize,
    /// The lines below the last row.
    pub skip_footer: usize,
    /// The encoding, if it is not UTF-8.
    pub encoding: Option<String>,
}

/// Guesses how a table is written: the delimiter that stands equally often in most of the first lines, and the
/// header is the first line with that many. Linear in the bytes, because any of them may show the encoding.
pub fn guess(bytes: &[u8]) -> Guess {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').take(LINES).collect();
    let (starts, lines): (Vec<usize>, Vec<Vec<u8>>) = rows(&lines).into_iter().unzip();
    let mut best = (0, b',', 0, 0);
    for delimiter in DELIMITERS {
        let counts: Vec<usize> = lines.iter().map(|line| count(line, delimiter)).collect();
        let usual = counts.iter().copied().filter(|count| *count > 0);
        let Some(usual) =
            usual.max_by_key(|count| (counts.iter().filter(|one| *one == count).count(), *count))
        else {
            continue;
        };
        let score = counts.iter().filter(|count| **count == usual).count();
        if score > best.0 {
            let first = counts.iter().position(|count| *count == usual);
            let above = first.and_then(|first| starts.get(first)).copied().unwrap_or_default();
            best = (score, delimiter, above, usual);
        }
    }
    let (_, delimiter, skip_lines, usual) = best;
    let mut faults = Faults::new("");
    let encoding = text::encoding_of(bytes, &Format::default(), &mut faults);
    let encoding = encoding.filter(|encoding| *encoding != UTF_8).map(|one| one.name().to_lowercase());
    Guess { delimiter, skip_lines, skip_footer: footer(bytes, delimiter, usual), encoding }
}

/// The rows of lines, each with the number of lines above it: a cell in quotation marks may go on for a few lines. A
/// mark that is not closed by then is one for inches.
fn rows(lines: &[&[u8]]) -> Vec<(usize, Vec<u8>)> {
    let is_open = |line: &&[u8]| line.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
    let (mut rows, mut at) = (Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at + 1..).unwrap_or_default();
        let closes = rest.iter().take(LONGEST_CELL).position(is_open).filter(|_| is_open(line));
        let end = closes.map_or(at + 1, |closes| at + closes + 2);
        rows.push((at, lines.get(at..end).unwrap_or_default().concat()));
        at = end;
    }
    rows
}

/// How many of the last lines have fewer cells than a row, such as a line with a total.
fn footer(bytes: &[u8], delimiter: u8, usual: usize) -> usize {
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let is_row = |line: &&[u8]| count(line, delimiter) >= usual || line.contains(&b'"');
    let below: Vec<&[u8]> =
        text.rsplit(|byte| *byte == b'\n').take(FOOTER + 1).take_while(|line| !is_row(line)).collect();
    let says_something = below.iter().any(|line| !line.trim_ascii().is_empty());
    if says_something && below.len() <= FOOTER { below.len() } else { 0 }
}

/// How often a byte stands in a line outside of quotation marks.
fn count(line: &[u8], delimiter: u8) -> usize {
    let mut quoted = false;
    let mut count = 0;
    for byte in line {
        match byte {
            b'"' => quoted = !quoted,
            _ if *byte == delimiter && !quoted => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], delimiter: char, [skip_lines, skip_footer]: [usize; 2], encoding: Option<&str>) {
        let encoding = encoding.map(str::to_owned);
        assert_eq!(guess(bytes), Guess { delimiter: delimiter as u8, skip_lines, skip_footer, encoding });
    }

    #[test]
    fn delimiters_headers_and_encodings() {
        check(b"key,name\nA,\"Acme, Inc.\"\nB,Bosch\n", ',', [0, 0], None);
        check(b"key;name\r\nA;Acme, Inc.\r\nB;Bosch, Ltd; x\r\nC;Castor\r\n", ';', [0, 0], None);
        check(b"name\nAcme\nBosch\n", ',', [0, 0], None);
        check(b"Vendors as of May\n\nkey\tname\nA\tAcme\nB\tBosch\n", '\t', [2, 0], None);
        check(b"key|name\nA|Acme\n", '|', [0, 0], None);
        check(b"", ',', [0, 0], None);
        check(b"key,\"full\nname\",city\nA,Acme,Bonn\n", ',', [0, 0], None);
        check(b"List\nkey;\"the\r\n\r\nname\";city\nA;\"Acme; 5\"\" bolts\";Bonn\n", ';', [1, 0], None);
        check(b"key;size;of\nA;5\" bolt;x\nB;bolt;x\n", ';', [0, 0], None);
        check(b"List\nkey;name\nA;Acme\nB;Bosch\n2 vendors\n", ';', [1, 1], None);
        check(b"key;name\nA;M\xfcller\nB;B\xf6hm\n", ';', [0, 0], Some("windows-1252"));
    }
}
