//! What the figures stand beside: the least that any program must do for the same work, on this machine,
//! in this run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use edgewright::index::{Entry, Place, Stamp, Writer};
use edgewright::model::id::ChunkId;
use edgewright::store::{ChunkRecord, DocumentRecord, Store};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Walks a folder on every core and asks for the stamps of every file. Returns how many there are.
pub(crate) fn walk(folder: &Path) -> Result<(u64, Duration), String> {
    let started = Instant::now();
    let (count, stamps) = (AtomicU64::new(0), AtomicU64::new(0));
    let fault = Mutex::new(None);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let walker = ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .follow_links(true)
        .threads(threads)
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            match entry.and_then(|entry| entry.metadata()) {
                Ok(metadata) if metadata.is_file() => {
                    count.fetch_add(1, Ordering::Relaxed);
                    // What is computed must be used, or it may be left out.
                    stamps.fetch_xor(metadata.len(), Ordering::Relaxed);
                }
                Ok(_) => {}
                Err(error) => {
                    fault
                        .lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .replace(error.to_string());
                }
            }
            ignore::WalkState::Continue
        })
    });
    match fault.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(fault) => Err(fault),
        None => Ok((count.into_inner(), started.elapsed())),
    }
}

/// Reads every file below some folders on every core and hashes its bytes. Returns how many bytes.
pub(crate) fn read_and_hash(folders: &[PathBuf]) -> Result<(u64, Duration), String> {
    let started = Instant::now();
    let mut files = Vec::new();
    for folder in folders {
        for entry in ignore::WalkBuilder::new(folder).standard_filters(false).build() {
            let entry = entry.map_err(|error| error.to_string())?;
            if entry.file_type().is_some_and(|kind| kind.is_file()) {
                files.push(entry.into_path());
            }
        }
    }
    let hashed: Result<Vec<(u64, u8)>, String> = files
        .into_par_iter()
        .map(|file| {
            let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            Ok((bytes.len() as u64, blake3::hash(&bytes).as_bytes()[0]))
        })
        .collect();
    Ok((hashed?.iter().map(|(bytes, _)| bytes).sum(), started.elapsed()))
}

/// Indexes the chunks of a workspace with nothing around it, in this process: the program's own schema,
/// tokenizers, threads, memory and commit, over entries that were made before. Returns the time from the
/// first entry to the end of the commit; reading the chunks is not in it. Run it in a process of its own.
pub(crate) fn bare_index(workspace: &Path, out: &Path) -> Result<Duration, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let store = Store::open_read(&workspace.join(".edgewright/graph.db")).map_err(|error| said(&error))?;
    let view = store.current().map_err(|error| said(&error))?;
    let mut texts: BTreeMap<ChunkId, (String, Vec<String>)> = BTreeMap::new();
    view.each(|chunk: ChunkRecord| {
        texts.insert(chunk.id, (chunk.body.text, chunk.body.context.headings));
        Ok::<(), edgewright::store::Error>(())
    })
    .map_err(|error| said(&error))?;
    let mut entries = Vec::new();
    view.each(|document: DocumentRecord| {
        let chunks: BTreeSet<ChunkId> = document.chunks.iter().map(|part| part.id).collect();
        for chunk in chunks {
            let Some((text, section)) = texts.get(&chunk) else { continue };
            entries.push(Entry {
                place: Place { document: document.document.clone(), chunk },
                title: document.title.clone(),
                section: section.clone(),
                text: text.clone(),
                entities: BTreeSet::new(),
                facts: BTreeSet::new(),
                labels: document.access.clone(),
                closed_to_readers: false,
                from: None,
                until: None,
                opened: 1,
                closed: None,
            });
        }
        Ok::<(), edgewright::store::Error>(())
    })
    .map_err(|error| said(&error))?;
    drop(texts);

    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let stamp = Stamp {
        format: edgewright::index::FORMAT,
        normalizer: edgewright::link::FINGERPRINT.to_owned(),
        generation: 1,
        history: String::new(),
        entries: entries.len() as u64,
        commit: 0,
    };
    let started = Instant::now();
    let mut writer =
        Writer::create(out, edgewright::link::index_words, threads).map_err(|error| said(&error))?;
    for entry in &entries {
        writer.put(entry, false).map_err(|error| said(&error))?;
    }
    writer.commit(&stamp).map_err(|error| said(&error))?;
    Ok(started.elapsed())
}
