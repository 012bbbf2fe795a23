//! The spread of past nights: how far two counts of the same documents are apart where nothing is wrong.
//!
//! In: the counts of a segment on past nights. Out: the variance of their difference, in units of what chance does to
//! edges that come and go one by one. A corpus whose edges come and go in clumps, with a table or a list, moves more
//! than that by itself, and its own past says how much more.

use std::collections::BTreeSet;

use crate::drift::cohort::{ALL_TYPES, Cohort, apart};
use crate::drift::documents::net;
use crate::drift::findings::{SHARE_MIN, SMALL_SOURCES, severity};
use crate::drift::report::{Compared, DriftReport, Segment, Severity};
use crate::model::gates::{GateBook, Guard};

/// Fewer nights teach nothing.
const LEAST_NIGHTS: usize = 5;
/// Of the last so many nights a mean is taken, so that it follows a corpus that changes its ways.
const MOST_NIGHTS: usize = 20;
/// No spread counts as wider, whatever past nights did: at 4 two counts must be twice as far apart as by chance, which
/// a loss of everything is from 65 edges on (below that, and where more than half of the edges go, other limits hold
/// the run), and a loss of 40 % from 640. A spread without a bound would be one at which nothing is ever seen.
const MOST: f64 = 4.0;

/// The segments that look wrong if their counts spread as chance does it: of these past nights tell more. Linear in
/// the segments of tonight's documents.
pub fn far_apart(cohort: &Cohort, gates: &GateBook) -> BTreeSet<Segment> {
    let guard = Guard::SameDocuments;
    let mut segments = BTreeSet::new();
    for (segment, paired) in cohort.judged() {
        let limit = gates.limit(guard, &segment.source, &segment.edge_type);
        let severe = |share: f64| Some((severity(share, limit, guard.unit())?, limit.gate));
        if net(&paired, 1.0, severe).is_some() {
            segments.insert(segment);
        }
    }
    segments
}

/// How wide the counts of a segment spread on past nights of which these are the reports, the last night first: the
/// mean of `(A − B)² / (A + B)` over the last nights that had enough edges, at least 1. It is taken with and without
/// the document that changed most, and the smaller one counts: one document is no pattern, and the guard ignores it.
/// Nights that were held, those on which a person was told something of the segment, and those whose counts were
/// noted are left out, so that no incident makes the next one look ordinary.
pub fn spread<'r>(segment: &Segment, nights: impl IntoIterator<Item = &'r DriftReport>) -> f64 {
    let moved = |night: &DriftReport| -> Option<f64> {
        let rows = || night.compared.iter().filter(|row| is_part(row, segment));
        let (before, after) =
            rows().fold((0, 0), |sums, row: &Compared| (sums.0 + row.before, sums.1 + row.after));
        let is_told =
            night.holds || is_told(segment, night) || rows().any(|row| is_told(&row.segment, night));
        // A report is a file, which may say anything.
        let without = |row: &Compared| {
            apart(before.saturating_sub(row.most_before), after.saturating_sub(row.most_after))
        };
        let least = || rows().map(without).fold(apart(before, after), f64::min);
        (before >= SHARE_MIN && !is_told).then(|| least().powi(2))
    };
    let moved: Vec<f64> = nights.into_iter().filter_map(moved).take(MOST_NIGHTS).collect();
    if moved.len() < LEAST_NIGHTS {
        return 1.0;
    }
    (moved.iter().sum::<f64>() / moved.len() as f64).clamp(1.0, MOST)
}

/// True if a row is the segment's, or one of those that are judged together.
fn is_part(row: &Compared, segment: &Segment) -> bool {
    if segment.source == SMALL_SOURCES {
        row.segment.edge_type == ALL_TYPES && row.before < SHARE_MIN
    } else {
        row.segment == *segment
    }
}

/// True if a person was told something of a segment, or of all edge types of its source, or if its counts were noted
/// for being as far apart as past nights allow and chance does not.
fn is_told(segment: &Segment, night: &DriftReport) -> bool {
    let is_about = |of: &Segment| {
        let is_type = of.edge_type == segment.edge_type
            || [&of.edge_type, &segment.edge_type].iter().any(|name| *name == ALL_TYPES);
        of.source == segment.source && is_type
    };
    night.findings.iter().any(|finding| {
        let also = finding.also.iter().map(|also| (&also.rule, also.severity, &also.segment));
        let mut found = also.chain([(&finding.rule, finding.severity, &finding.segment)]);
        found.any(|(rule, severity, of)| {
            (severity >= Severity::Warn || rule == Guard::SameDocuments.code()) && is_about(of)
        })
    })
}
