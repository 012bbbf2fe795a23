//! What a run works with and never changes: jobs, ontologies and the extractors compiled from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::config::Loaded;
use crate::diag::Diagnostic;
use crate::extract::Extractor;
use crate::model::access::Labels;
use crate::model::edit::EDITS;
use crate::model::id::Fingerprint;
use crate::model::job::{Edits, Feed, Gone, Job, Limits, Source};
use crate::ontology::language::Language;
use crate::ontology::{EdgeType, Ontology};
use crate::{chunk, extract, link, parse, reconcile};

use super::Error;

/// The fingerprints of the stages' code: a bump re-reads everything, as a planned change.
pub(super) const STAGES: [&str; 5] =
    [parse::FINGERPRINT, chunk::FINGERPRINT, link::FINGERPRINT, extract::FINGERPRINT, reconcile::FINGERPRINT];

/// One ontology with what is compiled from it.
pub(super) struct Reader {
    /// The ontology.
    pub(super) ontology: Arc<Ontology>,
    /// Its language.
    pub(super) language: &'static Language,
    /// Its rules, compiled.
    pub(super) extractor: Extractor,
    /// The file as written.
    pub(super) text: String,
}

/// Everything that is configured, as meant.
pub(super) struct Setup {
    /// All types and rules of the workspace together: one workspace, one graph.
    pub(super) ontology: Ontology,
    /// Each ontology by name.
    pub(super) readers: BTreeMap<String, Reader>,
    /// The jobs to run.
    pub(super) jobs: Vec<Job>,
    /// The sources and feeds of the other jobs.
    pub(super) others: BTreeSet<String>,
    /// The source of the texts that came with edits. It has no folder, and no scan looks for it.
    pub(super) edits: Source,
}

impl Setup {
    /// Makes a setup; every problem of the configuration if there is one.
    pub(super) fn new(loaded: Loaded, jobs: &[String]) -> Result<(Self, Vec<Diagnostic>), Error> {
        if !loaded.ok() {
            return Err(Error::Config(loaded.diagnostics));
        }
        if let Some(unknown) = jobs.iter().find(|name| !loaded.jobs.iter().any(|job| job.name == **name)) {
            let known: Vec<&str> = loaded.jobs.iter().map(|job| job.name.as_str()).collect();
            return Err(Error::Words {
                message: format!("there is no job `{unknown}`"),
                hint: Some(format!("the jobs are: {}", known.join(", "))),
            });
        }
        let mut readers = BTreeMap::new();
        let mut all: Option<Ontology> = None;
        for (name, ontology) in loaded.ontologies {
            let language = Language::of(&ontology.language).ok_or_else(|| {
                Error::Bug(format!("the language `{}` passed the check", ontology.language))
            })?;
            match &mut all {
                None => all = Some(ontology.clone()),
                Some(all) => {
                    all.entities.extend(ontology.entities.clone());
                    all.edges.extend(ontology.edges.clone());
                    all.rules.extend(ontology.rules.clone());
                }
            }
            let text = loaded.texts.iter().find(|written| stem(&written.file) == Some(&name));
            let ontology = Arc::new(ontology);
            let reader = Reader {
                extractor: Extractor::new(Arc::clone(&ontology), language),
                ontology,
                language,
                text: text.map(|written| written.text.clone()).unwrap_or_default(),
            };
            readers.insert(name, reader);
        }
        let ontology = all.ok_or_else(|| Error::Usage {
            message: "there is no ontology in this workspace".to_owned(),
            hint: Some("`edgewright init DIR` writes a small working one".to_owned()),
        })?;
        let wanted = |job: &Job| jobs.is_empty() || jobs.contains(&job.name);
        let (jobs, others): (Vec<Job>, Vec<Job>) = loaded.jobs.into_iter().partition(wanted);
        let inputs = |job: Job| job.sources.into_keys().chain(job.feeds.into_keys());
        let others = others.into_iter().flat_map(inputs).collect();
        let setup = Self { ontology, readers, jobs, others, edits: edits() };
        Ok((setup, loaded.diagnostics))
    }

    /// The names of the jobs, separated by commas.
    pub(super) fn job_names(&self) -> String {
        self.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The feeds of the jobs with their ontology; feeds that make entities before feeds that only make edges,
    /// so that an edge's endpoints are known when its row is read.
    pub(super) fn feeds(&self) -> Vec<(&Feed, &Reader)> {
        let mut feeds: Vec<(&Feed, &Reader)> = self
            .jobs
            .iter()
            .flat_map(|job| job.feeds.values().map(|feed| (feed, &self.readers[&job.ontology])))
            .collect();
        feeds.sort_by_key(|(feed, _)| (feed.entity.is_none(), feed.name.clone()));
        feeds
    }

    /// The sources of the jobs with their ontology, by name.
    pub(super) fn sources(&self) -> Vec<(&Source, &Reader)> {
        let mut sources: Vec<(&Source, &Reader)> = self
            .jobs
            .iter()
            .flat_map(|job| job.sources.values().map(|source| (source, &self.readers[&job.ontology])))
            .collect();
        sources.sort_by_key(|(source, _)| source.name.clone());
        sources
    }

    /// The feed of that name.
    pub(super) fn feed(&self, name: &str) -> Option<&Feed> {
        self.jobs.iter().find_map(|job| job.feeds.get(name))
    }

    /// The edge type of that name. The ontology's check has seen to it that every rule's type exists; a type
    /// that has left the ontology is `None`.
    pub(super) fn edge(&self, name: &str) -> Option<&EdgeType> {
        self.ontology.edges.get(name)
    }
}

impl Reader {
    /// The fingerprint of everything but rules, confidences, thresholds and examples.
    pub(super) fn types_fingerprint(&self) -> Fingerprint {
        let mut parts = vec![self.ontology.language.clone(), format!("{:?}", self.ontology.entities)];
        for edge in self.ontology.edges.values() {
            let neutral = EdgeType { threshold: 0.0, review_always: false, ..edge.clone() };
            parts.push(format!("{neutral:?}"));
        }
        Fingerprint::of(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The fingerprint of what the gate reads: confidences, thresholds, floors and mandatory review.
    pub(super) fn policy_fingerprint(&self) -> Fingerprint {
        let edges = self
            .ontology
            .edges
            .values()
            .map(|edge| format!("{} {} {}", edge.name, edge.threshold, edge.review_always));
        let rules = self
            .ontology
            .rules
            .iter()
            .map(|rule| format!("{} {} {:?}", rule.id, rule.confidence, rule.precision));
        let parts: Vec<String> = edges.chain(rules).collect();
        Fingerprint::of(&parts.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// The source of the texts that came with edits.
fn edits() -> Source {
    Source {
        name: EDITS.to_owned(),
        path: EDITS.to_owned(),
        include: Vec::new(),
        exclude: Vec::new(),
        access: Labels::new(),
        documents: Vec::new(),
        register: None,
        only: BTreeMap::new(),
        withdrawn: BTreeMap::new(),
        effective: None,
        edits: Edits::Correct,
        gone: Gone::Keep,
        date_order: None,
        max_bytes: u64::MAX,
        limits: Limits::default(),
        parser: None,
        fresh_within: None,
        withdrawn_within: None,
    }
}

/// The name of an ontology from its file's name.
fn stem(file: &str) -> Option<&str> {
    let name = file.strip_prefix("ontology/")?;
    name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"))
}
