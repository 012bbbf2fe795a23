//! Scanning: which documents changed, went, or cannot be judged tonight.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::diag::{Diagnostic, Place, either};
use crate::model::id::{DocumentId, Fingerprint};
use crate::model::job::{Gone, Limits, Source};
use crate::source::folder::{self, Block, Cutter, Seen, Span, Sum};
use crate::store::{Checkpoint, Kind, ScopeRecord};

use super::Error;
use super::backfill;
use super::documents::OnDisk;
use super::patterns::Patterns;
use super::purge;
use super::register::Registers;
use super::report::InputReport;
use super::session::Session;
use super::setup::Reader;

/// What a scan of all sources came to.
#[derive(Default)]
pub(super) struct Scanned {
    /// Files whose bytes must be read, by document.
    pub(super) changed: BTreeMap<DocumentId, OnDisk>,
    /// Documents that are proven gone.
    pub(super) gone: BTreeSet<DocumentId>,
    /// Sources whose configuration changed: every document of theirs is looked at again.
    pub(super) reconfigured: BTreeSet<String>,
}

/// Scans every source.
pub(super) fn scan_all(
    session: &mut Session<'_>,
    root: &Path,
    registers: &Registers<'_>,
) -> Result<Scanned, Error> {
    let mut scanned = Scanned::default();
    let barred = purge::barred(&session.writer.before())?;
    for (source, reader) in session.setup.sources() {
        scan_one(session, root, (source, reader), registers, &barred, &mut scanned)?;
    }
    Ok(scanned)
}

