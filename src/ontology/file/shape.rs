//! What may be written where: a table of keys for each object of the files.
//!
//! One table serves the check of a file (unknown and missing keys, wrong types, with hints) and the JSON
//! Schema that editors use, so the two cannot disagree. The check knows nothing of what the words mean.

use super::yaml::{At, Key, Node, Sheet, Value};
use crate::diag::{Diagnostic, nearest};

/// An object: a map with known keys.
#[derive(Debug)]
pub struct Shape {
    /// Its name in a sentence, with an article: `an entity type`.
    pub name: &'static str,
    /// What it is, for the JSON Schema.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Field],
    /// What keys of the user's own hold, where there may be some. Whether they exist is not checked here.
    pub rest: Option<Kind>,
}

/// A key of an object.
#[derive(Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// True if the object makes no sense without it.
    pub required: bool,
    /// What it holds.
    pub kind: Kind,
    /// What it means, in one sentence.
    pub doc: &'static str,
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// A text that may be empty.
    Blank,
    /// A name: letters, digits, `_`, `-` and `.`.
    Name,
    /// A whole number up to a limit.
    Count(u64),
    /// A share, `5%` or `0.05`.
    Share,
    /// A share, or `off`.
    ShareOrOff,
    /// A whole number above 0, or `off`.
    CountOrOff,
    /// A time such as `36h`.
    Hours,
    /// A size such as `64MiB`.
    Bytes,
    /// A short time such as `30s`.
    Time,
    /// A whole number above 0 such as `20M`.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A map with known keys.
    Object(&'static Shape),
    /// A list.
    List(&'static Kind),
    /// One, or a list of several.
    OneOrMore(&'static Kind),
    /// A map whose keys are names that the user gives.
    Named(&'static Kind),
    /// A map whose keys are any texts, such as columns.
    Keyed(&'static Kind),
    /// One of several kinds that differ in their form: text, list or map.
    Either(&'static [Kind]),
}

/// A key that may be left out.
pub const fn may(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, required: false, kind, doc }
}

/// A key that must be there.
pub const fn must(name: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { name, required: true, kind, doc }
}

/// Checks a node against a kind and reports everything that does not fit.
///
/// `name` is what the value is called in a message, such as its key in backticks; `owner` is where a
/// missing key is marked.
pub fn check(sheet: &Sheet, node: &Node, kind: Kind, name: &str, owner: At) -> Vec<Diagnostic> {
    let mut checking = Checking { sheet, problems: vec![] };
    checking.value(node, kind, name, owner);
    checking.problems
}

struct Checking<'s> {
    sheet: &'s Sheet,
    problems: Vec<Diagnostic>,
}

impl Checking<'_> {
    fn value(&mut self, node: &Node, kind: Kind, name: &str, owner: At) {
        if !kind.takes(node) {
            return self.wrong_type(node, kind, name, owner);
        }
        match kind {
            Kind::Object(shape) => self.object(node, shape, owner),
            Kind::List(item) => self.items(node, *item, name),
            Kind::OneOrMore(item) => match &node.value {
                Value::List(_) => self.items(node, *item, name),
                _ => self.value(node, *item, name, owner),
            },
            Kind::Named(value) => {
                for (key, node) in node.entries() {
                    self.name(&key.text, key.at);
                    self.value(node, *value, &format!("`{}`", key.text), key.at);
                }
            }
            Kind::Keyed(value) => {
                for (key, node) in node.entries() {
                    self.value(node, *value, &format!("`{}`", key.text), key.at);
                }
            }
            Kind::Either(kinds) => {
                if let Some(kind) = kinds.iter().find(|kind| kind.takes(node)) {
                    self.value(node, *kind, name, owner);
                }
            }
            _ => self.scalar(node, kind, name),
        }
    }

    fn object(&mut self, node: &Node, shape: &Shape, owner: At) {
        for (key, value) in node.entries() {
            match shape.keys.iter().find(|field| field.name == key.text) {
                Some(field) => self.value(value, field.kind, &format!("`{}`", field.name), key.at),
                None => match shape.rest {
                    Some(kind) => self.value(value, kind, &format!("`{}`", key.text), key.at),
                    None => self.unknown_key(key, shape),
                },
            }
        }
        for field in shape.keys.iter().filter(|field| field.required && node.get(field.name).is_none()) {
            let message = format!("{} needs the key `{}`", shape.name, field.name);
            let problem = Diagnostic::error("config-missing-key", self.sheet.place(owner), message);
            self.problems.push(problem.hint(format!("`{}`: {}", field.name, fragment(field.doc))));
        }
    }

    fn unknown_key(&mut self, key: &Key, shape: &Shape) {
        let known = shape.keys.iter().map(|field| field.name);
        self.problems.push(unknown_key(self.sheet, key, shape.name, known));
    }

    fn items(&mut self, node: &Node, kind: Kind, name: &str) {
        let one = format!("an item of {}", name.trim_start_matches("an item of "));
        for item in node.items() {
            self.value(item, kind, &one, item.at);
        }
    }

    fn name(&mut self, text: &str, at: At) {
        if !is_name(text) {
            let message = format!("`{text}` is not a name");
            let problem = Diagnostic::error("config-value", self.sheet.place(at), message);
            self.problems.push(
                problem
                    .hint("a name has letters, digits, `_`, `-` and `.`, and begins with a letter or digit"),
            );
        }
    }

    fn scalar(&mut self, node: &Node, kind: Kind, name: &str) {
        let text = node.text().unwrap_or_default();
        let fits = match kind {
            Kind::Name => return self.name(text, node.at),
            Kind::Text => !text.trim().is_empty(),
            Kind::Count(most) => count(text).is_some_and(|count| count <= most),
            Kind::Share => share(text).is_some(),
            Kind::ShareOrOff => text == OFF || share(text).is_some(),
            Kind::CountOrOff => text == OFF || count(text).is_some_and(|count| count > 0),
            Kind::Hours => hours(text).is_some(),
            Kind::Bytes => bytes(text).is_some(),
            Kind::Time => milliseconds(text).is_some(),
            Kind::Number => number(text).is_some(),
            Kind::Flag => flag(text).is_some(),
            Kind::Words(words) => words.contains(&text),
            _ => true,
        };
        if fits {
            return;
        }
        let message = if text.trim().is_empty() {
            format!("{name} is an empty text")
        } else {
            format!("{name} cannot be `{text}`")
        };
        let problem = Diagnostic::error("config-value", self.sheet.place(node.at), message);
        let hint = match kind {
            Kind::Words(words) => match nearest(text, words.iter().copied()) {
                Some(word) => format!("did you mean `{word}`?"),
                None => format!("write {}", kind.describe()),
            },
            _ => format!("write {}", kind.describe()),
        };
        self.problems.push(problem.hint(hint));
    }

    fn wrong_type(&mut self, node: &Node, kind: Kind, name: &str, owner: At) {
        let (at, found) = match node.value {
            Value::Empty => (owner, "nothing"),
            Value::Text(_) => (node.at, "a text"),
            Value::List(_) => (node.at, "a list"),
            Value::Map(_) => (node.at, "a map"),
        };
        let message = format!("{name} is {}, and {found} is written here", kind.describe());
        let problem = Diagnostic::error("config-type", self.sheet.place(at), message);
        self.problems.push(match (&node.value, kind) {
            (Value::Map(_) | Value::List(_), kind) if kind.is_text() => {
                problem.hint("put a text that begins with `{` or `[` in quotes")
            }
            (Value::List(_), kind) if kind.is_scalar() => problem.hint("write one, without brackets"),
            _ => problem,
        });
    }
}

/// An unknown key, with the nearest known one or all of them.
pub fn unknown_key<'k>(
    sheet: &Sheet,
    key: &Key,
    owner: &str,
    known: impl Iterator<Item = &'k str> + Clone,
) -> Diagnostic {
    let message = format!("{owner} has no key `{}`", key.text);
    let problem = Diagnostic::error("config-unknown-key", sheet.place(key.at), message);
    // A word that people take for another one by its sense, not by its letters.
    let meant =
        (key.text == "says").then_some("asserts").filter(|meant| known.clone().any(|one| one == *meant));
    match meant.or_else(|| nearest(&key.text, known.clone())) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint(format!("its keys are {}", quoted(known))),
    }
}

