//! A file of edits: one JSON object a line, read with the place of everything in it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::form::{Field, Operation, Value, Written};
use crate::diag::{Diagnostic, Place, json_fault, nearest};

/// A line longer than this is not shown under a problem: it would hide what is said of it.
const SHOWN: usize = 160;

/// Reads the lines of a file, and everything that is wrong with their form. Empty lines are skipped.
pub fn lines_of(file: &str, text: &str) -> (Vec<Written>, Vec<Diagnostic>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut edits = Vec::new();
    let mut problems = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match read(&Line { file, number: at as u32 + 1, text: line }) {
            Ok(edit) => edits.push(edit),
            Err(found) => problems.extend(found),
        }
    }
    (edits, problems)
}

/// A line and where it stands.
struct Line<'l> {
    file: &'l str,
    number: u32,
    text: &'l str,
}

impl Line<'_> {
    /// The place of some bytes of the line.
    fn place(&self, from: usize, len: usize) -> Place {
        let characters = |text: Option<&str>| text.map_or(0, |text| text.chars().count() as u32);
        let mut place =
            Place::at(self.file, self.number, characters(self.text.get(..from)).saturating_add(1));
        if self.text.len() <= SHOWN {
            place.width = characters(self.text.get(from..from + len));
            place.source = Some(self.text.to_owned());
        }
        place
    }

    /// The place of a part of the line that was borrowed from it.
    fn place_of(&self, part: &str) -> Place {
        let from = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.place(from, part.len())
    }
}

/// The members of an object in their order, with the text of each value as written.
struct Members<'l>(Vec<(Cow<'l, str>, &'l RawValue)>);

impl<'l> Deserialize<'l> for Members<'l> {
    fn deserialize<D: Deserializer<'l>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'l> Visitor<'l> for Visit {
            type Value = Members<'l>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<Members<'l>, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<Cow<'l, str>>()? {
                    members.push((name, map.next_value::<&'l RawValue>()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visit)
    }
}

fn read(line: &Line<'_>) -> Result<Written, Vec<Diagnostic>> {
    let Members(members) = serde_json::from_str(line.text).map_err(|error| {
        let from = error.column().saturating_sub(1).min(line.text.len());
        let from = (0..=from).rev().find(|at| line.text.is_char_boundary(*at)).unwrap_or_default();
        let message = format!("not a JSON object: {}", json_fault(&error));
        let hint = "write one object a line; `edgewright json-schema edit-line` prints its form";
        vec![Diagnostic::error("edit-form", line.place(from, 1), message).hint(hint)]
    })?;
    let whole = Place { source: None, width: 0, ..line.place(0, 0) };
    let mut operation = None;
    let mut named: Vec<(String, Place, Field)> = Vec::new();
    let mut problems = Vec::new();
    let mut after = line.text.as_ptr() as usize;
    for (name, value) in members {
        let begin = after.saturating_sub(line.text.as_ptr() as usize);
        after = value.get().as_ptr() as usize + value.get().len();
        let name_at = match line.text.get(begin..).and_then(|rest| rest.find('"')) {
            Some(quote) => line.place(begin + quote, name.len() + 2),
            None => whole.clone(),
        };
        let value_at = line.place_of(value.get());
        if name == "edit" {
            match operation_of(value, &value_at) {
                Ok(_) if operation.is_some() => {
                    let message = "`edit` is given twice";
                    problems.push(Diagnostic::error("edit-form", name_at, message).hint("keep one of them"));
                }
                Ok(found) => operation = Some(found),
                Err(found) => problems.extend(found),
            }
            continue;
        }
        let value = value_of(value).unwrap_or(Value::Other);
        named.push((name.into_owned(), name_at, Field { value, at: value_at }));
    }
    match operation {
        Some(operation) => match Written::new(operation, whole, named) {
            Ok(edit) if problems.is_empty() => return Ok(edit),
            Ok(_) => {}
            Err(found) => problems.extend(found),
        },
        None if problems.is_empty() => {
            let names: Vec<&str> = Operation::ALL.iter().map(|operation| operation.name()).collect();
            let hint = format!("begin with `\"edit\": …`, one of {}", names.join(", "));
            problems.push(Diagnostic::error("edit-form", whole, "there is no `edit`").hint(hint));
        }
        None => {}
    }
    Err(problems)
}

