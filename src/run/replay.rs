//! Replay: the store rebuilt from the changelog alone, decisions included.
#![expect(clippy::disallowed_methods, reason = "the changelog is files")]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::store::{Generation, Header, Lock, Store, Writer, header_of, line_of};

use super::{Error, Workspace};

/// What a replay came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Replayed {
    /// The version of this form.
    pub version: u32,
    /// How many generations were replayed.
    pub generations: u64,
    /// The state digest of the last.
    pub state_digest: String,
    /// The history digest of the last.
    pub history_digest: String,
}

/// Rebuilds the store of `target`, which must not have one, from the changelog in a folder.
///
/// The chain of history digests is checked as it is followed: a file that was changed, lost or put in another
/// order stops the replay and is named. Linear in the changelog; holds one line at a time.
pub fn replay(changelog: &Path, target: &Workspace) -> Result<Replayed, Error> {
    if std::fs::metadata(target.store()).is_ok_and(|file| file.len() > 0) {
        return Err(Error::Usage {
            message: format!("`{}` has a graph already", target.root().display()),
            hint: Some("replay into an empty folder, or move the graph away".to_owned()),
        });
    }
    let generations = files(changelog)?;
    let fresh = !target.state().exists();
    let _lock = Lock::take(&target.lock())?;
    let replayed = build(changelog, generations, target);
    if replayed.is_err() {
        // What a failed replay leaves would only stand in the way of the next one.
        remove(&target.store().with_extension("part"))?;
        if fresh {
            drop(std::fs::remove_dir_all(target.state()));
            drop(std::fs::remove_dir(target.root()));
        }
    }
    let last = replayed?;
    let store = Store::open(&target.store())?;
    super::index::follow(target, &store, None, &|_| Ok(()))?;
    Ok(Replayed {
        version: 1,
        generations,
        state_digest: last.state_digest,
        history_digest: last.history_digest,
    })
}

/// How many generations a changelog has. A file that is missing between two others is named.
fn files(changelog: &Path) -> Result<u64, Error> {
    let failed = |source| Error::File { doing: "read", path: changelog.display().to_string(), source };
    let mut numbers: BTreeSet<u64> = BTreeSet::new();
    if changelog.is_dir() {
        for entry in std::fs::read_dir(changelog).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
        }
    }
    let last = numbers.last().copied().unwrap_or_default();
    match (1..=last).find(|number| !numbers.contains(number)) {
        None if last > 0 => Ok(last),
        None => Err(Error::Usage {
            message: format!("there is no changelog in `{}`", changelog.display()),
            hint: Some("a changelog's first file is 000001.jsonl".to_owned()),
        }),
        Some(missing) => Err(Error::Usage {
            message: format!("the changelog in `{}` lacks {missing:06}.jsonl", changelog.display()),
            hint: Some(format!(
                "take the file from a backup; what {last:06}.jsonl says builds on it, and nothing was replayed"
            )),
        }),
    }
}

/// Builds the store aside and puts it in its place once it is whole.
fn build(changelog: &Path, generations: u64, target: &Workspace) -> Result<Generation, Error> {
    let aside = target.store().with_extension("part");
    remove(&aside)?;
    let store = Store::open(&aside)?;
    for generation in 1..=generations {
        replay_file(&store, &changelog.join(format!("{generation:06}.jsonl")), generation)?;
    }
    let last = store.generations()?.pop();
    let last = last.ok_or_else(|| Error::Bug("a replay published no generation".to_owned()))?;
    super::output::copy_changelog(changelog, target, generations)?;
    // Closing the last connection leaves one file.
    drop(store);
    std::fs::rename(&aside, target.store()).map_err(|source| Error::File {
        doing: "put in place",
        path: aside.display().to_string(),
        source,
    })?;
    Ok(last)
}

/// Takes a database away with the files beside it.
fn remove(store: &Path) -> Result<(), Error> {
    for beside in ["", "-wal", "-shm"] {
        let path = format!("{}{beside}", store.display());
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::File { doing: "remove", path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

fn replay_file(store: &Store, path: &Path, generation: u64) -> Result<(), Error> {
    let failed = |source| Error::File { doing: "read", path: path.display().to_string(), source };
    let broken = |line: usize, why: &str| Error::Usage {
        message: format!("{}:{}: {why}", path.display(), line + 1),
        hint: Some("the file was changed after it was written; take it from a backup".to_owned()),
    };
    let mut lines = BufReader::new(std::fs::File::open(path).map_err(failed)?).lines().enumerate();
    let first = lines.next().map(|(_, line)| line).transpose().map_err(failed)?.unwrap_or_default();
    let header: Header =
        header_of(&first).ok_or_else(|| broken(0, "not the first line of a changelog file"))?;
    let previous = store.generations()?.pop().map(|last| last.history_digest).unwrap_or_default();
    if header.generation != generation || header.previous != previous {
        return Err(broken(0, "it does not follow the file before it"));
    }
    let writer = store.begin(false)?;
    writer.made_for(header.logical_date.clone());
    for (at, line) in lines {
        let line = line.map_err(failed)?;
        apply(&writer, &line).map_err(|error| match error {
            Error::Store(crate::store::Error::Corrupt { why, .. }) => broken(at, &why),
            other => other,
        })?;
    }
    let published = writer.publish(&header.run, &header.recorded_at, &[])?;
    if published != Some(generation) {
        return Err(broken(0, "the file changes nothing"));
    }
    Ok(())
}

fn apply(writer: &Writer<'_>, text: &str) -> Result<(), Error> {
    let corrupt = |why: &str| {
        Error::Store(crate::store::Error::Corrupt {
            kind: "changelog",
            id: String::new(),
            why: why.to_owned(),
        })
    };
    let line = line_of(text).ok_or_else(|| corrupt("not a line of a changelog"))?;
    Ok(writer.apply(&line)?)
}
