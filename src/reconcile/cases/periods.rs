//! Cases 3 to 29: which days a fact holds, who attests them, and what joins whom.

use super::super::notation::check;
use super::change;
use crate::model::cause::Change;

#[test]
fn case_03_two_intervals_are_two_edges() {
    check(
        "a: S supplies C [2022-01-01, 2023-01-01)
         b: S supplies C [2024-01-01, inf)",
        "S supplies C [2022-01-01, 2023-01-01) [2024-01-01, ∞) by a b",
    );
}

#[test]
fn case_04_touching_intervals_are_one_edge() {
    check(
        "a: S supplies C [2024-01-01, 2024-02-01)
         b: S supplies C [2024-02-01, inf)",
        "S supplies C [2024-01-01, ∞) by a b",
    );
}

#[test]
fn case_05_overlapping_intervals_unite_and_part_again() {
    check(
        "a: S supplies C [2022-01-01, 2023-06-01)
         b: S supplies C [2023-01-01, 2024-01-01)",
        "S supplies C [2022-01-01, 2024-01-01) by a b",
    );
    check("b: S supplies C [2023-01-01, 2024-01-01)", "S supplies C [2023-01-01, 2024-01-01) by b");
}

#[test]
fn case_06_an_empty_interval_holds_on_no_day() {
    check("a: S supplies C [2024-01-01, 2024-01-01)", "");
}

#[test]
fn case_07_coarse_bounds_stand_where_nobody_is_finer() {
    check("a: S supplies C [2024-02, inf)", "S supplies C [2024-02-01 month, ∞) by a");
    check("a: S supplies C [?, 2024-02)", "S supplies C [?, 2024-03-01) by a");
    check("a: S supplies C [2024, 2024)", "S supplies C [2024-01-01 year, 2025-01-01) by a");
    check("a: S supplies C [2025Q3, 2025Q3)", "S supplies C [2025-07-01 quarter, 2025-10-01) by a");
}

#[test]
fn case_13_an_actual_end_replaces_a_projected_one() {
    check("a: S supplies C [?, 2026-01-13)", "S supplies C [?, 2026-01-13) by a");
    check("a: S supplies C [?, 2025-12-18)", "S supplies C [?, 2025-12-18) by a");
}

#[test]
fn case_15_an_undated_contract_joins_a_dated_notice() {
    check(
        "contract: S supplies C [?, inf)
         notice: S supplies C [2024-02-17, inf)",
        "S supplies C [2024-02-17, ∞) by contract~ notice",
    );
    check("contract: S supplies C [?, inf)", "S supplies C [?, ∞) by contract");
}

#[test]
fn case_15_several_intervals_the_undated_one_joins_the_latest() {
    check(
        "a: S supplies C [2020-01-01, 2021-01-01)
         b: S supplies C [2023-01-01, 2024-01-01)
         c: S supplies C [?, inf)",
        "S supplies C [2020-01-01, 2021-01-01) [2023-01-01, 2024-01-01) by a b c~",
    );
    check(
        "a: S supplies C [2020-01-01, 2021-01-01)
         b: S supplies C [2023-01-01, 2024-01-01)
         c: S supplies C [?, 2021-06-01)",
        "S supplies C [2020-01-01, 2021-01-01) [2023-01-01, 2024-01-01) by a b c~",
    );
}

#[test]
fn case_16_a_year_joins_a_day_within_it() {
    check(
        "a: S supplies C [2024, 2024)
         b: S supplies C [2024-03-05, inf)",
        "S supplies C [2024-03-05, ∞) by a~ b",
    );
    check("a: S supplies C [2024, 2024)", "S supplies C [2024-01-01 year, 2025-01-01) by a");
    check(
        "a: S supplies C [2024, 2024)
         b: S supplies C [2024-02, inf)
         c: S supplies C [2024-02-17, 2024-11-30)",
        "S supplies C [2024-02-17, 2024-11-30) by a~ b~ c",
    );
    check(
        "a: S supplies C [2024, 2024)
         b: S supplies C [2025-03-05, inf)",
        "S supplies C [2024-01-01 year, 2025-01-01) [2025-03-05, ∞) by a b",
    );
}

#[test]
fn case_16_a_coarse_end_takes_a_finer_one_and_what_joins_moves_nothing() {
    check(
        "a: S supplies C [2023-01-01, 2024)
         b: S supplies C [2023-01-01, 2024-09-30)",
        "S supplies C [2023-01-01, 2024-09-30) by a b",
    );
    check(
        "a: S supplies C [2020, 2023)
         b: S supplies C [2020-05-01, 2021-06-01)",
        "S supplies C [2020-05-01, 2021-06-01) by a~ b",
    );
}

