//! A file of SQLite, opened to be read and never to be changed.
//!
//! What comes in: its path and a query. What goes out: rows of text. It must not know what a column means.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags};

use crate::model::job::Query;

use super::asked::{Refused, add, too_long, within};
use super::grid::Grid;

/// Asks the database of a file, which exists.
pub(super) fn ask(path: &Path, query: &Query) -> Result<Grid, Refused> {
    let refused = |error: Error| match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => too_long(query),
        Some(ErrorCode::NotADatabase) => {
            Refused::new("the file is no SQLite database", "check `path` and `kind`")
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Refused::new("another program holds the database", "read it when nobody writes, or read a copy")
        }
        _ => Refused::new(format!("SQLite says: {error}"), "check `path`, `query` and `table` in the job"),
    };
    // Without the flag for addresses, a path is a path whatever stands in it.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(refused)?;
    database.busy_timeout(Duration::from_secs(u64::from(query.seconds))).map_err(refused)?;
    // What a hostile schema would run is not trusted, and damaged pages are found rather than followed.
    let careful = "pragma query_only = on; pragma trusted_schema = off; pragma cell_size_check = on; begin";
    let stop = database.get_interrupt_handle();
    within(
        query,
        move || stop.interrupt(),
        |_| {
            database.execute_batch(careful).map_err(refused)?;
            read(&database, query).map_err(|why| match why {
                Why::Sqlite(error) => refused(error),
                Why::Refused(refused) => refused,
            })
        },
    )
}

enum Why {
    Sqlite(Error),
    Refused(Refused),
}

impl From<Error> for Why {
    fn from(error: Error) -> Self {
        Self::Sqlite(error)
    }
}

fn read(database: &Connection, query: &Query) -> Result<Grid, Why> {
    let mut statement = database.prepare(&query.sql)?;
    if !statement.readonly() {
        let refused =
            Refused::new("the query would change the database", "a feed only reads: write one `select`");
        return Err(Why::Refused(refused));
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let mut grid = Grid::new(columns);
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut cells = csv::StringRecord::new();
        for at in 0..width {
            match row.get_ref(at)? {
                ValueRef::Null => cells.push_field(""),
                ValueRef::Integer(value) => cells.push_field(&value.to_string()),
                ValueRef::Real(value) => cells.push_field(&value.to_string()),
                ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                    Ok(text) => cells.push_field(text),
                    Err(_) => return Err(Why::Refused(no_text(&grid, at))),
                },
                ValueRef::Blob(bytes) => {
                    cells.push_field(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
                }
            }
        }
        add(&mut grid, query, cells).map_err(Why::Refused)?;
    }
    Ok(grid)
}

fn no_text(grid: &Grid, column: usize) -> Refused {
    let name = grid.columns().get(column).map_or("?", String::as_str);
    let message = format!("the column `{name}` of row {} is not UTF-8", grid.len() + 1);
    Refused::new(message, "correct the value, or leave the column out of the query")
}
