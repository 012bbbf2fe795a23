//! A PostgreSQL server, asked in a transaction that only reads.
//!
//! What comes in: the secret that leads there and a query. What goes out: rows of text in the server's own forms,
//! days and times in ISO form at UTC, flags as `true` and `false`. Nothing that is said of a failure holds a part of
//! the secret. It must not know what a column means.

use std::error::Error as _;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use postgres::config::Host;
use postgres::error::SqlState;
use postgres::types::Type;
use postgres::{Client, Config, Error, NoTls, SimpleQueryMessage};

use crate::model::job::Query;

use super::asked::{Refused, add, too_long, within};
use super::grid::Grid;

/// How many rows are fetched at once.
const AT_ONCE: usize = 1000;
/// How long a connection may take to come about, unless the secret says otherwise.
const CONNECT: Duration = Duration::from_secs(10);

/// Asks a server. `variable` is the name under which the secret was found.
pub(super) fn ask(secret: &str, variable: &str, query: &Query) -> Result<Grid, Refused> {
    // What the parser says of a secret that is none quotes it.
    let mut config: Config = secret.parse().map_err(|_| {
        let message = format!("the value of `{variable}` is no connection string");
        Refused::new(message, "write it like `host=erp.example user=reader dbname=erp` or `postgresql://…`")
    })?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    // Of a server that is gone no cancelled query comes back.
    config.tcp_user_timeout(Duration::from_secs(u64::from(query.seconds)) + CONNECT);
    config.application_name("edgewright");
    let said = Said { secrets: secrets(&config), variable, query };
    let mut client = config.connect(NoTls).map_err(|error| said.refused(&error))?;
    let cancel = client.cancel_token();
    let stop = move || {
        // If the server does not hear this, it is told again.
        drop(cancel.cancel_query(NoTls));
    };
    within(query, stop, |is_over| read(&mut client, query, &said, is_over))
}

fn read(client: &mut Client, query: &Query, said: &Said<'_>, is_over: &AtomicBool) -> Result<Grid, Refused> {
    let refused = |error: Error| said.refused(&error);
    let setup = format!(
        "set session characteristics as transaction read only; set statement_timeout = '{}s'; \
         set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601'; \
         set timezone = 'UTC'; set bytea_output = 'hex'; begin isolation level repeatable read read only",
        query.seconds
    );
    client.batch_execute(&setup).map_err(refused)?;
    // What is prepared is one statement, so that what is declared below is one as well.
    let prepared = client.prepare(&query.sql).map_err(refused)?;
    let columns = prepared.columns();
    if columns.is_empty() || !prepared.params().is_empty() {
        let hint = "a feed only reads: write one `select` without parameters";
        return Err(Refused::new("the query gives no rows by itself", hint));
    }
    let types: Vec<Type> = columns.iter().map(|column| column.type_().clone()).collect();
    let mut grid = Grid::new(columns.iter().map(|column| column.name().to_owned()).collect());
    let declare = format!("declare edgewright_rows no scroll cursor for {}", query.sql);
    client.simple_query(&declare).map_err(refused)?;
    let fetch = format!("fetch {AT_ONCE} from edgewright_rows");
    loop {
        let mut count = 0;
        for message in client.simple_query(&fetch).map_err(refused)? {
            let SimpleQueryMessage::Row(row) = message else { continue };
            count += 1;
            let mut cells = csv::StringRecord::new();
            for (at, kind) in types.iter().enumerate() {
                let text = row.try_get(at).map_err(refused)?;
                cells.push_field(&cell(text.unwrap_or_default(), kind));
            }
            add(&mut grid, query, cells)?;
        }
        if count == 0 {
            return Ok(grid);
        }
        // The server's own limit is one of each fetch.
        if is_over.load(Ordering::Relaxed) {
            return Err(too_long(query));
        }
    }
}

/// The server's text of a value in the form that all feeds have: a moment at midnight is its day.
fn cell(text: &str, kind: &Type) -> String {
    match *kind {
        Type::BOOL if text == "t" => "true".to_owned(),
        Type::BOOL if text == "f" => "false".to_owned(),
        Type::TIMESTAMP => text.strip_suffix(" 00:00:00").unwrap_or(text).replacen(' ', "T", 1),
        Type::TIMESTAMPTZ => match text.strip_suffix("+00") {
            Some(moment) => match moment.strip_suffix(" 00:00:00") {
                Some(day) => day.to_owned(),
                None => format!("{}Z", moment.replacen(' ', "T", 1)),
            },
            None => text.to_owned(),
        },
        _ => text.to_owned(),
    }
}

/// What may be said of a failure.
struct Said<'q> {
    secrets: Vec<String>,
    variable: &'q str,
    query: &'q Query,
}

impl Said<'_> {
    fn refused(&self, error: &Error) -> Refused {
        let Some(told) = error.as_db_error() else {
            let io = error.source().and_then(|source| source.downcast_ref::<io::Error>());
            let why =
                io.map_or_else(|| "it does not answer as one".to_owned(), |error| error.kind().to_string());
            let message = format!("the server that `{}` names cannot be asked: {why}", self.variable);
            return Refused::new(
                message,
                "check the variable, and whether the server runs and takes connections",
            );
        };
        if *told.code() == SqlState::QUERY_CANCELED {
            return too_long(self.query);
        }
        let message =
            self.secrets.iter().fold(told.message().to_owned(), |text, secret| text.replace(secret, "…"));
        let message =
            format!("the server that `{}` names says: {message} ({})", self.variable, told.code().code());
        Refused::new(message, "check the query, and what the user of the connection may read")
    }
}

/// What no message may hold, the longest first, so that no part of one is left.
fn secrets(config: &Config) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    found.extend(config.get_password().map(|password| String::from_utf8_lossy(password).into_owned()));
    found.extend(
        [config.get_user(), config.get_dbname(), config.get_options()]
            .into_iter()
            .flatten()
            .map(str::to_owned),
    );
    found.extend(config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }));
    found.extend(config.get_hostaddrs().iter().map(ToString::to_string));
    found.retain(|secret| !secret.is_empty());
    found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    found
}