#[test]
fn case_15_an_end_without_a_start_joins_and_moves_nothing() {
    check(
        "a: S supplies C [2020-01-01, inf)
         b: S supplies C [?, 2022-01-01)",
        "S supplies C [2020-01-01, ∞) by a b~",
    );
    check(
        "a: S supplies C [2024-01-01, inf)
         b: S supplies C [?, 2022-01-01)",
        "S supplies C [?, 2022-01-01) [2024-01-01, ∞) by a b",
    );
    check(
        "a: S supplies C [?, inf)
         b: S supplies C [?, 2022-01-01)",
        "S supplies C [?, 2022-01-01) by a~ b",
    );
}

#[test]
fn case_35_evidence_of_a_loser_is_folded_anew() {
    // The undated contract of 2023 does not go with the loser: it holds until the one who stands.
    check(
        "t: T sole C [2024-01-01, inf) feed=decides
         u: U sole C [2024-01-01, inf) feed=confirms
         c: U sole C [?, inf) dated=2023-05-01",
        "T sole C [2024-01-01, ∞) by t
         U sole C [?, 2024-01-01) by c; 2024-01-01 newcomer T sole C
         log: T sole C > U sole C
         quarantined u: conflict T sole C",
    );
    // One that is not dated cannot stand by itself either.
    check(
        "t: T sole C [2024-01-01, inf) feed=confirms
         u: U sole C [2024-01-01, inf)
         c: U sole C [?, inf)
         log: T sole C > U sole C",
        "T sole C [2024-01-01, ∞) by t
         log: T sole C > U sole C
         quarantined c: conflict T sole C
         quarantined u: conflict T sole C",
    );
}

#[test]
fn case_19_and_20_the_edge_stays_while_one_evidence_lives() {
    let both = "a: S supplies C [2024-01-01, inf)
                b: S supplies C [2024-01-01, inf)";
    check(both, "S supplies C [2024-01-01, ∞) by a b");
    check("b: S supplies C [2024-01-01, inf)", "S supplies C [2024-01-01, ∞) by b");
    check("", "");
    let one = "b: S supplies C [2024-01-01, inf)";
    assert_eq!(change(both, one), Some(Change::SupportOnly));
    assert_eq!(change(one, ""), Some(Change::Retracted));
    assert_eq!(change("", one), Some(Change::Added));
    assert_eq!(change(one, one), None);
}

#[test]
fn case_24_twice_in_a_document_and_two_spans_in_a_sentence() {
    check(
        "a: S supplies C [2024-01-01, inf) doc=d
         b: S supplies C [2024-01-01, inf) doc=d",
        "S supplies C [2024-01-01, ∞) by a b",
    );
    check(
        "a: S supplies C [2020-01-01, 2021-01-01) doc=d
         b: S supplies C [2023-01-01, inf) doc=d",
        "S supplies C [2020-01-01, 2021-01-01) [2023-01-01, ∞) by a b",
    );
}

#[test]
fn case_27_amended_text_ends_and_goes_on_by_others() {
    check(
        "a: S supplies C [2024-01-01, inf) left=2024-06-01",
        "S supplies C [2024-01-01, 2024-06-01) by a; 2024-06-01 left a",
    );
    check(
        "a: S supplies C [2024-01-01, inf) left=2024-06-01
         b: S supplies C [?, inf)",
        "S supplies C [2024-01-01, ∞) by a b~",
    );
    check("a: S supplies C [2024-07-01, inf) left=2024-06-01", "");
}

#[test]
fn case_29_the_later_stated_start_gives_the_property_then_authority() {
    check(
        "a: S supplies C [2022-01-01, inf) qty=500
         b: S supplies C [2024-01-01, inf) qty=700",
        "S supplies C [2022-01-01, ∞) qty=700 by a b",
    );
    check(
        "a: S supplies C [2024-01-01, inf) qty=500 feed=confirms
         b: S supplies C [2024-01-01, inf) qty=700",
        "S supplies C [2024-01-01, ∞) qty=500 by a b",
    );
    check(
        "a: S rated C [2022-01-01, inf) qty=500
         b: S rated C [2024-01-01, inf) qty=700",
        "S rated C [2024-01-01, ∞) qty=700 by b
         quarantined a: conflict S rated C",
    );
}
