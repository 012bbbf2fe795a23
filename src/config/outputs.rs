//! What a job tells others of its runs: `metrics`, `alerts` and `lineage`.

use crate::model::outputs::{Address, Alerts, Form, Lineage, LineageTo, Outputs, Receiver, Secret, Target};
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::{Field, Kind, Shape, hours, may, milliseconds, must};
use crate::ontology::file::yaml::Node;

/// After how many hours an alert is told again, if the job does not say.
const REMIND_AFTER: u32 = 24;

/// After how many milliseconds a receiver is given up, if the job does not say.
const TIMEOUT: u64 = 10_000;

/// The longest time that a receiver may be given: a run must come to its end.
const LONGEST: u64 = 300_000;

pub(super) static METRICS: Shape = Shape {
    name: "`metrics`",
    doc: "The file of metrics, which Prometheus' node exporter reads.",
    keys: &[must("file", Kind::Text, "The file, ending in `.prom`: relative to the workspace, or absolute.")],
    rest: None,
};

pub(super) static ALERTS: Shape = Shape {
    name: "`alerts`",
    doc: "Who is alerted of what is wrong with a run: one alert a cause.",
    keys: &[
        may("team", Kind::Text, "Who answers for what is wrong. Default: the `owner` of the job."),
        may(
            "runbook",
            Kind::Text,
            "What stands before the name of a page of `docs/codes/` in a `runbook_url`. Default `docs/codes/`.",
        ),
        may(
            "remind_after",
            Kind::Hours,
            "After how long an alert that still stands is told again. Default `24h`.",
        ),
        must("receivers", Kind::Named(&Kind::Object(&RECEIVER)), "Where alerts go, by name."),
    ],
    rest: None,
};

static RECEIVER: Shape = Shape {
    name: "a receiver",
    doc: "Where alerts go.",
    keys: &[
        may(
            "form",
            Kind::Words(&["webhook", "alertmanager"]),
            "`webhook` (the default): as Alertmanager sends alerts on; `alertmanager`: as it receives them.",
        ),
        URL,
        TOKEN,
        WAITS,
    ],
    rest: None,
};

const URL: Field =
    must("url", ADDRESS, "The address; one that must not be known is named by where it stands.");
const TOKEN: Field = may("token", Kind::Object(&SECRET), "What is sent along as a bearer token.");
const WAITS: Field =
    may("timeout", Kind::Time, "After how long it is given up, at most `300s`. Default `10s`.");

const ADDRESS: Kind = Kind::Either(&[Kind::Text, Kind::Object(&SECRET)]);

static SECRET: Shape = Shape {
    name: "a secret",
    doc: "Where a secret stands: in a variable of the environment or in a file, never in the job.",
    keys: &[
        may("env", Kind::Name, "The variable of the environment that holds it."),
        may("file", Kind::Text, "The file that holds it: relative to the workspace, or absolute."),
    ],
    rest: None,
};

pub(super) static LINEAGE: Shape = Shape {
    name: "`lineage`",
    doc: "Who hears which data a run read and wrote, as OpenLineage events: a `file` or a `url`.",
    keys: &[
        may("namespace", Kind::Text, "The namespace of the job and of its graph. Default `edgewright`."),
        may(
            "file",
            Kind::Text,
            "The file to whose end events are added, one a line: relative to the workspace, or absolute.",
        ),
        may("url", ADDRESS, "The address to which each event is sent."),
        TOKEN,
        WAITS,
    ],
    rest: None,
};

/// What a job tells others.
pub(super) fn outputs(root: &Node, problems: &mut Problems<'_>) -> Outputs {
    Outputs {
        metrics: root.get("metrics").and_then(|node| metrics(node, problems)),
        alerts: root.get("alerts").map(|node| alerts(node, root, problems)),
        lineage: root.get("lineage").and_then(|node| lineage(node, problems)),
    }
}

fn metrics(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let file = node.get("file")?;
    let path = file.text()?;
    if !path.ends_with(".prom") || path.ends_with("/.prom") {
        let message = format!("the path `{path}` does not end in `.prom`");
        problems.error("config-value", file.at, message, "the node exporter reads files called `NAME.prom`");
    }
    Some(path.to_owned())
}

fn alerts(node: &Node, root: &Node, problems: &mut Problems<'_>) -> Alerts {
    let named = node.get("receivers");
    let receivers = named.map(Node::entries).unwrap_or_default().iter().filter_map(|(name, node)| {
        let form = match node.word("form") {
            Some("alertmanager") => Form::Alertmanager,
            _ => Form::Webhook,
        };
        Some((name.text.clone(), Receiver { form, target: target(node, problems)? }))
    });
    let receivers = receivers.collect();
    if let Some(named) = named.filter(|named| named.entries().is_empty()) {
        problems.error("config-value", named.at, "there is no receiver", "name one with its `url`");
    }
    let team = node.word("team").or_else(|| root.word("owner"));
    Alerts {
        team: team.unwrap_or("unknown").to_owned(),
        runbook: node.word("runbook").unwrap_or("docs/codes/").to_owned(),
        remind_after: node.word("remind_after").and_then(hours).unwrap_or(REMIND_AFTER),
        receivers,
    }
}

fn lineage(node: &Node, problems: &mut Problems<'_>) -> Option<Lineage> {
    let to = match (node.word("file"), node.get("url")) {
        (Some(file), None) => LineageTo::File(file.to_owned()),
        (None, Some(_)) => LineageTo::Address(target(node, problems)?),
        (file, _) => {
            let message = if file.is_some() { "events go to one place" } else { "events go nowhere" };
            problems.error("config-value", node.at, message, "write either `file` or `url`");
            return None;
        }
    };
    Some(Lineage { namespace: node.word("namespace").unwrap_or("edgewright").to_owned(), to })
}

/// An address with what must be known to write to it; `None` if there is none, which was reported.
fn target(node: &Node, problems: &mut Problems<'_>) -> Option<Target> {
    let url = node.get("url")?;
    let address = match url.text() {
        Some(text) => Address::Plain(address(text, url, problems)?),
        None => Address::Secret(secret(url, problems)?),
    };
    let token = node.get("token").and_then(|token| secret(token, problems));
    let timeout = node.word("timeout").and_then(milliseconds).unwrap_or(TIMEOUT);
    if let Some(written) = node.get("timeout").filter(|_| timeout > LONGEST || timeout == 0) {
        let message = "a receiver is given between a moment and `300s`";
        problems.error("config-value", written.at, message, "a run waits for it; `10s` is plenty");
    }
    Some(Target { url: address, token, timeout })
}

/// An address as written, without a password in it.
fn address(text: &str, node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let Some(host) = host.filter(|host| !host.is_empty()) else {
        let message = format!("`{text}` is no address");
        problems.error("config-value", node.at, message, "write one such as `https://alerts.example/hook`");
        return None;
    };
    if host.contains('@') {
        let hint =
            "write `url: { env: NAME }` or `url: { file: PATH }`, and let the variable or file hold it";
        problems.error("config-value", node.at, "an address with a password stands in the file", hint);
        return None;
    }
    Some(text.to_owned())
}

fn secret(node: &Node, problems: &mut Problems<'_>) -> Option<Secret> {
    match (node.word("env"), node.word("file")) {
        (Some(name), None) => Some(Secret::Variable(name.to_owned())),
        (None, Some(path)) => Some(Secret::File(path.to_owned())),
        _ => {
            let message = "a secret stands in one place";
            problems.error("config-value", node.at, message, "write either `env: NAME` or `file: PATH`");
            None
        }
    }
}
