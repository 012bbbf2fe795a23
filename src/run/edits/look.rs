//! Looking up what an edit names: types, entities, facts, days and values.

use std::collections::{BTreeMap, BTreeSet};

use super::apply::{Desk, Stop};
use super::form::Written;
use crate::diag::{Diagnostic, Place, nearest};
use crate::model::access::Reader;
use crate::model::assertion::{Assertion, Says};
use crate::model::entity::{EntityClaim, lives};
use crate::model::fact::Fact;
use crate::model::id::EntityKey;
use crate::model::time::{Bound, Date, DateExpr, Interval, StatedDate};
use crate::model::token::{fold, tokens};
use crate::ontology::{EdgeType, ValueKind, dates};
use crate::resolve::merged;
use crate::run::Error;
use crate::run::session::{Session, identity_of};
use crate::serve::{self, Graph, Lens, find};
use crate::store::{Kind, first_word};

/// How an edit says that nobody knows the day.
const UNKNOWN: &str = "unknown";

impl Desk<'_, '_> {
    /// The entity type of that name.
    pub(super) fn entity_type(&self, name: &str, at: &Place) -> Result<String, Stop> {
        let types = &self.session.setup.ontology.entities;
        if types.contains_key(name) {
            return Ok(name.to_owned());
        }
        Err(unknown_name("entity type", name, types.keys().map(String::as_str), at))
    }

    /// The edge type that an edit names.
    pub(super) fn edge_type(&self, edit: &Written) -> Result<EdgeType, Stop> {
        let (name, at) = self.given(edit, "type")?;
        let types = &self.session.setup.ontology.edges;
        match types.get(name) {
            Some(edge) => Ok(edge.clone()),
            None => Err(unknown_name("edge type", name, types.keys().map(String::as_str), at)),
        }
    }

    /// An entity that lives: named by `Type:key`, a key or a name, and of one of these types if there are any.
    pub(super) fn entity(&self, edit: &Written, name: &str, types: &[String]) -> Result<EntityKey, Stop> {
        let (text, at) = self.given(edit, name)?;
        let found = match self.by_key(text, types)? {
            Some(key) => key,
            None => self.by_name(text, at)?,
        };
        let entity = merged(&found, &self.session.merges);
        let claims: Vec<EntityClaim> = self.session.writer.view().by("entity", &entity.to_string())?;
        if !lives(&claims) {
            return Err(gone(&entity, &claims, at));
        }
        if !types.is_empty() && !types.iter().any(|name| name == entity.entity_type()) {
            let message = format!("`{name}` cannot be a {}: it is {entity}", entity.entity_type());
            let hint = format!("the edge type takes {}", types.join(", "));
            return Err(Diagnostic::error("domain-range", at.clone(), message).hint(hint).into());
        }
        Ok(entity)
    }

    /// The entity of which a text is the key: with its type before it, or the only one among these types.
    /// Costs a look-up for each type.
    fn by_key(&self, text: &str, types: &[String]) -> Result<Option<EntityKey>, Stop> {
        let known = &self.session.setup.ontology.entities;
        let view = self.session.writer.view();
        let claimed = |key: &EntityKey| view.any(Kind::Entity, "entity", &key.to_string());
        if let Ok(key) = text.parse::<EntityKey>()
            && known.contains_key(key.entity_type())
            && claimed(&key)?
        {
            return Ok(Some(key));
        }
        let mut found = Vec::new();
        let all = known.keys().filter(|name| types.is_empty() || types.contains(name));
        for key in all.filter_map(|name| EntityKey::new(name, text)) {
            if claimed(&key)? {
                found.push(key);
            }
        }
        Ok(if found.len() == 1 { found.pop() } else { None })
    }

    /// The entity that goes by a name. Linear in the entities, as `show` is.
    fn by_name(&self, text: &str, at: &Place) -> Result<EntityKey, Stop> {
        let graph = Graph::new(self.store, lens_of(self.session), self.catalog)
            .map_err(|error| Stop::Failed(error.into()))?;
        match find(&graph, text) {
            Ok(found) => Ok(found.entity),
            // What an earlier edit would have brought is not complained of twice.
            Err(serve::Error::Asked { .. }) if self.failed.contains(text) => Err(Stop::Wrong(Vec::new())),
            Err(serve::Error::Asked { message, hint }) => {
                let hint = hint.unwrap_or_default().replace(":\n    ", ": ").replace("\n    ", "; ");
                Err(Diagnostic::error("edit-unknown", at.clone(), message).hint(hint).into())
            }
            Err(error) => Err(Stop::Failed(error.into())),
        }
    }

    /// Nobody may have the key yet.
    pub(super) fn is_new(&self, entity: &EntityKey, at: &Place) -> Result<(), Stop> {
        let claims: Vec<EntityClaim> = self.session.writer.view().by("entity", &entity.to_string())?;
        if claims.iter().any(EntityClaim::removes) {
            return Err(gone(entity, &claims, at));
        }
        if !lives(&claims) {
            return Ok(());
        }
        let name = claims.iter().find_map(|claim| claim.names.first());
        let name = name.map(|name| format!(" (\"{name}\")")).unwrap_or_default();
        let message = format!("there is a {entity} already{name}");
        let hint =
            format!("`edgewright show {entity}` shows it; choose another key if another thing is meant");
        Err(Diagnostic::error("edit-exists", at.clone(), message).hint(hint).into())
    }

