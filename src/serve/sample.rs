//! Samples: edges for a person to judge, what so many of them can support, and what their verdicts say.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::ask::{Pass, edge_passes};
use super::at::At;
use super::decide::{Answered, Form, Problem, Row, RowFormat, answer, filled};
use super::edge::Endpoint;
use super::evidence::where_read;
use super::waiting::side;
use super::{Error, Graph, VERSION};
use crate::model::assertion::Assertion;
use crate::model::decision::{Answer, Question};
use crate::model::fact::Fact;
use crate::model::id::{AssertionId, FactId, Fingerprint};
use crate::model::stats::{wilson, wrong_allowed};

/// The claims that a sample may support: at most this share is wrong.
const CLAIMS: [f64; 3] = [0.10, 0.05, 0.02];

/// The form of a file of verdicts: what `sample` writes.
const VERDICTS: Form = Form {
    read: &["question", "verdict", "reason", "stratum"],
    required: &["question", "verdict", "stratum"],
    shown: &[
        "edge_type",
        "rule",
        "subject",
        "subject_name",
        "object",
        "object_name",
        "valid_from",
        "valid_to",
        "sentence",
        "document",
        "line",
    ],
};

/// Edges for a person to judge.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SampleView {
    /// The version of this form.
    pub version: u32,
    /// The generation that was sampled.
    pub generation: u64,
    /// The seed: the same one gives the same sample of the same state.
    pub seed: String,
    /// How many edges were read in documents.
    pub edges: u64,
    /// How many edges no document says, which are not sampled: there is no sentence to judge.
    pub without_sentence: u64,
    /// The strata, by edge type and rule.
    pub strata: Vec<Stratum>,
    /// What the sample can support.
    pub supports: Vec<Supports>,
    /// The sample, by stratum.
    pub sample: Vec<SampledEdge>,
}

/// The edges of one type that one rule read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stratum {
    /// The edge type.
    pub edge_type: String,
    /// The rule.
    pub rule: String,
    /// How many there are.
    pub edges: u64,
    /// How many are in the sample.
    pub sampled: u64,
}

/// How many of a sample may be wrong for a claim to hold, 95 % sure and one-sided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Supports {
    /// The claim: at most this share of the edges that were drawn from is wrong.
    pub share: f64,
    /// How many may be; null if the sample is too small for the claim.
    pub wrong_allowed: Option<u64>,
}

/// An edge for a person to judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SampledEdge {
    /// The question's id: the assertion's.
    pub question: String,
    /// The edge type.
    pub edge_type: String,
    /// The rule.
    pub rule: String,
    /// How many edges its stratum has, of this type and by this rule.
    pub stratum: u64,
    /// The subject.
    pub subject: Endpoint,
    /// The object.
    pub object: Endpoint,
    /// The first day; null if unknown.
    #[schemars(with = "Option<String>")]
    pub valid_from: Option<Date>,
    /// The first day that no longer belongs; null if open.
    #[schemars(with = "Option<String>")]
    pub valid_to: Option<Date>,
    /// The sentence that says it.
    pub sentence: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// Where in the file it stands.
    #[serde(flatten)]
    pub at: At,
}

/// What verdicts say.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VerdictsView {
    /// Rows without a verdict.
    pub open: u64,
    /// Over all.
    pub all: Estimate,
    /// By edge type and rule.
    pub strata: Vec<Estimate>,
    /// What follows.
    pub claims: Vec<Claim>,
    /// What is wrong.
    pub wrong: Vec<WrongEdge>,
}

/// An estimate of the share that is right.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Estimate {
    /// The edge type; empty over all.
    pub edge_type: String,
    /// The rule; empty over all.
    pub rule: String,
    /// Edges that are right.
    pub right: u64,
    /// Edges that are wrong.
    pub wrong: u64,
    /// Edges of which nobody could say.
    pub unsure: u64,
    /// Of those of which somebody could say, the share that is right; null if there are none.
    pub share: Option<f64>,
    /// The lower bound of its Wilson 95 % interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// A claim about the edges that were drawn from, and whether the verdicts support it. An edge of which nobody could say
/// counts as wrong; nothing is supported while rows are open, because which are judged first is not chance.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Claim {
    /// At most this share of the edges that were drawn from is wrong.
    pub share: f64,
    /// How many of those judged may be wrong; null if they are too few.
    pub wrong_allowed: Option<u64>,
    /// True if it holds, 95 % sure and one-sided.
    pub holds: bool,
}

/// An edge that a person finds wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WrongEdge {
    /// The line of the file.
    pub line: u64,
    /// What it says.
    pub says: String,
    /// The rule.
    pub rule: String,
    /// Why it is wrong.
    pub reason: String,
    /// The sentence.
    pub sentence: String,
}

