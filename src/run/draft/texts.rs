//! The documents of a draft: which ones are looked at, and what the parsers make of them.
//!
//! A folder comes in; chunks go out, of a sample where there are many. What they say is not known here.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::chunk;
use crate::diag::{Diagnostic, Severity};
use crate::model::chunk::Chunk;
use crate::model::document::HeaderField;
use crate::model::job::Source;
use crate::ontology::language::Language;
use crate::run::Error;
use crate::run::documents::parse;
use crate::source::folder::{self, Listed};
use crate::worker::Pool;

/// Once a draft holds more text than this, in bytes, no more documents are parsed for it.
const MOST_TEXT: usize = 64 << 20;

/// How many documents are parsed before it is asked whether there is text enough.
const BATCH: usize = 32;

/// A document that was looked at.
#[derive(Debug)]
pub(super) struct Text {
    /// The path below the folder.
    pub(super) path: String,
    pub(super) chunks: Vec<Chunk>,
    pub(super) fields: Vec<HeaderField>,
}

/// The documents of a folder.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// The paths of all of them, sorted.
    pub(super) paths: Vec<String>,
    /// How many files there are of each extension that cannot be read.
    pub(super) foreign: BTreeMap<String, u64>,
    /// How many documents were looked at.
    pub(super) looked_at: usize,
    /// Those that have text, in order.
    pub(super) read: Vec<Text>,
    /// What kept the others from being read.
    pub(super) problems: Vec<Diagnostic>,
}

/// Looks at `most` documents of a source, evenly spread over the sorted paths: the same ones each time. Parses on
/// every core; holds the chunks of those that were read.
pub(super) fn look(
    root: &Path,
    source: &Source,
    most: usize,
    pool: &Pool,
    language: &Language,
) -> Result<Texts, Error> {
    let (files, foreign) = folder::walk(root, source).files().map_err(|why| Error::Usage {
        message: format!("the folder `{}` cannot be looked into: {why}", source.path),
        hint: Some("`--scan` names the folder with your documents".to_owned()),
    })?;
    let picked: Vec<&Listed> = spread(files.len(), most).map(|at| &files[at]).collect();
    let mut texts =
        Texts { paths: files.iter().map(|file| file.path.clone()).collect(), foreign, ..Texts::default() };
    let mut held = 0;
    for batch in picked.chunks(BATCH) {
        let read: Vec<(Option<Text>, Vec<Diagnostic>)> =
            batch.par_iter().map(|file| one(root, source, file, pool, language)).collect();
        texts.looked_at += batch.len();
        for (text, problems) in read {
            texts.problems.extend(problems);
            held +=
                text.iter().flat_map(|text| &text.chunks).map(|chunk| chunk.body.text.len()).sum::<usize>();
            texts.read.extend(text);
        }
        if held > MOST_TEXT {
            break;
        }
    }
    Ok(texts)
}

/// `most` places of `all`, evenly spread.
fn spread(all: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = all.min(most);
    (0..taken).map(move |at| at * all / taken.max(1))
}

fn one(
    root: &Path,
    source: &Source,
    file: &Listed,
    pool: &Pool,
    language: &Language,
) -> (Option<Text>, Vec<Diagnostic>) {
    let path =
        file.on_disk.as_deref().map_or_else(|| root.join(&source.path).join(&file.path), Path::to_owned);
    let place = || crate::diag::Place::file(format!("{}/{}", source.path, file.path));
    let bytes = match folder::read(&path, source.max_bytes) {
        Ok(bytes) => bytes,
        Err(error) => {
            let problem = Diagnostic::error("scan-unreadable", place(), error.to_string());
            return (None, vec![problem.hint("it was left out of the draft")]);
        }
    };
    let (document, mut problems) = parse(pool, source, &file.path, Some(&path), &bytes);
    problems.retain(|problem| problem.severity != Severity::Note);
    let text = document.map(|document| Text {
        path: file.path.clone(),
        chunks: chunk::split(&document, language),
        fields: document.fields,
    });
    (text, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_all() {
        assert_eq!(spread(3, 10).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(10, 4).collect::<Vec<_>>(), [0, 2, 5, 7]);
        assert_eq!(spread(0, 4).count(), 0);
        assert_eq!(spread(4, 0).count(), 0);
    }
}
