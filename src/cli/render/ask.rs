//! Answers of `ask` as text: a sentence, the nodes, then the edges by number with what says so.

use super::{Page, count};
use crate::serve::ask::{
    AlternativesView, AskEdge, CompareView, ComplementView, ComponentsView, CountView, CutView, EdgesView,
    Head, Instead, LossRow, MeasureView, NodeCard, NodeView, NodesView, PathView, ReachView, RiskView,
    SubgraphView, WithoutView,
};
use crate::serve::{Endpoint, State};

/// How many names of a list stand on one line.
const NAMED: usize = 12;

fn begin(head: &Head, says: &str) -> Page {
    let mut page = Page::default();
    page.line(0, says);
    if head.as_of.is_some() {
        page.line(0, format!("as of {}", head.day));
    }
    page
}

fn end(mut page: Page, edges: &[AskEdge], cuts: &[&Option<CutView>]) -> String {
    if !edges.is_empty() {
        page.gap();
        page.line(0, "edges");
        let width = edges.len().to_string().len();
        edges.iter().for_each(|one| edge(&mut page, width, one));
    }
    for cut in cuts.iter().filter_map(|cut| cut.as_ref()) {
        page.gap();
        page.line(0, format!("cut: {}", cut.says));
    }
    page.done()
}

fn edge(page: &mut Page, width: usize, edge: &AskEdge) {
    let says = format!("{} {} {}", edge.subject.name, edge.edge_type, edge.object.name);
    page.line(1, format!("{:>width$}  {says}; {}; fact {}", edge.number, days(edge), edge.fact));
    for proof in &edge.evidence {
        let from = match (&proof.feed, &proof.row) {
            (Some(feed), Some(row)) => format!("feed {feed}, row {row}, {}", proof.at.in_file(&proof.path)),
            _ => proof.at.in_file(&proof.path),
        };
        page.line(2, format!("{:width$}{from}: »{}«", "", proof.quote));
    }
    if edge.more_evidence > 0 && !edge.evidence.is_empty() {
        let more = count(edge.more_evidence as u64, "attestation");
        page.line(2, format!("{:width$}and {more} more", ""));
    }
}

fn days(edge: &AskEdge) -> String {
    let begins = match edge.valid_from {
        None => "start unknown".to_owned(),
        Some(from) if edge.state == State::Future => format!("from {from}"),
        Some(from) => format!("since {from}"),
    };
    match edge.valid_to {
        None => begins,
        Some(to) if edge.end_unknown => format!("{begins}, ended on an unknown day before {to}"),
        Some(to) => format!("{begins} {}", super::days::until(to)),
    }
}

/// `Name  (Type:key)`.
fn named(name: &str, key: &str) -> String {
    format!("{name}  ({key})")
}

/// The path of a node as the numbers of its edges.
fn by(path: &[usize]) -> String {
    let numbers: Vec<String> = path.iter().map(ToString::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!("  by {}", numbers.join(", ")) }
}

