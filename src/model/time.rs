//! Effective time: half-open intervals of days, bounds that may be unknown or coarse, and dates as read.
//!
//! Recorded time is not here: it is a generation number, a plain `u64`, and the two never mix.

use std::fmt;

pub use jiff::civil::Date;
use jiff::{Span as JiffSpan, ToSpan};
use serde::{Deserialize, Serialize};

use super::id::EntityKey;

/// How finely a date was stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// A day.
    Day,
    /// A month.
    Month,
    /// A quarter of a calendar year.
    Quarter,
    /// A calendar year.
    Year,
}

/// A stated date: the days that it covers, `[first, next)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StatedDate {
    /// The first day that the statement covers.
    pub first: Date,
    /// The day after the last day that it covers.
    pub next: Date,
    /// How finely it was stated.
    pub precision: Precision,
}

impl StatedDate {
    /// One day. `None` on the last day that the calendar knows.
    pub fn day(day: Date) -> Option<Self> {
        Some(Self { first: day, next: day.tomorrow().ok()?, precision: Precision::Day })
    }

    /// A month; `None` if there is no such month.
    pub fn month(year: i16, month: i8) -> Option<Self> {
        Self::months(year, month, 1, Precision::Month)
    }

    /// A quarter, 1 to 4; `None` if there is no such quarter.
    pub fn quarter(year: i16, quarter: i8) -> Option<Self> {
        if !(1..=4).contains(&quarter) {
            return None;
        }
        Self::months(year, 3 * (quarter - 1) + 1, 3, Precision::Quarter)
    }

    /// A calendar year.
    pub fn year(year: i16) -> Option<Self> {
        Self::months(year, 1, 12, Precision::Year)
    }

    fn months(year: i16, month: i8, count: i64, precision: Precision) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        let next = first.checked_add(JiffSpan::new().try_months(count).ok()?).ok()?;
        Some(Self { first, next, precision })
    }
}

/// A calendar period: "225 days", "P1Y". Applied years first, then months, weeks and days; a day that
/// the target month lacks becomes the month's last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Period {
    /// Calendar years.
    pub years: i32,
    /// Calendar months.
    pub months: i32,
    /// Weeks.
    pub weeks: i32,
    /// Days.
    pub days: i32,
}

impl Period {
    /// The date `self` after `from`; `None` if the calendar does not reach so far.
    pub fn after(self, from: Date) -> Option<Date> {
        let months = i64::from(self.years) * 12 + i64::from(self.months);
        let days = i64::from(self.weeks) * 7 + i64::from(self.days);
        let span = JiffSpan::new().try_months(months).ok()?;
        from.checked_add(span).ok()?.checked_add(0.days().try_days(days).ok()?).ok()
    }

    /// The same length in its largest units: twelve months are a year, and a week is seven days. A month is no
    /// number of days.
    pub fn canonical(self) -> Self {
        let months = i64::from(self.years) * 12 + i64::from(self.months);
        let days = i64::from(self.weeks) * 7 + i64::from(self.days);
        match (i32::try_from(months / 12), i32::try_from(months % 12), i32::try_from(days)) {
            (Ok(years), Ok(months), Ok(days)) => Self { years, months, weeks: 0, days },
            _ => self,
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("P")?;
        for (count, unit) in [(self.years, 'Y'), (self.months, 'M'), (self.weeks, 'W'), (self.days, 'D')] {
            if count != 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        if *self == Self::default() { f.write_str("0D") } else { Ok(()) }
    }
}

/// Reads what [`Display`](fmt::Display) writes.
impl std::str::FromStr for Period {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let span: JiffSpan = text.parse()?;
        Ok(Self {
            years: span.get_years().into(),
            months: span.get_months(),
            weeks: span.get_weeks(),
            days: span.get_days(),
        })
    }
}

/// A date as it was read, before it is known on which day it falls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateExpr {
    /// Stated outright.
    Stated(StatedDate),
    /// A period after a base that other data supplies, such as "225 days after the effective date".
    Relative {
        /// What the period counts from.
        base: DateBase,
        /// How far after it.
        period: Period,
    },
    /// A blank to be filled in by hand: "September ___, 2019", "the date last signed below".
    Blank {
        /// The text as written.
        text: String,
    },
    /// Readable in more than one way, and the source does not declare its order: "03/04/2024".
    Ambiguous {
        /// The text as written.
        text: String,
    },
    /// No such day: "29 February 2023".
    Invalid {
        /// The text as written.
        text: String,
    },
}