fn scan_one(
    session: &mut Session<'_>,
    root: &Path,
    (source, reader): (&Source, &Reader),
    registers: &Registers<'_>,
    barred: &BTreeSet<Fingerprint>,
    scanned: &mut Scanned,
) -> Result<(), Error> {
    let view = session.writer.view();
    if let Some(later) = backfill::read_for_later(session, &source.name)? {
        let items = view.count_by(Kind::Document, ("source", &source.name), &[])? as u64;
        backfill::pass_over(session, (&source.name, "source", &source.path), items, &later);
        return Ok(());
    }
    let patterns = Patterns::of(source);
    let declares_keys = patterns.declare_keys() || registers.declare_keys(source);
    let scope: Option<ScopeRecord> = view.get(&source.name)?;
    let parser = source.parser.as_ref().map(|parser| parser.program.fingerprint());
    // A program of another version makes another text of the same bytes, so all files are looked at.
    let other = scope.as_ref().is_some_and(|scope| scope.content != parser);
    let (walked, spans, mut stood) = look(session, root, source, declares_keys || other)?;
    let scan = folder::compare(root, source, walked, &spans, &stood.seen, session.options.now_ns);
    // What a person has accepted as gone is no complaint any more.
    let accepted: BTreeSet<String> = scan
        .unproven
        .iter()
        .filter(|unproven| is_accepted(session, source, &unproven.path))
        .map(|unproven| place_of(source, &unproven.path))
        .collect();
    let complaints = scan.diagnostics.iter().filter(|complaint| !accepted.contains(&complaint.at.file));
    session.diagnostics.extend(complaints.cloned());

    if other {
        let is_parsed = |path: &str| parser.is_none() || folder::is_parsed_by_program(source, path);
        let paths = scan.found.iter().map(|found| &found.path).filter(|path| is_parsed(path));
        stood.anew = paths.cloned().collect();
    }

    let config = config_of(source, reader);
    let reconfigured = scope.as_ref().is_some_and(|scope| scope.config != config);
    if reconfigured {
        scanned.reconfigured.insert(source.name.clone());
    }
    let mut report = InputReport {
        name: source.name.clone(),
        kind: "source".to_owned(),
        state: "unchanged".to_owned(),
        items: (scan.found.len() + scan.passed) as u64,
        added: 0,
        changed: 0,
        gone: 0,
        not_selected: 0,
        withheld: 0,
        unproven: Vec::new(),
        why: Vec::new(),
    };
    for path in &stood.forgotten {
        session.writer.stage_checkpoint(&source.name, path, None)?;
    }
    for found in scan.found.iter().filter(|found| found.is_news) {
        session.writer.stage_checkpoint(&source.name, &found.path, Some(&found.seen.pack()))?;
    }
    let mut gone: Vec<String> = scan.gone.clone();
    gone.extend(accepted_losses(session, source, &scan, &stood));
    if crate::model::sabotage::is_off("absence-proof") {
        let found: BTreeSet<&String> = scan.found.iter().map(|found| &found.path).collect();
        gone = stood.paths().filter(|path| !found.contains(path)).cloned().collect();
    }
    let keeps = source.gone == Gone::Keep;
    for path in &gone {
        let missing = (keeps && stood.has(path)).then_some(folder::MISSING);
        session.writer.stage_checkpoint(&source.name, path, missing)?;
    }
    let judged = if declares_keys || stood.has_keys() {
        by_key(session, source, &patterns, registers, &stood, &scan, &gone)?
    } else {
        by_path(source, &stood, &scan, &gone)
    };
    let folder: Arc<Path> = root.join(&source.path).into();
    for (id, found, is_new) in judged.changed {
        if barred.contains(&found.seen.hash) && !crate::model::sabotage::is_off("purged-bytes") {
            session.diagnostics.push(purge::is_barred(&place_of(source, &found.path)));
            report.items = report.items.saturating_sub(u64::from(is_new));
            continue;
        }
        if is_new {
            report.added += 1;
        } else {
            report.changed += 1;
        }
        let path = (found.path != id.key()).then(|| found.path.as_str().into());
        let on_disk = OnDisk { folder: Arc::clone(&folder), path, file: found.on_disk.clone() };
        scanned.changed.insert(id, on_disk);
    }
    report.gone = judged.gone.len() as u64;
    scanned.gone.extend(judged.gone);
    say_what_is_unproven(session, source, &scan, &stood, &mut report);
    if report.added + report.changed + report.gone > 0 {
        report.state = "read".to_owned();
    }
    if !report.unproven.is_empty() {
        report.state = "unproven".to_owned();
    }
    let is_proven = report.unproven.is_empty();
    session.report.inputs.push(report);
    if is_proven {
        backfill::note_read(session, &source.name)?;
    }
    // Each word that was given, in the order in which they were.
    let words = session.accepted_scopes.iter().filter(|(name, ..)| *name == source.name);
    let words: Vec<&str> = words.map(|(.., word)| word.as_str()).collect();
    let accepted = (!words.is_empty()).then(|| words.join("; "));
    session.writer.put(&ScopeRecord {
        name: source.name.clone(),
        config,
        content: parser,
        rows: 0,
        columns: Vec::new(),
        access: source.access.clone(),
        changed_at: scope.as_ref().and_then(|scope| scope.changed_at.clone()),
        accepted: accepted.or_else(|| scope.and_then(|scope| scope.accepted)),
    })?;
    Ok(())
}

/// Walks the folder of a source and reads what the last scan saw of it: of the spans in which something may have
/// changed. Of a source whose documents have keys of their own, everything: any two files may have one key.
fn look(
    session: &Session<'_>,
    root: &Path,
    source: &Source,
    declares_keys: bool,
) -> Result<(folder::Walked, Vec<Span>, Stood), Error> {
    let everything = vec![Span::whole()];
    let kept = if declares_keys { None } else { Some(blocks(session, source)?) };
    let blocks = kept.as_deref();
    let (walked, stood) = std::thread::scope(|scope| {
        let walk = scope.spawn(|| folder::walk(root, source));
        // Where there is nothing to choose by, this need not wait for the walk.
        let all = blocks.is_none_or(<[Block]>::is_empty);
        let stood = all.then(|| Stood::read(session, source, &everything, blocks));
        (walk.join(), stood.transpose())
    });
    let walked = walked.map_err(|_| Error::Bug("the walk of a folder panicked".to_owned()))?;
    if let Some(stood) = stood? {
        return Ok((walked, everything, stood));
    }
    let spans = walked.spans(blocks.unwrap_or_default());
    let stood = Stood::read(session, source, &spans, blocks)?;
    if !stood.has_keys() {
        return Ok((walked, spans, stood));
    }
    let stood = Stood::read(session, source, &everything, blocks)?;
    Ok((walked, everything, stood))
}

