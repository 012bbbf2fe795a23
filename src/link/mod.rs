//! The linker: finds where a text names an entity.
//!
//! Names, the ontology's name styles and one document's chunks come in; mentions go out, with their spans
//! in the verbatim text. It knows no rule, no edge and no other document.
//!
//! Linking is *defined* as leftmost-longest over the normal forms of the names of all types:
//!
//! 1. A text's normal form is its tokens in NFKC, case-folded unless the type is case-sensitive, with one
//!    space where white space stands; spaces, hyphens and leading zeros are dropped where the type ignores
//!    them. White space beside an ideograph never counts. Two texts name the same if their normal forms
//!    are equal.
//! 2. A mention begins and ends at a boundary: never between two words or numbers that are written together.
//! 3. A legal form at the end is optional where the type says so; see `link::form`.
//! 4. At the leftmost place at which anything matches, the longest match in the text counts, and what it
//!    covers is not looked at again. Equal spans of several entities are one mention with several candidates.
//! 5. Keys and parts that are told by their form count where no name is as long. Where a list of keys goes on, what
//!    its type takes for a further one of a list is a key too.
//! 6. Several candidates become one only if the document named exactly one of them by its full name before,
//!    in a mention that was not ambiguous itself.

mod automaton;
mod form;
mod kept;
mod lookup;
mod names;
mod normal;
mod part;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::chunk::Chunk;
use crate::model::id::EntityKey;
use crate::model::mention::{Known, Mention, Name};
use crate::model::token::{Span, Token, tokens};
use crate::ontology::language::Language;
use crate::ontology::{NameStyle, Ontology};

pub use lookup::{index_words, lookup_word};

use form::LegalForms;
use kept::{Reader, Writer};
use names::Names;
use normal::{Piece, pieces};
use part::{FoundPart, KeyForm, PartForm, Wholes, leads_to_owner, lists};

/// Changes when the same names and chunks give other mentions, or other index words.
pub const FINGERPRINT: &str = "link/5";

/// All names of a workspace, ready to be found. Its size is linear in the names.
#[derive(Debug)]
pub struct Lexicon {
    names: Names,
    legal: LegalForms,
    styles: BTreeMap<String, NameStyle>,
    keys: Vec<KeyForm>,
    parts: Vec<PartForm>,
    wholes: Wholes,
}

/// A place found in one text, before the rest of the document is asked.
struct Found {
    span: Span,
    next: usize,
    what: What,
}

enum What {
    /// Names, each with whether it is the full name in full.
    Names(Vec<(EntityKey, bool)>),
    /// Keys told by their form.
    Keys(Vec<EntityKey>),
    /// Parts told by their form.
    Parts(Vec<FoundPart>),
}

impl Lexicon {
    /// Builds the lexicon. Names of a type that the ontology does not have get the default style.
    pub fn build(ontology: &Ontology, language: &Language, names: impl IntoIterator<Item = Name>) -> Self {
        let styles: BTreeMap<String, NameStyle> =
            ontology.entities.iter().map(|(name, entity)| (name.clone(), entity.style)).collect();
        let legal = LegalForms::of(language);
        let names = Names::of(names, &|name| styles.get(name).copied().unwrap_or_default(), &legal);
        let (keys, parts) = (KeyForm::all(ontology), PartForm::all(ontology));
        Self { names, legal, styles, keys, parts, wholes: Wholes::of(ontology) }
    }

    /// The same names, but for these entities, which now have the given names and no others. What is found
    /// is what a lexicon that is built anew would find; the work follows the entities, not the lexicon.
    /// Renewing a second time takes the first back.
    pub fn renewed(self, entities: &BTreeSet<EntityKey>, names: impl IntoIterator<Item = Name>) -> Self {
        let styles = &self.styles;
        let style_of = |name: &str| styles.get(name).copied().unwrap_or_default();
        let names = self.names.renewed(entities, names, &style_of, &self.legal);
        Self { names, ..self }
    }

    /// How many entities had names when it was built.
    pub fn built_of(&self) -> usize {
        self.names.len()
    }

    /// The lexicon as bytes, as it was built, with a label by which it is known again.
    pub fn keep(&self, label: &str) -> Vec<u8> {
        let mut out = Writer::default();
        out.bytes(FINGERPRINT.as_bytes());
        out.bytes(label.as_bytes());
        self.names.write(&mut out);
        out.finish()
    }

