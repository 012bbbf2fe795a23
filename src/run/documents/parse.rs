//! Parsing a document by what its source declares: with a program of the user's, or by its format.

use std::path::Path;

use crate::model::job::Source;
use crate::parse::Format;
use crate::source::folder;
use crate::worker::{Parsed, Pool};

/// Parses the bytes of the file with this path below the source's folder. A text that came with an edit has no
/// file, so no program is called for it.
pub(in crate::run) fn parse(
    workers: &Pool,
    source: &Source,
    path: &str,
    on_disk: Option<&Path>,
    bytes: &[u8],
) -> Parsed {
    let file = format!("{}/{path}", source.path);
    if let (Some(parser), Some(on_disk)) = (&source.parser, on_disk)
        && folder::is_parsed_by_program(source, path)
    {
        return workers.parse_with(parser, &file, on_disk, bytes, &source.limits);
    }
    workers.parse(&file, Format::of(path).unwrap_or(Format::Text), bytes, &source.limits)
}
