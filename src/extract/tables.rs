//! `table` rules: one reading a row, from the cells of the mapped columns.

use std::collections::BTreeMap;

use super::bound::Named;
use super::draft::{Desk, Draft, date, is_blank, property};
use super::input::Input;
use super::rules::Compiled;
use super::zones;
use super::{Miss, MissKind, Notes};
use crate::model::assertion::{Reading, Supporting};
use crate::model::chunk::{ChunkBody, ChunkKind};
use crate::model::time::Bound;
use crate::model::token::{Span, fold};
use crate::ontology::TableRule;
use crate::ontology::language::Language;

/// Between the cells of a quote.
const BETWEEN: &str = " | ";

/// True if the chunk holds rows of a table that the rule reads.
pub(super) fn applies(rule: &Compiled, table: &TableRule, body: &ChunkBody) -> bool {
    let ChunkKind::Rows { header, .. } = &body.kind else { return false };
    let under = table.under.is_empty() || zones::under_heading(&table.under, body);
    let columns = columns(table, header);
    let endpoint = |name: &str, filler: bool| {
        columns.contains_key(name) || (filler && !table.columns.contains_key(name))
    };
    under
        && endpoint("subject", rule.rule.subject.is_some())
        && endpoint("object", rule.rule.object.is_some())
        && !columns.is_empty()
}

/// Slot name → the column that it reads.
fn columns(table: &TableRule, header: &[String]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (slot, names) in &table.columns {
        // The names stand in the order of preference, so the first name that a column has decides.
        let column =
            names.iter().find_map(|name| header.iter().position(|title| zones::same_name(title, name)));
        found.extend(column.map(|column| (slot.clone(), column)));
    }
    found
}

/// Reads the rows of the chunk by a rule.
pub(super) fn read(
    desk: &Desk<'_, '_>,
    rule: &Compiled,
    table: &TableRule,
    notes: &mut Notes,
) -> Vec<Reading> {
    let ChunkKind::Rows { header, cells, above } = &desk.input.body.kind else { return Vec::new() };
    let grid = Grid {
        input: desk.input,
        language: desk.scene.reader.language,
        columns: columns(table, header),
        header,
    };
    let mut filled = grid.carried(above);
    let mut readings = Vec::new();
    for row in &cells.rows {
        let first = row.iter().map(|cell| grid.text(cell)).find(|text| !text.is_empty()).unwrap_or_default();
        let first = fold(first);
        if first.is_empty() || table.skip_rows.iter().any(|skip| first.starts_with(&fold(skip))) {
            continue;
        }
        let draft = grid.draft(rule, table, row, &mut filled);
        let Some(draft) = draft else { continue };
        for named in
            draft.subject.iter().chain(&draft.object).flatten().filter(|named| named.candidates.is_empty())
        {
            notes.add(|| {
                Some(Miss {
                    rule: rule.rule.id.clone(),
                    kind: MissKind::UnknownName { surface: named.surface.clone() },
                    quote: draft.quote.clone(),
                    span: draft.span,
                })
            });
        }
        match desk.readings(rule, draft) {
            Ok(found) => readings.extend(found),
            Err(miss) => notes.add(|| Some(miss)),
        }
    }
    readings
}

/// What a column holds where a cell of it is empty.
#[derive(Debug, Clone, Default)]
struct Carried {
    text: String,
    named: Vec<Named>,
}

struct Grid<'g> {
    input: &'g Input,
    language: &'static Language,
    columns: BTreeMap<String, usize>,
    header: &'g [String],
}

