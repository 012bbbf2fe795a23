//! What a slot for entities takes: a mention, a defined term, or the longest run of words that looks like
//! a name; and lists of these.

use std::collections::BTreeSet;

use super::bound::{Named, Value, merged};
use super::phrases::{before, behind};
use super::scene::Scene;
use crate::model::token::{Token, TokenKind};

/// The most tokens of a name that nobody knows.
const LONGEST_NAME: usize = 12;
/// The most names of one list.
const LONGEST_LIST: usize = 100;
/// The most tokens of a parenthesis or apposition behind a name.
const LONGEST_ASIDE: usize = 24;
/// How far behind an unknown name of a list a verb of the pattern makes it the subject of another clause.
const NEXT_CLAUSE: usize = 3;

/// What fills a slot, and the token behind it.
#[derive(Debug, Clone)]
pub(super) struct Fill {
    pub(super) names: Vec<Named>,
    /// The places in the scene's `bound` that the fill rests on.
    pub(super) uses: Vec<usize>,
    /// The tokens of the names themselves, without determiners and asides.
    pub(super) at: Vec<(usize, usize)>,
    pub(super) behind: usize,
}

/// A slot for entities, as a search asks for it.
pub(super) struct Wanted<'w> {
    pub(super) types: &'w [String],
    pub(super) list: bool,
    /// True if the slot may take a name that nobody knows.
    pub(super) guesses: bool,
    /// True if the first name may be one.
    pub(super) unknown: bool,
    /// The pattern's verbs.
    pub(super) verbs: &'w BTreeSet<String>,
    /// The sentence.
    pub(super) lo: usize,
    pub(super) hi: usize,
}

/// The ways to fill the slot at a token, the preferred one first.
pub(super) fn fills(scene: &Scene<'_>, wanted: &Wanted<'_>, at: usize) -> Vec<Fill> {
    if follows_choice(scene, wanted, at) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for first in single(scene, wanted, at, wanted.unknown) {
        if wanted.list {
            found.extend(list_from(scene, wanted, first));
        } else if !precedes_choice(scene, wanted, first.behind) {
            found.push(combined(scene, first));
        }
    }
    // What stands beside a name may be left out: "Acme ("Buyer") shall buy".
    let asides: Vec<Fill> = found
        .iter()
        .flat_map(|fill| {
            let ends = aside(scene, wanted, fill.behind).into_iter();
            // What is named by its key alone is not named beside another: of "Section 3-1 (Code § 7)" a rule
            // that takes sections means the one before its words.
            let beside = ends.filter(|behind| {
                wanted.guesses || (fill.behind..*behind).all(|at| known_at(scene, wanted, at).is_empty())
            });
            beside.map(|behind| Fill { behind, ..fill.clone() })
        })
        .collect();
    found.extend(asides);
    found
}

/// A list slot's fills that begin with this name, the longest first.
fn list_from(scene: &Scene<'_>, wanted: &Wanted<'_>, first: Fill) -> Vec<Fill> {
    let mut prefixes = vec![first];
    loop {
        let last = &prefixes[prefixes.len() - 1];
        if precedes_choice(scene, wanted, last.behind) {
            // "A, B or C": of a choice, nothing is asserted.
            return Vec::new();
        }
        if prefixes.len() >= LONGEST_LIST {
            break;
        }
        let Some(next) = next_of_list(scene, wanted, last) else { break };
        let mut longer = last.clone();
        longer.names.extend(next.names);
        longer.uses.extend(next.uses);
        longer.at.extend(next.at);
        longer.behind = next.behind;
        prefixes.push(longer);
    }
    prefixes.reverse();
    prefixes
}

fn next_of_list(scene: &Scene<'_>, wanted: &Wanted<'_>, last: &Fill) -> Option<Fill> {
    let asides = aside(scene, wanted, last.behind);
    let bare = asides.is_empty();
    for end in std::iter::once(last.behind).chain(asides) {
        let Some(at) = behind(&scene.reader.phrases.separators, scene, end, wanted.hi) else { continue };
        let known = single(scene, wanted, at, false).into_iter().next();
        // In "Acme plc, an Ohio corporation, and Voltanix" nobody is called Ohio.
        let may_guess = bare || end != last.behind;
        let next = known.or_else(|| {
            if !may_guess {
                return None;
            }
            let unknown = single(scene, wanted, at, true).into_iter().next()?;
            let until = (unknown.behind + NEXT_CLAUSE).min(wanted.hi);
            let clause = (unknown.behind..until).any(|next| wanted.verbs.contains(scene.word(next)));
            (!clause).then_some(unknown)
        });
        if next.is_some() {
            return next;
        }
    }
    None
}

