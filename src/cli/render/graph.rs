//! Entities and counts as text.

use super::days::days;
use super::{Page, count};
use crate::cli::feeds::FeedsView;
use crate::cli::status::{ByHand, StatusView};
use crate::run::report::LISTED;
use crate::serve::{Counts, EdgeCounts, EdgeView, Group, OntologyView, ShowView, WaitingView};

/// An entity with its edges.
pub(in crate::cli) fn show(view: &ShowView) -> String {
    let mut page = Page::default();
    let entity = &view.entity;
    let name = entity.names.first().unwrap_or(&entity.key);
    page.line(0, format!("{name}  ({})", entity.key));
    if let Some(asked) = &entity.merged_from {
        page.line(1, format!("{asked} was merged into it"));
    }
    if entity.tombstoned {
        page.line(1, "tombstoned: no source holds it any more");
    }
    if entity.names.len() > 1 {
        page.line(1, format!("also called: {}", entity.names[1..].join(", ")));
    }
    if !entity.former_names.is_empty() {
        page.line(1, format!("formerly: {}", entity.former_names.join(", ")));
    }
    for (name, value) in &entity.properties {
        page.line(1, format!("{name}: {value}"));
    }
    if !entity.sources.is_empty() {
        page.line(1, format!("known from: {}", entity.sources.join("; ")));
    }
    if entity.orphan {
        page.line(1, "orphan: no text names it");
    }
    if let Some(day) = view.as_of {
        page.gap();
        page.line(0, format!("as of {day}"));
    }
    for shown in &view.groups {
        page.gap();
        group(&mut page, shown);
    }
    if view.groups.is_empty() {
        page.gap();
        page.line(0, "it has no edges");
    }
    if !view.waiting.is_empty() {
        page.gap();
        page.line(0, format!("{} in quarantine", count(view.waiting.len() as u64, "assertion")));
        view.waiting.iter().for_each(|one| waiting(&mut page, 1, one));
    }
    if !view.pending_ends.is_empty() {
        page.gap();
        page.line(0, "ends that wait for an attestation of their fact");
        view.pending_ends.iter().for_each(|quote| page.line(1, format!("»{quote}«")));
    }
    page.done()
}

/// A share as a whole percentage.
fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

fn group(page: &mut Page, group: &Group) {
    let incoming = group.direction == "in";
    page.line(
        0,
        match &group.inverse {
            Some(inverse) => format!("{inverse} (the inverse of {})", group.edge_type),
            None if incoming => format!("← {}", group.edge_type),
            None => format!("{} →", group.edge_type),
        },
    );
    for shown in &group.edges {
        let other = if incoming { &shown.subject } else { &shown.object };
        edge(page, &format!("{}  ({})", other.name, other.key), shown);
    }
    let others = [(group.others.ended, "ended"), (group.others.future, "future")];
    let others: Vec<String> = others
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    if !others.is_empty() {
        page.line(1, format!("{}: --state all", others.join(", ")));
    }
}

fn edge(page: &mut Page, title: &str, edge: &EdgeView) {
    page.line(1, title);
    let attested = count(edge.attestations as u64, "attestation");
    page.line(2, format!("{}; {}; {attested}", days(edge), edge.state.name()));
    ends(page, 2, edge);
    for (name, value) in edge.identity.iter().chain(&edge.properties) {
        page.line(2, format!("{name}: {value}"));
    }
}

/// What ended an edge.
pub(super) fn ends(page: &mut Page, indent: usize, edge: &EdgeView) {
    for end in &edge.ended_by {
        let by = match (end.why.as_str(), &end.says) {
            ("newcomer", Some(says)) => format!("ended on {} by: {says}", end.on),
            ("superseded", Some(says)) => format!("superseded on {} by: {says}", end.on),
            ("left", Some(why)) => format!("ended on {}: {why}", end.on),
            (_, Some(quote)) => format!("ended on {}: »{quote}«", end.on),
            (_, None) => format!("ended on {}", end.on),
        };
        page.line(indent, by);
    }
}

