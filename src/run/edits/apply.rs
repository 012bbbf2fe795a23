//! Carrying an edit out: what it says is checked against the graph as the edits before it leave it, and
//! written as the row, the claims and the assertions that follow from it.

use std::collections::{BTreeMap, BTreeSet};

use super::Edited;
use super::form::{Operation, Written};
use super::look::{bound, unknown_name};
use crate::diag::{Diagnostic, Place};
use crate::model::access::Labels;
use crate::model::assertion::{Assertion, Evidence, Origin, Reading, Says, Slot};
use crate::model::cause::Cause;
use crate::model::edit::{EDITS, document_of};
use crate::model::entity::EntityClaim;
use crate::model::id::{EntityKey, Fingerprint};
use crate::model::time::Bound;
use crate::run::Error;
use crate::run::documents::close;
use crate::run::session::Session;
use crate::serve::Catalog;
use crate::store::{RowRecord, ScopeRecord, Store};

/// The entity type of an event where an edit names none.
const EVENT: &str = "RiskEvent";

/// Why an edit is not carried out.
pub(super) enum Stop {
    /// It is wrong, in every one of these ways.
    Wrong(Vec<Diagnostic>),
    /// The job failed.
    Failed(Error),
}

impl From<Diagnostic> for Stop {
    fn from(problem: Diagnostic) -> Self {
        Self::Wrong(vec![problem])
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<crate::store::Error> for Stop {
    fn from(error: crate::store::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Where edits are carried out, one after another.
pub(super) struct Desk<'d, 'r> {
    pub(super) session: &'d mut Session<'r>,
    pub(super) store: &'d Store,
    pub(super) catalog: &'d Catalog,
    by: &'d str,
    /// How many edits there are.
    count: u64,
    /// The names that edits have brought so far, folded.
    pub(super) brought: BTreeMap<String, EntityKey>,
    /// Keys and names that a refused edit would have brought.
    pub(super) failed: BTreeSet<String>,
}

/// What an edit leaves in its row beside what every edit leaves.
type Cells = BTreeMap<String, String>;

impl<'d, 'r> Desk<'d, 'r> {
    pub(super) fn new(
        session: &'d mut Session<'r>,
        store: &'d Store,
        catalog: &'d Catalog,
        by: &'d str,
    ) -> Result<Self, Error> {
        let scope: Option<ScopeRecord> = session.writer.view().get(EDITS)?;
        let count = scope.map_or(0, |scope| scope.rows as u64);
        Ok(Self { session, store, catalog, by, count, brought: BTreeMap::new(), failed: BTreeSet::new() })
    }

    /// Carries an edit out, or says everything that is wrong with it.
    pub(super) fn carry_out(&mut self, edit: &Written) -> Result<Result<Edited, Vec<Diagnostic>>, Error> {
        let done = match edit.operation {
            Operation::AddEntity => self.add_entity(edit),
            Operation::RemoveEntity => self.remove_entity(edit),
            Operation::AddRelationship => self.add_relationship(edit),
            Operation::ExpireRelationship => self.expire_relationship(edit),
            Operation::AddRiskEvent => self.add_risk_event(edit),
            Operation::Undo => self.undo(edit),
        };
        match done {
            Ok(does) => {
                let number = Some(self.count);
                Ok(Ok(Edited { line: edit.at.line, number, does, waits: Vec::new() }))
            }
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Wrong(problems)) => {
                self.failed.extend(["key", "title"].iter().filter_map(|name| edit.text(name)).flat_map(
                    |(text, _)| {
                        let typed = edit.text("type").map_or(EVENT, |(name, _)| name);
                        [text.to_owned(), format!("{typed}:{text}")]
                    },
                ));
                self.failed.extend(edit.texts("names").iter().cloned());
                Ok(Err(problems))
            }
        }
    }

    /// Notes how many edits there are now.
    pub(super) fn finish(self) -> Result<(), Error> {
        self.session.writer.put(&ScopeRecord {
            name: EDITS.to_owned(),
            config: Fingerprint::of(&[EDITS]),
            content: None,
            rows: self.count as usize,
            columns: Vec::new(),
            access: Labels::new(),
            accepted: None,
            changed_at: None,
        })?;
        Ok(())
    }

    fn add_entity(&mut self, edit: &Written) -> Result<String, Stop> {
        let (name, at) = self.given(edit, "type")?;
        let entity_type = self.entity_type(name, at)?;
        let (key, at) = self.given(edit, "key")?;
        let entity = entity_key(&entity_type, key, at)?;
        self.is_new(&entity, at)?;
        let names = edit.texts("names").to_vec();
        let properties = edit.pairs("properties").map(|(pairs, _)| pairs.clone()).unwrap_or_default();
        self.write_row(edit, &Cells::from([("entity".to_owned(), entity.to_string())]))?;
        let shown = shown(&entity, &names);
        self.claim(edit, entity, names, properties)?;
        Ok(format!("adds {shown}"))
    }

    fn remove_entity(&mut self, edit: &Written) -> Result<String, Stop> {
        let entity = self.entity(edit, "entity", &[])?;
        self.write_row(edit, &Cells::from([("entity".to_owned(), entity.to_string())]))?;
        let does = format!("removes {entity}: its edges are retracted, its names stay linked");
        let claim = EntityClaim { gone: true, ..self.new_claim(entity) };
        self.put_claim(edit, &claim)?;
        Ok(does)
    }

    fn add_relationship(&mut self, edit: &Written) -> Result<String, Stop> {
        let edge = self.edge_type(edit)?;
        let mut problems = Vec::new();
        let subject = keep(self.entity(edit, "subject", &edge.subject), &mut problems)?;
        let object = keep(self.entity(edit, "object", &edge.object), &mut problems)?;
        let from = keep(self.day(edit, "from"), &mut problems)?.flatten();
        let to = keep(self.day(edit, "to"), &mut problems)?.flatten();
        let properties = keep(self.properties(edit, &edge, false), &mut problems)?;
        if let (Some(from), Some(to), Some((_, at))) = (from, to, edit.text("to"))
            && to <= from
        {
            let message = format!("`to` {to} is not after `from` {from}");
            let hint = "`to` is the first day on which it no longer holds";
            problems.push(Diagnostic::error("interval-empty", at.clone(), message).hint(hint));
        }
        if let (true, None, Some((_, at)), true) =
            (edge.ends_object, from, edit.text("from"), problems.is_empty())
        {
            let message = format!("`{}` ends what its object stands for, and needs a day", edge.name);
            problems.push(Diagnostic::error("date-missing", at.clone(), message).hint("name the first day"));
        }
        let (Some(subject), Some(object), Some(properties), true) =
            (subject, object, properties, problems.is_empty())
        else {
            return Err(Stop::Wrong(problems));
        };
        let says = statement(&subject, &edge.name, &object, &properties);
        let from_text = from.map_or("an unknown day".to_owned(), |day| day.to_string());
        let until = to.map(|day| format!(" until {day}")).unwrap_or_default();
        let does = format!("{says} from {from_text}{until}");
        self.write_row(edit, &ends(&subject, &object))?;
        self.assert(
            edit,
            &does,
            Reading {
                valid_from: from.map(|day| bound(day, Bound::start)),
                valid_to: to.map(|day| bound(day, Bound::end)),
                ..reading(&edge.name, Says::Holds, &subject, &object, properties)
            },
        )?;
        Ok(does)
    }

    fn expire_relationship(&mut self, edit: &Written) -> Result<String, Stop> {
        let edge = self.edge_type(edit)?;
        let mut problems = Vec::new();
        let subject = keep(self.entity(edit, "subject", &edge.subject), &mut problems)?;
        let object = keep(self.entity(edit, "object", &edge.object), &mut problems)?;
        let on = keep(self.day(edit, "on"), &mut problems)?.flatten();
        let given = keep(self.properties(edit, &edge, true), &mut problems)?;
        let (Some(subject), Some(object), Some(on), Some(given), true) =
            (subject, object, on, given, problems.is_empty())
        else {
            return Err(Stop::Wrong(problems));
        };
        let (_, at) = self.given(edit, "on")?;
        let identity = self.holding(&edge, (&subject, &object), &given, on, at)?;
        let does = format!("{} ends on {on}", statement(&subject, &edge.name, &object, &identity));
        self.write_row(edit, &ends(&subject, &object))?;
        self.assert(
            edit,
            &does,
            Reading {
                valid_to: Some(bound(on, Bound::end)),
                ..reading(&edge.name, Says::Ends, &subject, &object, identity)
            },
        )?;
        Ok(does)
    }

    fn add_risk_event(&mut self, edit: &Written) -> Result<String, Stop> {
        let (name, at) = edit.text("type").unwrap_or((EVENT, &edit.at));
        let mut problems = Vec::new();
        let entity_type = keep(self.entity_type(name, at), &mut problems)?;
        let date = keep(self.day(edit, "date"), &mut problems)?.flatten();
        let (key, at) = self.given(edit, "key")?;
        let entity = entity_type.map(|name| entity_key(&name, key, at)).transpose()?;
        if let Some(entity) = &entity {
            keep(self.is_new(entity, at), &mut problems)?;
        }
        let (Some(entity), true) = (entity, problems.is_empty()) else { return Err(Stop::Wrong(problems)) };
        let ontology = self.ontology_of(&entity)?;
        let (title, _) = self.given(edit, "title")?;
        let (text, _) = self.given(edit, "text")?;
        let mut names = vec![title.to_owned()];
        names.extend(edit.texts("names").iter().cloned());
        let mut properties = edit.pairs("properties").map(|(pairs, _)| pairs.clone()).unwrap_or_default();
        properties.extend(edit.text("severity").map(|(text, _)| ("severity".to_owned(), text.to_owned())));
        properties.extend(date.map(|day| ("date".to_owned(), day.to_string())));
        let number = self.write_row(
            edit,
            &Cells::from([("entity".to_owned(), entity.to_string()), ("ontology".to_owned(), ontology)]),
        )?;
        let document = document_of(&number)
            .ok_or_else(|| Error::Bug(format!("the edit {number} has a document's name")))?;
        let does = format!("adds {} with its bulletin {document}", shown(&entity, &names));
        self.session.texts.insert(document, text.to_owned());
        self.claim(edit, entity, names, properties)?;
        Ok(does)
    }

    fn undo(&mut self, edit: &Written) -> Result<String, Stop> {
        let (number, at) = self.given(edit, "number")?;
        let id = format!("{EDITS}/{number}");
        let Some(mut row) = self.session.writer.view().get::<RowRecord>(&id)? else {
            let numbers = (1..=self.count).rev().take(3).map(|number| number.to_string());
            let numbers: Vec<String> = numbers.collect();
            return Err(unknown_name("edit", number, numbers.iter().map(String::as_str), at));
        };
        let refuse = |message: String, hint: &str| {
            Err(Diagnostic::error("edit-exists", at.clone(), message).hint(hint).into())
        };
        if let Some(by) = row.cells.get("undone_by") {
            let by = if by.parse::<u64>().is_ok() { format!("edit {by}") } else { by.clone() };
            return refuse(format!("edit {number} was taken back by {by}"), "nothing is left of it");
        }
        let operation = row.cells.get("edit").cloned().unwrap_or_default();
        if Operation::of(&operation) == Some(Operation::Undo) {
            let hint = "make the edit that was taken back once more";
            return refuse(format!("edit {number} has taken another one back"), hint);
        }
        let mine = self.write_row(edit, &Cells::new())?;
        let detail = self.detail(edit);
        row.cells.insert("undone_by".to_owned(), mine);
        self.session.writer.put(&row)?;
        for assertion in self.session.writer.view().by::<Assertion>("feed_row", &id)? {
            self.session.remove_assertion(&assertion, Cause::Curator, &detail)?;
        }
        for claim in self.session.writer.view().by::<EntityClaim>("feed", &id)? {
            self.session.close_claim(&claim)?;
            self.session.by_hand.insert(claim.entity, detail.clone());
        }
        if let Some(document) = document_of(number) {
            self.session.texts.remove(&document);
            close(self.session, &document, None, Cause::Curator, &detail)?;
        }
        Ok(format!("takes edit {number} back ({operation})"))
    }

    /// Writes the row of an edit, and returns its number.
    fn write_row(&mut self, edit: &Written, more: &Cells) -> Result<String, Error> {
        self.count += 1;
        let mut cells = more.clone();
        cells.insert("edit".to_owned(), edit.operation.name().to_owned());
        cells.insert("by".to_owned(), self.by.to_owned());
        cells.insert("at".to_owned(), self.session.options.now.clone());
        for takes in edit.operation.takes() {
            // What a field names is kept as it was found; a bulletin is kept as the document that it is.
            if !cells.contains_key(takes.name)
                && takes.name != "text"
                && let Some((text, _)) = edit.text(takes.name)
            {
                cells.insert(takes.name.to_owned(), text.to_owned());
            }
            for (name, value) in edit.pairs(takes.name).map(|(pairs, _)| pairs).into_iter().flatten() {
                cells.insert(format!("{}.{name}", takes.name), value.clone());
            }
            let texts = edit.texts(takes.name);
            if !texts.is_empty() {
                cells.insert(takes.name.to_owned(), texts.join("; "));
            }
        }
        let key = self.count.to_string();
        self.session.writer.put(&RowRecord { feed: EDITS.to_owned(), key: key.clone(), line: 0, cells })?;
        Ok(key)
    }

    fn origin(&self) -> Origin {
        Origin::Row { feed: EDITS.to_owned(), row: self.count.to_string() }
    }

    /// The edit at hand in words, as the detail of what it causes.
    fn detail(&self, edit: &Written) -> String {
        let text = |name: &str| edit.text(name).map(|(text, _)| text).unwrap_or_default();
        let ticket = match text("ticket") {
            "" => String::new(),
            ticket => format!(" ({ticket})"),
        };
        format!("edit {} by {}{ticket}: {}", self.count, self.by, text("reason"))
    }

    fn new_claim(&self, entity: EntityKey) -> EntityClaim {
        EntityClaim {
            entity,
            origin: self.origin(),
            names: Vec::new(),
            former: BTreeMap::new(),
            properties: BTreeMap::new(),
            merged_into: None,
            gone: false,
        }
    }

    fn claim(
        &mut self,
        edit: &Written,
        entity: EntityKey,
        names: Vec<String>,
        properties: BTreeMap<String, String>,
    ) -> Result<(), Error> {
        let claim = EntityClaim { names, properties, ..self.new_claim(entity) };
        self.warn_of_shared_names(edit, &claim)?;
        self.put_claim(edit, &claim)
    }

    fn put_claim(&mut self, edit: &Written, claim: &EntityClaim) -> Result<(), Error> {
        let detail = self.detail(edit);
        self.session.by_hand.insert(claim.entity.clone(), detail);
        self.session.put_claim(claim)
    }

    /// Writes what an edit says of a fact.
    fn assert(&mut self, edit: &Written, does: &str, reading: Reading) -> Result<(), Error> {
        let text = |name: &str| edit.text(name).map(|(text, _)| text).unwrap_or_default();
        let quote = format!("{does}: {} ({})", text("reason"), text("ticket"));
        let evidence = Evidence { quote, span: None, support: Vec::new() };
        let reading = Reading { evidence, ..reading };
        let setup = self.session.setup;
        let made = self.session.assertion(&setup.ontology, reading, &self.origin(), 0)?;
        let Some((assertion, _)) = made else {
            return Err(Error::Bug("an edit's endpoints are known".to_owned()));
        };
        self.session.writer.put(&assertion)?;
        self.session.touch(&assertion, Cause::Curator, &self.detail(edit))
    }

    /// The ontology that has an entity's type.
    fn ontology_of(&self, entity: &EntityKey) -> Result<String, Error> {
        let mut readers = self.session.setup.readers.iter();
        let found = readers.find(|(_, reader)| reader.ontology.entities.contains_key(entity.entity_type()));
        let name = found.map(|(name, _)| name.clone());
        name.ok_or_else(|| Error::Bug(format!("`{}` is a type of no ontology", entity.entity_type())))
    }
}

/// Keeps what was found, or notes what is wrong and goes on.
fn keep<T>(found: Result<T, Stop>, problems: &mut Vec<Diagnostic>) -> Result<Option<T>, Stop> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Stop::Wrong(wrong)) => {
            problems.extend(wrong);
            Ok(None)
        }
        Err(Stop::Failed(error)) => Err(Stop::Failed(error)),
    }
}