    /// Warns of the names that another entity has as well, published or brought by an edit before this one.
    /// Costs a look-up for each name.
    pub(super) fn warn_of_shared_names(&mut self, edit: &Written, claim: &EntityClaim) -> Result<(), Error> {
        for name in &claim.names {
            let whole = fold(name.trim());
            let view = self.session.writer.view();
            let published = view.called(&first_word(&whole), Some(&whole))?.unwrap_or_default();
            let called = |one: &EntityClaim| one.names.iter().any(|name| fold(name.trim()) == whole);
            let mut others: BTreeSet<EntityKey> = published
                .into_iter()
                .filter(called)
                .map(|one| merged(&one.entity, &self.session.merges))
                .collect();
            others.extend(self.brought.get(&whole).cloned());
            self.brought.insert(whole, claim.entity.clone());
            others.remove(&claim.entity);
            for other in others {
                if !self.session.is_live(&other)? {
                    continue;
                }
                let field = if edit.texts("names").contains(name) { "names" } else { "title" };
                let at = edit.at(field).clone();
                let message = format!("`{name}` is a name of {other} already");
                let hint = "a text that uses it waits in quarantine where the types do not tell them apart; \
                            `edgewright edit undo` takes the edit back";
                self.session
                    .diagnostics
                    .push(Diagnostic::warning("edit-name-shared", at, message).hint(hint));
            }
        }
        Ok(())
    }

    /// A day; `None` for one that is said to be unknown, or that is not given.
    pub(super) fn day(&self, edit: &Written, name: &str) -> Result<Option<Date>, Stop> {
        let Some((text, at)) = edit.text(name) else { return Ok(None) };
        if text == UNKNOWN && name == "from" {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| {
            let message = format!("`{name}`: there is no day `{text}`");
            Diagnostic::error("date-invalid", at.clone(), message).hint("write it as 2024-02-17").into()
        })
    }

    /// Properties of an edge as its type declares them, in the form in which documents' values are kept.
    pub(super) fn properties(
        &self,
        edit: &Written,
        edge: &EdgeType,
        identity_only: bool,
    ) -> Result<BTreeMap<String, String>, Stop> {
        let Some((pairs, at)) = edit.pairs("properties") else { return Ok(BTreeMap::new()) };
        let mut problems = Vec::new();
        let mut properties = BTreeMap::new();
        for (name, value) in pairs {
            let declared = edge.properties.get(name).filter(|one| one.identity || !identity_only);
            let Some(declared) = declared else {
                let of = if identity_only { "identity property" } else { "property" };
                let known = edge.properties.iter().filter(|(_, one)| one.identity || !identity_only);
                let names = known.map(|(name, _)| name.as_str());
                if let Stop::Wrong(found) = unknown_name(&format!("{of} of `{}`", edge.name), name, names, at)
                {
                    problems.extend(found);
                }
                continue;
            };
            match self.value(declared.kind, value) {
                Some(value) => drop(properties.insert(name.clone(), value)),
                None => {
                    let wants = match declared.kind {
                        ValueKind::Text => "a text",
                        ValueKind::Number => "a number such as 12",
                        ValueKind::Duration => "a duration such as `18 weeks` or P18W",
                        ValueKind::Date => "a day such as 2024-02-17",
                    };
                    let message = format!("the property `{name}` is `{value}`");
                    let hint = format!("its type says that it is {wants}");
                    problems.push(Diagnostic::error("edit-form", at.clone(), message).hint(hint));
                }
            }
        }
        if problems.is_empty() { Ok(properties) } else { Err(Stop::Wrong(problems)) }
    }

    fn value(&self, kind: ValueKind, text: &str) -> Option<String> {
        let text = text.trim();
        let language = self.session.setup.readers.values().next()?.language;
        match kind {
            ValueKind::Text => (!text.is_empty()).then(|| text.to_owned()),
            ValueKind::Number => {
                let tokens = tokens(text);
                let read = dates::number(&tokens, 0).filter(|read| read.tokens == tokens.len());
                read.map(|read| read.value)
            }
            ValueKind::Duration => {
                let plain = text.strip_prefix('P').filter(|rest| rest.ends_with(['D', 'W', 'M', 'Y']));
                match plain {
                    Some(_) => Some(text.to_owned()),
                    None => dates::parse_period_text(text, language).map(|period| period.to_string()),
                }
            }
            ValueKind::Date => text.parse::<Date>().ok().map(|day| day.to_string()),
        }
    }

