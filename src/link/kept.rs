//! How names lie on disk: numbers, texts and bytes in a row, behind a hash that tells whether they are whole.
//!
//! Knows no name. What is read is checked once as a whole; after that only lengths can be wrong, and only
//! if another program wrote them.

/// Bytes of the hash in front.
const HASH: usize = 32;

/// Writes.
#[derive(Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    /// Writes a number.
    pub(super) fn number(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Writes bytes with their length.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
    }

    /// Writes numbers with their count.
    pub(super) fn numbers(&mut self, numbers: impl Iterator<Item = u32>) {
        let bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        self.bytes(&bytes);
    }

    /// Writes texts.
    pub(super) fn texts(&mut self, texts: &Texts) {
        self.numbers(texts.ends.iter().copied());
        self.bytes(texts.all.as_bytes());
    }

    /// What was written, behind its hash.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut whole = blake3::hash(&self.0).as_bytes().to_vec();
        whole.extend(self.0);
        whole
    }
}

/// Reads what [`Writer`] wrote.
#[derive(Debug)]
pub(super) struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    /// Begins; `None` if the bytes are not whole.
    pub(super) fn of(bytes: &'b [u8]) -> Option<Self> {
        let (hash, rest) = bytes.split_at_checked(HASH)?;
        (blake3::hash(rest).as_bytes() == hash).then_some(Self(rest))
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a number.
    pub(super) fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    /// Reads bytes.
    pub(super) fn bytes(&mut self) -> Option<&'b [u8]> {
        let count = self.number()?;
        self.take(count as usize)
    }

    /// Reads numbers.
    pub(super) fn numbers(&mut self) -> Option<Vec<u32>> {
        let numbers = self.bytes()?.chunks_exact(4).filter_map(|word| word.try_into().ok());
        Some(numbers.map(u32::from_le_bytes).collect())
    }

    /// Reads texts.
    pub(super) fn texts(&mut self) -> Option<Texts> {
        let ends = self.numbers()?;
        let all = String::from_utf8(self.bytes()?.to_vec()).ok()?;
        Some(Texts { all, ends })
    }
}

/// Many texts in one piece of memory, by number.
#[derive(Debug, Default)]
pub(super) struct Texts {
    all: String,
    /// Where each text ends.
    ends: Vec<u32>,
}

impl Texts {
    /// Adds a text.
    pub(super) fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len() as u32);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of this number.
    pub(super) fn get(&self, number: usize) -> Option<&str> {
        let from = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.all.get(from as usize..*self.ends.get(number)? as usize)
    }

    /// The number of the text that compares as equal; the texts are sorted by what compares.
    pub(super) fn search(&self, mut compare: impl FnMut(&str) -> std::cmp::Ordering) -> Option<usize> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            match compare(self.get(middle)?) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}
