//! Where the sentences of a text are. A text and a language come in, spans go out.

use super::Language;
use crate::model::token::{Span, fold};

/// Quotation marks and brackets shield the stops inside them only up to this many bytes: an unclosed
/// mark that happens to meet a closing one pages later must not glue a document together.
const LONGEST_SHIELD: usize = 1_500;

/// The longest text before a stop that is compared with the abbreviations, in bytes.
const LONGEST_ABBREVIATION: usize = 20;

pub(super) fn split(language: &Language, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for paragraph in paragraphs(text) {
        split_paragraph(language, text, paragraph, &mut found);
    }
    found
}

/// The runs of lines without a blank line in them.
fn paragraphs(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            found.push(Span::new(start, at));
            start = at + line.len();
        }
        at += line.len();
    }
    found.push(Span::new(start, at));
    found.retain(|span| !span.of(text).trim().is_empty());
    found
}

fn split_paragraph(language: &Language, text: &str, paragraph: Span, found: &mut Vec<Span>) {
    let body = paragraph.of(text);
    let shields = shields(body);
    let mut shield = 0;
    let mut start = 0;
    // Whether a letter or digit stands between `start` and `seen`: a sentence has at least one.
    let (mut has_words, mut seen) = (false, 0);
    let mut stops = body.char_indices().filter(|(_, character)| is_stop(*character)).peekable();
    while let Some((stop, _)) = stops.next() {
        while shields.get(shield).is_some_and(|span| span.end <= stop) {
            shield += 1;
        }
        let end = end_of_stop(body, stop);
        while stops.next_if(|(next, _)| *next < end).is_some() {}
        // A stop at the very end of a quotation may end the sentence with it: `… "as is." The …`.
        has_words = has_words || body[seen.min(stop)..stop].chars().any(char::is_alphanumeric);
        seen = end;
        let inside = shields.get(shield).is_some_and(|span| span.start < stop && end < span.end);
        if inside || !has_words || !begins_sentence(&body[end..]) || goes_on(language, body, start, stop, end)
        {
            continue;
        }
        push(body, paragraph.start, Span::new(start, end), found);
        start = end;
        has_words = false;
    }
    push(body, paragraph.start, Span::new(start, body.len()), found);
}

fn push(body: &str, offset: usize, span: Span, found: &mut Vec<Span>) {
    let text = span.of(body);
    let start = span.start + (text.len() - text.trim_start().len());
    let end = start + text.trim().len();
    if start < end {
        found.push(Span::new(start, end).shifted(offset));
    }
}

