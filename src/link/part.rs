//! Entities told by the form of the text: keys such as `CMP-001`, parts such as "Schedule 7".

use std::collections::BTreeMap;

use crate::model::id::EntityKey;
use crate::model::token::{Token, fold};
use crate::ontology::{EntityType, KeyForms, Ontology, Template};

/// A type whose keys have a form of their own.
#[derive(Debug)]
pub(super) struct KeyForm {
    entity_type: String,
    forms: KeyForms,
}

/// A type that texts name by a written form.
#[derive(Debug)]
pub(super) struct PartForm {
    entity_type: String,
    template: Template,
    part_of: Vec<String>,
    /// The slots that make its own part of the key, in order.
    own: Vec<String>,
}

/// Of what entities of the types that are parts are a part, by their keys.
#[derive(Debug)]
pub(super) struct Wholes {
    /// By type: how many parts of the key are its own, and the types that it may be a part of, each with
    /// how many parts its key has.
    types: BTreeMap<String, (usize, Vec<(String, usize)>)>,
}

/// A part found in a text, before its owner is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundPart {
    entity_type: String,
    part_of: Vec<String>,
    numbers: Vec<String>,
}

impl KeyForm {
    pub(super) fn all(ontology: &Ontology) -> Vec<Self> {
        let forms = ontology.entities.values().filter_map(|entity| {
            let mut forms = entity.keys.clone()?;
            if let KeyForms::Forms(forms) = &mut forms {
                // A form of slots alone would make a key of every word.
                forms.written.retain(has_literal);
                (has_literal(&forms.form) || !forms.written.is_empty()).then_some(())?;
            }
            Some(Self { entity_type: entity.name.clone(), forms })
        });
        forms.collect()
    }

    /// The key that begins at a token: how many tokens it has, and whose it would be.
    pub(super) fn at(&self, text: &str, tokens: &[Token], at: usize) -> Option<(usize, EntityKey)> {
        let (consumed, key) = self.forms.at(text, tokens, at)?;
        EntityKey::new(&self.entity_type, &key).map(|key| (consumed, key))
    }
}

impl KeyForm {
    /// The key that begins at a token at which a list goes on whose last key is of one of these types.
    pub(super) fn listed_at(
        &self,
        types: &[&str],
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<(usize, EntityKey)> {
        types.contains(&self.entity_type.as_str()).then_some(())?;
        let (consumed, key) = self.forms.listed_at(text, tokens, at)?;
        EntityKey::new(&self.entity_type, &key).map(|key| (consumed, key))
    }
}

impl PartForm {
    pub(super) fn all(ontology: &Ontology) -> Vec<Self> {
        ontology.entities.values().filter_map(Self::of).collect()
    }

    fn of(entity: &EntityType) -> Option<Self> {
        let template = entity.written.clone().filter(has_literal)?;
        let slots = template.slots();
        let declared: Vec<String> = entity.key.iter().filter(|part| slots.contains(part)).cloned().collect();
        let own = if declared.is_empty() { slots } else { declared };
        let (entity_type, part_of) = (entity.name.clone(), entity.part_of.clone());
        (!own.is_empty()).then_some(Self { entity_type, template, part_of, own })
    }

    /// The part that begins at a token, and how many tokens name it.
    pub(super) fn at(&self, tokens: &[Token], at: usize) -> Option<(usize, FoundPart)> {
        let (consumed, slots) = self.template.match_text(tokens, at)?;
        let numbers: Vec<String> = self.own.iter().filter_map(|slot| slots.get(slot).cloned()).collect();
        if consumed == 0 || numbers.len() != self.own.len() || !numbers.iter().all(|number| is_number(number))
        {
            return None;
        }
        let (entity_type, part_of) = (self.entity_type.clone(), self.part_of.clone());
        Some((consumed, FoundPart { entity_type, part_of, numbers }))
    }
}

impl Wholes {
    pub(super) fn of(ontology: &Ontology) -> Self {
        let length = |name: &String| ontology.entities.get(name).map_or(1, |entity| entity.key.len().max(1));
        let types = ontology.entities.values().filter(|entity| !entity.part_of.is_empty()).map(|entity| {
            let own = PartForm::of(entity).map_or(1, |form| form.own.len());
            let wholes = entity.part_of.iter().map(|name| (name.clone(), length(name))).collect();
            (entity.name.clone(), (own, wholes))
        });
        Self { types: types.collect() }
    }

    /// An entity and everything that it is a part of, the nearest first: an amendment, then its contract.
    pub(super) fn around(&self, entity: &EntityKey) -> Vec<EntityKey> {
        let mut around = vec![entity.clone()];
        while let Some(whole) = around.last().and_then(|part| self.whole(part)) {
            around.push(whole);
        }
        around
    }

