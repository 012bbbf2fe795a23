//! Types and feeds of a draft: what a document stands for, which entity types there are, what the job reads.
//!
//! Tables and the paths of documents come in; the head of the ontology and the job go out as text. No text of a
//! document is known here.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::{open_values, type_name, words_of};
use super::tables::{Entity, Reference, Table, format, relation, stem};
use super::yaml::{comment, list, name, one, quoted, word};
use crate::diag::count;
use crate::ontology::language::Language;

/// As many types of edges as come from feeds, of those that the checks do not warn of.
const MOST_FEED_EDGES: usize = 3;

/// What a document stands for.
#[derive(Debug)]
pub(super) struct Stands {
    /// The entity type.
    pub(super) kind: String,
    /// The form of the files' names.
    pub(super) pattern: String,
    /// True if no feed knows these entities, so that documents make them.
    pub(super) created: bool,
    /// Why, in words.
    pub(super) why: String,
    /// The feed with one row a document, and its column with the file's name.
    pub(super) register: Option<(String, String)>,
}

/// An edge type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) subject: String,
    pub(super) object: String,
    /// Where it was seen.
    pub(super) why: String,
}

/// What is planned before a text is looked at.
#[derive(Debug)]
pub(super) struct Plan {
    /// The name of job and ontology.
    pub(super) name: String,
    /// The documents' folder, relative to the workspace.
    pub(super) folder: String,
    /// The name of the source.
    pub(super) source: String,
    pub(super) stands: Stands,
    /// What feeds say of whom, by edge type.
    pub(super) edges: BTreeMap<String, Edge>,
    /// The column of the register with a document's day.
    pub(super) dated_by: Option<String>,
    /// What the feeds make, as text for the job.
    feeds: Vec<String>,
    /// What was left out, and why.
    pub(super) left_out: Vec<(String, String)>,
}

impl Plan {
    /// Plans types and feeds. Linear in the paths and the keys.
    pub(super) fn of(
        name: &str,
        folder: &str,
        paths: &[String],
        tables: &[Table],
        language: &Language,
    ) -> Self {
        let mut taken: BTreeSet<String> = tables.iter().map(|table| table.name.clone()).collect();
        let source = super::yaml::free_name(folder, "documents", &mut taken);
        let stands = stands(folder, paths, tables, language);
        let register = stands.register.as_ref().map(|(feed, _)| feed);
        let register = tables.iter().find(|table| register == Some(&table.name));
        // A document's day is read in the ISO form.
        let days = register.and_then(|table| table.bound(false)).filter(|column| column.days == Some(None));
        let dated_by = days.map(|column| column.name.clone());
        let mut plan = Self {
            name: name.to_owned(),
            folder: folder.to_owned(),
            source,
            stands,
            edges: BTreeMap::new(),
            dated_by,
            feeds: Vec::new(),
            left_out: Vec::new(),
        };
        for table in tables {
            plan.feed(table, &mut taken, language);
        }
        plan
    }

    /// Plans what a feed makes.
    fn feed(&mut self, table: &Table, taken: &mut BTreeSet<String>, language: &Language) {
        let mut about = comment(4, &format!("{}; {}", count(table.rows, "row"), columns_of(table)));
        let mut lines = format!("    path: {}\n", word(&table.path));
        lines.extend(table.guess.as_ref().and_then(format).map(|format| format!("    format: {format}\n")));
        let mut open: Vec<&Reference> = table.references.iter().collect();
        let mut made = false;
        if let Some(entity) = &table.entity {
            lines.push_str(&entity_line(entity));
            if entity.roles.repeats {
                about.push_str(&comment(
                    4,
                    "TODO: some keys stand in several rows, of which the last counts.",
                ));
                lines.push_str("    on_duplicate: last\n");
            }
            made = true;
        } else if table.references.len() < 2 {
            let why = if table.problems.is_empty() {
                "no column tells its rows apart, and it refers to no two other feeds"
            } else {
                "it could not be read"
            };
            self.left_out.push((format!("feed {}", table.path), why.to_owned()));
            return;
        }
        let subject = match &table.entity {
            Some(entity) => (entity.roles.key.clone(), entity.kind.clone(), None),
            None => {
                let first = open.remove(0);
                (first.column.clone(), first.kind.clone(), first.many)
            }
        };
        let file =
            lines.lines().take_while(|line| !line.starts_with("    entity")).map(|line| format!("{line}\n"));
        let file: String = file.collect();
        let mut feeds = Vec::new();
        for reference in open {
            let edge = match &table.entity {
                Some(_) => format!("has_{}", relation(&reference.column, language)),
                None => name(&[words_of(&subject.1), words_of(&reference.kind)].concat().join("_")),
            };
            if self.edges.len() >= MOST_FEED_EDGES && !self.edges.contains_key(&edge) {
                let what = format!("column {} of {}", reference.column, table.path);
                self.left_out
                    .push((what, format!("there are {MOST_FEED_EDGES} types of edges from feeds already")));
                continue;
            }
            if self
                .edges
                .get(&edge)
                .is_some_and(|one| one.subject != subject.1 || one.object != reference.kind)
            {
                let what = format!("column {} of {}", reference.column, table.path);
                self.left_out.push((what, format!("`{edge}` joins other types already")));
                continue;
            }
            let why =
                format!("column {} of {} holds keys of {}", reference.column, table.path, reference.kind);
            let made_of = Edge { subject: subject.1.clone(), object: reference.kind.clone(), why };
            self.edges.entry(edge.clone()).or_insert(made_of);
            let text = edge_lines(table, &edge, &subject, reference);
            if feeds.is_empty() {
                lines.push_str(&text);
            } else {
                let other = super::yaml::free_name(
                    &format!("{}_{}", table.name, relation(&reference.column, language)),
                    "feed",
                    taken,
                );
                feeds.push(format!("  {}:\n{file}{text}", word(&other)));
                continue;
            }
            made = true;
            feeds.push(String::new());
        }
        if made {
            self.feeds.push(format!("  {}:\n{about}{lines}", word(&table.name)));
            self.feeds.extend(feeds.into_iter().filter(|feed| !feed.is_empty()));
        }
    }

