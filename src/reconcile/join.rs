//! How statements of one fact complete one another: unknown and coarse bounds join finer ones.
//!
//! In: what each statement says of one fact, and from which day on it itself no longer counts. Out: for
//! each the interval that it contributes. Knows no other fact; nothing is cut here.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::time::{Date, Period, Precision};

/// What one statement says of its fact's bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stated {
    /// The start.
    pub(super) from: Option<(Date, Precision)>,
    /// The exclusive end.
    pub(super) to: Option<(Date, Precision)>,
    /// The first day on which the statement itself no longer counts. Later than its start.
    pub(super) cap: Option<Date>,
}

/// What it contributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Joined {
    /// The start, and how finely it is known.
    pub(super) from: Option<(Date, Precision)>,
    /// The exclusive end.
    pub(super) to: Option<Date>,
    /// True if it defines bounds; false if it joined an interval as evidence and moves nothing.
    pub(super) defines: bool,
}

/// Joins the statements of one fact. "Finer" is day before month before quarter before year.
///
/// | start as stated | others of the fact state | contribution |
/// |---|---|---|
/// | a day | | defines, from that day |
/// | coarse | finer starts within the period and before its own end | joins the latest of them |
/// | coarse | none of these | defines, from the first day of the period |
/// | none | starts before its own end | joins the latest of them |
/// | none, but an end | no start before it | defines, from `?` |
/// | none, and no end | no start, but ends | joins the latest of them |
/// | none, and no end | no bound at all | defines `[?, ∞)` |
///
/// What joins takes the whole interval of what it joins: it is evidence and does not move it, whatever end
/// it states itself. What defines keeps its end, or is open; a coarse end takes the latest finer end that
/// others state within its period and after its start.
///
/// So "from 17 February 2024" and an undated contract are one edge from that day, and "in 2024" and "from 5
/// March 2024" are one edge from 5 March.
pub(super) fn join(stated: &[Stated]) -> Vec<Joined> {
    let starts = starts(stated);
    let ends = ends(stated, &starts);
    let nobody_starts = starts.iter().all(Option::is_none);
    let latest_end = ends.iter().flatten().max().copied().filter(|_| nobody_starts);
    let mut joined: Vec<Joined> = (0..stated.len())
        .map(|at| {
            let undated = stated[at].from.is_none() && stated[at].to.is_none();
            let joins_end = undated && latest_end.is_some();
            Joined {
                from: starts[at],
                to: if joins_end { latest_end } else { ends[at] },
                defines: stated[at].from == starts[at] && !joins_end,
            }
        })
        .collect();
    let hosts = hosts(&joined);
    for contributed in joined.iter_mut().filter(|contributed| !contributed.defines) {
        if let Some(host) = contributed.from.and_then(|(start, _)| hosts.get(&start)) {
            contributed.to = *host;
        }
    }
    joined
}

/// For each start the latest end of those that define it; `None` is an open end.
fn hosts(joined: &[Joined]) -> BTreeMap<Date, Option<Date>> {
    let mut hosts: BTreeMap<Date, Option<Date>> = BTreeMap::new();
    for contributed in joined.iter().filter(|contributed| contributed.defines) {
        if let Some((start, _)) = contributed.from {
            let widen = |end: &mut Option<Date>| *end = later(*end, contributed.to);
            hosts.entry(start).and_modify(widen).or_insert(contributed.to);
        }
    }
    hosts
}

/// The later of two ends, where `None` is open.
pub(super) fn later(one: Option<Date>, other: Option<Date>) -> Option<Date> {
    Some(one?.max(other?))
}

/// The earlier of two ends, where `None` is open.
pub(super) fn earlier(one: Option<Date>, other: Option<Date>) -> Option<Date> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

const FINEST_FIRST: [Precision; 4] = [Precision::Day, Precision::Month, Precision::Quarter, Precision::Year];

fn starts(stated: &[Stated]) -> Vec<Option<(Date, Precision)>> {
    let mut resolved: Vec<Option<(Date, Precision)>> =
        stated.iter().map(|statement| statement.from).collect();
    let mut known: BTreeMap<Date, Precision> = BTreeMap::new();
    for precision in FINEST_FIRST {
        // What is known so far is finer than what is looked at now, so every hit is a finer start.
        for (at, statement) in stated.iter().enumerate() {
            if let Some((first, own)) = statement.from
                && own == precision
                && let Some(next) = period(precision).and_then(|period| period.after(first))
            {
                let before = earlier(Some(next), last_day(statement)).unwrap_or(next);
                resolved[at] = latest(&known, Some(first), Some(before)).or(resolved[at]);
            }
        }
        for (statement, start) in stated.iter().zip(&resolved) {
            if statement.from.is_some_and(|(_, own)| own == precision)
                && let Some((day, known_as)) = *start
            {
                known.entry(day).and_modify(|finest| *finest = known_as.min(*finest)).or_insert(known_as);
            }
        }
    }
    for (at, statement) in stated.iter().enumerate() {
        if statement.from.is_none() {
            resolved[at] = latest(&known, None, last_day(statement));
        }
    }
    resolved
}

/// The first day on which a statement says nothing any more.
fn last_day(statement: &Stated) -> Option<Date> {
    earlier(statement.to.map(|(to, _)| to), statement.cap)
}

/// The latest known start on or after one day and before another.
fn latest(
    known: &BTreeMap<Date, Precision>,
    from: Option<Date>,
    before: Option<Date>,
) -> Option<(Date, Precision)> {
    let mut between = match (from, before) {
        (Some(from), Some(before)) if before <= from => return None,
        (Some(from), Some(before)) => known.range(from..before),
        (Some(from), None) => known.range(from..),
        (None, Some(before)) => known.range(..before),
        (None, None) => known.range(..),
    };
    between.next_back().map(|(day, precision)| (*day, *precision))
}

fn ends(stated: &[Stated], starts: &[Option<(Date, Precision)>]) -> Vec<Option<Date>> {
    let mut resolved: Vec<Option<Date>> =
        stated.iter().map(|statement| statement.to.map(|(to, _)| to)).collect();
    let mut known: BTreeSet<Date> = BTreeSet::new();
    for precision in FINEST_FIRST {
        let of_this = |statement: &Stated| statement.to.is_some_and(|(_, own)| own == precision);
        for (at, statement) in stated.iter().enumerate() {
            if let (true, Some((to, _))) = (of_this(statement), statement.to)
                && let Some(after) = back(precision).and_then(|period| period.after(to))
            {
                let finer = known
                    .range(..=to)
                    .next_back()
                    .filter(|end| **end > after && starts[at].is_none_or(|(start, _)| **end > start));
                resolved[at] = finer.copied().or(resolved[at]);
            }
        }
        for (statement, end) in stated.iter().zip(&resolved) {
            if let (true, Some(end)) = (of_this(statement), end) {
                known.insert(*end);
            }
        }
    }
    resolved
}

/// How long a coarse statement is; a day has nothing finer.
fn period(precision: Precision) -> Option<Period> {
    months(precision).map(|months| Period { months, ..Period::default() })
}

fn back(precision: Precision) -> Option<Period> {
    months(precision).map(|months| Period { months: -months, ..Period::default() })
}

fn months(precision: Precision) -> Option<i32> {
    match precision {
        Precision::Day => None,
        Precision::Month => Some(1),
        Precision::Quarter => Some(3),
        Precision::Year => Some(12),
    }
}
