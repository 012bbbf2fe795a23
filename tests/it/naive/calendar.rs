//! Days as plain numbers, and sets of days. In: years, months, days of the month. Out: text such as
//! `[2024-01-01, ∞)`. Knows no calendar library.

use std::fmt;

/// A day: days since 2018-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day(i32);

/// Stands for every day before the calendar begins: what a `?` start holds on.
const BEFORE: i32 = -1;
/// The calendar runs through 2028; the day after it stands for every later day.
const AFTER: i32 = 11 * 365 + 3;

fn month_length(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Day {
    /// The day of this date; the test's dates all lie in 2018 to 2028.
    pub(crate) fn new(year: i32, month: i32, day: i32) -> Self {
        assert!((2018..=2028).contains(&year) && (1..=12).contains(&month), "{year}-{month}");
        assert!((1..=month_length(year, month)).contains(&day), "{year}-{month}-{day}");
        let years: i32 =
            (2018..year).map(|year| (1..=12).map(|month| month_length(year, month)).sum::<i32>()).sum();
        let months: i32 = (1..month).map(|month| month_length(year, month)).sum();
        Self(years + months + day - 1)
    }

    /// The day of an ISO date.
    pub(crate) fn iso(text: &str) -> Self {
        let parts: Vec<i32> = text.split('-').map(|part| part.parse().unwrap()).collect();
        Self::new(parts[0], parts[1], parts[2])
    }

    /// The next day.
    pub(crate) fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut year, mut month, mut day) = (2018, 1, self.0 + 1);
        while day > month_length(year, month) {
            day -= month_length(year, month);
            month += 1;
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        write!(f, "{year}-{month:02}-{day:02}")
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of days: for each day of the calendar, from [`BEFORE`] to [`AFTER`], whether it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Days(Vec<bool>);

const COUNT: usize = (AFTER - BEFORE + 1) as usize;

impl Default for Days {
    /// No day.
    fn default() -> Self {
        Self(vec![false; COUNT])
    }
}

impl Days {
    /// The days of `[from, to)`; `None` stands for an unknown start and an open end.
    pub(crate) fn between(from: Option<Day>, to: Option<Day>) -> Self {
        let place = |day: Day| (day.0 - BEFORE) as usize;
        let (first, end) = (from.map_or(0, place), to.map_or(COUNT, place));
        let mut days = Self::default();
        for at in first..end {
            days.0[at] = true;
        }
        days
    }

    /// Adds the other's days.
    pub(crate) fn add(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= *other;
        }
    }

    /// True if the day is in it; `None` stands for an unknown start.
    pub(crate) fn hold(&self, day: Option<Day>) -> bool {
        self.meets(&Self::between(day, Some(day.map_or(Day(0), Day::next))))
    }

    /// True if no day is in it.
    pub(crate) fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    /// True if a day is in both.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(own, other)| *own && *other)
    }

    /// The days without a gap between them, run by run.
    pub(crate) fn runs(&self) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for at in (0..COUNT).filter(|at| self.0[*at]) {
            if at == 0 || !self.0[at - 1] {
                runs.push(Self::default());
            }
            if let Some(run) = runs.last_mut() {
                run.0[at] = true;
            }
        }
        runs
    }
}

impl fmt::Display for Days {
    /// One run as an interval.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.iter().position(|day| *day) {
            Some(0) => f.write_str("[?, ")?,
            Some(first) => write!(f, "[{}, ", Day(first as i32 + BEFORE))?,
            None => f.write_str("[never, ")?,
        }
        match self.0.iter().rposition(|day| *day) {
            Some(last) if last + 1 == COUNT => f.write_str("∞)"),
            Some(last) => write!(f, "{})", Day(last as i32 + 1 + BEFORE)),
            None => f.write_str("never)"),
        }
    }
}

#[test]
fn days_are_counted_one_by_one() {
    assert_eq!(Day::iso("2024-02-28").next().next().to_string(), "2024-03-01");
    assert_eq!(Day::iso("2028-12-31").0 + 1, AFTER);
    let mut days = Days::between(None, Some(Day::iso("2024-01-01")));
    days.add(&Days::between(Some(Day::iso("2024-01-01")), Some(Day::iso("2024-02-01"))));
    days.add(&Days::between(Some(Day::iso("2025-01-01")), None));
    let runs: Vec<String> = days.runs().iter().map(Days::to_string).collect();
    assert_eq!(runs, ["[?, 2024-02-01)", "[2025-01-01, ∞)"]);
}
