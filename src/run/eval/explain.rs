//! Why something was missed: what waits, what the graph says instead, and what the documents say of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::extract::{Extraction, Extractor, MissKind};
use crate::link::{Lexicon, lookup_word};
use crate::model::chunk::Chunk;
use crate::model::id::{DocumentId, EntityKey};
use crate::model::mention::Mention;
use crate::model::token::Span;
use crate::ontology::language::Language;
use crate::run::patterns::Patterns;
use crate::run::setup::Setup;
use crate::run::trial::{chunks_of, failed, setting_of};
use crate::run::{Error, Workspace, names};
use crate::serve::{Graph, Named, Standing, standing};
use crate::store::{DocumentRecord, Store};

use super::report::{Miss, Sentence, Why, WhyKind};
use super::score::Pair;
use super::{UNCLEAR, entity};

/// How many documents are looked at for one miss.
const DOCUMENTS: usize = 8;

/// What an explanation needs.
pub(super) struct Explain<'e, 's> {
    pub(super) workspace: &'e Workspace,
    pub(super) setup: &'e Setup,
    pub(super) store: &'e Store,
    pub(super) graph: &'e Graph<'s>,
}

/// A miss whose documents are looked at.
struct Search {
    /// The number of the miss.
    miss: usize,
    subject: EntityKey,
    object: EntityKey,
    types: Vec<String>,
    /// What was found so far, with how near it comes.
    best: Option<(f64, Why)>,
    /// How many documents there are, of which at most [`DOCUMENTS`] are read.
    documents: usize,
}

impl Explain<'_, '_> {
    /// Explains misses. Each document that they are about is read once, and one at a time.
    pub(super) fn explain(
        &self,
        misses: &mut [Miss],
        unclear: &BTreeMap<String, Vec<EntityKey>>,
        written: &BTreeMap<Pair, (String, String)>,
    ) -> Result<(), Error> {
        let mut searches = Vec::new();
        let mut documents: BTreeMap<DocumentId, Vec<usize>> = BTreeMap::new();
        for (at, miss) in misses.iter_mut().enumerate() {
            miss.why = self.in_graph(miss, unclear, written)?;
            let sides = (side(miss.subject.key.as_ref()), side(miss.object.key.as_ref()));
            if let (None, (Some(subject), Some(object))) = (&miss.why, sides) {
                let about = self.documents(&subject, &object)?;
                for document in about.iter().take(DOCUMENTS) {
                    documents.entry(document.clone()).or_default().push(searches.len());
                }
                let (types, documents) = (miss.types.clone(), about.len());
                searches.push(Search { miss: at, subject, object, types, best: None, documents });
            }
        }
        self.read(&documents, &mut searches)?;
        for search in searches {
            misses[search.miss].why = Some(match search.best {
                Some((_, why)) => why,
                None if search.documents == 0 => Why {
                    kind: WhyKind::NoDocument,
                    text: "no document stands for either of them or names both".to_owned(),
                    sentence: None,
                },
                None => Why {
                    kind: WhyKind::NotNamed,
                    text: match search.documents.checked_sub(DOCUMENTS) {
                        None | Some(0) => "the text does not name it".to_owned(),
                        Some(_) => format!(
                            "the texts of the first {DOCUMENTS} of {} documents do not name it",
                            search.documents
                        ),
                    },
                    sentence: None,
                },
            });
        }
        Ok(())
    }

    /// What the graph itself knows of a miss.
    fn in_graph(
        &self,
        miss: &Miss,
        unclear: &BTreeMap<String, Vec<EntityKey>>,
        written: &BTreeMap<Pair, (String, String)>,
    ) -> Result<Option<Why>, Error> {
        let (subject, object) = (side(miss.subject.key.as_ref()), side(miss.object.key.as_ref()));
        let id = |party: &super::Party| match &party.key {
            Some(key) => key.clone(),
            None => format!("{UNCLEAR}{}", party.name),
        };
        let pair = (id(&miss.subject), id(&miss.object));
        let as_written = written.get(&pair);
        let named = |entity, name: fn(&(String, String)) -> &String| Named {
            entity,
            written: as_written.map_or("", |written| name(written).as_str()),
        };
        let sides = (named(subject.as_ref(), |one| &one.0), named(object.as_ref(), |one| &one.1));
        if let Some(waits) = self.graph.waits_for(sides.0, sides.1, &miss.types)? {
            let reasons: Vec<String> =
                waits.reasons.iter().map(|reason| format!("{} ({})", reason.text, reason.code)).collect();
            return Ok(Some(Why {
                kind: WhyKind::Waits,
                text: format!("waits in quarantine: {}", reasons.join("; ")),
                sentence: Some(Sentence {
                    quote: waits.quote,
                    place: waits.at.in_file(&waits.path),
                    rule: Some(waits.rule),
                }),
            }));
        }
        for name in [&pair.0, &pair.1] {
            let Some(several) = unclear.get(name) else { continue };
            let written = name.trim_start_matches(UNCLEAR);
            let (kind, text) = if several.is_empty() {
                (WhyKind::UnknownName, format!("nobody is called \"{written}\""))
            } else {
                let keys: Vec<String> = several.iter().map(ToString::to_string).collect();
                (WhyKind::AmbiguousName, format!("\"{written}\" may be {}", keys.join(" or ")))
            };
            return Ok(Some(Why { kind, text, sentence: None }));
        }
        match (subject, object) {
            (Some(subject), Some(object)) => self.otherwise(&subject, &object),
            _ => Ok(None),
        }
    }