/// The blocks of a source as the last scan left them.
fn blocks(session: &Session<'_>, source: &Source) -> Result<Vec<Block>, Error> {
    let kept = session.writer.blocks(&source.name)?.into_iter();
    Ok(kept.map(|(first, sum)| Block { first, sum: sum.map(Sum::from_bytes) }).collect())
}

/// What stood when a source was last scanned.
struct Stood {
    /// What was seen of each path.
    seen: BTreeMap<String, Seen>,
    /// Where a document has another key than its path, or another content than was seen there: withheld ones,
    /// and all after a replay; `None` where a file is no document.
    otherwise: BTreeMap<String, Option<(String, Fingerprint)>>,
    /// Where a file is missing whose document is another file's by now.
    forgotten: Vec<String>,
    /// Files that are to be parsed though their bytes are the same.
    anew: BTreeSet<String>,
}

impl Stood {
    /// Reads some spans, and cuts what lies in them into blocks for the next scan if the source has blocks.
    fn read(
        session: &Session<'_>,
        source: &Source,
        spans: &[Span],
        blocks: Option<&[Block]>,
    ) -> Result<Self, Error> {
        let (mut seen, mut otherwise, mut forgotten) = (Vec::new(), BTreeMap::new(), Vec::new());
        for span in spans {
            let mut cutter = Cutter::new(span);
            let (from, until) = (span.from.as_str(), span.until.as_deref());
            session.writer.checkpoints(
                &source.name,
                from,
                until,
                |Checkpoint { path, seen: packed, held }| {
                    // A checkpoint that does not read back is no checkpoint: the file is hashed again.
                    let known = packed.and_then(Seen::unpack).unwrap_or_else(Seen::never);
                    let is_so = held.is_some_and(|held| held.key == path && held.content == known.hash);
                    cutter.add(path, if is_so { known.sum(path) } else { None });
                    if !is_so {
                        let held = held.map(|held| (held.key.to_owned(), held.content));
                        otherwise.insert(path.to_owned(), held);
                    }
                    if packed == Some(folder::MISSING) {
                        // Where it stays, it has gone once; where it does not any more, it goes now.
                        match held {
                            Some(_) if source.gone == Gone::Keep => return,
                            Some(_) => {}
                            None => return forgotten.push(path.to_owned()),
                        }
                    }
                    seen.push((path.to_owned(), known));
                },
            )?;
            let Some(blocks) = blocks else { continue };
            let cut = cutter.blocks();
            if blocks.iter().filter(|block| span.holds(&block.first)).ne(&cut) {
                let kept = cut.into_iter().map(|block| (block.first, block.sum.map(Sum::to_bytes)));
                session.writer.put_blocks(&source.name, from, until, kept)?;
            }
        }
        // Sorted as they come, so the map is built in one pass.
        Ok(Self { seen: seen.into_iter().collect(), otherwise, forgotten, anew: BTreeSet::new() })
    }

    /// The content of the document of a path at which this hash was seen.
    fn content(&self, path: &str, seen: Option<Fingerprint>) -> Option<Fingerprint> {
        match self.otherwise.get(path) {
            Some(held) => held.as_ref().map(|(_, content)| *content),
            None => seen,
        }
    }

    /// True if there is a document of that path.
    fn has(&self, path: &str) -> bool {
        self.seen.contains_key(path) && self.otherwise.get(path).is_none_or(Option::is_some)
    }

    /// True if a document has another key than its path.
    fn has_keys(&self) -> bool {
        self.otherwise.iter().any(|(path, held)| held.as_ref().is_some_and(|(key, _)| key != path))
    }

    /// The paths of all documents.
    fn paths(&self) -> impl Iterator<Item = &String> {
        self.seen.keys().filter(|path| self.has(path))
    }