    /// The job, as text.
    pub(super) fn job(&self, about: &str, exclude: &[String], effective: Option<&str>) -> String {
        let mut text = comment(0, about);
        text.push_str(&format!("job: {0}\nontology: {0}\n", word(&self.name)));
        text.push_str(
            "# TODO: who answers for it; the name goes into every alert.\n# owner: data-team\n\nsources:\n",
        );
        text.push_str(&format!("  {}:\n    path: {}\n", word(&self.source), word(&self.folder)));
        if !exclude.is_empty() {
            text.push_str(&format!("    exclude: {}\n", list(exclude.iter().map(String::as_str))));
        }
        text.push_str(&comment(4, &self.stands.why));
        text.push_str(&format!(
            "    documents: [{{ self: {}, name: {} }}]\n",
            word(&self.stands.kind),
            quoted(&self.stands.pattern)
        ));
        if let Some((feed, column)) = &self.stands.register {
            text.push_str(&format!("    register: {{ feed: {}, on: {} }}\n", word(feed), word(column)));
        }
        match effective {
            Some(field) => text.push_str(&format!("    effective: {}\n", word(field))),
            None => {
                text.push_str(
                    "    # TODO: the header field or column of the register with the document's date:\n",
                );
                text.push_str("    # effective: Date\n");
            }
        }
        text.push_str(
            "    # What an edit means: `correct` (what left was wrong, the default) or `amend` (it ends).\n",
        );
        text.push_str("    # edits: correct\n");
        if !self.feeds.is_empty() {
            text.push_str("\nfeeds:\n");
            self.feeds.iter().for_each(|feed| text.push_str(feed));
        }
        text
    }

    /// The entity types of the ontology, as text; beyond those that are used at most as many as are not warned of.
    pub(super) fn entities(&self, tables: &[Table], notes: &BTreeMap<String, String>) -> String {
        let mut text = String::from("entities:\n");
        text.push_str("  # A name that nobody knows waits for you where a rule needs one; `on_unknown: drop` forgets it.\n");
        let mut written = BTreeSet::new();
        for table in tables {
            let Some(entity) = table.entity.as_ref().filter(|entity| !written.contains(&entity.kind)) else {
                continue;
            };
            written.insert(entity.kind.clone());
            let note = notes.get(&entity.kind).map(|note| comment(2, note)).unwrap_or_default();
            let names = if entity.companies { ", names: company" } else { "" };
            text.push_str(&format!(
                "{note}  {}: {{ system_of_record: {}{names} }}\n",
                word(&entity.kind),
                word(&table.name)
            ));
        }
        if self.stands.created {
            let note = format!("{} No feed knows them, so documents make them.", self.stands.why);
            text.push_str(&comment(2, &note));
            text.push_str(&format!("  {}: {{ create: from document }}\n", word(&self.stands.kind)));
        }
        text
    }
}

fn columns_of(table: &Table) -> String {
    let columns =
        table.columns.iter().map(|column| format!("{} ({})", column.name, column.describe(table.rows)));
    columns.collect::<Vec<_>>().join(", ")
}