    /// Another type or interval of the same pair, either way round.
    fn otherwise(&self, subject: &EntityKey, object: &EntityKey) -> Result<Option<Why>, Error> {
        let (mut has, mut sentence) = (Vec::new(), None);
        for (fact, edges) in self.graph.facts_of(subject)? {
            if fact.subject != *object && fact.object != *object {
                continue;
            }
            let intervals: Vec<String> = edges.iter().map(|edge| edge.interval.to_string()).collect();
            has.push(format!("{} {}", self.graph.says(&fact)?, intervals.join(" ")));
            if sentence.is_none() {
                sentence = self.graph.said_by(&fact, None)?.map(super::told_by);
            }
        }
        let text = format!("the graph has: {}", has.join("; "));
        Ok((!has.is_empty()).then_some(Why { kind: WhyKind::Otherwise, text, sentence }))
    }

    /// The documents that may say it: those that stand for either side, else those that name both.
    fn documents(&self, subject: &EntityKey, object: &EntityKey) -> Result<Vec<DocumentId>, Error> {
        let mut found: Vec<DocumentId> = Vec::new();
        for entity in [subject, object] {
            found.extend(self.graph.documents_for(entity)?.into_iter().map(|document| document.document));
        }
        if found.is_empty() {
            let index = match standing(&self.workspace.index(), self.store, None)? {
                Standing::Ready(index) | Standing::Behind(index) => index,
                Standing::Empty => return Ok(found),
                Standing::Unusable { why, .. } => {
                    return Err(Error::Usage {
                        message: format!("nothing can be explained without the text index: {why}"),
                        hint: Some("`edgewright run` mends it".to_owned()),
                    });
                }
            };
            let with = |entity: &EntityKey| {
                let mut documents = BTreeSet::new();
                for word in self.graph.names_of(entity)?.iter().filter_map(|name| lookup_word(name)) {
                    documents.extend(index.chunks_with(&word)?.into_keys());
                }
                Ok::<_, Error>(documents)
            };
            let (of_subject, of_object) = (with(subject)?, with(object)?);
            found.extend(of_subject.intersection(&of_object).cloned());
        }
        found.sort();
        found.dedup();
        let mut seen = Vec::new();
        for document in found {
            if self.graph.document_seen(&document)?.is_some() {
                seen.push(document);
            }
        }
        Ok(seen)
    }

    /// Reads documents as a run would, near misses included, and looks in each for what it may say.
    fn read(
        &self,
        documents: &BTreeMap<DocumentId, Vec<usize>>,
        searches: &mut [Search],
    ) -> Result<(), Error> {
        if documents.is_empty() {
            return Ok(());
        }
        let view = self.store.view(self.graph.lens().known_at);
        let lexicons = names::lexicons(self.setup, &view, self.workspace)?.by_ontology;
        let mut extractors: BTreeMap<&str, Extractor> = BTreeMap::new();
        for (document, wanted) in documents {
            let of_source = self.setup.jobs.iter().find_map(|job| {
                let source = job.sources.get(document.source())?;
                Some((source, job.ontology.as_str()))
            });
            let (Some((source, ontology)), Some(record)) = (of_source, self.graph.document_seen(document)?)
            else {
                continue;
            };
            let reader = &self.setup.readers[ontology];
            let extractor = extractors.entry(ontology).or_insert_with(|| {
                Extractor::new(Arc::clone(&reader.ontology), reader.language).with_misses(true)
            });
            let chunks = chunks_of(&view, &record)?;
            let setting = setting_of(source, &Patterns::of(source), &record, &chunks);
            let page = Page { record: &record, path: self.graph.path_of(&record), language: reader.language };
            let lexicon: &Lexicon = &lexicons[ontology];
            let (mentions, bindings) = names::link(lexicon, extractor, &setting, &chunks);
            for (at, chunk) in chunks.iter().enumerate() {
                let input = extractor.input(&setting, &bindings, at, chunk, &mentions[at]);
                let extraction = extractor.extract(&input, &BTreeMap::new());
                for search in wanted {
                    let search = &mut searches[*search];
                    let edge_of =
                        |rule: &str| reader.ontology.rule(rule).and_then(|rule| rule.edge.as_deref());
                    if let Some((near, why)) = page.look(chunk, &extraction, search, &edge_of)
                        && search.best.as_ref().is_none_or(|(best, _)| *best < near)
                    {
                        search.best = Some((near, why));
                    }
                }
            }
        }
        Ok(())
    }
}