    /// All documents with their path and content.
    fn documents(&self, source: &Source) -> BTreeMap<DocumentId, (&String, Fingerprint)> {
        let document =
            |key: &str, path, content| Some((DocumentId::new(&source.name, key)?, (path, content)));
        let by_path = self.seen.iter().filter(|(path, _)| !self.otherwise.contains_key(*path));
        let by_path = by_path.filter_map(|(path, seen)| document(path, path, seen.hash));
        let otherwise = self.otherwise.iter().filter_map(|(path, held)| {
            let (key, content) = held.as_ref()?;
            document(key, path, *content)
        });
        by_path.chain(otherwise).collect()
    }
}

/// What became of a source's documents.
struct Judged<'s> {
    /// Those whose bytes must be read, and whether they are new.
    changed: Vec<(DocumentId, &'s folder::Found, bool)>,
    /// Those that are gone.
    gone: Vec<DocumentId>,
}

/// Documents whose keys are their paths: one pass over what was found.
fn by_path<'s>(source: &Source, stood: &Stood, scan: &'s folder::Scan, gone: &[String]) -> Judged<'s> {
    let changed = scan.found.iter().filter_map(|found| {
        let known = stood.content(&found.path, found.before);
        let id = (known != Some(found.seen.hash) || stood.anew.contains(&found.path))
            .then(|| DocumentId::new(&source.name, &found.path))??;
        Some((id, found, known.is_none()))
    });
    let gone: BTreeSet<&String> = gone.iter().filter(|path| stood.has(path)).collect();
    let gone = gone.into_iter().filter_map(|path| DocumentId::new(&source.name, path));
    Judged { changed: changed.collect(), gone: gone.collect() }
}

/// Documents with keys of their own.
fn by_key<'s>(
    session: &mut Session<'_>,
    source: &Source,
    patterns: &Patterns<'_>,
    registers: &Registers<'_>,
    stood: &Stood,
    scan: &'s folder::Scan,
    gone: &[String],
) -> Result<Judged<'s>, Error> {
    let documents = stood.documents(source);
    let claimed = claims(source, patterns, registers, scan)?;
    let mut judged = Judged { changed: Vec::new(), gone: Vec::new() };
    let mut kept: BTreeSet<&String> = BTreeSet::new();
    for (id, files) in &claimed {
        let [found] = files.as_slice() else {
            // Two files with one key: nobody knows which of them the document is, so nothing changes.
            kept.extend(files.iter().map(|found| &found.path));
            report_collision(session, source, id, files);
            continue;
        };
        let known = documents.get(id);
        if known.is_none_or(|(path, hash)| {
            **path != found.path || *hash != found.seen.hash || stood.anew.contains(&found.path)
        }) {
            judged.changed.push((id.clone(), *found, known.is_none()));
        }
    }
    // A document whose file is gone, or has another key now, is gone itself unless another file has its key.
    let files: BTreeSet<&String> = gone.iter().chain(scan.found.iter().map(|found| &found.path)).collect();
    for (id, (path, _)) in &documents {
        if files.contains(path) && !kept.contains(path) && !claimed.contains_key(id) {
            judged.gone.push(id.clone());
        }
    }
    Ok(judged)
}

/// The files that were found, by the document that each one is: by the key that the register declares, else
/// the one in its name, else its path.
fn claims<'s>(
    source: &Source,
    patterns: &Patterns<'_>,
    registers: &Registers<'_>,
    scan: &'s folder::Scan,
) -> Result<BTreeMap<DocumentId, Vec<&'s folder::Found>>, Error> {
    let mut claimed: BTreeMap<DocumentId, Vec<&folder::Found>> = BTreeMap::new();
    for found in &scan.found {
        let declared = registers.document_key(source, &found.path)?.map(str::to_owned);
        let key = declared.or_else(|| patterns.document_key(&found.path));
        let id = DocumentId::new(&source.name, key.as_deref().unwrap_or(&found.path));
        if let Some(id) = id {
            claimed.entry(id).or_default().push(found);
        }
    }
    Ok(claimed)
}

