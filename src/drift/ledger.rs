//! The ledger: before + added − retracted = after, for each segment, exactly.
//!
//! In: counts before, changes one at a time in any order. Out: rows, or the imbalance. Knows no limits.

use std::collections::{BTreeMap, BTreeSet};

use crate::drift::EXAMPLES;
use crate::drift::findings::findings;
use crate::drift::report::{
    Context, DriftReport, Example, Finding, Row, Segment, Severity, State, Tally, VERSION,
};
use crate::model::cause::{Cause, Change};
use crate::model::id::FactId;

/// How many facts live, counted once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Census {
    /// By edge type and source; a fact that several sources attest counts in each.
    pub segments: BTreeMap<Segment, u64>,
    /// By edge type; each fact counts once.
    pub edge_types: BTreeMap<String, u64>,
}

/// One change of one fact.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// The fact.
    pub fact: FactId,
    /// Its edge type.
    pub edge_type: &'a str,
    /// The sources and feeds that attested it before; empty if it did not exist.
    pub before: &'a BTreeSet<String>,
    /// The sources and feeds that attest it now; empty if it does not exist any more.
    pub after: &'a BTreeSet<String>,
    /// What became of it.
    pub change: Change,
    /// The primary cause.
    pub cause: Cause,
    /// The rules that had read it, by source; those that read it now, if nothing had.
    pub rules: &'a BTreeMap<String, BTreeSet<String>>,
    /// The fact as an example, made only if it is kept: with a sentence of this source, or of any if none is named.
    pub example: &'a dyn Fn(Option<&str>) -> Example,
}

/// The counts do not add up: a fault of ours, and the run must not be published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the counts of {segment} do not add up: {before} + {added} - {retracted} is not {counted}")]
pub struct Imbalance {
    /// Where; `*` is the source of a total.
    pub segment: Segment,
    /// Live facts before.
    pub before: u64,
    /// Facts that were added.
    pub added: u64,
    /// Facts that were retracted.
    pub retracted: u64,
    /// Live facts as the store counts them, or 0 where more went than there were.
    pub counted: u64,
}

/// How a fact counts in one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// It came.
    Added,
    /// It went.
    Retracted,
    /// It has other edges.
    Changed,
    /// It has an edge that holds longer because what had ended it is gone.
    Revived,
}

/// The account of one segment or edge type, or of several together.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    pub(super) before: u64,
    pub(super) causes: BTreeMap<Cause, Tally>,
    examples: BTreeMap<(Kind, Cause), BTreeMap<FactId, Example>>,
    rules: BTreeMap<(Kind, Cause), BTreeMap<String, u64>>,
}

impl Account {
    /// Books a change, with an example of this source, or of any.
    fn book(&mut self, kind: Kind, entry: &Entry<'_>, source: Option<&str>) {
        let tally = self.causes.entry(entry.cause).or_default();
        match kind {
            Kind::Added => tally.added += 1,
            Kind::Retracted => tally.retracted += 1,
            Kind::Changed => tally.changed += 1,
            Kind::Revived => {
                tally.changed += 1;
                tally.revived += 1;
            }
        }
        let own = entry.rules.iter().filter(|(name, _)| source.is_none_or(|source| source == *name));
        let rules: BTreeSet<&String> = own.flat_map(|(_, rules)| rules).collect();
        for rule in rules {
            *self.rules.entry((kind, entry.cause)).or_default().entry(rule.clone()).or_insert(0) += 1;
        }
        let kept = self.examples.entry((kind, entry.cause)).or_default();
        keep(kept, entry.fact, &|| (entry.example)(source));
    }

