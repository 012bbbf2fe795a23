//! Tallies: counts that follow the change, so that no run has to walk the graph to say how large it is.
//!
//! They are derived from the records at publication, in work linear in what changed, and `verify` counts
//! anew. Edges are counted by the day on which they begin and end, so the passing of a day rewrites nothing.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::links::{JOINS, Joins};
use super::view::{View, unpack};
use super::{EntityRecord, Error, Kind, Store, Writer};
use crate::diag::json_fault;
use crate::model::id::EntityKey;
use crate::model::time::Date;

/// Counts by what is counted and which of it.
pub(super) type Tally = BTreeMap<(String, String), i64>;

/// What is counted of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Document versions in force.
    pub documents: u64,
    /// Their chunks; one that stands in two places counts twice.
    pub chunks: u64,
    /// Entities that somebody claims, by type.
    pub entities: BTreeMap<String, u64>,
    /// Facts and edges, by type.
    pub edges: BTreeMap<String, EdgeCount>,
    /// Assertions in quarantine.
    pub quarantined: u64,
    /// Their reasons, by code.
    pub reasons: BTreeMap<String, u64>,
    /// Ends that wait for their facts.
    pub pending: u64,
}

/// How many facts and edges of a type there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EdgeCount {
    /// Facts.
    pub facts: u64,
    /// Edges that hold on the day.
    pub current: u64,
    /// Edges that ended before or on it.
    pub ended: u64,
    /// Edges that begin after it.
    pub future: u64,
}

#[derive(Deserialize)]
struct DocumentShape {
    chunks: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct FactShape {
    subject: EntityKey,
    edge_type: String,
    object: EntityKey,
    edges: Vec<EdgeShape>,
}

#[derive(Deserialize)]
struct EdgeShape {
    interval: crate::model::time::Interval,
}

impl Store {
    /// Writes what counting gives into an empty table.
    pub(super) fn count_anew(&self, view: &View<'_>) -> Result<(), Error> {
        let failed = self.failed("write the tallies");
        let mut insert = self
            .connection
            .prepare_cached("INSERT INTO tally(what, which, number) VALUES (?1, ?2, ?3)")
            .map_err(&failed)?;
        for ((what, which), number) in counted(view)? {
            insert.execute(params![what, which, number]).map_err(&failed)?;
        }
        Ok(())
    }

    /// The tallies as last published.
    pub(super) fn tally(&self) -> Result<Tally, Error> {
        let failed = self.failed("read the tallies");
        let mut statement =
            self.connection.prepare_cached("SELECT what, which, number FROM tally").map_err(&failed)?;
        let rows =
            statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?))).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(&failed)
    }
}

/// True if a claim makes its entity one that counts.
fn counts_for_one(claim: &EntityRecord) -> bool {
    !claim.gone && claim.merged_into.is_none()
}

/// What the claims of an entity say together.
#[derive(Default)]
struct Life {
    held: bool,
    removed: bool,
}

impl Life {
    fn add(&mut self, claim: &EntityRecord) {
        self.held |= counts_for_one(claim);
        self.removed |= claim.removes();
    }

    fn lives(&self) -> bool {
        self.held && !self.removed
    }
}

/// What counting every record gives. Linear in the view; holds the keys of entities.
pub(super) fn counted(view: &View<'_>) -> Result<Tally, Error> {
    let mut counted = Tally::new();
    for kind in [Kind::Document, Kind::Fact, Kind::Quarantine, Kind::Pending] {
        view.each_live(kind, |id, json| {
            let corrupt = |why: String| Error::Corrupt { kind: kind.name(), id: id.to_owned(), why };
            add(&mut counted, kind, json, 1).map_err(|error| corrupt(error.to_string()))
        })?;
    }
    let (mut entities, mut removed) = (BTreeSet::new(), BTreeSet::new());
    view.each(|claim: EntityRecord| {
        if claim.removes() {
            removed.insert(claim.entity);
        } else if counts_for_one(&claim) {
            entities.insert(claim.entity);
        }
        Ok::<(), Error>(())
    })?;
    for entity in entities.difference(&removed) {
        *counted.entry(("entity".to_owned(), entity.entity_type().to_owned())).or_default() += 1;
    }
    Ok(counted)
}

