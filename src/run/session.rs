//! One run's working state: what it writes through, what it has found out so far, and how it touches facts.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::drift::{Consent, Observed};
use crate::index::Reader;
use crate::model::assertion::{Assertion, Origin, Reading};
use crate::model::cause::Cause;
use crate::model::decision::{Answer, Decision, Question};
use crate::model::entity::{EntityClaim, lives};
use crate::model::fact::Quarantined;
use crate::model::group::Group;
use crate::model::id::{AssertionId, DocumentId, EntityKey, FactId, Fingerprint};
use crate::model::mention::{Name, Resolution};
use crate::model::time::{Date, DateBase};
use crate::ontology::dates::parse_date_text;
use crate::ontology::{EdgeType, Ontology};
use crate::reconcile::Gap;
use crate::resolve::{Outcome, merged, resolve};
use crate::store::{Kind, Record, Writer};
use crate::worker::{Means, Pool};

use super::floors::Declared;
use super::names::names_of;
use super::once::{Options, Progress};
use super::recall::Recall;
use super::report::RunReport;
use super::setup::Setup;
use super::{Error, Step, Workspace};

/// One run.
pub(super) struct Session<'r> {
    pub(super) setup: &'r Setup,
    pub(super) writer: &'r Writer<'r>,
    pub(super) options: &'r Options,
    pub(super) progress: Progress<'r>,
    pub(super) report: RunReport,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Scopes whose loss a person has accepted: feed names, and `source/prefix`.
    pub(super) accepted_feeds: BTreeMap<String, String>,
    pub(super) accepted_scopes: Vec<(String, String, String)>,
    /// Findings of the drift report that a person has accepted, by key.
    pub(super) consents: BTreeMap<String, Consent>,
    /// The golden sets that the jobs declare.
    pub(super) golden: Vec<Declared>,
    /// What the drift report is told of this run beside the changes of facts.
    pub(super) observed: Observed,
    /// True if an ontology or a stage is another one than last time, so that documents read differently on purpose.
    pub(super) planned: bool,
    /// Key → the key into which its system of record merged it.
    pub(super) merges: BTreeMap<EntityKey, EntityKey>,
    /// The same as last published: what counted for a key then is folded again where it no longer does.
    pub(super) merges_before: BTreeMap<EntityKey, EntityKey>,
    /// Names that came or went in this run: the chunks that hold them are linked again.
    pub(super) changed_names: BTreeSet<Name>,
    /// Entities that came, went or changed in this run.
    pub(super) changed_entities: BTreeSet<EntityKey>,
    /// Feed rows that changed in this run: feed → row keys.
    pub(super) changed_rows: BTreeMap<String, BTreeSet<String>>,
    /// Documents that a person wants to be read again although nothing about them has changed.
    pub(super) again: BTreeSet<DocumentId>,
    /// Sources of which a document came, went or has another text.
    pub(super) changed_sources: BTreeSet<String>,
    /// How many documents of each source were withdrawn, or are gone.
    pub(super) withdrawals: BTreeMap<String, u64>,
    /// Rules whose reviewed precision is below their floor.
    pub(super) imprecise: BTreeSet<String>,
    /// Entities that a person's edit brought, removed or gave back in this run, with the edit in words.
    pub(super) by_hand: BTreeMap<EntityKey, String>,
    /// Texts that came with edits in this run, by the document that they become.
    pub(super) texts: BTreeMap<DocumentId, String>,
    /// Corrections of endpoints, by the group that they move an assertion into.
    pub(super) corrections: BTreeMap<String, Vec<Decision>>,
    /// The text index at the generation before this one, in which words are looked up.
    pub(super) index: Option<Reader>,
    /// The first assertions that came into quarantine in this run; what edits themselves say is not among them.
    pub(super) newly_waiting: Vec<AssertionId>,
    /// Days on which nobody holds an edge, among the groups that were folded.
    pub(super) gaps: BTreeSet<Gap>,
    /// What a fold asks again and again.
    pub(super) recall: Recall,
    /// The processes that parse documents of risky formats.
    pub(super) workers: Arc<Pool>,
    live: RefCell<BTreeMap<EntityKey, bool>>,
}

/// With what documents of risky formats are parsed.
pub(super) fn means(options: &Options) -> Means {
    let workspace = Workspace::new(&options.workspace);
    Means {
        program: options.program.clone(),
        kept: workspace.parsed(),
        root: options.workspace.clone(),
        plan: options.plan,
        faulty: options.faulty_parser,
    }
}

