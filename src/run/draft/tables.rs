//! The feeds of a draft: how each file is written, which entities its rows are, and where it refers to others.
//!
//! Paths come in; tables with a type, roles of columns and references go out. No document is looked at.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::{self, Column, ENTRY, Roles, bound, columns, refers, roles, type_name, words_of};
use super::yaml;
use crate::config;
use crate::diag::{Diagnostic, Severity};
use crate::model::job::{Feed, Table as Kind};
use crate::ontology::Ontology;
use crate::ontology::file::Written;
use crate::ontology::language::Language;
use crate::source::feed::{self, Guess, Reach};
use crate::source::folder;

/// A feed is read as a whole, as in a run.
const MAX_BYTES: u64 = 512 << 20;

/// So many percent of a column's values must be keys of another feed for it to refer to that.
const REFERS: usize = 80;

/// A file that `--feed` names.
#[derive(Debug)]
pub(super) struct Table {
    /// The name of the feed.
    pub(super) name: String,
    /// The file, relative to the workspace.
    pub(super) path: String,
    /// How a text table is written.
    pub(super) guess: Option<Guess>,
    pub(super) rows: usize,
    pub(super) columns: Vec<Column>,
    /// What the rows are; none if no column tells them apart, or they are somebody else's.
    pub(super) entity: Option<Entity>,
    /// What columns refer to.
    pub(super) references: Vec<Reference>,
    /// What is wrong with it.
    pub(super) problems: Vec<Diagnostic>,
    language: &'static Language,
}

/// What the rows of a feed are.
#[derive(Debug)]
pub(super) struct Entity {
    /// The entity type.
    pub(super) kind: String,
    pub(super) roles: Roles,
    /// True if most of them are companies.
    pub(super) companies: bool,
}

/// A column whose values are keys of another feed.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) column: String,
    /// The type of that feed's rows.
    pub(super) kind: String,
    /// What separates several keys in one cell.
    pub(super) many: Option<&'static str>,
}

impl Table {
    /// The column of that name.
    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The column of the day on which a row begins or ends to hold.
    pub(super) fn bound(&self, ends: bool) -> Option<&Column> {
        bound(&self.columns, ends, self.language)
    }

    /// The keys of its rows.
    pub(super) fn keys(&self) -> Option<&BTreeSet<String>> {
        Some(&self.column(&self.entity.as_ref()?.roles.key)?.values)
    }
}

/// Looks at the feeds. Reads each one as a run does; holds the different values of their columns.
pub(super) fn look(reach: Reach<'_>, paths: &[String], language: &'static Language) -> Vec<Table> {
    let mut names = BTreeSet::new();
    let mut tables: Vec<Table> = paths.iter().map(|path| read(reach, path, &mut names, language)).collect();
    refer(&mut tables);
    tables
}

fn read(reach: Reach<'_>, path: &str, names: &mut BTreeSet<String>, language: &'static Language) -> Table {
    let name = yaml::free_name(path, "feed", names);
    let mut table = Table {
        name: name.clone(),
        path: path.to_owned(),
        guess: None,
        rows: 0,
        columns: Vec::new(),
        entity: None,
        references: Vec::new(),
        problems: Vec::new(),
        language,
    };
    let Some(mut feed) = probe(&name, path, None, &mut table.problems) else { return table };
    if feed.format.table == Kind::Csv {
        // A file that is not there is told of by the reading of it.
        let bytes = folder::read(&reach.root.join(path), MAX_BYTES).unwrap_or_default();
        let guess = feed::guess(&bytes);
        feed = probe(&name, path, Some(&guess), &mut table.problems).unwrap_or(feed);
        table.guess = Some(guess);
    }
    let (entities, edges, rules) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let ontology = Ontology { language: language.name.clone(), entities, edges, rules };
    let read = feed::read(reach, &feed, &ontology, None);
    table.problems.extend(read.diagnostics.iter().filter(|one| one.severity == Severity::Error).cloned());
    table.rows = read.rows.len();
    table.columns = columns(&feed, &read);
    let named = type_name(stem(path), language).unwrap_or_else(|| ENTRY.to_owned());
    table.entity = roles(&table.columns, table.rows, &words_of(&named), language).map(|roles| {
        let full = roles.names.first().and_then(|name| table.column(name));
        let companies = full.is_some_and(|full| columns::are_companies(&full.values, language));
        Entity { kind: named, roles, companies }
    });
    table
}

