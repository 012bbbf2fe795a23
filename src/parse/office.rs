//! Office files: the package around their parts, and what may be wrong with it.
//!
//! A package is a ZIP archive of XML parts. Files come from anywhere, so what a part inflates to is counted while it
//! is inflated, by size and by ratio, and an archive of too many parts is not opened. XML is read as it comes,
//! without a tree, without entities of its own and to a depth.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::diag::{Diagnostic, Place};
use crate::model::file::{OLE, archive_fault, is_encrypted, what_it_is};

pub(super) mod docx;
mod properties;
pub(super) mod sheets;
mod xml;

/// How many parts a package has at most.
const MOST_PARTS: usize = 20_000;

/// What all parts that are read may inflate to, in bytes.
const MOST_INFLATED: usize = 512 << 20;

/// A part of more bytes must not be larger than [`LARGEST_RATIO`] times its packed form. Real parts are five to fifty
/// times as large, a bomb a thousand times.
const RATIO_FROM: usize = 16 << 20;
const LARGEST_RATIO: usize = 250;

/// Why a file cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is encrypted.
    Password,
    /// It is of another format than its name says: which, or that it is none that is known.
    Other(&'static str),
    /// Bytes are missing or wrong.
    Damaged(String),
    /// It inflates to more than may be.
    Bomb(String),
}

impl Fault {
    /// The fault as a diagnostic; `kind` says what the file should be: `a Word document`.
    pub(super) fn diagnostic(self, file: &str, kind: &str) -> Box<Diagnostic> {
        let (code, message, hint) = match self {
            Self::Password => (
                "parse-password",
                format!("the file is encrypted with a password, so it cannot be read as {kind}"),
                "save it without a password",
            ),
            Self::Other(what) => (
                "parse-format",
                format!("the file is not {kind} as its name says, but {what}"),
                "rename it to what it is, save it in its format again, or leave it out of the source",
            ),
            Self::Damaged(why) => (
                "parse-damaged",
                format!("the file is damaged and cannot be read as {kind}: {why}"),
                "fetch it again from where it came, or open it with its program, let that mend it, and save it anew",
            ),
            Self::Bomb(why) => (
                "parse-bomb",
                format!("the file inflates to more than a document does: {why}"),
                "leave it out of the source; if it is sound, split it or save it as text",
            ),
        };
        Box::new(Diagnostic::error(code, Place::file(file), message).hint(hint))
    }
}

/// An opened package.
pub(super) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    /// How many bytes may still be inflated.
    left: usize,
}

impl<'b> Package<'b> {
    /// Opens a package. Linear in its list of parts.
    pub(super) fn open(bytes: &'b [u8]) -> Result<Self, Fault> {
        if bytes.starts_with(OLE) {
            return Err(if is_encrypted(bytes) { Fault::Password } else { Fault::Other(what_it_is(bytes)) });
        }
        if !bytes.starts_with(b"PK") {
            return Err(Fault::Other(what_it_is(bytes)));
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| zip_fault(&error))?;
        if archive.len() > MOST_PARTS {
            return Err(Fault::Bomb(format!(
                "it has {} parts, of which {MOST_PARTS} are looked at",
                archive.len()
            )));
        }
        Ok(Self { archive, left: MOST_INFLATED })
    }