fn names(list: &[Endpoint]) -> String {
    let shown: Vec<&str> = list.iter().take(NAMED).map(|one| one.name.as_str()).collect();
    let more = if list.len() > NAMED { format!(" and {} more", list.len() - NAMED) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Nodes with their properties.
pub(in crate::cli) fn nodes(view: &NodesView) -> String {
    let mut page = begin(&view.head, &view.says);
    for node in &view.nodes {
        page.line(1, named(&node.name, &node.key));
        let properties: Vec<String> =
            node.properties.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        if !properties.is_empty() {
            page.line(2, properties.join("; "));
        }
    }
    end(page, &[], &[])
}

/// One node.
pub(in crate::cli) fn node(view: &NodeCard) -> String {
    let name = view.names.first().unwrap_or(&view.key);
    let mut page = begin(&view.head, &named(name, &view.key));
    if let Some(asked) = &view.merged_from {
        page.line(1, format!("{asked} was merged into it"));
    }
    if view.tombstoned {
        page.line(1, "tombstoned: no source holds it any more");
    }
    if view.names.len() > 1 {
        page.line(1, format!("also called: {}", view.names[1..].join(", ")));
    }
    for (name, value) in &view.properties {
        page.line(1, format!("{name}: {value}"));
    }
    if !view.sources.is_empty() {
        page.line(1, format!("known from: {}", view.sources.join("; ")));
    }
    page.gap();
    if view.degrees.is_empty() {
        page.line(0, format!("no edge of it holds on {}", view.head.day));
    }
    for degree in &view.degrees {
        let edges = count(degree.edges as u64, "edge");
        page.line(0, format!("{}:{}  {edges}", degree.direction, degree.edge_type));
    }
    page.done()
}

/// Edges by date.
pub(in crate::cli) fn edges(view: &EdgesView) -> String {
    end(begin(&view.head, &view.says), &view.edges, &[&view.cut])
}

/// Numbers of edges.
pub(in crate::cli) fn counts(view: &CountView) -> String {
    let mut page = begin(&view.head, &view.says);
    for (name, number) in &view.by_type {
        page.line(1, format!("{name}  {number}"));
    }
    if !view.having.is_empty() {
        page.gap();
    }
    let asked: usize = view.having.iter().map(|one| one.nodes).sum();
    for one in &view.having {
        let parts: Vec<String> = one.by.iter().map(|(value, number)| format!("{value} {number}")).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        page.line(0, format!("{} of {asked} have {}{parts}", one.nodes, count(one.count as u64, "edge")));
    }
    for row in &view.rows {
        page.line(1, format!("{}  {}{}", row.count, named(&row.name, &row.key), by(&row.edges)));
    }
    end(page, &view.edges, &[])
}

/// Nodes by hops.
fn by_hops(page: &mut Page, nodes: &[NodeView]) {
    let mut hops = None;
    for node in nodes {
        if hops != Some(node.hops) {
            page.gap();
            page.line(0, if node.hops == 0 { "from".to_owned() } else { count(node.hops as u64, "hop") });
            hops = Some(node.hops);
        }
        page.line(1, format!("{}{}", named(&node.name, &node.key), by(&node.path)));
    }
}

/// A part of the graph.
pub(in crate::cli) fn subgraph(view: &SubgraphView) -> String {
    let mut page = begin(&view.head, &view.says);
    by_hops(&mut page, &view.nodes);
    end(page, &view.edges, &[&view.cut])
}

/// A path.
pub(in crate::cli) fn path(view: &PathView) -> String {
    let mut page = begin(&view.head, &view.says);
    if view.hops.is_some_and(|hops| hops > 0) {
        page.gap();
        page.line(1, named(&view.from.name, &view.from.key));
        for step in &view.steps {
            let arrow = if step.direction == "out" {
                format!("–{}→", step.edge_type)
            } else {
                format!("←{}–", step.edge_type)
            };
            page.line(1, format!("{arrow} {}  by {}", named(&step.to.name, &step.to.key), step.edge));
        }
    }
    end(page, &view.edges, &[&view.cut])
}

/// What nodes reach.
pub(in crate::cli) fn reach(view: &ReachView) -> String {
    let mut page = begin(&view.head, &view.says);
    for row in &view.rows {
        page.line(1, format!("{}  {}", row.count, named(&row.name, &row.key)));
        for node in &row.reached {
            page.line(2, format!("{}{}", named(&node.name, &node.key), by(&node.path)));
        }
    }
    end(page, &view.edges, &[&view.cut])
}

/// Two nodes side by side.
pub(in crate::cli) fn compare(view: &CompareView) -> String {
    let mut page = begin(&view.head, &view.says);
    for row in &view.types {
        page.gap();
        page.line(0, format!("{}: {} and {}", row.entity_type, row.left, row.right));
        let only = [(&view.left.name, &row.only_left), (&view.right.name, &row.only_right)];
        if !row.shared.is_empty() {
            page.line(1, format!("both: {}", names(&row.shared)));
        }
        for (of, list) in only.into_iter().filter(|(_, list)| !list.is_empty()) {
            page.line(1, format!("only {of}: {}", names(list)));
        }
    }
    for (root, nodes) in [(&view.left, &view.left_nodes), (&view.right, &view.right_nodes)] {
        if !nodes.is_empty() {
            page.gap();
            page.line(0, format!("from {}", named(&root.name, &root.key)));
        }
        for node in nodes {
            page.line(1, format!("{}{}", named(&node.name, &node.key), by(&node.path)));
        }
    }
    end(page, &view.edges, &[&view.left_cut, &view.right_cut])
}

/// What is left of a set.
pub(in crate::cli) fn complement(view: &ComplementView) -> String {
    let mut page = begin(&view.head, &view.says);
    for node in &view.nodes {
        page.line(1, named(&node.name, &node.key));
    }
    if !view.taken.is_empty() {
        page.gap();
        page.line(0, "taken away");
    }
    for node in &view.taken {
        page.line(1, format!("{}{}", named(&node.name, &node.key), by(&node.path)));
    }
    end(page, &view.edges, &[&view.cut])
}

/// What is lost without some nodes.
pub(in crate::cli) fn without(view: &WithoutView) -> String {
    let mut page = begin(&view.head, &view.says);
    let mut list = |title: &str, rows: &[LossRow]| {
        if !rows.is_empty() {
            page.gap();
            page.line(0, title);
        }
        for row in rows {
            let loses = format!("loses {} of {}", row.loses, count(row.of as u64, "edge"));
            page.line(
                1,
                format!(
                    "{}; {}, {loses}{}",
                    named(&row.name, &row.key),
                    count(row.hops as u64, "hop"),
                    by(&row.path)
                ),
            );
        }
    };
    list("lost", &view.lost);
    list("weakened", &view.weakened);
    end(page, &view.edges, &[&view.cut])
}

/// Who else could stand in a place.
pub(in crate::cli) fn alternatives(view: &AlternativesView) -> String {
    let mut page = begin(&view.head, &view.says);
    let mut list = |title: &str, rows: &[Instead]| {
        if !rows.is_empty() {
            page.gap();
            page.line(0, title);
        }
        for row in rows {
            page.line(1, format!("{}{}", named(&row.name, &row.key), by(&row.edges)));
        }
    };
    list("there now", &view.present);
    list("others", &view.others);
    if !view.alike.is_empty() {
        page.gap();
        page.line(0, format!("alike: {}", names(&view.alike)));
    }
    end(page, &view.edges, &[])
}

/// Scores with what they are made of.
pub(in crate::cli) fn risk(view: &RiskView) -> String {
    let mut page = begin(&view.head, &view.says);
    for row in &view.scores {
        page.line(1, format!("{}  {}", row.score, named(&row.name, &row.key)));
        for one in &row.arrivals {
            let paths = count(one.paths, "path");
            let terms = format!("{} × {} × {paths}", one.weight, one.decay);
            let hops = count(one.hops as u64, "hop");
            page.line(2, format!("{} = {terms}: {} ({}), {hops}", one.score, one.source.name, one.value));
            one.by.iter().for_each(|path| page.line(3, by(path).trim_start()));
        }
    }
    if !view.unweighted.is_empty() {
        page.gap();
        page.line(0, format!("without a weight: {}", names(&view.unweighted)));
    }
    end(page, &view.edges, &[&view.cut])
}

/// Nodes by a measure.
pub(in crate::cli) fn measure(view: &MeasureView) -> String {
    let mut page = begin(&view.head, &view.says);
    for row in &view.rows {
        let edges = count(row.of as u64, "edge");
        page.line(1, format!("{}  {}; {edges}{}", row.score, named(&row.name, &row.key), by(&row.edges)));
    }
    if view.of > view.rows.len() {
        page.line(1, format!("and {} more (`--top` lists more)", view.of - view.rows.len()));
    }
    end(page, &view.edges, &[&view.cut])
}

/// The pieces of the graph.
pub(in crate::cli) fn components(view: &ComponentsView) -> String {
    let mut page = begin(&view.head, &view.says);
    if !view.without.is_empty() {
        page.line(0, format!("without {}", names(&view.without)));
    }
    for piece in &view.components {
        let types: Vec<String> =
            piece.types.iter().map(|(name, number)| format!("{number} {name}")).collect();
        page.line(1, format!("{}: {}", count(piece.size as u64, "node"), types.join(", ")));
        page.line(2, names(&piece.nodes));
        if piece.nodes.len() < piece.size {
            page.line(2, format!("{} are not listed (`--nodes` lists more)", piece.size - piece.nodes.len()));
        }
    }
    end(page, &[], &[&view.cut])
}
