//! What review says of a rule: how many of its readings a person found right, and how sure that is.

use std::collections::{BTreeMap, BTreeSet};

use super::decision::{Answer, Question};
use super::stats::wilson;

/// Fewer reviewed readings than this say nothing: one rejection would stop a rule.
pub const ENOUGH: u64 = 10;

/// How many of a rule's reviewed readings were right as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reviewed {
    /// Those that were approved. A corrected one was read wrongly.
    pub right: u64,
    /// All that stand reviewed.
    pub of: u64,
}

impl Reviewed {
    /// The bounds of Wilson's 95 % interval of the rule's precision; everything is possible before a review.
    pub fn interval(self) -> (f64, f64) {
        wilson(self.right, self.of)
    }

    /// True if enough was reviewed to say that the rule's precision is below a floor.
    pub fn is_below(self, floor: f64) -> bool {
        self.of >= ENOUGH && self.interval().1 < floor
    }
}

/// Reviews by rule. A question counts once for each rule that poses it, however often it reads it.
#[derive(Debug, Clone, Default)]
pub struct Reviews {
    by_rule: BTreeMap<String, Reviewed>,
    counted: BTreeSet<(String, Question)>,
}

impl Reviews {
    /// Counts the answer that stands on a question which a rule poses.
    pub fn add(&mut self, rule: &str, question: &Question, answer: &Answer) {
        let right = match answer {
            Answer::Approve => 1,
            Answer::Reject { .. } | Answer::Correct { .. } => 0,
            Answer::Undo { .. } => return,
        };
        if self.counted.insert((rule.to_owned(), question.clone())) {
            let reviewed = self.by_rule.entry(rule.to_owned()).or_default();
            reviewed.right += right;
            reviewed.of += 1;
        }
    }

    /// What was counted for a rule.
    pub fn of(&self, rule: &str) -> Reviewed {
        self.by_rule.get(rule).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_imprecise_only_when_enough_was_reviewed() {
        assert!(!Reviewed { right: 0, of: 9 }.is_below(0.8));
        assert!(Reviewed { right: 5, of: 10 }.is_below(0.8));
        assert!(!Reviewed { right: 28, of: 40 }.is_below(0.8), "its interval still reaches the floor");
        assert!(!Reviewed { right: 10, of: 10 }.is_below(1.0));
    }
}