impl<'r> Session<'r> {
    /// Begins.
    pub(super) fn new(
        setup: &'r Setup,
        writer: &'r Writer<'r>,
        options: &'r Options,
        progress: Progress<'r>,
        report: RunReport,
    ) -> Self {
        Self {
            setup,
            writer,
            options,
            progress,
            report,
            diagnostics: Vec::new(),
            accepted_feeds: BTreeMap::new(),
            accepted_scopes: Vec::new(),
            consents: BTreeMap::new(),
            golden: Vec::new(),
            observed: Observed::default(),
            planned: false,
            merges: BTreeMap::new(),
            merges_before: BTreeMap::new(),
            changed_names: BTreeSet::new(),
            changed_entities: BTreeSet::new(),
            changed_rows: BTreeMap::new(),
            again: BTreeSet::new(),
            changed_sources: BTreeSet::new(),
            withdrawals: BTreeMap::new(),
            imprecise: BTreeSet::new(),
            by_hand: BTreeMap::new(),
            texts: BTreeMap::new(),
            corrections: BTreeMap::new(),
            index: None,
            newly_waiting: Vec::new(),
            gaps: BTreeSet::new(),
            recall: Recall::default(),
            workers: Arc::new(Pool::new(means(options))),
            live: RefCell::new(BTreeMap::new()),
        }
    }

    /// Says that a step is reached, and stops there if asked to.
    pub(super) fn reached(&self, step: Step, done: u64, of: u64) -> Result<(), Error> {
        (self.progress)(step, done, of);
        if self.options.stop_at == Some(step) { Err(Error::Stopped(step)) } else { Ok(()) }
    }

    /// True if an entity is claimed by anybody now.
    pub(super) fn is_live(&self, key: &EntityKey) -> Result<bool, Error> {
        if let Some(live) = self.live.borrow().get(key) {
            return Ok(*live);
        }
        let claims: Vec<EntityClaim> = self.writer.view().by("entity", &key.to_string())?;
        let live = lives(&claims);
        self.live.borrow_mut().insert(key.clone(), live);
        Ok(live)
    }

    /// Puts a claim and notes what it changes: names to look up, an entity to look at again.
    pub(super) fn put_claim(&mut self, claim: &EntityClaim) -> Result<(), Error> {
        let before: Option<EntityClaim> = self.writer.view().get(&Record::id(claim))?;
        if self.writer.put(claim)? {
            self.claim_changed(before.as_ref(), Some(claim));
        }
        Ok(())
    }

    /// Closes a claim, with the same notes.
    pub(super) fn close_claim(&mut self, claim: &EntityClaim) -> Result<(), Error> {
        self.writer.close(Kind::Entity, &Record::id(claim))?;
        self.claim_changed(Some(claim), None);
        Ok(())
    }

    fn claim_changed(&mut self, before: Option<&EntityClaim>, after: Option<&EntityClaim>) {
        let names = |claim: Option<&EntityClaim>| -> BTreeSet<Name> {
            // Who removes an entity names nobody: its names stay linked, and nothing is linked again.
            let claim = claim.filter(|claim| !claim.removes());
            claim.map(|claim| names_of(self.setup, claim)).into_iter().flatten().collect()
        };
        // A name of another rank is another one: its rank settles an ambiguity.
        let (old, new) = (names(before), names(after));
        self.changed_names.extend(old.symmetric_difference(&new).cloned());
        for claim in before.into_iter().chain(after) {
            self.live.borrow_mut().remove(&claim.entity);
            self.changed_entities.insert(claim.entity.clone());
        }
    }