fn side(key: Option<&String>) -> Option<EntityKey> {
    key.and_then(|key| entity(key))
}

/// A document that is looked at.
struct Page<'p> {
    record: &'p DocumentRecord,
    path: String,
    language: &'p Language,
}

impl Page<'_> {
    /// What comes nearest in a chunk to saying what is searched for, and how near: a near miss above a sentence that
    /// only names it. Looks at sentences that name the side for which the document does not stand.
    fn look<'r>(
        &self,
        chunk: &Chunk,
        extraction: &Extraction,
        search: &Search,
        edge_of: &impl Fn(&str) -> Option<&'r str>,
    ) -> Option<(f64, Why)> {
        let stands_for = |key: &EntityKey| self.record.stands_for.as_ref() == Some(key);
        let (far, near) = match (stands_for(&search.subject), stands_for(&search.object)) {
            (false, true) => (&search.subject, None),
            (true, _) => (&search.object, None),
            (false, false) => (&search.object, Some(&search.subject)),
        };
        let text = &chunk.body.text;
        let places = |key: &EntityKey| -> Vec<Span> {
            let names = |mention: &&Mention| mention.candidates.contains(key);
            extraction.mentions.iter().filter(names).map(|mention| mention.span).collect()
        };
        let far = places(far);
        if far.is_empty() {
            return None;
        }
        let sentences = self.language.sentences(text);
        // What stands around a place: the sentences that it touches.
        let around = |span: Option<Span>| -> Span {
            let Some(span) = span else { return Span::new(0, text.len()) };
            let touched = || sentences.iter().filter(|one| one.overlaps(&span) || one.covers(&span));
            let start = touched().map(|one| one.start).min().unwrap_or(span.start);
            Span::new(
                start.min(span.start),
                touched().map(|one| one.end).max().unwrap_or(span.end).max(span.end),
            )
        };
        let place = |start: usize| chunk.spot_at(start).in_file(&self.path);
        let mut best: Option<(f64, Why)> = None;
        let misses = extraction.misses.iter().filter(|miss| {
            let of_type =
                edge_of(&miss.rule).is_some_and(|edge| search.types.iter().any(|kind| kind == edge));
            let around = around(miss.span);
            of_type && far.iter().any(|span| around.overlaps(span))
        });
        for miss in misses {
            let near = 1.0 + nearness(&miss.kind);
            if best.as_ref().is_none_or(|(best, _)| *best < near) {
                let why = Why {
                    kind: WhyKind::NearMiss,
                    text: format!("a near miss of `{}`: {}", miss.rule, failed(&miss.kind, &[])),
                    sentence: Some(Sentence {
                        quote: miss.quote.clone(),
                        place: place(miss.span.map_or(0, |span| span.start)),
                        rule: Some(miss.rule.clone()),
                    }),
                };
                best = Some((near, why));
            }
        }
        if best.is_some() {
            return best;
        }
        let near: Vec<Span> = near.map(places).unwrap_or_default();
        let rank = |span: &Span| {
            let around = around(Some(*span));
            let both = near.iter().any(|other| around.overlaps(other));
            (if both { 0.5 } else { 0.0 }, around)
        };
        // The first of the best.
        let (near, around) =
            far.iter().map(rank).reduce(|best, one| if one.0 > best.0 { one } else { best })?;
        let why = Why {
            kind: WhyKind::Unread,
            text: "a sentence names it, and no rule comes near".to_owned(),
            sentence: Some(Sentence {
                quote: around.of(text).trim().to_owned(),
                place: place(around.start),
                rule: None,
            }),
        };
        Some((near, why))
    }
}

/// How near a near miss comes, from 0 to 1: the share of the pattern that matches; what matched and may not be used is
/// nearer than what did not match.
fn nearness(kind: &MissKind) -> f64 {
    match kind {
        MissKind::Partial { got, of, .. } => *got as f64 / (*of).max(1) as f64,
        MissKind::GapTooLong => 0.9,
        MissKind::UnknownName { .. }
        | MissKind::Cue { .. }
        | MissKind::UndefinedTerm { .. }
        | MissKind::NoDate { .. }
        | MissKind::NoEndpoint { .. }
        | MissKind::TooMany { .. } => 1.0,
    }
}