    /// What an entity is a part of. Keys get shorter, so this ends.
    fn whole(&self, part: &EntityKey) -> Option<EntityKey> {
        let (own, wholes) = self.types.get(part.entity_type())?;
        let mut parts = part.parts();
        parts.truncate(parts.len().checked_sub(*own)?);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let key = match parts.as_slice() {
            [] => return None,
            // The one part may be a compound key itself.
            [key] => (*key).to_owned(),
            several => EntityKey::compound("T", several)?.key().to_owned(),
        };
        let fitting = |entity_type: &str| EntityKey::new(entity_type, &key);
        match wholes.as_slice() {
            [(only, _)] => fitting(only),
            several => several
                .iter()
                .find_map(|(name, length)| fitting(name).filter(|whole| whole.parts().len() == *length)),
        }
    }
}

impl FoundPart {
    /// The keys that it may have: one for each owner of a type that it may be a part of. A part of nothing
    /// stands for itself.
    pub(super) fn keys<'k>(&self, owners: impl Iterator<Item = &'k EntityKey>) -> Vec<EntityKey> {
        let numbers: Vec<&str> = self.numbers.iter().map(String::as_str).collect();
        if self.part_of.is_empty() {
            return EntityKey::compound(&self.entity_type, &numbers).into_iter().collect();
        }
        let key = |owner: &EntityKey| {
            let parts: Vec<&str> = std::iter::once(owner.key()).chain(numbers.iter().copied()).collect();
            EntityKey::compound(&self.entity_type, &parts)
        };
        let mut keys: Vec<EntityKey> =
            owners.filter(|owner| self.may_belong_to(owner)).filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn may_belong_to(&self, owner: &EntityKey) -> bool {
        self.part_of.iter().any(|entity_type| entity_type == owner.entity_type())
    }
}

/// True if the text between a part and what follows says that the part belongs to it: "Schedule 7 [to the]
/// Supply Agreement".
pub(super) fn leads_to_owner(between: &str) -> bool {
    const ARTICLES: [&str; 8] = ["the", "this", "that", "said", "such", "certain", "a", "an"];
    const MOST_BYTES: usize = 40;
    if between.len() > MOST_BYTES {
        return false;
    }
    let folded = fold(between);
    let mut words = folded.split_whitespace();
    matches!(words.next(), Some("of" | "to")) && words.all(|word| ARTICLES.contains(&word))
}

/// True if what stands between two keys makes them neighbors in a list: ", ", " and ", "; or ".
pub(super) fn lists(between: &str) -> bool {
    const MOST_BYTES: usize = 16;
    if between.len() > MOST_BYTES {
        return false;
    }
    let folded = fold(between);
    let words = folded.trim();
    let rest = words.strip_prefix([',', ';']);
    match rest.unwrap_or(words).trim() {
        "" => rest.is_some(),
        word => matches!(word, "and" | "or" | "&"),
    }
}

/// True if a text can number a part: it has a digit, or it is one capital letter or a roman numeral.
/// "Schedule of Products" numbers nothing.
fn is_number(text: &str) -> bool {
    let roman = |text: &str| text.len() <= 7 && text.chars().all(|letter| "IVXLCM".contains(letter));
    let single = |text: &str| text.chars().count() == 1 && text.chars().all(char::is_uppercase);
    let ideograph = |text: &str| {
        text.chars().all(|character| {
            character.is_alphabetic() && !character.is_lowercase() && !character.is_uppercase()
        })
    };
    text.chars().any(char::is_numeric) || roman(text) || single(text) || ideograph(text)
}

/// True if a template has a letter or digit outside its slots.
fn has_literal(template: &Template) -> bool {
    let mut depth = 0_usize;
    template.source.chars().any(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (character.is_alphanumeric() || matches!(character, '§' | '#'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numbers_a_part() {
        for text in ["7", "7.1", "A-3", "B", "IV", "1a", "十二"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["of", "Products", "a", "is", "AND"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn what_leads_to_an_owner() {
        for text in [" of ", " to the ", "\nto that certain "] {
            assert!(leads_to_owner(text), "{text}");
        }
        for text in [" ", ", of ", " of all ", " and the ", " for the "] {
            assert!(!leads_to_owner(text), "{text}");
        }
    }

    #[test]
    fn a_comma_or_a_small_word_makes_a_list() {
        for text in [", ", " and ", ", and\n", "; or ", " & "] {
            assert!(lists(text), "{text}");
        }
        for text in ["", " ", ". ", " through ", ", and of ", ", , "] {
            assert!(!lists(text), "{text}");
        }
    }
}
