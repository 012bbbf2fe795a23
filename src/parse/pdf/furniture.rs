//! What is repeated at the head and foot of pages: titles that run along, page numbers, marks of drafts. It is no
//! part of the running text, and would part sentences that go on over the page.

use std::collections::BTreeMap;

use super::page::{Line, Page, Piece};

/// Heads and feet stand in this share of the page, at either end.
const BAND: f32 = 0.12;

/// Lines at about the same height: points.
const STEP: f32 = 6.0;

/// At which end of a page a line stands, and about where.
type Height = (bool, i64);

/// Takes away lines at the head and foot that stand there on several pages: the same but for their numbers on at
/// least two pages and a third of them, or numbers alone on at least two.
pub(super) fn remove(pages: &mut [Page]) {
    if pages.len() < 2 {
        return;
    }
    let (mut texts, mut numbers) = (BTreeMap::new(), BTreeMap::new());
    for page in pages.iter() {
        let mut seen: Vec<(Height, String)> = lines(page).filter_map(|line| at_end(page, line)).collect();
        seen.sort();
        seen.dedup();
        for (height, text) in seen {
            if is_number(&text) {
                *numbers.entry(height.0).or_insert(0_usize) += 1;
            }
            *texts.entry((height, text)).or_insert(0_usize) += 1;
        }
    }
    let enough = (pages.len() / 3).max(2);
    let count = |height: Height, text: &str| -> usize {
        // A line that stands between two steps counts for both.
        let near = [-1, 0, 1].map(|by| ((height.0, height.1 + by), text.to_owned()));
        near.iter().filter_map(|key| texts.get(key)).sum()
    };
    for page in pages.iter_mut() {
        let repeated: Vec<bool> = page
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Line(line) => at_end(page, line).is_some_and(|(height, text)| {
                    let alone = is_number(&text) && numbers.get(&height.0).is_some_and(|pages| *pages >= 2);
                    alone || count(height, &text) >= enough
                }),
                Piece::Grid(_) => false,
            })
            .collect();
        let mut repeated = repeated.into_iter();
        page.pieces.retain(|_| !repeated.next().unwrap_or(false));
    }
}

fn lines(page: &Page) -> impl Iterator<Item = &Line> {
    page.pieces.iter().filter_map(|piece| match piece {
        Piece::Line(line) => Some(line),
        Piece::Grid(_) => None,
    })
}

/// Where a line stands that is at an end of its page, and its text without its numbers.
fn at_end(page: &Page, line: &Line) -> Option<(Height, String)> {
    let middle = (line.top + line.bottom) / 2.0;
    let head = middle > page.height * (1.0 - BAND);
    if !head && middle > page.height * BAND {
        return None;
    }
    let step = (middle / STEP).round();
    Some(((head, step as i64), without_numbers(&line.text)))
}

/// A text in small letters with each number as `#`.
fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.to_lowercase().chars() {
        if !letter.is_numeric() {
            plain.push(letter);
        } else if !plain.ends_with('#') {
            plain.push('#');
        }
    }
    plain
}

/// True for a page's number alone: `12`, `- 12 -`, `Page 3 of 9`, `iv`.
fn is_number(plain: &str) -> bool {
    let words = |letter: char| letter.is_whitespace() || "-–—|/.[]()".contains(letter);
    let mut parts = plain.split(words).filter(|part| !part.is_empty()).peekable();
    let roman = |part: &str| part.len() <= 6 && part.bytes().all(|letter| b"ivxl".contains(&letter));
    parts.peek().is_some()
        && parts.all(|part| matches!(part, "#" | "page" | "p" | "of" | "seite" | "von") || roman(part))
}
