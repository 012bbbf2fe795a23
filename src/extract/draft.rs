//! From what a rule read to readings: endpoints and dates that no slot fills, and every combination of a
//! list's names.

use std::collections::BTreeMap;

use super::bound::{self, Named, Value};
use super::input::Input;
use super::rules::Compiled;
use super::scene::Scene;
use super::when;
use super::{Miss, MissKind};
use crate::model::assertion::{Evidence, Reading, Slot, Supporting};
use crate::model::id::EntityKey;
use crate::model::time::{Bound, DateExpr, Period, StatedDate};
use crate::model::token::Span;
use crate::ontology::language::Language;
use crate::ontology::{DateFiller, Filler, ValueKind, dates};

/// The surface of an endpoint that is the document's own entity.
pub(super) const DOCUMENT: &str = "self";

/// The most readings of one place. A list of a hundred suppliers for each of a hundred parts is a table
/// that lost its lines.
const MOST_READINGS: usize = 2_000;

/// What one place in a chunk states, as a rule read it.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) subject: Option<Vec<Named>>,
    pub(super) object: Option<Vec<Named>>,
    /// The intervals; one without bounds if nothing was said.
    pub(super) intervals: Vec<(Option<Bound>, Option<Bound>)>,
    pub(super) properties: BTreeMap<String, String>,
    pub(super) quote: String,
    pub(super) span: Option<Span>,
    pub(super) support: Vec<Supporting>,
    /// How sure a program is of it, in thousandths.
    pub(super) confidence: Option<u16>,
}

/// Where readings are made.
pub(super) struct Desk<'d, 'a> {
    pub(super) input: &'d Input,
    pub(super) scene: &'d Scene<'a>,
}

impl Desk<'_, '_> {
    /// The readings of a draft; a miss if an endpoint stays empty.
    pub(super) fn readings(&self, rule: &Compiled, mut draft: Draft) -> Result<Vec<Reading>, Miss> {
        let subjects = self.side(rule, draft.subject.take(), &rule.rule.subject, "subject", &mut draft)?;
        let objects = self.side(rule, draft.object.take(), &rule.rule.object, "object", &mut draft)?;
        if draft.intervals.is_empty() {
            draft.intervals.push((None, None));
        }
        let mut intervals = Vec::new();
        for (from, to) in std::mem::take(&mut draft.intervals) {
            let from = from.or_else(|| self.bound(&rule.rule.valid_from, None, &mut draft.support));
            let start = from.as_ref().map(|from| &from.date);
            let to = to.or_else(|| self.bound(&rule.rule.valid_to, Some(start), &mut draft.support));
            intervals.push((from, to));
        }
        draft.support.sort();
        draft.support.dedup();
        let count = subjects.len() * objects.len() * intervals.len();
        if count > MOST_READINGS {
            let kind = MissKind::TooMany { count };
            return Err(Miss { rule: rule.rule.id.clone(), kind, quote: draft.quote, span: draft.span });
        }
        let mut readings = Vec::new();
        for subject in &subjects {
            for object in &objects {
                for (valid_from, valid_to) in &intervals {
                    readings.push(Reading {
                        rule: rule.rule.id.clone(),
                        edge_type: rule.edge.clone(),
                        says: rule.rule.says,
                        subject: slot(subject, &rule.subject_types),
                        object: slot(object, &rule.object_types),
                        valid_from: valid_from.clone(),
                        valid_to: valid_to.clone(),
                        properties: draft.properties.clone(),
                        confidence: draft.confidence,
                        evidence: Evidence {
                            quote: draft.quote.clone(),
                            span: draft.span,
                            support: draft.support.clone(),
                        },
                        occurrence: 0,
                    });
                }
            }
        }
        Ok(readings)
    }

    fn side(
        &self,
        rule: &Compiled,
        read: Option<Vec<Named>>,
        filler: &Option<Filler>,
        name: &str,
        draft: &mut Draft,
    ) -> Result<Vec<Named>, Miss> {
        let miss =
            |kind| Miss { rule: rule.rule.id.clone(), kind, quote: draft.quote.clone(), span: draft.span };
        if let Some(names) = read {
            return Ok(names);
        }
        let types = if name == "subject" { &rule.subject_types } else { &rule.object_types };
        match filler {
            // A rule that says something of contracts says nothing in a document that stands for an amendment.
            Some(Filler::Document) => match self.input.stands_for.as_ref().filter(|key| takes(types, key)) {
                Some(key) => Ok(vec![Named { surface: DOCUMENT.to_owned(), candidates: vec![key.clone()] }]),
                None => Err(miss(MissKind::NoEndpoint { name: DOCUMENT.to_owned() })),
            },
            Some(Filler::Binding(binding)) => {
                match self.binding(binding).map(|bound| (bound, &bound.value)) {
                    Some((bound, Value::Names(names))) => {
                        draft.support.push(bound.support.clone());
                        Ok(names.clone())
                    }
                    _ => Err(miss(MissKind::NoEndpoint { name: binding.clone() })),
                }
            }
            None => Err(miss(MissKind::NoEndpoint { name: name.to_owned() })),
        }
    }

    /// What a `bind` rule named, else the term of this name.
    fn binding(&self, name: &str) -> Option<&bound::Bound> {
        let of_name = || self.input.bindings.iter().filter(|bound| bound.name == name);
        of_name().find(|bound| bound.term.is_empty()).or_else(|| of_name().next())
    }

