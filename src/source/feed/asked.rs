//! Rows that are asked of a database: SQLite and PostgreSQL.
//!
//! What comes in: a query, and the file or the secret that leads to the database. What goes out: rows of text in a
//! stable order. The asking only reads, has an end in time, and takes no more rows than it may. It must not know
//! what a column means.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::model::job::{Connections, Feed, Query, Table};

use super::grid::Grid;
use super::{postgres, sqlite};

/// After how long a database is told again that it is to stop.
const AGAIN: Duration = Duration::from_millis(500);

/// Why there are no rows: a message, and what may help.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) message: String,
    pub(super) hint: String,
}

impl Refused {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

/// Asks the database of a feed. Rows whose query states no order are put in that of `key`.
pub(super) fn ask(
    root: &Path,
    feed: &Feed,
    connections: &Connections,
    key: impl Fn(&[String]) -> Vec<String>,
) -> Result<Grid, Refused> {
    let Some(query) = &feed.query else {
        return Err(Refused::new(
            "nothing is asked of the database",
            "name a `query` or a `table` in the job",
        ));
    };
    let mut grid = match feed.format.table {
        Table::Postgres => {
            let variable = feed.variable().unwrap_or_default();
            let Some(secret) = connections.get(variable) else {
                let hint =
                    "it holds the connection string, such as `host=erp.example user=reader dbname=erp`";
                return Err(Refused::new(
                    format!("the variable `{variable}` of the environment is not set"),
                    hint,
                ));
            };
            postgres::ask(secret, variable, query)?
        }
        _ => sqlite::ask(&root.join(&feed.path), query)?,
    };
    if !query.ordered {
        let key = key(grid.columns());
        grid.sort(&key);
    }
    Ok(grid)
}

/// Does something that `stop` stops if it takes longer than a query may. A database that is just then not asked
/// anything does not hear that, so it is told again until the work ends; and the work is told whether its time is over.
pub(super) fn within<T>(
    query: &Query,
    mut stop: impl FnMut() + Send,
    work: impl FnOnce(&AtomicBool) -> T,
) -> T {
    let (done, waits) = channel::<()>();
    let limit = Duration::from_secs(u64::from(query.seconds));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let waits = waits;
            let mut next = limit;
            while waits.recv_timeout(next) == Err(RecvTimeoutError::Timeout) {
                is_over.store(true, Ordering::Relaxed);
                stop();
                next = AGAIN;
            }
        });
        let result = work(&is_over);
        drop(done);
        result
    })
}

/// Adds a row, unless there are too many.
pub(super) fn add(grid: &mut Grid, query: &Query, cells: csv::StringRecord) -> Result<(), Refused> {
    if grid.len() >= query.rows {
        let message = format!("the query gives more than {} rows", query.rows);
        return Err(Refused::new(message, "ask for less, or raise `limits.rows` of the feed"));
    }
    let number = u32::try_from(grid.len()).unwrap_or(u32::MAX).saturating_add(1);
    grid.push(number, cells).map_err(|why| Refused::new(why, "ask for less"))
}

/// What is said of a query that took too long.
pub(super) fn too_long(query: &Query) -> Refused {
    let message = format!("the query took longer than {} seconds and was given up", query.seconds);
    Refused::new(message, "ask for less, or raise `limits.seconds` of the feed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_does_not_hear_it_is_told_again_that_its_time_is_over() {
        let query = Query { sql: String::new(), ordered: false, seconds: 0, rows: 0 };
        let (tell, told) = channel::<()>();
        let patience = Duration::from_secs(60);
        let heard = within(
            &query,
            || tell.send(()).unwrap_or_default(),
            |is_over| {
                let first = told.recv_timeout(patience);
                (first, is_over.load(Ordering::Relaxed), told.recv_timeout(patience))
            },
        );
        assert_eq!(heard, (Ok(()), true, Ok(())));
        let in_time = Query { seconds: 3600, ..query };
        assert!(!within(&in_time, || {}, |is_over| is_over.load(Ordering::Relaxed)));
    }
}
