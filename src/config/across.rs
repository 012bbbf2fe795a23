//! What must hold across files: names that are taken, feeds that ontologies name, one zone for all.

use std::collections::BTreeMap;

use super::{JobFile, job};
use crate::diag::Diagnostic;
use crate::model::edit::EDITS;
use crate::ontology::file::problems::Problems;
use crate::ontology::file::yaml::{At, Node, Sheet};
use crate::ontology::file::{Reading, shape};
use crate::ontology::{Filler, RuleKind};

/// Everything that is wrong between the files.
pub(super) fn check(ontologies: &[Reading], jobs: &[JobFile]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    names(jobs, &mut found);
    zones(jobs, &mut found);
    metrics(jobs, &mut found);
    // A job that could not be read, or names no ontology that there is, may be the one that uses it.
    let understood = jobs.iter().all(|file| {
        let name = file.job.as_ref().map(|job| &job.ontology);
        ontologies.iter().any(|reading| Some(&reading.name) == name)
    });
    for reading in ontologies.iter().filter(|reading| reading.root.is_some()) {
        let mut problems = Problems::new(&reading.sheet);
        let users: Vec<&JobFile> = jobs
            .iter()
            .filter(|file| file.job.as_ref().is_some_and(|job| job.ontology == reading.name))
            .collect();
        if users.is_empty() && understood {
            let message = format!("no job uses the ontology `{}`", reading.name);
            let hint = format!("write `ontology: {}` in a file in `jobs/`", reading.name);
            problems.warning("config-unused", At::FILE, message, hint);
        } else if understood {
            systems_of_record(reading, &users, &mut problems);
            selves(reading, &users, &mut problems);
        }
        found.append(&mut problems.found);
    }
    found
}

/// Jobs have names of their own, and so have sources and feeds, whichever job they stand in.
fn names(jobs: &[JobFile], found: &mut Vec<Diagnostic>) {
    let mut job_names: BTreeMap<&str, (&Sheet, At)> = BTreeMap::new();
    let mut inputs: BTreeMap<&str, (&Sheet, At)> = BTreeMap::new();
    for JobFile { sheet, root, .. } in jobs {
        let Some(root) = root else { continue };
        let at = root.get("job").map_or(At::FILE, |name| name.at);
        let name = job::name(sheet.file(), root);
        if root.get("job").is_none() && !shape::is_name(name) {
            let message = format!("the job has no name: that of its file, `{name}`, cannot be one");
            let hint = "write `job: …` in it; a name has letters, digits, `_`, `-` and `.`, and begins with a letter or digit";
            found.push(Diagnostic::error("config-value", sheet.place(at), message).hint(hint));
        }
        taken("job", name, (sheet, at), &mut job_names, found);
        for key in ["sources", "feeds"] {
            for (name, _) in root.get(key).map(Node::entries).unwrap_or_default() {
                let what = key.trim_end_matches('s');
                if name.text == EDITS {
                    let message = format!("the name `{EDITS}` of this {what} is taken");
                    let hint = "what people change by `edgewright edit` goes by it; choose another name";
                    found.push(
                        Diagnostic::error("config-duplicate-name", sheet.place(name.at), message).hint(hint),
                    );
                }
                taken(what, &name.text, (sheet, name.at), &mut inputs, found);
            }
        }
    }
}

fn taken<'n>(
    what: &str,
    name: &'n str,
    (sheet, at): (&'n Sheet, At),
    known: &mut BTreeMap<&'n str, (&'n Sheet, At)>,
    found: &mut Vec<Diagnostic>,
) {
    if let Some((first, line)) = known.get(name) {
        let message = format!("the name `{name}` of this {what} is taken");
        let place =
            if line.line > 0 { format!("{}:{}", first.file(), line.line) } else { first.file().to_owned() };
        let hint = format!("it stands in {place} already; reports name sources and feeds without their job");
        let hint = if what == "job" { format!("it stands in {place} already") } else { hint };
        found.push(Diagnostic::error("config-duplicate-name", sheet.place(at), message).hint(hint));
    } else {
        known.insert(name, (sheet, at));
    }
}

fn zones(jobs: &[JobFile], found: &mut Vec<Diagnostic>) {
    let jobs = jobs.iter().filter_map(|file| Some((file, file.job.as_ref()?)));
    let mut zones = jobs.filter(|(_, job)| job::zone_of(&job.timezone).is_some());
    let Some((first_file, first)) = zones.next() else { return };
    for (file, job) in zones.filter(|(_, job)| job.timezone != first.timezone) {
        let at = file.root.as_ref().and_then(|root| root.get("timezone")).map_or(At::FILE, |zone| zone.at);
        let message = format!("this job's zone is `{}`, and a workspace has one", job.timezone);
        let hint = format!("`{}` has `{}`", first_file.sheet.file(), first.timezone);
        found.push(Diagnostic::error("config-value", file.sheet.place(at), message).hint(hint));
    }
}

