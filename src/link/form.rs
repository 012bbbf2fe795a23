//! Legal forms at the end of company names: "Inc", "GmbH & Co. KG".
//!
//! A form is optional, not exchangeable: "TechChip" and "TechChip, Inc." may be one company, "TechChip
//! Inc" and "TechChip GmbH" are two. So a text without a form matches any, and a text with a form matches
//! the names with that form, else with one that does not contradict it, else none.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::token::fold;
use crate::ontology::language::Language;

use super::normal::Piece;

/// A language's legal forms, each as its words joined without stops, with its initials.
#[derive(Debug)]
pub(super) struct LegalForms {
    forms: BTreeMap<String, String>,
    /// Those of them that are written in small letters.
    small: BTreeSet<String>,
    /// Abbreviations whose final stop belongs to them.
    stopped: Vec<String>,
    /// The most pieces that one form takes in a text.
    longest: usize,
}

/// A legal form read in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrittenForm {
    /// The piece after it.
    pub(super) next: usize,
    /// The byte after it.
    pub(super) end: usize,
    /// Its units, each joined, separated by spaces: "co ltd".
    pub(super) text: String,
}

/// How a form in a text stands to the form of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// They name different kinds of company.
    Contradicts,
    /// One of them is missing, shorter or an abbreviation of the other.
    Allows,
    /// They are the same.
    Equal,
}

impl LegalForms {
    pub(super) fn of(language: &Language) -> Self {
        let mut forms = BTreeMap::new();
        let mut longest = 0;
        for tokens in &language.legal_forms {
            let words: Vec<String> = tokens
                .iter()
                .map(|token| fold(token).replace('.', ""))
                .filter(|token| token.chars().any(char::is_alphanumeric))
                .collect();
            let initials = words.iter().filter_map(|word| word.chars().next()).collect();
            let joined: String = words.concat();
            if joined.is_empty() {
                continue;
            }
            // "S.A.R.L." is four words and four stops in a text.
            longest = longest.max(2 * tokens.len() + 2).max(2 * joined.chars().count().min(8) + 1);
            forms.insert(joined, initials);
        }
        // "a.s." without its stops is the word "as".
        let small = language.small_legal_forms.iter().map(|tokens| tokens.concat());
        let small = small.filter(|form| !language.small.contains(form)).collect();
        Self { forms, small, stopped: language.abbreviations.iter().cloned().collect(), longest }
    }