impl Writer<'_> {
    /// What there is on a day, as this run leaves it. Linear in what changed and in the days on which edges
    /// begin or end.
    pub fn counts(&self, today: Date) -> Result<Counts, Error> {
        let mut tally = self.store.tally()?;
        let difference = self.difference()?;
        for (what, number) in &difference {
            *tally.entry(what.clone()).or_default() += number;
        }
        self.counted.replace(Some(difference));
        Ok(counts(&tally, today))
    }

    /// Brings the tallies up to what this generation leaves.
    pub(super) fn move_tally(&self) -> Result<(), Error> {
        let failed = self.store.failed("write the tallies");
        let mut add = self
            .store
            .connection
            .prepare_cached(
                "INSERT INTO tally(what, which, number) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET number = number + excluded.number",
            )
            .map_err(&failed)?;
        for ((what, which), number) in self.difference()? {
            add.execute(params![what, which, number]).map_err(&failed)?;
        }
        self.store.connection.execute("DELETE FROM tally WHERE number = 0", []).map_err(&failed)?;
        Ok(())
    }

    /// How this generation changes the tallies.
    fn difference(&self) -> Result<Tally, Error> {
        if let Some(counted) = self.counted.take() {
            return Ok(counted);
        }
        let mut tally = Tally::new();
        for (column, sign) in [("opened", 1), ("closed", -1)] {
            for kind in [Kind::Document, Kind::Fact, Kind::Quarantine, Kind::Pending] {
                self.each_body(kind, column, |json| add(&mut tally, kind, json, sign))?;
            }
        }
        self.add_entities(&mut tally)?;
        tally.retain(|_, number| *number != 0);
        Ok(tally)
    }

    fn each_body(
        &self,
        kind: Kind,
        column: &str,
        mut each: impl FnMut(&[u8]) -> Result<(), serde_json::Error>,
    ) -> Result<(), Error> {
        let failed = self.store.failed("count what changed");
        let sql = format!("SELECT id, body FROM {} WHERE {column} = ?1", kind.name());
        let mut statement = self.store.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query([self.generation() as i64]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let body = row.get_ref(1).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
            let read = unpack(kind, body).and_then(|json| each(&json).map_err(|error| json_fault(&error)));
            if let Err(why) = read {
                let id = row.get(0).map_err(&failed)?;
                return Err(Error::Corrupt { kind: kind.name(), id, why });
            }
        }
        Ok(())
    }

    /// An entity counts once however many claim it: those that are touched are looked at before and after.
    fn add_entities(&self, tally: &mut Tally) -> Result<(), Error> {
        let failed = self.store.failed("count what changed");
        let generation = self.generation() as i64;
        let connection = &self.store.connection;
        let mut touched = connection
            .prepare_cached(
                "SELECT entity FROM entity WHERE opened = ?1 UNION SELECT entity FROM entity WHERE closed = ?1",
            )
            .map_err(&failed)?;
        let mut claims = connection
            .prepare_cached("SELECT opened, closed, body FROM entity WHERE entity = ?1")
            .map_err(&failed)?;
        let mut rows = touched.query([generation]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let entity = row.get_ref(0).map_err(&failed)?.as_str().map_err(|error| failed(error.into()))?;
            let (mut before, mut after) = (Life::default(), Life::default());
            let mut held = claims.query([entity]).map_err(&failed)?;
            let mut entity_type = String::new();
            while let Some(claim) = held.next().map_err(&failed)? {
                let opened: i64 = claim.get(0).map_err(&failed)?;
                let closed: Option<i64> = claim.get(1).map_err(&failed)?;
                let stood = opened < generation && closed.is_none_or(|closed| closed >= generation);
                let stands = opened <= generation && closed.is_none_or(|closed| closed > generation);
                if !(stood || stands) {
                    continue;
                }
                let body =
                    claim.get_ref(2).map_err(&failed)?.as_blob().map_err(|error| failed(error.into()))?;
                let claim: EntityRecord = serde_json::from_slice(body).map_err(|error| Error::Corrupt {
                    kind: "entity",
                    id: entity.to_owned(),
                    why: json_fault(&error),
                })?;
                if stood {
                    before.add(&claim);
                }
                if stands {
                    after.add(&claim);
                }
                if entity_type.is_empty() {
                    entity_type.push_str(claim.entity.entity_type());
                }
            }
            let (before, after) = (before.lives(), after.lives());
            if before != after {
                *tally.entry(("entity".to_owned(), entity_type)).or_default() += if after { 1 } else { -1 };
            }
        }
        Ok(())
    }
}

