//! Edges as values: who, what, when, how well attested, and why they ended.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Graph};
use crate::model::fact::{Cut, CutBy, Edge, Fact};
use crate::model::id::EntityKey;
use crate::model::time::{Interval, Precision};

/// An edge as a reader sees it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EdgeView {
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
    /// How finely the start was stated: `day`, `month`, `quarter` or `year`.
    #[schemars(with = "Option<String>")]
    pub from_precision: Option<Precision>,
    /// The first day that no longer belongs; null if the end is open.
    #[schemars(with = "Option<String>")]
    pub valid_to: Option<Date>,
    /// True if it is over and nobody says since when.
    pub end_unknown: bool,
    /// What the day asked for makes of it.
    pub state: State,
    /// The identity properties.
    pub identity: BTreeMap<String, String>,
    /// The properties that stand.
    pub properties: BTreeMap<String, String>,
    /// How many attestations of it the reader sees.
    pub attestations: usize,
    /// What ended it, beside its own stated end.
    pub ended_by: Vec<End>,
}

/// An endpoint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Endpoint {
    /// The key, as `Type:key`.
    pub key: String,
    /// The name by which it goes.
    pub name: String,
}

/// What a day makes of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It holds on the day.
    Current,
    /// It has ended by then.
    Ended,
    /// It has not begun by then.
    Future,
}

impl State {
    /// What a day makes of an interval.
    pub fn of(interval: &Interval, day: Date) -> Self {
        if interval.contains(day) {
            Self::Current
        } else if interval.from().is_some_and(|from| day < from) {
            Self::Future
        } else {
            Self::Ended
        }
    }

    /// The name, the same as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Ended => "ended",
            Self::Future => "future",
        }
    }
}

/// What ended an edge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct End {
    /// The first day that no longer holds.
    #[schemars(with = "String")]
    pub on: Date,
    /// `newcomer`, `superseded`, `ended`, `left`, or `hidden` for what the reader may not see.
    pub why: String,
    /// The fact or sentence that ended it.
    pub says: Option<String>,
    /// The fact that ended it.
    pub fact: Option<String>,
    /// The assertion that ended it.
    pub assertion: Option<String>,
}

impl Graph<'_> {
    /// An endpoint as a value.
    pub(super) fn endpoint(&self, key: &EntityKey) -> Result<Endpoint, Error> {
        Ok(Endpoint { key: key.to_string(), name: self.name(key)? })
    }

    /// A visible edge of a fact as a value.
    pub(super) fn edge_view(&self, fact: &Fact, edge: &Edge) -> Result<EdgeView, Error> {
        let seen = self.seen_of(fact)?;
        let attests = |interval: &Interval| interval.overlaps(&edge.interval);
        let attestations = fact
            .attestations
            .iter()
            .filter(|one| !one.ends && attests(&one.interval) && seen.contains(&one.assertion))
            .count();
        let mut identity = fact.identity.clone();
        identity.retain(|name, _| self.sees_property(&fact.edge_type, name));
        Ok(EdgeView {
            fact: fact.id.to_string(),
            edge_type: fact.edge_type.clone(),
            subject: self.endpoint(&fact.subject)?,
            object: self.endpoint(&fact.object)?,
            valid_from: edge.interval.from(),
            from_precision: edge.from_precision,
            valid_to: edge.interval.to(),
            end_unknown: edge.end_unknown,
            state: State::of(&edge.interval, self.lens().day()),
            identity,
            properties: edge.properties.clone(),
            attestations,
            ended_by: self.ends(fact, edge)?,
        })
    }

    /// What ended an edge, as far as the reader may know.
    pub(super) fn ends(&self, fact: &Fact, edge: &Edge) -> Result<Vec<End>, Error> {
        let Some(last) = edge.interval.to() else { return Ok(Vec::new()) };
        let mut ends = Vec::new();
        for cut in fact.cuts.iter().filter(|cut| cut.on == last) {
            let end = self.end(cut)?;
            if !ends.contains(&end) {
                ends.push(end);
            }
        }
        Ok(ends)
    }

    /// A cause that the reader may not see shows its date and nothing else.
    fn end(&self, cut: &Cut) -> Result<End, Error> {
        let mut end = End { on: cut.on, why: "hidden".to_owned(), says: None, fact: None, assertion: None };
        match &cut.by {
            CutBy::Newcomer(id) | CutBy::Superseded(id) => {
                if let Some((other, _)) = self.fact(id)? {
                    let newcomer = matches!(cut.by, CutBy::Newcomer(_));
                    end.why = if newcomer { "newcomer" } else { "superseded" }.to_owned();
                    end.says = Some(self.says(&other)?);
                    end.fact = Some(id.to_string());
                }
            }
            CutBy::Ended(id) | CutBy::Left(id) => {
                if let Some(assertion) = self.assertion(id)?
                    && self.sees(&assertion)?
                {
                    let left = matches!(cut.by, CutBy::Left(_));
                    end.why = if left { "left" } else { "ended" }.to_owned();
                    end.says = match assertion.left {
                        Some(left_on) if left => Some(left_on.why),
                        _ => Some(assertion.evidence.quote),
                    };
                    end.assertion = Some(id.to_string());
                }
            }
        }
        Ok(end)
    }
}