/// A file of metrics is written whole by one job, so that of two jobs one would take away what the other tells.
fn metrics(jobs: &[JobFile], found: &mut Vec<Diagnostic>) {
    let mut known: BTreeMap<String, (&Sheet, At)> = BTreeMap::new();
    for JobFile { sheet, root, .. } in jobs {
        let node = root.as_ref().and_then(|root| root.get("metrics")?.get("file"));
        let Some((at, path)) = node.and_then(|node| Some((node.at, node.text()?))) else { continue };
        if let Some((first, line)) = known.get(&plain(path)) {
            let message = format!("the metrics file `{path}` is that of another job");
            let hint = format!(
                "`{}:{}` names it already, and each job writes its file whole: name another one",
                first.file(),
                line.line
            );
            found.push(Diagnostic::error("config-value", sheet.place(at), message).hint(hint));
        } else {
            known.insert(plain(path), (sheet, at));
        }
    }
}

/// A path without what leads nowhere: `./a//b/../c` is `a/c`.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("", Some(_)) | (".", _) => {}
            ("..", Some(last)) if !matches!(*last, "" | "..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The feed exists that an entity type names as its system of record, and makes that type.
fn systems_of_record(reading: &Reading, users: &[&JobFile], problems: &mut Problems<'_>) {
    let feeds: BTreeMap<&str, Option<&str>> = users
        .iter()
        .filter_map(|file| file.job.as_ref())
        .flat_map(|job| job.feeds.values())
        .map(|feed| (feed.name.as_str(), feed.entity.as_ref().map(|entity| entity.entity_type.as_str())))
        .collect();
    let entities = reading.root.as_ref().and_then(|root| root.get("entities"));
    for (name, node) in entities.map(Node::entries).unwrap_or_default() {
        let Some((record, feed)) = node.get("system_of_record").and_then(|node| Some((node, node.text()?)))
        else {
            continue;
        };
        let what = format!("feed {{}} in a job with the ontology `{}`", reading.name);
        let known = problems.known(record.at, &what, feed, feeds.keys().copied());
        let made = feeds.get(feed).copied().flatten();
        if known && made != Some(name.text.as_str()) {
            let message = format!("the feed `{feed}` does not make entities of type `{}`", name.text);
            let hint = match made {
                Some(other) => format!("it makes `{other}`"),
                None => format!("give it `entity: {{ type: {}, key: … }}`", name.text),
            };
            problems.error("config-value", record.at, message, hint);
        }
    }
}

/// A rule whose endpoint is the document's entity needs a source that says what its documents stand for.
fn selves(reading: &Reading, users: &[&JobFile], problems: &mut Problems<'_>) {
    let sources = || users.iter().filter_map(|file| file.job.as_ref()).flat_map(|job| job.sources.values());
    if sources().any(|source| source.register.is_some()) {
        return;
    }
    let Some(ontology) = &reading.ontology else { return };
    let nodes = reading.root.as_ref().map(|root| root.list("rules")).unwrap_or_default();
    for rule in ontology.rules.iter().filter(|rule| !matches!(rule.kind, RuleKind::Match(_))) {
        let Some(edge) = rule.edge.as_ref().and_then(|edge| ontology.edges.get(edge)) else { continue };
        for (filler, side, types) in
            [(&rule.subject, "subject", &edge.subject), (&rule.object, "object", &edge.object)]
        {
            let stands = |name: &String| {
                sources().flat_map(|source| &source.documents).any(|one| one.entity_type == *name)
            };
            if *filler != Some(Filler::Document) || types.iter().any(stands) {
                continue;
            }
            let node =
                nodes.iter().find(|node| node.word("id") == Some(&rule.id)).and_then(|node| node.get(side));
            let at = node.map_or(At::FILE, |node| node.at);
            let kinds = shape::quoted(types.iter().map(String::as_str));
            let message = format!("no document stands for {kinds}, so this rule finds nothing");
            let hint = format!(
                "add `documents: [{{ self: {}, name: … }}]` to a source",
                types.first().map_or("", |one| one)
            );
            problems.warning("config-unused", at, message, hint);
        }
    }
}