    /// Adds another account to this one.
    pub(super) fn merge(&mut self, other: &Self) {
        self.before += other.before;
        for (cause, tally) in &other.causes {
            let sum = self.causes.entry(*cause).or_default();
            sum.added += tally.added;
            sum.retracted += tally.retracted;
            sum.changed += tally.changed;
            sum.revived += tally.revived;
        }
        for (place, rules) in &other.rules {
            let sums = self.rules.entry(*place).or_default();
            rules.iter().for_each(|(rule, count)| *sums.entry(rule.clone()).or_insert(0) += count);
        }
        for (place, examples) in &other.examples {
            let kept = self.examples.entry(*place).or_default();
            for (fact, example) in examples {
                keep(kept, *fact, &|| example.clone());
            }
        }
    }

    /// By which rules those facts had been read that changed so, by causes that fit. A fact that several had read
    /// counts for each.
    pub(super) fn rules(&self, kinds: &[Kind], fits: impl Fn(Cause) -> bool) -> BTreeMap<String, u64> {
        let mut rules = BTreeMap::new();
        let fitting = self.rules.iter().filter(|((kind, cause), _)| kinds.contains(kind) && fits(*cause));
        for (rule, count) in fitting.flat_map(|(_, rules)| rules) {
            *rules.entry(rule.clone()).or_insert(0) += count;
        }
        rules
    }

    /// Several accounts together.
    pub(super) fn sum<'a>(accounts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        accounts.into_iter().for_each(|account| sum.merge(account));
        sum
    }

    /// How many facts went by causes that fit.
    pub(super) fn retracted(&self, fits: impl Fn(Cause) -> bool) -> u64 {
        self.causes.iter().filter(|(cause, _)| fits(**cause)).map(|(_, tally)| tally.retracted).sum()
    }

    /// Examples of these kinds and of causes that fit: those of the cause with the most of them first.
    pub(super) fn examples(&self, kinds: &[Kind], fits: impl Fn(Cause) -> bool) -> Vec<Example> {
        let mut places: Vec<_> = self
            .examples
            .iter()
            .filter(|((kind, cause), _)| kinds.contains(kind) && fits(*cause))
            .map(|((kind, cause), examples)| {
                (std::cmp::Reverse(examples.len().min(EXAMPLES)), *kind, *cause, examples)
            })
            .collect();
        places.sort_by_key(|(most, kind, cause, _)| (*most, *kind, *cause));
        places.into_iter().flat_map(|(.., examples)| examples.values().cloned()).take(EXAMPLES).collect()
    }

    pub(super) fn tally(&self) -> Tally {
        self.causes.values().fold(Tally::default(), |sum, tally| Tally {
            added: sum.added + tally.added,
            retracted: sum.retracted + tally.retracted,
            changed: sum.changed + tally.changed,
            revived: sum.revived + tally.revived,
        })
    }

    /// Live facts after; `None` if more went than there were.
    pub(super) fn after(&self) -> Option<u64> {
        let tally = self.tally();
        (self.before + tally.added).checked_sub(tally.retracted)
    }

    fn row(&self, segment: Segment, counted: Option<u64>) -> Result<Row, Imbalance> {
        let tally = self.tally();
        let after = self.after();
        match after {
            Some(after) if counted.is_none_or(|counted| counted == after) => Ok(Row {
                segment,
                before: self.before,
                tally,
                after,
                causes: self.causes.iter().map(|(cause, tally)| (cause.name().to_owned(), *tally)).collect(),
            }),
            _ => Err(Imbalance {
                segment,
                before: self.before,
                added: tally.added,
                retracted: tally.retracted,
                counted: counted.unwrap_or_default(),
            }),
        }
    }
}

/// Keeps the examples with the smallest ids, so that the order in which they come does not matter.
pub(super) fn keep(kept: &mut BTreeMap<FactId, Example>, fact: FactId, example: &dyn Fn() -> Example) {
    let wanted = kept.len() < EXAMPLES || kept.last_key_value().is_some_and(|(last, _)| fact < *last);
    if wanted && !kept.contains_key(&fact) {
        kept.insert(fact, example());
        if kept.len() > EXAMPLES {
            kept.pop_last();
        }
    }
}

/// Takes changes and counts them.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    segments: BTreeMap<Segment, Account>,
    edge_types: BTreeMap<String, Account>,
}

