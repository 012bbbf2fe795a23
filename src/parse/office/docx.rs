//! Word documents: the text as it stands when every tracked change is accepted.
//!
//! Headers, footers, comments and field codes are left out; footnotes and endnotes stand behind the paragraph that
//! refers to them, and text boxes and the
//! numbers of charts behind the one that they hang on. Pages are made when the document is printed, so
//! its spots are paragraphs: those that have text, as they stand in the body, cells and text boxes included.

use super::{Fault, Package, main_part, properties, relations};
use crate::model::document::Document;
use crate::model::file::{PACKAGE, WORD, what_it_is};
use crate::parse::build::Builder;

mod body;
mod chart;
mod numbering;
mod styles;
mod write;

/// Reads a Word document.
pub(in crate::parse) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    let mut package = Package::open(bytes)?;
    let Some(part) = main_part(&mut package, "word/document.xml")? else {
        return Err(match what_it_is(bytes) {
            WORD | PACKAGE => Fault::Damaged("it has no part `word/document.xml`".to_owned()),
            what => Fault::Other(what),
        });
    };
    if !part.ends_with(".xml") || package.has("xl/workbook.xml") {
        return Err(Fault::Other(what_it_is(bytes)));
    }
    let related = relations(&mut package, &part)?;
    let styles = styles::read(&mut package, &related)?;
    let numbering = numbering::read(&mut package, &related, &styles)?;
    let footnotes = body::notes(&mut package, &related, "footnotes")?;
    let endnotes = body::notes(&mut package, &related, "endnotes")?;
    let charts = chart::read(&mut package, &related)?;
    let Some(text) = package.text(&part)? else {
        return Err(Fault::Damaged(format!("it has no part `{part}`")));
    };
    let parts =
        body::read(&text, &related, charts).map_err(|why| Fault::Damaged(format!("`{part}`: {why}")))?;
    let mut builder = Builder::default();
    properties::write(&mut builder, &properties::read(&mut package)?);
    write::write(&mut builder, &parts, styles, numbering, write::Notes { footnotes, endnotes });
    Ok(builder.finish())
}
