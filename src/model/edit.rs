//! Edits by hand: the one feed, and the one folder of documents, that edgewright keeps itself.
//!
//! An edit is a row of the feed [`EDITS`], with its number as its key. What it says of the graph has that
//! row as its origin, so a person's word is evidence like a row of master data: it is shown by `why`,
//! counted as a segment, kept by every rebuild, and it goes when the row's word is taken back.

use super::assertion::Origin;
use super::id::DocumentId;

/// The name of the feed of edits, and of the source of the texts that came with them. No job may use it.
pub const EDITS: &str = "edit";

impl Origin {
    /// True if a person has said so by an edit.
    pub fn is_by_hand(&self) -> bool {
        matches!(self, Self::Row { feed, .. } if feed == EDITS)
    }
}

/// The document that holds the text which came with an edit.
pub fn document_of(number: &str) -> Option<DocumentId> {
    DocumentId::new(EDITS, &format!("{number}.md"))
}

/// The number of the edit with which a document came, if it came with one.
pub fn edit_of(document: &DocumentId) -> Option<&str> {
    (document.source() == EDITS).then(|| document.key().strip_suffix(".md"))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_an_edit_leads_back_to_it() {
        let document = document_of("12").unwrap();
        assert_eq!((document.to_string().as_str(), edit_of(&document)), ("edit/12.md", Some("12")));
        assert_eq!(edit_of(&DocumentId::new("contracts", "12.md").unwrap()), None);
    }
}