/// An assertion in quarantine.
pub(super) fn waiting(page: &mut Page, indent: usize, one: &WaitingView) {
    let ends = if one.claims == "ends" { " has ended" } else { "" };
    let dates = match (one.valid_from, one.valid_to) {
        (None, None) => String::new(),
        (from, to) => {
            let from = from.map(|from| format!(" from {from}")).unwrap_or_default();
            let to = to.map(|to| format!(" {}", super::days::until(to))).unwrap_or_default();
            format!(",{from}{to}")
        }
    };
    page.line(indent, format!("{}{ends}{dates}", one.says));
    page.line(indent + 1, format!("{}: »{}«", one.at.in_file(&one.path), one.quote));
    let confidence = one.confidence.map(|number| format!(", confidence {number}")).unwrap_or_default();
    page.line(indent + 1, format!("rule {}{confidence}", one.rule));
    for reason in &one.reasons {
        page.line(indent + 1, format!("{}: {}", reason.code, reason.text));
    }
    for earlier in &one.earlier {
        page.line(indent + 1, earlier.text(&one.quote));
    }
}

/// The feeds, each with what it is and how it stands.
pub(in crate::cli) fn feeds(view: &FeedsView) -> String {
    let mut page = Page::default();
    if view.feeds.is_empty() {
        page.line(0, "no job has a feed");
    }
    for feed in &view.feeds {
        page.gap();
        let changes = if feed.changes { ", changes" } else { "" };
        page.line(0, format!("{}  {} ({}{changes})", feed.feed, feed.path, feed.kind));
        match (&feed.last_read, &feed.state) {
            (Some(at), Some(state)) => page.line(1, format!("last read {at}: {state}")),
            _ => page.line(1, "no run has read it"),
        }
        feed.why.iter().for_each(|why| page.line(2, why));
        if let Some(rows) = feed.rows {
            let run = &feed.last_run;
            let changed = format!("{} new, {} changed, {} gone", run.added, run.changed, run.gone);
            page.line(1, format!("{} as accepted; at the last run {changed}", count(rows, "row")));
        }
        let contract = match feed.contract {
            "changed" => "the columns are not those that were accepted",
            "accepted" => "the columns are as accepted",
            _ => "no columns were accepted yet",
        };
        page.line(1, format!("{contract} (`columns: {}`)", feed.declared));
        if let Some(at) = &feed.changed_at {
            let fresh = match (feed.fresh_within, feed.stale) {
                (Some(limit), true) => format!(", longer ago than the {limit} h that it may stay as it is"),
                (Some(limit), false) => format!(", and may stay as it is for {limit} h"),
                (None, _) => String::new(),
            };
            page.line(1, format!("last changed {at}{fresh}"));
        }
        if let Some(accepted) = &feed.accepted {
            page.line(1, format!("accepted as it is: {accepted}"));
        }
    }
    page.done()
}

/// What stands and what waits.
pub(in crate::cli) fn status(view: &StatusView) -> String {
    let mut page = Page::default();
    match (&view.generation, &view.recorded_at, &view.run) {
        (Some(generation), Some(at), Some(run)) => {
            page.line(
                0,
                match &view.act {
                    Some(act) => format!("generation {generation}, published {at}: {act}"),
                    None => format!("generation {generation}, published {at} by run {run}"),
                },
            );
        }
        _ => page.line(0, "the graph is empty: nothing has been published yet (`edgewright run` fills it)"),
    }
    if view.generation.is_some() {
        counts(&mut page, &view.counts);
    }
    if let (Some(state), Some(history)) = (&view.state_digest, &view.history_digest) {
        page.line(0, format!("state digest   {state}"));
        page.line(0, format!("history digest {history}"));
    }
    if let Some(held) = &view.held {
        page.gap();
        page.line(0, format!("the run {} is held since {}", held.run, held.since));
        page.line(1, "`edgewright diff held` says what it would change; then `release` or `discard`");
    }
    if let Some(frozen) = &view.frozen {
        page.gap();
        page.line(0, format!("the graph is frozen, {frozen}"));
    }
    if let Some(purge) = &view.purge {
        page.gap();
        page.line(0, purge);
    }
    if !view.requests.is_empty() {
        page.gap();
        page.line(0, format!("{} for the next run", count(view.requests.len() as u64, "request")));
        for request in &view.requests {
            page.line(1, format!("{}  {} ({}, {})", request.number, request.what, request.by, request.at));
        }
    }
    if let Some(report) = &view.last_run {
        page.gap();
        page.line(0, format!("the last run, {}, began {}", report.run, report.started_at));
        page.line(1, super::runs::headline(report));
        match view.judged.as_deref() {
            Some("replaced") => page.line(1, "something else was published or run since: it is held no more"),
            Some("forced") => page.line(1, "it looked wrong, and was forced"),
            Some(judged) => page.line(1, format!("{judged} since")),
            None => {}
        }
    }
    // Before the last run it is history, which `edit list` has.
    let since = |change: &&ByHand| {
        view.last_run
            .as_ref()
            .is_none_or(|run| (&run.started_at, &run.run) < (&change.started_at, &change.run))
    };
    if let Some(change) = view.last_change.as_ref().filter(since) {
        page.gap();
        page.line(0, format!("changed by hand since, {}, began {}", change.run, change.started_at));
        page.line(
            1,
            match change.generation {
                Some(generation) => format!("published generation {generation}"),
                None => "nothing changed".to_owned(),
            },
        );
        change.edits.iter().take(LISTED).for_each(|edit| page.line(1, &edit.does));
        if change.edits.len() > LISTED {
            page.line(1, format!("and {} more", change.edits.len() - LISTED));
        }
    }
    page.done()
}

