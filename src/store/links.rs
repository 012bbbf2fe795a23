//! Who is linked to whom, and when, without what attests it: all that a step over an edge must know.
//!
//! It stands in the indexes by which facts are looked up by their ends. So it is written, closed, swept and
//! published with the facts themselves, and reading the steps of a node reads one run of pages, in the order of
//! the facts' ids. `verify` compares it with the facts.

use rusqlite::{Row, ToSql, params};

use super::view::View;
use super::{Error, Store};
use crate::model::fact::Fact;
use crate::model::id::{EntityKey, FactId};
use crate::model::time::{Date, Interval};

/// The format with which it came.
pub(super) const SINCE: i64 = 5;

/// Notes the intervals of every version of every fact in a store of an older format.
pub(super) const UPGRADE: &str = "
     ALTER TABLE fact ADD COLUMN intervals TEXT;
     UPDATE fact SET intervals = (
         SELECT group_concat(
             coalesce(json_extract(value, '$.interval.from'), '') || '/'
                 || coalesce(json_extract(value, '$.interval.to'), '')
                 || CASE WHEN json_extract(value, '$.end_unknown') THEN '?' ELSE '' END,
             ' ' ORDER BY key)
         FROM json_each(CAST(body AS TEXT), '$.edges'));\n";

/// What is tallied: how many facts of a type join entities of these two types.
pub(super) const JOINS: &str = "joins";

/// A fact as its ends' look-ups know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked<'r> {
    /// The fact.
    pub fact: FactId,
    /// The subject.
    pub subject: EntityKey,
    /// The edge type.
    pub edge_type: &'r str,
    /// The object.
    pub object: EntityKey,
    intervals: &'r str,
}

impl Linked<'_> {
    /// The interval that holds on a day, and whether it is over without anybody saying since when. There is at
    /// most one, since the edges of a fact never touch.
    pub fn on(&self, day: Date) -> Result<Option<(Interval, bool)>, Error> {
        for text in self.intervals.split(' ') {
            let (interval, end_unknown) = interval(text).ok_or_else(|| self.corrupt())?;
            if interval.contains(day) {
                return Ok(Some((interval, end_unknown)));
            }
        }
        Ok(None)
    }

    fn corrupt(&self) -> Error {
        let why = format!("`{}` are no intervals", self.intervals);
        Error::Corrupt { kind: "fact", id: self.fact.to_string(), why }
    }
}

/// The intervals of a fact's edges as a column holds them: `2020-03-01/2024-02-17 2025-01-01/`, with a question
/// mark where nobody says since when an edge is over.
pub(super) fn intervals_of(fact: &Fact) -> String {
    let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    let edges = fact.edges.iter().map(|edge| {
        let unknown = if edge.end_unknown { "?" } else { "" };
        format!("{}/{}{unknown}", day(edge.interval.from()), day(edge.interval.to()))
    });
    edges.collect::<Vec<_>>().join(" ")
}

fn interval(text: &str) -> Option<(Interval, bool)> {
    let (from, to) = text.split_once('/')?;
    let end_unknown = to.ends_with('?');
    let day = |text: &str| -> Option<Option<Date>> {
        if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
    };
    Some((Interval::new(day(from)?, day(to.trim_end_matches('?'))?)?, end_unknown))
}

