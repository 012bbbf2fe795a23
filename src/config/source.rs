//! Sources: from the checked tree of a job file to what they mean.

use std::collections::BTreeMap;

use super::job::{Scope, path};
use crate::model::job::{DateOrder, Edits, Gone, Limits, Parser, Register, Source, StandsFor};
use crate::ontology::EntityType;
use crate::ontology::file::external::program;
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::{bytes, hours, milliseconds, number};
use crate::ontology::file::types::{labels, template};
use crate::ontology::file::yaml::{Key, Node};

/// The files that a source reads where nothing else is said.
const EVERYTHING: &str = "**/*";
/// The largest file that is read where nothing else is said.
const MAX_BYTES: u64 = 64 << 20;

/// A source.
pub(super) fn source(name: &Key, node: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Source {
    let register = register(node, scope, problems);
    let only = values(node.get("only"));
    if let Some((key, _)) = node.entry("only").filter(|_| register.is_none()) {
        let message = "`only` selects documents by columns of the register, and there is no register";
        problems.error("config-missing-key", key.at, message, "add `register: { feed: …, on: … }`");
    }
    let include = globs(node, "include", problems);
    Source {
        name: name.text.clone(),
        path: path(node, problems),
        include: if include.is_empty() { vec![EVERYTHING.to_owned()] } else { include },
        exclude: globs(node, "exclude", problems),
        access: labels(node),
        documents: node
            .list("documents")
            .iter()
            .filter_map(|item| stands_for(item, scope, problems))
            .collect(),
        register,
        only,
        withdrawn: values(node.get("withdrawn")),
        effective: node.word("effective").map(str::to_owned),
        edits: if node.word("edits") == Some("amend") { Edits::Amend } else { Edits::Correct },
        gone: gone(node),
        date_order: node.word("date_order").and_then(|word| match word {
            "day first" => Some(DateOrder::DayFirst),
            "month first" => Some(DateOrder::MonthFirst),
            _ => None,
        }),
        max_bytes: node.word("max_size").and_then(bytes).unwrap_or(MAX_BYTES),
        limits: limits(node),
        parser: parser(node, problems),
        fresh_within: fresh_within(node),
        withdrawn_within: expected(node, "withdrawn_within"),
    }
}

/// What `parser` says.
fn parser(node: &Node, problems: &mut Problems<'_>) -> Option<Parser> {
    let parser = node.get("parser")?;
    let globs = globs(parser, "for", problems);
    Some(Parser { program: program(parser, problems)?, globs })
}

/// What `limits` says.
fn limits(node: &Node) -> Limits {
    let default = Limits::default();
    let Some(limits) = node.get("limits") else { return default };
    Limits {
        time: limits.word("time").and_then(milliseconds).unwrap_or(default.time),
        memory: limits.word("memory").and_then(bytes).unwrap_or(default.memory),
        pages: limits.word("pages").and_then(number).unwrap_or(default.pages),
        characters: limits.word("characters").and_then(number).unwrap_or(default.characters),
    }
}

/// How many hours `expect` lets a source or feed stay as it is.
pub(super) fn fresh_within(node: &Node) -> Option<u32> {
    expected(node, "fresh_within")
}

fn expected(node: &Node, what: &str) -> Option<u32> {
    node.get("expect").and_then(|expect| expect.word(what)).and_then(hours)
}

/// What `gone` says.
pub(super) fn gone(node: &Node) -> Gone {
    let Some(gone) = node.get("gone") else { return Gone::Retract };
    match gone.text() {
        Some("keep") => Gone::Keep,
        Some("expire") => Gone::Expire { date: None },
        Some(_) => Gone::Retract,
        None => Gone::Expire { date: gone.word("expire").map(str::to_owned) },
    }
}

/// Columns, each with the values that select.
pub(super) fn values(node: Option<&Node>) -> BTreeMap<String, Vec<String>> {
    let texts = |node: &Node| node.items().iter().filter_map(Node::text).map(str::to_owned).collect();
    let entries = node.map(Node::entries).unwrap_or_default();
    entries.iter().map(|(column, values)| (column.text.clone(), texts(values))).collect()
}

fn register(node: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Option<Register> {
    let register = node.get("register")?;
    let feed = register.get("feed")?;
    problems.known(feed.at, "feed {} in this job", feed.text()?, scope.feeds.iter().map(String::as_str));
    Some(Register {
        feed: feed.text()?.to_owned(),
        on: register.word("on")?.to_owned(),
        key: register.word("key").map(str::to_owned),
    })
}

fn globs(node: &Node, key: &str, problems: &mut Problems<'_>) -> Vec<String> {
    for item in node.list(key) {
        let Some(glob) = item.text() else { continue };
        if let Some((message, hint)) = wrong_glob(glob) {
            problems.error("config-value", item.at, message, hint);
        }
    }
    problems.once(node.get(key), "glob")
}

fn wrong_glob(glob: &str) -> Option<(String, String)> {
    if glob.starts_with('!') {
        let hint = "list what is left out under `exclude`, without the `!`";
        return Some((format!("`{glob}` begins with `!`"), hint.to_owned()));
    }
    if glob.starts_with('/') || glob.contains('\\') {
        let hint = "write it relative to the source's folder, with `/`";
        return Some((format!("`{glob}` is not a relative glob"), hint.to_owned()));
    }
    let error = ignore::overrides::OverrideBuilder::new(".").add(glob).err()?;
    let why = error.to_string();
    let why = why.rsplit("': ").next().unwrap_or(&why).to_owned();
    Some((format!("`{glob}` is not a glob: {why}"), "a glob is written like `**/*.md`".to_owned()))
}

fn stands_for(node: &Node, scope: &Scope<'_>, problems: &mut Problems<'_>) -> Option<StandsFor> {
    let kind = node.get("self").and_then(|kind| Some((kind, kind.text()?)));
    let known = kind.and_then(|(kind, name)| scope.entity(kind.at, name, problems));
    let pattern = node.get("name")?;
    let slots = template(pattern, problems)?.slots();
    for item in node.list("key").iter().chain(node.list("document")) {
        let Some(slot) = item.text() else { continue };
        problems.known(item.at, "slot {} in this name", slot, slots.iter().map(String::as_str));
    }
    let written = problems.once(node.get("key"), "slot");
    if slots.is_empty() {
        let message = "the name has no slot, so nothing makes the key";
        problems.error("config-value", pattern.at, message, "mark the key in it, as in `{contract}_*.*`");
    } else if let Some(part) = missing_part(known, &slots).filter(|_| written.is_empty()) {
        let message = format!("the name has no slot for the part `{part}` of the key");
        problems.error(
            "config-value",
            pattern.at,
            message,
            format!("add `{{{part}}}`, or name the slots under `key`"),
        );
    }
    let key = match (written.is_empty(), known) {
        (false, _) => written,
        (true, Some(entity)) if !entity.key.is_empty() => entity.key.clone(),
        (true, _) => slots,
    };
    let document = problems.once(node.get("document"), "slot");
    Some(StandsFor { entity_type: kind?.1.to_owned(), name: pattern.text()?.to_owned(), key, document })
}

fn missing_part<'e>(entity: Option<&'e EntityType>, slots: &[String]) -> Option<&'e String> {
    entity?.key.iter().find(|part| !slots.contains(part))
}
