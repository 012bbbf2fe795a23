//! The properties of a PDF: title, author, dates and the like, as header fields at the top of the text.

use pdf_oxide::PdfDocument;

use crate::model::document::BlockKind;
use crate::model::spot::Spot;
use crate::parse::build::{Builder, one_line};

/// The properties that speak of the document, with the names of their fields.
const PROPERTIES: [(&str, &str); 6] = [
    ("Title", "title"),
    ("Author", "author"),
    ("Subject", "subject"),
    ("Keywords", "keywords"),
    ("CreationDate", "created"),
    ("ModDate", "modified"),
];

/// Titles that programs write unasked.
const NO_TITLES: [&str; 2] = ["untitled", "microsoft word - "];

/// Writes the properties, one a line, so that they can be quoted.
pub(super) fn write(builder: &mut Builder, pdf: &PdfDocument) {
    let info = pdf.trailer().as_dict().and_then(|trailer| trailer.get("Info"));
    let Some(info) = info.and_then(|info| pdf.resolve_object(info).ok()) else { return };
    let Some(info) = info.as_dict() else { return };
    let value = |key: &str| -> Option<String> {
        let value = pdf.resolve_object(info.get(key)?).ok()?;
        let text = one_line(&text(value.as_string()?));
        let text = if key.ends_with("Date") { day(&text)? } else { text };
        let useless = key == "Title" && NO_TITLES.iter().any(|no| text.to_lowercase().starts_with(no));
        (!text.is_empty() && !useless).then_some(text)
    };
    let page = Spot::Page(1);
    let mut begun = false;
    for (key, name) in PROPERTIES {
        let Some(value) = value(key) else { continue };
        if !std::mem::replace(&mut begun, true) {
            builder.begin(false);
        }
        builder.push_at(&format!("{name}: "), &page);
        let start = builder.len();
        builder.push_at(&value, &page);
        builder.field(name, (start..builder.len()).into());
        builder.push_at("\n", &page);
    }
    if begun {
        builder.end(BlockKind::Paragraph);
    }
}

/// A text string of PDF: UTF-16 or UTF-8 if a mark says so, else nearly Latin-1.
fn text(bytes: &[u8]) -> String {
    let readable = |text: String| text.chars().filter(|letter| !letter.is_control()).collect::<String>();
    readable(match bytes {
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0.into_owned(),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
        },
    })
}

/// The day of `D:20240301120000+01'00'`.
fn day(written: &str) -> Option<String> {
    let digits = written.trim_start_matches("D:");
    let part =
        |from: usize, to: usize| digits.get(from..to).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let (year, month, day) = (part(0, 4)?, part(4, 6).unwrap_or("01"), part(6, 8).unwrap_or("01"));
    let sound = ("01"..="12").contains(&month) && ("01"..="31").contains(&day) && year > "1900";
    sound.then(|| format!("{year}-{month}-{day}"))
}
