//! What an evaluation came to: for people, and as a page of Markdown.

use super::{Page, count, tame};
use crate::diag::either;
use crate::run::eval::{Against, EvalReport, Figures, Miss, Party, Sentence, SetReport, Share, WhyKind};

/// The names of the figures as columns.
const COLUMNS: [&str; 5] = ["precision", "recall", "F1", "valid_from", "valid_to"];

/// An evaluation, at most so many of each list.
pub(in crate::cli) fn evaluated(report: &EvalReport, limit: usize) -> String {
    let mut page = Page::default();
    for set in &report.sets {
        page.gap();
        page.line(0, headline(report, set));
        page.line(1, rows(set));
        set.notes.iter().flat_map(|note| note.lines()).for_each(|line| page.line(1, line));
        page.gap();
        figures(&mut page, set);
        for (title, items) in sections(set, limit) {
            page.gap();
            page.line(0, title);
            for item in items {
                page.line(1, &item.says);
                item.below.iter().for_each(|line| page.line(2, line));
            }
        }
    }
    page.done()
}

/// An evaluation as a page of Markdown, at most so many of each list.
pub(in crate::cli) fn evaluated_page(report: &EvalReport, limit: usize) -> String {
    let mut page = String::new();
    for set in &report.sets {
        if !page.is_empty() {
            page.push('\n');
        }
        page.push_str(&format!("## {}\n\n{}\n\n", plain(&headline(report, set)), plain(&rows(set))));
        set.notes.iter().for_each(|note| page.push_str(&format!("{}\n\n", plain(note))));
        page.push_str("| | hits | false | missed | precision | recall | F1 | valid_from | valid_to |\n");
        page.push_str("|---|---|---|---|---|---|---|---|---|\n");
        for one in lines(set) {
            let shares: Vec<String> = one.shares().iter().map(shown).collect();
            let name = plain(&one.name).replace('|', "\\|");
            let Figures { hits, false_positives, misses, .. } = one;
            let shares = shares.join(" | ");
            page.push_str(&format!("| {name} | {hits} | {false_positives} | {misses} | {shares} |\n"));
        }
        for (title, items) in sections(set, limit) {
            page.push_str(&format!("\n### {}\n\n", plain(&title)));
            for item in items {
                page.push_str(&format!("- {}\n", plain(&item.says)));
                item.below.iter().for_each(|line| page.push_str(&format!("  - {}\n", plain(line))));
            }
        }
    }
    page
}

/// A foreign text in a page of Markdown: on one line, its marks as they are.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in tame(text).chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#') {
            plain.push('\\');
        }
        plain.push(character);
    }
    plain
}

fn headline(report: &EvalReport, set: &SetReport) -> String {
    let map = set.map.as_ref().map(|map| format!(", read by {map}")).unwrap_or_default();
    let job = set.job.as_ref().map(|job| format!(" of the job {job}")).unwrap_or_default();
    let day = report.as_of.map(|day| format!(" as of {day}")).unwrap_or_default();
    format!("{}{job}{map}: generation {}{day}", set.golden, report.generation)
}

fn rows(set: &SetReport) -> String {
    let rows = &set.rows;
    let mut text = format!(
        "{}: {} must be found ({})",
        count(rows.all, "row"),
        rows.asked,
        count(rows.questions, "question")
    );
    if rows.may > 0 {
        text.push_str(&format!(", {} may be", rows.may));
    }
    if rows.not_judged > 0 {
        text.push_str(&format!(", {} of others are left out", rows.not_judged));
    }
    if rows.not_judged_unknown > 0 {
        text.push_str(&format!(" ({} of names that mean nobody)", rows.not_judged_unknown));
    }
    let judged = either(set.judged, "entity is", "entities are");
    format!("{text}; {judged} judged")
}

/// The lines of the table: types, groups, all.
fn lines(set: &SetReport) -> impl Iterator<Item = &Figures> {
    set.types.iter().chain(&set.groups).chain([&set.all])
}

fn figures(page: &mut Page, set: &SetReport) {
    let width = lines(set).map(|one| tame(&one.name).chars().count()).max().unwrap_or_default();
    let heads: Vec<String> = COLUMNS.iter().map(|name| format!("{name:<19}")).collect();
    page.line(0, format!("{:<width$}   hits  false missed  {}", "", heads.join("  ")).trim_end());
    for one in lines(set) {
        let shares: Vec<String> = one.shares().iter().map(|share| format!("{:<19}", shown(share))).collect();
        let name = tame(&one.name);
        let Figures { hits, false_positives, misses, .. } = one;
        let line =
            format!("{name:<width$}  {hits:>5}  {false_positives:>5}  {misses:>5}  {}", shares.join("  "));
        page.line(0, line.trim_end());
    }
}

/// A share with its interval: `0.950 (0.93–0.97)`.
fn shown(share: &Share) -> String {
    match share.share {
        Some(value) => format!("{value:.3} ({:.3}–{:.3})", share.low, share.high),
        None => "–".to_owned(),
    }
}

