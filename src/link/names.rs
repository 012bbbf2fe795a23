//! The names of all entities, by style, ready to be found in a text.

use std::collections::BTreeMap;

use crate::model::id::EntityKey;
use crate::model::mention::Name;
use crate::model::token::tokens;
use crate::ontology::NameStyle;

use super::form::{Fit, LegalForms};
use super::normal::{Piece, normal, pieces};
use super::trie::Trie;

/// Longer normal forms are no names: nobody writes them out, and a feed that has them has a mistake.
const MOST_BYTES: usize = 512;

/// All names.
#[derive(Debug)]
pub(super) struct Names {
    entities: Vec<EntityKey>,
    styles: Vec<StyleNames>,
}

/// The names of the types with one style.
#[derive(Debug)]
struct StyleNames {
    style: NameStyle,
    trie: Trie,
    /// For each text of the trie, where its entries begin; one more than texts.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    forms: Vec<String>,
}

/// One entity's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    entity: u32,
    /// Its legal form, as a place in `forms`; the first is the empty one.
    form: u32,
    full: bool,
    former: bool,
}

/// A name as it is sorted: normal form, legal form, place in `entities`, full, former.
type Named = (String, String, u32, bool, bool);

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// The byte after it.
    pub(super) end: usize,
    /// The piece after it.
    pub(super) next: usize,
    /// Whose name it is, and whether it is the full name in full; sorted, each entity once.
    pub(super) entities: Vec<(EntityKey, bool)>,
}

/// A hit before the entities are looked up: places in `entities`.
struct Candidate {
    end: usize,
    next: usize,
    entities: BTreeMap<u32, bool>,
    /// True if all of them had the name and nobody has it now.
    former: bool,
}

impl Names {
    pub(super) fn of(
        names: impl IntoIterator<Item = Name>,
        style_of: &dyn Fn(&str) -> NameStyle,
        legal: &LegalForms,
    ) -> Self {
        let mut found: Vec<Name> = names.into_iter().collect();
        found.sort_unstable();
        found.dedup();
        let mut entities: Vec<EntityKey> = Vec::new();
        let mut by_style: BTreeMap<NameStyle, Vec<Named>> = BTreeMap::new();
        for name in found {
            let style = style_of(name.entity.entity_type());
            if entities.last() != Some(&name.entity) {
                entities.push(name.entity);
            }
            if let Some((text, form)) = normal_name(&name.text, style, legal) {
                let entity = (entities.len() - 1) as u32;
                by_style.entry(style).or_default().push((text, form, entity, name.full, name.former));
            }
        }
        let styles = by_style.into_iter().map(|(style, names)| StyleNames::of(style, names)).collect();
        Self { entities, styles }
    }

    /// The longest name that begins at a piece, with everyone whose name it is.
    pub(super) fn at(&self, pieces: &[Piece<'_>], at: usize, legal: &LegalForms) -> Option<Hit> {
        let mut best: Option<Candidate> = None;
        for style in &self.styles {
            style.at(pieces, at, legal, &mut best);
        }
        let best = best?;
        let entities =
            best.entities.into_iter().map(|(entity, full)| (self.entities[entity as usize].clone(), full));
        Some(Hit { end: best.end, next: best.next, entities: entities.collect() })
    }
}

/// A name's normal form and its legal form; `None` if nothing is left of it, or too much.
fn normal_name(text: &str, style: NameStyle, legal: &LegalForms) -> Option<(String, String)> {
    if text.len() > 4 * MOST_BYTES {
        return None;
    }
    let found = tokens(text);
    let pieces = pieces(text, &found);
    let (core, form) =
        if style.legal_forms { legal.split(&pieces) } else { (pieces.as_slice(), String::new()) };
    let text = normal(core, style);
    (!text.is_empty() && text.len() <= MOST_BYTES).then_some((text, form))
}

impl StyleNames {
    fn of(style: NameStyle, mut names: Vec<Named>) -> Self {
        names.sort_unstable();
        let mut forms: Vec<String> = names.iter().map(|(_, form, ..)| form.clone()).collect();
        forms.push(String::new());
        forms.sort_unstable();
        forms.dedup();
        let mut texts: Vec<&str> = Vec::new();
        let mut starts = Vec::new();
        let mut entries = Vec::with_capacity(names.len());
        for (text, form, entity, full, former) in &names {
            if texts.last() != Some(&text.as_str()) {
                texts.push(text);
                starts.push(entries.len() as u32);
            }
            let form = forms.binary_search(form).unwrap_or_default() as u32;
            entries.push(Entry { entity: *entity, form, full: *full, former: *former });
        }
        starts.push(entries.len() as u32);
        Self { style, trie: Trie::of(&texts), starts, entries, forms }
    }

