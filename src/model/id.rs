//! Identities: who is who, as typed values whose text form reads back to the same value.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that cannot be read back into an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct BadId {
    text: String,
    expected: &'static str,
}

/// Defines a 16-byte identity that is a hash; its text form is 32 lower-case hexadecimal digits.
macro_rules! hash_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name([u8; 16]);

        impl $name {
            /// Hashes the parts, each with its length, so that no two lists of parts collide by joining.
            pub fn of(parts: &[&str]) -> Self {
                Self(hash_parts($what, parts))
            }

            /// The bytes of the hash, for a reader that keeps them as numbers.
            pub fn to_bytes(self) -> [u8; 16] {
                self.0
            }

            /// The identity with these bytes.
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut text = [0; 32];
                for (at, byte) in self.0.iter().enumerate() {
                    text[2 * at] = HEX[usize::from(byte >> 4)];
                    text[2 * at + 1] = HEX[usize::from(byte & 15)];
                }
                f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = BadId;
            fn from_str(text: &str) -> Result<Self, BadId> {
                read_hex(text).map(Self).ok_or_else(|| BadId { text: text.to_owned(), expected: $what })
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;
            fn try_from(text: String) -> Result<Self, BadId> {
                text.parse()
            }
        }
    };
}

/// The digits of a hash's text form. Ids are written by the thousand, so they are not formatted byte by byte.
const HEX: &[u8; 16] = b"0123456789abcdef";

fn hash_parts(domain: &str, parts: &[&str]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in std::iter::once(&domain).chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    id
}

fn read_hex(text: &str) -> Option<[u8; 16]> {
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)) {
        return None;
    }
    let mut id = [0; 16];
    for (at, byte) in id.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(id)
}

hash_id! {
    /// Names a fact: (subject, edge type, object, identity properties), and never dates or evidence.
    FactId, "a fact id"
}
hash_id! {
    /// Names a piece of text in its context; equal text in an equal context has an equal id anywhere.
    ChunkId, "a chunk id"
}
hash_id! {
    /// Names one reading of one source: (origin, rule, fact, interval as read, quote, occurrence).
    AssertionId, "an assertion id"
}
hash_id! {
    /// A hash over exact bytes, or over the exact inputs of a stage; equality is the only test for "unchanged".
    Fingerprint, "a fingerprint"
}

impl Fingerprint {
    /// The fingerprint of raw bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(id)
    }
}

/// An entity's key: its type and the key in its system of record. Keys are text: `007` is not `7`.
///
/// The text form is `Type:key`. A type name never contains a colon, so the form reads back.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct EntityKey {
    entity_type: String,
    key: String,
}

impl EntityKey {
    /// Makes a key; `None` if either part is empty or the type contains a colon.
    pub fn new(entity_type: &str, key: &str) -> Option<Self> {
        let sound = !entity_type.is_empty() && !entity_type.contains(':') && !key.is_empty();
        sound.then(|| Self { entity_type: entity_type.to_owned(), key: key.to_owned() })
    }

    /// A key of several parts, such as (contract, schedule). Parts are escaped, so (a, bc) is not (ab, c).
    pub fn compound(entity_type: &str, parts: &[&str]) -> Option<Self> {
        let escaped: Vec<String> =
            parts.iter().map(|part| part.replace('\\', "\\\\").replace('/', "\\/")).collect();
        Self::new(entity_type, &escaped.join("/"))
    }

    /// The parts of the key, as [`EntityKey::compound`] joined them; a key that is none has one part.
    pub fn parts(&self) -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut characters = self.key.chars();
        while let Some(character) = characters.next() {
            let last = parts.len() - 1;
            match character {
                '/' => parts.push(String::new()),
                '\\' => parts[last].extend(characters.next()),
                _ => parts[last].push(character),
            }
        }
        parts
    }

    /// The entity type's name.
    pub fn entity_type(&self) -> &str {
        &self.entity_type
    }

    /// The key inside its type.
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Display for EntityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entity_type, self.key)
    }
}

impl fmt::Debug for EntityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for EntityKey {
    type Err = BadId;
    fn from_str(text: &str) -> Result<Self, BadId> {
        text.split_once(':')
            .and_then(|(entity_type, key)| Self::new(entity_type, key))
            .ok_or_else(|| BadId { text: text.to_owned(), expected: "an entity key (`Type:key`)" })
    }
}

impl From<EntityKey> for String {
    fn from(key: EntityKey) -> String {
        key.to_string()
    }
}

impl TryFrom<String> for EntityKey {
    type Error = BadId;
    fn try_from(text: String) -> Result<Self, BadId> {
        text.parse()
    }
}

/// A document's id: the source that it comes from and its key there (the declared key, else its path).
///
/// Paths are relative, `/`-separated and NFC, so the id is the same on every machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct DocumentId {
    source: String,
    key: String,
}

impl DocumentId {
    /// Makes an id; `None` if a part is empty or the source name contains a slash.
    pub fn new(source: &str, key: &str) -> Option<Self> {
        let sound = !source.is_empty() && !source.contains('/') && !key.is_empty();
        sound.then(|| Self { source: source.to_owned(), key: key.to_owned() })
    }

    /// The source's name.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The key inside the source.
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.source, self.key)
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for DocumentId {
    type Err = BadId;
    fn from_str(text: &str) -> Result<Self, BadId> {
        text.split_once('/')
            .and_then(|(source, key)| Self::new(source, key))
            .ok_or_else(|| BadId { text: text.to_owned(), expected: "a document id (`source/path`)" })
    }
}

impl From<DocumentId> for String {
    fn from(id: DocumentId) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for DocumentId {
    type Error = BadId;
    fn try_from(text: String) -> Result<Self, BadId> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_forms_read_back() {
        let key = EntityKey::new("Component", "A/1:(x), |\"q\"").unwrap();
        assert_eq!(key.to_string().parse::<EntityKey>().unwrap(), key);
        let document = DocumentId::new("contracts", "a/b.md").unwrap();
        assert_eq!(document.to_string().parse::<DocumentId>().unwrap(), document);
        let fact = FactId::of(&["a", "b"]);
        assert_eq!(fact.to_string().parse::<FactId>().unwrap(), fact);
        assert!("A".repeat(32).parse::<FactId>().is_err());
    }

    #[test]
    fn parts_do_not_collide_by_joining() {
        assert_ne!(FactId::of(&["a", "bc"]), FactId::of(&["ab", "c"]));
        assert_ne!(EntityKey::compound("T", &["a", "b/c"]), EntityKey::compound("T", &["a/b", "c"]));
        assert_ne!(EntityKey::compound("T", &["a\\", "b"]), EntityKey::compound("T", &["a", "\\b"]));
        for parts in [&["a", "b/c"][..], &["a\\", "/b", ""], &["one"]] {
            assert_eq!(EntityKey::compound("T", parts).unwrap().parts(), parts);
        }
    }
}
