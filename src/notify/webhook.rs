//! Alerts as receivers read them: values in, JSON out.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::alerts::{Alert, Board, News, Standing};

/// The time that stands for "not yet" in Alertmanager's form.
const NOT_YET: &str = "0001-01-01T00:00:00Z";

/// Alerts as Alertmanager sends them to a receiver, version 4; `None` if there is nothing to tell.
pub(super) fn webhook(job: &str, receiver: &str, alerts: &[Alert], now: Timestamp) -> Option<Value> {
    if alerts.is_empty() {
        return None;
    }
    let firing = alerts.iter().any(|alert| alert.news != News::Resolved);
    let group = BTreeMap::from([("job", job)]);
    Some(json!({
        "version": "4",
        "groupKey": format!("edgewright:{job}"),
        "truncatedAlerts": 0,
        "status": if firing { "firing" } else { "resolved" },
        "receiver": receiver,
        "groupLabels": group,
        "commonLabels": common(alerts.iter().map(|alert| &alert.standing.labels)),
        "commonAnnotations": common(alerts.iter().map(|alert| &alert.standing.annotations)),
        "externalURL": "",
        "alerts": alerts.iter().map(|alert| one(alert, now)).collect::<Vec<_>>(),
    }))
}

fn one(alert: &Alert, now: Timestamp) -> Value {
    let over = alert.news == News::Resolved;
    let mut annotations = alert.standing.annotations.clone();
    annotations.insert("state".to_owned(), alert.news.word().to_owned());
    json!({
        "status": if over { "resolved" } else { "firing" },
        "labels": alert.standing.labels,
        "annotations": annotations,
        "startsAt": alert.standing.since,
        "endsAt": if over { now.to_string() } else { NOT_YET.to_owned() },
        "generatorURL": "",
        "fingerprint": alert.fingerprint,
    })
}

/// The entries that all maps have.
fn common<'m>(mut maps: impl Iterator<Item = &'m BTreeMap<String, String>>) -> BTreeMap<String, String> {
    let mut common = maps.next().cloned().unwrap_or_default();
    for map in maps {
        common.retain(|name, value| map.get(name) == Some(value));
    }
    common
}

/// Alerts as Alertmanager receives them: all that stand, so that it does not take them for over, and those that are.
/// `None` if there is nothing to tell.
pub(super) fn to_alertmanager(
    alerts: &[Alert],
    board: &Board,
    remind_after: u32,
    now: Timestamp,
) -> Option<Value> {
    // It forgets what it does not hear of: an alert stands for two reminders after the last word.
    let until = now.saturating_add(SignedDuration::from_hours(2 * i64::from(remind_after))).unwrap_or(now);
    let told = |standing: &Standing, labels: &BTreeMap<String, String>, ends: Timestamp| json!({ "labels": labels, "annotations": standing.annotations, "startsAt": standing.since, "endsAt": ends });
    let mut all: Vec<Value> =
        board.values().map(|standing| told(standing, &standing.labels, until)).collect();
    for alert in alerts {
        if alert.news == News::Resolved {
            all.push(told(&alert.standing, &alert.standing.labels, now));
        }
        // What it knows by other labels is another alert for it, and that one is over.
        all.extend(alert.was.iter().map(|was| told(&alert.standing, was, now)));
    }
    (!all.is_empty()).then_some(Value::Array(all))
}
