//! What differs between two generations, fact by fact and by cause; also between what stands and what is held.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::history::{intervals, is_open, shown_at};
use super::{Error, Graph, VERSION};
use crate::model::fact::Fact;
use crate::store::{Change, Kind};

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffView {
    /// The version of this form.
    pub version: u32,
    /// The generation that is compared.
    pub from: u64,
    /// The one that it is compared with.
    pub to: u64,
    /// The run that is held, if `to` is its generation.
    pub held: Option<String>,
    /// How many facts differ, by edge type, then by what became of them.
    pub by_type: BTreeMap<String, Counted>,
    /// How many facts differ, by the last primary cause.
    pub by_cause: BTreeMap<String, Counted>,
    /// The facts that differ, by what they say.
    pub facts: Vec<Differing>,
    /// How many more differ than are listed.
    pub more: u64,
}

/// How many facts differ, by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Counted {
    /// Facts that are there only in the later generation.
    pub added: u64,
    /// Facts that are there only in the earlier one.
    pub retracted: u64,
    /// Facts with other intervals or properties.
    pub changed: u64,
}

/// A fact that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Differing {
    /// What it says, with names.
    pub says: String,
    /// The fact's id.
    pub fact: String,
    /// Its edge type.
    pub edge_type: String,
    /// `added`, `retracted` or `changed`.
    pub change: String,
    /// Its edges in the earlier generation.
    pub before: Vec<String>,
    /// Its edges in the later one.
    pub after: Vec<String>,
    /// Why it changed, each time that it did, oldest first; of a change of which the reader does not see everything,
    /// nothing.
    pub causes: Vec<Because>,
}

/// Why a fact changed once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Because {
    /// The generation.
    pub generation: u64,
    /// The primary cause.
    pub cause: String,
    /// Which document, row, rule or decision.
    pub detail: String,
}

/// Compares two generations as one reader sees them. Linear in what changed between them; holds no more than `limit`
/// facts, of which 0 means all.
pub fn diff(before: &Graph<'_>, after: &Graph<'_>, limit: usize) -> Result<DiffView, Error> {
    let (from, to) = (before.lens().known_at, after.lens().known_at);
    let (low, high) = (from.min(to), if from < to { after } else { before });
    let mut view = DiffView {
        version: VERSION,
        from,
        to,
        held: after.view().store().held()?.filter(|held| held.generation == to).map(|held| held.run),
        by_type: BTreeMap::new(),
        by_cause: BTreeMap::new(),
        facts: Vec::new(),
        more: 0,
    };
    high.view().each_changed(Kind::Fact, low, |id| {
        let [was, is] = [before, after].map(|graph| graph.view().get::<Fact>(id));
        let (was, is) = (was?, is?);
        let Some(fact) = is.as_ref().or(was.as_ref()) else { return Ok(()) };
        let (old, new) = (shown_at(before, was.as_ref())?, shown_at(after, is.as_ref())?);
        let change = match (old.edges.is_empty(), new.edges.is_empty()) {
            (true, true) => return Ok(()),
            (true, false) => "added",
            (false, true) => "retracted",
            (false, false) if old.edges == new.edges => return Ok(()),
            (false, false) => "changed",
        };
        let mut causes = Vec::new();
        let whole = old.whole && new.whole;
        for record in high.view().by::<Change>("fact", id)?.into_iter().filter(|one| one.generation > low) {
            if whole && is_open(high, fact, [&old.places, &new.places], &record.detail)? {
                let (generation, cause) = (record.generation, record.cause.name().to_owned());
                causes.push(Because { generation, cause, detail: record.detail });
            }
        }
        let cause = causes.last().map_or("not shown", |last| last.cause.as_str()).to_owned();
        for counted in
            [view.by_type.entry(fact.edge_type.clone()).or_default(), view.by_cause.entry(cause).or_default()]
        {
            match change {
                "added" => counted.added += 1,
                "retracted" => counted.retracted += 1,
                _ => counted.changed += 1,
            }
        }
        if limit > 0 && view.facts.len() == limit {
            view.more += 1;
            return Ok(());
        }
        let speaker = if new.edges.is_empty() { before } else { after };
        view.facts.push(Differing {
            says: speaker.says(fact)?,
            fact: id.to_owned(),
            edge_type: fact.edge_type.clone(),
            change: change.to_owned(),
            before: intervals(&old.edges),
            after: intervals(&new.edges),
            causes,
        });
        Ok::<(), Error>(())
    })?;
    view.facts.sort();
    Ok(view)
}
