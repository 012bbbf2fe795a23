//! What keeps a match from being a plain statement: a cue that the pattern did not ask for, or quotation.

use super::phrases::{CompiledCue, behind, behind_one};
use super::scene::Scene;
use super::search::{Found, Taken};
use crate::model::assertion::Says;
use crate::ontology::Rule;
use crate::ontology::cues::CueScope;

/// A cue that blocks a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blocked {
    /// The words as they stand in the text.
    pub(super) cue: String,
    /// What they make of the sentence.
    pub(super) class: String,
}

/// How far from a match a cue counts, in tokens: a sentence of a thousand words is a list, and looking
/// through all of it for each of its matches would cost the square of its length.
const FARTHEST: usize = 200;

/// The most tokens, quotation marks apart, that quotes stress rather than quote.
const STRESSED: usize = 4;

/// The first cue that blocks a match of a rule in the sentence `[lo, hi)`, if there is one.
pub(super) fn blocked(
    scene: &Scene<'_>,
    found: &Found,
    rule: &Rule,
    lo: usize,
    hi: usize,
) -> Option<Blocked> {
    if scene.is_quoted(found.first, found.behind) {
        return Some(Blocked { cue: "\"".to_owned(), class: "quotation".to_owned() });
    }
    let (lo, hi) = (lo.max(found.first.saturating_sub(FARTHEST)), hi.min(found.behind + FARTHEST));
    let statement = Statement::around(scene, found, lo, hi);
    let exempt = exempt(scene, found, lo, hi);
    let mut best: Option<(usize, Blocked)> = None;
    for cue in &scene.reader.phrases.cues {
        // A sentence that says that something ended is not blocked by saying so.
        if rule.says == Says::Ends && cue.class == "ended" || rule.despite.contains(cue.class) {
            continue;
        }
        if let Some((at, end)) = first_hit(scene, cue, &statement, &exempt, lo)
            && best.as_ref().is_none_or(|(first, _)| at < *first)
        {
            let blocked = Blocked { cue: scene.slice(at, end).to_owned(), class: cue.class.to_owned() };
            best = Some((at, blocked));
        }
    }
    best.map(|(_, blocked)| blocked)
}

fn first_hit(
    scene: &Scene<'_>,
    cue: &CompiledCue,
    statement: &Statement,
    exempt: &[bool],
    lo: usize,
) -> Option<(usize, usize)> {
    let (from, until) = match cue.scope {
        CueScope::Clause => (statement.clause, statement.behind),
        CueScope::Before => (statement.start, statement.behind),
        CueScope::Segment => (statement.start, statement.end),
        CueScope::Opening => (statement.start, statement.start + 1),
    };
    (from..until).find_map(|at| {
        let end = behind_one(&cue.phrase, scene, at, statement.end)?;
        let free = (at..end).all(|token| !exempt.get(token - lo).copied().unwrap_or_default());
        free.then_some((at, end))
    })
}

/// The statement around a match.
struct Statement {
    /// Its first token.
    start: usize,
    /// The first token behind the last comma before the match.
    clause: usize,
    /// The token behind the match.
    behind: usize,
    /// The token behind the statement.
    end: usize,
}

impl Statement {
    fn around(scene: &Scene<'_>, found: &Found, lo: usize, hi: usize) -> Self {
        let start = (lo..found.first).rev().find(|at| opens_statement(scene, *at)).map_or(lo, |at| at + 1);
        let end = (found.behind..hi).find(|at| ends_statement(scene, *at)).unwrap_or(hi);
        let clause = (start..found.first).rev().find(|at| opens_clause(scene, *at, found.first));
        Self { start, clause: clause.map_or(start, |at| at + 1), behind: found.behind, end }
    }
}

fn opens_statement(scene: &Scene<'_>, at: usize) -> bool {
    scene.word(at) == ";" || (is_joint(scene.word(at)) && at > 0 && scene.word(at - 1) == ",")
}

fn ends_statement(scene: &Scene<'_>, at: usize) -> bool {
    scene.word(at) == ";" || (scene.word(at) == "," && is_joint(scene.word(at + 1)))
}

fn opens_clause(scene: &Scene<'_>, at: usize, first: usize) -> bool {
    matches!(scene.word(at), "," | ":") || (at + 1 == first && is_joint(scene.word(at)))
}

fn is_joint(word: &str) -> bool {
    matches!(word, "and" | "but" | "whereas" | "while")
}

/// For each token of the sentence, whether it can be no cue: the pattern took it, it belongs to a name,
/// to a phrase that means no harm, or it is the month of May.
fn exempt(scene: &Scene<'_>, found: &Found, lo: usize, hi: usize) -> Vec<bool> {
    let mut exempt = vec![false; hi.saturating_sub(lo)];
    let mut mark = |from: usize, until: usize| {
        for at in from.max(lo)..until.min(hi) {
            exempt[at - lo] = true;
        }
    };
    for taken in &found.taken {
        match taken {
            Taken::Literal(from, until) | Taken::Slot(_, from, until, _) => mark(*from, *until),
        }
    }
    // What a sentence quotes beside the match says nothing of the match; a word or two may be stressed by quotes.
    for (open, close) in &scene.quoted {
        let beside = *open >= found.behind || *close < found.first;
        if beside && close - open > STRESSED {
            mark(*open, close + 1);
        }
    }
    for at in lo..hi {
        for (end, _) in scene.mentions_at(at) {
            mark(at, *end);
        }
        if let Some(end) = behind(&scene.reader.phrases.harmless, scene, at, hi) {
            mark(at, end);
        }
        if is_month(scene, at) {
            mark(at, at + 1);
        }
    }
    exempt
}

/// "May 2024", "5 May", "since May": with a capital letter, and beside a number or within a sentence.
fn is_month(scene: &Scene<'_>, at: usize) -> bool {
    let Some(token) = scene.tokens.get(at) else { return false };
    let capital = token.text.chars().next().is_some_and(char::is_uppercase);
    capital && scene.reader.language.months.contains_key(token.folded.as_str())
}
