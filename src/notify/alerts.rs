//! Alerts over time: what stands and what is wrong now in, what has to be told and what stands then out.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::causes::{Cause, Level, Looked};
use crate::model::id::Fingerprint;
use crate::model::outputs::Alerts;
use crate::model::sabotage;

/// What was told of an alert that still stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Standing {
    /// By what it is known: never changes while it stands, but for the severity.
    pub(super) labels: BTreeMap<String, String>,
    /// What is said of it, by the last run that found it.
    pub(super) annotations: BTreeMap<String, String>,
    /// How bad it was when it was last told.
    pub(super) level: Level,
    /// How many facts, rows or places it was about when it was last told.
    pub(super) count: u64,
    /// Since when it stands, as an RFC 3339 time.
    pub(super) since: Timestamp,
    /// When it was last told.
    pub(super) told: Timestamp,
}

/// The alerts that stand, by fingerprint.
pub(super) type Board = BTreeMap<String, Standing>;

/// What is told of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    /// It has come.
    Open,
    /// It is worse than when it was last told.
    Worse,
    /// It still stands, and a long time has passed.
    Reminder,
    /// It is over.
    Resolved,
}

impl News {
    /// The word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Worse => "worse",
            Self::Reminder => "reminder",
            Self::Resolved => "resolved",
        }
    }
}

/// An alert that has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alert {
    /// Names it, in every run.
    pub(super) fingerprint: String,
    /// What has happened to it.
    pub(super) news: News,
    /// What is said of it.
    pub(super) standing: Standing,
    /// The labels under which it was told before, if they were others.
    pub(super) was: Option<BTreeMap<String, String>>,
}

/// How an alert is named.
#[derive(Debug, Clone, Copy)]
pub(super) struct Naming<'n> {
    /// The job.
    pub(super) job: &'n str,
    /// Its alerts.
    pub(super) alerts: &'n Alerts,
    /// The run that is told of.
    pub(super) run: &'n str,
}

/// What has to be told of these causes at a time, sorted, and what stands then.
pub(super) fn tell(
    before: &Board,
    causes: &[Cause],
    looked: &Looked,
    naming: Naming<'_>,
    now: Timestamp,
) -> (Vec<Alert>, Board) {
    let (mut alerts, mut board) = (Vec::new(), Board::new());
    for cause in causes {
        let fingerprint = fingerprint(naming.job, cause);
        let stood = before.get(&fingerprint);
        let news = match stood {
            None => Some(News::Open),
            Some(stood) => further(stood, cause, naming.alerts.remind_after, now),
        };
        let standing = match (news, stood) {
            // What is said of it is of this run, so that it leads to the run that can be judged.
            (None, Some(stood)) => Standing { annotations: annotations(naming, cause), ..stood.clone() },
            _ => Standing {
                labels: labels(naming, cause),
                annotations: annotations(naming, cause),
                level: cause.level,
                count: cause.count,
                since: stood.map_or(now, |stood| stood.since),
                told: now,
            },
        };
        if let Some(news) = news {
            let was = stood.map(|stood| stood.labels.clone()).filter(|was| *was != standing.labels);
            alerts.push(Alert { fingerprint: fingerprint.clone(), news, standing: standing.clone(), was });
        }
        board.insert(fingerprint, standing);
    }
    for (fingerprint, stood) in
        before.iter().filter(|(fingerprint, _)| !board.contains_key(*fingerprint)).collect::<Vec<_>>()
    {
        let label = |name: &str| stood.labels.get(name).map(String::as_str);
        if looked.is_over(label("alertname").unwrap_or_default(), label("source"))
            && !sabotage::is_off("alert-resolved")
        {
            let standing = Standing { told: now, ..stood.clone() };
            alerts.push(Alert {
                fingerprint: fingerprint.clone(),
                news: News::Resolved,
                standing,
                was: None,
            });
        } else {
            board.insert(fingerprint.clone(), stood.clone());
        }
    }
    alerts.sort_by(|one, other| one.fingerprint.cmp(&other.fingerprint));
    (alerts, board)
}

/// What has to be told again of an alert that stands.
fn further(stood: &Standing, cause: &Cause, remind_after: u32, now: Timestamp) -> Option<News> {
    if cause.level > stood.level || cause.count > stood.count.saturating_mul(2) {
        return Some(News::Worse);
    }
    // A night's run may begin a little before the one of the night before.
    let slack = (30 * i64::from(remind_after)).min(60);
    let after = SignedDuration::from_mins(60 * i64::from(remind_after) - slack);
    (now.duration_since(stood.told) >= after).then_some(News::Reminder)
}

fn fingerprint(job: &str, cause: &Cause) -> String {
    Fingerprint::of(&[job, &cause.code, &cause.key]).to_string()[..16].to_owned()
}