    /// Reads a lexicon back with its label, in the time that reading the bytes takes. `None` if they are not
    /// whole, or of another version. The ontology and language must be those with which it was built.
    pub fn read(ontology: &Ontology, language: &Language, bytes: &[u8]) -> Option<(String, Self)> {
        let mut from = Reader::of(bytes)?;
        if from.bytes()? != FINGERPRINT.as_bytes() {
            return None;
        }
        let label = String::from_utf8(from.bytes()?.to_vec()).ok()?;
        let names = Names::read(&mut from)?;
        Some((label, Self { names, ..Self::build(ontology, language, []) }))
    }

    /// The mentions in each of a document's chunks, which come in order.
    ///
    /// A part belongs to what the text right after it names, if it may be a part of that; else to one of
    /// the entities that are `bound`, which are equally near; else to the entity for which the document
    /// stands, or to what that one is a part of. A part without an owner is no mention.
    pub fn mentions(
        &self,
        chunks: &[Chunk],
        stands_for: Option<&EntityKey>,
        bound: &[EntityKey],
    ) -> Vec<Vec<Mention>> {
        let mut owners = vec![bound.to_vec()];
        let around = stands_for.map(|entity| self.wholes.around(entity)).unwrap_or_default();
        owners.extend(around.into_iter().map(|owner| vec![owner]));
        let mut named: BTreeSet<EntityKey> = BTreeSet::new();
        chunks.iter().map(|chunk| self.in_text(&chunk.body.text, &owners, &mut named)).collect()
    }

    /// True if texts may name parts, whose owners bindings decide.
    pub fn knows_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The words to look up for a name of this entity's type: every chunk that may name it has all of them
    /// among its [`index_words`]. At least as selective as [`lookup_word`], because the type's legal forms
    /// are known. Empty if the name has no letter and no digit.
    pub fn words(&self, name: &Name) -> Vec<String> {
        let found = tokens(&name.text);
        let pieces = pieces(&name.text, &found);
        let style = self.styles.get(name.entity.entity_type()).copied().unwrap_or_default();
        let core = if style.legal_forms { self.legal.split(&pieces).0 } else { pieces.as_slice() };
        lookup::lookup_of(core).into_iter().collect()
    }

    /// True if somebody's name stands in a text, alone or within a longer one. Linear in the text.
    pub fn is_named_in(&self, text: &str) -> bool {
        let tokens = tokens(text);
        let pieces = pieces(text, &tokens);
        let mut starts = (0..pieces.len()).filter(|at| !pieces[*at].joined);
        starts.any(|at| self.names.at(&pieces, at, &self.legal).is_some())
    }

    /// The mentions in one text. `named` holds who has been named in full before.
    fn in_text(
        &self,
        text: &str,
        owners: &[Vec<EntityKey>],
        named: &mut BTreeSet<EntityKey>,
    ) -> Vec<Mention> {
        let found = self.find(text);
        // From the right, because "Schedule 7 to Amendment 2 to the Agreement" needs the amendment's key.
        let mut candidates: Vec<Vec<EntityKey>> = vec![Vec::new(); found.len()];
        for at in (0..found.len()).rev() {
            let following = found
                .get(at + 1)
                .filter(|next| text.get(found[at].span.end..next.span.start).is_some_and(leads_to_owner));
            let following = following.map(|_| candidates[at + 1].as_slice()).unwrap_or_default();
            candidates[at] = found[at].what.candidates(following, owners);
        }
        found
            .into_iter()
            .zip(candidates)
            .filter_map(|(found, candidates)| found.settle(candidates, named))
            .collect()
    }

    /// Leftmost-longest over names, keys and parts.
    fn find(&self, text: &str) -> Vec<Found> {
        let tokens = tokens(text);
        let pieces = pieces(text, &tokens);
        let mut found = Vec::new();
        let mut at = 0;
        while at < pieces.len() {
            let listed = goes_on(text, found.last(), pieces[at].span.start);
            let hit =
                if pieces[at].joined { None } else { self.longest(text, &tokens, &pieces, at, &listed) };
            at = match hit {
                Some(hit) => {
                    let next = hit.next;
                    found.push(hit);
                    next.max(at + 1)
                }
                None => at + 1,
            };
        }
        found
    }

