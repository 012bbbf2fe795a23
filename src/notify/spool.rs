//! Messages that wait for a receiver: files in a folder, sent in order, put aside where they are refused, and bounded.
#![expect(clippy::disallowed_methods, reason = "an edge: the spool is files")]

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::post::Unsent;
use crate::model::sabotage;

/// How many messages wait for one receiver at most, and how many that it refused are kept.
pub(super) const MOST: usize = 200;

/// For how many days a message waits, or is kept once it was refused.
pub(super) const DAYS: i64 = 30;

/// The messages that wait for one receiver. Their names sort as they are to be sent, and tell of which moment they are.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
}

/// What became of the messages of a spool.
#[derive(Debug, Default)]
pub(super) struct Emptied {
    /// How many were taken.
    pub(super) sent: u64,
    /// How many still wait.
    pub(super) waiting: u64,
    /// Why the first of them does.
    pub(super) error: Option<String>,
    /// Those that were refused: the file that keeps one, and why.
    pub(super) refused: Vec<String>,
    /// How many were given up.
    pub(super) dropped: u64,
}

impl Spool {
    /// The messages in a folder, which need not be there.
    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Puts a message at its place in the order.
    pub(super) fn put(&self, name: &str, body: &Value) -> Result<(), String> {
        let path = self.folder.join(format!("{name}.json"));
        write_aside(&path, body.to_string().as_bytes(), None)
            .map_err(|error| format!("`{}`: {error}", path.display()))
    }

    /// Puts a message of a number at its place in the order. One of the same number that waits is the same news, told by a
    /// process that was killed before it could note that.
    pub(super) fn put_once(&self, name: &str, body: &Value) -> Result<(), String> {
        let waiting = self.waiting()?;
        self.put(name, body)?;
        let number = |stem: &str| stem.split('-').next().map(str::to_owned);
        let is_again = |path: &&PathBuf| {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            !is_called(path, name) && stem.and_then(number) == number(name)
        };
        waiting.iter().filter(is_again).try_for_each(|path| remove(path))
    }

    /// Puts a list of all alerts that stand in the place of those that wait: each would be undone by the next. What was
    /// told as over in one of them, and does not stand again, is told still.
    pub(super) fn put_instead(&self, name: &str, body: Value, now: Timestamp) -> Result<(), String> {
        let old = self.waiting()?;
        let Value::Array(mut all) = body else { return self.put(name, &body) };
        // Of what several have the last one says how it is.
        for path in old.iter().rev() {
            // What cannot be read would be refused as well.
            let before = serde_json::from_slice(&read(path)?).unwrap_or_default();
            for one in as_list(before) {
                let is_known = all.iter().any(|it| it["labels"] == one["labels"]);
                let ends = one["endsAt"].as_str().and_then(|at| at.parse::<Timestamp>().ok());
                if !is_known && ends.is_some_and(|ends| !is_old(ends, now)) {
                    all.push(one);
                }
            }
        }
        self.put(name, &Value::Array(all))?;
        old.iter().filter(|path| !is_called(path, name)).try_for_each(|path| remove(path))
    }

    /// The messages that wait, the oldest first.
    pub(super) fn waiting(&self) -> Result<Vec<PathBuf>, String> {
        self.files("json")
    }

    fn files(&self, extension: &str) -> Result<Vec<PathBuf>, String> {
        let failed = |error: std::io::Error| format!("`{}`: {error}", self.folder.display());
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|it| it == extension) {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }

    /// Sends what waits, the oldest first, up to the first that does not come through. What the receiver refuses is put
    /// aside, so that it does not keep back what comes after it.
    pub(super) fn empty(&self, now: Timestamp, send: impl Fn(&[u8]) -> Result<(), Unsent>) -> Emptied {
        let mut emptied = Emptied::default();
        let sent = self.send_all(&send, &mut emptied);
        // Whatever became of the messages, there may not be more and more of them.
        let bounded = self.bound("refused", now).and_then(|refused| Ok((refused, self.bound("json", now)?)));
        if let Ok((refused, dropped)) = bounded {
            emptied.waiting = emptied.waiting.saturating_sub(dropped);
            emptied.dropped += refused + dropped;
        }
        if let Err(error) = sent.and(bounded.map(drop)) {
            emptied.error.get_or_insert(error);
        }
        emptied
    }

