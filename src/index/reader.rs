//! Reading: which places a query finds, best first, and which documents a word of the linker stands in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tantivy::collector::TopDocs;
use tantivy::columnar::{Column, StrColumn};
use tantivy::directory::error::LockError;
use tantivy::query::BooleanQuery;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, Index, ReloadPolicy, Searcher, SegmentReader, TERMINATED, Term};

use super::compile::{Statistics, compile};
use super::guard::guarded;
use super::schema::{Fields, schema};
use super::shared::Folder;
use super::{Error, FORMAT, Place, Query, Stamp, failed};
use crate::model::access::Labels;
use crate::model::id::{ChunkId, DocumentId};
use crate::model::time::Date;

/// Scores are compared as far as this many parts of one; beyond it the order in which they were added shows.
const SCORE_PARTS: f64 = 1000.0;

/// An index as one commit left it, whatever is committed after.
#[derive(Clone)]
pub struct Reader {
    searcher: Searcher,
    fields: Fields,
    folder: PathBuf,
    stamp: Stamp,
}

/// Why there is no index to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// There is none.
    Missing,
    /// It cannot be read, and why.
    Damaged(String),
}

/// What may be left out before anybody looks closer. Each filter leaves out only what cannot be an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only what stood in a document in this generation or before.
    pub known_at: Option<u64>,
    /// Only what may assert an edge that holds on this day, or asserts none.
    pub on: Option<Date>,
    /// Only documents whose labels are all among these, and no withdrawn one.
    pub held: Option<Labels>,
}

/// A place that a query finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The place.
    pub place: Place,
    /// How well it fits: the higher the better, in parts of a thousand.
    pub score: i64,
}

/// The best hits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The hits, best first; equal ones by document and chunk.
    pub hits: Vec<Hit>,
    /// True if there are no more.
    pub complete: bool,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("folder", &self.folder).field("stamp", &self.stamp).finish()
    }
}

impl Reader {
    /// Opens the index in a folder as it was last committed. Opens every file of it, and reads none through.
    pub fn open(folder: &Path) -> Result<Self, Trouble> {
        if !folder.join("meta.json").exists() {
            return Err(Trouble::Missing);
        }
        let damaged = |error: tantivy::TantivyError| Trouble::Damaged(error.to_string());
        let opened = guarded(folder, || {
            let failed = failed::<tantivy::TantivyError>("open the text index", folder);
            let files = Folder::of(folder).map_err(&failed)?;
            let index = Index::open(files.clone()).map_err(&failed)?;
            Ok(match Self::of(folder, &index) {
                Err(tantivy::TantivyError::LockFailure(LockError::IoError(_), _)) => {
                    Self::of(folder, &Index::open(files.unlocked()).map_err(&failed)?)
                }
                opened => opened,
            })
        });
        match opened {
            Ok(opened) => opened.map_err(damaged)?,
            Err(Error::Tantivy { source, .. }) => Err(damaged(*source)),
            Err(error) => Err(Trouble::Damaged(error.to_string())),
        }
    }

    /// The last commit of an open index: an error of tantivy, or what else is wrong with it.
    fn of(folder: &Path, index: &Index) -> tantivy::Result<Result<Self, Trouble>> {
        let (expected, fields) = schema();
        if index.schema() != expected {
            return Ok(Err(Trouble::Damaged("its fields are those of another version".to_owned())));
        }
        // The commit may move on between the two readings; then its stamp is read again with its segments.
        for _ in 0..8 {
            let before = index.load_metas()?;
            let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
            let after = index.load_metas()?;
            if before.opstamp != after.opstamp {
                continue;
            }
            let payload = after.payload.as_deref().unwrap_or_default();
            let Ok(stamp) = serde_json::from_str::<Stamp>(payload) else {
                return Ok(Err(Trouble::Damaged("its last commit says nothing of itself".to_owned())));
            };
            if stamp.format != FORMAT {
                let why = format!("it has format {} and this program writes {FORMAT}", stamp.format);
                return Ok(Err(Trouble::Damaged(why)));
            }
            let searcher = reader.searcher();
            if stamp.commit != after.opstamp || stamp.entries != alive(&searcher) {
                return Ok(Err(Trouble::Damaged("something else has written to it".to_owned())));
            }
            return Ok(Ok(Self { searcher, fields, folder: folder.to_owned(), stamp }));
        }
        Ok(Err(Trouble::Damaged("it is being written without a pause".to_owned())))
    }

    /// Takes an index away that cannot be read, so that it is built anew. The caller holds the lock of the store.
    pub fn give_up(&self) -> Result<(), Error> {
        super::Writer::remove(&self.folder)
    }

    /// What its last commit says of itself.
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// The documents in which a word of the linker's normaliser stands now, each with its chunks in which it does.
    /// Linear in the answer.
    pub fn chunks_with(&self, word: &str) -> Result<BTreeMap<DocumentId, Vec<ChunkId>>, Error> {
        guarded(&self.folder, || self.look_up(word))
    }