/// Adds what one record counts for.
fn add(tally: &mut Tally, kind: Kind, json: &[u8], sign: i64) -> Result<(), serde_json::Error> {
    let mut count = |what: &str, which: &str, number: i64| {
        *tally.entry((what.to_owned(), which.to_owned())).or_default() += sign * number;
    };
    match kind {
        Kind::Document => {
            let shape: DocumentShape = serde_json::from_slice(json)?;
            count("document", "", 1);
            count("chunk", "", shape.chunks.len() as i64);
        }
        Kind::Fact => {
            let FactShape { subject, edge_type, object, edges } = serde_json::from_slice(json)?;
            count("fact", &edge_type, 1);
            count(JOINS, &Joins::text(subject.entity_type(), &edge_type, object.entity_type()), 1);
            for EdgeShape { interval } in edges {
                count("edge", &edge_type, 1);
                for (what, day) in [("begin", interval.from()), ("end", interval.to())] {
                    if let Some(day) = day {
                        count(what, &format!("{day} {edge_type}"), 1);
                    }
                }
            }
        }
        Kind::Quarantine => {
            let shape: crate::model::fact::Quarantined = serde_json::from_slice(json)?;
            count("quarantined", "", 1);
            shape.reasons.iter().for_each(|reason| count("reason", reason.code(), 1));
        }
        Kind::Pending => count("pending", "", 1),
        _ => {}
    }
    Ok(())
}

/// What tallies come to on a day.
pub(super) fn counts(tally: &Tally, today: Date) -> Counts {
    let mut counts = Counts::default();
    let positive = |number: i64| u64::try_from(number).unwrap_or(0);
    let mut edges: BTreeMap<&str, (i64, i64, i64)> = BTreeMap::new();
    for ((what, which), number) in tally {
        match what.as_str() {
            "document" => counts.documents = positive(*number),
            "chunk" => counts.chunks = positive(*number),
            "entity" => drop(counts.entities.insert(which.clone(), positive(*number))),
            "fact" => counts.edges.entry(which.clone()).or_default().facts = positive(*number),
            "quarantined" => counts.quarantined = positive(*number),
            "reason" => drop(counts.reasons.insert(which.clone(), positive(*number))),
            "pending" => counts.pending = positive(*number),
            "edge" => edges.entry(which).or_default().0 += number,
            "begin" | "end" => {
                let Some((day, edge_type)) = which.split_once(' ') else { continue };
                let Ok(day) = day.parse::<Date>() else { continue };
                let edge = edges.entry(edge_type).or_default();
                match what.as_str() {
                    "begin" if day > today => edge.1 += number,
                    "end" if day <= today => edge.2 += number,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    for (edge_type, (all, future, ended)) in edges {
        let count = counts.edges.entry(edge_type.to_owned()).or_default();
        count.future = positive(future);
        count.ended = positive(ended);
        count.current = positive(all - future - ended);
    }
    counts
}
