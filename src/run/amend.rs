//! Amendments: what a source that declares `edits: amend` makes of the former version of a document.
//!
//! In: the records of both versions, and what the former one asserted. Out: what the former one asserts from
//! now on: the same, until the day on which the new version takes effect, and counted from its own effective
//! date. Writes nothing.

use crate::model::assertion::{Assertion, Left};
use crate::model::id::AssertionId;
use crate::model::job::{Edits, Source};
use crate::model::time::{Bound, Date, DateBase, DateExpr, StatedDate};
use crate::store::DocumentRecord;

/// An amendment: a version that takes effect later than the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amendment {
    /// The day on which the new version takes effect.
    on: Date,
    /// The day on which the former one did.
    former: Option<Date>,
    /// The day of which the former one is dated.
    dated: Option<Date>,
}

impl Amendment {
    /// The amendment that an edit is, if its source declares it and the new version takes effect later.
    pub(super) fn of(source: &Source, before: &DocumentRecord, after: &DocumentRecord) -> Option<Self> {
        let (former, on) = (before.effective, after.effective?);
        (source.edits == Edits::Amend && former.is_none_or(|former| former < on)).then_some(Self {
            on,
            former,
            dated: before.dated,
        })
    }

    /// What only the former version said: it ends, and stays attested by the kept old text.
    pub(super) fn ends(&self, said: &Assertion) -> Assertion {
        let why = format!("the text was amended in the version effective {}", self.on);
        Assertion {
            valid_from: said.valid_from.as_ref().and_then(|bound| self.fixed_start(bound)),
            valid_to: said.valid_to.as_ref().map(|bound| self.fixed(bound).unwrap_or_else(|| bound.clone())),
            left: Some(Left { on: self.on, why, dated: self.dated }),
            ..said.clone()
        }
    }

    /// What both versions say and count from their effective dates: the former version goes on saying it of
    /// its own days, beside the new one. `None` for what does not depend on the version's date.
    pub(super) fn continues(&self, said: &Assertion) -> Option<Assertion> {
        self.former?;
        let former = self.ends(said);
        let moved = former.valid_from != said.valid_from || former.valid_to != said.valid_to;
        moved.then(|| Assertion {
            id: AssertionId::of(&[&said.id.to_string(), "until", &self.on.to_string()]),
            ..former
        })
    }

    /// A start that counts from the document's effective date counts from the former one; from an unknown day
    /// it is unknown.
    fn fixed_start(&self, bound: &Bound) -> Option<Bound> {
        match (&bound.date, self.former) {
            (DateExpr::Relative { base: DateBase::DocumentEffective, .. }, None) => None,
            (DateExpr::Blank { .. }, Some(day)) => StatedDate::day(day).map(Bound::start),
            _ => Some(self.fixed(bound).unwrap_or_else(|| bound.clone())),
        }
    }

    /// A bound that counts from the document's effective date, counted from the former one.
    fn fixed(&self, bound: &Bound) -> Option<Bound> {
        let DateExpr::Relative { base: DateBase::DocumentEffective, period } = &bound.date else {
            return None;
        };
        let date = DateExpr::Stated(period.after(self.former?).and_then(StatedDate::day)?);
        Some(Bound { date, ..bound.clone() })
    }
}
