//! Findings: what in a run a person should look at.
//!
//! In: the accounts of the segments, what was seen of the documents, and the limits. Out: findings, the worst first.
//! Each guard is one function; none knows another. Those that look at documents are in `documents`, the one that
//! looks at the nights before in `week`.

use std::collections::BTreeMap;

use crate::drift::consent::{key, settle};
use crate::drift::documents::{audit, new_documents, same_documents, silent_documents};
use crate::drift::ledger::{Account, Kind};
use crate::drift::report::{Context, Example, Finding, Segment, Severity, Stale};
use crate::drift::together::together;
use crate::drift::week::week;
use crate::model::cause::Cause;
use crate::model::gates::{Gate, Guard, Limit, Unit};
use crate::model::sabotage;

/// Below this a share of a source says little, and small sources are judged together.
pub(super) const SHARE_MIN: u64 = 20;
/// Fewer edges that a planned change takes away are said, and hold no run.
const PLANNED_MIN: u64 = 5;
/// A total that moved by less is no news.
const TOTALS_MIN: u64 = 50;
/// Fewer edges are no share of a source.
pub(super) const WENT_MIN: u64 = 5;
/// What stands for the small sources judged together.
pub(super) const SMALL_SOURCES: &str = "small sources";

type Accounts = BTreeMap<Segment, Account>;

/// What the guards look at.
pub(super) struct Matter<'m> {
    pub(super) accounts: &'m Accounts,
    pub(super) totals: &'m BTreeMap<String, Account>,
    pub(super) context: &'m Context<'m>,
}

