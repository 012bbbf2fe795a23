//! `ontology/*.yaml` as written, and what it means.
//!
//! The texts of the files come in as values; ontologies by name and every problem of every file come out.
//! In two steps: [`shape`] checks a file against the table of keys in `keys`, then `types` and `rule` give
//! the words their meaning. The second step reads what fits and leaves the rest to the reports of the first.
//! `config` reads job files by the same means.

mod example;
pub mod external;
mod fill;
pub mod keys;
pub mod problems;
mod rule;
mod schema;
pub mod shape;
mod slots;
pub mod types;
pub mod yaml;
mod zone;

use std::collections::BTreeMap;

use self::problems::Problems;
use self::shape::Kind;
use self::yaml::{At, Node, Sheet};
use super::Ontology;
use super::language::Language;
use crate::diag::{Diagnostic, Severity, nearest};

/// A file as a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its name, relative to the workspace.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// One file of an ontology, read as far as it goes.
#[derive(Debug)]
pub struct Reading {
    /// The ontology's name: the file's, without folder and ending.
    pub name: String,
    /// The file's lines.
    pub sheet: Sheet,
    /// What is written in it; `None` if it is no YAML.
    pub root: Option<Node>,
    /// What could be understood of it.
    pub ontology: Option<Ontology>,
}

/// The ontologies by name, or `None` if there is an error; and everything that is wrong, in order.
pub fn load(files: &[Written]) -> (Option<BTreeMap<String, Ontology>>, Vec<Diagnostic>) {
    let (readings, problems) = read(files);
    let sound = problems.iter().all(|problem| problem.severity != Severity::Error);
    let ontologies = readings.into_iter().filter_map(|reading| Some((reading.name, reading.ontology?)));
    (sound.then(|| ontologies.collect()), problems)
}

/// Reads all files as far as it goes, and reports everything that is wrong, in order.
pub fn read(files: &[Written]) -> (Vec<Reading>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let readings: Vec<Reading> = files.iter().map(|file| reading(file, &mut found)).collect();
    same_name(&readings, &mut found);
    rule_ids(&readings, &mut found);
    found.sort();
    found.dedup();
    (readings, found)
}

/// A file's name without folder and ending.
pub fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn reading(file: &Written, found: &mut Vec<Diagnostic>) -> Reading {
    let sheet = Sheet::new(file);
    let (root, mut problems) = yaml::read(file, &sheet);
    found.append(&mut problems);
    let mut problems = Problems::new(&sheet);
    let ontology = root.as_ref().map(|root| {
        problems.found = shape::check(&sheet, root, Kind::Object(&keys::ONTOLOGY), "the file", At::FILE);
        ontology(root, &mut problems)
    });
    found.append(&mut problems.found);
    Reading { name: stem(&file.file).to_owned(), sheet, root, ontology }
}

fn ontology(root: &Node, problems: &mut Problems<'_>) -> Ontology {
    let language = language(root, problems);
    let entities = types::entities(root, &language, problems);
    let edges = types::edges(root, &entities, problems);
    let words = words(root, problems);
    // Where the language is unknown, which is an error, English lets the rest be checked.
    let rules = match Language::of(&language).or_else(|| Language::of("en")) {
        Some(language) => {
            let names = rule::Names { language, entities: &entities, edges: &edges, words: &words };
            rule::rules(root, &names, problems)
        }
        None => vec![],
    };
    Ontology { language, entities, edges, rules }
}

fn language(root: &Node, problems: &mut Problems<'_>) -> String {
    let Some((node, name)) = root.get("language").and_then(|node| Some((node, node.text()?))) else {
        return "en".to_owned();
    };
    problems.known(node.at, "language", name, Language::names());
    name.to_owned()
}

/// The word lists, each of which some pattern uses.
fn words(root: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, Vec<String>> {
    let patterns: Vec<&str> = root.list("rules").iter().filter_map(|rule| rule.word("match")).collect();
    let used = |name: &str| {
        let apart = |letter: char| !letter.is_alphanumeric() && letter != '_';
        patterns.iter().any(|pattern| pattern.split(apart).any(|word| word == name))
    };
    let mut words = BTreeMap::new();
    for (key, node) in root.get("words").map(Node::entries).unwrap_or_default() {
        if !is_list_name(&key.text) {
            let message = format!("a pattern would read the word list `{}` as a word of the text", key.text);
            let hint = "its name has two upper-case letters or more, such as `SUPPLY`";
            problems.error("config-value", key.at, message, hint);
        } else if !used(&key.text) {
            let message = format!("no pattern uses the word list `{}`", key.text);
            let near = patterns.iter().flat_map(|pattern| pattern.split_whitespace());
            let near = nearest(&key.text, near.filter(|word| is_list_name(word)));
            let hint = near.map_or("leave it out".to_owned(), |near| {
                format!("a pattern has `{near}`: did you mean that?")
            });
            problems.warning("config-unused", key.at, message, hint);
        }
        words.insert(key.text.clone(), problems.once(Some(node), "word"));
    }
    words
}

fn is_list_name(text: &str) -> bool {
    let upper = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == b'_';
    text.len() > 1 && text.bytes().all(upper) && text.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Two files must not give one name to two ontologies.
fn same_name(readings: &[Reading], found: &mut Vec<Diagnostic>) {
    for (at, reading) in readings.iter().enumerate() {
        if let Some(first) = readings[..at].iter().find(|first| first.name == reading.name) {
            let message = format!("the ontology `{}` is written twice", reading.name);
            let hint = format!("`{}` has the same name; rename or remove one", first.sheet.file());
            found.push(
                Diagnostic::error("config-duplicate-name", reading.sheet.place(At::FILE), message).hint(hint),
            );
        }
    }
}

/// Rule ids are unique over the workspace: reports, decisions and alerts name rules by them.
fn rule_ids(readings: &[Reading], found: &mut Vec<Diagnostic>) {
    let mut first: BTreeMap<&str, (&Sheet, At)> = BTreeMap::new();
    for reading in readings {
        for rule in reading.root.as_ref().map(|root| root.list("rules")).unwrap_or_default() {
            let Some((id, text)) = rule.get("id").and_then(|id| Some((id, id.text()?))) else { continue };
            if let Some((sheet, at)) = first.get(text) {
                let message = format!("the rule id `{text}` is taken");
                let hint = format!("it stands in {}:{} already", sheet.file(), at.line);
                let place = reading.sheet.place(id.at);
                found.push(Diagnostic::error("config-duplicate-name", place, message).hint(hint));
            } else {
                first.insert(text, (&reading.sheet, id.at));
            }
        }
    }
}
