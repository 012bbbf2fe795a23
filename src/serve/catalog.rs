//! What the configuration says that reading needs: labels, inverse names, confidences, folders.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::access::Labels;
use crate::model::assertion::Assertion;
use crate::model::job::{Edits, Job};
use crate::ontology::language::Language;
use crate::ontology::{Ontology, Side};

/// What the configuration says that reading needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// Entity type → the labels that a reader needs.
    pub entity_access: BTreeMap<String, Labels>,
    /// Edge type → the labels that a reader needs.
    pub edge_access: BTreeMap<String, Labels>,
    /// (edge type, property) → the labels that a reader needs.
    pub property_access: BTreeMap<(String, String), Labels>,
    /// Edge type → the name of its inverse.
    pub inverses: BTreeMap<String, String>,
    /// Edge type → the types of its subject and of its object.
    pub endpoints: BTreeMap<String, (Vec<String>, Vec<String>)>,
    /// Edge type → the side of which there is at most one.
    pub at_most_one: BTreeMap<String, Side>,
    /// The edge types whose facts supersede what documents that stand for their object say.
    pub ending: BTreeSet<String>,
    /// The sources in which a later version of a document amends the one before.
    pub amending: BTreeSet<String>,
    /// Rule → its confidence.
    pub confidences: BTreeMap<String, f64>,
    /// Entity types whose names may lack their legal form.
    pub company_types: BTreeSet<String>,
    /// Legal forms such as "gmbhcokg": folded, joined, without marks.
    pub legal_forms: BTreeSet<String>,
    /// Source or feed → its folder or file, relative to the workspace.
    pub paths: BTreeMap<String, String>,
}

impl Catalog {
    /// Collects it from a configuration.
    pub fn new<'c>(ontologies: impl IntoIterator<Item = &'c Ontology>, jobs: &[Job]) -> Self {
        let mut catalog = Self::default();
        for ontology in ontologies {
            catalog.add_ontology(ontology);
        }
        for job in jobs {
            let sources = job.sources.values().map(|source| (source.name.clone(), source.path.clone()));
            let feeds = job.feeds.values().map(|feed| (feed.name.clone(), feed.path.clone()));
            catalog.paths.extend(sources.chain(feeds));
            let amending = job.sources.values().filter(|source| source.edits == Edits::Amend);
            catalog.amending.extend(amending.map(|source| source.name.clone()));
        }
        catalog
    }

    fn add_ontology(&mut self, ontology: &Ontology) {
        for (name, entity) in &ontology.entities {
            // Two ontologies that name the same type: a reader needs the labels of both.
            self.entity_access.entry(name.clone()).or_default().extend(entity.access.iter().cloned());
            if entity.style.legal_forms {
                self.company_types.insert(name.clone());
            }
        }
        let forms = Language::of(&ontology.language).map(|language| language.legal_forms.iter());
        let letters =
            |form: &Vec<String>| form.concat().chars().filter(|one| one.is_alphanumeric()).collect();
        self.legal_forms.extend(forms.into_iter().flatten().map(letters));
        for (name, edge) in &ontology.edges {
            self.edge_access.entry(name.clone()).or_default().extend(edge.access.iter().cloned());
            for (property, declared) in &edge.properties {
                let key = (name.clone(), property.clone());
                self.property_access.entry(key).or_default().extend(declared.access.iter().cloned());
            }
            self.endpoints.insert(name.clone(), (edge.subject.clone(), edge.object.clone()));
            if edge.ends_object {
                self.ending.insert(name.clone());
            }
            if let Some(inverse) = &edge.inverse {
                self.inverses.insert(name.clone(), inverse.clone());
            }
            if let Some(side) = edge.at_most_one {
                self.at_most_one.insert(name.clone(), side);
            }
        }
        self.confidences.extend(ontology.rules.iter().map(|rule| (rule.id.clone(), rule.confidence)));
    }

    /// How sure an assertion is, if its rule is in the ontology.
    pub fn confidence(&self, assertion: &Assertion) -> Option<f64> {
        self.confidences.get(&assertion.rule).map(|of_rule| assertion.confidence(*of_rule))
    }

    /// Where a person finds a file of a source or feed: its path relative to the workspace.
    pub fn path_of(&self, source: &str, below: &str) -> String {
        match self.paths.get(source) {
            Some(folder) if below.is_empty() => folder.clone(),
            Some(folder) => format!("{}/{below}", folder.trim_end_matches('/')),
            None if below.is_empty() => source.to_owned(),
            None => format!("{source}/{below}"),
        }
    }
}
