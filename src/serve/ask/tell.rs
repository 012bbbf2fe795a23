//! Numbers into words: nodes with their names, edges with their days and the sentences that attest them.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::ground::{Ground, Link, Node, NumberMap};
use crate::diag::count;
use crate::model::assertion::{Assertion, Origin};
use crate::serve::evidence::where_read;
use crate::serve::{At, Endpoint, Error, Graph, State, VERSION};

/// Of when an answer is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Head {
    /// The version of this form.
    pub version: u32,
    /// The day on which the edges hold.
    #[schemars(with = "String")]
    pub day: Date,
    /// The day that was asked for, if one was.
    #[schemars(with = "Option<String>")]
    pub as_of: Option<Date>,
    /// The generation that counts as known.
    pub known_at: u64,
}

impl Head {
    /// Of when answers from a graph are.
    pub fn of(graph: &Graph<'_>) -> Self {
        let lens = graph.lens();
        Self { version: VERSION, day: lens.day(), as_of: lens.as_of, known_at: lens.known_at }
    }
}

/// A node of an answer, with the path to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeView {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
    /// How many hops away it was first found.
    pub hops: usize,
    /// The path to it: numbers of the answer's edges.
    pub path: Vec<usize>,
}

/// An edge of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AskEdge {
    /// Its number in the answer, from 1.
    pub number: usize,
    /// The fact's id.
    pub fact: String,
    /// The edge type.
    pub edge_type: String,
    /// The subject.
    pub subject: Endpoint,
    /// The object.
    pub object: Endpoint,
    /// The first day; null if the start is unknown.
    #[schemars(with = "Option<String>")]
    pub valid_from: Option<Date>,
    /// The first day that no longer belongs; null if the end is open.
    #[schemars(with = "Option<String>")]
    pub valid_to: Option<Date>,
    /// True if it is over and nobody says since when.
    pub end_unknown: bool,
    /// What the day makes of it.
    pub state: State,
    /// What says so, as far as it was asked for: what defines it first.
    pub evidence: Vec<Proof>,
    /// How many more attestations the reader sees.
    pub more_evidence: usize,
}

/// Where it is said that an edge holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Proof {
    /// The assertion's id.
    pub assertion: String,
    /// The document, if it was read in one.
    pub document: Option<String>,
    /// The chunk of the document.
    pub chunk: Option<String>,
    /// Where the quote begins in the chunk, in bytes.
    pub start: Option<usize>,
    /// Where it ends.
    pub end: Option<usize>,
    /// The feed, if it was read in one.
    pub feed: Option<String>,
    /// The key of the feed's row.
    pub row: Option<String>,
    /// The file, relative to the workspace.
    pub path: String,
    /// Where in the file it stands.
    #[serde(flatten)]
    pub at: At,
    /// The quote.
    pub quote: String,
}

/// How much evidence an answer's edges carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Proofs {
    /// None: the store is not asked for it.
    None,
    /// The defining sentence of each edge, and how many more there are.
    #[default]
    First,
    /// Everything that the reader sees.
    All,
}

/// Puts an answer's numbers into words, and numbers its edges in the order in which they are first named.
#[derive(Debug)]
pub struct Teller<'t> {
    graph: &'t Graph<'t>,
    proofs: Proofs,
    links: Vec<u32>,
    numbers: NumberMap<u32, usize>,
}

impl<'t> Teller<'t> {
    /// A teller for one answer.
    pub fn new(graph: &'t Graph<'t>, proofs: Proofs) -> Self {
        Self { graph, proofs, links: Vec::new(), numbers: NumberMap::default() }
    }

    /// The number of a link in the answer, from 1; new if it was not named before.
    pub(super) fn number(&mut self, link: u32) -> usize {
        *self.numbers.entry(link).or_insert_with(|| {
            self.links.push(link);
            self.links.len()
        })
    }

    /// The numbers of the links of a path.
    pub(super) fn path(&mut self, links: &[u32]) -> Vec<usize> {
        links.iter().map(|link| self.number(*link)).collect()
    }

    /// `1 edge`, `2 edges`.
    pub(super) fn edge_count(&self) -> String {
        count(self.links.len(), "edge")
    }

