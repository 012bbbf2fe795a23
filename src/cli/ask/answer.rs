//! From the arguments of a question to its answer: the nodes and edges that are meant, the ground on which they
//! are looked for, and the bounds.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::args::ReadArgs;
use super::super::failure::Failure;
use super::super::render;
use super::super::shell::Shell;
use super::args::{self, BoundArgs, CountBy, Few, Span, TellArgs, TrailArgs};
use super::{
    Alternatives, Compare, Complement, Components, Count, Edges, Measure, Nodes, OneNode, Path, Rank, Reach,
    Risk, Without,
};
use crate::serve::ask::{
    self, Bounds, Chosen, Counting, Ground, Node, OnDemand, RiskModel, Snapshot, Window,
};
use crate::serve::{Error, Graph, find};

/// That nothing has been published yet is said, whatever is asked.
fn not_empty(graph: &Graph<'_>) -> Result<(), Error> {
    if graph.is_empty() {
        return Err(Error::asked("the graph is empty", "`edgewright run` fills it"));
    }
    Ok(())
}

/// The nodes that a set of arguments chooses. A list that turned out empty is not "all".
fn chosen(
    shell: &Shell<'_>,
    graph: &Graph<'_>,
    snapshot: Option<&Snapshot>,
    words: &[String],
    conditions: &[ask::Condition],
) -> Result<Chosen, Failure> {
    let read = shell.words(words)?;
    if read.is_empty() && !words.is_empty() {
        return Ok(Chosen::default());
    }
    Ok(ask::choose(graph, snapshot, &read, conditions)?)
}

/// The ground for a question about a place: the whole graph where types or conditions are asked about, else
/// what the question comes to.
fn ground<'g>(graph: &'g Graph<'g>, snapshot: Option<&'g Snapshot>, fan: usize) -> Box<dyn Ground + 'g> {
    match snapshot {
        Some(snapshot) => Box::new(snapshot),
        None => Box::new(OnDemand::new(graph, fan)),
    }
}

/// One node by its name.
fn one(graph: &Graph<'_>, ground: &mut dyn Ground, name: &str) -> Result<Node, Failure> {
    let found = find(graph, name)?.entity;
    ground.number(&found).ok_or_else(|| {
        let message = format!("no source holds `{name}` and no edge of it holds on {}", graph.lens().day());
        Failure::from(Error::asked(message, "`edgewright show` tells what is known of it"))
    })
}

/// Writes the keys of nodes, one a line.
fn keys<'k>(shell: &mut Shell<'_>, keys: impl Iterator<Item = &'k str>) -> Result<(), Failure> {
    let mut text = String::new();
    for key in keys {
        text.push_str(key);
        text.push('\n');
    }
    Ok(shell.out.text(&text)?)
}

/// Writes an answer, or of an answer that is a set its keys; then a cut goes to the talk.
fn tell<V: Serialize>(shell: &mut Shell<'_>, view: &V, text: impl Fn(&V) -> String) -> Result<(), Failure> {
    Ok(shell.out.value(view, text)?)
}

pub(super) fn nodes(shell: &mut Shell<'_>, args: &Nodes) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let snapshot = Snapshot::of(&graph)?;
    let chosen = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let view = ask::nodes(&graph, &snapshot, &chosen, args.nodes);
    if args.keys {
        if view.of > view.nodes.len() {
            shell.out.complain(&format!("note: cut: {}", view.says))?;
        }
        return keys(shell, view.nodes.iter().map(|node| node.key.as_str()));
    }
    tell(shell, &view, render::ask::nodes)
}

pub(super) fn node(shell: &mut Shell<'_>, args: &OneNode) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    let found = find(&graph, &args.name)?;
    let view = ask::node(&mut OnDemand::new(&graph, usize::MAX), &graph, &found)?;
    tell(shell, &view, render::ask::node)
}

pub(super) fn edges(shell: &mut Shell<'_>, args: &Edges) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let words = shell.words(&args.set.of)?;
    let all = args.set.of.is_empty() && args.set.conditions.is_empty();
    let needs = args.set.needs_all(&graph, &words) && !all;
    let snapshot = if needs { Some(Snapshot::of(&graph)?) } else { None };
    let of = if all {
        None
    } else if words.is_empty() && !args.set.of.is_empty() {
        Some(Chosen::default())
    } else {
        Some(ask::choose(&graph, snapshot.as_ref(), &words, &args.set.conditions)?)
    };
    let window = match (args.during, args.begin, args.end) {
        (Some(Span(first, last)), ..) => Window::Hold(first, last),
        (_, Some(Span(first, last)), _) => Window::Begin(first, last),
        (.., Some(Span(first, last))) => Window::End(first, last),
        _ => Window::Day,
    };
    let late = args.bounds.time.late();
    let bounds = args.bounds.bounds(1000, usize::MAX, &late);
    let passes = args::passes(&graph, &args.edge)?;
    let of = of.as_ref().map(|chosen| chosen.keys.as_slice());
    let view = ask::edges(&graph, of, &passes, window, &bounds, args.tell.proofs())?;
    tell(shell, &view, render::ask::edges)
}

