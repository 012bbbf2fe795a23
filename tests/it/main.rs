//! The one integration binary.
#![expect(clippy::disallowed_methods, reason = "tests write workspaces and read what came of them")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "a test that is skipped, or counts what it reached, says so")]

mod access;
mod architecture;
mod ask;
mod at_most_one;
mod backfill;
mod config;
mod curation;
mod damage;
mod dates;
mod denials;
mod deploy;
mod documents;
mod draft;
mod drift;
mod edits;
mod evidence;
mod external;
mod feeds;
mod golden;
mod held;
mod histories;
mod judged;
mod master_data;
mod master_keys;
mod naive;
mod nights;
mod notify;
mod office;
mod paper;
mod parser;
mod pdf;
mod pool;
mod purge;
mod renewals;
mod reports;
mod rustsec;
mod sabotage;
mod sample;
mod sampling;
mod scans;
mod search;
mod search_histories;
mod selective;
mod status;
mod statutes;
mod stops;
mod superseding;
mod text_index;
mod verify;
mod work;
mod world;