impl View<'_> {
    /// Calls `each` for the facts that go out of an entity, or come in to it, by id, until it says `false`.
    /// Logarithmic in the facts, linear in the answer; no fact is read.
    pub fn each_linked<E: From<Error>>(
        &self,
        end: &EntityKey,
        out: bool,
        mut each: impl FnMut(&Linked<'_>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let (column, key) = (if out { "subject" } else { "object" }, end.to_string());
        if self.store().format < SINCE {
            return self.each_by(column, &key, |fact: Fact| each(&linked(&fact, &intervals_of(&fact))));
        }
        let which = format!("WHERE {column} = ?2 AND {STANDS} ORDER BY id");
        self.store().each_link(&which, params![self.generation() as i64, key], each)
    }

    /// Calls `each` for every fact, in any order. Linear in the facts; none is read.
    pub fn each_link<E: From<Error>>(
        &self,
        mut each: impl FnMut(&Linked<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.store().format < SINCE {
            return self.each(|fact: Fact| each(&linked(&fact, &intervals_of(&fact))));
        }
        // SQLite would rather read the facts in the order in which they were opened.
        let which = format!("INDEXED BY fact_subject WHERE subject IS NOT NULL AND {STANDS}");
        let generation = self.generation() as i64;
        self.store().each_link(&which, params![generation], |link| each(link).map(|()| true))
    }

    /// Which types of entities the edges of each type join. `None` if that is not known of this generation: it is
    /// kept for the last one.
    pub fn joins(&self) -> Result<Option<Vec<Joins>>, Error> {
        if self.store().format < SINCE {
            return Ok(None);
        }
        let failed = self.store().failed("read the tallies");
        let connection = &self.store().connection;
        let mut statement =
            connection.prepare_cached("SELECT which FROM tally WHERE what = ?1").map_err(&failed)?;
        let rows = statement.query_map([JOINS], |row| row.get::<_, String>(0)).map_err(&failed)?;
        let joins: Vec<String> = rows.collect::<Result<_, _>>().map_err(&failed)?;
        // Tallies only move on, so those that were read before were of this generation if it still is the last.
        if self.store().published()? != self.generation() {
            return Ok(None);
        }
        Ok(joins.iter().map(|text| Joins::of(text)).collect())
    }
}

/// True of the versions that stand in generation `?1`.
const STANDS: &str = "opened <= ?1 AND (closed IS NULL OR closed > ?1)";

fn linked<'r>(fact: &'r Fact, intervals: &'r str) -> Linked<'r> {
    let (subject, object) = (fact.subject.clone(), fact.object.clone());
    Linked { fact: fact.id, subject, edge_type: &fact.edge_type, object, intervals }
}

impl Store {
    fn each_link<E: From<Error>>(
        &self,
        which: &str,
        with: &[&dyn ToSql],
        mut each: impl FnMut(&Linked<'_>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let sql = format!("SELECT id, subject, edge_type, object, intervals FROM fact {which}");
        let failed = self.failed("look links up");
        let mut statement = self.connection.prepare_cached(&sql).map_err(&failed)?;
        let mut rows = statement.query(with).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            if !each(&read_link(row).map_err(&failed)??)? {
                break;
            }
        }
        Ok(())
    }
}

fn read_link<'r>(row: &'r Row<'_>) -> rusqlite::Result<Result<Linked<'r>, Error>> {
    let text = |at: usize| -> rusqlite::Result<&'r str> { Ok(row.get_ref(at)?.as_str()?) };
    let (id, subject, object) = (text(0)?, text(1)?, text(3)?);
    let (edge_type, intervals) = (text(2)?, text(4)?);
    let read = || {
        let (fact, subject, object) = (id.parse()?, subject.parse()?, object.parse()?);
        Ok(Linked { fact, subject, edge_type, object, intervals })
    };
    Ok(read().map_err(|error: crate::model::id::BadId| Error::Corrupt {
        kind: "fact",
        id: id.to_owned(),
        why: error.to_string(),
    }))
}

/// Two types of entities that edges of a type join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joins {
    /// The type of the subjects.
    pub subject: String,
    /// The edge type.
    pub edge_type: String,
    /// The type of the objects.
    pub object: String,
}

impl Joins {
    /// The form in which it is tallied. A type of entities has no colon.
    pub(super) fn text(subject: &str, edge_type: &str, object: &str) -> String {
        format!("{subject}:{edge_type}:{object}")
    }

    fn of(text: &str) -> Option<Self> {
        let (subject, rest) = text.split_once(':')?;
        let (edge_type, object) = rest.rsplit_once(':')?;
        Some(Self { subject: subject.to_owned(), edge_type: edge_type.to_owned(), object: object.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_read_back() {
        let day = |text: &str| -> Option<Date> { Some(text.parse().unwrap()) };
        for (text, from, to, end_unknown) in [
            ("2020-03-01/2024-02-17", day("2020-03-01"), day("2024-02-17"), false),
            ("/2024-02-17?", None, day("2024-02-17"), true),
            ("2020-03-01/", day("2020-03-01"), None, false),
            ("/", None, None, false),
        ] {
            assert_eq!(interval(text), Some((Interval::new(from, to).unwrap(), end_unknown)));
        }
        for text in ["", "2020-03-01", "2020-03-01/2020-03-01", "2020-02-30/", "x/"] {
            assert_eq!(interval(text), None, "{text}");
        }
    }

    #[test]
    fn what_edges_join_reads_back() {
        let joins = Joins::of(&Joins::text("Supplier", "a:b", "Component")).unwrap();
        assert_eq!((&*joins.subject, &*joins.edge_type, &*joins.object), ("Supplier", "a:b", "Component"));
    }
}
