//! What a file is by its bytes, whatever its name says, for feeds and documents alike.
//!
//! What comes in: a file's bytes. What goes out: words for a person. It must not know what the file was taken for.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

/// How an OLE file begins: the formats of Office before 2007, and encrypted packages.
pub const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// A workbook of any kind that is read.
pub const WORKBOOK: &str = "a workbook";
/// A Word document that is read.
pub const WORD: &str = "a Word document";
/// A workbook of Office before 2007, which is read as well.
pub const OLD_WORKBOOK: &str = "a workbook of an older Office";
/// An archive that says nothing of what it is, or is damaged.
pub const PACKAGE: &str = "another kind of package";
/// An OLE file that says nothing of what it is.
pub const OLDER: &str = "a file of an older Office";
/// Columns that are read as a feed.
pub const PARQUET: &str = "a Parquet file";
/// Text of any kind.
pub const TEXT: &str = "text";
/// Nothing, or nothing but zeros.
pub const EMPTY: &str = "empty";
/// Bytes that begin like nothing of this list.
pub const UNKNOWN: &str = "of no format that is known";

/// How files begin, and what they are then.
const BEGINNINGS: [(&[u8], &str); 7] = [
    (b"%PDF-", "a PDF"),
    (b"{\\rtf", "rich text"),
    (b"PAR1", PARQUET),
    (b"SQLite format 3\0", "a database of SQLite"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"\x1f\x8b", "packed with gzip"),
];

/// What bytes are, to stand behind `the file is`. Linear in the bytes of an OLE file, else in its list of parts.
pub fn what_it_is(bytes: &[u8]) -> &'static str {
    let is_html = |text: &[u8]| {
        let text = text.trim_ascii_start();
        [&b"<!doctype html"[..], b"<html"]
            .iter()
            .any(|tag| text.get(..tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag)))
    };
    if let Some((_, what)) = BEGINNINGS.iter().find(|(head, _)| bytes.starts_with(head)) {
        what
    } else if bytes.starts_with(OLE) {
        what_is_in_ole(bytes)
    } else if bytes.starts_with(b"PK") {
        what_is_packed(bytes)
    } else if bytes.iter().all(|byte| *byte == 0) {
        EMPTY
    } else if is_html(bytes) {
        "a page of the web"
    } else if is_text(bytes.get(..64).unwrap_or(bytes)) {
        TEXT
    } else {
        UNKNOWN
    }
}

/// A last character that is cut in two is text as well.
fn is_text(head: &[u8]) -> bool {
    !head.contains(&0) && std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// What an archive is, by the parts that such a file must have.
fn what_is_packed(bytes: &[u8]) -> &'static str {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else { return PACKAGE };
    let has = |name: &str| archive.index_for_name_raw(name.as_bytes()).is_some();
    if has("xl/workbook.xml") || has("xl/workbook.bin") {
        return WORKBOOK;
    }
    if has("word/document.xml") {
        return WORD;
    }
    if has("ppt/presentation.xml") {
        return "a presentation";
    }
    let Some(at) = archive.index_for_name_raw(b"mimetype") else { return PACKAGE };
    let mut kind = String::new();
    let read = archive.by_index(at).map(|part| part.take(128).read_to_string(&mut kind));
    match kind
        .trim()
        .strip_prefix("application/vnd.oasis.opendocument.")
        .filter(|_| matches!(read, Ok(Ok(_))))
    {
        Some(kind) if kind.starts_with("spreadsheet") => WORKBOOK,
        Some(kind) if kind.starts_with("text") => "a text of OpenDocument",
        Some(_) => "a drawing or presentation of OpenDocument",
        None => PACKAGE,
    }
}

/// What an OLE file is, by the streams that its directory names.
fn what_is_in_ole(bytes: &[u8]) -> &'static str {
    if names_stream(bytes, "WordDocument") {
        "a Word document of an older Office"
    } else if names_stream(bytes, "PowerPoint Document") {
        "a presentation of an older Office"
    } else if names_stream(bytes, "Workbook") || names_stream(bytes, "Book") {
        OLD_WORKBOOK
    } else {
        OLDER
    }
}

/// True if an OLE file holds an encrypted package.
pub fn is_encrypted(bytes: &[u8]) -> bool {
    names_stream(bytes, "EncryptedPackage")
}

fn names_stream(bytes: &[u8], name: &str) -> bool {
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(name.len()).any(|window| window == name)
}

/// What is wrong with an archive. Its list of parts stands at its end, so that is what a cut takes first.
pub fn archive_fault(error: &ZipError) -> String {
    match error {
        ZipError::InvalidArchive(why) if why.contains("EOCD") => {
            "its end is missing, as of a file that was cut off on its way".to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn packed(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn files_are_what_their_bytes_are() {
        let ole = |stream: &str| {
            [OLE.to_vec(), stream.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()
        };
        let open =
            |kind: &str| packed(&[("mimetype", &format!("application/vnd.oasis.opendocument.{kind}"))]);
        let cases = [
            (b"".to_vec(), EMPTY),
            (vec![0; 9], EMPTY),
            (b"%PDF-1.7".to_vec(), "a PDF"),
            (b"id,name\n".to_vec(), TEXT),
            ("x".repeat(63).into_bytes().into_iter().chain("ü".bytes()).collect(), TEXT),
            (b"\n<HTML><body>404".to_vec(), "a page of the web"),
            (b"\x00\x01\x02".to_vec(), UNKNOWN),
            (b"PK\x03\x04".to_vec(), PACKAGE),
            (packed(&[("a.xml", "")]), PACKAGE),
            (packed(&[("xl/workbook.bin", "")]), WORKBOOK),
            (packed(&[("word/document.xml", "")]), WORD),
            (open("spreadsheet"), WORKBOOK),
            (open("text"), "a text of OpenDocument"),
            (ole("WordDocument"), "a Word document of an older Office"),
            (ole("Workbook"), "a workbook of an older Office"),
            (ole("x"), OLDER),
        ];
        for (bytes, expected) in cases {
            assert_eq!(what_it_is(&bytes), expected, "{:?}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn an_archive_without_its_end_was_cut_off() {
        let whole = packed(&[("a.xml", "<a/>")]);
        let error = ZipArchive::new(Cursor::new(&whole[..whole.len() - 30])).err().unwrap();
        assert_eq!(archive_fault(&error), "its end is missing, as of a file that was cut off on its way");
    }
}