/// An item of a list with what stands below it.
struct Item {
    says: String,
    below: Vec<String>,
}

/// The lists that are not empty, each with its title.
fn sections(set: &SetReport, limit: usize) -> Vec<(String, Vec<Item>)> {
    let mut sections = Vec::new();
    let below = set.below.iter().map(|one| {
        let is = one.is.map_or_else(|| "not measured".to_owned(), |is| format!("{is:.3}"));
        Item { says: format!("{} of {}: {is}, below {}", one.figure, one.name, one.floor), below: Vec::new() }
    });
    add(&mut sections, "below their floor", set.below.len(), below, usize::MAX);
    let wrong = set.false_positives.iter().map(|one| Item {
        says: format!(
            "{} {} {} {}",
            party(&one.subject),
            one.edge_type,
            party(&one.object),
            one.intervals.join(" ")
        ),
        below: quoted(one.sentence.as_ref()),
    });
    add(&mut sections, "found, and not in the file", set.false_positives.len(), wrong, limit);
    let misses = set.misses.iter().map(|miss| {
        let reason = miss.why.iter().map(|why| why.text.clone());
        let sentence = quoted(miss.why.as_ref().and_then(|why| why.sentence.as_ref()));
        Item { says: missed(miss), below: reason.chain(sentence).collect() }
    });
    add(&mut sections, &missed_title(set), set.misses.len(), misses, limit);
    let dates = set.wrong_dates.iter().map(|one| Item {
        says: format!(
            "{} {} {}: {} in the file{}, {} in the graph",
            party(&one.subject),
            one.edge_type,
            party(&one.object),
            one.told.join(" "),
            at_lines(&one.lines),
            one.has.join(" ")
        ),
        below: quoted(one.sentence.as_ref()),
    });
    add(&mut sections, "found with other dates", set.wrong_dates.len(), dates, limit);
    if let Some(against) = &set.against {
        compared(&mut sections, against, limit);
    }
    sections
}

fn add(
    sections: &mut Vec<(String, Vec<Item>)>,
    title: &str,
    all: usize,
    items: impl Iterator<Item = Item>,
    limit: usize,
) {
    if all == 0 {
        return;
    }
    let mut listed: Vec<Item> = items.take(limit).collect();
    if listed.len() < all {
        listed.push(Item { says: format!("and {} more", all - listed.len()), below: Vec::new() });
    }
    sections.push((format!("{title} ({all})"), listed));
}

/// The kinds of misses are counted where all of them are explained.
fn missed_title(set: &SetReport) -> String {
    let mut counts = std::collections::BTreeMap::<WhyKind, usize>::new();
    for miss in &set.misses {
        let Some(why) = &miss.why else { return "in the file, and not found".to_owned() };
        *counts.entry(why.kind).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.into_iter().map(|(kind, number)| format!("{number} {}", kind.words())).collect();
    format!("in the file, and not found: {}", counts.join(", "))
}

fn missed(miss: &Miss) -> String {
    format!(
        "{} {} {}{}",
        party(&miss.subject),
        miss.types.join(" or "),
        party(&miss.object),
        at_lines(&miss.lines)
    )
}

fn at_lines(lines: &[u32]) -> String {
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    match lines.len() {
        0 => String::new(),
        1 => format!(" (line {})", lines.concat()),
        _ => format!(" (lines {})", lines.join(", ")),
    }
}

/// A name with its key, unless that says no more.
fn party(party: &Party) -> String {
    match &party.key {
        Some(key) if key.split_once(':').is_some_and(|(_, key)| key == party.name) => party.name.clone(),
        Some(key) => format!("{} ({key})", party.name),
        None => format!("\"{}\"", party.name),
    }
}

fn quoted(sentence: Option<&Sentence>) -> Vec<String> {
    let Some(sentence) = sentence else { return Vec::new() };
    vec![format!("{}: »{}«", sentence.place, sentence.quote)]
}

fn compared(sections: &mut Vec<(String, Vec<Item>)>, against: &Against, limit: usize) {
    let plain = |says: &String| Item { says: says.clone(), below: Vec::new() };
    let figure = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    let moved = against.moved.iter().map(|one| Item {
        says: format!("{} of {}: {} → {}", one.figure, one.name, figure(one.was), figure(one.is)),
        below: Vec::new(),
    });
    let since = format!("moved since generation {}", against.generation);
    add(sections, &since, against.moved.len(), moved, usize::MAX);
    let lists = [
        ("newly missed", &against.new_misses),
        ("no longer missed", &against.gone_misses),
        ("newly found, and not in the file", &against.new_false_positives),
        ("no longer found, and not in the file", &against.gone_false_positives),
    ];
    for (title, list) in lists {
        add(sections, title, list.len(), list.iter().map(plain), limit);
    }
    if against.moved.is_empty() && lists.iter().all(|(_, list)| list.is_empty()) {
        sections.push((format!("nothing moved since generation {}", against.generation), Vec::new()));
    }
}
