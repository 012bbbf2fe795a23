//! `ask`: questions over the graph, one subcommand a question.

mod args;

use std::collections::BTreeMap;

use clap::Subcommand;
use serde::Serialize;

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::serve::ask::{
    self, Bounds, Chosen, Counting, Ground, Node, OnDemand, RiskModel, Snapshot, Window,
};
use crate::serve::{Error, Graph, find};
use args::{BoundArgs, CountBy, Few, SetArgs, Span, TellArgs, TimeArgs, TrailArgs};

/// The questions as `ask --help` groups them.
pub(super) const GROUPS: [(&str, &[&str]); 4] = [
    ("Look things up", &["nodes", "node", "edges", "count"]),
    ("Walk", &["neighbors", "path", "subgraph", "reach", "compare", "complement"]),
    ("Think ahead", &["without", "alternatives", "risk"]),
    ("Measure", &["central", "rank", "components"]),
];

/// Ask questions over the graph: paths, what hangs on what, measures
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Nodes are names, keys, entity types (all of their nodes), @FILE or - (a list of keys, as `--keys`
writes it). Edges are edge types, with `in:` or `out:` where the direction matters, joined by `|`
where one of several will do.

Examples:
  edgewright ask path AeroMetal NarrowBody-900
  edgewright ask subgraph TechChip --along supplies,uses,produces --as-of 2024-02-17
  edgewright ask count Component --edge supplies --by criticality
  edgewright ask complement Customer --of EVT-001 --along affects,supplies,uses,produces,delivers_to")]
pub(super) struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, Subcommand)]
enum Question {
    /// Find nodes by type and properties
    Nodes(Nodes),
    /// Show one node: its properties, who claims it, how many edges
    Node(OneNode),
    /// List edges by date: those that hold, begin or end in some days
    Edges(Edges),
    /// Count edges: of each type, or at each of some nodes
    Count(Count),
    /// List what is one hop away
    Neighbors(Neighbors),
    /// Find the shortest path between two nodes
    Path(Path),
    /// Walk outward from some nodes and list what is found, with the path to each
    Subgraph(Subgraph),
    /// Count how many nodes of a type each of some nodes reaches
    Reach(Reach),
    /// Compare what two nodes reach
    Compare(Compare),
    /// List the nodes of a set that another set does not reach
    Complement(Complement),
    /// Think nodes away and list who loses what, hop by hop
    Without(Without),
    /// List who else could stand in a place
    Alternatives(Alternatives),
    /// Score how much of what strikes some nodes comes through to others
    Risk(Risk),
    /// Rank nodes by how often they stand between others (betweenness)
    Central(Measure),
    /// Rank nodes by what leads to them (PageRank)
    Rank(Rank),
    /// List the pieces into which the graph falls
    Components(Components),
}

