//! An assertion with its dates evaluated and a person's corrections in place.
//!
//! In: an assertion and its circumstances. Out: borrowed endpoints and bounds. It judges nothing.

use crate::gate::Circumstances;
use crate::model::assertion::{Assertion, Says};
use crate::model::decision::Answer;
use crate::model::id::EntityKey;
use crate::model::mention::Resolution;
use crate::model::time::{Bound, Date, DateBase, NoDate, Precision};

/// A bound that a statement gives: its day and how finely it was stated.
type Day = (Date, Precision);

/// What an assertion says once everything that can be known of it is known.
pub(super) struct Evaluated<'a> {
    /// The assertion.
    pub(super) assertion: &'a Assertion,
    /// The subject: the corrected one, or as resolved.
    pub(super) subject: End<'a>,
    /// The object.
    pub(super) object: End<'a>,
    /// The start; `None` if none is stated, or a blank, or one that counts from a day nobody knows yet.
    pub(super) start: Result<Option<Day>, NoDate>,
    /// The exclusive end; `None` if none is stated or it is a blank. One that counts from an unknown day
    /// is an error, because an end that is stated must not be read as an open one.
    pub(super) end: Result<Option<Day>, NoDate>,
}

/// An endpoint.
#[derive(Clone, Copy)]
pub(super) enum End<'a> {
    /// A known entity.
    Known(&'a EntityKey),
    /// One of several.
    Ambiguous(&'a str),
    /// Nobody.
    Unknown(&'a str),
}

impl<'a> End<'a> {
    fn of(corrected: Option<&'a EntityKey>, read: &'a Resolution) -> Self {
        match (corrected, read) {
            (Some(key), _) | (None, Resolution::Known(key)) => Self::Known(key),
            (None, Resolution::Ambiguous { surface, .. }) => Self::Ambiguous(surface),
            (None, Resolution::Unknown { surface, .. }) => Self::Unknown(surface),
        }
    }

    /// The entity, if it is known.
    pub(super) fn known(self) -> Option<&'a EntityKey> {
        match self {
            Self::Known(key) => Some(key),
            Self::Ambiguous(_) | Self::Unknown(_) => None,
        }
    }
}

impl<'a> Evaluated<'a> {
    /// Evaluates an assertion; corrected values replace what was read.
    pub(super) fn of(assertion: &'a Assertion, circumstances: &Circumstances<'a>) -> Self {
        let (from, to, subject, object) = match circumstances.decision.map(|decision| &decision.answer) {
            Some(Answer::Correct { valid_from, valid_to, subject, object }) => {
                (*valid_from, *valid_to, subject.as_ref(), object.as_ref())
            }
            Some(Answer::Approve | Answer::Reject { .. } | Answer::Undo { .. }) | None => {
                (None, None, None, None)
            }
        };
        // An end has one day; whichever bound a person corrects is meant to be that day.
        let to = if assertion.says == Says::Ends { to.or(from) } else { to };
        let days = circumstances.days;
        Self {
            assertion,
            subject: End::of(subject, &assertion.subject),
            object: End::of(object, &assertion.object),
            start: start(from, assertion.valid_from.as_ref(), days),
            end: end(to, assertion.valid_to.as_ref(), days),
        }
    }
}

fn start(
    corrected: Option<Date>,
    read: Option<&Bound>,
    days: &dyn Fn(&DateBase) -> Option<Date>,
) -> Result<Option<Day>, NoDate> {
    if let Some(day) = corrected {
        return Ok(Some((day, Precision::Day)));
    }
    match read.map(|bound| bound.as_start(days)) {
        None | Some(Err(NoDate::Blank(_) | NoDate::Unanchored(_))) => Ok(None),
        Some(Ok(day)) => Ok(Some(day)),
        Some(Err(none @ (NoDate::Ambiguous(_) | NoDate::Invalid(_)))) => Err(none),
    }
}

fn end(
    corrected: Option<Date>,
    read: Option<&Bound>,
    days: &dyn Fn(&DateBase) -> Option<Date>,
) -> Result<Option<Day>, NoDate> {
    if let Some(day) = corrected {
        return Ok(Some((day, Precision::Day)));
    }
    match read.map(|bound| bound.as_end(days)) {
        None | Some(Err(NoDate::Blank(_))) => Ok(None),
        Some(Ok(day)) => Ok(Some(day)),
        Some(Err(none @ (NoDate::Ambiguous(_) | NoDate::Invalid(_) | NoDate::Unanchored(_)))) => Err(none),
    }
}