impl Ledger {
    /// Opens a ledger on the counts of the last published state.
    pub fn new(before: Census) -> Self {
        let open = |before| Account { before, ..Account::default() };
        Self {
            segments: before.segments.into_iter().map(|(segment, count)| (segment, open(count))).collect(),
            edge_types: before.edge_types.into_iter().map(|(name, count)| (name, open(count))).collect(),
        }
    }

    /// Books one change. In a segment the fact comes or goes with the source's last attestation of it,
    /// even if it lives on by another source.
    ///
    /// | the source attested before | attests after | counts as |
    /// |---|---|---|
    /// | no | yes | added |
    /// | yes | no | retracted |
    /// | yes | yes | changed, if its edges are other ones |
    pub fn record(&mut self, entry: &Entry<'_>) {
        for source in entry.before.union(entry.after) {
            let (before, after) = (entry.before.contains(source), entry.after.contains(source));
            if let Some(kind) = kind(before, after, entry.change) {
                let segment = Segment { edge_type: entry.edge_type.to_owned(), source: source.clone() };
                self.segments.entry(segment).or_default().book(kind, entry, Some(source));
            }
        }
        if let Some(kind) = kind(!entry.before.is_empty(), !entry.after.is_empty(), entry.change) {
            self.edge_types.entry(entry.edge_type.to_owned()).or_default().book(kind, entry, None);
        }
    }

    /// The accounts of the segments.
    pub(super) fn segments(&self) -> impl Iterator<Item = (&Segment, &Account)> {
        self.segments.iter()
    }

    /// Closes the ledger: the report, or where the counts do not add up.
    pub fn finish(self, context: &Context<'_>) -> Result<DriftReport, Imbalance> {
        let (mut segments, mut edge_types) = (Vec::new(), Vec::new());
        for (segment, account) in self.with_counted(context) {
            let counted = context.counted.map(|counted| counted.segments.get(&segment).copied().unwrap_or(0));
            segments.push(account.row(segment, counted)?);
        }
        for (edge_type, account) in &self.edge_types {
            let counted =
                context.counted.map(|counted| counted.edge_types.get(edge_type).copied().unwrap_or(0));
            let segment = Segment { edge_type: edge_type.clone(), source: "*".to_owned() };
            edge_types.push(account.row(segment, counted)?);
        }
        let findings = findings(&self.segments, &self.edge_types, context);
        Ok(DriftReport {
            version: VERSION,
            job: context.job.to_owned(),
            run: context.run.to_owned(),
            baseline: context.baseline,
            state: state(&findings, context),
            holds: findings.iter().any(Finding::holds),
            segments,
            edge_types,
            findings,
            audit: context.observed.audit.report(),
            compared: context.observed.cohort.compared(),
        })
    }

    /// The accounts, and an empty one for each segment that only the store knows of: it must not be there.
    fn with_counted(&self, context: &Context<'_>) -> BTreeMap<Segment, Account> {
        let mut accounts = self.segments.clone();
        for segment in context.counted.iter().flat_map(|counted| counted.segments.keys()) {
            accounts.entry(segment.clone()).or_default();
        }
        accounts
    }
}

fn kind(before: bool, after: bool, change: Change) -> Option<Kind> {
    match (before, after) {
        (false, true) => Some(Kind::Added),
        (true, false) => Some(Kind::Retracted),
        (true, true) => match change {
            Change::Changed { revived: true } => Some(Kind::Revived),
            Change::Changed { revived: false } => Some(Kind::Changed),
            Change::Added | Change::Retracted | Change::SupportOnly => None,
        },
        (false, false) => None,
    }
}

fn state(findings: &[Finding], context: &Context<'_>) -> State {
    if context.baseline.is_none() {
        return State::NoBaseline;
    }
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Fail) => State::Fail,
        Some(Severity::Warn) => State::Warn,
        Some(Severity::Info) | None => State::Pass,
    }
}
