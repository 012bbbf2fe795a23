//! The cells of rows, one behind the other in one text: a cell costs its text and four bytes.
//!
//! What comes in: rows, each at once. What goes out: cells by row and number. It must not know what they mean.

/// Rows of cells. A row may be shorter than others.
#[derive(Default)]
pub(super) struct Packed {
    text: String,
    /// Where each cell ends in the text; it begins where the one before ends.
    ends: Vec<u32>,
    /// The first cell of each row, and the one behind its last.
    rows: Vec<(u32, u32)>,
}

impl Packed {
    /// Adds a row. The text of all of them must be shorter than 4 GiB, as that of every feed is: false if it is not.
    pub(super) fn push<'c>(&mut self, cells: impl IntoIterator<Item = &'c str>) -> bool {
        let first = self.ends.len();
        for cell in cells {
            self.text.push_str(cell);
            let Ok(end) = u32::try_from(self.text.len()) else { return false };
            self.ends.push(end);
        }
        let (Ok(first), Ok(last)) = (u32::try_from(first), u32::try_from(self.ends.len())) else {
            return false;
        };
        self.rows.push((first, last));
        true
    }

    /// The text of all cells, where each ends, and the number of the first cell behind each row: for another process.
    /// The rows are as they were put in, but for the last ones.
    pub(super) fn parts(&self) -> (&str, &[u32], impl Iterator<Item = u32>) {
        (&self.text, &self.ends, self.rows.iter().map(|(_, behind)| *behind))
    }

    /// The rows of what [`Packed::parts`] gave; `None` if they are none. Linear in them.
    pub(super) fn of_parts(text: String, ends: Vec<u32>, behind: &[u32]) -> Option<Self> {
        let is_end = |end: &u32| text.is_char_boundary(*end as usize);
        let is_sound = ends.is_sorted() && ends.iter().all(is_end) && behind.is_sorted();
        let within = behind.last().is_none_or(|last| *last as usize <= ends.len());
        let firsts = std::iter::once(0).chain(behind.iter().copied());
        let rows = firsts.zip(behind.iter().copied()).collect();
        (is_sound && within).then_some(Self { text, ends, rows })
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A cell; empty behind the last of its row, and where there is no such row.
    pub(super) fn cell(&self, row: usize, at: usize) -> &str {
        let Some((first, last)) = self.rows.get(row) else { return "" };
        let number = (*first as usize).saturating_add(at);
        if number < *last as usize { self.text_of(number) } else { "" }
    }

    /// The cells of a row.
    pub(super) fn row(&self, row: usize) -> impl ExactSizeIterator<Item = &str> {
        let (first, last) = self.rows.get(row).copied().unwrap_or_default();
        (first as usize..last as usize).map(|number| self.text_of(number))
    }

    fn text_of(&self, number: usize) -> &str {
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Keeps the rows of which `keep` says so, by their numbers.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut numbers = 0..self.rows.len();
        self.rows.retain(|_| numbers.next().is_some_and(&mut keep));
    }

    /// Puts the rows in the order of these cells, then of all cells.
    pub(super) fn sort(&mut self, by: &[usize]) {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|one, other| {
            let by_key = by.iter().map(|at| self.cell(*one, *at).cmp(self.cell(*other, *at)));
            by_key
                .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
                .then_with(|| self.row(*one).cmp(self.row(*other)))
        });
        self.rows = order.into_iter().filter_map(|at| self.rows.get(at).copied()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::Packed;

    #[test]
    fn rows_are_what_was_put_in() {
        let mut packed = Packed::default();
        for row in [&["b", "", "x"][..], &[], &["a", "ü"], &["a", "t", "z"]] {
            assert!(packed.push(row.iter().copied()));
        }
        let rows = |packed: &Packed| -> Vec<String> {
            (0..packed.len()).map(|row| packed.row(row).collect::<Vec<_>>().join("|")).collect()
        };
        assert_eq!(rows(&packed), ["b||x", "", "a|ü", "a|t|z"]);
        assert_eq!(
            (packed.cell(0, 2), packed.cell(2, 1), packed.cell(2, 2), packed.cell(9, 0)),
            ("x", "ü", "", "")
        );
        packed.sort(&[1]);
        assert_eq!(rows(&packed), ["", "b||x", "a|t|z", "a|ü"]);
        packed.retain(|row| row != 1);
        assert_eq!(rows(&packed), ["", "a|t|z", "a|ü"]);
    }
}
