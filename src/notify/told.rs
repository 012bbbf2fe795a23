//! What was told of a job's alerts, as it is kept between runs, and how what became of telling is said.
#![expect(clippy::disallowed_methods, reason = "an edge: what was told is a file")]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::alerts::Board;
use super::spool::{DAYS, MOST, Spool, write_aside};
use crate::diag::either;
use crate::model::job::Job;
use crate::model::outputs::Alerts;
use crate::run::past::second_of;

/// How many of the runs that were told of are remembered by their ids.
const REMEMBERED: usize = 200;

/// The version of the file; the first one had the ids of one second only.
const VERSION: u32 = 2;

/// What was told of a job's alerts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Told {
    version: u32,
    /// The runs that were told of last, in that order: a clock that goes back does not make them sort so.
    runs: Vec<String>,
    /// The last second in which a run began that was told of and is not among them; none before is told of.
    second: String,
    /// How many messages were made: their names sort by it.
    #[serde(default)]
    messages: u64,
    /// The alerts that stand.
    pub(super) board: Board,
}

impl Told {
    /// What was told, and whether nothing was ever told before. What cannot be read, or is of a later version, is said
    /// in `notes` and begins anew.
    pub(super) fn read(
        folder: &Path,
        alerts: &Alerts,
        notes: &mut Vec<String>,
    ) -> Result<(Self, bool), String> {
        let path = folder.join("alerts.json");
        match fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice::<Self>(&bytes) {
                Ok(told) if told.version <= VERSION => return Ok((told, false)),
                _ => notes.push(format!("`{}` cannot be read: what stands is told anew", path.display())),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(format!("`{}`: {error}", path.display())),
        }
        // What is made now comes after what waits.
        Ok((Self { messages: last_number(folder, alerts)?, ..Self::default() }, true))
    }

    /// True if a run was not told of.
    pub(super) fn is_new(&self, id: &String) -> bool {
        second_of(id) > self.second.as_str() && !self.runs.contains(id)
    }

    /// Notes that a run was told of. One that began after this second is one of a clock that was ahead, and must not
    /// keep those that really come later from being told of.
    pub(super) fn remember(&mut self, id: String, now: &str) {
        self.runs.push(id);
        while self.runs.len() > REMEMBERED {
            let Some(at) = self.runs.iter().position(|id| second_of(id) <= now) else { return };
            let id = self.runs.remove(at);
            if second_of(&id) > self.second.as_str() {
                self.second = second_of(&id).to_owned();
            }
        }
    }

    /// The name of the next message, which sorts after those before it; `second` is the moment of which it tells.
    pub(super) fn next_message(&mut self, second: &str) -> String {
        self.messages += 1;
        format!("m{:012}-{second}", self.messages)
    }

    /// Keeps it.
    pub(super) fn write(&mut self, folder: &Path) -> Result<(), String> {
        self.version = VERSION;
        let path = folder.join("alerts.json");
        let bytes = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        write_aside(&path, &bytes, None).map_err(|error| format!("`{}`: {error}", path.display()))
    }
}

/// The number of the last message that waits for a receiver.
fn last_number(folder: &Path, alerts: &Alerts) -> Result<u64, String> {
    let mut last = 0;
    for name in alerts.receivers.keys() {
        for path in Spool::at(folder.join("alerts").join(name)).waiting()? {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let number = name.strip_prefix('m').and_then(|rest| rest.split('-').next()?.parse().ok());
            last = number.map_or(last, |number: u64| last.max(number));
        }
    }
    Ok(last)
}

/// What became of what a receiver is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Delivered {
    /// The job.
    pub job: String,
    /// The receiver of alerts; `lineage` for events of lineage.
    pub receiver: String,
    /// How many messages it took.
    pub sent: u64,
    /// How many still wait for it.
    pub waiting: u64,
    /// Why the first of them does; null if none does.
    pub error: Option<String>,
    /// What it refused and is put aside: the file, and what the receiver answered.
    pub refused: Vec<String>,
    /// How many messages were given up, because too many waited or they did for too long.
    pub dropped: u64,
}

impl Delivered {
    /// Nothing yet.
    pub(super) fn to(job: &Job, receiver: &str) -> Self {
        Self {
            job: job.name.clone(),
            receiver: receiver.to_owned(),
            sent: 0,
            waiting: 0,
            error: None,
            refused: Vec::new(),
            dropped: 0,
        }
    }

    /// What is said of a receiver that did not take everything.
    pub(super) fn notes(&self) -> Vec<String> {
        let Self { job, receiver, waiting, error, refused, dropped, .. } = self;
        let waits = error.as_ref().map(|error| {
            let wait = either(*waiting, "message waits", "messages wait");
            format!("{wait} for `{receiver}` of the job {job}, and the next run tries again: {error}")
        });
        let refused = refused.iter().map(|one| {
            format!("`{receiver}` of the job {job} refused a message, which is put aside as {one}")
        });
        let dropped = (*dropped > 0).then(|| {
            format!(
                "{dropped} of the messages for `{receiver}` of the job {job} are given up: at most {MOST} wait, \
                 and none for more than {DAYS} days"
            )
        });
        waits.into_iter().chain(refused).chain(dropped).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids of runs in the order in which they ended → whether each is new when it has ended, and is not afterwards.
    #[test]
    fn a_run_is_told_of_once_whenever_it_began() {
        let mut told = Told::default();
        let id = |number: usize| format!("202606{:02}{:02}0000-a", 1 + number / 24, number % 24);
        for number in 0..REMEMBERED + 10 {
            assert!(told.is_new(&id(number)), "{number}");
            told.remember(id(number), "20260630000000");
            assert!((0..=number).all(|before| !told.is_new(&id(before))), "{number}");
        }
        // It began long before those that were told of meanwhile.
        let long = "20260605003000-b".to_owned();
        assert!(told.is_new(&long));
        // A clock that was ahead bounds nothing.
        for number in 0..REMEMBERED {
            told.remember(format!("20990101{number:06}-a"), "20260630000000");
        }
        assert!(told.is_new(&"20260629000000-a".to_owned()));
    }

    #[test]
    fn names_of_messages_sort_as_they_are_made() {
        let mut told = Told { messages: 9, ..Told::default() };
        let names = ["20260602120000", "20260601120000"].map(|second| told.next_message(second));
        assert_eq!(names, ["m000000000010-20260602120000", "m000000000011-20260601120000"]);
    }
}