pub(super) fn count(shell: &mut Shell<'_>, args: &Count) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let passes = args::passes(&graph, &args.edge)?;
    let snapshot = Snapshot::of(&graph)?;
    let all = args.set.of.is_empty() && args.set.conditions.is_empty();
    if all && (args.by.is_some() || args.exactly.is_some()) {
        return Err(Failure::usage(
            "`--by` and `--exactly` are about nodes, and none are asked about",
            "name an entity type or nodes: edgewright ask count TYPE --exactly 1",
        ));
    }
    let of = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let nodes = of.on(&mut { &snapshot });
    let nodes = (!all).then_some(nodes.as_slice());
    let (exactly, by) = (args.exactly, args.by.as_deref());
    let view = ask::count(&graph, &snapshot, nodes, &passes, exactly, by, args.tell.teller(&graph))?;
    tell(shell, &view, render::ask::counts)
}

pub(super) fn subgraph(
    shell: &mut Shell<'_>,
    set: &Few,
    trail: &TrailArgs,
    only_keys: bool,
    bounds: &BoundArgs,
    told: &TellArgs,
    read: &ReadArgs,
) -> Result<(), Failure> {
    let opened = shell.open(read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let words = shell.words(&set.of)?;
    let snapshot =
        if bounds.whole || set.needs_all(&graph, &words) { Some(Snapshot::of(&graph)?) } else { None };
    let roots = if words.is_empty() {
        Chosen::default()
    } else {
        ask::choose(&graph, snapshot.as_ref(), &words, &set.conditions)?
    };
    let trail = trail.trail(&graph, 2)?;
    let late = bounds.time.late();
    let bounds = bounds.bounds(1000, 2000, &late);
    let mut ground = ground(&graph, snapshot.as_ref(), bounds.fan);
    let roots = roots.on(&mut *ground);
    let view = ask::subgraph(&mut *ground, &graph, &roots, &trail, &bounds, told.teller(&graph))?;
    if only_keys {
        note_cut(shell, view.cut.as_ref())?;
        return keys(shell, view.nodes.iter().map(|node| node.key.as_str()));
    }
    tell(shell, &view, render::ask::subgraph)
}

/// Where keys alone are written, a cut is said on the talk stream.
fn note_cut(shell: &mut Shell<'_>, cut: Option<&ask::CutView>) -> Result<(), Failure> {
    if let Some(cut) = cut {
        shell.out.complain(&format!("note: cut: {}", cut.says))?;
    }
    Ok(())
}

pub(super) fn path(shell: &mut Shell<'_>, args: &Path) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    let snapshot = if args.bounds.whole { Some(Snapshot::of(&graph)?) } else { None };
    let late = args.bounds.time.late();
    let bounds = args.bounds.bounds(20_000, 2000, &late);
    let mut ground = ground(&graph, snapshot.as_ref(), bounds.fan);
    let (from, to) = (one(&graph, &mut *ground, &args.from)?, one(&graph, &mut *ground, &args.to)?);
    let passes = args::passes(&graph, &args.edge)?;
    let teller = args.tell.teller(&graph);
    let view = ask::path(&mut *ground, &graph, from, to, &passes, args.hops, &bounds, teller)?;
    tell(shell, &view, render::ask::path)
}

pub(super) fn reach(shell: &mut Shell<'_>, args: &Reach) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let to = args::entity_type(&graph, args.to.as_deref())?;
    let trail = args.trail.trail(&graph, 3)?;
    let snapshot = Snapshot::of(&graph)?;
    let of = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let late = args.bounds.time.late();
    let bounds = args.bounds.bounds(usize::MAX, usize::MAX, &late);
    let mut ground = &snapshot;
    let from = of.on(&mut ground);
    let view = ask::reach(&mut ground, &graph, &from, to, &trail, &bounds, args.tell.teller(&graph))?;
    tell(shell, &view, render::ask::reach)
}

pub(super) fn compare(shell: &mut Shell<'_>, args: &Compare) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    let snapshot = if args.bounds.whole { Some(Snapshot::of(&graph)?) } else { None };
    let late = args.bounds.time.late();
    let bounds = args.bounds.bounds(10_000, 2000, &late);
    let mut ground = ground(&graph, snapshot.as_ref(), bounds.fan);
    let (left, right) = (one(&graph, &mut *ground, &args.left)?, one(&graph, &mut *ground, &args.right)?);
    let trail = args.trail.trail(&graph, 3)?;
    let teller = args.tell.teller(&graph);
    let view = ask::compare(&mut *ground, &graph, left, right, &trail, &bounds, teller)?;
    tell(shell, &view, render::ask::compare)
}

pub(super) fn complement(shell: &mut Shell<'_>, args: &Complement) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let trail = if args.trail.is_given() { Some(args.trail.trail(&graph, 3)?) } else { None };
    let snapshot = Snapshot::of(&graph)?;
    let whole = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let others = chosen(shell, &graph, Some(&snapshot), &args.others, &[])?;
    let late = args.bounds.time.late();
    let bounds = args.bounds.bounds(usize::MAX, usize::MAX, &late);
    let mut ground = &snapshot;
    let (whole, others) = (whole.on(&mut ground), others.on(&mut ground));
    let teller = args.tell.teller(&graph);
    let view = ask::complement(&mut ground, &graph, &whole, &others, trail.as_ref(), &bounds, teller)?;
    if args.keys {
        note_cut(shell, view.cut.as_ref())?;
        return keys(shell, view.nodes.iter().map(|node| node.key.as_str()));
    }
    tell(shell, &view, render::ask::complement)
}

pub(super) fn without(shell: &mut Shell<'_>, args: &Without) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let words = shell.words(&args.set.of)?;
    let needs = args.bounds.whole || args.set.needs_all(&graph, &words);
    let snapshot = if needs { Some(Snapshot::of(&graph)?) } else { None };
    let removed = if words.is_empty() {
        Chosen::default()
    } else {
        ask::choose(&graph, snapshot.as_ref(), &words, &args.set.conditions)?
    };
    let trail = args.trail.trail(&graph, 3)?;
    let late = args.bounds.time.late();
    let bounds = args.bounds.bounds(10_000, 2000, &late);
    let mut ground = ground(&graph, snapshot.as_ref(), bounds.fan);
    let removed = removed.on(&mut *ground);
    let teller = args.tell.teller(&graph);
    let view = ask::without(&mut *ground, &graph, &removed, &trail, args.strict, &bounds, teller)?;
    tell(shell, &view, render::ask::without)
}

pub(super) fn alternatives(shell: &mut Shell<'_>, args: &Alternatives) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let passes = args::passes(&graph, &args.edge)?;
    let snapshot = Snapshot::of(&graph)?;
    let node = one(&graph, &mut { &snapshot }, &args.name)?;
    let view = ask::alternatives(&graph, &snapshot, node, &passes, &args.same, args.tell.teller(&graph))?;
    tell(shell, &view, render::ask::alternatives)
}

pub(super) fn risk(shell: &mut Shell<'_>, args: &Risk) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let to = args::entity_type(&graph, args.to.as_deref())?;
    let model = RiskModel {
        property: args.weigh.clone(),
        weights: args.weights.iter().cloned().collect::<BTreeMap<_, _>>(),
        decay: args.decay.clone(),
        strikes: args::passes(&graph, &args.strikes)?,
        counting: match args.count {
            CountBy::Paths => Counting::Paths,
            CountBy::Sources => Counting::Sources,
        },
    };
    let trail = args.trail.trail(&graph, 3)?;
    let snapshot = Snapshot::of(&graph)?;
    let of = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let sources = of.on(&mut { &snapshot });
    let late = args.bounds.time.late();
    let bounds = args.bounds.bounds(usize::MAX, usize::MAX, &late);
    let teller = args.tell.teller(&graph);
    let view = ask::risk(&graph, &snapshot, &sources, to, &model, &trail, &bounds, teller)?;
    tell(shell, &view, render::ask::risk)
}

pub(super) fn central(shell: &mut Shell<'_>, args: &Measure) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let passes = args::passes(&graph, &args.edge)?;
    let snapshot = Snapshot::of(&graph)?;
    let of = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let nodes = of.on(&mut { &snapshot });
    let teller = args.tell.teller(&graph);
    let (directed, top, late) = (args.directed, args.top, args.time.late());
    let bounds = Bounds { nodes: args.nodes, late: &late, ..Bounds::NONE };
    let view = ask::betweenness(&graph, &snapshot, &nodes, &passes, directed, top, &bounds, teller)?;
    tell(shell, &view, render::ask::measure)
}

pub(super) fn rank(shell: &mut Shell<'_>, args: &Rank) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let passes = args::passes(&graph, &args.edge)?;
    let snapshot = Snapshot::of(&graph)?;
    let of = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let nodes = of.on(&mut { &snapshot });
    let teller = args.tell.teller(&graph);
    let (directed, damping, top, late) = (!args.undirected, args.damping, args.top, args.time.late());
    let bounds = Bounds { late: &late, ..Bounds::NONE };
    let view = ask::page_rank(&graph, &snapshot, &nodes, &passes, directed, damping, top, &bounds, teller)?;
    tell(shell, &view, render::ask::measure)
}

pub(super) fn components(shell: &mut Shell<'_>, args: &Components) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let passes = args::passes(&graph, &args.edge)?;
    let snapshot = Snapshot::of(&graph)?;
    let of = chosen(shell, &graph, Some(&snapshot), &args.set.of, &args.set.conditions)?;
    let without = if args.without.is_empty() {
        Chosen::default()
    } else {
        chosen(shell, &graph, Some(&snapshot), &args.without, &[])?
    };
    let mut ground = &snapshot;
    let (nodes, without) = (of.on(&mut ground), without.on(&mut ground));
    let late = args.time.late();
    let bounds = Bounds { nodes: args.nodes, late: &late, ..Bounds::NONE };
    let view = ask::components(&graph, &snapshot, &nodes, &without, &passes, &bounds)?;
    tell(shell, &view, render::ask::components)
}
