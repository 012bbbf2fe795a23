//! `ask`: questions over the graph, one subcommand a question.

mod answer;
mod args;

use clap::Subcommand;

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::shell::Shell;
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
        Question::Nodes(args) => answer::nodes(shell, &args),
        Question::Node(args) => answer::node(shell, &args),
        Question::Edges(args) => answer::edges(shell, &args),
        Question::Count(args) => answer::count(shell, &args),
        Question::Neighbors(args) => {
            let trail = TrailArgs::one_hop(args.edge);
            answer::subgraph(shell, &args.set, &trail, args.keys, &args.bounds, &args.tell, &args.read)
        }
        Question::Path(args) => answer::path(shell, &args),
        Question::Subgraph(args) => {
            answer::subgraph(shell, &args.set, &args.trail, args.keys, &args.bounds, &args.tell, &args.read)
        }
        Question::Reach(args) => answer::reach(shell, &args),
        Question::Compare(args) => answer::compare(shell, &args),
        Question::Complement(args) => answer::complement(shell, &args),
        Question::Without(args) => answer::without(shell, &args),
        Question::Alternatives(args) => answer::alternatives(shell, &args),
        Question::Risk(args) => answer::risk(shell, &args),
        Question::Central(args) => answer::central(shell, &args),
        Question::Rank(args) => answer::rank(shell, &args),
        Question::Components(args) => answer::components(shell, &args),
    }?;
    Ok(Exit::Done)
}
