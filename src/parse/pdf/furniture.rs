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

/// Takes away lines at the head and foot that stand there on several pages: the same to the letter, or the same with a
/// first number that grows with the pages, on at least two pages and a third of them. "Article 12" on one page and
/// "Article 17" on the next are headings of the text.
pub(super) fn remove(pages: &mut [Page]) {
    if pages.len() < 2 {
        return;
    }
    let mut texts: BTreeMap<(Height, String), usize> = BTreeMap::new();
    for (number, page) in pages.iter().enumerate() {
        let mut seen: Vec<(Height, String)> =
            lines(page).filter_map(|line| at_end(page, line)).flat_map(|at| forms(&at, number)).collect();
        seen.sort();
        seen.dedup();
        for key in seen {
            *texts.entry(key).or_default() += 1;
        }
    }
    let enough = (pages.len() / 3).max(2);
    let count = |(height, text): &(Height, String)| -> usize {
        // A line that stands between two steps counts for both.
        let near = [-1, 0, 1].map(|by| ((height.0, height.1 + by), text.clone()));
        near.iter().filter_map(|key| texts.get(key)).sum()
    };
    for (number, page) in pages.iter_mut().enumerate() {
        let repeated: Vec<bool> = page
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Line(line) => at_end(page, line)
                    .is_some_and(|at| forms(&at, number).iter().any(|form| count(form) >= enough)),
                Piece::Grid(_) => false,
            })
            .collect();
        let mut repeated = repeated.into_iter();
        page.pieces.retain(|_| !repeated.next().unwrap_or(false));
    }
}

/// As what a line counts: itself, and if it has a number, what it is beside its first number and how far that number
/// is ahead of the page's.
fn forms((height, text): &(Height, String), page: usize) -> Vec<(Height, String)> {
    let mut forms = vec![(*height, text.clone())];
    let (before, rest) =
        text.split_at(text.find(|letter: char| letter.is_ascii_digit()).unwrap_or(text.len()));
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if let Ok(number) = rest[..digits].parse::<u32>() {
        let ahead = i64::from(number) - page as i64;
        forms.push((*height, format!("{before}#{ahead}{}", &rest[digits..])));
    } else if let Some(number) = roman(text.trim_matches(|letter: char| !letter.is_alphanumeric())) {
        forms.push((*height, format!("roman #{}", number - page as i64)));
    }
    forms
}

/// A roman numeral in small letters, as a preface's pages have.
fn roman(text: &str) -> Option<i64> {
    let value = |letter: char| {
        Some(match letter {
            'i' => 1,
            'v' => 5,
            'x' => 10,
            'l' => 50,
            _ => return None,
        })
    };
    let values: Vec<i64> = text.chars().map(value).collect::<Option<_>>()?;
    let signed = values
        .iter()
        .enumerate()
        .map(|(at, one)| if values.get(at + 1).is_some_and(|next| next > one) { -one } else { *one });
    (!values.is_empty() && values.len() <= 6).then(|| signed.sum())
}

fn lines(page: &Page) -> impl Iterator<Item = &Line> {
    page.pieces.iter().filter_map(|piece| match piece {
        Piece::Line(line) => Some(line),
        Piece::Grid(_) => None,
    })
}

/// Where a line stands that is at an end of its page, and its text in small letters.
fn at_end(page: &Page, line: &Line) -> Option<(Height, String)> {
    let middle = (line.top + line.bottom) / 2.0;
    let head = middle > page.height * (1.0 - BAND);
    if !head && middle > page.height * BAND {
        return None;
    }
    let step = (middle / STEP).round();
    Some(((head, step as i64), line.text.to_lowercase()))
}