    /// A node as an endpoint.
    pub(super) fn endpoint(&self, ground: &dyn Ground, node: Node) -> Result<Endpoint, Error> {
        Ok(Endpoint { key: ground.table().key(node).to_string(), name: ground.name(node)? })
    }

    /// A node with the path to it.
    pub(super) fn node(
        &mut self,
        ground: &dyn Ground,
        node: Node,
        hops: usize,
        path: &[u32],
    ) -> Result<NodeView, Error> {
        let Endpoint { key, name } = self.endpoint(ground, node)?;
        Ok(NodeView { key, name, hops, path: self.path(path) })
    }

    /// Every edge that was named, by number.
    pub(super) fn edges(&self, ground: &dyn Ground) -> Result<Vec<AskEdge>, Error> {
        let mut edges = Vec::with_capacity(self.links.len());
        for (index, number) in self.links.iter().enumerate() {
            let link = ground.table().link(*number);
            let mut edge = self.edge(ground, index + 1, link)?;
            (edge.evidence, edge.more_evidence) = proofs(self.graph, link, self.proofs)?;
            edges.push(edge);
        }
        Ok(edges)
    }

    fn edge(&self, ground: &dyn Ground, number: usize, link: &Link) -> Result<AskEdge, Error> {
        Ok(AskEdge {
            number,
            fact: link.fact.to_string(),
            edge_type: ground.table().kind_name(link.kind).to_owned(),
            subject: self.endpoint(ground, link.subject)?,
            object: self.endpoint(ground, link.object)?,
            valid_from: link.interval.from(),
            valid_to: link.interval.to(),
            end_unknown: link.end_unknown,
            state: State::of(&link.interval, self.graph.lens().day()),
            evidence: Vec::new(),
            more_evidence: 0,
        })
    }
}

/// The attestations of a link that the reader sees: as many as were asked for, and how many more there are.
fn proofs(graph: &Graph<'_>, link: &Link, wanted: Proofs) -> Result<(Vec<Proof>, usize), Error> {
    if wanted == Proofs::None {
        return Ok((Vec::new(), 0));
    }
    let Some((fact, _)) = graph.fact(&link.fact)? else { return Ok((Vec::new(), 0)) };
    proofs_of(graph, &fact, &link.interval, wanted)
}

/// The attestations of a fact in an interval that the reader sees, what defines it first.
pub(super) fn proofs_of(
    graph: &Graph<'_>,
    fact: &crate::model::fact::Fact,
    interval: &crate::model::time::Interval,
    wanted: Proofs,
) -> Result<(Vec<Proof>, usize), Error> {
    if wanted == Proofs::None {
        return Ok((Vec::new(), 0));
    }
    let seen = graph.seen_of(fact)?;
    let mut attested: Vec<_> = fact
        .attestations
        .iter()
        .filter(|one| !one.ends && one.interval.overlaps(interval) && seen.contains(&one.assertion))
        .collect();
    attested.sort_by_key(|one| (!one.defines, one.interval.from(), one.assertion));
    let taken = if wanted == Proofs::First { 1 } else { attested.len() };
    let mut found = Vec::new();
    for one in attested.iter().take(taken) {
        if let Some(assertion) = graph.assertion(&one.assertion)? {
            found.push(proof(graph, &assertion)?);
        }
    }
    Ok((found, attested.len().saturating_sub(taken)))
}

fn proof(graph: &Graph<'_>, assertion: &Assertion) -> Result<Proof, Error> {
    let place = where_read(graph, &assertion.origin, assertion.evidence.span)?;
    let (chunk, feed, row) = match &assertion.origin {
        Origin::Chunk { chunk, .. } => (Some(chunk.to_string()), None, None),
        Origin::Row { feed, row } => (None, Some(feed.clone()), Some(row.clone())),
    };
    Ok(Proof {
        assertion: assertion.id.to_string(),
        document: place.document,
        chunk,
        start: assertion.evidence.span.map(|span| span.start),
        end: assertion.evidence.span.map(|span| span.end),
        feed,
        row,
        path: place.path,
        at: place.at,
        quote: assertion.evidence.quote.clone(),
    })
}
