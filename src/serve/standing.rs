//! Whether the text index can be read, and at which generation.

use std::path::Path;

use super::Error;
use crate::index::{Reader, Trouble};
use crate::store::Store;

/// How a text index stands to a store.
#[derive(Debug)]
pub enum Standing {
    /// Nothing is published, and there is none.
    Empty,
    /// It is that of the last published generation.
    Ready(Reader),
    /// It is that of an earlier generation, and true of that one.
    Behind(Reader),
    /// It cannot be used.
    Unusable {
        /// The name by which `verify` calls that.
        fault: &'static str,
        /// Why, as a sentence without its end.
        why: String,
        /// True if there is none.
        missing: bool,
    },
}

/// How the index in a folder stands to a store. `normalizer` is the version of the linker's normaliser for
/// those who look names up; a search does not depend on it.
pub fn standing(folder: &Path, store: &Store, normalizer: Option<&str>) -> Result<Standing, Error> {
    // The index is read first: one that a run commits meanwhile is not taken for one that is ahead.
    let opened = Reader::open(folder);
    let generations = store.generations()?;
    let published = generations.last().map_or(0, |last| last.id);
    let unusable = |fault, why: String| Standing::Unusable { fault, why, missing: false };
    let reader = match opened {
        Ok(reader) => reader,
        Err(Trouble::Missing) if published == 0 => return Ok(Standing::Empty),
        Err(Trouble::Missing) => {
            let why = "the text index was missing".to_owned();
            return Ok(Standing::Unusable { fault: "index-missing", why, missing: true });
        }
        Err(Trouble::Damaged(why)) => {
            return Ok(unusable("index-damaged", format!("the text index was damaged ({why})")));
        }
    };
    let stamp = reader.stamp();
    if normalizer.is_some_and(|normalizer| stamp.normalizer != normalizer) {
        let why = "the text index was made by another version of the linker".to_owned();
        return Ok(unusable("index-outdated", why));
    }
    if stamp.generation > published {
        let why = format!(
            "the text index was ahead of the graph (generation {} and {published})",
            stamp.generation
        );
        return Ok(unusable("index-ahead", why));
    }
    let history = generations.iter().find(|one| one.id == stamp.generation);
    if history.is_none_or(|generation| generation.history_digest != stamp.history) {
        let why = "the text index was that of another history".to_owned();
        return Ok(unusable("index-other", why));
    }
    Ok(if stamp.generation == published { Standing::Ready(reader) } else { Standing::Behind(reader) })
}
