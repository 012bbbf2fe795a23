//! Jobs as meant: every name resolved, every number in range. `config` makes them from `jobs/*.yaml`;
//! `source` carries them out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::access::Labels;
use super::gates::Gates;
use super::golden::Golden;
use super::id::Fingerprint;
use super::outputs::Outputs;

/// A job: what to read, from where, and who answers for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Its name, from the file.
    pub name: String,
    /// The name of its ontology (`ontology/<name>.yaml`).
    pub ontology: String,
    /// Who answers for it; goes into every alert.
    pub owner: Option<String>,
    /// The IANA zone in which "today" is computed. One zone a workspace; default UTC.
    pub timezone: String,
    /// The folders of documents, by name.
    pub sources: BTreeMap<String, Source>,
    /// The master-data feeds, by name.
    pub feeds: BTreeMap<String, Feed>,
    /// How large a change of one run may be.
    pub gates: Gates,
    /// Edges that are known to be true, against which `eval` measures what the job reads.
    pub golden: Option<Golden>,
    /// What it tells others of its runs.
    pub outputs: Outputs,
    /// What may be deleted, and when.
    pub retention: Retention,
}

/// What of what a job leaves may be deleted, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retention {
    /// After how many hours the reports of a run may go; `None`: never.
    pub reports: Option<u32>,
}

/// A folder of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Its name, unique over all jobs.
    pub name: String,
    /// The folder, relative to the workspace, `/`-separated.
    pub path: String,
    /// Globs of files to read, relative to the folder. Default `**/*` of the readable formats.
    pub include: Vec<String>,
    /// Globs of files to leave out.
    pub exclude: Vec<String>,
    /// Labels that a reader needs for everything in it.
    pub access: Labels,
    /// What a file stands for, first match first.
    pub documents: Vec<StandsFor>,
    /// The feed with one row a document.
    pub register: Option<Register>,
    /// Register columns and the values that select a document; the rest is "not selected", never gone.
    pub only: BTreeMap<String, Vec<String>>,
    /// Register columns (or header fields) and the values that withdraw a document.
    pub withdrawn: BTreeMap<String, Vec<String>>,
    /// The register column or header field with the document's effective date.
    pub effective: Option<String>,
    /// What an edit means.
    pub edits: Edits,
    /// What a missing document means.
    pub gone: Gone,
    /// How ambiguous numeric dates are read.
    pub date_order: Option<DateOrder>,
    /// Larger files are reported and left out. Bytes; default 64 MiB.
    pub max_bytes: u64,
    /// What parsing one document may take.
    pub limits: Limits,
    /// The program that parses some of its documents.
    pub parser: Option<Parser>,
    /// How long it may stay as it is, in hours.
    pub fresh_within: Option<u32>,
    /// After how many hours a withdrawal must have come into effect.
    pub withdrawn_within: Option<u32>,
}

/// A program of the user's that parses documents; the file's path is its last argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parser {
    /// The program.
    pub program: Program,
    /// Globs of the files that it parses, relative to the source's folder.
    pub globs: Vec<String>,
}

impl Parser {
    /// The folder below that of what parsers of the user's wrote in which it is put together: what lies there between
    /// runs a killed one has left.
    pub const HALVES: &str = "new";
}

/// A program of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments. Not empty.
    pub command: Vec<String>,
    /// Names what it makes of what it is given: another version is asked anew.
    pub version: String,
    /// Its environment, which is all that it is given.
    pub environment: BTreeMap<String, String>,
}

impl Program {
    /// Names everything that decides what it makes of what it is given.
    pub fn fingerprint(&self) -> Fingerprint {
        let Self { command, version, environment } = self;
        Fingerprint::of(&[&format!("{command:?}"), version, &format!("{environment:?}")])
    }

    /// Its name for a person: the file of the program, or the script that it is given, and the version.
    pub fn told(&self) -> String {
        format!("{} ({})", self.command.join(" "), self.version)
    }
}

/// What parsing one document may take. Time and memory bind where a parser runs in a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time, in milliseconds.
    pub time: u64,
    /// Memory, in bytes.
    pub memory: u64,
    /// Pages.
    pub pages: u64,
    /// Characters of text.
    pub characters: u64,
}

impl Default for Limits {
    /// 30 seconds, 1 GiB, 2,000 pages and 20 million characters.
    fn default() -> Self {
        Self { time: 30_000, memory: 1 << 30, pages: 2_000, characters: 20_000_000 }
    }
}

/// How `03/04/2024` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DateOrder {
    /// Day, month, year.
    DayFirst,
    /// Month, day, year.
    MonthFirst,
}