    /// Makes an assertion of a reading, and the claims of entities that it creates. `None` if the ontology
    /// drops what it does not know.
    pub(super) fn assertion(
        &self,
        ontology: &Ontology,
        reading: Reading,
        origin: &Origin,
        occurrence: u32,
    ) -> Result<Option<(Assertion, Vec<EntityClaim>)>, Error> {
        let mut claims = Vec::new();
        let mut endpoint = |slot: &crate::model::assertion::Slot| -> Result<Option<Resolution>, Error> {
            Ok(match resolve(slot, ontology) {
                Outcome::Drop => None,
                Outcome::Create(entity) => {
                    claims.push(EntityClaim::of_text(entity.clone(), origin.clone()));
                    Some(Resolution::Known(entity))
                }
                Outcome::Resolved(Resolution::Ambiguous { surface, candidates }) => {
                    // A feed's column may hold keys of several types: the one that exists is meant.
                    let mut live = Vec::new();
                    for candidate in &candidates {
                        if self.is_live(candidate)? {
                            live.push(candidate.clone());
                        }
                    }
                    let by_key = candidates.iter().all(|candidate| candidate.key() == surface);
                    match live.as_slice() {
                        [one] if by_key => Some(Resolution::Known(one.clone())),
                        _ => Some(Resolution::Ambiguous { surface, candidates }),
                    }
                }
                Outcome::Resolved(resolution) => Some(resolution),
            })
        };
        let (Some(mut subject), Some(mut object)) = (endpoint(&reading.subject)?, endpoint(&reading.object)?)
        else {
            return Ok(None);
        };
        let edge = ontology.edges.get(&reading.edge_type);
        if edge.is_some_and(|edge| edge.symmetric) && object < subject {
            std::mem::swap(&mut subject, &mut object);
        }
        let fact = edge.and_then(|edge| fact_of(edge, &subject, &object, &reading.properties));
        let quote_hash = Fingerprint::of_bytes(reading.evidence.quote.as_bytes());
        let place = match origin {
            Origin::Chunk { document, .. } => document.to_string(),
            Origin::Row { feed, row } => format!("{feed}#{row}"),
        };
        let shape = serde_json::to_string(&(
            &reading.says,
            &subject,
            &object,
            &reading.valid_from,
            &reading.valid_to,
            &reading.properties,
        ))
        .map_err(|error| Error::Bug(format!("an assertion is plain data: {error}")))?;
        let id = AssertionId::of(&[
            &place,
            &reading.rule,
            &reading.edge_type,
            &shape,
            &quote_hash.to_string(),
            &occurrence.to_string(),
        ]);
        let revision = ontology
            .rule(&reading.rule)
            .map_or_else(|| Fingerprint::of(&[&reading.rule]), |rule| rule.revision);
        let assertion = Assertion {
            id,
            origin: origin.clone(),
            edge_type: reading.edge_type,
            says: reading.says,
            subject,
            object,
            fact,
            valid_from: reading.valid_from,
            valid_to: reading.valid_to,
            properties: reading.properties,
            confidence: reading.confidence,
            evidence: reading.evidence,
            quote_hash,
            rule: reading.rule,
            revision,
            left: None,
        };
        Ok(Some((assertion, claims)))
    }

    /// The assertion as it counts now: merged keys followed, the standing correction applied, and endpoints
    /// that nobody claims any more unknown.
    pub(super) fn effective(
        &self,
        assertion: &Assertion,
        decision: Option<&Decision>,
    ) -> Result<Assertion, Error> {
        let mut effective = self.keyed(assertion, decision, &self.merges);
        for side in [&mut effective.subject, &mut effective.object] {
            if let Resolution::Known(key) = side
                && !self.is_live(key)?
            {
                let types = vec![key.entity_type().to_owned()];
                *side = Resolution::Unknown { surface: key.key().to_owned(), types };
            }
        }
        effective.fact = self.counts_for(&effective);
        Ok(effective)
    }

    /// The assertion with the standing correction applied and these merges followed.
    fn keyed(
        &self,
        assertion: &Assertion,
        decision: Option<&Decision>,
        merges: &BTreeMap<EntityKey, EntityKey>,
    ) -> Assertion {
        let mut keyed = assertion.clone();
        if let Some(Decision { answer: Answer::Correct { subject, object, .. }, .. }) = decision {
            for (side, corrected) in [(&mut keyed.subject, subject), (&mut keyed.object, object)] {
                if let Some(corrected) = corrected {
                    *side = Resolution::Known(corrected.clone());
                }
            }
        }
        for side in [&mut keyed.subject, &mut keyed.object] {
            if let Resolution::Known(key) = side {
                *side = Resolution::Known(merged(key, merges));
            }
        }
        keyed.fact = self.counts_for(&keyed);
        keyed
    }

    fn counts_for(&self, assertion: &Assertion) -> Option<FactId> {
        let edge = self.setup.edge(&assertion.edge_type)?;
        fact_of(edge, &assertion.subject, &assertion.object, &assertion.properties)
    }

    /// Notes that an assertion's facts must be folded again: the fact as read, the one that it now counts for,
    /// and the one that it counted for before a merge changed.
    pub(super) fn touch(&self, assertion: &Assertion, cause: Cause, detail: &str) -> Result<(), Error> {
        let decision = self.standing(&Question::of(assertion))?;
        let effective = self.effective(assertion, decision.as_ref())?;
        let Some(edge) = self.setup.edge(&assertion.edge_type) else {
            // The type has left the ontology: its facts are folded alone, into nothing.
            let group = assertion.fact.map_or(Group::Loose(assertion.id), Group::Fact);
            return self.touch_group(2, &group, assertion, cause, detail);
        };
        let mut groups = BTreeSet::new();
        let before = self.keyed(assertion, decision.as_ref(), &self.merges_before);
        for version in [assertion, &effective, &before] {
            groups.insert(match (version.subject.known(), version.object.known(), version.fact) {
                (Some(subject), Some(object), Some(fact)) => (edge.group(subject, object, fact), Some(fact)),
                _ => (Group::Loose(assertion.id), None),
            });
        }
        for (group, fact) in groups {
            let stratum = if matches!(group, Group::Loose(_)) { 0 } else { edge.stratum() };
            let fact = fact.map_or_else(|| assertion.id.to_string(), |fact| fact.to_string());
            self.writer.touch(stratum, &group.to_string(), &fact, cause.name(), detail)?;
        }
        Ok(())
    }