fn is_stop(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

fn is_closing(character: char) -> bool {
    matches!(character, '"' | '\'' | ')' | ']' | '}' | '\u{201d}' | '\u{2019}' | '\u{bb}' | '\u{203a}')
}

/// The end of a run of stops with the closing marks after it.
fn end_of_stop(body: &str, stop: usize) -> usize {
    let rest = &body[stop..];
    rest.char_indices()
        .find(|(_, character)| !is_stop(*character) && !is_closing(*character))
        .map_or(body.len(), |(at, _)| stop + at)
}

/// True if what follows a stop looks like the start of a sentence.
fn begins_sentence(rest: &str) -> bool {
    let next = rest.trim_start();
    let Some(first) = next.chars().next() else { return false };
    let ideographic = matches!(first, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    if next.len() == rest.len() && !ideographic {
        return false;
    }
    let opening = matches!(
        first,
        '"' | '\'' | '(' | '[' | '\u{201c}' | '\u{201e}' | '\u{2018}' | '\u{ab}' | '§' | '•' | '…'
    );
    opening || first.is_numeric() || (first.is_alphabetic() && !first.is_lowercase())
}

/// True if the stop belongs to an abbreviation, an initial or a label, so that the sentence goes on.
fn goes_on(language: &Language, body: &str, start: usize, stop: usize, end: usize) -> bool {
    let before = &body[start..stop];
    if !body[stop..].starts_with('.') || body[stop..end].chars().filter(|c| is_stop(*c)).count() > 1 {
        return false;
    }
    if is_label(language, before) {
        return true;
    }
    let word = fold(last_word(before));
    let opener = || language.openers.contains(&fold(first_word(&body[end..])));
    if word.chars().count() == 1 && !is_persons_initial(language, before) {
        return false;
    }
    if is_initials(&word) || language.abbreviations_at_end.contains(&word) {
        return !opener();
    }
    // A bracket or quotation mark after the stop closes more than the abbreviation.
    language.abbreviations.contains(&word) && !(end > stop + 1 && opener())
}

/// The text since the last space or opening mark: `U.S`, `No`, `e.g`.
fn last_word(before: &str) -> &str {
    let mut from = before.len().saturating_sub(LONGEST_ABBREVIATION);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let tail = &before[from..];
    let cut = |character: char| {
        character.is_whitespace()
            || matches!(character, '(' | '[' | '"' | '\'' | '\u{201c}' | '\u{2018}' | ',' | ';' | '\u{2014}')
    };
    tail.rsplit(cut).next().unwrap_or_default()
}

fn first_word(rest: &str) -> &str {
    let rest = rest.trim_start_matches(|character: char| !character.is_alphanumeric());
    rest.split(|character: char| !character.is_alphanumeric()).next().unwrap_or_default()
}

/// Tells the `J` of "J. Smith" from the `X` of "supplies X.", by the word before it.
fn is_persons_initial(language: &Language, before: &str) -> bool {
    let before = before.trim_end_matches(|character: char| !character.is_whitespace()).trim_end();
    let word = last_word(before);
    let capital = word.chars().next().is_some_and(char::is_uppercase);
    let name = capital && !language.labels.contains(&fold(word));
    before.is_empty()
        || before.ends_with(['.', ',', '('])
        || name
        || language.before_initials.contains(&fold(word))
}

/// `j`, `u.s`, `j.r.r`: single letters between stops.
fn is_initials(word: &str) -> bool {
    word.split('.').all(|part| {
        let mut letters = part.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    })
}

/// True for the number at the start of a sentence: `2`, `3.1`, `iv`, `(a)`, `Section 4`, `ARTICLE II`.
fn is_label(language: &Language, before: &str) -> bool {
    let mut words = before.split_whitespace();
    let (first, second, third) = (words.next().unwrap_or_default(), words.next(), words.next());
    match (second, third) {
        (None, _) => is_number(first),
        (Some(number), None) => {
            (language.labels.contains(&fold(first.trim_end_matches('.'))) || first == "§")
                && is_number(number)
        }
        _ => false,
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.chars().any(|character| character.is_ascii_digit())
        && word.split(['.', '-', '(', ')']).all(|part| part.len() <= 3 && part.is_ascii());
    let roman = word.len() <= 6
        && !word.is_empty()
        && word.to_ascii_lowercase().chars().all(|character| "ivxlc".contains(character));
    let letter = word.len() == 1 && word.chars().all(char::is_alphabetic);
    digits || roman || letter
}

/// The outermost pairs of double quotation marks and round brackets that are closed in the same paragraph.
fn shields(body: &str) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let mut quote: Option<usize> = None;
    let mut brackets: Vec<usize> = Vec::new();
    let mut before = ' ';
    let mut characters = body.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let opens = matches!(character, '\u{201c}' | '\u{201e}' | '\u{ab}')
            || (character == '"'
                && !before.is_alphanumeric()
                && !is_closing(before)
                && !next.is_whitespace());
        let closes = matches!(character, '\u{201d}' | '\u{bb}' | '"') && !before.is_whitespace();
        match (character, quote) {
            ('(', None) => brackets.push(at),
            (')', None) => {
                if let Some(start) = brackets.pop() {
                    add_shield(&mut found, Span::new(start, at + 1));
                }
            }
            // An English pair may close with the mark that opens a German one ends with.
            (_, Some(start))
                if closes || (character == '\u{201c}' && body[start..].starts_with('\u{201e}')) =>
            {
                add_shield(&mut found, Span::new(start, at + character.len_utf8()));
                quote = None;
            }
            (_, None) if opens => quote = Some(at),
            (_, Some(_)) if matches!(character, '\u{201c}') => quote = Some(at),
            _ => {}
        }
        before = character;
    }
    found
}

/// Adds a pair; the pairs inside it go, so that the list ascends without overlaps.
fn add_shield(found: &mut Vec<Span>, pair: Span) {
    if pair.end - pair.start > LONGEST_SHIELD {
        return;
    }
    while found.last().is_some_and(|inner| pair.covers(inner)) {
        found.pop();
    }
    found.push(pair);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<&str> {
        let spans = Language::of("en").unwrap().sentences(text);
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{text}");
        spans.iter().map(|span| span.of(text)).collect()
    }

    /// `|` marks where a sentence must end.
    fn check(marked: &str) {
        let expected: Vec<&str> = marked.split('|').map(str::trim).collect();
        let text = marked.replace('|', "");
        assert_eq!(show(&text), expected);
    }

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        for marked in [
            "Acme Corp. shall deliver.| It may not.",
            "Art. 7, Mfr. No. 12 applies.",
            "TechChip, Inc. supplies X.| ShenzenChip ended.",
            "on Jan. 5, 2024.| Then",
            "U.S. Navy",
            "3.5 kg.| Next",
            "e.g. this",
            "Signed by J. Smith.| Schedule A. New prices.",
            "It is sold by TechChip, Inc.| The Supplier agrees.",
            "Dr. J. R. Smith signed for Acme Ltd. Berlin on Dec. 3.| Mr. Wu did not.",
            "2. The Supplier shall sell.| 3. The Buyer shall pay.",
            "Section 4. Deliveries leave on Tuesdays.| Under Section 4.| Deliveries stop.",
            "ARTICLE II. Term. ",
            "He asked: \"Why?\"| She left!| \"Never.\"| So be it.",
            "The phrase \"S supplies C. It does.\" is struck.| New text.",
            "It ends (see Fig. 3. Also Fig. 4) today; the rest stays.| (See below.)",
            "The seal is 5\" wide.| The next is 6\" wide.| Done.",
            "Wait... what?| Yes.",
            "… TechChip, Inc. (\"Supplier\") …| Supplier shall sell the FCU.",
            "We meet at 9 a.m. in Bonn.| At 5 p.m.| The rest goes.",
            "first paragraph without a stop\n\n| second one\nruns on a line.| End",
            "The U.S. Government and U.S.C. Title 5 apply.| It is so in the U.S.| This holds.",
            "Version 1.2.3 of foo.bar is fine.| 12 remain.",
            "“Quoted. Text.” and on.| Then “more.”| End.",
            "飞行控制。| 下一句。",
            "as of September ___, 2019.| It holds.",
        ] {
            check(marked.trim());
        }
    }

    #[test]
    fn hostile_texts_have_sound_spans() {
        let pieces = ["\"", "(", ")", ". ", "A", "…", "\n\n", "“", "é", "\u{300}", "1.", "Inc.", "\t", "."];
        let mut seed = 7_u64;
        for _ in 0..3_000 {
            let mut text = String::new();
            for _ in 0..30 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            for sentence in show(&text) {
                assert!(!sentence.is_empty() && sentence.trim() == sentence);
            }
        }
    }

    #[test]
    fn long_texts_take_linear_time() {
        for piece in ["(", "\"a ", ". ", "A. ", ". A", "”", "Inc. "] {
            show(&piece.repeat(50_000));
        }
    }
}
