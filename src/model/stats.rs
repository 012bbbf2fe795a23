//! What counts say of shares: Wilson's intervals, and what a sample with so many wrong ones supports.

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// How sure a claim about a sample is, one-sided.
const SURE: f64 = 0.95;

/// The bounds of Wilson's 95 % interval of a share, of which `right` of `of` were seen; everything is possible
/// before anything was.
pub fn wilson(right: u64, of: u64) -> (f64, f64) {
    if of == 0 {
        return (0.0, 1.0);
    }
    let (hits, all) = (right as f64, of as f64);
    let share = hits / all;
    let spread = Z * (share * (1.0 - share) / all + Z * Z / (4.0 * all * all)).sqrt();
    let (middle, scale) = (share + Z * Z / (2.0 * all), 1.0 + Z * Z / all);
    // At the ends the formula is exact and its rounding is not.
    let low = if right == 0 { 0.0 } else { (middle - spread) / scale };
    let high = if right == of { 1.0 } else { (middle + spread) / scale };
    (low, high)
}

/// F1 of a share j = hits / (hits + false ones + misses): 2j / (1 + j), which grows with j, so the bounds of an
/// interval of j are those of F1.
pub fn f1(j: f64) -> f64 {
    2.0 * j / (1.0 + j)
}

/// The probability of at most `wrong` wrong ones among `of`, if each is wrong with the probability `share`.
/// Linear in `wrong`. In logarithms, so that a large sample does not vanish.
pub fn at_most(wrong: u64, of: u64, share: f64) -> f64 {
    if wrong >= of || share <= 0.0 {
        return 1.0;
    }
    if share >= 1.0 {
        return 0.0;
    }
    let odds = (share / (1.0 - share)).ln();
    let mut term = of as f64 * (-share).ln_1p();
    let mut sum = term.exp();
    for k in 1..=wrong {
        term += ((of - k + 1) as f64 / k as f64).ln() + odds;
        sum += term.exp();
    }
    sum.min(1.0)
}

/// How many of a sample may be wrong so that, 95 % sure and one-sided, at most this share of all are; `None` if
/// the sample is too small to say so of any. Exact, by the binomial distribution.
pub fn wrong_allowed(of: u64, share: f64) -> Option<u64> {
    let supports = |wrong: u64| at_most(wrong, of, share) <= 1.0 - SURE;
    if of == 0 || !supports(0) {
        return None;
    }
    // The probability grows with the wrong ones, and no more than `share` of the sample is ever allowed.
    let (mut low, mut high) = (0, of);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if supports(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        let shown = |right, of| {
            let (low, high) = wilson(right, of);
            format!("{low:.3} {high:.3}")
        };
        assert_eq!(shown(0, 0), "0.000 1.000");
        assert_eq!(shown(0, 10), "0.000 0.278");
        assert_eq!(shown(5, 10), "0.237 0.763");
        assert_eq!(shown(28, 40), "0.546 0.819");
        assert_eq!(shown(10, 10), "0.722 1.000");
    }

    #[test]
    fn f1_is_that_of_precision_and_recall() {
        for (hits, wrong, missed) in [(3.0, 1.0, 2.0), (10.0, 0.0, 5.0), (1.0, 9.0, 0.0)] {
            let (precision, recall) = (hits / (hits + wrong), hits / (hits + missed));
            let harmonic = 2.0 * precision * recall / (precision + recall);
            assert!((f1(hits / (hits + wrong + missed)) - harmonic).abs() < 1e-12);
        }
    }

    /// The smallest samples that support a claim with 0, 1 and 2 wrong ones, and what a hundred support.
    #[test]
    fn samples_support_what_the_table_says() {
        let table = [
            (0.10, [(29, 0), (46, 1), (61, 2)]),
            (0.05, [(59, 0), (93, 1), (124, 2)]),
            (0.02, [(149, 0), (236, 1), (313, 2)]),
        ];
        for (share, sizes) in table {
            for (of, wrong) in sizes {
                assert_eq!(wrong_allowed(of, share), Some(wrong), "{of} at {share}");
                assert_eq!(wrong_allowed(of - 1, share), wrong.checked_sub(1), "{} at {share}", of - 1);
            }
        }
        assert_eq!(wrong_allowed(100, 0.10), Some(4));
        assert_eq!(wrong_allowed(0, 0.10), None);
        // "At most ten of a hundred" would accept a true error rate of 10 % more often than not.
        assert!(
            (at_most(10, 100, 0.10) - 0.58).abs() < 0.005 && (at_most(4, 100, 0.10) - 0.02).abs() < 0.005
        );
    }

    #[test]
    fn large_samples_do_not_vanish() {
        assert!((at_most(10_000, 100_000, 0.10) - 0.5).abs() < 0.01);
        let allowed = wrong_allowed(100_000, 0.10).unwrap();
        assert!((9_800..9_900).contains(&allowed), "{allowed}");
        assert_eq!((at_most(3, 3, 0.5), at_most(0, 5, 1.0), at_most(0, 5, 0.0)), (1.0, 0.0, 1.0));
    }

    /// The sum of the terms, each from its factors.
    #[test]
    fn sums_are_those_of_the_definition() {
        for of in 1..30_u64 {
            for wrong in 0..of {
                for share in [0.02, 0.3, 0.9] {
                    let choose = |k: u64| (1..=k).fold(1.0, |c, i| c * (of - k + i) as f64 / i as f64);
                    let term = |k: u64| {
                        choose(k) * f64::powi(share, k as i32) * f64::powi(1.0 - share, (of - k) as i32)
                    };
                    let plain: f64 = (0..=wrong).map(term).sum();
                    assert!((at_most(wrong, of, share) - plain).abs() < 1e-9, "{wrong} of {of} at {share}");
                }
            }
        }
    }
}
