//! What is known of a language: months, abbreviations, legal forms, the words that mark a document's parts.
//!
//! In comes the name of a language, out goes its data, which stands in `language/<name>.yaml` beside this
//! file; and for a text, where its sentences are. Nothing here knows a rule, a stage or a store.

mod sentence;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::token::{self, Span};

/// A language's data, read from `language/<name>.yaml` in the source tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language {
    /// Its name, such as `en`.
    pub name: String,
    /// Folded month names and their abbreviations → 1 to 12.
    pub months: BTreeMap<String, i8>,
    /// Abbreviations that do not end a sentence, folded, without their final stop.
    pub abbreviations: BTreeSet<String>,
    /// Those abbreviations that end a sentence after all if an opener follows ("Inc. The").
    pub abbreviations_at_end: BTreeSet<String>,
    /// Words that open a sentence, folded.
    pub openers: BTreeSet<String>,
    /// Small words after which a single letter with a stop is a person's initial, folded.
    pub before_initials: BTreeSet<String>,
    /// Words that number a part of a text, such as "section", folded.
    pub labels: BTreeSet<String>,
    /// Words that say nothing of what a sentence is about, folded.
    pub small: BTreeSet<String>,
    /// Small words right behind which a verb stands, folded.
    pub helpers: BTreeSet<String>,
    /// Legal forms of companies as folded tokens without stops, longest first: "S.p.A." is `s`, `p`, `a`,
    /// and a "." in the text counts as absent.
    pub legal_forms: Vec<Vec<String>>,
    /// Those of them that are written in small letters, such as "plc".
    pub small_legal_forms: BTreeSet<Vec<String>>,
    /// Words in a heading that open a part, folded.
    pub parts: PartWords,
    /// What stands before the day from which holds what a sentence says: "as of". Folded.
    pub since: Vec<String>,
    /// Header fields with the day from which a document counts, folded, the likeliest first.
    pub dated: Vec<String>,
    /// Words in the names of columns and files of tables, folded.
    pub tables: TableWords,
}

/// Words by which a column, a file or a folder tells what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableWords {
    /// "id", "number": a column that tells rows apart.
    pub key: BTreeSet<String>,
    /// "name", "title": a column of full names.
    pub name: BTreeSet<String>,
    /// "alias", "short": a column of other names.
    pub alias: BTreeSet<String>,
    /// "from", "since": a column of days on which something begins.
    pub starts: BTreeSet<String>,
    /// "to", "until": a column of days on which something ends.
    pub ends: BTreeSet<String>,
    /// "list", "documents": what says nothing of what is in a file or folder.
    pub plain: BTreeSet<String>,
}

/// Words in a heading (or at the start of a paragraph) that open a part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartWords {
    /// "recitals", "background", and "whereas" at the start of a paragraph.
    pub recitals: Vec<String>,
    /// "definitions", "defined terms".
    pub definitions: Vec<String>,
    /// "schedule", "exhibit", "annex", "appendix".
    pub schedule: Vec<String>,
    /// "in witness whereof", "signed", "signature".
    pub signature: Vec<String>,
    /// "between", "parties": the part that names the parties.
    pub preamble: Vec<String>,
    /// "now therefore": the end of the recitals.
    pub operative: Vec<String>,
    /// "agreement", "contract": what such documents call themselves.
    pub agreement: Vec<String>,
    /// "between", "among": what stands before the parties.
    pub between: Vec<String>,
    /// "means", "shall mean": what defines the quoted term that a sentence begins with.
    pub defining: Vec<String>,
}

/// A language's file as written. Lists of lists are lists, laid out for the reader.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: String,
    months: BTreeMap<i8, Vec<String>>,
    abbreviations: Vec<Vec<String>>,
    abbreviations_at_end: Vec<Vec<String>>,
    openers: Vec<Vec<String>>,
    before_initials: Vec<String>,
    labels: Vec<String>,
    small: Vec<Vec<String>>,
    helpers: Vec<String>,
    legal_forms: Vec<Vec<String>>,
    parts: RawParts,
    since: Vec<String>,
    dated: Vec<String>,
    tables: RawTables,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTables {
    key: Vec<String>,
    name: Vec<String>,
    alias: Vec<String>,
    starts: Vec<String>,
    ends: Vec<String>,
    plain: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParts {
    recitals: Vec<String>,
    definitions: Vec<String>,
    schedule: Vec<String>,
    signature: Vec<String>,
    preamble: Vec<String>,
    operative: Vec<String>,
    agreement: Vec<String>,
    between: Vec<String>,
    defining: Vec<String>,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    [include_str!("language/en.yaml")]
        .into_iter()
        .map(|yaml| serde_yaml::from_str::<Raw>(yaml).expect("a shipped language file is sound"))
        .map(Language::from)
        .collect()
});