    fn touch_group(
        &self,
        stratum: u8,
        group: &Group,
        assertion: &Assertion,
        cause: Cause,
        detail: &str,
    ) -> Result<(), Error> {
        let fact = assertion.fact.map_or_else(|| assertion.id.to_string(), |fact| fact.to_string());
        Ok(self.writer.touch(stratum, &group.to_string(), &fact, cause.name(), detail)?)
    }

    /// Touches every assertion of a document.
    pub(super) fn touch_document(
        &self,
        document: &DocumentId,
        cause: Cause,
        detail: &str,
    ) -> Result<(), Error> {
        let assertions: Vec<Assertion> = self.writer.view().by("document", &document.to_string())?;
        assertions.iter().try_for_each(|assertion| self.touch(assertion, cause, detail))
    }

    /// Removes an assertion: the fact is folded without it, and nothing waits in quarantine for it.
    pub(super) fn remove_assertion(
        &self,
        assertion: &Assertion,
        cause: Cause,
        detail: &str,
    ) -> Result<(), Error> {
        self.touch(assertion, cause, detail)?;
        self.writer.close(Kind::Assertion, &Record::id(assertion))?;
        self.writer.close(Kind::Quarantine, &assertion.id.to_string())?;
        Ok(())
    }

    /// The decision that stands on a question: the last that was not taken back.
    pub(super) fn standing(&self, question: &Question) -> Result<Option<Decision>, Error> {
        if crate::model::sabotage::is_off("decision-input") {
            return Ok(None);
        }
        let log: Vec<Decision> = self.writer.view().by("fact", &question.fact.to_string())?;
        Ok(standing_of(&log, question))
    }

    /// The day on which a relative date's base falls, if it is known.
    pub(super) fn base_day(&self, origin: &Origin, base: &DateBase) -> Result<Option<Date>, Error> {
        match base {
            DateBase::DocumentEffective => {
                let Some(document) = origin.document() else { return Ok(None) };
                let head = self.recall.head(&self.writer.view(), document)?;
                Ok(head.and_then(|head| head.effective))
            }
            DateBase::Property { entity, property } => {
                let claims: Vec<EntityClaim> = self.writer.view().by("entity", &entity.to_string())?;
                let text = claims
                    .iter()
                    .filter(|claim| !claim.gone)
                    .find_map(|claim| claim.properties.get(property));
                Ok(text.and_then(|text| self.plain_day(text)))
            }
        }
    }

    /// A date that stands alone in a cell or field.
    pub(super) fn plain_day(&self, text: &str) -> Option<Date> {
        let language = self.setup.readers.values().next()?.language;
        match parse_date_text(text.trim(), language, None)? {
            crate::model::time::DateExpr::Stated(stated) => Some(stated.first),
            _ => None,
        }
    }

    /// True if an assertion waits in quarantine now.
    pub(super) fn quarantined(&self, assertion: &Assertion) -> Result<Option<Quarantined>, Error> {
        Ok(self.writer.view().get(&assertion.id.to_string())?)
    }
}

/// The fact that two resolved endpoints make, if both are known.
pub(super) fn fact_of(
    edge: &EdgeType,
    subject: &Resolution,
    object: &Resolution,
    properties: &BTreeMap<String, String>,
) -> Option<FactId> {
    let identity = identity_of(edge, properties);
    Some(Assertion::fact_id(subject.known()?, &edge.name, object.known()?, &identity))
}

/// The identity properties among the properties.
pub(super) fn identity_of(
    edge: &EdgeType,
    properties: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let is_identity = |name: &String| edge.properties.get(name).is_some_and(|property| property.identity);
    properties
        .iter()
        .filter(|(name, _)| is_identity(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The decision of a log that stands on a question: the last that no later `undo` took back.
pub fn standing_of(log: &[Decision], question: &Question) -> Option<Decision> {
    let undone: BTreeSet<u64> = log
        .iter()
        .filter_map(|decision| match decision.answer {
            Answer::Undo { decision } => Some(decision),
            Answer::Approve | Answer::Reject { .. } | Answer::Correct { .. } => None,
        })
        .collect();
    log.iter()
        .filter(|decision| decision.question == *question && !undone.contains(&decision.number))
        .filter(|decision| !matches!(decision.answer, Answer::Undo { .. }))
        .max_by_key(|decision| decision.number)
        .cloned()
}
