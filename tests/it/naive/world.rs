//! A small universe as plain values: who exists, what each document says, what each feed lists, what people
//! decided. The files that the program reads are rendered from these values elsewhere; here is no I/O.

use std::collections::{BTreeMap, BTreeSet};

use super::calendar::{Day, Days};

/// An entity, as `Supplier:S1`.
pub(crate) type Key = String;

/// Subject, edge type, object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Fact {
    pub(crate) subject: Key,
    pub(crate) kind: &'static str,
    pub(crate) object: Key,
}

impl Fact {
    /// The id that breaks the last tie: the hash of the three parts, each with its length.
    pub(crate) fn id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in ["a fact id", &self.subject, self.kind, &self.object] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex().chars().take(32).collect()
    }
}

/// A date as a sentence states it: the days `[first, next)`; more than one day if it is coarse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Stated {
    pub(crate) first: Day,
    pub(crate) next: Day,
}

impl Stated {
    /// One day.
    pub(crate) fn day(day: Day) -> Self {
        Self { first: day, next: day.next() }
    }

    /// True if the date is stated more finely than the other and lies in it.
    pub(crate) fn refines(self, other: Self) -> bool {
        other.first <= self.first && self.next <= other.next && self != other
    }
}

/// Whether a sentence says that a fact holds or that it has ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Says {
    Holds,
    Ends,
}

/// What one sentence or row says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Claim {
    /// The rule that reads it; its confidence is looked up when the claim is judged.
    pub(crate) rule: &'static str,
    pub(crate) fact: Fact,
    pub(crate) says: Says,
    pub(crate) from: Option<Stated>,
    /// The first day that no longer counts.
    pub(crate) to: Option<Day>,
}

/// Where a claim stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Origin {
    /// A document, by its path.
    Document(String),
    /// A row of a feed.
    Row(&'static str),
}

/// A claim at its place: one piece of evidence.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Attestation {
    pub(crate) origin: Origin,
    /// The sentence, or the row as text.
    pub(crate) quote: String,
    /// 0 for the first time that the sentence stands in the document, and so on.
    pub(crate) occurrence: usize,
    /// As a person has corrected it, once [`Inputs::corrected`] has been asked.
    pub(crate) claim: Claim,
    /// The fact as it was read, whatever a person makes of it: what a question is about.
    pub(crate) asked: Fact,
    /// The effective date of the document.
    pub(crate) dated: Option<Day>,
    /// The contract for which the document stands.
    pub(crate) stands_for: Option<Key>,
    /// The day on which a later version of the document left the sentence out.
    pub(crate) left: Option<Day>,
}

/// What the ontology says of an edge type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Kind {
    /// At most one subject an object on one day.
    pub(crate) at_most_one: bool,
    /// What documents standing for the object attest ends when this starts.
    pub(crate) ends_object: bool,
    pub(crate) review: bool,
    /// In percent.
    pub(crate) threshold: u32,
}

/// An answer to a question about one fact in one document by one sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    pub(crate) number: u64,
    pub(crate) fact: Fact,
    pub(crate) document: String,
    pub(crate) quote: String,
    pub(crate) answer: Answer,
}

/// What a person says of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Approve,
    Reject,
    /// It holds otherwise: from this day, to this day, of this object; what is `None` stays as read.
    Correct {
        from: Option<Day>,
        to: Option<Day>,
        object: Option<Key>,
    },
}

/// What a person changed by hand, while it is not taken back.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ByHand {
    /// There is such an entity, whatever the master data says.
    Adds(Key),
    /// It is gone, whatever the master data says.
    Removes(Key),
    /// The fact holds, or has ended.
    Says(Claim),
    /// There is such an entity, and its bulletin says this.
    Brings(Key, Vec<Attestation>),
}

/// All inputs at once.
#[derive(Clone, Default, Debug)]
pub(crate) struct Inputs {
    /// Everything that is said, accepted or not.
    pub(crate) attestations: Vec<Attestation>,
    /// Entities that the master data holds.
    pub(crate) entities: BTreeSet<Key>,
    pub(crate) kinds: BTreeMap<&'static str, Kind>,
    /// Rule → confidence in percent.
    pub(crate) confidence: BTreeMap<&'static str, u32>,
    /// Feeds whose rows decide.
    pub(crate) deciding: BTreeSet<&'static str>,
    /// Decisions that were not taken back.
    pub(crate) decisions: Vec<Decision>,
    /// Logged: (stands, against).
    pub(crate) incumbents: BTreeSet<(Fact, Fact)>,
    /// On which days each fact stood in the generation before.
    pub(crate) stood: BTreeMap<Fact, Days>,
}

impl Inputs {
    /// True if a feed that decides says so.
    pub(crate) fn decides(&self, attestation: &Attestation) -> bool {
        matches!(attestation.origin, Origin::Row(feed) if self.deciding.contains(feed))
    }

    /// The last decision on the attestation.
    pub(crate) fn decision(&self, attestation: &Attestation) -> Option<&Decision> {
        let Origin::Document(document) = &attestation.origin else { return None };
        self.decisions
            .iter()
            .filter(|decision| {
                decision.fact == attestation.asked
                    && decision.document == *document
                    && decision.quote == attestation.quote
            })
            .max_by_key(|decision| decision.number)
    }

    /// The number of the decision by which a person vouches for the attestation, as read or as corrected.
    pub(crate) fn vouched(&self, attestation: &Attestation) -> Option<u64> {
        self.decision(attestation).filter(|one| one.answer != Answer::Reject).map(|one| one.number)
    }

    /// The inputs with every standing correction in its place.
    pub(crate) fn corrected(&self) -> Self {
        let mut inputs = self.clone();
        for attestation in &mut inputs.attestations {
            if let Some(Decision { answer: Answer::Correct { from, to, object }, .. }) =
                self.decision(attestation)
            {
                let claim = &mut attestation.claim;
                claim.from = from.map(Stated::day).or(claim.from);
                claim.to = to.or(claim.to);
                claim.fact.object.clone_from(object.as_ref().unwrap_or(&attestation.asked.object));
            }
        }
        inputs
    }
}

/// What the graph must say.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Graph {
    /// `Supplier:S1 supplies Component:C1 [2024-02-17, ∞) x2`, sorted.
    pub(crate) edges: Vec<String>,
    /// `Supplier:S1 supplies Component:C1 <- note.txt | the sentence`, sorted.
    pub(crate) evidence: Vec<String>,
    /// `conflict | note.txt | the sentence`, sorted.
    pub(crate) quarantine: Vec<String>,
    /// `Supplier:S1 supplies Component:C1 | note.txt | the sentence`, sorted.
    pub(crate) pending: Vec<String>,
    /// On which days each fact stands.
    pub(crate) stood: BTreeMap<Fact, Days>,
    /// What waits, with its reasons.
    pub(crate) waiting: Vec<(Vec<&'static str>, Attestation)>,
    /// To be logged: (stands, against).
    pub(crate) incumbents: BTreeSet<(Fact, Fact)>,
    /// What happened on the way, for the table of cases.
    pub(crate) reached: BTreeSet<&'static str>,
}
