//! A draft of a workspace from a user's own files: what recurs in documents and feeds, proposed as types, feeds and
//! rules with examples that pass.
//!
//! A folder and feeds come in; the text of an ontology and a job goes out, with a report of what was found. Nothing is
//! written here, and nothing of what is inferred is inferred again when a job runs. What is proposed is put to the
//! test with the machinery of a run: a rule is written only if it finds somebody in the texts, and an example only if
//! it passes.
//!
//! ```text
//! feeds → tables → plan ─┬→ texts, linked → look → candidates → prove → choose → examples → files
//! documents → paths ─────┘
//! ```

mod columns;
mod look;
mod plan;
mod prove;
pub mod report;
mod rules;
mod tables;
mod texts;
mod write;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::{self, Loaded};
use crate::extract::external::Answers;
use crate::extract::{Extractor, Setting};
use crate::link::Lexicon;
use crate::model::id::EntityKey;
use crate::model::job::{Connections, Limits, Source};
use crate::ontology::file::Written;
use crate::ontology::language::Language;
use crate::source::feed::{Reach, Unpacking};
use crate::worker::{Means, Pool};

use super::examples::{self, ExamplesReport};
use super::patterns::Patterns;
use super::setup::{Reader, Setup};
use super::{Error, Workspace, names};

use look::{Read, Seen};
use plan::Plan;
use prove::{Court, Proof};
use report::{DocumentsSeen, DraftReport, Example, FeedSeen, LeftOut, Proposed, Recurring};
use rules::Candidate;
use tables::Table;
use texts::{Text, Texts};

/// As many types of edges as the checks do not warn of.
const MOST_EDGES: usize = 6;

/// As many entity types as the checks do not warn of, without the one for which documents stand.
const MOST_KINDS: usize = 7;

/// The language in which texts are looked at.
const LANGUAGE: &str = "en";

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The name of ontology and job.
    pub name: String,
    /// The folder of documents, relative to the workspace.
    pub folder: String,
    /// The files of the feeds, relative to the workspace.
    pub feeds: Vec<String>,
    /// How many documents are looked at.
    pub most: usize,
    /// This program, which parses risky formats as a child of itself.
    pub program: PathBuf,
}

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The path of each file, relative to the workspace, with its text.
    pub files: Vec<(String, String)>,
    /// What was found and proposed.
    pub report: DraftReport,
}

/// Drafts an ontology and a job for the documents and feeds of a workspace. Linear in the feeds, in the names of the
/// documents and in the text of those that are looked at; holds the text of those, and the different values of the feeds'
/// columns.
pub fn draft(workspace: &Workspace, asked: &Asked) -> Result<Draft, Error> {
    let root = workspace.root();
    let language =
        Language::of(LANGUAGE).ok_or_else(|| Error::Bug(format!("there is no language `{LANGUAGE}`")))?;
    let means = Means {
        program: asked.program.clone(),
        root: root.to_owned(),
        kept: workspace.parsed(),
        plan: true,
        faulty: false,
    };
    let pool = Pool::new(means);
    let unpack = |asked: &Unpacking, bytes, limits: &Limits| pool.unpack(asked, bytes, limits);
    // What leads to a database stands in the environment, and a draft names none.
    let reach = Reach { root, connections: &Connections::default(), unpack: &unpack };
    let mut tables = tables::look(reach, &asked.feeds, language);
    let mut left_out = few_kinds(&mut tables);
    let source = source_of(asked)?;
    let texts = texts::look(root, &source, asked.most, &pool, language)?;
    if texts.read.is_empty() {
        return Err(nothing_to_read(&asked.folder, &texts));
    }
    let plan = Plan::of(&asked.name, &asked.folder, &texts.paths, &tables, language);
    left_out.extend(plan.left_out.iter().cloned());
    let made = Making { reach, asked, language, tables: &tables, plan: &plan, texts: &texts };
    made.draft(left_out)
}

/// The name that an ontology has that is called after a folder; none if nothing of that can stand in one.
pub fn name_of(folder: &str) -> Option<String> {
    Some(yaml::name(folder)).filter(|name| !name.is_empty())
}

/// What a draft is made from.
struct Making<'m> {
    reach: Reach<'m>,
    asked: &'m Asked,
    language: &'static Language,
    tables: &'m [Table],
    plan: &'m Plan,
    texts: &'m Texts,
}

/// What is known once the texts have been looked at.
struct Found {
    seen: Seen,
    floor: u64,
    kept: Vec<Candidate>,
    proofs: BTreeMap<String, Proof>,
}