    /// Adds the longest name at a piece to what other styles have found there.
    fn at(&self, pieces: &[Piece<'_>], at: usize, legal: &LegalForms, best: &mut Option<Candidate>) {
        let mut place = self.trie.start();
        let mut space = false;
        for (offset, piece) in pieces[at..].iter().enumerate() {
            let text = piece.normal(self.style);
            space |= offset > 0 && piece.space(self.style);
            if text.is_empty() {
                if offset == 0 {
                    return;
                }
                continue;
            }
            if std::mem::take(&mut space) {
                let Some(after) = self.trie.walk(place, " ") else { return };
                place = after;
            }
            let Some(after) = self.trie.walk(place, text) else { return };
            place = after;
            let next = at + offset + 1;
            if pieces.get(next).is_some_and(|next| next.joined) {
                continue;
            }
            if let Some(value) = self.trie.value(place) {
                self.keep_longest(value, &pieces[..next], pieces, at, legal, best);
            }
        }
    }

    /// Keeps a name if no longer one is known, together with an equally long one.
    fn keep_longest(
        &self,
        value: usize,
        matched: &[Piece<'_>],
        pieces: &[Piece<'_>],
        at: usize,
        legal: &LegalForms,
        best: &mut Option<Candidate>,
    ) {
        let Some(hit) = self.hit(value, matched, pieces, at, legal) else { return };
        match best {
            Some(longest) if longest.end > hit.end => {}
            // A name that somebody has now takes the place of one that others had.
            Some(longest) if longest.end == hit.end && longest.former != hit.former => {
                if longest.former {
                    *longest = hit;
                }
            }
            Some(longest) if longest.end == hit.end => {
                for (entity, full) in hit.entities {
                    *longest.entities.entry(entity).or_default() |= full;
                }
            }
            _ => *best = Some(hit),
        }
    }

    /// The entities with a name, by the legal form that the text has after it.
    fn hit(
        &self,
        value: usize,
        matched: &[Piece<'_>],
        pieces: &[Piece<'_>],
        at: usize,
        legal: &LegalForms,
    ) -> Option<Candidate> {
        let entries = &self.entries[self.starts[value] as usize..self.starts[value + 1] as usize];
        let next = matched.len();
        let written = if self.style.legal_forms { legal.read(pieces, next, true) } else { None };
        let written = written.filter(|form| is_written_as_form(&pieces[at..next], &pieces[next..form.next]));
        let Some(written) = written else {
            let full = |entry: &Entry| entry.full && self.forms[entry.form as usize].is_empty();
            let end = pieces[next - 1].span.end;
            return Some(Candidate::of(end, next, entries.iter(), full));
        };
        let fit = |entry: &Entry| match self.forms[entry.form as usize].as_str() {
            "" => Fit::Allows,
            form => legal.fit(&written.text, form),
        };
        let best = entries.iter().map(fit).max().filter(|best| *best != Fit::Contradicts)?;
        let fitting = entries.iter().filter(|entry| fit(entry) == best);
        let full = |entry: &Entry| entry.full && best == Fit::Equal;
        Some(Candidate::of(written.end, written.next, fitting, full))
    }
}

impl Candidate {
    /// Those who have the name now; those who had it, if nobody has it.
    fn of<'e>(
        end: usize,
        next: usize,
        entries: impl Iterator<Item = &'e Entry> + Clone,
        full: impl Fn(&Entry) -> bool,
    ) -> Self {
        let former = entries.clone().all(|entry| entry.former);
        let mut entities: BTreeMap<u32, bool> = BTreeMap::new();
        for entry in entries.filter(|entry| entry.former == former) {
            *entities.entry(entry.entity).or_default() |= full(entry);
        }
        Self { end, next, entities, former }
    }
}

/// True if words after a name are meant as a legal form: "AS" is one, "as" is not, unless the whole name
/// is in small letters.
fn is_written_as_form(core: &[Piece<'_>], form: &[Piece<'_>]) -> bool {
    let capital =
        |pieces: &[Piece<'_>]| pieces.iter().any(|piece| piece.exact().chars().any(char::is_uppercase));
    let small =
        |pieces: &[Piece<'_>]| pieces.iter().any(|piece| piece.exact().chars().any(char::is_lowercase));
    capital(form) || !small(form) || !capital(core)
}