    /// True if the package has a part of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.archive.index_for_name_raw(name.as_bytes()).is_some()
    }

    /// The text of a part, if it is there.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Fault> {
        let Some(at) = self.archive.index_for_name_raw(name.as_bytes()) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.inflate(at, &mut |piece| bytes.extend_from_slice(piece))?;
        Ok(Some(decoded(bytes)))
    }

    /// Inflates every part that is XML or a sheet, for a reader that does so without counting.
    pub(super) fn inflate_all(&mut self) -> Result<(), Fault> {
        for at in 0..self.archive.len() {
            let name = self.archive.name_for_index(at).transpose().map_err(|error| zip_fault(&error))?;
            let is_read =
                |name: &str| [".xml", ".rels", ".bin", ".vml"].iter().any(|end| name.ends_with(end));
            if name.is_some_and(|name| is_read(&name)) {
                self.inflate(at, &mut |_| {})?;
            }
        }
        Ok(())
    }

    /// Inflates a part piece by piece, and stops where it becomes larger than it may.
    fn inflate(&mut self, at: usize, each: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
        let mut part = self.archive.by_index(at).map_err(|error| zip_fault(&error))?;
        let packed = usize::try_from(part.compressed_size()).unwrap_or(usize::MAX);
        let most = RATIO_FROM.max(packed.saturating_mul(LARGEST_RATIO)).min(self.left);
        let mut buffer = vec![0; 1 << 16];
        let mut size = 0;
        loop {
            let read = match part.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => {
                    let name = part.name().map_or_else(|_| "a part".to_owned(), |name| format!("`{name}`"));
                    return Err(Fault::Damaged(format!("{name}: {error}")));
                }
            };
            size += read;
            if size > most {
                let name = part.name().map_or_else(|_| "a part".to_owned(), |name| format!("`{name}`"));
                return Err(Fault::Bomb(format!(
                    "{name} has {packed} bytes packed and more than {most} unpacked"
                )));
            }
            each(buffer.get(..read).unwrap_or_default());
        }
        self.left -= size;
        Ok(())
    }
}

/// The text of an XML part: UTF-8, unless a mark says UTF-16.
fn decoded(bytes: Vec<u8>) -> String {
    match encoding_rs::Encoding::for_bom(&bytes) {
        Some((encoding, _)) => encoding.decode_with_bom_removal(&bytes).0.into_owned(),
        None => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}

fn zip_fault(error: &ZipError) -> Fault {
    match error {
        ZipError::UnsupportedArchive(why) if why.contains("assword") => Fault::Password,
        other => Fault::Damaged(archive_fault(other)),
    }
}

/// The folder and the name of a part.
pub(super) fn split_path(part: &str) -> (&str, &str) {
    part.rsplit_once('/').unwrap_or(("", part))
}

/// The relations of a part: id, kind (the last word of its type) and target; targets inside the package are whole
/// paths in it.
pub(super) struct Relation {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) target: String,
}

/// Reads the relations of a part; of the package itself for the empty name.
pub(super) fn relations(package: &mut Package<'_>, part: &str) -> Result<Vec<Relation>, Fault> {
    let (folder, name) = split_path(part);
    let path =
        if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") };
    let Some(text) = package.text(&path)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    xml::walk(&text, &mut |node| {
        if let xml::Node::Open(tag) = node
            && tag.local() == "Relationship"
        {
            let target = tag.value("Target").unwrap_or_default();
            let external = tag.value("TargetMode").is_some_and(|mode| mode == "External");
            found.push(Relation {
                id: tag.value("Id").unwrap_or_default(),
                kind: split_path(&tag.value("Type").unwrap_or_default()).1.to_owned(),
                target: if external { target } else { joined(folder, &target) },
            });
        }
        Ok(())
    })
    .map_err(|why| Fault::Damaged(format!("`{path}`: {why}")))?;
    Ok(found)
}

/// A target relative to a folder of the package; `/word/x.xml` is relative to the package.
fn joined(folder: &str, target: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    let whole = target.starts_with('/');
    for step in folder.split('/').filter(|_| !whole).chain(target.split('/')) {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// The main part of the package: the target of its `officeDocument` relation, else the usual name.
pub(super) fn main_part(package: &mut Package<'_>, usual: &str) -> Result<Option<String>, Fault> {
    let related = relations(package, "")?.into_iter().find(|relation| relation.kind == "officeDocument");
    let names = related.map(|relation| relation.target).into_iter().chain([usual.to_owned()]);
    Ok(names.into_iter().find(|name| package.has(name)))
}