impl Making<'_> {
    fn draft(&self, mut left_out: Vec<(String, String)>) -> Result<Draft, Error> {
        let (bare, setup) = self.compiled(&[], &BTreeMap::new())?;
        let found = self.find(&bare, &setup, &mut left_out)?;
        let examples = self.examples(&found)?;
        let (files, loaded) = self.files(&found, &examples)?;
        if let Some(problem) = loaded.diagnostics.first() {
            return Err(Error::Bug(format!("the draft is not sound: {problem}")));
        }
        let files: Vec<(String, String)> = files.into_iter().map(|file| (file.file, file.text)).collect();
        let report = self.report(&found, &examples, left_out);
        Ok(Draft { files, report })
    }

    /// Links the texts by the names of the feeds, looks at them, and puts what recurs to the test.
    fn find(
        &self,
        bare: &Loaded,
        setup: &Setup,
        left_out: &mut Vec<(String, String)>,
    ) -> Result<Found, Error> {
        let known = examples::names(self.reach, setup);
        let reader = reader(setup, &self.asked.name)?;
        let lexicon = Lexicon::build(&reader.ontology, self.language, known.iter().cloned());
        let source = bare.jobs.iter().flat_map(|job| job.sources.values()).next();
        let source = source.ok_or_else(|| Error::Bug("the draft has no source".to_owned()))?;
        let patterns = Patterns::of(source);
        let settings: Vec<Setting> =
            self.texts.read.iter().map(|text| setting(text, &patterns, source)).collect();
        let read: Vec<Read<'_>> = self
            .texts
            .read
            .iter()
            .zip(&settings)
            .map(|(text, setting)| Read { text, mentions: linked(reader, &lexicon, setting, text) })
            .collect();
        let seen = look::look(&read, &lexicon, self.language);
        let floor = rules::floor(read.len());
        let candidates = rules::candidates(&seen, self.plan, read.len(), self.language);
        let (_, setup) = self.compiled(&candidates, &BTreeMap::new())?;
        let mut names_of: BTreeMap<EntityKey, String> = BTreeMap::new();
        let mut shared: BTreeMap<&str, BTreeSet<&EntityKey>> = BTreeMap::new();
        for name in &known {
            shared.entry(name.text.as_str()).or_default().insert(&name.entity);
        }
        // A name that several have tells nobody; the key, which comes last, always does.
        for name in known.iter().filter(|name| shared[name.text.as_str()].len() == 1) {
            names_of.entry(name.entity.clone()).or_insert_with(|| name.text.clone());
        }
        let reader = self::reader(&setup, &self.asked.name)?;
        let court = Court {
            reader,
            extractor: Extractor::new(Arc::clone(&reader.ontology), self.language).with_misses(true),
            lexicon: &lexicon,
            names: &names_of,
            folder: &self.asked.folder,
            candidates: &candidates,
        };
        let read: Vec<(Setting, Read<'_>)> = settings.into_iter().zip(read).collect();
        let proofs = court.prove(&read);
        let named = seen.named.iter().map(|(kind, named)| (kind.clone(), named.documents)).collect();
        let most = MOST_EDGES - self.plan.edges.len().min(MOST_EDGES);
        let (kept, others) = prove::choose(&candidates, &proofs, &named, floor, most);
        left_out.extend(others);
        Ok(Found { seen, floor, kept, proofs })
    }

    /// The examples that pass, by rule: sentences of the texts with what is read in them.
    fn examples(&self, found: &Found) -> Result<BTreeMap<String, Vec<Example>>, Error> {
        let mut wanted: BTreeMap<String, Vec<Example>> = BTreeMap::new();
        for rule in &found.kept {
            let samples =
                found.proofs.get(&rule.id).map(|proof| proof.samples.as_slice()).unwrap_or_default();
            let examples = samples.iter().map(|sample| Example {
                text: sample.text.clone(),
                finds: sample.finds.clone(),
                place: sample.place.clone(),
            });
            wanted.insert(rule.id.clone(), examples.collect());
        }
        let (_, loaded) = self.files(found, &wanted)?;
        let report: ExamplesReport = examples::examples(
            &Workspace::new(self.reach.root),
            loaded,
            &[],
            &Connections::default(),
            Path::new(""),
        )?;
        for failed in &report.failed {
            if let Some(examples) = wanted.get_mut(&failed.rule) {
                examples.retain(|example| example.text != failed.text);
            }
        }
        for examples in wanted.values_mut() {
            *examples = write::best(std::mem::take(examples));
        }
        Ok(wanted)
    }

    /// The files with these rules and examples, and what the checks make of them.
    fn files(
        &self,
        found: &Found,
        examples: &BTreeMap<String, Vec<Example>>,
    ) -> Result<([Written; 2], Loaded), Error> {
        let known = write::Known {
            documents: self.texts.read.len(),
            looked_at: self.texts.looked_at,
            files: self.texts.paths.len(),
            seen: Some(&found.seen),
            proofs: &found.proofs,
            language: self.language,
        };
        self.checked(write::files(self.plan, self.tables, &found.kept, examples, &known, self.asked))
    }

    /// A setup with these candidates.
    fn compiled(
        &self,
        candidates: &[Candidate],
        proofs: &BTreeMap<String, Proof>,
    ) -> Result<(Loaded, Setup), Error> {
        let known = write::Known {
            documents: 0,
            looked_at: 0,
            files: 0,
            seen: None,
            proofs,
            language: self.language,
        };
        let files = write::files(self.plan, self.tables, candidates, &BTreeMap::new(), &known, self.asked);
        let (_, loaded) = self.checked(files)?;
        let (setup, _) = Setup::new(loaded.clone(), &[])?;
        Ok((loaded, setup))
    }

    fn checked(&self, files: [Written; 2]) -> Result<([Written; 2], Loaded), Error> {
        let [ontology, job] = files.clone();
        let loaded = config::check(vec![ontology], vec![job]);
        if loaded.ok() { Ok((files, loaded)) } else { Err(Error::Config(loaded.diagnostics)) }
    }

    fn report(
        &self,
        found: &Found,
        examples: &BTreeMap<String, Vec<Example>>,
        left_out: Vec<(String, String)>,
    ) -> DraftReport {
        let proposed = |rule: &Candidate| {
            let proof = found.proofs.get(&rule.id);
            Proposed {
                id: rule.id.clone(),
                reads: rule.reads.clone(),
                documents: proof.map_or(0, |proof| proof.documents().len() as u64),
                readings: proof.map_or(0, |proof| proof.readings),
                unknown: proof.map_or(0, |proof| proof.unknown),
                example: examples.get(&rule.id).and_then(|examples| examples.first()).cloned(),
            }
        };
        let left_out = left_out.into_iter().map(|(what, why)| LeftOut { what, why });
        DraftReport {
            documents: DocumentsSeen::of(&self.asked.folder, self.texts, self.plan.stands.why.clone()),
            feeds: self.tables.iter().map(FeedSeen::of).collect(),
            recurring: Recurring::of(&found.seen, found.floor),
            named: report::named(&found.seen),
            together: report::together(&found.seen, found.floor),
            rules: found.kept.iter().map(proposed).collect(),
            left_out: left_out.collect(),
            next: Vec::new(),
        }
    }
}

