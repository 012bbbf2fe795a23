//! The quarantine as a list of questions, those first whose answer settles most.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::ask::{Pass, edge_passes};
use super::waiting::{WaitingView, gone, waiting};
use super::{Error, Graph, VERSION};
use crate::model::assertion::Assertion;
use crate::model::fact::{Quarantined, Reason};

/// Which part of the quarantine is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only assertions with this reason.
    pub reason: Option<String>,
    /// Only assertions of this edge type.
    pub edge_type: Option<String>,
    /// At most so many assertions.
    pub limit: Option<usize>,
}

/// The quarantine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuarantineView {
    /// The version of this form.
    pub version: u32,
    /// How many assertions match, listed or not.
    pub assertions: usize,
    /// The questions, those first that settle most, and last what waits because an entity is gone.
    pub questions: Vec<Question>,
}

/// A question that settles one or more assertions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Question {
    /// What it is about: `unknown`, `gone` (an entity that was removed, or that no source holds any more),
    /// `ambiguous`, `conflict` or `fact`.
    pub about: String,
    /// The question in words.
    pub text: String,
    /// How many assertions it settles, listed or not.
    pub settles: usize,
    /// The assertions, by place.
    pub assertions: Vec<WaitingView>,
}

/// What a question is about: its order is the order in which equals are listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    Unknown(String),
    Ambiguous(String),
    Conflict(String, String),
    Fact(String),
    Gone(String),
}

/// The quarantine as the reader sees it.
pub fn quarantine(graph: &Graph<'_>, wanted: &Wanted) -> Result<QuarantineView, Error> {
    let waiting_ones = matching(graph, wanted)?;
    let mut weight: BTreeMap<About, usize> = BTreeMap::new();
    let mut posed = Vec::new();
    for (assertion, quarantined) in &waiting_ones {
        let questions = questions_of(graph, assertion, quarantined)?;
        for about in &questions {
            *weight.entry(about.clone()).or_default() += 1;
        }
        posed.push(questions);
    }
    let total = waiting_ones.len();
    let mut groups: BTreeMap<About, Vec<(Assertion, Quarantined)>> = BTreeMap::new();
    for ((assertion, quarantined), questions) in waiting_ones.into_iter().zip(posed) {
        // An assertion with two reasons stands under the question that settles more.
        let best = questions
            .into_iter()
            .min_by_key(|about| (std::cmp::Reverse(weight.get(about).copied()), about.clone()))
            .unwrap_or_else(|| About::Fact(assertion.id.to_string()));
        groups.entry(best).or_default().push((assertion, quarantined));
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    // Of who is gone nobody asks anything: it is told last.
    let is_gone = |about: &About| matches!(about, About::Gone(_));
    groups.sort_by_key(|(about, members)| (is_gone(about), std::cmp::Reverse(members.len()), about.clone()));
    let mut questions = Vec::new();
    let mut left = wanted.limit.unwrap_or(usize::MAX);
    for (about, members) in groups {
        if left == 0 {
            break;
        }
        let question = question(graph, &about, &members, left)?;
        left -= question.assertions.len();
        questions.push(question);
    }
    Ok(QuarantineView { version: VERSION, assertions: total, questions })
}

/// The quarantined assertions that are asked for and that the reader sees.
fn matching(graph: &Graph<'_>, wanted: &Wanted) -> Result<Vec<(Assertion, Quarantined)>, Error> {
    let passes = wanted.edge_type.as_ref().map(|name| edge_passes(graph, name)).transpose()?;
    let of = |pass: &Pass, name: &str| pass.edge_type.as_ref().is_none_or(|wanted| wanted == name);
    let mut found = Vec::new();
    graph.view().each(|quarantined: Quarantined| {
        let reason = |code: &String| quarantined.reasons.iter().any(|reason| reason.code() == code);
        if !wanted.reason.as_ref().is_none_or(reason) {
            return Ok(());
        }
        let Some(assertion) = graph.assertion(&quarantined.assertion)? else { return Ok(()) };
        let typed =
            passes.as_ref().is_none_or(|passes| passes.iter().any(|pass| of(pass, &assertion.edge_type)));
        if typed && graph.sees(&assertion)? {
            found.push((assertion, quarantined));
        }
        Ok::<(), Error>(())
    })?;
    Ok(found)
}

fn questions_of(
    graph: &Graph<'_>,
    assertion: &Assertion,
    quarantined: &Quarantined,
) -> Result<Vec<About>, Error> {
    let own = assertion.fact.map_or_else(|| assertion.id.to_string(), |fact| fact.to_string());
    let mut found: Vec<About> = Vec::new();
    for reason in &quarantined.reasons {
        match reason {
            Reason::EndpointUnknown { surface } => found.push(match gone(graph, assertion, surface)? {
                Some(gone) => About::Gone(gone.key.to_string()),
                None => About::Unknown(surface.clone()),
            }),
            Reason::EndpointAmbiguous { surface } => found.push(About::Ambiguous(surface.clone())),
            Reason::Conflict { with } | Reason::ContradictsMaster { with: Some(with) } => {
                let with = with.to_string();
                let (first, second) = if own < with { (own.clone(), with) } else { (with, own.clone()) };
                found.push(About::Conflict(first, second));
            }
            _ => {}
        }
    }
    if found.is_empty() {
        found.push(About::Fact(own));
    }
    Ok(found)
}

fn question(
    graph: &Graph<'_>,
    about: &About,
    members: &[(Assertion, Quarantined)],
    limit: usize,
) -> Result<Question, Error> {
    let mut assertions = Vec::new();
    for (assertion, quarantined) in members {
        assertions.push(waiting(graph, assertion, quarantined)?);
    }
    assertions.sort_by(|a, b| (&a.path, &a.at, &a.question).cmp(&(&b.path, &b.at, &b.question)));
    let says = assertions.first().map(|one| one.says.clone()).unwrap_or_default();
    let reason = |code: &str| {
        let all = assertions.iter().flat_map(|one| &one.reasons);
        all.filter(|reason| reason.code == code).map(|reason| reason.text.clone()).next()
    };
    let (name, text) = match about {
        About::Unknown(surface) => ("unknown", format!("who is \"{surface}\"?")),
        About::Ambiguous(surface) => (
            "ambiguous",
            match reason("endpoint-ambiguous") {
                Some(text) => format!("which one is meant? {text}"),
                None => format!("who is \"{surface}\"?"),
            },
        ),
        About::Conflict(..) => (
            "conflict",
            match reason("conflict").or_else(|| reason("contradicts-master")) {
                Some(text) => format!("{says}? {text}"),
                None => format!("{says}?"),
            },
        ),
        About::Fact(_) => ("fact", format!("{says}?")),
        About::Gone(key) => {
            let what = reason("endpoint-unknown").unwrap_or_else(|| format!("{key} is gone"));
            ("gone", format!("{what}; what is still said of it waits"))
        }
    };
    let settles = assertions.len();
    assertions.truncate(limit);
    Ok(Question { about: name.to_owned(), text, settles, assertions })
}
