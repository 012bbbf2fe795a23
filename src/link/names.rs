//! The names of all entities, by style, ready to be found in a text.
//!
//! Names stand in two layers. The *base* is built once, kept on disk and read back as it lies there; the
//! *fresh* layer holds the names of the few entities that changed since, whose names in the base no longer
//! count. Both are walked side by side, so what is found does not depend on which layer holds a name.

use std::collections::{BTreeMap, BTreeSet};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::model::id::EntityKey;
use crate::model::mention::Name;
use crate::model::token::tokens;
use crate::ontology::NameStyle;

use super::automaton::{Automaton, Place};
use super::form::{Fit, LegalForms};
use super::kept::{Reader, Texts, Writer};
use super::normal::{Piece, normal, pieces};

/// Longer normal forms are no names: nobody writes them out, and a feed that has them has a mistake.
const MOST_BYTES: usize = 512;

/// All names.
#[derive(Debug)]
pub(super) struct Names {
    /// The entities of the base as text, by number; sorted as keys.
    entities: Texts,
    /// The entities of the fresh layer; their numbers follow those of the base.
    fresh: Texts,
    /// Entities of the base whose names there no longer count.
    replaced: BTreeSet<u32>,
    styles: Vec<StyleNames>,
}

/// The names of the types with one style.
#[derive(Debug)]
struct StyleNames {
    style: NameStyle,
    layers: [Layer; LAYERS],
}

/// The base and the fresh layer.
const LAYERS: usize = 2;

/// The names of one style in one layer.
#[derive(Debug)]
struct Layer {
    automaton: Automaton,
    /// For each text of the automaton, where its entries begin; one more than texts.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    forms: Texts,
}

/// One entity's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    entity: u32,
    /// Its legal form, as a place in `forms`; the first is the empty one.
    form: u32,
    full: bool,
    /// True if the entity had the name and no longer has it.
    former: bool,
}

impl Entry {
    /// The entry as two numbers.
    fn pack(self) -> [u32; 2] {
        [self.entity, self.form << 2 | u32::from(self.former) << 1 | u32::from(self.full)]
    }

    fn unpack(entity: u32, rest: u32) -> Self {
        Self { entity, form: rest >> 2, full: rest & 1 == 1, former: rest >> 1 & 1 == 1 }
    }
}

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// The byte after it.
    pub(super) end: usize,
    /// The piece after it.
    pub(super) next: usize,
    /// Whose name it is, and whether it is the full name in full; each entity once.
    pub(super) entities: Vec<(EntityKey, bool)>,
}

/// A hit before the entities are looked up: their numbers.
struct Candidate {
    end: usize,
    next: usize,
    entities: BTreeMap<u32, bool>,
    /// True if all of them had the name and nobody has it now.
    former: bool,
}

/// A name's normal form, its legal form, its entity's number, whether it is a full name and whether a former one.
type Normal = (String, String, u32, bool, bool);

impl Names {
    pub(super) fn of(
        names: impl IntoIterator<Item = Name>,
        style_of: &(dyn Fn(&str) -> NameStyle + Sync),
        legal: &LegalForms,
    ) -> Self {
        let (entities, by_style) = sorted(names, 0, style_of, legal);
        let styles = by_style
            .into_iter()
            .map(|(style, names)| StyleNames { style, layers: [Layer::of(names), Layer::of(Vec::new())] });
        Self { entities, fresh: Texts::default(), replaced: BTreeSet::new(), styles: styles.collect() }
    }

    /// The same names, but for these entities, whose names are now those given and no others.
    pub(super) fn renewed(
        mut self,
        entities: &BTreeSet<EntityKey>,
        names: impl IntoIterator<Item = Name>,
        style_of: &(dyn Fn(&str) -> NameStyle + Sync),
        legal: &LegalForms,
    ) -> Self {
        let number =
            |entity: &EntityKey| self.entities.search(|known| cmp_keys(known, entity)).map(|at| at as u32);
        self.replaced = entities.iter().filter_map(number).collect();
        let (fresh, mut by_style) = sorted(names, self.entities.len() as u32, style_of, legal);
        self.fresh = fresh;
        for style in &mut self.styles {
            style.layers[1] = Layer::of(by_style.remove(&style.style).unwrap_or_default());
        }
        self.styles.extend(
            by_style.into_iter().map(|(style, names)| StyleNames {
                style,
                layers: [Layer::of(Vec::new()), Layer::of(names)],
            }),
        );
        self
    }

    /// How many entities the base has.
    pub(super) fn len(&self) -> usize {
        self.entities.len()
    }

