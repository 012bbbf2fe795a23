//! Findings: what in a run a person should look at.
//!
//! In: the accounts of the segments and the job's limits. Out: findings, the worst first. Each rule is one
//! function; none knows another.

use std::collections::BTreeMap;

use crate::drift::EXAMPLES;
use crate::drift::ledger::{Account, Sample, shown};
use crate::drift::report::{Context, Finding, Segment, Severity, Stale, Tally};
use crate::model::cause::Cause;
use crate::model::id::{FactId, Fingerprint};

/// Below this a segment that is empty now says little: one edited document can empty it.
const EMPTIED_MIN: u64 = 5;
/// Below this a share of a source says little, and small sources are judged together.
const SHARE_MIN: u64 = 20;
/// What stands for the small sources judged together.
const SMALL_SOURCES: &str = "small sources";

type Accounts = BTreeMap<Segment, Account>;

/// A rule.
type Rule = fn(&Accounts, &Context<'_>) -> Vec<Finding>;

/// All rules. Their order does not matter: the findings are sorted.
const RULES: &[Rule] = &[emptied, retractions, revived, stale, unexplained];

/// Applies the rules. The first run has nothing to compare with and finds nothing.
pub(super) fn findings(accounts: &Accounts, context: &Context<'_>) -> Vec<Finding> {
    if context.baseline.is_none() {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(accounts, context)).collect();
    findings.sort_by(|one, other| {
        let place = |finding: &Finding| (finding.rule.clone(), finding.segment.clone());
        other.severity.cmp(&one.severity).then_with(|| place(one).cmp(&place(other)))
    });
    findings
}

/// A segment that had edges and has none.
fn emptied(accounts: &Accounts, context: &Context<'_>) -> Vec<Finding> {
    accounts
        .iter()
        .filter(|(_, account)| account.before >= EMPTIED_MIN && account.after() == Some(0))
        .map(|(segment, account)| {
            let sum = Sum::of([account]);
            let severity = at_most(Severity::Fail, &segment.source, context);
            sum.finding("drift-emptied", severity, segment, Sample::Retracted, |tally| tally.retracted)
        })
        .collect()
}

/// A source that loses a large share of its edges. Sources with few edges are judged together, so that
/// nothing is too small to be noticed.
fn retractions(accounts: &Accounts, context: &Context<'_>) -> Vec<Finding> {
    let mut sources: BTreeMap<&str, Sum> = BTreeMap::new();
    for (segment, account) in accounts {
        sources.entry(&segment.source).or_default().add(account);
    }
    let (large, small): (BTreeMap<_, _>, BTreeMap<_, _>) =
        sources.into_iter().partition(|(_, sum)| sum.before >= SHARE_MIN);
    let small = small.into_iter().filter(|(source, _)| !context.accepted.contains(*source));
    let mut judged: Vec<(&str, Sum)> = large.into_iter().collect();
    let mut pool = Sum::default();
    small.for_each(|(_, sum)| pool.merge(sum));
    if pool.before >= SHARE_MIN {
        judged.push((SMALL_SOURCES, pool));
    }
    judged
        .into_iter()
        .filter_map(|(source, sum)| {
            let severity = share_severity(sum.tally(|tally| tally.retracted), sum.before, context)?;
            let severity = at_most(severity, source, context);
            let segment = Segment { edge_type: "*".to_owned(), source: source.to_owned() };
            Some(
                sum.finding("drift-retractions", severity, &segment, Sample::Retracted, |tally| {
                    tally.retracted
                }),
            )
        })
        .collect()
}

/// What a person has accepted is worth a warning at most.
fn at_most(severity: Severity, source: &str, context: &Context<'_>) -> Severity {
    if context.accepted.contains(source) { severity.min(Severity::Warn) } else { severity }
}

fn share_severity(retracted: u64, before: u64, context: &Context<'_>) -> Option<Severity> {
    let share = retracted as f64 / before.max(1) as f64;
    if share > context.gates.retractions_fail {
        Some(Severity::Fail)
    } else if share > context.gates.retractions_warn {
        Some(Severity::Warn)
    } else {
        None
    }
}

/// Edges that hold longer because what had ended them is gone.
fn revived(accounts: &Accounts, _: &Context<'_>) -> Vec<Finding> {
    accounts
        .iter()
        .filter(|(_, account)| account.tally().revived > 0)
        .map(|(segment, account)| {
            let sum = Sum::of([account]);
            sum.finding("drift-revived", Severity::Warn, segment, Sample::Revived, |tally| tally.revived)
        })
        .collect()
}

/// A source or feed that has stayed as it is for too long: what the graph says of it may be out of date.
fn stale(accounts: &Accounts, context: &Context<'_>) -> Vec<Finding> {
    let judge = |stale: &Stale| {
        let rest = accounts.iter().filter(|(segment, _)| segment.source == stale.source);
        let sum = Sum::of(rest.map(|(_, account)| account));
        let segment = Segment { edge_type: "*".to_owned(), source: stale.source.clone() };
        let found = sum.finding("drift-stale", Severity::Warn, &segment, Sample::Retracted, |_| 0);
        Finding { count: sum.after, says: Some(stale.to_string()), examples: Vec::new(), ..found }
    };
    context.stale.iter().map(judge).collect()
}

/// Changes without a cause: a fault of ours, or an extractor that is not deterministic.
fn unexplained(accounts: &Accounts, _: &Context<'_>) -> Vec<Finding> {
    let all = |tally: &Tally| tally.added + tally.retracted + tally.changed;
    accounts
        .iter()
        .filter_map(|(segment, account)| {
            let tally = account.causes.get(&Cause::Unexplained)?;
            let mut sum = Sum::of([account]);
            sum.causes = BTreeMap::from([(Cause::Unexplained, *tally)]);
            Some(sum.finding("drift-unexplained", Severity::Fail, segment, Sample::Unexplained, all))
        })
        .collect()
}

/// Several accounts together.
#[derive(Default)]
struct Sum {
    before: u64,
    after: u64,
    causes: BTreeMap<Cause, Tally>,
    examples: BTreeMap<Sample, BTreeMap<FactId, String>>,
}

impl Sum {
    fn of<'a>(accounts: impl IntoIterator<Item = &'a Account>) -> Self {
        let mut sum = Self::default();
        accounts.into_iter().for_each(|account| sum.add(account));
        sum
    }

    fn add(&mut self, account: &Account) {
        let examples = [Sample::Retracted, Sample::Revived, Sample::Unexplained]
            .map(|sample| (sample, account.examples(sample).into_iter().collect()));
        self.merge(Self {
            before: account.before,
            after: account.after().unwrap_or(0),
            causes: account.causes.clone(),
            examples: BTreeMap::from(examples),
        });
    }

    fn merge(&mut self, other: Self) {
        self.before += other.before;
        self.after += other.after;
        for (cause, tally) in other.causes {
            let sum = self.causes.entry(cause).or_default();
            sum.added += tally.added;
            sum.retracted += tally.retracted;
            sum.changed += tally.changed;
            sum.revived += tally.revived;
        }
        for (sample, examples) in other.examples {
            let kept = self.examples.entry(sample).or_default();
            kept.extend(examples);
            while kept.len() > EXAMPLES {
                kept.pop_last();
            }
        }
    }

    fn tally(&self, count: impl Fn(&Tally) -> u64) -> u64 {
        self.causes.values().map(count).sum()
    }

    fn finding(
        &self,
        rule: &str,
        severity: Severity,
        segment: &Segment,
        sample: Sample,
        count: impl Fn(&Tally) -> u64,
    ) -> Finding {
        let causes = self.causes.iter().map(|(cause, tally)| (cause.name().to_owned(), count(tally)));
        let examples = self.examples.get(&sample).cloned().unwrap_or_default();
        Finding {
            rule: rule.to_owned(),
            severity,
            segment: segment.clone(),
            before: self.before,
            after: self.after,
            count: self.tally(&count),
            causes: causes.filter(|(_, count)| *count > 0).collect(),
            says: None,
            examples: shown(examples.into_iter().collect()),
            key: Fingerprint::of(&[rule, &segment.edge_type, &segment.source]).to_string(),
        }
    }
}
