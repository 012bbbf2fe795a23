//! What the figures stand beside: the least that any program must do for the same work, on this machine,
//! in this run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use edgewright::store::{ChunkRecord, Store};
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

/// Indexes the chunks of a workspace with nothing around it, in this process: one document a chunk, one
/// commit. Returns the time from the first document to the end of the commit; reading the chunks is not in
/// it. Run it in a process of its own.
pub(crate) fn bare_index(workspace: &Path, out: &Path) -> Result<Duration, String> {
    use tantivy::schema::{INDEXED, STORED, STRING, Schema, TEXT};
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let store = Store::open_read(&workspace.join(".edgewright/graph.db")).map_err(|error| said(&error))?;
    let mut chunks: BTreeMap<String, (String, String)> = BTreeMap::new();
    let view = store.current().map_err(|error| said(&error))?;
    view.each(|chunk: ChunkRecord| {
        let section = chunk.body.context.headings.join(" > ");
        chunks.insert(chunk.id.to_string(), (chunk.body.text, section));
        Ok::<(), edgewright::store::Error>(())
    })
    .map_err(|error| said(&error))?;

    let mut schema = Schema::builder();
    let id = schema.add_text_field("chunk", STRING | STORED);
    let text = schema.add_text_field("text", TEXT);
    let section = schema.add_text_field("section", TEXT);
    let opened = schema.add_u64_field("opened", INDEXED);
    fs::create_dir_all(out).map_err(|error| said(&error))?;
    let index = tantivy::Index::create_in_dir(out, schema.build()).map_err(|error| said(&error))?;
    let started = Instant::now();
    let mut writer: tantivy::IndexWriter =
        index.writer_with_num_threads(2, 100_000_000).map_err(|error| said(&error))?;
    for (chunk, (body, heading)) in chunks {
        let document = tantivy::doc!(id => chunk, text => body, section => heading, opened => 1_u64);
        writer.add_document(document).map_err(|error| said(&error))?;
    }
    writer.commit().map_err(|error| said(&error))?;
    writer.wait_merging_threads().map_err(|error| said(&error))?;
    Ok(started.elapsed())
}