/// A file name that says for which entity the document stands (`self`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandsFor {
    /// The entity type.
    pub entity_type: String,
    /// The pattern of the file's name (its path below the source's folder, if the pattern has a `/`),
    /// with `{slot}` and `*`.
    pub name: String,
    /// The slots whose values make the key, in order. Default: all slots of the pattern.
    pub key: Vec<String>,
    /// The slots whose values make the document's own key, in order. Empty: its path is its key.
    pub document: Vec<String>,
}

/// The feed with one row a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// The feed's name.
    pub feed: String,
    /// The column with the document's file name or path.
    pub on: String,
    /// The column with the document's own key, which stays when its file is renamed.
    pub key: Option<String>,
}

/// What it means that text has left a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edits {
    /// The text that left was wrong: retract.
    #[default]
    Correct,
    /// The new version takes effect later: what only the old one said ends on that day.
    Amend,
}

/// What it means that a document or row is no longer there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Gone {
    /// It never held.
    #[default]
    Retract,
    /// It ends: on the date in this feed column, or on the observation date if none is named.
    Expire {
        /// The column with the date of the end, as last seen.
        date: Option<String>,
    },
    /// It stays.
    Keep,
}

/// A master-data feed: a table whose rows make entities, edges, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct Feed {
    /// Its name, unique over all jobs.
    pub name: String,
    /// The file, relative to the workspace; of a connection `env:` and the name of its variable.
    pub path: String,
    /// How the file is written.
    pub format: Format,
    /// What a database is asked.
    pub query: Option<Query>,
    /// What unpacking its file may take, in time and memory.
    pub limits: Limits,
    /// Column values that select a row (any of the listed); the rest is counted as "not selected".
    pub only: BTreeMap<String, Vec<String>>,
    /// Labels that a reader needs for everything in it.
    pub access: Labels,
    /// The entity that a row makes.
    pub entity: Option<EntityMapping>,
    /// The edge that a row makes.
    pub edge: Option<EdgeMapping>,
    /// How its dates are written.
    pub dates: FeedDates,
    /// Its word against documents.
    pub authority: Authority,
    /// What to do with columns that the mapping does not know.
    pub columns: Columns,
    /// What to do with a key that comes twice.
    pub on_duplicate: OnDuplicate,
    /// What a missing row means.
    pub gone: Gone,
    /// The column pair of an indented bill of material.
    pub levels: Option<Levels>,
    /// How long it may stay as it is, in hours.
    pub fresh_within: Option<u32>,
}

/// Where the rows of a feed stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Table {
    /// Text with a delimiter between cells.
    #[default]
    Csv,
    /// A sheet of a workbook: `.xlsx`, `.xls`, `.xlsb`, `.ods`.
    Sheet,
    /// One JSON object a line.
    JsonLines,
    /// A Parquet file.
    Parquet,
    /// A file of SQLite.
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
}

impl Table {
    /// The kind as a job file names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Sheet => "sheet",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgresql",
        }
    }

    /// True if the rows are packed in a file that a library unfolds, which is done in a process of its own.
    pub fn is_packed(self) -> bool {
        matches!(self, Self::Sheet | Self::Parquet)
    }

    /// True if the rows are asked of a database, so that no file's stamps or bytes tell whether they changed.
    pub fn is_asked(self) -> bool {
        matches!(self, Self::Sqlite | Self::Postgres)
    }
}

/// Which sheet of a workbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SheetRef {
    /// By its name.
    Named(String),
    /// By its place, counted from 1.
    At(usize),
}

/// What a database is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The query; it only reads.
    pub sql: String,
    /// True if it states an order; otherwise rows are put in the order of their keys.
    pub ordered: bool,
    /// After how many seconds it is given up.
    pub seconds: u32,
    /// More rows than this withhold the feed.
    pub rows: usize,
}

/// A table whose rows are changes, which are applied to the rows last accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The column with what is done to the row.
    pub column: String,
    /// The column by which changes are put in order; without one the order of the file counts.
    pub order: Option<String>,
    /// The columns that tell which row is changed; none if it is what tells rows apart anyway.
    pub key: Vec<String>,
}

/// The secrets that connections need, by the name of the variable that holds them. They are never shown.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Connections(BTreeMap<String, String>);

impl Connections {
    /// Those that the feeds of these jobs need, as far as `find` knows them.
    pub fn of<'j>(jobs: impl IntoIterator<Item = &'j Job>, find: impl Fn(&str) -> Option<String>) -> Self {
        let feeds = jobs.into_iter().flat_map(|job| job.feeds.values());
        let names = feeds.filter_map(Feed::variable);
        Self(names.filter_map(|name| Some((name.to_owned(), find(name)?))).collect())
    }

    /// The secret of a variable.
    pub fn get(&self, variable: &str) -> Option<&str> {
        self.0.get(variable).map(String::as_str)
    }
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}