fn report_collision(session: &mut Session<'_>, source: &Source, id: &DocumentId, files: &[&folder::Found]) {
    let names: Vec<String> = files.iter().map(|found| format!("`{}`", found.path)).collect();
    let message = format!("{} have the document key `{}`; it stays as it was", names.join(" and "), id.key());
    let place = Place::file(format!("{}/{}", source.path, files.first().map_or("", |found| &found.path)));
    let hint = "give each file a key of its own, or take away the one that does not count";
    session.diagnostics.push(Diagnostic::error("key-collision", place, message).hint(hint));
}

/// Losses whose absence the scan cannot prove, and a person has.
fn accepted_losses(
    session: &Session<'_>,
    source: &Source,
    scan: &folder::Scan,
    stood: &Stood,
) -> Vec<String> {
    if session.accepted_scopes.is_empty() {
        return Vec::new();
    }
    let found: BTreeSet<&String> = scan.found.iter().map(|found| &found.path).collect();
    let lost = |path: &&String| !found.contains(path) && is_accepted(session, source, path);
    stood.paths().filter(lost).cloned().collect()
}

/// True if a person has said that what a path of a source no longer holds is gone.
fn is_accepted(session: &Session<'_>, source: &Source, path: &str) -> bool {
    session.accepted_scopes.iter().any(|(name, prefix, _)| *name == source.name && within(path, prefix))
}

/// A path of a source as diagnostics name it.
fn place_of(source: &Source, path: &str) -> String {
    let folder = source.path.trim_end_matches('/');
    if path.is_empty() { folder.to_owned() } else { format!("{folder}/{path}") }
}

fn within(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_matches('/');
    prefix.is_empty() || path == prefix || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

fn say_what_is_unproven(
    session: &mut Session<'_>,
    source: &Source,
    scan: &folder::Scan,
    stood: &Stood,
    report: &mut InputReport,
) {
    for unproven in &scan.unproven {
        if is_accepted(session, source, &unproven.path) {
            continue;
        }
        let place = place_of(source, &unproven.path);
        let scope = format!("{}/{}", source.name, unproven.path);
        report.unproven.push(format!("{place}: {}", unproven.why));
        let message = format!("nothing under it counts as gone: {}", unproven.why);
        let mut diagnostic = Diagnostic::error("scan-unproven", Place::file(place), message);
        // Where nothing stood, nothing can be gone.
        if stood.paths().any(|path| within(path, &unproven.path)) {
            let scope = scope.trim_end_matches('/');
            let accept = format!("`edgewright accept scope {scope} --reason …`");
            diagnostic = diagnostic.hint(format!("if it is really gone: {accept}"));
        }
        session.diagnostics.push(diagnostic);
    }
    let narrowed: Vec<&String> = scan
        .out_of_scope
        .iter()
        .filter(|path| stood.has(path) && !is_accepted(session, source, path))
        .collect();
    if let Some(first) = narrowed.first() {
        let message = format!(
            "{} no longer selected, such as `{first}`; nothing of it goes until that is accepted",
            either(narrowed.len(), "document is", "documents are")
        );
        report.unproven.push(format!("{}: {} no longer selected", source.path, narrowed.len()));
        let hint = format!("if they are to go: `edgewright accept scope {} --reason …`", source.name);
        session
            .diagnostics
            .push(Diagnostic::error("scan-narrowed", Place::file(&source.path), message).hint(hint));
    }
}

/// The fingerprint of everything about a source that decides what its documents say and who may see it.
fn config_of(source: &Source, reader: &Reader) -> Fingerprint {
    let meaning = Source {
        path: String::new(),
        include: Vec::new(),
        exclude: Vec::new(),
        max_bytes: 0,
        limits: Limits::default(),
        parser: None,
        fresh_within: None,
        withdrawn_within: None,
        ..source.clone()
    };
    Fingerprint::of(&[&format!("{meaning:?}"), &reader.types_fingerprint().to_string()])
}
