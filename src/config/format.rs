//! How the rows of a feed are had: from the checked tree of a job file to the kind of its table, how the file is
//! written, and what a database is asked.

use super::job::path;
use super::sql;
use crate::model::job::{Format, Limits, Operation, Query, SheetRef, Table, VARIABLE};
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::{bytes, count, milliseconds, quoted};
use crate::ontology::file::yaml::{Key, Node};

/// How long a query may take, in seconds, and how many rows it may give, unless the job says otherwise.
const SECONDS: u32 = 60;
const ROWS: usize = 1_000_000;
/// What unpacking a file may take where the job says nothing: in milliseconds, and in bytes. A table of a million rows
/// takes a few seconds and a few hundred megabytes.
const UNPACKING_TIME: u64 = 300_000;
const UNPACKING_MEMORY: u64 = 4 << 30;

/// The keys of `format` that only some kinds of tables have.
const KEYS: [(&str, &[Table]); 7] = [
    ("delimiter", &[Table::Csv]),
    ("encoding", &[Table::Csv]),
    ("quote", &[Table::Csv]),
    ("skip_lines", &[Table::Csv, Table::Sheet]),
    ("skip_footer", &[Table::Csv, Table::Sheet]),
    ("sheet", &[Table::Sheet]),
    ("envelope", &[Table::JsonLines]),
];

/// Where a feed's rows stand and how they are written.
pub(super) fn of(name: &Key, node: &Node, problems: &mut Problems<'_>) -> (String, Format) {
    let Some((key, connection)) = node.entry("connection") else {
        let Some(at) = node.get("path") else {
            let hint = "`path`: the file, relative to the workspace; `connection`: a PostgreSQL server";
            problems.error(
                "config-missing-key",
                name.at,
                "a feed needs the key `path` or `connection`",
                hint,
            );
            return (String::new(), format(node, Table::Csv, "", problems));
        };
        let path = path(node, problems);
        let table = match node.get("format").and_then(|format| format.word("kind")) {
            Some(word) => ALL.into_iter().find(|table| table.word() == word).unwrap_or_default(),
            None => by_extension(at.text().unwrap_or_default()),
        };
        let format = format(node, table, &path, problems);
        return (path, format);
    };
    if let Some((key, _)) = node.entry("path") {
        let message = "a feed has a `path` or a `connection`, not both";
        problems.error("config-value", key.at, message, "leave one of them out");
    }
    if let Some(kind) = node.get("format").and_then(|format| format.get("kind")) {
        let message = "a feed with a `connection` is read from PostgreSQL and has no `kind`";
        problems.error("config-value", kind.at, message, "leave it out");
    }
    let variable = connection.word("env").unwrap_or_default();
    let sound = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !variable.chars().all(sound) {
        let message = format!("`{variable}` is not the name of a variable");
        problems.error("config-value", key.at, message, "it has letters, digits and `_`, such as `ERP_URL`");
    }
    (format!("{VARIABLE}{variable}"), format(node, Table::Postgres, "", problems))
}

const ALL: [Table; 5] = [Table::Csv, Table::Sheet, Table::JsonLines, Table::Parquet, Table::Sqlite];

fn by_extension(path: &str) -> Table {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("xlsx" | "xlsm" | "xlsb" | "xls" | "ods") => Table::Sheet,
        Some("jsonl" | "ndjson") => Table::JsonLines,
        Some("parquet") => Table::Parquet,
        Some("db" | "sqlite" | "sqlite3") => Table::Sqlite,
        _ => Table::Csv,
    }
}

