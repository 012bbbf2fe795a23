//! Keys that are told by their form: `CMP-{number}`, or "D.C. Official Code § 1-204.22(11)".
//!
//! Tokens of a text come in; the key that stands there goes out, whoever has it. Whether anybody has it is
//! not known here.

use std::collections::BTreeMap;

use super::Template;
use crate::model::token::{Token, tokens};

/// The forms in which texts write the keys of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyForms {
    /// The form of the key itself.
    pub form: Template,
    /// What texts write for it. Each has every slot of the form; what its other slots hold, such as a
    /// subsection, belongs to the mention and not to the key.
    pub written: Vec<Template>,
}

impl KeyForms {
    /// The key that begins at a token, the longest way: how many tokens it has, and the key.
    ///
    /// However a text writes a key, in capitals or over two lines, it is put into the one form; a form that can
    /// be filled in several ways leaves it as it stands, but for white space.
    pub fn at(&self, text: &str, tokens: &[Token], at: usize) -> Option<(usize, String)> {
        // Of two that are equally long the first counts.
        let mut best: Option<(usize, BTreeMap<String, String>)> = None;
        for form in std::iter::once(&self.form).chain(&self.written) {
            let found = form.match_text(tokens, at).filter(|(_, slots)| self.is_coded(slots));
            best = match (best, found) {
                (Some(best), Some(found)) if found.0 > best.0 => Some(found),
                (best, found) => best.or(found),
            };
        }
        let (consumed, slots) = best?;
        let filled = self.form.fill(&slots)?;
        if let [key] = filled.as_slice() {
            return Some((consumed, key.clone()));
        }
        let last = tokens.get((at + consumed).checked_sub(1)?)?;
        let written = text.get(tokens.get(at)?.span.start..last.span.end)?;
        Some((consumed, written.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// The key that a whole text writes.
    pub fn key_of(&self, text: &str) -> Option<String> {
        let tokens = tokens(text);
        let (consumed, key) = self.at(text, &tokens, 0)?;
        (consumed == tokens.len()).then_some(key)
    }

    /// "CMP-related" is an English word with a code in it, not a code.
    fn is_coded(&self, slots: &BTreeMap<String, String>) -> bool {
        let of_key = self.form.slots();
        of_key.iter().all(|slot| {
            slots.get(slot).is_none_or(|value| {
                value.chars().any(char::is_numeric) || !value.chars().any(char::is_lowercase)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(form: &str, written: &[&str]) -> KeyForms {
        let template = |text: &&str| Template::parse(text).unwrap();
        KeyForms { form: template(&form), written: written.iter().map(template).collect() }
    }

    #[test]
    fn a_key_is_one_however_it_is_written() {
        let codes = forms("CMP-{number}", &[]);
        assert_eq!(codes.key_of("CMP-001"), Some("CMP-001".to_owned()));
        assert_eq!(codes.key_of("cmp-001"), Some("CMP-001".to_owned()));
        let several = forms("Part [No] {number}", &[]);
        assert_eq!(several.key_of("part \n no  7"), Some("part no 7".to_owned()));
        assert_eq!(codes.key_of("CMP-related"), None);
        assert_eq!(codes.key_of("CMP-001 and more"), None);
    }

    #[test]
    fn what_has_another_form_is_put_into_it_without_what_does_not_belong_to_the_key() {
        let sections = forms(
            "Code §{section}",
            &["Official Code § {section}[\\({a}\\)[\\({b}\\)]]", "[Subs|S]ection {section} of the Code"],
        );
        for (text, key) in [
            ("Code §1-204.22", Some("Code §1-204.22")),
            ("CODE\n§1-204.22", Some("Code §1-204.22")),
            ("code\u{a0}§1-204.22", Some("Code §1-204.22")),
            ("Official Code § 1-204.22", Some("Code §1-204.22")),
            ("Official Code §1-204.22(11)", Some("Code §1-204.22")),
            ("Official Code § 8-403(b)(3)", Some("Code §8-403")),
            ("Official Code § 28:9-316", Some("Code §28:9-316")),
            ("Official Code § 8-403(b) (3)", None),
            ("section 16-904 of the Code", Some("Code §16-904")),
            ("section of the Code", None),
            ("section that of the Code", None),
        ] {
            assert_eq!(sections.key_of(text).as_deref(), key, "{text}");
        }
    }
}