fn operation_of(value: &RawValue, at: &Place) -> Result<Operation, Vec<Diagnostic>> {
    let name: String = serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned());
    Operation::of(&name).ok_or_else(|| {
        let names: Vec<&str> = Operation::ALL.iter().map(|operation| operation.name()).collect();
        let hint = match nearest(&name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the edits are {}", names.join(", ")),
        };
        let message = format!("there is no edit `{name}`");
        vec![Diagnostic::error("edit-form", at.clone(), message).hint(hint)]
    })
}

/// A value that an edit may take; a number stands as it is written.
fn value_of(value: &RawValue) -> Option<Value> {
    use serde_json::Value as Json;
    let plain = |value: &Json| match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    match serde_json::from_str(value.get()).ok()? {
        Json::Array(items) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            Some(Value::Texts(texts.collect::<Option<_>>()?))
        }
        Json::Object(pairs) => {
            let pairs = pairs.iter().map(|(name, value)| Some((name.clone(), plain(value)?)));
            Some(Value::Pairs(pairs.collect::<Option<BTreeMap<_, _>>>()?))
        }
        value => plain(&value).map(Value::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn problems(text: &str) -> Vec<String> {
        let (_, problems) = lines_of("e.jsonl", text);
        problems.iter().map(|one| format!("{}:{} {}", one.at.line, one.at.column, one.message)).collect()
    }

    #[test]
    fn a_line_is_read_with_the_place_of_each_value() {
        let line = r#"{ "edit": "expire-relationship", "subject": "Müller", "type": "supplies", "object": "C1", "on": "2025-02-30", "reason": "r", "ticket": "T-1" }"#;
        let (edits, problems) = lines_of("e.jsonl", &format!("\n{line}\n"));
        assert_eq!(problems, Vec::new());
        let (day, at) = edits[0].text("on").unwrap();
        assert_eq!((day, at.line), ("2025-02-30", 2));
        let column = line.chars().collect::<String>().find("\"2025").unwrap();
        assert_eq!(at.column as usize, line[..column].chars().count() + 1);
    }

    #[test]
    fn everything_that_is_wrong_with_the_form_is_said_at_once() {
        let text = "{\"edit\": \"add-entity\", \"type\": \"S\", \"kye\": \"1\", \"names\": \"A\", \"reason\": \" \"}\n\
                    {\"edit\": \"ad-entity\"}\n\
                    {\"type\": \"S\"}\n\
                    [1]\n\
                    {\"edit\": \"undo\", \"number\": true, \"reason\": \"r\", \"reason\": \"r\"}\n\
                    {\"edit\": \"undo\", \"number\": 3, \"reason\": \"r\"\n\
                    {\"edit\": \"undo\", \"edit\": \"undo\", \"number\": 3, \"reason\": \"r\"}\n";
        assert_eq!(
            problems(text),
            [
                "1:37 `add-entity` takes no `kye`",
                "1:58 `names` must be a list of texts",
                "1:73 `reason` must be a text that says something",
                "1:1 `add-entity` needs `key`",
                "1:1 `add-entity` needs `ticket`",
                "2:10 there is no edit `ad-entity`",
                "3:1 there is no `edit`",
                "4:1 not a JSON object: it is JSON of another form",
                "5:28 `number` must be a number such as 3",
                "5:49 `reason` is given twice",
                "6:43 not a JSON object: it ends in the middle",
                "7:18 `edit` is given twice",
            ]
        );
    }
}
