//! Search results as text, and the place at which a query cannot be read.

use jiff::civil::Date;

use super::days::{days, until};
use super::graph::ends;
use super::{Page, count, tame};
use crate::index::Piece;
use crate::serve::{Asserted, SearchResult, SearchView, SupersededBy, TextState};

/// What was found, best first.
pub(in crate::cli) fn search(view: &SearchView, bold: bool) -> String {
    let mut page = Page::default();
    for (at, result) in view.results.iter().enumerate() {
        page.gap();
        one(&mut page, at + 1, result, bold);
    }
    page.gap();
    let day = view.as_of.map(|day| format!(" as of {day}")).unwrap_or_default();
    let shown: Vec<&str> = view.states.iter().map(|state| state.name()).collect();
    let shown = if shown.len() == 6 { String::new() } else { format!(" {}", shown.join(" or ")) };
    if view.results.is_empty() {
        page.line(0, format!("nothing{shown}{day} fits: {}", view.query));
    } else {
        let more = if view.more { "; there may be more (--limit)" } else { "" };
        page.line(0, format!("{}{shown}{day}{more}", count(view.results.len() as u64, "text")));
    }
    if !view.others.is_empty() {
        let others: Vec<String> =
            view.others.iter().map(|(state, number)| format!("{number} {state}")).collect();
        let least = if view.others_counted { "" } else { "at least " };
        page.line(
            0,
            format!("not shown, though they fit as well: {least}{} (--state all)", others.join(", ")),
        );
    }
    for one in &view.named {
        let key = one.key.split_once(':').map_or(one.key.as_str(), |(_, key)| key);
        let quoted = if key.chars().all(|c| c.is_alphanumeric() || c == '-') {
            key.to_owned()
        } else {
            format!("\"{key}\"")
        };
        page.line(
            0,
            format!(
                "`{}` is a name of {} ({}): entity:{quoted} finds the texts that mean it",
                view.query, one.name, one.key
            ),
        );
    }
    page.done()
}

fn one(page: &mut Page, number: usize, result: &SearchResult, bold: bool) {
    page.line(0, format!("{number}. {}  [{}]", result.at.in_file(&result.path), state(result)));
    let title = Some(&result.title).filter(|title| !title.is_empty() && !result.section.contains(*title));
    let above: Vec<&str> = title.into_iter().chain(&result.section).map(String::as_str).collect();
    if !above.is_empty() {
        page.line(2, above.join(" > "));
    }
    snippet(page, &result.snippet, bold);
    for by in result.superseded_by.iter().filter(|_| result.state == TextState::Superseded) {
        page.line(2, superseded(by));
    }
    for asserted in &result.asserts {
        edge(page, asserted);
    }
}

/// The state with its days.
fn state(result: &SearchResult) -> String {
    let mut text = result.state.name().to_owned();
    let whose = if result.by_document { ", as all that its document asserts" } else { "" };
    match (result.state, result.since, result.until) {
        (TextState::Expired, Some(since), _) => text.push_str(&format!("{whose}: {}", until(since))),
        (TextState::Mixed, Some(since), _) => {
            text.push_str(&format!(": current, and in part {}", until(since)));
        }
        (TextState::Future, _, Some(from)) => text.push_str(&format!(": from {from}")),
        (TextState::Superseded, Some(since), _) => text.push_str(&format!(" since {since}")),
        _ => {}
    }
    if let Some(note) = &result.note {
        text.push_str(&format!(", {note}"));
    }
    text
}

fn superseded(by: &SupersededBy) -> String {
    let day =
        |on: Option<Date>| on.map_or_else(|| "on an unknown day".to_owned(), |on| format!("from {on} on"));
    match &by.says {
        Some(quote) if by.waits => format!("superseded {}, which waits for a date: »{quote}«", day(by.on)),
        Some(says) => format!("superseded {} by: {says}", day(by.on)),
        None => format!("superseded {}", day(by.on)),
    }
}

fn edge(page: &mut Page, asserted: &Asserted) {
    let edge = &asserted.edge;
    let says = format!("{} {} {}", edge.subject.name, edge.edge_type, edge.object.name);
    let claims = if asserted.claims == "ends" { "says that it ended: " } else { "asserts: " };
    page.line(2, format!("{claims}{says}, {}; {}", days(edge), edge.state.name()));
    page.line(3, format!("{} → {}, fact {}", edge.subject.key, edge.object.key, edge.fact));
    ends(page, 3, edge);
}

/// A snippet with its hits marked; a terminal shows them bold as well.
fn snippet(page: &mut Page, pieces: &[Piece], bold: bool) {
    let mut line = String::new();
    for piece in pieces {
        let text = tame(&piece.text);
        match (piece.hit, bold) {
            (false, _) => line.push_str(&text),
            (true, false) => line.push_str(&format!("»{text}«")),
            (true, true) => line.push_str(&format!("»\u{1b}[1m{text}\u{1b}[0m«")),
        }
    }
    if !line.trim().is_empty() {
        page.tamed(2, &line);
    }
}

/// A query with a mark under the place at which it cannot be read.
pub(in crate::cli) fn pointer(query: &str, at: usize) -> String {
    let query: String = query.chars().map(|one| if one.is_whitespace() { ' ' } else { one }).collect();
    let before = query.get(..at).unwrap_or(&query);
    let width: usize = before.chars().map(columns).sum();
    format!("  {}\n  {}^", tame(&query), " ".repeat(width))
}

/// How many columns a character takes on a terminal, as far as carets need it.
fn columns(character: char) -> usize {
    match character {
        '\u{300}'..='\u{36f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_the_place() {
        assert_eq!(pointer("ab cd*ef", 5), "  ab cd*ef\n       ^");
        assert_eq!(pointer("飞行 \"x", 7), "  飞行 \"x\n       ^");
    }
}