impl Grid<'_> {
    fn text(&self, cell: &Span) -> &str {
        cell.of(&self.input.body.text).trim()
    }

    /// What stands above the chunk's first row, by column.
    fn carried(&self, above: &[String]) -> BTreeMap<usize, Carried> {
        let texts = above.iter().enumerate().filter(|(_, text)| !is_blank(text));
        texts
            .map(|(column, text)| {
                let candidates = self.input.above.get(&column).cloned().unwrap_or_default();
                let text = text.trim().to_owned();
                (column, Carried { named: vec![Named { surface: text.clone(), candidates }], text })
            })
            .collect()
    }

    /// What a row states; `None` if an endpoint's cell is empty.
    fn draft(
        &self,
        rule: &Compiled,
        table: &TableRule,
        row: &[Span],
        filled: &mut BTreeMap<usize, Carried>,
    ) -> Option<Draft> {
        let mut values: BTreeMap<&str, Carried> = BTreeMap::new();
        for (slot, column) in &self.columns {
            let cell = row.get(*column);
            let text = cell.map_or("", |cell| self.text(cell));
            let value = if text.is_empty() {
                let fill = table.fill_down.contains(slot);
                filled.get(column).filter(|_| fill).cloned().unwrap_or_default()
            } else {
                let value = Carried { text: text.to_owned(), named: self.named(cell, text) };
                filled.insert(*column, value.clone());
                value
            };
            values.insert(slot, value);
        }
        let mut draft = self.quoted(row, &values);
        let mut interval = (None, None);
        for (slot, value) in values {
            match slot {
                "subject" | "object" => {
                    let types = if slot == "subject" { &rule.subject_types } else { &rule.object_types };
                    let named = of_types(&value, types);
                    if named.is_empty() {
                        return None;
                    }
                    *(if slot == "subject" { &mut draft.subject } else { &mut draft.object }) = Some(named);
                }
                "valid_from" | "valid_to" => {
                    let bound = date(&value.text, self.input, self.language)
                        .map(|date| Bound { date, inclusive: true });
                    *(if slot == "valid_from" { &mut interval.0 } else { &mut interval.1 }) = bound;
                }
                "during" | "valid" => {
                    let bound = date(&value.text, self.input, self.language)
                        .map(|date| Bound { date, inclusive: true });
                    interval = (bound.clone(), bound);
                }
                name => {
                    let kind = rule.properties.get(name);
                    let text = kind.and_then(|kind| property(*kind, &value.text, self.input, self.language));
                    draft.properties.extend(text.map(|text| (name.to_owned(), text)));
                }
            }
        }
        draft.intervals.push(interval);
        Some(draft)
    }

    /// Everyone named in a cell; its whole text, if nobody is.
    fn named(&self, cell: Option<&Span>, text: &str) -> Vec<Named> {
        let body = &self.input.body.text;
        let inside =
            self.input.mentions.iter().filter(|mention| cell.is_some_and(|cell| cell.covers(&mention.span)));
        let mut named: Vec<Named> = inside
            .map(|mention| Named {
                surface: mention.span.of(body).to_owned(),
                candidates: mention.candidates.clone(),
            })
            .collect();
        if named.is_empty() && !is_blank(text) {
            named.push(Named { surface: text.to_owned(), candidates: Vec::new() });
        }
        named
    }

    /// The mapped cells, in the order of the columns, as quote; the header's as support.
    fn quoted(&self, row: &[Span], values: &BTreeMap<&str, Carried>) -> Draft {
        let mut columns: Vec<(usize, &str)> =
            self.columns.iter().map(|(slot, column)| (*column, slot.as_str())).collect();
        columns.sort_unstable();
        columns.dedup_by_key(|(column, _)| *column);
        let texts = columns.iter().map(|(_, slot)| values.get(slot).map_or("", |value| value.text.as_str()));
        let quote = texts.collect::<Vec<_>>().join(BETWEEN);
        let titles =
            columns.iter().map(|(column, _)| self.header.get(*column).map_or("", |title| title.trim()));
        let header = titles.collect::<Vec<_>>().join(BETWEEN);
        let spans = || {
            let cells = columns.iter().filter_map(|(column, _)| row.get(*column));
            cells.filter(|cell| !cell.of(&self.input.body.text).is_empty())
        };
        let span = spans().map(|cell| cell.start).min().zip(spans().map(|cell| cell.end).max());
        Draft {
            quote,
            span: span.map(|(start, end)| Span::new(start, end)),
            support: vec![Supporting { role: "header".to_owned(), text: header, chunk: None }],
            ..Draft::default()
        }
    }
}

/// The names of these types; if a cell names only others, nobody; if it names nobody, its text.
fn of_types(value: &Carried, types: &[String]) -> Vec<Named> {
    value.named.iter().filter_map(|named| named.of_types(types)).collect()
}