/// What a sample can support, of strata each with how many of it were judged and how many it has.
///
/// A stratum of one edge gives one however small the sample, so a sample may be out of proportion; it then supports what
/// the largest sample in proportion does that is a part of it.
fn supports(strata: &[(u64, u64)]) -> Vec<Supports> {
    let judged: u64 = strata.iter().map(|(judged, _)| judged).sum();
    let all: u64 = strata.iter().map(|(_, of)| of).sum();
    let fits = |size: u64| strata.iter().all(|(judged, of)| size * of / all.max(1) <= *judged);
    let size = (0..=judged).rev().find(|size| fits(*size)).unwrap_or_default();
    let supports = |share| Supports { share, wrong_allowed: wrong_allowed(size, share) };
    CLAIMS.into_iter().map(supports).collect()
}

/// An edge that may be drawn.
struct Drawn {
    fact: FactId,
    edge: usize,
    assertion: AssertionId,
}

/// The edges of a stratum that come first in the order of the draw, at most as many as are wanted.
#[derive(Default)]
struct Urn {
    edges: u64,
    first: BTreeMap<(Fingerprint, AssertionId), Drawn>,
}

/// Draws a sample of edges that were read in documents: of each edge type and rule in proportion, at least one. The
/// order of the draw is that of hashes of seed and edge. Reads every edge once, and holds no more than the sample of each
/// stratum.
pub fn sample(
    graph: &Graph<'_>,
    size: usize,
    edge_type: Option<&str>,
    seed: &str,
) -> Result<SampleView, Error> {
    let passes = edge_type.map(|name| edge_passes(graph, name)).transpose()?;
    let of = |pass: &Pass, name: &str| pass.edge_type.as_ref().is_none_or(|wanted| wanted == name);
    let mut urns: BTreeMap<(String, String), Urn> = BTreeMap::new();
    let mut without_sentence = 0;
    graph.view().each(|fact: Fact| {
        if passes.as_ref().is_some_and(|passes| !passes.iter().any(|pass| of(pass, &fact.edge_type))) {
            return Ok(());
        }
        let mut asked = BTreeSet::new();
        for (at, edge) in graph.edges(&fact)?.iter().enumerate() {
            if !graph.lens().as_of.is_none_or(|day| edge.interval.contains(day)) {
                continue;
            }
            let saying = graph.saying(&fact, Some(edge))?;
            let Some(assertion) = saying.filter(|assertion| assertion.origin.document().is_some()) else {
                without_sentence += 1;
                continue;
            };
            if !asked.insert(assertion.id) {
                continue;
            }
            let id = (Fingerprint::of(&["sample", seed, &assertion.id.to_string()]), assertion.id);
            let urn = urns.entry((fact.edge_type.clone(), assertion.rule)).or_default();
            urn.edges += 1;
            urn.first.insert(id, Drawn { fact: fact.id, edge: at, assertion: assertion.id });
            if urn.first.len() > size {
                urn.first.pop_last();
            }
        }
        Ok::<(), Error>(())
    })?;
    let edges: u64 = urns.values().map(|urn| urn.edges).sum();
    if size < urns.len() {
        return Err(Error::asked(
            format!("a sample of {size} has no edge of some of the {} strata", urns.len()),
            "each edge type and rule is a stratum and gives one edge at least; sample more, or one `--edge TYPE`",
        ));
    }
    let shares = allotted(&urns.values().map(|urn| urn.edges).collect::<Vec<_>>(), size as u64);
    let (mut strata, mut drawn) = (Vec::new(), Vec::new());
    for (((edge_type, rule), urn), sampled) in urns.into_iter().zip(shares) {
        strata.push(Stratum { edge_type, rule: rule.clone(), edges: urn.edges, sampled });
        for one in urn.first.into_values().take(sampled as usize) {
            drawn.extend(drawn_edge(graph, &one, urn.edges)?);
        }
    }
    let of_strata: Vec<(u64, u64)> = strata.iter().map(|one| (one.sampled, one.edges)).collect();
    Ok(SampleView {
        version: VERSION,
        generation: graph.lens().known_at,
        seed: seed.to_owned(),
        edges,
        without_sentence,
        strata,
        supports: supports(&of_strata),
        sample: drawn,
    })
}

