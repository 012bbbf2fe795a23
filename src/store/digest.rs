//! Digests: the state as a sum that follows the change, the history as a chain.
//!
//! The state digest is the sum, modulo 2^256, of the hashes of the lines that make up the state. A sum does
//! not depend on order, and a change adds and subtracts its own lines only. It guards against mistakes and
//! damage, not against an adversary who constructs records.

use std::fmt;
use std::str::FromStr;

/// A sum of hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest([u64; 4]);

impl Digest {
    /// Adds a line.
    pub fn add(&mut self, line: &[u8]) {
        self.combine(Self::of(line), u64::overflowing_add);
    }

    /// Takes a line away.
    pub fn subtract(&mut self, line: &[u8]) {
        self.combine(Self::of(line), u64::overflowing_sub);
    }

    /// This sum without the lines of another one.
    pub fn without(mut self, other: Self) -> Self {
        self.combine(other, u64::overflowing_sub);
        self
    }

    /// This sum with the lines of another one.
    pub fn with(mut self, other: Self) -> Self {
        self.combine(other, u64::overflowing_add);
        self
    }

    /// The sum of one line.
    fn of(line: &[u8]) -> Self {
        let hash = blake3::hash(line);
        let mut limbs = [0; 4];
        for (limb, bytes) in limbs.iter_mut().zip(hash.as_bytes().chunks_exact(8)) {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            *limb = u64::from_le_bytes(word);
        }
        Self(limbs)
    }

    fn combine(&mut self, other: Self, step: fn(u64, u64) -> (u64, bool)) {
        let mut carry = 0;
        for (limb, word) in self.0.iter_mut().zip(other.0) {
            let (sum, over) = step(*limb, word);
            let (sum, over_again) = step(sum, carry);
            *limb = sum;
            carry = u64::from(over || over_again);
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|limb| write!(f, "{limb:016x}"))
    }
}

impl FromStr for Digest {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a digest");
        if text.len() != 64 || !text.is_ascii() {
            return Err(bad());
        }
        let mut limbs = [0; 4];
        for (at, limb) in limbs.iter_mut().rev().enumerate() {
            *limb = u64::from_str_radix(&text[16 * at..16 * at + 16], 16).map_err(|_| bad())?;
        }
        Ok(Self(limbs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_a_sum_without_order() {
        let lines: Vec<String> = (0..50).map(|n| format!("line {n}")).collect();
        let mut forward = Digest::default();
        lines.iter().for_each(|line| forward.add(line.as_bytes()));
        let mut backward = Digest::default();
        lines.iter().rev().for_each(|line| backward.add(line.as_bytes()));
        assert_eq!(forward, backward);
        assert_eq!(forward.to_string().parse(), Ok(forward));
        let mut half = Digest::default();
        lines[..25].iter().for_each(|line| half.add(line.as_bytes()));
        let mut rest = Digest::default();
        lines[25..].iter().for_each(|line| rest.add(line.as_bytes()));
        assert_eq!(forward.without(half), rest);
        assert_eq!(rest.with(half), forward);
        lines.iter().for_each(|line| forward.subtract(line.as_bytes()));
        assert_eq!(forward, Digest::default());
    }
}
