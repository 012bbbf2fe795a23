//! Replay: the store rebuilt from the changelog alone, decisions included.
#![expect(clippy::disallowed_methods, reason = "the changelog is files")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::store::{Header, Lock, Store, Writer, header_of, line_of};

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
    if target.store().exists() {
        return Err(Error::Usage {
            message: format!("`{}` has a graph already", target.root().display()),
            hint: Some("replay into an empty folder, or move the graph away".to_owned()),
        });
    }
    let _lock = Lock::take(&target.lock())?;
    let store = Store::open(&target.store())?;
    let mut generation = 0;
    loop {
        let path = changelog.join(format!("{:06}.jsonl", generation + 1));
        if !path.exists() {
            break;
        }
        generation += 1;
        replay_file(&store, &path, generation)?;
    }
    let Some(last) = store.generations()?.pop() else {
        return Err(Error::Usage {
            message: format!("there is no changelog in `{}`", changelog.display()),
            hint: Some("a changelog's first file is 000001.jsonl".to_owned()),
        });
    };
    super::output::copy_changelog(changelog, target, generation)?;
    super::index::follow(target, &store, &|_| Ok(()))?;
    Ok(Replayed {
        version: 1,
        generations: generation,
        state_digest: last.state_digest,
        history_digest: last.history_digest,
    })
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