/// What a database is asked: a query or a table, exactly one of them; nothing of a file of any other kind.
pub(super) fn query(node: &Node, path: &str, format: &Format, problems: &mut Problems<'_>) -> Option<Query> {
    let asked = ["query", "table"].map(|key| node.entry(key));
    if !format.table.is_asked() {
        for (key, _) in asked.into_iter().flatten() {
            let message = format!(
                "`{}` is for databases, and this feed is read as `{}`",
                key.text,
                format.table.word()
            );
            problems.error(
                "config-value",
                key.at,
                message,
                "leave it out, or say `format: { kind: sqlite }`",
            );
        }
        return None;
    }
    let limits = node.get("limits");
    let limit = |key| limits.and_then(|limits| limits.word(key)).and_then(count);
    let (sql, ordered) = match asked {
        [Some((_, query)), None] => (one_select(query, problems)?, sql::is_ordered(query.text()?)),
        [None, Some((_, table))] => (format!("select * from {}", quoted_name(table.text()?)), false),
        [Some(_), Some((key, _))] => {
            let message = "a feed has a `query` or a `table`, not both";
            problems.error("config-value", key.at, message, "leave one of them out");
            return None;
        }
        [None, None] => {
            let message =
                format!("a database needs a `query` or a `table`, and the feed of `{path}` has none");
            let hint = "`table`: the table that is read; `query`: one `select`";
            problems.error("config-missing-key", node.at, message, hint);
            return None;
        }
    };
    let seconds = limit("seconds").and_then(|seconds| u32::try_from(seconds).ok());
    if seconds == Some(0)
        && let Some(zero) = limits.and_then(|limits| limits.get("seconds"))
    {
        let message = "a query that may take 0 seconds gives no row";
        let hint = format!("write at least 1, or leave it out: then it may take {SECONDS}");
        problems.error("config-value", zero.at, message, &hint);
    }
    let rows = limit("rows").and_then(|rows| usize::try_from(rows).ok());
    Some(Query { sql, ordered, seconds: seconds.unwrap_or(SECONDS), rows: rows.unwrap_or(ROWS) })
}

/// What unpacking the file of a feed may take. Each key of `limits` belongs to some kinds of tables only.
pub(super) fn limits(node: &Node, format: &Format, problems: &mut Problems<'_>) -> Limits {
    let default = Limits { time: UNPACKING_TIME, memory: UNPACKING_MEMORY, ..Limits::default() };
    let Some(limits) = node.get("limits") else { return default };
    for (key, _) in limits.entries() {
        let (fits, whose) = match key.text.as_str() {
            "time" | "memory" => (format.table.is_packed(), "workbooks and Parquet files"),
            _ => (format.table.is_asked(), "databases"),
        };
        if !fits {
            let word = format.table.word();
            let message =
                format!("the limit `{}` is for {whose}, and this feed is read as `{word}`", key.text);
            problems.error(
                "config-value",
                key.at,
                message,
                "leave it out, or say another `format: { kind: … }`",
            );
        }
    }
    Limits {
        time: limits.word("time").and_then(milliseconds).unwrap_or(default.time),
        memory: limits.word("memory").and_then(bytes).unwrap_or(default.memory),
        ..default
    }
}

/// A query that reads: more than that no feed needs, and less could change what it reads.
fn one_select(query: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let text = query.text()?.trim().trim_end_matches(';').trim_end();
    let first: String = text.chars().take_while(|letter| letter.is_alphabetic()).collect();
    if !["select", "with", "values"].contains(&first.to_lowercase().as_str()) {
        let message = "a query only reads: it begins with `select`, `with` or `values`";
        problems.error("config-value", query.at, message, "comments go behind the first word");
        return None;
    }
    Some(text.to_owned())
}

/// `schema.table` is a table of a schema.
fn quoted_name(name: &str) -> String {
    let parts = name.split('.').map(|part| format!("\"{}\"", part.replace('"', "\"\"")));
    parts.collect::<Vec<_>>().join(".")
}

/// An indented bill of material lives by the order of its rows.
pub(super) fn fits_levels(node: &Node, format: &Format, query: Option<&Query>, problems: &mut Problems<'_>) {
    let Some((key, _)) = node.entry("levels") else { return };
    if format.operation.is_some() {
        let message = "rows that are changes have no row above them, so `levels` says nothing";
        problems.error("config-value", key.at, message, "read the whole list, or leave `levels` out");
    } else if query.is_some_and(|query| !query.ordered) {
        let message = "`levels` goes by the order of the rows, and the query states none";
        problems.error("config-value", key.at, message, "write a `query` with `order by`");
    }
}

