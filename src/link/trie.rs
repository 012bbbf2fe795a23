//! A set of texts that is walked byte by byte: the names of one style. Knows no entity.

use std::collections::VecDeque;

/// No value, no node.
const NONE: u32 = u32::MAX;
/// Up to so many children a plain scan is as fast as a search.
const FEW_CHILDREN: usize = 8;

/// A path-compressed trie over sorted texts. The value of a text is its place in the order, and the size
/// is linear in the texts: at most two nodes a text.
#[derive(Debug, Default)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// For each node, the first byte of its label; children are neighbours, in the order of this byte.
    leads: Vec<u8>,
    labels: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    label: u32,
    length: u32,
    first_child: u32,
    children: u32,
    value: u32,
}

/// A place in a trie: so many bytes into the label of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    node: u32,
    into: u32,
}

/// Texts that still stand under a node: a range of the order, equal in their first `depth` bytes.
struct Rest {
    node: usize,
    from: usize,
    to: usize,
    depth: usize,
}

impl Trie {
    /// Builds the trie of texts that are sorted, different and not empty.
    pub(super) fn of(texts: &[&str]) -> Self {
        debug_assert!(texts.windows(2).all(|pair| pair[0] < pair[1]), "texts are sorted and different");
        let mut trie = Self::default();
        trie.push(&[]);
        let mut rests = VecDeque::from([Rest { node: 0, from: 0, to: texts.len(), depth: 0 }]);
        while let Some(rest) = rests.pop_front() {
            trie.branch(texts, &rest, &mut rests);
        }
        trie
    }

    fn branch(&mut self, texts: &[&str], rest: &Rest, rests: &mut VecDeque<Rest>) {
        let mut from = rest.from;
        if from < rest.to && texts[from].len() == rest.depth {
            self.nodes[rest.node].value = from as u32;
            from += 1;
        }
        let first_child = self.nodes.len();
        while from < rest.to {
            let lead = texts[from].as_bytes()[rest.depth];
            let to = from + texts[from..rest.to].partition_point(|text| text.as_bytes()[rest.depth] == lead);
            let depth = common_prefix(texts[from], texts[to - 1]);
            self.push(&texts[from].as_bytes()[rest.depth..depth]);
            rests.push_back(Rest { node: self.nodes.len() - 1, from, to, depth });
            from = to;
        }
        self.nodes[rest.node].first_child = first_child as u32;
        self.nodes[rest.node].children = (self.nodes.len() - first_child) as u32;
    }

    fn push(&mut self, label: &[u8]) {
        self.leads.push(label.first().copied().unwrap_or_default());
        self.nodes.push(Node {
            label: self.labels.len() as u32,
            length: label.len() as u32,
            first_child: 0,
            children: 0,
            value: NONE,
        });
        self.labels.extend_from_slice(label);
    }

    /// The place before every text.
    pub(super) fn start(&self) -> Place {
        Place { node: 0, into: 0 }
    }

    /// The place after these bytes; `None` if no text goes on so.
    pub(super) fn walk(&self, mut place: Place, text: &str) -> Option<Place> {
        for byte in text.bytes() {
            let node = self.nodes.get(place.node as usize)?;
            if place.into < node.length {
                if self.labels[(node.label + place.into) as usize] != byte {
                    return None;
                }
                place.into += 1;
            } else {
                place = Place { node: self.child(node, byte)?, into: 1 };
            }
        }
        Some(place)
    }

    fn child(&self, node: &Node, byte: u8) -> Option<u32> {
        let first = node.first_child as usize;
        let leads = &self.leads[first..first + node.children as usize];
        let at = if leads.len() <= FEW_CHILDREN {
            leads.iter().position(|lead| *lead == byte)
        } else {
            leads.binary_search(&byte).ok()
        };
        at.map(|at| (first + at) as u32)
    }

    /// The text that ends exactly here.
    pub(super) fn value(&self, place: Place) -> Option<usize> {
        let node = self.nodes.get(place.node as usize)?;
        (place.into == node.length && node.value != NONE).then_some(node.value as usize)
    }
}

fn common_prefix(first: &str, last: &str) -> usize {
    first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_found_and_nothing_else() {
        let texts = ["a", "ab", "abc", "abd", "b", "bcdefg", "飞行", "飞行控制"];
        let trie = Trie::of(&texts);
        let value = |text: &str| trie.walk(trie.start(), text).and_then(|place| trie.value(place));
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(value(text), Some(at), "{text}");
        }
        for text in ["", "c", "abcd", "bc", "bcdefgh", "飞", "飞行控"] {
            assert_eq!(value(text), None, "{text}");
        }
        let many: Vec<String> = (0..3000).map(|number| format!("n{number:05}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let trie = Trie::of(&many);
        assert!(many.iter().enumerate().all(|(at, text)| {
            trie.walk(trie.start(), text).and_then(|place| trie.value(place)) == Some(at)
        }));
        assert_eq!(Trie::of(&[]).value(Trie::of(&[]).start()), None);
    }
}
