//! What the questions share: sets of nodes, trails, bounds, and how much evidence to tell.

use std::str::FromStr;

use clap::ValueEnum;
use jiff::civil::Date;

use crate::cli::failure::Failure;
use crate::cli::shell::Shell;
use crate::serve::Graph;
use crate::serve::ask::{self, Bounds, Condition, Pass, Proofs, Teller, Trail};

/// Nodes; without any, all.
#[derive(Debug, clap::Args)]
pub(super) struct SetArgs {
    /// Names, keys, entity types, @FILE or - for a list; without any, every node.
    #[arg(value_name = "NODES")]
    pub(super) of: Vec<String>,
    /// Only those whose property is so: p=v, p=v|w, p!=v, p~part, p>=v, p<=v.
    #[arg(long = "where", value_name = "CONDITION", value_parser = Condition::read)]
    pub(super) conditions: Vec<Condition>,
}

/// Nodes, at least one.
#[derive(Debug, clap::Args)]
pub(super) struct Few {
    /// Names, keys, entity types, @FILE or - for a list.
    #[arg(value_name = "NODES", required = true)]
    pub(super) of: Vec<String>,
    /// Only those whose property is so: p=v, p=v|w, p!=v, p~part, p>=v, p<=v.
    #[arg(long = "where", value_name = "CONDITION", value_parser = Condition::read)]
    pub(super) conditions: Vec<Condition>,
}

/// True if the whole graph must be read to know which nodes are meant.
fn needs_all(graph: &Graph<'_>, words: &[String], conditions: &[Condition]) -> bool {
    words.is_empty() || !conditions.is_empty() || words.iter().any(|word| ask::entity_type(graph, word))
}

impl SetArgs {
    /// True if the whole graph must be read to know which nodes are meant.
    pub(super) fn needs_all(&self, graph: &Graph<'_>, words: &[String]) -> bool {
        needs_all(graph, words, &self.conditions)
    }
}

impl Few {
    /// True if the whole graph must be read to know which nodes are meant.
    pub(super) fn needs_all(&self, graph: &Graph<'_>, words: &[String]) -> bool {
        !words.is_empty() && needs_all(graph, words, &self.conditions)
    }
}

/// What may be walked.
#[derive(Debug, clap::Args)]
pub(super) struct TrailArgs {
    /// Over edges of these types only, each hop over any of them.
    #[arg(long, value_name = "EDGES", value_delimiter = ',', conflicts_with = "along")]
    edge: Vec<String>,
    /// One hop after another, each over its own edges.
    #[arg(long, value_name = "EDGES", value_delimiter = ',', conflicts_with = "hops")]
    along: Vec<String>,
    /// How many hops.
    #[arg(long, value_name = "N")]
    hops: Option<usize>,
}

impl TrailArgs {
    /// One hop over these edges.
    pub(super) fn one_hop(edge: Vec<String>) -> Self {
        Self { edge, along: Vec::new(), hops: Some(1) }
    }

    /// True if the command line says where to walk.
    pub(super) fn is_given(&self) -> bool {
        !self.edge.is_empty() || !self.along.is_empty() || self.hops.is_some()
    }

    /// The trail; of so many hops if the command line does not say.
    pub(super) fn trail(&self, graph: &Graph<'_>, hops: usize) -> Result<Trail, Failure> {
        if self.along.is_empty() {
            return Ok(Trail::within(passes(graph, &self.edge)?, self.hops.unwrap_or(hops)));
        }
        let mut layers = Vec::new();
        for word in &self.along {
            layers.push(ask::edge_passes(graph, word)?);
        }
        Ok(Trail::along(layers))
    }
}

/// The edges that words name.
pub(super) fn passes(graph: &Graph<'_>, words: &[String]) -> Result<Vec<Pass>, Failure> {
    let mut passes = Vec::new();
    for word in words {
        passes.extend(ask::edge_passes(graph, word)?);
    }
    Ok(passes)
}

/// An entity type that there is.
pub(super) fn entity_type<'w>(graph: &Graph<'_>, word: Option<&'w str>) -> Result<Option<&'w str>, Failure> {
    match word {
        Some(word) if !ask::entity_type(graph, word) => Err(ask::no_entity_type(graph, word).into()),
        word => Ok(word),
    }
}

/// How long to take.
#[derive(Debug, clap::Args)]
pub(super) struct TimeArgs {
    /// Stop after so many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<f64>,
}

impl TimeArgs {
    /// Tells from now on whether the time is over.
    pub(super) fn late(&self) -> impl Fn() -> bool {
        Shell::late_after(self.time_limit)
    }
}

/// How far to go.
#[derive(Debug, clap::Args)]
pub(super) struct BoundArgs {
    /// Find at most so many nodes (of `edges`: list so many edges).
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// Walk through no node with more edges than this.
    #[arg(long, value_name = "N")]
    fan: Option<usize>,
    #[command(flatten)]
    pub(super) time: TimeArgs,
    /// Read the whole graph first. The answer is the same.
    #[arg(long, hide = true)]
    pub(super) whole: bool,
}

impl BoundArgs {
    /// The bounds, where the command line does not say these.
    pub(super) fn bounds<'c>(&self, nodes: usize, fan: usize, late: &'c dyn Fn() -> bool) -> Bounds<'c> {
        Bounds { nodes: self.nodes.unwrap_or(nodes), fan: self.fan.unwrap_or(fan), late }
    }
}

/// How much to tell.
#[derive(Debug, clap::Args)]
pub(super) struct TellArgs {
    /// How much evidence of each edge: none, the first sentence, or all that there is.
    #[arg(long, value_enum, default_value_t = Evidence::First, value_name = "HOW")]
    evidence: Evidence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Evidence {
    None,
    First,
    All,
}

impl TellArgs {
    /// How much evidence.
    pub(super) fn proofs(&self) -> Proofs {
        match self.evidence {
            Evidence::None => Proofs::None,
            Evidence::First => Proofs::First,
            Evidence::All => Proofs::All,
        }
    }

    /// A teller of so much.
    pub(super) fn teller<'g>(&self, graph: &'g Graph<'g>) -> Teller<'g> {
        Teller::new(graph, self.proofs())
    }
}

/// What is counted of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CountBy {
    /// Every path.
    Paths,
    /// Each source once, by its shortest path.
    Sources,
}

/// Some days; both bounds belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span(pub(super) Option<Date>, pub(super) Option<Date>);

impl FromStr for Span {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let day = |text: &str| -> Result<Option<Date>, String> {
            let text = text.trim();
            if text.is_empty() {
                return Ok(None);
            }
            text.parse().map(Some).map_err(|_| format!("`{text}` is no day such as 2024-02-17"))
        };
        let Some((first, last)) = text.split_once("..") else {
            return match day(text)? {
                None => Err("write a day, or FIRST..LAST".to_owned()),
                one => Ok(Self(one, one)),
            };
        };
        match (day(first)?, day(last)?) {
            (Some(first), Some(last)) if last < first => Err(format!("{last} is before {first}")),
            (first, last) => Ok(Self(first, last)),
        }
    }
}

/// Reads `value=weight`.
pub(super) fn weight(text: &str) -> Result<(String, f64), String> {
    let (value, weight) = text.split_once('=').ok_or("write value=weight, such as high=0.7")?;
    let number = weight.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    Ok((value.trim().to_owned(), number.ok_or_else(|| format!("`{weight}` is no weight of 0 or more"))?))
}

/// Reads a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| format!("`{text}` is no number from 0 to 1"))
}

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{text}` is no number of seconds"))
}