fn entity_line(entity: &Entity) -> String {
    let mut line = format!("    entity: {{ type: {}, key: {}", word(&entity.kind), word(&entity.roles.key));
    line.push_str(&format!(", names: {}", list(entity.roles.names.iter().map(String::as_str))));
    if !entity.roles.many.is_empty() {
        let many =
            entity.roles.many.iter().map(|(column, separator)| format!("{}: \"{separator}\"", word(column)));
        line.push_str(&format!(", many: {{ {} }}", many.collect::<Vec<_>>().join(", ")));
    }
    line.push_str(" }\n");
    line
}

fn edge_lines(
    table: &Table,
    edge: &str,
    (subject, _, many): &(String, String, Option<&'static str>),
    reference: &Reference,
) -> String {
    let side = |column: &str, many: Option<&str>| match many {
        Some(separator) => format!("{{ column: {}, many: \"{separator}\" }}", word(column)),
        None => word(column),
    };
    let mut text = format!(
        "    edge: {{ type: {}, subject: {}, object: {}",
        word(edge),
        side(subject, *many),
        side(&reference.column, reference.many)
    );
    let bounds = [("valid_from", table.bound(false)), ("valid_to", table.bound(true))];
    let mut days = Vec::new();
    for (key, column) in bounds {
        let Some(column) = column else { continue };
        text.push_str(&format!(", {key}: {}", word(&column.name)));
        days.push(column);
    }
    text.push_str(" }\n");
    let form = days.first().and_then(|column| column.days).flatten();
    // Days of two forms cannot be declared for one feed; the form of the first is.
    let open: BTreeSet<&str> = days.iter().flat_map(|column| open_values(column)).collect();
    let mut said = Vec::new();
    said.extend(form.map(|form| format!("format: \"{form}\"")));
    let inclusive = table.bound(true).is_some_and(|column| column.closes_months);
    said.extend(inclusive.then(|| "ends: inclusive".to_owned()));
    if open.len() > 1 {
        said.push(format!(
            "open: [{}]",
            open.iter().map(|one| format!("\"{one}\"")).collect::<Vec<_>>().join(", ")
        ));
    }
    if inclusive {
        text.push_str(&comment(
            4,
            "TODO: ends are mostly last days of a month, so they are taken for days that still count.",
        ));
    }
    if !said.is_empty() {
        text.push_str(&format!("    dates: {{ {} }}\n", said.join(", ")));
    }
    text
}

/// What a document stands for: the entity whose key is its file's name, or begins it; else a new one.
fn stands(folder: &str, paths: &[String], tables: &[Table], language: &Language) -> Stands {
    let register = tables.iter().find_map(|table| register(table, paths));
    let slot = |kind: &str| name(&words_of(kind).join("_"));
    for table in tables {
        let (Some(entity), Some(keys)) = (&table.entity, table.keys()) else { continue };
        for ending in ["", "_", "-", " ", "."] {
            let key = |path: &String| {
                let stem = stem(path);
                let key =
                    if ending.is_empty() { Some(stem) } else { stem.split_once(ending).map(|(key, _)| key) };
                key.is_some_and(|key| keys.contains(key))
            };
            let fit = paths.iter().filter(|path| key(path)).count();
            if fit == 0 || fit * 2 < paths.len() {
                continue;
            }
            let rest = if ending.is_empty() { String::new() } else { format!("{ending}*") };
            let how = if ending.is_empty() { "is" } else { "begins with" };
            let why = format!(
                "The name of {fit} of {} files {how} a key of {}, so each document stands for that {}.",
                paths.len(),
                table.name,
                entity.kind
            );
            let pattern = format!("{{{}}}{rest}.*", slot(&entity.kind));
            return Stands { kind: entity.kind.clone(), pattern, created: false, why, register };
        }
    }
    let others: BTreeSet<&String> =
        tables.iter().filter_map(|table| Some(&table.entity.as_ref()?.kind)).collect();
    let named = type_name(folder.rsplit('/').next().unwrap_or(folder), language)
        .filter(|kind| !others.contains(kind));
    let kind = named.unwrap_or_else(|| "Document".to_owned());
    let why = format!("Each document stands for {} that is called after its file.", one(&kind));
    let pattern = format!("{{{}}}.*", slot(&kind));
    Stands { kind, pattern, created: true, why, register }
}

/// The column of a feed that holds the names of the files.
fn register(table: &Table, paths: &[String]) -> Option<(String, String)> {
    table.entity.as_ref()?;
    let file = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let named = |values: &BTreeSet<String>| -> usize {
        let values: BTreeSet<String> = values.iter().map(|value| file(value)).collect();
        paths.iter().filter(|path| values.contains(&file(path))).count()
    };
    let found = table.columns.iter().find(|column| {
        let count = named(&column.values);
        count > 0 && count * 2 >= paths.len()
    })?;
    Some((table.name.clone(), found.name.clone()))
}
