//! Trial: what one rule finds in the documents of the graph, and what it nearly finds.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Loaded;
use crate::diag::nearest;
use crate::extract::examples::describe;
use crate::extract::{Extractor, MissKind, Setting};
use crate::link::Lexicon;
use crate::model::chunk::Chunk;
use crate::model::job::Source;
use crate::model::token::Span;
use crate::serve::Catalog;
use crate::store::{ChunkRecord, DocumentRecord, Store, View};
use crate::worker::Pool;
use crate::{chunk, parse};

use super::patterns::Patterns;
use super::setup::Setup;
use super::{Error, Workspace, external, names};

/// What a rule finds and nearly finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrialReport {
    /// The version of this form.
    pub version: u32,
    /// The rule.
    pub rule: String,
    /// How many documents were read.
    pub documents: u64,
    /// How many matches there are.
    pub matches: u64,
    /// The first matches.
    pub found: Vec<Found>,
    /// Near misses by what failed, most frequent first.
    pub misses: Vec<MissGroup>,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Found {
    /// What it says.
    pub says: String,
    /// The quote.
    pub quote: String,
    /// `path:line`, the path relative to the workspace.
    pub place: String,
}

/// Near misses of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissGroup {
    /// What failed: "unknown name `Voltanix` (nearest known: …)".
    pub failed: String,
    /// How often.
    pub count: u64,
    /// Some sentences with their places.
    pub sentences: Vec<Found>,
}

/// Tries one rule on every document of the graph, with the rules as they are now. Linear in the documents of
/// the rule's ontology; holds one document at a time. `program` is this program, under which those run that rules ask.
pub fn trial(
    workspace: &Workspace,
    loaded: Loaded,
    rule: &str,
    text: Option<&str>,
    limit: usize,
    program: &Path,
) -> Result<TrialReport, Error> {
    let (setup, _) = Setup::new(loaded, &[])?;
    let known: Vec<&str> = setup.ontology.rules.iter().map(|rule| rule.id.as_str()).collect();
    if !known.contains(&rule) {
        let hint = nearest(rule, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        return Err(Error::Usage { message: format!("there is no rule `{rule}`"), hint });
    }
    let store = Store::open_read(&workspace.store())?;
    let view = store.current()?;
    let report = TrialReport {
        version: 1,
        rule: rule.to_owned(),
        documents: 0,
        matches: 0,
        found: Vec::new(),
        misses: Vec::new(),
    };
    let lexicons = names::lexicons(&setup, &view, workspace)?.by_ontology;
    let mut known_names = Vec::new();
    view.each(|claim: crate::model::entity::EntityClaim| {
        known_names.extend(claim.names);
        Ok::<(), Error>(())
    })?;
    let catalog = Catalog::new([], &setup.jobs);
    let workers = &external::pool(workspace, program);
    let mut tally = Tally { rule, limit, names: &known_names, report, misses: BTreeMap::new(), workers };
    for job in &setup.jobs {
        let reader = &setup.readers[&job.ontology];
        if reader.ontology.rule(rule).is_none() {
            continue;
        }
        let lexicon = &lexicons[&job.ontology];
        let extractor = Extractor::new(Arc::clone(&reader.ontology), reader.language).with_misses(true);
        if let Some(text) = text {
            let (document, _) = parse::parse("text", parse::Format::Markdown, text.as_bytes());
            let chunks =
                document.map(|document| chunk::split(&document, reader.language)).unwrap_or_default();
            tally.read(&extractor, lexicon, &Setting::default(), &chunks, "text");
            break;
        }
        for source in job.sources.values() {
            let patterns = Patterns::of(source);
            for record in view.by::<DocumentRecord>("source", &source.name)? {
                let chunks = chunks_of(&view, &record)?;
                let setting = setting_of(source, &patterns, &record, &chunks);
                tally.read(
                    &extractor,
                    lexicon,
                    &setting,
                    &chunks,
                    &catalog.path_of(&source.name, &record.path),
                );
            }
        }
    }
    store.stamp().map_or(Ok(()), |stamp| stamp.stands())?;
    Ok(tally.finish())
}

/// What has been found so far.
struct Tally<'t> {
    rule: &'t str,
    limit: usize,
    names: &'t [String],
    report: TrialReport,
    misses: BTreeMap<String, MissGroup>,
    workers: &'t Pool,
}

