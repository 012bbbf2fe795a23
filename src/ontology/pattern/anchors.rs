//! The words without which a pattern cannot match: a cheap test before the real one.

use std::cmp::Reverse;

use super::Part;
use crate::model::token::{TokenKind, tokens};

/// Of each inner list, one word must occur in any match.
pub(super) fn of(parts: &[Part]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = parts.iter().filter_map(anchor).collect();
    found.sort();
    found.dedup();
    found
}

/// The words of which one must occur if this part is matched; `None` if none need occur.
fn anchor(part: &Part) -> Option<Vec<String>> {
    match part {
        Part::Word(word) => is_wordlike(word).then(|| vec![word.clone()]),
        Part::Inflected(forms) => Some(sorted(forms.clone())),
        Part::Any(alternatives) => {
            // One list for the choice as a whole: of each alternative, the rarest list.
            let mut union = Vec::new();
            for alternative in alternatives {
                union.extend(of(alternative).into_iter().min_by_key(|words| commonness(words))?);
            }
            Some(sorted(union))
        }
        Part::Optional(_) | Part::Gap(_) | Part::Regex(_) | Part::Slot { .. } => None,
    }
}

/// Fewer words are rarer than many, and long words rarer than short ones.
fn commonness(words: &[String]) -> (usize, Reverse<usize>) {
    (words.len(), Reverse(words.iter().map(String::len).min().unwrap_or_default()))
}

fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words.dedup();
    words
}

/// Marks are no anchors: a look-up of words would not find them.
fn is_wordlike(word: &str) -> bool {
    tokens(word).first().is_some_and(|token| token.kind != TokenKind::Mark)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Pattern;

    fn show(source: &str) -> String {
        let words = BTreeMap::from([("SELL".to_owned(), vec!["sell~".to_owned(), "hand over".to_owned()])]);
        let anchors = Pattern::parse(source, &words).unwrap().anchors();
        anchors.iter().map(|list| list.join("|")).collect::<Vec<_>>().join(" & ")
    }

    #[test]
    fn anchors_are_what_every_match_contains() {
        assert_eq!(
            show("{a:T} (shall|will) SELL {b:T} [from {d:date}]"),
            "hand|sell|selled|selling|sells|sold & shall|will"
        );
        assert_eq!(show("{a:T} [not] ... /x.*/"), "");
        assert_eq!(show("(sold by {a:T}|{a:T})"), "");
        assert_eq!(show("(sold by {a:T}|bought from {a:T})"), "bought|sold");
        assert_eq!(show("No. {n:number} , of"), "no & of");
    }
}
