//! Keys that are told by their form: `CMP-{number}`, or "D.C. Official Code § 1-204.22(11)", or "one (1) year".
//!
//! Tokens of a text come in; the key that stands there goes out, whoever has it. Whether anybody has it is
//! not known here.

use std::collections::BTreeMap;

use super::{Language, Template, dates};
use crate::model::token::{Token, tokens};

/// How texts write the keys of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyForms {
    /// In forms of their own.
    Forms(Box<Forms>),
    /// As lengths of time, in the words of the language of this name; the key is the ISO form, such as `P1Y`.
    Durations(String),
}

/// The forms in which texts write the keys of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forms {
    /// The form of the key itself.
    pub form: Template,
    /// What texts write for it. Each has every slot of the form; what its other slots hold, such as a
    /// subsection, belongs to the mention and not to the key.
    pub written: Vec<Template>,
    /// What a further key of a list looks like, behind one that is written in full: "§§ 7-1407 and 7-1408".
    pub listed: Option<Template>,
}

impl KeyForms {
    /// The key that begins at a token, the longest way: how many tokens it has, and the key.
    pub fn at(&self, text: &str, tokens: &[Token], at: usize) -> Option<(usize, String)> {
        match self {
            Self::Forms(forms) => forms.at(text, tokens, at),
            Self::Durations(language) => {
                let read = dates::period(tokens, at, Language::of(language)?)?;
                Some((read.tokens, read.value.canonical().to_string()))
            }
        }
    }

    /// The key that begins at a token at which a list of keys goes on.
    pub fn listed_at(&self, text: &str, tokens: &[Token], at: usize) -> Option<(usize, String)> {
        match self {
            Self::Forms(forms) => forms.longest(forms.listed.iter(), text, tokens, at),
            Self::Durations(_) => None,
        }
    }

    /// The key that a whole text writes.
    pub fn key_of(&self, text: &str) -> Option<String> {
        let tokens = tokens(text);
        let (consumed, key) = self.at(text, &tokens, 0)?;
        (consumed == tokens.len()).then_some(key)
    }

    /// The form of a key, as a template; `duration` for an ISO duration.
    pub fn form(&self) -> &str {
        match self {
            Self::Forms(forms) => &forms.form.source,
            Self::Durations(_) => "duration",
        }
    }
}

impl Forms {
    fn at(&self, text: &str, tokens: &[Token], at: usize) -> Option<(usize, String)> {
        self.longest(std::iter::once(&self.form).chain(&self.written), text, tokens, at)
    }

    /// However a text writes a key, in capitals or over two lines, it is put into the one form; a form that can
    /// be filled in several ways leaves it as it stands, but for white space.
    fn longest<'f>(
        &self,
        ways: impl Iterator<Item = &'f Template>,
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<(usize, String)> {
        // Of two that are equally long the first counts.
        let mut best: Option<(usize, BTreeMap<String, String>)> = None;
        for way in ways {
            let found = way.match_text(tokens, at).filter(|(_, slots)| self.is_coded(slots));
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
        let written = written.iter().map(template).collect();
        KeyForms::Forms(Box::new(Forms { form: template(&form), written, listed: None }))
    }

    #[test]
    fn a_length_of_time_is_one_however_it_is_written() {
        let durations = KeyForms::Durations("en".to_owned());
        for (text, key) in [
            ("one (1) year", Some("P1Y")),
            ("one-year", Some("P1Y")),
            ("twelve (12) months", Some("P1Y")),
            ("P12M", Some("P1Y")),
            ("18 months", Some("P1Y6M")),
            ("two weeks", Some("P14D")),
            ("one year less", None),
            ("one", None),
        ] {
            assert_eq!(durations.key_of(text).as_deref(), key, "{text}");
        }
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
