//! A week of small losses: what is too little to be judged on any night, and adds up.
//!
//! In: what a source loses tonight, and the drift reports of the week before. Out: at most a warning. Gains do not
//! count against it, and what a person was told of before is over.

use std::collections::BTreeSet;

use crate::drift::findings::{Matter, SMALL_SOURCES, WENT_MIN, about, all_of, not_by_people};
use crate::drift::ledger::{Account, Kind, Ledger};
use crate::drift::report::{DriftReport, Finding, Severity};
use crate::model::cause::Cause;
use crate::model::gates::Guard;

/// Of a larger source a week of nights that lose fewer than [`WENT_MIN`] edges each is no share worth a word.
const SMALL: u64 = 200;

/// True if a source loses so little tonight that it is not judged, and is so small that this may add up.
fn is_little(account: &Account) -> bool {
    let went = account.retracted(not_by_people);
    (1..WENT_MIN).contains(&went) && account.before < SMALL
}

impl Ledger {
    /// The sources that lose a little tonight: of these the week before tells more. Linear in the segments.
    pub fn lost_little(&self) -> BTreeSet<String> {
        let mut sources: BTreeSet<&String> = self.segments().map(|(segment, _)| &segment.source).collect();
        sources.retain(|source| {
            let of = self.segments().filter(|(segment, _)| segment.source == **source);
            is_little(&Account::sum(of.map(|(_, account)| account)))
        });
        sources.into_iter().cloned().collect()
    }
}

/// How many edges a source lost on nights of which these are the reports, the last night first, back to the one on
/// which a person was told something of it.
pub fn untold<'r>(source: &str, nights: impl IntoIterator<Item = &'r DriftReport>) -> u64 {
    let is_told = |night: &&DriftReport| {
        let about = |finding: &Finding| [source, SMALL_SOURCES].contains(&finding.segment.source.as_str());
        night.findings.iter().any(|finding| finding.severity >= Severity::Warn && about(finding))
    };
    let by_people = [Cause::Rollback, Cause::Curator].map(Cause::name);
    let lost = |night: &DriftReport| -> u64 {
        let rows = night.segments.iter().filter(|row| row.segment.source == source);
        let causes = rows.flat_map(|row| &row.causes);
        causes
            .filter(|(cause, _)| !by_people.contains(&cause.as_str()))
            .map(|(_, tally)| tally.retracted)
            .sum()
    };
    nights.into_iter().take_while(|night| !is_told(night)).map(lost).sum()
}

/// Sources that lose a little tonight and lost a little on other nights of the week: what would fail if it went at
/// once warns.
pub(super) fn week(matter: &Matter<'_>) -> Vec<Finding> {
    let guard = Guard::Retractions;
    let judge = |(source, before): (&String, &u64)| {
        let (segment, sum) = (all_of(source), matter.source(guard, source));
        let tonight = sum.retracted(not_by_people);
        let (all, had) = (tonight + before, sum.before + before);
        if *before == 0 || all < WENT_MIN || !is_little(&sum) {
            return None;
        }
        let (severity, gate) = matter.judge(guard, &segment, all as f64 / had.max(1) as f64)?;
        if severity != Severity::Fail {
            return None;
        }
        let finding = Finding::new(guard, (Severity::Warn, gate), segment);
        let finding = about(finding, &sum, &[Kind::Retracted], not_by_people);
        let says =
            format!("{all} of {had} edges went within a week, a few at a time; {tonight} of them tonight");
        Some(Finding { count: all, says: Some(says), ..finding })
    };
    matter.context.observed.week.iter().filter_map(judge).collect()
}