/// The feed as a job would declare it, before it is known what its rows are.
fn probe(name: &str, path: &str, guess: Option<&Guess>, problems: &mut Vec<Diagnostic>) -> Option<Feed> {
    let format = guess.and_then(format).map(|format| format!("    format: {format}\n")).unwrap_or_default();
    let text =
        format!("ontology: draft\nfeeds:\n  {}:\n    path: {}\n{format}", yaml::word(name), yaml::word(path));
    let ontology = Written { file: "ontology/draft.yaml".to_owned(), text: "entities: {}\n".to_owned() };
    let job = Written { file: "jobs/draft.yaml".to_owned(), text };
    let loaded = config::check(vec![ontology], vec![job]);
    let wrong = loaded.diagnostics.into_iter().filter(|one| {
        one.severity == Severity::Error
            && one.at.file.starts_with("jobs/")
            && one.code != "config-missing-key"
    });
    problems.extend(wrong.map(|one| Diagnostic { at: crate::diag::Place::file(path), ..one }));
    loaded.jobs.into_iter().next()?.feeds.into_values().next()
}

/// How a text table is written, if that must be said.
pub(super) fn format(guess: &Guess) -> Option<String> {
    let mut said = Vec::new();
    match guess.delimiter {
        b',' => {}
        b'\t' => said.push("delimiter: tab".to_owned()),
        other => said.push(format!("delimiter: \"{}\"", char::from(other))),
    }
    said.extend(guess.encoding.as_ref().map(|encoding| format!("encoding: {encoding}")));
    if guess.skip_lines > 0 {
        said.push(format!("skip_lines: {}", guess.skip_lines));
    }
    if guess.skip_footer > 0 {
        said.push(format!("skip_footer: {}", guess.skip_footer));
    }
    (!said.is_empty()).then(|| format!("{{ {} }}", said.join(", ")))
}

/// Finds which columns hold keys of other feeds. A feed whose own key is another's is about the other's entities.
fn refer(tables: &mut [Table]) {
    let lists = lists(tables);
    for (at, table) in tables.iter_mut().enumerate() {
        let Some(entity) = &table.entity else { continue };
        let Some(key) = table.columns.iter().find(|column| column.name == entity.roles.key) else { continue };
        // Two lists with one key are told apart by their length: the longer is the list of all, else the first.
        let (size, repeats) = (key.values.len(), entity.roles.repeats);
        let is_list = |list: &&List| list.keys.len() > size || (list.keys.len() == size && list.at < at);
        let of_other = lists.iter().filter(|list| list.at != at).filter(is_list);
        let is_others = of_other.map(|list| refers(key, &list.keys)).any(|share| share >= REFERS);
        let joins = || table.columns.iter().filter(|one| refers_to(one, &lists, at).is_some()).count() > 1;
        if is_others || (repeats && joins()) {
            table.entity = None;
        }
    }
    let lists = self::lists(tables);
    for (at, table) in tables.iter_mut().enumerate() {
        let key = table.entity.as_ref().map(|entity| &entity.roles.key);
        let columns = table.columns.iter().filter(|column| Some(&column.name) != key);
        let found = columns.filter_map(|column| {
            let list = refers_to(column, &lists, at)?;
            let single = column.values.iter().all(|value| list.keys.contains(value));
            let many = column.many.filter(|_| !single);
            Some(Reference { column: column.name.clone(), kind: list.kind.clone(), many })
        });
        table.references = found.collect();
    }
}

/// The keys of a feed's rows.
struct List {
    /// The place of the feed among all.
    at: usize,
    kind: String,
    keys: BTreeSet<String>,
}

fn lists(tables: &[Table]) -> Vec<List> {
    let list = |(at, table): (usize, &Table)| {
        Some(List { at, kind: table.entity.as_ref()?.kind.clone(), keys: table.keys()?.clone() })
    };
    tables.iter().enumerate().filter_map(list).collect()
}

/// The list of another feed whose keys a column holds: the one with most of them, of equal ones the shortest.
fn refers_to<'l>(column: &Column, lists: &'l [List], at: usize) -> Option<&'l List> {
    if column.days.is_some() || column.filled == 0 {
        return None;
    }
    let others = lists.iter().filter(|list| list.at != at);
    let shares = others.map(|list| (refers(column, &list.keys), std::cmp::Reverse(list.keys.len()), list));
    let best = shares.max_by_key(|(share, size, list)| (*share, *size, std::cmp::Reverse(list.at)));
    best.filter(|(share, ..)| *share >= REFERS).map(|(.., list)| list)
}

/// A file's name without its folder and extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What a column says of a relation, without the words that only say that it holds a key.
pub(super) fn relation(column: &str, language: &Language) -> String {
    let words = words_of(column);
    let said: Vec<&str> =
        words.iter().filter(|word| !language.tables.key.contains(*word)).map(String::as_str).collect();
    let name = yaml::name(&if said.is_empty() { words.join("_") } else { said.join("_") });
    if name.is_empty() { ENTRY.to_lowercase() } else { name }
}
