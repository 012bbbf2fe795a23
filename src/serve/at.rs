//! Where in its file something stands, as answers say it: `line` as a number, `place` in words.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::model::spot::Spot;

/// Where in its file something stands, if that is known. In JSON it is the two fields of `Written`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct At(pub Option<Spot>);

/// How [`At`] is written.
#[derive(Serialize, JsonSchema)]
struct Written {
    /// The line; 0 if the file has no lines, or if it is not known.
    line: u32,
    /// The same in words, also where there are no lines: `line 4`, `page 3`, `paragraph 12`, `Sheet1!B7`; empty if
    /// it is not known.
    place: String,
}

impl At {
    /// The line; 0 if there is none.
    pub fn line(&self) -> u32 {
        self.0.as_ref().map_or(0, Spot::line)
    }

    /// In words; empty if it is not known.
    pub fn text(&self) -> String {
        self.0.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// For a column of lines: the line, or in a file without lines where else it stands.
    pub fn cell(&self) -> String {
        match self.line() {
            0 => self.text(),
            line => line.to_string(),
        }
    }

    /// With its file: `path:4`, `path, page 3`, or the path alone.
    pub fn in_file(&self, path: &str) -> String {
        self.0.as_ref().map_or_else(|| path.to_owned(), |spot| spot.in_file(path))
    }
}

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { line: self.line(), place: self.text() }.serialize(serializer)
    }
}

impl JsonSchema for At {
    fn schema_name() -> Cow<'static, str> {
        Written::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Written::json_schema(generator)
    }
}
