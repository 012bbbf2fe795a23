//! Programs of the user's: what a rule or a source says of the one that it calls.

use super::problems::Problems;
use super::rule::{Names, pattern};
use super::shape::{bytes, milliseconds};
use super::yaml::Node;
use crate::model::job::{Limits, Program};
use crate::ontology::{External, RuleKind};

/// The program of a map with `command`, `version` and `environment`.
pub fn program(node: &Node, problems: &mut Problems<'_>) -> Option<Program> {
    let texts = |key: &str| node.list(key).iter().filter_map(Node::text).map(str::to_owned).collect();
    let environment = node.get("environment").map(Node::entries).unwrap_or_default();
    let command: Vec<String> = texts("command");
    if let Some(first) = command.first().filter(|program| program.starts_with("..")) {
        let message = format!("the program `{first}` leads out of the workspace");
        let hint = "write its whole path, or one below the workspace";
        problems.error("config-value", node.at, message, hint);
    }
    Some(Program {
        version: node.word("version")?.to_owned(),
        environment: environment
            .iter()
            .filter_map(|(name, value)| Some((name.text.clone(), value.text()?.to_owned())))
            .collect(),
        command: Some(command).filter(|command| !command.is_empty())?,
    })
}

/// What `external` says.
pub(super) fn external(value: &Node, names: &Names<'_>, problems: &mut Problems<'_>) -> Option<RuleKind> {
    for edge in value.list("edges") {
        let Some(name) = edge.text() else { continue };
        problems.known(edge.at, "edge type", name, names.edges.keys().map(String::as_str));
    }
    let words = value.get("words").and_then(|words| {
        let pattern = pattern(words, names, problems)?;
        if pattern.anchors().is_empty() {
            let message = "no chunk lacks the words of this pattern: none of its parts needs one";
            let hint = "write the words of which a chunk must hold one, such as `(supply~|deliver~)`";
            problems.error("config-value", words.at, message, hint);
        }
        Some(pattern)
    });
    let default = Limits::default();
    let limit = |key| value.get("limits").and_then(|limits| limits.word(key));
    let limits = Limits {
        time: limit("time").and_then(milliseconds).unwrap_or(default.time),
        memory: limit("memory").and_then(bytes).unwrap_or(default.memory),
        ..default
    };
    Some(RuleKind::External(External {
        program: program(value, problems)?,
        edges: problems.once(value.get("edges"), "edge type"),
        words,
        fields: problems.once(value.get("fields"), "field"),
        limits,
    }))
}
