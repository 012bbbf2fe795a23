//! The evidence for an edge, as a note that a lawyer could file.

use std::collections::BTreeMap;

use super::days::days;
use super::graph::ends;
use super::{Page, count};
use crate::serve::{DateRead, EvidenceView, WhyFact, WhyView};

/// Why the graph says what it says. `asked` is the question, for an answer that is empty.
pub(in crate::cli) fn why(view: &WhyView, asked: &str) -> String {
    let mut page = Page::default();
    if view.facts.is_empty() {
        let day = view.as_of.map(|day| format!(", as of {day}")).unwrap_or_default();
        page.line(0, format!("the graph holds no such edge{day}: {asked}"));
        page.line(1, "`edgewright show NAME --state all` lists ended edges and what waits in quarantine");
    }
    for fact in &view.facts {
        page.gap();
        one_fact(&mut page, fact);
    }
    page.done()
}

fn one_fact(page: &mut Page, fact: &WhyFact) {
    page.line(0, &fact.says);
    page.line(1, format!("{} {} {}, fact {}", fact.subject.key, fact.edge_type, fact.object.key, fact.fact));
    for edge in &fact.edges {
        page.line(1, format!("{}; {}", days(edge), edge.state.name()));
        for (name, value) in edge.identity.iter().chain(&edge.properties) {
            page.line(2, format!("{name}: {value}"));
        }
        ends(page, 2, edge);
    }
    page.line(1, format!("attested by {}", count(fact.evidence.len() as u64, "source passage")));
    for (at, one) in fact.evidence.iter().enumerate() {
        evidence(page, at + 1, one);
    }
    if !fact.lost.is_empty() {
        page.line(1, "read and not standing");
        for lost in &fact.lost {
            page.line(2, format!("{}: {} ({}), {} stands", lost.name, lost.value, lost.at, lost.instead));
        }
    }
    for decision in &fact.decisions {
        let on = decision.document.as_ref().map(|document| format!(", on {document}")).unwrap_or_default();
        page.line(
            1,
            format!(
                "decision {}: {} by {} at {}{on}",
                decision.number, decision.answer, decision.by, decision.at
            ),
        );
    }
    for flip in &fact.flips {
        let parts: Vec<String> = [("begins", &flip.begins), ("ends", &flip.ends)]
            .iter()
            .flat_map(|(word, facts)| facts.iter().map(move |says| format!("{says} {word}")))
            .collect();
        page.line(1, format!("on {} the answer changes: {}", flip.on, parts.join("; ")));
    }
}

fn evidence(page: &mut Page, number: usize, one: &EvidenceView) {
    let source = match (&one.feed, &one.row) {
        (Some(_), _) if one.edit.is_some() => "by hand".to_owned(),
        (Some(feed), Some(row)) => format!("feed {feed}, row {row} ({})", one.at.in_file(&one.path)),
        _ => one.at.in_file(&one.path),
    };
    let headings =
        if one.headings.is_empty() { String::new() } else { format!("  § {}", one.headings.join(" > ")) };
    let mark = match (one.claims.as_str(), one.defines) {
        ("ends", _) => " (says that it has ended)",
        (_, false) => " (joins; its dates move nothing)",
        _ => "",
    };
    page.line(2, format!("{number}. {source}{headings}{mark}"));
    match &one.context {
        Some(context) if !context.marked.is_empty() => {
            page.line(3, format!("{}»{}«{}", context.before, context.marked, context.after));
        }
        _ if !one.cells.is_empty() && one.edit.is_none() => page.line(3, cells(&one.cells)),
        _ => page.line(3, format!("»{}«", one.quote)),
    }
    if let Some(edit) = &one.edit {
        page.line(
            3,
            format!("edit {} by {} at {}: {} ({})", edit.number, edit.by, edit.at, edit.reason, edit.ticket),
        );
    }
    for support in &one.support {
        let line = support.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        page.line(3, format!("{}{line}: \"{}\"", support.role, support.text));
    }
    let confidence = one.confidence.map(|number| format!(", confidence {number}")).unwrap_or_default();
    page.line(3, format!("rule {}{confidence}", one.rule));
    date(page, "from", one.valid_from.as_ref());
    date(page, "to", one.valid_to.as_ref());
    if !one.properties.is_empty() {
        page.line(3, format!("read: {}", cells(&one.properties)));
    }
    if one.earlier_version {
        page.line(3, "kept from an earlier version of the document");
    }
    if let Some(left) = &one.left {
        page.line(3, format!("its text left: {left}"));
    }
}

fn date(page: &mut Page, side: &str, read: Option<&DateRead>) {
    let Some(read) = read else { return };
    match read.day {
        // Said twice where the words are the day already.
        Some(day) if side == "from" && read.text == day.to_string() => page.line(3, format!("from: {day}")),
        Some(day) if side == "to" => page.line(3, format!("to: {} (first day after: {day})", read.text)),
        Some(day) => page.line(3, format!("{side}: {} ({day})", read.text)),
        None => page.line(3, format!("{side}: {}", read.text)),
    }
}

fn cells(cells: &BTreeMap<String, String>) -> String {
    let cells: Vec<String> = cells.iter().map(|(name, value)| format!("{name}={value}")).collect();
    cells.join(", ")
}
