//! The words by which a store finds the chunks that may contain a name, before the linker confirms it.
//!
//! A name can stand in a text in another division than its own: "FCU-9" as "FCU 9" or "FCU9", "Flight
//! Control" as "FlightControl". What no division changes is the row of its letters and digits, and that a
//! mention begins at a word boundary. So a text is indexed by the first few letters from each boundary on,
//! and a name is looked up by its own first few. Zeros are left out of the row on both sides, because a
//! style may ignore those at the front of a number.

use compact_str::CompactString;

use crate::model::token::tokens;

use super::normal::{Piece, pieces, without_zeros};

/// The lengths of the beginnings that are indexed. A name is looked up by the longest that it fills; more
/// lengths would make the index larger, fewer would make short codes hard to find.
const LENGTHS: [usize; 5] = [1, 2, 3, 5, CODE];
/// The length of a beginning that is indexed only if it has a digit: what tells "Law 25-84" from "Law 25-91" is its
/// number, and words without one are told apart by less.
const CODE: usize = 8;

/// True if a beginning of so many letters is indexed.
fn is_indexed(letters: usize, has_digit: bool) -> bool {
    LENGTHS.contains(&letters) && (letters < CODE || has_digit)
}
/// What stands for a name that begins with a number made of zeros only.
const ZERO: &str = "0";

/// The words of a text, sorted: its folded words, numbers and ideographs (numbers without leading zeros
/// too), and the beginnings by which [`lookup_word`] finds names in it.
///
/// For every name that the linker can find in the text, whatever its style, `lookup_word` of the name is
/// among them.
pub fn index_words(text: &str) -> Vec<CompactString> {
    let found = tokens(text);
    let pieces = pieces(text, &found);
    // The row from each piece to the right; built from the right, so that each is made of the next one. All of
    // them stand in one text, and words are slices until it is known which are there once.
    let mut rows = String::with_capacity(CODE * pieces.len());
    let mut placed = vec![(0, 0); pieces.len()];
    for (at, piece) in pieces.iter().enumerate().rev() {
        let next = placed.get(at + 1).copied().unwrap_or_default();
        let start = rows.len();
        let mut room = CODE;
        rows.extend(letters(piece).take(CODE).inspect(|_| room -= 1));
        let behind = next.0 + rows[next.0..next.1].chars().take(room).map(char::len_utf8).sum::<usize>();
        rows.extend_from_within(next.0..behind);
        placed[at] = (start, rows.len());
    }
    let mut words: Vec<(u64, &str)> = Vec::with_capacity(4 * pieces.len());
    let mut add = |word| words.push((first_bytes(word), word));
    for (piece, (start, end)) in pieces.iter().zip(placed) {
        if !piece.is_mark() {
            add(&*piece.folded);
        }
        if piece.is_number() {
            add(without_zeros(&piece.folded));
        }
        if piece.joined || !piece.has_letters() {
            continue;
        }
        if begins_with_zero(piece) {
            add(ZERO);
        }
        let row = &rows[start..end];
        let has_digit = row.bytes().any(|byte| byte.is_ascii_digit());
        let ends = row.char_indices().map(|(at, _)| at).skip(1).chain([row.len()]);
        let beginnings = ends.enumerate().filter(|(before, _)| is_indexed(before + 1, has_digit));
        beginnings.filter(|(_, end)| *end > 0).for_each(|(_, end)| add(&row[..end]));
    }
    // Sorted once at the end: most of what a text gives is there several times.
    words.sort_unstable();
    words.dedup();
    words.into_iter().map(|(_, word)| CompactString::new(word)).collect()
}

/// The first bytes of a word as a number that sorts as they do: two words mostly differ in them.
fn first_bytes(word: &str) -> u64 {
    let mut first = [0; 8];
    let most = word.len().min(first.len());
    first[..most].copy_from_slice(&word.as_bytes()[..most]);
    u64::from_be_bytes(first)
}

/// The word to look up for a name; `None` if the name has no letter and no digit, and every chunk must be
/// looked at.
///
/// It is made of the name up to its last number, else of its first word only: what follows may be a legal form, which a
/// text may leave out.
pub fn lookup_word(name: &str) -> Option<String> {
    let found = tokens(name);
    let pieces = pieces(name, &found);
    let first = pieces.iter().position(Piece::has_letters)?;
    let mut end = first + 1;
    // One ideograph says too little. A core keeps at least two, so a second one is always there.
    if pieces[first].is_ideograph() && pieces.get(end).is_some_and(Piece::is_ideograph) {
        end += 1;
    }
    let number = pieces.iter().rposition(Piece::is_number).map_or(0, |last| last + 1);
    lookup_of(&pieces[first..end.max(number)])
}

/// The word to look up for pieces that every text which names them has.
pub(super) fn lookup_of(pieces: &[Piece<'_>]) -> Option<String> {
    let first = pieces.iter().position(Piece::has_letters)?;
    let row: Vec<char> = pieces[first..].iter().flat_map(letters).take(CODE).collect();
    let has_digit = row.iter().any(char::is_ascii_digit);
    match LENGTHS.into_iter().rev().find(|length| *length <= row.len() && is_indexed(*length, has_digit)) {
        Some(length) => Some(row[..length].iter().collect()),
        None => Some(ZERO.to_owned()),
    }
}

/// The letters and digits of a piece, without zeros.
fn letters<'p>(piece: &'p Piece<'_>) -> impl Iterator<Item = char> + use<'p> {
    let folded: &'p str = &piece.folded;
    folded.chars().filter(|character| character.is_alphanumeric() && *character != '0')
}

fn begins_with_zero(piece: &Piece<'_>) -> bool {
    piece.folded.chars().find(|character| character.is_alphanumeric()) == Some('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_division_hides_a_name() {
        for text in ["the FCU-9 is", "the FCU9 is", "the FCU 009 is", "the F C-U 9 is"] {
            assert!(index_words(text).contains(&"fcu".into()), "{text}");
        }
        for text in ["a FlightControl", "a Flight Control", "a Flight-\u{ad}Control", "a F light"] {
            assert!(index_words(text).contains(&lookup_word("Flight Control").unwrap().into()), "{text}");
        }
        assert!(index_words("FCU 009").contains(&"9".into()));
        assert!(index_words("TechChip").contains(&"techchip".into()));
    }

    #[test]
    fn words_of_a_text_are_sorted_and_there_once() {
        assert_eq!(index_words("A 09 b"), ["0", "09", "9", "9b", "a", "a9", "a9b", "b"]);
        let long = ["i", "in", "int", "inter", "international", "internationally"];
        assert_eq!(index_words("internationally international Inter"), long);
        assert_eq!(index_words("飞行 é"), ["é", "行", "行é", "飞", "飞行", "飞行é"]);
    }

    #[test]
    fn words_to_look_up() {
        let word = |name: &str| lookup_word(name).unwrap_or_default();
        assert_eq!(word("TechChip, Inc."), "techc");
        assert_eq!(word("AB Inc"), "ab");
        assert_eq!(word("(007) x"), "7");
        assert_eq!(word("000"), "0");
        assert_eq!(word("华为技术"), "华为");
        assert_eq!(word("+++"), "");
        assert_eq!(word("D.C. Law 25-84"), "dclaw258");
        assert_eq!(word("Act 25-172"), "act25172");
        assert_eq!(word("Studio 54 Inc"), "studio54");
        assert_eq!(word("Acme 3 plc"), "acme3");
    }
}