#[derive(Debug, clap::Args)]
struct Nodes {
    #[command(flatten)]
    set: SetArgs,
    /// How many nodes to list.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    nodes: usize,
    /// Write keys only, one a line.
    #[arg(long)]
    keys: bool,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct OneNode {
    /// A name, an alias, a key, or `Type:key`.
    #[arg(value_name = "NAME|KEY")]
    name: String,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Edges {
    #[command(flatten)]
    set: SetArgs,
    /// Edges of these types only.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    edge: Vec<String>,
    /// Those that hold on one of these days: DAY, FIRST..LAST, FIRST.., ..LAST or `..`; both belong.
    #[arg(long, value_name = "DAYS", group = "window")]
    during: Option<Span>,
    /// Those whose first day is one of these.
    #[arg(long, value_name = "DAYS", group = "window")]
    begin: Option<Span>,
    /// Those whose last day is one of these.
    #[arg(long, value_name = "DAYS", group = "window")]
    end: Option<Span>,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Count {
    #[command(flatten)]
    set: SetArgs,
    /// Edges of these types only.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    edge: Vec<String>,
    /// List the nodes with exactly so many.
    #[arg(long, value_name = "N")]
    exactly: Option<usize>,
    /// Break the numbers down by a property of the nodes.
    #[arg(long, value_name = "PROPERTY")]
    by: Option<String>,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Neighbors {
    #[command(flatten)]
    set: Few,
    /// Over edges of these types only.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    edge: Vec<String>,
    /// Write keys only, one a line.
    #[arg(long)]
    keys: bool,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Path {
    /// Where it begins.
    #[arg(value_name = "FROM")]
    from: String,
    /// Where it ends.
    #[arg(value_name = "TO")]
    to: String,
    /// Over edges of these types only.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    edge: Vec<String>,
    /// Of at most so many hops.
    #[arg(long, value_name = "N", default_value_t = 8)]
    hops: usize,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Subgraph {
    #[command(flatten)]
    set: Few,
    #[command(flatten)]
    trail: TrailArgs,
    /// Write keys only, one a line.
    #[arg(long)]
    keys: bool,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Reach {
    #[command(flatten)]
    set: SetArgs,
    /// Count nodes of this type only.
    #[arg(long, value_name = "TYPE")]
    to: Option<String>,
    #[command(flatten)]
    trail: TrailArgs,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Compare {
    /// The one.
    #[arg(value_name = "NAME|KEY")]
    left: String,
    /// The other.
    #[arg(value_name = "NAME|KEY")]
    right: String,
    #[command(flatten)]
    trail: TrailArgs,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Complement {
    #[command(flatten)]
    set: SetArgs,
    /// Without these nodes, and with `--along` or `--hops` without what they reach.
    #[arg(long = "of", value_name = "NODES", required = true, num_args = 1..)]
    others: Vec<String>,
    #[command(flatten)]
    trail: TrailArgs,
    /// Write keys only, one a line.
    #[arg(long)]
    keys: bool,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Without {
    #[command(flatten)]
    set: Few,
    #[command(flatten)]
    trail: TrailArgs,
    /// A node is lost by any loss, not only when nothing is left.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Alternatives {
    /// The node at which somebody else should stand.
    #[arg(value_name = "NAME|KEY")]
    name: String,
    /// Over edges of these types.
    #[arg(long, value_name = "EDGES", value_delimiter = ',', required = true)]
    edge: Vec<String>,
    /// Nodes are alike if they share the type and these properties.
    #[arg(long, value_name = "PROPERTY", value_delimiter = ',')]
    same: Vec<String>,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Risk {
    #[command(flatten)]
    set: SetArgs,
    /// The edges from a source to what it strikes; they are no hops. Without them the sources are struck.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    strikes: Vec<String>,
    #[command(flatten)]
    trail: TrailArgs,
    /// Score nodes of this type only.
    #[arg(long, value_name = "TYPE")]
    to: Option<String>,
    /// The property of a source that says how grave it is.
    #[arg(long, value_name = "PROPERTY", default_value = "severity")]
    weigh: String,
    /// The weight of each of its values.
    #[arg(long, value_name = "VALUE=N", value_delimiter = ',', value_parser = args::weight)]
    #[arg(default_value = "critical=1.0,high=0.7,medium=0.4,low=0.1")]
    weights: Vec<(String, f64)>,
    /// What is left after one hop, after two, and so on.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1.0,0.6,0.35,0.2")]
    decay: Vec<f64>,
    /// Count every path, or each source once by its shortest.
    #[arg(long, value_enum, default_value_t = CountBy::Paths)]
    count: CountBy,
    #[command(flatten)]
    bounds: BoundArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Measure {
    #[command(flatten)]
    set: SetArgs,
    /// Over edges of these types only.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    edge: Vec<String>,
    /// Follow edges from subject to object only; `in:` turns a type round.
    #[arg(long)]
    directed: bool,
    /// How many to list.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Refuse to measure more nodes than this.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: usize,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Rank {
    #[command(flatten)]
    set: SetArgs,
    /// Over edges of these types only.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    edge: Vec<String>,
    /// Follow edges both ways.
    #[arg(long)]
    undirected: bool,
    /// How likely one walks on instead of starting anew, from 0 to 1.
    #[arg(long, value_name = "N", default_value_t = 0.85, value_parser = args::share)]
    damping: f64,
    /// How many to list.
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    tell: TellArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
struct Components {
    #[command(flatten)]
    set: SetArgs,
    /// Over edges of these types only.
    #[arg(long, value_name = "EDGES", value_delimiter = ',')]
    edge: Vec<String>,
    /// Think these nodes away.
    #[arg(long, value_name = "NODES", num_args = 1..)]
    without: Vec<String>,
    /// How many nodes to list.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    nodes: usize,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn run(shell: &mut Shell<'_>, args: Args) -> Result<Exit, Failure> {
    match args.question {
        Question::Nodes(args) => nodes(shell, &args),
        Question::Node(args) => node(shell, &args),
        Question::Edges(args) => edges(shell, &args),
        Question::Count(args) => count(shell, &args),
        Question::Neighbors(args) => {
            let trail = TrailArgs::one_hop(args.edge);
            subgraph(shell, &args.set, &trail, args.keys, &args.bounds, &args.tell, &args.read)
        }
        Question::Path(args) => path(shell, &args),
        Question::Subgraph(args) => {
            subgraph(shell, &args.set, &args.trail, args.keys, &args.bounds, &args.tell, &args.read)
        }
        Question::Reach(args) => reach(shell, &args),
        Question::Compare(args) => compare(shell, &args),
        Question::Complement(args) => complement(shell, &args),
        Question::Without(args) => without(shell, &args),
        Question::Alternatives(args) => alternatives(shell, &args),
        Question::Risk(args) => risk(shell, &args),
        Question::Central(args) => central(shell, &args),
        Question::Rank(args) => rank(shell, &args),
        Question::Components(args) => components(shell, &args),
    }?;
    Ok(Exit::Done)
}

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

fn nodes(shell: &mut Shell<'_>, args: &Nodes) -> Result<(), Failure> {
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

fn node(shell: &mut Shell<'_>, args: &OneNode) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    let found = find(&graph, &args.name)?;
    let view = ask::node(&mut OnDemand::new(&graph, usize::MAX), &graph, &found)?;
    tell(shell, &view, render::ask::node)
}

fn edges(shell: &mut Shell<'_>, args: &Edges) -> Result<(), Failure> {
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

fn count(shell: &mut Shell<'_>, args: &Count) -> Result<(), Failure> {
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

fn subgraph(
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

fn path(shell: &mut Shell<'_>, args: &Path) -> Result<(), Failure> {
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

fn reach(shell: &mut Shell<'_>, args: &Reach) -> Result<(), Failure> {
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

fn compare(shell: &mut Shell<'_>, args: &Compare) -> Result<(), Failure> {
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

fn complement(shell: &mut Shell<'_>, args: &Complement) -> Result<(), Failure> {
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

fn without(shell: &mut Shell<'_>, args: &Without) -> Result<(), Failure> {
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

fn alternatives(shell: &mut Shell<'_>, args: &Alternatives) -> Result<(), Failure> {
    let opened = shell.open(&args.read)?;
    let graph = opened.graph()?;
    not_empty(&graph)?;
    let passes = args::passes(&graph, &args.edge)?;
    let snapshot = Snapshot::of(&graph)?;
    let node = one(&graph, &mut { &snapshot }, &args.name)?;
    let view = ask::alternatives(&graph, &snapshot, node, &passes, &args.same, args.tell.teller(&graph))?;
    tell(shell, &view, render::ask::alternatives)
}

fn risk(shell: &mut Shell<'_>, args: &Risk) -> Result<(), Failure> {
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

fn central(shell: &mut Shell<'_>, args: &Measure) -> Result<(), Failure> {
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

fn rank(shell: &mut Shell<'_>, args: &Rank) -> Result<(), Failure> {
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

fn components(shell: &mut Shell<'_>, args: &Components) -> Result<(), Failure> {
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
