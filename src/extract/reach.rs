//! How far a binding reaches: which chunks stand under the line that made it.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::model::chunk::{Chunk, ChunkBody, ChunkKind};
use crate::ontology::Scope;

/// A shorter line that is part of a longer one is a coincidence.
const LONG_LINE: usize = 20;

/// How far a binding reaches.
#[derive(Debug, Clone)]
pub(super) enum Reach {
    /// The whole document.
    Document,
    /// The chunks of these numbers.
    Chunks(BTreeSet<usize>),
}

/// A document's lines as they are compared: without line breaks. Made when first asked for.
#[derive(Debug, Default)]
pub(super) struct Outline(OnceCell<Vec<Lines>>);

/// A chunk's lines: where it stands, and its own.
#[derive(Debug)]
struct Lines {
    headings: Vec<String>,
    parents: Vec<String>,
    text: String,
}

impl Lines {
    fn of(body: &ChunkBody) -> Self {
        let all = |texts: &[String]| texts.iter().map(|text| one_line(text)).collect();
        Self {
            headings: all(&body.context.headings),
            parents: all(&body.context.parents),
            text: one_line(&body.text),
        }
    }
}

impl Outline {
    /// The chunks that a binding made in chunk `at` reaches. Linear in the chunks behind it.
    pub(super) fn reach(&self, scope: Scope, chunks: &[Chunk], at: usize) -> Reach {
        if scope == Scope::Document {
            return Reach::Document;
        }
        let lines = self.0.get_or_init(|| chunks.iter().map(|chunk| Lines::of(&chunk.body)).collect());
        reach(scope, chunks, lines, at)
    }
}

fn reach(scope: Scope, chunks: &[Chunk], lines: &[Lines], at: usize) -> Reach {
    let origin = &chunks[at].body;
    // What a heading binds holds below the heading.
    let mut section = lines[at].headings.clone();
    if origin.kind == ChunkKind::Heading {
        section.push(lines[at].text.clone());
    }
    let behind = at + 1..chunks.len();
    match scope {
        Scope::Document => Reach::Document,
        Scope::Section => {
            let below = |next: &usize| is_below(&lines[*next].headings, &section);
            Reach::Chunks(std::iter::once(at).chain(behind.filter(below)).collect())
        }
        Scope::ItemsBelow => {
            // The same line may open two lists; each ends where its line stands again.
            let end =
                (at + 1..chunks.len()).find(|next| chunks[*next].body == *origin).unwrap_or(chunks.len());
            let below = |next: &usize| match origin.kind {
                ChunkKind::Heading => {
                    chunks[*next].body.kind == ChunkKind::Item && is_below(&lines[*next].headings, &section)
                }
                _ => {
                    chunks[*next].body.context.headings == origin.context.headings
                        && is_item_below(&lines[*next].parents, &lines[at].text)
                }
            };
            Reach::Chunks((at + 1..end).filter(below).collect())
        }
        Scope::Table => {
            let same = |next: &usize| {
                let headings = &lines[*next].headings;
                headings.len() == section.len() && is_below(headings, &section)
            };
            let first = behind.take_while(same).find(|next| header_of(&chunks[*next].body).is_some());
            let Some(first) = first else { return Reach::Chunks(BTreeSet::new()) };
            let header = header_of(&chunks[first].body);
            let rows = (first..chunks.len()).take_while(|next| header_of(&chunks[*next].body) == header);
            Reach::Chunks(rows.collect())
        }
    }
}

fn header_of(body: &ChunkBody) -> Option<&Vec<String>> {
    match &body.kind {
        ChunkKind::Rows { header, .. } => Some(header),
        _ => None,
    }
}

/// True if a chunk with these headings stands in the section or below it.
fn is_below(headings: &[String], section: &[String]) -> bool {
    headings.len() >= section.len()
        && headings.iter().zip(section).all(|(heading, above)| {
            // A context may leave out the number that the heading itself has.
            above
                .strip_suffix(heading.as_str())
                .is_some_and(|before| before.is_empty() || before.ends_with(' '))
        })
}

/// True if an item with these parents stands under a line, directly or further in.
fn is_item_below(parents: &[String], line: &str) -> bool {
    // A context may keep a part of a long parent line, and a chunk may be a part of one.
    let part = |whole: &str, part: &str| part.len() > LONG_LINE && whole.contains(part);
    parents.iter().any(|parent| parent == line || part(parent, line) || part(line, parent))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::chunk::Context;

    fn chunk(text: &str, kind: ChunkKind, headings: &[&str], parents: &[&str]) -> Chunk {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let context = Context { headings: owned(headings), parents: owned(parents), ..Context::default() };
        let body = ChunkBody { text: text.to_owned(), context, kind, links: Vec::new() };
        Chunk { id: Chunk::id_of(&body), occurrence: 0, start: 0, marks: Vec::new(), body }
    }

    fn reached(scope: Scope, chunks: &[Chunk], at: usize) -> Vec<usize> {
        let reach = Outline::default().reach(scope, chunks, at);
        match reach {
            Reach::Document => (0..chunks.len()).collect(),
            Reach::Chunks(chunks) => chunks.into_iter().collect(),
        }
    }

    #[test]
    fn lines_are_found_however_they_are_broken_and_numbered() {
        let line = "Section 7 is amended\nas follows:";
        let parent = "Section 7 is amended as follows:";
        let chunks = [
            chunk("4. Changes", ChunkKind::Heading, &["Part A"], &[]),
            chunk(line, ChunkKind::Prose, &["Part A", "Changes"], &[]),
            chunk("(a) is repealed", ChunkKind::Item, &["Part A", "Changes"], &[parent]),
            chunk("(i) too", ChunkKind::Item, &["Part A", "Changes"], &[parent, "(a) is repealed"]),
            chunk("(b) is other", ChunkKind::Item, &["Part A", "Changes"], &["Another line:"]),
            chunk("(a) is repealed", ChunkKind::Item, &["Part B"], &[parent]),
            chunk("More.", ChunkKind::Prose, &["Part A", "Changes", "More"], &[]),
        ];
        assert_eq!(reached(Scope::ItemsBelow, &chunks, 1), [2, 3]);
        assert_eq!(reached(Scope::ItemsBelow, &chunks, 0), [2, 3, 4]);
        assert_eq!(reached(Scope::Section, &chunks, 0), [0, 1, 2, 3, 4, 6]);
        assert_eq!(reached(Scope::Section, &chunks, 1), [1, 2, 3, 4, 6]);
        assert_eq!(reached(Scope::Document, &chunks, 3).len(), 7);
        assert_eq!(reached(Scope::Table, &chunks, 1), Vec::<usize>::new());
    }
}