    fn look_up(&self, word: &str) -> Result<BTreeMap<DocumentId, Vec<ChunkId>>, Error> {
        let failed_io = failed::<std::io::Error>("look a word up", &self.folder);
        let failed = failed::<tantivy::TantivyError>("look a word up", &self.folder);
        let term = Term::from_field_text(self.fields.link, word);
        let mut found: BTreeMap<DocumentId, Vec<ChunkId>> = BTreeMap::new();
        if crate::model::sabotage::is_off("index-words") {
            return Ok(found);
        }
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.link).map_err(&failed)?;
            let Some(mut postings) =
                index.read_postings(&term, IndexRecordOption::Basic).map_err(&failed_io)?
            else {
                continue;
            };
            let columns = Columns::of(segment).map_err(&failed)?;
            let damaged = |why: String| self.damaged(&why);
            // A document's name is read once, however many of its chunks there are.
            let mut documents: BTreeMap<u64, Vec<ChunkId>> = BTreeMap::new();
            while postings.doc() != TERMINATED {
                let at = postings.doc();
                if !segment.is_deleted(at) && columns.closed.first(at) == Some(0) {
                    let document = columns.document.ords().first(at);
                    let document =
                        document.ok_or_else(|| damaged("an entry names no document".to_owned()))?;
                    documents.entry(document).or_default().push(columns.chunk_at(at).map_err(damaged)?);
                }
                postings.advance();
            }
            for (document, chunks) in documents {
                found.entry(columns.document_named(document).map_err(damaged)?).or_default().extend(chunks);
            }
        }
        Ok(found)
    }

    /// The best hits of a query: at least `most` of them that rank above all others, or all that there are.
    pub fn search(&self, query: &Query, filter: &Filter, most: usize) -> Result<Page, Error> {
        guarded(&self.folder, || self.best(query, filter, most))
    }

    fn best(&self, query: &Query, filter: &Filter, most: usize) -> Result<Page, Error> {
        let failed = failed::<tantivy::TantivyError>("search the text index", &self.folder);
        let entries = alive(&self.searcher) as usize;
        let statistics =
            Statistics::of(&self.searcher, &self.fields, filter.held.as_ref()).map_err(&failed)?;
        let compiled: BooleanQuery = compile(query, filter, &self.fields, &statistics).map_err(&failed)?;
        let mut wanted = most.max(1) + 1;
        loop {
            let top = TopDocs::with_limit(wanted.min(entries.max(1))).order_by_score();
            let scored = self
                .searcher
                .search_with_statistics_provider(&compiled, &top, &statistics)
                .map_err(&failed)?;
            let complete = scored.len() < wanted;
            let mut hits = Vec::with_capacity(scored.len());
            for (score, address) in scored {
                hits.push(Hit { place: self.place(address)?, score: parts(score) });
            }
            // Those that rank with the last one may have equals that were cut off: they are not settled yet.
            if let (false, Some(last)) = (complete, hits.last().map(|last| last.score)) {
                hits.retain(|hit| hit.score > last);
            }
            if complete || hits.len() >= most.max(1) {
                hits.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.place.cmp(&b.place)));
                return Ok(Page { hits, complete });
            }
            wanted = wanted.saturating_mul(4);
        }
    }

    /// The place of an entry.
    fn place(&self, address: DocAddress) -> Result<Place, Error> {
        let failed = failed::<tantivy::TantivyError>("read an entry", &self.folder);
        let columns = Columns::of(self.searcher.segment_reader(address.segment_ord)).map_err(failed)?;
        columns.place(address.doc_id).map_err(|why| self.damaged(&why))
    }

    pub(super) fn damaged(&self, why: &str) -> Error {
        Error::Damaged { path: self.folder.display().to_string(), why: why.to_owned() }
    }

    pub(super) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    pub(super) fn fields(&self) -> &Fields {
        &self.fields
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// How many entries a searcher sees.
fn alive(searcher: &Searcher) -> u64 {
    searcher.segment_readers().iter().map(|segment| u64::from(segment.num_docs())).sum()
}

/// A score in whole parts.
fn parts(score: f32) -> i64 {
    (f64::from(score) * SCORE_PARTS).round() as i64
}

/// The columns of a segment.
pub(super) struct Columns {
    pub(super) document: StrColumn,
    pub(super) chunk: [Column<u64>; 2],
    pub(super) from: Column<i64>,
    pub(super) until: Column<i64>,
    pub(super) opened: Column<u64>,
    pub(super) closed: Column<u64>,
}

impl Columns {
    pub(super) fn of(segment: &SegmentReader) -> tantivy::Result<Self> {
        let columns = segment.fast_fields();
        let document = columns
            .str("document")?
            .ok_or_else(|| tantivy::TantivyError::FieldNotFound("document".to_owned()))?;
        Ok(Self {
            document,
            chunk: [columns.u64("chunk_high")?, columns.u64("chunk_low")?],
            from: columns.i64("from")?,
            until: columns.i64("until")?,
            opened: columns.u64("opened")?,
            closed: columns.u64("closed")?,
        })
    }

    /// The document with this number in the column's dictionary.
    fn document_named(&self, number: u64) -> Result<DocumentId, String> {
        let mut name = String::new();
        match self.document.ord_to_str(number, &mut name) {
            Ok(true) => name.parse().map_err(|_| format!("`{name}` is no document")),
            Ok(false) => Err("an entry names no document".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The place of an entry.
    pub(super) fn place(&self, at: u32) -> Result<Place, String> {
        let document = self.document.ords().first(at).ok_or("an entry names no document")?;
        Ok(Place { document: self.document_named(document)?, chunk: self.chunk_at(at)? })
    }

    /// The chunk of an entry.
    fn chunk_at(&self, at: u32) -> Result<ChunkId, String> {
        let half = |column: &Column<u64>| column.first(at).ok_or("an entry names no chunk");
        let (high, low) = (half(&self.chunk[0])?, half(&self.chunk[1])?);
        Ok(ChunkId::from_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes()))
    }
}
