//! What a job tells others of its runs: metrics, alerts and lineage, as meant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What a job tells others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outputs {
    /// The file of metrics, as a path from the workspace or an absolute one.
    pub metrics: Option<String>,
    /// Who is alerted.
    pub alerts: Option<Alerts>,
    /// Who hears which data a run read and wrote.
    pub lineage: Option<Lineage>,
}

/// Who is alerted, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alerts {
    /// Who answers for what is wrong.
    pub team: String,
    /// What stands before the code and `.md` of a page of the runbook.
    pub runbook: String,
    /// After how many hours an alert that still stands is told again.
    pub remind_after: u32,
    /// Where alerts go, by name.
    pub receivers: BTreeMap<String, Receiver>,
}

/// Where alerts go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    /// In which form.
    pub form: Form,
    /// To which address.
    pub target: Target,
}

/// In which form alerts are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// As Alertmanager sends them to its receivers (version 4).
    #[default]
    Webhook,
    /// As Alertmanager itself receives them (`/api/v2/alerts`).
    Alertmanager,
}

/// An address on the network, and what must be known to write to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The address.
    pub url: Address,
    /// What is sent along as a bearer token.
    pub token: Option<Secret>,
    /// After how many milliseconds it is given up.
    pub timeout: u64,
}

/// An address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// As it is written.
    Plain(String),
    /// One that must not be known.
    Secret(Secret),
}

/// Where a secret stands. The secret itself is never part of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secret {
    /// In a variable of the environment.
    Variable(String),
    /// In a file, as a path from the workspace or an absolute one.
    File(String),
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "the variable `{name}`"),
            Self::File(path) => write!(f, "the file `{path}`"),
        }
    }
}

/// Who hears which data a run read and wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    /// The namespace of the job and of the graph.
    pub namespace: String,
    /// Where the events go.
    pub to: LineageTo,
}

/// Where lineage events go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineageTo {
    /// To the end of a file, as a path from the workspace or an absolute one.
    File(String),
    /// To an address.
    Address(Target),
}

impl Outputs {
    /// The variables in which secrets stand.
    pub fn variables(&self) -> BTreeSet<&str> {
        let receivers = self.alerts.iter().flat_map(|alerts| alerts.receivers.values());
        let lineage = self.lineage.iter().filter_map(|lineage| match &lineage.to {
            LineageTo::Address(target) => Some(target),
            LineageTo::File(_) => None,
        });
        let targets = receivers.map(|receiver| &receiver.target).chain(lineage);
        let secrets = targets.flat_map(|target| {
            let url = match &target.url {
                Address::Secret(secret) => Some(secret),
                Address::Plain(_) => None,
            };
            url.into_iter().chain(&target.token)
        });
        let names = secrets.filter_map(|secret| match secret {
            Secret::Variable(name) => Some(name.as_str()),
            Secret::File(_) => None,
        });
        names.collect()
    }
}