/// Why there is nothing to draft from.
fn nothing_to_read(folder: &str, texts: &Texts) -> Error {
    let foreign: Vec<String> =
        texts.foreign.iter().map(|(extension, count)| format!("{count} with `.{extension}`")).collect();
    let first = texts.problems.first();
    let message = match (first, foreign.is_empty()) {
        (Some(problem), _) => format!("no document in `{folder}` can be read; the first: {problem}"),
        (None, false) => format!("no document in `{folder}` can be read: there are {}", foreign.join(", ")),
        (None, true) => format!("there is no document in `{folder}`"),
    };
    let hint =
        "PDF, Word, workbooks, HTML, Markdown and text are read; `docs/external.md` says how to add a parser";
    Error::Usage { message, hint: Some(hint.to_owned()) }
}

/// Beyond a number of types the checks warn: the last feeds make none.
fn few_kinds(tables: &mut [Table]) -> Vec<(String, String)> {
    let (mut kinds, mut left_out) = (BTreeSet::new(), Vec::new());
    for table in tables.iter_mut() {
        let Some(entity) = &table.entity else { continue };
        if kinds.len() < MOST_KINDS || kinds.contains(&entity.kind) {
            kinds.insert(entity.kind.clone());
            continue;
        }
        let why = format!("{MOST_KINDS} types are as many as rules and people do well with");
        left_out.push((format!("entity type {} of {}", entity.kind, table.path), why));
        table.entity = None;
        table.references.clear();
    }
    for table in tables {
        table.references.retain(|reference| kinds.contains(&reference.kind));
    }
    left_out
}

/// The source as the job declares it, before it is known what a document stands for.
fn source_of(asked: &Asked) -> Result<Source, Error> {
    let ontology = Written { file: "ontology/draft.yaml".to_owned(), text: "entities: {}\n".to_owned() };
    let exclude = write::excluded(asked);
    let exclude = yaml::list(exclude.iter().map(String::as_str));
    let text = format!(
        "ontology: draft\nsources:\n  documents:\n    path: {}\n    exclude: {exclude}\n",
        yaml::word(&asked.folder)
    );
    let loaded = config::check(vec![ontology], vec![Written { file: "jobs/draft.yaml".to_owned(), text }]);
    let source = loaded.jobs.into_iter().flat_map(|job| job.sources.into_values()).next();
    source.ok_or(Error::Config(loaded.diagnostics))
}

fn reader<'s>(setup: &'s Setup, name: &str) -> Result<&'s Reader, Error> {
    setup.readers.get(name).ok_or_else(|| Error::Bug("the draft has no ontology".to_owned()))
}

fn setting(text: &Text, patterns: &Patterns<'_>, source: &Source) -> Setting {
    Setting {
        stands_for: patterns.stands_for(&text.path),
        fields: text.fields.clone(),
        effective: false,
        date_order: source.date_order,
        path: text.path.clone(),
        targets: patterns.targets(&text.path, &text.chunks),
    }
}

/// The mentions of a text, the terms that it defines among them.
fn linked(
    reader: &Reader,
    lexicon: &Lexicon,
    setting: &Setting,
    text: &Text,
) -> Vec<Vec<crate::model::mention::Mention>> {
    let extractor = &reader.extractor;
    let (mentions, bindings) = names::link(lexicon, extractor, setting, &text.chunks);
    let inputs = text.chunks.iter().enumerate();
    inputs
        .map(|(at, chunk)| {
            extractor
                .extract(&extractor.input(setting, &bindings, at, chunk, &mentions[at]), &Answers::new())
                .mentions
        })
        .collect()
}
