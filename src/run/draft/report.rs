//! What a draft says of what it found: the answer of `init --scan`.

use schemars::JsonSchema;
use serde::Serialize;

use super::look::Seen;
use super::tables::{Table, stem};
use super::texts::Texts;

/// How many of what recurs are told.
const MOST: usize = 12;

/// What was found in documents and feeds, and what is proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DraftReport {
    /// The documents.
    pub documents: DocumentsSeen,
    /// The feeds, in the order in which they were named.
    pub feeds: Vec<FeedSeen>,
    /// What recurs in the documents, most frequent first.
    pub recurring: Recurring,
    /// Whose names the documents have, by entity type.
    pub named: Vec<NamedSeen>,
    /// Types that are named in one sentence.
    pub together: Vec<Together>,
    /// The rules that are proposed, in the order in which they are written.
    pub rules: Vec<Proposed>,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// Commands to go on with.
    pub next: Vec<String>,
}

/// What there is of documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentsSeen {
    /// The folder, relative to the workspace.
    pub folder: String,
    /// How many documents there are.
    pub files: u64,
    /// How many were looked at: fewer than there are if there are many.
    pub looked_at: u64,
    /// How many of those have text.
    pub read: u64,
    /// The documents by extension.
    pub formats: Vec<Count>,
    /// Files that cannot be read, by extension.
    pub foreign: Vec<Count>,
    /// What each document stands for, and why.
    pub stands_for: String,
    /// What is wrong with some: the first of them.
    pub problems: Vec<String>,
}

/// A feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeedSeen {
    /// The file, relative to the workspace.
    pub path: String,
    /// How many rows it has.
    pub rows: u64,
    /// What its rows are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// The column of the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The columns of names.
    pub names: Vec<String>,
    /// Its columns, with what they hold.
    pub columns: Vec<ColumnSeen>,
    /// What is wrong with it.
    pub problems: Vec<String>,
}

/// A column of a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ColumnSeen {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: String,
    /// The entity type whose keys it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refers_to: Option<String>,
}

/// What recurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recurring {
    /// Header fields.
    pub fields: Vec<Count>,
    /// Headers of tables.
    pub tables: Vec<Count>,
    /// Headings.
    pub headings: Vec<Count>,
    /// Terms that documents define for somebody.
    pub terms: Vec<Count>,
}

/// Something with a number of documents or files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// What it is.
    pub what: String,
    /// In how many.
    pub count: u64,
}

/// The names of a type in the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamedSeen {
    /// The entity type.
    pub entity_type: String,
    /// In how many documents one of them is named.
    pub documents: u64,
    /// How often.
    pub mentions: u64,
    /// How many different ones.
    pub who: u64,
    /// The parts of documents in which they stand.
    pub parts: Vec<Count>,
}

/// Two types in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Together {
    /// The type that is named first.
    pub first: String,
    /// The type that is named second.
    pub second: String,
    /// In how many documents.
    pub documents: u64,
    /// In how many sentences.
    pub sentences: u64,
    /// Verbs between them.
    pub verbs: Vec<Count>,
}

/// A rule that is proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Proposed {
    /// Its id.
    pub id: String,
    /// What it reads.
    pub reads: String,
    /// In how many of the documents that were looked at it finds somebody.
    pub documents: u64,
    /// How often.
    pub readings: u64,
    /// How often it finds a name that nobody knows.
    pub unknown: u64,
    /// A sentence, with its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Example>,
}

/// A sentence with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Example {
    /// The sentence.
    pub text: String,
    /// What is read in it; nothing if it is no statement.
    pub finds: Vec<String>,
    /// `path:line` or `path, page 3`.
    pub place: String,
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

impl DocumentsSeen {
    pub(super) fn of(folder: &str, texts: &Texts, stands_for: String) -> Self {
        let mut formats: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
        for path in &texts.paths {
            let extension =
                path.strip_prefix(path.strip_suffix(extension(path)).unwrap_or(path)).unwrap_or_default();
            *formats.entry(extension.to_lowercase()).or_default() += 1;
        }
        Self {
            folder: folder.to_owned(),
            files: texts.paths.len() as u64,
            looked_at: texts.looked_at as u64,
            read: texts.read.len() as u64,
            formats: most(formats, 0),
            foreign: most(texts.foreign.clone(), 0),
            stands_for,
            problems: texts.problems.iter().take(MOST).map(told).collect(),
        }
    }
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    &name[stem(path).len()..]
}

impl FeedSeen {
    pub(super) fn of(table: &Table) -> Self {
        let roles = table.entity.as_ref().map(|entity| &entity.roles);
        let refers = |column: &str| {
            let found = table.references.iter().find(|reference| reference.column == column);
            found.map(|reference| reference.kind.clone())
        };
        let columns = table.columns.iter().map(|column| ColumnSeen {
            name: column.name.clone(),
            holds: column.describe(table.rows),
            refers_to: refers(&column.name),
        });
        Self {
            path: table.path.clone(),
            rows: table.rows as u64,
            entity_type: table.entity.as_ref().map(|entity| entity.kind.clone()),
            key: roles.map(|roles| roles.key.clone()),
            names: roles.map(|roles| roles.names.clone()).unwrap_or_default(),
            columns: columns.collect(),
            problems: table.problems.iter().take(MOST).map(told).collect(),
        }
    }
}

impl Recurring {
    pub(super) fn of(seen: &Seen, floor: u64) -> Self {
        let fields = seen.fields.values().map(|field| (field.name.clone(), field.documents)).collect();
        let tables =
            seen.tables.iter().map(|(header, table)| (header.join(" | "), table.documents)).collect();
        Self {
            fields: most(fields, floor),
            tables: most(tables, floor),
            headings: most(seen.headings.clone(), floor),
            terms: most(seen.terms.clone(), floor),
        }
    }
}

pub(super) fn named(seen: &Seen) -> Vec<NamedSeen> {
    let mut named: Vec<NamedSeen> = seen
        .named
        .iter()
        .map(|(kind, named)| NamedSeen {
            entity_type: kind.clone(),
            documents: named.documents,
            mentions: named.mentions,
            who: named.who.len() as u64,
            parts: most(
                named
                    .parts
                    .iter()
                    .map(|(part, count)| (format!("{part:?}").to_lowercase(), *count))
                    .collect(),
                0,
            ),
        })
        .collect();
    named.sort_by(|one, other| {
        other.documents.cmp(&one.documents).then(one.entity_type.cmp(&other.entity_type))
    });
    named
}

pub(super) fn together(seen: &Seen, floor: u64) -> Vec<Together> {
    let frequent = seen.pairs.iter().filter(|(_, pair)| pair.documents >= floor);
    let mut together: Vec<Together> = frequent
        .map(|((first, second), pair)| Together {
            first: first.clone(),
            second: second.clone(),
            documents: pair.documents,
            sentences: pair.sentences,
            verbs: most(pair.verbs.clone(), floor),
        })
        .collect();
    together.sort_by(|one, other| {
        other
            .documents
            .cmp(&one.documents)
            .then_with(|| (&one.first, &one.second).cmp(&(&other.first, &other.second)))
    });
    together
}

fn most(counts: std::collections::BTreeMap<String, u64>, floor: u64) -> Vec<Count> {
    let mut found: Vec<Count> = counts
        .into_iter()
        .filter(|(_, count)| *count >= floor)
        .map(|(what, count)| Count { what, count })
        .collect();
    found.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.what.cmp(&other.what)));
    found.truncate(MOST);
    found
}

fn told(problem: &crate::diag::Diagnostic) -> String {
    problem.to_string()
}