/// What a relative date counts from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateBase {
    /// The effective date of the document that was read.
    DocumentEffective,
    /// A date property of an entity, such as a register's effective date.
    Property {
        /// Whose property.
        entity: EntityKey,
        /// Its name.
        property: String,
    },
}

/// One side of an interval as read: a date, and whether an end counts its day.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bound {
    /// The date.
    pub date: DateExpr,
    /// For an end: true if the stated day still belongs to the interval ("until 16 February").
    /// A start always includes its day.
    pub inclusive: bool,
}

/// Why a bound has no day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoDate {
    /// A blank that nobody filled in.
    Blank(String),
    /// More than one reading.
    Ambiguous(String),
    /// No such day.
    Invalid(String),
    /// The base of a relative date is not known (yet).
    Unanchored(DateBase),
}

impl Bound {
    /// A start on a day.
    pub fn start(day: StatedDate) -> Self {
        Self { date: DateExpr::Stated(day), inclusive: true }
    }

    /// The last day that belongs to the interval.
    pub fn last(day: StatedDate) -> Self {
        Self { date: DateExpr::Stated(day), inclusive: true }
    }

    /// The first day that no longer belongs to the interval.
    pub fn end(day: StatedDate) -> Self {
        Self { date: DateExpr::Stated(day), inclusive: false }
    }

    /// As a start: the first day of the statement, and its precision. A blank to be filled in by hand is the
    /// document's effective date, if the source declares where that is kept.
    pub fn as_start(&self, days: &dyn Fn(&DateBase) -> Option<Date>) -> Result<(Date, Precision), NoDate> {
        let stated = self.days(days).or_else(|none| match none {
            NoDate::Blank(_) => days(&DateBase::DocumentEffective).and_then(StatedDate::day).ok_or(none),
            NoDate::Ambiguous(_) | NoDate::Invalid(_) | NoDate::Unanchored(_) => Err(none),
        })?;
        Ok((stated.first, stated.precision))
    }

    /// As an exclusive end, and its precision. "until February 2024" is 2024-03-01; "before February 2024"
    /// is 2024-02-01.
    pub fn as_end(&self, days: &dyn Fn(&DateBase) -> Option<Date>) -> Result<(Date, Precision), NoDate> {
        self.days(days)
            .map(|stated| (if self.inclusive { stated.next } else { stated.first }, stated.precision))
    }

    fn days(&self, days: &dyn Fn(&DateBase) -> Option<Date>) -> Result<StatedDate, NoDate> {
        match &self.date {
            DateExpr::Stated(stated) => Ok(*stated),
            DateExpr::Relative { base, period } => days(base)
                .and_then(|from| period.after(from))
                .and_then(StatedDate::day)
                .ok_or_else(|| NoDate::Unanchored(base.clone())),
            DateExpr::Blank { text } => Err(NoDate::Blank(text.clone())),
            DateExpr::Ambiguous { text } => Err(NoDate::Ambiguous(text.clone())),
            DateExpr::Invalid { text } => Err(NoDate::Invalid(text.clone())),
        }
    }
}

/// A half-open interval of days `[from, to)`. An unknown start (`None`) counts as holding before and is
/// printed `?`; an open end (`None`) is printed `∞`.
///
/// Invariant: where both bounds are known, `from < to`; [`Interval::new`] is the only door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Interval {
    from: Option<Date>,
    to: Option<Date>,
}

