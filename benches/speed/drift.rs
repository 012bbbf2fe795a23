//! The drift suite: how often the guards cry wolf on nights on which nothing is wrong, and what they catch of faults
//! that are planted, beside two naive rules. The drift stage alone, so that a thousand nights take seconds.

use std::collections::{BTreeMap, VecDeque};

use edgewright::drift::{DriftReport, Severity};

use super::nights::{Corpus, Dice, Fault, Tonight};
use super::table::Table;

/// How many nights there are.
const NIGHTS: u64 = 1_000;
/// How often each fault strikes each source.
const STRIKES: u64 = 10;
/// How many nights a mean is taken of.
const WINDOW: usize = 14;
/// The nights of the tables in `docs/drift.md`.
pub(crate) const SEED: u64 = 5;

type Totals = BTreeMap<(usize, u8), u64>;

/// The naive rules, which look at the totals of segments.
#[derive(Default)]
struct Naive {
    history: VecDeque<Totals>,
}

impl Naive {
    fn push(&mut self, totals: Totals) {
        self.history.push_back(totals);
        if self.history.len() > WINDOW {
            self.history.pop_front();
        }
    }

    /// Segments whose total is 20 % away from the last.
    fn ratio(&self, now: &Totals) -> Vec<usize> {
        let Some(last) = self.history.back() else { return Vec::new() };
        let away = |(place, total): (&(usize, u8), &u64)| {
            let before = last.get(place).copied().unwrap_or_default();
            (before.abs_diff(*total) as f64 > 0.2 * before.max(1) as f64).then_some(place.0)
        };
        now.iter().filter_map(away).collect()
    }

    /// Segments whose total is three standard deviations away from the mean of two weeks.
    fn sigma(&self, now: &Totals) -> Vec<usize> {
        if self.history.len() < WINDOW {
            return Vec::new();
        }
        let away = |(place, total): (&(usize, u8), &u64)| {
            let of: Vec<f64> =
                self.history.iter().map(|one| one.get(place).copied().unwrap_or_default() as f64).collect();
            let mean = of.iter().sum::<f64>() / of.len() as f64;
            let spread = (of.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / of.len() as f64).sqrt();
            ((*total as f64 - mean).abs() > 3.0 * spread).then_some(place.0)
        };
        now.iter().filter_map(away).collect()
    }
}

/// True if a finding that fails is about a source, or about those that are judged together.
fn caught(report: &DriftReport, source: &str) -> bool {
    let about = |place: &str| place == source || place == "small sources";
    report.findings.iter().any(|finding| finding.severity == Severity::Fail && about(&finding.segment.source))
}

/// What of a kind of night was caught.
#[derive(Default, Clone, Copy)]
struct Score {
    of: u64,
    ours: u64,
    ratio: u64,
    sigma: u64,
}

impl Score {
    fn cells(self) -> [String; 4] {
        let share = |of: u64| {
            if self.of == 0 {
                "–".to_owned()
            } else {
                format!("{:.0} %", 100.0 * of as f64 / self.of as f64)
            }
        };
        [self.of.to_string(), share(self.ours), share(self.ratio), share(self.sigma)]
    }
}

const BUCKETS: [(&str, u64); 4] = [("1–4", 1), ("5–19", 5), ("20–99", 20), ("100 and more", 100)];

/// Replays the nights.
pub(crate) fn suite(seed: u64) -> Result<Vec<Table>, String> {
    let mut dice = Dice(seed);
    let mut corpus = Corpus::new(&mut dice, usize::MAX);
    let mut naive = Naive::default();
    let (mut quiet, mut warned, mut held) = (Score { of: NIGHTS, ..Score::default() }, 0, Vec::new());
    let mut scores: BTreeMap<(Fault, usize), Score> = BTreeMap::new();
    let mut rules: BTreeMap<String, u64> = BTreeMap::new();
    let strike_every = NIGHTS / (STRIKES * 5);
    for night in 0..NIGHTS {
        let tonight = corpus.benign(&mut dice, night);
        let report = corpus.judge(&tonight);
        let totals = corpus.totals(&tonight);
        for rule in report.findings.iter().filter(|one| one.severity == Severity::Warn).map(|one| &one.rule) {
            *rules.entry(rule.clone()).or_default() += 1;
        }
        warned += u64::from(report.findings.iter().any(|one| one.severity == Severity::Warn));
        if report.holds {
            quiet.ours += 1;
            held.extend(report.findings.iter().filter(|one| one.holds()).map(|one| {
                format!(
                    "night {night}: {} of {} {}->{} ({})",
                    one.rule, one.segment, one.before, one.after, one.count
                )
            }));
        }
        quiet.ratio += u64::from(!naive.ratio(&totals).is_empty());
        quiet.sigma += u64::from(!naive.sigma(&totals).is_empty());
        if night % strike_every == 0 && night >= WINDOW as u64 && !tonight.is_quiet() {
            strike(&mut corpus, &mut dice, &tonight, &naive, night / strike_every, &mut scores);
        }
        corpus.publish(&tonight);
        naive.push(totals);
    }
    println!("  what warned: {rules:?}");
    held.iter().for_each(|line| println!("  held on a quiet night: {line}"));
    let mut alarms = Table::new("Quiet nights, of a thousand", &["", "held, or alarmed", "warned"]);
    let of = |count: u64| count.to_string();
    alarms.row(&["edgewright".to_owned(), of(quiet.ours), of(warned)]);
    alarms.row(&["total of a segment ±20 %".to_owned(), of(quiet.ratio), "–".to_owned()]);
    alarms.row(&["total of a segment, three sigma of 14 nights".to_owned(), of(quiet.sigma), "–".to_owned()]);
    let mut found = Table::new(
        "Faults that were caught on their night",
        &["fault", "edges that it strikes", "nights", "edgewright", "±20 %", "three sigma"],
    );
    for ((fault, bucket), score) in &scores {
        let mut row = vec![fault.name().to_owned(), BUCKETS[*bucket].0.to_owned()];
        row.extend(score.cells());
        found.row(&row);
    }
    Ok(vec![alarms, found])
}

/// One fault in each source that it can strike, on copies of a night.
fn strike(
    corpus: &mut Corpus,
    dice: &mut Dice,
    tonight: &Tonight,
    naive: &Naive,
    turn: u64,
    scores: &mut BTreeMap<(Fault, usize), Score>,
) {
    for (nth, fault) in Fault::ALL.into_iter().enumerate() {
        for at in 0..corpus.sources.len() {
            // Each source in its turn: large ones take longest.
            if !fault.strikes(&corpus.sources[at]) || !(at as u64 + nth as u64 + turn).is_multiple_of(5) {
                continue;
            }
            let (struck, expected) = corpus.with_fault(dice, tonight, fault, at);
            let Some(bucket) = BUCKETS.iter().rposition(|(_, least)| expected >= *least) else { continue };
            let name = corpus.sources[at].name.clone();
            let totals = corpus.totals(&struck);
            let score = scores.entry((fault, bucket)).or_default();
            score.of += 1;
            score.ours += u64::from(caught(&corpus.judge(&struck), &name));
            score.ratio += u64::from(naive.ratio(&totals).contains(&at));
            score.sigma += u64::from(naive.sigma(&totals).contains(&at));
        }
    }
}
