//! How the drafted files are written: words, names and comments of YAML that read back as what they are.

use std::collections::BTreeSet;

use super::columns::words_of;
use super::tables::stem;

/// The width at which comments are broken.
const WIDTH: usize = 116;

/// A text as YAML: plain where that is safe, else in double quotes.
pub(super) fn word(text: &str) -> String {
    let first = text.chars().next().is_some_and(char::is_alphanumeric);
    let last = !text.ends_with([' ', ':']);
    let plain = text.chars().all(|letter| letter.is_alphanumeric() || " _-./".contains(letter));
    let spoken = ["true", "false", "yes", "no", "null", "on", "off", "y", "n"];
    if first && last && plain && !spoken.contains(&text.to_lowercase().as_str()) {
        return text.to_owned();
    }
    quoted(text)
}

/// A text in double quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other if other.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A list of texts in one line.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    format!("[{}]", texts.into_iter().map(word).collect::<Vec<_>>().join(", "))
}

/// A name as the files know it: letters, digits and `_`.
pub(super) fn name(text: &str) -> String {
    let letters = text
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' });
    let joined: String = letters.collect();
    let parts: Vec<&str> = joined.split('_').filter(|part| !part.is_empty()).collect();
    parts.join("_")
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
        line.extend(piece.chars().filter(|letter| !letter.is_control()));
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
            "",
            "{slot}",
            "C:",
            "Ünïcode name",
            "#1",
            " a",
        ] {
            let yaml = format!("key: {}\nlist: {}\n", word(text), list([text, "b"]));
            let read: serde_json::Value = serde_yaml::from_str(&yaml).unwrap();
            let said = |value: &serde_json::Value| value.to_string().trim_matches('"').to_owned();
            if text.chars().any(char::is_alphabetic) {
                assert_eq!(read["key"], text, "{yaml}");
                assert_eq!(read["list"][0], text, "{yaml}");
            }
            assert!(!said(&read["list"][1]).is_empty());
        }
    }

    #[test]
    fn names_are_free_and_comments_are_broken() {
        let mut taken = BTreeSet::new();
        assert_eq!(free_name("a/Party List.csv", "feed", &mut taken), "party_list");
        assert_eq!(free_name("b/party_list.tsv", "feed", &mut taken), "party_list_2");
        assert_eq!(free_name("飞行.csv", "feed", &mut taken), "feed");
        assert_eq!(comment(2, "one\ntwo"), "  # one two\n");
        assert!(comment(0, &"word ".repeat(60)).lines().all(|line| line.len() <= 120));
    }
}
