//! Snippets: the part of a text that shows best why it was found, with what was found marked.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Query;
use super::query::What;
use super::schema::words_of;
use crate::model::token::{Span, Token};

/// A piece of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// True if it is what was searched for.
    pub hit: bool,
}

/// A word of the text that is wanted, and by which parts of the query.
struct Wanted {
    span: Span,
    by: BTreeSet<usize>,
}

/// The best part of a text for a query, about `width` bytes long, cut at white space. Linear in the text.
pub fn snippet(query: &Query, text: &str, width: usize) -> Vec<Piece> {
    let words = words_of(text);
    let found = found_in(&words, &query.wanted());
    let window = window(text, &found, width);
    let mut marked: Vec<Span> = Vec::new();
    for one in found.iter().filter(|one| window.covers(&one.span)) {
        // What stands side by side is one hit to the eye.
        match marked.last_mut() {
            Some(last) if joins(Span { start: last.end, end: one.span.start }.of(text)) => {
                last.end = one.span.end;
            }
            _ => marked.push(one.span),
        }
    }
    let mut pieces = Vec::new();
    let mut add = |text: String, hit: bool| {
        if !text.is_empty() {
            pieces.push(Piece { text, hit });
        }
    };
    let mut at = window.start;
    let mut lead = if window.start > 0 { "…" } else { "" };
    for span in marked {
        add(format!("{lead}{}", Span { start: at, end: span.start }.of(text)), false);
        add(span.of(text).to_owned(), true);
        (at, lead) = (span.end, "");
    }
    let trail = if window.end < text.len() { "…" } else { "" };
    add(format!("{lead}{}{trail}", Span { start: at, end: window.end }.of(text)), false);
    pieces
}

fn joins(between: &str) -> bool {
    between.len() <= 2 && between.chars().all(|mark| mark.is_whitespace() || mark == '-')
}

/// The words of a text that are wanted.
fn found_in(words: &[Token], wanted: &[&What]) -> Vec<Wanted> {
    let mut by: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); words.len()];
    for (number, what) in wanted.iter().enumerate() {
        for at in 0..words.len() {
            for place in by.iter_mut().skip(at).take(matched(&words[at..], what)) {
                place.insert(number);
            }
        }
    }
    let found = words.iter().zip(by).filter(|(_, by)| !by.is_empty());
    found.map(|(word, by)| Wanted { span: word.span, by }).collect()
}

/// How many words from here on are what is wanted.
fn matched(words: &[Token], what: &What) -> usize {
    let row = |wanted: &[String]| {
        wanted.len() <= words.len() && wanted.iter().zip(words).all(|(wanted, word)| *wanted == word.folded)
    };
    match what {
        What::Words(wanted) if row(wanted) => wanted.len(),
        What::Beginning { before, beginning } => {
            let last =
                words.get(before.len()).is_some_and(|word| word.folded.starts_with(beginning.as_str()));
            if last && row(before) { before.len() + 1 } else { 0 }
        }
        What::Like { word, distance } => {
            let near = words
                .first()
                .is_some_and(|found| strsim::osa_distance(&found.folded, word) <= usize::from(*distance));
            usize::from(near)
        }
        What::Words(_) | What::Keys(_) => 0,
    }
}

/// The window with the most different parts of the query in it, then the most hits, then the first.
fn window(text: &str, found: &[Wanted], width: usize) -> Span {
    if text.len() <= width {
        return Span::new(0, text.len());
    }
    let mut best = (0, 0, 0, 0);
    let mut last = 0;
    for (first, from) in found.iter().enumerate() {
        while found.get(last).is_some_and(|next| next.span.end <= from.span.start + width) {
            last += 1;
        }
        let inside = &found[first..last.max(first)];
        let parts: BTreeSet<usize> = inside.iter().flat_map(|one| one.by.iter().copied()).collect();
        let rank = (parts.len(), inside.len());
        if rank > (best.0, best.1) {
            let end = inside.last().map_or(from.span.end, |one| one.span.end);
            best = (rank.0, rank.1, from.span.start, end);
        }
    }
    // What is left of the width stands around the hits, a third of it before them.
    let spare = width.saturating_sub(best.3 - best.2);
    let start = cut_back(text, best.2.saturating_sub(spare / 3), best.2);
    let end = cut(text, (start + width).min(text.len()), best.3);
    Span::new(start, end)
}

/// A place to begin at: the first word from `at` on, and not after `last`.
fn cut_back(text: &str, mut at: usize, last: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    if at == 0 || at >= last {
        return at.min(last);
    }
    let space = text[at..last].find(char::is_whitespace).map(|space| at + space);
    let start = space.unwrap_or(at);
    start + text[start..last].len() - text[start..last].trim_start().len()
}

/// A place to end at: after the last word before `at`, and not before `first`.
fn cut(text: &str, mut at: usize, first: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    if at <= first {
        return first;
    }
    match text[first..at].rfind(char::is_whitespace) {
        Some(space) => first + text[first..first + space].trim_end().len(),
        None => at,
    }
}
