//! Facts and edges: what the fold makes of the accepted assertions.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::id::{AssertionId, EntityKey, FactId};
use super::time::{Date, Interval, Precision};

/// A fact with its edges: the derived row that readers see. It exists while an edge of it exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// (subject, edge type, object, identity properties), hashed.
    pub id: FactId,
    /// The subject.
    pub subject: EntityKey,
    /// The edge type.
    pub edge_type: String,
    /// The object.
    pub object: EntityKey,
    /// The identity properties.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub identity: BTreeMap<String, String>,
    /// The edges, ascending, never touching one another. At least one.
    pub edges: Vec<Edge>,
    /// Everything that attests it, sorted by assertion: what each one contributes.
    pub attestations: Vec<Attested>,
    /// What cut an edge short, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cut>,
}

/// One effective interval of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The interval.
    pub interval: Interval,
    /// How finely its start is known; `None` for an unknown start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_precision: Option<Precision>,
    /// True if the end is known to lie in the past but not when: the interval then ends on the day of the
    /// document that says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end_unknown: bool,
    /// The properties that stand: of the latest stated start, then by authority.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
}

impl fmt::Display for Edge {
    /// The interval with everything else by which two edges differ.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.interval)?;
        match self.from_precision {
            Some(Precision::Month) => f.write_str(" (month)")?,
            Some(Precision::Quarter) => f.write_str(" (quarter)")?,
            Some(Precision::Year) => f.write_str(" (year)")?,
            Some(Precision::Day) | None => {}
        }
        if self.end_unknown {
            f.write_str(" (end unknown)")?;
        }
        self.properties.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// What one assertion contributes to a fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Attested {
    /// The assertion.
    pub assertion: AssertionId,
    /// Its own interval after all cuts; an attestation without stated bounds has the one of the edge that
    /// it joined, as it would be without anyone else's stated bounds only for readers who see nothing else.
    pub interval: Interval,
    /// The interval that it states alone, before it joined others, after all cuts: what a reader sees who
    /// sees only this attestation.
    pub alone: Interval,
    /// True if it defines the edge's bounds; false if it joined as evidence.
    pub defines: bool,
    /// True if it says that the fact has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends: bool,
    /// What it says by itself, so that a reader who sees only some attestations gets an answer of those.
    #[serde(default)]
    pub claim: Claim,
}

/// What an assertion says by itself, before it joined others, and what the fold did to it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Claim {
    /// The stated start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<(Date, Precision)>,
    /// The stated exclusive end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<(Date, Precision)>,
    /// Its properties, without the identity properties.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// Its authority where starts are equal: 0 a document, 1 a feed, 2 a feed that decides.
    #[serde(default)]
    pub authority: u8,
    /// The start of the interval that it joined as evidence, if it joined one with a known start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<Date>,
    /// The day on which it was cut, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Date>,
}

/// A derived end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cut {
    /// The first day that no longer holds.
    pub on: Date,
    /// Why.
    pub by: CutBy,
}

/// What ends an edge other than its own stated end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutBy {
    /// A newcomer under `at_most_one`.
    Newcomer(FactId),
    /// A fact of a superseding type, whose object the attesting document stands for.
    Superseded(FactId),
    /// An assertion that the fact has ended.
    Ended(AssertionId),
    /// The text was amended away, or the feed row left with a date.
    Left(AssertionId),
}

/// Why an assertion is not published as it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Reason {
    /// Its confidence is below the edge type's threshold.
    ConfidenceLow,
    /// The edge type is under mandatory review and nobody has approved it.
    ReviewRequired,
    /// An endpoint may be several entities.
    EndpointAmbiguous {
        /// The text.
        surface: String,
    },
    /// An endpoint is nobody that the master data knows.
    EndpointUnknown {
        /// The text.
        surface: String,
    },
    /// The edge type does not take these two types.
    DomainRange,
    /// A date may be read in more than one way.
    DateAmbiguous {
        /// The text.
        text: String,
    },
    /// A date that the calendar does not have.
    DateInvalid {
        /// The text.
        text: String,
    },
    /// A date is needed and none is stated.
    DateMissing,
    /// The end is not after the start.
    IntervalEmpty,
    /// It cannot hold beside another fact, and the other one stands.
    Conflict {
        /// The other fact.
        with: FactId,
    },
    /// With others it would close a circle.
    Cycle {
        /// The fact after it in the circle.
        with: FactId,
    },
    /// The master data decides otherwise.
    ContradictsMaster {
        /// The fact that the master data states, if it states one.
        with: Option<FactId>,
    },
    /// One sentence carries more edges than a sentence should.
    SnippetCrowded {
        /// How many.
        edges: u32,
    },
    /// The rule's reviewed precision is below its floor.
    RuleImprecise,
    /// The document's edges are unusable: it was withdrawn.
    Withdrawn,
}

impl Reason {
    /// Every code.
    pub const CODES: [&str; 15] = [
        "confidence-low",
        "review-required",
        "endpoint-ambiguous",
        "endpoint-unknown",
        "domain-range",
        "date-ambiguous",
        "date-invalid",
        "date-missing",
        "interval-empty",
        "conflict",
        "cycle",
        "contradicts-master",
        "snippet-crowded",
        "rule-imprecise",
        "withdrawn",
    ];

    /// The stable code: the name of its page in `docs/codes/`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ConfidenceLow => "confidence-low",
            Self::ReviewRequired => "review-required",
            Self::EndpointAmbiguous { .. } => "endpoint-ambiguous",
            Self::EndpointUnknown { .. } => "endpoint-unknown",
            Self::DomainRange => "domain-range",
            Self::DateAmbiguous { .. } => "date-ambiguous",
            Self::DateInvalid { .. } => "date-invalid",
            Self::DateMissing => "date-missing",
            Self::IntervalEmpty => "interval-empty",
            Self::Conflict { .. } => "conflict",
            Self::Cycle { .. } => "cycle",
            Self::ContradictsMaster { .. } => "contradicts-master",
            Self::SnippetCrowded { .. } => "snippet-crowded",
            Self::RuleImprecise => "rule-imprecise",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// What the gate says of one assertion, by what that assertion alone shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It takes part in the fold.
    Accept,
    /// A person must look. At least one reason.
    Quarantine(Vec<Reason>),
    /// A person has said no, with this reason.
    Reject(String),
}

/// An assertion in quarantine: a derived row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantined {
    /// The assertion.
    pub assertion: AssertionId,
    /// The reasons, sorted; at least one.
    pub reasons: Vec<Reason>,
}

/// An end that waits for an attestation of its fact: a derived row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingEnd {
    /// The fact that is said to have ended.
    pub fact: FactId,
    /// The assertion that says so.
    pub assertion: AssertionId,
}

/// Who stands in a conflict: logged with the decisions, an input of every rebuild.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Incumbent {
    /// The fact that stands.
    pub stands: FactId,
    /// The fact that it stands against.
    pub against: FactId,
}