/// One name at a token, behind the words that may stand before a name.
fn single(scene: &Scene<'_>, wanted: &Wanted<'_>, at: usize, unknown: bool) -> Vec<Fill> {
    let inner = behind(&scene.reader.phrases.determiners, scene, at, wanted.hi);
    let mut taken = false;
    for start in std::iter::once(at).chain(inner) {
        let known = known_at(scene, wanted, start);
        if !known.is_empty() {
            return known;
        }
        taken |= !scene.mentions_at(start).is_empty() || !scene.terms_at(start).is_empty();
    }
    if taken || !unknown || !wanted.guesses {
        return Vec::new();
    }
    let start = inner.unwrap_or(at);
    let Some(behind) = name_run(scene, start, wanted.lo, wanted.hi) else { return Vec::new() };
    let named = Named { surface: scene.slice(start, behind).to_owned(), candidates: Vec::new() };
    vec![Fill { names: vec![named], uses: Vec::new(), at: vec![(start, behind)], behind }]
}

/// The mentions and terms at a token that fit, the longest first; of equals the term, because the
/// document says what it means by it.
fn known_at(scene: &Scene<'_>, wanted: &Wanted<'_>, at: usize) -> Vec<Fill> {
    let mut found = Vec::new();
    for (behind, place) in scene.terms_at(at) {
        let Value::Names(names) = &scene.bound[*place].value else { continue };
        let fits = |named: &Named| {
            named.of_types(wanted.types).filter(|named| wanted.guesses || !named.candidates.is_empty())
        };
        let names: Vec<Named> = names.iter().filter_map(fits).collect();
        if !names.is_empty() && *behind <= wanted.hi {
            found.push(Fill { names, uses: vec![*place], at: vec![(at, *behind)], behind: *behind });
        }
    }
    for (behind, mention) in scene.mentions_at(at) {
        let surface = scene.slice(at, *behind).to_owned();
        let named = Named { surface, candidates: mention.candidates.clone() }.of_types(wanted.types);
        if let Some(named) = named.filter(|named| !named.candidates.is_empty() && *behind <= wanted.hi) {
            found.push(Fill {
                names: vec![named],
                uses: Vec::new(),
                at: vec![(at, *behind)],
                behind: *behind,
            });
        }
    }
    found.sort_by_key(|fill| std::cmp::Reverse(fill.behind));
    found
}

/// A slot for one takes a term for several as one that is ambiguous.
fn combined(scene: &Scene<'_>, mut fill: Fill) -> Fill {
    if fill.names.len() > 1 {
        let surface = fill.at.first().map_or("", |(first, behind)| scene.slice(*first, *behind));
        fill.names = vec![merged(surface, &fill.names)];
    }
    fill
}

/// True if what stands behind makes the name one of a choice ("A or B").
fn precedes_choice(scene: &Scene<'_>, wanted: &Wanted<'_>, end: usize) -> bool {
    let asides = aside(scene, wanted, end);
    std::iter::once(end).chain(asides).any(|end| {
        behind(&scene.reader.phrases.choices, scene, end, wanted.hi)
            .is_some_and(|next| !single(scene, wanted, next, true).is_empty())
    })
}

/// True if the name is the second of a choice.
fn follows_choice(scene: &Scene<'_>, wanted: &Wanted<'_>, at: usize) -> bool {
    // A slash joins words of every kind ("and/or", "n/a"); only a word makes a choice here.
    before(&scene.reader.phrases.choices, scene, at, wanted.lo).is_some_and(|_| scene.word(at - 1) != "/")
}

/// The tokens behind what may stand beside a name: an apposition between commas, a parenthesis, or both. An
/// apposition names nobody whom the slot takes; "a Delaware corporation" may name a place.
fn aside(scene: &Scene<'_>, wanted: &Wanted<'_>, at: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut end = at;
    let most = wanted.hi.min(at + LONGEST_ASIDE);
    if scene.word(at) == "," && scene.reader.phrases.indefinite.contains(scene.word(at + 1)) {
        let close = (at + 2..most).find(|next| matches!(scene.word(*next), "," | "("));
        let names_nobody = |close: &usize| (at + 1..*close).all(|at| known_at(scene, wanted, at).is_empty());
        if let Some(close) = close.filter(names_nobody) {
            end = close;
            if scene.word(close) == "," {
                found.push(close + 1);
            }
        }
    }
    if scene.word(end) == "("
        && let Some(close) = (end + 1..most).find(|next| scene.word(*next) == ")")
    {
        found.push(close + 1);
        if end > at && scene.word(close + 1) == "," {
            found.push(close + 2);
        }
    }
    found
}

