//! Golden sets: what a job declares of one, and the file that says how its table is read.

use std::collections::BTreeMap;

use super::job::below;
use super::source::values;
use super::{Loaded, Written, feed, format, keys};
use crate::diag::Diagnostic;
use crate::model::golden::{Floor, Floors, Golden, GoldenMap, Judged, JudgedSide, MappedEdge};
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::{self, Kind, share};
use crate::ontology::file::yaml::{self, At, Node, Sheet};

/// The golden set that a job declares.
pub(super) fn declared(root: &Node, problems: &mut Problems<'_>) -> Option<Golden> {
    let node = root.get("golden")?;
    let floors = node.get("floors");
    let each = floors.and_then(|floors| floors.get("types")).map(Node::entries).unwrap_or_default();
    Some(Golden {
        file: below(node.get("file")?, problems),
        map: node.get("map").map(|map| below(map, problems)),
        floors: Floors {
            all: floors.map(floor).unwrap_or_default(),
            each: each.iter().map(|(name, node)| (name.text.clone(), floor(node))).collect(),
        },
    })
}

fn floor(node: &Node) -> Floor {
    let least = |key| node.word(key).and_then(share);
    Floor {
        precision: least("precision"),
        recall: least("recall"),
        f1: least("f1"),
        valid_from: least("valid_from"),
        valid_to: least("valid_to"),
    }
}

/// The map of a golden file, and everything that is wrong with it. `table` is the name of the file that it is of,
/// which may tell the delimiter; without a map the columns are those of an edge.
pub fn golden_map(written: Option<&Written>, table: &str, loaded: &Loaded) -> (GoldenMap, Vec<Diagnostic>) {
    let nothing = Written { file: table.to_owned(), text: String::new() };
    let written = written.unwrap_or(&nothing);
    let sheet = Sheet::new(written);
    let (root, mut found) = yaml::read(written, &sheet);
    let Some(root) = root else { return (GoldenMap::default(), found) };
    let mut problems = Problems::new(&sheet);
    problems.found = shape::check(&sheet, &root, Kind::Object(&keys::GOLDEN_MAP), "the file", At::FILE);
    let map = map(&root, table, loaded, &mut problems);
    found.append(&mut problems.found);
    found.sort();
    (map, found)
}

fn map(root: &Node, table: &str, loaded: &Loaded, problems: &mut Problems<'_>) -> GoldenMap {
    let word = |key| root.word(key).map(str::to_owned);
    let edges = root.list("edges").iter().filter_map(|entry| mapped(entry, loaded, problems)).collect();
    let groups = root.get("together").map(Node::entries).unwrap_or_default();
    let mut together = BTreeMap::new();
    for (name, types) in groups {
        if is_edge(loaded, &name.text) {
            let message = format!("the group `{}` is called like an edge type", name.text);
            problems.error("config-duplicate-name", name.at, message, "give it a name of its own");
        }
        together.insert(name.text.clone(), edge_types(types, loaded, problems));
    }
    if let Some((key, _)) = root.entry("type").filter(|_| root.get("edges").is_some()) {
        let hint = "leave one of the two out";
        problems.error("config-value", key.at, "`type` and `edges` both say what a row is", hint);
    }
    GoldenMap {
        format: format::text(root, table, problems),
        subject: word("subject"),
        object: word("object"),
        edge_type: word("type"),
        valid_from: word("valid_from"),
        valid_to: word("valid_to"),
        dates: feed::dates(root, problems),
        either_end: root.get("dates").and_then(|dates| dates.word("ends")) == Some("either"),
        edges,
        asked: values(root.get("asked")),
        judged: root.get("judged").map(|node| judged(node, loaded, problems)).unwrap_or_default(),
        together,
    }
}

fn mapped(entry: &Node, loaded: &Loaded, problems: &mut Problems<'_>) -> Option<MappedEdge> {
    let types = edge_types(entry.get("edge")?, loaded, problems);
    (!types.is_empty()).then(|| MappedEdge { types, only: values(entry.get("where")) })
}

fn is_edge(loaded: &Loaded, name: &str) -> bool {
    loaded.ontologies.values().any(|ontology| ontology.edges.contains_key(name))
}

/// Edge types, each of which an ontology has.
fn edge_types(node: &Node, loaded: &Loaded, problems: &mut Problems<'_>) -> Vec<String> {
    for item in node.items() {
        let Some(name) = item.text() else { continue };
        let known = loaded.ontologies.values().flat_map(|ontology| ontology.edges.keys());
        problems.known(item.at, "edge type", name, known.map(String::as_str));
    }
    if node.items().is_empty() {
        problems.error("config-value", node.at, "no edge type is named", "name at least one");
    }
    problems.once(Some(node), "edge type")
}

fn judged(node: &Node, loaded: &Loaded, problems: &mut Problems<'_>) -> Judged {
    let feeds = || loaded.jobs.iter().flat_map(|job| job.feeds.values());
    if let Some((at, name)) = node.get("feed").and_then(|feed| Some((feed.at, feed.text()?))) {
        let known = problems.known(at, "feed", name, feeds().map(|feed| feed.name.as_str()));
        if known && feeds().any(|feed| feed.name == name && feed.entity.is_none()) {
            let message = format!("the feed `{name}` makes no entities");
            problems.error("config-value", at, message, "name a feed with `entity`");
        }
    } else if let Some((key, _)) = node.entry("where") {
        let message = "`where` selects rows of a feed, and no feed is named";
        problems.error("config-missing-key", key.at, message, "add `feed: …`");
    }
    Judged {
        side: if node.word("side") == Some("object") { JudgedSide::Object } else { JudgedSide::Subject },
        feed: node.word("feed").map(str::to_owned),
        only: values(node.get("where")),
    }
}