    /// Writes the base.
    pub(super) fn write(&self, out: &mut Writer) {
        out.texts(&self.entities);
        out.number(self.styles.len() as u32);
        for StyleNames { style, layers: [base, _] } in &self.styles {
            out.number(style_number(*style));
            out.texts(&base.forms);
            out.numbers(base.starts.iter().copied());
            out.numbers(base.entries.iter().flat_map(|entry| entry.pack()));
            out.bytes(base.automaton.bytes());
        }
    }

    /// Reads a base back; `None` if the bytes are none.
    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let entities = from.texts()?;
        let count = from.number()?;
        let mut styles = Vec::new();
        for _ in 0..count {
            let style = style_of_number(from.number()?);
            let forms = from.texts()?;
            let starts = from.numbers()?;
            let numbers = from.numbers()?;
            let pairs = numbers.chunks_exact(2);
            let entries = pairs.map(|pair| Entry::unpack(pair[0], pair[1]));
            let base = Layer {
                entries: entries.collect(),
                automaton: Automaton::read(from.bytes()?.to_vec())?,
                starts,
                forms,
            };
            styles.push(StyleNames { style, layers: [base, Layer::of(Vec::new())] });
        }
        Some(Self { entities, fresh: Texts::default(), replaced: BTreeSet::new(), styles })
    }

    /// The longest name that begins at a piece, with everyone whose name it is.
    pub(super) fn at(&self, pieces: &[Piece<'_>], at: usize, legal: &LegalForms) -> Option<Hit> {
        let mut best: Option<Candidate> = None;
        for style in &self.styles {
            style.at(&self.replaced, pieces, at, legal, &mut best);
        }
        let best = best?;
        let entities =
            best.entities.into_iter().filter_map(|(number, full)| Some((self.entity(number)?, full)));
        Some(Hit { end: best.end, next: best.next, entities: entities.collect() })
    }

    fn entity(&self, number: u32) -> Option<EntityKey> {
        let number = number as usize;
        let base = self.entities.len();
        let text = if number < base { self.entities.get(number) } else { self.fresh.get(number - base) };
        text?.parse().ok()
    }
}

/// The order of keys, which is not that of their texts: `A:b` comes before `A-B:b`.
fn cmp_keys(text: &str, key: &EntityKey) -> std::cmp::Ordering {
    let (entity_type, rest) = text.split_once(':').unwrap_or((text, ""));
    (entity_type, rest).cmp(&(key.entity_type(), key.key()))
}

/// The entities of names, numbered from `first` in the order of their keys, and the names by style.
fn sorted(
    names: impl IntoIterator<Item = Name>,
    first: u32,
    style_of: &(dyn Fn(&str) -> NameStyle + Sync),
    legal: &LegalForms,
) -> (Texts, BTreeMap<NameStyle, Vec<Normal>>) {
    let mut found: Vec<Name> = names.into_iter().collect();
    found.sort_unstable();
    found.dedup();
    let normals: Vec<(NameStyle, Option<(String, String)>)> = found
        .par_iter()
        .map(|name| {
            let style = style_of(name.entity.entity_type());
            (style, normal_name(&name.text, style, legal))
        })
        .collect();
    let mut entities = Texts::default();
    let mut by_style: BTreeMap<NameStyle, Vec<Normal>> = BTreeMap::new();
    let mut last: Option<&EntityKey> = None;
    for (name, (style, normal)) in found.iter().zip(normals) {
        if last != Some(&name.entity) {
            entities.push(&name.entity.to_string());
            last = Some(&name.entity);
        }
        if let Some((text, form)) = normal {
            let entity = first + entities.len() as u32 - 1;
            by_style.entry(style).or_default().push((text, form, entity, name.full, name.former));
        }
    }
    (entities, by_style)
}

fn style_number(style: NameStyle) -> u32 {
    let NameStyle { case_sensitive, legal_forms, ignore_leading_zeros, ignore_spaces, ignore_hyphens } =
        style;
    let flags = [case_sensitive, legal_forms, ignore_leading_zeros, ignore_spaces, ignore_hyphens];
    flags.iter().rev().fold(0, |number, flag| number << 1 | u32::from(*flag))
}

