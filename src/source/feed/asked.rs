//! Rows that are asked of a database: SQLite and PostgreSQL.
//!
//! What comes in: a query, and the file or the secret that leads to the database. What goes out: rows of text in a
//! stable order. The asking only reads, has an end in time, and takes no more rows than it may. It must not know
//! what a column means.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::model::job::{Connections, Feed, Query, Table};

use super::grid::Grid;
use super::{postgres, sqlite};

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

/// Does something that `stop` stops if it takes longer than a query may.
pub(super) fn within<T>(query: &Query, stop: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    let (done, waits) = channel::<()>();
    let limit = Duration::from_secs(u64::from(query.seconds));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                stop();
            }
        });
        let result = work();
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