/// The token behind the longest run of words at `at` that looks like a name: capitalized words, keys,
/// and a legal form behind them. A run ends where a mention begins.
pub(super) fn name_run(scene: &Scene<'_>, at: usize, lo: usize, hi: usize) -> Option<usize> {
    let phrases = scene.reader.phrases;
    let first = scene.tokens.get(at).filter(|_| at < hi)?;
    if first.glued || !starts_name(scene, at, hi) || phrases.not_names.contains(first.folded.as_str()) {
        return None;
    }
    let most = hi.min(at + LONGEST_NAME);
    let mut end = word_end(scene, at, most);
    while end < most && scene.mentions_at(end).is_empty() && scene.terms_at(end).is_empty() {
        let connects = phrases.name_connectors.contains(scene.word(end)) && starts_name(scene, end + 1, most);
        if connects {
            end = word_end(scene, end + 1, most);
        } else if starts_name(scene, end, most) && !phrases.not_names.contains(scene.word(end)) {
            end = word_end(scene, end, most);
        } else {
            break;
        }
    }
    let with_form = legal_form(scene, end, hi);
    let single = end == at + 1 && with_form.is_none();
    let month = scene.reader.language.months.contains_key(first.folded.as_str());
    if single && (month || (at == lo && first.text.chars().count() < 2)) {
        return None;
    }
    Some(with_form.unwrap_or(end))
}

/// True if a name's word begins at a token: a capitalized word, or a key such as `cmp-9` with a digit.
fn starts_name(scene: &Scene<'_>, at: usize, hi: usize) -> bool {
    let Some(token) = scene.tokens.get(at).filter(|_| at < hi) else { return false };
    match token.kind {
        TokenKind::Word => token.text.chars().next().is_some_and(char::is_uppercase) || is_key(scene, at, hi),
        TokenKind::Number => is_key(scene, at, hi),
        TokenKind::Ideograph | TokenKind::Mark => false,
    }
}

/// True if a run without white space has a capital letter and a digit.
fn is_key(scene: &Scene<'_>, at: usize, hi: usize) -> bool {
    let run = &scene.tokens[at..word_end(scene, at, hi)];
    let digit = run.iter().any(|token| token.kind == TokenKind::Number);
    digit && run.iter().any(|token| token.text.chars().any(char::is_uppercase))
}

/// The token behind the run without white space that begins at a token: `FCU-9`, `O'Brien`, `A/B`.
pub(super) fn word_end(scene: &Scene<'_>, at: usize, hi: usize) -> usize {
    let mut end = (at + 1).min(hi);
    while end < hi && scene.touches_previous(end) {
        let joins = |token: &Token| matches!(token.folded.as_str(), "-" | "'" | "." | "/" | "_" | "&" | "+");
        let token = &scene.tokens[end];
        let possessive = token.folded == "'" && scene.word(end + 1) == "s";
        if token.is_wordlike() {
            end += 1;
        } else if !possessive
            && joins(token)
            && end + 1 < hi
            && scene.touches_previous(end + 1)
            && scene.tokens[end + 1].is_wordlike()
        {
            end += 2;
        } else {
            break;
        }
    }
    end
}

/// The token behind a legal form at `at`, with a comma before it and a stop behind it.
fn legal_form(scene: &Scene<'_>, at: usize, hi: usize) -> Option<usize> {
    let start = if scene.word(at) == "," { at + 1 } else { at };
    // A form such as "GmbH" may be the last word of the run itself.
    let inside = start == at && at > 0;
    let from = if inside && is_form(scene, at - 1, hi).is_some() { at - 1 } else { start };
    let end = is_form(scene, from, hi)?;
    let abbreviated = scene.word(end) == "." && end + 1 < hi;
    Some(if abbreviated { end + 1 } else { end })
}

fn is_form(scene: &Scene<'_>, at: usize, hi: usize) -> Option<usize> {
    let forms = &scene.reader.language.legal_forms;
    forms.iter().find_map(|form| {
        let mut next = at;
        for (i, word) in form.iter().enumerate() {
            while i > 0 && next < hi && scene.word(next) == "." && word != "." {
                next += 1;
            }
            if next >= hi || scene.word(next) != word {
                return None;
            }
            next += 1;
        }
        looks_like_form(scene.slice(at, next)).then_some(next)
    })
}

/// "a Delaware corporation" and "Orion as Seller" have no legal form: one has a capital letter, or is an
/// abbreviation without a vowel ("plc").
fn looks_like_form(text: &str) -> bool {
    text.chars().any(char::is_uppercase) || !text.chars().any(|next| "aeiou".contains(next))
}

/// True if the name ends with a legal form: then it names a company, whoever that is.
pub(super) fn has_legal_form(scene: &Scene<'_>, first: usize, behind: usize) -> bool {
    let last = if scene.word(behind.saturating_sub(1)) == "." { behind - 1 } else { behind };
    (first + 1..last).any(|at| is_form(scene, at, last) == Some(last))
}
