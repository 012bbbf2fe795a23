//! Registers: what a feed with one row a document says of the document.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::model::document::HeaderField;
use crate::model::job::Source;
use crate::model::time::{Date, DateExpr};
use crate::ontology::dates::parse_date_text;
use crate::ontology::language::Language;
use crate::store::{RowRecord, Writer};

use super::Error;
use super::session::Session;

/// The rows of one register, by document.
type Rows = BTreeMap<String, BTreeMap<String, String>>;

/// The rows of every register, by source. A register is read when a document of its source is first asked
/// about: on most nights none is.
pub(super) struct Registers<'r> {
    writer: &'r Writer<'r>,
    rows: BTreeMap<String, OnceCell<Rows>>,
    accepted: Vec<(String, String)>,
}

/// What is known of one document apart from its bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Standing {
    /// True unless the register's row is not one of those selected.
    pub(super) selected: bool,
    /// True if the register's row withdraws it.
    pub(super) withdrawn: bool,
    /// True if there is a row.
    pub(super) from_register: bool,
    /// True if a person has accepted that its text shrank.
    pub(super) loss_accepted: bool,
    effective: Option<String>,
}

impl<'r> Registers<'r> {
    /// The registers of the sources, once the feeds are written. Holds one row a document of those that are
    /// asked about.
    pub(super) fn of(session: &Session<'r>) -> Self {
        let sources = session.setup.sources().into_iter();
        let rows = sources.map(|(source, _)| (source.name.clone(), OnceCell::new())).collect();
        let accepted = session
            .accepted_scopes
            .iter()
            .map(|(source, prefix, _)| (source.clone(), prefix.clone()))
            .collect();
        Self { writer: session.writer, rows, accepted }
    }

    /// The rows of a source's register, read if they have not been.
    fn rows(&self, source: &Source) -> Result<Option<&Rows>, Error> {
        let (Some(register), Some(kept)) = (&source.register, self.rows.get(&source.name)) else {
            return Ok(None);
        };
        if let Some(rows) = kept.get() {
            return Ok(Some(rows));
        }
        let mut rows = Rows::new();
        for row in self.writer.view().by::<RowRecord>("feed", &register.feed)? {
            if let Some(name) = row.cells.get(&register.on) {
                rows.insert(plain(name), row.cells);
            }
        }
        Ok(Some(kept.get_or_init(|| rows)))
    }

    /// What is known of a document.
    pub(super) fn standing(&self, source: &Source, path: &str) -> Result<Standing, Error> {
        let loss_accepted =
            self.accepted.iter().any(|(name, prefix)| *name == source.name && plain(prefix) == plain(path));
        let Some(row) = self.row(source, path)? else {
            // A document without a row is not among the selected ones if the source selects.
            let selected = source.only.is_empty() || source.register.is_none();
            return Ok(Standing { selected, loss_accepted, ..Standing::default() });
        };
        let fits = |wanted: &BTreeMap<String, Vec<String>>, all: bool| {
            let hit = |(column, values): (&String, &Vec<String>)| {
                row.get(column).is_some_and(|cell| values.iter().any(|value| value == cell.trim()))
            };
            if all { wanted.iter().all(hit) } else { wanted.iter().any(hit) }
        };
        Ok(Standing {
            selected: fits(&source.only, true),
            withdrawn: fits(&source.withdrawn, false),
            from_register: true,
            loss_accepted,
            effective: source.effective.as_ref().and_then(|column| row.get(column)).cloned(),
        })
    }

    /// True if rows of the source's register may declare keys of documents.
    pub(super) fn declare_keys(&self, source: &Source) -> bool {
        source.register.as_ref().is_some_and(|register| register.key.is_some())
    }

    /// The key that a document's row declares.
    pub(super) fn document_key(&self, source: &Source, path: &str) -> Result<Option<&str>, Error> {
        let Some(column) = source.register.as_ref().and_then(|register| register.key.as_ref()) else {
            return Ok(None);
        };
        let key = self.row(source, path)?.and_then(|row| row.get(column)).map(|key| key.trim());
        Ok(key.filter(|key| !key.is_empty()))
    }

    /// The day in a column of a document's row.
    pub(super) fn day(
        &self,
        source: &Source,
        path: &str,
        column: &str,
        language: &Language,
    ) -> Result<Option<Date>, Error> {
        let cell = self.row(source, path)?.and_then(|row| row.get(column));
        Ok(cell.and_then(|cell| first_day(cell, source, language)))
    }

    fn row(&self, source: &Source, path: &str) -> Result<Option<&BTreeMap<String, String>>, Error> {
        let Some(rows) = self.rows(source)? else { return Ok(None) };
        // A register may begin its paths anywhere: at its own folder, at the source's, or at the file's name.
        let path = plain(&format!("{}/{path}", source.path));
        let mut ends = std::iter::successors(Some(path.as_str()), |end| Some(end.split_once('/')?.1));
        Ok(ends.find_map(|end| rows.get(end)))
    }
}

impl Standing {
    /// The effective date: a header field of that name overrides the register's column.
    pub(super) fn effective(
        &self,
        fields: &[HeaderField],
        source: &Source,
        language: &Language,
    ) -> Option<Date> {
        let name = source.effective.as_ref()?;
        let stated =
            fields.iter().find(|field| same_name(&field.name, name)).map(|field| field.value.as_str());
        [stated, self.effective.as_deref()]
            .into_iter()
            .flatten()
            .find_map(|text| first_day(text, source, language))
    }
}

/// The day of which a document is dated, by a header field that says so.
pub(super) fn dated(fields: &[HeaderField], source: &Source, language: &Language) -> Option<Date> {
    fields
        .iter()
        .filter(|field| {
            ["date", "dated", "issued", "issue date", "document date"]
                .iter()
                .any(|name| same_name(&field.name, name))
        })
        .find_map(|field| first_day(&field.value, source, language))
}

/// True if a header field withdraws the document.
pub(super) fn withdrawn_by_field(fields: &[HeaderField], source: &Source) -> bool {
    fields.iter().any(|field| {
        source.withdrawn.iter().any(|(name, values)| {
            same_name(&field.name, name)
                && values.iter().any(|value| value.eq_ignore_ascii_case(field.value.trim()))
        })
    })
}

fn first_day(text: &str, source: &Source, language: &Language) -> Option<Date> {
    match parse_date_text(text.trim(), language, source.date_order)? {
        DateExpr::Stated(stated) => Some(stated.first),
        DateExpr::Relative { .. }
        | DateExpr::Blank { .. }
        | DateExpr::Ambiguous { .. }
        | DateExpr::Invalid { .. } => None,
    }
}

fn same_name(left: &str, right: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    plain(left) == plain(right)
}

/// A file's name as registers write it: `/`-separated and NFC.
fn plain(path: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    path.trim().trim_start_matches("./").replace('\\', "/").nfc().collect()
}