/// The words in backticks, separated by commas.
pub fn quoted<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A sentence as the end of another one.
fn fragment(doc: &str) -> String {
    let mut letters = doc.trim_end_matches('.').chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// True for letters, digits, `_`, `-` and `.`, the first a letter or digit.
pub fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_alphanumeric)
        && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}

/// What stands for a limit that is never reached.
pub const OFF: &str = "off";

/// A whole number.
pub fn count(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// A share from 0 to 1, written `5%` or `0.05`.
pub fn share(text: &str) -> Option<f64> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 100.0),
        None => (text, 1.0),
    };
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value = number.parse::<f64>().ok().filter(|_| plain)? / unit;
    (0.0..=1.0).contains(&value).then_some(value)
}

/// A time in hours, written `36h`, `3 days` or `2w`.
pub fn hours(text: &str) -> Option<u32> {
    let (number, unit) = number_and_unit(text)?;
    let hours = match unit {
        "h" | "hour" | "hours" => 1,
        "d" | "day" | "days" => 24,
        "w" | "week" | "weeks" => 24 * 7,
        _ => return None,
    };
    u32::try_from(number).ok()?.checked_mul(hours).filter(|hours| *hours > 0)
}

/// A size in bytes, written `64MiB`, `500 kB` or as a number.
pub fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1000,
        "KiB" => 1 << 10,
        "MB" => 1_000_000,
        "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(factor).filter(|bytes| *bytes > 0)
}