fn entity_key(entity_type: &str, key: &str, at: &Place) -> Result<EntityKey, Stop> {
    EntityKey::new(entity_type, key).ok_or_else(|| {
        Diagnostic::error("edit-form", at.clone(), "the key is empty").hint("write one").into()
    })
}

/// An entity with its name.
fn shown(entity: &EntityKey, names: &[String]) -> String {
    match names.first() {
        Some(name) => format!("{entity} (\"{name}\")"),
        None => entity.to_string(),
    }
}

/// Who an edit's endpoints were found to be.
fn ends(subject: &EntityKey, object: &EntityKey) -> Cells {
    Cells::from([("subject".to_owned(), subject.to_string()), ("object".to_owned(), object.to_string())])
}

/// A fact in words.
fn statement(
    subject: &EntityKey,
    edge_type: &str,
    object: &EntityKey,
    properties: &BTreeMap<String, String>,
) -> String {
    let properties: String = properties.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    format!("{subject} {edge_type} {object}{properties}")
}

/// A reading of an edit, without its days and its evidence.
fn reading(
    edge_type: &str,
    says: Says,
    subject: &EntityKey,
    object: &EntityKey,
    properties: BTreeMap<String, String>,
) -> Reading {
    let slot = |key: &EntityKey| Slot {
        surface: key.key().to_owned(),
        candidates: vec![key.clone()],
        types: vec![key.entity_type().to_owned()],
    };
    Reading {
        rule: EDITS.to_owned(),
        edge_type: edge_type.to_owned(),
        says,
        subject: slot(subject),
        object: slot(object),
        valid_from: None,
        valid_to: None,
        properties,
        confidence: None,
        evidence: Evidence { quote: String::new(), span: None, support: Vec::new() },
        occurrence: 0,
    }
}