    fn send_all(
        &self,
        send: &impl Fn(&[u8]) -> Result<(), Unsent>,
        emptied: &mut Emptied,
    ) -> Result<(), String> {
        let waiting = self.waiting()?;
        for (at, path) in waiting.iter().enumerate() {
            // Until this one is through, it and all behind it wait.
            emptied.waiting = (waiting.len() - at) as u64;
            match send(&read(path)?) {
                Ok(()) => {
                    emptied.sent += 1;
                    remove(path)?;
                }
                Err(Unsent::Refused(why)) => {
                    let aside = path.with_extension("refused");
                    let said = format!("`{}`: {why}", aside.display());
                    fs::rename(path, &aside).map_err(|error| format!("`{}`: {error}", aside.display()))?;
                    emptied.refused.push(said);
                }
                Err(Unsent::Away(_)) if sabotage::is_off("alert-spool") => remove(path)?,
                Err(Unsent::Away(why)) => {
                    emptied.error = Some(why);
                    return Ok(());
                }
            }
        }
        emptied.waiting = 0;
        Ok(())
    }

    /// Removes what is too much or too old of the files with an extension. Gives how many.
    fn bound(&self, extension: &str, now: Timestamp) -> Result<u64, String> {
        let files = self.files(extension)?;
        let most = files.len().saturating_sub(MOST);
        let mut dropped = 0;
        for (at, path) in files.iter().enumerate() {
            if at < most || moment(path).is_some_and(|then| is_old(then, now)) {
                remove(path)?;
                dropped += 1;
            }
        }
        Ok(dropped)
    }
}

fn as_list(value: Value) -> Vec<Value> {
    if let Value::Array(all) = value { all } else { Vec::new() }
}

fn is_called(path: &Path, name: &str) -> bool {
    path.file_stem().is_some_and(|stem| stem == name)
}

fn is_old(then: Timestamp, now: Timestamp) -> bool {
    now.duration_since(then) > SignedDuration::from_hours(24 * DAYS)
}

/// Of which moment a message is: its name has it as the 14 digits of a second, or as 30 of nanoseconds.
fn moment(path: &Path) -> Option<Timestamp> {
    path.file_stem()?.to_str()?.split('-').find_map(|part| match part.len() {
        14 => moment_of(part),
        30 => Timestamp::from_nanosecond(part.parse().ok()?).ok(),
        _ => None,
    })
}

/// The moment that is written as the ids of runs have it.
pub(super) fn moment_of(second: &str) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(DateTime::strptime("%Y%m%d%H%M%S", second).ok()?).ok()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("`{}`: {error}", path.display()))
}

fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(format!("`{}`: {error}", path.display())),
        _ => Ok(()),
    }
}

/// Writes a file beside its place and puts it there, so that nobody reads half of it. A mode, where the system knows
/// one, is set whatever the process leaves out of the files that it makes.
pub(super) fn write_aside(path: &Path, bytes: &[u8], mode: Option<u32>) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // No two write the same file: it is of a job, whose lock they hold, or is named by the moment in which they began.
    // What a kill has left is written over by the next.
    let mut aside = path.as_os_str().to_owned();
    aside.push(".part");
    let written = fs::write(&aside, bytes).and_then(|()| allow(Path::new(&aside), mode));
    let placed = written.and_then(|()| fs::rename(&aside, path));
    if placed.is_err() {
        // The error that is told is the one that came first.
        drop(fs::remove_file(&aside));
    }
    placed
}

