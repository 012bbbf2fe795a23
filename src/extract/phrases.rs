//! The small words of a language, compiled: each phrase a program that is tried at a token.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::program::{Node, Program};
use super::scene::Scene;
use crate::ontology::Pattern;
use crate::ontology::cues::{CueScope, Cues};

/// A language's small words, compiled.
pub(super) struct Phrases {
    pub(super) cues: Vec<CompiledCue>,
    pub(super) harmless: Vec<Program>,
    pub(super) determiners: Vec<Program>,
    pub(super) separators: Vec<Program>,
    pub(super) choices: Vec<Program>,
    pub(super) not_names: &'static BTreeSet<String>,
    pub(super) joins: &'static BTreeSet<String>,
    pub(super) indefinite: &'static BTreeSet<String>,
    pub(super) name_connectors: &'static BTreeSet<String>,
    pub(super) effective_term: &'static str,
    pub(super) effective: Vec<Program>,
    pub(super) after: Vec<Program>,
    pub(super) exclusive: Vec<Program>,
    pub(super) inclusive: Vec<Program>,
    pub(super) throughout: Vec<Program>,
    pub(super) ending: Vec<Program>,
    pub(super) again: Program,
    pub(super) lead: Vec<Program>,
    pub(super) called: Vec<Program>,
    pub(super) means: Vec<Program>,
    pub(super) apposition: Vec<Program>,
    pub(super) places: &'static BTreeSet<String>,
    pub(super) every: &'static BTreeSet<String>,
    pub(super) roles: &'static BTreeSet<String>,
}

/// A cue, compiled.
pub(super) struct CompiledCue {
    pub(super) class: &'static str,
    pub(super) scope: CueScope,
    pub(super) phrase: Program,
}

/// The longest phrase, in tokens: how far before a word one is looked for.
const LONGEST: usize = 6;

static ALL: LazyLock<BTreeMap<String, Phrases>> = LazyLock::new(|| {
    let compiled =
        Cues::names().into_iter().filter_map(|name| Some((name.to_owned(), Phrases::from(Cues::of(name)?))));
    compiled.collect()
});

impl Phrases {
    /// The phrases of a language; of a language without any, those of English.
    pub(super) fn of(name: &str) -> &'static Self {
        ALL.get(name).or_else(|| ALL.values().next()).expect("English is shipped")
    }
}

impl From<&'static Cues> for Phrases {
    fn from(cues: &'static Cues) -> Self {
        let all = |patterns: &'static [Pattern]| patterns.iter().map(Program::of).collect::<Vec<_>>();
        Self {
            cues: cues
                .cues
                .iter()
                .map(|cue| CompiledCue {
                    class: &cue.class,
                    scope: cue.scope,
                    phrase: Program::of(&cue.phrase),
                })
                .collect(),
            harmless: all(&cues.harmless),
            determiners: all(&cues.determiners),
            separators: all(&cues.separators),
            choices: all(&cues.choices),
            not_names: &cues.not_names,
            joins: &cues.joins,
            indefinite: &cues.indefinite,
            name_connectors: &cues.name_connectors,
            effective_term: &cues.effective_term,
            effective: all(&cues.effective),
            after: all(&cues.after),
            exclusive: all(&cues.exclusive),
            inclusive: all(&cues.inclusive),
            throughout: all(&cues.throughout),
            ending: all(&cues.ending),
            again: Program::of(&cues.again),
            lead: all(&cues.lead),
            called: all(&cues.called),
            means: all(&cues.means),
            apposition: all(&cues.apposition),
            places: &cues.places,
            every: &cues.every,
            roles: &cues.roles,
        }
    }
}

/// The token behind the longest of the phrases that stands at a token.
pub(super) fn behind(phrases: &[Program], scene: &Scene<'_>, at: usize, hi: usize) -> Option<usize> {
    let word = scene.word(at);
    let fitting = phrases.iter().filter(|phrase| phrase.may_begin(word));
    fitting.filter_map(|phrase| run(phrase, phrase.start, scene, at, hi)).max()
}

/// The token behind one phrase that stands at a token.
pub(super) fn behind_one(phrase: &Program, scene: &Scene<'_>, at: usize, hi: usize) -> Option<usize> {
    phrase.may_begin(scene.word(at)).then(|| run(phrase, phrase.start, scene, at, hi)).flatten()
}

/// The first token of the longest of the phrases that ends directly before a token.
pub(super) fn before(phrases: &[Program], scene: &Scene<'_>, at: usize, lo: usize) -> Option<usize> {
    let starts = at.saturating_sub(LONGEST).max(lo)..at;
    let ends = |phrase: &Program, start: usize| {
        phrase.may_begin(scene.word(start)) && ends_at(phrase, phrase.start, scene, start, at)
    };
    starts.into_iter().find(|start| phrases.iter().any(|phrase| ends(phrase, *start)))
}

/// Phrases are short and have no slots for names, so trying every way costs next to nothing.
fn run(program: &Program, node: usize, scene: &Scene<'_>, at: usize, hi: usize) -> Option<usize> {
    ways(program, node, scene, at, hi).into_iter().max()
}

fn ends_at(program: &Program, node: usize, scene: &Scene<'_>, at: usize, end: usize) -> bool {
    ways(program, node, scene, at, end).contains(&end)
}

/// Every token behind which the phrase may end.
fn ways(program: &Program, node: usize, scene: &Scene<'_>, at: usize, hi: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let here = (at < hi).then(|| scene.tokens.get(at)).flatten();
    match &program.nodes[node] {
        Node::Accept => {
            found.insert(at);
        }
        Node::Word(word, next) => {
            if here.is_some_and(|token| token.folded == *word) {
                found = ways(program, *next, scene, at + 1, hi);
            }
        }
        Node::Forms(forms, next) => {
            if here.is_some_and(|token| forms.contains(token.folded.as_str())) {
                found = ways(program, *next, scene, at + 1, hi);
            }
        }
        Node::Regex(regex, next) => {
            let regex = regex.as_ref().zip(here);
            if regex.is_some_and(|(regex, token)| regex.is_match(&token.text)) {
                found = ways(program, *next, scene, at + 1, hi);
            }
        }
        Node::Slot(_, next) => {
            if here.is_some_and(|token| token.is_wordlike() && token.folded.chars().all(char::is_numeric)) {
                found = ways(program, *next, scene, at + 1, hi);
            }
        }
        Node::Gap(..) => {}
        Node::Split(nexts) => {
            for next in nexts {
                found.append(&mut ways(program, *next, scene, at, hi));
            }
        }
    }
    found
}
