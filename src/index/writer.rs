//! Writing entries, and the one moment in which what was written becomes what readers find.
#![expect(clippy::disallowed_methods, reason = "the index is a folder of files")]

use std::path::{Path, PathBuf};

use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, NoMergePolicy};
use tantivy::{Index, IndexSettings, IndexWriter, TantivyDocument};

use super::schema::{Fields, document_of, key_term, register, schema};
use super::shared::Folder;
use super::{Entry, Error, Normalizer, Stamp, failed};

/// The memory in which entries are gathered before they are written out, in bytes, over all threads.
const GATHER: usize = 64 << 20;
/// The least that tantivy takes for one thread, with room to spare.
const LEAST: usize = 16 << 20;
/// From so many segments on, small ones are united: a search opens each of them.
const MANY_SEGMENTS: usize = 16;
/// A segment of more entries is not small: what a night writes is not paid for with what stands there already.
const SMALL_SEGMENT: usize = 10_000;

/// Writes entries. Nothing that it writes is found before [`Writer::commit`].
#[must_use = "what is not committed is lost"]
pub struct Writer {
    inner: IndexWriter<TantivyDocument>,
    fields: Fields,
    /// Where the index is, and where it is to be.
    folder: PathBuf,
    place: PathBuf,
    written: u64,
    merge: bool,
}

impl Writer {
    /// Begins an index anew beside the one in `place`, which it takes the place of when it is committed.
    pub fn create(place: &Path, normalizer: Normalizer, threads: usize) -> Result<Self, Error> {
        let folder = aside(place);
        remove(&folder)?;
        std::fs::create_dir_all(&folder).map_err(file("make", &folder))?;
        let (schema, _) = schema();
        let failed = failed::<tantivy::TantivyError>("make the text index", &folder);
        let files = Folder::of(&folder).map_err(&failed)?;
        let index = Index::create(files, schema, IndexSettings::default()).map_err(&failed)?;
        let threads = threads.clamp(1, GATHER / LEAST);
        Self::of(index, folder, place.to_owned(), normalizer, threads, GATHER / threads)
    }

    /// Goes on with the index in `place`, where a few entries are to be rewritten.
    pub fn open(place: &Path, normalizer: Normalizer) -> Result<Self, Error> {
        let index = Folder::of(place).and_then(Index::open).map_err(failed("open the text index", place))?;
        let writer = Self::of(index, place.to_owned(), place.to_owned(), normalizer, 1, LEAST)?;
        // A writer that was killed has left files, some of them under the names that come next.
        let clear = writer.inner.garbage_collect_files().wait();
        clear.map_err(failed::<tantivy::TantivyError>("clear the text index", place))?;
        Ok(writer)
    }

    fn of(
        index: Index,
        folder: PathBuf,
        place: PathBuf,
        normalizer: Normalizer,
        threads: usize,
        memory: usize,
    ) -> Result<Self, Error> {
        register(&index, normalizer);
        let (_, fields) = schema();
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(memory)
            .num_merge_threads(1)
            .build();
        let segments =
            index.searchable_segment_metas().map_err(failed("read the text index", &folder))?.len();
        let inner: IndexWriter<TantivyDocument> =
            index.writer_with_options(options).map_err(failed("write to the text index", &folder))?;
        let fresh = folder != place;
        let merge = fresh || segments >= MANY_SEGMENTS;
        if merge {
            let mut policy = LogMergePolicy::default();
            if !fresh {
                policy.set_max_docs_before_merge(SMALL_SEGMENT);
            }
            inner.set_merge_policy(Box::new(policy));
        } else {
            inner.set_merge_policy(Box::new(NoMergePolicy));
        }
        Ok(Self { inner, fields, folder, place, written: 0, merge })
    }

    /// Writes an entry. One that the index may have already is rewritten.
    pub fn put(&mut self, entry: &Entry, may_be_there: bool) -> Result<(), Error> {
        if may_be_there {
            self.inner.delete_term(key_term(&self.fields, &entry.place));
        }
        if let Err(error) = self.inner.add_document(document_of(&self.fields, entry)) {
            // A thread that has ended, because the disk is full, says why only to whoever waits for it.
            let why = self.inner.prepare_commit().err().unwrap_or(error);
            return Err(failed("write an entry", &self.folder)(why));
        }
        self.written += 1;
        Ok(())
    }

    /// How many entries were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Makes what was written what readers find, and says of which generation it is.
    pub fn commit(mut self, stamp: &Stamp) -> Result<(), Error> {
        let failed = failed::<tantivy::TantivyError>("commit the text index", &self.folder);
        let mut prepared = self.inner.prepare_commit().map_err(&failed)?;
        let stamp = Stamp { commit: prepared.opstamp(), ..stamp.clone() };
        prepared.set_payload(&serde_json::to_string(&stamp).expect("a stamp is plain data"));
        prepared.commit().map_err(&failed)?;
        let segments = self.inner.index().searchable_segment_metas().map_err(&failed)?.len();
        // A new index is built once and read every night, so its segments are united while it is built.
        let fresh = self.folder != self.place;
        if self.merge && (fresh || segments >= MANY_SEGMENTS) {
            self.inner.wait_merging_threads().map_err(&failed)?;
        } else {
            drop(self.inner);
        }
        if fresh {
            remove(&self.place)?;
            std::fs::rename(&self.folder, &self.place).map_err(file("put in place", &self.folder))?;
        }
        Ok(())
    }

    /// Takes away an index for which there is nothing to be found any more.
    pub fn remove(place: &Path) -> Result<(), Error> {
        remove(&aside(place))?;
        remove(place)
    }
}

/// Where an index is built that is to take another's place.
fn aside(place: &Path) -> PathBuf {
    place.with_extension("part")
}

fn remove(folder: &Path) -> Result<(), Error> {
    let removed = match std::fs::symlink_metadata(folder) {
        Ok(found) if !found.is_dir() => std::fs::remove_file(folder),
        _ => std::fs::remove_dir_all(folder),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(file("remove", folder)(error)),
        _ => Ok(()),
    }
}

fn file(doing: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Error + use<> {
    let path = path.display().to_string();
    move |source| Error::File { doing, path: path.clone(), source }
}