fn counts(page: &mut Page, counts: &Counts) {
    let documents = count(counts.documents, "document");
    page.line(1, format!("{documents}, {}", count(counts.chunks, "chunk")));
    if !counts.entities.is_empty() {
        let entities: Vec<String> =
            counts.entities.iter().map(|(name, number)| format!("{number} {name}")).collect();
        page.line(1, format!("entities: {}", entities.join(", ")));
    }
    let width = counts.edges.keys().map(String::len).max().unwrap_or_default();
    for (name, edges) in &counts.edges {
        page.line(1, format!("{name:<width$}  {}", edge_counts(edges)));
    }
    if counts.quarantined_assertions > 0 {
        let reasons: Vec<String> =
            counts.quarantined.iter().map(|(reason, number)| format!("{reason} {number}")).collect();
        let assertions = count(counts.quarantined_assertions, "assertion");
        page.line(1, format!("quarantine: {assertions} ({})", reasons.join(", ")));
    }
    if counts.pending_ends > 0 {
        page.line(1, format!("{} for an attestation", count(counts.pending_ends, "waiting end")));
    }
}

fn edge_counts(edges: &EdgeCounts) -> String {
    let EdgeCounts { facts, current, ended, future } = *edges;
    format!("{}: {current} current, {ended} ended, {future} future", count(facts, "fact"))
}

/// Types and rules.
pub(in crate::cli) fn ontology(view: &OntologyView) -> String {
    let mut page = Page::default();
    page.line(0, "entity types");
    let width = view.entities.iter().map(|one| one.name.len()).max().unwrap_or_default();
    for one in &view.entities {
        let record = match &one.system_of_record {
            Some(feed) => format!(", system of record {feed}"),
            None => String::new(),
        };
        page.line(1, format!("{:<width$}  {}{record}", one.name, one.count));
    }
    page.gap();
    page.line(0, "edge types");
    for one in &view.edges {
        let (subject, object) = (one.subject.join("|"), one.object.join("|"));
        page.line(1, format!("{}: {subject} → {object}", one.name));
        if !one.declares.is_empty() {
            page.line(2, one.declares.join(", "));
        }
        page.line(2, edge_counts(&one.count));
    }
    page.gap();
    page.line(0, "rules");
    for one in &view.rules {
        let feeds = one.edge.as_ref().map(|edge| format!(" → {edge}")).unwrap_or_default();
        let read = count(one.assertions, "assertion");
        page.line(
            1,
            format!("{} ({}{feeds}, confidence {}): {read}  {}", one.id, one.kind, one.confidence, one.at),
        );
        let floor = one.floor.map(|floor| format!("its floor is {}", percent(floor)));
        let reviewed = one.precision.as_ref().map(|one| {
            let (low, high) = (percent(one.low), percent(one.high));
            format!(
                "{} of {} reviewed readings were right: precision {low} to {high}",
                one.right, one.reviewed
            )
        });
        let said: Vec<String> = reviewed.into_iter().chain(floor).collect();
        if !said.is_empty() {
            page.line(2, said.join("; "));
        }
    }
    if !view.unused.is_empty() {
        page.gap();
        page.line(0, "never used");
        view.unused.iter().for_each(|one| page.line(1, one));
    }
    page.done()
}
