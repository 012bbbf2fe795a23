//! How the drafted files are written: words, names and comments of YAML that read back as what they are.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::columns::words_of;
use super::tables::stem;

/// The width at which comments are broken.
const WIDTH: usize = 116;

/// The longest name that is made of a text, in characters; YAML has keys of a thousand at most.
const LONGEST: usize = 60;

/// A text as YAML: plain where that is safe, else in double quotes. What begins with a digit may be read as a number.
pub(super) fn word(text: &str) -> String {
    let first = text.chars().next().is_some_and(char::is_alphabetic);
    let last = !text.ends_with(' ');
    let plain = text.chars().all(|letter| letter.is_alphanumeric() || " _-./".contains(letter));
    let spoken = ["true", "false", "yes", "no", "null", "on", "off", "y", "n"];
    if first && last && plain && !spoken.contains(&text.to_lowercase().as_str()) {
        return text.to_owned();
    }
    quoted(text)
}

/// A text in double quotes, with an escape for each character that YAML does not let stand or folds into a space.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other if !stands(other) => out.push_str(&format!("\\U{:08X}", u32::from(other))),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// True for a character that may stand in a file as it is, and reads back as that.
fn stands(letter: char) -> bool {
    let ends_lines = matches!(letter, '\u{2028}' | '\u{2029}');
    let is_mark = matches!(letter, '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    !letter.is_control() && !ends_lines && !is_mark
}

/// A list of texts in one line.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    format!("[{}]", texts.into_iter().map(word).collect::<Vec<_>>().join(", "))
}

/// A name as the files know it: letters and digits of any script, and `_` between them. Empty if a text has neither.
pub(super) fn name(text: &str) -> String {
    let letters = text.nfc().flat_map(char::to_lowercase);
    let joined: String = letters.map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect();
    let parts: Vec<&str> = joined.split('_').filter(|part| !part.is_empty()).collect();
    let short: String = parts.join("_").chars().take(LONGEST).collect();
    short.trim_end_matches('_').to_owned()
}

/// A name after that of a file, which nothing else has yet.
pub(super) fn free_name(path: &str, otherwise: &str, taken: &mut BTreeSet<String>) -> String {
    let wanted = name(&words_of(stem(path)).join("_"));
    let wanted = if wanted.is_empty() || wanted == "edit" { otherwise.to_owned() } else { wanted };
    let numbered = (2_usize..).map(|number| format!("{wanted}_{number}"));
    let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.unwrap_or(wanted);
    taken.insert(free.clone());
    free
}

/// A type with its article: `a Party`, `an Entry`.
pub(super) fn one(kind: &str) -> String {
    let vowel = kind.starts_with(['A', 'E', 'I', 'O']);
    format!("{} {kind}", if vowel { "an" } else { "a" })
}

/// A comment, broken into lines.
pub(super) fn comment(indent: usize, text: &str) -> String {
    let (margin, mut out) = (" ".repeat(indent), String::new());
    let mut line = String::new();
    for piece in text.split_whitespace() {
        if !line.is_empty() && indent + 3 + line.chars().count() + piece.chars().count() > WIDTH {
            out.push_str(&format!("{margin}# {line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(piece.chars().filter(|letter| stands(*letter)));
    }
    out.push_str(&format!("{margin}# {line}\n"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back_as_they_are() {
        for text in [
            "Acme",
            "no",
            "a: b",
            "say \"x\"\n\\",
            "- x",
            "007",
            "1e5",
            "0x1F",
            "2024-01-01",
            "",
            "{slot}",
            "C:",
            "Ünïcode name",
            "零件",
            "#1",
            " a",
            "a ",
            "~",
            "tab\tbell\u{7}null\u{0}escape\u{1b}delete\u{7f}",
            "next\u{85}line\u{2028}paragraph\u{2029}mark\u{feff}\u{ffff}",
        ] {
            let yaml = format!("key: {0}\n{0}: x\nlist: {1}\n", word(text), list([text, "b"]));
            let read: serde_json::Value = serde_yaml::from_str(&yaml).unwrap();
            assert_eq!(read["key"], text, "{yaml}");
            assert_eq!(read[text], "x", "{yaml}");
            assert_eq!(read["list"], serde_json::json!([text, "b"]), "{yaml}");
        }
    }

    #[test]
    fn names_have_letters_and_digits_of_any_script() {
        for (text, expected) in [
            ("Party List", "party_list"),
            ("Größe: 2", "größe_2"),
            ("Gro\u{308}\u{df}e", "größe"),
            ("部品 番号", "部品_番号"),
            ("İstanbul", "i_stanbul"),
            ("a\u{0}b\nc", "a_b_c"),
            ("№ #", ""),
        ] {
            assert_eq!(name(text), expected, "{text:?}");
        }
    }

    #[test]
    fn names_are_free_and_comments_are_broken() {
        let mut taken = BTreeSet::new();
        assert_eq!(free_name("a/Party List.csv", "feed", &mut taken), "party_list");
        assert_eq!(free_name("b/party_list.tsv", "feed", &mut taken), "party_list_2");
        assert_eq!(free_name("飞行.csv", "feed", &mut taken), "飞行");
        assert_eq!(free_name("(1).csv", "feed", &mut taken), "1");
        assert_eq!(free_name("#.csv", "feed", &mut taken), "feed");
        assert_eq!(comment(2, "one\ntwo"), "  # one two\n");
        assert!(comment(0, &"word ".repeat(60)).lines().all(|line| line.len() <= 120));
    }
}