fn drawn_edge(graph: &Graph<'_>, drawn: &Drawn, stratum: u64) -> Result<Option<SampledEdge>, Error> {
    let Some((fact, edges)) = graph.fact(&drawn.fact)? else { return Ok(None) };
    let (Some(edge), Some(assertion)) = (edges.get(drawn.edge), graph.assertion(&drawn.assertion)?) else {
        return Ok(None);
    };
    let place = where_read(graph, &assertion.origin, assertion.evidence.span)?;
    Ok(Some(SampledEdge {
        question: assertion.id.to_string(),
        edge_type: fact.edge_type.clone(),
        rule: assertion.rule,
        stratum,
        subject: graph.endpoint(&fact.subject)?,
        object: graph.endpoint(&fact.object)?,
        valid_from: edge.interval.from(),
        valid_to: edge.interval.to(),
        sentence: assertion.evidence.quote,
        path: place.path,
        at: place.at,
    }))
}

/// How a sample is shared among strata of these sizes: in proportion, at least one and at most all of each. `size` is at
/// least the number of strata.
fn allotted(strata: &[u64], size: u64) -> Vec<u64> {
    let all: u64 = strata.iter().sum();
    let size = size.min(all);
    let ideal: Vec<f64> = strata.iter().map(|of| size as f64 * *of as f64 / all.max(1) as f64).collect();
    let mut shares: Vec<u64> = ideal.iter().map(|ideal| (ideal.floor() as u64).max(1)).collect();
    // The first of those that are furthest from their share gives or takes one, until the sum is right.
    let furthest = |shares: &[u64], sign: f64, may: &dyn Fn(usize) -> bool| {
        let away = |at: usize| sign * (ideal[at] - shares[at] as f64);
        (0..shares.len()).filter(|at| may(*at)).min_by(|a, b| away(*b).total_cmp(&away(*a)).then(a.cmp(b)))
    };
    loop {
        let sum: u64 = shares.iter().sum();
        let next = match sum.cmp(&size) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => {
                furthest(&shares, 1.0, &|at| shares[at] < strata[at]).map(|at| (at, 1))
            }
            std::cmp::Ordering::Greater => furthest(&shares, -1.0, &|at| shares[at] > 1).map(|at| (at, -1)),
        };
        let Some((at, step)) = next else { return shares };
        shares[at] = shares[at].saturating_add_signed(step);
    }
}

/// Reads a file of verdicts, and what is wrong with its form.
pub fn verdict_rows(format: RowFormat, text: &str) -> (Vec<Row>, Vec<Problem>) {
    filled(format, text, VERDICTS)
}

/// What verdicts say, the decisions that follow from them, and everything that is wrong with them. A decision that
/// stands already is not made again.
pub fn verdicts(
    graph: &Graph<'_>,
    rows: &[Row],
) -> Result<(VerdictsView, Vec<Answered>, Vec<Problem>), Error> {
    let (mut answers, mut problems) = (Vec::new(), Vec::new());
    let mut strata: BTreeMap<(String, String), Estimate> = BTreeMap::new();
    let mut sizes: BTreeMap<(String, String), u64> = BTreeMap::new();
    let (mut wrong, mut open) = (Vec::new(), 0);
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        let mut problem = |message: String| problems.push(Problem { line: row.line, message });
        if let Some(line) = seen.insert(row.cell("question"), row.line) {
            problem(format!("the same question stands on line {line}"));
            continue;
        }
        let verdict = row.cell("verdict").to_lowercase();
        let (right, reason) = (verdict == "right", row.cell("reason"));
        match verdict.as_str() {
            "" => {
                open += 1;
                continue;
            }
            "right" | "unsure" => {}
            "wrong" if reason.is_empty() => problem("`wrong` needs a `reason`".to_owned()),
            "wrong" => {}
            other => problem(format!("`{other}` is not a verdict: write right, wrong or unsure")),
        }
        let Some(assertion) = question(graph, row.cell("question"))? else {
            let gone = row.cell("question");
            problem(format!("there is no question `{gone}` any more: its sentence has changed or gone"));
            continue;
        };
        let key = (assertion.edge_type.clone(), assertion.rule.clone());
        match row.cell("stratum").parse::<u64>() {
            Ok(of) if of > 0 && sizes.get(&key).is_none_or(|before| *before == of) => {
                sizes.insert(key.clone(), of);
            }
            _ => problem(format!("`{}` is not how many edges its stratum has", row.cell("stratum"))),
        }
        let estimate = strata.entry(key).or_default();
        match verdict.as_str() {
            "right" => estimate.right += 1,
            "unsure" => {
                estimate.unsure += 1;
                continue;
            }
            _ => {
                estimate.wrong += 1;
                wrong.push(WrongEdge {
                    line: row.line,
                    says: says(graph, &assertion)?,
                    rule: assertion.rule.clone(),
                    reason: reason.to_owned(),
                    sentence: assertion.evidence.quote.clone(),
                });
            }
        }
        if stands(graph, &assertion, right)? || (!right && reason.is_empty()) {
            continue;
        }
        match answer(graph, &row.answering(if right { "approve" } else { "reject" }))? {
            Ok(answered) => answers.push(answered),
            Err(messages) => messages.into_iter().for_each(problem),
        }
    }
    problems.sort();
    let strata: Vec<Estimate> = strata
        .into_iter()
        .map(|((edge_type, rule), counted)| estimated(Estimate { edge_type, rule, ..counted }))
        .collect();
    let sum = |of: fn(&Estimate) -> u64| strata.iter().map(of).sum::<u64>();
    let all = Estimate {
        right: sum(|one| one.right),
        wrong: sum(|one| one.wrong),
        unsure: sum(|one| one.unsure),
        ..Estimate::default()
    };
    let bad = all.wrong + all.unsure;
    let judged = |one: &Estimate| one.right + one.wrong + one.unsure;
    let size = |one: &Estimate| sizes.get(&(one.edge_type.clone(), one.rule.clone())).copied();
    let of_strata: Vec<(u64, u64)> =
        strata.iter().map(|one| (judged(one), size(one).unwrap_or_default())).collect();
    let claims = supports(&of_strata).into_iter().map(|Supports { share, wrong_allowed }| Claim {
        share,
        wrong_allowed,
        holds: open == 0 && wrong_allowed.is_some_and(|allowed| bad <= allowed),
    });
    let claims = claims.collect();
    Ok((VerdictsView { open, all: estimated(all), strata, claims, wrong }, answers, problems))
}

