//! The small words of a language by which an extractor tells a statement from what is no statement.
//!
//! In comes the name of a language, out goes its data, which stands in `cues/<name>.yaml` beside this
//! file: cues for negation, hypotheticals, permission and attribution, the words around names and dates,
//! and the idioms by which documents define their terms. What is done with them is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::Pattern;
use crate::model::token::fold;

/// A language's small words. Phrases are patterns without entity slots.
#[derive(Debug, Clone, PartialEq)]
pub struct Cues {
    /// The language's name, such as `en`.
    pub name: String,
    /// What keeps a sentence from being a plain statement.
    pub cues: Vec<Cue>,
    /// Phrases that contain a cue word and mean no harm.
    pub harmless: Vec<Pattern>,
    /// What may stand before a name in its slot.
    pub determiners: Vec<Pattern>,
    /// What stands between the names of a list.
    pub separators: Vec<Pattern>,
    /// What makes a list a choice.
    pub choices: Vec<Pattern>,
    /// Folded words that begin no name, capitalized or not.
    pub not_names: BTreeSet<String>,
    /// Folded words and marks behind which a verb has the same subject as the one before, or none.
    pub joins: BTreeSet<String>,
    /// Folded words with which an apposition that describes a name begins.
    pub indefinite: BTreeSet<String>,
    /// Folded small words inside a name.
    pub name_connectors: BTreeSet<String>,
    /// The term by which a document names the day on which it takes effect.
    pub effective_term: String,
    /// Phrases for that day.
    pub effective: Vec<Pattern>,
    /// What stands between a period and what it counts from.
    pub after: Vec<Pattern>,
    /// What directly before an end says that its day does not belong.
    pub exclusive: Vec<Pattern>,
    /// What directly before an end says that its day belongs.
    pub inclusive: Vec<Pattern>,
    /// What directly before a coarse date says that the whole of it is meant.
    pub throughout: Vec<Pattern>,
    /// What directly before a date says that it is an end.
    pub ending: Vec<Pattern>,
    /// A further interval behind the first; slots `valid_from` and `valid_to`.
    pub again: Pattern,
    /// What may stand beside the terms in the brackets of a definition.
    pub lead: Vec<Pattern>,
    /// What stands between a name and the term that is defined for it.
    pub called: Vec<Pattern>,
    /// What stands between a term and its meaning.
    pub means: Vec<Pattern>,
    /// Folded words with which an apposition to a name goes on.
    pub apposition: Vec<Pattern>,
    /// Folded words and marks behind which the name of a place stands in an address.
    pub places: BTreeSet<String>,
    /// Folded words by which a term means every one of those named before.
    pub every: BTreeSet<String>,
    /// Folded words for what somebody is in an agreement: in brackets behind a name each is a term without
    /// quotation marks.
    pub roles: BTreeSet<String>,
}

/// A phrase that keeps a sentence from being a plain statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// What it makes of the sentence: `negation`, `hypothetical`, `permission`, and so on.
    pub class: String,
    /// Where it counts.
    pub scope: CueScope,
    /// The phrase.
    pub phrase: Pattern,
}

/// Where a cue counts, seen from a match. A *statement* is a sentence, or its part between semicolons or
/// before ", and".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CueScope {
    /// From the last comma before the match to the end of the match.
    Clause,
    /// From the beginning of the statement to the end of the match.
    Before,
    /// Anywhere in the statement.
    Segment,
    /// At the beginning of the statement.
    Opening,
}

impl Cues {
    /// The small words of a language.
    pub fn of(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|cues| cues.name == name)
    }

    /// The names of all languages, in order; English is among them.
    pub fn names() -> Vec<&'static str> {
        ALL.iter().map(|cues| cues.name.as_str()).collect()
    }
}

static ALL: LazyLock<Vec<Cues>> = LazyLock::new(|| {
    [include_str!("cues/en.yaml")]
        .into_iter()
        .map(|yaml| serde_yaml::from_str::<Raw>(yaml).expect("a shipped file of cues is sound"))
        .map(Cues::from)
        .collect()
});

/// A file of cues as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: String,
    cues: Vec<RawCue>,
    harmless: Vec<String>,
    determiners: Vec<String>,
    separators: Vec<String>,
    choices: Vec<String>,
    not_names: Vec<String>,
    joins: Vec<String>,
    indefinite: Vec<String>,
    name_connectors: Vec<String>,
    effective_term: String,
    effective: Vec<String>,
    after: Vec<String>,
    exclusive: Vec<String>,
    inclusive: Vec<String>,
    throughout: Vec<String>,
    ending: Vec<String>,
    again: String,
    lead: Vec<String>,
    called: Vec<String>,
    means: Vec<String>,
    apposition: Vec<String>,
    places: Vec<String>,
    every: Vec<String>,
    roles: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCue {
    class: String,
    scope: CueScope,
    words: Vec<String>,
}

impl From<Raw> for Cues {
    fn from(raw: Raw) -> Self {
        let mut cues = Vec::new();
        for entry in raw.cues {
            for phrase in patterns(entry.words) {
                cues.push(Cue { class: entry.class.clone(), scope: entry.scope, phrase });
            }
        }
        Self {
            name: raw.name,
            cues,
            harmless: patterns(raw.harmless),
            determiners: patterns(raw.determiners),
            separators: patterns(raw.separators),
            choices: patterns(raw.choices),
            not_names: raw.not_names.iter().map(|word| fold(word)).collect(),
            joins: raw.joins.iter().map(|word| fold(word)).collect(),
            indefinite: raw.indefinite.iter().map(|word| fold(word)).collect(),
            name_connectors: raw.name_connectors.iter().map(|word| fold(word)).collect(),
            effective_term: raw.effective_term,
            effective: patterns(raw.effective),
            after: patterns(raw.after),
            exclusive: patterns(raw.exclusive),
            inclusive: patterns(raw.inclusive),
            throughout: patterns(raw.throughout),
            ending: patterns(raw.ending),
            again: pattern(&raw.again),
            lead: patterns(raw.lead),
            called: patterns(raw.called),
            means: patterns(raw.means),
            apposition: patterns(raw.apposition),
            places: raw.places.iter().map(|word| fold(word)).collect(),
            every: raw.every.iter().map(|word| fold(word)).collect(),
            roles: raw.roles.iter().map(|word| fold(word)).collect(),
        }
    }
}

fn patterns(phrases: Vec<String>) -> Vec<Pattern> {
    phrases.iter().map(|phrase| pattern(phrase)).collect()
}

fn pattern(phrase: &str) -> Pattern {
    Pattern::parse(phrase, &BTreeMap::new()).expect("a shipped phrase is a sound pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_shipped() {
        let english = Cues::of("en").unwrap();
        assert!(english.cues.iter().any(|cue| cue.class == "negation" && cue.scope == CueScope::Clause));
        assert!(english.not_names.contains("neither"));
        assert_eq!(english.again.slots().len(), 2);
        assert!(Cues::of("xx").is_none());
    }
}
