//! Checking an index against the entries that it ought to hold, without trusting anything that it says.
//!
//! The posting lists are streamed once, and each entry gets the sum of the hashes of all its postings; the
//! same sum is computed of the entry that ought to be there. So every word at every position is compared,
//! in the memory of a number an entry.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use compact_str::CompactString;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{BitSet, DocSet, SegmentReader, TERMINATED};

use super::reader::Columns;
use super::schema::{Fields, LONGEST_WORD, days_of, key_of, key_term, labels_of, section_of, words_of};
use super::{Entry, Error, Normalizer, Reader, failed};

/// How an index differs from what it ought to hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checked {
    /// A file is not as it was written.
    File(String),
    /// An entry is not there.
    Missing(String),
    /// An entry is there and says something else.
    Differs(String),
    /// An entry is there that ought not to be.
    Extra(String),
}

/// An index that is being checked.
pub struct Check<'r> {
    reader: &'r Reader,
    normalizer: Normalizer,
    segments: Vec<Segment>,
    found: Vec<Checked>,
}

struct Segment {
    sums: Vec<u64>,
    seen: BitSet,
    columns: Columns,
}

impl Reader {
    /// Begins a check: reads every file through. Linear in the index.
    pub fn check(&self, normalizer: Normalizer) -> Result<Check<'_>, Error> {
        let failed = failed::<tantivy::TantivyError>("read the text index through", self.folder());
        let mut found = Vec::new();
        let mut damaged: Vec<String> = self
            .searcher()
            .index()
            .validate_checksum()
            .map_err(&failed)?
            .into_iter()
            .map(|path| path.display().to_string())
            .collect();
        damaged.sort();
        found.extend(damaged.into_iter().map(Checked::File));
        let mut segments = Vec::new();
        // What is damaged is not read any further: it may say anything.
        if found.is_empty() {
            for segment in self.searcher().segment_readers() {
                segments.push(Segment {
                    sums: sums(segment, self.fields()).map_err(&failed)?,
                    seen: BitSet::with_max_value(segment.max_doc()),
                    columns: Columns::of(segment).map_err(&failed)?,
                });
            }
        }
        Ok(Check { reader: self, normalizer, segments, found })
    }
}

impl Check<'_> {
    /// Compares an entry that ought to be there.
    pub fn expect(&mut self, entry: &Entry) -> Result<(), Error> {
        if self.segments.is_empty() && !self.found.is_empty() {
            return Ok(());
        }
        let failed = failed::<tantivy::TantivyError>("look an entry up", self.reader.folder());
        let failed_io = super::failed::<std::io::Error>("look an entry up", self.reader.folder());
        let term = key_term(self.reader.fields(), &entry.place);
        let mut there = Vec::new();
        for (at, segment) in self.reader.searcher().segment_readers().iter().enumerate() {
            let index = segment.inverted_index(self.reader.fields().id).map_err(&failed)?;
            let postings = index.read_postings(&term, IndexRecordOption::Basic).map_err(&failed_io)?;
            let Some(mut postings) = postings else { continue };
            while postings.doc() != TERMINATED {
                if !segment.is_deleted(postings.doc()) {
                    there.push((at, postings.doc()));
                }
                postings.advance();
            }
        }
        let name = || format!("{}#{}", entry.place.document, entry.place.chunk);
        let Some((segment, at)) = there.first().copied() else {
            self.found.push(Checked::Missing(name()));
            return Ok(());
        };
        let expected = expected(entry, self.reader.fields(), self.normalizer);
        let held = &mut self.segments[segment];
        held.seen.insert(at);
        let place = held.columns.place(at).is_ok_and(|place| place == entry.place);
        let columns = &held.columns;
        let days = (columns.from.first(at), columns.until.first(at));
        let (from, until) = days_of(entry);
        let same = place
            && held.sums.get(at as usize) == Some(&expected)
            && days == (Some(from), Some(until))
            && columns.opened.first(at) == Some(entry.opened)
            && columns.closed.first(at) == Some(entry.closed.unwrap_or(0));
        if !same {
            self.found.push(Checked::Differs(name()));
        }
        Ok(())
    }

    /// What is not as it ought to be, sorted; entries that nobody expected among it.
    pub fn done(mut self) -> Vec<Checked> {
        for (held, segment) in self.segments.iter().zip(self.reader.searcher().segment_readers()) {
            for at in segment.doc_ids_alive().filter(|at| !held.seen.contains(*at)) {
                let name = match held.columns.place(at) {
                    Ok(place) => format!("{}#{}", place.document, place.chunk),
                    Err(why) => why,
                };
                self.found.push(Checked::Extra(name));
            }
        }
        self.found.sort();
        self.found
    }
}