/// A time in milliseconds, written `30s`, `500ms` or `2min`.
pub fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1000,
        "min" => 60_000,
        _ => return None,
    };
    number.checked_mul(factor).filter(|time| *time > 0)
}

/// A whole number above 0, written `2000`, `20k` or `20M`.
pub fn number(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit {
        "" => 1,
        "k" => 1000,
        "M" => 1_000_000,
        _ => return None,
    };
    number.checked_mul(factor).filter(|number| *number > 0)
}

fn number_and_unit(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit.trim_start()))
}

/// A truth value.
pub fn flag(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

impl Kind {
    /// True if the node has the form of this kind: text, list or map.
    fn takes(self, node: &Node) -> bool {
        match (self, &node.value) {
            (Self::Either(kinds), _) => kinds.iter().any(|kind| kind.takes(node)),
            (Self::OneOrMore(_), Value::List(_)) => true,
            (Self::OneOrMore(kind), _) => kind.takes(node),
            (Self::Object(shape), Value::Empty) => shape.keys.iter().all(|field| !field.required),
            (Self::List(_) | Self::Named(_) | Self::Keyed(_), Value::Empty) => true,
            (Self::Object(_) | Self::Named(_) | Self::Keyed(_), value) => matches!(value, Value::Map(_)),
            (Self::List(_), value) => matches!(value, Value::List(_)),
            (_, value) => matches!(value, Value::Text(_)),
        }
    }

    /// True if any text may be written, patterns among them.
    fn is_text(self) -> bool {
        match self {
            Self::OneOrMore(kind) => kind.is_text(),
            Self::Either(kinds) => kinds.iter().any(|kind| kind.is_text()),
            kind => matches!(kind, Self::Text | Self::Blank),
        }
    }

    fn is_scalar(self) -> bool {
        match self {
            Self::OneOrMore(kind) => kind.is_scalar(),
            Self::Either(kinds) => kinds.iter().all(|kind| kind.is_scalar()),
            Self::Object(_) | Self::List(_) | Self::Named(_) | Self::Keyed(_) => false,
            _ => true,
        }
    }

    /// What may be written, for a sentence.
    fn describe(self) -> String {
        match self {
            Self::Text | Self::Blank => "a text".to_owned(),
            Self::Name => "a name".to_owned(),
            Self::Count(most) => format!("a whole number up to {most}"),
            Self::Share => "a share from 0 to 1 such as `0.8` or `80%`".to_owned(),
            Self::ShareOrOff => "a share from 0 to 1 such as `20%`, or `off`".to_owned(),
            Self::CountOrOff => "a whole number above 0 such as `5`, or `off`".to_owned(),
            Self::Hours => "a time such as `36h`, `3 days` or `2 weeks`".to_owned(),
            Self::Bytes => "a size such as `64MiB`".to_owned(),
            Self::Time => "a time such as `30s`, `500ms` or `2min`".to_owned(),
            Self::Number => "a whole number above 0 such as `2000` or `20M`".to_owned(),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Words([word]) => format!("`{word}`"),
            Self::Words(words) => format!("one of {}", quoted(words.iter().copied())),
            Self::Object(shape) => format!("a map ({})", shape.name),
            Self::List(kind) => format!("a list, each {}", kind.describe()),
            Self::OneOrMore(Self::List(_)) => "a list of lists".to_owned(),
            Self::OneOrMore(kind) => format!("{} or a list", kind.describe()),
            Self::Named(kind) => format!("a map of names, each with {}", kind.describe()),
            Self::Keyed(kind) => format!("a map, each key with {}", kind.describe()),
            Self::Either(kinds) => kinds.iter().map(|kind| kind.describe()).collect::<Vec<_>>().join(", or "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units() {
        assert_eq!(["5%", "0.05", "100 %", "1"].map(share), [Some(0.05), Some(0.05), Some(1.0), Some(1.0)]);
        assert_eq!(["101%", "-1", "NaN", "inf", "1e-3", "", "%", "5"].map(share), [None; 8]);
        assert_eq!(["36h", "3 days", "2w", "1 hour"].map(hours), [Some(36), Some(72), Some(336), Some(1)]);
        assert_eq!(
            ["36", "h", "0h", "1.5h", "P1D", "99999999999999999999h", "4000000000w"].map(hours),
            [None; 7]
        );
        assert_eq!(["64MiB", "500 kB", "12"].map(bytes), [Some(64 << 20), Some(500_000), Some(12)]);
        assert_eq!(["0", "MiB", "1 TiB", "99999999999999999GiB", "-1"].map(bytes), [None; 5]);
    }

    #[test]
    fn names() {
        assert!(["a", "Größe", "supply.clause", "3-way", "a_b"].into_iter().all(is_name));
        assert!(!["", "a b", "a/b", "a:b", "_a", ".hidden", "a\u{0}"].into_iter().any(is_name));
    }
}
