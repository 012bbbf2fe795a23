//! What `init` wrote, and with `--scan` what it found and proposes.

use super::{Page, count};
use crate::cli::init::{Written, for_shell};
use crate::run::draft::report::{Count, DraftReport};

/// How much of what was left out is shown.
const LEFT_OUT: usize = 12;

/// What `init` wrote.
pub(in crate::cli) fn init(written: &Written) -> String {
    let mut page = Page::default();
    if let Some(draft) = &written.draft {
        found(&mut page, draft);
        proposed(&mut page, draft);
        page.gap();
    }
    page.line(0, format!("wrote {} into {}:", count(written.files.len() as u64, "file"), written.folder));
    for file in &written.files {
        page.line(1, file);
    }
    match &written.draft {
        None => page.line(0, format!("next: edgewright -C {} run", for_shell(&written.folder))),
        Some(draft) => draft.next.iter().enumerate().for_each(|(at, command)| {
            page.line(0, format!("{} {command}", if at == 0 { "next:" } else { "     " }));
        }),
    }
    page.done()
}

fn found(page: &mut Page, draft: &DraftReport) {
    let documents = &draft.documents;
    let formats = list(&documents.formats, 6);
    page.line(0, format!("{}: {} ({formats})", documents.folder, count(documents.files, "document")));
    if documents.looked_at < documents.files {
        page.line(1, format!("a sample of {} was looked at; `--most N` takes more", documents.looked_at));
    }
    if documents.read < documents.looked_at {
        page.line(1, format!("{} of them could not be read", documents.looked_at - documents.read));
    }
    documents.problems.iter().for_each(|problem| page.line(2, problem));
    if !documents.foreign.is_empty() {
        page.line(
            1,
            format!("of formats that cannot be read, by extension: {}", list(&documents.foreign, 6)),
        );
    }
    page.line(1, &documents.stands_for);
    for (what, counts) in [
        ("header fields", &draft.recurring.fields),
        ("tables", &draft.recurring.tables),
        ("headings", &draft.recurring.headings),
        ("defined terms", &draft.recurring.terms),
    ] {
        if !counts.is_empty() {
            page.line(1, format!("{what}: {}", list(counts, 6)));
        }
    }
    for feed in &draft.feeds {
        let what = match (&feed.entity_type, &feed.key) {
            (Some(kind), Some(key)) => {
                let names = if feed.names.is_empty() { "none".to_owned() } else { feed.names.join(", ") };
                format!("each row is one {kind}; key {key}, names {names}")
            }
            _ => "its rows are nobody of their own".to_owned(),
        };
        page.line(0, format!("{}: {}; {what}", feed.path, count(feed.rows, "row")));
        for column in &feed.columns {
            let refers =
                column.refers_to.as_ref().map(|kind| format!("; keys of {kind}")).unwrap_or_default();
            page.line(1, format!("{}: {}{refers}", column.name, column.holds));
        }
        feed.problems.iter().for_each(|problem| page.line(1, problem));
    }
    page.gap();
    page.line(0, "named in the texts");
    if draft.named.is_empty() {
        page.line(1, "nobody: no name of the feeds occurs");
    }
    for named in &draft.named {
        page.line(
            1,
            format!(
                "{}: {} of them, {} in {}; by part: {}",
                named.entity_type,
                named.who,
                count(named.mentions, "time"),
                count(named.documents, "document"),
                list(&named.parts, 6)
            ),
        );
    }
    for pair in &draft.together {
        let verbs = if pair.verbs.is_empty() { String::new() } else { format!("; {}", list(&pair.verbs, 6)) };
        page.line(
            1,
            format!(
                "{} and then {}: in {} of {}{verbs}",
                pair.first,
                pair.second,
                count(pair.sentences, "sentence"),
                count(pair.documents, "document")
            ),
        );
    }
}

fn proposed(page: &mut Page, draft: &DraftReport) {
    page.gap();
    page.line(0, format!("proposed: {}", count(draft.rules.len() as u64, "rule")));
    for rule in &draft.rules {
        page.line(
            1,
            format!(
                "{}: {}; {} in {}",
                rule.id,
                rule.reads,
                count(rule.readings, "time"),
                count(rule.documents, "document")
            ),
        );
        if let Some(example) = &rule.example {
            page.line(2, format!("{}: »{}«", example.place, example.text));
            example.finds.iter().for_each(|finds| page.line(3, finds));
        }
    }
    if !draft.left_out.is_empty() {
        page.gap();
        page.line(0, "left out");
    }
    for left in draft.left_out.iter().take(LEFT_OUT) {
        page.line(1, format!("{}: {}", left.what, left.why));
    }
    if draft.left_out.len() > LEFT_OUT {
        page.line(1, format!("and {} more, which `--output json` has", draft.left_out.len() - LEFT_OUT));
    }
}

fn list(counts: &[Count], most: usize) -> String {
    let shown = counts.iter().take(most).map(|one| format!("{} ({})", one.what, one.count));
    shown.collect::<Vec<_>>().join(", ")
}