/// The fields whose postings are compared, with whether positions are part of them.
fn posted(fields: &Fields) -> [(Field, bool); 9] {
    [
        (fields.id, false),
        (fields.document, true),
        (fields.title, true),
        (fields.section, true),
        (fields.text, true),
        (fields.link, false),
        (fields.entity, false),
        (fields.fact, false),
        (fields.label, false),
    ]
}

fn hash_of(field: Field, term: &[u8], positions: &[u32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (field.field_id(), term, positions).hash(&mut hasher);
    hasher.finish()
}

/// For each entry of a segment the sum of the hashes of its postings.
fn sums(segment: &SegmentReader, fields: &Fields) -> tantivy::Result<Vec<u64>> {
    let mut sums = vec![0u64; segment.max_doc() as usize];
    let mut positions = Vec::new();
    for (field, with_positions) in posted(fields) {
        let option =
            if with_positions { IndexRecordOption::WithFreqsAndPositions } else { IndexRecordOption::Basic };
        let index = segment.inverted_index(field)?;
        let mut terms = index.terms().stream()?;
        while let Some((term, info)) = terms.next() {
            let mut postings = index.read_postings_from_terminfo(info, option)?;
            while postings.doc() != TERMINATED {
                positions.clear();
                if with_positions {
                    postings.positions(&mut positions);
                }
                if let Some(sum) = sums.get_mut(postings.doc() as usize) {
                    *sum = sum.wrapping_add(hash_of(field, term, &positions));
                }
                postings.advance();
            }
        }
    }
    Ok(sums)
}

/// The same sum of an entry that ought to be there.
fn expected(entry: &Entry, fields: &Fields, normalizer: Normalizer) -> u64 {
    let mut sum = 0u64;
    let mut add = |field: Field, term: &[u8], positions: &[u32]| {
        sum = sum.wrapping_add(hash_of(field, term, positions));
    };
    add(fields.id, &key_of(&entry.place), &[]);
    let document = entry.place.document.to_string();
    let section = section_of(entry);
    for (field, text) in [
        (fields.document, document.as_str()),
        (fields.title, entry.title.as_str()),
        (fields.section, section.as_str()),
        (fields.text, entry.text.as_str()),
    ] {
        let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (at, word) in words_of(text).into_iter().enumerate() {
            places.entry(word.folded.into()).or_default().push(at as u32);
        }
        for (word, positions) in &places {
            add(field, word.as_bytes(), positions);
        }
    }
    let mut link = normalizer(&entry.text);
    link.sort_unstable();
    link.dedup();
    for (field, keys) in [
        (fields.link, link.iter().map(CompactString::as_str).collect::<Vec<_>>()),
        (fields.entity, entry.entities.iter().map(String::as_str).collect()),
        (fields.fact, entry.facts.iter().map(String::as_str).collect()),
        (fields.label, labels_of(entry).collect()),
    ] {
        for key in keys.into_iter().filter(|key| key.len() <= LONGEST_WORD) {
            add(field, key.as_bytes(), &[]);
        }
    }
    sum
}
