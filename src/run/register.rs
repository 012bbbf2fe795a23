//! Registers: what a feed with one row a document says of the document.

use std::collections::BTreeMap;

use crate::model::document::HeaderField;
use crate::model::job::Source;
use crate::model::time::{Date, DateExpr};
use crate::ontology::dates::parse_date_text;
use crate::ontology::language::Language;
use crate::store::RowRecord;

use super::Error;
use super::session::Session;

/// The rows of every register, by source and document.
#[derive(Default)]
pub(super) struct Registers {
    rows: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>,
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

impl Registers {
    /// Reads the registers of the sources. Holds one row a document.
    pub(super) fn read(session: &Session<'_>) -> Result<Self, Error> {
        let mut rows = BTreeMap::new();
        for (source, _) in session.setup.sources() {
            let Some(register) = &source.register else { continue };
            let mut by_document = BTreeMap::new();
            for row in session.writer.view().by::<RowRecord>("feed", &register.feed)? {
                if let Some(name) = row.cells.get(&register.on) {
                    by_document.insert(plain(name), row.cells);
                }
            }
            rows.insert(source.name.clone(), by_document);
        }
        let accepted = session
            .accepted_scopes
            .iter()
            .map(|(source, prefix, _)| (source.clone(), prefix.clone()))
            .collect();
        Ok(Self { rows, accepted })
    }

    /// What is known of a document.
    pub(super) fn standing(&self, source: &Source, path: &str) -> Standing {
        let loss_accepted =
            self.accepted.iter().any(|(name, prefix)| *name == source.name && plain(prefix) == plain(path));
        let Some(row) = self.row(source, path) else {
            // A document without a row is not among the selected ones if the source selects.
            let selected = source.only.is_empty() || source.register.is_none();
            return Standing { selected, loss_accepted, ..Standing::default() };
        };
        let fits = |wanted: &BTreeMap<String, Vec<String>>, all: bool| {
            let hit = |(column, values): (&String, &Vec<String>)| {
                row.get(column).is_some_and(|cell| values.iter().any(|value| value == cell.trim()))
            };
            if all { wanted.iter().all(hit) } else { wanted.iter().any(hit) }
        };
        Standing {
            selected: fits(&source.only, true),
            withdrawn: fits(&source.withdrawn, false),
            from_register: true,
            loss_accepted,
            effective: source.effective.as_ref().and_then(|column| row.get(column)).cloned(),
        }
    }

    /// True if rows of the source's register may declare keys of documents.
    pub(super) fn declare_keys(&self, source: &Source) -> bool {
        source.register.as_ref().is_some_and(|register| register.key.is_some())
    }

    /// The key that a document's row declares.
    pub(super) fn document_key(&self, source: &Source, path: &str) -> Option<&str> {
        let column = source.register.as_ref()?.key.as_ref()?;
        let key = self.row(source, path)?.get(column)?.trim();
        (!key.is_empty()).then_some(key)
    }

    /// The day in a column of a document's row.
    pub(super) fn day(&self, source: &Source, path: &str, column: &str, language: &Language) -> Option<Date> {
        first_day(self.row(source, path)?.get(column)?, source, language)
    }

    fn row(&self, source: &Source, path: &str) -> Option<&BTreeMap<String, String>> {
        let rows = self.rows.get(&source.name)?;
        let path = plain(path);
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        rows.get(&path).or_else(|| rows.get(&name))
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
