//! The guards that look at documents: what those say that were read tonight, beside what they said.

use std::collections::BTreeMap;

use crate::drift::cohort::Paired;
use crate::drift::findings::{Matter, SHARE_MIN, SMALL_SOURCES, all_of, kept};
use crate::drift::ledger::{Account, Kind};
use crate::drift::report::{Finding, Segment, Severity};
use crate::model::cause::Cause;
use crate::model::gates::{Gate, Guard};
use crate::model::stats::at_most;

/// So many standard deviations apart two counts of the same documents are no chance.
const APART: f64 = 4.0;
/// The same without the document that changed most, so that two documents suffice and one never does.
const APART_WITHOUT: f64 = 3.0;
/// Fewer silent documents fail nothing, unless they had many edges.
const SILENT_LEAST: u64 = 5;
/// Fewer silent documents are only noted.
const SILENT_FEW: u64 = 3;
/// So often a text that was edited keeps a sentence that says something else now.
const UNREAD_SHARE: f64 = 0.02;
/// Below this probability sentences that are read no more are no chance.
const CHANCE: f64 = 0.001;
/// Fewer sentences say nothing.
const UNREAD_LEAST: u64 = 5;

/// Unchanged documents that read differently tonight: a stage changed and its fingerprint did not.
pub(super) fn audit(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |(segment, found): (&Segment, &crate::drift::audit::Differences)| {
        let count = found.count();
        let judged = (count > 0).then(|| matter.judge(Guard::Audit, segment, count as f64)).flatten()?;
        let finding = Finding::new(Guard::Audit, judged, segment.clone());
        let says = format!(
            "of {} edges in unchanged documents that were read again, {} are not found and {} are new",
            found.said, found.lost, found.gained
        );
        Some(Finding {
            before: found.said,
            after: found.said + found.gained - found.lost,
            count,
            says: Some(says),
            causes: BTreeMap::from([("unexplained".to_owned(), count)]),
            rules: found.rules.clone(),
            examples: kept(&found.examples),
            ..finding
        })
    };
    matter.context.observed.audit.segments.iter().filter_map(judge).collect()
}

/// Documents that had edges and have none, by name.
pub(super) fn silent_documents(matter: &Matter<'_>) -> Vec<Finding> {
    let judge = |(source, documents): (&String, &crate::drift::cohort::Documents)| {
        if documents.silent == 0 {
            return None;
        }
        let segment = all_of(source);
        let share = documents.silent as f64 / documents.had.max(1) as f64;
        let judged = matter.judge(Guard::SilentDocuments, &segment, share);
        let (severity, gate) = judged.unwrap_or((Severity::Info, Gate::Report));
        // Of documents that people edit one in fifty falls silent, and one of them may be large.
        let rest = documents.silenced - documents.most_silenced;
        let many = documents.silent >= SILENT_LEAST
            || (documents.silenced >= SHARE_MIN && (documents.silent >= SILENT_FEW || rest * 2 >= SHARE_MIN));
        let most = match documents.silent {
            _ if many => Severity::Fail,
            SILENT_FEW.. => Severity::Warn,
            _ => Severity::Info,
        };
        let severity = severity.min(most);
        let finding = Finding::new(Guard::SilentDocuments, (severity, gate), segment);
        let says = format!(
            "{} of {} documents that were read again and said something say nothing",
            documents.silent, documents.had
        );
        Some(Finding {
            before: documents.silenced,
            count: documents.silenced,
            says: Some(says),
            causes: causes(matter, source),
            rules: rules(matter, source),
            documents: documents.names.iter().cloned().collect(),
            examples: kept(&documents.examples),
            ..finding
        })
    };
    matter.context.observed.cohort.sources.iter().filter_map(judge).collect()
}

/// Documents that were read again and yield much less than they did, much more, or others. Sources of which few
/// edges were read again are judged together.
pub(super) fn same_documents(matter: &Matter<'_>) -> Vec<Finding> {
    let judged = matter.context.observed.cohort.judged().into_iter();
    judged.filter_map(|(segment, paired)| compared(matter, segment, &paired)).collect()
}

/// How bad it is that documents say less or more than they said, if chance does not do that where past nights spread
/// so wide.
pub(super) fn net(
    paired: &Paired,
    spread: f64,
    severe: impl Fn(f64) -> Option<(Severity, Gate)>,
) -> Option<(Severity, Gate)> {
    let (all, rest, wide) = (paired.sum, paired.sum.without(paired.most), spread.sqrt());
    if all.z() <= APART * wide || rest.z() <= APART_WITHOUT * wide {
        return None;
    }
    let (severity, gate) = weaker(severe(all.share())?, severe(rest.share())?);
    // More is odd, and takes nothing from anybody.
    Some((if all.after > all.before { severity.min(Severity::Warn) } else { severity }, gate))
}