impl Language {
    /// The language of this name.
    pub fn of(name: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|language| language.name == name)
    }

    /// The names of all languages, in order.
    pub fn names() -> Vec<&'static str> {
        LANGUAGES.iter().map(|language| language.name.as_str()).collect()
    }

    /// Where the sentences of a text are: trimmed, non-empty, ascending spans of it. Linear in its length.
    ///
    /// A sentence ends at a blank line, and at `.`, `!`, `?` or `…` (with the closing marks after it) if
    /// white space and then an upper-case letter, a digit or an opening mark follows. It does not end after
    /// an abbreviation, an initial or the number at its own start, nor inside quotation marks or brackets
    /// that are closed again; `;` and `:` do not end it.
    pub fn sentences(&self, text: &str) -> Vec<Span> {
        sentence::split(self, text)
    }
}

impl From<Raw> for Language {
    fn from(raw: Raw) -> Self {
        let months = raw.months.into_iter();
        let months = months.flat_map(|(month, names)| names.into_iter().map(move |name| (name, month)));
        let at_end: BTreeSet<String> = folded(raw.abbreviations_at_end.into_iter().flatten());
        let mut abbreviations: BTreeSet<String> = folded(raw.abbreviations.into_iter().flatten());
        abbreviations.extend(at_end.iter().cloned());
        let forms = || raw.legal_forms.iter().flatten().cloned();
        let small = forms().filter(|form| !form.chars().any(char::is_uppercase));
        Self {
            name: raw.name,
            months: months.map(|(name, month)| (token::fold(&name), month)).collect(),
            abbreviations,
            abbreviations_at_end: at_end,
            openers: folded(raw.openers.into_iter().flatten()),
            before_initials: folded(raw.before_initials),
            labels: folded(raw.labels),
            small: folded(raw.small.into_iter().flatten()),
            helpers: folded(raw.helpers),
            legal_forms: legal_forms(forms()),
            small_legal_forms: small.map(|form| tokens_without_stops(&form)).collect(),
            parts: PartWords {
                recitals: folded(raw.parts.recitals),
                definitions: folded(raw.parts.definitions),
                schedule: folded(raw.parts.schedule),
                signature: folded(raw.parts.signature),
                preamble: folded(raw.parts.preamble),
                operative: folded(raw.parts.operative),
                agreement: folded(raw.parts.agreement),
                between: folded(raw.parts.between),
                defining: folded(raw.parts.defining),
            },
            since: folded(raw.since),
            dated: folded(raw.dated),
            tables: TableWords {
                key: folded(raw.tables.key),
                name: folded(raw.tables.name),
                alias: folded(raw.tables.alias),
                starts: folded(raw.tables.starts),
                ends: folded(raw.tables.ends),
                plain: folded(raw.tables.plain.into_iter().flatten()),
            },
        }
    }
}

fn folded<C: FromIterator<String>>(words: impl IntoIterator<Item = String>) -> C {
    words.into_iter().map(|word| token::fold(&word)).collect()
}

fn legal_forms(written: impl Iterator<Item = String>) -> Vec<Vec<String>> {
    let forms: BTreeSet<Vec<String>> = written.map(|form| tokens_without_stops(&form)).collect();
    let mut forms: Vec<Vec<String>> = forms.into_iter().collect();
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    forms
}

fn tokens_without_stops(text: &str) -> Vec<String> {
    token::tokens(text)
        .into_iter()
        .map(|token| token.folded.into())
        .filter(|token: &String| token != ".")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_shipped() {
        assert_eq!(Language::names(), ["en"]);
        let english = Language::of("en").unwrap();
        assert_eq!(english.months.get("sept"), Some(&9));
        assert_eq!(english.months.values().collect::<BTreeSet<_>>().len(), 12);
        assert!(english.abbreviations.contains("inc") && english.abbreviations.contains("u.s"));
        assert!(Language::of("xx").is_none());
    }

    #[test]
    fn legal_forms_are_tokens_and_the_longest_comes_first() {
        let forms = &Language::of("en").unwrap().legal_forms;
        assert!(forms.windows(2).all(|pair| pair[0].len() >= pair[1].len()));
        for form in ["Inc", "L.L.C.", "GmbH & Co. KG", "S.p.A.", "A/S", "Pty Ltd", "plc", "Oy", "S.r.l."] {
            assert!(forms.contains(&tokens_without_stops(form)), "{form}");
        }
    }
}
