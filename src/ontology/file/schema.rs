//! The JSON Schema of a file, from the same table of keys that checks it.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::shape::{Kind, OFF, Shape};

impl Kind {
    fn schema(self, defs: &mut BTreeMap<String, Json>) -> Json {
        match self {
            Self::Text => json!({ "type": ["string", "number", "boolean"] }),
            Self::Blank => json!({ "type": ["string", "number", "boolean"] }),
            Self::Name => json!({ "type": ["string", "number"] }),
            Self::Count(most) => json!({ "type": "integer", "minimum": 0, "maximum": most }),
            Self::Share => json!({ "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 1 },
                { "type": "string", "pattern": "^[0-9.]+ *%$" },
            ] }),
            Self::ShareOrOff => json!({ "anyOf": [
                { "type": "number", "minimum": 0, "maximum": 1 },
                { "type": "string", "pattern": "^([0-9.]+ *%|off)$" },
            ] }),
            Self::CountOrOff => json!({ "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "enum": [OFF] },
            ] }),
            Self::Hours => json!({ "type": "string", "pattern": "^[0-9]+ *(h|hours?|d|days?|w|weeks?)$" }),
            Self::Bytes => json!({ "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "string", "pattern": "^[0-9]+ *(B|kB|KB|KiB|MB|MiB|GB|GiB)?$" },
            ] }),
            Self::Time => json!({ "type": "string", "pattern": "^[0-9]+ *(ms|s|min)$" }),
            Self::Number => json!({ "anyOf": [
                { "type": "integer", "minimum": 1 },
                { "type": "string", "pattern": "^[0-9]+ *[kM]?$" },
            ] }),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Words(words) => json!({ "enum": words }),
            Self::Object(shape) => {
                let name = shape.slug();
                if !defs.contains_key(&name) {
                    defs.insert(name.clone(), Json::Null);
                    let schema = shape.schema(defs);
                    defs.insert(name.clone(), schema);
                }
                json!({ "$ref": format!("#/$defs/{name}") })
            }
            Self::List(kind) => json!({ "type": "array", "items": kind.schema(defs) }),
            Self::OneOrMore(kind) => {
                let one = kind.schema(defs);
                json!({ "anyOf": [one, { "type": "array", "items": one }] })
            }
            Self::Named(kind) | Self::Keyed(kind) => {
                json!({ "type": "object", "additionalProperties": kind.schema(defs) })
            }
            Self::Either(kinds) => {
                json!({ "anyOf": kinds.iter().map(|kind| kind.schema(defs)).collect::<Vec<_>>() })
            }
        }
    }
}

impl Shape {
    fn slug(&self) -> String {
        // Without its article; a name of one word has none.
        let name = self.name.split_once(' ').map_or(self.name, |(_, rest)| rest);
        name.replace(' ', "_").replace('`', "")
    }

    fn schema(&self, defs: &mut BTreeMap<String, Json>) -> Json {
        let mut properties = serde_json::Map::new();
        for field in self.keys {
            let mut schema = field.kind.schema(defs);
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), json!(field.doc));
            }
            properties.insert(field.name.to_owned(), schema);
        }
        let required: Vec<&str> =
            self.keys.iter().filter(|field| field.required).map(|field| field.name).collect();
        let form = if required.is_empty() { json!(["object", "null"]) } else { json!("object") };
        let mut schema = json!({
            "type": form,
            "description": self.doc,
            "properties": properties,
            "additionalProperties": self.rest.map_or(json!(false), |kind| kind.schema(defs)),
        });
        if let (Some(schema), false) = (schema.as_object_mut(), required.is_empty()) {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }

    /// The JSON Schema of a file that holds this object.
    pub fn document(&self, title: &str) -> Json {
        let mut defs = BTreeMap::new();
        let mut schema = self.schema(&mut defs);
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
            schema.insert("title".to_owned(), json!(title));
            schema.insert("$defs".to_owned(), json!(defs));
        }
        schema
    }
}
