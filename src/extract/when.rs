//! What a slot for dates takes: a stated date, a term that stands for one, or a period after either.

use super::bound::Value;
use super::phrases::{before, behind};
use super::scene::Scene;
use crate::model::time::{Bound, DateBase, DateExpr, Period, Precision, StatedDate};
use crate::ontology::dates;

/// A date as a slot took it.
#[derive(Debug, Clone)]
pub(super) struct When {
    pub(super) date: DateExpr,
    /// True for a period after something: its end is the first day that no longer belongs.
    pub(super) period: bool,
    /// The places in the scene's `bound` that it rests on.
    pub(super) uses: Vec<usize>,
    pub(super) first: usize,
    pub(super) behind: usize,
}

/// Reads a date at a token.
pub(super) fn read(scene: &Scene<'_>, at: usize, hi: usize) -> Option<When> {
    after_base(scene, at, hi).or_else(|| base(scene, at, hi))
}

/// The document's own effective date, as the text or the declared data have it.
pub(super) fn effective(scene: &Scene<'_>) -> Option<(DateExpr, Option<usize>)> {
    // The text may override the declared data.
    if let Some(place) = scene.effective_term
        && let Value::Date(date) = &scene.bound[place].value
    {
        return Some((date.clone(), Some(place)));
    }
    scene.reader.effective.then(|| (declared(), None))
}

/// The effective date that declared data give the document.
pub(super) fn declared() -> DateExpr {
    DateExpr::Relative { base: DateBase::DocumentEffective, period: Period::default() }
}

/// "225 days after the Effective Date", "225 days of its having taken effect".
fn after_base(scene: &Scene<'_>, at: usize, hi: usize) -> Option<When> {
    let found = dates::period(scene.tokens.get(..hi)?, at, scene.reader.language)?;
    let next = behind(&scene.reader.phrases.after, scene, at + found.tokens, hi)?;
    let base = base(scene, next, hi)?;
    Some(When { date: after(&base.date, found.value), period: true, first: at, ..base })
}

/// A stated date, a term for one, or the document's own effective date.
fn base(scene: &Scene<'_>, at: usize, hi: usize) -> Option<When> {
    if let Some(found) = dates::date(scene.tokens.get(..hi)?, at, scene.reader.language, scene.reader.order) {
        let behind = (at + found.tokens.max(1)).min(hi);
        return Some(When { date: found.value, period: false, uses: Vec::new(), first: at, behind });
    }
    let start = at + usize::from(scene.word(at) == "the");
    for (behind, place) in scene.terms_at(start) {
        if let (Value::Date(date), true) = (&scene.bound[*place].value, *behind <= hi) {
            return Some(When {
                date: date.clone(),
                period: false,
                uses: vec![*place],
                first: at,
                behind: *behind,
            });
        }
    }
    let end = behind(&scene.reader.phrases.effective, scene, start, hi)?;
    let (date, place) = effective(scene)?;
    Some(When { date, period: false, uses: place.into_iter().collect(), first: at, behind: end })
}

/// A period after a date.
pub(super) fn after(date: &DateExpr, period: Period) -> DateExpr {
    match date {
        DateExpr::Stated(stated) => match period.after(stated.first).and_then(StatedDate::day) {
            Some(day) => DateExpr::Stated(day),
            None => DateExpr::Invalid { text: format!("{} + {period}", stated.first) },
        },
        DateExpr::Relative { base, period: earlier } => DateExpr::Relative {
            base: base.clone(),
            period: Period {
                years: earlier.years.saturating_add(period.years),
                months: earlier.months.saturating_add(period.months),
                weeks: earlier.weeks.saturating_add(period.weeks),
                days: earlier.days.saturating_add(period.days),
            },
        },
        DateExpr::Blank { .. } | DateExpr::Ambiguous { .. } | DateExpr::Invalid { .. } => date.clone(),
    }
}

/// The start that a date states.
pub(super) fn start(when: &When) -> Bound {
    Bound { date: when.date.clone(), inclusive: true }
}

/// The end that a date states; the word directly before it decides whether its day belongs.
pub(super) fn end(scene: &Scene<'_>, when: &When, lo: usize) -> Bound {
    let says = |words| before(words, scene, when.first, lo).is_some();
    let phrases = scene.reader.phrases;
    let inclusive = if says(&phrases.exclusive) { false } else { !when.period || says(&phrases.inclusive) };
    Bound { date: when.date.clone(), inclusive }
}

/// Both bounds of a slot `valid`: the word before it decides.
pub(super) fn either(scene: &Scene<'_>, when: &When, lo: usize) -> (Option<Bound>, Option<Bound>) {
    let says = |words| before(words, scene, when.first, lo).is_some();
    let coarse = matches!(&when.date, DateExpr::Stated(stated) if stated.precision != Precision::Day);
    if coarse && says(&scene.reader.phrases.throughout) {
        throughout(when)
    } else if says(&scene.reader.phrases.ending) {
        (None, Some(end(scene, when, lo)))
    } else {
        (Some(start(when)), None)
    }
}

/// Both bounds of a slot `during`.
pub(super) fn throughout(when: &When) -> (Option<Bound>, Option<Bound>) {
    (Some(start(when)), Some(Bound { date: when.date.clone(), inclusive: true }))
}