/// Keys that the kind of table does not have are mistakes, not wishes.
fn fits_table(format: &Node, table: Table, problems: &mut Problems<'_>) {
    for (name, tables) in KEYS {
        let Some((key, _)) = format.entry(name).filter(|_| !tables.contains(&table)) else { continue };
        let kinds = quoted(tables.iter().map(|table| table.word()));
        let message =
            format!("`{name}` is for the kind {kinds}, and this feed is read as `{}`", table.word());
        problems.error("config-value", key.at, message, "leave it out, or say what the file is as `kind`");
    }
}

fn sheet_of(node: &Node, problems: &mut Problems<'_>) -> Option<SheetRef> {
    let text = node.text()?;
    match text.parse::<usize>() {
        Ok(0) => {
            problems.error("config-value", node.at, "sheets are counted from 1", "write `1` for the first");
            None
        }
        Ok(at) => Some(SheetRef::At(at)),
        Err(_) => Some(SheetRef::Named(text.to_owned())),
    }
}

/// How a table of text is written; `.tsv` and `.tab` say their delimiter.
pub(super) fn text(node: &Node, path: &str, problems: &mut Problems<'_>) -> Format {
    format(node, Table::Csv, path, problems)
}

fn format(node: &Node, table: Table, path: &str, problems: &mut Problems<'_>) -> Format {
    let tabs = path.ends_with(".tsv") || path.ends_with(".tab");
    let default = Format { table, delimiter: if tabs { b'\t' } else { b',' }, ..Format::default() };
    let Some(format) = node.get("format") else { return default };
    fits_table(format, table, problems);
    let lines = |key| format.word(key).and_then(count).and_then(|count| usize::try_from(count).ok());
    let encoding = format.get("encoding").and_then(|encoding| encoding_name(encoding, problems));
    let envelope = format.word("envelope").is_some();
    let operation = format.word("operation").or(envelope.then_some("op")).map(|column| Operation {
        column: column.to_owned(),
        order: format.word("order").map(str::to_owned),
        key: problems.once(format.get("key"), "column"),
    });
    for (key, _) in
        ["order", "key"].into_iter().filter_map(|key| format.entry(key)).filter(|_| operation.is_none())
    {
        let message = format!("`{}` is for changes, and the rows are none", key.text);
        problems.error("config-value", key.at, message, "name the column of the change as `operation`");
    }
    let makes = node.get("entity").or_else(|| node.get("edge")).is_some();
    if let Some(operation) = operation.as_ref().filter(|operation| !makes && operation.key.is_empty()) {
        let message = format!("nothing tells which row the `{}` is of", operation.column);
        problems.error("config-value", format.at, message, "name the columns of the row's key as `key`");
    }
    Format {
        table,
        sheet: format.get("sheet").and_then(|sheet| sheet_of(sheet, problems)),
        operation,
        envelope,
        delimiter: character(format, "delimiter", problems).unwrap_or(default.delimiter),
        encoding,
        skip_lines: lines("skip_lines").unwrap_or(default.skip_lines),
        skip_footer: lines("skip_footer").unwrap_or(default.skip_footer),
        quote: character(format, "quote", problems).unwrap_or(default.quote),
    }
}

fn character(format: &Node, key: &str, problems: &mut Problems<'_>) -> Option<u8> {
    let node = format.get(key)?;
    let text = node.text()?;
    match text.as_bytes() {
        [one] if one.is_ascii() && !matches!(one, b'\n' | b'\r' | 0) => Some(*one),
        b"tab" | b"\\t" => Some(b'\t'),
        _ => {
            let message = format!("`{key}` is one ASCII character, not `{text}`");
            problems.error("config-value", node.at, message, "write it in quotes, or `tab`");
            None
        }
    }
}

fn encoding_name(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let text = node.text()?;
    match encoding_rs::Encoding::for_label(text.as_bytes()) {
        Some(encoding) => Some(encoding.name().to_lowercase()),
        None => {
            const USUAL: [&str; 5] = ["utf-8", "windows-1252", "iso-8859-15", "utf-16le", "shift_jis"];
            let hint = match crate::diag::nearest(text, USUAL) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write a WHATWG encoding name such as {}", quoted(USUAL)),
            };
            problems.error("config-value", node.at, format!("there is no encoding `{text}`"), hint);
            None
        }
    }
}