#[cfg(unix)]
fn allow(path: &Path, mode: Option<u32>) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    mode.map_or(Ok(()), |mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)))
}

#[cfg(not(unix))]
fn allow(_path: &Path, _mode: Option<u32>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spool() -> (tempfile::TempDir, Spool) {
        let folder = tempfile::TempDir::new().unwrap();
        let spool = Spool::at(folder.path().join("chat"));
        (folder, spool)
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_spool_keeps_the_newest_messages_and_none_that_is_older_than_a_month() {
        let (_folder, spool) = spool();
        spool.put("m000000000000-20260401020000", &json!("old")).unwrap();
        for number in 1..=MOST + 3 {
            spool.put(&format!("m{number:012}-20260601020000"), &json!(number)).unwrap();
        }
        let away = |_: &[u8]| Err(Unsent::Away("away".to_owned()));
        let emptied = spool.empty(at("2026-06-02T02:00:00Z"), away);
        assert_eq!((emptied.waiting, emptied.dropped), (MOST as u64, 4));
        assert!(is_called(&spool.waiting().unwrap()[0], "m000000000004-20260601020000"));
        // One that is too old goes though there are few.
        let (_other, few) = self::spool();
        few.put("m000000000000-20260401020000", &json!("old")).unwrap();
        few.put("m000000000001-20260601020000", &json!("new")).unwrap();
        let emptied = few.empty(at("2026-06-02T02:00:00Z"), away);
        assert_eq!((emptied.waiting, emptied.dropped), (1, 1));
        let emptied = spool.empty(at("2026-07-02T02:00:00Z"), away);
        assert_eq!(
            (emptied.waiting, emptied.dropped, emptied.error.unwrap().as_str()),
            (0, MOST as u64, "away")
        );
        // The nanoseconds of lineage tell of the moment as well.
        spool.put(&format!("{:030}-1", at("2026-06-01T02:00:00Z").as_nanosecond()), &json!(1)).unwrap();
        assert_eq!(spool.empty(at("2026-06-30T02:00:00Z"), away).dropped, 0);
        assert_eq!(spool.empty(at("2026-07-02T02:00:00Z"), away).dropped, 1);
    }

    #[test]
    fn what_a_killed_process_did_not_note_is_not_told_twice() {
        let (_folder, spool) = spool();
        for name in
            ["m000000000001-20260601020000", "m000000000002-20260601020000", "m000000000002-20260602020000"]
        {
            spool.put_once(name, &json!(name)).unwrap();
        }
        let waiting = spool.waiting().unwrap();
        let names: Vec<_> = waiting.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["m000000000001-20260601020000", "m000000000002-20260602020000"]);
    }

    #[test]
    fn of_lists_of_what_stands_the_newest_waits_with_what_was_over_before_it() {
        let (_folder, spool) = spool();
        let one = |name: &str, ends: &str| json!({ "labels": { "alertname": name }, "endsAt": ends });
        let now = at("2026-06-03T02:00:00Z");
        let (over, until) = ("2026-06-02T02:00:00Z", "2026-06-04T02:00:00Z");
        spool.put_instead("m1", json!([one("a", until), one("b", until)]), now).unwrap();
        spool
            .put_instead(
                "m2",
                json!([one("a", over), one("b", until), one("c", "2026-01-01T00:00:00Z")]),
                now,
            )
            .unwrap();
        spool.put_instead("m3", json!([one("b", until)]), now).unwrap();
        // Between the two steps of it the process may die: then both wait, and the later one counts.
        spool.put("m2", &json!([one("b", until), one("a", until), one("d", until)])).unwrap();
        spool.put_instead("m4", json!([one("b", until)]), now).unwrap();
        let waiting = spool.waiting().unwrap();
        let [path] = waiting.as_slice() else { panic!("{waiting:?}") };
        let told: Value = serde_json::from_slice(&read(path).unwrap()).unwrap();
        assert_eq!(told, json!([one("b", until), one("a", over), one("d", until)]));
    }
}