    /// The identity properties of the one fact that an edit says has ended, which must hold until that day.
    pub(super) fn holding(
        &self,
        edge: &EdgeType,
        (subject, object): (&EntityKey, &EntityKey),
        given: &BTreeMap<String, String>,
        on: Date,
        at: &Place,
    ) -> Result<BTreeMap<String, String>, Stop> {
        let mut facts = self.facts(edge, subject, object)?;
        facts.retain(|identity, _| given.iter().all(|(name, value)| identity.get(name) == Some(value)));
        let says = format!("{subject} {} {object}", edge.name);
        match facts.len() {
            0 => {
                let hint = format!("`edgewright show {subject} --state all` lists what there is");
                Err(Diagnostic::error("edit-unknown", at.clone(), format!("there is no edge {says}"))
                    .hint(hint)
                    .into())
            }
            1 => {
                let (identity, edges) = facts.pop_first().unwrap_or_default();
                let runs = |edge: &Interval| {
                    edge.from().is_none_or(|from| from < on) && edge.to().is_none_or(|to| on < to)
                };
                // A fact of an earlier line is not folded yet: whether it runs, the fold says.
                if edges.is_empty() || edges.iter().any(runs) {
                    return Ok(identity);
                }
                let held: Vec<String> = edges.iter().map(ToString::to_string).collect();
                let message = format!("{says} does not run over {on}: it holds {}", held.join(" "));
                let hint = "name a day after its start and before its end";
                Err(Diagnostic::error("edit-exists", at.clone(), message).hint(hint).into())
            }
            several => {
                let which: Vec<String> = facts
                    .keys()
                    .map(|identity| {
                        let pairs: Vec<String> =
                            identity.iter().map(|(name, value)| format!("{name}={value}")).collect();
                        pairs.join(" ")
                    })
                    .collect();
                let message = format!("there are {several} facts {says}");
                let hint = format!("say which one by its identity properties: {}", which.join("; "));
                Err(Diagnostic::error("edit-unknown", at.clone(), message).hint(hint).into())
            }
        }
    }

    /// The facts between two entities by their identity properties, with their edges; one that an edit has
    /// just stated has none yet.
    fn facts(
        &self,
        edge: &EdgeType,
        subject: &EntityKey,
        object: &EntityKey,
    ) -> Result<BTreeMap<BTreeMap<String, String>, Vec<Interval>>, Stop> {
        let turned = edge.symmetric && object < subject;
        let (subject, object) = if turned { (object, subject) } else { (subject, object) };
        let view = self.session.writer.view();
        let mut found = BTreeMap::new();
        for fact in view.by::<Fact>("subject", &subject.to_string())? {
            if fact.edge_type == edge.name && fact.object == *object {
                found.insert(fact.identity, fact.edges.iter().map(|edge| edge.interval).collect());
            }
        }
        if found.is_empty() {
            for assertion in view.by::<Assertion>("subject", &subject.to_string())? {
                let states = assertion.origin.is_by_hand() && assertion.says == Says::Holds;
                if states && assertion.edge_type == edge.name && assertion.object.known() == Some(object) {
                    found.insert(identity_of(edge, &assertion.properties), Vec::new());
                }
            }
        }
        Ok(found)
    }

    /// A text field that the form has made sure of.
    pub(super) fn given<'w>(&self, edit: &'w Written, name: &str) -> Result<(&'w str, &'w Place), Stop> {
        edit.text(name)
            .ok_or_else(|| Stop::Failed(Error::Bug(format!("the form of an edit lets `{name}` be missing"))))
    }
}

/// The graph as the generation at hand leaves it, for one who sees everything.
pub(in crate::run) fn lens_of(session: &Session<'_>) -> Lens {
    Lens {
        as_of: None,
        known_at: session.writer.generation(),
        reader: Reader::Everything,
        pending: false,
        today: session.options.today,
    }
}

/// A bound on a day.
pub(super) fn bound(day: Date, make: fn(StatedDate) -> Bound) -> Bound {
    match StatedDate::day(day) {
        Some(stated) => make(stated),
        // The calendar's last day has no next one.
        None => Bound { date: DateExpr::Invalid { text: day.to_string() }, inclusive: false },
    }
}

/// An entity that is no more, and what can be done about it.
fn gone(entity: &EntityKey, claims: &[EntityClaim], at: &Place) -> Stop {
    let removed = claims.iter().find(|claim| claim.removes());
    let (message, hint) = match removed.map(|claim| &claim.origin) {
        Some(crate::model::assertion::Origin::Row { row, .. }) => (
            format!("{entity} was removed by edit {row}"),
            format!("`edgewright edit undo {row}` brings it back"),
        ),
        _ => (
            format!("{entity} is no more: its source no longer holds it"),
            "mend the source, or add it with `edgewright edit add-entity`".to_owned(),
        ),
    };
    Diagnostic::error("edit-exists", at.clone(), message).hint(hint).into()
}

/// A name that is not among those that there are.
pub(super) fn unknown_name<'n>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
    at: &Place,
) -> Stop {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let names: Vec<&str> = known.collect();
            if names.is_empty() {
                "there is none".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            }
        }
    };
    Diagnostic::error("edit-unknown", at.clone(), format!("there is no {what} `{name}`")).hint(hint).into()
}