fn estimated(counted: Estimate) -> Estimate {
    let of = counted.right + counted.wrong;
    let (low, high) = wilson(counted.right, of);
    Estimate { share: (of > 0).then(|| counted.right as f64 / of as f64), low, high, ..counted }
}

/// The assertion of a question, if the reader sees it.
fn question(graph: &Graph<'_>, id: &str) -> Result<Option<Assertion>, Error> {
    let Ok(id) = id.parse::<AssertionId>() else { return Ok(None) };
    match graph.assertion(&id)? {
        Some(assertion) if graph.sees(&assertion)? => Ok(Some(assertion)),
        _ => Ok(None),
    }
}

fn says(graph: &Graph<'_>, assertion: &Assertion) -> Result<String, Error> {
    let mut names = Vec::new();
    for resolution in [&assertion.subject, &assertion.object] {
        names.push(match resolution.known() {
            Some(key) => graph.name(key)?,
            None => side(resolution),
        });
    }
    Ok(format!("{} {} {}", names[0], assertion.edge_type, names[1]))
}

/// True if the answer that stands on the question of an assertion is this one already.
fn stands(graph: &Graph<'_>, assertion: &Assertion, right: bool) -> Result<bool, Error> {
    let question = Question::of(assertion);
    let standing = graph.standing_decisions()?.iter().rfind(|one| one.question == question);
    Ok(standing.is_some_and(|one| match one.answer {
        Answer::Approve => right,
        Answer::Reject { .. } => !right,
        Answer::Correct { .. } | Answer::Undo { .. } => false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_out_of_proportion_supports_what_its_proportional_part_does() {
        let allowed = |strata: &[(u64, u64)]| -> Vec<Option<u64>> {
            supports(strata).iter().map(|one| one.wrong_allowed).collect()
        };
        assert_eq!(allowed(&[(59, 59_000)]), [Some(1), Some(0), None]);
        assert_eq!(allowed(&[(39, 662), (20, 338)]), [Some(1), Some(0), None]);
        // Forty strata of one edge each, and nineteen of the thousand edges of one rule.
        let mut strata = vec![(1, 1); 40];
        strata.push((19, 1_000));
        assert_eq!(allowed(&strata), [None, None, None]);
        assert_eq!(allowed(&[]), [None, None, None]);
    }

    #[test]
    fn a_sample_is_shared_in_proportion_and_nobody_is_left_out() {
        assert_eq!(allotted(&[50, 30, 20], 10), [5, 3, 2]);
        assert_eq!(allotted(&[1000, 1, 1], 10), [8, 1, 1]);
        assert_eq!(allotted(&[3, 3, 3], 4), [2, 1, 1]);
        assert_eq!(allotted(&[3, 3, 3], 100), [3, 3, 3]);
        assert_eq!(allotted(&[90, 5, 5], 3), [1, 1, 1]);
        assert!(allotted(&[], 5).is_empty());
        for size in 5..60 {
            let strata = [17, 1, 9, 2, 31];
            let shares = allotted(&strata, size);
            assert_eq!(shares.iter().sum::<u64>(), size.min(60));
            assert!(shares.iter().zip(strata).all(|(share, of)| (1..=of).contains(share)), "{shares:?}");
        }
    }
}