fn labels(naming: Naming<'_>, cause: &Cause) -> BTreeMap<String, String> {
    let mut labels: BTreeMap<String, String> = [
        ("alertname", cause.code.as_str()),
        ("job", naming.job),
        ("team", &naming.alerts.team),
        ("severity", cause.level.word()),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    labels.extend(cause.source.clone().map(|source| ("source".to_owned(), source)));
    labels.extend(cause.edge_type.clone().map(|edge| ("edge_type".to_owned(), edge)));
    labels
}

fn annotations(naming: Naming<'_>, cause: &Cause) -> BTreeMap<String, String> {
    let mut annotations: BTreeMap<String, String> = [
        ("summary", cause.summary.clone()),
        ("description", cause.description.clone()),
        ("runbook_url", format!("{}{}.md", naming.alerts.runbook, cause.code)),
        ("run", naming.run.to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    annotations.extend(cause.accepts.clone().map(|command| ("command".to_owned(), command)));
    annotations
}

#[cfg(test)]
mod tests {
    use super::super::causes::Looked;
    use super::*;

    fn alerts() -> Alerts {
        Alerts {
            team: "data".to_owned(),
            runbook: "https://runbook/".to_owned(),
            remind_after: 24,
            receivers: BTreeMap::new(),
        }
    }

    fn cause(code: &str, level: Level, count: u64) -> Cause {
        Cause {
            code: code.to_owned(),
            key: "k".to_owned(),
            level,
            source: Some("contracts".to_owned()),
            edge_type: None,
            summary: String::new(),
            description: String::new(),
            count,
            accepts: None,
        }
    }

    fn all() -> Looked {
        Looked { ended: true, drift: true, inputs: ["contracts".to_owned()].into() }
    }

    /// Day and hour, causes, what was looked at → what is told.
    #[test]
    fn an_alert_is_told_when_it_comes_gets_worse_stands_for_long_and_is_over() {
        use Level::{Critical, Warning};
        let nothing = Looked::default();
        type Night<'n> = (&'n str, Option<(Level, u64)>, &'n Looked, &'n str);
        let nights: [Night<'_>; 10] = [
            ("01T02", Some((Warning, 5)), &all(), "open warning"),
            ("01T03", Some((Warning, 10)), &all(), ""),
            ("01T04", Some((Warning, 11)), &all(), "worse warning"),
            ("01T05", Some((Critical, 1)), &all(), "worse critical, was warning"),
            ("02T03", Some((Critical, 1)), &all(), ""),
            // An hour early is early enough.
            ("02T04", Some((Critical, 1)), &all(), "reminder critical"),
            ("02T06", Some((Warning, 1)), &all(), ""),
            ("02T07", None, &nothing, ""),
            ("02T08", None, &all(), "resolved critical"),
            ("02T09", None, &all(), ""),
        ];
        let (declared, mut board) = (alerts(), Board::new());
        for (at, found, looked, expected) in nights {
            let now: Timestamp = format!("2026-06-{at}:00:00Z").parse().unwrap();
            let causes: Vec<Cause> =
                found.map(|(level, count)| cause("drift-emptied", level, count)).into_iter().collect();
            let naming = Naming { job: "nightly", alerts: &declared, run: "r" };
            let (told, then) = tell(&board, &causes, looked, naming, now);
            let told: Vec<String> = told
                .iter()
                .map(|one| {
                    let was = one.was.as_ref().map(|was| format!(", was {}", was["severity"]));
                    let (news, severity) = (one.news.word(), &one.standing.labels["severity"]);
                    format!("{news} {severity}{}", was.unwrap_or_default())
                })
                .collect();
            assert_eq!(told.join("; "), expected, "{at}");
            board = then;
        }
    }

    #[test]
    fn what_is_said_of_an_alert_that_stands_is_of_the_last_run_that_found_it() {
        let (declared, mut board) = (alerts(), Board::new());
        for (run, says) in [("a", "as a"), ("b", "as b")] {
            let found = Cause { summary: says.to_owned(), ..cause("run-held", Level::Critical, 1) };
            let naming = Naming { job: "nightly", alerts: &declared, run };
            let now = "2026-06-01T02:00:00Z".parse().unwrap();
            let told;
            (told, board) = tell(&board, &[found], &all(), naming, now);
            assert_eq!(told.len(), usize::from(run == "a"), "nothing new is told");
            let said = &board.values().next().unwrap().annotations;
            assert_eq!((said["run"].as_str(), said["summary"].as_str()), (run, says));
        }
    }

    #[test]
    fn what_is_over_depends_on_what_was_looked_at() {
        let looked = |ended, drift| Looked { ended, drift, inputs: ["a".to_owned()].into() };
        assert!(!looked(true, false).is_over("drift-emptied", Some("a")), "the first run judges no drift");
        assert!(looked(true, false).is_over("feed-shrunk", Some("a")));
        assert!(!looked(true, true).is_over("feed-shrunk", Some("b")), "another job ran");
        assert!(!looked(false, false).is_over("run-failed", None), "it failed again");
        assert!(looked(true, false).is_over("parse-crash", None));
    }
}