fn style_of_number(number: u32) -> NameStyle {
    let flag = |at: u32| number >> at & 1 == 1;
    NameStyle {
        case_sensitive: flag(0),
        legal_forms: flag(1),
        ignore_leading_zeros: flag(2),
        ignore_spaces: flag(3),
        ignore_hyphens: flag(4),
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

impl Layer {
    fn of(mut names: Vec<Normal>) -> Self {
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
        let automaton = Automaton::of(&texts);
        let mut kept = Texts::default();
        forms.iter().for_each(|form| kept.push(form));
        Self { automaton, starts, entries, forms: kept }
    }

    /// The entries of a text; none if a kept layer is not what its automaton says.
    fn entries(&self, value: usize) -> &[Entry] {
        let (Some(from), Some(to)) = (self.starts.get(value), self.starts.get(value + 1)) else { return &[] };
        self.entries.get(*from as usize..*to as usize).unwrap_or_default()
    }

    fn form(&self, entry: &Entry) -> &str {
        self.forms.get(entry.form as usize).unwrap_or_default()
    }
}

/// Whose names a text is: its entries in each layer.
type Values = [Option<usize>; LAYERS];

impl StyleNames {
    /// Adds the longest name at a piece to what other styles have found there.
    fn at(
        &self,
        replaced: &BTreeSet<u32>,
        pieces: &[Piece<'_>],
        at: usize,
        legal: &LegalForms,
        best: &mut Option<Candidate>,
    ) {
        let mut places = self.layers.each_ref().map(|layer| Some(layer.automaton.start()));
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
                places = self.walk(places, " ");
            }
            places = self.walk(places, text);
            if places.iter().all(Option::is_none) {
                return;
            }
            let next = at + offset + 1;
            if pieces.get(next).is_some_and(|next| next.joined) {
                continue;
            }
            let values: Values = std::array::from_fn(|layer| {
                places[layer].and_then(|place| self.layers[layer].automaton.value(place))
            });
            if values.iter().any(Option::is_some)
                && let Some(hit) = self.hit(values, replaced, &pieces[..next], pieces, at, legal)
            {
                keep_longest(hit, best);
            }
        }
    }

    fn walk(&self, places: [Option<Place>; LAYERS], text: &str) -> [Option<Place>; LAYERS] {
        std::array::from_fn(|layer| {
            places[layer].and_then(|place| self.layers[layer].automaton.walk(place, text))
        })
    }

    /// The entities with a name, by the legal form that the text has after it.
    fn hit(
        &self,
        values: Values,
        replaced: &BTreeSet<u32>,
        matched: &[Piece<'_>],
        pieces: &[Piece<'_>],
        at: usize,
        legal: &LegalForms,
    ) -> Option<Candidate> {
        let mut entries: Vec<(Entry, &str)> = Vec::new();
        for (layer, value) in self.layers.iter().zip(values) {
            let stand = value.map(|value| layer.entries(value)).unwrap_or_default();
            let stand = stand.iter().filter(|entry| !replaced.contains(&entry.entity));
            entries.extend(stand.map(|entry| (*entry, layer.form(entry))));
        }
        if entries.is_empty() {
            return None;
        }
        let next = matched.len();
        let written = if self.style.legal_forms { legal.read(pieces, next, true) } else { None };
        let written = written.filter(|form| {
            legal.is_small(&form.text) || is_written_as_form(&pieces[at..next], &pieces[next..form.next])
        });
        let Some(written) = written else {
            let full = |entry: &Entry, form: &str| entry.full && form.is_empty();
            return Some(Candidate::of(pieces[next - 1].span.end, next, &entries, full));
        };
        let fit = |form: &str| if form.is_empty() { Fit::Allows } else { legal.fit(&written.text, form) };
        let best =
            entries.iter().map(|(_, form)| fit(form)).max().filter(|best| *best != Fit::Contradicts)?;
        entries.retain(|(_, form)| fit(form) == best);
        let full = |entry: &Entry, _: &str| entry.full && best == Fit::Equal;
        Some(Candidate::of(written.end, written.next, &entries, full))
    }
}

/// Keeps a name if no longer one is known, together with an equally long one.
fn keep_longest(hit: Candidate, best: &mut Option<Candidate>) {
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

impl Candidate {
    /// Those who have the name now; those who had it, if nobody has it.
    fn of(end: usize, next: usize, entries: &[(Entry, &str)], full: impl Fn(&Entry, &str) -> bool) -> Self {
        let former = entries.iter().all(|(entry, _)| entry.former);
        let mut entities: BTreeMap<u32, bool> = BTreeMap::new();
        for (entry, form) in entries.iter().filter(|(entry, _)| entry.former == former) {
            *entities.entry(entry.entity).or_default() |= full(entry, form);
        }
        Self { end, next, entities, former }
    }
}

/// True if words after a name are meant as a legal form though that is written with a capital: "AS" is one, "as" is
/// not, unless the whole name is in small letters.
fn is_written_as_form(core: &[Piece<'_>], form: &[Piece<'_>]) -> bool {
    let capital =
        |pieces: &[Piece<'_>]| pieces.iter().any(|piece| piece.exact().chars().any(char::is_uppercase));
    let small =
        |pieces: &[Piece<'_>]| pieces.iter().any(|piece| piece.exact().chars().any(char::is_lowercase));
    capital(form) || !small(form) || !capital(core)
}
