//! A set of texts that is walked byte by byte from each place at which a word begins: the names of one
//! style. Knows no entity.
//!
//! It is a finite state transducer: one array of bytes, smaller than the texts, that is walked as it lies
//! on disk. So what was built once is read back in the time that it takes to read the bytes.

use std::fmt;

use fst::raw::{CompiledAddr, Fst, Output};

/// The automaton. The value of a text is its place in the order.
pub(super) struct Automaton(Fst<Vec<u8>>);

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Automaton({} texts)", self.0.len())
    }
}

/// A place in the automaton: the state, and the value so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    state: CompiledAddr,
    value: Output,
}

impl Automaton {
    /// Builds the automaton of texts that are sorted, different and not empty. Linear in their bytes.
    pub(super) fn of(texts: &[&str]) -> Self {
        debug_assert!(texts.windows(2).all(|pair| pair[0] < pair[1]), "texts are sorted and different");
        Self(Fst::from_iter_map(texts.iter().zip(0..)).expect("texts are sorted and different"))
    }

    /// The automaton as it lies on disk; `None` if these bytes are none.
    pub(super) fn read(bytes: Vec<u8>) -> Option<Self> {
        Fst::new(bytes).ok().map(Self)
    }

    /// The bytes that [`Self::read`] takes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The place before every text.
    pub(super) fn start(&self) -> Place {
        Place { state: self.0.root().addr(), value: Output::zero() }
    }

    /// The place after these bytes; `None` if no text goes on so.
    pub(super) fn walk(&self, mut place: Place, text: &str) -> Option<Place> {
        for byte in text.bytes() {
            let state = self.0.node(place.state);
            let step = state.transition(state.find_input(byte)?);
            place = Place { state: step.addr, value: place.value.cat(step.out) };
        }
        Some(place)
    }

    /// The text that ends exactly here.
    pub(super) fn value(&self, place: Place) -> Option<usize> {
        let state = self.0.node(place.state);
        state.is_final().then(|| place.value.cat(state.final_output()).value() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_found_and_nothing_else() {
        let texts = ["a", "ab", "abc", "abd", "b", "bcdefg", "飞行", "飞行控制"];
        let built = Automaton::of(&texts);
        let read = Automaton::read(built.bytes().to_vec()).unwrap();
        for automaton in [&built, &read] {
            let value =
                |text: &str| automaton.walk(automaton.start(), text).and_then(|place| automaton.value(place));
            for (at, text) in texts.iter().enumerate() {
                assert_eq!(value(text), Some(at), "{text}");
            }
            for text in ["", "c", "abcd", "bc", "bcdefgh", "飞", "飞行控"] {
                assert_eq!(value(text), None, "{text}");
            }
        }
        assert!(Automaton::read(b"no automaton".to_vec()).is_none());
        assert_eq!(Automaton::of(&[]).value(Automaton::of(&[]).start()), None);
    }
}