    /// `listed` are the types of which a list of keys goes on here.
    fn longest(
        &self,
        text: &str,
        tokens: &[Token],
        pieces: &[Piece<'_>],
        at: usize,
        listed: &[&str],
    ) -> Option<Found> {
        let start = pieces[at].span.start;
        let named = self.names.at(pieces, at, &self.legal).map(|hit| Found {
            span: Span::new(start, hit.end),
            next: hit.next,
            what: What::Names(hit.entities),
        });
        let formed = self.told_by_form(text, tokens, pieces, at, listed);
        match (named, formed) {
            (Some(named), Some(formed)) if formed.span.end > named.span.end => Some(formed),
            (named, formed) => named.or(formed),
        }
    }

    /// The longest key or part at a piece; keys before parts.
    fn told_by_form(
        &self,
        text: &str,
        tokens: &[Token],
        pieces: &[Piece<'_>],
        at: usize,
        listed: &[&str],
    ) -> Option<Found> {
        let first = pieces[at].token;
        let mut best: Option<Found> = None;
        let mut keep = |consumed: usize, what: What| {
            let Some((end, next)) = end_of(tokens, pieces, first + consumed) else { return };
            match &mut best {
                Some(longest) if longest.span.end > end => {}
                Some(longest) if longest.span.end == end => longest.what.join(what),
                _ => best = Some(Found { span: Span::new(pieces[at].span.start, end), next, what }),
            }
        };
        for form in &self.keys {
            let ways = [form.at(text, tokens, first), form.listed_at(listed, text, tokens, first)];
            for (consumed, key) in ways.into_iter().flatten() {
                keep(consumed, What::Keys(vec![key]));
            }
        }
        for form in &self.parts {
            if let Some((consumed, part)) = form.at(tokens, first) {
                keep(consumed, What::Parts(vec![part]));
            }
        }
        best
    }
}

/// The types of which a list of keys goes on at a byte: those of the key before, if only a comma or a small word
/// stands between.
fn goes_on<'f>(text: &str, last: Option<&'f Found>, at: usize) -> Vec<&'f str> {
    let Some(Found { span, what: What::Keys(keys), .. }) = last else { return Vec::new() };
    match text.get(span.end..at) {
        Some(between) if lists(between) => keys.iter().map(EntityKey::entity_type).collect(),
        _ => Vec::new(),
    }
}

/// The byte and the piece after the tokens before `token`; `None` if no mention may end there.
fn end_of(tokens: &[Token], pieces: &[Piece<'_>], token: usize) -> Option<(usize, usize)> {
    let end = tokens.get(token.checked_sub(1)?)?.span.end;
    let next = pieces.partition_point(|piece| piece.token < token);
    let last = pieces.get(next.checked_sub(1)?)?;
    let bounded = last.span.end <= end && pieces.get(next).is_none_or(|piece| !piece.joined);
    bounded.then_some((end, next))
}

impl What {
    fn join(&mut self, other: Self) {
        match (self, other) {
            (Self::Keys(keys), Self::Keys(others)) => keys.extend(others),
            (Self::Parts(parts), Self::Parts(others)) => parts.extend(others),
            // A key that is written like a part is a key: it names its entity without an owner.
            (Self::Names(_) | Self::Keys(_) | Self::Parts(_), _) => {}
        }
    }

    /// Everyone whom it may name, sorted.
    fn candidates(&self, following: &[EntityKey], owners: &[Vec<EntityKey>]) -> Vec<EntityKey> {
        let mut candidates: Vec<EntityKey> = match self {
            Self::Names(entities) => entities.iter().map(|(entity, _)| entity.clone()).collect(),
            Self::Keys(keys) => keys.clone(),
            Self::Parts(parts) => parts
                .iter()
                .flat_map(|part| {
                    std::iter::once(following)
                        .chain(owners.iter().map(Vec::as_slice))
                        .map(|nearest| part.keys(nearest.iter()))
                        .find(|keys| !keys.is_empty())
                        .unwrap_or_default()
                })
                .collect(),
        };
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }
}

impl Found {
    /// The mention, settled by who was named in full before; and this one is remembered if it does so.
    fn settle(self, candidates: Vec<EntityKey>, named: &mut BTreeSet<EntityKey>) -> Option<Mention> {
        let How { known, full } = self.what.how();
        match candidates.as_slice() {
            [] => None,
            [only] => {
                if full {
                    named.insert(only.clone());
                }
                Some(Mention { span: self.span, candidates, how: known })
            }
            _ => {
                let mut before = candidates.iter().filter(|candidate| named.contains(*candidate));
                match (before.next(), before.next()) {
                    (Some(only), None) => {
                        let candidates = vec![only.clone()];
                        Some(Mention { span: self.span, candidates, how: Known::EarlierFullName })
                    }
                    _ => Some(Mention { span: self.span, candidates, how: known }),
                }
            }
        }
    }
}

/// How something was known, and whether by a full name.
struct How {
    known: Known,
    full: bool,
}

impl What {
    fn how(&self) -> How {
        match self {
            Self::Names(entities) => How { known: Known::Name, full: entities.iter().any(|(_, full)| *full) },
            Self::Keys(_) | Self::Parts(_) => How { known: Known::Pattern, full: false },
        }
    }
}

#[cfg(test)]
mod tests;