    /// Splits a name's pieces into its core and its form (empty if it has none). The core is never empty.
    pub(super) fn split<'p, 't>(&self, pieces: &'p [Piece<'t>]) -> (&'p [Piece<'t>], String) {
        for at in 1..pieces.len() {
            if !keeps_core(&pieces[..at]) {
                continue;
            }
            if let Some(form) = self.read(pieces, at, false)
                && form.next == pieces.len()
            {
                return (&pieces[..at], form.text);
            }
        }
        (pieces, String::new())
    }

    /// Reads a form that begins at a piece, after an optional comma. In a sentence a final stop belongs to
    /// it only if the language says that it is an abbreviation.
    pub(super) fn read(&self, pieces: &[Piece<'_>], at: usize, in_sentence: bool) -> Option<WrittenForm> {
        const MOST_UNITS: usize = 4;
        let mut found: Option<WrittenForm> = None;
        let mut next = at;
        for _ in 0..MOST_UNITS {
            let Some((unit, after)) = self.unit(pieces, next, in_sentence) else { break };
            // "Acme plc as seller": in small letters a further form is a word, unless it is one that is written so.
            let capital =
                pieces[next..after].iter().any(|piece| piece.exact().chars().any(char::is_uppercase));
            if in_sentence && found.is_some() && !capital && !self.small.contains(&unit) {
                break;
            }
            let text = match found {
                Some(before) => format!("{} {unit}", before.text),
                None => unit,
            };
            let end = pieces[after - 1].span.end;
            found = Some(WrittenForm { next: after, end, text });
            next = after;
        }
        found
    }

    /// The longest single form at a piece, and the piece after it.
    fn unit(&self, pieces: &[Piece<'_>], mut at: usize, in_sentence: bool) -> Option<(String, usize)> {
        let mut apart = false;
        while pieces.get(at).is_some_and(|piece| matches!(&*piece.folded, "," | "&")) {
            at += 1;
            apart = true;
        }
        // "TechChip-Inc" is one word; only a script without spaces writes a form without any separation.
        let first = pieces.get(at).filter(|piece| !piece.joined && !piece.is_mark())?;
        if !(apart || first.apart || first.is_ideograph()) {
            return None;
        }
        let mut joined = String::new();
        let mut stops = 0;
        let mut best = None;
        for (place, piece) in pieces.iter().enumerate().skip(at).take(self.longest) {
            match &*piece.folded {
                "." => stops += 1,
                "&" => {}
                _ if piece.is_mark() => break,
                word => {
                    joined.push_str(word);
                    let bounded = pieces
                        .get(place + 1)
                        .is_none_or(|next| !next.joined && (next.folded != "-" || next.apart));
                    if bounded && self.forms.contains_key(&joined) {
                        best = Some((joined.clone(), place + 1, stops > 0 || self.takes_stop(word)));
                    }
                }
            }
        }
        let (unit, mut after, takes_stop) = best?;
        let stop = pieces.get(after).is_some_and(|piece| piece.folded == "." && !piece.apart);
        if stop && (takes_stop || !in_sentence) {
            after += 1;
        }
        Some((unit, after))
    }

    /// True if a form, as it was read, is one that is written in small letters.
    pub(super) fn is_small(&self, form: &str) -> bool {
        self.small.contains(form)
    }

    fn takes_stop(&self, word: &str) -> bool {
        self.stopped.iter().any(|abbreviation| abbreviation == word)
    }

    /// How a form in a text stands to a name's form. Neither is empty.
    pub(super) fn fit(&self, written: &str, name: &str) -> Fit {
        if written == name || written.replace(' ', "") == name.replace(' ', "") {
            return Fit::Equal;
        }
        let starts = |long: &str, short: &str| {
            long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let allowed = starts(written, name)
            || starts(name, written)
            || self.abbreviates(written, name)
            || self.abbreviates(name, written);
        if allowed { Fit::Allows } else { Fit::Contradicts }
    }

    /// "inc" of "incorporated", "ltd" of "limited", "llc" of "limited liability company".
    fn abbreviates(&self, short: &str, long: &str) -> bool {
        // "SA" begins "SARL" and is another form; real abbreviations leave out more.
        const LEAST_LEFT_OUT: usize = 3;
        if short.len() < 2 || long.len() < short.len() + LEAST_LEFT_OUT {
            return false;
        }
        let initials = self.forms.get(long).is_some_and(|initials| initials == short);
        let same_ends = short.chars().next() == long.chars().next()
            && short.chars().next_back() == long.chars().next_back()
            && short.len() >= 3;
        initials || long.starts_with(short) || (same_ends && is_subsequence(short, long))
    }
}

/// True if what is left of a name still names somebody: a word, or two ideographs where it has them.
fn keeps_core(core: &[Piece<'_>]) -> bool {
    let ideographs = core.iter().filter(|piece| piece.is_ideograph()).count();
    core.iter().any(|piece| piece.is_wordlike() && piece.has_letters()) || ideographs >= 2
}

fn is_subsequence(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    short.chars().all(|letter| rest.any(|other| other == letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::normal::pieces;
    use crate::model::token::tokens;
    use crate::ontology::language::PartWords;

    fn forms() -> LegalForms {
        let form = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        LegalForms::of(&Language {
            name: "en".to_owned(),
            months: BTreeMap::new(),
            abbreviations: BTreeSet::from(["inc", "co", "ltd"].map(str::to_owned)),
            legal_forms: ["limited liability company", "gmbh & co kg", "incorporated", "limited", "company"]
                .iter()
                .chain(&["gmbh", "inc", "ltd", "llc", "co", "s.a.", "sarl", "有 限 公 司"])
                .map(|text| form(text))
                .collect(),
            parts: PartWords::default(),
            ..Language::of("en").unwrap().clone()
        })
    }

    fn split(name: &str) -> String {
        let found = tokens(name);
        let pieces = pieces(name, &found);
        let (core, form) = forms().split(&pieces);
        let core = core.last().map_or("", |last| &name[..last.span.end]);
        format!("{core} | {form}")
    }

    #[test]
    fn names_are_split_into_core_and_form() {
        assert_eq!(split("TechChip, Inc."), "TechChip | inc");
        assert_eq!(split("TechChip Inc"), "TechChip | inc");
        assert_eq!(split("Müller GmbH & Co. KG"), "Müller | gmbhcokg");
        assert_eq!(split("Foo Co., Ltd."), "Foo | co ltd");
        assert_eq!(split("Foo S.A."), "Foo | sa");
        assert_eq!(split("Limited"), "Limited | ");
        assert_eq!(split("Inc Magazine"), "Inc Magazine | ");
        assert_eq!(split("华为有限公司"), "华为 | 有限公司");
        assert_eq!(split("华有限公司"), "华有限公司 | ");
        assert_eq!(split("TechChip-Inc"), "TechChip-Inc | ");
    }

    #[test]
    fn forms_are_optional_but_not_exchangeable() {
        let forms = forms();
        assert_eq!(forms.fit("inc", "inc"), Fit::Equal);
        assert_eq!(forms.fit("incorporated", "inc"), Fit::Allows);
        assert_eq!(forms.fit("ltd", "limited"), Fit::Allows);
        assert_eq!(forms.fit("llc", "limitedliabilitycompany"), Fit::Allows);
        assert_eq!(forms.fit("co", "co ltd"), Fit::Allows);
        assert_eq!(forms.fit("inc", "gmbh"), Fit::Contradicts);
        assert_eq!(forms.fit("sa", "sarl"), Fit::Contradicts);
    }
}