/// A guard.
type Guarding = fn(&Matter<'_>) -> Vec<Finding>;

/// All guards. Their order does not matter: the findings are sorted.
const GUARDS: &[Guarding] = &[
    unexplained,
    audit,
    planned,
    emptied,
    silent_documents,
    same_documents,
    retractions,
    week,
    new_documents,
    revived,
    golden,
    precision,
    stale,
    totals,
];

/// What people do is counted, and no guard is raised by it.
fn by_people(cause: Cause) -> bool {
    matches!(cause, Cause::Rollback | Cause::Curator)
}

pub(super) fn not_by_people(cause: Cause) -> bool {
    !by_people(cause)
}

/// What a person planned: another ontology, parser, extractor or configuration.
fn by_plan(cause: Cause) -> bool {
    matches!(cause, Cause::Config | Cause::OntologyChanged | Cause::ExtractorChanged)
}

/// Applies the guards. The first run has nothing to compare with and finds nothing.
pub(super) fn findings(
    accounts: &Accounts,
    totals: &BTreeMap<String, Account>,
    context: &Context<'_>,
) -> Vec<Finding> {
    if context.baseline.is_none() {
        return Vec::new();
    }
    let matter = Matter { accounts, totals, context };
    let found = GUARDS.iter().flat_map(|guard| guard(&matter)).collect();
    let mut findings = together(found);
    findings.iter_mut().for_each(|finding| settle(finding, context));
    findings.sort_by(|one, other| {
        let place = |finding: &Finding| (finding.rule.clone(), finding.segment.clone());
        other.severity.cmp(&one.severity).then_with(|| place(one).cmp(&place(other)))
    });
    findings
}

impl Finding {
    /// A finding about a segment, with nothing but its counts.
    pub(super) fn new(guard: Guard, (severity, gate): (Severity, Gate), segment: Segment) -> Self {
        Self {
            rule: guard.code().to_owned(),
            severity,
            gate,
            before: 0,
            after: 0,
            count: 0,
            says: None,
            causes: BTreeMap::new(),
            rules: BTreeMap::new(),
            documents: Vec::new(),
            examples: Vec::new(),
            also: Vec::new(),
            key: key(guard.code(), &segment),
            accept: None,
            accepted: None,
            segment,
        }
    }
}

impl Matter<'_> {
    /// How bad a value is by the limit of a guard, and what it does; `None` if it is nothing. What a person has
    /// accepted of a source is worth a warning at most.
    pub(super) fn judge(&self, guard: Guard, segment: &Segment, value: f64) -> Option<(Severity, Gate)> {
        let limit = self.context.gates.limit(guard, &segment.source, &segment.edge_type);
        let severity = severity(value, limit, guard.unit())?;
        let most =
            if self.context.accepted.contains(&segment.source) { Severity::Warn } else { Severity::Fail };
        Some((severity.min(most), limit.gate))
    }

    /// The accounts of a source together, but for edge types that a guard judges apart.
    pub(super) fn source(&self, guard: Guard, source: &str) -> Account {
        let of = self.accounts.iter().filter(|(segment, _)| segment.source == source);
        Account::sum(of.filter(|(segment, _)| !self.is_apart(guard, segment)).map(|(_, account)| account))
    }

    pub(super) fn is_apart(&self, guard: Guard, segment: &Segment) -> bool {
        self.context.gates.is_apart(guard, &segment.source, &segment.edge_type)
    }

    fn sources(&self) -> Vec<&str> {
        let mut sources: Vec<&str> = self.accounts.keys().map(|segment| segment.source.as_str()).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

/// How bad a value is; a share is judged above its limit, a number from its limit on.
pub(super) fn severity(value: f64, limit: Limit, unit: Unit) -> Option<Severity> {
    let reaches = |level: Option<f64>| {
        level.is_some_and(|level| match unit {
            Unit::Share => value > level,
            Unit::Count => value >= level,
        })
    };
    match (reaches(limit.fail), reaches(limit.warn)) {
        (true, _) => Some(Severity::Fail),
        (false, true) => Some(Severity::Warn),
        (false, false) => None,
    }
}

/// A finding about facts of an account: how many by cause, and examples.
pub(super) fn about(
    finding: Finding,
    account: &Account,
    kinds: &[Kind],
    fits: impl Fn(Cause) -> bool + Copy,
) -> Finding {
    let of = |tally: &crate::drift::Tally| -> u64 {
        let count = |kind: &Kind| match kind {
            Kind::Added => tally.added,
            Kind::Retracted => tally.retracted,
            // Those that hold longer are among them.
            Kind::Changed => tally.changed,
            Kind::Revived if kinds.contains(&Kind::Changed) => 0,
            Kind::Revived => tally.revived,
        };
        kinds.iter().map(count).sum()
    };
    let causes = account.causes.iter().filter(|(cause, _)| fits(**cause));
    let causes: BTreeMap<String, u64> = causes
        .map(|(cause, tally)| (cause.name().to_owned(), of(tally)))
        .filter(|(_, count)| *count > 0)
        .collect();
    Finding {
        before: account.before,
        after: account.after().unwrap_or(0),
        count: causes.values().sum(),
        rules: account.rules(kinds, fits),
        examples: account.examples(kinds, fits),
        causes,
        ..finding
    }
}

/// Changes without a cause: a fault of ours, or an extractor that is not deterministic.
fn unexplained(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |(segment, account): (&Segment, &Account)| {
        let tally = account.causes.get(&Cause::Unexplained)?;
        let all = tally.added + tally.retracted + tally.changed;
        let judged = matter.judge(Guard::Unexplained, segment, all as f64)?;
        let finding = Finding::new(Guard::Unexplained, judged, segment.clone());
        let kinds = [Kind::Retracted, Kind::Added, Kind::Changed, Kind::Revived];
        Some(about(finding, account, &kinds, |cause| cause == Cause::Unexplained))
    };
    matter.accounts.iter().filter_map(judge).collect()
}

/// What a planned change took away: of each segment, and of each source in all. What it brought is said.
fn planned(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |segment: Segment, account: &Account| {
        let lost = account.retracted(by_plan);
        let touched: u64 = account
            .causes
            .iter()
            .filter(|(cause, _)| by_plan(**cause))
            .map(|(_, tally)| tally.added + tally.changed)
            .sum();
        let judged = matter.judge(Guard::Planned, &segment, lost as f64 / account.before.max(1) as f64);
        let (severity, gate) = match judged {
            Some((severity, gate)) if lost >= PLANNED_MIN => (severity, gate),
            Some((severity, gate)) => (severity.min(Severity::Warn), gate),
            None if lost + touched > 0 => (Severity::Info, Gate::Report),
            None => return None,
        };
        let finding = Finding::new(Guard::Planned, (severity, gate), segment);
        let kinds: &[Kind] =
            if lost > 0 { &[Kind::Retracted] } else { &[Kind::Added, Kind::Changed, Kind::Revived] };
        let finding = about(finding, account, kinds, by_plan);
        let says = format!("{lost} of {} edges went, {touched} came or changed", account.before);
        Some(Finding { says: Some(says), ..finding })
    };
    let apart = matter.accounts.iter().filter_map(|(segment, account)| judge(segment.clone(), account));
    let sources = matter
        .sources()
        .into_iter()
        .filter_map(|source| judge(all_of(source), &matter.source(Guard::Planned, source)));
    apart.chain(sources).collect()
}

/// All edge types of a source.
pub(super) fn all_of(source: &str) -> Segment {
    Segment { edge_type: "*".to_owned(), source: source.to_owned() }
}

/// A segment that had edges and has none of them: none at all, or only others.
fn emptied(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |(segment, account): (&Segment, &Account)| {
        let went = account.retracted(|_| true);
        let after = account.after()?;
        // As many as before may be others.
        let none_left = went == account.before && (after == 0 || !sabotage::is_off("identities"));
        if !none_left {
            return None;
        }
        let guard = if after == 0 { Guard::Emptied } else { Guard::Replaced };
        let judged = matter.judge(guard, segment, account.retracted(not_by_people) as f64)?;
        let finding = Finding::new(guard, judged, segment.clone());
        let finding = about(finding, account, &[Kind::Retracted], not_by_people);
        let says = (after > 0).then(|| format!("none of {went} edges is left, {after} others came"));
        Some(Finding { says, ..finding })
    };
    matter.accounts.iter().filter_map(judge).collect()
}

/// A source that loses a large share of its edges. Small sources that lose too few to be judged are judged together,
/// without those that lose nothing, so that nothing is too small to be noticed. What one document alone makes of it is
/// worth a warning, and of few edges fewer than five beside that document are, too.
fn retractions(matter: &Matter<'_>) -> Vec<Finding> {
    let guard = Guard::Retractions;
    let sources = &matter.context.observed.cohort.sources;
    let most_lost = |source: &str| sources.get(source).map_or(0, |documents| documents.most_lost);
    let mut judged: Vec<(Segment, Account, u64)> = Vec::new();
    let (mut pool, mut most_of_pool) = (Account::default(), 0);
    for source in matter.sources() {
        let sum = matter.source(guard, source);
        let went = sum.retracted(not_by_people);
        if sum.before >= SHARE_MIN || went >= WENT_MIN {
            judged.push((all_of(source), sum, most_lost(source)));
        } else if went > 0 && !matter.context.accepted.contains(source) {
            pool.merge(&sum);
            most_of_pool = most_of_pool.max(most_lost(source));
        }
    }
    judged.push((all_of(SMALL_SOURCES), pool, most_of_pool));
    let apart = matter.accounts.iter().filter(|(segment, _)| matter.is_apart(guard, segment));
    judged.extend(
        apart.map(|(segment, account)| (segment.clone(), account.clone(), most_lost(&segment.source))),
    );
    judged
        .into_iter()
        .filter_map(|(segment, account, most)| {
            let share = |went: u64| went as f64 / account.before.max(1) as f64;
            let went = Some(account.retracted(not_by_people)).filter(|went| *went >= WENT_MIN)?;
            let (severity, gate) = matter.judge(guard, &segment, share(went))?;
            let most = most.min(went);
            let rest = matter.judge(guard, &segment, share(went - most)).map(|(severity, _)| severity);
            // A small source and the pool lose their share easily: the number has to tell.
            let is_small = account.before < SHARE_MIN || segment.source == SMALL_SOURCES;
            let few = most > 0 && is_small && went - most < WENT_MIN;
            let by_one = severity == Severity::Fail && (rest != Some(Severity::Fail) || few);
            let severity = if by_one { Severity::Warn } else { severity };
            let finding = Finding::new(guard, (severity, gate), segment);
            let finding = about(finding, &account, &[Kind::Retracted], not_by_people);
            let says = by_one.then(|| format!("one document lost {most} of the {went}"));
            Some(Finding { says, ..finding })
        })
        .collect()
}

/// Edges that hold longer because what had ended them is gone.
fn revived(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |(segment, account): (&Segment, &Account)| {
        let count = account.tally().revived;
        let judged = (count > 0).then(|| matter.judge(Guard::Revived, segment, count as f64)).flatten()?;
        let finding = Finding::new(Guard::Revived, judged, segment.clone());
        Some(about(finding, account, &[Kind::Revived], |_| true))
    };
    matter.accounts.iter().filter_map(judge).collect()
}

/// Figures of golden sets that are below their floors.
fn golden(matter: &Matter<'_>) -> Vec<Finding> {
    let below = &matter.context.observed.golden;
    let mut sets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in below {
        sets.entry(&one.golden).or_default().push(&one.says);
    }
    let judge = |(golden, says): (&str, Vec<&str>)| {
        let segment = all_of(golden);
        let judged = matter.judge(Guard::Golden, &segment, says.len() as f64)?;
        let finding = Finding::new(Guard::Golden, judged, segment);
        Some(Finding { count: says.len() as u64, says: Some(says.join("; ")), ..finding })
    };
    sets.into_iter().filter_map(judge).collect()
}

/// Rules that fell below the floor of their precision: what they read waits.
fn precision(matter: &Matter<'_>) -> Vec<Finding> {
    let fell = &matter.context.observed.imprecise;
    let judge = |one: &crate::drift::Imprecise| {
        let segment = Segment { edge_type: one.edge_type.clone(), source: one.rule.clone() };
        let judged = matter.judge(Guard::Precision, &segment, fell.len() as f64)?;
        let finding = Finding::new(Guard::Precision, judged, segment);
        Some(Finding { count: 1, says: Some(one.says.clone()), ..finding })
    };
    fell.iter().filter_map(judge).collect()
}

/// A source or feed that has stayed as it is for too long: what the graph says of it may be out of date.
fn stale(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |stale: &Stale| {
        let segment = all_of(&stale.source);
        let judged = matter.judge(Guard::Stale, &segment, 1.0)?;
        let account = matter.source(Guard::Stale, &stale.source);
        let after = account.after().unwrap_or(0);
        let finding = Finding::new(Guard::Stale, judged, segment);
        Some(Finding {
            before: account.before,
            after,
            count: after,
            says: Some(stale.to_string()),
            ..finding
        })
    };
    matter.context.observed.stale.iter().filter_map(judge).collect()
}

/// The total of an edge type that moved far: a notice, since a total hides more than it shows. Growth is worth
/// one step less.
fn totals(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |(edge_type, account): (&String, &Account)| {
        let after = account.after()?;
        let moved = account.before.abs_diff(after);
        let segment = Segment { edge_type: edge_type.clone(), source: "*".to_owned() };
        if moved < TOTALS_MIN {
            return None;
        }
        let share = moved as f64 / account.before.max(1) as f64;
        let (severity, gate) = matter.judge(Guard::Totals, &segment, share)?;
        let grew = after > account.before;
        let severity = match severity {
            Severity::Fail if grew => Severity::Warn,
            Severity::Warn if grew => Severity::Info,
            severity => severity,
        };
        let finding = Finding::new(Guard::Totals, (severity, gate), segment);
        let kind = if grew { Kind::Added } else { Kind::Retracted };
        let finding = about(finding, account, &[kind], |_| true);
        Some(Finding { count: moved, ..finding })
    };
    matter.totals.iter().filter_map(judge).collect()
}

/// The examples that were kept, the ones with the smallest ids first.
pub(super) fn kept(examples: &BTreeMap<crate::model::id::FactId, Example>) -> Vec<Example> {
    examples.values().cloned().collect()
}
