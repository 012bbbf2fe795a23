//! What programs read: a version, the published schema, the same bytes twice.

use expect_test::expect;
use serde_json::Value;

use super::{Exit, check, say, workspace};

#[test]
fn every_json_answer_has_a_version_and_fits_its_schema() {
    let folder = workspace();
    let schema = |name: &str| -> Value {
        let said = say(folder.path(), &format!("json-schema {name}"));
        assert_eq!(said.exit, Exit::Done, "{name}");
        serde_json::from_str(&said.data).unwrap()
    };
    for (line, name) in [
        ("show FCU --state all", "show"),
        ("why FCU", "why"),
        ("history FCU", "history"),
        ("quarantine", "quarantine"),
        ("feeds", "feeds"),
        ("runs", "runs"),
        ("status", "status"),
        ("ontology", "ontology-counts"),
        ("check", "check"),
        ("export --format csv --out tables", "export-files"),
    ] {
        let said = say(folder.path(), &format!("{line} --output json"));
        assert_eq!(said.exit, Exit::Done, "{line}: {}", said.talk);
        assert_eq!(said.data.lines().count(), 1, "{line}");
        let value: Value = serde_json::from_str(&said.data).unwrap();
        assert_eq!(value["version"], 1, "{line}");
        let schema = schema(name);
        fits(&value, &schema, &schema, line);
    }
    let row = schema("export");
    for line in say(folder.path(), "export --history").data.lines().skip(1) {
        fits(&serde_json::from_str(line).unwrap(), &row, &row, "export");
    }
}

/// A small part of JSON Schema: required and known properties, types, alternatives.
fn fits(value: &Value, schema: &Value, root: &Value, at: &str) {
    if let Err(why) = fit(value, schema, root, at) {
        panic!("{why}");
    }
}

fn fit(value: &Value, schema: &Value, root: &Value, at: &str) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).ok_or("a dangling reference")?;
        fit(value, target, root, at)?;
    }
    for word in ["oneOf", "anyOf"] {
        if let Some(options) = schema[word].as_array() {
            let tried: Vec<_> = options.iter().map(|option| fit(value, option, root, at)).collect();
            if tried.iter().all(Result::is_err) {
                return Err(format!("{at}: none of {word} fits {value}: {tried:?}"));
            }
        }
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Err(format!("{at}: {value} is not {}", schema["const"]));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => vec![kind],
    };
    let whole = kind == "integer" && allowed.contains(&"number");
    if !allowed.contains(&kind) && !whole {
        return Err(format!("{at}: {value} is a {kind}, not {allowed:?}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            return Err(format!("{at}: there is no `{name}` in {value}"));
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            fit(value, schema, root, &format!("{at}.{name}"))?;
        }
    }
    for item in value.as_array().into_iter().flatten().filter(|_| schema["items"].is_object()) {
        fit(item, &schema["items"], root, at)?;
    }
    Ok(())
}

#[test]
fn an_export_begins_with_a_header_and_is_the_same_twice() {
    let folder = workspace();
    let first = say(folder.path(), "export");
    assert_eq!((first.exit, first.talk.as_str()), (Exit::Done, ""));
    assert_eq!(
        first.data.lines().next(),
        Some(r#"{"kind":"header","format":"edgewright-export","version":1}"#)
    );
    assert_eq!(first.data, say(folder.path(), "export").data);
    let since = say(folder.path(), "export --since 3").data;
    check(
        since.lines().next().unwrap(),
        &expect![[r#"{"kind":"header","format":"edgewright-export","version":1,"since":3,"generation":4}"#]],
    );
    assert!(since.lines().skip(1).all(|line| line.starts_with(r#"{"op":"delete""#)), "{since}");
    for line in [
        "export --since 9",
        "export --since 0",
        "export --format csv",
        "export --format csv --out x --since 1",
    ] {
        assert_eq!(say(folder.path(), line).exit, Exit::Invalid, "{line}");
    }
}