    /// What the first of these gives that the document has. Of an end, `start` is where the fact begins: a period
    /// counts from there in a document that states no effective date.
    fn bound(
        &self,
        fillers: &[DateFiller],
        start: Option<Option<&DateExpr>>,
        support: &mut Vec<Supporting>,
    ) -> Option<Bound> {
        let (last, others) = fillers.split_last()?;
        let has_effective = when::effective(self.scene).is_some();
        let stated = |filler: &&DateFiller| has_effective || filler.is_binding();
        // Of several, a period that counts from a day which nobody states gives nothing.
        let begins = matches!(start.flatten(), Some(DateExpr::Stated(_) | DateExpr::Relative { .. }));
        let counts =
            |filler: &DateFiller| others.is_empty() || has_effective || begins || !self.is_period(filler);
        let mut tried = others.iter().filter(stated).chain([last]).filter(|filler| counts(filler));
        tried.find_map(|filler| self.filled(filler, start, support))
    }

    /// True if a filler gives a period and no day.
    fn is_period(&self, filler: &DateFiller) -> bool {
        match filler {
            DateFiller::Effective => false,
            DateFiller::AfterEffective(_) => true,
            DateFiller::Binding(name) => {
                self.binding(name).is_some_and(|bound| matches!(bound.value, Value::Names(_)))
            }
        }
    }

    fn filled(
        &self,
        filler: &DateFiller,
        start: Option<Option<&DateExpr>>,
        support: &mut Vec<Supporting>,
    ) -> Option<Bound> {
        let (date, period) = match filler {
            DateFiller::Effective => (self.effective(None, support), false),
            DateFiller::AfterEffective(period) => {
                (when::after(&self.effective(start.flatten(), support), *period), true)
            }
            DateFiller::Binding(name) => {
                let bound = self.binding(name)?;
                let (date, period) = match &bound.value {
                    Value::Date(date) => (date.clone(), bound.period),
                    Value::Names(names) => {
                        // A duration that the document states counts from its effective date.
                        let [named] = names.as_slice() else { return None };
                        let period = named.surface.parse::<Period>().ok()?;
                        (when::after(&self.effective(start.flatten(), support), period), true)
                    }
                };
                support.push(bound.support.clone());
                (date, period)
            }
        };
        Some(Bound { date, inclusive: start.is_none() || !period })
    }

    /// The document's effective date; if nothing states it, the start of the fact, else the expression that waits
    /// for it.
    fn effective(&self, start: Option<&DateExpr>, support: &mut Vec<Supporting>) -> DateExpr {
        let Some((date, place)) = when::effective(self.scene) else {
            return start.cloned().unwrap_or_else(when::declared);
        };
        support.extend(place.map(|place| self.scene.bound[place].support.clone()));
        date
    }
}

/// True if a side of these types may be this entity.
pub(super) fn takes(types: &[String], key: &EntityKey) -> bool {
    types.is_empty() || types.iter().any(|name| name == key.entity_type())
}

fn slot(named: &Named, types: &[String]) -> Slot {
    Slot { surface: named.surface.clone(), candidates: named.candidates.clone(), types: types.to_vec() }
}

/// A property's text as the graph keeps it; `None` for an empty one.
pub(super) fn property(kind: ValueKind, text: &str, input: &Input, language: &Language) -> Option<String> {
    let text = text.trim();
    if is_blank(text) {
        return None;
    }
    let normal = match kind {
        ValueKind::Text => None,
        ValueKind::Number => {
            let tokens = crate::model::token::tokens(text);
            dates::number(&tokens, 0).filter(|read| read.tokens == tokens.len()).map(|read| read.value)
        }
        ValueKind::Duration => {
            dates::parse_period_text(text, language).map(|period: Period| period.to_string())
        }
        ValueKind::Date => match dates::parse_date_text(text, language, input.date_order) {
            Some(DateExpr::Stated(stated)) => Some(iso(&stated)),
            _ => None,
        },
    };
    Some(normal.unwrap_or_else(|| text.to_owned()))
}

/// A cell's or field's text as a date; `None` if nothing is stated.
pub(super) fn date(text: &str, input: &Input, language: &Language) -> Option<DateExpr> {
    let text = text.trim();
    if is_blank(text) {
        return None;
    }
    let read = dates::parse_date_text(text, language, input.date_order);
    // A text with digits that is no date is a mistake to be shown; "open" or "TBD" states nothing.
    let wrong = || text.chars().any(char::is_numeric).then(|| DateExpr::Invalid { text: text.to_owned() });
    read.or_else(wrong)
}

/// What is written into a cell where nothing is to be said.
pub(super) fn is_blank(text: &str) -> bool {
    let folded = crate::model::token::fold(text.trim());
    let plain = folded.trim_matches(|next: char| "-–—._*".contains(next));
    matches!(plain, "" | "n/a" | "na" | "none" | "tbd" | "tba" | "t.b.d" | "t.b.a")
}

/// A stated date as a property keeps it, no finer than it was stated.
pub(super) fn iso(stated: &StatedDate) -> String {
    use crate::model::time::Precision;
    let first = stated.first;
    match stated.precision {
        Precision::Day => first.to_string(),
        Precision::Month => format!("{:04}-{:02}", first.year(), first.month()),
        Precision::Quarter => format!("{:04}-Q{}", first.year(), (first.month() - 1) / 3 + 1),
        Precision::Year => format!("{:04}", first.year()),
    }
}