impl Tally<'_> {
    /// Reads one document.
    fn read(
        &mut self,
        extractor: &Extractor,
        lexicon: &Lexicon,
        setting: &Setting,
        chunks: &[Chunk],
        name: &str,
    ) {
        self.report.documents += 1;
        let (mentions, bindings) = names::link(lexicon, extractor, setting, chunks);
        for (at, chunk) in chunks.iter().enumerate() {
            let input = extractor.input(setting, &bindings, at, chunk, &mentions[at]);
            let asked =
                external::ask(extractor, &input, self.workers, &BTreeMap::new(), &|asks| asks == self.rule);
            let extraction = extractor.extract(&input, &asked.answers);
            let place = |span: Option<Span>| chunk.spot_at(span.map_or(0, |span| span.start)).in_file(name);
            for reading in extraction.readings.iter().filter(|reading| reading.rule == self.rule) {
                self.report.matches += 1;
                if self.report.found.len() < self.limit {
                    let quote = reading.evidence.quote.clone();
                    self.report.found.push(Found {
                        says: describe(reading),
                        quote,
                        place: place(reading.evidence.span),
                    });
                }
            }
            let rule = self.rule;
            for miss in extraction.misses.iter().filter(|miss| miss.rule == rule) {
                self.miss(failed(&miss.kind, self.names), &miss.quote, place(miss.span));
            }
            for silence in asked.silent.values() {
                self.miss(format!("no answer: {}", silence.why), &chunk.body.text, place(None));
            }
            for refusal in &extraction.refused {
                let quote = refusal.span.map_or(chunk.body.text.as_str(), |span| span.of(&chunk.body.text));
                self.miss(format!("refused: {}", refusal.message), quote, place(refusal.span));
            }
        }
    }

    fn miss(&mut self, failed: String, quote: &str, place: String) {
        let group = self.misses.entry(failed.clone()).or_insert_with(|| MissGroup {
            failed,
            count: 0,
            sentences: Vec::new(),
        });
        group.count += 1;
        if group.sentences.len() < self.limit {
            group.sentences.push(Found { says: String::new(), quote: quote.to_owned(), place });
        }
    }

    fn finish(mut self) -> TrialReport {
        self.report.misses = self.misses.into_values().collect();
        let frequent = |one: &MissGroup, other: &MissGroup| {
            other.count.cmp(&one.count).then_with(|| one.failed.cmp(&other.failed))
        };
        self.report.misses.sort_by(frequent);
        self.report
    }
}

/// What holds for a document of a source as a whole.
pub(super) fn setting_of(
    source: &Source,
    patterns: &Patterns<'_>,
    record: &DocumentRecord,
    chunks: &[Chunk],
) -> Setting {
    Setting {
        targets: patterns.targets(&record.path, chunks),
        stands_for: record.stands_for.clone(),
        fields: record.fields.clone(),
        effective: record.effective.is_some(),
        date_order: source.date_order,
        path: record.path.clone(),
    }
}

/// The chunks of a document, in order.
pub(super) fn chunks_of(view: &View<'_>, record: &DocumentRecord) -> Result<Vec<Chunk>, Error> {
    let mut chunks = Vec::with_capacity(record.chunks.len());
    for part in &record.chunks {
        if let Some(body) = view.get::<ChunkRecord>(&part.id.to_string())? {
            chunks.push(part.chunk(body.body));
        }
    }
    Ok(chunks)
}

/// What failed, in words that say what to do.
pub(super) fn failed(kind: &MissKind, names: &[String]) -> String {
    match kind {
        MissKind::UnknownName { surface } => match nearest(surface, names.iter().map(String::as_str)) {
            Some(near) => format!("unknown name `{surface}` (nearest known: `{near}`)"),
            None => format!("unknown name `{surface}`"),
        },
        MissKind::GapTooLong => "the gap is too long".to_owned(),
        MissKind::Cue { cue, class } => format!("{class}: `{cue}`"),
        MissKind::UndefinedTerm { term } => format!("`{term}` is not defined in the document"),
        MissKind::NoDate { text } => format!("no date at `{text}`"),
        MissKind::NoEndpoint { name } => format!("nothing fills `{name}`"),
        MissKind::TooMany { count } => format!("a list of {count} is too many"),
        MissKind::Partial { got, of, expected } => {
            format!("{got} of {of} parts match, then {expected} is missing")
        }
    }
}