fn weaker(one: (Severity, Gate), other: (Severity, Gate)) -> (Severity, Gate) {
    if other.0 < one.0 { other } else { one }
}

fn compared(matter: &Matter<'_>, segment: Segment, paired: &Paired) -> Option<Finding> {
    let (all, rest) = (paired.sum, paired.sum.without(paired.most));
    let severe = |share: f64| matter.judge(Guard::SameDocuments, &segment, share);
    let spread = matter.context.observed.spread.get(&segment).copied().unwrap_or(1.0);
    // Less, or more. What only past nights allow is noted.
    let allowed = || net(paired, 1.0, severe).map(|_| (Severity::Info, Gate::Report));
    let net = net(paired, spread, severe).or_else(allowed);
    // Others: what went counts half, since a text that is rewritten says other things.
    let many = rest.lost * 2 >= SHARE_MIN && all.lost >= SHARE_MIN;
    let others = many
        .then(|| Some(weaker(severe(all.lost_share() / 2.0)?, severe(rest.lost_share() / 2.0)?)))
        .flatten();
    // Sentences that still stand and are read no more: whatever their share, if chance does not do it.
    let unread = (rest.unread >= UNREAD_LEAST
        && 1.0 - at_most(rest.unread - 1, rest.before, UNREAD_SHARE) < CHANCE)
        .then(|| severe(1.0))
        .flatten();
    let judged = net.max_by_severity(others).max_by_severity(unread)?;
    let mut says = format!(
        "the documents that were read again said {} edges and say {}: {} went and {} came; \
         of {} that went the sentence still stands",
        all.before,
        all.after,
        all.lost,
        all.gained(),
        all.unread
    );
    if spread > 1.0 {
        says += &format!("; past nights spread {spread:.1} times as wide as chance, which is allowed for");
    }
    let (causes, rules) = (causes(matter, &segment.source), rules(matter, &segment.source));
    let finding = Finding::new(Guard::SameDocuments, judged, segment);
    Some(Finding {
        before: all.before,
        after: all.after,
        count: all.lost.max(all.before.abs_diff(all.after)),
        says: Some(says),
        causes,
        rules,
        examples: kept(&paired.examples),
        ..finding
    })
}

/// The worse of two judgments.
trait Worse: Sized {
    fn max_by_severity(self, other: Self) -> Self;
}

impl<G> Worse for Option<(Severity, G)> {
    fn max_by_severity(self, other: Self) -> Self {
        match (self, other) {
            (Some(one), Some(other)) => Some(if other.0 > one.0 { other } else { one }),
            (one, other) => one.or(other),
        }
    }
}

/// New documents that yield much less than those of their source do.
pub(super) fn new_documents(matter: &Matter<'_>) -> Vec<Finding> {
    let observed = matter.context.observed;
    let judge = |(source, documents): (&String, &crate::drift::cohort::Documents)| {
        let had = observed.documents.get(source).copied().filter(|had| *had > 0)?;
        let edges = matter.source(Guard::NewDocuments, source).before;
        let expected = documents.new as f64 * edges as f64 / had as f64;
        let got = documents.new_edges as f64;
        let apart = (expected - got) / (expected + got).max(1.0).sqrt();
        if expected < SHARE_MIN as f64 || apart <= APART {
            return None;
        }
        let segment = all_of(source);
        let judged = matter.judge(Guard::NewDocuments, &segment, 1.0 - got / expected)?;
        let finding = Finding::new(Guard::NewDocuments, judged, segment);
        let says = format!(
            "{} new documents say {} edges; by the other {had} of their source one expects {:.0}",
            documents.new, documents.new_edges, expected
        );
        Some(Finding {
            after: documents.new_edges,
            count: expected as u64 - documents.new_edges,
            says: Some(says),
            ..finding
        })
    };
    observed.cohort.sources.iter().filter_map(judge).collect()
}

/// By which rules the edges of a source had been read that went, as far as texts that were read again can be the reason.
fn rules(matter: &Matter<'_>, source: &str) -> BTreeMap<String, u64> {
    let of =
        matter.accounts.iter().filter(|(segment, _)| segment.source == source || source == SMALL_SOURCES);
    let sum = Account::sum(of.map(|(_, account)| account));
    sum.rules(&[Kind::Retracted], Cause::is_of_text)
}

/// Why edges of a source went, as far as texts that were read again can be the reason.
fn causes(matter: &Matter<'_>, source: &str) -> BTreeMap<String, u64> {
    let of =
        matter.accounts.iter().filter(|(segment, _)| segment.source == source || source == SMALL_SOURCES);
    let mut causes = BTreeMap::new();
    for (cause, tally) in of.flat_map(|(_, account)| &account.causes) {
        if tally.retracted > 0 && cause.is_of_text() {
            *causes.entry(cause.name().to_owned()).or_insert(0) += tally.retracted;
        }
    }
    causes
}
