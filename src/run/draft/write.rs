//! The files of a draft as text, with comments that say what each part was seen in.

use std::collections::{BTreeMap, BTreeSet};

use super::Asked;
use super::look::Seen;
use super::plan::{Edge, Plan};
use super::prove::Proof;
use super::report::Example;
use super::rules::Candidate;
use super::tables::Table;
use super::yaml::{comment, quoted, word};
use crate::diag::{count, either};
use crate::ontology::file::Written;
use crate::ontology::language::Language;
use crate::parse::Format;

/// How many sentences that are read, and that are not, stand beside a rule.
const EXAMPLES: (usize, usize) = (2, 1);

/// What is known of the texts.
pub(super) struct Known<'k> {
    /// How many documents have text.
    pub(super) documents: usize,
    pub(super) looked_at: usize,
    pub(super) files: usize,
    pub(super) seen: Option<&'k Seen>,
    pub(super) proofs: &'k BTreeMap<String, Proof>,
    pub(super) language: &'k Language,
}

/// The ontology and the job.
pub(super) fn files(
    plan: &Plan,
    tables: &[Table],
    rules: &[Candidate],
    examples: &BTreeMap<String, Vec<Example>>,
    known: &Known<'_>,
    asked: &Asked,
) -> [Written; 2] {
    let sample = if known.looked_at < known.files {
        format!("a sample of {} of {}", known.looked_at, count(known.files, "document"))
    } else {
        count(known.files, "document")
    };
    let about = format!(
        "Drafted by `edgewright init --scan` from what recurs in {sample}. Everything here is a proposal: read it, \
         rename and correct it, and keep what is true. Nothing is inferred again at run time."
    );
    let mut text = comment(0, &about);
    text.push_str(&format!("language: {}\n\n", super::LANGUAGE));
    let notes: BTreeMap<String, String> = known
        .seen
        .map(|seen| tables.iter().filter_map(|table| note(table, seen, known.documents)).collect())
        .unwrap_or_default();
    text.push_str(&plan.entities(tables, &notes));
    text.push_str(&edges(plan, rules));
    if !rules.is_empty() {
        text.push_str("\nrules:\n");
    }
    for (at, rule) in rules.iter().enumerate() {
        text.push_str(if at > 0 { "\n" } else { "" });
        text.push_str(&rule_text(rule, examples.get(&rule.id).map(Vec::as_slice).unwrap_or_default(), known));
    }
    let field = known.seen.and_then(|seen| effective(seen, known.documents, known.language));
    let effective = plan.dated_by.as_deref().or(field);
    let job = plan.job(&about, &excluded(asked), effective);
    [
        Written { file: format!("ontology/{}.yaml", plan.name), text },
        Written { file: format!("jobs/{}.yaml", plan.name), text: job },
    ]
}

/// The feeds that lie among the documents and could be read as such.
pub(super) fn excluded(asked: &Asked) -> Vec<String> {
    let prefix = format!("{}/", asked.folder);
    let feeds = asked.feeds.iter().filter(|feed| Format::of(feed).is_some());
    feeds.filter_map(|feed| feed.strip_prefix(&prefix)).map(str::to_owned).collect()
}

/// What the texts say of the names of a feed.
fn note(table: &Table, seen: &Seen, documents: usize) -> Option<(String, String)> {
    let entity = table.entity.as_ref()?;
    let note = match seen.named.get(&entity.kind) {
        Some(named) => format!(
            "{} of {} named in {} of {}.",
            named.who.len(),
            either(table.rows, "is", "are"),
            named.documents,
            count(documents, "document"),
        ),
        None => "TODO: none of them is named in the documents that were looked at. Texts may write them otherwise: \
                 add such names to the feed, or say the form of their keys (`keys`)."
            .to_owned(),
    };
    let company = if entity.companies { " Legal forms such as Inc may be left out." } else { "" };
    Some((entity.kind.clone(), format!("{note}{company}")))
}

fn edges(plan: &Plan, rules: &[Candidate]) -> String {
    let mut edges: BTreeMap<&str, (&Edge, BTreeSet<&str>)> =
        plan.edges.iter().map(|(name, edge)| (name.as_str(), (edge, BTreeSet::new()))).collect();
    for rule in rules {
        edges.entry(&rule.edge).or_insert((&rule.joins, BTreeSet::new())).1.insert(&rule.id);
    }
    if edges.is_empty() {
        return String::new();
    }
    let mut text = "\nedges:\n".to_owned();
    for (name, (edge, _)) in edges {
        text.push_str(&comment(2, &format!("TODO: call it what it means. Seen as: {}.", edge.why)));
        let (name, subject, object) = (word(name), word(&edge.subject), word(&edge.object));
        text.push_str(&format!("  {name}: {{ subject: {subject}, object: {object} }}\n"));
    }
    text
}

fn rule_text(rule: &Candidate, examples: &[Example], known: &Known<'_>) -> String {
    let mut text = String::new();
    if let Some(proof) = known.proofs.get(&rule.id).filter(|_| known.documents > 0) {
        let mut about = format!(
            "Reads {}: {} in {} of {}.",
            rule.reads,
            times(proof.readings),
            proof.documents().len(),
            count(known.documents, "document"),
        );
        if proof.unknown > 0 {
            let unknown = times(proof.unknown);
            about.push_str(&format!(
                " It also finds a name that nobody knows {unknown}, which waits for you."
            ));
        }
        text.push_str(&comment(0, &about));
    }
    text.push_str(&rule.text());
    if examples.is_empty() {
        return text;
    }
    text.push_str("  examples:\n");
    for example in examples {
        text.push_str(&comment(4, &example.place));
        text.push_str(&format!("    - text: {}\n", quoted(&example.text)));
        match example.finds.as_slice() {
            [] => text.push_str("      finds: nothing\n"),
            [one] => text.push_str(&format!("      finds: {}\n", quoted(one))),
            several => {
                text.push_str("      finds:\n");
                several.iter().for_each(|one| text.push_str(&format!("        - {}\n", quoted(one))));
            }
        }
    }
    text
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The examples that are written: the first that find something, and the first that finds nothing.
pub(super) fn best(examples: Vec<Example>) -> Vec<Example> {
    let (nothing, something): (Vec<Example>, Vec<Example>) =
        examples.into_iter().partition(|example| example.finds.is_empty());
    something.into_iter().take(EXAMPLES.0).chain(nothing.into_iter().take(EXAMPLES.1)).collect()
}

/// The header field that says from when a document counts.
fn effective<'s>(seen: &'s Seen, documents: usize, language: &Language) -> Option<&'s str> {
    let is_it = |name: &&String| {
        seen.fields.get(*name).is_some_and(|field| field.days * 2 >= documents as u64 && field.days > 0)
    };
    let name = language.dated.iter().find(is_it)?;
    seen.fields.get(name).map(|field| field.name.as_str())
}
