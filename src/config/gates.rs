//! The gates of a job: limits for all of its edge types, and for single ones.

use std::collections::BTreeMap;

use super::job::Scope;
use crate::model::gates::{Gate, Gates, Guard, Limit, Unit};
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::{OFF, count, share};
use crate::ontology::file::yaml::Node;

/// The gates of a job. Of its limits only those are in them that differ from what holds anyway.
pub(super) fn gates(root: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Gates {
    let Some(node) = root.get("gates") else { return Gates::default() };
    let all = limits(node, &|guard| guard.default_limit(), problems);
    let mut types = BTreeMap::new();
    for (name, node) in node.get("types").map(Node::entries).unwrap_or_default() {
        scope.edge(name.at, &name.text, problems);
        let base = |guard: Guard| all.get(&guard).copied().unwrap_or_else(|| guard.default_limit());
        types.insert(name.text.clone(), limits(node, &base, problems));
    }
    Gates { all, types }
}

/// The limits that are written in a node; what one leaves open is as in `base`.
fn limits(node: &Node, base: &dyn Fn(Guard) -> Limit, problems: &mut Problems<'_>) -> BTreeMap<Guard, Limit> {
    let for_all = node.word("gate").map(gate);
    let mut found = BTreeMap::new();
    for guard in Guard::ALL {
        let written = node.get(guard.key());
        if written.is_none() && for_all.is_none() {
            continue;
        }
        let base = base(guard);
        let level = |key: &str, base: Option<f64>| match written.and_then(|node| node.word(key)) {
            None => base,
            Some(OFF) => None,
            Some(text) => match guard.unit() {
                Unit::Share => share(text),
                Unit::Count => count(text).map(|count| count as f64),
            },
        };
        let own = written.and_then(|node| node.word("gate")).map(gate);
        let limit = Limit {
            warn: level("warn", base.warn),
            fail: level("fail", base.fail),
            gate: own.or(for_all).unwrap_or(base.gate),
        };
        if let (Some(node), Some(warn), Some(fail)) = (written, limit.warn, limit.fail)
            && fail < warn
        {
            let shown = |level: f64| match guard.unit() {
                Unit::Share => format!("{} %", level * 100.0),
                Unit::Count => level.to_string(),
            };
            let message =
                format!("`{}` would fail at {} before it warns at {}", guard.key(), shown(fail), shown(warn));
            let hint = "let `fail` be at least as large as `warn`, or set `warn: off`";
            problems.error("config-value", node.at, message, hint);
        }
        found.insert(guard, limit);
    }
    found
}

fn gate(word: &str) -> Gate {
    if word == "report" { Gate::Report } else { Gate::Block }
}