impl Interval {
    /// Makes an interval; `None` if it would be empty.
    pub fn new(from: Option<Date>, to: Option<Date>) -> Option<Self> {
        match (from, to) {
            (Some(from), Some(to)) if to <= from => None,
            _ => Some(Self { from, to }),
        }
    }

    /// The first day, or `None` if it is unknown.
    pub fn from(&self) -> Option<Date> {
        self.from
    }

    /// The first day that no longer belongs, or `None` if the end is open.
    pub fn to(&self) -> Option<Date> {
        self.to
    }

    /// True if the day belongs to the interval.
    pub fn contains(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day < to)
    }

    /// True if the two share a day or touch: their union is one interval.
    pub fn touches(&self, other: &Self) -> bool {
        let before = |end: Option<Date>, start: Option<Date>| match (end, start) {
            (Some(end), Some(start)) => end < start,
            _ => false,
        };
        !before(self.to, other.from) && !before(other.to, self.from)
    }

    /// True if the two share a day.
    pub fn overlaps(&self, other: &Self) -> bool {
        let before = |end: Option<Date>, start: Option<Date>| match (end, start) {
            (Some(end), Some(start)) => end <= start,
            _ => false,
        };
        !before(self.to, other.from) && !before(other.to, self.from)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            Some(from) => write!(f, "[{from}, ")?,
            None => f.write_str("[?, ")?,
        }
        match self.to {
            Some(to) => write!(f, "{to})"),
            None => f.write_str("∞)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn coarse_dates_cover_their_days() {
        let february = StatedDate::month(2024, 2).unwrap();
        let none = |_: &DateBase| None;
        assert_eq!(Bound::start(february).as_start(&none).unwrap().0, date("2024-02-01"));
        assert_eq!(Bound::last(february).as_end(&none).unwrap().0, date("2024-03-01"));
        let quarter = StatedDate::quarter(2025, 3).unwrap();
        assert_eq!((quarter.first, quarter.next), (date("2025-07-01"), date("2025-10-01")));
        assert_eq!(StatedDate::quarter(2025, 5), None);
        assert_eq!(StatedDate::month(2025, 13), None);
    }

    #[test]
    fn periods_clamp_to_the_last_day_of_a_month() {
        let year = Period { years: 1, ..Period::default() };
        assert_eq!(year.after(date("2024-02-29")), Some(date("2025-02-28")));
        assert_eq!(
            Period { days: 225, ..Period::default() }.after(date("2024-01-01")),
            Some(date("2024-08-13"))
        );
        assert_eq!(Period { years: 1, days: 2, ..Period::default() }.to_string(), "P1Y2D");
        assert_eq!(Period { years: 9000, ..Period::default() }.after(date("2024-01-01")), None);
    }

    #[test]
    fn a_period_has_one_canonical_form() {
        let period = |text: &str| text.parse::<Period>().unwrap().canonical().to_string();
        assert_eq!(period("P12M"), "P1Y");
        assert_eq!(period("P1Y18M"), "P2Y6M");
        assert_eq!(period("P2W3D"), "P17D");
        assert_eq!(period("P0D"), "P0D");
        let most = Period { years: i32::MAX, months: 12, ..Period::default() };
        assert_eq!(most.canonical(), most);
    }

    #[test]
    fn intervals_are_half_open_and_never_empty() {
        assert_eq!(Interval::new(Some(date("2024-01-01")), Some(date("2024-01-01"))), None);
        let january = Interval::new(Some(date("2024-01-01")), Some(date("2024-02-01"))).unwrap();
        let february = Interval::new(Some(date("2024-02-01")), None).unwrap();
        assert!(january.touches(&february) && !january.overlaps(&february));
        assert!(!january.contains(date("2024-02-01")) && february.contains(date("2024-02-01")));
        assert_eq!(Interval::new(None, None).unwrap().to_string(), "[?, ∞)");
    }
}