/// What stands before the name of a variable in the path of a feed that has a connection.
pub const VARIABLE: &str = "env:";

impl Feed {
    /// The variable that holds the connection, if the feed has one.
    pub fn variable(&self) -> Option<&str> {
        self.path.strip_prefix(VARIABLE).filter(|_| self.format.table == Table::Postgres)
    }
}

/// How a feed's file is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// What it is.
    pub table: Table,
    /// Which sheet of a workbook; `None` is the first.
    pub sheet: Option<SheetRef>,
    /// The change that a row is, if the rows are changes.
    pub operation: Option<Operation>,
    /// True if each line of JSON is a change with the row `before` and `after` it.
    pub envelope: bool,
    /// The byte between cells; default `,` (`\t` for `.tsv`).
    pub delimiter: u8,
    /// A WHATWG encoding name; `None` detects.
    pub encoding: Option<String>,
    /// Physical lines above the header.
    pub skip_lines: usize,
    /// Physical lines below the last row.
    pub skip_footer: usize,
    /// What quotes a cell; default `"`.
    pub quote: u8,
}

impl Default for Format {
    fn default() -> Self {
        Self {
            table: Table::Csv,
            sheet: None,
            operation: None,
            envelope: false,
            delimiter: b',',
            encoding: None,
            skip_lines: 0,
            skip_footer: 0,
            quote: b'"',
        }
    }
}

/// The entity that a row makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityMapping {
    /// The entity type.
    pub entity_type: String,
    /// The columns of the key, joined as a compound key if there are several.
    pub key: Vec<String>,
    /// The names: each one is a list of columns that are joined with a space. The first is the full name.
    pub names: Vec<Vec<String>>,
    /// The columns with many names in one cell, and what separates them there.
    pub many: BTreeMap<String, String>,
    /// Property name → column.
    pub properties: BTreeMap<String, String>,
    /// The column with the key into which this one was merged.
    pub merged_into: Option<String>,
}

/// The edge that a row makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeMapping {
    /// The edge type.
    pub edge_type: String,
    /// The subject's type and columns. `parent` of a `levels` feed is a column too.
    pub subject: Endpoint,
    /// The object's type and columns.
    pub object: Endpoint,
    /// The column of the start.
    pub valid_from: Option<String>,
    /// The column of the end.
    pub valid_to: Option<String>,
    /// Property name → column.
    pub properties: BTreeMap<String, String>,
}

/// The columns that make an endpoint's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The types that it may have; with several, the one that knows the key.
    pub types: Vec<String>,
    /// The columns of the key.
    pub columns: Vec<String>,
    /// What separates several keys in one cell (a many-valued column), if it is one.
    pub many: Option<String>,
}

/// The format of days that are counted from 1970-01-01, as change logs write them.
pub const DAYS: &str = "days";

/// How a feed's dates are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedDates {
    /// A strptime format or [`DAYS`]; `None` reads ISO days, months and years.
    pub format: Option<String>,
    /// True if an end is the last day that counts.
    pub ends_inclusive: bool,
    /// Values that mean "no bound".
    pub open: Vec<String>,
}

impl Default for FeedDates {
    fn default() -> Self {
        Self { format: None, ends_inclusive: false, open: vec![String::new()] }
    }
}

/// A feed's word against documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Authority {
    /// Its rows attest facts; a document's doubtful assertion of the same fact is accepted with it.
    #[default]
    Confirms,
    /// Its rows stand; a document that says otherwise is quarantined.
    Decides,
    /// Its rows are shown beside a fact and attest nothing.
    Informs,
}

/// What to do with columns that the mapping does not know or that are gone (the words of dlt's contracts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Columns {
    /// New columns are fine; a mapped column that is gone withholds the feed.
    #[default]
    Evolve,
    /// Any change of the columns withholds the feed.
    Freeze,
    /// A row with a value in an unknown column is left out.
    DiscardRow,
    /// Values in unknown columns are left out.
    DiscardValue,
}

/// What to do with a key that comes twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnDuplicate {
    /// Withhold the feed and name the lines, unless the rows are equal.
    #[default]
    Error,
    /// The later row counts.
    Last,
}

/// An indented bill of material: a row's parent is the nearest row above with a smaller level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// The column with the level: a number, or dots or spaces before one.
    pub column: String,
    /// The column with the item's key; the parent's value becomes the column `parent`.
    pub item: String,
}
